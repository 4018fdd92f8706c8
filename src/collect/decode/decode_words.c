// decode_words.c - decodes the words of one RISC into rows.
//
// A block is a series of chunks. A chunk is an identity (0, 0, who, which program), four
// guaranteed markers in fixed slots, and optional markers in time order. The guaranteed
// ones are merged in by time. Invalid words cost the rest of their chunk: decoding resumes
// at the next identity of this RISC.
#include "collect/decode/decode_parts.h"

#define EMPTY TT_MARKER_VALID

enum {
    KIND_ZONE_START = 8 | TT_PACKET_ZONE_START, // upper four bits of a marker
    KIND_ZONE_END = 8 | TT_PACKET_ZONE_END,
    KIND_ZONE_TOTAL = 8 | TT_PACKET_ZONE_TOTAL,
    KIND_TS_DATA = 8 | TT_PACKET_TS_DATA,
    KIND_TS_EVENT = 8 | TT_PACKET_TS_EVENT,
    KIND_TS_DATA_16B = 8 | TT_PACKET_TS_DATA_16B,
};

// Layout of the identity word.
struct identity {
    unsigned flat_shift, trace_shift;
};
static const struct identity identities[] = {
    [WORDS_V1] = {3, 11},
    [WORDS_V2] = {TT_IDENTITY_FLAT_SHIFT, TT_IDENTITY_TRACE_SHIFT},
};

struct slot { // a guaranteed marker
    uint64_t time;
    uint64_t due; // time of the first optional marker after it
    uint32_t site;
};

struct walk {
    struct decode_lane *l;
    const uint32_t *w;
    size_t n;
    struct identity layout;
    uint32_t who;   // identity of this RISC, without the counter
    uint64_t clock; // times are close to this
    uint32_t run;
    struct slot slots[4];
    unsigned n_slots, slot_at;
    uint64_t due; // of slots[slot_at]; UINT64_MAX: none left
    uint64_t op_time;
    bool has_op_time;
    size_t end; // expected end of the chunk's optional words
    const uint32_t *tail;
    size_t tail_words;             // of the previous chunk
    VEC(struct raw_datum) pending; // .row is the id
    VEC(uint64_t) pending_time;
};

static inline bool is_empty(uint32_t high, uint32_t low)
{
    return high == EMPTY && (low == 0 || low == EMPTY);
}

// Extends the 44 bits of a time stamp to the value nearest to the block's clock.
static inline uint64_t extend_stamp(const struct walk *k, uint32_t high, uint32_t low)
{
    enum { UNUSED = 64 - TT_MARKER_TIME_BITS };
    uint64_t away = (TT_MARKER_TIME(high, low) - k->clock) << UNUSED;
    int64_t time = (int64_t)(k->clock + (uint64_t)((int64_t)away >> UNUSED));
    return (uint64_t)time + (time < 0 ? UINT64_C(1) << TT_MARKER_TIME_BITS : 0);
}

static uint32_t ambiguous_site(struct decode_lane *l, uint32_t key, unsigned packet,
                               enum zone_place place)
{
    const struct zone_names *names = &l->d->c->names;
    struct zone_hint hint = {.packet = packet,
                             .place = place,
                             .risc = l->risc,
                             .is_anywhere = l->d->c->options.accumulate};
    const struct zone_name *which;
    str name = names_pick(names, key & 0xFFFF, &hint, &l->arena, &which);
    return lane_extra(l, &(struct extra_site){.type = key >> 16,
                                              .id = key & 0xFFFF,
                                              .name = name,
                                              .file = which->file,
                                              .line = which->line});
}

static inline uint32_t find_site(struct walk *k, uint32_t type, uint32_t high,
                                 enum zone_place place)
{
    struct decode_lane *l = k->l;
    uint32_t id = TT_MARKER_ID(high), key = type << 16 | id;
    if (l->d->has_ambiguous && l->d->facts[id] & ID_AMBIGUOUS && site_has_name(type, id))
        return ambiguous_site(l, key, TT_MARKER_TYPE(high), place);
    return key;
}

// --- identities ------------------------------------------------------------------------

static bool is_mine(const struct walk *k, uint32_t word)
{
    uint32_t counter = UINT32_C(0xFFFF) << k->layout.trace_shift;
    return (word & ~counter) == k->who;
}

static uint32_t counter_of(const struct walk *k, uint32_t word)
{
    return word >> k->layout.trace_shift & 0xFFFF;
}

// Returns the next identity of this RISC.
static size_t find_mine(const struct walk *k, size_t i)
{
    for (; i + 3 < k->n; i += 2)
        if (k->w[i] == 0 && k->w[i + 1] == 0 && is_mine(k, k->w[i + 2]))
            return i;
    return k->n;
}

static size_t resync(struct walk *k, size_t i)
{
    k->l->track->health.resyncs++;
    return find_mine(k, i);
}

// A chunk marked invalid by its first word: a replay that never ran here.
static bool is_void_chunk(const struct walk *k, size_t i)
{
    return k->l->d->c->options.trace_only && i + 3 < k->n && k->w[i] == EMPTY &&
           k->w[i + 1] == 0 && is_mine(k, k->w[i + 2]);
}

// Skips an identity of another RISC: words that never arrived, or were written by another.
static size_t skip_foreign(struct walk *k, size_t i)
{
    const uint32_t *w = k->w + i;
    bool has_more = i + 5 < k->n;
    if (w[2] == 0 && w[3] == 0 && (!has_more || (w[4] == 0 && w[5] == 0)))
        k->l->track->health.truncated++;
    else
        k->l->track->health.foreign++;
    return resync(k, i + 2);
}

// --- chunks ----------------------------------------------------------------------------

static void put_slots(struct walk *k, uint64_t time)
{
    while (k->due <= time) {
        const struct slot *s = &k->slots[k->slot_at++];
        (void)rows_put(k->l, s->time, s->site, k->run);
        bool is_last = k->slot_at == k->n_slots;
        k->due = is_last ? UINT64_MAX : k->slots[k->slot_at].due;
        if (is_last)
            break;
    }
}

static inline size_t put_marker(struct walk *k, uint64_t time, uint32_t site)
{
    if (time >= k->due)
        put_slots(k, time);
    return rows_put(k->l, time, site, k->run);
}

static void put_total(struct walk *k, uint32_t high, uint32_t low)
{
    // A sum has no time of its own; it gets that of the run's first zone.
    uint64_t time = k->has_op_time ? k->op_time : k->l->rows.last;
    uint32_t site = find_site(k, MARKER_ZONE_TOTAL, high, PLACE_CUSTOM);
    rows_put_datum(k->l, put_marker(k, time, site), (struct raw_datum){.data = low});
}

static uint64_t pair_of(const uint32_t *w)
{
    return (uint64_t)w[0] << 32 | w[1];
}

// Returns the number of words of a marker that is not a zone, 0 if it is not a marker.
static size_t put_other(struct walk *k, size_t i)
{
    const uint32_t *w = k->w + i;
    size_t left = k->n - i;
    switch (w[0] >> 28) {
    case KIND_ZONE_TOTAL: put_total(k, w[0], w[1]); return 2;
    case KIND_TS_EVENT:
        (void)put_marker(k, extend_stamp(k, w[0], w[1]),
                         MARKER_TS_EVENT << 16 | TT_MARKER_ID(w[0]));
        return 2;
    case KIND_TS_DATA:
    case KIND_TS_DATA_16B: {
        bool is_wide = w[0] >> 28 == KIND_TS_DATA_16B;
        size_t words = is_wide ? 6 : 4;
        if (left < words) {
            k->l->track->health.truncated++;
            return left;
        }
        size_t row = put_marker(k, extend_stamp(k, w[0], w[1]),
                                find_site(k, MARKER_TS_DATA, w[0], PLACE_CUSTOM));
        rows_put_datum(k->l, row,
                       (struct raw_datum){.data = pair_of(w + 2),
                                          .high = is_wide ? pair_of(w + 4) : 0,
                                          .is_wide = is_wide});
        return words;
    }
    default: return 0;
    }
}

// Reads optional markers from i up to the next identity.
static size_t read_markers(struct walk *k, size_t i)
{
    const uint32_t *w = k->w;
    while (i + 1 < k->n) {
        uint32_t high = w[i], low = w[i + 1], kind = high >> 28;
        if (kind == KIND_ZONE_START || kind == KIND_ZONE_END) {
            i += 2;
            if (is_empty(high, low))
                continue;
            uint64_t time = extend_stamp(k, high, low);
            if (!k->has_op_time) {
                k->has_op_time = true;
                k->op_time = time;
            }
            (void)put_marker(k, time, find_site(k, kind & 7, high, PLACE_CUSTOM));
            continue;
        }
        size_t words = put_other(k, i);
        i += words;
        if (words)
            continue;
        if (high == 0 && low == 0)
            break;
        if (i >= 2 && is_void_chunk(k, i - 2))
            return find_mine(k, i + 2);
        k->l->track->health.bad_types++;
        return resync(k, i + 2);
    }
    if (i + 1 == k->n) { // half a marker
        k->l->track->health.truncated++;
        i = k->n;
    }
    k->end = i;
    return i;
}

static bool has_slots(const struct walk *k, size_t i)
{
    if (i + TT_CHUNK_CUSTOM > k->n)
        return false;
    for (size_t s = TT_CHUNK_GUARANTEED; s < TT_CHUNK_CUSTOM; s += 2) {
        uint32_t kind = k->w[i + s] >> 28;
        if (kind != KIND_ZONE_START && kind != KIND_ZONE_END)
            return false;
    }
    return true;
}

// Takes the guaranteed markers of a chunk. A run sent in several chunks repeats its first
// ones in each: they are taken once.
static void take_slots(struct walk *k, size_t i, uint32_t base, uint32_t counter)
{
    static const size_t order[] = {0, 2, 3, 1}; // main start, child, main end
    struct track_state *s = k->l->track->state;
    const uint32_t *w = k->w + i + TT_CHUNK_GUARANTEED;
    // Where programs share chunks, the slots hold a push, whatever the chunk's replay.
    bool is_same_run = k->l->d->c->options.accumulate ||
                       (s->slots_base == base && s->slots_counter == counter);
    for (size_t o = 0; o < 4; o++) { // in the order of the words
        if (k->has_op_time || is_empty(w[2 * o], w[2 * o + 1]))
            continue;
        k->has_op_time = true;
        k->op_time = extend_stamp(k, w[2 * o], w[2 * o + 1]);
    }
    for (size_t o = 0; o < 4; o++) {
        const uint32_t *m = w + 2 * order[o], *was = s->slots + 2 * order[o];
        if (is_empty(m[0], m[1]) || (is_same_run && was[0] == m[0] && was[1] == m[1]))
            continue;
        uint32_t type = TT_MARKER_TYPE(m[0]);
        uint64_t time = extend_stamp(k, m[0], m[1]);
        struct slot slot = {
            time, time + (type == TT_PACKET_ZONE_END),
            find_site(k, type, m[0], order[o] < 2 ? PLACE_MAIN : PLACE_CHILD)};
        unsigned at = k->n_slots++;
        for (; at > 0 && k->slots[at - 1].time > time; at--)
            k->slots[at] = k->slots[at - 1];
        k->slots[at] = slot;
    }
    memcpy(s->slots, w, sizeof s->slots);
    s->slots_base = base;
    s->slots_counter = counter;
    k->due = k->n_slots ? k->slots[0].due : UINT64_MAX;
}

// --- chunks that were sent again -------------------------------------------------------

static uint64_t words_hash(const uint32_t *w, size_t n)
{
    uint64_t h = n;
    for (size_t i = 0; i < n; i++)
        h = (h ^ w[i]) * UINT64_C(0x100000001B3);
    return h ^ h >> 32;
}

static uint64_t count_markers(const uint32_t *w, size_t n)
{
    uint64_t count = 0;
    for (size_t i = 0; i + 1 < n; i += 2) {
        if (is_empty(w[i], w[i + 1]))
            continue;
        count++;
        uint32_t kind = w[i] >> 28;
        i += kind == KIND_TS_DATA ? 2 : kind == KIND_TS_DATA_16B ? 4 : 0;
    }
    return count;
}

// An idle RISC is pushed repeatedly, with the optional words of its last program and no
// guaranteed ones. Returns the number of such words, 0 if there are none.
static size_t stale_words(const struct walk *k, size_t i)
{
    const struct track_state *s = k->l->track->state;
    if (k->n_slots || k->has_op_time)
        return 0;
    const uint32_t *w = k->w + i;
    size_t n = k->tail ? k->tail_words : s->tail_words, left = k->n - i;
    if (n == 0 || n > left || (n + 1 < left && (w[n] || w[n + 1])))
        return 0;
    bool is_same =
        k->tail ? memcmp(w, k->tail, n * sizeof *w) == 0 : words_hash(w, n) == s->tail_hash;
    return is_same ? n : 0;
}

// --- blocks ----------------------------------------------------------------------------

static void put_pending(struct walk *k)
{
    for (size_t i = 0; i < k->pending.n; i++) {
        struct raw_datum d = k->pending.v[i];
        uint32_t high = TT_MARKER_HEADER(TT_PACKET_TS_DATA, d.row);
        uint32_t site = find_site(k, MARKER_TS_DATA, high, PLACE_CUSTOM);
        rows_put_datum(k->l, rows_put(k->l, k->pending_time.v[i], site, k->run), d);
    }
    k->pending.n = k->pending_time.n = 0;
}

// Reads this RISC's chunk, whose identity is at i. Returns the start of the next one.
static size_t read_chunk(struct walk *k, size_t i)
{
    uint32_t counter = counter_of(k, k->w[i + TT_CHUNK_ID_LH]);
    uint32_t base = k->w[i + TT_CHUNK_ID_LL];
    k->run = lane_run(k->l, base, counter);
    k->has_op_time = false;
    k->n_slots = k->slot_at = 0;
    k->due = UINT64_MAX;
    put_pending(k);
    size_t from = i + TT_CHUNK_GUARANTEED;
    if (has_slots(k, i)) {
        take_slots(k, i, base, counter);
        from = i + TT_CHUNK_CUSTOM;
    }
    size_t stale = stale_words(k, from);
    if (stale) {
        k->l->track->health.duplicates += count_markers(k->w + from, stale);
        return from + stale;
    }
    k->end = from;
    size_t next = read_markers(k, from);
    if (k->slot_at < k->n_slots)
        put_slots(k, UINT64_MAX - 1);
    k->tail = k->w + from;
    k->tail_words = k->end - from;
    return next;
}

// Reads what precedes the first identity: counters pushed before their run.
static size_t read_before(struct walk *k, size_t i)
{
    bool is_odd = false;
    while (i + 1 < k->n && (k->w[i] || k->w[i + 1])) {
        uint32_t kind = k->w[i] >> 28;
        size_t words = kind == KIND_TS_DATA ? 4 : kind == KIND_TS_DATA_16B ? 6 : 2;
        if (is_void_chunk(k, i)) {
            i = find_mine(k, i + 2);
            continue;
        }
        if (words > 2 && i + words <= k->n) {
            const uint32_t *w = k->w + i;
            bool is_wide = words == 6;
            vec_push(&k->pending, (struct raw_datum){.data = pair_of(w + 2),
                                                     .high = is_wide ? pair_of(w + 4) : 0,
                                                     .row = TT_MARKER_ID(w[0]),
                                                     .is_wide = is_wide});
            vec_push(&k->pending_time, extend_stamp(k, w[0], w[1]));
        } else {
            is_odd |= !is_empty(k->w[i], k->w[i + 1]);
            words = 2;
        }
        i += words;
    }
    if (is_odd) {
        k->l->track->health.bad_types++;
        k->l->track->health.resyncs++;
    }
    return i + 1 < k->n ? i : k->n;
}

static void read_chunks(struct walk *k)
{
    bool has_start = false;
    size_t i = 0;
    while (i + 1 < k->n) {
        bool is_start = k->w[i] == 0 && k->w[i + 1] == 0;
        if (!is_start && !has_start) {
            i = read_before(k, i);
        } else if (!is_start) {
            i = resync(k, i);
        } else if (i + 3 >= k->n) {
            k->l->track->health.truncated++;
            break;
        } else if (!is_mine(k, k->w[i + TT_CHUNK_ID_LH])) {
            i = skip_foreign(k, i);
        } else {
            has_start = true;
            i = read_chunk(k, i);
        }
    }
    k->l->track->health.truncated += k->pending.n;
}

// --- cores that never finished ---------------------------------------------------------

// How many words of the L1 vector belong to the unfinished run: the vector also holds words
// of earlier runs, which are older than this run's main start.
static size_t partial_words(const struct walk *k)
{
    const uint32_t *w = k->w;
    uint64_t start = extend_stamp(k, w[TT_CHUNK_GUARANTEED], w[TT_CHUNK_GUARANTEED + 1]);
    uint64_t last = start;
    size_t i = TT_CHUNK_CUSTOM;
    // The zone of the flush before this run is older and comes first.
    bool may_be_old = k->l->d->c->options.flush_zones && k->l->track->risc == 0;
    while (i + 1 < k->n) {
        uint32_t kind = w[i] >> 28;
        size_t words = kind == KIND_TS_DATA ? 4 : kind == KIND_TS_DATA_16B ? 6 : 2;
        if (is_empty(w[i], w[i + 1])) {
            i += 2;
            continue;
        }
        // A sum is written when a run is over and has no time of its own.
        if (kind < KIND_ZONE_START || kind > KIND_TS_DATA_16B || kind == KIND_ZONE_TOTAL ||
            i + words > k->n)
            break;
        uint64_t time = extend_stamp(k, w[i], w[i + 1]);
        bool is_flush = may_be_old && i < TT_CHUNK_CUSTOM + 4 && kind <= KIND_ZONE_END;
        if (time < last && !(is_flush && time < start))
            break;
        if (time > last)
            last = time;
        i += words;
    }
    return i;
}

static void read_partial(struct walk *k)
{
    const uint32_t *w = k->w;
    if (k->n < TT_CHUNK_CUSTOM) {
        k->l->track->health.truncated++;
        return;
    }
    if (w[TT_CHUNK_ID_HH] || w[TT_CHUNK_ID_HL])
        return; // marked invalid
    // The identity is stamped only when a run is over.
    uint32_t counter = UINT32_C(0xFFFF) << k->layout.trace_shift;
    if ((w[TT_CHUNK_ID_LH] & ~counter) != 0 && !is_mine(k, w[TT_CHUNK_ID_LH])) {
        k->l->track->health.foreign++;
        return;
    }
    // Without a main start this RISC takes no part in the run.
    if (!has_slots(k, 0) || is_empty(w[TT_CHUNK_GUARANTEED], w[TT_CHUNK_GUARANTEED + 1]))
        return;
    k->n = partial_words(k);
    (void)read_chunk(k, 0);
}

void decode_block(struct decode_lane *l, const struct word_block *b)
{
    const struct decoder *d = l->d;
    const struct chip_plan *p = &d->chips.v[b->chip];
    const struct tt_core *core = &p->chip->cores[b->core];
    struct track_state *s = l->track->state;
    struct walk k = {.l = l, .w = b->words, .n = b->n, .due = UINT64_MAX};
    k.layout = identities[d->c->layout];
    k.who = (uint32_t)(uint16_t)core->flat << k.layout.flat_shift | b->risc;
    // Around this value, stamps are not extended.
    k.clock = UINT64_C(1) << (TT_MARKER_TIME_BITS - 1);
    if (b->clock && b->clock >> 62 == 0 && b->clock >= p->epoch)
        k.clock = b->clock - p->epoch;
    l->track->health.truncated += b->n_missing != 0;
    if (b->source == BLOCK_PARTIAL)
        read_partial(&k);
    else
        read_chunks(&k);
    if (k.tail) {
        s->tail_hash = words_hash(k.tail, k.tail_words);
        s->tail_words = k.tail_words;
    }
    vec_free(&k.pending);
    vec_free(&k.pending_time);
}
