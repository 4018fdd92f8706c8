// device_json_analysis.c - definitions and results of analyses.
#include "present/device/device_json_parts.h"

// --- definitions

static void put_condition(struct json_doc *doc, const char *key, const struct condition *c)
{
    struct json *j = &doc->j;
    put_key(doc, key);
    json_open(j, '{');
    if (c->has_core) {
        put_key(doc, "core");
        text_open(doc);
        buf_printf(j->b, "(%d, %d)", c->x, c->y);
        text_close(doc);
    } else if (c->core.n) {
        json_key_text(&doc->j, "core", c->core);
    }
    json_key_text(&doc->j, "risc", c->risc);
    if (c->timer_id >= 0)
        json_key_int(j, "timerID", c->timer_id);
    if (c->n_names == 1)
        json_key_text(&doc->j, "zone_name", c->names[0]);
    if (c->n_names > 1) {
        put_key(doc, "zone_name");
        json_open(j, '[');
        for (size_t i = 0; i < c->n_names; i++)
            json_text(j, c->names[i]);
        json_close(j, ']');
    }
    if (c->phase.n)
        json_key_text(&doc->j, "zone_phase", c->phase);
    json_close(j, '}');
}

void put_definition(struct json_doc *doc, const struct analysis *a)
{
    json_open(&doc->j, '{');
    json_key_text(&doc->j, "across", str_of(across_names[a->across]));
    if (a->type == ANALYSE_SUM || a->type == ANALYSE_EVENT) {
        put_condition(doc, "marker", &a->start);
    } else {
        put_condition(doc, "end", &a->end);
        put_condition(doc, "start", &a->start);
    }
    json_key_text(&doc->j, "type", str_of(analysis_type_names[a->type]));
    json_close(&doc->j, '}');
}

void put_setup(struct json_doc *doc, const char *path)
{
    struct json *j = &doc->j;
    const struct setup *s = doc->d->setup;
    str folder = str_of(path), file = folder;
    for (size_t i = folder.n; i > 0; i--)
        if (path[i - 1] == '/') {
            file = str_from(folder, i);
            folder.n = i > 1 ? i - 1 : 1;
            break;
        }
    put_key(doc, "setup");
    json_open(j, '{');
    put_key(doc, "detectOps");
    json_bool(j, doc->d->has_ops);
    json_key_text(&doc->j, "deviceAnalysisData", file);
    json_key_text(&doc->j, "deviceInputLog", str_of(doc->t->path));
    put_key(doc, "displayStats");
    json_open(j, '[');
    for (size_t i = 0; i < s->n_display; i++)
        json_text(j, str_of(stat_names[s->display[i]]));
    json_close(j, ']');
    json_key_text(&doc->j, "name", s->name);
    json_key_text(&doc->j, "outputFolder", file.p == folder.p ? S(".") : folder);
    put_key(doc, "timerAnalysis");
    json_open(j, '{');
    for (size_t i = 0; i < s->analyses.n; i++) {
        const struct analysis *a = &s->analyses.v[doc->by_name[i]];
        json_newline(j);
        json_key(j, a->name);
        put_definition(doc, a);
    }
    json_close(j, '}');
    json_close(j, '}');
}

// --- statistics

// Which of the eight statistics are written.
enum { WITH_FIRST = 1, WITH_SUM = 2 };

static void put_stats(struct json_doc *doc, const struct stats *s, unsigned with)
{
    struct json *j = &doc->j;
    put_key(doc, "stats");
    json_open(j, '{');
    put_key(doc, "Average");
    json_double(j, s->average);
    put_key(doc, "Count");
    put_number(doc, s->count);
    if (with & WITH_FIRST) {
        put_key(doc, "First");
        put_number(doc, s->first);
    }
    put_key(doc, "Max");
    put_number(doc, s->max);
    put_key(doc, "Median");
    json_double(j, s->median);
    put_key(doc, "Min");
    put_number(doc, s->min);
    put_key(doc, "Range");
    put_number(doc, s->max - s->min);
    if (with & WITH_SUM) {
        put_key(doc, "Sum");
        put_number(doc, s->sum);
    }
    json_close(j, '}');
}

// --- durations

static void put_iteration(struct json_doc *doc, const char *key, uint32_t marker)
{
    put_key(doc, key);
    if (marker == NO_MARKER) {
        json_none(&doc->j);
        return;
    }
    text_open(doc);
    buf_char(doc->j.b, '(');
    text_marker(doc, marker);
    buf_str(doc->j.b, S(", "));
    text_number(doc, doc->t->markers.time[marker]);
    buf_char(doc->j.b, ')');
    text_close(doc);
}

static void put_duration(struct json_doc *doc, const struct analysis *a,
                         const struct result *r)
{
    json_newline(&doc->j);
    json_open(&doc->j, '{');
    put_key(doc, "duration_cycles");
    put_number(doc, r->cycles);
    if (a->type == ANALYSE_SUM) {
        put_condition(doc, "duration_type", &a->start);
        json_close(&doc->j, '}');
        return;
    }
    put_key(doc, "duration_type");
    text_open(doc);
    buf_char(doc->j.b, '(');
    text_marker(doc, r->start);
    buf_str(doc->j.b, S(", "));
    text_marker(doc, r->end);
    buf_char(doc->j.b, ')');
    text_close(doc);
    put_key(doc, "end_cycle");
    put_number(doc, doc->t->markers.time[r->end]);
    if (a->type == ANALYSE_ADJACENT)
        put_iteration(doc, "end_iter_mark", r->end_iter);
    put_key(doc, "start_cycle");
    put_number(doc, doc->t->markers.time[r->start]);
    if (a->type == ANALYSE_ADJACENT)
        put_iteration(doc, "start_iter_mark", r->start_iter);
    json_close(&doc->j, '}');
    out_flush_some(doc->o);
}

static void put_durations(struct json_doc *doc, const struct analysed *a,
                          const struct block *block)
{
    put_key(doc, "series");
    json_open(&doc->j, '[');
    for (uint32_t i = 0; i < block->n_results; i++)
        put_duration(doc, a->analysis, &a->results.v[block->result + i]);
    json_close(&doc->j, ']');
}

// Blocks are sorted by group.
static const struct block *find_block(const struct analysed *a, uint32_t group)
{
    size_t low = 0, high = a->blocks.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (a->blocks.v[middle].group < group)
            low = middle + 1;
        else
            high = middle;
    }
    return low < a->blocks.n && a->blocks.v[low].group == group ? &a->blocks.v[low] : NULL;
}

void put_results(struct json_doc *doc, enum across across, uint32_t group)
{
    struct json *j = &doc->j;
    bool any = false;
    for (size_t i = 0; i < doc->d->setup->analyses.n; i++) {
        const struct analysed *a = &doc->d->v[doc->by_name[i]];
        const struct block *block =
            a->analysis->across == across ? find_block(a, group) : NULL;
        if (!block)
            continue;
        if (!any) {
            put_key(doc, "analysis");
            json_open(j, '{');
            any = true;
        }
        json_key(j, a->analysis->name);
        json_open(j, '{');
        if (doc->is_full) {
            put_key(doc, "analysis");
            put_definition(doc, a->analysis);
            if (!doc->is_legacy)
                put_durations(doc, a, block);
        }
        put_stats(doc, &block->stats, WITH_FIRST | WITH_SUM);
        json_close(j, '}');
    }
    if (any)
        json_close(j, '}');
    out_flush_some(doc->o);
}

void put_device_stats(struct json_doc *doc, uint32_t device)
{
    struct json *j = &doc->j;
    bool any = false;
    for (size_t i = 0; i < doc->d->setup->analyses.n; i++) {
        const struct analysed *a = &doc->d->v[doc->by_name[i]];
        if (!a->device[device].count)
            continue;
        if (!any) {
            put_key(doc, "analysis");
            json_open(j, '{');
            any = true;
        }
        json_newline(j);
        json_key(j, a->analysis->name);
        json_open(j, '{');
        if (doc->is_full) {
            put_key(doc, "analysis");
            put_definition(doc, a->analysis);
        }
        put_stats(doc, &a->device[device], doc->is_legacy && doc->is_full ? 0 : WITH_SUM);
        json_close(j, '}');
    }
    if (any)
        json_close(j, '}');
}

// --- events

static bool is_event(const struct json_doc *doc, const struct analysis *a,
                     const struct keyed *at)
{
    enum marker_type type = trace_site_of(doc->t, at->a)->type;
    return (type == MARKER_TS_DATA || type == MARKER_TS_EVENT) &&
           condition_fits_track(&a->start, doc->t, at->b, false);
}

void put_events(struct json_doc *doc, enum across across, const struct series *s)
{
    struct json *j = &doc->j;
    const struct setup *setup = doc->d->setup;
    bool any = false;
    for (size_t i = 0; i < setup->analyses.n; i++)
        any |= setup->analyses.v[i].across == across;
    if (!any)
        return;
    put_key(doc, "events");
    json_open(j, '{');
    for (size_t i = 0; i < setup->analyses.n; i++) {
        const struct analysis *a = &setup->analyses.v[doc->by_name[i]];
        if (a->across != across || a->type != ANALYSE_EVENT)
            continue;
        json_key(j, a->name);
        json_open(j, '[');
        for (size_t k = 0; k < s->n; k++)
            if (is_event(doc, a, &s->v[k]))
                put_element(doc, s->v[k].a, s->v[k].b, s->with);
        json_close(j, ']');
    }
    json_close(j, '}');
}
