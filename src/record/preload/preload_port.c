// preload_port.c - the port of a Tracy client. All processes of a run inherit one
// TRACY_PORT, where only one of them could listen; the others would discard what they
// record. A socket that is to be bound to it gets a port from the system instead, and the
// log tells which: `ttprof run` connects there.
//
// Redirecting bind, rather than choosing a port at exec, also works for processes that only
// fork, needs no port for programs without a client, and no port can be taken in between.
//
// Nothing here uses what begin() has kept: a library's client may start before it.
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload.h"

enum { PATH_ROOM = 4352 };

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};
// Both families have it in the same place.
_Static_assert(offsetof(union address, v4.sin_port) ==
                   offsetof(union address, v6.sin6_port),
               "one place of the port");

// As clients read it: leading digits.
static uint32_t client_port(void)
{
    uint32_t port = 0;
    const char *z = process_log_variable("TRACY_PORT");
    for (; z && *z >= '0' && *z <= '9' && port <= UINT16_MAX; z++)
        port = port * 10 + (uint32_t)(*z - '0');
    return port <= UINT16_MAX ? port : 0;
}

static bool is_stream(int fd)
{
    int type = 0;
    socklen_t bytes = sizeof type;
    return syscall(SYS_getsockopt, fd, SOL_SOCKET, SO_TYPE, &type, &bytes) == 0 &&
           type == SOCK_STREAM;
}

// The path of the log; false: nobody would read it, or it cannot be written to.
static bool find_log(char *path)
{
    static const char name[] = "/" PROCESS_LOG_NAME;
    const char *run = process_log_variable("TTPROF_RUN");
    size_t n = 0;
    if (!run || *run != '/' || preload.is_quiet || !process_log_is_followed())
        return false;
    for (; run[n]; n++) {
        if (n + sizeof name >= PATH_ROOM)
            return false;
        path[n] = run[n];
    }
    for (size_t i = 0; i < sizeof name; i++)
        path[n + i] = name[i];
    int kept = errno;
    bool is_open =
        process_log_kept().fd >= 0 || syscall(SYS_faccessat, AT_FDCWD, path, W_OK) == 0;
    errno = kept;
    return is_open;
}

static bool is_of_client(int fd, const union address *at, socklen_t bytes)
{
    if (!(at->any.sa_family == AF_INET && bytes >= sizeof at->v4) &&
        !(at->any.sa_family == AF_INET6 && bytes >= sizeof at->v6))
        return false;
    uint16_t port = ntohs(at->v4.sin_port);
    return port && port == client_port() && is_stream(fd);
}

static void log_port(int fd, const char *log)
{
    union address got = {0};
    socklen_t bytes = sizeof got;
    char text[256];
    struct process_lines l = {.text = text, .room = sizeof text};
    if (syscall(SYS_getsockname, fd, &got, &bytes) < 0)
        return;
    process_line_begin(&l, "port", process_log_ns(), process_log_self());
    process_line_number(&l, ntohs(got.v4.sin_port));
    process_line_end(&l);
    process_lines_write(&l, log);
}

static int bind_next(int fd, const struct sockaddr *at, socklen_t bytes)
{
    return next.bind ? next.bind(fd, at, bytes) : (int)syscall(SYS_bind, fd, at, bytes);
}

// The headers of glibc declare bind with a union, which ISO C cannot define.
STANDS_IN int bind_client(int fd, const struct sockaddr *at,
                          socklen_t bytes) __asm__("bind");

int bind_client(int fd, const struct sockaddr *at, socklen_t bytes)
{
    char log[PATH_ROOM];
    int kept = errno;
    bool is_client = at && bytes >= sizeof(struct sockaddr_in) &&
                     is_of_client(fd, (const union address *)at, bytes) && find_log(log);
    errno = kept;
    if (!is_client)
        return bind_next(fd, at, bytes);
    union address own = {0};
    size_t n = at->sa_family == AF_INET ? sizeof own.v4 : sizeof own.v6;
    for (size_t i = 0; i < n; i++)
        ((char *)&own)[i] = ((const char *)at)[i];
    own.v4.sin_port = 0;
    int code = bind_next(fd, &own.any, (socklen_t)n);
    kept = errno;
    if (code == 0)
        log_port(fd, log);
    errno = kept;
    return code;
}
