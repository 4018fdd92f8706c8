// block_clocks.c - converts ticks of a process's clock to CLOCK_MONOTONIC: linear between
// two readings of both clocks, at the mean rate outside of them.
#include "trace/blocks.h"
#include "trace/diags.h"

enum { RATE_BITS = HOST_RATE_BITS };
#define RATE_ONE  (UINT64_C(1) << RATE_BITS)
#define RATE_MOST (UINT64_C(1) << 62)

static uint64_t rate_of(uint64_t ticks, uint64_t ns)
{
    __uint128_t rate =
        ticks ? (((__uint128_t)ns << RATE_BITS) + ticks / 2) / ticks : RATE_ONE;
    return rate < RATE_MOST ? (uint64_t)rate : RATE_MOST;
}

// Saturates.
static uint64_t scale_ticks(uint64_t ticks, uint64_t rate)
{
    bool fits = (__uint128_t)ticks * rate >> RATE_BITS < INT64_MAX;
    return fits ? host_clock_scaled(ticks, rate) : INT64_MAX;
}

uint64_t host_clock_ns(const struct host_clock *c, uint32_t *piece, uint64_t ticks)
{
    uint32_t i = *piece < c->n ? *piece : 0;
    while (i + 1 < c->n && ticks >= c->pieces[i + 1].ticks)
        i++;
    while (i > 0 && ticks < c->pieces[i].ticks)
        i--;
    *piece = i;
    const struct host_clock_piece *p = &c->pieces[i];
    if (ticks >= p->ticks)
        return p->ns + scale_ticks(ticks - p->ticks, p->rate);
    uint64_t before = scale_ticks(p->ticks - ticks, p->rate);
    return before < p->ns ? p->ns - before : 0;
}

// A program's own clock already counts ns, so one pair is enough.
static size_t usable_pairs(const struct host_clock *c, size_t n)
{
    return host_clock_is_program(c) && n > 1 ? 1 : n;
}

static void take_pairs(struct host_clock *c, const struct host_pair *pairs, size_t n,
                       struct diag *d)
{
    for (size_t i = 0; i < n; i++) {
        const struct host_clock_piece *last = c->n ? &c->pieces[c->n - 1] : NULL;
        bool is_back = last && (pairs[i].ticks <= last->ticks || pairs[i].ns < last->ns);
        bool is_again = last && pairs[i].ticks == last->ticks && pairs[i].ns == last->ns;
        if (is_back || pairs[i].ns > INT64_MAX) {
            if (!is_again && diag_count(d, DIAG_HOST_CLOCK))
                diag_note(d, DIAG_HOST_CLOCK, "clock %u", pairs[i].clock);
            continue;
        }
        c->pieces[c->n++] = (struct host_clock_piece){pairs[i].ticks, pairs[i].ns, 0};
        if (pairs[i].spread > c->worst_pair)
            c->worst_pair = pairs[i].spread;
    }
}

void host_clock_fit(struct host_clock *c, const struct host_pair *pairs, size_t n,
                    double ticks_per_ns, struct arena *a, struct diag *d)
{
    n = usable_pairs(c, n);
    c->n = 0;
    c->pieces = push_many(a, struct host_clock_piece, n);
    take_pairs(c, pairs, n, d);
    if (!c->n)
        return;
    struct host_clock_piece *first = &c->pieces[0], *last = &c->pieces[c->n - 1];
    c->base = first->ticks;
    uint64_t mean = RATE_ONE;
    if (c->n > 1)
        mean = rate_of(last->ticks - first->ticks, last->ns - first->ns);
    else if (c->kind == TT_CLOCK_TSC && ticks_per_ns > 1e-3 && ticks_per_ns < 1e3)
        mean = (uint64_t)((double)RATE_ONE / ticks_per_ns);
    for (uint32_t i = 0; i + 1 < c->n; i++)
        c->pieces[i].rate = rate_of(c->pieces[i + 1].ticks - c->pieces[i].ticks,
                                    c->pieces[i + 1].ns - c->pieces[i].ns);
    last->rate = mean;
}

void host_clock_assume(struct host_clock *c, uint64_t start_ns, struct arena *a)
{
    c->base = start_ns;
    c->n = 1;
    c->pieces = push_one(a, struct host_clock_piece);
    c->pieces[0].rate = RATE_ONE;
}

struct host_timer host_timer_start(const struct trace *r, const struct host_files *f)
{
    return (struct host_timer){
        .files = f, .clock = &f->clocks.v[0], .origin = r->origin_ns};
}

uint64_t host_timer_find(struct host_timer *t, uint64_t ticks)
{
    const struct host_clock *c = t->clock;
    uint64_t ns = host_clock_ns(c, &t->piece, ticks);
    const struct host_clock_piece *p = &c->pieces[t->piece];
    uint64_t end = t->piece + 1 < c->n ? p[1].ticks - p->ticks : UINT64_MAX;
    // At least a month, and no further than the sum fits.
    uint64_t most = p->rate <= RATE_ONE * 64 ? UINT64_C(1) << 56 : 0;
    t->from = p->ticks;
    t->span = p->ns >= t->origin ? (end < most ? end : most) : 0;
    t->axis = p->ns - t->origin;
    t->rate = p->rate;
    return ns > t->origin ? ns - t->origin : 0;
}
