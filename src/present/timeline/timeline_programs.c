// timeline_programs.c - a row per process of the run, children below their parents: the
// programs it ran, when, and how it ended.
#include "present/timeline/timeline_rows.h"

enum { INDENT_MOST = 6 };

struct process_walk {
    struct timeline_plan *plan;
    const struct process_log *log;
    uint32_t *first_child, *next; // by process: index + 1; 0 = none
    uint32_t group;
    struct map programs;   // by path
    VEC(uint32_t) site_of; // by id of the map
    struct buf text;
};

static uint64_t axis_of(const struct timeline_plan *p, uint64_t ns)
{
    uint64_t origin = p->page->trace->origin_ns;
    return ns > origin ? timeline_least(ns - origin, TIMELINE_TIME_MOST) : 0;
}

static uint32_t site_of(struct process_walk *w, str path)
{
    uint32_t id = map_put(&w->programs, path);
    if (id == w->site_of.n)
        vec_push(&w->site_of, timeline_add_site(w->plan, (struct timeline_site){
                                                             .name = str_base_name(path),
                                                             .file = path,
                                                             .line = SITE_NO_LINE}));
    return w->site_of.v[id];
}

// A process starts as a copy of its parent, before it executes a program.
static str program_before(const struct process_log *l, const struct process *p)
{
    for (uint32_t up = p->parent; up != PROCESS_NONE; up = l->processes.v[up].parent) {
        const struct process *parent = &l->processes.v[up];
        if (up >= l->processes.n || parent == p)
            break;
        for (size_t i = parent->programs.n; i-- > 0;)
            if (parent->programs.v[i].ns <= p->start_ns)
                return parent->programs.v[i].path;
    }
    return S("fork");
}

void timeline_put_end(struct buf *b, const struct process *p)
{
    switch (p->end) {
    case PROCESS_EXITED: buf_printf(b, "exited with %d", p->status); break;
    case PROCESS_SIGNALLED: buf_printf(b, "ended by signal %d", p->status); break;
    default: buf_z(b, "end unknown"); break;
    }
}

// A part of the life of a process in which it runs one program.
struct stretch {
    const struct process *process;
    const struct process_exec *program; // NULL: it is still a copy of its parent
    str path;
    uint64_t from, to;
    bool is_last;
};

// The command line; for the last program also how the process ended.
static uint32_t stretch_text(struct process_walk *w, const struct stretch *s)
{
    const struct process *p = s->process;
    struct buf *b = &w->text;
    b->n = 0;
    for (size_t i = 0; s->program && i < s->program->words.n; i++) {
        str word = s->program->words.v[i];
        buf_printf(b, "%s%.*s", i ? " " : "", STR(str_clip(word, TIMELINE_TEXT_MOST / 4)));
        if (b->n > TIMELINE_TEXT_MOST / 2)
            break;
    }
    buf_printf(b, "%spid %u", b->n ? "\n" : "", p->pid);
    if (p->rank >= 0)
        buf_printf(b, "\nrank %lld of %lld (%.*s)", (long long)p->rank, (long long)p->ranks,
                   STR(p->rank_from));
    if (s->is_last) {
        buf_char(b, '\n');
        timeline_put_end(b, p);
    }
    return timeline_text(w->plan, buf_view(b));
}

static void put_stretch(struct process_walk *w, const struct stretch *s)
{
    bool is_open = s->is_last && s->process->end_ns == 0;
    timeline_add_zone(
        w->plan,
        (struct timeline_zone){.start = axis_of(w->plan, s->from),
                               .end = is_open ? TIMELINE_NO_END : axis_of(w->plan, s->to),
                               .site = site_of(w, s->path),
                               .text = stretch_text(w, s),
                               .depth = is_open ? (uint8_t)ZONE_REPAIRED : 0});
}

static void put_process(struct process_walk *w, const struct process *p, unsigned depth)
{
    size_t n = p->programs.n;
    str before = program_before(w->log, p);
    str name = str_base_name(n ? p->programs.v[n - 1].path : before);
    unsigned indent = depth < INDENT_MOST ? depth : INDENT_MOST;
    (void)timeline_add_row(w->plan, w->group,
                           arena_printf(&w->plan->arena, "%*s%.*s %u", (int)(2 * indent),
                                        "", STR(str_clip(name, 100)), p->pid));
    const struct process_exec *programs = p->programs.v;
    if (n == 0 || programs[0].ns > p->start_ns)
        put_stretch(w, &(struct stretch){p, NULL, before, p->start_ns,
                                         n ? programs[0].ns : p->end_ns, n == 0});
    for (size_t i = 0; i < n; i++)
        put_stretch(w, &(struct stretch){p, &programs[i], programs[i].path, programs[i].ns,
                                         i + 1 < n ? programs[i + 1].ns : p->end_ns,
                                         i + 1 == n});
}

// Children in order of start, each followed by its own children.
static void link_children(struct process_walk *w)
{
    size_t n = w->log->processes.n;
    w->first_child = push_many(&w->plan->arena, uint32_t, n + 1); // [n]: of no parent
    w->next = push_many(&w->plan->arena, uint32_t, n + 1);
    for (uint32_t i = (uint32_t)n; i-- > 0;) {
        uint32_t parent = w->log->processes.v[i].parent;
        // A parent starts before its child; anything else could be a cycle.
        size_t at = parent < i ? parent : n;
        w->next[i] = w->first_child[at];
        w->first_child[at] = i + 1;
    }
}

static void put_tree(struct process_walk *w)
{
    struct place {
        uint32_t process; // + 1
        unsigned depth;
    };
    VEC(struct place) todo = {0};
    vec_push(&todo, (struct place){w->first_child[w->log->processes.n], 0});
    while (todo.n) {
        struct place at = todo.v[--todo.n];
        if (!at.process)
            continue;
        const struct process *p = &w->log->processes.v[at.process - 1];
        bool is_shown = timeline_has_process(w->plan, p->pid);
        if (is_shown)
            put_process(w, p, at.depth);
        vec_push(&todo, (struct place){w->next[at.process - 1], at.depth});
        vec_push(&todo,
                 (struct place){w->first_child[at.process - 1], at.depth + is_shown});
    }
    vec_free(&todo);
}

void timeline_add_programs(struct timeline_plan *p)
{
    struct process_walk w = {.plan = p, .log = &p->page->trace->log};
    size_t n = 0;
    for (size_t i = 0; i < w.log->processes.n; i++)
        n += timeline_has_process(p, w.log->processes.v[i].pid);
    if (!n)
        return;
    w.group = timeline_add_group(
        p, (struct timeline_group){
               .kind = TIMELINE_PROCESSES,
               .label = S("Processes"),
               .about = arena_printf(&p->arena, "%zu process%s", n, n == 1 ? "" : "es")});
    link_children(&w);
    put_tree(&w);
    map_free(&w.programs);
    vec_free(&w.site_of);
    buf_free(&w.text);
}
