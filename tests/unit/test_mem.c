// test_mem.c - allocation that never returns NULL.
#include <sys/wait.h>

#include "base/data/mem.h"

#include "capture.h"

TEST(mem_alloc_gives_zeroed_memory_even_for_nothing)
{
    unsigned char *p = mem_alloc(100);
    for (int i = 0; i < 100; i++)
        assert_int_equal(0, p[i]);
    mem_free(p);
    p = mem_alloc(0);
    assert_non_null(p);
    mem_free(p);
    mem_free(NULL);
}

TEST(mem_resize_keeps_what_was_there)
{
    char *p = mem_resize(NULL, 4);
    memcpy(p, "abcd", 4);
    p = mem_resize(p, 100000);
    STR_IS(((str){p, 4}), "abcd");
    p = mem_resize(p, 0);
    assert_non_null(p);
    mem_free(p);
}

TEST(mem_bytes_multiplies)
{
    assert_int_equal(0, mem_bytes(0, SIZE_MAX));
    assert_int_equal(0, mem_bytes(8, 0));
    assert_int_equal(24, mem_bytes(8, 3));
    assert_true(mem_bytes(1, SIZE_MAX) == SIZE_MAX);
}

TEST(mem_bytes_that_do_not_fit_end_the_program_with_one_line)
{
    struct capture c;
    capture_start(&c);
    pid_t child = fork();
    if (child == 0) {
        (void)mem_bytes(SIZE_MAX / 2, 3);
        _exit(0); // not reached
    }
    int status = 0;
    pid_t ended = waitpid(child, &status, 0);
    str said = capture_end(&c);
    assert_int_equal(child, ended);
    assert_true(WIFEXITED(status));
    assert_int_equal(3, WEXITSTATUS(status));
    STR_IS(said, "ttprof: out of memory: cannot allocate 18446744073709551615 bytes\n");
}
