// train_phases.c - groups markers and computes the phases of each step between them.
#include <math.h>

#include "base/text/num.h"

#include "analyse/diags.h"
#include "analyse/train/train.h"

static const struct {
    const char *column, *name;
} phases[PHASES] = {
    [PHASE_FORWARD] = {"forward_ms", "fwd"},
    [PHASE_BACKWARD] = {"backward_ms", "bwd"},
    [PHASE_SYNC] = {"gradient_sync_ms", "sync"},
    [PHASE_OPTIMIZER] = {"optimizer_ms", "opt"},
    [PHASE_OTHER] = {"other_ms", "other"},
};
const char *const train_ccl_short[CCLS] = {"rs", "ag"};

const char *train_phase_column(enum train_phase p)
{
    return phases[p].column;
}
const char *train_phase_short(enum train_phase p)
{
    return phases[p].name;
}

// Marker name without the iteration number.
static str without_number(str marker)
{
    int64_t number;
    return train_iteration_of(marker, &number) ? S("iteration") : marker;
}

static const struct {
    const char *before, *after;
    enum train_phase phase;
} boundaries[] = {
    {"dataloader_step_done", "forward_pass_done", PHASE_FORWARD},
    {"forward_pass_done", "backward_pass_done", PHASE_BACKWARD},
    {"backward_pass_done", "gradient_sync_done", PHASE_SYNC},
    {"gradient_sync_done", "optimizer_step_done", PHASE_OPTIMIZER},
    {"optimizer_step_done", "iteration", PHASE_OTHER},
    {"iteration", "dataloader_step_done", PHASE_OTHER},
};
enum { BOUNDARIES = sizeof boundaries / sizeof *boundaries };

enum train_phase train_phase_between(str before, str after)
{
    for (size_t i = 0; i < BOUNDARIES; i++)
        if (str_is(without_number(before), boundaries[i].before) &&
            str_is(without_number(after), boundaries[i].after))
            return boundaries[i].phase;
    return PHASES;
}

static bool is_boundary(str marker)
{
    for (size_t i = 0; i < BOUNDARIES; i++)
        if (str_is(without_number(marker), boundaries[i].before))
            return true;
    return false;
}

// --- lanes ---

enum { MARKERS_PER_GROUP = 10 }; // five before the read-out, five after it

// Splits a run of marker rows of one name into groups by its length, despite lost markers.
static void add_groups(struct train_lane *l, uint32_t name, size_t first, size_t n)
{
    size_t n_groups = (n + MARKERS_PER_GROUP / 2) / MARKERS_PER_GROUP;
    if (n_groups == 0)
        n_groups = 1;
    for (size_t g = 0; g < n_groups; g++) {
        size_t from = first + g * MARKERS_PER_GROUP;
        size_t to = g + 1 < n_groups ? from + MARKERS_PER_GROUP - 1 : first + n - 1;
        vec_push(&l->groups, (struct train_group){name, from, to});
    }
}

// The table has the length of each op's firmware in cycles and in ns.
static double find_clock(const struct train *t, const struct train_lane *l)
{
    double ns = 0, cycles = 0;
    for (size_t i = 0; i < l->rows.n; i++) {
        const struct train_row *r = &t->rows.v[l->rows.v[i]];
        double length = r->end - r->start;
        if (!(length > 0) || isnan(r->ns[TRAIN_DEVICE]))
            continue;
        ns += r->ns[TRAIN_DEVICE];
        cycles += length;
    }
    return cycles > 0 ? ns / cycles : NAN;
}

static size_t first_row_of(const struct train *t, uint64_t key)
{
    size_t low = 0, high = t->by_device.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (t->by_device.v[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void train_lane_make(struct train_lane *l, const struct train *t, int32_t device)
{
    *l = (struct train_lane){.device = device};
    uint32_t name = TRAIN_NO_MARKER;
    uint64_t key = train_device_key(device);
    size_t first = 0, k = first_row_of(t, key);
    for (; k < t->by_device.n && t->by_device.v[k].key == key; k++) {
        uint32_t i = t->by_device.v[k].a;
        uint32_t marker = t->rows.v[i].marker;
        if (marker != name && name != TRAIN_NO_MARKER)
            add_groups(l, name, first, l->rows.n - first);
        if (marker != name)
            first = l->rows.n;
        name = marker;
        vec_push(&l->rows, i);
    }
    if (name != TRAIN_NO_MARKER)
        add_groups(l, name, first, l->rows.n - first);
    l->ns_per_cycle = find_clock(t, l);
}

// The first row that was measured.
static double start_of(const struct train *t, const struct train_lane *l,
                       const struct train_group *g)
{
    double start = NAN;
    for (size_t i = g->first; i <= g->last && isnan(start); i++)
        start = t->rows.v[l->rows.v[i]].start;
    return start;
}

double train_between_ms(const struct train *t, const struct train_lane *l,
                        const struct train_group *a, const struct train_group *b)
{
    double from = start_of(t, l, a), to = start_of(t, l, b);
    return to > from ? (to - from) * l->ns_per_cycle / 1e6 : NAN;
}

void train_lane_free(struct train_lane *l)
{
    vec_free(&l->rows);
    vec_free(&l->groups);
}

// --- phases ---

// Rounds the decimal digits: a product could itself be rounded.
double train_round3(double v)
{
    struct buf b = {0};
    num_put_fixed(&b, v, 3, false);
    double rounded = v;
    (void)num_real(buf_view(&b), &rounded);
    buf_free(&b);
    return rounded;
}

static int ccl_of(str code)
{
    if (str_is(code, "ReduceScatterMinimalAsyncDeviceOperation"))
        return CCL_REDUCE_SCATTER;
    return str_is(code, "AllGatherAsyncDeviceOperation") ? CCL_ALL_GATHER : -1;
}

static struct train_iteration *find_iteration(const struct train_phases *p, int32_t device,
                                              int64_t number)
{
    for (size_t i = p->v.n; i > 0; i--)
        if (p->v.v[i - 1].device == device && p->v.v[i - 1].number == number)
            return &p->v.v[i - 1];
    return NULL;
}

struct train_iteration *train_phases_at(struct train_phases *p, int32_t device,
                                        int64_t number)
{
    struct train_iteration *it = find_iteration(p, device, number);
    if (it)
        return it;
    vec_push(&p->v,
             (struct train_iteration){.device = device, .number = number, .step = NAN});
    return &p->v.v[p->v.n - 1];
}

static void add_span(struct train_phases *p, const struct train *t,
                     const struct train_lane *l, const struct train_group *a,
                     const struct train_group *b, int64_t number)
{
    enum train_phase phase =
        train_phase_between(train_name(t, a->name), train_name(t, b->name));
    struct train_iteration *it = train_phases_at(p, l->device, number);
    for (size_t i = a->last + 1; i < b->first; i++) {
        const struct train_row *r = &t->rows.v[l->rows.v[i]];
        double ms = r->ns[TRAIN_KERNEL] / 1e6;
        if (r->marker != TRAIN_NO_MARKER || isnan(ms))
            continue;
        it->ms[phase] += ms;
        int ccl = phase < PHASES_CCL ? ccl_of(train_name(t, r->code)) : -1;
        if (ccl >= 0) {
            it->ccl[phase][ccl] += ms;
            p->has_ccl = true;
        }
    }
}

enum { NO_ITERATION = -1 };

// The iteration number of each group: that of the first numbered marker at or after it.
static void number_groups(const struct train *t, const struct train_group *const *g,
                          size_t n, int64_t *number)
{
    int64_t next = NO_ITERATION, own;
    for (size_t i = n; i-- > 0;) {
        if (train_iteration_of(train_name(t, g[i]->name), &own))
            next = own;
        number[i] = next;
    }
}

// The time of each step: from the marker of the previous iteration to its own.
static void time_steps(struct train_phases *p, const struct train *t,
                       const struct train_lane *l)
{
    const struct train_group *last = NULL;
    int64_t number;
    for (size_t i = 0; i < l->groups.n; i++) {
        const struct train_group *g = &l->groups.v[i];
        if (!train_iteration_of(train_name(t, g->name), &number))
            continue;
        struct train_iteration *it = find_iteration(p, l->device, number);
        if (it && last)
            it->step = train_between_ms(t, l, last, g);
        last = g;
    }
}

static void add_lane(struct train_phases *p, struct train *t, const struct train_lane *l)
{
    const struct train_group **g = mem_alloc(mem_bytes(sizeof *g, l->groups.n + 1));
    int64_t *number = mem_alloc(mem_bytes(sizeof *number, l->groups.n + 1));
    size_t n = 0;
    for (size_t i = 0; i < l->groups.n; i++)
        if (is_boundary(train_name(t, l->groups.v[i].name)))
            g[n++] = &l->groups.v[i];
    number_groups(t, g, n, number);
    for (size_t i = 1; i < n; i++) {
        if (train_phase_between(train_name(t, g[i - 1]->name), train_name(t, g[i]->name)) ==
            PHASES)
            continue;
        if (number[i - 1] != NO_ITERATION)
            add_span(p, t, l, g[i - 1], g[i], number[i - 1]);
        else if (diag_count(&t->diag, DIAG_STEP_UNNUMBERED))
            diag_note(
                &t->diag, DIAG_STEP_UNNUMBERED, "%.*s",
                STR(ops_sheet_place(&t->table, t->rows.v[l->rows.v[g[i]->first]].row)));
    }
    time_steps(p, t, l);
    mem_free(number);
    mem_free(g);
}

static void round_all(struct train_iteration *it)
{
    it->total = 0;
    for (int k = 0; k < PHASES; k++) {
        it->total += it->ms[k];
        it->ms[k] = train_round3(it->ms[k]);
    }
    it->total = train_round3(it->total);
    // Host times have no gaps: the phases are the step.
    it->step = it->device == TRAIN_HOST_DEVICE ? it->total : train_round3(it->step);
    for (int k = 0; k < PHASES_CCL; k++)
        for (int c = 0; c < CCLS; c++)
            it->ccl[k][c] = train_round3(it->ccl[k][c]);
}

// The mean of the steady iterations of one device.
static struct train_iteration average_of(const struct train_iteration *v, size_t n)
{
    struct train_iteration a = {.device = v[0].device};
    size_t n_steady = 0, n_timed = 0;
    for (size_t i = 0; i < n; i++) {
        n_steady += v[i].is_steady;
        n_timed += v[i].is_steady && !isnan(v[i].step);
        a.step += v[i].is_steady && !isnan(v[i].step) ? v[i].step : 0;
    }
    a.step = n_timed ? a.step / (double)n_timed : NAN;
    a.number = (int64_t)n_steady;
    for (size_t i = 0; i < n; i++) {
        if (!v[i].is_steady)
            continue;
        for (int k = 0; k < PHASES; k++)
            a.ms[k] += v[i].ms[k] / (double)n_steady;
        for (int k = 0; k < PHASES_CCL; k++)
            for (int c = 0; c < CCLS; c++)
                a.ccl[k][c] += v[i].ccl[k][c] / (double)n_steady;
        a.total += v[i].total / (double)n_steady;
    }
    double total = train_round3(a.total);
    round_all(&a);
    a.total = total;
    return a;
}

void train_phases_average(struct train_phases *p)
{
    size_t from = 0;
    for (size_t i = 0; i < p->v.n; i++)
        round_all(&p->v.v[i]);
    while (from < p->v.n) {
        size_t to = from;
        while (to < p->v.n && p->v.v[to].device == p->v.v[from].device)
            to++;
        for (size_t i = from; i < to; i++)
            p->v.v[i].is_steady = i > from || to - from == 1;
        vec_push(&p->average, average_of(p->v.v + from, to - from));
        from = to;
    }
}

void train_phases_make(struct train_phases *p, struct train *t)
{
    *p = (struct train_phases){0};
    size_t n = t->devices.n ? t->devices.n : 1;
    for (size_t d = 0; d < n; d++) {
        struct train_lane l;
        train_lane_make(&l, t, t->devices.n ? t->devices.v[d] : TRAIN_NO_DEVICE);
        add_lane(p, t, &l);
        train_lane_free(&l);
    }
    train_phases_average(p);
}

const struct train_iteration *train_phases_average_of(const struct train_phases *p,
                                                      int32_t device)
{
    for (size_t i = 0; i < p->average.n; i++)
        if (p->average.v[i].device == device)
            return &p->average.v[i];
    return NULL;
}

void train_phases_free(struct train_phases *p)
{
    vec_free(&p->v);
    vec_free(&p->average);
}
