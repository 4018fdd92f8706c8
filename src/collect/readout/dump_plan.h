// dump_plan.h - the validated contents of dump.json: every number is in its range; invalid
// parts are dropped and reported.
#ifndef TTP_COLLECT_READOUT_DUMP_PLAN_H
#define TTP_COLLECT_READOUT_DUMP_PLAN_H

#include "base/text/buf.h"

#include "collect/readout/collection.h"

enum { DUMP_REGION_MOST = 1 << 30 }; // bytes for one RISC: as large as a whole bank

struct plan_core {
    struct tt_core core;
    bool is_partial;
    uint64_t stalls[TT_RISCS], stall_ns[TT_RISCS];
};

struct plan_chip {
    struct chip_record record; // without cores and health
    uint64_t dram_base, clock;
    uint32_t region_bytes; // 0: not given
    int cores_per_bank, processors;
    VEC(struct plan_core) cores;
};

struct dump_plan {
    enum words_layout layout;
    const char *arch_name;
    int64_t n_readouts; // 0: not said
    VEC(struct plan_chip) chips;
};

// `where` is for messages. Texts go to the collection's arena, options into its options.
// False: not JSON, or not a dump.
bool plan_parse(struct dump_plan *p, str text, const char *where, struct collection *c,
                struct buf *warnings, struct err *e);
void plan_free(struct dump_plan *p);

// Collects messages for the user; from the 20th on they are only counted.
struct plan_notes {
    struct buf *b;
    const char *where;
    size_t n;
};
void plan_note(struct plan_notes *n, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void plan_notes_end(struct plan_notes *n);

#endif
