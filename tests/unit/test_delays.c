// test_delays.c - debug delays: what a delayed command costs, whom it concerns, and how the
// environment asks for it.
#include <errno.h>
#include <stdio.h>

#include "../kernels/events.h"
#include "sample_device.h"

enum { LONG_NS = 1000000000, LOG_BYTES = 4000 };
static const ttdev_core corner = {TTDEV_LOGICAL, {0, 0}};
static const ttdev_range first = {{0, 0}, {0, 0}};

// --- cycles ----------------------------------------------------------------------------
struct issues {
    uint64_t cycle[64];
    size_t n;
};
static void note_issue(void *context, const ttdev_truth_event *event)
{
    struct issues *i = context;
    if (event->kind == TTDEV_TRUTH_NOC_ISSUE && i->n < 64)
        i->cycle[i->n++] = event->cycle;
}

struct outcome {
    struct issues issues;
    uint64_t hash;
};

// events_calls on one RISC of core 0,0, with a delay.
static struct outcome run(const char *config, int risc, unsigned riscs, unsigned kinds,
                          uint32_t cycles)
{
    struct outcome o = {.hash = 0};
    ttdev *t = device_open(config);
    ttdev_xy other = {1, 1};
    ttdev_info info;
    assert_int_equal(ttdev_get_info(t, 0, &info), 0);
    assert_int_equal(ttdev_xlat(t, 0, other, TTDEV_LOGICAL, TTDEV_VIRTUAL, &other), 0);
    uint32_t x = (uint32_t)other.x, y = (uint32_t)other.y, buffer = info.l1_buffers;
    uint32_t args[EVENTS_ARGS] = {
        x, y, x, y, 1, buffer, (uint32_t)info.dram_buffers, 5, buffer + 0x8000};
    ttdev_program *p = ttdev_program_new(t, "calls");
    ttdev_image *image = kernel_load(t, "kernels/events_calls", risc);
    assert_int_equal(ttdev_program_kernel(p, first, risc, image, 0), 0);
    assert_int_equal(ttdev_program_args(p, 0, first, args, EVENTS_ARGS), 0);
    assert_int_equal(ttdev_delay(t, 0, corner, riscs, kinds, cycles), 0);
    assert_int_equal(ttdev_truth(t, note_issue, &o.issues), 0);
    assert_int_equal(ttdev_launch(t, 0, p, 1), 0);
    if (ttdev_wait(t, 0, LONG_NS))
        fail_msg("%s", ttdev_fault(t, 0));
    o.hash = ttdev_state_hash(t, 0);
    ttdev_program_free(p);
    ttdev_close(t);
    return o;
}

TEST(delays_cost_a_command_exactly_their_cycles)
{
    static const uint32_t delays[] = {1, 3, 7, 8, 50, 1000, 100000};
    const char *config = "board=n150 variant=off";
    struct outcome plain = run(config, TT_BRISC, 0, 7, 100);
    for (size_t i = 0; i < sizeof delays / sizeof *delays; i++) {
        struct outcome o = run(config, TT_BRISC, 1u << TT_BRISC, 7, delays[i]);
        assert_int_equal(o.issues.n, plain.issues.n);
        // Nothing comes before the first command: it is exactly so much later.
        assert_int_equal(o.issues.cycle[0] - plain.issues.cycle[0], delays[i]);
        // With a delay that hides all waiting, each command adds one.
        size_t last = o.issues.n - 1;
        uint64_t all = o.issues.cycle[last] - plain.issues.cycle[last];
        assert_true(all <= (last + 1) * (uint64_t)delays[i]);
        assert_true(delays[i] < 1000 || all > last * (uint64_t)delays[i] / 2);
    }
}

TEST(delays_concern_the_chosen_riscs_and_kinds)
{
    const char *config = "board=p150 variant=off";
    struct outcome plain = run(config, TT_NCRISC, 0, 7, 500);
    struct outcome other = run(config, TT_NCRISC, 1u << TT_BRISC, 7, 500);
    assert_int_equal(other.hash, plain.hash);
    // Two reads come first, then writes, then an atomic.
    struct outcome read = run(config, TT_NCRISC, 1u << TT_NCRISC, TTDEV_DELAY_READ, 500);
    struct outcome write = run(config, TT_NCRISC, 1u << TT_NCRISC, TTDEV_DELAY_WRITE, 500);
    struct outcome atomic =
        run(config, TT_NCRISC, 1u << TT_NCRISC, TTDEV_DELAY_ATOMIC, 500);
    assert_int_equal(read.issues.cycle[0] - plain.issues.cycle[0], 500);
    assert_int_equal(write.issues.cycle[1], plain.issues.cycle[1]);
    assert_int_equal(write.issues.cycle[2] - plain.issues.cycle[2], 500);
    assert_int_equal(atomic.issues.cycle[2], plain.issues.cycle[2]);
    size_t last = plain.issues.n - 1;
    assert_true(atomic.issues.cycle[last] - plain.issues.cycle[last] >= 500);
}

TEST(delays_do_not_depend_on_how_the_device_is_simulated)
{
    static const char *const ways[] = {
        "board=n150 variant=off quantum=8",
        "board=n150 variant=off quantum=16 park=off",
        "board=n150 variant=off quantum=32 threads=3",
    };
    for (uint32_t cycles = 1; cycles < 40; cycles += 6) {
        struct outcome one = run(ways[0], TT_BRISC, 31, 7, cycles);
        for (size_t i = 1; i < sizeof ways / sizeof *ways; i++) {
            struct outcome o = run(ways[i], TT_BRISC, 31, 7, cycles);
            assert_memory_equal(&o.issues, &one.issues, sizeof o.issues);
            assert_int_equal(o.hash, one.hash);
        }
    }
}

TEST(delays_need_a_core_and_end_with_zero)
{
    ttdev *t = device_open("board=n150 variant=off");
    ttdev_core none = {TTDEV_LOGICAL, {40, 40}};
    assert_int_equal(ttdev_delay(t, 0, none, 1, 7, 5), -ENODEV);
    assert_int_equal(ttdev_delay(t, 9, corner, 1, 7, 5), -ENODEV);
    assert_int_equal(ttdev_delay(t, 0, corner, 3, 7, 5), 0);
    assert_true(t->chips[0].tiles[0].has_delays);
    assert_int_equal(ttdev_delay(t, 0, corner, 31, 7, 0), 0);
    assert_false(t->chips[0].tiles[0].has_delays);
    ttdev_close(t);
}

// --- the environment -------------------------------------------------------------------
struct asked {
    int code;
    char log[LOG_BYTES];
    struct err e;
    ttdev *t;
};

// Up to six variables.
static struct asked ask_of(const char *config, const char *const *environment)
{
    struct asked a = {.t = device_open(config)};
    a.code = ttdev_delays_from_environment(a.t, environment, a.log, sizeof a.log, &a.e);
    return a;
}
#define ASK(config, ...) ask_of(config, (const char *const[]){__VA_ARGS__, NULL})

static uint32_t delay_at(const struct asked *a, int dev, ttdev_xy at, unsigned risc,
                         unsigned type)
{
    const struct chip *chip = &a->t->chips[dev];
    for (int i = 0; i < chip->n_workers; i++)
        if (chip->tiles[i].logical.x == at.x && chip->tiles[i].logical.y == at.y)
            return chip->tiles[i].delay[risc][type];
    return UINT32_MAX;
}

TEST(delays_are_set_and_logged_as_the_environment_asks)
{
    struct asked a = ASK(
        "board=n150 variant=off", "PATH=/bin", "TT_METAL_WATCHER_DEBUG_DELAY=10",
        "TT_METAL_READ_DEBUG_DELAY_CORES=0,0",
        "TT_METAL_WRITE_DEBUG_DELAY_CORES=(0,0),(1,0)",
        "TT_METAL_READ_DEBUG_DELAY_RISCVS=BR", "TT_METAL_WRITE_DEBUG_DELAY_RISCVS=NC,TR*");
    assert_int_equal(a.code, 0);
    STR_IS(str_of(a.log),
           "debug delays act here without TT_METAL_WATCHER and without a rebuild\n"
           "Configured Watcher debug delays for device 0, core (x=0,y=0): "
           "read_delay_cores_mask=0x1, write_delay_cores_mask=0x1e, "
           "atomic_delay_cores_mask=0x0. Delay cycles: 10\n"
           "Configured Watcher debug delays for device 0, core (x=1,y=0): "
           "read_delay_cores_mask=0x0, write_delay_cores_mask=0x1e, "
           "atomic_delay_cores_mask=0x0. Delay cycles: 10\n");
    assert_int_equal(delay_at(&a, 0, (ttdev_xy){0, 0}, TT_BRISC, TT_NOC_READ), 10);
    assert_int_equal(delay_at(&a, 0, (ttdev_xy){0, 0}, TT_BRISC, TT_NOC_WRITE), 0);
    assert_int_equal(delay_at(&a, 0, (ttdev_xy){1, 0}, TT_TRISC2, TT_NOC_WRITE), 10);
    assert_int_equal(delay_at(&a, 0, (ttdev_xy){2, 0}, TT_TRISC2, TT_NOC_WRITE), 0);
    ttdev_close(a.t);
}

TEST(delays_know_the_forms_of_core_lists)
{
    static const struct {
        const char *value;
        int n;
    } forms[] = {{"0,0,1,1", 1},         {"(1,1)-(3,2)", 6},  {"(0,0),(5,5)", 2},
                 {"(2,2)", 1},           {"all", 0},          {"worker", 0},
                 {"dispatch", 0},        {"(0,0), (1,0)", 2}, {"(90,90)", 0},
                 {"(0,0)-(100,100)", 72}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        char text[100];
        (void)snprintf(text, sizeof text, "TT_METAL_ATOMIC_DEBUG_DELAY_CORES=%s",
                       forms[i].value);
        struct asked a = ASK("board=n150 variant=off", text,
                             "TT_METAL_WATCHER_DEBUG_DELAY=4", "TT_METAL_WATCHER=1");
        assert_int_equal(a.code, 0);
        int n = 0;
        for (int k = 0; k < a.t->chips[0].n_workers; k++)
            n += a.t->chips[0].tiles[k].delay[TT_NCRISC][TT_NOC_ATOMIC] == 4;
        assert_int_equal(n, forms[i].n);
        assert_true(n > 0 || a.log[0]); // what selects nothing is said
        ttdev_close(a.t);
    }
}

TEST(delays_select_chips_and_ethernet_cores)
{
    struct asked a =
        ASK("board=n300 variant=off", "TT_METAL_WATCHER_DEBUG_DELAY=9",
            "TT_METAL_READ_DEBUG_DELAY_CORES=(0,0)", "TT_METAL_READ_DEBUG_DELAY_CHIPS=1",
            "TT_METAL_WRITE_DEBUG_DELAY_ETH_CORES=(0,8),(0,9)",
            "TT_METAL_WRITE_DEBUG_DELAY_NODES=(M0,D0)");
    assert_int_equal(a.code, 0);
    assert_int_equal(delay_at(&a, 0, (ttdev_xy){0, 0}, TT_BRISC, TT_NOC_READ), 0);
    assert_int_equal(delay_at(&a, 1, (ttdev_xy){0, 0}, TT_BRISC, TT_NOC_READ), 9);
    for (int dev = 0; dev < 2; dev++) {
        const struct chip *chip = &a.t->chips[dev];
        for (int c = 0; c < chip->n_eth; c++)
            assert_int_equal(chip->tiles[chip->n_workers + c].delay[0][TT_NOC_WRITE],
                             dev == 0 && (c == 8 || c == 9) ? 9 : 0);
    }
    ttdev_close(a.t);
}

// Whoever dispatches has variables of its own: a worker's do not reach it.
TEST(delays_select_dispatch_cores)
{
    struct asked a = ASK("board=n150 variant=off dispatch=fast", "TT_METAL_WATCHER=1",
                         "TT_METAL_WATCHER_DEBUG_DELAY=7",
                         "TT_METAL_WRITE_DEBUG_DELAY_DISPATCH_CORES=(0,8)-(1,8)",
                         "TT_METAL_WRITE_DEBUG_DELAY_RISCVS=BR",
                         "TT_METAL_READ_DEBUG_DELAY_CORES=(0,8)");
    assert_int_equal(a.code, 0);
    STR_IS(str_of(a.log),
           "TT_METAL_READ_DEBUG_DELAY_CORES: device 0 has no core 0,8; ignored\n"
           "Configured Watcher debug delays for device 0, core (x=0,y=8): "
           "read_delay_cores_mask=0x0, write_delay_cores_mask=0x1, "
           "atomic_delay_cores_mask=0x0. Delay cycles: 7\n"
           "Configured Watcher debug delays for device 0, core (x=1,y=8): "
           "read_delay_cores_mask=0x0, write_delay_cores_mask=0x1, "
           "atomic_delay_cores_mask=0x0. Delay cycles: 7\n");
    assert_int_equal(delay_at(&a, 0, (ttdev_xy){1, 8}, TT_BRISC, TT_NOC_WRITE), 7);
    assert_int_equal(delay_at(&a, 0, (ttdev_xy){1, 8}, TT_NCRISC, TT_NOC_WRITE), 0);
    assert_int_equal(delay_at(&a, 0, (ttdev_xy){2, 8}, TT_BRISC, TT_NOC_WRITE), 0);
    ttdev_close(a.t);
    a = ASK("board=n150 variant=off dispatch=slow", "TT_METAL_WATCHER=1",
            "TT_METAL_WATCHER_DEBUG_DELAY=7",
            "TT_METAL_WRITE_DEBUG_DELAY_DISPATCH_CORES=(0,8)");
    STR_IS(str_of(a.log),
           "TT_METAL_WRITE_DEBUG_DELAY_DISPATCH_CORES: device 0 has no "
           "dispatch core 0,8; ignored\n");
    ttdev_close(a.t);
}

TEST(delays_without_cycles_do_nothing_and_say_so)
{
    struct asked a = ASK("board=n150 variant=off", "TT_METAL_READ_DEBUG_DELAY_CORES=0,0");
    assert_int_equal(a.code, 0);
    STR_IS(str_of(a.log),
           "debug delay cores have no effect: "
           "TT_METAL_WATCHER_DEBUG_DELAY is not set\n");
    assert_false(a.t->chips[0].tiles[0].has_delays);
    ttdev_close(a.t);
    a = ASK("board=n150 variant=off", "TT_METAL_WATCHER_DEBUG_DELAY=10");
    assert_int_equal(a.code, 0);
    STR_IS(str_of(a.log), "");
    ttdev_close(a.t);
}

TEST(delays_that_make_no_sense_are_errors_and_set_nothing)
{
    static const struct {
        const char *variable, *error;
    } cases[] = {
        {"TT_METAL_READ_DEBUG_DELAY_CORES=everything",
         "Invalid TT_METAL_READ_DEBUG_DELAY_CORES: \"everything\""},
        {"TT_METAL_READ_DEBUG_DELAY_CORES=(1,2", NULL},
        {"TT_METAL_READ_DEBUG_DELAY_CORES=(1,2)-", NULL},
        {"TT_METAL_READ_DEBUG_DELAY_CORES=(1,2)x", NULL},
        {"TT_METAL_READ_DEBUG_DELAY_CORES=7", NULL},
        {"TT_METAL_READ_DEBUG_DELAY_CORES=", NULL},
        {"TT_METAL_WRITE_DEBUG_DELAY_RISCVS=XX",
         "Invalid RISC selection: \"XX\". Valid values are "
         "BR,NC,TR0,TR1,TR2,TR*,ER0,ER1,ER*."},
        {"TT_METAL_ATOMIC_DEBUG_DELAY_CHIPS=a", NULL},
        {"TT_METAL_ATOMIC_DEBUG_DELAY_NODES=(0,1)", NULL},
        {"TT_METAL_WATCHER_DEBUG_DELAY=soon",
         "Invalid TT_METAL_WATCHER_DEBUG_DELAY: \"soon\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct asked a =
            ASK("board=n150 variant=off", cases[i].variable,
                "TT_METAL_WATCHER_DEBUG_DELAY=10", "TT_METAL_ATOMIC_DEBUG_DELAY_CORES=0,0");
        assert_int_equal(a.code, -EINVAL);
        assert_true(a.e.text[0]);
        if (cases[i].error)
            assert_string_equal(a.e.text, cases[i].error);
        assert_false(a.t->chips[0].tiles[0].has_delays);
        ttdev_close(a.t);
    }
    struct asked a = ASK("board=n150 variant=off", "TT_METAL_READ_DEBUG_DELAY_CHIPS=0",
                         "TT_METAL_READ_DEBUG_DELAY_NODES=(M0,D0)");
    assert_int_equal(a.code, -EINVAL);
    ttdev_close(a.t);
}
