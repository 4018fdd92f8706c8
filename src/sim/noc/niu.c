// niu.c - the registers of a tile's network interface: four command buffers, configuration
// words, status counters. Counters are never reset: barriers compare them with the
// software's running counts.
#include <string.h>

#include "sim/noc/noc_parts.h"

enum {
    CONFIG_END = TT_NIU_CONFIG + 4 * 64,
    STATUS_END = TT_NIU_STATUS + 4 * TT_NOC_COUNTERS,
    BUFFER_WORDS = sizeof((struct niu *)0)->command[0] / 4,
    TRANSACTION_IDS = 16,
    CONFIG_TRANSLATES = 1 << 14, // config word 0: translate coordinates
};

// The word of a command buffer at an offset, or NULL.
static uint32_t *buffer_word(struct tile *tile, unsigned noc, uint32_t offset)
{
    uint32_t stride = tile->chip->layout->noc_buffer_stride;
    uint32_t buffer = offset / stride, word = offset % stride / 4;
    if (buffer >= TT_NOC_BUFFERS || word >= BUFFER_WORDS)
        return NULL;
    return &tile->niu[noc].command[buffer][word];
}

bool niu_read(struct tile *tile, unsigned noc, uint32_t offset,
              __attribute__((unused)) uint64_t cycle, uint32_t *value)
{
    struct niu *niu = &tile->niu[noc];
    if (offset % 4)
        return false;
    if (offset >= TT_NIU_STATUS && offset < STATUS_END) {
        *value = niu->counters[(offset - TT_NIU_STATUS) / 4];
        return true;
    }
    if (offset >= TT_NIU_CONFIG && offset < CONFIG_END) {
        *value = niu->config[(offset - TT_NIU_CONFIG) / 4];
        return true;
    }
    const uint32_t *word = buffer_word(tile, noc, offset);
    if (word)
        *value = *word;
    else if (offset == tile->chip->layout->noc_clear_outstanding)
        *value = 0;
    else
        return false;
    return true;
}

static void clear_outstanding(struct tile *tile, unsigned noc, uint32_t mask)
{
    for (unsigned t = 0; t < TRANSACTION_IDS; t++)
        if (mask >> t & 1)
            niu_count(tile, noc, TT_NOC_OUTSTANDING + t,
                      -(int)tile->niu[noc].counters[TT_NOC_OUTSTANDING + t]);
}

bool niu_write(struct tile *tile, unsigned noc, unsigned risc, uint32_t offset,
               uint32_t value, uint64_t cycle)
{
    const struct tt_layout *layout = tile->chip->layout;
    if (offset % 4)
        return false;
    if (offset >= TT_NIU_STATUS && offset < STATUS_END)
        return true; // read only
    if (offset >= TT_NIU_CONFIG && offset < CONFIG_END) {
        tile->niu[noc].config[(offset - TT_NIU_CONFIG) / 4] = value;
        return true;
    }
    if (offset == layout->noc_clear_outstanding) {
        clear_outstanding(tile, noc, value);
        return true;
    }
    uint32_t *word = buffer_word(tile, noc, offset);
    if (!word)
        return false;
    uint32_t inside = offset % layout->noc_buffer_stride;
    if (inside == layout->noc_cmd_ctrl) {
        if (value & 1)
            niu_issue(tile, noc, offset / layout->noc_buffer_stride, risc, cycle);
    } else if (inside != layout->noc_node_id && inside != layout->noc_endpoint_id) {
        *word = value;
    }
    return true;
}

void niu_reset(struct tile *tile)
{
    const struct chip *chip = tile->chip;
    const struct tt_layout *layout = chip->layout;
    for (unsigned noc = 0; noc < 2; noc++) {
        struct niu *niu = &tile->niu[noc];
        uint32_t x = (uint32_t)tile->noc0.x, y = (uint32_t)tile->noc0.y;
        if (noc == 1) {
            x = (uint32_t)chip->size_x - 1 - x;
            y = (uint32_t)chip->size_y - 1 - y;
        }
        uint32_t id =
            x | y << 6 | (uint32_t)chip->size_x << 12 | (uint32_t)chip->size_y << 19;
        memset(niu->command, 0, sizeof niu->command);
        for (int b = 0; b < TT_NOC_BUFFERS; b++) {
            niu->command[b][layout->noc_node_id / 4] = id;
            niu->command[b][layout->noc_endpoint_id / 4] = tile->node;
        }
        niu->config[0] = CONFIG_TRANSLATES;
        niu->config[layout->noc_id_logical] =
            (uint32_t)tile->virt.x | (uint32_t)tile->virt.y << 6;
    }
}
