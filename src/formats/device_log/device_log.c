// device_log.c - splits the text into lanes.
#include "formats/device_log/device_log.h"

#include "base/data/threads.h"
#include "base/text/progress.h"

#include "formats/device_log/device_log_merge.h"
#include "formats/device_log/device_log_sort.h"
#include "formats/diags.h"

enum { WORTH_LANES = 4 << 20 }; // a second lane pays off from this many bytes of log

static void read_lane(struct lane lane, void *context)
{
    struct log_lane *lanes = context;
    log_lane_read(&lanes[lane.index]);
}

// Splits the text at line ends into ranges of about the same size.
static void cut_ranges(struct log_lane *lanes, unsigned n, str text, size_t body)
{
    size_t at = body;
    for (unsigned i = 0; i < n; i++) {
        size_t to = body + lane_range((struct lane){i, n}, text.n - body).to;
        if (to < at)
            to = at;
        const char *hit = to < text.n && to > body
                              ? memchr(text.p + to - 1, '\n', text.n - to + 1)
                              : NULL;
        if (i + 1 == n || !hit)
            to = text.n;
        else
            to = (size_t)(hit - text.p) + 1;
        lanes[i].from = at;
        lanes[i].to = to;
        at = to;
    }
}

bool device_log_read_text(struct trace *t, str text, const char *path, struct err *e)
{
    struct log_head head;
    t->path = path;
    if (!log_head_parse(text, t, &head, e))
        return false;
    struct progress bar = progress_start("reading the device log", text.n);
    unsigned n = threads_for(text.n - head.body, WORTH_LANES);
    struct log_lane *lanes = mem_alloc(mem_bytes(sizeof *lanes, n));
    for (unsigned i = 0; i < n; i++) {
        lanes[i].head = &head;
        lanes[i].text = text;
        lanes[i].is_legacy = t->is_legacy;
        lanes[i].is_mapped = t->file.is_mapped && t->file.text.p == text.p;
    }
    lanes[0].bar = &bar;
    cut_ranges(lanes, n, text, head.body);
    log_slice(t, lanes, n);
    threads_run(n, read_lane, lanes);
    bool ok = log_merge(t, lanes, n, head.body_line, e);
    for (unsigned i = 0; i < n; i++)
        log_lane_free(&lanes[i]);
    mem_free(lanes);
    if (ok && !head.is_named && t->n_rows && !t->tracks.n)
        ok = log_fail(e);
    if (ok) {
        log_sort(t);
        trace_finish(t);
    }
    progress_end(&bar);
    return ok;
}

bool device_log_read(struct trace *t, const char *path, struct err *e)
{
    struct file f;
    if (!file_open(path, &f, e))
        return false;
    t->file = f;
    if (!device_log_read_text(t, f.text, path, e))
        return err_in(e, "%s", path);
    if (f.damage)
        trace_odd(t, TRACE_NO_TRACK, DIAG_LOG_CUT, 1, 0, str_of(f.damage));
    return true;
}
