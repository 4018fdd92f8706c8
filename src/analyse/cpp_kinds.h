// cpp_kinds.h - which markers the analyses of the runtime's report look at.
//
// Most markers fit several analyses at once, but there are few different sets of analyses
// to fit: such a set is a kind.
#ifndef TTP_ANALYSE_CPP_KINDS_H
#define TTP_ANALYSE_CPP_KINDS_H

#include "trace/trace.h"

enum {
    CPP_KERNEL_SPAN = 4,
    CPP_DATA_MOVER_SPAN = 5,
    CPP_ANALYSES = 16,
    CPP_RISC_CLASSES = 10,
};

extern const struct cpp_heads {
    const char *duration;
    const char *start, *end; // NULL: only the duration is shown
} cpp_heads[CPP_ANALYSES];

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
