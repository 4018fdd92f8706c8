// dump.h - a folder of raw dumps: what a device's memory held, for decoding without it.
//
//   dump.json              inventory: chips, cores, traces, programs, options
//   ctrl_CHIP_FLAT.bin     the control vector of a core
//   l1_CHIP_FLAT.bin       its L1 vectors, if they were read
//   dram_CHIP_BANK.bin     the profiler's part of a DRAM bank, as far as it is used
//   zone_ids.csv           names of zones; tt-metal's two logs serve as well
//   readout_2/ ...         further read-outs of the same run
//
// A file that is missing or damaged costs only its core or bank.
#ifndef TTP_COLLECT_READOUT_DUMP_H
#define TTP_COLLECT_READOUT_DUMP_H

#include "base/file/file.h"

#include "collect/readout/collection.h"

// --- writing ---------------------------------------------------------------------------
struct dump_geometry { // of one chip
    uint64_t dram_base;
    uint32_t region_bytes;
    int cores_per_bank, processors;
};

// One core after a read-out.
struct dump_core {
    uint32_t core;
    bool is_read, is_partial;
    uint32_t control[TT_CONTROL_WORDS]; // of this read-out alone
};

struct dump_writer;
// `geometry` is indexed by chip and must outlive the writer.
struct dump_writer *dump_writer_new(struct collection *c, const char *folder,
                                    const struct dump_geometry *geometry);
void dump_writer_free(struct dump_writer *w);
// Writes a read-out of one chip, whose blocks begin at first_block. Earlier blocks not yet
// written were taken while programs ran: they become read-outs of their own.
bool dump_write(struct dump_writer *w, uint32_t chip, const struct dump_core *cores,
                size_t n_cores, size_t first_block, struct err *e);

// --- reading ---------------------------------------------------------------------------
// Reads into an empty collection. Missing or invalid parts add a line to `warnings`. False:
// there is no usable dump.json.
bool dump_read(struct collection *c, const char *folder, struct buf *warnings,
               struct err *e);

// A source of files; names are as above, with their folder.
struct dump_source {
    void *context;
    bool (*open)(void *context, const char *name, struct file *f, struct err *e);
};
// `folders`: those of the read-outs in order: "", "readout_2/", ...
bool dump_read_from(struct collection *c, const struct dump_source *source,
                    const char *const *folders, size_t n_folders, struct buf *warnings,
                    struct err *e);

#endif
