// options.h - options of commands as data, and the words that follow them. The command line
// parses them; a pipeline may list which ones were given.
#ifndef TTP_APP_OPTIONS_H
#define TTP_APP_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_kind {
    OPTION_FLAG,
    OPTION_TEXT,
    OPTION_LIST, // may be given again and again
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
    const char *arg;     // what the value is called: "FILE"
    const char *choices; // of OPTION_CHOICE, separated by blanks
    const char *help;
    const char *group; // heading in help and manual; NULL: as the option before
};

struct option_list {
    const char *v[32];
    size_t n;
};

// What the rest of the command line is.
struct words {
    const char **v;
    size_t n;
};

// The options that a struct of values was read with.
struct option_table {
    const struct option *v;
    size_t n;
};

#endif
