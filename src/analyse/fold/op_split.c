// op_split.c - a state machine over the markers of a program in time order.
//
// An execution is over when the firmware has ended on every core that takes part in the
// program; what follows belongs to the next one. A core that starts again before that has
// lost markers, or others have: the unexpected start is counted and begins the next
// execution all the same.
#include "analyse/fold/op_split.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/data/sort.h"

#include "analyse/diags.h"
#include "analyse/fold/device_ops.h"

struct split_marker {
    uint64_t time;
    uint32_t run;
    uint32_t core, track; // positions in the order of the device's series
    uint32_t marker;
};

static int by_series(const void *a, const void *b)
{
    const struct split_marker *x = a, *y = b;
    SORT_BY(x, y, run);
    SORT_BY(x, y, time);
    SORT_BY(x, y, core);
    SORT_BY(x, y, track);
    SORT_BY(x, y, marker);
    return 0;
}

enum { NO_STATE, STARTED, FINISHED };

struct split {
    struct trace *t;
    const uint32_t *master;
    uint8_t *state;      // by core
    VEC(uint32_t) cores; // of the program
    size_t n_finished;
    uint32_t run; // of the current execution
    uint32_t execution;
    bool has_started; // on any core, in the current execution
};

static void next_execution(struct split *s)
{
    for (size_t i = 0; i < s->cores.n; i++)
        s->state[s->cores.v[i]] = NO_STATE;
    s->n_finished = 0;
    s->execution++;
    s->has_started = false;
}

// Why a core cannot start now: what the other cores are doing.
static int second_start(const struct split *s, uint32_t core)
{
    if (s->state[core] == STARTED)
        return DIAG_FW_START_UNENDED;
    for (size_t i = 0; i < s->cores.n; i++)
        if (s->state[s->cores.v[i]] == STARTED)
            return DIAG_FW_START_CORRUPT;
    return DIAG_FW_START_BUFFER;
}

static void odd_firmware(struct split *s, const struct split_marker *m, int kind)
{
    const struct trace_core *c = &s->t->cores.v[m->core];
    char text[96];
    int n = snprintf(text, sizeof text, "core (%d, %d): op %lld", c->x, c->y,
                     (long long)s->t->runs.v[m->run].id);
    trace_odd(s->t, m->track, kind, 1, s->t->markers.line[m->marker],
              (str){text, (size_t)n});
}

// The firmware of a core starts or ends; true if this completes the execution.
static bool follow_firmware(struct split *s, const struct split_marker *m,
                            enum marker_type type)
{
    uint8_t *state = &s->state[m->core];
    if (type == MARKER_ZONE_START) {
        if (*state != NO_STATE) {
            odd_firmware(s, m, second_start(s, m->core));
            next_execution(s);
        }
        *state = STARTED;
        s->has_started = true;
    } else if (*state == STARTED) {
        *state = FINISHED;
        s->n_finished++;
        return s->n_finished == s->cores.n;
    } else if (*state == FINISHED) {
        odd_firmware(s, m, DIAG_FW_END_TWICE);
    }
    return false;
}

// The run of an execution: the first keeps the program's, every other one gets its own.
static uint32_t run_of(struct split *s, uint32_t run, uint32_t *made)
{
    if (s->execution == 0)
        return run;
    if (*made < s->execution) {
        struct trace_run r = s->t->runs.v[run];
        r.execution = *made = s->execution;
        vec_push(&s->t->runs, r);
    }
    return (uint32_t)s->t->runs.n - 1;
}

static void split_group(struct split *s, const struct split_marker *group, size_t n)
{
    struct trace *t = s->t;
    s->cores.n = 0;
    s->n_finished = 0;
    s->execution = 0;
    s->has_started = false;
    for (size_t i = 0; i < n; i++)
        s->state[group[i].core] = FINISHED; // "not yet listed"
    for (size_t i = 0; i < n; i++) {
        if (s->state[group[i].core] == FINISHED && !t->cores.v[group[i].core].is_dispatch)
            vec_push(&s->cores, group[i].core);
        s->state[group[i].core] = NO_STATE;
    }
    uint32_t run = group[0].run, made = 0, before = run;
    size_t open = 0; // first marker of the current execution
    for (size_t i = 0; i < n; i++) {
        const struct split_marker *m = &group[i];
        const struct trace_site *site = trace_site_of(t, m->marker);
        bool is_over = false;
        if (s->master[t->markers.site[m->marker]] == t->tracks.v[m->track].risc &&
            !t->cores.v[m->core].is_dispatch) {
            uint32_t execution = s->execution;
            is_over = follow_firmware(s, m, site->type);
            if (s->execution != execution) {
                before = run_of(s, run, &made);
                open = i;
            }
        }
        t->markers.run[m->marker] = run_of(s, run, &made);
        if (is_over) {
            before = t->markers.run[m->marker];
            next_execution(s);
            open = i + 1;
        }
    }
    // Stragglers of the last execution: nothing has started after it.
    if (!s->has_started && open > 0) {
        for (size_t i = open; i < n; i++)
            t->markers.run[group[i].marker] = before;
    }
}

void op_split(struct trace *t, const uint32_t *master, const bool *is_repeated)
{
    VEC(struct split_marker) all = {0};
    for (size_t c = 0; c < t->cores.n; c++)
        for (size_t k = 0; k < t->cores.v[c].tracks.n; k++) {
            uint32_t track = t->cores.v[c].tracks.v[k];
            const struct trace_track *r = &t->tracks.v[track];
            for (uint32_t i = r->marker; i < r->marker + r->n_markers; i++)
                if (is_repeated[t->markers.run[i]])
                    vec_push(&all,
                             (struct split_marker){t->markers.time[i], t->markers.run[i],
                                                   (uint32_t)c, track, i});
        }
    if (all.n)
        qsort(all.v, all.n, sizeof *all.v, by_series);
    struct split s = {.t = t, .master = master, .state = mem_alloc(t->cores.n + 1)};
    for (size_t at = 0; at < all.n;) {
        size_t end = at;
        while (end < all.n && all.v[end].run == all.v[at].run)
            end++;
        split_group(&s, all.v + at, end - at);
        at = end;
    }
    vec_free(&all);
    vec_free(&s.cores);
    mem_free(s.state);
}
