// err.c - builds the message.
#include "base/text/err.h"

#include <stdio.h>
#include <string.h>

bool err_setv(struct err *e, enum err_code code, const char *fmt, va_list args)
{
    (void)vsnprintf(e->text, sizeof e->text, fmt, args);
    e->code = code;
    return false;
}

bool err_set(struct err *e, enum err_code code, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    (void)err_setv(e, code, fmt, args);
    va_end(args);
    return false;
}

bool err_in(struct err *e, const char *fmt, ...)
{
    char context[sizeof e->text];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(context, sizeof context, fmt, ap);
    va_end(ap);
    char old[sizeof e->text];
    memcpy(old, e->text, sizeof old);
    // Too long: cut the end, keep the place.
    size_t n = strlen(context);
    if (n > sizeof e->text - 3)
        n = sizeof e->text - 3;
    memcpy(e->text, context, n);
    memcpy(e->text + n, ": ", 3);
    size_t rest = strlen(old);
    if (rest > sizeof e->text - n - 3)
        rest = sizeof e->text - n - 3;
    memcpy(e->text + n + 2, old, rest);
    e->text[n + 2 + rest] = '\0';
    return false;
}

int err_exit_code(enum err_code code)
{
    static const int exit_code[] = {
        [ERR_NONE] = 0,   [ERR_USAGE] = 2, [ERR_IO] = 3,
        [ERR_FORMAT] = 4, [ERR_LIMIT] = 5, [ERR_FAILED] = 1,
    };
    return exit_code[code];
}
