// trace_finish.c - facts derived from a complete trace.
#include <stdio.h>

#include "trace/diags.h"
#include "trace/trace.h"

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

// The trace profiler leaves one zone for all that a core does in a replay.
static void find_replays(struct trace *t)
{
    for (size_t k = 0; k < t->tracks.n; k++) {
        const struct trace_track *track = &t->tracks.v[k];
        if (track->kind != TRACK_RISC ||
            !str_is(trace_text(t, track->risc), "TENSIX_RISC_AGG"))
            continue;
        for (uint32_t i = track->marker; i < track->marker + track->n_markers; i++) {
            str name = trace_text(t, t->sites.v[t->markers.site[i]].name);
            if (str_is(name, "TRACE-FW") || str_is(name, "TRACE-KERNEL"))
                t->runs.v[t->markers.run[i]].is_replay = true;
        }
    }
}

// Zones are identified by 16-bit hashes, which two source locations may share.
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

void trace_finish(struct trace *t)
{
    find_dispatch_cores(t);
    find_replays(t);
    find_collisions(t);
    trace_find_spans(t);
    if (t->mhz == 0 && t->tracks.n)
        trace_odd(t, TRACE_NO_TRACK, DIAG_CLOCK_UNKNOWN, 1, 1, S("CHIP_FREQ[MHz]"));
}
