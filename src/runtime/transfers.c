// transfers.c - tensors to and from the host by way of a command queue, and events between
// queues. Without queues, where the host launches programs itself, everything is done when
// the call returns.
#include "runtime/parts.h"
#include "ttprof/host.h"

int ttrt_n_queues(const ttrt *m)
{
    return m && m->info.n_queues > 1 ? m->info.n_queues : 1;
}

static bool check_queue(ttrt *m, int queue, const char *what)
{
    if (!rt_enter(m))
        return false;
    if (queue < 0 || queue >= ttrt_n_queues(m))
        rt_fail(m, "%s: no command queue %d; the device has %d (cqs)", what, queue,
                ttrt_n_queues(m));
    else if (m->is_capturing)
        rt_fail(m, "%s: not while a trace is being captured", what);
    return !m->code;
}

// --- transfers ---------------------------------------------------------------------------
static bool check_transfer(ttrt *m, int queue, const ttrt_tensor *t, const char *what)
{
    return check_queue(m, queue, what) && rt_tensor_check(m, t, what);
}

static ttdev_pages pages_of(const ttrt_tensor *t, struct arena *a)
{
    ttdev_pages pages = {t->address, t->page_bytes, t->n_pages, NULL};
    if (t->spec.memory.buffer == TTRT_DRAM)
        return pages;
    ttdev_place *places = push_many(a, ttdev_place, t->n_pages);
    for (uint32_t i = 0; i < t->n_pages; i++)
        places[i] = rt_page_place(t, i);
    pages.places = places;
    return pages;
}

static void enqueue_write(ttrt *m, int device, int queue, const ttrt_tensor *t,
                          const uint8_t *pages)
{
    RT_CALL(zone, "HWCommandQueue_write_buffer");
    TTPROF_TEXT(zone, t->name, strlen(t->name));
    struct arena_mark mark = arena_mark(&m->op);
    ttdev_pages to = pages_of(t, &m->op);
    m->is_busy[device] = true;
    (void)rt_checked(m, ttdev_write_pages(m->t, device, queue, &to, pages),
                     "write of a buffer");
    arena_rewind(&m->op, mark);
}

void ttrt_write(ttrt *m, int queue, ttrt_tensor *t, const float *values)
{
    if (!check_transfer(m, queue, t, "write of a tensor"))
        return;
    if (!m->info.n_queues && !rt_queue_drain(m, t->name))
        return;
    uint8_t *pages = rt_values_pack(t, values);
    for (int i = 0; i < m->info.n_devices && !m->code; i++)
        if (m->info.n_queues)
            enqueue_write(m, i, queue, t, pages);
        else
            rt_buffer_write(m, i, t, pages);
    mem_free(pages);
}

static void enqueue_read(ttrt *m, struct rt_read *read)
{
    RT_CALL(zone, "HWCommandQueue_read_buffer");
    TTPROF_TEXT(zone, read->tensor.name, strlen(read->tensor.name));
    struct arena_mark mark = arena_mark(&m->op);
    ttdev_pages from = pages_of(&read->tensor, &m->op);
    m->is_busy[read->device] = true;
    vec_push(&m->reads, *read);
    (void)rt_checked(m,
                     ttdev_read_pages(m->t, read->device, read->queue, &from, read->pages),
                     "read of a buffer");
    arena_rewind(&m->op, mark);
}

void ttrt_read(ttrt *m, int queue, int device, const ttrt_tensor *t, float *values)
{
    if (!check_transfer(m, queue, t, "read of a tensor"))
        return;
    if (!m->info.n_queues) {
        ttrt_to_host(m, device, t, values);
        return;
    }
    if (device < 0 || device >= m->info.n_devices) {
        rt_fail(m, "read of tensor '%s': no device %d", t->name, device);
        return;
    }
    enqueue_read(m,
                 &(struct rt_read){.device = device,
                                   .queue = queue,
                                   .after = m->last_event[device][queue],
                                   .tensor = *t,
                                   .pages = mem_alloc(mem_bytes(t->n_pages, t->page_bytes)),
                                   .values = values});
}

static bool is_before(const struct rt_read *read, const ttrt_event *event)
{
    return !event || (read->queue == event->queue &&
                      (int32_t)(event->number[read->device] - read->after) > 0);
}

void rt_reads_finish(ttrt *m, int device, const ttrt_event *event)
{
    size_t n = 0;
    for (size_t i = 0; i < m->reads.n; i++) {
        struct rt_read *read = &m->reads.v[i];
        if (read->device != device || !is_before(read, event)) {
            m->reads.v[n++] = *read;
            continue;
        }
        rt_values_unpack(&read->tensor, read->pages, read->values);
        mem_free(read->pages);
    }
    m->reads.n = n;
}

void rt_reads_free(ttrt *m)
{
    for (size_t i = 0; i < m->reads.n; i++)
        mem_free(m->reads.v[i].pages);
    vec_free(&m->reads);
}

// --- events ------------------------------------------------------------------------------
ttrt_event ttrt_record_event(ttrt *m, int queue)
{
    ttrt_event event = {.queue = queue};
    if (!check_queue(m, queue, "event"))
        return event;
    TTPROF_ZONE("RecordEvent");
    for (int i = 0; i < m->info.n_devices && m->info.n_queues && !m->code; i++) {
        ttdev_event on_chip = {0};
        m->is_busy[i] = true;
        (void)rt_checked(m, ttdev_record_event(m->t, i, queue, &on_chip), "event");
        event.number[i] = m->last_event[i][queue] = on_chip.number;
    }
    return event;
}

void ttrt_wait_event(ttrt *m, int queue, ttrt_event event)
{
    if (!check_queue(m, queue, "wait for an event") ||
        !check_queue(m, event.queue, "wait for an event"))
        return;
    TTPROF_ZONE("WaitForEvent");
    for (int i = 0; i < m->info.n_devices && m->info.n_queues && !m->code; i++)
        (void)rt_checked(
            m,
            ttdev_wait_event(m->t, i, queue, (ttdev_event){event.queue, event.number[i]}),
            "wait for an event");
}

void ttrt_synchronise_event(ttrt *m, ttrt_event event)
{
    if (!check_queue(m, event.queue, "wait for an event"))
        return;
    TTPROF_ZONE("EventSynchronize");
    if (!m->info.n_queues) {
        ttrt_synchronise(m);
        return;
    }
    for (int i = 0; i < m->info.n_devices && !m->code; i++) {
        ttdev_event on_chip = {event.queue, event.number[i]};
        int code = ttdev_wait_for_event(m->t, i, on_chip, m->timeout_ns);
        if (code < 0)
            rt_queue_fail(m, i, code);
        else
            rt_reads_finish(m, i, &event);
    }
}
