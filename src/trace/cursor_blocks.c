// cursor_blocks.c - the events of a host track from its blocks, decoded one at a time: a
// stack pairs zones, attributes go to the innermost open zone.
#include "trace/block_read.h"
#include "trace/cursor_parts.h"

struct host_words host_chunk_words(const struct host_chunk *c, struct host_scratch *s)
{
    if (c->words)
        return (struct host_words){c->words, (size_t)(c->to - c->from)};
    if (!s->reader)
        s->reader = block_reader_new();
    const uint64_t *v =
        block_read(s->reader, &c->block, (str){c->payload, c->block.packed});
    return (struct host_words){v, v ? (size_t)(c->to - c->from) : 0};
}

void host_scratch_free(struct host_scratch *s)
{
    if (s->reader)
        block_reader_free(s->reader);
    s->reader = NULL;
}

static void grow_stack(struct trace_cursor *c)
{
    uint32_t cap = c->cap ? c->cap * 2 : 64;
    c->stack = mem_resize(c->stack, mem_bytes(sizeof *c->stack, cap));
    c->open_saids = mem_resize(c->open_saids, mem_bytes(sizeof *c->open_saids, cap));
    memset(c->open_saids + c->cap, 0, (cap - c->cap) * sizeof *c->open_saids);
    c->cap = cap;
}

// --- zones -----------------------------------------------------------------------------

static inline void zone_begin(struct trace_cursor *c, uint64_t time, uint64_t location)
{
    if (c->n == DEPTH_MOST) {
        c->found.deep++;
        c->n_deep++;
        return;
    }
    if (c->n == c->cap)
        grow_stack(c);
    c->stack[c->n++] =
        (struct open_zone){.start = time, .site = host_place(c->f, location)};
}

// Copies a zone's attributes to the batch and returns their number.
static uint32_t add_attributes(struct trace_cursor *c, const struct open_said *o)
{
    struct zone_said s = o->rest;
    s.text = arena_str(&c->arena, buf_view(&o->text));
    s.name = arena_str(&c->arena, buf_view(&o->name));
    vec_push(&c->saids, s);
    return (uint32_t)c->saids.n;
}

static inline void zone_close(struct trace_cursor *c, uint64_t time, uint8_t flags)
{
    const struct open_zone *o = &c->stack[--c->n];
    struct zone_columns *z = &c->zones;
    if (time < o->start) {
        time = o->start;
        c->found.back++;
    }
    if (c->n)
        c->stack[c->n - 1].children += time - o->start;
    z->start[z->n] = o->start;
    z->end[z->n] = time;
    z->children[z->n] = o->children;
    z->site[z->n] = o->site;
    z->said[z->n] = o->has_said ? add_attributes(c, &c->open_saids[c->n]) : 0;
    z->depth[z->n] = (uint16_t)c->n;
    z->flags[z->n] = flags;
    z->n++;
}

static inline void zone_end(struct trace_cursor *c, uint64_t time)
{
    if (c->n_deep)
        c->n_deep--;
    else if (c->n)
        zone_close(c, time, 0);
    else // expected at the start if the oldest events are overwritten
        c->found.ends_alone += !c->is_flight;
}

// Closes zones whose end is unknown.
static void close_open(struct trace_cursor *c, uint64_t time)
{
    c->found.open += c->n + c->n_deep;
    c->n_deep = 0;
    cursor_reserve_zones(&c->zones, c->n);
    while (c->n) {
        uint64_t start = c->stack[c->n - 1].start;
        zone_close(c, time < start ? start : time, ZONE_OPEN);
    }
}

// --- other events ----------------------------------------------------------------------

static str event_text(struct trace_cursor *c, const uint64_t *words)
{
    uint32_t bytes = (uint32_t)words[1];
    if (!(bytes & TT_TEXT_IN_BLOBS))
        return (str){(const char *)(words + 2), bytes};
    bytes &= ~TT_TEXT_IN_BLOBS;
    str blobs = c->f->blobs;
    if (words[2] > blobs.n || bytes > blobs.n - words[2]) {
        c->found.texts++;
        return (str){NULL, 0};
    }
    return (str){blobs.p + words[2], bytes};
}

static void zone_attribute(struct trace_cursor *c, uint32_t kind, const uint64_t *words)
{
    if (!c->n || c->n_deep)
        return;
    struct open_said *o = &c->open_saids[c->n - 1];
    if (!c->stack[c->n - 1].has_said) {
        o->text.n = o->name.n = 0;
        o->rest = (struct zone_said){0};
        c->stack[c->n - 1].has_said = true;
    }
    if (kind == TT_ZONE_TEXT) { // a second text goes on its own line
        if (o->text.n)
            buf_char(&o->text, '\n');
        buf_str(&o->text, event_text(c, words));
    } else if (kind == TT_ZONE_NAME) {
        o->name.n = 0;
        buf_str(&o->name, event_text(c, words));
    } else if (kind == TT_ZONE_VALUE) {
        o->rest.has_value = true;
        o->rest.value = words[1];
    } else {
        o->rest.colour = (uint32_t)words[1];
    }
}

// The words of an event: numbers are kept, ids are mapped to those of the run.
enum field { NUMBER, STRING, PLACE };
static const uint8_t fields[TT_EVENT_KINDS][3] = {
    [TT_FRAME_MARK] = {STRING},   [TT_FRAME_START] = {STRING},
    [TT_FRAME_END] = {STRING},    [TT_PLOT_INT] = {STRING},
    [TT_PLOT_REAL] = {STRING},    [TT_ALLOC] = {NUMBER, NUMBER, STRING},
    [TT_FREE] = {NUMBER, STRING}, [TT_LOCK_MARK] = {NUMBER, PLACE},
    [TT_FIBER_ENTER] = {STRING},
};

static uint64_t field_of(const struct trace_cursor *c, uint32_t kind, int i,
                         const uint64_t *words)
{
    if (i >= block_kinds[kind].n_words)
        return 0;
    switch (fields[kind][i]) {
    case STRING: return host_string(c->f, words[1 + i]);
    case PLACE: return host_place(c->f, words[1 + i]);
    default: return words[1 + i];
    }
}

static void event(struct trace_cursor *c, uint32_t kind, uint64_t time,
                  const uint64_t *words)
{
    struct trace_event ev = {
        .kind = (enum tt_host_event)kind, .time = time, .n_zones = (uint32_t)c->zones.n};
    if (block_kinds[kind].is_text) {
        ev.text = event_text(c, words);
        ev.attribute = (uint32_t)(words[1] >> 32);
    } else {
        ev.a = field_of(c, kind, 0, words);
        ev.b = field_of(c, kind, 1, words);
        ev.c = field_of(c, kind, 2, words);
    }
    vec_push(&c->events, ev);
}

// --- words -----------------------------------------------------------------------------

static void rare_event(struct trace_cursor *c, uint32_t kind, const uint64_t *words)
{
    if (kind == TT_NOTHING)
        return;
    if (kind == TT_CLOCK) {
        host_timer_set(&c->timer, words[1]);
        return;
    }
    if (kind >= TT_ZONE_TEXT && kind <= TT_ZONE_COLOUR) {
        zone_attribute(c, kind, words);
        return;
    }
    c->last = host_timer_at(&c->timer, words[0]);
    event(c, kind, c->last, words);
}

// Takes as many words as there is room for rows: each event has at least one.
static void walk_words(struct trace_cursor *c)
{
    size_t room = BATCH - (c->zones.n > c->events.n ? c->zones.n : c->events.n);
    size_t n = c->to, until = n - c->at < room ? n : c->at + room, i = c->at;
    const uint64_t *words = c->words.v;
    cursor_reserve_zones(&c->zones, BATCH - c->zones.n);
    while (i < until) {
        uint64_t kind = words[i] >> TT_TIME_BITS;
        if (kind == TT_ZONE_BEGIN && n - i >= 2) {
            c->last = host_timer_at(&c->timer, words[i]);
            zone_begin(c, c->last, words[i + 1]);
            i += 2;
        } else if (kind == TT_ZONE_END) {
            c->last = host_timer_at(&c->timer, words[i]);
            zone_end(c, c->last);
            i++;
        } else {
            uint32_t size = block_event_words(words, UINT64_MAX, i, n);
            if (size)
                rare_event(c, (uint32_t)kind, words + i);
            c->found.damaged += size == 0;
            i += size ? size : 1;
        }
    }
    c->at = i;
}

// Opens the next piece of the track. False: the batch still refers to the current words.
static bool open_piece(struct trace_cursor *c)
{
    const struct host_piece *p = &host_inner(c->t, c->track)->pieces.v[c->piece];
    const struct host_chunk *chunk = &c->f->chunks[p->thread].v[p->chunk];
    if (chunk != c->chunk) {
        if (c->events.n)
            return false;
        c->words = host_chunk_words(chunk, &c->scratch);
        c->chunk = chunk;
    }
    c->piece++;
    c->at = p->from;
    c->to = p->to < c->words.n ? p->to : c->words.n;
    c->at = c->at < c->to ? c->at : c->to;
    if (!c->words.n)
        c->found.damaged++;
    // Open zones may have ended in the gap.
    if (!c->words.n || (chunk->has_gap && p->from == 0)) {
        close_open(c, c->last);
        c->found.gaps++;
    }
    host_timer_set(&c->timer, p->clock);
    return true;
}

static void end_track(struct trace_cursor *c)
{
    struct host_track_inner *t = host_inner(c->t, c->track);
    uint64_t end = t->last ? t->last : c->f->last;
    close_open(c, c->last > end ? c->last : end);
    t->found = c->found;
    c->is_over = true;
}

void cursor_blocks_fill(struct trace_cursor *c)
{
    size_t n_pieces = host_inner(c->t, c->track)->pieces.n;
    while (!c->is_over && c->zones.n < BATCH && c->events.n < BATCH) {
        if (c->at < c->to)
            walk_words(c);
        else if (c->piece == n_pieces)
            end_track(c);
        else if (!open_piece(c))
            break;
    }
}

// --- a track ---------------------------------------------------------------------------

void cursor_blocks_start(struct trace_cursor *c)
{
    const struct host_track_inner *t = host_inner(c->t, c->track);
    c->f = &c->t->blocks->files.v[t->files];
    c->is_flight = t->is_flight;
    c->timer = host_timer_start(c->t, c->f);
    c->n = c->n_deep = 0;
    c->last = 0;
    c->piece = 0; // `chunk` stays: the next fiber often begins in the same one
}

void cursor_blocks_free(struct trace_cursor *c)
{
    for (uint32_t i = 0; i < c->cap; i++) {
        buf_free(&c->open_saids[i].text);
        buf_free(&c->open_saids[i].name);
    }
    mem_free(c->open_saids);
    mem_free(c->stack);
    host_scratch_free(&c->scratch);
}
