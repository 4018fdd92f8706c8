// fuzz_arch.c - any bytes as a table of chips.
#include <string.h>

#include "arch/arch.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    str text = {(const char *)data, size};
    struct arena a = {0};
    struct arch_list list = arch_all();
    size_t before = list.n;
    struct err e = {0};
    bool ok = arch_parse(text, "fuzz.ini", &a, &list, &e);
    must(ok == (e.code == ERR_NONE));
    must(ok || strncmp(e.text, "fuzz.ini: line ", 15) == 0);
    must(list.n >= before);
    for (size_t i = 0; i < list.n; i++) {
        must(list.v[i].name.n > 0);
        must(arch_find(list, list.v[i].name) != NULL);
    }
    must(arch_find(list, S("wormhole")) == &list.v[0]);
    arena_free(&a);
    return 0;
}
