// sample_record.h - a recording of this process in a folder of its own, and what is in its
// files: tables and rings, word by word.
#ifndef TTP_TESTS_SAMPLE_RECORD_H
#define TTP_TESTS_SAMPLE_RECORD_H

#include <stdbool.h>

#include "test.h"
#include "ttprof/host.h"
#include "ttprof/recording.h"

struct sample_record {
    char folder[64];
};
// Starts to record. NULL: the usual settings.
struct sample_record sample_record(const struct ttprof_settings *settings);
void sample_record_end(struct sample_record *r); // stops, and removes the folder
void sample_record_remove(struct sample_record *r);

struct seen_event {
    enum tt_host_event kind;
    uint64_t time;
    uint64_t words[3];
    char text[96]; // its beginning
    size_t bytes;
};
enum { SEEN_EVENTS = 4096 };
struct seen_ring {
    struct tt_ring head;
    struct seen_event events[SEEN_EVENTS]; // the first so many
    size_t n;
};
// The ring of a thread of a process; serial 0: of any. What the drainer has taken is in it
// still, as long as nothing came on top. False: there is none.
bool seen_ring(const struct sample_record *r, int pid, uint32_t thread,
               struct seen_ring *out);
size_t seen_count(const struct seen_ring *ring, enum tt_host_event kind);

// A table, as it is in the file now. Entries of a kind: the i-th one, NULL: there are less.
struct seen_table {
    char *bytes;
    size_t n;
    const struct tt_table *head;
};
bool seen_table(const struct sample_record *r, int pid, struct seen_table *out);
const void *seen_entry(const struct seen_table *t, enum tt_entry kind, size_t i);
const void *seen_last(const struct seen_table *t, enum tt_entry kind);
size_t seen_entries(const struct seen_table *t, enum tt_entry kind);
str seen_string(const struct seen_table *t, uint64_t number);
const struct tt_location *seen_place(const struct seen_table *t, uint64_t number);
str seen_location(const struct seen_table *t, uint64_t number); // its name, or function
void seen_table_free(struct seen_table *t);

// How many files of the folder end like this.
size_t seen_files(const struct sample_record *r, const char *end);

#endif
