// clients_free.c - lets a client go whose protocol is not known.
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "app/run/clients.h"

// Protocol numbers have grown by one with each change since the first release.
enum { PROTOCOLS = 255, PATIENCE_US = 500000 };

static int greet(const struct sockaddr *to, socklen_t bytes, uint32_t number)
{
    struct {
        char magic[TRACY_MAGIC_BYTES];
        uint32_t number;
    } hello = {.number = number};
    struct timeval patience = {.tv_usec = PATIENCE_US};
    uint8_t status = TRACY_DROPPED;
    memcpy(hello.magic, TRACY_MAGIC, sizeof hello.magic);
    int fd = socket(to->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return TRACY_DROPPED;
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (connect(fd, to, bytes) < 0 ||
        send(fd, &hello, sizeof hello, MSG_NOSIGNAL) != (ssize_t)sizeof hello ||
        recv(fd, &status, sizeof status, 0) != sizeof status)
        status = TRACY_DROPPED;
    (void)close(fd);
    return status;
}

uint32_t clients_let_go(const struct sockaddr *to, socklen_t bytes)
{
    // Newer ones first: who speaks an old one is rare.
    for (uint32_t number = PROTOCOLS; number; number--) {
        int status = greet(to, bytes, number);
        if (status == TRACY_WELCOME)
            return number;
        if (status != TRACY_MISMATCH)
            return 0;
    }
    return 0;
}
