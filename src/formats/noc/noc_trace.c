// noc_trace.c - splits markers by program and writes a file for each.
#include "formats/noc/noc_trace.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/data/sort.h"
#include "base/text/json.h"

#include "formats/noc/noc_trace_parts.h"
#include "ttprof/profiler_words.h"

enum { INDENT = 2 };

const char *noc_name(int noc)
{
    return noc == 0 ? "NOC_0" : noc == 1 ? "NOC_1" : "UNDEF";
}

bool noc_place(const struct noc_program *p, int noc, int x, int y, int *out_x, int *out_y)
{
    if (x < 0 || y < 0 || noc < 0)
        return false;
    return p->facts->to_noc0(p->facts->context, p->chip, noc, x, y, out_x, out_y);
}

void noc_warn(struct noc_program *p, const char *text)
{
    if (!str_has(buf_view(&p->warnings), str_of(text)))
        buf_printf(&p->warnings, "%s\n", text);
}

// --- which markers ---------------------------------------------------------------------

struct chosen {
    enum { LEFT_OUT, ZONE, EVENT } what;
    bool needs_data_mover; // only on BRISC and NCRISC
};

// The profiler's own zones are not part of the program, and firmware is the same in all.
static struct chosen choose_site(const struct trace *t, const struct trace_site *s)
{
    static const char *const own[] = {"SYNC-ZONE-SENDER", "SYNC-ZONE-RECEIVER",
                                      "PROFILER-NOC-QUICK-SEND", "PROFILER-NOC-QUICK-PUSH"};
    if (s->type == MARKER_TS_DATA && s->timer_id == TT_ID_NOC_EVENT)
        return (struct chosen){EVENT, false};
    if (s->type > MARKER_ZONE_END)
        return (struct chosen){LEFT_OUT, false};
    str name = trace_text(t, s->name);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (str_is(name, own[i]))
            return (struct chosen){LEFT_OUT, false};
    if (str_ends(name, S("-FW")))
        return (struct chosen){LEFT_OUT, false};
    return (struct chosen){ZONE, str_ends(name, S("-KERNEL"))};
}

// --- programs --------------------------------------------------------------------------

struct place_key {
    int64_t chip;
    int32_t x, y;
    uint32_t rank, track;
};

static int by_place(const void *a, const void *b)
{
    const struct place_key *x = a, *y = b;
    SORT_BY(x, y, chip);
    SORT_BY(x, y, x);
    SORT_BY(x, y, y);
    SORT_BY(x, y, rank);
    SORT_BY(x, y, track);
    return 0;
}

// Tracks sorted by chip, core and RISC.
static uint32_t *order_tracks(const struct trace *t, struct arena *a)
{
    struct place_key *keys = push_many(a, struct place_key, t->tracks.n + 1);
    uint32_t *order = push_many(a, uint32_t, t->tracks.n + 1);
    for (size_t k = 0; k < t->tracks.n; k++) {
        const struct trace_core *core = &t->cores.v[t->tracks.v[k].core];
        keys[k] =
            (struct place_key){t->devices.v[core->device].id, core->x, core->y,
                               risc_rank(trace_text(t, t->tracks.v[k].risc)), (uint32_t)k};
    }
    qsort(keys, t->tracks.n, sizeof *keys, by_place);
    for (size_t k = 0; k < t->tracks.n; k++)
        order[k] = keys[k].track;
    return order;
}

struct run_key {
    int64_t device, id, trace_id, trace_counter;
};

// All executions with the same ids are one program here.
struct programs {
    const struct trace *t;
    const struct noc_facts *facts;
    struct arena arena;
    struct map keys;
    uint32_t *of_run;
    VEC(struct noc_program) v;
    VEC(uint32_t) first_run; // by program
    uint32_t *tracks;
    struct chosen *chosen; // by site
};

static void number_programs(struct programs *all)
{
    const struct trace *t = all->t;
    all->of_run = push_many(&all->arena, uint32_t, t->runs.n + 1);
    for (size_t r = 0; r < t->runs.n; r++) {
        const struct trace_run *run = &t->runs.v[r];
        struct run_key key = {run->device, run->id, run->trace_id, run->trace_counter};
        uint32_t i = map_put_copy(&all->keys, &key, sizeof key, &all->arena);
        all->of_run[r] = i;
        if (i < all->v.n)
            continue;
        const struct noc_facts *f = all->facts;
        vec_push(&all->v, (struct noc_program){
                              .t = t,
                              .facts = f,
                              .chip = t->devices.v[run->device].id,
                              .op_name = f->op_name ? f->op_name(f->context, run) : S(""),
                              .tracks = all->tracks,
                          });
        vec_push(&all->first_run, (uint32_t)r);
    }
}

static void take_track(struct programs *all, uint32_t place)
{
    const struct trace *t = all->t;
    const struct noc_facts *f = all->facts;
    const struct trace_track *k = &t->tracks.v[all->tracks[place]];
    int64_t chip = t->devices.v[t->cores.v[k->core].device].id;
    str risc = trace_text(t, k->risc);
    bool is_data_mover = str_is(risc, "BRISC") || str_is(risc, "NCRISC");
    const struct trace_datum *data = t->data.v; // NULL if no track has data
    size_t d = k->datum, last_d = d + k->n_data;
    for (size_t m = k->marker; m < (size_t)k->marker + k->n_markers; m++) {
        struct chosen chosen = all->chosen[t->markers.site[m]];
        while (d < last_d && data[d].marker < m)
            d++;
        if (chosen.what == LEFT_OUT || (chosen.needs_data_mover && !is_data_mover))
            continue;
        uint64_t time = t->markers.time[m];
        bool has_datum = d < last_d && data[d].marker == m;
        struct noc_marker x = {
            .time = f->corrected ? f->corrected(f->context, chip, time) : time,
            .data = has_datum ? data[d].data : 0,
            .place = place,
            .marker = (uint32_t)m,
            .is_zone = chosen.what == ZONE,
        };
        vec_push(&all->v.v[all->of_run[t->markers.run[m]]].markers, x);
    }
}

// --- files -----------------------------------------------------------------------------

static void put_path(const struct noc_program *p, const struct trace_run *run,
                     const char *folder, struct buf *b)
{
    size_t n = strlen(folder);
    buf_printf(b, "%s%snoc_trace_dev%lld", folder, n && folder[n - 1] == '/' ? "" : "/",
               (long long)p->chip);
    if (p->op_name.n)
        buf_char(b, '_');
    // tt-npe takes only letters, digits and underscores for a name.
    for (size_t i = 0; i < p->op_name.n; i++) {
        char c = p->op_name.p[i];
        bool is_word =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        buf_char(b, is_word ? c : '_');
    }
    buf_printf(b, "_ID%lld", (long long)run->id);
    if (run->trace_id >= 0 && run->trace_counter >= 0)
        buf_printf(b, "_traceID%llu",
                   (unsigned long long)run->trace_id << 32 |
                       (unsigned long long)run->trace_counter);
    buf_z(b, ".json");
    buf_char(b, '\0');
}

static bool write_program(struct noc_program *p, const struct trace_run *run,
                          const char *folder, struct noc_totals *totals, struct err *e)
{
    struct buf path = {0};
    struct out o;
    put_path(p, run, folder, &path);
    totals->files++;
    totals->entries += p->entries.n;
    totals->unknown += p->unknown;
    totals->replaced += access(path.p, F_OK) == 0;
    bool ok = out_open(&o, path.p, e);
    buf_free(&path);
    if (!ok)
        return false;
    struct json j = {.b = &o.b, .is_first = true, .indent = INDENT};
    json_open(&j, '[');
    for (size_t i = 0; i < p->entries.n; i++) {
        noc_put_entry(p, &p->entries.v[i], run, &j);
        out_flush_some(&o);
    }
    json_close(&j, ']');
    buf_char(&o.b, '\n');
    return out_close(&o, e);
}

static void free_programs(struct programs *all)
{
    for (size_t i = 0; i < all->v.n; i++) {
        vec_free(&all->v.v[i].markers);
        vec_free(&all->v.v[i].entries);
        buf_free(&all->v.v[i].warnings);
    }
    vec_free(&all->v);
    vec_free(&all->first_run);
    map_free(&all->keys);
    arena_free(&all->arena);
}

bool noc_trace_write(const struct trace *t, const struct noc_facts *facts,
                     const char *folder, struct buf *warnings, struct noc_totals *totals,
                     struct err *e)
{
    struct programs all = {.t = t, .facts = facts};
    bool ok = true;
    *totals = (struct noc_totals){0};
    all.tracks = order_tracks(t, &all.arena);
    all.chosen = push_many(&all.arena, struct chosen, t->sites.n + 1);
    for (size_t s = 0; s < t->sites.n; s++)
        all.chosen[s] = choose_site(t, &t->sites.v[s]);
    number_programs(&all);
    for (size_t k = 0; k < t->tracks.n; k++)
        take_track(&all, (uint32_t)k);
    for (size_t i = 0; ok && i < all.v.n; i++) {
        struct noc_program *p = &all.v.v[i];
        if (!p->markers.n)
            continue;
        noc_fabric_group(p);
        noc_order_entries(p);
        ok = write_program(p, &t->runs.v[all.first_run.v[i]], folder, totals, e);
        buf_str(warnings, buf_view(&p->warnings));
    }
    free_programs(&all);
    return ok;
}
