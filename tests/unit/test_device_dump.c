// test_device_dump.c - the files of a profiled device, from words to folder. Spec:
// device-profiler 12, 5.4.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file/file.h"

#include "../support/device_run.h"
#include "../support/words.h"
#include "analyse/perf/perf_data.h"
#include "capture.h"
#include "collect/diags.h"
#include "profiler/collection_health.h"
#include "profiler/device_profiler.h"
#include "test.h"
#include "trace/clock_model.h"
#include "ttprof/noc_event_kinds.h"

enum { FW = 23359, KERNEL = 33029, LOAD = 16768 };

struct sample {
    char folder[16];
    struct collection *c;
    struct decoder *decoder;
    struct buf messages;
    struct dump_totals totals;
    struct file f;
};

static void begin(struct sample *s)
{
    *s = (struct sample){.folder = "unit-XXXXXX", .c = mem_alloc(sizeof *s->c)};
    assert_non_null(mkdtemp(s->folder));
    words_collection(s->c);
    collection_make_health(s->c, &s->c->chips.v[0]);
    profiler_options_default(&s->c->options);
    (void)snprintf(s->c->options.folder, sizeof s->c->options.folder, "%s/out/", s->folder);
    words_name(s->c, FW, "BRISC-FW");
    words_name(s->c, KERNEL, "BRISC-KERNEL");
    s->decoder = decoder_new(s->c);
    s->totals.messages = &s->messages;
}

// A program on BRISC of a core.
static void run_program(struct sample *s, uint32_t core, uint32_t program, uint64_t start)
{
    struct words w = {0};
    words_program(&w, 0, (uint32_t)s->c->chips.v[0].cores[core].flat, program, FW, KERNEL,
                  start);
    (void)words_add(s->c, core, 0, &w);
    words_free(&w);
}

static void dump(struct sample *s, bool is_last, bool append)
{
    struct err e = {0};
    s->c->n_readouts++;
    if (!collection_write_files(s->c, s->decoder, is_last, append, &s->totals, &e))
        fail_msg("%s", e.text);
}

static bool has_file(const struct sample *s, const char *name)
{
    char path[128];
    (void)snprintf(path, sizeof path, "%s/out/.logs/%s", s->folder, name);
    return access(path, F_OK) == 0;
}

static str text_of(struct sample *s, const char *name)
{
    char path[128];
    struct err e = {0};
    (void)snprintf(path, sizeof path, "%s/out/.logs/%s", s->folder, name);
    file_close(&s->f);
    if (!file_open(path, &s->f, &e))
        fail_msg("%s", e.text);
    return s->f.text;
}

static size_t count(str text, const char *what)
{
    size_t n = 0;
    for (str rest; str_after(text, str_of(what), &rest); text = rest)
        n++;
    return n;
}

static void remove_all(const char *folder)
{
    DIR *d = opendir(folder);
    for (struct dirent *entry; d && (entry = readdir(d));) {
        char path[512];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        (void)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (unlink(path) != 0)
            remove_all(path);
    }
    if (d)
        (void)closedir(d);
    (void)rmdir(folder);
}

static void end(struct sample *s)
{
    file_close(&s->f);
    remove_all(s->folder);
    decoder_free(s->decoder);
    collection_free(s->c);
    mem_free(s->c);
    buf_free(&s->messages);
}

// --- files

#define ROW(core, time, id, run, name, type)                                               \
    "0," core ",BRISC," #id "," #time ",0," #run ",,," name "," type "," #id               \
    ",kernels/test.cpp,\n"

TEST(a_dump_is_a_log_and_the_names_in_it)
{
    struct sample s;
    begin(&s);
    run_program(&s, 0, 7, 1000);
    dump(&s, true, false);
    STR_IS(text_of(&s, "profile_log_device.csv"),
           LOG_HEAD ROW("1,2", 1000, 23359, 7168, "BRISC-FW", "ZONE_START")
               ROW("1,2", 1100, 33029, 7168, "BRISC-KERNEL", "ZONE_START")
                   ROW("1,2", 1800, 33029, 7168, "BRISC-KERNEL", "ZONE_END")
                       ROW("1,2", 1900, 23359, 7168, "BRISC-FW", "ZONE_END"));
    STR_IS(text_of(&s, "zone_ids.csv"),
           "id,name,line,file\n"
           "23359,BRISC-FW,23359,kernels/test.cpp\n"
           "33029,BRISC-KERNEL,33029,kernels/test.cpp\n");
    str lines = text_of(&s, "zone_src_locations.log");
    assert_int_equal(1, count(lines,
                              "'#pragma message: "
                              "BRISC-FW,kernels/test.cpp,23359,KERNEL_PROFILER'\n"));
    assert_int_equal(1, count(text_of(&s, "new_zone_src_locations.log"), "BRISC-FW,"));
    // Only what was asked for.
    assert_false(has_file(&s, "cpp_device_perf_report.csv"));
    assert_false(has_file(&s, "noc_trace_dev0_ID7168.json"));
    assert_int_equal(4, s.totals.rows);
    assert_int_equal(4, s.totals.markers);
    end(&s);
}

// Programs with markers of every kind on two cores, in two replays.
static void run_much(struct sample *s)
{
    struct words w = {0};
    words_name(s->c, LOAD, "LOAD");
    for (uint32_t core = 0; core < 2; core++) {
        w.v.n = 0;
        for (uint32_t i = 0; i < 5; i++) {
            uint64_t t = UINT64_C(8589938688) + i * 10000 + core;
            uint32_t flat = (uint32_t)s->c->chips.v[0].cores[core].flat;
            words_begin(&w, 0, flat, i > 2 ? i - 2 : 0, i + 1);
            words_main(&w, FW, t, t + 900);
            words_child(&w, KERNEL, t + 100, t + 800);
            words_start(&w, LOAD, t + 200);
            words_data(&w, LOAD + 1, t + 210, UINT64_C(1) << 32 | i);
            words_event(&w, i, t + 220);
            words_end(&w, LOAD, t + 220);
            words_counter(&w, t + 850, 3, 1000, 640 + i);
            words_data16(&w, LOAD + 1, t + 860, i, 17);
            words_total(&w, LOAD, 420);
            words_pad(&w);
        }
        (void)words_add(s->c, core, 0, &w);
    }
    words_free(&w);
    struct chip_record *chip = &s->c->chips.v[0];
    collection_add_program(s->c, chip, 2, S("two"), 1, 3);
    vec_push(&chip->replayed, 5);
    vec_push(&chip->replayed, 5);
    struct trace_record *t = collection_trace(chip, 5);
    for (uint32_t i = 4; i <= 5; i++)
        vec_push(&t->programs, i);
}

TEST(the_log_of_a_dump_reads_back_as_what_was_decoded)
{
    struct sample s, other;
    struct trace decoded = {0}, read = {0};
    struct err e = {0};
    char path[64];
    begin(&s);
    begin(&other);
    run_much(&s);
    run_much(&other);
    dump(&s, true, false);
    decoder_run(other.decoder, &decoded, true);
    (void)snprintf(path, sizeof path, "%s/out/.logs/profile_log_device.csv", s.folder);
    assert_true(device_log_read(&read, path, &e));
    decoded.path = path; // messages name it
    decoded.diag = read.diag;
    assert_int_equal(2 * 5 * 11, read.n_rows);
    const char *what = trace_differs(&decoded, &read);
    if (what)
        fail_msg("%s", what);
    trace_free(&decoded);
    trace_free(&read);
    end(&other);
    end(&s);
}

TEST(the_first_dump_takes_the_place_of_old_files_and_later_ones_append)
{
    struct sample s;
    begin(&s);
    s.c->options.cpp_post_process = true;
    run_program(&s, 0, 7, 1000);
    dump(&s, false, false);
    run_program(&s, 0, 8, 3000);
    words_name(s.c, LOAD, "LOAD");
    dump(&s, true, true);
    assert_int_equal(4, s.totals.rows);
    assert_int_equal(8, s.totals.markers);
    str log = text_of(&s, "profile_log_device.csv");
    assert_int_equal(1, count(log, "ARCH"));
    assert_int_equal(4, count(log, ",7168,"));
    assert_int_equal(4, count(log, ",8192,"));
    str report = text_of(&s, "cpp_device_perf_report.csv");
    assert_int_equal(1, count(report, "GLOBAL CALL COUNT"));
    // The kernels ran from 1100 to 1800 and from 3100 on.
    assert_int_equal(1, count(report, "\n7168,,,0,wormhole_b0,,1,64,"));
    assert_int_equal(1, count(report, "\n8192,,,0,wormhole_b0,,1,64,"));
    assert_true(str_ends(report, S(",1300,1300\n")));
    assert_int_equal(1, count(text_of(&s, "new_zone_src_locations.log"), "LOAD,"));
    // Another process, which has no report: the old one goes, the names that it made stay.
    s.c->options.cpp_post_process = false;
    s.c->dump = NULL;
    run_program(&s, 0, 9, 5000);
    dump(&s, true, false);
    assert_int_equal(0, count(text_of(&s, "profile_log_device.csv"), ",8192,"));
    assert_false(has_file(&s, "cpp_device_perf_report.csv"));
    assert_int_equal(1, count(text_of(&s, "zone_src_locations.log"), "LOAD,"));
    collection_delete_files(&s.c->options);
    assert_false(has_file(&s, "profile_log_device.csv"));
    assert_true(has_file(&s, "zone_ids.csv"));
    end(&s);
}

TEST(reports_of_a_dump_name_programs)
{
    struct sample s;
    struct perf_data perf = {0};
    begin(&s);
    s.c->options.cpp_post_process = true;
    s.totals.perf = &perf;
    collection_add_program(s.c, &s.c->chips.v[0], 7, S("matmul"), -1, -1);
    run_program(&s, 0, 7, 1000);
    run_program(&s, 1, 7, 1010);
    dump(&s, true, false);
    assert_true(str_has(text_of(&s, "cpp_device_perf_report.csv"),
                        S("\n7168,,,0,wormhole_b0,matmul,2,64,,,10,910,1000,1910,")));
    assert_int_equal(1, perf_data_of(&perf, 0)->latest.n);
    assert_int_equal(710,
                     perf_data_of(&perf, 0)->latest.v[0].analyses[CPP_KERNEL].duration_ns);
    // One device: the figures are said.
    assert_int_equal(1, count(buf_view(&s.messages),
                              "Device kernel duration perf summary (device=0): "
                              "count=1, min=710ns, avg=710.0ns, max=710ns\n"));
    // None in accumulate mode.
    s.c->options.accumulate = true;
    run_program(&s, 0, 8, 3000);
    dump(&s, true, false);
    assert_false(has_file(&s, "cpp_device_perf_report.csv"));
    perf_data_free(&perf);
    end(&s);
}

TEST(a_dump_without_files_counts_all_the_same)
{
    struct sample s;
    begin(&s);
    s.c->options.no_files = true;
    run_program(&s, 0, 7, 1000);
    dump(&s, true, false);
    assert_int_equal(4, s.totals.rows);
    assert_false(has_file(&s, "."));
    assert_int_equal(1, count(buf_view(&s.messages), "4 markers from 1 read-out; "));
    end(&s);
}

TEST(a_folder_that_cannot_be_made_is_an_error_and_still_gives_the_health)
{
    struct sample s;
    struct err e = {0};
    begin(&s);
    char path[32];
    (void)snprintf(path, sizeof path, "%s/out", s.folder);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    (void)fclose(f);
    run_program(&s, 0, 7, 1000);
    assert_false(collection_write_files(s.c, s.decoder, true, false, &s.totals, &e));
    assert_int_equal(ERR_IO, e.code);
    assert_int_equal(1, count(buf_view(&s.messages), "4 markers from"));
    end(&s);
}

TEST(noc_traces_of_a_dump_have_names_and_places)
{
    struct sample s;
    begin(&s);
    static const struct tt_core cores[] = {
        {.x = 1, .y = 2, .vx = 18, .vy = 19, .flat = 3, .n_riscs = 5},
        {.x = 2, .y = 2, .vx = 19, .vy = 19, .flat = 4, .n_riscs = 5},
    };
    struct chip_record *chip = &s.c->chips.v[0];
    *chip = (struct chip_record){.arch = TT_WORMHOLE,
                                 .arch_name = "wormhole_b0",
                                 .mhz = 1000,
                                 .max_compute_cores = 64,
                                 .noc_x = 10,
                                 .noc_y = 12,
                                 .cores = cores,
                                 .n_cores = 2};
    collection_make_health(s.c, chip);
    s.c->options.noc_events = true;
    (void)snprintf(s.c->options.noc_folder, sizeof s.c->options.noc_folder, "%s/out/.logs/",
                   s.folder);
    collection_add_program(s.c, chip, 7, S("copy"), -1, -1);
    struct words w = {0};
    words_program(&w, 0, 3, 7, FW, KERNEL, 1000);
    const int at[3][3] = {{0, 11, 0}, {9, 0, 1}, {19, 19, 0}}; // x, y, NoC
    for (int i = 0; i < 3; i++)
        words_data(&w, TT_ID_NOC_EVENT, 1200 + (uint64_t)i,
                   (uint64_t)tt_noc_event_high(0, at[i][2], -1, 32, 0) << 32 |
                       tt_noc_event_low(TT_NOC_EVENT_READ, at[i][0], at[i][1], 0));
    (void)words_add(s.c, 0, 0, &w);
    dump(&s, true, false);
    str text = text_of(&s, "noc_trace_dev0_copy_ID7168.json");
    assert_int_equal(5, count(text, "\"timestamp\""));
    // Both DRAM tiles are the same one, seen from either NoC.
    assert_int_equal(2, count(text, "\"dx\": 0,\n    \"dy\": 11,"));
    assert_int_equal(1, count(text, "\"dx\": 2,\n    \"dy\": 2,"));
    assert_int_equal(1, count(buf_view(&s.messages),
                              "Profiler NoC events are enabled; this can add 1-15% cycle "
                              "overhead to typical operations!\n"));
    // The same program again.
    s.messages.n = 0;
    (void)words_add(s.c, 0, 0, &w);
    dump(&s, true, true);
    assert_int_equal(1, count(buf_view(&s.messages), "1 NoC traces replaced older"));
    assert_int_equal(0, count(buf_view(&s.messages), "Profiler NoC events are enabled"));
    words_free(&w);
    struct err e = {0};
    assert_true(collection_write_topology(s.c, &e));
    assert_int_equal(1, count(text_of(&s, "topology.json"), "\"cluster_type\": \"N150\""));
    assert_true(has_file(&s, "cluster_coordinates.json"));
    end(&s);
}

// --- health

TEST(the_health_of_a_clean_run_is_said_in_sentences)
{
    struct sample s;
    begin(&s);
    for (int i = 0; i < WORDS_CORES; i++)
        s.c->chips.v[0].core_health[i].is_counted = true;
    s.c->chips.v[0].core_health[0].flushes = 2;
    s.c->chips.v[0].core_health[0].flush_cycles = 500;
    s.c->chips.v[0].core_health[0].flush_max = 300;
    run_program(&s, 0, 7, 1000);
    dump(&s, false, false);
    STR_IS(buf_view(&s.messages), "");
    dump(&s, true, true);
    STR_IS(
        buf_view(&s.messages),
        "4 markers from 2 read-outs; 0 were lost\nthe profiler itself: 2 pushes to DRAM on 1 core, 500 cycles in total, 300 at most\ndevice times are not aligned with the host: no clock sync\n");
    str json = text_of(&s, "profiler_health.json");
    assert_true(str_has(
        json,
        S("\"readouts\":2,\"rows\":4,\"markers\":4,\"zones\":null,\"ops\":1,"
          "\"incomplete_ops\":0,"
          "\"l1_dropped\":0,\"dram_dropped\":0,\"counts_losses\":true,"
          "\"lossy\":false,\"unknown_replays\":0,\"aligned_with_host\":false,"
          "\"programs_not_started\":0,\"queue_drains\":0,\"flushes\":2,\"flush_cycles\":500,\"flush_max\":300,\"odd\":0,\n"
          "\"findings\":[],\n"
          "\"tracks\":[],\n"
          "\"without_findings\":{\"tracks\":1,\"markers\":4,\"zones\":null},\n"
          "\"cores\":[\n"
          "{\"chip\":0,\"core_x\":1,\"core_y\":2,\"flushes\":2,"
          "\"flush_cycles\":500,\"flush_max\":300,\"counts_losses\":true,"
          "\"partial\":false,\"damaged\":false}]}\n")));
    end(&s);
}

TEST(losses_stand_in_the_health_table_by_core_and_risc)
{
    struct sample s;
    begin(&s);
    struct chip_record *chip = &s.c->chips.v[0];
    struct clock_model clock = {.is_synced = true};
    chip->clock = &clock;
    for (int i = 0; i < WORDS_CORES; i++)
        chip->core_health[i].is_counted = true;
    chip->riscs[0][0].l1_dropped = 250;
    chip->riscs[0][0].dram_dropped = 12;
    chip->riscs[0][0].first_drop = 8589938688;
    chip->riscs[2][4].stalls = 3;
    chip->core_health[1].is_partial = true;
    run_program(&s, 0, 7, 1000);
    dump(&s, true, false);
    STR_IS(
        buf_view(&s.messages),
        "chip  core   RISC                  markers   lost in L1 lost in DRAM    first lost at  also\n   0  1,2    BRISC                       4          250           12       8589938688\n   0  1,1                     never finished; its data is partial\n   0  2,2    TRISC_2                     0            0            0                -  3 stalls\n4 markers from 1 read-out; 262 were lost: 250 did not fit in L1, 12 did not fit in DRAM\n");
    assert_int_equal(250, s.totals.dropped_l1);
    assert_int_equal(12, s.totals.dropped_dram);
    str json = text_of(&s, "profiler_health.json");
    assert_true(str_has(
        json,
        S("{\"pid\":null,\"attachment\":null,\"chip\":0,\"core_x\":1,\"core_y\":2,\"risc\":\"BRISC\","
          "\"markers\":4,\"zones\":null,\"l1_dropped\":250,\"dram_dropped\":12,"
          "\"first_drop\":8589938688,")));
    assert_true(str_has(json, S("\"aligned_with_host\":true")));
    assert_int_equal(1, count(json, "\"kind\":\"dropped-in-l1\",\"count\":250,"));
    assert_int_equal(1, count(json,
                              "\"kind\":\"run-partial\",\"count\":1,\"first\":\"chip "
                              "0, core 1,1\","));
    assert_int_equal(1, count(json, "\"kind\":\"stalled\",\"count\":3,"));
    assert_int_equal(1, count(json, "\"partial\":true"));
    end(&s);
}

TEST(losses_that_nobody_counts_are_not_said_to_be_none)
{
    struct sample s;
    begin(&s);
    run_program(&s, 0, 7, 1000);
    dump(&s, true, false);
    assert_int_equal(
        1, count(buf_view(&s.messages),
                 "no known losses, but the device does not count losses in L1\n"));
    s.messages.n = 0;
    s.c->chips.v[0].riscs[0][0].is_lossy = 1;
    dump(&s, true, true);
    assert_int_equal(
        1, count(buf_view(&s.messages), "it lost markers, but did not count them\n"));
    assert_int_equal(1, count(buf_view(&s.messages),
                              "some were lost; the device does not say how many\n"));
    end(&s);
}

TEST(a_sync_that_was_asked_for_and_failed_is_odd)
{
    struct sample s;
    begin(&s);
    s.c->options.sync = true;
    run_program(&s, 0, 7, 1000);
    dump(&s, true, false);
    assert_int_equal(1, s.c->diag.entry[DIAG_NOT_SYNCED].count);
    dump(&s, true, true);
    assert_int_equal(1, s.c->diag.entry[DIAG_NOT_SYNCED].count);
    end(&s);
}

TEST(a_long_health_table_is_cut_and_says_so)
{
    struct sample s;
    begin(&s);
    for (int core = 0; core < WORDS_CORES; core++)
        for (int risc = 0; risc < 5; risc++)
            s.c->chips.v[0].riscs[core][risc].l1_dropped = 1;
    struct buf b = {0};
    collection_health_text(s.c, &b);
    assert_int_equal(1 + 16 + 2, count(buf_view(&b), "\n")); // ERISC is one
    for (int core = 0; core < WORDS_CORES; core++)
        s.c->chips.v[0].core_health[core].is_damaged = true;
    vec_push(&s.c->chips, s.c->chips.v[0]); // the same again
    b.n = 0;
    collection_health_text(s.c, &b);
    assert_int_equal(1, count(buf_view(&b), "and 16 more, see profiler_health.json\n"));
    s.c->chips.n = 1;
    buf_free(&b);
    end(&s);
}

TEST(a_dump_with_nobody_to_tell_tells_standard_error)
{
    struct sample s;
    struct capture capture;
    begin(&s);
    s.totals.messages = NULL;
    run_program(&s, 0, 7, 1000);
    capture_start(&capture);
    dump(&s, true, false);
    str text = capture_end(&capture);
    assert_int_equal(1, count(text, "4 markers from 1 read-out; "));
    end(&s);
}

// --- buffers

TEST(buffers_that_were_told_of_are_rows_of_a_table)
{
    struct sample s;
    begin(&s);
    s.c->options.memory = true;
    struct memory_record m = {
        .host_ns = 5, .chip = 1, .address = 0x1000, .bytes = 64, .is_alloc = true};
    collection_add_memory(s.c, &m, S("DRAM"), S("weights, first"));
    m.bytes = 0; // not worth a row
    collection_add_memory(s.c, &m, S("DRAM"), S("empty"));
    m = (struct memory_record){.host_ns = 9, .chip = 1, .address = 0x1000, .bytes = 64};
    collection_add_memory(s.c, &m, S("DRAM"), S("weights, first"));
    dump(&s, true, false);
    STR_IS(text_of(&s, "memory_records.csv"),
           "host time [ns],device id,pool,name,event,address,bytes\n"
           "5,1,Device 1 DRAM,\"weights, first\",alloc,4096,64\n"
           "9,1,Device 1 DRAM,\"weights, first\",free,4096,64\n");
    end(&s);
}

// --- clocks

TEST(times_of_other_chips_are_put_on_the_clock_of_the_first)
{
    struct sample s;
    begin(&s);
    // The second chip runs at twice the clock of the first and started 1000 ns later. The
    // host's time is one of today, of which a double has only every 256th ns.
    const uint64_t now = UINT64_C(1763280000000000105);
    struct clock_model clocks[2] = {{.is_synced = true}, {.is_synced = true}};
    vec_push(&clocks[0].epochs,
             (struct clock_epoch){.cycle = 5000, .host = now, .cycles_per_ns = 1});
    vec_push(&clocks[1].epochs,
             (struct clock_epoch){.cycle = 8000, .host = now, .cycles_per_ns = 2});
    vec_push(&s.c->chips, s.c->chips.v[0]);
    s.c->chips.v[1].id = 1;
    s.c->chips.v[1].riscs = NULL;
    collection_make_health(s.c, &s.c->chips.v[1]);
    s.c->chips.v[0].clock = &clocks[0];
    s.c->chips.v[1].clock = &clocks[1];
    s.c->options.noc_events = true;
    decoder_free(s.decoder);
    s.decoder = decoder_new(s.c);
    struct words w = {0};
    words_program(&w, 0, 3, 7, FW, KERNEL, 10000);
    words_add(s.c, 0, 0, &w)->chip = 1;
    dump(&s, true, false);
    str text = text_of(&s, "noc_trace_dev1_ID7169.json");
    assert_int_equal(1, count(text, "\"timestamp\": 6050,")); // 10100: 1050 ns after
    assert_int_equal(1, count(text, "\"timestamp\": 6400,"));
    words_free(&w);
    clock_model_free(&clocks[0]);
    clock_model_free(&clocks[1]);
    s.c->chips.n = 1;
    end(&s);
}
