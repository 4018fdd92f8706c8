// log.c - one line at a time, written whole so that lines of several threads do not mix.
#include "base/text/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

void log_line(const char *fmt, ...)
{
    char text[1024];
    int head = snprintf(text, sizeof text, "ttprof: ");
    size_t room = sizeof text - (size_t)head - 1;
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(text + head, room, fmt, ap);
    va_end(ap);
    size_t len = (size_t)head + ((size_t)n < room ? (size_t)n : room - 1);
    text[len++] = '\n';
    // Standard error may be closed: there is nobody left to tell.
    if (write(STDERR_FILENO, text, len) < 0)
        return;
}
