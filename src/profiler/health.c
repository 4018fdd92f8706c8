// health.c - writes profiler_health.json, and gathers the health of a log.
#include "profiler/health.h"

#include "base/data/array.h"

#include "analyse/diags.h"
#include "formats/diags.h"
#include "table/findings.h"

// --- the file ----------------------------------------------------------------------------

// True if the data's source knows this value. `arg`: enum health_source, or-ed.
static bool is_known(const struct column *c, const struct row *r)
{
    const struct health *h = r->table->context;
    return c->arg & h->source;
}
GETTER(get_count)
{
    return is_known(c, r) ? at_u64(c, r) : cell_none();
}
GETTER(get_flag)
{
    return is_known(c, r) ? at_bool(c, r) : cell_none();
}
// 0: there is none.
GETTER(get_number)
{
    return *(const uint32_t *)row_at(c, r) ? at_u32(c, r) : cell_none();
}

enum { BOTH = HEALTH_OF_LOG | HEALTH_OF_DEVICE };
// clang-format off
#define KNOWN(key, owner, member, of) {.name = (key), .type = CELL_INT, .get = get_count, MEMBER(owner, member), .arg = (of)}
#define FLAG(key, owner, member)      {.name = (key), .type = CELL_BOOL, .get = get_flag, MEMBER(owner, member), .arg = HEALTH_OF_DEVICE}
#define PLACE(owner)                                                                      \
    {.name = "chip", .type = CELL_INT, .get = at_i64, MEMBER(owner, chip)},                \
    {.name = "core_x", .type = CELL_INT, .get = at_i64, MEMBER(owner, x)},                 \
    {.name = "core_y", .type = CELL_INT, .get = at_i64, MEMBER(owner, y)}

static const struct column total_columns[] = {
    {.name = "log", .type = CELL_TEXT, .get = at_z, MEMBER(struct health, log)},
    KNOWN("readouts", struct health, readouts, HEALTH_OF_DEVICE),
    KNOWN("rows", struct health, rows, BOTH),
    KNOWN("markers", struct health, markers, BOTH),
    KNOWN("zones", struct health, zones, HEALTH_OF_LOG),
    KNOWN("ops", struct health, ops, BOTH),
    KNOWN("incomplete_ops", struct health, incomplete_ops, BOTH),
    KNOWN("l1_dropped", struct health, l1_dropped, HEALTH_OF_DEVICE),
    KNOWN("dram_dropped", struct health, dram_dropped, HEALTH_OF_DEVICE),
    FLAG("counts_losses", struct health, is_counted),
    FLAG("lossy", struct health, is_lossy),
    KNOWN("unknown_replays", struct health, unknown_replays, HEALTH_OF_DEVICE),
    FLAG("aligned_with_host", struct health, is_aligned),
    KNOWN("programs_not_started", struct health, programs_not_started, HEALTH_OF_DEVICE),
    KNOWN("queue_drains", struct health, queue_drains, HEALTH_OF_DEVICE),
    KNOWN("flushes", struct health, flushes, HEALTH_OF_DEVICE),
    KNOWN("flush_cycles", struct health, flush_cycles, HEALTH_OF_DEVICE),
    KNOWN("flush_max", struct health, flush_max, HEALTH_OF_DEVICE),
};

static const struct column clean_columns[] = {
    KNOWN("tracks", struct health, clean.tracks, BOTH),
    KNOWN("markers", struct health, clean.markers, BOTH),
    KNOWN("zones", struct health, clean.zones, HEALTH_OF_LOG),
};

static void put_odd(const struct row *r, struct json *j);

#define OF_RISC(key, member, of) KNOWN(key, struct health_track, counts.member, of)
static const struct column track_columns[] = {
    {.name = "pid", .type = CELL_INT, .get = get_number, MEMBER(struct health_track, pid)},
    {.name = "attachment", .type = CELL_INT, .get = get_number, MEMBER(struct health_track, attachment)},
    PLACE(struct health_track),
    {.name = "risc", .type = CELL_TEXT, .get = at_text, MEMBER(struct health_track, risc)},
    OF_RISC("markers", markers, BOTH),
    KNOWN("zones", struct health_track, zones, HEALTH_OF_LOG),
    OF_RISC("l1_dropped", l1_dropped, HEALTH_OF_DEVICE),
    OF_RISC("dram_dropped", dram_dropped, HEALTH_OF_DEVICE),
    OF_RISC("first_drop", first_drop, HEALTH_OF_DEVICE),
    OF_RISC("unknown_ids", unknown_ids, HEALTH_OF_DEVICE),
    OF_RISC("orphan_starts", orphan_starts, BOTH),
    OF_RISC("orphan_ends", orphan_ends, BOTH),
    OF_RISC("foreign", foreign, HEALTH_OF_DEVICE),
    OF_RISC("bad_types", bad_types, HEALTH_OF_DEVICE),
    OF_RISC("truncated", truncated, HEALTH_OF_DEVICE),
    OF_RISC("resyncs", resyncs, HEALTH_OF_DEVICE),
    OF_RISC("duplicates", duplicates, BOTH),
    OF_RISC("bad_events", bad_events, HEALTH_OF_DEVICE),
    OF_RISC("stalls", stalls, HEALTH_OF_DEVICE),
    OF_RISC("stall_ns", stall_ns, HEALTH_OF_DEVICE),
    OF_RISC("lossy", is_lossy, HEALTH_OF_DEVICE),
    {.name = "findings", .json = put_odd},
};

static const struct column core_columns[] = {
    PLACE(struct health_core),
    KNOWN("flushes", struct health_core, health.flushes, HEALTH_OF_DEVICE),
    KNOWN("flush_cycles", struct health_core, health.flush_cycles, HEALTH_OF_DEVICE),
    KNOWN("flush_max", struct health_core, health.flush_max, HEALTH_OF_DEVICE),
    FLAG("counts_losses", struct health_core, health.is_counted),
    FLAG("partial", struct health_core, health.is_partial),
    FLAG("damaged", struct health_core, health.is_damaged),
};
// clang-format on

// {"end-without-start":{"count":2,"first_line":3}, ...}
static void put_odd(const struct row *r, struct json *j)
{
    const struct health_track *t = r->data;
    json_open(j, '{');
    for (size_t i = 0; i < t->n_odd; i++) {
        json_key(j, str_of(diag_name(t->odd[i].kind)));
        json_open(j, '{');
        json_key_int(j, "count", (int64_t)t->odd[i].count);
        json_key(j, S("first_line"));
        if (t->odd[i].line)
            json_uint(j, t->odd[i].line);
        else
            json_none(j);
        json_close(j, '}');
    }
    json_close(j, '}');
}

#define TABLE(list, of, count)                                                             \
    &(const struct table)                                                                  \
    {                                                                                      \
        .columns = (list), .n_columns = COUNT_OF(list), .rows = (of),                      \
        .row_bytes = sizeof *(of), .context = h, .n_rows = (count)                         \
    }

static void put_health(const struct health *h, struct out *o)
{
    struct json j = {.b = &o->b, .is_first = true};
    json_open(&j, '{');
    json_key_text(&j, "ttprof", S(TTPROF_VERSION));
    table_json_members(TABLE(total_columns, h, 1), 0, &j);
    json_key_int(&j, "odd", (int64_t)diag_total(h->diag));
    json_newline(&j);
    findings_json(h->diag, &j);
    json_newline(&j);
    json_key(&j, S("tracks"));
    table_json_rows(TABLE(track_columns, h->tracks.v, h->tracks.n), JSON_OBJECTS, &j, o);
    json_newline(&j);
    json_key(&j, S("without_findings"));
    json_open(&j, '{');
    table_json_members(TABLE(clean_columns, h, 1), 0, &j);
    json_close(&j, '}');
    json_newline(&j);
    json_key(&j, S("cores"));
    table_json_rows(TABLE(core_columns, h->cores.v, h->cores.n), JSON_OBJECTS, &j, o);
    json_close(&j, '}');
    buf_char(&o->b, '\n');
}

bool health_write(const struct health *h, const char *path, struct err *e)
{
    struct out o;
    if (!out_open(&o, path, e))
        return false;
    put_health(h, &o);
    return out_close(&o, e);
}

void health_free(struct health *h)
{
    vec_free(&h->tracks);
    vec_free(&h->cores);
    arena_free(&h->arena);
}

// --- health of a log ---------------------------------------------------------------------

// Markers in the log; the T0 marker is added by the reader.
static uint64_t markers_of(const struct trace *t, size_t track)
{
    return t->tracks.v[track].n_markers - (uint64_t)t->has_t0;
}

// The oddities of each track as linked lists.
struct by_track {
    uint32_t *first; // by track: index + 1, 0 = none
    uint32_t *next;  // by oddity
};

static struct by_track gather_oddities(const struct trace *t, struct arena *a)
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

static void find_odd(struct health_track *to, const struct trace *t,
                     const struct by_track *g, size_t track, struct arena *a)
{
    struct health_odd by_kind[DIAG_KINDS] = {0};
    for (uint32_t o = g->first[track]; o; o = g->next[o - 1]) {
        const struct trace_oddity *odd = &t->oddities.v[o - 1];
        struct health_odd *of = &by_kind[odd->kind];
        to->n_odd += of->count == 0;
        of->count += odd->count;
        of->line = of->line ? of->line : odd->first_line;
    }
    to->odd = push_many(a, struct health_odd, to->n_odd);
    size_t n = 0;
    for (int k = 0; k < DIAG_KINDS; k++)
        if (by_kind[k].count)
            to->odd[n++] = (struct health_odd){k, by_kind[k].count, by_kind[k].line};
    to->counts.orphan_starts = by_kind[DIAG_START_WITHOUT_END].count;
    to->counts.orphan_ends = by_kind[DIAG_END_WITHOUT_START].count;
    to->counts.duplicates = by_kind[DIAG_DUPLICATE_ROW].count;
}

static void add_track(struct health *h, const struct trace *t, const struct by_track *g,
                      size_t i)
{
    const struct trace_track *k = &t->tracks.v[i];
    const struct trace_core *core = &t->cores.v[k->core];
    const struct trace_device *device = &t->devices.v[core->device];
    struct health_track track = {.pid = device->pid,
                                 .attachment = device->attachment,
                                 .chip = device->id,
                                 .x = core->x,
                                 .y = core->y,
                                 .risc = trace_text(t, k->risc),
                                 .counts.markers = markers_of(t, i),
                                 .zones = k->n_zones};
    find_odd(&track, t, g, i, &h->arena);
    vec_push(&h->tracks, track);
}

static void health_of_log(struct health *h, const struct trace *t,
                          const struct device_ops *ops)
{
    *h = (struct health){.source = HEALTH_OF_LOG,
                         .log = t->path,
                         .diag = &t->diag,
                         .rows = t->n_rows,
                         .zones = t->zones.n,
                         .ops = ops->n,
                         .incomplete_ops = ops->n_incomplete};
    struct by_track g = gather_oddities(t, &h->arena);
    for (size_t i = 0; i < t->tracks.n; i++) {
        h->markers += markers_of(t, i);
        if (g.first[i]) {
            add_track(h, t, &g, i);
            continue;
        }
        h->clean.tracks++;
        h->clean.markers += markers_of(t, i);
        h->clean.zones += t->tracks.v[i].n_zones;
    }
}

bool health_write_log(const struct trace *t, const struct device_ops *ops, const char *path,
                      struct err *e)
{
    struct health h;
    health_of_log(&h, t, ops);
    bool ok = health_write(&h, path, e);
    health_free(&h);
    return ok;
}
