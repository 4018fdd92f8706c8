// units.h - units: types where cycles become nanoseconds, tags where numbers are shown.
//
// Elsewhere the unit is the end of a name: start_ns, idle_cycles, clock_mhz.
#ifndef TTP_BASE_DATA_UNITS_H
#define TTP_BASE_DATA_UNITS_H

#include <stdint.h>

typedef struct {
    uint64_t v;
} cycles; // device clock ticks

typedef struct {
    int64_t v;
} nanos; // host time or a duration

// No clock is faster: a larger number in a file or an option is an error.
enum { MHZ_MOST = 100000 };

// mhz: 1 to MHZ_MOST. Whole multiples of the clock first, so that the product cannot wrap.
static inline nanos cycles_to_ns(cycles c, uint32_t mhz)
{
    return (nanos){(int64_t)(c.v / mhz * 1000 + (c.v % mhz * 1000 + mhz / 2) / mhz)};
}

// The unit of a table column; the text is the one the reports print.
enum unit {
    UNIT_NONE,
    UNIT_PERCENT,
    UNIT_MICROS,
    UNIT_GB_S,
    UNIT_TFLOPS,
    UNIT_MHZ,
    UNIT_CYCLES,
    UNIT_NANOS,
    UNIT_MILLIS,
    UNITS
};

static inline const char *unit_text(enum unit u)
{
    static const char *const text[UNITS] = {
        [UNIT_NONE] = "",         [UNIT_PERCENT] = "%",     [UNIT_MICROS] = "\u03bcs",
        [UNIT_GB_S] = "GB/s",     [UNIT_TFLOPS] = "TFLOPs", [UNIT_MHZ] = "MHz",
        [UNIT_CYCLES] = "cycles", [UNIT_NANOS] = "ns",      [UNIT_MILLIS] = "ms",
    };
    return text[u];
}

#endif
