// tensor.c - workload data: generated numbers, bf16, tiles, pages over DRAM banks.
#include <math.h>
#include <string.h>

#include "ttprof/host.h"
#include "workloads/workloads.h"

enum { FACE_SIDE = 16 };

uint16_t bf16_of(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    if ((bits & 0x7FFFFFFFu) > 0x7F800000u)
        return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)((bits + 0x7FFFu + (bits >> 16 & 1)) >> 16);
}

float bf16_value(uint16_t bits)
{
    uint32_t wide = (uint32_t)bits << 16;
    float v;
    memcpy(&v, &wide, sizeof v);
    return v;
}

float bf16_round(float v)
{
    return bf16_value(bf16_of(v));
}

uint32_t data_word(uint32_t seed, uint32_t index)
{
    uint32_t x = seed * 0x9E3779B9u + index * 0x85EBCA6Bu + 1;
    x = (x ^ x >> 16) * 0x7FEB352Du;
    x = (x ^ x >> 15) * 0x846CA68Bu;
    return x ^ x >> 16;
}

float data_real(uint32_t seed, uint32_t index)
{
    return (float)((int)(data_word(seed, index) % 129) - 64) / 64;
}

// --- tiles ---

void faces_pack(const float *v, int stride, uint16_t *tile)
{
    for (int face = 0; face < 4; face++)
        for (int row = 0; row < FACE_SIDE; row++)
            for (int column = 0; column < FACE_SIDE; column++)
                *tile++ = bf16_of(v[(row + face / 2 * FACE_SIDE) * stride + column +
                                    face % 2 * FACE_SIDE]);
}

void faces_unpack(const uint16_t *tile, int stride, float *v)
{
    for (int face = 0; face < 4; face++)
        for (int row = 0; row < FACE_SIDE; row++)
            for (int column = 0; column < FACE_SIDE; column++)
                v[(row + face / 2 * FACE_SIDE) * stride + column + face % 2 * FACE_SIDE] =
                    bf16_value(*tile++);
}

void want_matmul(float *want, int want_row, struct matrix a, struct matrix b, int rows,
                 int inner, int columns)
{
    for (int i = 0; i < rows; i++) {
        float *restrict sums = want + (size_t)i * (size_t)want_row;
        memset(sums, 0, (size_t)columns * sizeof *sums);
        for (int k = 0; k < inner; k++) {
            const float *restrict right = b.v + (size_t)k * (size_t)b.row;
            float left = a.v[(size_t)i * (size_t)a.row + (size_t)k];
            for (int j = 0; j < columns; j++)
                sums[j] += left * right[j];
        }
        for (int j = 0; j < columns; j++)
            sums[j] = bf16_round(sums[j]);
    }
}

double worst_error(const float *got, const float *want, size_t n, double floor)
{
    double worst = 0;
    for (size_t i = 0; i < n; i++) {
        double size = fabs((double)want[i]) > floor ? fabs((double)want[i]) : floor;
        if (got[i] == want[i]) // also when both are infinite
            continue;
        double error = fabs((double)got[i] - (double)want[i]) / size;
        if (!(error <= worst)) // also if it is NaN
            worst = isnan(error) ? INFINITY : error;
    }
    return worst;
}

// --- DRAM ---

static uint32_t pages_in_bank(const struct run *r, uint32_t pages, uint32_t bank)
{
    uint32_t banks = (uint32_t)r->info.n_banks;
    return pages / banks + (bank < pages % banks);
}

uint32_t dram_place(struct run *r, const char *name, uint32_t pages, uint32_t page_bytes)
{
    uint32_t at = r->dram_next;
    r->dram_next += (pages_in_bank(r, pages, 0) * page_bytes + 63) / 64 * 64;
    if (r->t)
        (void)ttdev_tell_buffer(r->t, 0, true, "DRAM", name, at,
                                (uint64_t)pages * page_bytes);
    return at;
}

// Gathers or scatters the pages of one bank.
static void copy_bank(const struct run *r, uint32_t bank, uint32_t pages,
                      uint32_t page_bytes, uint8_t *all, uint8_t *own, bool to_own)
{
    uint32_t banks = (uint32_t)r->info.n_banks;
    for (uint32_t page = bank, i = 0; page < pages; page += banks, i++) {
        uint8_t *in_all = all + (size_t)page * page_bytes;
        uint8_t *in_own = own + (size_t)i * page_bytes;
        memcpy(to_own ? in_own : in_all, to_own ? in_all : in_own, page_bytes);
    }
}

static void move_pages(struct run *r, int dev, uint32_t address, uint32_t pages,
                       uint32_t page_bytes, uint8_t *data, bool is_write)
{
    uint32_t banks = (uint32_t)r->info.n_banks;
    uint8_t *own = mem_alloc((size_t)pages_in_bank(r, pages, 0) * page_bytes);
    for (uint32_t bank = 0; bank < banks && bank < pages && !r->has_failed; bank++) {
        size_t bytes = (size_t)pages_in_bank(r, pages, bank) * page_bytes;
        int rc;
        if (is_write) {
            copy_bank(r, bank, pages, page_bytes, data, own, true);
            rc = ttdev_dram_write(r->t, dev, (int)bank, address, own, bytes);
        } else {
            rc = ttdev_dram_read(r->t, dev, (int)bank, address, own, bytes);
            copy_bank(r, bank, pages, page_bytes, data, own, false);
        }
        if (rc < 0)
            run_fail(r, "DRAM bank %u: %s of %zu bytes at 0x%x: %s", bank,
                     is_write ? "write" : "read", bytes, address, strerror(-rc));
    }
    mem_free(own);
}

void dram_write_pages(struct run *r, int dev, uint32_t address, uint32_t pages,
                      uint32_t page_bytes, const void *data)
{
    TTPROF_ZONE("WriteToBuffer");
    uint8_t *copy = mem_alloc((size_t)pages * page_bytes);
    memcpy(copy, data, (size_t)pages * page_bytes);
    move_pages(r, dev, address, pages, page_bytes, copy, true);
    mem_free(copy);
}

void dram_read_pages(struct run *r, int dev, uint32_t address, uint32_t pages,
                     uint32_t page_bytes, void *data)
{
    TTPROF_ZONE("ReadFromBuffer");
    move_pages(r, dev, address, pages, page_bytes, data, false);
}

// --- tensors ---

struct tensor tensor_new(struct run *r, const char *name, int rows, int columns)
{
    struct tensor t = {.name = name, .rows = rows, .columns = columns};
    t.v = push_many(&r->a, float, (size_t)rows *(size_t)columns);
    t.address = dram_place(r, name, tensor_tiles(&t), TILE_BYTES);
    return t;
}

uint32_t tensor_tiles(const struct tensor *t)
{
    return (uint32_t)(t->rows / TILE_SIDE * (t->columns / TILE_SIDE));
}

void tensor_fill(struct tensor *t, uint32_t seed, float scale)
{
    uint32_t n = (uint32_t)(t->rows * t->columns);
    for (uint32_t i = 0; i < n; i++)
        t->v[i] = bf16_round(data_real(seed, i) * scale);
}

// First value of a tile.
static float *tile_of(const struct tensor *t, uint32_t tile)
{
    uint32_t across = (uint32_t)(t->columns / TILE_SIDE);
    return tensor_at(t, (int)(tile / across) * TILE_SIDE, (int)(tile % across) * TILE_SIDE);
}

void tensor_write(struct run *r, const struct tensor *t)
{
    TTPROF_ZONE_AS(zone, "WriteToBuffer", 0);
    TTPROF_TEXT(zone, t->name, strlen(t->name));
    uint32_t tiles = tensor_tiles(t);
    uint16_t *pages = mem_alloc((size_t)tiles * TILE_BYTES);
    for (uint32_t i = 0; i < tiles; i++)
        faces_pack(tile_of(t, i), t->columns, pages + (size_t)i * TILE_VALUES);
    move_pages(r, 0, t->address, tiles, TILE_BYTES, (uint8_t *)pages, true);
    mem_free(pages);
}

void tensor_write_bfp8(struct run *r, const struct tensor *t)
{
    TTPROF_ZONE_AS(zone, "WriteToBuffer", 0);
    TTPROF_TEXT(zone, t->name, strlen(t->name));
    enum { EXPONENTS = TILE_VALUES / FACE_SIDE };
    uint32_t tiles = tensor_tiles(t);
    uint8_t *pages = mem_alloc((size_t)tiles * TILE_BYTES_BFP8);
    for (uint32_t i = 0; i < tiles; i++) {
        uint8_t *page = pages + (size_t)i * TILE_BYTES_BFP8;
        uint16_t tile[TILE_VALUES];
        faces_pack(tile_of(t, i), t->columns, tile);
        memset(page, 127, EXPONENTS); // exponent of 1: mantissas count in steps of 1/64
        for (int k = 0; k < TILE_VALUES; k++) {
            float v = bf16_value(tile[k]);
            page[EXPONENTS + k] = (uint8_t)((v < 0 ? 0x80 : 0) | (int)fabsf(v * 64));
        }
    }
    move_pages(r, 0, t->address, tiles, TILE_BYTES_BFP8, pages, true);
    mem_free(pages);
}

void tensor_read(struct run *r, struct tensor *t)
{
    TTPROF_ZONE_AS(zone, "ReadFromBuffer", 0);
    TTPROF_TEXT(zone, t->name, strlen(t->name));
    uint32_t tiles = tensor_tiles(t);
    uint16_t *pages = mem_alloc((size_t)tiles * TILE_BYTES);
    move_pages(r, 0, t->address, tiles, TILE_BYTES, (uint8_t *)pages, false);
    for (uint32_t i = 0; i < tiles; i++)
        faces_unpack(pages + (size_t)i * TILE_VALUES, t->columns, tile_of(t, i));
    mem_free(pages);
}
