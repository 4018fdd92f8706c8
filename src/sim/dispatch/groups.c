// groups.c - see groups.h.
#include "sim/dispatch/groups.h"

uint32_t tile_coordinates(const struct tile *tile)
{
    return (uint32_t)tile->virt.x << 4 | (uint32_t)tile->virt.y << 10;
}

uint32_t rectangle_coordinates(struct chip *chip, struct rectangle r)
{
    const struct tile *from = chip_core(chip, r.from, TT_BRISC);
    const struct tile *to = chip_core(chip, r.to, TT_BRISC);
    return tile_coordinates(to) | tile_coordinates(from) << 12;
}

static bool get_the_same(const struct ttdev_program *p, const struct plan *a,
                         const struct plan *b)
{
    ttdev_xy at = a->tile->logical, bt = b->tile->logical;
    for (unsigned r = 0; r < TT_RISCS; r++)
        if (a->kernel[r] != b->kernel[r])
            return false;
    for (size_t i = 0; i < p->cbs.n; i++)
        if (range_has(p->cbs.v[i].cores, at) != range_has(p->cbs.v[i].cores, bt))
            return false;
    for (size_t i = 0; i < p->sems.n; i++)
        if (range_has(p->sems.v[i].cores, at) != range_has(p->sems.v[i].cores, bt))
            return false;
    return true;
}

static struct group *group_of(struct groups *groups, const struct launch *l,
                              const struct plan *plan)
{
    for (size_t i = 0; i < groups->v.n; i++)
        if (get_the_same(l->program, groups->v.v[i].plan, plan))
            return &groups->v.v[i];
    struct group group = {.plan = plan};
    vec_push(&groups->v, group);
    return &groups->v.v[groups->v.n - 1];
}

// Cores come row by row: a core prolongs the group's last rectangle if that is part of the
// same row and ends before it.
static void add_core(struct group *group, ttdev_xy at)
{
    if (group->rectangles.n) {
        struct rectangle *last = &group->rectangles.v[group->rectangles.n - 1];
        if (last->to.y == at.y && last->to.x == at.x - 1) {
            last->to.x = at.x;
            return;
        }
    }
    vec_push(&group->rectangles, (struct rectangle){at, at});
}

// Joins pieces of rows that stand exactly above each other.
static void join_rows(struct group *group)
{
    size_t kept = 0;
    for (size_t i = 0; i < group->rectangles.n; i++) {
        struct rectangle row = group->rectangles.v[i];
        size_t k = 0;
        while (k < kept) {
            const struct rectangle *above = &group->rectangles.v[k];
            if (above->to.y == row.from.y - 1 && above->from.x == row.from.x &&
                above->to.x == row.to.x)
                break;
            k++;
        }
        if (k < kept)
            group->rectangles.v[k].to.y = row.to.y;
        else
            group->rectangles.v[kept++] = row;
    }
    group->rectangles.n = kept;
}

void groups_make(struct groups *groups, const struct launch *l)
{
    for (int i = 0; i < l->chip->n_tiles; i++) {
        const struct plan *plan = &l->plans[i];
        if (plan->tile && !tile_is_eth(plan->tile))
            add_core(group_of(groups, l, plan), plan->tile->logical);
    }
    for (size_t i = 0; i < groups->v.n; i++)
        join_rows(&groups->v.v[i]);
}

void groups_free(struct groups *groups)
{
    for (size_t i = 0; i < groups->v.n; i++)
        vec_free(&groups->v.v[i].rectangles);
    vec_free(&groups->v);
}
