// image.h - ELF images: from bytes to code that RISCs execute.
#ifndef TTP_SIM_PROGRAM_IMAGE_H
#define TTP_SIM_PROGRAM_IMAGE_H

#include "sim/machine.h"
#include "sim/program/zones.h"

// Reads an ELF file made by `ttprof kernel build` or the product's build: checks machine,
// kind and slot (an image larger than its slot: both sizes in e), copies memory, reads
// symbols, decodes. `arch` is the cluster's; NULL on error.
struct ttdev_image *image_load(const char *name, const void *elf, size_t bytes, int arch,
                               struct err *e);
void image_free(struct ttdev_image *image);
// Puts the ids of a cluster's table into the code, in place of the numbers that the linker
// gave the image's zones. Before any core runs it.
void image_give_ids(struct ttdev_image *image, struct zone_table *table);
void image_decode(struct ttdev_image *image); // again, after a change of its memory
// The chip and the variant that the file says it is built for, before there is a device.
bool image_identity(const void *elf, size_t bytes, int *arch, int *variant);
// The function that an address lies in, "" when none; *offset is from its start.
const char *image_symbol(const struct ttdev_image *image, uint32_t address,
                         uint32_t *offset);

// The images that the product brings (images.S): an archive of ELF files by name.
// Name: "wormhole/off/brisc/loopback/copy" or ".../firmware".
bool images_find(const char *name, const void **elf, size_t *bytes);
// The same in another archive of that form.
bool images_find_in(const unsigned char *pack, const char *name, const void **elf,
                    size_t *bytes);
size_t images_count(void);
const char *images_name(size_t i);

#endif
