// test_health.c - profiler_health.json: its shape and its counts.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../support/device_run.h"
#include "../support/memory_file.h"
#include "analyse/diags.h"
#include "formats/device_log/device_log.h"
#include "formats/diags.h"
#include "profiler/health.h"
#include "test.h"

// A log, and the file that was made of it.
struct written {
    struct device_run run;
    struct file text;
};

// The file is gone before anything is looked at: what is open stays readable.
static void write_again(struct written *w)
{
    char folder[] = "/tmp/ttprof-health-XXXXXX", path[sizeof folder + 16];
    struct err e = {0};
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/health.json", folder);
    bool ok = health_write_log(&w->run.trace, &w->run.ops, path, &e) &&
              file_open(path, &w->text, &e);
    (void)unlink(path);
    (void)rmdir(folder);
    if (!ok)
        print_error("%s\n", e.text);
    assert_true(ok);
}

static void write_health(struct written *w, str log)
{
    *w = (struct written){0};
    assert_true(device_run_read(&w->run, log));
    pair_zones(&w->run.trace);
    device_ops_find(&w->run.ops, &w->run.trace);
    write_again(w);
}

static void written_free(struct written *w)
{
    file_close(&w->text);
    device_run_free(&w->run);
}

#define ROW(track, id, time, run, name, type)                                              \
    track "," #id "," #time ",0," #run ",,," name "," type ",1,a.cc,\n"
#define CLEAN(track, run, from, to)                                                        \
    ROW(track, 7, from, run, "BRISC-FW", "ZONE_START")                                     \
    ROW(track, 7, to, run, "BRISC-FW", "ZONE_END")
#define TOP "{\"ttprof\":\"" TTPROF_VERSION "\",\"log\":\"log.csv\",\"readouts\":null,"
// What a log does not say.
#define OF_DEVICES                                                                         \
    "\"l1_dropped\":null,\"dram_dropped\":null,\"counts_losses\":null,"                    \
    "\"lossy\":null,\"unknown_replays\":null,\"aligned_with_host\":null,"                  \
    "\"programs_not_started\":null,\"queue_drains\":null,\"flushes\":null,\"flush_cycles\":null,\"flush_max\":null,"
// One log names no process.
#define NO_PROCESS "\"pid\":null,\"attachment\":null,"
// The counts of a RISC, of which a log has three.
#define OF_RISC(starts, ends, duplicates)                                                  \
    "\"l1_dropped\":null,\"dram_dropped\":null,\"first_drop\":null,"                       \
    "\"unknown_ids\":null,\"orphan_starts\":" #starts ",\"orphan_ends\":" #ends            \
    ",\"foreign\":null,\"bad_types\":null,\"truncated\":null,\"resyncs\":null,"            \
    "\"duplicates\":" #duplicates                                                          \
    ",\"bad_events\":null,\"stalls\":null,\"stall_ns\":null,"                              \
    "\"lossy\":null,"

TEST(the_health_of_a_clean_log_is_a_few_totals)
{
    struct written w;
    // clang-format off
    write_health(&w, S(LOG_HEAD
                       CLEAN("0,1,1,BRISC", 1024, 10, 20)
                       CLEAN("0,2,1,BRISC", 1024, 11, 21)
                       CLEAN("0,2,1,BRISC", 0, 50, 60)
                       CLEAN("1,1,1,BRISC", 1025, 30, 40)));
    // clang-format on
    STR_IS(
        w.text.text, TOP
        "\"rows\":8,\"markers\":8,\"zones\":4,\"ops\":2,\"incomplete_ops\":0," OF_DEVICES
        "\"odd\":0,\n"
        "\"findings\":[],\n"
        "\"tracks\":[],\n"
        "\"without_findings\":{\"tracks\":3,\"markers\":8,\"zones\":4},\n\"cores\":[]}\n");
    written_free(&w);
}

TEST(the_health_of_a_log_without_rows_is_well_formed)
{
    struct written w;
    write_health(&w, S(LOG_HEAD));
    STR_IS(
        w.text.text, TOP
        "\"rows\":0,\"markers\":0,\"zones\":0,\"ops\":0,\"incomplete_ops\":0," OF_DEVICES
        "\"odd\":0,\n"
        "\"findings\":[],\n"
        "\"tracks\":[],\n"
        "\"without_findings\":{\"tracks\":0,\"markers\":0,\"zones\":0},\n\"cores\":[]}\n");
    written_free(&w);
}

static str between(str s, const char *from, const char *to)
{
    str rest;
    assert_true(str_after(s, str_of(from), &rest));
    size_t end = str_find(rest, str_of(to));
    assert_true(end != STR_NOT_FOUND);
    return (str){rest.p, end};
}

TEST(findings_tell_kind_count_first_place_and_remedy)
{
    struct written w;
    // clang-format off
    write_health(&w, S(LOG_HEAD
                       ROW("0,1,1,NCRISC", 5, 10, 0, "X", "ZONE_END")
                       ROW("0,1,1,NCRISC", 5, 20, 0, "X", "ZONE_END")
                       ROW("0,2,1,NCRISC", 5, 30, 0, "X", "ZONE_END")
                       CLEAN("0,3,1,BRISC", 1024, 10, 20)
                       "junk\n"
                       ROW("0,3,1,BRISC", 6, 15, 1024, "E", "TS_EVENT")));
    // clang-format on
    str text = w.text.text;
    struct buf want = {0};
    buf_printf(
        &want,
        "\n{\"kind\":\"row-damaged\",\"count\":1,\"first\":\"log.csv: line 8: junk\","
        "\"what\":\"%s\",\"remedy\":\"%s\"},"
        "\n{\"kind\":\"time-went-back\",\"count\":1,\"first\":\"log.csv: line 9: "
        "BRISC\",\"what\":\"%s\",\"remedy\":\"%s\"},"
        "\n{\"kind\":\"end-without-start\",\"count\":3,\"first\":\"log.csv: line 3: "
        "X\",\"what\":\"%s\",\"remedy\":\"%s\"}",
        diag_what(DIAG_ROW_DAMAGED), diag_remedy(DIAG_ROW_DAMAGED),
        diag_what(DIAG_TIME_WENT_BACK), diag_remedy(DIAG_TIME_WENT_BACK),
        diag_what(DIAG_END_WITHOUT_START), diag_remedy(DIAG_END_WITHOUT_START));
    test_str_is(between(text, "\"findings\":[", "],\n\"tracks\""), buf_view(&want),
                __FILE__, __LINE__);
    STR_IS(between(text, "\"tracks\":[", "],\n\"without_findings\""),
           "\n{" NO_PROCESS "\"chip\":0,\"core_x\":1,\"core_y\":1,\"risc\":\"NCRISC\",\"markers\":2,"
           "\"zones\":0," OF_RISC(0, 2, 0) "\"findings\":{\"end-without-start\":{\"count\":2,\"first_line\":3}}},"
           "\n{" NO_PROCESS "\"chip\":0,\"core_x\":2,\"core_y\":1,\"risc\":\"NCRISC\",\"markers\":1,"
           "\"zones\":0," OF_RISC(0, 1, 0) "\"findings\":{\"end-without-start\":{\"count\":1,\"first_line\":5}}},"
           "\n{" NO_PROCESS "\"chip\":0,\"core_x\":3,\"core_y\":1,\"risc\":\"BRISC\",\"markers\":3,"
           "\"zones\":1," OF_RISC(0, 0, 0) "\"findings\":{\"time-went-back\":{\"count\":1,\"first_line\":9}}}");
    STR_IS(between(text, "\"without_findings\":", "\n"),
           "{\"tracks\":0,\"markers\":0,\"zones\":0},");
    STR_IS(between(text, "\"rows\":", ",\""), "7");
    STR_IS(between(text, "\"odd\":", ",\n"), "5");
    buf_free(&want);
    written_free(&w);
}

TEST(a_track_holds_each_kind_once_whatever_the_order_of_the_findings)
{
    enum { TRACKS = 90 };
    struct written w;
    struct buf log = {0};
    buf_z(&log, LOG_HEAD);
    for (int i = 0; i < TRACKS; i++)
        buf_printf(&log, "0,%d,1,BRISC,7,%d,0,0,,,X,TS_EVENT,1,a.cc,\n", i, 100 + i);
    write_health(&w, buf_view(&log));
    for (uint32_t turn = 0; turn < 3; turn++)
        for (uint32_t track = 0; track < TRACKS; track++)
            for (int kind = ANALYSE_DIAGS_END; kind-- > DIAG_TOO_DEEP;)
                trace_odd(&w.run.trace, track, kind, track + 1, turn * 1000 + track + 1,
                          S("what"));
    file_close(&w.text);
    write_again(&w);
    str tracks = between(w.text.text, "\"tracks\":[", "],\n");
    for (uint32_t track = 0; track < TRACKS; track++) {
        (void)str_cut(&tracks, '\n');
        str line = tracks;
        line = str_cut(&line, '\n');
        for (int kind = DIAG_TOO_DEEP; kind < ANALYSE_DIAGS_END; kind++) {
            struct buf want = {0};
            str rest;
            buf_printf(&want, "\"%s\":{\"count\":%u,\"first_line\":%u}", diag_name(kind),
                       3 * (track + 1), track + 1);
            assert_true(str_after(line, buf_view(&want), &rest));
            assert_false(str_has(rest, buf_view(&want)));
            buf_free(&want);
        }
    }
    STR_IS(between(w.text.text, "\"without_findings\":", "\n"),
           "{\"tracks\":0,\"markers\":0,\"zones\":0},");
    buf_free(&log);
    written_free(&w);
}

TEST(incomplete_ops_are_counted)
{
    struct written w;
    write_health(&w, S(LOG_HEAD CLEAN("0,1,1,BRISC", 1024, 10, 20)
                           ROW("0,1,1,BRISC", 7, 30, 2048, "BRISC-FW", "ZONE_START")));
    STR_IS(between(w.text.text, "\"ops\":", ",\"l1_dropped\""), "2,\"incomplete_ops\":1");
    assert_true(str_has(w.text.text, S("{\"kind\":\"op-incomplete\",\"count\":1,\"first\":"
                                       "\"log.csv: device 0: op 2048\"")));
    written_free(&w);
}

TEST(tracks_of_several_logs_name_their_process_and_attachment)
{
    static const char odd[] = LOG_HEAD ROW("0,1,1,BRISC", 5, 10, 0, "X", "ZONE_END");
    struct memory_file file[3];
    static const struct log_part from[] = {
        {NULL, 11, 1, 0, 0}, {NULL, 22, 1, 0, 0}, {NULL, 22, 2, 0, 0}};
    struct log_part parts[3];
    struct written w = {0};
    struct err e = {0};
    for (size_t i = 0; i < 3; i++) {
        file[i] = memory_file_make(str_of(odd));
        parts[i] = from[i];
        parts[i].path = file[i].path;
    }
    assert_true(device_logs_read(&w.run.trace, parts, 3, &e));
    pair_zones(&w.run.trace);
    write_again(&w);
    str tracks = between(w.text.text, "\"tracks\":[", "],\n\"without_findings\"");
    static const char *const want[] = {"{\"pid\":11,\"attachment\":1,\"chip\":0,",
                                       "{\"pid\":22,\"attachment\":1,\"chip\":0,",
                                       "{\"pid\":22,\"attachment\":2,\"chip\":0,"};
    for (size_t i = 0; i < 3; i++)
        assert_true(str_after(tracks, str_of(want[i]), &tracks));
    assert_false(str_has(tracks, S("\"pid\"")));
    written_free(&w);
    for (size_t i = 0; i < 3; i++)
        memory_file_free(&file[i]);
}

TEST(names_from_the_log_cannot_break_the_document)
{
    struct written w;
    write_health(&w, S(LOG_HEAD ROW("0,1,1,B\"\\<\1RISC", 5, 10, 0, "X", "ZONE_END")));
    assert_true(str_has(w.text.text, S("\"risc\":\"B\\\"\\\\\\u003c\\u0001RISC\"")));
    written_free(&w);
}

TEST(a_health_file_that_cannot_be_written_is_an_error)
{
    struct written w;
    struct err e = {0};
    write_health(&w, S(LOG_HEAD));
    assert_false(health_write_log(&w.run.trace, &w.run.ops, "/nosuch/folder/x.json", &e));
    assert_int_equal(ERR_IO, e.code);
    written_free(&w);
}
