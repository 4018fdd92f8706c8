// setup.c - reads setups. No code is evaluated: every word is looked up.
#include "analyse/device/setup.h"

#include <stdio.h>

#include "base/file/file.h"
#include "base/text/num.h"

#include "analyse/fold/durations.h"
#include "setup_files.h" // generated: the texts of setups/*.ini

const char *const across_names[ACROSSES] = {"core", "device", "ops", "dispatch_ops"};
const char *const analysis_type_names[ANALYSIS_TYPES] = {"adjacent",
                                                         "session_first_last",
                                                         "op_first_last",
                                                         "op_core_first_last",
                                                         "launch_first_last",
                                                         "sum",
                                                         "event"};
const char *const stat_names[STATS] = {"Count", "Average", "Max",   "Median",
                                       "Min",   "Sum",     "Range", "First"};

enum { PARENTS_MOST = 8 };

struct parse {
    struct setup *s;
    struct arena *a;
    struct err *e;
    const char *file;
    const char *parent;        // NULL: none
    struct analysis *analysis; // current section, NULL: before the first
    bool has_across, has_type, has_detect_ops;
    size_t line; // current line, for errors
    size_t section_line, parent_line;
    size_t first;   // analyses before it come from a child
    unsigned depth; // nesting depth of parents
};

static bool parse_text(struct parse *p, str text);

// The index of a word in a list, or an error that shows the list.
static bool word_of(struct parse *p, str key, str word, const char *const *words, size_t n,
                    unsigned *out)
{
    for (size_t i = 0; i < n; i++)
        if (str_is(word, words[i])) {
            *out = (unsigned)i;
            return true;
        }
    char all[200] = "";
    size_t at = 0;
    for (size_t i = 0; i < n && at < sizeof all; i++)
        at += (size_t)snprintf(all + at, sizeof all - at, "%s%s", i ? ", " : "", words[i]);
    return err_set(p->e, ERR_FORMAT, "%.*s: invalid value '%.*s'; use one of %s", STR(key),
                   STR(str_clip(word, 60)), all);
}

static size_t count_commas(str s)
{
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++)
        n += s.p[i] == ',';
    return n;
}

static bool parse_names(struct parse *p, str value, struct condition *c)
{
    c->names = push_many(p->a, str, count_commas(value) + 1);
    c->n_names = 0;
    while (value.n) {
        str name = str_trim(str_cut(&value, ','));
        if (!name.n)
            return err_set(p->e, ERR_FORMAT, "empty name between two commas");
        c->names[c->n_names++] = arena_str(p->a, name);
    }
    return c->n_names || err_set(p->e, ERR_FORMAT, "zone_name is empty");
}

static bool parse_core(struct parse *p, str value, struct condition *c)
{
    c->core = arena_str(p->a, value);
    c->has_core = !str_is(value, "ANY");
    int64_t x, y;
    str rest = value;
    str first = str_trim(str_cut(&rest, ','));
    if (!c->has_core)
        return true;
    if (!num_int(first, &x) || !num_int(str_trim(rest), &y) || x != (int32_t)x ||
        y != (int32_t)y)
        return err_set(p->e, ERR_FORMAT, "core: '%.*s' is neither ANY nor x, y",
                       STR(str_clip(value, 60)));
    c->x = (int32_t)x;
    c->y = (int32_t)y;
    return true;
}

static bool parse_condition(struct parse *p, str key, str value, struct condition *c)
{
    if (str_is(key, "zone_name"))
        return parse_names(p, value, c);
    if (str_is(key, "core"))
        return parse_core(p, value, c);
    if (str_is(key, "risc")) {
        c->risc = arena_str(p->a, value);
        return value.n || err_set(p->e, ERR_FORMAT, "risc is empty; use ANY for all");
    }
    if (str_is(key, "timer_id"))
        return (num_int(value, &c->timer_id) && c->timer_id >= 0) ||
               err_set(p->e, ERR_FORMAT, "timer_id: '%.*s' is not a number",
                       STR(str_clip(value, 60)));
    unsigned phase;
    if (str_is(key, "zone_phase")) {
        if (!word_of(p, key, value, marker_type_names, MARKER_OTHER, &phase))
            return false;
        c->phase = str_of(marker_type_names[phase]);
        return true;
    }
    return err_set(
        p->e, ERR_FORMAT,
        "unknown key '%.*s'; valid keys: zone_name, zone_phase, risc, core and timer_id",
        STR(str_clip(key, 60)));
}

static bool parse_of_setup(struct parse *p, str key, str value)
{
    unsigned word;
    static const char *const yes_no[] = {"no", "yes"};
    if (str_is(key, "parent")) {
        p->parent = arena_str(p->a, value).p;
        p->parent_line = p->line;
        return true;
    }
    if (str_is(key, "detect_ops")) {
        if (!word_of(p, key, value, yes_no, 2, &word))
            return false;
        p->s->detect_ops = word == 1;
        p->has_detect_ops = true;
        return true;
    }
    if (str_is(key, "display")) {
        p->s->n_display = 0;
        while (value.n) {
            if (!word_of(p, key, str_trim(str_cut(&value, ',')), stat_names, STATS, &word))
                return false;
            for (size_t i = 0; i < p->s->n_display; i++)
                if (p->s->display[i] == (enum stat)word)
                    return err_set(p->e, ERR_FORMAT, "display: %s is given twice",
                                   stat_names[word]);
            p->s->display[p->s->n_display++] = (enum stat)word;
        }
        return true;
    }
    return err_set(
        p->e, ERR_FORMAT,
        "unknown key '%.*s' before the first [analysis]; valid keys: parent, detect_ops and display",
        STR(str_clip(key, 60)));
}

static bool parse_of_analysis(struct parse *p, str key, str value)
{
    unsigned word;
    struct analysis *a = p->analysis;
    if (str_is(key, "across")) {
        if (!word_of(p, key, value, across_names, ACROSSES, &word))
            return false;
        a->across = (enum across)word;
        p->has_across = true;
        return true;
    }
    if (str_is(key, "type")) {
        if (!word_of(p, key, value, analysis_type_names, ANALYSIS_TYPES, &word))
            return false;
        a->type = (enum analysis_type)word;
        p->has_type = true;
        return true;
    }
    str rest = key;
    str which = str_cut(&rest, '.');
    if (str_is(which, "start") || str_is(which, "marker"))
        return parse_condition(p, rest, value, &a->start);
    if (str_is(which, "end"))
        return parse_condition(p, rest, value, &a->end);
    if (str_is(which, "both"))
        return parse_condition(p, rest, value, &a->start) &&
               parse_condition(p, rest, value, &a->end);
    return err_set(
        p->e, ERR_FORMAT,
        "unknown key '%.*s'; valid keys: across, type, start.*, end.*, both.* and marker.*",
        STR(str_clip(key, 60)));
}

// Is the analysis complete and possible?
static bool check_analysis(struct parse *p)
{
    const struct analysis *a = p->analysis;
    if (!a)
        return true;
    size_t line = p->line;
    p->line = p->section_line;
    if (!p->has_across || !p->has_type)
        return err_set(p->e, ERR_FORMAT, "[%.*s]: missing across or type", STR(a->name));
    bool has_end = a->type != ANALYSE_SUM && a->type != ANALYSE_EVENT;
    bool has_start_names = a->start.n_names || a->start.timer_id >= 0;
    bool has_end_names = a->end.n_names || a->end.timer_id >= 0;
    if (a->type != ANALYSE_EVENT && !has_start_names)
        return err_set(p->e, ERR_FORMAT, "[%.*s]: missing %s", STR(a->name),
                       has_end ? "start.zone_name; add the zone that starts the interval"
                               : "marker.zone_name");
    if (has_end && !has_end_names)
        return err_set(p->e, ERR_FORMAT,
                       "[%.*s]: missing end.zone_name; add the zone that ends the interval",
                       STR(a->name));
    if (!a->start.risc.n || (has_end && !a->end.risc.n))
        return err_set(p->e, ERR_FORMAT, "[%.*s]: missing risc; use ANY for all",
                       STR(a->name));
    if (a->type == ANALYSE_OP_CORE_FIRST_LAST && a->across != ACROSS_OPS)
        return err_set(p->e, ERR_FORMAT, "[%.*s]: op_core_first_last needs across = ops",
                       STR(a->name));
    if (a->type == ANALYSE_LAUNCH_FIRST_LAST && a->across != ACROSS_CORE)
        return err_set(p->e, ERR_FORMAT, "[%.*s]: launch_first_last needs across = core",
                       STR(a->name));
    if (a->across == ACROSS_DISPATCH_OPS && a->type != ANALYSE_OP_FIRST_LAST)
        return err_set(p->e, ERR_FORMAT,
                       "[%.*s]: across = dispatch_ops needs op_first_last", STR(a->name));
    p->line = line;
    return true;
}

static size_t find_analysis(const struct setup *s, str name)
{
    size_t at = 0;
    while (at < s->analyses.n && !str_eq(s->analyses.v[at].name, name))
        at++;
    return at;
}

// An analysis replaces one of the same name.
static struct analysis *put_analysis(struct setup *s, struct analysis a)
{
    size_t at = find_analysis(s, a.name);
    if (at == s->analyses.n)
        vec_push(&s->analyses, a);
    s->analyses.v[at] = a;
    return &s->analyses.v[at];
}

static bool open_section(struct parse *p, str name)
{
    if (!check_analysis(p))
        return false;
    if (!name.n)
        return err_set(p->e, ERR_FORMAT, "an analysis needs a name: [name]");
    struct analysis a = {.name = arena_str(p->a, name)};
    a.start.timer_id = a.end.timer_id = -1;
    size_t at = find_analysis(p->s, name);
    if (at >= p->first && at < p->s->analyses.n)
        return err_set(p->e, ERR_FORMAT, "[%.*s] is given twice", STR(name));
    p->analysis = put_analysis(p->s, a);
    p->has_across = p->has_type = false;
    p->section_line = p->line;
    return true;
}

static bool parse_line(struct parse *p, str line)
{
    if (!line.n || line.p[0] == '#')
        return true;
    if (line.p[0] == '[') {
        if (line.p[line.n - 1] != ']')
            return err_set(p->e, ERR_FORMAT, "an analysis is written [name]");
        return open_section(p, str_trim((str){line.p + 1, line.n - 2}));
    }
    if (!memchr(line.p, '=', line.n))
        return err_set(p->e, ERR_FORMAT, "expected 'key = value' or [analysis]");
    str value = line;
    str key = str_trim(str_cut(&value, '='));
    value = str_trim(value);
    return p->analysis ? parse_of_analysis(p, key, value) : parse_of_setup(p, key, value);
}

// The default setup is compiled in, the others are files.
enum {
    N_FILES = sizeof setup_files / sizeof *setup_files,
    DEFAULT_SETUP = N_FILES,
    N_BUILTIN,
};

// Its index, or N_BUILTIN.
static size_t find_builtin(str name)
{
    if (str_is(name, "default_setup"))
        return DEFAULT_SETUP;
    for (size_t i = 0; i < N_FILES; i++) {
        str file = str_of(setup_files[i].name);
        if (str_starts(file, name) && str_eq(str_from(file, name.n), S(".ini")))
            return i;
    }
    return N_BUILTIN;
}

static bool parse_builtin(struct parse *p, size_t f)
{
    if (f < N_FILES) {
        p->file = setup_files[f].name;
        return parse_text(p, (str){setup_files[f].text, setup_files[f].n});
    }
    struct analysis v[DURATIONS];
    durations_of_log(v, p->a);
    for (int i = 0; i < DURATIONS; i++)
        if (v[i].name.n)
            (void)put_analysis(p->s, v[i]);
    p->s->detect_ops = true;
    return true;
}

static bool parse_parent(struct parse *p)
{
    size_t f = find_builtin(str_of(p->parent));
    bool ok = f < N_BUILTIN ||
              err_set(p->e, ERR_FORMAT, "parent: Setup %s not available", p->parent);
    ok = ok && (p->depth < PARENTS_MOST || err_set(p->e, ERR_FORMAT, "too many parents"));
    if (!ok)
        return err_in(p->e, "%s: line %zu", p->file, p->parent_line);
    // The child's settings of ops and display take precedence if it has any.
    struct setup own = *p->s;
    struct parse parent = {
        .s = p->s, .a = p->a, .e = p->e, .first = p->s->analyses.n, .depth = p->depth + 1};
    if (!parse_builtin(&parent, f))
        return false;
    if (p->has_detect_ops)
        p->s->detect_ops = own.detect_ops;
    if (own.n_display) {
        memcpy(p->s->display, own.display, sizeof own.display);
        p->s->n_display = own.n_display;
    }
    return true;
}

static bool parse_text(struct parse *p, str text)
{
    bool ok = true;
    for (p->line = 1; ok && text.n; p->line += ok)
        ok = parse_line(p, str_trim(str_cut(&text, '\n')));
    ok = ok && check_analysis(p);
    if (!ok || !p->parent)
        return ok || err_in(p->e, "%s: line %zu", p->file, p->line);
    return parse_parent(p);
}

static bool finish_setup(struct setup *s, bool ok)
{
    if (!ok)
        setup_free(s);
    if (!s->n_display)
        for (int i = STAT_COUNT; i <= STAT_RANGE; i++)
            s->display[s->n_display++] = (enum stat)i;
    return ok;
}

bool setup_parse(struct setup *s, str text, const char *file, struct arena *a,
                 struct err *e)
{
    *s = (struct setup){.detect_ops = true};
    struct parse p = {.s = s, .a = a, .e = e, .file = file};
    return finish_setup(s, parse_text(&p, text));
}

bool setup_load(struct setup *s, const char *name, struct arena *a, struct err *e)
{
    size_t f = find_builtin(str_of(name));
    bool ok;
    if (f < N_BUILTIN) {
        *s = (struct setup){.detect_ops = true};
        struct parse p = {.s = s, .a = a, .e = e};
        ok = finish_setup(s, parse_builtin(&p, f));
    } else if (strchr(name, '/') || str_ends(str_of(name), S(".ini"))) {
        struct file own;
        if (!file_open(name, &own, e))
            return false;
        ok = setup_parse(s, own.text, name, a, e);
        file_close(&own);
    } else {
        return err_set(e, ERR_USAGE, "Setup %s not available", name);
    }
    if (ok)
        s->name = arena_str(a, str_of(name));
    return ok;
}

void setup_free(struct setup *s)
{
    vec_free(&s->analyses);
}
