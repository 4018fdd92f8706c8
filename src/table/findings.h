// findings.h - what was odd in the data: one list, shown as a table, as JSON and as lines.
//
// The counts are in a diag; each kind has its sentence and its remedy. Every report and
// every page tells them through this file, with the same words and the same columns.
#ifndef TTP_TABLE_FINDINGS_H
#define TTP_TABLE_FINDINGS_H

#include "base/text/diag.h"

#include "table/table.h"

// A row per kind that was counted: Finding, Count, First seen, Remedy. The rows are put
// into the arena; the diag must stay.
struct table findings_table(const struct diag *d, struct arena *a);
// "findings": an array of {kind, count, first, what, remedy}.
void findings_json(const struct diag *d, struct json *j);
// Calls `line` for each kind: "first place: what (n in all): remedy".
void findings_lines(const struct diag *d, void (*line)(void *context, const char *text),
                    void *context);

#endif
