// tracy_write_events.c - .tracy files, out: frames, locks, messages, plots, memory.
#include "formats/tracy/tracy_colour.h"
#include "formats/tracy/tracy_out.h"

static void write_set(struct tracy_out *o, const struct tracy_frames *set)
{
    int64_t last = 0;
    out_u64(o, set->name);
    out_u8(o, set->is_continuous);
    out_u64(o, set->frames.n);
    for (size_t i = 0; i < set->frames.n; i++) {
        const struct tracy_frame *f = pile_at(&set->frames, i);
        out_time(o, f->start, &last);
        if (!set->is_continuous)
            out_time(o, f->end, &last);
        out_i32(o, f->image);
    }
}

// The set that readers show first: the whole trace is one frame.
static void write_made_set(struct tracy_out *o)
{
    int64_t last = 0;
    out_u64(o, 0);
    out_u8(o, 1);
    out_u64(o, 2);
    out_time(o, 0, &last);
    out_i32(o, -1);
    out_time(o, o->t->last_time, &last);
    out_i32(o, -1);
}

static void write_time48(struct tracy_out *o, int64_t time)
{
    tracy_out_put(o, &time, 6);
}

static void write_sections(struct tracy_out *o)
{
    const struct tracy *t = o->t;
    out_u64(o, t->sections.n);
    for (size_t i = 0; i < t->sections.n; i++) {
        const struct tracy_section *s = &t->sections.v[i];
        out_u16(o, s->category);
        out_u64(o, s->spans.n);
        for (size_t k = 0; k < s->spans.n; k++) {
            write_time48(o, s->spans.v[k].start);
            write_time48(o, s->spans.v[k].end);
            out_text(o, s->spans.v[k].text);
        }
    }
    out_u64(o, t->section_names.n);
    for (size_t i = 0; i < t->section_names.n; i++) {
        out_u16(o, t->section_names.v[i].category);
        out_text(o, t->section_names.v[i].name);
    }
}

void tracy_write_frames(struct tracy_out *o)
{
    const struct tracy *t = o->t;
    size_t first = 0;
    while (first < t->frame_sets.n && t->frame_sets.v[first].name != 0)
        first++;
    bool is_made = first == t->frame_sets.n;
    out_u64(o, t->frame_sets.n + is_made);
    if (is_made)
        write_made_set(o);
    else
        write_set(o, &t->frame_sets.v[first]);
    for (size_t i = 0; i < t->frame_sets.n; i++)
        if (i != first)
            write_set(o, &t->frame_sets.v[i]);
    if (o->generation == TRACY_U14)
        write_sections(o);
    else
        tracy_out_left(o, "sections", t->sections.n);
}

void tracy_write_locks(struct tracy_out *o)
{
    const struct tracy *t = o->t;
    out_u64(o, t->locks.n);
    for (size_t i = 0; i < t->locks.n; i++) {
        const struct tracy_lock *l = &t->locks.v[i];
        out_u32(o, l->id);
        out_text(o, l->name);
        out_u16(o, (uint16_t)tracy_out_place(o, l->place));
        out_u8(o, l->type);
        out_u8(o, l->is_valid);
        out_i64(o, l->announced);
        out_i64(o, l->terminated);
        out_u64(o, l->threads.n);
        for (size_t k = 0; k < l->threads.n; k++)
            out_u64(o, l->threads.v[k]);
        out_u64(o, l->events.n);
        int64_t last = l->announced;
        for (size_t k = 0; k < l->events.n; k++) {
            const struct tracy_lock_event *v = pile_at(&l->events, k);
            out_time(o, v->time, &last);
            out_u16(o, (uint16_t)tracy_out_place(o, v->place));
            out_u8(o, v->thread);
            out_u8(o, v->kind);
        }
    }
}

void tracy_write_messages(struct tracy_out *o)
{
    const struct tracy *t = o->t;
    int64_t last = 0;
    out_u64(o, t->messages.n);
    for (size_t i = 0; i < t->messages.n; i++) {
        const struct tracy_message *m = pile_at(&t->messages, i);
        out_u64(o, i + 1); // its id, see write_thread_messages
        out_time(o, m->time, &last);
        out_ref(o, m->text);
        out_u32(o, m->colour);
        out_u24(o, m->stack);
        if (o->generation == TRACY_U14) {
            out_u8(o, m->source);
            out_u8(o, m->severity);
        }
    }
}

void tracy_write_plots(struct tracy_out *o)
{
    const struct tracy *t = o->t;
    out_u64(o, t->plots.n);
    for (size_t i = 0; i < t->plots.n; i++) {
        const struct tracy_plot *p = &t->plots.v[i];
        out_u8(o, p->type);
        out_u8(o, p->format);
        out_u8(o, p->is_step);
        out_u8(o, p->is_filled);
        // 0.10 stores what the client sent, which has blue first.
        out_u32(o, o->generation == TRACY_F10 ? p->colour : tracy_swap_colour(p->colour));
        out_u64(o, p->name);
        out_f64(o, p->min);
        out_f64(o, p->max);
        out_f64(o, p->sum);
        out_u64(o, p->points.n);
        int64_t last = 0;
        for (size_t k = 0; k < p->points.n; k++) {
            const struct tracy_point *point = pile_at(&p->points, k);
            out_time(o, point->time, &last);
            out_f64(o, point->value);
        }
    }
}

static void write_pool_events(struct tracy_out *o, const struct pile *events)
{
    int64_t last = 0;
    for (size_t i = 0; i < events->n; i++) {
        const struct tracy_memory_event *v = pile_at(events, i);
        out_u64(o, v->address);
        out_u64(o, v->bytes);
        out_u24(o, v->alloc_stack);
        out_u24(o, v->free_stack);
        out_time(o, v->alloc_time, &last);
        out_i64(o, v->free_time < v->alloc_time
                       ? -1
                       : (int64_t)((uint64_t)v->free_time - (uint64_t)v->alloc_time));
        out_u16(o, v->alloc_thread);
        out_u16(o, v->free_thread);
    }
}

void tracy_write_memory(struct tracy_out *o)
{
    const struct tracy *t = o->t;
    uint64_t events = 0;
    for (size_t i = 0; i < t->pools.n; i++)
        events += t->pools.v[i].events.n;
    out_u64(o, t->pools.n);
    out_u64(o, events);
    for (size_t i = 0; i < t->pools.n; i++) {
        const struct tracy_pool *p = &t->pools.v[i];
        out_u64(o, p->name);
        out_u64(o, p->events.n);
        out_u64(o, p->n_live);
        out_u64(o, p->n_frees);
        write_pool_events(o, &p->events);
        out_u64(o, p->high);
        out_u64(o, p->low);
        out_u64(o, p->usage);
        out_u64(o, p->name);
    }
}
