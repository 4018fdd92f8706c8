// ops_matmul.c - matrix products with optional bias and activation. How the work is divided
// is described in kernel/ops/blocks.h.
#include "runtime/ops_matmul.h"

enum { BF16_TILE = 2048, SEMAPHORES = 6 };
enum { CB_A, CB_B, CB_ONES, CB_BIAS, CB_RESULT = 16 };

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
    rt_make_cb(p, cores, CB_A, plan->pages_a, op->inputs[0]->page_bytes);
    rt_make_cb(p, cores, CB_B, plan->pages_b, op->inputs[1]->page_bytes);
    rt_make_cb(p, cores, CB_RESULT, 2 * plan->sub_h * plan->sub_w,
               op->outputs[0]->page_bytes);
    if (!plan->has_bias)
        return;
    rt_make_cb(p, cores, CB_ONES, 1, BF16_TILE);
    rt_make_cb(p, cores, CB_BIAS, 2 * plan->sub_w, op->inputs[2]->page_bytes);
}

// What kernel/ops/factor.h needs: the place of the grid and semaphores with numbers in
// sequence.
static void share_operands(struct rt_program *p, ttdev_range cores, struct ops_args *read,
                           struct ops_args *write)
{
    uint32_t corner = rt_grid_corner(p->m), first = rt_make_semaphore(p, cores);
    for (int i = 1; i < SEMAPHORES; i++)
        (void)rt_make_semaphore(p, cores);
    ops_args_add(read, (const uint32_t[]){corner, first}, 2);
    ops_args_add(write, (const uint32_t[]){corner, first}, 2);
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
    ops_args_add(&read, (const uint32_t *)plan, MATMUL_KERNEL_WORDS);
    compute = write = read;
    for (size_t i = 0; i < 3; i++)
        ops_args_operand(&read, i < p->op->n_inputs ? p->op->inputs[i] : NULL);
    ops_args_operand(&write, p->op->outputs[0]);
    if (plan->is_shared)
        share_operands(p, cores, &read, &write);
    rt_set_common(p, k[0], read.v, read.n);
    rt_set_common(p, k[1], write.v, write.n);
    rt_set_common(p, k[2], compute.v, compute.n);
    ops_deal(p, k, 3, cores, plan->blocks);
}

// --- the op ----------------------------------------------------------------------------
static const char *config_text(ttrt *m, const struct matmul_plan *plan)
{
    ttdev_range cores =
        plan->grid_x ? (ttdev_range){{0, 0}, {(int)plan->grid_x - 1, (int)plan->grid_y - 1}}
                     : rt_cores_for(m, plan->blocks);
    const char *common =
        arena_printf(
            rt_arena(m),
            "compute_with_storage_grid_size=%d-%d,in0_block_w=%u,out_subblock_h=%u,out_subblock_w=%u",
            cores.to.x + 1, cores.to.y + 1, plan->block_k, plan->sub_h, plan->sub_w)
            .p;
    if (!plan->is_shared)
        return arena_printf(
                   rt_arena(m),
                   "MatmulMultiCoreReuseProgramConfig(%s,per_core_M=%u,per_core_N=%u)",
                   common, plan->per_m, plan->per_n)
            .p;
    return arena_printf(
               rt_arena(m),
               "MatmulMultiCoreReuseMultiCastProgramConfig(%s,out_block_h=%u,out_block_w=%u,per_core_M=%u,per_core_N=%u,transpose_mcast=0,fused_activation=std::nullopt,fuse_batch=1)",
               common, plan->per_m, plan->per_n, plan->per_m, plan->per_n)
        .p;
}

static void describe_matmul(ttrt *m, struct rt_op *op, const struct matmul_plan *plan,
                            int activation, const ttrt_tensor *out)
{
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
    ops_attribute(m, op, "program_config", "%s", config_text(m, plan));
    ops_attribute(m, op, "sub_device_id", "std::nullopt");
    ops_attribute(m, op, "transpose_a", "false");
    ops_attribute(m, op, "transpose_b", "false");
    ops_attribute(m, op, "untilize_out", "false");
    ops_attribute(m, op, "user_core_coord", "std::nullopt");
    ops_attribute(m, op, "user_fused_activation", "%s", fused);
    ops_attribute(m, op, "user_run_batched", "false");
}

static void count_matmul_moves(struct rt_op *op, const struct matmul_plan *plan)
{
    const ttrt_tensor *const *in = op->inputs;
    struct matmul_traffic pages = matmul_traffic(plan, in[0]->padded[0] * in[0]->padded[1]);
    ops_moves(op, in[0], pages.a * in[0]->page_bytes);
    ops_moves(op, in[1], pages.b * in[1]->page_bytes);
    if (plan->has_bias)
        ops_moves(op, in[2], pages.bias * in[2]->page_bytes);
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
    struct matmul_operands t = {.a = a, .b = b, .bias = bias};
    struct matmul_plan plan;
    if (!ops_check(m, op.code, inputs, n_inputs) ||
        !check_shapes(m, op.code, inputs, n_inputs) ||
        !matmul_plan_blocks(m, op.code, &t, how, &plan))
        return NULL;
    const uint32_t *s = a->spec.shape;
    ttrt_tensor *out = ops_result(
        m, op.code, how, (uint32_t[]){s[0], s[1], s[2], b->spec.shape[3]}, a->spec.dtype);
    if (!out)
        return NULL;
    t.out = out;
    matmul_plan_buffers(m, &t, &plan);
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
