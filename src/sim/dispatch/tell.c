// tell.c - what is in the queues, for the report of a deadlock: which program has not
// finished, how many follow it, and what the dispatch kernels are waiting for.
#include <string.h>

#include "sim/dispatch/dispatch.h"
#include "sim/noc/noc.h"
#include "sim/report/report_parts.h"
#include "sim/tile/tile.h"

// More programs than this are never in queue, buffers and launch messages together.
enum { WAITING_MOST = TT_QUEUE_ENTRIES + TT_DISPATCH_PAGES + 2 * TT_LAUNCH_SLOTS };

// --- notes -----------------------------------------------------------------------------
struct fast_program fast_program_of(const struct launch *l)
{
    struct fast_program program = {.run_id = l->run_id};
    size_t n = strlen(l->program->name);
    n = n < sizeof program.name ? n : sizeof program.name - 1;
    memcpy(program.name, l->program->name, n);
    return program;
}

void fast_note_waiting(struct fast *fast, const struct fast_program *program)
{
    size_t n = fast->waiting.n;
    if (n == 2 * (size_t)WAITING_MOST) {
        memmove(fast->waiting.v, fast->waiting.v + WAITING_MOST,
                WAITING_MOST * sizeof *fast->waiting.v);
        fast->waiting.n = WAITING_MOST;
    }
    vec_push(&fast->waiting, *program);
}

// --- workers ---------------------------------------------------------------------------
static bool is_busy(const struct tile *tile)
{
    return tile->l1[report_go_address(tile) + 3] == TT_GO_GO;
}

struct workers {
    uint32_t n, n_done;
    uint32_t run_id; // of the first that is not done
};

static bool is_counted(const struct tile *tile)
{
    ttdev_xy grid = tile->chip->grid, at = tile->logical;
    return tile->kind == TILE_TENSIX
               ? at.x < grid.x && at.y < grid.y
               : tile->kind == TILE_ETH && tile->is_linked && is_busy(tile);
}

static struct workers look_at_workers(const struct chip *chip)
{
    struct workers w = {0};
    for (int i = 0; i < chip->n_tiles; i++) {
        const struct tile *tile = &chip->tiles[i];
        if (!is_counted(tile))
            continue;
        const uint8_t *message = tile_launch_message(tile);
        if (is_busy(tile) && w.n == w.n_done && message)
            memcpy(&w.run_id, message + TT_LAUNCH_HOST_ID, sizeof w.run_id);
        w.n++;
        w.n_done += !is_busy(tile);
    }
    return w;
}

// --- programs --------------------------------------------------------------------------
struct found {
    const struct fast_program *program; // NULL: none with this id
    size_t n_behind;
};

// The programs of an entry, which is one or a replay.
static const struct fast_program *programs_of(const struct fast_program *p, size_t *n)
{
    *n = p->trace ? p->trace->programs.n : 1;
    return p->trace ? p->trace->programs.v : p;
}

static struct found find_program(const struct fast *fast, uint32_t run_id)
{
    struct found found = {0};
    for (size_t i = 0; i < fast->waiting.n; i++) {
        size_t n;
        const struct fast_program *p = programs_of(&fast->waiting.v[i], &n);
        for (size_t k = 0; k < n; k++)
            if (found.program)
                found.n_behind++;
            else if (p[k].run_id == run_id)
                found.program = &p[k];
    }
    return found;
}

size_t fast_n_not_started(const struct chip *chip)
{
    struct workers w = look_at_workers(chip);
    return w.n_done == w.n ? 0 : find_program(chip->fast, w.run_id).n_behind;
}

static void tell_programs(struct buf *out, const struct fast *fast)
{
    struct workers w = look_at_workers(fast->chip);
    struct found found = find_program(fast, w.run_id);
    if (w.n_done == w.n || !found.program) {
        buf_printf(out, "%zu programs or replays are not done\n", fast->waiting.n);
        return;
    }
    buf_printf(out, "program '%s' (id %u) is not done\n", found.program->name,
               (unsigned)w.run_id);
    buf_printf(out, "  %u of %u workers have finished\n", (unsigned)w.n_done,
               (unsigned)w.n);
    if (found.n_behind)
        buf_printf(out, "  %zu more program%s queued\n", found.n_behind,
                   &"s"[found.n_behind == 1]);
}

// Those that are not known to be done.
static void tell_transfers(struct buf *out, const struct queue *q)
{
    uint32_t n = q->n_transfers - q->n_transferred;
    buf_printf(out, "%u transfer%s not done\n", (unsigned)n, n == 1 ? " is" : "s are");
}

// Programs are on queue 0 only.
static void tell_work(struct buf *out, const struct queue *q)
{
    if (q->number == 0)
        tell_programs(out, q->fast);
    if (q->number == 0 && q->n_transfers == q->n_transferred)
        return;
    buf_z(out, q->number == 0 ? "  " : "");
    tell_transfers(out, q);
}

// --- queues ----------------------------------------------------------------------------
// Of a kernel that waits, what for; where it does so says nothing to the reader.
static void tell_kernel(struct buf *out, const char *name, struct tile *tile, int number)
{
    const struct risc *risc = &tile->risc[number];
    buf_printf(out, "  %s ", name);
    if (risc->state == RISC_PARKED) {
        buf_z(out, "waits");
        report_words(out, tile, risc);
    } else {
        report_wait(out, tile, risc);
    }
    buf_char(out, '\n');
}

void fast_tell(const struct chip *chip, struct buf *out)
{
    const struct fast *fast = chip->fast;
    for (unsigned q = 0; q < fast->n_queues; q++) {
        const struct queue *queue = &fast->queues[q];
        uint32_t written = 0;
        (void)pcie_host_read(chip, q, TT_COMPLETION + TT_COMPLETION_COUNT, &written, 4);
        if (!fast->has_started || (written == queue->asked && !queue->has_news))
            continue;
        buf_printf(out, "device %d, queue %u: ", chip->number, q);
        tell_work(out, queue);
        tell_kernel(out, "prefetcher", queue->prefetcher, TT_BRISC);
        tell_kernel(out, "dispatcher", queue->dispatcher, TT_BRISC);
        tell_kernel(out, "subordinate", queue->dispatcher, TT_NCRISC);
    }
}
