// tracy_read_events.c - .tracy files: frames, locks, messages, plots, memory.
#include "formats/tracy/tracy_in.h"

static int64_t in_time48(struct tracy_in *in)
{
    int64_t v = 0;
    memcpy(&v, tracy_in_take(in, 6), 6);
    return (int64_t)((uint64_t)v << 16) >> 16;
}

static void read_sections(struct tracy_in *in)
{
    struct tracy *t = in->t;
    for (uint64_t n = in_count(in, 10); n && !in->is_cut; n--) {
        struct tracy_section s = {.category = in_u16(in)};
        for (uint64_t k = in_count(in, 15); k && !in->is_cut; k--) {
            struct tracy_span span = {.start = in_time48(in)};
            span.end = in_time48(in);
            // The texts come later in the file: see settle_sections.
            span.text = in_u24(in);
            vec_push(&s.spans, span);
        }
        vec_push(&t->sections, s);
    }
    for (uint64_t n = in_count(in, 5); n && !in->is_cut; n--) {
        struct tracy_section_name s = {.category = in_u16(in)};
        s.name = in_u24(in);
        vec_push(&t->section_names, s);
    }
}

void tracy_read_frames(struct tracy_in *in)
{
    struct tracy *t = in->t;
    for (uint64_t n = in_count(in, 17); n && !in->is_cut; n--) {
        struct tracy_frames set = {.name = in_u64(in),
                                   .frames = pile_of(sizeof(struct tracy_frame))};
        set.is_continuous = in_u8(in) != 0;
        if (in->is_cut)
            break;
        int64_t last = 0;
        for (uint64_t k = in_count(in, 12); k && !in->is_cut; k--) {
            struct tracy_frame f = {.start = in_time(in, &last), .end = -1};
            if (!set.is_continuous)
                f.end = in_time(in, &last);
            f.image = in_i32(in);
            if (!in->is_cut)
                *(struct tracy_frame *)pile_add(&set.frames, &t->store) = f;
        }
        vec_push(&t->frame_sets, set);
    }
    if (t->generation == TRACY_U14)
        read_sections(in);
}

static int32_t in_place(struct tracy_in *in)
{
    int32_t place = in_i16(in);
    if (place < (int64_t)in->t->places.n && place >= -(int64_t)in->t->made_places.n)
        return place;
    if (place)
        tracy_in_odd(in, "place", place);
    return 0;
}

static void read_lock_events(struct tracy_in *in, struct tracy_lock *lock)
{
    int64_t last = lock->announced;
    for (uint64_t n = in_count(in, 12); n && !in->is_cut; n--) {
        struct tracy_lock_event v = {.time = in_time(in, &last)};
        v.place = in_place(in);
        v.thread = in_u8(in);
        v.kind = in_u8(in);
        if (!in->is_cut)
            *(struct tracy_lock_event *)pile_add(&lock->events, &in->t->store) = v;
    }
}

void tracy_read_locks(struct tracy_in *in)
{
    for (uint64_t n = in_count(in, 43); n && !in->is_cut; n--) {
        struct tracy_lock lock = {.id = in_u32(in),
                                  .events = pile_of(sizeof(struct tracy_lock_event))};
        lock.name = in_text(in);
        lock.place = in_place(in);
        lock.type = in_u8(in);
        lock.is_valid = in_u8(in);
        lock.announced = in_i64(in);
        lock.terminated = in_i64(in);
        if (in->is_cut)
            break;
        for (uint64_t k = in_count(in, 8); k && !in->is_cut; k--)
            vec_push(&lock.threads, in_u64(in));
        read_lock_events(in, &lock);
        vec_push(&in->t->locks, lock);
    }
}

static void read_extras(struct tracy_in *in)
{
    for (uint64_t n = in_count(in, 12); n && !in->is_cut; n--) {
        struct tracy_extra x = {.stack = in_u24(in)};
        x.text = in_text(in);
        x.name = in_text(in);
        x.colour = tracy_swap_colour(in_u24(in));
        if (!in->is_cut)
            *(struct tracy_extra *)pile_add(&in->t->extras, &in->t->store) = x;
    }
}

enum { SEVERITY_INFO = 2 }; // of messages of 0.10, which has no others

void tracy_read_messages(struct tracy_in *in)
{
    struct tracy *t = in->t;
    bool has_source = t->generation == TRACY_U14;
    int64_t last = 0;
    for (uint64_t n = in_count(in, 32); n && !in->is_cut; n--) {
        uint64_t id = in_u64(in);
        struct tracy_message m = {.time = in_time(in, &last)};
        m.text = in_ref(in);
        m.colour = in_u32(in);
        m.stack = in_u24(in);
        m.source = has_source ? in_u8(in) : 0;
        m.severity = has_source ? in_u8(in) : SEVERITY_INFO;
        if (in->is_cut)
            break;
        *(struct tracy_message *)pile_add(&t->messages, &t->store) = m;
        vec_push(&in->message_ids, (struct keyed){id, (uint32_t)(t->messages.n - 1), 0});
    }
    read_extras(in);
}

void tracy_read_plots(struct tracy_in *in)
{
    struct tracy *t = in->t;
    for (uint64_t n = in_count(in, 48); n && !in->is_cut; n--) {
        struct tracy_plot p = {.type = in_u8(in),
                               .points = pile_of(sizeof(struct tracy_point))};
        p.format = in_u8(in);
        p.is_step = in_u8(in);
        p.is_filled = in_u8(in);
        p.colour = in_u32(in);
        if (t->generation == TRACY_U14)
            p.colour = tracy_swap_colour(p.colour);
        p.name = in_u64(in);
        p.min = in_f64(in);
        p.max = in_f64(in);
        p.sum = in_f64(in);
        if (in->is_cut)
            break;
        int64_t last = 0;
        for (uint64_t k = in_count(in, 16); k && !in->is_cut; k--) {
            struct tracy_point point = {.time = in_time(in, &last)};
            point.value = in_f64(in);
            if (!in->is_cut)
                *(struct tracy_point *)pile_add(&p.points, &t->store) = point;
        }
        vec_push(&t->plots, p);
    }
}

static void read_pool_events(struct tracy_in *in, struct tracy_pool *p, uint64_t n)
{
    int64_t last = 0;
    for (; n && !in->is_cut; n--) {
        struct tracy_memory_event v = {.address = in_u64(in)};
        v.bytes = in_u64(in);
        v.alloc_stack = in_u24(in);
        v.free_stack = in_u24(in);
        v.alloc_time = in_time(in, &last);
        int64_t lived = in_i64(in);
        v.free_time = lived < 0 ? -1 : (int64_t)((uint64_t)v.alloc_time + (uint64_t)lived);
        v.alloc_thread = in_u16(in);
        v.free_thread = in_u16(in);
        if (!in->is_cut)
            *(struct tracy_memory_event *)pile_add(&p->events, &in->t->store) = v;
    }
}

void tracy_read_memory(struct tracy_in *in)
{
    uint64_t n = in_count(in, 64);
    (void)in_u64(in); // events of all pools
    for (; n && !in->is_cut; n--) {
        struct tracy_pool p = {.name = in_u64(in),
                               .events = pile_of(sizeof(struct tracy_memory_event))};
        uint64_t events = in_count(in, 42);
        p.n_live = in_u64(in);
        p.n_frees = in_u64(in);
        if (in->is_cut)
            break;
        read_pool_events(in, &p, events);
        p.high = in_u64(in);
        p.low = in_u64(in);
        p.usage = in_u64(in);
        (void)in_u64(in); // the name again
        vec_push(&in->t->pools, p);
    }
}
