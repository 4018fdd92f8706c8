// tools.c - checks for the programs that some commands call, and their versions.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/doctor/checks.h"
#include "app/run/run.h"

enum { PATIENCE_MS = 5000 }; // timeout for `--version`

// Reads up to the end of the first line.
static size_t read_answer(int fd, char *text, size_t room)
{
    size_t n = 0;
    struct pollfd p = {.fd = fd, .events = POLLIN};
    while (n + 1 < room && !memchr(text, '\n', n) && poll(&p, 1, PATIENCE_MS) == 1) {
        ssize_t got = read(fd, text + n, room - 1 - n);
        if (got <= 0)
            break;
        n += (size_t)got;
    }
    text[n] = '\0';
    return n;
}

// The first line of `FILE --version`; empty: no output.
static str version_of(const char *file, struct arena *a)
{
    char text[512];
    int ends[2];
    pid_t child = -1;
    const char *line[] = {file, "--version", NULL};
    if (pipe2(ends, O_CLOEXEC) < 0)
        return (str){0};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    int wrong =
        posix_spawn(&child, file, &actions, NULL, (char *const *)(void *)line, environ);
    posix_spawn_file_actions_destroy(&actions);
    (void)close(ends[1]);
    str answer = {text, wrong ? 0 : read_answer(ends[0], text, sizeof text)};
    (void)close(ends[0]);
    if (!wrong) {
        (void)kill(child, SIGKILL); // its first line is all that is needed
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    return arena_str(a, str_trim(str_cut(&answer, '\n')));
}

// The first installed one, with its version; NULL: none.
static const char *find_tool(const char *const *names, struct arena *a)
{
    for (; *names; names++) {
        int code = 0;
        char *file = run_find_in_path(*names, &code);
        if (!file)
            continue;
        str version = version_of(file, a);
        const char *found = version.n ? arena_printf(a, "%.*s, %s", STR(version), file).p
                                      : arena_printf(a, "%s, unknown version", file).p;
        mem_free(file);
        return found;
    }
    return NULL;
}

static struct check_finding tool(const struct check_view *v, const char *const *names,
                                 const char *missing, const char *remedy)
{
    const char *found = find_tool(names, v->a);
    if (found)
        return (struct check_finding){.found = found};
    return (struct check_finding){CHECK_NOTE, missing, remedy};
}

struct check_finding check_compiler(const struct check_view *v)
{
    static const char *const names[] = {"cc", "gcc", "clang", NULL};
    return tool(v, names, "none of cc, gcc and clang is in PATH",
                "needed only to build programs with their own zones: install gcc");
}

struct check_finding check_cross_compiler(const struct check_view *v)
{
    static const char *const names[] = {"riscv64-unknown-elf-gcc", NULL};
    return tool(v, names, "riscv64-unknown-elf-gcc is not in PATH",
                "needed only by 'ttprof kernel build': install gcc-riscv64-unknown-elf");
}

struct check_finding check_python(const struct check_view *v)
{
    static const char *const names[] = {"python3", NULL};
    return tool(
        v, names, "python3 is not in PATH",
        "needed only to run Python programs: install python3, or activate its environment");
}
