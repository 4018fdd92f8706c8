// Every op against the plain computation: shapes that fill tiles and shapes that do not,
// data types, places in memory, both chips.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sample_ops.h"

#define COUNT(v) (sizeof(v) / sizeof *(v))
static const int dtypes[] = {TTRT_BFLOAT16, TTRT_FLOAT32, TTRT_BFLOAT8_B};

// A result of bfp8 shares an exponent among 16 values: a step is 1/64 of the largest, and
// it may be one off on top of what the op itself may be.
static struct within by_type(int dtype, struct within plain)
{
    return dtype == TTRT_BFLOAT8_B ? (struct within){1 / 64.0 + plain.error, 1} : plain;
}

// --- matrix products ---

struct product {
    struct shape4 a, b;
    struct ttrt_how how;
    bool has_bias;
    int activation;
};

static void multiply(struct bench *b, const struct product *p, int dtype)
{
    char what[80];
    struct reference_matmul size = {p->a.n[0] * p->a.n[1], p->a.n[2], p->a.n[3], p->b.n[3],
                                    p->b.n[0] * p->b.n[1] == 1};
    struct pair x = pair_make(b, spec_of(p->a, dtype), 1);
    struct pair y = pair_make(b, spec_of(p->b, dtype), 1);
    struct pair bias = pair_make(b, ttrt_spec2(1, p->b.n[3]), 2);
    size_t n = (size_t)size.batches * size.rows * size.columns;
    float *want = values_new(b, n);
    reference_matmul(want, x.v, y.v, p->has_bias ? bias.v : NULL, size);
    for (size_t i = 0; i < n && p->activation != TTRT_UNARIES; i++)
        want[i] = reference_unary(p->activation, want[i]);
    (void)snprintf(what, sizeof what, "matmul %u x %u x %u, type %d", size.rows, size.inner,
                   size.columns, dtype);
    ttrt_tensor *t =
        ttrt_linear(b->m, x.t, y.t, p->has_bias ? bias.t : NULL, p->activation, &p->how);
    struct within within = p->activation == TTRT_UNARIES ? EXACT : STEPS(1);
    check(b, t, want, by_type(dtype, within), what);
}

#define SHARED(x, y) .config = TTRT_MATMUL_MULTICAST, .grid_x = x, .grid_y = y
static void products(struct bench *b)
{
    static const struct product cases[] = {
        {{{1, 1, 32, 32}}, {{1, 1, 32, 32}}, {0}, false, TTRT_UNARIES},
        {{{1, 1, 64, 96}}, {{1, 1, 96, 160}}, {0}, true, TTRT_UNARIES},
        {{{1, 1, 40, 50}}, {{1, 1, 50, 70}}, {0}, true, TTRT_GELU},
        {{{2, 3, 33, 64}}, {{2, 3, 64, 32}}, {0}, false, TTRT_RELU},
        {{{2, 2, 32, 32}}, {{1, 1, 32, 64}}, {0}, false, TTRT_UNARIES},
        // Blocks that do not divide the result, subblocks that do not divide a block.
        {{{1, 1, 160, 224}},
         {{1, 1, 224, 96}},
         {.in0_block_w = 3,
          .out_subblock_h = 2,
          .out_subblock_w = 2,
          .per_core_m = 3,
          .per_core_n = 2,
          .fidelity = TTRT_LOFI},
         false,
         TTRT_UNARIES},
        {{{1, 1, 64, 64}}, {{1, 1, 64, 64}}, {.grid_x = 2, .grid_y = 1}, true, TTRT_EXP},
        // Several subblocks for a core, whose operands stay; two blocks, the second cut
        // off.
        {{{1, 1, 128, 150}},
         {{1, 1, 150, 224}},
         {.grid_x = 2,
          .grid_y = 1,
          .in0_block_w = 2,
          .out_subblock_h = 2,
          .out_subblock_w = 1,
          .per_core_m = 4,
          .per_core_n = 2},
         true,
         TTRT_UNARIES},
        // Shared operands: a row and a column of cores, a grid with cores that have less or
        // nothing to do, and a batch with one matrix b.
        {{{1, 1, 64, 96}}, {{1, 1, 96, 256}}, {SHARED(3, 1)}, true, TTRT_UNARIES},
        {{{1, 1, 256, 80}}, {{1, 1, 80, 64}}, {SHARED(1, 2)}, false, TTRT_RELU},
        {{{1, 1, 300, 200}},
         {{1, 1, 200, 330}},
         {SHARED(3, 2), .in0_block_w = 2, .out_subblock_h = 2, .out_subblock_w = 2},
         true,
         TTRT_GELU},
        {{{2, 3, 32, 64}}, {{1, 1, 64, 96}}, {SHARED(2, 2)}, true, TTRT_UNARIES},
        {{{1, 1, 32, 32}}, {{1, 1, 32, 32}}, {SHARED(1, 1)}, false, TTRT_UNARIES},
        // So deep that less stays in L1, in fp32 nothing.
        {{{1, 1, 128, 5120}},
         {{1, 1, 5120, 128}},
         {.grid_x = 1, .grid_y = 1, .per_core_m = 4, .per_core_n = 4},
         false,
         TTRT_UNARIES},
        {{{1, 1, 128, 5120}},
         {{1, 1, 5120, 128}},
         {SHARED(2, 1), .out_subblock_h = 2, .out_subblock_w = 1},
         false,
         TTRT_UNARIES},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        for (size_t k = 0; k < COUNT(dtypes); k++)
            if (k == 0 || i == 2 || i >= 10)
                multiply(b, &cases[i], dtypes[k]);
}
TEST(a_product_is_what_the_engine_adds_up)
{
    on_both_chips(products);
}

TEST(operands_are_shared_only_if_there_is_one_matrix_b)
{
    static const struct {
        struct ttrt_how how;
        const char *why;
    } cases[] = {
        {{.config = TTRT_MATMUL_MULTICAST}, "multicast needs one matrix b"},
        {{.config = TTRT_MATMUL_CONFIGS}, "invalid kind of program config 3"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char why[256];
        ttrt *m = ttrt_open("arch=wormhole", why);
        ttrt_tensor *a = ttrt_empty(m, ttrt_spec4(1, 2, 32, 32), "a");
        assert_null(ttrt_matmul(m, a, a, &cases[i].how));
        assert_non_null(strstr(ttrt_error(m), cases[i].why));
        assert_int_equal(ttrt_close(m), -EINVAL);
    }
}

// --- element by element ---

static void functions(struct bench *b)
{
    struct ttrt_spec spec = ttrt_spec4(1, 2, 40, 33);
    struct pair x = pair_make(b, spec, 3);
    float *want = values_new(b, ttrt_volume(x.t));
    float *above = values_new(b, ttrt_volume(x.t));
    for (size_t i = 0; i < ttrt_volume(x.t); i++)
        above[i] = fabsf(x.v[i]) + 0.25F;
    struct pair positive = pair_of(b, spec, above);
    for (int f = 0; f < TTRT_UNARIES; f++) {
        bool is_root = f == TTRT_SQRT || f == TTRT_RSQRT || f == TTRT_RECIPROCAL;
        const struct pair *p = is_root ? &positive : &x;
        for (size_t i = 0; i < ttrt_volume(x.t); i++)
            want[i] = reference_unary(f, p->v[i]);
        // Functions of the device and of the host differ in the last place of a float; a
        // bf16 may round the other way.
        check(b, ttrt_unary(b->m, f, p->t, NULL), want, STEPS(1), "unary");
    }
    for (size_t i = 0; i < ttrt_volume(x.t); i++)
        want[i] = x.v[i] * 1.5F + 0.375F;
    check(b, ttrt_scale(b->m, x.t, 1.5F, 0.375F, NULL), want, EXACT, "scale");
}
TEST(functions_of_values_are_right)
{
    on_both_chips(functions);
}

static void wide_functions(struct bench *b)
{
    for (size_t k = 1; k < COUNT(dtypes); k++) {
        struct pair x =
            pair_make(b, spec_of((struct shape4){{1, 1, 64, 48}}, dtypes[k]), 2);
        float *want = values_new(b, ttrt_volume(x.t));
        for (size_t i = 0; i < ttrt_volume(x.t); i++)
            want[i] = reference_unary(TTRT_TANH, x.v[i]);
        // fp32 goes through whole; bfp8 shares an exponent among 16 values.
        struct within within =
            k == 1 ? (struct within){1e-6, 1} : (struct within){1 / 64.0, 1};
        check(b, ttrt_unary(b->m, TTRT_TANH, x.t, NULL), want, within, "tanh");
        struct ttrt_how how = {.is_typed = true, .dtype = TTRT_BFLOAT16};
        check(b, ttrt_unary(b->m, TTRT_TANH, x.t, &how), want, STEPS(1), "tanh to bf16");
    }
}
TEST(functions_keep_the_digits_of_their_type)
{
    on_both_chips(wide_functions);
}

static void pairs(struct bench *b)
{
    static const struct shape4 a = {{2, 2, 70, 40}};
    static const struct shape4 others[] = {{{2, 2, 70, 40}}, {{1, 1, 70, 40}},
                                           {{1, 2, 1, 40}},  {{2, 1, 70, 1}},
                                           {{1, 1, 1, 1}},   {{2, 2, 1, 1}}};
    struct pair x = pair_make(b, spec_of(a, TTRT_BFLOAT16), 4);
    float *want = values_new(b, shape4_volume(a));
    for (size_t i = 0; i < COUNT(others); i++) {
        struct pair y = pair_make(b, spec_of(others[i], TTRT_BFLOAT16), 3);
        for (int f = 0; f < TTRT_BINARIES; f++) {
            char what[40];
            (void)snprintf(what, sizeof what, "binary %d, other %zu", f, i);
            reference_binary(want, f, x.v, a, y.v, others[i]);
            check(b, ttrt_binary(b->m, f, x.t, y.t, NULL), want, EXACT, what);
        }
    }
}
TEST(sums_and_products_broadcast)
{
    on_both_chips(pairs);
}

// --- along rows ---

static const struct shape4 row_shapes[] = {
    {{1, 1, 32, 64}}, {{1, 2, 40, 50}}, {{1, 1, 64, 16}}, {{1, 1, 7, 97}}};

// What an op leaves behind the end of a tensor must not reach the next one: the exponential
// of padding is 1, its reciprocal infinite.
static ttrt_tensor *with_odd_padding(struct bench *b, const struct pair *x)
{
    ttrt_tensor *inverse = ttrt_unary(b->m, TTRT_RECIPROCAL, x->t, NULL);
    ttrt_tensor *again = ttrt_unary(b->m, TTRT_RECIPROCAL, inverse, NULL);
    ttrt_tensor *odd = ttrt_unary(b->m, TTRT_RECIPROCAL, again, NULL);
    ttrt_free(b->m, inverse);
    ttrt_free(b->m, again);
    ttrt_to_host(b->m, 0, odd, x->v);
    return odd;
}

static struct pair odd_pair(struct bench *b, struct ttrt_spec spec)
{
    struct pair x = pair_make(b, spec, 2);
    for (size_t i = 0; i < shape4_volume(x.shape); i++)
        x.v[i] += x.v[i] < 0 ? -0.25F : 0.25F;
    x = pair_of(b, spec, x.v);
    x.t = with_odd_padding(b, &x);
    return x;
}

static void softmaxes(struct bench *b)
{
    for (size_t i = 0; i < COUNT(row_shapes); i++)
        for (size_t k = 0; k < COUNT(dtypes); k++) {
            struct pair x = odd_pair(b, spec_of(row_shapes[i], dtypes[k]));
            size_t n = shape4_volume(x.shape), columns = x.shape.n[3];
            float *want = values_new(b, n);
            reference_softmax(want, x.v, n / columns, columns, 0.75);
            // Difference, exponential and 1 / sum are rounded to bf16.
            struct within within = by_type(dtypes[k], (struct within){5 / 256.0, 1 / 16.0});
            check(b, ttrt_softmax(b->m, x.t, 0.75F, NULL), want, within, "softmax");
        }
}
TEST(softmax_ignores_padding)
{
    on_both_chips(softmaxes);
}

static void norms(struct bench *b)
{
    for (size_t i = 0; i < COUNT(row_shapes); i++)
        for (int how = 0; how < 4; how++) {
            struct pair x = odd_pair(b, spec_of(row_shapes[i], dtypes[how % 3]));
            size_t n = shape4_volume(x.shape), columns = x.shape.n[3];
            struct pair gamma = pair_make(b, ttrt_spec2(1, (uint32_t)columns), 1);
            struct pair beta = pair_make(b, ttrt_spec2(1, (uint32_t)columns), 1);
            bool has_gamma = how & 1, has_beta = how & 2;
            float *want = values_new(b, n);
            reference_layernorm(want, x.v, n / columns, columns, has_gamma ? gamma.v : NULL,
                                has_beta ? beta.v : NULL, 1e-5);
            // The mean and what is left without it are rounded to bf16.
            struct within within =
                by_type(dtypes[how % 3], (struct within){5 / 256.0, 1 / 4.0});
            check(b,
                  ttrt_layernorm(b->m, x.t, has_gamma ? gamma.t : NULL,
                                 has_beta ? beta.t : NULL, 1e-5F, NULL),
                  want, within, "layer norm");
        }
}
TEST(layer_norm_ignores_padding)
{
    on_both_chips(norms);
}

static void reductions(struct bench *b)
{
    for (size_t i = 0; i < COUNT(row_shapes); i++)
        for (int pool = TTRT_SUM; pool <= TTRT_MAX; pool++)
            for (int dim = TTRT_DIM_Y; dim <= TTRT_DIM_X; dim++) {
                struct pair x = odd_pair(b, spec_of(row_shapes[i], dtypes[pool]));
                float *want = values_new(b, shape4_volume(x.shape));
                reference_reduce(want, x.v, x.shape, pool, dim);
                // Operands of fp32 are rounded to bf16 on their way in, and may cancel.
                struct within within =
                    by_type(dtypes[pool], (struct within){3 / 256.0, pool ? 1 : 1 / 64.0});
                check(b, ttrt_reduce(b->m, pool, dim, x.t, NULL), want, within, "reduce");
            }
}
TEST(reductions_ignore_padding)
{
    on_both_chips(reductions);
}

static void exact_reductions(struct bench *b)
{
    struct pair x = pair_make(b, ttrt_spec4(2, 1, 96, 80), 1); // sums of 1/64 are exact
    float *want = values_new(b, shape4_volume(x.shape));
    for (int dim = TTRT_DIM_Y; dim <= TTRT_DIM_X; dim++)
        for (int pool = TTRT_SUM; pool <= TTRT_MAX; pool += 2) {
            reference_reduce(want, x.v, x.shape, pool, dim);
            check(b, ttrt_reduce(b->m, pool, dim, x.t, NULL), want, EXACT, "exact reduce");
        }
}
TEST(sums_that_are_exact_come_out_exact)
{
    on_both_chips(exact_reductions);
}

static void inner_padding(struct bench *b)
{
    struct pair x = odd_pair(b, ttrt_spec2(40, 50)), y = odd_pair(b, ttrt_spec2(50, 40));
    float *want = values_new(b, 1600);
    struct reference_matmul size = {1, 40, 50, 40, 1};
    reference_matmul(want, x.v, y.v, NULL, size);
    check(b, ttrt_matmul(b->m, x.t, y.t, NULL), want, EXACT, "infinite padding");
}
TEST(a_product_ignores_padding)
{
    on_both_chips(inner_padding);
}

// --- moves ---

static void transposes(struct bench *b)
{
    for (size_t k = 0; k < 2; k++) {
        struct pair x =
            pair_make(b, spec_of((struct shape4){{1, 3, 40, 100}}, dtypes[k]), 1);
        float *want = values_new(b, shape4_volume(x.shape));
        reference_transpose(want, x.v, x.shape);
        check(b, ttrt_transpose(b->m, x.t, NULL), want, EXACT, "transpose");
    }
}
TEST(transposing_exchanges_rows_and_columns)
{
    on_both_chips(transposes);
}

static void embeddings(struct bench *b)
{
    static const uint32_t rows = 75;
    for (int how = 0; how < 4; how++) {
        struct ttrt_spec spec = ttrt_spec2(rows, how & 1 ? 72 : 64), ids_spec;
        spec.dtype = dtypes[how & 1];
        spec.layout = how & 2 ? TTRT_TILE : TTRT_ROW_MAJOR;
        struct pair table = pair_make(b, spec, 1);
        uint32_t ids[2 * 45], n = 45;
        for (uint32_t i = 0; i < 2 * n; i++)
            ids[i] = i * 7 % 80; // some are behind the end
        ids_spec = ttrt_spec2(2, n);
        ids_spec.dtype = TTRT_UINT32;
        ids_spec.layout = TTRT_ROW_MAJOR;
        ttrt_tensor *t = ttrt_ids_from_host(b->m, ids, ids_spec, "ids");
        float *want = values_new(b, (size_t)2 * n * spec.shape[3]);
        reference_embedding(want, ids, (size_t)2 * n, table.v, rows, spec.shape[3]);
        check(b, ttrt_embedding(b->m, t, table.t, NULL), want, EXACT, "embedding");
    }
}
TEST(embeddings_are_rows_of_the_table)
{
    on_both_chips(embeddings);
}

static void heads(struct bench *b)
{
    struct pair qkv = pair_make(b, ttrt_spec2(40, 3 * 2 * 64), 1);
    ttrt_tensor *parts[3];
    float *want = values_new(b, shape4_volume(qkv.shape));
    ttrt_split_heads(b->m, qkv.t, 2, parts, NULL);
    for (int i = 0; i < 3; i++) {
        reference_split_heads(want, qkv.v, i, 40, 2, 64);
        check(b, parts[i], want, EXACT, "split heads");
    }
    struct pair x = pair_make(b, ttrt_spec4(2, 3, 40, 64), 1);
    reference_concat_heads(want, x.v, x.shape);
    check(b, ttrt_concat_heads(b->m, x.t, NULL), want, EXACT, "concat heads");
}
TEST(heads_are_split_and_put_together)
{
    on_both_chips(heads);
}

// --- memory ---

static void places(struct bench *b)
{
    static const struct ttrt_memory memories[] = {{TTRT_L1, TTRT_INTERLEAVED, 0, 0},
                                                  {TTRT_L1, TTRT_HEIGHT_SHARDED, 2, 2},
                                                  {TTRT_L1, TTRT_WIDTH_SHARDED, 3, 1},
                                                  {TTRT_L1, TTRT_BLOCK_SHARDED, 2, 3},
                                                  {TTRT_L1, TTRT_BLOCK_SHARDED, 8, 4}};
    for (size_t i = 0; i < COUNT(memories); i++) {
        struct ttrt_spec spec = ttrt_spec2(150, 130);
        spec.memory = memories[i];
        struct pair x = pair_make(b, spec, 1), y = pair_make(b, ttrt_spec2(130, 64), 1);
        float *want = values_new(b, (size_t)150 * 130);
        struct ttrt_how how = {.has_memory = true, .memory = memories[i]};
        reference_binary(want, TTRT_MUL, x.v, x.shape, x.v, x.shape);
        check(b, ttrt_binary(b->m, TTRT_MUL, x.t, x.t, &how), want, EXACT, "in L1");
        struct reference_matmul size = {1, 150, 130, 64, 1};
        reference_matmul(want, x.v, y.v, NULL, size);
        check(b, ttrt_matmul(b->m, x.t, y.t, NULL), want, EXACT, "from L1");
        ttrt_free(b->m, x.t);
    }
}
TEST(operands_lie_in_dram_in_l1_or_in_shards)
{
    on_both_chips(places);
}

// --- gradients and the optimizer ---

static void gradients(struct bench *b)
{
    struct ttrt_spec spec = ttrt_spec4(1, 1, 40, 70);
    struct pair g = pair_make(b, spec, 1), x = pair_make(b, spec, 3);
    size_t n = shape4_volume(x.shape);
    float *want = values_new(b, n), *result = values_new(b, n);
    reference_gelu_backward(want, g.v, x.v, n);
    // A chain of nine roundings to bf16.
    check(b, ttrt_gelu_backward(b->m, g.t, x.t, NULL), want,
          (struct within){6 / 256.0, 1 / 8.0}, "gelu backward");
    reference_softmax(result, x.v, 40, 70, 1);
    struct pair y = pair_of(b, spec, result);
    reference_softmax_backward(want, g.v, y.v, 40, 70);
    check(b, ttrt_softmax_backward(b->m, g.t, y.t, NULL), want,
          (struct within){6 / 256.0, 1 / 8.0}, "softmax backward");
    reference_layernorm_backward(want, g.v, x.v, 40, 70, 1e-5);
    check(b, ttrt_layernorm_backward(b->m, g.t, x.t, 1e-5F, NULL), want,
          (struct within){6 / 256.0, 1 / 4.0}, "layer norm backward");
}
TEST(gradients_are_right)
{
    on_both_chips(gradients);
}

static void optimizer(struct bench *b)
{
    for (size_t k = 0; k < 2; k++) {
        struct ttrt_spec spec = spec_of((struct shape4){{1, 1, 50, 70}}, dtypes[k]);
        struct pair w = pair_make(b, spec, 1), g = pair_make(b, spec, 1);
        float *want = values_new(b, shape4_volume(w.shape));
        for (size_t i = 0; i < shape4_volume(w.shape); i++) {
            float term = -0.003F * g.v[i];
            want[i] = w.v[i] + term;
        }
        ttrt_sgd(b->m, w.t, g.t, 0.003F);
        check(b, w.t, want, EXACT, "sgd");
    }
}
TEST(the_optimizer_loses_no_digits)
{
    on_both_chips(optimizer);
}

// --- two chips ---

static void exchanges(struct bench *b)
{
    static const struct shape4 shapes[] = {{{1, 2, 64, 96}}, {{1, 1, 32, 64}}};
    for (size_t s = 0; s < COUNT(shapes); s++)
        for (int dim = 1; dim <= TTRT_DIM_X; dim++) {
            if (s && dim < TTRT_DIM_Y)
                continue;
            struct ttrt_spec spec = spec_of(shapes[s], dtypes[s]);
            size_t n = shape4_volume(shapes[s]), inner = 1;
            float *parts[2] = {values_new(b, n), values_new(b, n)};
            for (size_t i = 0; i < 2 * n; i++)
                parts[i / n][i % n] = (float)(i * 37 % 129) / 64 - 1;
            ttrt_tensor *t =
                ttrt_from_host_each(b->m, (const float *const *)parts, spec, "parts");
            for (int d = dim; d < 4; d++)
                inner *= spec.shape[d];
            float *want = values_new(b, 2 * n);
            reference_gather(want, (const float *const *)parts, 2, n / inner, inner);
            ttrt_tensor *whole = ttrt_all_gather(b->m, t, dim, NULL);
            struct pair kept = {.v = values_new(b, 2 * n)};
            ttrt_to_host(b->m, 1, whole, kept.v);
            assert_memory_equal(kept.v, want, 2 * n * sizeof *want);
            check_on(b, 0, whole, want, EXACT, "all gather");
            ttrt_free(b->m, t);
        }
}
TEST(all_gather_gives_every_chip_all_parts)
{
    on_two_chips(exchanges);
}

static void scatters(struct bench *b)
{
    for (int dim = 1; dim <= TTRT_DIM_X; dim++) {
        struct ttrt_spec spec = ttrt_spec4(1, 2, 64, 128);
        size_t n = (size_t)2 * 64 * 128, inner = 1;
        float *terms[2] = {values_new(b, n), values_new(b, n)};
        for (size_t i = 0; i < 2 * n; i++)
            terms[i / n][i % n] = (float)(i * 53 % 65) / 64 - 0.5F;
        ttrt_tensor *t =
            ttrt_from_host_each(b->m, (const float *const *)terms, spec, "terms");
        for (int d = dim; d < 4; d++)
            inner *= spec.shape[d];
        inner /= 2; // of a part
        ttrt_tensor *out = ttrt_reduce_scatter(b->m, t, dim, NULL);
        float *got = values_new(b, n / 2);
        for (size_t chip = 0; chip < 2; chip++) {
            ttrt_to_host(b->m, (int)chip, out, got);
            for (size_t i = 0; i < n / 2; i++) {
                size_t at = (i / inner * 2 + chip) * inner + i % inner;
                float sum = terms[0][at] + terms[1][at];
                if (got[i] != sum)
                    fail_msg("%s: chip %zu, value %zu along %d is %g, should be %g",
                             b->chip, chip, i, dim, (double)got[i], (double)sum);
            }
        }
        ttrt_free(b->m, t);
        ttrt_free(b->m, out);
    }
}
TEST(reduce_scatter_leaves_every_chip_its_part_of_the_sum)
{
    on_two_chips(scatters);
}
