// arch.c - reading the tables of peaks.
#include "analyse/arch.h"

#include <assert.h>

#include "arch_files.h" // generated: the texts of arch/*.ini
#include "base/num.h"

static const char *const fidelity_names[FIDELITIES] = {
    [FIDELITY_HIFI4] = "HiFi4",
    [FIDELITY_HIFI3] = "HiFi3",
    [FIDELITY_HIFI2] = "HiFi2",
    [FIDELITY_LOFI] = "LoFi",
};

enum key_kind { KEY_TEXT, KEY_INT, KEY_REAL };

static const struct key {
    const char *name;
    enum key_kind kind;
    size_t at;
} keys[] = {
    {"aliases", KEY_TEXT, offsetof(struct arch, aliases)},
    {"product", KEY_TEXT, offsetof(struct arch, product)},
    {"date", KEY_TEXT, offsetof(struct arch, date)},
    {"source", KEY_TEXT, offsetof(struct arch, source)},
    {"grid", KEY_TEXT, offsetof(struct arch, grid)},
    {"cores", KEY_INT, offsetof(struct arch, cores)},
    {"clock_mhz", KEY_REAL, offsetof(struct arch, clock_mhz)},
    {"dram_gb_s", KEY_REAL, offsetof(struct arch, dram_gb_s)},
    {"hifi4", KEY_REAL, offsetof(struct arch, tflops[FIDELITY_HIFI4])},
    {"hifi3", KEY_REAL, offsetof(struct arch, tflops[FIDELITY_HIFI3])},
    {"hifi2", KEY_REAL, offsetof(struct arch, tflops[FIDELITY_HIFI2])},
    {"lofi", KEY_REAL, offsetof(struct arch, tflops[FIDELITY_LOFI])},
    {"noc_source", KEY_TEXT, offsetof(struct arch, noc_source)},
    {"noc_grid", KEY_TEXT, offsetof(struct arch, noc_grid)},
    {"noc_link_bytes", KEY_REAL, offsetof(struct arch, noc_link_bytes)},
    {"worker_columns", KEY_TEXT, offsetof(struct arch, worker_columns)},
    {"worker_rows", KEY_TEXT, offsetof(struct arch, worker_rows)},
    {"dram_tiles", KEY_TEXT, offsetof(struct arch, dram_tiles)},
    {"eth_tiles", KEY_TEXT, offsetof(struct arch, eth_tiles)},
    {"eth_gb_s", KEY_REAL, offsetof(struct arch, eth_gb_s)},
};

// A number, or numbers joined by * and /, from left to right: peaks are written down as the
// products they come from, and must round as those products do.
static bool product_parse(str s, double *out)
{
    double v = 1;
    char op = '*';
    while (s.n) {
        size_t n = 0;
        while (n < s.n && s.p[n] != '*' && s.p[n] != '/')
            n++;
        double factor;
        if (!num_real((str){s.p, n}, &factor))
            return false;
        v = op == '*' ? v * factor : v / factor;
        if (n == s.n) {
            *out = v;
            return true;
        }
        op = s.p[n];
        s = str_from(s, n + 1);
    }
    return false;
}

static bool value_parse(struct arch *arch, str name, str value, struct err *e)
{
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (!str_is(name, keys[i].name))
            continue;
        void *at = (char *)arch + keys[i].at;
        bool ok = true;
        switch (keys[i].kind) {
        case KEY_TEXT: *(str *)at = value; break;
        case KEY_INT: ok = num_int(value, at); break;
        case KEY_REAL: ok = product_parse(value, at); break;
        }
        return ok || err_set(e, ERR_FORMAT, "'%.*s' is not a number: '%.*s'", STR(name),
                             STR(value));
    }
    return err_set(e, ERR_FORMAT, "unknown key '%.*s'", STR(name));
}

static bool line_parse(str line, struct arch_list *list, size_t cap, struct err *e)
{
    if (line.n == 0 || line.p[0] == '#')
        return true;
    if (line.p[0] == '[') {
        if (line.p[line.n - 1] != ']' || line.n < 3)
            return err_set(e, ERR_FORMAT, "a section is written [name]");
        assert(list->n < cap);
        list->v[list->n++] = (struct arch){.name = {line.p + 1, line.n - 2}};
        return true;
    }
    if (!list->n || !memchr(line.p, '=', line.n))
        return err_set(e, ERR_FORMAT, "expected 'key = value' in a section");
    str value = line;
    str name = str_trim(str_cut(&value, '='));
    return value_parse(&list->v[list->n - 1], name, str_trim(value), e);
}

bool arch_parse(str text, const char *file, struct arena *a, struct arch_list *list,
                struct err *e)
{
    size_t sections = 0;
    for (size_t i = 0; i < text.n; i++)
        sections += text.p[i] == '[';
    struct arch *grown = push_many(a, struct arch, list->n + sections);
    if (list->n)
        memcpy(grown, list->v, list->n * sizeof *grown);
    list->v = grown;
    size_t cap = list->n + sections;
    for (size_t line = 1; text.n; line++) {
        if (!line_parse(str_trim(str_cut(&text, '\n')), list, cap, e))
            return err_in(e, "%s: line %zu", file, line);
    }
    return true;
}

struct arch_list arch_all(struct arena *a)
{
    struct arch_list list = {0};
    struct err e;
    for (size_t i = 0; i < sizeof arch_files / sizeof *arch_files; i++) {
        str text = {arch_files[i].text, arch_files[i].n};
        bool ok = arch_parse(text, arch_files[i].name, a, &list, &e);
        assert(ok); // part of the binary, and tested
        (void)ok;
    }
    return list;
}

const struct arch *arch_find(struct arch_list list, str name)
{
    for (const struct arch *a = list.v; a < list.v + list.n; a++) {
        if (str_eq_nocase(a->name, name))
            return a;
        str aliases = a->aliases;
        while (aliases.n)
            if (str_eq_nocase(str_cut(&aliases, ' '), name))
                return a;
    }
    return NULL;
}

bool fidelity_parse(str s, enum fidelity *f)
{
    for (int i = 0; i < FIDELITIES; i++) {
        if (str_is(s, fidelity_names[i])) {
            *f = (enum fidelity)i;
            return true;
        }
    }
    return false;
}

const char *fidelity_name(enum fidelity f)
{
    return fidelity_names[f];
}
