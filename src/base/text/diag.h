// diag.h - odd data is counted, marked and explained; processing continues.
//
// Each kind of finding has a description and a remedy. The place and text of the first one
// are kept for the user to look at.
#ifndef TTP_BASE_TEXT_DIAG_H
#define TTP_BASE_TEXT_DIAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A kind is a number. Each layer has its own range, in layer order, with its names and
// texts in <layer>/diags.h; findings are printed in this order.
enum { DIAG_KINDS = 128 };

struct diag_text {
    const char *name; // for programs; never changes
    const char *what, *remedy;
};

struct diag_table {
    int first, n;
    const struct diag_text *texts;
};

struct diag_entry {
    uint64_t count;
    uint64_t line;   // of the first; 0 = not said
    char first[160]; // place and text of the first, "a.csv: line 12: column 'X': 'text'"
};

struct diag {
    struct diag_entry entry[DIAG_KINDS];
};

// Counts one; true for the first of its kind, whose place the caller then records.
bool diag_count(struct diag *d, int kind);
void diag_note(struct diag *d, int kind, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

uint64_t diag_total(const struct diag *d);
// Adds the counts of `from`, and the places of kinds that are new.
void diag_add(struct diag *to, const struct diag *from);

#endif
