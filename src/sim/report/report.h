// report.h - texts for faults and deadlocks, with names instead of addresses.
#ifndef TTP_SIM_REPORT_REPORT_H
#define TTP_SIM_REPORT_REPORT_H

#include "sim/machine.h"

// Writes chip->fault_text for the first fault (smallest cycle, tile, RISC) of the chip.
void report_fault(struct chip *chip);
// For a deadlock: what each RISC of an unfinished launched core waits for.
void report_deadlock(struct chip *chip);
// For a host timeout: where each RISC of the running cores is.
void report_timeout(struct chip *chip, uint64_t timeout_ns);
// "CB 3 received", "semaphore 1", "NoC 0 write acks received", "L1 0x12345".
void report_address(const struct tile *tile, uint32_t address, char *out, size_t bytes);
const char *risc_number_name(int risc); // TT_BRISC.., TTDEV_ERISC
const char *risc_name(const struct tile *tile,
                      unsigned risc); // "BRISC", "TRISC_0", "ERISC"

#endif
