// sample_dispatch.c - see sample_dispatch.h.
#include "sample_dispatch.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sim/program/program.h"
#include "sim/tile/tile.h"

enum { PATIENCE = 20000 }; // microseconds

static uint32_t or_full(uint32_t given, uint32_t full)
{
    return given ? given : full;
}

static void fill_sizes(struct rig_options *size)
{
    size->pages = or_full(size->pages, TT_DISPATCH_PAGES);
    size->block = or_full(size->block, TT_DISPATCH_BLOCK);
    size->go_pages = or_full(size->go_pages, TT_DISPATCH_GO_PAGES);
    size->entries = or_full(size->entries, TT_QUEUE_ENTRIES);
    size->ring = or_full(size->ring, TT_PREFETCH_RING_BYTES);
    size->issue_bytes = or_full(size->issue_bytes, TT_ISSUE_BYTES);
    size->completion_bytes = or_full(size->completion_bytes, TT_COMPLETION_BYTES);
}

static void add_kernel(struct rig *s, const struct tile *tile, const char *name, int risc,
                       const uint32_t *args, size_t n)
{
    struct err e = {0};
    ttdev_image *image = NULL;
    ttdev_range core = {tile->logical, tile->logical};
    if (ttdev_image_find(s->t, name, risc, &image, &e))
        fail_msg("%s", e.text);
    int kernel = ttdev_program_kernel(s->program, core, risc, image, risc == TT_NCRISC);
    assert_true(kernel >= 0);
    assert_int_equal(ttdev_program_args(s->program, kernel, core, args, n), 0);
}

static bool is_wormhole(const struct rig *s)
{
    return s->chip->layout == &tt_layouts[TT_WORMHOLE];
}

static void add_kernels(struct rig *s)
{
    const struct rig_options *size = &s->size;
    ttdev_xy host = pcie_xy(s->chip, 0);
    uint32_t pcie = (uint32_t)host.x << 4 | (uint32_t)host.y << 10;
    // All but the last row on Wormhole, all but the last column on Blackhole.
    ttdev_xy last = {s->chip->grid.x - 1 - !is_wormhole(s),
                     s->chip->grid.y - 1 - is_wormhole(s)};
    uint32_t prefetch[] = {
        [TT_PREFETCH_PCIE] = pcie,
        [TT_PREFETCH_ISSUE] = 0,
        [TT_PREFETCH_ISSUE_BYTES] = size->issue_bytes,
        [TT_PREFETCH_ENTRIES] = size->entries,
        [TT_PREFETCH_RING_USED] = size->ring,
        [TT_PREFETCH_DISPATCHER] = rig_xy(s->dispatcher),
        [TT_PREFETCH_PAGES] = size->pages,
        [TT_PREFETCH_GO_PAGES] = size->go_pages,
    };
    uint32_t dispatch[] = {
        [TT_DISPATCH_PREFETCHER] = rig_xy(s->prefetcher),
        [TT_DISPATCH_PCIE] = pcie,
        [TT_DISPATCH_COMPLETION] = TT_COMPLETION,
        [TT_DISPATCH_COMPLETION_BYTES] = size->completion_bytes,
        [TT_DISPATCH_USED_PAGES] = size->pages,
        [TT_DISPATCH_USED_BLOCK] = size->block,
    };
    uint32_t go[] = {
        [TT_GO_PREFETCHER] = rig_xy(s->prefetcher),
        [TT_GO_WORKERS] = rig_rectangle(s, 0, 0, last.x, last.y),
        [TT_GO_USED_PAGES] = size->go_pages,
    };
    if (size->has_prefetcher)
        add_kernel(s, s->prefetcher, "dispatch/prefetch_dispatch", TT_BRISC, prefetch,
                   TT_PREFETCH_ARGS);
    add_kernel(s, s->dispatcher, "dispatch/write_dispatch", TT_BRISC, dispatch,
               TT_DISPATCH_ARGS);
    add_kernel(s, s->dispatcher, "dispatch/go_dispatch", TT_NCRISC, go, TT_GO_ARGS);
}

// As the profiler does when it attaches.
static void set_flags(struct rig *s, const struct tile *tile)
{
    uint32_t offset = s->chip->layout->profiler_control + 4 * TT_CONTROL_FLAGS;
    rig_set(s, tile, offset - s->buffers, s->size.flags);
}

void rig_open(struct rig *s, struct rig_options size)
{
    *s = (struct rig){.size = size};
    fill_sizes(&s->size);
    char config[128];
    (void)snprintf(config, sizeof config, "%s dispatch=slow", size.config);
    s->t = device_open(config);
    s->chip = &s->t->chips[0];
    s->buffers = s->chip->layout->buffers;
    int right = s->chip->grid.x - 1, bottom = s->chip->grid.y - 1;
    s->prefetcher = is_wormhole(s) ? rig_core(s, 0, bottom) : rig_core(s, right, 0);
    s->dispatcher = is_wormhole(s) ? rig_core(s, 1, bottom) : rig_core(s, right, 1);
    pcie_open(s->chip, 1);
    set_flags(s, s->prefetcher);
    set_flags(s, s->dispatcher);
    s->program = ttdev_program_new(s->t, "dispatch");
    add_kernels(s);
    assert_int_equal(ttdev_launch(s->t, 0, s->program, 0), 0);
}

void rig_close(struct rig *s)
{
    ttdev_program_free(s->program);
    ttdev_close(s->t);
}

// --- memory ----------------------------------------------------------------------------
uint32_t rig_word(const struct tile *tile, uint32_t address)
{
    uint32_t word;
    memcpy(&word, tile->l1 + address, sizeof word);
    return word;
}
uint32_t rig_credit(const struct rig *s, const struct tile *tile, uint32_t offset)
{
    return rig_word(tile, s->buffers + offset);
}
struct tile *rig_core(const struct rig *s, int x, int y)
{
    for (int i = 0; i < s->chip->n_workers; i++) {
        struct tile *tile = &s->chip->tiles[i];
        if (tile->logical.x == x && tile->logical.y == y)
            return tile;
    }
    fail_msg("no core %d,%d", x, y);
    return NULL;
}
uint32_t rig_xy(const struct tile *tile)
{
    return (uint32_t)tile->virt.x << 4 | (uint32_t)tile->virt.y << 10;
}
uint32_t rig_rectangle(const struct rig *s, int x0, int y0, int x1, int y1)
{
    return rig_xy(rig_core(s, x0, y0)) << 12 | rig_xy(rig_core(s, x1, y1));
}

// --- time ------------------------------------------------------------------------------
void rig_until(struct rig *s, const struct tile *tile, uint32_t offset, uint32_t value)
{
    for (int i = 0; i < PATIENCE; i++) {
        if (rig_credit(s, tile, offset) == value)
            return;
        assert_int_equal(ttdev_sleep_ns(s->t, 1000), 0);
        assert_string_equal(ttdev_fault(s->t, 0), "");
    }
    fail_msg("word 0x%X is %u and never becomes %u", offset, rig_credit(s, tile, offset),
             value);
}
void rig_pass(struct rig *s)
{
    assert_int_equal(ttdev_sleep_ns(s->t, 20000), 0);
}
void rig_set(struct rig *s, const struct tile *tile, uint32_t offset, uint32_t value)
{
    ttdev_core core = {TTDEV_LOGICAL, tile->logical};
    assert_int_equal(
        ttdev_l1_write(s->t, 0, core, s->buffers + offset, &value, sizeof value), 0);
}
void rig_add_completions(struct rig *s, uint32_t stream, uint32_t n)
{
    ttdev_core core = {TTDEV_LOGICAL, s->dispatcher->logical};
    uint32_t address =
        TT_STREAMS + stream * TT_STREAM_STRIDE + 4 * s->chip->layout->stream_update_word;
    assert_int_equal(ttdev_reg_write32(s->t, 0, core, address, n << TT_COMPLETION_SHIFT),
                     0);
}
uint32_t rig_completions(const struct rig *s, uint32_t stream)
{
    return s->dispatcher->completed[stream];
}

// --- commands --------------------------------------------------------------------------
void cmd_put(cmd *w, uint32_t word)
{
    vec_push(w, word);
}
void cmd_put_header(cmd *w, uint32_t w0, uint32_t w1, uint32_t w2, uint32_t w3)
{
    cmd_put(w, w0);
    cmd_put(w, w1);
    cmd_put(w, w2);
    cmd_put(w, w3);
}
void cmd_pad(cmd *w, uint32_t bytes)
{
    while (w->n * 4 % bytes)
        cmd_put(w, 0);
}
uint32_t cmd_pattern(uint32_t seed, uint32_t i)
{
    return (seed * 0x9E3779B9u) ^ (i * 0x85EBCA6Bu) ^ 0x5A5A5A5Au;
}
void cmd_put_bytes(cmd *w, uint32_t seed, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes / 4; i++)
        cmd_put(w, cmd_pattern(seed, i));
    cmd_pad(w, TT_COMMAND_BYTES);
}
void assert_pattern(const struct tile *tile, uint32_t address, uint32_t seed,
                    uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes / 4; i++)
        if (rig_word(tile, address + 4 * i) != cmd_pattern(seed, i))
            fail_msg("core %d,%d: word %u at 0x%X differs", tile->logical.x,
                     tile->logical.y, i, address);
}

static void put_into_buffer(struct rig *s, uint32_t buffer, uint32_t bytes, uint32_t at,
                            const void *data, size_t n)
{
    ttdev_core core = {TTDEV_LOGICAL, s->dispatcher->logical};
    at %= bytes;
    size_t part = n < bytes - at ? n : bytes - at;
    assert_int_equal(ttdev_l1_write(s->t, 0, core, s->buffers + buffer + at, data, part),
                     0);
    assert_int_equal(ttdev_l1_write(s->t, 0, core, s->buffers + buffer,
                                    (const uint8_t *)data + part, n - part),
                     0);
}

void rig_put(struct rig *s, const cmd *command, uint32_t from, uint32_t bytes)
{
    put_into_buffer(s, TT_DISPATCH_BUFFER, s->size.pages * TT_DISPATCH_PAGE,
                    s->taken * TT_DISPATCH_PAGE + from, (const uint8_t *)command->v + from,
                    bytes);
}
void rig_count(struct rig *s, uint32_t pages)
{
    rig_set(s, s->dispatcher, TT_DISPATCH_READY, s->taken + pages);
}
void rig_send(struct rig *s, cmd *command)
{
    uint32_t bytes = (uint32_t)command->n * 4;
    uint32_t pages = (bytes + TT_DISPATCH_PAGE - 1) / TT_DISPATCH_PAGE;
    rig_put(s, command, 0, bytes);
    rig_count(s, pages);
    s->taken += pages;
    vec_free(command);
}
void rig_send_go(struct rig *s, cmd *command)
{
    put_into_buffer(s, TT_DISPATCH_GO_BUFFER, s->size.go_pages * TT_DISPATCH_GO_PAGE,
                    s->go_taken * TT_DISPATCH_GO_PAGE, command->v, command->n * 4);
    rig_set(s, s->dispatcher, TT_DISPATCH_GO_READY, ++s->go_taken);
    vec_free(command);
}

// --- the queue -------------------------------------------------------------------------
void cmd_relay(cmd *entry, uint32_t id, uint32_t target, cmd *command)
{
    uint32_t bytes = (uint32_t)command->n * 4;
    uint32_t stride = (TT_COMMAND_BYTES + bytes + 15) & ~15u;
    cmd_put_header(entry, tt_command(id, target, 0), bytes, stride, 0);
    for (size_t i = 0; i < command->n; i++)
        cmd_put(entry, command->v[i]);
    cmd_pad(entry, TT_COMMAND_BYTES);
    vec_free(command);
}

// Until the queue word is free and the entry does not overwrite one that is still to be
// read.
static void wait_for_place(struct rig *s, uint32_t bytes)
{
    rig_until(s, s->prefetcher, TT_PREFETCH_QUEUE + 4 * s->queue_at, 0);
    for (int i = 0; i < PATIENCE; i++) {
        uint32_t consumed = rig_credit(s, s->prefetcher, TT_PREFETCH_CONSUMED);
        if (s->issued + bytes - consumed <= s->size.issue_bytes)
            return;
        assert_int_equal(ttdev_sleep_ns(s->t, 1000), 0);
    }
    fail_msg("the prefetcher does not read on");
}

void rig_enqueue(struct rig *s, cmd *entry, uint32_t flags)
{
    cmd_pad(entry, TT_ENTRY_ALIGN);
    uint32_t bytes = (uint32_t)entry->n * 4;
    if (s->issue_at + bytes > s->size.issue_bytes) {
        s->issued += s->size.issue_bytes - s->issue_at;
        s->issue_at = 0;
    }
    wait_for_place(s, bytes);
    assert_true(pcie_host_write(s->chip, 0, s->issue_at, entry->v, bytes));
    rig_set(s, s->prefetcher, TT_PREFETCH_QUEUE + 4 * s->queue_at,
            bytes / TT_ENTRY_UNIT | flags);
    s->issue_at += bytes;
    s->issued += bytes;
    s->queue_at = (s->queue_at + 1) % s->size.entries;
    s->entries++;
    vec_free(entry);
}

void rig_expect_fault(struct rig *s, const char *text)
{
    int error = ttdev_wait(s->t, 0, 1000000);
    if (error != -EFAULT || !strstr(ttdev_fault(s->t, 0), text))
        fail_msg("%d: expected '%s', got '%s'", error, text, ttdev_fault(s->t, 0));
}
