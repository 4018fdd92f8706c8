// capture.c - traces: commands of launches, written to DRAM once, executed from there any
// number of times. The host only says where they are.
#include <errno.h>
#include <string.h>

#include "sim/cluster.h"
#include "sim/dispatch/dispatch.h"
#include "sim/noc/noc.h"

enum { PAGE_SHIFT = 11, PAGE = 1 << PAGE_SHIFT };

struct capture *capture_begin(struct chip *chip)
{
    struct capture *capture = mem_alloc(sizeof *capture);
    capture->course.ring.bytes = chip->fast->course.ring.bytes;
    chip->fast->capture = capture;
    return capture;
}

void capture_free(struct chip *chip, struct capture *capture)
{
    for (size_t i = 0; i < capture->texts.n; i++)
        store_use(&chip->fast->store, capture->texts.v[i], -1);
    if (capture->block)
        store_drop(&chip->fast->store, capture->block);
    vec_free(&capture->texts);
    vec_free(&capture->programs);
    commands_free(&capture->commands);
    mem_free(capture);
}

static void put_end(struct commands *c)
{
    static const uint32_t words[8] = {TT_CMD_EXEC_BUF_END, TT_COMMAND_BYTES,
                                      2 * TT_COMMAND_BYTES, 0, TT_CMD_DISPATCH_END_BUF};
    buf_str(&c->bytes, (str){(const char *)words, sizeof words});
    buf_fill(&c->bytes, 0, -c->bytes.n % PAGE);
}

// Page i is in bank i mod n.
static bool write_pages(struct chip *chip, const struct capture *capture)
{
    const struct buf *bytes = &capture->commands.bytes;
    struct host_access access = host_begin(chip, true, bytes->n);
    bool is_done = true;
    for (uint32_t i = 0; i < capture->n_pages && is_done; i++) {
        uint64_t at = capture->address + (uint64_t)(i / (uint32_t)chip->n_banks) * PAGE;
        is_done = dram_write(chip, (int)(i % (uint32_t)chip->n_banks), at,
                             bytes->p + (size_t)i * PAGE, PAGE);
    }
    host_end(chip, access);
    return is_done;
}

int capture_end(struct chip *chip)
{
    struct capture *capture = chip->fast->capture;
    struct commands *commands = &capture->commands;
    uint32_t banks = (uint32_t)chip->n_banks;
    chip->fast->capture = NULL;
    put_end(commands);
    capture->n_pages = (uint32_t)(commands->bytes.n / PAGE);
    const struct store_block *block =
        store_add(&chip->fast->store, STORE_ALL_BANKS,
                  (capture->n_pages + banks - 1) / banks * PAGE, NULL);
    if (!block)
        return cluster_error(chip->cluster, -ENOSPC,
                             "device %d: no DRAM left for a trace of %zu bytes",
                             chip->number, commands->bytes.n);
    capture->block = block->number;
    capture->address = block->address;
    bool is_done = write_pages(chip, capture);
    commands_free(commands);
    return is_done ? 0
                   : cluster_error(chip->cluster, -ENOMEM, "device %d: dram_cap reached",
                                   chip->number);
}

// All workers set their read pointers back and count, then the counter starts again at 0,
// as the commands of the trace expect it.
int capture_replay(struct chip *chip, const struct capture *capture)
{
    struct fast *fast = chip->fast;
    struct course *course = &fast->course;
    uint32_t workers = (uint32_t)(chip->grid.x * chip->grid.y);
    struct commands c = {0};
    int code = fast_start(chip);
    if (code)
        return code;
    const uint32_t notify[4] = {tt_command(TT_CMD_NOTIFY, 1, 0)};
    put_relay(&c, TT_RELAY_TO_DISPATCHER, notify, sizeof notify);
    put_go(&c, (const uint32_t[]){tt_command(TT_CMD_SEND_GO, 0, 0),
                                  fast_go_word(chip, TT_GO_REPLAY_TRACE), course->completed,
                                  TT_COMPLETION_STREAM});
    put_wait(&c, TT_WAIT_COUNTER | TT_WAIT_CLEAR, TT_COMPLETION_STREAM, 0,
             course->completed + workers);
    put_prefetch(&c, (const uint32_t[]){tt_command(TT_CMD_EXEC_BUF, 0, 0),
                                        (uint32_t)capture->address, PAGE_SHIFT,
                                        capture->n_pages});
    code = queue_put(&fast->queues[0], &c, true, chip->cluster->cfg.host_enqueue_ns);
    commands_free(&c);
    fast_note_waiting(fast, &(struct fast_program){.trace = capture});
    course->completed = capture->course.completed;
    course->slot = capture->course.slot;
    ring_restart(&course->ring);
    ring_fill(&course->ring, course->completed);
    fast->has_moved_on = true;
    return code;
}
