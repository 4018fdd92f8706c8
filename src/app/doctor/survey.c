// survey.c - reads /proc once.
#include "app/doctor/survey.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/text/buf.h"

#include "record/process_log_write.h"

// Reads a whole file of /proc; its size is not known in advance.
static void read_all(const char *path, struct buf *b)
{
    enum { STEP = 16384 };
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? 0 : 1;
    b->n = 0;
    while (got > 0) {
        got = read(fd, buf_room(b, STEP), STEP);
        if (got > 0)
            b->n += (size_t)got;
    }
    if (fd >= 0)
        (void)close(fd);
}

static void read_of(pid_t pid, const char *name, struct buf *b)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    read_all(path, b);
}

// --- processes -------------------------------------------------------------------------
static str run_in(const struct buf *environment)
{
    str rest = buf_view(environment), run = {0};
    while (rest.n && !run.n) {
        str one = str_cut(&rest, '\0');
        if (str_starts(one, S("TTPROF_RUN=")))
            run = str_from(one, sizeof "TTPROF_RUN=" - 1);
    }
    return run;
}

// A line of maps: "address rights offset device inode     path".
static void add_mappings(struct survey *s, const struct buf *maps)
{
    str rest = buf_view(maps);
    while (rest.n) {
        str line = str_cut(&rest, '\n');
        if (!str_ends(line, S("/control")) && !str_ends(line, S("/" PRELOAD_NAME)))
            continue;
        str path = {memchr(line.p, '/', line.n), 0};
        path.n = (size_t)(line.p + line.n - path.p);
        size_t process = s->processes.n - 1;
        size_t last = s->mappings.n - 1;
        bool is_again = s->mappings.n && s->mappings.v[last].process == process &&
                        str_eq(s->mappings.v[last].path, path);
        if (!is_again)
            vec_push(&s->mappings,
                     (struct survey_mapping){process, arena_str(&s->a, path)});
    }
}

static void add_process(struct survey *s, pid_t pid, struct buf *b)
{
    struct survey_process p = {.pid = pid};
    read_of(pid, "comm", b);
    p.name = arena_str(&s->a, str_trim(buf_view(b)));
    read_of(pid, "environ", b);
    p.run = arena_str(&s->a, run_in(b));
    vec_push(&s->processes, p);
    read_of(pid, "maps", b);
    add_mappings(s, b);
}

void survey_make(struct survey *s)
{
    struct buf b = {0};
    *s = (struct survey){0};
    DIR *proc = opendir("/proc");
    for (struct dirent *d; proc && (d = readdir(proc));) {
        pid_t pid = (pid_t)strtol(d->d_name, NULL, 10);
        if (isdigit((unsigned char)d->d_name[0]) && pid != getpid())
            add_process(s, pid, &b);
    }
    if (proc)
        (void)closedir(proc);
    buf_free(&b);
}

void survey_free(struct survey *s)
{
    vec_free(&s->processes);
    vec_free(&s->mappings);
    arena_free(&s->a);
}

bool survey_maps(const struct survey *s, str path)
{
    for (size_t i = 0; i < s->mappings.n; i++)
        if (str_eq(s->mappings.v[i].path, path))
            return true;
    return false;
}

// --- sockets ---------------------------------------------------------------------------
typedef VEC(unsigned long) inodes;

// Lines "  0: 00000000:1F96 00000000:0000 0A ...": address and port in hexadecimal, the
// state (0A: listens), five fields, the inode.
static void add_listeners(const char *path, int port, inodes *found)
{
    enum { LISTENS = 0x0A };
    struct buf b = {0};
    read_all(path, &b);
    buf_char(&b, '\0');
    for (char *line = b.p; line; line = strchr(line, '\n')) {
        unsigned at = 0, state = 0;
        unsigned long inode = 0;
        line += *line == '\n';
        int n = sscanf(line, " %*u: %*32[0-9A-Fa-f]:%4x %*s %2x %*s %*s %*s %*s %*s %lu",
                       &at, &state, &inode);
        if (n == 3 && (int)at == port && state == LISTENS)
            vec_push(found, inode);
    }
    buf_free(&b);
}

static bool has_socket(pid_t pid, const inodes *wanted)
{
    char path[64], target[64];
    (void)snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
    DIR *folder = opendir(path);
    bool is_found = false;
    for (struct dirent *d; folder && !is_found && (d = readdir(folder));) {
        unsigned long inode = 0;
        ssize_t n = readlinkat(dirfd(folder), d->d_name, target, sizeof target - 1);
        target[n > 0 ? n : 0] = '\0';
        if (sscanf(target, "socket:[%lu]", &inode) == 1)
            for (size_t i = 0; i < wanted->n; i++)
                is_found |= wanted->v[i] == inode;
    }
    if (folder)
        (void)closedir(folder);
    return is_found;
}

bool survey_listeners(const struct survey *s, int port, pids *found)
{
    inodes wanted = {0};
    add_listeners("/proc/net/tcp", port, &wanted);
    add_listeners("/proc/net/tcp6", port, &wanted);
    for (size_t i = 0; wanted.n && i < s->processes.n; i++)
        if (has_socket(s->processes.v[i].pid, &wanted))
            vec_push(found, s->processes.v[i].pid);
    bool is_taken = wanted.n != 0;
    vec_free(&wanted);
    return is_taken;
}
