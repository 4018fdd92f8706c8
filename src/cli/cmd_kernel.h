// cmd_kernel.h - kernels from source, for every command that takes one.
#ifndef TTP_CLI_CMD_KERNEL_H
#define TTP_CLI_CMD_KERNEL_H

#include "cli/command.h"

struct kernel_source {
    const char *path;
    const char *risc;    // NULL: by the name or by what the source calls
    const char *prelude; // NULL: none
    const struct option_list *defines;
    int arch, variant;
};

// What the compiler made for one RISC.
struct kernel_image {
    unsigned risc;
    bool is_only; // the source is built for this RISC alone
    str stem;     // of its name: "kernels/add" of "kernels/add.compute.c"
    str elf;
};
typedef bool kernel_taker(void *context, const struct kernel_image *image, struct err *e);

bool kernel_is_source(const char *path); // by its name
// Builds for one RISC after the other; `take` gets each and may refuse.
bool kernel_compile(const struct kernel_source *source, kernel_taker *take, void *context,
                    struct err *e);

#endif
