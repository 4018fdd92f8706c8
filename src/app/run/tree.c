// tree.c - descendants of this process, from /proc. Orphans are included: they become
// children of this process.
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/data/sort.h"

#include "app/run/run.h"

struct link {
    pid_t pid, parent;
};
typedef VEC(struct link) links;

// Reads the start of a file of /proc/PID; returns the number of bytes.
static size_t read_of(pid_t pid, const char *name, char *to, size_t room)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, to, room - 1);
    if (fd >= 0)
        (void)close(fd);
    to[n > 0 ? n : 0] = '\0';
    return n > 0 ? (size_t)n : 0;
}

static void add_process(links *all, pid_t pid)
{
    char text[512];
    (void)read_of(pid, "stat", text, sizeof text);
    // The program name is in parentheses and may contain any character.
    const char *behind = strrchr(text, ')');
    if (!behind || behind[1] != ' ' || behind[2] == 'Z' || behind[2] == 'X')
        return;
    vec_push(all, (struct link){.pid = pid, .parent = (pid_t)strtol(behind + 3, NULL, 10)});
}

static void read_all(links *all)
{
    DIR *proc = opendir("/proc");
    for (struct dirent *d; proc && (d = readdir(proc));)
        if (isdigit((unsigned char)d->d_name[0]))
            add_process(all, (pid_t)strtol(d->d_name, NULL, 10));
    if (proc)
        (void)closedir(proc);
}

void run_descendants(pids *found)
{
    links all = {0};
    read_all(&all);
    pid_t above = getpid();
    // Children of this process, then of those, and so on.
    for (size_t i = 0;; above = found->v[i++]) {
        for (size_t k = 0; k < all.n; k++)
            if (all.v[k].parent == above)
                vec_push(found, all.v[k].pid);
        if (i == found->n)
            break;
    }
    vec_free(&all);
}

void run_describe(const pids *found, struct buf *b)
{
    enum { SHOWN = 3, LONGEST = 60 };
    for (size_t i = 0; i < found->n && i < SHOWN; i++) {
        char words[256];
        size_t n = read_of(found->v[i], "cmdline", words, sizeof words);
        for (size_t k = 0; k + 1 < n; k++)
            if ((unsigned char)words[k] < ' ')
                words[k] = ' ';
        if (n == 0)
            (void)read_of(found->v[i], "comm", words, sizeof words);
        str text = str_trim(str_of(words));
        buf_printf(b, "%s%d %.*s%s", i ? ", " : "", (int)found->v[i],
                   STR(str_clip(text, LONGEST)), text.n > LONGEST ? "..." : "");
    }
    if (found->n > SHOWN)
        buf_printf(b, " and %zu more", found->n - SHOWN);
}
