// matmul_tiled.c - a matrix product over a grid of cores with multicast operands.
//
// Every core computes one block of the product. In each step the cores of the first column
// read a column of tiles of the left matrix and multicast it along their row; the cores of
// the first row do the same with the right matrix down their column. So DRAM is read once,
// and at higher fidelities the product is bound by the engine. A core keeps its operands in
// L1: a block larger than half of Dst is computed in several passes over them.
#include <math.h>

#include "workloads/workloads.h"

enum { CB_LEFT = 0, CB_RIGHT = 1, CB_PRODUCT = 16, HALF_OF_DST = 8 };

static const struct workload_setting settings[] = {
    {SETTING_SIZE, 1024, 32, 4096, "rows and columns of the square matrices"},
    {SETTING_FIDELITY, 4, 1, 4, "HiFi4: math phases; LoFi, HiFi2 and HiFi3 have fewer"},
    {SETTING_FORMAT, 0, 0, 1, "bf16: of the operands; or bfp8"},
    {SETTING_GRID_X, 8, 1, 14, "cores across"},
    {SETTING_GRID_Y, 8, 1, 10, "cores down"},
};

struct matmul {
    struct tensor left, right, product;
    uint32_t tiles;            // along each side
    uint32_t block_x, block_y; // tiles of a core's block
    uint32_t pass;             // block rows per pass
    uint32_t chunk;            // steps moved together
    uint32_t tile_bytes;
    uint32_t sent[2]; // semaphores: steps whose data has arrived
};

// What a core needs to get its operand: along rows for the left one (axis 0), down columns
// for the right one.
static void operand_args(struct run *r, ttdev_program *p, int kernel, ttdev_xy at, int axis,
                         const struct matmul *m)
{
    int cores = (int)r->setting[axis ? SETTING_GRID_Y : SETTING_GRID_X];
    int index = axis ? at.y : at.x;
    ttdev_xy first = axis ? (ttdev_xy){at.x, 1} : (ttdev_xy){1, at.y};
    ttdev_xy last = axis ? (ttdev_xy){at.x, cores - 1} : (ttdev_xy){cores - 1, at.y};
    if (cores == 1)
        first = last = at;
    first = virtual_at(r, 0, first);
    last = virtual_at(r, 0, last);
    uint32_t block = axis ? m->block_x : m->block_y;
    uint32_t start = (uint32_t)(axis ? at.x : at.y) * block;
    work_args(r, p, kernel, range_one(at.x, at.y),
              ARGS(axis ? m->right.address : m->left.address, // of the matrix
                   axis ? start : start * m->tiles,           // first tile
                   axis ? 1 : m->tiles,                       // to the next tile of a step
                   axis ? m->tiles : 1,                       // to the next step
                   block, m->tiles, m->chunk, index == 0, (uint32_t)cores - 1,
                   m->sent[axis], (uint32_t)first.x, (uint32_t)first.y, (uint32_t)last.x,
                   (uint32_t)last.y,
                   m->product.address, // from here on for the writer only
                   (uint32_t)at.y * m->block_y * m->tiles + (uint32_t)at.x * m->block_x,
                   m->block_x, m->block_y));
}

static ttdev_program *build(struct run *r, struct matmul *m)
{
    ttdev_range all = range_all(r);
    ttdev_program *p = work_program(r, "matmul_tiled");
    (void)work_cb(r, p, all, CB_LEFT, m->tiles * m->block_y, m->tile_bytes);
    (void)work_cb(r, p, all, CB_RIGHT, m->tiles * m->block_x, m->tile_bytes);
    (void)work_cb(r, p, all, CB_PRODUCT, m->block_x * m->block_y, TILE_BYTES);
    for (int axis = 0; axis < 2; axis++)
        m->sent[axis] = work_semaphore(r, p, all);
    int left = work_kernel(r, p, all, TT_BRISC, "matmul_tiled/left", 1);
    int right = work_kernel(r, p, all, TT_NCRISC, "matmul_tiled/right", 0);
    struct compute_kernel multiply = work_compute(r, p, all, "matmul_tiled/multiply");
    for (int i = 0; i < grid_cores(r); i++) {
        ttdev_xy at = grid_at(r, i);
        operand_args(r, p, left, at, 0, m);
        operand_args(r, p, right, at, 1, m);
    }
    work_compute_args(r, p, multiply, all,
                      ARGS(m->tiles, m->block_y, m->block_x, m->pass,
                           (uint32_t)r->setting[SETTING_FIDELITY]));
    return p;
}

static void check_product(struct run *r, struct matmul *m)
{
    int n = m->left.rows;
    float *want = push_many(&r->a, float, (size_t)n *(size_t)n);
    want_matmul(want, n, (struct matrix){m->left.v, n}, (struct matrix){m->right.v, n}, n,
                n, n);
    size_t wrong = 0;
    for (size_t i = 0; i < (size_t)n * (size_t)n; i++)
        wrong += !(m->product.v[i] == want[i]);
    run_check(r, wrong == 0, "%zu of %d values of the product are wrong", wrong, n * n);
}

// FPU busy counter of one core: select 0 of the FPU group, continuous mode.
enum { FPU_PERIOD = 0x018, FPU_MODE = 0x01C, FPU_START = 0x020, FPU_COUNT = 0x124 };

static void counter_write(struct run *r, uint32_t offset, uint32_t value)
{
    ttdev_core core = {TTDEV_LOGICAL, {0, 0}};
    int rc = r->has_failed ? 0 : ttdev_reg_write32(r->t, 0, core, TT_DEBUG + offset, value);
    if (rc < 0)
        run_fail(r, "performance counter: %s", ttdev_error(r->t));
}

static uint32_t counter_read(struct run *r, uint32_t offset)
{
    ttdev_core core = {TTDEV_LOGICAL, {0, 0}};
    uint32_t value = 0;
    int rc = r->has_failed ? 0 : ttdev_reg_read32(r->t, 0, core, TT_DEBUG + offset, &value);
    if (rc < 0)
        run_fail(r, "performance counter: %s", ttdev_error(r->t));
    return value;
}

// From the first kernel entry on core 0,0 to the last exit. Compute kernels only fill the
// engine's queues; the kernel that writes the product ends last.
static double core_cycles(struct run *r)
{
    ttdev_xy at = {0, 0};
    uint64_t first = UINT64_MAX, last = 0;
    (void)ttdev_xlat(r->t, 0, at, TTDEV_LOGICAL, TTDEV_NOC0, &at);
    for (size_t i = 0; i < r->spans.n; i++) {
        const struct span *s = &r->spans.v[i];
        if (s->x == at.x && s->y == at.y) {
            first = s->entry < first ? s->entry : first;
            last = s->exit > last ? s->exit : last;
        }
    }
    return last > first ? (double)(last - first) : 0;
}

// The engine issues a tile product every 16 cycles per phase plus 4, and unpacks two
// operands at 80 bytes per cycle plus 4: the longer time sets the pace. With bf16 that is
// unpacking up to HiFi3, with bfp8 only in LoFi.
static void report(struct run *r, const struct matmul *m, uint32_t busy)
{
    double cycles = core_cycles(r), op = (double)spans_cycles(r);
    double phases = (double)r->setting[SETTING_FIDELITY], n = (double)m->left.rows;
    double products = (double)m->tiles * m->block_x * m->block_y; // per core
    double useful = products * 16 * phases, unpack = ceil(2 * m->tile_bytes / 80.0) + 4;
    double pace = 16 * phases + 4 > unpack ? 16 * phases + 4 : unpack;
    run_check(
        r, busy == useful || r->counters_are_taken,
        "the FPU of core 0,0 was busy %u cycles; expected %.0f tile products to take %.0f",
        busy, products, useful);
    run_check(r, cycles >= products * pace,
              "%.0f cycles are less than the engine needs: %.0f", cycles, products * pace);
    run_figure(r, "size", n, 0, "");
    run_figure(r, "phases", phases, 0, "");
    run_figure(r, "cores", grid_cores(r), 0, "");
    run_figure(r, "op", op, 0, "cycles");
    run_figure(r, "op, rate", 2 * n * n * n / op * r->info.hz / 1e12, 3, "TFLOP/s");
    run_figure(r, "core 0,0", cycles, 0, "cycles");
    run_figure(r, "core 0,0: bound", products * pace, 0, "cycles");
    run_figure(r, "core 0,0: FLOP of peak", 100 * useful / cycles, 1, "%");
    if (!r->counters_are_taken)
        run_figure(r, "core 0,0: FPU busy", 100 * busy / cycles, 1, "%");
}

static void run_matmul(struct run *r)
{
    int n = (int)r->setting[SETTING_SIZE];
    struct matmul m = {.tiles = (uint32_t)n / TILE_SIDE,
                       .block_x = (uint32_t)(n / TILE_SIDE / r->setting[SETTING_GRID_X]),
                       .block_y = (uint32_t)(n / TILE_SIDE / r->setting[SETTING_GRID_Y])};
    if (n % TILE_SIDE || m.block_x * r->setting[SETTING_GRID_X] != m.tiles ||
        m.block_y * r->setting[SETTING_GRID_Y] != m.tiles || m.block_x * m.block_y == 0)
        run_fail(r,
                 "%d rows and columns cannot be split over %lldx%lld cores in tiles of %d",
                 n, (long long)r->setting[SETTING_GRID_X],
                 (long long)r->setting[SETTING_GRID_Y], TILE_SIDE);
    if (m.block_x > HALF_OF_DST)
        run_fail(r, "a block of %u tiles does not fit in half of Dst (%d tiles)", m.block_x,
                 HALF_OF_DST);
    if (r->has_failed)
        return;
    for (m.pass = HALF_OF_DST / m.block_x; m.block_y % m.pass;)
        m.pass--; // makes all passes equal
    m.chunk = m.tiles % 4 ? 1 : 4;
    bool is_bfp8 = r->setting[SETTING_FORMAT] == 1;
    m.tile_bytes = is_bfp8 ? TILE_BYTES_BFP8 : TILE_BYTES;
    m.left = tensor_new(r, "left", n, n);
    m.right = tensor_new(r, "right", n, n);
    m.product = tensor_new(r, "product", n, n);
    tensor_fill(&m.left, 3, 1);
    tensor_fill(&m.right, 4, 1);
    (is_bfp8 ? tensor_write_bfp8 : tensor_write)(r, &m.left);
    (is_bfp8 ? tensor_write_bfp8 : tensor_write)(r, &m.right);
    ttdev_program *p = build(r, &m);

    counter_write(r, FPU_PERIOD, UINT32_MAX);
    counter_write(r, FPU_MODE, 0);
    counter_write(r, FPU_START, 0);
    counter_write(r, FPU_START, 1);
    run_watch(r);
    work_run(r, p);
    run_unwatch(r);
    counter_write(r, FPU_START, 0);
    counter_write(r, FPU_START, 2);
    uint32_t busy = counter_read(r, FPU_COUNT);
    tensor_read(r, &m.product);
    if (r->has_failed)
        return;
    report(r, &m, busy);
    if (r->cfg.numerics)
        check_product(r, &m);
}

const struct workload workload_matmul_tiled = {
    .name = "matmul_tiled",
    .what = "a matrix product with multicast operands; fidelity LoFi to HiFi4",
    .shows =
        "op time proportional to the phases once compute bound; FLOP % equals engine busy cycles / cycles",
    .settings = settings,
    .n_settings = sizeof settings / sizeof *settings,
    .splits_evenly = true,
    .run = run_matmul,
};
