// collection_health.c - walking chips, cores and RISCs for what went wrong on them.
#include "profiler/collection_health.h"

#include <stdio.h>

#include "profiler/health_walk.h"
#include "trace/clock_model.h"

enum { LINES_MOST = 24 }; // of the table; the file has them all

const struct health_field health_fields[HEALTH_FIELDS] = {
#define AT(field) offsetof(struct risc_health, field)
    // clang-format off
    {"l1_dropped",    "",                          AT(l1_dropped)}, // a column of its own
    {"dram_dropped",  "",                          AT(dram_dropped)},
    {"first_drop",    NULL,                        AT(first_drop)},
    {"unknown_ids",   "markers of unknown places", AT(unknown_ids)},
    {"orphan_starts", "starts without an end",     AT(orphan_starts)},
    {"orphan_ends",   "ends without a start",      AT(orphan_ends)},
    {"foreign",       "runs of another RISC",      AT(foreign)},
    {"bad_types",     "packet types unknown",      AT(bad_types)},
    {"truncated",     "cut off",                   AT(truncated)},
    {"resyncs",       "places skipped",            AT(resyncs)},
    {"duplicates",    NULL,                        AT(duplicates)},
    {"stalls",        "stalls",                    AT(stalls)},
    {"stall_ns",      NULL,                        AT(stall_ns)},
    {"lossy",         NULL,                        AT(is_lossy)},
#undef AT
    // clang-format on
};

uint64_t health_value(const struct risc_health *h, const struct health_field *f)
{
    uint64_t v;
    memcpy(&v, (const char *)h + f->at, sizeof v);
    return v;
}

bool health_has_findings(const struct risc_health *h)
{
    for (int i = 0; i < HEALTH_FIELDS; i++)
        if (health_fields[i].words && health_value(h, &health_fields[i]))
            return true;
    return h->is_lossy;
}

// --- one walk for all ----------------------------------------------------------------

bool health_next(struct health_walk *w, struct health_place *p)
{
    if (!w->is_started) {
        w->is_started = true;
        w->risc = -1;
    }
    while (w->chip < w->c->chips.n) {
        const struct chip_record *chip = &w->c->chips.v[w->chip];
        if (w->core >= chip->n_cores || !chip->riscs) {
            w->chip++;
            w->core = 0;
            continue;
        }
        const struct tt_core *core = &chip->cores[w->core];
        if (w->risc >= core->n_riscs || w->risc >= RISCS_MOST) {
            w->core++;
            w->risc = -1;
            continue;
        }
        *p = (struct health_place){chip, core, w->core, w->risc++};
        return true;
    }
    return false;
}

static bool chip_is_synced(const struct chip_record *chip)
{
    return chip->clock && chip->clock->is_synced;
}

bool health_is_aligned(const struct collection *c)
{
    bool all = c->chips.n > 0;
    for (size_t i = 0; i < c->chips.n; i++)
        all &= chip_is_synced(&c->chips.v[i]);
    return all;
}

struct health_totals collection_totals(const struct collection *c)
{
    struct health_totals t = {.is_counted = true};
    struct health_walk w = {.c = c};
    struct health_place p;
    while (health_next(&w, &p)) {
        const struct core_health *core = core_at(&p);
        if (p.risc < 0) {
            t.flushes += core->flushes;
            t.flush_cycles += core->flush_cycles;
            t.flush_max = core->flush_max > t.flush_max ? core->flush_max : t.flush_max;
            t.n_flushing += core->flushes > 0;
            t.n_findings += is_odd(core);
            continue;
        }
        const struct risc_health *h = risc_at(&p);
        t.markers += h->markers;
        t.l1_dropped += h->l1_dropped;
        t.dram_dropped += h->dram_dropped;
        t.is_lossy |= h->is_lossy || h->l1_dropped || h->dram_dropped;
        t.is_counted &= core->is_counted || !h->markers;
        t.n_findings += health_has_findings(h);
    }
    return t;
}

str health_risc_name(const struct collection *c, const struct health_place *p)
{
    const char *name = collection_risc_name(c, p->chip, p->core, (unsigned)p->risc);
    return name ? str_of(name) : S("?");
}

// --- odd data --------------------------------------------------------------------------

static void count_at(struct diag *d, enum diag_kind kind, uint64_t n,
                     const struct health_place *p)
{
    if (n && !d->entry[kind].count)
        diag_note(d, kind, "chip %d, core %d,%d", p->chip->id, p->core->x, p->core->y);
    d->entry[kind].count += n;
}

void collection_count_odd(struct collection *c)
{
    static const enum diag_kind kinds[] = {DIAG_RUN_PARTIAL, DIAG_CORE_UNREADABLE,
                                           DIAG_STALLED, DIAG_NOT_SYNCED};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        c->diag.entry[kinds[i]] = (struct diag_entry){0};
    struct health_walk w = {.c = c};
    struct health_place p;
    while (health_next(&w, &p)) {
        if (p.risc >= 0) {
            count_at(&c->diag, DIAG_STALLED, risc_at(&p)->stalls, &p);
            continue;
        }
        count_at(&c->diag, DIAG_RUN_PARTIAL, core_at(&p)->is_partial, &p);
        count_at(&c->diag, DIAG_CORE_UNREADABLE, core_at(&p)->is_damaged, &p);
    }
    // Who did not ask for a sync misses none.
    for (size_t i = 0; c->options.sync && i < c->chips.n; i++)
        if (!chip_is_synced(&c->chips.v[i]) && c->diag.entry[DIAG_NOT_SYNCED].count++ == 0)
            diag_note(&c->diag, DIAG_NOT_SYNCED, "chip %d", c->chips.v[i].id);
}

// --- the table -----------------------------------------------------------------------

// "3 ends without a start, 2 stalls"
static void put_others(const struct risc_health *h, struct buf *b)
{
    bool is_first = true;
    for (int i = 0; i < HEALTH_FIELDS; i++) {
        uint64_t v = health_value(h, &health_fields[i]);
        if (!health_fields[i].words || !*health_fields[i].words || !v)
            continue;
        buf_printf(b, "%s%llu %s", is_first ? "" : ", ", (unsigned long long)v,
                   health_fields[i].words);
        is_first = false;
    }
    bool is_known = h->l1_dropped || h->dram_dropped;
    if (h->is_lossy && !is_known)
        buf_printf(b, "%sit lost markers, nobody counted them", is_first ? "" : ", ");
}

static void put_line(const struct collection *c, const struct health_place *p,
                     struct buf *b)
{
    char core[24];
    (void)snprintf(core, sizeof core, "%d,%d", p->core->x, p->core->y);
    if (p->risc < 0) {
        const struct core_health *h = core_at(p);
        buf_printf(b, "%4d  %-6s %-16s %s%s%s\n", p->chip->id, core, "",
                   h->is_partial ? "it never finished; what it had is shown" : "",
                   h->is_partial && h->is_damaged ? "; " : "",
                   h->is_damaged ? "its control vector makes no sense or cannot be read"
                                 : "");
        return;
    }
    const struct risc_health *h = risc_at(p);
    str risc = health_risc_name(c, p);
    buf_printf(b, "%4d  %-6s %-16.*s %12llu %12llu %12llu ", p->chip->id, core, STR(risc),
               (unsigned long long)h->markers, (unsigned long long)h->l1_dropped,
               (unsigned long long)h->dram_dropped);
    if (h->first_drop)
        buf_printf(b, "%16llu  ", (unsigned long long)h->first_drop);
    else
        buf_printf(b, "%16s  ", "-");
    put_others(h, b);
    while (b->n && b->p[b->n - 1] == ' ')
        b->n--;
    buf_char(b, '\n');
}

static void put_table(const struct collection *c, const struct health_totals *t,
                      struct buf *b)
{
    struct health_walk w = {.c = c};
    struct health_place p;
    uint64_t shown = 0;
    buf_printf(b, "%4s  %-6s %-16s %12s %12s %12s %16s  %s\n", "chip", "core", "RISC",
               "markers", "lost in L1", "lost in DRAM", "first lost at", "also");
    while (shown < LINES_MOST && health_next(&w, &p)) {
        if (p.risc < 0 ? !is_odd(core_at(&p)) : !health_has_findings(risc_at(&p)))
            continue;
        put_line(c, &p, b);
        shown++;
    }
    if (t->n_findings > shown)
        buf_printf(b, "      and %llu more, all in profiler_health.json\n",
                   (unsigned long long)(t->n_findings - shown));
}

static void put_sentences(const struct collection *c, const struct health_totals *t,
                          struct buf *b)
{
    uint64_t lost = t->l1_dropped + t->dram_dropped;
    buf_printf(b, "%llu markers from %u read-out%s; ", (unsigned long long)t->markers,
               c->n_readouts, c->n_readouts == 1 ? "" : "s");
    if (lost)
        buf_printf(b, "%llu were lost: %llu for lack of L1, %llu for lack of DRAM\n",
                   (unsigned long long)lost, (unsigned long long)t->l1_dropped,
                   (unsigned long long)t->dram_dropped);
    else if (t->is_lossy)
        buf_z(b, "some were lost, the device does not say how many\n");
    else if (!t->is_counted)
        buf_z(b, "no loss is known, but the device does not count losses in L1\n");
    else
        buf_z(b, "0 were lost\n");
    if (t->flushes)
        buf_printf(b,
                   "the profiler itself: %llu push%s to DRAM on %llu core%s, %llu cycles "
                   "together, %llu the longest\n",
                   (unsigned long long)t->flushes, t->flushes == 1 ? "" : "es",
                   (unsigned long long)t->n_flushing, t->n_flushing == 1 ? "" : "s",
                   (unsigned long long)t->flush_cycles, (unsigned long long)t->flush_max);
    if (c->replays_unknown)
        buf_printf(b, "%llu runs are of replays that the host does not know\n",
                   (unsigned long long)c->replays_unknown);
    if (!health_is_aligned(c))
        buf_z(b, "device times are not aligned with the host: there was no clock sync\n");
}

void collection_health_text(const struct collection *c, struct buf *b)
{
    struct health_totals t = collection_totals(c);
    if (t.n_findings)
        put_table(c, &t, b);
    put_sentences(c, &t, b);
}
