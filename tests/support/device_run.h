// device_run.h - a device log through the whole chain, as `ttprof device` does it, and what
// must hold of any trace, whatever the log.
#ifndef TTP_TESTS_DEVICE_RUN_H
#define TTP_TESTS_DEVICE_RUN_H

#include <stdlib.h>

#include "analyse/device/legacy.h"
#include "analyse/diags.h"
#include "analyse/fold/pair.h"
#include "analyse/perf/select.h"
#include "formats/device_log/device_log.h"
#include "formats/diags.h"
#include "present/device/device_stats.h"

#define LOG_CHIP_LINE "ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000, Max Compute Cores: 64\n"
#define LOG_NAMES_LINE                                                                     \
    "PCIe slot, core_x, core_y, RISC processor type, timer_id, "                           \
    "time[cycles since reset], data, run host ID, trace id, trace id counter, "            \
    "zone name, type, source line, source file, meta data\n"
#define LOG_HEAD LOG_CHIP_LINE LOG_NAMES_LINE
#define LOG_LEGACY_NAMES                                                                   \
    "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset]\n"

struct device_run {
    char *text; // a block of its own size: reading past the end does not go unseen
    struct trace trace;
    struct device_ops ops;
    struct dispatch_ops dispatch;
    struct device_analysis analysis;
    struct arena arena;
    struct setup own_setup;
    struct buf stats;
    struct err e;
    bool ok;
};

struct device_how {
    const struct setup *setup; // NULL: the one that goes with the log
    struct selection selection;
    bool no_op_detection, with_incomplete_ops, with_percentiles;
};

// Reads only; true when the text is a log.
static inline bool device_run_read(struct device_run *r, str text)
{
    *r = (struct device_run){.text = mem_alloc(text.n)};
    if (text.n)
        memcpy(r->text, text.p, text.n);
    return r->ok =
               device_log_read_text(&r->trace, (str){r->text, text.n}, "log.csv", &r->e);
}

// Zones, ops and statistics of what was read; false when the selection is none.
static inline bool device_run_analyse(struct device_run *r, const struct device_how *how)
{
    const struct setup *setup = how->setup;
    const char *name = r->trace.is_legacy ? "legacy_setup" : "default_setup";
    if (!setup && !setup_load(&r->own_setup, name, &r->arena, &r->e))
        abort();
    if (!setup)
        setup = &r->own_setup;
    struct analysis_choice choice = {setup->detect_ops && !how->no_op_detection,
                                     how->with_incomplete_ops};
    pair_zones(&r->trace);
    device_ops_find(&r->ops, &r->trace);
    if (!selection_is_empty(&how->selection) &&
        !trace_select(&r->trace, &r->ops, &how->selection, &r->e))
        return r->ok = false;
    if (choice.detect_ops)
        dispatch_ops_find(&r->dispatch, &r->trace);
    if (r->trace.is_legacy)
        legacy_add_t0(&r->trace);
    device_analyse(&r->analysis, &r->trace, &r->ops, &r->dispatch, setup, choice);
    device_stats_text(&r->analysis, how->with_percentiles, &r->stats);
    return true;
}

static inline bool device_run(struct device_run *r, str text, const struct device_how *how)
{
    static const struct device_how usual = {0};
    return device_run_read(r, text) && device_run_analyse(r, how ? how : &usual);
}

static inline void device_run_free(struct device_run *r)
{
    if (r->analysis.setup)
        device_analysis_free(&r->analysis);
    dispatch_ops_free(&r->dispatch);
    device_ops_free(&r->ops);
    setup_free(&r->own_setup);
    trace_free(&r->trace);
    buf_free(&r->stats);
    arena_free(&r->arena);
    mem_free(r->text);
    *r = (struct device_run){0};
}

static inline uint64_t trace_count(const struct trace *t, int kind)
{
    return t->diag.entry[kind].count;
}

// --- what holds of any trace: NULL, or the law that is broken

// Every row became a marker or was counted. A head that was cut is no row.
static inline const char *law_of_rows(const struct trace *t)
{
    uint64_t n = trace_count(t, DIAG_DUPLICATE_ROW) + trace_count(t, DIAG_ROW_DAMAGED) +
                 trace_count(t, DIAG_LOG_CUT);
    for (size_t k = 0; k < t->tracks.n; k++)
        n += t->tracks.v[k].n_markers;
    bool is_head_cut = t->n_rows == 0 && n == 1 && trace_count(t, DIAG_LOG_CUT) == 1;
    return n == t->n_rows || is_head_cut ? NULL : "each row is a marker or was counted";
}

static inline const char *law_of_track(const struct trace *t, const struct trace_track *k)
{
    if (k->core >= t->cores.n || k->risc >= t->strings.keys.n)
        return "a track has a core and a name";
    if ((size_t)k->marker + k->n_markers > t->markers.n)
        return "the markers of a track are in the columns";
    for (uint32_t i = k->marker; i < k->marker + k->n_markers; i++) {
        if (i > k->marker && t->markers.time[i] < t->markers.time[i - 1])
            return "the markers of a track are in time order";
        if (t->markers.site[i] >= t->sites.n || t->markers.run[i] >= t->runs.n)
            return "a marker has a site and a run";
        if (t->runs.v[t->markers.run[i]].device != t->cores.v[k->core].device)
            return "a marker's run is of its device";
    }
    if ((size_t)k->datum + k->n_data > t->data.n)
        return "the data of a track are in the list";
    for (uint32_t d = k->datum; d < k->datum + k->n_data; d++) {
        uint32_t m = t->data.v[d].marker;
        if (m < k->marker || m >= k->marker + k->n_markers ||
            (d > k->datum && m <= t->data.v[d - 1].marker))
            return "the data of a track are of its markers, in order";
    }
    return NULL;
}

static inline const char *law_of_markers(const struct trace *t)
{
    for (size_t k = 0; k < t->tracks.n; k++) {
        const char *broken = law_of_track(t, &t->tracks.v[k]);
        if (broken)
            return broken;
        if (k && t->tracks.v[k].marker <
                     t->tracks.v[k - 1].marker + t->tracks.v[k - 1].n_markers)
            return "tracks stand one after the other";
    }
    return NULL;
}

// The zones of a track: one for each start, in their order; each lies in the innermost one
// that is open around it. Not for a trace from which markers were taken.
static inline const char *law_of_zones(const struct trace *t, const struct trace_track *k)
{
    uint32_t zone = k->zone, end = k->zone + k->n_zones;
    uint64_t last_time = 0;
    uint32_t stack[ZONE_DEPTH_MOST + 1];
    if (end > t->zones.n)
        return "the zones of a track are in the columns";
    for (uint32_t i = k->marker; i < k->marker + k->n_markers; i++) {
        last_time = t->markers.time[i];
        if (trace_site_of(t, i)->type != MARKER_ZONE_START)
            continue;
        if (zone == end || t->zones.start[zone] != t->markers.time[i] ||
            t->zones.site[zone] >= t->sites.n ||
            t->sites.v[t->zones.site[zone]].timer_id != trace_site_of(t, i)->timer_id)
            return "each start gives one zone"; // the marker may have a new name by now
        zone++;
    }
    if (zone != end)
        return "each zone has a start";
    unsigned above = 0; // depth of the zone before, and one
    for (zone = k->zone; zone < end; zone++) {
        unsigned depth = t->zones.depth[zone] & ZONE_DEPTH_MOST;
        if (t->zones.end[zone] < t->zones.start[zone] || t->zones.end[zone] > last_time)
            return "a zone ends behind its start and before its track does";
        if (depth > above)
            return "a zone is at most one deeper than the one before";
        // What is too deep to be told apart is not looked at.
        if (depth == ZONE_DEPTH_MOST)
            continue;
        stack[depth] = zone;
        above = depth + 1;
        if (depth && (t->zones.start[zone] < t->zones.start[stack[depth - 1]] ||
                      t->zones.end[zone] > t->zones.end[stack[depth - 1]]))
            return "a zone lies in the one around it";
    }
    return NULL;
}

static inline const char *law_of_pairing(const struct trace *t)
{
    for (size_t k = 0; k < t->tracks.n; k++) {
        const char *broken = law_of_zones(t, &t->tracks.v[k]);
        if (broken)
            return broken;
    }
    return NULL;
}

// Each op is a run of its device, and no marker with an id is in none.
static inline const char *law_of_ops(const struct trace *t, const struct device_ops *ops)
{
    size_t n_markers = 0, n_of_ops = 0, n_incomplete = 0;
    for (size_t d = 0; d < t->devices.n; d++)
        for (size_t i = ops->first[d]; i < ops->first[d + 1]; i++)
            if (t->runs.v[ops->v[i].run].device != d)
                return "ops stand by device";
    for (size_t i = 0; i < ops->n; i++) {
        const struct device_op *op = &ops->v[i];
        if (op->last_time < op->first_time || !op->n_markers)
            return "an op has markers and a time";
        if (op->run >= t->runs.n || ops->of_run[op->run] != i)
            return "an op knows its run and is known by it";
        n_of_ops += op->n_markers;
        n_incomplete += !op->is_complete;
    }
    for (size_t k = 0; k < t->tracks.n; k++)
        for (uint32_t i = 0; i < t->tracks.v[k].n_markers; i++) {
            uint32_t run = t->markers.run[t->tracks.v[k].marker + i];
            // Beside replays, which they do not tell apart, dispatch cores have no op.
            bool is_left_out =
                t->cores.v[t->tracks.v[k].core].is_dispatch && ops->of_run[run] == NO_OP;
            n_markers += t->runs.v[run].id != 0 && !is_left_out;
        }
    if (n_incomplete != ops->n_incomplete)
        return "incomplete ops are counted";
    return n_markers == n_of_ops ? NULL : "each marker with an id is in one op";
}

// --- are two traces the same? NULL, or what differs

static inline const char *differs_in_tables(const struct trace *a, const struct trace *b)
{
    if (a->devices.n != b->devices.n || a->cores.n != b->cores.n ||
        a->tracks.n != b->tracks.n || a->runs.n != b->runs.n || a->sites.n != b->sites.n)
        return "the number of devices, cores, tracks, runs or sites";
    for (size_t i = 0; i < a->devices.n; i++)
        if (a->devices.v[i].id != b->devices.v[i].id ||
            a->devices.v[i].first_time != b->devices.v[i].first_time ||
            a->devices.v[i].last_time != b->devices.v[i].last_time)
            return "a device";
    for (size_t i = 0; i < a->cores.n; i++)
        if (a->cores.v[i].device != b->cores.v[i].device ||
            a->cores.v[i].x != b->cores.v[i].x || a->cores.v[i].y != b->cores.v[i].y ||
            a->cores.v[i].is_dispatch != b->cores.v[i].is_dispatch)
            return "a core";
    for (size_t i = 0; i < a->runs.n; i++) {
        const struct trace_run *x = &a->runs.v[i], *y = &b->runs.v[i];
        if (x->device != y->device || x->id != y->id || x->trace_id != y->trace_id ||
            x->trace_counter != y->trace_counter || x->execution != y->execution)
            return "a run";
    }
    for (size_t i = 0; i < a->sites.n; i++) {
        const struct trace_site *x = &a->sites.v[i], *y = &b->sites.v[i];
        if (!str_eq(trace_text(a, x->name), trace_text(b, y->name)) ||
            !str_eq(trace_text(a, x->file), trace_text(b, y->file)) ||
            !str_eq(trace_text(a, x->type_text), trace_text(b, y->type_text)) ||
            x->timer_id != y->timer_id || x->line != y->line || x->type != y->type)
            return "a site";
        if (x->first_line != y->first_line)
            return "the line where a site was first seen";
    }
    return NULL;
}

static inline const char *differs_in_track(const struct trace *a, const struct trace *b,
                                           size_t track)
{
    const struct trace_track *x = &a->tracks.v[track], *y = &b->tracks.v[track];
    if (x->core != y->core || !str_eq(trace_text(a, x->risc), trace_text(b, y->risc)) ||
        x->n_markers != y->n_markers || x->n_data != y->n_data)
        return "a track";
    for (uint32_t i = 0; i < x->n_markers; i++) {
        uint32_t m = x->marker + i, n = y->marker + i;
        if (a->markers.time[m] != b->markers.time[n])
            return "a time";
        if (a->markers.site[m] != b->markers.site[n] ||
            a->markers.run[m] != b->markers.run[n])
            return "the site or run of a marker";
        if (a->markers.line[m] != b->markers.line[n])
            return "the line of a marker";
        const struct trace_datum *d = trace_datum_of(a, x, m), *e = trace_datum_of(b, y, n);
        if (!d != !e || (d && (d->data != e->data || !str_eq((str){d->meta, d->meta_n},
                                                             (str){e->meta, e->meta_n}))))
            return "the datum of a marker";
    }
    return NULL;
}

static inline const char *trace_differs(const struct trace *a, const struct trace *b)
{
    const char *what = differs_in_tables(a, b);
    for (size_t k = 0; !what && k < a->tracks.n; k++)
        what = differs_in_track(a, b, k);
    if (what)
        return what;
    if (a->n_rows != b->n_rows || a->mhz != b->mhz || !str_eq(a->arch, b->arch) ||
        a->is_legacy != b->is_legacy)
        return "the number of rows, or the chip";
    for (int i = 0; i < DIAG_KINDS; i++)
        if (a->diag.entry[i].count != b->diag.entry[i].count ||
            strcmp(a->diag.entry[i].first, b->diag.entry[i].first) != 0)
            return diag_name(i);
    return NULL;
}

#endif
