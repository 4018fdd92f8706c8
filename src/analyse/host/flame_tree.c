// flame_tree.c - nodes, their children, and merging.
#include "analyse/host/flame_tree.h"

#include <string.h>

// Fewer children are searched one by one.
enum { INDEX_FROM = 16 };

void flame_tree_start(struct flame_tree *t)
{
    *t = (struct flame_tree){0};
    vec_push(&t->nodes, (struct flame_node){0});
}

void flame_tree_free(struct flame_tree *t)
{
    for (size_t i = 0; i < t->nodes.n; i++)
        mem_free(t->nodes.v[i].index);
    vec_free(&t->nodes);
    vec_free(&t->unused);
    vec_free(&t->pairs);
}

uint32_t flame_node_new(struct flame_tree *t, uint32_t key)
{
    struct flame_node node = {.key = key};
    if (t->unused.n) {
        uint32_t at = t->unused.v[--t->unused.n];
        t->nodes.v[at] = node;
        return at;
    }
    vec_push(&t->nodes, node);
    return (uint32_t)t->nodes.n - 1;
}

static void node_free(struct flame_tree *t, uint32_t node)
{
    mem_free(t->nodes.v[node].index);
    t->nodes.v[node].index = NULL;
    vec_push(&t->unused, node);
}

// --- children by key -------------------------------------------------------------------
// The index has two slots or more for each child: its size is a power of two that follows
// from their number.
static uint32_t index_mask(uint32_t n_children)
{
    uint32_t size = 4 * INDEX_FROM;
    while (size < 2 * n_children)
        size *= 2;
    return size - 1;
}

static uint32_t slot_of(uint32_t key, uint32_t mask)
{
    const uint32_t spread = 0x9E3779B1; // 2^32 divided by the golden ratio
    return (key * spread) >> 7 & mask;
}

static void index_put(struct flame_tree *t, struct flame_node *parent, uint32_t child)
{
    uint32_t mask = index_mask(parent->n_children);
    uint32_t at = slot_of(t->nodes.v[child].key, mask);
    while (parent->index[at])
        at = (at + 1) & mask;
    parent->index[at] = child;
}

static void index_make(struct flame_tree *t, struct flame_node *parent)
{
    mem_free(parent->index);
    size_t size = (size_t)index_mask(parent->n_children) + 1;
    parent->index = mem_alloc(mem_bytes(sizeof *parent->index, size));
    for (uint32_t c = parent->first; c; c = t->nodes.v[c].next)
        index_put(t, parent, c);
}

uint32_t flame_child_find(const struct flame_tree *t, uint32_t parent, uint32_t key)
{
    const struct flame_node *p = &t->nodes.v[parent];
    uint32_t child = p->first;
    if (!p->index) {
        while (child && t->nodes.v[child].key != key)
            child = t->nodes.v[child].next;
        return child;
    }
    uint32_t mask = index_mask(p->n_children);
    uint32_t at = slot_of(key, mask);
    while ((child = p->index[at]) && t->nodes.v[child].key != key)
        at = (at + 1) & mask;
    return child;
}

void flame_child_add(struct flame_tree *t, uint32_t parent, uint32_t child)
{
    struct flame_node *p = &t->nodes.v[parent];
    uint32_t old_mask = index_mask(p->n_children);
    t->nodes.v[child].next = p->first;
    p->first = child;
    p->n_children++;
    if (p->n_children < INDEX_FROM)
        return;
    if (p->index && index_mask(p->n_children) == old_mask)
        index_put(t, p, child);
    else
        index_make(t, p);
}

uint32_t flame_child_at(struct flame_tree *t, uint32_t parent, uint32_t key)
{
    uint32_t child = flame_child_find(t, parent, key);
    if (!child) {
        child = flame_node_new(t, key);
        flame_child_add(t, parent, child);
    }
    return child;
}

uint32_t flame_child_put(struct flame_tree *t, uint32_t parent, uint32_t child)
{
    uint32_t same = flame_child_find(t, parent, t->nodes.v[child].key);
    if (!same) {
        flame_child_add(t, parent, child);
        return child;
    }
    flame_merge(t, same, child);
    return same;
}

// --- merging ---------------------------------------------------------------------------
static void add_counts(struct flame_node *to, const struct flame_node *from)
{
    to->count += from->count;
    to->n_open += from->n_open;
    to->self += from->self;
}

// Not recursive: a stack may be as deep as a file says.
void flame_merge(struct flame_tree *t, uint32_t to, uint32_t from)
{
    vec_push(&t->pairs, (struct flame_pair){to, from});
    while (t->pairs.n) {
        struct flame_pair pair = t->pairs.v[--t->pairs.n];
        add_counts(&t->nodes.v[pair.to], &t->nodes.v[pair.from]);
        for (uint32_t c = t->nodes.v[pair.from].first, next; c; c = next) {
            next = t->nodes.v[c].next;
            uint32_t same = flame_child_find(t, pair.to, t->nodes.v[c].key);
            if (same)
                vec_push(&t->pairs, (struct flame_pair){same, c});
            else
                flame_child_add(t, pair.to, c);
        }
        node_free(t, pair.from);
    }
}

void flame_copy(struct flame_tree *t, uint32_t to, const struct flame_tree *other,
                uint32_t from)
{
    vec_push(&t->pairs, (struct flame_pair){to, from});
    while (t->pairs.n) {
        struct flame_pair pair = t->pairs.v[--t->pairs.n];
        for (uint32_t c = other->nodes.v[pair.from].first; c; c = other->nodes.v[c].next) {
            uint32_t same = flame_child_at(t, pair.to, other->nodes.v[c].key);
            add_counts(&t->nodes.v[same], &other->nodes.v[c]);
            vec_push(&t->pairs, (struct flame_pair){same, c});
        }
    }
}
