// select.c - shortens columns, then drops entries that have become empty.
#include "analyse/perf/select.h"

#include <fnmatch.h>
#include <stdio.h>

#include "base/text/num.h"

struct window {
    uint64_t from, to; // cycles; `to` is inclusive
    bool is_from_relative, is_to_relative;
};

struct chosen {
    bool *track, *site, *run;
    struct window window;
};

bool selection_is_empty(const struct selection *s)
{
    return !s->device && !s->core && !s->risc && !s->zone && !s->op && !s->run_range &&
           !s->from && !s->to;
}

// Does the text match one of the patterns?
static bool matches_any(const char *patterns, str text, struct arena *a)
{
    if (!patterns)
        return true;
    struct arena_mark mark = arena_mark(a);
    const char *what = arena_str(a, text).p;
    bool found = false;
    for (str rest = str_of(patterns); rest.n && !found;)
        found = fnmatch(arena_str(a, str_trim(str_cut(&rest, '|'))).p, what, 0) == 0;
    arena_rewind(a, mark);
    return found;
}

static bool fits_number(const char *patterns, int64_t v, struct arena *a)
{
    char text[32];
    int n = snprintf(text, sizeof text, "%lld", (long long)v);
    return matches_any(patterns, (str){text, (size_t)n}, a);
}

static bool parse_time(const char *text, const char *option, uint64_t *out,
                       bool *is_relative, struct err *e)
{
    if (!text)
        return true;
    *is_relative = text[0] == '+';
    int64_t v;
    const char *digits = text + *is_relative;
    if (*digits == '+' || !num_int(str_of(digits), &v) || v < 0)
        return err_set(
            e, ERR_USAGE,
            "--%s: '%s' is not a time; use cycles as in the log, or +N cycles from the first marker of a device",
            option, text);
    *out = (uint64_t)v;
    return true;
}

static bool parse_range(const char *text, int64_t *from, int64_t *to, struct err *e)
{
    *from = INT64_MIN;
    *to = INT64_MAX;
    if (!text)
        return true;
    str rest = str_of(text);
    bool has_dash = memchr(rest.p, '-', rest.n) != NULL;
    str first = str_trim(str_cut(&rest, '-'));
    rest = str_trim(rest);
    bool ok = has_dash && (first.n || rest.n) && (!first.n || num_int(first, from)) &&
              (!rest.n || num_int(rest, to));
    return ok || err_set(e, ERR_USAGE,
                         "--run-id: '%s' is not a range; use 'A-B', 'A-' or '-B'", text);
}

static uint64_t absolute_time(uint64_t time, bool is_relative, uint64_t first)
{
    return !is_relative ? time : time > UINT64_MAX - first ? UINT64_MAX : time + first;
}

static bool is_in(const struct chosen *c, const struct trace_device *d, uint64_t from,
                  uint64_t to)
{
    return from >=
               absolute_time(c->window.from, c->window.is_from_relative, d->first_time) &&
           to <= absolute_time(c->window.to, c->window.is_to_relative, d->first_time);
}

static bool choose_rows(struct chosen *c, const struct trace *t,
                        const struct device_ops *ops, const struct selection *s,
                        struct arena *a, struct err *e)
{
    int64_t from, to;
    c->window.to = UINT64_MAX;
    if (!parse_time(s->from, "from", &c->window.from, &c->window.is_from_relative, e) ||
        !parse_time(s->to, "to", &c->window.to, &c->window.is_to_relative, e) ||
        !parse_range(s->run_range, &from, &to, e))
        return false;
    c->track = push_many(a, bool, t->tracks.n + 1);
    c->site = push_many(a, bool, t->sites.n + 1);
    c->run = push_many(a, bool, t->runs.n + 1);
    for (size_t k = 0; k < t->tracks.n; k++) {
        const struct trace_core *core = &t->cores.v[t->tracks.v[k].core];
        char place[32];
        int n = snprintf(place, sizeof place, "%d,%d", core->x, core->y);
        c->track[k] = fits_number(s->device, t->devices.v[core->device].id, a) &&
                      matches_any(s->core, (str){place, (size_t)n}, a) &&
                      matches_any(s->risc, trace_text(t, t->tracks.v[k].risc), a);
    }
    for (size_t i = 0; i < t->sites.n; i++)
        c->site[i] = matches_any(s->zone, trace_text(t, t->sites.v[i].name), a);
    for (size_t r = 0; r < t->runs.n; r++) {
        const struct trace_run *run = &t->runs.v[r];
        uint32_t op = ops->of_run[r];
        c->run[r] = fits_number(s->op, run->id, a) && run->id >= from && run->id <= to &&
                    (op == NO_OP || is_in(c, &t->devices.v[run->device],
                                          ops->v[op].first_time, ops->v[op].last_time));
    }
    return true;
}

static void keep_markers(struct trace *t, const struct device_ops *ops,
                         const struct chosen *c)
{
    struct trace_markers *m = &t->markers;
    size_t to = 0, datum_to = 0;
    for (size_t i = 0; i < t->tracks.n; i++) {
        struct trace_track *k = &t->tracks.v[i];
        const struct trace_device *d = &t->devices.v[t->cores.v[k->core].device];
        size_t first = to, first_datum = datum_to, datum = k->datum;
        size_t datum_end = (size_t)k->datum + k->n_data;
        for (size_t at = k->marker; at < (size_t)k->marker + k->n_markers; at++) {
            bool has = datum < datum_end && t->data.v[datum].marker == at;
            bool wanted = c->track[i] && c->site[m->site[at]] && c->run[m->run[at]];
            if (wanted && ops->of_run[m->run[at]] == NO_OP)
                wanted = is_in(c, d, m->time[at], m->time[at]);
            if (wanted) {
                if (has) {
                    t->data.v[datum_to] = t->data.v[datum];
                    t->data.v[datum_to++].marker = (uint32_t)to;
                }
                m->time[to] = m->time[at];
                m->site[to] = m->site[at];
                m->run[to] = m->run[at];
                m->line[to++] = m->line[at];
            }
            datum += has;
        }
        k->marker = (uint32_t)first;
        k->n_markers = (uint32_t)(to - first);
        k->datum = (uint32_t)first_datum;
        k->n_data = (uint32_t)(datum_to - first_datum);
    }
    m->n = to;
    t->data.n = datum_to;
}

static void keep_zones(struct trace *t, const struct device_ops *ops,
                       const struct chosen *c)
{
    struct trace_zones *z = &t->zones;
    size_t to = 0;
    for (size_t i = 0; i < t->tracks.n; i++) {
        struct trace_track *k = &t->tracks.v[i];
        const struct trace_device *d = &t->devices.v[t->cores.v[k->core].device];
        size_t first = to;
        for (size_t at = k->zone; at < (size_t)k->zone + k->n_zones; at++) {
            bool wanted = c->track[i] && c->site[z->site[at]] && c->run[z->run[at]];
            if (wanted && ops->of_run[z->run[at]] == NO_OP)
                wanted = is_in(c, d, z->start[at], z->end[at]);
            if (!wanted)
                continue;
            z->start[to] = z->start[at];
            z->end[to] = z->end[at];
            z->site[to] = z->site[at];
            z->run[to] = z->run[at];
            z->depth[to++] = z->depth[at];
        }
        k->zone = (uint32_t)first;
        k->n_zones = (uint32_t)(to - first);
    }
    z->n = to;
}

// Drops tracks without rows, cores without tracks, devices without cores.
static void drop_empty(struct trace *t, struct arena *a)
{
    uint32_t *track_to = push_many(a, uint32_t, t->tracks.n + 1);
    uint32_t *core_to = push_many(a, uint32_t, t->cores.n + 1);
    uint32_t *device_to = push_many(a, uint32_t, t->devices.n + 1);
    bool *core_used = push_many(a, bool, t->cores.n + 1);
    bool *device_used = push_many(a, bool, t->devices.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < t->tracks.n; i++) {
        track_to[i] = TRACE_NO_TRACK;
        if (!t->tracks.v[i].n_markers && !t->tracks.v[i].n_zones)
            continue;
        core_used[t->tracks.v[i].core] = true;
        device_used[t->cores.v[t->tracks.v[i].core].device] = true;
        track_to[i] = (uint32_t)n;
        t->tracks.v[n++] = t->tracks.v[i];
    }
    t->tracks.n = n;
    n = 0;
    for (size_t i = 0; i < t->devices.n; i++) {
        device_to[i] = (uint32_t)n;
        t->devices.v[i].cores.n = 0;
        if (device_used[i])
            t->devices.v[n++] = t->devices.v[i];
        else
            vec_free(&t->devices.v[i].cores);
    }
    t->devices.n = n;
    n = 0;
    for (size_t i = 0; i < t->cores.n; i++) {
        core_to[i] = (uint32_t)n;
        t->cores.v[i].tracks.n = 0;
        if (!core_used[i]) {
            vec_free(&t->cores.v[i].tracks);
            continue;
        }
        t->cores.v[n] = t->cores.v[i];
        t->cores.v[n].device = device_to[t->cores.v[n].device];
        vec_push(&t->devices.v[t->cores.v[n].device].cores, (uint32_t)n);
        n++;
    }
    t->cores.n = n;
    for (size_t i = 0; i < t->tracks.n; i++) {
        t->tracks.v[i].core = core_to[t->tracks.v[i].core];
        vec_push(&t->cores.v[t->tracks.v[i].core].tracks, (uint32_t)i);
    }
    // Runs of dropped devices have no markers left either.
    for (size_t i = 0; i < t->runs.n; i++)
        t->runs.v[i].device = device_to[t->runs.v[i].device];
    for (size_t i = 0; i < t->oddities.n; i++)
        if (t->oddities.v[i].track != TRACE_NO_TRACK)
            t->oddities.v[i].track = track_to[t->oddities.v[i].track];
}

bool trace_select(struct trace *t, struct device_ops *ops, const struct selection *s,
                  struct err *e)
{
    struct arena a = {0};
    struct chosen c = {0};
    bool ok = choose_rows(&c, t, ops, s, &a, e);
    if (ok) {
        keep_markers(t, ops, &c);
        keep_zones(t, ops, &c);
        drop_empty(t, &a);
        trace_find_spans(t);
        device_ops_again(ops, t);
    }
    arena_free(&a);
    return ok;
}
