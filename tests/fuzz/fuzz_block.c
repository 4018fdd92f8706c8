// fuzz_block.c - any bytes as host events in three forms, told by the first byte: a stream
// (0), a header and a payload whose sum is taken as right (1), words of a ring (2 and more:
// packed and read back, in steps of the clock of 2 to the byte - 2 ticks).
#include "../support/host_words.h"
#include "fuzz.h"

static struct block_coder *coder;
static struct block_reader *reader;

static void use(const struct tt_block *b, const uint64_t *words)
{
    uint64_t sum = 0, n = b->to - b->from;
    for (uint64_t i = 0; i < n; i++)
        sum += words[i];
    must(sum + 1 != sum);
}

static void read_stream(str stream)
{
    struct block_cursor c = {.stream = stream};
    size_t before = 0;
    for (enum block_step step; (step = block_next(&c)) != BLOCK_LAST; before = c.at) {
        must(c.at > before && c.at <= stream.n);
        if (step != BLOCK_WHOLE)
            continue;
        const uint64_t *words = block_read(reader, &c.block, c.payload);
        if (words)
            use(&c.block, words);
    }
    must(c.at == stream.n);
}

// The header's lengths are made to fit, so that the bytes go as far as they can.
static void read_block(str bytes)
{
    struct tt_block b;
    if (bytes.n < sizeof b)
        return;
    memcpy(&b, bytes.p, sizeof b);
    str payload = str_from(bytes, sizeof b);
    b.magic = TT_BLOCK_MAGIC;
    b.packed = (uint32_t)payload.n;
    b.unpacked = b.unpacked < b.packed ? b.packed : b.unpacked;
    b.to = b.from + b.to % BLOCK_WORDS + 1;
    const uint64_t *words = block_read(reader, &b, payload);
    if (words)
        use(&b, words);
}

static uint64_t in_steps(uint64_t word, uint32_t shift)
{
    return word >> shift << shift;
}

static void check_words(const struct tt_block *b, const uint64_t *want,
                        const uint64_t *words, uint32_t shift)
{
    uint64_t n = b->to - b->from;
    if (n > 1 && want[0] >> TT_TIME_BITS == TT_CLOCK && (uint32_t)want[1] != b->clock)
        shift = 0; // times of another clock
    for (uint64_t i = 0; i < n;) {
        uint32_t k = block_event_words(want, UINT64_MAX, i, n);
        must(words[i] == (k ? in_steps(want[i], shift) : want[i]));
        for (uint32_t j = 1; j < k; j++)
            must(words[i + j] == want[i + j]);
        i += k ? k : 1;
    }
}

static void pack_words(str bytes, uint32_t shift)
{
    uint64_t n = bytes.n / 8, *words = mem_alloc(bytes.n);
    memcpy(words, bytes.p, 8 * n);
    struct buf stream = {0};
    struct block_source s = {.words = words, .mask = UINT64_MAX, .to = n, .shift = shift};
    uint32_t n_blocks = host_pack(coder, s, &stream);
    struct block_cursor c = {.stream = buf_view(&stream)};
    uint64_t at = 0;
    for (; block_next(&c) == BLOCK_WHOLE; n_blocks--) {
        const uint64_t *got = block_read(reader, &c.block, c.payload);
        must(got && c.block.from == at);
        check_words(&c.block, words + at, got, shift);
        at = c.block.to;
    }
    must(at == n && n_blocks == 0 && c.skipped == 0);
    buf_free(&stream);
    mem_free(words);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    if (!coder) {
        coder = host_coder();
        reader = block_reader_new();
    }
    str bytes = {(const char *)data + 1, size - 1};
    if (data[0] == 0)
        read_stream(bytes);
    else if (data[0] == 1)
        read_block(bytes);
    else
        pack_words(bytes, (data[0] - 2u) % 20);
    return 0;
}
