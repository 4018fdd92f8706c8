// flame.c - folds the zones of a run and writes a page, folded text, or both.
#include "app/flame/flame.h"

#include "base/file/file.h"
#include "base/text/log.h"

#include "app/app.h"
#include "formats/host_run/host_run.h"
#include "present/page/flame_doc.h"
#include "present/reports/flame_names.h"

struct flame_job {
    const struct flame_values *v;
    struct trace run;
    struct zone_choice choice;
    struct host_flame flame;
    struct err *e;
};

static bool choose(struct flame_job *j)
{
    enum zones_by by = strcmp(j->v->by, "thread") == 0    ? ZONES_BY_THREAD
                       : strcmp(j->v->by, "process") == 0 ? ZONES_BY_PROCESS
                                                          : ZONES_BY_PLACE;
    if (j->v->max_frames < 1)
        return err_set(j->e, ERR_USAGE, "--max-frames must be positive, got %lld",
                       (long long)j->v->max_frames);
    j->choice = (struct zone_choice){
        .by = by, .pid = j->v->pid, .rank = j->v->rank, .with_open = true};
    return true;
}

static bool write_folded(struct flame_job *j)
{
    struct out o;
    if (!out_open(&o, j->v->folded, j->e))
        return false;
    flame_folded(&j->run, &j->flame, &o.b);
    return out_close(&o, j->e);
}

static bool write_page(struct flame_job *j, const char *source)
{
    const char *path = j->v->output;
    struct zone_stats stats;
    struct zones_view view;
    struct zone_choice choice = j->choice;
    choice.by = ZONES_BY_PLACE;
    zone_stats_make(&stats, &j->run, &choice);
    zones_view_make(&view, &j->run, &stats, &choice);
    uint32_t *order = mem_alloc(mem_bytes(sizeof *order, stats.rows.n));
    table_sort(&view.table, table_find(&view.table, S("Self")), order);
    view.table.order = order;
    struct flame_page page = {.run = &j->run,
                              .flame = &j->flame,
                              .zones = &view.table,
                              .source = j->run.folder ? j->run.folder : source,
                              .max_frames = (uint64_t)j->v->max_frames};
    bool ok = flame_doc_html(&page, path, j->e);
    if (ok && strcmp(path, "-") != 0)
        log_line("flame: the page is %s", path);
    mem_free(order);
    zone_stats_free(&stats);
    return ok;
}

static bool write_outputs(struct flame_job *j, const char *source)
{
    if (!j->flame.n_zones)
        log_line("flame: no zone was recorded in '%s'", source);
    if (j->v->folded && !write_folded(j))
        return false;
    return (j->v->folded && !j->v->output) || write_page(j, source);
}

int flame_command(const struct flame_values *values, struct words words, struct err *e)
{
    struct flame_values v = *values;
    struct flame_job j = {.v = &v, .e = e};
    struct arena a = {0};
    const char *input = words.n ? words.v[0] : command_artifacts_root(&a);
    if (!v.output && !v.folded)
        v.output = "flame.html";
    if (choose(&j) && host_run_open(&j.run, input, e)) {
        host_flame_make(&j.flame, &j.run, &j.choice);
        if (write_outputs(&j, input))
            command_findings("flame", trace_findings(&j.run), v.strict, e);
        host_flame_free(&j.flame);
        trace_free(&j.run);
    }
    arena_free(&a);
    return err_exit_code(e->code);
}
