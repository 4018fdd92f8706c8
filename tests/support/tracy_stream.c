// tracy_stream.c - what a Tracy client sends, made item by item.
#include "tracy_stream.h"

#include <lz4.h>
#include <stdarg.h>
#include <stdlib.h>

enum { ROOM = 1 << 20 };

void stream_start(struct tracy_stream *s, enum tracy_generation g, uint8_t flags)
{
    *s = (struct tracy_stream){.lz4 = LZ4_createStream()};
    tracy_layouts_make(&s->layouts, g);
    struct tracy_welcome w = {.ns_per_tick = 1,
                              .begin = 1000,
                              .end = 2000,
                              .resolution = 20,
                              .epoch = 1000000000,
                              .pid = 7,
                              .flags = flags,
                              .program = "demo"};
    char bytes[TRACY_WELCOME_MOST];
    size_t n = tracy_welcome_put(g, &w, bytes);
    buf_str(&s->bytes, (str){bytes, n});
    struct tracy_demand d = {.frames = 3, .now = 5000};
    if (flags & TRACY_ON_DEMAND)
        buf_str(&s->bytes, (str){(const char *)&d, sizeof d});
}

void stream_free(struct tracy_stream *s)
{
    buf_free(&s->items);
    buf_free(&s->bytes);
    buf_free(&s->history);
    LZ4_freeStream(s->lz4);
}

static void put(struct tracy_stream *s, enum tracy_item item, const char *fields)
{
    const struct tracy_layout *l = tracy_layout_of(&s->layouts, item);
    size_t at = s->items.n;
    buf_str(&s->items, (str){fields, l->bytes});
    s->items.p[at] = (char)l->number;
}

void stream_item(struct tracy_stream *s, enum tracy_item item, ...)
{
    const struct tracy_layout *l = tracy_layout_of(&s->layouts, item);
    char bytes[64] = {0};
    va_list args;
    va_start(args, item);
    for (int field; (field = va_arg(args, int)) != STREAM_END;)
        tracy_set(l, bytes, (enum tracy_field)field, va_arg(args, uint64_t));
    va_end(args);
    put(s, item, bytes);
}

void stream_text(struct tracy_stream *s, enum tracy_item item, uint64_t key, str text)
{
    const struct tracy_layout *l = tracy_layout_of(&s->layouts, item);
    char bytes[64] = {0};
    tracy_set(l, bytes, TRACY_ADDRESS_FIELD, key);
    put(s, item, bytes);
    uint64_t n = text.n - l->tail_more;
    buf_str(&s->items, (str){(const char *)&n, l->tail});
    buf_str(&s->items, text);
}

void stream_single(struct tracy_stream *s, str text)
{
    bool is_short = s->layouts.exists[TRACY_STRING_8] && text.n < 256;
    stream_text(s, is_short ? TRACY_STRING_8 : TRACY_STRING, 0, text);
}

static void zone(struct tracy_stream *s, enum tracy_item wide, uint64_t delta,
                 uint64_t place)
{
    bool is_wide = s->layouts.generation == TRACY_F10;
    // In the table the 32-bit form follows the 64-bit one, and the 16-bit form that.
    enum tracy_item item = wide + (is_wide ? 0 : delta < 0x10000 ? 2 : 1);
    stream_item(s, item, TRACY_TIME_FIELD,
                is_wide || delta < 0x10000 ? delta : delta - 0x10000, TRACY_PLACE_FIELD,
                place, STREAM_END);
}

void stream_begin(struct tracy_stream *s, uint64_t delta, uint64_t place)
{
    zone(s, TRACY_ZONE_BEGIN, delta, place);
}

void stream_end(struct tracy_stream *s, uint64_t delta)
{
    zone(s, TRACY_ZONE_END, delta, 0);
}

// Blocks refer to the bytes of earlier ones, as those of real clients do.
void stream_block(struct tracy_stream *s)
{
    char packed[LZ4_COMPRESSBOUND(TRACY_BLOCK_MOST)];
    if (!s->history.p)
        (void)buf_room(&s->history, ROOM);
    if (s->history.n + s->items.n > ROOM) {
        s->history.n = 0;
        LZ4_resetStream_fast(s->lz4);
    }
    char *from = s->history.p + s->history.n;
    memcpy(from, s->items.p, s->items.n);
    s->history.n += s->items.n;
    int n =
        LZ4_compress_fast_continue(s->lz4, from, packed, (int)s->items.n, sizeof packed, 1);
    uint32_t length = (uint32_t)n;
    buf_str(&s->bytes, (str){(const char *)&length, sizeof length});
    buf_str(&s->bytes, (str){packed, length});
    s->items.n = 0;
}
