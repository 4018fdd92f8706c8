// summary_table.c - the columns of the stacked report.
#include "present/perf_table.h"

static const struct summary *summary_of(const struct table *t)
{
    return t->rows;
}
static const struct summary_group *group_of(const struct table *t, size_t row)
{
    return &summary_of(t)->groups[row];
}

GETTER(get_group_share)
{
    const struct summary *s = summary_of(t);
    if (!s->has_total && !s->is_by_device)
        return cell_int(0);
    return cell_real(group_of(t, row)->share);
}

GETTER(get_group_key)
{
    struct cell c = cell_text(group_of(t, row)->key);
    c.is_plain = true;
    return c;
}

GETTER(get_group_device)
{
    return cell_int(group_of(t, row)->device);
}

GETTER(get_group_time)
{
    return summary_of(t)->has_time ? cell_real(group_of(t, row)->time) : cell_int(0);
}

GETTER(get_group_count)
{
    return cell_int((int64_t)group_of(t, row)->n_ops);
}

GETTER(get_group_category)
{
    return cell_text(str_of(category_name(group_of(t, row)->category)));
}

static struct cell flops_cell(const struct table *t, size_t row, size_t least, double v)
{
    return group_of(t, row)->n_flops >= least ? cell_real(v) : cell_none();
}

GETTER(get_flops_min)
{
    return flops_cell(t, row, 1, group_of(t, row)->flops_min);
}

GETTER(get_flops_max)
{
    return flops_cell(t, row, 1, group_of(t, row)->flops_max);
}

GETTER(get_flops_mean)
{
    return flops_cell(t, row, 1, group_of(t, row)->flops_mean);
}

GETTER(get_flops_std)
{
    return flops_cell(t, row, 2, group_of(t, row)->flops_std);
}

GETTER(get_flops_weighted)
{
    const struct summary_group *g = group_of(t, row);
    return g->has_weighted ? cell_real(g->flops_weighted) : cell_none();
}

static enum colour colour_group(const struct table *t, size_t row)
{
    return op_code_colour(group_of(t, row)->key);
}

static const struct column summary_columns[PERF_SUMMARY_COLUMNS] = {
    // clang-format off
    {.name = "Total %", .csv_name = "Total % [%]", .type = CELL_REAL, .unit = UNIT_PERCENT, .decimals = 2, .get = get_group_share},
    {.name = "Op Code", .type = CELL_TEXT, .is_left = true, .get = get_group_key, .colour = colour_group},
    {.name = "Device", .type = CELL_INT, .get = get_group_device},
    {.name = "Device Time Sum", .csv_name = "Device Time Sum [μs]", .type = CELL_REAL, .unit = UNIT_MICROS, .decimals = 2, .get = get_group_time},
    {.name = "Op Count", .type = CELL_INT, .get = get_group_count, .has_no_commas = true},
    {.name = "Op Category", .type = CELL_TEXT, .get = get_group_category},
    {.name = "Min FLOPs", .csv_name = "Min FLOPs [%]", .type = CELL_REAL, .unit = UNIT_PERCENT, .decimals = 2, .get = get_flops_min},
    {.name = "Max FLOPs", .csv_name = "Max FLOPs [%]", .type = CELL_REAL, .unit = UNIT_PERCENT, .decimals = 2, .get = get_flops_max},
    {.name = "Mean FLOPs", .csv_name = "Mean FLOPs [%]", .type = CELL_REAL, .unit = UNIT_PERCENT, .decimals = 2, .get = get_flops_mean},
    {.name = "Std FLOPs", .csv_name = "Std FLOPs [%]", .type = CELL_REAL, .unit = UNIT_PERCENT, .decimals = 2, .get = get_flops_std},
    {.name = "Weighted Mean FLOPs", .csv_name = "Weighted Mean FLOPs [%]", .type = CELL_REAL, .unit = UNIT_PERCENT, .decimals = 2, .get = get_flops_weighted},
    // clang-format on
};

void perf_view_add_summary(struct perf_view *v, const struct summary *s)
{
    v->summary = s;
    size_t n = 0;
    for (size_t i = 0; i < PERF_SUMMARY_COLUMNS; i++) {
        const struct column *c = &summary_columns[i];
        if (c->get == get_group_device && !s->is_by_device)
            continue;
        if (c->get == get_group_category && s->is_by_category)
            break; // categories mix ops of all kinds: their FLOPs say nothing
        v->summary_columns[n++] = *c;
    }
    v->summary_table = (struct table){.id = "summary",
                                      .title = "Stacked report",
                                      .columns = v->summary_columns,
                                      .n_columns = n,
                                      .rows = s,
                                      .n_rows = s->n_groups,
                                      .is_rounded = true,
                                      .are_heads_right = true};
}
