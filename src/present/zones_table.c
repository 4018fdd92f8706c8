// zones_table.c - a row per place in the source, or per place and thread or process.
#include "present/zones_table.h"

#include <math.h>
#include <stdio.h>

static const struct zones_view *view_of(const struct table *t)
{
    return t->rows;
}
static const struct zone_row *row_of(const struct table *t, size_t row)
{
    return &view_of(t)->stats->rows.v[row];
}
static str string_of(const struct table *t, uint32_t id)
{
    return view_of(t)->run->strings.keys.v[id];
}
static const struct host_location *place_of(const struct table *t, size_t row)
{
    return &view_of(t)->run->locations.v[row_of(t, row)->location];
}

static struct cell plain(str s)
{
    struct cell c = cell_text(s);
    c.is_plain = true;
    return c;
}

// Of rows without a finished zone only their number is known.
static struct cell measured(const struct table *t, size_t row, double v)
{
    return row_of(t, row)->count ? cell_real(v) : cell_none();
}
static struct cell counted(const struct table *t, size_t row, uint64_t v)
{
    return row_of(t, row)->count ? cell_int((int64_t)v) : cell_none();
}

GETTER(get_share)
{
    const struct host_run *r = view_of(t)->run;
    uint64_t total =
        view_of(t)->choice->is_self ? row_of(t, row)->self : row_of(t, row)->total;
    return measured(t, row, r->end_ns ? 100.0 * (double)total / (double)r->end_ns : NAN);
}
GETTER(get_total)
{
    return counted(t, row, row_of(t, row)->total);
}
GETTER(get_self)
{
    return counted(t, row, row_of(t, row)->self);
}
GETTER(get_count)
{
    return cell_int((int64_t)row_of(t, row)->count);
}
GETTER(get_open)
{
    return cell_int((int64_t)row_of(t, row)->n_open);
}
GETTER(get_mean)
{
    return measured(t, row, row_of(t, row)->mean);
}
GETTER(get_min)
{
    return counted(t, row, row_of(t, row)->min);
}
GETTER(get_max)
{
    return counted(t, row, row_of(t, row)->max);
}
GETTER(get_std)
{
    return measured(t, row, row_of(t, row)->std);
}
GETTER(get_name)
{
    return plain(string_of(t, place_of(t, row)->name));
}
GETTER(get_function)
{
    return plain(string_of(t, place_of(t, row)->function));
}
GETTER(get_file)
{
    return plain(string_of(t, place_of(t, row)->file));
}
GETTER(get_line)
{
    return cell_int(place_of(t, row)->line);
}
GETTER(get_source)
{
    str file = string_of(t, place_of(t, row)->file);
    const char *slash = file.n ? memrchr(file.p, '/', file.n) : NULL;
    if (slash)
        file = str_from(file, (size_t)(slash - file.p) + 1);
    return plain(arena_printf(scratch, "%.*s:%u", STR(file), place_of(t, row)->line));
}
GETTER(get_process)
{
    const struct host_process *p = &view_of(t)->run->processes.v[row_of(t, row)->process];
    str program = string_of(t, p->program);
    const char *slash = program.n ? memrchr(program.p, '/', program.n) : NULL;
    if (slash)
        program = str_from(program, (size_t)(slash - program.p) + 1);
    return plain(
        arena_printf(scratch, "%u%s%.*s", p->pid, program.n ? " " : "", STR(program)));
}
GETTER(get_thread)
{
    const struct host_track *track = &view_of(t)->run->tracks.v[row_of(t, row)->track];
    str name = string_of(t, track->name);
    if (track->kind == HOST_FIBER)
        return plain(arena_printf(scratch, "fiber %.*s", STR(name)));
    return plain(
        arena_printf(scratch, "%u%s%.*s", track->tid, name.n ? " " : "", STR(name)));
}

// One getter for all percentiles would not know which: the column tells by its place.
#define PERCENTILE(i)                                                                      \
    GETTER(get_percentile_##i)                                                             \
    {                                                                                      \
        return measured(t, row, row_of(t, row)->percentiles[i]);                           \
    }
PERCENTILE(0)
PERCENTILE(1)
PERCENTILE(2)
PERCENTILE(3)
PERCENTILE(4)
PERCENTILE(5)
PERCENTILE(6)
PERCENTILE(7)
PERCENTILE(8)
PERCENTILE(9)
PERCENTILE(10)
PERCENTILE(11)
PERCENTILE(12)
PERCENTILE(13)
PERCENTILE(14)
PERCENTILE(15)
static struct cell (*const get_percentile[ZONE_PERCENTILES])(const struct table *, size_t,
                                                             struct arena *) = {
    get_percentile_0,  get_percentile_1,  get_percentile_2,  get_percentile_3,
    get_percentile_4,  get_percentile_5,  get_percentile_6,  get_percentile_7,
    get_percentile_8,  get_percentile_9,  get_percentile_10, get_percentile_11,
    get_percentile_12, get_percentile_13, get_percentile_14, get_percentile_15};

static const struct column all_columns[] = {
    // clang-format off
    {.name = "Total %", .csv_name = "Total % [%]", .type = CELL_REAL, .unit = UNIT_PERCENT, .decimals = 2, .get = get_share},
    {.name = "Total", .csv_name = "Total [ns]", .type = CELL_INT, .unit = UNIT_NANOS, .get = get_total},
    {.name = "Self", .csv_name = "Self [ns]", .type = CELL_INT, .unit = UNIT_NANOS, .get = get_self},
    {.name = "Count", .type = CELL_INT, .get = get_count},
    {.name = "Mean", .csv_name = "Mean [ns]", .type = CELL_REAL, .unit = UNIT_NANOS, .decimals = 0, .get = get_mean},
    {.name = "Min", .csv_name = "Min [ns]", .type = CELL_INT, .unit = UNIT_NANOS, .get = get_min},
    {.name = NULL}, // percentiles
    {.name = "Max", .csv_name = "Max [ns]", .type = CELL_INT, .unit = UNIT_NANOS, .get = get_max},
    {.name = "Std", .csv_name = "Std [ns]", .type = CELL_REAL, .unit = UNIT_NANOS, .decimals = 0, .get = get_std},
    {.name = "Open", .type = CELL_INT, .get = get_open},
    {.name = "Process", .type = CELL_TEXT, .is_left = true, .get = get_process},
    {.name = "Thread", .type = CELL_TEXT, .is_left = true, .get = get_thread},
    {.name = "Zone", .type = CELL_TEXT, .is_left = true, .get = get_name},
    {.name = "Source", .type = CELL_TEXT, .is_left = true, .get = get_source},
    {.name = "Function", .type = CELL_TEXT, .is_left = true, .is_detail = true, .get = get_function},
    {.name = "File", .type = CELL_TEXT, .is_left = true, .is_detail = true, .get = get_file},
    {.name = "Line", .type = CELL_INT, .is_detail = true, .has_no_commas = true, .get = get_line},
    // clang-format on
};

static bool is_wanted(const struct zones_view *v, const struct column *c)
{
    if (c->get == get_thread)
        return v->choice->by == ZONES_BY_THREAD;
    if (c->get == get_process)
        return v->choice->by != ZONES_BY_PLACE;
    if (c->get != get_open)
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
        v->columns[at++] = (struct column){.name = v->names[i][0],
                                           .csv_name = v->names[i][1],
                                           .type = CELL_REAL,
                                           .unit = UNIT_NANOS,
                                           .get = get_percentile[i]};
    }
    return at;
}

void zones_view_make(struct zones_view *v, const struct host_run *r,
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
                              .rows = v,
                              .n_rows = s->rows.n,
                              .are_heads_right = true};
}
