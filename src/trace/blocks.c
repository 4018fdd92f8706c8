// blocks.c - turns the files of processes into processes and tracks on one axis.
#include "trace/blocks.h"

#include <stdlib.h>

#include "base/file/mapping.h"

#include "trace/diags.h"

void trace_blocks_start(struct trace *r, const char *folder)
{
    r->blocks = mem_alloc(sizeof *r->blocks);
    r->blocks->first_track = (uint32_t)r->tracks.n;
    r->blocks->first_site = (uint32_t)r->sites.n;
    r->folder = arena_str(&r->arena, str_of(folder)).p;
    (void)map_put(&r->strings, S(""));
    // The first site is for everything missing from a damaged table.
    uint32_t unknown = map_put(&r->strings, S("???"));
    (void)host_site(
        r, (struct trace_site){.name = unknown, .function = unknown, .file = unknown});
}

static int by_start(const void *a, const void *b)
{
    const struct host_files *x = a, *y = b;
    if (x->head.start_ns != y->head.start_ns)
        return x->head.start_ns < y->head.start_ns ? -1 : 1;
    if (x->head.pid != y->head.pid)
        return x->head.pid < y->head.pid ? -1 : 1;
    return strcmp(x->name, y->name);
}

static uint64_t first_recorded(const struct trace *r)
{
    uint64_t first = UINT64_MAX;
    for (size_t i = 0; i < r->blocks->files.n; i++) {
        const struct host_files *f = &r->blocks->files.v[i];
        // 0: killed before it recorded anything.
        if (f->head.start_ns && f->head.start_ns < first)
            first = f->head.start_ns;
    }
    return first;
}

// If only Tracy clients were captured, the axis begins with the first of them, so that the
// times of a single one are those of its file. Else it begins with the first process.
static void find_origin(struct trace *r)
{
    const struct process_log *l = &r->log;
    uint64_t first = first_recorded(r);
    bool is_captured = first == UINT64_MAX && l->captures.n;
    for (size_t i = 0; is_captured && i < l->captures.n; i++)
        if (l->captures.v[i].begin_ns < first)
            first = l->captures.v[i].begin_ns;
    for (size_t i = 0; !is_captured && i < l->processes.n; i++)
        if (l->processes.v[i].start_ns < first)
            first = l->processes.v[i].start_ns;
    r->origin_ns = first == UINT64_MAX ? 0 : first;
}

static uint64_t on_axis(const struct trace *r, uint64_t ns)
{
    return ns > r->origin_ns ? ns - r->origin_ns : 0;
}

static void add_process(struct trace *r, struct host_files *f)
{
    f->process = (uint32_t)r->processes.n;
    struct trace_process p = {.pid = f->head.pid,
                              .parent_pid = f->head.parent_pid,
                              .birth = f->head.birth,
                              .log = process_log_find(&r->log, f->head.pid, f->head.birth),
                              .program = f->program,
                              .arguments = f->arguments,
                              .start_ns = on_axis(r, f->head.start_ns),
                              .has_ended = f->head.is_over || f->head.end_ns,
                              .stream_error = (int)f->head.stream_error,
                              .ring_error = (int)f->head.ring_error,
                              .lost = f->head.lost};
    if (p.log == PROCESS_NONE)
        p.log = TRACE_NONE;
    for (size_t i = 0; i < f->clocks.n; i++) {
        const struct host_clock *c = &f->clocks.v[i];
        if (c->worst_pair > p.clock_error_ns)
            p.clock_error_ns = c->worst_pair;
        if (c->kind == TT_CLOCK_VIRTUAL)
            p.clock = PROCESS_CLOCK_VIRTUAL;
        else if (host_clock_is_program(c) && p.clock == PROCESS_CLOCK_REAL)
            p.clock = PROCESS_CLOCK_PROGRAM;
    }
    vec_push(&r->processes, p);
}

// When a process is last known to have lived, on CLOCK_MONOTONIC; 0: unknown. Another
// program in the same process also ends it.
static uint64_t known_end(const struct trace *r, const struct host_files *f)
{
    const struct trace_process *p = &r->processes.v[f->process];
    uint64_t end = f->head.end_ns;
    if (!end && p->log != TRACE_NONE)
        end = r->log.processes.v[p->log].end_ns;
    return f->next_ns && f->next_ns < end ? f->next_ns : end;
}

static int by_life(const void *a, const void *b)
{
    const struct tt_table *x = &(*(struct host_files *const *)a)->head;
    const struct tt_table *y = &(*(struct host_files *const *)b)->head;
    if (x->pid != y->pid)
        return x->pid < y->pid ? -1 : 1;
    if (x->birth != y->birth)
        return x->birth < y->birth ? -1 : 1;
    return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

// When the next program of the same process began to record.
static void find_next(struct trace *r)
{
    size_t n = r->blocks->files.n;
    struct host_files **all = push_many(&r->arena, struct host_files *, n);
    for (size_t i = 0; i < n; i++)
        all[i] = &r->blocks->files.v[i];
    if (n)
        qsort(all, n, sizeof *all, by_life);
    for (size_t i = 0; i + 1 < n; i++) {
        const struct tt_table *x = &all[i]->head, *y = &all[i + 1]->head;
        if (x->pid == y->pid && x->birth == y->birth && y->start_ns > x->start_ns)
            all[i]->next_ns = y->start_ns;
    }
}

// A program's own clock cannot be compared with the process's end on CLOCK_MONOTONIC.
static void find_end(struct trace *r, struct host_files *f)
{
    struct trace_process *p = &r->processes.v[f->process];
    uint64_t last = p->start_ns;
    for (size_t i = 0; i < p->tracks.n; i++)
        if (r->tracks.v[p->tracks.v[i]].end_ns > last)
            last = r->tracks.v[p->tracks.v[i]].end_ns;
    uint64_t end = on_axis(r, known_end(r, f));
    f->last = end > last && p->clock == PROCESS_CLOCK_REAL ? end : last;
    p->end_ns = end > last ? end : last;
    if (p->end_ns > r->end_ns)
        r->end_ns = p->end_ns;
    for (size_t i = 1; i < f->threads.n && p->clock == PROCESS_CLOCK_REAL; i++)
        if (f->threads.v[i].is_known && f->threads.v[i].end_ns)
            host_inner(r, f->threads.v[i].track)->last = on_axis(r, f->threads.v[i].end_ns);
}

// What shares of times relate to: the end of the run, but by the processes' own clocks.
// Where none has one of its own that includes processes that recorded nothing.
static void find_own_end(struct trace *r)
{
    bool is_real = true;
    uint64_t end = 0;
    for (size_t i = 0; i < r->blocks->files.n; i++) {
        const struct host_files *f = &r->blocks->files.v[i];
        if (f->process == TRACE_NONE)
            continue;
        is_real &= r->processes.v[f->process].clock == PROCESS_CLOCK_REAL;
        end = f->last > end ? f->last : end;
    }
    r->own_end_ns = is_real ? r->end_ns : end;
}

void trace_blocks_finish(struct trace *r)
{
    struct trace_blocks *in = r->blocks;
    if (in->files.n)
        qsort(in->files.v, in->files.n, sizeof *in->files.v, by_start);
    find_origin(r);
    for (size_t i = 0; i < in->files.n; i++) {
        struct host_files *f = &in->files.v[i];
        // A ring without a table: the process was killed while creating its files.
        if (!f->head.magic)
            continue;
        host_table_read(r, f);
        add_process(r, f);
    }
    find_next(r);
    host_tracks_make(r);
    host_totals_compare(r);
    for (size_t i = 0; i < in->files.n; i++)
        if (in->files.v[i].process != TRACE_NONE)
            find_end(r, &in->files.v[i]);
    for (size_t i = 0; i < r->log.processes.n; i++)
        if (on_axis(r, r->log.processes.v[i].end_ns) > r->end_ns)
            r->end_ns = on_axis(r, r->log.processes.v[i].end_ns);
    find_own_end(r);
}

static void free_files(struct host_files *f)
{
    for (int i = 0; i < 2; i++)
        if (f->maps[i].n)
            mapping_free(f->maps[i]);
    for (size_t i = 0; f->chunks && i < f->threads.n; i++)
        vec_free(&f->chunks[i]);
    mem_free(f->chunks);
    vec_free(&f->rings);
    vec_free(&f->strings);
    vec_free(&f->locations);
    vec_free(&f->threads);
    vec_free(&f->clocks);
    vec_free(&f->pairs);
    map_free(&f->fibers);
    vec_free(&f->fiber_tracks);
}

void trace_blocks_free(struct trace_blocks *b)
{
    if (!b)
        return;
    for (size_t i = 0; i < b->files.n; i++)
        free_files(&b->files.v[i]);
    for (size_t i = 0; i < b->tracks.n; i++)
        vec_free(&b->tracks.v[i].pieces);
    vec_free(&b->files);
    vec_free(&b->tracks);
    map_free(&b->names);
    map_free(&b->places);
    file_close(&b->log_text);
    mem_free(b);
}

bool trace_program_time(const struct trace *r, uint32_t process, uint64_t ns,
                        int64_t *axis_ns)
{
    for (size_t i = 0; r->blocks && i < r->blocks->files.n; i++) {
        const struct host_files *f = &r->blocks->files.v[i];
        if (f->process != process)
            continue;
        for (size_t c = f->clocks.n; c-- > 1;) {
            const struct host_clock *clock = &f->clocks.v[c];
            if (!host_clock_is_program(clock))
                continue;
            int64_t since = (int64_t)(ns - clock->pieces[0].ticks);
            *axis_ns = (int64_t)(clock->pieces[0].ns - r->origin_ns) + since;
            return true;
        }
    }
    return false;
}
