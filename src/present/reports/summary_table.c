// summary_table.c - the columns of the stacked report.
#include "present/reports/perf_table.h"

static const struct summary *summary_at(const struct row *r)
{
    return r->table->context;
}
static const struct summary_group *group_at(const struct row *r)
{
    return r->data;
}

GETTER(get_share)
{
    const struct summary *s = summary_at(r);
    if (!s->has_total && !s->is_by_device)
        return cell_int(0);
    return cell_real(group_at(r)->share);
}

GETTER(get_key)
{
    return cell_plain(group_at(r)->key);
}

GETTER(get_device)
{
    return cell_int(group_at(r)->device);
}

GETTER(get_time)
{
    return summary_at(r)->has_time ? cell_real(group_at(r)->time) : cell_int(0);
}

GETTER(get_category)
{
    return cell_text(str_of(category_name(group_at(r)->category)));
}

// Needs `arg` ops with FLOPs.
GETTER(get_flops)
{
    return group_at(r)->n_flops >= c->arg ? at_real(c, r) : cell_none();
}

GETTER(get_weighted)
{
    return group_at(r)->has_weighted ? cell_real(group_at(r)->flops_weighted) : cell_none();
}

static enum colour colour_group(const struct row *r)
{
    return op_code_colour(group_at(r)->key);
}

static const struct column summary_columns[PERF_SUMMARY_COLUMNS] = {
    // clang-format off
    {.name = "Total %", .csv_name = "Total % [%]", .type = CELL_REAL, .unit = UNIT_PERCENT, .decimals = 2, .get = get_share},
    {.name = "Op Code", .type = CELL_TEXT, .is_left = true, .get = get_key, .colour = colour_group},
    {.name = "Device", .type = CELL_INT, .get = get_device},
    {.name = "Device Time Sum", .csv_name = "Device Time Sum [μs]", .type = CELL_REAL, .unit = UNIT_MICROS, .decimals = 2, .get = get_time},
    {.name = "Op Count", .type = CELL_INT, .get = at_u64, MEMBER(struct summary_group, n_ops), .has_no_commas = true},
    {.name = "Op Category", .type = CELL_TEXT, .rank = 2, .get = get_category},
    {.name = "Min FLOPs", .csv_name = "Min FLOPs [%]", .type = CELL_REAL, .unit = UNIT_PERCENT, .decimals = 2, .rank = 4, .get = get_flops, MEMBER(struct summary_group, flops_min), .arg = 1},
    {.name = "Max FLOPs", .csv_name = "Max FLOPs [%]", .type = CELL_REAL, .unit = UNIT_PERCENT, .decimals = 2, .rank = 4, .get = get_flops, MEMBER(struct summary_group, flops_max), .arg = 1},
    {.name = "Mean FLOPs", .csv_name = "Mean FLOPs [%]", .type = CELL_REAL, .unit = UNIT_PERCENT, .decimals = 2, .rank = 3, .get = get_flops, MEMBER(struct summary_group, flops_mean), .arg = 1},
    {.name = "Std FLOPs", .csv_name = "Std FLOPs [%]", .type = CELL_REAL, .unit = UNIT_PERCENT, .decimals = 2, .rank = 5, .get = get_flops, MEMBER(struct summary_group, flops_std), .arg = 2},
    {.name = "Weighted Mean FLOPs", .csv_name = "Weighted Mean FLOPs [%]", .type = CELL_REAL, .unit = UNIT_PERCENT, .decimals = 2, .rank = 1, .get = get_weighted},
    // clang-format on
};

void perf_view_add_summary(struct perf_view *v, const struct summary *s)
{
    v->summary = s;
    size_t n = 0;
    for (size_t i = 0; i < PERF_SUMMARY_COLUMNS; i++) {
        const struct column *c = &summary_columns[i];
        if (c->get == get_device && !s->is_by_device)
            continue;
        if (c->get == get_category && s->is_by_category)
            break; // FLOPs of a category mix unrelated ops
        v->summary_columns[n++] = *c;
    }
    v->summary_table = (struct table){.id = "summary",
                                      .title = "Stacked report",
                                      .columns = v->summary_columns,
                                      .n_columns = n,
                                      .rows = s->groups,
                                      .row_bytes = sizeof *s->groups,
                                      .context = s,
                                      .n_rows = s->n_groups,
                                      .is_rounded = true,
                                      .has_lf_ends = true,
                                      .are_heads_right = true};
}
