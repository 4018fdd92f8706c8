// test_host_zones.c - statistics of host zones, and the forms of csvexport.
#include <stdio.h>
#include <stdlib.h>

#include "base/file/file.h"

#include "../support/sample_run.h"
#include "analyse/host/host_zones.h"
#include "formats/host_run/host_run.h"
#include "present/reports/zones_csv.h"
#include "test.h"

// Two processes. In the first: outer 100-1100 around three inner ones of 100, 200 and 400,
// and another inner of 1000 on a second thread; in the second: inner of 5 s and one of 0.
struct scene {
    struct sample_run s;
    struct trace r;
};

static void add_first(struct sample_run *s)
{
    struct sample_process *p = sample_process(s, 100, 1000);
    uint32_t outer = sample_location(p, "outer", "main", "src/main.c", 10);
    uint32_t inner = sample_location(p, "inner, too", "work", "src/main.c", 20);
    struct sample_words w = {0};
    sample_text(&w, TT_SIGNPOST, 1050, 0, "go\nwith a `tick`");
    sample_begin(&w, 1100, outer);
    sample_begin(&w, 1200, inner);
    sample_text(&w, TT_ZONE_TEXT, 1210, 0, "say \"a\"");
    sample_end(&w, 1300);
    sample_begin(&w, 1400, inner);
    sample_text(&w, TT_ZONE_NAME, 1410, 0, "second");
    sample_end(&w, 1600);
    sample_begin(&w, 1600, inner);
    sample_event(&w, TT_ZONE_VALUE, 1610, 1, UINT64_C(255));
    sample_end(&w, 2000);
    sample_text(&w, TT_ZONE_TEXT, 2050, 0, "id:7"); // of outer, when all inside is over
    sample_end(&w, 2100);
    sample_ring(p, 1, &w);
    w.v.n = 0;
    sample_thread(p, 2, 102, "worker");
    sample_begin(&w, 3000, inner);
    sample_text(&w, TT_MESSAGE, 1040, 0, "plain;text");
    sample_end(&w, 4000);
    sample_text(&w, TT_OP, 4500, 0, "{\"op\": 1}");
    sample_ring(p, 2, &w);
    sample_words_free(&w);
}

static void add_second(struct sample_run *s)
{
    struct sample_process *p = sample_process(s, 200, 1500);
    uint32_t inner = sample_location(p, "inner, too", "work", "src/main.c", 20);
    struct sample_words w = {0};
    sample_begin(&w, 2000, inner);
    sample_end(&w, 2000);
    sample_begin(&w, 3000, inner);
    sample_end(&w, 5000003000);
    sample_begin(&w, 5000010000, inner);
    sample_block(p, 1, 0, &w);
    sample_words_free(&w);
    sample_log(s, "start\t1000\t100\t7100\t1\t/bin/app\tapp");
    sample_log(s, "start\t1500\t200\t7200\t100\t/bin/app\tapp");
    sample_log(s, "rank\t1500\t200\t7200\t3\t4\tOMPI_COMM_WORLD_RANK");
    sample_log(s, "ended\t10000001000\t200\t7200\t0\t100");
}

static void scene_start(struct scene *c)
{
    struct err e = {0};
    *c = (struct scene){0};
    sample_run_start(&c->s);
    add_first(&c->s);
    add_second(&c->s);
    sample_run_write(&c->s);
    if (!host_run_open(&c->r, c->s.path, &e))
        fail_msg("%s", e.text);
}

static void scene_end(struct scene *c)
{
    trace_free(&c->r);
    sample_run_free(&c->s);
}

static struct zone_choice all_zones(void)
{
    return (struct zone_choice){
        .pid = -1, .rank = -1, .percentiles = {0, 50, 90, 100}, .n_percentiles = 4};
}

// --- statistics ------------------------------------------------------------------------

TEST(zone_stats_count_each_place)
{
    struct scene c;
    scene_start(&c);
    struct zone_stats s;
    struct zone_choice choice = all_zones();
    zone_stats_make(&s, &c.r, &choice);
    assert_int_equal(s.rows.n, 2);
    const struct zone_row *outer = &s.rows.v[0], *inner = &s.rows.v[1];
    assert_int_equal(outer->count, 1);
    assert_int_equal(outer->total, 1000);
    assert_int_equal(outer->self, 300);
    REAL_IS(outer->std, 0);
    REAL_IS(outer->percentiles[2], 1000);
    // 0, 100, 200, 400, 1000 and 5 s; the one without an end is told apart.
    assert_int_equal(inner->count, 6);
    assert_int_equal(inner->n_open, 1);
    assert_int_equal(inner->total, 5000001700);
    assert_int_equal(inner->min, 0);
    assert_int_equal(inner->max, 5000000000);
    REAL_IS(inner->percentiles[0], 0);
    REAL_IS(inner->percentiles[1], 300);
    REAL_IS(inner->percentiles[2], 2500000500);
    REAL_IS(inner->percentiles[3], 5000000000);
    REAL_IS(inner->mean, 5000001700.0 / 6);
    zone_stats_free(&s);
    scene_end(&c);
}

TEST(zone_stats_have_the_deviation_of_a_sample)
{
    struct scene c;
    scene_start(&c);
    struct zone_stats s;
    struct zone_choice choice = all_zones();
    choice.pid = 100;
    choice.name = S("INNER");
    zone_stats_make(&s, &c.r, &choice);
    assert_int_equal(s.rows.n, 1);
    // 100, 200, 400, 1000: mean 425
    assert_true(s.rows.v[0].std > 403.112 && s.rows.v[0].std < 403.113);
    zone_stats_free(&s);
    choice.is_exact_case = true;
    zone_stats_make(&s, &c.r, &choice);
    assert_int_equal(s.rows.n, 0);
    zone_stats_free(&s);
    scene_end(&c);
}

TEST(zone_stats_take_self_times_and_open_zones_where_asked)
{
    struct scene c;
    scene_start(&c);
    struct zone_stats s;
    struct zone_choice choice = all_zones();
    choice.is_self = choice.with_open = true;
    zone_stats_make(&s, &c.r, &choice);
    assert_int_equal(s.rows.v[0].min, 300);
    REAL_IS(s.rows.v[0].mean, 300);
    assert_int_equal(s.rows.v[0].total, 1000);
    // From 5.00001 s until the process ended at 10.000001 s.
    assert_int_equal(s.rows.v[1].count, 7);
    assert_int_equal(s.rows.v[1].total, 5000001700 + UINT64_C(4999991000));
    zone_stats_free(&s);
    scene_end(&c);
}

TEST(zone_stats_are_told_apart_by_thread_process_and_rank)
{
    struct scene c;
    scene_start(&c);
    struct zone_stats s;
    struct zone_choice choice = all_zones();
    choice.by = ZONES_BY_THREAD;
    zone_stats_make(&s, &c.r, &choice);
    assert_int_equal(s.rows.n, 4);
    assert_int_equal(s.rows.v[1].total, 700);
    assert_int_equal(s.rows.v[2].total, 1000);
    assert_int_equal(s.rows.v[2].track, 1);
    assert_int_equal(s.rows.v[3].process, 1);
    zone_stats_free(&s);
    choice.by = ZONES_BY_PROCESS;
    zone_stats_make(&s, &c.r, &choice);
    assert_int_equal(s.rows.n, 3);
    assert_int_equal(s.rows.v[1].total, 1700);
    assert_int_equal(s.rows.v[2].process, 1);
    zone_stats_free(&s);
    choice.by = ZONES_BY_PLACE;
    choice.rank = 3;
    zone_stats_make(&s, &c.r, &choice);
    assert_int_equal(s.rows.n, 1);
    assert_int_equal(s.rows.v[0].count, 2);
    zone_stats_free(&s);
    scene_end(&c);
}

static void check_same_row(const struct zone_row *a, const struct zone_row *b)
{
    assert_memory_equal(a, b, sizeof *a);
}

// Many tracks, lengths of all sizes.
TEST(zone_stats_do_not_depend_on_threads)
{
    struct sample_run run;
    struct trace r;
    struct err e = {0};
    sample_run_start(&run);
    uint64_t seed = 1;
    for (uint32_t pid = 1; pid <= 3; pid++) {
        struct sample_process *p = sample_process(&run, pid, 1000);
        uint32_t place[4];
        for (int i = 0; i < 4; i++)
            place[i] = sample_location(p, "zone", "f", "f.c", (uint32_t)i);
        for (uint32_t t = 2; t < 6; t++) {
            struct sample_words w = {0};
            uint64_t time = 2000;
            sample_thread(p, t, 10 * pid + t, NULL);
            for (int i = 0; i < 2000; i++) {
                seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
                sample_begin(&w, time, place[seed >> 62]);
                time += seed >> (20 + (seed >> 33) % 40);
                sample_end(&w, time);
            }
            sample_block(p, t, 0, &w);
            sample_words_free(&w);
        }
    }
    sample_run_write(&run);
    assert_true(host_run_open(&r, run.path, &e));
    struct zone_stats one, three;
    struct zone_choice choice = all_zones();
    choice.truncate_at = 90;
    for (int by = ZONES_BY_PLACE; by <= ZONES_BY_THREAD; by++) {
        choice.by = (enum zones_by)by;
        (void)setenv("TTPROF_THREADS", "1", 1);
        zone_stats_make(&one, &r, &choice);
        (void)setenv("TTPROF_THREADS", "3", 1);
        zone_stats_make(&three, &r, &choice);
        (void)unsetenv("TTPROF_THREADS");
        assert_int_equal(one.rows.n, by == ZONES_BY_PLACE     ? 4
                                     : by == ZONES_BY_PROCESS ? 12
                                                              : 48);
        assert_int_equal(one.rows.n, three.rows.n);
        for (size_t i = 0; i < one.rows.n; i++)
            check_same_row(&one.rows.v[i], &three.rows.v[i]);
        assert_int_equal(one.n_zones, 24000);
        zone_stats_free(&one);
        zone_stats_free(&three);
    }
    trace_free(&r);
    sample_run_free(&run);
}

// --- the forms of csvexport ------------------------------------------------------------

typedef bool csv_fn(const struct trace *r, const struct zones_csv *form, const char *path,
                    struct err *e);

#define CSV_IS(scene, write, form, literal)                                                \
    csv_is((scene), (write), (form), S(literal), __FILE__, __LINE__)

static void csv_is(const struct scene *c, csv_fn *write, const struct zones_csv *form,
                   str want, const char *file, int line)
{
    char path[256];
    struct err e = {0};
    struct file f;
    (void)snprintf(path, sizeof path, "%s/out.csv", c->s.path);
    if (!write(&c->r, form, path, &e) || !file_open(path, &f, &e))
        fail_msg("%s", e.text);
    test_str_is(f.text, want, file, line);
    file_close(&f);
}

TEST(zones_csv_has_statistics_in_the_columns_of_csvexport)
{
    struct scene c;
    scene_start(&c);
    struct zones_csv form = zones_csv_default();
    form.choice.pid = 100;
    CSV_IS(
        &c, zones_csv_statistics, &form,
        "name,src_file,src_line,total_ns,total_perc,counts,mean_ns,min_ns,max_ns,std_ns\n"
        "outer,src/main.c,10,1000,0.000010,1,1000,1000,1000,0.000000\n"
        "\"inner, too\",src/main.c,20,1700,0.000017,4,425,100,1000,403.112887\n");
    form.choice.is_self = true;
    form.choice.truncate_at = 50;
    form.separator = ";";
    CSV_IS(&c, zones_csv_statistics, &form,
           "name;src_file;src_line;total_ns;total_perc;counts;mean_ns;min_ns;max_ns;std_ns;"
           "percentile_ns;truncated_mean_ns\n"
           "outer;src/main.c;10;300;0.000003;1;300;300;300;0.000000;300;300\n"
           "inner, too;src/main.c;20;1700;0.000017;4;425;100;1000;403.112887;300;150\n");
    scene_end(&c);
}

TEST(zones_csv_unwraps_zones_by_place_track_and_start)
{
    struct scene c;
    scene_start(&c);
    struct zones_csv form = zones_csv_default();
    CSV_IS(&c, zones_csv_unwrapped, &form,
           "name,src_file,src_line,zone_name,zone_text,ns_since_start,exec_time_ns,thread,"
           "special_parent_text\n"
           "outer,src/main.c,10,,\"id:7\",100,1000,1,\n"
           "\"inner, too\",src/main.c,20,,\"say \"\"a\"\"\",200,100,1,\n"
           "\"inner, too\",src/main.c,20,second,\"\",400,200,1,\n"
           "\"inner, too\",src/main.c,20,,\"255 [0xff]\",600,400,1,\n"
           "\"inner, too\",src/main.c,20,,\"\",2000,1000,2,\n"
           "\"inner, too\",src/main.c,20,,\"\",2000,5000000000,3,\n");
    form.is_upstream = true;
    form.choice.pid = 100;
    form.choice.name = S("outer");
    form.choice.is_self = true;
    CSV_IS(&c, zones_csv_unwrapped, &form,
           "name,src_file,src_line,ns_since_start,exec_time_ns,thread,value\n"
           "outer,src/main.c,10,100,300,100,id:7\n");
    scene_end(&c);
}

TEST(zones_csv_tells_children_the_text_that_their_parent_ends_with)
{
    struct scene c;
    scene_start(&c);
    struct zones_csv form = zones_csv_default();
    form.parent = "out";
    form.children = "nothing,inner";
    form.choice.pid = 100;
    form.separator = ";";
    // A part of the name is not enough for a child.
    CSV_IS(&c, zones_csv_unwrapped, &form,
           "name;src_file;src_line;zone_name;zone_text;ns_since_start;exec_time_ns;thread;"
           "special_parent_text\n"
           "outer;src/main.c;10;;\"id:7\";100;1000;1;\n"
           "inner, too;src/main.c;20;;\"say \"\"a\"\"\";200;100;1;\n"
           "inner, too;src/main.c;20;second;\"\";400;200;1;\n"
           "inner, too;src/main.c;20;;\"255 [0xff]\";600;400;1;\n"
           "inner, too;src/main.c;20;;\"\";2000;1000;2;\n");
    form.is_own_parent = true;
    form.choice.name = S("outer");
    CSV_IS(&c, zones_csv_unwrapped, &form,
           "name;src_file;src_line;zone_name;zone_text;ns_since_start;exec_time_ns;thread;"
           "special_parent_text\n"
           "outer;src/main.c;10;;\"id:7\";100;1000;1;id:7\n");
    scene_end(&c);
}

TEST(zones_csv_is_as_the_reference_where_asked)
{
    struct sample_run s;
    struct scene c = {0};
    struct err e = {0};
    sample_run_start(&s);
    struct sample_process *p = sample_process(&s, 100, 1000);
    uint32_t op = sample_location(p, "TT_DNN_DEVICE_OP", "op", "op.c", 1);
    uint32_t child = sample_location(p, "CompileProgram", "compile", "op.c", 2);
    struct sample_words w = {0};
    for (uint64_t i = 0; i < 2; i++) {
        sample_begin(&w, 2000 + 1000 * i, op);
        sample_begin(&w, 2100 + 1000 * i, child);
        sample_end(&w, 2200 + 1000 * i);
        if (i == 0)
            sample_text(&w, TT_ZONE_TEXT, 2300, 0, "id:1024");
        sample_end(&w, 2400 + 1000 * i);
    }
    sample_begin(&w, 5000, child); // outside of any op
    sample_end(&w, 5100);
    sample_ring(p, 1, &w);
    sample_run_write(&s);
    c.s = s;
    assert_true(host_run_open(&c.r, s.path, &e));
    struct zones_csv form = zones_csv_default();
    form.parent = "TT_";
    form.children = "HWCommandQueue_write_buffer,CompileProgram";
    CSV_IS(&c, zones_csv_unwrapped, &form,
           "name,src_file,src_line,zone_name,zone_text,ns_since_start,exec_time_ns,thread,"
           "special_parent_text\n"
           "TT_DNN_DEVICE_OP,op.c,1,,\"id:1024\",1000,400,1,\n"
           "TT_DNN_DEVICE_OP,op.c,1,,\"\",2000,400,1,\n"
           "CompileProgram,op.c,2,,\"\",1100,100,1,id:1024\n"
           "CompileProgram,op.c,2,,\"\",2100,100,1,\n"
           "CompileProgram,op.c,2,,\"\",4000,100,1,\n");
    form.is_compatible = true;
    CSV_IS(&c, zones_csv_unwrapped, &form,
           "name,src_file,src_line,zone_name,zone_text,ns_since_start,exec_time_ns,thread,"
           "special_parent_text\n"
           "TT_DNN_DEVICE_OP,op.c,1,,\"id:1024\",1000,400,1,\n"
           "TT_DNN_DEVICE_OP,op.c,1,,\"id:1024\",2000,400,1,\n"
           "CompileProgram,op.c,2,,,1100,100,1,id:1024\n"
           "CompileProgram,op.c,2,,,2100,100,1,id:1024\n"
           "CompileProgram,op.c,2,,,4000,100,1,id:1024\n");
    CSV_IS(&c, zones_csv_messages, &form, "There are currently no messages!\n");
    sample_words_free(&w);
    scene_end(&c);
}

TEST(zones_csv_has_messages_signposts_and_ops_by_time)
{
    struct scene c;
    scene_start(&c);
    struct zones_csv form = zones_csv_default();
    form.separator = ";";
    CSV_IS(&c, zones_csv_messages, &form,
           "MessageName;total_ns\n"
           "plain;text;40\n"
           "`TT_SIGNPOST: go\nwith a ``tick```;50\n"
           "`{\"op\": 1}`;3500\n");
    scene_end(&c);
}

TEST(zones_csv_has_plots_and_memory_behind_the_zones)
{
    struct sample_run s;
    struct scene c = {0};
    struct err e = {0};
    sample_run_start(&s);
    struct sample_process *p = sample_process(&s, 100, 1000);
    uint64_t heat = sample_string(p, "heat"), pool = sample_string(p, "pool");
    double real = 1.5;
    uint64_t bits;
    memcpy(&bits, &real, sizeof bits);
    struct sample_words w = {0};
    sample_event(&w, TT_PLOT_REAL, 1100, 2, heat, bits);
    sample_event(&w, TT_ALLOC, 1200, 3, UINT64_C(0x10), UINT64_C(64), UINT64_C(0));
    sample_event(&w, TT_ALLOC, 1300, 3, UINT64_C(0x20), UINT64_C(8), UINT64_C(0));
    sample_event(&w, TT_PLOT_INT, 1400, 2, heat, (uint64_t)-3);
    sample_event(&w, TT_FREE, 1500, 2, UINT64_C(0x10), UINT64_C(0));
    sample_event(&w, TT_ALLOC, 1600, 3, UINT64_C(0x10), UINT64_C(32), pool);
    sample_event(&w, TT_FREE, 1700, 2, UINT64_C(0), pool); // all of it
    sample_ring(p, 1, &w);
    sample_run_write(&s);
    c.s = s;
    assert_true(host_run_open(&c.r, s.path, &e));
    struct zones_csv form = zones_csv_default();
    form.is_upstream = form.with_plots = true;
    CSV_IS(&c, zones_csv_unwrapped, &form,
           "name,src_file,src_line,ns_since_start,exec_time_ns,thread,value\n"
           "heat,,,100,,,1.500000\n"
           "heat,,,400,,,-3.000000\n"
           "Memory usage,,,200,,,64.000000\n"
           "Memory usage,,,300,,,72.000000\n"
           "Memory usage,,,500,,,8.000000\n"
           "pool,,,600,,,32.000000\n"
           "pool,,,700,,,0.000000\n");
    sample_words_free(&w);
    scene_end(&c);
}
