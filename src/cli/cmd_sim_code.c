// cmd_sim_code.c - machine code: `ttprof sim disasm` and `ttprof sim trace`.

#include "base/file/file.h"
#include "base/text/log.h"
#include "base/text/num.h"

#include "cli/cmd_sim.h"
#include "sim/program/image.h"
#include "sim/rv32/rv32.h"

static const char *const arch_names[] = {"wormhole", "blackhole"};
static const char *const risc_names[] = {"brisc",  "ncrisc", "trisc0",
                                         "trisc1", "trisc2", "erisc"};

// --- disasm ---

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

// --- trace ---

struct trace_values {
    struct sim_device device;
    const char *core, *risc;
    int64_t on_device, from, to, most;
};

struct steps {
    struct buf b;
    uint64_t left;
    uint32_t kernel; // skip until an instruction at or above this; 0: reached
};

static void put_step(void *context, const ttdev_step *s)
{
    struct steps *to = context;
    char text[96];
    if (!to->left || (to->kernel && s->pc < to->kernel))
        return;
    to->kernel = 0;
    to->left--;
    rv_disasm(s->word, s->pc, text, sizeof text);
    buf_printf(&to->b, "%12llu  %08x  %-28s  %s+0x%x\n", (unsigned long long)s->cycle,
               s->pc, text, s->symbol[0] ? s->symbol : "?", s->offset);
}

static bool read_core(const char *text, ttdev_xy *at, struct err *e)
{
    str y = str_of(text);
    str x = str_cut(&y, ',');
    int64_t vx, vy;
    if (num_int(x, &vx) && num_int(y, &vy) && vx >= 0 && vx < 64 && vy >= 0 && vy < 64) {
        *at = (ttdev_xy){(int)vx, (int)vy};
        return true;
    }
    return err_set(e, ERR_USAGE, "--core: '%s' is not a core such as 0,0", text);
}

// First address of the RISC's kernel, where its trace starts.
static uint32_t kernel_base(int arch, int risc)
{
    const struct tt_layout *l = &tt_layouts[arch];
    const uint32_t base[] = {l->kernel_brisc,  l->kernel_ncrisc, l->kernel_trisc0,
                             l->kernel_trisc1, l->kernel_trisc2, l->eth_kernel};
    return base[risc];
}

static int run_trace(const void *values, struct words words, struct err *e)
{
    const struct trace_values *v = values;
    const struct workload *w = sim_workload(words.v[0], e);
    ttdev_cfg cfg;
    ttdev_core core = {.space = TTDEV_LOGICAL};
    int risc;
    struct run r = {.timeout_ns = 200000000};
    for (int i = 0; i < SETTINGS; i++)
        r.setting[i] = INT64_MIN;
    if (!w || !sim_config(&v->device, &cfg, e) || !read_core(v->core, &core.at, e) ||
        !sim_risc(v->risc, &risc, e) || !sim_settings(w, r.setting, e))
        return 2;
    if (v->from < 0 || v->to < 0 || v->most < 0) {
        (void)err_set(e, ERR_USAGE, "cycles and counts must not be negative");
        return 2;
    }
    if (w->configure)
        w->configure(&cfg);
    run_open(&r, w, &cfg);
    struct steps steps = {.left = (uint64_t)v->most,
                          .kernel = v->from ? 0 : kernel_base(cfg.arch, risc)};
    if (risc == TTDEV_ERISC) {
        core.space = TTDEV_NOC0;
        int channel = core.at.x;
        if (!r.has_failed && ttdev_eth_tile(r.t, (int)v->on_device, channel, &core.at) < 0)
            run_fail(&r, "device %d has no Ethernet channel %d", (int)v->on_device,
                     channel);
    }
    if (!r.has_failed &&
        ttdev_trace_risc(r.t, (int)v->on_device, core, risc, (uint64_t)v->from,
                         (uint64_t)v->to, put_step, &steps) < 0)
        run_fail(&r, "%s", ttdev_error(r.t));
    if (!r.has_failed)
        w->run(&r);
    int code = command_print(&steps.b, e);
    sim_tell_failures("sim trace", &r);
    code = r.n_failures && !code ? 1 : code;
    run_close(&r);
    return code;
}

static const struct option trace_options[] = {
    // clang-format off
    {.name = "core", .kind = OPTION_TEXT, .at = offsetof(struct trace_values, core), .arg = "X,Y", .group = "Options",
     .help = "logical core; for an ERISC, channel,0 (default 0,0)"},
    {.name = "risc", .kind = OPTION_TEXT, .at = offsetof(struct trace_values, risc), .arg = "RISC",
     .help = "brisc, ncrisc, trisc0, trisc1, trisc2 or erisc (default brisc)"},
    {.name = "chip", .kind = OPTION_INT, .at = offsetof(struct trace_values, on_device), .arg = "N",
     .help = "device number (default 0)"},
    {.name = "from", .kind = OPTION_INT, .at = offsetof(struct trace_values, from), .arg = "CYCLE",
     .help = "first cycle of the wall clock (default: start of the first kernel)"},
    {.name = "to", .kind = OPTION_INT, .at = offsetof(struct trace_values, to), .arg = "CYCLE",
     .help = "stop before this cycle (default: the end)"},
    {.name = "most", .kind = OPTION_INT, .at = offsetof(struct trace_values, most), .arg = "N",
     .help = "maximum number of instructions (default 1000)"},
    SIM_DEVICE_OPTIONS(struct trace_values),
    // clang-format on
};
static const struct example trace_examples[] = {
    {"ttprof sim trace loopback --most 20", "the first instructions of the kernel"},
    {"ttprof sim trace eltwise_add --core 1,2 --risc trisc1 --from 445558000 --to 445558100",
     "100 cycles of one RISC"},
};
static const struct trace_values trace_defaults = {
    .core = "0,0", .risc = "brisc", .to = INT64_MAX, .most = 1000};

const struct command cmd_sim_trace = {
    .name = "sim trace",
    .args = "NAME",
    .what = "show the instructions that a RISC executes in a workload",
    .about =
        "Each line has the cycle of the wall clock, address, instruction, function and offset.",
    .options = trace_options,
    .n_options = sizeof trace_options / sizeof *trace_options,
    .examples = trace_examples,
    .n_examples = sizeof trace_examples / sizeof *trace_examples,
    .least_words = 1,
    .most_words = 1,
    .reads_input = true,
    .run = run_trace,
    .defaults = &trace_defaults,
    .values_size = sizeof trace_defaults,
};
