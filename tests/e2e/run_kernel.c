// run_kernel.c - runs kernels on the software device and prints what they left in L1.
//
//   run_kernel CONFIG STEP...
//     kernel DEV X Y RISC NOC IMAGE ARGS   an ELF file, or @NAME of the product's images
//     read DEV X Y ADDRESS WORDS           after all are done; one line of numbers
//
// RISC is a number (5: ERISC, X is then the channel). ARGS are separated by commas:
// numbers, XA.B and YA.B for the virtual coordinates of core A,B, EA and FA for those of
// channel A's tile, L for the first free byte of L1. ADDRESS may be L+N. Every core of a
// program has circular buffers 0 and 1 (4 pages of 2048 bytes) and semaphores 0 to 3.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

#include "sim/ttdev.h"

struct test {
    ttdev *t;
    ttdev_info info;
    ttdev_program *programs[TTDEV_MAX_CHIPS];
    uint32_t free_l1;
    char err[TTDEV_ERR];
};

static void give_up(const char *what, const char *why)
{
    (void)fprintf(stderr, "run_kernel: %s: %s\n", what, why);
    exit(1);
}

static uint32_t number(const struct test *k, const char *text)
{
    if (text[0] == 'L')
        return k->free_l1 + (text[1] ? (uint32_t)strtoul(text + 2, NULL, 0) : 0);
    ttdev_xy at = {0}, out = {0};
    char kind = text[0];
    if (strchr("XYEF", kind)) {
        char *rest;
        at.x = (int)strtol(text + 1, &rest, 10);
        at.y = *rest == '.' ? (int)strtol(rest + 1, NULL, 10) : 0;
        bool is_eth = kind == 'E' || kind == 'F';
        if (is_eth && ttdev_eth_tile(k->t, 0, at.x, &at))
            give_up(text, "no such channel");
        if (ttdev_xlat(k->t, 0, at, is_eth ? TTDEV_NOC0 : TTDEV_LOGICAL, TTDEV_VIRTUAL,
                       &out))
            give_up(text, "no such core");
        return (uint32_t)(kind == 'X' || kind == 'E' ? out.x : out.y);
    }
    return (uint32_t)strtoul(text, NULL, 0);
}

static ttdev_program *program_of(struct test *k, int dev)
{
    if (!k->programs[dev]) {
        ttdev_program *p = ttdev_program_new(k->t, "test");
        ttdev_range all = {{0, 0}, {k->info.grid.x - 1, k->info.grid.y - 1}};
        for (int cb = 0; cb < 2; cb++)
            (void)ttdev_program_cb(p, all, cb, 4, 2048, NULL);
        for (int i = 0; i < 4; i++)
            (void)ttdev_program_sem(p, all, 0);
        k->programs[dev] = p;
        k->free_l1 = (ttdev_program_l1_end(p) + 63) & ~63u;
    }
    return k->programs[dev];
}

static ttdev_image *image_of(struct test *k, const char *name, int risc)
{
    ttdev_image *image = NULL;
    struct err e = {0};
    struct file f;
    if (name[0] == '@') {
        if (ttdev_image_find(k->t, name + 1, risc, &image, k->err))
            give_up(name, k->err);
        return image;
    }
    if (!file_open(name, &f, &e))
        give_up(name, e.text);
    if (ttdev_elf_load(k->t, name, f.text.p, f.text.n, &image, k->err))
        give_up(name, k->err);
    file_close(&f);
    return image;
}

static void add_kernel(struct test *k, char **word)
{
    int dev = atoi(word[0]), risc = atoi(word[3]);
    ttdev_program *p = program_of(k, dev);
    ttdev_xy at = {atoi(word[1]), atoi(word[2])};
    ttdev_range one = {at, at};
    int kernel =
        ttdev_program_kernel(p, one, risc, image_of(k, word[5], risc), atoi(word[4]));
    if (kernel < 0)
        give_up(word[5], "cannot be part of a program");
    uint32_t args[64];
    size_t n = 0;
    for (char *one_arg = strtok(word[6], ","); one_arg && n < 64;
         one_arg = strtok(NULL, ","))
        args[n++] = number(k, one_arg);
    if (ttdev_program_args(p, kernel, one, args, n))
        give_up(word[5], "arguments refused");
}

static void print_words(struct test *k, char **word)
{
    ttdev_core core = {TTDEV_LOGICAL, {atoi(word[1]), atoi(word[2])}};
    uint32_t address = number(k, word[3]), n = number(k, word[4]);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t value;
        if (ttdev_l1_read(k->t, atoi(word[0]), core, address + 4 * i, &value, sizeof value))
            give_up(word[3], "cannot be read");
        printf("%s%x", i ? " " : "", (unsigned)value);
    }
    printf("\n");
}

static void run_all(struct test *k)
{
    for (int dev = 0; dev < k->info.n_devices; dev++)
        if (k->programs[dev] && ttdev_launch(k->t, dev, k->programs[dev], 1))
            give_up("launch", ttdev_fault(k->t, dev));
    for (int dev = 0; dev < k->info.n_devices; dev++)
        if (k->programs[dev] && ttdev_wait(k->t, dev, 1000000000))
            give_up("wait", ttdev_fault(k->t, dev));
}

int main(int argc, char **argv)
{
    static struct test k;
    ttdev_cfg cfg;
    ttdev_cfg_default(&cfg);
    if (argc < 2 || ttdev_cfg_parse(&cfg, argv[1], k.err))
        give_up("configuration", k.err);
    if (ttdev_open(&cfg, &k.t, k.err))
        give_up("open", k.err);
    (void)ttdev_get_info(k.t, 0, &k.info);
    bool has_run = false;
    for (int i = 2; i < argc;) {
        bool is_kernel = strcmp(argv[i], "kernel") == 0;
        int n = is_kernel ? 7 : 5;
        if (i + n >= argc)
            give_up(argv[i], "too few words");
        if (is_kernel)
            add_kernel(&k, argv + i + 1);
        if (!is_kernel && !has_run) {
            run_all(&k);
            has_run = true;
        }
        if (!is_kernel)
            print_words(&k, argv + i + 1);
        i += 1 + n;
    }
    if (!has_run)
        run_all(&k);
    for (int dev = 0; dev < k.info.n_devices; dev++)
        ttdev_program_free(k.programs[dev]);
    ttdev_close(k.t);
    return 0;
}
