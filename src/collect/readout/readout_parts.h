// readout_parts.h - shared by the files of the read-out.
#ifndef TTP_COLLECT_READOUT_READOUT_PARTS_H
#define TTP_COLLECT_READOUT_READOUT_PARTS_H

#include "collect/readout/dump.h"
#include "collect/readout/readout.h"

// State of a core between read-outs.
struct core_state {
    uint8_t buffer[TT_RISCS]; // DRAM buffer in use: stall mode has two
    // A running core is never reset. What was taken from it is not taken again.
    uint32_t taken[TT_RISCS];           // words of the DRAM region
    uint32_t counted[TT_CONTROL_WORDS]; // counters of the control vector
    uint64_t print[TT_RISCS];           // fingerprint of the L1 vector
};

struct chip_state {
    struct tt_chip info;
    struct core_state *cores;
    bool is_used;                // something was launched on it
    bool is_recording;           // between the begin and the end of a trace
    bool is_stuck;               // its programs did not end
    uint64_t n_launches, n_most; // since the last check, and when the next one is due
    // Words of running programs. Only the next read-out knows what they belong to.
    VEC(struct word_block) held;
    struct arena held_words;
};

struct readout {
    struct tt_access access;
    struct collection *c;
    struct arena arena;
    struct chip_state *chips;
    uint32_t flags, region_bytes, cap; // cap: words of one RISC's DRAM region
    int n_buffers;
    size_t n_zones; // already known
    uint64_t wait_ns, bytes;
    void (*on_watermark)(void *context); // NULL: none
    void *watermark_context;
    bool is_reading; // hooks must not start another read-out
    struct buf warnings;
    struct dump_writer *dump; // NULL: no --dump-raw
};

// A core during a read-out.
struct core_read {
    uint32_t chip, core;
    bool is_busy;                       // has not answered DONE
    uint64_t clock;                     // of the chip
    uint32_t raw[TT_CONTROL_WORDS];     // as read
    uint32_t control[TT_CONTROL_WORDS]; // limited to valid values
    uint32_t since[TT_CONTROL_WORDS];   // the same, minus what was counted before
    struct full_buffers full;           // of all cores so far
};

// --- readout_core.c --------------------------------------------------------------------
// A control vector as the host initialises it.
void core_pristine(const struct readout *r, uint32_t chip, size_t core,
                   uint32_t control[TT_CONTROL_WORDS]);
uint64_t core_dram_address(const struct readout *r, uint32_t chip, size_t core, int risc,
                           int buffer);
// Reads L1 or DRAM and counts the bytes; false: the device refused.
bool core_l1_read(struct readout *r, uint32_t chip, size_t core, uint32_t address,
                  void *data, size_t bytes);
// Takes words [from, to) of the RISC's region in a DRAM buffer, or the first n words of its
// L1 vector. Unreadable words become a block of missing words.
void core_take_dram(struct readout *r, const struct core_read *read, int risc, int buffer,
                    uint32_t from, uint32_t to);
void core_take_l1(struct readout *r, const struct core_read *read, int risc, uint32_t n,
                  enum block_source source);
// Reads the control vector; false: the core cannot be read, which is recorded.
bool core_read_control(struct readout *r, struct core_read *read);
// Takes all words and losses of the core, then resets it.
void core_read_all(struct readout *r, struct core_read *read);

// --- readout.c -------------------------------------------------------------------------
// Waits for all programs of the chip, which empties its queue.
int readout_wait(struct readout *r, int chip);
// Reads a chip on which nothing is being recorded.
void readout_now(struct readout *r, int chip, enum read_state state);

// --- readout_events.c ------------------------------------------------------------------
void readout_event(void *readout, const struct tt_event *event); // an event hook

// --- stall.c ---------------------------------------------------------------------------
int stall_serve(void *readout, int chip); // a quiet hook
// Adds the words held for a chip to the read-out that begins.
void stall_take_held(struct readout *r, int chip);

#endif
