// block_tables.c - the table of a process: strings, locations, threads, clocks. Ids of the
// file are mapped to ids of the run, where equal texts and places share one id.
#include <stdlib.h>

#include "trace/blocks.h"
#include "trace/diags.h"

enum {
    ENTRY_LEAST = 16, // bytes
    ID_BEYOND = 1024, // ids of entries that did not fit in the table
};

struct entry {
    struct trace *r;
    struct host_files *f;
    str fields;
};

static void count_damage(struct trace *r, const struct host_files *f, const char *what)
{
    if (diag_count(&r->diag, DIAG_HOST_FILE_DAMAGED))
        diag_note(&r->diag, DIAG_HOST_FILE_DAMAGED, "%s.table: %s", f->name, what);
}

#define GROW(vec, id, fill)                                                                \
    do {                                                                                   \
        while ((vec)->n <= (id))                                                           \
            vec_push((vec), fill);                                                         \
    } while (0)

bool host_id_is_sane(const struct host_files *f, uint64_t id)
{
    uint64_t beyond = f->head.refused < ID_BEYOND ? f->head.refused : ID_BEYOND;
    return id > 0 && id <= f->table.n / ENTRY_LEAST + beyond;
}

uint32_t host_string(const struct host_files *f, uint64_t id)
{
    return id < f->strings.n ? f->strings.v[id] : 0;
}

uint32_t host_place(const struct host_files *f, uint64_t id)
{
    return f->locations.v[id < f->locations.n ? id : 0];
}

uint32_t host_site(struct trace *t, struct trace_site site)
{
    const uint32_t key[] = {site.name, site.function, site.file, (uint32_t)site.line,
                            site.colour};
    uint32_t id = map_put_copy(&t->blocks->places, key, sizeof key, &t->arena);
    if (t->blocks->first_site + id == t->sites.n)
        vec_push(&t->sites, site);
    return t->blocks->first_site + id;
}

static bool read_string(const struct entry *e)
{
    uint32_t head[2];
    memcpy(head, e->fields.p, sizeof head);
    if (!host_id_is_sane(e->f, head[0]) || head[1] > e->fields.n - sizeof head)
        return false;
    str text = {e->fields.p + sizeof head, head[1]};
    GROW(&e->f->strings, head[0], 0);
    e->f->strings.v[head[0]] = map_put(&e->r->strings, text);
    return true;
}

static bool read_location(const struct entry *e)
{
    struct tt_location l;
    memcpy(&l, e->fields.p, sizeof l);
    if (!host_id_is_sane(e->f, l.id))
        return false;
    struct trace_site place = {
        .name = host_string(e->f, l.name ? l.name : l.function),
        .function = host_string(e->f, l.function),
        .file = host_string(e->f, l.file),
        .line = l.line,
        .colour = l.colour,
    };
    uint32_t site = host_site(e->r, place);
    GROW(&e->f->locations, l.id, e->f->locations.v[0]);
    e->f->locations.v[l.id] = site;
    return true;
}

static bool read_thread(const struct entry *e)
{
    struct tt_thread t;
    memcpy(&t, e->fields.p, sizeof t);
    if (!host_id_is_sane(e->f, t.thread))
        return false;
    GROW(&e->f->threads, t.thread, (struct host_thread){0});
    struct host_thread *to = &e->f->threads.v[t.thread];
    to->tid = t.tid;
    to->start_ns = t.start_ns;
    to->is_known = true;
    return true;
}

static bool read_thread_name(const struct entry *e)
{
    uint32_t v[2];
    memcpy(v, e->fields.p, sizeof v);
    if (!host_id_is_sane(e->f, v[0]))
        return false;
    GROW(&e->f->threads, v[0], (struct host_thread){0});
    e->f->threads.v[v[0]].name = host_string(e->f, v[1]);
    return true;
}

static bool read_thread_end(const struct entry *e)
{
    struct tt_thread_end end;
    memcpy(&end, e->fields.p, sizeof end);
    if (!host_id_is_sane(e->f, end.thread))
        return false;
    GROW(&e->f->threads, end.thread, (struct host_thread){0});
    struct host_thread *to = &e->f->threads.v[end.thread];
    to->end_ns = end.end_ns;
    to->is_told = true;
    to->events = end.events;
    memcpy(to->lost, end.lost, sizeof to->lost);
    return true;
}

static bool read_clock(const struct entry *e)
{
    struct tt_clock c;
    memcpy(&c, e->fields.p, sizeof c);
    if (!host_id_is_sane(e->f, c.clock))
        return false;
    GROW(&e->f->clocks, c.clock, (struct host_clock){0});
    e->f->clocks.v[c.clock].kind = c.kind;
    e->f->clocks.v[c.clock].is_told = true;
    return true;
}

static bool read_clock_pair(const struct entry *e)
{
    struct tt_clock_pair p;
    memcpy(&p, e->fields.p, sizeof p);
    if (!host_id_is_sane(e->f, p.clock))
        return false;
    GROW(&e->f->clocks, p.clock, (struct host_clock){0});
    vec_push(&e->f->pairs, (struct host_pair){p.clock, p.spread, p.ticks, p.ns});
    return true;
}

static bool read_text(const struct entry *e, uint32_t *to)
{
    uint32_t id;
    memcpy(&id, e->fields.p, sizeof id);
    *to = host_string(e->f, id);
    return true;
}
static bool read_program(const struct entry *e)
{
    return read_text(e, &e->f->program);
}
static bool read_arguments(const struct entry *e)
{
    return read_text(e, &e->f->arguments);
}
static bool read_app_info(const struct entry *e)
{
    return read_text(e, &e->f->app_info);
}

static bool read_fiber(const struct entry *e)
{
    e->f->has_fibers = true;
    return true;
}

static bool read_nothing(__attribute__((unused)) const struct entry *e)
{
    return true;
}

static const struct {
    size_t bytes; // of its fields, at least
    bool (*read)(const struct entry *e);
} kinds[] = {
    // clang-format off
    [TT_ENTRY_STRING]      = {8, read_string},
    [TT_ENTRY_LOCATION]    = {sizeof(struct tt_location), read_location},
    [TT_ENTRY_THREAD]      = {sizeof(struct tt_thread), read_thread},
    [TT_ENTRY_THREAD_NAME] = {8, read_thread_name},
    [TT_ENTRY_CLOCK]       = {sizeof(struct tt_clock), read_clock},
    [TT_ENTRY_CLOCK_PAIR]  = {sizeof(struct tt_clock_pair), read_clock_pair},
    [TT_ENTRY_APP_INFO]    = {8, read_app_info},
    [TT_ENTRY_PROGRAM]     = {8, read_program},
    [TT_ENTRY_LOCK]        = {8, read_nothing},
    [TT_ENTRY_LOCK_NAME]   = {8, read_nothing},
    [TT_ENTRY_PLOT]        = {sizeof(struct tt_plot), read_nothing},
    [TT_ENTRY_ARGUMENTS]   = {8, read_arguments},
    [TT_ENTRY_FIBER]       = {8, read_fiber},
    [TT_ENTRY_THREAD_END]  = {sizeof(struct tt_thread_end), read_thread_end},
    // clang-format on
};

// Sorts by clock and is stable: pairs of one clock stay in time order.
static int by_clock(const void *a, const void *b)
{
    const struct host_pair *x = a, *y = b;
    if (x->clock != y->clock)
        return x->clock < y->clock ? -1 : 1;
    if (x->ticks != y->ticks)
        return x->ticks < y->ticks ? -1 : 1;
    return (x->ns > y->ns) - (x->ns < y->ns);
}

static void fit_clocks(struct trace *r, struct host_files *f)
{
    if (f->pairs.n)
        qsort(f->pairs.v, f->pairs.n, sizeof *f->pairs.v, by_clock);
    for (size_t at = 0, end; at < f->pairs.n; at = end) {
        uint32_t clock = f->pairs.v[at].clock;
        for (end = at; end < f->pairs.n && f->pairs.v[end].clock == clock; end++) {
        }
        host_clock_fit(&f->clocks.v[clock], f->pairs.v + at, end - at,
                       r->blocks->control.ticks_per_ns, &r->arena, &r->diag);
    }
    for (size_t i = 0; i < f->clocks.n; i++) {
        if (f->clocks.v[i].n)
            continue;
        host_clock_assume(&f->clocks.v[i], f->head.start_ns, &r->arena);
        if (f->clocks.v[i].is_told && diag_count(&r->diag, DIAG_HOST_CLOCK))
            diag_note(&r->diag, DIAG_HOST_CLOCK, "%s.table: clock %zu", f->name, i);
    }
}

void host_table_read(struct trace *r, struct host_files *f)
{
    GROW(&f->strings, 0, 0);
    GROW(&f->locations, 0, r->blocks->first_site);
    GROW(&f->clocks, 0, (struct host_clock){0});
    GROW(&f->threads, 0, (struct host_thread){0});
    str rest = f->table;
    while (rest.n) {
        uint32_t head[2] = {0};
        if (rest.n >= sizeof head)
            memcpy(head, rest.p, sizeof head);
        if (head[0] < sizeof head || head[0] > rest.n || head[0] % 8) {
            count_damage(r, f, "an entry is truncated; what follows is unknown");
            break;
        }
        struct entry e = {r, f, {rest.p + sizeof head, head[0] - sizeof head}};
        bool is_known = head[1] < sizeof kinds / sizeof *kinds && kinds[head[1]].read;
        if (!is_known || e.fields.n < kinds[head[1]].bytes || !kinds[head[1]].read(&e))
            count_damage(r, f, "an entry is invalid");
        rest = str_from(rest, head[0]);
    }
    fit_clocks(r, f);
    if (f->head.refused)
        count_damage(r, f, "not all names fit");
    struct diag_entry *lost = &r->diag.entry[DIAG_HOST_LOST];
    if (f->head.lost && !lost->count)
        diag_note(&r->diag, DIAG_HOST_LOST, "process %u: no ring for a thread: %s",
                  f->head.pid, strerror((int)f->head.ring_error));
    lost->count += f->head.lost;
}
