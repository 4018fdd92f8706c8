// test_op_record_golden.c - the messages and zones of real captures: each record reads
// undamaged, and its cells are those of the report that the reference made of it.
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/data/map.h"
#include "base/file/file.h"
#include "base/text/csv.h"

#include "formats/ops_table/op_message.h"
#include "formats/ops_table/op_record.h"
#include "formats/tracy/tracy_csv.h"
#include "test.h"

static void golden_path(char *path, size_t size, const char *file)
{
    str folder = str_of(__FILE__); // seen from the build folder, where tests run
    folder.n -= strlen("test_op_record_golden.c");
    (void)snprintf(path, size, "%.*s../../../shared/golden/ops-report/%s", STR(folder),
                   file);
}

// --- the report that is expected: cells by op id and column

struct report {
    struct file f;
    struct arena a;
    struct csv_header h;
    struct map ids; // the first row of each op
    VEC(csv_cell *) rows;
    size_t id_column;
};

static void take_rows(void *context, const struct csv_rows *rows)
{
    struct report *p = context;
    for (size_t i = 0; i < rows->n; i++) {
        str id = csv_raw(p->f.text, rows->col[p->id_column][i]);
        if (id.n == 0 || map_put(&p->ids, id) < p->rows.n)
            continue;
        csv_cell *row = push_many(&p->a, csv_cell, p->h.n);
        for (size_t c = 0; c < p->h.n; c++)
            row[c] = rows->col[c][i];
        vec_push(&p->rows, row);
    }
}

static void report_read(struct report *p, const char *path)
{
    struct err e = {0};
    *p = (struct report){0};
    assert_true(file_open(path, &p->f, &e));
    assert_true(csv_header(p->f.text, &p->a, &p->h, &e));
    p->id_column = (size_t)csv_find(&p->h, S("GLOBAL CALL COUNT"));
    int *from = push_many(&p->a, int, p->h.n);
    for (size_t i = 0; i < p->h.n; i++)
        from[i] = (int)i;
    struct csv_plan plan = {
        .from = from, .n_slots = p->h.n, .take = take_rows, .context = p};
    assert_true(csv_scan(p->f.text, &p->h, &plan, CSV_SLOW, &e));
}

static void report_free(struct report *p)
{
    file_close(&p->f);
    map_free(&p->ids);
    vec_free(&p->rows);
    arena_free(&p->a);
}

// --- the messages, and what their records say

struct golden {
    struct report report;
    struct arena a;
    struct map hashes;
    VEC(struct op_record) records;
    size_t n_ops, n_records, n_cells;
};

static void check(struct golden *g, const csv_cell *row, const char *column, str got)
{
    int c = csv_find(&g->report.h, str_of(column));
    if (c < 0)
        fail_msg("the report has no column '%s'", column);
    str want = csv_unquote(csv_raw(g->report.f.text, row[c]), &g->a);
    if (!str_eq(want, got))
        fail_msg("%s: got '%.*s', want '%.*s'", column, STR(got), STR(want));
    g->n_cells += got.n > 0;
}

static void check_tensors(struct golden *g, const csv_cell *row, const char *kind,
                          const struct op_tensor *v, size_t n)
{
    static const char letters[] = "WZYX";
    for (size_t i = 0; i < n; i++) {
        char column[64];
        for (int k = 0; k < 4; k++) {
            (void)snprintf(column, sizeof column, "%s_%zu_%c_PAD[LOGICAL]", kind, i,
                           letters[k]);
            check(g, row, column, v[i].size[k]);
        }
        (void)snprintf(column, sizeof column, "%s_%zu_LAYOUT", kind, i);
        check(g, row, column, v[i].layout);
        (void)snprintf(column, sizeof column, "%s_%zu_DATATYPE", kind, i);
        check(g, row, column, v[i].dtype);
        (void)snprintf(column, sizeof column, "%s_%zu_MEMORY", kind, i);
        check(g, row, column, v[i].memory);
    }
}

static void check_record(struct golden *g, const csv_cell *row, const struct op_record *r)
{
    const struct {
        const char *column;
        str cell;
    } cells[] = {
        {"OP CODE", r->code},
        {"OP TYPE", r->type},
        {"ATTRIBUTES", r->attributes},
        {"MATH FIDELITY", r->fidelity},
        {"PARALLELIZATION STRATEGY", r->strategy},
        {"COMPUTE KERNEL SOURCE", r->compute_source},
        {"COMPUTE KERNEL HASH", r->compute_hash},
        {"DATA MOVEMENT KERNEL SOURCE", r->movement_source},
        {"DATA MOVEMENT KERNEL HASH", r->movement_hash},
        {"PM IDEAL [ns]", r->ideal},
        {"PM COMPUTE [ns]", r->compute},
        {"PM BANDWIDTH [ns]", r->bandwidth},
        {"PM REQ I BW", r->input_rates},
        {"PM REQ O BW", r->output_rates},
    };
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++)
        check(g, row, cells[i].column, cells[i].cell);
    check_tensors(g, row, "INPUT", r->inputs, r->n_inputs);
    check_tensors(g, row, "OUTPUT", r->outputs, r->n_outputs);
    char text[64];
    (void)snprintf(text, sizeof text, "%" PRIu64, r->hash);
    check(g, row, "PROGRAM HASH", str_of(text));
    for (size_t i = 0; i < r->n_sizes; i++) {
        str name = r->sizes[i].name;
        (void)snprintf(text, sizeof text, "%.*s MAX KERNEL SIZE [B]", STR(name));
        check(g, row, text, r->sizes[i].bytes);
    }
}

static const struct op_record *record_of(struct golden *g, const struct op_message *m)
{
    uint32_t at = map_put_copy(&g->hashes, &m->hash, sizeof m->hash, &g->a);
    if (m->json.n) {
        struct op_record r;
        op_record_read(m->json, &g->a, &r);
        assert_false(r.is_damaged);
        assert_true(r.hash == m->hash && r.id == m->id && r.device == m->device);
        g->n_records++;
        vec_reserve(&g->records, at + 1);
        g->records.v[at] = r;
        g->records.n = g->hashes.keys.n;
    }
    assert_true(at < g->records.n);
    return &g->records.v[at];
}

static void take_message(void *context, const struct tracy_message *t)
{
    struct golden *g = context;
    struct op_message m;
    assert_true(t->has_time && !t->is_cut);
    if (!op_message_is(t->text))
        return;
    assert_true(op_message_parse(t->text, &m));
    const struct op_record *r = record_of(g, &m);
    char id[32];
    (void)snprintf(id, sizeof id, "%" PRIu64, m.id);
    uint32_t row = map_get(&g->report.ids, str_of(id));
    assert_int_not_equal(MAP_NONE, row);
    check_record(g, g->report.rows.v[row], r);
    g->n_ops++;
}

static void golden_check(const char *name, const char *expected, size_t n_ops,
                         size_t n_records)
{
    struct golden g = {0};
    struct diag d = {0};
    struct err e = {0};
    struct file f;
    char file[128], path[512];
    (void)snprintf(file, sizeof file, "%s/logs/tracy_ops_data.csv", name);
    golden_path(path, sizeof path, file);
    if (access(path, R_OK) != 0)
        skip();
    assert_true(file_open(path, &f, &e));
    (void)snprintf(file, sizeof file, "%s/expected/%s", name, expected);
    golden_path(path, sizeof path, file);
    report_read(&g.report, path);
    assert_true(tracy_data_read(f.text, &g.a, take_message, &g, &d, &e));
    assert_int_equal(0, diag_total(&d));
    assert_int_equal(n_ops, g.n_ops);
    assert_int_equal(n_records, g.n_records);
    assert_true(g.n_cells > 15 * n_ops);
    report_free(&g.report);
    file_close(&f);
    map_free(&g.hashes);
    vec_free(&g.records);
    arena_free(&g.a);
}

TEST(op_record_gives_the_cells_of_golden_reports)
{
    golden_check("qwen_full_attention", "ops_perf_results.csv", 172, 64);
    golden_check("qwen_linear_attention_trace", "ops_perf_results.csv", 199, 85);
    golden_check("qwen_linear_attention_winner", "ops_perf_results.csv", 201, 86);
    golden_check("syn_trace_replay", "ops_perf_results_full.csv", 16, 8);
}

// --- tables of real captures

struct counts {
    size_t n, n_ops;
    uint64_t start, duration;
    struct arena a;
};

static void count_zone(void *context, const struct tracy_zone *z)
{
    struct counts *c = context;
    c->n++;
    c->n_ops += str_starts(z->zone_text, S("id:"));
    c->start += z->start;
    c->duration += z->duration;
}
static void count_message(void *context, const struct tracy_message *m)
{
    struct counts *c = context;
    struct op_message op;
    struct op_record r;
    assert_true(m->has_time && !m->is_cut);
    c->n++;
    c->start += m->time;
    if (!op_message_parse(m->text, &op))
        return;
    c->n_ops++;
    if (op.json.n == 0) // a repeat
        return;
    op_record_read(op.json, &c->a, &r);
    assert_false(r.is_damaged);
    STR_IS(r.sizes[0].name, "BRISC");
    assert_int_equal(6, r.n_sizes);
}

TEST(tracy_tables_of_a_real_capture_of_2025_are_read_whole)
{
    struct counts c = {0};
    struct diag d = {0};
    struct err e = {0};
    struct file f;
    char path[512];
    golden_path(path, sizeof path, "ttmlir_host_2025_03/tracy_ops_times.csv");
    if (access(path, R_OK) != 0)
        skip();
    assert_true(file_open(path, &f, &e));
    assert_true(tracy_times_read(f.text, &c.a, count_zone, &c, &d, &e));
    file_close(&f);
    assert_int_equal(3097, c.n);
    assert_int_equal(6, c.n_ops);
    assert_int_equal(9188282248086, c.start);
    assert_int_equal(31844019715, c.duration);
    c = (struct counts){0};
    golden_path(path, sizeof path, "ttmlir_host_2025_03/tracy_ops_data.csv");
    assert_true(file_open(path, &f, &e));
    assert_true(tracy_data_read(f.text, &c.a, count_message, &c, &d, &e));
    file_close(&f);
    assert_int_equal(17, c.n);
    assert_int_equal(6, c.n_ops);
    assert_int_equal(58829199456, c.start);
    assert_int_equal(0, diag_total(&d));
    arena_free(&c.a);
}
