// prop_sim_script.c - what takes part in a scene: the cluster, its cores, and what their
// RISCs are to do.
#include "prop_sim.h"

// --- the cluster -----------------------------------------------------------------------
static uint32_t some_harvest(struct scene *s, uint32_t lines, uint32_t left)
{
    uint32_t mask = (1u << lines) - 1;
    while (left) {
        uint32_t line = 1u << ANY(s, lines);
        left -= (mask & line) != 0;
        mask &= ~line;
    }
    return mask;
}

void scene_configure(struct scene *s)
{
    bool is_blackhole = ONE_IN(s, 3), is_pair = !is_blackhole && ONE_IN(s, 2);
    s->arch = is_blackhole ? TT_BLACKHOLE : TT_WORMHOLE;
    s->n_devs = is_pair ? 2 : 1;
    bool is_slow = ONE_IN(s, 4), is_fast = ONE_IN(s, 3);
    // Fast dispatch takes one for itself.
    uint32_t lines = is_blackhole ? 14 : 10, left = 1 + ANY(s, 2) + is_fast;
    s->scale = is_slow ? 50 : 1;
    int n = snprintf(s->config, sizeof s->config,
                     "board=%s devices=%d seed=%u variant=off host_read_ns=%u "
                     "host_write_ns=%u host_jitter_ns=%u tile_skew=%u numerics=%s ",
                     is_blackhole ? "p150"
                     : is_pair    ? "n300"
                                  : "n150",
                     s->n_devs, 1 + ANY(s, 1000), (100 + ANY(s, 200)) * s->scale,
                     (20 + ANY(s, 100)) * s->scale, ANY(s, 60) * s->scale,
                     ONE_IN(s, 2) ? ANY(s, 1000) : 0, ONE_IN(s, 3) ? "on" : "off");
    n += snprintf(s->config + n, sizeof s->config - (size_t)n, "harvest=0x%x",
                  some_harvest(s, lines, left));
    if (is_pair)
        n += snprintf(s->config + n, sizeof s->config - (size_t)n, ":0x%x ppm=%d:%d",
                      some_harvest(s, lines, left), (int)ANY(s, 20000) - 10000,
                      (int)ANY(s, 20000) - 10000);
    if (ONE_IN(s, 8))
        n += snprintf(s->config + n, sizeof s->config - (size_t)n, " icache=on l0=on");
    n += snprintf(s->config + n, sizeof s->config - (size_t)n, " dispatch=%s",
                  is_fast ? "fast" : "slow");
    if (is_slow)
        (void)snprintf(s->config + n, sizeof s->config - (size_t)n, " hz=%u drift_ppm_s=%d",
                       20000000 + ANY(s, 1000000), (int)ANY(s, 2000) - 1000);
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

void scene_choose_places(struct scene *s)
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
uint32_t scene_shared_word(struct scene *s, const struct place *p)
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

uint32_t scene_register(struct scene *s, bool can_change)
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
    uint32_t word = scene_shared_word(s, p), value = ANY(s, 4);
    switch (ANY(s, 24)) {
    case 0: return STEP(STEP_DELAY, 1 + ANY(s, 60));
    case 1: return STEP(STEP_DELAY, ANY(s, ONE_IN(s, 4) ? 6000 : 400));
    case 2: return STEP(STEP_CLOCK);
    case 3: return STEP(STEP_CLOCK_WAIT, ANY(s, 300));
    case 4: return STEP(STEP_LOAD, word);
    case 5: return STEP(STEP_LOAD_REG, scene_register(s, false));
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
    case 19: return STEP(STEP_WAIT_TWO, word, value, scene_shared_word(s, p), ANY(s, 4));
    case 20: return STEP(STEP_WAIT_CALLS, word, value);
    case 21: return STEP(STEP_WAIT_REG, scene_register(s, false), ANY(s, 3));
    case 22: return STEP(STEP_COUNT_WAIT, word, value, 1 + ANY(s, 100));
    default: return STEP(STEP_STREAM, scene_register(s, true), 1 + ANY(s, 2));
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
    case 10: return STEP(STEP_ATOMIC, scene_shared_word(s, to), to->high, 1 + ANY(s, 2));
    case 11: return STEP(STEP_ATOMIC_POSTED, scene_shared_word(s, to), to->high, 1);
    case 12:
    case 13: return STEP(STEP_INLINE, scene_shared_word(s, to), to->high, ANY(s, 4));
    case 14:
        if (to->is_eth)
            break;
        return STEP(STEP_INLINE, scene_register(s, true), to->high, ANY(s, 4));
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
                                             ? scene_shared_word(s, p)
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
uint32_t scene_reset(struct scene *s)
{
    uint32_t bits = TT_RESET_TRISCS | TT_RESET_NCRISC | (ONE_IN(s, 8) ? TT_RESET_BRISC : 0);
    return (uint32_t)random_bits(&s->random) & bits;
}

void scene_write_script(struct scene *s, uint32_t place)
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
                steps[i] = STEP(STEP_STORE_REG, TT_SOFT_RESET, scene_reset(s));
            if (s->has_faults && ONE_IN(s, 60))
                steps[i] = mistake(s, p);
        }
        steps[n[r]] = STEP(STEP_END);
    }
    if (!p->is_eth && ONE_IN(s, 2))
        put_tiles(s, s->steps[place], n);
}
