// decode.c - converts raw device dumps to the files of a run: `ttprof decode`.
#include "app/decode/decode.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/text/json.h"
#include "base/text/log.h"
#include "base/text/num.h"

#include "app/app.h"
#include "collect/decode/decode.h"
#include "collect/readout/dump.h"
#include "profiler/device_profiler.h"

struct decode {
    const char *input;
    struct collection c;
    struct dump_totals totals;
    char logs[sizeof((struct profiler_options *)0)->folder + 16];
};

static const char *const layout_names[] = {"v0", "v1", "v2"};

struct device_count {
    size_t n_workers, n_eth, n_dispatch, n_partial, n_damaged;
    uint64_t markers, l1_dropped, dram_dropped;
};

static struct device_count count_device(const struct chip_record *chip)
{
    struct device_count n = {0};
    for (size_t i = 0; i < chip->n_cores; i++) {
        const struct tt_core *core = &chip->cores[i];
        n.n_workers += core->kind == TT_CORE_WORKER;
        n.n_eth += core->kind == TT_CORE_ETH;
        n.n_dispatch += core->kind == TT_CORE_DISPATCH;
        n.n_partial += chip->core_health[i].is_partial;
        n.n_damaged += chip->core_health[i].is_damaged;
        for (int r = 0; r < core_riscs(core); r++) {
            n.markers += chip->riscs[i][r].markers;
            n.l1_dropped += chip->riscs[i][r].l1_dropped;
            n.dram_dropped += chip->riscs[i][r].dram_dropped;
        }
    }
    return n;
}

// --- text ------------------------------------------------------------------------------

static void put_count(struct buf *b, const char *name, uint64_t n)
{
    buf_printf(b, "%-15s", name);
    num_put_fixed(b, (double)n, 0, true);
    buf_char(b, '\n');
}

static void put_device(const struct chip_record *chip, struct buf *b)
{
    struct device_count n = count_device(chip);
    buf_printf(b, "\nDevice %d\n", chip->id);
    command_fact(b, "  cores", "%zu workers, %zu ethernet, %zu dispatch", n.n_workers,
                 n.n_eth, n.n_dispatch);
    if (n.n_partial)
        command_fact(b, "  unfinished", "%zu cores", n.n_partial);
    if (n.n_damaged)
        command_fact(b, "  damaged", "%zu cores", n.n_damaged);
    put_count(b, "  programs", chip->programs.n);
    put_count(b, "  replays", chip->replayed.n);
    put_count(b, "  markers", n.markers);
    put_count(b, "  lost in L1", n.l1_dropped);
    put_count(b, "  lost in DRAM", n.dram_dropped);
}

static void put_text(const struct decode *d, struct buf *b)
{
    const struct collection *c = &d->c;
    command_fact(b, "dump", "%s", d->input);
    command_fact(b, "layout", "%s", layout_names[c->layout]);
    command_fact(b, "arch", "%s", c->chips.v[0].arch_name);
    put_count(b, "read-outs", c->n_readouts);
    put_count(b, "zones", c->names.v.n);
    for (size_t i = 0; i < c->chips.n; i++)
        put_device(&c->chips.v[i], b);
    buf_char(b, '\n');
    put_count(b, "rows", d->totals.rows);
    put_count(b, "odd data", diag_total(&c->diag));
    command_fact(b, "files", "%s", d->logs);
}

// --- json ------------------------------------------------------------------------------

static void put_json(const struct decode *d, struct buf *b)
{
    const struct collection *c = &d->c;
    struct json j = {.b = b, .is_first = true};
    json_open(&j, '{');
    json_key_text(&j, "dump", str_of(d->input));
    json_key_text(&j, "layout", str_of(layout_names[c->layout]));
    json_key_text(&j, "arch", str_of(c->chips.v[0].arch_name));
    json_key_int(&j, "readouts", c->n_readouts);
    json_key_int(&j, "zones", (int64_t)c->names.v.n);
    json_key_int(&j, "rows", (int64_t)d->totals.rows);
    json_key_int(&j, "odd", (int64_t)diag_total(&c->diag));
    json_key_text(&j, "files", str_of(d->logs));
    json_key(&j, S("devices"));
    json_open(&j, '[');
    for (size_t i = 0; i < c->chips.n; i++) {
        const struct chip_record *chip = &c->chips.v[i];
        struct device_count n = count_device(chip);
        json_newline(&j);
        json_open(&j, '{');
        json_key_int(&j, "id", chip->id);
        json_key_int(&j, "workers", (int64_t)n.n_workers);
        json_key_int(&j, "ethernet_cores", (int64_t)n.n_eth);
        json_key_int(&j, "dispatch_cores", (int64_t)n.n_dispatch);
        json_key_int(&j, "unfinished_cores", (int64_t)n.n_partial);
        json_key_int(&j, "damaged_cores", (int64_t)n.n_damaged);
        json_key_int(&j, "programs", (int64_t)chip->programs.n);
        json_key_int(&j, "replays", (int64_t)chip->replayed.n);
        json_key_int(&j, "markers", (int64_t)n.markers);
        json_key_int(&j, "l1_dropped", (int64_t)n.l1_dropped);
        json_key_int(&j, "dram_dropped", (int64_t)n.dram_dropped);
        json_close(&j, '}');
    }
    json_close(&j, ']');
    json_close(&j, '}');
    buf_char(b, '\n');
}

// --- the work --------------------------------------------------------------------------

static void log_lines(str text)
{
    while (text.n) {
        str line = str_cut(&text, '\n');
        log_line("decode: %.*s", STR(line));
    }
}

// The recorded options decide how words are decoded; this command's decide which files are
// written.
static bool choose_folder(struct decode *d, const struct decode_values *v, struct err *e)
{
    struct profiler_options *o = &d->c.options;
    const char *folder = v->folder ? v->folder : d->input;
    int n = snprintf(o->folder, sizeof o->folder, "%s/", folder);
    if (n < 0 || (size_t)n >= sizeof o->folder)
        return err_set(e, ERR_USAGE, "the folder name is longer than %zu bytes",
                       sizeof o->folder - 2);
    o->no_files = o->mid_run_dump = o->sync = false;
    o->cpp_post_process |= v->cpp_report;
    profiler_logs_folder(o, d->logs, sizeof d->logs);
    return true;
}

static bool write_files(struct decode *d, struct err *e)
{
    struct decoder *decoder = decoder_new(&d->c);
    bool ok = collection_write_files(&d->c, decoder, true, false, &d->totals, e);
    decoder_free(decoder);
    return ok;
}

static bool decode(struct decode *d, const struct decode_values *v, struct err *e)
{
    struct buf warnings = {0};
    if (!d->input[0] || (v->folder && !v->folder[0]))
        return err_set(e, ERR_USAGE, "empty folder name; use '.' for the current folder");
    profiler_options_default(&d->c.options);
    bool ok = dump_read(&d->c, d->input, &warnings, e);
    log_lines(buf_view(&warnings));
    buf_free(&warnings);
    return ok && choose_folder(d, v, e) && write_files(d, e);
}

static int decode_one(const struct decode_values *v, const char *input, struct err *e)
{
    struct decode *d = mem_alloc(sizeof *d); // the table of names is large
    d->input = input;
    int code = 0;
    if (decode(d, v, e)) {
        struct buf b = {0};
        if (v->json)
            put_json(d, &b);
        else
            put_text(d, &b);
        code = command_print(&b, e);
        command_findings("decode", &d->c.diag, v->strict, e);
    }
    collection_free(&d->c);
    mem_free(d);
    return code ? code : err_exit_code(e->code);
}

// --- several processes -----------------------------------------------------------------

static int by_name(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;
    return strcmp(*x, *y);
}

// Dumps of further processes of the run: folders in that of the first.
static const char **find_more(const char *input, size_t *n, struct arena *a)
{
    VEC(const char *) names = {0};
    DIR *d = opendir(input[0] ? input : "/nowhere");
    for (const struct dirent *entry; d && (entry = readdir(d));) {
        const char *dump = arena_printf(a, "%s/%s/dump.json", input, entry->d_name).p;
        if (entry->d_name[0] != '.' && !str_starts(str_of(entry->d_name), S("readout_")) &&
            access(dump, F_OK) == 0)
            vec_push(&names, arena_str(a, str_of(entry->d_name)).p);
    }
    if (d)
        (void)closedir(d);
    if (names.n)
        qsort(names.v, names.n, sizeof *names.v, by_name);
    const char **list = push_many(a, const char *, names.n + 1);
    for (size_t i = 0; i < names.n; i++)
        list[i] = names.v[i];
    *n = names.n;
    vec_free(&names);
    return list;
}

int decode_command(const struct decode_values *v, struct words words, struct err *e)
{
    struct arena a = {0};
    const char *input = words.v[0];
    size_t n;
    const char **more = find_more(input, &n, &a);
    int code = decode_one(v, input, e);
    for (size_t i = 0; i < n && !code; i++) {
        struct decode_values own = *v;
        own.folder = arena_printf(&a, "%s/%s", v->folder ? v->folder : input, more[i]).p;
        code = decode_one(&own, arena_printf(&a, "%s/%s", input, more[i]).p, e);
    }
    arena_free(&a);
    return code;
}
