// train.c - where the time of a training run went: `ttprof train`.
#include "app/train/train.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "base/file/folder.h"
#include "base/text/log.h"
#include "base/text/num.h"

#include "app/app.h"
#include "app/ops/folders.h"
#include "present/page/train_doc.h"
#include "present/reports/train_text.h"

struct train_job {
    const struct train_values *v;
    struct arena arena;
    struct train train;
    struct train_ops ops;
    struct train_anomalies anomalies;
    struct train_phases phases;
    struct train_step step;
    struct train_flame flame;
    struct train_heat heat;
    struct train_log log;
    struct train_model model;
    struct train_result result;
    struct train_view view;
    bool has_step, has_heat, has_log;
    struct err *e;
};

// --- what was asked for ---

// "fwd=1.5,bwd=3" with names of the list, or one number for the whole.
static bool take_parts(const char *option, const char *text, const char *const *names,
                       size_t n, size_t whole, double *out, struct err *e)
{
    for (size_t i = 0; i < n; i++)
        out[i] = NAN;
    str rest = str_of(text);
    while (rest.n) {
        str value = str_trim(str_cut(&rest, ',')), name = {0};
        if (str_has(value, S("=")))
            name = str_trim(str_cut(&value, '='));
        size_t at = 0;
        while (at < n && name.n && !str_is(name, names[at]))
            at++;
        if (!name.n)
            at = whole;
        double v;
        if (at >= n || !num_real(str_trim(value), &v) || !(v >= 0) || isinf(v))
            return err_set(e, ERR_USAGE,
                           "--%s: '%s' is neither a number nor a list such as %s=1.5,%s=3",
                           option, text, names[0], names[1]);
        out[at] = v;
    }
    return true;
}

static bool take_model(struct train_job *j)
{
    static const char *const parts[PARTS] = {"fwd", "bwd", "opt", "total"};
    static const char *const collectives[] = {"fwd", "bwd", "sync", "total"};
    const struct train_values *v = j->v;
    j->model = (struct train_model){.name = v->name,
                                    .runner = v->runner,
                                    .batch = v->batch,
                                    .seq_len = v->seq_len,
                                    .blocks = v->blocks,
                                    .tp = v->tp,
                                    .ddp = v->ddp,
                                    .grad_accum = v->grad_accum,
                                    .peak_tflops = v->peak,
                                    .is_checkpointed = v->checkpointing,
                                    .link_gb_s = v->link > 0 ? v->link : NAN};
    return take_parts("flops", v->tflop, parts, PARTS, PART_TOTAL, j->model.tflop, j->e) &&
           take_parts("roofline", v->roofline, parts, PARTS, PART_TOTAL,
                      j->model.roofline_ms, j->e) &&
           take_parts("ccl", v->ccl, collectives, PARTS, CCL_TOTAL, j->model.ccl_ms, j->e);
}

static bool check_values(const struct train_values *v, struct err *e)
{
    const struct {
        const char *name;
        int64_t value, least;
    } numbers[] = {{"device", v->device, -1}, {"iteration", v->iteration, 0},
                   {"steps", v->steps, 0},    {"top", v->top, 1},
                   {"batch", v->batch, 0},    {"seq-len", v->seq_len, 0},
                   {"blocks", v->blocks, 0},  {"tp", v->tp, 1},
                   {"ddp", v->ddp, 1},        {"grad-accum", v->grad_accum, 1}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].value < numbers[i].least || numbers[i].value > INT32_MAX)
            return err_set(e, ERR_USAGE, "--%s: %lld is out of range", numbers[i].name,
                           (long long)numbers[i].value);
    if (!(v->peak > 0))
        return err_set(e, ERR_USAGE, "--peak must be positive");
    if (v->naive && v->log)
        return err_set(
            e, ERR_USAGE,
            "--naive and --log exclude each other: both read the output of the program");
    if (v->timeline && !str_ends(str_of(v->timeline), S(".svg")) &&
        !str_ends(str_of(v->timeline), S(".png")))
        return err_set(e, ERR_USAGE, "--timeline: '%s' must end in .svg or .png",
                       v->timeline);
    return true;
}

// --- the work ---

// profile_log_device.csv next to the table.
static const char *log_beside(struct train_job *j, const char *table)
{
    const char *slash = strrchr(table, '/');
    int n = slash ? (int)(slash - table) + 1 : 0;
    const char *path = arena_printf(&j->arena, "%.*sprofile_log_device.csv", n, table).p;
    return access(path, R_OK) == 0 ? path : NULL;
}

static bool read_others(struct train_job *j, const char *table)
{
    const struct train_values *v = j->v;
    const char *printed = v->naive ? v->naive : v->log;
    if (printed) {
        j->has_log = train_log_read(&j->log, printed, j->e);
        if (!j->has_log)
            return false;
        if (v->naive && !j->log.steps.n)
            note(&j->train.notes, NOTE_WARNING, "%s: no lines of the naive profiler",
                 printed);
    }
    if (v->no_heat)
        return true;
    const char *device_log = v->device_log ? v->device_log : log_beside(j, table);
    if (!device_log)
        return true;
    j->has_heat =
        train_heat_read(&j->heat, device_log, &j->train.notes, &j->train.diag, j->e);
    if (!j->has_heat && !v->device_log) { // not requested, so not an error
        note(&j->train.notes, NOTE_WARNING, "%s", j->e->text);
        *j->e = (struct err){0};
        return true;
    }
    return j->has_heat;
}

static void analyse(struct train_job *j)
{
    train_ops_make(&j->ops, &j->train);
    train_anomalies_find(&j->anomalies, &j->train, &j->ops);
    train_phases_make(&j->phases, &j->train);
    j->has_step = j->train.has_markers && train_step_make(&j->step, &j->train);
    if (!j->train.has_markers)
        note(&j->train.notes, NOTE_WARNING,
             "no markers of the training loop: no phases and no single step");
    if (j->has_step)
        train_flame_make(&j->flame, &j->train, &j->step);
    train_result_make(&j->result, &j->phases, j->has_log ? &j->log : NULL, &j->model,
                      j->train.devices.n);
    j->view = (struct train_view){.train = &j->train,
                                  .ops = &j->ops,
                                  .anomalies = &j->anomalies,
                                  .phases = &j->phases,
                                  .step = j->has_step ? &j->step : NULL,
                                  .flame = j->has_step ? &j->flame : NULL,
                                  .heat = j->has_heat ? &j->heat : NULL,
                                  .log = j->has_log ? &j->log : NULL,
                                  .model = &j->model,
                                  .result = &j->result,
                                  .top = (size_t)j->v->top};
    train_view_make(&j->view);
}

static void said(const char *what, const char *path)
{
    if (!out_is_stdout(path))
        log_line("train: %s: %s", what, path);
}

static bool write_json(struct train_job *j)
{
    struct out o;
    if (!out_open(&o, j->v->json, j->e))
        return false;
    train_doc_json(&j->view, &o);
    return out_close(&o, j->e);
}

static bool write_flame(struct train_job *j)
{
    if (!j->has_step)
        return true; // a note says that there is no step
    const char *path =
        arena_printf(&j->arena, "%s/flamegraph_dev%d_iter%lld.html", j->v->flame,
                     j->step.device, (long long)j->step.iteration)
            .p;
    if (!folder_make(j->v->flame, j->e) || !train_doc_flame(&j->view, path, j->e))
        return false;
    said("flame graph", path);
    return true;
}

static bool write_files(struct train_job *j)
{
    const struct train_values *v = j->v;
    if (v->json && !write_json(j))
        return false;
    if (v->csv) {
        if (!train_doc_csv(&j->view, v->csv, j->e))
            return false;
        said("tables", v->csv);
    }
    if (v->html) {
        if (!train_doc_html(&j->view, v->html, j->e))
            return false;
        said("page", v->html);
    }
    if (v->flame && !write_flame(j))
        return false;
    if (v->timeline && j->has_step) {
        if (!train_chart_write(&j->view, v->timeline, j->e))
            return false;
        said("op timeline", v->timeline);
    }
    return true;
}

static void say_notes(const struct train_job *j)
{
    for (size_t i = 0; i < j->train.notes.list.n; i++)
        log_line("train: %.*s", STR(j->train.notes.list.v[i].text));
}

static bool print_text(struct train_job *j)
{
    if (out_is_stdout(j->v->json) || out_is_stdout(j->v->html))
        return true;
    struct out o;
    struct text_look look = terminal_look(STDOUT_FILENO);
    look.is_coloured &= !j->v->no_color;
    out_print(&o, look.is_coloured);
    train_text(&j->view, look, &o.b);
    return out_close(&o, j->e);
}

int train_command(const struct train_values *values, struct words words, struct err *e)
{
    struct train_job j = {.v = values, .e = e};
    if (!check_values(j.v, e) || !take_model(&j))
        return 2;
    const char *table = ops_report_find(words.n ? words.v[0] : NULL, &j.arena, e);
    const struct train_options options = {
        .device = j.v->device, .iteration = j.v->iteration, .steps = j.v->steps};
    if (table && train_load(&j.train, table, &options, e) && read_others(&j, table)) {
        analyse(&j);
        say_notes(&j);
        if (print_text(&j))
            (void)write_files(&j);
        command_findings("train", &j.train.diag, j.v->strict, e);
    }
    train_view_free(&j.view);
    train_ops_free(&j.ops);
    train_anomalies_free(&j.anomalies);
    train_phases_free(&j.phases);
    train_step_free(&j.step);
    train_flame_free(&j.flame);
    train_heat_free(&j.heat);
    train_log_free(&j.log);
    train_free(&j.train);
    arena_free(&j.arena);
    return 0;
}
