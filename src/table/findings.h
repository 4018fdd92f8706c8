// findings.h - anomalies in the data: one list, shown as a table, as JSON and as lines.
//
// The counts are in a diag; each kind has a description and a remedy. All reports and pages
// use this file, so wording and columns are the same everywhere.
#ifndef TTP_TABLE_FINDINGS_H
#define TTP_TABLE_FINDINGS_H

#include "base/text/diag.h"

#include "table/table.h"

// A row per kind that was counted: Finding, Count, First seen, Remedy. The rows live in the
// arena; the diag must outlive the table.
struct table findings_table(const struct diag *d, struct arena *a);
// "findings": an array of {kind, count, first, what, remedy}.
void findings_json(const struct diag *d, struct json *j);
// Calls `line` for each kind: "first place: what (n in all): remedy".
void findings_lines(const struct diag *d, void (*line)(void *context, const char *text),
                    void *context);

#endif
