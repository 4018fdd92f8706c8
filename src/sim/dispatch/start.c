// start.c - starts and ends the dispatch kernels, and gives the workers to the host and
// back when it launches by itself.
#include <errno.h>
#include <string.h>

#include "sim/cluster.h"
#include "sim/dispatch/dispatch.h"
#include "sim/noc/noc.h"
#include "sim/tile/tile.h"

// --- kernels ---------------------------------------------------------------------------
static uint32_t pcie_coordinates(const struct chip *chip, unsigned noc)
{
    ttdev_xy at = pcie_xy(chip, noc);
    return (uint32_t)at.x << 4 | (uint32_t)at.y << 10;
}

static int add_kernel(ttdev_program *p, const char *name, int risc, const struct tile *on,
                      const uint32_t *args, size_t n)
{
    ttdev_image *image;
    struct err *e = &p->cluster->error;
    int code = ttdev_image_find(p->cluster, name, risc, &image, e);
    if (code)
        return code;
    ttdev_range at = {on->logical, on->logical};
    int kernel = ttdev_program_kernel(p, at, risc, image, risc == TT_NCRISC);
    return kernel < 0 ? kernel : ttdev_program_args(p, kernel, at, args, n);
}

static int add_kernels(ttdev_program *p, const struct queue *q)
{
    const struct fast *fast = q->fast;
    const struct dispatch_sizes *sizes = &fast->sizes;
    struct chip *chip = fast->chip;
    struct rectangle workers = {{0, 0}, {chip->grid.x - 1, chip->grid.y - 1}};
    uint32_t host = q->number << TT_QUEUE_SHIFT, pcie = pcie_coordinates(chip, 0);
    const uint32_t prefetch[TT_PREFETCH_ARGS] = {
        [TT_PREFETCH_PCIE] = pcie,
        [TT_PREFETCH_ISSUE] = host,
        [TT_PREFETCH_ISSUE_BYTES] = sizes->issue_bytes,
        [TT_PREFETCH_ENTRIES] = sizes->entries,
        [TT_PREFETCH_RING_USED] = sizes->ring_bytes,
        [TT_PREFETCH_DISPATCHER] = tile_coordinates(q->dispatcher),
        [TT_PREFETCH_PAGES] = sizes->pages,
        [TT_PREFETCH_GO_PAGES] = sizes->go_pages,
    };
    const uint32_t dispatch[TT_DISPATCH_ARGS] = {
        [TT_DISPATCH_PREFETCHER] = tile_coordinates(q->prefetcher),
        [TT_DISPATCH_PCIE] = pcie,
        [TT_DISPATCH_COMPLETION] = host + TT_COMPLETION,
        [TT_DISPATCH_COMPLETION_BYTES] = sizes->completion_bytes,
        [TT_DISPATCH_USED_PAGES] = sizes->pages,
        [TT_DISPATCH_USED_BLOCK] = sizes->block,
    };
    const uint32_t go[TT_GO_ARGS] = {
        [TT_GO_PREFETCHER] = tile_coordinates(q->prefetcher),
        [TT_GO_WORKERS] = rectangle_coordinates(chip, workers),
        [TT_GO_USED_PAGES] = sizes->go_pages,
    };
    int code = add_kernel(p, "dispatch/prefetch_dispatch", TT_BRISC, q->prefetcher,
                          prefetch, TT_PREFETCH_ARGS);
    if (!code)
        code = add_kernel(p, "dispatch/write_dispatch", TT_BRISC, q->dispatcher, dispatch,
                          TT_DISPATCH_ARGS);
    if (!code)
        code =
            add_kernel(p, "dispatch/go_dispatch", TT_NCRISC, q->dispatcher, go, TT_GO_ARGS);
    return code;
}

static void clear_words(struct tile *tile)
{
    static const uint8_t zeros[TT_DISPATCH_BUFFER];
    tile_stand(tile, tile->chip->now);
    tile_write(tile, tile->chip->layout->buffers, zeros, sizeof zeros);
    tile_refresh(tile);
}

// Takes no time, like booting. Dispatch cores run as long as the device: they do not count
// as launched.
static int start_queue(struct queue *q)
{
    struct chip *chip = q->fast->chip;
    ttdev_program *p = ttdev_program_new(chip->cluster, "dispatch");
    struct launch l = {.chip = chip, .program = p, .is_timeless = true};
    p->is_dispatch = true;
    int code = add_kernels(p, q);
    if (!code)
        code = launch_plan(&l);
    if (!code) {
        clear_words(q->prefetcher);
        clear_words(q->dispatcher);
        launch_write(&l);
        q->prefetcher->is_launched = q->dispatcher->is_launched = false;
        chip->n_launched -= 2;
    }
    launch_unplan(&l);
    ttdev_program_free(p);
    return code;
}

// At the first launch, so that the kernels see the flags of a profiler that was attached.
int fast_start(struct chip *chip)
{
    struct fast *fast = chip->fast;
    int code = 0;
    if (!fast->has_started)
        for (unsigned q = 0; q < fast->n_queues && !code; q++)
            code = start_queue(&fast->queues[q]);
    fast->has_started = !code;
    return code ? code : fast_resume(chip);
}

static void put_terminate(struct commands *c)
{
    static const uint32_t end[4] = {TT_CMD_DISPATCH_TERMINATE};
    put_relay(c, TT_RELAY_TO_DISPATCHER, end, sizeof end);
    put_go(c, end);
    put_prefetch(c, (const uint32_t[]){TT_CMD_TERMINATE, 0, 0, 0});
}

int fast_end(struct chip *chip)
{
    struct fast *fast = chip->fast;
    if (fast->has_ended || !fast->has_started) {
        fast->has_ended = true;
        return 0;
    }
    int code = fast_wait(chip);
    for (unsigned q = 0; q < fast->n_queues && !code; q++) {
        struct commands c = {0};
        put_terminate(&c);
        code = queue_put(&fast->queues[q], &c, false, 0);
        commands_free(&c);
        // From here on they end like any program.
        fast->queues[q].has_news = false;
        fast->queues[q].prefetcher->is_launched = true;
        fast->queues[q].dispatcher->is_launched = true;
        chip->n_launched += 2;
    }
    fast->has_ended = true;
    return code ? code : fast_wait(chip);
}

// --- launches by the host --------------------------------------------------------------
// One access for all workers: the host multicasts the word.
static int reset_read_pointers(struct chip *chip)
{
    struct host_access access = host_begin(chip, true, 4);
    for (int y = 0; y < chip->grid.y; y++)
        for (int x = 0; x < chip->grid.x; x++) {
            struct tile *tile = chip_core(chip, (ttdev_xy){x, y}, TT_BRISC);
            tile_stand(tile, chip->now);
            tile_go(tile, TT_GO_RESET_READ_PTR_FROM_HOST);
            tile_refresh(tile);
        }
    host_end(chip, access);
    return fast_wait(chip);
}

int fast_pause(struct chip *chip)
{
    struct fast *fast = chip->fast;
    int code = fast_wait(chip);
    if (code || !fast->has_moved_on)
        return code;
    fast->course.slot = 0;
    fast->has_moved_on = false;
    return reset_read_pointers(chip);
}

void fast_note_direct(struct tile *tile)
{
    vec_push(&tile->chip->fast->enabled, tile);
}

// A launch by the host leaves its message in slot 0: a GO for all workers would start it
// again.
int fast_resume(struct chip *chip)
{
    struct fast *fast = chip->fast;
    if (!fast->enabled.n)
        return 0;
    int code = chip_check_idle(chip);
    if (code)
        return code;
    struct host_access access = host_begin(chip, true, 4);
    for (size_t i = 0; i < fast->enabled.n; i++) {
        struct tile *tile = fast->enabled.v[i];
        const struct tt_layout *layout = chip->layout;
        uint32_t at = (tile_is_eth(tile) ? layout->eth_launch_ring : layout->launch_ring) +
                      TT_LAUNCH_ENABLES;
        tile_stand(tile, chip->now);
        tile_write(tile, at, &(uint32_t){0}, 4);
        tile_refresh(tile);
    }
    host_end(chip, access);
    fast->enabled.n = 0;
    return 0;
}
