// piece.c - see piece.h.
#include "sim/dispatch/piece.h"

#include <string.h>

#include "sim/dispatch/move.h"

enum { ALIGN = 16, SEM_BYTES = 16, CB_BYTES = 16 };

static uint32_t aligned(size_t bytes)
{
    return (uint32_t)((bytes + ALIGN - 1) / ALIGN * ALIGN);
}

static uint32_t args_bytes(const struct program_args *args)
{
    return args->n * (uint32_t)sizeof *args->words;
}

// The longest own and common arguments of any core, for each RISC.
static void measure_args(const struct launch *l, uint32_t own[TT_RISCS],
                         uint32_t common[TT_RISCS])
{
    const struct ttdev_program *p = l->program;
    for (size_t i = 0; i < p->kernels.n; i++) {
        const struct program_kernel *kernel = &p->kernels.v[i];
        if (kernel->risc == TTDEV_ERISC)
            continue;
        uint32_t *most = &own[kernel->risc], bytes = aligned(args_bytes(&kernel->common));
        for (size_t k = 0; k < kernel->args.n; k++) {
            uint32_t n = aligned(args_bytes(&kernel->args.v[k]));
            *most = n > *most ? n : *most;
        }
        if (bytes > common[kernel->risc])
            common[kernel->risc] = bytes;
    }
}

static uint32_t cbs_bytes(const struct ttdev_program *p)
{
    uint32_t n = 0;
    for (size_t i = 0; i < p->cbs.n; i++)
        n = p->cbs.v[i].cb + 1 > n ? p->cbs.v[i].cb + 1 : n;
    return n * CB_BYTES;
}

uint32_t piece_text_bytes(const struct plan *plan)
{
    uint32_t bytes = 0;
    for (unsigned r = 0; r < TT_RISCS; r++)
        if (plan->kernel[r])
            bytes += aligned(plan->kernel[r]->image->bytes);
    return bytes;
}

static bool all_can_move(const struct launch *l)
{
    const struct ttdev_program *p = l->program;
    for (size_t i = 0; i < p->kernels.n; i++)
        if (p->kernels.v[i].risc != TTDEV_ERISC && p->kernels.v[i].image->move_trouble)
            return false;
    return true;
}

static uint32_t sum_of(const uint32_t bytes[TT_RISCS])
{
    uint32_t sum = 0;
    for (unsigned r = 0; r < TT_RISCS; r++)
        sum += bytes[r];
    return sum;
}

// RISCs without arguments get the zeros.
static void place_args(uint32_t places[TT_RISCS], const uint32_t bytes[TT_RISCS],
                       uint32_t from, uint32_t zeros)
{
    for (unsigned r = 0; r < TT_RISCS; r++) {
        places[r] = bytes[r] ? from : zeros;
        from += bytes[r];
    }
}

struct piece piece_lay_out(const struct launch *l, const struct groups *groups)
{
    struct piece piece = {.is_fixed = !all_can_move(l)};
    uint32_t own[TT_RISCS] = {0}, common[TT_RISCS] = {0}, text = 0;
    measure_args(l, own, common);
    piece.where.cbs = (uint32_t)l->program->sems.n * SEM_BYTES;
    piece.args = piece.where.cbs + cbs_bytes(l->program);
    piece.args_bytes = sum_of(own);
    piece.common = piece.args + piece.args_bytes;
    piece.common_bytes = sum_of(common);
    piece.zeros = piece.common + piece.common_bytes;
    piece.text = piece.zeros + PIECE_ZEROS;
    place_args(piece.where.own, own, piece.args, piece.zeros);
    place_args(piece.where.common, common, piece.common, piece.zeros);
    for (size_t i = 0; i < groups->v.n; i++) {
        uint32_t bytes = piece_text_bytes(groups->v.v[i].plan);
        text = bytes > text ? bytes : text;
    }
    piece.bytes = piece.text + (piece.is_fixed ? 0 : text);
    return piece;
}

uint32_t piece_kernel(const struct piece *piece, const struct plan *plan, unsigned risc,
                      uint32_t base)
{
    if (piece->is_fixed)
        return plan->kernel[risc]->image->base - base;
    uint32_t at = piece->text;
    for (unsigned r = 0; r < risc; r++)
        if (plan->kernel[r])
            at += aligned(plan->kernel[r]->image->bytes);
    return at;
}

struct placing piece_placing(const struct piece *piece, const struct plan *plan,
                             uint32_t base)
{
    struct placing where = piece->where;
    where.base = base;
    for (unsigned r = 0; r < TT_RISCS; r++) {
        const struct program_kernel *kernel = plan->kernel[r];
        if (kernel)
            where.entry[r] = piece_kernel(piece, plan, r, base) + kernel->image->entry -
                             kernel->image->base;
    }
    return where;
}

void piece_config(const struct piece *piece, const struct launch *l,
                  const struct plan *plan, uint8_t *out)
{
    const struct ttdev_program *p = l->program;
    ttdev_xy at = plan->tile->logical;
    memset(out, 0, piece->args);
    for (size_t i = 0; i < p->sems.n; i++)
        if (range_has(p->sems.v[i].cores, at))
            memcpy(out + i * SEM_BYTES, &p->sems.v[i].initial, 4);
    for (size_t i = 0; i < p->cbs.n; i++) {
        uint32_t words[CB_CONFIG_WORDS];
        cb_config(&p->cbs.v[i], words);
        if (range_has(p->cbs.v[i].cores, at))
            memcpy(out + piece->where.cbs + (size_t)CB_BYTES * p->cbs.v[i].cb, words,
                   sizeof words);
    }
}

void piece_common(const struct piece *piece, const struct plan *plan, uint8_t *out)
{
    memset(out, 0, piece->common_bytes);
    for (unsigned r = 0; r < TT_RISCS; r++) {
        const struct program_args *args = plan->kernel[r] ? &plan->kernel[r]->common : NULL;
        if (args && args->n)
            memcpy(out + piece->where.common[r] - piece->common, args->words,
                   args_bytes(args));
    }
}

bool piece_args(const struct piece *piece, const struct plan *plan, uint8_t *out)
{
    bool reads_any = false;
    memset(out, 0, piece->args_bytes);
    for (unsigned r = 0; r < TT_RISCS; r++) {
        if (!plan->kernel[r] || piece->where.own[r] == piece->zeros)
            continue;
        reads_any = true; // zeros, if only other cores were given arguments
        const struct program_args *args =
            kernel_args(plan->kernel[r], tile_place(plan->tile));
        if (args && args->n)
            memcpy(out + piece->where.own[r] - piece->args, args->words, args_bytes(args));
    }
    return reads_any;
}
