// test.h - TEST(a_sentence_about_behaviour) { ... } anywhere in a test file registers itself;
// checks are those of cmocka.
#ifndef TTP_TESTS_TEST_H
#define TTP_TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

void test_register(const char *name, CMUnitTestFunction body);

#define TEST(name)                                                                           \
    static void test_##name(void **state);                                                   \
    __attribute__((constructor)) static void register_##name(void)                           \
    {                                                                                        \
        test_register(#name, test_##name);                                                   \
    }                                                                                        \
    static void test_##name(__attribute__((unused)) void **state)

#endif
