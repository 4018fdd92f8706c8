// flame_names.c - names of frames, and folded stacks.
#include "present/reports/flame_names.h"

#include <stdlib.h>

#include "present/timeline/timeline_rows.h"

static str process_name(const struct trace *r, const struct trace_process *p,
                        struct arena *a)
{
    str program = timeline_process_name(r, p);
    int64_t rank = p->log == TRACE_NONE ? -1 : r->log.processes.v[p->log].rank;
    return rank < 0 ? program
                    : arena_printf(a, "rank %lld: %.*s", (long long)rank, STR(program));
}

static str thread_name(const struct trace *r, const struct trace_track *t, struct arena *a)
{
    str name = trace_text(r, t->name);
    return name.n ? name : arena_printf(a, "thread %u", t->tid);
}

static str zone_name(const struct trace *r, const struct trace_site *s)
{
    str name = trace_text(r, s->name);
    return name.n ? name : trace_text(r, s->function);
}

str flame_name(const struct trace *r, const struct flame_frame *f, struct arena *a)
{
    str name = S("all");
    if (f->kind == FLAME_PROCESS)
        name = process_name(r, &r->processes.v[f->id], a);
    else if (f->kind == FLAME_THREAD)
        name = thread_name(r, &r->tracks.v[f->id], a);
    else if (f->kind == FLAME_ZONE)
        name = zone_name(r, &r->sites.v[f->id]);
    return name.n ? name : S("?");
}

// --- folded stacks ---------------------------------------------------------------------
struct stack_line {
    str text;
    uint64_t self;
};

static int by_text(const void *a, const void *b)
{
    const struct stack_line *x = a, *y = b;
    return str_cmp(x->text, y->text);
}

// Separators of the format are not part of a name.
static void put_name(struct buf *path, str name)
{
    for (size_t i = 0; i < name.n; i++) {
        char c = name.p[i];
        buf_char(path, c == ';' ? ':' : c == '\n' || c == '\r' || c == '\t' ? ' ' : c);
    }
}

// Room for where the names of the parents end in a path, by depth; 0 for all.
static size_t *ends_of_parents(const struct host_flame *flame)
{
    uint32_t deepest = 0;
    for (size_t i = 0; i < flame->frames.n; i++)
        if (flame->frames.v[i].depth > deepest)
            deepest = flame->frames.v[i].depth;
    return mem_alloc(mem_bytes(sizeof(size_t), (size_t)deepest + 1));
}

void flame_folded(const struct trace *r, const struct host_flame *flame, struct buf *b)
{
    struct arena a = {0};
    struct buf path = {0};
    size_t *ends = ends_of_parents(flame);
    VEC(struct stack_line) lines = {0};
    for (size_t i = 0; i < flame->frames.n; i++) {
        const struct flame_frame *f = &flame->frames.v[i];
        if (f->kind == FLAME_ALL)
            continue;
        path.n = ends[f->depth - 1];
        if (path.n)
            buf_char(&path, ';');
        put_name(&path, flame_name(r, f, &a));
        ends[f->depth] = path.n;
        if (f->self)
            vec_push(&lines,
                     (struct stack_line){arena_str(&a, (str){path.p, path.n}), f->self});
    }
    if (lines.n)
        qsort(lines.v, lines.n, sizeof *lines.v, by_text);
    for (size_t i = 0; i < lines.n;) {
        uint64_t self = 0;
        size_t first = i;
        while (i < lines.n && by_text(&lines.v[first], &lines.v[i]) == 0)
            self += lines.v[i++].self;
        buf_utf8(b, lines.v[first].text);
        buf_printf(b, " %llu\n", (unsigned long long)self);
    }
    vec_free(&lines);
    mem_free(ends);
    buf_free(&path);
    arena_free(&a);
}
