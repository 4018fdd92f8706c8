// test_options.c - every variable of the profiler, what follows from it, and every
// conflict.
#include <stdio.h>

#include "base/data/vec.h"

#include "collect/decode/counter_groups.h"
#include "collect/readout/options.h"
#include "collect/readout/options_table.h"
#include "test.h"

#define ENVIRONMENT(...) ((const char *const[]){__VA_ARGS__, NULL})

struct result {
    struct profiler_options o;
    struct buf warnings;
    struct err e;
    bool is_fine;
};

static struct result read_from(const char *const *environment)
{
    struct result r = {.e = {0}};
    r.is_fine = profiler_options_read(&r.o, environment, &r.warnings, &r.e);
    return r;
}

static struct profiler_options accepted(const char *const *environment)
{
    struct result r = read_from(environment);
    assert_string_equal(r.e.text, "");
    test_str_is(buf_view(&r.warnings), S(""), __FILE__, __LINE__);
    assert_true(r.is_fine);
    buf_free(&r.warnings);
    return r.o;
}

static struct profiler_options warned(const char *const *environment, const char *want)
{
    struct result r = read_from(environment);
    assert_string_equal(r.e.text, "");
    assert_true(r.is_fine);
    test_str_is(buf_view(&r.warnings), str_of(want), __FILE__, __LINE__);
    buf_free(&r.warnings);
    return r.o;
}

static void refused(const char *const *environment, const char *want)
{
    struct result r = read_from(environment);
    assert_false(r.is_fine);
    assert_int_equal(r.e.code, ERR_USAGE);
    assert_string_equal(r.e.text, want);
    buf_free(&r.warnings);
}

#define ON "TT_METAL_DEVICE_PROFILER=1"

TEST(without_variables_profiling_is_off_and_has_its_defaults)
{
    struct profiler_options o = accepted((const char *const[]){NULL});
    assert_false(o.is_enabled);
    assert_int_equal(o.level, TT_LEVEL_ALL);
    assert_int_equal(o.overflow, OVERFLOW_DROP);
    assert_int_equal(o.sync_spacing_us, 1000);
    assert_int_equal(profiler_flags(&o), 0);
    assert_int_equal(profiler_variant(&o), 0);
    assert_string_equal(o.folder, "generated/profiler/");
}

TEST(every_switch_of_the_profiler_sets_its_field_and_no_other)
{
    size_t n = 0;
    for (size_t i = 0; i < n_variables; i++) {
        const struct variable *v = &variables[i];
        if (!v->field.type || v->field.type->bytes != sizeof(bool))
            continue;
        char text[100];
        (void)snprintf(text, sizeof text, "%s=1", v->field.name);
        struct profiler_options before = accepted(ENVIRONMENT(ON));
        struct profiler_options o = accepted(ENVIRONMENT(ON, text));
        assert_true(variable_is_on(v, &o));
        // Put back, nothing differs; NoC debugging and dumps in mid-run bring others along.
        if (!o.noc_debug && !o.mid_run_dump) {
            *((bool *)&o + v->field.at) = *((bool *)&before + v->field.at);
            assert_memory_equal(&o, &before, sizeof o);
        }
        n++;
    }
    assert_int_equal(n, 20);
}

TEST(a_switch_is_on_when_its_value_starts_with_1)
{
    assert_true(accepted(ENVIRONMENT("TT_METAL_DEVICE_PROFILER=10")).is_enabled);
    assert_false(accepted(ENVIRONMENT("TT_METAL_DEVICE_PROFILER=0")).is_enabled);
    assert_false(accepted(ENVIRONMENT("TT_METAL_DEVICE_PROFILER=")).is_enabled);
    assert_false(accepted(ENVIRONMENT("TT_METAL_DEVICE_PROFILER=2")).is_enabled);
    assert_false(warned(ENVIRONMENT("TT_METAL_DEVICE_PROFILER=true"),
                        "TT_METAL_DEVICE_PROFILER=true does not enable it: the value must "
                        "start with 1\n")
                     .is_enabled);
}

TEST(presence_alone_switches_three_variables_on)
{
    assert_true(accepted(ENVIRONMENT("TT_METAL_SLOW_DISPATCH_MODE=0")).slow_dispatch);
    assert_true(accepted(ENVIRONMENT("TT_METAL_TRACY_MID_RUN_PUSH=")).mid_run_push);
    assert_true(accepted(ENVIRONMENT("TT_METAL_PROFILER_NO_CACHE_OP_INFO=0")).no_op_cache);
}

TEST(numbers_choices_and_risc_lists)
{
    struct profiler_options o = accepted(ENVIRONMENT(
        ON, "TT_METAL_PROFILE_PERF_COUNTERS=47",
        "TT_METAL_PROFILER_PROGRAM_SUPPORT_COUNT=1200", "TTPROF_LEVEL=coarse",
        "TTPROF_OVERFLOW=stall", "TTPROF_RISCS=brisc, TRISC_1", "TTPROF_SYNC_SPACING_US=10",
        "TTPROF_DEVICE=board=n300", "TTPROF_THREADS=2"));
    assert_int_equal(o.counters, 47);
    assert_int_equal(o.program_count, 1200);
    assert_int_equal(o.level, TT_LEVEL_COARSE);
    assert_int_equal(o.overflow, OVERFLOW_STALL);
    assert_int_equal(o.riscs, 1 | 8);
    assert_int_equal(o.sync_spacing_us, 10);
    assert_int_equal(accepted(ENVIRONMENT("TTPROF_RISCS=all")).riscs, 0);
    assert_int_equal(accepted(ENVIRONMENT("TTPROF_RISCS=TRISC")).riscs, 4 + 8 + 16);
}

TEST(values_that_make_no_sense_are_refused)
{
    refused(ENVIRONMENT("TT_METAL_PROFILER_PROGRAM_SUPPORT_COUNT=many"),
            "TT_METAL_PROFILER_PROGRAM_SUPPORT_COUNT: 'many' is not a number");
    refused(ENVIRONMENT("TT_METAL_PROFILER_PROGRAM_SUPPORT_COUNT=-1"),
            "TT_METAL_PROFILER_PROGRAM_SUPPORT_COUNT: -1 is not between 0 and 60000000");
    refused(ENVIRONMENT("TT_METAL_PROFILE_PERF_COUNTERS=512"),
            "TT_METAL_PROFILE_PERF_COUNTERS: 512 is not between 0 and 511");
    refused(ENVIRONMENT("TT_METAL_PROFILE_PERF_COUNTERS=fpu"),
            "TT_METAL_PROFILE_PERF_COUNTERS: 'fpu' is not a number");
    refused(ENVIRONMENT("TTPROF_LEVEL=some"),
            "TTPROF_LEVEL: invalid value 'some'; use one of: off coarse all");
    refused(ENVIRONMENT("TTPROF_OVERFLOW="),
            "TTPROF_OVERFLOW: invalid value ''; use one of: drop stall auto");
    refused(ENVIRONMENT("TTPROF_RISCS=BRISC,RISC9"),
            "TTPROF_RISCS: 'RISC9' is not a RISC; use 'all' or a list of: BRISC NCRISC "
            "TRISC_0 TRISC_1 TRISC_2 ERISC");
    refused(ENVIRONMENT("TTPROF_SYNC_SPACING_US=0"),
            "TTPROF_SYNC_SPACING_US: 0 is not between 1 and 1000000");
}

TEST(a_path_that_is_too_long_is_refused_not_cut)
{
    struct buf b = {0};
    buf_z(&b, "TT_METAL_PROFILER_DIR=");
    buf_fill(&b, 'x', 511);
    buf_char(&b, '\0');
    refused(ENVIRONMENT(b.p),
            "TT_METAL_PROFILER_DIR: the path has 511 bytes; the maximum is 500");
    buf_free(&b);
}

TEST(folders_come_from_the_folder_then_home_then_here)
{
    char logs[600];
    struct profiler_options o = accepted(ENVIRONMENT("TT_METAL_HOME=/opt/metal"));
    assert_string_equal(o.folder, "/opt/metal/generated/profiler/");
    o = accepted(ENVIRONMENT("TT_METAL_PROFILER_DIR=out", "TT_METAL_HOME=/opt/metal"));
    assert_string_equal(o.folder, "out/");
    o = accepted(ENVIRONMENT("TT_METAL_PROFILER_DIR=/a/b/"));
    assert_string_equal(o.folder, "/a/b/");
    profiler_logs_folder(&o, logs, sizeof logs);
    assert_string_equal(logs, "/a/b/.logs/");
    o = accepted(ENVIRONMENT("TT_METAL_PROFILER_DIR=", "TT_METAL_HOME="));
    assert_string_equal(o.folder, "generated/profiler/");
    o = accepted(ENVIRONMENT("TT_METAL_DEVICE_PROFILER_NOC_EVENTS_RPT_PATH=noc",
                             "TTPROF_DUMP_RAW=raw"));
    assert_string_equal(o.noc_folder, "noc");
    assert_string_equal(o.dump_raw, "raw");
    assert_false(o.is_enabled);
}

// --- dependencies ----------------------------------------------------------------------
TEST(noc_events_counters_and_debugging_switch_the_profiler_on)
{
    struct profiler_options o =
        accepted(ENVIRONMENT("TT_METAL_DEVICE_PROFILER_NOC_EVENTS=1"));
    assert_true(o.is_enabled && o.noc_events);
    assert_int_equal(profiler_variant(&o), 2);
    o = accepted(ENVIRONMENT("TT_METAL_PROFILE_PERF_COUNTERS=1"));
    assert_true(o.is_enabled);
    assert_int_equal(profiler_variant(&o), 1);
    o = accepted(ENVIRONMENT("TT_METAL_NOC_DEBUG_DUMP=1", "TTPROF_OVERFLOW=drop"));
    assert_true(o.is_enabled && o.noc_events && o.noc_debug);
    assert_int_equal(o.overflow, OVERFLOW_STALL);
    assert_int_equal(profiler_variant(&o), 2);
}

TEST(dependencies_do_not_ask_which_variable_was_read_first)
{
    // The reference ignores both here: it reads them before what switches profiling on.
    struct profiler_options o = accepted(ENVIRONMENT("TT_METAL_PROFILER_SYNC=1",
                                                     "TT_METAL_DEVICE_PROFILER_DISPATCH=1",
                                                     "TT_METAL_PROFILE_PERF_COUNTERS=1"));
    assert_true(o.sync && o.dispatch);
}

TEST(what_needs_the_profiler_is_off_without_it)
{
    size_t n = 0;
    for (size_t i = 0; i < n_variables; i++) {
        const struct variable *v = &variables[i];
        if (!v->needs_profiler)
            continue;
        char text[100], want[300];
        (void)snprintf(text, sizeof text, "%s=1", v->field.name);
        (void)snprintf(want, sizeof want,
                       "%s has no effect: the device profiler is off; set "
                       "TT_METAL_DEVICE_PROFILER=1 to enable it\n",
                       v->field.name);
        struct profiler_options o = warned(ENVIRONMENT(text), want);
        assert_false(variable_is_on(v, &o));
        n++;
    }
    assert_int_equal(n, 8);
}

// An op report of a host-only run has its replays, too.
TEST(messages_about_traces_need_no_profiler)
{
    struct profiler_options o = accepted(ENVIRONMENT("TT_METAL_PROFILER_TRACE_TRACKING=1"));
    assert_true(o.trace_tracking);
    assert_false(o.is_enabled);
}

TEST(accumulating_skips_the_sync_and_the_report_by_programs)
{
    struct profiler_options o = warned(
        ENVIRONMENT(ON, "TT_METAL_PROFILER_ACCUMULATE=1", "TT_METAL_PROFILER_SYNC=1",
                    "TT_METAL_PROFILER_CPP_POST_PROCESS=1"),
        "TT_METAL_PROFILER_SYNC has no effect: TT_METAL_PROFILER_ACCUMULATE skips the "
        "sync\n"
        "TT_METAL_PROFILER_CPP_POST_PROCESS has no effect: TT_METAL_PROFILER_ACCUMULATE "
        "keeps no program ids\n");
    assert_true(o.accumulate);
    assert_false(o.sync || o.cpp_post_process);
}

TEST(modes_without_a_way_to_wait_for_the_host_drop)
{
    struct profiler_options o = warned(
        ENVIRONMENT(ON, "TT_METAL_PROFILER_ACCUMULATE=1", "TTPROF_OVERFLOW=stall"),
        "TTPROF_OVERFLOW=stall has no effect: with TT_METAL_PROFILER_ACCUMULATE no RISC "
        "waits for the host; TTPROF_WATERMARK=1 reads before regions are full\n");
    assert_int_equal(o.overflow, OVERFLOW_DROP);
    o = warned(ENVIRONMENT(ON, "TT_METAL_TRACE_PROFILER=1", "TTPROF_OVERFLOW=stall"),
               "TTPROF_OVERFLOW=stall has no effect: with TT_METAL_TRACE_PROFILER no RISC "
               "waits for the host; TTPROF_WATERMARK=1 reads before regions are full\n");
    assert_int_equal(o.overflow, OVERFLOW_DROP);
    o = warned(ENVIRONMENT(ON, "TT_METAL_PROFILER_ACCUMULATE=1"), "");
    assert_int_equal(o.overflow, OVERFLOW_DROP);
}

TEST(dumps_in_mid_run_with_sync_are_warned_about)
{
    struct profiler_options o = warned(
        ENVIRONMENT(ON, "TT_METAL_PROFILER_MID_RUN_DUMP=1", "TT_METAL_PROFILER_SYNC=1"),
        "TT_METAL_PROFILER_MID_RUN_DUMP with TT_METAL_PROFILER_SYNC: device clocks are "
        "aligned less well, because dumps come before the last sync\n");
    assert_true(o.mid_run_dump && o.sync);
}

// As the guides say: with dumps in mid-run nothing is lost, between programs or within one.
TEST(dumps_in_mid_run_lose_nothing_unless_told_to)
{
    struct profiler_options o =
        accepted(ENVIRONMENT(ON, "TT_METAL_PROFILER_MID_RUN_DUMP=1"));
    assert_true(o.watermark);
    assert_int_equal(o.overflow, OVERFLOW_STALL);
    o = accepted(
        ENVIRONMENT(ON, "TT_METAL_PROFILER_MID_RUN_DUMP=1", "TTPROF_OVERFLOW=drop"));
    assert_true(o.watermark);
    assert_int_equal(o.overflow, OVERFLOW_DROP);
    o = accepted(ENVIRONMENT(ON, "TT_METAL_PROFILER_MID_RUN_DUMP=1",
                             "TT_METAL_PROFILER_ACCUMULATE=1"));
    assert_true(o.watermark);
    assert_int_equal(o.overflow, OVERFLOW_DROP);
    o = accepted(ENVIRONMENT(ON, "TTPROF_OVERFLOW=auto"));
    assert_false(o.watermark);
    assert_int_equal(o.overflow, OVERFLOW_DROP);
}

// --- conflicts -------------------------------------------------------------------------
TEST(conflicts_are_errors_with_the_known_texts)
{
    static const char printing[] =
        "Cannot enable both debug printing and profiling: unset the TT_METAL_DPRINT_* "
        "variables, or TT_METAL_DEVICE_PROFILER";
    refused(ENVIRONMENT(ON, "TT_METAL_DPRINT_CORES=all"), printing);
    refused(ENVIRONMENT(ON, "TT_METAL_DPRINT_ETH_CORES=0,0"), printing);
    refused(ENVIRONMENT("TT_METAL_PROFILE_PERF_COUNTERS=1", "TT_METAL_DPRINT_CORES=0,0"),
            printing);
    refused(
        ENVIRONMENT(ON, "TT_METAL_PROFILER_MID_RUN_DUMP=1", "TT_METAL_TRACE_PROFILER=1"),
        "Cannot dump data mid-run if only profiling trace runs: unset "
        "TT_METAL_PROFILER_MID_RUN_DUMP or TT_METAL_TRACE_PROFILER");
    refused(ENVIRONMENT(ON, "TT_METAL_PROFILER_MID_RUN_DUMP=1",
                        "TT_METAL_DEVICE_PROFILER_DISPATCH=1"),
            "Cannot dump data mid-run if profiling dispatch cores: unset "
            "TT_METAL_PROFILER_MID_RUN_DUMP or TT_METAL_DEVICE_PROFILER_DISPATCH");
    refused(
        ENVIRONMENT("TT_METAL_PROFILE_PERF_COUNTERS=24"),
        "Multiple L1 perf counter banks cannot be enabled simultaneously. They share the "
        "same hardware mux. Set one of the bits 8, 16, 64, 128 and 256 of "
        "TT_METAL_PROFILE_PERF_COUNTERS");
}

TEST(every_pair_of_l1_banks_is_a_conflict_and_each_alone_is_none)
{
    static const int banks[] = {8, 16, 64, 128, 256};
    for (size_t i = 0; i < 5; i++) {
        for (size_t k = i; k < 5; k++) {
            struct buf problems = {0};
            struct profiler_options o = {.counters = (uint32_t)(banks[i] | banks[k] | 39)};
            assert_int_equal(profiler_conflicts(&o, &problems), i == k ? 0 : 1);
            buf_free(&problems);
        }
    }
}

TEST(debug_printing_without_profiling_is_fine)
{
    (void)accepted(ENVIRONMENT("TT_METAL_DPRINT_CORES=all"));
    (void)accepted(ENVIRONMENT(ON, "TT_METAL_DPRINT_RISCVS=BR", "TT_METAL_DPRINT_CORES="));
}

// --- unknown names ---------------------------------------------------------------------
TEST(a_misspelt_variable_is_told_with_the_nearest_name)
{
    (void)warned(ENVIRONMENT("TT_METAL_DEVICE_PROFILR=1"),
                 "unknown variable TT_METAL_DEVICE_PROFILR; did you mean "
                 "TT_METAL_DEVICE_PROFILER?\n");
    (void)warned(ENVIRONMENT("TTPROF_LEVLE=all"),
                 "unknown variable TTPROF_LEVLE; did you mean TTPROF_LEVEL?\n");
    (void)warned(ENVIRONMENT("TT_METAL_DPRINT_CORE=all"),
                 "unknown variable TT_METAL_DPRINT_CORE; did you mean "
                 "TT_METAL_DPRINT_CORES?\n");
    (void)warned(ENVIRONMENT("TT_METAL_SOMETHING_ELSE_ALTOGETHER=1"),
                 "unknown variable TT_METAL_SOMETHING_ELSE_ALTOGETHER; 'ttprof doctor' "
                 "lists all\n");
}

TEST(variables_of_other_parts_are_known)
{
    (void)accepted(ENVIRONMENT(
        "TT_METAL_WATCHER=10", "TT_METAL_WATCHER_DEBUG_DELAY=100", "TT_METAL_CACHE=/tmp/x",
        "TT_METAL_READ_DEBUG_DELAY_CORES=0,0", "TT_METAL_ATOMIC_DEBUG_DELAY_RISCVS=BR",
        "TT_METAL_VISIBLE_DEVICES=0", "TT_METAL_LOGGER_LEVEL=debug", "TT_METAL_QSR_X=1",
        "TTPROF_PROP_ROUNDS=3", "HOME=/", "TT_OTHER=1", "PATH"));
}

// --- words and sizes -------------------------------------------------------------------
TEST(the_region_holds_the_programs_and_more_than_one_l1_vector)
{
    static const struct {
        int64_t count;
        bool sum, is_stalling;
        uint32_t bytes;
        const char *warning;
    } cases[] = {
        {0, false, false, 48000, ""},
        {0, true, false, 64000, ""},
        {0, false, true, 24000, ""},
        {1200, false, false, 57600, ""},
        {200, true, false, 12800, ""},
        {43, false, false, 2064, ""},
        {42, false, false, 2064,
         "Profiler program support count must be >= 43. Increasing program support count "
         "from 42 to 43.\n"},
        {1, false, false, 2064,
         "Profiler program support count must be >= 43. Increasing program support count "
         "from 1 to 43.\n"},
        // The reference makes a region of exactly one vector here, and fails.
        {32, true, false, 2112,
         "Profiler program support count must be >= 33. Increasing program support count "
         "from 32 to 33.\n"},
        {33, true, false, 2112, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct buf warnings = {0};
        struct profiler_options o;
        struct err e = {0};
        profiler_options_default(&o);
        o.is_enabled = true;
        o.program_count = cases[i].count;
        o.sum = cases[i].sum;
        o.overflow = cases[i].is_stalling ? OVERFLOW_STALL : OVERFLOW_DROP;
        assert_int_equal(profiler_region_bytes(&o, &warnings), cases[i].bytes);
        test_str_is(buf_view(&warnings), str_of(cases[i].warning), __FILE__, __LINE__);
        assert_int_equal(profiler_region_buffers(&o), cases[i].is_stalling ? 2 : 1);
        // Settling raises the count for good: the warning comes once.
        warnings.n = 0;
        assert_true(profiler_options_settle(&o, &warnings, &e));
        test_str_is(buf_view(&warnings), str_of(cases[i].warning), __FILE__, __LINE__);
        warnings.n = 0;
        assert_int_equal(profiler_region_bytes(&o, &warnings), cases[i].bytes);
        assert_int_equal(warnings.n, 0);
        buf_free(&warnings);
    }
}

TEST(flags_of_the_control_vector)
{
    struct profiler_options o = accepted(ENVIRONMENT(ON));
    assert_int_equal(profiler_flags(&o), 2);
    o = accepted(ENVIRONMENT(ON, "TTPROF_LEVEL=off"));
    assert_int_equal(profiler_flags(&o), 0);
    o = accepted(ENVIRONMENT(ON, "TTPROF_OVERFLOW=stall", "TT_METAL_PROFILER_SUM=1",
                             "TTPROF_FLUSH_ZONES=1", "TTPROF_RISCS=NCRISC",
                             "TT_METAL_PROFILE_PERF_COUNTERS=263"));
    assert_int_equal(profiler_flags(&o), 2 | 1 << 2 | 1 << 3 | 1 << 7 | 2 << 8 | 263 << 16);
    o = accepted(
        ENVIRONMENT("TT_METAL_NOC_DEBUG_DUMP=1", "TT_METAL_DEVICE_PROFILER_DISPATCH=1"));
    assert_int_equal(profiler_flags(&o), 2 | 1 << 2 | 1 << 4 | 1 << 25 | 1 << 26);
    o = accepted(
        ENVIRONMENT(ON, "TT_METAL_TRACE_PROFILER=1", "TT_METAL_PROFILER_ACCUMULATE=1"));
    assert_int_equal(profiler_flags(&o), 2 | 1 << 5 | 1 << 6);
}

// --- the list --------------------------------------------------------------------------
static const struct profiler_setting *find(const struct profiler_setting *v, size_t n,
                                           const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(v[i].variable, name) == 0)
            return &v[i];
    fail_msg("%s is not in the list", name);
    return NULL;
}

TEST(the_list_tells_value_and_source_of_every_variable)
{
    const char *const *environment =
        ENVIRONMENT("TT_METAL_NOC_DEBUG_DUMP=1", "TT_METAL_PROFILER_DIR=out",
                    "TTPROF_DEVICE=board=n300", "TTPROF_RISCS=trisc");
    static const char *const want[][3] = {
        {"TT_METAL_DEVICE_PROFILER", "1", "set by TT_METAL_DEVICE_PROFILER_NOC_EVENTS"},
        {"TT_METAL_DEVICE_PROFILER_NOC_EVENTS", "1", "set by TT_METAL_NOC_DEBUG_DUMP"},
        {"TTPROF_OVERFLOW", "stall", "set by TT_METAL_NOC_DEBUG_DUMP"},
        {"TT_METAL_NOC_DEBUG_DUMP", "1", "environment"},
        {"TT_METAL_PROFILER_SYNC", "0", "default"},
        {"TT_METAL_PROFILER_DIR", "out/", "environment"},
        {"TTPROF_DEVICE", "board=n300", "environment"},
        {"TTPROF_RISCS", "TRISC_0,TRISC_1,TRISC_2", "environment"},
        {"TTPROF_LEVEL", "all", "default"},
        {"TTPROF_SYNC_SPACING_US", "1000", "default"},
    };
    struct arena a = {0};
    struct profiler_options o = accepted(environment);
    struct profiler_setting s[PROFILER_SETTINGS_MOST];
    size_t n = profiler_settings(&o, environment, s, &a);
    assert_int_equal(n, n_variables);
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        const struct profiler_setting *got = find(s, n, want[i][0]);
        assert_string_equal(got->value, want[i][1]);
        assert_string_equal(got->source, want[i][2]);
        assert_true(strlen(got->what) > 5);
    }
    arena_free(&a);
}

TEST(a_list_of_values_gives_the_same_options_back)
{
    struct arena a = {0};
    struct profiler_options o = accepted(
        ENVIRONMENT(ON, "TT_METAL_PROFILER_SUM=1", "TTPROF_RISCS=BRISC,TRISC_2",
                    "TTPROF_LEVEL=coarse", "TT_METAL_PROFILER_PROGRAM_SUPPORT_COUNT=77",
                    "TT_METAL_PROFILER_DIR=here", "TT_METAL_PROFILE_PERF_COUNTERS=3"));
    struct profiler_options back;
    struct profiler_setting s[PROFILER_SETTINGS_MOST];
    struct err e = {0};
    size_t n = profiler_settings(&o, NULL, s, &a);
    profiler_options_default(&back);
    for (size_t i = 0; i < n; i++)
        // Of these the presence counts; a list of values holds them all.
        if (strcmp(s[i].value, "0") != 0)
            assert_true(
                profiler_options_set(&back, str_of(s[i].variable), str_of(s[i].value), &e));
    struct profiler_setting again[PROFILER_SETTINGS_MOST];
    assert_int_equal(profiler_settings(&back, NULL, again, &a), n);
    for (size_t i = 0; i < n; i++)
        assert_string_equal(again[i].value, s[i].value);
    arena_free(&a);
}

// --- counter groups --------------------------------------------------------------------
static void groups_are(const char *list, uint32_t bits)
{
    uint32_t found = 0;
    struct err e = {0};
    assert_true(counter_groups_parse(str_of(list), &found, &e));
    assert_int_equal(found, bits);
}

static void group_is_unknown(const char *list, const char *name)
{
    uint32_t bits;
    char text[400];
    struct err e = {0};
    (void)snprintf(text, sizeof text,
                   "--profiler-capture-perf-counters: unknown counter group '%s'; valid "
                   "groups: fpu, pack, unpack, l1_0, l1_1, l1_2, l1_3, l1_4, instrn, all",
                   name);
    assert_false(counter_groups_parse(str_of(list), &bits, &e));
    assert_int_equal(e.code, ERR_USAGE);
    assert_string_equal(e.text, text);
}

TEST(counter_groups_have_their_bits_and_unknown_names_are_an_error)
{
    groups_are("fpu", 1);
    groups_are("pack,unpack", 6);
    groups_are("l1_0,l1_1,instrn", 8 + 16 + 32);
    groups_are("l1_2,l1_3,l1_4", 64 + 128 + 256);
    groups_are(" FPU , L1 ", 1 + 8);
    groups_are("l1_4,all,pack", COUNTER_GROUPS_ALL);
    groups_are("fpu,", 1);
    group_is_unknown("", "");
    group_is_unknown("fpu,nosuch,pack,", "nosuch");
    group_is_unknown("all,nosuch", "nosuch");
    group_is_unknown("nosuch,ALL", "nosuch");
}

TEST(counter_groups_of_blackhole_are_named)
{
    struct buf names = {0};
    counter_groups_blackhole(COUNTER_GROUPS_ALL | 16, &names);
    STR_IS(buf_view(&names), "");
    counter_groups_blackhole(1 | 64 | 256, &names);
    STR_IS(buf_view(&names), "l1_2, l1_4");
    buf_free(&names);
}
