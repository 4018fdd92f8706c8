// ops_matmul_plan.c - how a matrix product is divided over cores, subblocks and steps, and
// what stays in L1.
#include <assert.h>

#include "runtime/ops_matmul.h"

enum { DST_TILES = 8, MOST_BLOCK_K = 8, BF16_TILE = 2048 };

uint32_t matmul_divide_up(uint32_t n, uint32_t size)
{
    assert(size > 0);
    return (n + size - 1) / size;
}

static uint32_t largest_divisor(uint32_t n, uint32_t most)
{
    uint32_t d = most < n ? most : n;
    while (d > 1 && n % d)
        d--;
    return d;
}

// --- blocks ----------------------------------------------------------------------------
// Minimises the work of the most loaded core; among equals picks the squarest blocks, which
// need the fewest input tiles.
static void choose_blocks(struct matmul_plan *plan, uint32_t batches, uint32_t cores)
{
    uint64_t best = UINT64_MAX;
    for (uint32_t h = 1; h <= plan->m; h++) {
        for (uint32_t w = 1; w <= plan->n; w++) {
            uint32_t blocks =
                batches * matmul_divide_up(plan->m, h) * matmul_divide_up(plan->n, w);
            uint64_t each = matmul_divide_up(blocks, cores);
            uint64_t cost = each * h * w << 32 | each * (h + w);
            if (cost < best) {
                best = cost;
                plan->per_m = h;
                plan->per_n = w;
            }
            if (h * w > 64) // larger blocks only leave cores without work
                break;
        }
    }
}

static void choose_subblock(struct matmul_plan *plan)
{
    uint32_t best = 0;
    for (uint32_t h = 1; h <= plan->per_m && h <= DST_TILES; h++) {
        if (plan->per_m % h)
            continue;
        uint32_t w = largest_divisor(plan->per_n, DST_TILES / h);
        // The squarer, the fewer tiles are read per product.
        uint32_t worth = h * w * 16 - (h + w);
        if (worth > best) {
            best = worth;
            plan->sub_h = h;
            plan->sub_w = w;
        }
    }
}

static bool check_config(ttrt *m, const char *code, const struct ttrt_how *how)
{
    const int given[] = {how->grid_x,         how->grid_y,     how->in0_block_w,
                         how->out_subblock_h, how->per_core_m, how->out_subblock_w,
                         how->per_core_n};
    ttdev_range all = rt_all_cores(m);
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        if (given[i] < 0 || given[i] > UINT16_MAX)
            rt_fail(m, "%s: invalid program config %d", code, given[i]);
    if (how->config < 0 || how->config >= TTRT_MATMUL_CONFIGS)
        rt_fail(m, "%s: invalid kind of program config %d", code, how->config);
    if (!how->grid_x != !how->grid_y || how->grid_x > all.to.x + 1 ||
        how->grid_y > all.to.y + 1)
        rt_fail(m, "%s: a grid of %dx%d cores, but there are %dx%d", code, how->grid_x,
                how->grid_y, all.to.x + 1, all.to.y + 1);
    return !rt_has_failed(m);
}

// The caller's settings override the default choice.
static void take_config(struct matmul_plan *plan, const struct ttrt_how *how)
{
    if (how->per_core_m)
        plan->per_m = (uint32_t)how->per_core_m;
    if (how->per_core_n)
        plan->per_n = (uint32_t)how->per_core_n;
    choose_subblock(plan);
    if (how->out_subblock_h)
        plan->sub_h = (uint32_t)how->out_subblock_h;
    if (how->out_subblock_w)
        plan->sub_w = (uint32_t)how->out_subblock_w;
    if (how->in0_block_w)
        plan->block_k = (uint32_t)how->in0_block_w;
}

// Cores that share operands form a rectangle with one block each; a batch that has one
// matrix b in common is a taller matrix a. False if the product cannot be divided like
// that.
static bool plan_shared(struct matmul_plan *plan, uint32_t batches, ttdev_xy grid,
                        const struct ttrt_how *how)
{
    if (batches > 1 && plan->b_batch)
        return false;
    struct matmul_plan shared = *plan;
    shared.is_shared = true;
    shared.m *= batches;
    shared.per_m = matmul_divide_up(shared.m, (uint32_t)grid.y);
    shared.per_n = matmul_divide_up(shared.n, (uint32_t)grid.x);
    take_config(&shared, how);
    shared.grid_x = matmul_divide_up(shared.n, shared.per_n);
    shared.grid_y = matmul_divide_up(shared.m, shared.per_m);
    shared.blocks = shared.grid_x * shared.grid_y;
    if (shared.grid_x > (uint32_t)grid.x || shared.grid_y > (uint32_t)grid.y)
        return false;
    *plan = shared;
    return true;
}

static void plan_alone(struct matmul_plan *plan, uint32_t batches, ttdev_xy grid,
                       const struct ttrt_how *how)
{
    choose_blocks(plan, batches, (uint32_t)(grid.x * grid.y));
    take_config(plan, how);
    plan->grid_x = (uint32_t)how->grid_x;
    plan->grid_y = (uint32_t)how->grid_y;
    plan->blocks = batches * matmul_divide_up(plan->m, plan->per_m) *
                   matmul_divide_up(plan->n, plan->per_n);
}

// For products with several subblocks per core, if no core gets more to do: smaller ones
// end before the first tiles would have been passed on.
static bool is_worth_sharing(const struct matmul_plan *alone,
                             const struct matmul_plan *shared, uint32_t cores)
{
    uint64_t tiles = (uint64_t)shared->per_m * shared->per_n;
    uint64_t most =
        (uint64_t)matmul_divide_up(alone->blocks, cores) * alone->per_m * alone->per_n;
    return shared->blocks > 1 && tiles > DST_TILES && tiles <= most;
}

bool matmul_plan_blocks(ttrt *m, const char *code, const struct matmul_operands *t,
                        const struct ttrt_how *how, struct matmul_plan *plan)
{
    static const struct ttrt_how usual;
    const ttrt_tensor *a = t->a, *b = t->b;
    uint32_t inner = a->spec.shape[3], batches = a->padded[0] * a->padded[1];
    ttdev_range all = rt_all_cores(m);
    how = how ? how : &usual;
    if (!check_config(m, code, how))
        return false;
    ttdev_xy grid = how->grid_x ? (ttdev_xy){how->grid_x, how->grid_y}
                                : (ttdev_xy){all.to.x + 1, all.to.y + 1};
    *plan = (struct matmul_plan){.m = a->padded[2] / RT_TILE,
                                 .n = b->padded[3] / RT_TILE,
                                 .k = a->padded[3] / RT_TILE,
                                 .per_m = 1,
                                 .per_n = 1,
                                 .sub_h = 1,
                                 .sub_w = 1,
                                 .edge_a = ops_edge_columns(inner, OPS_EDGE_ZERO),
                                 .edge_b = ops_edge_rows(inner, OPS_EDGE_ZERO),
                                 .has_bias = t->bias != NULL,
                                 .fidelity = (uint32_t)ops_fidelity(how)};
    plan->a_batch = plan->m * plan->k;
    plan->b_batch = b->padded[0] * b->padded[1] > 1 ? plan->k * plan->n : 0;
    plan->block_k = largest_divisor(plan->k, MOST_BLOCK_K);
    struct matmul_plan shared = *plan;
    bool can_share = plan_shared(&shared, batches, grid, how);
    plan_alone(plan, batches, grid, how);
    if (how->config == TTRT_MATMUL_MULTICAST && !can_share)
        rt_fail(
            m,
            "%s: multicast needs one matrix b, and %dx%d cores with a block each; use another program config",
            code, grid.x, grid.y);
    if (can_share && (how->config == TTRT_MATMUL_MULTICAST ||
                      (how->config == TTRT_MATMUL_AUTO &&
                       is_worth_sharing(plan, &shared, (uint32_t)(grid.x * grid.y)))))
        *plan = shared;
    if (plan->sub_h * plan->sub_w > DST_TILES)
        rt_fail(m, "%s: an output subblock of %ux%u tiles, but Dst has room for %d", code,
                plan->sub_h, plan->sub_w, DST_TILES);
    return !rt_has_failed(m);
}

// --- buffers ---------------------------------------------------------------------------
static uint64_t l1_room(const ttrt *m)
{
    enum { SPARE = 4096 }; // alignment of the buffers
    const struct rt_memory *l1 = &m->l1;
    uint32_t end = l1->taken.n ? l1->taken.v[0].from : l1->to;
    return end > l1->from + SPARE ? end - l1->from - SPARE : 0;
}

// Two of everything, so that one can be filled while the other is used; then with less.
void matmul_plan_buffers(const ttrt *m, const struct matmul_operands *t,
                         struct matmul_plan *plan)
{
    static const struct {
        uint32_t a, b; // strips and blocks that stay; 0: two steps of a strip
    } choices[] = {{2, 2}, {2, 1}, {1, 1}, {2, 0}, {1, 0}, {0, 1}, {0, 0}};
    uint32_t steps = matmul_divide_up(plan->k, plan->block_k);
    uint32_t step_a = plan->sub_h * plan->block_k, step_b = plan->sub_w * plan->block_k;
    uint32_t across = matmul_divide_up(plan->per_n, plan->sub_w);
    uint32_t down = matmul_divide_up(plan->per_m, plan->sub_h);
    uint64_t room = l1_room(m);
    uint64_t rest = 2ULL * plan->sub_h * plan->sub_w * t->out->page_bytes;
    if (t->bias)
        rest += BF16_TILE + 2ULL * plan->sub_w * t->bias->page_bytes;
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        // A strip that is used only once need not stay.
        uint32_t keep_a = across > 1 ? choices[i].a : 0,
                 keep_b = down > 1 ? choices[i].b : 0;
        plan->keep_a = keep_a > 0;
        plan->keep_b = keep_b > 0;
        plan->pages_a = keep_a ? keep_a * steps * step_a : 2 * step_a;
        plan->pages_b = keep_b ? keep_b * across * steps * step_b : 2 * step_b;
        uint64_t bytes = (uint64_t)plan->pages_a * t->a->page_bytes +
                         (uint64_t)plan->pages_b * t->b->page_bytes + rest;
        bool fits =
            bytes <= room && plan->pages_a <= UINT16_MAX && plan->pages_b <= UINT16_MAX;
        if (fits && !(keep_b == 2 && plan->is_shared)) // a core has one block then
            return;
    }
}

// --- traffic ---------------------------------------------------------------------------
// Along one side of the result.
static uint64_t subblocks(uint32_t n, uint32_t per_core, uint32_t sub)
{
    uint32_t rest = n % per_core;
    return (uint64_t)(n / per_core) * matmul_divide_up(per_core, sub) +
           (rest ? matmul_divide_up(rest, sub) : 0);
}

// How many times a tile of the operand along the other side is read.
static uint64_t reads(const struct matmul_plan *plan, uint32_t n, uint32_t per_core,
                      uint32_t sub, bool is_kept)
{
    if (plan->is_shared)
        return is_kept ? 1 : matmul_divide_up(per_core, sub);
    return is_kept ? matmul_divide_up(n, per_core) : subblocks(n, per_core, sub);
}

struct matmul_traffic matmul_traffic(const struct matmul_plan *plan, uint32_t batches)
{
    uint64_t matrices = plan->is_shared ? 1 : batches; // shared: they are one
    uint64_t a = matrices * plan->m * plan->k, b = matrices * plan->k * plan->n;
    return (struct matmul_traffic){
        .a = a * reads(plan, plan->n, plan->per_n, plan->sub_w, plan->keep_a),
        .b = b * reads(plan, plan->m, plan->per_m, plan->sub_h, plan->keep_b),
        .bias = matrices * plan->n * subblocks(plan->m, plan->per_m, plan->sub_h)};
}
