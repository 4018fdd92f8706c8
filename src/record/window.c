// window.c - opens and closes the recording window: at signposts, after a number of frames,
// after a time. All processes of a run share one control page, and the first one to see
// that it is time acts for all.
#include <string.h>

#include "record/record.h"

static struct tt_control *control; // atomic

struct tt_control *recorder_control(void)
{
    return __atomic_load_n(&control, __ATOMIC_ACQUIRE);
}

void recorder_control_set(struct tt_control *c)
{
    __atomic_store_n(&control, c, __ATOMIC_RELEASE);
}

// Only the first call counts: a window opens once and closes once.
static bool set_once(uint64_t *time, uint64_t ns)
{
    uint64_t never = 0;
    return __atomic_compare_exchange_n(time, &never, ns, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_ACQUIRE);
}

static bool window_open(struct tt_control *c)
{
    if (!set_once(&c->opened_ns, recorder_monotonic()))
        return false;
    if (!__atomic_load_n(&c->closed_ns, __ATOMIC_ACQUIRE))
        __atomic_store_n(&c->gate, 1, __ATOMIC_RELEASE);
    return true;
}

static void window_close(struct tt_control *c, uint64_t ns)
{
    if (set_once(&c->closed_ns, ns))
        __atomic_store_n(&c->gate, 0, __ATOMIC_RELEASE);
}

static bool is_waiting(const struct tt_control *c)
{
    return !__atomic_load_n(&c->opened_ns, __ATOMIC_ACQUIRE);
}

// Counts this one; true when the wanted number is reached.
static bool has_passed(struct tt_control *c, int64_t wanted)
{
    return (int64_t)__atomic_add_fetch(&c->passed, 1, __ATOMIC_RELAXED) >= wanted;
}

static bool is_header(const char *header, const char *wanted)
{
    return *wanted && strncmp(header, wanted, TT_HEADER_MOST - 1) == 0;
}

// The first `skip` signposts are skipped, the next one opens.
bool recorder_window_opens(const char *header)
{
    struct tt_control *c = recorder_control();
    return c && is_waiting(c) && is_header(header, c->start_at) &&
           has_passed(c, c->skip + 1) && window_open(c);
}

void recorder_window_closes(const char *header)
{
    struct tt_control *c = recorder_control();
    if (c && !is_waiting(c) && is_header(header, c->stop_at))
        window_close(c, recorder_monotonic());
}

// A mark ends a frame: the mark of the last skipped frame starts the next one.
void recorder_window_frame(void)
{
    struct tt_control *c = recorder_control();
    if (c && is_waiting(c) && !*c->start_at && c->skip > 0 && has_passed(c, c->skip))
        window_open(c);
}

void recorder_window_tick(void)
{
    struct tt_control *c = recorder_control();
    if (!c || !c->for_ns || is_waiting(c))
        return;
    uint64_t end = __atomic_load_n(&c->opened_ns, __ATOMIC_ACQUIRE) + c->for_ns;
    if (recorder_monotonic() >= end)
        window_close(c, end);
}
