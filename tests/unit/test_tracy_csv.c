// test_tracy_csv.c - the tables that are exported from a host capture. Spec: ops-report
// 2, 3.
#include "base/data/vec.h"

#include "formats/diags.h"
#include "formats/tracy/tracy_csv.h"
#include "test.h"

struct taken {
    VEC(struct tracy_zone) zones;
    VEC(struct tracy_message) messages;
    struct arena a;
    struct diag d;
    struct err e;
    bool is_ok;
};

static void take_zone(void *context, const struct tracy_zone *z)
{
    vec_push(&((struct taken *)context)->zones, *z);
}
static void take_message(void *context, const struct tracy_message *m)
{
    vec_push(&((struct taken *)context)->messages, *m);
}

static void read_times(struct taken *t, str text)
{
    *t = (struct taken){0};
    t->is_ok = tracy_times_read(text, &t->a, take_zone, t, &t->d, &t->e);
}
static void read_data(struct taken *t, str text)
{
    *t = (struct taken){0};
    t->is_ok = tracy_data_read(text, &t->a, take_message, t, &t->d, &t->e);
}
static void taken_free(struct taken *t)
{
    vec_free(&t->zones);
    vec_free(&t->messages);
    arena_free(&t->a);
}

static void check_zone(const struct tracy_zone *z, str name, str text, str parent,
                       uint64_t start, uint64_t duration)
{
    test_str_is(z->name, name, __FILE__, __LINE__);
    test_str_is(z->zone_text, text, __FILE__, __LINE__);
    test_str_is(z->parent_text, parent, __FILE__, __LINE__);
    assert_int_equal(start, z->start);
    assert_int_equal(duration, z->duration);
}
static void check_message(const struct tracy_message *m, str text, uint64_t time)
{
    test_str_is(m->text, text, __FILE__, __LINE__);
    assert_true(m->has_time);
    assert_int_equal(time, m->time);
    assert_false(m->is_cut);
}

#define TIMES_9                                                                            \
    "name,src_file,src_line,zone_name,zone_text,ns_since_start,exec_time_ns,thread,"       \
    "special_parent_text\n"
#define TIMES_10                                                                           \
    "name,src_file,src_line,zone_name,zone_text,ns_since_start,exec_time_ns,thread,value," \
    "special_parent_text\n"

TEST(tracy_times_are_read_by_the_names_of_their_columns)
{
    struct taken t;
    read_times(&t,
               S(TIMES_9 "OP,a.hpp,244,z,\"id:1\",10,5,1,\nChild,b.cpp,9,,,11,2,7,id:1\n"));
    assert_true(t.is_ok);
    assert_int_equal(2, t.zones.n);
    check_zone(&t.zones.v[0], S("OP"), S("id:1"), S(""), 10, 5);
    STR_IS(t.zones.v[0].zone_name, "z");
    assert_int_equal(2, t.zones.v[0].line);
    check_zone(&t.zones.v[1], S("Child"), S(""), S("id:1"), 11, 2);
    STR_IS(t.zones.v[1].thread, "7");
    assert_int_equal(3, t.zones.v[1].line);
    taken_free(&t);
    read_times(&t, S(TIMES_10 "OP,a.hpp,405,,\"id:1027\",3428344134,94009,1,,id:1027\n"));
    check_zone(&t.zones.v[0], S("OP"), S("id:1027"), S("id:1027"), 3428344134, 94009);
    taken_free(&t);
    // Other orders and columns, too, as long as no text needs more than a look.
    read_times(&t, S("exec_time_ns,ns_since_start,more,name,value\n5,10,x,OP,id:3\n"));
    check_zone(&t.zones.v[0], S("OP"), S("id:3"), S(""), 10, 5);
    assert_int_equal(0, diag_total(&t.d));
    taken_free(&t);
}

TEST(tracy_times_find_the_end_of_a_text_that_nobody_escaped)
{
    struct taken t;
    read_times(&t, S(TIMES_9 "A,f,1,,\"x, y\",10,5,1,id:1\n"
                             "B,f,2,,\"say \"so\", twice\n\nand \",1,2 more\",11,6,2,id:2\n"
                             "C,f,3,,\"\",12,7,3,\n"));
    assert_true(t.is_ok);
    assert_int_equal(0, diag_total(&t.d));
    assert_int_equal(3, t.zones.n);
    check_zone(&t.zones.v[0], S("A"), S("x, y"), S("id:1"), 10, 5);
    check_zone(&t.zones.v[1], S("B"), S("say \"so\", twice\n\nand \",1,2 more"), S("id:2"),
               11, 6);
    check_zone(&t.zones.v[2], S("C"), S(""), S(""), 12, 7);
    assert_int_equal(6, t.zones.v[2].line);
    taken_free(&t);
}

TEST(tracy_times_take_the_parent_from_behind_a_value_with_commas_and_lines)
{
    struct taken t;
    read_times(&t, S(TIMES_10 "A,f,1,,\"a, b\",10,5,1,a, b,id:1\n"
                              "B,f,2,,\"a\nb, c\",11,6,2,a\nb, c,a\nb, c\n"
                              "C,f,3,,,12,7,3,x, y,id:3\n"));
    assert_true(t.is_ok);
    assert_int_equal(0, diag_total(&t.d));
    assert_int_equal(3, t.zones.n);
    check_zone(&t.zones.v[0], S("A"), S("a, b"), S("id:1"), 10, 5);
    check_zone(&t.zones.v[1], S("B"), S("a\nb, c"), S("a\nb, c"), 11, 6);
    check_zone(&t.zones.v[2], S("C"), S(""), S("id:3"), 12, 7);
    taken_free(&t);
}

TEST(tracy_times_take_names_with_commas)
{
    struct taken t;
    read_times(&t,
               S(TIMES_9 "std::map<int, float>::f(int, int),a.hpp,24,z, 2,,10,5,1,id:1\n"
                         "void g(int, int),a.hpp,25,,\"id:4\",11,6,1,\n"));
    assert_int_equal(2, t.zones.n);
    check_zone(&t.zones.v[0], S("std::map<int, float>::f(int, int)"), S(""), S("id:1"), 10,
               5);
    STR_IS(t.zones.v[0].zone_name, "z, 2");
    check_zone(&t.zones.v[1], S("void g(int, int)"), S("id:4"), S(""), 11, 6);
    taken_free(&t);
}

TEST(tracy_times_go_on_behind_rows_that_are_damaged)
{
    struct taken t;
    // A text that lost its end, half a row, a number that is none, bytes, a cut end.
    read_times(&t, S(TIMES_9 "A,f,1,,\"id:1\nB,f,2,,\"id:2\",11,6,2,\nC,f,3\n"
                             "D,f,4,,,x,7,3,\nE,f,5,,,12,7,3,id:2\n\x01\x02\n\n"
                             "F,f,6,,\"id:6\",13,8,3,\nG,f,7,,\"id:"));
    assert_true(t.is_ok);
    assert_int_equal(3, t.zones.n);
    check_zone(&t.zones.v[0], S("B"), S("id:2"), S(""), 11, 6);
    check_zone(&t.zones.v[1], S("E"), S(""), S("id:2"), 12, 7);
    check_zone(&t.zones.v[2], S("F"), S("id:6"), S(""), 13, 8);
    assert_int_equal(9, t.zones.v[2].line);
    assert_int_equal(5, t.d.entry[DIAG_CAPTURE_ROW].count);
    assert_string_equal("tracy_ops_times.csv: line 2: 'A,f,1,,\"id:1'",
                        t.d.entry[DIAG_CAPTURE_ROW].first);
    taken_free(&t);
}

TEST(tracy_times_find_a_row_of_several_lines_behind_a_damaged_one)
{
    struct taken t;
    read_times(&t, S(TIMES_9 "A,f,1,,\"id:1\nB,f,2,,\"x\ny\",11,6,2,\n"));
    assert_int_equal(1, t.zones.n);
    check_zone(&t.zones.v[0], S("B"), S("x\ny"), S(""), 11, 6);
    assert_int_equal(1, t.d.entry[DIAG_CAPTURE_ROW].count);
    taken_free(&t);
}

TEST(tracy_times_with_other_line_ends_without_a_header_or_empty)
{
    struct taken t;
    read_times(&t, S("\xEF\xBB\xBF"
                     "name,zone_text,ns_since_start,exec_time_ns\r\n"
                     "A,\"id:1\",10,5\r\n\r\nB,,11,6\r\n"));
    assert_int_equal(2, t.zones.n);
    check_zone(&t.zones.v[1], S("B"), S(""), S(""), 11, 6);
    assert_int_equal(0, diag_total(&t.d));
    taken_free(&t);
    read_times(&t, S("A,f,1,,\"id:1\",10,5,1,,id:9\nB,f,1,,\"id:2\",11,6,1,,id:8\n"));
    assert_true(t.is_ok);
    assert_int_equal(1, t.d.entry[DIAG_CAPTURE_HEADER].count);
    check_zone(&t.zones.v[1], S("B"), S("id:2"), S("id:8"), 11, 6);
    taken_free(&t);
    read_times(&t, S(""));
    assert_true(t.is_ok);
    assert_int_equal(1, t.d.entry[DIAG_CAPTURE_HEADER].count);
    taken_free(&t);
    read_times(&t, S("MessageName;total_ns\nabc;1\n"));
    assert_false(t.is_ok);
    assert_int_equal(ERR_FORMAT, t.e.code);
    taken_free(&t);
}

// --- messages

#define DATA "MessageName;total_ns\n"

TEST(tracy_data_has_messages_with_and_without_quotes)
{
    struct taken t;
    read_data(&t,
              S(DATA
                "perf_event_paranoid: 4;207531121\n"
                "`TT_DNN_DEVICE_OP: \"M\", 1, 0, false, 1024 ->\n{\n    \"a\": 1\n}`;20\n"
                "a; b;c;21\n`TT_SIGNPOST: x;y\nz;1 w`;22\n``;23\n"));
    assert_true(t.is_ok);
    assert_int_equal(0, diag_total(&t.d));
    assert_int_equal(5, t.messages.n);
    check_message(&t.messages.v[0], S("perf_event_paranoid: 4"), 207531121);
    check_message(&t.messages.v[1],
                  S("TT_DNN_DEVICE_OP: \"M\", 1, 0, false, 1024 ->\n{\n    \"a\": 1\n}"),
                  20);
    check_message(&t.messages.v[2], S("a; b;c"), 21);
    check_message(&t.messages.v[3], S("TT_SIGNPOST: x;y\nz;1 w"), 22);
    check_message(&t.messages.v[4], S(""), 23);
    assert_int_equal(7, t.messages.v[2].line);
    assert_int_equal(8, t.messages.v[3].line);
    assert_int_equal(10, t.messages.v[4].line);
    taken_free(&t);
}

TEST(tracy_data_undoes_doubled_backticks_and_bears_single_ones)
{
    struct taken t;
    read_data(&t, S(DATA "`a ``b`` c```;1\n`d `e` f`;2\ng `h`;3\n`use `i``;4\n"));
    assert_int_equal(4, t.messages.n);
    check_message(&t.messages.v[0], S("a `b` c`"), 1);
    check_message(&t.messages.v[1], S("d `e` f"), 2);
    check_message(&t.messages.v[2], S("g `h`"), 3);
    check_message(&t.messages.v[3], S("use `i`"), 4);
    taken_free(&t);
}

TEST(tracy_data_hands_over_cut_messages_and_goes_on)
{
    struct taken t;
    read_data(&t, S(DATA "`TT_DNN_DEVICE_OP: \"M\", 1, 0, 1 ->\n{\n    \"a\": \"bc;5\n"
                         "`TT_SIGNPOST: x`;6\n"
                         "`TT_DNN_DEVICE_OP: \"N\", 2, 0, 2 ->\n{\"a\": [1,;7\n"
                         "plain;8\n`other`;9\n"
                         "`TT_SIGNPOST: y\n`TT_SIGNPOST: z`;10\n`TT_DNN_DEVICE_OP: \"O\""));
    assert_true(t.is_ok);
    assert_int_equal(8, t.messages.n);
    const struct tracy_message *m = t.messages.v;
    STR_IS(m[0].text, "TT_DNN_DEVICE_OP: \"M\", 1, 0, 1 ->\n{\n    \"a\": \"bc");
    assert_true(m[0].is_cut && m[0].has_time && m[0].time == 5);
    check_message(&m[1], S("TT_SIGNPOST: x"), 6);
    STR_IS(m[2].text, "TT_DNN_DEVICE_OP: \"N\", 2, 0, 2 ->\n{\"a\": [1,");
    assert_true(m[2].is_cut && m[2].has_time && m[2].time == 7);
    check_message(&m[3], S("plain"), 8);
    check_message(&m[4], S("other"), 9);
    STR_IS(m[5].text, "TT_SIGNPOST: y");
    assert_true(m[5].is_cut && !m[5].has_time);
    check_message(&m[6], S("TT_SIGNPOST: z"), 10);
    STR_IS(m[7].text, "TT_DNN_DEVICE_OP: \"O\"");
    assert_true(m[7].is_cut && !m[7].has_time);
    assert_int_equal(4, t.d.entry[DIAG_MESSAGE_CUT].count);
    assert_int_equal(2, t.d.entry[DIAG_MESSAGE_UNTIMED].count);
    assert_string_equal("tracy_ops_data.csv: line 2: 'TT_DNN_DEVICE_OP: \"M\", 1, 0, 1 ->'",
                        t.d.entry[DIAG_MESSAGE_CUT].first);
    taken_free(&t);
}

TEST(tracy_data_of_several_lines_without_quotes)
{
    struct taken t;
    read_data(&t, S(DATA "one\ntwo;x\nthree;1\nfour;2;five\nsix\nTT_SIGNPOST: a;3\nseven"));
    assert_int_equal(5, t.messages.n);
    check_message(&t.messages.v[0], S("one\ntwo;x\nthree"), 1);
    check_message(&t.messages.v[1], S("four"), 2);
    STR_IS(t.messages.v[2].text, "six");
    assert_false(t.messages.v[2].has_time);
    check_message(&t.messages.v[3], S("TT_SIGNPOST: a"), 3);
    STR_IS(t.messages.v[4].text, "seven");
    assert_int_equal(2, t.d.entry[DIAG_MESSAGE_UNTIMED].count);
    taken_free(&t);
}

TEST(tracy_data_with_other_line_ends_without_a_header_or_messages)
{
    struct taken t;
    read_data(&t, S("MessageName;total_ns\r\n`TT_SIGNPOST: a\r\nb`;1\r\n\r\nc;2\r\n"));
    assert_int_equal(2, t.messages.n);
    check_message(&t.messages.v[0], S("TT_SIGNPOST: a\nb"), 1);
    check_message(&t.messages.v[1], S("c"), 2);
    assert_int_equal(5, t.messages.v[1].line);
    assert_int_equal(0, diag_total(&t.d));
    taken_free(&t);
    read_data(&t, S("`TT_SIGNPOST: a`;18446744073709551615"));
    check_message(&t.messages.v[0], S("TT_SIGNPOST: a"), UINT64_MAX);
    assert_int_equal(1, t.d.entry[DIAG_CAPTURE_HEADER].count);
    taken_free(&t);
    read_data(&t, S("There are currently no messages!\n"));
    assert_true(t.is_ok);
    assert_int_equal(0, t.messages.n);
    assert_int_equal(0, diag_total(&t.d));
    taken_free(&t);
    read_data(&t, S(""));
    assert_true(t.is_ok);
    assert_int_equal(1, t.d.entry[DIAG_CAPTURE_HEADER].count);
    taken_free(&t);
    read_data(&t, S(TIMES_9));
    assert_false(t.is_ok);
    assert_int_equal(ERR_FORMAT, t.e.code);
    taken_free(&t);
}
