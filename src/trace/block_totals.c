// block_totals.c - what was recorded, by the counts that the recorder left, against what
// the files have. Counts are compared once nothing is written any more: those of a process
// when it has ended, or when the run has.
#include "trace/block_read.h"
#include "trace/blocks.h"
#include "trace/diags.h"

static void count_cut(struct trace *r, const struct host_files *f, const char *ending,
                      uint64_t has, uint64_t had)
{
    struct diag *d = &r->diag;
    if (has >= had || !diag_count(d, DIAG_HOST_FILE_CUT))
        return;
    if (has)
        diag_note(d, DIAG_HOST_FILE_CUT, "%s.%s: %llu of %llu bytes", f->name, ending,
                  (unsigned long long)has, (unsigned long long)had);
    else
        diag_note(d, DIAG_HOST_FILE_CUT, "%s.%s", f->name, ending);
}

static void count_missing(struct trace *r, const char *where, uint64_t n)
{
    struct diag_entry *missing = &r->diag.entry[DIAG_HOST_MISSING];
    if (n && !missing->count)
        diag_note(&r->diag, DIAG_HOST_MISSING, "%s", where);
    missing->count += n;
}

// Events that the thread recorded and that it did not count as lost.
static uint64_t expected_of(const struct host_thread *t)
{
    uint64_t lost = t->lost[TT_LOSS_OLDEST] + t->lost[TT_LOSS_DISK];
    return t->events > lost ? t->events - lost : 0;
}

static void compare_threads(struct trace *r, const struct host_files *f)
{
    uint64_t n = 0;
    for (size_t i = 1; i < f->threads.n; i++) {
        const struct host_thread *t = &f->threads.v[i];
        uint64_t expected = t->is_told ? expected_of(t) : 0;
        n += expected > t->n_found ? expected - t->n_found : 0;
    }
    r->processes.v[f->process].n_missing = n;
    count_missing(r, f->name, n);
}

static void compare_process(struct trace *r, const struct host_files *f)
{
    if (!f->head.is_over && !r->blocks->control.is_over)
        return;
    size_t head = sizeof(struct tt_stream);
    uint64_t has = f->stream.n > head ? f->stream.n - head : 0;
    count_cut(r, f, "stream", has, f->head.stream_bytes);
    count_cut(r, f, "blobs", f->blobs.n, f->head.blob_bytes);
    compare_threads(r, f);
}

// Without a table there are neither names nor clocks: all its events are missing.
static uint64_t events_of(const struct host_files *f)
{
    uint64_t n = 0;
    struct block_cursor c = {.stream = f->stream};
    for (enum block_step step; (step = block_next(&c)) != BLOCK_LAST;)
        n += step == BLOCK_WHOLE ? c.block.n_events : 0;
    for (size_t i = 0; i < f->rings.n; i++) {
        const struct host_ring *ring = &f->rings.v[i];
        uint64_t words = ring->to - ring->from;
        for (uint64_t at = 0, size; at < words; at += size ? size : 1) {
            size = block_event_words(ring->words, UINT64_MAX, at, words);
            n += size != 0;
        }
    }
    return n;
}

static void count_tableless(struct trace *r, const struct host_files *f)
{
    uint64_t n = events_of(f);
    if (!n && !f->blobs.n)
        return;
    if (!f->has_bad_table)
        count_cut(r, f, "table", 0, 1);
    count_missing(r, f->name, n);
}

// Processes without any file: only the control page knows of them.
static void compare_run(struct trace *r)
{
    const struct tt_control *c = &r->blocks->control;
    uint64_t n_processes = 0, n_events = 0;
    for (size_t i = 0; i < r->blocks->files.n; i++) {
        const struct host_files *f = &r->blocks->files.v[i];
        n_processes++;
        n_events += f->process == TRACE_NONE ? events_of(f) : 0;
        for (size_t k = 1; k < f->threads.n; k++)
            if (f->threads.v[k].is_told)
                n_events += f->threads.v[k].events;
        for (size_t k = 0; k < f->rings.n; k++) {
            uint32_t thread = f->rings.v[k].thread;
            if (thread < f->threads.n && !f->threads.v[thread].is_told)
                n_events += f->rings.v[k].events;
        }
    }
    if (c->processes <= n_processes)
        return;
    struct diag *d = &r->diag;
    if (!d->entry[DIAG_HOST_FILE_CUT].count)
        diag_note(d, DIAG_HOST_FILE_CUT, "host/: files of %llu of %u processes",
                  (unsigned long long)(c->processes - n_processes), c->processes);
    d->entry[DIAG_HOST_FILE_CUT].count += c->processes - n_processes;
    count_missing(r, "host/", c->events > n_events ? c->events - n_events : 0);
}

void host_totals_compare(struct trace *r)
{
    for (size_t i = 0; i < r->blocks->files.n; i++) {
        const struct host_files *f = &r->blocks->files.v[i];
        if (f->process == TRACE_NONE)
            count_tableless(r, f);
        else
            compare_process(r, f);
    }
    compare_run(r);
}
