// ops_common.c - operands, texts and work shares of the op library.
#include <stdarg.h>
#include <stdio.h>

#include "runtime/ops.h"

// --- operands and results --------------------------------------------------------------
bool ops_check(ttrt *m, const char *code, const ttrt_tensor *const *tensors, size_t n)
{
    if (!rt_enter(m))
        return false;
    for (size_t i = 0; i < n; i++) {
        if (!rt_tensor_check(m, tensors[i], code))
            return false;
        if (tensors[i]->spec.layout != TTRT_TILE || tensors[i]->spec.dtype == TTRT_UINT32)
            rt_fail(m, "%s: '%s' is %s of %s; it must be tiles of real numbers", code,
                    tensors[i]->name, rt_layout_name(tensors[i]->spec.layout),
                    rt_dtypes[tensors[i]->spec.dtype].name);
    }
    return !rt_has_failed(m);
}

ttrt_tensor *ops_result(ttrt *m, const char *code, const struct ttrt_how *how,
                        const uint32_t shape[4], int dtype)
{
    struct ttrt_spec spec = {.dtype = dtype};
    memcpy(spec.shape, shape, sizeof spec.shape);
    if (how && how->is_typed)
        spec.dtype = how->dtype;
    if (how && how->has_memory)
        spec.memory = how->memory;
    if (spec.dtype == TTRT_UINT32)
        rt_fail(m, "%s: the result cannot be UINT32", code);
    ttrt_tensor *t = ttrt_empty(m, spec, how && how->name ? how->name : code);
    if (t)
        rt_will_be_made(m, t);
    return t;
}

const char *ops_shape_text(ttrt *m, const ttrt_tensor *t)
{
    const uint32_t *s = t->spec.shape;
    return arena_printf(rt_arena(m), "%u x %u x %u x %u", s[0], s[1], s[2], s[3]).p;
}

uint32_t ops_tiles(uint32_t length)
{
    return (length + RT_TILE - 1) / RT_TILE;
}

struct ops_extent ops_extent(const ttrt_tensor *t)
{
    return (struct ops_extent){
        {t->padded[0], t->padded[1], t->padded[2] / RT_TILE, t->padded[3] / RT_TILE}};
}

void ops_strides(const ttrt_tensor *t, uint32_t strides[4])
{
    struct ops_extent e = ops_extent(t);
    uint32_t pages = 1;
    for (int i = 3; i >= 0; i--) {
        strides[i] = e.n[i] > 1 ? pages : 0;
        pages *= e.n[i];
    }
}

int ops_fidelity(const struct ttrt_how *how)
{
    int fidelity = how ? how->fidelity : 0;
    return fidelity >= TTRT_LOFI && fidelity <= TTRT_HIFI4 ? fidelity : TTRT_HIFI4;
}

static uint32_t last_tile_length(uint32_t length)
{
    return length % RT_TILE ? length % RT_TILE : RT_TILE;
}

uint32_t ops_edge_rows(uint32_t length, int fill)
{
    return last_tile_length(length) | (uint32_t)RT_TILE << 8 | (uint32_t)fill << 16;
}

uint32_t ops_edge_columns(uint32_t length, int fill)
{
    return RT_TILE | last_tile_length(length) << 8 | (uint32_t)fill << 16;
}

uint32_t ops_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// --- texts -----------------------------------------------------------------------------
void ops_attribute(ttrt *m, struct rt_op *op, const char *name, const char *fmt, ...)
{
    char text[1024];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    op->attributes[op->n_attributes++] =
        (struct rt_attribute){name, arena_str(rt_arena(m), str_of(text)).p};
}

const char *ops_dtype_text(const ttrt_tensor *t)
{
    static const char *const names[TTRT_DTYPES] = {
        "DataType::BFLOAT16", "DataType::FLOAT32", "DataType::BFLOAT8_B",
        "DataType::UINT32"};
    return names[t->spec.dtype];
}

static uint32_t divide_up(uint32_t n, uint32_t parts)
{
    return (n + parts - 1) / parts;
}

// The shard grid and the number of values per shard.
static const char *shard_text(ttrt *m, const ttrt_tensor *t)
{
    const struct ttrt_memory *memory = &t->spec.memory;
    if (memory->layout == TTRT_INTERLEAVED)
        return "std::nullopt";
    uint32_t x = (uint32_t)memory->shard_x, y = (uint32_t)memory->shard_y;
    uint32_t across = t->padded[3] / RT_TILE, down = t->n_pages / across;
    uint32_t width = across, height = down;
    if (memory->layout == TTRT_HEIGHT_SHARDED)
        height = divide_up(down, x * y);
    else if (memory->layout == TTRT_WIDTH_SHARDED)
        width = divide_up(across, x * y);
    else
        height = divide_up(down, y), width = divide_up(across, x);
    return arena_printf(
               rt_arena(m),
               "ShardSpec{grid=[{\"start\":{\"x\":0,\"y\":0},\"end\":{\"x\":%u,\"y\":%u}], shape=[%u, %u], orientation=ShardOrientation::ROW_MAJOR}",
               x - 1, y - 1, height * RT_TILE, width * RT_TILE)
        .p;
}

const char *ops_memory_text(ttrt *m, const ttrt_tensor *t)
{
    return arena_printf(
               rt_arena(m),
               "MemoryConfig(memory_layout=TensorMemoryLayout::%s,buffer_type=BufferType::%s,shard_spec=%s,nd_shard_spec=std::nullopt,created_with_nd_shard_spec=0)",
               rt_memory_layout_name(t->spec.memory.layout),
               rt_buffer_name(t->spec.memory.buffer), shard_text(m, t))
        .p;
}

// Dst always holds fp32 values, but is used in the mode that has room for 16 tiles.
const char *ops_compute_text(ttrt *m, int fidelity)
{
    return arena_printf(
               rt_arena(m),
               "ComputeKernelConfig(math_fidelity=%s,math_approx_mode=0,fp32_dest_acc_en=0,packer_l1_acc=0,dst_full_sync_en=0,throttle_level=ThrottleLevel::NO_THROTTLE)",
               rt_fidelity_name(fidelity))
        .p;
}

const char *ops_grid_text(ttrt *m)
{
    ttdev_range all = rt_all_cores(m);
    return arena_printf(rt_arena(m), "{[0-0 - %d-%d]}", all.to.x, all.to.y).p;
}

// --- descriptions ----------------------------------------------------------------------
static uint64_t dram_bytes(const ttrt_tensor *t)
{
    return t->spec.memory.buffer == TTRT_DRAM ? (uint64_t)t->n_pages * t->page_bytes : 0;
}

void ops_operands(struct rt_op *op, const ttrt_tensor *const *inputs, size_t n_inputs,
                  ttrt_tensor *const *outputs, size_t n_outputs)
{
    for (size_t i = 0; i < n_inputs; i++) {
        op->inputs[op->n_inputs++] = inputs[i];
        op->bytes += dram_bytes(inputs[i]);
    }
    for (size_t i = 0; i < n_outputs; i++) {
        op->outputs[op->n_outputs++] = outputs[i];
        op->bytes += dram_bytes(outputs[i]);
    }
}

void ops_moves(struct rt_op *op, const ttrt_tensor *t, uint64_t bytes)
{
    if (t->spec.memory.buffer == TTRT_DRAM)
        op->bytes += bytes - dram_bytes(t);
}

static struct rt_kernel kernel_named(ttrt *m, const char *name, int risc, int fidelity)
{
    static const char *const kinds[] = {"brisc", "ncrisc", "compute"};
    struct arena *a = rt_arena(m);
    return (struct rt_kernel){
        .image = arena_printf(a, "ops/%s", name).p,
        .source = arena_printf(a, "kernel/ops/%s.%s.c", name, kinds[risc]).p,
        .risc = risc,
        .is_compute = risc == TT_TRISC0,
        .fidelity = fidelity};
}

void ops_kernels(ttrt *m, struct rt_op *op, const char *read, const char *write,
                 const char *compute, int fidelity)
{
    struct rt_kernel *kernels = push_many(rt_arena(m), struct rt_kernel, 3);
    kernels[0] = kernel_named(m, read, TT_NCRISC, 0);
    kernels[1] = kernel_named(m, write, TT_BRISC, 0);
    if (compute)
        kernels[2] = kernel_named(m, compute, TT_TRISC0, fidelity);
    op->kernels = kernels;
    op->n_kernels = compute ? 3 : 2;
}

// Elementwise work runs on the vector units.
void ops_vector_model(const ttrt *m, const struct rt_op *op, struct rt_model *model)
{
    rt_model_cycles(m, op, rt_model_vector_cycles(m, op->flops), model);
}

// --- programs --------------------------------------------------------------------------
void ops_args_add(struct ops_args *args, const uint32_t *words, size_t n)
{
    memcpy(args->v + args->n, words, n * sizeof *words);
    args->n += n;
}

void ops_args_operand(struct ops_args *args, const ttrt_tensor *t)
{
    uint32_t words[RT_OPERAND_WORDS] = {0};
    if (t)
        rt_operand(t, words);
    ops_args_add(args, words, RT_OPERAND_WORDS);
}

ttdev_range ops_cores(struct rt_program *p, uint32_t pieces)
{
    ttdev_range cores = rt_cores_for(p->m, pieces);
    p->cores = cores;
    return cores;
}

void ops_deal_multiples(struct rt_program *p, int kernel, ttdev_range cores,
                        uint32_t pieces, uint32_t times)
{
    int columns = cores.to.x - cores.from.x + 1, rows = cores.to.y - cores.from.y + 1;
    uint64_t across = (uint64_t)columns;
    uint64_t n = across * (uint64_t)rows;
    for (uint64_t i = 0; i < n; i++) {
        uint32_t first = (uint32_t)(pieces * i / n);
        uint32_t count = (uint32_t)(pieces * (i + 1) / n) - first;
        uint32_t args[] = {first * times, count * times};
        ttdev_xy at = {cores.from.x + (int)(i % across), cores.from.y + (int)(i / across)};
        rt_set_args(p, kernel, (ttdev_range){at, at}, args, 2);
    }
}

void ops_deal(struct rt_program *p, const int *kernels, size_t n_kernels, ttdev_range cores,
              uint32_t pieces)
{
    for (size_t i = 0; i < n_kernels; i++)
        ops_deal_multiples(p, kernels[i], cores, pieces, 1);
}
