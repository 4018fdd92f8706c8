// noc_send.c - sends a packet: routes it and schedules its effects at both ends.
#include <string.h>

#include "sim/noc/noc_parts.h"

// --- multicast -------------------------------------------------------------------------
static void put_in_order(unsigned *a, unsigned *b)
{
    if (*a > *b) {
        unsigned swap = *a;
        *a = *b;
        *b = swap;
    }
}

// The corners may be in the order of either NoC; only workers receive.
size_t noc_rectangle(const struct chip *chip, unsigned noc, uint64_t address,
                     unsigned source, bool has_source, uint16_t nodes[NOC_MOST_TILES])
{
    unsigned x0 = address >> 48 & 63, x1 = noc_address_x(address);
    unsigned y0 = address >> 54 & 63, y1 = noc_address_y(address);
    put_in_order(&x0, &x1);
    put_in_order(&y0, &y1);
    size_t n = 0;
    for (unsigned y = y0; y <= y1; y++)
        for (unsigned x = x0; x <= x1; x++) {
            int node = chip->translate[noc][x][y];
            if (node < 0 || chip->nodes[node].kind != NODE_TENSIX)
                continue;
            if ((unsigned)node == source && !has_source)
                continue;
            if (n < NOC_MOST_TILES)
                nodes[n] = (uint16_t)node;
            n++;
        }
    return n;
}

// --- sending ---------------------------------------------------------------------------
static struct tile *source_of(struct chip *chip, const struct packet *packet)
{
    return noc_tile(chip, packet->node);
}

static void post_sent(struct chip *chip, const struct packet *packet, uint64_t injected,
                      unsigned counter)
{
    uint64_t least = chip->costs.noc_sent_least;
    if (least < SIM_LOOKAHEAD)
        least = SIM_LOOKAHEAD;
    uint64_t at = packet->issue + least;
    bool is_from_l1 = !(packet->control & TT_NOC_INLINE);
    noc_post(chip, source_of(chip, packet),
             (struct event){.cycle = at > injected ? at : injected,
                            .apply = noc_apply_sent,
                            .packet = packet->number,
                            .bytes = is_from_l1 ? packet->bytes : 0,
                            .niu = packet->niu,
                            .tag = packet->tag,
                            .counter = (uint8_t)counter});
}

static struct event event_of(const struct packet *packet, uint64_t cycle,
                             void (*apply)(struct tile *, struct event *))
{
    return (struct event){.cycle = cycle,
                          .apply = apply,
                          .payload = packet->payload,
                          .address = noc_address_local(packet->address),
                          .reply = packet->reply,
                          .packet = packet->number,
                          .bytes = packet->bytes,
                          .value = packet->value,
                          .from = packet->node,
                          .niu = packet->niu,
                          .tag = packet->tag,
                          .flags = packet->enables};
}

static void send_read(struct chip *chip, struct packet *packet)
{
    struct passage passage = noc_pass(chip, packet, packet->target);
    post_sent(chip, packet, passage.injected, TT_NOC_READS_SENT);
    struct tile *tile = noc_tile(chip, packet->target);
    if (tile) {
        noc_post(chip, tile, event_of(packet, passage.first, noc_apply_read));
        return;
    }
    packet->stage = STAGE_EDGE;
    noc_put(chip, packet, passage.first);
}

static void queue_ack(struct chip *chip, const struct packet *packet, unsigned target,
                      uint64_t cycle)
{
    struct packet ack = {.issue = cycle,
                         .number = packet->number,
                         .node = (uint16_t)target,
                         .target = packet->node,
                         .niu = packet->niu,
                         .buffer = TT_NOC_BUFFERS + PACKET_ACK,
                         .kind = PACKET_ACK,
                         .tag = packet->tag};
    noc_put(chip, &ack, cycle);
}

// One arrival of a write or atomic; takes the payload. Returns when its injection ended.
static uint64_t deliver_to(struct chip *chip, const struct packet *packet, unsigned target)
{
    enum { WIDTH_SHIFT = 2, WIDTH_MASK = 31 }; // of the counter, in an atomic's AT_LEN
    struct passage passage = noc_pass(chip, packet, target);
    bool is_posted = !(packet->control & TT_NOC_RESPONSE);
    if (packet->kind == PACKET_ATOMIC) {
        struct event event = event_of(packet, passage.last, noc_apply_atomic);
        event.flags = packet->length >> WIDTH_SHIFT & WIDTH_MASK;
        event.counter = is_posted ? UINT8_MAX : TT_NOC_ATOMIC_RESPONSES;
        noc_post(chip, noc_tile(chip, target), event);
        return passage.injected;
    }
    noc_post(chip, noc_tile(chip, target), event_of(packet, passage.last, noc_apply_write));
    if (!is_posted)
        queue_ack(chip, packet, target, passage.last);
    return passage.injected;
}

static uint64_t deliver_all(struct chip *chip, const struct packet *packet)
{
    uint16_t nodes[NOC_MOST_TILES];
    bool has_source = packet->control & TT_NOC_INCLUDE_SOURCE;
    size_t n =
        noc_rectangle(chip, packet->niu, packet->address, packet->node, has_source, nodes);
    uint64_t injected = 0;
    chip->noc->stamp++;
    for (size_t i = 0; i < n; i++) {
        struct packet copy = *packet;
        if (packet->payload && i + 1 < n) {
            copy.payload = mem_resize(NULL, packet->bytes);
            memcpy(copy.payload, packet->payload, packet->bytes);
        }
        injected = deliver_to(chip, &copy, nodes[i]);
    }
    return injected;
}

static void send_data(struct chip *chip, struct packet *packet)
{
    bool is_multicast = packet->control & TT_NOC_MULTICAST;
    uint64_t injected;
    if (!is_multicast && !noc_tile(chip, packet->target)) {
        struct passage passage = noc_pass(chip, packet, packet->target);
        injected = passage.injected;
        packet->stage = STAGE_EDGE;
        noc_put(chip, packet, passage.last);
    } else if (is_multicast) {
        injected = deliver_all(chip, packet);
    } else {
        injected = deliver_to(chip, packet, packet->target);
    }
    if (packet->kind == PACKET_WRITE)
        post_sent(chip, packet, injected,
                  packet->control & TT_NOC_RESPONSE ? TT_NOC_WRITES_SENT
                                                    : TT_NOC_POSTED_SENT);
}

static void send_answer(struct chip *chip, struct packet *packet)
{
    static const uint8_t counters[PACKET_KINDS] = {
        [PACKET_READ_DATA] = TT_NOC_READ_RESPONSES,
        [PACKET_RESULT] = TT_NOC_ATOMIC_RESPONSES,
        [PACKET_ACK] = TT_NOC_WRITE_ACKS,
    };
    struct passage passage = noc_pass(chip, packet, packet->target);
    struct event event = event_of(packet, passage.last, noc_apply_answer);
    event.counter = counters[packet->kind];
    noc_post(chip, noc_tile(chip, packet->target), event);
}

void noc_answer(struct chip *chip, struct packet *packet, enum packet_kind kind,
                uint64_t cycle)
{
    uint16_t asker = packet->node;
    packet->node = packet->target;
    packet->target = asker;
    packet->kind = (uint8_t)kind;
    packet->buffer = (uint8_t)(TT_NOC_BUFFERS + kind);
    packet->issue = cycle;
    packet->stage = STAGE_NOC;
    noc_put(chip, packet, cycle);
}

void noc_send(struct chip *chip, struct packet *packet)
{
    static void (*const send[PACKET_KINDS])(struct chip *, struct packet *) = {
        [PACKET_READ] = send_read,     [PACKET_WRITE] = send_data,
        [PACKET_ATOMIC] = send_data,   [PACKET_READ_DATA] = send_answer,
        [PACKET_RESULT] = send_answer, [PACKET_ACK] = send_answer,
    };
    send[packet->kind](chip, packet);
}
