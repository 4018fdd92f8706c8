// events.c - words of a ring become items. Zones, texts, messages and plots of a thread are
// sent as they come; what must be ordered over all threads goes to serial.c.
//
// A session sees a thread from some point on. Ends and texts of zones that began before are
// not sent: the server would take them for those of another zone, or fail.
#include "record/tracy/events.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "record/format/block.h"
#include "record/format/op_fit.h"

enum { LANES_MOST = 1 << 20, FIRST_LANES = 64, FIBERS_MOST = 1 << 20 };

// --- lanes ---
static bool lanes_grow(struct tracy_session *s)
{
    uint32_t room = s->lanes_room ? 2 * s->lanes_room : FIRST_LANES;
    struct tracy_lane *lanes = recorder_pages(room * sizeof *lanes);
    if (!lanes)
        return false;
    if (s->lanes) {
        memcpy(lanes, s->lanes, s->n_lanes * sizeof *lanes);
        munmap(s->lanes, s->lanes_room * sizeof *lanes);
    }
    s->lanes = lanes;
    s->lanes_room = room;
    return true;
}

static void close_zones(struct tracy_session *s, struct tracy_lane *l)
{
    recorder_out_thread(&s->out, l->tid);
    for (; l->depth; l->depth--)
        recorder_out_zone_end(&s->out, l->last_ns);
}

// The system gives the number of a thread that ended to another one.
static void close_zones_of_tid(struct tracy_session *s, uint32_t tid)
{
    for (uint32_t i = 0; i < s->n_lanes; i++)
        if (s->lanes[i].tid == tid && s->lanes[i].depth)
            close_zones(s, &s->lanes[i]);
}

static struct tracy_lane *lane_of(struct tracy_session *s, uint32_t serial, uint32_t clock,
                                  uint64_t from)
{
    uint64_t index = recorder_keys_get(&s->lane_of, serial);
    if (index)
        return &s->lanes[index - 1];
    uint32_t tid = (uint32_t)recorder_keys_get(&s->tids, serial);
    if (!tid || (s->n_lanes == s->lanes_room && !lanes_grow(s)) ||
        !recorder_keys_set(&s->lane_of, serial, s->n_lanes + 1, LANES_MOST))
        return NULL;
    close_zones_of_tid(s, tid);
    struct tracy_lane *l = &s->lanes[s->n_lanes++];
    *l = (struct tracy_lane){.serial = serial, .tid = tid, .clock = clock};
    l->position = from;
    l->last_ns = s->begin_ns;
    return l;
}

// Open zones of the fiber that a thread runs, else of the thread itself.
static uint32_t depth_of(const struct tracy_session *s, const struct tracy_lane *l)
{
    if (!l->fiber)
        return l->depth;
    uint64_t known = recorder_keys_get(&s->fibers, l->fiber);
    return known ? (uint32_t)known - 1 : 0;
}

static void set_depth(struct tracy_session *s, struct tracy_lane *l, uint32_t depth)
{
    if (l->fiber)
        recorder_keys_set(&s->fibers, l->fiber, (uint64_t)depth + 1, FIBERS_MOST);
    else
        l->depth = depth;
}

// --- zones ---
uint64_t recorder_events_place(struct tracy_session *s, uint64_t location)
{
    if (!location || location >= EVENTS_PLACES)
        return KEY_SHARED_PLACE;
    if (s->has_place[location])
        return location;
    if (s->n_places == TRACY_PLACES_MOST - 1) // the last one is shared by all others
        return KEY_SHARED_PLACE;
    s->has_place[location] = 1;
    s->n_places++;
    return location;
}

static void name_zone(struct tracy_session *s, uint64_t location)
{
    struct tt_location l;
    struct recorder_piece name;
    if (!recorder_location_get(location, &l) ||
        !recorder_string_get(l.name ? l.name : l.function, &name))
        return;
    recorder_out_string(&s->out, name);
    recorder_out_item(&s->out, TRACY_ZONE_NAME, 0);
}

static void begin_zone(struct tracy_session *s, struct tracy_lane *l, uint64_t location)
{
    uint64_t key = recorder_events_place(s, location);
    recorder_out_zone_begin(&s->out, l->last_ns, key);
    set_depth(s, l, depth_of(s, l) + 1);
    if (key == KEY_SHARED_PLACE)
        name_zone(s, location);
}

static void end_zone(struct tracy_session *s, struct tracy_lane *l)
{
    uint32_t depth = depth_of(s, l);
    if (!depth)
        return;
    recorder_out_zone_end(&s->out, l->last_ns);
    set_depth(s, l, depth - 1);
}

// --- texts ---
// Cut to what an item can hold.
static struct recorder_piece text_of(struct tracy_session *s, const uint64_t *words)
{
    uint32_t length = (uint32_t)words[1], n = length & ~TT_TEXT_IN_BLOBS;
    if (!(length & TT_TEXT_IN_BLOBS))
        return (struct recorder_piece){(const char *)(words + 2), n};
    n = n < EVENTS_TEXT_MOST ? n : EVENTS_TEXT_MOST;
    if (!recorder_blob_get(words[2], s->text, n))
        n = (uint32_t)snprintf(s->text, EVENTS_TEXT_MOST,
                               "ttprof: a text of %u bytes is no longer available",
                               length & ~TT_TEXT_IN_BLOBS);
    return (struct recorder_piece){s->text, n};
}

static void put_message(struct tracy_session *s, int64_t ns, struct recorder_piece text,
                        uint32_t attribute)
{
    enum { COLOUR = 0xFFFFFF, COLOUR_BITS = 24, SEVERITY_BITS = 4 };
    struct recorder_out *o = &s->out;
    uint32_t colour = attribute & COLOUR, level = attribute >> COLOUR_BITS;
    recorder_out_string(o, text);
    uint8_t *item = recorder_out_item(o, colour ? TRACY_MESSAGE_COLOUR : TRACY_MESSAGE, 0);
    recorder_out_time(o, item, ns);
    recorder_out_set(o, item, TRACY_COLOUR_FIELD, colour);
    recorder_out_set(o, item, TRACY_META_FIELD, (uint64_t)level << SEVERITY_BITS);
}

void recorder_events_note(struct tracy_session *s, uint32_t tid, int64_t ns,
                          const char *form, uint64_t number)
{
    enum { WARNING = 3 << 24 };
    char text[128];
    int n = snprintf(text, sizeof text, form, (unsigned long long)number);
    recorder_out_thread(&s->out, tid);
    put_message(s, ns, (struct recorder_piece){text, (size_t)n}, WARNING);
}

// In backquotes, as csvexport's readers expect it; those inside are doubled. The closing
// one is kept if the text must be cut: without it a reader would go on into the next
// message.
static struct recorder_piece ticked(char *out, const char *tag, struct recorder_piece text)
{
    size_t n = 0;
    out[n++] = '`';
    for (; *tag; tag++)
        out[n++] = *tag;
    for (size_t i = 0; i < text.n; i++) {
        bool is_tick = text.p[i] == '`';
        if (n + is_tick + 2 > OUT_TEXT_MOST)
            break;
        if (is_tick)
            out[n++] = '`';
        out[n++] = text.p[i];
    }
    out[n++] = '`';
    return (struct recorder_piece){out, n};
}

// A cut op record cannot be read: one that is too long is shortened, or left out.
static void fit_op(struct tracy_session *s, const struct tracy_lane *l,
                   struct recorder_piece text)
{
    enum op_fit how;
    char *to = s->text + EVENTS_TEXT_MOST;
    size_t n = op_fit(text.p, text.n, to, OP_FIT_BYTES, &how);
    if (how == OP_FIT_NOT)
        recorder_events_note(
            s, l->tid, l->last_ns,
            "ttprof: an op record of %llu bytes does not fit into a message", text.n);
    else
        put_message(s, l->last_ns, (struct recorder_piece){to, n}, EVENTS_INFO);
}

static void put_op(struct tracy_session *s, const struct tracy_lane *l,
                   const uint64_t *words)
{
    uint32_t length = (uint32_t)words[1], n = length & ~TT_TEXT_IN_BLOBS;
    if (!(length & TT_TEXT_IN_BLOBS) || n <= EVENTS_TEXT_MOST) {
        fit_op(s, l, text_of(s, words));
        return;
    }
    char *text = n <= EVENTS_OP_MOST ? recorder_pages(n) : NULL;
    if (text && recorder_blob_get(words[2], text, n))
        fit_op(s, l, (struct recorder_piece){text, n});
    else
        recorder_events_note(s, l->tid, l->last_ns,
                             "ttprof: an op record of %llu bytes is not sent", n);
    if (text)
        munmap(text, n);
}

static void take_text(struct tracy_session *s, const struct tracy_lane *l, uint32_t kind,
                      const uint64_t *words)
{
    uint32_t attribute = (uint32_t)(words[1] >> 32);
    if (kind == TT_OP) {
        put_op(s, l, words);
        return;
    }
    struct recorder_piece text = text_of(s, words);
    if (kind == TT_MESSAGE) {
        put_message(s, l->last_ns, text, attribute);
    } else if (kind == TT_SIGNPOST) {
        put_message(s, l->last_ns,
                    ticked(s->text + EVENTS_TEXT_MOST, "TT_SIGNPOST: ", text), EVENTS_INFO);
    } else if (depth_of(s, l)) {
        recorder_out_string(&s->out, text);
        recorder_out_item(&s->out, kind == TT_ZONE_TEXT ? TRACY_ZONE_TEXT : TRACY_ZONE_NAME,
                          0);
    }
}

// --- values ---
static void put_zone_number(struct tracy_session *s, const struct tracy_lane *l,
                            enum tracy_item item, enum tracy_field field, uint64_t value)
{
    if (depth_of(s, l))
        recorder_out_set(&s->out, recorder_out_item(&s->out, item, 0), field, value);
}

// A server would drop what is not finite, and the time of the item with it.
static void put_plot(struct tracy_session *s, const struct tracy_lane *l, uint32_t kind,
                     const uint64_t *words)
{
    double value;
    memcpy(&value, &words[2], sizeof value);
    if (!words[1] || (kind == TT_PLOT_REAL && !isfinite(value)))
        return;
    uint8_t *item = recorder_out_item(
        &s->out, kind == TT_PLOT_INT ? TRACY_PLOT_INT : TRACY_PLOT_DOUBLE, 0);
    recorder_out_set(&s->out, item, TRACY_NAME_FIELD, words[1]);
    recorder_out_set(&s->out, item, TRACY_VALUE_FIELD, words[2]);
    recorder_out_time(&s->out, item, l->last_ns);
}

// --- fibers ---
static void leave_fiber(struct tracy_session *s, struct tracy_lane *l)
{
    if (!l->fiber)
        return;
    uint8_t *item = recorder_out_item(&s->out, TRACY_FIBER_LEAVE, 0);
    recorder_out_time(&s->out, item, l->last_ns);
    recorder_out_set(&s->out, item, TRACY_THREAD_FIELD, l->tid);
    l->fiber = 0;
}

// The times of a fiber go on; processors may read their clocks a little too early.
static void go_on(struct tracy_session *s, struct tracy_lane *l, uint64_t name)
{
    enum { EARLY_NS = 1000 };
    uint64_t lane = recorder_keys_get(&s->fiber_lanes, name);
    int64_t before = lane ? s->lanes[lane - 1].last_ns - l->last_ns : 0;
    if (before > 0 && before <= EARLY_NS)
        l->last_ns += before;
    recorder_keys_set(&s->fiber_lanes, name, (uint64_t)(l - s->lanes) + 1, FIBERS_MOST);
}

static void enter_fiber(struct tracy_session *s, struct tracy_lane *l, uint64_t name)
{
    leave_fiber(s, l);
    if (!name)
        return;
    go_on(s, l, name);
    uint8_t *item = recorder_out_item(&s->out, TRACY_FIBER_ENTER, 0);
    recorder_out_time(&s->out, item, l->last_ns);
    recorder_out_set(&s->out, item, TRACY_NAME_FIELD, name);
    recorder_out_set(&s->out, item, TRACY_THREAD_FIELD, l->tid);
    l->fiber = (uint32_t)name;
    if (!recorder_keys_get(&s->fibers, name))
        set_depth(s, l, 0);
}

// --- all kinds ---
static void put_serial(struct tracy_session *s, const struct tracy_lane *l, uint32_t kind,
                       const uint64_t *words, uint32_t n)
{
    recorder_serial_put(s, (struct tracy_wait){.ns = l->last_ns,
                                               .tid = l->tid,
                                               .kind = kind,
                                               .a = n > 1 ? words[1] : 0,
                                               .b = n > 2 ? words[2] : 0,
                                               .c = n > 3 ? words[3] : 0});
}

static void take_other(struct tracy_session *s, struct tracy_lane *l, uint32_t kind,
                       const uint64_t *words, uint32_t n)
{
    switch (kind) {
    case TT_ZONE_TEXT:
    case TT_ZONE_NAME:
    case TT_MESSAGE:
    case TT_SIGNPOST:
    case TT_OP: take_text(s, l, kind, words); break;
    case TT_ZONE_VALUE:
        put_zone_number(s, l, TRACY_ZONE_VALUE, TRACY_VALUE_FIELD, words[1]);
        break;
    case TT_ZONE_COLOUR:
        put_zone_number(s, l, TRACY_ZONE_COLOUR, TRACY_COLOUR_FIELD, words[1]);
        break;
    case TT_PLOT_INT:
    case TT_PLOT_REAL: put_plot(s, l, kind, words); break;
    case TT_FIBER_ENTER: enter_fiber(s, l, words[1]); break;
    case TT_FIBER_LEAVE: leave_fiber(s, l); break;
    case TT_LOST:
        recorder_events_note(s, l->tid, l->last_ns, "ttprof: %llu events are missing here",
                             words[1]);
        break;
    default: put_serial(s, l, kind, words, n); break;
    }
}

int64_t recorder_events_ns(struct tracy_session *s, const struct tracy_lane *l,
                           const uint64_t *event)
{
    bool is_clock = event[0] >> TT_TIME_BITS == TT_CLOCK;
    int64_t ns = recorder_times_ns(&s->times, is_clock ? (uint32_t)event[1] : l->clock,
                                   event[0] & BLOCK_TIME_MASK);
    return ns > l->last_ns ? ns : l->last_ns; // another clock may not be earlier
}

static void take_event(struct tracy_session *s, struct tracy_lane *l, const uint64_t *words,
                       uint32_t n)
{
    uint32_t kind = (uint32_t)(words[0] >> TT_TIME_BITS);
    if (kind == TT_NOTHING)
        return;
    l->last_ns = recorder_events_ns(s, l, words);
    if (kind == TT_ZONE_BEGIN)
        begin_zone(s, l, words[1]);
    else if (kind == TT_ZONE_END)
        end_zone(s, l);
    else if (kind == TT_CLOCK)
        l->clock = (uint32_t)words[1];
    else
        take_other(s, l, kind, words, n);
}

uint64_t recorder_events_begin(struct tracy_session *s, struct tracy_lane *l, uint64_t from,
                               uint64_t n)
{
    uint64_t at = l->position > from ? l->position - from : 0;
    recorder_out_thread(&s->out, l->tid);
    if (from > l->position && l->depth)
        close_zones(s, l); // what is missing may have ended them
    if (at < n)
        l->position = from + n;
    return at < n ? at : n;
}

void recorder_events_one(struct tracy_session *s, struct tracy_lane *l,
                         const uint64_t *event, uint32_t n)
{
    recorder_out_thread(&s->out, l->tid);
    take_event(s, l, event, n);
}

void recorder_events_take(struct tracy_session *s, uint32_t thread, uint32_t clock,
                          uint64_t from, const uint64_t *words, uint64_t n)
{
    struct tracy_lane *l = lane_of(s, thread, clock, from);
    if (!l || from + n <= l->position ||
        (s->has_fibers && recorder_held_put(s, l, from, words, n)))
        return;
    for (uint64_t at = recorder_events_begin(s, l, from, n); at < n;) {
        uint32_t event = block_event_words(words, UINT64_MAX, at, n);
        if (event)
            take_event(s, l, words + at, event);
        at += event ? event : 1;
    }
}

// --- the end ---
static void close_fiber(struct tracy_session *s, struct tracy_lane *l, uint64_t fiber)
{
    enter_fiber(s, l, fiber);
    while (depth_of(s, l))
        end_zone(s, l);
    leave_fiber(s, l);
}

void recorder_events_close_zones(struct tracy_session *s)
{
    int64_t last = s->begin_ns;
    for (uint32_t i = 0; i < s->n_lanes; i++) {
        struct tracy_lane *l = &s->lanes[i];
        recorder_out_thread(&s->out, l->tid);
        last = l->last_ns > last ? l->last_ns : last;
        leave_fiber(s, l);
        if (l->depth)
            close_zones(s, l);
    }
    for (uint64_t i = 0; i < s->fibers.n_slots && s->n_lanes; i++)
        if (s->fibers.slots[i].value > 1) {
            recorder_out_thread(&s->out, s->lanes[0].tid);
            s->lanes[0].last_ns = last;
            close_fiber(s, &s->lanes[0], s->fibers.slots[i].key);
        }
}
