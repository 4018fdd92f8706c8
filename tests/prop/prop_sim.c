// prop_sim.c - the whole device: whatever the kernels and the host do, every run does it
// the same way, with any number of threads, any window, with and without parking.
//
// A scene is a cluster, random scripts for RISCs of some cores (tests/kernels/script.h) and
// random acts of the host. Several devices that differ only in how they are simulated play
// it side by side; after every act all must have answered the same and show the same clocks
// and, now and then, the same state. Races, faults and deadlocks are welcome.
//
// TTPROF_SIM_SCENES=FROM:COUNT plays other scenes than the usual ones.
#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"

#include "../kernels/script.h"
#include "prop.h"
#include "sim/boot.h"
#include "sim/cluster.h"
#include "sim/image.h"
#include "sim/tile.h"

extern const unsigned char kernels_pack[];

enum {
    MOST_DEVICES = 4, // that play a scene side by side
    MOST_CORES = 12,
    MOST_STEPS = 60,
    MOST_ACTS = 40,
    SHARED_WORDS = 12,
    BUFFERS = 2,
    PAGES = 4,
    PAGE = 2048,
};

// How one device simulates.
struct way {
    unsigned threads, quantum;
    bool park, is_traced;
};

struct place {
    int dev;
    ttdev_xy at; // logical; Ethernet: channel, 0
    bool is_eth;
    uint32_t base; // what SCRIPT_* count from
    uint32_t high; // of NoC addresses
    ttdev_core core;
};

struct device {
    struct way way;
    ttdev *t;
    ttdev_program *program[2];
    VEC(ttdev_truth_event) truth;
    uint32_t n_quiet; // calls of the hook that wrote
    const struct scene *scene;
};

struct scene {
    uint64_t seed;
    struct random random;
    struct law *law;
    char config[400];
    int arch, n_devs;
    uint32_t scale; // of host times: 1, or more with a slow clock
    bool has_few_waits, has_resets, has_faults, has_truth, has_quiet,
        has_parking; // parking: everywhere
    struct place place[MOST_CORES + 4];
    uint32_t n_places, n_workers;
    struct script_step steps[MOST_CORES + 4][TT_RISCS][MOST_STEPS + 1];
    struct device device[MOST_DEVICES];
    uint32_t n;
};

#define ANY(scene, n)    random_below(&(scene)->random, (n))
#define ONE_IN(scene, n) random_one_in(&(scene)->random, (n))

// The operation and its operands in order.
#define STEP(...) step_of((const uint32_t[8]){__VA_ARGS__})
static struct script_step step_of(const uint32_t words[8])
{
    struct script_step step;
    memcpy(&step, words, sizeof step);
    return step;
}

// --- the cluster -----------------------------------------------------------------------
static uint32_t some_harvest(struct scene *s, uint32_t lines, uint32_t left)
{
    uint32_t mask = (1u << lines) - 1;
    while (left--)
        mask &= ~(1u << ANY(s, lines));
    return mask;
}

static void configure(struct scene *s)
{
    static const char *const variants[] = {"off", "prof", "full"};
    bool is_blackhole = ONE_IN(s, 3), is_pair = !is_blackhole && ONE_IN(s, 2);
    s->arch = is_blackhole ? TT_BLACKHOLE : TT_WORMHOLE;
    s->n_devs = is_pair ? 2 : 1;
    uint32_t lines = is_blackhole ? 14 : 10, left = 1 + ANY(s, 2);
    bool is_slow = ONE_IN(s, 4);
    s->scale = is_slow ? 50 : 1;
    int n = snprintf(s->config, sizeof s->config,
                     "board=%s devices=%d seed=%u variant=%s host_read_ns=%u "
                     "host_write_ns=%u host_jitter_ns=%u tile_skew=%u numerics=%s ",
                     is_blackhole ? "p150"
                     : is_pair    ? "n300"
                                  : "n150",
                     s->n_devs, 1 + ANY(s, 1000), variants[ANY(s, 3)],
                     (100 + ANY(s, 200)) * s->scale, (20 + ANY(s, 100)) * s->scale,
                     ANY(s, 60) * s->scale, ONE_IN(s, 2) ? ANY(s, 1000) : 0,
                     ONE_IN(s, 3) ? "on" : "off");
    n += snprintf(s->config + n, sizeof s->config - (size_t)n, "harvest=0x%x",
                  some_harvest(s, lines, left));
    if (is_pair)
        n += snprintf(s->config + n, sizeof s->config - (size_t)n, ":0x%x ppm=%d:%d",
                      some_harvest(s, lines, left), (int)ANY(s, 20000) - 10000,
                      (int)ANY(s, 20000) - 10000);
    if (ONE_IN(s, 8))
        n += snprintf(s->config + n, sizeof s->config - (size_t)n, " icache=on l0=on");
    if (is_slow)
        (void)snprintf(s->config + n, sizeof s->config - (size_t)n, " hz=%u drift_ppm_s=%d",
                       20000000 + ANY(s, 1000000), (int)ANY(s, 2000) - 1000);
}

static void note_truth(void *context, const ttdev_truth_event *event)
{
    struct device *d = context;
    vec_push(&d->truth, *event);
}

static void ignore_step(void *context, const ttdev_step *step)
{
    (void)context, (void)step;
}

static bool open_device(struct scene *s, struct device *d)
{
    char text[500], err[TTDEV_ERR] = "";
    ttdev_cfg cfg;
    ttdev_cfg_default(&cfg);
    (void)snprintf(text, sizeof text, "%s threads=%u quantum=%u park=%s", s->config,
                   d->way.threads, d->way.quantum, d->way.park ? "on" : "off");
    d->scene = s;
    if (ttdev_cfg_parse(&cfg, text, err) || ttdev_open(&cfg, &d->t, err))
        return law_check(s->law, false, "scene %llu: %s: %s", (unsigned long long)s->seed,
                         text, err);
    if (s->has_truth)
        (void)ttdev_truth(d->t, note_truth, d);
    if (d->way.is_traced)
        (void)ttdev_trace_risc(d->t, 0, (ttdev_core){TTDEV_LOGICAL, {0, 0}}, 0, 0,
                               UINT64_MAX, ignore_step, NULL);
    return true;
}

static void close_device(struct device *d)
{
    for (int i = 0; i < 2; i++)
        if (d->program[i])
            ttdev_program_free(d->program[i]);
    if (d->t)
        ttdev_close(d->t);
    vec_free(&d->truth);
}

// --- places ----------------------------------------------------------------------------
static void add_place(struct scene *s, int dev, ttdev_xy at, bool is_eth)
{
    ttdev *t = s->device[0].t;
    const struct tt_layout *l = &tt_layouts[s->arch];
    struct place *p = &s->place[s->n_places];
    ttdev_xy shown = at, noc0 = at;
    *p = (struct place){.dev = dev, .at = at, .is_eth = is_eth};
    if (is_eth)
        (void)ttdev_eth_tile(t, dev, at.x, &noc0);
    p->core = (ttdev_core){is_eth ? TTDEV_NOC0 : TTDEV_LOGICAL, noc0};
    (void)ttdev_xlat(t, dev, noc0, p->core.space, TTDEV_VIRTUAL, &shown);
    p->base = is_eth ? l->eth_buffers : l->buffers + BUFFERS * PAGES * PAGE;
    p->high = (uint32_t)shown.x << 4 | (uint32_t)shown.y << 10;
    s->n_places++;
    s->n_workers += !is_eth;
}

static void choose_places(struct scene *s)
{
    uint32_t most = 1 + ANY(s, MOST_CORES);
    for (int dev = 0; dev < s->n_devs; dev++) {
        ttdev_info info;
        (void)ttdev_get_info(s->device[0].t, dev, &info);
        uint32_t from = ANY(s, (uint32_t)info.n_workers);
        for (uint32_t i = 0; i < most / (uint32_t)s->n_devs; i++) {
            uint32_t k = (from + i) % (uint32_t)info.n_workers;
            if (i >= (uint32_t)info.n_workers)
                break;
            ttdev_xy at = {(int)k % info.grid.x, (int)k / info.grid.x};
            add_place(s, dev, at, false);
        }
    }
    for (int channel = 0, n = 0; s->n_devs > 1 && channel < 16 && n < 2; channel++) {
        int dev, other;
        if (ttdev_eth_peer(s->device[0].t, 0, channel, &dev, &other) || dev == 0)
            continue;
        add_place(s, 0, (ttdev_xy){channel, 0}, true);
        add_place(s, dev, (ttdev_xy){other, 0}, true);
        n++;
    }
}

// --- scripts ---------------------------------------------------------------------------
// Words that are polled: some share a bit of the tile's mask of watched words, some lie
// among the semaphores.
static uint32_t shared_word(struct scene *s, const struct place *p)
{
    static const uint32_t offsets[] = {0, 4, 8, 12, 16, 64, 256, 260, 512, 1024};
    uint32_t i = ANY(s, p->is_eth ? 10 : SHARED_WORDS);
    if (i < 10)
        return p->base + SCRIPT_SHARED + offsets[i];
    return tt_layouts[s->arch].kernel_config + TT_CONFIG_SEMAPHORES + 16 * (i - 10);
}

static const struct place *neighbour(struct scene *s, const struct place *p)
{
    for (;;) {
        const struct place *to = &s->place[ANY(s, s->n_places)];
        if (to->dev == p->dev)
            return to;
    }
}

static uint32_t some_register(struct scene *s, bool can_change)
{
    const struct tt_layout *l = &tt_layouts[s->arch];
    uint32_t stream = TT_STREAMS + TT_STREAM_STRIDE * (5 + ANY(s, 2));
    if (can_change || ONE_IN(s, 2))
        return stream + 4 * (ONE_IN(s, 2) ? l->cb_received_word : l->cb_acked_word);
    static const uint32_t counters[] = {TT_NOC_WRITE_ACKS, TT_NOC_READ_RESPONSES,
                                        TT_NOC_WRITES_SENT, TT_NOC_OUTSTANDING};
    return TT_NIU + TT_NIU_STRIDE * ANY(s, 2) + TT_NIU_STATUS + 4 * counters[ANY(s, 4)];
}

static struct script_step common_step(struct scene *s, const struct place *p)
{
    uint32_t word = shared_word(s, p), value = ANY(s, 4);
    switch (ANY(s, 24)) {
    case 0: return STEP(STEP_DELAY, 1 + ANY(s, 60));
    case 1: return STEP(STEP_DELAY, ANY(s, ONE_IN(s, 4) ? 6000 : 400));
    case 2: return STEP(STEP_CLOCK);
    case 3: return STEP(STEP_CLOCK_WAIT, ANY(s, 300));
    case 4: return STEP(STEP_LOAD, word);
    case 5: return STEP(STEP_LOAD_REG, some_register(s, false));
    case 6:
    case 7:
    case 8: return STEP(STEP_STORE, word, value);
    case 9: return STEP(STEP_STORE_BYTE, word + ANY(s, 4), value);
    case 10:
        return STEP(STEP_STORES, p->base + SCRIPT_SHARED + 4 * ANY(s, 60), 1 + ANY(s, 30),
                    value);
    case 11:
    case 12: return STEP(STEP_ADD, word, 1 + ANY(s, 3));
    case 13: return STEP(STEP_LOCAL, ANY(s, 40), value);
    case 14:
        return STEP(STEP_DIVIDE, ANY(s, 1u << ANY(s, 31)), 1 + ANY(s, 99),
                    ANY(s, UINT32_MAX));
    case 15:
    case 16: return STEP(STEP_WAIT, word, value);
    case 17: return STEP(STEP_WAIT_LEAST, word, 1 + value);
    case 18: return STEP(STEP_WAIT_BYTE, word + ANY(s, 4), value);
    case 19: return STEP(STEP_WAIT_TWO, word, value, shared_word(s, p), ANY(s, 4));
    case 20: return STEP(STEP_WAIT_CALLS, word, value);
    case 21: return STEP(STEP_WAIT_REG, some_register(s, false), ANY(s, 3));
    case 22: return STEP(STEP_COUNT_WAIT, word, value, 1 + ANY(s, 100));
    default: return STEP(STEP_STREAM, some_register(s, true), 1 + ANY(s, 2));
    }
}

static uint32_t some_bytes(struct scene *s)
{
    return 1 + ANY(s, ONE_IN(s, 6) ? 9000 : ONE_IN(s, 3) ? 1000 : 64);
}

// A multicast to the whole rectangle between two places of a chip, on NoC 0.
static struct script_step multicast_step(struct scene *s, const struct place *p)
{
    const struct place *to = neighbour(s, p);
    ttdev *t = s->device[0].t;
    if (to->is_eth || p->is_eth)
        return STEP(STEP_CLOCK);
    ttdev_xy from = {p->at.x < to->at.x ? p->at.x : to->at.x,
                     p->at.y < to->at.y ? p->at.y : to->at.y};
    ttdev_xy end = {p->at.x + to->at.x - from.x, p->at.y + to->at.y - from.y}, a, b;
    (void)ttdev_xlat(t, p->dev, from, TTDEV_LOGICAL, TTDEV_VIRTUAL, &a);
    (void)ttdev_xlat(t, p->dev, end, TTDEV_LOGICAL, TTDEV_VIRTUAL, &b);
    uint32_t cores = (uint32_t)((end.x - from.x + 1) * (end.y - from.y + 1)) - 1;
    uint32_t at = SCRIPT_DATA + 64 * ANY(s, 256);
    if (!cores)
        return STEP(STEP_CLOCK);
    return (struct script_step){.op = STEP_MULTICAST,
                                .a = ONE_IN(s, 2) ? p->base + at : p->base + SCRIPT_SHARED,
                                .b = (uint32_t)b.x << 4 | (uint32_t)b.y << 10 |
                                     (uint32_t)a.x << 16 | (uint32_t)a.y << 22,
                                .c = p->base + at,
                                .d = 16 + 4 * ANY(s, 20),
                                .e = cores};
}

static struct script_step network_step(struct scene *s, const struct place *p, int noc)
{
    const struct place *to = neighbour(s, p);
    uint32_t skew = ONE_IN(s, 2) ? ANY(s, 64) : 0;
    uint32_t here = p->base + SCRIPT_DATA + 64 * ANY(s, 300) + skew;
    uint32_t there = to->base + SCRIPT_DATA + 64 * ANY(s, 300) + skew;
    uint32_t bank = ONE_IN(s, 2) ? 0 : ANY(s, 6), dram = 0x1000000 + 64 * ANY(s, 4096);
    switch (ANY(s, 20)) {
    case 0:
    case 1: return STEP(STEP_NOC_READ, there, to->high, here, some_bytes(s));
    case 2:
    case 3: return STEP(STEP_NOC_WRITE, there, to->high, here, some_bytes(s));
    case 4: return STEP(STEP_NOC_POSTED, there, to->high, here, some_bytes(s));
    case 5:
    case 6:
        if (p->is_eth)
            break;
        return STEP(STEP_DRAM_READ, bank, dram, here - skew, some_bytes(s));
    case 7:
        if (p->is_eth)
            break;
        return STEP(STEP_DRAM_WRITE, bank, dram, here - skew, some_bytes(s));
    case 8:
        if (noc == 0)
            return multicast_step(s, p);
        break;
    case 9:
    case 10: return STEP(STEP_ATOMIC, shared_word(s, to), to->high, 1 + ANY(s, 2));
    case 11: return STEP(STEP_ATOMIC_POSTED, shared_word(s, to), to->high, 1);
    case 12:
    case 13: return STEP(STEP_INLINE, shared_word(s, to), to->high, ANY(s, 4));
    case 14:
        if (to->is_eth)
            break;
        return STEP(STEP_INLINE, some_register(s, true), to->high, ANY(s, 4));
    case 15: return STEP(STEP_READ_BARRIER);
    case 16: return STEP(STEP_WRITE_BARRIER);
    case 17: return STEP(STEP_FLUSHED);
    case 18: return STEP(STEP_ATOMIC_BARRIER);
    case 19: return STEP(STEP_FULL_BARRIER);
    }
    return STEP(STEP_CLOCK);
}

static struct script_step ethernet_step(struct scene *s, const struct place *p)
{
    switch (ANY(s, 4)) {
    case 0:
    case 1:
        return (struct script_step){.op = STEP_SEND,
                                    .a = ONE_IN(s, 2)
                                             ? shared_word(s, p)
                                             : p->base + SCRIPT_DATA + 16 * ANY(s, 1000),
                                    .c = p->base + SCRIPT_DATA + 16 * ANY(s, 1000),
                                    .d = ONE_IN(s, 3) ? some_bytes(s) : 4};
    case 2: return STEP(STEP_SEND_BARRIER);
    default: return STEP(STEP_RECEIVE, ANY(s, 4));
    }
}

static struct script_step engine_step(struct scene *s)
{
    if (s->has_faults && ONE_IN(s, 10))
        return STEP(STEP_ENGINE, ANY(s, 40), ANY(s, 3), ANY(s, 3), 0);
    return STEP(STEP_ENGINE_IDLE);
}

static struct script_step mistake(struct scene *s, const struct place *p)
{
    static const uint32_t kinds[] = {STEP_ILLEGAL, STEP_UNMAPPED, STEP_MISALIGNED,
                                     STEP_BREAK, STEP_NOC_READ};
    return (struct script_step){.op = kinds[ANY(s, 5)], .a = p->base, .c = p->base};
}

// The engine's work must fit: BRISC fills buffer 0, NCRISC empties buffer 1.
static void put_tiles(struct scene *s, struct script_step steps[TT_RISCS][MOST_STEPS + 1],
                      const uint32_t n[TT_RISCS])
{
    static const uint32_t ops[] = {STEP_COPY, STEP_BINARY, STEP_MATMUL};
    uint32_t tiles = 1 + ANY(s, 6), op = ops[ANY(s, 3)];
    for (uint32_t i = 0; i < tiles; i++) {
        steps[TT_BRISC][ANY(s, n[TT_BRISC])] = STEP(STEP_PUSH, 0, 1, ANY(s, UINT32_MAX));
        steps[TT_NCRISC][ANY(s, n[TT_NCRISC])] = STEP(STEP_POP, 1, 1);
    }
    for (uint32_t r = TT_TRISC0; r <= TT_TRISC2; r++)
        steps[r][ANY(s, n[r])] = STEP(op, tiles);
}

// Some RISCs in reset, BRISC rarely.
static uint32_t some_reset(struct scene *s)
{
    uint32_t bits = TT_RESET_TRISCS | TT_RESET_NCRISC | (ONE_IN(s, 8) ? TT_RESET_BRISC : 0);
    return (uint32_t)random_bits(&s->random) & bits;
}

static void write_scripts(struct scene *s, uint32_t place)
{
    const struct place *p = &s->place[place];
    uint32_t n[TT_RISCS];
    for (uint32_t r = 0; r < (p->is_eth ? 1 : TT_RISCS); r++) {
        struct script_step *steps = s->steps[place][r];
        n[r] = 1 + ANY(s, MOST_STEPS - 1);
        for (uint32_t i = 0; i < n[r]; i++) {
            if (p->is_eth && ONE_IN(s, 3))
                steps[i] = ethernet_step(s, p);
            else if ((p->is_eth || r < TT_TRISC0) && !ONE_IN(s, 3))
                steps[i] = network_step(s, p, (int)(r == TT_NCRISC));
            else if (r >= TT_TRISC0 && r < TT_RISCS && ONE_IN(s, 8))
                steps[i] = engine_step(s);
            else
                do
                    steps[i] = common_step(s, p);
                while (s->has_few_waits && steps[i].op >= STEP_WAIT &&
                       steps[i].op <= STEP_WAIT_REG && !ONE_IN(s, 5));
            if (s->has_resets && r == TT_BRISC && !p->is_eth && ONE_IN(s, 30))
                steps[i] = STEP(STEP_STORE_REG, TT_SOFT_RESET, some_reset(s));
            if (s->has_faults && ONE_IN(s, 60))
                steps[i] = mistake(s, p);
        }
        steps[n[r]] = STEP(STEP_END);
    }
    if (!p->is_eth && ONE_IN(s, 2))
        put_tiles(s, s->steps[place], n);
}

// --- the host --------------------------------------------------------------------------
struct act {
    uint32_t kind, value, address, bytes;
    int dev;
    uint64_t ns;
    struct place place;
};

enum act_kind {
    ACT_LAUNCH,
    ACT_SLEEP,
    ACT_POLL,
    ACT_WRITE,
    ACT_READ,
    ACT_REGISTER_READ,
    ACT_REGISTER_WRITE,
    ACT_DRAM_WRITE,
    ACT_DRAM_READ,
    ACT_WAIT,
    ACT_RELEASE,
    ACT_REPLAY,
};
static const char *const act_names[] = {
    "launch",         "sleep",      "poll",      "write", "read",    "register read",
    "register write", "DRAM write", "DRAM read", "wait",  "release", "replay"};

struct answer {
    int code;
    uint64_t host_ns, clock[2], state[2], data[8];
    bool has_fault;
};

static ttdev_image *script_image(ttdev *t, const char *name, int risc)
{
    char full[TTDEV_ERR], err[TTDEV_ERR] = "";
    const void *elf;
    size_t bytes;
    ttdev_image *image = NULL;
    image_full_name(t, risc, name, full, sizeof full);
    // The pack has kernels without profiling only.
    char *variant =
        strstr(full, "/prof/") ? strstr(full, "/prof/") : strstr(full, "/full/");
    if (variant) {
        memmove(variant + 4, variant + 5, strlen(variant + 5) + 1);
        memcpy(variant, "/off", 4);
    }
    if (!images_find_in(kernels_pack, full, &elf, &bytes) ||
        ttdev_elf_load(t, full, elf, bytes, &image, err)) {
        (void)fprintf(stderr, "%s: %s\n", full, err);
        exit(1);
    }
    return image;
}

static void make_program(struct scene *s, struct device *d, int dev)
{
    ttdev_program *p = d->program[dev] = ttdev_program_new(d->t, "scene");
    ttdev_info info;
    (void)ttdev_get_info(d->t, dev, &info);
    ttdev_range all = {{0, 0}, {info.grid.x - 1, info.grid.y - 1}};
    ttdev_image *images[TT_RISCS + 1];
    for (int r = 0; r <= TT_RISCS; r++)
        images[r] =
            r < TT_RISCS || s->n_devs > 1
                ? script_image(d->t, r < TT_RISCS ? "kernels/script" : "kernels/script_eth",
                               r)
                : NULL;
    for (uint32_t i = 0; i < s->n_places; i++) {
        const struct place *at = &s->place[i];
        ttdev_range one = {at->at, at->at};
        if (at->dev != dev)
            continue;
        for (uint32_t b = 0; !at->is_eth && b < BUFFERS; b++)
            (void)ttdev_program_cb(p, one, (int)b, PAGES, PAGE, NULL);
        for (int r = 0; r < (at->is_eth ? 1 : TT_RISCS); r++) {
            int risc = at->is_eth ? TTDEV_ERISC : r;
            uint32_t args[] = {at->base + SCRIPT_STEPS + SCRIPT_STEPS_BYTES * (uint32_t)r,
                               at->base + SCRIPT_LOG + SCRIPT_LOG_BYTES * (uint32_t)r};
            int kernel = ttdev_program_kernel(p, one, risc, images[risc], r == TT_NCRISC);
            (void)ttdev_program_args(p, kernel, one, args, 2);
        }
    }
    for (int i = 0; i < 2; i++)
        (void)ttdev_program_sem(p, all, 0);
}

static int launch(struct scene *s, struct device *d, int dev)
{
    for (uint32_t i = 0; i < s->n_places; i++) {
        const struct place *at = &s->place[i];
        for (uint32_t r = 0; at->dev == dev && r < (at->is_eth ? 1 : TT_RISCS); r++) {
            uint32_t n = 1;
            while (s->steps[i][r][n - 1].op != STEP_END)
                n++;
            (void)ttdev_l1_write(d->t, dev, at->core,
                                 at->base + SCRIPT_STEPS + SCRIPT_STEPS_BYTES * r,
                                 s->steps[i][r], n * sizeof s->steps[i][r][0]);
        }
    }
    return ttdev_launch(d->t, dev, d->program[dev], 7);
}

// Ends every wait for a shared word or register.
static void release(const struct scene *s, struct device *d, uint32_t value)
{
    uint32_t words[257];
    for (uint32_t i = 0; i < 257; i++)
        words[i] = 0x04040404u * (1 + value % 16);
    const struct tt_layout *l = &tt_layouts[s->arch];
    for (uint32_t i = 0; i < s->n_places; i++) {
        const struct place *at = &s->place[i];
        (void)ttdev_l1_write(d->t, at->dev, at->core, at->base + SCRIPT_SHARED, words,
                             sizeof words);
        if (at->is_eth)
            continue;
        (void)ttdev_l1_write(d->t, at->dev, at->core,
                             l->kernel_config + TT_CONFIG_SEMAPHORES, words, 32);
        for (uint32_t k = 0; k < 4; k++)
            (void)ttdev_reg_write32(
                d->t, at->dev, at->core,
                TT_STREAMS + TT_STREAM_STRIDE * (5 + k / 2) +
                    4 * (k % 2 ? l->cb_received_word : l->cb_acked_word),
                1000 + value);
    }
}

static int on_quiet(void *context, int dev)
{
    struct device *d = context;
    (void)dev;
    if (d->n_quiet == 3)
        return 0;
    release(d->scene, d, 16 + d->n_quiet++);
    return 1;
}

static int replay(struct scene *s, struct device *d, const struct act *act)
{
    int code = ttdev_trace_begin(d->t, act->dev);
    code = code ? code : launch(s, d, act->dev);
    code = code ? code : ttdev_wait(d->t, act->dev, act->ns);
    int trace = ttdev_trace_end(d->t, act->dev);
    return code ? code : ttdev_trace_replay(d->t, act->dev, trace, act->ns);
}

static int perform(struct scene *s, struct device *d, const struct act *act,
                   struct answer *answer)
{
    const struct place *p = &act->place;
    uint32_t data[256] = {act->value, act->value + 1, act->value + 2};
    int code = 0;
    switch (act->kind) {
    case ACT_LAUNCH: return launch(s, d, act->dev);
    case ACT_SLEEP: return ttdev_sleep_ns(d->t, act->ns);
    case ACT_POLL: return ttdev_poll(d->t, act->dev, act->ns);
    case ACT_WRITE:
        return ttdev_l1_write(d->t, p->dev, p->core, act->address, data, act->bytes);
    case ACT_READ:
        code = ttdev_l1_read(d->t, p->dev, p->core, act->address, data, act->bytes);
        break;
    case ACT_REGISTER_READ:
        code = ttdev_reg_read32(d->t, p->dev, p->core, act->address, data);
        break;
    case ACT_REGISTER_WRITE:
        return ttdev_reg_write32(d->t, p->dev, p->core, act->address, act->value);
    case ACT_DRAM_WRITE:
        return ttdev_dram_write(d->t, act->dev, 0, act->address, data, act->bytes);
    case ACT_DRAM_READ:
        code = ttdev_dram_read(d->t, act->dev, 0, act->address, data, act->bytes);
        break;
    case ACT_WAIT: return ttdev_wait(d->t, act->dev, act->ns);
    case ACT_RELEASE: release(s, d, act->value); return 0;
    case ACT_REPLAY: return replay(s, d, act);
    }
    memcpy(answer->data, data, sizeof answer->data);
    return code;
}

static struct act some_act(struct scene *s)
{
    const struct place *p = &s->place[ANY(s, s->n_places)];
    struct act act = {.kind = ACT_SLEEP + ANY(s, 9),
                      .value = ANY(s, 4),
                      .address = shared_word(s, p),
                      .bytes = 4 * (1 + ANY(s, ONE_IN(s, 3) ? 200 : 2)),
                      .dev = (int)ANY(s, (uint32_t)s->n_devs),
                      .ns = (uint64_t)s->scale * ANY(s, ONE_IN(s, 3) ? 8000 : 500),
                      .place = *p};
    if (act.kind == ACT_REGISTER_READ && !p->is_eth)
        act.address = ONE_IN(s, 3) ? TT_WALL_CLOCK_L : some_register(s, false);
    if (act.kind == ACT_REGISTER_WRITE && !p->is_eth)
        act.address = some_register(s, true);
    if (act.kind == ACT_REGISTER_WRITE && s->has_resets && !p->is_eth) {
        act.address = TT_SOFT_RESET;
        act.value = some_reset(s);
    }
    if (act.kind == ACT_REGISTER_WRITE && s->has_faults && p->is_eth)
        act.address = TT_ETH + TT_ETH_SEND;
    if (act.kind == ACT_WRITE && p->base + SCRIPT_SHARED > act.address)
        act.bytes = 4;
    if (act.kind == ACT_DRAM_READ || act.kind == ACT_DRAM_WRITE)
        act.address = 0x1000000 + 64 * ANY(s, 4096);
    return act;
}

static uint32_t make_acts(struct scene *s, struct act *acts)
{
    uint32_t n = 0;
    if (ONE_IN(s, 12))
        acts[n++] = (struct act){.kind = ACT_REPLAY, .ns = 10000 * s->scale};
    for (int dev = 0; dev < s->n_devs; dev++) {
        for (uint32_t k = ANY(s, 3); k > 0; k--)
            acts[n++] = some_act(s);
        acts[n++] = (struct act){.kind = ACT_LAUNCH, .dev = dev};
    }
    for (uint32_t k = ANY(s, 16); k > 0; k--)
        acts[n++] = some_act(s);
    uint32_t releases = ONE_IN(s, 3) ? 0 : 4;
    for (uint32_t k = 0; k <= releases; k++) {
        for (int dev = 0; dev < s->n_devs; dev++)
            acts[n++] = (struct act){
                .kind = ACT_WAIT, .dev = dev, .ns = (2000 + ANY(s, 6000)) * s->scale};
        if (k < releases)
            acts[n++] = (struct act){.kind = ACT_RELEASE, .value = k};
    }
    return n;
}

// --- what is different -----------------------------------------------------------------
static void risc_differs(const struct tile *a, const struct tile *b, unsigned r, char *text,
                         size_t n)
{
    const struct risc *x = &a->risc[r], *y = &b->risc[r];
    int reg = -1;
    for (int i = 31; i >= 0; i--)
        if (x->x[i] != y->x[i])
            reg = i;
    if (x->pc != y->pc || x->clock != y->clock || x->state != y->state || reg >= 0 ||
        x->instructions != y->instructions)
        (void)snprintf(text, n,
                       "RISC %u: pc 0x%x and 0x%x, clock %llu and %llu, state %d and %d, "
                       "instructions %llu and %llu, register %d",
                       r, x->pc, y->pc, (unsigned long long)x->clock,
                       (unsigned long long)y->clock, x->state, y->state,
                       (unsigned long long)x->instructions,
                       (unsigned long long)y->instructions, reg);
}

static void tile_differs(const struct tile *a, const struct tile *b, char *text, size_t n)
{
    for (uint32_t i = 0; i < a->l1_bytes; i += 4)
        if (memcmp(a->l1 + i, b->l1 + i, 4) != 0) {
            uint32_t x, y;
            memcpy(&x, a->l1 + i, 4);
            memcpy(&y, b->l1 + i, 4);
            (void)snprintf(text, n, "L1 word 0x%x: 0x%x and 0x%x", i, x, y);
            return;
        }
    for (unsigned r = 0; r < a->n_riscs && !text[0]; r++)
        risc_differs(a, b, r, text, n);
    for (int i = 0; i < 2 && !text[0]; i++)
        for (int k = 0; k < TT_NOC_COUNTERS && !text[0]; k++)
            if (a->niu[i].counters[k] != b->niu[i].counters[k])
                (void)snprintf(text, n, "NIU %d counter %d: %u and %u", i, k,
                               a->niu[i].counters[k], b->niu[i].counters[k]);
    for (int i = 0; i < 64 && !text[0]; i++)
        if (a->received[i] != b->received[i] || a->acked[i] != b->acked[i])
            (void)snprintf(text, n, "circular buffer %d: %u, %u and %u, %u", i,
                           a->received[i], a->acked[i], b->received[i], b->acked[i]);
    if (!text[0] && tile_hash(a, 0) != tile_hash(b, 0))
        (void)snprintf(text, n, "the engine or command buffers");
}

// The smallest thing that differs between two devices whose states do.
static void find_difference(const struct device *a, const struct device *b, char *text,
                            size_t n)
{
    text[0] = 0;
    for (int dev = 0; dev < a->t->n_chips; dev++)
        for (int i = 0; i < a->t->chips[dev].n_tiles; i++) {
            char what[300] = "";
            const struct tile *x = &a->t->chips[dev].tiles[i];
            const struct tile *y = &b->t->chips[dev].tiles[i];
            tile_differs(x, y, what, sizeof what);
            if (!what[0])
                continue;
            (void)snprintf(text, n, "device %d, %s %d,%d: %s", dev,
                           x->kind == TILE_ETH ? "Ethernet core" : "core", x->logical.x,
                           x->logical.y, what);
            return;
        }
    (void)snprintf(text, n, "DRAM or the chip's clock");
}

static int by_time(const void *a, const void *b)
{
    const ttdev_truth_event *x = a, *y = b;
#define BY(field)                                                                          \
    if (x->field != y->field)                                                              \
        return x->field < y->field ? -1 : 1;
    BY(true_fs)
    BY(dev)
    BY(y)
    BY(x)
    BY(cycle)
    BY(risc)
    BY(kind)
    BY(argument)
    BY(pc)
#undef BY
    return 0;
}

static bool same_truth(struct scene *s, struct device *a, struct device *b)
{
    const ttdev_truth_event *x = a->truth.v, *y = b->truth.v;
    size_t n = a->truth.n < b->truth.n ? a->truth.n : b->truth.n, i = 0;
    while (i < n && by_time(&x[i], &y[i]) == 0)
        i++;
    if (i == a->truth.n && i == b->truth.n)
        return true;
    const ttdev_truth_event none = {0};
    const ttdev_truth_event *p = i < a->truth.n ? &x[i] : &none;
    const ttdev_truth_event *q = i < b->truth.n ? &y[i] : &none;
    return law_break(s->law,
                     "scene %llu: truth event %zu of %zu and %zu: kind %d and %d at %d-%d "
                     "and %d-%d, RISC %d and %d, cycle %llu and %llu, 0x%llx and 0x%llx "
                     "(%s threads=%u quantum=%u park=%d)",
                     (unsigned long long)s->seed, i, a->truth.n, b->truth.n, p->kind,
                     q->kind, p->x, p->y, q->x, q->y, p->risc, q->risc,
                     (unsigned long long)p->cycle, (unsigned long long)q->cycle,
                     (unsigned long long)p->argument, (unsigned long long)q->argument,
                     s->config, b->way.threads, b->way.quantum, b->way.park);
}

static bool same_answer(struct scene *s, uint32_t number, const struct act *act,
                        const struct answer *x, const struct answer *y, struct device *b)
{
    struct device *a = &s->device[0];
    char what[400] = "";
    bool has_same_text = true;
    // Without parking a report cannot know what RISCs wait for.
    bool has_text = (b->way.park && !b->way.is_traced) || x->code == -EFAULT;
    for (int dev = 0; has_text && dev < s->n_devs; dev++)
        has_same_text &= strcmp(ttdev_fault(a->t, dev), ttdev_fault(b->t, dev)) == 0;
    if (memcmp(x, y, sizeof *x) == 0 && has_same_text)
        return true;
    for (int dev = 0; dev < s->n_devs; dev++) {
        (void)ttdev_state_hash(a->t, dev);
        (void)ttdev_state_hash(b->t, dev);
    }
    find_difference(a, b, what, sizeof what);
    return law_break(
        s->law,
        "scene %llu, act %u (%s), threads=%u quantum=%u park=%d trace=%d: "
        "%s (%s); returned %d and %d, host %llu and %llu ns, clock %llu and %llu%s",
        (unsigned long long)s->seed, number, act_names[act->kind], b->way.threads,
        b->way.quantum, b->way.park, b->way.is_traced, what, s->config, x->code, y->code,
        (unsigned long long)x->host_ns, (unsigned long long)y->host_ns,
        (unsigned long long)x->clock[0], (unsigned long long)y->clock[0],
        has_same_text ? "" : ", other text of the fault");
}

// --- a scene ---------------------------------------------------------------------------
static void choose_ways(struct scene *s)
{
    static const unsigned quanta[] = {8, 16, 32};
    s->n = 3 + ANY(s, MOST_DEVICES - 2);
    s->device[0].way = (struct way){1, 16, true, false};
    for (uint32_t i = 1; i < s->n; i++)
        s->device[i].way =
            (struct way){1 + ANY(s, 3), quanta[ANY(s, 3)], i > 1 || s->has_parking, false};
    s->device[s->n - 1].way.is_traced = !s->has_parking && ONE_IN(s, 4);
    if (ONE_IN(s, 4))
        s->device[s->n - 1].way = s->device[0].way; // two runs
}

static bool play_act(struct scene *s, uint32_t number, const struct act *act)
{
    struct answer first = {0};
    s->law->tried++;
    bool with_state = ONE_IN(s, 3) || act->kind == ACT_WAIT;
    for (uint32_t i = 0; i < s->n; i++) {
        struct device *d = &s->device[i];
        struct answer answer = {0};
        answer.code = perform(s, d, act, &answer);
        // Without parking nobody sees that RISCs wait for ever.
        if (answer.code == -EDEADLK && !s->has_parking)
            return false;
        answer.host_ns = ttdev_host_ns(d->t);
        for (int dev = 0; dev < s->n_devs; dev++) {
            answer.clock[dev] = ttdev_clock(d->t, dev);
            answer.state[dev] = with_state ? ttdev_state_hash(d->t, dev) : 0;
        }
        if (i == 0)
            first = answer;
        else if (!same_answer(s, number, act, &first, &answer, d))
            return false;
    }
    return true;
}

static void compare_truth(struct scene *s)
{
    for (uint32_t i = 0; i < s->n; i++) {
        struct device *d = &s->device[i];
        if (d->truth.n)
            qsort(d->truth.v, d->truth.n, sizeof *d->truth.v, by_time);
        if (i > 0 && !same_truth(s, &s->device[0], d))
            return;
    }
}

static void play(struct law *law, uint64_t seed)
{
    struct scene *s = mem_alloc(sizeof *s);
    struct act acts[MOST_ACTS];
    s->law = law;
    s->seed = seed;
    s->random.state = seed * 7919;
    s->has_faults = ONE_IN(s, 5);
    s->has_few_waits = !ONE_IN(s, 3);
    s->has_resets = ONE_IN(s, 8);
    s->has_truth = ONE_IN(s, 2);
    s->has_parking = ONE_IN(s, 3);
    s->has_quiet = s->has_parking && ONE_IN(s, 2);
    configure(s);
    choose_ways(s);
    bool is_open = true;
    for (uint32_t i = 0; i < s->n && is_open; i++)
        is_open = open_device(s, &s->device[i]);
    if (is_open) {
        choose_places(s);
        for (uint32_t i = 0; i < s->n_places; i++)
            write_scripts(s, i);
        for (uint32_t i = 0; i < s->n; i++) {
            for (int dev = 0; dev < s->n_devs; dev++)
                make_program(s, &s->device[i], dev);
            if (s->has_quiet)
                (void)ttdev_on_quiet(s->device[i].t, on_quiet, &s->device[i]);
        }
        uint32_t n = make_acts(s, acts);
        bool is_same = true;
        for (uint32_t i = 0; i < n && is_same; i++)
            is_same = play_act(s, i, &acts[i]);
        if (is_same && s->has_truth)
            compare_truth(s);
    }
    for (uint32_t i = 0; i < s->n; i++)
        close_device(&s->device[i]);
    mem_free(s);
}

int main(void)
{
    struct law law = {.name = "every run of a scene is the same"};
    uint64_t from = 1, count = prop_rounds(60);
    const char *range = getenv("TTPROF_SIM_SCENES");
    if (range) {
        char *rest;
        from = strtoull(range, &rest, 10);
        count = *rest == ':' ? strtoull(rest + 1, NULL, 10) : 1;
    }
    for (uint64_t seed = from; seed < from + count && !law.is_broken; seed++)
        play(&law, seed);
    return laws_report(&law, 1);
}
