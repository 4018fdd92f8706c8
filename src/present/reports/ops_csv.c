// ops_csv.c - writes the report.
#include "present/reports/ops_csv.h"

#include "present/reports/ops_columns.h"

bool ops_csv_write(const struct ops_csv *c, const char *path, struct err *e)
{
    struct ops_columns columns;
    ops_columns_make(&columns, c);
    bool ok = table_csv_write(&columns.table, path, e);
    ops_columns_free(&columns);
    return ok;
}
