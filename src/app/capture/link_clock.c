// link_clock.c - see link_clock.h.
#include "app/capture/link_clock.h"

#include <math.h>
#include <time.h>
#include <unistd.h>

#include "app/run/run.h"
#include "record/process_log_write.h"

static const double second_ns = 1e9;
// The system counts births in hundredths of a second.
static const double birth_slack_ns = 20e6;
// Below this the rate of two clocks cannot be told well.
static const double rate_span_ns = 50e6;
static const double error_most_ns = 1e18;
// How far the length of a tick may be off where it was not measured here. Clients measure
// it for about 200 ms.
#define TICK_ERROR 1e-5

static uint64_t ns_of(clockid_t clock)
{
    struct timespec t = {0};
    (void)clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

struct clock_reading clock_reading(void)
{
    struct run_clock_pair pair = run_clock_read();
    // Between two readings of the one, the middle of both is that of the other.
    uint64_t before = ns_of(CLOCK_MONOTONIC), raw = ns_of(CLOCK_MONOTONIC_RAW);
    uint64_t middle = before + (ns_of(CLOCK_MONOTONIC) - before) / 2;
    return (struct clock_reading){
        .ns = pair.ns, .raw_ns = raw - (middle - pair.ns), .ticks = pair.ticks};
}

// --- what the process tells ------------------------------------------------------------

// CLOCK_MONOTONIC at the birth of a process; below 0 if it is not known.
static double birth_ns(uint64_t birth)
{
    double asleep = (double)ns_of(CLOCK_BOOTTIME) - (double)ns_of(CLOCK_MONOTONIC);
    long hertz = sysconf(_SC_CLK_TCK);
    return birth && hertz > 0 ? (double)birth * second_ns / (double)hertz - asleep : -1;
}

// --- candidates ------------------------------------------------------------------------

static bool is_recorder(const struct tracy *t)
{
    return memmem(t->info.p ? t->info.p : "", t->info.n, "Recorder: ttprof\n",
                  sizeof "Recorder: ttprof\n" - 1) != NULL;
}

static bool counts_ns(const struct tracy *t)
{
    return fabs(t->ns_per_tick - 1) < 1e-9;
}

static bool is_plausible(double begin, double birth, double now)
{
    return begin > 0 && begin >= birth - birth_slack_ns && begin <= now;
}

// The length of a tick is the client's word, and may be anything.
static uint64_t whole_error(double error)
{
    return (uint64_t)ceil(fmin(fmax(error, 0), error_most_ns));
}

static void believe(struct link_clock *c, const char *source, double begin, double error)
{
    c->source = source;
    c->begin_ns = (uint64_t)llround(begin);
    c->error_ns = whole_error(error);
}

// Nanoseconds: both clocks that count them may fit. Then the one that real clients use is
// meant, and the other one says how far it may be off.
static void try_ns(struct link_clock *c, const struct tracy *t, double birth)
{
    double now = (double)c->first.ns, raw_now = (double)c->first.raw_ns;
    double begin = (double)c->begin_ticks, raw = begin + (now - raw_now);
    bool fits = is_plausible(begin, birth, now), raw_fits = is_plausible(raw, birth, now);
    if (raw_fits && !(fits && is_recorder(t)))
        believe(c, "raw", raw, fits ? fabs(raw - begin) : 1000);
    else if (fits)
        believe(c, "monotonic", begin, 1000);
}

static void try_ticks(struct link_clock *c, const struct tracy *t, double birth)
{
    double now = (double)c->first.ns;
    double age = (double)(int64_t)(c->first.ticks - c->begin_ticks) * t->ns_per_tick;
    double error = 1000 + fabs(age) * TICK_ERROR;
    // A process that has just begun.
    double begin = age < 0 && age > -error ? now : now - age;
    if (run_clock_is_steady() && t->ns_per_tick > 0 && is_plausible(begin, birth, now))
        believe(c, "tsc", begin, error);
}

void link_clock_start(struct link_clock *c, const struct tracy *t, uint64_t begin_ticks,
                      const struct clock_reading *now)
{
    *c = (struct link_clock){.begin_ticks = begin_ticks, .first = *now};
    c->birth = t->pid && t->pid <= INT32_MAX ? process_log_birth((uint32_t)t->pid) : 0;
    double birth = birth_ns(c->birth);
    if (counts_ns(t))
        try_ns(c, t, birth);
    else
        try_ticks(c, t, birth);
    if (c->source)
        return;
    double early = birth > 0 ? (double)now->ns - birth + birth_slack_ns : (double)now->ns;
    believe(c, "arrival", (double)now->ns, early);
}

// --- the end ---------------------------------------------------------------------------

void link_clock_end(struct link_clock *c, const struct tracy *t)
{
    struct clock_reading now = clock_reading();
    double span = (double)(now.ns - c->first.ns), length = (double)t->last_time, rate = 1;
    if (!c->source || span < rate_span_ns)
        return;
    if (strcmp(c->source, "tsc") == 0) {
        double ns_per_tick = span / (double)(now.ticks - c->first.ticks);
        double age = (double)(int64_t)(c->first.ticks - c->begin_ticks) * ns_per_tick;
        // What the measured tick may be off: a microsecond at each end.
        if (age >= 0)
            believe(c, "tsc", (double)c->first.ns - age, 1000 + age * 2000 / span);
        rate = t->ns_per_tick / ns_per_tick;
    } else if (strcmp(c->source, "raw") == 0) {
        rate = (double)(now.raw_ns - c->first.raw_ns) / span;
    }
    c->error_ns += whole_error(fabs(rate - 1) * fmax(length, 0));
}
