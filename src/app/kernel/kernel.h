// kernel.h - compiles kernels from source, for all commands that take one.
#ifndef TTP_APP_KERNEL_KERNEL_H
#define TTP_APP_KERNEL_KERNEL_H

#include "base/text/err.h"
#include "base/text/str.h"

#include "app/options.h"

struct kernel_source {
    const char *path;
    const char *risc;    // NULL: from the file name or the calls in the source
    const char *prelude; // NULL: none
    const struct option_list *defines;
    int arch, variant;
};

// The image built for one RISC.
struct kernel_image {
    unsigned risc;
    bool is_only; // the source is built for this RISC alone
    str stem;     // of its name: "kernels/add" of "kernels/add.compute.c"
    str elf;
};
typedef bool kernel_taker(void *context, const struct kernel_image *image, struct err *e);

// The RISCs of a name such as "brisc", "dm" or "compute", a bit each; 0: unknown.
unsigned kernel_riscs(str name);
bool kernel_is_source(const char *path); // by its name
// Builds the source for each of its RISCs; `take` gets each image and may reject it.
bool kernel_compile(const struct kernel_source *source, kernel_taker *take, void *context,
                    struct err *e);

struct kernel_values {
    const char *out, *risc, *arch, *variant, *prelude;
    struct option_list defines;
};

// Compiles one source to files. Returns the exit code.
int kernel_build(const struct kernel_values *v, struct words words, struct err *e);

#endif
