// clients_save.c - writes what was captured from a Tracy client: RUN/tracy/PID.tracy.
#include <unistd.h>

#include "base/file/folder.h"
#include "base/text/log.h"

#include "app/app.h"
#include "app/run/clients.h"
#include "formats/tracy/tracy_file.h"

// A process may be captured more than once, if its client is on demand.
static char *free_path(const struct wrapped_run *r, uint64_t pid)
{
    struct buf b = {0};
    int k = 0;
    do {
        b.n = 0;
        buf_printf(&b, "%s/tracy/%llu", r->folder, (unsigned long long)pid);
        if (++k > 1)
            buf_printf(&b, "-%d", k);
        buf_printf(&b, ".tracy%c", '\0');
    } while (access(b.p, F_OK) == 0);
    return b.p;
}

struct run_capture clients_save(struct wrapped_run *r, struct capture_link *link)
{
    struct err e = {0};
    struct arena a = {0};
    struct tracy *t = link_trace(link);
    struct run_capture made = {.pid = (uint32_t)t->pid,
                               .n_zones = tracy_zone_count(t),
                               .n_messages = t->messages.n,
                               .is_whole = link->state == LINK_DONE};
    if (folder_make(arena_printf(&a, "%s/tracy", r->folder).p, &e)) {
        made.path = free_path(r, t->pid);
        if (!tracy_write(t, made.path, tracy_write_usual(t->generation), &e)) {
            mem_free(made.path);
            made.path = NULL;
        }
    }
    if (e.code != ERR_NONE)
        run_problem(r, "what the Tracy client of process %u sent is lost: %s", made.pid,
                    e.text);
    else if (!made.is_whole)
        run_problem(
            r,
            "process %u: the connection to its Tracy client broke%s%s; what it sent before is kept",
            made.pid, link->trouble ? ": " : "", link->trouble ? link->trouble : "");
    command_findings("run", &t->diag, false, &e);
    arena_free(&a);
    return made;
}
