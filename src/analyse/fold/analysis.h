// analysis.h - a condition selects markers of a device trace, an analysis says what is
// computed from them. Analyses come from durations.h or from a setup.
#ifndef TTP_ANALYSE_FOLD_ANALYSIS_H
#define TTP_ANALYSE_FOLD_ANALYSIS_H

#include "trace/trace.h"

enum across { ACROSS_CORE, ACROSS_DEVICE, ACROSS_OPS, ACROSS_DISPATCH_OPS, ACROSSES };
enum analysis_type {
    ANALYSE_ADJACENT,
    ANALYSE_SESSION_FIRST_LAST,
    ANALYSE_OP_FIRST_LAST,
    ANALYSE_OP_CORE_FIRST_LAST,
    ANALYSE_LAUNCH_FIRST_LAST,
    ANALYSE_SUM,
    ANALYSE_EVENT,
    ANALYSIS_TYPES,
};

// Selects markers.
struct condition {
    str *names; // any of them; a trailing * means "contains"
    size_t n_names;
    str risc;         // "ANY", or names as above, comma-separated; empty: not given
    str phase;        // as logged; empty: any
    str core;         // "ANY" or "x, y"; empty: not given
    int32_t x, y;     // if has_core
    bool has_core;    // one core only
    int64_t timer_id; // -1: not given
};

struct analysis {
    str name;
    enum across across;
    enum analysis_type type;
    struct condition start, end; // start also holds the marker of sum and event
};

// Does the site match, and does the track? Without `has_star` a * is an ordinary character;
// without `by_core` the core of a condition is ignored.
bool condition_fits_site(const struct condition *c, const struct trace *t, uint32_t site,
                         bool has_star);
bool condition_fits_track(const struct condition *c, const struct trace *t, uint32_t track,
                          bool by_core);

#endif
