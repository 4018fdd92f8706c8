// vec.h - a growing array of any type: declare `struct { T *v; size_t n, cap; } name;` (or
// VEC(T)), zero it, push, free. The elements move when it grows: keep indexes, not
// pointers.
#ifndef TTP_BASE_DATA_VEC_H
#define TTP_BASE_DATA_VEC_H

#include "base/data/mem.h"

#define VEC(T)                                                                             \
    struct {                                                                               \
        T *v;                                                                              \
        size_t n, cap;                                                                     \
    }

// Makes room for `more` elements at the end.
#define vec_reserve(vec, more)                                                             \
    ((vec)->cap - (vec)->n >= (size_t)(more)                                               \
         ? (void)0                                                                         \
         : (void)((vec)->v = vec_grown((vec)->v, &(vec)->cap, (vec)->n + (size_t)(more),   \
                                       sizeof *(vec)->v)))
#define vec_push(vec, ...)                                                                 \
    (vec_reserve((vec), 1), (void)((vec)->v[(vec)->n++] = (__VA_ARGS__)))
#define vec_free(vec) (mem_free((vec)->v), (vec)->v = NULL, (vec)->n = (vec)->cap = 0)

static inline void *vec_grown(void *v, size_t *cap, size_t need, size_t size)
{
    size_t now = *cap < 16 ? 16 : *cap + *cap / 2;
    *cap = now < need ? need : now;
    return mem_resize(v, mem_bytes(size, *cap));
}

#endif
