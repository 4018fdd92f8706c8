// zones_table.c - a row per source location, or per location and thread or process.
#include "present/reports/zones_table.h"

#include <math.h>
#include <stdio.h>

static const struct zones_view *view_at(const struct row *r)
{
    return r->table->context;
}
static const struct zone_row *zone_at(const struct row *r)
{
    return r->data;
}
static str string_at(const struct row *r, uint32_t id)
{
    return view_at(r)->run->strings.keys.v[id];
}
static const struct trace_site *place_at(const struct row *r)
{
    return &view_at(r)->run->sites.v[zone_at(r)->site];
}

// Rows without a finished zone have only a count.
GETTER(get_measured)
{
    return zone_at(r)->count ? at_real(c, r) : cell_none();
}
GETTER(get_counted)
{
    return zone_at(r)->count ? at_u64(c, r) : cell_none();
}

GETTER(get_share)
{
    const struct zone_row *z = zone_at(r);
    uint64_t total = view_at(r)->choice->is_self ? z->self : z->total;
    uint64_t end = view_at(r)->run->own_end_ns;
    if (!z->count || z->is_virtual)
        return cell_none();
    return cell_real(end ? 100.0 * (double)total / (double)end : NAN);
}

// A text of the source location; `arg` is the offset of its id there.
GETTER(get_place_text)
{
    const char *place = (const char *)place_at(r);
    return cell_plain(string_at(r, *(const uint32_t *)(place + c->arg)));
}
GETTER(get_line)
{
    return cell_int(place_at(r)->line);
}

GETTER(get_source)
{
    str file = str_base_name(string_at(r, place_at(r)->file));
    if (file.n && !place_at(r)->line) // a C function called by Python
        return cell_plain(file);
    return cell_plain(
        arena_printf(r->scratch, "%.*s:%lld", STR(file), (long long)place_at(r)->line));
}
GETTER(get_process)
{
    const struct trace_process *p = &view_at(r)->run->processes.v[zone_at(r)->process];
    str program = str_base_name(string_at(r, p->program));
    return cell_plain(
        arena_printf(r->scratch, "%u%s%.*s", p->pid, program.n ? " " : "", STR(program)));
}
GETTER(get_thread)
{
    const struct trace_track *track = &view_at(r)->run->tracks.v[zone_at(r)->track];
    str name = string_at(r, track->name);
    if (track->kind == TRACK_FIBER)
        return cell_plain(arena_printf(r->scratch, "fiber %.*s", STR(name)));
    return cell_plain(
        arena_printf(r->scratch, "%u%s%.*s", track->tid, name.n ? " " : "", STR(name)));
}

static const struct column all_columns[] = {
    // clang-format off
    {.name = "Total %", .csv_name = "Total % [%]", .type = CELL_REAL, .unit = UNIT_PERCENT, .decimals = 2, .get = get_share},
    {.name = "Total", .csv_name = "Total [ns]", .type = CELL_INT, .unit = UNIT_NANOS, .get = get_counted, MEMBER(struct zone_row, total)},
    {.name = "Self", .csv_name = "Self [ns]", .type = CELL_INT, .unit = UNIT_NANOS, .get = get_counted, MEMBER(struct zone_row, self)},
    {.name = "Count", .type = CELL_INT, .get = at_u64, MEMBER(struct zone_row, count)},
    {.name = "Mean", .csv_name = "Mean [ns]", .type = CELL_REAL, .unit = UNIT_NANOS, .decimals = 0, .get = get_measured, MEMBER(struct zone_row, mean)},
    {.name = "Min", .csv_name = "Min [ns]", .type = CELL_INT, .unit = UNIT_NANOS, .rank = 4, .get = get_counted, MEMBER(struct zone_row, min)},
    {.name = NULL}, // percentiles
    {.name = "Max", .csv_name = "Max [ns]", .type = CELL_INT, .unit = UNIT_NANOS, .rank = 3, .get = get_counted, MEMBER(struct zone_row, max)},
    {.name = "Std", .csv_name = "Std [ns]", .type = CELL_REAL, .unit = UNIT_NANOS, .decimals = 0, .rank = 6, .get = get_measured, MEMBER(struct zone_row, std)},
    {.name = "Open", .type = CELL_INT, .rank = 2, .get = at_u64, MEMBER(struct zone_row, n_open)},
    {.name = "Process", .type = CELL_TEXT, .is_left = true, .rank = 1, .get = get_process},
    {.name = "Thread", .type = CELL_TEXT, .is_left = true, .rank = 1, .get = get_thread},
    {.name = "Zone", .type = CELL_TEXT, .is_left = true, .get = get_place_text, .arg = offsetof(struct trace_site, name)},
    {.name = "Source", .type = CELL_TEXT, .is_left = true, .rank = 5, .get = get_source},
    {.name = "Function", .type = CELL_TEXT, .is_left = true, .is_detail = true, .get = get_place_text, .arg = offsetof(struct trace_site, function)},
    {.name = "File", .type = CELL_TEXT, .is_left = true, .is_detail = true, .get = get_place_text, .arg = offsetof(struct trace_site, file)},
    {.name = "Line", .type = CELL_INT, .is_detail = true, .has_no_commas = true, .get = get_line},
    // clang-format on
};

static bool is_wanted(const struct zones_view *v, const struct column *c)
{
    if (c->get == get_thread)
        return v->choice->by == ZONES_BY_THREAD;
    if (c->get == get_process)
        return v->choice->by != ZONES_BY_PLACE;
    if (c->at != offsetof(struct zone_row, n_open))
        return true;
    for (size_t i = 0; i < v->stats->rows.n; i++)
        if (v->stats->rows.v[i].n_open)
            return true;
    return false;
}

static size_t add_percentiles(struct zones_view *v, size_t at)
{
    for (size_t i = 0; i < v->choice->n_percentiles; i++) {
        (void)snprintf(v->names[i][0], sizeof v->names[i][0], "P%g",
                       v->choice->percentiles[i]);
        (void)snprintf(v->names[i][1], sizeof v->names[i][1], "P%g [ns]",
                       v->choice->percentiles[i]);
        v->columns[at] = (struct column){.name = v->names[i][0],
                                         .csv_name = v->names[i][1],
                                         .type = CELL_REAL,
                                         .unit = UNIT_NANOS,
                                         .rank = 4,
                                         .get = get_measured,
                                         .at = offsetof(struct zone_row, percentiles) +
                                               i * sizeof(double)};
        at++;
    }
    return at;
}

void zones_view_make(struct zones_view *v, const struct trace *r,
                     const struct zone_stats *s, const struct zone_choice *choice)
{
    *v = (struct zones_view){.run = r, .stats = s, .choice = choice};
    size_t n = 0;
    for (size_t i = 0; i < sizeof all_columns / sizeof *all_columns; i++) {
        if (!all_columns[i].name)
            n = add_percentiles(v, n);
        else if (is_wanted(v, &all_columns[i]))
            v->columns[n++] = all_columns[i];
    }
    v->table = (struct table){.id = "zones",
                              .title = choice->is_self ? "Zones, self times" : "Zones",
                              .columns = v->columns,
                              .n_columns = n,
                              .rows = s->rows.v,
                              .row_bytes = sizeof *s->rows.v,
                              .context = v,
                              .n_rows = s->rows.n,
                              .are_heads_right = true};
}
