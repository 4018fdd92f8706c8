// mem.c - allocation that never returns NULL.
#include "base/data/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static _Noreturn void mem_exhausted(size_t bytes)
{
    (void)fprintf(stderr, "ttprof: out of memory: cannot allocate %zu bytes\n", bytes);
    exit(3); // as for ERR_IO
}

void *mem_alloc(size_t bytes)
{
    void *p = calloc(1, bytes ? bytes : 1);
    if (!p)
        mem_exhausted(bytes);
    return p;
}

void *mem_resize(void *old, size_t bytes)
{
    void *p = realloc(old, bytes ? bytes : 1);
    if (!p)
        mem_exhausted(bytes);
    return p;
}

void mem_free(void *p)
{
    free(p);
}

size_t mem_bytes(size_t size, size_t count)
{
    if (size && count > SIZE_MAX / size)
        mem_exhausted(SIZE_MAX);
    return size * count;
}
