// prop_block.c - random words of host events to blocks and back: any kinds, times that go
// back, words that are no events, rings that wrap; streams that are cut or damaged.
#include "../support/host_words.h"
#include "prop.h"

enum { LAW_BACK, LAW_HEADER, LAW_CUT, LAW_DAMAGE, LAW_PAYLOAD, LAWS };
static struct law laws[LAWS] = {
    [LAW_BACK] = {.name = "words come back from their blocks"},
    [LAW_HEADER] = {.name = "headers tell ranges, events and clocks"},
    [LAW_CUT] = {.name = "of a stream that is cut all blocks before the cut are there"},
    [LAW_DAMAGE] = {.name = "a damaged stream gives every block that is not touched"},
    [LAW_PAYLOAD] = {.name = "a wrong payload gives as many words as are said, or none"},
};
static struct block_coder *coder;
static struct block_reader *reader;

// --- random words ---
struct maker {
    struct random *r;
    struct host_words w;
    uint64_t time;
    uint32_t n_locations, odd; // odd: one event in so many is a rare one
};

static uint64_t any_size(struct random *r)
{
    return random_bits(r) >> random_below(r, 64);
}

static uint64_t next_time(struct maker *m)
{
    struct random *r = m->r;
    if (random_one_in(r, m->odd))
        m->time = any_size(r); // another clock, back, or far ahead
    else if (random_one_in(r, m->odd))
        m->time -= random_below(r, 1000);
    else
        m->time += random_bits(r) >> (64 - random_below(r, 22) - 1);
    return m->time;
}

static uint64_t any_location(struct maker *m)
{
    return random_one_in(m->r, 8 * m->odd) ? any_size(m->r)
                                           : 1 + random_below(m->r, m->n_locations);
}

static void add_text(struct maker *m, enum tt_host_event kind)
{
    char text[TT_TEXT_MOST];
    uint32_t n = random_one_in(m->r, 50) ? sizeof text : random_below(m->r, 60);
    for (uint32_t i = 0; i < n; i++)
        text[i] = (char)('a' + random_below(m->r, 4));
    host_text(&m->w, kind, next_time(m), (uint32_t)any_size(m->r), (str){text, n});
    if (n > 8 && random_one_in(m->r, 20)) // into the blobs: one word follows
        m->w.v.v[m->w.v.n - 1 - (n + 7) / 8] |= TT_TEXT_IN_BLOBS,
            m->w.v.n -= (n + 7) / 8 - 1;
}

static void add_any(struct maker *m)
{
    uint32_t kind = random_below(m->r, TT_EVENT_KINDS);
    if (block_kinds[kind].is_text) {
        add_text(m, (enum tt_host_event)kind);
        return;
    }
    host_event(&m->w, (enum tt_host_event)kind, next_time(m));
    for (uint32_t i = 0; i < block_kinds[kind].n_words; i++)
        host_word(&m->w, kind == TT_CLOCK ? random_below(m->r, 3) : any_size(m->r));
}

static void add_zones(struct maker *m, uint32_t depth)
{
    host_begin(&m->w, next_time(m), any_location(m));
    for (uint32_t i = random_below(m->r, 3); depth && i; i--)
        add_zones(m, depth - 1);
    if (random_one_in(m->r, m->odd))
        add_any(m);
    host_end(&m->w, next_time(m));
}

static void make(struct maker *m, uint64_t least)
{
    while (m->w.v.n < least) {
        if (random_one_in(m->r, 8 * m->odd))
            host_word(&m->w, random_bits(m->r)); // scribbled over
        else if (random_one_in(m->r, m->odd))
            add_any(m);
        else
            add_zones(m, random_below(m->r, 8));
    }
}

// --- the words as a ring, and as a stream ---
struct trial {
    struct random *r;
    const struct host_words *w;
    uint64_t first; // position of the first word
    uint32_t shift;
    VEC(uint64_t) ring;
    VEC(size_t) ends; // of the blocks in the stream
    struct buf stream;
    uint64_t round;
};

static void pack(struct trial *t)
{
    uint64_t capacity = 1;
    while (capacity < t->w->v.n)
        capacity *= 2;
    vec_reserve(&t->ring, capacity);
    for (size_t i = 0; i < t->w->v.n; i++)
        t->ring.v[(t->first + i) & (capacity - 1)] = t->w->v.v[i];
    struct block_source s = {
        .words = t->ring.v,
        .mask = capacity - 1,
        .from = t->first,
        .thread = 7,
        .clock = 1,
        .shift = t->shift,
        .lost = 3,
    };
    host_stream_head(&t->stream);
    uint64_t end = t->first + t->w->v.n;
    while (s.from < end) {
        // The drainer may come at any time, but sees whole events only.
        uint64_t to = s.from + 1 + random_below(t->r, 100000);
        s.to = to < end ? s.from : end;
        while (s.to < to && s.to < end) {
            uint32_t n = block_event_words(s.words, s.mask, s.to, end);
            s.to += n ? n : 1;
        }
        struct packed_block b = recorder_block_pack(coder, &s);
        buf_str(&t->stream, (str){b.bytes, b.n});
        vec_push(&t->ends, t->stream.n);
        s.from = b.to;
        s.clock = b.clock;
    }
}

static bool same_words(const struct trial *t, const struct tt_block *b,
                       const uint64_t *words)
{
    uint64_t n = b->to - b->from, skip = b->from - t->first;
    const uint64_t *want = t->w->v.v + skip;
    bool is_switch = want[0] >> TT_TIME_BITS == TT_CLOCK && (uint32_t)want[1] != b->clock;
    uint32_t shift = is_switch && n > 1 ? 0 : t->shift, n_events = 0;
    for (uint64_t i = 0; i < n; n_events++) {
        uint32_t k = block_event_words(want, UINT64_MAX, i, n);
        uint64_t first = k ? want[i] >> shift << shift : want[i];
        if (!law_check(&laws[LAW_BACK], words[i] == first,
                       "round %llu, position %llu: %llx, not %llx",
                       (unsigned long long)t->round, (unsigned long long)(skip + i),
                       (unsigned long long)words[i], (unsigned long long)first))
            return false;
        for (uint32_t j = 1; j < k; j++)
            if (!law_check(&laws[LAW_BACK], words[i + j] == want[i + j],
                           "round %llu, position %llu: %llx, not %llx",
                           (unsigned long long)t->round, (unsigned long long)(skip + i + j),
                           (unsigned long long)words[i + j],
                           (unsigned long long)want[i + j]))
                return false;
        i += k ? k : 1;
    }
    return law_check(&laws[LAW_HEADER], n_events == b->n_events, "round %llu: %u events",
                     (unsigned long long)t->round, b->n_events);
}

static void check_back(struct trial *t)
{
    struct block_cursor c = {.stream = buf_view(&t->stream)};
    uint64_t from = t->first;
    size_t n_blocks = 0;
    uint32_t clock = 1;
    for (; block_next(&c) == BLOCK_WHOLE; n_blocks++) {
        const uint64_t *words = block_read(reader, &c.block, c.payload);
        if (!law_check(&laws[LAW_BACK], words, "round %llu: a block cannot be read",
                       (unsigned long long)t->round))
            return;
        (void)law_check(&laws[LAW_HEADER],
                        c.block.from == from && c.block.thread == 7 && c.block.lost == 3 &&
                            c.block.clock == clock,
                        "round %llu: block %zu", (unsigned long long)t->round, n_blocks);
        from = c.block.to;
        if (words[0] >> TT_TIME_BITS == TT_CLOCK && c.block.to - c.block.from > 1)
            clock = (uint32_t)words[1];
        if (!same_words(t, &c.block, words))
            return;
    }
    (void)law_check(&laws[LAW_BACK],
                    n_blocks == t->ends.n && from == t->first + t->w->v.n && !c.skipped,
                    "round %llu: %zu blocks of %zu", (unsigned long long)t->round, n_blocks,
                    t->ends.n);
}

// --- cuts and damage ---
static size_t whole_blocks(str stream)
{
    struct block_cursor c = {.stream = stream};
    size_t n = 0;
    for (enum block_step step; (step = block_next(&c)) != BLOCK_LAST;)
        n += step == BLOCK_WHOLE && block_read(reader, &c.block, c.payload);
    return n;
}

static void check_cut(struct trial *t, size_t at)
{
    str stream = buf_view(&t->stream);
    stream.n = at;
    size_t before = 0;
    while (before < t->ends.n && t->ends.v[before] <= at)
        before++;
    size_t got = whole_blocks(stream);
    (void)law_check(&laws[LAW_CUT], got == before, "round %llu: cut at %zu: %zu, not %zu",
                    (unsigned long long)t->round, at, got, before);
}

// How many blocks have a byte in [from, to).
static size_t touched(const struct trial *t, size_t from, size_t to)
{
    size_t n = 0, start = sizeof(struct tt_stream);
    for (size_t i = 0; i < t->ends.n; start = t->ends.v[i++])
        n += from < t->ends.v[i] && to > start;
    return n;
}

static void check_damage(struct trial *t)
{
    str stream = buf_view(&t->stream);
    size_t from = random_below(t->r, (uint32_t)stream.n);
    size_t n = 1 + random_below(t->r, 200);
    n = n < stream.n - from ? n : stream.n - from;
    char *copy = mem_alloc(stream.n);
    memcpy(copy, stream.p, stream.n);
    for (size_t i = 0; i < n; i++)
        copy[from + i] ^= (char)(1 + random_below(t->r, 255));
    size_t got = whole_blocks((str){copy, stream.n});
    size_t want = t->ends.n - touched(t, from, from + n);
    (void)law_check(&laws[LAW_DAMAGE], got == want,
                    "round %llu: %zu bytes at %zu: %zu of %zu",
                    (unsigned long long)t->round, n, from, got, want);
    mem_free(copy);
}

// As if the sum were right: bytes of the payload change, and of what the header says.
static void check_payload(struct trial *t)
{
    struct block_cursor c = {.stream = buf_view(&t->stream)};
    for (size_t i = random_below(t->r, (uint32_t)t->ends.n) + 1; i; i--)
        if (block_next(&c) != BLOCK_WHOLE)
            return;
    struct tt_block b = c.block;
    uint8_t *copy = mem_alloc(c.payload.n); // of its own size: the sanitizer sees its end
    memcpy(copy, c.payload.p, c.payload.n);
    // The head and the codes are at the front: what is wrong there reaches further.
    uint32_t most = random_one_in(t->r, 2) && b.packed > 200 ? 200 : b.packed;
    for (uint32_t i = 1 + random_below(t->r, 4); i; i--)
        copy[random_below(t->r, most)] = (uint8_t)random_bits(t->r);
    if (random_one_in(t->r, 3))
        b.to = b.from + 1 + random_below(t->r, BLOCK_WORDS);
    if (random_one_in(t->r, 3))
        b.n_events = 1 + random_below(t->r, (uint32_t)(b.to - b.from));
    const uint64_t *words = block_read(reader, &b, (str){(const char *)copy, b.packed});
    uint64_t sum = 0;
    for (uint64_t i = 0; words && i < b.to - b.from; i++)
        sum += words[i];
    (void)law_check(&laws[LAW_PAYLOAD], sum + 1 != sum, " ");
    mem_free(copy);
}

static void try_round(struct random *r, uint64_t round)
{
    struct maker m = {
        .r = r,
        .time = any_size(r),
        .n_locations = 1 + (uint32_t)(any_size(r) >> 48),
        .odd = 1 + random_below(r, 200),
    };
    make(&m, 1 + (any_size(r) >> 46));
    struct trial t = {
        .r = r,
        .w = &m.w,
        .first = any_size(r) >> 2,
        .shift = random_below(r, 3),
        .round = round,
    };
    pack(&t);
    check_back(&t);
    check_cut(&t, random_below(r, (uint32_t)t.stream.n + 1));
    check_cut(&t, t.ends.v[random_below(r, (uint32_t)t.ends.n)]);
    check_damage(&t);
    check_payload(&t);
    vec_free(&t.ring);
    vec_free(&t.ends);
    buf_free(&t.stream);
    vec_free(&m.w.v);
}

// Every place at which a short stream can be cut.
static void try_cuts(uint64_t round)
{
    struct random r = {.state = round};
    struct maker m = {.r = &r, .n_locations = 5, .odd = 20};
    make(&m, 300);
    struct trial t = {.r = &r, .w = &m.w, .round = round};
    pack(&t);
    for (size_t at = 0; at <= t.stream.n; at++)
        check_cut(&t, at);
    vec_free(&t.ring);
    vec_free(&t.ends);
    buf_free(&t.stream);
    vec_free(&m.w.v);
}

int main(void)
{
    uint64_t rounds = prop_rounds(400);
    coder = host_coder();
    reader = block_reader_new();
    for (uint64_t round = 0; round < rounds; round++) {
        struct random r = {.state = round * 7919 + 1};
        try_round(&r, round);
        if (round % 16 == 0)
            try_cuts(round);
    }
    mem_free(coder);
    block_reader_free(reader);
    return laws_report(laws, LAWS);
}
