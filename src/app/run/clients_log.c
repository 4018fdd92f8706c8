// clients_log.c - ports of Tracy clients, from the lines that are added to the process log.
#include <fcntl.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/text/num.h"

#include "app/run/clients.h"

void clients_log_open(struct clients_log *l, const char *path)
{
    *l = (struct clients_log){.fd = open(path, O_RDONLY | O_CLOEXEC),
                              .news = inotify_init1(IN_CLOEXEC | IN_NONBLOCK)};
    if (l->news >= 0 && inotify_add_watch(l->news, path, IN_MODIFY) < 0) {
        (void)close(l->news);
        l->news = -1;
    }
}

void clients_log_close(struct clients_log *l)
{
    if (l->fd >= 0)
        (void)close(l->fd);
    if (l->news >= 0)
        (void)close(l->news);
    buf_free(&l->rest);
}

static bool next_number(str *line, int64_t most, int64_t *v)
{
    return num_int(str_cut(line, '\t'), v) && *v >= 0 && *v <= most;
}

// Damaged lines are counted by the reader of the whole log.
static bool parse(str line, struct clients_port *found)
{
    int64_t ns, pid, birth, port;
    if (!str_is(str_cut(&line, '\t'), "port") || !next_number(&line, INT64_MAX, &ns) ||
        !next_number(&line, UINT32_MAX, &pid) || !next_number(&line, INT64_MAX, &birth) ||
        !next_number(&line, UINT16_MAX, &port) || port == 0)
        return false;
    *found = (struct clients_port){
        .pid = (uint32_t)pid, .birth = (uint64_t)birth, .port = (uint16_t)port};
    return true;
}

static bool read_more(struct clients_log *l)
{
    enum { CHUNK = 64 * 1024 };
    ssize_t n = l->fd < 0 ? 0 : read(l->fd, buf_room(&l->rest, CHUNK), CHUNK);
    l->rest.n += n > 0 ? (size_t)n : 0;
    return n > 0;
}

static void forget_news(const struct clients_log *l)
{
    char events[4096];
    while (l->news >= 0 && read(l->news, events, sizeof events) > 0)
        continue;
}

bool clients_log_next(struct clients_log *l, struct clients_port *found)
{
    forget_news(l);
    do {
        str text = buf_view(&l->rest);
        bool is_found = false;
        while (!is_found && text.n && memchr(text.p, '\n', text.n))
            is_found = parse(str_cut(&text, '\n'), found);
        if (text.n)
            memmove(l->rest.p, text.p, text.n);
        l->rest.n = text.n;
        if (is_found)
            return true;
    } while (read_more(l));
    return false;
}
