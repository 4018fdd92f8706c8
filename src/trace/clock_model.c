// clock_model.c - lines from epoch to epoch, and how far they may be off.
#include "trace/clock_model.h"

#include <math.h>

// Assumed drift of a clock with one sync, as a part of its frequency per second: typical of
// a crystal that warms up.
#define ASSUMED_DRIFT 1e-6
#define SECOND_NS     1e9

// A linear piece of a clock: before, between or after epochs.
struct piece {
    const struct clock_epoch *from; // the line goes through its mean point
    const struct clock_epoch *to;   // and through this one's; NULL: at from's own rate
};

void clock_model_free(struct clock_model *m)
{
    vec_free(&m->epochs);
    m->is_synced = false;
}

void clock_model_assume(struct clock_model *m, uint64_t cycle, uint64_t host)
{
    m->epochs.n = 0;
    m->is_synced = false;
    vec_push(&m->epochs, (struct clock_epoch){.cycle = cycle,
                                              .host = host,
                                              .cycles_per_ns = m->nominal,
                                              .error_ns = INFINITY});
}

// --- lines -----------------------------------------------------------------------------
// Subtracts in integers first: a double cannot hold either value exactly.
static double signed_difference(uint64_t a, uint64_t b)
{
    return a >= b ? (double)(a - b) : -(double)(b - a);
}

static double cycles_from(const struct clock_epoch *e, uint64_t cycle)
{
    return signed_difference(cycle, e->cycle) - e->cycle_fraction;
}
static double host_from(const struct clock_epoch *e, uint64_t host)
{
    return signed_difference(host, e->host) - e->host_fraction;
}

static double piece_rate(struct piece p)
{
    if (!p.to)
        return p.from->cycles_per_ns;
    double cycles = cycles_from(p.from, p.to->cycle) + p.to->cycle_fraction;
    double ns = host_from(p.from, p.to->host) + p.to->host_fraction;
    return cycles / ns;
}

// Epochs must follow their predecessor in both clocks to form a piece.
static bool can_join(const struct clock_epoch *a, const struct clock_epoch *b)
{
    return b->cycle > a->cycle && b->host > a->host;
}

// Finds a piece by device cycle or by host time.
static struct piece piece_at(const struct clock_model *m, uint64_t at, bool is_host)
{
    size_t low = 0, high = m->epochs.n; // epochs at or before `at`: low .. high
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct clock_epoch *e = &m->epochs.v[middle];
        if ((is_host ? e->host : e->cycle) <= at)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return (struct piece){m->epochs.v, NULL};
    const struct clock_epoch *from = &m->epochs.v[low - 1];
    bool is_between = low < m->epochs.n && can_join(from, from + 1);
    return (struct piece){from, is_between ? from + 1 : NULL};
}

double clock_epoch_since(const struct clock_epoch *e, uint64_t cycle, uint64_t since)
{
    return cycles_from(e, cycle) / e->cycles_per_ns - host_from(e, since);
}

double clock_model_since(const struct clock_model *m, uint64_t cycle, uint64_t since)
{
    if (m->epochs.n == 0)
        return (double)cycle / (m->nominal > 0 ? m->nominal : 1) - (double)since;
    struct piece p = piece_at(m, cycle, false);
    return cycles_from(p.from, cycle) / piece_rate(p) - host_from(p.from, since);
}

double clock_model_host_ns(const struct clock_model *m, uint64_t cycle)
{
    return clock_model_since(m, cycle, 0);
}

uint64_t clock_model_cycle(const struct clock_model *m, uint64_t host)
{
    double cycles;
    uint64_t base = 0;
    if (m->epochs.n == 0)
        cycles = (double)host * (m->nominal > 0 ? m->nominal : 1);
    else {
        struct piece p = piece_at(m, host, true);
        base = p.from->cycle;
        cycles = host_from(p.from, host) * piece_rate(p) + p.from->cycle_fraction;
    }
    cycles = round(cycles);
    if (cycles < 0)
        return -cycles >= (double)base ? 0 : base - (uint64_t)-cycles;
    return base + (uint64_t)cycles;
}

// --- errors ----------------------------------------------------------------------------
// How much the frequency may have changed from one epoch to the next.
static double change_of_rate(const struct clock_epoch *a, const struct clock_epoch *b)
{
    return fabs(b->cycles_per_ns / a->cycles_per_ns - 1) +
           hypot(a->rate_error, b->rate_error);
}

// The line between two epochs is worst if the whole change comes at once:
// change x interval x u (1 - u), with u the elapsed part of the interval.
static double error_between(struct piece p, uint64_t cycle)
{
    double interval = host_from(p.from, p.to->host) + p.to->host_fraction;
    double ns = cycles_from(p.from, cycle) / piece_rate(p);
    double u = fmin(fmax(ns / interval, 0), 1);
    return fmax(p.from->error_ns, p.to->error_ns) +
           change_of_rate(p.from, p.to) * interval * u * (1 - u);
}

// The frequency change to expect beyond an epoch, and over what interval.
static double change_beyond(const struct clock_model *m, const struct clock_epoch *e,
                            double *interval)
{
    const struct clock_epoch *a = e == m->epochs.v ? e : e - 1, *b = a + 1;
    if (m->epochs.n < 2 || !can_join(a, b)) {
        *interval = SECOND_NS;
        return ASSUMED_DRIFT;
    }
    *interval = host_from(a, b->host) + b->host_fraction;
    return change_of_rate(a, b);
}

static double error_beyond(const struct clock_model *m, const struct clock_epoch *e,
                           uint64_t cycle)
{
    double distance = fabs(cycles_from(e, cycle)) / e->cycles_per_ns - e->reach_ns;
    if (distance <= 0)
        return e->error_ns;
    double interval, change = change_beyond(m, e, &interval);
    return e->error_ns + e->rate_error * distance +
           change * distance * (1 + distance / interval);
}

double clock_model_error_ns(const struct clock_model *m, uint64_t cycle)
{
    if (!m->is_synced || m->epochs.n == 0)
        return INFINITY;
    struct piece p = piece_at(m, cycle, false);
    return p.to ? error_between(p, cycle) : error_beyond(m, p.from, cycle);
}

double clock_model_worst_ns(const struct clock_model *m)
{
    if (!m->is_synced || m->epochs.n == 0)
        return INFINITY;
    double worst = 0;
    for (size_t i = 0; i < m->epochs.n; i++) {
        const struct clock_epoch *e = &m->epochs.v[i];
        worst = fmax(worst, e->error_ns);
        if (i + 1 < m->epochs.n && can_join(e, e + 1))
            worst = fmax(worst, error_between((struct piece){e, e + 1},
                                              e->cycle + (e[1].cycle - e->cycle) / 2));
    }
    return worst;
}

double clock_model_ghz(const struct clock_model *m)
{
    if (m->epochs.n == 0)
        return m->nominal;
    const struct clock_epoch *first = m->epochs.v, *last = first + m->epochs.n - 1;
    return piece_rate((struct piece){first, can_join(first, last) ? last : NULL});
}

void clock_model_describe(const struct clock_model *m, struct buf *out)
{
    if (!m->is_synced || m->epochs.n == 0) {
        buf_printf(
            out,
            "not aligned with the host: frequency %.6f GHz is nominal, do not compare its times with other devices or the host; set TT_METAL_PROFILER_SYNC=1",
            m->nominal);
        return;
    }
    buf_printf(out, "frequency %.6f GHz, error %.2f us, %zu epoch%s", clock_model_ghz(m),
               clock_model_worst_ns(m) / 1000, m->epochs.n, m->epochs.n == 1 ? "" : "s");
}
