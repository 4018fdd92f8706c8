// ops_move.c - ops that only move values: heads, embeddings, the marker.
#include "runtime/ops.h"

// --- heads -----------------------------------------------------------------------------
// A head's width must be whole tiles, so that tiles move unchanged.
static bool check_heads(ttrt *m, const char *code, const ttrt_tensor *a, uint32_t depth)
{
    if (depth == 0 || depth % RT_TILE)
        rt_fail(
            m, "%s: '%s' (%s) would have heads of %u values; they must be a multiple of %d",
            code, a->name, ops_shape_text(m, a), depth, RT_TILE);
    return !rt_has_failed(m);
}

static void describe_split(ttrt *m, struct rt_op *op, int heads, uint32_t depth)
{
    ops_attribute(m, op, "head_dim", "%u", depth);
    ops_attribute(m, op, "num_kv_heads", "%d", heads);
    ops_attribute(m, op, "num_q_heads", "%d", heads);
    ops_attribute(m, op, "output_mem_config", "%s", ops_memory_text(m, op->outputs[0]));
    ops_attribute(m, op, "transpose_k_heads", "false");
}

void ttrt_split_heads(ttrt *m, const ttrt_tensor *qkv, int heads, ttrt_tensor *out[3],
                      const struct ttrt_how *how)
{
    enum { PARTS = 3 };
    struct rt_op op = {.code = "NlpCreateHeadsDeviceOperation"};
    memset(out, 0, PARTS * sizeof *out);
    if (!ops_check(m, op.code, &qkv, 1))
        return;
    const uint32_t *s = qkv->spec.shape;
    if (heads < 1 || s[0] != 1 || s[1] != 1 || s[3] % (PARTS * (uint32_t)heads)) {
        rt_fail(m, "%s: '%s' (%s) cannot be divided into three parts of %d heads", op.code,
                qkv->name, ops_shape_text(m, qkv), heads);
        return;
    }
    uint32_t n = (uint32_t)heads, depth = s[3] / (PARTS * n), tiles = depth / RT_TILE;
    if (!check_heads(m, op.code, qkv, depth))
        return;
    for (int i = 0; i < PARTS; i++)
        out[i] =
            ops_result(m, op.code, how, (uint32_t[]){1, n, s[2], depth}, qkv->spec.dtype);
    if (rt_has_failed(m) || out[0]->page_bytes != qkv->page_bytes) {
        rt_fail(m, "%s: the data type of tiles must not change", op.code);
        return;
    }
    ops_operands(&op, &qkv, 1, out, PARTS);
    describe_split(m, &op, heads, depth);
    ops_kernels(m, &op, "read", "write", NULL, 0);
    struct tile_plan plan;
    tile_plan_start(&plan, qkv, out[0]);
    plan.out_cb = 0;
    plan.size[0] = PARTS;
    memcpy(plan.a_stride, (uint32_t[]){n * tiles, tiles, PARTS * n * tiles, 1, 0},
           sizeof plan.a_stride);
    ops_run_tiles(m, &op, &plan);
}

ttrt_tensor *ttrt_concat_heads(ttrt *m, const ttrt_tensor *a, const struct ttrt_how *how)
{
    struct rt_op op = {.code = "NLPConcatHeadsDeviceOperation"};
    if (!ops_check(m, op.code, &a, 1) || !check_heads(m, op.code, a, a->spec.shape[3]))
        return NULL;
    const uint32_t *s = a->spec.shape;
    ttrt_tensor *out = ops_result(m, op.code, how, (uint32_t[]){s[0], 1, s[2], s[1] * s[3]},
                                  a->spec.dtype);
    if (!out)
        return NULL;
    if (out->page_bytes != a->page_bytes) {
        rt_fail(m, "%s: the data type of tiles must not change", op.code);
        return NULL;
    }
    ops_operands(&op, &a, 1, &out, 1);
    ops_attribute(m, &op, "output_mem_config", "%s", ops_memory_text(m, out));
    ops_kernels(m, &op, "read", "write", NULL, 0);
    struct tile_plan plan;
    struct ops_extent e = ops_extent(a);
    tile_plan_start(&plan, a, out);
    plan.out_cb = 0;
    uint32_t across = e.n[1] * e.n[3];
    memcpy(plan.size, e.n, sizeof plan.size);
    memcpy(plan.out_size, e.n, sizeof plan.out_size);
    memcpy(plan.out_stride, (uint32_t[]){e.n[2] * across, e.n[3], across, 1},
           sizeof plan.out_stride);
    ops_run_tiles(m, &op, &plan);
    return out;
}

// --- embeddings ------------------------------------------------------------------------
// In the order of the kernel's common arguments.
struct embedding_plan {
    uint32_t ids_across, tiles_down, tiles_across, table_rows, is_tiled, value_bytes;
    uint32_t pieces; // not passed to the kernel
};
enum { EMBEDDING_WORDS = 6 };

static void embedding_program(struct rt_program *p)
{
    enum { CB_IDS = 1, CB_PIECES, CB_OUT = 16, PIECES = 32, PIECE = 128 };
    const struct embedding_plan *plan = p->op->own;
    const ttrt_tensor *ids = p->op->inputs[0], *out = p->op->outputs[0];
    ttdev_range cores = ops_cores(p, plan->pieces);
    struct ops_args read = {0}, write = {0};
    rt_make_cb(p, cores, CB_IDS, 1, ids->page_bytes);
    rt_make_cb(p, cores, CB_PIECES, PIECES, PIECE);
    rt_make_cb(p, cores, CB_OUT, 2, out->page_bytes);
    int k[] = {rt_make_kernel(p, cores, TT_NCRISC, p->op->kernels[0].image, 0),
               rt_make_kernel(p, cores, TT_BRISC, p->op->kernels[1].image, 1)};
    ops_args_add(&read, (const uint32_t *)plan, EMBEDDING_WORDS);
    ops_args_operand(&read, ids);
    ops_args_operand(&read, p->op->inputs[1]);
    rt_set_common(p, k[0], read.v, read.n);
    ops_args_add(&write, (uint32_t[]){1, 1, 1, plan->pieces, CB_OUT, plan->pieces}, 6);
    ops_args_add(&write, (uint32_t[]){0, 0, 0, 1}, 4);
    ops_args_operand(&write, out);
    rt_set_common(p, k[1], write.v, write.n);
    ops_deal(p, k, 2, cores, plan->pieces);
}

// Ids are read by every core that has tiles of their row, table rows in pieces.
static void count_embedding_moves(ttrt *m, struct rt_op *op,
                                  const struct embedding_plan *plan)
{
    enum { TILED_PIECE = 128 };
    const ttrt_tensor *ids = op->inputs[0], *table = op->inputs[1];
    ttdev_range cores = rt_cores_for(m, plan->pieces);
    uint64_t n = (uint64_t)(cores.to.x + 1) * (uint64_t)(cores.to.y + 1);
    uint64_t row = (uint64_t)plan->tiles_down * plan->tiles_across, rows = 0;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t first = plan->pieces * i / n, end = plan->pieces * (i + 1) / n;
        rows += end > first ? (end - 1) / row - first / row + 1 : 0;
    }
    uint64_t whole = (uint64_t)plan->tiles_across * RT_TILE * plan->value_bytes;
    uint64_t piece = plan->is_tiled ? (uint64_t)plan->tiles_across * TILED_PIECE
                     : whole < table->page_bytes ? whole
                                                 : table->page_bytes;
    ops_moves(op, ids, rows * ids->page_bytes);
    ops_moves(op, table, (uint64_t)ids->spec.shape[2] * ids->spec.shape[3] * piece);
}

static bool check_embedding(ttrt *m, const char *code, const ttrt_tensor *ids,
                            const ttrt_tensor *table)
{
    if (!rt_enter(m) || !rt_tensor_check(m, ids, code) || !rt_tensor_check(m, table, code))
        return false;
    const uint32_t *s = ids->spec.shape, *t = table->spec.shape;
    if (ids->spec.dtype != TTRT_UINT32 || ids->spec.layout != TTRT_ROW_MAJOR || s[0] != 1 ||
        s[1] != 1)
        rt_fail(m, "%s: the ids '%s' are not a row-major matrix of UINT32", code,
                ids->name);
    else if (t[0] != 1 || t[1] != 1 ||
             (table->spec.dtype != TTRT_BFLOAT16 && table->spec.dtype != TTRT_FLOAT32))
        rt_fail(m, "%s: the table '%s' is not a matrix of BFLOAT16 or FLOAT32", code,
                table->name);
    return !rt_has_failed(m);
}

ttrt_tensor *ttrt_embedding(ttrt *m, const ttrt_tensor *ids, const ttrt_tensor *table,
                            const struct ttrt_how *how)
{
    struct rt_op op = {.code = "EmbeddingsDeviceOperation"};
    if (!check_embedding(m, op.code, ids, table))
        return NULL;
    const uint32_t *s = ids->spec.shape, *t = table->spec.shape;
    ttrt_tensor *out =
        ops_result(m, op.code, how, (uint32_t[]){1, s[2], s[3], t[3]}, table->spec.dtype);
    if (!out)
        return NULL;
    if (out->spec.dtype != table->spec.dtype) {
        rt_fail(m, "%s: the data type must not change", op.code);
        return NULL;
    }
    const ttrt_tensor *const inputs[] = {ids, table};
    ops_operands(&op, inputs, 2, &out, 1);
    ops_attribute(m, &op, "embeddings_type", "EmbeddingsType::GENERIC");
    ops_attribute(m, &op, "output_mem_config", "%s", ops_memory_text(m, out));
    ops_attribute(m, &op, "pad_token", "std::nullopt");
    ops_attribute(m, &op, "tilized", "true");
    ops_kernels(m, &op, "embedding", "write", NULL, 0);
    struct embedding_plan plan = {.ids_across = s[3],
                                  .tiles_down = ops_tiles(s[3]),
                                  .tiles_across = ops_tiles(t[3]),
                                  .table_rows = t[2],
                                  .is_tiled = table->spec.layout == TTRT_TILE,
                                  .value_bytes = rt_dtypes[table->spec.dtype].bytes,
                                  .pieces = out->n_pages};
    count_embedding_moves(m, &op, &plan);
    op.program = embedding_program;
    op.model = ops_vector_model;
    op.own = &plan;
    op.own_bytes = sizeof plan;
    rt_run(m, &op);
    return out;
}

// --- the marker ------------------------------------------------------------------------
static void noop_program(struct rt_program *p)
{
    ttdev_range core = {{0, 0}, {0, 0}};
    p->cores = core;
    (void)rt_make_kernel(p, core, TT_NCRISC, "ops/noop", 0);
    (void)rt_make_kernel(p, core, TT_BRISC, "ops/noop", 1);
    (void)rt_make_compute(p, core, "ops/noop");
}

void ttrt_profiler_noop(ttrt *m, const char *identifier)
{
    static const char source[] = "kernel/ops/noop.all.c";
    static const struct rt_kernel kernels[] = {
        {"ops/noop", source, TT_NCRISC, false, 0},
        {"ops/noop", source, TT_BRISC, false, 0},
        {"ops/noop", source, TT_TRISC0, true, TTRT_HIFI4}};
    struct rt_op op = {.code = "ProfilerNoopOperation",
                       .kernels = kernels,
                       .n_kernels = sizeof kernels / sizeof *kernels,
                       .program = noop_program};
    if (!rt_enter(m))
        return;
    ops_attribute(m, &op, "identifier", "%s", identifier ? identifier : "noop_identifier");
    rt_run(m, &op);
}
