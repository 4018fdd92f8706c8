// diag.h - odd data is counted, marked and explained; the work goes on.
//
// Each kind of oddity has a sentence and a remedy. The place and the text of the first one
// are kept, so that a person can look at it.
#ifndef TTP_BASE_TEXT_DIAG_H
#define TTP_BASE_TEXT_DIAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A kind is a number. Each layer has a range of its own, in the order of the layers, with
// its names and its table of texts in <layer>/diags.h: what is printed is in this order.
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

// Counts one; true for the first of its kind, whose place the caller then notes.
bool diag_count(struct diag *d, int kind);
void diag_note(struct diag *d, int kind, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

uint64_t diag_total(const struct diag *d);
// What is odd in a part is odd in the whole: its counts, and places of what is new.
void diag_add(struct diag *to, const struct diag *from);

#endif
