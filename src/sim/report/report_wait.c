// report_wait.c - cores that do not finish: where each RISC is and what it waits for.
#include "base/text/buf.h"

#include "sim/dispatch/cores.h"
#include "sim/engine/engine.h"
#include "sim/report/report_parts.h"

enum { REPORT_CORES = 16 }; // the others are only counted

// --- RISCs and cores -------------------------------------------------------------------
uint32_t report_go_address(const struct tile *tile)
{
    const struct tt_layout *layout = tile->chip->layout;
    return tile->kind == TILE_ETH ? layout->eth_go_messages : layout->go_messages;
}

// Dispatch cores run for ever; what they wait for is told by queue.
static bool is_waited_for(const struct tile *tile)
{
    bool may_run = tile->is_launched || tile->chip->dispatch == DISPATCH_FAST;
    return may_run && !dispatch_is_core(tile) &&
           tile->l1[report_go_address(tile) + 3] != TT_GO_DONE;
}

// An idle RISC, or a BRISC waiting for the others, is not the culprit.
static bool waits_for_others(const struct tile *tile, const struct risc *risc)
{
    uint8_t sync[4];
    memcpy(sync, tile->l1 + tile->chip->layout->sync_bytes, sizeof sync);
    if (tile->kind == TILE_ETH || risc->state == RISC_HALTED ||
        report_code(risc, risc->pc) != &risc->code[CODE_FIRMWARE])
        return false;
    if (risc->index != TT_BRISC)
        return sync[risc->index - TT_NCRISC] == TT_SYNC_DONE;
    return sync[0] | sync[1] | sync[2] | sync[3];
}

void report_wait(struct buf *out, struct tile *tile, const struct risc *risc)
{
    static const char *const verbs[] = {[RISC_RESET] = "is held in reset at",
                                        [RISC_RUNS] = "runs at",
                                        [RISC_PARKED] = "waits at",
                                        [RISC_STALLED] = "stalls at",
                                        [RISC_HALTED] = "has halted at"};
    buf_z(out, verbs[risc->state]);
    report_place(out, risc, risc->pc, false);
    if (risc->state == RISC_PARKED)
        report_words(out, tile, risc);
    else if (risc->state == RISC_STALLED)
        buf_z(out, tile->kind == TILE_ETH ? ": no Ethernet credit"
                                          : ": the compute engine's queue is full");
    const char *engine = NULL;
    if (tile->engine && risc->index >= TT_TRISC0)
        engine = engine_waits_for(tile->engine, risc->index - (unsigned)TT_TRISC0);
    if (engine)
        buf_printf(out, "; its queue waits for %s", engine);
}

static void put_risc(struct buf *out, struct tile *tile, const struct risc *risc)
{
    buf_z(out, "  ");
    report_core(out, tile);
    buf_printf(out, " %s ", risc_name(tile, risc->index));
    report_wait(out, tile, risc);
    buf_char(out, '\n');
}

// Returns whether a kernel of the tile is to blame.
static bool put_tile(struct buf *out, struct tile *tile)
{
    bool has_culprit = false;
    for (unsigned r = 0; r < tile->n_riscs; r++) {
        struct risc *risc = &tile->risc[r];
        if (waits_for_others(tile, risc) || risc->state == RISC_RESET)
            continue;
        has_culprit = true;
        put_risc(out, tile, risc);
    }
    // No RISC runs a kernel, so the firmware is stuck.
    for (unsigned r = 0; r < tile->n_riscs && !has_culprit; r++)
        put_risc(out, tile, &tile->risc[r]);
    return has_culprit;
}

static void put_tiles(struct buf *out, struct chip *chip)
{
    int shown = 0, more = 0, waits = 0;
    for (int i = 0; i < chip->n_tiles; i++) {
        struct tile *tile = &chip->tiles[i];
        if (!is_waited_for(tile))
            continue;
        if (shown == REPORT_CORES) {
            more++;
            continue;
        }
        shown++;
        waits += put_tile(out, tile) && waits_for_others(tile, &tile->risc[TT_BRISC]);
    }
    if (more)
        buf_printf(out, "  and %d more\n", more);
    if (waits)
        buf_printf(out, "  on %d of these cores BRISC waits for the others\n", waits);
}

static int count_left(const struct chip *chip)
{
    int left = 0;
    for (int i = 0; i < chip->n_tiles; i++)
        left += is_waited_for(&chip->tiles[i]);
    return left;
}

// Of how many.
static int count_started(const struct chip *chip)
{
    return chip->dispatch == DISPATCH_FAST ? chip->grid.x * chip->grid.y : chip->n_started;
}

static void put_queues(struct buf *out, const struct chip *chip)
{
    if (chip->tell_queues)
        chip->tell_queues(chip, out);
}

static unsigned long long cycle_now(const struct chip *chip)
{
    return chip->boot_cycles + chip->now;
}

void report_deadlock(struct chip *chip)
{
    struct buf text = {0};
    put_queues(&text, chip);
    buf_printf(&text, "device %d: deadlock at cycle %llu: %d of %d cores cannot continue\n",
               chip->number, cycle_now(chip), count_left(chip), count_started(chip));
    put_tiles(&text, chip);
    report_text(chip, &text);
}

void report_timeout(struct chip *chip, uint64_t timeout_ns)
{
    struct buf text = {0};
    put_queues(&text, chip);
    buf_printf(
        &text,
        "device %d: timeout after %llu ns, at cycle %llu: %d of %d cores are running\n",
        chip->number, (unsigned long long)timeout_ns, cycle_now(chip), count_left(chip),
        count_started(chip));
    put_tiles(&text, chip);
    report_text(chip, &text);
}
