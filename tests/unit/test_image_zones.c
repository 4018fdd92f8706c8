// Markers of ELF files put together by hand: ids go where the relocations say, and whatever
// is damaged costs names, never the image.
#include "sample_elf.h"
#include "sim/program/image.h"
#include "sim/rv32/rv32.h"
#include "test.h"

enum { TEXT = 1, ZONES, IDS, RELA, SYMBOLS, NAMES, SECTIONS };
enum { BASE = 0x12000, WORDS = 6 };
static const char section_names[] =
    "\0.text\0.ttprof.zones\0.ttprof.ids\0.rela.text\0"
    ".symtab\0.strtab";
static const uint32_t name_at[SECTIONS] = {0, 1, 7, 21, 33, 44, 52};

// Two locations, each loaded by one instruction, among others.
struct sample {
    uint32_t code[WORDS];
    struct {
        uint32_t label, line;
        const char *name, *file;
    } zone[2];
    uint32_t ids_address, ids_bytes;
    Elf32_Rela rela[3];
    Elf32_Sym symbol[3];
    size_t n_rela, zones_bytes; // zones_bytes: cut off behind so many
    bool has_no_rela, has_no_zones;
};

static struct sample sample_two(void)
{
    return (struct sample){
        .code = {0x13, 0x80000537, 0xD00015B7, 0x80000637, 0x80001637, 0x13},
        .zone = {{0, 14, "LOAD", "kernels/reader.cpp"}, {4096, 10, "first 791", "one.h"}},
        .ids_bytes = 2 * 4096,
        .rela = {{BASE + 4, ELF32_R_INFO(1, R_RISCV_HI20), (int32_t)0x80000000},
                 // By the section's symbol: that of the label may be gone.
                 {BASE + 8, ELF32_R_INFO(2, R_RISCV_HI20), (int32_t)0xD0001000}},
        .symbol = {{0}, {.st_shndx = IDS}, {.st_shndx = IDS, .st_info = STT_SECTION}},
        .n_rela = 2,
        .zones_bytes = SIZE_MAX};
}

static struct buf zones_bytes(const struct sample *s)
{
    struct buf b = {0};
    for (size_t i = 0; i < 2; i++) {
        sample_elf_put(&b, &s->zone[i].label, 4);
        sample_elf_put(&b, &s->zone[i].line, 4);
        sample_elf_put(&b, s->zone[i].name, strlen(s->zone[i].name) + 1);
        sample_elf_put(&b, s->zone[i].file, strlen(s->zone[i].file) + 1);
        buf_fill(&b, 0, -b.n & 3);
    }
    b.n = b.n < s->zones_bytes ? b.n : s->zones_bytes;
    return b;
}

static struct buf sample_bytes(const struct sample *s)
{
    Elf32_Phdr segment = {.p_type = PT_LOAD,
                          .p_offset = sizeof(Elf32_Ehdr) + sizeof segment,
                          .p_vaddr = BASE,
                          .p_paddr = BASE,
                          .p_filesz = sizeof s->code,
                          .p_memsz = sizeof s->code,
                          .p_flags = PF_R | PF_X};
    struct buf zones = zones_bytes(s);
    const struct {
        uint32_t type;
        const void *data;
        size_t bytes;
    } parts[SECTIONS] = {
        [TEXT] = {SHT_PROGBITS, s->code, sizeof s->code},
        [ZONES] = {s->has_no_zones ? SHT_NULL : SHT_PROGBITS, zones.p, zones.n},
        [IDS] = {SHT_NOBITS, NULL, 0},
        [RELA] = {s->has_no_rela ? SHT_NULL : SHT_RELA, s->rela,
                  s->n_rela * sizeof *s->rela},
        [SYMBOLS] = {SHT_SYMTAB, s->symbol, sizeof s->symbol},
        [NAMES] = {SHT_STRTAB, section_names, sizeof section_names}};
    struct sample_section sections[SECTIONS] = {0};
    for (size_t i = 1; i < SECTIONS; i++)
        sections[i] =
            (struct sample_section){{.sh_name = parts[i].type == SHT_NULL ? 0 : name_at[i],
                                     .sh_type = parts[i].type,
                                     .sh_size = (uint32_t)parts[i].bytes},
                                    parts[i].data,
                                    parts[i].bytes};
    sections[TEXT].head.sh_flags = SHF_ALLOC | SHF_EXECINSTR;
    sections[IDS].head.sh_addr = s->ids_address;
    sections[IDS].head.sh_size = s->ids_bytes;
    sections[RELA].head.sh_link = SYMBOLS;
    sections[RELA].head.sh_info = TEXT;
    sections[SYMBOLS].head.sh_link = NAMES;
    struct buf b =
        sample_elf(sample_elf_head(BASE, 1, SECTIONS, NAMES), &segment, sections);
    buf_free(&zones);
    return b;
}

static struct ttdev_image *load(const struct sample *s, struct zone_table *table)
{
    struct err e = {0};
    struct buf b = sample_bytes(s);
    struct ttdev_image *image = image_load("test", b.p, b.n, TT_WORMHOLE, &e);
    assert_string_equal(e.text, "");
    assert_non_null(image);
    image_give_ids(image, table);
    buf_free(&b);
    return image;
}

static uint32_t word_of(const struct ttdev_image *image, size_t i)
{
    uint32_t word;
    memcpy(&word, image->memory + 4 * i, sizeof word);
    return word;
}

// Loads it; checks the words of both markers and what is said.
static void check(struct sample s, uint32_t first, uint32_t second, const char *trouble)
{
    struct zone_table table = {0};
    struct ttdev_image *image = load(&s, &table);
    assert_string_equal(image->zone_trouble ? image->zone_trouble : "", trouble);
    assert_int_equal(word_of(image, 1), first);
    assert_int_equal(word_of(image, 2), second);
    assert_int_equal(word_of(image, 3), 0x80000637); // constants that look like markers
    assert_int_equal(word_of(image, 4), 0x80001637);
    // What is executed is what is there.
    struct rv_op ops[WORDS + 1];
    uint32_t words[WORDS];
    memcpy(words, image->memory, sizeof words);
    rv_decode(words, WORDS, BASE, ops);
    for (size_t i = 0; i < WORDS; i++)
        assert_int_equal(image->ops[i].imm, ops[i].imm);
    image_free(image);
    zones_free(&table);
}

enum { LOAD_ID = 16768, FIRST_ID = 4667 }; // what their texts fold to
#define FIRST_WORD  (0x80000537u | LOAD_ID << 12)
#define SECOND_WORD (0xD00005B7u | FIRST_ID << 12)
#define FIRST_RAW   0x80000537u
#define SECOND_RAW  0xD00015B7u
#define UNNAMED     (TT_ID_OVERFLOW << 12)

TEST(markers_get_the_ids_of_the_table)
{
    check(sample_two(), FIRST_WORD, SECOND_WORD, "");
}

TEST(an_image_knows_where_its_markers_are_and_what_they_are_called)
{
    struct zone_table table = {0};
    struct sample s = sample_two();
    struct ttdev_image *image = load(&s, &table);
    assert_int_equal(image->zones.n, 2);
    assert_int_equal(image->sites.n, 2);
    assert_int_equal(image->sites.v[1].offset, 8);
    const struct image_zone *zone = &image->zones.v[image->sites.v[1].zone];
    assert_string_equal(zone->name, "first 791");
    assert_string_equal(zone->file, "one.h");
    assert_int_equal(zone->line, 10);
    assert_int_equal(zone->id, FIRST_ID);
    image_free(image);
    zones_free(&table);
}

TEST(an_image_loaded_into_two_tables_gets_the_ids_of_each)
{
    struct zone_table table = {0};
    struct sample s = sample_two();
    assert_int_equal(zones_give(&table, S("second 10"), S("two.h"), 20), FIRST_ID);
    struct ttdev_image *image = load(&s, &table);
    assert_int_equal(word_of(image, 2), 0xD00005B7u | (FIRST_ID + 1) << 12);
    struct ttdev_image *again = load(&s, &table);
    assert_int_equal(word_of(again, 2), word_of(image, 2));
    assert_int_equal(table.v.n, 3);
    image_free(image);
    image_free(again);
    zones_free(&table);
}

TEST(without_relocations_markers_keep_the_numbers_of_the_linker)
{
    struct sample s = sample_two();
    s.has_no_rela = true;
    const char *trouble =
        "it has no relocations (linked without --emit-relocs, or stripped)";
    check(s, FIRST_RAW, SECOND_RAW, trouble);
    // Nobody else gets these numbers, and nobody looks up the names in vain.
    struct zone_table table = {0};
    struct ttdev_image *image = load(&s, &table);
    assert_int_equal(table.v.n, 0);
    assert_false(zones_reserve(&table, 1));
    image_free(image);
    zones_free(&table);
}

TEST(without_names_markers_are_nameless)
{
    struct sample s = sample_two();
    s.has_no_zones = true;
    check(s, FIRST_RAW | UNNAMED, (SECOND_RAW & ~0x1000u) | UNNAMED,
          "section .ttprof.zones is missing");
}

TEST(records_cut_off_anywhere_cost_the_names_behind)
{
    struct sample s = sample_two();
    struct buf whole = zones_bytes(&s);
    size_t first = 8 + sizeof "LOAD" + sizeof "kernels/reader.cpp";
    for (size_t n = 0; n < whole.n - 3; n++) { // the last bytes fill up a word
        s.zones_bytes = n;
        check(s, n < first ? FIRST_RAW | UNNAMED : FIRST_WORD,
              n == whole.n ? SECOND_WORD : (SECOND_RAW & ~0x1000u) | UNNAMED,
              "section .ttprof.zones is damaged");
    }
    buf_free(&whole);
}

TEST(labels_that_make_no_sense_cost_names)
{
    static const uint32_t labels[] = {0, 1, 4097, 8192, 0xFFFFF000, 0xFFFFFFFF};
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) { // 0: of the first one
        struct sample s = sample_two();
        s.zone[1].label = labels[i];
        check(s, FIRST_WORD, (SECOND_RAW & ~0x1000u) | UNNAMED,
              "section .ttprof.zones is damaged");
    }
}

TEST(a_damaged_relocation_changes_nothing)
{
    static const Elf32_Rela bad[] = {
        {BASE + 9, ELF32_R_INFO(2, R_RISCV_HI20), (int32_t)0xD0001000},         // odd
        {BASE - 4, ELF32_R_INFO(2, R_RISCV_HI20), (int32_t)0xD0001000},         // before
        {BASE + 4 * WORDS, ELF32_R_INFO(2, R_RISCV_HI20), (int32_t)0xD0001000}, // behind
        {0xFFFFFFFC, ELF32_R_INFO(2, R_RISCV_HI20), (int32_t)0xD0001000},
        {BASE, ELF32_R_INFO(2, R_RISCV_HI20), (int32_t)0xD0001000},     // no lui
        {BASE + 8, ELF32_R_INFO(2, R_RISCV_HI20), (int32_t)0xD0000000}, // another word
        {BASE + 8, ELF32_R_INFO(2, R_RISCV_HI20), (int32_t)0x50001000}, // not valid
        {BASE + 8, ELF32_R_INFO(2, R_RISCV_HI20), (int32_t)0xD0001001},
        {BASE + 8, ELF32_R_INFO(3, R_RISCV_HI20), (int32_t)0xD0001000}, // no such symbol
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct sample s = sample_two();
        s.rela[1] = bad[i];
        check(s, FIRST_WORD, SECOND_RAW, "a relocation is damaged");
    }
}

TEST(a_marker_without_a_label_is_damage)
{
    struct sample s = sample_two();
    s.code[2] = 0xD00025B7;
    s.rela[1].r_addend = (int32_t)0xD0002000;
    check(s, FIRST_WORD, 0xD00025B7, "a relocation is damaged");
}

TEST(other_relocations_are_left_alone)
{
    struct sample s = sample_two();
    s.rela[2] = (Elf32_Rela){BASE + 12, ELF32_R_INFO(0, R_RISCV_HI20), 0}; // of no label
    s.n_rela = 3;
    check(s, FIRST_WORD, SECOND_WORD, "");
    s.rela[2] = (Elf32_Rela){BASE + 12, ELF32_R_INFO(9, R_RISCV_LO12_I), 0};
    check(s, FIRST_WORD, SECOND_WORD, "");
    s.rela[2] = s.rela[0]; // twice
    check(s, FIRST_WORD, SECOND_WORD, "");
}

TEST(a_section_of_labels_that_makes_no_sense_costs_all_names)
{
    struct sample s = sample_two();
    s.ids_address = 4096;
    check(s, FIRST_RAW, SECOND_RAW, "section .ttprof.ids is damaged");
    s = sample_two();
    s.ids_bytes = 8191;
    check(s, FIRST_RAW, SECOND_RAW, "section .ttprof.ids is damaged");
    s.ids_bytes = 65537u * 4096;
    check(s, FIRST_RAW, SECOND_RAW, "section .ttprof.ids is damaged");
    s.ids_bytes = 65536u * 4096;
    check(s, FIRST_WORD, SECOND_WORD, "");
}
