// test_units.c - cycles, nanoseconds and the names of units.
#include "base/data/units.h"

#include "test.h"

TEST(units_cycles_become_nanoseconds_rounded_to_the_nearest)
{
    assert_int_equal(1000, cycles_to_ns((cycles){1000}, 1000).v);
    assert_int_equal(741, cycles_to_ns((cycles){1000}, 1350).v); // 740.74
    assert_int_equal(1, cycles_to_ns((cycles){1}, 1350).v);      // 0.74
    assert_int_equal(0, cycles_to_ns((cycles){0}, 1350).v);
    assert_int_equal(2, cycles_to_ns((cycles){3}, 2000).v); // 1.5
    assert_int_equal(INT64_C(10000000000000000),
                     cycles_to_ns((cycles){UINT64_C(10000000000000000)}, 1000).v);
}

TEST(units_cycles_of_any_run_become_nanoseconds)
{
    // A thousand times this many do not fit in 64 bits.
    assert_int_equal(INT64_C(20000000000000000),
                     cycles_to_ns((cycles){UINT64_C(20000000000000000)}, 1000).v);
    assert_int_equal(INT64_C(1844674407370955),
                     cycles_to_ns((cycles){UINT64_MAX}, MHZ_MOST).v / 100);
}

TEST(units_print_as_the_reports_do)
{
    assert_string_equal("", unit_text(UNIT_NONE));
    assert_string_equal("%", unit_text(UNIT_PERCENT));
    assert_string_equal("\xCE\xBCs", unit_text(UNIT_MICROS)); // U+03BC, not U+00B5
    assert_string_equal("GB/s", unit_text(UNIT_GB_S));
    assert_string_equal("TFLOPs", unit_text(UNIT_TFLOPS));
    assert_string_equal("MHz", unit_text(UNIT_MHZ));
}
