// options.c - parses the command line by a table of options.
//
// The rules are those of Python's argparse, for compatibility with the tools this program
// replaces: options anywhere, `--name value` and `--name=value`, any unambiguous prefix of
// a name, letters without a value in one word (`-pr`), `--` ends the options, and a value
// may look like a negative number. A command that runs another one takes no options after
// its first word.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/data/mem.h"
#include "base/file/file.h"
#include "base/text/fields.h"
#include "base/text/num.h"

#include "cli/command.h"

static const struct option help_option = {
    .name = "help", .letter = 'h', .help = "show this help and exit"};
// Takes effect at once, for every file that is opened later.
const struct option max_input_option = {
    .name = "max-input",
    .kind = OPTION_TEXT,
    .arg = "SIZE",
    .help = "largest input held in memory: from a pipe, or decompressed (default 4G)"};

struct parse {
    const struct command *c;
    int argc, at;
    char **argv;
    void *values;
    struct words *words;
    struct err *e;
};

static bool fail_unknown(struct parse *p, str name, const char *shown)
{
    const char *nearest = NULL;
    // Longer names may contain more typos.
    unsigned best = name.n < 4 ? 2 : name.n < 8 ? 3 : 4;
    for (size_t i = 0; i < p->c->n_options; i++) {
        unsigned d = str_distance(name, str_of(p->c->options[i].name), best);
        if (d < best) {
            best = d;
            nearest = p->c->options[i].name;
        }
    }
    if (nearest)
        return err_set(p->e, ERR_USAGE, "unknown option '%s'; did you mean '--%s'?", shown,
                       nearest);
    return err_set(p->e, ERR_USAGE, "unknown option '%s'; 'ttprof %s --help' lists all",
                   shown, p->c->name);
}

static void fail_ambiguous(struct parse *p, str name, const char *shown)
{
    struct buf fits = {0};
    for (size_t i = 0; i < p->c->n_options; i++)
        if (str_starts(str_of(p->c->options[i].name), name))
            buf_printf(&fits, "%s--%s", fits.n ? ", " : "", p->c->options[i].name);
    (void)err_set(p->e, ERR_USAGE, "option '%s' is ambiguous: %.*s", shown, STR(fits));
    buf_free(&fits);
}

// Finds an option by its full name or an unambiguous prefix.
static const struct option *find_long(struct parse *p, str name, const char *shown)
{
    const struct option *hit = NULL;
    bool is_ambiguous = false;
    // Only by its full name: a prefix belongs to the command's own options.
    if (p->c->reads_input && str_is(name, max_input_option.name))
        return &max_input_option;
    if (name.n && str_starts(S("help"), name))
        hit = &help_option;
    for (size_t i = 0; i < p->c->n_options; i++) {
        const struct option *o = &p->c->options[i];
        if (str_is(name, o->name))
            return o;
        if (name.n == 0 || !str_starts(str_of(o->name), name))
            continue;
        // Two names of one option are not ambiguous.
        is_ambiguous |= hit != NULL && (hit == &help_option || hit->at != o->at);
        hit = o;
    }
    if (is_ambiguous) {
        fail_ambiguous(p, name, shown);
        return NULL;
    }
    if (!hit)
        (void)fail_unknown(p, name, shown);
    return hit;
}

static const struct option *find_short(struct parse *p, char letter, const char *shown)
{
    if (letter == help_option.letter)
        return &help_option;
    for (size_t i = 0; i < p->c->n_options; i++)
        if (p->c->options[i].letter == letter)
            return &p->c->options[i];
    (void)fail_unknown(p, str_of(shown + 1), shown);
    return NULL;
}

static bool add_value(struct parse *p, const struct option *o, struct option_list *to,
                      const char *value)
{
    size_t most = sizeof to->v / sizeof *to->v;
    if (to->n == most)
        return err_set(p->e, ERR_USAGE, "--%s can be given at most %zu times", o->name,
                       most);
    to->v[to->n++] = value;
    return true;
}

static bool set_value(struct parse *p, const struct option *o, const char *value)
{
    void *to = (char *)p->values + o->at;
    switch (o->kind) {
    case OPTION_FLAG: *(bool *)to = true; return true;
    case OPTION_TEXT:
    case OPTION_FILE: *(const char **)to = value; return true;
    case OPTION_LIST: return add_value(p, o, to, value);
    case OPTION_CHOICE:
        if (words_find(o->choices, str_of(value)) < 0)
            return err_set(p->e, ERR_USAGE, "--%s: invalid value '%s'; use one of: %s",
                           o->name, value, o->choices);
        *(const char **)to = value;
        return true;
    case OPTION_INT:
        if (num_int(str_of(value), to))
            return true;
        break;
    case OPTION_REAL:
        if (num_real(str_of(value), to))
            return true;
        break;
    }
    return err_set(p->e, ERR_USAGE, "--%s: '%s' is not a %s", o->name, value,
                   o->kind == OPTION_INT ? "valid integer" : "number");
}

static bool set_limit(struct parse *p, const char *value)
{
    uint64_t bytes;
    if (!num_size(str_of(value), &bytes) || bytes == 0)
        return err_set(p->e, ERR_USAGE,
                       "--max-input: '%s' is not a size, such as 500M or 8G", value);
    file_limit(bytes);
    return true;
}

// An argument that starts with a dash is an option, unless it is a lone dash or a number,
// as in `--id-range -1,200`.
static bool looks_like_option(const char *arg)
{
    return arg[0] == '-' && arg[1] && !(arg[1] >= '0' && arg[1] <= '9');
}

static enum parsed take_option(struct parse *p, const struct option *o, const char *value)
{
    if (!o)
        return PARSED_ERROR;
    if (o == &help_option)
        return PARSED_HELP;
    if (o->kind == OPTION_FLAG && value) {
        (void)err_set(p->e, ERR_USAGE, "--%s takes no value", o->name);
        return PARSED_ERROR;
    }
    if (o->kind != OPTION_FLAG && !value) {
        if (p->at >= p->argc || looks_like_option(p->argv[p->at])) {
            (void)err_set(p->e, ERR_USAGE, "--%s needs a value: --%s %s", o->name, o->name,
                          o->arg);
            return PARSED_ERROR;
        }
        value = p->argv[p->at++];
    }
    bool ok = o == &max_input_option ? set_limit(p, value) : set_value(p, o, value);
    return ok ? PARSED_OK : PARSED_ERROR;
}

static bool is_number_next(const struct parse *p)
{
    int64_t n;
    return p->at < p->argc && num_int(str_of(p->argv[p->at]), &n);
}

static enum parsed parse_long(struct parse *p, const char *arg)
{
    str name = str_of(arg + 2);
    const char *equals = strchr(arg, '=');
    if (equals)
        name.n = (size_t)(equals - arg - 2);
    const struct option *o = find_long(p, name, arg);
    const char *value = equals ? equals + 1 : NULL;
    if (o && o->none && !value && !is_number_next(p))
        value = o->none;
    return take_option(p, o, value);
}

static enum parsed parse_short(struct parse *p, const char *arg)
{
    for (const char *letter = arg + 1;; letter++) {
        const struct option *o = find_short(p, *letter, arg);
        bool is_flag = o && o->kind == OPTION_FLAG;
        bool is_last = !is_flag || !letter[1];
        const char *value = !is_flag && letter[1] ? letter + 1 : NULL;
        enum parsed r = take_option(p, o, value);
        if (r != PARSED_OK || is_last)
            return r;
    }
}

static bool check_words(struct parse *p)
{
    size_t n = p->words->n;
    if (n < p->c->least_words)
        return err_set(p->e, ERR_USAGE, "missing argument; usage: ttprof %s %s", p->c->name,
                       p->c->args);
    if (n > p->c->most_words)
        return err_set(p->e, ERR_USAGE, "unexpected argument '%s'",
                       p->words->v[p->c->most_words]);
    return true;
}

enum parsed options_parse(const struct command *c, int argc, char **argv, void *values,
                          struct words *words, struct err *e)
{
    struct parse p = {
        .c = c, .argc = argc, .argv = argv, .values = values, .words = words, .e = e};
    if (c->values_size)
        memcpy(values, c->defaults, c->values_size);
    words->v = mem_alloc(mem_bytes(sizeof *words->v, (size_t)argc));
    bool only_words = false;
    while (p.at < argc) {
        const char *arg = argv[p.at++];
        enum parsed r = PARSED_OK;
        if (only_words || !looks_like_option(arg)) {
            words->v[words->n++] = arg;
            only_words |= c->stops_at_word;
        } else if (strcmp(arg, "--") == 0) {
            only_words = true;
        } else {
            r = arg[1] == '-' ? parse_long(&p, arg) : parse_short(&p, arg);
        }
        if (r != PARSED_OK)
            return r;
    }
    return check_words(&p) ? PARSED_OK : PARSED_ERROR;
}
