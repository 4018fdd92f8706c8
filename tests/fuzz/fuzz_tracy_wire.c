// fuzz_tracy_wire.c - any bytes as what a Tracy client sends. Bits of the first byte: the
// generation (1), on demand (2), and the form: a datagram that announces a client (4),
// items of one block after a proper welcome (8), else all that follows the status; with 16
// the generation is the newer fork's.
#include <string.h>

#include "base/text/buf.h"

#include "app/capture/announce.h"
#include "formats/diags.h"
#include "formats/tracy/capture/capture.h"
#include "fuzz.h"

enum { IS_U14 = 1, IS_ON_DEMAND = 2, IS_DATAGRAM = 4, IS_ITEMS = 8, IS_T14 = 16 };

// The bytes as a block of literals behind its length.
static void put_block(struct buf *b, str items)
{
    enum { SHORT = 15 };
    uint32_t length = 0;
    size_t at = b->n;
    buf_str(b, (str){(const char *)&length, sizeof length});
    buf_char(b, (char)((items.n < SHORT ? items.n : SHORT) << 4));
    if (items.n >= SHORT) {
        size_t more = items.n - SHORT;
        buf_fill(b, (char)255, more / 255);
        buf_char(b, (char)(more % 255));
    }
    buf_str(b, items);
    length = (uint32_t)(b->n - at - sizeof length);
    memcpy(b->p + at, &length, sizeof length);
}

static void put_head(struct buf *b, enum tracy_generation g, bool is_on_demand)
{
    struct tracy_welcome w = {.ns_per_tick = 0.5,
                              .begin = 1000,
                              .end = 2000,
                              .flags = is_on_demand ? TRACY_ON_DEMAND : 0,
                              .program = "fuzz"};
    struct tracy_demand d = {.frames = 1, .now = 3000};
    size_t n = tracy_welcome_put(g, &w, buf_room(b, TRACY_WELCOME_MOST));
    b->n += n;
    if (is_on_demand)
        buf_str(b, (str){(const char *)&d, sizeof d});
}

// --- laws ------------------------------------------------------------------------------

static void check_place(const struct tracy *t, int32_t place)
{
    must(place >= 0 ? (size_t)place < t->places.n
                    : (size_t)(-1 - (int64_t)place) < t->made_places.n);
}

static void check_threads(const struct tracy *t)
{
    for (size_t i = 0; i < t->threads.n; i++) {
        const struct tracy_thread *th = &t->threads.v[i];
        uint64_t inner = 0;
        for (size_t k = 0; k < th->zones.n; k++) {
            const struct tracy_zone *z = pile_at(&th->zones, k);
            inner += z->children;
            must(z->extra < t->extras.n);
            check_place(t, z->place);
        }
        must(inner <= th->zones.n);
        for (size_t k = 0; k < th->messages.n; k++)
            must(th->messages.v[k] < t->messages.n);
    }
}

static void check_events(const struct tracy *t)
{
    for (size_t i = 1; i < t->messages.n; i++)
        must(((const struct tracy_message *)pile_at(&t->messages, i - 1))->time <=
             ((const struct tracy_message *)pile_at(&t->messages, i))->time);
    for (size_t i = 0; i < t->extras.n; i++) {
        const struct tracy_extra *x = pile_at(&t->extras, i);
        must(x->text <= t->strings.keys.n && x->name <= t->strings.keys.n);
        must(x->stack <= t->stacks.n);
    }
    for (size_t i = 0; i < t->gpus.n; i++)
        for (size_t k = 0; k < t->gpus.v[i].lanes.n; k++) {
            const struct pile *zones = &t->gpus.v[i].lanes.v[k].zones;
            for (size_t n = 0; n < zones->n; n++)
                check_place(t, ((const struct tracy_gpu_zone *)pile_at(zones, n))->place);
        }
    for (size_t i = 0; i < t->locks.n; i++)
        for (size_t k = 0; k < t->locks.v[i].events.n; k++) {
            const struct tracy_lock_event *e = pile_at(&t->locks.v[i].events, k);
            must(e->thread < t->locks.v[i].threads.n);
            check_place(t, e->place);
        }
    for (size_t i = 1; i < t->keyed.n; i++)
        must(t->keyed.v[i - 1].key < t->keyed.v[i].key);
}

// --- runs ------------------------------------------------------------------------------

struct outcome {
    uint64_t zones, odd, asked;
    int64_t last;
    bool is_fine;
};

static struct outcome capture_all(enum tracy_generation g, str bytes, size_t piece)
{
    struct outcome o = {.is_fine = true};
    struct tracy_ask asks[16];
    struct tracy t;
    tracy_start(&t, ".", 0);
    struct capture *c = capture_start(&t, g, 64);
    for (size_t at = 0; at < bytes.n && o.is_fine; at += piece) {
        size_t left = bytes.n - at;
        o.is_fine = capture_feed(c, bytes.p + at, left < piece ? left : piece);
    }
    must(o.is_fine == !capture_trouble(c));
    for (size_t n; (n = capture_asks(c, asks, 16));)
        o.asked += n;
    must(!capture_is_done(c) || capture_is_answered(c));
    capture_finish(c);
    check_threads(&t);
    check_events(&t);
    o.zones = tracy_zone_count(&t);
    o.odd = t.diag.entry[DIAG_TRACY_ODD].count;
    o.last = t.last_time;
    tracy_free(&t);
    return o;
}

static void announce(str bytes)
{
    struct tracy_broadcast b;
    if (announce_parse(bytes, &b))
        must(b.version <= TRACY_BROADCAST_VERSION &&
             memchr(b.program, 0, sizeof b.program));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MOST = 200000 };
    if (size == 0 || size > MOST)
        return 0;
    str rest = {(const char *)data + 1, size - 1};
    if (data[0] & IS_DATAGRAM) {
        announce(rest);
        return 0;
    }
    enum tracy_generation g = data[0] & IS_T14   ? TRACY_T14
                              : data[0] & IS_U14 ? TRACY_U14
                                                 : TRACY_F10;
    struct buf b = {0};
    if (data[0] & IS_ITEMS) {
        put_head(&b, g, data[0] & IS_ON_DEMAND);
        put_block(&b, rest);
        rest = buf_view(&b);
    }
    struct outcome whole = capture_all(g, rest, rest.n + 1);
    struct outcome parts = capture_all(g, rest, 7);
    must(whole.zones == parts.zones && whole.odd == parts.odd &&
         whole.asked == parts.asked && whole.last == parts.last &&
         whole.is_fine == parts.is_fine);
    buf_free(&b);
    return 0;
}
