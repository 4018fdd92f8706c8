// device_log.c - lanes over the text, and what can be told from the whole.
#include "formats/device_log.h"

#include <stdio.h>

#include "base/progress.h"
#include "base/threads.h"

#include "formats/device_log_merge.h"
#include "formats/device_log_sort.h"

enum { WORTH_LANES = 4 << 20 }; // bytes of log from which a second lane pays

static void read_lane(struct lane lane, void *context)
{
    struct log_lane *lanes = context;
    log_lane_read(&lanes[lane.index]);
}

// Ranges of about the same size that end at line ends.
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

// --- what can be told from the whole -------------------------------------------------

static void find_dispatch_cores(struct trace *t)
{
    bool *is_dispatch = mem_alloc(t->sites.n + 1);
    bool any = false;
    for (size_t i = 0; i < t->sites.n; i++) {
        str name = trace_text(t, t->sites.v[i].name);
        is_dispatch[i] = str_has(name, S("CQ-DISPATCH")) || str_has(name, S("CQ-PREFETCH"));
        any |= is_dispatch[i];
    }
    for (size_t k = 0; any && k < t->tracks.n; k++) {
        const struct trace_track *track = &t->tracks.v[k];
        struct trace_core *core = &t->cores.v[track->core];
        if (core->is_dispatch || str_has(trace_text(t, track->risc), S("ERISC")))
            continue;
        for (uint32_t i = 0; i < track->n_markers && !core->is_dispatch; i++)
            core->is_dispatch = is_dispatch[t->markers.site[track->marker + i]];
    }
    mem_free(is_dispatch);
}

// Zones are known by 16-bit hashes: two places in the sources may share one.
static void find_collisions(struct trace *t)
{
    struct map seen = {0};
    uint32_t *first = mem_alloc(mem_bytes(sizeof *first, t->sites.n + 1)); // by id
    size_t n = 0;
    for (size_t i = 0; i < t->sites.n; i++) {
        const struct trace_site *s = &t->sites.v[i];
        if (s->type > MARKER_ZONE_END || t->is_legacy)
            continue;
        uint32_t id = map_put(&seen, (str){(const char *)&s->timer_id, sizeof s->timer_id});
        if (id == n)
            first[n++] = (uint32_t)i;
        const struct trace_site *f = &t->sites.v[first[id]];
        if (f->file == s->file && f->line == s->line)
            continue; // the same place, perhaps renamed by a dispatch command
        str a = trace_text(t, f->name), b = trace_text(t, s->name);
        char text[160];
        int length = snprintf(text, sizeof text, "id %u: '%.*s' and '%.*s'", s->timer_id,
                              STR(str_clip(a, 50)), STR(str_clip(b, 50)));
        trace_odd(t, TRACE_NO_TRACK, DIAG_ID_COLLIDES, 1, s->first_line,
                  (str){text, (size_t)length});
    }
    mem_free(first);
    map_free(&seen);
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
        find_dispatch_cores(t);
        find_collisions(t);
        trace_find_spans(t);
        if (t->mhz == 0 && t->tracks.n)
            trace_odd(t, TRACE_NO_TRACK, DIAG_CLOCK_UNKNOWN, 1, 1, S("CHIP_FREQ[MHz]"));
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
