// device_ops.c - finds the markers of an op, and whether it is complete.
#include "analyse/fold/device_ops.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/data/sort.h"

#include "analyse/diags.h"
#include "analyse/fold/fold.h"
#include "analyse/fold/op_split.h"

// Zones that bracket the firmware of a whole core, on the RISC that runs it.
static const struct {
    const char *risc, *zone;
} masters[] = {{"BRISC", "BRISC-FW"},
               {"ERISC", "ERISC-FW"},
               {"TENSIX_RISC_AGG", "TRACE-FW"},
               {"QUASAR_DM0", "DM0-FW"}};
enum { MASTERS = sizeof masters / sizeof *masters };

uint32_t *master_riscs(const struct trace *t)
{
    uint32_t *risc = mem_alloc(mem_bytes(sizeof *risc, t->sites.n + 1));
    for (size_t i = 0; i < t->sites.n; i++) {
        const struct trace_site *s = &t->sites.v[i];
        risc[i] = NO_RISC;
        if (s->type > MARKER_ZONE_END || s->timer_id == 0)
            continue;
        for (int m = 0; m < MASTERS; m++)
            if (str_is(trace_text(t, s->name), masters[m].zone))
                risc[i] = map_get(&t->strings, str_of(masters[m].risc));
    }
    return risc;
}

// --- what runs left ------------------------------------------------------------------

struct run_sum {
    uint64_t first_time, last_time;
    uint64_t work_first, work_last; // without dispatch cores, unless there is nothing else
    uint32_t first_core, first_marker; // of the first in the series
    uint32_t n_markers;
    uint32_t n_cores;      // cores that must run the firmware
    uint32_t n_done_cores; // cores that did
    bool is_repeated;      // firmware started or ended twice on a core
};

// The firmware of a run, as a lane sees it track by track.
struct run_firmware {
    uint32_t track; // last one seen, + 1
    uint32_t n_done;
    uint8_t state; // on that track
    bool is_repeated;
};
enum { FW_NONE, FW_STARTED, FW_FINISHED };

struct firmware_lane {
    struct run_firmware *of_run;
};

static void start_firmware_lane(void *state, const struct fold *f)
{
    struct firmware_lane *l = state;
    l->of_run = mem_alloc(mem_bytes(sizeof *l->of_run, f->n_groups + 1));
}

static void watch_firmware(void *state, const struct fold_marker *m)
{
    struct run_firmware *s = &((struct firmware_lane *)state)->of_run[m->group];
    if (s->track != m->track + 1) {
        s->track = m->track + 1;
        s->state = FW_NONE;
    }
    if (!m->kind->can_end) {
        s->is_repeated |= s->state != FW_NONE;
        s->state = FW_STARTED;
    } else if (s->state == FW_STARTED) {
        s->state = FW_FINISHED;
        s->n_done++;
    } else {
        s->is_repeated |= s->state == FW_FINISHED;
    }
}

enum { LINE_ANY, LINE_MASTERS };

// Dispatch cores run no op and need not run the firmware.
static uint8_t survey_flags(const struct fold *f, uint32_t site,
                            const struct fold_kind *kind)
{
    const struct trace_site *s = &f->trace->sites.v[site];
    bool is_master = (kind->start | kind->end) >> LINE_MASTERS && s->timer_id &&
                     s->type <= MARKER_ZONE_END;
    if (kind->flags & FOLD_OWN)
        return FOLD_TAKE;
    return FOLD_CORE | (is_master ? FOLD_WATCH : 0);
}

// By run; the caller frees them.
static struct run_sum *sum_up_runs(const struct fold *f)
{
    const struct trace *t = f->trace;
    struct run_sum *sums = mem_alloc(mem_bytes(sizeof *sums, f->n_groups + 1));
    for (uint32_t r = 0; r < f->n_groups; r++) {
        struct fold_cell x = fold_extent(f, r, LINE_ANY, false, NULL);
        if (!x.first)
            continue;
        sums[r] = (struct run_sum){
            .first_time = x.first_time,
            .last_time = x.last_time,
            .first_core = t->tracks.v[track_of_marker(t, x.first - 1)].core,
            .first_marker = x.first - 1,
            .n_markers = f->groups[r].n_markers,
            .n_cores = f->groups[r].n_cores,
        };
    }
    for (unsigned l = 0; l < f->n_lanes; l++) {
        struct firmware_lane *lane = fold_state(f, l);
        for (uint32_t r = 0; r < f->n_groups; r++) {
            sums[r].n_done_cores += lane->of_run[r].n_done;
            sums[r].is_repeated |= lane->of_run[r].is_repeated;
        }
        mem_free(lane->of_run);
    }
    return sums;
}

static void span_track(const struct trace *t, const struct trace_track *k,
                       struct run_sum *sums, bool *has_work)
{
    for (uint32_t i = k->marker; i < k->marker + k->n_markers; i++) {
        uint32_t r = t->markers.run[i];
        struct run_sum *s = &sums[r];
        uint64_t time = t->markers.time[i];
        s->work_first = has_work[r] && s->work_first < time ? s->work_first : time;
        s->work_last = has_work[r] && s->work_last > time ? s->work_last : time;
        has_work[r] = true;
    }
}

// A dispatcher prepares an op long before its turn, and ends long after the last one.
static void span_work(const struct trace *t, struct run_sum *sums)
{
    bool *has_work = mem_alloc(t->runs.n + 1), has_dispatch = false;
    for (size_t r = 0; r < t->runs.n; r++) {
        sums[r].work_first = sums[r].first_time;
        sums[r].work_last = sums[r].last_time;
    }
    for (size_t i = 0; i < t->cores.n && !has_dispatch; i++)
        has_dispatch = t->cores.v[i].is_dispatch;
    for (size_t k = 0; k < t->tracks.n && has_dispatch; k++)
        if (!t->cores.v[t->tracks.v[k].core].is_dispatch)
            span_track(t, &t->tracks.v[k], sums, has_work);
    mem_free(has_work);
}

static struct run_sum *survey_runs(const struct trace *t)
{
    struct arena scratch = {0};
    uint32_t *run = push_many(&scratch, uint32_t, t->runs.n + 1);
    uint8_t *is_dispatch = push_many(&scratch, uint8_t, t->tracks.n + 1);
    for (uint32_t r = 0; r < t->runs.n; r++)
        run[r] = r;
    for (size_t k = 0; k < t->tracks.n; k++)
        is_dispatch[k] = t->cores.v[t->tracks.v[k].core].is_dispatch ? FOLD_OWN : 0;
    struct condition any = {.risc = S("ANY"), .timer_id = -1};
    struct fold f = {.trace = t,
                     .n_groups = t->runs.n,
                     .group_of_run = run,
                     .has_edges = true,
                     .track_flags = is_dispatch,
                     .lines = {[LINE_ANY] = {.start = &any, .end = &any}},
                     .n_lines = LINE_MASTERS + MASTERS,
                     .flags = survey_flags,
                     .watch = {.bytes = sizeof(struct firmware_lane),
                               .start = start_firmware_lane,
                               .marker = watch_firmware}};
    struct condition master[MASTERS];
    str zones[MASTERS];
    for (int i = 0; i < MASTERS; i++) {
        zones[i] = str_of(masters[i].zone);
        master[i] = (struct condition){.names = &zones[i],
                                       .n_names = 1,
                                       .risc = str_of(masters[i].risc),
                                       .timer_id = -1};
        f.lines[LINE_MASTERS + i].start = &master[i];
    }
    fold_run(&f);
    struct run_sum *sums = sum_up_runs(&f);
    span_work(t, sums);
    fold_free(&f);
    arena_free(&scratch);
    return sums;
}

// --- ops -----------------------------------------------------------------------------

// When and where an id was first seen: its position in the device's series.
struct id_place {
    uint64_t time;
    uint32_t core, marker;
    uint32_t n_cores; // of all its runs
};

struct op_place {
    struct device_op op;
    uint32_t device;
    struct id_place id;
};

static int by_first_seen(const void *a, const void *b)
{
    const struct op_place *x = a, *y = b;
    SORT_BY(x, y, device);
    SORT_BY(x, y, id.time);
    SORT_BY(x, y, id.core);
    SORT_BY(x, y, id.marker);
    SORT_BY(x, y, op.first_time);
    SORT_BY(x, y, op.run);
    return 0;
}

static void say_incomplete(struct trace *t, const struct device_op *op)
{
    const struct trace_run *run = &t->runs.v[op->run];
    char text[96];
    int n = snprintf(text, sizeof text, "device %lld: op %lld",
                     (long long)t->devices.v[run->device].id, (long long)run->id);
    if (run->trace_id >= 0)
        n += snprintf(text + n, sizeof text - (size_t)n, ", trace %lld, replay %lld",
                      (long long)run->trace_id, (long long)run->trace_counter);
    trace_odd(t, TRACE_NO_TRACK, DIAG_OP_INCOMPLETE, 1, 0, (str){text, (size_t)n});
}

static bool was_seen_before(const struct id_place *a, const struct id_place *b)
{
    if (a->time != b->time)
        return a->time < b->time;
    return a->core != b->core ? a->core < b->core : a->marker < b->marker;
}

// before: the ops of the whole trace, of which this is a selection; NULL: it is the whole.
static size_t collect_ops(const struct trace *t, const struct run_sum *sums,
                          const struct device_ops *before, struct op_place *places)
{
    struct map ids = {0};
    // By id, in order of appearance.
    struct id_place *first = mem_alloc(mem_bytes(sizeof *first, t->runs.n + 1));
    size_t n_ids = 0;
    uint32_t *id_of = mem_alloc(mem_bytes(sizeof *id_of, t->runs.n + 1));
    int64_t(*keys)[2] = mem_alloc(mem_bytes(sizeof *keys, t->runs.n + 1));
    for (size_t r = 0; r < t->runs.n; r++) {
        keys[r][0] = t->runs.v[r].device;
        keys[r][1] = t->runs.v[r].id;
        uint32_t id = map_put(&ids, (str){(const char *)keys[r], sizeof *keys});
        if (id == n_ids)
            first[n_ids++] = (struct id_place){UINT64_MAX, UINT32_MAX, UINT32_MAX, 0};
        struct id_place at = {sums[r].first_time, sums[r].first_core, sums[r].first_marker,
                              first[id].n_cores};
        if (sums[r].n_markers && was_seen_before(&at, &first[id]))
            first[id] = at;
        first[id].n_cores += sums[r].n_cores;
        id_of[r] = id;
    }
    size_t n = 0;
    for (size_t r = 0; r < t->runs.n; r++) {
        const struct run_sum *s = &sums[r];
        if (t->runs.v[r].id == 0 || s->n_markers == 0)
            continue;
        if (before && before->of_run[r] == NO_OP)
            continue;
        // Dispatch cores do not tell replays apart: their markers are a run without cores,
        // beside the replays.
        if (!s->n_cores && first[id_of[r]].n_cores)
            continue;
        places[n++] = (struct op_place){
            .op = {.run = (uint32_t)r,
                   .n_cores = s->n_cores,
                   .first_time = s->work_first,
                   .last_time = s->work_last,
                   .n_markers = s->n_markers,
                   .is_complete = s->n_cores && s->n_done_cores == s->n_cores},
            .device = t->runs.v[r].device,
            .id = first[id_of[r]],
        };
    }
    map_free(&ids);
    mem_free(first);
    mem_free(id_of);
    mem_free(keys);
    return n;
}

static void sort_ops(struct device_ops *ops, const struct trace *t,
                     const struct run_sum *sums, const struct device_ops *before)
{
    struct op_place *places = mem_alloc(mem_bytes(sizeof *places, t->runs.n + 1));
    ops->n = collect_ops(t, sums, before, places);
    qsort(places, ops->n, sizeof *places, by_first_seen);
    ops->v = mem_alloc(mem_bytes(sizeof *ops->v, ops->n + 1));
    ops->of_run = mem_alloc(mem_bytes(sizeof *ops->of_run, t->runs.n + 1));
    ops->first = mem_alloc(mem_bytes(sizeof *ops->first, t->devices.n + 2));
    for (size_t r = 0; r < t->runs.n; r++)
        ops->of_run[r] = NO_OP;
    size_t device = 0;
    for (size_t i = 0; i < ops->n; i++) {
        ops->v[i] = places[i].op;
        ops->of_run[places[i].op.run] = (uint32_t)i;
        while (device <= places[i].device)
            ops->first[device++] = i;
    }
    while (device <= t->devices.n)
        ops->first[device++] = ops->n;
    mem_free(places);
}

void device_ops_find(struct device_ops *ops, struct trace *t)
{
    *ops = (struct device_ops){0};
    struct run_sum *sums = survey_runs(t);
    bool *is_repeated = mem_alloc(t->runs.n + 1);
    bool any = false;
    for (size_t r = 0; r < t->runs.n; r++) {
        is_repeated[r] = sums[r].is_repeated && t->runs.v[r].id != 0;
        any |= is_repeated[r];
    }
    if (any) {
        uint32_t *master = master_riscs(t);
        op_split(t, master, is_repeated);
        mem_free(master);
        mem_free(sums);
        sums = survey_runs(t); // with the runs as split
    }
    sort_ops(ops, t, sums, NULL);
    for (size_t i = 0; i < ops->n; i++)
        if (!ops->v[i].is_complete) {
            ops->n_incomplete++;
            say_incomplete(t, &ops->v[i]);
        }
    mem_free(is_repeated);
    mem_free(sums);
}

void device_ops_again(struct device_ops *ops, struct trace *t)
{
    struct device_ops before = *ops;
    *ops = (struct device_ops){0};
    struct run_sum *sums = survey_runs(t);
    sort_ops(ops, t, sums, &before);
    for (size_t i = 0; i < ops->n; i++) {
        ops->v[i].is_complete = before.v[before.of_run[ops->v[i].run]].is_complete;
        ops->n_incomplete += !ops->v[i].is_complete;
    }
    mem_free(sums);
    device_ops_free(&before);
}

void device_ops_free(struct device_ops *ops)
{
    mem_free(ops->v);
    mem_free(ops->of_run);
    mem_free(ops->first);
    *ops = (struct device_ops){0};
}
