// noc_route.c - a packet's route over the torus: its time when alone, and its waits under
// contention.
//
// NoC 0 goes right, then down; NoC 1 up, then left; responses continue in the same
// direction. A route is a list of ports: injection at the source, one link per hop,
// ejection at the target. Each port has a cycle from which it is free. The head of a packet
// waits at every busy port; the tail is as late as the slowest port on the route made it.
// So data packets on the same route never overtake each other. Alone, a packet takes
// exactly the measured figures of costs.h.
//
// Requests and acknowledgements are single flits on their own channels: they slip in
// between the flits of other packets, and delay those by a cycle each where there is a
// queue.
#include "sim/noc/noc_parts.h"

// A straight route along one axis.
struct axis {
    int from, hops, size, step; // step: +1 or -1, around the torus
    enum port port;
};

struct way {
    struct axis axes[2]; // in order of travel
    int hops;
};

static struct axis axis_of(int from, int to, int size, unsigned noc, enum port port)
{
    int ahead = noc == 0 ? to - from : from - to;
    return (struct axis){.from = from,
                         .hops = ahead < 0 ? ahead + size : ahead,
                         .size = size,
                         .step = noc == 0 ? 1 : -1,
                         .port = port};
}

static struct way find_way(const struct chip *chip, const struct packet *packet,
                           unsigned target)
{
    enum { Y_MAJOR = 1 << 16 }; // CTRL, multicast only
    int from = packet->node, to = (int)target;
    struct axis x =
        axis_of(from % chip->size_x, to % chip->size_x, chip->size_x, packet->niu, PORT_X);
    struct axis y =
        axis_of(from / chip->size_x, to / chip->size_x, chip->size_y, packet->niu, PORT_Y);
    bool is_multicast = packet->control & TT_NOC_MULTICAST;
    bool is_x_first = (packet->niu == 0) != (is_multicast && (packet->control & Y_MAJOR));
    return (struct way){.axes = {is_x_first ? x : y, is_x_first ? y : x},
                        .hops = x.hops + y.hops};
}

// --- time on an empty NoC --------------------------------------------------------------
struct flight {
    uint32_t fixed; // the part of the total not caused by hops
    uint32_t total; // issue to first data
};

// The figure of a read covers both directions. The round trip goes once around each axis on
// which source and target differ; every hop gets an equal share of what that adds.
static struct flight read_flight(const struct chip *chip, const struct way *way,
                                 bool is_answer)
{
    const struct sim_costs *costs = &chip->costs;
    bool in_row = !way->axes[0].hops || !way->axes[1].hops;
    bool moves_x = way->axes[way->axes[0].port != PORT_X].hops;
    uint32_t figure = way->hops == 0 ? costs->noc_read_tile
                      : !in_row      ? costs->noc_read_other
                      : moves_x      ? costs->noc_read_row
                                     : costs->noc_read_column;
    uint32_t least = 2 * SIM_LOOKAHEAD, tile = costs->noc_read_tile;
    if (tile < least)
        tile = least;
    if (figure < tile)
        figure = tile;
    uint32_t round = 0;
    for (int i = 0; i < 2; i++)
        round += way->axes[i].hops ? (uint32_t)way->axes[i].size : 0;
    uint32_t asked = is_answer ? round - (uint32_t)way->hops : (uint32_t)way->hops;
    uint32_t request = tile / 2 + (round ? (figure - tile) * asked / round : 0);
    return is_answer ? (struct flight){tile - tile / 2, figure - request}
                     : (struct flight){tile / 2, request};
}

static struct flight find_flight(const struct chip *chip, const struct packet *packet,
                                 const struct way *way)
{
    if (packet->kind == PACKET_READ || packet->kind == PACKET_READ_DATA)
        return read_flight(chip, way, packet->kind == PACKET_READ_DATA);
    uint32_t fixed = chip->costs.noc_write_base;
    if (fixed < SIM_LOOKAHEAD)
        fixed = SIM_LOOKAHEAD;
    return (struct flight){fixed, fixed + chip->costs.noc_write_hop * (uint32_t)way->hops};
}

// --- waiting ---------------------------------------------------------------------------
// Times of head and tail, excluding the flight time so far.
struct front {
    uint64_t head, tail;
    bool is_tree;   // a branch of a multicast
    bool is_header; // one flit
};

static void pass_port(struct noc *noc, struct front *front, size_t port, uint64_t flight,
                      uint32_t cycles)
{
    struct branch *branch = &noc->tree[port];
    if (front->is_tree && branch->stamp == noc->stamp) {
        // Another branch of the same multicast passed here: the packet is sent only once.
        front->head = branch->head;
        front->tail = branch->tail;
        return;
    }
    uint64_t arrives = front->head + flight;
    if (front->is_header) {
        // Do not reserve the port: packets sent later may get there long before this one.
        noc->free_at[port] += noc->free_at[port] > arrives;
        return;
    }
    if (noc->free_at[port] > arrives)
        front->head += noc->free_at[port] - arrives;
    noc->free_at[port] = front->head + flight + cycles;
    if (front->tail < front->head + cycles)
        front->tail = front->head + cycles;
    if (front->is_tree)
        *branch = (struct branch){noc->stamp, front->head, front->tail};
}

uint32_t noc_port_cycles(const struct chip *chip, uint32_t bytes, uint32_t bytes_10)
{
    uint32_t flit = chip->layout->noc_flit_bytes;
    uint32_t flits = 1 + (bytes + flit - 1) / flit;
    uint32_t cycles = noc_rate_cycles(bytes, bytes_10);
    return cycles > flits ? cycles : flits;
}

// How long the packet occupies a node's injection or ejection port.
static uint32_t end_cycles(const struct chip *chip, unsigned node, bool is_inject,
                           uint32_t bytes)
{
    const struct sim_costs *costs = &chip->costs;
    uint32_t rate = costs->worker_bytes_10;
    uint8_t kind = chip->nodes[node].kind;
    if (kind == NODE_DRAM)
        rate = is_inject ? costs->dram_out_bytes_10 : costs->dram_in_bytes_10;
    else if (kind == NODE_PCIE)
        rate = is_inject ? costs->pcie_out_bytes_10 : costs->pcie_in_bytes_10;
    return noc_port_cycles(chip, bytes, rate);
}

static void pass_links(const struct chip *chip, struct front *front, const struct way *way,
                       struct flight flight, size_t base, uint32_t flits)
{
    int at[2] = {way->axes[0].from, way->axes[1].from};
    uint32_t span = flight.total - flight.fixed, hop = 0;
    for (int i = 0; i < 2; i++) {
        const struct axis *axis = &way->axes[i];
        int *place = &at[i];
        const int *x = axis->port == PORT_X ? &at[i] : &at[1 - i];
        const int *y = axis->port == PORT_X ? &at[1 - i] : &at[i];
        for (int left = axis->hops; left > 0; left--) {
            size_t node = (size_t)*x + (size_t)*y * (size_t)chip->size_x;
            uint32_t flown = flight.fixed / 2 + span * hop++ / (uint32_t)way->hops;
            pass_port(chip->noc, front, base + node * PORTS + axis->port, flown, flits);
            *place += axis->step;
            if (*place == axis->size)
                *place = 0;
            else if (*place < 0)
                *place = axis->size - 1;
        }
    }
}

struct passage noc_pass(struct chip *chip, const struct packet *packet, unsigned target)
{
    bool is_header = packet->kind == PACKET_READ || packet->kind == PACKET_ACK;
    uint32_t bytes = is_header ? 0 : packet->bytes;
    uint32_t flit = chip->layout->noc_flit_bytes;
    struct way way = find_way(chip, packet, target);
    struct flight flight = find_flight(chip, packet, &way);
    size_t base = (size_t)packet->niu * (size_t)(chip->size_x * chip->size_y) * PORTS;
    size_t from = base + packet->node * (size_t)PORTS + PORT_INJECT;
    size_t to = base + target * (size_t)PORTS + PORT_EJECT;
    struct front front = {packet->issue, packet->issue, packet->control & TT_NOC_MULTICAST,
                          is_header};

    struct passage passage;
    pass_port(chip->noc, &front, from, 0, end_cycles(chip, packet->node, true, bytes));
    passage.injected = front.tail;
    pass_links(chip, &front, &way, flight, base, 1 + (bytes + flit - 1) / flit);
    pass_port(chip->noc, &front, to, flight.total, end_cycles(chip, target, false, bytes));
    passage.first = front.head + flight.total;
    passage.last = is_header ? passage.first : front.tail + flight.total;
    return passage;
}
