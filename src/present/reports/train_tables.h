// train_tables.h - the analyses of a training run as tables for terminal, CSV, JSON and
// page.
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

// All results; missing ones are NULL.
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
    size_t top; // row limit of the "top" tables
    struct grid grid[TRAIN_TABLES];
};

// Fills the grids; an empty one has no rows. The view must not move.
void train_view_make(struct train_view *v);
void train_view_free(struct train_view *v);

// For the parts.
void train_tables_ops(struct train_view *v);
void train_tables_step(struct train_view *v);
void train_tables_run(struct train_view *v);
// Turns attributes, `{'a': '1'; 'b': 'x'}`, into a JSON object; text of any other form
// becomes a JSON string.
void train_attributes_json(str attributes, struct buf *b);

#endif
