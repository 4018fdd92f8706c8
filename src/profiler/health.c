// health.c - writing what was odd.
#include "profiler/health.h"

// Of the log, that is.
static uint64_t markers_of(const struct trace *t, size_t track)
{
    return t->tracks.v[track].n_markers - (uint64_t)t->has_t0;
}

static void put_totals(const struct trace *t, const struct device_ops *ops, struct json *j)
{
    size_t n_markers = 0;
    for (size_t i = 0; i < t->tracks.n; i++)
        n_markers += markers_of(t, i);
    json_key_text(j, "ttprof", S(TTPROF_VERSION));
    json_key_text(j, "log", str_of(t->path));
    json_key_int(j, "rows", (int64_t)t->n_rows);
    json_key_int(j, "markers", (int64_t)n_markers);
    json_key_int(j, "zones", (int64_t)t->zones.n);
    json_key_int(j, "ops", (int64_t)ops->n);
    json_key_int(j, "incomplete_ops", (int64_t)ops->n_incomplete);
    json_key_int(j, "odd", (int64_t)diag_total(&t->diag));
}

void health_put_findings(const struct diag *diag, struct json *j)
{
    json_key(j, S("findings"));
    json_open(j, '[');
    for (int k = 0; k < DIAG_KINDS; k++) {
        const struct diag_entry *d = &diag->entry[k];
        if (!d->count)
            continue;
        json_newline(j);
        json_open(j, '{');
        json_key_text(j, "kind", str_of(diag_name((enum diag_kind)k)));
        json_key_int(j, "count", (int64_t)d->count);
        json_key_text(j, "first", str_of(d->first));
        json_key_text(j, "what", str_of(diag_what((enum diag_kind)k)));
        json_key_text(j, "remedy", str_of(diag_remedy((enum diag_kind)k)));
        json_close(j, '}');
    }
    json_close(j, ']');
}

// The oddities of each track, gathered: index of the first, and the next of the same track.
struct by_track {
    uint32_t *first; // by track: index + 1, 0 = none
    uint32_t *next;  // by oddity
};

static struct by_track gather(const struct trace *t, struct arena *a)
{
    struct by_track g = {push_many(a, uint32_t, t->tracks.n + 1),
                         push_many(a, uint32_t, t->oddities.n + 1)};
    for (size_t i = t->oddities.n; i-- > 0;) {
        uint32_t track = t->oddities.v[i].track;
        if (track == TRACE_NO_TRACK)
            continue;
        g.next[i] = g.first[track];
        g.first[track] = (uint32_t)i + 1;
    }
    return g;
}

static void put_track(const struct trace *t, size_t i, const struct by_track *g,
                      struct json *j)
{
    const struct trace_track *k = &t->tracks.v[i];
    const struct trace_core *core = &t->cores.v[k->core];
    json_newline(j);
    json_open(j, '{');
    json_key_int(j, "chip", t->devices.v[core->device].id);
    json_key_int(j, "core_x", core->x);
    json_key_int(j, "core_y", core->y);
    json_key_text(j, "risc", trace_text(t, k->risc));
    json_key_int(j, "markers", (int64_t)markers_of(t, i));
    json_key_int(j, "zones", (int64_t)k->n_zones);
    for (int kind = 0; kind < DIAG_KINDS; kind++) {
        uint64_t count = 0;
        uint32_t line = 0;
        for (uint32_t o = g->first[i]; o; o = g->next[o - 1]) {
            const struct trace_oddity *odd = &t->oddities.v[o - 1];
            if (odd->kind == (uint32_t)kind) {
                count += odd->count;
                line = line ? line : odd->first_line;
            }
        }
        if (!count)
            continue;
        json_key(j, str_of(diag_name((enum diag_kind)kind)));
        json_open(j, '{');
        json_key_int(j, "count", (int64_t)count);
        json_key_int(j, "first_line", (int64_t)line);
        json_close(j, '}');
    }
    json_close(j, '}');
}

static void put_tracks(const struct trace *t, struct out *o, struct json *j)
{
    struct arena a = {0};
    struct by_track g = gather(t, &a);
    uint64_t n_clean = 0, n_markers = 0, n_zones = 0;
    json_key(j, S("tracks"));
    json_open(j, '[');
    for (size_t i = 0; i < t->tracks.n; i++) {
        if (g.first[i]) {
            put_track(t, i, &g, j);
            out_flush_some(o);
            continue;
        }
        n_clean++;
        n_markers += markers_of(t, i);
        n_zones += t->tracks.v[i].n_zones;
    }
    json_close(j, ']');
    json_newline(j);
    json_key(j, S("without_findings"));
    json_open(j, '{');
    json_key_int(j, "tracks", (int64_t)n_clean);
    json_key_int(j, "markers", (int64_t)n_markers);
    json_key_int(j, "zones", (int64_t)n_zones);
    json_close(j, '}');
    arena_free(&a);
}

bool health_write(const struct trace *t, const struct device_ops *ops, const char *path,
                  struct err *e)
{
    struct out o;
    if (!out_open(&o, path, e))
        return false;
    struct json j = {.b = &o.b, .is_first = true};
    json_open(&j, '{');
    put_totals(t, ops, &j);
    json_newline(&j);
    health_put_findings(&t->diag, &j);
    json_newline(&j);
    put_tracks(t, &o, &j);
    json_close(&j, '}');
    buf_char(&o.b, '\n');
    return out_close(&o, e);
}
