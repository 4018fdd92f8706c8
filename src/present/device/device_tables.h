// device_tables.h - statistics, ops and odd data of a device log as tables for documents.
#ifndef TTP_PRESENT_DEVICE_DEVICE_TABLES_H
#define TTP_PRESENT_DEVICE_DEVICE_TABLES_H

#include "analyse/device/device_analysis.h"
#include "table/table.h"

enum { DEVICE_TABLES = 3 };

struct device_tables {
    struct table table[DEVICE_TABLES]; // stats, ops, findings
    struct arena arena;
};

void device_tables_make(struct device_tables *v, const struct device_analysis *d);
void device_tables_free(struct device_tables *v);

#endif
