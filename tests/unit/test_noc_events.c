// test_noc_events.c - NoC calls of kernels and the events that they leave: which call gives
// which event, packing, full vectors, linked series.
#include "../kernels/events.h"
#include "sample_markers.h"
#include "ttprof/noc_event_kinds.h"

enum {
    EVENTS = TT_LEVEL_ALL | TT_FLAG_NOC_EVENTS,
    DEBUG_EVENTS = EVENTS | TT_FLAG_NOC_DEBUG,
    LONG_NS = 1000000000,
    PAGE = 5,
};
static const ttdev_range first = {{0, 0}, {0, 0}};

// --- packing ---------------------------------------------------------------------------
TEST(events_pack_as_the_check_values_say)
{
    uint32_t low = tt_noc_event_low(TT_NOC_EVENT_WRITE_, 2, 3, 4);
    uint32_t high = tt_noc_event_high(5, 1, -1, 10240, 1);
    assert_true(((uint64_t)high << 32 | low) == 0x01fff2050403020bu);
    low = tt_noc_trailer_low(0x12345, 0x6789b);
    high = tt_noc_trailer_high(0x6789b, 0xabc);
    assert_true(((uint64_t)high << 32 | low) == 0xabc30678984048d1u);
}

// --- runs ------------------------------------------------------------------------------
struct scene {
    ttdev *t;
    uint32_t args[EVENTS_MANY_ARGS];
    ttdev_xy target, last; // virtual
    found_list found;
};

// Core 0,0 runs; cores 1,1 .. 2,2 are its targets.
static struct scene scene_open(const char *config)
{
    struct scene s = {.t = device_open(config)};
    const struct chip *chip = &s.t->chips[0];
    ttdev_xy one = {1, 1}, two = {2, 2};
    assert_int_equal(ttdev_xlat(s.t, 0, one, TTDEV_LOGICAL, TTDEV_VIRTUAL, &s.target), 0);
    assert_int_equal(ttdev_xlat(s.t, 0, two, TTDEV_LOGICAL, TTDEV_VIRTUAL, &s.last), 0);
    ttdev_info info;
    assert_int_equal(ttdev_get_info(s.t, 0, &info), 0);
    s.args[EVENTS_X] = (uint32_t)s.target.x;
    s.args[EVENTS_Y] = (uint32_t)s.target.y;
    s.args[EVENTS_X_END] = (uint32_t)s.last.x;
    s.args[EVENTS_Y_END] = (uint32_t)s.last.y;
    s.args[EVENTS_CORES] = 4;
    s.args[EVENTS_BUFFER] = chip->layout->buffers;
    s.args[EVENTS_DRAM] = (uint32_t)info.dram_buffers;
    s.args[EVENTS_PAGE] = PAGE;
    s.args[EVENTS_SEMAPHORE] = chip->layout->buffers + 0x8000;
    return s;
}

static void scene_close(struct scene *s)
{
    vec_free(&s->found);
    ttdev_close(s->t);
}

static void scene_run(struct scene *s, const char *kernel, int risc, int noc,
                      uint32_t flags)
{
    core_flags(s->t, 0, flags);
    ttdev_program *p = ttdev_program_new(s->t, kernel);
    ttdev_image *image = kernel_load(s->t, kernel, risc);
    assert_int_equal(ttdev_program_kernel(p, first, risc, image, noc), 0);
    assert_int_equal(ttdev_program_args(p, 0, first, s->args, EVENTS_MANY_ARGS), 0);
    assert_int_equal(ttdev_launch(s->t, 0, p, 3), 0);
    if (ttdev_wait(s->t, 0, LONG_NS))
        fail_msg("%s", ttdev_fault(s->t, 0));
    ttdev_program_free(p);
    s->found.n = 0;
    dram_markers(s->t, 0, (uint32_t)risc, &s->found);
}

static size_t count_id(const struct scene *s, uint32_t id)
{
    size_t n = 0;
    for (size_t i = 0; i < s->found.n; i++)
        n += s->found.v[i].id == id;
    return n;
}

// --- which call, which event -----------------------------------------------------------
enum where { NOWHERE, ORIGIN, TARGET, BANK, CORNERS }; // ORIGIN: only a local address
struct expected {
    uint8_t kind, where;
    int8_t vc;
    bool is_posted, is_noc0;
    uint32_t bytes; // as decoded
};
// What events_calls does; kinds for debugging stand in the same list.
static const struct expected calls[] = {
    {TT_NOC_EVENT_READ, TARGET, -1, false, false, 64},
    {TT_NOC_EVENT_READ, BANK, -1, false, false, 2048},
    {TT_NOC_EVENT_READ_BARRIER_START, NOWHERE, -1, false, false, 0},
    {TT_NOC_EVENT_READ_BARRIER_END, NOWHERE, -1, false, false, 0},
    {TT_NOC_EVENT_WRITE_, TARGET, 1, false, false, 8160},
    {TT_NOC_EVENT_WRITE_, BANK, 1, false, false, 2048},
    {TT_NOC_EVENT_WRITE_FLUSH, NOWHERE, -1, false, false, 0},
    {TT_NOC_EVENT_WRITE_, TARGET, 1, true, false, 64},
    {TT_NOC_EVENT_WRITE_FLUSH, NOWHERE, -1, true, false, 0},
    {TT_NOC_EVENT_WRITE_BARRIER_START, NOWHERE, -1, false, false, 0},
    {TT_NOC_EVENT_WRITE_BARRIER_END, NOWHERE, -1, false, false, 0},
    {TT_NOC_EVENT_WRITE_MULTICAST, CORNERS, 4, false, false, 256},
    {TT_NOC_EVENT_SEMAPHORE_SET, NOWHERE, -1, false, true, 0},
    {TT_NOC_EVENT_SEMAPHORE_WAIT, NOWHERE, -1, false, true, 0},
    {TT_NOC_EVENT_SEMAPHORE_WAIT, NOWHERE, -1, false, true, 0},
    {TT_NOC_EVENT_SEMAPHORE_SET_REMOTE, TARGET, 1, false, false, 32},
    {TT_NOC_EVENT_SEMAPHORE_SET_MULTICAST, CORNERS, 4, false, false, 32},
    {TT_NOC_EVENT_SEMAPHORE_INC, TARGET, 1, false, false, 0},
    {TT_NOC_EVENT_ATOMIC_BARRIER, NOWHERE, -1, false, false, 0},
    {TT_NOC_EVENT_SEMAPHORE_INC_MULTICAST, CORNERS, 4, false, false, 0},
    {TT_NOC_EVENT_WRITE_INLINE, TARGET, 1, false, false, 32},
    {TT_NOC_EVENT_FULL_BARRIER, NOWHERE, -1, false, false, 0},
    {TT_NOC_EVENT_READ_SET_STATE, TARGET, -1, false, false, 0},
    {TT_NOC_EVENT_READ_WITH_STATE, ORIGIN, -1, false, false, 64},
    {TT_NOC_EVENT_READ_SET_TRID, NOWHERE, -1, false, false, 0},
    {TT_NOC_EVENT_READ_SET_STATE, TARGET, -1, false, false, 128},
    {TT_NOC_EVENT_READ_WITH_STATE, ORIGIN, -1, false, false, 0},
    {TT_NOC_EVENT_READ_WITH_STATE_AND_TRID, ORIGIN, -1, false, false, 0},
    {TT_NOC_EVENT_READ_BARRIER_WITH_TRID, NOWHERE, -1, false, false, 0},
    {TT_NOC_EVENT_READ_SET_TRID, NOWHERE, -1, false, false, 0},
    {TT_NOC_EVENT_WRITE_SET_STATE, TARGET, 1, false, false, 96},
    {TT_NOC_EVENT_WRITE_WITH_STATE, ORIGIN, -1, false, false, 96},
    {TT_NOC_EVENT_WRITE_SET_TRID, NOWHERE, -1, false, false, 0},
    {TT_NOC_EVENT_WRITE_WITH_TRID, TARGET, -1, false, false, 160},
    {TT_NOC_EVENT_WRITE_FLUSH_WITH_TRID, NOWHERE, -1, false, false, 0},
    {TT_NOC_EVENT_WRITE_BARRIER_WITH_TRID, NOWHERE, -1, false, false, 0},
    {TT_NOC_EVENT_WRITE_BARRIER_START, NOWHERE, -1, false, false, 0},
    {TT_NOC_EVENT_WRITE_BARRIER_END, NOWHERE, -1, false, false, 0},
};

static const bool is_debug_kind[] = {
#define ROW(number, name, is_debug) [number] = (is_debug),
    TT_NOC_EVENT_KINDS(ROW)};

// Coordinates of the bank of PAGE, as the kernel's table has them.
static ttdev_xy bank_place(const struct scene *s, int noc)
{
    const struct chip *chip = &s->t->chips[0];
    uint32_t table = chip->layout->bank_table + (uint32_t)noc * TT_BANK_TABLE_NOC1;
    uint32_t place = core_word(s->t, 0, table + 4 * (PAGE % (uint32_t)chip->n_banks));
    return (ttdev_xy){(int)(place & 0xFF), (int)(place >> 8)};
}

static void check_event(const struct scene *s, const struct expected *e,
                        const struct found *f, int noc, bool is_debug)
{
    ttdev_xy at = {-1, -1}, end = {0, 0};
    if (e->where == TARGET || e->where == CORNERS)
        at = s->target;
    if (e->where == CORNERS)
        end = s->last;
    if (e->where == ORIGIN)
        at = (ttdev_xy){0, 0};
    if (e->where == BANK)
        at = bank_place(s, noc);
    int used = e->is_noc0 ? 0 : noc;
    uint32_t low = tt_noc_event_low(e->kind, at.x, at.y, end.x);
    uint32_t high = tt_noc_event_high(end.y, used, e->vc, e->bytes, e->is_posted);
    assert_int_equal(f->id, TT_ID_NOC_EVENT);
    assert_int_equal(f->type, is_debug ? TT_PACKET_TS_DATA_16B : TT_PACKET_TS_DATA);
    assert_int_equal(f->data, (uint64_t)high << 32 | low);
}

static void check_calls(const char *config, const char *kernel, int risc, int noc,
                        uint32_t flags)
{
    struct scene s = scene_open(config);
    bool is_debug = flags & TT_FLAG_NOC_DEBUG;
    size_t k = 0;
    if (noc == 1) { // the other network goes the other way round
        ttdev_xy swap = s.target;
        s.target = s.last;
        s.last = swap;
        s.args[EVENTS_X] = (uint32_t)s.target.x;
        s.args[EVENTS_Y] = (uint32_t)s.target.y;
        s.args[EVENTS_X_END] = (uint32_t)s.last.x;
        s.args[EVENTS_Y_END] = (uint32_t)s.last.y;
    }
    scene_run(&s, kernel, risc, noc, flags);
    for (size_t i = 0; i < s.found.n; i++) {
        if (s.found.v[i].id != TT_ID_NOC_EVENT)
            continue;
        while (!is_debug && k < sizeof calls / sizeof *calls &&
               is_debug_kind[calls[k].kind])
            k++;
        assert_true(k < sizeof calls / sizeof *calls);
        check_event(&s, &calls[k], &s.found.v[i], noc, is_debug);
        k++;
    }
    while (!is_debug && k < sizeof calls / sizeof *calls && is_debug_kind[calls[k].kind])
        k++;
    assert_int_equal(k, sizeof calls / sizeof *calls);
    scene_close(&s);
}

TEST(events_every_call_leaves_its_event)
{
    check_calls("board=n150 variant=full", "kernels/events_calls", TT_BRISC, 0, EVENTS);
    check_calls("board=n150 variant=full", "kernels/events_calls_cpp", TT_NCRISC, 1,
                EVENTS);
    check_calls("board=p150 variant=full", "kernels/events_calls_cpp", TT_BRISC, 0, EVENTS);
}

TEST(events_for_debugging_have_all_kinds_and_addresses)
{
    check_calls("board=n150 variant=full", "kernels/events_calls_cpp", TT_BRISC, 0,
                DEBUG_EVENTS);
    check_calls("board=p150 variant=full", "kernels/events_calls", TT_NCRISC, 1,
                DEBUG_EVENTS);
    struct scene s = scene_open("board=n150 variant=full");
    scene_run(&s, "kernels/events_calls", TT_BRISC, 0, DEBUG_EVENTS);
    size_t i = 0;
    while (s.found.v[i].id != TT_ID_NOC_EVENT)
        i++;
    // The read of 64 bytes: from the other core's buffer to 4096 behind the own one.
    uint32_t buffer = s.args[EVENTS_BUFFER];
    uint64_t trailer = s.found.v[i].trailer;
    assert_int_equal(trailer & 0xFFFFFFFF, tt_noc_trailer_low(buffer, buffer + 4096));
    assert_int_equal(trailer >> 32 & 0xFFFFF,
                     tt_noc_trailer_high(buffer + 4096, 0) & 0xFFFFF);
    // Counters go on by one with every read.
    assert_int_equal((s.found.v[i + 1].trailer >> 52) - (trailer >> 52), 1);
    scene_close(&s);
}

TEST(events_are_recorded_only_where_they_are_asked_for)
{
    static const struct {
        const char *config;
        uint32_t flags;
    } cases[] = {
        {"board=n150 variant=full", TT_LEVEL_ALL},
        {"board=n150 variant=full", TT_LEVEL_COARSE | TT_FLAG_NOC_EVENTS},
        {"board=n150 variant=full", EVENTS | 2 << TT_FLAG_RISC_SHIFT}, // NCRISC only
        {"board=n150 variant=prof", EVENTS},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene s = scene_open(cases[i].config);
        scene_run(&s, "kernels/events_calls", TT_BRISC, 0, cases[i].flags);
        assert_int_equal(count_id(&s, TT_ID_NOC_EVENT), 0);
        assert_int_equal(core_control(s.t, 0, TT_CONTROL_L1_DROPPED), 0);
        scene_close(&s);
    }
}

// Every event is recorded before its command is issued, and says when.
struct issues {
    uint64_t clock, first; // last clock read by BRISC; first command
};
static void note_issue(void *context, const ttdev_truth_event *event)
{
    struct issues *i = context;
    if (event->kind == TTDEV_TRUTH_CLOCK_READ && event->risc == TT_BRISC && !i->first)
        i->clock = event->argument;
    if (event->kind == TTDEV_TRUTH_NOC_ISSUE && !i->first)
        i->first = event->cycle;
}
TEST(events_come_before_their_commands)
{
    struct issues issues = {0};
    struct scene s = scene_open("board=n150 variant=full");
    assert_int_equal(ttdev_truth(s.t, note_issue, &issues), 0);
    scene_run(&s, "kernels/events_calls", TT_BRISC, 0, EVENTS);
    size_t i = 0;
    while (s.found.v[i].id != TT_ID_NOC_EVENT)
        i++;
    assert_int_equal(s.found.v[i].time, issues.clock);
    assert_true(s.found.v[i].time < issues.first);
    assert_true(issues.first - s.found.v[i].time < 100);
    scene_close(&s);
}

// --- full vectors ----------------------------------------------------------------------
TEST(events_push_full_vectors_and_none_is_lost)
{
    struct scene s = scene_open("board=n150 variant=full");
    s.args[EVENTS_COUNT] = 700;
    scene_run(&s, "kernels/events_many", TT_BRISC, 0, EVENTS);
    assert_int_equal(count_id(&s, TT_ID_NOC_EVENT), 700);
    assert_int_equal(core_control(s.t, 0, TT_CONTROL_L1_DROPPED), 0);
    assert_int_equal(core_control(s.t, 0, TT_CONTROL_DRAM_DROPPED), 0);
    // A vector has room for 125 events of four words, later ones for a zone less.
    assert_true(core_control(s.t, 0, TT_CONTROL_HOST_END) >= 5 * 512);
    scene_close(&s);
}

TEST(events_near_the_end_of_a_vector_are_kept)
{
    // 241 plain events end at word 494; one NoC event fits four times behind.
    for (uint32_t fill = 238; fill <= 250; fill++) {
        struct scene s = scene_open("board=p150 variant=full");
        s.args[EVENTS_FILL] = fill;
        s.args[EVENTS_COUNT] = 1;
        scene_run(&s, "kernels/events_many", TT_BRISC, 0, EVENTS);
        assert_int_equal(count_id(&s, TT_ID_NOC_EVENT), 1);
        assert_int_equal(count_id(&s, 7), fill);
        bool is_pushed = core_control(s.t, 0, TT_CONTROL_HOST_END) > 512;
        assert_int_equal(is_pushed, fill > 248); // 508 + 4 words are just in
        scene_close(&s);
    }
}

// --- linked series ---------------------------------------------------------------------
TEST(events_push_before_a_linked_series_and_never_inside)
{
    struct scene s = scene_open("board=n150 variant=full");
    s.args[EVENTS_FILL] = 100;
    s.args[EVENTS_COUNT] = 120; // 480 words, where 300 were left
    s.args[EVENTS_LINKED] = 1;
    scene_run(&s, "kernels/events_many", TT_BRISC, 0, EVENTS);
    assert_int_equal(count_id(&s, TT_ID_NOC_EVENT), 120);
    assert_int_equal(core_control(s.t, 0, TT_CONTROL_L1_DROPPED), 0);
    size_t n_pushes = 0, push_at = 0, first_event = 0;
    for (size_t i = s.found.n; i-- > 0;) {
        const struct found *f = &s.found.v[i];
        if (f->id == TT_ID_NOC_EVENT)
            first_event = i;
        // The end of the push's own zone, which opens the vector that follows.
        if (f->type == TT_PACKET_ZONE_END && i + 1 < s.found.n &&
            s.found.v[i + 1].id == TT_ID_NOC_EVENT) {
            n_pushes++;
            push_at = i;
        }
    }
    assert_int_equal(n_pushes, 1);
    assert_int_equal(push_at + 1, first_event);
    scene_close(&s);
}

TEST(events_of_an_endless_linked_series_are_counted_as_lost)
{
    struct scene s = scene_open("board=n150 variant=full");
    s.args[EVENTS_COUNT] = 300;
    s.args[EVENTS_LINKED] = 1;
    scene_run(&s, "kernels/events_many", TT_BRISC, 0, EVENTS);
    size_t kept = count_id(&s, TT_ID_NOC_EVENT);
    assert_in_range(kept, 100, 126);
    assert_int_equal(kept + core_control(s.t, 0, TT_CONTROL_L1_DROPPED), 300);
    scene_close(&s);
}

// --- costs -----------------------------------------------------------------------------
struct span {
    uint64_t entry, exit;
};
static void note_kernel(void *context, const ttdev_truth_event *event)
{
    struct span *span = context;
    if (event->risc == TT_BRISC && event->kind == TTDEV_TRUTH_KERNEL_ENTRY)
        span->entry = event->cycle;
    if (event->risc == TT_BRISC && event->kind == TTDEV_TRUTH_KERNEL_EXIT)
        span->exit = event->cycle;
}
static uint64_t cycles_of(const char *config, uint32_t flags, uint32_t writes)
{
    struct span span = {0};
    struct scene s = scene_open(config);
    s.args[EVENTS_COUNT] = writes;
    assert_int_equal(ttdev_truth(s.t, note_kernel, &span), 0);
    scene_run(&s, "kernels/events_many", TT_BRISC, 0, flags);
    scene_close(&s);
    return span.exit - span.entry;
}
// Cycles of one write in a loop of them.
static uint64_t cycles_of_write(const char *config, uint32_t flags)
{
    return (cycles_of(config, flags, 60) - cycles_of(config, flags, 20)) / 40;
}

TEST(events_cost_what_is_published)
{
    uint64_t off = cycles_of_write("board=n150 variant=off", 0);
    uint64_t silent = cycles_of_write("board=n150 variant=full", TT_LEVEL_ALL);
    uint64_t events = cycles_of_write("board=n150 variant=full", EVENTS);
    uint64_t debug = cycles_of_write("board=n150 variant=full", DEBUG_EVENTS);
    assert_int_equal(off, 24);
    assert_in_range(silent, off, off + 10); // a look at the flags
    assert_in_range(events, off + 40, off + 90);
    assert_in_range(debug, events, events + 40);
}
