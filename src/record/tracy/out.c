// out.c - see out.h.
#include "record/tracy/out.h"

#include <string.h>

enum { NARROW_16, NARROW_32, WIDE };

static uint8_t number_of(const struct recorder_out *o, enum tracy_item item)
{
    return o->layouts.numbers[item];
}

void recorder_out_start(struct recorder_out *o, enum tracy_generation generation)
{
    static const enum tracy_item begins[] = {TRACY_ZONE_BEGIN_16, TRACY_ZONE_BEGIN_32,
                                             TRACY_ZONE_BEGIN};
    static const enum tracy_item ends[] = {TRACY_ZONE_END_16, TRACY_ZONE_END_32,
                                           TRACY_ZONE_END};
    tracy_layouts_make(&o->layouts, generation);
    for (int i = NARROW_16; i <= WIDE; i++) {
        bool has_form = recorder_out_has(o, begins[i]);
        o->begin_numbers[i] = number_of(o, has_form ? begins[i] : TRACY_ZONE_BEGIN);
        o->end_numbers[i] = number_of(o, has_form ? ends[i] : TRACY_ZONE_END);
    }
    o->is_broken = false;
    o->thread = o->start = o->at = 0;
    o->sent = 0;
    memset(o->times, 0, sizeof o->times);
    LZ4_initStream(&o->lz4, sizeof o->lz4);
}

bool recorder_out_has(const struct recorder_out *o, enum tracy_item item)
{
    return o->layouts.exists[item];
}

// --- blocks ---
void recorder_out_flush(struct recorder_out *o)
{
    uint32_t n = o->at - o->start;
    if (!n)
        return;
    uint32_t packed = (uint32_t)LZ4_compress_fast_continue(
        &o->lz4, (const char *)o->plain + o->start, (char *)o->packed + sizeof packed,
        (int)n, TRACY_PACKED_MOST, 1);
    memcpy(o->packed, &packed, sizeof packed);
    if (!o->is_broken && !o->send(o->context, o->packed, sizeof packed + packed))
        o->is_broken = true;
    o->sent += sizeof packed + packed;
    // The next block must not overwrite the last 64 KiB.
    o->start = o->at = o->at > 2 * TRACY_BLOCK_MOST ? 0 : o->at;
}

static inline uint8_t *take_room(struct recorder_out *o, size_t n)
{
    if (recorder_unlikely(o->at - o->start + n > TRACY_BLOCK_MOST))
        recorder_out_flush(o);
    uint8_t *at = o->plain + o->at;
    o->at += (uint32_t)n;
    return at;
}

// --- items ---
static const struct tracy_layout *layout_of(const struct recorder_out *o,
                                            const uint8_t *item)
{
    return &o->layouts.by_number[*item];
}

uint8_t *recorder_out_item(struct recorder_out *o, enum tracy_item item, size_t tail)
{
    const struct tracy_layout *l = tracy_layout_of(&o->layouts, item);
    uint8_t *at = take_room(o, l->bytes + tail);
    memset(at, 0, l->bytes);
    *at = l->number;
    return at;
}

void recorder_out_set(const struct recorder_out *o, uint8_t *item, enum tracy_field field,
                      uint64_t value)
{
    tracy_set(layout_of(o, item), item, field, value);
}

void recorder_out_time(struct recorder_out *o, uint8_t *item, int64_t ns)
{
    const struct tracy_layout *l = layout_of(o, item);
    int64_t from = 0;
    if (l->clock != TRACY_CLOCK_ABSOLUTE) {
        from = o->times[l->clock];
        o->times[l->clock] = ns;
    }
    tracy_set(l, item, TRACY_TIME_FIELD, (uint64_t)(ns - from));
}

void recorder_out_thread(struct recorder_out *o, uint32_t tid)
{
    if (o->thread == tid)
        return;
    o->thread = tid;
    o->times[TRACY_CLOCK_THREAD] = 0;
    recorder_out_set(o, recorder_out_item(o, TRACY_THREAD_CONTEXT, 0), TRACY_THREAD_FIELD,
                     tid);
}

// --- zones: most of all items ---
// The form for a time since the last item, and what to store.
static inline int narrow(const struct recorder_out *o, int64_t *passed)
{
    enum { IN_16 = 1 << 16 };
    const int64_t in_32 = INT64_C(1) << 32;
    if (o->layouts.generation == TRACY_F10 || *passed < 0)
        return WIDE;
    if (*passed < IN_16)
        return NARROW_16;
    *passed -= IN_16;
    if (*passed < in_32)
        return NARROW_32;
    *passed -= in_32;
    return WIDE;
}

static inline int64_t time_passed(struct recorder_out *o, int64_t ns)
{
    int64_t passed = ns - o->times[TRACY_CLOCK_THREAD];
    o->times[TRACY_CLOCK_THREAD] = ns;
    return passed;
}

void recorder_out_zone_begin(struct recorder_out *o, int64_t ns, uint64_t place)
{
    int64_t passed = time_passed(o, ns);
    int form = narrow(o, &passed);
    size_t bytes = (size_t)2 << form;
    uint8_t *at = take_room(o, 1 + bytes + sizeof place);
    *at = o->begin_numbers[form];
    memcpy(at + 1, &passed, bytes);
    memcpy(at + 1 + bytes, &place, sizeof place);
}

void recorder_out_zone_end(struct recorder_out *o, int64_t ns)
{
    int64_t passed = time_passed(o, ns);
    int form = narrow(o, &passed);
    size_t bytes = (size_t)2 << form;
    uint8_t *at = take_room(o, 1 + bytes);
    *at = o->end_numbers[form];
    memcpy(at + 1, &passed, bytes);
}

// --- texts ---
static void put_tail(struct recorder_out *o, enum tracy_item item,
                     struct recorder_piece text, uint64_t key)
{
    const struct tracy_layout *l = tracy_layout_of(&o->layouts, item);
    uint64_t n = text.n < OUT_TEXT_MOST ? text.n : OUT_TEXT_MOST, length = n - l->tail_more;
    uint8_t *at = recorder_out_item(o, item, l->tail + n);
    tracy_set(l, at, TRACY_ADDRESS_FIELD, key);
    memcpy(at + l->bytes, &length, l->tail);
    if (n)
        memcpy(at + l->bytes + l->tail, text.p, n);
}

void recorder_out_string(struct recorder_out *o, struct recorder_piece text)
{
    bool is_short = text.n <= UINT8_MAX && recorder_out_has(o, TRACY_STRING_8);
    put_tail(o, is_short ? TRACY_STRING_8 : TRACY_STRING, text, 0);
}

void recorder_out_second_string(struct recorder_out *o, struct recorder_piece text)
{
    bool is_short = text.n <= UINT8_MAX && recorder_out_has(o, TRACY_SECOND_STRING_8);
    put_tail(o, is_short ? TRACY_SECOND_STRING_8 : TRACY_SECOND_STRING, text, 0);
}

void recorder_out_text(struct recorder_out *o, enum tracy_item item, uint64_t key,
                       struct recorder_piece text)
{
    put_tail(o, item, text, key);
}
