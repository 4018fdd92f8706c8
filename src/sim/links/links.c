// links.c - Ethernet between chips: a message leaves one tile's L1 and lands in another's.
//
// Chips have their own clocks, so a message travels in true time. A port serialises at
// the link's rate; the message then takes eth_latency_ns, and so does the returning
// credit. Both take longer than the cluster lets chips run apart.
#include <string.h>

#include "sim/cluster.h"
#include "sim/noc/noc.h"

struct message {
    uint64_t leaves; // cycle after the last byte
    uint32_t destination, bytes;
    uint8_t *payload;
};

struct eth_port {
    bool is_linked;
    bool has_waiter; // a store to SEND waits for a credit
    int peer_dev, peer_channel;
    uint32_t source, destination, bytes; // registers
    uint32_t credits, sent, received;
    uint32_t n_issued, n_handed; // messages; those handed over
    uint64_t free_at;            // of the serialiser
    VEC(struct message) out;
};

void links_open(struct chip *chip)
{
    for (int i = 0; i < chip->n_tiles; i++) {
        struct tile *tile = &chip->tiles[i];
        if (tile->kind != TILE_ETH)
            continue;
        struct eth_port *port = tile->eth = mem_alloc(sizeof *port);
        port->is_linked = cluster_peer(chip->cluster, chip->number, tile->channel,
                                       &port->peer_dev, &port->peer_channel) == 0;
        port->credits = port->is_linked ? chip->costs.eth_credits : 0;
    }
}

void links_close(struct chip *chip)
{
    for (int i = 0; i < chip->n_tiles; i++) {
        struct eth_port *port = chip->tiles[i].eth;
        if (!port)
            continue;
        for (size_t k = 0; k < port->out.n; k++)
            mem_free(port->out.v[k].payload);
        vec_free(&port->out);
        mem_free(port);
        chip->tiles[i].eth = NULL;
    }
}

size_t links_in_flight(const struct chip *chip)
{
    size_t n = 0;
    for (int i = 0; i < chip->n_tiles; i++) {
        const struct eth_port *port = chip->tiles[i].eth;
        if (port)
            n += port->n_issued - port->sent;
    }
    return n;
}

// --- registers -------------------------------------------------------------------------
bool eth_read(struct tile *tile, uint32_t offset, __attribute__((unused)) uint64_t cycle,
              uint32_t *value)
{
    const struct eth_port *port = tile->eth;
    if (!port)
        return false;
    switch (offset) {
    case TT_ETH_SEND: *value = 0; return true;
    case TT_ETH_SOURCE: *value = port->source; return true;
    case TT_ETH_DESTINATION: *value = port->destination; return true;
    case TT_ETH_BYTES: *value = port->bytes; return true;
    case TT_ETH_CREDITS: *value = port->credits; return true;
    case TT_ETH_SENT: *value = port->sent; return true;
    case TT_ETH_RECEIVED: *value = port->received; return true;
    case TT_ETH_LINKED: *value = port->is_linked; return true;
    case TT_ETH_PEER: *value = (uint32_t)port->peer_dev; return true;
    default: return false;
    }
}

static void step_counter(struct tile *tile, uint32_t offset, uint32_t *word,
                         uint32_t change)
{
    tile_touch(tile, TT_ETH + offset, 4);
    *word += change;
}

static void fault_send(struct tile *tile, uint32_t address, const char *what,
                       uint64_t cycle)
{
    tile_fault(tile, (struct fault){.cycle = cycle,
                                    .pc = tile->risc[0].pc,
                                    .address = address,
                                    .value = tile->eth->bytes,
                                    .kind = FAULT_ETH,
                                    .risc = 0,
                                    .what = what});
}

// Does nothing, but shows the cluster that a message is under way so that the chips meet
// in time, even if the host sent it.
static void apply_left(struct tile *tile, struct event *event)
{
    (void)tile, (void)event;
}

static enum register_result send_message(struct tile *tile, uint64_t cycle)
{
    struct eth_port *port = tile->eth;
    uint64_t end = tile->l1_bytes;
    const char *what =
        !port->is_linked                                  ? "a send without a link"
        : port->bytes == 0                                ? "a send of 0 bytes"
        : port->source + (uint64_t)port->bytes > end      ? "the source is outside L1"
        : port->destination + (uint64_t)port->bytes > end ? "the destination is outside L1"
                                                          : NULL;
    if (what) {
        fault_send(tile, port->source, what, cycle);
        return REGISTER_OK;
    }
    if (port->credits == 0) {
        port->has_waiter = true;
        return REGISTER_STALL;
    }
    step_counter(tile, TT_ETH_CREDITS, &port->credits, UINT32_MAX); // one less
    uint32_t rate = tile->chip->costs.eth_bytes_10;
    uint64_t start = port->free_at > cycle ? port->free_at : cycle;
    port->free_at = start + ((uint64_t)port->bytes * 10 + rate - 1) / rate;
    struct message message = {.leaves = port->free_at,
                              .destination = port->destination,
                              .bytes = port->bytes,
                              .payload = mem_resize(NULL, port->bytes)};
    memcpy(message.payload, tile->l1 + port->source, port->bytes);
    vec_push(&port->out, message);
    port->n_issued++;
    tile_post(tile, (struct event){.cycle = message.leaves, .apply = apply_left});
    return REGISTER_OK;
}

enum register_result eth_write(struct tile *tile, uint32_t offset, uint32_t value,
                               uint64_t cycle)
{
    struct eth_port *port = tile->eth;
    if (!port)
        return REGISTER_MISSING;
    switch (offset) {
    case TT_ETH_SEND: return value & 1 ? send_message(tile, cycle) : REGISTER_OK;
    case TT_ETH_SOURCE: port->source = value; return REGISTER_OK;
    case TT_ETH_DESTINATION: port->destination = value; return REGISTER_OK;
    case TT_ETH_BYTES: port->bytes = value; return REGISTER_OK;
    case TT_ETH_CREDITS:
    case TT_ETH_SENT:
    case TT_ETH_RECEIVED:
    case TT_ETH_LINKED:
    case TT_ETH_PEER: return REGISTER_OK; // read only
    default: return REGISTER_MISSING;
    }
}

// --- transport -------------------------------------------------------------------------
static void apply_arrival(struct tile *tile, struct event *event)
{
    tile_write(tile, (uint32_t)event->address, event->payload, event->bytes);
    step_counter(tile, TT_ETH_RECEIVED, &tile->eth->received, 1);
    mem_free(event->payload);
    event->payload = NULL;
}

static void apply_credit(struct tile *tile, struct event *event)
{
    struct eth_port *port = tile->eth;
    tile->last_packet = event->cycle;
    step_counter(tile, TT_ETH_SENT, &port->sent, 1);
    step_counter(tile, TT_ETH_CREDITS, &port->credits, 1);
    if (port->has_waiter) {
        port->has_waiter = false;
        tile_unstall(tile, 0, event->cycle);
    }
}

// Order among events of one cycle: after the NoC's, before the tile's own, and
// independent of when messages are exchanged.
#define LINK_ORDER (1ull << 62)

static void hand_over(struct ttdev *t, struct tile *tile, const struct message *message)
{
    struct eth_port *port = tile->eth;
    struct chip *chip = tile->chip, *peer = cluster_chip(t, port->peer_dev);
    struct tile *to = &peer->tiles[peer->n_workers + port->peer_channel];
    uint64_t latency = (uint64_t)chip->costs.eth_latency_ns * FS_PER_NS;
    uint64_t lands = chip_true_fs(chip, message->leaves) + latency;
    uint64_t order = LINK_ORDER | (uint64_t)++port->n_handed << 1;
    tile_post(to, (struct event){.cycle = chip_cycle_at(peer, lands),
                                 .order = order,
                                 .apply = apply_arrival,
                                 .payload = message->payload,
                                 .address = message->destination,
                                 .bytes = message->bytes,
                                 .from = tile->index});
    tile_post(tile, (struct event){.cycle = chip_cycle_at(chip, lands + latency),
                                   .order = order | 1,
                                   .apply = apply_credit});
}

size_t links_exchange(struct ttdev *t)
{
    size_t n = 0;
    for (int dev = 0; dev < t->n_chips; dev++) {
        struct chip *chip = cluster_chip(t, dev);
        for (int i = chip->n_workers; i < chip->n_tiles; i++) {
            struct eth_port *port = chip->tiles[i].eth;
            if (!port)
                continue;
            for (size_t k = 0; k < port->out.n; k++)
                hand_over(t, &chip->tiles[i], &port->out.v[k]);
            n += port->out.n;
            port->out.n = 0;
        }
    }
    return n;
}
