// counter_records.c - collects counter samples from data markers.
#include "analyse/counters/counter_records.h"

#include <stdlib.h>

#include "base/data/sort.h"
#include "base/text/num.h"

#include "ttprof/perf_counters.h"
#include "ttprof/profiler_words.h"

static const char *const known_names[TT_PERF_IDS] = {"UNDEF",
#define NAME(number, name, group, wormhole, blackhole) [number] = #name,
                                                     TT_PERF_COUNTERS(NAME)
#undef NAME
};

static void names_start(struct counter_records *r)
{
    for (size_t i = 0; i < TT_PERF_IDS; i++)
        map_put(&r->names, str_of(known_names[i]));
}

// --- one record --------------------------------------------------------------------------

// The next `"key": value` of a flat object whose members are separated by ; or commas.
// Either kind of quotes; the value is returned without them.
static bool member_take(str *rest, str *key, str *value, bool *is_text)
{
    const char *p = rest->p, *end = p + rest->n;
    while (p < end && *p != '"' && *p != '\'')
        p++;
    if (p == end)
        return false;
    const char *close = memchr(p + 1, *p, (size_t)(end - p - 1));
    if (!close)
        return false;
    *key = (str){p + 1, (size_t)(close - p - 1)};
    for (p = close + 1; p < end && (*p == ' ' || *p == ':');)
        p++;
    *is_text = p < end && (*p == '"' || *p == '\'');
    if (*is_text) {
        close = memchr(p + 1, *p, (size_t)(end - p - 1));
        if (!close)
            return false;
        *value = (str){p + 1, (size_t)(close - p - 1)};
        p = close + 1;
    } else {
        const char *from = p;
        while (p < end && *p != ';' && *p != ',' && *p != '}')
            p++;
        *value = str_trim((str){from, (size_t)(p - from)});
    }
    *rest = (str){p, (size_t)(end - p)};
    return true;
}

static bool count_parse(str text, uint64_t *out)
{
    int64_t v;
    if (!num_int(text, &v) || v < 0)
        return false;
    *out = (uint64_t)v;
    return true;
}

// Counters unknown to this program keep their name, or get one.
static bool counter_find(struct counter_records *r, str text, bool is_text, uint32_t *out)
{
    uint64_t number;
    if (is_text && !text.n)
        return false;
    if (!is_text && !count_parse(text, &number))
        return false;
    if (!is_text && number < TT_PERF_IDS) {
        *out = (uint32_t)number;
        return true;
    }
    uint32_t known = is_text ? map_get(&r->names, text) : MAP_NONE;
    if (known == MAP_NONE) {
        str name = is_text ? arena_str(&r->arena, text)
                           : arena_printf(&r->arena, "UNKNOWN_%.*s", STR(text));
        known = map_put(&r->names, name);
    }
    *out = known;
    return true;
}

bool counter_record_parse(struct counter_records *r, str meta, struct counter_record *out)
{
    enum { TYPE = 1, CYCLES = 2, VALUE = 4 };
    unsigned found = 0;
    str key, value;
    bool is_text;
    if (!r->names.keys.n)
        names_start(r);
    while (member_take(&meta, &key, &value, &is_text)) {
        if (str_is(key, "counter type")) {
            found |= TYPE;
            if (!counter_find(r, value, is_text, &out->counter))
                return false;
        } else if (str_is(key, "ref cnt")) {
            found |= CYCLES;
            if (!count_parse(value, &out->cycles))
                return false;
        } else if (str_is(key, "value")) {
            found |= VALUE;
            if (!count_parse(value, &out->value))
                return false;
        }
    }
    return found == (TYPE | CYCLES | VALUE);
}

// --- all of them -------------------------------------------------------------------------

static void read_track_counters(struct counter_records *r, const struct trace *t,
                                const struct device_ops *ops, const struct trace_track *k)
{
    const struct trace_core *core = &t->cores.v[k->core];
    struct counter_sample *now = NULL;
    for (size_t d = k->datum; d < (size_t)k->datum + k->n_data; d++) {
        const struct trace_datum *datum = &t->data.v[d];
        const struct trace_site *site = trace_site_of(t, datum->marker);
        if (site->timer_id != TT_ID_PERF_COUNTER || site->type != MARKER_TS_DATA)
            continue;
        uint32_t op = ops->of_run[t->markers.run[datum->marker]];
        struct counter_record record;
        str meta = {datum->meta, datum->meta_n};
        if (op == NO_OP || !counter_record_parse(r, meta, &record)) {
            if (!r->n_odd++)
                r->odd_line = t->markers.line[datum->marker];
            continue;
        }
        if (!now || now->op != op) {
            vec_push(&r->samples, (struct counter_sample){op, core->x, core->y, r->v.n, 0});
            now = &r->samples.v[r->samples.n - 1];
        }
        vec_push(&r->v, record);
        now->n_records++;
    }
}

static int by_op_and_core(const void *a, const void *b)
{
    const struct counter_sample *x = a, *y = b;
    SORT_BY(x, y, op);
    SORT_BY(x, y, x);
    SORT_BY(x, y, y);
    SORT_BY(x, y, record);
    return 0;
}

void counter_records_read(struct counter_records *r, const struct trace *t,
                          const struct device_ops *ops)
{
    *r = (struct counter_records){0};
    names_start(r);
    uint32_t brisc = map_get(&t->strings, S("BRISC"));
    for (size_t k = 0; k < t->tracks.n; k++)
        if (t->tracks.v[k].risc == brisc)
            read_track_counters(r, t, ops, &t->tracks.v[k]);
    if (r->samples.n)
        qsort(r->samples.v, r->samples.n, sizeof *r->samples.v, by_op_and_core);
}

void counter_records_free(struct counter_records *r)
{
    vec_free(&r->v);
    vec_free(&r->samples);
    map_free(&r->names);
    arena_free(&r->arena);
}
