// options_table.c - the variables that the profiler obeys, and how their values are read
// and shown.
#include "collect/readout/options_table.h"

#include "base/text/num.h"

#define AT(field) offsetof(struct profiler_options, field)

enum { COUNT_MOST = 60 * 1000 * 1000 }; // x 64 bytes still fits a 32-bit size

const struct variable variables[] = {
    {.name = "TT_METAL_DEVICE_PROFILER",
     .at = AT(is_enabled),
     .what = "the device profiler"},
    {.name = "TT_METAL_DEVICE_PROFILER_DISPATCH",
     .at = AT(dispatch),
     .needs_profiler = true,
     .what = "dispatch cores as well"},
    {.name = "TT_METAL_PROFILER_SYNC",
     .at = AT(sync),
     .needs_profiler = true,
     .what = "clock sync of host and devices"},
    {.name = "TT_METAL_DEVICE_PROFILER_NOC_EVENTS",
     .at = AT(noc_events),
     .what = "NoC events, as noc_trace_*.json"},
    {.name = "TT_METAL_DEVICE_PROFILER_NOC_EVENTS_RPT_PATH",
     .kind = VARIABLE_PLACE,
     .at = AT(noc_folder),
     .what = "folder of the NoC traces; empty: the logs folder"},
    {.name = "TT_METAL_PROFILE_PERF_COUNTERS",
     .kind = VARIABLE_BITS,
     .at = AT(counters),
     .most = 511,
     .what = "groups of hardware counters as a bit field; 47: all"},
    {.name = "TT_METAL_MEM_PROFILER",
     .at = AT(memory),
     .what = "records of device buffers"},
    {.name = "TT_METAL_TRACE_PROFILER",
     .at = AT(trace_only),
     .needs_profiler = true,
     .what = "only whole trace replays, one zone each"},
    {.name = "TT_METAL_PROFILER_TRACE_TRACKING",
     .at = AT(trace_tracking),
     .what = "messages about traces in the host's trace"},
    {.name = "TT_METAL_PROFILER_MID_RUN_DUMP",
     .at = AT(mid_run_dump),
     .needs_profiler = true,
     .what = "write files at every read, not only at the end"},
    {.name = "TT_METAL_PROFILER_CPP_POST_PROCESS",
     .at = AT(cpp_post_process),
     .needs_profiler = true,
     .what = "cpp_device_perf_report.csv, and figures of programs while they run"},
    {.name = "TT_METAL_PROFILER_SUM",
     .at = AT(sum),
     .needs_profiler = true,
     .what = "sum zones (DeviceZoneScopedSumN1, N2)"},
    {.name = "TT_METAL_PROFILER_ACCUMULATE",
     .at = AT(accumulate),
     .needs_profiler = true,
     .what = "several programs in one L1 buffer, pushed when it is full; no program ids"},
    {.name = "TT_METAL_PROFILER_PROGRAM_SUPPORT_COUNT",
     .kind = VARIABLE_COUNT,
     .at = AT(program_count),
     .most = COUNT_MOST,
     .what = "programs between two reads that fit in DRAM; 0: 1000, or 500 in stall mode"},
    {.name = "TT_METAL_PROFILER_DISABLE_DUMP_TO_FILES",
     .at = AT(no_files),
     .what = "no files from the device"},
    {.name = "TT_METAL_PROFILER_DISABLE_PUSH_TO_TRACY",
     .at = AT(no_push),
     .needs_profiler = true,
     .what = "accepted, without effect: device and host meet in 'ttprof timeline' only"},
    {.name = "TT_METAL_TRACY_MID_RUN_PUSH",
     .kind = VARIABLE_SET,
     .at = AT(mid_run_push),
     .what = "accepted, without effect: device and host meet in 'ttprof timeline' only"},
    {.name = "TT_METAL_NOC_DEBUG_DUMP",
     .at = AT(noc_debug),
     .what = "every NoC event with addresses; the device waits where it would drop"},
    {.name = "TT_METAL_HOME",
     .kind = VARIABLE_HOME,
     .at = AT(folder),
     .what = "its generated/profiler/ is the artifacts folder"},
    {.name = "TT_METAL_PROFILER_DIR",
     .kind = VARIABLE_FOLDER,
     .at = AT(folder),
     .what = "artifacts folder; the logs are in its .logs/"},
    {.name = "TT_METAL_PROFILER_NO_CACHE_OP_INFO",
     .kind = VARIABLE_SET,
     .at = AT(no_op_cache),
     .what = "the whole record of every host op"},
    {.name = "TT_METAL_SLOW_DISPATCH_MODE",
     .kind = VARIABLE_SET,
     .at = AT(slow_dispatch),
     .what = "programs are launched without dispatch cores"},
    {.name = "TTPROF_LEVEL",
     .kind = VARIABLE_CHOICE,
     .at = AT(level),
     .choices = "off coarse all",
     .what = "off: markers do nothing; coarse: firmware and kernel zones; all"},
    {.name = "TTPROF_OVERFLOW",
     .kind = VARIABLE_CHOICE,
     .at = AT(overflow),
     .choices = "drop stall",
     .what = "full buffers: drop markers, or stall until they are read"},
    {.name = "TTPROF_WATERMARK",
     .at = AT(watermark),
     .what = "read between programs before the buffers are full"},
    {.name = "TTPROF_FLUSH_ZONES",
     .at = AT(flush_zones),
     .what = "the profiler's own pushes as zones"},
    {.name = "TTPROF_RISCS",
     .kind = VARIABLE_RISCS,
     .at = AT(riscs),
     .what = "RISCs that record: all, or a list such as BRISC,TRISC_1"},
    {.name = "TTPROF_SYNC_SPACING_US",
     .kind = VARIABLE_COUNT,
     .at = AT(sync_spacing_us),
     .least = 1,
     .most = 1000000,
     .what = "microseconds from one sample of the clocks to the next"},
    {.name = "TTPROF_SYNC_ADAPTIVE",
     .at = AT(sync_adaptive),
     .what = "stop sampling when the fit is good enough"},
    {.name = "TTPROF_DUMP_RAW",
     .kind = VARIABLE_PLACE,
     .at = AT(dump_raw),
     .what = "folder for the device's words as they are; 'ttprof decode' reads it"},
    {.name = "TTPROF_DEVICE",
     .kind = VARIABLE_OTHER,
     .what = "configuration of the software device"},
    {.name = "TTPROF_THREADS",
     .kind = VARIABLE_OTHER,
     .what = "host threads that work on a report"},
};
const size_t n_variables = sizeof variables / sizeof *variables;
_Static_assert(sizeof variables / sizeof *variables <= PROFILER_SETTINGS_MOST,
               "profiler_settings has room for all");

static const struct {
    const char *name;
    uint32_t mask;
} riscs[] = {{"BRISC", 1},    {"NCRISC", 2},        {"TRISC_0", 4}, {"TRISC_1", 8},
             {"TRISC_2", 16}, {"ERISC", 1},         {"TRISC0", 4},  {"TRISC1", 8},
             {"TRISC2", 16},  {"TRISC", 4 + 8 + 16}};
enum { RISCS_SHOWN = 5 }; // of the table: names that stand for one bit each

const struct variable *variable_find(str name)
{
    for (size_t i = 0; i < n_variables; i++)
        if (str_is(name, variables[i].name))
            return &variables[i];
    return NULL;
}

// --- from text -------------------------------------------------------------------------
static bool take_count(const struct variable *v, int64_t *to, str value, struct err *e)
{
    int64_t n = 0;
    if (!num_int(value, &n))
        return err_set(e, ERR_USAGE, "%s: '%.*s' is not a number", v->name, STR(value));
    if (n < v->least || n > v->most)
        return err_set(e, ERR_USAGE, "%s: %lld is not in %lld..%lld", v->name, (long long)n,
                       (long long)v->least, (long long)v->most);
    *to = n;
    return true;
}

static bool take_choice(const struct variable *v, int *to, str value, struct err *e)
{
    str rest = str_of(v->choices);
    for (int i = 0; rest.n; i++) {
        if (str_eq_nocase(str_cut(&rest, ' '), value)) {
            *to = i;
            return true;
        }
    }
    return err_set(e, ERR_USAGE, "%s: '%.*s' is not a choice; use one of: %s", v->name,
                   STR(value), v->choices);
}

static bool take_riscs(const struct variable *v, uint32_t *to, str value, struct err *e)
{
    uint32_t mask = 0;
    if (str_eq_nocase(value, S("all")))
        value.n = 0;
    while (value.n) {
        str name = str_trim(str_cut(&value, ','));
        size_t i = 0, n = sizeof riscs / sizeof *riscs;
        while (i < n && !str_eq_nocase(name, str_of(riscs[i].name)))
            i++;
        if (i == n)
            return err_set(e, ERR_USAGE,
                           "%s: '%.*s' is not a RISC; use 'all' or a list of: BRISC "
                           "NCRISC TRISC_0 TRISC_1 TRISC_2 ERISC",
                           v->name, STR(name));
        mask |= riscs[i].mask;
    }
    *to = mask;
    return true;
}

static bool take_path(const struct variable *v, char to[512], str value, const char *tail,
                      struct err *e)
{
    size_t n = strlen(tail);
    if (value.n && value.p[value.n - 1] == '/' && n)
        value.n--;
    if (value.n + n >= 512)
        return err_set(e, ERR_USAGE, "%s: the path has %zu bytes; 500 is the most", v->name,
                       value.n);
    memcpy(to, value.p, value.n);
    memcpy(to + value.n, tail, n + 1);
    return true;
}

static bool take_bits(const struct variable *v, uint32_t *to, str value, struct err *e)
{
    int64_t n = 0;
    bool is_fine = take_count(v, &n, value, e);
    if (is_fine)
        *to = (uint32_t)n;
    return is_fine;
}

bool variable_take(const struct variable *v, struct profiler_options *o, str value,
                   struct err *e)
{
    void *to = (char *)o + v->at;
    switch (v->kind) {
    case VARIABLE_SWITCH: *(bool *)to = value.n && value.p[0] == '1'; return true;
    case VARIABLE_SET: *(bool *)to = true; return true;
    case VARIABLE_COUNT: return take_count(v, to, value, e);
    case VARIABLE_BITS: return take_bits(v, to, value, e);
    case VARIABLE_CHOICE: return take_choice(v, to, value, e);
    case VARIABLE_RISCS: return take_riscs(v, to, value, e);
    // An empty folder is no folder: as if the variable were not there.
    case VARIABLE_FOLDER: return !value.n || take_path(v, to, value, "/", e);
    case VARIABLE_HOME:
        return !value.n || take_path(v, to, value, "/generated/profiler/", e);
    case VARIABLE_PLACE: return take_path(v, to, value, "", e);
    case VARIABLE_OTHER: return true;
    }
    return true;
}

// --- to text ---------------------------------------------------------------------------
static void put_riscs(uint32_t mask, struct buf *b)
{
    size_t from = b->n;
    for (size_t i = 0; i < RISCS_SHOWN; i++)
        if (mask & riscs[i].mask)
            buf_printf(b, "%s%s", b->n > from ? "," : "", riscs[i].name);
    if (!mask)
        buf_z(b, "all");
}

static void put_choice(const char *choices, int at, struct buf *b)
{
    str rest = str_of(choices), word = {0};
    for (int i = 0; i <= at; i++)
        word = str_cut(&rest, ' ');
    buf_str(b, word);
}

void variable_put(const struct variable *v, const struct profiler_options *o, struct buf *b)
{
    const void *at = (const char *)o + v->at;
    switch (v->kind) {
    case VARIABLE_SWITCH:
    case VARIABLE_SET: buf_z(b, *(const bool *)at ? "1" : "0"); break;
    case VARIABLE_COUNT: num_put_int(b, *(const int64_t *)at); break;
    case VARIABLE_BITS: num_put_int(b, *(const uint32_t *)at); break;
    case VARIABLE_CHOICE: put_choice(v->choices, *(const int *)at, b); break;
    case VARIABLE_RISCS: put_riscs(*(const uint32_t *)at, b); break;
    case VARIABLE_FOLDER:
    case VARIABLE_PLACE: buf_z(b, at); break;
    case VARIABLE_HOME:
    case VARIABLE_OTHER: break;
    }
}

bool variable_is_on(const struct variable *v, const struct profiler_options *o)
{
    const void *at = (const char *)o + v->at;
    if (v->kind == VARIABLE_SWITCH || v->kind == VARIABLE_SET)
        return *(const bool *)at;
    if (v->kind == VARIABLE_BITS)
        return *(const uint32_t *)at != 0;
    return v->kind == VARIABLE_COUNT && *(const int64_t *)at != 0;
}
