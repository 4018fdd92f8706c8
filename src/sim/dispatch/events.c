// events.c - what the device tells the host and one queue tells the other: events and data,
// as records in the completion region.
//
// An event happens when everything before it in its queue is done. The dispatcher then
// writes the event's number to the dispatchers of all queues, which may wait for it, and to
// the host. The host knows which records will come, and takes them in this order.
#include <errno.h>
#include <string.h>

#include "sim/cluster.h"
#include "sim/dispatch/dispatch.h"
#include "sim/noc/noc.h"
#include "sim/report/report.h"

// The device finds out by itself when it cannot go on.
#define WAIT_MOST_NS UINT64_C(1000000000000)

enum {
    LOOK_AGAIN_NS = 1000,
    EVENT_STRIDE = 16, // of TT_DISPATCH_EVENTS
};

// --- records ---------------------------------------------------------------------------
uint32_t queue_region_bytes(const struct queue *q)
{
    return q->fast->sizes.completion_bytes - TT_COMPLETION_DATA;
}

// Bytes of all records so far.
static uint32_t written_by(const struct queue *q)
{
    uint32_t written = 0;
    (void)pcie_host_read(q->fast->chip, q->number, TT_COMPLETION + TT_COMPLETION_COUNT,
                         &written, 4);
    return written;
}

// The data behind a record's header; they may continue at the start of the region.
static void read_data(const struct queue *q, const struct completion *record)
{
    struct chip *chip = q->fast->chip;
    uint32_t region = queue_region_bytes(q), at = record->at + TT_COMMAND_BYTES;
    uint32_t part = record->bytes < region - at ? record->bytes : region - at;
    uint64_t start = TT_COMPLETION + TT_COMPLETION_DATA;
    (void)pcie_host_read(chip, q->number, start + at, record->to, part);
    (void)pcie_host_read(chip, q->number, start, record->to + part, record->bytes - part);
    queue_spend(chip, 0, record->bytes);
}

static bool is_there(const struct queue *q, const struct completion *record)
{
    return (int32_t)(written_by(q) - record->end) >= 0;
}

// Takes the records that are there, and those that come while it copies data.
static void collect(struct queue *q)
{
    size_t n = 0;
    for (; n < q->expected.n && is_there(q, &q->expected.v[n]); n++) {
        const struct completion *record = &q->expected.v[n];
        q->seen = record->end;
        if (record->to) {
            read_data(q, record);
            continue;
        }
        q->seen_event = record->event;
        q->n_transferred = record->n_transfers;
    }
    q->expected.n -= n;
    if (n)
        memmove(q->expected.v, q->expected.v + n, q->expected.n * sizeof *q->expected.v);
}

// Lets the device use that part of the region again.
static int tell_read(struct queue *q)
{
    uint32_t at = q->fast->chip->layout->buffers + TT_DISPATCH_READ;
    q->told = q->seen;
    return host_write(q->fast->chip, q->dispatcher, at, &q->told, 4);
}

int queue_expect(struct queue *q, struct completion record)
{
    struct chip *chip = q->fast->chip;
    uint32_t region = queue_region_bytes(q);
    uint32_t pages =
        (TT_COMMAND_BYTES + record.bytes + TT_COMPLETION_PAGE - 1) / TT_COMPLETION_PAGE;
    uint32_t taken = pages * TT_COMPLETION_PAGE;
    int code = 0;
    while (!code && q->asked + taken - q->told > region) {
        collect(q);
        code = q->seen != q->told
                   ? tell_read(q)
                   : cluster_pass(chip->cluster, chip->number, LOOK_AGAIN_NS);
    }
    q->asked += taken;
    record.at = q->record_at;
    record.end = q->asked;
    q->record_at = (q->record_at + taken) % region;
    vec_push(&q->expected, record);
    return code;
}

// --- events ----------------------------------------------------------------------------
// Programs are on queue 0: no other has any to wait for.
void put_queue_wait(struct commands *c, const struct queue *q, uint32_t what)
{
    put_wait(c, what | TT_WAIT_COUNTER, TT_COMPLETION_STREAM, 0,
             q->number == 0 ? q->fast->course.completed : 0);
}

static uint32_t event_address(const struct chip *chip, int queue)
{
    return chip->layout->buffers + TT_DISPATCH_EVENTS + EVENT_STRIDE * (uint32_t)queue;
}

// The number goes to all dispatchers, if there are several, and to the host.
static void put_number(struct commands *c, const struct queue *q)
{
    const struct fast *fast = q->fast;
    const struct tile *to[TT_QUEUES];
    for (unsigned i = 0; i < fast->n_queues; i++)
        to[i] = fast->queues[i].dispatcher;
    if (fast->n_queues > 1)
        put_event(c, to, fast->n_queues, event_address(fast->chip, (int)q->number),
                  q->last_event);
    const uint32_t words[8] = {tt_command(TT_CMD_WRITE_HOST, 1, 0), 4, 0, 0, q->last_event};
    put_relay(c, TT_RELAY_TO_DISPATCHER, words, sizeof words);
}

static int record_event(struct queue *q)
{
    struct commands c = {0};
    int code = queue_expect(q, (struct completion){.bytes = 4,
                                                   .event = ++q->last_event,
                                                   .n_transfers = q->n_transfers});
    put_queue_wait(&c, q, TT_WAIT_BARRIER | TT_WAIT_SYNC);
    put_stall(&c);
    put_number(&c, q);
    if (!code)
        code = queue_put(q, &c, false, 0);
    q->has_news = false;
    commands_free(&c);
    return code;
}

// --- all of a chip ---------------------------------------------------------------------
bool fast_is_done(const struct chip *chip)
{
    const struct fast *fast = chip->fast;
    for (unsigned q = 0; q < fast->n_queues; q++)
        if (written_by(&fast->queues[q]) != fast->queues[q].asked)
            return false;
    return true;
}

int fast_ask(struct chip *chip)
{
    int code = 0;
    for (unsigned q = 0; q < chip->fast->n_queues && !code; q++)
        if (chip->fast->queues[q].has_news)
            code = record_event(&chip->fast->queues[q]);
    return code;
}

static int note_seen(struct queue *q)
{
    collect(q);
    return q->seen - q->told < q->fast->sizes.completion_bytes / 2 ? 0 : tell_read(q);
}

int fast_note_done(struct chip *chip)
{
    struct fast *fast = chip->fast;
    int code = 0;
    ring_know(&fast->course.ring, fast->course.completed);
    fast->waiting.n = 0;
    for (unsigned q = 0; q < fast->n_queues && !code; q++)
        code = note_seen(&fast->queues[q]);
    return code;
}

int fast_wait(struct chip *chip)
{
    int code = fast_ask(chip);
    if (!code)
        code = cluster_run_until_done(chip->cluster, chip->number, WAIT_MOST_NS);
    return code ? code : fast_note_done(chip);
}

// --- calls from outside ------------------------------------------------------------------
static struct queue *find_queue(ttdev *t, int dev, int queue, int *code)
{
    const struct chip *chip = cluster_chip(t, dev);
    struct fast *fast = chip ? chip->fast : NULL;
    *code = 0;
    if (fast && queue >= 0 && (unsigned)queue < fast->n_queues)
        return &fast->queues[queue];
    if (!chip)
        *code = cluster_error(t, -ENODEV, "no device %d", dev);
    else if (!fast)
        *code = cluster_error(t, -ENODEV, "device %d: dispatch=slow has no command queues",
                              dev);
    else
        *code = cluster_error(t, -ENODEV, "device %d has no command queue %d (cqs=%u)", dev,
                              queue, fast->n_queues);
    return NULL;
}

struct queue *fast_queue(ttdev *t, int dev, int queue, int *code)
{
    struct queue *q = find_queue(t, dev, queue, code);
    if (!q)
        return NULL;
    if (q->fast->chip->has_fault)
        *code = cluster_error(t, -EFAULT, "device %d has stopped at a fault", dev);
    else if (q->fast->has_ended)
        *code = cluster_error(t, -ESHUTDOWN, "device %d: dispatch has ended", dev);
    else if (q->fast->capture)
        *code = cluster_error(t, -EBUSY, "device %d: a trace is being captured", dev);
    else
        *code = fast_start(q->fast->chip);
    return *code ? NULL : q;
}

int ttdev_record_event(ttdev *t, int dev, int queue, ttdev_event *out)
{
    int code;
    host_enter(t);
    struct queue *q = fast_queue(t, dev, queue, &code);
    if (q) {
        code = record_event(q);
        *out = (ttdev_event){queue, q->last_event};
    }
    host_leave(t);
    return code;
}

// Whether it was recorded; the numbers of a queue go round.
static int check_event(ttdev *t, int dev, ttdev_event event, struct queue **of)
{
    int code;
    *of = find_queue(t, dev, event.queue, &code);
    if (*of && (int32_t)((*of)->last_event - event.number) < 0)
        code = cluster_error(t, -EINVAL, "device %d, queue %d: event %u was not recorded",
                             dev, event.queue, (unsigned)event.number);
    return code;
}

// The queue's own events have happened when it comes to what follows them.
int ttdev_wait_event(ttdev *t, int dev, int queue, ttdev_event event)
{
    struct queue *of, *q = NULL;
    struct commands c = {0};
    host_enter(t);
    int code = check_event(t, dev, event, &of);
    if (!code)
        q = fast_queue(t, dev, queue, &code);
    if (q && q != of && (int32_t)(of->seen_event - event.number) < 0) {
        put_wait(&c, TT_WAIT_MEMORY, 0, event_address(q->fast->chip, event.queue),
                 event.number);
        code = queue_put(q, &c, false, 0);
    }
    commands_free(&c);
    host_leave(t);
    return code;
}

static int wait_for(struct queue *q, uint32_t number, uint64_t timeout_ns)
{
    struct chip *chip = q->fast->chip;
    struct ttdev *t = chip->cluster;
    uint64_t deadline = t->true_fs + timeout_ns * FS_PER_NS;
    int code = 0;
    for (collect(q); !code && (int32_t)(q->seen_event - number) < 0; collect(q)) {
        if (t->true_fs >= deadline) {
            report_timeout(chip, timeout_ns);
            return -ETIMEDOUT;
        }
        code = cluster_pass(t, chip->number, t->cfg.host_poll_ns ? t->cfg.host_poll_ns : 1);
    }
    return code ? code : note_seen(q);
}

int ttdev_wait_for_event(ttdev *t, int dev, ttdev_event event, uint64_t timeout_ns)
{
    struct queue *q;
    host_enter(t);
    int code = check_event(t, dev, event, &q);
    if (!code)
        code = wait_for(q, event.number, timeout_ns);
    host_leave(t);
    return code;
}
