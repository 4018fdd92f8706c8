// training_step.c - steps of training a small classifier: embedding, layer norm, two layers
// with a gelu in between, softmax; all gradients; stochastic gradient descent. Each phase
// of a step ends with marker ops, as in a training loop. On two chips gradients are summed
// over both.
//
// Weights are fp32, activations bf16.
#include <math.h>
#include <stdio.h>

#include "workloads/model.h"
#include "workloads/training_step/host_step.h"

enum { MARKERS = 5 }; // of one kind, in a row

static const struct workload_setting settings[] = {
    {SETTING_SIZE, 64, 32, 512, "tokens of a step"},
    {SETTING_LOOPS, 3, 1, 100, "steps"},
    {SETTING_GRID_X, 8, 1, 14, "cores across"},
    {SETTING_GRID_Y, 8, 1, 10, "cores down"},
};

struct training {
    struct model w;
    struct run *r;
    uint32_t tokens;
    ttrt_tensor *weight[WEIGHTS], *gradient[WEIGHTS];
    VEC(ttrt_tensor *) loose;    // freed after the current step
    VEC(ttrt_tensor *) outcomes; // probabilities of each step
    struct host_step host;
    size_t n_hits, n_ops; // since the second step

    // Of the current step:
    ttrt_tensor *ids, *chosen, *target; // chosen: one-hot ids, a column for each token
    ttrt_tensor *x, *normal, *hidden, *act, *share, *fault;
};

// --- tensors ---

static ttrt_tensor *keep(struct training *s, ttrt_tensor *t)
{
    if (t)
        vec_push(&s->loose, t);
    return t;
}

static void drop_loose(struct training *s)
{
    for (size_t i = 0; i < s->loose.n; i++)
        ttrt_free(s->w.m, s->loose.v[i]);
    s->loose.n = 0;
}

static struct ttrt_how typed(const char *name, int dtype)
{
    return (struct ttrt_how){.name = name, .is_typed = true, .dtype = dtype};
}

static void make_weights(struct training *s)
{
    for (int i = 0; i < WEIGHTS; i++) {
        struct ttrt_spec spec = ttrt_spec2(host_rows(i), host_columns(i));
        spec.dtype = TTRT_FLOAT32;
        s->weight[i] = ttrt_from_host(s->w.m, s->host.weight[i], spec, host_name(i));
    }
}

// --- phases ---

static void load(struct training *s, int64_t step)
{
    struct ttrt_spec ids = ttrt_spec2(1, s->tokens);
    ids.dtype = TTRT_UINT32;
    ids.layout = TTRT_ROW_MAJOR;
    host_step_load(&s->host, (uint32_t)step);
    s->ids = keep(s, ttrt_ids_from_host(s->w.m, s->host.ids, ids, "ids"));
    s->chosen = keep(s, model_from(&s->w, "chosen", TOKENS, s->tokens, s->host.chosen));
    s->target = keep(s, model_from(&s->w, "target", s->tokens, CLASSES, s->host.target));
    ttrt_read_results(s->w.m, "dataloader_step_done", false, MARKERS);
}

static void forward(struct training *s)
{
    ttrt *m = s->w.m;
    struct ttrt_how x = model_named("x"), normal = typed("normal", TTRT_BFLOAT16);
    struct ttrt_how hidden = model_named("hidden"), act = model_named("gelu");
    struct ttrt_how logits = model_named("logits"), share = model_named("share");
    s->x = keep(s, ttrt_embedding(m, s->ids, s->weight[TABLE], &x));
    s->normal = keep(s, ttrt_layernorm(m, s->x, NULL, NULL, EPSILON, &normal));
    s->hidden = keep(
        s, ttrt_linear(m, s->normal, s->weight[W1], s->weight[B1], TTRT_UNARIES, &hidden));
    s->act = keep(s, ttrt_unary(m, TTRT_GELU, s->hidden, &act));
    ttrt_tensor *out = keep(
        s, ttrt_linear(m, s->act, s->weight[W2], s->weight[B2], TTRT_UNARIES, &logits));
    s->share = ttrt_softmax(m, out, 1, &share);
    vec_push(&s->outcomes, s->share);
    ttrt_read_results(s->w.m, "forward_pass_done", false, MARKERS);
}

// Gradients of a layer's weights, bias and input.
static ttrt_tensor *layer_backward(struct training *s, const ttrt_tensor *input, int weight,
                                   int bias, const ttrt_tensor *fault)
{
    ttrt *m = s->w.m;
    struct ttrt_how wide = typed(host_name(weight), TTRT_FLOAT32);
    struct ttrt_how row = typed(host_name(bias), TTRT_FLOAT32);
    struct ttrt_how turned = typed("weights transposed", TTRT_BFLOAT16);
    ttrt_tensor *input_t = keep(s, ttrt_transpose(m, input, NULL));
    s->gradient[weight] = keep(s, ttrt_matmul(m, input_t, fault, &wide));
    s->gradient[bias] = keep(s, ttrt_reduce(m, TTRT_SUM, TTRT_DIM_Y, fault, &row));
    ttrt_tensor *weight_t = keep(s, ttrt_transpose(m, s->weight[weight], &turned));
    return keep(s, ttrt_matmul(m, fault, weight_t, NULL));
}

static void backward(struct training *s)
{
    ttrt *m = s->w.m;
    struct ttrt_how wide = typed(host_name(TABLE), TTRT_FLOAT32);
    ttrt_tensor *off = keep(s, ttrt_binary(m, TTRT_SUB, s->share, s->target, NULL));
    ttrt_tensor *fault = keep(s, ttrt_scale(m, off, 1 / (float)s->tokens, 0, NULL));
    ttrt_tensor *of_act = layer_backward(s, s->act, W2, B2, fault);
    ttrt_tensor *of_hidden = keep(s, ttrt_gelu_backward(m, of_act, s->hidden, NULL));
    ttrt_tensor *of_normal = layer_backward(s, s->normal, W1, B1, of_hidden);
    ttrt_tensor *of_x = keep(s, ttrt_layernorm_backward(m, of_normal, s->x, EPSILON, NULL));
    s->gradient[TABLE] = keep(s, ttrt_matmul(m, s->chosen, of_x, &wide));
    ttrt_read_results(s->w.m, "backward_pass_done", false, MARKERS);
}

// Sums over the chips; both trained on the same tokens, so the sum is twice as large.
static void sync_gradients(struct training *s)
{
    ttrt *m = s->w.m;
    for (int i = 0; i < WEIGHTS && ttrt_n_devices(m) == 2; i++) {
        int dim = host_rows(i) > 1 ? TTRT_DIM_Y : TTRT_DIM_X;
        ttrt_tensor *part = keep(s, ttrt_reduce_scatter(m, s->gradient[i], dim, NULL));
        s->gradient[i] = keep(s, ttrt_all_gather(m, part, dim, NULL));
    }
    ttrt_read_results(s->w.m, "gradient_sync_done", false, MARKERS);
}

static void optimise(struct training *s)
{
    float rate = RATE / (float)ttrt_n_devices(s->w.m);
    for (int i = 0; i < WEIGHTS; i++)
        ttrt_sgd(s->w.m, s->weight[i], s->gradient[i], rate);
    ttrt_read_results(s->w.m, "optimizer_step_done", false, MARKERS);
}

static void train(struct training *s, int64_t step)
{
    char name[32];
    size_t before = s->w.ops.n;
    load(s, step);
    forward(s);
    backward(s);
    sync_gradients(s);
    optimise(s);
    (void)snprintf(name, sizeof name, "iteration_%lld", (long long)step);
    ttrt_read_results(s->w.m, name, true, MARKERS);
    if (step == 1)
        ttrt_read_results(s->w.m, "compilation_finished", false, MARKERS);
    for (size_t i = before; i < s->w.ops.n && step > 1; i++, s->n_ops++)
        s->n_hits += s->w.ops.v[i].is_hit;
    drop_loose(s);
}

// --- checks ---

// The host trains along in double: both sets of weights must have moved alike.
static void check(struct training *s, int64_t steps)
{
    run_check(s->r, s->n_hits == s->n_ops, "%zu of %zu later ops are in the program cache",
              s->n_hits, s->n_ops);
    for (int64_t step = 1; step <= steps; step++) {
        host_step_load(&s->host, (uint32_t)step);
        host_step_train(&s->host);
    }
    for (int i = 0; i < WEIGHTS && s->r->cfg.numerics; i++) {
        const float *got = model_values(&s->w, s->weight[i]);
        double error = got ? host_step_error(&s->host, i, got) : 0;
        s->w.worst = fmax(s->w.worst, error);
        run_check(s->r, error <= 0.05, "%s: its change is off by %.4f; 0.05 is allowed",
                  host_name(i), error);
    }
}

static double loss_of(struct training *s, int64_t step)
{
    const float *share = model_values(&s->w, s->outcomes.v[step - 1]);
    host_step_load(&s->host, (uint32_t)step);
    return share ? host_step_loss(&s->host, share) : 0;
}

static void run_training(struct run *r)
{
    struct training s = {.r = r};
    int64_t steps = r->setting[SETTING_LOOPS];
    s.tokens = (uint32_t)r->setting[SETTING_SIZE] / TILE_SIDE * TILE_SIDE;
    host_step_open(&s.host, &r->a, s.tokens);
    model_open(&s.w, r);
    make_weights(&s);
    for (int64_t step = 1; step <= steps; step++)
        train(&s, step);
    model_finish(&s.w);
    double first = loss_of(&s, 1), last = loss_of(&s, steps);
    check(&s, steps);
    run_check(r, !r->cfg.numerics || steps == 1 || last < first,
              "the loss went from %.4f to %.4f", first, last);
    run_figure(r, "tokens", s.tokens, 0, "");
    run_figure(r, "steps", (double)steps, 0, "");
    run_figure(r, "loss, first step", first, 4, "");
    run_figure(r, "loss, last step", last, 4, "");
    run_figure(r, "programs", (double)ttrt_program_cache_entries(s.w.m), 0, "");
    model_report_sums(&s.w);
    vec_free(&s.loose);
    vec_free(&s.outcomes);
    model_close(&s.w);
}

const struct workload workload_training_step = {
    .name = "training_step",
    .what = "steps of training a small classifier: forward, backward, optimizer",
    .shows = "phases between the markers of a training loop; no program is made twice",
    .settings = settings,
    .n_settings = sizeof settings / sizeof *settings,
    .run = run_training,
};
