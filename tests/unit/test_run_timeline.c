// test_run_timeline.c - what the page of a run shows is what its processes recorded and its
// chips logged, on one axis.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../support/sample_run.h"
#include "analyse/fold/pair.h"
#include "collect/sync/device_clocks.h"
#include "formats/device_log/device_log.h"
#include "formats/host_run/host_run.h"
#include "sample_timeline.h"

// A run by hand, its page, and this page as text.
struct sample_page {
    struct sample_run run;
    bool has_host;
    struct timeline_run page;
    struct notes notes;
    struct sample_timeline read; // with the trace of both
    struct buf text;
};

static void page_start(struct sample_page *s)
{
    *s = (struct sample_page){0};
    sample_run_start(&s->run);
}

static void page_end(struct sample_page *s)
{
    sample_run_free(&s->run);
    sample_timeline_end(&s->read);
    notes_free(&s->notes);
    buf_free(&s->text);
}

static void page_open(struct sample_page *s)
{
    sample_run_write(&s->run);
    s->has_host = true;
}

static void write_page(struct sample_page *s, const char *path)
{
    struct err e = {0};
    struct trace *t = &s->read.trace;
    if (s->has_host && !t->blocks) // behind the devices
        assert_true(host_run_add(t, s->run.path, &e));
    s->page.path = "run";
    s->read.page.trace = t;
    s->read.page.notes = &s->notes;
    s->read.page.run = &s->page;
    assert_true(timeline_write(&s->read.page, path, &e));
}

static void put_bar(struct sample_page *s, const struct sample_bars *b, size_t i,
                    const sample_numbers *sites)
{
    str name = sample_text_at(&s->read, "names", (size_t)sites->v[3 * b->site.v[i]]);
    buf_fill(&s->text, '.', (size_t)b->depth.v[i] / 2);
    buf_printf(&s->text, "%.*s %llu-%llu%s", STR(name), (unsigned long long)b->start.v[i],
               (unsigned long long)(b->start.v[i] + b->duration.v[i]),
               b->depth.v[i] & 1 ? "*" : "");
}

static bool is_chip(const struct sample_page *s, int64_t device)
{
    str rest = sample_value(&s->read, "devices");
    for (int64_t i = 0; i <= device; i++)
        assert_true(str_after(rest, S("\"kind\":"), &rest));
    return str_starts(rest, S("\"chip\""));
}

// "label: zone 10-20 [text], .inner 12-15*\n", a line for each row. A star: had no end.
static str page_text(struct sample_page *s)
{
    char folder[] = "unit-XXXXXX", path[32];
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/page.html", folder);
    struct err e = {0};
    struct file f;
    write_page(s, path);
    assert_true(file_open(path, &f, &e));
    buf_str(&s->read.html, f.text);
    file_close(&f);
    assert_int_equal(0, unlink(path));
    assert_int_equal(0, rmdir(folder));

    sample_numbers counts = {0}, sites = {0}, device = {0};
    struct sample_bars b;
    sample_tracks(&s->read, "zones", &counts);
    sample_tracks(&s->read, "device", &device);
    sample_numbers_of(&s->read, "sites", &sites);
    sample_page_block(&s->read, "zones", counts.v, counts.n, &b);
    str rest = sample_value(&s->read, "tracks");
    for (size_t k = 0, at = 0; k < counts.n; k++) {
        assert_true(str_after(rest, S("\"risc\":\""), &rest));
        str label = str_cut(&rest, '"');
        buf_printf(&s->text, "%.*s:", STR(label));
        for (int64_t i = 0; i < counts.v[k]; i++, at++) {
            buf_z(&s->text, i ? ", " : " ");
            put_bar(s, &b, at, &sites);
            if (!b.more.v[at] || is_chip(s, device.v[k]))
                continue;
            str text = sample_text_at(&s->read, "texts", (size_t)b.more.v[at] - 1);
            buf_printf(&s->text, " [%.*s]", STR(text));
        }
        buf_char(&s->text, '\n');
    }
    sample_bars_free(&b);
    vec_free(&counts);
    vec_free(&sites);
    vec_free(&device);
    return buf_view(&s->text);
}

static bool is_noted(const struct sample_page *s, enum note_level level, const char *part)
{
    for (size_t i = 0; i < s->notes.list.n; i++)
        if (s->notes.list.v[i].level == level &&
            str_has(s->notes.list.v[i].text, str_of(part)))
            return true;
    return false;
}

// --- threads -----------------------------------------------------------------------------

TEST(run_timeline_has_zones_by_start_whatever_the_order_of_their_ends)
{
    struct sample_page s;
    page_start(&s);
    struct sample_process *p = sample_process(&s.run, 100, 1000);
    uint32_t a = sample_location(p, "a", "main", "main.c", 7),
             b = sample_location(p, "b", "main", "main.c", 8);
    struct sample_words w = {0};
    sample_begin(&w, 1010, a); // all begin at one moment
    sample_begin(&w, 1010, b);
    sample_end(&w, 1010); // and this one ends there, too
    sample_begin(&w, 1010, b);
    sample_text(&w, TT_ZONE_TEXT, 1011, 0, "said");
    sample_end(&w, 1015);
    sample_end(&w, 1020);
    sample_begin(&w, 1030, a);
    sample_event(&w, TT_ZONE_VALUE, 1031, 1, (uint64_t)42);
    sample_ring(p, 1, &w);
    page_open(&s);
    STR_IS(page_text(&s),
           "thread 100: a 10-20, .b 10-10, .b 10-15 [said], a 30-31* [value 42]\n");
    assert_true(is_noted(&s, NOTE_WARNING, "without an end"));
    sample_words_free(&w);
    page_end(&s);
}

TEST(run_timeline_zones_with_names_and_colours_of_their_own_have_sites_of_their_own)
{
    struct sample_page s;
    page_start(&s);
    struct sample_process *p = sample_process(&s.run, 100, 0);
    uint32_t a = sample_location(p, "a", "main", "main.c", 7);
    struct sample_words w = {0};
    static const char *const names[] = {"", "x", "y", "x"};
    for (uint64_t i = 0; i < 4; i++) {
        sample_begin(&w, 10 * i, a);
        if (names[i][0])
            sample_text(&w, TT_ZONE_NAME, 10 * i, 0, names[i]);
        sample_end(&w, 10 * i + 5);
    }
    sample_begin(&w, 50, a);
    sample_event(&w, TT_ZONE_COLOUR, 50, 1, (uint64_t)0x123456);
    sample_end(&w, 55);
    sample_ring(p, 1, &w);
    page_open(&s);
    STR_IS(page_text(&s), "thread 100: a 0-5, x 10-15, y 20-25, x 30-35, a 50-55\n");
    sample_numbers sites = {0};
    sample_numbers_of(&s.read, "sites", &sites); // name, line, colour
    assert_int_equal(4 * 3, sites.n);
    assert_int_equal(0x123456, sites.v[11]);
    vec_free(&sites);
    sample_words_free(&w);
    page_end(&s);
}

TEST(run_timeline_leaves_out_and_counts_what_is_too_deep)
{
    struct sample_page s;
    page_start(&s);
    struct sample_process *p = sample_process(&s.run, 100, 0);
    uint32_t a = sample_location(p, "a", "main", "main.c", 7);
    struct sample_words w = {0};
    for (uint64_t i = 0; i < 130; i++)
        sample_begin(&w, i, a);
    for (uint64_t i = 0; i < 130; i++)
        sample_end(&w, 200 + i);
    sample_ring(p, 1, &w);
    page_open(&s);
    str text = page_text(&s);
    assert_true(str_has(text, S(".a 127-202\n")));
    assert_true(is_noted(&s, NOTE_WARNING, "2 zones are nested too deeply"));
    sample_words_free(&w);
    page_end(&s);
}

TEST(run_timeline_shows_only_the_processes_that_are_asked_for)
{
    struct sample_page s;
    page_start(&s);
    for (uint32_t pid = 100; pid < 103; pid++) {
        struct sample_process *p = sample_process(&s.run, pid, pid);
        uint32_t a = sample_location(p, "a", "main", "main.c", 7);
        struct sample_words w = {0};
        sample_begin(&w, 200, a);
        sample_end(&w, 210 + pid);
        sample_ring(p, 1, &w);
        sample_words_free(&w);
    }
    const uint32_t pids[] = {101};
    page_open(&s);
    s.page.pids = pids;
    s.page.n_pids = 1;
    STR_IS(page_text(&s), "thread 101: a 100-211\n");
    page_end(&s);
}

TEST(run_timeline_with_more_zones_than_fit_has_levels_for_the_rest)
{
    enum { ZONES = 400, KEPT = 50 };
    struct sample_page s;
    page_start(&s);
    struct sample_process *p = sample_process(&s.run, 100, 0);
    uint32_t a = sample_location(p, "a", "main", "main.c", 7);
    struct sample_words w = {0};
    for (uint64_t i = 0; i < ZONES; i++) {
        sample_begin(&w, i * i * 10, a);
        sample_end(&w, i * i * 10 + 5);
    }
    struct tt_ring head = sample_ring_head(1);
    head.capacity = 4096;
    head.head = w.v.n;
    sample_ring_as(p, &head, &w);
    page_open(&s);
    s.read.page.max_zones = KEPT;
    (void)page_text(&s);
    sample_numbers kept = {0};
    sample_numbers_of(&s.read, "kept", &kept);
    assert_true(kept.v[0] > 0 && kept.v[0] <= KEPT);
    assert_int_equal(ZONES, kept.v[1]);
    assert_true(str_has(sample_value(&s.read, "kept"), S("--max-zones")));
    // A level counts every zone once.
    sample_numbers spans = {0};
    struct sample_bars b;
    sample_numbers_of(&s.read, "spans", &spans);
    sample_page_block(&s.read, "level0", spans.v, 1, &b);
    uint64_t n = 0;
    for (size_t i = 0; i < b.more.n; i++)
        n += b.more.v[i];
    assert_int_equal(ZONES, n);
    sample_bars_free(&b);
    vec_free(&spans);
    vec_free(&kept);
    sample_words_free(&w);
    page_end(&s);
}

// --- frames, plots, marks ---

TEST(run_timeline_has_frames_between_marks_and_memory_as_a_plot)
{
    struct sample_page s;
    page_start(&s);
    struct sample_process *p = sample_process(&s.run, 100, 0);
    uint64_t tick = sample_string(p, "tick"), load = sample_string(p, "load"),
             pool = sample_string(p, "L1"), speed = sample_string(p, "speed");
    struct sample_words w = {0};
    sample_event(&w, TT_FRAME_MARK, 10, 1, tick);
    sample_event(&w, TT_FRAME_START, 12, 1, load);
    sample_event(&w, TT_ALLOC, 13, 3, (uint64_t)0x10, (uint64_t)100, pool);
    sample_event(&w, TT_FRAME_END, 15, 1, load);
    sample_event(&w, TT_ALLOC, 16, 3, (uint64_t)0x20, (uint64_t)50, pool);
    sample_event(&w, TT_FRAME_MARK, 20, 1, tick);
    sample_event(&w, TT_FREE, 21, 2, (uint64_t)0x10, pool);
    sample_event(&w, TT_FREE, 22, 2, (uint64_t)0x99, pool); // of nothing
    sample_event(&w, TT_PLOT_INT, 25, 2, speed, (uint64_t)-3);
    sample_event(&w, TT_FRAME_START, 30, 1, load);
    sample_text(&w, TT_SIGNPOST, 31, 0, "go\nnow");
    sample_text(&w, TT_MESSAGE, 31, 4U << 24 | 0xABCDEF, "oh </script>");
    sample_ring(p, 1, &w);
    page_open(&s);
    STR_IS(page_text(&s), "thread 100:\n");
    STR_IS(sample_value(&s.read, "frames"),
           "[\n[0,\"tick\",10,20,1],\n[0,\"load\",12,15,1],"
           "\n[0,\"load\",30,31,0]]");
    STR_IS(
        sample_value(&s.read, "marks"),
        "[\n[0,31,1,0,0,\"go\\u000anow\"],\n[0,31,0,4,11259375,\"oh \\u003c/script>\"]]");
    STR_IS(sample_value(&s.read, "plots"),
           "[\n{\"device\":0,\"name\":\"speed\",\"points\":[25,-3.0]},\n"
           "{\"device\":0,\"name\":\"L1 bytes\",\"points\":[13,100.0,16,150.0,21,50.0,22,"
           "50.0]}]");
    sample_words_free(&w);
    page_end(&s);
}

TEST(run_timeline_plots_of_many_points_keep_the_least_and_the_greatest)
{
    enum { POINTS = 100000 };
    struct sample_page s;
    page_start(&s);
    struct sample_process *p = sample_process(&s.run, 100, 0);
    uint64_t speed = sample_string(p, "speed");
    struct sample_words w = {0};
    for (uint64_t i = 0; i < POINTS; i++)
        sample_event(&w, TT_PLOT_INT, i, 2, speed, i == 77777 ? (uint64_t)99999 : i % 10);
    struct tt_ring head = sample_ring_head(1);
    head.capacity = 1 << 19;
    head.head = w.v.n;
    sample_ring_as(p, &head, &w);
    page_open(&s);
    (void)page_text(&s);
    str plot = sample_value(&s.read, "points");
    sample_numbers n = {0};
    sample_numbers_of(&s.read, "points", &n);
    assert_true(n.n < 2 * 2 * 20004 + 10 && n.n > 20000);
    assert_true(str_has(plot, S(",77777,99999.0,")));
    vec_free(&n);
    sample_words_free(&w);
    page_end(&s);
}

// --- processes ---------------------------------------------------------------------------

TEST(run_timeline_has_a_row_for_each_process_below_its_parent)
{
    struct sample_page s;
    page_start(&s);
    sample_log(&s.run, "start\t1000\t10\t1\t5\t/bin/sh\tsh\t-c\tx");
    sample_log(&s.run, "fork\t1100\t11\t2\t10");
    sample_log(&s.run, "start\t1200\t12\t3\t10\t/usr/bin/cc\tcc");
    sample_log(&s.run, "start\t1300\t13\t4\t11\t/usr/bin/ld\tld");
    sample_log(&s.run, "exit\t1400\t12\t3\t1");
    sample_log(&s.run, "ended\t1500\t11\t2\t9\t10");
    sample_log(&s.run, "exit\t2000\t10\t1\t0");
    page_open(&s);
    STR_IS(page_text(&s),
           "sh 10: sh 0-1000 [sh -c x\\u000apid 10\\u000aexited with 0]\n"
           "  sh 11: sh 100-500 [pid 11\\u000aended by signal 9]\n"
           "    ld 13: ld 300-1000* [ld\\u000apid 13\\u000aend unknown]\n"
           "  cc 12: cc 200-400 [cc\\u000apid 12\\u000aexited with 1]\n");
    page_end(&s);
}

// --- chips -------------------------------------------------------------------------------

static void put_log(struct sample_page *s, const char *rows)
{
    struct sample_timeline *r = &s->read;
    struct err e = {0};
    buf_printf(
        &r->log,
        "ARCH: wormhole_b0, CHIP_FREQ[MHz]: 500, Max Compute Cores: 64\n"
        "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since "
        "reset], data, run host ID, trace id, trace id counter, zone name, type, "
        "source line, source file, meta data\n%s",
        rows);
    assert_true(device_log_read_text(&r->trace, buf_view(&r->log), "log.csv", &e));
    pair_zones(&r->trace);
    device_ops_find(&r->ops, &r->trace);
    r->page.ops = &r->ops;
}

static const char two_chips[] =
    "1,1,1,BRISC,1,10,0,1024,,,k,ZONE_START,5,a.cc,\n"
    "1,1,1,BRISC,1,30,0,1024,,,k,ZONE_END,5,a.cc,\n"
    "0,1,1,BRISC,1,1000,0,1024,,,k,ZONE_START,5,a.cc,\n"
    "0,1,1,BRISC,1,1050,0,1024,,,k,ZONE_END,5,a.cc,\n";

static void put_clock(struct device_clocks *c, int64_t chip, uint64_t cycle, uint64_t host,
                      bool is_synced)
{
    struct device_clock k = {.chip = chip, .model = {.nominal = 0.5}};
    struct clock_epoch e = {.cycle = cycle,
                            .host = host,
                            .cycles_per_ns = 0.5,
                            .error_ns = is_synced ? 12 : (double)INFINITY,
                            .reach_ns = 1e6};
    vec_push(&k.model.epochs, e);
    k.model.is_synced = is_synced;
    vec_push(&c->chips, k);
}

TEST(run_timeline_puts_chips_where_their_clock_models_say)
{
    struct sample_page s;
    struct device_clocks c = {.pid = 100};
    page_start(&s);
    struct sample_process *p = sample_process(&s.run, 100, 5000);
    uint32_t a = sample_location(p, "launch", "main", "main.c", 7);
    struct sample_words w = {0};
    sample_begin(&w, 5100, a);
    sample_end(&w, 5400);
    sample_ring(p, 1, &w);
    page_open(&s);
    put_log(&s, two_chips);
    put_clock(&c, 0, 900, 4950, true); // cycle 1000 is 200 ns later: at 150 on the axis
    put_clock(&c, 1, 0, 5130, true);
    device_clocks_attach(&c, &s.read.trace, 0);
    STR_IS(page_text(&s),
           "thread 100: launch 100-400\n"
           "BRISC: k 150-250\n"
           "BRISC: k 150-190\n");
    STR_IS(sample_value(&s.read, "runs"),
           "[\n[2,1024,-1,-1,150,190,0],\n[1,1024,-1,-1,150,250,0]]");
    assert_true(is_noted(&s, NOTE_INFO,
                         "Device 1 is aligned with the host: its times are "
                         "within 12 ns"));
    assert_false(is_noted(&s, NOTE_WARNING, "not aligned"));
    device_clocks_free(&c);
    sample_words_free(&w);
    page_end(&s);
}

TEST(run_timeline_takes_the_clock_of_the_program_from_its_process)
{
    struct sample_page s;
    struct device_clocks c = {.pid = 100, .is_program_clock = true};
    page_start(&s);
    struct sample_process *p = sample_process(&s.run, 100, 5000);
    sample_clock(p, 2, TT_CLOCK_PROGRAM);
    sample_pair(p, 2, 70, 5300); // the program's clock shows 70 at 300 on the axis
    uint32_t a = sample_location(p, "launch", "main", "main.c", 7);
    struct sample_words w = {0};
    sample_event(&w, TT_CLOCK, 5300, 1, (uint64_t)2);
    sample_begin(&w, 80, a);
    sample_end(&w, 380);
    sample_ring(p, 1, &w);
    page_open(&s);
    put_log(&s, two_chips);
    put_clock(&c, 0, 1000, 100, true);
    put_clock(&c, 1, 10, 120, false); // roughly there, but nobody knows how well
    device_clocks_attach(&c, &s.read.trace, 0);
    STR_IS(page_text(&s),
           "thread 100: launch 310-610\n"
           "BRISC: k 330-430\n"
           "BRISC: k 350-390\n");
    assert_true(is_noted(&s, NOTE_WARNING, "Device 1 is not aligned with the host"));
    assert_true(is_noted(&s, NOTE_WARNING, "--sync-host-device"));
    assert_true(is_noted(&s, NOTE_INFO, "Process 100 used the clock of a software device"));
    assert_false(is_noted(&s, NOTE_WARNING, "Device 0"));
    device_clocks_free(&c);
    sample_words_free(&w);
    page_end(&s);
}

TEST(run_timeline_without_a_host_begins_with_the_first_marker)
{
    struct sample_page s;
    struct device_clocks c = {.pid = 100, .is_program_clock = true};
    page_start(&s);
    put_log(&s, two_chips);
    put_clock(&c, 0, 1000, 700, true);
    put_clock(&c, 1, 10, 600, true);
    device_clocks_attach(&c, &s.read.trace, 0);
    STR_IS(page_text(&s), "BRISC: k 100-200\nBRISC: k 0-40\n");
    // Without clocks each chip begins by itself, at the frequency of the log.
    device_clocks_attach(&(struct device_clocks){0}, &s.read.trace, 0);
    s.text.n = s.read.html.n = 0;
    STR_IS(page_text(&s), "BRISC: k 0-100\nBRISC: k 0-40\n");
    assert_true(is_noted(&s, NOTE_WARNING, "Device 0 is not aligned"));
    device_clocks_free(&c);
    page_end(&s);
}

TEST(run_timeline_of_nothing_is_a_page)
{
    struct sample_page s;
    page_start(&s);
    page_open(&s);
    char folder[] = "unit-XXXXXX", path[32];
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/page.html", folder);
    write_page(&s, path);
    assert_int_equal(0, unlink(path));
    assert_int_equal(0, rmdir(folder));
    page_end(&s);
}
