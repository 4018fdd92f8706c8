// decode_trace.c - merges the lanes' results into one trace.
#include "base/data/threads.h"

#include "collect/decode/decode_parts.h"

enum { FIRST_LINE = 3 }; // two lines precede the first row of a log

// Maps a lane's numbers to the trace's.
struct numbers {
    uint32_t *site, *run;
    size_t line;  // of the lane's first row
    bool is_same; // the map is the identity, as it usually is for the first lane
};

struct merge {
    struct decoder *d;
    struct trace *t;
    struct numbers *lanes;
    struct map sites, runs; // of extra sites, of run keys
    struct map known;       // sites of the trace, by site_identity
    VEC(uint32_t) extra;    // by index in `sites`: site of the trace
    uint32_t *plain;        // by key: site of the trace, + 1
    struct trace_core last_core;
    uint32_t n_cores;
    struct arena arena;
};

static uint32_t device_of(struct merge *m, int64_t chip)
{
    struct trace *t = m->t;
    size_t device = 0;
    while (device < t->devices.n && t->devices.v[device].id != chip)
        device++;
    if (device == t->devices.n)
        vec_push(&t->devices, (struct trace_device){.id = chip});
    return (uint32_t)device;
}

// --- tables ----------------------------------------------------------------------------

// What makes a site unique: a zone renamed to an existing name is the same site.
struct site_identity {
    int64_t line;
    uint32_t id, name, file, type;
    uint64_t legacy; // of which RISC
};

static uint32_t add_site(struct merge *m, const struct extra_site *x, size_t line)
{
    struct trace *t = m->t;
    struct trace_site s = {.timer_id = x->id, .line = x->line};
    s.name = trace_put_text(t, x->name);
    s.file = trace_put_text(t, x->file);
    s.type = (enum marker_type)x->type;
    s.type_text = map_put(&t->strings, str_of(marker_type_names[x->type]));
    s.first_line = line > UINT32_MAX ? UINT32_MAX : (uint32_t)line;
    struct site_identity key = {s.line, s.timer_id, s.name, s.file, s.type, x->legacy};
    uint32_t at = map_put_copy(&m->known, &key, sizeof key, &m->arena);
    if (at == t->sites.n)
        vec_push(&t->sites, s);
    return at;
}

static uint32_t plain_site(struct merge *m, uint32_t key, size_t line)
{
    if (m->plain[key])
        return m->plain[key] - 1;
    struct extra_site x = {
        .type = key >> 16, .id = key & 0xFFFF, .name = S(""), .file = S("")};
    const struct zone_name *z =
        site_has_name(x.type, x.id) ? names_find(&m->d->c->names, x.id) : NULL;
    if (z) {
        x.name = z->name;
        x.file = z->file;
        x.line = z->line;
    }
    m->plain[key] = add_site(m, &x, line) + 1;
    return m->plain[key] - 1;
}

static uint32_t merge_extra(struct merge *m, const struct decode_lane *l, uint32_t number,
                            size_t line)
{
    str key = l->extra_keys.keys.v[number];
    uint32_t at = map_put_copy(&m->sites, key.p, key.n, &m->arena);
    if (at == m->extra.n)
        vec_push(&m->extra, add_site(m, &l->extra.v[number], line));
    return m->extra.v[at];
}

static void merge_tables(struct merge *m, const struct decode_lane *l, struct numbers *to)
{
    struct trace *t = m->t;
    to->site = push_many(&m->arena, uint32_t, l->sites.n + 1);
    to->run = push_many(&m->arena, uint32_t, l->run_order.n + 1);
    to->line = FIRST_LINE + t->n_rows;
    to->is_same = true;
    for (size_t i = 0; i < l->sites.n; i++) {
        const struct site_seen *s = &l->sites.v[i];
        to->site[i] = s->key < SITE_EXTRA
                          ? plain_site(m, s->key, to->line + s->row)
                          : merge_extra(m, l, s->key - SITE_EXTRA, to->line + s->row);
        to->is_same &= to->site[i] == i;
    }
    for (size_t i = 0; i < l->run_order.n; i++) {
        const struct run_key *k = &l->runs.v[l->run_order.v[i]].key;
        uint32_t run = map_put_copy(&m->runs, k, sizeof *k, &m->arena);
        if (run == t->runs.n)
            vec_push(&t->runs, (struct trace_run){.device = device_of(m, k->chip),
                                                  .id = k->id,
                                                  .trace_id = k->trace_id,
                                                  .trace_counter = k->trace_counter});
        to->run[i] = run;
        to->is_same &= run == i;
    }
    t->n_rows += l->n_rows;
}

// --- tracks ----------------------------------------------------------------------------

static uint32_t merge_core(struct merge *m, const struct track_work *w)
{
    struct trace *t = m->t;
    const struct chip_record *chip = m->d->chips.v[w->chip].chip;
    const struct tt_core *is = &chip->cores[w->core];
    struct trace_core core = {.device = device_of(m, chip->id), .x = is->x, .y = is->y};
    if (t->is_legacy)
        legacy_coordinates(is, &core.x, &core.y);
    // Tracks of a core are adjacent.
    const struct trace_core *last = &m->last_core;
    if (!m->n_cores || last->device != core.device || last->x != core.x ||
        last->y != core.y) {
        vec_push(&t->devices.v[core.device].cores, m->n_cores++);
        vec_push(&t->cores, core);
        m->last_core = core;
    }
    return m->n_cores - 1;
}

// Metadata lives as long as the trace. Markers of one run usually share theirs.
static void merge_data(struct merge *m, const struct decode_lane *l,
                       const struct track_work *w)
{
    struct trace *t = m->t;
    const char *was = NULL, *is = NULL;
    for (size_t i = w->datum; i < w->datum + w->n_data; i++) {
        struct trace_datum d = l->data.v[i];
        if (d.meta_n && d.meta != was) {
            was = d.meta;
            is = arena_str(&t->arena, (str){d.meta, d.meta_n}).p;
        }
        d.meta = d.meta_n ? is : NULL;
        d.marker += (uint32_t)w->row;
        vec_push(&t->data, d);
    }
}

static void merge_track(struct merge *m, const struct decode_lane *l,
                        const struct track_work *w)
{
    struct trace *t = m->t;
    struct decoder *d = m->d;
    const struct chip_record *chip = d->chips.v[w->chip].chip;
    if (!w->n_rows)
        return;
    struct trace_track k = {.marker = (uint32_t)w->row, .n_markers = (uint32_t)w->n_rows};
    const char *risc = collection_risc_name(d->c, chip, &chip->cores[w->core], w->risc);
    k.core = merge_core(m, w);
    k.risc = map_put(&t->strings, str_of(risc));
    k.datum = (uint32_t)t->data.n;
    k.n_data = (uint32_t)w->n_data;
    merge_data(m, l, w);
    vec_push(&t->cores.v[k.core].tracks, (uint32_t)t->tracks.n);
    vec_push(&t->tracks, k);
}

// --- columns ---------------------------------------------------------------------------

static void renumber_lane(struct lane lane, void *context)
{
    struct merge *m = context;
    const struct decode_lane *l = &m->d->lanes[lane.index];
    const struct numbers *to = &m->lanes[lane.index];
    struct trace_markers *c = &m->t->markers;
    size_t line = to->line;
    for (size_t k = l->from; k < l->to; k++) {
        const struct track_work *w = &m->d->tracks.v[k];
        for (size_t i = w->row; i < w->row + w->n_rows; i++) {
            c->line[i] = (uint32_t)line++;
            if (to->is_same)
                continue;
            c->site[i] = to->site[c->site[i]];
            c->run[i] = to->run[c->run[i]];
        }
    }
}

void decode_merge(struct decoder *d, unsigned n_lanes)
{
    struct merge merge = {.d = d, .t = d->t}, *m = &merge;
    m->plain = mem_alloc(mem_bytes(sizeof *m->plain, SITE_KEYS));
    m->lanes = push_many(&m->arena, struct numbers, n_lanes);
    // Devices are listed in track order, whatever their runs say.
    for (unsigned i = 0; i < n_lanes; i++)
        for (size_t k = d->lanes[i].from; k < d->lanes[i].to; k++)
            merge_track(m, &d->lanes[i], &d->tracks.v[k]);
    for (unsigned i = 0; i < n_lanes; i++)
        merge_tables(m, &d->lanes[i], &m->lanes[i]);
    threads_run(n_lanes, renumber_lane, m);
    mem_free(m->plain);
    map_free(&m->sites);
    map_free(&m->known);
    map_free(&m->runs);
    vec_free(&m->extra);
    arena_free(&m->arena);
}
