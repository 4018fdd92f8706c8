// device_json.c - the document: devices, cores, RISCs.
#include "present/device/device_json.h"

#include <stdlib.h>

#include "base/file/file.h"

#include "present/device/device_json_parts.h"

// A member of an object; members are sorted by key.
struct member {
    int64_t number; // compared first
    str key;
    uint32_t index;
};

static int by_key(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return str_cmp(x->key, y->key);
}

// One RISC's elements of a device series, in the same order.
static void put_risc_of_device(struct json_doc *doc, const struct series *s, uint32_t risc)
{
    put_key(doc, "timeseries");
    json_open(&doc->j, '[');
    for (size_t i = 0; i < s->n; i++)
        if (doc->t->tracks.v[s->v[i].b].risc == risc)
            put_element(doc, s->v[i].a, s->v[i].b, WITH_CORE);
    json_close(&doc->j, ']');
}

static void put_track(struct json_doc *doc, uint32_t track)
{
    const struct trace_track *k = &doc->t->tracks.v[track];
    put_key(doc, "timeseries");
    json_open(&doc->j, '[');
    for (uint32_t m = k->marker; m < k->marker + k->n_markers; m++)
        put_element(doc, m, track, 0);
    json_close(&doc->j, ']');
}

// --- a core

static void put_core_tensix(struct json_doc *doc, uint32_t core)
{
    struct json *j = &doc->j;
    put_key(doc, "TENSIX");
    json_open(j, '{');
    put_results(doc, ACROSS_CORE, core);
    if (doc->is_full) {
        struct series s = series_of(doc->t, &core, 1);
        s.with = WITH_RISC;
        if (doc->is_legacy) {
            put_launches(doc, &s);
        } else {
            put_events(doc, ACROSS_CORE, &s);
            put_core_ops(doc, core, &s);
        }
        put_elements(doc, "timeseries", &s);
        mem_free(s.v);
    }
    json_close(j, '}');
}

static void put_core(struct json_doc *doc, uint32_t core)
{
    const struct trace *t = doc->t;
    const struct trace_core *c = &t->cores.v[core];
    struct json *j = &doc->j;
    json_open(j, '{');
    put_key(doc, "riscs");
    json_open(j, '{');
    if (!doc->is_full) {
        put_core_tensix(doc, core);
    } else {
        struct member *riscs = mem_alloc(mem_bytes(sizeof *riscs, c->tracks.n + 1));
        for (size_t i = 0; i < c->tracks.n; i++)
            riscs[i] = (struct member){0, trace_text(t, t->tracks.v[c->tracks.v[i]].risc),
                                       c->tracks.v[i]};
        qsort(riscs, c->tracks.n, sizeof *riscs, by_key);
        for (size_t i = 0; i < c->tracks.n; i++) {
            json_key(j, riscs[i].key);
            json_open(j, '{');
            put_track(doc, riscs[i].index);
            json_close(j, '}');
        }
        mem_free(riscs);
        put_core_tensix(doc, core);
    }
    json_close(j, '}');
    json_close(j, '}');
}

// --- a device

static void put_device_tensix(struct json_doc *doc, uint32_t device, const struct series *s)
{
    put_key(doc, "TENSIX");
    json_open(&doc->j, '{');
    put_results(doc, ACROSS_DEVICE, device);
    if (!doc->is_legacy) {
        put_dispatch_ops(doc, device);
        if (doc->is_full)
            put_events(doc, ACROSS_DEVICE, s);
        put_device_ops(doc, device, s);
    }
    if (doc->is_full)
        put_elements(doc, "timeseries", s);
    json_close(&doc->j, '}');
}

static void put_riscs_of_device(struct json_doc *doc, uint32_t device,
                                const struct series *s)
{
    const struct trace *t = doc->t;
    const struct trace_device *d = &t->devices.v[device];
    VEC(struct member) riscs = {0};
    bool *is_known = mem_alloc(t->strings.keys.n + 1);
    for (size_t c = 0; c < d->cores.n; c++) {
        const struct trace_core *core = &t->cores.v[d->cores.v[c]];
        for (size_t i = 0; i < core->tracks.n; i++) {
            uint32_t risc = t->tracks.v[core->tracks.v[i]].risc;
            if (!is_known[risc])
                vec_push(&riscs, (struct member){0, trace_text(t, risc), risc});
            is_known[risc] = true;
        }
    }
    if (riscs.n)
        qsort(riscs.v, riscs.n, sizeof *riscs.v, by_key);
    for (size_t i = 0; i < riscs.n; i++) {
        json_key(&doc->j, riscs.v[i].key);
        json_open(&doc->j, '{');
        put_risc_of_device(doc, s, riscs.v[i].index);
        json_close(&doc->j, '}');
    }
    mem_free(is_known);
    vec_free(&riscs);
}

static void put_whole_device(struct json_doc *doc, uint32_t device)
{
    const struct trace_device *d = &doc->t->devices.v[device];
    struct json *j = &doc->j;
    struct series s = {0};
    put_key(doc, "DEVICE");
    json_open(j, '{');
    put_device_stats(doc, device);
    put_key(doc, "riscs");
    json_open(j, '{');
    if (doc->is_full) {
        s = series_of(doc->t, d->cores.v, d->cores.n);
        s.with = WITH_RISC | WITH_CORE;
        put_riscs_of_device(doc, device, &s);
    }
    put_device_tensix(doc, device, &s);
    mem_free(s.v);
    json_close(j, '}');
    json_close(j, '}');
}

// The core and RISC that T0 of a 2023 log comes from.
static void put_global_min(struct json_doc *doc, uint32_t device)
{
    const struct trace *t = doc->t;
    uint32_t track = doc->t0_track[device];
    struct json *j = &doc->j;
    put_key(doc, "metadata");
    json_open(j, '{');
    put_key(doc, "global_min");
    json_open(j, '{');
    put_key(doc, "core");
    text_open(doc);
    buf_str(j->b, str_from(doc->track[track].core, 2)); // without its comma
    text_close(doc);
    json_key_text(j, "risc", trace_text(t, t->tracks.v[track].risc));
    put_key(doc, "ts");
    put_number(doc, t->devices.v[device].first_time);
    json_close(j, '}');
    json_close(j, '}');
}

static void put_device_object(struct json_doc *doc, uint32_t device)
{
    const struct trace_device *d = &doc->t->devices.v[device];
    struct json *j = &doc->j;
    struct arena_mark mark = arena_mark(&doc->arena);
    struct member *cores = push_many(&doc->arena, struct member, d->cores.n + 1);
    for (size_t i = 0; i < d->cores.n; i++) {
        const struct trace_core *core = &doc->t->cores.v[d->cores.v[i]];
        cores[i].key = arena_printf(&doc->arena, "(%d, %d)", core->x, core->y);
        cores[i].index = d->cores.v[i];
    }
    qsort(cores, d->cores.n, sizeof *cores, by_key);
    json_open(j, '{');
    put_key(doc, "cores");
    json_open(j, '{');
    for (size_t i = 0; i < d->cores.n; i++) {
        json_newline(j);
        json_key(j, cores[i].key);
        put_core(doc, cores[i].index);
    }
    json_newline(j);
    put_whole_device(doc, device);
    json_close(j, '}');
    if (doc->is_legacy && doc->is_full)
        put_global_min(doc, device);
    json_close(j, '}');
    arena_rewind(&doc->arena, mark);
}

// --- the document

static void put_device_info(struct json_doc *doc)
{
    const struct trace *t = doc->t;
    struct json *j = &doc->j;
    put_key(doc, "deviceInfo");
    json_open(j, '{');
    json_key_text(j, "arch", t->arch);
    const struct {
        const char *key;
        int64_t value;
    } numbers[] = {{"freq", t->mhz}, {"max_compute_cores", t->max_compute_cores}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        put_key(doc, numbers[i].key);
        if (numbers[i].value)
            json_int(j, numbers[i].value);
        else
            json_none(j);
    }
    json_close(j, '}');
}

static void put_devices(struct json_doc *doc)
{
    const struct trace *t = doc->t;
    struct json *j = &doc->j;
    struct member *devices = push_many(&doc->arena, struct member, t->devices.n + 1);
    for (uint32_t i = 0; i < t->devices.n; i++)
        devices[i] =
            (struct member){t->devices.v[i].id, trace_device_name(t, i, &doc->arena), i};
    qsort(devices, t->devices.n, sizeof *devices, by_key);
    put_key(doc, "devices");
    json_open(j, '{');
    for (size_t i = 0; i < t->devices.n; i++) {
        json_newline(j);
        json_key(j, devices[i].key);
        put_device_object(doc, devices[i].index);
    }
    json_close(j, '}');
}

static void order_analyses(struct json_doc *doc)
{
    size_t n = doc->d->setup->analyses.n;
    struct member *names = push_many(&doc->arena, struct member, n + 1);
    doc->by_name = push_many(&doc->arena, uint32_t, n + 1);
    for (uint32_t i = 0; i < n; i++)
        names[i] = (struct member){0, doc->d->setup->analyses.v[i].name, i};
    qsort(names, n, sizeof *names, by_key);
    for (size_t i = 0; i < n; i++)
        doc->by_name[i] = names[i].index;
}

bool device_json_write(const struct device_analysis *d, enum device_json form,
                       const char *path, struct err *e)
{
    struct out o;
    if (!out_open(&o, path, e))
        return false;
    struct json_doc doc = {.d = d,
                           .t = d->trace,
                           .is_full = form == DEVICE_JSON_FULL,
                           .is_legacy = d->trace->is_legacy,
                           .o = &o,
                           .j = {.b = &o.b, .is_first = true},
                           .master = master_riscs(d->trace)};
    order_analyses(&doc);
    if (doc.is_full)
        texts_make(&doc);
    json_open(&doc.j, '{');
    put_key(&doc, "data");
    json_open(&doc.j, '{');
    if (!doc.is_full || !doc.is_legacy)
        put_device_info(&doc);
    put_devices(&doc);
    json_close(&doc.j, '}');
    json_newline(&doc.j);
    put_setup(&doc, path);
    json_close(&doc.j, '}');
    buf_char(&o.b, '\n');
    mem_free(doc.master);
    arena_free(&doc.arena);
    return out_close(&o, e);
}
