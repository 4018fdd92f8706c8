// cores.c - see cores.h.
#include "sim/dispatch/cores.h"

#include "ttprof/dispatch_words.h"

bool dispatch_is_core(const struct tile *tile)
{
    ttdev_xy grid = tile->chip->grid, at = tile->logical;
    return tile->kind == TILE_TENSIX && (at.x >= grid.x || at.y >= grid.y);
}

// The place of a core in the line, from logical 0.
static int place_in_line(const struct tile *tile)
{
    bool is_row = tile->logical.y >= tile->chip->grid.y;
    return is_row ? tile->logical.x : tile->logical.y;
}

struct tile *dispatch_core(const struct chip *chip, unsigned queue, enum dispatch_role role)
{
    int place = (int)(queue * DISPATCH_ROLES + role);
    for (int i = 0; i < chip->n_workers; i++)
        if (dispatch_is_core(&chip->tiles[i]) && place_in_line(&chip->tiles[i]) == place)
            return &chip->tiles[i];
    return NULL;
}

int dispatch_core_queue(const struct tile *tile)
{
    int queue = dispatch_is_core(tile) ? place_in_line(tile) / DISPATCH_ROLES : TT_QUEUES;
    return queue < TT_QUEUES ? queue : -1;
}

int dispatch_core_role(const struct tile *tile)
{
    return dispatch_core_queue(tile) < 0 ? -1 : place_in_line(tile) % DISPATCH_ROLES;
}
