// cache.c - the program cache: programs by a hash of everything they depend on.
#include "runtime/parts.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

// --- the hash --------------------------------------------------------------------------
// Includes the terminating zero, so adjacent texts stay distinct.
static void add_text(struct buf *b, const char *text)
{
    buf_str(b, (str){text, strlen(text) + 1});
}

static void add_number(struct buf *b, int64_t number)
{
    buf_str(b, (str){(const char *)&number, sizeof number});
}

static void add_tensor(struct buf *b, const ttrt_tensor *t)
{
    const struct ttrt_spec *spec = &t->spec;
    for (int i = 0; i < 4; i++)
        add_number(b, spec->shape[i]);
    add_number(b, spec->dtype);
    add_number(b, spec->layout);
    add_number(b, spec->memory.buffer);
    add_number(b, spec->memory.layout);
    add_number(b, spec->memory.shard_x);
    add_number(b, spec->memory.shard_y);
}

uint64_t rt_op_hash(const ttrt *m, const struct rt_op *op)
{
    struct buf b = {0};
    ttdev_range all = rt_all_cores(m);
    add_text(&b, op->code);
    add_number(&b, (int64_t)op->n_attributes);
    for (size_t i = 0; i < op->n_attributes; i++) {
        add_text(&b, op->attributes[i].name);
        add_text(&b, op->attributes[i].value);
    }
    add_number(&b, (int64_t)op->n_inputs);
    for (size_t i = 0; i < op->n_inputs; i++)
        add_tensor(&b, op->inputs[i]);
    for (size_t i = 0; i < op->n_outputs; i++)
        add_tensor(&b, op->outputs[i]);
    add_number(&b, all.to.x);
    add_number(&b, all.to.y);
    add_number(&b, m->sub_device);
    add_number(&b, m->manager);
    if (op->own_bytes)
        buf_str(&b, (str){op->own, op->own_bytes});
    uint64_t hash = XXH3_64bits(b.p, b.n);
    buf_free(&b);
    return hash;
}

// --- entries ---------------------------------------------------------------------------
static struct rt_entry *entry_new(const ttrt *m, uint64_t hash)
{
    struct rt_entry *entry = mem_alloc(sizeof *entry);
    size_t n = (size_t)m->info.n_devices;
    entry->hash = hash;
    entry->programs = mem_alloc(mem_bytes(sizeof *entry->programs, n));
    return entry;
}

static void entry_free(const ttrt *m, struct rt_entry *entry)
{
    for (int i = 0; entry && i < m->info.n_devices; i++)
        ttdev_program_free(entry->programs[i].p);
    if (entry)
        mem_free(entry->programs);
    mem_free(entry);
}

static str key_of(const uint64_t *hash)
{
    return (str){(const char *)hash, sizeof *hash};
}

struct rt_entry *rt_cache_find(ttrt *m, uint64_t hash, bool *is_hit)
{
    *is_hit = false;
    if (!m->is_cached) {
        vec_push(&m->loose, entry_new(m, hash));
        return m->loose.v[m->loose.n - 1];
    }
    uint32_t id = map_put_copy(&m->keys, &hash, sizeof hash, &m->life);
    if (id == m->entries.n)
        vec_push(&m->entries, NULL);
    *is_hit = m->entries.v[id] != NULL;
    if (!*is_hit)
        m->entries.v[id] = entry_new(m, hash);
    return m->entries.v[id];
}

void rt_cache_forget(ttrt *m, uint64_t hash)
{
    uint32_t id = map_get(&m->keys, key_of(&hash));
    if (id == MAP_NONE)
        return;
    entry_free(m, m->entries.v[id]);
    m->entries.v[id] = NULL;
}

static void free_entries(const ttrt *m, struct rt_entry **v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        entry_free(m, v[i]);
}

void rt_cache_drop(ttrt *m)
{
    free_entries(m, m->loose.v, m->loose.n);
    m->loose.n = 0;
}

static void free_cached(ttrt *m)
{
    free_entries(m, m->entries.v, m->entries.n);
    vec_free(&m->entries);
    map_free(&m->keys);
    m->keys = (struct map){0};
}

void rt_cache_free(ttrt *m)
{
    rt_cache_drop(m);
    vec_free(&m->loose);
    free_cached(m);
}

// --- public API ------------------------------------------------------------------------
void ttrt_enable_program_cache(ttrt *m, bool is_on)
{
    if (m && rt_is_owner(m))
        m->is_cached = is_on;
}

size_t ttrt_program_cache_entries(const ttrt *m)
{
    size_t n = 0;
    for (size_t i = 0; m && i < m->entries.n; i++)
        n += m->entries.v[i] != NULL;
    return n;
}

void ttrt_clear_program_cache(ttrt *m)
{
    if (!m || !rt_is_owner(m))
        return;
    ttrt_synchronise(m);
    free_cached(m);
}
