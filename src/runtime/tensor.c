// tensor.c - tensors: shapes and padding, and where their pages are.
#include "runtime/parts.h"

enum { ROW_ALIGN = 64 }; // row pages; the alignment of DRAM reads

const struct rt_dtype rt_dtypes[TTRT_DTYPES] = {
    [TTRT_BFLOAT16] = {"BFLOAT16", 2, 2048},
    [TTRT_FLOAT32] = {"FLOAT32", 4, 4096},
    [TTRT_BFLOAT8_B] = {"BFLOAT8_B", 1, 1088},
    [TTRT_UINT32] = {"UINT32", 4, 4096},
};

const char *rt_layout_name(int layout)
{
    return layout == TTRT_TILE ? "TILE" : "ROW_MAJOR";
}

const char *rt_buffer_name(int buffer)
{
    return buffer == TTRT_DRAM ? "DRAM" : "L1";
}

const char *rt_memory_layout_name(int memory_layout)
{
    static const char *const names[] = {"INTERLEAVED", "HEIGHT_SHARDED", "WIDTH_SHARDED",
                                        "BLOCK_SHARDED"};
    return names[memory_layout];
}

struct ttrt_spec ttrt_spec4(uint32_t w, uint32_t z, uint32_t y, uint32_t x)
{
    return (struct ttrt_spec){.shape = {w, z, y, x}};
}

struct ttrt_spec ttrt_spec2(uint32_t y, uint32_t x)
{
    return ttrt_spec4(1, 1, y, x);
}

// --- page placement --------------------------------------------------------------------
static uint32_t divide_up(uint32_t n, uint32_t size)
{
    return (n + size - 1) / size;
}

// Rectangles of pages on cores.
struct shards {
    uint32_t across, down;   // pages of the whole tensor
    uint32_t width, height;  // pages of a shard
    uint32_t cores_in_a_row; // that a row of shards is spread over
};

static struct shards shards_of(const ttrt_tensor *t)
{
    const struct ttrt_memory *memory = &t->spec.memory;
    uint32_t x = (uint32_t)memory->shard_x, y = (uint32_t)memory->shard_y, cores = x * y;
    bool is_tile = t->spec.layout == TTRT_TILE;
    uint32_t across = is_tile ? t->padded[3] / RT_TILE : 1;
    struct shards s = {.across = across, .down = t->n_pages / across};
    if (memory->layout == TTRT_HEIGHT_SHARDED)
        s.width = s.across, s.height = divide_up(s.down, cores), s.cores_in_a_row = 1;
    else if (memory->layout == TTRT_WIDTH_SHARDED)
        s.width = divide_up(s.across, cores), s.height = s.down, s.cores_in_a_row = cores;
    else
        s.width = divide_up(s.across, x), s.height = divide_up(s.down, y),
        s.cores_in_a_row = x;
    return s;
}

static bool is_sharded(const ttrt_tensor *t)
{
    return t->spec.memory.layout != TTRT_INTERLEAVED;
}

ttdev_place rt_page_place(const ttrt_tensor *t, uint32_t page)
{
    uint32_t across = (uint32_t)t->m->info.grid.x, core, index;
    if (is_sharded(t)) {
        struct shards s = shards_of(t);
        uint32_t column = page % s.across, row = page / s.across;
        across = (uint32_t)t->spec.memory.shard_x;
        core = row / s.height * s.cores_in_a_row + column / s.width;
        index = row % s.height * s.width + column % s.width;
    } else {
        uint32_t cores = across * (uint32_t)t->m->info.grid.y;
        core = page % cores;
        index = page / cores;
    }
    return (ttdev_place){{(int)(core % across), (int)(core / across)}, index};
}

uint32_t rt_grid_corner(const ttrt *m)
{
    ttdev_xy first = {0, 0}, at = first;
    uint32_t before = 255, gap = 0;
    (void)ttdev_xlat(m->t, 0, (ttdev_xy){0, 0}, TTDEV_LOGICAL, TTDEV_VIRTUAL, &first);
    for (int x = 1; x < m->info.grid.x && !gap; x++) {
        (void)ttdev_xlat(m->t, 0, (ttdev_xy){x, 0}, TTDEV_LOGICAL, TTDEV_VIRTUAL, &at);
        if (at.x != first.x + x) {
            before = (uint32_t)x;
            gap = (uint32_t)(at.x - first.x - x);
        }
    }
    return (uint32_t)first.x | (uint32_t)first.y << 8 | before << 16 | gap << 24;
}

// The words read by kernel/ops/operand.h.
void rt_operand(const ttrt_tensor *t, uint32_t words[RT_OPERAND_WORDS])
{
    enum { DRAM, L1, SHARDED };
    memset(words, 0, RT_OPERAND_WORDS * sizeof *words);
    words[0] = t->address;
    words[1] = t->page_bytes;
    words[2] = t->spec.memory.buffer == TTRT_DRAM ? DRAM : is_sharded(t) ? SHARDED : L1;
    if (words[2] == DRAM)
        return;
    words[3] = (uint32_t)t->m->info.grid.x;
    words[4] = words[3] * (uint32_t)t->m->info.grid.y;
    words[7] = rt_grid_corner(t->m);
    if (words[2] == SHARDED) {
        struct shards s = shards_of(t);
        words[2] |= s.cores_in_a_row << 8;
        words[3] = (uint32_t)t->spec.memory.shard_x;
        words[4] = s.across;
        words[5] = s.width;
        words[6] = s.height;
    }
}

// --- creating --------------------------------------------------------------------------
static bool check_shards(ttrt *m, struct ttrt_spec *spec, const char *name)
{
    struct ttrt_memory *memory = &spec->memory;
    if (memory->layout == TTRT_INTERLEAVED) {
        memory->shard_x = memory->shard_y = 0;
        return true;
    }
    if (!memory->shard_x && !memory->shard_y) {
        memory->shard_x = m->info.grid.x;
        memory->shard_y = m->info.grid.y;
    }
    if (memory->buffer != TTRT_L1)
        rt_fail(m, "tensor '%s': shards must be in L1", name);
    else if (memory->shard_x < 1 || memory->shard_y < 1 ||
             memory->shard_x > m->info.grid.x || memory->shard_y > m->info.grid.y)
        rt_fail(m, "tensor '%s': shards on %dx%d cores, but the device has %dx%d", name,
                memory->shard_x, memory->shard_y, m->info.grid.x, m->info.grid.y);
    else if (spec->layout != TTRT_TILE && memory->layout != TTRT_HEIGHT_SHARDED)
        rt_fail(m, "tensor '%s': row-major tensors can only be height sharded", name);
    return !m->code;
}

// Values with padding; too large for any tensor if a row's bytes exceed 32 bits.
static uint64_t padded_volume(const struct ttrt_spec *spec)
{
    bool is_tile = spec->layout == TTRT_TILE;
    uint64_t volume = 1;
    for (int i = 0; i < 4 && volume <= UINT32_MAX; i++) {
        uint64_t side = spec->shape[i];
        if (is_tile && i > 1)
            side = (side + RT_TILE - 1) / RT_TILE * RT_TILE;
        volume *= side;
    }
    uint64_t row = is_tile ? 0 : (uint64_t)spec->shape[3] * sizeof(float) + ROW_ALIGN;
    return volume && row > UINT32_MAX ? row : volume;
}

static bool check_spec(ttrt *m, struct ttrt_spec *spec, const char *name)
{
    uint64_t volume = padded_volume(spec);
    if (!volume || volume > UINT32_MAX)
        rt_fail(m, "tensor '%s': a shape of %u x %u x %u x %u is %s", name, spec->shape[0],
                spec->shape[1], spec->shape[2], spec->shape[3],
                volume ? "too large" : "empty");
    else if (spec->dtype < 0 || spec->dtype >= TTRT_DTYPES || spec->layout < TTRT_TILE ||
             spec->layout > TTRT_ROW_MAJOR || spec->memory.buffer < TTRT_DRAM ||
             spec->memory.buffer > TTRT_L1 || spec->memory.layout < TTRT_INTERLEAVED ||
             spec->memory.layout > TTRT_BLOCK_SHARDED)
        rt_fail(m, "tensor '%s': unknown data type, layout or memory", name);
    else if (spec->dtype == TTRT_BFLOAT8_B && spec->layout != TTRT_TILE)
        rt_fail(m, "tensor '%s': BFLOAT8_B needs tiles", name);
    return !m->code && check_shards(m, spec, name);
}

static void lay_out_pages(ttrt_tensor *t)
{
    const struct rt_dtype *dtype = &rt_dtypes[t->spec.dtype];
    bool is_tile = t->spec.layout == TTRT_TILE;
    for (int i = 0; i < 4; i++)
        t->padded[i] = is_tile && i > 1 ? divide_up(t->spec.shape[i], RT_TILE) * RT_TILE
                                        : t->spec.shape[i];
    uint32_t matrices = t->padded[0] * t->padded[1];
    if (is_tile) {
        t->n_pages = matrices * (t->padded[2] / RT_TILE) * (t->padded[3] / RT_TILE);
        t->page_bytes = dtype->tile_bytes;
    } else {
        t->n_pages = matrices * t->padded[2];
        t->page_bytes = divide_up(t->padded[3] * dtype->bytes, ROW_ALIGN) * ROW_ALIGN;
    }
    if (is_sharded(t)) {
        struct shards s = shards_of(t);
        t->pages_per_core = s.width * s.height;
    }
}

ttrt_tensor *ttrt_empty(ttrt *m, struct ttrt_spec spec, const char *name)
{
    if (!rt_enter(m))
        return NULL;
    name = name ? name : "tensor";
    if (!check_spec(m, &spec, name))
        return NULL;
    ttrt_tensor *t = mem_alloc(sizeof *t);
    vec_push(&m->tensors, t);
    *t = (ttrt_tensor){.m = m, .spec = spec, .name = arena_str(&m->life, str_of(name)).p};
    lay_out_pages(t);
    rt_buffer_make(m, t);
    return m->code ? NULL : t;
}

void ttrt_free(ttrt *m, ttrt_tensor *t)
{
    if (!rt_enter(m) || !t)
        return;
    if (t->is_freed)
        rt_fail(m, "tensor '%s' freed twice", t->name);
    else
        rt_buffer_free(m, t);
}

bool rt_tensor_check(ttrt *m, const ttrt_tensor *t, const char *what)
{
    if (!rt_enter(m))
        return false;
    if (!t)
        rt_fail(m, "%s: no tensor", what);
    else if (t->m != m)
        rt_fail(m, "%s: tensor '%s' is on another device", what, t->name);
    else if (t->is_freed)
        rt_fail(m, "%s: tensor '%s' was freed", what, t->name);
    return !m->code;
}

struct ttrt_spec ttrt_spec_of(const ttrt_tensor *t)
{
    return t ? t->spec : (struct ttrt_spec){0};
}

size_t ttrt_volume(const ttrt_tensor *t)
{
    size_t volume = t != NULL;
    for (int i = 0; t && i < 4; i++)
        volume *= t->spec.shape[i];
    return volume;
}
