// support.c - shared by the workloads: run state, programs, memory, ground truth.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ttprof/host.h"
#include "workloads/workloads.h"

enum { MOST_FAILURES = 20 }; // reported one by one

// --- the run ---

const struct workload_setting *workload_setting(const struct workload *w, int id)
{
    for (size_t i = 0; i < w->n_settings; i++)
        if ((int)w->settings[i].id == id)
            return &w->settings[i];
    return NULL;
}

// A grid that nobody asked for fits the device.
static void choose_grid(struct run *r)
{
    const ttdev_xy has = r->info.grid;
    for (int id = SETTING_GRID_X; id <= SETTING_GRID_Y; id++) {
        const struct workload_setting *s = workload_setting(r->workload, id);
        int64_t most = id == SETTING_GRID_X ? has.x : has.y;
        if (r->has_failed || !s || r->setting[id])
            continue;
        int64_t n = s->normal < most ? s->normal : most;
        while (r->workload->splits_evenly && s->normal % n)
            n--;
        r->setting[id] = n;
    }
}

void run_open(struct run *r, const struct workload *w, const ttdev_cfg *cfg)
{
    TTPROF_ZONE("CreateDevice");
    struct err e = {0};
    r->workload = w;
    r->cfg = *cfg;
    r->next_id = 1;
    if (ttdev_open(cfg, &r->t, &e) < 0)
        run_fail(r, "cannot open the device: %s", e.text);
    else if (ttdev_get_info(r->t, 0, &r->info) < 0)
        run_fail(r, "the device gives no information");
    r->dram_next = (uint32_t)r->info.dram_buffers;
    choose_grid(r);
    if (!r->has_failed && (r->setting[SETTING_GRID_X] > r->info.grid.x ||
                           r->setting[SETTING_GRID_Y] > r->info.grid.y))
        run_fail(r, "a grid of %lldx%lld cores does not fit: the device has %dx%d",
                 (long long)r->setting[SETTING_GRID_X],
                 (long long)r->setting[SETTING_GRID_Y], r->info.grid.x, r->info.grid.y);
}

void run_close(struct run *r)
{
    TTPROF_ZONE("CloseDevice");
    for (size_t i = 0; i < r->programs.n; i++)
        ttdev_program_free(r->programs.v[i]);
    if (r->t)
        ttdev_close(r->t);
    vec_free(&r->programs);
    buf_free(&r->failures);
    vec_free(&r->figures);
    vec_free(&r->spans);
    vec_free(&r->tiles);
    arena_free(&r->a);
}

static void note_failure(struct run *r, const char *fmt, va_list args)
{
    char text[2600];
    (void)vsnprintf(text, sizeof text, fmt, args);
    if (r->n_failures++ < MOST_FAILURES)
        buf_printf(&r->failures, "%s\n", text);
}

void run_fail(struct run *r, const char *fmt, ...)
{
    va_list args;
    if (r->has_failed)
        return;
    va_start(args, fmt);
    note_failure(r, fmt, args);
    va_end(args);
    r->has_failed = true;
}

bool run_check(struct run *r, bool passed, const char *fmt, ...)
{
    va_list args;
    if (r->has_failed)
        return false;
    r->n_checks++;
    if (!passed) {
        va_start(args, fmt);
        note_failure(r, fmt, args);
        va_end(args);
    }
    return passed;
}

bool run_is_profiled(const struct run *r)
{
    return r->cfg.variant != TTDEV_OFF;
}

void run_read(struct run *r)
{
    if (r->read && !r->has_failed)
        r->read(r->read_context);
}

void run_figure(struct run *r, const char *name, double value, int decimals,
                const char *unit)
{
    if (!r->has_failed)
        vec_push(&r->figures, (struct figure){name, unit, value, decimals});
}

// --- places ---

ttdev_range range_all(const struct run *r)
{
    return (ttdev_range){
        {0, 0}, {(int)r->setting[SETTING_GRID_X] - 1, (int)r->setting[SETTING_GRID_Y] - 1}};
}

ttdev_range range_one(int x, int y)
{
    return (ttdev_range){{x, y}, {x, y}};
}

ttdev_range range_eth(int channel)
{
    return range_one(channel, 0);
}

int grid_cores(const struct run *r)
{
    return (int)(r->setting[SETTING_GRID_X] * r->setting[SETTING_GRID_Y]);
}

ttdev_xy grid_at(const struct run *r, int index)
{
    int across = (int)r->setting[SETTING_GRID_X];
    return (ttdev_xy){index % across, index / across};
}

ttdev_xy virtual_at(struct run *r, int dev, ttdev_xy logical)
{
    ttdev_xy at = {0, 0};
    if (!r->has_failed &&
        ttdev_xlat(r->t, dev, logical, TTDEV_LOGICAL, TTDEV_VIRTUAL, &at) < 0)
        run_fail(r, "core %d,%d has no virtual position", logical.x, logical.y);
    return at;
}

// --- programs ---

static int checked(struct run *r, int rc, const char *what)
{
    if (rc < 0) {
        const char *why = ttdev_error(r->t);
        run_fail(r, "%s: %s", what, why && why[0] ? why : strerror(-rc));
    }
    return rc;
}

ttdev_program *work_program(struct run *r, const char *name)
{
    if (r->has_failed)
        return NULL;
    TTPROF_ZONE_AS(zone, "CreateProgram", 0);
    TTPROF_TEXT(zone, name, strlen(name));
    ttdev_program *p = ttdev_program_new(r->t, name);
    if (p)
        vec_push(&r->programs, p);
    else
        run_fail(r, "%s: no program", name);
    return p;
}

int work_kernel(struct run *r, ttdev_program *p, ttdev_range cores, int risc,
                const char *image, int noc)
{
    struct err e = {0};
    ttdev_image *found = NULL;
    if (r->has_failed)
        return -1;
    TTPROF_ZONE_AS(zone, "CreateKernel", 0);
    TTPROF_TEXT(zone, image, strlen(image));
    if (ttdev_image_find(r->t, image, risc, &found, &e) < 0) {
        run_fail(r, "kernel %s: %s", image, e.text);
        return -1;
    }
    return checked(r, ttdev_program_kernel(p, cores, risc, found, noc), image);
}

struct compute_kernel work_compute(struct run *r, ttdev_program *p, ttdev_range cores,
                                   const char *image)
{
    struct compute_kernel c;
    for (int i = 0; i < 3; i++)
        c.k[i] = work_kernel(r, p, cores, TT_TRISC0 + i, image, 0);
    return c;
}

void work_args(struct run *r, ttdev_program *p, int kernel, ttdev_range cores,
               const uint32_t *args, size_t n)
{
    if (!r->has_failed)
        (void)checked(r, ttdev_program_args(p, kernel, cores, args, n), "arguments");
}

void work_common(struct run *r, ttdev_program *p, int kernel, const uint32_t *args,
                 size_t n)
{
    if (!r->has_failed)
        (void)checked(r, ttdev_program_common_args(p, kernel, args, n), "arguments");
}

void work_compute_args(struct run *r, ttdev_program *p, struct compute_kernel c,
                       ttdev_range cores, const uint32_t *args, size_t n)
{
    for (int i = 0; i < 3; i++)
        work_args(r, p, c.k[i], cores, args, n);
}

uint32_t work_cb(struct run *r, ttdev_program *p, ttdev_range cores, int cb, uint32_t pages,
                 uint32_t page_bytes)
{
    uint32_t address = 0;
    if (!r->has_failed)
        (void)checked(r, ttdev_program_cb(p, cores, cb, pages, page_bytes, &address),
                      "circular buffer");
    return address;
}

uint32_t work_semaphore(struct run *r, ttdev_program *p, ttdev_range cores)
{
    int number = r->has_failed ? 0 : ttdev_program_sem(p, cores, 0);
    (void)checked(r, number, "semaphore");
    return number < 0 ? 0 : (uint32_t)number;
}

uint32_t work_scratch(struct run *r, ttdev_program *p)
{
    return r->has_failed ? 0 : (ttdev_program_l1_end(p) + 63) / 64 * 64;
}

void work_launch(struct run *r, int dev, ttdev_program *p, uint32_t id)
{
    if (r->has_failed)
        return;
    TTPROF_ZONE_AS(zone, "LaunchProgram", 0);
    TTPROF_TEXT(zone, ttdev_program_name(p), strlen(ttdev_program_name(p)));
    TTPROF_VALUE(zone, id);
    (void)checked(r, ttdev_launch(r->t, dev, p, id), "launch");
}

void work_wait(struct run *r, int dev)
{
    if (r->has_failed)
        return;
    TTPROF_ZONE("WaitProgramDone");
    int rc = ttdev_wait(r->t, dev, r->timeout_ns);
    if (rc >= 0)
        return;
    const char *fault = ttdev_fault(r->t, dev);
    if (fault && fault[0])
        run_fail(r, "%s", fault);
    else
        run_fail(r, "device %d is not done after %.3f ms of device time: %s", dev,
                 (double)r->timeout_ns / 1e6, strerror(-rc));
}

void work_run(struct run *r, ttdev_program *p)
{
    if (r->has_failed)
        return;
    TTPROF_ZONE_AS(zone, "RunProgram", 0);
    TTPROF_TEXT(zone, ttdev_program_name(p), strlen(ttdev_program_name(p)));
    TTPROF_VALUE(zone, r->next_id);
    work_launch(r, 0, p, r->next_id++);
    work_wait(r, 0);
}

// --- L1 ---

void work_l1_write(struct run *r, ttdev_xy core, uint32_t address, const void *data,
                   size_t n)
{
    TTPROF_ZONE("WriteToDeviceL1");
    ttdev_core at = {TTDEV_LOGICAL, core};
    if (!r->has_failed)
        (void)checked(r, ttdev_l1_write(r->t, 0, at, address, data, n), "L1 write");
}

void work_l1_read(struct run *r, ttdev_xy core, uint32_t address, void *data, size_t n)
{
    TTPROF_ZONE("ReadFromDeviceL1");
    ttdev_core at = {TTDEV_LOGICAL, core};
    memset(data, 0, n);
    if (!r->has_failed)
        (void)checked(r, ttdev_l1_read(r->t, 0, at, address, data, n), "L1 read");
}

void work_l1_clear(struct run *r, uint32_t address, size_t bytes)
{
    uint8_t *zero = mem_alloc(bytes);
    for (int i = 0; i < grid_cores(r); i++)
        work_l1_write(r, grid_at(r, i), address, zero, bytes);
    mem_free(zero);
}

// --- ground truth ---

static struct tile_run *tile_of(struct run *r, const ttdev_truth_event *e)
{
    for (size_t i = 0; i < r->tiles.n; i++) {
        struct tile_run *t = &r->tiles.v[i];
        if (t->dev == e->dev && t->x == e->x && t->y == e->y)
            return t;
    }
    vec_push(&r->tiles, (struct tile_run){.dev = e->dev, .x = e->x, .y = e->y});
    return &r->tiles.v[r->tiles.n - 1];
}

static void note_launch(struct run *r, const ttdev_truth_event *e)
{
    struct tile_run *t = tile_of(r, e);
    uint32_t id = (uint32_t)e->argument;
    t->id = id > t->highest ? id : 0;
    t->highest = id > t->highest ? id : t->highest;
}

static void watch(void *context, const ttdev_truth_event *e)
{
    struct run *r = context;
    if (r->hear && (r->hears_all || !e->is_dispatch))
        r->hear(r->hear_context, e);
    if (e->is_dispatch)
        return;
    if (e->kind == TTDEV_TRUTH_LAUNCH) {
        note_launch(r, e);
    } else if (e->kind == TTDEV_TRUTH_KERNEL_ENTRY) {
        vec_push(&r->spans, (struct span){.entry = e->cycle,
                                          .id = tile_of(r, e)->id,
                                          .entry_fs = e->true_fs,
                                          .dev = e->dev,
                                          .x = e->x,
                                          .y = e->y,
                                          .risc = e->risc});
    } else if (e->kind == TTDEV_TRUTH_KERNEL_EXIT) {
        for (size_t i = r->spans.n; i-- > 0;) {
            struct span *s = &r->spans.v[i];
            if (s->dev == e->dev && s->x == e->x && s->y == e->y && s->risc == e->risc) {
                s->exit = e->cycle;
                s->exit_fs = e->true_fs;
                break;
            }
        }
    } else if (e->kind == TTDEV_TRUTH_ENGINE_START && e->risc == TT_TRISC1) {
        r->math_busy -= e->cycle;
    } else if (e->kind == TTDEV_TRUTH_ENGINE_END && e->risc == TT_TRISC1) {
        r->math_busy += e->cycle;
    }
}

void run_watch(struct run *r)
{
    r->spans.n = r->tiles.n = 0;
    r->math_busy = 0;
    if (!r->has_failed)
        (void)checked(r, ttdev_truth(r->t, watch, r), "ground truth");
}

void run_unwatch(struct run *r)
{
    if (!r->has_failed)
        (void)checked(r, ttdev_truth(r->t, r->hears_all ? r->hear : NULL, r->hear_context),
                      "ground truth");
}

// Id 0: all runs; else on device 0, because each chip has its own clock.
static uint64_t cycles_of(const struct run *r, uint32_t id)
{
    uint64_t first = UINT64_MAX, last = 0;
    for (size_t i = 0; i < r->spans.n; i++) {
        if (id && (r->spans.v[i].id != id || r->spans.v[i].dev != 0))
            continue;
        if (r->spans.v[i].entry < first)
            first = r->spans.v[i].entry;
        if (r->spans.v[i].exit > last)
            last = r->spans.v[i].exit;
    }
    return last > first ? last - first : 0;
}

uint64_t spans_cycles(const struct run *r)
{
    return cycles_of(r, 0);
}

uint64_t run_cycles(const struct run *r, uint32_t id)
{
    return cycles_of(r, id);
}

size_t spans_of(const struct run *r, int risc)
{
    size_t n = 0;
    for (size_t i = 0; i < r->spans.n; i++)
        n += r->spans.v[i].risc == risc;
    return n;
}
