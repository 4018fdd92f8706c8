// sync.c - runs epochs: samples of all chips, rounds over links, and the resulting models.
#include "collect/sync/sync.h"

#include "base/text/log.h"

#include "collect/sync/sync_parts.h"

LOG_DOMAIN("collect");

#define SYNC_DUE_NS SYNC_SECOND_NS

// --- chips and links -------------------------------------------------------------------
static void find_chip(struct sync *s, int chip)
{
    struct sync_chip *c = &s->chips[chip];
    if (s->access->get_chip(s->access->device, chip, &c->chip) < 0)
        c->chip = (struct tt_chip){.id = chip};
    if (c->chip.hz <= 0)
        c->chip.hz = 1e9;
    c->model.nominal = c->chip.hz / 1e9;
    for (size_t i = 0; i < c->chip.n_cores && !c->has_core; i++) {
        const struct tt_core *core = &c->chip.cores[i];
        c->has_core = core->kind == TT_CORE_WORKER && core->lx == 0 && core->ly == 0;
        c->core = i;
    }
}

static void find_tree(struct sync *s)
{
    int n = s->access->n_chips, *ids = push_many(&s->arena, int, (size_t)n);
    size_t n_links = s->access->n_links(s->access->device);
    s->links = push_many(&s->arena, struct tt_link, n_links);
    for (size_t i = 0; i < n_links; i++)
        if (s->access->get_link(s->access->device, i, &s->links[s->n_links]) >= 0)
            s->n_links++;
    for (int i = 0; i < n; i++)
        ids[i] = s->chips[i].chip.id;
    s->places = push_many(&s->arena, struct tree_place, (size_t)n);
    s->order = push_many(&s->arena, int, (size_t)n);
    tree_grow(ids, n, s->links, s->n_links, s->places, s->order);
    for (int i = 0; i < n; i++)
        if (s->places[s->order[i]].parent >= 0)
            vec_push(&s->edges, (struct sync_edge){.chip = s->order[i]});
}

struct sync *sync_new(const struct tt_access *access, const struct profiler_options *o)
{
    struct sync *s = mem_alloc(sizeof *s);
    s->table = *access;
    s->access = &s->table;
    s->spacing_ns = o->sync_spacing_us > 0 ? (uint64_t)o->sync_spacing_us * 1000 : 1000000;
    s->is_adaptive = o->sync_adaptive;
    s->is_wanted = o->sync;
    s->chips = push_many(&s->arena, struct sync_chip, (size_t)access->n_chips);
    for (int i = 0; i < access->n_chips; i++)
        find_chip(s, i);
    find_tree(s);
    return s;
}

void sync_free(struct sync *s)
{
    if (!s)
        return;
    for (int i = 0; i < s->access->n_chips; i++) {
        vec_free(&s->chips[i].samples);
        vec_free(&s->chips[i].results);
        clock_model_free(&s->chips[i].model);
    }
    for (size_t i = 0; i < s->edges.n; i++)
        vec_free(&s->edges.v[i].points);
    vec_free(&s->edges);
    buf_free(&s->log);
    arena_free(&s->arena);
    mem_free(s);
}

// --- an epoch --------------------------------------------------------------------------
static void log_result(struct sync *s, const struct sync_chip *c)
{
    const struct sync_result *r = &c->results.v[c->results.n - 1];
    const struct clock_epoch *e = &r->host;
    int id = c->chip.id;
    if (r->is_host_known) {
        double delay = sync_delay(c, e);
        buf_printf(
            &s->log,
            "Host sync data for device: %d, cpu_start:%llu, delay:%.2f, freq:%.3f Hz\n", id,
            (unsigned long long)c->start, delay, e->cycles_per_ns * 1e9);
        buf_printf(
            &s->log,
            "Device %d: %u samples, %u kept, %u missing, residual %.0f ns, error %.0f ns\n",
            id, e->n_samples, e->n_kept, e->n_missing, e->residual_ns, e->error_ns);
    }
    if (r->to_root.is_known && s->places[c - s->chips].parent >= 0)
        buf_printf(
            &s->log,
            "Device %d: %.9f cycles of device %d per cycle, error %.0f ns over links%s\n",
            id, r->to_root.scale, s->chips[s->places[c - s->chips].root].chip.id,
            r->to_root.error_ns, r->is_linked ? "" : ", host samples are better");
    buf_printf(&s->log, "Device %d clock: ", id);
    clock_model_describe(&c->model, &s->log);
    buf_char(&s->log, '\n');
}

// Drops samples of a chip that failed, and stops listing samples in a very long run.
static void drop_samples(struct sync *s, struct sync_chip *c)
{
    bool is_full = c->samples.n > SYNC_LISTED;
    if (is_full && !c->is_full)
        buf_printf(&s->log, "Device %d: samples from epoch %u on are not listed\n",
                   c->chip.id, s->n_epochs);
    c->is_full |= is_full;
    if (is_full || !c->is_sampled)
        c->samples.n = c->first;
}

static void end_epoch(struct sync *s, struct err *e)
{
    struct arena a = {0};
    struct relation *to_root = push_many(&a, struct relation, (size_t)s->access->n_chips);
    sync_relate(s, to_root);
    for (int i = 0; i < s->access->n_chips; i++) { // parents before children
        struct sync_chip *c = &s->chips[s->order[i]];
        struct sync_result r = {.epoch = s->n_epochs, .to_root = to_root[s->order[i]]};
        size_t before = c->results.n;
        r.is_host_known = c->is_sampled && sync_fit_chip(c, &r.host);
        if (c->is_sampled && !r.is_host_known && e->code == ERR_NONE)
            (void)err_set(
                e, ERR_IO, "sync: device %d answered %u of %u samples: too few for a fit",
                c->chip.id, r.host.n_samples - r.host.n_missing, r.host.n_samples);
        sync_put_result(s, s->order[i], &r);
        drop_samples(s, c);
        if (c->results.n > before)
            log_result(s, c);
    }
    arena_free(&a);
}

bool sync_run(struct sync *s, struct err *e)
{
    struct err first = {0};
    sync_take_rounds(s, 0);
    (void)sync_take_samples(s, &first);
    sync_take_rounds(s, 1);
    end_epoch(s, &first);
    log_info("sync of %d chips, epoch %u: %s", s->access->n_chips, s->n_epochs,
             first.code == ERR_NONE ? "ok" : first.text);
    s->n_epochs++;
    s->last_ns = s->access->host_ns(s->access->device);
    if (first.code != ERR_NONE)
        *e = first;
    return first.code == ERR_NONE;
}

// --- results ---------------------------------------------------------------------------
bool sync_is_due(const struct sync *s)
{
    uint64_t now = s->access->host_ns(s->access->device);
    return s->is_wanted && (s->n_epochs == 0 || now - s->last_ns >= SYNC_DUE_NS);
}

const struct clock_model *sync_model(const struct sync *s, int chip)
{
    static const struct clock_model unknown = {.nominal = 1};
    return chip >= 0 && chip < s->access->n_chips ? &s->chips[chip].model : &unknown;
}

struct buf *sync_log(struct sync *s)
{
    return &s->log;
}
