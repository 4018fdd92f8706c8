// capture_threads.c - threads, fibers, and what the scheduler did with them.
#include "formats/tracy/capture/capture_parts.h"

enum { // reasons and states that the file format has beside those of the kernel
    REASON_FIBER = 99,
    REASON_WAKEUP = -2,
    STATE_NONE = -1
};
static const uint64_t first_fiber = UINT64_C(1) << 32;

static struct thread_state *new_thread(struct capture *c, uint64_t id)
{
    struct thread_state *s = push_one(&c->arena, struct thread_state);
    s->id = id;
    s->number = (uint32_t)c->t->threads.n;
    vec_push(&c->t->threads, (struct tracy_thread){
                                 .id = id,
                                 .is_fiber = id >= first_fiber,
                                 .zones = pile_of(sizeof(struct tracy_zone)),
                                 .switch_samples = pile_of(sizeof(struct tracy_sample)),
                                 .samples = pile_of(sizeof(struct tracy_sample)),
                             });
    vec_push(&c->states, s);
    capture_need_thread(c, id);
    return s;
}

struct thread_state *capture_thread(struct capture *c, uint64_t id)
{
    bool is_new;
    // Beyond the limit everything goes to the last thread.
    if (c->states.n >= THINGS_MOST && capture_key_get(&c->threads, id) == MAP_NONE) {
        capture_odd(c, "threads beyond the limit");
        return c->states.v[c->states.n - 1];
    }
    uint32_t number = capture_key(c, &c->threads, id, &is_new);
    return is_new ? new_thread(c, id) : c->states.v[number];
}

struct thread_state *capture_now(struct capture *c)
{
    struct thread_state *s = capture_thread(c, c->thread);
    c->now = s->fiber ? s->fiber : s;
    return c->now;
}

uint16_t capture_used_thread(struct capture *c, uint64_t id)
{
    bool is_new;
    if (c->used.keys.n >= USED_THREADS_MOST && capture_key_get(&c->used, id) == MAP_NONE) {
        capture_odd(c, "threads of events beyond the limit");
        return 0;
    }
    uint32_t number = capture_key(c, &c->used, id, &is_new);
    if (is_new)
        vec_push(&c->t->threads_used, id);
    return (uint16_t)number;
}

void capture_on_thread(struct capture *c, const struct item *it)
{
    c->thread = item_get(it, TRACY_THREAD_FIELD);
    c->clocks[TRACY_CLOCK_THREAD] = 0;
    c->now = NULL;
}

void capture_on_group(struct capture *c, const struct item *it)
{
    uint32_t number = capture_key_get(&c->threads, item_get(it, TRACY_THREAD_FIELD));
    if (number == MAP_NONE)
        capture_odd(c, "a group of a thread without events");
    else
        c->t->threads.v[number].group = (int32_t)item_get(it, TRACY_ID_FIELD);
}

// --- fibers ----------------------------------------------------------------------------

static struct thread_state *fiber_of(struct capture *c, uint64_t key)
{
    bool is_new;
    uint32_t at = capture_key(c, &c->fiber_keys, key, &is_new);
    if (at == MAP_NONE)
        return NULL;
    if (is_new) {
        vec_push(&c->fibers, capture_thread(c, first_fiber + at));
        capture_ask(c, TRACY_ASK_FIBER, key);
    }
    return c->fibers.v[at];
}

static void leave_fiber(struct capture *c, struct thread_state *s, int64_t time)
{
    if (!s->fiber)
        return;
    struct pile *p = &capture_switches(c, s->fiber->id)->switches;
    ((struct tracy_switch *)pile_at(p, p->n - 1))->end = time;
    s->fiber = NULL;
}

void capture_on_fiber(struct capture *c, const struct item *it)
{
    int64_t time = capture_time(c, it);
    uint64_t id = item_get(it, TRACY_THREAD_FIELD);
    struct thread_state *s = capture_thread(c, id);
    capture_note_time(c, time);
    leave_fiber(c, s, time);
    c->now = NULL;
    if (it->layout->item == TRACY_FIBER_LEAVE) {
        (void)capture_used_thread(c, id);
        return;
    }
    s->fiber = fiber_of(c, item_get(it, TRACY_NAME_FIELD));
    if (!s->fiber)
        return;
    c->t->threads.v[s->fiber->number].group = (int32_t)item_get(it, TRACY_ID_FIELD);
    struct pile *p = &capture_switches(c, s->fiber->id)->switches;
    struct tracy_switch *w = pile_add(p, &c->t->store);
    *w = (struct tracy_switch){.wakeup = time,
                               .start = time,
                               .end = -1,
                               .reason = REASON_FIBER,
                               .state = STATE_NONE,
                               .thread = capture_used_thread(c, id)};
}

// --- the scheduler ---------------------------------------------------------------------

struct tracy_switches *capture_switches(struct capture *c, uint64_t id)
{
    bool is_new;
    uint32_t at = capture_key(c, &c->switched, id, &is_new);
    if (is_new)
        vec_push(&c->t->switches,
                 (struct tracy_switches){.thread = id,
                                         .switches = pile_of(sizeof(struct tracy_switch))});
    return &c->t->switches.v[at == MAP_NONE ? 0 : at];
}

static struct tracy_switch *last_switch(struct capture *c, uint64_t id)
{
    uint32_t at = capture_key_get(&c->switched, id);
    if (at == MAP_NONE)
        return NULL;
    struct pile *p = &c->t->switches.v[at].switches;
    return p->n ? pile_at(p, p->n - 1) : NULL;
}

static struct tracy_cpu_thread *cpu_thread(struct capture *c, uint64_t id)
{
    bool is_new;
    uint32_t at = capture_key(c, &c->cpu_threads, id, &is_new);
    if (is_new)
        vec_push(&c->t->cpu_threads, (struct tracy_cpu_thread){.tid = id});
    return &c->t->cpu_threads.v[at == MAP_NONE ? 0 : at];
}

static void thread_stops(struct capture *c, const struct item *it, uint64_t id,
                         int64_t time)
{
    struct tracy_switch *w = last_switch(c, id);
    if (w) {
        struct tracy_cpu_thread *x = cpu_thread(c, id);
        w->end = time;
        w->reason = (int8_t)item_get(it, TRACY_TYPE_FIELD);
        w->state = (int8_t)item_get(it, TRACY_FLAGS_FIELD);
        // The sum of what a client makes up may wrap.
        x->running = (int64_t)((uint64_t)x->running + (uint64_t)(time - w->start));
        x->regions++;
    }
    struct pile *on_cpu = &c->t->cpu_switches[item_get(it, TRACY_ID_FIELD)];
    if (on_cpu->n)
        ((struct tracy_cpu_switch *)pile_at(on_cpu, on_cpu->n - 1))->end = time;
}

static uint16_t external_thread(struct capture *c, uint64_t id)
{
    struct tracy *t = c->t;
    capture_need_external(c, id);
    if (!t->external_used.n)
        vec_push(&t->external_used, 0); // number 0 is none
    if (t->external_used.n == t->external_names.n)
        vec_push(&t->external_used, id);
    uint32_t at = capture_key_get(&c->external_keys, id);
    return at < USED_THREADS_MOST ? (uint16_t)(at + 1) : 0;
}

static void thread_starts(struct capture *c, uint64_t id, uint8_t cpu, int64_t time)
{
    struct pile *p = &capture_switches(c, id)->switches;
    struct tracy_switch *w = p->n ? pile_at(p, p->n - 1) : NULL;
    bool is_woken = w && w->reason == REASON_WAKEUP;
    size_t before = p->n - (is_woken ? 1 : 0);
    bool is_moved = before && ((struct tracy_switch *)pile_at(p, before - 1))->cpu != cpu;
    if (!is_woken) {
        w = pile_add(p, &c->t->store);
        w->wakeup = time;
    }
    w->start = time;
    w->end = -1;
    w->cpu = cpu;
    w->reason = w->state = STATE_NONE;
    struct tracy_cpu_switch *on_cpu = pile_add(&c->t->cpu_switches[cpu], &c->t->store);
    *on_cpu = (struct tracy_cpu_switch){time, -1, external_thread(c, id)};
    c->t->n_cpu_switches++;
    cpu_thread(c, id)->migrations += is_moved;
}

void capture_on_switch(struct capture *c, const struct item *it)
{
    int64_t time = capture_time(c, it);
    uint64_t from = item_get(it, TRACY_THREAD_FIELD), to = item_get(it, TRACY_OTHER_FIELD);
    capture_note_time(c, time);
    if (from)
        thread_stops(c, it, from, time);
    if (to)
        thread_starts(c, to, (uint8_t)item_get(it, TRACY_ID_FIELD), time);
}

void capture_on_wakeup(struct capture *c, const struct item *it)
{
    int64_t time = capture_time(c, it);
    uint64_t id = item_get(it, TRACY_THREAD_FIELD);
    struct tracy_switch *w = last_switch(c, id);
    capture_note_time(c, time);
    if (w && w->end < 0)
        return; // it runs
    w = pile_add(&capture_switches(c, id)->switches, &c->t->store);
    *w = (struct tracy_switch){.wakeup = time,
                               .start = time,
                               .end = -1,
                               .wakeup_cpu = (uint8_t)item_get(it, TRACY_ID_FIELD),
                               .reason = REASON_WAKEUP,
                               .state = STATE_NONE};
}

// --- samples ---------------------------------------------------------------------------

static bool is_in_kernel(const struct tracy *t, uint32_t stack)
{
    uint64_t address = 0;
    if (stack && t->stacks.v[stack - 1].n >= sizeof address)
        memcpy(&address, t->stacks.v[stack - 1].p, sizeof address);
    return address >> 63;
}

void capture_on_sample(struct capture *c, const struct item *it)
{
    const struct tracy_layout *l = it->layout;
    uint64_t v = item_get(it, TRACY_TIME_FIELD);
    c->clocks[TRACY_CLOCK_SWITCH] += (uint64_t)tracy_wide_time(
        c->layouts.generation, l->fields[TRACY_TIME_FIELD].bytes, v);
    int64_t time = capture_trace_time(c, c->clocks[TRACY_CLOCK_SWITCH]);
    capture_note_time(c, time);
    uint32_t stack = capture_take_stack(c, &c->stack);
    // The list of threads may move when one is added to it.
    uint32_t number = capture_thread(c, item_get(it, TRACY_THREAD_FIELD))->number;
    struct tracy_thread *t = &c->t->threads.v[number];
    bool is_of_switch = l->item == TRACY_SAMPLE_SWITCH ||
                        l->item == TRACY_SAMPLE_SWITCH_32 ||
                        l->item == TRACY_SAMPLE_SWITCH_16;
    struct tracy_sample *s =
        pile_add(is_of_switch ? &t->switch_samples : &t->samples, &c->t->store);
    *s = (struct tracy_sample){time, stack};
    t->kernel_samples += is_in_kernel(c->t, stack);
}

void capture_on_hardware(struct capture *c, const struct item *it)
{
    bool is_new;
    int64_t time = capture_time(c, it);
    unsigned kind = it->layout->item - TRACY_HW_CYCLES;
    uint64_t address = item_get(it, TRACY_ADDRESS_FIELD);
    uint32_t at = capture_key(c, &c->hardware, address, &is_new);
    if (at == MAP_NONE)
        return;
    if (is_new) {
        struct tracy_hardware h = {.address = address};
        for (size_t i = 0; i < TRACY_HW_KINDS; i++)
            h.times[i] = pile_of(sizeof(int64_t));
        vec_push(&c->t->hardware, h);
    }
    capture_note_time(c, time);
    *(int64_t *)pile_add(&c->t->hardware.v[at].times[kind], &c->t->store) = time;
}
