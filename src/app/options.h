// options.h - command options as data. The command line parses them; a pipeline may list
// which ones were given.
#ifndef TTP_APP_OPTIONS_H
#define TTP_APP_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_kind {
    OPTION_FLAG,
    OPTION_TEXT,
    OPTION_LIST, // repeatable
    OPTION_FILE,
    OPTION_CHOICE,
    OPTION_INT,
    OPTION_REAL
};

struct option {
    const char *name; // long, without the dashes
    char letter;      // short form, 0: none
    enum option_kind kind;
    size_t at;           // offset of its value: bool, const char *, int64_t, double or list
    const char *arg;     // name of the value: "FILE"
    const char *choices; // of OPTION_CHOICE, separated by spaces
    const char *none;    // value of the long form if no number follows; NULL: it needs one
    const char *help;
    const char *group; // heading in help and manual; NULL: as the option before
};

struct option_list {
    const char *v[32];
    size_t n;
};

// Positional arguments.
struct words {
    const char **v;
    size_t n;
};

// The options that a values struct was parsed with.
struct option_table {
    const struct option *v;
    size_t n;
};

#endif
