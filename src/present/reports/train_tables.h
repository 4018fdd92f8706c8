// train_tables.h - the analyses of a training run as tables: what the terminal, CSV, JSON
// and the page show.
#ifndef TTP_PRESENT_REPORTS_TRAIN_TABLES_H
#define TTP_PRESENT_REPORTS_TRAIN_TABLES_H

#include "analyse/train/train.h"
#include "table/grid.h"

enum train_table {
    TRAIN_TABLE_OPS,
    TRAIN_TABLE_PIES,
    TRAIN_TABLE_OVERHEAD,
    TRAIN_TABLE_PHASES,
    TRAIN_TABLE_AVERAGE,
    TRAIN_TABLE_SEGMENTS,
    TRAIN_TABLE_SLOWEST,
    TRAIN_TABLE_TIMELINE,
    TRAIN_TABLE_ZONES,
    TRAIN_TABLE_TREE,
    TRAIN_TABLE_FLAME,
    TRAIN_TABLE_ANOMALIES,
    TRAIN_TABLE_CORES,
    TRAIN_TABLE_NAIVE,
    TRAIN_TABLE_MEMORY,
    TRAIN_TABLE_RESULT,
    TRAIN_TABLE_SERIES,
    TRAIN_TABLES,
};

// Everything that was found; what there is none of is NULL.
struct train_view {
    struct train *train;
    const struct train_ops *ops;
    const struct train_anomalies *anomalies;
    const struct train_phases *phases;
    const struct train_step *step;
    const struct train_flame *flame;
    const struct train_heat *heat;
    const struct train_log *log;
    const struct train_model *model;
    const struct train_result *result;
    size_t top; // rows of the tables of the first ones
    struct grid grid[TRAIN_TABLES];
};

// Fills the grids; one that has nothing to show has no rows. The view stays where it is.
void train_view_make(struct train_view *v);
void train_view_free(struct train_view *v);

// For the parts.
void train_tables_ops(struct train_view *v);
void train_tables_step(struct train_view *v);
void train_tables_run(struct train_view *v);
// Attributes of the table, `{'a': '1'; 'b': 'x'}`, as a JSON object; text that has another
// form becomes a JSON string.
void train_attributes_json(str attributes, struct buf *b);

#endif
