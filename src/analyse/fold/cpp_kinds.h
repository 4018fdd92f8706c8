// cpp_kinds.h - which markers the analyses of the runtime's report look at.
//
// Most markers fit several analyses at once, but there are few different sets of analyses
// to fit: such a set is a kind.
#ifndef TTP_ANALYSE_FOLD_CPP_KINDS_H
#define TTP_ANALYSE_FOLD_CPP_KINDS_H

#include "trace/trace.h"

enum {
    CPP_FIRMWARE = 3,
    CPP_KERNEL = 4,
    CPP_DATA_MOVER = 5,
    CPP_ANALYSES = 16,
    CPP_RISC_CLASSES = 10,
};

// In the order of the columns.
extern const struct cpp_analysis {
    const char *duration;          // heads of its columns
    const char *start, *end;       // NULL: only the duration is shown
    unsigned riscs, words;         // which markers start it: sets that cpp_kinds.c knows
    unsigned end_riscs, end_words; // which end it; 0 = the same
    bool is_from_start_to_start;
} cpp_analyses[CPP_ANALYSES];

struct cpp_kind {
    uint32_t start, end; // a bit for each analysis
    bool is_firmware, is_quasar;
};
typedef VEC(struct cpp_kind) cpp_kinds;

// Processors of a class are told apart by no analysis.
unsigned cpp_risc_class(str risc);
// By class and site: the number of the kind in `all`, from 1; 0 = fits nothing. The caller
// frees both.
uint16_t *cpp_kinds_find(const struct trace *t, cpp_kinds *all);

#endif
