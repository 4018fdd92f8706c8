// options.c - reads the profiler's settings from the environment, then applies dependencies
// and conflicts.
#include "collect/readout/options.h"

#include <stdio.h>

#include "collect/readout/options_table.h"
#include "ttprof/perf_counters.h"

enum {
    PROGRAM_BYTES = 48, // of one program's ids and guaranteed markers
    PROGRAM_BYTES_SUM = 64,
    PROGRAM_BYTES_DISPATCH = 560, // what a dispatcher records for it
};

// Variables that affect others, in order of application.
static const struct rule {
    const char *when, *then, *value;
    const char *told; // warning if this overrides a request; NULL: none
    bool is_default;  // applies last, and leaves values that were given
} rules[] = {
    {"TT_METAL_NOC_DEBUG_DUMP", "TT_METAL_DEVICE_PROFILER_NOC_EVENTS", "1", NULL, false},
    {"TT_METAL_NOC_DEBUG_DUMP", "TTPROF_OVERFLOW", "stall", NULL, false},
    {"TT_METAL_DEVICE_PROFILER_NOC_EVENTS", "TT_METAL_DEVICE_PROFILER", "1", NULL, false},
    {"TT_METAL_PROFILE_PERF_COUNTERS", "TT_METAL_DEVICE_PROFILER", "1", NULL, false},
    {"TT_METAL_PROFILER_ACCUMULATE", "TT_METAL_PROFILER_SYNC", "0",
     "TT_METAL_PROFILER_SYNC has no effect: TT_METAL_PROFILER_ACCUMULATE skips the sync",
     false},
    {"TT_METAL_PROFILER_ACCUMULATE", "TT_METAL_PROFILER_CPP_POST_PROCESS", "0",
     "TT_METAL_PROFILER_CPP_POST_PROCESS has no effect: TT_METAL_PROFILER_ACCUMULATE keeps no program ids",
     false},
    {"TT_METAL_PROFILER_ACCUMULATE", "TTPROF_OVERFLOW", "drop",
     "TTPROF_OVERFLOW=stall has no effect: with TT_METAL_PROFILER_ACCUMULATE no RISC waits for the host; TTPROF_WATERMARK=1 reads before regions are full",
     false},
    {"TT_METAL_TRACE_PROFILER", "TTPROF_OVERFLOW", "drop",
     "TTPROF_OVERFLOW=stall has no effect: with TT_METAL_TRACE_PROFILER no RISC waits for the host; TTPROF_WATERMARK=1 reads before regions are full",
     false},
    // Dumps in mid-run are there so that nothing is lost: between programs the host reads
    // in time, within one the device waits.
    {"TT_METAL_PROFILER_MID_RUN_DUMP", "TTPROF_WATERMARK", "1", NULL, true},
    {"TT_METAL_PROFILER_MID_RUN_DUMP", "TTPROF_OVERFLOW", "stall", NULL, true},
};
enum { N_RULES = sizeof rules / sizeof *rules };

void profiler_options_default(struct profiler_options *o)
{
    *o = (struct profiler_options){.level = TT_LEVEL_ALL,
                                   .overflow = OVERFLOW_AUTO,
                                   .sync_spacing_us = 1000,
                                   .folder = "generated/profiler/"};
}

// --- reading ---------------------------------------------------------------------------
static bool is_profiler_variable(str name)
{
    return str_starts(name, S("TT_METAL_")) || str_starts(name, S("TTPROF_"));
}

// TT_METAL_DPRINT_CORES, _ETH_CORES and the like enable debug printing.
static bool is_debug_print(str name, str value)
{
    return str_starts(name, S("TT_METAL_DPRINT_")) && str_ends(name, S("CORES")) && value.n;
}

static void warn_unknown(str name, struct buf *warnings)
{
    struct buf nearest = {0};
    if (variable_suggest(name, &nearest))
        buf_printf(warnings, "unknown variable %.*s; did you mean %.*s?\n", STR(name),
                   STR(nearest));
    else
        buf_printf(warnings, "unknown variable %.*s; 'ttprof doctor' lists all\n",
                   STR(name));
    buf_free(&nearest);
}

// "true" and "on" look as if they enabled something, but only '1' does.
static void warn_not_on(const struct variable *v, str value, struct buf *warnings)
{
    static const char words[] = "true yes on enable enabled y t";
    str rest = str_of(words);
    while (v->field.type == &variable_switch && rest.n)
        if (str_eq_nocase(str_cut(&rest, ' '), value))
            buf_printf(warnings,
                       "%s=%.*s does not enable it: the value must start with 1\n",
                       v->field.name, STR(value));
}

bool profiler_options_set(struct profiler_options *o, str variable, str value,
                          struct err *e)
{
    const struct variable *v = variable_find(variable);
    o->debug_print |= is_debug_print(variable, value);
    return !v || variable_take(v, o, value, e);
}

// The value of a variable; false if it is not set.
static bool value_of(const char *const *environment, const char *name, str *value)
{
    for (size_t i = 0; environment && environment[i]; i++) {
        str rest = str_of(environment[i]);
        if (str_is(str_cut(&rest, '='), name)) {
            *value = rest;
            return true;
        }
    }
    return false;
}

size_t profiler_options_take(struct profiler_options *o, const char *const *environment,
                             struct buf *warnings, struct buf *problems)
{
    size_t n = 0;
    for (size_t i = 0; environment && environment[i]; i++) {
        str value = str_of(environment[i]);
        str name = str_cut(&value, '=');
        o->debug_print |= is_debug_print(name, value);
        if (is_profiler_variable(name) && !variable_is_known(name))
            warn_unknown(name, warnings);
    }
    // In table order, so that the order of the environment does not matter.
    for (size_t i = 0; i < n_variables; i++) {
        struct err e = {0};
        str value = {0};
        if (!value_of(environment, variables[i].field.name, &value))
            continue;
        warn_not_on(&variables[i], value, warnings);
        if (!variable_take(&variables[i], o, value, &e)) {
            buf_printf(problems, "%s\n", e.text);
            n++;
        }
    }
    return n;
}

// --- dependencies ----------------------------------------------------------------------
static bool is_value(const struct variable *v, const struct profiler_options *o,
                     const char *value)
{
    struct buf now = {0};
    variable_put(v, o, &now);
    bool is_same = str_is(buf_view(&now), value);
    buf_free(&now);
    return is_same;
}

// Whether the value was not given: a switch that is off, or a choice left to the rules.
static bool is_open(const struct variable *v, const struct profiler_options *o)
{
    return is_value(v, o, "auto") || is_value(v, o, "0");
}

static bool rule_applies(const struct rule *r, const struct profiler_options *o)
{
    const struct variable *then = variable_find(str_of(r->then));
    return variable_is_on(variable_find(str_of(r->when)), o) &&
           !is_value(then, o, r->value) && (!r->is_default || is_open(then, o));
}

static void apply_rules(struct profiler_options *o, bool defaults, struct buf *warnings)
{
    struct err e = {0};
    for (size_t i = 0; i < N_RULES; i++) {
        if (rules[i].is_default != defaults || !rule_applies(&rules[i], o))
            continue;
        if (rules[i].told && !is_value(variable_find(str_of(rules[i].then)), o, "auto"))
            buf_printf(warnings, "%s\n", rules[i].told);
        (void)variable_take(variable_find(str_of(rules[i].then)), o, str_of(rules[i].value),
                            &e);
    }
}

// Options that need a running profiler are off without it.
static void drop_needless(struct profiler_options *o, struct buf *warnings)
{
    struct err e = {0};
    for (size_t i = 0; i < n_variables && !o->is_enabled; i++) {
        const struct variable *v = &variables[i];
        if (!v->needs_profiler || !variable_is_on(v, o))
            continue;
        buf_printf(
            warnings,
            "%s has no effect: the device profiler is off; set TT_METAL_DEVICE_PROFILER=1 to enable it\n",
            v->field.name);
        (void)variable_take(v, o, S("0"), &e);
    }
}

int64_t profiler_program_bytes(const struct profiler_options *o)
{
    if (o->dispatch)
        return PROGRAM_BYTES_DISPATCH;
    return o->sum ? PROGRAM_BYTES_SUM : PROGRAM_BYTES;
}

// The region must be larger than one L1 vector, which is sent in one piece.
static int64_t program_count(const struct profiler_options *o, struct buf *warnings)
{
    int64_t asked = o->program_count                ? o->program_count
                    : o->overflow == OVERFLOW_STALL ? 500
                                                    : 1000;
    int64_t n = asked;
    while (n * profiler_program_bytes(o) <= TT_PROFILER_BUFFER_BYTES)
        n++;
    if (n != asked)
        buf_printf(
            warnings,
            "Profiler program support count must be >= %lld. Increasing program support count from %lld to %lld.\n",
            (long long)n, (long long)asked, (long long)n);
    return n;
}

size_t profiler_conflicts(const struct profiler_options *o, struct buf *problems)
{
    uint32_t banks = o->counters & TT_PERF_L1_GROUPS; // share one multiplexer
    const struct {
        bool is_there;
        const char *text;
    } conflicts[] = {
        {o->is_enabled && o->debug_print,
         "Cannot enable both debug printing and profiling: unset the TT_METAL_DPRINT_* variables, or TT_METAL_DEVICE_PROFILER"},
        {o->mid_run_dump && o->trace_only,
         "Cannot dump data mid-run if only profiling trace runs: unset TT_METAL_PROFILER_MID_RUN_DUMP or TT_METAL_TRACE_PROFILER"},
        {o->mid_run_dump && o->dispatch,
         "Cannot dump data mid-run if profiling dispatch cores: unset TT_METAL_PROFILER_MID_RUN_DUMP or TT_METAL_DEVICE_PROFILER_DISPATCH"},
        {(banks & (banks - 1)) != 0,
         "Multiple L1 perf counter banks cannot be enabled simultaneously. They share the "
         "same hardware mux. Set one of the bits 8, 16, 64, 128 and 256 of "
         "TT_METAL_PROFILE_PERF_COUNTERS"},
    };
    size_t n = 0;
    for (size_t i = 0; i < sizeof conflicts / sizeof *conflicts; i++) {
        if (!conflicts[i].is_there)
            continue;
        buf_printf(problems, "%s\n", conflicts[i].text);
        n++;
    }
    return n;
}

static bool fail_first(const struct buf *problems, struct err *e)
{
    str rest = buf_view(problems);
    str line = str_cut(&rest, '\n');
    return err_set(e, ERR_USAGE, "%.*s", STR(line));
}

bool profiler_options_settle(struct profiler_options *o, struct buf *warnings,
                             struct err *e)
{
    struct buf problems = {0};
    apply_rules(o, false, warnings);
    drop_needless(o, warnings);
    apply_rules(o, true, warnings);
    if (o->overflow == OVERFLOW_AUTO)
        o->overflow = OVERFLOW_DROP;
    if (o->is_enabled && o->program_count)
        o->program_count = program_count(o, warnings);
    if (o->mid_run_dump && o->sync)
        buf_z(
            warnings,
            "TT_METAL_PROFILER_MID_RUN_DUMP with TT_METAL_PROFILER_SYNC: device clocks are aligned less well, because dumps come before the last sync\n");
    bool is_fine = !profiler_conflicts(o, &problems) || fail_first(&problems, e);
    buf_free(&problems);
    return is_fine;
}

bool profiler_options_read(struct profiler_options *o, const char *const *environment,
                           struct buf *warnings, struct err *e)
{
    struct buf problems = {0};
    profiler_options_default(o);
    bool is_fine = !profiler_options_take(o, environment, warnings, &problems) ||
                   fail_first(&problems, e);
    buf_free(&problems);
    return is_fine && profiler_options_settle(o, warnings, e);
}

// --- settings for the device and the files ---------------------------------------------
uint32_t profiler_flags(const struct profiler_options *o)
{
    const struct {
        bool is_on;
        uint32_t flag;
    } flags[] = {{o->overflow == OVERFLOW_STALL, TT_FLAG_STALL},
                 {o->sum, TT_FLAG_SUM},
                 {o->noc_events, TT_FLAG_NOC_EVENTS},
                 {o->trace_only, TT_FLAG_TRACE_ONLY},
                 {o->accumulate, TT_FLAG_ACCUMULATE},
                 {o->flush_zones, TT_FLAG_FLUSH_ZONES},
                 {o->noc_debug, TT_FLAG_NOC_DEBUG},
                 {o->dispatch, TT_FLAG_DISPATCH}};
    uint32_t word = (uint32_t)o->level & TT_FLAG_LEVEL;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        word |= flags[i].is_on ? flags[i].flag : 0;
    word |= (o->riscs & 0xFF) << TT_FLAG_RISC_SHIFT;
    word |= (o->counters & 0x1FF) << TT_FLAG_COUNTER_SHIFT;
    return o->is_enabled ? word : 0;
}

uint32_t profiler_region_bytes(const struct profiler_options *o, struct buf *warnings)
{
    return (uint32_t)(program_count(o, warnings) * profiler_program_bytes(o));
}

int profiler_region_buffers(const struct profiler_options *o)
{
    return o->is_enabled && o->overflow == OVERFLOW_STALL ? 2 : 1;
}

int profiler_variant(const struct profiler_options *o)
{
    if (!o->is_enabled)
        return 0;
    return o->noc_events || o->noc_debug ? 2 : 1;
}

void profiler_logs_folder(const struct profiler_options *o, char *out, size_t n)
{
    (void)snprintf(out, n, "%s%s/", o->folder, o->logs[0] ? o->logs : ".logs");
}

// --- listing ---------------------------------------------------------------------------
// Why a variable differs from the value it was given.
static const char *reason_of(const struct variable *v, const struct profiler_options *given,
                             const struct profiler_options *o, struct arena *a)
{
    for (size_t i = 0; i < N_RULES; i++)
        if (str_is(str_of(v->field.name), rules[i].then) &&
            (variable_is_on(variable_find(str_of(rules[i].when)), o) ||
             variable_is_on(variable_find(str_of(rules[i].when)), given)))
            return arena_printf(a, "set by %s", rules[i].when).p;
    if (v->needs_profiler && !o->is_enabled)
        return "no effect: the profiler is off";
    return "given";
}

static const char *source_of(const struct variable *v, const struct profiler_options *given,
                             const struct profiler_options *o,
                             const char *const *environment, struct arena *a)
{
    struct buf before = {0}, now = {0};
    str value = {0};
    variable_put(v, given, &before);
    variable_put(v, o, &now);
    bool is_same = str_eq(buf_view(&before), buf_view(&now));
    buf_free(&before);
    buf_free(&now);
    if (!is_same)
        return reason_of(v, given, o, a);
    return value_of(environment, v->field.name, &value) ? "environment" : "default";
}

size_t profiler_settings(const struct profiler_options *o, const char *const *environment,
                         struct profiler_setting out[PROFILER_SETTINGS_MOST],
                         struct arena *a)
{
    struct profiler_options given;
    struct buf unused = {0};
    profiler_options_default(&given);
    (void)profiler_options_take(&given, environment, &unused, &unused);
    if (given.overflow == OVERFLOW_AUTO)
        given.overflow = OVERFLOW_DROP;
    for (size_t i = 0; i < n_variables; i++) {
        const struct variable *v = &variables[i];
        str value = {0};
        unused.n = 0;
        variable_put(v, o, &unused);
        if (!v->field.type || v->field.type == &variable_home) {
            (void)value_of(environment, v->field.name, &value);
            buf_str(&unused, value);
        }
        out[i] =
            (struct profiler_setting){.variable = v->field.name,
                                      .value = arena_str(a, buf_view(&unused)).p,
                                      .source = source_of(v, &given, o, environment, a),
                                      .what = v->what};
    }
    buf_free(&unused);
    return n_variables;
}
