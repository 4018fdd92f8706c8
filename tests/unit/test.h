// test.h - TEST(a_sentence_about_behaviour) { ... } anywhere in a test file registers
// itself; checks are those of cmocka, and two for the types of base/.
#ifndef TTP_TESTS_TEST_H
#define TTP_TESTS_TEST_H

// cmocka.h leans on the four before it, and does not include them.
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include "base/text/str.h"

void test_register(const char *name, CMUnitTestFunction body);

#define TEST(name)                                                                         \
    static void test_##name(void **state);                                                 \
    __attribute__((constructor)) static void register_##name(void)                         \
    {                                                                                      \
        test_register(#name, test_##name);                                                 \
    }                                                                                      \
    static void test_##name(__attribute__((unused)) void **state)

// The text is exactly this literal, zero bytes and all.
#define STR_IS(got, literal) test_str_is((got), S(literal), __FILE__, __LINE__)
// The double is exactly this one; any NaN equals any other.
#define REAL_IS(got, want) test_real_is((got), (want), __FILE__, __LINE__)

void test_str_is(str got, str want, const char *file, int line);
void test_real_is(double got, double want, const char *file, int line);

#endif
