// readout.h - reads a device's profiler buffers, during and after program runs.
#ifndef TTP_COLLECT_READOUT_READOUT_H
#define TTP_COLLECT_READOUT_READOUT_H

#include "base/text/err.h"

#include "collect/readout/collection.h"

enum read_state { READ_NORMAL, READ_LAST, READ_ONLY_DISPATCH };

struct readout; // a device being profiled

// Writes the control vectors of all cores and installs the device's hooks. The options are
// settled. NULL: e says why (if the region does not fit, it names the largest count).
struct readout *readout_open(const struct tt_access *access, struct collection *c,
                             struct err *e);
void readout_close(struct readout *r); // removes the hooks

// Waits for all programs of the chip, reads the filled buffers, resets the cores. Never
// fails on data: an unreadable core is marked damaged, a program that does not end gives a
// partial run. False only for impossible requests (a trace is being recorded).
bool readout_chip(struct readout *r, int chip, enum read_state state, struct err *e);
bool readout_all(struct readout *r, enum read_state state, struct err *e);

// Ends the dispatch kernels, before READ_ONLY_DISPATCH. Where programs did not end, they
// stay as they are.
void readout_end_dispatch(struct readout *r);

// Timeout for programs, in ns of the host's clock; 10 s by default.
void readout_set_timeout(struct readout *r, uint64_t ns);

// Called after the watermark made the host read a chip, between two programs.
void readout_on_watermark(struct readout *r, void (*hook)(void *context), void *context);

// Warnings, e.g. about full DRAM buffers. The caller empties it.
struct buf *readout_warnings(struct readout *r);
// Bytes of memory read since open, for statistics.
uint64_t readout_bytes(const struct readout *r);
// The full wall clock of a chip, read from registers of core 0.
bool readout_clock(const struct tt_access *access, int chip, uint64_t *clock);

#endif
