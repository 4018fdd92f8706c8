// image_parts.h - an ELF file being read, shared by the loader's files.
#ifndef TTP_SIM_PROGRAM_IMAGE_PARTS_H
#define TTP_SIM_PROGRAM_IMAGE_PARTS_H

#include <elf.h>

#include "sim/program/image.h"

// Every number in the file is checked against its size before use.
struct elf {
    const char *name;
    const uint8_t *bytes;
    size_t n;
    Elf32_Ehdr head; // its segment and section tables are inside the file
    int arch;
    struct ttdev_image *image;
    const struct slot *slot;
    uint32_t slot_base, slot_bytes;
    struct err *e;
};

// Whether the file contains this range; 64 bits, so sums of 32-bit fields cannot wrap.
static inline bool elf_has(const struct elf *elf, uint64_t offset, uint64_t bytes)
{
    return offset <= elf->n && bytes <= elf->n - offset;
}

Elf32_Shdr elf_section(const struct elf *elf, size_t i); // i < e_shnum
// The number of a section, 0 if there is none of that name.
size_t elf_find(const struct elf *elf, const char *name);

// image_zones.c: fills in the image's zones and sites; its memory must be loaded.
void image_read_zones(const struct elf *elf);

#endif
