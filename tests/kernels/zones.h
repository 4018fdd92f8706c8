// zones.h - header words of markers as the profiler's macros make them, with places of the
// test's choice: label and record by hand.
#include "ttprof/kernel.h"

#define ZONE_WORD(label, name, file, line, type)                                           \
    __extension__({                                                                        \
        uint32_t word;                                                                     \
        __asm__ volatile(".ifndef " label                                                  \
                         "\n"                                                              \
                         ".pushsection .ttprof.ids,\"\",@nobits\n" label                   \
                         ": .space 4096\n"                                                 \
                         ".popsection\n"                                                   \
                         ".pushsection .ttprof.zones,\"\",@progbits\n"                     \
                         ".4byte " label ", " #line                                        \
                         "\n"                                                              \
                         ".asciz \"" name                                                  \
                         "\"\n"                                                            \
                         ".asciz \"" file                                                  \
                         "\"\n"                                                            \
                         ".balign 4\n"                                                     \
                         ".popsection\n"                                                   \
                         ".endif\n"                                                        \
                         "lui %0, %%hi(" label " + 0x80000000 + (" #type " << 28))"        \
                         : "=r"(word));                                                    \
        word;                                                                              \
    })
