// kinds.c - numbers the kinds: lines become bits, tracks that match alike become classes,
// and the lines that a site matches on a class of tracks are a kind.
#include "analyse/fold/kinds.h"

static void fit_line(struct fold_kinds *k, const struct fold *f, unsigned line)
{
    const struct trace *t = f->trace;
    const struct fold_line *l = &f->lines[line];
    const uint64_t bit = UINT64_C(1) << line;
    const bool by_core = f->group_of_run || !f->by_core;
    for (uint32_t s = 0; s < t->sites.n; s++) {
        if (l->start && condition_fits_site(l->start, t, s, true))
            k->site[s].start |= bit;
        if (l->end && condition_fits_site(l->end, t, s, true))
            k->site[s].end |= bit;
        if (l->sum && condition_fits_site(l->sum, t, s, false))
            k->site[s].sum |= bit;
    }
    for (uint32_t i = 0; i < t->tracks.n; i++) {
        if (l->start && condition_fits_track(l->start, t, i, by_core))
            k->track[i].start |= bit;
        if (l->end && condition_fits_track(l->end, t, i, by_core))
            k->track[i].end |= bit;
        if (l->sum && condition_fits_track(l->sum, t, i, by_core))
            k->track[i].sum |= bit;
    }
    k->per_core |= l->is_per_core ? bit : 0;
    k->sums |= l->sum ? bit : 0;
}

static void class_tracks(struct fold_kinds *k, const struct fold *f)
{
    for (size_t i = 0; i < f->trace->tracks.n; i++) {
        struct fold_fits *fits = &k->track[i];
        fits->flags = f->track_flags ? f->track_flags[i] : 0;
        size_t c = 0;
        while (c < k->classes.n && memcmp(&k->classes.v[c], fits, sizeof *fits) != 0)
            c++;
        if (c == k->classes.n)
            vec_push(&k->classes, *fits);
        k->class_of[i] = (uint32_t)c;
    }
}

static uint32_t number_kind(struct fold *f, const struct fold_kind *kind)
{
    for (size_t i = 0; i < f->kinds.n; i++) {
        const struct fold_kind *k = &f->kinds.v[i];
        if (k->start == kind->start && k->end == kind->end && k->flags == kind->flags &&
            k->can_begin == kind->can_begin && k->can_end == kind->can_end)
            return (uint32_t)i + 1;
    }
    vec_push(&f->kinds, *kind);
    return (uint32_t)f->kinds.n;
}

static struct fold_kind kind_of(const struct fold_kinds *k, const struct fold *f,
                                const struct fold_fits *class, uint32_t site)
{
    enum marker_type type = f->trace->sites.v[site].type;
    struct fold_kind kind = {.start = k->site[site].start & class->start,
                             .end = k->site[site].end & class->end,
                             .flags = (uint8_t) class->flags,
                             .can_begin = !f->has_edges || type != MARKER_ZONE_END,
                             .can_end = !f->has_edges || type != MARKER_ZONE_START};
    for (unsigned i = 0; i < f->n_lines; i++) {
        uint64_t bit = f->lines[i].is_strict ? UINT64_C(1) << i : 0;
        kind.start &= kind.can_begin ? UINT64_MAX : ~bit;
        kind.end &= kind.can_end ? UINT64_MAX : ~bit;
    }
    if (f->flags)
        kind.flags = f->flags(f, site, &kind);
    return kind;
}

static uint32_t entry_of(const struct fold_kinds *k, struct fold *f,
                         const struct fold_kind *kind)
{
    uint64_t fits = kind->start | kind->end;
    if (!fits && !(kind->flags & FOLD_TAKE))
        return 0;
    return number_kind(f, kind) << KIND_BITS | (fits ? KIND_FITS : 0) |
           (fits & k->per_core ? KIND_ON_CORE : 0) |
           (kind->flags & FOLD_CORE ? KIND_CORE : 0) |
           (kind->flags & FOLD_WATCH ? KIND_WATCH : 0);
}

void fold_kinds_make(struct fold_kinds *k, struct fold *f)
{
    const struct trace *t = f->trace;
    *k = (struct fold_kinds){0};
    k->site = push_many(&k->arena, struct fold_fits, t->sites.n + 1);
    k->track = push_many(&k->arena, struct fold_fits, t->tracks.n + 1);
    k->class_of = push_many(&k->arena, uint32_t, t->tracks.n + 1);
    for (unsigned i = 0; i < f->n_lines; i++)
        fit_line(k, f, i);
    class_tracks(k, f);
    k->entry = push_many(&k->arena, uint32_t, k->classes.n * t->sites.n + 1);
    for (size_t c = 0; c < k->classes.n; c++)
        for (uint32_t s = 0; s < t->sites.n; s++) {
            if (f->skips_id_0 && t->sites.v[s].timer_id == 0)
                continue;
            struct fold_kind kind = kind_of(k, f, &k->classes.v[c], s);
            k->entry[c * t->sites.n + s] = entry_of(k, f, &kind);
        }
}

void fold_kinds_free(struct fold_kinds *k)
{
    vec_free(&k->classes);
    arena_free(&k->arena);
}
