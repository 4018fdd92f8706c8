// decode.h - marker words into a trace: one pass over the words, straight into columns.
#ifndef TTP_COLLECT_DECODE_DECODE_H
#define TTP_COLLECT_DECODE_DECODE_H

#include "collect/readout/collection.h"
#include "trace/trace.h"

// State kept between decodings, so that several mid-run dumps give the same rows as one at
// the end: per track the open zones, the replay counter, the last markers.
struct decoder;
struct decoder *decoder_new(struct collection *c);
void decoder_free(struct decoder *d);
// Warnings: ids shared by several locations, unknown counters. The caller empties it.
struct buf *decoder_warnings(struct decoder *d);

// Makes a trace of all blocks of the collection, in log row order: cores by x, y, then
// RISCs, then markers by time. Fills the collection's health, pairs zones and names markers
// that have no name of their own (enrich.h). `is_last`: zones still open will never end.
void decoder_run(struct decoder *d, struct trace *out, bool is_last);

#endif
