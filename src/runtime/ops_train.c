// ops_train.c - gradients and the optimizer step. The gradients of softmax and layer norm
// are composed of other ops, each of which appears in reports as its own op.
#include "runtime/ops.h"

// --- gelu ------------------------------------------------------------------------------
ttrt_tensor *ttrt_gelu_backward(ttrt *m, const ttrt_tensor *gradient, const ttrt_tensor *a,
                                const struct ttrt_how *how)
{
    enum { STEPS = 9, INTERIM = 4 };
    // gelu is x times the sigmoid of x (c0 + c1 x^2).
    const float c0 = 1.5957691216F, c1 = 0.0713548163F; // 2 sqrt(2 / pi), times 0.044715
    struct rt_op op = {.code = "GeluBackwardDeviceOperation"};
    const ttrt_tensor *const inputs[] = {gradient, a};
    if (!ops_check(m, op.code, inputs, 2))
        return NULL;
    if (memcmp(gradient->spec.shape, a->spec.shape, sizeof a->spec.shape) != 0) {
        rt_fail(m, "%s: the gradient '%s' (%s) does not have the shape of '%s' (%s)",
                op.code, gradient->name, ops_shape_text(m, gradient), a->name,
                ops_shape_text(m, a));
        return NULL;
    }
    ttrt_tensor *out = ops_result(m, op.code, how, a->spec.shape, a->spec.dtype);
    if (!out)
        return NULL;
    ops_operands(&op, inputs, 2, &out, 1);
    ops_attribute(m, &op, "approximate", "tanh");
    ops_attribute(m, &op, "output_dtype", "%s", ops_dtype_text(out));
    ops_attribute(m, &op, "output_memory_config", "%s", ops_memory_text(m, out));
    ops_kernels(m, &op, "read", "write", "gelu_backward", TTRT_HIFI4);
    struct tile_plan plan;
    tile_plan_start(&plan, gradient, out);
    plan.b_kind = OPS_B_TILES;
    ops_strides(a, plan.b_stride);
    plan.n_interim = INTERIM;
    plan.how[0] = ops_bits(c0);
    plan.how[1] = ops_bits(c1);
    plan.how[2] = ops_bits(3 * c1);
    plan.how[3] = ops_bits(1);
    op.flops = STEPS * ttrt_volume(a);
    ops_run_tiles(m, &op, &plan);
    return out;
}

// --- softmax ---------------------------------------------------------------------------
// y (g - sum of g y), along rows
ttrt_tensor *ttrt_softmax_backward(ttrt *m, const ttrt_tensor *gradient,
                                   const ttrt_tensor *result, const struct ttrt_how *how)
{
    ttrt_tensor *product = ttrt_binary(m, TTRT_MUL, gradient, result, NULL);
    ttrt_tensor *sum = ttrt_reduce(m, TTRT_SUM, TTRT_DIM_X, product, NULL);
    ttrt_tensor *rest = ttrt_binary(m, TTRT_SUB, gradient, sum, NULL);
    ttrt_tensor *out = ttrt_binary(m, TTRT_MUL, rest, result, how);
    ttrt_free(m, product);
    ttrt_free(m, sum);
    ttrt_free(m, rest);
    return out;
}

// --- layer norm ------------------------------------------------------------------------
// Normalised x and 1 / standard deviation, by rows.
static void normalise(ttrt *m, const ttrt_tensor *a, float epsilon, ttrt_tensor **normal,
                      ttrt_tensor **inverse)
{
    const struct ops_function none = {TT_SFPU_FUNCTIONS, 0};
    ttrt_tensor *mean = ttrt_reduce(m, TTRT_MEAN, TTRT_DIM_X, a, NULL);
    ttrt_tensor *centred = ttrt_binary(m, TTRT_SUB, a, mean, NULL);
    ttrt_tensor *square =
        ops_unary(m, centred, (struct ops_function){TT_SFPU_SQUARE, 0}, none, NULL);
    ttrt_tensor *variance = ttrt_reduce(m, TTRT_MEAN, TTRT_DIM_X, square, NULL);
    *inverse = ops_unary(m, variance, (struct ops_function){TT_SFPU_OFFSET, epsilon},
                         (struct ops_function){TT_SFPU_RSQRT, 0}, NULL);
    *normal = ttrt_binary(m, TTRT_MUL, centred, *inverse, NULL);
    ttrt_free(m, mean);
    ttrt_free(m, centred);
    ttrt_free(m, square);
    ttrt_free(m, variance);
}

// (g - mean g - n mean(g n)) / deviation, where n is the normalised x
ttrt_tensor *ttrt_layernorm_backward(ttrt *m, const ttrt_tensor *gradient,
                                     const ttrt_tensor *a, float epsilon,
                                     const struct ttrt_how *how)
{
    ttrt_tensor *normal = NULL, *inverse = NULL;
    normalise(m, a, epsilon, &normal, &inverse);
    ttrt_tensor *mean = ttrt_reduce(m, TTRT_MEAN, TTRT_DIM_X, gradient, NULL);
    ttrt_tensor *centred = ttrt_binary(m, TTRT_SUB, gradient, mean, NULL);
    ttrt_tensor *product = ttrt_binary(m, TTRT_MUL, gradient, normal, NULL);
    ttrt_tensor *share = ttrt_reduce(m, TTRT_MEAN, TTRT_DIM_X, product, NULL);
    ttrt_tensor *along = ttrt_binary(m, TTRT_MUL, normal, share, NULL);
    ttrt_tensor *across = ttrt_binary(m, TTRT_SUB, centred, along, NULL);
    ttrt_tensor *out = ttrt_binary(m, TTRT_MUL, across, inverse, how);
    ttrt_tensor *const used[] = {normal,  inverse, mean,  centred,
                                 product, share,   along, across};
    for (size_t i = 0; i < sizeof used / sizeof *used; i++)
        ttrt_free(m, used[i]);
    return out;
}

// --- the optimizer ---------------------------------------------------------------------
void ttrt_sgd(ttrt *m, ttrt_tensor *weights, const ttrt_tensor *gradient, float rate)
{
    struct rt_op op = {.code = "SGDFusedDeviceOperation"};
    const ttrt_tensor *const inputs[] = {weights, gradient};
    if (!ops_check(m, op.code, inputs, 2))
        return;
    if (memcmp(weights->spec.shape, gradient->spec.shape, sizeof weights->spec.shape) !=
        0) {
        rt_fail(m, "%s: the gradient '%s' (%s) does not have the shape of '%s' (%s)",
                op.code, gradient->name, ops_shape_text(m, gradient), weights->name,
                ops_shape_text(m, weights));
        return;
    }
    ops_operands(&op, inputs, 2, &weights, 1);
    ops_attribute(m, &op, "dampening", "0");
    ops_attribute(m, &op, "lr", "%g", (double)rate);
    ops_attribute(m, &op, "momentum", "0");
    ops_attribute(m, &op, "nesterov", "false");
    ops_attribute(m, &op, "weight_decay", "0");
    ops_kernels(m, &op, "read", "write", "sgd", TTRT_HIFI4);
    struct tile_plan plan;
    tile_plan_start(&plan, weights, weights);
    plan.b_kind = OPS_B_TILES;
    ops_strides(gradient, plan.b_stride);
    plan.how[0] = ops_bits(-rate);
    op.flops = 2 * ttrt_volume(weights);
    ops_run_tiles(m, &op, &plan);
}
