// readout.h - reading a device's profiler buffers, while and after programs run on it.
#ifndef TTP_COLLECT_READOUT_READOUT_H
#define TTP_COLLECT_READOUT_READOUT_H

#include "base/text/err.h"

#include "collect/readout/collection.h"

enum read_state { READ_NORMAL, READ_LAST, READ_ONLY_DISPATCH };

struct readout; // a device that is being profiled

// Writes the control vectors of all cores, takes the device's hooks. The options are
// settled. NULL: e says why (the region does not fit: names the largest count).
struct readout *readout_open(const struct tt_access *access, struct collection *c,
                             struct err *e);
void readout_close(struct readout *r); // gives the hooks back

// Waits for all programs of the chip, reads what is filled, resets the cores. Never fails
// on data: a core that cannot be read is damaged, a program that does not end gives a
// partial run. False only for impossible requests (a trace is being recorded).
bool readout_chip(struct readout *r, int chip, enum read_state state, struct err *e);
bool readout_all(struct readout *r, enum read_state state, struct err *e);

// How long a read-out waits for programs, in ns of the host's clock; 10 s when not said.
void readout_set_timeout(struct readout *r, uint64_t ns);

// Lines for the person: full DRAM buffers and the like. Emptied by the caller.
struct buf *readout_warnings(struct readout *r);
// Bytes of memory read since open, for figures.
uint64_t readout_bytes(const struct readout *r);
// The wall clock of a chip, whole, read from core 0 over registers.
bool readout_clock(const struct tt_access *access, int chip, uint64_t *clock);

#endif
