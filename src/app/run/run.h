// run.h - `ttprof run`: the parts of a run and their shared state.
//
//   run.c          the run from start to end, its messages and its exit code
//   options.c      defaults, and which options were given
//   settings.c     parsed values and conflicts of options
//   counters.c     groups of hardware counters
//   target.c       what to execute: binary, script, module
//   environment.c  variables set for the command
//   python.c       the agent in Python programs, and what it could not record
//   folder.c       the run folder and its control page
//   watch.c        starts the command, forwards signals, waits for all processes
//   clients*.c     Tracy clients in its processes, see clients.h
//   tree.c         the processes below this one, from /proc
//   settle.c       rings left by processes that ended abruptly
//   live.c         the status line on the terminal
//   snapshot.c     copies of the data recorded so far
//   logs.c         device files of all processes
//   outputs.c      manifest, log folders, reports, closing lines
#ifndef TTP_APP_RUN_RUN_H
#define TTP_APP_RUN_RUN_H

#include <signal.h>
#include <sys/types.h>

#include "base/data/vec.h"
#include "base/text/buf.h"

#include "app/app.h"
#include "app/run/options.h"
#include "ttprof/recording.h"

struct run_clients;
struct table;
struct trace;

// A variable to set or remove for the command.
struct run_variable {
    char *name;
    char *value; // NULL: it is deleted
};

// CLOCK_MONOTONIC and the time stamp counter, read at the same moment.
struct run_clock_pair {
    uint64_t ns, ticks;
};

// Signal state at the start of ttprof, restored for the command.
struct run_signals {
    sigset_t mask;
    struct sigaction child, pipe, size;
};

struct wrapped_run {
    const struct run_values *v;
    struct option_table options; // that v was parsed with; the manifest lists those given
    struct run_settings settings;
    struct words command; // as executed; ends with NULL
    VEC(char *) owned;    // allocated words of command
    struct buf as_given;  // the command as given, words separated by a space
    bool is_python;       // it is a Python file, a module or an interpreter
    char stamp[32];       // 2026_11_16_10_20_30
    char *root;           // artifacts root, as given: "generated/profiler"
    char *folder; // of this run, absolute: <root>/runs/<stamp>[_<name>][-k]; NULL: none
    char *logs;   // <folder>/.logs: where the command's device profiler writes
    char *process_log;           // <folder>/processes.log
    char preload[4096];          // path of the library; empty: not preloaded
    struct run_clients *clients; // Tracy clients; NULL: none can be captured
    struct tt_control *control;  // mapped; NULL: nothing can be recorded
    VEC(struct run_variable) variables;
    struct buf environment; // the same for the manifest: lines NAME=value, NAME: deleted
    struct run_signals signals;
    struct run_clock_pair clock_start;
    double ticks_per_ns;       // of the time stamp counter, over the whole run; 0: none
    uint64_t start_ns, end_ns; // CLOCK_MONOTONIC
    int64_t start_time;        // seconds since 1970
    pid_t pid;                 // of the command
    int status;                // of wait(), of the command itself
    uint64_t n_processes;      // that were waited for
    uint64_t n_snapshots;
    uint64_t settle_ns, settle_pause_ns; // next look at the rings, see run_settle
    bool was_interrupted; // by SIGINT or SIGTERM, and the command did not end with 0
    bool skips_reports;   // --check-exit-code was given and the command failed
    bool makes_no_report; // the caller writes its own
    // Takes the table of ops of a run with op messages; NULL: nobody does.
    void (*take_ops)(void *taker, const struct table *ops, const struct trace *host);
    void *taker;
    struct buf problems; // failures, one line each, for the terminal and the manifest
};

// --- run.c ---
// Runs a command from start to end: r->v and r->options are set, and variables of its own
// may be. What the run made can be asked for until it is freed. Returns the exit code.
int run_whole(struct wrapped_run *r, struct words words, struct err *e);
void run_free(struct wrapped_run *r);
// The command's exit code, as a shell reports it.
int run_code(const struct wrapped_run *r);
// Prints a line and keeps it for the manifest.
void run_problem(struct wrapped_run *r, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

// --- target.c ---
// Turns the words of the command line into what is executed. False: a usage error.
bool run_target(struct wrapped_run *r, struct words words, struct err *e);
// The file to execute; NULL: *code is 127 or 126, and the reason was printed.
char *run_target_file(const struct wrapped_run *r, int *code);
// Where a command without a / is found, as execvp() looks; NULL: nowhere. *code becomes 126
// when there is one that may not be executed. To be freed.
char *run_find_in_path(const char *name, int *code);
// Words of one text by the rules of the shell: blanks, quotes, backslashes. What only a
// shell can do is an error. Each is to be freed.
struct run_words {
    char **v;
    size_t n, cap;
};
bool run_split(const char *text, struct run_words *words, struct err *e);

// --- environment.c ---
void run_environment(struct wrapped_run *r);
void run_environment_set(struct wrapped_run *r, const char *name, const char *value);
void run_environment_apply(const struct wrapped_run *r); // in the child

// --- python.c ---
void run_python_set(struct wrapped_run *r); // variables for the interpreters of the run
// Tells what their agents could not record.
struct run_facts;
void run_python_tell(struct wrapped_run *r, const struct run_facts *f);

// --- folder.c ---
void run_root(struct wrapped_run *r);
// The folder, its control page, the library to preload. False: there is none, the reason is
// told, and the command runs unrecorded.
bool run_folder_make(struct wrapped_run *r);
// Nothing was run: removes the folder.
void run_folder_remove(struct wrapped_run *r);
void run_folder_close(struct wrapped_run *r); // stops processes that still record
void run_folder_free_page(struct wrapped_run *r);
uint64_t run_now_ns(void); // CLOCK_MONOTONIC
struct run_clock_pair run_clock_read(void);
bool run_clock_is_steady(void); // the time stamp counter runs at a constant rate
// Ticks per ns since the pair was read; 0: no usable time stamp counter.
double run_clock_rate(struct run_clock_pair since);

// --- watch.c ---
// From here on signals go to run_to_end, and a failed write is only an error.
void run_signals_take(struct wrapped_run *r);
// Runs the command to the end of all its processes. False: it could not be started; *code
// is 127 or 126, and the reason was told.
bool run_to_end(struct wrapped_run *r, int *code);

// --- tree.c ---
typedef VEC(pid_t) pids;
void run_descendants(pids *found); // of this process; zombies are left out
// "4711 sleep 100, 4712 python3 serve.py and 3 more"
void run_describe(const pids *found, struct buf *b);

// --- settle.c ---
// Moves rings of ended processes into their streams. Returns when to call again.
uint64_t run_settle(struct wrapped_run *r, uint64_t now);
void run_settle_end(struct wrapped_run *r); // all have ended

// --- live.c ---
struct run_live {
    uint64_t at_ns, events; // at the last redraw
    bool is_wanted, is_shown;
};
struct run_live run_live_start(const struct wrapped_run *r);
void run_live_draw(struct run_live *l, const struct wrapped_run *r);
void run_live_wipe(struct run_live *l);

// --- snapshot.c ---
void run_snapshot(struct wrapped_run *r);

// --- options.c ---
bool run_options_are_default(const struct wrapped_run *r); // nothing was given

// --- outputs.c: never fails the run; failed writes are reported ---
// With --process-logs-only there is no folder, and nothing was run.
void run_outputs(struct wrapped_run *r, struct err *e);

#endif
