// noc_topology.c - writes how chips are wired, for readers of NoC traces.
#include "base/file/file.h"
#include "base/text/json.h"
#include "base/text/num.h"

#include "formats/noc/noc_trace.h"

enum { INDENT = 2, MESH = 0 };

static void key_of_number(struct json *j, int64_t v)
{
    char text[24];
    char *end = num_write(text, (uint64_t)v);
    json_key(j, (str){text, (size_t)(end - text)});
}

static void put_pair(struct json *j, int64_t a, int64_t b)
{
    json_open(j, '[');
    json_int(j, a);
    json_int(j, b);
    json_close(j, ']');
}

static void put_topology(const struct noc_topology *n, struct json *j)
{
    json_open(j, '{');
    json_key(j, S("mesh_shapes"));
    json_open(j, '[');
    json_open(j, '{');
    json_key_int(j, "mesh_id", MESH);
    json_key(j, S("shape"));
    put_pair(j, n->rows, n->columns);
    json_close(j, '}');
    json_close(j, ']');
    json_key_text(j, "cluster_type", str_of(n->cluster_type));
    json_key(j, S("device_id_to_fabric_node_id"));
    json_open(j, '{');
    for (size_t i = 0; i < n->n_chips; i++) {
        const struct noc_chip *c = &n->chips[i];
        key_of_number(j, c->id);
        put_pair(j, MESH, (int64_t)c->mesh_row * n->columns + c->mesh_column);
    }
    json_close(j, '}');
    json_key_text(j, "fabric_config", S("DISABLED"));
    json_key(j, S("eth_chan_to_coord"));
    json_open(j, '{');
    for (size_t i = 0; i < n->n_channels; i++) {
        key_of_number(j, n->channels[i].channel);
        put_pair(j, n->channels[i].x, n->channels[i].y);
    }
    json_close(j, '}');
    json_close(j, '}');
}

static void put_coordinates(const struct noc_topology *n, struct json *j)
{
    json_open(j, '{');
    json_key(j, S("physical_chip_to_eth_coord"));
    json_open(j, '{');
    for (size_t i = 0; i < n->n_chips; i++) {
        const struct noc_chip *c = &n->chips[i];
        key_of_number(j, c->id);
        json_open(j, '{');
        json_key_int(j, "rack", c->rack);
        json_key_int(j, "shelf", c->shelf);
        json_key_int(j, "x", c->eth_x);
        json_key_int(j, "y", c->eth_y);
        json_close(j, '}');
    }
    json_close(j, '}');
    json_close(j, '}');
}

static bool write_document(const struct noc_topology *n, const char *folder,
                           const char *name,
                           void (*put)(const struct noc_topology *n, struct json *j),
                           struct err *e)
{
    struct buf path = {0};
    struct out o;
    size_t length = strlen(folder);
    buf_printf(&path, "%s%s%s", folder, length && folder[length - 1] == '/' ? "" : "/",
               name);
    buf_char(&path, '\0');
    bool ok = out_open(&o, path.p, e);
    buf_free(&path);
    if (!ok)
        return false;
    struct json j = {.b = &o.b, .is_first = true, .indent = INDENT};
    put(n, &j);
    buf_char(&o.b, '\n');
    return out_close(&o, e);
}

bool noc_topology_write(const struct noc_topology *n, const char *folder, struct err *e)
{
    return write_document(n, folder, "topology.json", put_topology, e) &&
           write_document(n, folder, "cluster_coordinates.json", put_coordinates, e);
}
