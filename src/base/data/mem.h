// mem.h - the only wrapper of malloc. Running out of memory ends the program with one line:
// no caller could do better, so none has to check.
#ifndef TTP_BASE_DATA_MEM_H
#define TTP_BASE_DATA_MEM_H

#include <stddef.h>

void *mem_alloc(size_t bytes);             // zeroed, never NULL
void *mem_resize(void *old, size_t bytes); // new bytes are not zeroed, never NULL
void mem_free(void *p);

// count * size; overflow ends the program like running out of memory.
size_t mem_bytes(size_t size, size_t count);

#endif
