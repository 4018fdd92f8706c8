// options_table.h - the table of variables, for options.c: names, kinds, fields, meanings.
#ifndef TTP_COLLECT_READOUT_OPTIONS_TABLE_H
#define TTP_COLLECT_READOUT_OPTIONS_TABLE_H

#include "base/text/fields.h"

#include "collect/readout/options.h"

struct variable {
    struct field field;  // without a type: read by another part of the program, shown only
    bool needs_profiler; // has no effect by itself while profiling is off
    const char *what;
};

extern const struct field_type variable_switch; // on when the value starts with '1'
extern const struct field_type variable_home;   // the folder above generated/profiler/
extern const struct variable variables[];
extern const size_t n_variables;

const struct variable *variable_find(str name); // NULL: unknown
// False: the value makes no sense; e says why, with the variable's name.
bool variable_take(const struct variable *v, struct profiler_options *o, str value,
                   struct err *e);
// The effective value.
void variable_put(const struct variable *v, const struct profiler_options *o,
                  struct buf *b);
// Is it a switch that is on, a number that is not 0?
bool variable_is_on(const struct variable *v, const struct profiler_options *o);

// Does a name of another part of the product or of tt-metal stand behind it?
bool variable_is_known(str name);
// The nearest known name; false when none is near.
bool variable_suggest(str name, struct buf *nearest);

#endif
