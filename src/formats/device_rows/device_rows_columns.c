// device_rows_columns.c - maps columns of cpp_device_perf_report.csv to their use.
#include "formats/device_rows/device_lines.h"
#include "formats/device_rows/device_rows_parts.h"

static const struct {
    const char *name;
    enum device_place_kind kind;
} ids[] = {
    {DEVICE_REPORT_ID, PLACE_OP},
    {"DEVICE ID", PLACE_DEVICE},
    {"METAL TRACE ID", PLACE_TRACE},
    {"METAL TRACE REPLAY SESSION ID", PLACE_SESSION},
    {"DEVICE ARCH", PLACE_ARCH},
    // The columns of firmware and kernels have the same numbers.
    {"DEVICE TRACE FIRMWARE DURATION [ns]", PLACE_REPLAY},
    {"DEVICE TRACE KERNEL DURATION [ns]", PLACE_REPLAY},
};

// Known but not reported: the host's name of the op says more.
static const char *const passed_over[] = {"OP NAME"};

// Columns of a report that usually come from elsewhere, and suffixes of counter columns.
static const char *const more_columns[] = {
    "MATH FIDELITY",          "PARALLELIZATION STRATEGY", "NOC UTIL (%)",
    "MULTICAST NOC UTIL (%)", "DRAM BW UTIL (%)",         "DRAM BW UTIL PER CTRL (%)",
    "ETH BW UTIL (%)",        "NPE CONG IMPACT (%)",
};
static const char *const counter_tails[] = {
    " Min (%)", " Median (%)", " Max (%)", " Avg (%)", " util on full grid (%)",
    " Min",     " Median",     " Max",     " Avg",
};

static bool is_among(str name, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (str_is(name, list[i]))
            return true;
    return false;
}

static bool is_of_report(str name)
{
    if (is_among(name, more_columns, sizeof more_columns / sizeof *more_columns))
        return true;
    for (size_t i = 0; i < sizeof counter_tails / sizeof *counter_tails; i++)
        if (str_ends(name, str_of(counter_tails[i])))
            return true;
    return device_rows_is_quasar_column(name);
}

struct device_place device_rows_place(str name)
{
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (str_is(name, ids[i].name))
            return (struct device_place){.kind = ids[i].kind};
    for (uint32_t i = 0; i < DEVICE_NUMBERS; i++)
        if (str_is(name, device_number_columns[i]))
            return (struct device_place){.kind = PLACE_NUMBER, .index = i};
    if (is_of_report(name))
        return (struct device_place){.kind = PLACE_EXTRA,
                                     .is_quasar = device_rows_is_quasar_column(name)};
    bool is_known =
        !name.n || is_among(name, passed_over, sizeof passed_over / sizeof *passed_over);
    return (struct device_place){.kind = is_known ? PLACE_IGNORED : PLACE_UNKNOWN};
}
