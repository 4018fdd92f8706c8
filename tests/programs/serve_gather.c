// serve_gather.c - what a program has recorded, in the order in which its Tracy client
// sends it, if that begins when the program has ended: every thread has a queue, and one is
// sent after the other.
#include "serve_tracy.h"

enum { TIME_BITS = 48 }; // Tracy's times have 47

// Threads come in the order in which the file numbers them.
static uint64_t queue_of(const struct serving *s, size_t thread)
{
    const struct tracy *t = s->t;
    for (size_t i = 0; i < t->threads_used.n; i++)
        if (t->threads_used.v[i] == t->threads.v[thread].id)
            return i << TIME_BITS;
    return t->threads_used.n << TIME_BITS;
}

static void add(struct serving *s, int64_t time, struct moment m)
{
    uint64_t queue = m.kind <= MESSAGE        ? queue_of(s, m.owner)
                     : m.kind >= DEVICE_BEGIN ? UINT64_C(1) << 63
                                              : 0;
    uint64_t key = queue | (time < 0 ? 0 : (uint64_t)time);
    vec_push(&s->order, (struct keyed){.key = key, .a = (uint32_t)s->all.n});
    vec_push(&s->all, m);
}

const struct tracy_zone *serve_zone(const struct serving *s, uint32_t thread, size_t i)
{
    return pile_at(&s->t->threads.v[thread].zones, i);
}

const struct tracy_gpu_zone *serve_device_zone(const struct serving *s, uint32_t gpu,
                                               size_t number)
{
    return pile_at(&s->t->gpus.v[gpu].lanes.v[number >> 32].zones, (uint32_t)number);
}

int64_t serve_zone_end(const struct serving *s, const struct tracy_zone *z)
{
    return z->end < 0 ? s->t->last_time : z->end;
}

struct nested {
    int64_t start, end;
    uint32_t children;
};
static struct nested nested_at(const struct serving *s, const struct moment *m)
{
    if (m->kind == ZONE_BEGIN) {
        const struct tracy_zone *z = serve_zone(s, m->owner, m->number);
        return (struct nested){z->start, serve_zone_end(s, z), z->children};
    }
    const struct tracy_gpu_zone *z = serve_device_zone(s, m->owner, m->number);
    return (struct nested){z->start, z->end, z->children};
}

struct open_zone {
    struct moment m;
    uint32_t left; // of its children
};
typedef VEC(struct open_zone) open_zones;

static void end_zones(struct serving *s, open_zones *open, int64_t *now)
{
    while (open->n && open->v[open->n - 1].left == 0) {
        struct moment m = open->v[--open->n].m;
        int64_t end = nested_at(s, &m).end;
        m.kind++;
        *now = end > *now ? end : *now;
        add(s, *now, m);
    }
}

// A zone stays inside its parent whatever its times are.
static void gather_zones(struct serving *s, struct moment m, size_t n)
{
    open_zones open = {0};
    int64_t now = 0;
    for (size_t i = 0; i < n; i++, m.number++) {
        struct nested z = nested_at(s, &m);
        if (open.n)
            open.v[open.n - 1].left--;
        now = z.start > now ? z.start : now;
        add(s, now, m);
        vec_push(&open, (struct open_zone){m, z.children});
        end_zones(s, &open, &now);
    }
    vec_free(&open);
}

// The server makes the first two marks of the frames without a name itself.
static void gather_frames(struct serving *s, uint32_t set)
{
    const struct tracy_frames *f = &s->t->frame_sets.v[set];
    for (size_t i = f->name ? 0 : 2; i < f->frames.n; i++) {
        const struct tracy_frame *one = pile_at(&f->frames, i);
        add(s, one->start,
            (struct moment){f->is_continuous ? FRAME_MARK : FRAME_START, set, i});
        if (!f->is_continuous && one->end >= 0)
            add(s, one->end, (struct moment){FRAME_END, set, i});
    }
}

void serve_gather(struct serving *s)
{
    const struct tracy *t = s->t;
    for (uint32_t i = 0; i < t->threads.n; i++) {
        gather_zones(s, (struct moment){ZONE_BEGIN, i, 0}, t->threads.v[i].zones.n);
        for (size_t k = 0; k < t->threads.v[i].messages.n; k++) {
            uint32_t number = t->threads.v[i].messages.v[k];
            const struct tracy_message *m = pile_at(&t->messages, number);
            add(s, m->time, (struct moment){MESSAGE, i, number});
        }
    }
    for (uint32_t i = 0; i < t->frame_sets.n; i++)
        gather_frames(s, i);
    for (uint32_t i = 0; i < t->gpus.n; i++)
        for (uint64_t k = 0; k < t->gpus.v[i].lanes.n; k++)
            gather_zones(s, (struct moment){DEVICE_BEGIN, i, k << 32},
                         t->gpus.v[i].lanes.v[k].zones.n);
    for (uint32_t i = 0; i < t->plots.n; i++)
        for (size_t k = 0; k < t->plots.v[i].points.n; k++) {
            const struct tracy_point *p = pile_at(&t->plots.v[i].points, k);
            add(s, p->time, (struct moment){POINT, i, k});
        }
    struct keyed *scratch = mem_alloc(mem_bytes(sizeof *scratch, s->order.n + 1));
    sort_keyed(s->order.v, scratch, s->order.n);
    mem_free(scratch);
}

int64_t serve_start_end(const struct serving *s)
{
    const struct tracy_frames *f = s->t->frame_sets.n ? &s->t->frame_sets.v[0] : NULL;
    return f && !f->name && f->frames.n > 1
               ? ((const struct tracy_frame *)pile_at(&f->frames, 1))->start
               : 0;
}
