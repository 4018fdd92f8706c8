// setup.h - the analyses to run on a device log: a list of named analyses, from a text.
//
//   parent = default_setup          analyses to add after its own
//   detect_ops = no
//   display = Count, Average, Max
//
//   [gap between kernels]
//   across = core                   core, device, ops, dispatch_ops
//   type = adjacent                 adjacent, session_first_last, op_first_last,
//                                   op_core_first_last, launch_first_last, sum, event
//   start.zone_name = BRISC-KERNEL, NCRISC-KERNEL
//   start.zone_phase = ZONE_END
//   end.zone_name = BRISC-KERNEL
//   both.risc = ANY                 start and end at once
//
// The built-in setups are such texts, too (setups/*.ini), except the default setup: its
// analyses are the durations of fold/durations.h.
#ifndef TTP_ANALYSE_DEVICE_SETUP_H
#define TTP_ANALYSE_DEVICE_SETUP_H

#include "base/data/arena.h"
#include "base/data/vec.h"
#include "base/text/err.h"

#include "analyse/fold/analysis.h"

enum stat {
    STAT_COUNT,
    STAT_AVERAGE,
    STAT_MAX,
    STAT_MEDIAN,
    STAT_MIN,
    STAT_SUM,
    STAT_RANGE,
    STAT_FIRST,
    STATS,
};
extern const char *const across_names[ACROSSES];
extern const char *const analysis_type_names[ANALYSIS_TYPES];
extern const char *const stat_names[STATS];

struct setup {
    str name;
    VEC(struct analysis) analyses; // in the order in which they are printed
    enum stat display[STATS];
    size_t n_display;
    bool detect_ops;
};

// A built-in setup by name, or a file: whatever has a `/` or ends in `.ini`.
bool setup_load(struct setup *s, const char *name, struct arena *a, struct err *e);
bool setup_parse(struct setup *s, str text, const char *file, struct arena *a,
                 struct err *e);
void setup_free(struct setup *s);

#endif
