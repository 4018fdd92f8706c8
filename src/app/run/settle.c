// settle.c - drains rings left by processes that end by _exit, a signal or exec. At a few
// megabytes each, thousands of processes would fill the disk.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "app/run/run.h"
#include "formats/host_run/host_settle.h"

static const uint64_t often_ns = 200000000, seldom_ns = 1600000000;

// Whether no process has the file mapped. The kernel refuses a lease on a file open for
// writing, in any pid namespace and despite reused pids. Without leases nothing is settled.
static bool is_left(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return false;
    (void)fcntl(fd, F_SETSIG, SIGURG); // the default, SIGIO, would end this process
    bool is = fcntl(fd, F_SETLEASE, F_RDLCK) == 0;
    if (is)
        (void)fcntl(fd, F_SETLEASE, F_UNLCK);
    (void)close(fd);
    return is;
}

// Names of rings, grouped by process.
typedef VEC(char *) names;

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void list_rings(const char *host, names *found, struct arena *a)
{
    DIR *d = opendir(host);
    const struct dirent *entry;
    while (d && (entry = readdir(d)))
        if (str_ends(str_of(entry->d_name), S(".ring")))
            vec_push(found, (char *)arena_str(a, str_of(entry->d_name)).p);
    if (d)
        (void)closedir(d);
    if (found->n)
        qsort(found->v, found->n, sizeof *found->v, by_name);
}

static bool is_of(const char *ring, const char *process)
{
    size_t n = strlen(process);
    return strncmp(ring, process, n) == 0 && ring[n] == '.';
}

// Settles the rings of one process from `at` on; returns where the next one's begin.
static size_t take_process(const names *all, size_t at, struct host_left *left,
                           struct arena *a)
{
    const char *name = all->v[at];
    const char *dot = strchr(name, '.');
    left->process = (char *)arena_str(a, (str){name, (size_t)(dot - name)}).p;
    while (at < all->n && is_of(all->v[at], left->process))
        vec_push(&left->rings, all->v[at++]);
    return at;
}

static bool has_ended(const char *host, const struct host_left *left, struct arena *a)
{
    for (size_t i = 0; i < left->rings.n; i++)
        if (!is_left(arena_printf(a, "%s/%s", host, left->rings.v[i]).p))
            return false;
    return true;
}

// Returns how many processes had rings to settle.
static size_t settle_all(struct wrapped_run *r)
{
    struct arena a = {0};
    names all = {0};
    size_t n_settled = 0;
    const char *host = arena_printf(&a, "%s/host", r->folder).p;
    list_rings(host, &all, &a);
    for (size_t at = 0; at < all.n;) {
        struct host_left left = {0};
        struct err e = {0};
        at = take_process(&all, at, &left, &a);
        // Rings that cannot be settled can still be read.
        n_settled += has_ended(host, &left, &a) && host_settle(host, &left, &e);
        vec_free(&left.rings);
    }
    vec_free(&all);
    arena_free(&a);
    return n_settled;
}

uint64_t run_settle(struct wrapped_run *r, uint64_t now)
{
    if (!r->control)
        return UINT64_MAX;
    if (now < r->settle_ns)
        return r->settle_ns;
    bool is_busy =
        __atomic_load_n(&r->control->processes, __ATOMIC_RELAXED) && settle_all(r) != 0;
    uint64_t pause = r->settle_pause_ns * 2;
    r->settle_pause_ns = is_busy || pause < often_ns ? often_ns
                         : pause < seldom_ns         ? pause
                                                     : seldom_ns;
    r->settle_ns = now + r->settle_pause_ns;
    return r->settle_ns;
}

void run_settle_end(struct wrapped_run *r)
{
    if (r->control && r->control->processes)
        (void)settle_all(r);
}
