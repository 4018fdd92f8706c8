// main.c - runs what the TEST macros registered, by name: unit [SUBSTRING].
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

static struct CMUnitTest *tests;
static size_t n_tests;

void test_register(const char *name, CMUnitTestFunction body)
{
    tests = realloc(tests, (n_tests + 1) * sizeof *tests);
    if (!tests)
        abort();
    tests[n_tests++] = (struct CMUnitTest){.name = name, .test_func = body};
}

void test_str_is(str got, str want, const char *file, int line)
{
    if (str_eq(got, want))
        return;
    print_error("got  '%.*s'\nwant '%.*s'\n", STR(got), STR(want));
    _fail(file, line);
}

void test_real_is(double got, double want, const char *file, int line)
{
    bool is_same = got == want && !signbit(got) == !signbit(want);
    if (is_same || (isnan(got) && isnan(want)))
        return;
    print_error("got %.17g, want %.17g\n", got, want);
    _fail(file, line);
}

static int by_name(const void *a, const void *b)
{
    const struct CMUnitTest *x = a, *y = b;
    return strcmp(x->name, y->name);
}

int main(int argc, char **argv)
{
    qsort(tests, n_tests, sizeof *tests, by_name); // whatever the order of linking
    size_t kept = 0;
    for (size_t i = 0; i < n_tests; i++)
        if (argc < 2 || strstr(tests[i].name, argv[1]))
            tests[kept++] = tests[i];
    cmocka_set_message_output(CM_OUTPUT_TAP);
    int failed = _cmocka_run_group_tests("unit", tests, kept, NULL, NULL);
    free(tests);
    return failed != 0;
}
