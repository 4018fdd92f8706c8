// ops_tiles.c - ops that make one output tile at a time: functions, elementwise sums and
// products, reductions, transposing. They share a reader and a writer, which walk over the
// tiles with strides.
#include "runtime/ops.h"

enum { DEEP = 4, BF16_TILE = 2048, CB_OUT = 16, CB_INTERIM = 24 };

// --- the program -----------------------------------------------------------------------
static uint32_t pieces_of(const struct tile_plan *plan)
{
    return plan->size[0] * plan->size[1] * plan->size[2] * plan->size[3];
}

static void make_buffers(struct rt_program *p, ttdev_range cores,
                         const struct tile_plan *plan)
{
    const struct rt_op *op = p->op;
    rt_make_cb(p, cores, 0, DEEP, op->inputs[0]->page_bytes);
    if (plan->b_kind == OPS_B_TILES)
        rt_make_cb(p, cores, 1, DEEP, op->inputs[1]->page_bytes);
    else if (plan->b_kind == OPS_B_SCALER)
        rt_make_cb(p, cores, 1, 1, BF16_TILE);
    if (plan->out_cb == CB_OUT)
        rt_make_cb(p, cores, CB_OUT, DEEP, op->outputs[0]->page_bytes);
    for (uint32_t i = 0; i < plan->n_interim; i++)
        rt_make_cb(p, cores, (int)(CB_INTERIM + i), 1, BF16_TILE);
}

static void set_reader(struct rt_program *p, int kernel, const struct tile_plan *plan)
{
    const struct rt_op *op = p->op;
    struct ops_args args = {0};
    ops_args_add(&args, plan->size, 4);
    ops_args_add(&args, (uint32_t[]){plan->inner, plan->edge, plan->b_kind}, 3);
    ops_args_add(&args, plan->a_stride, 5);
    ops_args_add(&args, plan->b_stride, 5);
    ops_args_operand(&args, op->inputs[0]);
    ops_args_operand(&args, plan->b_kind == OPS_B_TILES ? op->inputs[1] : NULL);
    rt_set_common(p, kernel, args.v, args.n);
}

static void set_writer(struct rt_program *p, int kernel, const struct tile_plan *plan)
{
    struct ops_args args = {0};
    ops_args_add(&args, plan->out_size, 4);
    ops_args_add(&args, (uint32_t[]){plan->out_cb, plan->part}, 2);
    ops_args_add(&args, plan->out_stride, 4);
    for (size_t i = 0; i < p->op->n_outputs; i++)
        ops_args_operand(&args, p->op->outputs[i]);
    rt_set_common(p, kernel, args.v, args.n);
}

static void tile_program(struct rt_program *p)
{
    const struct tile_plan *plan = p->op->own;
    const struct rt_kernel *kernels = p->op->kernels;
    uint32_t pieces = pieces_of(plan);
    ttdev_range cores = ops_cores(p, pieces);
    int k[3];
    make_buffers(p, cores, plan);
    k[0] = rt_make_kernel(p, cores, TT_NCRISC, kernels[0].image, 0);
    k[1] = rt_make_kernel(p, cores, TT_BRISC, kernels[1].image, 1);
    set_reader(p, k[0], plan);
    set_writer(p, k[1], plan);
    if (p->op->n_kernels > 2) {
        k[2] = rt_make_compute(p, cores, kernels[2].image);
        rt_set_common(p, k[2], plan->how, sizeof plan->how / sizeof *plan->how);
    }
    ops_deal(p, k, p->op->n_kernels, cores, pieces);
}

void tile_plan_start(struct tile_plan *plan, const ttrt_tensor *a, const ttrt_tensor *out)
{
    struct ops_extent e = ops_extent(out);
    *plan = (struct tile_plan){.inner = 1,
                               .edge = ops_edge_rows(RT_TILE, OPS_EDGE_ZERO),
                               .out_cb = CB_OUT,
                               .part = out->n_pages};
    memcpy(plan->size, e.n, sizeof plan->size);
    memcpy(plan->out_size, e.n, sizeof plan->out_size);
    ops_strides(a, plan->a_stride);
    ops_strides(out, plan->out_stride);
}

// Every output tile reads its input tiles again, including those shared with others.
void ops_run_tiles(ttrt *m, struct rt_op *op, const struct tile_plan *plan)
{
    uint64_t steps = (uint64_t)pieces_of(plan) * plan->inner;
    ops_moves(op, op->inputs[0], steps * op->inputs[0]->page_bytes);
    if (plan->b_kind == OPS_B_TILES)
        ops_moves(op, op->inputs[1], steps * op->inputs[1]->page_bytes);
    op->program = tile_program;
    op->model = ops_vector_model;
    op->own = plan;
    op->own_bytes = sizeof *plan;
    rt_run(m, op);
}

// --- functions of a value --------------------------------------------------------------
static const struct {
    int function;
    const char *name;
} unaries[TTRT_UNARIES] = {
    [TTRT_RELU] = {TT_SFPU_RELU, "RELU"},
    [TTRT_ABS] = {TT_SFPU_ABS, "ABS"},
    [TTRT_NEG] = {TT_SFPU_NEG, "NEG"},
    [TTRT_SQUARE] = {TT_SFPU_SQUARE, "SQUARE"},
    [TTRT_SQRT] = {TT_SFPU_SQRT, "SQRT"},
    [TTRT_RECIPROCAL] = {TT_SFPU_RECIPROCAL, "RECIP"},
    [TTRT_EXP] = {TT_SFPU_EXP, "EXP"},
    [TTRT_GELU] = {TT_SFPU_GELU, "GELU"},
    [TTRT_TANH] = {TT_SFPU_TANH, "TANH"},
    [TTRT_SIGMOID] = {TT_SFPU_SIGMOID, "SIGMOID"},
    [TTRT_RSQRT] = {TT_SFPU_RSQRT, "RSQRT"},
};

int ops_unary_function(int unary)
{
    return unary >= 0 && unary < TTRT_UNARIES ? unaries[unary].function : TT_SFPU_FUNCTIONS;
}

const char *ops_unary_name(int unary)
{
    return unary >= 0 && unary < TTRT_UNARIES ? unaries[unary].name : "";
}

static const char *function_name(int function)
{
    for (int i = 0; i < TTRT_UNARIES; i++)
        if (unaries[i].function == function)
            return unaries[i].name;
    return function == TT_SFPU_SCALE ? "MUL_UNARY_SFPU" : "ADD_UNARY_SFPU";
}

static const char *chain_text(ttrt *m, const struct ops_function *functions, size_t n)
{
    struct buf b = {0};
    for (size_t i = 0; i < n; i++) {
        int f = functions[i].function;
        if (f == TT_SFPU_FUNCTIONS)
            continue;
        buf_printf(&b, "%sBasicUnaryWithParam<float>(op_type=UnaryOpType::%s,param={",
                   b.n ? ", " : "", function_name(f));
        if (f == TT_SFPU_SCALE || f == TT_SFPU_OFFSET)
            buf_printf(&b, "%g", (double)functions[i].parameter);
        buf_z(&b, "})");
    }
    const char *text = arena_printf(rt_arena(m), "{%.*s}", STR(b)).p;
    buf_free(&b);
    return text;
}

ttrt_tensor *ops_unary(ttrt *m, const ttrt_tensor *a, struct ops_function first,
                       struct ops_function second, const struct ttrt_how *how)
{
    struct rt_op op = {.code = "UnaryDeviceOperation"};
    if (!ops_check(m, op.code, &a, 1))
        return NULL;
    ttrt_tensor *out = ops_result(m, op.code, how, a->spec.shape, a->spec.dtype);
    if (!out)
        return NULL;
    const struct ops_function chain[] = {first, second};
    ops_operands(&op, &a, 1, &out, 1);
    ops_attribute(m, &op, "bfp8_pack_precise", "false");
    ops_attribute(m, &op, "fp32_dest_acc_en", "false");
    ops_attribute(m, &op, "memory_config", "%s", ops_memory_text(m, out));
    ops_attribute(m, &op, "op_chain", "%s", chain_text(m, chain, 2));
    ops_attribute(m, &op, "output_dtype", "%s", ops_dtype_text(out));
    ops_attribute(m, &op, "preserve_fp32_precision", "%s",
                  a->spec.dtype == TTRT_FLOAT32 ? "true" : "false");
    ops_attribute(m, &op, "worker_grid", "%s", ops_grid_text(m));
    ops_kernels(m, &op, "read", "write", "unary", TTRT_HIFI4);
    struct tile_plan plan;
    tile_plan_start(&plan, a, out);
    for (size_t i = 0; i < 2; i++) {
        plan.how[2 * i] = (uint32_t)chain[i].function;
        plan.how[2 * i + 1] = ops_bits(chain[i].parameter);
        op.flops += chain[i].function != TT_SFPU_FUNCTIONS ? ttrt_volume(a) : 0;
    }
    ops_run_tiles(m, &op, &plan);
    return out;
}

ttrt_tensor *ttrt_unary(ttrt *m, int function, const ttrt_tensor *a,
                        const struct ttrt_how *how)
{
    if (rt_enter(m) && (function < 0 || function >= TTRT_UNARIES))
        rt_fail(m, "UnaryDeviceOperation: unknown function %d", function);
    return ops_unary(m, a, (struct ops_function){ops_unary_function(function), 0},
                     (struct ops_function){TT_SFPU_FUNCTIONS, 0}, how);
}

ttrt_tensor *ttrt_scale(ttrt *m, const ttrt_tensor *a, float scale, float offset,
                        const struct ttrt_how *how)
{
    return ops_unary(
        m, a, (struct ops_function){TT_SFPU_SCALE, scale},
        (struct ops_function){offset != 0 ? TT_SFPU_OFFSET : TT_SFPU_FUNCTIONS, offset},
        how);
}

// --- two operands ----------------------------------------------------------------------
// How b broadcasts to a; -1 if it does not.
static int broadcast_of(const ttrt_tensor *a, const ttrt_tensor *b)
{
    const uint32_t *s = a->spec.shape, *t = b->spec.shape;
    if ((t[0] != s[0] && t[0] != 1) || (t[1] != s[1] && t[1] != 1))
        return -1;
    if (t[2] == s[2] && t[3] == s[3])
        return TT_BROADCAST_NONE;
    if (t[2] == 1 && t[3] == 1)
        return TT_BROADCAST_SCALAR;
    if (t[2] == 1 && t[3] == s[3])
        return TT_BROADCAST_ROW;
    return t[3] == 1 && t[2] == s[2] ? TT_BROADCAST_COLUMN : -1;
}

static void describe_binary(ttrt *m, struct rt_op *op, int function, int broadcast,
                            const ttrt_tensor *out)
{
    static const char *const functions[] = {"ADD", "SUB", "MUL"};
    static const char *const broadcasts[] = {"NONE", "ROW_B", "COL_B", "SCALAR_B"};
    ops_attribute(m, op, "binary_op_type", "BinaryOpType::%s", functions[function]);
    ops_attribute(m, op, "compute_kernel_config", "std::nullopt");
    ops_attribute(m, op, "dtype", "%s", ops_dtype_text(out));
    ops_attribute(m, op, "input_dtype", "%s", ops_dtype_text(op->inputs[0]));
    ops_attribute(m, op, "is_quant_op", "false");
    ops_attribute(m, op, "is_sfpu", "false");
    ops_attribute(m, op, "is_where_op", "false");
    ops_attribute(m, op, "lhs_activations", "{}");
    ops_attribute(m, op, "memory_config", "%s", ops_memory_text(m, out));
    ops_attribute(m, op, "post_activations", "{}");
    ops_attribute(m, op, "rhs_activations", "{}");
    ops_attribute(m, op, "scalar", "std::nullopt");
    ops_attribute(m, op, "subtile_broadcast_type", "SubtileBroadcastType::%s",
                  broadcasts[broadcast]);
    ops_attribute(m, op, "worker_grid", "%s", ops_grid_text(m));
}

ttrt_tensor *ttrt_binary(ttrt *m, int function, const ttrt_tensor *a, const ttrt_tensor *b,
                         const struct ttrt_how *how)
{
    struct rt_op op = {.code = "BinaryNgDeviceOperation"};
    const ttrt_tensor *const inputs[] = {a, b};
    if (!ops_check(m, op.code, inputs, 2))
        return NULL;
    int broadcast = broadcast_of(a, b);
    if (function < 0 || function >= TTRT_BINARIES)
        rt_fail(m, "%s: unknown function %d", op.code, function);
    else if (broadcast < 0)
        rt_fail(m, "%s: '%s' (%s) does not match '%s' (%s)", op.code, b->name,
                ops_shape_text(m, b), a->name, ops_shape_text(m, a));
    ttrt_tensor *out = ops_result(m, op.code, how, a->spec.shape, a->spec.dtype);
    if (!out || broadcast < 0)
        return NULL;
    ops_operands(&op, inputs, 2, &out, 1);
    describe_binary(m, &op, function, broadcast, out);
    ops_kernels(m, &op, "read", "write", "binary", ops_fidelity(how));
    struct tile_plan plan;
    tile_plan_start(&plan, a, out);
    plan.b_kind = OPS_B_TILES;
    ops_strides(b, plan.b_stride);
    plan.how[0] = (uint32_t)(TT_MATH_ADD + function);
    plan.how[1] = (uint32_t)broadcast;
    plan.how[2] = (uint32_t)ops_fidelity(how);
    op.flops = ttrt_volume(a);
    ops_run_tiles(m, &op, &plan);
    return out;
}

// --- reductions ------------------------------------------------------------------------
static void describe_reduce(ttrt *m, struct rt_op *op, int pool, int dim, double scaler,
                            const ttrt_tensor *out)
{
    ops_attribute(m, op, "compute_kernel_config", "%s", ops_compute_text(m, TTRT_HIFI4));
    ops_attribute(m, op, "dim", "ReduceOpDim::%s", dim == TTRT_DIM_X ? "W" : "H");
    ops_attribute(m, op, "math_op", "ReduceOpMath::%s", pool == TTRT_MAX ? "MAX" : "SUM");
    ops_attribute(m, op, "negate", "false");
    ops_attribute(m, op, "output_dtype", "%s", ops_dtype_text(out));
    ops_attribute(m, op, "output_mem_config", "%s", ops_memory_text(m, out));
    ops_attribute(m, op, "scaler", "%g", scaler);
}

ttrt_tensor *ttrt_reduce(ttrt *m, int pool, int dim, const ttrt_tensor *a,
                         const struct ttrt_how *how)
{
    struct rt_op op = {.code = "ReduceDeviceOperation"};
    if (!ops_check(m, op.code, &a, 1))
        return NULL;
    bool is_x = dim == TTRT_DIM_X;
    if (pool < TTRT_SUM || pool > TTRT_MAX || (!is_x && dim != TTRT_DIM_Y)) {
        rt_fail(m, "%s: no pool %d along dimension %d", op.code, pool, dim);
        return NULL;
    }
    uint32_t shape[4], length = a->spec.shape[dim];
    memcpy(shape, a->spec.shape, sizeof shape);
    shape[dim] = 1;
    ttrt_tensor *out = ops_result(m, op.code, how, shape, a->spec.dtype);
    if (!out)
        return NULL;
    float scaler = pool == TTRT_MEAN ? 1 / (float)length : 1;
    int fill = pool == TTRT_MAX ? OPS_EDGE_REPEAT : OPS_EDGE_ZERO;
    ops_operands(&op, &a, 1, &out, 1);
    describe_reduce(m, &op, pool, dim, (double)scaler, out);
    ops_kernels(m, &op, "read", "write", "reduce", TTRT_HIFI4);
    struct tile_plan plan;
    tile_plan_start(&plan, a, out);
    plan.inner = ops_tiles(length);
    plan.edge = is_x ? ops_edge_columns(length, fill) : ops_edge_rows(length, fill);
    plan.b_kind = OPS_B_SCALER;
    plan.a_stride[4] = is_x ? 1 : a->padded[3] / RT_TILE;
    plan.a_stride[dim] = 0;
    plan.how[0] = plan.inner;
    plan.how[1] = pool == TTRT_MAX;
    plan.how[2] = is_x ? TT_MATH_REDUCE_ROW : TT_MATH_REDUCE_COLUMN;
    plan.how[3] = TTRT_HIFI4;
    plan.how[4] = pool == TTRT_MEAN ? TT_SFPU_SCALE : TT_SFPU_FUNCTIONS;
    plan.how[5] = ops_bits(scaler);
    op.flops = ttrt_volume(a);
    ops_run_tiles(m, &op, &plan);
    return out;
}

// --- transposing -----------------------------------------------------------------------
ttrt_tensor *ttrt_transpose(ttrt *m, const ttrt_tensor *a, const struct ttrt_how *how)
{
    struct rt_op op = {.code = "TransposeDeviceOperation"};
    if (!ops_check(m, op.code, &a, 1))
        return NULL;
    const uint32_t *s = a->spec.shape;
    ttrt_tensor *out =
        ops_result(m, op.code, how, (uint32_t[]){s[0], s[1], s[3], s[2]}, a->spec.dtype);
    if (!out)
        return NULL;
    ops_operands(&op, &a, 1, &out, 1);
    ops_attribute(m, &op, "dim", "TransposeOpDim::WH");
    ops_attribute(m, &op, "output_mem_config", "%s", ops_memory_text(m, out));
    ops_attribute(m, &op, "pad_value", "0");
    ops_kernels(m, &op, "read", "write", "transpose", TTRT_HIFI4);
    struct tile_plan plan;
    tile_plan_start(&plan, a, out);
    uint32_t across = plan.a_stride[3];
    plan.a_stride[3] = plan.a_stride[2];
    plan.a_stride[2] = across;
    ops_run_tiles(m, &op, &plan);
    return out;
}
