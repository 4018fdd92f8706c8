// block_unpack.c - the inverse of block.c. Blocks are not trusted: lengths are checked
// against the data, codes must fill their tables, and the number of words must match the
// header.
#include <lz4.h>

#include "record/format/block.h"

// --- tables ---
// Decodes the next bits: symbol, bits of its code, and how many bits of time follow.
struct entry {
    uint16_t symbol;
    uint8_t code_bits, time_bits;
};
struct table {
    uint64_t mask; // of the bits that index `entry`
    struct entry entry[1 << BLOCK_CODE_BITS];
};

struct block_reader {
    struct table tables[BLOCK_TABLES];
    uint16_t expected[BLOCK_PLACES];
    uint64_t locations[BLOCK_NO_LOCATION];
    uint32_t n_locations;
    uint8_t plain[BLOCK_MOST + BLOCK_SLACK];
    uint64_t words[BLOCK_WORDS];
};

size_t recorder_block_reader_bytes(void)
{
    return sizeof(struct block_reader);
}

// A part of the payload, read from the front. BLOCK_SLACK bytes after `end` may be read.
struct bytes {
    const uint8_t *at, *end;
};

static struct entry entry_of(uint32_t symbol, uint32_t code_bits)
{
    return (struct entry){(uint16_t)symbol, (uint8_t)code_bits,
                          (uint8_t)block_time_bits(symbol)};
}

static uint32_t reversed(uint32_t code, uint32_t n)
{
    uint32_t out = 0;
    for (uint32_t i = 0; i < n; i++)
        out |= (code >> i & 1) << (n - 1 - i);
    return out;
}

// Shorter codes first, then by symbol. False: not a complete prefix code.
static bool table_fill(struct table *t, const uint16_t *codes, uint32_t n)
{
    uint32_t of_length[16] = {0}, next[16] = {0}, longest = 0, room = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t bits = codes[i] & 15;
        of_length[bits]++;
        longest = bits > longest ? bits : longest;
        if (bits > BLOCK_CODE_BITS || (i && codes[i] >> 4 <= codes[i - 1] >> 4))
            return false;
        room += 1u << (BLOCK_CODE_BITS - bits);
    }
    if (n && room != 1 << BLOCK_CODE_BITS)
        return false;
    for (uint32_t k = 1; k <= longest; k++)
        next[k] = (next[k - 1] + of_length[k - 1]) << 1;
    t->mask = (UINT64_C(1) << longest) - 1;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t bits = codes[i] & 15, step = 1u << bits;
        struct entry entry = entry_of(codes[i] >> 4, bits);
        for (uint32_t at = reversed(next[bits]++, bits); at <= t->mask; at += step)
            t->entry[at] = entry;
    }
    if (!n) // unused table: decodes to an invalid word
        t->entry[0] = entry_of(BLOCK_SYMBOLS - 1, 0);
    return true;
}

static bool tables_read(struct block_reader *r, const struct block_head *head,
                        struct bytes *in)
{
    uint16_t codes[BLOCK_SYMBOLS];
    for (int t = 0; t < BLOCK_TABLES; t++) {
        size_t n = head->n_symbols[t];
        if (n > BLOCK_SYMBOLS || (size_t)(in->end - in->at) < 2 * n)
            return false;
        memcpy(codes, in->at, 2 * n);
        in->at += 2 * n;
        if (!table_fill(&r->tables[t], codes, (uint32_t)n))
            return false;
    }
    return true;
}

// --- the column of bytes ---
static uint64_t read_number(struct bytes *in)
{
    uint64_t v = 0;
    for (uint32_t shift = 0; in->at < in->end; shift += 7) {
        uint64_t byte = *in->at++;
        if (shift == 56)
            return v | byte << 56;
        v |= (byte & 0x7F) << shift;
        if (byte < 0x80)
            break;
    }
    return v;
}

static bool copy_words(uint64_t *out, uint64_t n, struct bytes *in)
{
    if ((uint64_t)(in->end - in->at) / 8 < n)
        return false;
    memcpy(out, in->at, 8 * n);
    in->at += 8 * n;
    return true;
}

static bool locations_read(struct block_reader *r, uint32_t n, struct bytes *in)
{
    if (n > BLOCK_NO_LOCATION)
        return false;
    r->n_locations = n;
    for (uint32_t i = 0; i < n; i++)
        r->locations[i] = read_number(in);
    return true;
}

// --- events ---
struct unpacking {
    uint64_t time, address;
    uint64_t *out, *end;
    struct bytes bytes;
    uint32_t shift;
    uint32_t last, n_ended; // as in block.c
};

// Reads the words after the first one; u->out is at the second. False: invalid.
static bool read_rest(struct unpacking *u, uint32_t kind)
{
    uint64_t room = (uint64_t)(u->end - u->out);
    if (kind >= TT_EVENT_KINDS || room < block_kinds[kind].n_words)
        return false;
    if (block_kinds[kind].is_text) {
        uint64_t second = read_number(&u->bytes);
        second = (uint32_t)second | read_number(&u->bytes) << 32;
        uint32_t n = block_text_words(second);
        if (!n || room < n - 1)
            return false;
        *u->out = second;
        bool is_there = copy_words(u->out + 1, n - 2, &u->bytes);
        u->out += n - 1;
        return is_there;
    }
    for (uint32_t i = 0; i < block_kinds[kind].n_words; i++) {
        uint64_t word = read_number(&u->bytes);
        if (!i && block_is_address(kind))
            word = u->address += block_unfold(word);
        *u->out++ = word;
    }
    return true;
}

// Reads the location of a zone. False: none.
static inline bool read_location(struct block_reader *r, struct unpacking *u,
                                 bool is_expected, uint64_t bits, uint64_t *position)
{
    uint16_t *expected = &r->expected[block_place(u->last, u->n_ended)];
    uint32_t index = *expected;
    if (!is_expected) {
        const struct table *t = &r->tables[BLOCK_LOCATIONS];
        struct entry e = t->entry[bits & t->mask];
        *position += e.code_bits;
        *expected = (uint16_t)(index = e.symbol);
    }
    u->last = index;
    u->n_ended = 0;
    if (index < r->n_locations)
        *u->out++ = r->locations[index];
    else if (index == BLOCK_NO_LOCATION && !is_expected)
        *u->out++ = read_number(&u->bytes);
    else
        return false;
    return true;
}

static bool take_events(struct block_reader *r, struct unpacking *u, const uint8_t *bits,
                        uint64_t n_bits, uint32_t n_events)
{
    uint64_t position = 0;
    const struct table *table = &r->tables[BLOCK_AFTER_OTHER];
    for (uint32_t i = 0; i < n_events; i++) {
        if (position > n_bits || u->out == u->end)
            return false;
        uint64_t next;
        memcpy(&next, bits + position / 8, sizeof next);
        next >>= position & 7;
        struct entry e = table->entry[next & table->mask];
        uint32_t action = e.symbol >> BLOCK_CLASS_BITS;
        uint32_t class = e.symbol & ((1 << BLOCK_CLASS_BITS) - 1);
        next >>= e.code_bits;
        position += e.code_bits + e.time_bits;
        uint64_t passed =
            (next & ((UINT64_C(1) << e.time_bits) - 1)) | UINT64_C(1) << class >> 1;
        next >>= e.time_bits;
        if (__builtin_expect(class >= BLOCK_CLASS_FAR, 0))
            passed = block_unfold(read_number(&u->bytes));
        u->time += passed;
        uint64_t word = u->time << u->shift & BLOCK_TIME_MASK;
        if (action == TT_ZONE_END) {
            *u->out++ = word | (uint64_t)TT_ZONE_END << TT_TIME_BITS;
            u->n_ended++;
            table = &r->tables[BLOCK_AFTER_END];
        } else if (action == TT_ZONE_BEGIN || action == BLOCK_EXPECTED) {
            if (u->end - u->out < 2)
                return false;
            *u->out++ = word | (uint64_t)TT_ZONE_BEGIN << TT_TIME_BITS;
            if (!read_location(r, u, action == BLOCK_EXPECTED, next, &position))
                return false;
            table = &r->tables[BLOCK_AFTER_BEGIN];
        } else if (action == BLOCK_RAW) {
            if (!copy_words(u->out++, 1, &u->bytes))
                return false;
            table = &r->tables[BLOCK_AFTER_OTHER];
        } else {
            *u->out++ = word | (uint64_t)action << TT_TIME_BITS;
            if (!read_rest(u, action))
                return false;
            table = &r->tables[BLOCK_AFTER_OTHER];
        }
    }
    return u->out == u->end && position <= n_bits;
}

// Decompresses the payload into the reader, followed by slack.
static bool decompress(struct block_reader *r, const struct tt_block *b,
                       const void *payload)
{
    if (!block_is_sound(b))
        return false;
    char *plain = (char *)r->plain;
    if (b->packed == b->unpacked)
        memcpy(plain, payload, b->packed);
    else if (LZ4_decompress_safe(payload, plain, (int)b->packed, (int)b->unpacked) !=
             (int)b->unpacked)
        return false;
    memset(plain + b->unpacked, 0, BLOCK_SLACK);
    return true;
}

const uint64_t *recorder_block_unpack(struct block_reader *r, const struct tt_block *b,
                                      const void *payload)
{
    struct block_head head;
    if (!decompress(r, b, payload) || b->unpacked < sizeof head)
        return NULL;
    memcpy(&head, r->plain, sizeof head);
    struct bytes in = {r->plain + sizeof head, r->plain + b->unpacked};
    if (head.shift >= TT_TIME_BITS || !tables_read(r, &head, &in) ||
        !locations_read(r, head.n_locations, &in) ||
        (size_t)(in.end - in.at) < head.n_bytes)
        return NULL;
    memset(r->expected, 0xFF, sizeof r->expected); // no index
    struct unpacking u = {
        .time = b->time,
        .out = r->words,
        .end = r->words + (b->to - b->from),
        .bytes = {in.at, in.at + head.n_bytes},
        .shift = head.shift,
        .last = BLOCK_NO_LOCATION,
    };
    const uint8_t *bits = in.at + head.n_bytes;
    bool is_sound = take_events(r, &u, bits, 8 * (uint64_t)(in.end - bits), b->n_events);
    return is_sound ? r->words : NULL;
}
