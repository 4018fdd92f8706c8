// report_parts.h - shared by the texts of faults (report.c), of waiting cores
// (report_wait.c), of the words they wait for (report_words.c) and of command queues.
#ifndef TTP_SIM_REPORT_REPORT_PARTS_H
#define TTP_SIM_REPORT_REPORT_PARTS_H

#include "base/text/buf.h"

#include "sim/report/report.h"

void report_core(struct buf *out, const struct tile *tile); // "core 1,2 (NOC0 3-4)"
// " kernel_main+0x1c (loopback/copy)", as far as known; preceded by the pc if requested or
// if there is no name.
void report_place(struct buf *out, const struct risc *risc, uint32_t pc, bool with_pc);
// " waits at kernel_main+0x8 (test/kernel): semaphore 2 = 1" without the blank.
void report_wait(struct buf *out, struct tile *tile, const struct risc *risc);
// ": semaphore 2 = 1": the words a parked RISC polls.
void report_words(struct buf *out, struct tile *tile, const struct risc *risc);
uint32_t report_go_address(const struct tile *tile);
// The code that contains the address, or NULL.
const struct code *report_code(const struct risc *risc, uint32_t pc);
uint64_t report_cycle(const struct tile *tile, uint64_t cycle); // of its wall clock
// Moves the text to chip->fault_text: whole lines that fit, "..." if there were more.
void report_text(struct chip *chip, struct buf *text);

#endif
