// op.c - runs an op: gets its program from the cache or makes it, enqueues it on every
// chip, and records it.
#include <math.h>
#include <stdio.h>

#include "base/text/num.h"

#include "runtime/parts.h"
#include "ttprof/host.h"

// --- attributes ------------------------------------------------------------------------
struct rt_attribute rt_attribute_text(ttrt *m, const char *name, const char *value)
{
    return (struct rt_attribute){name, arena_str(&m->op, str_of(value)).p};
}

struct rt_attribute rt_attribute_number(ttrt *m, const char *name, double value)
{
    struct buf b = {0};
    if (floor(value) == value && fabs(value) < 1e15)
        num_put_int(&b, (int64_t)value);
    else
        num_put_real(&b, value);
    buf_char(&b, '\0');
    struct rt_attribute attribute = rt_attribute_text(m, name, b.p);
    buf_free(&b);
    return attribute;
}

// --- programs --------------------------------------------------------------------------
static int reuse_kernel(struct rt_program *p)
{
    if (p->next_kernel < p->n_kernels)
        return (int)p->next_kernel++;
    rt_fail(p->m, "%s: its program has only %zu kernels", p->op->code, p->n_kernels);
    return -1;
}

static ttdev_image *image_of(struct rt_program *p, const char *name, int risc)
{
    struct err e = {0};
    ttdev_image *image = NULL;
    if (ttdev_image_find(p->m->t, name, risc, &image, &e) < 0)
        rt_fail(p->m, "%s: kernel %s: %s", p->op->code, name, e.text);
    return image;
}

// The kernel on `n_riscs` RISCs from `risc` on.
static int make_kernel(struct rt_program *p, ttdev_range cores, int risc, int n_riscs,
                       const char *name, int noc)
{
    if (p->m->code)
        return -1;
    if (!p->is_new)
        return reuse_kernel(p);
    if (p->n_kernels == RT_MOST_KERNELS) {
        rt_fail(p->m, "%s: a program has at most %d kernels", p->op->code, RT_MOST_KERNELS);
        return -1;
    }
    struct rt_made_kernel kernel = {.n_riscs = n_riscs};
    for (int i = 0; i < n_riscs; i++) {
        ttdev_image *image = image_of(p, name, risc + i);
        int number = image ? ttdev_program_kernel(p->p, cores, risc + i, image, noc) : -1;
        if (!image || !rt_checked(p->m, number, name))
            return -1;
        kernel.number = i ? kernel.number : number;
    }
    p->kernel[p->n_kernels] = kernel;
    return (int)p->n_kernels++;
}

int rt_make_kernel(struct rt_program *p, ttdev_range cores, int risc, const char *image,
                   int noc)
{
    return make_kernel(p, cores, risc, 1, image, noc);
}

int rt_make_compute(struct rt_program *p, ttdev_range cores, const char *image)
{
    return make_kernel(p, cores, TT_TRISC0, 3, image, 0);
}

static bool has_kernel(struct rt_program *p, int kernel)
{
    if (p->m->code)
        return false;
    if (kernel < 0 || (size_t)kernel >= p->n_kernels)
        rt_fail(p->m, "%s: no kernel %d", p->op->code, kernel);
    return !p->m->code;
}

void rt_set_common(struct rt_program *p, int kernel, const uint32_t *args, size_t n)
{
    if (!has_kernel(p, kernel))
        return;
    for (int i = 0; i < p->kernel[kernel].n_riscs; i++)
        (void)rt_checked(
            p->m, ttdev_program_common_args(p->p, p->kernel[kernel].number + i, args, n),
            p->op->code);
}

void rt_set_args(struct rt_program *p, int kernel, ttdev_range cores, const uint32_t *args,
                 size_t n)
{
    if (!has_kernel(p, kernel))
        return;
    for (int i = 0; i < p->kernel[kernel].n_riscs; i++)
        (void)rt_checked(
            p->m, ttdev_program_args(p->p, p->kernel[kernel].number + i, cores, args, n),
            p->op->code);
}

void rt_make_cb(struct rt_program *p, ttdev_range cores, int cb, uint32_t pages,
                uint32_t page_bytes)
{
    if (p->is_new && !p->m->code)
        (void)rt_checked(p->m, ttdev_program_cb(p->p, cores, cb, pages, page_bytes, NULL),
                         p->op->code);
}

uint32_t rt_make_semaphore(struct rt_program *p, ttdev_range cores)
{
    if (p->m->code)
        return 0;
    if (!p->is_new && p->next_semaphore < p->n_semaphores)
        return p->semaphore[p->next_semaphore++];
    if (!p->is_new || p->n_semaphores == RT_MOST_SEMAPHORES) {
        rt_fail(p->m, "%s: its program has only %zu semaphores", p->op->code,
                p->n_semaphores);
        return 0;
    }
    int number = ttdev_program_sem(p->p, cores, 0);
    if (!rt_checked(p->m, number, p->op->code))
        return 0;
    return p->semaphore[p->n_semaphores++] = (uint32_t)number;
}

// --- one chip --------------------------------------------------------------------------
// Stands for compiling: finds and loads the images.
static void load_images(struct rt_program *p)
{
    RT_CALL(zone, "CompileProgram");
    TTPROF_TEXT(zone, p->op->code, strlen(p->op->code));
    for (size_t i = 0; i < p->op->n_kernels && !p->m->code; i++) {
        const struct rt_kernel *kernel = &p->op->kernels[i];
        for (int r = 0; r < (kernel->is_compute ? 3 : 1); r++)
            (void)image_of(p, kernel->image, kernel->risc + r);
    }
}

static void create_program(struct rt_program *p)
{
    ttrt *m = p->m;
    load_images(p);
    RT_CALL(zone, "CreateProgram");
    TTPROF_TEXT(zone, p->op->code, strlen(p->op->code));
    p->p = ttdev_program_new(m->t, p->op->code);
    ttdev_program_sub_device(p->p, m->sub_device, m->manager);
    p->op->program(p);
}

static void set_arguments(struct rt_program *p)
{
    RT_CALL(zone, "HWCommandQueue_write_buffer");
    p->next_kernel = p->next_semaphore = 0;
    ttdev_program_clear_args(p->p);
    p->op->program(p);
}

// Circular buffers grow up from the bottom of L1, tensors down from the top.
static void check_l1(const struct rt_program *p)
{
    const struct rt_memory *l1 = &p->m->l1;
    uint32_t end = ttdev_program_l1_end(p->p);
    if (!p->m->code && l1->taken.n && end > l1->taken.v[0].from)
        rt_fail(
            p->m,
            "%s: its circular buffers end at %u of L1, but tensors begin at %u; free tensors in L1, or put them in DRAM",
            p->op->code, end, l1->taken.v[0].from);
}

struct running {
    ttrt *m;
    struct rt_op *op;
    struct rt_entry *entry;
    uint32_t base;
    bool is_hit;
};

static uint32_t op_id(const struct running *r, int device)
{
    return r->base << 10 | (uint32_t)r->m->chip_id[device];
}

// The zone covers the host's time for the op: making or finding its program, compiling,
// enqueuing. It excludes recording, and waiting for the previous op where there is no
// queue.
static void run_on_chip(const struct running *r, int device)
{
    char text[24];
    uint32_t id = op_id(r, device);
    struct rt_program *p = &r->entry->programs[device];
    rt_queue_turn(r->m, device);
    TTPROF_ZONE_AS(zone, "TT_DNN_DEVICE_OP", 0);
    int n = snprintf(text, sizeof text, "id:%u", id);
    TTPROF_TEXT(zone, text, (size_t)n);
    p->m = r->m;
    p->op = r->op;
    p->device = device;
    p->is_new = !r->is_hit;
    if (p->is_new)
        create_program(p);
    else
        set_arguments(p);
    check_l1(p);
    if (!r->m->code)
        rt_queue_launch(r->m, device, p->p, r->base);
}

static void record_op(const struct running *r, int device)
{
    uint32_t id = op_id(r, device);
    rt_record_put(r->m, &(struct rt_told){.op = r->op,
                                          .device = r->m->chip_id[device],
                                          .id = id,
                                          .hash = r->entry->hash,
                                          .is_hit = r->is_hit});
    if (r->m->hook)
        r->m->hook(r->m->hook_context, r->op, device, id, r->is_hit);
}

// --- all chips -------------------------------------------------------------------------
static bool check_operands(ttrt *m, const struct rt_op *op)
{
    for (size_t i = 0; i < op->n_inputs; i++)
        if (!rt_tensor_check(m, op->inputs[i], op->code))
            return false;
    for (size_t i = 0; i < op->n_outputs; i++)
        if (!rt_tensor_check(m, op->outputs[i], op->code))
            return false;
    return !m->code;
}

void rt_run(ttrt *m, struct rt_op *op)
{
    if (m && check_operands(m, op)) {
        struct running r = {.m = m, .op = op, .base = rt_next_base()};
        rt_legacy_op_begin(op);
        r.entry = rt_cache_find(m, rt_op_hash(m, op), &r.is_hit);
        for (int i = 0; i < m->info.n_devices && !m->code; i++) {
            run_on_chip(&r, i);
            rt_break_after(m, i);
            if (!m->code)
                record_op(&r, i);
        }
        m->n_results = m->code ? m->n_results : 0;
        rt_legacy_op_end(m, op);
        if (m->code && !r.is_hit)
            rt_cache_forget(m, r.entry->hash);
        rt_tell_simulation(m);
    }
    if (m)
        arena_free(&m->op);
}
