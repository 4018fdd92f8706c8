// mapping.c - the list of mappings, and the signal that says that one has lost its end.
//
// The handler may run at any time, on any thread: it reads the list without a lock. So an
// entry stays in the list for good; when its file is closed it becomes free for another.
#include "base/file/mapping.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/data/mem.h"

struct mapping {
    struct mapping *next;
    _Atomic(char *) p; // NULL: free
    size_t n;
    dev_t device;
    ino_t inode;
    char *path;
    atomic_bool is_short;
};

static _Atomic(struct mapping *) mappings;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static char *copy_of(const char *z)
{
    size_t n = strlen(z) + 1;
    return memcpy(mem_alloc(n), z, n);
}

// An entry that is not in use. One whose file has become shorter is kept for mapping_check.
static struct mapping *take_entry(void)
{
    struct mapping *m = atomic_load(&mappings);
    while (m && (atomic_load(&m->p) || atomic_load(&m->is_short)))
        m = m->next;
    if (!m) {
        m = mem_alloc(sizeof *m);
        m->next = atomic_load(&mappings);
        atomic_store(&mappings, m);
    }
    mem_free(m->path);
    return m;
}

str mapping_make(int fd, size_t n, int flags, const char *path)
{
    struct stat st;
    void *p = mmap(NULL, n, PROT_READ, MAP_PRIVATE | flags, fd, 0);
    if (p == MAP_FAILED)
        return (str){0};
    (void)pthread_mutex_lock(&lock);
    struct mapping *m = take_entry();
    m->n = n;
    m->path = copy_of(path);
    if (fstat(fd, &st) == 0) {
        m->device = st.st_dev;
        m->inode = st.st_ino;
    }
    atomic_store(&m->p, p);
    (void)pthread_mutex_unlock(&lock);
    return (str){p, n};
}

// Bytes lost within the last page left are zeros without a signal.
static bool has_shrunk(const struct mapping *m)
{
    struct stat st;
    int code = strcmp(m->path, "-") == 0 ? fstat(STDIN_FILENO, &st) : stat(m->path, &st);
    return code == 0 && st.st_dev == m->device && st.st_ino == m->inode &&
           (size_t)st.st_size < m->n;
}

void mapping_free(str text)
{
    (void)pthread_mutex_lock(&lock);
    struct mapping *m = atomic_load(&mappings);
    while (m && atomic_load(&m->p) != text.p)
        m = m->next;
    if (m) {
        if (has_shrunk(m))
            atomic_store(&m->is_short, true);
        atomic_store(&m->p, NULL);
    }
    (void)munmap((char *)text.p, text.n);
    (void)pthread_mutex_unlock(&lock);
}

// --- the signal ------------------------------------------------------------------------

// Zeros in place of everything from the lost page on: what follows it is lost as well.
static bool fill_up(struct mapping *m, const char *p, const char *at)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t from = (size_t)(at - p) / page * page;
    atomic_store(&m->is_short, true);
    return mmap((char *)p + from, m->n - from, PROT_READ,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
}

static void take_signal(int number, siginfo_t *info, void *context)
{
    (void)context;
    const char *at = info->si_addr;
    for (struct mapping *m = atomic_load(&mappings); m; m = m->next) {
        const char *p = atomic_load(&m->p);
        if (p && at >= p && at < p + m->n && fill_up(m, p, at))
            return;
    }
    // Not one of ours: the access is repeated, and ends the program.
    (void)signal(number, SIG_DFL);
}

void mapping_guard(void)
{
    struct sigaction action = {.sa_sigaction = take_signal, .sa_flags = SA_SIGINFO};
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGBUS, &action, NULL);
}

bool mapping_check(struct err *e)
{
    bool ok = true;
    (void)pthread_mutex_lock(&lock);
    for (struct mapping *m = atomic_load(&mappings); ok && m; m = m->next)
        if (atomic_load(&m->is_short) || (atomic_load(&m->p) && has_shrunk(m)))
            ok = err_set(
                e, ERR_IO,
                "%s: became shorter while it was read, or its disk failed; run the command again when nothing writes to the file",
                m->path);
    (void)pthread_mutex_unlock(&lock);
    return ok;
}
