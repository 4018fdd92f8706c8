// event.c - zones and texts: puts events into the thread's ring.
//
// An open zone has a word reserved for its end, so a ring that fills up loses whole zones,
// never only their ends.
#include "record/event.h"

#include <string.h>

#include "record/tracy/session.h"

// Also taken when a handler interrupted an event of its thread.
struct recorder_thread *event_open_slow(void)
{
    struct recorder_thread *t = recorder_self;
    if (__atomic_load_n(&t->is_busy, __ATOMIC_RELAXED)) {
        event_lose(t, TT_LOSS_HANDLER);
        return NULL;
    }
    do
        t = recorder_thread_enter();
    while (t && !event_busy(t));
    return t;
}

// --- zones ---
static __attribute__((noinline)) ttprof_zone zone_put_slow(struct recorder_thread *t,
                                                           uint32_t location)
{
    ttprof_zone zone = {0};
    if (event_room(t, 3)) {
        t->open++;
        event_put_1(t, TT_ZONE_BEGIN, location);
        zone.is_open = t->session;
    }
    event_close(t);
    return zone;
}

// Without a call on the usual path, so that no register has to be saved.
static inline ttprof_zone zone_put(struct recorder_thread *t, uint32_t location)
{
    if (recorder_unlikely(!event_is_quick(t, t->head + t->open + 3)))
        return zone_put_slow(t, location);
    t->open++;
    event_put_1(t, TT_ZONE_BEGIN, location);
    ttprof_zone zone = {t->session};
    event_close(t);
    return zone;
}

static __attribute__((noinline)) ttprof_zone
zone_begin_slow(struct ttprof_location *location)
{
    struct recorder_thread *t = event_open_slow();
    ttprof_zone none = {0};
    return t ? zone_put(t, recorder_location(location)) : none;
}

static __attribute__((noinline)) ttprof_zone
zone_begin_new(struct recorder_thread *t, struct ttprof_location *location)
{
    return zone_put(t, recorder_location(location));
}

ttprof_zone ttprof_zone_begin(struct ttprof_location *location)
{
    struct recorder_thread *t = recorder_self;
    if (recorder_unlikely(!event_is_ready(t) || !event_busy(t)))
        return zone_begin_slow(location);
    uint32_t id = __atomic_load_n(&location->id, __ATOMIC_RELAXED);
    if (recorder_unlikely(!id))
        return zone_begin_new(t, location);
    return zone_put(t, id);
}

static __attribute__((noinline)) ttprof_zone zone_begin_at_slow(uint32_t location)
{
    struct recorder_thread *t = event_open_slow();
    ttprof_zone none = {0};
    return t ? zone_put_slow(t, location) : none;
}

ttprof_zone ttprof_zone_begin_at(uint32_t location)
{
    struct recorder_thread *t = recorder_self;
    if (recorder_unlikely(!event_is_ready(t) || !event_busy(t)))
        return zone_begin_at_slow(location);
    return zone_put(t, location);
}

static __attribute__((noinline)) void zone_end_put_slow(struct recorder_thread *t)
{
    bool has_room = true;
    if (recorder_likely(t->open))
        t->open--;
    else
        has_room = event_room(t, 1);
    if (recorder_likely(has_room))
        event_put_0(t, TT_ZONE_END);
    event_close(t);
}

// A zone begun before a fork or in another recording does not end in this one.
static __attribute__((noinline)) void zone_end_slow(ttprof_zone zone)
{
    struct recorder_thread *t =
        zone.is_open == recorder_session() ? event_open_slow() : NULL;
    if (t)
        zone_end_put_slow(t);
}

static inline void zone_end_put(struct recorder_thread *t)
{
    if (recorder_unlikely(!t->open || !event_is_quick(t, 0))) {
        zone_end_put_slow(t);
        return;
    }
    t->open--;
    event_put_0(t, TT_ZONE_END);
    event_close(t);
}

void ttprof_zone_end(ttprof_zone zone)
{
    struct recorder_thread *t = recorder_self;
    if (recorder_likely(event_is_ready(t) && zone.is_open == t->session && event_busy(t)))
        zone_end_put(t);
    else
        zone_end_slow(zone);
}

static struct recorder_thread *zone_open(ttprof_zone zone)
{
    return zone.is_open == recorder_session() ? event_open() : NULL;
}

static void zone_number(ttprof_zone zone, enum tt_host_event kind, uint64_t number)
{
    struct recorder_thread *t = zone_open(zone);
    if (!t)
        return;
    if (event_room(t, 2))
        event_put_1(t, kind, number);
    event_close(t);
}

void ttprof_zone_value(ttprof_zone zone, uint64_t value)
{
    zone_number(zone, TT_ZONE_VALUE, value);
}

void ttprof_zone_colour(ttprof_zone zone, uint32_t colour)
{
    zone_number(zone, TT_ZONE_COLOUR, colour);
}

uint32_t ttprof_location_make(const char *file, size_t file_bytes, const char *function,
                              size_t function_bytes, const char *name, size_t name_bytes,
                              uint32_t line, uint32_t colour)
{
    struct recorder_thread *t = event_open_to_tell();
    if (!t)
        return 0;
    struct tt_location l = {0,
                            recorder_string(name, name_bytes),
                            recorder_string(function, function_bytes),
                            recorder_string(file, file_bytes),
                            line,
                            colour};
    uint32_t id = recorder_location_of(&l);
    event_close(t);
    return id;
}

// --- texts ---
enum { WORD = sizeof(uint64_t) };

// Copies bytes into the ring from byte `at` on, wrapping at its end.
static void bytes_put(struct recorder_thread *t, uint64_t at, struct recorder_piece piece)
{
    uint64_t all = (t->mask + 1) * WORD, from = at & (all - 1);
    uint64_t first = piece.n < all - from ? piece.n : all - from;
    if (first)
        memcpy((char *)t->words + from, piece.p, first);
    if (piece.n > first)
        memcpy(t->words, piece.p + first, piece.n - first);
}

struct text_event {
    enum tt_host_event kind;
    uint32_t attribute;
    const struct recorder_piece *pieces;
    size_t n_pieces;
    uint64_t bytes;
};

static void text_put(struct recorder_thread *t, const struct text_event *e)
{
    uint64_t words = 2 + (e->bytes + WORD - 1) / WORD;
    if (!event_room(t, words))
        return;
    event_word(t, t->head + words - 1, 0); // zeros after the text
    event_word(t, t->head, event_first(e->kind, recorder_ticks(t)));
    event_word(t, t->head + 1, (uint64_t)e->attribute << 32 | e->bytes);
    uint64_t at = (t->head + 2) * WORD;
    for (size_t i = 0; i < e->n_pieces; at += e->pieces[i++].n)
        bytes_put(t, at, e->pieces[i]);
    event_done(t, t->head + words);
}

static uint64_t blob_keep(const struct text_event *e)
{
    recorder_lock(&recorder_short);
    uint64_t offset = recorder_blob_put(e->pieces, e->n_pieces);
    recorder_unlock(&recorder_short);
    return offset;
}

// Returns the position in P.blobs; UINT64_MAX if it could not be written. The run's size
// limit covers streams and texts together.
static uint64_t blob_append(const struct text_event *e)
{
    struct tt_control *c = recorder_control();
    if (!recorder_has_folder())
        return blob_keep(e);
    uint64_t bytes = __atomic_add_fetch(&c->stream_bytes, e->bytes, __ATOMIC_RELAXED);
    uint64_t offset = UINT64_MAX;
    if (!c->most_bytes || bytes <= c->most_bytes) {
        recorder_lock(&recorder_short);
        offset = recorder_file_append("blobs", e->pieces, e->n_pieces);
        if (offset != UINT64_MAX && recorder_table())
            recorder_table()->blob_bytes += e->bytes;
        recorder_unlock(&recorder_short);
    }
    if (offset == UINT64_MAX)
        __atomic_fetch_sub(&c->stream_bytes, e->bytes, __ATOMIC_RELAXED);
    return offset;
}

// The text is in its file before the event that refers to it is in the ring; without room
// for the event it is not written.
static void blob_put(struct recorder_thread *t, const struct text_event *e)
{
    if (!event_room(t, 3))
        return;
    uint64_t offset = blob_append(e);
    if (offset == UINT64_MAX) {
        event_lose(t, TT_LOSS_DISK);
        return;
    }
    event_word(t, t->head, event_first(e->kind, recorder_ticks(t)));
    event_word(t, t->head + 1, (uint64_t)e->attribute << 32 | TT_TEXT_IN_BLOBS | e->bytes);
    event_word(t, t->head + 2, offset);
    event_done(t, t->head + 3);
}

static void event_text(struct recorder_thread *t, enum tt_host_event kind,
                       uint32_t attribute, const struct recorder_piece *pieces, size_t n)
{
    struct text_event e = {kind, attribute, pieces, n, 0};
    for (size_t i = 0; i < n; i++)
        e.bytes += pieces[i].n;
    if (e.bytes <= TT_TEXT_MOST)
        text_put(t, &e);
    else if (e.bytes < TT_TEXT_IN_BLOBS)
        blob_put(t, &e);
    else
        event_lose(t, TT_LOSS_FULL);
    event_close(t);
}

void ttprof_zone_text(ttprof_zone zone, const char *text, size_t bytes)
{
    struct recorder_thread *t = zone_open(zone);
    struct recorder_piece piece = {text, bytes};
    if (t)
        event_text(t, TT_ZONE_TEXT, 0, &piece, 1);
}

void ttprof_zone_name(ttprof_zone zone, const char *name, size_t bytes)
{
    struct recorder_thread *t = zone_open(zone);
    struct recorder_piece piece = {name, bytes};
    if (t)
        event_text(t, TT_ZONE_NAME, 0, &piece, 1);
}

void ttprof_message_put(const char *text, size_t bytes, int level, uint32_t colour)
{
    enum { COLOUR_BITS = 24, COLOUR = (1 << COLOUR_BITS) - 1 };
    struct recorder_thread *t = event_open();
    struct recorder_piece piece = {text, bytes};
    if (t)
        event_text(t, TT_MESSAGE, (uint32_t)level << COLOUR_BITS | (colour & COLOUR),
                   &piece, 1);
}

void ttprof_op_put(const char *json, size_t bytes)
{
    struct recorder_thread *t = event_open();
    struct recorder_piece piece = {json, bytes};
    if (t)
        event_text(t, TT_OP, 0, &piece, 1);
}

// The signposts that open and close the window are inside it.
void ttprof_signpost_put(const char *header, const char *message)
{
    if (!header || !__atomic_load_n(&recorder_state, __ATOMIC_RELAXED))
        return;
    bool is_first = recorder_window_opens(header);
    struct recorder_thread *t = ttprof_is_on() ? event_open() : NULL;
    if (t) {
        struct recorder_piece pieces[] = {
            {header, strlen(header)}, {"\n", 1}, {message, message ? strlen(message) : 0}};
        event_text(t, TT_SIGNPOST, 0, pieces, message ? 3 : 1);
    }
    if (!is_first)
        recorder_window_closes(header);
}
