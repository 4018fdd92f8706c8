// sync_tree.h - chips that are joined by links: which is compared with which, and what
// follows for two that are not neighbours.
#ifndef TTP_COLLECT_SYNC_SYNC_TREE_H
#define TTP_COLLECT_SYNC_SYNC_TREE_H

#include "collect/sync/sync_fit.h"
#include "ttprof/device.h"

// Cycles of one chip to cycles of another, with the error of the point that both have in
// common.
struct relation {
    bool is_known;
    uint64_t from, to; // the same instant by both clocks
    double from_fraction, to_fraction;
    double scale; // cycles of `to` per cycle of `from`
    double scale_error;
    double error_ns, residual_ns;
    uint32_t n_samples, n_kept;
};

// A chip and itself.
struct relation relation_same(void);
// What a fit of the receiver's stamps over the sender's clock says: receiver to sender.
// `cycles_per_ns`: of the sender.
struct relation relation_of_fit(const struct clock_epoch *e, double cycles_per_ns);
struct relation relation_inverse(const struct relation *r);
// From a to c, by way of b.
struct relation relation_chain(const struct relation *ab, const struct relation *bc);
// The `from` clock at an instant of the `to` clock.
void relation_back(const struct relation *r, uint64_t to, double to_fraction,
                   uint64_t *from, double *from_fraction);
// to = from * scale + shift
double relation_shift(const struct relation *r);

// A chip's place: roots are the lowest ids that are not reached by links from lower ones.
struct tree_place {
    int parent;     // -1: a root
    int root;       // itself, for a root
    size_t link;    // that joins it to its parent
    bool is_sender; // of that link: its clock is the one that looks
};
// Breadth first. `order` gets all chips, parents before children. ids[i]: of chip i.
void tree_grow(const int *ids, int n_chips, const struct tt_link *links, size_t n_links,
               struct tree_place *places, int *order);

#endif
