// manifest.c - manifest.json: what was run, where, how, and the results.
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/file/git.h"
#include "base/text/json.h"

#include "app/run/outputs.h"

static void json_key_real(struct json *j, const char *key, double v)
{
    json_key(j, str_of(key));
    json_double(j, v);
}
static void json_key_bool(struct json *j, const char *key, bool v)
{
    json_key(j, str_of(key));
    json_bool(j, v);
}
static void json_key_open(struct json *j, const char *key, char bracket)
{
    json_key(j, str_of(key));
    json_open(j, bracket);
}

static void put_lines(struct json *j, const char *key, str lines)
{
    json_key_open(j, key, '[');
    while (lines.n)
        json_text(j, str_cut(&lines, '\n'));
    json_close(j, ']');
}

// --- what, and where -------------------------------------------------------------------
static void put_command(struct json *j, const struct wrapped_run *r)
{
    char cwd[4096];
    json_key_text(j, "command", buf_view(&r->as_given));
    json_key_open(j, "words", '[');
    for (size_t i = 0; i < r->command.n; i++)
        json_text(j, str_of(r->command.v[i]));
    json_close(j, ']');
    json_key_text(j, "cwd", str_of(getcwd(cwd, sizeof cwd) ? cwd : ""));
}

// The first "model name" of /proc/cpuinfo; empty: none.
static void put_cpu(struct json *j)
{
    struct file f;
    struct err e = {0};
    str model = {0};
    bool is_open = file_open("/proc/cpuinfo", &f, &e);
    str rest = is_open ? f.text : (str){0};
    while (rest.n && !model.n) {
        str line = str_cut(&rest, '\n'), key = str_trim(str_cut(&line, ':'));
        if (str_is(key, "model name"))
            model = str_trim(line);
    }
    json_key_text(j, "cpu", model);
    if (is_open)
        file_close(&f);
}

static void put_host(struct json *j)
{
    struct utsname u;
    json_key_open(j, "host", '{');
    if (uname(&u) == 0) {
        json_key_text(j, "name", str_of(u.nodename));
        json_key_text(j, "system", str_of(u.sysname));
        json_key_text(j, "release", str_of(u.release));
        json_key_text(j, "machine", str_of(u.machine));
    }
    put_cpu(j);
    json_key_int(j, "cores", sysconf(_SC_NPROCESSORS_ONLN));
    json_close(j, '}');
}

static void put_git(struct json *j)
{
    struct git_head head;
    if (!git_head_of(".", &head))
        return;
    json_key_open(j, "git", '{');
    json_key_text(j, "commit", str_of(head.commit));
    json_key_text(j, "branch", str_of(head.branch));
    json_close(j, '}');
}

// --- how -------------------------------------------------------------------------------
static void put_option(struct json *j, const struct option *o, const void *at)
{
    json_key(j, str_of(o->name));
    switch (o->kind) {
    case OPTION_FLAG: json_bool(j, *(const bool *)at); break;
    case OPTION_INT: json_int(j, *(const int64_t *)at); break;
    case OPTION_REAL: json_double(j, *(const double *)at); break;
    case OPTION_LIST: {
        const struct option_list *list = at;
        json_open(j, '[');
        for (size_t i = 0; i < list->n; i++)
            json_text(j, str_of(list->v[i]));
        json_close(j, ']');
        break;
    }
    default: json_text(j, str_of(*(const char *const *)at)); break;
    }
}

// An alias shares its value with an earlier option, under which it is listed.
static bool is_alias(const struct option *o, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (o[k].at == o[i].at)
            return true;
    return false;
}

static void put_options(struct json *j, const struct wrapped_run *r)
{
    const char *v = (const char *)r->v;
    json_key_open(j, "options", '{');
    const struct option *o = r->options.v;
    for (size_t i = 0; i < r->options.n; i++)
        if (!is_alias(o, i) && run_option_is_given(&o[i], r->v))
            put_option(j, &o[i], v + o[i].at);
    json_close(j, '}');
}

// Variables that were set, and null for those removed.
static void put_environment(struct json *j, const struct wrapped_run *r)
{
    json_key_open(j, "environment", '{');
    for (size_t i = 0; i < r->variables.n; i++) {
        const struct run_variable *v = &r->variables.v[i];
        json_key(j, str_of(v->name));
        if (v->value)
            json_text(j, str_of(v->value));
        else
            json_none(j);
    }
    json_close(j, '}');
}

// --- what came of it -------------------------------------------------------------------
static void put_exit(struct json *j, const struct wrapped_run *r)
{
    json_key_open(j, "exit", '{');
    json_key(j, S("code"));
    if (WIFEXITED(r->status))
        json_int(j, WEXITSTATUS(r->status));
    else
        json_none(j);
    json_key(j, S("signal"));
    if (WIFSIGNALED(r->status))
        json_int(j, WTERMSIG(r->status));
    else
        json_none(j);
    json_key_bool(j, "interrupted", r->was_interrupted);
    json_close(j, '}');
}

// Processes whose times are not real ones, and by which clock they are.
static void put_own_clocks(struct json *j, const struct run_facts *f)
{
    size_t n = f->has_host ? f->host.processes.n : 0;
    json_key_open(j, "processes", '[');
    for (size_t i = 0; i < n; i++) {
        const struct trace_process *p = &f->host.processes.v[i];
        if (p->clock == PROCESS_CLOCK_REAL)
            continue;
        json_open(j, '{');
        json_key_int(j, "pid", p->pid);
        json_key_text(j, "clock", str_of(process_clock_names[p->clock]));
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void put_times(struct json *j, const struct wrapped_run *r,
                      const struct run_facts *f)
{
    json_key_int(j, "start_time", r->start_time);
    json_key_int(j, "start_ns", (int64_t)r->start_ns);
    json_key_int(j, "end_ns", (int64_t)r->end_ns);
    json_key_open(j, "clock", '{');
    json_key_text(j, "source", r->ticks_per_ns > 0 ? S("tsc") : S("monotonic"));
    json_key_real(j, "ticks_per_ns", r->ticks_per_ns);
    json_key_real(j, "error_ns", f->clock_error_ns);
    put_own_clocks(j, f);
    json_close(j, '}');
}

static void put_losses(struct json *j, const uint64_t lost[TT_LOSSES])
{
    for (int i = 0; i < TT_LOSSES; i++)
        if (lost[i])
            json_key_int(j, run_losses[i].key, (int64_t)lost[i]);
}

static void put_track_losses(struct json *j, const struct trace *host)
{
    json_key_open(j, "threads", '[');
    for (size_t i = 0; i < host->tracks.n; i++) {
        const struct trace_track *t = &host->tracks.v[i];
        uint64_t n = 0;
        for (int k = 0; k < TT_LOSSES; k++)
            n += t->lost[k];
        if (!n)
            continue;
        json_open(j, '{');
        json_key_int(j, "pid", host->processes.v[t->process].pid);
        json_key_int(j, "tid", t->tid);
        put_losses(j, t->lost);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void put_recorded(struct json *j, const struct wrapped_run *r,
                         const struct run_facts *f)
{
    json_key_open(j, "recorded", '{');
    json_key_int(j, "processes", (int64_t)f->n_processes);
    json_key_int(j, "threads", (int64_t)f->n_threads);
    json_key_int(j, "events", (int64_t)f->events);
    json_key_int(j, "snapshots", (int64_t)r->n_snapshots);
    json_key_int(j, "host_bytes", (int64_t)f->host_bytes);
    json_key_int(j, "log_bytes", (int64_t)f->log_bytes);
    json_close(j, '}');
    json_key_open(j, "lost", '{');
    json_key_int(j, "events", (int64_t)f->n_lost);
    put_losses(j, f->lost);
    if (f->has_host && f->n_lost)
        put_track_losses(j, &f->host);
    json_close(j, '}');
}

static void put_chips(struct json *j, const struct attachment *at)
{
    for (size_t i = 0; i < at->clocks.chips.n; i++) {
        const struct device_clock *c = &at->clocks.chips.v[i];
        json_open(j, '{');
        json_key_int(j, "id", c->chip);
        json_key_int(j, "pid", at->pid);
        json_key_int(j, "attachment", at->number);
        json_key_bool(j, "synced", c->model.is_synced);
        json_key_real(j, "error_ns", clock_model_worst_ns(&c->model));
        json_close(j, '}');
    }
}

static void put_devices(struct json *j, const struct run_facts *f)
{
    json_key_open(j, "devices", '[');
    for (size_t a = 0; a < f->attachments.v.n; a++)
        put_chips(j, &f->attachments.v.v[a]);
    json_close(j, ']');
}

bool run_manifest_write(const struct wrapped_run *r, const struct run_facts *f,
                        struct err *e)
{
    struct out o;
    struct arena a = {0};
    bool ok = out_open(&o, arena_printf(&a, "%s/manifest.json", r->folder).p, e);
    arena_free(&a);
    if (!ok)
        return false;
    struct json j = {.b = &o.b, .is_first = true, .indent = 2};
    json_open(&j, '{');
    json_key_text(&j, "ttprof", S(TTPROF_VERSION));
    json_key_text(&j, "stamp", str_of(r->stamp));
    put_command(&j, r);
    put_host(&j);
    put_git(&j);
    put_times(&j, r, f);
    put_options(&j, r);
    put_environment(&j, r);
    put_exit(&j, r);
    json_key_int(&j, "processes", (int64_t)f->n_seen);
    put_recorded(&j, r, f);
    put_devices(&j, f);
    if (f->report)
        json_key_text(&j, "report", str_of(f->report));
    put_lines(&j, "problems", buf_view(&r->problems));
    json_close(&j, '}');
    buf_char(&o.b, '\n');
    return out_close(&o, e);
}
