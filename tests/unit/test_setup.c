// test_setup.c - setups: their words, their parents, their mistakes.
#include "../support/memory_file.h"
#include "analyse/device/setup.h"
#include "test.h"

struct parsed {
    struct setup s;
    struct arena a;
    struct err e;
    bool ok;
};

static void parse(struct parsed *p, str text)
{
    *p = (struct parsed){0};
    p->ok = setup_parse(&p->s, text, "own.ini", &p->a, &p->e);
}

static void load(struct parsed *p, const char *name)
{
    *p = (struct parsed){0};
    p->ok = setup_load(&p->s, name, &p->a, &p->e);
    if (!p->ok)
        print_error("%s: %s\n", name, p->e.text);
    assert_true(p->ok);
}

static void parsed_free(struct parsed *p)
{
    if (p->ok)
        setup_free(&p->s);
    arena_free(&p->a);
}

#define FAILS(text, code, message) fails(S(text), (code), (message), __LINE__)
static void fails(str text, enum err_code code, const char *message, int line)
{
    struct parsed p;
    parse(&p, text);
    assert_false(p.ok);
    assert_int_equal(code, p.e.code);
    test_str_is(str_of(p.e.text), str_of(message), __FILE__, line);
    parsed_free(&p);
}

TEST(a_setup_is_read_word_by_word)
{
    struct parsed p;
    parse(&p, S("# a comment\n"
                "\n"
                "detect_ops = no\r\n"
                "display = Max ,First\n"
                "[ the first ]\n"
                "across=device\n"
                "type = adjacent\n"
                "start.zone_name = A, B C ,D*\n"
                "start.zone_phase = ZONE_END\n"
                "start.risc = TRISC_0\n"
                "start.core = 3, -4\n"
                "end.zone_name = E\n"
                "end.risc = ANY\n"
                "end.core = ANY\n"
                "[second]\n"
                "  type = sum\n"
                "  across = core\n"
                "  marker.zone_name = F = G\n"
                "  marker.risc = BRISC"));
    assert_true(p.ok);
    assert_false(p.s.detect_ops);
    assert_int_equal(2, p.s.n_display);
    assert_int_equal(STAT_MAX, p.s.display[0]);
    assert_int_equal(STAT_FIRST, p.s.display[1]);
    assert_int_equal(2, p.s.analyses.n);
    const struct analysis *a = p.s.analyses.v;
    STR_IS(a[0].name, "the first");
    assert_int_equal(ACROSS_DEVICE, a[0].across);
    assert_int_equal(ANALYSE_ADJACENT, a[0].type);
    assert_int_equal(3, a[0].start.n_names);
    STR_IS(a[0].start.names[0], "A");
    STR_IS(a[0].start.names[1], "B C");
    STR_IS(a[0].start.names[2], "D*");
    STR_IS(a[0].start.phase, "ZONE_END");
    STR_IS(a[0].start.risc, "TRISC_0");
    assert_true(a[0].start.has_core);
    assert_int_equal(3, a[0].start.x);
    assert_int_equal(-4, a[0].start.y);
    assert_int_equal(-1, a[0].start.timer_id);
    STR_IS(a[0].end.phase, "");
    assert_false(a[0].end.has_core);
    STR_IS(a[1].name, "second");
    assert_int_equal(ACROSS_CORE, a[1].across);
    assert_int_equal(ANALYSE_SUM, a[1].type);
    STR_IS(a[1].start.names[0], "F = G"); // the first = counts
    parsed_free(&p);
}

TEST(both_sets_start_and_end_and_later_lines_win)
{
    struct parsed p;
    parse(&p,
          S("[a]\nacross = core\ntype = launch_first_last\n"
            "both.risc = ANY\nboth.timer_id = 1\nend.timer_id = 4\nstart.risc = BRISC\n"));
    assert_true(p.ok);
    STR_IS(p.s.analyses.v[0].start.risc, "BRISC");
    STR_IS(p.s.analyses.v[0].end.risc, "ANY");
    assert_int_equal(1, p.s.analyses.v[0].start.timer_id);
    assert_int_equal(4, p.s.analyses.v[0].end.timer_id);
    parsed_free(&p);
}

TEST(every_word_of_the_vocabulary_is_known)
{
    struct buf text = {0};
    for (int across = 0; across < ACROSS_DISPATCH_OPS; across++)
        for (int type = 0; type < ANALYSIS_TYPES; type++)
            for (int phase = 0; phase < MARKER_OTHER; phase++) {
                bool only_ops = type == ANALYSE_OP_CORE_FIRST_LAST;
                bool only_core = type == ANALYSE_LAUNCH_FIRST_LAST;
                if ((only_ops && across != ACROSS_OPS) ||
                    (only_core && across != ACROSS_CORE))
                    continue;
                buf_printf(&text,
                           "[%d %d %d]\nacross = %s\ntype = %s\nboth.risc = ANY\n"
                           "both.zone_name = X\nboth.zone_phase = %s\n",
                           across, type, phase, across_names[across],
                           analysis_type_names[type], marker_type_names[phase]);
            }
    buf_z(&text,
          "[d]\nacross = dispatch_ops\ntype = op_first_last\nboth.risc = ANY\n"
          "both.zone_name = X\n");
    struct parsed p;
    parse(&p, buf_view(&text));
    assert_true(p.ok);
    assert_int_equal((3 * 5 + 2) * 5 + 1, p.s.analyses.n);
    for (size_t i = 0; i + 1 < p.s.analyses.n; i++) {
        const struct analysis *a = &p.s.analyses.v[i];
        struct buf name = {0};
        int phase = 0;
        while (phase < MARKER_OTHER && !str_is(a->start.phase, marker_type_names[phase]))
            phase++;
        buf_printf(&name, "%d %d %d", a->across, a->type, phase);
        test_str_is(a->name, buf_view(&name), __FILE__, __LINE__);
        buf_free(&name);
    }
    parsed_free(&p);
    buf_free(&text);
}

TEST(an_empty_setup_detects_ops_and_displays_all_but_the_first)
{
    struct parsed p;
    parse(&p, S(""));
    assert_true(p.ok);
    assert_true(p.s.detect_ops);
    assert_int_equal(STATS - 1, p.s.n_display);
    for (size_t i = 0; i < p.s.n_display; i++)
        assert_int_equal(i, p.s.display[i]);
    assert_int_equal(0, p.s.analyses.n);
    parsed_free(&p);
}

// --- parents ---

#define EVENT(name) "[" name "]\nacross = core\ntype = event\nmarker.risc = NCRISC\n"

TEST(the_analyses_of_a_parent_stand_behind_the_own_ones)
{
    struct parsed p, parent;
    load(&parent, "default_setup");
    parse(&p, S("parent = default_setup\n" EVENT("mine") EVENT("also mine")));
    assert_true(p.ok);
    assert_int_equal(2 + parent.s.analyses.n, p.s.analyses.n);
    STR_IS(p.s.analyses.v[0].name, "mine");
    STR_IS(p.s.analyses.v[1].name, "also mine");
    for (size_t i = 0; i < parent.s.analyses.n; i++)
        test_str_is(p.s.analyses.v[i + 2].name, parent.s.analyses.v[i].name, __FILE__,
                    __LINE__);
    parsed_free(&p);
    parsed_free(&parent);
}

TEST(an_analysis_of_the_parent_takes_the_place_of_one_of_the_same_name)
{
    struct parsed p, parent;
    load(&parent, "default_setup");
    parse(&p, S("parent = default_setup\n" EVENT("mine")
                    EVENT("op2op") "start.timer_id = 7\n" EVENT("last")));
    assert_true(p.ok);
    assert_int_equal(2 + parent.s.analyses.n, p.s.analyses.n);
    STR_IS(p.s.analyses.v[1].name, "op2op");
    assert_int_equal(ANALYSE_ADJACENT, p.s.analyses.v[1].type);
    assert_int_equal(6, p.s.analyses.v[1].start.n_names);
    assert_int_equal(-1,
                     p.s.analyses.v[1].start.timer_id); // nothing of the own one is left
    STR_IS(p.s.analyses.v[2].name, "last");
    parsed_free(&p);
    parsed_free(&parent);
}

TEST(what_a_setup_does_not_say_of_ops_and_display_its_parent_says)
{
    static const struct {
        const char *text;
        bool detect_ops;
        size_t n_display;
        enum stat last;
    } cases[] = {
        {"parent = legacy_setup\n", false, 5, STAT_MIN},
        {"parent = default_setup\n", true, 7, STAT_RANGE},
        {"parent = test_noc\n", false, 7, STAT_RANGE}, // and the display of its parent
        {"parent = legacy_setup\ndetect_ops = yes\n", true, 5, STAT_MIN},
        {"detect_ops = no\nparent = default_setup\n", false, 7, STAT_RANGE},
        {"parent = legacy_setup\ndisplay = First\n", false, 1, STAT_FIRST},
        {"parent = test_noc\ndisplay = Sum, Max\ndetect_ops = yes\n", true, 2, STAT_MAX},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct parsed p;
        parse(&p, str_of(cases[i].text));
        assert_true(p.ok);
        assert_int_equal(cases[i].detect_ops, p.s.detect_ops);
        assert_int_equal(cases[i].n_display, p.s.n_display);
        assert_int_equal(cases[i].last, p.s.display[p.s.n_display - 1]);
        parsed_free(&p);
    }
}

TEST(a_parent_that_is_not_there_is_an_error)
{
    struct parsed p;
    parse(&p, S("parent = nosuch\n"));
    assert_false(p.ok);
    assert_int_equal(ERR_FORMAT, p.e.code);
    assert_true(str_ends(str_of(p.e.text), S("parent: Setup nosuch not available")));
    parsed_free(&p);
}

// --- built-in ---

TEST(every_built_in_setup_can_be_loaded_and_keeps_its_name)
{
    static const char *const names[] = {
        "default_setup",
        "legacy_setup",
        "test_custom_cycle_count",
        "test_custom_cycle_count_slow_dispatch",
        "test_dispatch_cores",
        "test_dispatch_cores_extended_worker",
        "test_ethernet_dispatch_cores",
        "test_full_buffer",
        "test_multi_op",
        "test_multi_op_buffer_overflow",
        "test_noc",
        "test_timestamped_events",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct parsed p;
        load(&p, names[i]);
        test_str_is(p.s.name, str_of(names[i]), __FILE__, __LINE__);
        assert_true(p.s.analyses.n > 0);
        bool has_ops = strcmp(names[i], "default_setup") == 0;
        assert_int_equal(has_ops, p.s.detect_ops);
        parsed_free(&p);
    }
}

TEST(the_default_setup_has_the_analyses_of_the_reference_in_their_order)
{
    static const char *const names[] = {
        "trace_fw_duration",
        "trace_kernel_duration",
        "trace2trace - FW",
        "trace2trace - kernel",
        "op2op",
        "device_kernel_first_to_last_start",
        "device_kernel_duration_per_core",
        "device_fw_duration",
        "device_kernel_duration",
        "device_kernel_duration_dm_start",
        "device_brisc_kernel_duration",
        "device_ncrisc_kernel_duration",
        "device_trisc0_kernel_duration",
        "device_trisc1_kernel_duration",
        "device_trisc2_kernel_duration",
        "device_erisc_kernel_duration",
        "device_compute_cb_wait_front",
        "device_compute_cb_reserve_back",
        "dispatch_total_cq_cmd_op_time",
        "dispatch_go_send_wait_time",
        "perf_counter_data",
    };
    struct parsed p;
    load(&p, "default_setup");
    assert_int_equal(sizeof names / sizeof *names, p.s.analyses.n);
    for (size_t i = 0; i < p.s.analyses.n; i++)
        test_str_is(p.s.analyses.v[i].name, str_of(names[i]), __FILE__, __LINE__);
    parsed_free(&p);
}

// How many analyses a built-in setup has before those of its parent.
static size_t n_own(const char *name)
{
    struct parsed p, parent;
    load(&p, name);
    load(&parent, "default_setup");
    size_t n = p.s.analyses.n - parent.s.analyses.n;
    parsed_free(&p);
    parsed_free(&parent);
    return n;
}

TEST(the_named_setups_add_what_the_reference_adds)
{
    assert_int_equal(2, n_own("test_timestamped_events"));
    assert_int_equal(1, n_own("test_multi_op"));
    assert_int_equal(5, n_own("test_multi_op_buffer_overflow"));
    assert_int_equal(27, n_own("test_custom_cycle_count")); // 5, 6 DM, 16 NEO
    assert_int_equal(27, n_own("test_custom_cycle_count_slow_dispatch"));
    assert_int_equal(2, n_own("test_full_buffer"));
    assert_int_equal(11, n_own("test_dispatch_cores"));
    assert_int_equal(11, n_own("test_dispatch_cores_extended_worker"));
    assert_int_equal(2, n_own("test_ethernet_dispatch_cores"));
    assert_int_equal(1, n_own("test_noc"));
}

TEST(a_name_that_is_no_setup_is_a_usage_error)
{
    static const char *const names[] = {"nosuch", "", "default", "default_setup.in",
                                        "DEFAULT_SETUP"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct parsed p = {0};
        char want[64] = "Setup ";
        (void)snprintf(want, sizeof want, "Setup %s not available", names[i]);
        assert_false(setup_load(&p.s, names[i], &p.a, &p.e));
        assert_int_equal(ERR_USAGE, p.e.code);
        test_str_is(str_of(p.e.text), str_of(want), __FILE__, __LINE__);
        parsed_free(&p);
    }
}

TEST(whatever_has_a_slash_is_a_file)
{
    struct memory_file f = memory_file_make(S(EVENT("mine")));
    struct parsed p;
    load(&p, f.path);
    assert_int_equal(1, p.s.analyses.n);
    STR_IS(p.s.analyses.v[0].name, "mine"); // although the file is closed by now
    test_str_is(p.s.name, str_of(f.path), __FILE__, __LINE__);
    parsed_free(&p);
    memory_file_free(&f);
    p = (struct parsed){0};
    assert_false(setup_load(&p.s, "./no/such/file", &p.a, &p.e));
    assert_int_equal(ERR_IO, p.e.code);
    parsed_free(&p);
}

// --- mistakes ---

TEST(a_mistake_is_told_with_file_and_line)
{
    FAILS("\n\nhello\n", ERR_FORMAT,
          "own.ini: line 3: expected 'key = value' or [analysis]");
    FAILS(
        "[a]\nacross = core\r\n\r\ntype = mean\r\n", ERR_FORMAT,
        "own.ini: line 4: type: invalid value 'mean'; use one of adjacent, session_first_last, "
        "op_first_last, op_core_first_last, launch_first_last, sum, event");
    FAILS("detect_ops = 1\n", ERR_FORMAT,
          "own.ini: line 1: detect_ops: invalid value '1'; use one of no, yes");
    FAILS(EVENT("a") EVENT("a"), ERR_FORMAT, "own.ini: line 5: [a] is given twice");
    FAILS("[a]\nstart.core = 2147483648, 1\n", ERR_FORMAT,
          "own.ini: line 2: core: '2147483648, 1' is neither ANY nor x, y");
    FAILS("[a]\nstart.timer_id = 1e3\n", ERR_FORMAT,
          "own.ini: line 2: timer_id: '1e3' is not a number");
}

TEST(a_word_of_any_length_is_cut_in_the_message)
{
    struct buf text = {0};
    buf_z(&text, "[a]\nacross = ");
    buf_fill(&text, 'x', 100000);
    struct parsed p;
    parse(&p, buf_view(&text));
    assert_false(p.ok);
    assert_true(
        str_ends(str_of(p.e.text), S("xxx'; use one of core, device, ops, dispatch_ops")));
    parsed_free(&p);
    buf_free(&text);
}

TEST(an_analysis_must_be_whole)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"[a]\n", "[a]: missing across or type"},
        {"[a]\nacross = ops\n", "[a]: missing across or type"},
        {"[a]\nacross = ops\ntype = sum\nmarker.risc = ANY\n",
         "[a]: missing marker.zone_name"},
        {"[a]\nacross = ops\ntype = adjacent\nend.zone_name = X\n",
         "[a]: missing start.zone_name; add the zone that starts the interval"},
        {"[a]\nacross = ops\ntype = adjacent\nstart.zone_name = X\n",
         "[a]: missing end.zone_name; add the zone that ends the interval"},
        {"[a]\nacross = ops\ntype = adjacent\nboth.zone_name = X\nstart.risc = ANY\n",
         "[a]: missing risc; use ANY for all"},
        {"[a]\nacross = core\ntype = event\n", "[a]: missing risc; use ANY for all"},
        {"[a]\nacross = core\ntype = op_core_first_last\nboth.timer_id = 1\nboth.risc = "
         "ANY\n",
         "[a]: op_core_first_last needs across = ops"},
        {"[a]\nacross = device\ntype = launch_first_last\nboth.timer_id = 1\nboth.risc = "
         "ANY\n",
         "[a]: launch_first_last needs across = core"},
        {"[a]\nacross = dispatch_ops\ntype = event\nmarker.risc = ANY\n",
         "[a]: across = dispatch_ops needs op_first_last"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct parsed p;
        parse(&p, str_of(cases[i].text));
        assert_false(p.ok);
        assert_int_equal(ERR_FORMAT, p.e.code);
        assert_true(str_starts(str_of(p.e.text), S("own.ini: ")));
        if (!str_ends(str_of(p.e.text), str_of(cases[i].message)))
            test_str_is(str_of(p.e.text), str_of(cases[i].message), __FILE__, __LINE__);
        parsed_free(&p);
    }
}
