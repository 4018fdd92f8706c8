// noc_grid.c - the map of a chip's NoCs.
#include "analyse/noc_grid.h"

#include "base/num.h"

static bool side_parse(str text, int least, int most, int *out)
{
    int64_t v;
    if (!num_int(text, &v) || v < least || v > most)
        return false;
    *out = (int)v;
    return true;
}

static bool size_parse(str text, struct noc_grid *g)
{
    str x = str_cut(&text, 'x');
    return side_parse(x, 1, NOC_SIDE_MOST, &g->size_x) &&
           side_parse(text, 1, NOC_SIDE_MOST, &g->size_y);
}

static bool lines_parse(str text, int size, bool *has)
{
    for (text = str_trim(text); text.n; text = str_trim(text)) {
        int line;
        if (!side_parse(str_cut(&text, ' '), 0, size - 1, &line))
            return false;
        has[line] = true;
    }
    return true;
}

// The next "x-y" of a list that is parted by blanks.
static bool place_take(const struct noc_grid *g, str *text, struct noc_place *p)
{
    str y = str_cut(text, ' '), x = str_cut(&y, '-');
    int at_x, at_y;
    if (!side_parse(x, 0, g->size_x - 1, &at_x) || !side_parse(y, 0, g->size_y - 1, &at_y))
        return false;
    *p = (struct noc_place){(int16_t)at_x, (int16_t)at_y};
    *text = str_trim(*text);
    return true;
}

static bool dram_parse(str text, struct noc_grid *g)
{
    for (; text.n; g->n_controllers++) {
        if (g->n_controllers == NOC_CONTROLLERS_MOST)
            return false;
        for (str tiles = str_trim(str_cut(&text, ',')); tiles.n;) {
            struct noc_place p;
            if (!place_take(g, &tiles, &p))
                return false;
            g->controller[p.y][p.x] = (int16_t)g->n_controllers;
        }
    }
    return true;
}

static bool eth_parse(str text, struct noc_grid *g)
{
    for (text = str_trim(text); text.n; g->n_channels++) {
        struct noc_place p;
        if (g->n_channels == NOC_CHANNELS_MOST || !place_take(g, &text, &p))
            return false;
        g->channel[p.y][p.x] = (int16_t)g->n_channels;
        g->eth[g->n_channels] = p;
    }
    return true;
}

bool noc_grid_make(struct noc_grid *g, const struct arch *arch)
{
    *g = (struct noc_grid){.link_bytes = arch->noc_link_bytes};
    memset(g->controller, -1, sizeof g->controller);
    memset(g->channel, -1, sizeof g->channel);
    return size_parse(arch->noc_grid, g) && g->link_bytes > 0 &&
           lines_parse(arch->worker_columns, g->size_x, g->has_column) &&
           lines_parse(arch->worker_rows, g->size_y, g->has_row) &&
           dram_parse(arch->dram_tiles, g) && eth_parse(arch->eth_tiles, g);
}

bool noc_grid_has(const struct noc_grid *g, struct noc_place p)
{
    return p.x >= 0 && p.x < g->size_x && p.y >= 0 && p.y < g->size_y;
}

// Steps along a ring in the direction of the NoC.
static int steps(int from, int to, int size, int noc)
{
    int ahead = noc == 0 ? to - from : from - to;
    return ahead < 0 ? ahead + size : ahead;
}

int noc_grid_hops(const struct noc_grid *g, int noc, struct noc_place from,
                  struct noc_place to)
{
    return steps(from.x, to.x, g->size_x, noc) + steps(from.y, to.y, g->size_y, noc);
}

// Steps to the farthest line of workers between a and b, and how many such lines there are.
static int farthest(const bool *has, int a, int b, int from, int size, int noc, int *n)
{
    int most = 0;
    *n = 0;
    for (int line = a < b ? a : b; line <= (a < b ? b : a); line++) {
        if (!has[line])
            continue;
        int ahead = steps(from, line, size, noc);
        most = ahead > most ? ahead : most;
        ++*n;
    }
    return most;
}

int noc_grid_spread(const struct noc_grid *g, int noc, struct noc_place from,
                    struct noc_place corner, struct noc_place other)
{
    int columns, rows;
    int x = farthest(g->has_column, corner.x, other.x, from.x, g->size_x, noc, &columns);
    int y = farthest(g->has_row, corner.y, other.y, from.y, g->size_y, noc, &rows);
    if (!columns || !rows)
        return 0;
    // A trunk along the first direction, and a branch for each line that it feeds.
    return noc == 0 ? x + columns * y : y + rows * x;
}
