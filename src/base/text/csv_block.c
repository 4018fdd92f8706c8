// csv_block.c - classification by AVX2, SSE2 or plain 64-bit words.
#include "base/text/csv_block.h"

#include <string.h>

// One bit per byte of `word` that equals the byte repeated in `pattern`.
static uint64_t word_equal(uint64_t word, uint64_t pattern)
{
    const uint64_t low7 = UINT64_C(0x7F7F7F7F7F7F7F7F);
    uint64_t x = word ^ pattern;
    uint64_t zero = ~(((x & low7) + low7) | x | low7); // 0x80 where the byte was equal
    return (zero >> 7) * UINT64_C(0x0102040810204080) >> 56;
}

void csv_classify_portable(const char *p, size_t n_blocks, struct csv_masks *m)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    for (size_t i = 0; i < n_blocks; i++) {
        uint64_t comma = 0, newline = 0, quote = 0, high = 0;
        for (unsigned w = 0; w < 8; w++) {
            uint64_t word;
            memcpy(&word, p + i * CSV_BLOCK + (size_t)w * 8, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
            word = __builtin_bswap64(word);
#endif
            comma |= word_equal(word, ones * ',') << (w * 8);
            newline |= word_equal(word, ones * '\n') << (w * 8);
            quote |= word_equal(word, ones * '"') << (w * 8);
            high |= word;
        }
        m->comma[i] = comma;
        m->newline[i] = newline;
        m->quote[i] = quote;
        m->has_high |= (high & ones * 0x80) != 0;
    }
}

#ifdef __x86_64__
#include <immintrin.h>

void csv_classify_sse2(const char *p, size_t n_blocks, struct csv_masks *m)
{
    const __m128i comma = _mm_set1_epi8(','), newline = _mm_set1_epi8('\n'),
                  quote = _mm_set1_epi8('"');
    __m128i high = _mm_setzero_si128();
    for (size_t i = 0; i < n_blocks; i++) {
        uint64_t c = 0, n = 0, q = 0;
        for (unsigned part = 0; part < 4; part++) {
            const char *at = p + i * CSV_BLOCK + (size_t)part * 16;
            __m128i x = _mm_loadu_si128((const void *)at);
            unsigned shift = part * 16;
            c |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(x, comma)) << shift;
            n |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(x, newline)) << shift;
            q |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(x, quote)) << shift;
            high = _mm_or_si128(high, x);
        }
        m->comma[i] = c;
        m->newline[i] = n;
        m->quote[i] = q;
    }
    m->has_high |= _mm_movemask_epi8(high) != 0;
}

__attribute__((target("avx2"))) static uint64_t equal64(__m256i low, __m256i high,
                                                        char what)
{
    __m256i w = _mm256_set1_epi8(what);
    uint32_t a = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, w));
    uint32_t b = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, w));
    return (uint64_t)b << 32 | a;
}

__attribute__((target("avx2"))) static void classify_avx2(const char *p, size_t n_blocks,
                                                          struct csv_masks *m)
{
    __m256i any = _mm256_setzero_si256();
    for (size_t i = 0; i < n_blocks; i++) {
        __m256i low = _mm256_loadu_si256((const void *)(p + i * CSV_BLOCK));
        __m256i high = _mm256_loadu_si256((const void *)(p + i * CSV_BLOCK + 32));
        m->comma[i] = equal64(low, high, ',');
        m->newline[i] = equal64(low, high, '\n');
        m->quote[i] = equal64(low, high, '"');
        any = _mm256_or_si256(any, _mm256_or_si256(low, high));
    }
    m->has_high |= _mm256_movemask_epi8(any) != 0;
}

csv_classify_fn *csv_classifier(void)
{
    return __builtin_cpu_supports("avx2") ? classify_avx2 : csv_classify_sse2;
}
#else
csv_classify_fn *csv_classifier(void)
{
    return csv_classify_portable;
}
#endif
