// trees.c - start and end of the storage of host tracks as trees.
#include "trace/trees.h"

#include "trace/blocks.h"

struct trace_trees *trace_trees_start(struct trace *t)
{
    struct trace_trees *trees = mem_alloc(sizeof *trees);
    vec_push(&t->trees, trees);
    trees->first_track = (uint32_t)t->tracks.n;
    if (t->blocks) { // they have one
        trees->first_site = t->blocks->first_site;
        return trees;
    }
    trees->first_site = (uint32_t)t->sites.n;
    (void)map_put(&t->strings, S(""));
    uint32_t unknown = map_put(&t->strings, S("???"));
    vec_push(&t->sites,
             (struct trace_site){.name = unknown, .function = unknown, .file = unknown});
    return trees;
}

void trace_trees_free(struct trace_trees *trees)
{
    if (!trees)
        return;
    for (size_t i = 0; i < trees->tracks.n; i++) {
        pile_free(&trees->tracks.v[i].own_zones);
        pile_free(&trees->tracks.v[i].events);
    }
    vec_free(&trees->tracks);
    if (trees->free_owner)
        trees->free_owner(trees->owner);
    mem_free(trees);
}
