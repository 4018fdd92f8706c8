// train_log.c - parses what a training program prints: times of its naive profiler and of
// whole steps, and memory use.
#include <math.h>

#include "base/text/num.h"

#include "analyse/train/train.h"

enum { WARM_UP = 2 }; // steps that compile and fill caches

struct naive_mark {
    str name;
    int64_t us;
};
struct reading {
    struct train_log *log;
    VEC(struct naive_mark) marks;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// The number after a text in the line.
static bool number_after(str line, const char *text, double *out)
{
    str rest;
    size_t n = 0;
    if (!str_after(line, str_of(text), &rest))
        return false;
    rest = str_trim(rest);
    while (n < rest.n && (is_digit(rest.p[n]) || strchr("+-.", rest.p[n])))
        n++;
    return n && num_real((str){rest.p, n}, out);
}

// `--- NAME ---`
static bool section_of(str line, str *name)
{
    line = str_trim(line);
    if (!str_starts(line, S("--- ")) || !str_ends(line, S(" ---")) || line.n < 9)
        return false;
    *name = str_trim((str){line.p + 4, line.n - 8});
    return name->n > 0;
}

static void read_memory(struct reading *r, str line)
{
    struct train_log *l = r->log;
    str name;
    if (section_of(line, &name)) {
        vec_push(&l->memory, (struct train_memory){name, NAN, NAN, NAN, NAN, NAN, NAN});
        return;
    }
    if (str_has(line, S("Overall DRAM Peak:"))) {
        (void)number_after(line, "Overall DRAM Peak:", &l->overall_peak);
        (void)number_after(line, "Final DRAM Usage:", &l->final_usage);
    }
    if (!l->memory.n || !str_has(line, S("DRAM: ")))
        return;
    struct train_memory *m = &l->memory.v[l->memory.n - 1];
    (void)number_after(line, "Segment Peak", &m->peak);
    (void)number_after(line, ", Allocations", &m->allocations);
    (void)number_after(line, "Deallocations", &m->deallocations);
    (void)number_after(line, "Segment Change", &m->change);
    (void)number_after(line, "Cumulative Peak", &m->cumulative_peak);
    (void)number_after(line, "Cumulative Current", &m->cumulative);
}

static void read_line(struct reading *r, str line)
{
    struct train_log *l = r->log;
    str rest;
    double v;
    if (str_after(line, S("[NAIVE_PROFILER]"), &rest)) {
        size_t at = str_find(rest, S("timestamp_us="));
        if (at == STR_NOT_FOUND || !number_after(rest, "timestamp_us=", &v))
            return;
        int64_t us;
        str digits = str_from(rest, at + sizeof "timestamp_us=" - 1);
        size_t n = 0;
        while (n < digits.n && is_digit(digits.p[n]))
            n++;
        str name = str_trim((str){rest.p, at});
        if (name.n && num_int((str){digits.p, n}, &us))
            vec_push(&r->marks, (struct naive_mark){name, us});
        return;
    }
    if (number_after(line, "Full step time", &v) && v >= 0)
        vec_push(&l->step_ms, v);
    if (number_after(line, "Number of parameters:", &v) && v >= 0 && v < 1e15 &&
        l->n_parameters < 0)
        l->n_parameters = (int64_t)v;
    read_memory(r, line);
}

// --- phases of the host's times ---

static bool number_from(const struct reading *r, size_t at, int64_t *number)
{
    for (size_t i = at; i < r->marks.n; i++)
        if (train_iteration_of(r->marks.v[i].name, number))
            return true;
    return false;
}

static void make_phases(struct reading *r)
{
    size_t first = 0;
    for (size_t i = 0; i < r->marks.n && !first; i++)
        if (str_is(r->marks.v[i].name, "iteration_2"))
            first = i;
    for (size_t i = first + 1; i < r->marks.n; i++) {
        const struct naive_mark *a = &r->marks.v[i - 1], *b = &r->marks.v[i];
        enum train_phase phase = train_phase_between(a->name, b->name);
        int64_t number;
        if (phase == PHASES || !number_from(r, i - 1, &number))
            continue;
        train_phases_at(&r->log->naive, TRAIN_HOST_DEVICE, number)->ms[phase] +=
            (double)(b->us - a->us) / 1000;
    }
    train_phases_average(&r->log->naive);
}

// --- the stand-alone view: one row per step ---

static bool time_of(const struct reading *r, size_t from, size_t to, const char *name,
                    int64_t *us)
{
    bool is_found = false;
    for (size_t i = from; i < to; i++)
        if (str_is(r->marks.v[i].name, name)) {
            *us = r->marks.v[i].us; // the last one wins
            is_found = true;
        }
    return is_found;
}

static const struct {
    const char *before, *after;
} pairs[PHASE_OTHER] = {
    [PHASE_FORWARD] = {"dataloader_step_done", "forward_pass_done"},
    [PHASE_BACKWARD] = {"forward_pass_done", "backward_pass_done"},
    [PHASE_SYNC] = {"backward_pass_done", "gradient_sync_done"},
    [PHASE_OPTIMIZER] = {"gradient_sync_done", "optimizer_step_done"},
};

static void add_step(struct reading *r, size_t from, size_t to, int64_t *optimizer_done,
                     bool *has_optimizer)
{
    struct train_iteration s = {.device = TRAIN_HOST_DEVICE};
    int64_t a, b;
    bool has_any = false;
    (void)train_iteration_of(r->marks.v[to - 1].name, &s.number);
    for (int p = 0; p < PHASES; p++)
        s.ms[p] = NAN;
    for (int p = 0; p < PHASE_OTHER; p++)
        if (time_of(r, from, to, pairs[p].before, &a) &&
            time_of(r, from, to, pairs[p].after, &b))
            s.ms[p] = (double)(b - a) / 1000;
    if (*has_optimizer && time_of(r, from, to, "dataloader_step_done", &a))
        s.ms[PHASE_OTHER] = (double)(a - *optimizer_done) / 1000;
    if (time_of(r, from, to, "optimizer_step_done", &b)) {
        *optimizer_done = b;
        *has_optimizer = true;
    }
    for (int p = 0; p < PHASES; p++) {
        has_any |= !isnan(s.ms[p]);
        s.total += isnan(s.ms[p]) ? 0 : s.ms[p];
    }
    if (has_any)
        vec_push(&r->log->steps, s);
}

static double mean_after(const struct train_log *l, int phase, size_t from)
{
    double sum = 0;
    size_t n = 0;
    for (size_t i = from; i < l->steps.n; i++) {
        double v = phase < PHASES ? l->steps.v[i].ms[phase] : l->steps.v[i].total;
        if (!isnan(v)) {
            sum += v;
            n++;
        }
    }
    return n ? sum / (double)n : NAN;
}

static void make_steps(struct reading *r)
{
    struct train_log *l = r->log;
    int64_t optimizer_done = 0, number;
    bool has_optimizer = false;
    size_t from = 0;
    for (size_t i = 0; i < r->marks.n; i++)
        if (str_starts(r->marks.v[i].name, S("iteration_")) &&
            train_iteration_of(r->marks.v[i].name, &number)) {
            add_step(r, from, i + 1, &optimizer_done, &has_optimizer);
            from = i + 1;
        }
    size_t first = l->steps.n > WARM_UP ? WARM_UP : 0;
    l->average = (struct train_iteration){.device = TRAIN_HOST_DEVICE,
                                          .number = (int64_t)(l->steps.n - first),
                                          .total = mean_after(l, PHASES, first)};
    for (int p = 0; p < PHASES; p++)
        l->average.ms[p] = mean_after(l, p, first);
}

static double wall_of(const struct train_log *l)
{
    size_t n = l->step_ms.n, first = n > WARM_UP ? WARM_UP : n ? n - 1 : 0;
    double sum = 0;
    for (size_t i = first; i < n; i++)
        sum += l->step_ms.v[i];
    return n ? train_round3(sum / (double)(n - first)) : NAN;
}

void train_log_parse(struct train_log *l, str text)
{
    struct reading r = {.log = l};
    l->overall_peak = l->final_usage = NAN;
    l->n_parameters = -1;
    while (text.n)
        read_line(&r, str_cut(&text, '\n'));
    make_phases(&r);
    make_steps(&r);
    l->wall_ms = wall_of(l);
    vec_free(&r.marks);
}

bool train_log_read(struct train_log *l, const char *path, struct err *e)
{
    *l = (struct train_log){0};
    if (!file_open(path, &l->file, e))
        return false;
    train_log_parse(l, l->file.text);
    return true;
}

void train_log_free(struct train_log *l)
{
    vec_free(&l->memory);
    vec_free(&l->step_ms);
    vec_free(&l->steps);
    train_phases_free(&l->naive);
    arena_free(&l->arena);
    file_close(&l->file);
}
