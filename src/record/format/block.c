// block.c - packs events: one pass over the words gathers and counts symbols, one pass over
// the symbols writes their codes. block.h describes the result.
#include "record/format/block.h"

#include <lz4.h>

#include "record/format/codes.h"

enum {
    KNOWN_LOCATIONS = 1 << 16, // larger ones have no index and are written out
    INDEX_BITS = 11,
    SERIAL_MOST = (1 << (32 - INDEX_BITS)) - 1,
    LZ4_LEAST = 256, // bytes in the column; bits alone do not compress
    LZ4_STATE = 1 << 15
};

// A gathered event: time bits (31), symbol (11), location index (11), table (2), from bit
// 0, 40, 51 and 62.
enum { GATHERED_SYMBOL = 40, GATHERED_LOCATION = 51, GATHERED_TABLE = 62 };

struct block_coder {
    uint32_t serial; // of the block: entries of other blocks in the two arrays are invalid
    uint32_t index_of[KNOWN_LOCATIONS]; // serial << 11 | index
    uint32_t expected[BLOCK_PLACES];    // same
    uint32_t locations[BLOCK_NO_LOCATION];
    uint32_t n_locations;
    uint32_t n_gathered;
    uint8_t *byte; // end of the column
    uint64_t address;
    struct codes codes[BLOCK_TABLES];
    struct codes_work work;
    uint64_t gathered[BLOCK_WORDS];
    uint8_t bytes[BLOCK_BYTES + 4 * TT_TEXT_MOST];
    union {
        uint64_t aligned;
        uint8_t state[LZ4_STATE];
    } lz4;
    struct {
        struct tt_block head;
        uint8_t payload[BLOCK_MOST + BLOCK_SLACK];
    } plain, packed;
};

size_t recorder_block_coder_bytes(void)
{
    return sizeof(struct block_coder);
}

// --- the byte column ---
static uint8_t *put_number(uint8_t *out, uint64_t v)
{
    for (int i = 0; i < 8 && v >= 0x80; i++, v >>= 7)
        *out++ = (uint8_t)(v | 0x80);
    *out++ = (uint8_t)v;
    return out;
}

static uint8_t *put_words(uint8_t *out, const struct block_source *s, uint64_t at,
                          uint64_t to)
{
    for (; at < to; at++, out += 8)
        memcpy(out, &s->words[at & s->mask], 8);
    return out;
}

// --- gathering ---
static uint32_t index_add(struct block_coder *c, uint64_t location)
{
    if (location >= KNOWN_LOCATIONS || c->n_locations == BLOCK_NO_LOCATION)
        return BLOCK_NO_LOCATION;
    c->locations[c->n_locations] = (uint32_t)location;
    c->index_of[location] = c->serial << INDEX_BITS | c->n_locations;
    return c->n_locations++;
}

static inline uint32_t index_find(struct block_coder *c, uint64_t location)
{
    if (location < KNOWN_LOCATIONS) {
        uint32_t known = c->index_of[location];
        if (known >> INDEX_BITS == c->serial)
            return known & BLOCK_NO_LOCATION;
    }
    return index_add(c, location);
}

// The words after the first, for events other than zone begin and end.
static uint8_t *put_rest(struct block_coder *c, const struct block_source *s, uint64_t at,
                         uint32_t n, uint32_t kind)
{
    uint8_t *out = c->byte;
    uint64_t second = n > 1 ? s->words[(at + 1) & s->mask] : 0;
    if (block_kinds[kind].is_text) {
        out = put_number(put_number(out, (uint32_t)second), second >> 32);
        return put_words(out, s, at + 2, at + n);
    }
    for (uint32_t i = 1; i < n; i++) {
        uint64_t word = s->words[(at + i) & s->mask];
        if (i == 1 && block_is_address(kind)) {
            out = put_number(out, block_fold(word - c->address));
            c->address = word;
        } else {
            out = put_number(out, word);
        }
    }
    return out;
}

// State of gathering.
struct gathering {
    uint64_t time;
    uint64_t *out;
    uint32_t table;   // of the next event
    uint32_t last;    // index of the location that began last
    uint32_t n_ended; // zones since then
};

static inline void add_symbol(struct block_coder *c, struct gathering *g, uint64_t action,
                              uint64_t class, uint64_t bits, enum block_table after)
{
    uint64_t symbol = action << BLOCK_CLASS_BITS | class;
    c->codes[g->table].counts[symbol]++;
    *g->out++ = bits | symbol << GATHERED_SYMBOL | (uint64_t)g->table << GATHERED_TABLE;
    g->table = after;
}

// The bits of the time since the previous event.
static inline uint64_t take_time(struct block_coder *c, struct gathering *g, uint64_t now,
                                 uint64_t *class)
{
    uint64_t passed = now - g->time;
    g->time = now;
    if (passed >> 32) {
        *class = BLOCK_CLASS_FAR;
        c->byte = put_number(c->byte, block_fold(passed));
        return 0;
    }
    *class = passed ? 64 - (uint64_t)__builtin_clzll(passed) : 0;
    return passed ^ (UINT64_C(1) << *class >> 1);
}

static inline void take_begin(struct block_coder *c, struct gathering *g, uint64_t location,
                              uint64_t class, uint64_t bits)
{
    uint32_t index = index_find(c, location);
    uint32_t *expected = &c->expected[block_place(g->last, g->n_ended)];
    uint32_t this = c->serial << INDEX_BITS | index;
    uint64_t action = TT_ZONE_BEGIN;
    if (index == BLOCK_NO_LOCATION)
        c->byte = put_number(c->byte, location);
    if (*expected == this && index != BLOCK_NO_LOCATION) {
        action = BLOCK_EXPECTED;
    } else {
        c->codes[BLOCK_LOCATIONS].counts[index]++;
        bits |= (uint64_t)index << GATHERED_LOCATION;
    }
    *expected = this;
    g->last = index;
    g->n_ended = 0;
    add_symbol(c, g, action, class, bits, BLOCK_AFTER_BEGIN);
}

// Whether the clock changes here.
static inline bool is_switch(const struct block_source *s, uint64_t at, uint32_t clock)
{
    return s->words[at & s->mask] >> TT_TIME_BITS == TT_CLOCK && at + 1 < s->to &&
           (uint32_t)s->words[(at + 1) & s->mask] != clock;
}

// Returns the position after the last event taken.
static uint64_t gather_events(struct block_coder *c, const struct block_source *s,
                              uint32_t shift, uint32_t clock, uint64_t time)
{
    struct gathering g = {time, c->gathered, BLOCK_AFTER_OTHER, BLOCK_NO_LOCATION, 0};
    uint64_t at = s->from, most = s->from + BLOCK_WORDS, class;
    while (at < s->to && c->byte - c->bytes < BLOCK_BYTES) {
        uint64_t word = s->words[at & s->mask], kind = word >> TT_TIME_BITS;
        uint32_t n = block_event_words(s->words, s->mask, at, s->to);
        if (at + (n ? n : 1) > most)
            break;
        if (at != s->from && is_switch(s, at, clock))
            break; // its block has its own tick shift
        if (!n) {
            c->byte = put_words(c->byte, s, at, at + 1);
            add_symbol(c, &g, BLOCK_RAW, 0, 0, BLOCK_AFTER_OTHER);
            at++;
            continue;
        }
        uint64_t bits = take_time(c, &g, (word & BLOCK_TIME_MASK) >> shift, &class);
        if (kind == TT_ZONE_BEGIN) {
            take_begin(c, &g, s->words[(at + 1) & s->mask], class, bits);
        } else if (kind == TT_ZONE_END) {
            g.n_ended++;
            add_symbol(c, &g, TT_ZONE_END, class, bits, BLOCK_AFTER_END);
        } else {
            c->byte = put_rest(c, s, at, n, (uint32_t)kind);
            add_symbol(c, &g, kind, class, bits, BLOCK_AFTER_OTHER);
        }
        at += n;
    }
    c->n_gathered = (uint32_t)(g.out - c->gathered);
    return at;
}

// --- writing ---
static uint8_t *put_head(struct block_coder *c, uint32_t shift, uint8_t *out)
{
    struct block_head head = {
        .shift = (uint8_t)shift,
        .n_locations = (uint16_t)c->n_locations,
        .n_bytes = (uint32_t)(c->byte - c->bytes),
    };
    uint8_t *start = out;
    out += sizeof head;
    for (int t = 0; t < BLOCK_TABLES; t++) {
        struct codes *codes = &c->codes[t];
        recorder_codes_make(codes, &c->work);
        head.n_symbols[t] = (uint16_t)codes->n_used;
        for (uint32_t i = 0; i < codes->n_used; i++, out += 2) {
            uint32_t symbol = codes->used[i];
            codes->code[symbol].n_behind = (uint8_t)block_time_bits(symbol);
            uint16_t entry = (uint16_t)(symbol << 4 | codes->code[symbol].n);
            memcpy(out, &entry, sizeof entry);
        }
    }
    memcpy(start, &head, sizeof head);
    for (uint32_t i = 0; i < c->n_locations; i++)
        out = put_number(out, c->locations[i]);
    memcpy(out, c->bytes, head.n_bytes);
    return out + head.n_bytes;
}

// Avoids branches on the kind of event, which are unpredictable.
static uint8_t *put_bits(const struct block_coder *c, uint8_t *out)
{
    uint64_t bits = 0;
    uint32_t n = 0; // at most 7 when an event begins, so its 53 bits fit
    for (uint32_t i = 0; i < c->n_gathered; i++) {
        uint64_t got = c->gathered[i];
        uint64_t symbol = got >> GATHERED_SYMBOL & (BLOCK_SYMBOLS - 1);
        uint64_t index = got >> GATHERED_LOCATION & (BLOCK_SYMBOLS - 1);
        bool has_location = symbol >> BLOCK_CLASS_BITS == TT_ZONE_BEGIN;
        struct code code = c->codes[got >> GATHERED_TABLE].code[symbol];
        struct code location = c->codes[BLOCK_LOCATIONS].code[index];
        bits |= (uint64_t)code.bits << n;
        n += code.n;
        bits |= (got & UINT32_MAX) << n;
        n += code.n_behind;
        bits |= (uint64_t)(location.bits & (0u - has_location)) << n;
        n += location.n & (0u - has_location);
        memcpy(out, &bits, sizeof bits);
        out += n / 8;
        bits >>= n & ~7u;
        n &= 7;
    }
    *out = (uint8_t)bits;
    return out + (n != 0);
}

static void start_block(struct block_coder *c)
{
    if (c->serial++ == SERIAL_MOST) {
        memset(c->index_of, 0, sizeof c->index_of);
        memset(c->expected, 0, sizeof c->expected);
        c->serial = 1;
    }
    c->n_locations = 0;
    c->byte = c->bytes;
    c->address = 0;
    for (int t = 0; t < BLOCK_TABLES; t++)
        memset(c->codes[t].counts, 0, sizeof c->codes[t].counts);
}

// Compresses the payload with lz4 if that is shorter.
static struct tt_block *compress_payload(struct block_coder *c, struct tt_block *head)
{
    _Static_assert(sizeof(LZ4_stream_t) <= LZ4_STATE, "room for its state");
    head->packed = head->unpacked;
    if (c->byte - c->bytes < LZ4_LEAST)
        return head;
    int n = LZ4_compress_fast_extState(&c->lz4, (const char *)c->plain.payload,
                                       (char *)c->packed.payload, (int)head->unpacked,
                                       (int)head->unpacked - 1, 1);
    if (n <= 0)
        return head;
    c->packed.head = *head;
    c->packed.head.packed = (uint32_t)n;
    return &c->packed.head;
}

struct packed_block recorder_block_pack(struct block_coder *c, const struct block_source *s)
{
    start_block(c);
    uint32_t clock = s->clock, shift = s->shift;
    if (is_switch(s, s->from, clock)) {
        clock = (uint32_t)s->words[(s->from + 1) & s->mask];
        shift = 0;
    }
    uint64_t time = (s->words[s->from & s->mask] & BLOCK_TIME_MASK) >> shift;
    uint64_t to = gather_events(c, s, shift, clock, time);
    uint8_t *payload = c->plain.payload;
    uint8_t *end = put_bits(c, put_head(c, shift, payload));
    c->plain.head = (struct tt_block){
        .magic = TT_BLOCK_MAGIC,
        .thread = s->thread,
        .from = s->from,
        .to = to,
        .time = time,
        .lost = s->lost,
        .clock = s->clock,
        .n_events = c->n_gathered,
        .unpacked = (uint32_t)(end - payload),
    };
    struct tt_block *head = compress_payload(c, &c->plain.head);
    head->sum = block_sum(head, head + 1);
    return (struct packed_block){
        .bytes = head,
        .n = sizeof *head + head->packed,
        .to = to,
        .clock = clock,
        .n_events = head->n_events,
    };
}
