// sync_tree.h - chips joined by links: which pairs are compared, and what follows for chips
// that are not neighbours.
#ifndef TTP_COLLECT_SYNC_SYNC_TREE_H
#define TTP_COLLECT_SYNC_SYNC_TREE_H

#include "collect/sync/sync_fit.h"
#include "ttprof/device.h"

// Maps cycles of one chip to cycles of another, with the error at their common point.
struct relation {
    bool is_known;
    uint64_t from, to; // the same instant on both clocks
    double from_fraction, to_fraction;
    double scale; // cycles of `to` per cycle of `from`
    double scale_error;
    double error_ns, residual_ns;
    uint32_t n_samples, n_kept;
};

// The identity.
struct relation relation_same(void);
// From a fit of the receiver's stamps over the sender's clock: receiver to sender.
// `cycles_per_ns`: of the sender.
struct relation relation_of_fit(const struct clock_epoch *e, double cycles_per_ns);
struct relation relation_inverse(const struct relation *r);
// From a to c, through b.
struct relation relation_chain(const struct relation *ab, const struct relation *bc);
// The `from` clock at an instant of the `to` clock.
void relation_back(const struct relation *r, uint64_t to, double to_fraction,
                   uint64_t *from, double *from_fraction);
// to = from * scale + shift
double relation_shift(const struct relation *r);

// A chip's place in the forest: roots are the lowest ids not linked to lower ones.
struct tree_place {
    int parent;     // -1: a root
    int root;       // itself, for a root
    size_t link;    // to its parent
    bool is_sender; // at that link: its clock is the observing one
};
// Breadth first. `order` gets all chips, parents before children. ids[i]: of chip i.
void tree_grow(const int *ids, int n_chips, const struct tt_link *links, size_t n_links,
               struct tree_place *places, int *order);

#endif
