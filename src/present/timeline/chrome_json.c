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
    bool is_compat;
    uint8_t *event;            // by site
    struct track_texts *texts; // by track
    struct arena arena;
    struct out *out;
    bool is_first; // nothing has been written yet
};

// A thread of a chip: processor, then column, then row of the core.
static int64_t thread_id(str risc, const struct trace_core *core)
{
    return (int64_t)risc_rank(risc) + 1 + (int64_t)core->x * 100 + (int64_t)core->y * 10000;
}

// The process is the chip; in the old form it is the thread.
static int64_t process_id(const struct writer *w, int64_t thread, int64_t chip)
{
    return w->is_compat ? thread : chip;
}

static str json_name(struct arena *a, str name)
{
    struct buf b = {0};
    json_text(&(struct json){.b = &b, .is_first = true}, name);
    str text = arena_str(a, buf_view(&b));
    buf_free(&b);
    return text;
}

static str metadata_text(struct writer *w, int64_t chip, str risc,
                         const struct trace_core *core)
{
    long long id = thread_id(risc, core), process = process_id(w, id, chip);
    str name =
        arena_printf(&w->arena, "(%d, %d)%s%.*s", core->x, core->y, w->is_compat ? "" : " ",
                     w->is_compat ? 0 : (int)risc.n, risc.p);
    return arena_printf(&w->arena,
                        "{\n    \"args\": {\n      \"name\": %.*s\n    },\n"
                        "    \"name\": \"thread_name\",\n    \"ph\": \"M\",\n"
                        "    \"pid\": %lld,\n    \"tid\": %lld\n  }",
                        STR(json_name(&w->arena, name)), process, id);
}

static str event_text(struct writer *w, int64_t chip, str risc,
                      const struct trace_core *core, char phase)
{
    long long id = thread_id(risc, core), process = process_id(w, id, chip);
    return arena_printf(&w->arena,
                        "{\n    \"cat\": \"PERF\",\n    \"name\": %.*s,\n"
                        "    \"ph\": \"%c\",\n    \"pid\": %lld,\n    \"tid\": %lld,\n"
                        "    \"ts\": ",
                        STR(json_name(&w->arena, risc)), phase, process, id);
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
            x->before[EVENT_BEGIN] = event_text(w, device->id, risc, core, 'B');
            x->before[EVENT_END] = event_text(w, device->id, risc, core, 'E');
            x->metadata = metadata_text(w, device->id, risc, core);
            x->first_metadata = metadata_text(w, device->id, risc, first);
        }
    }
}

static void put_between(struct writer *w)
{
    buf_str(&w->out->b, w->is_first ? S("\n  ") : S(",\n  "));
    w->is_first = false;
}

// Names of the chip and its threads, once each.
static void put_names(struct writer *w, const struct trace_device *device)
{
    const struct trace *t = w->t;
    put_between(w);
    buf_printf(
        &w->out->b,
        "{\n    \"args\": {\n      \"name\": \"Device %lld\"\n    },\n"
        "    \"name\": \"process_name\",\n    \"ph\": \"M\",\n    \"pid\": %lld\n  }",
        (long long)device->id, (long long)device->id);
    for (size_t c = 0; c < device->cores.n; c++) {
        const struct trace_core *core = &t->cores.v[device->cores.v[c]];
        for (size_t k = 0; k < core->tracks.n; k++) {
            put_between(w);
            buf_str(&w->out->b, w->texts[core->tracks.v[k]].metadata);
        }
    }
}

// Viewers expect microseconds; to a tenth of a nanosecond, never rounded up, so that the
// order stays.
static void put_time(struct writer *w, uint64_t cycles)
{
    uint64_t mhz = (uint64_t)w->t->mhz;
    if (w->is_compat)
        num_put_int(&w->out->b, (int64_t)cycles);
    else
        buf_printf(&w->out->b, "%llu.%04llu", (unsigned long long)(cycles / mhz),
                   (unsigned long long)(cycles % mhz * 10000 / mhz));
}

static void put_marker(struct writer *w, uint32_t marker, uint32_t track)
{
    const struct track_texts *x = &w->texts[track];
    uint8_t event = w->event[w->t->markers.site[marker]];
    if (event) {
        put_between(w);
        buf_str(&w->out->b, x->before[event]);
        put_time(w, w->t->markers.time[marker]);
        buf_str(&w->out->b, S("\n  }"));
    }
    if (w->is_compat) {
        put_between(w);
        buf_str(&w->out->b, is_t0(w->t, marker) ? x->first_metadata : x->metadata);
    }
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

bool chrome_write(const struct trace *t, bool is_compat, const char *path, struct err *e)
{
    struct out out;
    if (!is_compat && t->mhz <= 0 && t->tracks.n)
        return err_set(
            e, ERR_USAGE,
            "%s: the log does not say how fast the chip's clock runs; give it with --mhz, or use --compat for times in cycles",
            path);
    if (!out_open(&out, path, e))
        return false;
    struct writer w = {.t = t, .is_compat = is_compat, .out = &out, .is_first = true};
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
        if (!is_compat)
            put_names(&w, &t->devices.v[d]);
        put_device_events(&w, &t->devices.v[d]);
    }
    buf_str(&out.b, w.is_first ? S("]") : S("\n]"));
    arena_free(&w.arena);
    mem_free(w.texts);
    mem_free(w.event);
    return out_close(&out, e);
}
