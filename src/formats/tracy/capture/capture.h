// capture.h - a connection to a Tracy client: what the client sends becomes the contents of
// a trace. No sockets: bytes come in by capture_feed, queries go out by capture_asks.
//
//     struct tracy t;
//     tracy_start(&t, folder, held_most);
//     struct capture *c = capture_start(&t, generation, window);
//     while (!capture_is_done(c) && more bytes && capture_feed(c, bytes, n))
//         n = capture_asks(c, asks, most); // send them
//     capture_finish(c); // `t` has its final order
//
// The bytes are all that follows the status of the handshake, cut anywhere. The client may
// lie: what makes no sense is counted (t.diag) and skipped.
#ifndef TTP_FORMATS_TRACY_CAPTURE_H
#define TTP_FORMATS_TRACY_CAPTURE_H

#include "formats/tracy/tracy.h"

struct capture;

// Mistakes in the use of the client's API. The reference stops at the first one; here only
// CAPTURE_ORDER ends the recording, because later zones would be inside wrong ones.
//   X(NAME, text of the reference)
#define CAPTURE_FAILURES(X)                                                                \
    X(TWICE, "Zone is ended twice.")                                                       \
    X(ORDER, "Invalid order of zone begin and end events.")                                \
    X(TEXT, "Zone text transfer destination doesn't match active zone.")                   \
    X(VALUE, "Zone value transfer destination doesn't match active zone.")                 \
    X(COLOUR, "Zone color transfer destination doesn't match active zone.")                \
    X(NAME, "Zone name transfer destination doesn't match active zone.")                   \
    X(ALLOC,                                                                               \
      "Memory allocation event was reported for an address that is already "               \
      "tracked and not freed.")                                                            \
    X(FREE, "Memory free event without a matching allocation.")                            \
    X(FRAME, "Discontinuous frame begin/end mismatch.")                                    \
    X(IMAGE, "Frame image is sent more than once for a frame, or before the first one.")
enum capture_failure {
#define CAPTURE_FAILURE_ENUM(name, text) CAPTURE_##name,
    CAPTURE_FAILURES(CAPTURE_FAILURE_ENUM)
#undef CAPTURE_FAILURE_ENUM
        CAPTURE_FAILURE_KINDS
};
extern const char *const capture_failure_texts[CAPTURE_FAILURE_KINDS];

// The number of queries that may be unanswered, given the send buffer of the socket.
size_t capture_window(size_t send_buffer_bytes);

// `t` is started and empty, and outlives the capture.
struct capture *capture_start(struct tracy *t, enum tracy_generation generation,
                              size_t window);
// False: the bytes are not of this protocol; what came before them is kept. See
// capture_trouble.
bool capture_feed(struct capture *c, const void *bytes, size_t n);
// What was wrong with the bytes, as part of a sentence; NULL: nothing.
const char *capture_trouble(const struct capture *c);
// Takes at most so many queries that may be sent now; returns their number.
size_t capture_asks(struct capture *c, struct tracy_ask *asks, size_t most);
// The welcome has arrived: the handshake is over.
bool capture_is_welcome(const struct capture *c);
// The client's tick at time 0 of the trace, once it is welcome.
uint64_t capture_begin_tick(const struct capture *c);
// The client has said that it ends, every query is answered and no zone is open: send
// TRACY_ASK_TERMINATE and close.
bool capture_is_done(const struct capture *c);
// Every query that was thought of is sent and answered.
bool capture_is_answered(const struct capture *c);
uint64_t capture_answer_count(const struct capture *c);
// The client has said that it ends.
bool capture_is_ending(const struct capture *c);
// Number of mistakes of each kind, CAPTURE_FAILURE_KINDS of them.
const uint64_t *capture_failures(const struct capture *c);
uint64_t capture_zone_count(const struct capture *c);
// Puts the contents in order and ends the capture; the connection may have broken anywhere.
void capture_finish(struct capture *c);

#endif
