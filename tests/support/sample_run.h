// sample_run.h - run folders written by hand: tables, rings, streams and the log of
// processes, to the byte, without a recorder. Times are ns of a clock that is
// CLOCK_MONOTONIC, unless a test says otherwise.
//
//     struct sample_run run;
//     sample_run_start(&run);
//     struct sample_process *p = sample_process(&run, 100, 1000);
//     uint32_t work = sample_location(p, "work", "main", "main.c", 7);
//     struct sample_words w = {0};
//     sample_begin(&w, 2000, work);
//     sample_end(&w, 2500);
//     sample_ring(p, 1, &w);
//     sample_run_write(&run);
//     ... run.path ...
//     sample_run_free(&run);
#ifndef TTP_TESTS_SAMPLE_RUN_H
#define TTP_TESTS_SAMPLE_RUN_H

#include <stdarg.h>

#include "base/data/arena.h"
#include "base/data/vec.h"
#include "base/text/buf.h"

#include "ttprof/recording.h"

enum { SAMPLE_CLOCK = 1, SAMPLE_CAPACITY = 1024 };

// Events as they stand in a ring.
struct sample_words {
    VEC(uint64_t) v;
};
void sample_event(struct sample_words *w, enum tt_host_event kind, uint64_t time, int n,
                  ...);
void sample_text(struct sample_words *w, enum tt_host_event kind, uint64_t time,
                 uint32_t attribute, const char *text);
void sample_begin(struct sample_words *w, uint64_t time, uint32_t location);
void sample_end(struct sample_words *w, uint64_t time);
void sample_words_free(struct sample_words *w);

struct sample_file {
    char *name;
    struct buf bytes;
};
struct sample_process {
    char prefix[32]; // "100-0"
    struct sample_run *run;
    struct tt_table head;
    struct buf entries, stream, blobs;
    uint32_t n_strings, n_locations;
    unsigned n_rings;
    struct sample_process *next;
};
struct sample_run {
    char *path; // a folder of its own, under /tmp
    struct arena arena;
    struct tt_control control;
    struct buf log;
    struct sample_process *processes;
    VEC(struct sample_file) files;
};

void sample_run_start(struct sample_run *r);
// Another run in the same folder has another name: "2026_11_16_10_20_30".
void sample_run_write(struct sample_run *r);
void sample_run_write_to(struct sample_run *r, const char *path);
void sample_run_free(struct sample_run *r); // and the folder
// A line of the log, fields separated by tabs.
void sample_log(struct sample_run *r, const char *line);

// With SAMPLE_CLOCK on CLOCK_MONOTONIC, and thread 1 whose tid is the pid.
struct sample_process *sample_process(struct sample_run *r, uint32_t pid, uint64_t start);
void sample_entry(struct sample_process *p, enum tt_entry kind, const void *fields,
                  size_t bytes);
void sample_entry_pair(struct sample_process *p, enum tt_entry kind, uint32_t a,
                       uint32_t b);
uint32_t sample_string(struct sample_process *p, const char *text);
uint32_t sample_location(struct sample_process *p, const char *name, const char *function,
                         const char *file, uint32_t line);
void sample_thread(struct sample_process *p, uint32_t serial, uint32_t tid,
                   const char *name);
void sample_clock(struct sample_process *p, uint32_t clock, enum tt_clock_kind kind);
void sample_pair(struct sample_process *p, uint32_t clock, uint64_t ticks, uint64_t ns);

// What a thread's ring holds: all words, none of them in the stream.
void sample_ring(struct sample_process *p, uint32_t thread, const struct sample_words *w);
// The same with a header of the test's own; words are laid at their positions, which end at
// head.
void sample_ring_as(struct sample_process *p, const struct tt_ring *head,
                    const struct sample_words *w);
struct tt_ring sample_ring_head(uint32_t thread);
// A block that stands for the words from position `from` on, packed as the drainer does.
void sample_block(struct sample_process *p, uint32_t thread, uint64_t from,
                  const struct sample_words *w);

#endif
