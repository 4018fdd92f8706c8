// fuzz_image.c - any bytes as an ELF image, for both chips, ids for its markers, and what
// moves.
#include <string.h>

#include "fuzz.h"
#include "sim/program/image.h"
#include "sim/rv32/rv32.h"

static void check(const struct ttdev_image *image)
{
    must(image->bytes > 0 && image->bytes % 4 == 0 && image->bytes <= 0x6000);
    must(image->code_bytes > 0 && image->code_bytes <= image->bytes);
    must(image->entry >= image->base && image->entry - image->base < image->code_bytes);
    must(image->risc >= TT_BRISC && image->risc <= TTDEV_ERISC);
    must(image->variant >= TTDEV_OFF && image->variant <= TTDEV_FULL);
    for (size_t i = 0; i < image->symbols.n; i++) {
        const struct symbol *s = &image->symbols.v[i];
        uint32_t offset;
        must(i == 0 || image->symbols.v[i - 1].address < s->address);
        must(strcmp(image_symbol(image, s->address, &offset), s->name) == 0 && offset == 0);
    }
    unsigned sum = 0; // every byte is there
    for (uint32_t i = 0; i < image->bytes; i++)
        sum += image->memory[i];
    must(sum <= 255u * image->bytes);
    must(image->ops[image->code_bytes / 4].kind == RV_end);
}

// Markers carry the ids of their locations, and nothing else of the code has changed.
static void check_zones(struct ttdev_image *image)
{
    struct zone_table table = {0};
    uint8_t *before = mem_alloc(image->bytes);
    memcpy(before, image->memory, image->bytes);
    image_give_ids(image, &table);
    must(image->zones.n <= 65536 && table.v.n <= image->zones.n + 1);
    must(image->zones.n > 0 || image->sites.n == 0);
    uint32_t next = 0; // first word that has not been looked at
    for (size_t i = 0; i < image->sites.n; i++) {
        const struct zone_site *site = &image->sites.v[i];
        must(site->offset % 4 == 0 && site->offset >= next && site->zone < image->zones.n);
        must(site->offset + 4 <= image->code_bytes);
        must(memcmp(before + next, image->memory + next, site->offset - next) == 0);
        const struct image_zone *zone = &image->zones.v[site->zone];
        uint32_t was, is;
        memcpy(&was, before + site->offset, 4);
        memcpy(&is, image->memory + site->offset, 4);
        must((was & 0xF0000FFF) == (is & 0xF0000FFF) && (is & 0x7F) == 0x37);
        must(TT_MARKER_ID(is) == zone->id && zone->id != 0);
        must(zone->name ? strlen(zone->name) + strlen(zone->file) < SIZE_MAX
                        : zone->id == TT_ID_OVERFLOW && image->zone_trouble);
        must((uint32_t)image->ops[site->offset / 4].imm == (is & 0xFFFFF000));
        next = site->offset + 4;
    }
    must(memcmp(before + next, image->memory + next, image->bytes - next) == 0);
    mem_free(before);
    zones_free(&table);
}

// Moved, it differs in the words that hold addresses, and markers are none of them.
static void check_moves(const struct ttdev_image *image)
{
    uint8_t *moved = mem_alloc(image->bytes), *may_differ = mem_alloc(image->bytes);
    for (size_t i = 0; i < image->moved_words.n; i++) {
        const struct moved_word *w = &image->moved_words.v[i];
        must(w->offset <= image->bytes - 4 && w->value - image->base <= image->bytes);
        memset(may_differ + w->offset, 1, 4);
    }
    image_put_at(image, image->base, moved);
    must(memcmp(moved, image->memory, image->bytes) == 0);
    for (uint32_t base = 0x10000; base < 0x28000 && !image->move_trouble; base += 0x7BF0) {
        image_put_at(image, base, moved);
        for (uint32_t i = 0; i < image->bytes; i++)
            must(moved[i] == image->memory[i] || may_differ[i]);
    }
    mem_free(may_differ);
    mem_free(moved);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int arch = 0; arch < TT_ARCHES; arch++) {
        struct err e = {0};
        struct ttdev_image *image = image_load("fuzz", data, size, arch, &e);
        must((image != NULL) == (e.text[0] == '\0'));
        must(image || (strncmp(e.text, "fuzz: ", 6) == 0 && !strchr(e.text, '\n')));
        int chip = arch, variant = TTDEV_OFF;
        bool has_identity = image_identity(data, size, &chip, &variant);
        must(chip >= 0 && chip < TT_ARCHES && variant <= TTDEV_FULL);
        if (image) {
            check(image);
            must(image->variant == variant && (!has_identity || chip == arch));
            check_zones(image);
            check_moves(image);
        }
        image_free(image);
    }
    return 0;
}
