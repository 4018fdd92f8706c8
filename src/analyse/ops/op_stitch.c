// op_stitch.c - matches the ops of two runs by name, tensors, device and ordinal.
#include "analyse/ops/op_stitch.h"

#include <stdio.h>

#include "base/text/buf.h"

// Name and tensors, device, and the number of such ops before it.
struct ordinal_key {
    uint32_t name;
    uint32_t ordinal;
    int64_t device;
};

struct ordinals {
    struct arena a;
    struct map names;   // of ops, a newline, and their tensors
    struct buf text;    // of the current name
    VEC(uint32_t) told; // by record of the current run: its name + 1; 0: not known yet
    struct map groups;  // name and device
    struct map ops;     // struct ordinal_key, of the run without device profiling
    VEC(uint64_t) id;   // by op
    VEC(uint64_t) n[2]; // by group: ops of either run
};

static bool is_device_op(const struct host_op *op)
{
    return (op->flags & HOST_OP_IS_DEVICE) && op->device != DEVICE_NO_ID;
}

static void put_tensors(struct buf *b, const struct op_tensor *t, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const str cells[] = {t[i].size[0], t[i].size[1], t[i].size[2], t[i].size[3],
                             t[i].layout,  t[i].dtype,   t[i].memory};
        for (size_t c = 0; c < sizeof cells / sizeof *cells; c++) {
            buf_str(b, cells[c]);
            buf_char(b, ',');
        }
    }
    buf_char(b, '\n');
}

// An op of the same name with other tensors is a different op: its time says nothing about
// this one. Attributes may contain addresses, which differ between runs.
static uint32_t name_of(struct ordinals *o, const struct host_ops *host,
                        const struct host_op *op)
{
    bool has_record = op->record < host->records.n;
    while (has_record && o->told.n <= op->record)
        vec_push(&o->told, 0);
    if (has_record && o->told.v[op->record])
        return o->told.v[op->record] - 1;
    o->text.n = 0;
    buf_str(&o->text, op->code);
    buf_char(&o->text, '\n');
    if (has_record) {
        const struct op_record *r = &host->records.v[op->record];
        put_tensors(&o->text, r->inputs, r->n_inputs);
        put_tensors(&o->text, r->outputs, r->n_outputs);
    }
    uint32_t name = map_put_copy(&o->names, o->text.p, o->text.n, &o->a);
    if (has_record)
        o->told.v[op->record] = name + 1;
    return name;
}

// Its name, device and ordinal; counts it for run 0 or 1.
static struct ordinal_key next_ordinal(struct ordinals *o, const struct host_ops *host,
                                       const struct host_op *op, int run)
{
    struct ordinal_key key = {.device = op->device};
    key.name = name_of(o, host, op);
    uint32_t group = map_put_copy(&o->groups, &key, sizeof key, &o->a);
    for (int i = 0; i < 2; i++)
        while (o->n[i].n <= group)
            vec_push(&o->n[i], 0);
    key.ordinal = (uint32_t)o->n[run].v[group]++;
    return key;
}

static void take_host(struct ordinals *o, const struct host_ops *host)
{
    for (size_t i = 0; i < host->ops.n; i++) {
        const struct host_op *op = &host->ops.v[i];
        if (!is_device_op(op))
            continue;
        struct ordinal_key key = next_ordinal(o, host, op, 0);
        (void)map_put_copy(&o->ops, &key, sizeof key, &o->a);
        vec_push(&o->id, op->id);
    }
}

// An op of the run with device profiling, and the id of its counterpart.
struct twin {
    int64_t device;
    uint64_t id;
    bool is_there;
    uint64_t other;
};
struct twins {
    struct arena a;
    struct map keys; // device and id
    VEC(struct twin) v;
};

static uint32_t twin_of(struct twins *t, int64_t device, uint64_t id, bool is_new)
{
    uint64_t key[2] = {(uint64_t)device, id};
    return is_new ? map_put_copy(&t->keys, key, sizeof key, &t->a)
                  : map_get(&t->keys, (str){(const char *)key, sizeof key});
}

static void take_measured(struct ordinals *o, struct twins *t,
                          const struct host_ops *measured, struct op_stitch *s)
{
    for (size_t i = 0; i < measured->ops.n; i++) {
        const struct host_op *op = &measured->ops.v[i];
        if (!is_device_op(op))
            continue;
        struct ordinal_key key = next_ordinal(o, measured, op, 1);
        uint32_t found = map_get(&o->ops, (str){(const char *)&key, sizeof key});
        struct twin twin = {.device = op->device,
                            .id = op->id,
                            .is_there = found != MAP_NONE,
                            .other = found != MAP_NONE ? o->id.v[found] : 0};
        s->n_matched += twin.is_there;
        s->n_lost += !twin.is_there;
        uint32_t at = twin_of(t, op->device, op->id, true);
        if (at == t->v.n)
            vec_push(&t->v, twin);
        else
            t->v.v[at] = twin; // repeated id: the later op wins, as in a report
    }
}

static void compare_counts(const struct ordinals *o, struct op_stitch *s)
{
    for (size_t i = 0; i < o->groups.keys.n; i++) {
        uint64_t host = o->n[0].v[i], measured = o->n[1].v[i];
        struct ordinal_key key;
        if (host == measured)
            continue;
        memcpy(&key, o->groups.keys.v[i].p, sizeof key);
        str rest = o->names.keys.v[key.name];
        str name = str_clip(str_cut(&rest, '\n'), 80);
        if (s->n_names++ == 0)
            (void)snprintf(
                s->first, sizeof s->first,
                "%.*s with the same tensors on device %lld: %llu without device profiling, %llu with it",
                STR(name), (long long)key.device, (unsigned long long)host,
                (unsigned long long)measured);
        if (host > measured)
            s->n_host_only += host - measured;
    }
}

// Drops rows of ops that the other run does not have; the others get its ids.
static void rename_rows(struct device_rows *rows, const struct twins *t,
                        struct op_stitch *s)
{
    size_t n = 0;
    for (size_t i = 0; i < rows->v.n; i++) {
        struct device_row *row = &rows->v.v[i];
        uint64_t key[2] = {(uint64_t)row->device, row->op};
        uint32_t at = row->is_replay
                          ? MAP_NONE
                          : map_get(&t->keys, (str){(const char *)key, sizeof key});
        // An id that the host never reported may be another op's in the other run. Replays
        // have the same numbers in both.
        if (!row->is_replay && (at >= t->v.n || !t->v.v[at].is_there))
            continue;
        if (!row->is_replay)
            row->op = t->v.v[at].other;
        for (size_t c = 0; c < rows->extra.n; c++)
            rows->extra.v[c].cell[n] = rows->extra.v[c].cell[i];
        if (rows->arch_of.n)
            rows->arch_of.v[n] = rows->arch_of.v[i];
        if (rows->op_of.n)
            rows->op_of.v[n] = rows->op_of.v[i];
        rows->v.v[n++] = *row;
    }
    s->n_rows_out = rows->v.n - n;
    rows->v.n = n;
}

void op_stitch(struct device_rows *rows, const struct host_ops *measured,
               const struct host_ops *host, struct op_stitch *s)
{
    struct ordinals o = {0};
    struct twins t = {0};
    *s = (struct op_stitch){0};
    take_host(&o, host);
    o.told.n = 0;
    take_measured(&o, &t, measured, s);
    compare_counts(&o, s);
    rename_rows(rows, &t, s);
    map_free(&t.keys);
    vec_free(&t.v);
    arena_free(&t.a);
    map_free(&o.names);
    buf_free(&o.text);
    vec_free(&o.told);
    map_free(&o.groups);
    map_free(&o.ops);
    vec_free(&o.id);
    vec_free(&o.n[0]);
    vec_free(&o.n[1]);
    arena_free(&o.a);
}
