// device_log_meta.c - looks into metadata, and keeps its ids unique among several logs.
#include "formats/device_log/device_log_meta.h"

#include "base/text/num.h"

#include "formats/device_log/device_log.h"

bool meta_find(str meta, str key, str *value)
{
    str rest;
    if (!str_after(meta, key, &rest))
        return false;
    while (rest.n && (rest.p[0] == '"' || rest.p[0] == '\'' || rest.p[0] == ' '))
        rest = str_from(rest, 1);
    if (!rest.n || rest.p[0] != ':')
        return false;
    rest = str_trim(str_from(rest, 1));
    if (!rest.n)
        return false;
    if (rest.p[0] == '"' || rest.p[0] == '\'') {
        char quote = rest.p[0];
        rest = str_from(rest, 1);
        const char *end = rest.n ? memchr(rest.p, quote, rest.n) : NULL;
        if (!end)
            return false;
        *value = (str){rest.p, (size_t)(end - rest.p)};
        return true;
    }
    size_t n = 0;
    while (n < rest.n && rest.p[n] != ';' && rest.p[n] != ',' && rest.p[n] != '}')
        n++;
    *value = str_trim((str){rest.p, n});
    return value->n > 0;
}

enum { META_MOST = 4096 }; // bytes; a dispatch core writes no more than a few dozen

static void raise_program(struct trace *t, struct trace_datum *d, int64_t more)
{
    str meta = {d->meta, d->meta_n}, value;
    int64_t id;
    if (d->meta_n > META_MOST || !meta_find(meta, S(META_PROGRAM), &value) ||
        !num_int(value, &id))
        return;
    int64_t raised = log_more_programs(id, more);
    str rest = str_from(meta, (size_t)(value.p - meta.p) + value.n);
    meta.n = (size_t)(value.p - meta.p);
    str text =
        arena_printf(&t->arena, "%.*s%lld%.*s", STR(meta), (long long)raised, STR(rest));
    d->meta = text.p;
    d->meta_n = (uint32_t)text.n;
    if (d->data == (uint64_t)id)
        d->data = (uint64_t)raised;
}

// --- names -----------------------------------------------------------------------------
// "CQ-DISPATCH:1024:CQ_DISPATCH_CMD_WAIT": parts that are numbers are programs.
static void raise_name(str name, int64_t more, struct buf *b)
{
    b->n = 0;
    while (name.n) {
        str part = str_cut(&name, ':');
        int64_t id;
        if (b->n)
            buf_char(b, ':');
        if (b->n && num_int(part, &id))
            num_put_int(b, log_more_programs(id, more));
        else
            buf_str(b, part);
    }
}

struct raising {
    struct trace *t;
    struct arena arena;
    struct map known; // site and what is added -> sites
    VEC(uint32_t) sites;
    struct buf text;
};

static uint32_t raised_site(struct raising *r, uint32_t site, int64_t more)
{
    int64_t key[2] = {site, more};
    uint32_t at = map_put_copy(&r->known, key, sizeof key, &r->arena);
    if (at < r->sites.n)
        return r->sites.v[at];
    str name = trace_text(r->t, r->t->sites.v[site].name);
    if (str_starts(name, S("CQ-DISPATCH:"))) {
        raise_name(name, more, &r->text);
        str text = arena_str(&r->t->arena, buf_view(&r->text));
        site = trace_site_named(r->t, site, map_put(&r->t->strings, text));
    }
    vec_push(&r->sites, site);
    return site;
}

static void raise_track(struct raising *r, const struct trace_track *k, int64_t more)
{
    struct trace *t = r->t;
    for (uint32_t d = 0; d < k->n_data; d++)
        raise_program(t, &t->data.v[k->datum + d], more);
    for (uint32_t m = k->marker; m < k->marker + k->n_markers; m++)
        t->markers.site[m] = raised_site(r, t->markers.site[m], more);
}

void log_meta_raise_programs(struct trace *t)
{
    struct raising r = {.t = t};
    for (size_t i = 0; i < t->tracks.n; i++) {
        const struct trace_track *k = &t->tracks.v[i];
        int64_t more = t->devices.v[t->cores.v[k->core].device].more_programs;
        if (more)
            raise_track(&r, k, more);
    }
    buf_free(&r.text);
    vec_free(&r.sites);
    map_free(&r.known);
    arena_free(&r.arena);
}
