// capture_zones.c - zones of threads: begin, end, and what is said about the innermost one.
#include <inttypes.h>

#include "base/text/buf.h"

#include "formats/tracy/capture/capture_parts.h"

static struct tracy_zone *zone_at(struct capture *c, const struct thread_state *s,
                                  uint64_t zone)
{
    return pile_at(&c->t->threads.v[s->number].zones, zone);
}

void capture_zone_begin(struct capture *c, int64_t delta, int32_t place)
{
    struct thread_state *s = c->now ? c->now : capture_now(c);
    c->clocks[TRACY_CLOCK_THREAD] += (uint64_t)delta;
    int64_t time = capture_trace_time(c, c->clocks[TRACY_CLOCK_THREAD]);
    capture_note_time(c, time);
    if (s->open.n >= DEPTH_MOST) {
        s->n_skipped++;
        capture_odd(c, "zones nested beyond the limit");
        return;
    }
    struct pile *zones = &c->t->threads.v[s->number].zones;
    struct tracy_zone *z = pile_add(zones, &c->t->store);
    z->start = time;
    z->end = -1;
    z->place = place;
    if (s->open.n)
        zone_at(c, s, s->open.v[s->open.n - 1].zone)->children++;
    vec_push(&s->open, (struct open_zone){zones->n - 1, s->validation});
    s->validation = 0;
}

void capture_zone_end(struct capture *c, int64_t delta)
{
    struct thread_state *s = c->now ? c->now : capture_now(c);
    c->clocks[TRACY_CLOCK_THREAD] += (uint64_t)delta;
    uint32_t validation = s->validation;
    s->validation = 0;
    if (s->n_skipped) {
        s->n_skipped--;
        return;
    }
    if (!s->open.n) {
        capture_fail(c, CAPTURE_TWICE);
        return;
    }
    struct open_zone *o = &s->open.v[s->open.n - 1];
    if (o->validation != validation) {
        capture_fail(c, CAPTURE_ORDER);
        c->is_stopped = true;
        return;
    }
    int64_t time = capture_trace_time(c, c->clocks[TRACY_CLOCK_THREAD]);
    capture_note_time(c, time);
    zone_at(c, s, o->zone)->end = time;
    s->open.n--;
}

void capture_on_validation(struct capture *c, const struct item *it)
{
    struct thread_state *s = c->now ? c->now : capture_now(c);
    s->validation = (uint32_t)item_get(it, TRACY_ID_FIELD);
}

// --- what belongs to a zone ------------------------------------------------------------

static struct tracy_extra *extra_of(struct capture *c, struct tracy_zone *z)
{
    struct tracy *t = c->t;
    if (!z->extra && t->extras.n < UINT32_MAX) {
        z->extra = (uint32_t)t->extras.n;
        pile_add(&t->extras, &t->store);
    }
    return pile_at(&t->extras, z->extra);
}

static int32_t take_made_place(struct capture *c)
{
    int32_t place = c->made_place;
    if (!place)
        capture_odd(c, "a zone without its source location");
    c->made_place = 0;
    return place;
}

void capture_on_begin(struct capture *c, const struct item *it)
{
    const struct tracy_layout *l = it->layout;
    unsigned bytes = l->fields[TRACY_TIME_FIELD].bytes;
    uint64_t v = item_get(it, TRACY_TIME_FIELD);
    bool is_made =
        l->item == TRACY_ZONE_BEGIN_MADE || l->item == TRACY_ZONE_BEGIN_MADE_STACK;
    struct thread_state *s = c->now ? c->now : capture_now(c);
    size_t depth = s->open.n;
    if (is_made) // these have one width in every generation
        capture_zone_begin(c, (int64_t)v, take_made_place(c));
    else
        capture_zone_begin(c, tracy_wide_time(c->layouts.generation, bytes, v),
                           capture_place(c, item_get(it, TRACY_PLACE_FIELD)));
    if (l->item == TRACY_ZONE_BEGIN_MADE || s->open.n == depth)
        return;
    uint32_t stack = capture_take_stack(c, &capture_thread(c, c->thread)->stack);
    if (stack)
        extra_of(c, zone_at(c, s, s->open.v[depth].zone))->stack = stack;
}

// Several texts and values of a zone are lines of one text.
static void add_text(struct capture *c, struct tracy_extra *x, str text)
{
    if (!x->text) {
        x->text = capture_text(c, text) + 1;
        return;
    }
    struct buf both = {0};
    str before = tracy_string(c->t, x->text - 1);
    buf_str(&both, before);
    buf_char(&both, '\n');
    buf_str(&both, text);
    x->text = capture_text(c, buf_view(&both)) + 1;
    buf_free(&both);
}

static void add_value(struct capture *c, struct tracy_extra *x, uint64_t value)
{
    struct buf text = {0};
    buf_printf(&text, "%" PRIu64, value);
    if (c->layouts.generation != TRACY_F10)
        buf_printf(&text, " [0x%" PRIx64 "]", value);
    add_text(c, x, buf_view(&text));
    buf_free(&text);
}

static enum capture_failure failure_of(unsigned item)
{
    switch (item) {
    case TRACY_ZONE_TEXT: return CAPTURE_TEXT;
    case TRACY_ZONE_NAME: return CAPTURE_NAME;
    case TRACY_ZONE_COLOUR: return CAPTURE_COLOUR;
    default: return CAPTURE_VALUE;
    }
}

void capture_on_attribute(struct capture *c, const struct item *it)
{
    unsigned item = it->layout->item;
    struct thread_state *s = c->now ? c->now : capture_now(c);
    bool has_text = item == TRACY_ZONE_TEXT || item == TRACY_ZONE_NAME;
    uint32_t text = has_text ? (uint32_t)capture_take_single(c).value : 0;
    uint32_t validation = s->validation;
    s->validation = 0;
    if (s->n_skipped)
        return;
    struct open_zone *o = s->open.n ? &s->open.v[s->open.n - 1] : NULL;
    if (!o || o->validation != validation) {
        capture_fail(c, failure_of(item));
        return;
    }
    struct tracy_zone *z = zone_at(c, s, o->zone);
    struct tracy_extra *x = extra_of(c, z);
    if (!z->extra)
        return; // the extras are full
    if (item == TRACY_ZONE_TEXT)
        add_text(c, x, tracy_string(c->t, text));
    else if (item == TRACY_ZONE_NAME)
        x->name = text + 1;
    else if (item == TRACY_ZONE_COLOUR)
        x->colour = (uint32_t)item_get(it, TRACY_COLOUR_FIELD);
    else
        add_value(c, x, item_get(it, TRACY_VALUE_FIELD));
}
