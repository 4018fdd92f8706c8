// profile.c - the profiler around a run on the software device.
#include "app/sim/profile.h"

#include <stdio.h>
#include <unistd.h>

#include "base/text/log.h"
#include "base/text/num.h"

#include "arch/arch.h"
#include "collect/decode/counter_groups.h"
#include "collect/readout/collection.h"
#include "profiler/device_profiler.h"

static void tell_lines(const char *command, str lines)
{
    while (lines.n) {
        str line = str_cut(&lines, '\n');
        if (line.n)
            log_line("%s: %.*s", command, STR(line));
    }
}

// --- options ---------------------------------------------------------------------------
// Options equivalent to a variable.
struct said {
    const char *variable, *value; // NULL: not given
};

static bool set_options(const struct sim_profile *v, struct profiler_options *o,
                        struct err *e)
{
    char counters[16] = "", programs[24] = "";
    uint32_t bits = 0;
    if (v->counters && !counter_groups_parse(str_of(v->counters), &bits, e))
        return false;
    (void)snprintf(counters, sizeof counters, "%u", bits);
    (void)snprintf(programs, sizeof programs, "%lld", (long long)v->op_support_count);
    const struct said said[] = {
        {"TT_METAL_DEVICE_PROFILER", v->profile ? "1" : NULL},
        {"TT_METAL_PROFILER_SYNC", v->sync ? "1" : NULL},
        {"TT_METAL_DEVICE_PROFILER_NOC_EVENTS", v->noc_traces ? "1" : NULL},
        {"TT_METAL_PROFILE_PERF_COUNTERS", v->counters ? counters : NULL},
        {"TT_METAL_PROFILER_SUM", v->sum ? "1" : NULL},
        {"TT_METAL_PROFILER_ACCUMULATE", v->accumulate ? "1" : NULL},
        {"TT_METAL_DEVICE_PROFILER_DISPATCH", v->dispatch ? "1" : NULL},
        {"TT_METAL_TRACE_PROFILER", v->trace_only ? "1" : NULL},
        {"TT_METAL_PROFILER_MID_RUN_DUMP", v->mid_run ? "1" : NULL},
        {"TT_METAL_PROFILER_CPP_POST_PROCESS", v->cpp_report ? "1" : NULL},
        {"TT_METAL_PROFILER_PROGRAM_SUPPORT_COUNT",
         v->op_support_count != INT64_MIN ? programs : NULL},
        {"TT_METAL_PROFILER_DISABLE_DUMP_TO_FILES", v->no_files ? "1" : NULL},
        {"TT_METAL_PROFILER_DIR", v->folder},
        {"TTPROF_LEVEL", v->level},
        {"TTPROF_RISCS", v->riscs},
        {"TTPROF_OVERFLOW", v->overflow},
        {"TTPROF_WATERMARK", v->watermark ? "1" : NULL},
        {"TTPROF_FLUSH_ZONES", v->flush_zones ? "1" : NULL},
        {"TTPROF_DUMP_RAW", v->dump_raw},
    };
    size_t n = 0;
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        if (!said[i].value)
            continue;
        n++;
        if (!profiler_options_set(o, str_of(said[i].variable), str_of(said[i].value), e))
            return false;
    }
    bool is_on = o->is_enabled || o->noc_events || o->noc_debug || o->counters;
    if (n && !is_on)
        return err_set(e, ERR_USAGE, "profile options need --profile");
    return true;
}

// Three banks of L1 counters are on Blackhole only.
static bool check_counters(const struct profiler_options *o, const ttdev_cfg *cfg,
                           struct err *e)
{
    struct buf names = {0};
    counter_groups_blackhole(o->counters, &names);
    if (names.n && cfg->arch != TT_BLACKHOLE)
        (void)err_set(
            e, ERR_USAGE,
            "Performance counter groups %.*s are supported only on Blackhole, but device arch is wormhole_b0.",
            STR(names));
    buf_free(&names);
    return e->code == ERR_NONE;
}

// Program buffers follow the profiler's part of every bank.
static bool check_region(const struct profiler_options *o, const ttdev_cfg *cfg,
                         struct err *e)
{
    const struct tt_layout *layout = &tt_layouts[cfg->arch];
    uint64_t regions =
        (uint64_t)TT_RISCS * layout->dram_profiler_cores * cfg->region_buffers;
    uint64_t bank = arch_of_device(cfg->arch)->die.bank_bytes;
    uint64_t most = (bank - layout->dram_profiler_base) / regions;
    if (cfg->region_bytes <= most)
        return true;
    return err_set(
        e, ERR_LIMIT,
        "%lld programs do not fit in the profiler's part of the device's DRAM; use --op-support-count %llu or less",
        (long long)o->program_count, (unsigned long long)(most / (o->sum ? 64 : 48)));
}

static bool read_options(struct profiler_options *o, const struct sim_profile *v,
                         struct buf *warnings, struct err *e)
{
    struct buf problems = {0};
    profiler_options_default(o);
    if (profiler_options_take(o, (const char *const *)environ, warnings, &problems)) {
        str rest = buf_view(&problems);
        str first = str_cut(&rest, '\n');
        (void)err_set(e, ERR_USAGE, "%.*s", STR(first));
    }
    buf_free(&problems);
    return e->code == ERR_NONE && set_options(v, o, e) &&
           profiler_options_settle(o, warnings, e);
}

bool profiled_prepare(struct profiled *p, const char *command, const struct sim_profile *v,
                      ttdev_cfg *cfg, struct err *e)
{
    struct buf warnings = {0};
    *p = (struct profiled){.command = command};
    bool is_fine =
        read_options(&p->options, v, &warnings, e) && check_counters(&p->options, cfg, e);
    if (is_fine && p->options.is_enabled) {
        int variant = profiler_variant(&p->options);
        cfg->variant = cfg->variant > variant ? cfg->variant : variant;
        cfg->region_bytes = profiler_region_bytes(&p->options, &warnings);
        cfg->region_buffers = (uint32_t)profiler_region_buffers(&p->options);
        is_fine = check_region(&p->options, cfg, e);
    }
    tell_lines(command, buf_view(&warnings));
    buf_free(&warnings);
    return is_fine;
}

// --- the run ---------------------------------------------------------------------------
static bool delay(struct profiled *p, ttdev *t, struct err *e)
{
    char log[4096] = "";
    if (ttdev_delays_from_environment(t, (const char *const *)environ, log, sizeof log, e) <
        0)
        return false;
    tell_lines(p->command, str_of(log));
    return true;
}

bool profiled_open(struct profiled *p, ttdev *t, uint64_t timeout_ns, struct err *e)
{
    if (!delay(p, t, e))
        return false;
    if (!p->options.is_enabled && !device_profiler_hears(&p->options))
        return true;
    ttdev_access(t, &p->access);
    p->profiler = device_profiler_open(&p->access, &p->options, NULL, e);
    if (p->profiler)
        device_profiler_set_timeout(p->profiler, timeout_ns);
    return p->profiler != NULL;
}

void profiled_read(void *profiled)
{
    struct profiled *p = profiled;
    struct err e = {0};
    if (p->profiler && !device_profiler_read(p->profiler, -1, READ_NORMAL, &e))
        log_line("%s: %s", p->command, e.text);
}

bool profiled_close(struct profiled *p, struct err *e)
{
    char logs[600];
    if (!p->profiler)
        return true;
    bool is_fine = device_profiler_close(p->profiler, e);
    p->profiler = NULL;
    profiler_logs_folder(&p->options, logs, sizeof logs);
    if (!is_fine || p->options.no_files)
        return is_fine;
    if (p->options.is_enabled)
        log_line(
            "%s: the profile is in %s; read it with 'ttprof device %sprofile_log_device.csv'",
            p->command, logs, logs);
    if (p->options.memory)
        log_line("%s: buffer records are in %smemory_records.csv", p->command, logs);
    return is_fine;
}
