// ops_matmul.c - matrix products with optional bias and activation. How the work is divided
// is described in kernel/ops/blocks.h.
#include "runtime/ops.h"

enum { DST_TILES = 8, MOST_BLOCK_K = 8, BF16_TILE = 2048 };
enum { CB_A, CB_B, CB_ONES, CB_BIAS, CB_RESULT = 16 };

// In the order of the kernels' common arguments.
struct matmul_plan {
    uint32_t m, n, k; // tiles
    uint32_t per_m, per_n, sub_h, sub_w, block_k;
    uint32_t a_batch, b_batch, edge_a, edge_b;
    uint32_t has_bias, fidelity, function;
    // Not passed to kernels:
    uint32_t blocks, grid_x, grid_y;
};
enum { KERNEL_WORDS = 15 };

static uint32_t divide_up(uint32_t n, uint32_t size)
{
    return (n + size - 1) / size;
}

// --- the program -----------------------------------------------------------------------
static ttdev_range matmul_cores(struct rt_program *p, const struct matmul_plan *plan)
{
    if (!plan->grid_x)
        return ops_cores(p, plan->blocks);
    ttdev_range cores = {{0, 0}, {(int)plan->grid_x - 1, (int)plan->grid_y - 1}};
    p->cores = cores;
    return cores;
}

static void make_buffers(struct rt_program *p, ttdev_range cores,
                         const struct matmul_plan *plan)
{
    const struct rt_op *op = p->op;
    rt_make_cb(p, cores, CB_A, 2 * plan->sub_h * plan->block_k, op->inputs[0]->page_bytes);
    rt_make_cb(p, cores, CB_B, 2 * plan->sub_w * plan->block_k, op->inputs[1]->page_bytes);
    rt_make_cb(p, cores, CB_RESULT, 2 * plan->sub_h * plan->sub_w,
               op->outputs[0]->page_bytes);
    if (!plan->has_bias)
        return;
    rt_make_cb(p, cores, CB_ONES, 1, BF16_TILE);
    rt_make_cb(p, cores, CB_BIAS, 2 * plan->sub_w, op->inputs[2]->page_bytes);
}

static void matmul_program(struct rt_program *p)
{
    const struct matmul_plan *plan = p->op->own;
    const struct rt_kernel *kernels = p->op->kernels;
    ttdev_range cores = matmul_cores(p, plan);
    struct ops_args read = {0}, write, compute;
    make_buffers(p, cores, plan);
    int k[] = {rt_make_kernel(p, cores, TT_NCRISC, kernels[0].image, 0),
               rt_make_kernel(p, cores, TT_BRISC, kernels[1].image, 1),
               rt_make_compute(p, cores, kernels[2].image)};
    ops_args_add(&read, (const uint32_t *)plan, KERNEL_WORDS);
    compute = write = read;
    for (size_t i = 0; i < 3; i++)
        ops_args_operand(&read, i < p->op->n_inputs ? p->op->inputs[i] : NULL);
    ops_args_operand(&write, p->op->outputs[0]);
    rt_set_common(p, k[0], read.v, read.n);
    rt_set_common(p, k[1], write.v, write.n);
    rt_set_common(p, k[2], compute.v, compute.n);
    ops_deal(p, k, 3, cores, plan->blocks);
}

// --- the plan --------------------------------------------------------------------------
static uint32_t largest_divisor(uint32_t n, uint32_t most)
{
    uint32_t d = most < n ? most : n;
    while (d > 1 && n % d)
        d--;
    return d;
}

// Minimises the work of the most loaded core; among equals picks the squarest blocks, which
// need the fewest input tiles.
static void choose_blocks(struct matmul_plan *plan, uint32_t batches, uint32_t cores)
{
    uint64_t best = UINT64_MAX;
    for (uint32_t h = 1; h <= plan->m; h++) {
        for (uint32_t w = 1; w <= plan->n; w++) {
            uint32_t blocks = batches * divide_up(plan->m, h) * divide_up(plan->n, w);
            uint64_t products = (uint64_t)divide_up(blocks, cores) * h * w;
            uint64_t cost = products << 32 | ((uint64_t)divide_up(blocks, cores) * (h + w));
            if (cost < best) {
                best = cost;
                plan->per_m = h;
                plan->per_n = w;
            }
            if (h * w > 64) // larger blocks only leave cores without work
                break;
        }
    }
}

static void choose_subblock(struct matmul_plan *plan)
{
    uint32_t best = 0;
    for (uint32_t h = 1; h <= plan->per_m && h <= DST_TILES; h++) {
        if (plan->per_m % h)
            continue;
        uint32_t w = largest_divisor(plan->per_n, DST_TILES / h);
        // The squarer, the fewer tiles are read per product.
        uint32_t worth = h * w * 16 - (h + w);
        if (worth > best) {
            best = worth;
            plan->sub_h = h;
            plan->sub_w = w;
        }
    }
}

static bool check_config(ttrt *m, const char *code, const struct ttrt_how *how)
{
    const int given[] = {how->grid_x,         how->grid_y,     how->in0_block_w,
                         how->out_subblock_h, how->per_core_m, how->out_subblock_w,
                         how->per_core_n};
    ttdev_range all = rt_all_cores(m);
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        if (given[i] < 0 || given[i] > UINT16_MAX)
            rt_fail(m, "%s: invalid program config %d", code, given[i]);
    if (!how->grid_x != !how->grid_y || how->grid_x > all.to.x + 1 ||
        how->grid_y > all.to.y + 1)
        rt_fail(m, "%s: a grid of %dx%d cores, but there are %dx%d", code, how->grid_x,
                how->grid_y, all.to.x + 1, all.to.y + 1);
    return !rt_has_failed(m);
}

// The caller's settings override the default choice.
static void take_config(struct matmul_plan *plan, const struct ttrt_how *how)
{
    if (how->per_core_m)
        plan->per_m = (uint32_t)how->per_core_m;
    if (how->per_core_n)
        plan->per_n = (uint32_t)how->per_core_n;
    choose_subblock(plan);
    if (how->out_subblock_h)
        plan->sub_h = (uint32_t)how->out_subblock_h;
    if (how->out_subblock_w)
        plan->sub_w = (uint32_t)how->out_subblock_w;
    if (how->in0_block_w)
        plan->block_k = (uint32_t)how->in0_block_w;
    plan->grid_x = (uint32_t)how->grid_x;
    plan->grid_y = (uint32_t)how->grid_y;
}

static bool make_plan(ttrt *m, const char *code, const ttrt_tensor *const *inputs,
                      const struct ttrt_how *how, struct matmul_plan *plan)
{
    static const struct ttrt_how usual;
    const ttrt_tensor *a = inputs[0], *b = inputs[1];
    uint32_t inner = a->spec.shape[3], batches = a->padded[0] * a->padded[1];
    ttdev_range all = rt_all_cores(m);
    how = how ? how : &usual;
    if (!check_config(m, code, how))
        return false;
    uint32_t cores = (uint32_t)(how->grid_x ? how->grid_x * how->grid_y
                                            : (all.to.x + 1) * (all.to.y + 1));
    *plan = (struct matmul_plan){.m = a->padded[2] / RT_TILE,
                                 .n = b->padded[3] / RT_TILE,
                                 .k = a->padded[3] / RT_TILE,
                                 .per_m = 1,
                                 .per_n = 1,
                                 .sub_h = 1,
                                 .sub_w = 1,
                                 .edge_a = ops_edge_columns(inner, OPS_EDGE_ZERO),
                                 .edge_b = ops_edge_rows(inner, OPS_EDGE_ZERO),
                                 .fidelity = (uint32_t)ops_fidelity(how)};
    plan->a_batch = plan->m * plan->k;
    plan->b_batch = b->padded[0] * b->padded[1] > 1 ? plan->k * plan->n : 0;
    plan->block_k = largest_divisor(plan->k, MOST_BLOCK_K);
    choose_blocks(plan, batches, cores);
    take_config(plan, how);
    plan->blocks =
        batches * divide_up(plan->m, plan->per_m) * divide_up(plan->n, plan->per_n);
    if (plan->sub_h * plan->sub_w > DST_TILES)
        rt_fail(m, "%s: an output subblock of %ux%u tiles, but Dst has room for %d", code,
                plan->sub_h, plan->sub_w, DST_TILES);
    return !rt_has_failed(m);
}

// --- the op ----------------------------------------------------------------------------
// The program config has no field for reading inputs once and multicasting them: each core
// reads its own.
static void describe_matmul(ttrt *m, struct rt_op *op, const struct matmul_plan *plan,
                            int activation, const ttrt_tensor *out)
{
    ttdev_range cores =
        plan->grid_x ? (ttdev_range){{0, 0}, {(int)plan->grid_x - 1, (int)plan->grid_y - 1}}
                     : rt_cores_for(m, plan->blocks);
    const char *fused =
        plan->function == TT_SFPU_FUNCTIONS
            ? "std::nullopt"
            : arena_printf(rt_arena(m),
                           "BasicUnaryWithParam<float>(op_type=UnaryOpType::%s,param={})",
                           ops_unary_name(activation))
                  .p;
    ops_attribute(m, op, "bcast_batch", "%s", plan->b_batch ? "false" : "true");
    ops_attribute(m, op, "compute_kernel_config", "%s",
                  ops_compute_text(m, (int)plan->fidelity));
    ops_attribute(m, op, "global_cb", "std::nullopt");
    ops_attribute(m, op, "output_dtype", "%s", ops_dtype_text(out));
    ops_attribute(m, op, "output_mem_config", "%s", ops_memory_text(m, out));
    ops_attribute(m, op, "output_tile",
                  "Tile(tile_shape={32, 32},face_shape={16, 16},num_faces=4)");
    ops_attribute(
        m, op, "program_config",
        "MatmulMultiCoreReuseProgramConfig(compute_with_storage_grid_size=%d-%d,in0_block_w=%u,out_subblock_h=%u,out_subblock_w=%u,per_core_M=%u,per_core_N=%u)",
        cores.to.x + 1, cores.to.y + 1, plan->block_k, plan->sub_h, plan->sub_w,
        plan->per_m, plan->per_n);
    ops_attribute(m, op, "sub_device_id", "std::nullopt");
    ops_attribute(m, op, "transpose_a", "false");
    ops_attribute(m, op, "transpose_b", "false");
    ops_attribute(m, op, "untilize_out", "false");
    ops_attribute(m, op, "user_core_coord", "std::nullopt");
    ops_attribute(m, op, "user_fused_activation", "%s", fused);
    ops_attribute(m, op, "user_run_batched", "false");
}

// Subblocks along one side of the result.
static uint64_t subblocks(uint32_t n, uint32_t per_core, uint32_t sub)
{
    uint32_t rest = n % per_core;
    return (uint64_t)(n / per_core) * divide_up(per_core, sub) +
           (rest ? divide_up(rest, sub) : 0);
}

// Every subblock reads the tiles of both inputs again.
static void count_matmul_moves(struct rt_op *op, const struct matmul_plan *plan)
{
    const ttrt_tensor *const *in = op->inputs;
    uint64_t batches = (uint64_t)in[0]->padded[0] * in[0]->padded[1];
    uint64_t across = subblocks(plan->n, plan->per_n, plan->sub_w);
    uint64_t down = subblocks(plan->m, plan->per_m, plan->sub_h);
    ops_moves(op, in[0], batches * plan->m * plan->k * across * in[0]->page_bytes);
    ops_moves(op, in[1], batches * plan->n * plan->k * down * in[1]->page_bytes);
    if (plan->has_bias)
        ops_moves(op, in[2], batches * plan->n * down * in[2]->page_bytes);
}

static bool check_shapes(ttrt *m, const char *code, const ttrt_tensor *const *inputs,
                         size_t n)
{
    const ttrt_tensor *a = inputs[0], *b = inputs[1];
    const uint32_t *s = a->spec.shape, *t = b->spec.shape;
    bool is_batched = t[0] == s[0] && t[1] == s[1], is_one = t[0] == 1 && t[1] == 1;
    if (s[3] != t[2] || !(is_batched || is_one))
        rt_fail(m, "%s: '%s' (%s) x '%s' (%s) is not possible", code, a->name,
                ops_shape_text(m, a), b->name, ops_shape_text(m, b));
    else if (n > 2 && (inputs[2]->spec.shape[0] != 1 || inputs[2]->spec.shape[1] != 1 ||
                       inputs[2]->spec.shape[2] != 1 || inputs[2]->spec.shape[3] != t[3]))
        rt_fail(m, "%s: the bias '%s' (%s) is not a row of %u values", code,
                inputs[2]->name, ops_shape_text(m, inputs[2]), t[3]);
    return !rt_has_failed(m);
}

static void matmul_model(const ttrt *m, const struct rt_op *op, struct rt_model *model)
{
    const struct matmul_plan *plan = op->own;
    rt_model_cycles(m, op, rt_model_matrix_cycles(m, op->flops, (int)plan->fidelity),
                    model);
}

ttrt_tensor *ttrt_linear(ttrt *m, const ttrt_tensor *a, const ttrt_tensor *b,
                         const ttrt_tensor *bias, int activation,
                         const struct ttrt_how *how)
{
    struct rt_op op = {.code = "MatmulDeviceOperation"};
    const ttrt_tensor *const inputs[] = {a, b, bias};
    size_t n_inputs = bias ? 3 : 2;
    struct matmul_plan plan;
    if (!ops_check(m, op.code, inputs, n_inputs) ||
        !check_shapes(m, op.code, inputs, n_inputs) ||
        !make_plan(m, op.code, inputs, how, &plan))
        return NULL;
    const uint32_t *s = a->spec.shape;
    ttrt_tensor *out = ops_result(
        m, op.code, how, (uint32_t[]){s[0], s[1], s[2], b->spec.shape[3]}, a->spec.dtype);
    if (!out)
        return NULL;
    plan.has_bias = bias != NULL;
    plan.function = (uint32_t)ops_unary_function(activation);
    ops_operands(&op, inputs, n_inputs, &out, 1);
    describe_matmul(m, &op, &plan, activation, out);
    ops_kernels(m, &op, "read_matmul", "write_matmul", "matmul", (int)plan.fidelity);
    op.flops = 2 * ttrt_volume(out) * s[3];
    count_matmul_moves(&op, &plan);
    op.program = matmul_program;
    op.model = matmul_model;
    op.own = &plan;
    op.own_bytes = sizeof plan;
    rt_run(m, &op);
    return out;
}

ttrt_tensor *ttrt_matmul(ttrt *m, const ttrt_tensor *a, const ttrt_tensor *b,
                         const struct ttrt_how *how)
{
    return ttrt_linear(m, a, b, NULL, TTRT_UNARIES, how);
}
