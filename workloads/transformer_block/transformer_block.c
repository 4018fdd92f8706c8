// transformer_block.c - one transformer block as ops: layer norm, causal attention over
// four heads, and a gated feed-forward part; optionally also as a trace.
#include <math.h>

#include "ttprof/host.h"
#include "workloads/model.h"

enum { HEADS = 4, HEAD_DIM = 64, DIM = HEADS * HEAD_DIM, SEQUENCE = 128, HIDDEN = 2 * DIM };
#define EPSILON 1e-5F

static const struct workload_setting settings[] = {
    {SETTING_SIZE, SEQUENCE, 32, 512, "length of the sequence"},
    {SETTING_RUNS, 0, 0, 1000,
     "replays of the block as a trace, after the signpost 'stop'"},
    {SETTING_GRID_X, 8, 1, 14, "cores across"},
    {SETTING_GRID_Y, 8, 1, 10, "cores down"},
};

struct norm {
    const ttrt_tensor *gamma, *beta;
};

struct block {
    struct model *w;
    struct norm norm1, norm2;
    const ttrt_tensor *x, *mask, *wqkv, *bqkv, *wo, *bo, *w_up, *b_up, *w_gate, *w_down;
    float scale;

    ttrt_tensor *normal, *qkv, *heads[3], *kt, *scores, *scaled, *masked, *shares, *context;
    ttrt_tensor *together, *attended, *residual;
    ttrt_tensor *normal2, *up, *act, *gate, *open, *gated, *down, *out;
};

// --- weights ---

static const ttrt_tensor *weights(struct model *w, const char *name, uint32_t rows,
                                  uint32_t columns, uint32_t seed)
{
    return model_made(w, name, rows, columns, seed, (float)(1.5 / sqrt((double)rows)));
}

static const ttrt_tensor *row(struct model *w, const char *name, uint32_t columns,
                              uint32_t seed)
{
    return model_made(w, name, 1, columns, seed, 0.25F);
}

// Causal mask: later positions do not count in a position's softmax.
static const ttrt_tensor *mask_of(struct model *w, uint32_t sequence)
{
    float *v = push_many(&w->r->a, float, (size_t)sequence *sequence);
    for (uint32_t i = 0; i < sequence; i++)
        for (uint32_t j = 0; j < sequence; j++)
            v[(size_t)i * sequence + j] = j > i ? -1024 : 0;
    return model_from(w, "mask", sequence, sequence, v);
}

static void make(struct block *b, uint32_t sequence)
{
    struct model *w = b->w;
    b->x = model_made(w, "x", sequence, DIM, 30, 2);
    b->mask = mask_of(w, sequence);
    b->norm1 = (struct norm){row(w, "gamma 1", DIM, 41), row(w, "beta 1", DIM, 42)};
    b->norm2 = (struct norm){row(w, "gamma 2", DIM, 43), row(w, "beta 2", DIM, 44)};
    b->wqkv = weights(w, "wqkv", DIM, 3 * DIM, 31);
    b->bqkv = row(w, "bqkv", 3 * DIM, 45);
    b->wo = weights(w, "wo", DIM, DIM, 34);
    b->bo = row(w, "bo", DIM, 46);
    b->w_up = weights(w, "w up", DIM, HIDDEN, 35);
    b->b_up = row(w, "b up", HIDDEN, 47);
    b->w_gate = weights(w, "w gate", DIM, HIDDEN, 36);
    b->w_down = weights(w, "w down", HIDDEN, DIM, 37);
    b->scale = (float)(1 / sqrt((double)HEAD_DIM));
}

// --- ops ---

static ttrt_tensor *linear(struct block *b, const char *name, const ttrt_tensor *a,
                           const ttrt_tensor *weight, const ttrt_tensor *bias)
{
    struct ttrt_how how = model_named(name);
    return ttrt_linear(b->w->m, a, weight, bias, TTRT_UNARIES, &how);
}

static ttrt_tensor *unary(struct block *b, const char *name, int function,
                          const ttrt_tensor *a)
{
    struct ttrt_how how = model_named(name);
    return ttrt_unary(b->w->m, function, a, &how);
}

static ttrt_tensor *binary(struct block *b, const char *name, int function,
                           const ttrt_tensor *a, const ttrt_tensor *other)
{
    struct ttrt_how how = model_named(name);
    return ttrt_binary(b->w->m, function, a, other, &how);
}

static ttrt_tensor *layer_norm(struct block *b, const char *name, const ttrt_tensor *a,
                               struct norm norm)
{
    struct ttrt_how how = model_named(name);
    return ttrt_layernorm(b->w->m, a, norm.gamma, norm.beta, EPSILON, &how);
}

static void attention(struct block *b)
{
    ttrt *m = b->w->m;
    struct ttrt_how split = model_named("attention: split heads");
    struct ttrt_how turn = model_named("attention: k transposed");
    struct ttrt_how scale = model_named("attention: scale");
    struct ttrt_how share = model_named("attention: softmax");
    struct ttrt_how concat = model_named("attention: concat heads");
    b->qkv = linear(b, "attention: qkv", b->normal, b->wqkv, b->bqkv);
    ttrt_split_heads(m, b->qkv, HEADS, b->heads, &split);
    b->kt = ttrt_transpose(m, b->heads[1], &turn);
    b->scores = linear(b, "attention: scores", b->heads[0], b->kt, NULL);
    b->scaled = ttrt_scale(m, b->scores, b->scale, 0, &scale);
    b->masked = binary(b, "attention: mask", TTRT_ADD, b->scaled, b->mask);
    b->shares = ttrt_softmax(m, b->masked, 1, &share);
    b->context = linear(b, "attention: context", b->shares, b->heads[2], NULL);
    b->together = ttrt_concat_heads(m, b->context, &concat);
    b->attended = linear(b, "attention: out", b->together, b->wo, b->bo);
}

static void feed_forward(struct block *b)
{
    b->up = linear(b, "forward: up", b->normal2, b->w_up, b->b_up);
    b->act = unary(b, "forward: gelu", TTRT_GELU, b->up);
    b->gate = linear(b, "forward: gate", b->normal2, b->w_gate, NULL);
    b->open = unary(b, "forward: sigmoid", TTRT_SIGMOID, b->gate);
    b->gated = binary(b, "forward: gated", TTRT_MUL, b->act, b->open);
    b->down = linear(b, "forward: down", b->gated, b->w_down, NULL);
}

static void forward(struct block *b)
{
    b->normal = layer_norm(b, "norm: attention", b->x, b->norm1);
    attention(b);
    b->residual = binary(b, "residual: attention", TTRT_ADD, b->x, b->attended);
    b->normal2 = layer_norm(b, "norm: forward", b->residual, b->norm2);
    feed_forward(b);
    b->out = binary(b, "residual: forward", TTRT_ADD, b->residual, b->down);
}

// --- checks: every op, from the device's operands ---

static void check(struct block *b)
{
    struct model *w = b->w;
    model_check_layernorm(w, b->normal, b->x, b->norm1.gamma, b->norm1.beta, EPSILON);
    model_check_linear(w, b->qkv, b->normal, b->wqkv, b->bqkv, TTRT_UNARIES);
    model_check_split(w, b->heads, b->qkv);
    model_check_transpose(w, b->kt, b->heads[1]);
    model_check_linear(w, b->scores, b->heads[0], b->kt, NULL, TTRT_UNARIES);
    model_check_scale(w, b->scaled, b->scores, b->scale);
    model_check_binary(w, b->masked, TTRT_ADD, b->scaled, b->mask);
    model_check_softmax(w, b->shares, b->masked, 1);
    model_check_linear(w, b->context, b->shares, b->heads[2], NULL, TTRT_UNARIES);
    model_check_concat(w, b->together, b->context);
    model_check_linear(w, b->attended, b->together, b->wo, b->bo, TTRT_UNARIES);
    model_check_binary(w, b->residual, TTRT_ADD, b->x, b->attended);
    model_check_layernorm(w, b->normal2, b->residual, b->norm2.gamma, b->norm2.beta,
                          EPSILON);
    model_check_linear(w, b->up, b->normal2, b->w_up, b->b_up, TTRT_UNARIES);
    model_check_unary(w, b->act, TTRT_GELU, b->up);
    model_check_linear(w, b->gate, b->normal2, b->w_gate, NULL, TTRT_UNARIES);
    model_check_unary(w, b->open, TTRT_SIGMOID, b->gate);
    model_check_binary(w, b->gated, TTRT_MUL, b->act, b->open);
    model_check_linear(w, b->down, b->gated, b->w_down, NULL, TTRT_UNARIES);
    model_check_binary(w, b->out, TTRT_ADD, b->residual, b->down);
}

// Capturing runs nothing; results are available after the first replay.
static void replay(struct block *b, int64_t runs)
{
    ttrt *m = b->w->m;
    int trace = ttrt_trace_begin(m);
    forward(b);
    ttrt_trace_end(m, trace);
    for (int64_t i = 0; i < runs; i++)
        ttrt_trace_replay(m, trace);
    ttrt_trace_release(m, trace);
}

static void run_block(struct run *r)
{
    struct model w;
    struct block b = {.w = &w};
    uint32_t sequence = (uint32_t)r->setting[SETTING_SIZE] / TILE_SIDE * TILE_SIDE;
    int64_t runs = r->setting[SETTING_RUNS];
    model_open(&w, r);
    make(&b, sequence);
    ttprof_signpost("start", NULL);
    forward(&b);
    ttprof_signpost("stop", NULL);
    struct block replayed = b;
    if (runs)
        replay(&replayed, runs);
    model_finish(&w);
    check(&b);
    if (runs)
        check(&replayed);
    run_figure(r, "sequence", sequence, 0, "");
    run_figure(r, "width", DIM, 0, "");
    run_figure(r, "heads", HEADS, 0, "");
    if (runs)
        run_figure(r, "replays", (double)runs, 0, "");
    model_report(&w);
    model_close(&w);
}

const struct workload workload_transformer_block = {
    .name = "transformer_block",
    .what = "a transformer block (sequence 128, width 256, 4 heads) as 20 ops",
    .shows =
        "a realistic op report: matmuls dominate, small ops are dispatch bound, advice triggers",
    .settings = settings,
    .n_settings = sizeof settings / sizeof *settings,
    .run = run_block,
};
