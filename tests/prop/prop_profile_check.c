// prop_profile_check.c - what was decoded is what was stored, what was stored is what the
// scripts say, and what is missing was counted.
#include <string.h>

#include "base/data/sort.h"

#include "prop_profile.h"

// From the first instruction of a kernel's image to the clock of its zone's start, and from
// that of its end to the return: start-up code, and the markers' own cost.
enum { KERNEL_START_CYCLES = 400, KERNEL_END_CYCLES = 60 };

static const char *const risc_names[] = {"BRISC",   "NCRISC",  "TRISC_0",
                                         "TRISC_1", "TRISC_2", "ERISC"};
static const char *const main_names[] = {"BRISC-FW", "NCRISC-FW", "TRISC-FW",
                                         "TRISC-FW", "TRISC-FW",  "ERISC-FW"};
static const char *const kernel_names[] = {"BRISC-KERNEL", "NCRISC-KERNEL", "TRISC-KERNEL",
                                           "TRISC-KERNEL", "TRISC-KERNEL",  "ERISC-KERNEL"};

// A RISC of a player.
struct checked {
    struct player *p;
    const struct scene *s;
    const struct place *at;
    struct watched *w;
    const struct risc_health *health;
    uint32_t place, risc;
    VEC(struct launched) launched; // with this RISC
    VEC(bool) has_kernel;          // by launch
    uint64_t l1_lost, dram_lost;
    bool accumulates; // several programs share a chunk, and nothing says which
};

#define FAIL(c, format, ...)                                                               \
    law_break((c)->s->law,                                                                 \
              "scene %llu, chip %d, core %d-%d, RISC %u: " format " (%s; %s)",             \
              (unsigned long long)(c)->s->seed, (c)->at->dev, (c)->at->noc0.x,             \
              (c)->at->noc0.y, (c)->risc, __VA_ARGS__, (c)->s->config, (c)->s->how)

static uint32_t name_index(const struct checked *c)
{
    return c->at->is_eth ? (uint32_t)TT_RISCS : c->risc;
}

// --- stored = executed -----------------------------------------------------------------
static bool is_static(const struct stored *m)
{
    return (m->packet == TT_PACKET_TS_DATA || m->packet == TT_PACKET_TS_DATA_16B) &&
           (m->id == TT_ID_NOC_EVENT || m->id == TT_ID_PERF_COUNTER);
}

static str name_of(const struct checked *c, const struct stored *m)
{
    const struct zone_name *name = NULL;
    if (m->packet != TT_PACKET_TS_EVENT && !is_static(m))
        name = names_find(&c->p->c.names, m->id);
    return name ? name->name : (str){0};
}

// Zones of the profiler about itself.
static bool is_own(const struct checked *c, const struct stored *m)
{
    return m->packet <= TT_PACKET_ZONE_END && str_starts(name_of(c, m), S("PROFILER-"));
}

static bool is_match(const struct checked *c, const struct expected *e,
                     const struct stored *m)
{
    if (e->packet != m->packet)
        return false;
    if (e->name ? !str_is(name_of(c, m), e->name) : e->id != m->id)
        return false;
    bool is_wide = e->packet == TT_PACKET_TS_DATA_16B;
    if ((e->packet != TT_PACKET_TS_DATA && !is_wide) || e->has_any_data)
        return true;
    return e->data == m->data && (!is_wide || !e->name || e->trailer == m->trailer);
}

// Counters that BRISC records after a program with a kernel on TRISC_1.
static uint32_t n_counters(const struct checked *c, uint32_t program)
{
    // Those that the software device models.
    static const uint8_t sizes[TT_ARCHES][6] = {{3, 2, 5, 5, 4, 13}, {3, 2, 5, 6, 4, 13}};
    uint32_t n = 0;
    if (c->at->is_eth || c->risc != TT_BRISC || c->s->options.level != TT_LEVEL_ALL ||
        c->accumulates || !c->s->script[program][c->place][TT_TRISC1])
        return 0;
    for (int i = 0; i < 6; i++)
        if (c->s->options.counters >> i & 1)
            n += sizes[c->s->arch][i];
    return n;
}

static bool is_kept(const struct checked *c, const struct expected *e)
{
    return !c->accumulates || e->packet <= TT_PACKET_ZONE_END ||
           e->packet == TT_PACKET_TS_EVENT;
}

// The markers of one launch, in the order of their times, behind what is there.
static void list_expected(const struct checked *c, uint32_t launch, expected_list *list)
{
    uint32_t name = name_index(c), program = c->launched.v[launch].program;
    const struct script *script = c->s->script[program][c->place][c->risc];
    vec_push(list,
             ((struct expected){.packet = TT_PACKET_ZONE_START, .name = main_names[name]}));
    if (script) {
        vec_push(list, ((struct expected){.packet = TT_PACKET_ZONE_START,
                                          .name = kernel_names[name]}));
        for (size_t i = 0; c->s->options.level == TT_LEVEL_ALL && i < script->list.n; i++)
            if (is_kept(c, &script->list.v[i]))
                vec_push(list, script->list.v[i]);
        vec_push(list, ((struct expected){.packet = TT_PACKET_ZONE_END,
                                          .name = kernel_names[name]}));
    }
    for (uint32_t i = 0; i < n_counters(c, program); i++)
        vec_push(list, ((struct expected){.packet = TT_PACKET_TS_DATA_16B,
                                          .id = TT_ID_PERF_COUNTER,
                                          .has_any_data = true}));
    vec_push(list,
             ((struct expected){.packet = TT_PACKET_ZONE_END, .name = main_names[name]}));
}

// Zones start and end in pairs that lie in each other.
static bool check_nesting(const struct checked *c, uint32_t launch,
                          const struct stored *const *got, size_t n)
{
    uint32_t open[512], depth = 0;
    for (size_t i = 0; i < n; i++) {
        if (got[i]->packet == TT_PACKET_ZONE_START && depth < 512)
            open[depth++] = got[i]->id;
        if (got[i]->packet == TT_PACKET_ZONE_END &&
            (depth == 0 || open[--depth] != got[i]->id))
            return FAIL(c, "launch %u: zone %u ends in another", launch, got[i]->id);
    }
    return depth == 0 || FAIL(c, "launch %u: %u zones do not end", launch, depth);
}

static bool check_gap(const struct checked *c, uint32_t launch, const struct expected *e,
                      const struct stored *m, const struct stored *before)
{
    return !before || m->clock >= before->clock + e->at_least ||
           FAIL(c, "launch %u: %llu cycles at %llu, at least %u were waited for", launch,
                (unsigned long long)(m->clock - before->clock),
                (unsigned long long)m->clock, e->at_least);
}

// What is stored is a part of what was executed, in its order; how many are missing.
static bool match_launch(const struct checked *c, uint32_t launch,
                         const struct stored *const *got, size_t n,
                         const expected_list *list, uint64_t *missing)
{
    size_t k = 0;
    bool is_whole = n == list->n;
    for (size_t i = 0; i < list->n; i++) {
        if (k < n && is_match(c, &list->v[i], got[k])) {
            if (is_whole &&
                !check_gap(c, launch, &list->v[i], got[k], k ? got[k - 1] : NULL))
                return false;
            k++;
        } else {
            ++*missing;
        }
    }
    if (k < n) {
        str name = name_of(c, got[k]);
        return FAIL(c, "launch %u: marker %zu (packet %u, id %u, %.*s) was not executed",
                    launch, k, got[k]->packet, got[k]->id, STR(name));
    }
    return true;
}

static bool check_sums(const struct checked *c, uint32_t launch,
                       const struct stored *const *sums, size_t n, uint64_t *missing)
{
    static const char *const names[] = {"sum 1", "sum 2"};
    uint32_t program = c->launched.v[launch].program;
    const struct script *script = c->s->script[program][c->place][c->risc];
    bool is_on =
        c->s->options.sum && c->s->options.level == TT_LEVEL_ALL && !c->accumulates;
    size_t k = 0;
    for (int i = 0; i < 2 && script && is_on; i++) {
        if (!script->sum[i])
            continue;
        if (k < n && str_is(name_of(c, sums[k]), names[i])) {
            if (sums[k]->data < script->sum[i])
                return FAIL(c, "launch %u: the sum is %llu, not %u or more", launch,
                            (unsigned long long)sums[k]->data, script->sum[i]);
            k++;
        } else {
            ++*missing;
        }
    }
    return k == n || FAIL(c, "launch %u: %zu sums were not asked for", launch, n - k);
}

// Nothing is lost while there is room.
static bool check_room(const struct checked *c, uint32_t launch, uint64_t missing)
{
    const struct profiler_options *o = &c->s->options;
    uint32_t program = c->launched.v[launch].program;
    const struct script *script = c->s->script[program][c->place][c->risc];
    uint32_t words =
        (script ? script->marker_words : 0) + (o->sum ? 4 : 0) + (o->flush_zones ? 4 : 0);
    words += script ? 4 : 0; // that the kernel keeps for its main zone
    bool has_room = words <= TT_CHUNK_WORDS - TT_CHUNK_CUSTOM;
    if ((script && (script->has_push || o->noc_events)) || o->counters)
        has_room = false; // zones of pushes take room too
    if (missing == 0 || (!has_room && o->overflow == OVERFLOW_DROP))
        return true;
    return FAIL(c, "launch %u: %llu markers of %u words were not stored", launch,
                (unsigned long long)missing, words);
}

static bool check_kernel_span(const struct checked *c, uint32_t launch, size_t *kernel,
                              const struct stored *const *got, size_t n)
{
    uint32_t program = c->launched.v[launch].program;
    if (!c->s->script[program][c->place][c->risc])
        return true;
    const struct interval *k = &c->w->kernel.v[(*kernel)++];
    uint32_t n_behind = 2 + n_counters(c, program);
    // Where counters are missing nobody knows which marker is the kernel's end.
    if (n_behind > 2 && c->health->l1_dropped)
        return true;
    if (!got || n < 2 + n_behind)
        return FAIL(c, "launch %u: %zu markers of a kernel", launch, n);
    uint64_t start = got[1]->clock, end = got[n - n_behind]->clock;
    return (start >= k->from && start <= k->from + KERNEL_START_CYCLES && end <= k->to &&
            k->to <= end + KERNEL_END_CYCLES) ||
           FAIL(c,
                "launch %u: the kernel ran from %llu to %llu, its zone from %llu to %llu",
                launch, (unsigned long long)k->from, (unsigned long long)k->to,
                (unsigned long long)start, (unsigned long long)end);
}

static bool check_stored(struct checked *c)
{
    VEC(const struct stored *) got = {0}, sums = {0};
    expected_list list = {0};
    const struct watched *w = c->w;
    size_t i = 0, kernel = 0;
    bool is_fine = true;
    for (uint32_t launch = 0; is_fine && launch < c->launched.n; launch++) {
        uint64_t missing = 0;
        got.n = sums.n = 0;
        for (; i < w->stored.n && w->stored.v[i].launch == launch; i++) {
            const struct stored *m = &w->stored.v[i];
            if (is_own(c, m))
                continue;
            if (m->is_late)
                is_fine = FAIL(c, "launch %u: packet %u, id %u has an old stamp", launch,
                               m->packet, m->id);
            if (m->packet == TT_PACKET_ZONE_TOTAL)
                vec_push(&sums, m);
            else
                vec_push(&got, m);
        }
        list.n = 0;
        list_expected(c, launch, &list);
        is_fine = is_fine && match_launch(c, launch, got.v, got.n, &list, &missing) &&
                  check_sums(c, launch, sums.v, sums.n, &missing) &&
                  check_room(c, launch, missing) &&
                  check_nesting(c, launch, got.v, got.n) &&
                  check_kernel_span(c, launch, &kernel, got.v, got.n);
        c->l1_lost += missing;
    }
    if (is_fine && i != w->stored.n)
        is_fine = FAIL(c, "%zu markers were stored in no launch", w->stored.n - i);
    vec_free(&got);
    vec_free(&sums);
    vec_free(&list);
    return is_fine;
}

// The same where nothing says which launch a marker is of.
static bool check_accumulated(struct checked *c)
{
    VEC(const struct stored *) got = {0};
    expected_list list = {0};
    for (size_t i = 0; i < c->w->stored.n; i++)
        if (!is_own(c, &c->w->stored.v[i]))
            vec_push(&got, &c->w->stored.v[i]);
    for (uint32_t launch = 0; launch < c->launched.n; launch++)
        list_expected(c, launch, &list);
    bool is_fine = match_launch(c, 0, got.v, got.n, &list, &c->l1_lost) &&
                   check_nesting(c, 0, got.v, got.n);
    vec_free(&got);
    vec_free(&list);
    return is_fine;
}

// --- decoded = stored ------------------------------------------------------------------
struct row {
    uint64_t time, data;
    uint32_t type, id, index;
};
typedef VEC(struct row) rows;

static int by_time(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
#define BY(field)                                                                          \
    if (x->field != y->field)                                                              \
        return x->field < y->field ? -1 : 1;
    BY(time)
    BY(type)
    BY(id)
    BY(data)
#undef BY
    return 0;
}

static void list_stored(const struct checked *c, rows *out)
{
    static const uint8_t types[TT_PACKETS] = {MARKER_ZONE_START, MARKER_ZONE_END,
                                              MARKER_ZONE_TOTAL, MARKER_TS_DATA,
                                              MARKER_TS_EVENT,   MARKER_TS_DATA};
    uint64_t opened = c->p->c.chips.v[c->at->dev].clock_at_open;
    uint64_t base = opened >> TT_MARKER_TIME_BITS << TT_MARKER_TIME_BITS;
    for (size_t i = 0; i < c->w->stored.n; i++) {
        const struct stored *m = &c->w->stored.v[i];
        vec_push(out, ((struct row){m->clock - base, m->data, types[m->packet], m->id,
                                    (uint32_t)i}));
    }
    if (out->n)
        qsort(out->v, out->n, sizeof *out->v, by_time);
}

static void list_decoded(const struct checked *c, rows *out)
{
    const struct trace *t = &c->p->rows;
    for (size_t i = 0; i < t->tracks.n; i++) {
        const struct trace_track *k = &t->tracks.v[i];
        const struct trace_core *core = &t->cores.v[k->core];
        if (t->devices.v[core->device].id != c->p->c.chips.v[c->at->dev].id ||
            core->x != c->at->noc0.x || core->y != c->at->noc0.y ||
            !str_is(trace_text(t, k->risc), risc_names[name_index(c)]))
            continue;
        for (uint32_t m = k->marker; m < k->marker + k->n_markers; m++) {
            const struct trace_site *site = trace_site_of(t, m);
            const struct trace_datum *d = trace_datum_of(t, k, m);
            vec_push(out, ((struct row){t->markers.time[m], d ? d->data : 0, site->type,
                                        site->timer_id, m}));
        }
    }
    if (out->n)
        qsort(out->v, out->n, sizeof *out->v, by_time);
}

static bool check_run(const struct checked *c, const struct row *decoded,
                      const struct stored *m)
{
    const struct trace *t = &c->p->rows;
    const struct trace_run *run = &t->runs.v[t->markers.run[decoded->index]];
    if (c->accumulates)
        return run->id == 0 ||
               FAIL(c, "run %lld, where ids are not kept", (long long)run->id);
    const struct launched *l = &c->launched.v[m->launch];
    int64_t id = (int64_t)l->base << 10 | c->p->c.chips.v[c->at->dev].id;
    return (run->id == id && run->trace_id == l->trace &&
            run->trace_counter == l->counter) ||
           FAIL(c, "launch %u: run %lld of trace %lld, %lld, not %lld of %lld, %lld",
                m->launch, (long long)run->id, (long long)run->trace_id,
                (long long)run->trace_counter, (long long)id, (long long)l->trace,
                (long long)l->counter);
}

static bool check_name(const struct checked *c, const struct row *decoded,
                       const struct stored *m)
{
    str name = trace_name_of(&c->p->rows, decoded->index), stored = name_of(c, m);
    return str_eq(name, stored) || FAIL(c, "%.*s is called %.*s", STR(stored), STR(name));
}

static bool check_meta(const struct checked *c, const struct row *decoded,
                       const struct stored *m)
{
    const struct trace *t = &c->p->rows;
    char text[64] = "";
    if (m->packet != TT_PACKET_TS_DATA_16B || is_static(m))
        return true;
    (void)snprintf(text, sizeof text, "{\"data high\":%llu}",
                   (unsigned long long)m->trailer);
    for (size_t i = 0; i < t->data.n; i++)
        if (t->data.v[i].marker == decoded->index)
            return str_is((str){t->data.v[i].meta, t->data.v[i].meta_n}, text) ||
                   FAIL(c, "%s is %.*s", text, (int)t->data.v[i].meta_n, t->data.v[i].meta);
    return FAIL(c, "%s is missing", text);
}

static bool check_decoded(struct checked *c)
{
    rows stored = {0}, decoded = {0};
    bool is_fine = true;
    list_stored(c, &stored);
    list_decoded(c, &decoded);
    size_t k = 0;
    for (size_t i = 0; i < decoded.n && is_fine; i++) {
        while (k < stored.n && by_time(&stored.v[k], &decoded.v[i]) < 0)
            k++;
        const struct row *d = &decoded.v[i];
        if (k == stored.n || by_time(&stored.v[k], d) != 0) {
            is_fine = FAIL(c, "time %llu, type %u, id %u, data %llx was not stored",
                           (unsigned long long)d->time, d->type, d->id,
                           (unsigned long long)d->data);
            break;
        }
        struct stored *m = &c->w->stored.v[stored.v[k++].index];
        m->is_decoded = true;
        is_fine = check_run(c, d, m) && check_name(c, d, m) && check_meta(c, d, m);
    }
    c->dram_lost = stored.n - decoded.n;
    vec_free(&stored);
    vec_free(&decoded);
    return is_fine;
}

// The firmware's and the kernel's zone of a launch are there as a whole or not at all.
static bool check_guaranteed(const struct checked *c)
{
    const struct watched *w = c->w;
    uint32_t name = name_index(c), launch = 0, there = 0, missing = 0;
    for (size_t i = 0; i <= w->stored.n; i++) {
        const struct stored *m = i < w->stored.n ? &w->stored.v[i] : NULL;
        if (!m || m->launch != launch) {
            if (there && missing)
                return FAIL(c, "launch %u: %u guaranteed markers are not there", launch,
                            missing);
            there = missing = 0;
            launch = m ? m->launch : launch;
        }
        if (!m || m->packet > TT_PACKET_ZONE_END)
            continue;
        str text = name_of(c, m);
        if (str_is(text, main_names[name]) || str_is(text, kernel_names[name])) {
            there += m->is_decoded;
            missing += !m->is_decoded;
        }
    }
    return true;
}

// --- losses ----------------------------------------------------------------------------
static bool check_losses(const struct checked *c)
{
    const struct profiler_options *o = &c->s->options;
    const struct risc_health *h = c->health;
    if (h->l1_dropped != c->l1_lost || h->dram_dropped != c->dram_lost)
        return FAIL(c, "lost are %llu in L1, %llu in DRAM; counted %llu, %llu",
                    (unsigned long long)c->l1_lost, (unsigned long long)c->dram_lost,
                    (unsigned long long)h->l1_dropped, (unsigned long long)h->dram_dropped);
    if (o->overflow == OVERFLOW_STALL && c->l1_lost + c->dram_lost && !c->accumulates)
        return FAIL(c, "%llu markers are lost in the mode that loses nothing",
                    (unsigned long long)(c->l1_lost + c->dram_lost));
    bool has_pushes = o->noc_events || o->counters;
    for (uint32_t i = 0; i < c->s->n_programs; i++)
        if (c->s->script[i][c->place][c->risc])
            has_pushes |= c->s->script[i][c->place][c->risc]->has_push;
    if (o->watermark && !has_pushes && c->dram_lost && !c->p->n_traces[c->at->dev])
        return FAIL(c, "%llu markers are lost under a watermark",
                    (unsigned long long)c->dram_lost);
    if ((h->l1_dropped + h->dram_dropped > 0) != (h->first_drop != 0))
        return FAIL(c, "the first drop is said to be at %llu",
                    (unsigned long long)h->first_drop);
    if (h->markers != c->w->stored.n - c->dram_lost)
        return FAIL(c, "%llu markers are said to be decoded of %zu, %llu lost",
                    (unsigned long long)h->markers, c->w->stored.n,
                    (unsigned long long)c->dram_lost);
    uint64_t odd = h->unknown_ids + h->foreign + h->bad_types + h->truncated + h->resyncs;
    if (!c->dram_lost)
        odd += h->orphan_starts + h->orphan_ends;
    return odd == 0 ||
           FAIL(c, "unknown %llu, foreign %llu, types %llu, cut %llu, orphans %llu, %llu",
                (unsigned long long)h->unknown_ids, (unsigned long long)h->foreign,
                (unsigned long long)h->bad_types, (unsigned long long)h->truncated,
                (unsigned long long)h->orphan_starts, (unsigned long long)h->orphan_ends);
}

// --- all of it -------------------------------------------------------------------------
static void list_launches(struct checked *c)
{
    const struct player *p = c->p;
    for (size_t i = 0; i < p->launched[c->at->dev].n; i++) {
        const struct launched *l = &p->launched[c->at->dev].v[i];
        uint32_t riscs = c->s->riscs[l->program][c->place];
        if (riscs && (c->risc == 0 || riscs >> c->risc & 1))
            vec_push(&c->launched, *l);
    }
}

static bool check_risc(struct checked *c)
{
    const struct profiler_options *o = &c->s->options;
    c->s->law->tried++;
    if (c->w->odd[0])
        return FAIL(c, "%s", c->w->odd);
    bool is_masked = o->riscs && !(o->riscs >> c->risc & 1);
    if (is_masked)
        c->launched.n = 0;
    if (c->accumulates) // BRISC notes its pushes in any case
        return check_accumulated(c) && (is_masked || (check_decoded(c) && check_losses(c)));
    if (c->w->n_launches != c->launched.n)
        return FAIL(c, "it ran %u times, not %zu", c->w->n_launches, c->launched.n);
    return check_stored(c) && check_decoded(c) && check_guaranteed(c) && check_losses(c);
}

static size_t core_of(const struct chip_record *chip, const struct place *at)
{
    size_t i = 0;
    while (i + 1 < chip->n_cores &&
           (chip->cores[i].x != at->noc0.x || chip->cores[i].y != at->noc0.y))
        i++;
    return i;
}

void check_player(struct player *p)
{
    const struct scene *s = p->scene;
    bool is_fine = true;
    for (uint32_t i = 0; i < s->n_places && is_fine; i++)
        for (uint32_t r = 0; r < riscs_of(&s->place[i]) && is_fine; r++) {
            const struct place *at = &s->place[i];
            const struct chip_record *chip = &p->c.chips.v[at->dev];
            size_t core = core_of(chip, at);
            struct checked c = {.p = p,
                                .s = s,
                                .at = at,
                                .w = &p->watched[i][r],
                                .health = &chip->riscs[core][r],
                                .place = i,
                                .risc = r,
                                .accumulates = s->options.accumulate && !at->is_eth};
            list_launches(&c);
            is_fine = check_risc(&c);
            if (is_fine && chip->core_health[core].is_damaged)
                is_fine = FAIL(&c, "%s", "the core is said to be damaged");
            vec_free(&c.launched);
        }
}
