// prop_fast.c - random programs launched by the host and by way of a command queue: both
// leave the same memory in the workers and in DRAM, however large the ring is.
//
// A program has kernels on ranges of cores, own and common arguments, circular buffers and
// semaphores; what a kernel leaves depends on all of them and on the programs before. Some
// launches are captured and replayed, some are waited for.
//
// TTPROF_FAST_SCENES=FROM:COUNT plays other scenes than the usual ones.
#include <errno.h>
#include <string.h>

#include "base/data/mem.h"

#include "prop.h"
#include "sim/cluster.h"
#include "sim/dispatch/cores.h"
#include "sim/dispatch/store.h"
#include "sim/noc/noc_parts.h"
#include "sim/program/image.h"
#include "sim/tile/boot.h"

extern const unsigned char kernels_pack[];

enum {
    PROGRAMS = 6,
    LAUNCHES = 40,
    PARTS = 3, // kernels on a range, of a program
    WORDS_AT = 0x8000,
    WORDS = 64,              // that a RISC changes
    PLACE_BYTES = 4 * WORDS, // of a RISC in DRAM
    WAIT_NS = 1000000000,
};

static const char *const boards[] = {"n150", "n300", "p150"};

struct part {
    ttdev_range cores;
    unsigned riscs;
    const char *kernel;
    uint32_t n, number, common[2];
};
struct some_program {
    struct part part[PARTS];
    uint32_t n_parts, pages, page_bytes, semaphore;
    int cb;
};
struct scene {
    struct law *law;
    uint64_t seed;
    struct random random;
    const char *board;
    uint32_t ring_bytes;
    ttdev_xy grid; // of fast dispatch
    struct some_program programs[PROGRAMS];
    uint32_t launch[LAUNCHES], n_launches; // by program
    uint32_t captured_from, captured_to, replays;
    uint32_t waits; // one launch in so many is waited for; 0: none
};

struct device {
    ttdev *t;
    ttdev_program *program[PROGRAMS];
    bool is_refused[PROGRAMS]; // larger than the ring
};

#define ANY(s, n) random_below(&(s)->random, (n))

// --- scenes ----------------------------------------------------------------------------
static ttdev_range some_range(struct scene *s)
{
    int x = (int)ANY(s, (uint32_t)s->grid.x), y = (int)ANY(s, (uint32_t)s->grid.y);
    return (ttdev_range){{x, y},
                         {x + (int)ANY(s, (uint32_t)(s->grid.x - x)),
                          y + (int)ANY(s, (uint32_t)(s->grid.y - y))}};
}

static void make_up_program(struct scene *s, struct some_program *p)
{
    static const char *const kernels[] = {"kernels/mix_1", "kernels/mix_1",
                                          "kernels/mix_3"};
    unsigned free_riscs = (1u << TT_RISCS) - 1; // a RISC has one kernel at most
    p->n_parts = 1 + ANY(s, PARTS);
    p->cb = (int)ANY(s, 8);
    p->pages = 1 + ANY(s, 4);
    p->page_bytes = 64 * (1 + ANY(s, 8));
    p->semaphore = ANY(s, 1000);
    for (uint32_t i = 0; i < p->n_parts; i++) {
        unsigned riscs = free_riscs & (unsigned)random_bits(&s->random);
        free_riscs &= ~riscs;
        p->part[i] = (struct part){.cores = some_range(s),
                                   .riscs = riscs,
                                   .kernel = kernels[ANY(s, 3)],
                                   .n = 1 + ANY(s, WORDS),
                                   .number = ANY(s, UINT32_MAX),
                                   .common = {ANY(s, 1000), ANY(s, 1000)}};
    }
    if (free_riscs == (1u << TT_RISCS) - 1)
        p->part[0].riscs = 1u << ANY(s, TT_RISCS);
}

static void make_up(struct scene *s)
{
    s->board = boards[ANY(s, 3)];
    s->grid = s->board == boards[0]   ? (ttdev_xy){8, 8}
              : s->board == boards[1] ? (ttdev_xy){8, 7}
                                      : (ttdev_xy){13, 10};
    s->ring_bytes = 16 * (256 + ANY(s, random_one_in(&s->random, 2) ? 1024 : 5889));
    s->n_launches = 1 + ANY(s, LAUNCHES);
    s->waits = ANY(s, 12);
    for (uint32_t i = 0; i < PROGRAMS; i++)
        make_up_program(s, &s->programs[i]);
    for (uint32_t i = 0; i < s->n_launches; i++)
        s->launch[i] = ANY(s, PROGRAMS);
    s->replays = ANY(s, 3);
    s->captured_from = ANY(s, s->n_launches);
    s->captured_to = s->captured_from + ANY(s, s->n_launches - s->captured_from + 1);
}

// --- devices ---------------------------------------------------------------------------
static ttdev_image *image_of(ttdev *t, const char *name, int risc)
{
    char full[256];
    struct err e = {0};
    const void *elf;
    size_t bytes;
    ttdev_image *image = NULL;
    image_full_name(t, risc, name, full, sizeof full);
    for (size_t i = 0; i < t->images.n; i++)
        if (strcmp(t->images.v[i]->name, full) == 0)
            return t->images.v[i];
    if (!images_find_in(kernels_pack, full, &elf, &bytes) ||
        ttdev_elf_load(t, full, elf, bytes, &image, &e)) {
        (void)fprintf(stderr, "%s: %s\n", full, e.text);
        exit(1);
    }
    return image;
}

// Every RISC of every core has its own place in DRAM.
static bool set_args(ttdev_program *p, ttdev *t, int kernel, const struct part *part,
                     uint32_t args[6], uint32_t risc)
{
    const struct chip *chip = &t->chips[0];
    bool is_ok = true;
    for (int y = part->cores.from.y; y <= part->cores.to.y && is_ok; y++)
        for (int x = part->cores.from.x; x <= part->cores.to.x && is_ok; x++) {
            uint32_t place = (uint32_t)(y * 16 + x) * TT_RISCS + risc;
            args[4] = place % (uint32_t)chip->n_banks;
            args[5] = (uint32_t)chip->dram_buffers + place * PLACE_BYTES;
            is_ok = !ttdev_program_args(p, kernel, (ttdev_range){{x, y}, {x, y}}, args, 6);
        }
    return is_ok;
}

static bool add_part(ttdev_program *p, ttdev *t, const struct some_program *made,
                     const struct part *part)
{
    bool is_ok = true;
    for (uint32_t risc = 0; risc < TT_RISCS && is_ok; risc++) {
        if (!(part->riscs >> risc & 1))
            continue;
        uint32_t at = t->chips[0].layout->buffers + WORDS_AT + 4 * WORDS * risc;
        uint32_t args[6] = {at, part->n, part->number, (uint32_t)made->cb};
        int k =
            ttdev_program_kernel(p, part->cores, (int)risc,
                                 image_of(t, part->kernel, (int)risc), risc == TT_NCRISC);
        is_ok = k >= 0 && set_args(p, t, k, part, args, risc) &&
                !ttdev_program_common_args(p, k, part->common, 2);
    }
    return is_ok;
}

static bool make_program(struct scene *s, struct device *d, uint32_t i)
{
    const struct some_program *made = &s->programs[i];
    ttdev_program *p = d->program[i] = ttdev_program_new(d->t, "scene");
    ttdev_range all = {{0, 0}, {s->grid.x - 1, s->grid.y - 1}};
    bool is_ok =
        ttdev_program_sem(p, all, made->semaphore) == 0 &&
        ttdev_program_cb(p, all, made->cb, made->pages, made->page_bytes, NULL) == 0;
    for (uint32_t k = 0; k < made->n_parts && is_ok; k++)
        is_ok = add_part(p, d->t, made, &made->part[k]);
    return law_check(s->law, is_ok, "scene %llu: %s", (unsigned long long)s->seed,
                     ttdev_error(d->t));
}

static bool open_device(struct scene *s, struct device *d, const char *dispatch)
{
    char text[200];
    struct err e = {0};
    ttdev_cfg cfg;
    ttdev_cfg_default(&cfg);
    (void)snprintf(text, sizeof text,
                   "board=%s devices=1 variant=off dispatch=%s ring_bytes=%u", s->board,
                   dispatch, s->ring_bytes);
    if (ttdev_cfg_parse(&cfg, text, &e) || ttdev_open(&cfg, &d->t, &e))
        return law_check(s->law, false, "scene %llu: %s: %s", (unsigned long long)s->seed,
                         text, e.text);
    bool is_ok = true;
    for (uint32_t i = 0; i < PROGRAMS && is_ok; i++)
        is_ok = make_program(s, d, i);
    return is_ok;
}

static void close_device(struct device *d)
{
    for (int i = 0; i < PROGRAMS; i++)
        if (d->program[i])
            ttdev_program_free(d->program[i]);
    if (d->t)
        ttdev_close(d->t);
}

// --- playing ---------------------------------------------------------------------------
static bool went_well(struct scene *s, struct device *d, int code, const char *what)
{
    return law_check(s->law, code >= 0, "scene %llu: %s returns %d: %s %s",
                     (unsigned long long)s->seed, what, code, ttdev_error(d->t),
                     ttdev_fault(d->t, 0));
}

// With slow dispatch programs run one at a time.
static bool launch(struct scene *s, struct device *d, uint32_t i, bool waits)
{
    uint32_t number = s->launch[i];
    if (d->is_refused[number])
        return true;
    int code = ttdev_launch(d->t, 0, d->program[number], i);
    if (code == -ENOSPC && d->t->chips[0].fast) {
        d->is_refused[number] = true;
        return true;
    }
    if (!code && waits)
        code = ttdev_wait(d->t, 0, WAIT_NS);
    return went_well(s, d, code, "a launch");
}

static bool play(struct scene *s, struct device *d)
{
    bool is_slow = !d->t->chips[0].fast, is_ok = true;
    int trace = -1;
    for (uint32_t i = 0; i < s->n_launches && is_ok; i++) {
        if (i == s->captured_from)
            is_ok = went_well(s, d, ttdev_trace_begin(d->t, 0), "a capture");
        bool waits = is_slow || (s->waits && i % s->waits == 0);
        is_ok = is_ok && launch(s, d, i, waits);
        if (i + 1 == s->captured_to || i + 1 == s->n_launches) {
            trace = trace < 0 && i >= s->captured_from ? ttdev_trace_end(d->t, 0) : trace;
            is_ok = is_ok && went_well(s, d, trace < 0 ? 0 : trace, "a trace");
        }
        for (uint32_t k = 0; k < s->replays && trace >= 0 && is_ok && i % 8 == 7; k++)
            is_ok =
                went_well(s, d, ttdev_trace_replay(d->t, 0, trace, WAIT_NS), "a replay");
    }
    return is_ok && went_well(s, d, ttdev_wait(d->t, 0, WAIT_NS), "a wait");
}

// --- memory ----------------------------------------------------------------------------
static bool same_core(struct scene *s, const struct tile *a, const struct tile *b)
{
    uint32_t from = a->chip->layout->buffers;
    for (uint32_t at = from; at < a->l1_bytes; at += 4)
        if (memcmp(a->l1 + at, b->l1 + at, 4) != 0)
            return law_break(s->law,
                             "scene %llu (%s, ring_bytes=%u): core %d,%d: 0x%x differs",
                             (unsigned long long)s->seed, s->board, s->ring_bytes,
                             a->logical.x, a->logical.y, at);
    return true;
}

static bool same_bank(struct scene *s, int number, const struct lazy *a,
                      const struct lazy *b)
{
    static uint8_t in_a[LAZY_CHUNK], in_b[LAZY_CHUNK];
    uint64_t n = (a->bytes - STORE_BYTES) / LAZY_CHUNK;
    for (uint64_t chunk = 0; chunk < n; chunk++) {
        if (!((a->touched[chunk / 64] | b->touched[chunk / 64]) >> chunk % 64 & 1))
            continue;
        uint64_t at = chunk * LAZY_CHUNK;
        lazy_read(a, at, in_a, LAZY_CHUNK);
        lazy_read(b, at, in_b, LAZY_CHUNK);
        if (memcmp(in_a, in_b, LAZY_CHUNK) != 0)
            return law_break(
                s->law,
                "scene %llu (%s, ring_bytes=%u): DRAM bank %d: 64 KiB at 0x%llx differ",
                (unsigned long long)s->seed, s->board, s->ring_bytes, number,
                (unsigned long long)at);
    }
    return true;
}

static bool same_memory(struct scene *s, struct device *a, struct device *b)
{
    const struct chip *x = &a->t->chips[0], *y = &b->t->chips[0];
    bool is_same = true;
    s->law->tried++;
    for (int i = 0; i < x->n_workers && is_same; i++)
        if (!dispatch_is_core(&y->tiles[i]))
            is_same = same_core(s, &x->tiles[i], &y->tiles[i]);
    for (int i = 0; i < x->n_banks && is_same; i++)
        is_same = same_bank(s, i, &x->noc->banks[i].memory, &y->noc->banks[i].memory);
    return is_same;
}

// A program that is refused with fast dispatch does not run in slow dispatch either.
static void play_scene(struct law *law, uint64_t seed)
{
    struct scene *s = mem_alloc(sizeof *s);
    struct device slow = {0}, fast = {0};
    *s = (struct scene){.law = law, .seed = seed, .random.state = seed * 6700417};
    make_up(s);
    if (open_device(s, &fast, "fast") && open_device(s, &slow, "slow") && play(s, &fast)) {
        memcpy(slow.is_refused, fast.is_refused, sizeof slow.is_refused);
        if (play(s, &slow))
            (void)same_memory(s, &slow, &fast);
    }
    close_device(&slow);
    close_device(&fast);
    mem_free(s);
}

int main(void)
{
    struct law laws[] = {{.name = "programs leave the same memory with either dispatch"}};
    struct prop_scenes scenes = prop_scenes("TTPROF_FAST_SCENES", 40);
    for (uint64_t seed = scenes.from; seed < scenes.to && !laws[0].is_broken; seed++)
        play_scene(&laws[0], seed);
    return laws_report(laws, 1);
}
