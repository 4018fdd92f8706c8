// What a thread of a scene can do, each with a note of it.
#define TTPROF_ENABLE
#include "prop_record_act.h"

#include <string.h>
#include <time.h>

struct ttprof_location scene_places[PLACES] = {
    {"plain", "f", "a.c", 1, 0, 0},
    {NULL, "only_a_function", "dir/b.c", 20, 0x00FF00, 0},
    {"plain", "f", "a.c", 2, 0, 0}, // another line
    {"text with, \"quotes\"; and\nlines", "g", "a.c", 3, 0xFFFFFF, 0},
    {"", "h", "", 0, 1, 0},
    {"handler", "handler", "handler.c", 1, 0, 0},
};
const struct scene_made scene_made[MADE_PLACES] = {
    {"script.py", "main", "", 1, 0},
    {"script.py", "main", "step", 2, 0x123456},
    {"script.py", "\xC3\xA9t\xC3\xA9", "step", 2, 0},
    {"", "", "", 0, 0},
};
const char *const scene_names[NAMES] = {NULL, "one", "two", "",
                                        "a longer name, with commas"};

static __thread struct actor *current; // for handlers

uint64_t play_monotonic(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

// --- texts -------------------------------------------------------------------------------
// Begins with a number that no other text has, as far as it is long enough.
void scene_text(struct buf *b, uint32_t list, uint32_t i, uint32_t bytes)
{
    size_t from = b->n;
    char *to = buf_room(b, bytes + 1);
    char head[32];
    int n = snprintf(head, sizeof head, "%u:%u:", list, i);
    memcpy(to, head, bytes < (uint32_t)n ? bytes : (uint32_t)n);
    for (uint32_t k = (uint32_t)n; k < bytes; k++) {
        uint64_t z = ((uint64_t)list << 40 | (uint64_t)i << 20 | k) * 0x9E3779B97F4A7C15U;
        to[k] = (char)(' ' + (z >> 40) % 200); // no line ends: texts are joined by them
    }
    b->n = from + bytes;
}

static uint32_t random_length(struct actor *x)
{
    const struct scene *s = x->play->s;
    uint32_t most = s->text_most;
    uint32_t n = random_below(&x->random, 60);
    if (random_one_in(&x->random, 10))
        n = random_below(&x->random, most < 5000 ? most : 5000);
    else if (most > 60 && random_one_in(&x->random, 20))
        n = 4090 + random_below(&x->random, 12);
    else if (most > 5000 && random_one_in(&x->random, 100))
        n = random_below(&x->random, most);
    return s->is_lossy && n < 20 ? 20 : n; // long enough to be the only one
}

const char *scene_track_name(struct buf *b, const struct list *l)
{
    b->n = 0;
    buf_printf(b, "%c%u", l->is_fiber ? 'F' : 'T', l->id);
    buf_char(b, '\0');
    return b->p;
}

// --- notes -------------------------------------------------------------------------------
static uint64_t tick(void *context)
{
    return __atomic_add_fetch((uint64_t *)context, 1, __ATOMIC_SEQ_CST);
}

static uint16_t epoch_now(struct play *p)
{
    if (__atomic_load_n(&p->is_switching, __ATOMIC_SEQ_CST))
        return UINT16_MAX;
    return __atomic_load_n(&p->epoch, __ATOMIC_SEQ_CST);
}

// From here on the call may be in the recording.
static struct call *note(struct actor *x, struct list *l, struct call c)
{
    uint32_t n = l->n;
    c.epoch = epoch_now(x->play);
    c.before_ticks = __atomic_load_n(&x->play->s->truth->ticks, __ATOMIC_SEQ_CST);
    c.before_ns = play_monotonic();
    l->v[n] = c;
    __atomic_store_n(&l->n, n + 1, __ATOMIC_RELEASE);
    return &l->v[n];
}

static void noted(struct actor *x, struct list *l, struct call *c)
{
    c->after_ticks = __atomic_load_n(&x->play->s->truth->ticks, __ATOMIC_SEQ_CST);
    if (c->epoch != epoch_now(x->play))
        c->epoch = UINT16_MAX;
    __atomic_store_n(&c->after_ns, play_monotonic(), __ATOMIC_RELEASE);
    __atomic_store_n(&l->n_done, l->n, __ATOMIC_RELEASE);
}

// Calls that go on meanwhile may be of either clock.
void play_switch_clock(struct play *p)
{
    struct truth *t = p->s->truth;
    if (p->epoch + 1 >= EPOCHS_MOST)
        return;
    bool was_own = t->epochs[p->epoch].is_own;
    struct epoch *e = &t->epochs[p->epoch + 1];
    __atomic_store_n(&p->is_switching, 1, __ATOMIC_SEQ_CST);
    e->is_own = !was_own;
    e->before_ns = play_monotonic();
    e->before_ticks = __atomic_load_n(&t->ticks, __ATOMIC_SEQ_CST);
    if (was_own)
        ttprof_use_clock(tick, &t->ticks);
    else
        ttprof_use_clock(NULL, NULL);
    e->after_ns = play_monotonic();
    e->after_ticks = __atomic_load_n(&t->ticks, __ATOMIC_SEQ_CST);
    __atomic_store_n(&p->epoch, p->epoch + 1, __ATOMIC_SEQ_CST);
    __atomic_store_n(&p->is_switching, 0, __ATOMIC_SEQ_CST);
    t->n_epochs = p->epoch + 1U;
}

#define DO(actor_, into_, what_, call_)                                                    \
    do {                                                                                   \
        struct call *noted_ =                                                              \
            (actor_)->play->is_on ? note((actor_), (into_), (struct call)what_) : NULL;    \
        if (ttprof_is_on())                                                                \
            call_;                                                                         \
        if (noted_)                                                                        \
            noted((actor_), (into_), noted_);                                              \
    } while (0)
#define BRACED(...)                                                                        \
    {                                                                                      \
        __VA_ARGS__                                                                        \
    }

// --- zones -------------------------------------------------------------------------------
static ttprof_zone begin(uint32_t place)
{
    ttprof_zone none = {0};
    if (!ttprof_is_on())
        return none;
    if (place < PLACES)
        return ttprof_zone_begin(&scene_places[place]);
    const struct scene_made *m = &scene_made[place - PLACES];
    return ttprof_zone_begin_at(ttprof_location_make(m->file, strlen(m->file), m->function,
                                                     strlen(m->function), m->name,
                                                     strlen(m->name), m->line, m->colour));
}

static void zone_begin(struct actor *x)
{
    struct stack *s = x->sink;
    uint32_t place = random_below(&x->random, HANDLER_PLACE + MADE_PLACES);
    place += place >= HANDLER_PLACE;
    if (s->n_open == DEPTH_MOST)
        return;
    struct call *c =
        x->play->is_on
            ? note(x, s->list,
                   (struct call){.kind = TT_ZONE_BEGIN, .place = place, .was_kept = true})
            : NULL;
    ttprof_zone zone = begin(place);
    if (c) {
        if (!zone.is_open)
            c->was_kept = false;
        noted(x, s->list, c);
    }
    if (zone.is_open) {
        memset(&s->open[s->n_open], 0, sizeof *s->open);
        s->open[s->n_open++].zone = zone;
    }
}

static void zone_end(struct actor *x)
{
    struct stack *s = x->sink;
    if (!s->n_open)
        return;
    ttprof_zone zone = s->open[--s->n_open].zone;
    struct call *c = note(x, s->list, (struct call){.kind = TT_ZONE_END});
    ttprof_zone_end(zone);
    noted(x, s->list, c);
}

static void zone_text(struct actor *x)
{
    struct stack *s = x->sink;
    if (!s->n_open)
        return;
    struct buf b = {0};
    bool is_name = random_one_in(&x->random, 4);
    uint32_t bytes = random_length(x), top = s->n_open - 1;
    if (is_name && s->open[top].has_name && x->play->s->is_lossy)
        return;
    s->open[top].has_name |= is_name;
    scene_text(&b, s->list->id, s->list->n, bytes);
    struct call *c =
        note(x, s->list,
             (struct call){.kind = is_name ? TT_ZONE_NAME : TT_ZONE_TEXT, .bytes = bytes});
    (is_name ? ttprof_zone_name : ttprof_zone_text)(s->open[top].zone, b.p, bytes);
    noted(x, s->list, c);
    buf_free(&b);
}

static void zone_number(struct actor *x)
{
    struct stack *s = x->sink;
    if (!s->n_open)
        return;
    uint32_t top = s->n_open - 1;
    bool is_value = random_one_in(&x->random, 2);
    bool *had = is_value ? &s->open[top].has_value : &s->open[top].has_colour;
    if (*had && x->play->s->is_lossy)
        return;
    *had = true;
    uint64_t number = is_value ? random_bits(&x->random) >> random_below(&x->random, 64)
                               : 1 + random_below(&x->random, 0xFFFFFF);
    struct call *c =
        note(x, s->list,
             (struct call){.kind = is_value ? TT_ZONE_VALUE : TT_ZONE_COLOUR, .a = number});
    if (is_value)
        ttprof_zone_value(s->open[top].zone, number);
    else
        ttprof_zone_colour(s->open[top].zone, (uint32_t)number);
    noted(x, s->list, c);
}

// --- texts that stand alone --------------------------------------------------------------
static void message(struct actor *x)
{
    struct list *l = x->sink->list;
    struct buf b = {0};
    uint32_t bytes = random_length(x), colour = random_below(&x->random, 1 << 24);
    int level = (int)random_below(&x->random, 6);
    bool is_op = random_one_in(&x->random, 4);
    scene_text(&b, l->id, l->n, bytes);
    if (is_op)
        DO(x, l, BRACED(.kind = TT_OP, .bytes = bytes), ttprof_op_put(b.p, bytes));
    else
        DO(x, l,
           BRACED(.kind = TT_MESSAGE, .bytes = bytes, .a = (uint32_t)level << 24 | colour),
           ttprof_message_put(b.p, bytes, level, colour));
    buf_free(&b);
}

// Its number says whether there is a message.
void actor_signpost(struct actor *x, const char *header)
{
    struct list *l = x->sink->list;
    bool has_message = random_one_in(&x->random, 2);
    struct call *c = x->play->is_on ? note(x, l,
                                           (struct call){.kind = TT_SIGNPOST,
                                                         .a = has_message,
                                                         .b = (uintptr_t)header})
                                    : NULL;
    ttprof_signpost_put(header, has_message ? "and a message" : NULL);
    if (c)
        noted(x, l, c);
}

static void signpost(struct actor *x)
{
    actor_signpost(x, random_one_in(&x->random, 2) ? "mark" : "");
}

// --- numbers -----------------------------------------------------------------------------
static void frame(struct actor *x)
{
    static const uint8_t kinds[] = {TT_FRAME_MARK, TT_FRAME_START, TT_FRAME_END};
    static void (*const puts[])(const char *) = {ttprof_frame_put, ttprof_frame_start_put,
                                                 ttprof_frame_end_put};
    uint32_t kind = random_below(&x->random, 3), name = random_below(&x->random, NAMES);
    DO(x, x->sink->list, BRACED(.kind = kinds[kind], .a = name),
       puts[kind](scene_names[name]));
}

static void plot(struct actor *x)
{
    uint64_t value = random_bits(&x->random) >> random_below(&x->random, 64);
    uint32_t name = 1 + random_below(&x->random, NAMES - 1);
    double real;
    memcpy(&real, &value, sizeof real);
    if (real != real || random_one_in(&x->random, 2))
        DO(x, x->sink->list, BRACED(.kind = TT_PLOT_INT, .a = name, .b = value),
           ttprof_plot_int_put(scene_names[name], (int64_t)value));
    else
        DO(x, x->sink->list, BRACED(.kind = TT_PLOT_REAL, .a = name, .b = value),
           ttprof_plot_real_put(scene_names[name], real));
}

static void memory(struct actor *x)
{
    uint64_t at = random_bits(&x->random) >> random_below(&x->random, 60);
    uint64_t bytes = random_bits(&x->random) >> random_below(&x->random, 64);
    uint32_t pool = random_below(&x->random, NAMES);
    // NOLINTNEXTLINE(performance-no-int-to-ptr): addresses are numbers here
    const void *p = (const void *)(uintptr_t)at;
    if (random_one_in(&x->random, 2))
        DO(x, x->sink->list, BRACED(.kind = TT_ALLOC, .a = at, .b = bytes, .c = pool),
           ttprof_alloc_put(p, bytes, scene_names[pool]));
    else
        DO(x, x->sink->list, BRACED(.kind = TT_FREE, .a = at, .b = pool),
           ttprof_free_put(p, scene_names[pool]));
}

// --- locks -------------------------------------------------------------------------------
static struct ttprof_location lock_place = {"lock", "f", "l.c", 5, 0, 0};

// Who has it has the next turn, for all to see.
static void lock(struct actor *x)
{
    struct play *p = x->play;
    struct list *l = x->sink->list;
    if (!p->is_on || p->s->has_tears)
        return;
    uint32_t number = __atomic_load_n(&p->lock, __ATOMIC_ACQUIRE);
    if (number)
        DO(x, l, BRACED(.kind = TT_LOCK_WAIT, .a = number), ttprof_lock_wait(number, 0));
    (void)pthread_mutex_lock(&p->mutex);
    if (!p->lock)
        __atomic_store_n(&p->lock, ttprof_lock_make(&lock_place), __ATOMIC_RELEASE);
    number = p->lock;
    uint32_t turn = __atomic_add_fetch(&p->s->truth->n_turns, 1, __ATOMIC_RELAXED);
    DO(x, l, BRACED(.kind = TT_LOCK_OBTAIN, .a = number, .turn = turn),
       ttprof_lock_obtain(number, 0));
    if (random_one_in(&x->random, 4))
        DO(x, l, BRACED(.kind = TT_LOCK_MARK, .a = number, .place = 1, .turn = turn),
           ttprof_lock_mark(number, &scene_places[1]));
    DO(x, l, BRACED(.kind = TT_LOCK_RELEASE, .a = number, .turn = turn),
       ttprof_lock_release(number, 0));
    (void)pthread_mutex_unlock(&p->mutex);
}

static void shared_lock(struct actor *x)
{
    static const uint8_t kinds[] = {TT_LOCK_WAIT_SHARED, TT_LOCK_OBTAIN_SHARED,
                                    TT_LOCK_RELEASE_SHARED};
    static void (*const puts[])(uint32_t, int) = {ttprof_lock_wait, ttprof_lock_obtain,
                                                  ttprof_lock_release};
    uint32_t number = __atomic_load_n(&x->play->lock, __ATOMIC_ACQUIRE);
    uint32_t kind = random_below(&x->random, 3);
    if (number)
        DO(x, x->sink->list, BRACED(.kind = kinds[kind], .a = number),
           puts[kind](number, 1));
}

// --- fibers ------------------------------------------------------------------------------
static bool is_in_fiber(const struct actor *x)
{
    return x->sink != &x->stack;
}

void actor_drop_fiber(struct actor *x)
{
    if (!is_in_fiber(x))
        return;
    (void)pthread_mutex_unlock(&x->sink->mutex);
    x->sink = &x->stack;
}

static void fiber(struct actor *x)
{
    struct play *p = x->play;
    struct stack *f = &p->fibers[random_below(&x->random, FIBERS)];
    if (!p->s->has_fibers || !p->is_on)
        return;
    if (is_in_fiber(x)) {
        DO(x, x->own, BRACED(.kind = TT_FIBER_LEAVE), ttprof_fiber_leave_put());
        actor_drop_fiber(x);
    } else if (pthread_mutex_trylock(&f->mutex) == 0) {
        struct buf name = {0};
        (void)scene_track_name(&name, f->list);
        DO(x, x->own, BRACED(.kind = TT_FIBER_ENTER, .a = f->list->id),
           ttprof_fiber_enter_put(name.p));
        buf_free(&name);
        x->sink = f;
    }
}

// --- rare --------------------------------------------------------------------------------
static void config(struct actor *x)
{
    if (ttprof_is_on())
        ttprof_plot_config_put(scene_names[1 + random_below(&x->random, NAMES - 1)], 1, 1,
                               0, 0xFF);
    ttprof_app_info_put("info", 4);
    ttprof_lock_name(__atomic_load_n(&x->play->lock, __ATOMIC_ACQUIRE), "the lock", 8);
}

void actor_name(struct actor *x)
{
    struct buf b = {0};
    ttprof_thread_name_put(scene_track_name(&b, x->own));
    buf_free(&b);
}

// --- handlers ----------------------------------------------------------------------------
void actor_handle(__attribute__((unused)) int signal)
{
    struct actor *x = current;
    if (!x || !ttprof_is_on())
        return;
    struct list *l = x->own;
    char text[40] = "!";
    size_t n = 1;
    for (uint32_t v = l->id + 1000 * l->n_handled; v; v /= 10)
        text[n++] = (char)('0' + v % 10);
    if (l->n_handled++ % 2) {
        l->n_handler_events++;
        ttprof_message_put(text, n, 0, l->id);
    } else {
        ttprof_zone zone = ttprof_zone_begin(&scene_places[HANDLER_PLACE]);
        l->n_handler_events++;
        if (zone.is_open) {
            l->n_handler_events++;
            ttprof_zone_end(zone);
        }
    }
}

// --- a thread ----------------------------------------------------------------------------
static const struct {
    void (*act)(struct actor *x);
    uint32_t weight;
} acts[] = {
    {zone_begin, 20}, {zone_end, 18}, {zone_text, 6}, {zone_number, 4}, {message, 4},
    {signpost, 1},    {frame, 4},     {plot, 4},      {memory, 4},      {lock, 2},
    {shared_lock, 1}, {fiber, 4},     {config, 1},
};

static void act(struct actor *x)
{
    uint32_t all = 0, n = sizeof acts / sizeof *acts;
    for (uint32_t i = 0; i < n; i++)
        all += acts[i].weight;
    uint32_t at = random_below(&x->random, all);
    for (uint32_t i = 0; i < n; i++) {
        if (at < acts[i].weight) {
            acts[i].act(x);
            return;
        }
        at -= acts[i].weight;
    }
}

void actor_run(struct actor *x)
{
    if (!x->own->n)
        actor_name(x);
    current = x;
    for (uint32_t i = 0; i < x->play->s->n_calls; i++)
        if (x->sink->list->n + 16 < CALLS_MOST && x->own->n + 16 < CALLS_MOST)
            act(x);
    current = NULL;
}

void actor_leave_fiber(struct actor *x)
{
    if (is_in_fiber(x))
        fiber(x);
}

void actor_leave(struct actor *x)
{
    actor_leave_fiber(x);
    while (x->stack.n_open && !random_one_in(&x->random, 10))
        zone_end(x);
}
