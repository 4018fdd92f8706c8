// program.c - a program as described by the host: kernels, arguments, circular buffers and
// semaphores by core range. Nothing here touches a chip.
#include "sim/program/program.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "sim/report/report.h"

int cluster_error(struct ttdev *t, int code, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    (void)err_setv(&t->error, ERR_FAILED, fmt, args);
    va_end(args);
    return code;
}

ttdev_program *ttdev_program_new(ttdev *t, const char *name)
{
    struct ttdev_program *p = mem_alloc(sizeof *p);
    p->cluster = t;
    p->name = arena_str(&p->arena, str_of(name)).p;
    p->l1_end = tt_layouts[t->cfg.arch].buffers;
    p->sub_device = p->manager = -1;
    return p;
}

const char *ttdev_program_name(const ttdev_program *p)
{
    return p->name;
}

void ttdev_program_free(ttdev_program *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->kernels.n; i++)
        vec_free(&p->kernels.v[i].args);
    vec_free(&p->kernels);
    vec_free(&p->cbs);
    vec_free(&p->sems);
    arena_free(&p->arena);
    arena_free(&p->words);
    mem_free(p);
}

static struct program_args args_copy(struct ttdev_program *p, struct program_args args)
{
    uint32_t *words = push_many(&p->words, uint32_t, args.n);
    if (args.n)
        memcpy(words, args.words, args.n * sizeof *words);
    args.words = words;
    return args;
}

struct ttdev_program *program_copy(const struct ttdev_program *p)
{
    struct ttdev_program *copy = ttdev_program_new(p->cluster, p->name);
    copy->l1_end = p->l1_end;
    copy->sub_device = p->sub_device;
    copy->manager = p->manager;
    for (size_t i = 0; i < p->kernels.n; i++) {
        const struct program_kernel *from = &p->kernels.v[i];
        struct program_kernel kernel = {.cores = from->cores,
                                        .risc = from->risc,
                                        .noc = from->noc,
                                        .image = from->image,
                                        .common = args_copy(copy, from->common)};
        for (size_t j = 0; j < from->args.n; j++)
            vec_push(&kernel.args, args_copy(copy, from->args.v[j]));
        vec_push(&copy->kernels, kernel);
    }
    for (size_t i = 0; i < p->cbs.n; i++)
        vec_push(&copy->cbs, p->cbs.v[i]);
    for (size_t i = 0; i < p->sems.n; i++)
        vec_push(&copy->sems, p->sems.v[i]);
    return copy;
}

// --- checks ----------------------------------------------------------------------------
static int range_check(const struct ttdev_program *p, ttdev_range r, const char *of)
{
    if (r.from.x >= 0 && r.from.y >= 0 && r.from.x <= r.to.x && r.from.y <= r.to.y)
        return 0;
    return cluster_error(p->cluster, -EINVAL,
                         "program '%s': %s: %d,%d to %d,%d is not a range of cores",
                         p->name, of, r.from.x, r.from.y, r.to.x, r.to.y);
}

// Whether two ranges overlap, and where first.
static bool range_meet(ttdev_range a, ttdev_range b, ttdev_xy *at)
{
    at->x = a.from.x > b.from.x ? a.from.x : b.from.x;
    at->y = a.from.y > b.from.y ? a.from.y : b.from.y;
    return range_has(a, *at) && range_has(b, *at);
}

static int image_check(const struct ttdev_program *p, const struct ttdev_image *image,
                       int risc)
{
    static const char *const variants[] = {"off", "prof", "full"};
    struct ttdev *t = p->cluster;
    if (image->arch != t->cfg.arch)
        return cluster_error(t, -EINVAL, "image '%s' is built for %s, but the device is %s",
                             image->name, arch_of_device(image->arch)->device_name,
                             arch_of_device(t->cfg.arch)->device_name);
    if (image->is_firmware)
        return cluster_error(t, -EINVAL, "image '%s' is firmware, not a kernel",
                             image->name);
    if (image->risc != risc)
        return cluster_error(t, -EINVAL, "image '%s' is built for %s, not for %s",
                             image->name, risc_number_name(image->risc),
                             risc_number_name(risc));
    if (image->variant != t->cfg.variant)
        return cluster_error(
            t, -EINVAL,
            "image '%s' is of variant '%s', but the device runs '%s'; build it with --variant %s, or open the device with variant=%s",
            image->name, variants[image->variant], variants[t->cfg.variant],
            variants[t->cfg.variant], variants[image->variant]);
    return 0;
}

// One kernel per RISC; BRISC and NCRISC of a core use different NoCs, because the firmware
// gives each of them exclusive use of one.
static int kernel_check(const struct ttdev_program *p, ttdev_range cores, int risc, int noc)
{
    bool moves_data = risc == TT_BRISC || risc == TT_NCRISC;
    for (size_t i = 0; i < p->kernels.n; i++) {
        const struct program_kernel *other = &p->kernels.v[i];
        ttdev_xy at;
        if (!range_meet(cores, other->cores, &at))
            continue;
        if (other->risc == risc)
            return cluster_error(p->cluster, -EEXIST,
                                 "program '%s': core %d,%d already has a kernel for %s",
                                 p->name, at.x, at.y, risc_number_name(risc));
        if (moves_data && other->risc == (risc ^ TT_NCRISC) && other->noc == noc)
            return cluster_error(
                p->cluster, -EINVAL,
                "program '%s': BRISC and NCRISC of core %d,%d would both use NoC %d",
                p->name, at.x, at.y, noc);
    }
    return 0;
}

// --- building --------------------------------------------------------------------------
int ttdev_program_kernel(ttdev_program *p, ttdev_range cores, int risc, ttdev_image *image,
                         int noc)
{
    if (risc < 0 || risc > TTDEV_ERISC || noc < 0 || noc > 1)
        return cluster_error(p->cluster, -EINVAL, "program '%s': no RISC %d on NoC %d",
                             p->name, risc, noc);
    int code = range_check(p, cores, risc_number_name(risc));
    if (!code)
        code = image_check(p, image, risc);
    if (!code)
        code = kernel_check(p, cores, risc, noc);
    if (code)
        return code;
    struct program_kernel kernel = {
        .cores = cores, .risc = risc, .noc = noc, .image = image, .common.cores = cores};
    vec_push(&p->kernels, kernel);
    return (int)p->kernels.n - 1;
}

static int args_check(const ttdev_program *p, int kernel, size_t n)
{
    if (kernel < 0 || (size_t)kernel >= p->kernels.n)
        return cluster_error(p->cluster, -EINVAL, "program '%s': no kernel %d", p->name,
                             kernel);
    if (n > PROGRAM_ARGS)
        return cluster_error(p->cluster, -E2BIG,
                             "program '%s': %zu arguments for '%s', at most %d fit",
                             p->name, n, p->kernels.v[kernel].image->name, PROGRAM_ARGS);
    return 0;
}

int ttdev_program_args(ttdev_program *p, int kernel, ttdev_range cores,
                       const uint32_t *args, size_t n)
{
    int code = args_check(p, kernel, n);
    if (!code)
        code = range_check(p, cores, "arguments");
    if (code)
        return code;
    struct program_args set = {.cores = cores, .words = args, .n = (uint32_t)n};
    vec_push(&p->kernels.v[kernel].args, args_copy(p, set));
    return 0;
}

void ttdev_program_clear_args(ttdev_program *p)
{
    for (size_t i = 0; i < p->kernels.n; i++) {
        p->kernels.v[i].args.n = 0;
        p->kernels.v[i].common = (struct program_args){.cores = p->kernels.v[i].cores};
    }
    arena_free(&p->words);
}

int ttdev_program_common_args(ttdev_program *p, int kernel, const uint32_t *args, size_t n)
{
    int code = args_check(p, kernel, n);
    if (code)
        return code;
    struct program_kernel *k = &p->kernels.v[kernel];
    k->common = args_copy(
        p, (struct program_args){.cores = k->cores, .words = args, .n = (uint32_t)n});
    return 0;
}

static int cb_check(const ttdev_program *p, ttdev_range cores, int cb, uint32_t pages,
                    uint32_t page_bytes)
{
    struct ttdev *t = p->cluster;
    int n_cbs = (int)tt_layouts[t->cfg.arch].n_circular_buffers;
    if (cb < 0 || cb >= n_cbs)
        return cluster_error(t, -EINVAL, "program '%s': no CB %d (0 to %d)", p->name, cb,
                             n_cbs - 1);
    // Compute RISCs count in units of 16 bytes; page counts are compared as 16 bits.
    if (!pages || pages > UINT16_MAX || !page_bytes || page_bytes % 16)
        return cluster_error(
            t, -EINVAL,
            "program '%s': CB %d: %u pages of %u bytes; use 1 to 65535 pages of a multiple of 16 bytes",
            p->name, cb, pages, page_bytes);
    for (size_t i = 0; i < p->cbs.n; i++) {
        ttdev_xy at;
        if (p->cbs.v[i].cb == (uint32_t)cb && range_meet(p->cbs.v[i].cores, cores, &at))
            return cluster_error(t, -EEXIST, "program '%s': core %d,%d already has CB %d",
                                 p->name, at.x, at.y, cb);
    }
    return range_check(p, cores, "circular buffer");
}

int ttdev_program_cb(ttdev_program *p, ttdev_range cores, int cb, uint32_t pages,
                     uint32_t page_bytes, uint32_t *address)
{
    const struct tt_layout *layout = &tt_layouts[p->cluster->cfg.arch];
    int code = cb_check(p, cores, cb, pages, page_bytes);
    if (code)
        return code;
    // Data comes from DRAM, which has the coarser alignment.
    uint64_t align = layout->dram_align;
    uint64_t start = (p->l1_end + align - 1) / align * align;
    uint64_t end = start + (uint64_t)pages * page_bytes;
    if (end > layout->l1_bytes)
        return cluster_error(
            p->cluster, -ENOMEM,
            "program '%s': CB %d needs %llu bytes of L1, but only %llu are left", p->name,
            cb, (unsigned long long)pages * page_bytes,
            (unsigned long long)(layout->l1_bytes - start));
    struct program_cb buffer = {.cores = cores,
                                .cb = (uint32_t)cb,
                                .address = (uint32_t)start,
                                .pages = pages,
                                .page_bytes = page_bytes};
    vec_push(&p->cbs, buffer);
    p->l1_end = (uint32_t)end;
    if (address)
        *address = buffer.address;
    return 0;
}

void ttdev_program_sub_device(ttdev_program *p, int sub_device, int manager)
{
    p->sub_device = sub_device;
    p->manager = manager;
}

uint32_t ttdev_program_l1_end(const ttdev_program *p)
{
    return p->l1_end;
}

int ttdev_program_sem(ttdev_program *p, ttdev_range cores, uint32_t initial)
{
    int code = range_check(p, cores, "semaphore");
    if (code)
        return code;
    if (p->sems.n == TT_SEMAPHORES)
        return cluster_error(p->cluster, -ENOSPC,
                             "program '%s': all %d semaphores are in use", p->name,
                             TT_SEMAPHORES);
    vec_push(&p->sems, (struct program_sem){.cores = cores, .initial = initial});
    return (int)p->sems.n - 1;
}
