// collection_health_json.c - profiler_health.json of a profiled run.
#include "base/file/file.h"
#include "base/text/json.h"

#include "profiler/collection_health.h"
#include "profiler/health.h"
#include "profiler/health_walk.h"

static void put_place(struct json *j, const struct health_place *p)
{
    json_newline(j);
    json_open(j, '{');
    json_key_int(j, "chip", p->chip->id);
    json_key_int(j, "core_x", p->core->x);
    json_key_int(j, "core_y", p->core->y);
}

static void put_riscs(const struct collection *c, struct json *j)
{
    struct health_walk w = {.c = c};
    struct health_place p;
    uint64_t n_clean = 0, n_markers = 0;
    json_key(j, S("tracks"));
    json_open(j, '[');
    while (health_next(&w, &p)) {
        if (p.risc < 0)
            continue;
        const struct risc_health *h = risc_at(&p);
        if (!health_has_findings(h)) {
            n_clean += h->markers > 0;
            n_markers += h->markers;
            continue;
        }
        put_place(j, &p);
        json_key_text(j, "risc", health_risc_name(c, &p));
        json_key_int(j, "markers", (int64_t)h->markers);
        for (int i = 0; i < HEALTH_FIELDS; i++)
            json_key_int(j, health_fields[i].key,
                         (int64_t)health_value(h, &health_fields[i]));
        json_close(j, '}');
    }
    json_close(j, ']');
    json_newline(j);
    json_key(j, S("without_findings"));
    json_open(j, '{');
    json_key_int(j, "tracks", (int64_t)n_clean);
    json_key_int(j, "markers", (int64_t)n_markers);
    json_close(j, '}');
}

static void put_bool(struct json *j, const char *key, bool v)
{
    json_key(j, str_of(key));
    json_bool(j, v);
}

static void put_cores(const struct collection *c, struct json *j)
{
    struct health_walk w = {.c = c};
    struct health_place p;
    json_key(j, S("cores"));
    json_open(j, '[');
    while (health_next(&w, &p)) {
        const struct core_health *h = core_at(&p);
        if (p.risc >= 0 || (!h->flushes && !is_odd(h)))
            continue;
        put_place(j, &p);
        json_key_int(j, "flushes", (int64_t)h->flushes);
        json_key_int(j, "flush_cycles", (int64_t)h->flush_cycles);
        json_key_int(j, "flush_max", (int64_t)h->flush_max);
        put_bool(j, "counts_losses", h->is_counted);
        put_bool(j, "partial", h->is_partial);
        put_bool(j, "damaged", h->is_damaged);
        json_close(j, '}');
    }
    json_close(j, ']');
}

bool collection_health_write(const struct collection *c, const char *log, uint64_t n_ops,
                             uint64_t n_incomplete, const char *path, struct err *e)
{
    struct out o;
    if (!out_open(&o, path, e))
        return false;
    struct health_totals t = collection_totals(c);
    struct json j = {.b = &o.b, .is_first = true};
    json_open(&j, '{');
    json_key_text(&j, "ttprof", S(TTPROF_VERSION));
    json_key_text(&j, "log", str_of(log));
    json_key_int(&j, "readouts", c->n_readouts);
    json_key_int(&j, "markers", (int64_t)t.markers);
    json_key_int(&j, "ops", (int64_t)n_ops);
    json_key_int(&j, "incomplete_ops", (int64_t)n_incomplete);
    json_key_int(&j, "l1_dropped", (int64_t)t.l1_dropped);
    json_key_int(&j, "dram_dropped", (int64_t)t.dram_dropped);
    put_bool(&j, "counts_losses", t.is_counted);
    put_bool(&j, "lossy", t.is_lossy);
    json_key_int(&j, "unknown_replays", (int64_t)c->replays_unknown);
    put_bool(&j, "aligned_with_host", health_is_aligned(c));
    json_key_int(&j, "flushes", (int64_t)t.flushes);
    json_key_int(&j, "flush_cycles", (int64_t)t.flush_cycles);
    json_key_int(&j, "flush_max", (int64_t)t.flush_max);
    json_key_int(&j, "odd", (int64_t)diag_total(&c->diag));
    json_newline(&j);
    health_put_findings(&c->diag, &j);
    json_newline(&j);
    put_riscs(c, &j);
    json_newline(&j);
    put_cores(c, &j);
    json_close(&j, '}');
    buf_char(&o.b, '\n');
    return out_close(&o, e);
}
