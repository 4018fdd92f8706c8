// Images at other addresses than that of their link: which words change and how, what
// cannot be moved, and the copies that cores share.
#include "sample_elf.h"
#include "sim/cluster.h"
#include "sim/program/image.h"
#include "sim/program/loaded.h"
#include "sim/rv32/rv32.h"
#include "test.h"

enum { TEXT = 1, DATA, IDS, RELA_TEXT, RELA_DATA, SYMBOLS, NAMES, SECTIONS };
enum { BASE = 0x12000, TEXT_BYTES = 0x900, IMAGE_BYTES = TEXT_BYTES + 8, N_TEXT = 7 };
enum { SYM_START = 1, SYM_FAR, SYM_END, SYM_VARIABLE, SYM_ID, SYM_OUTSIDE, SYMS };
static const char section_names[] =
    "\0.text\0.data\0.ttprof.ids\0.rela.text\0.rela.data\0.symtab\0.strtab";
static const uint32_t name_at[SECTIONS] = {0, 1, 7, 13, 25, 36, 47, 55};

struct sample {
    uint32_t code[N_TEXT + 2], data[2];
    Elf32_Rela text[N_TEXT + 1], words[1];
    Elf32_Sym symbol[SYMS];
    uint32_t text_align;
    bool has_no_relocations;
};

#define INFO(symbol, type) ELF32_R_INFO(symbol, R_RISCV_##type)

// Addresses in all forms. `far` lies in the upper half of a page of 4096 bytes, so its high
// part is rounded up; `end` is the first byte behind the text.
static struct sample sample_make(void)
{
    return (struct sample){.code = {0x00013537,  // lui a0, %hi(far)
                                    0x83450513,  // addi a0, a0, %lo(far + 4)
                                    0x82B52823,  // sw a1, %lo(far)(a0)
                                    0xFF5FF06F,  // j start
                                    0xFFB00637,  // lui a2, %hi(variable)
                                    0x80001637,  // lui a2, marker 1
                                    0x000136B7,  // lui a3, %hi(end)
                                    0x00013737}, // lui a4, 0x13: a number
                           .data = {BASE + 8, 0x12008},
                           .text = {{BASE, INFO(SYM_FAR, HI20), 0},
                                    {BASE + 4, INFO(SYM_FAR, LO12_I), 4},
                                    {BASE + 8, INFO(SYM_FAR, LO12_S), 0},
                                    {BASE + 12, INFO(SYM_START, JAL), 0},
                                    {BASE + 16, INFO(SYM_VARIABLE, HI20), 0},
                                    {BASE + 20, INFO(SYM_ID, HI20), (int32_t)0x80000000},
                                    {BASE + 24, INFO(SYM_END, HI20), 0}},
                           .words = {{0xFFB00400, INFO(SYM_START, 32), 8}},
                           .symbol = {{0},
                                      {.st_value = BASE, .st_shndx = TEXT},
                                      {.st_value = BASE + 0x830, .st_shndx = TEXT},
                                      {.st_value = BASE + IMAGE_BYTES, .st_shndx = SHN_ABS},
                                      {.st_value = 0xFFB00400, .st_shndx = DATA},
                                      {.st_value = 0x1000, .st_shndx = IDS},
                                      {.st_value = BASE - 4, .st_shndx = SHN_ABS}},
                           .text_align = 4};
}

static struct buf sample_bytes(const struct sample *s)
{
    uint32_t rela = s->has_no_relocations ? SHT_NULL : SHT_RELA;
    uint32_t at = sizeof(Elf32_Ehdr) + 2 * sizeof(Elf32_Phdr);
    const struct {
        uint32_t type, flags, address, link, info, bytes;
        const void *data;
    } parts[SECTIONS] = {
        [TEXT] = {SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, BASE, 0, 0, TEXT_BYTES, s->code},
        [DATA] = {SHT_PROGBITS, SHF_ALLOC, 0xFFB00400, 0, 0, sizeof s->data, s->data},
        [IDS] = {SHT_NOBITS, 0, 0, 0, 0, 2 * 4096, NULL},
        [RELA_TEXT] = {rela, 0, 0, SYMBOLS, TEXT, sizeof s->text, s->text},
        [RELA_DATA] = {rela, 0, 0, SYMBOLS, DATA, sizeof s->words, s->words},
        [SYMBOLS] = {SHT_SYMTAB, 0, 0, NAMES, 0, sizeof s->symbol, s->symbol},
        [NAMES] = {SHT_STRTAB, 0, 0, 0, 0, sizeof section_names, section_names}};
    const Elf32_Phdr segments[2] = {{.p_type = PT_LOAD,
                                     .p_offset = at,
                                     .p_vaddr = BASE,
                                     .p_paddr = BASE,
                                     .p_filesz = TEXT_BYTES,
                                     .p_memsz = TEXT_BYTES,
                                     .p_flags = PF_R | PF_X},
                                    {.p_type = PT_LOAD,
                                     .p_offset = at + TEXT_BYTES,
                                     .p_vaddr = 0xFFB00400,
                                     .p_paddr = BASE + TEXT_BYTES,
                                     .p_filesz = sizeof s->data,
                                     .p_memsz = 16,
                                     .p_flags = PF_R | PF_W}};
    struct sample_section sections[SECTIONS] = {0};
    for (size_t i = 1; i < SECTIONS; i++)
        sections[i] =
            (struct sample_section){{.sh_name = name_at[i],
                                     .sh_type = parts[i].type,
                                     .sh_flags = parts[i].flags,
                                     .sh_addr = parts[i].address,
                                     .sh_size = parts[i].bytes,
                                     .sh_link = parts[i].link,
                                     .sh_info = parts[i].info,
                                     .sh_addralign = i == TEXT ? s->text_align : 4},
                                    parts[i].data,
                                    parts[i].data ? parts[i].bytes : 0};
    sections[TEXT].bytes = sizeof s->code;
    return sample_elf(sample_elf_head(BASE, 2, SECTIONS, NAMES), segments, sections);
}

static struct ttdev_image *load(const struct sample *s)
{
    struct err e = {0};
    struct buf b = sample_bytes(s);
    struct ttdev_image *image = image_load("test", b.p, b.n, TT_WORMHOLE, &e);
    buf_free(&b);
    assert_string_equal(e.text, "");
    assert_non_null(image);
    return image;
}

static uint32_t word_at(const void *memory, uint32_t offset)
{
    uint32_t word;
    memcpy(&word, (const uint8_t *)memory + offset, sizeof word);
    return word;
}

// --- bytes ------------------------------------------------------------------------------
TEST(addresses_inside_a_moved_image_move_with_it)
{
    struct sample s = sample_make();
    struct ttdev_image *image = load(&s);
    assert_null(image->move_trouble);
    assert_int_equal(image->bytes, IMAGE_BYTES);
    uint8_t moved[IMAGE_BYTES];
    image_put_at(image, 0x10FD0, moved); // far is at 0x11800
    assert_int_equal(word_at(moved, 0), 0x00012537);
    assert_int_equal(word_at(moved, 4), 0x80450513);
    assert_int_equal(word_at(moved, 8), 0x80B52023);
    assert_int_equal(word_at(moved, 24), 0x000126B7); // end is at 0x118D8
    assert_int_equal(word_at(moved, TEXT_BYTES), 0x10FD8);
    image_put_at(image, 0x10FC0, moved); // far is at 0x117F0: nothing is rounded up
    assert_int_equal(word_at(moved, 0), 0x00011537);
    assert_int_equal(word_at(moved, 4), 0x7F450513);
    assert_int_equal(word_at(moved, 8), 0x7EB52823);
    image_free(image);
}

TEST(jumps_variables_markers_and_numbers_do_not_move)
{
    struct sample s = sample_make();
    struct ttdev_image *image = load(&s);
    uint8_t moved[IMAGE_BYTES];
    image_put_at(image, 0x1FF40, moved);
    for (uint32_t at = 12; at < TEXT_BYTES; at += 4)
        if (at != 24)
            assert_int_equal(word_at(moved, at), word_at(image->memory, at));
    assert_int_equal(word_at(moved, TEXT_BYTES + 4), 0x12008);
    image_put_at(image, BASE, moved);
    assert_memory_equal(moved, image->memory, IMAGE_BYTES);
    image_free(image);
}

TEST(a_moved_image_has_the_ids_of_the_device)
{
    struct sample s = sample_make();
    struct ttdev_image *image = load(&s);
    struct zone_table table = {0};
    uint8_t moved[IMAGE_BYTES];
    image_give_ids(image, &table); // there are no names, so: the id of those without
    uint32_t word = word_at(image->memory, 20);
    assert_int_equal(TT_MARKER_ID(word), TT_ID_OVERFLOW);
    image_put_at(image, 0x10000, moved);
    assert_int_equal(word_at(moved, 20), word);
    zones_free(&table);
    image_free(image);
}

TEST(every_bundled_kernel_can_be_moved)
{
    for (size_t i = 0; i < images_count(); i++) {
        const char *name = images_name(i);
        int arch = strncmp(name, "blackhole/", 10) == 0;
        const void *elf;
        size_t bytes;
        struct err e = {0};
        assert_true(images_find(name, &elf, &bytes));
        struct ttdev_image *image = image_load(name, elf, bytes, arch, &e);
        assert_non_null(image);
        if (image->move_trouble)
            fail_msg("%s: %s", name, image->move_trouble);
        assert_true(image->is_firmware || image->moved_words.n > 0);
        image_free(image);
    }
}

// --- refusals ---------------------------------------------------------------------------
static void refused(const struct sample *s, const char *want)
{
    struct ttdev_image *image = load(s);
    if (!image->move_trouble)
        fail_msg("moved, not refused: %s", want);
    assert_string_equal(image->move_trouble, want);
    image_free(image);
}

TEST(what_cannot_be_moved_says_why)
{
    struct sample s = sample_make();
    s.has_no_relocations = true;
    refused(&s, "it has no relocations (linked without --emit-relocs, or stripped)");
    s = sample_make();
    s.text[N_TEXT] = (Elf32_Rela){BASE + 28, INFO(SYM_START, ADD32), 0};
    refused(&s, "a relocation has a type that cannot be moved");
    s.text[N_TEXT] = (Elf32_Rela){BASE + 28, ELF32_R_INFO(SYM_START, 200), 0};
    refused(&s, "a relocation has a type that cannot be moved");
    s.text[N_TEXT] = (Elf32_Rela){BASE + 28, INFO(SYM_OUTSIDE, CALL_PLT), 0};
    refused(&s, "it reaches something outside relative to its own address");
    s.text[N_TEXT] = (Elf32_Rela){BASE + 28, INFO(SYM_VARIABLE, PCREL_HI20), 0};
    refused(&s, "it reaches something outside relative to its own address");
    s.text[N_TEXT] = (Elf32_Rela){BASE + 28, INFO(SYMS, HI20), 0};
    refused(&s, "a relocation is damaged");
    s.text[N_TEXT] = (Elf32_Rela){BASE + 28, INFO(SYM_START, HI20), 0}; // says 0x13
    refused(&s, "a relocation is damaged");
    s.text[N_TEXT] = (Elf32_Rela){BASE + IMAGE_BYTES - 2, INFO(SYM_START, 32), 0};
    refused(&s, "a relocation is damaged");
    s = sample_make();
    s.text_align = 32;
    refused(&s, "a section is aligned to more than 16 bytes");
}

TEST(an_address_outside_the_image_does_not_stop_it)
{
    struct sample s = sample_make();
    s.code[7] = 0x00012737;
    s.text[N_TEXT] = (Elf32_Rela){BASE + 28, INFO(SYM_OUTSIDE, HI20), 0};
    struct ttdev_image *image = load(&s);
    assert_null(image->move_trouble);
    uint8_t moved[IMAGE_BYTES];
    image_put_at(image, 0x20000, moved);
    assert_int_equal(word_at(moved, 28), 0x00012737);
    image_free(image);
}

// --- copies -----------------------------------------------------------------------------
static const struct image_copy *find(const struct ttdev *t, int risc, uint32_t entry,
                                     const uint8_t *memory, uint32_t bytes)
{
    return copies_find(&t->copies, risc, entry, memory, bytes);
}

TEST(a_copy_is_made_once_and_found_by_its_bytes)
{
    struct sample s = sample_make();
    struct ttdev_image *image = load(&s), *other = load(&s);
    struct ttdev t = {0};
    const struct image_copy *copy = image_move(&t, image, 0x11100);
    assert_ptr_equal(copy, image_move(&t, image, 0x11100));
    assert_ptr_equal(copy->image, image);
    assert_int_equal(copy->entry, 0x11100);
    uint8_t want[IMAGE_BYTES];
    image_put_at(image, 0x11100, want);
    assert_memory_equal(copy->memory, want, IMAGE_BYTES);
    assert_int_equal(copy->ops[1].imm, -0x6CC); // %lo(0x11934)
    assert_int_equal(copy->ops[TEXT_BYTES / 4].kind, RV_end);
    assert_ptr_equal(image_move(&t, image, BASE)->ops, image->ops);

    static uint8_t l1[0x13000];
    memcpy(l1 + 0x11100, copy->memory, IMAGE_BYTES);
    assert_ptr_equal(find(&t, TT_BRISC, 0x11100, l1, sizeof l1), copy);
    assert_null(find(&t, TT_NCRISC, 0x11100, l1, sizeof l1));
    assert_null(find(&t, TT_BRISC, 0x11110, l1, sizeof l1));
    assert_null(find(&t, TT_BRISC, 0x11100, l1, 0x11100 + IMAGE_BYTES - 1));
    l1[0x11100 + IMAGE_BYTES - 1] ^= 1;
    assert_null(find(&t, TT_BRISC, 0x11100, l1, sizeof l1));
    // Two images may have been at the same place, one after the other.
    other->memory[IMAGE_BYTES - 1] ^= 1;
    const struct image_copy *second = image_move(&t, other, 0x11100);
    assert_ptr_equal(find(&t, TT_BRISC, 0x11100, l1, sizeof l1), second);
    copies_free(&t.copies);
    image_free(image);
    image_free(other);
}

TEST(an_image_keeps_the_copies_that_were_asked_for_last)
{
    struct sample s = sample_make();
    struct ttdev_image *image = load(&s);
    struct ttdev t = {0};
    for (uint32_t i = 0; i < COPIES_MOST; i++)
        (void)image_move(&t, image, 0x10000 + 256 * i);
    (void)image_move(&t, image, 0x10000); // again: now the second one is the oldest
    (void)image_move(&t, image, 0x20000);
    for (uint32_t i = 0; i <= COPIES_MOST; i++) {
        static uint8_t l1[0x21000];
        uint32_t base = i < COPIES_MOST ? 0x10000 + 256 * i : 0x20000;
        image_put_at(image, base, l1 + base);
        assert_int_equal(find(&t, TT_BRISC, base, l1, sizeof l1) != NULL, i != 1);
    }
    copies_free(&t.copies);
    image_free(image);
}

TEST(an_image_that_cannot_be_moved_is_warned_about_once)
{
    struct sample s = sample_make();
    s.has_no_relocations = true;
    struct ttdev_image *image = load(&s);
    struct ttdev t = {0};
    assert_non_null(image_move(&t, image, BASE));
    assert_string_equal(ttdev_warnings(&t), "");
    assert_null(image_move(&t, image, 0x10000));
    assert_null(image_move(&t, image, 0x10100));
    assert_string_equal(
        ttdev_warnings(&t),
        "image 'test': cannot be moved, so its programs wait for all before them: it has no relocations (linked without --emit-relocs, or stripped)\n");
    copies_free(&t.copies);
    buf_free(&t.warnings);
    image_free(image);
}
