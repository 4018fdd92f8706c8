// block.h - the packing of events in a block. block.c packs, block_unpack.c returns exactly
// the words that went in (times rounded to the block's tick shift).
//
// Each event is one symbol, {action, class of the time since the previous event}, and a few
// bits. Symbols are written in prefix codes made for the block; there is one set of codes
// after a zone begin, one after a zone end and one after everything else, because what
// follows differs. A class says how many bits the time has; the bits below its highest one
// follow verbatim. The location of a zone costs nothing if it is the one seen last time in
// the same place, else it has a code. Rare or wide data (texts, values, large time steps)
// goes to a column of bytes.
//
// A payload, possibly compressed as a whole by lz4:
//
//   struct block_head
//   codes       of each table in turn, n_symbols: u16 symbol << 4 | bits of its code,
//               by symbol. Codes are canonical: shorter ones first, then by symbol. A table
//               of one symbol has codes of no bits
//   locations   n_locations numbers
//   bytes       n_bytes: of each event in turn a far time, then what its action says
//   bits        of each event in turn code, bits of the time, code of the location;
//               from the lowest bit of each byte up
//
// A number in bytes: seven bits a byte, the low ones first, bit 7: more follow; the ninth
// byte has eight bits. Differences that may be negative are folded: 0, -1, 1, -2, ...
#ifndef TTP_RECORD_FORMAT_BLOCK_H
#define TTP_RECORD_FORMAT_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "ttprof/recording.h"

enum {
    BLOCK_WORDS = 1 << 16,       // at most, in ring words
    BLOCK_BYTES = 1 << 18,       // of the column: no event is added beyond this
    BLOCK_CODE_BITS = 11,        // longest code
    BLOCK_SYMBOLS = 1 << 11,     // of a table
    BLOCK_SLACK = 16,            // bytes that may be accessed past the end of a buffer
    BLOCK_NO_LOCATION = 0x7FF,   // its number is in the byte column
    BLOCK_PLACES = 1 << (2 + 11) // see block_place
};

struct block_head {
    uint8_t shift; // times are ticks >> shift
    uint8_t unused;
    uint16_t n_locations;
    uint16_t n_symbols[4]; // per table
    uint32_t n_bytes;
};
enum block_table { BLOCK_AFTER_BEGIN, BLOCK_AFTER_END, BLOCK_AFTER_OTHER, BLOCK_LOCATIONS };
enum { BLOCK_TABLES = 4 };

// Upper bound of a payload.
#define BLOCK_MOST                                                                         \
    (sizeof(struct block_head) + 2 * (size_t)BLOCK_TABLES * BLOCK_SYMBOLS +                \
     3 * (size_t)BLOCK_SYMBOLS + BLOCK_BYTES + 2 * (size_t)TT_TEXT_MOST +                  \
     7 * (size_t)BLOCK_WORDS)

// --- symbols ---
// The action is the kind of the event, or one of these.
enum {
    BLOCK_EXPECTED = 30, // ZONE_BEGIN with the expected location
    BLOCK_RAW = 31       // a word that is not an event; stored verbatim in the bytes
};
enum {
    BLOCK_CLASS_BITS = 6, // symbol: action << 6 | class
    BLOCK_CLASS_FAR = 33  // the time is in the bytes: backwards, or very far ahead
};
_Static_assert((int)TT_EVENT_KINDS <= (int)BLOCK_EXPECTED, "an action for every kind");

// Bits of the time that follow the code of a symbol.
static inline uint32_t block_time_bits(uint32_t symbol)
{
    uint32_t class = symbol & ((1 << BLOCK_CLASS_BITS) - 1);
    return class && class < BLOCK_CLASS_FAR ? class - 1 : 0;
}

// The context of a zone begin, which predicts its location: the location that began last
// (its index in the block) and how many zones ended since.
static inline uint32_t block_place(uint32_t index, uint32_t n_ended)
{
    return index << 2 | (n_ended < 3 ? n_ended : 3);
}

// Successive addresses tend to be close to each other.
static inline bool block_is_address(uint32_t kind)
{
    return kind == TT_ALLOC || kind == TT_FREE;
}

static inline uint64_t block_fold(uint64_t difference)
{
    return difference << 1 ^ (0 - (difference >> 63));
}
static inline uint64_t block_unfold(uint64_t folded)
{
    return folded >> 1 ^ (0 - (folded & 1));
}

// --- words of a ring ---
#define BLOCK_TIME_MASK ((UINT64_C(1) << TT_TIME_BITS) - 1)

struct block_kind {
    uint8_t n_words; // following words
    bool is_text;
};
static const struct block_kind block_kinds[TT_EVENT_KINDS] = {
#define BLOCK_KIND(name, words, is_text) {words, is_text},
    TT_EVENTS(BLOCK_KIND)
#undef BLOCK_KIND
};

// Words of a text event with this second word; 0 if there is no such event.
static inline uint32_t block_text_words(uint64_t second)
{
    uint32_t bytes = (uint32_t)second;
    if (bytes & TT_TEXT_IN_BLOBS)
        return 3;
    return bytes <= TT_TEXT_MOST ? 2 + (bytes + 7) / 8 : 0;
}

// Words of the event at position `at`, in words that end at `to`; position p is at words[p
// & mask]. 0 if there is no complete event.
static inline uint32_t block_event_words(const uint64_t *words, uint64_t mask, uint64_t at,
                                         uint64_t to)
{
    uint64_t kind = words[at & mask] >> TT_TIME_BITS;
    if (kind >= TT_EVENT_KINDS || to - at <= block_kinds[kind].n_words)
        return 0;
    uint32_t n = 1u + block_kinds[kind].n_words;
    if (block_kinds[kind].is_text)
        n = block_text_words(words[(at + 1) & mask]);
    return n <= to - at ? n : 0;
}

// --- checksum of a block ---
static inline uint64_t block_sum_mix(uint64_t sum, uint64_t word)
{
    sum = (sum ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    return sum ^ sum >> 29;
}

// Covers the header, except the sum, and `packed` bytes after it. Four independent lanes,
// so that each waits only for its own multiplication.
static inline uint64_t block_sum(const struct tt_block *b, const void *payload)
{
    struct tt_block head = *b;
    head.sum = 0;
    uint64_t lanes[4] = {1, 2, 3, 4}, word[4];
    _Static_assert(sizeof head == 2 * sizeof word, "the header is two steps");
    for (size_t i = 0; i < 2; i++) {
        memcpy(word, (const char *)&head + i * sizeof word, sizeof word);
        for (int k = 0; k < 4; k++)
            lanes[k] = block_sum_mix(lanes[k], word[k]);
    }
    size_t i = 0, n = b->packed;
    for (; i + sizeof word <= n; i += sizeof word) {
        memcpy(word, (const char *)payload + i, sizeof word);
        for (int k = 0; k < 4; k++)
            lanes[k] = block_sum_mix(lanes[k], word[k]);
    }
    memset(word, 0, sizeof word);
    memcpy(word, (const char *)payload + i, n - i);
    for (int k = 0; k < 4; k++)
        lanes[0] = block_sum_mix(lanes[0] + lanes[k], word[k]);
    return lanes[0];
}

// --- packing ---
// Scratch memory of a packer, zeroed before its first use. Not for concurrent use.
struct block_coder;
size_t recorder_block_coder_bytes(void);

struct block_source {
    const uint64_t *words; // of a ring
    uint64_t mask;         // its capacity - 1
    uint64_t from, to;     // positions; whole events
    uint32_t thread, clock;
    uint32_t shift; // of that clock
    uint64_t lost;
};
struct packed_block {
    const void *bytes; // header and payload, in the coder
    size_t n;
    uint64_t to;       // packed up to here
    uint32_t clock;    // of the event at `to`
    uint32_t n_events; // in it
};
// Packs as many events as fit, one at least; from < to.
struct packed_block recorder_block_pack(struct block_coder *c,
                                        const struct block_source *s);

// --- unpacking ---
// Room for a block and its codes; need not be initialised. Not for concurrent use.
struct block_reader;
size_t recorder_block_reader_bytes(void);

// Whether a header can be that of a block; says nothing about the payload.
static inline bool block_is_sound(const struct tt_block *b)
{
    return b->magic == TT_BLOCK_MAGIC && b->from < b->to &&
           b->to - b->from <= BLOCK_WORDS && b->n_events &&
           b->n_events <= b->to - b->from && b->packed && b->packed <= b->unpacked &&
           b->unpacked <= BLOCK_MOST;
}

// The to - from words of a block with `packed` bytes of payload; valid until the next call.
// Words that are not an event are returned too: see block_event_words. NULL: damaged.
const uint64_t *recorder_block_unpack(struct block_reader *r, const struct tt_block *b,
                                      const void *payload);

#endif
