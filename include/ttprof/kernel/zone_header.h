// zone_header.h - the header word of a named marker: one instruction.
//
// A header is 0x80000000 | type << 28 | id << 12, which one `lui` loads. The id stands for
// a label, 4096 bytes long, in a section that has no bytes; the linker numbers the labels
// of an image, and the loader replaces the numbers by ids of its table, for which a record
// in .ttprof.zones has the name, file and line. Inlining and unrolling may repeat a use, so
// label and record are made only where the assembler does not have them yet.
#ifndef TTPROF_KERNEL_ZONE_HEADER_H
#define TTPROF_KERNEL_ZONE_HEADER_H

#include "ttprof/kernel/base.h"

#define TTK_TEXT_OF(...) #__VA_ARGS__
#define TTK_TEXT(...)    TTK_TEXT_OF(__VA_ARGS__)

// A name is a literal: its spelling goes into the image. It must not contain a comma, by
// which logs separate fields.
#ifdef __cplusplus
#define TTK_STATIC_ASSERT(...) static_assert(__VA_ARGS__)
#else
#define TTK_STATIC_ASSERT(...) _Static_assert(__VA_ARGS__)
#endif
#define TTK_HAS(text, characters)                                                          \
    (__builtin_strcspn(text, characters) != __builtin_strlen(text))
#define TTK_IS_LITERAL(name) (!__builtin_strncmp(TTK_TEXT(name), "\"", 1))
#define TTK_CHECK_LITERAL(name)                                                            \
    TTK_STATIC_ASSERT(TTK_IS_LITERAL(name), "a zone's name must be a string literal")
#ifdef __clang__
TTK_INLINE void ttk_check_zone_name(const char *name)
    __attribute__((diagnose_if(__builtin_strchr(name, ',') != 0,
                               "a zone's name has a comma", "error")))
{
    (void)name;
}
#define TTK_CHECK_COMMA(name) ttk_check_zone_name(name)
#else
#define TTK_CHECK_COMMA(name)                                                              \
    TTK_STATIC_ASSERT(!TTK_IS_LITERAL(name) || !TTK_HAS(name, ","),                        \
                      "a zone's name has a comma")
#endif

#define TTK_CHECK_NAME(name)                                                               \
    __extension__({                                                                        \
        TTK_CHECK_LITERAL(name);                                                           \
        TTK_CHECK_COMMA(name);                                                             \
    })

#define TTK_ZONE_LABEL(number) ".Lttk_zone_" TTK_TEXT(number)

// The literal's own spelling, quotes and escapes included, is one the assembler takes; that
// of clang does not take several literals in a row.
#ifdef __clang__
#define TTK_ZONE_NAME_TEXT(name) "\"" name "\""
#else
#define TTK_ZONE_NAME_TEXT(name) TTK_TEXT(name)
#endif
#define TTK_ZONE_RECORD_TEXT(number, name)                                                 \
    ".ifndef " TTK_ZONE_LABEL(number) "\n"                                                 \
    ".pushsection .ttprof.ids,\"\",@nobits\n" TTK_ZONE_LABEL(number) ": .space 4096\n"     \
    ".popsection\n"                                                                        \
    ".pushsection .ttprof.zones,\"\",@progbits\n"                                          \
    ".4byte " TTK_ZONE_LABEL(number) ", " TTK_TEXT(__LINE__) "\n"                          \
    ".asciz " TTK_ZONE_NAME_TEXT(name) "\n"                                                \
    ".asciz " TTK_TEXT(__FILE__) "\n"                                                      \
    ".balign 4\n"                                                                          \
    ".popsection\n"                                                                        \
    ".endif"

// A '%' has a meaning in assembly with operands. GCC takes assembly without operands for
// one that changes memory, which costs the code around it, so only such names get it.
#ifdef __clang__
#define TTK_ZONE_RECORD(number, name) __asm__ volatile(TTK_ZONE_RECORD_TEXT(number, name))
#else
#define TTK_ZONE_RECORD(number, name)                                                      \
    do {                                                                                   \
        if (TTK_HAS(TTK_TEXT(name), "%"))                                                  \
            __asm__ inline volatile(TTK_ZONE_RECORD_TEXT(number, name));                   \
        else                                                                               \
            __asm__ inline volatile(TTK_ZONE_RECORD_TEXT(number, name)::);                 \
    } while (0)
#endif

// The header of a label that has its record.
#define TTK_LABEL_HEADER(number, type)                                                     \
    __extension__({                                                                        \
        uint32_t ttk_header;                                                               \
        __asm__("lui %0, %%hi(" TTK_ZONE_LABEL(number) " + %1)"                            \
                : "=r"(ttk_header)                                                         \
                : "i"(TT_MARKER_VALID + ((uint32_t)(type) << 28)));                        \
        ttk_header;                                                                        \
    })

#define TTK_ZONE_HEADER_OF(number, name, type)                                             \
    __extension__({                                                                        \
        TTK_CHECK_NAME(name);                                                              \
        TTK_ZONE_RECORD(number, name);                                                     \
        TTK_LABEL_HEADER(number, type);                                                    \
    })
// The header word of a marker of packet type `type` (TT_PACKET_*) with this name.
#define TTK_ZONE_HEADER(name, type) TTK_ZONE_HEADER_OF(__COUNTER__, name, type)
// function(header of the start, header of the end)
#define TTK_ENTER(function, name) TTK_ENTER_OF(function, __COUNTER__, name)
#define TTK_ENTER_OF(function, number, name)                                               \
    function(TTK_ZONE_HEADER_OF(number, name, TT_PACKET_ZONE_START),                       \
             TTK_LABEL_HEADER(number, TT_PACKET_ZONE_END))

#endif
