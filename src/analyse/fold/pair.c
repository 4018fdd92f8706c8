// pair.c - a stack of open zones per track.
//
// An end belongs to the innermost open zone with its id. Zones inside that one have lost
// their end and are closed with it. An end that matches no open zone has lost its start. If
// the firmware zone of a RISC starts while it is still open, the previous op has lost its
// end: everything open is closed at the marker before, so that a loss stays in its op.
#include "analyse/fold/pair.h"

#include "base/data/threads.h"

#include "analyse/diags.h"

enum {
    WORTH_LANES = 1 << 17, // markers
    LOOK_DOWN = 128,       // depth of the search for the start of an end
};

struct pair_odd {
    uint64_t n_ends, n_starts, n_deep;
    uint32_t end_line, start_line, deep_line;
    uint32_t end_site, start_site; // of the first
};

struct open_zone {
    uint32_t zone;
    uint32_t timer_id;
    uint32_t marker;
};

struct pairing {
    struct trace *t;
    struct pair_odd *odd; // by track
};

typedef VEC(struct open_zone) open_zones;

static void close_repaired(struct trace *t, open_zones *open, size_t down_to, uint64_t end,
                           struct pair_odd *odd)
{
    while (open->n > down_to) {
        struct open_zone z = open->v[--open->n];
        t->zones.end[z.zone] = end;
        t->zones.depth[z.zone] |= ZONE_REPAIRED;
        if (odd->n_starts++ == 0 || t->markers.line[z.marker] < odd->start_line) {
            odd->start_line = t->markers.line[z.marker];
            odd->start_site = t->markers.site[z.marker];
        }
    }
}

static void open_zone(struct trace *t, open_zones *open, uint32_t zone, uint32_t marker,
                      struct pair_odd *odd)
{
    uint32_t site = t->markers.site[marker];
    size_t depth = open->n;
    if (depth > ZONE_DEPTH_MOST) {
        depth = ZONE_DEPTH_MOST;
        if (odd->n_deep++ == 0)
            odd->deep_line = t->markers.line[marker];
    }
    t->zones.start[zone] = t->markers.time[marker];
    t->zones.site[zone] = site;
    t->zones.run[zone] = t->markers.run[marker];
    t->zones.depth[zone] = (uint8_t)depth;
    vec_push(open, (struct open_zone){zone, t->sites.v[site].timer_id, marker});
}

static void close_zone(struct trace *t, open_zones *open, uint32_t marker,
                       struct pair_odd *odd)
{
    uint32_t site = t->markers.site[marker];
    uint32_t id = t->sites.v[site].timer_id;
    // In the 2023 format an id stands for a start or an end, not for a zone.
    if (t->is_legacy)
        id = id == 3 ? 2 : 1;
    size_t from = open->n > LOOK_DOWN ? open->n - LOOK_DOWN : 0;
    for (size_t i = open->n; i-- > from;) {
        if (open->v[i].timer_id != id)
            continue;
        close_repaired(t, open, i + 1, t->markers.time[marker], odd);
        t->zones.end[open->v[--open->n].zone] = t->markers.time[marker];
        return;
    }
    if (odd->n_ends++ == 0) {
        odd->end_line = t->markers.line[marker];
        odd->end_site = site;
    }
}

// Does this start begin another op although the previous one has not ended?
static bool is_next_op(const struct trace *t, const open_zones *open, uint32_t marker)
{
    if (!open->n)
        return false;
    uint32_t bottom = open->v[0].marker;
    const struct trace_site *was = trace_site_of(t, bottom), *is = trace_site_of(t, marker);
    if (was->timer_id != is->timer_id || was->name != is->name)
        return false;
    return t->markers.run[bottom] != t->markers.run[marker] ||
           str_ends(trace_text(t, is->name), S("-FW"));
}

static void pair_track(struct trace *t, const struct trace_track *k, open_zones *open,
                       struct pair_odd *odd)
{
    uint32_t zone = k->zone;
    open->n = 0;
    for (uint32_t i = k->marker; i < k->marker + k->n_markers; i++) {
        switch (trace_site_of(t, i)->type) {
        case MARKER_ZONE_START:
            if (is_next_op(t, open, i))
                close_repaired(t, open, 0, t->markers.time[i - 1], odd);
            open_zone(t, open, zone++, i, odd);
            break;
        case MARKER_ZONE_END: close_zone(t, open, i, odd); break;
        default: break;
        }
    }
    if (open->n)
        close_repaired(t, open, 0, t->markers.time[k->marker + k->n_markers - 1], odd);
}

static void pair_lane(struct lane lane, void *context)
{
    struct pairing *p = context;
    open_zones open = {0};
    struct range r = lane_range(lane, p->t->tracks.n);
    for (size_t k = r.from; k < r.to; k++)
        pair_track(p->t, &p->t->tracks.v[k], &open, &p->odd[k]);
    vec_free(&open);
}

static void count_lane(struct lane lane, void *context)
{
    struct pairing *p = context;
    struct range r = lane_range(lane, p->t->tracks.n);
    for (size_t k = r.from; k < r.to; k++) {
        struct trace_track *track = &p->t->tracks.v[k];
        track->n_zones = 0;
        for (uint32_t i = 0; i < track->n_markers; i++)
            track->n_zones +=
                trace_site_of(p->t, track->marker + i)->type == MARKER_ZONE_START;
    }
}

static void reserve_zones(struct trace *t)
{
    size_t n = 0;
    for (size_t k = 0; k < t->tracks.n; k++) {
        t->tracks.v[k].zone = (uint32_t)n;
        n += t->tracks.v[k].n_zones;
    }
    struct trace_zones *z = &t->zones;
    z->n = n;
    z->start = mem_resize(z->start, mem_bytes(sizeof *z->start, n + 1));
    z->end = mem_resize(z->end, mem_bytes(sizeof *z->end, n + 1));
    z->site = mem_resize(z->site, mem_bytes(sizeof *z->site, n + 1));
    z->run = mem_resize(z->run, mem_bytes(sizeof *z->run, n + 1));
    z->depth = mem_resize(z->depth, n + 1);
}

static void say_odd(struct trace *t, uint32_t track, const struct pair_odd *odd)
{
    if (odd->n_ends)
        trace_odd(t, track, DIAG_END_WITHOUT_START, odd->n_ends, odd->end_line,
                  trace_text(t, t->sites.v[odd->end_site].name));
    if (odd->n_starts)
        trace_odd(t, track, DIAG_START_WITHOUT_END, odd->n_starts, odd->start_line,
                  trace_text(t, t->sites.v[odd->start_site].name));
    trace_odd(t, track, DIAG_TOO_DEEP, odd->n_deep, odd->deep_line,
              trace_text(t, t->tracks.v[track].risc));
}

void pair_zones(struct trace *t)
{
    struct pairing p = {.t = t};
    p.odd = mem_alloc(mem_bytes(sizeof *p.odd, t->tracks.n + 1));
    unsigned n = threads_for(t->markers.n, WORTH_LANES);
    threads_run(n, count_lane, &p);
    reserve_zones(t);
    threads_run(n, pair_lane, &p);
    for (size_t k = 0; k < t->tracks.n; k++)
        say_odd(t, (uint32_t)k, &p.odd[k]);
    mem_free(p.odd);
}
