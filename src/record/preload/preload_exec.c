// preload_exec.c - programs that the process executes or spawns. The run stays in their
// environment, whatever it is: clearing the environment does not stop recording. Between
// vfork and exec all memory is the parent's: nothing here writes to it.
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload.h"

enum { LINES_ROOM = 2048, PATH_ROOM = 1024 };

// --- environment -----------------------------------------------------------------------
static size_t length(const char *z)
{
    size_t n = 0;
    while (z[n])
        n++;
    return n;
}

static bool starts_with(const char *z, const char *head, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (z[i] != head[i])
            return false;
    return true;
}

static bool contains(const char *z, const char *what)
{
    for (size_t n = length(what); *z; z++)
        if (starts_with(z, what, n))
            return true;
    return false;
}

// The variable's index; that of the final NULL if it is not set.
static size_t place_of(char *const *env, const struct preload_variable *v)
{
    size_t i = 0;
    while (env[i] && !(starts_with(env[i], v->text, v->name) && env[i][v->name] == '='))
        i++;
    return i;
}

// Whether the value may stay; of lists, whether ours is in it. A nested run has its own
// values, which are kept.
static bool is_kept(const char *found, int which)
{
    const struct preload_variable *v = &preload.variables[which];
    if (found && which == PRELOAD_PYTHON_PATH)
        return contains(found, v->text + v->name + 1);
    return found && (which != PRELOAD_LIBRARY || contains(found, "/" PRELOAD_NAME));
}

static char *const no_environment[] = {NULL};

// Size of the completed environment; 0 if nothing is missing.
static size_t environment_bytes(char *const *env)
{
    if (!preload.is_on)
        return 0;
    env = env ? env : no_environment;
    size_t n = 0, missing = 0, text = 0;
    while (env[n])
        n++;
    for (int k = 0; k < PRELOAD_VARIABLES; k++) {
        const struct preload_variable *v = &preload.variables[k];
        if (!v->text)
            continue;
        size_t at = place_of(env, v);
        if (is_kept(env[at], k))
            continue;
        missing++;
        if (env[at]) // ours goes before other preloaded libraries and folders
            text += length(env[at]) + length(v->text) + 1;
    }
    return missing ? (n + missing + 1) * sizeof *env + text : 0;
}

// "LD_PRELOAD=ours" and "LD_PRELOAD=theirs" become "LD_PRELOAD=ours:theirs".
static char *put_both(char *to, const struct preload_variable *v, const char *theirs)
{
    for (const char *z = v->text; *z; z++)
        *to++ = *z;
    const char *value = theirs + v->name + 1;
    if (*value)
        *to++ = ':';
    while (*value)
        *to++ = *value++;
    *to++ = '\0';
    return to;
}

static char *const *environment_complete(char *const *env, void *memory)
{
    if (!memory)
        return env;
    env = env ? env : no_environment;
    char **list = memory;
    size_t n = 0, missing = 0;
    for (; env[n]; n++)
        list[n] = env[n];
    for (int k = 0; k < PRELOAD_VARIABLES; k++)
        if (preload.variables[k].text)
            missing += !is_kept(env[place_of(env, &preload.variables[k])], k);
    char *text = (char *)(list + n + missing + 1);
    list[n] = NULL;
    for (int k = 0; k < PRELOAD_VARIABLES; k++) {
        const struct preload_variable *v = &preload.variables[k];
        if (!v->text)
            continue;
        size_t at = place_of(list, v);
        if (is_kept(list[at], k))
            continue;
        if (list[at]) {
            char *behind = put_both(text, v, list[at]);
            list[at] = text;
            text = behind;
        } else {
            list[n++] = (char *)v->text;
            list[n] = NULL;
        }
    }
    return list;
}

// Lives on the caller's stack for the duration of the call.
#define WITH_RUN(env)                                                                      \
    environment_complete(                                                                  \
        env, environment_bytes(env) ? __builtin_alloca(environment_bytes(env)) : NULL)

// --- lines -----------------------------------------------------------------------------
// A child that shares its parent's memory has logged nothing yet: its parent comes first.
// `ns` is before the program's own first line.
static void write_exec(struct process_self self, bool is_child, uint64_t ns,
                       const char *path, char *const *words)
{
    char text[LINES_ROOM];
    struct process_lines l = {.text = text, .room = sizeof text};
    if (is_child) {
        process_line_begin(&l, "fork", ns, self);
        process_line_number(&l, preload.parent.pid);
        process_line_end(&l);
    }
    process_line_begin(&l, "exec", ns, self);
    process_line_text(&l, path);
    process_line_words(&l, words);
    process_line_end(&l);
    process_lines_write(&l, preload.log);
}

static void log_exec(const char *path, char *const *words)
{
    if (!preload.is_on || preload.is_quiet)
        return;
    bool is_child;
    struct process_self self = preload_self(&is_child);
    write_exec(self, is_child, process_log_ns(), path, words);
}

// A program search tries folder after folder: only existing files are logged.
static bool is_there(int folder, const char *path)
{
    int kept = errno;
    bool is = path && syscall(SYS_faccessat, folder, path, X_OK) == 0;
    errno = kept;
    return is;
}

static void log_descriptor(int fd, char *const *words)
{
    char link[32] = "/proc/self/fd/", path[PATH_ROOM];
    *process_log_digits(link + length(link), fd < 0 ? 0 : (uint64_t)fd) = '\0';
    int kept = errno;
    long bytes = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
    errno = kept;
    path[bytes > 0 ? bytes : 0] = '\0';
    log_exec(path, words);
}

// --- exec ---
// Around each call: whoever cannot open the log leaves it open for the next program. It
// comes back only if there is none.
static void pass_log(void)
{
    if (preload.variables[PRELOAD_LOG].text)
        process_log_pass();
}

static int come_back(int code)
{
    if (preload.variables[PRELOAD_LOG].text)
        process_log_pass_not();
    return code;
}

static int run_path(const char *path, char *const *words, char *const *env)
{
    if (is_there(AT_FDCWD, path))
        log_exec(path, words);
    pass_log();
    return come_back(next.execve ? next.execve(path, words, env)
                                 : (int)syscall(SYS_execve, path, words, env));
}

static int run_name(const char *name, char *const *words, char *const *env)
{
    if (name && (!contains(name, "/") || is_there(AT_FDCWD, name)))
        log_exec(name, words);
    pass_log();
    return come_back(next.execvpe ? next.execvpe(name, words, env)
                                  : (int)syscall(SYS_execve, name, words, env));
}

STANDS_IN int execve(const char *path, char *const *words, char *const *env)
{
    return run_path(path, words, WITH_RUN(env));
}

STANDS_IN int execv(const char *path, char *const *words)
{
    return run_path(path, words, WITH_RUN(environ));
}

STANDS_IN int execvp(const char *name, char *const *words)
{
    return run_name(name, words, WITH_RUN(environ));
}

STANDS_IN int execvpe(const char *name, char *const *words, char *const *env)
{
    return run_name(name, words, WITH_RUN(env));
}

STANDS_IN int fexecve(int fd, char *const *words, char *const *env)
{
    char *const *with = WITH_RUN(env);
    log_descriptor(fd, words);
    pass_log();
    return come_back(next.fexecve
                         ? next.fexecve(fd, words, with)
                         : (int)syscall(SYS_execveat, fd, "", words, with, AT_EMPTY_PATH));
}

STANDS_IN int execveat(int folder, const char *path, char *const *words, char *const *env,
                       int flags)
{
    char *const *with = WITH_RUN(env);
    if (!*path && (flags & AT_EMPTY_PATH))
        log_descriptor(folder, words);
    else if (is_there(folder, path))
        log_exec(path, words);
    pass_log();
    return come_back(next.execveat
                         ? next.execveat(folder, path, words, with, flags)
                         : (int)syscall(SYS_execveat, folder, path, words, with, flags));
}

// Copies the arguments of execl and similar to a list on the caller's stack; `ap` is then
// after the final NULL.
static size_t count_words(const char *first, va_list ap)
{
    size_t n = 0;
    for (const char *word = first; word; word = va_arg(ap, const char *))
        n++;
    return n;
}

static char **put_words(char **list, const char *first, va_list ap)
{
    size_t n = 0;
    for (const char *word = first; word; word = va_arg(ap, const char *))
        list[n++] = (char *)word;
    list[n] = NULL;
    return list;
}

#define WORDS_OF(words, first, ap)                                                         \
    do {                                                                                   \
        va_start(ap, first);                                                               \
        size_t n_words = count_words(first, ap);                                           \
        va_end(ap);                                                                        \
        (words) = __builtin_alloca((n_words + 1) * sizeof *(words));                       \
        va_start(ap, first);                                                               \
        (void)put_words(words, first, ap);                                                 \
    } while (0)

STANDS_IN int execl(const char *path, const char *word, ...)
{
    va_list ap;
    char **words;
    WORDS_OF(words, word, ap);
    va_end(ap);
    return run_path(path, words, WITH_RUN(environ));
}

STANDS_IN int execlp(const char *name, const char *word, ...)
{
    va_list ap;
    char **words;
    WORDS_OF(words, word, ap);
    va_end(ap);
    return run_name(name, words, WITH_RUN(environ));
}

STANDS_IN int execle(const char *path, const char *word, ...)
{
    va_list ap;
    char **words;
    WORDS_OF(words, word, ap);
    char *const *env = va_arg(ap, char *const *);
    va_end(ap);
    return run_path(path, words, WITH_RUN(env));
}

// --- spawn ---
// The child logs nothing before its program starts, and a static program never does: the
// parent logs for it.
static void log_spawn(pid_t pid, uint64_t ns, const char *path, char *const *words)
{
    if (!preload.is_on || preload.is_quiet)
        return;
    struct process_self child = {(uint32_t)pid, process_log_birth((uint32_t)pid)};
    write_exec(child, true, ns, path, words);
}

typedef int spawn_function(pid_t *, const char *, const posix_spawn_file_actions_t *,
                           const posix_spawnattr_t *, char *const *, char *const *);

static int spawn_logged(spawn_function *way, pid_t *pid, const char *path,
                        const posix_spawn_file_actions_t *actions,
                        const posix_spawnattr_t *attributes, char *const *words,
                        char *const *env)
{
    if (!way)
        return ENOSYS;
    pid_t child = 0;
    uint64_t ns = process_log_ns();
    int error = way(&child, path, actions, attributes, words, WITH_RUN(env));
    if (error == 0) {
        log_spawn(child, ns, path, words);
        if (pid)
            *pid = child;
    }
    return error;
}

STANDS_IN int posix_spawn(pid_t *pid, const char *path,
                          const posix_spawn_file_actions_t *actions,
                          const posix_spawnattr_t *attributes, char *const *words,
                          char *const *env)
{
    return spawn_logged(next.posix_spawn, pid, path, actions, attributes, words, env);
}

STANDS_IN int posix_spawnp(pid_t *pid, const char *name,
                           const posix_spawn_file_actions_t *actions,
                           const posix_spawnattr_t *attributes, char *const *words,
                           char *const *env)
{
    return spawn_logged(next.posix_spawnp, pid, name, actions, attributes, words, env);
}
