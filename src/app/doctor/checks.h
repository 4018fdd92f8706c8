// checks.h - the checks of `ttprof doctor` beyond variables: the machine, its processes,
// and common issues.
//
//   checks.c     the table of all checks
//   tools.c      compilers and Python
//   machine.c    the artifacts folder and its disk, limits, the clock
//   processes.c  ports, leftover runs and processes
//   survey.c     processes and sockets from /proc
//   issues.c     common issues caused by variables
//
// A check changes nothing, and reports what it cannot determine.
#ifndef TTP_APP_DOCTOR_CHECKS_H
#define TTP_APP_DOCTOR_CHECKS_H

#include "base/data/arena.h"
#include "base/text/buf.h"
#include "base/text/json.h"

struct profiler_options;
struct survey;

enum check_state {
    CHECK_OK,
    CHECK_NOTE,    // worth knowing; does not affect a run
    CHECK_PROBLEM, // a run would not record what it should
    CHECK_STATES
};
extern const char *const check_state_names[CHECK_STATES];

// Input of all checks.
struct check_view {
    const struct profiler_options *o; // settled
    const char *root;                 // artifacts folder, without a trailing slash
    const char *nearest;              // root or its nearest existing parent
    const struct survey *survey;      // filled by doctor_run_checks
    struct arena *a;
};

struct check_finding {
    enum check_state state;
    const char *found;  // one line
    const char *remedy; // what to do; NULL: nothing
};
typedef struct check_finding check_fn(const struct check_view *v);

struct doctor_check {
    const char *name;
    const char *issue; // the common issue it detects; NULL: none
    check_fn *look;
};
extern const struct doctor_check doctor_checks[];
extern const size_t n_doctor_checks;

check_fn check_compiler, check_cross_compiler, check_python;
check_fn check_folder_access, check_mapping, check_file_system, check_space, check_limits,
    check_clock;
check_fn check_tracy_port, check_web_port, check_tools_left, check_runs_left,
    check_processes_left, check_libraries_left, check_preload, check_run_around;
check_fn check_sync, check_host_zones, check_op_records, check_buffers, check_debug_prints,
    check_architecture;

// Runs all checks; one finding per check, in the arena.
struct check_finding *doctor_run_checks(struct check_view v);
bool doctor_has_problem(const struct check_finding *findings);
void doctor_put_checks(const struct check_finding *findings, struct buf *b);
void doctor_put_checks_json(const struct check_finding *findings, struct json *j);

// "1.5 GiB"
const char *check_size(struct arena *a, uint64_t bytes);

#endif
