// device_json_text.c - markers, times and places as Python prints them.
//
// A marker is written about six times, so the parts that repeat (site, run, track) are
// formatted and escaped once and then copied.
#include "base/text/num.h"

#include "present/device/device_json_parts.h"

void put_number(struct json_doc *doc, uint64_t v)
{
    if (!doc->j.is_first)
        buf_char(doc->j.b, ',');
    doc->j.is_first = false;
    text_number(doc, v);
}

void put_key(struct json_doc *doc, const char *key)
{
    json_key(&doc->j, str_of(key));
}

void text_open(struct json_doc *doc)
{
    if (!doc->j.is_first)
        buf_char(doc->j.b, ',');
    doc->j.is_first = false;
    buf_char(doc->j.b, '"');
}

void text_close(struct json_doc *doc)
{
    buf_char(doc->j.b, '"');
}

void text_number(struct json_doc *doc, uint64_t v)
{
    if (v <= INT64_MAX)
        num_put_int(doc->j.b, (int64_t)v);
    else
        buf_printf(doc->j.b, "%llu", (unsigned long long)v);
}

// --- making texts

// Like Python's repr for valid UTF-8, except that rare unprintable characters are not
// escaped.
static void put_repr(struct buf *b, str s)
{
    bool has_single = s.n && memchr(s.p, '\'', s.n);
    bool has_double = s.n && memchr(s.p, '"', s.n);
    char quote = has_single && !has_double ? '"' : '\'';
    static const char escapes[] = {['\t'] = 't', ['\n'] = 'n', ['\r'] = 'r'};
    buf_char(b, quote);
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (c == '\\' || c == (unsigned char)quote) {
            buf_char(b, '\\');
            buf_char(b, (char)c);
        } else if (c < sizeof escapes && escapes[c]) {
            buf_char(b, '\\');
            buf_char(b, escapes[c]);
        } else if (c < 0x20 || c == 0x7F) {
            buf_printf(b, "\\x%02x", c);
        } else {
            buf_char(b, (char)c);
        }
    }
    buf_char(b, quote);
}

// Scratch buffers: the text as Python prints it, then escaped for JSON.
struct maker {
    struct arena *arena;
    struct buf plain, escaped;
};

static str escaped(struct maker *m)
{
    struct json j = {.b = &m->escaped, .is_first = true};
    m->escaped.n = 0;
    json_text(&j, buf_view(&m->plain));
    m->plain.n = 0;
    return (str){m->escaped.p + 1, m->escaped.n - 2}; // without the quotes
}

static str keep_escaped(struct maker *m)
{
    return arena_str(m->arena, escaped(m));
}

// A column of numbers with an empty cell becomes a column of strings.
static bool lines_are_text(const struct trace *t)
{
    for (size_t i = 0; i < t->sites.n; i++)
        if (t->sites.v[i].line == SITE_NO_LINE)
            return true;
    return false;
}

static str site_text(struct maker *m, const struct trace *t, const struct trace_site *s,
                     bool line_is_text)
{
    struct buf *b = &m->plain;
    if (t->is_legacy) {
        buf_printf(b, "%u", s->timer_id);
        return keep_escaped(m);
    }
    buf_printf(b, "{'id': %u, 'zone_name': ", s->timer_id);
    put_repr(b, trace_text(t, s->name));
    buf_str(b, S(", 'type': "));
    put_repr(b, trace_text(t, s->type_text));
    buf_str(b, S(", 'src_line': "));
    if (line_is_text)
        buf_char(b, '\'');
    if (s->line != SITE_NO_LINE)
        num_put_int(b, s->line);
    if (line_is_text)
        buf_char(b, '\'');
    buf_str(b, S(", 'src_file': "));
    put_repr(b, trace_text(t, s->file));
    buf_str(b, S(", 'run_host_id': "));
    return keep_escaped(m);
}

static str run_text(struct maker *m, const struct trace_run *r)
{
    buf_printf(&m->plain, "%lld, 'trace_id': %lld, 'trace_id_count': %lld, 'meta_data': ",
               (long long)r->id, (long long)r->trace_id, (long long)r->trace_counter);
    return keep_escaped(m);
}

// T0 markers are not in the log and do not count.
static uint32_t first_track(const struct trace *t, const struct trace_device *device)
{
    uint32_t found = 0;
    uint64_t least = UINT64_MAX;
    for (size_t c = 0; c < device->cores.n; c++) {
        const struct trace_core *core = &t->cores.v[device->cores.v[c]];
        for (size_t i = 0; i < core->tracks.n; i++) {
            const struct trace_track *k = &t->tracks.v[core->tracks.v[i]];
            uint32_t m = k->marker, end = k->marker + k->n_markers;
            while (m < end && t->markers.line[m] == 0)
                m++;
            if (m < end && t->markers.time[m] < least) {
                least = t->markers.time[m];
                found = core->tracks.v[i];
            }
        }
    }
    return found;
}

static str core_text(struct maker *m, const struct trace_core *core)
{
    buf_printf(&m->plain, ", (%d, %d)", core->x, core->y);
    return keep_escaped(m);
}

void texts_make(struct json_doc *doc)
{
    const struct trace *t = doc->t;
    struct arena *a = &doc->arena;
    struct maker m = {.arena = a};
    bool as_text = lines_are_text(t);
    doc->site = push_many(a, str, t->sites.n + 1);
    doc->run = push_many(a, str, t->runs.n + 1);
    doc->track = push_many(a, struct track_text, t->tracks.n + 1);
    doc->t0_track = push_many(a, uint32_t, t->devices.n + 1);
    for (size_t i = 0; i < t->sites.n; i++)
        doc->site[i] = site_text(&m, t, &t->sites.v[i], as_text);
    for (size_t i = 0; i < t->runs.n; i++)
        doc->run[i] = run_text(&m, &t->runs.v[i]);
    for (size_t i = 0; i < t->tracks.n; i++) {
        buf_str(&m.plain, S(", "));
        put_repr(&m.plain, trace_text(t, t->tracks.v[i].risc));
        doc->track[i].risc = keep_escaped(&m);
        doc->track[i].core = core_text(&m, &t->cores.v[t->tracks.v[i].core]);
    }
    for (size_t i = 0; i < t->devices.n; i++)
        doc->t0_track[i] = first_track(t, &t->devices.v[i]);
    buf_free(&m.plain);
    buf_free(&m.escaped);
}

// --- copying them

static void text_marker_of(struct json_doc *doc, uint32_t marker,
                           const struct trace_datum *datum)
{
    const struct trace *t = doc->t;
    struct buf *b = doc->j.b;
    buf_str(b, doc->site[t->markers.site[marker]]);
    if (doc->is_legacy)
        return;
    buf_str(b, doc->run[t->markers.run[marker]]);
    if (!datum || !datum->meta_n) {
        buf_str(b, S("''}"));
        return;
    }
    struct maker m = {0};
    put_repr(&m.plain, (str){datum->meta, datum->meta_n});
    buf_str(b, escaped(&m));
    buf_char(b, '}');
    buf_free(&m.plain);
    buf_free(&m.escaped);
}

void text_marker(struct json_doc *doc, uint32_t marker)
{
    const struct trace_track *k = &doc->t->tracks.v[track_of_marker(doc->t, marker)];
    text_marker_of(doc, marker, trace_datum_of(doc->t, k, marker));
}

void put_element(struct json_doc *doc, uint32_t marker, uint32_t track, unsigned with)
{
    const struct trace *t = doc->t;
    const struct trace_track *k = &t->tracks.v[track];
    const struct trace_datum *datum = trace_datum_of(t, k, marker);
    struct buf *b = doc->j.b;
    json_newline(&doc->j);
    text_open(doc);
    buf_char(b, '(');
    text_marker_of(doc, marker, datum);
    buf_str(b, S(", "));
    text_number(doc, t->markers.time[marker]);
    if (!doc->is_legacy) {
        buf_str(b, S(", "));
        text_number(doc, datum ? datum->data : 0);
    }
    if (with & WITH_RISC)
        buf_str(b, doc->track[track].risc);
    if (with & WITH_CORE) {
        bool is_t0 = doc->is_legacy && trace_site_of(t, marker)->timer_id == 0;
        uint32_t place = is_t0 ? doc->t0_track[t->cores.v[k->core].device] : track;
        buf_str(b, doc->track[place].core);
    }
    buf_char(b, ')');
    text_close(doc);
    out_flush_some(doc->o);
}

void put_elements(struct json_doc *doc, const char *key, const struct series *s)
{
    put_key(doc, key);
    json_open(&doc->j, '[');
    for (size_t i = 0; i < s->n; i++)
        put_element(doc, s->v[i].a, s->v[i].b, s->with);
    json_close(&doc->j, ']');
}
