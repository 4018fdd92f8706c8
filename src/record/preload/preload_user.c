// preload_user.c - processes that give up root's rights, and with them the right to open
// the log: they keep it open. TTPROF_PROCESS_LOG tells the programs that they execute
// where.
#include <sys/syscall.h>
#include <unistd.h>

#include "preload.h"

static char *put_text(char *to, const char *end, const char *z)
{
    while (*z && to < end)
        *to++ = *z++;
    return to;
}

static char *put_number(char *to, const char *end, uint64_t v)
{
    enum { DIGITS = 20 };
    if (end - to <= DIGITS)
        return to;
    to = process_log_digits(to, v);
    *to++ = ' ';
    return to;
}

static void tell_children(void)
{
    static const char name[] = "TTPROF_PROCESS_LOG";
    struct process_log_kept kept = process_log_kept();
    struct preload_variable *v = &preload.variables[PRELOAD_LOG];
    char *to = preload.log_text;
    const char *end = to + sizeof preload.log_text - 1;
    to = put_text(to, end, name);
    to = put_text(to, end, "=");
    to = put_number(to, end, (uint64_t)kept.fd);
    to = put_number(to, end, kept.device);
    to = put_number(to, end, kept.inode);
    to = put_text(to, end, preload.log);
    *to = '\0';
    v->name = sizeof name - 1;
    v->text = preload.log_text;
}

// A child of vfork changes its parent's memory here. It does no harm: the descriptor is
// checked each time it is used.
static void keep_log(void)
{
    if (preload.is_on && !preload.is_quiet && syscall(SYS_geteuid) == 0 &&
        process_log_keep(preload.log))
        tell_children();
}

static const char *take_number(const char *z, uint64_t *v)
{
    for (*v = 0; *z >= '0' && *z <= '9'; z++)
        *v = *v * 10 + (uint64_t)(*z - '0');
    return *z == ' ' ? z + 1 : z;
}

static bool is_same(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

void preload_adopt_log(void)
{
    const char *z = process_log_variable("TTPROF_PROCESS_LOG");
    uint64_t fd, device, inode;
    if (!z)
        return;
    z = take_number(take_number(take_number(z, &fd), &device), &inode);
    // A run within a run has a log of its own.
    if (fd <= INT32_MAX && is_same(z, preload.log) &&
        process_log_adopt((struct process_log_kept){(int)fd, device, inode}))
        tell_children();
}

STANDS_IN int setuid(uid_t user)
{
    keep_log();
    return next.setuid ? next.setuid(user) : (int)syscall(SYS_setuid, user);
}

STANDS_IN int seteuid(uid_t effective)
{
    keep_log();
    return next.seteuid ? next.seteuid(effective)
                        : (int)syscall(SYS_setresuid, -1, effective, -1);
}

STANDS_IN int setreuid(uid_t real, uid_t effective)
{
    keep_log();
    return next.setreuid ? next.setreuid(real, effective)
                         : (int)syscall(SYS_setreuid, real, effective);
}

STANDS_IN int setresuid(uid_t real, uid_t effective, uid_t saved)
{
    keep_log();
    return next.setresuid ? next.setresuid(real, effective, saved)
                          : (int)syscall(SYS_setresuid, real, effective, saved);
}
