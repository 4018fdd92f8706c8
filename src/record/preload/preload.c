// preload.c - the process itself: start, fork, end.
#include "preload.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

struct preload preload;
struct preload_next next;

// Functions that a libc may lack; then they are not used.
__attribute__((weak)) void *dlsym(void *, const char *);
__attribute__((weak)) int on_exit(void (*)(int, void *), void *);
__attribute__((weak)) int __register_atfork(void (*)(void), void (*)(void), void (*)(void),
                                            void *); // what pthread_atfork calls
STANDS_IN const char *__asan_default_options(void);

// The address sanitizer aborts programs unless it is the first library. It need not be:
// nothing here allocates.
const char *__asan_default_options(void)
{
    return "verify_asan_link_order=0";
}

struct process_self preload_self(bool *is_child)
{
    uint32_t pid = process_log_pid();
    *is_child = pid != preload.parent.pid;
    return *is_child ? (struct process_self){pid, process_log_birth(0)} : preload.parent;
}

// --- end ---
static void log_exit(int status)
{
    bool is_child;
    if (preload.is_on && !preload.is_quiet)
        process_log_exit(preload.log, preload_self(&is_child), status);
}

static void log_at_exit(int status, void *unused)
{
    (void)unused;
    log_exit(status);
}

static _Noreturn void exit_now(void (*way)(int), int status)
{
    log_exit(status);
    if (way)
        way(status);
    for (;;)
        (void)syscall(SYS_exit_group, status);
}

STANDS_IN _Noreturn void _exit(int status)
{
    exit_now(next._exit, status);
}

STANDS_IN _Noreturn void _Exit(int status)
{
    exit_now(next._Exit, status);
}

STANDS_IN _Noreturn void quick_exit(int status)
{
    exit_now(next.quick_exit, status);
}

// Under a system call filter, opening a file may kill the process. Such a filter is
// installed by one of these two calls; from then on other processes must report for it.
STANDS_IN int prctl(int option, ...)
{
    va_list ap;
    va_start(ap, option);
    unsigned long a[4];
    for (int i = 0; i < 4; i++)
        a[i] = va_arg(ap, unsigned long);
    va_end(ap);
    bool is_filter = option == PR_SET_SECCOMP || option == PR_SET_NO_NEW_PRIVS;
    if (is_filter && process_log_pid() == preload.parent.pid)
        preload.is_quiet = true;
    return next.prctl ? next.prctl(option, a[0], a[1], a[2], a[3])
                      : (int)syscall(SYS_prctl, option, a[0], a[1], a[2], a[3]);
}

// --- fork ---
static void become_child(void)
{
    uint32_t parent = preload.parent.pid; // getppid() may already have changed
    preload.is_on = process_log_is_followed();
    preload.parent.pid = process_log_pid();
    if (!preload.is_on || preload.is_quiet)
        return;
    preload.parent.birth = process_log_birth(0);
    process_log_fork(preload.log, preload.parent, parent);
}

// --- start ---
// Joins three parts into a permanent text; NULL if there is no room.
static const char *join_texts(const char *a, const char *b, const char *c)
{
    const char *const parts[] = {a, b, c};
    char *text = preload.texts + preload.n_texts;
    size_t room = sizeof preload.texts - preload.n_texts, n = 0;
    for (int i = 0; i < 3; i++)
        for (const char *z = parts[i]; *z; z++) {
            if (n + 1 >= room)
                return NULL;
            text[n++] = *z;
        }
    if (room == 0)
        return NULL;
    text[n++] = '\0';
    preload.n_texts += n;
    return text;
}

static bool keep_variable(enum preload_variable_name which, const char *name,
                          const char *value)
{
    struct preload_variable *v = &preload.variables[which];
    while (name[v->name])
        v->name++;
    v->text = value ? join_texts(name, "=", value) : NULL;
    return !value || v->text;
}

static bool keep_inherited(enum preload_variable_name which, const char *name)
{
    return keep_variable(which, name, process_log_variable(name));
}

// This library's own path, without other preloaded libraries.
static const char *own_path(char *to, size_t room)
{
    static const char name[] = "/" PRELOAD_NAME;
    const char *list = process_log_variable("LD_PRELOAD");
    for (size_t n = 0; list && *list; list++) {
        bool is_between = *list == ':' || *list == ' ';
        n = is_between || n + 1 >= room ? 0 : n + 1;
        if (n)
            to[n - 1] = *list;
        to[n] = '\0';
        bool is_last = !list[1] || list[1] == ':' || list[1] == ' ';
        size_t i = 0;
        while (i < n && i < sizeof name - 1 && to[n - 1 - i] == name[sizeof name - 2 - i])
            i++;
        if (is_last && i == sizeof name - 1)
            return to;
    }
    return NULL;
}

static void find_next(void)
{
    if (!dlsym)
        return;
        // dlsym returns a data pointer; copy its bytes to a function pointer, as POSIX
        // suggests.
#define PRELOAD_NEXT_FIND(returns, name, parameters)                                       \
    *(void **)&next.name = dlsym(RTLD_NEXT, #name);
    PRELOAD_NEXT(PRELOAD_NEXT_FIND)
#undef PRELOAD_NEXT_FIND
}

// The folder of ours, which stands first in PYTHONPATH, without those of the program.
static const char *python_path(char *to, size_t room)
{
    const char *path = process_log_variable("PYTHONPATH");
    size_t n = 0;
    if (!path || !process_log_variable("TTPROF_PYTHON"))
        return NULL;
    while (path[n] && path[n] != ':' && n + 1 < room) {
        to[n] = path[n];
        n++;
    }
    to[n] = '\0';
    return to;
}

// Without them Python programs are followed like others.
static void keep_python(char *path, size_t room)
{
    (void)keep_variable(PRELOAD_PYTHON_PATH, "PYTHONPATH", python_path(path, room));
    (void)keep_inherited(PRELOAD_PYTHON, "TTPROF_PYTHON");
    (void)keep_inherited(PRELOAD_PYTHON_LIBRARY, "TTPROF_LIBRARY");
    (void)keep_inherited(PRELOAD_PYTHON_PACKAGES, "TTPROF_PACKAGES");
    (void)keep_inherited(PRELOAD_PYTHON_INCLUDE, "TTPROF_PYTHON_INCLUDE");
    (void)keep_inherited(PRELOAD_PYTHON_EXCLUDE, "TTPROF_PYTHON_EXCLUDE");
    (void)keep_inherited(PRELOAD_PYTHON_DEPTH, "TTPROF_PYTHON_DEPTH");
}

// Keeps what it must know about its run; false if it belongs to none.
static bool keep_run(void)
{
    char path[4096];
    const char *run = process_log_variable("TTPROF_RUN"),
               *follow = process_log_variable("TTPROF_FOLLOW"),
               *library = own_path(path, sizeof path);
    if (!run || *run != '/' || !library || !process_log_is_followed())
        return false;
    preload.log = join_texts(run, "/", PROCESS_LOG_NAME);
    bool is_kept = preload.log && keep_variable(PRELOAD_RUN, "TTPROF_RUN", run) &&
                   keep_variable(PRELOAD_LIBRARY, "LD_PRELOAD", library) &&
                   keep_variable(PRELOAD_FOLLOW, "TTPROF_FOLLOW", follow) &&
                   keep_inherited(PRELOAD_PORT, "TRACY_PORT") &&
                   keep_inherited(PRELOAD_NO_EXIT, "TRACY_NO_EXIT") &&
                   keep_inherited(PRELOAD_LOCALHOST, "TRACY_ONLY_LOCALHOST");
    keep_python(path, sizeof path);
    return is_kept;
}

__attribute__((constructor)) static void begin(void)
{
    int kept = errno;
    find_next();
    if (!keep_run()) {
        errno = kept;
        return;
    }
    preload.parent = process_log_self();
    preload.is_on = true;
    preload_adopt_log();
    process_log_start(preload.log, preload.parent);
    if (on_exit)
        (void)on_exit(log_at_exit, NULL);
    if (__register_atfork)
        (void)__register_atfork(NULL, NULL, become_child, NULL);
    errno = kept;
}
