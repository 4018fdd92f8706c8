// decode.c - runs one decoding: lanes, row reservation, loss accounting.
#include "collect/decode/decode.h"

#include "base/data/threads.h"

#include "collect/decode/decode_parts.h"
#include "collect/decode/enrich.h"
#include "collect/diags.h"

enum { WORTH_LANES = 1 << 18 }; // a second lane pays off from this many words

struct decoder *decoder_new(struct collection *c)
{
    struct decoder *d = mem_alloc(sizeof *d);
    d->c = c;
    return d;
}

void decoder_free(struct decoder *d)
{
    if (!d)
        return;
    for (size_t i = 0; i < d->chips.n; i++)
        chip_plan_free(&d->chips.v[i]);
    vec_free(&d->chips);
    vec_free(&d->tracks);
    buf_free(&d->warnings);
    mem_free(d);
}

struct buf *decoder_warnings(struct decoder *d)
{
    return &d->warnings;
}

// --- lanes -----------------------------------------------------------------------------

static void decode_track(struct decode_lane *l, struct track_work *w)
{
    const struct decoder *d = l->d;
    const struct chip_record *chip = d->chips.v[w->chip].chip;
    struct trace_markers *m = &d->t->markers;
    bool is_read_again = false;
    l->track = w;
    l->risc = str_of(collection_risc_name(d->c, chip, &chip->cores[w->core], w->risc));
    l->rows = (struct rows){
        .time = m->time + w->row, .site = m->site + w->row, .run = m->run + w->row};
    l->raw.n = 0;
    l->run_hint = 0;
    enrich_release(l);
    for (uint32_t b = w->first_block; b; b = d->next_block[b - 1]) {
        const struct word_block *block = &d->c->blocks.v[b - 1];
        is_read_again |= block->source == BLOCK_PARTIAL;
        if (d->c->layout == WORDS_V0)
            decode_legacy_block(l, block);
        else
            decode_block(l, block);
    }
    rows_settle(l);
    enrich_hold(l);
    rows_forget_seen(l, is_read_again || chip->core_health[w->core].is_partial);
    w->datum = l->data.n;
    enrich_track(l);
    w->n_data = l->data.n - w->datum;
    w->n_rows = l->rows.n;
    w->health.markers = l->rows.n;
    rows_number(l);
}

static void decode_lane(struct lane lane, void *context)
{
    struct decoder *d = context;
    struct decode_lane *l = &d->lanes[lane.index];
    l->site_number = mem_alloc(mem_bytes(sizeof *l->site_number, SITE_KEYS));
    for (size_t k = l->from; k < l->to; k++)
        decode_track(l, &d->tracks.v[k]);
    mem_free(l->site_number);
}

static void free_lane(struct decode_lane *l)
{
    vec_free(&l->raw);
    vec_free(&l->data);
    vec_free(&l->extra);
    vec_free(&l->run_words);
    vec_free(&l->runs);
    vec_free(&l->extra_number);
    vec_free(&l->sites);
    vec_free(&l->run_number);
    vec_free(&l->run_order);
    map_free(&l->extra_keys);
    map_free(&l->run_words_keys);
    map_free(&l->run_keys);
    buf_free(&l->text);
    arena_free(&l->arena);
}

// Splits the tracks into ranges with about the same number of words.
static void cut_lanes(struct decoder *d, unsigned n, size_t words)
{
    size_t track = 0, done = 0;
    for (unsigned i = 0; i < n; i++) {
        struct decode_lane *l = &d->lanes[i];
        size_t want = lane_range((struct lane){i, n}, words).to;
        l->d = d;
        l->from = track;
        while (track < d->tracks.n && (done < want || i + 1 == n))
            done += d->tracks.v[track++].words;
        l->to = track;
    }
}

// --- the whole -------------------------------------------------------------------------

// Reserves columns for all tracks. Rows beyond 32-bit numbering are dropped and counted.
static size_t reserve_rows(struct decoder *d)
{
    struct trace_markers *m = &d->t->markers;
    size_t n = 0, words = 0;
    for (size_t k = 0; k < d->tracks.n; k++) {
        struct track_work *w = &d->tracks.v[k];
        if (n + w->capacity >= UINT32_MAX) {
            w->first_block = 0;
            w->capacity = w->words = 0;
            w->health.truncated++;
        }
        w->row = n;
        n += w->capacity;
        words += w->words;
    }
    m->time = mem_resize(NULL, mem_bytes(sizeof *m->time, n + 1));
    m->site = mem_resize(NULL, mem_bytes(sizeof *m->site, n + 1));
    m->run = mem_resize(NULL, mem_bytes(sizeof *m->run, n + 1));
    m->line = mem_resize(NULL, mem_bytes(sizeof *m->line, n + 1));
    m->n = n;
    return words;
}

static void describe_trace(struct decoder *d, struct trace *t)
{
    const struct collection *c = d->c;
    t->path = "device";
    t->is_legacy = c->layout == WORDS_V0;
    (void)map_put(&t->strings, S(""));
    if (!c->chips.n)
        return;
    const struct chip_record *first = &c->chips.v[0];
    t->arch = arena_str(&t->arena, str_of(first->arch_name));
    t->mhz = first->mhz;
    t->max_compute_cores = first->max_compute_cores;
    t->dispatch = arena_str(&t->arena, first->dispatch);
}

static void add_health(struct risc_health *to, const struct risc_health *h)
{
    to->markers += h->markers;
    to->l1_dropped += h->l1_dropped;
    to->unknown_ids += h->unknown_ids;
    to->orphan_starts += h->orphan_starts;
    to->orphan_ends += h->orphan_ends;
    to->foreign += h->foreign;
    to->bad_types += h->bad_types;
    to->truncated += h->truncated;
    to->resyncs += h->resyncs;
    to->duplicates += h->duplicates;
}

// Adds a track's losses to the health of its RISC and to the trace. The trace counts zones
// that lost a marker when it is analysed.
static void report_track(struct decoder *d, struct track_work *w, uint32_t track)
{
    struct trace *t = d->t;
    struct risc_health *to = &d->c->chips.v[w->chip].riscs[w->core][w->risc];
    add_health(to, &w->health);
    const struct chip_record *chip = d->chips.v[w->chip].chip;
    str risc = str_of(collection_risc_name(d->c, chip, &chip->cores[w->core], w->risc));
    const struct {
        int kind;
        uint64_t count;
    } found[] = {
        {DIAG_L1_DROPPED, to->l1_dropped - w->state->l1_dropped},
        {DIAG_DRAM_DROPPED, to->dram_dropped - w->state->dram_dropped},
        {DIAG_ZONE_UNKNOWN, w->health.unknown_ids},
        {DIAG_IDENTITY_FOREIGN, w->health.foreign},
        {DIAG_PACKET_TYPE, w->health.bad_types},
        {DIAG_WORDS_CUT, w->health.truncated},
        {DIAG_COUNTER_UNKNOWN, w->counters_unknown},
    };
    str what = arena_printf(&t->arena, "device %d, core %d,%d, %.*s", chip->id,
                            chip->cores[w->core].x, chip->cores[w->core].y, STR(risc));
    for (size_t i = 0; i < sizeof found / sizeof *found; i++)
        trace_odd(t, track, found[i].kind, found[i].count, 0, what);
    w->state->l1_dropped = to->l1_dropped;
    w->state->dram_dropped = to->dram_dropped;
    if (w->counters_unknown)
        buf_printf(&d->warnings, "%.*s\n", STR(w->counter_text));
}

static void tell_all(struct decoder *d, unsigned n_lanes)
{
    uint64_t unknown = 0;
    uint32_t track = 0;
    for (size_t k = 0; k < d->tracks.n; k++) {
        struct track_work *w = &d->tracks.v[k];
        report_track(d, w, w->n_rows ? track : TRACE_NO_TRACK);
        track += w->n_rows != 0;
    }
    for (unsigned i = 0; i < n_lanes; i++)
        unknown += d->lanes[i].replays_unknown;
    d->c->replays_unknown += unknown;
    trace_odd(d->t, TRACE_NO_TRACK, DIAG_REPLAY_UNKNOWN, unknown, 0,
              S("replay counters beyond the list of replays"));
}

// All RISCs of a core see the same replays: an idle one continues from the others' count.
static void share_counters(struct decoder *d)
{
    for (size_t c = 0; c < d->chips.n; c++) {
        struct chip_plan *p = &d->chips.v[c];
        for (size_t i = 0; i < p->n_states; i += RISCS_MOST) {
            uint64_t most = 0;
            for (size_t r = 0; r < RISCS_MOST; r++)
                most = p->states[i + r].counter > most ? p->states[i + r].counter : most;
            for (size_t r = 0; r < RISCS_MOST; r++)
                p->states[i + r].counter = most;
        }
    }
}

void decoder_run(struct decoder *d, struct trace *out, bool is_last)
{
    d->t = out;
    d->is_last = is_last;
    describe_trace(d, out);
    decode_plan(d);
    size_t words = reserve_rows(d);
    unsigned n = threads_for(words, WORTH_LANES);
    d->lanes = mem_alloc(mem_bytes(sizeof *d->lanes, n));
    cut_lanes(d, n, words);
    threads_run(n, decode_lane, d);
    decode_merge(d, n);
    tell_all(d, n);
    share_counters(d);
    for (unsigned i = 0; i < n; i++)
        free_lane(&d->lanes[i]);
    mem_free(d->lanes);
    mem_free(d->next_block);
    d->lanes = NULL;
    d->next_block = NULL;
    trace_finish(out);
}
