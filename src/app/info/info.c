// info.c - one-screen summary of a log: `ttprof info`. Run folders are in run_folder.c.
#include "app/info/info.h"

#include <stdio.h>

#include "base/text/json.h"
#include "base/text/num.h"

#include "analyse/fold/device_ops.h"
#include "analyse/fold/pair.h"
#include "app/app.h"
#include "app/device/source.h"
#include "formats/host_run/host_run.h"

struct info {
    struct trace t;
    struct device_ops ops;
    uint64_t type[MARKER_TYPES];
    size_t n_places; // that start zones
};

struct device_info {
    size_t n_cores, n_tracks, n_dispatch, n_ethernet;
    uint64_t n_markers, n_zones, n_ops, n_incomplete, n_replays, odd;
    struct buf riscs;
};

static void count_device(const struct info *i, uint32_t device, struct device_info *d)
{
    const struct trace *t = &i->t;
    struct map seen = {0};
    *d = (struct device_info){.n_cores = t->devices.v[device].cores.n};
    for (size_t c = 0; c < d->n_cores; c++) {
        const struct trace_core *core = &t->cores.v[t->devices.v[device].cores.v[c]];
        bool is_ethernet = false;
        d->n_dispatch += core->is_dispatch;
        for (size_t k = 0; k < core->tracks.n; k++) {
            const struct trace_track *track = &t->tracks.v[core->tracks.v[k]];
            str risc = trace_text(t, track->risc);
            d->n_tracks++;
            d->n_markers += track->n_markers;
            d->n_zones += track->n_zones;
            is_ethernet |= str_has(risc, S("ERISC"));
            (void)map_put(&seen, risc);
        }
        d->n_ethernet += is_ethernet;
    }
    for (size_t o = i->ops.first[device]; o < i->ops.first[device + 1]; o++) {
        d->n_ops++;
        d->n_incomplete += !i->ops.v[o].is_complete;
        d->n_replays += t->runs.v[i->ops.v[o].run].trace_id >= 0;
    }
    for (size_t o = 0; o < t->oddities.n; o++) {
        uint32_t track = t->oddities.v[o].track;
        if (track != TRACE_NO_TRACK && t->cores.v[t->tracks.v[track].core].device == device)
            d->odd += t->oddities.v[o].count;
    }
    for (unsigned rank = 0; rank < 64; rank++)
        for (size_t r = 0; r < seen.keys.n; r++)
            if (risc_rank(seen.keys.v[r]) == rank)
                buf_printf(&d->riscs, "%s%.*s", d->riscs.n ? " " : "", STR(seen.keys.v[r]));
    map_free(&seen);
}

static uint64_t size_of_logs(const struct trace *t)
{
    uint64_t n = 0;
    for (size_t i = 0; i < t->files.n; i++)
        n += t->files.v[i].text.n;
    return n;
}

// 1234567 as "1,234,567"; the texts live in the arena.
static const char *grouped(struct arena *a, uint64_t v)
{
    struct buf b = {0};
    num_put_fixed(&b, (double)v, 0, true);
    const char *text = arena_str(a, buf_view(&b)).p;
    buf_free(&b);
    return text;
}

static void put_device_text(const struct info *i, uint32_t device, struct arena *a,
                            struct buf *b)
{
    const struct trace_device *dev = &i->t.devices.v[device];
    struct device_info d;
    count_device(i, device, &d);
    uint64_t span = dev->last_time - dev->first_time;
    buf_printf(b, "\nDevice %.*s\n", STR(trace_device_name(&i->t, device, a)));
    command_fact(b, "  cores", "%zu, of them %zu dispatch and %zu ethernet", d.n_cores,
                 d.n_dispatch, d.n_ethernet);
    command_fact(b, "  RISCs", "%zu: %.*s", d.n_tracks, STR(d.riscs));
    command_fact(b, "  markers", "%s in %s zones", grouped(a, d.n_markers),
                 grouped(a, d.n_zones));
    command_fact(b, "  ops", "%s, of them %s replayed and %s incomplete",
                 grouped(a, d.n_ops), grouped(a, d.n_replays), grouped(a, d.n_incomplete));
    command_fact(b, "  first cycle", "%llu", (unsigned long long)dev->first_time);
    if (i->t.mhz)
        command_fact(b, "  time span", "%s cycles, %.6g ms", grouped(a, span),
                     (double)span / (double)trace_mhz(&i->t, device) / 1000);
    else
        command_fact(b, "  time span", "%s cycles", grouped(a, span));
    command_fact(b, "  odd data", "%s", grouped(a, d.odd));
    buf_free(&d.riscs);
}

static void put_text(const struct info *i, struct buf *b)
{
    const struct trace *t = &i->t;
    struct arena a = {0};
    command_fact(b, "log", "%s", t->path);
    command_fact(b, "size", "%s bytes", grouped(&a, size_of_logs(t)));
    command_fact(b, "rows", "%s", grouped(&a, t->n_rows));
    command_fact(b, "form", "%s", t->is_legacy ? "six columns (2023)" : "columns by name");
    command_fact(b, "arch", "%.*s", STR(t->arch.n ? t->arch : S("unknown")));
    if (t->mhz)
        command_fact(b, "clock", "%lld MHz", (long long)t->mhz);
    else
        command_fact(b, "clock", "unknown");
    if (t->max_compute_cores)
        command_fact(b, "compute cores", "%lld%s%.*s%s", (long long)t->max_compute_cores,
                     t->dispatch.n ? " with " : "", STR(t->dispatch),
                     t->dispatch.n ? " dispatch" : "");
    command_fact(b, "zones", "%zu places in the sources", i->n_places);
    for (int k = 0; k < MARKER_TYPES; k++)
        if (i->type[k])
            command_fact(b, k == MARKER_OTHER ? "unknown type" : marker_type_names[k], "%s",
                         grouped(&a, i->type[k]));
    command_fact(b, "devices", "%zu", t->devices.n);
    for (uint32_t d = 0; d < t->devices.n; d++)
        put_device_text(i, d, &a, b);
    buf_char(b, '\n');
    command_fact(b, "odd data", "%s in all", grouped(&a, diag_total(&t->diag)));
    arena_free(&a);
}

static void put_device_json(const struct info *i, uint32_t device, struct json *j)
{
    const struct trace_device *dev = &i->t.devices.v[device];
    struct device_info d;
    count_device(i, device, &d);
    json_newline(j);
    json_open(j, '{');
    json_key_int(j, "id", dev->id);
    if (i->t.files.n > 1) {
        json_key_int(j, "pid", dev->pid);
        json_key_int(j, "attachment", dev->attachment);
    }
    json_key_int(j, "cores", (int64_t)d.n_cores);
    json_key_int(j, "dispatch_cores", (int64_t)d.n_dispatch);
    json_key_int(j, "ethernet_cores", (int64_t)d.n_ethernet);
    json_key_text(j, "riscs", buf_view(&d.riscs));
    json_key_int(j, "tracks", (int64_t)d.n_tracks);
    json_key_int(j, "markers", (int64_t)d.n_markers);
    json_key_int(j, "zones", (int64_t)d.n_zones);
    json_key_int(j, "ops", (int64_t)d.n_ops);
    json_key_int(j, "replayed_ops", (int64_t)d.n_replays);
    json_key_int(j, "incomplete_ops", (int64_t)d.n_incomplete);
    json_key_int(j, "first_cycle", (int64_t)dev->first_time);
    json_key_int(j, "last_cycle", (int64_t)dev->last_time);
    json_key_int(j, "odd", (int64_t)d.odd);
    json_close(j, '}');
    buf_free(&d.riscs);
}

static void put_json(const struct info *i, struct buf *b)
{
    const struct trace *t = &i->t;
    struct json j = {.b = b, .is_first = true};
    json_open(&j, '{');
    json_key_text(&j, "log", str_of(t->path));
    json_key_int(&j, "bytes", (int64_t)size_of_logs(t));
    json_key_int(&j, "rows", (int64_t)t->n_rows);
    json_key_text(&j, "arch", t->arch);
    json_key_int(&j, "mhz", t->mhz);
    json_key_int(&j, "max_compute_cores", t->max_compute_cores);
    json_key_text(&j, "dispatch", t->dispatch);
    for (int k = 0; k < MARKER_TYPES; k++)
        json_key_int(&j, k == MARKER_OTHER ? "unknown_type" : marker_type_names[k],
                     (int64_t)i->type[k]);
    json_key_int(&j, "odd", (int64_t)diag_total(&t->diag));
    json_key(&j, S("devices"));
    json_open(&j, '[');
    for (uint32_t d = 0; d < t->devices.n; d++)
        put_device_json(i, d, &j);
    json_close(&j, ']');
    json_close(&j, '}');
    buf_char(b, '\n');
}

int info_command(const struct info_values *v, struct words words, struct err *e)
{
    struct info i = {0};
    struct buf b = {0};
    int code = 0;
    if (host_run_is_at(words.v[0]))
        return info_run(words.v[0], v->json, e);
    struct device_source source;
    bool is_read = device_source_read(&source, words.v[0], e);
    i.t = source.trace;
    if (is_read) {
        pair_zones(&i.t);
        device_ops_find(&i.ops, &i.t);
        for (size_t k = 0; k < i.t.tracks.n; k++)
            for (uint32_t m = 0; m < i.t.tracks.v[k].n_markers; m++)
                i.type[trace_site_of(&i.t, i.t.tracks.v[k].marker + m)->type]++;
        for (size_t k = 0; k < i.t.sites.n; k++)
            i.n_places += i.t.sites.v[k].type == MARKER_ZONE_START;
        if (v->json)
            put_json(&i, &b);
        else
            put_text(&i, &b);
        code = command_print(&b, e);
        command_findings("info", &i.t.diag, false, e);
    }
    device_ops_free(&i.ops);
    trace_free(&i.t);
    attachments_free(&source.attachments);
    return e->code == ERR_NONE ? code : err_exit_code(e->code);
}
