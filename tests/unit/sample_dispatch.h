// sample_dispatch.h - the kernels of fast dispatch on cores of a device in slow mode. The
// test is their host; without the prefetcher it plays that, too.
#ifndef TTP_TESTS_SAMPLE_DISPATCH_H
#define TTP_TESTS_SAMPLE_DISPATCH_H

#include "base/data/vec.h"

#include "sample_device.h"
#include "sim/cluster.h"
#include "sim/noc/noc.h"
#include "ttprof/dispatch_words.h"

// Zero: the full size.
struct rig_options {
    const char *config;
    bool has_prefetcher;
    uint32_t pages, block, go_pages;     // of the dispatcher's buffers
    uint32_t entries, ring, issue_bytes; // of the prefetcher
    uint32_t completion_bytes;           // with the page of the count
    uint32_t flags;                      // of the profiler
};

struct rig {
    struct rig_options size;
    ttdev *t;
    struct chip *chip;
    ttdev_program *program;
    struct tile *prefetcher, *dispatcher;
    uint32_t buffers;
    uint32_t taken, go_taken;    // pages that the test filled
    uint32_t queue_at, issue_at; // next queue word and entry
    uint32_t issued, entries;    // issue bytes, with those skipped; entries
};

typedef struct cmd {
    uint32_t *v;
    size_t n, cap;
} cmd;

void rig_open(struct rig *s, struct rig_options size);
void rig_close(struct rig *s);

// --- memory, without cost --------------------------------------------------------------
uint32_t rig_word(const struct tile *tile, uint32_t address);
uint32_t rig_credit(const struct rig *s, const struct tile *tile, uint32_t offset);
struct tile *rig_core(const struct rig *s, int x, int y); // logical
uint32_t rig_xy(const struct tile *tile);                 // as in commands
uint32_t rig_rectangle(const struct rig *s, int x0, int y0, int x1, int y1);

// --- time ------------------------------------------------------------------------------
// Lets time pass until the word at `buffers` + offset has a value; fails if it never does.
void rig_until(struct rig *s, const struct tile *tile, uint32_t offset, uint32_t value);
void rig_pass(struct rig *s); // some microseconds
// A host write of a word of the core.
void rig_set(struct rig *s, const struct tile *tile, uint32_t offset, uint32_t value);
void rig_add_completions(struct rig *s, uint32_t stream, uint32_t n);
uint32_t rig_completions(const struct rig *s, uint32_t stream);

// --- commands --------------------------------------------------------------------------
void cmd_put(cmd *w, uint32_t word);
void cmd_put_header(cmd *w, uint32_t w0, uint32_t w1, uint32_t w2, uint32_t w3);
void cmd_put_bytes(cmd *w, uint32_t seed, uint32_t bytes); // a pattern, padded to 16
void cmd_pad(cmd *w, uint32_t bytes);
uint32_t cmd_pattern(uint32_t seed, uint32_t i); // word i of a pattern
void assert_pattern(const struct tile *tile, uint32_t address, uint32_t seed,
                    uint32_t bytes);

// Without a prefetcher: fills pages of the dispatch buffer with the first `bytes` of a
// command, counts them ready and frees the words. The rest may follow by rig_continue.
void rig_send(struct rig *s, cmd *command);
void rig_put(struct rig *s, const cmd *command, uint32_t from, uint32_t bytes);
void rig_count(struct rig *s, uint32_t pages);
void rig_send_go(struct rig *s, cmd *command);

// With a prefetcher: relays of a command, and an entry for the queue, whose words are
// freed.
void cmd_relay(cmd *entry, uint32_t id, uint32_t target, cmd *command);
void rig_enqueue(struct rig *s, cmd *entry, uint32_t flags);
void rig_expect_fault(struct rig *s, const char *text);

#endif
