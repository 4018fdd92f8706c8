// device_ops.c - which markers make an op, and whether it is whole.
#include "analyse/fold/device_ops.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/data/sort.h"
#include "base/data/threads.h"

#include "analyse/fold/op_split.h"

enum { WORTH_LANES = 1 << 17 }; // markers

uint32_t *master_riscs(const struct trace *t)
{
    static const struct {
        const char *risc, *zone;
    } master[] = {{"BRISC", "BRISC-FW"},
                  {"ERISC", "ERISC-FW"},
                  {"TENSIX_RISC_AGG", "TRACE-FW"},
                  {"QUASAR_DM0", "DM0-FW"}};
    uint32_t *risc = mem_alloc(mem_bytes(sizeof *risc, t->sites.n + 1));
    for (size_t i = 0; i < t->sites.n; i++) {
        const struct trace_site *s = &t->sites.v[i];
        risc[i] = NO_RISC;
        if (s->type > MARKER_ZONE_END || s->timer_id == 0)
            continue;
        for (size_t m = 0; m < sizeof master / sizeof *master; m++)
            if (str_is(trace_text(t, s->name), master[m].zone))
                risc[i] = map_get(&t->strings, str_of(master[m].risc));
    }
    return risc;
}

// What one lane knows of a run.
struct run_sum {
    uint64_t first_time, last_time;
    uint32_t first_core, first_marker; // of the first in the series
    uint32_t n_markers;
    uint32_t n_cores;      // that must run the firmware
    uint32_t n_done_cores; // that did
    uint32_t core;         // seen last, + 1
    uint32_t track;        // whose firmware was seen last, + 1
    uint8_t state;         // of the firmware on that track
    bool is_repeated;      // firmware started or ended twice on a core
};
enum { FW_NONE, FW_STARTED, FW_FINISHED };

struct survey {
    struct trace *t;
    const uint32_t *master; // by site
    struct run_sum **sums;  // by lane and run
};

static void survey_firmware(struct run_sum *s, uint32_t track, enum marker_type type)
{
    if (s->track != track + 1) {
        s->track = track + 1;
        s->state = FW_NONE;
    }
    if (type == MARKER_ZONE_START) {
        s->is_repeated |= s->state != FW_NONE;
        s->state = FW_STARTED;
    } else if (s->state == FW_STARTED) {
        s->state = FW_FINISHED;
        s->n_done_cores++;
    } else {
        s->is_repeated |= s->state == FW_FINISHED;
    }
}

static void survey_track(const struct trace *t, const uint32_t *master, uint32_t track,
                         struct run_sum *sums)
{
    const struct trace_track *k = &t->tracks.v[track];
    const struct trace_core *core = &t->cores.v[k->core];
    for (uint32_t i = k->marker; i < k->marker + k->n_markers; i++) {
        struct run_sum *s = &sums[t->markers.run[i]];
        uint64_t time = t->markers.time[i];
        if (s->n_markers++ == 0 || time < s->first_time) {
            s->first_time = time;
            s->first_core = k->core;
            s->first_marker = i;
        }
        if (time > s->last_time)
            s->last_time = time;
        if (s->core != k->core + 1) {
            s->core = k->core + 1;
            s->n_cores += !core->is_dispatch;
        }
        if (master[t->markers.site[i]] == k->risc && !core->is_dispatch)
            survey_firmware(s, track, t->sites.v[t->markers.site[i]].type);
    }
}

// A lane takes whole cores, so that a core is counted once.
static void survey_lane(struct lane lane, void *context)
{
    struct survey *s = context;
    struct run_sum *sums = s->sums[lane.index];
    struct range r = lane_range(lane, s->t->cores.n);
    for (size_t c = r.from; c < r.to; c++)
        for (size_t k = 0; k < s->t->cores.v[c].tracks.n; k++)
            survey_track(s->t, s->master, s->t->cores.v[c].tracks.v[k], sums);
}

static void add_sum(struct run_sum *to, const struct run_sum *from)
{
    if (!from->n_markers)
        return;
    if (!to->n_markers || from->first_time < to->first_time) {
        to->first_time = from->first_time;
        to->first_core = from->first_core;
        to->first_marker = from->first_marker;
    }
    if (from->last_time > to->last_time)
        to->last_time = from->last_time;
    to->n_markers += from->n_markers;
    to->n_cores += from->n_cores;
    to->n_done_cores += from->n_done_cores;
    to->is_repeated |= from->is_repeated;
}

// The sums over all cores, one a run; the caller frees them.
static struct run_sum *survey_all(struct trace *t, const uint32_t *master)
{
    unsigned n = threads_for(t->markers.n, WORTH_LANES);
    struct survey s = {
        .t = t, .master = master, .sums = mem_alloc(mem_bytes(sizeof *s.sums, n))};
    for (unsigned i = 0; i < n; i++)
        s.sums[i] = mem_alloc(mem_bytes(sizeof **s.sums, t->runs.n + 1));
    threads_run(n, survey_lane, &s);
    struct run_sum *total = s.sums[0];
    for (unsigned i = 1; i < n; i++) {
        for (size_t r = 0; r < t->runs.n; r++)
            add_sum(&total[r], &s.sums[i][r]);
        mem_free(s.sums[i]);
    }
    mem_free(s.sums);
    return total;
}

// When and where an id was first seen: its place in the series of the device.
struct id_place {
    uint64_t time;
    uint32_t core, marker;
};

struct op_place {
    struct device_op op;
    uint32_t device;
    struct id_place id;
};

static int by_place(const void *a, const void *b)
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

static bool is_before(const struct id_place *a, const struct id_place *b)
{
    if (a->time != b->time)
        return a->time < b->time;
    return a->core != b->core ? a->core < b->core : a->marker < b->marker;
}

static size_t collect(const struct trace *t, const struct run_sum *sums,
                      struct op_place *places)
{
    struct map ids = {0};
    // By id, in the order in which they are met.
    struct id_place *first = mem_alloc(mem_bytes(sizeof *first, t->runs.n + 1));
    size_t n_ids = 0;
    uint32_t *id_of = mem_alloc(mem_bytes(sizeof *id_of, t->runs.n + 1));
    int64_t(*keys)[2] = mem_alloc(mem_bytes(sizeof *keys, t->runs.n + 1));
    for (size_t r = 0; r < t->runs.n; r++) {
        keys[r][0] = t->runs.v[r].device;
        keys[r][1] = t->runs.v[r].id;
        uint32_t id = map_put(&ids, (str){(const char *)keys[r], sizeof *keys});
        struct id_place at = {sums[r].first_time, sums[r].first_core, sums[r].first_marker};
        if (id == n_ids)
            first[n_ids++] = (struct id_place){UINT64_MAX, UINT32_MAX, UINT32_MAX};
        if (sums[r].n_markers && is_before(&at, &first[id]))
            first[id] = at;
        id_of[r] = id;
    }
    size_t n = 0;
    for (size_t r = 0; r < t->runs.n; r++) {
        const struct run_sum *s = &sums[r];
        if (t->runs.v[r].id == 0 || s->n_markers == 0)
            continue;
        places[n++] = (struct op_place){
            .op = {.run = (uint32_t)r,
                   .n_cores = s->n_cores,
                   .first_time = s->first_time,
                   .last_time = s->last_time,
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

static void put_in_order(struct device_ops *ops, const struct trace *t,
                         const struct run_sum *sums)
{
    struct op_place *places = mem_alloc(mem_bytes(sizeof *places, t->runs.n + 1));
    ops->n = collect(t, sums, places);
    qsort(places, ops->n, sizeof *places, by_place);
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
    uint32_t *master = master_riscs(t);
    struct run_sum *sums = survey_all(t, master);
    bool *is_repeated = mem_alloc(t->runs.n + 1);
    bool any = false;
    for (size_t r = 0; r < t->runs.n; r++) {
        is_repeated[r] = sums[r].is_repeated && t->runs.v[r].id != 0;
        any |= is_repeated[r];
    }
    if (any) {
        op_split(t, master, is_repeated);
        mem_free(sums);
        sums = survey_all(t, master); // of the runs as they are now
    }
    put_in_order(ops, t, sums);
    for (size_t i = 0; i < ops->n; i++)
        if (!ops->v[i].is_complete) {
            ops->n_incomplete++;
            say_incomplete(t, &ops->v[i]);
        }
    mem_free(is_repeated);
    mem_free(sums);
    mem_free(master);
}

void device_ops_again(struct device_ops *ops, struct trace *t)
{
    struct device_ops before = *ops;
    *ops = (struct device_ops){0};
    uint32_t *master = master_riscs(t);
    struct run_sum *sums = survey_all(t, master);
    put_in_order(ops, t, sums);
    for (size_t i = 0; i < ops->n; i++) {
        ops->v[i].is_complete = before.v[before.of_run[ops->v[i].run]].is_complete;
        ops->n_incomplete += !ops->v[i].is_complete;
    }
    mem_free(sums);
    mem_free(master);
    device_ops_free(&before);
}

void device_ops_free(struct device_ops *ops)
{
    mem_free(ops->v);
    mem_free(ops->of_run);
    mem_free(ops->first);
    *ops = (struct device_ops){0};
}
