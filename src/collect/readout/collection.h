// collection.h - the result of read-outs: marker words as the device left them, what the
// host knows about programs and traces, and what was lost.
//
// Words stay raw (8 bytes a marker) until a trace is made of them (decode.h). Readers of
// devices (readout.h) and of dump folders (dump_read.h) fill it.
#ifndef TTP_COLLECT_READOUT_COLLECTION_H
#define TTP_COLLECT_READOUT_COLLECTION_H

#include "base/data/arena.h"
#include "base/data/map.h"
#include "base/data/vec.h"
#include "base/text/diag.h"

#include "collect/decode/names.h"
#include "collect/readout/options.h"
#include "ttprof/device.h"

enum block_source {
    BLOCK_DRAM,
    BLOCK_L1,      // an L1 vector with a published end index
    BLOCK_PARTIAL, // an L1 vector of a core that never finished
};
enum words_layout { WORDS_V0, WORDS_V1, WORDS_V2 };

// Marker words of one RISC of one core, from one read-out.
struct word_block {
    uint32_t chip, core; // indices: collection.chips, chip_record.cores
    uint32_t readout;    // number, from 0
    uint8_t risc;        // by position: 0 BRISC or ERISC, 1 NCRISC, ...
    uint8_t source;      // enum block_source
    const uint32_t *words;
    size_t n;
    size_t n_missing; // words that should be there but are not
    uint64_t clock;   // full clock of the chip at the read-out, 0: unknown
};

// Per RISC of a core, summed over all read-outs.
struct risc_health {
    uint64_t markers;                  // decoded
    uint64_t l1_dropped, dram_dropped; // markers; see is_counted
    uint64_t first_drop;               // cycle, 0: none
    uint64_t unknown_ids, orphan_starts, orphan_ends;
    uint64_t foreign; // runs with the identity of another RISC or core
    uint64_t bad_types, truncated, resyncs, duplicates;
    uint64_t bad_events;       // not recorded: their number does not fit 16 bits
    uint64_t stalls, stall_ns; // stall mode, as the host saw them
    uint64_t is_lossy;         // reported or counted by the device
};
struct core_health {
    uint64_t flushes, flush_cycles, flush_max; // the profiler's own pushes
    bool is_counted; // the device counts its losses; otherwise they are unknown
    bool is_partial; // it never finished
    bool is_damaged; // invalid or unreadable control vector
};

struct program_record {
    uint32_t base;                          // run id
    uint32_t name;                          // string of collection.strings
    int32_t sub_device, sub_device_manager; // -1: none
};
struct trace_record {
    int id;
    bool is_released;
    VEC(uint32_t) programs; // run ids recorded, in order
};

enum { RISCS_MOST = 24 };
// Number of buffers of a core, whatever its table says.
static inline int core_riscs(const struct tt_core *core)
{
    return core->n_riscs < RISCS_MOST ? core->n_riscs : RISCS_MOST;
}

struct chip_record {
    int id, arch;
    const char *arch_name;
    int64_t mhz, max_compute_cores;
    str dispatch; // "slow", "fast"; empty: not known
    int noc_x, noc_y;
    const struct tt_core *cores;
    size_t n_cores;
    uint64_t clock_at_open, host_at_open; // the chip's clock, and the host's in ns
    VEC(int) replayed;                    // trace ids in the order of the replays
    VEC(struct trace_record) traces;
    VEC(struct program_record)
    programs; // by run id; a later record replaces an earlier one
    struct risc_health (*riscs)[RISCS_MOST]; // by core
    struct core_health *core_health;         // by core
    uint64_t n_not_started;                  // programs, when it was last waited for
    bool is_lossy;                   // from now on unpaired markers are only warnings
    const struct clock_model *clock; // NULL: not synced with the host
};

// A buffer on a device was allocated or freed.
struct memory_record {
    uint64_t host_ns, address, bytes;
    uint32_t pool, name; // strings
    int chip;            // id
    bool is_alloc;
};

struct dump_memory; // state carried from one dump to the next, see profiler/device_dump.c

struct collection {
    struct arena arena;
    enum words_layout layout;
    struct profiler_options options;
    struct map strings; // program names; 0 is ""
    struct zone_names names;
    VEC(struct chip_record) chips;
    VEC(struct word_block) blocks; // not decoded yet; words in block_arena
    struct arena block_arena;      // emptied with the blocks
    uint32_t n_readouts;
    uint32_t n_drains;                // waits for all programs of a chip
    uint64_t replays_unknown;         // counters beyond the list of replays
    struct diag diag;                 // invalid data in all traces made from it
    const struct tt_access *access;   // NULL: read from a folder
    struct dump_memory *dump;         // in the arena
    VEC(struct memory_record) memory; // with MEM_PROFILER
    uint32_t attachment;              // in a run: number in this process, from 1; else 0
    uint64_t attached_ns;             // CLOCK_MONOTONIC
};

void collection_free(struct collection *c);
// Frees words that have been decoded; everything else stays.
void collection_drop_blocks(struct collection *c);

// --- for readers of devices and dumps --------------------------------------------------
// Allocates zeroed health for the chip's cores; `cores` and `n_cores` are set.
void collection_make_health(struct collection *c, struct chip_record *chip);
void collection_add_program(struct collection *c, struct chip_record *chip, uint32_t base,
                            str name, int sub_device, int sub_device_manager);
// Finds or adds the record of a trace.
struct trace_record *collection_trace(struct chip_record *chip, int id);
// Adds losses and flushes of one core from its control vector in layout v2. Without the
// magic word they stay unknown.
void collection_add_losses(struct chip_record *chip, size_t core, const uint32_t *control);

// The aggregating RISC stamps identities when it pushes. This stamps words that are read
// from L1 before that; an existing stamp stays, and is checked like any other.
void chunk_stamp(uint32_t *words, size_t n, enum words_layout layout, int flat, int risc);
// RISCs of one read-out of a device whose DRAM buffers were full. tt-metal warns of each of
// them, up to hundreds; here one warning names the first.
struct full_buffers {
    uint32_t n;
    // of the first
    int x, y, risc;
    uint32_t end;
};
// Counts the RISC if it lost markers and has any.
void full_buffers_add(struct full_buffers *f, const struct tt_core *core, int risc,
                      const uint32_t *control);
void full_buffers_warn(const struct full_buffers *f, int device, struct buf *b);

// Keeps TT_EVENT_ALLOC and TT_EVENT_FREE if buffers are recorded; ignores other events.
void collection_buffer_event(struct collection *c, const struct tt_event *event);
// Buffers of 0 bytes are not kept.
void collection_add_memory(struct collection *c, const struct memory_record *record,
                           str pool, str name);

// --- for consumers ---------------------------------------------------------------------
// The name of RISC number `risc` of a core; NULL: it has no such RISC.
const char *collection_risc_name(const struct collection *c, const struct chip_record *chip,
                                 const struct tt_core *core, unsigned risc);
const char *worker_risc_name(unsigned risc); // the same, for any worker
// The program of a run id, NULL: unknown.
const struct program_record *collection_program(const struct chip_record *chip,
                                                uint32_t base);

#endif
