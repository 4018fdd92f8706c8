// The images that the product brings.
#include "sim/program/image.h"
#include "test.h"

TEST(images_are_found_by_their_names)
{
    assert_true(images_count() > 100);
    for (size_t i = 0; i < images_count(); i++) {
        const void *elf = NULL;
        size_t bytes = 0;
        if (i)
            assert_true(strcmp(images_name(i - 1), images_name(i)) < 0);
        assert_true(images_find(images_name(i), &elf, &bytes));
        assert_true(bytes > 52 && memcmp(elf, "\177ELF", 4) == 0);
    }
}

TEST(images_that_do_not_exist_are_not_found)
{
    const void *elf;
    size_t bytes;
    static const char *const names[] = {"", "a", "wormhole/off/brisc/firmwar",
                                        "wormhole/off/brisc/firmware2", "zzz"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_true(!images_find(names[i], &elf, &bytes));
}

TEST(images_load_on_the_chip_they_are_for)
{
    struct err e = {0};
    for (size_t i = 0; i < images_count(); i++) {
        const char *name = images_name(i);
        int arch = strncmp(name, "blackhole/", 10) == 0;
        const void *elf;
        size_t bytes;
        assert_true(images_find(name, &elf, &bytes));
        e = (struct err){0};
        struct ttdev_image *image = image_load(name, elf, bytes, arch, &e);
        assert_string_equal(e.text, "");
        assert_true(image && image->arch == arch && image->entry == image->base);
        image_free(image);
        image = image_load(name, elf, bytes, !arch, &e);
        assert_true(!image);
        image_free(image);
    }
}
