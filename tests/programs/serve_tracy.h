// serve_tracy.h - the contents of a .tracy file as a stream of items.
#ifndef TTP_TESTS_SERVE_TRACY_H
#define TTP_TESTS_SERVE_TRACY_H

#include "base/data/sort.h"

#include "formats/tracy/tracy.h"
#include "record/tracy/out.h"

enum moment_kind {
    ZONE_BEGIN,
    ZONE_END,
    MESSAGE,
    FRAME_MARK,
    FRAME_START,
    FRAME_END,
    POINT,
    DEVICE_BEGIN,
    DEVICE_END
};
struct moment {
    enum moment_kind kind;
    uint32_t owner; // thread, set of frames, plot, device context
    size_t number;  // the lane of a device zone is in the high half
};

struct serving {
    struct tracy *t;
    struct recorder_out *out;
    int64_t begin;           // the tick of time 0; ticks are ns
    VEC(struct moment) all;  // in the order of threads
    VEC(struct keyed) order; // by time
    uint16_t query;          // of the last device time
    bool is_over;            // the server has ended the session, or is gone
};

// --- serve_gather.c ---
void serve_gather(struct serving *s);
// When the client had started, in ns: the second mark of the frames without a name.
int64_t serve_start_end(const struct serving *s);
const struct tracy_zone *serve_zone(const struct serving *s, uint32_t thread, size_t i);
const struct tracy_gpu_zone *serve_device_zone(const struct serving *s, uint32_t gpu,
                                               size_t number);
// Zones that were open at the end of the trace end there.
int64_t serve_zone_end(const struct serving *s, const struct tracy_zone *z);

// --- serve_items.c ---
void serve_devices(struct serving *s); // before their zones
// Sends from..to of the moments. What the file has and this does not send: callstacks,
// samples, memory, locks, images and context switches.
void serve_moments(struct serving *s, size_t from, size_t to);
void serve_answer(struct serving *s, const struct tracy_ask *ask);
// Answers that nobody has asked for; others may be pending.
void serve_unasked(struct serving *s, bool may_be_asked);

#endif
