// image.c - ELF images. Every number in the file is checked against the file's size before
// use, and every rejection is one line.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/data/sort.h"

#include "sim/chips.h"
#include "sim/program/image_parts.h"
#include "sim/rv32/rv32.h"

enum { NAME_MOST = 255 }; // many symbols may share one very long name

// Where an image may be loaded: the firmware or kernel slot of one RISC.
struct slot {
    const char *name;
    int risc;
    bool is_firmware;
    size_t base, bytes; // offsets in struct tt_layout
};

#define AT(field) offsetof(struct tt_layout, field)
static const struct slot slots[] = {
    // clang-format off
    {"BRISC firmware",   TT_BRISC,    true,  AT(fw_brisc),      AT(fw_brisc_bytes)},
    {"NCRISC firmware",  TT_NCRISC,   true,  AT(fw_ncrisc),     AT(fw_ncrisc_bytes)},
    {"TRISC_0 firmware", TT_TRISC0,   true,  AT(fw_trisc0),     AT(fw_trisc_bytes)},
    {"TRISC_1 firmware", TT_TRISC1,   true,  AT(fw_trisc1),     AT(fw_trisc_bytes)},
    {"TRISC_2 firmware", TT_TRISC2,   true,  AT(fw_trisc2),     AT(fw_trisc_bytes)},
    {"ERISC firmware",   TTDEV_ERISC, true,  AT(eth_firmware),  AT(eth_firmware_bytes)},
    {"BRISC kernel",     TT_BRISC,    false, AT(kernel_brisc),  AT(kernel_brisc_bytes)},
    {"NCRISC kernel",    TT_NCRISC,   false, AT(kernel_ncrisc), AT(kernel_other_bytes)},
    {"TRISC_0 kernel",   TT_TRISC0,   false, AT(kernel_trisc0), AT(kernel_other_bytes)},
    {"TRISC_1 kernel",   TT_TRISC1,   false, AT(kernel_trisc1), AT(kernel_other_bytes)},
    {"TRISC_2 kernel",   TT_TRISC2,   false, AT(kernel_trisc2), AT(kernel_other_bytes)},
    {"ERISC kernel",     TTDEV_ERISC, false, AT(eth_kernel),    AT(eth_kernel_bytes)},
    // clang-format on
};
enum { SLOTS = sizeof slots / sizeof *slots };

static uint32_t layout_word(int arch, size_t offset)
{
    uint32_t v;
    memcpy(&v, (const unsigned char *)&tt_layouts[arch] + offset, sizeof v);
    return v;
}

// Always false, so a check can end with `return refuse(...)`.
__attribute__((format(printf, 2, 3))) static bool refuse_image(const struct elf *elf,
                                                               const char *format, ...)
{
    va_list list;
    va_start(list, format);
    (void)err_setv(elf->e, ERR_FORMAT, format, list);
    va_end(list);
    return err_in(elf->e, "%.80s", elf->name);
}

// --- header ----------------------------------------------------------------------------
static bool read_head(struct elf *elf)
{
    if (!elf_has(elf, 0, sizeof elf->head) || memcmp(elf->bytes, ELFMAG, SELFMAG) != 0)
        return refuse_image(elf, "not an ELF file");
    memcpy(&elf->head, elf->bytes, sizeof elf->head);
    const Elf32_Ehdr *h = &elf->head;
    if (h->e_ident[EI_CLASS] != ELFCLASS32)
        return refuse_image(elf, "not a 32-bit ELF file");
    if (h->e_ident[EI_DATA] != ELFDATA2LSB)
        return refuse_image(elf, "not a little-endian ELF file");
    if (h->e_machine != EM_RISCV)
        return refuse_image(elf, "built for machine %u, not for RISC-V (%u)", h->e_machine,
                            EM_RISCV);
    if (h->e_type != ET_EXEC)
        return refuse_image(elf, "ELF type %u, not a linked executable (%u)", h->e_type,
                            ET_EXEC);
    if (h->e_phnum == 0)
        return refuse_image(elf, "no loadable segment");
    if (h->e_phentsize != sizeof(Elf32_Phdr) ||
        !elf_has(elf, h->e_phoff, (uint64_t)h->e_phnum * sizeof(Elf32_Phdr)))
        return refuse_image(elf, "damaged: program headers outside the file");
    if (h->e_shnum != 0 &&
        (h->e_shentsize != sizeof(Elf32_Shdr) ||
         !elf_has(elf, h->e_shoff, (uint64_t)h->e_shnum * sizeof(Elf32_Shdr))))
        return refuse_image(elf, "damaged: section headers outside the file");
    return true;
}

static Elf32_Phdr segment_at(const struct elf *elf, size_t i)
{
    Elf32_Phdr p;
    memcpy(&p, elf->bytes + elf->head.e_phoff + i * sizeof p, sizeof p);
    return p;
}

Elf32_Shdr elf_section(const struct elf *elf, size_t i)
{
    Elf32_Shdr s;
    memcpy(&s, elf->bytes + elf->head.e_shoff + i * sizeof s, sizeof s);
    return s;
}

// --- sections --------------------------------------------------------------------------
// A name in a string table, or NULL if it is not terminated inside it.
static const char *string_at(const struct elf *elf, const Elf32_Shdr *table,
                             uint32_t offset)
{
    if (table->sh_type != SHT_STRTAB || !elf_has(elf, table->sh_offset, table->sh_size) ||
        offset >= table->sh_size)
        return NULL;
    const char *text = (const char *)elf->bytes + table->sh_offset + offset;
    return memchr(text, '\0', table->sh_size - offset) ? text : NULL;
}

// An image may lack section headers or names; then it has no such section.
size_t elf_find(const struct elf *elf, const char *name)
{
    if (elf->head.e_shstrndx >= elf->head.e_shnum)
        return 0;
    Elf32_Shdr names = elf_section(elf, elf->head.e_shstrndx);
    for (size_t i = 1; i < elf->head.e_shnum; i++) {
        Elf32_Shdr section = elf_section(elf, i);
        const char *its = string_at(elf, &names, section.sh_name);
        if (its && strcmp(its, name) == 0)
            return i;
    }
    return 0;
}

static void set_slot(struct elf *elf, const struct slot *slot)
{
    elf->slot = slot;
    elf->slot_base = layout_word(elf->arch, slot->base);
    elf->slot_bytes = layout_word(elf->arch, slot->bytes);
    elf->image->risc = slot->risc;
    elf->image->is_firmware = slot->is_firmware;
}

// The kernel build records in .ttprof.image what an image is for: magic number, chip, RISC
// and kind, variant.
enum { IDENTITY_MAGIC = 0x4D495454, IDENTITY_WORDS = 4 };

static bool identity_words(const struct elf *elf, size_t number,
                           uint32_t word[IDENTITY_WORDS])
{
    size_t bytes = IDENTITY_WORDS * sizeof *word;
    Elf32_Shdr section = elf_section(elf, number);
    if (section.sh_type == SHT_NOBITS || section.sh_size < bytes ||
        !elf_has(elf, section.sh_offset, bytes))
        return refuse_image(elf, "damaged: section .ttprof.image is incomplete");
    memcpy(word, elf->bytes + section.sh_offset, bytes);
    if (word[0] != IDENTITY_MAGIC || word[1] >= TT_ARCHES ||
        (word[2] & 0xff) > TTDEV_ERISC || word[2] >> 8 > 1 || word[3] > TTDEV_FULL)
        return refuse_image(elf, "damaged: section .ttprof.image is invalid");
    return true;
}

static bool read_identity(const struct elf *elf, size_t section, const struct slot **slot)
{
    uint32_t word[IDENTITY_WORDS] = {0};
    if (!identity_words(elf, section, word))
        return false;
    uint32_t risc = word[2] & 0xff, is_firmware = word[2] >> 8;
    if (word[1] != (uint32_t)elf->arch)
        return refuse_image(elf, "built for %s, the device is a %s",
                            arch_of_device((int)word[1])->device_name,
                            arch_of_device(elf->arch)->device_name);
    elf->image->variant = (int)word[3];
    for (size_t i = 0; i < SLOTS; i++)
        if (slots[i].risc == (int)risc && slots[i].is_firmware == (is_firmware == 1))
            *slot = &slots[i];
    return true;
}

// Without that section the load address decides: no two slots start at the same one.
static bool slot_by_address(const struct elf *elf, uint32_t address,
                            const struct slot **slot)
{
    for (size_t i = 0; i < SLOTS; i++)
        if (layout_word(elf->arch, slots[i].base) == address) {
            *slot = &slots[i];
            return true;
        }
    return refuse_image(elf, "starts at 0x%x, where %s has no slot for code",
                        (unsigned)address, arch_of_device(elf->arch)->device_name);
}

// --- segments --------------------------------------------------------------------------
// What a segment puts into L1: nothing if it is not loaded, or lies in local RAM without a
// load address in L1 (its initial data is then elsewhere in the image).
struct part {
    uint32_t address, bytes, file_bytes, offset;
    bool is_code;
};

static bool part_of(const struct elf *elf, size_t i, struct part *part)
{
    Elf32_Phdr p = segment_at(elf, i);
    if (p.p_type != PT_LOAD || p.p_memsz == 0)
        return false;
    *part = (struct part){p.p_vaddr, p.p_memsz, p.p_filesz, p.p_offset, p.p_flags & PF_X};
    if (p.p_vaddr < TT_LOCAL_RAM)
        return true;
    part->address = p.p_paddr;
    part->bytes = p.p_filesz;
    part->is_code = false;
    return p.p_filesz > 0 && p.p_paddr < TT_LOCAL_RAM;
}

// Variables must lie inside the RISC's local RAM.
static bool check_local(const struct elf *elf)
{
    const struct tt_layout *layout = &tt_layouts[elf->arch];
    bool is_trisc = elf->slot->risc >= TT_TRISC0 && elf->slot->risc <= TT_TRISC2;
    uint32_t size = is_trisc ? layout->local_trisc_bytes : layout->local_dm_bytes;
    for (size_t i = 0; i < elf->head.e_phnum; i++) {
        Elf32_Phdr p = segment_at(elf, i);
        if (p.p_type != PT_LOAD || p.p_memsz == 0 || p.p_vaddr < TT_LOCAL_RAM)
            continue;
        uint64_t end = (uint64_t)p.p_vaddr + p.p_memsz - TT_LOCAL_RAM;
        if (end > size)
            return refuse_image(elf, "data up to 0x%llx, local RAM ends at 0x%x",
                                (unsigned long long)(TT_LOCAL_RAM + end),
                                (unsigned)(TT_LOCAL_RAM + size));
        uint32_t address = (uint32_t)(TT_LOCAL_RAM + end);
        if (address > elf->image->local_end)
            elf->image->local_end = address;
    }
    return true;
}

// The range that goes to L1.
struct extent {
    uint64_t from, to, code_to;
    bool is_any;
};

static bool measure_extent(const struct elf *elf, struct extent *all)
{
    *all = (struct extent){.from = UINT64_MAX};
    struct part part;
    for (size_t i = 0; i < elf->head.e_phnum; i++) {
        if (!part_of(elf, i, &part))
            continue;
        if (part.file_bytes > part.bytes || !elf_has(elf, part.offset, part.file_bytes))
            return refuse_image(elf, "damaged: segment %zu is incomplete", i);
        uint64_t end = (uint64_t)part.address + part.bytes;
        all->from = part.address < all->from ? part.address : all->from;
        all->to = end > all->to ? end : all->to;
        if (part.is_code && end > all->code_to)
            all->code_to = end;
        all->is_any = true;
    }
    return all->is_any || refuse_image(elf, "no loadable segment");
}

// Firmware jumps to the start of a slot, and one decoded image serves every core: the image
// must start exactly there.
static bool check_extent(const struct elf *elf, const struct extent *all)
{
    if (all->from != elf->slot_base)
        return refuse_image(elf, "starts at 0x%llx, the slot of the %s at 0x%x",
                            (unsigned long long)all->from, elf->slot->name,
                            (unsigned)elf->slot_base);
    if (all->to > (uint64_t)elf->slot_base + elf->slot_bytes)
        return refuse_image(elf, "the %s needs %llu bytes, the slot has %u",
                            elf->slot->name, (unsigned long long)(all->to - elf->slot_base),
                            (unsigned)elf->slot_bytes);
    if (all->code_to == 0)
        return refuse_image(elf, "no executable segment");
    struct part part;
    for (size_t i = 0; i < elf->head.e_phnum; i++)
        if (part_of(elf, i, &part) && !part.is_code && part.address < all->code_to)
            return refuse_image(elf, "data at 0x%x before code: code must come first",
                                (unsigned)part.address);
    uint32_t entry = elf->head.e_entry;
    if (entry < elf->slot_base || entry >= all->code_to || entry % 4)
        return refuse_image(elf, "entry 0x%x is not in the code (0x%x to 0x%llx)",
                            (unsigned)entry, (unsigned)elf->slot_base,
                            (unsigned long long)all->code_to);
    return true;
}

// Whole words: code is decoded, and L1 written, word by word.
static void copy_memory(struct elf *elf, const struct extent *all)
{
    struct ttdev_image *image = elf->image;
    image->base = elf->slot_base;
    image->bytes = (uint32_t)(all->to - all->from + 3) & ~3u;
    image->code_bytes = (uint32_t)(all->code_to - all->from + 3) & ~3u;
    image->entry = elf->head.e_entry;
    image->memory = mem_alloc(image->bytes);
    struct part part;
    for (size_t i = 0; i < elf->head.e_phnum; i++)
        if (part_of(elf, i, &part) && part.file_bytes)
            memcpy(image->memory + (part.address - image->base), elf->bytes + part.offset,
                   part.file_bytes);
}

bool elf_offset(const struct elf *elf, uint32_t address, uint32_t bytes, uint32_t *offset)
{
    struct part part;
    for (size_t i = 0; i < elf->head.e_phnum; i++) {
        uint32_t at = address - segment_at(elf, i).p_vaddr;
        if (!part_of(elf, i, &part) || at >= part.file_bytes ||
            bytes > part.file_bytes - at)
            continue;
        *offset = part.address + at - elf->image->base;
        return true;
    }
    return false;
}

// --- symbols ---------------------------------------------------------------------------
// Names of code addresses. Absolute symbols are linker constants, not addresses.
static bool is_label(const struct elf *elf, const Elf32_Sym *symbol)
{
    unsigned type = ELF32_ST_TYPE(symbol->st_info);
    const struct ttdev_image *image = elf->image;
    return (type == STT_FUNC || type == STT_NOTYPE) && symbol->st_shndx != SHN_UNDEF &&
           symbol->st_shndx < SHN_LORESERVE && symbol->st_value >= image->base &&
           symbol->st_value - image->base < image->code_bytes;
}

// At one address, functions (which have a size) come before labels.
static int symbol_order(const void *a, const void *b)
{
    const struct symbol *x = a, *y = b;
    SORT_BY(x, y, address);
    SORT_BY(y, x, bytes);
    return strcmp(x->name, y->name);
}

// Drops labels inside a function, which would hide it.
static void drop_inner(struct ttdev_image *image)
{
    size_t n = 0;
    uint64_t end = 0;
    for (size_t i = 0; i < image->symbols.n; i++) {
        struct symbol s = image->symbols.v[i];
        if (s.address < end || (n && image->symbols.v[n - 1].address == s.address))
            continue;
        image->symbols.v[n++] = s;
        if (s.bytes)
            end = (uint64_t)s.address + s.bytes;
    }
    image->symbols.n = n;
}

// The names must outlive the file.
static void copy_names(struct ttdev_image *image)
{
    size_t total = 0;
    for (size_t i = 0; i < image->symbols.n; i++)
        total += strnlen(image->symbols.v[i].name, NAME_MOST) + 1;
    char *next = image->names = mem_alloc(total);
    for (size_t i = 0; i < image->symbols.n; i++) {
        struct symbol *s = &image->symbols.v[i];
        size_t n = strnlen(s->name, NAME_MOST);
        memcpy(next, s->name, n);
        s->name = next;
        next += n + 1;
    }
}

static void read_table(const struct elf *elf, const Elf32_Shdr *table)
{
    Elf32_Shdr names = elf_section(elf, table->sh_link);
    for (size_t i = 0; i < table->sh_size / sizeof(Elf32_Sym); i++) {
        Elf32_Sym s;
        memcpy(&s, elf->bytes + table->sh_offset + i * sizeof s, sizeof s);
        const char *name = string_at(elf, &names, s.st_name);
        if (name && name[0] && name[0] != '$' && is_label(elf, &s))
            vec_push(&elf->image->symbols, (struct symbol){s.st_value, s.st_size, name});
    }
}

// A damaged table only costs the names.
static void read_symbols(const struct elf *elf)
{
    struct ttdev_image *image = elf->image;
    for (size_t i = 0; i < elf->head.e_shnum; i++) {
        Elf32_Shdr table = elf_section(elf, i);
        if (table.sh_type == SHT_SYMTAB && table.sh_link < elf->head.e_shnum &&
            elf_has(elf, table.sh_offset, table.sh_size)) {
            read_table(elf, &table);
            break; // an executable has one
        }
    }
    if (image->symbols.n)
        qsort(image->symbols.v, image->symbols.n, sizeof *image->symbols.v, symbol_order);
    drop_inner(image);
    copy_names(image);
}

const char *image_symbol(const struct ttdev_image *image, uint32_t address,
                         uint32_t *offset)
{
    *offset = 0;
    if (address < image->base || address - image->base >= image->code_bytes)
        return "";
    size_t low = 0, high = image->symbols.n; // first one after the address
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (image->symbols.v[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return "";
    const struct symbol *s = &image->symbols.v[low - 1];
    if (s->bytes && address - s->address >= s->bytes)
        return "";
    *offset = address - s->address;
    return s->name;
}

// --- loading ---------------------------------------------------------------------------
// A slot holds at most 24 KiB, so the decoded form is small as well.
void image_decode(struct ttdev_image *image)
{
    size_t n = image->code_bytes / 4;
    uint32_t *words = mem_alloc(mem_bytes(sizeof *words, n));
    memcpy(words, image->memory, n * sizeof *words);
    rv_decode(words, n, image->base, image->ops);
    mem_free(words);
}

static bool load_image(struct elf *elf)
{
    struct extent all;
    const struct slot *slot = &slots[0];
    if (!read_head(elf) || !measure_extent(elf, &all))
        return false;
    size_t identity = elf_find(elf, ".ttprof.image");
    bool ok = identity ? read_identity(elf, identity, &slot)
                       : slot_by_address(elf, (uint32_t)all.from, &slot);
    if (!ok)
        return false;
    set_slot(elf, slot);
    if (!check_extent(elf, &all) || !check_local(elf))
        return false;
    copy_memory(elf, &all);
    read_symbols(elf);
    elf->ids = elf_find(elf, ".ttprof.ids");
    image_read_zones(elf);
    image_read_moves(elf);
    elf->image->ops =
        mem_alloc(mem_bytes(sizeof(struct rv_op), elf->image->code_bytes / 4 + 1));
    image_decode(elf->image);
    return true;
}

bool image_identity(const void *elf, size_t bytes, int *arch, int *variant)
{
    struct err unused;
    struct elf file = {.name = "", .bytes = elf, .n = bytes, .e = &unused};
    uint32_t word[IDENTITY_WORDS] = {0};
    if (!read_head(&file))
        return false;
    size_t section = elf_find(&file, ".ttprof.image");
    if (!section || !identity_words(&file, section, word))
        return false;
    *arch = (int)word[1];
    *variant = (int)word[3];
    return true;
}

struct ttdev_image *image_load(const char *name, const void *elf, size_t bytes, int arch,
                               struct err *e)
{
    struct ttdev_image *image = mem_alloc(sizeof *image);
    image->name = mem_alloc(strlen(name) + 1);
    memcpy(image->name, name, strlen(name));
    image->arch = arch;
    image->variant = TTDEV_OFF;
    struct elf file = {.name = image->name,
                       .bytes = elf,
                       .n = bytes,
                       .arch = arch,
                       .image = image,
                       .e = e};
    if (load_image(&file))
        return image;
    image_free(image);
    return NULL;
}

void image_free(struct ttdev_image *image)
{
    if (!image)
        return;
    vec_free(&image->symbols);
    vec_free(&image->zones);
    vec_free(&image->sites);
    vec_free(&image->moved_words);
    mem_free(image->names);
    mem_free(image->zone_names);
    mem_free(image->ops);
    mem_free(image->memory);
    mem_free(image->name);
    mem_free(image);
}
