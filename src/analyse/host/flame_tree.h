// flame_tree.h - trees of frames that are merged by site, for host_flame.c.
//
// Nodes are numbers into one array, so that freed ones can be used again: a stack that was
// seen before costs no memory.
#ifndef TTP_ANALYSE_HOST_FLAME_TREE_H
#define TTP_ANALYSE_HOST_FLAME_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/data/vec.h"

enum { FLAME_NONE = 0 }; // no node

struct flame_node {
    uint32_t key;         // what tells siblings apart
    uint32_t first, next; // child, sibling
    uint32_t n_children;
    uint64_t count, n_open, self;
    uint32_t *index; // of the children by key, once there are many; NULL: not yet
};
struct flame_pair {
    uint32_t to, from;
};
struct flame_tree {
    VEC(struct flame_node) nodes; // 0 is unused
    VEC(uint32_t) unused;
    VEC(struct flame_pair) pairs; // of a merge that is under way
};

void flame_tree_start(struct flame_tree *t);
void flame_tree_free(struct flame_tree *t);
uint32_t flame_node_new(struct flame_tree *t, uint32_t key);
uint32_t flame_child_find(const struct flame_tree *t, uint32_t parent, uint32_t key);
uint32_t flame_child_at(struct flame_tree *t, uint32_t parent, uint32_t key); // or new
void flame_child_add(struct flame_tree *t, uint32_t parent, uint32_t child);
// Adds the counts of `from` to `to`, merges their children, and frees `from`, which is
// nobody's child any more.
void flame_merge(struct flame_tree *t, uint32_t to, uint32_t from);
// Makes `child` a child of `parent`, or merges it with the one that has the same key.
// Returns the child.
uint32_t flame_child_put(struct flame_tree *t, uint32_t parent, uint32_t child);
// A copy of the children of another tree's node, merged into those of `to`.
void flame_copy(struct flame_tree *t, uint32_t to, const struct flame_tree *other,
                uint32_t from);

static inline struct flame_node *flame_node_at(const struct flame_tree *t, uint32_t node)
{
    return &t->nodes.v[node];
}

#endif
