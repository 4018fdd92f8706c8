// tracy_sample.c - contents of a trace that never was. Lists of any length, none included;
// numbers of any size, as far as a file of the generation can hold them.
#include "tracy_sample.h"

struct maker {
    struct tracy *t;
    struct tracy_sample_how how;
    uint64_t state;
    int64_t clock;
};

static uint64_t any(struct maker *m) // splitmix64
{
    uint64_t z = m->state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

static uint32_t below(struct maker *m, uint32_t n)
{
    return n ? (uint32_t)((any(m) >> 32) * n >> 32) : 0;
}

static uint32_t list(struct maker *m)
{
    return below(m, 4) ? below(m, m->how.most + 1) : 0;
}

static int64_t later(struct maker *m)
{
    m->clock += (int64_t)(any(m) >> (63 - below(m, 12)));
    return m->clock;
}

static bool is_new(const struct maker *m)
{
    return m->how.generation == TRACY_U14;
}

// Any text but the last, which is long, and therefore seldom.
static uint32_t any_text(struct maker *m)
{
    uint32_t n = (uint32_t)m->t->strings.keys.n;
    return below(m, 500) ? below(m, n - 1) : n - 1;
}

static uint32_t text(struct maker *m) // text + 1
{
    return below(m, 3) ? any_text(m) + 1 : 0;
}

static uint32_t stack(struct maker *m)
{
    return below(m, 3) ? 0 : below(m, 1 << 24);
}

static struct tracy_ref ref(struct maker *m)
{
    if (!below(m, 8))
        return (struct tracy_ref){0};
    if (below(m, 2) && m->t->keyed.n)
        return (struct tracy_ref){m->t->keyed.v[below(m, (uint32_t)m->t->keyed.n)].key,
                                  false, true};
    return (struct tracy_ref){any_text(m), true, true};
}

static uint64_t key(struct maker *m)
{
    return m->t->keyed.v[below(m, (uint32_t)m->t->keyed.n)].key;
}

static str some_bytes(struct maker *m, size_t n)
{
    char *p = push_many(&m->t->arena, char, n + 1);
    for (size_t i = 0; i < n; i++)
        p[i] = (char)any(m);
    return (str){p, n};
}

// --- texts and places ------------------------------------------------------------------

static void make_head(struct maker *m)
{
    struct tracy *t = m->t;
    t->generation = m->how.generation;
    t->version[1] = is_new(m) ? 14 : 10;
    t->delay = is_new(m) ? 0 : (int64_t)below(m, 100);
    t->resolution = (int64_t)below(m, 100);
    t->ns_per_tick = 0.25 * (1 + below(m, 9));
    t->frame_offset = below(m, 9);
    t->pid = any(m);
    t->sampling_period = (int64_t)below(m, 1000);
    t->cpu_arch = (uint8_t)any(m);
    t->is_on_demand = (uint8_t)below(m, 2);
    t->cpu_id = (uint32_t)any(m);
    memcpy(t->cpu_maker, "MadeByNobody", sizeof t->cpu_maker);
    t->capture_name = S("made up @ 2026-01-01 00:00:00");
    t->program = S("made up");
    t->info = S("OS: none\nCPU: none\n");
    t->capture_time = any(m) >> 30;
    t->executable_time = any(m) >> 30;
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t k = 0; k < list(m); k++)
            vec_push(&t->topology,
                     (struct tracy_cpu){i, is_new(m) ? k / 2 : 0, k, 8 * i + k});
    if (below(m, 2))
        return;
    t->crash.thread = any(m);
    t->crash.time = (int64_t)below(m, 1000);
    t->crash.stack = (uint32_t)any(m);
}

static void make_texts(struct maker *m)
{
    struct tracy *t = m->t;
    (void)tracy_text(t, S("Frame"));
    for (uint32_t i = 0, n = 3 + list(m) * 2; i < n; i++) {
        str s =
            arena_printf(&t->arena, "text %u %.*s", i, (int)below(m, 60),
                         "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefgh");
        (void)tracy_text(t, s);
    }
    (void)tracy_text(t, some_bytes(m, below(m, 3) ? 0 : 70000 + below(m, 70000)));
    uint32_t n_texts = (uint32_t)t->strings.keys.n - 1;
    vec_push(&t->keyed, (struct keyed){.key = 0, .a = 0});
    for (uint64_t i = 1, n = 1 + list(m); i < n; i++)
        vec_push(&t->keyed,
                 (struct keyed){.key = 0x1000 * i,
                                .a = below(m, 5) ? below(m, n_texts) : TRACY_UNKNOWN});
    for (uint64_t i = 0, n = list(m); i < n; i++)
        vec_push(&t->thread_names, (struct keyed){.key = 100 + i, .a = below(m, n_texts)});
    for (uint64_t i = 0, n = list(m); i < n; i++)
        vec_push(&t->external_names,
                 (struct tracy_external){i, below(m, n_texts), TRACY_UNKNOWN});
    for (uint64_t i = 0, n = 1 + list(m); i < n; i++)
        vec_push(&t->threads_used, 100 * i);
    for (uint64_t i = 0, n = list(m); i < n; i++)
        vec_push(&t->external_used, any(m));
}

static struct tracy_place place(struct maker *m)
{
    return (struct tracy_place){ref(m), ref(m), ref(m), (uint32_t)any(m),
                                below(m, 1 << 24)};
}

static void make_places(struct maker *m)
{
    struct tracy *t = m->t;
    vec_push(&t->place_keys, 0);
    vec_push(&t->places, (struct tracy_place){0});
    for (uint64_t i = 1; i <= m->how.n_places; i++) {
        vec_push(&t->place_keys, i << 32 | 1);
        vec_push(&t->places, place(m));
    }
    for (uint32_t i = 0; i < m->how.n_made; i++)
        vec_push(&t->made_places, place(m));
}

static int32_t any_place(struct maker *m)
{
    return (int32_t)below(m, (uint32_t)(m->t->places.n + m->t->made_places.n)) -
           (int32_t)m->t->made_places.n;
}

// --- events ------------------------------------------------------------------------------

static void make_frames(struct maker *m)
{
    struct tracy *t = m->t;
    for (uint32_t i = 0, n = 1 + list(m); i < n; i++) {
        struct tracy_frames set = {.name = i ? key(m) : 0,
                                   .is_continuous = below(m, 2) || !i,
                                   .frames = pile_of(sizeof(struct tracy_frame))};
        for (uint32_t k = 0, frames = list(m); k < frames; k++) {
            struct tracy_frame *f = pile_add(&set.frames, &t->store);
            f->start = later(m);
            f->end = set.is_continuous || !below(m, 9) ? -1 : later(m);
            f->image = (int32_t)below(m, 5) - 1;
        }
        vec_push(&t->frame_sets, set);
    }
    for (uint32_t i = 0, n = is_new(m) ? list(m) : 0; i < n; i++) {
        struct tracy_section s = {.category = (uint16_t)any(m)};
        for (uint32_t k = 0, spans = list(m); k < spans; k++) {
            struct tracy_span span = {.start = later(m)};
            span.end = below(m, 9) ? later(m) : -1;
            span.text = text(m);
            vec_push(&s.spans, span);
        }
        vec_push(&t->sections, s);
        vec_push(&t->section_names, (struct tracy_section_name){s.category, text(m)});
    }
}

static void make_locks(struct maker *m)
{
    struct tracy *t = m->t;
    for (uint32_t i = 0, n = list(m); i < n; i++) {
        struct tracy_lock l = {.id = i,
                               .name = text(m),
                               .place = any_place(m),
                               .type = (uint8_t)below(m, 2),
                               .is_valid = (uint8_t)below(m, 2),
                               .announced = later(m),
                               .terminated = later(m),
                               .events = pile_of(sizeof(struct tracy_lock_event))};
        for (uint32_t k = 0, threads = list(m); k < threads; k++)
            vec_push(&l.threads, any(m));
        for (uint32_t k = 0, events = list(m); k < events; k++) {
            struct tracy_lock_event *e = pile_add(&l.events, &t->store);
            *e = (struct tracy_lock_event){later(m), any_place(m), (uint8_t)any(m),
                                           (uint8_t)below(m, 6)};
        }
        vec_push(&t->locks, l);
    }
}

static void make_messages(struct maker *m)
{
    struct tracy *t = m->t;
    for (uint32_t i = 0, n = list(m) * 2; i < n; i++) {
        struct tracy_message *x = pile_add(&t->messages, &t->store);
        *x = (struct tracy_message){later(m),
                                    ref(m),
                                    (uint32_t)any(m),
                                    stack(m),
                                    is_new(m) ? (uint8_t)any(m) : 0,
                                    is_new(m) ? (uint8_t)any(m) : 2};
    }
    (void)pile_add(&t->extras, &t->store);
    for (uint32_t i = 0, n = list(m); i < n; i++) {
        struct tracy_extra *x = pile_add(&t->extras, &t->store);
        *x = (struct tracy_extra){stack(m), text(m), text(m), below(m, 1 << 24)};
    }
}

static void make_samples(struct maker *m, struct pile *samples)
{
    *samples = pile_of(sizeof(struct tracy_sample));
    for (uint32_t i = 0, n = list(m); i < n; i++) {
        struct tracy_sample *s = pile_add(samples, &m->t->store);
        s->time = later(m);
        s->stack = stack(m);
    }
}

static void make_zones(struct maker *m, struct pile *zones)
{
    VEC(size_t) open = {0};
    for (uint32_t i = 0; i < m->how.n_zones; i++) {
        while (open.n && (open.n > 40 || below(m, 2))) {
            struct tracy_zone *z = pile_at(zones, open.v[--open.n]);
            z->end = below(m, 50) ? later(m) : -1;
        }
        if (open.n)
            ((struct tracy_zone *)pile_at(zones, open.v[open.n - 1]))->children++;
        struct tracy_zone *z = pile_add(zones, &m->t->store);
        z->start = later(m);
        z->end = -1;
        z->place = any_place(m);
        z->extra = below(m, 3) ? 0 : below(m, (uint32_t)m->t->extras.n);
        vec_push(&open, zones->n - 1);
    }
    while (open.n)
        ((struct tracy_zone *)pile_at(zones, open.v[--open.n]))->end = later(m);
    vec_free(&open);
}

static void make_threads(struct maker *m)
{
    struct tracy *t = m->t;
    size_t n = 1 + list(m);
    for (size_t i = 0; i < n; i++) {
        struct tracy_thread th = {.id = 100 + i,
                                  .is_fiber = below(m, 2),
                                  .group = is_new(m) ? (int32_t)any(m) : 0,
                                  .kernel_samples = any(m),
                                  .zones = pile_of(sizeof(struct tracy_zone))};
        make_zones(m, &th.zones);
        for (size_t k = i; k < t->messages.n; k += n)
            vec_push(&th.messages, (uint32_t)k);
        make_samples(m, &th.switch_samples);
        make_samples(m, &th.samples);
        vec_push(&t->threads, th);
    }
}

static void make_lane(struct maker *m, struct tracy_gpu *g)
{
    struct tracy_lane lane = {.thread = any(m),
                              .zones = pile_of(sizeof(struct tracy_gpu_zone))};
    size_t open = SIZE_MAX; // a zone that may have children: two levels are enough
    for (uint32_t i = 0, n = list(m); i < n; i++) {
        struct tracy_gpu_zone *z = pile_add(&lane.zones, &m->t->store);
        *z = (struct tracy_gpu_zone){.cpu_start = later(m),
                                     .cpu_end = later(m),
                                     .start = below(m, 9) ? later(m) : -1,
                                     .end = below(m, 9) ? later(m) : -1,
                                     .stack = stack(m),
                                     .place = any_place(m),
                                     .thread = (uint16_t)any(m),
                                     .query = is_new(m) ? (uint16_t)any(m) : 0};
        if (open != SIZE_MAX && below(m, 3))
            ((struct tracy_gpu_zone *)pile_at(&lane.zones, open))->children++;
        else
            open = lane.zones.n - 1;
    }
    vec_push(&g->lanes, lane);
}

static void make_gpus(struct maker *m)
{
    for (uint32_t i = 0, n = list(m); i < n; i++) {
        struct tracy_gpu g = {.thread = any(m),
                              .is_calibrated = below(m, 2),
                              .n_zones = below(m, 100),
                              .period = (float)below(m, 8) * 0.5f,
                              .type = (uint8_t)below(m, 6),
                              .name = text(m),
                              .overflow = any(m)};
        for (uint32_t k = 0, lanes = list(m); k < lanes; k++)
            make_lane(m, &g);
        for (uint32_t k = 0, notes = is_new(m) ? list(m) : 0; k < notes; k++) {
            vec_push(&g.note_names, (struct tracy_note_name){(int64_t)any(m), text(m)});
            vec_push(&g.notes, (struct tracy_note){(uint16_t)(k / 2), (int64_t)any(m), k});
        }
        vec_push(&m->t->gpus, g);
    }
}

static void make_plots(struct maker *m)
{
    struct tracy *t = m->t;
    for (uint32_t i = 0, n = list(m); i < n; i++) {
        struct tracy_plot p = {.type = (uint8_t)below(m, 4),
                               .format = (uint8_t)below(m, 4),
                               .is_step = (uint8_t)below(m, 2),
                               .is_filled = (uint8_t)below(m, 2),
                               .colour = below(m, 1 << 24),
                               .name = key(m),
                               .min = -1,
                               .max = 1e9,
                               .sum = 0.5,
                               .points = pile_of(sizeof(struct tracy_point))};
        for (uint32_t k = 0, points = list(m); k < points; k++) {
            struct tracy_point *point = pile_add(&p.points, &t->store);
            *point = (struct tracy_point){later(m), (double)any(m) / 7};
        }
        vec_push(&t->plots, p);
    }
}

static void make_pools(struct maker *m)
{
    struct tracy *t = m->t;
    for (uint32_t i = 0, n = list(m); i < n; i++) {
        struct tracy_pool p = {.name = key(m),
                               .high = any(m),
                               .low = any(m),
                               .usage = any(m),
                               .n_live = any(m),
                               .n_frees = any(m),
                               .events = pile_of(sizeof(struct tracy_memory_event))};
        for (uint32_t k = 0, events = list(m); k < events; k++) {
            struct tracy_memory_event *e = pile_add(&p.events, &t->store);
            *e = (struct tracy_memory_event){.address = any(m),
                                             .bytes = any(m),
                                             .alloc_time = later(m),
                                             .free_time = below(m, 3) ? later(m) : -1,
                                             .alloc_stack = stack(m),
                                             .free_stack = stack(m),
                                             .alloc_thread = (uint16_t)any(m),
                                             .free_thread = (uint16_t)any(m)};
        }
        vec_push(&t->pools, p);
    }
}

// --- callstacks, images, switches, symbols -------------------------------------------

static void make_stacks(struct maker *m)
{
    struct tracy *t = m->t;
    for (uint32_t i = 0, n = list(m); i < n; i++)
        vec_push(&t->stacks, some_bytes(m, (size_t)8 * list(m)));
    for (uint32_t i = 0, n = list(m); i < n; i++) {
        struct tracy_stack_entry x = {.address = any(m), .image = text(m)};
        for (uint32_t k = 0, frames = below(m, 5); k < frames; k++)
            vec_push(&x.frames, (struct tracy_stack_frame){text(m), text(m),
                                                           (uint32_t)any(m), any(m)});
        vec_push(&t->stack_entries, x);
    }
    for (uint32_t i = 0, n = list(m); i < n; i++)
        vec_push(&t->app_info, ref(m));
    t->image_dictionary = some_bytes(m, list(m));
    for (uint32_t i = 0, n = list(m); i < n; i++) {
        struct tracy_image x = {
            (uint16_t)(4 * list(m)), (uint16_t)(4 * list(m)), (uint8_t)below(m, 2), {0}};
        x.pixels = some_bytes(m, (size_t)x.width * x.height / 2);
        vec_push(&t->images, x);
    }
}

static void make_switches(struct maker *m)
{
    struct tracy *t = m->t;
    for (uint32_t i = 0, n = list(m); i < n; i++) {
        struct tracy_switches s = {.thread = any(m),
                                   .switches = pile_of(sizeof(struct tracy_switch))};
        for (uint32_t k = 0, switches = list(m); k < switches; k++) {
            struct tracy_switch *x = pile_add(&s.switches, &t->store);
            *x = (struct tracy_switch){.wakeup = later(m),
                                       .start = later(m),
                                       .end = later(m),
                                       .thread = any(m),
                                       .cpu = (uint8_t)any(m),
                                       .wakeup_cpu = is_new(m) ? (uint8_t)any(m) : 0,
                                       .reason = (int8_t)any(m),
                                       .state = (int8_t)any(m)};
        }
        vec_push(&t->switches, s);
    }
    t->n_cpu_switches = any(m);
    for (size_t cpu = 0; cpu < TRACY_CPUS; cpu += 1 + below(m, 60))
        for (uint32_t k = 0, switches = list(m); k < switches; k++) {
            struct tracy_cpu_switch *x = pile_add(&t->cpu_switches[cpu], &t->store);
            *x = (struct tracy_cpu_switch){later(m), later(m), (uint16_t)any(m)};
        }
    for (uint32_t i = 0, n = list(m); i < n; i++) {
        vec_push(&t->pids, (struct tracy_pid){any(m), any(m)});
        vec_push(&t->cpu_threads,
                 (struct tracy_cpu_thread){any(m), (int64_t)any(m), (uint32_t)any(m), i});
    }
}

static void make_symbols(struct maker *m)
{
    struct tracy *t = m->t;
    t->n_plain_symbols = any(m);
    t->n_inline_symbols = any(m);
    for (uint32_t i = 0, n = list(m); i < n; i++)
        vec_push(&t->symbols,
                 (struct tracy_symbol){any(m), text(m), text(m), text(m), text(m),
                                       (uint32_t)any(m), (uint32_t)any(m),
                                       below(m, 1 << 24), (uint8_t)below(m, 2)});
    for (uint32_t i = 0, n = list(m); i < n; i++) {
        vec_push(&t->code, (struct tracy_code){any(m), some_bytes(m, list(m))});
        vec_push(&t->code_symbols, (struct tracy_code_symbol){any(m), any(m)});
        struct tracy_hardware h = {.address = any(m)};
        for (size_t kind = 0; kind < TRACY_HW_KINDS; kind++) {
            h.times[kind] = pile_of(sizeof(int64_t));
            for (uint32_t k = 0, times = list(m); k < times; k++)
                *(int64_t *)pile_add(&h.times[kind], &t->store) = later(m);
        }
        vec_push(&t->hardware, h);
        vec_push(&t->source_files,
                 (struct tracy_source){some_bytes(m, list(m)), some_bytes(m, list(m))});
    }
}

void tracy_sample_make(struct tracy *t, struct tracy_sample_how how)
{
    tracy_start(t, NULL, 0);
    struct maker m = {.t = t, .how = how, .state = how.seed};
    make_head(&m);
    make_texts(&m);
    make_places(&m);
    make_frames(&m);
    make_locks(&m);
    make_messages(&m);
    make_threads(&m);
    make_gpus(&m);
    make_plots(&m);
    make_pools(&m);
    make_stacks(&m);
    make_switches(&m);
    make_symbols(&m);
    t->last_time = m.clock;
}
