// tracy_trace.c - sites, the process, and its threads and fibers.
#include "formats/tracy/tracy_trace.h"

#include <stddef.h>

#include "formats/diags.h"
#include "formats/tracy/tracy_trace_parts.h"
#include "trace/blocks.h"

// A pile of zones is used as it is.
_Static_assert(sizeof(struct tracy_zone) == sizeof(struct tree_zone), "same layout");
#define SAME(field)                                                                        \
    _Static_assert(offsetof(struct tracy_zone, field) ==                                   \
                       offsetof(struct tree_zone, field),                                  \
                   "same layout")
SAME(start);
SAME(end);
SAME(extra);
SAME(children);
SAME(place);

// --- texts and places ------------------------------------------------------------------

uint32_t tracy_key_string(struct tracy_making *m, uint64_t key)
{
    return key ? trace_put_text(m->t, tracy_keyed_text(m->from, key)) : 0;
}

static str text_of(const struct tracy *from, uint32_t text_plus_1)
{
    return text_plus_1 ? tracy_string(from, text_plus_1 - 1) : (str){0};
}

static struct zone_said said(const void *owner, uint32_t extra)
{
    const struct tracy *from = owner;
    if (extra >= from->extras.n)
        return (struct zone_said){0};
    const struct tracy_extra *x = pile_at(&from->extras, extra);
    return (struct zone_said){.text = text_of(from, x->text),
                              .name = text_of(from, x->name),
                              .colour = x->colour};
}

// Each place of a file is a site of its own, even if two are equal: the reference lists
// both. In a run equal places of all processes are one.
static uint32_t add_site(struct tracy_making *m, int32_t place)
{
    const struct tracy_place *p = tracy_place_of(m->from, place);
    uint32_t function = trace_put_text(m->t, tracy_ref_text(m->from, p->function));
    struct trace_site site = {
        .name = p->name.is_set ? trace_put_text(m->t, tracy_ref_text(m->from, p->name))
                               : function,
        .function = function,
        .file = trace_put_text(m->t, tracy_ref_text(m->from, p->file)),
        .line = p->line,
        .colour = p->colour};
    if (m->t->blocks)
        return host_site(m->t, site);
    vec_push(&m->t->sites, site);
    return (uint32_t)m->t->sites.n - 1;
}

static void add_sites(struct tracy_making *m)
{
    struct trace_trees *trees = m->trees;
    size_t made = m->from->made_places.n, n = made + m->from->places.n;
    uint32_t *sites = push_many(&m->t->arena, uint32_t, n);
    for (size_t i = 0; i < n; i++)
        sites[i] = add_site(m, (int32_t)((int64_t)i - (int64_t)made));
    trees->sites = sites;
    trees->n_sites = n;
    trees->n_made = (int64_t)made;
}

// --- threads ---------------------------------------------------------------------------

void tracy_ids_put(struct tracy_ids *v, const uint64_t *id, uint32_t number)
{
    if (map_put(&v->ids, (str){(const char *)id, sizeof *id}) == v->numbers.n)
        vec_push(&v->numbers, number);
}

uint32_t tracy_ids_get(const struct tracy_ids *v, uint64_t id)
{
    uint32_t at = map_get(&v->ids, (str){(const char *)&id, sizeof id});
    return at < v->numbers.n ? v->numbers.v[at] : MAP_NONE;
}

void tracy_ids_free(struct tracy_ids *v)
{
    map_free(&v->ids);
    vec_free(&v->numbers);
}

struct trace_tree *tracy_trace_track(struct tracy_making *m, struct trace_track track,
                                     const struct pile *zones)
{
    struct trace_trees *trees = m->trees;
    if (zones && zones->n) {
        int64_t start = tree_zone_at(trees, zones, 0).start;
        track.start_ns = start > 0 ? (uint64_t)start : 0;
        track.n_events = 2 * zones->n;
    }
    track.end_ns = m->end_ns;
    track.process = m->process;
    track.trees = (uint32_t)m->t->trees.n;
    vec_push(&m->t->processes.v[m->process].tracks, (uint32_t)m->t->tracks.n);
    vec_push(&m->t->tracks, track);
    vec_push(&trees->tracks, (struct trace_tree){
                                 .zones = zones,
                                 .own_zones = pile_of(sizeof(struct tree_zone)),
                                 .events = pile_of(sizeof(struct trace_event)),
                                 .last = m->end_ns,
                             });
    return &trees->tracks.v[trees->tracks.n - 1];
}

// Thread numbers of csvexport: those of the trace, then the threads without one.
static uint32_t *number_threads(const struct tracy *from, struct arena *a)
{
    uint32_t *numbers = push_many(a, uint32_t, from->threads.n);
    uint32_t next = from->threads_used.n ? (uint32_t)from->threads_used.n : 1;
    struct tracy_ids used = {0};
    for (size_t i = 0; i < from->threads_used.n; i++)
        tracy_ids_put(&used, &from->threads_used.v[i], (uint32_t)i);
    for (size_t i = 0; i < from->threads.n; i++) {
        uint32_t number = tracy_ids_get(&used, from->threads.v[i].id);
        numbers[i] = number == MAP_NONE ? next++ : number;
    }
    tracy_ids_free(&used);
    return numbers;
}

static void add_threads(struct tracy_making *m)
{
    const struct tracy *from = m->from;
    const uint32_t *numbers = number_threads(from, &m->t->arena);
    for (size_t i = 0; i < from->threads.n; i++) {
        const struct tracy_thread *thread = &from->threads.v[i];
        tracy_ids_put(&m->threads, &thread->id, (uint32_t)i);
        struct trace_track track = {
            .kind = thread->is_fiber ? TRACK_FIBER : TRACK_THREAD,
            .tid = (uint32_t)thread->id,
            .serial = (uint32_t)i + 1,
            // Others count from 0, too.
            .number = m->in_run && !m->in_run->is_alone ? 0 : numbers[i] + 1,
            .name = trace_put_text(m->t, tracy_thread_name(from, thread->id))};
        (void)tracy_trace_track(m, track, &thread->zones);
    }
    // Frames and plots need a track.
    if (!from->threads.n && (from->plots.n || from->frame_sets.n))
        (void)tracy_trace_track(m, (struct trace_track){.kind = TRACK_THREAD, .serial = 1},
                                NULL);
}

static void add_process(struct tracy_making *m)
{
    struct trace *t = m->t;
    struct trace_process p = {.pid = (uint32_t)m->from->pid,
                              .log = TRACE_NONE,
                              .program = trace_put_text(t, m->from->program),
                              .start_ns = m->trees->begin_ns,
                              .end_ns = m->end_ns,
                              .has_ended = true,
                              .is_captured = true,
                              .clock_error_ns = (double)m->from->resolution};
    if (m->in_run) {
        p.log = m->in_run->log;
        p.clock = m->in_run->clock;
        p.clock_error_ns += m->in_run->error_ns;
    }
    const struct process *log = p.log == TRACE_NONE ? NULL : &t->log.processes.v[p.log];
    if (log) {
        p.birth = log->birth;
        p.parent_pid =
            log->parent == PROCESS_NONE ? 0 : t->log.processes.v[log->parent].pid;
    }
    m->process = (uint32_t)t->processes.n;
    vec_push(&t->processes, p);
}

// --- what has no place -----------------------------------------------------------------

static void count_left_out(struct tracy_making *m)
{
    const struct tracy *from = m->from;
    uint64_t switches = from->n_cpu_switches, samples = 0;
    for (size_t i = 0; i < from->switches.n; i++)
        switches += from->switches.v[i].switches.n;
    for (size_t i = 0; i < from->threads.n; i++)
        samples += from->threads.v[i].samples.n;
    const struct {
        const char *what;
        uint64_t n;
    } parts[] = {{"callstacks", from->stacks.n},   {"samples", samples},
                 {"frame images", from->images.n}, {"context switches", switches},
                 {"symbols", from->symbols.n},     {"source files", from->source_files.n}};
    struct buf all = {0};
    struct diag_entry *d = &m->t->diag.entry[DIAG_TRACY_LEFT_OUT];
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        d->count += parts[i].n;
        if (parts[i].n)
            buf_printf(&all, "%s%llu %s", all.n ? ", " : "", (unsigned long long)parts[i].n,
                       parts[i].what);
    }
    if (all.n)
        diag_note(&m->t->diag, DIAG_TRACY_LEFT_OUT, "%.*s", STR(all));
    buf_free(&all);
}

// --- all -------------------------------------------------------------------------------

static void free_contents(void *owner)
{
    tracy_free(owner);
    mem_free(owner);
}

void tracy_trace(struct trace *t, struct tracy *contents, const char *path,
                 const struct tracy_in_run *in_run)
{
    struct tracy *own = mem_alloc(sizeof *own);
    *own = *contents;
    *contents = (struct tracy){0};
    struct trace_trees *trees = trace_trees_start(t);
    struct tracy_making m = {.t = t, .from = own, .trees = trees, .in_run = in_run};
    trees->begin_ns = in_run ? in_run->begin_ns : 0;
    trees->owner = own;
    trees->free_owner = free_contents;
    trees->said = said;
    if (!t->path && !t->folder)
        t->path = arena_str(&t->arena, str_of(path)).p;
    diag_add(&t->diag, &own->diag);
    m.end_ns = trees->begin_ns + (own->last_time > 0 ? (uint64_t)own->last_time : 0);
    t->end_ns = m.end_ns > t->end_ns ? m.end_ns : t->end_ns;
    t->own_end_ns = m.end_ns > t->own_end_ns ? m.end_ns : t->own_end_ns;
    add_sites(&m);
    add_process(&m);
    add_threads(&m);
    tracy_trace_events(&m);
    tracy_trace_lanes(&m);
    count_left_out(&m);
    tracy_ids_free(&m.threads);
}

const struct tracy *tracy_of_trees(const struct trace_trees *trees)
{
    return trees->said == said ? trees->owner : NULL;
}

const struct tracy *tracy_of_trace(const struct trace *t)
{
    bool is_alone = !t->blocks && t->trees.n == 1;
    return is_alone ? tracy_of_trees(t->trees.v[0]) : NULL;
}
