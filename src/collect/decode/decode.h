// decode.h - marker words into a trace: one pass over the words, straight into columns.
#ifndef TTP_COLLECT_DECODE_DECODE_H
#define TTP_COLLECT_DECODE_DECODE_H

#include "collect/readout/collection.h"
#include "trace/trace.h"

// What lives from one decoding to the next, so that several dumps in mid-run give the same
// rows as one at the end: per track the open zones, the replay counter, the last markers.
struct decoder;
struct decoder *decoder_new(struct collection *c);
void decoder_free(struct decoder *d);
// Lines for the person: ids that several locations share, unknown counters. The caller
// empties it.
struct buf *decoder_warnings(struct decoder *d);

// Makes a trace of all blocks of the collection, in the order of the log's rows: cores by
// x, y, RISCs in their order, markers by time. Fills the collection's health, pairs zones
// and names what has no name of its own (enrich.h). `is_last`: zones still open will not
// end any more.
void decoder_run(struct decoder *d, struct trace *out, bool is_last);

#endif
