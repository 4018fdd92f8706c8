// timeline_processes.c - the processes of a run as a table below the timeline.
#include "present/timeline/timeline_rows.h"

struct process_row {
    uint32_t pid, parent;
    str program, end;
    int64_t rank;             // CELL_UNKNOWN: none
    double start_ms, life_ms; // life below 0: not known
    uint64_t threads, events, lost;
};

GETTER(get_life)
{
    const struct process_row *p = r->data;
    return p->life_ms < 0 ? cell_none() : at_real(c, r);
}

static const struct column columns[] = {
    // clang-format off
    {.name = "PID", .type = CELL_INT, .has_no_commas = true, .get = at_u32, MEMBER(struct process_row, pid)},
    {.name = "Parent", .type = CELL_INT, .has_no_commas = true, .get = at_u32, MEMBER(struct process_row, parent)},
    {.name = "Program", .type = CELL_TEXT, .is_left = true, .get = at_text, MEMBER(struct process_row, program)},
    {.name = "Rank", .type = CELL_INT, .get = at_known, MEMBER(struct process_row, rank)},
    {.name = "Start ms", .type = CELL_REAL, .decimals = 3, .get = at_real, MEMBER(struct process_row, start_ms)},
    {.name = "Lifetime ms", .type = CELL_REAL, .decimals = 3, .get = get_life, MEMBER(struct process_row, life_ms)},
    {.name = "End", .type = CELL_TEXT, .is_left = true, .get = at_text, MEMBER(struct process_row, end)},
    {.name = "Threads", .type = CELL_INT, .get = at_u64, MEMBER(struct process_row, threads)},
    {.name = "Events", .type = CELL_INT, .get = at_u64, MEMBER(struct process_row, events)},
    {.name = "Lost", .type = CELL_INT, .get = at_u64, MEMBER(struct process_row, lost)},
    // clang-format on
};

static void add_recorded(const struct trace *t, struct process_row *row,
                         const struct trace_process *p)
{
    row->threads += p->tracks.n;
    for (size_t i = 0; i < p->tracks.n; i++) {
        const struct trace_track *track = &t->tracks.v[p->tracks.v[i]];
        row->events += track->n_events;
        for (int k = 0; k < TT_LOSSES; k++)
            row->lost += track->lost[k];
    }
}

static struct process_row logged_row(struct timeline_plan *plan, const struct process *p)
{
    const struct trace *t = plan->page->trace;
    size_t n = p->programs.n;
    struct buf end = {0};
    timeline_put_end(&end, p);
    struct process_row row = {
        .pid = p->pid,
        .parent = p->parent == PROCESS_NONE ? 0 : t->log.processes.v[p->parent].pid,
        .program = timeline_clean(plan, n ? p->programs.v[n - 1].path : S("(fork)"),
                                  TIMELINE_TEXT_MOST),
        .rank = p->rank < 0 ? CELL_UNKNOWN : p->rank,
        .start_ms = ((double)p->start_ns - (double)t->origin_ns) / 1e6,
        .life_ms = p->end_ns ? ((double)p->end_ns - (double)p->start_ns) / 1e6 : -1,
        .end = arena_str(&plan->arena, buf_view(&end)),
    };
    buf_free(&end);
    return row;
}

// A process that recorded but is not in the log: it ran without `ttprof run`.
static struct process_row unlogged_row(struct timeline_plan *plan,
                                       const struct trace_process *p)
{
    return (struct process_row){
        .pid = p->pid,
        .parent = p->parent_pid,
        .program = timeline_clean(plan, timeline_process_name(plan->page->trace, p),
                                  TIMELINE_TEXT_MOST),
        .rank = CELL_UNKNOWN,
        .start_ms = (double)p->start_ns / 1e6,
        .life_ms = ((double)p->end_ns - (double)p->start_ns) / 1e6,
        .end = p->has_ended ? S("ended") : S("end unknown"),
    };
}

struct table timeline_process_table(struct timeline_plan *plan)
{
    const struct trace *t = plan->page->trace;
    size_t n = 0, most = t->log.processes.n + t->processes.n;
    struct process_row *rows = push_many(&plan->arena, struct process_row, most + 1);
    uint32_t *row_of_log = push_many(&plan->arena, uint32_t, t->log.processes.n + 1);
    for (size_t i = 0; i < t->log.processes.n; i++) {
        row_of_log[i] = UINT32_MAX;
        if (!timeline_has_process(plan, t->log.processes.v[i].pid))
            continue;
        row_of_log[i] = (uint32_t)n;
        rows[n++] = logged_row(plan, &t->log.processes.v[i]);
    }
    for (size_t i = 0; i < t->processes.n; i++) {
        const struct trace_process *p = &t->processes.v[i];
        if (!timeline_has_process(plan, p->pid))
            continue;
        uint32_t row = p->log == TRACE_NONE ? UINT32_MAX : row_of_log[p->log];
        if (row == UINT32_MAX) {
            row = (uint32_t)n;
            rows[n++] = unlogged_row(plan, p);
        }
        add_recorded(t, &rows[row], p);
    }
    return (struct table){.id = "processes",
                          .title = "Processes",
                          .columns = columns,
                          .n_columns = sizeof columns / sizeof *columns,
                          .rows = rows,
                          .row_bytes = sizeof *rows,
                          .n_rows = n};
}
