// preload.h - libttprof-preload.so, loaded into every process of a run. It writes to
// RUN/processes.log when the process starts, forks, executes another program and ends, and
// where its Tracy client listens, and keeps the run in the environment of its children. It
// records no zones.
//
//   preload.c       the process itself: start, fork, end
//   preload_exec.c  programs that it executes or spawns
//   preload_port.c  the port of its Tracy client
//   preload_wait.c  children whose end it sees
//   preload_user.c  root's rights given up
//
// It lives in other people's processes, before and after everything they set up: no heap,
// no locks, no output, and no descriptor that stays open, except in processes that give up
// root's rights; it needs no library (see meson.build) and uses what libc has. A libc
// function it interposes still does what it did before, through `next`, whether that is
// libc's own or another library's.
#ifndef TTP_RECORD_PRELOAD_H
#define TTP_RECORD_PRELOAD_H

#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>

#include "record/process_log_write.h"

#define STANDS_IN __attribute__((visibility("default")))

// An environment variable that child processes must have, too.
struct preload_variable {
    const char *text; // "TTPROF_RUN=/path"; NULL: not needed
    size_t name;      // bytes before the '='
};
enum preload_variable_name {
    PRELOAD_RUN,
    PRELOAD_LIBRARY,
    PRELOAD_FOLLOW,
    PRELOAD_PORT, // these three: for Tracy clients
    PRELOAD_NO_EXIT,
    PRELOAD_LOCALHOST,
    PRELOAD_PYTHON_PATH, // these: for the agent in Python programs
    PRELOAD_PYTHON,
    PRELOAD_PYTHON_LIBRARY,
    PRELOAD_PYTHON_PACKAGES,
    PRELOAD_PYTHON_INCLUDE,
    PRELOAD_PYTHON_EXCLUDE,
    PRELOAD_PYTHON_DEPTH,
    PRELOAD_LOG, // only where root's rights were given up
    PRELOAD_VARIABLES
};

struct preload {
    bool is_on;                 // the process belongs to a run
    bool is_quiet;              // only some system calls are allowed: nothing is written
    struct process_self parent; // after vfork the child's parent; else the process itself
    const char *log;
    struct preload_variable variables[PRELOAD_VARIABLES];
    // Storage of the texts above: a copy, as programs may overwrite their environment.
    size_t n_texts;
    char texts[36864];
    char log_text[4352]; // "TTPROF_PROCESS_LOG=600 2049 1311 /path", see preload_user.c
};
extern struct preload preload;

// Identifies this process; is_child: made by vfork or similar, in the memory of
// preload.parent.
struct process_self preload_self(bool *is_child);
// The log that the program before this one has left open.
void preload_adopt_log(void);

// The next definition of each libc function. Looked up when the library is loaded, because
// after vfork it is too late; NULL if there is none.
//
//   X(returns, name, parameters)
#define PRELOAD_NEXT(X)                                                                    \
    X(int, execve, (const char *, char *const *, char *const *))                           \
    X(int, execvpe, (const char *, char *const *, char *const *))                          \
    X(int, fexecve, (int, char *const *, char *const *))                                   \
    X(int, execveat, (int, const char *, char *const *, char *const *, int))               \
    X(int, posix_spawn,                                                                    \
      (pid_t *, const char *, const posix_spawn_file_actions_t *,                          \
       const posix_spawnattr_t *, char *const *, char *const *))                           \
    X(int, posix_spawnp,                                                                   \
      (pid_t *, const char *, const posix_spawn_file_actions_t *,                          \
       const posix_spawnattr_t *, char *const *, char *const *))                           \
    X(pid_t, wait, (int *))                                                                \
    X(pid_t, waitpid, (pid_t, int *, int))                                                 \
    X(pid_t, wait3, (int *, int, struct rusage *))                                         \
    X(pid_t, wait4, (pid_t, int *, int, struct rusage *))                                  \
    X(int, waitid, (idtype_t, id_t, siginfo_t *, int))                                     \
    X(int, bind, (int, const struct sockaddr *, socklen_t))                                \
    X(int, setuid, (uid_t))                                                                \
    X(int, seteuid, (uid_t))                                                               \
    X(int, setreuid, (uid_t, uid_t))                                                       \
    X(int, setresuid, (uid_t, uid_t, uid_t))                                               \
    X(void, _exit, (int))                                                                  \
    X(void, _Exit, (int))                                                                  \
    X(void, quick_exit, (int))                                                             \
    X(int, prctl, (int, unsigned long, unsigned long, unsigned long, unsigned long))
// NOLINTBEGIN(bugprone-macro-parentheses): types and names
struct preload_next {
#define PRELOAD_NEXT_FIELD(returns, name, parameters) returns(*name) parameters;
    PRELOAD_NEXT(PRELOAD_NEXT_FIELD)
#undef PRELOAD_NEXT_FIELD
};
// NOLINTEND(bugprone-macro-parentheses)
extern struct preload_next next;

#endif
