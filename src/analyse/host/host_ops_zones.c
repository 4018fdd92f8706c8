// host_ops_zones.c - host zones: how long each op took on the host, and the calls inside
// it.
#include <stdlib.h>

#include "base/data/sort.h"
#include "base/text/num.h"

#include "analyse/diags.h"
#include "analyse/host/host_ops.h"
#include "analyse/host/host_ops_parts.h"

enum { ID_DEVICE_BITS = 10, ID_HOST_BIT = 31 }; // fields of an op id

// "id:1024": the number after the last colon.
static bool parse_id(str text, uint64_t *id)
{
    const char *colon = text.n ? memrchr(text.p, ':', text.n) : NULL;
    if (colon)
        text = str_from(text, (size_t)(colon - text.p) + 1);
    int64_t v;
    if (!num_int(text, &v) || v < 0)
        return false;
    *id = (uint64_t)v;
    return true;
}

static void count_alone(struct host_ops *h, str name, str text)
{
    h->n_zones_alone++;
    if (diag_count(&h->diag, DIAG_OP_ZONE))
        diag_note(&h->diag, DIAG_OP_ZONE, "zone '%.*s', text '%.*s'",
                  STR(str_clip(name, 60)), STR(str_clip(text, 60)));
}

static uint32_t name_id(struct host_ops *h, str name)
{
    name = host_ops_valid(h, name);
    return map_put_copy(&h->inner->zone_names, name.n ? name.p : "", name.n, &h->a);
}

static void take_op_zone(struct host_ops *h, const struct op_zone_seen *zone, str name,
                         str text)
{
    struct op_zone_seen z = *zone;
    if (!parse_id(text, &z.key.id)) {
        count_alone(h, name, text);
        return;
    }
    z.name = name_id(h, name);
    vec_push(&h->inner->zones, z);
}

void host_ops_call(struct host_ops *h, uint32_t process, str name, str parent,
                   uint64_t duration)
{
    struct op_child_seen c = {.key.process = process, .duration = duration};
    if (!parse_id(parent, &c.key.id)) {
        count_alone(h, name, parent);
        return;
    }
    c.name = name_id(h, name);
    vec_push(&h->inner->children, c);
}

void host_ops_zone(struct host_ops *h, uint32_t process, str name, str text, str parent,
                   uint64_t start, uint64_t duration, uint32_t depth)
{
    struct op_zone_seen z = {
        .key.process = process, .start = start, .duration = duration, .depth = depth};
    if (str_has(name, S("TT_DNN")) || str_has(name, S("TT_METAL")))
        take_op_zone(h, &z, name, text);
    if (str_has(parent, S("id:")))
        host_ops_call(h, process, name, parent, duration);
}

// Describes an op whose message was lost from its zone: the id contains the device.
static void name_by_zone(struct host_ops *h, struct host_op *op, str zone)
{
    bool is_fallback = str_has(zone, S("FALLBACK")) || str_has(zone, S("FALL_BACK"));
    bool is_cpu = str_has(zone, S("HOST_OP"));
    op->flags |= HOST_OP_NO_MESSAGE;
    op->code = S("unknown");
    op->type = is_fallback ? S("python_fallback") : is_cpu ? S("tt_dnn_cpu") : S("unknown");
    if (str_has(zone, S("DEVICE_OP")) && !(op->id >> ID_HOST_BIT & 1)) {
        op->type = S("tt_dnn_device");
        op->flags |= HOST_OP_IS_DEVICE;
        op->device = (int64_t)(op->id & ((1U << ID_DEVICE_BITS) - 1));
    }
    if (diag_count(&h->diag, DIAG_OP_NO_MESSAGE))
        diag_note(&h->diag, DIAG_OP_NO_MESSAGE, "op %llu, zone '%.*s'",
                  (unsigned long long)op->id, STR(str_clip(zone, 60)));
}

void host_ops_place_zones(struct host_ops *h)
{
    struct host_ops_inner *in = h->inner;
    for (size_t i = 0; i < in->zones.n; i++) {
        const struct op_zone_seen *z = &in->zones.v[i];
        size_t n = h->ops.n;
        uint32_t at = host_ops_at(h, (uint32_t)z->key.process, z->key.id);
        struct host_op *op = &h->ops.v[at];
        if (h->ops.n > n)
            name_by_zone(h, op, in->zone_names.keys.v[z->name]);
        op->flags &= ~(uint32_t)HOST_OP_NO_ZONE;
        op->start = z->start; // the last of several wins
        op->duration = z->duration;
        op->depth = z->depth;
        if (op->flags & HOST_OP_NO_MESSAGE)
            op->message_time = z->start;
    }
}

// --- calls inside ops --------------------------------------------------------------------
static int by_text(const void *a, const void *b)
{
    return str_cmp(*(const str *)a, *(const str *)b);
}

// Names of calls inside known ops, in alphabetical order.
static void name_children(struct host_ops *h, const bool *is_used)
{
    const struct map *all = &h->inner->zone_names;
    VEC(str) names = {0};
    for (size_t i = 0; i < all->keys.n; i++)
        if (is_used[i])
            vec_push(&names, all->keys.v[i]);
    if (names.n)
        qsort(names.v, names.n, sizeof *names.v, by_text);
    for (size_t i = 0; i < names.n; i++)
        (void)map_put(&h->children, names.v[i]);
    vec_free(&names);
}

void host_ops_sum_children(struct host_ops *h)
{
    struct host_ops_inner *in = h->inner;
    size_t n = in->children.n, kept = 0;
    if (n == 0)
        return;
    struct keyed *keys = mem_alloc(mem_bytes(2 * sizeof *keys, n));
    bool *is_used = mem_alloc(mem_bytes(sizeof *is_used, in->zone_names.keys.n));
    for (size_t i = 0; i < n; i++) {
        const struct op_child_seen *c = &in->children.v[i];
        uint32_t op = map_get(&in->ids, (str){(const char *)&c->key, sizeof c->key});
        if (op == MAP_NONE) {
            count_alone(h, in->zone_names.keys.v[c->name], (str){0});
            continue;
        }
        is_used[c->name] = true;
        keys[kept++] = (struct keyed){.key = op, .a = (uint32_t)i};
    }
    name_children(h, is_used);
    for (size_t i = 0; i < kept; i++) {
        uint32_t name =
            map_get(&h->children, in->zone_names.keys.v[in->children.v[keys[i].a].name]);
        keys[i].key = keys[i].key << 32 | name;
    }
    sort_keyed(keys, keys + n, kept);
    for (size_t i = 0; i < kept; i++) {
        if (i == 0 || keys[i].key != keys[i - 1].key)
            vec_push(&h->child, (struct host_child){.op = (uint32_t)(keys[i].key >> 32),
                                                    .name = (uint32_t)keys[i].key});
        struct host_child *c = &h->child.v[h->child.n - 1];
        c->count++;
        c->total += in->children.v[keys[i].a].duration;
    }
    mem_free(is_used);
    mem_free(keys);
}
