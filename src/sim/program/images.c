// images.c - the bundled images: an archive made by tools/build-kernels and linked into the
// program unchanged. Its header describes the layout.
#include <string.h>

#include "sim/program/image.h"

extern const unsigned char images_pack[]; // generated: images.S
enum { COUNT_AT = 8, TABLE_AT = 12, ROW_BYTES = 12 };

struct row {
    uint32_t name, data, bytes;
};

static size_t image_count(const unsigned char *pack)
{
    uint32_t n;
    memcpy(&n, pack + COUNT_AT, sizeof n);
    return n;
}

static struct row row_at(const unsigned char *pack, size_t i)
{
    struct row row;
    memcpy(&row, pack + TABLE_AT + i * ROW_BYTES, sizeof row);
    return row;
}

size_t images_count(void)
{
    return image_count(images_pack);
}

const char *images_name(size_t i)
{
    return (const char *)images_pack + row_at(images_pack, i).name;
}

bool images_find(const char *name, const void **elf, size_t *bytes)
{
    return images_find_in(images_pack, name, elf, bytes);
}

bool images_find_in(const unsigned char *pack, const char *name, const void **elf,
                    size_t *bytes)
{
    size_t from = 0, to = image_count(pack);
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        struct row row = row_at(pack, middle);
        int order = strcmp(name, (const char *)pack + row.name);
        if (order == 0) {
            *elf = pack + row.data;
            *bytes = row.bytes;
            return true;
        }
        if (order < 0)
            to = middle;
        else
            from = middle + 1;
    }
    return false;
}
