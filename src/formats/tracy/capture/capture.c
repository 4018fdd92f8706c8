// capture.c - the bytes of a client become blocks: welcome, on-demand payload, LZ4 frames.
#include "formats/tracy/capture/capture.h"

#include <lz4.h>
#include <time.h>

#include "base/text/buf.h"

#include "formats/tracy/capture/capture_parts.h"

// Blocks are decoded one behind the other, so that each one's history is in front of it;
// only once per some blocks the history is moved to the beginning.
enum { DECODED_BYTES = TRACY_HISTORY + 4 * TRACY_BLOCK_MOST, LENGTH_BYTES = 4 };

// NOLINTBEGIN(bugprone-suspicious-missing-comma): one text has two lines
#define FAILURE_TEXT(name, text) text,
const char *const capture_failure_texts[CAPTURE_FAILURE_KINDS] = {
    CAPTURE_FAILURES(FAILURE_TEXT)};
// NOLINTEND(bugprone-suspicious-missing-comma)

size_t capture_window(size_t send_buffer_bytes)
{
    size_t fit = send_buffer_bytes / sizeof(struct tracy_ask);
    fit = fit < 8192 ? fit : 8192;
    return fit > 8 ? fit - 4 : 4;
}

struct capture *capture_start(struct tracy *t, enum tracy_generation generation,
                              size_t window)
{
    static const uint8_t minors[TRACY_GENERATIONS] = {
        [TRACY_F10] = 10, [TRACY_U14] = 14, [TRACY_T14] = 14};
    struct capture *c = mem_alloc(sizeof *c);
    c->t = t;
    c->window = window;
    c->decoded = mem_alloc(DECODED_BYTES);
    tracy_layouts_make(&c->layouts, generation);
    t->generation = generation == TRACY_T14 ? TRACY_U14 : generation;
    t->version[1] = minors[generation];

    // What every trace has: "Frame", key and thread and place 0, an empty extra, pool 0.
    bool is_new;
    uint32_t frame = tracy_text(t, S("Frame"));
    capture_key(c, &c->text_keys, 0, &is_new);
    vec_push(&t->keyed, (struct keyed){.key = 0, .a = frame});
    capture_key(c, &c->used, 0, &is_new);
    vec_push(&t->threads_used, 0);
    capture_key(c, &c->place_keys, 0, &is_new);
    vec_push(&t->place_keys, 0);
    vec_push(&t->places, (struct tracy_place){0});
    pile_add(&t->extras, &t->store);
    capture_pool(c, 0);
    return c;
}

// --- the welcome -----------------------------------------------------------------------

static str local_time(struct arena *a, str program, uint64_t epoch)
{
    time_t at = (time_t)epoch;
    struct tm tm = {0};
    char text[64] = "?";
    if (localtime_r(&at, &tm))
        (void)strftime(text, sizeof text, "%F %T", &tm);
    return arena_printf(a, "%.*s @ %s", STR(program), text);
}

static void take_welcome(struct capture *c, const char *bytes)
{
    struct tracy_welcome w;
    struct tracy *t = c->t;
    // Flag 2 has another meaning in the older generation.
    unsigned ignore = c->layouts.generation == TRACY_F10 ? 1 : 1 | 2;
    tracy_welcome_get(c->layouts.generation, bytes, &w);
    c->begin = (uint64_t)w.begin;
    c->ns_per_tick = w.ns_per_tick;
    t->ns_per_tick = w.ns_per_tick;
    t->delay = capture_whole((double)w.delay * w.ns_per_tick);
    t->resolution = capture_whole((double)w.resolution * w.ns_per_tick);
    t->pid = w.pid;
    t->sampling_period = w.sampling_period;
    t->cpu_arch = w.cpu_arch;
    t->cpu_id = w.cpu_id;
    memcpy(t->cpu_maker, w.cpu_maker, sizeof t->cpu_maker);
    t->is_on_demand = w.flags & TRACY_ON_DEMAND;
    c->ignores_free_faults = w.flags & ignore;
    t->program = arena_str(&t->arena, str_of(w.program));
    t->info = arena_str(&t->arena, str_of(w.info));
    t->capture_time = w.epoch;
    t->executable_time = w.executable_time;
    t->capture_name = local_time(&t->arena, t->program, w.epoch);

    struct tracy_frames *base = capture_frames(c, 0, true);
    int64_t end = capture_trace_time(c, (uint64_t)w.end);
    capture_add_frame(c, base, 0);
    capture_add_frame(c, base, end);
    capture_note_time(c, end);
    c->stage = t->is_on_demand ? AT_DEMAND : AT_BLOCKS;
}

static void take_demand(struct capture *c, const char *bytes)
{
    struct tracy_demand d;
    memcpy(&d, bytes, sizeof d);
    int64_t now = capture_trace_time(c, d.now);
    c->t->frame_offset = d.frames;
    capture_add_frame(c, capture_frames(c, 0, true), now);
    capture_note_time(c, now);
    c->stage = AT_BLOCKS;
}

// --- blocks ----------------------------------------------------------------------------

static bool stop(struct capture *c, const char *trouble)
{
    c->stage = AT_END;
    c->trouble = trouble;
    return false;
}

static bool take_block(struct capture *c, const char *packed, size_t n)
{
    if (c->decoded_at + TRACY_BLOCK_MOST > DECODED_BYTES) {
        memmove(c->decoded, c->decoded + c->decoded_at - TRACY_HISTORY, TRACY_HISTORY);
        c->decoded_at = TRACY_HISTORY;
    }
    size_t history = c->decoded_at < TRACY_HISTORY ? c->decoded_at : TRACY_HISTORY;
    char *to = c->decoded + c->decoded_at;
    int got = LZ4_decompress_safe_usingDict(packed, to, (int)n, TRACY_BLOCK_MOST,
                                            to - history, (int)history);
    if (got <= 0)
        return stop(c, "a compressed block is damaged");
    c->decoded_at += (size_t)got;
    return capture_block(c, to, (size_t)got) || stop(c, "an item is unknown or cut off");
}

// Bytes of the next unit, given its beginning; 0: more of it is needed to say.
static size_t unit_bytes(struct capture *c, const char *p, size_t n)
{
    uint32_t packed;
    if (c->stage == AT_WELCOME)
        return tracy_welcome_bytes(c->layouts.generation);
    if (c->stage == AT_DEMAND)
        return sizeof(struct tracy_demand);
    if (n < LENGTH_BYTES)
        return 0;
    memcpy(&packed, p, LENGTH_BYTES);
    if (packed == 0 || packed > TRACY_PACKED_MOST)
        stop(c, "the length of a block is impossible");
    return LENGTH_BYTES + (size_t)packed;
}

static bool take_unit(struct capture *c, const char *p, size_t n)
{
    if (c->stage == AT_BLOCKS)
        return take_block(c, p + LENGTH_BYTES, n - LENGTH_BYTES);
    if (c->stage == AT_WELCOME)
        take_welcome(c, p);
    else
        take_demand(c, p);
    return true;
}

// Takes whole units from the front of the bytes; returns how many bytes they were.
static size_t take_units(struct capture *c, const char *p, size_t n)
{
    size_t done = 0;
    while (c->stage != AT_END) {
        size_t unit = unit_bytes(c, p + done, n - done);
        if (!unit || unit > n - done || c->stage == AT_END || !take_unit(c, p + done, unit))
            break;
        done += unit;
    }
    return done;
}

// Completes the unit whose beginning is held; returns the bytes used for it.
static size_t complete_unit(struct capture *c, const char *p, size_t n)
{
    size_t used = 0;
    while (used < n && c->stage != AT_END) {
        size_t unit = unit_bytes(c, c->in.p, c->in.n);
        size_t want = (unit ? unit : LENGTH_BYTES) - c->in.n;
        size_t part = want < n - used ? want : n - used;
        if (c->stage == AT_END)
            break;
        buf_str(&c->in, (str){p + used, part});
        used += part;
        unit = unit_bytes(c, c->in.p, c->in.n);
        if (c->stage == AT_END || (unit && unit == c->in.n)) {
            if (c->stage != AT_END)
                (void)take_unit(c, c->in.p, unit);
            c->in.n = 0;
            break;
        }
    }
    return used;
}

bool capture_feed(struct capture *c, const void *bytes, size_t n)
{
    const char *p = bytes;
    size_t done = c->in.n ? complete_unit(c, p, n) : 0;
    if (!c->in.n)
        done += take_units(c, p + done, n - done);
    if (c->stage != AT_END && done < n)
        buf_str(&c->in, (str){p + done, n - done});
    return c->stage != AT_END;
}

// --- what is known ---------------------------------------------------------------------

const char *capture_trouble(const struct capture *c)
{
    return c->trouble;
}

bool capture_is_welcome(const struct capture *c)
{
    return c->stage != AT_WELCOME;
}

uint64_t capture_begin_tick(const struct capture *c)
{
    return c->begin;
}

bool capture_is_ending(const struct capture *c)
{
    return c->is_ending;
}

static bool is_any_zone_open(const struct capture *c)
{
    for (size_t i = 0; i < c->states.n; i++)
        if (c->states.v[i]->open.n)
            return true;
    return false;
}

bool capture_is_answered(const struct capture *c)
{
    return c->n_asked == c->n_answered && c->first_ask == c->asks.n && !c->frames_left;
}

uint64_t capture_answer_count(const struct capture *c)
{
    return c->n_answered;
}

bool capture_is_done(const struct capture *c)
{
    if (!capture_is_answered(c))
        return false;
    return c->is_stopped || (c->is_ending && (c->is_crashed || !is_any_zone_open(c)));
}

const uint64_t *capture_failures(const struct capture *c)
{
    return c->failures;
}

uint64_t capture_zone_count(const struct capture *c)
{
    return tracy_zone_count(c->t);
}

void capture_finish(struct capture *c)
{
    capture_order(c);
    capture_gpus_nest(c);
    capture_gpus_free(c);
    for (size_t i = 0; i < c->states.n; i++)
        vec_free(&c->states.v[i]->open);
    for (size_t i = 0; i < c->pools.n; i++) {
        map_free(&c->pools.v[i].addresses);
        vec_free(&c->pools.v[i].live);
    }
    for (size_t i = 0; i < c->locks.n; i++)
        vec_free(&c->locks.v[i].latest);
    struct map *maps[] = {
        &c->text_keys,   &c->thread_keys, &c->fiber_keys, &c->external_keys,
        &c->threads,     &c->used,        &c->place_keys, &c->made,
        &c->frame_names, &c->plot_names,  &c->pool_names, &c->lock_ids,
        &c->power_names, &c->stacks,      &c->addresses,  &c->symbol_addresses,
        &c->switched,    &c->cpu_threads, &c->hardware};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        map_free(maps[i]);
    vec_free(&c->asks);
    vec_free(&c->fibers);
    vec_free(&c->asked_places);
    vec_free(&c->states);
    vec_free(&c->pools);
    vec_free(&c->locks);
    vec_free(&c->plot_numbers);
    vec_free(&c->power);
    vec_free(&c->waiting_images);
    vec_free(&c->is_address_known);
    vec_free(&c->symbols);
    vec_free(&c->is_symbol_known);
    arena_free(&c->arena);
    buf_free(&c->in);
    mem_free(c->decoded);
    mem_free(c);
}
