// ops_csv.c - writing the report.
#include "present/reports/ops_csv.h"

#include "present/reports/ops_columns.h"

bool ops_csv_write(const struct ops_csv *c, const char *path, struct err *e)
{
    struct ops_columns columns;
    struct out o;
    if (!out_open(&o, path, e))
        return false;
    ops_columns_make(&columns, c);
    table_csv(&columns.table, &o);
    ops_columns_free(&columns);
    return out_close(&o, e);
}
