// noc_trace_entries.c - sorts and writes the entries of a NoC trace, keys alphabetically.
#include "base/text/json.h"

#include "formats/noc/noc_trace_parts.h"

static const char *const kind_names[TT_NOC_EVENT_UNSUPPORTED] = {
#define NAME(number, name, is_debug) [number] = #name,
    TT_NOC_EVENT_KINDS(NAME)
#undef NAME
};

static void put_common(const struct noc_program *p, const struct noc_marker *m,
                       const struct trace_run *run, struct json *j)
{
    const struct trace_track *k = &p->t->tracks.v[p->tracks[m->place]];
    const struct trace_core *core = &p->t->cores.v[k->core];
    json_key_text(j, "op_name", p->op_name);
    json_key_text(j, "proc", trace_text(p->t, k->risc));
    json_key_int(j, "run_host_id", run->id);
    json_key_int(j, "src_device_id", p->chip);
    json_key_int(j, "sx", core->x);
    json_key_int(j, "sy", core->y);
    json_key_int(j, "timestamp", (int64_t)m->time);
}

static bool has_destination(uint64_t data)
{
    int kind = noc_kind(data);
    return noc_signed_byte(data, 1) != -1 && noc_signed_byte(data, 2) != -1 &&
           kind != TT_NOC_EVENT_READ_WITH_STATE &&
           kind != TT_NOC_EVENT_READ_WITH_STATE_AND_TRID &&
           kind != TT_NOC_EVENT_WRITE_WITH_STATE &&
           kind != TT_NOC_EVENT_WRITE_WITH_TRID_WITH_STATE;
}

static void put_destination(const struct noc_program *p, uint64_t data, struct json *j)
{
    int noc = noc_number(data, 5), x, y, end_x, end_y;
    if (!has_destination(data) ||
        !noc_place(p, noc, noc_signed_byte(data, 1), noc_signed_byte(data, 2), &x, &y))
        return;
    if (noc_kind(data) != TT_NOC_EVENT_WRITE_MULTICAST) {
        json_key_int(j, "dx", x);
        json_key_int(j, "dy", y);
    } else if (noc_place(p, noc, noc_signed_byte(data, 3), noc_signed_byte(data, 4), &end_x,
                         &end_y)) {
        json_key_int(j, "mcast_end_x", end_x);
        json_key_int(j, "mcast_end_y", end_y);
        json_key_int(j, "mcast_start_x", x);
        json_key_int(j, "mcast_start_y", y);
    }
}

void noc_put_entry(const struct noc_program *p, const struct noc_entry *x,
                   const struct trace_run *run, struct json *j)
{
    const struct noc_marker *m = &p->markers.v[x->main];
    json_open(j, '{');
    if (m->is_zone) {
        const struct trace_site *s = trace_site_of(p->t, m->marker);
        put_common(p, m, run, j);
        json_key_text(j, "zone", trace_text(p->t, s->name));
        json_key_text(j, "zone_phase", str_of(marker_type_names[s->type]));
    } else {
        uint64_t of_kind = x->n_packets ? p->markers.v[x->packet].data : m->data;
        if (x->n_packets) {
            noc_fabric_put_destinations(p, x, j);
            noc_fabric_put_send(p, x, j);
        } else {
            put_destination(p, m->data, j);
        }
        json_key_text(j, "noc", str_of(noc_name(noc_number(m->data, 5))));
        json_key_int(j, "num_bytes", noc_bytes(m->data));
        put_common(p, m, run, j);
        json_key_text(j, "type", str_of(kind_names[noc_kind(of_kind)]));
        json_key_int(j, "vc", noc_signed_byte(m->data, 5) >> 4);
    }
    json_close(j, '}');
}

void noc_order_entries(struct noc_program *p)
{
    noc_entries *all = &p->entries;
    for (size_t i = 1; i < all->n; i++) {
        struct noc_entry x = all->v[i];
        const struct noc_marker *m = &p->markers.v[x.main];
        uint32_t id = trace_site_of(p->t, m->marker)->timer_id;
        size_t to = i;
        for (; to > 0; to--) {
            const struct noc_marker *before = &p->markers.v[all->v[to - 1].main];
            if (before->place != m->place || before->time < m->time ||
                (before->time == m->time &&
                 trace_site_of(p->t, before->marker)->timer_id <= id))
                break;
            all->v[to] = all->v[to - 1];
        }
        all->v[to] = x;
    }
}
