// capture_events.c - messages, frames and plots.
#include <math.h>

#include "formats/tracy/capture/capture_parts.h"

enum { INFO = 2 }; // severity of messages in generations that do not send one

// --- messages --------------------------------------------------------------------------

static bool is_literal(unsigned item)
{
    return item >= TRACY_LITERAL && item <= TRACY_LITERAL_COLOUR_STACK;
}

static bool has_stack(unsigned item)
{
    return item == TRACY_MESSAGE_STACK || item == TRACY_MESSAGE_COLOUR_STACK ||
           item == TRACY_LITERAL_STACK || item == TRACY_LITERAL_COLOUR_STACK;
}

static struct tracy_ref message_text(struct capture *c, const struct item *it)
{
    if (!is_literal(it->layout->item))
        return capture_take_single(c);
    uint64_t key = item_get(it, TRACY_NAME_FIELD);
    capture_need_text(c, key, TRACY_ASK_STRING);
    return (struct tracy_ref){.value = key, .is_set = true};
}

static uint32_t message_colour(const struct item *it)
{
    if (!it->layout->fields[TRACY_COLOUR_FIELD].bytes)
        return UINT32_MAX;
    uint32_t rgb = (uint32_t)item_get(it, TRACY_COLOUR_FIELD);
    return 0xFF000000 | (rgb & 0xFF) << 16 | (rgb & 0xFF00) | (rgb >> 16 & 0xFF);
}

void capture_on_message(struct capture *c, const struct item *it)
{
    struct tracy *t = c->t;
    int64_t time = capture_time(c, it);
    struct tracy_ref text = message_text(c, it);
    capture_note_time(c, time);
    if (it->layout->item == TRACY_MESSAGE_APP_INFO) {
        if (capture_is_room(c, t->app_info.n, THINGS_MOST, "program information"))
            vec_push(&t->app_info, text);
        return;
    }
    struct thread_state *s = c->now ? c->now : capture_now(c);
    uint32_t stack = 0;
    if (has_stack(it->layout->item))
        stack = capture_take_stack(c, &capture_thread(c, c->thread)->stack);
    if (t->messages.n >= UINT32_MAX) {
        capture_odd(c, "messages beyond the limit");
        return;
    }
    bool has_meta = it->layout->fields[TRACY_META_FIELD].bytes;
    uint64_t meta = has_meta ? item_get(it, TRACY_META_FIELD) : INFO << 4;
    (void)capture_used_thread(c, s->id);
    vec_push(&t->threads.v[s->number].messages, (uint32_t)t->messages.n);
    struct tracy_message *m = pile_add(&t->messages, &t->store);
    *m = (struct tracy_message){.time = time,
                                .text = text,
                                .colour = message_colour(it),
                                .stack = stack,
                                .source = meta & 15,
                                .severity = (uint8_t)(meta >> 4)};
}

// --- frames ----------------------------------------------------------------------------

struct tracy_frames *capture_frames(struct capture *c, uint64_t name, bool is_continuous)
{
    bool is_new;
    struct tracy *t = c->t;
    if (t->frame_sets.n >= THINGS_MOST &&
        capture_key_get(&c->frame_names, name) == MAP_NONE) {
        capture_odd(c, "sets of frames beyond the limit");
        return &t->frame_sets.v[0];
    }
    uint32_t at = capture_key(c, &c->frame_names, name, &is_new);
    if (is_new) {
        vec_push(&t->frame_sets,
                 (struct tracy_frames){.name = name,
                                       .is_continuous = is_continuous,
                                       .frames = pile_of(sizeof(struct tracy_frame))});
        if (name)
            capture_need_text(c, name, TRACY_ASK_FRAME);
    }
    return &t->frame_sets.v[at];
}

// An image may come before the frame that it belongs to.
static int32_t take_image(struct capture *c, uint64_t frame)
{
    for (size_t i = 0; i < c->waiting_images.n; i++)
        if (c->waiting_images.v[i].key == frame) {
            int32_t image = (int32_t)c->waiting_images.v[i].a;
            c->waiting_images.v[i] = c->waiting_images.v[--c->waiting_images.n];
            return image;
        }
    return -1;
}

void capture_add_frame(struct capture *c, struct tracy_frames *f, int64_t start)
{
    size_t number = f->frames.n;
    struct tracy_frame *frame = pile_add(&f->frames, &c->t->store);
    *frame = (struct tracy_frame){start, -1, -1};
    if (c->waiting_images.n && !f->name)
        frame->image = take_image(c, number);
}

static void end_frame(struct capture *c, uint64_t name, int64_t time)
{
    uint32_t at = capture_key_get(&c->frame_names, name);
    struct tracy_frames *f = at == MAP_NONE ? NULL : &c->t->frame_sets.v[at];
    if (f && f->is_continuous)
        return;
    struct tracy_frame *last =
        f && f->frames.n ? pile_at(&f->frames, f->frames.n - 1) : NULL;
    if (!last || last->end >= 0) {
        if (!c->t->is_on_demand)
            capture_fail(c, CAPTURE_FRAME);
        return;
    }
    last->end = time;
    capture_note_time(c, time);
}

void capture_on_frame(struct capture *c, const struct item *it)
{
    uint64_t name = item_get(it, TRACY_NAME_FIELD);
    int64_t time = capture_time(c, it);
    if (it->layout->item == TRACY_FRAME_END) {
        end_frame(c, name, time);
        return;
    }
    bool is_mark = it->layout->item == TRACY_FRAME_MARK;
    capture_add_frame(c, capture_frames(c, name, is_mark), time);
    capture_note_time(c, time);
}

void capture_on_image(struct capture *c, const struct item *it)
{
    enum { WAITING_MOST = 1024 };
    struct tracy *t = c->t;
    uint64_t w = item_get(it, TRACY_OTHER_FIELD), h = item_get(it, TRACY_HEIGHT_FIELD);
    str pixels = c->image;
    c->image = (str){0};
    if (pixels.n != w * h / 2 || !pixels.n) {
        capture_odd(c, "a frame image whose size is wrong");
        return;
    }
    // The welcome has made a frame before the first mark.
    int64_t frame = (int64_t)(item_get(it, TRACY_ID_FIELD) - (uint32_t)t->frame_offset) + 1;
    if (t->is_on_demand && frame <= 1)
        return;
    struct pile *frames = &t->frame_sets.v[0].frames;
    struct tracy_frame *f =
        frame > 0 && (uint64_t)frame < frames->n ? pile_at(frames, (size_t)frame) : NULL;
    if (frame <= 0 || (f && f->image >= 0) || t->images.n >= THINGS_MOST ||
        (!f && c->waiting_images.n >= WAITING_MOST)) {
        capture_fail(c, CAPTURE_IMAGE);
        return;
    }
    uint32_t image = (uint32_t)t->images.n;
    if (f)
        f->image = (int32_t)image;
    else
        vec_push(&c->waiting_images, (struct keyed){.key = (uint64_t)frame, .a = image});
    vec_push(&t->images,
             (struct tracy_image){.width = (uint16_t)w,
                                  .height = (uint16_t)h,
                                  .is_flipped = (uint8_t)item_get(it, TRACY_FLAGS_FIELD),
                                  .pixels = pixels});
}

// --- plots -----------------------------------------------------------------------------

enum { PLOT_USER, PLOT_MEMORY, PLOT_CPU, PLOT_POWER };
enum { FORMAT_NUMBER, FORMAT_BYTES, FORMAT_PERCENT, FORMAT_WATT };

static struct tracy_plot *plot_new(struct capture *c, uint64_t name, uint8_t type,
                                   uint8_t format)
{
    vec_push(&c->t->plots,
             (struct tracy_plot){.type = type,
                                 .format = format,
                                 .is_filled = 1,
                                 .name = name,
                                 .points = pile_of(sizeof(struct tracy_point))});
    return &c->t->plots.v[c->t->plots.n - 1];
}

// The plot that a client made by this name; its number is found by the map's id.
static struct tracy_plot *user_plot(struct capture *c, uint64_t name)
{
    bool is_new;
    struct tracy *t = c->t;
    if (t->plots.n >= THINGS_MOST && capture_key_get(&c->plot_names, name) == MAP_NONE) {
        capture_odd(c, "plots beyond the limit");
        return NULL;
    }
    uint32_t at = capture_key(c, &c->plot_names, name, &is_new);
    if (is_new) {
        vec_push(&c->plot_numbers, (uint32_t)t->plots.n);
        plot_new(c, name, PLOT_USER, FORMAT_NUMBER);
        capture_need_text(c, name, TRACY_ASK_PLOT);
    }
    return &t->plots.v[c->plot_numbers.v[at]];
}

static void plot_add(struct capture *c, struct tracy_plot *p, int64_t time, double value)
{
    if (!p->points.n || value < p->min)
        p->min = value;
    if (!p->points.n || value > p->max)
        p->max = value;
    p->sum += value;
    struct tracy_point *point = pile_add(&p->points, &c->t->store);
    *point = (struct tracy_point){time, value};
    capture_note_time(c, time);
}

static double plot_value(const struct item *it)
{
    uint64_t raw = item_get(it, TRACY_VALUE_FIELD);
    double value;
    float narrow;
    switch (it->layout->item) {
    case TRACY_PLOT_INT: return (double)(int64_t)raw;
    case TRACY_PLOT_DOUBLE: memcpy(&value, &raw, sizeof value); return value;
    default: memcpy(&narrow, &raw, sizeof narrow); return (double)narrow;
    }
}

void capture_on_plot(struct capture *c, const struct item *it)
{
    double value = plot_value(it);
    // The reference leaves its clock alone here, and so clients' later times are right.
    if (!isfinite(value))
        return;
    int64_t time = capture_time(c, it);
    struct tracy_plot *p = user_plot(c, item_get(it, TRACY_NAME_FIELD));
    if (p)
        plot_add(c, p, time, value);
}

void capture_on_plot_config(struct capture *c, const struct item *it)
{
    struct tracy_plot *p = user_plot(c, item_get(it, TRACY_NAME_FIELD));
    if (!p)
        return;
    p->format = (uint8_t)item_get(it, TRACY_TYPE_FIELD);
    p->is_step = (uint8_t)item_get(it, TRACY_FLAGS_FIELD);
    p->is_filled = (uint8_t)item_get(it, TRACY_ID_FIELD);
    p->colour = (uint32_t)item_get(it, TRACY_COLOUR_FIELD) & 0xFFFFFF;
}

void capture_on_system_time(struct capture *c, const struct item *it)
{
    int64_t time = capture_time(c, it);
    if (!c->cpu_plot) {
        plot_new(c, 0, PLOT_CPU, FORMAT_PERCENT);
        c->cpu_plot = (uint32_t)c->t->plots.n;
    }
    double value = plot_value(it);
    if (isfinite(value))
        plot_add(c, &c->t->plots.v[c->cpu_plot - 1], time, value);
}

// Energy since the last report of this name: the first one says nothing.
void capture_on_system_power(struct capture *c, const struct item *it)
{
    bool is_new;
    int64_t time = capture_time(c, it);
    uint64_t name = item_get(it, TRACY_NAME_FIELD);
    capture_note_time(c, time);
    if (c->power_names.keys.n >= THINGS_MOST)
        return;
    uint32_t at = capture_key(c, &c->power_names, name, &is_new);
    if (is_new) {
        capture_need_text(c, name, TRACY_ASK_STRING);
        vec_push(&c->power, (struct power_state){(uint32_t)c->t->plots.n, time});
        plot_new(c, name, PLOT_POWER, FORMAT_WATT);
        return;
    }
    struct power_state *s = &c->power.v[at];
    double value =
        (double)item_get(it, TRACY_VALUE_FIELD) / (double)(time - s->time) * 1000;
    s->time = time;
    if (isfinite(value))
        plot_add(c, &c->t->plots.v[s->plot], time, value);
}
