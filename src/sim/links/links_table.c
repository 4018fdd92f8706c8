// links_table.c - which Ethernet channels are connected: the usual topologies, or a file
// of `device channel device channel` lines.
#include <stdio.h>

#include "base/file/file.h"
#include "base/text/num.h"

#include "sim/chips.h"

// Two links to each neighbour, on the same channels in every topology.
enum { TO_RIGHT = 8, FROM_LEFT = 0, TO_BELOW = 10, FROM_ABOVE = 2, LINKS_EACH = 2 };

struct table {
    struct link *links;
    int n, most;
    const ttdev_cfg *cfg;
    struct err *e;
};

static bool table_add(struct table *t, struct link link)
{
    if (t->n == t->most) {
        return err_set(t->e, ERR_USAGE, "links: more than %d", t->most);
    }
    t->links[t->n++] = link;
    return true;
}

static bool join_channels(struct table *t, int a, int channel_a, int b, int channel_b)
{
    for (int i = 0; i < LINKS_EACH; i++)
        if (!table_add(t,
                       (struct link){{(int16_t)a, (int16_t)b},
                                     {(int16_t)(channel_a + i), (int16_t)(channel_b + i)}}))
            return false;
    return true;
}

// A ring of two has links in both directions, so sending right and receiving from the
// left works in every ring.
static bool join_line(struct table *t, bool is_closed)
{
    int n = t->cfg->n_devices;
    for (int i = 0; i + 1 < n; i++)
        if (!join_channels(t, i, TO_RIGHT, i + 1, FROM_LEFT))
            return false;
    return !is_closed || n < 2 || join_channels(t, n - 1, TO_RIGHT, 0, FROM_LEFT);
}

static bool join_mesh(struct table *t, int width, int height)
{
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            int i = x + y * width;
            if (x + 1 < width && !join_channels(t, i, TO_RIGHT, i + 1, FROM_LEFT))
                return false;
            if (y + 1 < height && !join_channels(t, i, TO_BELOW, i + width, FROM_ABOVE))
                return false;
        }
    return true;
}

// An n300 connects its two chips by one pair of links; eight chips are wired like a box
// with four such boards.
static bool join_default(struct table *t)
{
    int n = t->cfg->n_devices;
    if (chip_board(t->cfg->board)->n_channels == 0)
        return true;
    if (n == 8)
        return join_mesh(t, 4, 2);
    return join_line(t, !(t->cfg->board == TTDEV_N300 && n == 2));
}

// --- from a file -----------------------------------------------------------------------
static bool is_taken(const struct table *t, int dev, int channel)
{
    for (int i = 0; i < t->n; i++)
        for (int end = 0; end < 2; end++)
            if (t->links[i].dev[end] == dev && t->links[i].channel[end] == channel)
                return true;
    return false;
}

// Checks that one end of a link exists and is free.
static bool end_is_good(const struct table *t, int64_t dev, int64_t channel)
{
    const struct board *board = chip_board(t->cfg->board);
    if (dev < 0 || dev >= t->cfg->n_devices)
        return err_set(t->e, ERR_FORMAT, "device %lld: there are only %d", (long long)dev,
                       t->cfg->n_devices);
    if (channel < 0 || channel >= board->n_channels)
        return err_set(t->e, ERR_FORMAT, "channel %lld: %s has only %d", (long long)channel,
                       board->name, board->n_channels);
    if (is_taken(t, (int)dev, (int)channel))
        return err_set(t->e, ERR_FORMAT, "device %d channel %d already has a link",
                       (int)dev, (int)channel);
    return true;
}

static str next_word(str *line)
{
    *line = str_trim(*line);
    size_t n = 0;
    while (n < line->n && line->p[n] != ' ' && line->p[n] != '\t')
        n++;
    str word = {line->p, n};
    *line = str_from(*line, n);
    return word;
}

static bool read_line(struct table *t, str line)
{
    int64_t v[4];
    for (int i = 0; i < 4; i++)
        if (!num_int(next_word(&line), &v[i]))
            return err_set(t->e, ERR_FORMAT, "expected device channel device channel");
    if (str_trim(line).n)
        return err_set(t->e, ERR_FORMAT, "expected four numbers");
    if (!end_is_good(t, v[0], v[1]) || !end_is_good(t, v[2], v[3]))
        return false;
    if (v[0] == v[2])
        return err_set(t->e, ERR_FORMAT, "device %d is linked to itself", (int)v[0]);
    if (t->n == t->most)
        return err_set(t->e, ERR_FORMAT, "more than %d links", t->most);
    return table_add(
        t, (struct link){{(int16_t)v[0], (int16_t)v[2]}, {(int16_t)v[1], (int16_t)v[3]}});
}

static bool read_lines(struct table *t, str text)
{
    for (size_t number = 1; text.n; number++) {
        str line = str_cut(&text, '\n');
        line = str_trim(str_cut(&line, '#'));
        if (line.n && !read_line(t, line))
            return err_in(t->e, "line %zu", number);
    }
    return true;
}

static bool join_file(struct table *t)
{
    struct file f;
    const char *path = t->cfg->links_file;
    if (!file_open(path, &f, t->e))
        return err_in(t->e, "links");
    bool is_good =
        f.damage ? err_set(t->e, ERR_FORMAT, "%s", f.damage) : read_lines(t, f.text);
    file_close(&f);
    return is_good || err_in(t->e, "links: %.120s", path);
}

// Links between visible chips, numbered as devices; returns how many.
static int keep_visible(const struct table *t)
{
    const ttdev_cfg *cfg = t->cfg;
    int n = 0;
    for (int i = 0; i < t->n; i++) {
        struct link link = t->links[i];
        int found = 0;
        for (int end = 0; end < 2; end++)
            for (int d = 0; d < cfg->n_visible; d++)
                if (cfg->visible[d] == t->links[i].dev[end]) {
                    link.dev[end] = (int16_t)d;
                    found++;
                }
        if (!cfg->n_visible || found == 2)
            t->links[n++] = link;
    }
    return n;
}

int cluster_links(const ttdev_cfg *cfg, struct link *links, int most, struct err *e)
{
    struct table t = {.links = links, .most = most, .cfg = cfg, .e = e};
    const struct board *board = chip_board(cfg->board);
    bool ok = true;
    bool needs_channels = cfg->links == TTDEV_LINKS_RING || cfg->links == TTDEV_LINKS_LINE;
    if (needs_channels && board->n_channels == 0) {
        (void)err_set(e, ERR_USAGE, "links: %s has no Ethernet", board->name);
        return -1;
    }
    switch (cfg->links) {
    case TTDEV_LINKS_RING: ok = join_line(&t, true); break;
    case TTDEV_LINKS_LINE: ok = join_line(&t, false); break;
    case TTDEV_LINKS_FILE: ok = join_file(&t); break;
    case TTDEV_LINKS_DEFAULT: ok = join_default(&t); break;
    default: break;
    }
    return ok ? keep_visible(&t) : -1;
}
