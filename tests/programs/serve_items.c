// serve_items.c - moments of a program as items of its Tracy client, and answers.
#include "base/text/buf.h"

#include "formats/tracy/tracy_colour.h"
#include "serve_tracy.h"

// Keys of texts that the file has without one; still free, and below 2^56.
#define NUMBERED (UINT64_C(1) << 55)

static struct recorder_piece piece(str s)
{
    return (struct recorder_piece){s.p, s.n};
}

static uint64_t key_of(struct tracy_ref r)
{
    return !r.is_set ? 0 : r.is_number ? NUMBERED | r.value : r.value;
}

static str text_of(const struct serving *s, uint64_t key)
{
    return key & NUMBERED ? tracy_string(s->t, (uint32_t)(key & ~NUMBERED))
                          : tracy_keyed_text(s->t, key);
}

// Fibers are served as threads.
static uint32_t tid_of(const struct serving *s, size_t thread)
{
    enum { FIBERS = 1 << 30 };
    const struct tracy_thread *t = &s->t->threads.v[thread];
    return t->is_fiber ? FIBERS + (uint32_t)thread : (uint32_t)t->id;
}

// --- events ----------------------------------------------------------------------------

static uint8_t *put_timed(struct serving *s, enum tracy_item kind, int64_t time)
{
    uint8_t *item = recorder_out_item(s->out, kind, 0);
    recorder_out_time(s->out, item, s->begin + time);
    return item;
}

static void put_made_place(struct serving *s, const struct tracy_place *p)
{
    struct buf b = {0};
    buf_str(&b, (str){(const char *)&p->colour, sizeof p->colour});
    buf_str(&b, (str){(const char *)&p->line, sizeof p->line});
    buf_str(&b, tracy_ref_text(s->t, p->function));
    buf_char(&b, '\0');
    buf_str(&b, tracy_ref_text(s->t, p->file));
    buf_char(&b, '\0');
    if (p->name.is_set)
        buf_str(&b, tracy_ref_text(s->t, p->name));
    recorder_out_text(s->out, TRACY_MADE_PLACE, 0, piece(buf_view(&b)));
    buf_free(&b);
}

// --- devices ---------------------------------------------------------------------------

// Their time is that of the trace, whatever it was once: 0 is `begin`.
void serve_devices(struct serving *s)
{
    const float period = 1;
    uint32_t bits;
    memcpy(&bits, &period, sizeof bits);
    for (size_t i = 0; i < s->t->gpus.n; i++) {
        const struct tracy_gpu *gpu = &s->t->gpus.v[i];
        uint8_t *item = put_timed(s, TRACY_GPU_CONTEXT, 0);
        recorder_out_set(s->out, item, TRACY_THREAD_FIELD, gpu->thread);
        recorder_out_set(s->out, item, TRACY_PERIOD_FIELD, bits);
        recorder_out_set(s->out, item, TRACY_CONTEXT_FIELD, i);
        recorder_out_set(s->out, item, TRACY_TYPE_FIELD, gpu->type);
        if (gpu->name) {
            recorder_out_string(s->out, piece(tracy_string(s->t, gpu->name - 1)));
            recorder_out_set(s->out, recorder_out_item(s->out, TRACY_GPU_NAME, 0),
                             TRACY_CONTEXT_FIELD, i);
        }
    }
}

static void put_device_time(struct serving *s, uint32_t gpu, int64_t time)
{
    uint8_t *item = recorder_out_item(s->out, TRACY_GPU_TIME, 0);
    recorder_out_time(s->out, item, time);
    recorder_out_set(s->out, item, TRACY_QUERY_FIELD, s->query);
    recorder_out_set(s->out, item, TRACY_CONTEXT_FIELD, gpu);
}

static void put_device_zone(struct serving *s, const struct moment *m)
{
    const struct tracy_gpu_zone *z = serve_device_zone(s, m->owner, m->number);
    bool is_begin = m->kind == DEVICE_BEGIN, is_made = is_begin && z->place < 0;
    int64_t cpu = is_begin ? z->cpu_start : z->cpu_end, time = is_begin ? z->start : z->end;
    uint64_t lane = s->t->gpus.v[m->owner].lanes.v[m->number >> 32].thread;
    if (is_made)
        put_made_place(s, &s->t->made_places.v[-1 - z->place]);
    uint8_t *item = put_timed(s,
                              is_made    ? TRACY_GPU_BEGIN_MADE_SERIAL
                              : is_begin ? TRACY_GPU_BEGIN_SERIAL
                                         : TRACY_GPU_END_SERIAL,
                              cpu < 0 ? 0 : cpu);
    s->query++;
    recorder_out_set(s->out, item, TRACY_THREAD_FIELD, lane);
    recorder_out_set(s->out, item, TRACY_QUERY_FIELD, s->query);
    recorder_out_set(s->out, item, TRACY_CONTEXT_FIELD, m->owner);
    if (is_begin && !is_made)
        recorder_out_set(s->out, item, TRACY_PLACE_FIELD, s->t->place_keys.v[z->place]);
    if (time >= 0)
        put_device_time(s, m->owner, time);
}

// --- threads ---------------------------------------------------------------------------

static void put_begin(struct serving *s, const struct tracy_zone *z)
{
    const struct tracy_extra *x = pile_at(&s->t->extras, z->extra);
    if (z->place < 0) {
        put_made_place(s, &s->t->made_places.v[-1 - z->place]);
        (void)put_timed(s, TRACY_ZONE_BEGIN_MADE, z->start);
    } else {
        recorder_out_zone_begin(s->out, s->begin + z->start, s->t->place_keys.v[z->place]);
    }
    if (x->text) {
        recorder_out_string(s->out, piece(tracy_string(s->t, x->text - 1)));
        (void)recorder_out_item(s->out, TRACY_ZONE_TEXT, 0);
    }
    if (x->name) {
        recorder_out_string(s->out, piece(tracy_string(s->t, x->name - 1)));
        (void)recorder_out_item(s->out, TRACY_ZONE_NAME, 0);
    }
    if (x->colour)
        recorder_out_set(s->out, recorder_out_item(s->out, TRACY_ZONE_COLOUR, 0),
                         TRACY_COLOUR_FIELD, x->colour);
}

static void put_message(struct serving *s, const struct tracy_message *m)
{
    bool is_coloured = m->colour != UINT32_MAX, is_literal = !m->text.is_number;
    enum tracy_item kind = is_literal ? TRACY_LITERAL : TRACY_MESSAGE;
    if (!is_literal)
        recorder_out_string(s->out, piece(tracy_ref_text(s->t, m->text)));
    uint8_t *item = put_timed(s, kind + is_coloured, m->time);
    recorder_out_set(s->out, item, TRACY_NAME_FIELD, m->text.value);
    recorder_out_set(s->out, item, TRACY_COLOUR_FIELD, tracy_swap_colour(m->colour));
    recorder_out_set(s->out, item, TRACY_META_FIELD,
                     (uint64_t)m->severity << 4 | m->source);
}

static void put_frame(struct serving *s, const struct moment *m)
{
    static const enum tracy_item kinds[] = {[FRAME_MARK] = TRACY_FRAME_MARK,
                                            [FRAME_START] = TRACY_FRAME_START,
                                            [FRAME_END] = TRACY_FRAME_END};
    const struct tracy_frames *set = &s->t->frame_sets.v[m->owner];
    const struct tracy_frame *f = pile_at(&set->frames, m->number);
    uint8_t *item = put_timed(s, kinds[m->kind], m->kind == FRAME_END ? f->end : f->start);
    recorder_out_set(s->out, item, TRACY_NAME_FIELD, set->name);
}

// The thread of a value does not matter to a trace.
static void put_point(struct serving *s, const struct moment *m)
{
    const struct tracy_plot *plot = &s->t->plots.v[m->owner];
    const struct tracy_point *p = pile_at(&plot->points, m->number);
    uint64_t value;
    memcpy(&value, &p->value, sizeof value);
    if (m->number == 0) {
        uint8_t *made = recorder_out_item(s->out, TRACY_PLOT_CONFIG, 0);
        recorder_out_set(s->out, made, TRACY_NAME_FIELD, plot->name);
        recorder_out_set(s->out, made, TRACY_TYPE_FIELD, plot->format);
        recorder_out_set(s->out, made, TRACY_FLAGS_FIELD, plot->is_step);
        recorder_out_set(s->out, made, TRACY_ID_FIELD, plot->is_filled);
        recorder_out_set(s->out, made, TRACY_COLOUR_FIELD, plot->colour);
    }
    recorder_out_thread(s->out, s->t->threads.n ? tid_of(s, 0) : 1);
    uint8_t *item = put_timed(s, TRACY_PLOT_DOUBLE, p->time);
    recorder_out_set(s->out, item, TRACY_NAME_FIELD, plot->name);
    recorder_out_set(s->out, item, TRACY_VALUE_FIELD, value);
}

void serve_moments(struct serving *s, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        const struct moment *m = &s->all.v[s->order.v[i].a];
        if (m->kind <= MESSAGE)
            recorder_out_thread(s->out, tid_of(s, m->owner));
        if (m->kind == ZONE_BEGIN)
            put_begin(s, serve_zone(s, m->owner, m->number));
        else if (m->kind == ZONE_END)
            recorder_out_zone_end(
                s->out, s->begin + serve_zone_end(s, serve_zone(s, m->owner, m->number)));
        else if (m->kind == MESSAGE)
            put_message(s, pile_at(&s->t->messages, m->number));
        else if (m->kind == POINT)
            put_point(s, m);
        else if (m->kind >= DEVICE_BEGIN)
            put_device_zone(s, m);
        else
            put_frame(s, m);
    }
}

// --- answers ---------------------------------------------------------------------------

static void answer_place(struct serving *s, uint64_t key)
{
    struct tracy_place p = {0};
    for (size_t i = 0; i < s->t->places.n; i++)
        if (s->t->place_keys.v[i] == key)
            p = s->t->places.v[i];
    uint8_t *item = recorder_out_item(s->out, TRACY_PLACE, 0);
    recorder_out_set(s->out, item, TRACY_NAME_FIELD, key_of(p.name));
    recorder_out_set(s->out, item, TRACY_FUNCTION_FIELD, key_of(p.function));
    recorder_out_set(s->out, item, TRACY_PLACE_FIELD, key_of(p.file));
    recorder_out_set(s->out, item, TRACY_LINE_FIELD, p.line);
    recorder_out_set(s->out, item, TRACY_COLOUR_FIELD, p.colour);
}

static void answer_thread(struct serving *s, uint64_t tid)
{
    str name = S("???");
    for (size_t i = 0; i < s->t->threads.n; i++)
        if (tid_of(s, i) == tid)
            name = tracy_thread_name(s->t, s->t->threads.v[i].id);
    recorder_out_text(s->out, TRACY_THREAD_NAME, tid, piece(name));
}

void serve_answer(struct serving *s, const struct tracy_ask *ask)
{
    static const enum tracy_item texts[TRACY_ASKS] = {[TRACY_ASK_STRING] = TRACY_TEXT,
                                                      [TRACY_ASK_PLOT] = TRACY_PLOT_NAME,
                                                      [TRACY_ASK_FRAME] = TRACY_FRAME_NAME};
    if (ask->query == TRACY_ASK_TERMINATE)
        s->is_over = true;
    else if (ask->query == TRACY_ASK_THREAD)
        answer_thread(s, ask->key);
    else if (ask->query == TRACY_ASK_PLACE)
        answer_place(s, ask->key);
    else if (ask->query < TRACY_ASKS && texts[ask->query])
        recorder_out_text(s->out, texts[ask->query], ask->key, piece(text_of(s, ask->key)));
    else
        (void)recorder_out_item(s->out, TRACY_ACK, 0);
}

// A place is matched by its order only: an unasked one among others would be taken for one
// of them.
void serve_unasked(struct serving *s, bool may_be_asked)
{
    static const enum tracy_item texts[] = {TRACY_TEXT, TRACY_PLOT_NAME, TRACY_FRAME_NAME,
                                            TRACY_THREAD_NAME, TRACY_FIBER_NAME};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        recorder_out_text(s->out, texts[i], 0x5555, piece(S("nobody asked")));
    if (s->t->threads.n)
        answer_thread(s, tid_of(s, 0));
    if (!may_be_asked && s->t->places.n > 1)
        answer_place(s, s->t->place_keys.v[1]);
    (void)recorder_out_item(s->out, TRACY_ACK, 0);
    (void)recorder_out_item(s->out, TRACY_ACK_NO_SOURCE, 0);
    (void)recorder_out_item(s->out, TRACY_ACK_NO_CODE, 0);
}
