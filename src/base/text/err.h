// err.h - errors carry a code for the program and a message for the user.
//
// For requests that cannot be met. Programming errors assert; odd data goes to diag.h.
#ifndef TTP_BASE_TEXT_ERR_H
#define TTP_BASE_TEXT_ERR_H

#include <stdarg.h>
#include <stdbool.h>

enum err_code {
    ERR_NONE = 0,
    ERR_USAGE,  // the command line is wrong             -> exit 2
    ERR_IO,     // the system refused (errno is in text) -> exit 3
    ERR_FORMAT, // the input is not what it claims to be -> exit 4
    ERR_LIMIT,  // a stated limit was reached            -> exit 5
    ERR_FAILED, // a check such as --strict said no      -> exit 1
};

// One fixed buffer: reporting an error never allocates and never fails.
struct err {
    enum err_code code;
    char text[480];
};

// All return false, so a failing function ends with `return err_set(...)`.
bool err_set(struct err *e, enum err_code code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
bool err_setv(struct err *e, enum err_code code, const char *fmt, va_list args)
    __attribute__((format(printf, 3, 0)));
// Prepends context: "a.csv: line 18: expected 14 cells, found 15".
bool err_in(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

int err_exit_code(enum err_code code);

#endif
