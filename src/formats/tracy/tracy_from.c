// tracy_from.c - the recording, places and threads of the contents of a Tracy trace.
#include "formats/tracy/tracy_from.h"

#include "base/data/sort.h"

#include "formats/tracy/tracy_from_parts.h"

#define FIRST_FIBER (UINT64_C(1) << 32)

static struct tracy_ref ref_of(struct from_making *m, uint32_t string)
{
    return (struct tracy_ref){tracy_text(m->to, trace_text(m->from, string)), true, true};
}

uint64_t from_key(struct from_making *m, uint32_t string)
{
    if (!trace_text(m->from, string).n)
        return 0;
    uint32_t text = tracy_text(m->to, trace_text(m->from, string));
    vec_push(&m->to->keyed, (struct keyed){.key = text + 1, .a = text});
    return text + 1;
}

// Place 0 is none; a site has the number after its own.
static void put_places(struct from_making *m)
{
    vec_push(&m->to->places, (struct tracy_place){0});
    vec_push(&m->to->place_keys, 0);
    for (size_t i = 0; i < m->from->sites.n; i++) {
        const struct trace_site *s = &m->from->sites.v[i];
        struct tracy_place p = {.name = ref_of(m, s->name),
                                .function = ref_of(m, s->function),
                                .file = ref_of(m, s->file),
                                .line = s->line > 0 ? (uint32_t)s->line : 0,
                                .colour = s->colour};
        vec_push(&m->to->places, p);
        vec_push(&m->to->place_keys, i + 1);
    }
}

// --- threads ---------------------------------------------------------------------------

static void put_thread_name(struct from_making *m, uint64_t id,
                            const struct trace_track *track)
{
    const struct trace_process *p = &m->from->processes.v[track->process];
    str program = str_base_name(trace_text(m->from, p->program));
    str name = trace_text(m->from, track->name);
    m->text.n = 0;
    if (m->from->processes.n > 1)
        buf_printf(&m->text, "%.*s %u: ", STR(program), p->pid);
    if (name.n)
        buf_str(&m->text, name);
    else
        buf_printf(&m->text, "thread %u", track->tid);
    vec_push(&m->to->thread_names,
             (struct keyed){.key = id, .a = tracy_text(m->to, buf_view(&m->text))});
}

// System ids may be missing, and are used again after a thread has ended.
static uint64_t thread_id(struct map *used, const struct trace_track *track, size_t number,
                          struct arena *a)
{
    uint64_t id = track->tid;
    size_t n = used->keys.n;
    if (track->kind == TRACK_THREAD && id && map_put_copy(used, &id, sizeof id, a) == n)
        return id;
    return FIRST_FIBER + number;
}

static void put_threads(struct from_making *m)
{
    struct arena scratch = {0};
    struct map used = {0};
    struct trace_cursor *c = trace_cursor_new(m->from);
    vec_push(&m->to->threads_used, 0);
    for (uint32_t i = 0; i < m->from->tracks.n; i++) {
        const struct trace_track *track = &m->from->tracks.v[i];
        if (track->kind != TRACK_THREAD && track->kind != TRACK_FIBER)
            continue;
        size_t number = m->to->threads.n;
        uint64_t id = thread_id(&used, track, number, &scratch);
        vec_push(
            &m->to->threads,
            (struct tracy_thread){.id = id,
                                  .is_fiber = track->kind == TRACK_FIBER,
                                  .zones = pile_of(sizeof(struct tracy_zone)),
                                  .switch_samples = pile_of(sizeof(struct tracy_sample)),
                                  .samples = pile_of(sizeof(struct tracy_sample))});
        if (m->to->threads_used.n <= UINT16_MAX)
            vec_push(&m->to->threads_used, id);
        put_thread_name(m, id, track);
        from_thread(m, c, i);
    }
    trace_cursor_free(c);
    map_free(&used);
    arena_free(&scratch);
}

// --- the recording ---------------------------------------------------------------------

static void put_head(struct from_making *m)
{
    struct tracy *to = m->to;
    const struct trace_process *first =
        m->from->processes.n ? &m->from->processes.v[0] : NULL;
    to->generation = m->how.generation;
    to->ns_per_tick = 1;
    to->resolution = 1;
    to->last_time = (int64_t)m->from->end_ns;
    to->pid = first ? first->pid : 0;
    str program = first ? str_base_name(trace_text(m->from, first->program)) : S("");
    to->program = arena_str(&to->arena, str_clip(program, 1000));
    to->capture_name = to->program;
    to->info = S("recorded by ttprof");
}

static void sort_keyed_texts(struct keyed *v, size_t *n)
{
    size_t kept = 0;
    sort_keys(v, *n);
    for (size_t i = 0; i < *n; i++)
        if (!i || v[i].key != v[kept - 1].key)
            v[kept++] = v[i];
    *n = kept;
}

void tracy_from_trace(struct tracy *to, const struct trace *from, struct tracy_from_how how)
{
    struct from_making m = {.to = to, .from = from, .how = how};
    put_head(&m);
    (void)tracy_text(to, S("Frame"));
    (void)pile_add(&to->extras, &to->store); // 0 is none
    put_places(&m);
    put_threads(&m);
    from_put_devices(&m);
    from_put_lanes(&m);
    from_put_events(&m);
    sort_keyed_texts(to->keyed.v, &to->keyed.n);
    sort_keyed_texts(to->thread_names.v, &to->thread_names.n);
    vec_free(&m.events);
    buf_free(&m.text);
}
