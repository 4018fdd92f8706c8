// fuzz_image.c - any bytes as an ELF image, for both chips.
#include <string.h>

#include "fuzz.h"
#include "sim/image.h"
#include "sim/rv32.h"

static void check(const struct ttdev_image *image)
{
    must(image->bytes > 0 && image->bytes % 4 == 0 && image->bytes <= 0x6000);
    must(image->code_bytes > 0 && image->code_bytes <= image->bytes);
    must(image->entry >= image->base && image->entry - image->base < image->code_bytes);
    must(image->risc >= TT_BRISC && image->risc <= TTDEV_ERISC);
    must(image->variant >= TTDEV_OFF && image->variant <= TTDEV_FULL);
    for (size_t i = 0; i < image->symbols.n; i++) {
        const struct symbol *s = &image->symbols.v[i];
        uint32_t offset;
        must(i == 0 || image->symbols.v[i - 1].address < s->address);
        must(strcmp(image_symbol(image, s->address, &offset), s->name) == 0 && offset == 0);
    }
    unsigned sum = 0; // every byte is there
    for (uint32_t i = 0; i < image->bytes; i++)
        sum += image->memory[i];
    must(sum <= 255u * image->bytes);
    must(image->ops[image->code_bytes / 4].kind == RV_end);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int arch = 0; arch < TT_ARCHES; arch++) {
        char err[TTDEV_ERR] = "";
        struct ttdev_image *image = image_load("fuzz", data, size, arch, err);
        must((image != NULL) == (err[0] == '\0'));
        must(image || (strncmp(err, "fuzz: ", 6) == 0 && !strchr(err, '\n')));
        int chip = arch, variant = TTDEV_OFF;
        bool has_identity = image_identity(data, size, &chip, &variant);
        must(chip >= 0 && chip < TT_ARCHES && variant <= TTDEV_FULL);
        if (image) {
            check(image);
            must(image->variant == variant && (!has_identity || chip == arch));
        }
        image_free(image);
    }
    return 0;
}
