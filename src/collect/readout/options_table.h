// options_table.h - the table of variables, for options.c: names, kinds, fields, meanings.
#ifndef TTP_COLLECT_READOUT_OPTIONS_TABLE_H
#define TTP_COLLECT_READOUT_OPTIONS_TABLE_H

#include "collect/readout/options.h"

enum variable_kind {
    VARIABLE_SWITCH, // on when the value starts with '1'
    VARIABLE_SET,    // on with any value, even an empty one
    VARIABLE_COUNT,  // decimal, least..most
    VARIABLE_BITS,   // likewise, 32 bits of switches
    VARIABLE_CHOICE, // one of a list of words, by number
    VARIABLE_RISCS,  // comma list of RISC names
    VARIABLE_FOLDER, // ends in '/' when kept
    VARIABLE_HOME,   // the folder above generated/profiler/
    VARIABLE_PLACE,  // a path as given
    VARIABLE_OTHER,  // read by another part of the program; shown only
};

struct variable {
    const char *name;
    enum variable_kind kind;
    size_t at;           // of its field; bool, int, int64_t, uint32_t or char[512]
    bool needs_profiler; // has no effect by itself while profiling is off
    int64_t least, most; // of numbers
    const char *choices; // of VARIABLE_CHOICE, separated by blanks
    const char *what;
};

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
