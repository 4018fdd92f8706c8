// prop_profile_truth.c - which markers RISCs stored, with the clock they had read: put
// together from single stores, without anything that the profiler says about them.
#include <string.h>

#include "prop_profile.h"

static struct watched *watched_by(struct player *p, const ttdev_truth_event *e)
{
    for (uint32_t i = 0; i < p->scene->n_places; i++) {
        const struct place *at = &p->scene->place[i];
        if (at->dev == e->dev && at->noc0.x == e->x && at->noc0.y == e->y)
            return &p->watched[i][at->is_eth ? 0 : e->risc];
    }
    return NULL;
}

static bool is_eth_place(const struct player *p, const ttdev_truth_event *e)
{
    for (uint32_t i = 0; i < p->scene->n_places; i++) {
        const struct place *at = &p->scene->place[i];
        if (at->dev == e->dev && at->noc0.x == e->x && at->noc0.y == e->y)
            return at->is_eth;
    }
    return false;
}

#define ODD(w, ...)                                                                        \
    do {                                                                                   \
        if (!(w)->odd[0])                                                                  \
            (void)snprintf((w)->odd, sizeof(w)->odd, __VA_ARGS__);                         \
    } while (0)

// The clock that a stamp came from: the last one read, or one before it.
static uint64_t find_clock(struct watched *w, uint64_t stamp, bool *is_late)
{
    uint64_t mask = (UINT64_C(1) << TT_MARKER_TIME_BITS) - 1;
    for (uint32_t i = 0; i < LAST_READS && i < w->n_reads; i++) {
        uint64_t clock = w->reads[(w->n_reads - 1 - i) % LAST_READS];
        *is_late = i > 0;
        if ((clock & mask) == stamp)
            return clock;
    }
    ODD(w, "stamp %llx was never read", (unsigned long long)stamp);
    return 0;
}

static void store_low(struct watched *w, uint32_t word, uint32_t low)
{
    uint32_t type = TT_MARKER_TYPE(w->high);
    bool is_empty =
        w->high == TT_MARKER_VALID && (low == 0 || low == (uint32_t)TT_MARKER_VALID);
    if (is_empty) {
        w->n_launches += word == TT_CHUNK_GUARANTEED; // its slots are made empty
        w->n_more = 0;
        return;
    }
    struct stored s = {
        .packet = (uint8_t)type, .id = TT_MARKER_ID(w->high), .launch = w->n_launches - 1};
    if (type == TT_PACKET_ZONE_TOTAL) {
        s.clock = w->main_start;
        s.data = low;
    } else {
        s.clock = find_clock(w, TT_MARKER_TIME(w->high, low), &s.is_late);
    }
    if (word == TT_CHUNK_GUARANTEED)
        w->main_start = s.clock;
    vec_push(&w->stored, s);
}

// Words come in their order: header, low half, payload.
static void store(struct watched *w, uint32_t word, uint32_t value)
{
    static const uint8_t words[8] = {2, 2, 2, 4, 2, 6, 2, 2};
    if (w->n_more == 0) {
        if (word % 2 || !(value & TT_MARKER_VALID))
            ODD(w, "word %u, 0x%x is no header", word, value);
        w->high = value;
        w->first = word;
        w->n_more = words[TT_MARKER_TYPE(value)] - 1u;
        if (w->first + w->n_more >= TT_CHUNK_WORDS)
            ODD(w, "a marker at word %u goes beyond the vector", word);
        return;
    }
    uint32_t n = words[TT_MARKER_TYPE(w->high)] - w->n_more;
    if (word != w->first + n)
        ODD(w, "word %u follows word %u", word, w->first + n - 1);
    w->n_more--;
    if (n == 1) {
        store_low(w, w->first, value);
        return;
    }
    struct stored *s = &w->stored.v[w->stored.n - 1];
    uint64_t *to = n < 4 ? &s->data : &s->trailer;
    *to |= (uint64_t)value << (n % 2 ? 0 : 32);
}

static void take_store(struct player *p, struct watched *w, const ttdev_truth_event *e)
{
    const struct tt_layout *l = &tt_layouts[p->scene->arch];
    bool is_eth = is_eth_place(p, e);
    uint32_t address = (uint32_t)(e->argument >> 32);
    uint32_t at = address - (is_eth ? l->eth_profiler_buffers : l->profiler_buffers);
    uint32_t vector = at / TT_PROFILER_BUFFER_BYTES;
    uint32_t word = at % TT_PROFILER_BUFFER_BYTES / 4;
    if (word < TT_CHUNK_GUARANTEED)
        return; // who it is and what it runs
    if (vector != (is_eth ? 0u : e->risc))
        ODD(w, "it stores to word %u of RISC %u's vector", word, vector);
    else
        store(w, word, (uint32_t)e->argument);
}

void truth_take(void *player, const ttdev_truth_event *e)
{
    struct player *p = player;
    struct watched *w = watched_by(p, e);
    if (!w)
        return;
    switch (e->kind) {
    case TTDEV_TRUTH_CLOCK_READ: w->reads[w->n_reads++ % LAST_READS] = e->argument; break;
    case TTDEV_TRUTH_MARKER_STORE: take_store(p, w, e); break;
    case TTDEV_TRUTH_KERNEL_ENTRY:
        vec_push(&w->kernel, ((struct interval){e->cycle, 0}));
        break;
    case TTDEV_TRUTH_KERNEL_EXIT:
        if (w->kernel.n)
            w->kernel.v[w->kernel.n - 1].to = e->cycle;
        break;
    default: break;
    }
}
