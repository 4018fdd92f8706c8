// reduce.c - row sums on every core, then a tree over the cores with semaphores.
#include "workloads/workloads.h"

enum { MOST_LEVELS = 8 };

static const struct workload_setting settings[] = {
    {SETTING_TILES, 8, 1, 64, "tiles per core"},
    {SETTING_GRID_X, 8, 1, 14, "cores across"},
    {SETTING_GRID_Y, 8, 1, 10, "cores down"},
};

// Levels at which a core receives: all below the lowest set bit of its index that have a
// sender.
static int levels_of(int index, int cores)
{
    int level = 0;
    while (index % (2 << level) == 0 && index + (1 << level) < cores)
        level++;
    return level;
}

// Sparse ones, so that every sum is a small integer, exact in bf16.
static void fill(struct tensor *t)
{
    for (int row = 0; row < t->rows; row++)
        for (int column = 0; column < t->columns; column++)
            *tensor_at(t, row, column) =
                (column * (2 * row + 1) + row) % 397 == 0 ? 1.0F : 0.0F;
}

static void tree_args(struct run *r, ttdev_program *p, int kernel, int index,
                      uint32_t semaphore, uint32_t log, uint32_t received, uint32_t output)
{
    int cores = grid_cores(r), parent = index & (index - 1), slot = 0;
    while (index && !(index >> slot & 1))
        slot++;
    ttdev_xy at = grid_at(r, index), up = virtual_at(r, 0, grid_at(r, parent));
    work_args(r, p, kernel, range_one(at.x, at.y),
              ARGS((uint32_t)levels_of(index, cores), semaphore, log, index == 0,
                   (uint32_t)up.x, (uint32_t)up.y, (uint32_t)slot, received, output));
}

static void check_waits(struct run *r, uint32_t log)
{
    static const char *const active_names[MOST_LEVELS] = {
        "active, level 0", "active, level 1", "active, level 2", "active, level 3",
        "active, level 4", "active, level 5", "active, level 6", "active, level 7"};
    static const char *const wait_names[MOST_LEVELS] = {
        "wait, level 0", "wait, level 1", "wait, level 2", "wait, level 3",
        "wait, level 4", "wait, level 5", "wait, level 6", "wait, level 7"};
    int cores = grid_cores(r), before = cores + 1;
    bool is_full = cores >= 16 && (cores & (cores - 1)) == 0;
    double wait_before = 0;
    for (int level = 0; level < levels_of(0, cores); level++) {
        double wait = 0;
        int active = 0;
        for (int i = 0; i < cores; i++) {
            uint32_t took[MOST_LEVELS];
            if (levels_of(i, cores) <= level)
                continue;
            work_l1_read(r, grid_at(r, i), log, took, sizeof took);
            wait += took[level];
            active++;
        }
        run_check(r, active <= (before + 1) / 2, "%d cores receive at level %d, %d before",
                  active, level, before);
        run_figure(r, active_names[level], active, 0, "cores");
        run_figure(r, wait_names[level], wait / active, 0, "cycles");
        // Where the host launches, GO reaches the cores one by one, so a partner twice as
        // far starts twice as late. Level 0 also waits for the row sums.
        run_check(r,
                  r->info.n_queues || !is_full || level < 2 || wait > wait_before * active,
                  "waiting at level %d takes %.0f cycles, at the one before %.0f", level,
                  wait / active, wait_before);
        wait_before = wait / active;
        before = active;
    }
}

static void run_reduce(struct run *r)
{
    int cores = grid_cores(r), own = (int)r->setting[SETTING_TILES];
    struct tensor in = tensor_new(r, "in", TILE_SIDE, cores * own * TILE_SIDE);
    struct tensor ones = tensor_new(r, "ones", TILE_SIDE, TILE_SIDE);
    struct tensor out = tensor_new(r, "out", TILE_SIDE, TILE_SIDE);
    fill(&in);
    for (int i = 0; i < TILE_VALUES; i++)
        ones.v[i] = 1;
    tensor_write(r, &in);
    tensor_write(r, &ones);

    ttdev_range all = range_all(r);
    ttdev_program *p = work_program(r, "reduce");
    (void)work_cb(r, p, all, 0, 4, TILE_BYTES);
    (void)work_cb(r, p, all, 1, 1, TILE_BYTES);
    (void)work_cb(r, p, all, 2, 1, TILE_BYTES);
    uint32_t received = work_cb(r, p, all, 3, MOST_LEVELS, TILE_BYTES);
    (void)work_cb(r, p, all, 16, 1, TILE_BYTES);
    uint32_t semaphore = work_semaphore(r, p, all);
    for (int i = 1; i < MOST_LEVELS; i++)
        (void)work_semaphore(r, p, all); // one per level, numbered consecutively
    int reader = work_kernel(r, p, all, TT_NCRISC, "reduce/read", 0);
    int tree = work_kernel(r, p, all, TT_BRISC, "reduce/tree", 1);
    struct compute_kernel sum = work_compute(r, p, all, "reduce/sum");
    uint32_t log = work_scratch(r, p);
    for (int i = 0; i < cores; i++) {
        ttdev_xy at = grid_at(r, i);
        ttdev_range one = range_one(at.x, at.y);
        work_args(r, p, reader, one,
                  ARGS(in.address, (uint32_t)(i * own), (uint32_t)own, ones.address));
        work_compute_args(r, p, sum, one,
                          ARGS((uint32_t)own, (uint32_t)levels_of(i, cores)));
        tree_args(r, p, tree, i, semaphore, log, received, out.address);
    }
    run_watch(r);
    work_run(r, p);
    run_unwatch(r);
    tensor_read(r, &out);
    if (r->has_failed)
        return;
    for (int row = 0; row < TILE_SIDE && r->cfg.numerics; row++) {
        double want = 0;
        for (int column = 0; column < in.columns; column++)
            want += (double)*tensor_at(&in, row, column);
        run_check(r, (double)*tensor_at(&out, row, 0) == want,
                  "the sum of row %d is %g, expected %g", row,
                  (double)*tensor_at(&out, row, 0), want);
    }
    run_figure(r, "cores", cores, 0, "");
    run_figure(r, "tiles per core", own, 0, "");
    run_figure(r, "op", (double)spans_cycles(r), 0, "cycles");
    check_waits(r, log);
}

const struct workload workload_reduce = {
    .name = "reduce",
    .what = "row sums on every core, then a tree over the cores with semaphores",
    .shows =
        "a halving set of active cores; they wait for the first level of the tree, hardly for the others",
    .settings = settings,
    .n_settings = sizeof settings / sizeof *settings,
    .run = run_reduce,
};
