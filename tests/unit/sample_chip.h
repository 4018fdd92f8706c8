// sample_chip.h - a cluster whose tiles hold no program: tests write registers as a RISC
// would, and let time pass.
#ifndef TTP_TESTS_SAMPLE_CHIP_H
#define TTP_TESTS_SAMPLE_CHIP_H

#include "sim/cluster.h"
#include "sim/noc/noc.h"
#include "test.h"

struct sample_chip {
    struct ttdev cluster;
    struct chip *chip; // the first
};

void sample_chip_open(struct sample_chip *s, const char *config);
void sample_chip_close(struct sample_chip *s);
// Lets windows of `quantum` cycles pass until all chips have reached a cycle.
void sample_chip_run(struct sample_chip *s, uint64_t until);
// The same until nothing is in flight on the first chip.
void sample_chip_finish(struct sample_chip *s);

struct tile *sample_tile(struct sample_chip *s, int x, int y); // logical
uint64_t sample_address(const struct tile *tile, uint64_t local);
uint64_t sample_bank_address(const struct sample_chip *s, unsigned noc, int bank,
                             uint64_t local);
uint32_t sample_counter(const struct tile *tile, unsigned noc, unsigned counter);
uint32_t sample_word(const struct tile *tile, uint32_t address);
void sample_set_word(struct tile *tile, uint32_t address, uint32_t value);

// A command through the registers, at the chip's present cycle, by BRISC.
struct sample_command {
    unsigned noc, buffer;
    uint32_t control;
    uint64_t target, reply;
    uint32_t length, data, tag;
};
void sample_noc_issue(struct tile *tile, struct sample_command command);
void sample_noc_read(struct tile *tile, unsigned noc, uint64_t from, uint32_t to,
                     uint32_t bytes);
void sample_noc_write(struct tile *tile, unsigned noc, uint32_t from, uint64_t to,
                      uint32_t bytes,
                      uint32_t more); // more: CTRL bits

#endif
