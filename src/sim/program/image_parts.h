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
    size_t ids; // number of the section .ttprof.ids, 0 if there is none
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
// The offset in the image's memory of `bytes` bytes that the file has for an address, which
// may be that of a variable. False if it has none.
bool elf_offset(const struct elf *elf, uint32_t address, uint32_t bytes, uint32_t *offset);

// image_relocations.c: what the linker put where; the link keeps it (--emit-relocs).
struct relocation {
    uint32_t address;
    unsigned type;
    bool has_symbol; // false: damaged, value and section are not known
    uint32_t value;  // symbol + addend
    size_t section;  // of the symbol
};
// Calls `use` for the relocations of all sections with these flags (SHF_*). Returns the
// number of sections that have relocations; sets *is_damaged if some cannot be read.
size_t elf_relocations(const struct elf *elf, uint32_t flags,
                       void (*use)(const struct elf *elf, const struct relocation *r),
                       bool *is_damaged);
extern const char no_relocations[]; // the trouble with an image that has none

// image_zones.c: fills in the image's zones and sites; its memory must be loaded.
void image_read_zones(const struct elf *elf);
// image_moves.c: fills in the words that move; its memory must be loaded.
void image_read_moves(const struct elf *elf);

#endif
