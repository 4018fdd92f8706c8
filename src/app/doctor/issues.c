// issues.c - common issues caused by variables.
#include <stdlib.h>

#include "app/doctor/checks.h"
#include "collect/readout/options.h"

static bool is_on(const char *variable)
{
    const char *text = getenv(variable);
    return text && text[0] == '1';
}

struct check_finding check_sync(const struct check_view *v)
{
    if (!v->o->is_enabled)
        return (struct check_finding){
            .found = "'ttprof run --sync-host-device' aligns host and device"};
    if (v->o->sync)
        return (struct check_finding){.found = "host and device are aligned"};
    return (struct check_finding){
        CHECK_NOTE, "no clock sync: host and device would not be aligned",
        "use 'ttprof run --sync-host-device', or set TT_METAL_PROFILER_SYNC=1"};
}

struct check_finding check_host_zones(const struct check_view *v)
{
    const char *run = getenv("TTPROF_RUN");
    if (!v->o->is_enabled || (run && run[0]))
        return (struct check_finding){.found = "'ttprof run' records host and device"};
    return (struct check_finding){
        CHECK_NOTE, "the device profiler is on, but only 'ttprof run' records the host",
        "start the program as 'ttprof run -- COMMAND'"};
}

struct check_finding check_op_records(const struct check_view *v)
{
    if (v->o->no_op_cache)
        return (struct check_finding){.found = "every op is recorded in full"};
    if (!is_on("TTNN_OP_PROFILER"))
        return (struct check_finding){
            .found =
                "'ttprof run -r' records ops; --no-op-info-cache records each one in full"};
    return (struct check_finding){
        CHECK_NOTE, "an op seen before is recorded by name only, without kernel paths",
        "its first record has them; 'ttprof run --no-op-info-cache' or TT_METAL_PROFILER_NO_CACHE_OP_INFO=1 repeats it"};
}

struct check_finding check_buffers(const struct check_view *v)
{
    enum { DEFAULT_PROGRAMS = 1000, DEFAULT_IN_STALL = 500 };
    bool is_stall = v->o->overflow == OVERFLOW_STALL;
    long long programs = v->o->program_count ? (long long)v->o->program_count
                         : is_stall          ? DEFAULT_IN_STALL
                                             : DEFAULT_PROGRAMS;
    bool is_read_in_time = is_stall || v->o->watermark;
    const char *found =
        arena_printf(v->a, "room for %lld programs between two reads%s", programs,
                     is_read_in_time ? ", and they are read in time" : "")
            .p;
    if (!v->o->is_enabled || is_read_in_time || programs >= DEFAULT_PROGRAMS)
        return (struct check_finding){.found = found};
    return (struct check_finding){
        CHECK_NOTE, found,
        "later programs are lost and counted; 'ttprof run --op-support-count N' makes room, TTPROF_WATERMARK=1 reads in time"};
}

struct check_finding check_debug_prints(const struct check_view *v)
{
    static const char remedy[] = "unset the TT_METAL_DPRINT_* variables";
    if (!v->o->debug_print)
        return (struct check_finding){.found = "off"};
    if (v->o->is_enabled)
        return (struct check_finding){
            CHECK_PROBLEM, "debug prints and the device profiler use the same memory",
            remedy};
    return (struct check_finding){
        CHECK_NOTE,
        "on: 'ttprof run' cannot profile the device, because they use the same memory",
        "unset the TT_METAL_DPRINT_* variables, or use 'ttprof run --no-device'"};
}

struct check_finding check_architecture(const struct check_view *v)
{
    static const char *const variables[] = {"TT_METAL_DEVICE_ARCH", "TT_ARCH_NAME",
                                            "ARCH_NAME"};
    const char *arch = NULL;
    for (size_t i = 0; i < sizeof variables / sizeof *variables && !arch; i++) {
        const char *text = getenv(variables[i]);
        arch = text && text[0] ? text : NULL;
    }
    if (arch && str_eq_nocase(str_of(arch), S("grayskull")))
        return (struct check_finding){
            CHECK_NOTE,
            "grayskull: after a reset by tt-smi the timers of its cores start apart",
            "reboot after a reset; until then compare only times of one core"};
    return (struct check_finding){.found = arch ? arena_printf(v->a, "%s", arch).p
                                                : "not set by a variable"};
}
