// checks.c - all checks, in the order in which they are listed.
#include "app/doctor/checks.h"

#include "app/doctor/survey.h"

const char *const check_state_names[CHECK_STATES] = {
    [CHECK_OK] = "ok", [CHECK_NOTE] = "note", [CHECK_PROBLEM] = "problem"};

const struct doctor_check doctor_checks[] = {
    {"artifacts folder", NULL, check_folder_access},
    {"recording", "No profiling data could be captured", check_mapping},
    {"file system", NULL, check_file_system},
    {"free space", NULL, check_space},
    {"limits", NULL, check_limits},
    {"clock", NULL, check_clock},
    {"C compiler", NULL, check_compiler},
    {"cross compiler", NULL, check_cross_compiler},
    {"Python", NULL, check_python},
    {"LD_PRELOAD", NULL, check_preload},
    {"run around this one", NULL, check_run_around},
    {"Tracy port", NULL, check_tracy_port},
    {"web port", NULL, check_web_port},
    {"tools left behind", NULL, check_tools_left},
    {"runs left behind", NULL, check_runs_left},
    {"processes left behind", NULL, check_processes_left},
    {"libraries left behind", NULL, check_libraries_left},
    {"clock sync", "Host and Device Not Aligned", check_sync},
    {"host zones", "Only Seeing Device Data, No Host Markers", check_host_zones},
    {"op records", "Cached Ops Don't Show Full Kernel Paths", check_op_records},
    {"device buffers", "Only One Training Step Captured", check_buffers},
    {"debug prints", "DPRINT and Profiler Conflict", check_debug_prints},
    {"architecture", "Timer Skew on Grayskull After Reset", check_architecture},
};
const size_t n_doctor_checks = sizeof doctor_checks / sizeof *doctor_checks;

const char *check_size(struct arena *a, uint64_t bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    double v = (double)bytes;
    size_t unit = 0;
    while (v >= 1024 && unit + 1 < sizeof units / sizeof *units) {
        v /= 1024;
        unit++;
    }
    return arena_printf(a, unit ? "%.1f %s" : "%.0f %s", v, units[unit]).p;
}

struct check_finding *doctor_run_checks(struct check_view v)
{
    struct survey survey;
    struct check_finding *all = push_many(v.a, struct check_finding, n_doctor_checks);
    survey_make(&survey);
    v.survey = &survey;
    for (size_t i = 0; i < n_doctor_checks; i++)
        all[i] = doctor_checks[i].look(&v);
    survey_free(&survey);
    return all;
}

bool doctor_has_problem(const struct check_finding *findings)
{
    for (size_t i = 0; i < n_doctor_checks; i++)
        if (findings[i].state == CHECK_PROBLEM)
            return true;
    return false;
}

// --- telling ---------------------------------------------------------------------------
void doctor_put_checks(const struct check_finding *findings, struct buf *b)
{
    int width = 0;
    for (size_t i = 0; i < n_doctor_checks; i++) {
        int n = (int)strlen(doctor_checks[i].name);
        width = n > width ? n : width;
    }
    buf_z(b, "\nChecks:\n");
    for (size_t i = 0; i < n_doctor_checks; i++) {
        const struct check_finding *f = &findings[i];
        buf_printf(b, "  %-7s  %-*s  %s\n", check_state_names[f->state], width,
                   doctor_checks[i].name, f->found);
        if (f->remedy)
            buf_printf(b, "  %-7s  %-*s  -> %s\n", "", width, "", f->remedy);
    }
}

void doctor_put_checks_json(const struct check_finding *findings, struct json *j)
{
    json_key(j, S("checks"));
    json_open(j, '[');
    for (size_t i = 0; i < n_doctor_checks; i++) {
        const struct check_finding *f = &findings[i];
        json_newline(j);
        json_open(j, '{');
        json_key_text(j, "name", str_of(doctor_checks[i].name));
        json_key_text(j, "state", str_of(check_state_names[f->state]));
        json_key_text(j, "found", str_of(f->found));
        if (f->remedy)
            json_key_text(j, "remedy", str_of(f->remedy));
        if (doctor_checks[i].issue)
            json_key_text(j, "issue", str_of(doctor_checks[i].issue));
        json_close(j, '}');
    }
    json_close(j, ']');
}
