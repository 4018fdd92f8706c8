// loaded.c - the images of a cluster: loaded once, with ids from its zone table.
#include "sim/program/loaded.h"

#include <errno.h>
#include <stdio.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "sim/program/image.h"
#include "sim/tile/boot.h"

// Missing names do not stop loading, but are reported.
static void warn_zones(struct ttdev *t, const struct ttdev_image *image, uint32_t n_without)
{
    if (image->zone_trouble)
        buf_printf(&t->warnings, "image '%s': zones have no names: %s\n", image->name,
                   image->zone_trouble);
    if (n_without)
        buf_printf(&t->warnings,
                   "image '%s': %u of its zones are called '?': all %d ids are taken\n",
                   image->name, (unsigned)n_without, ZONE_IDS);
}

struct ttdev_image *cluster_load(struct ttdev *t, const char *name, const void *elf,
                                 size_t bytes, struct err *e)
{
    struct ttdev_image *image = image_load(name, elf, bytes, t->cfg.arch, e);
    if (!image)
        return NULL;
    image->hash = XXH3_64bits(elf, bytes);
    uint32_t before = t->zones.n_without;
    image_give_ids(image, &t->zones);
    warn_zones(t, image, t->zones.n_without - before);
    vec_push(&t->images, image);
    return image;
}

int ttdev_elf_load(ttdev *t, const char *name, const void *elf, size_t bytes,
                   ttdev_image **out, struct err *e)
{
    struct ttdev_image *image = cluster_load(t, name, elf, bytes, e);
    if (!image)
        return -ENOEXEC;
    *out = image;
    return 0;
}

int ttdev_image_find(ttdev *t, const char *name, int risc, ttdev_image **out, struct err *e)
{
    char full[256];
    const void *elf;
    size_t bytes;
    if (risc < 0 || risc > TTDEV_ERISC) {
        (void)err_set(e, ERR_USAGE, "no RISC %d", risc);
        return -EINVAL;
    }
    image_full_name(t, risc, name, full, sizeof full);
    for (size_t i = 0; i < t->images.n; i++)
        if (strcmp(t->images.v[i]->name, full) == 0) {
            *out = t->images.v[i];
            return 0;
        }
    if (images_find(full, &elf, &bytes))
        return ttdev_elf_load(t, full, elf, bytes, out, e);
    (void)err_set(e, ERR_USAGE, "no image '%.200s'", full);
    return -ENOENT;
}

uint32_t ttdev_image_bytes(const ttdev_image *image)
{
    return image->bytes;
}

uint64_t ttdev_image_hash(const ttdev_image *image)
{
    return image->hash;
}

const char *ttdev_warnings(ttdev *t)
{
    buf_char(&t->warnings, '\0'); // terminator, not counted
    t->warnings.n--;
    return t->warnings.p;
}

void cluster_unload(struct ttdev *t)
{
    copies_free(&t->copies);
    for (size_t i = 0; i < t->images.n; i++)
        image_free(t->images.v[i]);
    vec_free(&t->images);
    zones_free(&t->zones);
    buf_free(&t->warnings);
}
