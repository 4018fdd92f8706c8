// ops.c - tensor operations as programs over the grid.
//
// All ops share one reader and one writer, which walk over the output tiles with strides;
// they differ in the compute kernel and in the strides.
#include "workloads/ops/ops.h"

#include <math.h>
#include <string.h>

// Head, row, column and inner step of an output tile, and how far each moves an operand.
struct op_plan {
    const char *code, *name, *compute;
    uint32_t heads, rows, columns, inner;
    const struct tensor *a, *b; // b NULL: there is none
    uint32_t a_stride[4], b_stride[4], out_stride[3];
    uint32_t how[4];  // arguments 1.. of the compute kernel
    float *want;      // the result by the host, row by row
    double tolerance; // 0: the same bits
};

static uint32_t tiles_across(const struct tensor *t)
{
    return (uint32_t)t->columns / TILE_SIDE;
}
static uint32_t tiles_down(const struct tensor *t)
{
    return (uint32_t)t->rows / TILE_SIDE;
}

void ops_open(struct ops *o, struct run *r)
{
    *o = (struct ops){.r = r};
}

void ops_close(struct ops *o)
{
    vec_free(&o->done);
}

// --- running ---

// The smallest rectangle of the grid with a core for every output tile.
static ttdev_range cores_for(const struct run *r, uint32_t outputs)
{
    uint32_t x = (uint32_t)r->setting[SETTING_GRID_X],
             y = (uint32_t)r->setting[SETTING_GRID_Y];
    uint32_t across = outputs < x ? outputs : x;
    uint32_t down = across ? (outputs + across - 1) / across : 0;
    return (ttdev_range){{0, 0}, {(int)across - 1, (int)(down < y ? down : y) - 1}};
}

static ttdev_program *op_program(struct run *r, const struct op_plan *plan,
                                 const struct tensor *out)
{
    uint32_t outputs = plan->heads * plan->rows * plan->columns;
    ttdev_range all = cores_for(r, outputs);
    uint32_t across = (uint32_t)all.to.x + 1, cores = across * ((uint32_t)all.to.y + 1);
    ttdev_program *p = work_program(r, plan->name);
    for (int cb = 0; cb < 3; cb++)
        (void)work_cb(r, p, all, cb == 2 ? 16 : cb, 4, TILE_BYTES);
    int reader = work_kernel(r, p, all, TT_NCRISC, "ops/read", 0);
    int writer = work_kernel(r, p, all, TT_BRISC, "ops/write", 1);
    struct compute_kernel compute = work_compute(r, p, all, plan->compute);
    const uint32_t *as = plan->a_stride, *bs = plan->b_stride, *os = plan->out_stride;
    work_common(r, p, reader,
                ARGS(plan->a->address, plan->b ? plan->b->address : 0, plan->b != NULL,
                     plan->rows, plan->columns, plan->inner, as[0], as[1], as[2], as[3],
                     bs[0], bs[1], bs[2], bs[3]));
    work_common(r, p, writer,
                ARGS(out->address, plan->rows, plan->columns, os[0], os[1], os[2]));
    for (int i = 0; i < 3; i++)
        work_common(
            r, p, compute.k[i],
            ARGS(plan->inner, plan->how[0], plan->how[1], plan->how[2], plan->how[3]));
    for (uint32_t i = 0; i < cores; i++) {
        uint32_t first = outputs * i / cores, n = outputs * (i + 1) / cores - first;
        ttdev_range one = range_one((int)(i % across), (int)(i / across));
        work_args(r, p, reader, one, ARGS(first, n));
        work_args(r, p, writer, one, ARGS(first, n));
        work_compute_args(r, p, compute, one, ARGS(n));
    }
    return p;
}

// Runs the op, reads its result and compares it with what the host makes of the same
// inputs.
static struct tensor op_run(struct ops *o, struct op_plan *plan, int rows, int columns)
{
    struct run *r = o->r;
    struct tensor out = tensor_new(r, plan->name, rows, columns);
    ttdev_program *p = op_program(r, plan, &out);
    run_watch(r);
    work_run(r, p);
    run_unwatch(r);
    tensor_read(r, &out);
    struct op_record record = {.code = plan->code,
                               .name = plan->name,
                               .cycles = spans_cycles(r),
                               .math = r->math_busy};
    size_t n = (size_t)rows * (size_t)columns;
    double largest = 0;
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, fabs((double)plan->want[i]));
    if (r->cfg.numerics && !r->has_failed) {
        // Small results of large terms are compared by the size of the large ones.
        record.error = worst_error(out.v, plan->want, n, largest / 16);
        run_check(r, record.error <= plan->tolerance,
                  "%s (%s): off by %.4f of its size; %.4f is allowed", plan->name,
                  plan->code, record.error, plan->tolerance);
    } else {
        memcpy(out.v, plan->want, n * sizeof *out.v);
    }
    run_check(r, record.cycles > 0, "%s: no kernel was seen to run", plan->name);
    vec_push(&o->done, record);
    return out;
}

// --- matrix products ---

static float *want_new(struct ops *o, int rows, int columns)
{
    return push_many(&o->r->a, float, (size_t)rows *(size_t)columns);
}

struct tensor op_matmul(struct ops *o, const char *name, const struct tensor *a,
                        const struct tensor *b)
{
    uint32_t across = tiles_across(a), columns = tiles_across(b);
    struct op_plan plan = {.code = "Matmul",
                           .name = name,
                           .compute = "ops/matmul",
                           .heads = 1,
                           .rows = tiles_down(a),
                           .columns = columns,
                           .inner = across,
                           .a = a,
                           .b = b,
                           .a_stride = {0, across, 0, 1},
                           .b_stride = {0, 0, 1, columns},
                           .out_stride = {0, columns, 1},
                           .want = want_new(o, a->rows, b->columns)};
    want_matmul(plan.want, b->columns, (struct matrix){a->v, a->columns},
                (struct matrix){b->v, b->columns}, a->rows, a->columns, b->columns);
    return op_run(o, &plan, a->rows, b->columns);
}

struct tensor op_matmul_scores(struct ops *o, const char *name, const struct tensor *a,
                               const struct tensor *b, int heads)
{
    uint32_t inner = tiles_across(a) / (uint32_t)heads, columns = tiles_across(b);
    uint32_t rows = tiles_down(a);
    int depth = a->columns / heads;
    struct op_plan plan = {.code = "Matmul",
                           .name = name,
                           .compute = "ops/matmul",
                           .heads = (uint32_t)heads,
                           .rows = rows,
                           .columns = columns,
                           .inner = inner,
                           .a = a,
                           .b = b,
                           .a_stride = {inner, tiles_across(a), 0, 1},
                           .b_stride = {inner * columns, 0, 1, columns},
                           .out_stride = {rows * columns, columns, 1},
                           .want = want_new(o, a->rows * heads, b->columns)};
    for (int h = 0; h < heads; h++)
        want_matmul(plan.want + (size_t)(h * a->rows) * (size_t)b->columns, b->columns,
                    (struct matrix){tensor_at(a, 0, h * depth), a->columns},
                    (struct matrix){tensor_at(b, h * depth, 0), b->columns}, a->rows, depth,
                    b->columns);
    return op_run(o, &plan, a->rows * heads, b->columns);
}

struct tensor op_matmul_context(struct ops *o, const char *name, const struct tensor *a,
                                const struct tensor *b, int heads)
{
    uint32_t inner = tiles_across(a), columns = tiles_across(b) / (uint32_t)heads;
    uint32_t rows = tiles_down(a) / (uint32_t)heads, across = tiles_across(b);
    int height = a->rows / heads, width = b->columns / heads;
    struct op_plan plan = {.code = "Matmul",
                           .name = name,
                           .compute = "ops/matmul",
                           .heads = (uint32_t)heads,
                           .rows = rows,
                           .columns = columns,
                           .inner = inner,
                           .a = a,
                           .b = b,
                           .a_stride = {rows * inner, inner, 0, 1},
                           .b_stride = {columns, 0, 1, across},
                           .out_stride = {columns, across, 1},
                           .want = want_new(o, height, b->columns)};
    for (int h = 0; h < heads; h++)
        want_matmul(plan.want + (size_t)h * (size_t)width, b->columns,
                    (struct matrix){tensor_at(a, h * height, 0), a->columns},
                    (struct matrix){tensor_at(b, 0, h * width), b->columns}, height,
                    a->columns, width);
    return op_run(o, &plan, height, b->columns);
}

// --- element by element ---

static float want_binary(uint32_t opcode, float a, float b)
{
    return bf16_round(opcode == TT_MATH_ADD   ? a + b
                      : opcode == TT_MATH_SUB ? a - b
                                              : a * b);
}

struct tensor op_binary(struct ops *o, const char *name, uint32_t opcode,
                        uint32_t broadcast, const struct tensor *a, const struct tensor *b)
{
    uint32_t across = tiles_across(a);
    bool is_column = broadcast == TT_BROADCAST_COLUMN;
    struct op_plan plan = {.code = "BinaryEltwise",
                           .name = name,
                           .compute = "ops/binary",
                           .heads = 1,
                           .rows = tiles_down(a),
                           .columns = across,
                           .inner = 1,
                           .a = a,
                           .b = b,
                           .a_stride = {0, across, 1, 0},
                           .b_stride = {0, tiles_across(b), !is_column, 0},
                           .out_stride = {0, across, 1},
                           .how = {opcode, broadcast},
                           .want = want_new(o, a->rows, a->columns)};
    for (int i = 0; i < a->rows; i++)
        for (int j = 0; j < a->columns; j++)
            plan.want[i * a->columns + j] = want_binary(
                opcode, *tensor_at(a, i, j), *tensor_at(b, i, is_column ? 0 : j));
    return op_run(o, &plan, a->rows, a->columns);
}

static double want_function(struct sfpu_step step, double x)
{
    switch (step.function) {
    case TT_SFPU_RELU: return x > 0 ? x : 0;
    case TT_SFPU_SQUARE: return x * x;
    case TT_SFPU_RECIPROCAL: return 1 / x;
    case TT_SFPU_RSQRT: return 1 / sqrt(x);
    case TT_SFPU_EXP: return exp(x);
    case TT_SFPU_GELU: // 0.7978845608: the root of 2 / pi
        return 0.5 * x * (1 + tanh(0.79788456080286536 * (x + 0.044715 * x * x * x)));
    case TT_SFPU_SCALE: return x * (double)step.parameter;
    case TT_SFPU_OFFSET: return x + (double)step.parameter;
    default: return x; // none
    }
}

static float want_step(struct sfpu_step step, float x)
{
    return (float)want_function(step, (double)x);
}

static uint32_t bits_of(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

struct tensor op_unary(struct ops *o, const char *name, const struct tensor *a,
                       struct sfpu_step first, struct sfpu_step second)
{
    uint32_t across = tiles_across(a);
    struct op_plan plan = {.code = "UnaryEltwise",
                           .name = name,
                           .compute = "ops/unary",
                           .heads = 1,
                           .rows = tiles_down(a),
                           .columns = across,
                           .inner = 1,
                           .a = a,
                           .a_stride = {0, across, 1, 0},
                           .out_stride = {0, across, 1},
                           .how = {first.function, bits_of(first.parameter),
                                   second.function, bits_of(second.parameter)},
                           .want = want_new(o, a->rows, a->columns),
                           .tolerance = 1.0 / 128}; // one step of bf16
    for (int i = 0; i < a->rows * a->columns; i++)
        plan.want[i] = bf16_round(want_step(second, want_step(first, a->v[i])));
    return op_run(o, &plan, a->rows, a->columns);
}

// --- across rows ---

// Tile by tile, as the engine does it.
static float want_row(const float *v, int columns, uint32_t pool, float scale)
{
    float all = 0;
    for (int tile = 0; tile < columns; tile += TILE_SIDE) {
        float part = v[tile];
        for (int j = tile + 1; j < tile + TILE_SIDE; j++)
            part = !pool ? part + v[j] : part > v[j] ? part : v[j];
        part *= scale;
        all = !pool ? all + part : tile && all > part ? all : part;
    }
    return bf16_round(all);
}

struct tensor op_reduce_rows(struct ops *o, const char *name, const struct tensor *a,
                             uint32_t pool, float scale)
{
    uint32_t across = tiles_across(a);
    struct tensor scaler = tensor_new(o->r, "scaler", TILE_SIDE, TILE_SIDE);
    for (int i = 0; i < TILE_VALUES; i++)
        scaler.v[i] = scale;
    tensor_write(o->r, &scaler);
    struct op_plan plan = {.code = "Reduce",
                           .name = name,
                           .compute = "ops/reduce",
                           .heads = 1,
                           .rows = tiles_down(a),
                           .columns = 1,
                           .inner = across,
                           .a = a,
                           .b = &scaler,
                           .a_stride = {0, across, 0, 1},
                           .out_stride = {0, 1, 0},
                           .how = {pool},
                           .want = want_new(o, a->rows, TILE_SIDE)};
    for (int i = 0; i < a->rows; i++) // the other columns are 0
        plan.want[(size_t)i * TILE_SIDE] =
            want_row(tensor_at(a, i, 0), a->columns, pool, scale);
    return op_run(o, &plan, a->rows, TILE_SIDE);
}

struct tensor op_transpose(struct ops *o, const char *name, const struct tensor *a)
{
    uint32_t across = tiles_across(a), down = tiles_down(a);
    struct op_plan plan = {.code = "Transpose",
                           .name = name,
                           .compute = "ops/transpose",
                           .heads = 1,
                           .rows = across,
                           .columns = down,
                           .inner = 1,
                           .a = a,
                           .a_stride = {0, 1, across, 0},
                           .out_stride = {0, down, 1},
                           .want = want_new(o, a->columns, a->rows)};
    for (int i = 0; i < a->rows; i++)
        for (int j = 0; j < a->columns; j++)
            plan.want[j * a->rows + i] = *tensor_at(a, i, j);
    return op_run(o, &plan, a->columns, a->rows);
}

// --- the summary ---

void ops_report(struct ops *o)
{
    double all = 0, matmul = 0, error = 0;
    size_t n_matmul = 0;
    for (size_t i = 0; i < o->done.n; i++) {
        const struct op_record *op = &o->done.v[i];
        bool is_matmul = strcmp(op->code, "Matmul") == 0;
        all += (double)op->cycles;
        matmul += is_matmul ? (double)op->cycles : 0;
        n_matmul += is_matmul;
        error = fmax(error, op->error);
        run_figure(o->r, op->name, (double)op->cycles, 0, "cycles");
    }
    run_figure(o->r, "ops", (double)o->done.n, 0, "");
    run_figure(o->r, "ops, all", all, 0, "cycles");
    run_figure(o->r, "matmuls", (double)n_matmul, 0, "");
    run_figure(o->r, "matmuls, share", all > 0 ? 100 * matmul / all : 0, 1, "%");
    run_figure(o->r, "error of an op, worst", error, 5, "");
}
