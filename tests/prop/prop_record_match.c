// One track: what the reader gives back beside the calls of its thread or fiber.
#include "prop_record_match.h"

#include <string.h>

// --- what the reader says of a track ---

static void see_zone(void *context, const struct walk_zone *z)
{
    struct seen_track *t = context;
    struct seen s = {.is_zone = true, .zone = *z};
    uint32_t depth = z->depth;
    s.zone.said.text = arena_str(&t->arena, z->said.text);
    s.zone.said.name = arena_str(&t->arena, z->said.name);
    while (t->inner.n <= depth + 1)
        vec_push(&t->inner, 0);
    uint64_t ns = s.zone.end - s.zone.start;
    t->n_wrong += z->children != t->inner.v[depth + 1] || z->children > ns;
    t->inner.v[depth + 1] = 0;
    t->inner.v[depth] += ns;
    t->n_zones++;
    vec_push(&t->v, s);
}

static void see_event(void *context, const struct trace_event *ev)
{
    struct seen_track *t = context;
    struct seen s = {.event = *ev};
    s.event.text = arena_str(&t->arena, ev->text);
    vec_push(&t->v, s);
}

struct seen_track seen_track(const struct trace *r, uint32_t track)
{
    struct seen_track t = {.run = r};
    struct walk_visitor v = {&t, see_zone, see_event};
    walk_track(r, track, &v);
    return t;
}

void seen_free(struct seen_track *t)
{
    vec_free(&t->v);
    vec_free(&t->inner);
    arena_free(&t->arena);
}

str seen_string(const struct trace *r, uint64_t id)
{
    return id < r->strings.keys.n ? r->strings.keys.v[id] : S("?");
}

bool seen_is_handler(const struct trace *r, const struct seen *s)
{
    if (s->is_zone) {
        const struct trace_site *l = &r->sites.v[s->zone.site];
        return str_eq(seen_string(r, l->file), S("handler.c"));
    }
    return s->event.kind == TT_MESSAGE && s->event.text.n && s->event.text.p[0] == '!';
}

// --- one track ---------------------------------------------------------------------------

static const char *where(struct matcher *m, uint32_t i)
{
    (void)snprintf(m->where, sizeof m->where, "%s: list %u, call %u of %u, kind %u",
                   scene_show(m->s), m->list->id, i,
                   __atomic_load_n(&m->list->n, __ATOMIC_RELAXED), m->list->v[i].kind);
    return m->where;
}

static bool is_own_clock(const struct matcher *m, const struct call *c)
{
    return c->epoch != UINT16_MAX && m->s->truth->epochs[c->epoch].is_own;
}

// On the axis, as far as the call's own clock tells.
static bool is_in_time(const struct matcher *m, const struct call *c, uint64_t time)
{
    uint64_t ns = time + m->run->origin_ns;
    uint64_t after = __atomic_load_n(&c->after_ns, __ATOMIC_ACQUIRE);
    if (!is_own_clock(m, c) || !after)
        return true;
    return ns + m->error_ns >= c->before_ns && ns <= after + m->error_ns;
}

static void check_time(struct matcher *m, uint32_t i, uint64_t time)
{
    const struct call *c = &m->list->v[i];
    law_check(m->times, is_in_time(m, c, time),
              "%s: at %lld, called from %lld to %lld, error %llu", where(m, i),
              (long long)time, (long long)(c->before_ns - m->run->origin_ns),
              (long long)(c->after_ns - m->run->origin_ns),
              (unsigned long long)m->error_ns);
    if (c->epoch == UINT16_MAX || is_own_clock(m, c) || !c->after_ns)
        return;
    int64_t low = (int64_t)(time - c->after_ticks),
            high = (int64_t)(time - c->before_ticks);
    if (low > m->low[c->epoch])
        m->low[c->epoch] = low;
    if (high < m->high[c->epoch])
        m->high[c->epoch] = high;
    law_check(m->times, m->low[c->epoch] <= m->high[c->epoch],
              "%s: the program's clock: %lld > %lld", where(m, i),
              (long long)m->low[c->epoch], (long long)m->high[c->epoch]);
}

static bool is_place(const struct trace *r, uint32_t site, uint32_t place)
{
    const struct trace_site *l = &r->sites.v[site];
    struct scene_made m;
    if (place >= PLACES) {
        m = scene_made[place - PLACES];
    } else {
        const struct ttprof_location *p = &scene_places[place];
        m = (struct scene_made){p->file, p->function, p->name, p->line, p->colour};
    }
    return str_eq(seen_string(r, l->name), str_of(m.name ? m.name : m.function)) &&
           str_eq(seen_string(r, l->function), str_of(m.function)) &&
           str_eq(seen_string(r, l->file), str_of(m.file)) && l->line == m.line &&
           l->colour == m.colour;
}

static bool is_name(const struct trace *r, uint64_t id, uint64_t name)
{
    return str_eq(seen_string(r, id), str_of(scene_names[name] ? scene_names[name] : ""));
}

static bool is_text(const struct matcher *m, uint32_t i, str text)
{
    const struct call *c = &m->list->v[i];
    struct buf b = {0};
    if (c->kind == TT_SIGNPOST) {
        // NOLINTNEXTLINE(performance-no-int-to-ptr): a literal of the scene
        buf_z(&b, (const char *)(uintptr_t)c->b);
        buf_z(&b, c->a ? "\nand a message" : "");
    } else {
        scene_text(&b, m->list->id, i, c->bytes);
    }
    bool is = str_eq(buf_view(&b), text);
    buf_free(&b);
    return is;
}

// Do the words say what the call said?
static bool is_event(const struct matcher *m, uint32_t i, const struct trace_event *ev)
{
    const struct call *c = &m->list->v[i];
    const struct trace *r = m->run;
    struct buf name = {0};
    bool is;
    if (ev->kind != c->kind)
        return false;
    switch (c->kind) {
    case TT_MESSAGE: return ev->attribute == c->a && is_text(m, i, ev->text);
    case TT_SIGNPOST:
    case TT_OP: return ev->attribute == 0 && is_text(m, i, ev->text);
    case TT_FRAME_MARK:
    case TT_FRAME_START:
    case TT_FRAME_END: return is_name(r, ev->a, c->a);
    case TT_PLOT_INT:
    case TT_PLOT_REAL: return is_name(r, ev->a, c->a) && ev->b == c->b;
    case TT_ALLOC: return ev->a == c->a && ev->b == c->b && is_name(r, ev->c, c->c);
    case TT_FREE: return ev->a == c->a && is_name(r, ev->b, c->b);
    case TT_LOCK_MARK: return ev->a == c->a && is_place(r, (uint32_t)ev->b, c->place);
    case TT_FIBER_ENTER:
        (void)scene_track_name(&name, &m->s->truth->lists[c->a]);
        is = str_eq(seen_string(r, ev->a), str_of(name.p));
        buf_free(&name);
        return is;
    default: return ev->a == c->a;
    }
}

static const struct seen *next_seen(struct matcher *m)
{
    while (m->at < m->seen->v.n) {
        const struct seen *s = &m->seen->v.v[m->at];
        if (!s->is_zone && s->event.kind == TT_LOST)
            m->n_lost_told += s->event.a;
        else if (!seen_is_handler(m->run, s))
            return s;
        m->at++;
    }
    return NULL;
}

static bool is_open(const struct seen *s)
{
    return s->is_zone && s->zone.flags & ZONE_OPEN;
}

// Lines that are not there were lost.
static uint32_t count_missing_lines(str told, str seen)
{
    uint32_t n = 0;
    while (told.n || seen.n) {
        const char *end = told.n ? memchr(told.p, '\n', told.n) : NULL;
        size_t line = end ? (size_t)(end - told.p) : told.n;
        const char *seen_end = seen.n ? memchr(seen.p, '\n', seen.n) : NULL;
        size_t seen_line = seen_end ? (size_t)(seen_end - seen.p) : seen.n;
        if (!told.n)
            return UINT32_MAX / 2; // what was never said
        if (line == seen_line && memcmp(told.p, seen.p, line) == 0)
            seen = seen_end ? (str){seen_end + 1, seen.n - line - 1} : (str){NULL, 0};
        else
            n++;
        told = end ? (str){end + 1, told.n - line - 1} : (str){NULL, 0};
    }
    return n;
}

static void check_told(struct matcher *m, uint32_t i, const struct zone_told *z,
                       const struct zone_said *seen)
{
    str text = buf_view(&z->text), name = buf_view(&z->name);
    if (m->s->is_lossy) {
        uint32_t n = count_missing_lines(text, seen->text);
        n += z->n_names && !seen->name.n;
        n += z->n_values && !seen->has_value;
        n += z->n_colours && !seen->colour;
        law_check(m->law, n < UINT32_MAX / 2, "%s: a text that was not said", where(m, i));
        m->n_missing += n;
    } else {
        law_check(m->law, str_eq(text, seen->text), "%s: text of %zu bytes, said %zu",
                  where(m, i), seen->text.n, text.n);
    }
    law_check(m->law, str_eq(name, seen->name) || (m->s->is_lossy && !seen->name.n),
              "%s: name %s", where(m, i), prop_show(seen->name));
    law_check(m->law, seen->has_value == (z->n_values > 0) || m->s->is_lossy, "%s: value",
              where(m, i));
    law_check(m->law, !seen->has_value || seen->value == z->value, "%s: value",
              where(m, i));
    law_check(m->law, seen->colour == z->colour || (m->s->is_lossy && !seen->colour),
              "%s: colour %x, said %llx", where(m, i), seen->colour,
              (unsigned long long)z->colour);
}

// The end of a zone is never lost when its beginning is not.
static bool match_end(struct matcher *m, uint32_t i)
{
    const struct seen *s = next_seen(m);
    struct zone_told *z = &m->stack[m->depth - 1];
    const struct call *begin = &m->list->v[z->begin];
    if (!s || is_open(s))
        return false;
    m->at++;
    m->depth--;
    if (!law_check(m->law, s->is_zone, "%s: the end is an event of kind %d", where(m, i),
                   (int)s->event.kind) ||
        !law_check(m->law, is_place(m->run, s->zone.site, begin->place),
                   "%s: a zone of another place", where(m, i)))
        return true;
    check_told(m, i, z, &s->zone.said);
    if (!m->s->has_handlers)
        law_check(m->law, s->zone.depth == m->depth, "%s: depth %u, not %u", where(m, i),
                  s->zone.depth, m->depth);
    check_time(m, z->begin, s->zone.start);
    check_time(m, i, s->zone.end);
    return true;
}

static bool match_event(struct matcher *m, uint32_t i)
{
    const struct seen *s = next_seen(m);
    bool is_it = s && !s->is_zone && is_event(m, i, &s->event) &&
                 (!m->s->is_lossy || is_in_time(m, &m->list->v[i], s->event.time));
    if (!is_it && m->s->is_lossy) {
        m->n_missing++;
        return true;
    }
    if (!s || is_open(s))
        return false;
    m->at++;
    law_check(m->law, is_it, "%s: there is %s %d, a %llx b %llx text %s", where(m, i),
              s->is_zone ? "a zone" : "kind", s->is_zone ? 0 : (int)s->event.kind,
              (unsigned long long)s->event.a, (unsigned long long)s->event.b,
              prop_show(s->event.text));
    if (!is_it)
        return true;
    if (!m->s->is_lossy) // else it may be a later call that said the same
        check_time(m, i, s->event.time);
    const struct call *c = &m->list->v[i];
    if (c->turn && m->turns && !m->s->is_lossy)
        m->turns[4 * c->turn + (c->kind == TT_LOCK_RELEASE  ? 2
                                : c->kind == TT_LOCK_OBTAIN ? 0
                                                            : 1)] = s->event.time + 1;
    return true;
}

static void begin_zone(struct matcher *m, uint32_t i)
{
    struct zone_told *z = &m->stack[m->depth++];
    z->begin = i;
    z->text.n = z->name.n = 0;
    z->n_texts = z->n_names = z->n_values = z->n_colours = 0;
    z->value = z->colour = 0;
}

static void tell_zone(struct matcher *m, uint32_t i)
{
    const struct call *c = &m->list->v[i];
    if (!m->depth) // its beginning was overwritten
        return;
    struct zone_told *z = &m->stack[m->depth - 1];
    switch (c->kind) {
    case TT_ZONE_TEXT:
        if (z->text.n)
            buf_char(&z->text, '\n');
        scene_text(&z->text, m->list->id, i, c->bytes);
        z->n_texts++;
        break;
    case TT_ZONE_NAME:
        z->name.n = 0;
        scene_text(&z->name, m->list->id, i, c->bytes);
        z->n_names++;
        break;
    case TT_ZONE_VALUE:
        z->value = c->a;
        z->n_values++;
        break;
    default: z->colour = c->a; z->n_colours++;
    }
}

// Call i, as it must have come back. False: the recording ends before it.
static bool match_call(struct matcher *m, uint32_t i)
{
    const struct call *c = &m->list->v[i];
    if (c->kind == TT_ZONE_BEGIN) {
        if (c->was_kept)
            begin_zone(m, i);
        else
            m->n_missing++;
        return true;
    }
    if (c->kind == TT_ZONE_END)
        return m->depth ? match_end(m, i) : true;
    if (c->kind >= TT_ZONE_TEXT && c->kind <= TT_ZONE_COLOUR) {
        tell_zone(m, i);
        return true;
    }
    return match_event(m, i);
}

// Zones that have no end, from the inside out.
static void check_open(struct matcher *m, bool is_whole)
{
    const struct seen *s;
    size_t n = 0, first = m->at;
    while ((s = next_seen(m)) &&
           law_check(m->law, is_open(s), "%s: list %u: %zu too many", scene_show(m->s),
                     m->list->id, m->seen->v.n - m->at)) {
        m->at++;
        n++;
    }
    if (s || !law_check(m->law, n <= m->depth, "%s: list %u: %zu open zones, %u were",
                        scene_show(m->s), m->list->id, n, m->depth))
        return;
    m->at = first;
    for (size_t i = n; i-- > 0; m->at++) {
        s = next_seen(m);
        law_check(m->law,
                  is_place(m->run, s->zone.site, m->list->v[m->stack[i].begin].place),
                  "%s: list %u: another zone is open", scene_show(m->s), m->list->id);
        check_time(m, m->stack[i].begin, s->zone.start);
        if (is_whole)
            check_told(m, m->stack[i].begin, &m->stack[i], &s->zone.said);
    }
}

static void matcher_free(struct matcher *m)
{
    for (int i = 0; i <= DEPTH_MOST; i++) {
        buf_free(&m->stack[i].text);
        buf_free(&m->stack[i].name);
    }
}

void match_track(struct matcher *m, struct range_of_calls calls)
{
    uint32_t i = calls.from;
    for (int k = 0; k < EPOCHS_MOST; k++) {
        m->low[k] = INT64_MIN;
        m->high[k] = INT64_MAX;
    }
    while (i < calls.most && match_call(m, i))
        i++;
    law_check(m->law, i >= calls.least, "%s: it ends here, %u have returned", where(m, i),
              calls.least);
    check_open(m, calls.least == calls.most);
    law_check(m->law, m->seen->n_wrong == 0, "%s: list %u: %llu zones with wrong sums",
              scene_show(m->s), m->list->id, (unsigned long long)m->seen->n_wrong);
    matcher_free(m);
}
