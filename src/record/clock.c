// clock.c - the clock in use, and its relation to CLOCK_MONOTONIC.
//
// Clock 1 is the process's own: the time stamp counter if its rate is constant, else
// CLOCK_MONOTONIC. A program may provide its own clocks, numbered from 2; one that returns
// to clock 1 and leaves it again gets a new number each time.
#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "record/record.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#define HAS_TSC 1
#else
#define HAS_TSC 0
#endif

enum { OWN_CLOCK = 1, TRIES = 8, MEASURE_NS = 50000 };

struct clock {
    uint32_t number;
    uint32_t kind;                  // of a program's clock
    uint64_t (*now)(void *context); // NULL: clock 1
    void *context;
};
static const struct clock own = {.number = OWN_CLOCK};
static const struct clock *in_use = &own; // atomic; earlier ones stay in memory
static uint32_t last_number = OWN_CLOCK;
static enum { NOT_CHOSEN, TSC, MONOTONIC } choice;
static double ticks_per_ns; // approximate; of the time stamp counter
static uint32_t shift;
static uint32_t is_changing; // recording pauses while both clocks are read
static struct tt_clock_pair
    program_start; // of the newest clock of the program; under the lock

uint64_t recorder_monotonic(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static uint64_t tsc(void)
{
#if HAS_TSC
    return __builtin_ia32_rdtsc();
#else
    return 0;
#endif
}

// --- choosing ---
// The kernel drops the counter from its list if processors disagree about it.
static bool kernel_trusts_tsc(void)
{
    char list[256];
    size_t n = recorder_read_file(
        "/sys/devices/system/clocksource/clocksource0/available_clocksource", list,
        sizeof list - 1);
    list[n] = 0;
    return !n || strstr(list, "tsc");
}

static bool tsc_is_invariant(void)
{
#if HAS_TSC
    unsigned a, b, c, d = 0;
    enum { INVARIANT = 1 << 8 }; // of leaf 0x80000007, power management
    return __get_cpuid(0x80000007U, &a, &b, &c, &d) && (d & INVARIANT) &&
           kernel_trusts_tsc();
#else
    return false;
#endif
}

// --- reading ---
static uint64_t clock_read(const struct clock *c)
{
    if (c->now)
        return c->now(c->context);
    return choice == TSC ? tsc() : recorder_monotonic();
}

// The best of a few reads: one that was not interrupted. A program's clock is read once.
static struct tt_clock_pair pair_read(const struct clock *c)
{
    struct tt_clock_pair best = {.clock = c->number, .spread = UINT32_MAX};
    for (int i = 0; i < (c->now ? 1 : TRIES); i++) {
        uint64_t start = recorder_monotonic();
        uint64_t ticks = clock_read(c);
        uint64_t spread = recorder_monotonic() - start;
        if (spread < best.spread || !best.ns) {
            best.spread = spread < UINT32_MAX ? (uint32_t)spread : UINT32_MAX;
            best.ticks = ticks;
            best.ns = start + spread / 2;
        }
    }
    return best;
}

static double measure_rate(void)
{
    struct tt_clock_pair from = pair_read(&own), to;
    while (recorder_monotonic() - from.ns < MEASURE_NS) {
    }
    to = pair_read(&own);
    return (double)(to.ticks - from.ticks) / (double)(to.ns - from.ns);
}

static void choose_clock(void)
{
    const char *wish = secure_getenv("TTPROF_CLOCK");
    bool is_forced = HAS_TSC && wish && strcmp(wish, "tsc") == 0;
    bool is_refused = wish && strcmp(wish, "monotonic") == 0;
    choice = is_forced || (!is_refused && tsc_is_invariant()) ? TSC : MONOTONIC;
    if (choice != TSC)
        return;
    const struct tt_control *control = recorder_control();
    ticks_per_ns =
        control && control->ticks_per_ns > 0 ? control->ticks_per_ns : measure_rate();
    shift = 0;
    for (uint64_t ticks = (uint64_t)ticks_per_ns; ticks > 1; ticks /= 2)
        shift++;
}

uint64_t recorder_clock_ticks(const struct recorder_thread *t)
{
    return t->now ? t->now(t->now_context) : recorder_monotonic();
}

uint64_t recorder_clock_complete(void)
{
    enum { MARGIN_NS = 2000 };
    if (__atomic_load_n(&in_use, __ATOMIC_ACQUIRE)->now)
        return UINT64_MAX;
    return choice == TSC ? tsc() - (uint64_t)(MARGIN_NS * ticks_per_ns)
                         : recorder_monotonic() - MARGIN_NS;
}

uint32_t recorder_clock(void)
{
    return __atomic_load_n(&in_use, __ATOMIC_ACQUIRE)->number;
}

uint32_t recorder_clock_shift(void)
{
    return shift;
}

uint64_t ttprof_now(void)
{
    const struct clock *c = __atomic_load_n(&in_use, __ATOMIC_ACQUIRE);
    return c->now ? c->now(c->context) : recorder_monotonic();
}

// --- in the table ---
static void put_clock_entries(const struct clock *c, uint32_t kind)
{
    struct tt_clock entry = {c->number, kind};
    struct tt_clock_pair pair = pair_read(c);
    if (c->now)
        program_start = pair;
    recorder_table_put_locked(TT_ENTRY_CLOCK, &entry, sizeof entry);
    recorder_table_put_locked(TT_ENTRY_CLOCK_PAIR, &pair, sizeof pair);
}

void recorder_clock_start(void)
{
    struct tt_control *control = recorder_control();
    if (choice == NOT_CHOSEN)
        choose_clock();
    // A reader after a crash may have a single pair.
    if (choice == TSC && control && !(control->ticks_per_ns > 0))
        control->ticks_per_ns = ticks_per_ns;
    put_clock_entries(&own, choice == TSC ? TT_CLOCK_TSC : TT_CLOCK_MONOTONIC);
    if (in_use != &own)
        put_clock_entries(in_use, in_use->kind);
}

// A program's clock has only the pair of its start: it need not run like real time.
void recorder_clock_pair(void)
{
    recorder_lock(&recorder_short);
    if (recorder_table()) {
        struct tt_clock_pair pair = pair_read(&own);
        recorder_table_put_locked(TT_ENTRY_CLOCK_PAIR, &pair, sizeof pair);
    }
    recorder_unlock(&recorder_short);
}

bool recorder_clock_of_program(uint64_t *ns)
{
    recorder_lock(&recorder_short);
    struct tt_clock_pair start = program_start;
    recorder_unlock(&recorder_short);
    *ns += start.ns - start.ticks;
    return start.clock != 0;
}

void recorder_clock_enter(struct recorder_thread *t)
{
    const struct clock *c = in_use;
    t->clock = c->number;
    t->now = c->now;
    t->now_context = c->context;
    t->uses_tsc = !c->now && choice == TSC;
}

// --- another clock ---
static struct clock *clock_make(uint32_t kind, uint64_t (*now)(void *context),
                                void *context)
{
    static struct clock *some;
    static size_t n_left;
    enum { PAGE = 4096 };
    if (!n_left) {
        some = recorder_pages(PAGE);
        n_left = some ? PAGE / sizeof *some : 0;
    }
    if (!some)
        return NULL;
    n_left--;
    *some = (struct clock){++last_number, kind, now, context};
    return some++;
}

static void pair_put(const struct tt_clock_pair *pair)
{
    recorder_table_put_locked(TT_ENTRY_CLOCK_PAIR, pair, sizeof *pair);
}

bool recorder_clock_is_changing(void)
{
    return is_changing;
}

void recorder_clock_wait(void)
{
    (void)syscall(SYS_futex, &is_changing, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0);
}

void recorder_clock_fork_child(void)
{
    is_changing = 0;
}

// Threads stop first, so none has an event of the old clock later than the first of the new
// one. Pairs of clock 1 are read under the lock: in the table they are in order, and none
// is older than the table. A program's clock may do anything, so it is read before.
static void clock_switch(const struct clock *c)
{
    struct tt_clock_pair first = {0};
    recorder_lock(&recorder_short);
    __atomic_store_n(&is_changing, 1, __ATOMIC_RELAXED);
    recorder_state_change();
    recorder_unlock(&recorder_short);
    recorder_threads_wait();
    if (c->now)
        first = pair_read(c);
    recorder_lock(&recorder_short);
    if (recorder_table()) {
        struct tt_clock entry = {c->number, c->kind};
        struct tt_clock_pair now = pair_read(&own);
        pair_put(&now);
        if (c->now) {
            program_start = first;
            recorder_table_put_locked(TT_ENTRY_CLOCK, &entry, sizeof entry);
            pair_put(&first);
        }
    }
    __atomic_store_n(&in_use, c, __ATOMIC_RELEASE);
    __atomic_store_n(&is_changing, 0, __ATOMIC_RELAXED);
    recorder_unlock(&recorder_short);
    (void)syscall(SYS_futex, &is_changing, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

// On return no thread uses the old clock any more: its context may be freed.
static void clock_use(uint32_t kind, uint64_t (*now)(void *context), void *context)
{
    recorder_process_check();
    recorder_lock(&recorder_long);
    const struct clock *c = now ? clock_make(kind, now, context) : &own;
    if (c && c != in_use)
        clock_switch(c);
    recorder_unlock(&recorder_long);
}

void ttprof_use_clock(uint64_t (*now)(void *context), void *context)
{
    clock_use(TT_CLOCK_PROGRAM, now, context);
}

void ttprof_use_virtual_clock(uint64_t (*now)(void *context), void *context)
{
    clock_use(TT_CLOCK_VIRTUAL, now, context);
}
