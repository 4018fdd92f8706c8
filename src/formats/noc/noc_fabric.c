// noc_fabric.c - assembles the events of a fabric packet.
//
// A kernel that sends a packet leaves the packet's event (or one for each chunk of a
// scatter), then its routing, then the write to the router on this chip. If that write goes
// to a worker, the worker is a mux, and its own next write is the one to the router.
#include "base/text/json.h"

#include "formats/noc/noc_trace_parts.h"

enum { APART_MOST = 1000 }; // cycles from the packet to the write

// The write queue of a core that is used as a mux.
struct mux {
    int x, y;
    uint32_t next; // next marker
};

struct grouping {
    struct noc_program *p;
    VEC(struct mux) muxes;
    const char *why; // why the packet cannot be assembled
};

static bool is_fabric(int kind)
{
    return kind >= TT_NOC_EVENT_FABRIC_UNICAST_WRITE &&
           kind <= TT_NOC_EVENT_FABRIC_UNICAST_SCATTER_WRITE;
}

static const struct trace_core *core_of(const struct noc_program *p,
                                        const struct noc_marker *m)
{
    return &p->t->cores.v[p->t->tracks.v[p->tracks[m->place]].core];
}

static int routing_of(uint64_t packet)
{
    bool is_scatter = noc_kind(packet) == TT_NOC_EVENT_FABRIC_UNICAST_SCATTER_WRITE;
    return noc_byte(packet, is_scatter ? 7 : 5) >> 4;
}

// The event of this kind on the same track, or NULL.
static const struct noc_marker *event_at(const struct grouping *g, size_t at,
                                         uint32_t place)
{
    const struct noc_program *p = g->p;
    if (at >= p->markers.n || p->markers.v[at].is_zone || p->markers.v[at].place != place)
        return NULL;
    return &p->markers.v[at];
}

// --- muxes -----------------------------------------------------------------------------

// The next write of the mux at these coordinates, NOC_NO_MUX: none.
static uint32_t take_mux_write(struct grouping *g, int x, int y)
{
    const struct noc_program *p = g->p;
    struct mux *mux = NULL;
    for (size_t i = 0; i < g->muxes.n; i++)
        if (g->muxes.v[i].x == x && g->muxes.v[i].y == y)
            mux = &g->muxes.v[i];
    if (!mux) {
        vec_push(&g->muxes, (struct mux){x, y, 0});
        mux = &g->muxes.v[g->muxes.n - 1];
    }
    for (; mux->next < p->markers.n; mux->next++) {
        const struct noc_marker *m = &p->markers.v[mux->next];
        const struct trace_core *core = core_of(p, m);
        if (!m->is_zone && core->x == x && core->y == y &&
            noc_kind(m->data) == TT_NOC_EVENT_WRITE_)
            return mux->next++;
    }
    return NOC_NO_MUX;
}

// The destination of the write to the router, or of the mux's write if there is a mux.
static bool find_router(struct grouping *g, struct noc_entry *x)
{
    const struct noc_program *p = g->p;
    const struct noc_facts *f = p->facts;
    uint64_t write = p->markers.v[x->main].data;
    int to_x, to_y;
    bool is_tile = noc_place(p, noc_number(write, 5), noc_signed_byte(write, 1),
                             noc_signed_byte(write, 2), &to_x, &to_y);
    if (is_tile && f->is_worker(f->context, p->chip, to_x, to_y)) {
        x->mux = take_mux_write(g, to_x, to_y);
        x->mux_x = (int16_t)to_x;
        x->mux_y = (int16_t)to_y;
        if (x->mux == NOC_NO_MUX) {
            g->why =
                "local write is to a worker core but corresponding event from worker (fabric mux) to eth router not found.";
            return false;
        }
        write = p->markers.v[x->mux].data;
        is_tile = noc_place(p, noc_number(write, 5), noc_signed_byte(write, 1),
                            noc_signed_byte(write, 2), &to_x, &to_y);
    }
    int channel = is_tile ? f->eth_channel(f->context, p->chip, to_x, to_y) : -1;
    x->eth_channel = (int16_t)channel;
    if (channel >= 0)
        return true;
    g->why = "local noc write is to an invalid core (neither worker nor active eth).";
    return false;
}

// --- packets ---------------------------------------------------------------------------

static uint32_t count_chunks(struct grouping *g, size_t at)
{
    const struct noc_marker *first = &g->p->markers.v[at];
    if (noc_kind(first->data) != TT_NOC_EVENT_FABRIC_UNICAST_SCATTER_WRITE)
        return 1;
    int n = noc_signed_byte(first->data, 6);
    for (int i = 0; i < n; i++) {
        const struct noc_marker *m = event_at(g, at + (size_t)i, first->place);
        if (!m || noc_kind(m->data) != TT_NOC_EVENT_FABRIC_UNICAST_SCATTER_WRITE)
            n = 0;
    }
    return n > 0 ? (uint32_t)n : 0;
}

static bool is_routing(uint64_t packet, const struct noc_marker *m)
{
    bool is_2d = routing_of(packet) == TT_ROUTING_LOW_LATENCY_MESH ||
                 routing_of(packet) == TT_ROUTING_DYNAMIC_MESH;
    return m && noc_kind(m->data) == (is_2d ? TT_NOC_EVENT_FABRIC_ROUTING_FIELDS_2D
                                            : TT_NOC_EVENT_FABRIC_ROUTING_FIELDS_1D);
}

static bool is_told(struct noc_program *p, uint64_t packet)
{
    int kind = noc_kind(packet);
    const char *what = NULL;
    if (routing_of(packet) == TT_ROUTING_DYNAMIC_MESH)
        what = "[profiler noc tracing] noc tracing does not support DYNAMIC_MESH packets!";
    else if (kind == TT_NOC_EVENT_FABRIC_MULTICAST_WRITE ||
             kind == TT_NOC_EVENT_FABRIC_MULTICAST_ATOMIC_INC)
        what = "[profiler noc tracing] Noc multicasts in fabric events are not supported!";
    if (what)
        noc_warn(p, what);
    return !what;
}

// Makes an entry of the packet at `at`, or reports why not; returns how many markers it
// used.
static size_t take_packet(struct grouping *g, size_t at)
{
    struct noc_program *p = g->p;
    const struct noc_marker *first = &p->markers.v[at];
    struct noc_entry x = {.packet = (uint32_t)at, .mux = NOC_NO_MUX};
    x.n_packets = count_chunks(g, at);
    if (x.n_packets == 0) {
        g->why = "missing remaining fabric scatter write chunks.";
        return 1;
    }
    size_t after = at + x.n_packets;
    const struct noc_marker *routing = event_at(g, after, first->place);
    const struct noc_marker *write = event_at(g, after + 1, first->place);
    if (!is_routing(first->data, routing) || !write ||
        noc_kind(write->data) != TT_NOC_EVENT_WRITE_) {
        g->why = "missing routing fields event and/or local write.";
        return x.n_packets;
    }
    x.routing = (uint32_t)after;
    x.main = (uint32_t)after + 1;
    size_t taken = (size_t)x.n_packets + 2;
    if (!find_router(g, &x))
        return taken;
    if (write->time - p->markers.v[after - 1].time > APART_MOST) {
        noc_warn(
            p,
            "[profiler noc tracing] Failed to coalesce fabric noc trace events because timestamps are implausibly far apart.");
        return taken;
    }
    if (is_told(p, first->data))
        vec_push(&p->entries, x);
    return taken;
}

static void warn_of(struct grouping *g)
{
    struct buf b = {0};
    buf_printf(
        &b,
        "[profiler noc tracing] Failed to coalesce fabric noc trace events in op '%.*s': %s",
        STR(g->p->op_name), g->why);
    buf_char(&b, '\0');
    noc_warn(g->p, b.p);
    buf_free(&b);
    g->why = NULL;
}

// Other events of a mux are part of packets that went through it.
static void drop_mux_events(struct grouping *g)
{
    noc_entries *all = &g->p->entries;
    size_t kept = 0;
    for (size_t i = 0; i < all->n; i++) {
        const struct noc_marker *m = &g->p->markers.v[all->v[i].main];
        const struct trace_core *core = core_of(g->p, m);
        bool is_of_mux = false;
        for (size_t k = 0; k < g->muxes.n; k++)
            is_of_mux |= g->muxes.v[k].x == core->x && g->muxes.v[k].y == core->y;
        if (m->is_zone || all->v[i].n_packets || !is_of_mux)
            all->v[kept++] = all->v[i];
    }
    all->n = kept;
}

void noc_fabric_group(struct noc_program *p)
{
    struct grouping g = {.p = p};
    for (size_t i = 0; i < p->markers.n;) {
        const struct noc_marker *m = &p->markers.v[i];
        int kind = noc_kind(m->data);
        if (!m->is_zone && is_fabric(kind)) {
            i += take_packet(&g, i);
            if (g.why)
                warn_of(&g);
            continue;
        }
        if (m->is_zone || noc_is_local(kind))
            vec_push(&p->entries,
                     (struct noc_entry){.main = (uint32_t)i, .mux = NOC_NO_MUX});
        else if (kind == TT_NOC_EVENT_UNDEF || kind >= TT_NOC_EVENT_UNSUPPORTED)
            p->unknown++;
        i++;
    }
    if (g.muxes.n)
        drop_mux_events(&g);
    vec_free(&g.muxes);
}

// --- in the file -----------------------------------------------------------------------

// 1D: distance of the first receiver, and the number of receivers.
static void distance_and_range(int routing, uint32_t v, int *distance, int *range)
{
    if (routing == TT_ROUTING_REGULAR) {
        *distance = (int)(v & 15);
        *range = (int)((v & 0xFF) >> 4);
        return;
    }
    // Two bits for each hop: bit 0 write, bit 1 forward.
    *distance = 1;
    *range = 0;
    for (; (v & 3) == 2; v >>= 2)
        ++*distance;
    for (; v & 1; v >>= 2)
        ++*range;
}

static void put_mux(const struct noc_program *p, const struct noc_entry *x, struct json *j)
{
    if (x->mux == NOC_NO_MUX)
        return;
    json_key(j, S("fabric_mux"));
    json_open(j, '{');
    json_key_text(j, "noc", str_of(noc_name(noc_number(p->markers.v[x->mux].data, 5))));
    json_key_int(j, "x", x->mux_x);
    json_key_int(j, "y", x->mux_y);
    json_close(j, '}');
}

void noc_fabric_put_send(const struct noc_program *p, const struct noc_entry *x,
                         struct json *j)
{
    uint64_t data = p->markers.v[x->routing].data;
    json_key(j, S("fabric_send"));
    json_open(j, '{');
    if (noc_kind(data) == TT_NOC_EVENT_FABRIC_ROUTING_FIELDS_2D) {
        json_key_int(j, "e_hops", noc_byte(data, 2));
        json_key_int(j, "eth_chan", x->eth_channel);
        put_mux(p, x, j);
        json_key(j, S("is_mcast"));
        json_bool(j, noc_byte(data, 4) != 0);
        json_key_int(j, "ns_hops", noc_byte(data, 1));
        json_key_int(j, "w_hops", noc_byte(data, 3));
    } else {
        int distance, range;
        distance_and_range(routing_of(p->markers.v[x->packet].data), (uint32_t)(data >> 8),
                           &distance, &range);
        json_key_int(j, "eth_chan", x->eth_channel);
        put_mux(p, x, j);
        json_key_int(j, "range", range);
        json_key_int(j, "start_distance", distance);
    }
    json_close(j, '}');
}

void noc_fabric_put_destinations(const struct noc_program *p, const struct noc_entry *x,
                                 struct json *j)
{
    int64_t left = noc_bytes(p->markers.v[x->main].data);
    json_key(j, S("dst"));
    json_open(j, '[');
    for (uint32_t i = 0; i < x->n_packets; i++) {
        uint64_t data = p->markers.v[x->packet + i].data;
        bool is_scatter = noc_kind(data) == TT_NOC_EVENT_FABRIC_UNICAST_SCATTER_WRITE;
        int noc = noc_number(data, is_scatter ? 7 : 5);
        int to_x, to_y;
        json_open(j, '{');
        if (noc_place(p, noc, noc_signed_byte(data, 1), noc_signed_byte(data, 2), &to_x,
                      &to_y)) {
            json_key_int(j, "dx", to_x);
            json_key_int(j, "dy", to_y);
        }
        json_key_text(j, "noc", str_of(noc_name(noc)));
        // The last chunk has no size of its own: it is the rest.
        bool is_rest = !is_scatter || i + 1 == x->n_packets;
        int64_t bytes = is_rest ? left : (int16_t)(data >> 32 & 0xFFFF);
        json_key_int(j, "num_bytes", bytes);
        left -= bytes;
        json_close(j, '}');
    }
    json_close(j, ']');
}
