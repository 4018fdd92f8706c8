// collection_health.c - findings of chips, cores and RISCs.
#include "profiler/collection_health.h"

#include <stdio.h>

#include "analyse/diags.h"
#include "collect/diags.h"
#include "trace/clock_model.h"

enum { LINES_MOST = 24 }; // of the table; the file has all
enum { NO_KIND = -1 };

// Counts of a RISC. Those without words are not findings.
static const struct health_field {
    const char *words; // after the number, in the table; "": has its own column
    size_t at;         // in struct risc_health
    int kind;          // int
} fields[] = {
#define IN(member) offsetof(struct risc_health, member)
    // clang-format off
    {"",                          IN(l1_dropped),    DIAG_L1_DROPPED},
    {"",                          IN(dram_dropped),  DIAG_DRAM_DROPPED},
    {"markers of unknown locations", IN(unknown_ids),   DIAG_ZONE_UNKNOWN},
    {"starts without an end",     IN(orphan_starts), DIAG_START_WITHOUT_END},
    {"ends without a start",      IN(orphan_ends),   DIAG_END_WITHOUT_START},
    {"runs of another RISC",      IN(foreign),       DIAG_IDENTITY_FOREIGN},
    {"unknown packet types",      IN(bad_types),     DIAG_PACKET_TYPE},
    {"truncated",                   IN(truncated),     DIAG_WORDS_CUT},
    {"places skipped",            IN(resyncs),       NO_KIND},
    {"events above 65535",        IN(bad_events),    DIAG_EVENT_TOO_LARGE},
    {"stalls",                    IN(stalls),        DIAG_STALLED},
#undef IN
    // clang-format on
};
enum { FIELDS_N = sizeof fields / sizeof *fields };

static uint64_t value_of(const struct risc_health *h, const struct health_field *f)
{
    return *(const uint64_t *)((const char *)h + f->at);
}

static bool has_findings(const struct risc_health *h)
{
    for (int i = 0; i < FIELDS_N; i++)
        if (value_of(h, &fields[i]))
            return true;
    return h->is_lossy;
}

static bool is_odd(const struct core_health *h)
{
    return h->is_partial || h->is_damaged;
}

// --- one walk for all --------------------------------------------------------------------

struct place {
    const struct chip_record *chip;
    const struct tt_core *core;
    const struct core_health *of_core;
    const struct risc_health *of_risc; // NULL: the core itself
    int risc;
};

// Iterates over chips, cores and RISCs; a core comes before its RISCs. Zero-initialise.
struct walk {
    const struct collection *c;
    size_t chip, core;
    int n_done; // of the core: itself and its RISCs
};

static bool walk_next(struct walk *w, struct place *p)
{
    while (w->chip < w->c->chips.n) {
        const struct chip_record *chip = &w->c->chips.v[w->chip];
        if (w->core >= chip->n_cores || !chip->riscs) {
            w->chip++;
            w->core = 0;
            continue;
        }
        const struct tt_core *core = &chip->cores[w->core];
        int risc = w->n_done++ - 1;
        if (risc >= core->n_riscs || risc >= RISCS_MOST) {
            w->core++;
            w->n_done = 0;
            continue;
        }
        *p = (struct place){.chip = chip,
                            .core = core,
                            .of_core = &chip->core_health[w->core],
                            .of_risc = risc < 0 ? NULL : &chip->riscs[w->core][risc],
                            .risc = risc};
        return true;
    }
    return false;
}

static str risc_name(const struct collection *c, const struct place *p)
{
    const char *name = collection_risc_name(c, p->chip, p->core, (unsigned)p->risc);
    return name ? str_of(name) : S("?");
}

static bool chip_is_synced(const struct chip_record *chip)
{
    return chip->clock && chip->clock->is_synced;
}

static bool is_aligned(const struct collection *c)
{
    bool all = c->chips.n > 0;
    for (size_t i = 0; i < c->chips.n; i++)
        all &= chip_is_synced(&c->chips.v[i]);
    return all;
}

// --- totals ------------------------------------------------------------------------------

static void add_core(struct health *h, const struct place *p)
{
    const struct core_health *core = p->of_core;
    h->flushes += core->flushes;
    h->flush_cycles += core->flush_cycles;
    h->flush_max = core->flush_max > h->flush_max ? core->flush_max : h->flush_max;
    if (core->flushes || is_odd(core))
        vec_push(&h->cores,
                 (struct health_core){p->chip->id, p->core->x, p->core->y, *core});
}

static void add_risc(struct health *h, const struct collection *c, const struct place *p)
{
    const struct risc_health *risc = p->of_risc;
    h->markers += risc->markers;
    h->l1_dropped += risc->l1_dropped;
    h->dram_dropped += risc->dram_dropped;
    h->is_lossy |= risc->is_lossy || risc->l1_dropped || risc->dram_dropped;
    h->is_counted &= p->of_core->is_counted || !risc->markers;
    if (!has_findings(risc)) {
        h->clean.tracks += risc->markers > 0;
        h->clean.markers += risc->markers;
        return;
    }
    struct health_track t = {.chip = p->chip->id,
                             .x = p->core->x,
                             .y = p->core->y,
                             .risc = risc_name(c, p),
                             .counts = *risc,
                             .odd = push_many(&h->arena, struct health_odd, FIELDS_N)};
    for (int i = 0; i < FIELDS_N; i++)
        if (fields[i].kind != NO_KIND && value_of(risc, &fields[i]))
            t.odd[t.n_odd++] =
                (struct health_odd){fields[i].kind, value_of(risc, &fields[i]), 0};
    vec_push(&h->tracks, t);
}

void health_of_collection(struct health *h, const struct collection *c)
{
    *h = (struct health){.source = HEALTH_OF_DEVICE,
                         .diag = &c->diag,
                         .readouts = c->n_readouts,
                         .queue_drains = c->n_drains,
                         .is_counted = true,
                         .unknown_replays = c->replays_unknown,
                         .is_aligned = is_aligned(c)};
    for (size_t i = 0; i < c->chips.n; i++)
        h->programs_not_started += c->chips.v[i].n_not_started;
    struct walk w = {.c = c};
    for (struct place p; walk_next(&w, &p);) {
        if (p.of_risc)
            add_risc(h, c, &p);
        else
            add_core(h, &p);
    }
}

// --- findings --------------------------------------------------------------------------

static void count_at(struct diag *d, int kind, uint64_t n, const struct place *p)
{
    if (n && !d->entry[kind].count)
        diag_note(d, kind, "chip %d, core %d,%d", p->chip->id, p->core->x, p->core->y);
    d->entry[kind].count += n;
}

void collection_count_odd(struct collection *c)
{
    static const int kinds[] = {DIAG_RUN_PARTIAL, DIAG_CORE_UNREADABLE, DIAG_STALLED,
                                DIAG_EVENT_TOO_LARGE, DIAG_NOT_SYNCED};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        c->diag.entry[kinds[i]] = (struct diag_entry){0};
    struct walk w = {.c = c};
    for (struct place p; walk_next(&w, &p);) {
        if (p.of_risc) {
            count_at(&c->diag, DIAG_STALLED, p.of_risc->stalls, &p);
            count_at(&c->diag, DIAG_EVENT_TOO_LARGE, p.of_risc->bad_events, &p);
            continue;
        }
        count_at(&c->diag, DIAG_RUN_PARTIAL, p.of_core->is_partial, &p);
        count_at(&c->diag, DIAG_CORE_UNREADABLE, p.of_core->is_damaged, &p);
    }
    // Report a missing sync only if one was requested.
    for (size_t i = 0; c->options.sync && i < c->chips.n; i++)
        if (!chip_is_synced(&c->chips.v[i]) && c->diag.entry[DIAG_NOT_SYNCED].count++ == 0)
            diag_note(&c->diag, DIAG_NOT_SYNCED, "chip %d", c->chips.v[i].id);
}

// --- the table -----------------------------------------------------------------------

// "3 ends without a start, 2 stalls"
static void put_others(const struct risc_health *h, struct buf *b)
{
    bool is_first = true;
    for (int i = 0; i < FIELDS_N; i++) {
        uint64_t v = value_of(h, &fields[i]);
        if (!*fields[i].words || !v)
            continue;
        buf_printf(b, "%s%llu %s", is_first ? "" : ", ", (unsigned long long)v,
                   fields[i].words);
        is_first = false;
    }
    bool is_known = h->l1_dropped || h->dram_dropped;
    if (h->is_lossy && !is_known)
        buf_printf(b, "%sit lost markers, but did not count them", is_first ? "" : ", ");
}

static void put_table_line(const struct collection *c, const struct place *p, struct buf *b)
{
    char core[24];
    (void)snprintf(core, sizeof core, "%d,%d", p->core->x, p->core->y);
    if (!p->of_risc) {
        const struct core_health *h = p->of_core;
        buf_printf(b, "%4d  %-6s %-16s %s%s%s\n", p->chip->id, core, "",
                   h->is_partial ? "never finished; its data is partial" : "",
                   h->is_partial && h->is_damaged ? "; " : "",
                   h->is_damaged ? "its control vector is invalid or cannot be read" : "");
        return;
    }
    const struct risc_health *h = p->of_risc;
    str risc = risc_name(c, p);
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

static void put_table(const struct collection *c, uint64_t n_findings, struct buf *b)
{
    struct walk w = {.c = c};
    uint64_t shown = 0;
    buf_printf(b, "%4s  %-6s %-16s %12s %12s %12s %16s  %s\n", "chip", "core", "RISC",
               "markers", "lost in L1", "lost in DRAM", "first lost at", "also");
    for (struct place p; shown < LINES_MOST && walk_next(&w, &p);) {
        if (p.of_risc ? !has_findings(p.of_risc) : !is_odd(p.of_core))
            continue;
        put_table_line(c, &p, b);
        shown++;
    }
    if (n_findings > shown)
        buf_printf(b, "      and %llu more, see profiler_health.json\n",
                   (unsigned long long)(n_findings - shown));
}

static void put_sentences(const struct collection *c, const struct health *t,
                          uint64_t n_flushing, struct buf *b)
{
    uint64_t lost = t->l1_dropped + t->dram_dropped;
    buf_printf(b, "%llu markers from %u read-out%s; ", (unsigned long long)t->markers,
               c->n_readouts, c->n_readouts == 1 ? "" : "s");
    if (lost)
        buf_printf(b, "%llu were lost: %llu did not fit in L1, %llu did not fit in DRAM\n",
                   (unsigned long long)lost, (unsigned long long)t->l1_dropped,
                   (unsigned long long)t->dram_dropped);
    else if (t->is_lossy)
        buf_z(b, "some were lost; the device does not say how many\n");
    else if (!t->is_counted)
        buf_z(b, "no known losses, but the device does not count losses in L1\n");
    else
        buf_z(b, "0 were lost\n");
    if (t->flushes)
        buf_printf(
            b,
            "the profiler itself: %llu push%s to DRAM on %llu core%s, %llu cycles in total, %llu at most\n",
            (unsigned long long)t->flushes, t->flushes == 1 ? "" : "es",
            (unsigned long long)n_flushing, n_flushing == 1 ? "" : "s",
            (unsigned long long)t->flush_cycles, (unsigned long long)t->flush_max);
    if (t->programs_not_started)
        buf_printf(b, "%llu program%s never started, queued behind one that did not end\n",
                   (unsigned long long)t->programs_not_started,
                   t->programs_not_started == 1 ? "" : "s");
    if (c->replays_unknown)
        buf_printf(b, "%llu runs belong to replays that the host does not know\n",
                   (unsigned long long)c->replays_unknown);
    if (!t->is_aligned)
        buf_z(b, "device times are not aligned with the host: no clock sync\n");
}

void collection_health_text(const struct collection *c, struct buf *b)
{
    struct health h;
    health_of_collection(&h, c);
    uint64_t n_findings = h.tracks.n, n_flushing = 0;
    for (size_t i = 0; i < h.cores.n; i++) {
        n_findings += is_odd(&h.cores.v[i].health);
        n_flushing += h.cores.v[i].health.flushes > 0;
    }
    if (n_findings)
        put_table(c, n_findings, b);
    put_sentences(c, &h, n_flushing, b);
    health_free(&h);
}
