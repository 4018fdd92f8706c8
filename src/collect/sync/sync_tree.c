// sync_tree.c - builds trees over the links and relates clocks along their edges.
#include "collect/sync/sync_tree.h"

#include <math.h>

// --- relations -------------------------------------------------------------------------
struct relation relation_same(void)
{
    return (struct relation){.is_known = true, .scale = 1};
}

struct relation relation_of_fit(const struct clock_epoch *e, double cycles_per_ns)
{
    return (struct relation){
        .is_known = true,
        .from = e->cycle,
        .from_fraction = e->cycle_fraction,
        .to = e->host,
        .to_fraction = e->host_fraction,
        .scale = 1 / e->cycles_per_ns,
        .scale_error = e->rate_error,
        .error_ns = e->error_ns / cycles_per_ns,
        .residual_ns = e->residual_ns / cycles_per_ns,
        .n_samples = e->n_samples,
        .n_kept = e->n_kept,
    };
}

struct relation relation_inverse(const struct relation *r)
{
    struct relation i = *r;
    i.from = r->to;
    i.from_fraction = r->to_fraction;
    i.to = r->from;
    i.to_fraction = r->from_fraction;
    i.scale = 1 / r->scale;
    return i;
}

static double clock_difference(uint64_t a, double a_fraction, uint64_t b, double b_fraction)
{
    double whole = a >= b ? (double)(a - b) : -(double)(b - a);
    return whole + (a_fraction - b_fraction);
}

static void shift_clock(uint64_t at, double fraction, double by, uint64_t *out,
                        double *rest)
{
    double down = floor(fraction + by);
    *out = at + (uint64_t)(int64_t)down;
    *rest = fraction + by - down;
}

void relation_back(const struct relation *r, uint64_t to, double to_fraction,
                   uint64_t *from, double *from_fraction)
{
    double away = clock_difference(to, to_fraction, r->to, r->to_fraction) / r->scale;
    shift_clock(r->from, r->from_fraction, away, from, from_fraction);
}

struct relation relation_chain(const struct relation *ab, const struct relation *bc)
{
    if (!ab->is_known || !bc->is_known)
        return (struct relation){0};
    struct relation ac = *ab;
    double away =
        clock_difference(ab->to, ab->to_fraction, bc->from, bc->from_fraction) * bc->scale;
    shift_clock(bc->to, bc->to_fraction, away, &ac.to, &ac.to_fraction);
    ac.scale *= bc->scale;
    ac.scale_error += bc->scale_error;
    ac.error_ns += bc->error_ns;
    ac.residual_ns += bc->residual_ns;
    return ac;
}

double relation_shift(const struct relation *r)
{
    // Scales are close to 1: the part that needs many digits is a difference of integers.
    double from = (double)r->from + r->from_fraction;
    return clock_difference(r->to, r->to_fraction, r->from, r->from_fraction) +
           (1 - r->scale) * from;
}

// --- trees -----------------------------------------------------------------------------
enum { TREE_UNSEEN = -2 };

static int lowest_unseen(const int *ids, int n, const struct tree_place *places)
{
    int lowest = -1;
    for (int i = 0; i < n; i++)
        if (places[i].parent == TREE_UNSEEN && (lowest < 0 || ids[i] < ids[lowest]))
            lowest = i;
    return lowest;
}

static bool is_chip(int chip, int n)
{
    return chip >= 0 && chip < n;
}

// The chip at the other end of a link of `chip`, if not visited yet.
static int new_neighbour(const struct tt_link *link, int chip, int n,
                         const struct tree_place *places, bool *is_sender)
{
    if (!is_chip(link->chip, n) || !is_chip(link->peer_chip, n))
        return -1;
    *is_sender = link->peer_chip == chip;
    int other = *is_sender ? link->chip : link->chip == chip ? link->peer_chip : -1;
    return other >= 0 && places[other].parent == TREE_UNSEEN ? other : -1;
}

void tree_grow(const int *ids, int n_chips, const struct tt_link *links, size_t n_links,
               struct tree_place *places, int *order)
{
    int found = 0, done = 0;
    for (int i = 0; i < n_chips; i++)
        places[i] = (struct tree_place){.parent = TREE_UNSEEN};
    while (found < n_chips) {
        if (done == found) {
            int root = lowest_unseen(ids, n_chips, places);
            places[root] = (struct tree_place){.parent = -1, .root = root};
            order[found++] = root;
        }
        int chip = order[done++];
        for (size_t i = 0; i < n_links; i++) {
            bool is_sender;
            int other = new_neighbour(&links[i], chip, n_chips, places, &is_sender);
            if (other < 0)
                continue;
            places[other] = (struct tree_place){chip, places[chip].root, i, is_sender};
            order[found++] = other;
        }
    }
}
