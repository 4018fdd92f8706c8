// image.h - turns ELF images into code that RISCs execute.
#ifndef TTP_SIM_PROGRAM_IMAGE_H
#define TTP_SIM_PROGRAM_IMAGE_H

#include "sim/machine.h"
#include "sim/program/zones.h"

// Loads an ELF file made by `ttprof kernel build` or the kernel build: checks machine, kind
// and slot (an image larger than its slot: both sizes in e), copies memory, reads symbols,
// decodes. `arch` is the cluster's; NULL on error.
struct ttdev_image *image_load(const char *name, const void *elf, size_t bytes, int arch,
                               struct err *e);
void image_free(struct ttdev_image *image);
// Replaces the linker's numbers of the image's zones in the code by the ids of a cluster's
// table. Call it before any core runs the image.
void image_give_ids(struct ttdev_image *image, struct zone_table *table);
void image_decode(struct ttdev_image *image); // again, after its memory changed
// The memory of the image (image->bytes) as a link at `base` makes it, with the ids it now
// has. It must have no move_trouble, and `base` be a multiple of IMAGE_ALIGN.
enum { IMAGE_ALIGN = 16 };
void image_put_at(const struct ttdev_image *image, uint32_t base, uint8_t *memory);
// Whether the memory (image->bytes) is what image_put_at makes; false if it cannot be moved
// there.
bool image_lies_at(const struct ttdev_image *image, uint32_t base, const uint8_t *memory);
// The chip and variant recorded in the file; needs no device.
bool image_identity(const void *elf, size_t bytes, int *arch, int *variant);
// The function that contains an address, "" if none; *offset is from its start.
const char *image_symbol(const struct ttdev_image *image, uint32_t address,
                         uint32_t *offset);

// The bundled images (images.S): an archive of ELF files. Name:
// "wormhole/off/brisc/loopback/copy" or ".../firmware".
bool images_find(const char *name, const void **elf, size_t *bytes);
// Same, for another archive in that format.
bool images_find_in(const unsigned char *pack, const char *name, const void **elf,
                    size_t *bytes);
size_t images_count(void);
const char *images_name(size_t i);

#endif
