// convert_run.c - a run as a .tracy file.
#include "analyse/host/attachments.h"
#include "app/convert/convert.h"
#include "app/device/placed.h"
#include "formats/host_run/host_run.h"
#include "formats/tracy/tracy_from.h"
#include "formats/tracy/tracy_trace.h"

struct unique_ids {
    struct attachments attachments;
    struct buf text;
};

static str unique(void *context, uint32_t process, uint64_t time, bool is_zone, str text)
{
    struct unique_ids *u = context;
    return is_zone ? attachments_zone(&u->attachments, process, time, text, &u->text)
                   : attachments_message(&u->attachments, process, time, text, &u->text);
}

static bool write_trace(const struct trace *run, const char *path,
                        struct tracy_write_how how, struct err *e)
{
    struct unique_ids u = {0};
    struct tracy contents;
    struct tracy_from_how from = {
        .generation = how.generation, .unique = unique, .context = &u};
    attachments_find(&u.attachments, run->folder, run);
    tracy_start(&contents, tracy_spill_folder(), TRACY_HELD_MOST);
    tracy_from_trace(&contents, run, from);
    bool ok = tracy_write(&contents, path, how, e);
    if (how.diag)
        diag_add(how.diag, &contents.diag);
    tracy_free(&contents);
    attachments_free(&u.attachments);
    buf_free(&u.text);
    return ok;
}

bool convert_run(const char *command, const char *in, const char *out,
                 struct tracy_write_how how, struct diag *odd, struct err *e)
{
    struct placed p = {.command = command};
    struct arena scratch = {0};
    (void)placed_read_devices(&p, host_run_find(in, &scratch));
    bool ok = host_run_add(&p.trace, in, e) && write_trace(&p.trace, out, how, e);
    if (odd)
        diag_add(odd, trace_findings(&p.trace));
    placed_free(&p);
    arena_free(&scratch);
    return ok;
}
