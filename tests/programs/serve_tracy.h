// serve_tracy.h - the contents of a .tracy file as a stream of items.
#ifndef TTP_TESTS_SERVE_TRACY_H
#define TTP_TESTS_SERVE_TRACY_H

#include "formats/tracy/tracy.h"
#include "record/tracy/out.h"

struct moment;
struct serving {
    struct tracy *t;
    struct recorder_out *out;
    int64_t begin;           // the tick of time 0; ticks are ns
    VEC(struct moment) all;  // in the order of threads
    VEC(struct keyed) order; // by time
    uint16_t query;          // of the last device time
    bool is_over;            // the server has ended the session, or is gone
};

void serve_gather(struct serving *s);
void serve_devices(struct serving *s); // before their zones
// Sends from..to of the moments. What the file has and this does not send: callstacks,
// samples, memory, locks, images and context switches.
void serve_moments(struct serving *s, size_t from, size_t to);
void serve_answer(struct serving *s, const struct tracy_ask *ask);
// Answers that nobody has asked for; others may be pending.
void serve_unasked(struct serving *s, bool may_be_asked);
// When the client had started, in ns: the second mark of the frames without a name.
int64_t serve_start_end(const struct serving *s);

#endif
