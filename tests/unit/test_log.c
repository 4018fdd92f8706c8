// test_log.c - lines for the person.
#include <stdlib.h>

#include "base/text/log.h"

#include "capture.h"

TEST(log_line_is_one_line_with_the_name_of_the_program)
{
    struct capture c;
    capture_start(&c);
    log_line("report: %d of %s", 3, "x");
    STR_IS(capture_end(&c), "ttprof: report: 3 of x\n");
}

TEST(log_line_cuts_what_is_too_long_and_still_ends_the_line)
{
    struct capture c;
    capture_start(&c);
    log_line("%05000d", 1);
    log_line("next");
    str got = capture_end(&c);
    str line = str_cut(&got, '\n');
    assert_true(line.n > 900 && line.n < 1024);
    STR_IS(((str){line.p, 11}), "ttprof: 000");
    STR_IS(got, "ttprof: next\n");
}

// --- domains ---------------------------------------------------------------------------
static enum log_level level_of(const char *list, const char *domain)
{
    unsigned n_wrong;
    enum log_level level = log_level_of(list, domain, &n_wrong);
    assert_int_equal(n_wrong, 0);
    return level;
}

TEST(log_levels_are_asked_for_by_domain_or_for_all)
{
    assert_int_equal(level_of("", "sim"), LOG_OFF);
    assert_int_equal(level_of("collect=debug,sim=info", "sim"), LOG_INFO);
    assert_int_equal(level_of("collect=debug,sim=info", "collect"), LOG_DEBUG);
    assert_int_equal(level_of("collect=debug", "collection"), LOG_OFF);
    assert_int_equal(level_of("info", "sim"), LOG_INFO);
    assert_int_equal(level_of("debug, sim=off", "sim"), LOG_OFF);
    assert_int_equal(level_of("debug, sim=off", "app"), LOG_DEBUG);
}

TEST(log_entries_that_make_no_sense_are_counted_and_left_out)
{
    unsigned n_wrong;
    assert_int_equal(log_level_of("sim=loud,,=,sim,sim=info", "sim", &n_wrong), LOG_INFO);
    assert_int_equal(n_wrong, 4);
}

TEST(log_lines_of_a_domain_are_printed_when_it_is_asked_for)
{
    struct log_domain log_domain = {.name = "test", .level = LOG_UNKNOWN};
    struct capture c;
    assert_int_equal(setenv("TTPROF_LOG", "test=info", 1), 0);
    capture_start(&c);
    log_debug("not %d", 1);
    log_info("this %d", 2);
    STR_IS(capture_end(&c), "ttprof: test: this 2\n");
    assert_int_equal(log_domain.level, LOG_INFO);
    assert_int_equal(unsetenv("TTPROF_LOG"), 0);
    struct log_domain quiet = {.name = "test", .level = LOG_UNKNOWN};
    capture_start(&c);
    log_write(&quiet, LOG_INFO, "not %d", 3);
    STR_IS(capture_end(&c), "");
    assert_int_equal(quiet.level, LOG_OFF);
}

TEST(log_line_shows_control_characters_of_names)
{
    struct capture c;
    capture_start(&c);
    log_line("%s: not there", "a\033[2J\nttprof: all is well\x9B");
    STR_IS(capture_end(&c), "ttprof: a\\x1b[2J\\nttprof: all is well\\x9b: not there\n");
}

TEST(log_text_keeps_its_lines)
{
    struct capture c;
    capture_start(&c);
    log_text(S("a\nb\033[2J\n"), false);
    log_text(S(""), false);
    log_text(S("\033[38;5;9mred\033[0m\n"), true);
    STR_IS(capture_end(&c), "a\nb\\x1b[2J\n\033[38;5;9mred\033[0m\n");
}
