// options_table.c - the variables that the profiler obeys; parses and formats their values.
#include "collect/readout/options_table.h"

#include "base/text/num.h"

enum { PATH_BYTES = sizeof((struct profiler_options *)0)->folder };

static const struct {
    const char *name;
    uint32_t mask;
} riscs[] = {{"BRISC", 1},    {"NCRISC", 2},        {"TRISC_0", 4}, {"TRISC_1", 8},
             {"TRISC_2", 16}, {"ERISC", 1},         {"TRISC0", 4},  {"TRISC1", 8},
             {"TRISC2", 16},  {"TRISC", 4 + 8 + 16}};
enum { RISCS_SHOWN = 5 }; // names in the table that stand for one bit each

// --- types -----------------------------------------------------------------------------
static bool parse_switch(const struct field *f, str text, void *to)
{
    (void)f;
    *(bool *)to = text.n && text.p[0] == '1';
    return true;
}

static bool parse_set(const struct field *f, str text, void *to)
{
    (void)f;
    (void)text;
    return *(bool *)to = true;
}

static double bool_number(const void *at)
{
    return *(const bool *)at;
}

static void put_bool(const struct field *f, const void *at, struct buf *b)
{
    (void)f;
    buf_z(b, *(const bool *)at ? "1" : "0");
}

// 0: unknown.
static uint32_t risc_mask(str name)
{
    for (size_t i = 0; i < sizeof riscs / sizeof *riscs; i++)
        if (str_eq_nocase(name, str_of(riscs[i].name)))
            return riscs[i].mask;
    return 0;
}

// The first unknown name of a list; empty if all are known.
static str first_unknown(str list)
{
    while (list.n) {
        str name = str_trim(str_cut(&list, ','));
        if (!risc_mask(name))
            return name;
    }
    return list;
}

static bool parse_riscs(const struct field *f, str text, void *to)
{
    uint32_t mask = 0;
    (void)f;
    if (str_eq_nocase(text, S("all")))
        text.n = 0;
    while (text.n) {
        uint32_t one = risc_mask(str_trim(str_cut(&text, ',')));
        if (!one)
            return false;
        mask |= one;
    }
    *(uint32_t *)to = mask;
    return true;
}

static void put_riscs(const struct field *f, const void *at, struct buf *b)
{
    uint32_t mask = *(const uint32_t *)at;
    size_t from = b->n;
    (void)f;
    for (size_t i = 0; i < RISCS_SHOWN; i++)
        if (mask & riscs[i].mask)
            buf_printf(b, "%s%s", b->n > from ? "," : "", riscs[i].name);
    if (!mask)
        buf_z(b, "all");
}

static bool take_path(str text, const char *tail, char *to)
{
    size_t n = strlen(tail);
    if (text.n && text.p[text.n - 1] == '/' && n)
        text.n--;
    if (text.n + n >= PATH_BYTES)
        return false;
    memcpy(to, text.p, text.n);
    memcpy(to + text.n, tail, n + 1);
    return true;
}

static bool parse_folder(const struct field *f, str text, void *to)
{
    (void)f;
    return take_path(text, "/", to);
}

static bool parse_home(const struct field *f, str text, void *to)
{
    (void)f;
    return take_path(text, "/generated/profiler/", to);
}

static bool parse_place(const struct field *f, str text, void *to)
{
    (void)f;
    return take_path(text, "", to);
}

static void put_path(const struct field *f, const void *at, struct buf *b)
{
    (void)f;
    buf_z(b, at);
}

// clang-format off
const struct field_type variable_switch        = {sizeof(bool), parse_switch, bool_number, put_bool};
static const struct field_type type_set        = {sizeof(bool), parse_set, bool_number, put_bool};
static const struct field_type type_riscs      = {sizeof(uint32_t), parse_riscs, NULL, put_riscs};
static const struct field_type type_folder     = {PATH_BYTES, parse_folder, NULL, put_path};
const struct field_type variable_home          = {PATH_BYTES, parse_home, NULL, NULL};
static const struct field_type type_place      = {PATH_BYTES, parse_place, NULL, put_path};
// clang-format on

// --- the table -------------------------------------------------------------------------
#define AT(field) offsetof(struct profiler_options, field)

enum { COUNT_MOST = 60 * 1000 * 1000 }; // x 64 bytes still fits a 32-bit size

// clang-format off
#define SWITCH(name, at, needs, what)             {{name, &variable_switch, AT(at), 0, 0, NULL}, needs, what}
#define NUMBER(name, at, type, least, most, what) {{name, type, AT(at), least, most, NULL}, false, what}
#define CHOICE(name, at, words, what)             {{name, &field_word_nocase, AT(at), 0, 0, words}, false, what}
#define FIELD(name, at, type, what)               {{name, type, AT(at), 0, 0, NULL}, false, what}
#define OTHER(name, what)                         {{name, NULL, 0, 0, 0, NULL}, false, what}
const struct variable variables[] = {
    SWITCH("TT_METAL_DEVICE_PROFILER", is_enabled, false, "the device profiler"),
    SWITCH("TT_METAL_DEVICE_PROFILER_DISPATCH", dispatch, true, "also profile dispatch cores"),
    SWITCH("TT_METAL_PROFILER_SYNC", sync, true, "clock sync of host and devices"),
    SWITCH("TT_METAL_DEVICE_PROFILER_NOC_EVENTS", noc_events, false, "record NoC events as noc_trace_*.json"),
    FIELD("TT_METAL_DEVICE_PROFILER_NOC_EVENTS_RPT_PATH", noc_folder, &type_place, "folder of the NoC traces; empty: the logs folder"),
    NUMBER("TT_METAL_PROFILE_PERF_COUNTERS", counters, &field_bits, 0, 511, "groups of hardware counters as a bit field; 47: all"),
    SWITCH("TT_METAL_MEM_PROFILER", memory, false, "records of device buffers"),
    SWITCH("TT_METAL_TRACE_PROFILER", trace_only, true, "only whole trace replays, one zone each"),
    SWITCH("TT_METAL_PROFILER_TRACE_TRACKING", trace_tracking, false, "trace messages in the host recording"),
    SWITCH("TT_METAL_PROFILER_MID_RUN_DUMP", mid_run_dump, true, "read whenever a core nears full, and write files at every read"),
    SWITCH("TT_METAL_PROFILER_CPP_POST_PROCESS", cpp_post_process, true, "cpp_device_perf_report.csv, and program figures at run time"),
    SWITCH("TT_METAL_PROFILER_SUM", sum, true, "sum zones (DeviceZoneScopedSumN1, N2)"),
    SWITCH("TT_METAL_PROFILER_ACCUMULATE", accumulate, true, "several programs in one L1 buffer, pushed when it is full; no program ids"),
    NUMBER("TT_METAL_PROFILER_PROGRAM_SUPPORT_COUNT", program_count, &field_int, 0, COUNT_MOST, "programs between two reads that fit in DRAM; 0: 1000, or 500 in stall mode"),
    SWITCH("TT_METAL_PROFILER_DISABLE_DUMP_TO_FILES", no_files, false, "write no device files"),
    SWITCH("TT_METAL_PROFILER_DISABLE_PUSH_TO_TRACY", no_push, true, "do not send device zones to a Tracy server that is connected"),
    FIELD("TT_METAL_TRACY_MID_RUN_PUSH", mid_run_push, &type_set, "no effect: zones are sent at each dump, see TT_METAL_PROFILER_MID_RUN_DUMP"),
    SWITCH("TT_METAL_NOC_DEBUG_DUMP", noc_debug, false, "every NoC event with addresses; the device waits instead of dropping"),
    FIELD("TT_METAL_HOME", folder, &variable_home, "its generated/profiler/ is the artifacts folder"),
    FIELD("TT_METAL_PROFILER_DIR", folder, &type_folder, "artifacts folder; the logs are in its .logs/"),
    FIELD("TT_METAL_PROFILER_NO_CACHE_OP_INFO", no_op_cache, &type_set, "the full record of every host op"),
    FIELD("TT_METAL_SLOW_DISPATCH_MODE", slow_dispatch, &type_set, "programs are launched without dispatch cores"),
    CHOICE("TTPROF_LEVEL", level, "off coarse all", "off: markers do nothing; coarse: firmware and kernel zones; all"),
    CHOICE("TTPROF_OVERFLOW", overflow, "drop stall auto", "full buffers: drop markers, or stall until they are read; auto: stall with mid-run dumps"),
    SWITCH("TTPROF_WATERMARK", watermark, false, "read between programs before the buffers are full"),
    SWITCH("TTPROF_FLUSH_ZONES", flush_zones, false, "record the profiler's own pushes as zones"),
    FIELD("TTPROF_RISCS", riscs, &type_riscs, "RISCs that record: all, or a list such as BRISC,TRISC_1"),
    NUMBER("TTPROF_SYNC_SPACING_US", sync_spacing_us, &field_int, 1, 1000000, "microseconds between two clock samples"),
    SWITCH("TTPROF_SYNC_ADAPTIVE", sync_adaptive, false, "stop sampling when the fit is good enough"),
    FIELD("TTPROF_DUMP_RAW", dump_raw, &type_place, "folder for raw device words; 'ttprof decode' reads it"),
    OTHER("TTPROF_DEVICE", "configuration of the software device"),
    OTHER("TTPROF_THREADS", "host threads used for a report"),
};
// clang-format on
const size_t n_variables = sizeof variables / sizeof *variables;
_Static_assert(sizeof variables / sizeof *variables <= PROFILER_SETTINGS_MOST,
               "profiler_settings has room for all");

const struct variable *variable_find(str name)
{
    return fields_find((struct fields){variables, n_variables, sizeof *variables}, name);
}

static bool is_missing(const struct variable *v, str value)
{
    // An empty folder counts as not set.
    bool is_folder = v->field.type == &type_folder || v->field.type == &variable_home;
    return !v->field.type || (is_folder && !value.n);
}

static bool report_malformed(const struct variable *v, str value, struct err *e)
{
    const struct field *f = &v->field;
    if (f->words)
        return err_set(e, ERR_USAGE, "%s: invalid value '%.*s'; use one of: %s", f->name,
                       STR(value), f->words);
    if (f->type == &type_riscs)
        return err_set(
            e, ERR_USAGE,
            "%s: '%.*s' is not a RISC; use 'all' or a list of: BRISC NCRISC TRISC_0 TRISC_1 TRISC_2 ERISC",
            f->name, STR(first_unknown(value)));
    if (f->type->bytes == PATH_BYTES)
        return err_set(e, ERR_USAGE, "%s: the path has %zu bytes; the maximum is 500",
                       f->name, value.n);
    return err_set(e, ERR_USAGE, "%s: '%.*s' is not a number", f->name, STR(value));
}

bool variable_take(const struct variable *v, struct profiler_options *o, str value,
                   struct err *e)
{
    const struct field *f = &v->field;
    enum field_result result =
        is_missing(v, value) ? FIELD_OK : field_read(f, value, field_of(f, o));
    if (result == FIELD_MALFORMED)
        return report_malformed(v, value, e);
    int64_t n = 0;
    (void)num_int(value, &n);
    return result == FIELD_OK ||
           err_set(e, ERR_USAGE, "%s: %lld is not between %.0f and %.0f", f->name,
                   (long long)n, f->least, f->most);
}

void variable_put(const struct variable *v, const struct profiler_options *o, struct buf *b)
{
    if (v->field.type)
        field_put(&v->field, (const char *)o + v->field.at, b);
}

bool variable_is_on(const struct variable *v, const struct profiler_options *o)
{
    const struct field_type *type = v->field.type;
    return type && type->number && type->number((const char *)o + v->field.at) != 0;
}
