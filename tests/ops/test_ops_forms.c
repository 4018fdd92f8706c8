// Ops with other data types, fidelities and places of operands and results than they mostly
// have.
#include <stdio.h>

#include "sample_ops.h"

#define COUNT(v) (sizeof(v) / sizeof *(v))

// Operands of fp32 are rounded to bf16 on their way into the engine; 16 values of bfp8
// share an exponent.
static struct within rough(int dtype)
{
    static const struct within by_type[] = {[TTRT_BFLOAT16] = {0, 0},
                                            [TTRT_FLOAT32] = {2 / 256.0, 1},
                                            [TTRT_BFLOAT8_B] = {1 / 64.0, 1}};
    return by_type[dtype];
}

static const int others[] = {TTRT_FLOAT32, TTRT_BFLOAT8_B};

// --- data types ---

static void typed_pairs(struct bench *b)
{
    static const struct shape4 a = {{1, 2, 40, 50}};
    static const struct shape4 shapes[] = {
        {{1, 2, 40, 50}}, {{1, 1, 1, 50}}, {{1, 2, 40, 1}}, {{1, 1, 1, 1}}};
    float *want = values_new(b, shape4_volume(a));
    for (size_t k = 0; k < COUNT(others); k++)
        for (size_t i = 0; i < COUNT(shapes); i++)
            for (int f = 0; f < TTRT_BINARIES; f++) {
                char what[60];
                struct pair x = pair_make(b, spec_of(a, others[k]), 2);
                struct pair y = pair_make(b, spec_of(shapes[i], others[k]), 2);
                (void)snprintf(what, sizeof what, "binary %d, other %zu, type %d", f, i,
                               others[k]);
                reference_binary(want, f, x.v, a, y.v, shapes[i]);
                check(b, ttrt_binary(b->m, f, x.t, y.t, NULL), want, rough(others[k]),
                      what);
                ttrt_free(b->m, x.t);
                ttrt_free(b->m, y.t);
            }
}
TEST(sums_and_products_of_other_types)
{
    on_both_chips(typed_pairs);
}

static void typed_moves(struct bench *b)
{
    for (size_t k = 0; k < COUNT(others); k++) {
        struct shape4 s = {{1, 1, 40, 3 * 2 * 32}}, h = {{1, 2, 70, 32}};
        struct pair qkv = pair_make(b, spec_of(s, others[k]), 1);
        float *want = values_new(b, shape4_volume(s) + shape4_volume(h));
        ttrt_tensor *parts[3];
        ttrt_split_heads(b->m, qkv.t, 2, parts, NULL);
        for (int i = 0; i < 3; i++) {
            reference_split_heads(want, qkv.v, i, 40, 2, 32);
            check(b, parts[i], want, EXACT, "split heads");
        }
        struct pair x = pair_make(b, spec_of(h, others[k]), 1);
        reference_concat_heads(want, x.v, h);
        check(b, ttrt_concat_heads(b->m, x.t, NULL), want, EXACT, "concat heads");
        reference_transpose(want, x.v, h);
        check(b, ttrt_transpose(b->m, x.t, NULL), want, rough(others[k]), "transpose");
        for (size_t i = 0; i < shape4_volume(h); i++)
            want[i] = x.v[i] * 0.75F - 0.5F;
        check(b, ttrt_scale(b->m, x.t, 0.75F, -0.5F, NULL), want, rough(others[k]),
              "scale");
    }
}
TEST(moves_of_other_types)
{
    on_both_chips(typed_moves);
}

static void typed_gradients(struct bench *b)
{
    struct shape4 s = {{1, 1, 40, 70}};
    struct ttrt_spec spec = spec_of(s, TTRT_FLOAT32);
    struct pair g = pair_make(b, spec, 1), x = pair_make(b, spec, 3);
    size_t n = shape4_volume(s);
    float *want = values_new(b, n), *result = values_new(b, n);
    struct within within = {6 / 256.0, 1 / 4.0};
    reference_gelu_backward(want, g.v, x.v, n);
    check(b, ttrt_gelu_backward(b->m, g.t, x.t, NULL), want, within, "gelu backward");
    reference_softmax(result, x.v, 40, 70, 1);
    struct pair y = pair_of(b, spec, result);
    reference_softmax_backward(want, g.v, y.v, 40, 70);
    check(b, ttrt_softmax_backward(b->m, g.t, y.t, NULL), want, within, "softmax backward");
    reference_layernorm_backward(want, g.v, x.v, 40, 70, 1e-5);
    check(b, ttrt_layernorm_backward(b->m, g.t, x.t, 1e-5F, NULL), want, within,
          "layer norm backward");
}
TEST(gradients_of_fp32)
{
    on_both_chips(typed_gradients);
}

// --- fidelities and results of another type ---

static void fidelities(struct bench *b)
{
    struct pair x = pair_make(b, ttrt_spec2(40, 70), 1);
    struct pair y = pair_make(b, ttrt_spec2(70, 50), 1);
    float *want = values_new(b, (size_t)40 * 50);
    struct reference_matmul size = {1, 40, 70, 50, 1};
    reference_matmul(want, x.v, y.v, NULL, size);
    for (int f = TTRT_LOFI; f <= TTRT_HIFI4; f++)
        for (size_t k = 0; k < COUNT(others); k++) {
            struct ttrt_how how = {.fidelity = f, .is_typed = true, .dtype = others[k]};
            // Sums are rounded to bf16 in between, and multiples of 1/64 up to 1 lose
            // little in one pass.
            struct within within = {f < TTRT_HIFI3 ? 1 / 16.0 : 1 / 64.0, 1};
            check(b, ttrt_matmul(b->m, x.t, y.t, &how), want, within, "fidelity");
        }
}
TEST(products_of_all_fidelities_into_other_types)
{
    on_both_chips(fidelities);
}

// --- places ---

static const struct ttrt_memory memories[] = {{TTRT_L1, TTRT_INTERLEAVED, 0, 0},
                                              {TTRT_L1, TTRT_HEIGHT_SHARDED, 2, 2},
                                              {TTRT_L1, TTRT_WIDTH_SHARDED, 2, 1},
                                              {TTRT_L1, TTRT_BLOCK_SHARDED, 2, 2}};

static void placed_rows(struct bench *b, const struct ttrt_memory *memory)
{
    struct ttrt_how how = {.has_memory = true, .memory = *memory};
    struct ttrt_spec spec = ttrt_spec2(70, 50);
    spec.memory = *memory;
    struct pair x = pair_make(b, spec, 2);
    float *want = values_new(b, shape4_volume(x.shape));
    reference_softmax(want, x.v, 70, 50, 1);
    check(b, ttrt_softmax(b->m, x.t, 1, &how), want, (struct within){5 / 256.0, 1 / 16.0},
          "softmax in L1");
    reference_layernorm(want, x.v, 70, 50, NULL, NULL, 1e-5);
    check(b, ttrt_layernorm(b->m, x.t, NULL, NULL, 1e-5F, &how), want,
          (struct within){5 / 256.0, 1 / 4.0}, "layer norm in L1");
    reference_transpose(want, x.v, x.shape);
    check(b, ttrt_transpose(b->m, x.t, &how), want, EXACT, "transpose in L1");
    for (size_t i = 0; i < shape4_volume(x.shape); i++)
        want[i] = reference_unary(TTRT_RELU, x.v[i]);
    check(b, ttrt_unary(b->m, TTRT_RELU, x.t, &how), want, EXACT, "relu in L1");
    reference_reduce(want, x.v, x.shape, TTRT_MAX, TTRT_DIM_X);
    check(b, ttrt_reduce(b->m, TTRT_MAX, TTRT_DIM_X, x.t, NULL), want, EXACT,
          "greatest of L1");
    ttrt_free(b->m, x.t);
}

static void placed_products(struct bench *b, const struct ttrt_memory *memory)
{
    struct ttrt_how how = {.has_memory = true, .memory = *memory};
    struct ttrt_spec spec = ttrt_spec2(70, 50);
    spec.memory = *memory;
    struct pair x = pair_make(b, ttrt_spec2(40, 70), 1), y = pair_make(b, spec, 1);
    struct pair bias = pair_make(b, ttrt_spec2(1, 50), 1);
    float *want = values_new(b, (size_t)40 * 50);
    struct reference_matmul size = {1, 40, 70, 50, 1};
    reference_matmul(want, x.v, y.v, bias.v, size);
    check(b, ttrt_linear(b->m, x.t, y.t, bias.t, TTRT_UNARIES, &how), want, EXACT,
          "linear in L1");
    ttrt_free(b->m, y.t);
}

static void placed(struct bench *b)
{
    for (size_t i = 0; i < COUNT(memories); i++) {
        placed_rows(b, &memories[i]);
        placed_products(b, &memories[i]);
    }
}
TEST(results_lie_in_l1_and_in_shards)
{
    on_both_chips(placed);
}
