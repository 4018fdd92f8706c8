// host_ops.c - creates, finishes and frees the table of host ops.
#include "analyse/host/host_ops.h"

#include "base/data/sort.h"

#include "analyse/diags.h"
#include "analyse/host/host_ops_parts.h"
#include "trace/diags.h"

void host_ops_start(struct host_ops *h)
{
    *h = (struct host_ops){0};
    h->inner = mem_alloc(sizeof *h->inner);
}

static void inner_free(struct host_ops_inner *in)
{
    map_free(&in->ids);
    map_free(&in->cached);
    map_free(&in->zone_names);
    vec_free(&in->cached_record);
    vec_free(&in->captures);
    vec_free(&in->zones);
    vec_free(&in->children);
    mem_free(in);
}

void host_ops_free(struct host_ops *h)
{
    if (h->inner)
        inner_free(h->inner);
    vec_free(&h->records);
    vec_free(&h->ops);
    vec_free(&h->signposts);
    vec_free(&h->replays);
    map_free(&h->children);
    vec_free(&h->child);
    arena_free(&h->a);
    *h = (struct host_ops){0};
}

// A truncated text may end within a character; documents contain only whole ones.
str host_ops_valid(struct host_ops *h, str text)
{
    size_t tail;
    if (str_bad_utf8(text, 0, &tail) == text.n && tail == text.n)
        return text;
    if (diag_count(&h->diag, DIAG_TEXT_NOT_UTF8))
        diag_note(&h->diag, DIAG_TEXT_NOT_UTF8, "a host text of %zu bytes", text.n);
    struct buf b = {0};
    buf_utf8(&b, text);
    str valid = arena_str(&h->a, buf_view(&b));
    buf_free(&b);
    return valid;
}

str host_ops_cell(struct host_ops *h, str text)
{
    char *copy = arena_push(&h->a, text.n + 1, 1);
    for (size_t i = 0; i < text.n; i++)
        copy[i] = text.p[i] == ',' ? ';' : text.p[i];
    return (str){copy, text.n};
}

uint32_t host_ops_at(struct host_ops *h, uint32_t process, uint64_t id)
{
    struct host_op_key key = {.process = process, .id = id};
    uint32_t at = map_put_copy(&h->inner->ids, &key, sizeof key, &h->a);
    if (at == h->ops.n)
        vec_push(&h->ops, (struct host_op){.id = id,
                                           .process = process,
                                           .device = DEVICE_NO_ID,
                                           .trace = DEVICE_NO_ID,
                                           .record = TRACE_NONE,
                                           .flags = HOST_OP_NO_ZONE});
    return at;
}

static void order_replays(struct host_ops *h)
{
    size_t n = h->replays.n;
    if (n == 0)
        return;
    struct keyed *keys = mem_alloc(mem_bytes(2 * sizeof *keys, n));
    struct host_replay *old = mem_alloc(mem_bytes(sizeof *old, n));
    for (size_t i = 0; i < n; i++) {
        keys[i] = (struct keyed){.key = h->replays.v[i].time, .a = (uint32_t)i};
        old[i] = h->replays.v[i];
    }
    sort_keyed(keys, keys + n, n);
    for (size_t i = 0; i < n; i++)
        h->replays.v[i] = old[keys[i].a];
    mem_free(old);
    mem_free(keys);
}

void host_ops_finish(struct host_ops *h)
{
    struct host_ops_inner *in = h->inner;
    for (size_t i = 0; i < in->captures.n; i++)
        if (in->captures.v[i].trace != DEVICE_NO_ID &&
            diag_count(&h->diag, DIAG_TRACE_BRACKET))
            diag_note(&h->diag, DIAG_TRACE_BRACKET, "trace %lld of device %lld has no end",
                      (long long)in->captures.v[i].trace,
                      (long long)in->captures.v[i].device);
    host_ops_place_zones(h);
    host_ops_sum_children(h);
    order_replays(h);
    for (size_t i = 0; i < h->ops.n; i++)
        if (h->ops.v[i].flags & HOST_OP_NO_ZONE && diag_count(&h->diag, DIAG_OP_NO_ZONE))
            diag_note(&h->diag, DIAG_OP_NO_ZONE, "op %llu",
                      (unsigned long long)h->ops.v[i].id);
    inner_free(in);
    h->inner = NULL;
}
