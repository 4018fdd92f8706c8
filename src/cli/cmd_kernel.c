// cmd_kernel.c - `ttprof kernel`: its options and help.
#include "app/kernel/kernel.h"
#include "cli/command.h"

#define AT(field) offsetof(struct kernel_values, field)
static const struct option options[] = {
    // clang-format off
    {.name = "output", .letter = 'o', .kind = OPTION_FILE, .at = AT(out), .arg = "FILE", .group = "Options",
     .help = "output file; with several RISCs, .RISC.elf is appended to the name"},
    {.name = "risc", .kind = OPTION_CHOICE, .at = AT(risc), .choices = "brisc ncrisc trisc0 trisc1 trisc2 erisc dm compute all",
     .help = "processors to build for; default: from the file name, as in add.compute.c, or from the calls in the source"},
    {.name = "arch", .kind = OPTION_CHOICE, .at = AT(arch), .choices = "wormhole blackhole",
     .help = "the chip (default wormhole)"},
    {.name = "variant", .kind = OPTION_CHOICE, .at = AT(variant), .choices = "off prof full",
     .help = "profiling code: none, zones and data, or also NoC events (default prof)"},
    {.name = "define", .letter = 'D', .kind = OPTION_LIST, .at = AT(defines), .arg = "NAME[=VALUE]",
     .help = "define a macro; repeatable"},
    {.name = "prelude", .kind = OPTION_FILE, .at = AT(prelude), .arg = "FILE",
     .help = "include a header before the source"},
    // clang-format on
};

static const struct example examples[] = {
    {"ttprof kernel build copy.c", "copy.elf, for the BRISC of a Wormhole"},
    {"ttprof kernel build add.compute.c --arch blackhole",
     "add.trisc0.elf, add.trisc1.elf, add.trisc2.elf"},
};

static const struct kernel_values defaults = {.arch = "wormhole", .variant = "prof"};

static int run_build(const void *values, struct words words, struct err *e)
{
    return kernel_build(values, words, e);
}

static const struct command build_part = {
    .name = "kernel build",
    .args = "FILE",
    .what = "compile a kernel for the software device",
    .about =
        "Compiles a C or C++ source with a function 'void kernel_main(void)' into an ELF image for one or more RISCs. The kernel API needs no include. Requires riscv64-unknown-elf-gcc.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .examples = examples,
    .n_examples = sizeof examples / sizeof *examples,
    .least_words = 1,
    .most_words = 1,
    .reads_input = true,
    .run = run_build,
    .defaults = &defaults,
    .values_size = sizeof defaults,
};
static const struct command *const parts[] = {&build_part};

const struct command cmd_kernel = {
    .name = "kernel",
    .args = "COMMAND",
    .what = "build kernels",
    .least_words = 1,
    .most_words = 1,
    .parts = parts,
    .n_parts = sizeof parts / sizeof *parts,
};
