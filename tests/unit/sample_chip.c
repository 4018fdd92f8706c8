// sample_chip.c - see sample_chip.h.
#include "sample_chip.h"

#include <string.h>

#include "sim/tile/tile.h"

void sample_chip_open(struct sample_chip *s, const char *config)
{
    struct err e = {0};
    *s = (struct sample_chip){0};
    struct ttdev *t = &s->cluster;
    ttdev_cfg_default(&t->cfg);
    if (ttdev_cfg_parse(&t->cfg, config, &e))
        fail_msg("%s", e.text);
    t->origin_fs = t->true_fs = FS_AT_OPEN;
    t->n_chips = t->cfg.n_devices;
    t->chips = mem_alloc(mem_bytes(sizeof *t->chips, (size_t)t->n_chips));
    for (int i = 0; i < t->n_chips; i++) {
        t->chips[i].cluster = t;
        if (!chip_lay_out(&t->chips[i], &t->cfg, i, &e))
            fail_msg("%s", e.text);
        t->chips[i].is_strict = t->cfg.strict;
    }
    t->n_links =
        cluster_links(&t->cfg, t->links, (int)(sizeof t->links / sizeof *t->links), &e);
    for (int i = 0; i < t->n_chips; i++)
        assert_true(chip_start(&t->chips[i]));
    s->chip = &t->chips[0];
}

void sample_chip_close(struct sample_chip *s)
{
    for (int i = 0; i < s->cluster.n_chips; i++) {
        chip_stop(&s->cluster.chips[i]);
        chip_lay_out_free(&s->cluster.chips[i]);
    }
    mem_free(s->cluster.chips);
}

void sample_chip_run(struct sample_chip *s, uint64_t until)
{
    cluster_advance(&s->cluster, chip_true_fs(s->chip, until));
}

void sample_chip_finish(struct sample_chip *s)
{
    uint64_t limit = s->chip->now + 1000000;
    while (noc_in_flight(s->chip) && !s->chip->has_fault) {
        sample_chip_run(s, s->chip->now + s->cluster.cfg.quantum);
        assert_true(s->chip->now < limit);
    }
}

struct tile *sample_tile(struct sample_chip *s, int x, int y)
{
    return &s->chip->tiles[x + y * s->chip->grid.x];
}

uint64_t sample_address(const struct tile *tile, uint64_t local)
{
    return (uint64_t)tile->virt.x << 36 | (uint64_t)tile->virt.y << 42 | local;
}

uint64_t sample_bank_address(const struct sample_chip *s, unsigned noc, int bank,
                             uint64_t local)
{
    const struct bank *b = &s->chip->banks[bank];
    for (uint64_t x = 0; x < 64; x++)
        for (uint64_t y = 0; y < 64; y++)
            if (s->chip->translate[noc][x][y] == b->node[noc])
                return x << 36 | y << 42 | (b->offset + local);
    fail_msg("bank %d has no coordinates", bank);
    return 0;
}

uint32_t sample_counter(const struct tile *tile, unsigned noc, unsigned counter)
{
    return tile->niu[noc].counters[counter];
}

uint32_t sample_word(const struct tile *tile, uint32_t address)
{
    uint32_t value;
    memcpy(&value, tile->l1 + address, 4);
    return value;
}

void sample_set_word(struct tile *tile, uint32_t address, uint32_t value)
{
    memcpy(tile->l1 + address, &value, 4);
}

void sample_noc_issue(struct tile *tile, struct sample_command command)
{
    const struct tt_layout *l = tile->chip->layout;
    const uint32_t fields[][2] = {
        {TT_NOC_TARG_LO, (uint32_t)command.target},
        {TT_NOC_TARG_MID, (uint32_t)(command.target >> 32)},
        {TT_NOC_RET_LO, (uint32_t)command.reply},
        {TT_NOC_RET_MID, (uint32_t)(command.reply >> 32)},
        {TT_NOC_PACKET_TAG, command.tag << 10},
        {TT_NOC_CTRL, command.control},
        {TT_NOC_AT_LEN, command.length},
        {l->noc_at_data, command.data},
        {l->noc_cmd_ctrl, 1},
    };
    uint32_t base = command.buffer * l->noc_buffer_stride;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        assert_true(niu_write(tile, command.noc, TT_BRISC, base + fields[i][0],
                              fields[i][1], tile->chip->now));
    tile_refresh(tile);
}

void sample_noc_read(struct tile *tile, unsigned noc, uint64_t from, uint32_t to,
                     uint32_t bytes)
{
    sample_noc_issue(tile, (struct sample_command){.noc = noc,
                                                   .buffer = TT_NOC_BUFFER_READ,
                                                   .control = TT_NOC_READ | TT_NOC_RESPONSE,
                                                   .target = from,
                                                   .reply = to,
                                                   .length = bytes});
}

void sample_noc_write(struct tile *tile, unsigned noc, uint32_t from, uint64_t to,
                      uint32_t bytes, uint32_t more)
{
    sample_noc_issue(tile, (struct sample_command){.noc = noc,
                                                   .buffer = TT_NOC_BUFFER_WRITE,
                                                   .control = TT_NOC_WRITE | more,
                                                   .target = from,
                                                   .reply = to,
                                                   .length = bytes});
}
