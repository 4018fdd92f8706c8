// put_image.c - bundled images as they are moved: reads lines `NAME ADDRESS`, writes the
// size of the image's memory (4 bytes) and the memory at that address. Fails if ids of
// markers do not move along.
#include <stdio.h>
#include <stdlib.h>

#include "sim/program/image.h"

// With ids, only the words that load markers differ, and those are as in the image.
static bool keeps_ids(struct ttdev_image *image, uint32_t base, const uint8_t *linked)
{
    struct zone_table table = {0};
    uint8_t *moved = mem_alloc(image->bytes);
    image_give_ids(image, &table);
    image_put_at(image, base, moved);
    bool is_same = true;
    uint32_t at = 0;
    for (size_t i = 0; i < image->sites.n; i++) {
        uint32_t site = image->sites.v[i].offset;
        is_same &= memcmp(moved + at, linked + at, site - at) == 0;
        is_same &= memcmp(moved + site, image->memory + site, 4) == 0;
        at = site + 4;
    }
    is_same &= memcmp(moved + at, linked + at, image->bytes - at) == 0;
    zones_free(&table);
    mem_free(moved);
    return is_same;
}

static const char *put_image(const char *name, uint32_t base)
{
    const void *elf;
    size_t bytes;
    struct err e = {0};
    if (!images_find(name, &elf, &bytes))
        return "no such image";
    int arch = strncmp(name, "blackhole/", 10) == 0;
    struct ttdev_image *image = image_load(name, elf, bytes, arch, &e);
    if (!image)
        return "it does not load";
    const char *trouble = image->move_trouble;
    if (!trouble) {
        uint8_t *moved = mem_alloc(image->bytes);
        image_put_at(image, base, moved);
        (void)fwrite(&image->bytes, sizeof image->bytes, 1, stdout);
        (void)fwrite(moved, 1, image->bytes, stdout);
        if (!keeps_ids(image, base, moved))
            trouble = "ids of markers have changed";
        mem_free(moved);
    }
    image_free(image);
    return trouble;
}

int main(void)
{
    char line[300];
    while (fgets(line, sizeof line, stdin)) {
        char *space = strchr(line, ' ');
        if (!space)
            return 2;
        *space = '\0';
        const char *trouble = put_image(line, (uint32_t)strtoul(space + 1, NULL, 0));
        if (trouble) {
            (void)fprintf(stderr, "%s: %s\n", line, trouble);
            return 1;
        }
    }
    return 0;
}
