// image_parts.h - an ELF file being read, as the parts of the loader share it.
#ifndef TTP_SIM_PROGRAM_IMAGE_PARTS_H
#define TTP_SIM_PROGRAM_IMAGE_PARTS_H

#include <elf.h>

#include "sim/program/image.h"

// Every number in the file is checked against its size before it is used.
struct elf {
    const char *name;
    const uint8_t *bytes;
    size_t n;
    Elf32_Ehdr head; // its tables of segments and sections are inside the file
    int arch;
    struct ttdev_image *image;
    const struct slot *slot;
    uint32_t slot_base, slot_bytes;
    struct err *e;
};

// Does the file have these bytes? 64 bits, so that no sum of 32-bit fields wraps.
static inline bool elf_has(const struct elf *elf, uint64_t offset, uint64_t bytes)
{
    return offset <= elf->n && bytes <= elf->n - offset;
}

Elf32_Shdr elf_section(const struct elf *elf, size_t i); // i < e_shnum
// The number of a section, 0 when there is none of that name.
size_t elf_find(const struct elf *elf, const char *name);

// image_zones.c: fills zones and sites of the image, whose memory is there.
void image_read_zones(const struct elf *elf);

#endif
