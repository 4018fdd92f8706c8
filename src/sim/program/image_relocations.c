// image_relocations.c - the relocations of an image, which the link keeps.
#include <string.h>

#include "sim/program/image_parts.h"

const char no_relocations[] =
    "it has no relocations (linked without --emit-relocs, or stripped)";

// The symbols that the relocations of a section refer to.
struct symbols {
    size_t at, n;
};

static bool find_symbols(const struct elf *elf, const Elf32_Shdr *rela, struct symbols *out)
{
    if (rela->sh_link >= elf->head.e_shnum)
        return false;
    Elf32_Shdr table = elf_section(elf, rela->sh_link);
    out->at = table.sh_offset;
    out->n = table.sh_size / sizeof(Elf32_Sym);
    return table.sh_type == SHT_SYMTAB && elf_has(elf, table.sh_offset, table.sh_size);
}

static struct relocation relocation_of(const struct elf *elf, const struct symbols *symbols,
                                       const Elf32_Rela *rela)
{
    size_t i = ELF32_R_SYM(rela->r_info);
    struct relocation r = {.address = rela->r_offset,
                           .type = ELF32_R_TYPE(rela->r_info),
                           .has_symbol = i < symbols->n};
    if (r.has_symbol) {
        Elf32_Sym symbol;
        memcpy(&symbol, elf->bytes + symbols->at + i * sizeof symbol, sizeof symbol);
        r.value = symbol.st_value + (uint32_t)rela->r_addend;
        r.section = symbol.st_shndx;
    }
    return r;
}

size_t elf_relocations(const struct elf *elf, uint32_t flags,
                       void (*use)(const struct elf *elf, const struct relocation *r),
                       bool *is_damaged)
{
    size_t n = 0;
    for (size_t i = 0; i < elf->head.e_shnum; i++) {
        Elf32_Shdr section = elf_section(elf, i);
        if (section.sh_type != SHT_RELA || section.sh_info >= elf->head.e_shnum ||
            !(elf_section(elf, section.sh_info).sh_flags & flags))
            continue;
        n++;
        struct symbols symbols;
        if (!elf_has(elf, section.sh_offset, section.sh_size) ||
            !find_symbols(elf, &section, &symbols)) {
            *is_damaged = true;
            continue;
        }
        for (size_t k = 0; k < section.sh_size / sizeof(Elf32_Rela); k++) {
            Elf32_Rela rela;
            memcpy(&rela, elf->bytes + section.sh_offset + k * sizeof rela, sizeof rela);
            struct relocation r = relocation_of(elf, &symbols, &rela);
            use(elf, &r);
        }
    }
    return n;
}
