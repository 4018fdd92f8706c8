// test_perf.c - the steps of the report on small tables.
#include <math.h>

#include "base/data/array.h"

#include "analyse/diags.h"
#include "sample_ops.h"
#include "test.h"

// --- choosing rows ---

static void codes_are(const struct sample_run *r, const char *want)
{
    struct buf b = {0};
    for (size_t i = 0; i < r->perf.n_ops; i++) {
        buf_z(&b, i ? "," : "");
        buf_str(&b, r->perf.ops[i].code);
    }
    test_str_is(buf_view(&b), str_of(want), __FILE__, __LINE__);
    buf_free(&b);
}

static const struct sample_op posts[] = {
    {.code = "a", .start = "1"},
    {.code = "warm", .type = "signpost", .device = "", .start = "2"},
    {.code = "b", .start = "3"},
    {.code = "run", .type = "signpost", .device = "", .start = "4"},
    {.code = "c", .start = "5"},
    {.code = "warm", .type = "signpost", .device = "", .start = "6"},
    {.code = "d", .start = "7"},
};

static void window_is(const struct perf_options *o, const char *codes, const char *note)
{
    struct sample_run r;
    sample_run(&r, posts, COUNT_OF(posts), o);
    codes_are(&r, codes);
    assert_true(sample_has_note(&r, note));
    sample_free(&r);
}

TEST(perf_uses_the_first_row_named_like_the_last_signpost)
{
    window_is(&(struct perf_options){0}, "b,c,d",
              "Using last signpost: warm for analysis.");
}

TEST(perf_cuts_the_window_between_signposts)
{
    window_is(&(struct perf_options){.start_signpost = "run"}, "c,d",
              "Using operations after 'run'.");
    window_is(&(struct perf_options){.end_signpost = "run"}, "a,b",
              "Using operations until 'run'.");
    window_is(&(struct perf_options){.start_signpost = "warm", .end_signpost = "warm"},
              "b,c", "Using operations until 'warm'.");
    window_is(&(struct perf_options){.start_signpost = "run", .end_signpost = "run"}, "c,d",
              "Not enough occurrences of signpost 'run' to apply to both start and end "
              "filters.");
    window_is(&(struct perf_options){.start_signpost = "none"}, "b,c,d",
              "Specified staring signpost 'none' not found.");
}

TEST(perf_keeps_signposts_if_asked)
{
    window_is(&(struct perf_options){.start_signpost = "warm", .print_signposts = true},
              "b,run (signpost),c,warm (signpost),d", "Using operations after 'warm'.");
    window_is(&(struct perf_options){.ignore_signposts = true},
              "a,warm (signpost),b,run (signpost),c,warm (signpost),d",
              "Ignoring all signposts. Using the entire file for analysis.");
}

TEST(perf_sorts_by_host_time_with_missing_ones_last)
{
    const struct sample_op ops[] = {{.code = "late", .start = "30", .device = "0"},
                                    {.code = "never", .device = "1"},
                                    {.code = "early", .start = "10", .device = "1"}};
    struct sample_run r;
    sample_run(&r, ops, COUNT_OF(ops), &(struct perf_options){.no_merge_devices = true});
    codes_are(&r, "early,late,never");
    sample_free(&r);
    sample_run(&r, ops, COUNT_OF(ops),
               &(struct perf_options){.no_merge_devices = true, .tracing_mode = true});
    codes_are(&r, "late,never,early");
    sample_free(&r);
}

// --- merging ---

TEST(perf_merges_devices_to_the_slowest_of_each_op)
{
    const struct sample_op ops[] = {{.code = "a", .device = "0", .ns = "100"},
                                    {.code = "a", .device = "1", .ns = "300"},
                                    {.code = "b", .device = "1", .ns = "500"},
                                    {.code = "b", .device = "0", .ns = "500"}};
    struct sample_run r;
    sample_run(&r, ops, COUNT_OF(ops), NULL);
    codes_are(&r, "a,b");
    REAL_IS(r.perf.ops[0].time, 0.3);
    assert_int_equal(1, r.perf.ops[0].device);
    assert_int_equal(0, r.perf.ops[1].device); // the first on a tie
    assert_true(
        sample_has_note(&r, "Detected data from 2 devices. Merging device data..."));
    sample_free(&r);
}

TEST(perf_merges_collectives_to_their_mean)
{
    const struct sample_op ops[] = {{.code = "AllGather", .device = "0", .ns = "100"},
                                    {.code = "AllGather", .device = "1", .ns = "400"},
                                    {.code = "AllGather", .device = "2", .ns = ""}};
    struct sample_run r;
    sample_run(&r, ops, COUNT_OF(ops), NULL);
    assert_int_equal(1, r.perf.n_ops);
    REAL_IS(r.perf.ops[0].time, 0.25);
    assert_int_equal(0, r.perf.ops[0].device);
    sample_free(&r);
}

TEST(perf_says_which_devices_miss_an_op)
{
    const struct sample_op ops[] = {{.code = "a", .device = "0"},
                                    {.code = "b", .device = "1"},
                                    {.code = "b", .device = "0"}};
    struct sample_run r;
    sample_run(&r, ops, COUNT_OF(ops), NULL);
    codes_are(&r, "a,b");
    assert_true(sample_has_note(
        &r,
        "Warning: a at index 0 not present in CSV for 1 devices [1] - do not trust data "
        "for this op or directly subsequent ops with the same name"));
    assert_int_equal(1, r.perf.diag.entry[DIAG_OP_MISSING_ON_DEVICE].count);
    sample_free(&r);
}

TEST(perf_keeps_device_ops_without_a_device_and_counts_them)
{
    const struct sample_op ops[] = {{.code = "a"}, {.code = "b", .device = ""}};
    struct sample_run r;
    sample_run(&r, ops, COUNT_OF(ops), NULL);
    codes_are(&r, "a,b");
    assert_int_equal(OPS_NO_DEVICE, r.perf.ops[1].device);
    assert_int_equal(1, r.perf.diag.entry[DIAG_OP_WITHOUT_DEVICE].count);
    sample_free(&r);
}

// --- one op ---

#define MATMUL_SIZES                                                                       \
    {                                                                                      \
        "1", "2", "128", "64", "1", "1", "64", "256", "1", "2", "128", "256"               \
    }

TEST(perf_reckons_traffic_and_arithmetic_of_a_matmul)
{
    const struct sample_op ops[] = {
        {.code = "Matmul",
         .fidelity = "HiFi2",
         .cores = "32",
         .ns = "2000",
         .sizes = MATMUL_SIZES,
         .datatypes = {"BFLOAT16", "BFLOAT8_B", "BFLOAT4_B"},
         .memories = {"DEV_0_DRAM_INTERLEAVED", "DEV_0_DRAM_INTERLEAVED", "DEV_0_DRAM_X"}}};
    struct sample_run r;
    sample_run(&r, ops, 1, NULL);
    const struct op *o = &r.perf.ops[0];
    STR_IS(o->code, "Matmul b={2} x 128 x 64 x 256");
    double seconds = 2000 * 1e-9;
    double bytes = 2.0 * 128 * 64 * 2 + 64 * 256 * 1.0 + 2.0 * 128 * 256 * 0.5;
    double flop = 128.0 * 64 * 256 * 2 * 2 / seconds;
    REAL_IS(o->time, 2);
    REAL_IS(o->dram, bytes / seconds / 1e9);
    REAL_IS(o->dram_percent, bytes / seconds / 1e9 / 288 * 100);
    REAL_IS(o->flops, flop / 1e12);
    REAL_IS(o->flops_percent, flop / (148.0 / 72 * 1e12 * 32) * 100);
    assert_int_equal(BOUND_SLOW, o->bound);
    struct arena a = {0};
    STR_IS(perf_math_text(&r.perf, o, true, &a), "HiFi2 BF16 x BFP8 => BFP4");
    arena_free(&a);
    sample_free(&r);
}

// M x K by K x N in 1 us on 64 cores, input 0 in DRAM.
static enum bound bound_of(const char *m, const char *k, const char *n)
{
    const struct sample_op ops[] = {
        {.code = "Matmul",
         .fidelity = "HiFi4",
         .ns = "1000",
         .sizes = {"1", "1", m, k, "1", "1", k, n, "1", "1", m, n},
         .datatypes = {"BFLOAT16", "BFLOAT16", "BFLOAT16"},
         .memories = {"DEV_0_DRAM_INTERLEAVED", "DEV_0_L1_X", "DEV_0_L1_X"}}};
    struct sample_run r;
    sample_run(&r, ops, 1, NULL);
    enum bound b = (enum bound)r.perf.ops[0].bound;
    sample_free(&r);
    return b;
}

TEST(perf_calls_a_matmul_bound_from_65_percent_of_a_peak_on)
{
    assert_int_equal(BOUND_SLOW, bound_of("32", "2924", "32"));  // DRAM 64.98 %
    assert_int_equal(BOUND_DRAM, bound_of("32", "2926", "32"));  // DRAM 65.02 %
    assert_int_equal(BOUND_SLOW, bound_of("32", "32", "20871")); // FLOPs 64.98 %
    assert_int_equal(BOUND_FLOP, bound_of("32", "32", "20884")); // FLOPs 65.02 %
    assert_int_equal(BOUND_BOTH, bound_of("32", "2926", "229")); // 65.02 % and 65.2 %
}

TEST(perf_reckons_dram_sharded_matmuls_with_twelve_cores)
{
    const struct sample_op ops[] = {
        {.code = "Matmul",
         .fidelity = "LoFi",
         .attributes = "MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig",
         .sizes = MATMUL_SIZES,
         .datatypes = {"BFLOAT16", "BFLOAT8_B", "BFLOAT16"},
         .memories = {"L1", "DRAM", "L1"}}};
    struct sample_run r;
    sample_run(&r, ops, 1, NULL);
    const struct op *o = &r.perf.ops[0];
    assert_true(o->is_dram_sharded);
    REAL_IS(o->cores, 12);
    REAL_IS(o->dram, 64 * 256 / (1000 * 1e-9) / 1e9);
    double flop = 128.0 * 64 * 256 * 2 * 2 / (1000 * 1e-9);
    REAL_IS(o->flops_percent, flop / (262.0 / 72 * 1e12 * 12) * 100);
    sample_free(&r);
}

TEST(perf_leaves_cells_of_a_matmul_empty_rather_than_guess)
{
    const struct sample_op ops[] = {
        {.code = "Matmul", .fidelity = "HiFi2"}, // no sizes
        {.code = "Matmul",
         .fidelity = "HiFi2",
         .ns = "0",
         .sizes = MATMUL_SIZES,
         .datatypes = {"BFLOAT16", "BFLOAT16", "BFLOAT16"},
         .memories = {"DRAM", "DRAM", "DRAM"}},
        {.code = "Matmul", // no fidelity
         .sizes = MATMUL_SIZES,
         .datatypes = {"BFLOAT16", "BFLOAT16", "BFLOAT16"},
         .memories = {"DRAM", "DRAM", "DRAM"}},
    };
    struct sample_run r;
    sample_run(&r, ops, COUNT_OF(ops), NULL);
    const unsigned rates = HAS_DRAM | HAS_DRAM_PERCENT | HAS_FLOPS | HAS_FLOPS_PERCENT;
    STR_IS(r.perf.ops[0].code, "Matmul");
    assert_int_equal(0, r.perf.ops[0].has & rates);
    assert_int_equal(0, r.perf.ops[1].has & rates);
    assert_int_equal(rates & ~(unsigned)HAS_FLOPS_PERCENT, r.perf.ops[2].has & rates);
    for (int i = 0; i < 3; i++)
        assert_int_equal(BOUND_NONE, r.perf.ops[i].bound);
    assert_int_equal(1, r.perf.diag.entry[DIAG_NO_SIZE].count);
    assert_int_equal(1, r.perf.diag.entry[DIAG_NO_DURATION].count);
    assert_int_equal(1, r.perf.diag.entry[DIAG_FIDELITY_UNKNOWN].count);
    sample_free(&r);
}

TEST(perf_reckons_convolutions_with_the_cores_of_the_chip)
{
    const struct sample_op ops[] = {
        {.code = "Conv2d",
         .fidelity = "HiFi4",
         .cores = "8",
         .attributes = "window_hw=(3;3); per_core_out_matrix_height_ntile=7;"
                       "act_block_h_ntiles=?; enable_act_double_buffer': 'false'; "
                       "enable_split_reader': 'true'",
         .sizes = {"1", "1", "1", "64", "1", "1", "576", "128", "1", "1", "3136", "128"}}};
    struct sample_run r;
    sample_run(&r, ops, 1, NULL);
    const struct op *o = &r.perf.ops[0];
    STR_IS(o->code, "Conv2d 3136 x 576 x 128 [ABH=7|x SR]");
    double flop = 3136.0 * 576 * 128 * 2 / (1000 * 1e-9);
    REAL_IS(o->flops, flop / 1e12);
    REAL_IS(o->flops_percent, flop / (74.0 / 72 * 1e12 * 64) * 100);
    REAL_IS(o->cores, 8);
    assert_int_equal(0, o->has & HAS_DRAM);
    sample_free(&r);
}

TEST(perf_counts_convolutions_without_a_window)
{
    const struct sample_op ops[] = {{.code = "Conv2d", .attributes = "window_hw=3"},
                                    {.code = "Conv2d", .attributes = "window_hw"}};
    struct sample_run r;
    sample_run(&r, ops, 2, NULL);
    codes_are(&r, "Conv2d,Conv2d");
    assert_int_equal(2, r.perf.diag.entry[DIAG_NO_WINDOW].count);
    sample_free(&r);
}

TEST(perf_spells_out_what_a_halo_does)
{
    const struct sample_op ops[] = {
        {.code = "HaloDeviceOperation",
         .attributes =
             "window_hw=(3;3);stride_hw=(2;2);padding=((1; 1); (1; 1));"
             "dilation_hw=(1;1);memory_layout=TensorMemoryLayout::HEIGHT_SHARDED;x"},
        {.code = "HaloDeviceOperation", .attributes = "window_hw=(3"}};
    struct sample_run r;
    sample_run(&r, ops, 2, NULL);
    STR_IS(r.perf.ops[0].code,
           "HaloDeviceOperation w=(3,3) s=(2,2) p=((1, 1), (1, 1)) "
           "d=(1,1) | HEIGHT_SHARDED");
    STR_IS(r.perf.ops[1].code, "HaloDeviceOperation w=(3 s=x p=x d=x | x");
    sample_free(&r);
}

TEST(perf_shows_the_data_types_of_plain_ops)
{
    const struct sample_op ops[] = {
        {.code = "Add", .datatypes = {"BFLOAT16", "FLOAT32", "ROW"}},
        {.code = "Add", .datatypes = {NULL, "BFLOAT8_B", NULL}},
        {.code = "Add", .datatypes = {NULL, NULL, "UINT8"}},
        {.code = "Add"}};
    struct sample_run r;
    sample_run(&r, ops, COUNT_OF(ops), NULL);
    struct arena a = {0};
    STR_IS(perf_math_text(&r.perf, &r.perf.ops[0], true, &a), "BF16, FP32 => ROW");
    STR_IS(perf_math_text(&r.perf, &r.perf.ops[1], true, &a), ", BFP8");
    STR_IS(perf_math_text(&r.perf, &r.perf.ops[2], true, &a), "=> UINT8");
    STR_IS(perf_math_text(&r.perf, &r.perf.ops[3], true, &a), "");
    arena_free(&a);
    sample_free(&r);
}

// --- derived values and filters ---

TEST(perf_shares_are_parts_of_times_and_gaps_together)
{
    const struct sample_op ops[] = {
        {.code = "a", .ns = "1000", .gap = "9000"}, // first: no gap
        {.code = "b", .ns = "2000", .gap = "1000"},
        {.code = "(torch) c", .type = "python_fallback", .ns = ""}};
    struct sample_run r;
    sample_run(&r, ops, COUNT_OF(ops), NULL);
    assert_int_equal(0, r.perf.ops[0].has & HAS_GAP);
    REAL_IS(r.perf.ops[0].share, 25);
    REAL_IS(r.perf.ops[1].share, 75);
    assert_int_equal(BOUND_HOST, r.perf.ops[2].bound);
    assert_int_equal(0, r.perf.ops[2].has & (HAS_TIME | HAS_SHARE));
    assert_int_equal(2, r.perf.n_kind[OP_DEVICE]);
    assert_int_equal(1, r.perf.n_kind[OP_HOST]);
    sample_free(&r);
}

TEST(perf_marks_rows_below_the_minimum_percentage)
{
    const struct sample_op ops[] = {{.code = "a", .ns = "996"}, {.code = "b", .ns = "4"}};
    struct sample_run r;
    sample_run(&r, ops, 2, NULL);
    assert_false(r.perf.ops[0].is_minor);
    assert_true(r.perf.ops[1].is_minor);
    sample_free(&r);
    sample_run(&r, ops, 2, &(struct perf_options){.min_percentage = 0.4});
    assert_false(r.perf.ops[1].is_minor);
    sample_free(&r);
}

TEST(perf_id_ranges_keep_rows_and_drop_the_first_gap)
{
    const struct sample_op ops[] = {{.code = "a"},
                                    {.code = "b", .gap = "1000"},
                                    {.code = "c", .gap = "1000"},
                                    {.code = "d", .gap = "1000"}};
    struct perf_options o = {0};
    assert_true(perf_parse_id_range(S("3-4"), &o));
    struct sample_run r;
    sample_run(&r, ops, COUNT_OF(ops), &o);
    codes_are(&r, "b,c");
    assert_int_equal(0, r.perf.ops[0].has & HAS_GAP);
    assert_int_equal(HAS_GAP, r.perf.ops[1].has & HAS_GAP);
    assert_true(sample_has_note(&r, "Filtering rows with IDs from 3 to 4"));
    sample_free(&r);
}

TEST(perf_drops_host_ops_if_asked)
{
    const struct sample_op ops[] = {{.code = "a"}, {.code = "(torch) b", .type = "x"}};
    struct sample_run r;
    sample_run(&r, ops, 2, &(struct perf_options){.no_host_ops = true});
    codes_are(&r, "a");
    assert_int_equal(1, r.perf.n_kind[OP_HOST]); // counted before
    sample_free(&r);
}

static void range_is(str s, int64_t from, int64_t to)
{
    struct perf_options o = {0};
    assert_true(perf_parse_id_range(s, &o));
    assert_true(o.has_id_range);
    assert_int_equal(from, o.id_from);
    assert_int_equal(to, o.id_to);
}

TEST(perf_id_ranges_are_read_with_open_ends_commas_and_blanks)
{
    range_is(S("5-10"), 5, 10);
    range_is(S("31-"), 31, INT64_MAX);
    range_is(S("-12"), INT64_MIN, 12);
    range_is(S(" 1,000 - 2,000 "), 1000, 2000);
}

TEST(perf_id_ranges_that_are_none_are_refused)
{
    struct perf_options o = {0};
    static const char *const bad[] = {
        "",      "5",   "-",
        "1-2-3", "a-b", "1--2",
        "1.5-2", ",-5", "111111111111111111111111111111111111-2"};
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        assert_false(perf_parse_id_range(str_of(bad[i]), &o));
}

// --- architecture ---

TEST(perf_takes_wormhole_for_files_that_name_no_chip)
{
    struct sample_run r;
    sample_run(&r, &(struct sample_op){.code = "a"}, 1, NULL);
    STR_IS(r.perf.arch->name, "wormhole");
    assert_int_equal(64, r.perf.cores);
    assert_true(sample_has_note(&r, "Detected CSV format: v2"));
    assert_true(sample_has_note(&r, "Architecture: wormhole, Worker cores: 64"));
    sample_free(&r);
    sample_run(&r, &(struct sample_op){.code = "a"}, 1,
               &(struct perf_options){.arch = "Blackhole"});
    assert_true(sample_has_note(&r, "Architecture: blackhole, Worker cores: 130"));
    sample_free(&r);
}

static void run_text(struct sample_run *r, str text)
{
    *r = (struct sample_run){.file = memory_file_make(text)};
    const char *path = r->file.path;
    r->status = perf_run(&r->perf, &path, 1, &(struct perf_options){0}, &r->e);
}

#define ARCH_HEAD                                                                          \
    "DEVICE ARCH,AVAILABLE WORKER CORE COUNT,OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID," \
    "ATTRIBUTES,CORE COUNT,OP TO OP LATENCY [ns],DEVICE KERNEL DURATION [ns],"             \
    "INPUT_0_MEMORY\n"
#define ARCH_ROW ",a,tt_dnn_device,1,0,,64,,1,\n"

TEST(perf_takes_the_first_chip_the_file_names)
{
    struct sample_run r;
    run_text(&r,
             S(ARCH_HEAD ",0" ARCH_ROW "wormhole_b0,72" ARCH_ROW "blackhole,110" ARCH_ROW));
    STR_IS(r.perf.arch->name, "wormhole");
    assert_int_equal(72, r.perf.cores);
    assert_true(sample_has_note(&r,
                                "Warning: Multiple DEVICE ARCH values found: "
                                "['wormhole_b0', 'blackhole']. Using first value: "
                                "'wormhole_b0'."));
    assert_true(sample_has_note(&r,
                                "Warning: Multiple AVAILABLE WORKER CORE COUNT values "
                                "found: [72, 110]. Using first value: 72."));
    sample_free(&r);
}

TEST(perf_goes_on_without_peaks_for_a_chip_nobody_knows)
{
    struct sample_run r;
    run_text(&r, S(ARCH_HEAD "quasar,3.5" ARCH_ROW));
    assert_int_equal(PERF_OK, r.status);
    assert_null(r.perf.arch);
    assert_int_equal(3, r.perf.cores);
    assert_int_equal(1, r.perf.diag.entry[DIAG_ARCH_UNKNOWN].count);
    assert_int_equal(1, r.perf.n_ops);
    sample_free(&r);
}

TEST(perf_refusals_are_notes_and_input_errors_are_errors)
{
    struct sample_run r;
    run_text(&r, S("OP CODE\na\n"));
    assert_int_equal(PERF_REFUSED, r.status);
    assert_int_equal(1, r.perf.notes.list.n);
    assert_int_equal(NOTE_ERROR, r.perf.notes.list.v[0].level);
    sample_free(&r);
    run_text(&r, S(""));
    assert_int_equal(PERF_INPUT_ERROR, r.status);
    assert_int_equal(ERR_FORMAT, r.e.code);
    sample_free(&r);
}

TEST(perf_notes_of_any_length_are_kept_whole)
{
    struct notes n = {0};
    note(&n, NOTE_INFO, "short %d", 1);
    note(&n, NOTE_WARNING, "%01000d", 2);
    assert_int_equal(2, n.list.n);
    STR_IS(n.list.v[0].text, "short 1");
    assert_int_equal(1000, n.list.v[1].text.n);
    assert_int_equal('2', n.list.v[1].text.p[999]);
    assert_int_equal(NOTE_WARNING, n.list.v[1].level);
    notes_free(&n);
}
