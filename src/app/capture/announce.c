// announce.c - Tracy clients that announce themselves by UDP.
#include "app/capture/announce.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <sys/socket.h>
#include <unistd.h>

int announce_listen(uint16_t port, struct err *e)
{
    struct sockaddr_in any = {.sin_family = AF_INET, .sin_port = htons(port)};
    int yes = 1;
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
        setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &yes, sizeof yes) == 0 &&
        bind(fd, (const struct sockaddr *)&any, sizeof any) == 0)
        return fd;
    (void)err_set(e, ERR_IO, "UDP port %u: %s; another program may use it", port,
                  strerror(errno));
    if (fd >= 0)
        (void)close(fd);
    return -1;
}

static bool is_local(struct in_addr from)
{
    enum { LOOPBACK = 127 };
    bool is_own = ntohl(from.s_addr) >> 24 == LOOPBACK;
    struct ifaddrs *all = NULL;
    if (!is_own && getifaddrs(&all) == 0)
        for (struct ifaddrs *i = all; i; i = i->ifa_next)
            if (i->ifa_addr && i->ifa_addr->sa_family == AF_INET &&
                ((struct sockaddr_in *)(void *)i->ifa_addr)->sin_addr.s_addr == from.s_addr)
                is_own = true;
    if (all)
        freeifaddrs(all);
    return is_own;
}

// --- the datagram ----------------------------------------------------------------------

static bool take(str *rest, void *to, size_t bytes)
{
    if (rest->n < bytes)
        return false;
    memcpy(to, rest->p, bytes);
    *rest = (str){rest->p + bytes, rest->n - bytes};
    return true;
}

static void take_name(str rest, struct tracy_broadcast *b)
{
    str name = str_cut(&rest, 0);
    size_t n = name.n < sizeof b->program - 1 ? name.n : sizeof b->program - 1;
    if (n)
        memcpy(b->program, name.p, n);
}

// The oldest forms begin with a 32-bit version, and have no port or no name.
static bool parse_old(str rest, struct tracy_broadcast *b)
{
    uint32_t version, protocol, port = TRACY_PORT;
    if (!take(&rest, &version, 4) || version > 1 || !take(&rest, &protocol, 4) ||
        (version == 1 && (!take(&rest, &port, 4) || port > UINT16_MAX)) ||
        !take(&rest, &b->active_seconds, 4))
        return false;
    b->version = (uint16_t)version;
    b->protocol = protocol;
    b->port = (uint16_t)port;
    take_name(rest, b);
    return true;
}

bool announce_parse(str datagram, struct tracy_broadcast *b)
{
    str rest = datagram;
    *b = (struct tracy_broadcast){0};
    if (!take(&rest, &b->version, 2))
        return false;
    if (b->version < 2)
        return parse_old(datagram, b);
    if (b->version > TRACY_BROADCAST_VERSION || !take(&rest, &b->port, 2) ||
        !take(&rest, &b->protocol, 4) || (b->version > 2 && !take(&rest, &b->pid, 8)) ||
        !take(&rest, &b->active_seconds, 4))
        return false;
    take_name(rest, b);
    return true;
}

bool announce_next(int fd, struct announcement *a)
{
    char bytes[512];
    for (;;) {
        struct sockaddr_in from = {0};
        socklen_t size = sizeof from;
        ssize_t n = recvfrom(fd, bytes, sizeof bytes, 0, (struct sockaddr *)&from, &size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        if (!announce_parse((str){bytes, (size_t)n}, &a->client))
            continue;
        a->is_local = is_local(from.sin_addr);
        return true;
    }
}
