// ops_exchange.c - ops over the two chips of a mesh: all-gather and reduce-scatter. Tiles
// go through the Ethernet tile that connects the chips, which runs the forwarding kernel
// during the op.
#include "runtime/ops.h"

enum { CHIPS = 2, MOST_CHANNELS = 16, MOST_CORES = 4, FABRIC_BYTES = 256 };
enum { CB_TILE, CB_OTHER, CB_FABRIC, CB_OUT = 16 };

struct exchange_plan {
    uint32_t size[4];   // a chip's part, in tiles
    uint32_t stride[4]; // in the larger tensor
    uint32_t step;      // from the first tile of a part to that of the next
    uint32_t pieces;
    uint32_t channel[CHIPS]; // the ends of the link
    uint32_t has_sum;        // reduce-scatter: a flag follows the tiles
};

// --- finding the link ------------------------------------------------------------------
static bool find_link(ttrt *m, const char *code, struct exchange_plan *plan)
{
    for (int channel = 0; channel < MOST_CHANNELS; channel++) {
        int peer = -1, peer_channel = -1;
        if (ttdev_eth_peer(ttrt_device(m), 0, channel, &peer, &peer_channel) == 0 &&
            peer == 1) {
            plan->channel[0] = (uint32_t)channel;
            plan->channel[1] = (uint32_t)peer_channel;
            return true;
        }
    }
    rt_fail(m, "%s: device 0 and device 1 are not linked", code);
    return false;
}

static ttdev_xy eth_of(struct rt_program *p, uint32_t channel)
{
    ttdev_xy noc0 = {0, 0}, at = {0, 0};
    ttdev *t = ttrt_device(p->m);
    if (ttdev_eth_tile(t, p->device, (int)channel, &noc0) < 0 ||
        ttdev_xlat(t, p->device, noc0, TTDEV_NOC0, TTDEV_VIRTUAL, &at) < 0)
        rt_fail(p->m, "%s: device %d has no Ethernet channel %u", p->op->code, p->device,
                channel);
    return at;
}

// --- programs --------------------------------------------------------------------------
// A few cores are enough to keep a link busy.
static ttdev_range exchange_cores(struct rt_program *p, uint32_t pieces)
{
    return ops_cores(p, pieces < MOST_CORES ? pieces : MOST_CORES);
}

static uint32_t count_of(ttdev_range cores)
{
    return (uint32_t)((cores.to.x + 1) * (cores.to.y + 1));
}

// Both chips send as much as they receive.
static void add_fabric(struct rt_program *p, const struct exchange_plan *plan,
                       ttdev_range cores)
{
    int channel = (int)plan->channel[p->device];
    ttdev_range where = {{channel, 0}, {channel, 0}};
    uint32_t messages = plan->pieces + (plan->has_sum ? count_of(cores) : 0);
    int kernel = rt_make_kernel(p, where, TTDEV_ERISC, "fabric", 0);
    rt_set_args(p, kernel, where, (uint32_t[]){messages, messages, 0, 0}, 4);
}

static void set_mover(struct rt_program *p, int kernel, const struct exchange_plan *plan,
                      uint32_t flag, const ttrt_tensor *first, const ttrt_tensor *second)
{
    struct ops_args args = {0};
    uint32_t own = (uint32_t)p->device, peer = !own;
    ttdev_xy eth = eth_of(p, plan->channel[own]);
    ops_args_add(&args, plan->size, 4);
    ops_args_add(&args,
                 (uint32_t[]){peer, (uint32_t)eth.x, (uint32_t)eth.y, own * plan->step,
                              peer * plan->step, flag},
                 6);
    ops_args_add(&args, plan->stride, 4);
    ops_args_operand(&args, first);
    ops_args_operand(&args, second);
    rt_set_common(p, kernel, args.v, args.n);
}

static void gather_program(struct rt_program *p)
{
    const struct exchange_plan *plan = p->op->own;
    const ttrt_tensor *a = p->op->inputs[0], *out = p->op->outputs[0];
    ttdev_range cores = exchange_cores(p, plan->pieces);
    rt_make_cb(p, cores, CB_TILE, 1, a->page_bytes);
    rt_make_cb(p, cores, CB_FABRIC, 1, FABRIC_BYTES);
    int mover = rt_make_kernel(p, cores, TT_NCRISC, "ops/gather", 0);
    set_mover(p, mover, plan, 0, a, out);
    ops_deal(p, &mover, 1, cores, plan->pieces);
    add_fabric(p, plan, cores);
}

static void set_writer(struct rt_program *p, int kernel, const struct exchange_plan *plan)
{
    struct ops_args args = {0};
    ops_args_add(&args, (uint32_t[]){1, 1, 1, plan->pieces, CB_OUT, plan->pieces}, 6);
    ops_args_add(&args, (uint32_t[]){0, 0, 0, 1}, 4);
    ops_args_operand(&args, p->op->outputs[0]);
    rt_set_common(p, kernel, args.v, args.n);
}

static void scatter_program(struct rt_program *p)
{
    const struct exchange_plan *plan = p->op->own;
    const ttrt_tensor *a = p->op->inputs[0], *scratch = p->op->inputs[1];
    ttdev_range cores = exchange_cores(p, plan->pieces);
    rt_make_cb(p, cores, CB_TILE, 2, a->page_bytes);
    rt_make_cb(p, cores, CB_OTHER, 2, a->page_bytes);
    rt_make_cb(p, cores, CB_FABRIC, 1, FABRIC_BYTES);
    rt_make_cb(p, cores, CB_OUT, 2, p->op->outputs[0]->page_bytes);
    uint32_t flag = rt_make_semaphore(p, cores);
    int k[] = {rt_make_kernel(p, cores, TT_NCRISC, "ops/scatter", 0),
               rt_make_kernel(p, cores, TT_BRISC, "ops/write", 1),
               rt_make_compute(p, cores, "ops/binary")};
    set_mover(p, k[0], plan, flag, a, scratch);
    set_writer(p, k[1], plan);
    rt_set_common(p, k[2], (uint32_t[]){TT_MATH_ADD, TT_BROADCAST_NONE, TTRT_HIFI4}, 3);
    ops_deal(p, k, 3, cores, plan->pieces);
    add_fabric(p, plan, cores);
}

// --- the ops ---------------------------------------------------------------------------
static bool check_exchange(ttrt *m, const char *code, const ttrt_tensor *a, int dim,
                           const struct ttrt_how *how)
{
    if (!ops_check(m, code, &a, 1))
        return false;
    if (ttrt_n_devices(m) != CHIPS)
        rt_fail(m, "%s: needs %d chips, but the mesh has %d", code, CHIPS,
                ttrt_n_devices(m));
    else if (dim < 0 || dim > TTRT_DIM_X)
        rt_fail(m, "%s: no dimension %d", code, dim);
    else if (how && how->is_typed && how->dtype != a->spec.dtype)
        rt_fail(m, "%s: the data type must not change", code);
    return !rt_has_failed(m);
}

// Parts must meet at a tile boundary.
static bool plan_exchange(ttrt *m, const char *code, const ttrt_tensor *part,
                          const ttrt_tensor *whole, int dim, struct exchange_plan *plan)
{
    if ((dim == TTRT_DIM_Y || dim == TTRT_DIM_X) && part->spec.shape[dim] % RT_TILE)
        rt_fail(m,
                "%s: a part of %u values along dimension %d; it must be a multiple of %d",
                code, part->spec.shape[dim], dim, RT_TILE);
    struct ops_extent e = ops_extent(part);
    *plan = (struct exchange_plan){.pieces = part->n_pages};
    memcpy(plan->size, e.n, sizeof plan->size);
    ops_strides(whole, plan->stride);
    plan->step = e.n[dim] * plan->stride[dim];
    return !rt_has_failed(m) && find_link(m, code, plan);
}

static void describe_exchange(ttrt *m, struct rt_op *op, int dim)
{
    ops_attribute(m, op, "cluster_axis", "std::nullopt");
    ops_attribute(m, op, "dim", "%d", dim);
    ops_attribute(m, op, "num_links", "1");
    ops_attribute(m, op, "output_mem_config", "%s", ops_memory_text(m, op->outputs[0]));
    ops_attribute(m, op, "ring_size", "%d", CHIPS);
    ops_attribute(m, op, "topology", "ttnn::ccl::Topology::Linear");
}

static void run_exchange(ttrt *m, struct rt_op *op, const struct exchange_plan *plan)
{
    op->own = plan;
    op->own_bytes = sizeof *plan;
    op->model = ops_vector_model;
    rt_run(m, op);
}

ttrt_tensor *ttrt_all_gather(ttrt *m, const ttrt_tensor *a, int dim,
                             const struct ttrt_how *how)
{
    static const struct rt_kernel kernels[] = {
        {"ops/gather", "kernel/ops/gather.ncrisc.c", TT_NCRISC, false, 0},
        {"fabric", "kernel/fabric.erisc.c", TTDEV_ERISC, false, 0}};
    struct rt_op op = {.code = "AllGatherAsyncDeviceOperation",
                       .kernels = kernels,
                       .n_kernels = sizeof kernels / sizeof *kernels,
                       .program = gather_program};
    struct exchange_plan plan;
    uint32_t shape[4];
    if (!check_exchange(m, op.code, a, dim, how))
        return NULL;
    memcpy(shape, a->spec.shape, sizeof shape);
    shape[dim] *= CHIPS;
    ttrt_tensor *out = ops_result(m, op.code, how, shape, a->spec.dtype);
    if (!out || !plan_exchange(m, op.code, a, out, dim, &plan))
        return NULL;
    ops_operands(&op, &a, 1, &out, 1);
    describe_exchange(m, &op, dim);
    run_exchange(m, &op, &plan);
    return out;
}

ttrt_tensor *ttrt_reduce_scatter(ttrt *m, const ttrt_tensor *a, int dim,
                                 const struct ttrt_how *how)
{
    static const struct rt_kernel kernels[] = {
        {"ops/scatter", "kernel/ops/scatter.ncrisc.c", TT_NCRISC, false, 0},
        {"ops/write", "kernel/ops/write.brisc.c", TT_BRISC, false, 0},
        {"ops/binary", "kernel/ops/binary.compute.c", TT_TRISC0, true, TTRT_HIFI4},
        {"fabric", "kernel/fabric.erisc.c", TTDEV_ERISC, false, 0}};
    struct rt_op op = {.code = "ReduceScatterMinimalAsyncDeviceOperation",
                       .kernels = kernels,
                       .n_kernels = sizeof kernels / sizeof *kernels,
                       .program = scatter_program};
    struct exchange_plan plan;
    uint32_t shape[4];
    if (!check_exchange(m, op.code, a, dim, how))
        return NULL;
    memcpy(shape, a->spec.shape, sizeof shape);
    if (shape[dim] % CHIPS) {
        rt_fail(m, "%s: '%s' (%s) cannot be divided into %d parts along dimension %d",
                op.code, a->name, ops_shape_text(m, a), CHIPS, dim);
        return NULL;
    }
    shape[dim] /= CHIPS;
    ttrt_tensor *out = ops_result(m, op.code, how, shape, a->spec.dtype);
    if (!out || !plan_exchange(m, op.code, out, a, dim, &plan))
        return NULL;
    plan.has_sum = 1;
    // Receives the tiles of the other chip.
    ttrt_tensor *scratch = ttrt_empty(m, ttrt_spec_of(out), "intermediate");
    const ttrt_tensor *const inputs[] = {a, scratch};
    if (!scratch)
        return NULL;
    ops_operands(&op, inputs, 2, &out, 1);
    describe_exchange(m, &op, dim);
    op.flops = ttrt_volume(out);
    ops_moves(&op, scratch, 2 * (uint64_t)scratch->n_pages * scratch->page_bytes);
    run_exchange(m, &op, &plan);
    ttrt_free(m, scratch);
    return out;
}
