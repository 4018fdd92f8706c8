// times.c - see times.h.
#include "record/tracy/times.h"

#include <string.h>

enum { OWN_CLOCK = 1 };
#define CORRECTED_WITHIN 1e9  // ns
#define CORRECTION_MOST  0.01 // of the rate

void recorder_times_clear(struct recorder_times *t, double ticks_per_ns)
{
    memset(t, 0, sizeof *t);
    t->ns_per_tick = ticks_per_ns > 0 ? 1 / ticks_per_ns : 1;
}

void recorder_times_clock(struct recorder_times *t, const struct tt_clock *c)
{
    if (c->clock == OWN_CLOCK)
        t->is_tsc = c->kind == TT_CLOCK_TSC;
}

// Events hold only the low bits.
static uint64_t full_ticks(uint64_t base, uint64_t word)
{
    enum { TOP = 64 - TT_TIME_BITS };
    return base + (uint64_t)((int64_t)((word - base) << TOP) >> TOP);
}

static double piece_ns(const struct recorder_piece_of_time *p, uint64_t ticks)
{
    return p->ns + (double)(int64_t)(ticks - p->ticks) * p->ns_per_tick;
}

// Late events belong to earlier pieces; most belong to the last one.
static const struct recorder_piece_of_time *piece_of(const struct recorder_times *t,
                                                     uint64_t ticks)
{
    uint32_t i = t->n_pieces - 1;
    while (i && (int64_t)(ticks - t->pieces[i].ticks) < 0)
        i--;
    return &t->pieces[i];
}

static void piece_add(struct recorder_times *t, struct recorder_piece_of_time p)
{
    if (t->n_pieces == TIMES_PIECES) { // an hour: nothing that old is still to be sent
        memmove(t->pieces, t->pieces + TIMES_PIECES / 2, sizeof t->pieces / 2);
        t->n_pieces = TIMES_PIECES / 2;
    }
    t->pieces[t->n_pieces++] = p;
}

static void own_pair(struct recorder_times *t, const struct tt_clock_pair *p)
{
    if (!t->n_pieces) {
        t->first = *p;
        t->latest = p->ticks;
        piece_add(t, (struct recorder_piece_of_time){p->ticks, 0, t->ns_per_tick});
        return;
    }
    if (p->ticks <= t->first.ticks || p->ns <= t->first.ns)
        return;
    double rate = (double)(p->ns - t->first.ns) / (double)(p->ticks - t->first.ticks);
    uint64_t from = (int64_t)(t->latest - p->ticks) > 0 ? t->latest : p->ticks;
    double ns = piece_ns(piece_of(t, from), from);
    double right = (double)(p->ns - t->first.ns) + (double)(from - p->ticks) * rate;
    double correction = (right - ns) / CORRECTED_WITHIN;
    if (correction > CORRECTION_MOST)
        correction = CORRECTION_MOST;
    if (correction < -CORRECTION_MOST)
        correction = -CORRECTION_MOST;
    piece_add(t, (struct recorder_piece_of_time){from, ns, rate * (1 + correction)});
}

void recorder_times_pair(struct recorder_times *t, const struct tt_clock_pair *p)
{
    if (p->clock != OWN_CLOCK)
        t->clocks[p->clock % TIMES_CLOCKS] = *p;
    else if (t->is_tsc)
        own_pair(t, p);
}

int64_t recorder_times_ns(struct recorder_times *t, uint32_t clock, uint64_t word)
{
    if (clock != OWN_CLOCK) {
        const struct tt_clock_pair *p = &t->clocks[clock % TIMES_CLOCKS];
        uint64_t ticks = full_ticks(p->ticks, word);
        return (int64_t)(ticks - p->ticks + p->ns);
    }
    if (!t->is_tsc || !t->n_pieces)
        return (int64_t)full_ticks(t->first.ticks, word);
    uint64_t ticks = full_ticks(t->latest, word);
    if ((int64_t)(ticks - t->latest) > 0)
        t->latest = ticks;
    return (int64_t)t->first.ns + (int64_t)piece_ns(piece_of(t, ticks), ticks);
}
