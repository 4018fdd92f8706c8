// sample_device.h - an open device, and kernels of tests/kernels for it.
#ifndef TTP_TESTS_SAMPLE_DEVICE_H
#define TTP_TESTS_SAMPLE_DEVICE_H

#include "../kernels/fault.h"
#include "sim/program/image.h"
#include "sim/tile/boot.h"
#include "test.h"

extern const unsigned char kernels_pack[];

static inline ttdev *device_open(const char *config)
{
    ttdev_cfg cfg;
    struct err e = {0};
    ttdev *t = NULL;
    ttdev_cfg_default(&cfg);
    if (ttdev_cfg_parse(&cfg, config, &e) || ttdev_open(&cfg, &t, &e))
        fail_msg("%s", e.text);
    assert_non_null(t);
    return t;
}

static inline ttdev_image *kernel_load(ttdev *t, const char *name, int risc)
{
    char full[256];
    struct err e = {0};
    const void *elf;
    size_t bytes;
    ttdev_image *image = NULL;
    image_full_name(t, risc, name, full, sizeof full);
    assert_true(images_find_in(kernels_pack, full, &elf, &bytes));
    if (ttdev_elf_load(t, full, elf, bytes, &image, &e))
        fail_msg("%s", e.text);
    return image;
}

#endif
