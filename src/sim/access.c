// access.c - the software device behind the function table of ttprof/device.h.
#include "sim/access.h"

#include <errno.h>

#include "sim/dispatch/cores.h"
#include "sim/dispatch/dispatch.h"
#include "sim/engine/engine.h"
#include "sim/program/program.h"
#include "sim/tile/tile.h"

// --- what there is ---------------------------------------------------------------------
static struct tt_core core_of(const struct tile *tile)
{
    const struct chip *chip = tile->chip;
    const struct tt_layout *l = chip->layout;
    bool is_eth = tile->kind == TILE_ETH;
    return (struct tt_core){
        .x = (int16_t)tile->noc0.x,
        .y = (int16_t)tile->noc0.y,
        .vx = (int16_t)tile->virt.x,
        .vy = (int16_t)tile->virt.y,
        .lx = (int16_t)(is_eth ? tile->channel : tile->logical.x),
        .ly = (int16_t)(is_eth ? 0 : tile->logical.y),
        .flat = chip->flat[tile->node],
        .kind = is_eth                   ? TT_CORE_ETH
                : dispatch_is_core(tile) ? TT_CORE_DISPATCH
                                         : TT_CORE_WORKER,
        .n_riscs = tile->n_riscs,
        .control = is_eth ? l->eth_profiler_control : l->profiler_control,
        .buffers = is_eth ? l->eth_profiler_buffers : l->profiler_buffers};
}

static void list_core(struct chip *chip, const struct tile *tile)
{
    chip->cores[chip->n_cores++] = core_of(tile);
}

// Workers, Ethernet cores with a link, and the dispatch cores that run kernels.
void access_open(struct ttdev *t)
{
    for (int i = 0; i < t->n_chips; i++) {
        struct chip *chip = &t->chips[i];
        chip->cores = mem_alloc(mem_bytes(sizeof *chip->cores, (size_t)chip->n_tiles));
        for (int k = 0; k < chip->n_tiles; k++) {
            const struct tile *tile = &chip->tiles[k];
            if (tile->is_linked || (tile->kind == TILE_TENSIX && !dispatch_is_core(tile)))
                list_core(chip, tile);
        }
        for (unsigned q = 0; chip->dispatch == DISPATCH_FAST && q < t->cfg.cqs; q++)
            for (int role = 0; role < DISPATCH_ROLES; role++)
                list_core(chip, dispatch_core(chip, q, (enum dispatch_role)role));
    }
}

void access_close(struct ttdev *t)
{
    for (int i = 0; i < t->n_chips; i++)
        mem_free(t->chips[i].cores);
}

static int no_chip(struct ttdev *t, int chip)
{
    return cluster_error(t, -ENODEV, "no device %d", chip);
}

static int get_chip(void *device, int number, struct tt_chip *out)
{
    struct ttdev *t = device;
    const struct chip *chip = cluster_chip(t, number);
    if (!chip)
        return no_chip(t, number);
    *out = (struct tt_chip){.id = number,
                            .arch = chip->arch,
                            .arch_name = arch_of_device(chip->arch)->device_name,
                            .hz = ttdev_hz(t, number),
                            .grid_x = chip->grid.x,
                            .grid_y = chip->grid.y,
                            .dispatch = dispatch_name(chip->dispatch),
                            .noc_x = chip->size_x,
                            .noc_y = chip->size_y,
                            .cores = chip->cores,
                            .n_cores = chip->n_cores,
                            .n_banks = chip->n_banks,
                            .cores_per_bank = chip->cores_per_bank,
                            .processors = TT_RISCS,
                            .dram_base = chip->layout->dram_profiler_base,
                            .dram_bytes = chip->profiler_bytes,
                            .is_remote = chip->remote,
                            .counter_groups = counters_groups(chip->arch)};
    return 0;
}

static size_t n_links(void *device)
{
    const struct ttdev *t = device;
    return 2 * (size_t)t->n_links;
}

static int get_link(void *device, size_t i, struct tt_link *out)
{
    struct ttdev *t = device;
    if (i >= n_links(t))
        return cluster_error(t, -EINVAL, "no link %zu", i);
    const struct link *link = &t->links[i / 2];
    size_t from = i % 2, to = !from;
    *out = (struct tt_link){.chip = link->dev[from],
                            .channel = link->channel[from],
                            .peer_chip = link->dev[to],
                            .peer_channel = link->channel[to]};
    return 0;
}

static size_t n_zones(void *device)
{
    const struct ttdev *t = device;
    return t->zones.v.n;
}

static int get_zone(void *device, size_t i, struct tt_zone *out)
{
    struct ttdev *t = device;
    if (i >= t->zones.v.n)
        return cluster_error(t, -EINVAL, "no zone %zu", i);
    *out = t->zones.v.v[i];
    return 0;
}

static int to_noc0(void *device, int number, int from, int x, int y, int *out_x, int *out_y)
{
    static const int spaces[] = {TTDEV_NOC0, TTDEV_NOC1, TTDEV_VIRTUAL};
    ttdev_xy out;
    if (from < 0 || from > 2)
        return cluster_error(device, -EINVAL, "unknown coordinate kind %d", from);
    int code = ttdev_xlat(device, number, (ttdev_xy){x, y}, spaces[from], TTDEV_NOC0, &out);
    if (code)
        return code;
    *out_x = out.x;
    *out_y = out.y;
    return 0;
}

// --- memory and registers --------------------------------------------------------------
static ttdev_core place_of(const struct tt_core *core)
{
    return (ttdev_core){.space = TTDEV_NOC0, .at = {core->x, core->y}};
}

static int l1_read(void *device, int chip, const struct tt_core *core, uint32_t address,
                   void *data, size_t bytes)
{
    return ttdev_l1_read(device, chip, place_of(core), address, data, bytes);
}

static int l1_write(void *device, int chip, const struct tt_core *core, uint32_t address,
                    const void *data, size_t bytes)
{
    return ttdev_l1_write(device, chip, place_of(core), address, data, bytes);
}

static int bank_read(void *device, int chip, int bank, uint64_t address, void *data,
                     size_t bytes)
{
    return ttdev_dram_read(device, chip, bank, address, data, bytes);
}

static int register_read(void *device, int chip, const struct tt_core *core,
                         uint32_t address, uint32_t *value)
{
    return ttdev_reg_read32(device, chip, place_of(core), address, value);
}

static int register_write(void *device, int chip, const struct tt_core *core,
                          uint32_t address, uint32_t value)
{
    return ttdev_reg_write32(device, chip, place_of(core), address, value);
}

// --- running ---------------------------------------------------------------------------
// With a queue that was never used the host need not look.
static int wait_until_done(void *device, int number, uint64_t timeout_ns)
{
    const struct chip *chip = cluster_chip(device, number);
    if (chip && chip->fast && !chip->fast->has_started && !chip->n_launched)
        return 0;
    return ttdev_wait(device, number, timeout_ns);
}

// A host can only tell by reading the go message.
static bool is_busy(void *device, int number, const struct tt_core *core)
{
    struct ttdev *t = device;
    const struct chip *chip = cluster_chip(t, number);
    if (!chip)
        return false;
    bool is_eth = core->kind == TT_CORE_ETH;
    uint32_t at = is_eth ? chip->layout->eth_go_messages : chip->layout->go_messages, word;
    return l1_read(t, number, core, at, &word, sizeof word) != 0 ||
           word >> 24 != TT_GO_DONE;
}

static int on_quiet(void *device, int (*hook)(void *context, int chip), void *context)
{
    return ttdev_on_quiet(device, hook, context);
}

static int on_event(void *device, tt_event_hook hook, void *context)
{
    return ttdev_on_event(device, hook, context);
}

static int add_kernel(struct ttdev *t, const struct chip *chip, ttdev_program *p,
                      const struct tt_kernel *kernel)
{
    ttdev_image *image;
    if (kernel->core >= chip->n_cores)
        return cluster_error(t, -ENODEV, "device %d has no core number %zu", chip->number,
                             kernel->core);
    int code = ttdev_image_find(t, kernel->image, kernel->risc, &image, &t->error);
    if (code)
        return code;
    const struct tt_core *core = &chip->cores[kernel->core];
    ttdev_range at = {{core->lx, core->ly}, {core->lx, core->ly}};
    int number =
        ttdev_program_kernel(p, at, kernel->risc, image, kernel->risc == TT_NCRISC);
    if (number < 0)
        return number;
    return ttdev_program_args(p, number, at, kernel->args, kernel->n_args);
}

// Not added to a trace being recorded: the profiler's programs are not the application's.
static int launch_kernels(void *device, int number, const struct tt_kernel *kernels,
                          size_t n, uint32_t run_id)
{
    struct ttdev *t = device;
    struct chip *chip = cluster_chip(t, number);
    if (!chip)
        return no_chip(t, number);
    ttdev_program *p = ttdev_program_new(t, "profiler");
    int code = 0;
    for (size_t i = 0; i < n && !code; i++)
        code = add_kernel(t, chip, p, &kernels[i]);
    if (!code)
        code = program_launch(chip, p, run_id, NULL);
    ttdev_program_free(p);
    return code;
}

static int end_dispatch(void *device, int number)
{
    struct ttdev *t = device;
    struct chip *chip = cluster_chip(t, number);
    if (!chip)
        return no_chip(t, number);
    if (!chip->fast)
        return -ENOSYS;
    host_enter(t);
    int code = fast_end(chip);
    host_leave(t);
    return code;
}

static size_t n_not_started(void *device, int number)
{
    const struct chip *chip = cluster_chip(device, number);
    return chip && chip->fast ? fast_n_not_started(chip) : 0;
}

// --- clocks, errors, the table ---------------------------------------------------------
static uint64_t host_ns(void *device)
{
    return ttdev_host_ns(device);
}

static int sleep_ns(void *device, uint64_t ns)
{
    return ttdev_sleep_ns(device, ns);
}

static const char *last_error(void *device)
{
    return ttdev_error(device);
}

void ttdev_access(ttdev *t, struct tt_access *out)
{
    *out = (struct tt_access){.device = t,
                              .n_chips = t->n_chips,
                              .get_chip = get_chip,
                              .n_links = n_links,
                              .get_link = get_link,
                              .n_zones = n_zones,
                              .get_zone = get_zone,
                              .to_noc0 = to_noc0,
                              .l1_read = l1_read,
                              .l1_write = l1_write,
                              .dram_read = bank_read,
                              .register_read = register_read,
                              .register_write = register_write,
                              .wait = wait_until_done,
                              .is_busy = is_busy,
                              .on_quiet = on_quiet,
                              .on_event = on_event,
                              .launch = launch_kernels,
                              .end_dispatch = end_dispatch,
                              .n_not_started = n_not_started,
                              .host_ns = host_ns,
                              .sleep_ns = sleep_ns,
                              .error = last_error};
}
