// tracy_from_events.c - messages, frames and plots of all threads by time.
#include <inttypes.h>

#include "base/data/sort.h"

#include "formats/diags.h"
#include "formats/tracy/tracy_colour.h"
#include "formats/tracy/tracy_from_parts.h"
#include "record/format/op_fit.h"

static void put_ticked(struct buf *b, const char *tag, str s)
{
    buf_char(b, '`');
    buf_z(b, tag);
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '`')
            buf_char(b, '`');
        buf_char(b, s.p[i]);
    }
    buf_char(b, '`');
}

void tracy_put_message(struct buf *b, enum tt_host_event kind, str text)
{
    if (kind == TT_SIGNPOST)
        put_ticked(b, "TT_SIGNPOST: ", text);
    else if (kind == TT_OP && !str_starts(text, S("`")))
        put_ticked(b, "", text);
    else
        buf_str(b, text);
}

// --- gathering -------------------------------------------------------------------------

// Records that only lose their blanks are as good as before.
static void put_op(struct from_making *m, str text, uint64_t time)
{
    enum op_fit how;
    struct diag *d = &m->to->diag;
    size_t n = op_fit(text.p, text.n, buf_room(&m->text, OP_FIT_BYTES), OP_FIT_BYTES, &how);
    m->text.n += n;
    if (how == OP_FIT_NOT)
        buf_printf(&m->text,
                   "ttprof: an op record of %zu bytes does not fit into a message", text.n);
    if (how >= OP_FIT_NO_KERNELS && diag_count(d, DIAG_TRACY_OP_LONG))
        diag_note(d, DIAG_TRACY_OP_LONG, "%zu bytes at %" PRIu64 " ns: %s", text.n, time,
                  how == OP_FIT_NOT           ? "left out"
                  : how == OP_FIT_FEW_TENSORS ? "without kernels, attributes, and tensors"
                                              : "without kernels");
}

static uint32_t message_text(struct from_making *m, const struct trace_event *ev,
                             uint32_t process)
{
    str text = ev->text;
    if (m->how.unique && ev->kind != TT_SIGNPOST)
        text = m->how.unique(m->how.context, process, ev->time, false, text);
    m->text.n = 0;
    if (ev->kind == TT_OP)
        put_op(m, text, ev->time);
    else
        tracy_put_message(&m->text, ev->kind, text);
    return tracy_text(m->to, buf_view(&m->text));
}

void from_take_event(struct from_making *m, const struct trace_event *ev, uint32_t track)
{
    uint32_t process = m->from->tracks.v[track].process;
    struct from_event e = {.time = ev->time,
                           .kind = ev->kind,
                           .thread = (uint32_t)m->to->threads.n - 1,
                           .process = process,
                           .attribute = ev->attribute,
                           .a = ev->a,
                           .b = ev->b,
                           .c = ev->c};
    if (ev->kind == TT_MESSAGE || ev->kind == TT_SIGNPOST || ev->kind == TT_OP)
        e.text = message_text(m, ev, process);
    vec_push(&m->events, e);
}

// --- messages --------------------------------------------------------------------------

static void put_message(struct from_making *m, const struct from_event *ev)
{
    struct tracy *to = m->to;
    uint32_t rgb = ev->attribute & 0xFFFFFF;
    vec_push(&to->threads.v[ev->thread].messages, (uint32_t)to->messages.n);
    struct tracy_message *one = pile_add(&to->messages, &to->store);
    *one = (struct tracy_message){.time = (int64_t)ev->time,
                                  .text = {ev->text, true, true},
                                  .colour = rgb ? 0xFF000000 | tracy_swap_colour(rgb)
                                                : UINT32_MAX,
                                  .severity = (uint8_t)(ev->attribute >> 24)};
}

// --- frames ----------------------------------------------------------------------------

static struct tracy_frames *frames_of(struct tracy *to, uint64_t name, bool is_continuous)
{
    for (size_t i = 0; i < to->frame_sets.n; i++)
        if (to->frame_sets.v[i].name == name)
            return &to->frame_sets.v[i];
    vec_push(&to->frame_sets,
             (struct tracy_frames){.name = name,
                                   .is_continuous = is_continuous,
                                   .frames = pile_of(sizeof(struct tracy_frame))});
    return &to->frame_sets.v[to->frame_sets.n - 1];
}

static void put_frame(struct from_making *m, const struct from_event *ev)
{
    bool is_mark = ev->kind == TT_FRAME_MARK;
    uint64_t name = from_key(m, (uint32_t)ev->a);
    struct tracy_frames *set = frames_of(m->to, name, is_mark);
    if (ev->kind == TT_FRAME_END) {
        struct tracy_frame *last =
            set->frames.n ? pile_at(&set->frames, set->frames.n - 1) : NULL;
        if (last && last->end < 0)
            last->end = (int64_t)ev->time;
        return;
    }
    struct tracy_frame *f = pile_add(&set->frames, &m->to->store);
    *f = (struct tracy_frame){.start = (int64_t)ev->time, .end = -1, .image = -1};
}

// --- plots -----------------------------------------------------------------------------

static double value_of(const struct from_event *ev)
{
    double real;
    memcpy(&real, &ev->b, sizeof real);
    return ev->kind == TT_PLOT_INT ? (double)(int64_t)ev->b : real;
}

static struct tracy_plot *plot_of(struct tracy *to, uint64_t name)
{
    for (size_t i = 0; i < to->plots.n; i++)
        if (to->plots.v[i].name == name)
            return &to->plots.v[i];
    vec_push(&to->plots,
             (struct tracy_plot){.name = name,
                                 .is_filled = 1,
                                 .points = pile_of(sizeof(struct tracy_point))});
    return &to->plots.v[to->plots.n - 1];
}

static void put_point(struct from_making *m, const struct from_event *ev)
{
    struct tracy_plot *plot = plot_of(m->to, from_key(m, (uint32_t)ev->a));
    double value = value_of(ev);
    if (!(value - value == 0)) // the reference does not expect infinity and NaN
        return;
    bool is_first = !plot->points.n;
    plot->min = is_first || value < plot->min ? value : plot->min;
    plot->max = is_first || value > plot->max ? value : plot->max;
    plot->sum += value;
    struct tracy_point *p = pile_add(&plot->points, &m->to->store);
    *p = (struct tracy_point){(int64_t)ev->time, value};
}

// --- all -------------------------------------------------------------------------------

static void put_event(struct from_making *m, const struct from_event *ev)
{
    switch (ev->kind) {
    case TT_MESSAGE:
    case TT_SIGNPOST:
    case TT_OP: put_message(m, ev); break;
    case TT_FRAME_MARK:
    case TT_FRAME_START:
    case TT_FRAME_END: put_frame(m, ev); break;
    case TT_PLOT_INT:
    case TT_PLOT_REAL: put_point(m, ev); break;
    default: break;
    }
}

static struct from_event *in_order(const struct from_making *m)
{
    size_t n = m->events.n;
    struct from_event *v = mem_alloc(mem_bytes(sizeof *v, n));
    struct keyed *order = mem_alloc(mem_bytes(2 * sizeof *order, n));
    for (size_t i = 0; i < n; i++)
        order[i] = (struct keyed){.key = m->events.v[i].time, .a = (uint32_t)i};
    sort_keyed(order, order + n, n);
    for (size_t i = 0; i < n; i++)
        v[i] = m->events.v[order[i].a];
    mem_free(order);
    return v;
}

void from_put_events(struct from_making *m)
{
    struct from_event *v = in_order(m);
    // The nameless frames come first.
    if (m->events.n)
        (void)frames_of(m->to, 0, true);
    for (size_t i = 0; i < m->events.n; i++)
        put_event(m, &v[i]);
    from_put_memory(m, v, m->events.n);
    from_put_locks(m, v, m->events.n);
    mem_free(v);
}
