// options_table.h - the table of variables, for options.c: names, kinds, fields, meanings.
#ifndef TTP_COLLECT_READOUT_OPTIONS_TABLE_H
#define TTP_COLLECT_READOUT_OPTIONS_TABLE_H

#include "base/text/fields.h"

#include "collect/readout/options.h"

struct variable {
    struct field field;  // without a type: read elsewhere in the program, only listed
    bool needs_profiler; // no effect while profiling is off
    const char *what;
};

extern const struct field_type variable_switch; // on if the value starts with '1'
extern const struct field_type variable_home;   // the folder above generated/profiler/
extern const struct variable variables[];
extern const size_t n_variables;

const struct variable *variable_find(str name); // NULL: unknown
// False: invalid value; e says why, with the variable's name.
bool variable_take(const struct variable *v, struct profiler_options *o, str value,
                   struct err *e);
// The effective value.
void variable_put(const struct variable *v, const struct profiler_options *o,
                  struct buf *b);
// Is it a switch that is on, or a nonzero number?
bool variable_is_on(const struct variable *v, const struct profiler_options *o);

// Is it a variable of another part of the product or of tt-metal?
bool variable_is_known(str name);
// The nearest known name; false if none is close.
bool variable_suggest(str name, struct buf *nearest);

#endif
