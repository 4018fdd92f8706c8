// block_tracks.c - locates the events of each track: the blocks of its thread in the
// stream, then the words still in the ring. Fibers cut a thread's events into pieces.
#include <stdlib.h>

#include "trace/block_read.h"
#include "trace/blocks.h"
#include "trace/diags.h"

static void count(struct trace *r, int kind, const struct host_files *f, const char *what)
{
    if (diag_count(&r->diag, kind))
        diag_note(&r->diag, kind, "%s.stream: %s", f->name, what);
}

// --- chunks ----------------------------------------------------------------------------

static void add_thread(struct host_files *f, uint32_t serial)
{
    while (f->threads.n <= serial)
        vec_push(&f->threads, (struct host_thread){0});
    f->threads.v[serial].is_known = true;
}

struct block_at {
    struct tt_block block;
    const char *payload;
};
struct block_list {
    VEC(struct block_at) v;
};

// A block cut off at the end was being written: its words are still in the ring.
static void list_blocks(struct trace *r, struct host_files *f, struct block_list *l)
{
    struct block_cursor c = {.stream = f->stream};
    if (f->stream.n < sizeof(struct tt_stream))
        return;
    if (!block_stream_is_one(f->stream)) {
        count(r, DIAG_HOST_FILE_DAMAGED, f, "has another version or is not a stream");
        return;
    }
    for (enum block_step step; (step = block_next(&c)) != BLOCK_LAST;) {
        if (step == BLOCK_DAMAGED)
            count(r, DIAG_HOST_BLOCK_DAMAGED, f, "invalid bytes between two blocks");
        else if (host_id_is_sane(f, c.block.thread))
            vec_push(&l->v, (struct block_at){c.block, c.payload.p});
        else
            count(r, DIAG_HOST_BLOCK_DAMAGED, f,
                  "a block of a thread that is not in the table");
    }
}

static uint64_t covered(const struct host_files *f, uint32_t serial)
{
    size_t n = f->chunks[serial].n;
    return n ? f->chunks[serial].v[n - 1].to : 0;
}

static void add_block(struct trace *r, struct host_files *f, const struct block_at *b)
{
    uint64_t to = covered(f, b->block.thread);
    size_t n = f->chunks[b->block.thread].n;
    if (n && b->block.from < to) {
        count(r, DIAG_HOST_BLOCK_DAMAGED, f, "a block repeats another one");
        return;
    }
    bool has_gap = n && b->block.from > to;
    if (has_gap)
        count(r, DIAG_HOST_GAP, f, "events between two blocks are missing");
    struct host_chunk c = {.from = b->block.from,
                           .to = b->block.to,
                           .block = b->block,
                           .payload = b->payload,
                           .clock = b->block.clock,
                           .has_gap = has_gap};
    vec_push(&f->chunks[b->block.thread], c);
    f->threads.v[b->block.thread].n_found += b->block.n_events;
}

// A block may have been written just before its words were released from the ring.
static void add_ring(struct trace *r, struct host_files *f, const struct host_ring *ring)
{
    uint64_t to = covered(f, ring->thread), from = ring->from;
    size_t n = f->chunks[ring->thread].n;
    if (n && from < to)
        from = to < ring->to ? to : ring->to;
    bool has_gap = !ring->is_flight && from > (n ? to : ring->first);
    if (has_gap && diag_count(&r->diag, DIAG_HOST_GAP))
        diag_note(&r->diag, DIAG_HOST_GAP, "%s.stream", f->name);
    if (from == ring->to)
        return;
    struct host_chunk c = {.from = from,
                           .to = ring->to,
                           .words = ring->words + (from - ring->from),
                           .clock = ring->clock,
                           .has_gap = has_gap};
    vec_push(&f->chunks[ring->thread], c);
}

// A ring whose thread makes no sense is left out.
static void check_rings(struct trace *r, struct host_files *f)
{
    size_t n = 0;
    for (size_t i = 0; i < f->rings.n; i++)
        if (host_id_is_sane(f, f->rings.v[i].thread))
            f->rings.v[n++] = f->rings.v[i];
        else
            count(r, DIAG_HOST_FILE_DAMAGED, f,
                  "a ring of a thread that is not in the table");
    f->rings.n = n;
}

static void make_chunks(struct trace *r, struct host_files *f)
{
    struct block_list l = {0};
    list_blocks(r, f, &l);
    check_rings(r, f);
    for (size_t i = 0; i < l.v.n; i++)
        add_thread(f, l.v.v[i].block.thread);
    for (size_t i = 0; i < f->rings.n; i++)
        add_thread(f, f->rings.v[i].thread);
    f->chunks = mem_alloc(mem_bytes(sizeof *f->chunks, f->threads.n));
    for (size_t i = 0; i < l.v.n; i++)
        add_block(r, f, &l.v.v[i]);
    for (size_t i = 0; i < f->rings.n; i++)
        add_ring(r, f, &f->rings.v[i]);
    vec_free(&l.v);
}

// --- tracks ----------------------------------------------------------------------------

static uint32_t add_track(struct trace *r, const struct host_files *f, struct trace_track t)
{
    uint32_t id = (uint32_t)r->tracks.n;
    t.process = f->process;
    vec_push(&r->tracks, t);
    vec_push(&r->blocks->tracks,
             (struct host_track_inner){.files = (uint32_t)(f - r->blocks->files.v)});
    vec_push(&r->processes.v[f->process].tracks, id);
    return id;
}

static void note_time(struct trace *r, uint32_t track, uint64_t time)
{
    struct trace_track *t = &r->tracks.v[track];
    t->n_events++;
    if (time < t->start_ns)
        t->start_ns = time;
    if (time > t->end_ns)
        t->end_ns = time;
}

// The reader of the ring has counted; the ring's header may have been read before that.
static uint64_t count_overwritten(const struct host_files *f, const struct host_ring *ring)
{
    if (!f->chunks[ring->thread].n || f->chunks[ring->thread].v[0].words)
        return ring->before;
    uint64_t all = f->chunks[ring->thread].v[0].block.lost, others = 0;
    for (int k = 0; k < TT_LOSSES; k++)
        others += k == TT_LOSS_OLDEST ? 0 : ring->lost[k];
    return ring->is_flight && all > others ? all - others : 0;
}

// From the table if the thread's ring is gone, else from its ring; without either, from the
// last block.
static void add_losses(struct trace *r, struct host_files *f, uint32_t serial,
                       uint32_t track)
{
    struct trace_track *t = &r->tracks.v[track];
    size_t n = f->chunks[serial].n;
    for (size_t i = n; i-- > 0;)
        if (!f->chunks[serial].v[i].words) {
            t->lost[TT_LOSS_FULL] = f->chunks[serial].v[i].block.lost;
            break;
        }
    for (size_t i = 0; i < f->rings.n; i++)
        if (f->rings.v[i].thread == serial) {
            memcpy(t->lost, f->rings.v[i].lost, sizeof t->lost);
            t->lost[TT_LOSS_OLDEST] = count_overwritten(f, &f->rings.v[i]);
            host_inner(r, track)->is_flight |= f->rings.v[i].is_flight;
        }
    if (f->threads.v[serial].is_told)
        memcpy(t->lost, f->threads.v[serial].lost, sizeof t->lost);
    host_inner(r, track)->is_flight |= r->blocks->control.policy == TT_DROP_OLDEST;
    struct diag_entry *lost = &r->diag.entry[DIAG_HOST_LOST];
    for (int k = 0; k < TT_LOSSES; k++) {
        if (k == TT_LOSS_OLDEST || !t->lost[k])
            continue;
        if (!lost->count)
            diag_note(&r->diag, DIAG_HOST_LOST, "process %u, thread %u", f->head.pid,
                      t->tid);
        lost->count += t->lost[k];
    }
}

// --- events of whole threads -----------------------------------------------------------

// A block says how many events it has; its clock changes are not among those that the
// thread counted. The events of a ring are counted here.
static void find_event(struct host_files *f, uint32_t serial, const struct host_chunk *c)
{
    f->threads.v[serial].n_found += c->words != NULL;
}
static void find_clock(struct host_files *f, uint32_t serial, const struct host_chunk *c)
{
    f->threads.v[serial].n_found -= c->words == NULL;
}

// Finds the first and last event and counts: decodes only the chunks at both ends.
static void survey_chunk(struct trace *r, struct host_files *f, uint32_t serial,
                         const struct host_chunk *c, struct host_scratch *s)
{
    uint32_t track = f->threads.v[serial].track;
    struct host_words w = host_chunk_words(c, s);
    struct host_timer timer = host_timer_start(r, f);
    host_timer_set(&timer, c->clock);
    for (size_t i = 0, n; i < w.n; i += n) {
        n = block_event_words(w.v, UINT64_MAX, i, w.n);
        uint64_t kind = w.v[i] >> TT_TIME_BITS;
        if (kind == TT_CLOCK && n) {
            host_timer_set(&timer, w.v[i + 1]);
            r->tracks.v[track].n_events++;
            find_clock(f, serial, c);
        } else if (kind != TT_NOTHING && n) {
            note_time(r, track, host_timer_at(&timer, w.v[i]));
            find_event(f, serial, c);
        }
        n = n ? n : 1;
    }
}

static void survey_thread(struct trace *r, struct host_files *f, uint32_t serial,
                          uint32_t track, struct host_scratch *s)
{
    size_t n = f->chunks[serial].n;
    for (size_t i = 0; i < n; i++) {
        const struct host_chunk *c = &f->chunks[serial].v[i];
        bool is_at_end = i == 0 || i + 2 >= n; // the last may hold only a clock
        if (is_at_end || c->words) {
            survey_chunk(r, f, serial, c, s);
        } else {
            r->tracks.v[track].n_events += c->block.n_events;
            if (c[1].clock != c->clock) // a change is always the first event of its block
                find_clock(f, serial, c);
        }
        vec_push(&host_inner(r, track)->pieces,
                 (struct host_piece){serial, (uint32_t)i, 0, UINT32_MAX, c->clock, 0});
    }
}

// --- fibers ----------------------------------------------------------------------------

// Cuts the events of a thread where it enters and leaves fibers.
struct cutter {
    struct trace *r;
    struct host_files *f;
    uint32_t serial, own; // the thread and its track
    uint32_t track;       // the track of the current events
    uint32_t clock;
    struct host_timer timer;
};

// Numbered after the threads.
static uint32_t fiber_track(struct cutter *c, uint32_t name)
{
    struct host_files *f = c->f;
    uint32_t id = map_put_copy(&f->fibers, &name, sizeof name, &c->r->arena);
    if (id < f->fiber_tracks.n)
        return f->fiber_tracks.v[id];
    const struct trace_process *p = &c->r->processes.v[f->process];
    uint32_t last = c->r->tracks.v[p->tracks.v[p->tracks.n - 1]].serial;
    struct trace_track fiber = {
        .kind = TRACK_FIBER, .name = name, .serial = last + 1, .start_ns = UINT64_MAX};
    vec_push(&f->fiber_tracks, add_track(c->r, f, fiber));
    return f->fiber_tracks.v[id];
}

static void cut_piece(struct cutter *c, size_t chunk, size_t from, size_t to,
                      uint32_t clock, uint64_t time)
{
    if (from < to)
        vec_push(&host_inner(c->r, c->track)->pieces,
                 (struct host_piece){c->serial, (uint32_t)chunk, (uint32_t)from,
                                     (uint32_t)to, clock, time});
}

static void cut_chunk(struct cutter *c, size_t chunk, struct host_scratch *s)
{
    const struct host_chunk *from = &c->f->chunks[c->serial].v[chunk];
    struct host_words w = host_chunk_words(from, s);
    size_t start = 0;
    uint64_t start_time = 0;
    if (from->has_gap)
        c->track = c->own;
    c->clock = from->clock;
    uint32_t start_clock = c->clock;
    host_timer_set(&c->timer, c->clock);
    for (size_t i = 0, n; i < w.n; i += n) {
        n = block_event_words(w.v, UINT64_MAX, i, w.n);
        uint64_t kind = n ? w.v[i] >> TT_TIME_BITS : TT_NOTHING;
        n = n ? n : 1;
        if (kind == TT_NOTHING)
            continue;
        if (kind == TT_CLOCK) { // its own time is already on the new clock
            c->clock = (uint32_t)w.v[i + 1];
            host_timer_set(&c->timer, c->clock);
        }
        uint64_t time = host_timer_at(&c->timer, w.v[i]);
        if (start_time == 0)
            start_time = time;
        if (kind == TT_CLOCK) {
            c->r->tracks.v[c->track].n_events++;
            find_clock(c->f, c->serial, from);
            continue;
        }
        find_event(c->f, c->serial, from);
        if (kind != TT_FIBER_ENTER && kind != TT_FIBER_LEAVE) {
            note_time(c->r, c->track, time);
            continue;
        }
        // Enter and leave events belong to the thread.
        cut_piece(c, chunk, start, i, start_clock, start_time);
        c->track = c->own;
        note_time(c->r, c->own, time);
        cut_piece(c, chunk, i, i + n, c->clock, time);
        if (kind == TT_FIBER_ENTER)
            c->track = fiber_track(c, host_string(c->f, w.v[i + 1]));
        start = i + n;
        start_time = 0;
        start_clock = c->clock;
    }
    cut_piece(c, chunk, start, w.n, start_clock, start_time);
}

static int by_time(const void *a, const void *b)
{
    const struct host_piece *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->chunk != y->chunk)
        return x->chunk < y->chunk ? -1 : 1;
    return (x->from > y->from) - (x->from < y->from);
}

static void cut_thread(struct trace *r, struct host_files *f, uint32_t serial,
                       uint32_t track, struct host_scratch *s)
{
    struct cutter c = {r, f, serial, track, track, 0, host_timer_start(r, f)};
    for (size_t i = 0; i < f->chunks[serial].n; i++)
        cut_chunk(&c, i, s);
}

static void order_fibers(struct trace *r, const struct host_files *f)
{
    const struct trace_process *p = &r->processes.v[f->process];
    for (size_t i = 0; i < p->tracks.n; i++) {
        struct host_track_inner *t = host_inner(r, p->tracks.v[i]);
        if (r->tracks.v[p->tracks.v[i]].kind == TRACK_FIBER && t->pieces.n)
            qsort(t->pieces.v, t->pieces.n, sizeof *t->pieces.v, by_time);
    }
}

// --- all of a process ------------------------------------------------------------------

static void make_tracks(struct trace *r, struct host_files *f, struct host_scratch *s)
{
    make_chunks(r, f);
    for (uint32_t i = 1; i < f->threads.n; i++) {
        struct host_thread *t = &f->threads.v[i];
        if (!t->is_known)
            continue;
        t->track = add_track(r, f,
                             (struct trace_track){.kind = TRACK_THREAD,
                                                  .tid = t->tid,
                                                  .serial = i,
                                                  .name = t->name,
                                                  .start_ns = UINT64_MAX});
        add_losses(r, f, i, t->track);
    }
    for (uint32_t i = 1; i < f->threads.n; i++) {
        if (!f->threads.v[i].is_known)
            continue;
        if (f->has_fibers)
            cut_thread(r, f, i, f->threads.v[i].track, s);
        else
            survey_thread(r, f, i, f->threads.v[i].track, s);
    }
    order_fibers(r, f);
}

void host_tracks_make(struct trace *r)
{
    struct host_scratch s = {0};
    for (size_t i = 0; i < r->blocks->files.n; i++)
        if (r->blocks->files.v[i].process != TRACE_NONE)
            make_tracks(r, &r->blocks->files.v[i], &s);
    for (size_t i = r->blocks->first_track; i < r->tracks.n; i++)
        if (r->tracks.v[i].start_ns == UINT64_MAX)
            r->tracks.v[i].start_ns = 0;
    host_scratch_free(&s);
}
