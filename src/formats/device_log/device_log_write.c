// device_log_write.c - writes columns as rows.
//
// Everything in a row but its time repeats: the text of each track, site and run is made
// once, and rows are assembled from these.
#include "formats/device_log/device_log_write.h"

#include "base/text/num.h"

static const char columns[] =
    "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], "
    "data, run host ID, trace id, trace id counter, zone name, type, source line, source "
    "file, meta data\n";

enum { ROW_NUMBERS = 2 * 20 + 4 }; // time, data, and separators

// The parts of a row before the time and after the run, for this site.
struct site_text {
    str id, rest;
};

struct writer {
    const struct trace *t;
    struct out out;
    struct arena arena;
    struct site_text *sites;
    str *runs;
};

// A cell without commas and control characters.
static void append_cell(struct buf *b, str s)
{
    char *to = buf_room(b, s.n);
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        to[i] = c == ',' ? ';' : c < ' ' || c == 0x7F ? '?' : s.p[i];
    }
    b->n += s.n;
}

static str keep_text(struct writer *w, struct buf *b)
{
    str kept = arena_str(&w->arena, buf_view(b));
    b->n = 0;
    return kept;
}

static void make_sites(struct writer *w)
{
    const struct trace *t = w->t;
    struct buf b = {0};
    w->sites = push_many(&w->arena, struct site_text, t->sites.n + 1);
    for (size_t i = 0; i < t->sites.n; i++) {
        const struct trace_site *s = &t->sites.v[i];
        buf_printf(&b, "%u,", s->timer_id);
        w->sites[i].id = keep_text(w, &b);
        append_cell(&b, trace_text(t, s->name));
        buf_char(&b, ',');
        append_cell(&b, trace_text(t, s->type_text));
        buf_char(&b, ',');
        if (s->line != SITE_NO_LINE)
            num_put_int(&b, s->line);
        buf_char(&b, ',');
        append_cell(&b, trace_text(t, s->file));
        buf_char(&b, ',');
        w->sites[i].rest = keep_text(w, &b);
    }
    buf_free(&b);
}

static void make_runs(struct writer *w)
{
    const struct trace *t = w->t;
    struct buf b = {0};
    w->runs = push_many(&w->arena, str, t->runs.n + 1);
    for (size_t i = 0; i < t->runs.n; i++) {
        const struct trace_run *r = &t->runs.v[i];
        num_put_int(&b, r->id);
        buf_char(&b, ',');
        if (r->trace_id >= 0)
            num_put_int(&b, r->trace_id);
        buf_char(&b, ',');
        if (r->trace_counter >= 0)
            num_put_int(&b, r->trace_counter);
        buf_char(&b, ',');
        w->runs[i] = keep_text(w, &b);
    }
    buf_free(&b);
}

static str track_text(struct writer *w, const struct trace_track *k)
{
    const struct trace *t = w->t;
    const struct trace_core *core = &t->cores.v[k->core];
    struct buf b = {0};
    buf_printf(&b, "%lld,%d,%d,", (long long)t->devices.v[core->device].id, core->x,
               core->y);
    append_cell(&b, trace_text(t, k->risc));
    buf_char(&b, ',');
    str text = keep_text(w, &b);
    buf_free(&b);
    return text;
}

static inline char *copy_text(char *to, str s)
{
    memcpy(to, s.p, s.n);
    return to + s.n;
}

static char *put_meta(char *to, const struct trace_datum *d)
{
    for (uint32_t i = 0; i < d->meta_n; i++)
        to[i] = d->meta[i] == '\n' || d->meta[i] == '\r' ? '?' : d->meta[i];
    return to + d->meta_n;
}

static void write_track(struct writer *w, const struct trace_track *k)
{
    const struct trace *t = w->t;
    struct buf *b = &w->out.b;
    str head = track_text(w, k);
    const struct trace_datum *data = t->data.v; // NULL if no track has data
    size_t d = k->datum, last_d = d + k->n_data;
    // A marker at T0 is not part of the log.
    size_t from = (size_t)k->marker + t->has_t0, end = (size_t)k->marker + k->n_markers;
    while (d < last_d && data[d].marker < from)
        d++;
    for (size_t m = from; m < end; m++) {
        const struct site_text *site = &w->sites[t->markers.site[m]];
        str run = w->runs[t->markers.run[m]];
        const struct trace_datum *datum =
            d < last_d && data[d].marker == m ? &data[d++] : NULL;
        size_t most = head.n + site->id.n + site->rest.n + run.n + ROW_NUMBERS +
                      (datum ? datum->meta_n : 0);
        char *start = buf_room(b, most), *p = copy_text(copy_text(start, head), site->id);
        p = num_write(p, t->markers.time[m]);
        *p++ = ',';
        p = num_write(p, datum ? datum->data : 0);
        *p++ = ',';
        p = copy_text(copy_text(p, run), site->rest);
        if (datum)
            p = put_meta(p, datum);
        *p++ = '\n';
        b->n += (size_t)(p - start);
        out_flush_some(&w->out);
    }
}

static void write_head(struct writer *w)
{
    const struct trace *t = w->t;
    struct buf *b = &w->out.b;
    buf_z(b, "ARCH: ");
    append_cell(b, t->arch);
    buf_printf(b, ", CHIP_FREQ[MHz]: %lld", (long long)t->mhz);
    if (t->max_compute_cores > 0)
        buf_printf(b, ", Max Compute Cores: %lld", (long long)t->max_compute_cores);
    if (t->max_compute_cores > 0 && t->dispatch.n) {
        buf_z(b, ", Dispatch: ");
        append_cell(b, t->dispatch);
    }
    buf_char(b, '\n');
    buf_z(b, columns);
}

bool device_log_write(const struct trace *t, const char *path, bool append, struct err *e)
{
    struct writer w = {.t = t};
    if (!(append ? out_append(&w.out, path, e) : out_open(&w.out, path, e)))
        return false;
    if (w.out.behind == 0)
        write_head(&w);
    make_sites(&w);
    make_runs(&w);
    for (size_t k = 0; k < t->tracks.n; k++)
        write_track(&w, &t->tracks.v[k]);
    arena_free(&w.arena);
    return out_close(&w.out, e);
}
