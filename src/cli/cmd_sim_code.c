// cmd_sim_code.c - machine code: `ttprof sim disasm`.

#include "base/file/file.h"
#include "base/text/log.h"

#include "cli/cmd_sim.h"
#include "sim/program/image.h"
#include "sim/rv32/rv32.h"

static const char *const arch_names[] = {"wormhole", "blackhole"};
static const char *const risc_names[] = {"brisc",  "ncrisc", "trisc0",
                                         "trisc1", "trisc2", "erisc"};

struct disasm_values {
    const char *arch, *risc, *variant;
};

// The first image of that name among the RISCs, or that of the given RISC.
static bool find_image(const struct disasm_values *v, const char *name, str *elf,
                       struct err *e)
{
    int only = -1;
    if (v->risc && !sim_risc(v->risc, &only, e))
        return false;
    for (int risc = 0; risc <= TTDEV_ERISC; risc++) {
        struct buf path = {0};
        const void *bytes;
        buf_printf(&path, "%s/%s/%s/%s", v->arch, v->variant, risc_names[risc], name);
        buf_char(&path, '\0');
        bool is_found = (only < 0 || risc == only) && images_find(path.p, &bytes, &elf->n);
        buf_free(&path);
        if (is_found) {
            elf->p = bytes;
            return true;
        }
    }
    return err_set(
        e, ERR_USAGE,
        "no image '%s'%s%s for %s; 'ttprof sim images' lists all, file names end in .elf",
        name, v->risc ? " of " : "", v->risc ? v->risc : "", v->arch);
}

// The marker whose header an instruction loads.
static void put_zone(const struct ttdev_image *image, const struct zone_site *site,
                     uint32_t word, struct buf *b)
{
    static const char *const types[] = {"start", "end",   "sum",  "data",
                                        "event", "data2", "bad6", "bad7"};
    const struct image_zone *zone = &image->zones.v[site->zone];
    buf_printf(b, "  # %s of zone %u: ", types[TT_MARKER_TYPE(word)], zone->id);
    if (zone->name)
        buf_printf(b, "%s, %s:%u", zone->name, zone->file, zone->line);
    else
        buf_char(b, '?');
}

static void put_image(const struct ttdev_image *image, struct buf *b)
{
    size_t symbol = 0, site = 0;
    buf_printf(b, "%s: %u bytes of code at 0x%x\n", image->name, image->code_bytes,
               image->base);
    for (uint32_t at = 0; at + 4 <= image->code_bytes; at += 4) {
        uint32_t pc = image->base + at, word;
        char text[96];
        while (symbol < image->symbols.n && image->symbols.v[symbol].address < pc)
            symbol++;
        if (symbol < image->symbols.n && image->symbols.v[symbol].address == pc)
            buf_printf(b, "\n%08x <%s>:\n", pc, image->symbols.v[symbol].name);
        memcpy(&word, image->memory + at, sizeof word);
        rv_disasm(word, pc, text, sizeof text);
        bool is_marker = site < image->sites.n && image->sites.v[site].offset == at;
        buf_printf(b, is_marker ? "%8x:  %08x  %-24s" : "%8x:  %08x  %s", pc, word, text);
        if (is_marker)
            put_zone(image, &image->sites.v[site++], word, b);
        buf_char(b, '\n');
    }
}

static int run_disasm(const void *values, struct words words, struct err *e)
{
    const struct disasm_values *v = values;
    const char *name = words.v[0];
    struct file file = {0};
    struct buf b = {0};
    str elf = {NULL, 0};
    bool is_file = str_ends(str_of(name), S(".elf"));
    if (is_file ? !file_open(name, &file, e) : !find_image(v, name, &elf, e))
        return err_exit_code(e->code);
    if (is_file)
        elf = file.text;
    int arch = strcmp(v->arch, arch_names[TT_BLACKHOLE]) == 0;
    struct ttdev_image *image = image_load(name, elf.p, elf.n, arch, e);
    struct zone_table zones = {0}; // as on a device with nothing else loaded
    if (image) {
        image_give_ids(image, &zones);
        put_image(image, &b);
        if (image->zone_trouble)
            log_line("sim disasm: image '%s': zones have no names: %s", name,
                     image->zone_trouble);
    }
    image_free(image);
    zones_free(&zones);
    if (is_file)
        file_close(&file);
    return e->code == ERR_NONE ? command_print(&b, e) : err_exit_code(e->code);
}

static const struct option disasm_options[] = {
    // clang-format off
    {.name = "arch", .kind = OPTION_CHOICE, .at = offsetof(struct disasm_values, arch), .choices = "wormhole blackhole", .group = "Options",
     .help = "the chip (default wormhole)"},
    {.name = "risc", .kind = OPTION_TEXT, .at = offsetof(struct disasm_values, risc), .arg = "RISC",
     .help = "brisc, ncrisc, trisc0, trisc1, trisc2 or erisc (default: the first that has it)"},
    {.name = "variant", .kind = OPTION_CHOICE, .at = offsetof(struct disasm_values, variant), .choices = "off prof full",
     .help = "no markers, markers, or also NoC events (default prof)"},
    // clang-format on
};
static const struct example disasm_examples[] = {
    {"ttprof sim disasm loopback/copy", "a built-in kernel"},
    {"ttprof sim disasm firmware --risc ncrisc", "firmware"},
};
static const struct disasm_values disasm_defaults = {.arch = "wormhole", .variant = "prof"};

const struct command cmd_sim_disasm = {
    .name = "sim disasm",
    .args = "IMAGE|FILE.elf",
    .what = "disassemble a kernel or firmware image",
    .options = disasm_options,
    .n_options = sizeof disasm_options / sizeof *disasm_options,
    .examples = disasm_examples,
    .n_examples = sizeof disasm_examples / sizeof *disasm_examples,
    .least_words = 1,
    .most_words = 1,
    .reads_input = true,
    .run = run_disasm,
    .defaults = &disasm_defaults,
    .values_size = sizeof disasm_defaults,
};
