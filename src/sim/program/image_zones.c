// image_zones.c - the marker locations of an image: their names, and the instructions that
// carry their numbers.
//
// A marker's header word is loaded by one instruction, `lui rd, %hi(label + valid bit +
// type)`. Labels lie 4096 bytes apart in .ttprof.ids from 0 on, so the linker numbers the
// image's locations: bits 31..12 of the word are valid, type and number. .ttprof.zones maps
// labels to locations; the relocations, which the link keeps, locate the instructions.
// Damaged marker data costs names but never rejects an image.
#include <stdlib.h>
#include <string.h>

#include "base/data/sort.h"

#include "sim/program/image_parts.h"

enum { LABEL_BYTES = 4096, LABELS_MOST = 65536 };
enum { LUI = 0x37, OPCODE_MASK = 0x7F, NUMBER_SHIFT = 12 };
#define NUMBER_MASK    ((uint32_t)(LABELS_MOST - 1) << NUMBER_SHIFT)
#define IMMEDIATE_MASK 0xFFFFF000u

// Keeps the first problem.
static void note_trouble(struct ttdev_image *image, const char *why)
{
    if (!image->zone_trouble)
        image->zone_trouble = why;
}

// --- labels ----------------------------------------------------------------------------
// Makes room for all labels. False if there are none or their section is invalid.
static bool count_labels(const struct elf *elf)
{
    struct ttdev_image *image = elf->image;
    if (!elf->ids)
        return false;
    Elf32_Shdr section = elf_section(elf, elf->ids);
    size_t n = section.sh_size / LABEL_BYTES;
    if (section.sh_addr != 0 || section.sh_size % LABEL_BYTES || n > LABELS_MOST) {
        note_trouble(image, "section .ttprof.ids is damaged");
        return false;
    }
    vec_reserve(&image->zones, n);
    for (size_t i = 0; i < n; i++)
        vec_push(&image->zones, (struct image_zone){.id = (uint32_t)i});
    return n > 0;
}

// --- names -----------------------------------------------------------------------------
// Splits off a zero-terminated text.
static bool cut_text(str *rest, const char **out)
{
    const char *end = rest->n ? memchr(rest->p, '\0', rest->n) : NULL;
    if (!end)
        return false;
    *out = rest->p;
    *rest = str_from(*rest, (size_t)(end - rest->p) + 1);
    return true;
}

// One record: label, line, name, file, padded to a whole word.
static bool cut_record(struct ttdev_image *image, str *rest)
{
    uint32_t word[2];
    struct image_zone zone = {0};
    if (rest->n < sizeof word)
        return false;
    memcpy(word, rest->p, sizeof word);
    *rest = str_from(*rest, sizeof word);
    size_t before = rest->n;
    if (!cut_text(rest, &zone.name) || !cut_text(rest, &zone.file))
        return false;
    size_t fill = -(before - rest->n) & 3;
    *rest = str_from(*rest, fill < rest->n ? fill : rest->n);
    size_t i = word[0] / LABEL_BYTES;
    if (word[0] % LABEL_BYTES || i >= image->zones.n || image->zones.v[i].name)
        return false;
    zone.line = word[1];
    zone.id = (uint32_t)i;
    image->zones.v[i] = zone;
    return true;
}

static void read_names(const struct elf *elf)
{
    struct ttdev_image *image = elf->image;
    size_t number = elf_find(elf, ".ttprof.zones");
    Elf32_Shdr section = {0};
    if (number)
        section = elf_section(elf, number);
    if (!number || section.sh_type == SHT_NOBITS ||
        !elf_has(elf, section.sh_offset, section.sh_size)) {
        note_trouble(image, "section .ttprof.zones is missing");
        return;
    }
    image->zone_names = mem_alloc(section.sh_size + 1); // must outlive the file
    memcpy(image->zone_names, elf->bytes + section.sh_offset, section.sh_size);
    str rest = {image->zone_names, section.sh_size};
    while (rest.n)
        if (!cut_record(image, &rest)) {
            note_trouble(image, "section .ttprof.zones is damaged");
            return;
        }
}

// --- instructions ----------------------------------------------------------------------
static void bad_relocation(struct ttdev_image *image)
{
    note_trouble(image, "a relocation is damaged");
    image->has_linker_ids = true;
}

static void add_site(struct ttdev_image *image, uint32_t address, uint32_t word)
{
    uint32_t offset = address - image->base, number = TT_MARKER_ID(word), code = 0;
    bool is_inside = address >= image->base && offset % 4 == 0 && image->code_bytes >= 4 &&
                     offset <= image->code_bytes - 4;
    if (is_inside)
        memcpy(&code, image->memory + offset, sizeof code);
    bool is_load = (code & OPCODE_MASK) == LUI && (code & IMMEDIATE_MASK) == word;
    if (is_load && word & TT_MARKER_VALID && number < image->zones.n)
        vec_push(&image->sites, (struct zone_site){.offset = offset, .zone = number});
    else
        bad_relocation(image);
}

static void add_marker(const struct elf *elf, const struct relocation *r)
{
    if (r->type != R_RISCV_HI20)
        return;
    if (!r->has_symbol)
        bad_relocation(elf->image);
    else if (r->section == elf->ids)
        add_site(elf->image, r->address, r->value);
}

static int site_order(const void *a, const void *b)
{
    const struct zone_site *x = a, *y = b;
    SORT_BY(x, y, offset);
    return 0;
}

// Two relocations for one instruction are damage; the first one counts.
static void sort_sites(struct ttdev_image *image)
{
    if (!image->sites.n)
        return;
    qsort(image->sites.v, image->sites.n, sizeof *image->sites.v, site_order);
    size_t n = 1;
    for (size_t i = 1; i < image->sites.n; i++)
        if (image->sites.v[i].offset != image->sites.v[n - 1].offset)
            image->sites.v[n++] = image->sites.v[i];
    image->sites.n = n;
}

static void read_sites(const struct elf *elf)
{
    bool is_damaged = false;
    size_t n = elf_relocations(elf, SHF_EXECINSTR, add_marker, &is_damaged);
    if (is_damaged)
        bad_relocation(elf->image);
    if (!n) {
        note_trouble(elf->image, no_relocations);
        elf->image->has_linker_ids = true;
    }
    sort_sites(elf->image);
    for (size_t i = 0; i < elf->image->sites.n; i++)
        if (!elf->image->zones.v[elf->image->sites.v[i].zone].name)
            note_trouble(elf->image, "section .ttprof.zones is damaged");
}

void image_read_zones(const struct elf *elf)
{
    if (!count_labels(elf))
        return;
    read_names(elf);
    read_sites(elf);
}

// --- ids -------------------------------------------------------------------------------
void image_give_ids(struct ttdev_image *image, struct zone_table *table)
{
    // Numbers left in the code must not be mistaken for other locations.
    for (size_t i = 0; i < image->zones.n && image->has_linker_ids; i++)
        (void)zones_reserve(table, (uint32_t)i);
    if (!image->sites.n)
        return;
    for (size_t i = 0; i < image->zones.n; i++) {
        struct image_zone *zone = &image->zones.v[i];
        zone->id = zone->name ? zones_give(table, str_of(zone->name), str_of(zone->file),
                                           zone->line)
                              : TT_ID_OVERFLOW;
    }
    for (size_t i = 0; i < image->sites.n; i++) {
        const struct zone_site *site = &image->sites.v[i];
        uint32_t word;
        memcpy(&word, image->memory + site->offset, sizeof word);
        word = (word & ~NUMBER_MASK) | image->zones.v[site->zone].id << NUMBER_SHIFT;
        memcpy(image->memory + site->offset, &word, sizeof word);
    }
    image_decode(image);
}
