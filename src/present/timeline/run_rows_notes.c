// run_rows_notes.c - what a reader must know to read the page rightly: what was lost, what
// has no end, what is left out.
#include <string.h>

#include "present/timeline/run_rows.h"

enum { LOSSES_MOST = 20 }; // threads that are named

static const char *const loss_names[TT_LOSSES] = {
    [TT_LOSS_FULL] =
        "the ring was full: give 'ttprof run' a larger --ring-size, or --policy block",
    [TT_LOSS_OLDEST] = "overwritten on purpose by the flight recorder",
    [TT_LOSS_HANDLER] = "recorded by a signal handler in the middle of another event",
    [TT_LOSS_DISK] = "the disk did not take them: make room, or take another folder (-o)",
};

static str track_label(struct run_rows *r, const struct trace_track *t)
{
    str name = rows_host_text(r, t->name);
    return name.n ? name : arena_printf(&r->arena, "%u", t->tid);
}

static void note_losses(struct run_rows *r)
{
    const struct trace *h = r->in->host;
    size_t n = 0;
    uint64_t rest = 0;
    for (size_t i = 0; i < h->tracks.n; i++) {
        const struct trace_track *t = &h->tracks.v[i];
        const struct trace_process *p = &h->processes.v[t->process];
        for (int k = 0; k < TT_LOSSES && rows_has_process(r, p->pid); k++) {
            if (!t->lost[k])
                continue;
            if (n++ >= LOSSES_MOST)
                rest += t->lost[k];
            else
                note(r->notes, NOTE_INFO, "thread %.*s of process %u lost %llu events: %s",
                     STR(track_label(r, t)), p->pid, (unsigned long long)t->lost[k],
                     loss_names[k]);
        }
    }
    if (rest)
        note(r->notes, NOTE_INFO, "other threads lost %llu events",
             (unsigned long long)rest);
}

static void note_processes(struct run_rows *r)
{
    const struct trace *h = r->in->host;
    double worst = 0;
    for (size_t i = 0; i < h->processes.n; i++) {
        const struct trace_process *p = &h->processes.v[i];
        worst = p->clock_error_ns > worst ? p->clock_error_ns : worst;
        int64_t axis;
        if (host_run_program_time(h, (uint32_t)i, 0, &axis))
            note(r->notes, NOTE_INFO,
                 "process %u used a clock of its own, that of a software device: its zones "
                 "and the devices are in that time, its row of programs is in real time",
                 p->pid);
        if (p->stream_error)
            note(r->notes, NOTE_WARNING, "process %u could not write its events: %s",
                 p->pid, strerror(p->stream_error));
    }
    if (worst > 0 && h->processes.n > 1)
        note(r->notes, NOTE_INFO,
             "times of different processes are within %.0f ns of each other", 2 * worst);
}

static void note_diag(struct run_rows *r, const struct diag *d)
{
    for (int k = 0; k < DIAG_KINDS; k++)
        if (d->entry[k].count)
            note(r->notes, NOTE_WARNING, "%s: %s (%llu in all): %s", d->entry[k].first,
                 diag_what((enum diag_kind)k), (unsigned long long)d->entry[k].count,
                 diag_remedy((enum diag_kind)k));
}

static void note_count(struct run_rows *r, uint64_t n, const char *what)
{
    if (n)
        note(r->notes, NOTE_WARNING, "%llu %s", (unsigned long long)n, what);
}

void rows_add_notes(struct run_rows *r)
{
    if (r->in->host) {
        note_losses(r);
        note_processes(r);
    }
    note_count(r, r->n_too_deep, "zones are nested too deeply to be shown");
    note_count(r, r->n_texts_over, "zones are shown without their text");
    note_count(r, r->n_marks_over, "messages are not shown; 'ttprof zones -m' lists them");
    note_count(r, r->n_frames_over, "frames are not shown");
    if (r->in->host)
        note_diag(r, host_run_findings(r->in->host));
    if (r->in->log)
        note_diag(r, &r->in->log->diag);
}
