// tracy_laws.h - what holds for the contents of any trace, whatever file they are from.
#ifndef TTP_TESTS_SUPPORT_TRACY_LAWS_H
#define TTP_TESTS_SUPPORT_TRACY_LAWS_H

#include "formats/tracy/tracy.h"

// Zones in order are a forest: every zone has the children it says. `at_children` is the
// offset of that number in a record.
static inline bool tracy_is_forest(const struct pile *zones, size_t at_children)
{
    VEC(uint32_t) open = {0}; // children to come of each open zone
    bool is_right = true;
    for (size_t i = 0; i < zones->n; i++) {
        uint32_t children;
        memcpy(&children, (const char *)pile_at(zones, i) + at_children, sizeof children);
        while (open.n && open.v[open.n - 1] == 0)
            open.n--;
        if (open.n)
            open.v[open.n - 1]--;
        vec_push(&open, children);
    }
    for (size_t i = 0; i < open.n; i++)
        is_right &= open.v[i] == 0;
    vec_free(&open);
    return is_right;
}

static inline bool tracy_has_place(const struct tracy *t, int32_t place)
{
    return place == 0 || (place > 0 ? (size_t)place < t->places.n
                                    : (size_t) - (place + 1) < t->made_places.n);
}

static inline const char *tracy_loose_thread(const struct tracy *t,
                                             const struct tracy_thread *th)
{
    if (!tracy_is_forest(&th->zones, offsetof(struct tracy_zone, children)))
        return "zones of a thread are not a forest";
    for (size_t k = 0; k < th->zones.n; k++) {
        const struct tracy_zone *z = pile_at(&th->zones, k);
        if (!tracy_has_place(t, z->place))
            return "a zone has no place";
        if (z->extra && z->extra >= t->extras.n)
            return "a zone has no extra";
    }
    for (size_t k = 0; k < th->messages.n; k++)
        if (th->messages.v[k] >= t->messages.n)
            return "a thread has no message";
    return NULL;
}

static inline const char *tracy_loose_lane(const struct tracy *t,
                                           const struct tracy_lane *lane)
{
    if (!tracy_is_forest(&lane->zones, offsetof(struct tracy_gpu_zone, children)))
        return "zones of a lane are not a forest";
    for (size_t k = 0; k < lane->zones.n; k++)
        if (!tracy_has_place(
                t, ((const struct tracy_gpu_zone *)pile_at(&lane->zones, k))->place))
            return "a device zone has no place";
    return NULL;
}

// NULL, or what refers to something that is not there.
static inline const char *tracy_loose_end(const struct tracy *t)
{
    const char *loose = NULL;
    for (size_t i = 0; i < t->threads.n && !loose; i++)
        loose = tracy_loose_thread(t, &t->threads.v[i]);
    for (size_t i = 0; i < t->gpus.n && !loose; i++)
        for (size_t k = 0; k < t->gpus.v[i].lanes.n && !loose; k++)
            loose = tracy_loose_lane(t, &t->gpus.v[i].lanes.v[k]);
    for (size_t i = 0; i < t->extras.n && !loose; i++) {
        const struct tracy_extra *x = pile_at(&t->extras, i);
        if (x->text > t->strings.keys.n || x->name > t->strings.keys.n)
            loose = "an extra has no text";
    }
    if (!loose && t->place_keys.n != t->places.n)
        loose = "a place has no key";
    return loose;
}

#endif
