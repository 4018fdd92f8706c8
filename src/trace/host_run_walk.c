// host_run_walk.c - goes through the events of a track: zones are paired by a stack, what
// belongs to the innermost open one is kept with it.
#include "trace/block_read.h"
#include "trace/host_run_parts.h"

enum { DEPTH_MOST = 1 << 16 };

const uint8_t host_event_fields[TT_EVENT_KINDS] = {
#define FIELDS(name, words, is_text) words,
    TT_EVENTS(FIELDS)
#undef FIELDS
};
const bool host_event_is_text[TT_EVENT_KINDS] = {
#define IS_TEXT(name, words, is_text) is_text,
    TT_EVENTS(IS_TEXT)
#undef IS_TEXT
};

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

// --- a walk ----------------------------------------------------------------------------

struct texts {
    struct buf text, name;
};
// Zones as columns, a row at each begin; the ends come later.
struct columns {
    VEC(uint64_t) start;
    VEC(uint64_t) end;
    VEC(uint32_t) location;
    VEC(uint8_t) depth;
    uint32_t *rows; // by depth
};

struct walk {
    const struct host_run *r;
    const struct host_files *f;
    const struct host_visitor *v;
    uint32_t track;
    bool is_flight;
    struct host_timer timer;
    struct host_zone *stack;
    struct texts *texts; // by depth
    uint32_t n, cap;
    uint32_t n_deep; // open zones that are not on the stack
    uint64_t last;
    struct host_findings found;
    struct columns *columns; // NULL: zones go to the visitor
};

static void grow(struct walk *w)
{
    uint32_t cap = w->cap ? w->cap * 2 : 64;
    w->stack = mem_resize(w->stack, mem_bytes(sizeof *w->stack, cap));
    w->texts = mem_resize(w->texts, mem_bytes(sizeof *w->texts, cap));
    memset(w->texts + w->cap, 0, (cap - w->cap) * sizeof *w->texts);
    if (w->columns)
        w->columns->rows =
            mem_resize(w->columns->rows, mem_bytes(sizeof *w->columns->rows, cap));
    w->cap = cap;
}

static void column_begin(struct columns *c, const struct host_zone *z)
{
    c->rows[z->depth] = (uint32_t)c->start.n;
    vec_push(&c->start, z->start);
    vec_push(&c->end, z->start);
    vec_push(&c->location, z->location);
    vec_push(&c->depth, (uint8_t)(z->depth < 0x7F ? z->depth : 0x7F));
}

static void column_end(struct columns *c, const struct host_zone *z)
{
    c->end.v[c->rows[z->depth]] = z->end;
    if (z->flags & HOST_ZONE_OPEN)
        c->depth.v[c->rows[z->depth]] |= 0x80;
}

static inline void zone_begin(struct walk *w, uint64_t time, uint64_t location)
{
    if (w->n == DEPTH_MOST) {
        w->found.deep++;
        w->n_deep++;
        return;
    }
    if (w->n == w->cap)
        grow(w);
    w->stack[w->n] = (struct host_zone){
        .start = time, .location = host_place(w->f, location), .depth = w->n};
    if (w->columns)
        column_begin(w->columns, &w->stack[w->n]);
    w->n++;
}

static inline void zone_close(struct walk *w, uint64_t time, uint32_t flags)
{
    struct host_zone *z = &w->stack[w->n - 1];
    z->flags |= flags;
    z->end = time;
    if (time < z->start) {
        z->end = z->start;
        w->found.back++;
    }
    if (w->n > 1)
        z[-1].children_ns += z->end - z->start;
    if (w->columns)
        column_end(w->columns, z);
    else if (w->v->zone)
        w->v->zone(w->v->context, w->track, w->stack, w->n - 1);
    w->n--;
}

static inline void zone_end(struct walk *w, uint64_t time)
{
    if (w->n_deep)
        w->n_deep--;
    else if (w->n)
        zone_close(w, time, 0);
    else // where the oldest events are overwritten, this is how it begins
        w->found.ends_alone += !w->is_flight;
}

// Nobody knows their ends.
static void close_open(struct walk *w, uint64_t time)
{
    w->found.open += w->n + w->n_deep;
    w->n_deep = 0;
    while (w->n)
        zone_close(w, time < w->stack[w->n - 1].start ? w->stack[w->n - 1].start : time,
                   HOST_ZONE_OPEN);
}

// --- what is not a zone ----------------------------------------------------------------

static str event_text(const struct walk *w, const uint64_t *words)
{
    uint32_t bytes = (uint32_t)words[1];
    if (!(bytes & TT_TEXT_IN_BLOBS))
        return (str){(const char *)(words + 2), bytes};
    bytes &= ~TT_TEXT_IN_BLOBS;
    str blobs = w->f->blobs;
    if (words[2] > blobs.n || bytes > blobs.n - words[2])
        return (str){NULL, 0};
    return (str){blobs.p + words[2], bytes};
}

// A second text goes on a line of its own.
static str add_text(struct buf *b, str before, str more)
{
    b->n = before.n;
    if (before.n)
        buf_char(b, '\n');
    buf_str(b, more);
    return buf_view(b);
}

static void zone_attribute(struct walk *w, uint32_t kind, const uint64_t *words)
{
    if (!w->n || w->n_deep)
        return;
    struct host_zone *z = &w->stack[w->n - 1];
    struct texts *t = &w->texts[w->n - 1];
    if (kind == TT_ZONE_TEXT)
        z->text = add_text(&t->text, z->text, event_text(w, words));
    else if (kind == TT_ZONE_NAME)
        z->name = add_text(&t->name, (str){NULL, 0}, event_text(w, words));
    else if (kind == TT_ZONE_VALUE)
        z->has_value = true, z->value = words[1];
    else
        z->colour = (uint32_t)words[1];
}

// What the words of an event are: numbers stay, the others become those of the run.
enum field { NUMBER, STRING, PLACE };
static const uint8_t fields[TT_EVENT_KINDS][3] = {
    [TT_FRAME_MARK] = {STRING},   [TT_FRAME_START] = {STRING},
    [TT_FRAME_END] = {STRING},    [TT_PLOT_INT] = {STRING},
    [TT_PLOT_REAL] = {STRING},    [TT_ALLOC] = {NUMBER, NUMBER, STRING},
    [TT_FREE] = {NUMBER, STRING}, [TT_LOCK_MARK] = {NUMBER, PLACE},
    [TT_FIBER_ENTER] = {STRING},
};

static uint64_t field_of(const struct walk *w, uint32_t kind, int i, const uint64_t *words)
{
    if (i >= host_event_fields[kind])
        return 0;
    switch (fields[kind][i]) {
    case STRING: return host_string(w->f, words[1 + i]);
    case PLACE: return host_place(w->f, words[1 + i]);
    default: return words[1 + i];
    }
}

static void event(struct walk *w, uint32_t kind, uint64_t time, const uint64_t *words)
{
    if (!w->v->event)
        return;
    struct host_event ev = {
        .kind = (enum tt_host_event)kind, .time = time, .track = w->track};
    if (host_event_is_text[kind]) {
        ev.text = event_text(w, words);
        ev.attribute = (uint32_t)(words[1] >> 32);
    } else {
        ev.a = field_of(w, kind, 0, words);
        ev.b = field_of(w, kind, 1, words);
        ev.c = field_of(w, kind, 2, words);
    }
    w->v->event(w->v->context, &ev);
}

// --- words -----------------------------------------------------------------------------

static void rare_event(struct walk *w, uint32_t kind, const uint64_t *words)
{
    if (kind == TT_NOTHING)
        return;
    if (kind == TT_CLOCK) {
        host_timer_set(&w->timer, words[1]);
        return;
    }
    if (kind >= TT_ZONE_TEXT && kind <= TT_ZONE_COLOUR) {
        zone_attribute(w, kind, words);
        return;
    }
    w->last = host_timer_at(&w->timer, words[0]);
    event(w, kind, w->last, words);
}

static void walk_words(struct walk *w, const uint64_t *words, size_t n)
{
    for (size_t i = 0; i < n;) {
        uint64_t kind = words[i] >> TT_TIME_BITS;
        if (kind == TT_ZONE_BEGIN && n - i >= 2) {
            w->last = host_timer_at(&w->timer, words[i]);
            zone_begin(w, w->last, words[i + 1]);
            i += 2;
        } else if (kind == TT_ZONE_END) {
            w->last = host_timer_at(&w->timer, words[i]);
            zone_end(w, w->last);
            i++;
        } else {
            uint32_t size = host_event_words(words + i, n - i);
            if (size)
                rare_event(w, (uint32_t)kind, words + i);
            w->found.damaged += size == 0;
            i += size ? size : 1;
        }
    }
}

static void walk_pieces(struct walk *w)
{
    const struct host_track_inner *t = &w->r->inner->tracks.v[w->track];
    struct host_scratch s = {0};
    const struct host_chunk *open = NULL;
    struct host_words words = {0};
    for (size_t i = 0; i < t->pieces.n; i++) {
        const struct host_piece *p = &t->pieces.v[i];
        const struct host_chunk *c = &w->f->chunks[p->thread].v[p->chunk];
        if (c != open)
            words = host_chunk_words(c, &s);
        open = c;
        size_t to = p->to < words.n ? p->to : words.n;
        if (!words.n)
            w->found.damaged++;
        // What happened to open zones meanwhile is not known.
        if (!words.n || (c->has_gap && p->from == 0)) {
            close_open(w, w->last);
            w->found.gaps++;
        }
        host_timer_set(&w->timer, p->clock);
        if (p->from < to)
            walk_words(w, words.v + p->from, to - p->from);
    }
    host_scratch_free(&s);
}

static void walk_track(const struct host_run *r, uint32_t track,
                       const struct host_visitor *v, struct columns *columns)
{
    struct host_track_inner *t = &r->inner->tracks.v[track];
    const struct host_files *f = &r->inner->files.v[t->files];
    struct walk w = {.r = r,
                     .f = f,
                     .v = v,
                     .track = track,
                     .is_flight = t->is_flight,
                     .timer = host_timer_start(r, f),
                     .columns = columns};
    walk_pieces(&w);
    uint64_t end = t->last ? t->last : f->last;
    close_open(&w, w.last > end ? w.last : end);
    t->found = w.found;
    for (uint32_t i = 0; i < w.cap; i++) {
        buf_free(&w.texts[i].text);
        buf_free(&w.texts[i].name);
    }
    mem_free(w.texts);
    mem_free(w.stack);
}

void host_track_walk(const struct host_run *r, uint32_t track, const struct host_visitor *v)
{
    walk_track(r, track, v, NULL);
}

// --- columns ---------------------------------------------------------------------------

#define KEEP(to, column)                                                                   \
    do {                                                                                   \
        (to) =                                                                             \
            arena_push(a, mem_bytes(sizeof *(column).v, (column).n), sizeof *(column).v);  \
        if ((column).n)                                                                    \
            memcpy((to), (column).v, (column).n * sizeof *(column).v);                     \
        vec_free(&(column));                                                               \
    } while (0)

struct host_zones host_track_zones(const struct host_run *r, uint32_t track,
                                   struct arena *a)
{
    struct columns c = {0};
    struct host_visitor nobody = {0};
    walk_track(r, track, &nobody, &c);
    struct host_zones z = {.n = c.start.n};
    KEEP(z.start, c.start);
    KEEP(z.end, c.end);
    KEEP(z.location, c.location);
    KEEP(z.depth, c.depth);
    mem_free(c.rows);
    return z;
}
