// prop_profile_script.c - what takes part in a scene: the cluster, options, cores, scripts
// of their RISCs, and what the host does; and what a script is expected to leave.
#include <string.h>

#include "base/data/mem.h"

#include "prop_profile.h"
#include "ttprof/noc_event_kinds.h"

enum {
    MOST_STEPS = 200, // of six words at most, with the end of a scope
    MOST_EXECUTED = 5000,
    MOST_EXPECTED = 1600,
    MOST_DEPTH = 7,
};
_Static_assert(6 * MOST_STEPS < SCRIPT_WORDS, "a script fits");

// --- the cluster -----------------------------------------------------------------------
static uint32_t some_harvest(struct scene *s, uint32_t lines, uint32_t left)
{
    uint32_t mask = (1u << lines) - 1;
    while (left--)
        mask &= ~(1u << ANY(s, lines));
    return mask;
}

// Wraps of the low half and of a stamp come at any moment of a scene.
static uint64_t some_boot(struct scene *s)
{
    uint64_t soon = ANY(s, 60000);
    switch (ANY(s, 6)) {
    case 0: return (UINT64_C(1) << 32) - soon;
    case 1: return (UINT64_C(1) << TT_MARKER_TIME_BITS) - soon;
    case 2: return (UINT64_C(5) << TT_MARKER_TIME_BITS) - soon;
    case 3: return (UINT64_C(3) << TT_MARKER_TIME_BITS) + soon;
    default: return UINT64_C(100000) * ANY(s, 1000000);
    }
}

static void choose_cluster(struct scene *s)
{
    bool is_blackhole = ONE_IN(s, 3), is_pair = !is_blackhole && ONE_IN(s, 3);
    s->arch = is_blackhole ? TT_BLACKHOLE : TT_WORMHOLE;
    s->n_devs = is_pair ? 2 : 1;
    uint32_t lines = is_blackhole ? 14 : 10, left = 1 + ANY(s, 2);
    int n = snprintf(s->config, sizeof s->config,
                     "board=%s devices=%d seed=%u tile_skew=%u boot_cycles=%llu",
                     is_blackhole ? "p150"
                     : is_pair    ? "n300"
                                  : "n150",
                     s->n_devs, 1 + ANY(s, 1000), ONE_IN(s, 4) ? ANY(s, 300) : 0,
                     (unsigned long long)some_boot(s));
    if (is_pair)
        n += snprintf(s->config + n, sizeof s->config - (size_t)n, ":%llu",
                      (unsigned long long)some_boot(s));
    n += snprintf(s->config + n, sizeof s->config - (size_t)n, " harvest=0x%x",
                  some_harvest(s, lines, left));
    if (is_pair)
        (void)snprintf(s->config + n, sizeof s->config - (size_t)n, ":0x%x",
                       some_harvest(s, lines, left + ONE_IN(s, 2)));
}

static void choose_options(struct scene *s)
{
    struct profiler_options *o = &s->options;
    struct buf warnings = {0};
    struct err e = {0};
    profiler_options_default(o);
    o->is_enabled = true;
    o->level = ONE_IN(s, 8) ? TT_LEVEL_COARSE : TT_LEVEL_ALL;
    o->riscs = ONE_IN(s, 5) ? 1 + ANY(s, 31) : 0;
    o->sum = ONE_IN(s, 2);
    o->flush_zones = ONE_IN(s, 4);
    o->noc_events = ONE_IN(s, 3);
    o->noc_debug = ONE_IN(s, 10);
    o->overflow = ONE_IN(s, 3) ? OVERFLOW_STALL : OVERFLOW_DROP;
    o->watermark = ONE_IN(s, 3);
    if (ONE_IN(s, 8))
        o->counters = ONE_IN(s, 3) ? 47 : 1 + ANY(s, 7);
    o->accumulate = ONE_IN(s, 8);
    o->program_count = ONE_IN(s, 6) ? 0 : 1 + ANY(s, ONE_IN(s, 2) ? 60 : 200);
    if (!profiler_options_settle(o, &warnings, &e))
        law_break(s->law, "scene %llu: %s", (unsigned long long)s->seed, e.text);
    buf_free(&warnings);
    (void)snprintf(s->how, sizeof s->how,
                   "level %d, RISCs 0x%x, %lld programs, counters %u%s%s%s%s%s%s%s",
                   o->level, o->riscs, (long long)o->program_count, o->counters,
                   o->sum ? ", sum" : "", o->flush_zones ? ", flush zones" : "",
                   o->noc_events ? ", events" : "", o->noc_debug ? ", debug" : "",
                   o->overflow == OVERFLOW_STALL ? ", stall" : "",
                   o->watermark ? ", watermark" : "", o->accumulate ? ", accumulate" : "");
}

// --- scripts ---------------------------------------------------------------------------
struct writing {
    struct scene *s;
    struct script *to;
    uint32_t depth, left; // steps
    bool is_dm, is_nested;
};

static void put(struct writing *w, uint32_t word)
{
    w->to->words[w->to->n++] = word;
}

static void put_step(struct writing *w, uint32_t step, uint32_t number)
{
    put(w, step | number << 8);
}

static void put_steps(struct writing *w, uint32_t n);

static void put_scope(struct writing *w, uint32_t step, uint32_t number, uint32_t n)
{
    bool was_nested = w->is_nested;
    put_step(w, step, number);
    w->is_nested |= step == RANDOM_NEST;
    w->depth++;
    put_steps(w, n);
    w->depth--;
    w->is_nested = was_nested;
    put(w, RANDOM_END);
}

static void put_data(struct writing *w, uint32_t step, uint32_t words)
{
    static const uint32_t some[] = {0, 1, 0x80000000, 0xFFFFFFFF};
    put_step(w, step, 0);
    for (uint32_t i = 0; i < words; i++)
        put(w, ONE_IN(w->s, 2) ? some[ANY(w->s, 4)] : (uint32_t)random_bits(&w->s->random));
}

static void put_noc_step(struct writing *w)
{
    struct scene *s = w->s;
    // Nobody pushes where programs share a chunk.
    switch (s->options.accumulate ? 2 + ANY(s, 4) : ANY(s, 6)) {
    case 0: put_step(w, RANDOM_PUSH, 0); break;
    case 1: put_step(w, RANDOM_FLUSH_IF, ANY(s, 120)); break;
    case 2: put_step(w, RANDOM_BARRIER, 0); break;
    case 3: put_step(w, RANDOM_WRITE, 32 * (1 + ANY(s, RANDOM_NOC_BYTES / 32))); break;
    default: put_step(w, RANDOM_READ, 32 * (1 + ANY(s, 40)));
    }
}

static void put_one(struct writing *w)
{
    struct scene *s = w->s;
    bool is_deep = w->depth >= MOST_DEPTH;
    switch (ANY(s, 14)) {
    case 0:
    case 1:
    case 2:
        if (!is_deep)
            put_scope(w, RANDOM_ZONE, ANY(s, RANDOM_NAMES), ANY(s, 5));
        break;
    case 3:
        if (!is_deep && !w->is_nested)
            put_scope(w, RANDOM_NEST, ONE_IN(s, 3) ? ANY(s, RANDOM_NEST_MOST) : ANY(s, 6),
                      ANY(s, 5));
        break;
    case 4:
        if (!is_deep)
            put_scope(w, RANDOM_LOOP, 1 + ANY(s, ONE_IN(s, 4) ? 300 : 9), ANY(s, 5));
        break;
    case 5: put_data(w, RANDOM_DATA, 2); break;
    case 6: put_data(w, RANDOM_DATA16, 4); break;
    case 7: put_step(w, RANDOM_SUM1, ANY(s, 200)); break;
    case 8: put_step(w, RANDOM_SUM2, ANY(s, 200)); break;
    case 9: put_step(w, RANDOM_DELAY, ANY(s, ONE_IN(s, 5) ? 3000 : 50)); break;
    case 10:
    case 11:
        if (w->is_dm) {
            put_noc_step(w);
            break;
        } // fallthrough
    default: put_step(w, RANDOM_EVENT, ANY(s, 65536));
    }
}

static void put_steps(struct writing *w, uint32_t n)
{
    for (; n && w->left; n--) {
        w->left--;
        put_one(w);
    }
}

// --- what it leaves --------------------------------------------------------------------
struct reading {
    const struct scene *s;
    const struct place *place;
    struct script *of;
    uint32_t risc, delay, n_steps;
    bool is_full; // too long to be played
};

static void expect(struct reading *r, struct expected e)
{
    static const uint8_t words[TT_PACKETS] = {2, 2, 2, 4, 2, 6};
    if (r->of->list.n >= MOST_EXPECTED) {
        r->is_full = true;
        return;
    }
    e.at_least = r->delay;
    r->delay = 0;
    r->of->marker_words += words[e.packet];
    vec_push(&r->of->list, e);
}

static void expect_zone(struct reading *r, uint8_t packet, const char *name)
{
    expect(r, (struct expected){.packet = packet, .name = name});
}

static void expect_noc_event(struct reading *r, uint32_t kind, uint32_t bytes)
{
    const struct profiler_options *o = &r->s->options;
    bool is_moment = kind == TT_NOC_EVENT_FULL_BARRIER;
    bool is_recorded = o->noc_debug || (o->noc_events && !is_moment);
    if (!is_recorded || r->place->is_eth || r->risc > TT_NCRISC)
        return;
    int x = is_moment ? -1 : r->place->shown.x, y = is_moment ? -1 : r->place->shown.y;
    int vc = kind == TT_NOC_EVENT_WRITE_ ? 1 : -1;
    uint32_t low = tt_noc_event_low((int)kind, x, y, 0);
    uint32_t high = tt_noc_event_high(0, (int)r->risc, vc, bytes, false);
    expect(r, (struct expected){.packet = o->noc_debug ? TT_PACKET_TS_DATA_16B
                                                       : TT_PACKET_TS_DATA,
                                .id = TT_ID_NOC_EVENT,
                                .data = (uint64_t)high << 32 | low});
}

static const uint32_t *read_steps(struct reading *r, const uint32_t *w);

static const uint32_t *read_loop(struct reading *r, const uint32_t *w, uint32_t times)
{
    const uint32_t *end = w;
    for (uint32_t i = 0; i < times && (i == 0 || !r->is_full); i++)
        end = read_steps(r, w);
    return end;
}

static const uint32_t *read_steps(struct reading *r, const uint32_t *w)
{
    static const char *const names[RANDOM_NAMES] = {RANDOM_RED, RANDOM_GREEN, RANDOM_BLUE,
                                                    RANDOM_MAIN};
    for (;;) {
        uint32_t step = *w & 0xFF, number = *w >> 8;
        w++;
        r->is_full |= ++r->n_steps > MOST_EXECUTED;
        switch (step) {
        case RANDOM_END: return w;
        case RANDOM_ZONE:
            expect_zone(r, TT_PACKET_ZONE_START, names[number]);
            w = read_steps(r, w);
            expect_zone(r, TT_PACKET_ZONE_END, names[number]);
            break;
        case RANDOM_NEST:
            for (uint32_t i = 0; i < number; i++)
                expect_zone(r, TT_PACKET_ZONE_START, "nested");
            w = read_steps(r, w);
            for (uint32_t i = 0; i < number; i++)
                expect_zone(r, TT_PACKET_ZONE_END, "nested");
            break;
        case RANDOM_LOOP: w = read_loop(r, w, number); break;
        case RANDOM_EVENT:
            expect(r, (struct expected){.packet = TT_PACKET_TS_EVENT, .id = number});
            break;
        case RANDOM_DATA:
            expect(r, (struct expected){.packet = TT_PACKET_TS_DATA,
                                        .name = "data",
                                        .data = (uint64_t)w[0] << 32 | w[1]});
            w += 2;
            break;
        case RANDOM_DATA16:
            expect(r, (struct expected){.packet = TT_PACKET_TS_DATA_16B,
                                        .name = "wide data",
                                        .data = (uint64_t)w[0] << 32 | w[1],
                                        .trailer = (uint64_t)w[2] << 32 | w[3]});
            w += 4;
            break;
        case RANDOM_SUM1:
        case RANDOM_SUM2:
            r->of->sum[step - RANDOM_SUM1] += number + 1; // a scope is never 0 cycles long
            r->delay += number;
            break;
        case RANDOM_DELAY: r->delay += number; break;
        case RANDOM_PUSH:
        case RANDOM_FLUSH_IF: r->of->has_push = true; break;
        case RANDOM_READ: expect_noc_event(r, TT_NOC_EVENT_READ, number); break;
        case RANDOM_WRITE: expect_noc_event(r, TT_NOC_EVENT_WRITE_, number); break;
        case RANDOM_BARRIER: expect_noc_event(r, TT_NOC_EVENT_FULL_BARRIER, 0); break;
        }
    }
}

static struct script *make_script(struct scene *s, const struct place *p, uint32_t risc)
{
    struct script *c = mem_alloc(sizeof *c);
    bool is_dm = p->is_eth || risc <= TT_NCRISC;
    for (uint32_t most = ONE_IN(s, 4) ? MOST_STEPS : 30;; most = most / 2 + 1) {
        struct writing w = {.s = s, .to = c, .left = ANY(s, most + 1), .is_dm = is_dm};
        struct reading r = {.s = s, .place = p, .of = c, .risc = risc};
        expected_list list = c->list;
        *c = (struct script){.list = list};
        c->list.n = 0;
        put_steps(&w, w.left);
        c->words[c->n++] = RANDOM_END;
        (void)read_steps(&r, c->words);
        if (!r.is_full)
            return c;
    }
}

// --- places and programs ---------------------------------------------------------------
static void add_place(struct scene *s, ttdev *t, int dev, ttdev_xy at, bool is_eth)
{
    const struct tt_layout *l = &tt_layouts[s->arch];
    struct place *p = &s->place[s->n_places++];
    *p = (struct place){.dev = dev, .at = at, .is_eth = is_eth};
    p->base = is_eth ? l->eth_buffers : l->buffers;
    if (is_eth)
        (void)ttdev_eth_tile(t, dev, at.x, &p->noc0);
    else
        (void)ttdev_xlat(t, dev, at, TTDEV_LOGICAL, TTDEV_NOC0, &p->noc0);
    (void)ttdev_xlat(t, dev, p->noc0, TTDEV_NOC0, TTDEV_VIRTUAL, &p->shown);
    p->core = (ttdev_core){TTDEV_NOC0, p->noc0};
}

static void choose_places(struct scene *s, ttdev *t)
{
    for (int dev = 0; dev < s->n_devs; dev++) {
        ttdev_info info;
        (void)ttdev_get_info(t, dev, &info);
        uint32_t n = 1 + ANY(s, 2), from = ANY(s, (uint32_t)info.n_workers);
        for (uint32_t i = 0; i < n && i < (uint32_t)info.n_workers; i++) {
            uint32_t k = (from + i) % (uint32_t)info.n_workers;
            add_place(s, t, dev, (ttdev_xy){(int)k % info.grid.x, (int)k / info.grid.x},
                      false);
        }
    }
    for (int channel = 0; s->n_devs > 1 && channel < 16; channel++) {
        int dev, other;
        if (ttdev_eth_peer(t, 0, channel, &dev, &other) || dev == 0)
            continue;
        add_place(s, t, 0, (ttdev_xy){channel, 0}, true);
        add_place(s, t, dev, (ttdev_xy){other, 0}, true);
        break;
    }
}

static void choose_programs(struct scene *s)
{
    s->n_programs = 1 + ANY(s, MOST_PROGRAMS);
    for (uint32_t i = 0; i < s->n_programs; i++)
        for (uint32_t k = 0; k < s->n_places; k++) {
            const struct place *p = &s->place[k];
            uint32_t all = (1u << riscs_of(p)) - 1;
            s->riscs[i][k] = ONE_IN(s, 3) ? all : ANY(s, all + 1);
            for (uint32_t r = 0; r < riscs_of(p); r++)
                if (s->riscs[i][k] >> r & 1)
                    s->script[i][k][r] = make_script(s, p, r);
        }
}

// --- the host --------------------------------------------------------------------------
static void choose_acts(struct scene *s)
{
    uint32_t n = 2 + ANY(s, MOST_ACTS - 4), n_traces[2] = {0};
    for (uint32_t i = 0; i < n; i++) {
        struct act a = {.kind = ACT_LAUNCH,
                        .dev = (int)ANY(s, (uint32_t)s->n_devs),
                        .program = ANY(s, s->n_programs),
                        .n = ANY(s, 4),
                        .ns = ANY(s, ONE_IN(s, 3) ? 100000 : 3000)};
        uint32_t *traces = &n_traces[a.dev];
        switch (ANY(s, 12)) {
        case 0: a.kind = ACT_READ; break;
        case 1: a.kind = ACT_SLEEP; break;
        case 2: a.kind = ACT_WAIT; break;
        case 3:
            a.kind = *traces < MOST_TRACES ? ACT_RECORD : ACT_WAIT;
            *traces += a.kind == ACT_RECORD;
            break;
        case 4:
        case 5:
            a.kind = *traces ? ACT_REPLAY : ACT_LAUNCH;
            if (*traces)
                a.program = ANY(s, *traces);
            break;
        }
        s->act[s->n_acts++] = a;
    }
}

void scene_choose(struct scene *s)
{
    choose_cluster(s);
    choose_options(s);
    s->has_dump = ONE_IN(s, 5);
}

void scene_populate(struct scene *s, ttdev *t)
{
    choose_places(s, t);
    choose_programs(s);
    choose_acts(s);
}

void scene_free(struct scene *s)
{
    for (uint32_t i = 0; i < MOST_PROGRAMS; i++)
        for (uint32_t k = 0; k < MOST_PLACES; k++)
            for (uint32_t r = 0; r < TT_RISCS; r++)
                if (s->script[i][k][r]) {
                    vec_free(&s->script[i][k][r]->list);
                    mem_free(s->script[i][k][r]);
                }
}
