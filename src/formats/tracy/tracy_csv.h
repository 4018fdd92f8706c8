// tracy_csv.h - the two tables that tt-metal exports from a host capture:
// tracy_ops_times.csv (zones) and tracy_ops_data.csv (messages).
//
// Neither is regular CSV: zone texts may contain quotes, commas and line ends; messages are
// quoted by backticks and, if truncated, run into what follows. Both readers resynchronise
// at the next row; unreadable rows are counted.
#ifndef TTP_FORMATS_TRACY_TRACY_CSV_H
#define TTP_FORMATS_TRACY_TRACY_CSV_H

#include "base/data/arena.h"
#include "base/file/file.h"
#include "base/text/diag.h"
#include "base/text/err.h"

struct tracy_zone {
    str name, zone_name, zone_text;
    str parent_text; // special_parent_text
    uint64_t start, duration;
    str thread;
    size_t line;
};
struct tracy_message {
    str text; // without surrounding backticks; those inside undoubled
    uint64_t time;
    bool has_time;
    bool is_cut; // lost its closing backtick
    size_t line;
};
typedef void tracy_zone_fn(void *context, const struct tracy_zone *z);
typedef void tracy_message_fn(void *context, const struct tracy_message *m);

// Texts are views of `text` or live in the arena. False: not such a table (e says why);
// damaged rows are counted in d and skipped.
bool tracy_times_read(str text, struct arena *a, tracy_zone_fn *take, void *context,
                      struct diag *d, struct err *e);
bool tracy_data_read(str text, struct arena *a, tracy_message_fn *take, void *context,
                     struct diag *d, struct err *e);

#endif
