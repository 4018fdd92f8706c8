// code.c - see code.h.
#include "sim/tile/code.h"

#include <string.h>

#include "sim/cluster.h"
#include "sim/program/image.h"
#include "sim/rv32/rv32.h"
#include "sim/tile/tile.h"

static void forget(struct code *code)
{
    mem_free(code->own);
    *code = (struct code){0};
}

static void bind(struct risc *r, int which, struct code code)
{
    forget(&r->code[which]);
    r->code[which] = code;
    if (code.base < r->tile->code_from)
        r->tile->code_from = code.base;
    memset(r->loops, 0, sizeof r->loops);
}

// The stack grows down to the kernel's variables.
static void limit_stack(struct risc *r, uint32_t local_end)
{
    uint32_t least = TT_LOCAL_RAM + r->tile->chip->layout->local_kernel_data;
    r->stack_limit = local_end > least ? local_end : least;
}

void code_load(struct tile *tile, unsigned risc, int which, const struct ttdev_image *image)
{
    struct risc *r = &tile->risc[risc];
    // Write the bytes first: the write drops what was decoded from the old code.
    forget(&r->code[which]);
    tile_write(tile, image->base, image->memory, image->bytes);
    bind(r, which,
         (struct code){.base = image->base,
                       .bytes = image->code_bytes,
                       .ops = image->ops,
                       .image = image});
    if (which == CODE_KERNEL)
        limit_stack(r, image->local_end);
}

bool code_holds(const struct risc *r, const struct ttdev_image *image)
{
    const struct code *code = &r->code[CODE_KERNEL];
    return code->image == image && code->base == image->base && !code->own;
}

// --- kernels that came by NoC ----------------------------------------------------------
static const struct image_copy *copy_at(const struct risc *r, uint32_t pc)
{
    const struct tile *tile = r->tile;
    const struct ttdev *t = tile->chip->cluster;
    int risc = tile->kind == TILE_ETH ? TTDEV_ERISC : r->index;
    return t ? copies_find(&t->copies, risc, pc, tile->l1, tile->l1_bytes) : NULL;
}

static uint32_t word_at(const uint8_t *message, size_t offset)
{
    uint32_t word;
    memcpy(&word, message + offset, sizeof word);
    return word;
}

// The bytes of the kernel with this entry point by the launch message, 0 if it is not the
// one that was launched. Writes above guard_top are not seen, so code cannot be there.
static uint32_t launched_bytes(const struct risc *r, uint32_t pc)
{
    const struct tile *tile = r->tile;
    const uint8_t *message = tile_launch_message(tile);
    size_t core = tile->kind == TILE_ETH ? 4 : 0, risc = 4 * (size_t)r->index;
    if (!message || !(word_at(message, TT_LAUNCH_ENABLES) >> r->index & 1) ||
        word_at(message, TT_LAUNCH_CONFIG_BASE + core) +
                word_at(message, TT_LAUNCH_TEXT_OFFSET + risc) !=
            pc)
        return 0;
    uint32_t bytes = word_at(message, TT_LAUNCH_TEXT_BYTES + risc) & ~3u;
    return pc % 4 == 0 && pc < tile->guard_top && bytes <= tile->guard_top - pc ? bytes : 0;
}

// The image whose kernel lies at `base` although there is no copy of it (any more), for
// names and stack limit; NULL if it is none.
static const struct ttdev_image *image_at(const struct risc *r, uint32_t base,
                                          uint32_t bytes)
{
    const struct tile *tile = r->tile;
    const struct ttdev *t = tile->chip->cluster;
    int risc = tile->kind == TILE_ETH ? TTDEV_ERISC : r->index;
    for (size_t i = 0; t && i < t->images.n; i++) {
        const struct ttdev_image *image = t->images.v[i];
        if (image->risc == risc && image->bytes == bytes && image->entry == image->base &&
            !image->is_firmware && image_lies_at(image, base, tile->l1 + base))
            return image;
    }
    return NULL;
}

static void decode_own(const struct risc *r, struct code *code)
{
    size_t n = code->bytes / 4;
    if (!code->own)
        code->own = mem_alloc(mem_bytes(sizeof *code->own, n + 1));
    rv_decode((const uint32_t *)(const void *)(r->tile->l1 + code->base), n, code->base,
              code->own);
    code->ops = code->own;
}

const struct code *code_find(struct risc *r, uint32_t pc)
{
    struct code *code = &r->code[CODE_KERNEL];
    const struct image_copy *copy = copy_at(r, pc);
    if (copy) {
        bind(r, CODE_KERNEL,
             (struct code){.base = copy->base,
                           .bytes = copy->image->code_bytes,
                           .ops = copy->ops,
                           .image = copy->image});
        limit_stack(r, copy->image->local_end);
        return code;
    }
    if (pc - code->base < code->bytes && pc % 4 == 0)
        return code; // changed while the RISC was inside
    uint32_t bytes = launched_bytes(r, pc);
    if (!bytes)
        return NULL;
    const struct ttdev_image *image = image_at(r, pc, bytes);
    bind(r, CODE_KERNEL, (struct code){.base = pc, .bytes = bytes, .image = image});
    decode_own(r, code);
    limit_stack(r, image ? image->local_end : 0);
    return code;
}

void code_changed(struct tile *tile, uint32_t address, uint32_t bytes)
{
    if (address + bytes <= tile->code_from)
        return;
    for (unsigned i = 0; i < tile->n_riscs; i++)
        for (int c = 0; c < CODES; c++) {
            struct risc *r = &tile->risc[i];
            struct code *code = &r->code[c];
            if (address >= code->base + code->bytes || address + bytes <= code->base)
                continue;
            bool is_inside = r->pc - code->base < code->bytes;
            if (c == CODE_KERNEL && !is_inside)
                forget(code);
            else
                decode_own(r, code);
        }
}

const char *code_symbol(const struct code *code, uint32_t pc, uint32_t *offset)
{
    *offset = 0;
    if (!code || !code->image)
        return "";
    return image_symbol(code->image, pc - code->base + code->image->base, offset);
}
