// buffer.c - device memory: allocation, and page transfers to and from the host.
#include <errno.h>

#include "runtime/parts.h"
#include "ttprof/host.h"

// --- the allocator ---------------------------------------------------------------------
// The gap before taken span `i`; the last gap follows the last span.
static struct rt_span gap_before(const struct rt_memory *memory, size_t i)
{
    return (struct rt_span){.from = i ? memory->taken.v[i - 1].to : memory->from,
                            .to =
                                i < memory->taken.n ? memory->taken.v[i].from : memory->to};
}

static uint64_t align_up(const struct rt_memory *memory, uint64_t bytes)
{
    return (bytes + memory->align - 1) / memory->align * memory->align;
}

// Where in the gap an allocation would go; false if it does not fit.
static bool place_in(const struct rt_memory *memory, struct rt_span gap, uint64_t bytes,
                     struct rt_span *out)
{
    uint64_t from = align_up(memory, gap.from);
    uint64_t to = gap.to - gap.to % memory->align;
    if (from + bytes > to)
        return false;
    out->from = (uint32_t)(memory->is_from_top ? to - bytes : from);
    out->to = (uint32_t)(out->from + bytes);
    return true;
}

static void insert_span(struct rt_memory *memory, size_t i, struct rt_span span)
{
    vec_push(&memory->taken, span);
    memmove(&memory->taken.v[i + 1], &memory->taken.v[i],
            (memory->taken.n - 1 - i) * sizeof span);
    memory->taken.v[i] = span;
}

bool rt_memory_take(struct rt_memory *memory, uint64_t bytes, uint32_t *address)
{
    size_t n_gaps = memory->taken.n + 1;
    bytes = align_up(memory, bytes ? bytes : 1);
    for (size_t k = 0; k < n_gaps; k++) {
        size_t i = memory->is_from_top ? n_gaps - 1 - k : k;
        struct rt_span span;
        if (!place_in(memory, gap_before(memory, i), bytes, &span))
            continue;
        insert_span(memory, i, span);
        *address = span.from;
        return true;
    }
    return false;
}

bool rt_memory_give(struct rt_memory *memory, uint32_t address)
{
    for (size_t i = 0; i < memory->taken.n; i++) {
        if (memory->taken.v[i].from != address)
            continue;
        memory->taken.n--;
        memmove(&memory->taken.v[i], &memory->taken.v[i + 1],
                (memory->taken.n - i) * sizeof *memory->taken.v);
        return true;
    }
    return false;
}

uint64_t rt_memory_largest(const struct rt_memory *memory)
{
    uint64_t most = 0;
    for (size_t i = 0; i <= memory->taken.n; i++) {
        struct rt_span gap = gap_before(memory, i);
        uint64_t bytes = gap.to > gap.from ? gap.to - gap.from : 0;
        most = bytes > most ? bytes : most;
    }
    return most;
}

// --- buffers ---------------------------------------------------------------------------
static bool is_in_dram(const ttrt_tensor *t)
{
    return t->spec.memory.buffer == TTRT_DRAM;
}

static struct rt_memory *memory_of(ttrt *m, const ttrt_tensor *t)
{
    return is_in_dram(t) ? &m->dram : &m->l1;
}

static uint32_t parts_of(const ttrt *m, const ttrt_tensor *t) // banks or cores
{
    return (uint32_t)(is_in_dram(t) ? m->info.n_banks : m->info.grid.x * m->info.grid.y);
}

// In one bank or on one core.
static uint32_t most_pages(const ttrt *m, const ttrt_tensor *t)
{
    uint32_t parts = parts_of(m, t);
    return t->pages_per_core ? t->pages_per_core : (t->n_pages + parts - 1) / parts;
}

static void report_buffer(ttrt *m, const ttrt_tensor *t, bool is_made)
{
    for (int i = 0; i < m->info.n_devices; i++)
        (void)ttdev_tell_buffer(m->t, i, is_made, rt_buffer_name(t->spec.memory.buffer),
                                t->name, t->address, (uint64_t)t->n_pages * t->page_bytes);
}

static bool take(ttrt *m, ttrt_tensor *t, uint64_t bytes)
{
    struct rt_memory *memory = memory_of(m, t);
    if (rt_memory_take(memory, bytes, &t->address))
        return true;
    if (!m->leaving.n || m->is_capturing)
        return false;
    ttrt_synchronise(m);
    return !m->code && rt_memory_take(memory, bytes, &t->address);
}

void rt_buffer_make(ttrt *m, ttrt_tensor *t)
{
    uint64_t bytes = (uint64_t)most_pages(m, t) * t->page_bytes;
    if (take(m, t, bytes)) {
        report_buffer(m, t, true);
        return;
    }
    t->is_freed = true;
    rt_fail_with(
        m, -ENOMEM,
        "tensor '%s' needs %llu bytes of every %s, but the largest gap has %llu; free tensors, or use a smaller one",
        t->name, (unsigned long long)bytes, is_in_dram(t) ? "DRAM bank" : "core's L1",
        (unsigned long long)rt_memory_largest(memory_of(m, t)));
}

// One queue takes turns by itself.
static bool is_used_by_queues(const ttrt *m)
{
    bool is_busy = false;
    for (int i = 0; i < m->info.n_devices; i++)
        is_busy |= m->is_busy[i];
    return is_busy && ttrt_n_queues(m) > 1;
}

void rt_buffer_free(ttrt *m, ttrt_tensor *t)
{
    if (t->is_freed)
        return;
    t->is_freed = true;
    if (is_used_by_queues(m))
        vec_push(&m->leaving, t);
    else
        (void)rt_memory_give(memory_of(m, t), t->address);
    report_buffer(m, t, false);
}

void rt_buffers_give(ttrt *m)
{
    for (size_t i = 0; i < m->leaving.n; i++)
        (void)rt_memory_give(memory_of(m, m->leaving.v[i]), m->leaving.v[i]->address);
    m->leaving.n = 0;
}

// --- pages -----------------------------------------------------------------------------
// The part (bank or core) that holds a page, and its position there.
static uint32_t part_of(const ttrt *m, const ttrt_tensor *t, uint32_t page, uint32_t *index)
{
    if (is_in_dram(t)) {
        *index = page / (uint32_t)m->info.n_banks;
        return page % (uint32_t)m->info.n_banks;
    }
    ttdev_place place = rt_page_place(t, page);
    *index = place.index;
    return (uint32_t)(place.core.y * m->info.grid.x + place.core.x);
}

static int transfer_part(ttrt *m, int device, const ttrt_tensor *t, uint32_t part,
                         uint8_t *own, size_t bytes, bool is_write)
{
    ttdev_core core = {TTDEV_LOGICAL,
                       {(int)part % m->info.grid.x, (int)part / m->info.grid.x}};
    if (is_in_dram(t))
        return is_write ? ttdev_dram_write(m->t, device, (int)part, t->address, own, bytes)
                        : ttdev_dram_read(m->t, device, (int)part, t->address, own, bytes);
    return is_write ? ttdev_l1_write(m->t, device, core, t->address, own, bytes)
                    : ttdev_l1_read(m->t, device, core, t->address, own, bytes);
}

// The page at each position of a part; UINT32_MAX where a shard is not full.
static uint32_t *places_of(const ttrt *m, const ttrt_tensor *t, uint32_t most)
{
    size_t n = (size_t)parts_of(m, t) * most;
    uint32_t *places = mem_alloc(mem_bytes(sizeof *places, n));
    memset(places, 0xFF, n * sizeof *places);
    for (uint32_t page = 0; page < t->n_pages; page++) {
        uint32_t index, part = part_of(m, t, page, &index);
        places[(size_t)part * most + index] = page;
    }
    return places;
}

static void copy_pages(const ttrt_tensor *t, const uint32_t *places, uint32_t n,
                       uint8_t *pages, uint8_t *own, bool to_own)
{
    for (uint32_t i = 0; i < n; i++) {
        if (places[i] == UINT32_MAX)
            continue;
        uint8_t *in_all = pages + (size_t)places[i] * t->page_bytes;
        uint8_t *in_own = own + (size_t)i * t->page_bytes;
        memcpy(to_own ? in_own : in_all, to_own ? in_all : in_own, t->page_bytes);
    }
}

static void transfer_pages(ttrt *m, int device, const ttrt_tensor *t, uint8_t *pages,
                           bool is_write)
{
    uint32_t most = most_pages(m, t);
    uint32_t *places = places_of(m, t, most);
    uint8_t *own = mem_alloc(mem_bytes(most, t->page_bytes));
    for (uint32_t part = 0; part < parts_of(m, t) && !m->code; part++) {
        const uint32_t *here = places + (size_t)part * most;
        uint32_t n = most;
        while (n && here[n - 1] == UINT32_MAX)
            n--;
        if (!n)
            continue;
        if (is_write)
            copy_pages(t, here, n, pages, own, true);
        (void)rt_checked(
            m, transfer_part(m, device, t, part, own, (size_t)n * t->page_bytes, is_write),
            is_write ? "write of a buffer" : "read of a buffer");
        if (!is_write)
            copy_pages(t, here, n, pages, own, false);
    }
    mem_free(own);
    mem_free(places);
}

void rt_buffer_write(ttrt *m, int device, const ttrt_tensor *t, const uint8_t *pages)
{
    RT_CALL(zone, "HWCommandQueue_write_buffer");
    TTPROF_TEXT(zone, t->name, strlen(t->name));
    size_t bytes = mem_bytes(t->n_pages, t->page_bytes);
    uint8_t *copy = mem_alloc(bytes);
    memcpy(copy, pages, bytes);
    transfer_pages(m, device, t, copy, true);
    mem_free(copy);
}

void rt_buffer_read(ttrt *m, int device, const ttrt_tensor *t, uint8_t *pages)
{
    RT_CALL(zone, "HWCommandQueue_read_buffer");
    TTPROF_TEXT(zone, t->name, strlen(t->name));
    transfer_pages(m, device, t, pages, false);
}
