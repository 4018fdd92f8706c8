// run_timeline.c - puts the parts of a run's page together and writes it.
#include "present/timeline/run_timeline.h"

#include <stdlib.h>

#include "base/data/sort.h"

#include "present/timeline/run_rows.h"
#include "present/timeline/timeline_plan.h"

static int by_time(const void *a, const void *b)
{
    const struct timeline_mark *x = a, *y = b;
    SORT_BY(x, y, time);
    SORT_BY(x, y, track);
    return 0;
}

static int by_start(const void *a, const void *b)
{
    const struct timeline_frame *x = a, *y = b;
    SORT_BY(x, y, device);
    SORT_BY(x, y, start);
    SORT_BY(x, y, end);
    return 0;
}

// The columns become those of the trace, which frees them.
static void give_zones(struct run_rows *r)
{
    struct trace_zones *z = &r->trace.zones;
    *z = (struct trace_zones){r->starts.v, r->ends.v,   r->sites.v,
                              r->runs.v,   r->depths.v, r->starts.n};
    r->starts.v = r->ends.v = NULL;
    r->sites.v = r->runs.v = NULL;
    r->depths.v = NULL;
}

static struct timeline_run describe(struct run_rows *r)
{
    if (r->marks.n)
        qsort(r->marks.v, r->marks.n, sizeof *r->marks.v, by_time);
    if (r->frames.n)
        qsort(r->frames.v, r->frames.n, sizeof *r->frames.v, by_start);
    uint64_t end = r->in->host ? r->in->host->end_ns : 0;
    uint64_t span = timeline_most(timeline_most(r->span, end), 1);
    return (struct timeline_run){.span = timeline_least(span, TIMELINE_TIME_MOST),
                                 .groups = r->groups.v,
                                 .places = r->places.v,
                                 .texts = r->texts.keys.v,
                                 .n_texts = r->texts.keys.n,
                                 .marks = r->marks.v,
                                 .n_marks = r->marks.n,
                                 .frames = r->frames.v,
                                 .n_frames = r->frames.n,
                                 .plots = r->plots.v,
                                 .n_plots = r->plots.n};
}

bool run_timeline_write(const struct run_timeline *t, const char *path, struct notes *notes,
                        struct err *e)
{
    struct run_rows r;
    rows_start(&r, t, notes);
    if (t->host) {
        rows_add_processes(&r);
        rows_add_threads(&r);
        rows_add_process_table(&r);
    }
    if (t->log)
        rows_add_chips(&r);
    rows_add_notes(&r);
    give_zones(&r);
    struct timeline_run run = describe(&r);
    const struct table *tables[] = {&r.processes};
    struct timeline_page page = {.trace = &r.trace,
                                 .ops = &r.ops,
                                 .tables = tables,
                                 .n_tables = t->host ? 1 : 0,
                                 .notes = notes,
                                 .max_zones = t->max_zones,
                                 .run = &run};
    bool ok = timeline_write(&page, path, e);
    rows_free(&r);
    return ok;
}
