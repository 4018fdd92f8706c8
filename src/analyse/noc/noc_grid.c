// noc_grid.c - the map of a chip's NoCs.
#include "analyse/noc/noc_grid.h"

bool noc_grid_make(struct noc_grid *g, const struct arch *arch)
{
    const struct die *die = &arch->die;
    *g = (struct noc_grid){.size_x = die->size.x,
                           .size_y = die->size.y,
                           .link_bytes = arch->noc_link_bytes,
                           .n_controllers = die->dram.n / DIE_PORTS,
                           .n_channels = die->eth.n,
                           .eth = die->eth.v};
    memset(g->controller, -1, sizeof g->controller);
    memset(g->channel, -1, sizeof g->channel);
    for (int i = 0; i < die->columns.n; i++)
        g->has_column[die->columns.v[i]] = true;
    for (int i = 0; i < die->rows.n; i++)
        g->has_row[die->rows.v[i]] = true;
    for (int i = 0; i < die->dram.n; i++)
        g->controller[die->dram.v[i].y][die->dram.v[i].x] = (int16_t)(i / DIE_PORTS);
    for (int i = 0; i < die->eth.n; i++)
        g->channel[die->eth.v[i].y][die->eth.v[i].x] = (int16_t)i;
    return g->size_x > 0 && g->size_y > 0 && g->link_bytes > 0;
}

bool noc_grid_has(const struct noc_grid *g, struct die_place p)
{
    return p.x >= 0 && p.x < g->size_x && p.y >= 0 && p.y < g->size_y;
}

// Hops along a ring in the direction of the NoC.
static int ring_hops(int from, int to, int size, int noc)
{
    int ahead = noc == 0 ? to - from : from - to;
    return ahead < 0 ? ahead + size : ahead;
}

int noc_grid_hops(const struct noc_grid *g, int noc, struct die_place from,
                  struct die_place to)
{
    return ring_hops(from.x, to.x, g->size_x, noc) +
           ring_hops(from.y, to.y, g->size_y, noc);
}

// Hops to the farthest line of workers between a and b, and the number of such lines.
static int hops_to_farthest(const bool *has, int a, int b, int from, int size, int noc,
                            int *n)
{
    int most = 0;
    *n = 0;
    for (int line = a < b ? a : b; line <= (a < b ? b : a); line++) {
        if (!has[line])
            continue;
        int ahead = ring_hops(from, line, size, noc);
        most = ahead > most ? ahead : most;
        ++*n;
    }
    return most;
}

int noc_grid_spread(const struct noc_grid *g, int noc, struct die_place from,
                    struct die_place corner, struct die_place other)
{
    int columns, rows;
    int x = hops_to_farthest(g->has_column, corner.x, other.x, from.x, g->size_x, noc,
                             &columns);
    int y = hops_to_farthest(g->has_row, corner.y, other.y, from.y, g->size_y, noc, &rows);
    if (!columns || !rows)
        return 0;
    // A trunk along the first direction, and a branch for each line that it feeds.
    return noc == 0 ? x + columns * y : y + rows * x;
}
