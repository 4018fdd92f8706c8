// test_ops_table.c - files of ops, in all their variants.
#include "../support/memory_file.h"
#include "formats/diags.h"
#include "formats/ops_table/ops_table.h"
#include "test.h"

// The columns without which there is no report, in one order, and a row of them.
#define HEAD                                                                               \
    "OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID,ATTRIBUTES,CORE COUNT,"                   \
    "OP TO OP LATENCY [ns],DEVICE KERNEL DURATION [ns],INPUT_0_MEMORY"
#define ROW "Add,tt_dnn_device,1,0,,64,,1000,DEV_0_L1_INTERLEAVED"

struct loaded {
    struct memory_file files[3];
    size_t n_files;
    struct ops_table t;
    struct diag d;
    struct err e;
    enum ops_load how;
};

static void load(struct loaded *l, const str *texts, size_t n)
{
    const char *paths[3];
    *l = (struct loaded){.n_files = n};
    for (size_t i = 0; i < n; i++) {
        l->files[i] = memory_file_make(texts[i]);
        paths[i] = l->files[i].path;
    }
    l->how = ops_table_load(paths, n, &l->t, &l->d, &l->e);
}

static void load_one(struct loaded *l, str text)
{
    load(l, &text, 1);
}

static void loaded_free(struct loaded *l)
{
    ops_table_free(&l->t);
    for (size_t i = 0; i < l->n_files; i++)
        memory_file_free(&l->files[i]);
}

static void text_is(const struct loaded *l, enum ops_column c, size_t row, const char *want)
{
    str s;
    assert_true(ops_text(&l->t, c, row, &s));
    test_str_is(s, str_of(want), __FILE__, __LINE__);
}

static void number_is(const struct loaded *l, enum ops_column c, size_t row, double want)
{
    double v;
    assert_true(ops_number(&l->t, c, row, &v));
    REAL_IS(v, want);
}

static void size_is(const struct loaded *l, enum ops_column c, size_t row, int64_t want)
{
    int64_t v;
    bool has = ops_size(&l->t, c, row, &v);
    assert_int_equal(want != OPS_NO_SIZE, has);
    assert_int_equal(want, v);
}

TEST(ops_table_reads_texts_numbers_and_devices)
{
    struct loaded l;
    load_one(&l, S(HEAD "\n" ROW "\n\"Mul,\"\"2\"\"\",x,2,1,a=1,32,5.5,2000,\n"));
    assert_int_equal(OPS_LOADED, l.how);
    assert_int_equal(2, l.t.n_rows);
    text_is(&l, OPS_OP_CODE, 0, "Add");
    text_is(&l, OPS_OP_CODE, 1, "Mul,\"2\"");
    number_is(&l, OPS_DURATION, 0, 1000);
    number_is(&l, OPS_GAP, 1, 5.5);
    assert_int_equal(0, l.t.device[0]);
    assert_int_equal(1, l.t.device[1]);
    str s;
    double v;
    assert_false(ops_text(&l.t, OPS_ATTRIBUTES, 0, &s));
    assert_int_equal(0, s.n);
    assert_false(ops_text(&l.t, OPS_IN0_MEMORY, 1, &s));
    assert_false(ops_number(&l.t, OPS_GAP, 0, &v));
    assert_int_equal(0, diag_total(&l.d));
    loaded_free(&l);
}

TEST(ops_table_interns_equal_texts_to_equal_ids)
{
    struct loaded l;
    load_one(&l, S(HEAD "\n" ROW "\n" ROW "\n\"Add\",x,1,0,,64,,1,Add\n"));
    uint32_t id = ops_text_id(&l.t, OPS_OP_CODE, 0);
    assert_true(id != OPS_NO_TEXT);
    assert_int_equal(id, ops_text_id(&l.t, OPS_OP_CODE, 1));
    assert_int_equal(id, ops_text_id(&l.t, OPS_OP_CODE, 2));
    assert_int_equal(id, ops_text_id(&l.t, OPS_IN0_MEMORY, 2));
    assert_int_equal(OPS_NO_TEXT, ops_text_id(&l.t, OPS_ATTRIBUTES, 0));
    loaded_free(&l);
}

static enum ops_type type_of(str cells)
{
    struct buf b = {0};
    buf_z(&b,
          "CORE COUNT,OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID,ATTRIBUTES,"
          "OP TO OP LATENCY [ns],DEVICE KERNEL DURATION [ns],INPUT_0_MEMORY\n");
    while (cells.n) {
        buf_str(&b, str_cut(&cells, ';'));
        buf_z(&b, ",Add,x,1,0,,,1,\n");
    }
    struct loaded l;
    load_one(&l, buf_view(&b));
    assert_int_equal(OPS_LOADED, l.how);
    enum ops_type type = l.t.column[OPS_CORE_COUNT].type;
    loaded_free(&l);
    buf_free(&b);
    return type;
}

TEST(ops_table_column_of_whole_numbers_is_integer)
{
    assert_int_equal(OPS_INTEGER, type_of(S("64;1; 12 ;-3")));
}

TEST(ops_table_column_with_holes_fractions_or_exponents_is_float)
{
    assert_int_equal(OPS_FLOAT, type_of(S("64;;1")));
    assert_int_equal(OPS_FLOAT, type_of(S("64;nan;1")));
    assert_int_equal(OPS_FLOAT, type_of(S("64;1.0")));
    assert_int_equal(OPS_FLOAT, type_of(S("1e2;1")));
    assert_int_equal(OPS_FLOAT, type_of(S("N/A;NULL")));
}

TEST(ops_table_column_with_words_is_text_whatever_follows)
{
    assert_int_equal(OPS_TEXT, type_of(S("64;many;1")));
    assert_int_equal(OPS_TEXT, type_of(S("many;;1.5")));
}

TEST(ops_table_knows_all_words_for_a_missing_value)
{
    static const char *const words[] = {
        "",     "#N/A", "#N/A N/A", "#NA",  "-1.#IND", "-1.#QNAN", "-NaN",
        "-nan", "NaN",  "1.#IND",   "<NA>", "N/A",     "NA",       "1.#QNAN",
        "NULL", "nan",  "None",     "n/a",  "null"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        assert_true(ops_is_missing(str_of(words[i])));
    static const char *const values[] = {"0",   "-",         "none", "Null",
                                         "NAN", "na",        "#N/B", " nan",
                                         "N",   "#N/A N/A ", "1",    "nano"};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        assert_false(ops_is_missing(str_of(values[i])));
    assert_false(ops_is_missing(S("\0")));
}

TEST(ops_table_missing_words_are_missing_texts_and_numbers)
{
    struct loaded l;
    load_one(&l, S(HEAD "\nNone,x,1,0,\"nan\",NA,null,-nan,N/A\n"));
    str s;
    double v;
    assert_false(ops_text(&l.t, OPS_OP_CODE, 0, &s));
    assert_false(ops_text(&l.t, OPS_ATTRIBUTES, 0, &s));
    assert_false(ops_text(&l.t, OPS_IN0_MEMORY, 0, &s));
    assert_false(ops_number(&l.t, OPS_CORE_COUNT, 0, &v));
    assert_false(ops_number(&l.t, OPS_DURATION, 0, &v));
    assert_int_equal(0, diag_total(&l.d));
    loaded_free(&l);
}

TEST(ops_table_cells_that_are_no_numbers_are_counted_with_their_place)
{
    struct loaded l;
    load_one(&l, S(HEAD "\n" ROW "\nAdd,x,1,0,,many,,soon,\n"));
    double v;
    assert_false(ops_number(&l.t, OPS_CORE_COUNT, 1, &v));
    assert_int_equal(2, l.d.entry[DIAG_NOT_A_NUMBER].count);
    char want[100];
    (void)snprintf(want, sizeof want, "%s: line 3: column 'CORE COUNT': 'many'",
                   l.files[0].path);
    assert_string_equal(want, l.d.entry[DIAG_NOT_A_NUMBER].first);
    loaded_free(&l);
}

TEST(ops_table_numbers_no_device_can_have_measured_are_missing)
{
    struct loaded l;
    load_one(&l,
             S(HEAD "\nAdd,x,1,0,,1e19,-1e300,inf,\nAdd,x,1,0,,1,1,999999999999999999,\n"));
    double v;
    assert_false(ops_number(&l.t, OPS_CORE_COUNT, 0, &v));
    assert_false(ops_number(&l.t, OPS_GAP, 0, &v));
    assert_false(ops_number(&l.t, OPS_DURATION, 0, &v));
    assert_int_equal(3, l.d.entry[DIAG_ABSURD_NUMBER].count);
    loaded_free(&l);
    // 2^63 is too much, the next smaller number is not.
    load_one(&l, S(HEAD "\nAdd,x,1,0,,1,9223372036854774784.0,9223372036854775808,\n"));
    number_is(&l, OPS_GAP, 0, 9223372036854774784.0);
    assert_false(ops_number(&l.t, OPS_DURATION, 0, &v));
    assert_int_equal(1, l.d.entry[DIAG_ABSURD_NUMBER].count);
    loaded_free(&l);
}

TEST(ops_table_device_ids_that_are_none_are_no_device)
{
    struct loaded l;
    load_one(&l,
             S(HEAD
               "\nA,x,1,0,,1,,1,\nA,x,1,,,1,,1,\nA,x,1,-1,,1,,1,\nA,x,1,1048576,,1,,1,\n"
               "A,x,1,2.9,,1,,1,\nA,x,1,chip,,1,,1,\n"));
    static const int32_t want[] = {0, OPS_NO_DEVICE, OPS_NO_DEVICE, OPS_NO_DEVICE,
                                   2, OPS_NO_DEVICE};
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(want[i], l.t.device[i]);
    assert_int_equal(2, l.d.entry[DIAG_ABSURD_NUMBER].count);
    assert_int_equal(1, l.d.entry[DIAG_NOT_A_NUMBER].count);
    assert_int_equal(2, l.t.hosts[0].max_device);
    loaded_free(&l);
}

TEST(ops_table_sizes_are_padded_ones)
{
    struct loaded l;
    load_one(&l, S(HEAD ",INPUT_0_W_PAD[LOGICAL],INPUT_0_X_PAD[LOGICAL]\n" ROW
                        ",32[1],64\n" ROW ",\"128[100]\",3.9\n" ROW ",,nan\n" ROW
                        ",wide,-4\n" ROW ",3000000000, 7 \n" ROW ",[5],1e3\n"));
    assert_int_equal(OPS_V2, l.t.version);
    static const int64_t w[] = {32,          128,         OPS_NO_SIZE,
                                OPS_NO_SIZE, OPS_NO_SIZE, OPS_NO_SIZE};
    static const int64_t x[] = {64, 3, OPS_NO_SIZE, OPS_NO_SIZE, 7, 1000};
    for (size_t i = 0; i < 6; i++) {
        size_is(&l, OPS_IN0_W, i, w[i]);
        size_is(&l, OPS_IN0_X, i, x[i]);
        size_is(&l, OPS_IN0_Y, i, OPS_NO_SIZE);
    }
    assert_int_equal(2, l.d.entry[DIAG_NOT_A_NUMBER].count);
    assert_int_equal(2, l.d.entry[DIAG_ABSURD_NUMBER].count);
    loaded_free(&l);
}

TEST(ops_table_versions_are_told_by_their_columns)
{
    static const struct {
        str text;
        enum ops_version version;
    } cases[] = {
        {{HEAD ",INPUT_0_W\n", sizeof HEAD ",INPUT_0_W\n" - 1}, OPS_V1},
        {{HEAD "\n", sizeof HEAD}, OPS_V1},
        {{HEAD ",INPUT_5_W_PAD[LOGICAL]\n", sizeof HEAD ",INPUT_5_W_PAD[LOGICAL]\n" - 1},
         OPS_V2},
        {{HEAD ",DEVICE ARCH\n", sizeof HEAD ",DEVICE ARCH\n" - 1}, OPS_V2_1},
        {{HEAD ",AVAILABLE WORKER CORE COUNT\n",
          sizeof HEAD ",AVAILABLE WORKER CORE COUNT\n" - 1},
         OPS_V2_1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct loaded l;
        load_one(&l, cases[i].text);
        assert_int_equal(OPS_LOADED, l.how);
        assert_int_equal(cases[i].version, l.t.version);
        assert_int_equal(0, l.t.n_rows);
        loaded_free(&l);
    }
}

TEST(ops_table_old_sizes_have_plain_names)
{
    struct loaded l;
    load_one(&l, S(HEAD ",INPUT_0_W\n" ROW ",96\n"));
    size_is(&l, OPS_IN0_W, 0, 96);
    loaded_free(&l);
}

TEST(ops_table_takes_the_first_of_columns_with_one_name)
{
    struct loaded l;
    load_one(&l, S("OP CODE," HEAD "\nFirst,Second,x,1,0,,1,,1,\n"));
    text_is(&l, OPS_OP_CODE, 0, "First");
    loaded_free(&l);
}

TEST(ops_table_reads_marks_crlf_and_blank_lines)
{
    struct loaded l;
    load_one(&l, S("\xEF\xBB\xBF" HEAD "\r\n\r\n" ROW "\r\n\n" ROW));
    assert_int_equal(OPS_LOADED, l.how);
    assert_int_equal(2, l.t.n_rows);
    text_is(&l, OPS_OP_CODE, 1, "Add");
    text_is(&l, OPS_IN0_MEMORY, 0, "DEV_0_L1_INTERLEAVED");
    str place = ops_place(&l.t, OPS_OP_CODE, 1);
    assert_true(str_ends(place, S(": line 5: column 'OP CODE'")));
    loaded_free(&l);
}

TEST(ops_table_absent_columns_are_told_from_empty_ones)
{
    struct loaded l;
    load_one(&l, S(HEAD ",HOST START TS\n" ROW ",\n"));
    assert_true(ops_is_absent(&l.t, OPS_DEVICE_ARCH));
    assert_false(ops_is_absent(&l.t, OPS_HOST_START));
    str s;
    double v;
    int64_t size;
    assert_false(ops_text(&l.t, OPS_DEVICE_ARCH, 0, &s));
    assert_false(ops_number(&l.t, OPS_WORKER_CORES, 0, &v));
    assert_false(ops_size(&l.t, OPS_OUT0_X, 0, &size));
    loaded_free(&l);
}

TEST(ops_table_keeps_host_times_exactly)
{
    struct loaded l;
    load_one(&l, S(HEAD ",HOST START TS\n" ROW ",9007199254740993\n"));
    assert_int_equal(OPS_INTEGER, l.t.column[OPS_HOST_START].type);
    assert_int_equal(INT64_C(9007199254740993), l.t.column[OPS_HOST_START].exact[0]);
    loaded_free(&l);
}

TEST(ops_table_counts_devices_on_from_file_to_file)
{
    struct loaded l;
    const str texts[] = {S(HEAD "\nA,x,1,0,,1,,1,\nA,x,1,1,,1,,1,\n"),
                         S(HEAD "\nB,x,1,1,,1,,1,\nB,x,1,,,1,,1,\n"),
                         S(HEAD "\nC,x,1,0,,1,,1,\nC,x,1,1,,1,,1,\n")};
    load(&l, texts, 3);
    assert_int_equal(OPS_LOADED, l.how);
    assert_int_equal(6, l.t.n_rows);
    static const int32_t want[] = {0, 1, 3, OPS_NO_DEVICE, 4, 5};
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(want[i], l.t.device[i]);
    assert_int_equal(4, l.t.hosts[2].first_row);
    for (size_t row = 0; row < 6; row++) {
        str place = ops_place(&l.t, OPS_OP_CODE, row);
        char head[64];
        (void)snprintf(head, sizeof head, "%s: line %zu:", l.files[row / 2].path,
                       2 + row % 2);
        assert_true(str_starts(place, str_of(head)));
    }
    loaded_free(&l);
}

TEST(ops_table_files_may_have_their_columns_in_any_order)
{
    struct loaded l;
    const str texts[] = {
        S(HEAD ",MATH FIDELITY\n" ROW ",HiFi4\n"),
        S("DEVICE ID,OP CODE,OP TYPE,GLOBAL CALL COUNT,ATTRIBUTES,CORE COUNT,"
          "OP TO OP LATENCY [ns],DEVICE KERNEL DURATION [ns],INPUT_0_MEMORY\n"
          "0,Mul,x,1,,32,,1,\n")};
    load(&l, texts, 2);
    assert_int_equal(OPS_LOADED, l.how);
    text_is(&l, OPS_OP_CODE, 1, "Mul");
    number_is(&l, OPS_CORE_COUNT, 1, 32);
    text_is(&l, OPS_FIDELITY, 0, "HiFi4");
    str s;
    assert_false(ops_text(&l.t, OPS_FIDELITY, 1, &s));
    assert_int_equal(OPS_INTEGER, l.t.column[OPS_CORE_COUNT].type);
    loaded_free(&l);
}

TEST(ops_table_number_column_that_one_file_lacks_is_float)
{
    struct loaded l;
    const str texts[] = {S(HEAD ",HOST START TS\n" ROW ",5\n"), S(HEAD "\n" ROW "\n")};
    load(&l, texts, 2);
    assert_int_equal(OPS_FLOAT, l.t.column[OPS_HOST_START].type);
    loaded_free(&l);
}

TEST(ops_table_refuses_files_of_different_device_counts)
{
    struct loaded l;
    const str texts[] = {S(HEAD "\nA,x,1,3,,1,,1,\n"), S(HEAD "\nB,x,1,,,1,,1,\n")};
    load(&l, texts, 2);
    assert_int_equal(OPS_DEVICES_DIFFER, l.how);
    char want[100];
    (void)snprintf(want, sizeof want, "CSV '%s' reports max device ID -1, expected 3",
                   l.files[1].path);
    assert_string_equal(want, l.e.text);
    loaded_free(&l);
}

TEST(ops_table_refuses_files_without_device_ids)
{
    struct loaded l;
    load_one(&l, S("OP CODE\nA\n"));
    assert_int_equal(OPS_NO_DEVICE_COLUMN, l.how);
    char want[100];
    (void)snprintf(want, sizeof want, "CSV '%s' is missing the 'DEVICE ID' column.",
                   l.files[0].path);
    assert_string_equal(want, l.e.text);
    loaded_free(&l);
}

TEST(ops_table_refuses_files_without_a_needed_column_by_name)
{
    struct loaded l;
    load_one(&l, S("DEVICE ID,OP CODE\n0,A\n"));
    assert_int_equal(OPS_FAILED, l.how);
    assert_int_equal(ERR_FORMAT, l.e.code);
    assert_non_null(strstr(l.e.text, ": line 1: missing column 'OP TYPE'"));
    loaded_free(&l);
}

TEST(ops_table_needs_a_header)
{
    struct loaded l;
    load_one(&l, S(""));
    assert_int_equal(OPS_FAILED, l.how);
    char want[100];
    (void)snprintf(want, sizeof want, "%s: is empty", l.files[0].path);
    assert_memory_equal(want, l.e.text, strlen(want));
    loaded_free(&l);
}

TEST(ops_table_grows_over_many_rows)
{
    enum { ROWS = 1000 };
    struct buf b = {0};
    buf_z(&b, HEAD "\n");
    for (int i = 0; i < ROWS; i++)
        buf_printf(&b, "\"op \"\"%d\"\"\",x,%d,0,,1,,%d,\n", i, i, i * 10);
    struct loaded l;
    load_one(&l, buf_view(&b));
    assert_int_equal(ROWS, l.t.n_rows);
    for (int i = 0; i < ROWS; i++) {
        char want[32];
        (void)snprintf(want, sizeof want, "op \"%d\"", i);
        text_is(&l, OPS_OP_CODE, (size_t)i, want);
        number_is(&l, OPS_DURATION, (size_t)i, i * 10);
    }
    loaded_free(&l);
    buf_free(&b);
}

TEST(ops_table_leaves_out_rows_that_cannot_be_read_and_counts_them)
{
    struct loaded l;
    load_one(&l, S(HEAD "\n" ROW "\n" ROW ",1,2,3\n\"" ROW "\n" ROW "\n"));
    assert_int_equal(OPS_LOADED, l.how);
    assert_int_equal(2, l.t.n_rows);
    assert_int_equal(2, l.d.entry[DIAG_TABLE_ROW].count);
    char want[100];
    (void)snprintf(want, sizeof want, "%s: line 3: more than the 9 cells", l.files[0].path);
    assert_memory_equal(want, l.d.entry[DIAG_TABLE_ROW].first, strlen(want));
    loaded_free(&l);
}
