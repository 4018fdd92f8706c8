// device_log_merge.c - merges the lanes' results into one trace.
//
// Lanes number what they find locally; here their numbers are mapped to those of the trace,
// in range order, which is file order. Rows usually stay where the lanes put them, in
// slices of the trace's columns. They are copied, track by track, only if the rows of a
// track are not adjacent (several dumps in one log).
#include "formats/device_log/device_log_merge.h"

struct merge {
    struct trace *t;
    struct log_lane *lanes;
    unsigned n_lanes;
    const struct log_source *sources;
    struct map tracks, sites, runs, cores, devices;
    // by lane: local number -> number in the trace
    uint32_t **track, **site, **run;
    // by lane and track of the trace: next row and datum
    size_t **row_at, **datum_at;
    uint32_t *first_line; // by lane
};

// --- lanes ---------------------------------------------------------------------------

struct lane_work {
    unsigned n;
    void (*work)(struct lane lane, void *context);
    void *context;
};

static void work_on_some(struct lane lane, void *context)
{
    const struct lane_work *w = context;
    for (unsigned i = lane.index; i < w->n; i += lane.n)
        w->work((struct lane){i, w->n}, w->context);
}

// Many small logs have more lanes than there are processors.
void log_lanes_run(unsigned n_lanes, void (*work)(struct lane lane, void *context),
                   void *context)
{
    struct lane_work w = {n_lanes, work, context};
    unsigned most = threads_for(1, 1);
    threads_run(n_lanes < most ? n_lanes : most, work_on_some, &w);
}

// --- tables --------------------------------------------------------------------------

// A valid UTF-8 text owned by the trace: invalid bytes become U+FFFD.
static uint32_t merge_string(struct merge *m, str s, bool is_of_lane)
{
    struct trace *t = m->t;
    size_t tail;
    // Text in the mapped file need not be copied.
    bool stays = !is_of_lane && str_bad_utf8(s, 0, &tail) == s.n && tail == s.n;
    return stays ? map_put(&t->strings, s) : trace_put_text(t, s);
}

static uint32_t merge_device(struct merge *m, const struct log_source *s, int64_t chip)
{
    uint64_t key[] = {(uint64_t)(s - m->sources), (uint64_t)chip};
    uint32_t device = map_put_copy(&m->devices, key, sizeof key, &m->t->arena);
    if (device == m->t->devices.n)
        vec_push(&m->t->devices,
                 (struct trace_device){.id = chip,
                                       .log = (uint32_t)(s - m->sources),
                                       .pid = s->part.pid,
                                       .attachment = s->part.attachment,
                                       .mhz = s->mhz,
                                       .more_programs = s->part.more_programs,
                                       .max_compute_cores = s->max_compute_cores});
    return device;
}

static void merge_track(struct merge *m, const struct log_source *s,
                        const struct track_key *k, uint32_t risc, uint32_t *out)
{
    struct trace *t = m->t;
    uint32_t device = merge_device(m, s, k->chip);
    int64_t core_key[] = {device, k->x, k->y};
    uint32_t core = map_put_copy(&m->cores, core_key, sizeof core_key, &m->t->arena);
    if (core == t->cores.n) {
        vec_push(&t->cores, (struct trace_core){
                                .device = device, .x = (int32_t)k->x, .y = (int32_t)k->y});
        vec_push(&t->devices.v[device].cores, core);
    }
    uint32_t track_key[] = {core, risc};
    uint32_t track = map_put_copy(&m->tracks, track_key, sizeof track_key, &m->t->arena);
    if (track == t->tracks.n) {
        vec_push(&t->tracks, (struct trace_track){.core = core, .risc = risc});
        vec_push(&t->cores.v[core].tracks, track);
    }
    *out = track;
}

static void merge_site(struct merge *m, const struct site_key *local, uint32_t line,
                       const uint32_t *string, uint32_t *out)
{
    struct site_key k = *local;
    k.name = string[k.name];
    k.file = string[k.file];
    k.type_text = string[k.type_text];
    k.is_legacy_of = string[k.is_legacy_of];
    uint32_t site = map_put_copy(&m->sites, &k, sizeof k, &m->t->arena);
    if (site == m->t->sites.n)
        vec_push(&m->t->sites, (struct trace_site){.name = k.name,
                                                   .file = k.file,
                                                   .type_text = k.type_text,
                                                   .timer_id = k.timer_id,
                                                   .first_line = line,
                                                   .line = k.line,
                                                   .type = (enum marker_type)k.type});
    *out = site;
}

int64_t log_more_programs(int64_t run_id, int64_t more)
{
    enum { CHIP_BITS = 10 }; // below the program's number
    int64_t id;
    bool is_too_large = __builtin_mul_overflow(more, INT64_C(1) << CHIP_BITS, &id) ||
                        __builtin_add_overflow(run_id, id, &id);
    return run_id == 0 || is_too_large ? run_id : id;
}

static void merge_run(struct merge *m, const struct log_source *s,
                      const struct run_key *local, uint32_t *out)
{
    struct run_key k = *local;
    k.chip = merge_device(m, s, k.chip);
    k.id = log_more_programs(k.id, s->part.more_programs);
    if (k.trace_id >= 0 &&
        __builtin_add_overflow(k.trace_id, s->part.more_traces, &k.trace_id))
        k.trace_id = local->trace_id;
    uint32_t run = map_put_copy(&m->runs, &k, sizeof k, &m->t->arena);
    if (run == m->t->runs.n)
        vec_push(&m->t->runs, (struct trace_run){.device = (uint32_t)k.chip,
                                                 .id = k.id,
                                                 .trace_id = k.trace_id,
                                                 .trace_counter = k.trace_counter});
    *out = run;
}

static void merge_tables(struct merge *m, unsigned i, struct arena *scratch)
{
    struct log_lane *l = &m->lanes[i];
    uint32_t first = m->first_line[i];
    uint32_t *string = push_many(scratch, uint32_t, l->strings.keys.n + 1);
    for (size_t k = 0; k < l->strings.keys.n; k++)
        string[k] = merge_string(m, l->strings.keys.v[k], l->is_legacy);
    m->track[i] = push_many(scratch, uint32_t, l->tracks.keys.n + 1);
    for (size_t k = 0; k < l->tracks.keys.n; k++) {
        const struct track_key *key = (const void *)l->tracks.keys.v[k].p;
        merge_track(m, l->source, key, string[key->risc], &m->track[i][k]);
    }
    m->site[i] = push_many(scratch, uint32_t, l->sites.keys.n + 1);
    for (size_t k = 0; k < l->sites.keys.n; k++)
        merge_site(m, (const void *)l->sites.keys.v[k].p, first + l->site_lines.v[k],
                   string, &m->site[i][k]);
    m->run[i] = push_many(scratch, uint32_t, l->runs.keys.n + 1);
    for (size_t k = 0; k < l->runs.keys.n; k++)
        merge_run(m, l->source, (const void *)l->runs.keys.v[k].p, &m->run[i][k]);
    for (size_t k = 0; k < l->odd.n; k++) {
        const struct log_odd *o = &l->odd.v[k];
        uint32_t track = o->track == TRACE_NO_TRACK ? o->track : m->track[i][o->track];
        trace_odd(m->t, track, o->kind, o->count, first + o->line, o->what);
    }
    m->t->n_rows += l->n_rows;
}

// --- columns -----------------------------------------------------------------------------

static size_t piece_end(const struct log_lane *l, size_t piece)
{
    return piece + 1 < l->pieces.n ? l->pieces.v[piece + 1].first : l->rows.n;
}

static void allocate_columns(struct trace_markers *m, size_t n)
{
    m->time = mem_resize(NULL, mem_bytes(sizeof *m->time, n + 1));
    m->site = mem_resize(NULL, mem_bytes(sizeof *m->site, n + 1));
    m->run = mem_resize(NULL, mem_bytes(sizeof *m->run, n + 1));
    m->line = mem_resize(NULL, mem_bytes(sizeof *m->line, n + 1));
    m->n = n;
}

void log_slice(struct trace *t, struct log_lane *lanes, unsigned n_lanes)
{
    size_t n = 0;
    for (unsigned i = 0; i < n_lanes; i++)
        n += lanes[i].rows.cap = log_lane_estimate(&lanes[i]);
    allocate_columns(&t->markers, n);
    n = 0;
    for (unsigned i = 0; i < n_lanes; i++) {
        struct log_columns *c = &lanes[i].rows;
        c->time = t->markers.time + n;
        c->site = t->markers.site + n;
        c->run = t->markers.run + n;
        c->line = t->markers.line + n;
        n += c->cap;
    }
}

// Counts the rows and data of each track in each lane.
static void count_columns(struct merge *m, struct arena *scratch)
{
    for (unsigned i = 0; i < m->n_lanes; i++) {
        const struct log_lane *l = &m->lanes[i];
        m->row_at[i] = push_many(scratch, size_t, m->t->tracks.n + 1);
        m->datum_at[i] = push_many(scratch, size_t, m->t->tracks.n + 1);
        size_t datum = 0;
        for (size_t p = 0; p < l->pieces.n; p++) {
            uint32_t track = m->track[i][l->pieces.v[p].track];
            size_t end = piece_end(l, p);
            m->row_at[i][track] += end - l->pieces.v[p].first;
            for (; datum < l->data.n && l->data.v[datum].marker < end; datum++)
                m->datum_at[i][track]++;
        }
    }
}

// Assigns each track its range in the columns, and each lane its range in the tracks.
static void plan_columns(struct merge *m)
{
    struct trace *t = m->t;
    size_t row = 0, datum = 0;
    for (size_t k = 0; k < t->tracks.n; k++) {
        struct trace_track *track = &t->tracks.v[k];
        track->marker = (uint32_t)row;
        track->datum = (uint32_t)datum;
        for (unsigned i = 0; i < m->n_lanes; i++) {
            size_t rows = m->row_at[i][k], data = m->datum_at[i][k];
            m->row_at[i][k] = row;
            m->datum_at[i][k] = datum;
            row += rows;
            datum += data;
        }
        track->n_markers = (uint32_t)(row - track->marker);
        track->n_data = (uint32_t)(datum - track->datum);
    }
}

// Can all rows stay in place? Every track must be contiguous; a range may end inside a
// track, whose rest is then moved up if there is room.
static bool can_stay(const struct merge *m)
{
    size_t n_pieces = 0, n_cut = 0;
    for (unsigned i = 0; i < m->n_lanes; i++) {
        const struct log_lane *l = &m->lanes[i];
        if (l->rows.is_own || !l->pieces.n)
            return false;
        n_pieces += l->pieces.n;
        if (i == 0)
            continue;
        const struct log_lane *before = l - 1;
        uint32_t last = m->track[i - 1][before->pieces.v[before->pieces.n - 1].track];
        if (m->track[i][l->pieces.v[0].track] != last)
            continue;
        n_cut++;
        // A lane with nothing else would have to be moved entirely.
        if (l->pieces.n < 2 || before->rows.n + piece_end(l, 0) > before->rows.cap)
            return false;
    }
    return n_pieces - n_cut == m->t->tracks.n;
}

// Maps local numbers to the trace's, in place.
static void renumber_lane(struct lane lane, void *context)
{
    struct merge *m = context;
    struct log_columns *c = &m->lanes[lane.index].rows;
    const uint32_t *site = m->site[lane.index], *run = m->run[lane.index];
    uint32_t first_line = m->first_line[lane.index];
    for (size_t i = 0; i < c->n; i++) {
        c->site[i] = site[c->site[i]];
        c->run[i] = run[c->run[i]];
        c->line[i] += first_line;
    }
}

static void move_up(struct log_columns *to, const struct log_columns *from, size_t n)
{
    memcpy(to->time + to->n, from->time, n * sizeof *to->time);
    memcpy(to->site + to->n, from->site, n * sizeof *to->site);
    memcpy(to->run + to->n, from->run, n * sizeof *to->run);
    memcpy(to->line + to->n, from->line, n * sizeof *to->line);
}

static void keep_in_place(struct merge *m)
{
    struct trace *t = m->t;
    log_lanes_run(m->n_lanes, renumber_lane, m);
    size_t n_data = 0;
    for (unsigned i = 0; i < m->n_lanes; i++)
        n_data += m->lanes[i].data.n;
    vec_reserve(&t->data, n_data);
    for (unsigned i = 0; i < m->n_lanes; i++) {
        struct log_lane *l = &m->lanes[i];
        size_t base = (size_t)(l->rows.time - t->markers.time), datum = 0;
        for (size_t p = 0; p < l->pieces.n; p++) {
            struct trace_track *k = &t->tracks.v[m->track[i][l->pieces.v[p].track]];
            size_t first = l->pieces.v[p].first, end = piece_end(l, p);
            bool is_rest = i > 0 && p == 0 && k->n_markers > 0;
            size_t at = is_rest ? (size_t)k->marker + k->n_markers : base + first;
            if (is_rest)
                move_up(&l[-1].rows, &l->rows, end);
            else
                k->datum = (uint32_t)t->data.n;
            if (!is_rest)
                k->marker = (uint32_t)at;
            k->n_markers += (uint32_t)(end - first);
            for (; datum < l->data.n && l->data.v[datum].marker < end; datum++) {
                struct trace_datum d = l->data.v[datum];
                d.marker = (uint32_t)(d.marker - first + at);
                vec_push(&t->data, d);
                k->n_data++;
            }
        }
    }
}

static void copy_lane(struct lane lane, void *context)
{
    struct merge *m = context;
    struct trace_markers *to = &m->t->markers;
    const struct log_lane *l = &m->lanes[lane.index];
    size_t datum = 0;
    for (size_t p = 0; p < l->pieces.n; p++) {
        uint32_t track = m->track[lane.index][l->pieces.v[p].track];
        size_t from = l->pieces.v[p].first, n = piece_end(l, p) - from;
        size_t at = m->row_at[lane.index][track];
        memcpy(to->time + at, l->rows.time + from, n * sizeof *to->time);
        memcpy(to->site + at, l->rows.site + from, n * sizeof *to->site);
        memcpy(to->run + at, l->rows.run + from, n * sizeof *to->run);
        memcpy(to->line + at, l->rows.line + from, n * sizeof *to->line);
        for (; datum < l->data.n && l->data.v[datum].marker < from + n; datum++) {
            struct trace_datum *d = &m->t->data.v[m->datum_at[lane.index][track]++];
            *d = l->data.v[datum];
            d->marker = (uint32_t)(d->marker - from + at);
        }
        m->row_at[lane.index][track] = at + n;
    }
}

static void copy_all(struct merge *m, size_t n, struct arena *scratch)
{
    struct trace *t = m->t;
    struct trace_markers slices = t->markers;
    allocate_columns(&t->markers, n);
    size_t n_data = 0;
    for (unsigned i = 0; i < m->n_lanes; i++)
        n_data += m->lanes[i].data.n;
    vec_reserve(&t->data, n_data);
    t->data.n = n_data;
    count_columns(m, scratch);
    plan_columns(m);
    log_lanes_run(m->n_lanes, renumber_lane, m);
    log_lanes_run(m->n_lanes, copy_lane, m);
    mem_free(slices.time);
    mem_free(slices.site);
    mem_free(slices.run);
    mem_free(slices.line);
}

bool log_merge(struct trace *t, struct log_lane *lanes, unsigned n_lanes, struct err *e)
{
    struct merge merge = {.t = t,
                          .lanes = lanes,
                          .n_lanes = n_lanes,
                          .sources = lanes[0].source},
                 *m = &merge;
    struct arena scratch = {0};
    size_t total = 0;
    uint32_t line = 0;
    const char *path = t->path;
    m->track = push_many(&scratch, uint32_t *, m->n_lanes);
    m->site = push_many(&scratch, uint32_t *, m->n_lanes);
    m->run = push_many(&scratch, uint32_t *, m->n_lanes);
    m->row_at = push_many(&scratch, size_t *, m->n_lanes);
    m->datum_at = push_many(&scratch, size_t *, m->n_lanes);
    m->first_line = push_many(&scratch, uint32_t, m->n_lanes);
    (void)map_put(&m->t->strings, S(""));
    for (unsigned i = 0; i < m->n_lanes; i++) {
        if (i == 0 || m->lanes[i].source != m->lanes[i - 1].source)
            line = m->lanes[i].head->body_line;
        t->path = m->lanes[i].source->part.path; // of the findings
        m->first_line[i] = line;
        line += m->lanes[i].n_lines;
        total += m->lanes[i].rows.n;
        merge_tables(m, i, &scratch);
    }
    t->path = path;
    bool fits = total < UINT32_MAX && t->markers.n < UINT32_MAX;
    if (!fits)
        (void)err_set(e, ERR_LIMIT,
                      "%zu rows; at most about 4 000 000 000 are supported; split the log",
                      total);
    else if (can_stay(m))
        keep_in_place(m);
    else
        copy_all(m, total, &scratch);
    arena_free(&scratch);
    map_free(&m->tracks);
    map_free(&m->sites);
    map_free(&m->runs);
    map_free(&m->cores);
    map_free(&m->devices);
    return fits;
}
