// chrome_json.c - markers of a track differ only in their time, so the rest of the text is
// made once.
#include "present/timeline/chrome_json.h"

#include "base/data/sort.h"
#include "base/text/json.h"
#include "base/text/num.h"

enum { EVENT_NONE, EVENT_BEGIN, EVENT_END, EVENTS };

struct track_texts {
    str before[EVENTS]; // of a begin or end event, up to the time
    str metadata;
    str first_metadata; // of T0, on the core where the device's time begins
};

struct writer {
    const struct trace *t;
    uint8_t *event;            // by site
    struct track_texts *texts; // by track
    struct arena arena;
    struct out *out;
    bool is_first; // nothing has been written yet
};

// pid and tid are equal: processor, then column, then row of the core.
static int64_t thread_id(str risc, const struct trace_core *core)
{
    return (int64_t)risc_rank(risc) + 1 + (int64_t)core->x * 100 + (int64_t)core->y * 10000;
}

static str metadata_text(struct arena *a, str risc, const struct trace_core *core)
{
    long long id = thread_id(risc, core);
    return arena_printf(a,
                        "{\n    \"args\": {\n      \"name\": \"(%d, %d)\"\n    },\n"
                        "    \"name\": \"thread_name\",\n    \"ph\": \"M\",\n"
                        "    \"pid\": %lld,\n    \"tid\": %lld\n  }",
                        core->x, core->y, id, id);
}

static str event_text(struct arena *a, str risc, const struct trace_core *core, char phase)
{
    struct buf name = {0};
    json_text(&(struct json){.b = &name, .is_first = true}, risc);
    long long id = thread_id(risc, core);
    str text = arena_printf(a,
                            "{\n    \"cat\": \"PERF\",\n    \"name\": %.*s,\n"
                            "    \"ph\": \"%c\",\n    \"pid\": %lld,\n    \"tid\": %lld,\n"
                            "    \"ts\": ",
                            STR(buf_view(&name)), phase, id, id);
    buf_free(&name);
    return text;
}

static bool is_t0(const struct trace *t, size_t marker)
{
    return t->is_legacy && t->markers.line[marker] == 0;
}

// The first core of the device with a marker at the device's first time.
static uint32_t first_core(const struct trace *t, const struct trace_device *device)
{
    uint32_t first = device->cores.v[0];
    uint64_t time = UINT64_MAX;
    for (size_t c = 0; c < device->cores.n; c++) {
        const struct trace_core *core = &t->cores.v[device->cores.v[c]];
        for (size_t i = 0; i < core->tracks.n; i++) {
            const struct trace_track *k = &t->tracks.v[core->tracks.v[i]];
            size_t m = k->marker, end = (size_t)k->marker + k->n_markers;
            while (m < end && is_t0(t, m))
                m++;
            if (m < end && t->markers.time[m] < time) {
                time = t->markers.time[m];
                first = device->cores.v[c];
            }
        }
    }
    return first;
}

static void make_texts(struct writer *w, const struct trace_device *device)
{
    const struct trace *t = w->t;
    const struct trace_core *first = &t->cores.v[first_core(t, device)];
    for (size_t c = 0; c < device->cores.n; c++) {
        const struct trace_core *core = &t->cores.v[device->cores.v[c]];
        for (size_t k = 0; k < core->tracks.n; k++) {
            str risc = trace_text(t, t->tracks.v[core->tracks.v[k]].risc);
            struct track_texts *x = &w->texts[core->tracks.v[k]];
            x->before[EVENT_BEGIN] = event_text(&w->arena, risc, core, 'B');
            x->before[EVENT_END] = event_text(&w->arena, risc, core, 'E');
            x->metadata = metadata_text(&w->arena, risc, core);
            x->first_metadata = metadata_text(&w->arena, risc, first);
        }
    }
}

static void put_between(struct writer *w)
{
    buf_str(&w->out->b, w->is_first ? S("\n  ") : S(",\n  "));
    w->is_first = false;
}

static void put_marker(struct writer *w, uint32_t marker, uint32_t track)
{
    const struct track_texts *x = &w->texts[track];
    uint8_t event = w->event[w->t->markers.site[marker]];
    if (event) {
        put_between(w);
        buf_str(&w->out->b, x->before[event]);
        num_put_int(&w->out->b, (int64_t)w->t->markers.time[marker]);
        buf_str(&w->out->b, S("\n  }"));
    }
    put_between(w);
    buf_str(&w->out->b, is_t0(w->t, marker) ? x->first_metadata : x->metadata);
    out_flush_some(w->out);
}

static void put_device_events(struct writer *w, const struct trace_device *device)
{
    const struct trace *t = w->t;
    size_t n = 0;
    for (size_t c = 0; c < device->cores.n; c++) {
        const struct trace_core *core = &t->cores.v[device->cores.v[c]];
        for (size_t k = 0; k < core->tracks.n; k++)
            n += t->tracks.v[core->tracks.v[k]].n_markers;
    }
    struct keyed *list = mem_alloc(mem_bytes(sizeof *list, 2 * n + 1));
    n = 0;
    for (size_t c = 0; c < device->cores.n; c++) {
        const struct trace_core *core = &t->cores.v[device->cores.v[c]];
        for (size_t k = 0; k < core->tracks.n; k++) {
            uint32_t track = core->tracks.v[k];
            const struct trace_track *r = &t->tracks.v[track];
            for (uint32_t i = 0; i < r->n_markers; i++)
                list[n++] =
                    (struct keyed){t->markers.time[r->marker + i], r->marker + i, track};
        }
    }
    sort_keyed(list, list + n, n);
    for (size_t i = 0; i < n; i++)
        put_marker(w, list[i].a, list[i].b);
    mem_free(list);
}

bool chrome_write(const struct trace *t, const char *path, struct err *e)
{
    struct out out;
    if (!out_open(&out, path, e))
        return false;
    struct writer w = {.t = t, .out = &out, .is_first = true};
    w.event = mem_alloc(t->sites.n + 1);
    w.texts = mem_alloc(mem_bytes(sizeof *w.texts, t->tracks.n + 1));
    for (size_t i = 0; i < t->sites.n; i++) {
        enum marker_type type = t->sites.v[i].type;
        if (str_ends(trace_text(t, t->sites.v[i].name), S("-FW")))
            w.event[i] = type == MARKER_ZONE_START ? EVENT_BEGIN
                         : type == MARKER_ZONE_END ? EVENT_END
                                                   : EVENT_NONE;
    }
    buf_char(&out.b, '[');
    for (size_t d = 0; d < t->devices.n; d++) {
        if (!t->devices.v[d].cores.n)
            continue;
        make_texts(&w, &t->devices.v[d]);
        put_device_events(&w, &t->devices.v[d]);
    }
    buf_str(&out.b, w.is_first ? S("]") : S("\n]"));
    arena_free(&w.arena);
    mem_free(w.texts);
    mem_free(w.event);
    return out_close(&out, e);
}
