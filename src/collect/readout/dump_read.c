// dump_read.c - reads a folder of dumps into a collection: first the inventory of all
// read-outs, then the words of every core.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "collect/diags.h"
#include "collect/readout/dump_parts.h"

// --- what there is ---------------------------------------------------------------------

struct chip_record *dump_find_chip(struct collection *c, int id)
{
    for (size_t i = 0; i < c->chips.n; i++)
        if (c->chips.v[i].id == id)
            return &c->chips.v[i];
    return NULL;
}

// A later read-out knows more: its lists continue earlier ones.
static void merge_history(struct collection *c, struct chip_record *to,
                          const struct chip_record *from)
{
    if (from->replayed.n > to->replayed.n) {
        to->replayed.n = 0;
        for (size_t i = 0; i < from->replayed.n; i++)
            vec_push(&to->replayed, from->replayed.v[i]);
    }
    for (size_t i = 0; i < from->traces.n; i++) {
        const struct trace_record *t = &from->traces.v[i];
        struct trace_record *known = collection_trace(to, t->id);
        for (size_t k = known->programs.n; k < t->programs.n; k++)
            vec_push(&known->programs, t->programs.v[k]);
    }
    for (size_t i = 0; i < from->programs.n; i++) {
        const struct program_record *p = &from->programs.v[i];
        collection_add_program(c, to, p->base, c->strings.keys.v[p->name], p->sub_device,
                               p->sub_device_manager);
    }
}

static struct chip_record *merge_chip(struct collection *c, const struct plan_chip *p)
{
    struct chip_record *chip = dump_find_chip(c, p->record.id);
    if (!chip) {
        struct chip_record new = p->record;
        memset(&new.replayed, 0, sizeof new.replayed);
        memset(&new.traces, 0, sizeof new.traces);
        memset(&new.programs, 0, sizeof new.programs);
        vec_push(&c->chips, new);
        chip = &c->chips.v[c->chips.n - 1];
    }
    merge_history(c, chip, &p->record);
    return chip;
}

size_t dump_find_core(const struct chip_record *chip, int flat)
{
    size_t i = 0;
    while (i < chip->n_cores && chip->cores[i].flat != flat)
        i++;
    return i;
}

static int by_id(const void *a, const void *b)
{
    const struct chip_record *x = a, *y = b;
    return x->id - y->id;
}

static const struct plan_chip *plan_of(const struct dump_reader *r, size_t folder, int id)
{
    for (size_t k = 0; k < r->plans[folder].chips.n; k++)
        if (r->plans[folder].chips.v[k].record.id == id)
            return &r->plans[folder].chips.v[k];
    return NULL;
}

static void add_cores(struct chip_record *chip, struct tt_core *cores,
                      const struct plan_chip *p)
{
    for (size_t i = 0; p && i < p->cores.n; i++)
        if (dump_find_core(chip, p->cores.v[i].core.flat) == chip->n_cores)
            cores[chip->n_cores++] = p->cores.v[i].core;
}

// Merges a chip's cores over all read-outs, in the order of the one with the most: words
// taken from a few cores while programs ran are read-outs of their own.
static void merge_cores(struct dump_reader *r, struct chip_record *chip)
{
    struct tt_core *cores = push_many(&r->c->arena, struct tt_core, DUMP_CORES_MOST);
    const struct plan_chip *most = NULL;
    chip->cores = cores;
    for (size_t i = 0; i < r->n_folders; i++) {
        const struct plan_chip *p = plan_of(r, i, chip->id);
        if (p && (!most || p->cores.n > most->cores.n))
            most = p;
    }
    add_cores(chip, cores, most);
    for (size_t i = 0; i < r->n_folders; i++)
        add_cores(chip, cores, plan_of(r, i, chip->id));
    collection_make_health(r->c, chip);
}

static bool read_plan(struct dump_reader *r, size_t i, struct err *e)
{
    struct file f;
    char name[64];
    (void)snprintf(name, sizeof name, "%sdump.json", r->folders[i]);
    if (!r->source->open(r->source->context, name, &f, e))
        return false;
    bool ok = plan_parse(&r->plans[i], f.text, name, r->c, r->notes.b, e);
    file_close(&f);
    if (ok && i && r->plans[i].layout != r->c->layout) {
        plan_free(&r->plans[i]);
        return err_set(e, ERR_FORMAT, "%s: its 'layout' differs from the first read-out",
                       name);
    }
    if (ok && !i)
        r->c->layout = r->plans[i].layout;
    return ok;
}

// "readout_3/" -> 3
static uint32_t readout_number(const char *folder)
{
    unsigned n = 1;
    (void)sscanf(folder, "readout_%9u", &n);
    return n;
}

static void miss_readouts(struct dump_reader *r, uint32_t first, int64_t n)
{
    struct diag_entry *missing = &r->c->diag.entry[DIAG_READOUT_MISSING];
    if (n > 0 && !missing->count)
        diag_note(&r->c->diag, DIAG_READOUT_MISSING, "readout_%u", first);
    missing->count += n > 0 ? (uint64_t)n : 0;
}

// Read-outs are numbered without gaps, and the first one says how many there are.
static void find_missing(struct dump_reader *r)
{
    uint32_t next = 2;
    for (size_t i = 1; i < r->n_folders; i++) {
        uint32_t number = readout_number(r->folders[i]);
        miss_readouts(r, next, (int64_t)number - next);
        next = number + 1;
    }
    miss_readouts(r, next, r->plans[0].n_readouts + 1 - next);
}

static bool read_plans(struct dump_reader *r, struct err *e)
{
    for (size_t i = 0; i < r->n_folders; i++) {
        struct err odd = {0};
        if (read_plan(r, i, i ? &odd : e))
            continue;
        if (!i)
            return false;
        plan_note(&r->notes, "%s; this read-out is skipped", odd.text);
        miss_readouts(r, readout_number(r->folders[i]), 1);
    }
    find_missing(r);
    for (size_t i = 0; i < r->n_folders; i++)
        for (size_t k = 0; k < r->plans[i].chips.n; k++)
            (void)merge_chip(r->c, &r->plans[i].chips.v[k]);
    qsort(r->c->chips.v, r->c->chips.n, sizeof *r->c->chips.v, by_id);
    for (size_t i = 0; i < r->c->chips.n; i++)
        merge_cores(r, &r->c->chips.v[i]);
    return true;
}

// --- names -----------------------------------------------------------------------------

static void read_names(struct dump_reader *r)
{
    static const char *const logs[] = {"zone_src_locations.log",
                                       "new_zone_src_locations.log"};
    struct file f;
    struct err e = {0};
    bool has_names = r->source->open(r->source->context, "zone_ids.csv", &f, &e);
    if (has_names) {
        if (!names_read_ids(&r->c->names, f.text, &e))
            plan_note(&r->notes, "zone_ids.csv: %s", e.text);
        file_close(&f);
    }
    for (int i = 0; i < 2; i++)
        if (r->source->open(r->source->context, logs[i], &f, &e)) {
            has_names = true;
            names_read_log(&r->c->names, f.text);
            file_close(&f);
        }
    if (!has_names)
        plan_note(&r->notes,
                  "no zone_ids.csv and no zone_src_locations.log: zones have no names");
}

bool dump_read_from(struct collection *c, const struct dump_source *source,
                    const char *const *folders, size_t n_folders, struct buf *warnings,
                    struct err *e)
{
    struct dump_reader r = {
        .c = c,
        .source = source,
        .folders = folders,
        .n_folders = n_folders,
        .plans = mem_alloc(mem_bytes(sizeof(struct dump_plan), n_folders)),
        .notes = {.b = warnings, .where = "dump"},
    };
    bool ok = read_plans(&r, e);
    if (ok) {
        read_names(&r);
        for (size_t i = 0; i < n_folders; i++)
            for (size_t k = 0; k < r.plans[i].chips.n; k++)
                dump_read_chip(&r, i, &r.plans[i].chips.v[k]);
        c->n_readouts = (uint32_t)n_folders;
    }
    plan_notes_end(&r.notes);
    for (size_t i = 0; i < n_folders; i++)
        plan_free(&r.plans[i]);
    mem_free(r.plans);
    return ok;
}

// --- a folder --------------------------------------------------------------------------

static bool open_in_folder(void *context, const char *name, struct file *f, struct err *e)
{
    const char *const *folder = context;
    struct buf path = {0};
    buf_printf(&path, "%s/%s", *folder, name);
    buf_char(&path, '\0');
    bool ok = file_open(path.p, f, e);
    buf_free(&path);
    return ok;
}

static int by_number(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

typedef VEC(uint32_t) numbers;

static void find_readouts(const char *folder, numbers *out)
{
    DIR *d = opendir(folder);
    if (!d)
        return;
    for (const struct dirent *entry; (entry = readdir(d));) {
        unsigned n;
        char rest;
        if (sscanf(entry->d_name, "readout_%9u%c", &n, &rest) == 1 && n > 1)
            vec_push(out, n);
    }
    (void)closedir(d);
    if (out->n)
        qsort(out->v, out->n, sizeof *out->v, by_number);
}

bool dump_read(struct collection *c, const char *folder, struct buf *warnings,
               struct err *e)
{
    numbers found = {0};
    struct arena a = {0};
    VEC(const char *) folders = {0};
    find_readouts(folder, &found);
    vec_push(&folders, "");
    for (size_t i = 0; i < found.n; i++)
        vec_push(&folders, arena_printf(&a, "readout_%u/", found.v[i]).p);
    struct dump_source source = {&folder, open_in_folder};
    bool ok = dump_read_from(c, &source, folders.v, folders.n, warnings, e);
    vec_free(&folders);
    vec_free(&found);
    arena_free(&a);
    return ok;
}
