// analysis.c - decides which markers a condition selects.
#include "analyse/fold/analysis.h"

static bool name_fits(str want, str name, bool has_star)
{
    if (str_eq(want, name))
        return true;
    return has_star && want.n && want.p[want.n - 1] == '*' &&
           str_has(name, (str){want.p, want.n - 1});
}

bool condition_fits_site(const struct condition *c, const struct trace *t, uint32_t site,
                         bool has_star)
{
    const struct trace_site *s = &t->sites.v[site];
    if (c->timer_id >= 0 && (uint64_t)c->timer_id != s->timer_id)
        return false;
    if (c->phase.n && !str_eq(c->phase, trace_text(t, s->type_text)))
        return false;
    for (size_t i = 0; i < c->n_names; i++)
        if (name_fits(c->names[i], trace_text(t, s->name), has_star))
            return true;
    return c->n_names == 0;
}

static bool risc_fits(str riscs, str name)
{
    if (str_is(riscs, "ANY"))
        return true;
    do {
        if (name_fits(str_trim(str_cut(&riscs, ',')), name, true))
            return true;
    } while (riscs.n);
    return false;
}

bool condition_fits_track(const struct condition *c, const struct trace *t, uint32_t track,
                          bool by_core)
{
    const struct trace_track *k = &t->tracks.v[track];
    const struct trace_core *core = &t->cores.v[k->core];
    return risc_fits(c->risc, trace_text(t, k->risc)) &&
           (!by_core || !c->has_core || (core->x == c->x && core->y == c->y));
}
