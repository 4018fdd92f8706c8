// document.h - the JSON document of a report: on its own for programs, embedded in a page
// for the front end in web/ (see model.ts there).
//
// A document has a head, keys specific to its kind, notes, tables, and optionally more:
//     document_open, ..., document_notes, document_tables, ..., document_close
#ifndef TTP_PRESENT_PAGE_DOCUMENT_H
#define TTP_PRESENT_PAGE_DOCUMENT_H

#include "analyse/notes.h"
#include "arch/arch.h"
#include "table/table.h"

struct document {
    const char *kind;  // "ops-report"
    const char *title; // NULL: not for pages; the head is the kind alone
    const char *const *sources;
    size_t n_sources;
    const double *min_percentage; // rows with a smaller share are minor; NULL: 0
    const struct arch *arch;      // whose peaks the figures are compared with, or NULL
    int64_t cores;                // of that chip
};

// Opens the object; returns the writer for the keys that follow.
struct json document_open(const struct document *d, struct buf *b);
void document_notes(struct json *j, const struct notes *n); // NULL: there are none
void document_tables(struct json *j, const struct table *const *tables, size_t n,
                     enum json_rows form, struct out *o);
void document_close(struct json *j);

#endif
