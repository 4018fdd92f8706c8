// log.c - one line at a time, written whole so that lines of several threads do not mix.
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"

static void log_write(const char *fmt, va_list ap)
{
    char text[1024];
    int head = snprintf(text, sizeof text, "ttprof: ");
    size_t room = sizeof text - (size_t)head - 1;
    int n = vsnprintf(text + head, room, fmt, ap);
    size_t len = (size_t)head + ((size_t)n < room ? (size_t)n : room - 1);
    text[len++] = '\n';
    // Standard error may be closed: there is nobody left to tell.
    if (write(STDERR_FILENO, text, len) < 0)
        return;
}

void log_line(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    log_write(fmt, ap);
    va_end(ap);
}

void log_debug(const char *fmt, ...)
{
    const char *level = getenv("TTPROF_LOG");
    if (!level || strcmp(level, "debug") != 0)
        return;
    va_list ap;
    va_start(ap, fmt);
    log_write(fmt, ap);
    va_end(ap);
}
