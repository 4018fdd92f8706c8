// test_log.c - lines for the person.
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
