// transformer_block.c - one block of a transformer: layer norm, attention over four heads,
// and a feed-forward part, as ops.
#include <math.h>

#include "ttprof/host.h"
#include "workloads/ops/ops.h"

enum { HEADS = 4, HEAD_DIM = 64, DIM = HEADS * HEAD_DIM, SEQUENCE = 128, HIDDEN = 2 * DIM };

static const struct workload_setting settings[] = {
    {SETTING_SIZE, SEQUENCE, 32, 512, "length of the sequence"},
    {SETTING_GRID_X, 8, 1, 14, "cores across"},
    {SETTING_GRID_Y, 8, 1, 10, "cores down"},
};

static const struct sfpu_step no_step = {TT_SFPU_FUNCTIONS, 0};

static struct tensor weights(struct run *r, const char *name, int rows, int columns,
                             uint32_t seed)
{
    struct tensor t = tensor_new(r, name, rows, columns);
    tensor_fill(&t, seed, (float)(1.5 / sqrt((double)rows)));
    tensor_write(r, &t);
    return t;
}

// (x - mean) / sqrt(variance + epsilon), by rows
static struct tensor layer_norm(struct ops *o, const struct tensor *x)
{
    float scale = 1.0F / (float)x->columns;
    struct tensor mean = op_reduce_rows(o, "norm: mean", x, 0, scale);
    struct tensor centred =
        op_binary(o, "norm: centre", TT_MATH_SUB, TT_BROADCAST_COLUMN, x, &mean);
    struct tensor square = op_unary(o, "norm: square", &centred,
                                    (struct sfpu_step){TT_SFPU_SQUARE, 0}, no_step);
    struct tensor variance = op_reduce_rows(o, "norm: variance", &square, 0, scale);
    struct tensor inverse =
        op_unary(o, "norm: rsqrt", &variance, (struct sfpu_step){TT_SFPU_OFFSET, 1e-5F},
                 (struct sfpu_step){TT_SFPU_RSQRT, 0});
    return op_binary(o, "norm: scale", TT_MATH_MUL, TT_BROADCAST_COLUMN, &centred,
                     &inverse);
}

// exp(scale (x - max)) / sum, by rows
static struct tensor softmax(struct ops *o, const struct tensor *x, float scale)
{
    struct tensor most = op_reduce_rows(o, "softmax: max", x, 1, 1);
    struct tensor below =
        op_binary(o, "softmax: subtract", TT_MATH_SUB, TT_BROADCAST_COLUMN, x, &most);
    struct tensor power =
        op_unary(o, "softmax: exp", &below, (struct sfpu_step){TT_SFPU_SCALE, scale},
                 (struct sfpu_step){TT_SFPU_EXP, 0});
    struct tensor sum = op_reduce_rows(o, "softmax: sum", &power, 0, 1);
    struct tensor inverse = op_unary(o, "softmax: reciprocal", &sum,
                                     (struct sfpu_step){TT_SFPU_RECIPROCAL, 0}, no_step);
    return op_binary(o, "softmax: scale", TT_MATH_MUL, TT_BROADCAST_COLUMN, &power,
                     &inverse);
}

static struct tensor attention(struct ops *o, const struct tensor *x)
{
    struct run *r = o->r;
    struct tensor wq = weights(r, "wq", DIM, DIM, 31), wk = weights(r, "wk", DIM, DIM, 32);
    struct tensor wv = weights(r, "wv", DIM, DIM, 33), wo = weights(r, "wo", DIM, DIM, 34);
    struct tensor q = op_matmul(o, "attention: q", x, &wq);
    struct tensor k = op_matmul(o, "attention: k", x, &wk);
    struct tensor v = op_matmul(o, "attention: v", x, &wv);
    struct tensor kt = op_transpose(o, "attention: k transposed", &k);
    struct tensor scores = op_matmul_scores(o, "attention: scores", &q, &kt, HEADS);
    struct tensor share = softmax(o, &scores, (float)(1 / sqrt((double)HEAD_DIM)));
    struct tensor context = op_matmul_context(o, "attention: context", &share, &v, HEADS);
    return op_matmul(o, "attention: out", &context, &wo);
}

static struct tensor feed_forward(struct ops *o, const struct tensor *x)
{
    struct tensor w1 = weights(o->r, "w1", DIM, HIDDEN, 35);
    struct tensor w2 = weights(o->r, "w2", HIDDEN, DIM, 36);
    struct tensor up = op_matmul(o, "forward: up", x, &w1);
    struct tensor act =
        op_unary(o, "forward: gelu", &up, (struct sfpu_step){TT_SFPU_GELU, 0}, no_step);
    return op_matmul(o, "forward: down", &act, &w2);
}

// Every row of attention shares adds up to one, so the block's output stays in bounds; a
// wrong head or stride shows in the ops' own checks.
static void run_block(struct run *r)
{
    struct ops o;
    int sequence = (int)r->setting[SETTING_SIZE] / TILE_SIDE * TILE_SIDE;
    ops_open(&o, r);
    struct tensor x = tensor_new(r, "x", sequence, DIM);
    tensor_fill(&x, 30, 2);
    tensor_write(r, &x);
    ttprof_signpost("start", NULL);
    struct tensor normal = layer_norm(&o, &x);
    struct tensor attended = attention(&o, &normal);
    struct tensor residual =
        op_binary(&o, "residual: attention", TT_MATH_ADD, TT_BROADCAST_NONE, &x, &attended);
    struct tensor forward = feed_forward(&o, &residual);
    (void)op_binary(&o, "residual: forward", TT_MATH_ADD, TT_BROADCAST_NONE, &residual,
                    &forward);
    ttprof_signpost("stop", NULL);
    run_figure(r, "sequence", sequence, 0, "");
    run_figure(r, "width", DIM, 0, "");
    run_figure(r, "heads", HEADS, 0, "");
    ops_report(&o);
    ops_close(&o);
}

const struct workload workload_transformer_block = {
    .name = "transformer_block",
    .what = "a transformer block (sequence 128, width 256, 4 heads) as 24 ops",
    .shows =
        "a realistic op report: matmuls dominate, small ops are dispatch bound, advice "
        "triggers",
    .settings = settings,
    .n_settings = sizeof settings / sizeof *settings,
    .run = run_block,
};
