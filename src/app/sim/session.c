// session.c - runs user kernels on the software device, with the command line in place of a
// host program.
#include "app/sim/session.h"

#include <limits.h>
#include <stdio.h>

#include "base/text/num.h"

#include "app/kernel/kernel.h"
#include "runtime/runtime.h"
#include "sim/program/image.h"
#include "sim/report/report.h"
#include "ttprof/host.h"

enum { MOST_ARGS = 256 };

static bool fail(struct session *s, const char *option)
{
    return err_set(s->e, ERR_USAGE, "--%s: %s", option, ttdev_error(s->t));
}

static bool has_workers(const struct session *s)
{
    for (int risc = 0; risc < TT_RISCS; risc++)
        if (s->kernels[risc].image)
            return true;
    return false;
}

// --- options ---------------------------------------------------------------------------
static bool parse_cores(struct session *s)
{
    str to = str_of(s->v->cores), from = str_cut(&to, '-');
    ttdev_range *r = &s->cores;
    if (memory_core(from, &r->from) && memory_core(to.n ? to : from, &r->to) &&
        r->from.x <= r->to.x && r->from.y <= r->to.y)
        return true;
    return err_set(
        s->e, ERR_USAGE,
        "--cores: '%s' is neither a core such as 0,0 nor a range such as 0,0-3,1",
        s->v->cores);
}

static bool parse_options(struct session *s)
{
    const struct kernel_options *v = s->v;
    if (!parse_cores(s))
        return false;
    if (!(v->timeout_ms > 0 && v->timeout_ms <= 1e9))
        return err_set(s->e, ERR_USAGE, "--timeout must be between 0 and 1e9 ms, got %g",
                       v->timeout_ms);
    if (v->noc < -1 || v->noc > 1)
        return err_set(s->e, ERR_USAGE, "--noc must be 0 or 1, got %lld",
                       (long long)v->noc);
    for (size_t i = 0; i < v->writes.n; i++)
        if (!memory_to_write(v->writes.v[i], &s->writes[i], s->e))
            return false;
    for (size_t i = 0; i < v->reads.n; i++)
        if (!memory_to_read(v->reads.v[i], &s->reads[i], s->e))
            return false;
    return true;
}

// "1,0x20,-3"
static bool parse_words(str text, uint32_t *out, size_t *n)
{
    for (*n = 0; text.n; ++*n) {
        str one = str_cut(&text, ',');
        int64_t v = 0;
        uint64_t u = 0;
        bool is_negative = num_int(one, &v) && v < 0 && v >= INT32_MIN;
        if (*n == MOST_ARGS ||
            (!is_negative && (!memory_number(one, &u) || u > UINT32_MAX)))
            return false;
        out[*n] = is_negative ? (uint32_t)v : (uint32_t)u;
    }
    return true;
}

// "brisc" is one kernel, "compute" those of its RISCs that there are.
static bool parse_riscs(struct session *s, const char *option, str name, unsigned *riscs)
{
    char one[16] = "";
    int risc = 0;
    *riscs = kernel_riscs(name);
    (void)snprintf(one, sizeof one, "%.*s", STR(name));
    if (!*riscs && sim_risc(one, &risc, s->e))
        *riscs = 1u << risc;
    if (!*riscs)
        return err_set(
            s->e, ERR_USAGE,
            "--%s: '%.*s' is not a RISC; use one of: brisc ncrisc trisc0 trisc1 trisc2 erisc dm compute all",
            option, STR(name));
    for (risc = 0; risc < KERNELS; risc++)
        if (*riscs >> risc & 1 && s->kernels[risc].image)
            return true;
    return err_set(s->e, ERR_USAGE, "--%s: no kernel for %.*s", option, STR(name));
}

// "1,2" for all kernels, "brisc:1,2" for one.
static bool give_args(struct session *s, const char *option, const char *text,
                      bool is_common)
{
    uint32_t words[MOST_ARGS];
    size_t n;
    unsigned riscs = UINT_MAX;
    const char *colon = strchr(text, ':');
    if (colon && !parse_riscs(s, option, (str){text, (size_t)(colon - text)}, &riscs))
        return false;
    if (!parse_words(str_of(colon ? colon + 1 : text), words, &n))
        return err_set(s->e, ERR_USAGE,
                       "--%s: '%s' is not a list of up to %d 32-bit numbers such as 1,0x20",
                       option, text, MOST_ARGS);
    for (int risc = 0; risc < KERNELS; risc++) {
        const struct kernel *k = &s->kernels[risc];
        ttdev_range where = risc == TTDEV_ERISC ? s->channel : s->cores;
        if (!k->image || !(riscs >> risc & 1))
            continue;
        if (is_common ? ttdev_program_common_args(s->program, k->number, words, n)
                      : ttdev_program_args(s->program, k->number, where, words, n))
            return fail(s, option);
    }
    return true;
}

// "0:4x2048"
static bool give_buffer(struct session *s, const char *text)
{
    uint64_t cb, pages, bytes;
    str rest = str_of(text);
    str number = str_cut(&rest, ':'), count = str_cut(&rest, 'x');
    if (!memory_number(number, &cb) || !memory_number(count, &pages) ||
        !memory_number(rest, &bytes) || (cb | pages | bytes) > INT32_MAX)
        return err_set(s->e, ERR_USAGE,
                       "--cb: '%s' is not a circular buffer such as 0:4x2048", text);
    if (ttdev_program_cb(s->program, s->cores, (int)cb, (uint32_t)pages, (uint32_t)bytes,
                         NULL))
        return fail(s, "cb");
    return true;
}

static bool give_semaphore(struct session *s, const char *text)
{
    uint64_t value;
    if (!memory_number(str_of(text), &value) || value > UINT32_MAX)
        return err_set(s->e, ERR_USAGE, "--sem: '%s' is not a 32-bit number", text);
    return ttdev_program_sem(s->program, s->cores, (uint32_t)value) >= 0 || fail(s, "sem");
}

// --- files and the device --------------------------------------------------------------
// Chip and variant come from the first image unless --device sets them; loading then
// rejects images that do not fit.
static bool open_files(struct session *s)
{
    static const char *const arches[] = {"wormhole", "blackhole"};
    static const char *const variants[] = {"off", "prof", "full"};
    int arch = -1, variant = 0;
    s->open = mem_alloc(mem_bytes(sizeof *s->open, s->files.n));
    for (size_t i = 0; i < s->files.n; i++) {
        const char *path = s->files.v[i];
        struct file *f = &s->open[i];
        if (kernel_is_source(path))
            continue;
        if (!file_open(path, f, s->e))
            return false;
        if (f->damage)
            return err_set(s->e, ERR_FORMAT, "%s: %s", path, f->damage);
        if (arch < 0)
            (void)image_identity(f->text.p, f->text.n, &arch, &variant);
    }
    const struct sim_device *device = &s->v->device;
    if (!sim_config(device, &s->cfg, s->e) || arch < 0)
        return s->e->code == ERR_NONE;
    struct sim_device fitting = *device;
    struct buf text = {0};
    struct err unfit = {0};
    ttdev_cfg cfg;
    buf_printf(&text, "arch=%s variant=%s %s%c", arches[arch], variants[variant],
               device->text ? device->text : "", '\0');
    fitting.text = text.p;
    if (sim_config(&fitting, &cfg, &unfit))
        s->cfg = cfg;
    buf_free(&text);
    return true;
}

static bool open_device(struct session *s)
{
    TTPROF_ZONE("CreateDevice");
    if (ttdev_open(&s->cfg, &s->t, s->e))
        return err_in(s->e, "the device does not open");
    rt_clock_start(s->t);
    return ttdev_get_info(s->t, 0, &s->info) == 0;
}

static bool load_image(struct session *s, const char *file, str elf)
{
    ttdev_image *image;
    if (ttdev_elf_load(s->t, file, elf.p, elf.n, &image, s->e))
        return false;
    struct kernel *k = &s->kernels[image->risc];
    if (k->image)
        return err_set(s->e, ERR_USAGE, "%s and %s are both for %s; a RISC runs one kernel",
                       k->file, file, risc_number_name(image->risc));
    *k = (struct kernel){.file = file, .image = image};
    return true;
}

static bool take_compiled(void *context, const struct kernel_image *made, struct err *e)
{
    (void)e; // the session's
    struct session *s = context;
    return load_image(s, s->file, made->elf);
}

static bool load_files(struct session *s)
{
    for (size_t i = 0; i < s->files.n; i++) {
        s->file = s->files.v[i];
        struct kernel_source source = {.path = s->file,
                                       .prelude = s->v->prelude,
                                       .defines = &s->v->defines,
                                       .arch = s->cfg.arch,
                                       .variant = s->cfg.variant};
        bool is_good = kernel_is_source(s->file)
                           ? kernel_compile(&source, take_compiled, s, s->e)
                           : load_image(s, s->file, s->open[i].text);
        if (!is_good)
            return false;
    }
    return true;
}

// --- the program -----------------------------------------------------------------------
// The Ethernet tile: the channel asked for, or the first one with a link.
static bool choose_channel(struct session *s)
{
    int channel = (int)s->v->channel, dev, peer;
    for (int i = 0; channel < 0 && i < 16; i++)
        if (ttdev_eth_peer(s->t, 0, i, &dev, &peer) == 0)
            channel = i;
    if (channel < 0)
        return err_set(
            s->e, ERR_USAGE,
            "%s is for an Ethernet tile, but this device has no links; try --device board=n300",
            s->kernels[TTDEV_ERISC].file);
    if (ttdev_eth_tile(s->t, 0, channel, &s->eth))
        return fail(s, "channel");
    s->channel = (ttdev_range){{channel, 0}, {channel, 0}};
    if (!has_workers(s))
        vec_push(&s->tiles, (ttdev_core){TTDEV_NOC0, s->eth});
    return true;
}

static bool add_kernels(struct session *s)
{
    bool has_both = s->kernels[TT_BRISC].image && s->kernels[TT_NCRISC].image;
    for (int risc = 0; risc < KERNELS; risc++) {
        struct kernel *k = &s->kernels[risc];
        if (!k->image)
            continue;
        bool is_second = risc == TT_NCRISC && (has_both || s->v->noc < 0);
        int noc = s->v->noc > 0 ? !is_second : is_second;
        ttdev_range where = risc == TTDEV_ERISC ? s->channel : s->cores;
        k->number = ttdev_program_kernel(s->program, where, risc, k->image, noc);
        if (k->number < 0)
            return err_set(s->e, ERR_FORMAT, "%s", ttdev_error(s->t));
    }
    return true;
}

static bool make_program(struct session *s)
{
    const struct kernel_options *v = s->v;
    if (has_workers(s)) {
        for (int y = s->cores.from.y; y <= s->cores.to.y; y++)
            for (int x = s->cores.from.x; x <= s->cores.to.x; x++)
                vec_push(&s->tiles, (ttdev_core){TTDEV_LOGICAL, {x, y}});
    }
    if (s->kernels[TTDEV_ERISC].image && !choose_channel(s))
        return false;
    s->program = ttdev_program_new(s->t, "sim kernel");
    if (!add_kernels(s))
        return false;
    bool is_good = true;
    for (size_t i = 0; i < v->args.n && is_good; i++)
        is_good = give_args(s, "args", v->args.v[i], false);
    for (size_t i = 0; i < v->common.n && is_good; i++)
        is_good = give_args(s, "common", v->common.v[i], true);
    for (size_t i = 0; i < v->cbs.n && is_good; i++)
        is_good = give_buffer(s, v->cbs.v[i]);
    for (size_t i = 0; i < v->semaphores.n && is_good; i++)
        is_good = give_semaphore(s, v->semaphores.v[i]);
    return is_good;
}

bool session_open(struct session *s)
{
    return parse_options(s) && open_files(s) &&
           profiled_prepare(&s->profiled, "sim kernel", &s->v->profile, &s->cfg, s->e) &&
           open_device(s) && load_files(s) && make_program(s);
}

void session_close(struct session *s)
{
    for (size_t i = 0; s->open && i < s->files.n; i++)
        if (s->open[i].owned)
            file_close(&s->open[i]);
    mem_free(s->open);
    for (size_t i = 0; i < s->v->reads.n; i++)
        buf_free(&s->read[i]);
    vec_free(&s->tiles);
    vec_free(&s->begun);
    ttdev_program_free(s->program);
    rt_clock_stop(s->t);
    ttdev_close(s->t);
}
