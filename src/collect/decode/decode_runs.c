// decode_runs.c - finds the execution of the program that a run's words belong to.
#include "collect/decode/decode_parts.h"
#include "collect/decode/enrich.h"

struct member {
    int64_t trace, program;
};

static void count_replays(struct chip_plan *p)
{
    for (size_t i = p->nth.n; i < p->chip->replayed.n; i++) {
        int id = p->chip->replayed.v[i];
        uint32_t at = map_get(&p->trace_ids, (str){(const char *)&id, sizeof id});
        if (at == MAP_NONE) {
            // The list of replays moves when it grows, so the key is allocated separately.
            int *key = mem_alloc(sizeof *key);
            *key = id;
            at = map_put(&p->trace_ids, (str){(const char *)key, sizeof *key});
            vec_push(&p->replays, 0);
        }
        vec_push(&p->nth, ++p->replays.v[at]);
    }
}

static void put_members(struct chip_plan *p, size_t trace)
{
    const struct trace_record *t = &p->chip->traces.v[trace];
    for (size_t i = p->n_members.v[trace]; i < t->programs.n; i++) {
        struct member m = {t->id, t->programs.v[i]};
        if (map_get(&p->members, (str){(const char *)&m, sizeof m}) != MAP_NONE)
            continue;
        struct member *key = mem_alloc(sizeof *key);
        *key = m;
        (void)map_put(&p->members, (str){(const char *)key, sizeof *key});
    }
    p->n_members.v[trace] = t->programs.n;
}

void chip_plan_update(struct chip_plan *p, const struct chip_record *chip)
{
    p->chip = chip;
    p->epoch = chip->clock_at_open >> TT_MARKER_TIME_BITS << TT_MARKER_TIME_BITS;
    count_replays(p);
    for (size_t i = 0; i < chip->traces.n; i++) {
        if (i == p->n_members.n)
            vec_push(&p->n_members, 0);
        put_members(p, i);
    }
}

static void free_keys(struct map *m)
{
    for (size_t i = 0; i < m->keys.n; i++)
        mem_free((void *)m->keys.v[i].p);
    map_free(m);
}

void chip_plan_free(struct chip_plan *p)
{
    for (size_t i = 0; i < p->n_states; i++) {
        vec_free(&p->states[i].open);
        vec_free(&p->states[i].held);
        vec_free(&p->states[i].seen);
        arena_free(&p->states[i].held_names);
    }
    mem_free(p->states);
    mem_free(p->order);
    free_keys(&p->trace_ids);
    free_keys(&p->members);
    vec_free(&p->replays);
    vec_free(&p->nth);
    vec_free(&p->n_members);
}

// --- runs of a lane --------------------------------------------------------------------

// Adds what the host knows about the program.
static void set_program(struct decode_lane *l, struct lane_run *run)
{
    const struct chip_record *chip = l->d->chips.v[l->track->chip].chip;
    const struct program_record *r =
        collection_program(chip, (uint32_t)(run->key.id >> 10));
    if (!r)
        return;
    struct meta m = {0};
    run->sub_device = r->sub_device;
    run->sub_device_manager = r->sub_device_manager;
    meta_run(&m, run);
    if (!m.n)
        return;
    run->meta = meta_make(&m, &l->text, &l->arena);
    l->has_meta = true;
}

uint32_t lane_run_of(struct decode_lane *l, const struct run_key *k)
{
    uint32_t run = map_put_copy(&l->run_keys, k, sizeof *k, &l->arena);
    if (run == l->runs.n) {
        vec_push(&l->runs,
                 (struct lane_run){.key = *k, .sub_device = -1, .sub_device_manager = -1});
        vec_push(&l->run_number, 0);
        if (k->id >> 10 && !k->is_replay) // program 0 is none
            set_program(l, &l->runs.v[run]);
    }
    return run;
}

// Counters are the low 16 bits of a growing number; the host knows how large it can be.
static uint64_t whole_counter(struct track_state *s, uint32_t counter, size_t n_replayed)
{
    uint64_t ahead = s->counter + ((counter - (uint32_t)s->counter) & 0xFFFF);
    if (ahead <= n_replayed)
        return s->counter = ahead;
    // Sent late, or not a counter.
    return ahead > UINT16_MAX && ahead - 0x10000 <= n_replayed ? ahead - 0x10000 : ahead;
}

// In trace-only mode the cores of workers number replays instead of programs.
static bool numbers_replays(const struct decode_lane *l)
{
    return l->d->c->options.trace_only && str_is(l->risc, "TENSIX_RISC_AGG");
}

static uint32_t new_run(struct decode_lane *l, const struct run_words *w)
{
    const struct chip_plan *p = &l->d->chips.v[w->chip];
    struct run_key k = {.chip = p->chip->id,
                        .trace_id = -1,
                        .trace_counter = -1,
                        .is_replay = numbers_replays(l)};
    if (w->base)
        k.id = (int64_t)w->base << 10 | (p->chip->id & 0x3FF);
    if (w->counter && w->counter <= p->nth.n) {
        int trace = p->chip->replayed.v[w->counter - 1];
        struct member m = {trace, w->base};
        if (k.is_replay ||
            map_get(&p->members, (str){(const char *)&m, sizeof m}) != MAP_NONE) {
            k.trace_id = trace;
            k.trace_counter = p->nth.v[w->counter - 1];
        }
    }
    return lane_run_of(l, &k);
}

uint32_t lane_run(struct decode_lane *l, uint32_t base, uint32_t counter)
{
    const struct chip_plan *p = &l->d->chips.v[l->track->chip];
    const struct profiler_options *o = &l->d->c->options;
    // Older devices do not number replays in programs beside dispatch kernels.
    bool has_counter = !o->trace_only && (!o->dispatch || l->d->c->layout == WORDS_V2);
    struct run_words w;
    memset(&w, 0, sizeof w);
    if (numbers_replays(l))
        w.counter = base;
    else if (has_counter && (counter || l->track->state->counter))
        w.counter = whole_counter(l->track->state, counter, p->nth.n);
    w.chip = l->track->chip;
    w.base = base;
    l->replays_unknown += w.counter > p->nth.n;
    // Every track has the same runs in the same order, so try the next one first.
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t at = l->run_hint + i;
        if (at >= l->run_words.n)
            break;
        const struct run_words *is = &l->run_words.v[at];
        if (is->base == base && is->counter == w.counter && is->chip == w.chip) {
            l->run_hint = at;
            return is->run;
        }
    }
    uint32_t at = map_put_copy(&l->run_words_keys, &w, sizeof w, &l->arena);
    if (at == l->run_words.n) {
        w.run = new_run(l, &w);
        vec_push(&l->run_words, w);
    }
    l->run_hint = at;
    return l->run_words.v[at].run;
}

uint32_t lane_extra(struct decode_lane *l, const struct extra_site *site)
{
    l->text.n = 0;
    buf_printf(&l->text, "%u,%u,%u,%lld,", site->type, site->id, site->legacy,
               (long long)site->line);
    buf_str(&l->text, site->name);
    buf_char(&l->text, '\0');
    buf_str(&l->text, site->file);
    uint32_t at = map_put_copy(&l->extra_keys, l->text.p, l->text.n, &l->arena);
    if (at == l->extra.n) {
        vec_push(&l->extra, *site);
        l->extra.v[at].name = arena_str(&l->arena, site->name);
        l->extra.v[at].file = arena_str(&l->arena, site->file);
        vec_push(&l->extra_number, 0);
    }
    return SITE_EXTRA + at;
}
