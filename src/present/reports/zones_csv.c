// zones_csv.c - statistics and messages as tracy-csvexport writes them.
#include "present/reports/zones_csv.h"

#include <math.h>
#include <stdlib.h>

#include "base/file/file.h"
#include "base/text/num.h"

#include "analyse/host/attachments.h"
#include "analyse/host/host_messages.h"
#include "formats/tracy/tracy_from.h"
#include "present/reports/zones_csv_parts.h"
#include "trace/cursor.h"

struct zones_csv zones_csv_default(void)
{
    return (struct zones_csv){.choice = {.pid = -1, .rank = -1}, .separator = ","};
}

void zones_csv_sep(struct buf *b, const struct zones_csv *form)
{
    buf_z(b, form->separator);
}

void zones_csv_head(struct buf *b, const struct zones_csv *form, const char *names)
{
    str rest = str_of(names);
    while (rest.n) {
        buf_str(b, str_cut(&rest, ','));
        if (rest.n)
            zones_csv_sep(b, form);
    }
    buf_char(b, '\n');
}

void zones_csv_quoted(struct buf *b, const struct zones_csv *form, str s)
{
    buf_char(b, '"');
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '"' && !form->is_compatible)
            buf_char(b, '"');
        buf_char(b, s.p[i]);
    }
    buf_char(b, '"');
}

void zones_csv_text(struct buf *b, const struct zones_csv *form, str s)
{
    if (!s.n)
        return;
    bool breaks = str_has(s, S("\"")) || str_has(s, S("\n")) || str_has(s, S("\r")) ||
                  str_has(s, str_of(form->separator));
    if (breaks && !form->is_compatible)
        zones_csv_quoted(b, form, s);
    else
        buf_str(b, s);
}

void zones_csv_place(struct buf *b, const struct zones_csv *form, const struct trace *r,
                     uint32_t site)
{
    const struct trace_site *l = &r->sites.v[site];
    zones_csv_text(b, form, r->strings.keys.v[l->name]);
    zones_csv_sep(b, form);
    zones_csv_text(b, form, r->strings.keys.v[l->file]);
    zones_csv_sep(b, form);
    num_put_int(b, l->line);
    zones_csv_sep(b, form);
}

// --- statistics ------------------------------------------------------------------------

// The reference's deviation from the mean in whole ns. With self times it takes the
// deviation of the full times from the mean self time, here only for compatibility.
static double deviation(const struct zones_csv *form, const struct zone_row *row)
{
    bool is_self = form->choice.is_self;
    if (row->count < 2 || (is_self && !form->is_compatible))
        return row->std;
    double n = (double)row->count;
    uint64_t whole = (is_self ? row->self : row->total) / row->count;
    double mean = (double)whole;
    double spread = row->length_squares - 2 * (double)row->total * mean + mean * mean * n;
    return spread > 0 ? sqrt(spread / (n - 1)) : 0;
}

static void put_statistics_row(struct buf *b, const struct zones_csv *form,
                               const struct trace *r, const struct zone_row *row)
{
    uint64_t total = form->choice.is_self ? row->self : row->total;
    zones_csv_place(b, form, r, row->site);
    num_put_int(b, (int64_t)total);
    zones_csv_sep(b, form);
    double end = (double)r->own_end_ns;
    if (!row->is_virtual) // else the times are of another clock than the end
        num_put_fixed(b, end > 0 ? 100.0 * (double)total / end : 0, 6, false);
    const uint64_t whole[] = {row->count, total / row->count, row->min, row->max};
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        zones_csv_sep(b, form);
        num_put_int(b, (int64_t)whole[i]);
    }
    zones_csv_sep(b, form);
    num_put_fixed(b, deviation(form, row), 6, false);
    if (form->choice.truncate_at > 0) {
        zones_csv_sep(b, form);
        num_put_int(b, llround(row->percentiles[0]));
        zones_csv_sep(b, form);
        num_put_int(b, (int64_t)row->truncated_mean);
    }
    buf_char(b, '\n');
}

bool zones_csv_statistics(const struct trace *r, const struct zones_csv *form,
                          const char *path, struct err *e)
{
    struct zone_choice choice = form->choice;
    choice.by = ZONES_BY_PLACE;
    choice.with_open = false;
    choice.without_empty = true;
    choice.percentiles[0] = choice.truncate_at;
    choice.n_percentiles = choice.truncate_at > 0;
    struct out o;
    if (!out_open(&o, path, e))
        return false;
    struct zone_stats s;
    zone_stats_make(&s, r, &choice);
    zones_csv_head(
        &o.b, form,
        choice.truncate_at > 0
            ? "name,src_file,src_line,total_ns,total_perc,counts,mean_ns,min_ns,max_ns,std_ns,percentile_ns,truncated_mean_ns"
            : "name,src_file,src_line,total_ns,total_perc,counts,mean_ns,min_ns,max_ns,std_ns");
    for (size_t i = 0; i < s.rows.n; i++)
        if (s.rows.v[i].count)
            put_statistics_row(&o.b, form, r, &s.rows.v[i]);
    zone_stats_free(&s);
    return out_close(&o, e);
}

// --- device zones ----------------------------------------------------------------------

static void put_lane(struct out *o, const struct trace *r, const struct zones_csv *form,
                     struct trace_cursor *c)
{
    for (const struct trace_batch *b; (b = trace_cursor_next(c));)
        for (size_t i = 0; i < b->n_zones; i++) {
            const struct trace_site *at = &r->sites.v[b->site[i]];
            str name = r->strings.keys.v[at->name];
            if (b->flags[i] & ZONE_OPEN || b->end[i] <= b->start[i] ||
                !zone_name_has(name, form->choice.name, form->choice.is_exact_case))
                continue;
            zones_csv_text(&o->b, form, name);
            zones_csv_sep(&o->b, form);
            zones_csv_text(&o->b, form, r->strings.keys.v[at->file]);
            zones_csv_sep(&o->b, form);
            num_put_int(&o->b, (int64_t)b->start[i]);
            zones_csv_sep(&o->b, form);
            num_put_int(&o->b, (int64_t)(b->end[i] - b->start[i]));
            buf_char(&o->b, '\n');
            out_flush_some(o);
        }
}

bool zones_csv_lanes(const struct trace *r, const struct zones_csv *form, const char *path,
                     struct err *e)
{
    struct zone_choice choice = form->choice;
    choice.of_lanes = true;
    struct out o;
    if (!out_open(&o, path, e))
        return false;
    zones_csv_head(&o.b, form,
                   "name,src_file,Time from start of program,GPU execution time");
    struct trace_cursor *c = trace_cursor_new(r);
    for (uint32_t i = 0; i < r->tracks.n; i++) {
        if (!zone_choice_has_track(r, &choice, i))
            continue;
        trace_cursor_start(c, i);
        put_lane(&o, r, form, c);
    }
    trace_cursor_free(c);
    return out_close(&o, e);
}

// --- messages --------------------------------------------------------------------------

bool zones_csv_messages(const struct trace *r, const struct zones_csv *form,
                        const char *path, struct err *e)
{
    struct out o;
    if (!out_open(&o, path, e))
        return false;
    struct host_messages m;
    struct attachments a;
    struct buf text = {0};
    attachments_find(&a, r->folder, r);
    host_messages_find(&m, r, &form->choice);
    if (!m.v.n && form->is_compatible)
        buf_z(&o.b, "There are currently no messages!\n");
    else
        zones_csv_head(&o.b, form, "MessageName,total_ns");
    for (size_t i = 0; i < m.v.n; i++) {
        struct host_message *one = &m.v.v[i];
        if (one->kind != TT_SIGNPOST)
            one->text = attachments_message(&a, r->tracks.v[one->track].process, one->time,
                                            one->text, &text);
        tracy_put_message(&o.b, one->kind, one->text);
        zones_csv_sep(&o.b, form);
        num_put_int(&o.b, (int64_t)one->time);
        buf_char(&o.b, '\n');
        out_flush_some(&o);
    }
    host_messages_free(&m);
    attachments_free(&a);
    buf_free(&text);
    return out_close(&o, e);
}

bool zones_write_messages(const struct trace *r, const char *path, const char *separator,
                          struct err *e)
{
    struct zones_csv form = zones_csv_default();
    form.separator = separator;
    return zones_csv_messages(r, &form, path, e);
}
