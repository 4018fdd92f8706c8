// move.h - copies of kernel images for other addresses than that of their link.
//
// The ring of programs puts kernels where there is room. A copy is made and decoded once
// per image and address and shared by all cores. The table changes only between host
// calls: tiles, which run on several threads, may look things up without a lock.
#ifndef TTP_SIM_DISPATCH_MOVE_H
#define TTP_SIM_DISPATCH_MOVE_H

#include "sim/machine.h"

struct image_copy {
    const struct ttdev_image *image;
    uint32_t base, entry;
    const uint8_t *memory; // image->bytes: what L1 must hold
    const struct rv_op *ops;
    uint64_t used; // number of the last image_move that asked for it
    struct image_copy *next;
};

enum { COPY_BUCKETS = 256, COPIES_MOST = 64 }; // COPIES_MOST: per image
struct image_copies {                          // zero: none
    struct image_copy *first[COPY_BUCKETS];    // by entry
    uint64_t n_moves;
    VEC(const struct ttdev_image *) fixed; // cannot be moved; warned about
};

// The image at `base`, which is a multiple of IMAGE_ALIGN or the image's own: there every
// image has a copy. NULL if it cannot be moved, which the first time becomes one of
// ttdev_warnings. A copy stays while a core is bound to it or until COPIES_MOST others of
// the image were asked for.
const struct image_copy *image_move(struct ttdev *t, const struct ttdev_image *image,
                                    uint32_t base);
// The copy for a RISC (TT_BRISC.., TTDEV_ERISC) with this entry point whose bytes lie in
// the memory, or NULL.
const struct image_copy *copies_find(const struct image_copies *copies, int risc,
                                     uint32_t entry, const uint8_t *l1, uint32_t l1_bytes);
void copies_free(struct image_copies *copies);

#endif
