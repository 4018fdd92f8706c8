// test_ops_csv.c - columns and cells of the ops report. Spec: ops-report 6, 7.
#include <stdlib.h>
#include <unistd.h>

#include "base/text/csv.h"

#include "present/page/ops_doc.h"
#include "test.h"

// What a program told: a matmul, the same again, an op on the host, a mark.
static const char matmul[] =
    "TT_DNN_DEVICE_OP: \"Matmul\", 18446744073709551615, 0, 0, 1024 ->\n"
    "{\"op_code\": \"Matmul\", \"op_type\": \"tt_dnn_device\", \"device_id\": 0,"
    " \"op_hash\": 18446744073709551615, \"program_cache_hit\": false,"
    " \"global_call_count\": 1024, \"attributes\": {\"a\": \"x, \\\"y\\\"\"},"
    " \"input_tensors\": [{\"dtype\": \"BFLOAT16\", \"layout\": \"TILE\","
    " \"shape\": {\"W\": \"1[1]\", \"Z\": \"1[1]\", \"Y\": \"32[30]\", \"X\": \"64[64]\"},"
    " \"storage_type\": {\"device_id\": 0, \"memory_config\":"
    " {\"buffer_type\": \"dram\", \"memory_layout\": \"interleaved\"}}}],"
    " \"output_tensors\": [],"
    " \"kernel_info\": {\"compute_kernels\": [{\"math_fidelity\": \"HiFi4\", \"name\":"
    " \"k/1/\", \"source\": \"k.cpp\"}], \"datamovement_kernels\": [], \"kernel_sizes\":"
    " {\"IDLE_ETH_DM_0_max_kernel_size\": 5, \"TENSIX_COMPUTE_10_max_kernel_size\": 6,"
    " \"TENSIX_COMPUTE_2_max_kernel_size\": 7, \"TENSIX_DM_0_max_kernel_size\": 8}},"
    " \"performance_model\": {\"ideal_ns\": 10, \"compute_ns\": 5.5, \"bandwidth_ns\": 1,"
    " \"input_bws\": [0.5, 1.0], \"output_bws\": []}, \"device_arch\": \"told\"}";

struct sample {
    struct host_ops host;
    struct device_rows device;
    struct op_report report;
    struct ops_csv csv;
    struct arena a;
    struct csv_header header;
    VEC(char *) paths;
    str text; // of the table
};

static struct device_row *add_row(struct sample *s, uint64_t op, int64_t kernel)
{
    struct device_row row = {
        .device = 0, .op = op, .trace = DEVICE_NO_ID, .session = DEVICE_NO_ID};
    for (int i = 0; i < DEVICE_NUMBERS; i++) {
        row.v[i] = DEVICE_NONE;
        row.state[i] = STATE_EMPTY;
    }
    row.v[DEVICE_KERNEL] = kernel;
    row.state[DEVICE_KERNEL] = STATE_OK;
    vec_push(&s->device.v, row);
    return &s->device.v.v[s->device.v.n - 1];
}

static void start(struct sample *s)
{
    *s = (struct sample){0};
    host_ops_start(&s->host);
    host_ops_message(&s->host, 0, 100, str_of(matmul), false);
    host_ops_message(&s->host, 0, 200,
                     S("TT_DNN_DEVICE_OP: \"Matmul\", 18446744073709551615, 0, 1, 2048"),
                     false);
    host_ops_message(
        &s->host, 0, 300,
        S("TT_DNN_FALL_BACK_OP:\"torch.nn\" ->\n{\"op_code\": \"torch.nn\", \"op_type\":"
          " \"python_fallback\", \"global_call_count\": 3, \"input_tensors\": []}"),
        false);
    host_ops_message(&s->host, 0, 400, S("TT_SIGNPOST: decode, step 1\nwith a: text"),
                     false);
    host_ops_zone(&s->host, 0, S("TT_DNN_DEVICE_OP"), S("id:1024"), S(""), 90, 20, 0);
    host_ops_zone(&s->host, 0, S("CompileProgram"), S(""), S("id:1024"), 95, 7, 1);
    host_ops_zone(&s->host, 0, S("CompileProgram"), S(""), S("id:1024"), 103, 4, 1);
    host_ops_zone(&s->host, 0, S("B1"), S(""), S("id:1024"), 103, 3, 1);
    host_ops_zone(&s->host, 0, S("B"), S(""), S("id:1024"), 103, 2, 1);
    host_ops_zone(&s->host, 0, S("TT_DNN_DEVICE_OP"), S("id:2048"), S(""), 190, 15, 0);
    host_ops_finish(&s->host);
    vec_push(&s->device.devices, 0);
    s->device.mhz = 1000;
}

static void join(struct sample *s)
{
    op_report_join(&s->report, &s->host, s->device.v.n ? &s->device : NULL);
    s->csv.report = &s->report;
}

static char *write_file(struct sample *s,
                        bool (*write)(const struct ops_csv *, const char *, struct err *))
{
    struct err e = {0};
    char *path = mem_alloc(64);
    (void)strcpy(path, "/tmp/ttprof-ops-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    (void)close(fd);
    assert_true(write(&s->csv, path, &e));
    struct file f;
    assert_true(file_open(path, &f, &e));
    s->text = arena_str(&s->a, f.text);
    file_close(&f);
    (void)unlink(path);
    vec_push(&s->paths, path);
    return path;
}

static void write_csv(struct sample *s)
{
    struct err e = {0};
    (void)write_file(s, ops_csv_write);
    assert_true(csv_header(s->text, &s->a, &s->header, &e));
}

static void end(struct sample *s)
{
    op_report_free(&s->report);
    host_ops_free(&s->host);
    device_rows_free(&s->device);
    for (size_t i = 0; i < s->paths.n; i++)
        mem_free(s->paths.v[i]);
    vec_free(&s->paths);
    arena_free(&s->a);
}

// The raw cell of a row, from 0, in a column; quotes and all.
static str cell(const struct sample *s, size_t row, const char *column)
{
    int at = csv_find(&s->header, str_of(column));
    assert_true(at >= 0);
    str rest = str_from(s->text, s->header.body), line = {0};
    for (size_t i = 0; i <= row; i++) {
        size_t n = str_find(rest, S("\r\n"));
        assert_true(n != STR_NOT_FOUND);
        line = (str){rest.p, n};
        rest = str_from(rest, n + 2);
    }
    str got = {0};
    for (int i = 0; i <= at; i++)
        got = str_cut(&line, ','); // cells hold no commas
    return got;
}

static bool has_column(const struct sample *s, const char *column)
{
    return csv_find(&s->header, str_of(column)) >= 0;
}

TEST(ops_csv_has_what_the_host_told_of_each_op)
{
    struct sample s;
    start(&s);
    join(&s);
    write_csv(&s);
    STR_IS(cell(&s, 0, "OP CODE"), "Matmul");
    STR_IS(cell(&s, 0, "GLOBAL CALL COUNT"), "1024");
    STR_IS(cell(&s, 0, "MATH FIDELITY"), "HiFi4");
    STR_IS(cell(&s, 0, "HOST START TS"), "90");
    STR_IS(cell(&s, 0, "HOST END TS"), "110");
    STR_IS(cell(&s, 0, "HOST DURATION [ns]"), "20");
    STR_IS(cell(&s, 0, "ATTRIBUTES"), "\"{'a': 'x; \"\"y\"\"'}\"");
    STR_IS(cell(&s, 0, "INPUT_0_Y_PAD[LOGICAL]"), "32[30]");
    STR_IS(cell(&s, 0, "INPUT_0_MEMORY"), "DEV_0_DRAM_INTERLEAVED");
    STR_IS(cell(&s, 0, "PROGRAM CACHE HIT"), "False");
    STR_IS(cell(&s, 0, "PM COMPUTE [ns]"), "5.5");
    STR_IS(cell(&s, 0, "PM REQ I BW"), "[0.5; 1.0]");
    STR_IS(cell(&s, 0, "DATA MOVEMENT KERNEL SOURCE"), "[]");
    assert_false(has_column(&s, "INPUT_1_MEMORY"));
    assert_false(has_column(&s, "OUTPUT_0_MEMORY"));
    // The same again: only who it is and when differ.
    STR_IS(cell(&s, 1, "GLOBAL CALL COUNT"), "2048");
    STR_IS(cell(&s, 1, "HOST DURATION [ns]"), "15");
    STR_IS(cell(&s, 1, "PROGRAM CACHE HIT"), "True");
    STR_IS(cell(&s, 1, "ATTRIBUTES"), "\"{'a': 'x; \"\"y\"\"'}\"");
    STR_IS(cell(&s, 1, "PM COMPUTE [ns]"), "5.5");
    end(&s);
}

TEST(ops_csv_has_sizes_by_class_and_children_by_name)
{
    struct sample s;
    start(&s);
    join(&s);
    write_csv(&s);
    int dm = csv_find(&s.header, S("TENSIX DM 0 MAX KERNEL SIZE [B]"));
    assert_true(dm > 0);
    STR_IS(s.header.names[dm - 1], "PROGRAM CACHE HIT");
    STR_IS(s.header.names[dm + 1], "TENSIX COMPUTE 2 MAX KERNEL SIZE [B]");
    STR_IS(s.header.names[dm + 2], "TENSIX COMPUTE 10 MAX KERNEL SIZE [B]");
    STR_IS(s.header.names[dm + 3], "IDLE ETH DM 0 MAX KERNEL SIZE [B]");
    STR_IS(s.header.names[dm + 4], "PM IDEAL [ns]");
    STR_IS(cell(&s, 0, "TENSIX COMPUTE 10 MAX KERNEL SIZE [B]"), "6");
    // Sorted by the whole heading: _ stands behind digits.
    STR_IS(s.header.names[s.header.n - 3], "B1_TT_HOST_FUNC [ns]");
    STR_IS(s.header.names[s.header.n - 2], "B_TT_HOST_FUNC [ns]");
    STR_IS(s.header.names[s.header.n - 1], "CompileProgram_TT_HOST_FUNC [ns]");
    STR_IS(cell(&s, 0, "CompileProgram_TT_HOST_FUNC [ns]"), "11");
    STR_IS(cell(&s, 1, "CompileProgram_TT_HOST_FUNC [ns]"), "");
    end(&s);
}

TEST(ops_csv_has_signposts_and_ops_on_the_host)
{
    struct sample s;
    start(&s);
    join(&s);
    s.csv.more = OPS_CSV_STATE;
    write_csv(&s);
    STR_IS(cell(&s, 2, "OP CODE"), "torch.nn");
    STR_IS(cell(&s, 2, "OP TYPE"), "python_fallback");
    STR_IS(cell(&s, 2, "DEVICE ID"), "");
    STR_IS(cell(&s, 2, "HOST START TS"), "");
    STR_IS(cell(&s, 2, "ROW STATE"), "host only");
    STR_IS(cell(&s, 3, "OP CODE"), "decode; step 1");
    STR_IS(cell(&s, 3, "OP TYPE"), "signpost");
    STR_IS(cell(&s, 3, "ATTRIBUTES"), "with a: text");
    STR_IS(cell(&s, 3, "HOST START TS"), "400");
    STR_IS(cell(&s, 3, "GLOBAL CALL COUNT"), "");
    STR_IS(cell(&s, 3, "ROW STATE"), "signpost");
    end(&s);
}

TEST(ops_csv_fills_a_column_from_a_key_of_its_name)
{
    struct sample s;
    start(&s);
    add_row(&s, 2048, 50);
    vec_push(&s.device.arch_of, S("blackhole"));
    join(&s);
    write_csv(&s);
    STR_IS(cell(&s, 0, "DEVICE ARCH"), "told");
    STR_IS(cell(&s, 1, "DEVICE ARCH"), "blackhole"); // what was measured goes first
    end(&s);
}

TEST(ops_csv_tells_states_of_rows_and_cells)
{
    struct sample s;
    start(&s);
    struct device_row *row = add_row(&s, 1024, 50);
    row->v[DEVICE_FW] = 7;
    row->state[DEVICE_FW] = STATE_BAD;
    row->state[DEVICE_BRISC] = STATE_MISSING;
    join(&s);
    s.csv.more = OPS_CSV_STATE;
    write_csv(&s);
    STR_IS(cell(&s, 0, "DEVICE KERNEL DURATION [ns]"), "50");
    STR_IS(cell(&s, 0, "DEVICE FW DURATION [ns]"), ""); // it broke a rule
    STR_IS(cell(&s, 0, "PM FPU UTIL (%)"), "11.0");
    assert_true(str_has(cell(&s, 0, "CELL STATES"), S("DEVICE FW DURATION [ns]=bad")));
    assert_true(str_has(cell(&s, 0, "CELL STATES"),
                        S("DEVICE BRISC KERNEL DURATION [ns]=missing")));
    STR_IS(cell(&s, 1, "ROW STATE"), "not measured");
    STR_IS(cell(&s, 1, "CELL STATES"), "all of the device=missing");
    STR_IS(cell(&s, 1, "PM FPU UTIL (%)"), "");
    end(&s);
}

TEST(ops_csv_shows_unmatched_rows_on_demand_and_at_the_end)
{
    struct sample s;
    start(&s);
    add_row(&s, 1024, 50);
    add_row(&s, 9216, 60);
    join(&s);
    write_csv(&s);
    assert_false(str_has(s.text, S("9216")));
    s.csv.with_unmatched = true;
    write_csv(&s);
    STR_IS(cell(&s, 4, "GLOBAL CALL COUNT"), "9216");
    STR_IS(cell(&s, 4, "OP CODE"), "");
    STR_IS(cell(&s, 4, "DEVICE KERNEL DURATION [ns]"), "60");
    end(&s);
}

TEST(ops_csv_has_the_columns_of_2023_on_demand)
{
    struct sample s;
    start(&s);
    join(&s);
    s.csv.more = OPS_CSV_SEED | OPS_CSV_NET;
    write_csv(&s);
    STR_IS(cell(&s, 0, "CALL DEPTH"), "1");
    STR_IS(cell(&s, 0, "CompileProgram Count"), "2");
    STR_IS(cell(&s, 0, "CompileProgram Average [ns]"), "5.5");
    STR_IS(cell(&s, 0, "LaunchProgram Count"), "0");
    STR_IS(cell(&s, 0, "LaunchProgram Average [ns]"), "");
    assert_true(has_column(&s, "OP TO OP LATENCY WITHOUT PROFILER [ns]"));
    end(&s);
}

// Columns of the device's half that have no place of their own stand behind the others.
TEST(ops_csv_has_counters_behind_the_fixed_columns)
{
    struct sample s;
    start(&s);
    add_row(&s, 1024, 50);
    str *util = push_one(&s.a, str), *noc = push_one(&s.a, str);
    *util = S("12.5");
    *noc = S("3.0");
    vec_push(&s.device.extra, (struct device_extra){S("SFPU Util Min (%)"), util});
    vec_push(&s.device.extra, (struct device_extra){S("NOC UTIL (%)"), noc});
    join(&s);
    write_csv(&s);
    int at = csv_find(&s.header, S("SFPU Util Min (%)"));
    STR_IS(s.header.names[at - 1], "NPE CONG IMPACT (%)");
    STR_IS(cell(&s, 0, "SFPU Util Min (%)"), "12.5");
    STR_IS(cell(&s, 0, "NOC UTIL (%)"), "3.0");
    STR_IS(cell(&s, 1, "NOC UTIL (%)"), "");
    end(&s);
}

TEST(ops_csv_of_a_quasar_has_its_own_processors)
{
    struct sample s;
    start(&s);
    add_row(&s, 1024, 50);
    s.device.is_quasar = true;
    str *dm = push_one(&s.a, str);
    *dm = S("44");
    vec_push(&s.device.extra,
             (struct device_extra){S("DEVICE QUASAR_DM KERNEL DURATION [ns]"), dm});
    join(&s);
    write_csv(&s);
    int at = csv_find(&s.header, S("DEVICE QUASAR_DM KERNEL DURATION [ns]"));
    STR_IS(s.header.names[at - 1], "DEVICE KERNEL FIRST TO LAST START [ns]");
    STR_IS(s.header.names[at + 1], "DEVICE QUASAR_NEO_TRISC KERNEL DURATION [ns]");
    STR_IS(s.header.names[at + 2], "DEVICE COMPUTE CB WAIT FRONT [ns]");
    STR_IS(cell(&s, 0, "DEVICE QUASAR_DM KERNEL DURATION [ns]"), "44");
    assert_false(has_column(&s, "DEVICE FW DURATION [ns]"));
    assert_false(has_column(&s, "OP TO OP LATENCY BR/NRISC START [ns]"));
    assert_true(has_column(&s, "OP TO OP TRISC LATENCY [ns]"));
    end(&s);
}

TEST(ops_csv_of_devices_alone_has_only_what_occurs)
{
    struct sample s;
    start(&s);
    add_row(&s, 1024, 50)->v[DEVICE_CORES] = 4;
    op_report_device_only(&s.report, &s.device);
    s.csv.report = &s.report;
    s.csv.is_device_only = true;
    write_csv(&s);
    assert_true(has_column(&s, "GLOBAL CALL COUNT"));
    assert_true(has_column(&s, "DEVICE KERNEL DURATION [ns]"));
    assert_false(has_column(&s, "DEVICE ID"));
    assert_false(has_column(&s, "CORE COUNT"));
    assert_false(has_column(&s, "DEVICE FW DURATION [ns]"));
    STR_IS(cell(&s, 0, "GLOBAL CALL COUNT"), "1024");
    vec_push(&s.device.devices, 1); // now there are two
    write_csv(&s);
    STR_IS(cell(&s, 0, "DEVICE ID"), "0");
    end(&s);
}

// --- documents ---

TEST(ops_json_has_numbers_states_and_a_hash_without_loss)
{
    struct sample s;
    start(&s);
    add_row(&s, 1024, 50)->state[DEVICE_FW] = STATE_REPAIRED;
    join(&s);
    struct out o = {.fd = -1};
    ops_doc_json(&s.csv, &o);
    str text = buf_view(&o.b);
    assert_true(str_has(text, S("\"GLOBAL CALL COUNT\":1024")));
    assert_true(str_has(text, S("\"PROGRAM HASH\":\"18446744073709551615\"")));
    assert_true(str_has(text, S("\"PM COMPUTE [ns]\":5.5")));
    assert_true(str_has(text, S("\"PROGRAM CACHE HIT\":true")));
    assert_true(str_has(text, S("\"DEVICE FW DURATION [ns]\":\"repaired\"")));
    assert_true(str_has(text, S("\"CELL STATES\":{\"*\":\"missing\"}")));
    assert_true(str_has(text, S("\"ROW STATE\":\"host only\"")));
    assert_true(str_has(text, S("\"id\":\"coverage\"")));
    buf_free(&o.b);
    end(&s);
}

TEST(ops_head_tells_the_longest_op_first_and_the_sums)
{
    struct sample s;
    struct buf b = {0};
    start(&s);
    add_row(&s, 1024, 50000);
    add_row(&s, 2048, 150000);
    join(&s);
    ops_doc_head(&s.report, 1, (struct text_look){0}, &b);
    str text = buf_view(&b);
    assert_true(str_find(text, S("2048")) != STR_NOT_FOUND);
    assert_false(str_has(text, S("1024")));
    assert_true(str_has(text, S("75.0 %")));
    assert_true(str_has(text, S("... and 1 more, all shorter\n")));
    assert_true(str_has(text, S("3 ops, 2 measured on devices, 1 on the host only, 1 "
                                "signpost; kernel time 200.00 μs")));
    buf_free(&b);
    end(&s);
}

TEST(ops_head_takes_host_times_where_no_device_was_measured)
{
    struct sample s;
    struct buf b = {0};
    start(&s);
    join(&s);
    ops_doc_head(&s.report, 10, (struct text_look){0}, &b);
    assert_true(str_has(buf_view(&b), S("host time 0.04 μs"))); // 35 ns
    buf_free(&b);
    end(&s);
}
