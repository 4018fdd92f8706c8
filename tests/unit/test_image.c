// test_image.c - ELF files put together by hand: what loads, and every refusal.
#include <stdio.h>

#include "sample_elf.h"
#include "sim/program/image.h"
#include "sim/rv32/rv32.h"
#include "test.h"

enum { SEGMENTS = 3, SYMBOLS = 6, IDENTITY = 0x4D495454 };
enum { SECTION_TEXT = 1, SECTION_IDENTITY, SECTION_SYMBOLS, SECTION_NAMES, SECTIONS };

struct sample {
    Elf32_Ehdr head;
    Elf32_Phdr segment[SEGMENTS]; // p_offset is set by sample_bytes
    uint32_t identity[4];
    struct {
        const char *name;
        uint32_t value, bytes;
        unsigned char type;
    } symbol[SYMBOLS];
    bool is_bare; // no sections
};

static const uint32_t nop = 0x00000013;

// A kernel for BRISC of Wormhole: 8 words of code, 3 of data with start values.
static struct sample sample_kernel(void)
{
    struct sample s = {
        .head = sample_elf_head(0x12004, 2, SECTIONS, SECTION_NAMES),
        .segment = {{.p_type = PT_LOAD,
                     .p_vaddr = 0x12000,
                     .p_paddr = 0x12000,
                     .p_filesz = 32,
                     .p_memsz = 32,
                     .p_flags = PF_R | PF_X},
                    {.p_type = PT_LOAD,
                     .p_vaddr = 0xFFB00400,
                     .p_paddr = 0x12020,
                     .p_filesz = 12,
                     .p_memsz = 100,
                     .p_flags = PF_R | PF_W}},
        .identity = {IDENTITY, TT_WORMHOLE, TT_BRISC, TTDEV_FULL},
        .symbol = {{"kernel_main", 0x12010, 12, STT_FUNC},
                   {"again", 0x12014, 0, STT_NOTYPE},
                   {"_start", 0x12000, 0, STT_NOTYPE},
                   {"variable", 0xFFB00400, 4, STT_OBJECT},
                   {"tail", 0x1201c, 0, STT_NOTYPE}},
    };
    return s;
}

static void put(struct buf *b, const void *p, size_t n)
{
    buf_str(b, (str){p, n});
}

static void put_section(struct buf *headers, uint32_t name, uint32_t type, size_t offset,
                        size_t bytes, uint32_t link)
{
    Elf32_Shdr h = {.sh_name = name,
                    .sh_type = type,
                    .sh_offset = (uint32_t)offset,
                    .sh_size = (uint32_t)bytes,
                    .sh_link = link};
    put(headers, &h, sizeof h);
}

static void put_sections(struct buf *b, struct sample *s)
{
    struct buf names = {0}, headers = {0};
    put(&names, "\0.ttprof.image\0.symtab", 23);
    put_section(&headers, 0, SHT_NULL, 0, 0, 0);
    put_section(&headers, 0, SHT_PROGBITS, 0, 0, 0);
    put_section(&headers, 1, SHT_PROGBITS, b->n, sizeof s->identity, 0);
    put(b, s->identity, sizeof s->identity);
    size_t at = b->n;
    for (size_t i = 0; i < SYMBOLS && s->symbol[i].name; i++) {
        Elf32_Sym symbol = {.st_name = (uint32_t)names.n,
                            .st_value = s->symbol[i].value,
                            .st_size = s->symbol[i].bytes,
                            .st_info = s->symbol[i].type,
                            .st_shndx = SECTION_TEXT};
        put(&names, s->symbol[i].name, strlen(s->symbol[i].name) + 1);
        put(b, &symbol, sizeof symbol);
    }
    put_section(&headers, 15, SHT_SYMTAB, at, b->n - at, SECTION_NAMES);
    put_section(&headers, 0, SHT_STRTAB, b->n, names.n, 0);
    put(b, names.p, names.n);
    s->head.e_shoff = (uint32_t)b->n;
    put(b, headers.p, headers.n);
    buf_free(&names);
    buf_free(&headers);
}

static struct buf sample_bytes(struct sample s)
{
    struct buf b = {0};
    buf_fill(&b, 0, sizeof s.head + sizeof s.segment);
    for (size_t i = 0; i < SEGMENTS; i++) {
        s.segment[i].p_offset = (uint32_t)b.n;
        for (uint32_t k = 0; k < s.segment[i].p_filesz && k < 30000; k += 4)
            put(&b, &nop, sizeof nop);
    }
    if (s.is_bare)
        s.head.e_shnum = 0;
    else
        put_sections(&b, &s);
    memcpy(b.p, &s.head, sizeof s.head);
    memcpy(b.p + sizeof s.head, s.segment, sizeof s.segment);
    return b;
}

static struct ttdev_image *load(struct sample s, int arch, struct err *e)
{
    struct buf b = sample_bytes(s);
    struct ttdev_image *image = image_load("test", b.p, b.n, arch, e);
    buf_free(&b);
    return image;
}

static struct ttdev_image *loaded(struct sample s)
{
    struct err e = {0};
    struct ttdev_image *image = load(s, TT_WORMHOLE, &e);
    assert_string_equal(e.text, "");
    assert_non_null(image);
    return image;
}

static void refused(struct sample s, const char *want)
{
    struct err e = {0};
    struct ttdev_image *image = load(s, TT_WORMHOLE, &e);
    assert_null(image);
    assert_string_equal(e.text, want);
}

TEST(a_kernel_is_loaded_with_code_start_values_and_what_it_is_for)
{
    struct ttdev_image *image = loaded(sample_kernel());
    assert_string_equal(image->name, "test");
    assert_int_equal(image->arch, TT_WORMHOLE);
    assert_int_equal(image->risc, TT_BRISC);
    assert_int_equal(image->variant, TTDEV_FULL);
    assert_false(image->is_firmware);
    assert_int_equal(image->base, 0x12000);
    assert_int_equal(image->entry, 0x12004);
    assert_int_equal(image->code_bytes, 32);
    assert_int_equal(image->bytes, 44); // .data lies behind the code in L1
    for (size_t i = 0; i < image->bytes; i += 4)
        assert_memory_equal(image->memory + i, &nop, 4);
    assert_int_equal(image->ops[0].kind, image->ops[7].kind);
    assert_int_not_equal(image->ops[8].kind, image->ops[7].kind); // the one that faults
    image_free(image);
}

TEST(an_address_is_named_by_its_function)
{
    struct ttdev_image *image = loaded(sample_kernel());
    uint32_t offset;
    assert_int_equal(image->symbols.n, 3); // not the label inside a function
    assert_string_equal(image_symbol(image, 0x12000, &offset), "_start");
    assert_string_equal(image_symbol(image, 0x1200c, &offset), "_start");
    assert_int_equal(offset, 12);
    assert_string_equal(image_symbol(image, 0x12018, &offset), "kernel_main");
    assert_int_equal(offset, 8);
    assert_string_equal(image_symbol(image, 0x1201c, &offset), "tail");
    assert_string_equal(image_symbol(image, 0x12020, &offset), "");
    assert_string_equal(image_symbol(image, 0x11ffc, &offset), "");
    image_free(image);
}

TEST(an_address_behind_the_end_of_a_function_has_no_name)
{
    struct sample s = sample_kernel();
    s.symbol[4].name = NULL;
    s.symbol[0].bytes = 8;
    struct ttdev_image *image = loaded(s);
    uint32_t offset;
    assert_string_equal(image_symbol(image, 0x12014, &offset), "kernel_main");
    assert_string_equal(image_symbol(image, 0x12018, &offset), "");
    image_free(image);
}

TEST(an_image_without_sections_is_known_by_its_address)
{
    struct sample s = sample_kernel();
    s.is_bare = true;
    s.segment[0].p_vaddr = 0x09040;
    s.segment[1] = (Elf32_Phdr){0};
    s.head.e_entry = 0x09040;
    struct ttdev_image *image = loaded(s);
    assert_int_equal(image->risc, TTDEV_ERISC);
    assert_true(image->is_firmware);
    assert_int_equal(image->bytes, 32);
    image_free(image);
}

TEST(every_slot_takes_its_image)
{
    static const struct {
        uint32_t address[TT_ARCHES], what;
    } slots[] = {
        {{0x3A00, 0x3AE0}, 0x100},  {{0x5820, 0x5CE0}, 0x101},  {{0x6020, 0x66E0}, 0x102},
        {{0x6620, 0x70E0}, 0x103},  {{0x6C20, 0x7AE0}, 0x104},  {{0x9040, 0x8000}, 0x105},
        {{0x12000, 0x16000}, 0x00}, {{0x18000, 0x1C000}, 0x01}, {{0x1C000, 0x20000}, 0x02},
        {{0x20000, 0x24000}, 0x03}, {{0x24000, 0x28000}, 0x04}, {{0x0A840, 0x0A000}, 0x05},
    };
    for (size_t i = 0; i < sizeof slots / sizeof *slots; i++)
        for (int arch = 0; arch < TT_ARCHES; arch++)
            for (int is_bare = 0; is_bare < 2; is_bare++) {
                struct sample s = sample_kernel();
                s.is_bare = is_bare;
                s.identity[1] = (uint32_t)arch;
                s.identity[2] = slots[i].what;
                s.segment[0].p_vaddr = s.head.e_entry = slots[i].address[arch];
                s.head.e_phnum = 1;
                struct err e = {0};
                struct ttdev_image *image = load(s, arch, &e);
                assert_string_equal(e.text, "");
                assert_int_equal(image->risc, slots[i].what & 0xff);
                assert_int_equal(image->is_firmware, slots[i].what >> 8);
                assert_int_equal(image->base, slots[i].address[arch]);
                image_free(image);
            }
}

TEST(a_file_that_is_no_kernel_is_refused_in_one_line)
{
    struct sample s = sample_kernel();
    s.head.e_ident[1] = 'e';
    refused(s, "test: not an ELF file");
    s = sample_kernel();
    s.head.e_ident[EI_CLASS] = ELFCLASS64;
    refused(s, "test: not a 32-bit ELF file");
    s = sample_kernel();
    s.head.e_ident[EI_DATA] = ELFDATA2MSB;
    refused(s, "test: not a little-endian ELF file");
    s = sample_kernel();
    s.head.e_machine = EM_X86_64;
    refused(s, "test: built for machine 62, not for RISC-V (243)");
    s = sample_kernel();
    s.head.e_type = ET_REL;
    refused(s, "test: ELF type 1, not a linked executable (2)");
    s = sample_kernel();
    s.head.e_phnum = 0;
    refused(s, "test: no loadable segment");
    s = sample_kernel();
    s.segment[0].p_type = s.segment[1].p_type = PT_NOTE;
    refused(s, "test: no loadable segment");
}

TEST(an_image_for_another_chip_is_refused)
{
    struct sample s = sample_kernel();
    s.identity[1] = TT_BLACKHOLE;
    refused(s, "test: built for blackhole, the device is a wormhole_b0");
}

TEST(an_image_that_does_not_fit_its_slot_is_refused_with_both_sizes)
{
    struct sample s = sample_kernel();
    s.segment[0].p_memsz = s.segment[0].p_filesz = 24580;
    s.head.e_phnum = 1;
    refused(s, "test: the BRISC kernel needs 24580 bytes, the slot has 24576");
    s = sample_kernel();
    s.identity[2] = TT_NCRISC;
    s.segment[0].p_vaddr = s.head.e_entry = 0x18000;
    s.segment[0].p_memsz = s.segment[0].p_filesz = 20000;
    s.head.e_phnum = 1;
    refused(s, "test: the NCRISC kernel needs 20000 bytes, the slot has 16384");
    s = sample_kernel();
    s.segment[0].p_vaddr = 0x12100;
    s.head.e_phnum = 1;
    refused(s, "test: starts at 0x12100, the slot of the BRISC kernel at 0x12000");
    s.is_bare = true;
    refused(s, "test: starts at 0x12100, where wormhole_b0 has no slot for code");
    s = sample_kernel();
    s.segment[1].p_memsz = 3073;
    refused(s, "test: data up to 0xffb01001, local RAM ends at 0xffb01000");
}

TEST(code_must_come_first_and_hold_the_entry)
{
    struct sample s = sample_kernel();
    s.head.e_entry = 0x12020;
    refused(s, "test: entry 0x12020 is not in the code (0x12000 to 0x12020)");
    s.head.e_entry = 0x12002;
    refused(s, "test: entry 0x12002 is not in the code (0x12000 to 0x12020)");
    s = sample_kernel();
    s.segment[1].p_paddr = 0x12010;
    refused(s, "test: data at 0x12010 before code: code must come first");
    s = sample_kernel();
    s.segment[0].p_flags = PF_R;
    refused(s, "test: no executable segment");
}

TEST(damage_is_named)
{
    struct sample s = sample_kernel();
    s.head.e_phoff = 0xfffffff0;
    refused(s, "test: damaged: program headers outside the file");
    s = sample_kernel();
    s.head.e_phentsize = 31;
    refused(s, "test: damaged: program headers outside the file");
    s = sample_kernel();
    s.head.e_shentsize = 41;
    refused(s, "test: damaged: section headers outside the file");
    s = sample_kernel();
    s.segment[0].p_filesz = 33;
    refused(s, "test: damaged: segment 0 is incomplete");
    s = sample_kernel();
    s.segment[1].p_filesz = 0x7fffffff;
    refused(s, "test: damaged: segment 1 is incomplete");
    s = sample_kernel();
    s.identity[0] = 0;
    refused(s, "test: damaged: section .ttprof.image is invalid");
    s = sample_kernel();
    s.identity[2] = 6;
    refused(s, "test: damaged: section .ttprof.image is invalid");
}

TEST(an_image_tells_its_chip_and_variant_without_a_device)
{
    int arch = -1, variant = -1;
    struct sample s = sample_kernel();
    s.identity[1] = TT_BLACKHOLE;
    struct buf b = sample_bytes(s);
    assert_true(image_identity(b.p, b.n, &arch, &variant));
    assert_int_equal(arch, TT_BLACKHOLE);
    assert_int_equal(variant, TTDEV_FULL);
    assert_false(image_identity(b.p, b.n - 1, &arch, &variant));
    assert_false(image_identity("", 0, &arch, &variant));
    buf_free(&b);
    s.is_bare = true;
    b = sample_bytes(s);
    assert_false(image_identity(b.p, b.n, &arch, &variant));
    buf_free(&b);
}

TEST(a_file_cut_off_anywhere_is_refused_or_loads_without_names)
{
    struct buf b = sample_bytes(sample_kernel());
    for (size_t n = 0; n < b.n; n++) {
        struct err e = {0};
        uint8_t *exact = mem_alloc(n);
        memcpy(exact, b.p, n);
        assert_null(image_load("cut", exact, n, TT_WORMHOLE, &e));
        assert_memory_equal(e.text, "cut: ", 5);
        mem_free(exact);
    }
    buf_free(&b);
}
