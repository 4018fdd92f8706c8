// sample_server.h - a small Tracy server for tests of the client in the recorder: a thread
// that connects, reads items, asks for what they refer to, and ends as the real ones do.
#ifndef TTP_TESTS_SAMPLE_SERVER_H
#define TTP_TESTS_SAMPLE_SERVER_H

#include <pthread.h>

#include "base/data/vec.h"
#include "base/text/buf.h"

#include "record/format/tracy_items.h"
#include "sample_record.h"
#include "test.h"

struct server_item {
    enum tracy_item item;
    uint32_t thread; // of the THREAD_CONTEXT before it
    int64_t ns;      // since the beginning of the trace, if it has a time
    size_t at;       // in the decoded bytes
    str text;        // after its fields; valid when the session is over
};
struct server_how {
    uint32_t protocol;    // 0: 66
    uint32_t port;        // 0: of this process
    bool is_silent;       // asks nothing
    bool stalls;          // reads nothing after the welcome until told to go on
    int64_t leaves_after; // closes the socket after so many items; 0: stays
    bool disconnects;     // asks the client to end after the first zone
    bool never_ends;      // reads on, but does not end the session
    uint64_t n_asked;     // questions that the test itself asks
};
struct sample_server {
    struct server_how how;
    int socket, status; // status: as received; -1: the client hung up
    struct tracy_layouts layouts;
    struct tracy_welcome welcome;
    struct tracy_demand demand;
    char packed[TRACY_PACKED_MOST];
    struct buf decoded;
    VEC(struct server_item) items;
    VEC(struct tracy_ask) asked;
    uint64_t wire_bytes, n_blocks;
    uint64_t n_pending;
    bool has_terminated;
    // shared with the test
    pthread_t thread;
    uint64_t n_items; // atomic
    uint32_t is_on;   // atomic: welcomed
    uint32_t may_go;  // atomic: stall no longer
};

// Records into a folder, or nowhere, and listens on a port that the system chooses.
struct sample_record server_record(const struct ttprof_settings *settings);
void server_record_nothing(const struct ttprof_settings *settings);

// Connects to the recorder of this process, and returns when it was welcomed or refused.
void server_start(struct sample_server *s, struct server_how how);
void server_join(struct sample_server *s); // until the session is over
void server_free(struct sample_server *s);
void server_until_items(struct sample_server *s, uint64_t n); // has at least so many
int server_connect(uint32_t port);                            // 0: of this process

// After the session: the i-th item of a kind (zones in all widths count as ZONE_BEGIN and
// ZONE_END); NULL: there are fewer.
const struct server_item *server_find(const struct sample_server *s, enum tracy_item item,
                                      size_t i);
size_t server_count(const struct sample_server *s, enum tracy_item item);
uint64_t server_field(const struct sample_server *s, const struct server_item *i,
                      enum tracy_field field);
str server_text(const struct sample_server *s, enum tracy_item item, uint64_t key);
// The name of the place of a zone.
str server_place_name(const struct sample_server *s, const struct server_item *begin);
// The text that the item before this one gave it.
str server_string_of(const struct sample_server *s, const struct server_item *i);

#endif
