// values.c - values of tensors: from the host to the chips and back.
#include "runtime/parts.h"

// As words of an integer tensor.
static uint32_t *words_of(const ttrt_tensor *t, const float *values)
{
    size_t n = ttrt_volume(t);
    uint32_t *words = mem_alloc(mem_bytes(sizeof *words, n));
    for (size_t i = 0; i < n; i++)
        words[i] = values[i] > 0 && values[i] < 4294967296.0f ? (uint32_t)values[i] : 0;
    return words;
}

static uint8_t *pack(const ttrt_tensor *t, const void *values)
{
    uint8_t *pages = mem_alloc(mem_bytes(t->n_pages, t->page_bytes));
    rt_pages_pack(t, values, pages);
    return pages;
}

uint8_t *rt_values_pack(const ttrt_tensor *t, const float *values)
{
    uint32_t *words = t->spec.dtype == TTRT_UINT32 ? words_of(t, values) : NULL;
    uint8_t *pages = pack(t, words ? (const void *)words : values);
    mem_free(words);
    return pages;
}

void rt_values_unpack(const ttrt_tensor *t, const uint8_t *pages, float *values)
{
    rt_pages_unpack(t, pages, values);
    for (size_t i = 0; t->spec.dtype == TTRT_UINT32 && i < ttrt_volume(t); i++) {
        uint32_t word;
        memcpy(&word, &values[i], sizeof word);
        values[i] = (float)word;
    }
}

// Takes the pages.
static void write_pages(ttrt *m, int device, const ttrt_tensor *t, uint8_t *pages)
{
    rt_buffer_write(m, device, t, pages);
    mem_free(pages);
}

// A tensor that is freed with the error if its values cannot be written.
static ttrt_tensor *empty_to_fill(ttrt *m, struct ttrt_spec spec, const char *name)
{
    ttrt_tensor *t = ttrt_empty(m, spec, name);
    if (t)
        rt_will_be_made(m, t);
    return t && rt_queue_drain(m, t->name) ? t : NULL;
}

static ttrt_tensor *filled(ttrt *m, ttrt_tensor *t)
{
    if (!t || m->code)
        return NULL;
    m->n_results = 0;
    return t;
}

ttrt_tensor *ttrt_from_host_each(ttrt *m, const float *const *values, struct ttrt_spec spec,
                                 const char *name)
{
    ttrt_tensor *t = empty_to_fill(m, spec, name);
    for (int i = 0; t && i < m->info.n_devices && !m->code; i++)
        write_pages(m, i, t, rt_values_pack(t, values[i]));
    return filled(m, t);
}

ttrt_tensor *ttrt_from_host(ttrt *m, const float *values, struct ttrt_spec spec,
                            const char *name)
{
    const float *each[TTDEV_MAX_CHIPS];
    for (int i = 0; i < TTDEV_MAX_CHIPS; i++)
        each[i] = values;
    return ttrt_from_host_each(m, each, spec, name);
}

ttrt_tensor *ttrt_ids_from_host(ttrt *m, const uint32_t *values, struct ttrt_spec spec,
                                const char *name)
{
    spec.dtype = TTRT_UINT32;
    spec.layout = TTRT_ROW_MAJOR;
    ttrt_tensor *t = empty_to_fill(m, spec, name);
    for (int i = 0; t && i < m->info.n_devices && !m->code; i++)
        write_pages(m, i, t, pack(t, values));
    return filled(m, t);
}

// All pages on one chip, to be freed; NULL: failed.
static uint8_t *read_pages(ttrt *m, int device, const ttrt_tensor *t)
{
    if (!rt_tensor_check(m, t, "read of a tensor") || !rt_queue_drain(m, t->name))
        return NULL;
    if (device < 0 || device >= m->info.n_devices) {
        rt_fail(m, "read of tensor '%s': no device %d", t->name, device);
        return NULL;
    }
    uint8_t *pages = mem_alloc(mem_bytes(t->n_pages, t->page_bytes));
    rt_buffer_read(m, device, t, pages);
    if (!m->code)
        return pages;
    mem_free(pages);
    return NULL;
}

void ttrt_to_host(ttrt *m, int device, const ttrt_tensor *t, float *values)
{
    uint8_t *pages = read_pages(m, device, t);
    if (pages)
        rt_values_unpack(t, pages, values);
    mem_free(pages);
}

void ttrt_ids_to_host(ttrt *m, int device, const ttrt_tensor *t, uint32_t *values)
{
    if (!rt_tensor_check(m, t, "read of ids"))
        return;
    if (t->spec.dtype != TTRT_UINT32) {
        rt_fail(m, "read of ids: tensor '%s' is %s", t->name,
                rt_dtypes[t->spec.dtype].name);
        return;
    }
    uint8_t *pages = read_pages(m, device, t);
    if (pages)
        rt_pages_unpack(t, pages, values);
    mem_free(pages);
}
