// enrich.c - a stack of open zones per track.
//
// The stack follows the rules of analyse/fold/pair.c, so that the counts here match what
// the analyses find.
#include "collect/decode/enrich.h"

#include "ttprof/noc_event_kinds.h"

enum {
    LOOK_DOWN = 128,     // depth of the search for the start of an end
    LEGACY_FIRMWARE = 1, // shared by start and end of a zone, see zone_id
    TRACE_FIRMWARE = 1 << 16,
    TRACE_KERNEL,
};

typedef VEC(struct open_zone) open_zones;

struct enriching {
    struct decode_lane *l;
    struct track_state *s;
    bool is_trace_only, is_legacy,
        is_dispatch; // is_dispatch: the track may have dispatch zones
    bool is_brisc;
    size_t datum; // next in lane.raw
};

static void begin_track(struct enriching *e, struct decode_lane *l)
{
    const struct decoder *d = l->d;
    *e = (struct enriching){.l = l, .s = l->track->state};
    e->is_legacy = d->c->layout == WORDS_V0;
    e->is_trace_only = str_is(l->risc, "TENSIX_RISC_AGG");
    e->is_brisc = str_is(l->risc, "BRISC");
    e->is_dispatch = d->has_dispatch && (e->is_brisc || str_is(l->risc, "NCRISC"));
}

// The key shared by start and end of a zone.
static uint32_t zone_id(const struct enriching *e, uint32_t type, uint32_t id)
{
    // In the 2023 format an id stands for a start or an end, not for a zone.
    if (e->is_legacy)
        return type == MARKER_ZONE_END ? 5 - id : id;
    if (!e->is_trace_only)
        return id;
    // Any RISC may write the start of a replay, and any other its end.
    uint16_t facts = e->l->d->facts[id & 0xFFFF];
    return facts & ID_FIRMWARE ? TRACE_FIRMWARE : facts & ID_KERNEL ? TRACE_KERNEL : id;
}

// Does this start begin another op although the previous one has not ended?
static bool is_next_op(const struct enriching *e, uint32_t id, uint32_t row)
{
    const struct decode_lane *l = e->l;
    if (e->s->open.v[0].id != id)
        return false;
    bool is_firmware = e->is_legacy      ? id == LEGACY_FIRMWARE
                       : id > UINT16_MAX ? id == TRACE_FIRMWARE
                                         : (l->d->facts[id] & ID_FIRMWARE) != 0;
    const struct run_key *now = &l->runs.v[l->rows.run[row]].key, *was = &e->s->bottom;
    return is_firmware || now->id != was->id || now->trace_id != was->trace_id ||
           now->trace_counter != was->trace_counter;
}

static inline void start_zone(struct enriching *e, uint32_t id, uint32_t row)
{
    struct track_state *s = e->s;
    if (s->open.n && is_next_op(e, id, row)) {
        e->l->track->health.orphan_starts += s->open.n;
        s->open.n = 0;
    }
    if (!s->open.n)
        s->bottom = e->l->runs.v[e->l->rows.run[row]].key;
    vec_push(&s->open, (struct open_zone){id, row});
}

// The row of the start that matches this end; NO_ROW: none on this track.
static inline uint32_t end_zone(struct enriching *e, uint32_t id)
{
    struct track_state *s = e->s;
    size_t least = s->open.n > LOOK_DOWN ? s->open.n - LOOK_DOWN : 0;
    for (size_t i = s->open.n; i-- > least;) {
        if (s->open.v[i].id != id)
            continue;
        e->l->track->health.orphan_starts += s->open.n - 1 - i;
        s->open.n = i;
        return s->open.v[i].row;
    }
    e->l->track->health.orphan_ends++;
    return NO_ROW;
}

// --- names -----------------------------------------------------------------------------

// The complete site, name included.
static struct extra_site whole_site(const struct decode_lane *l, uint32_t site)
{
    if (site >= SITE_EXTRA)
        return l->extra.v[site - SITE_EXTRA];
    struct extra_site x = {
        .type = site >> 16, .id = site & 0xFFFF, .name = S(""), .file = S("")};
    const struct zone_name *z =
        site_has_name(x.type, x.id) ? names_find(&l->d->c->names, x.id) : NULL;
    if (z) {
        x.name = z->name;
        x.file = z->file;
        x.line = z->line;
    }
    return x;
}

// Firmware and kernel zones of a replay cover all RISCs together.
static void name_replay(struct decode_lane *l, uint32_t row)
{
    struct extra_site x = whole_site(l, l->rows.site[row]);
    uint16_t facts = l->d->facts[x.id & 0xFFFF];
    if (!(facts & (ID_FIRMWARE | ID_KERNEL)))
        return;
    x.name = facts & ID_FIRMWARE ? S("TRACE-FW") : S("TRACE-KERNEL");
    l->rows.site[row] = lane_extra(l, &x);
}

// An end takes the name of its zone's start and, in a replay, its location.
static void name_end(struct enriching *e, uint32_t row, uint32_t start)
{
    struct decode_lane *l = e->l;
    if (start == NO_ROW || (l->rows.site[start] < SITE_EXTRA && !e->is_trace_only))
        return;
    struct extra_site x = whole_site(l, l->rows.site[start]);
    x.type = MARKER_ZONE_END;
    l->rows.site[row] = lane_extra(l, &x);
}

// Names the zone around a dispatch kernel's datum after the program and what was reported.
static bool name_dispatch(struct enriching *e, uint16_t facts, uint64_t data)
{
    struct decode_lane *l = e->l;
    const struct open_zone *top = e->s->open.n ? &e->s->open.v[e->s->open.n - 1] : NULL;
    if (!top || top->row == NO_ROW || !(l->d->facts[top->id & 0xFFFF] & ID_DISPATCH) ||
        !dispatch_take(&e->s->dispatch, facts, data))
        return false;
    struct extra_site x = whole_site(l, l->rows.site[top->row]);
    struct buf name = {0};
    buf_str(&name, x.name);
    dispatch_put_name(&e->s->dispatch, e->is_brisc, &name);
    x.name = buf_view(&name);
    l->rows.site[top->row] = lane_extra(l, &x);
    buf_free(&name);
    struct run_key run = l->runs.v[l->rows.run[top->row]].key;
    run.id = e->s->dispatch.program;
    l->rows.run[top->row] = lane_run_of(l, &run);
    return true;
}

// --- metadata --------------------------------------------------------------------------

static void meta_dispatch(struct enriching *e, uint16_t facts, struct meta *m,
                          struct buf *text)
{
    const struct dispatch_state *s = &e->s->dispatch;
    text->n = 0;
    if (facts & ID_COMMAND) {
        dispatch_put_command(s, text);
        meta_text(m, "dispatch_command_type", buf_view(text));
    } else if (facts & ID_PROGRAM) {
        meta_number(m, "workers_runtime_id", s->program);
    } else {
        dispatch_put_subtype(s, text);
        meta_text(m, "dispatch_command_subtype", buf_view(text));
    }
}

static void meta_counter(struct enriching *e, const struct raw_datum *r, uint32_t row,
                         struct meta *m)
{
    struct decode_lane *l = e->l;
    const char *name = perf_counter_name(r->high & 0xFF);
    if (name && e->s->open.n) {
        meta_text(m, "counter type", str_of(name));
        meta_number(m, "ref cnt", r->data >> 32);
        meta_number(m, "value", r->data & UINT32_MAX);
    }
    if (name || l->track->counters_unknown++)
        return;
    const struct chip_record *chip = l->d->chips.v[l->track->chip].chip;
    const struct tt_core *core = &chip->cores[l->track->core];
    l->track->counter_text = arena_printf(
        &l->arena,
        "PerfCounter marker at device %d core %d,%d risc %.*s run %lld has out-of-range counter_type=%u (raw data 0x%llx); skipping enrichment.",
        chip->id, core->x, core->y, STR(l->risc),
        (long long)l->runs.v[l->rows.run[row]].key.id, (unsigned)(r->high & 0xFF),
        (unsigned long long)r->data);
}

// Metadata of a 16-byte marker, or of one in a dispatch zone.
static void meta_own(struct enriching *e, const struct raw_datum *r, uint32_t row,
                     struct meta *m, struct buf *text)
{
    struct decode_lane *l = e->l;
    uint32_t site = l->rows.site[row], id = site_id(l, site);
    if (site_type(l, site) != MARKER_TS_DATA)
        return;
    uint16_t facts = site_has_name(MARKER_TS_DATA, id) ? l->d->facts[id] : 0;
    if (e->is_dispatch && name_dispatch(e, facts, r->data))
        meta_dispatch(e, facts, m, text);
    if (!r->is_wide)
        return;
    uint64_t event = r->data & 0xFF;
    if (id == TT_ID_PERF_COUNTER)
        meta_counter(e, r, row, m);
    else if (id == TT_ID_NOC_EVENT && event && event <= TT_NOC_EVENT_LOCAL_LAST)
        meta_noc_trailer(m, r->high);
    else
        meta_number(m, "data high", r->high);
}

static void put_datum(struct enriching *e, uint32_t row)
{
    struct decode_lane *l = e->l;
    const struct raw_datum none = {0}, *r = &none;
    if (e->datum < l->raw.n && l->raw.v[e->datum].row == row)
        r = &l->raw.v[e->datum++];
    struct meta m = {0};
    struct buf text = {0};
    meta_own(e, r, row, &m, &text);
    const struct lane_run *run = &l->runs.v[l->rows.run[row]];
    str meta = run->meta;
    if (m.n) {
        meta_run(&m, run);
        meta = meta_make(&m, &l->text, &l->arena);
    }
    buf_free(&text);
    if (r->data || meta.n)
        vec_push(&l->data, (struct trace_datum){.data = r->data,
                                                .meta = meta.p,
                                                .meta_n = (uint32_t)meta.n,
                                                .marker = row});
}

// --- the pass --------------------------------------------------------------------------

static inline void follow_zone(struct enriching *e, uint32_t type, uint32_t id,
                               uint32_t row)
{
    struct decode_lane *l = e->l;
    uint32_t zone = zone_id(e, type, id);
    bool may_rename = e->is_trace_only || e->is_dispatch;
    e->s->dispatch.kind = SUBTYPE_NONE;
    if (type == MARKER_ZONE_START) {
        if (e->is_trace_only)
            name_replay(l, row);
        start_zone(e, zone, row);
        return;
    }
    uint32_t start = end_zone(e, zone);
    if (!may_rename)
        return;
    if (start != NO_ROW)
        name_end(e, row, start);
    else if (e->is_trace_only)
        name_replay(l, row);
}

void enrich_track(struct decode_lane *l)
{
    struct enriching e;
    begin_track(&e, l);
    const uint16_t *facts = l->d->facts;
    uint64_t unknown = 0;
    for (uint32_t row = 0; row < l->rows.n; row++) {
        uint32_t site = l->rows.site[row];
        uint32_t type = site_type(l, site), id = site_id(l, site);
        if (site < SITE_EXTRA && site_has_name(type, id))
            unknown += !(facts[id] & ID_KNOWN);
        if (type <= MARKER_ZONE_END)
            follow_zone(&e, type, id, row);
        if (l->has_meta || (e.datum < l->raw.n && l->raw.v[e.datum].row == row))
            put_datum(&e, row);
    }
    l->track->health.unknown_ids += unknown;
    if (l->d->is_last) {
        l->track->health.orphan_starts += e.s->open.n;
        e.s->open.n = 0;
    }
    for (size_t i = 0; i < e.s->open.n; i++)
        e.s->open.v[i].row = NO_ROW;
}

// --- rows held back --------------------------------------------------------------------

static void hold_row(struct decode_lane *l, uint32_t row, size_t *datum)
{
    struct track_state *s = l->track->state;
    struct held_row h = {.time = l->rows.time[row], .site = l->rows.site[row]};
    h.run = l->runs.v[l->rows.run[row]].key;
    if (h.site >= SITE_EXTRA) {
        h.extra = l->extra.v[h.site - SITE_EXTRA];
        h.extra.name = arena_str(&s->held_names, h.extra.name);
        h.extra.file = arena_str(&s->held_names, h.extra.file);
    }
    h.has_datum = *datum < l->raw.n && l->raw.v[*datum].row == row;
    if (h.has_datum)
        h.datum = l->raw.v[(*datum)++];
    vec_push(&s->held, h);
}

// The first row of a dispatch zone that has not ended.
static uint32_t first_open(struct enriching *e)
{
    struct decode_lane *l = e->l;
    open_zones open = {0};
    for (uint32_t row = 0; row < l->rows.n; row++) {
        uint32_t site = l->rows.site[row];
        uint32_t type = site_type(l, site), id = site_id(l, site);
        if (type == MARKER_ZONE_START)
            vec_push(&open, (struct open_zone){id, row});
        size_t least = open.n > LOOK_DOWN ? open.n - LOOK_DOWN : 0;
        for (size_t i = open.n; type == MARKER_ZONE_END && i-- > least;)
            if (open.v[i].id == id) {
                open.n = i;
                break;
            }
    }
    uint32_t first = (uint32_t)l->rows.n;
    for (size_t i = open.n; i-- > 0;)
        if (l->d->facts[open.v[i].id & 0xFFFF] & ID_DISPATCH)
            first = open.v[i].row;
    vec_free(&open);
    return first;
}

void enrich_hold(struct decode_lane *l)
{
    struct enriching e;
    begin_track(&e, l);
    if (l->d->is_last || !e.is_dispatch)
        return;
    uint32_t from = first_open(&e);
    size_t datum = 0;
    while (datum < l->raw.n && l->raw.v[datum].row < from)
        datum++;
    size_t n_data = datum;
    for (uint32_t row = from; row < l->rows.n; row++)
        hold_row(l, row, &datum);
    l->rows.n = from;
    l->raw.n = n_data;
}

void enrich_release(struct decode_lane *l)
{
    struct track_state *s = l->track->state;
    for (size_t i = 0; i < s->held.n; i++) {
        const struct held_row *h = &s->held.v[i];
        uint32_t site = h->site < SITE_EXTRA ? h->site : lane_extra(l, &h->extra);
        size_t row = rows_put(l, h->time, site, lane_run_of(l, &h->run));
        if (h->has_datum)
            rows_put_datum(l, row, h->datum);
    }
    s->held.n = 0;
    arena_free(&s->held_names);
}
