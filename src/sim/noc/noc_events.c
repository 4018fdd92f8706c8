// noc_events.c - the effects of packets on a tile: data lands, requests are answered,
// counters step. Runs inside the tile's window.
#include <string.h>

#include "sim/noc/noc_parts.h"

void niu_count(struct tile *tile, unsigned noc, unsigned counter, int change)
{
    uint32_t offset = TT_NIU_STATUS + 4 * counter;
    tile_touch(tile, TT_NIU + noc * TT_NIU_STRIDE + offset, 4);
    uint32_t *value = &tile->niu[noc].counters[counter];
    *value += (uint32_t)change;
    if (counter >= TT_NOC_OUTSTANDING)
        *value &= 0xFF; // counters by transaction id have 8 bits
}

static void count_applied(struct tile *tile)
{
    tile->chip->noc->n_applied[tile->index]++;
    tile->last_packet = tile->now;
}

static void count_beats(struct tile *tile, const struct event *event, enum beat beat)
{
    uint32_t flit = tile->chip->layout->noc_flit_bytes;
    tile->noc_beats[event->niu][beat] += (event->bytes + flit - 1) / flit;
}

static bool is_register(const struct event *event)
{
    return event->address >= TT_LOCAL_RAM;
}

static void tell_landed(struct tile *tile, const struct event *event)
{
    if (tile->chip->has_truth)
        tile_truth(tile, noc_number_risc(event->packet), TTDEV_TRUTH_NOC_COMPLETE,
                   event->cycle, event->packet, 0);
}

// The NIU accepted the command: its buffer can be reused.
void noc_apply_accept(struct tile *tile, struct event *event)
{
    const struct tt_layout *layout = tile->chip->layout;
    uint32_t offset = event->flags * layout->noc_buffer_stride + layout->noc_cmd_ctrl;
    tile_touch(tile, TT_NIU + event->niu * TT_NIU_STRIDE + offset, 4);
    tile->niu[event->niu].command[event->flags][layout->noc_cmd_ctrl / 4] = 0;
    if (tile->chip->has_truth)
        tile_truth(tile, noc_number_risc(event->packet), TTDEV_TRUTH_NOC_ISSUE,
                   event->cycle, event->packet, event->bytes);
}

void noc_apply_sent(struct tile *tile, struct event *event)
{
    count_applied(tile);
    niu_count(tile, event->niu, event->counter, 1);
    if (event->counter == TT_NOC_READS_SENT)
        return;
    niu_count(tile, event->niu, TT_NOC_LEAVING + event->tag, -1);
    count_beats(tile, event, BEAT_OUT_OWN);
}

// --- requests at the target ------------------------------------------------------------
static void refuse_register(struct tile *tile, const struct event *event, uint32_t address)
{
    tile_fault(tile, (struct fault){.cycle = event->cycle,
                                    .address = address,
                                    .kind = FAULT_UNMAPPED,
                                    .risc = TT_RISCS,
                                    .what = "a NoC access to an unknown register"});
}

static void read_registers(struct tile *tile, const struct event *event, uint8_t *out)
{
    for (uint32_t i = 0; i < event->bytes; i += 4) {
        uint32_t value = 0, address = (uint32_t)event->address + i;
        if (!tile_register_read(tile, TT_RISCS, address, event->cycle, &value)) {
            refuse_register(tile, event, address);
            return;
        }
        memcpy(out + i, &value, 4);
    }
}

static void write_registers(struct tile *tile, const struct event *event,
                            const uint8_t *data)
{
    for (uint32_t i = 0; i < event->bytes; i += 4) {
        uint32_t value, address = (uint32_t)event->address + i;
        memcpy(&value, data + i, 4);
        if (tile_register_write(tile, TT_RISCS, address, value, event->cycle) !=
            REGISTER_OK) {
            refuse_register(tile, event, address);
            return;
        }
    }
}

// An answer to the node that the event came from.
static struct packet answer_to(const struct tile *tile, const struct event *event,
                               enum packet_kind kind)
{
    return (struct packet){.issue = event->cycle,
                           .number = event->packet,
                           .node = tile->node,
                           .target = event->from,
                           .niu = event->niu,
                           .buffer = (uint8_t)(TT_NOC_BUFFERS + kind),
                           .kind = (uint8_t)kind,
                           .tag = event->tag,
                           .reply = event->reply,
                           .bytes = event->bytes};
}

void noc_apply_read(struct tile *tile, struct event *event)
{
    count_applied(tile);
    struct packet answer = answer_to(tile, event, PACKET_READ_DATA);
    if (is_register(event)) {
        answer.payload = mem_alloc(event->bytes);
        read_registers(tile, event, answer.payload);
    } else {
        count_beats(tile, event, BEAT_OUT_ASKED);
        answer.payload = mem_resize(NULL, event->bytes);
        memcpy(answer.payload, tile->l1 + event->address, event->bytes);
    }
    noc_leave(tile, answer);
}

static void write_enabled(struct tile *tile, const struct event *event, const uint8_t *data)
{
    for (uint32_t i = 0; i < event->bytes; i++)
        if (event->flags >> i & 1)
            tile_write(tile, (uint32_t)event->address + i, data + i, 1);
}

void noc_apply_write(struct tile *tile, struct event *event)
{
    count_applied(tile);
    if (!is_register(event))
        count_beats(tile, event, BEAT_IN_WRITTEN);
    const uint8_t *data = event->payload ? event->payload : (const uint8_t *)&event->value;
    if (is_register(event))
        write_registers(tile, event, data);
    else if (event->flags == 15)
        tile_write(tile, (uint32_t)event->address, data, event->bytes);
    else
        write_enabled(tile, event, data);
    tell_landed(tile, event);
    mem_free(event->payload);
    event->payload = NULL;
}

// The counter wraps inside its low `width` + 1 bits; event->flags holds the width.
static uint32_t increment(uint32_t old, uint32_t by, unsigned width)
{
    uint32_t mask = width >= 31 ? UINT32_MAX : (1u << (width + 1)) - 1;
    return (old & ~mask) | ((old + by) & mask);
}

void noc_apply_atomic(struct tile *tile, struct event *event)
{
    count_applied(tile);
    uint8_t old_bytes[4] = {0};
    if (is_register(event)) {
        read_registers(tile, event, old_bytes);
    } else {
        count_beats(tile, event, BEAT_IN_WRITTEN);
        memcpy(old_bytes, tile->l1 + event->address, 4);
    }
    uint32_t old;
    memcpy(&old, old_bytes, 4);
    uint32_t now = increment(old, event->value, event->flags);
    if (is_register(event))
        write_registers(tile, event, (const uint8_t *)&now);
    else
        tile_write(tile, (uint32_t)event->address, &now, 4);
    tell_landed(tile, event);
    if (event->counter == UINT8_MAX)
        return; // posted
    struct packet answer = answer_to(tile, event, PACKET_RESULT);
    answer.value = old;
    noc_leave(tile, answer);
}

// --- answers at the source -------------------------------------------------------------
void noc_apply_answer(struct tile *tile, struct event *event)
{
    count_applied(tile);
    if (event->counter != TT_NOC_WRITE_ACKS)
        count_beats(tile, event, BEAT_IN_ASKED);
    if (event->counter == TT_NOC_READ_RESPONSES) {
        tile_write(tile, (uint32_t)event->reply, event->payload, event->bytes);
        tell_landed(tile, event);
    } else if (event->counter == TT_NOC_ATOMIC_RESPONSES) {
        tile_write(tile, (uint32_t)event->reply, &event->value, 4);
    }
    niu_count(tile, event->niu, event->counter, 1);
    // The software may have cleared it in the meantime.
    if (tile->niu[event->niu].counters[TT_NOC_OUTSTANDING + event->tag])
        niu_count(tile, event->niu, TT_NOC_OUTSTANDING + event->tag, -1);
    mem_free(event->payload);
    event->payload = NULL;
}
