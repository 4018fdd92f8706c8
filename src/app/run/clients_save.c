// clients_save.c - writes what was captured from a Tracy client: RUN/tracy/PID.tracy.
#include "base/text/log.h"

#include "app/app.h"
#include "app/run/captures.h"
#include "app/run/clients.h"
#include "formats/tracy/tracy_file.h"

struct run_capture clients_save(struct wrapped_run *r, struct capture_link *link)
{
    struct err e = {0};
    struct arena a = {0};
    struct tracy *t = link_trace(link);
    struct run_capture made = {.pid = (uint32_t)t->pid,
                               .n_zones = tracy_zone_count(t),
                               .n_messages = t->messages.n,
                               .is_whole = link->state == LINK_DONE};
    const char *path = captures_name(r->folder, t->pid, &a, &e);
    if (path && tracy_write(t, path, tracy_write_usual(t->generation), &e)) {
        struct buf b = {0};
        buf_printf(&b, "%s%c", path, '\0');
        made.path = b.p;
        captures_note_clock(r->folder, path, t, &link->clock);
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
