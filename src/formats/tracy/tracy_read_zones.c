// tracy_read_zones.c - .tracy files: zones of threads and of devices.
//
// A zone stands before its children, and its end after them. Depth is the file's choice:
// open zones are on a list, not on the stack of this process.
#include "formats/tracy/tracy_in.h"

struct open {
    size_t zone;
    uint64_t left; // zones beside it that are still to come
};
struct open_list {
    VEC(struct open) v;
};

enum { ZONE_BYTES = 26, GPU_ZONE_BYTES = 55 };

// Places and extras that the file does not have become 0, so that nobody else must check.
static int32_t known_place(struct tracy_in *in, int16_t place)
{
    if (place < (int64_t)in->t->places.n && place >= -(int64_t)in->t->made_places.n)
        return place;
    if (place)
        tracy_in_odd(in, "place", place);
    return 0;
}

static uint32_t known_extra(struct tracy_in *in, uint32_t extra)
{
    if (extra < in->t->extras.n)
        return extra;
    if (extra)
        tracy_in_odd(in, "zone extra", extra);
    return 0;
}

static struct tracy_zone read_zone(struct tracy_in *in, int64_t *last)
{
    struct {
        int16_t place;
        int64_t start;
        uint32_t extra, children;
    } __attribute__((packed)) r;
    memcpy(&r, tracy_in_take(in, sizeof r), sizeof r);
    *last = (int64_t)((uint64_t)*last + (uint64_t)r.start);
    return (struct tracy_zone){.start = *last,
                               .end = -1,
                               .place = known_place(in, r.place),
                               .extra = known_extra(in, r.extra),
                               .children = r.children};
}

// The file ended inside of these zones: they have only the children that were read.
static void close_cut_zones(struct pile *zones, struct open_list *open, uint64_t left)
{
    while (open->v.n) {
        struct open o = open->v.v[--open->v.n];
        struct tracy_zone *z = pile_at(zones, o.zone);
        z->children -= (uint32_t)left;
        left = o.left;
    }
}

static void read_timeline(struct tracy_in *in, struct pile *zones, uint64_t left)
{
    struct open_list open = {0};
    int64_t last = 0;
    while (left || open.v.n) {
        if (!left) {
            struct open o = open.v.v[open.v.n - 1];
            int64_t end = in_time(in, &last);
            if (in->is_cut)
                break;
            ((struct tracy_zone *)pile_at(zones, o.zone))->end = end;
            left = o.left;
            open.v.n--;
            continue;
        }
        struct tracy_zone z = read_zone(in, &last);
        if (in->is_cut)
            break;
        left--;
        *(struct tracy_zone *)pile_add(zones, &in->t->store) = z;
        if (z.children) {
            vec_push(&open.v, (struct open){zones->n - 1, left});
            left = tracy_in_fits(in, z.children, ZONE_BYTES) ? z.children : 0;
            if (!left)
                ((struct tracy_zone *)pile_at(zones, zones->n - 1))->children = 0;
            continue;
        }
        int64_t end = in_time(in, &last);
        if (in->is_cut)
            break;
        ((struct tracy_zone *)pile_at(zones, zones->n - 1))->end = end;
    }
    close_cut_zones(zones, &open, left);
    vec_free(&open.v);
}

// --- threads ---------------------------------------------------------------------------

static void read_thread_messages(struct tracy_in *in, struct tracy_thread *th)
{
    for (uint64_t n = in_count(in, 8); n && !in->is_cut; n--) {
        uint64_t id = in_u64(in);
        size_t at = sort_find(in->message_ids.v, in->message_ids.n, id);
        bool is_there = at < in->message_ids.n && !in->message_ids.v[at].b;
        if (in->is_cut)
            return;
        if (!is_there) {
            tracy_in_odd(in, "message", (int64_t)id);
            continue;
        }
        vec_push(&th->messages, in->message_ids.v[at].a);
        in->message_ids.v[at].b = true; // a message is of one thread
    }
}

static void read_samples(struct tracy_in *in, struct pile *samples)
{
    *samples = pile_of(sizeof(struct tracy_sample));
    int64_t last = 0;
    for (uint64_t n = in_count(in, 11); n && !in->is_cut; n--) {
        struct tracy_sample s = {.time = in_time(in, &last)};
        s.stack = in_u24(in);
        if (!in->is_cut)
            *(struct tracy_sample *)pile_add(samples, &in->t->store) = s;
    }
}

void tracy_read_threads(struct tracy_in *in)
{
    struct tracy *t = in->t;
    sort_keys(in->message_ids.v, in->message_ids.n);
    (void)in_u64(in); // zones of all threads
    (void)in_u64(in); // zones with children
    for (uint64_t n = in_count(in, 53); n && !in->is_cut; n--) {
        struct tracy_thread th = {.id = in_u64(in),
                                  .zones = pile_of(sizeof(struct tracy_zone))};
        (void)in_u64(in); // its zones
        th.kernel_samples = in_u64(in);
        th.is_fiber = in_u8(in) != 0;
        if (t->generation == TRACY_U14)
            th.group = in_i32(in);
        uint64_t zones = in_count32(in, ZONE_BYTES);
        if (in->is_cut)
            break;
        read_timeline(in, &th.zones, zones);
        read_thread_messages(in, &th);
        read_samples(in, &th.switch_samples);
        read_samples(in, &th.samples);
        vec_push(&t->threads, th);
    }
}

// --- devices ---------------------------------------------------------------------------

struct gpu_clock {
    int64_t cpu, gpu; // the times read last
};

static struct tracy_gpu_zone read_gpu_zone(struct tracy_in *in, struct gpu_clock *last)
{
    struct tracy_gpu_zone z = {.cpu_end = -1, .end = -1};
    z.cpu_start = in_time(in, &last->cpu);
    z.start = in_time(in, &last->gpu);
    z.place = known_place(in, in_i16(in));
    z.stack = in_u24(in);
    z.thread = in_u16(in);
    uint64_t children = in_count(in, GPU_ZONE_BYTES - 8);
    z.children = (uint32_t)children;
    if (children > UINT32_MAX)
        tracy_in_stop(in, "a count is larger than the file");
    return z;
}

static bool read_gpu_end(struct tracy_in *in, struct tracy_gpu_zone *z,
                         struct gpu_clock *last)
{
    int64_t cpu_end = in_time(in, &last->cpu);
    int64_t end = in_time(in, &last->gpu);
    uint16_t query = in->t->generation == TRACY_U14 ? in_u16(in) : 0;
    if (in->is_cut)
        return false;
    z->cpu_end = cpu_end;
    z->end = end;
    z->query = query;
    return true;
}

static void read_gpu_timeline(struct tracy_in *in, struct pile *zones, uint64_t left)
{
    struct open_list open = {0};
    struct gpu_clock last = {0};
    while (left || open.v.n) {
        if (!left) {
            struct open o = open.v.v[open.v.n - 1];
            if (!read_gpu_end(in, pile_at(zones, o.zone), &last))
                break;
            left = o.left;
            open.v.n--;
            continue;
        }
        struct tracy_gpu_zone z = read_gpu_zone(in, &last);
        if (in->is_cut)
            break;
        left--;
        *(struct tracy_gpu_zone *)pile_add(zones, &in->t->store) = z;
        if (z.children) {
            vec_push(&open.v, (struct open){zones->n - 1, left});
            left = z.children;
        } else if (!read_gpu_end(in, pile_at(zones, zones->n - 1), &last))
            break;
    }
    while (open.v.n) { // as close_cut_zones
        struct open o = open.v.v[--open.v.n];
        ((struct tracy_gpu_zone *)pile_at(zones, o.zone))->children -= (uint32_t)left;
        left = o.left;
    }
    vec_free(&open.v);
}

static void read_notes(struct tracy_in *in, struct tracy_gpu *g)
{
    for (uint64_t n = in_count(in, 10); n && !in->is_cut; n--) {
        struct tracy_note note = {.query = in_u16(in)};
        for (uint64_t k = in_count(in, 16); k && !in->is_cut; k--) {
            note.id = in_i64(in);
            note.value = in_f64(in);
            if (!in->is_cut)
                vec_push(&g->notes, note);
        }
    }
}

static void read_note_names(struct tracy_in *in, struct tracy_gpu *g)
{
    for (uint64_t n = in_count(in, 11); n && !in->is_cut; n--) {
        struct tracy_note_name name = {.id = in_i64(in)};
        name.name = in_text(in);
        if (!in->is_cut)
            vec_push(&g->note_names, name);
    }
}

void tracy_read_gpus(struct tracy_in *in)
{
    struct tracy *t = in->t;
    bool has_notes = t->generation == TRACY_U14;
    (void)in_u64(in); // zones of all contexts
    (void)in_u64(in); // zones with children
    for (uint64_t n = in_count(in, 41); n && !in->is_cut; n--) {
        struct tracy_gpu g = {.thread = in_u64(in)};
        g.is_calibrated = in_u8(in) != 0;
        g.n_zones = in_u64(in);
        g.period = in_f32(in);
        g.type = in_u8(in);
        g.name = in_text(in);
        g.overflow = in_u64(in);
        if (in->is_cut)
            break;
        if (has_notes)
            read_note_names(in, &g);
        for (uint64_t k = in_count(in, 16); k && !in->is_cut; k--) {
            struct tracy_lane lane = {.thread = in_u64(in),
                                      .zones = pile_of(sizeof(struct tracy_gpu_zone))};
            read_gpu_timeline(in, &lane.zones, in_count(in, GPU_ZONE_BYTES - 8));
            vec_push(&g.lanes, lane);
        }
        if (has_notes)
            read_notes(in, &g);
        vec_push(&t->gpus, g);
    }
}
