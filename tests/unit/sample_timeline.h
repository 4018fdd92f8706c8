// sample_timeline.h - small device logs, their pages, and what a viewer reads from these.
#ifndef TTP_TESTS_SAMPLE_TIMELINE_H
#define TTP_TESTS_SAMPLE_TIMELINE_H

#include "present/timeline/timeline.h"
#include "test.h"

// A log that is put together row by row, its trace, and the page that was made of it.
struct sample_timeline {
    struct buf log;
    struct trace trace;
    struct device_ops ops;
    struct timeline_page page; // for sample_write: limits and notes may be set before
    struct buf html;
};

// A block as a viewer has it: starts are times on the axis, runs are run + 1.
struct sample_bars {
    VEC(uint64_t) start, duration, site, depth, more;
};
typedef VEC(int64_t) sample_numbers;

void sample_start(struct sample_timeline *s);
void sample_marker(struct sample_timeline *s, const char *track, const char *name,
                   bool is_start, uint64_t time);
void sample_zone(struct sample_timeline *s, const char *track, const char *name,
                 uint64_t start, uint64_t end);
// Zones in zones of all lengths on every track of a small grid, always the same ones.
void sample_fill(struct sample_timeline *s, size_t n_zones);
void sample_read(struct sample_timeline *s); // trace and ops of what was put in
void sample_write(struct sample_timeline *s);
void sample_timeline_end(struct sample_timeline *s);

// The value of a key of the document, as its text.
str sample_value(const struct sample_timeline *s, const char *key);
// All whole numbers that stand in a value, texts left out.
void sample_numbers_of(const struct sample_timeline *s, const char *key, sample_numbers *n);
// The text at an index of a list of texts, with its escapes.
str sample_text_at(const struct sample_timeline *s, const char *key, size_t index);
// The numbers of one key of the tracks, in their order.
void sample_tracks(const struct sample_timeline *s, const char *key, sample_numbers *n);

// The block of that id with so many bars in each track.
void sample_page_block(const struct sample_timeline *s, const char *id,
                       const int64_t *counts, size_t n_tracks, struct sample_bars *bars);
void sample_bars_free(struct sample_bars *bars);

#endif
