// lock.c - the recorder's locks: a word in memory and, under contention, a futex. Nothing
// here allocates, and a forked child can use what it inherits.
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record/record.h"

enum { UNLOCKED, LOCKED, WAITED_FOR };

struct recorder_lock recorder_short, recorder_long;

void recorder_lock(struct recorder_lock *l)
{
    int error = errno, cancellation;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellation);
    uint32_t seen = UNLOCKED;
    if (!__atomic_compare_exchange_n(&l->word, &seen, LOCKED, false, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED))
        while (__atomic_exchange_n(&l->word, WAITED_FOR, __ATOMIC_ACQUIRE) != UNLOCKED)
            syscall(SYS_futex, &l->word, FUTEX_WAIT_PRIVATE, WAITED_FOR, NULL, NULL, 0);
    l->signals = before;
    l->cancellation = cancellation;
    l->error = error;
}

void recorder_unlock(struct recorder_lock *l)
{
    sigset_t before = l->signals;
    int error = l->error, cancellation = l->cancellation;
    if (__atomic_exchange_n(&l->word, UNLOCKED, __ATOMIC_RELEASE) == WAITED_FOR)
        syscall(SYS_futex, &l->word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    pthread_setcancelstate(cancellation, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
}
