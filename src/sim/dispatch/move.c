// move.c - see move.h.
#include "sim/dispatch/move.h"

#include <assert.h>
#include <string.h>

#include "sim/cluster.h"
#include "sim/program/image.h"
#include "sim/rv32/rv32.h"

static struct image_copy **bucket_of(struct image_copies *copies, uint32_t entry)
{
    return &copies->first[entry / IMAGE_ALIGN % COPY_BUCKETS];
}

// --- one copy --------------------------------------------------------------------------
// At its own address an image is its own copy.
static bool is_moved(const struct image_copy *copy)
{
    return copy->base != copy->image->base;
}

static struct image_copy *copy_make(const struct ttdev_image *image, uint32_t base)
{
    struct image_copy *copy = mem_alloc(sizeof *copy);
    *copy = (struct image_copy){.image = image,
                                .base = base,
                                .entry = base + (image->entry - image->base),
                                .memory = image->memory,
                                .ops = image->ops};
    if (!is_moved(copy))
        return copy;
    size_t n = image->code_bytes / 4;
    uint32_t *memory = mem_alloc(image->bytes); // words, as they are decoded
    struct rv_op *ops = mem_alloc(mem_bytes(sizeof *ops, n + 1));
    image_put_at(image, base, (uint8_t *)memory);
    rv_decode(memory, n, base, ops);
    copy->memory = (const uint8_t *)memory;
    copy->ops = ops;
    return copy;
}

static void copy_free(struct image_copy *copy)
{
    if (is_moved(copy)) {
        mem_free((void *)copy->memory);
        mem_free((void *)copy->ops);
    }
    mem_free(copy);
}

// --- room ------------------------------------------------------------------------------
static bool is_bound(const struct ttdev *t, const struct image_copy *copy)
{
    for (int c = 0; c < t->n_chips; c++)
        for (int i = 0; i < t->chips[c].n_tiles; i++)
            for (unsigned r = 0; r < t->chips[c].tiles[i].n_riscs; r++)
                if (t->chips[c].tiles[i].risc[r].code[CODE_KERNEL].ops == copy->ops)
                    return true;
    return false;
}

static void drop(struct image_copies *copies, struct image_copy *copy)
{
    struct image_copy **at = bucket_of(copies, copy->entry);
    while (*at != copy)
        at = &(*at)->next;
    *at = copy->next;
    copy_free(copy);
}

static size_t count_copies(const struct image_copies *copies,
                           const struct ttdev_image *image)
{
    size_t n = 0;
    for (size_t i = 0; i < COPY_BUCKETS; i++)
        for (const struct image_copy *c = copies->first[i]; c; c = c->next)
            n += c->image == image;
    return n;
}

// If there are too many copies of the image, drops the one that was not asked for the
// longest. More are kept only while cores are bound to all of them.
static void make_room(struct ttdev *t, const struct ttdev_image *image)
{
    struct image_copy *oldest = NULL;
    if (count_copies(&t->copies, image) < COPIES_MOST)
        return;
    for (size_t i = 0; i < COPY_BUCKETS; i++)
        for (struct image_copy *c = t->copies.first[i]; c; c = c->next)
            if (c->image == image && (!oldest || c->used < oldest->used) && !is_bound(t, c))
                oldest = c;
    if (oldest)
        drop(&t->copies, oldest);
}

// --- the table -------------------------------------------------------------------------
static void warn_fixed(struct ttdev *t, const struct ttdev_image *image)
{
    for (size_t i = 0; i < t->copies.fixed.n; i++)
        if (t->copies.fixed.v[i] == image)
            return;
    vec_push(&t->copies.fixed, image);
    buf_printf(
        &t->warnings,
        "image '%s': cannot be moved, so its programs wait for all before them: %s\n",
        image->name, image->move_trouble);
}

const struct image_copy *image_move(struct ttdev *t, const struct ttdev_image *image,
                                    uint32_t base)
{
    if (base != image->base && image->move_trouble) {
        warn_fixed(t, image);
        return NULL;
    }
    assert(base == image->base || base % IMAGE_ALIGN == 0);
    uint32_t entry = base + (image->entry - image->base);
    struct image_copy *copy = *bucket_of(&t->copies, entry);
    while (copy && (copy->image != image || copy->base != base))
        copy = copy->next;
    if (!copy) {
        make_room(t, image);
        copy = copy_make(image, base);
        struct image_copy **first = bucket_of(&t->copies, entry);
        copy->next = *first;
        *first = copy;
    }
    copy->used = ++t->copies.n_moves;
    return copy;
}

const struct image_copy *copies_find(const struct image_copies *copies, int risc,
                                     uint32_t entry, const uint8_t *l1, uint32_t l1_bytes)
{
    const struct image_copy *copy = copies->first[entry / IMAGE_ALIGN % COPY_BUCKETS];
    for (; copy; copy = copy->next)
        if (copy->entry == entry && copy->image->risc == risc && copy->base < l1_bytes &&
            copy->image->bytes <= l1_bytes - copy->base &&
            memcmp(l1 + copy->base, copy->memory, copy->image->bytes) == 0)
            return copy;
    return NULL;
}

void copies_free(struct image_copies *copies)
{
    for (size_t i = 0; i < COPY_BUCKETS; i++)
        while (copies->first[i])
            drop(copies, copies->first[i]);
    vec_free(&copies->fixed);
}
