// device.h - a software device for benchmarks; any failure ends the program.
#ifndef TTP_BENCH_DEVICE_H
#define TTP_BENCH_DEVICE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/program/image.h"
#include "sim/tile/boot.h"

extern const unsigned char sim_kernels_pack[];

static inline void bench_stop(const char *what, const char *why)
{
    (void)fprintf(stderr, "bench: %s: %s\n", what, why);
    exit(2);
}

static inline void bench_check(ttdev *t, int code, const char *what)
{
    if (code < 0)
        bench_stop(what, *ttdev_fault(t, 0) ? ttdev_fault(t, 0) : ttdev_error(t));
}

static inline ttdev *bench_open(const char *config)
{
    ttdev_cfg cfg;
    ttdev *t = NULL;
    struct err e = {0};
    ttdev_cfg_default(&cfg);
    if (ttdev_cfg_parse(&cfg, config, &e) || ttdev_open(&cfg, &t, &e))
        bench_stop(config, e.text);
    return t;
}

// A kernel of sim_kernels/.
static inline ttdev_image *bench_load(ttdev *t, const char *kernel, int risc)
{
    char name[256];
    struct err e = {0};
    const void *elf;
    size_t bytes;
    ttdev_image *image = NULL;
    image_full_name(t, risc, kernel, name, sizeof name);
    if (!images_find_in(sim_kernels_pack, name, &elf, &bytes) ||
        ttdev_elf_load(t, name, elf, bytes, &image, &e))
        bench_stop(name, e.text);
    return image;
}

#endif
