// ops_rows.c - softmax and layer norm: one program each, a row of tiles at a time.
#include "runtime/ops.h"

enum { BF16_TILE = 2048 };
enum { // circular buffers, as in kernel/ops/rows.h
    CB_ROW,
    CB_SCALER,
    CB_MASK,
    CB_GAMMA,
    CB_BETA,
    CB_OUT = 16,
    CB_FACTOR = 24,
    CB_VALUES,
    CB_SQUARES,
    CB_ONE_TILE,
};

// In the order of the kernels' common arguments.
struct row_plan {
    uint32_t tiles, edge, scale, epsilon, has_gamma, has_beta, fidelity;
    // Not passed to kernels:
    uint32_t rows, has_squares;
};
enum { KERNEL_WORDS = 7 };

// --- the program -----------------------------------------------------------------------
// The next row is read while one is processed, if L1 has room for two.
static uint32_t rows_at_once(const struct rt_program *p, const struct row_plan *plan)
{
    const struct rt_op *op = p->op;
    uint64_t needed = (uint64_t)plan->tiles * op->inputs[0]->page_bytes * 2 +
                      (uint64_t)plan->tiles * BF16_TILE * (1 + plan->has_squares) +
                      12 * (uint64_t)BF16_TILE;
    for (size_t i = 1; i < op->n_inputs; i++)
        needed += (uint64_t)plan->tiles * op->inputs[i]->page_bytes;
    const ttdev_info *info = rt_info(p->m);
    return needed < (info->l1_bytes - info->l1_buffers) / 2 ? 2 : 1;
}

static void make_buffers(struct rt_program *p, ttdev_range cores,
                         const struct row_plan *plan)
{
    const struct rt_op *op = p->op;
    size_t input = 1;
    rt_make_cb(p, cores, CB_ROW, rows_at_once(p, plan) * plan->tiles,
               op->inputs[0]->page_bytes);
    rt_make_cb(p, cores, CB_SCALER, 1, BF16_TILE);
    rt_make_cb(p, cores, CB_MASK, 1, BF16_TILE);
    if (plan->has_gamma)
        rt_make_cb(p, cores, CB_GAMMA, plan->tiles, op->inputs[input++]->page_bytes);
    if (plan->has_beta)
        rt_make_cb(p, cores, CB_BETA, plan->tiles, op->inputs[input]->page_bytes);
    rt_make_cb(p, cores, CB_OUT, 4, op->outputs[0]->page_bytes);
    rt_make_cb(p, cores, CB_FACTOR, 1, BF16_TILE);
    rt_make_cb(p, cores, CB_VALUES, plan->tiles, BF16_TILE);
    if (plan->has_squares)
        rt_make_cb(p, cores, CB_SQUARES, plan->tiles, BF16_TILE);
    // Two, because a tile is taken out and put back.
    rt_make_cb(p, cores, CB_ONE_TILE, 2, BF16_TILE);
}

// The reader's operands have fixed positions, whether present or not.
static void set_reader(struct rt_program *p, int kernel, const struct row_plan *plan)
{
    const struct rt_op *op = p->op;
    struct ops_args args = {0};
    ops_args_add(&args, (const uint32_t *)plan, KERNEL_WORDS);
    ops_args_operand(&args, op->inputs[0]);
    ops_args_operand(&args, plan->has_gamma ? op->inputs[1] : NULL);
    ops_args_operand(&args, plan->has_beta ? op->inputs[1 + plan->has_gamma] : NULL);
    rt_set_common(p, kernel, args.v, args.n);
}

// The writer counts tiles where the others count rows: rows are one dimension of its walk.
static void set_writer(struct rt_program *p, int kernel, const struct row_plan *plan)
{
    enum { FROM_CB = CB_OUT };
    const ttrt_tensor *out = p->op->outputs[0];
    struct ops_args args = {0};
    ops_args_add(&args, (uint32_t[]){1, 1, plan->rows, plan->tiles}, 4);
    ops_args_add(&args, (uint32_t[]){FROM_CB, out->n_pages}, 2);
    ops_args_add(&args, (uint32_t[]){0, 0, plan->tiles, 1}, 4);
    ops_args_operand(&args, out);
    rt_set_common(p, kernel, args.v, args.n);
}

static void deal_rows(struct rt_program *p, const int k[3], ttdev_range cores,
                      const struct row_plan *plan)
{
    const int by_row[] = {k[0], k[2]};
    ops_deal(p, by_row, 2, cores, plan->rows);
    ops_deal_multiples(p, k[1], cores, plan->rows, plan->tiles);
}

static void row_program(struct rt_program *p)
{
    const struct row_plan *plan = p->op->own;
    const struct rt_kernel *kernels = p->op->kernels;
    ttdev_range cores = ops_cores(p, plan->rows);
    make_buffers(p, cores, plan);
    int k[] = {rt_make_kernel(p, cores, TT_NCRISC, kernels[0].image, 0),
               rt_make_kernel(p, cores, TT_BRISC, kernels[1].image, 1),
               rt_make_compute(p, cores, kernels[2].image)};
    set_reader(p, k[0], plan);
    set_writer(p, k[1], plan);
    rt_set_common(p, k[2], (const uint32_t *)plan, KERNEL_WORDS);
    deal_rows(p, k, cores, plan);
}

static struct row_plan plan_of(const ttrt_tensor *a, int fill, const struct ttrt_how *how)
{
    uint32_t tiles = a->padded[3] / RT_TILE;
    return (struct row_plan){.tiles = tiles,
                             .edge = ops_edge_columns(a->spec.shape[3], fill),
                             .fidelity = (uint32_t)ops_fidelity(how),
                             .rows = a->n_pages / tiles};
}

// Operands shared by all rows are read by every core.
static void run_rows(ttrt *m, struct rt_op *op, const struct row_plan *plan)
{
    ttdev_range cores = rt_cores_for(m, plan->rows);
    uint64_t n = (uint64_t)(cores.to.x + 1) * (uint64_t)(cores.to.y + 1);
    for (size_t i = 1; i < op->n_inputs; i++)
        ops_moves(op, op->inputs[i], n * plan->tiles * op->inputs[i]->page_bytes);
    op->program = row_program;
    op->model = ops_vector_model;
    op->own = plan;
    op->own_bytes = sizeof *plan;
    rt_run(m, op);
}

// --- softmax ---------------------------------------------------------------------------
ttrt_tensor *ttrt_softmax(ttrt *m, const ttrt_tensor *a, float scale,
                          const struct ttrt_how *how)
{
    enum { STEPS = 5 }; // max, difference, exp, sum, product
    struct rt_op op = {.code = "SoftmaxDeviceOperation"};
    if (!ops_check(m, op.code, &a, 1))
        return NULL;
    if (!(scale > 0))
        rt_fail(m, "%s: the scale must be positive, got %g", op.code, (double)scale);
    ttrt_tensor *out = ops_result(m, op.code, how, a->spec.shape, a->spec.dtype);
    if (!out)
        return NULL;
    ops_operands(&op, &a, 1, &out, 1);
    ops_attribute(m, &op, "compute_kernel_config", "%s",
                  ops_compute_text(m, ops_fidelity(how)));
    ops_attribute(m, &op, "dim", "3");
    ops_attribute(m, &op, "inplace", "false");
    ops_attribute(m, &op, "is_causal_mask", "false");
    ops_attribute(m, &op, "is_scale_causal_mask_hw_dims_softmax", "false");
    ops_attribute(m, &op, "numeric_stable", "true");
    ops_attribute(m, &op, "output_mem_config", "%s", ops_memory_text(m, out));
    ops_attribute(m, &op, "program_config", "SoftmaxDefaultProgramConfig()");
    ops_attribute(m, &op, "scale", "%g", (double)scale);
    ops_kernels(m, &op, "read_rows", "write", "softmax", ops_fidelity(how));
    struct row_plan plan = plan_of(a, OPS_EDGE_REPEAT, how);
    plan.scale = ops_bits(scale);
    op.flops = STEPS * ttrt_volume(a);
    run_rows(m, &op, &plan);
    return out;
}

// --- layer norm ------------------------------------------------------------------------
static bool check_row(ttrt *m, const char *code, const ttrt_tensor *a,
                      const ttrt_tensor *row)
{
    const uint32_t *s = row->spec.shape;
    if (s[0] != 1 || s[1] != 1 || s[2] != 1 || s[3] != a->spec.shape[3])
        rt_fail(m, "%s: '%s' (%s) is not a row of %u values", code, row->name,
                ops_shape_text(m, row), a->spec.shape[3]);
    return !rt_has_failed(m);
}

static void describe_norm(ttrt *m, struct rt_op *op, float epsilon, int fidelity,
                          const ttrt_tensor *out)
{
    ops_attribute(m, op, "compute_kernel_config", "%s", ops_compute_text(m, fidelity));
    ops_attribute(m, op, "distributed_norm_stage",
                  "DistributedLayerNormStage::NOT_DISTRIBUTED");
    ops_attribute(m, op, "dtype", "%s", ops_dtype_text(out));
    ops_attribute(m, op, "eps", "%g", (double)epsilon);
    ops_attribute(m, op, "fused_activation", "std::nullopt");
    ops_attribute(m, op, "norm_type", "LayerNormType::LAYERNORM");
    ops_attribute(m, op, "output_mem_config", "%s", ops_memory_text(m, out));
    ops_attribute(
        m, op, "program_config",
        "LayerNormDefaultProgramConfig(legacy_reduction=0,legacy_rsqrt=0,use_welford=0)");
}

ttrt_tensor *ttrt_layernorm(ttrt *m, const ttrt_tensor *a, const ttrt_tensor *gamma,
                            const ttrt_tensor *beta, float epsilon,
                            const struct ttrt_how *how)
{
    enum { STEPS = 5 }; // sum, difference, square, sum, product; then gamma, beta
    struct rt_op op = {.code = "LayerNormDeviceOperation"};
    const ttrt_tensor *inputs[3] = {a};
    size_t n = 1;
    if (gamma)
        inputs[n++] = gamma;
    if (beta)
        inputs[n++] = beta;
    if (!ops_check(m, op.code, inputs, n))
        return NULL;
    for (size_t i = 1; i < n; i++)
        if (!check_row(m, op.code, a, inputs[i]))
            return NULL;
    ttrt_tensor *out = ops_result(m, op.code, how, a->spec.shape, a->spec.dtype);
    if (!out)
        return NULL;
    ops_operands(&op, inputs, n, &out, 1);
    describe_norm(m, &op, epsilon, ops_fidelity(how), out);
    ops_kernels(m, &op, "read_rows", "write", "layernorm", ops_fidelity(how));
    struct row_plan plan = plan_of(a, OPS_EDGE_ZERO, how);
    plan.scale = ops_bits(1 / (float)a->spec.shape[3]);
    plan.epsilon = ops_bits(epsilon);
    plan.has_gamma = gamma != NULL;
    plan.has_beta = beta != NULL;
    plan.has_squares = 1;
    op.flops = (STEPS + n - 1) * ttrt_volume(a);
    run_rows(m, &op, &plan);
    return out;
}
