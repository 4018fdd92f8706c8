// preload_wait.c - children whose end the process sees: the only news of a child that was
// killed or cannot be preloaded.
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload.h"

static pid_t log_ended_child(pid_t pid, const int *status)
{
    if (pid > 0 && preload.is_on && !preload.is_quiet)
        process_log_ended(preload.log, (uint32_t)pid, 0, *status);
    return pid;
}

static pid_t wait_for(pid_t pid, int *status, int options, struct rusage *usage)
{
    return next.wait4 ? next.wait4(pid, status, options, usage)
                      : (pid_t)syscall(SYS_wait4, pid, status, options, usage);
}

STANDS_IN pid_t wait(int *status)
{
    int own = 0;
    status = status ? status : &own;
    return log_ended_child(next.wait ? next.wait(status) : wait_for(-1, status, 0, NULL),
                           status);
}

STANDS_IN pid_t waitpid(pid_t pid, int *status, int options)
{
    int own = 0;
    status = status ? status : &own;
    return log_ended_child(next.waitpid ? next.waitpid(pid, status, options)
                                        : wait_for(pid, status, options, NULL),
                           status);
}

STANDS_IN pid_t wait3(int *status, int options, struct rusage *usage)
{
    int own = 0;
    status = status ? status : &own;
    return log_ended_child(next.wait3 ? next.wait3(status, options, usage)
                                      : wait_for(-1, status, options, usage),
                           status);
}

STANDS_IN pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
    int own = 0;
    status = status ? status : &own;
    return log_ended_child(wait_for(pid, status, options, usage), status);
}

// wait() packs what waitid() separates: code << 8, or the signal and whether it dumped
// core.
static int status_of(const siginfo_t *info)
{
    if (info->si_code == CLD_EXITED)
        return (info->si_status & 0xFF) << 8;
    return (info->si_status & 0x7F) | (info->si_code == CLD_DUMPED ? 0x80 : 0);
}

STANDS_IN int waitid(idtype_t kind, id_t id, siginfo_t *info, int options)
{
    siginfo_t own = {0};
    info = info ? info : &own;
    info->si_pid = 0; // stays 0 if no child is ready
    info->si_code = 0;
    int r = next.waitid ? next.waitid(kind, id, info, options)
                        : (int)syscall(SYS_waitid, kind, id, info, options, NULL);
    bool has_ended = info->si_code == CLD_EXITED || info->si_code == CLD_KILLED ||
                     info->si_code == CLD_DUMPED;
    if (r == 0 && has_ended && !(options & WNOWAIT)) {
        int status = status_of(info);
        (void)log_ended_child(info->si_pid, &status);
    }
    return r;
}
