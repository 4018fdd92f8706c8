// image_moves.c - what an image must have changed to run at another address.
//
// Its relocations say where addresses are. Those inside the image move with it; variables
// are in local RAM and stay. What is relative to the pc moves along if it is inside, too,
// and cannot be kept right if it is not. Markers look like addresses (image_zones.c) but
// are none.
#include <string.h>

#include "sim/program/image_parts.h"

enum { LUI = 0x37, OPCODE_MASK = 0x7F };

// How a word holds an address. RELATIVE: as a distance; NONE: the linker dropped it.
enum form {
    FORM_UNKNOWN,
    FORM_NONE,
    FORM_WHOLE,
    FORM_HIGH,
    FORM_LOW,
    FORM_LOW_STORE,
    FORM_RELATIVE
};

static const uint8_t forms[] = {
    [R_RISCV_NONE] = FORM_NONE,
    [R_RISCV_32] = FORM_WHOLE,
    [R_RISCV_HI20] = FORM_HIGH,
    [R_RISCV_LO12_I] = FORM_LOW,
    [R_RISCV_LO12_S] = FORM_LOW_STORE,
    [R_RISCV_BRANCH] = FORM_RELATIVE,
    [R_RISCV_JAL] = FORM_RELATIVE,
    [R_RISCV_CALL] = FORM_RELATIVE,
    [R_RISCV_CALL_PLT] = FORM_RELATIVE,
    [R_RISCV_PCREL_HI20] = FORM_RELATIVE,
    [R_RISCV_PCREL_LO12_I] = FORM_RELATIVE,
    [R_RISCV_PCREL_LO12_S] = FORM_RELATIVE,
};

static uint8_t form_of(unsigned type)
{
    return type < sizeof forms ? forms[type] : FORM_UNKNOWN;
}

static uint32_t put_address(uint32_t word, uint8_t form, uint32_t address)
{
    switch (form) {
    case FORM_HIGH: return (word & 0xFFF) | ((address + 0x800) & ~0xFFFu);
    case FORM_LOW: return (word & 0xFFFFF) | address << 20;
    case FORM_LOW_STORE:
        return (word & 0x01FFF07F) | (address & 0xFE0) << 20 | (address & 0x1F) << 7;
    default: return address;
    }
}

static const char damaged_relocation[] = "a relocation is damaged";

// --- reading ---------------------------------------------------------------------------
static void note_trouble(struct ttdev_image *image, const char *why)
{
    if (!image->move_trouble)
        image->move_trouble = why;
}

// The word must be what the linker made of the address.
static bool is_whole(const struct elf *elf, const struct relocation *r, uint8_t form,
                     uint32_t *offset)
{
    uint32_t word;
    if (!elf_offset(elf, r->address, sizeof word, offset))
        return false;
    memcpy(&word, elf->image->memory + *offset, sizeof word);
    return put_address(word, form, r->value) == word &&
           (form != FORM_HIGH || (word & OPCODE_MASK) == LUI);
}

static void add_word(const struct elf *elf, const struct relocation *r)
{
    struct ttdev_image *image = elf->image;
    uint8_t form = form_of(r->type);
    bool is_inside = r->value - image->base <= image->bytes;
    bool has_address = form != FORM_RELATIVE && is_inside;
    bool is_marker = elf->ids && r->section == elf->ids;
    uint32_t offset;
    if (form == FORM_NONE)
        return;
    if (form == FORM_UNKNOWN)
        note_trouble(image, "a relocation has a type that cannot be moved");
    else if (!r->has_symbol || (has_address && !is_whole(elf, r, form, &offset)))
        note_trouble(image, damaged_relocation);
    else if (form == FORM_RELATIVE && !is_inside)
        note_trouble(image, "it reaches something outside relative to its own address");
    else if (has_address && !is_marker)
        vec_push(&image->moved_words,
                 (struct moved_word){.offset = offset, .value = r->value, .form = form});
}

// Code may rely on the alignment of its constants, and so does the place of each of them.
static void check_alignment(const struct elf *elf)
{
    for (size_t i = 0; i < elf->head.e_shnum; i++) {
        Elf32_Shdr s = elf_section(elf, i);
        if (s.sh_flags & SHF_ALLOC && s.sh_addr < TT_LOCAL_RAM &&
            s.sh_addralign > IMAGE_ALIGN)
            note_trouble(elf->image, "a section is aligned to more than 16 bytes");
    }
}

void image_read_moves(const struct elf *elf)
{
    bool is_damaged = false;
    if (!elf_relocations(elf, SHF_ALLOC, add_word, &is_damaged))
        note_trouble(elf->image, no_relocations);
    if (is_damaged)
        note_trouble(elf->image, damaged_relocation);
    check_alignment(elf);
}

// --- moving ----------------------------------------------------------------------------
void image_put_at(const struct ttdev_image *image, uint32_t base, uint8_t *memory)
{
    uint32_t distance = base - image->base;
    memcpy(memory, image->memory, image->bytes);
    for (size_t i = 0; i < image->moved_words.n && distance; i++) {
        const struct moved_word *w = &image->moved_words.v[i];
        uint32_t word;
        memcpy(&word, memory + w->offset, sizeof word);
        word = put_address(word, w->form, w->value + distance);
        memcpy(memory + w->offset, &word, sizeof word);
    }
}

bool image_lies_at(const struct ttdev_image *image, uint32_t base, const uint8_t *memory)
{
    if (base != image->base && (image->move_trouble || base % IMAGE_ALIGN))
        return false;
    uint8_t *want = mem_alloc(image->bytes);
    image_put_at(image, base, want);
    bool is_same = memcmp(want, memory, image->bytes) == 0;
    mem_free(want);
    return is_same;
}
