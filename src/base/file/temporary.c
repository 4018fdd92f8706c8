// temporary.c - a list of temporary names, and the signal handler that removes them.
//
// The list is changed under a lock that is held with all signals blocked, so the handler
// never interrupts a holder. The handler does not give the lock back: from then on no
// temporary file is made.
#include "base/file/temporary.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/data/mem.h"
#include "base/data/vec.h"
#include "base/file/folder.h"

static struct {
    atomic_flag lock;
    sigset_t before; // of the holder
    VEC(char *) names;
    pid_t owner; // a forked child has its parent's list, but not its files
} temporary = {.lock = ATOMIC_FLAG_INIT};

static void lock_names(void)
{
    while (atomic_flag_test_and_set(&temporary.lock))
        (void)sched_yield();
}

static void list_lock(void)
{
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    lock_names();
    temporary.before = before;
}

static void list_unlock(void)
{
    sigset_t before = temporary.before;
    atomic_flag_clear(&temporary.lock);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void add_name(const char *name)
{
    size_t n = strlen(name) + 1;
    vec_push(&temporary.names, memcpy(mem_alloc(n), name, n));
}

int temporary_file(char *name)
{
    list_lock();
    int fd = mkostemp(name, O_CLOEXEC);
    if (fd >= 0)
        add_name(name);
    list_unlock();
    return fd;
}

bool temporary_folder(char *name)
{
    list_lock();
    bool is_made = mkdtemp(name) != NULL;
    if (is_made)
        add_name(name);
    list_unlock();
    return is_made;
}

void temporary_done(const char *name)
{
    list_lock();
    for (size_t i = temporary.names.n; i-- > 0;)
        if (strcmp(temporary.names.v[i], name) == 0) {
            mem_free(temporary.names.v[i]);
            temporary.names.v[i] = temporary.names.v[--temporary.names.n];
            break;
        }
    if (!temporary.names.n)
        vec_free(&temporary.names);
    list_unlock();
}

// The signal's default action follows when the handler returns: it is reset, and pending.
static void remove_all(int number)
{
    if (getpid() == temporary.owner) {
        lock_names();
        for (size_t i = 0; i < temporary.names.n; i++)
            (void)folder_delete_now(temporary.names.v[i]);
    }
    (void)raise(number);
}

void temporary_remove_on_signals(void)
{
    static const int ending[] = {SIGINT,  SIGTERM, SIGHUP, SIGQUIT,
                                 SIGPIPE, SIGXFSZ, SIGXCPU};
    struct sigaction remove = {.sa_handler = remove_all, .sa_flags = (int)SA_RESETHAND};
    struct sigaction now;
    temporary.owner = getpid();
    // While it removes, another signal must not end the process.
    (void)sigfillset(&remove.sa_mask);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        if (sigaction(ending[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL)
            (void)sigaction(ending[i], &remove, NULL);
}
