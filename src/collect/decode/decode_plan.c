// decode_plan.c - plans a decoding: which words belong together, in which order, and what
// is known about their ids.
#include <stdlib.h>

#include "collect/decode/decode_parts.h"

// --- names -----------------------------------------------------------------------------

static uint16_t facts_of(str name)
{
    static const struct {
        const char *text;
        uint16_t fact;
    } inside[] = {
        {"DISPATCH", ID_DISPATCH},
        {"process_cmd", ID_COMMAND},
        {"runtime_host_id_dispatch", ID_PROGRAM},
        {"packed_data_dispatch", ID_PACKED},
        {"packed_large_data_dispatch", ID_PACKED_LARGE},
    };
    uint16_t facts = ID_KNOWN;
    for (size_t i = 0; i < sizeof inside / sizeof *inside; i++)
        if (str_has(name, str_of(inside[i].text)))
            facts |= inside[i].fact;
    if (str_ends(name, S("-FW")))
        facts |= ID_FIRMWARE;
    if (str_ends(name, S("-KERNEL")))
        facts |= ID_KERNEL;
    return facts;
}

static void warn_ambiguous(struct decoder *d, uint32_t id)
{
    const struct zone_names *names = &d->c->names;
    if (d->has_warned)
        return;
    d->has_warned = true;
    struct arena a = {0};
    const struct zone_name *which;
    // A marker that fits no candidate gets the names of all of them.
    struct zone_hint any = {.packet = TT_PACKETS, .risc = S(""), .place = PLACE_MAIN};
    str all = names_pick(names, id, &any, &a, &which);
    buf_printf(&d->warnings,
               "%llu zone id(s) stand for several locations, the first is %u: '%.*s'. If "
               "they cannot be distinguished, all names are shown, separated by '|'; "
               "rename one of the zones to give it another id.\n",
               (unsigned long long)names->n_collisions, id, STR(str_clip(all, 200)));
    arena_free(&a);
}

static void find_facts(struct decoder *d)
{
    const struct zone_names *names = &d->c->names;
    if (names->v.n == d->n_names && names->n_collisions == d->n_collisions)
        return;
    d->n_names = names->v.n;
    d->n_collisions = names->n_collisions;
    d->has_ambiguous = d->has_dispatch = false;
    memset(d->facts, 0, sizeof d->facts);
    for (size_t i = 0; i < names->v.n; i++) {
        const struct zone_name *z = &names->v.v[i];
        const struct zone_name *first = names_find(names, z->id);
        if (first->is_assigned && first != z)
            continue; // this is the one
        d->facts[z->id] |= facts_of(z->name);
        d->has_dispatch |= (d->facts[z->id] & ID_DISPATCH) != 0;
        if (names_is_ambiguous(names, z->id)) {
            d->facts[z->id] |= ID_AMBIGUOUS;
            d->has_ambiguous = true;
            warn_ambiguous(d, z->id);
        }
    }
}

// --- tracks ----------------------------------------------------------------------------

struct place { // of a core
    int x, y;
    uint32_t core;
};

static int by_core_position(const void *a, const void *b)
{
    const struct place *p = a, *q = b;
    if (p->x != q->x)
        return p->x < q->x ? -1 : 1;
    if (p->y != q->y)
        return p->y < q->y ? -1 : 1;
    return p->core < q->core ? -1 : p->core > q->core;
}

static void order_cores(struct chip_plan *p, const struct chip_record *chip)
{
    struct place *places = mem_alloc(mem_bytes(sizeof *places, chip->n_cores + 1));
    for (size_t i = 0; i < chip->n_cores; i++)
        places[i] = (struct place){chip->cores[i].x, chip->cores[i].y, (uint32_t)i};
    qsort(places, chip->n_cores, sizeof *places, by_core_position);
    p->order = mem_alloc(mem_bytes(sizeof *p->order, chip->n_cores + 1));
    for (size_t i = 0; i < chip->n_cores; i++)
        p->order[i] = places[i].core;
    mem_free(places);
}

static void update_chips(struct decoder *d)
{
    struct collection *c = d->c;
    while (d->chips.n < c->chips.n) {
        const struct chip_record *chip = &c->chips.v[d->chips.n];
        struct chip_plan p = {.n_states = chip->n_cores * RISCS_MOST};
        p.states = mem_alloc(mem_bytes(sizeof *p.states, p.n_states + 1));
        order_cores(&p, chip);
        vec_push(&d->chips, p);
    }
    for (size_t i = 0; i < c->chips.n; i++) {
        struct chip_record *chip = &c->chips.v[i];
        chip_plan_update(&d->chips.v[i], chip);
        if (!chip->riscs)
            chip->riscs = arena_push(&c->arena,
                                     mem_bytes(sizeof *chip->riscs, chip->n_cores + 1), 16);
        if (!chip->core_health)
            chip->core_health = push_many(&c->arena, struct core_health, chip->n_cores + 1);
    }
}

static bool is_sound(const struct decoder *d, const struct word_block *b)
{
    if (b->chip >= d->chips.n || b->risc >= RISCS_MOST)
        return false;
    const struct chip_record *chip = d->chips.v[b->chip].chip;
    return b->core < chip->n_cores && b->core < d->chips.v[b->chip].n_states / RISCS_MOST &&
           collection_risc_name(d->c, chip, &chip->cores[b->core], b->risc);
}

// Lists all tracks in log row order.
static void list_tracks(struct decoder *d)
{
    d->tracks.n = 0;
    for (uint32_t c = 0; c < d->chips.n; c++) {
        struct chip_plan *p = &d->chips.v[c];
        for (size_t i = 0; i < p->n_states / RISCS_MOST; i++)
            for (uint32_t r = 0; r < RISCS_MOST; r++) {
                uint32_t core = p->order[i];
                struct track_state *s = &p->states[(size_t)core * RISCS_MOST + r];
                vec_push(&d->tracks, (struct track_work){.chip = c,
                                                         .core = core,
                                                         .risc = r,
                                                         .state = s,
                                                         .capacity = s->held.n});
            }
    }
}

// Is there anything to decode or report?
static bool has_news(const struct decoder *d, const struct track_work *w)
{
    const struct chip_record *chip = d->chips.v[w->chip].chip;
    const struct risc_health *h = &chip->riscs[w->core][w->risc];
    const struct track_state *s = w->state;
    if (!collection_risc_name(d->c, chip, &chip->cores[w->core], w->risc))
        return false;
    return w->capacity || (d->is_last && s->open.n) || h->l1_dropped != s->l1_dropped ||
           h->dram_dropped != s->dram_dropped;
}

// Gives each track its blocks in read order; drops tracks that have none.
static void plan_tracks(struct decoder *d)
{
    struct collection *c = d->c;
    uint32_t **track = mem_alloc(mem_bytes(sizeof *track, d->chips.n + 1));
    for (size_t i = 0; i < d->chips.n; i++)
        track[i] = mem_alloc(mem_bytes(sizeof **track, d->chips.v[i].n_states + 1));
    for (size_t k = 0; k < d->tracks.n; k++) {
        const struct track_work *w = &d->tracks.v[k];
        track[w->chip][(size_t)w->core * RISCS_MOST + w->risc] = (uint32_t)k;
    }
    d->next_block = mem_alloc(mem_bytes(sizeof *d->next_block, c->blocks.n + 1));
    for (size_t i = c->blocks.n; i-- > 0;) {
        const struct word_block *b = &c->blocks.v[i];
        if (!is_sound(d, b))
            continue;
        struct track_work *w =
            &d->tracks.v[track[b->chip][(size_t)b->core * RISCS_MOST + b->risc]];
        d->next_block[i] = w->first_block;
        w->first_block = (uint32_t)i + 1;
        w->words += b->n;
        w->capacity += b->n / 2 + 1;
    }
    for (size_t i = 0; i < d->chips.n; i++)
        mem_free(track[i]);
    mem_free(track);
    size_t n = 0;
    for (size_t k = 0; k < d->tracks.n; k++)
        if (has_news(d, &d->tracks.v[k]))
            d->tracks.v[n++] = d->tracks.v[k];
    d->tracks.n = n;
}

void decode_plan(struct decoder *d)
{
    update_chips(d);
    find_facts(d);
    list_tracks(d);
    plan_tracks(d);
}
