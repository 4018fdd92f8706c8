// timeline_notes.c - notes on lost events, zones without an end, and data left out.
#include <string.h>

#include "present/timeline/timeline_rows.h"
#include "table/findings.h"

enum { LOSSES_MOST = 20 }; // threads listed by name

static const char *const loss_names[TT_LOSSES] = {
    [TT_LOSS_FULL] = "the ring was full: use a larger --ring-size, or --policy block",
    [TT_LOSS_OLDEST] = "overwritten by the flight recorder",
    [TT_LOSS_HANDLER] = "a signal handler interrupted another event",
    [TT_LOSS_DISK] =
        "they could not be written: free disk space, or choose another folder with -o",
};

static str track_label(struct timeline_plan *p, const struct trace_track *t)
{
    str name = trace_text(p->page->trace, t->name);
    return name.n ? name : arena_printf(&p->arena, "%u", t->tid);
}

static void note_losses(struct timeline_plan *p)
{
    const struct trace *t = p->page->trace;
    size_t n = 0;
    uint64_t rest = 0;
    for (size_t i = 0; i < t->tracks.n; i++) {
        const struct trace_track *k = &t->tracks.v[i];
        if (!track_is_host(k) || !timeline_has_process(p, t->processes.v[k->process].pid))
            continue;
        for (int loss = 0; loss < TT_LOSSES; loss++) {
            if (!k->lost[loss])
                continue;
            if (n++ >= LOSSES_MOST)
                rest += k->lost[loss];
            else
                note(p->page->notes, NOTE_INFO,
                     "Thread %.*s of process %u lost %llu events: %s",
                     STR(track_label(p, k)), t->processes.v[k->process].pid,
                     (unsigned long long)k->lost[loss], loss_names[loss]);
        }
    }
    if (rest)
        note(p->page->notes, NOTE_INFO, "Other threads lost %llu events",
             (unsigned long long)rest);
}

static void note_processes(const struct trace *t, struct notes *notes)
{
    double worst = 0;
    for (size_t i = 0; i < t->processes.n; i++) {
        const struct trace_process *p = &t->processes.v[i];
        worst = p->clock_error_ns > worst ? p->clock_error_ns : worst;
        int64_t axis;
        if (trace_program_time(t, (uint32_t)i, 0, &axis))
            note(
                notes, NOTE_INFO,
                "Process %u used the clock of a software device: its zones and the devices are in that time, its row of programs is in real time",
                p->pid);
        if (p->stream_error)
            note(notes, NOTE_WARNING, "Process %u could not write its events: %s", p->pid,
                 strerror(p->stream_error));
    }
    if (worst > 0 && t->processes.n > 1)
        note(notes, NOTE_INFO,
             "Times of different processes are within %.0f ns of each other", 2 * worst);
}

static void note_finding(void *notes, const char *text)
{
    note(notes, NOTE_WARNING, "%s", text);
}

static void note_count(struct notes *notes, uint64_t n, const char *what)
{
    if (n)
        note(notes, NOTE_WARNING, "%llu %s", (unsigned long long)n, what);
}

void timeline_add_notes(struct timeline_plan *p)
{
    const struct trace *t = p->page->trace;
    const struct timeline_rows *r = p->of_run;
    struct notes *notes = p->page->notes;
    if (trace_has_host(t)) {
        note_losses(p);
        note_processes(t, notes);
    }
    note_count(notes, r->n_too_deep, "zones are nested too deeply and not shown");
    note_count(notes, r->n_texts_over, "zones are shown without their text");
    note_count(notes, r->n_marks_over,
               "messages are not shown; 'ttprof zones -m' lists them");
    note_count(notes, r->n_frames_over, "frames are not shown");
    findings_lines(trace_findings(t), note_finding, notes);
}
