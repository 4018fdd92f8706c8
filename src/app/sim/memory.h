// memory.h - memory places on the command line: a kernel's inputs and outputs.
#ifndef TTP_APP_SIM_MEMORY_H
#define TTP_APP_SIM_MEMORY_H

#include "base/text/buf.h"
#include "base/text/err.h"

#include "sim/ttdev.h"

// "L1:0x30000" (of the cores that run kernels), "L1:1,2:0x30000" (of this one),
// "DRAM:2:0x1000" (one bank) or "DRAM:0x1000": interleaved over the banks in pages of 2048
// bytes, as a kernel's noc_async_read_tile sees a plain address.
struct memory_place {
    const char *text; // as given
    bool is_dram, has_core;
    int bank; // -1: interleaved
    ttdev_core core;
    uint64_t address;
    size_t bytes;     // to read
    const char *file; // NULL: stdout
};

// The cores whose L1 a place without a core means.
struct memory_cores {
    const ttdev_core *v;
    size_t n;
};

// Integers in decimal or with 0x.
bool memory_number(str text, uint64_t *out);
// A logical core: "1,2".
bool memory_core(str text, ttdev_xy *out);
// PLACE=FILE
bool memory_to_write(const char *text, struct memory_place *out, struct err *e);
// PLACE+BYTES or PLACE+BYTES=FILE
bool memory_to_read(const char *text, struct memory_place *out, struct err *e);

// The whole file; into the L1 of every core.
bool memory_write(ttdev *t, const struct memory_place *place, struct memory_cores cores,
                  struct err *e);
// All bytes; of L1, those of one core after the other.
bool memory_read(ttdev *t, const struct memory_place *place, struct memory_cores cores,
                 struct buf *out, struct err *e);
// 16 bytes a line, each with its address.
void memory_dump(const struct memory_place *place, struct memory_cores cores, str bytes,
                 struct buf *out);

#endif
