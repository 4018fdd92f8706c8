// host_findings.c - the findings of walks, added to those of the files.
#include "trace/blocks.h"
#include "trace/diags.h"
#include "trace/trees.h"

static struct diag *all_findings(const struct trace *t)
{
    return t->blocks ? &t->blocks->findings : &t->trees.v[0]->findings;
}

static void add_found(const struct trace *t, uint32_t track, int kind, uint64_t n)
{
    struct diag *all = all_findings(t);
    const struct trace_track *k = &t->tracks.v[track];
    if (n && !all->entry[kind].count)
        diag_note(all, kind, "process %u, %s %u", t->processes.v[k->process].pid,
                  k->kind == TRACK_FIBER ? "fiber" : "thread",
                  k->kind == TRACK_FIBER ? k->serial : k->tid);
    all->entry[kind].count += n;
}

const struct diag *trace_findings(const struct trace *t)
{
    if (!trace_has_host(t))
        return &t->diag;
    *all_findings(t) = t->diag;
    for (uint32_t i = 0; i < t->tracks.n; i++) {
        if (!track_is_host(&t->tracks.v[i]))
            continue;
        const struct host_findings *f =
            t->tracks.v[i].trees ? &trace_tree_of(t, i)->found : &host_inner(t, i)->found;
        add_found(t, i, DIAG_HOST_OPEN, f->open);
        add_found(t, i, DIAG_HOST_END_ALONE, f->ends_alone);
        add_found(t, i, DIAG_HOST_BLOCK_DAMAGED, f->damaged);
        add_found(t, i, DIAG_HOST_TIME_BACK, f->back);
        add_found(t, i, DIAG_HOST_TOO_DEEP, f->deep);
        add_found(t, i, DIAG_HOST_TEXT_MISSING, f->texts);
    }
    return all_findings(t);
}
