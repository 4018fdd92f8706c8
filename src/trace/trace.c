// trace.c - lookup functions, findings, and freeing a trace.
#include "trace/trace.h"

#include "trace/diags.h"

const char *const marker_type_names[MARKER_TYPES] = {
    [MARKER_ZONE_START] = "ZONE_START", [MARKER_ZONE_END] = "ZONE_END",
    [MARKER_ZONE_TOTAL] = "ZONE_TOTAL", [MARKER_TS_DATA] = "TS_DATA",
    [MARKER_TS_EVENT] = "TS_EVENT",
};

const char *const process_clock_names[] = {
    [PROCESS_CLOCK_REAL] = "real",
    [PROCESS_CLOCK_PROGRAM] = "program",
    [PROCESS_CLOCK_VIRTUAL] = "virtual",
    [PROCESS_CLOCK_APART] = "apart",
};
const char *const process_clock_facts[] = {
    [PROCESS_CLOCK_REAL] = "real time",
    [PROCESS_CLOCK_PROGRAM] = "of the program: real time without the simulator's own",
    [PROCESS_CLOCK_VIRTUAL] =
        "virtual (clockmode=det): it stands still while the host computes",
    [PROCESS_CLOCK_APART] = "of its own: not aligned with that of other processes",
};

void trace_free(struct trace *t)
{
    for (size_t i = 0; i < t->processes.n; i++)
        vec_free(&t->processes.v[i].tracks);
    for (size_t i = 0; i < t->cores.n; i++)
        vec_free(&t->cores.v[i].tracks);
    for (size_t i = 0; i < t->devices.n; i++)
        vec_free(&t->devices.v[i].cores);
    vec_free(&t->cores);
    vec_free(&t->devices);
    vec_free(&t->sites);
    vec_free(&t->runs);
    vec_free(&t->tracks);
    vec_free(&t->data);
    vec_free(&t->oddities);
    mem_free(t->markers.time);
    mem_free(t->markers.site);
    mem_free(t->markers.run);
    mem_free(t->markers.line);
    mem_free(t->zones.start);
    mem_free(t->zones.end);
    mem_free(t->zones.site);
    mem_free(t->zones.run);
    mem_free(t->zones.depth);
    vec_free(&t->processes);
    process_log_free(&t->log);
    trace_blocks_free(t->blocks);
    for (size_t i = 0; i < t->trees.n; i++)
        trace_trees_free(t->trees.v[i]);
    vec_free(&t->trees);
    map_free(&t->strings);
    for (size_t i = 0; i < t->files.n; i++)
        file_close(&t->files.v[i]);
    vec_free(&t->files);
    arena_free(&t->arena);
    *t = (struct trace){0};
}

const struct trace_datum *trace_datum_of(const struct trace *t, const struct trace_track *k,
                                         size_t marker)
{
    size_t low = k->datum, high = (size_t)k->datum + k->n_data;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (t->data.v[middle].marker < marker)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < (size_t)k->datum + k->n_data && t->data.v[low].marker == marker;
    return found ? &t->data.v[low] : NULL;
}

uint32_t trace_site_named(struct trace *t, uint32_t like, uint32_t name)
{
    struct trace_site want = t->sites.v[like];
    want.name = name;
    for (size_t i = 0; i < t->sites.n; i++) {
        const struct trace_site *s = &t->sites.v[i];
        if (s->name == name && s->file == want.file && s->line == want.line &&
            s->timer_id == want.timer_id && s->type_text == want.type_text)
            return (uint32_t)i;
    }
    vec_push(&t->sites, want);
    return (uint32_t)t->sites.n - 1;
}

// Text from a log made fit for display: valid UTF-8 without control characters.
static str printable(str s, char *to, size_t room)
{
    size_t tail;
    s = str_clip(s, room);
    bool is_text = str_bad_utf8(s, 0, &tail) == s.n && tail == s.n;
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        to[i] = c < ' ' || c == 0x7F || (c > 0x7F && !is_text) ? '?' : s.p[i];
    }
    return (str){to, s.n};
}

void trace_odd(struct trace *t, uint32_t track, int kind, uint64_t count, uint32_t line,
               str what)
{
    if (count == 0)
        return;
    struct diag_entry *d = &t->diag.entry[kind];
    // The first in the log, whatever the order of discovery.
    if (d->count == 0 || (line && line < d->line)) {
        d->line = line;
        char text[sizeof d->first];
        what = what.n ? printable(what, text, sizeof text) : S("(empty)");
        const char *path = t->path ? t->path : t->folder ? t->folder : "";
        if (line)
            diag_note(&t->diag, kind, "%s: line %u: %.*s", path, line, STR(what));
        else
            diag_note(&t->diag, kind, "%s: %.*s", path, STR(what));
    }
    d->count += count;
    // Callers go track by track, so an existing entry is near the end.
    const size_t look = DIAG_KINDS;
    size_t from = t->oddities.n < look ? 0 : t->oddities.n - look;
    for (size_t i = t->oddities.n; i-- > from;) {
        struct trace_oddity *o = &t->oddities.v[i];
        if (o->track == track && o->kind == (uint32_t)kind) {
            o->count += count;
            return;
        }
    }
    vec_push(&t->oddities, (struct trace_oddity){track, (uint32_t)kind, count, line});
}

uint32_t trace_put_text(struct trace *t, str s)
{
    size_t tail;
    if (str_bad_utf8(s, 0, &tail) == s.n && tail == s.n)
        return map_put_copy(&t->strings, s.p, s.n, &t->arena);
    struct buf b = {0};
    buf_utf8(&b, s);
    // Count each text once.
    if (map_get(&t->strings, buf_view(&b)) == MAP_NONE)
        trace_odd(t, TRACE_NO_TRACK, DIAG_TEXT_NOT_UTF8, 1, 0, s);
    uint32_t id = map_put_copy(&t->strings, b.p, b.n, &t->arena);
    buf_free(&b);
    return id;
}

str trace_device_name(const struct trace *t, uint32_t device, struct arena *a)
{
    const struct trace_device *d = &t->devices.v[device];
    bool has_more = false;
    for (size_t i = 0; i < t->devices.n; i++)
        has_more |= t->devices.v[i].pid == d->pid && t->devices.v[i].log != d->log;
    if (t->files.n < 2)
        return arena_printf(a, "%lld", (long long)d->id);
    if (!has_more)
        return arena_printf(a, "%lld, process %u", (long long)d->id, d->pid);
    return arena_printf(a, "%lld, process %u, attachment %u", (long long)d->id, d->pid,
                        d->attachment);
}

void trace_find_spans(struct trace *t)
{
    for (size_t i = 0; i < t->devices.n; i++) {
        t->devices.v[i].first_time = UINT64_MAX;
        t->devices.v[i].last_time = 0;
    }
    for (size_t k = 0; k < t->tracks.n; k++) {
        const struct trace_track *track = &t->tracks.v[k];
        struct trace_device *d = &t->devices.v[t->cores.v[track->core].device];
        if (!track->n_markers)
            continue;
        uint64_t first = t->markers.time[track->marker];
        uint64_t last = t->markers.time[track->marker + track->n_markers - 1];
        if (first < d->first_time)
            d->first_time = first;
        if (last > d->last_time)
            d->last_time = last;
    }
}

unsigned risc_rank(str risc)
{
    static const char *const order[] = {
        "BRISC",   "NCRISC", "TRISC_0",         "TRISC_1",
        "TRISC_2", "ERISC",  "TENSIX_RISC_AGG", "NONE",
    };
    const unsigned n = sizeof order / sizeof *order;
    for (unsigned i = 0; i < n; i++)
        if (str_is(risc, order[i]))
            return i;
    str rest;
    // QUASAR_DM0..7, QUASAR_NEO0_TRISC0..QUASAR_NEO3_TRISC3
    if (str_after(risc, S("QUASAR_DM"), &rest) && rest.n == 1)
        return n + (unsigned char)rest.p[0] % 8;
    if (str_after(risc, S("QUASAR_NEO"), &rest) && rest.n == 8)
        return n + 8 + (unsigned char)rest.p[0] % 4 * 4 + (unsigned char)rest.p[7] % 4;
    return n + 32;
}
