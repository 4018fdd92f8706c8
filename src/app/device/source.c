// source.c - reads a device log and finds its ops.
#include "app/device/source.h"

#include "base/text/log.h"

#include "analyse/fold/pair.h"
#include "formats/device_log/device_log.h"

bool device_source_read(struct device_source *s, const char *path, struct err *e)
{
    *s = (struct device_source){.path = path};
    return device_log_read(&s->trace, path, e);
}

bool device_source_find(struct device_source *s, const struct selection *selection,
                        bool with_dispatch, struct err *e)
{
    pair_zones(&s->trace);
    device_ops_find(&s->ops, &s->trace);
    if (selection && !selection_is_empty(selection)) {
        if (!trace_select(&s->trace, &s->ops, selection, e))
            return false;
        if (!s->trace.tracks.n)
            log_line(
                "device: no marker matches --device, --core, --risc, --zone, --op, --run-id, --from and --to; 'ttprof info' shows what the log contains");
    }
    if (with_dispatch)
        dispatch_ops_find(&s->dispatch, &s->trace);
    return true;
}

void device_source_free(struct device_source *s)
{
    dispatch_ops_free(&s->dispatch);
    device_ops_free(&s->ops);
    trace_free(&s->trace);
    *s = (struct device_source){0};
}
