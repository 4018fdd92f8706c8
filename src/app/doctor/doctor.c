// doctor.c - shows how a run would behave in this environment: `ttprof doctor`.
#include "app/doctor/doctor.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text/json.h"
#include "base/text/num.h"

#include "app/app.h"
#include "app/doctor/checks.h"
#include "collect/readout/options_table.h"

struct folder_check {
    const char *name;
    char path[600];
    const char *state;
    bool is_bad;
};

enum { FOLDERS_MOST = 4 };

struct doctor {
    const char *const *environment;
    struct profiler_options o;
    struct profiler_setting settings[PROFILER_SETTINGS_MOST];
    size_t n_settings;
    struct folder_check folders[FOLDERS_MOST];
    size_t n_folders;
    struct buf warnings, problems; // one line each
    struct buf others;             // variables read by other parts, one line each
    const struct check_finding *findings;
    struct arena a;
};

// --- collecting ------------------------------------------------------------------------
// "a/b/" -> "a" -> "."; "/a" -> "/" -> "/".
static void go_up(char *path)
{
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/')
        n--;
    while (n && path[n - 1] != '/')
        n--;
    while (n > 1 && path[n - 1] == '/')
        n--;
    path[n] = '\0';
    if (!n)
        memcpy(path, ".", 2);
}

// The folder or its nearest existing parent. True: the folder itself exists.
static bool find_nearest(char *path)
{
    struct stat st;
    if (stat(path, &st) == 0)
        return true;
    do
        go_up(path);
    while (stat(path, &st) != 0 && strcmp(path, ".") != 0 && strcmp(path, "/") != 0);
    return false;
}

// A run creates a missing folder, so its nearest existing parent must be writable.
static void check_folder(struct doctor *d, const char *name, const char *path)
{
    struct folder_check *f = &d->folders[d->n_folders++];
    char at[sizeof f->path];
    struct stat st = {0};
    f->name = name;
    (void)snprintf(f->path, sizeof f->path, "%s", path);
    memcpy(at, f->path, sizeof at);
    bool is_there = find_nearest(at);
    (void)stat(at, &st);
    f->is_bad = !S_ISDIR(st.st_mode) || access(at, W_OK | X_OK) != 0;
    f->state = f->is_bad ? "not writable" : is_there ? "writable" : "will be created";
    if (f->is_bad && d->o.is_enabled && !d->o.no_files)
        buf_printf(&d->problems,
                   "the folder of %s is not writable: %s; choose another one\n", name,
                   path);
}

static void check_folders(struct doctor *d)
{
    char logs[600];
    profiler_logs_folder(&d->o, logs, sizeof logs);
    check_folder(d, "artifacts", d->o.folder);
    check_folder(d, "logs", logs);
    if (d->o.noc_events && d->o.noc_folder[0])
        check_folder(d, "NoC traces", d->o.noc_folder);
    if (d->o.dump_raw[0])
        check_folder(d, "raw dump", d->o.dump_raw);
}

static void find_others(struct doctor *d)
{
    for (size_t i = 0; d->environment[i]; i++) {
        str rest = str_of(d->environment[i]);
        str name = str_cut(&rest, '=');
        bool is_ours = str_starts(name, S("TT_METAL_")) || str_starts(name, S("TTPROF_"));
        if (is_ours && variable_is_known(name) && !variable_find(name))
            buf_printf(&d->others, "%s\n", d->environment[i]);
    }
}

static void look_around(struct doctor *d)
{
    char nearest[sizeof d->o.folder];
    str root = str_of(d->o.folder);
    while (root.n > 1 && root.p[root.n - 1] == '/')
        root.n--;
    (void)snprintf(nearest, sizeof nearest, "%.*s", STR(root));
    (void)find_nearest(nearest);
    d->findings = doctor_run_checks((struct check_view){
        .o = &d->o, .root = arena_str(&d->a, root).p, .nearest = nearest, .a = &d->a});
}

static void collect_state(struct doctor *d)
{
    struct err e = {0};
    d->environment = (const char *const *)environ;
    profiler_options_default(&d->o);
    (void)profiler_options_take(&d->o, d->environment, &d->warnings, &d->problems);
    // Settling does not stop at conflicts: report all of them, not only the first.
    (void)profiler_options_settle(&d->o, &d->warnings, &e);
    (void)profiler_conflicts(&d->o, &d->problems);
    d->n_settings = profiler_settings(&d->o, d->environment, d->settings, &d->a);
    check_folders(d);
    find_others(d);
    look_around(d);
}

static uint32_t region_bytes(const struct profiler_options *o)
{
    struct buf unused = {0};
    uint32_t bytes = profiler_region_bytes(o, &unused);
    buf_free(&unused);
    return bytes;
}

static const char *variant_name(const struct profiler_options *o)
{
    static const char *const names[] = {"off", "prof", "full"};
    return names[profiler_variant(o)];
}

// --- printing --------------------------------------------------------------------------
static int widest(int width, const char *text)
{
    int n = (int)str_points(str_of(text));
    return n > width ? n : width;
}

// Makes an empty value visible in the table.
static const char *shown(const char *value)
{
    return value[0] ? value : "-";
}

static void put_settings(const struct doctor *d, struct buf *b)
{
    int variable = 0, value = 0, source = 0;
    for (size_t i = 0; i < d->n_settings; i++) {
        variable = widest(variable, d->settings[i].variable);
        value = widest(value, shown(d->settings[i].value));
        source = widest(source, d->settings[i].source);
    }
    for (size_t i = 0; i < d->n_settings; i++) {
        const struct profiler_setting *s = &d->settings[i];
        buf_printf(b, "%-*s  %-*s  %-*s  %s\n", variable, s->variable, value,
                   shown(s->value), source, s->source, s->what);
    }
}

static void put_lines(struct buf *b, const char *title, const struct buf *lines)
{
    str rest = buf_view(lines);
    if (rest.n)
        buf_printf(b, "\n%s:\n", title);
    while (rest.n) {
        str line = str_cut(&rest, '\n');
        buf_printf(b, "  %.*s\n", STR(line));
    }
}

static void put_state(const struct doctor *d, struct buf *b)
{
    const struct profiler_options *o = &d->o;
    buf_z(b, "Device profiler: ");
    if (d->problems.n) {
        buf_z(b, "does not start; see the problems below\n");
    } else if (!o->is_enabled) {
        buf_z(b, "off; set TT_METAL_DEVICE_PROFILER=1 to enable it\n");
    } else {
        buf_printf(b, "on, images of variant '%s', ", variant_name(o));
        num_put_fixed(b, region_bytes(o), 0, true);
        buf_printf(b, " bytes of DRAM per RISC%s\n",
                   profiler_region_buffers(o) == 2 ? ", twice" : "");
    }
    for (size_t i = 0; i < d->n_folders; i++)
        buf_printf(b, "Folder of %s: %s (%s)\n", d->folders[i].name, d->folders[i].path,
                   d->folders[i].state);
}

static void put_text(const struct doctor *d, struct buf *b)
{
    put_state(d, b);
    put_lines(b, "Problems", &d->problems);
    put_lines(b, "Warnings", &d->warnings);
    buf_char(b, '\n');
    put_settings(d, b);
    put_lines(b, "Also set, not used by the profiler", &d->others);
    doctor_put_checks(d->findings, b);
}

static void put_list_json(struct json *j, const char *key, const struct buf *lines)
{
    str rest = buf_view(lines);
    json_key(j, str_of(key));
    json_open(j, '[');
    while (rest.n)
        json_text(j, str_cut(&rest, '\n'));
    json_close(j, ']');
}

static void put_settings_json(const struct doctor *d, struct json *j)
{
    json_key(j, S("settings"));
    json_open(j, '[');
    for (size_t i = 0; i < d->n_settings; i++) {
        json_newline(j);
        json_open(j, '{');
        json_key_text(j, "variable", str_of(d->settings[i].variable));
        json_key_text(j, "value", str_of(d->settings[i].value));
        json_key_text(j, "source", str_of(d->settings[i].source));
        json_key_text(j, "what", str_of(d->settings[i].what));
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void put_json(const struct doctor *d, struct buf *b)
{
    struct json j = {.b = b, .is_first = true};
    json_open(&j, '{');
    json_key(&j, S("profiler_starts"));
    json_bool(&j, d->o.is_enabled && !d->problems.n);
    json_key_text(&j, "variant", str_of(variant_name(&d->o)));
    json_key_int(&j, "region_bytes", region_bytes(&d->o));
    put_list_json(&j, "problems", &d->problems);
    put_list_json(&j, "warnings", &d->warnings);
    json_key(&j, S("folders"));
    json_open(&j, '[');
    for (size_t i = 0; i < d->n_folders; i++) {
        json_newline(&j);
        json_open(&j, '{');
        json_key_text(&j, "name", str_of(d->folders[i].name));
        json_key_text(&j, "path", str_of(d->folders[i].path));
        json_key_text(&j, "state", str_of(d->folders[i].state));
        json_close(&j, '}');
    }
    json_close(&j, ']');
    put_settings_json(d, &j);
    put_list_json(&j, "others", &d->others);
    doctor_put_checks_json(d->findings, &j);
    json_close(&j, '}');
    buf_char(b, '\n');
}

int doctor_command(const struct doctor_values *v, struct words words, struct err *e)
{
    (void)words;
    struct doctor d = {.environment = NULL};
    struct buf b = {0};
    collect_state(&d);
    if (v->json)
        put_json(&d, &b);
    else
        put_text(&d, &b);
    int code = command_print(&b, e);
    bool is_bad = d.problems.n != 0 || doctor_has_problem(d.findings);
    buf_free(&d.warnings);
    buf_free(&d.problems);
    buf_free(&d.others);
    arena_free(&d.a);
    return code ? code : is_bad;
}
