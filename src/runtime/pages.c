// pages.c - converts between values in logical order and pages in device memory: tiles of
// four faces, or rows. Padding is written as zeros and never read.
#include "runtime/parts.h"
#include "sim/engine/engine_math.h"
#include "ttprof/engine_ops.h"

// --- one tile --------------------------------------------------------------------------
enum { FACE_ROW_BYTES = TILE_FACE * 4 };

// Where a face row of 16 words begins in the row-major tile.
static size_t face_row(size_t place)
{
    size_t face = place / TILE_FACE, row = place % TILE_FACE;
    return (face / 2 * TILE_FACE + row) * TILE_SIDE + face % 2 * TILE_FACE;
}

static void words_pack(uint8_t *out, const uint32_t *in)
{
    for (size_t place = 0; place < TILE_ELEMENTS / TILE_FACE; place++)
        memcpy(out + place * TILE_FACE * 4, in + face_row(place), FACE_ROW_BYTES);
}

static void words_unpack(uint32_t *out, const uint8_t *in)
{
    for (size_t place = 0; place < TILE_ELEMENTS / TILE_FACE; place++)
        memcpy(out + face_row(place), in + place * TILE_FACE * 4, FACE_ROW_BYTES);
}

static const uint32_t formats[TTRT_DTYPES] = {[TTRT_BFLOAT16] = TT_FORMAT_BFLOAT16,
                                              [TTRT_FLOAT32] = TT_FORMAT_FLOAT32,
                                              [TTRT_BFLOAT8_B] = TT_FORMAT_BFP8};

// Values have four bytes in all types: floats or integer words.
union tile_values {
    float reals[TILE_ELEMENTS];
    uint32_t words[TILE_ELEMENTS];
};

static void tile_to_page(int dtype, const union tile_values *tile, uint8_t *page)
{
    if (dtype == TTRT_UINT32)
        words_pack(page, tile->words);
    else
        tile_pack(page, tile->reals, formats[dtype]);
}

static void page_to_tile(int dtype, const uint8_t *page, union tile_values *tile)
{
    if (dtype == TTRT_UINT32)
        words_unpack(tile->words, page);
    else
        tile_unpack(tile->reals, page, formats[dtype]);
}

// --- tiles -----------------------------------------------------------------------------
// The part of the tensor a tile covers: where it begins and how much is not padding.
struct window {
    size_t first; // value
    size_t rows, columns;
};

static struct window window_of(const ttrt_tensor *t, uint32_t page)
{
    uint32_t across = t->padded[3] / RT_TILE, down = t->padded[2] / RT_TILE;
    uint32_t column = page % across * RT_TILE, row = page / across % down * RT_TILE;
    size_t matrix = page / across / down;
    uint32_t height = t->spec.shape[2], width = t->spec.shape[3];
    return (struct window){.first = (matrix * height + row) * width + column,
                           .rows = height - row < RT_TILE ? height - row : RT_TILE,
                           .columns = width - column < RT_TILE ? width - column : RT_TILE};
}

static void tiles_pack(const ttrt_tensor *t, const uint32_t *values, uint8_t *pages)
{
    for (uint32_t page = 0; page < t->n_pages; page++) {
        union tile_values tile = {{0}};
        struct window w = window_of(t, page);
        for (size_t row = 0; row < w.rows; row++)
            memcpy(tile.words + row * RT_TILE, values + w.first + row * t->spec.shape[3],
                   w.columns * 4);
        tile_to_page(t->spec.dtype, &tile, pages + (size_t)page * t->page_bytes);
    }
}

static void tiles_unpack(const ttrt_tensor *t, const uint8_t *pages, uint32_t *values)
{
    for (uint32_t page = 0; page < t->n_pages; page++) {
        union tile_values tile;
        struct window w = window_of(t, page);
        page_to_tile(t->spec.dtype, pages + (size_t)page * t->page_bytes, &tile);
        for (size_t row = 0; row < w.rows; row++)
            memcpy(values + w.first + row * t->spec.shape[3], tile.words + row * RT_TILE,
                   w.columns * 4);
    }
}

// --- rows ------------------------------------------------------------------------------
static uint16_t half_of(uint32_t bits) // to nearest, ties to even; one NaN
{
    bool is_nan = (bits & 0x7FFFFFFFu) > 0x7F800000u;
    return is_nan ? 0x7FC0 : (uint16_t)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

static void row_pack(const ttrt_tensor *t, const uint32_t *row, uint8_t *page)
{
    if (t->spec.dtype != TTRT_BFLOAT16) {
        memcpy(page, row, (size_t)t->spec.shape[3] * 4);
        return;
    }
    for (uint32_t i = 0; i < t->spec.shape[3]; i++) {
        uint32_t bits;
        memcpy(&bits, row + i, sizeof bits);
        uint16_t half = half_of(bits);
        memcpy(page + (size_t)i * 2, &half, sizeof half);
    }
}

static void row_unpack(const ttrt_tensor *t, const uint8_t *page, uint32_t *row)
{
    if (t->spec.dtype != TTRT_BFLOAT16) {
        memcpy(row, page, (size_t)t->spec.shape[3] * 4);
        return;
    }
    for (uint32_t i = 0; i < t->spec.shape[3]; i++) {
        uint16_t half;
        memcpy(&half, page + (size_t)i * 2, sizeof half);
        uint32_t bits = (uint32_t)half << 16;
        memcpy(row + i, &bits, sizeof bits);
    }
}

// --- all layouts -----------------------------------------------------------------------
void rt_pages_pack(const ttrt_tensor *t, const void *values, uint8_t *pages)
{
    if (t->spec.layout == TTRT_TILE) {
        tiles_pack(t, values, pages);
        return;
    }
    for (size_t i = 0; i < t->n_pages; i++)
        row_pack(t, (const uint32_t *)values + i * t->spec.shape[3],
                 pages + i * t->page_bytes);
}

void rt_pages_unpack(const ttrt_tensor *t, const uint8_t *pages, void *values)
{
    if (t->spec.layout == TTRT_TILE) {
        tiles_unpack(t, pages, values);
        return;
    }
    for (size_t i = 0; i < t->n_pages; i++)
        row_unpack(t, pages + i * t->page_bytes, (uint32_t *)values + i * t->spec.shape[3]);
}
