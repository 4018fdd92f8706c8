// dump_parts.h - shared by the files that read and write dumps.
#ifndef TTP_COLLECT_READOUT_DUMP_PARTS_H
#define TTP_COLLECT_READOUT_DUMP_PARTS_H

#include "base/text/json.h"

#include "collect/readout/dump.h"
#include "collect/readout/dump_plan.h"

enum { DUMP_CORES_MOST = 256 }; // flat ids have 8 bits

// --- reading ---------------------------------------------------------------------------
struct dump_reader {
    struct collection *c;
    const struct dump_source *source;
    const char *const *folders;
    size_t n_folders;
    struct dump_plan *plans; // by folder; no chips: it could not be read
    struct plan_notes notes;
};
struct chip_record *dump_find_chip(struct collection *c, int id); // NULL: none
// Returns n_cores if there is none.
size_t dump_find_core(const struct chip_record *chip, int flat);
// dump_words.c: reads blocks and losses of a chip from one of the folders.
void dump_read_chip(struct dump_reader *r, size_t folder, const struct plan_chip *plan);

// --- writing ---------------------------------------------------------------------------
// Written in one go: words of some cores of one chip.
struct dump_part {
    uint32_t chip;
    const struct dump_core *cores;
    size_t n_cores;
    const struct word_block *const *blocks;
    size_t n_blocks;
};
// dump_json.c: the entry of a chip, and the document around the entries.
void dump_put_chip(struct json *j, const struct collection *c,
                   const struct dump_geometry *g, const struct dump_part *p);
void dump_put_document(struct buf *b, const struct profiler_options *o, const char *arch,
                       uint32_t n_readouts, str chips); // n_readouts 0: not said

#endif
