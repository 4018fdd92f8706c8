// gdb_values.c - values that a debugger is asked to show; the test stops it in `stop`.
#include "base/data/map.h"

static struct {
    str text, none;
    VEC(int) numbers;
    struct map names;
} shown;

void stop(const void *values);
__attribute__((noinline)) void stop(const void *values)
{
    __asm__ volatile("" : : "r"(values) : "memory");
}

int main(void)
{
    static const char line[] = "MATMUL and what stands behind it";
    shown.text = (str){line, 6};
    for (int i = 1; i <= 3; i++)
        vec_push(&shown.numbers, i * i);
    (void)map_put(&shown.names, S("BRISC-FW"));
    (void)map_put(&shown.names, shown.text);
    stop(&shown);
    vec_free(&shown.numbers);
    map_free(&shown.names);
    return 0;
}
