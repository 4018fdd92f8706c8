// environment.c - the variables set or removed for the command, with the names and
// conditions of tt-metal's profiler; all others are inherited.
#include <stdio.h>
#include <stdlib.h>

#include "base/text/log.h"

#include "app/run/preload.h"
#include "app/run/run.h"
#include "record/process_log_write.h"

static char *copied(const char *z)
{
    size_t n = strlen(z);
    char *copy = mem_alloc(n + 1);
    memcpy(copy, z, n);
    return copy;
}

void run_environment_set(struct wrapped_run *r, const char *name, const char *value)
{
    vec_push(&r->variables, (struct run_variable){.name = copied(name),
                                                  .value = value ? copied(value) : NULL});
}

// --- options that are a variable each --------------------------------------------------
#define AT(field) offsetof(struct run_values, field)
static const struct {
    size_t at; // of the flag
    const char *name;
} switches[] = {
    {AT(no_op_info_cache), "TT_METAL_PROFILER_NO_CACHE_OP_INFO"},
    {AT(dispatch_cores), "TT_METAL_DEVICE_PROFILER_DISPATCH"},
    {AT(sum), "TT_METAL_PROFILER_SUM"},
    {AT(accumulate), "TT_METAL_PROFILER_ACCUMULATE"},
    {AT(mid_run_dump), "TT_METAL_PROFILER_MID_RUN_DUMP"},
    {AT(watermark), "TTPROF_WATERMARK"},
    {AT(no_files), "TT_METAL_PROFILER_DISABLE_DUMP_TO_FILES"},
    {AT(no_push), "TT_METAL_PROFILER_DISABLE_PUSH_TO_TRACY"},
    {AT(sync), "TT_METAL_PROFILER_SYNC"},
    {AT(trace_only), "TT_METAL_TRACE_PROFILER"},
    {AT(noc_traces), "TT_METAL_DEVICE_PROFILER_NOC_EVENTS"},
    {AT(memory), "TT_METAL_MEM_PROFILER"},
    {AT(report), "TTNN_OP_PROFILER"},
    {AT(report), "TT_METAL_PROFILER_TRACE_TRACKING"},
};

static void set_switches(struct wrapped_run *r)
{
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
        if (*(const bool *)((const char *)r->v + switches[i].at))
            run_environment_set(r, switches[i].name, "1");
    // The runtime checks only whether it is set.
    if (!r->v->no_op_info_cache)
        run_environment_set(r, "TT_METAL_PROFILER_NO_CACHE_OP_INFO", NULL);
    run_environment_set(r, "TT_METAL_DEVICE_PROFILER", r->v->no_device ? NULL : "1");
}

static const struct {
    size_t at; // of the word
    const char *name;
} choices[] = {
    {AT(level), "TTPROF_LEVEL"},
    {AT(overflow), "TTPROF_OVERFLOW"},
};

static void set_choices(struct wrapped_run *r)
{
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        const char *word = *(const char *const *)((const char *)r->v + choices[i].at);
        if (word)
            run_environment_set(r, choices[i].name, word);
    }
}

static void set_number(struct wrapped_run *r, const char *name, int64_t number)
{
    char text[24];
    (void)snprintf(text, sizeof text, "%lld", (long long)number);
    run_environment_set(r, name, text);
}

static void set_numbers(struct wrapped_run *r)
{
    if (r->v->op_support_count != RUN_NOT_GIVEN && r->v->op_support_count != 0)
        set_number(r, "TT_METAL_PROFILER_PROGRAM_SUPPORT_COUNT", r->v->op_support_count);
    if (r->settings.counter_groups)
        set_number(r, "TT_METAL_PROFILE_PERF_COUNTERS", r->settings.counter_groups);
}

// For Tracy clients in the command, see clients.h.
static void set_tracy(struct wrapped_run *r)
{
    static const char *const switched_on[] = {"TRACY_NO_EXIT", "TRACY_ONLY_LOCALHOST"};
    if (r->clients || r->v->port != RUN_NOT_GIVEN)
        set_number(r, "TRACY_PORT", r->settings.port);
    const char *wish = getenv("TTPROF_TRACY"); // perhaps more than to listen
    if (r->v->listen && (!wish || !*wish || strcmp(wish, "0") == 0))
        run_environment_set(r, "TTPROF_TRACY", "1");
    for (size_t i = 0; r->clients && i < sizeof switched_on / sizeof *switched_on; i++)
        if (!getenv(switched_on[i]))
            run_environment_set(r, switched_on[i], "1");
}

// Enables the analysis inside the runtime unless an option excludes it.
static void set_runtime_analysis(struct wrapped_run *r)
{
    const struct {
        bool is_given;
        const char *name;
    } excluding[] = {{r->v->no_runtime_analysis, "--no-runtime-analysis"},
                     {r->v->sum, "--enable-sum-profiling"},
                     {r->v->dispatch_cores, "--profile-dispatch-cores"},
                     {r->v->counters != NULL, "--profiler-capture-perf-counters"}};
    struct buf list = {0};
    for (size_t i = 0; i < sizeof excluding / sizeof *excluding; i++)
        if (excluding[i].is_given)
            buf_printf(&list, "%s%s", list.n ? ", " : "", excluding[i].name);
    if (list.n)
        log_line(
            "run: Skipping runtime analysis (C++ post-processing) due to conflicting options (%.*s): the report is made from the device log",
            STR(list));
    // Without a profile there is nothing to analyse, and the runtime would say so.
    else if (!r->v->no_device)
        run_environment_set(r, "TT_METAL_PROFILER_CPP_POST_PROCESS", "1");
    buf_free(&list);
}

// --- where files go, and the recorder --------------------------------------------------
static void set_folders(struct wrapped_run *r)
{
    if (r->folder)
        run_environment_set(r, "TT_METAL_PROFILER_DIR", r->folder);
    else if (r->v->output_folder)
        run_environment_set(r, "TT_METAL_PROFILER_DIR", r->v->output_folder);
    if (r->v->noc_traces && r->logs)
        run_environment_set(r, "TT_METAL_DEVICE_PROFILER_NOC_EVENTS_RPT_PATH", r->logs);
}

static void set_preload(struct wrapped_run *r)
{
    struct buf list = {0};
    preload_list(&list, r->preload, getenv("LD_PRELOAD"));
    buf_char(&list, '\0');
    run_environment_set(r, "LD_PRELOAD", list.p);
    // The address sanitizer insists on being the first library unless told otherwise.
    const char *sanitizer = getenv("ASAN_OPTIONS");
    list.n = 0;
    buf_printf(&list, "verify_asan_link_order=0%s%s%c", sanitizer ? ":" : "",
               sanitizer ? sanitizer : "", '\0');
    run_environment_set(r, "ASAN_OPTIONS", list.p);
    buf_free(&list);
}

static void set_recorder(struct wrapped_run *r)
{
    run_environment_set(r, "TTPROF_RUN", r->control ? r->folder : NULL);
    if (r->preload[0])
        set_preload(r);
    run_python_set(r);
    if (!r->v->no_follow)
        run_environment_set(r, "TTPROF_FOLLOW", NULL);
}

void run_environment(struct wrapped_run *r)
{
    set_folders(r);
    set_switches(r);
    set_choices(r);
    set_numbers(r);
    set_tracy(r);
    set_runtime_analysis(r);
    set_recorder(r);
    for (size_t i = 0; i < r->variables.n; i++) {
        const struct run_variable *v = &r->variables.v[i];
        // No need to delete a variable that is not set.
        if (v->value)
            buf_printf(&r->environment, "%s=%s\n", v->name, v->value);
        else if (getenv(v->name))
            buf_printf(&r->environment, "%s\n", v->name);
    }
}

void run_environment_apply(const struct wrapped_run *r)
{
    char pid[24];
    for (size_t i = 0; i < r->variables.n; i++) {
        const struct run_variable *v = &r->variables.v[i];
        if (v->value)
            (void)setenv(v->name, v->value, 1);
        else
            (void)unsetenv(v->name);
    }
    if (r->v->no_follow) {
        (void)snprintf(pid, sizeof pid, "%u", process_log_pid());
        (void)setenv("TTPROF_FOLLOW", pid, 1);
    }
}
