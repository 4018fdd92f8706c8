// sync_models.c - updates a chip's model with an epoch: from the host's samples alone, or
// through the root's clock where links keep two chips closer together.
#include <math.h>

#include "collect/sync/sync_parts.h"

// Distance of b's mean point from a's line.
static double off_line(const struct clock_epoch *a, const struct clock_epoch *b)
{
    double ns = clock_epoch_since(a, b->cycle, b->host);
    return fabs(ns + b->cycle_fraction / a->cycles_per_ns - b->host_fraction);
}

// The root's epoch in a chip's own cycles. Both use the same instants, so an error of the
// root's line affects both alike and they stay together.
static struct clock_epoch epoch_from_root(const struct clock_epoch *root,
                                          const struct sync_result *r)
{
    const struct relation *to_root = &r->to_root;
    struct clock_epoch e = *root;
    relation_back(to_root, root->cycle, root->cycle_fraction, &e.cycle, &e.cycle_fraction);
    e.cycles_per_ns = root->cycles_per_ns / to_root->scale;
    e.rate_error = root->rate_error + to_root->scale_error;
    e.error_ns = root->error_ns + to_root->error_ns;
    e.residual_ns = root->residual_ns + to_root->residual_ns;
    if (r->is_host_known) {
        e.error_ns = fmin(e.error_ns, r->host.error_ns + off_line(&r->host, &e));
        e.n_samples = r->host.n_samples;
        e.n_kept = r->host.n_kept;
        e.n_missing = r->host.n_missing;
    }
    return e;
}

// The root's result of the same epoch; NULL: there is none, or the chip is the root.
static const struct sync_result *result_above(const struct sync *s, int chip,
                                              const struct sync_result *r)
{
    const struct sync_chip *root = &s->chips[s->places[chip].root];
    if (s->places[chip].parent < 0 || !root->results.n)
        return NULL;
    const struct sync_result *above = &root->results.v[root->results.n - 1];
    return above->epoch == r->epoch && above->is_host_known ? above : NULL;
}

// Between two epochs, what the links say is off by as much as the frequency ratio changed;
// the worst case is a sudden change in the middle.
static double change_since(const struct sync_chip *c, const struct sync_result *r,
                           const struct clock_epoch *e)
{
    if (!c->results.n || !c->results.v[c->results.n - 1].to_root.is_known)
        return 0;
    const struct relation *now = &r->to_root;
    const struct relation *last = &c->results.v[c->results.n - 1].to_root;
    double interval = (double)(e->host - c->model.epochs.v[c->model.epochs.n - 1].host);
    double change =
        fabs(now->scale / last->scale - 1) + hypot(now->scale_error, last->scale_error);
    return change * interval / 4;
}

void sync_put_result(struct sync *s, int chip, struct sync_result *r)
{
    struct sync_chip *c = &s->chips[chip];
    const struct sync_result *above = result_above(s, chip, r);
    struct clock_epoch e = r->host;
    if (!above && s->places[chip].parent >= 0)
        r->to_root.is_known = false;
    if (above && r->to_root.is_known) {
        struct clock_epoch followed = epoch_from_root(&above->host, r);
        double by_host = r->host.error_ns + above->host.error_ns;
        r->is_linked = !r->is_host_known || r->to_root.error_ns < by_host;
        r->off_ns = r->is_linked ? 0 : off_line(&r->host, &followed);
        r->change_ns = change_since(c, r, &followed);
        if (r->is_linked)
            e = followed;
    }
    if (!r->is_host_known && !r->is_linked)
        return;
    vec_push(&c->model.epochs, e);
    vec_push(&c->results, *r);
    c->model.is_synced = true;
}

// --- pairs -----------------------------------------------------------------------------
// The chip where the paths of two chips to their root common_ancestor; -1: different roots.
static int common_ancestor(const struct sync *s, int a, int b)
{
    for (int x = a; x >= 0; x = s->places[x].parent)
        for (int y = b; y >= 0; y = s->places[y].parent)
            if (x == y)
                return x;
    return -1;
}

// Error of a chip's model against `above`, a chip on its path to the root.
static double error_to(const struct sync_chip *c, const struct sync_chip *above)
{
    double worst = 0, change = 0;
    if (c == above)
        return 0;
    if (c->results.n != above->results.n)
        return INFINITY; // some epoch is missing
    for (size_t i = 0; i < c->results.n; i++) {
        const struct sync_result *r = &c->results.v[i], *up = &above->results.v[i];
        if (r->epoch != up->epoch || !r->to_root.is_known || !up->to_root.is_known)
            return INFINITY;
        // Errors add up along the path, so the part below `above` is a difference.
        double error = r->to_root.error_ns - up->to_root.error_ns + r->off_ns + up->off_ns;
        worst = fmax(worst, error);
        change = fmax(change, r->change_ns + up->change_ns);
    }
    return worst + change;
}

double sync_pair_error_ns(const struct sync *s, int chip, int other)
{
    int n = s->access->n_chips;
    if (chip < 0 || chip >= n || other < 0 || other >= n)
        return INFINITY;
    if (chip == other)
        return 0;
    const struct sync_chip *a = &s->chips[chip], *b = &s->chips[other];
    double by_host = clock_model_worst_ns(&a->model) + clock_model_worst_ns(&b->model);
    int at = common_ancestor(s, chip, other);
    if (at < 0 || !a->results.n || !b->results.n)
        return by_host;
    double by_links = error_to(a, &s->chips[at]) + error_to(b, &s->chips[at]);
    return fmin(by_host, by_links);
}
