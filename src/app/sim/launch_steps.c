// launch_steps.c - see launch_steps.h.
#include "app/sim/launch_steps.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ttprof/dispatch_words.h"

static void note(struct launch_steps *s, uint64_t cycle, const char *who, const char *fmt,
                 ...) __attribute__((format(printf, 4, 5)));
static void note(struct launch_steps *s, uint64_t cycle, const char *who, const char *fmt,
                 ...)
{
    struct launch_row row = {.cycle = cycle, .order = s->rows.n};
    va_list args;
    (void)snprintf(row.who, sizeof row.who, "%s", who);
    va_start(args, fmt);
    (void)vsnprintf(row.what, sizeof row.what, fmt, args);
    va_end(args);
    vec_push(&s->rows, row);
}

// --- the host --------------------------------------------------------------------------
static bool is_shown(const struct launch_steps *s)
{
    return s->n_launches == s->number;
}

void launch_steps_event(void *context, const struct tt_event *event)
{
    struct launch_steps *s = context;
    if (event->kind != TT_EVENT_LAUNCH || event->chip != s->dev ||
        ++s->n_launches != s->number)
        return;
    s->run_id = event->program;
    (void)snprintf(s->name, sizeof s->name, "%s", event->name);
    note(s, ttdev_clock(s->t, s->dev), "host", "launches the program");
}

// --- commands --------------------------------------------------------------------------
static const char *command_name(uint32_t word)
{
    uint32_t id = word & 0xFF, a = word >> 8 & 0xFF;
    switch (id) {
    case TT_CMD_WRITE_LINEAR: return "a core's data";
    case TT_CMD_WRITE_PACKED:
        switch (a >> TT_PACKED_TYPE_SHIFT) {
        case TT_PACKED_ARGUMENTS: return "arguments";
        case TT_PACKED_LAUNCH: return "launch messages";
        default: return "data";
        }
    case TT_CMD_WRITE_PACKED_LARGE:
        return a == TT_LARGE_TEXT ? "kernels" : "circular buffers, semaphores";
    case TT_CMD_WAIT: return "earlier programs";
    case TT_CMD_SET_WRITE_OFFSET: return "the place in L1";
    case TT_CMD_NOTIFY: return "the order to send GO";
    default: return "a command";
    }
}

// The commands of a launch end with its GO.
static void hear_command(struct launch_steps *s, const ttdev_truth_event *e)
{
    struct launch_command c = {.word = (uint32_t)e->argument,
                               .payload = (uint32_t)(e->argument >> 32),
                               .is_shown = is_shown(s) && !s->is_enqueued};
    uint32_t id = c.word & 0xFF, target = c.word >> 8 & 0xFF;
    bool is_relay = id == TT_CMD_RELAY_INLINE || id == TT_CMD_RELAY_INLINE_NOFLUSH;
    if (c.is_shown && !s->entry_bytes)
        note(s, e->cycle, "host", "has the commands in its memory");
    s->entry_bytes += c.is_shown ? e->pc : 0;
    if (c.is_shown && is_relay && target == TT_RELAY_TO_SUBORDINATE &&
        (c.payload & 0xFF) == TT_CMD_SEND_GO)
        s->is_enqueued = true;
    vec_push(&s->commands, c);
    if (is_relay && target == TT_RELAY_TO_DISPATCHER)
        vec_push(&s->relayed, c);
}

static void hear_relayed(struct launch_steps *s, const ttdev_truth_event *e)
{
    if (e->argument - 1 >= s->commands.n)
        return;
    const struct launch_command *c = &s->commands.v[e->argument - 1];
    bool is_to_go = (c->word >> 8 & 0xFF) == TT_RELAY_TO_SUBORDINATE;
    if (!c->is_shown)
        return;
    switch (c->word & 0xFF) {
    case TT_CMD_RELAY_INLINE_NOFLUSH: break; // the rest follows
    case TT_CMD_RELAY_LINEAR: note(s, e->cycle, "prefetcher", "sent kernels"); break;
    default:
        note(s, e->cycle, "prefetcher", "sent %s",
             is_to_go ? "GO, to the subordinate" : command_name(c->payload));
    }
}

static void hear_done(struct launch_steps *s, const ttdev_truth_event *e)
{
    if (e->argument - 1 >= s->relayed.n)
        return;
    const struct launch_command *c = &s->relayed.v[e->argument - 1];
    if (c->is_shown)
        note(s, e->cycle, "dispatcher",
             (c->payload & 0xFF) == TT_CMD_SET_WRITE_OFFSET ? "knows %s"
             : (c->payload & 0xFF) == TT_CMD_WAIT           ? "waited for %s"
             : (c->payload & 0xFF) == TT_CMD_NOTIFY         ? "gave %s"
                                                            : "wrote %s",
             command_name(c->payload));
}

// --- dispatch cores --------------------------------------------------------------------
// An entry is read in packets; nothing else is sent between them.
static void hear_issue(struct launch_steps *s, const ttdev_truth_event *e)
{
    if (!s->has_rung || s->has_entry || (!s->unread && s->packet))
        return;
    uint32_t bytes =
        (s->entry_bytes + TT_ENTRY_ALIGN - 1) / TT_ENTRY_ALIGN * TT_ENTRY_ALIGN;
    if (!s->packet)
        note(s, e->cycle, "prefetcher", "asks for the entry of %u bytes", (unsigned)bytes);
    s->unread = (s->packet ? s->unread : bytes);
    s->unread -= e->pc < s->unread ? e->pc : s->unread;
    s->packet = e->argument;
}

static void hear_prefetcher(struct launch_steps *s, const ttdev_truth_event *e)
{
    switch (e->kind) {
    case TTDEV_TRUTH_COMMAND: hear_command(s, e); break;
    case TTDEV_TRUTH_COMMAND_DONE: hear_relayed(s, e); break;
    case TTDEV_TRUTH_HOST_ACCESS:
        if (is_shown(s) && s->entry_bytes && !s->has_rung && e->argument >= s->queue) {
            note(s, e->cycle, "host", "has written to the queue");
            s->has_rung = true;
        }
        break;
    case TTDEV_TRUTH_NOC_ISSUE: hear_issue(s, e); break;
    case TTDEV_TRUTH_NOC_COMPLETE:
        if (s->packet && !s->unread && e->argument == s->packet && !s->has_entry) {
            note(s, e->cycle, "prefetcher", "has the entry");
            s->has_entry = true;
        }
        break;
    case TTDEV_TRUTH_DRAM_READ:
        if (s->has_entry && !s->has_text) {
            note(s, e->cycle, "DRAM", "reads kernels for the prefetcher");
            s->has_text = true;
        }
        break;
    default: break;
    }
}

static void hear_dispatcher(struct launch_steps *s, const ttdev_truth_event *e)
{
    enum { GO_BYTES = 4 };
    if (e->kind == TTDEV_TRUTH_COMMAND_DONE)
        hear_done(s, e);
    if (e->kind == TTDEV_TRUTH_NOC_ISSUE && e->risc == TT_NCRISC && e->pc == GO_BYTES &&
        !s->first_go)
        s->go = e->cycle;
}

// --- the worker ------------------------------------------------------------------------
static bool is_at(const ttdev_truth_event *e, ttdev_xy at)
{
    return e->x == at.x && e->y == at.y;
}

static void find_exit(struct launch_steps *s, const struct launch_pc *pc)
{
    if (s->has_left || pc->cycle <= s->own_go ||
        (pc->pc >= s->loop_from && pc->pc <= s->loop_to))
        return;
    note(s, pc->cycle, "worker", "firmware leaves its wait");
    s->has_left = true;
}

// What a RISC executed in the last cycles before GO is the loop it waits in. It may have
// gone on since: ground truth arrives a little later.
static void find_loop(struct launch_steps *s)
{
    enum { LOOP_CYCLES = 64 };
    size_t from = s->n_pcs > LAUNCH_PCS ? s->n_pcs - LAUNCH_PCS : 0;
    s->loop_from = UINT32_MAX;
    for (size_t i = from; i < s->n_pcs; i++) {
        const struct launch_pc *pc = &s->pcs[i % LAUNCH_PCS];
        if (pc->cycle > s->own_go || pc->cycle + LOOP_CYCLES < s->own_go)
            continue;
        s->loop_from = pc->pc < s->loop_from ? pc->pc : s->loop_from;
        s->loop_to = pc->pc > s->loop_to ? pc->pc : s->loop_to;
    }
    s->has_loop = s->loop_from != UINT32_MAX;
    for (size_t i = from; s->has_loop && i < s->n_pcs; i++)
        find_exit(s, &s->pcs[i % LAUNCH_PCS]);
}

static void hear_worker(struct launch_steps *s, const ttdev_truth_event *e)
{
    if (s->n_launches < s->number)
        return;
    if (e->kind == TTDEV_TRUTH_LAUNCH && e->argument == s->run_id) {
        s->n_cores++;
        if (!s->first_go || e->cycle < s->first_go)
            s->first_go = e->cycle;
        if (e->cycle > s->last_go)
            s->last_go = e->cycle;
        if (is_at(e, s->at)) {
            s->own_go = e->cycle;
            find_loop(s);
        }
    }
    if (e->kind == TTDEV_TRUTH_KERNEL_ENTRY && is_at(e, s->at) && e->risc == s->risc &&
        s->own_go && !s->has_entered) {
        note(s, e->cycle, "worker", "enters the kernel");
        s->has_entered = true;
    }
}

void launch_steps_step(void *context, const ttdev_step *step)
{
    struct launch_steps *s = context;
    struct launch_pc pc = {step->cycle, step->pc};
    if (s->n_launches < s->number || s->has_begun)
        return;
    s->pcs[s->n_pcs++ % LAUNCH_PCS] = pc;
    if (s->has_loop)
        find_exit(s, &pc);
    if (s->own_go && step->is_kernel && step->offset == 0 &&
        strcmp(step->symbol, "kernel_main") == 0) {
        note(s, step->cycle, "worker", "kernel_main");
        s->has_begun = true;
    }
}

// --- the whole -------------------------------------------------------------------------
bool launch_steps_begin(struct launch_steps *s)
{
    ttdev_info info;
    if (ttdev_get_info(s->t, s->dev, &info) < 0 ||
        ttdev_xlat(s->t, s->dev, s->core.at, s->core.space, TTDEV_NOC0, &s->at) < 0)
        return false;
    s->queue = tt_layouts[info.arch].buffers + TT_PREFETCH_QUEUE;
    // The first two of the row, or column, that is kept for dispatch.
    bool is_row = info.arch == TT_WORMHOLE;
    ttdev_xy first = is_row ? (ttdev_xy){0, info.grid.y} : (ttdev_xy){info.grid.x, 0};
    ttdev_xy second = {first.x + is_row, first.y + !is_row};
    s->prefetcher = s->dispatcher = (ttdev_xy){-1, -1};
    if (info.n_queues) {
        (void)ttdev_xlat(s->t, s->dev, first, TTDEV_LOGICAL, TTDEV_NOC0, &s->prefetcher);
        (void)ttdev_xlat(s->t, s->dev, second, TTDEV_LOGICAL, TTDEV_NOC0, &s->dispatcher);
    }
    return true;
}

void launch_steps_hear(void *context, const ttdev_truth_event *event)
{
    struct launch_steps *s = context;
    if (event->dev != s->dev)
        return;
    if (is_at(event, s->prefetcher))
        hear_prefetcher(s, event);
    else if (is_at(event, s->dispatcher))
        hear_dispatcher(s, event);
    else
        hear_worker(s, event);
}

static int by_cycle(const void *a, const void *b)
{
    const struct launch_row *x = a, *y = b;
    if (x->cycle != y->cycle)
        return x->cycle < y->cycle ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

bool launch_steps_put(struct launch_steps *s, struct buf *out)
{
    if (s->n_launches < s->number || !s->rows.n)
        return false;
    if (s->go)
        note(s, s->go, "subordinate", "sends GO to all workers");
    if (s->n_cores > 1) {
        note(s, s->first_go, "workers", "GO reaches the first of %u cores",
             (unsigned)s->n_cores);
        note(s, s->last_go, "workers", "GO reaches the last of them");
    }
    if (s->own_go)
        note(s, s->own_go, "worker", "GO arrives");
    qsort(s->rows.v, s->rows.n, sizeof *s->rows.v, by_cycle);
    uint64_t start = s->rows.v[0].cycle, before = start;
    buf_printf(out, "launch %lld on device %d: %s, id %u; worker: core %d,%d\n",
               (long long)s->number, s->dev, s->name, (unsigned)s->run_id, s->core.at.x,
               s->core.at.y);
    buf_printf(out, "%12s  %8s  %6s  %-11s  %s\n", "cycle", "in all", "step", "who",
               "what");
    for (size_t i = 0; i < s->rows.n; i++) {
        const struct launch_row *row = &s->rows.v[i];
        buf_printf(out, "%12llu  %8llu  %6llu  %-11s  %s\n", (unsigned long long)row->cycle,
                   (unsigned long long)(row->cycle - start),
                   (unsigned long long)(row->cycle - before), row->who, row->what);
        before = row->cycle;
    }
    return true;
}

void launch_steps_free(struct launch_steps *s)
{
    vec_free(&s->rows);
    vec_free(&s->commands);
    vec_free(&s->relayed);
}
