// sample_elf.h - ELF files put together by hand, segment by segment and section by section.
#ifndef TTP_TESTS_SAMPLE_ELF_H
#define TTP_TESTS_SAMPLE_ELF_H

#include <elf.h>
#include <string.h>

#include "base/text/buf.h"

// Segments follow the head; e_shoff is still to be set.
static inline Elf32_Ehdr sample_elf_head(uint32_t entry, uint16_t segments,
                                         uint16_t sections, uint16_t names)
{
    return (Elf32_Ehdr){
        .e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS32, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_EXEC,
        .e_machine = EM_RISCV,
        .e_version = EV_CURRENT,
        .e_entry = entry,
        .e_phoff = sizeof(Elf32_Ehdr),
        .e_ehsize = sizeof(Elf32_Ehdr),
        .e_phentsize = sizeof(Elf32_Phdr),
        .e_phnum = segments,
        .e_shentsize = sizeof(Elf32_Shdr),
        .e_shnum = sections,
        .e_shstrndx = names};
}

static inline void sample_elf_put(struct buf *b, const void *p, size_t n)
{
    buf_str(b, (str){p, n});
}

// A section with its data, which may be shorter: zeros follow. Its offset is set here.
struct sample_section {
    Elf32_Shdr head;
    const void *data;
    size_t bytes;
};

// The data of sections come behind the segments' headers, the first one's at once.
static inline struct buf sample_elf(Elf32_Ehdr head, const Elf32_Phdr *segments,
                                    struct sample_section *sections)
{
    struct buf b = {0};
    sample_elf_put(&b, &head, sizeof head);
    sample_elf_put(&b, segments, head.e_phnum * sizeof *segments);
    for (size_t i = 1; i < head.e_shnum; i++) {
        struct sample_section *s = &sections[i];
        s->head.sh_offset = (uint32_t)b.n;
        sample_elf_put(&b, s->data, s->bytes);
        if (s->head.sh_type == SHT_PROGBITS && s->head.sh_size > s->bytes)
            buf_fill(&b, 0, s->head.sh_size - s->bytes);
    }
    head.e_shoff = (uint32_t)b.n;
    memcpy(b.p, &head, sizeof head);
    for (size_t i = 0; i < head.e_shnum; i++)
        sample_elf_put(&b, &sections[i].head, sizeof sections[i].head);
    return b;
}

#endif
