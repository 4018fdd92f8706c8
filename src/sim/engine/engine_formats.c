// engine_formats.c - tile formats in L1: four faces of 16 x 16, (0,0) (0,1) (1,0) (1,1),
// each row by row. Block floats (bfp8) start with one exponent per face row.
#include <string.h>

#include "sim/engine/engine_math.h"
#include "ttprof/engine_ops.h"

enum {
    BFP8_EXPONENTS = TILE_ELEMENTS / TILE_FACE,
    BFP8_MANTISSA_BITS = 7, // the leading one is explicit
    FLOAT_MANTISSA_BITS = 23,
    BF16_NAN = 0x7FC0,
};
#define FLOAT_NAN 0x7FC00000u
#define FLOAT_INF 0x7F800000u

static uint32_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float bits_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// NaN sign and payload differ between hosts, so all NaNs become the same one.
static uint32_t float_bits_plain(float value)
{
    uint32_t bits = float_bits(value);
    return (bits & ~0x80000000u) > FLOAT_INF ? FLOAT_NAN : bits;
}

static uint32_t bf16_from(float value)
{
    uint32_t bits = float_bits(value);
    uint32_t rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
    return (bits & ~0x80000000u) > FLOAT_INF ? (uint32_t)BF16_NAN : rounded;
}

void tile_round_bf16(float *tile)
{
    for (size_t i = 0; i < TILE_ELEMENTS; i++)
        tile[i] = bits_float(bf16_from(tile[i]) << 16);
}

// --- one row of a face -----------------------------------------------------------------
// `place` is the row's number in L1, 0..63; `row` points to its 16 floats.
static void float32_unpack(float *row, const uint8_t *tile, size_t place)
{
    memcpy(row, tile + place * TILE_FACE * 4, TILE_FACE * sizeof *row);
}

static void float32_pack(uint8_t *tile, const float *row, size_t place)
{
    uint32_t words[TILE_FACE];
    for (size_t i = 0; i < TILE_FACE; i++)
        words[i] = float_bits_plain(row[i]);
    memcpy(tile + place * TILE_FACE * 4, words, sizeof words);
}

static void bf16_unpack(float *row, const uint8_t *tile, size_t place)
{
    uint16_t halves[TILE_FACE];
    memcpy(halves, tile + place * TILE_FACE * 2, sizeof halves);
    for (size_t i = 0; i < TILE_FACE; i++)
        row[i] = bits_float((uint32_t)halves[i] << 16);
}

static void bf16_pack(uint8_t *tile, const float *row, size_t place)
{
    uint16_t halves[TILE_FACE];
    for (size_t i = 0; i < TILE_FACE; i++)
        halves[i] = (uint16_t)bf16_from(row[i]);
    memcpy(tile + place * TILE_FACE * 2, halves, sizeof halves);
}

// Also handles exponents that a float cannot hold.
static double power_of_two(int power)
{
    uint64_t bits = (uint64_t)(power + 1023) << 52;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static float bfp8_value(uint32_t exponent, uint32_t byte)
{
    uint32_t mantissa = byte & 0x7F, sign = byte >> 7 << 31;
    if (exponent == 0xFF && mantissa)
        return bits_float(sign | FLOAT_INF);
    double value = mantissa * power_of_two((int)exponent - 127 - (BFP8_MANTISSA_BITS - 1));
    return bits_float(sign | float_bits((float)value));
}

static void bfp8_unpack(float *row, const uint8_t *tile, size_t place)
{
    const uint8_t *bytes = tile + BFP8_EXPONENTS + place * TILE_FACE;
    for (size_t i = 0; i < TILE_FACE; i++)
        row[i] = bfp8_value(tile[place], bytes[i]);
}

// Numbers below a float's exponent range become zero, as on silicon.
static uint32_t bfp8_byte(uint32_t bits, uint32_t shared)
{
    uint32_t exponent = bits >> FLOAT_MANTISSA_BITS & 0xFF;
    uint32_t shift = FLOAT_MANTISSA_BITS + 1 - BFP8_MANTISSA_BITS + shared - exponent;
    if (!exponent || shift > FLOAT_MANTISSA_BITS + 2)
        return 0;
    uint32_t whole = 1u << FLOAT_MANTISSA_BITS | (bits & ((1u << FLOAT_MANTISSA_BITS) - 1));
    uint32_t mantissa = whole >> shift;
    uint32_t rest = whole & ((1u << shift) - 1), tie = 1u << (shift - 1);
    mantissa += rest > tie || (rest == tie && (mantissa & 1));
    if (mantissa > 0x7F)
        mantissa = 0x7F;
    return mantissa ? (bits >> 31 << 7 | mantissa) : 0;
}

static void bfp8_pack(uint8_t *tile, const float *row, size_t place)
{
    uint32_t shared = 0;
    for (size_t i = 0; i < TILE_FACE; i++) {
        uint32_t exponent = float_bits(row[i]) >> FLOAT_MANTISSA_BITS & 0xFF;
        shared = exponent > shared ? exponent : shared;
    }
    tile[place] = (uint8_t)shared;
    uint8_t *bytes = tile + BFP8_EXPONENTS + place * TILE_FACE;
    for (size_t i = 0; i < TILE_FACE; i++)
        bytes[i] = (uint8_t)bfp8_byte(float_bits_plain(row[i]), shared);
}

// --- tiles -----------------------------------------------------------------------------
struct format {
    uint32_t code, bytes;
    void (*unpack)(float *row, const uint8_t *tile, size_t place);
    void (*pack)(uint8_t *tile, const float *row, size_t place);
};
static const struct format formats[] = {
    // clang-format off
    {TT_FORMAT_FLOAT32,  4096, float32_unpack, float32_pack},
    {TT_FORMAT_BFLOAT16, 2048, bf16_unpack,    bf16_pack},
    {TT_FORMAT_BFP8,     1088, bfp8_unpack,    bfp8_pack},
    // clang-format on
};

static const struct format *format_find(uint32_t code)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].code == code)
            return &formats[i];
    return NULL;
}

// Where row `place` of the L1 order begins in the row-major tile.
static size_t row_start(size_t place)
{
    size_t face = place / TILE_FACE, row = place % TILE_FACE;
    return (face / 2 * TILE_FACE + row) * TILE_SIDE + face % 2 * TILE_FACE;
}

uint32_t tile_format_bytes(uint32_t format)
{
    const struct format *found = format_find(format);
    return found ? found->bytes : 0;
}

void tile_unpack(float *out, const uint8_t *in, uint32_t format)
{
    const struct format *found = format_find(format);
    for (size_t place = 0; place < TILE_ELEMENTS / TILE_FACE; place++)
        found->unpack(out + row_start(place), in, place);
}

void tile_pack(uint8_t *out, const float *in, uint32_t format)
{
    const struct format *found = format_find(format);
    for (size_t place = 0; place < TILE_ELEMENTS / TILE_FACE; place++)
        found->pack(out, in + row_start(place), place);
}

void tile_transpose(float *tile)
{
    for (size_t row = 0; row < TILE_SIDE; row++)
        for (size_t column = 0; column < row; column++) {
            float other = tile[row * TILE_SIDE + column];
            tile[row * TILE_SIDE + column] = tile[column * TILE_SIDE + row];
            tile[column * TILE_SIDE + row] = other;
        }
}
