// diag.c - counts findings.
#include "base/text/diag.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/text/str.h"

bool diag_count(struct diag *d, int kind)
{
    return d->entry[kind].count++ == 0;
}

void diag_note(struct diag *d, int kind, const char *fmt, ...)
{
    // It may go into a document: cut a long text between two characters, and replace
    // invalid bytes by '?'.
    char text[2 * sizeof d->entry[kind].first];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    str first = str_clip(str_of(text), sizeof d->entry[kind].first - 1);
    for (size_t at = 0, tail; at < first.n; at = tail + 1) {
        (void)str_bad_utf8(first, at, &tail);
        if (tail < first.n)
            text[tail] = '?';
    }
    memcpy(d->entry[kind].first, first.p, first.n);
    d->entry[kind].first[first.n] = '\0';
}

uint64_t diag_total(const struct diag *d)
{
    uint64_t total = 0;
    for (int k = 0; k < DIAG_KINDS; k++)
        total += d->entry[k].count;
    return total;
}

void diag_add(struct diag *to, const struct diag *from)
{
    for (int k = 0; k < DIAG_KINDS; k++) {
        if (from->entry[k].count && !to->entry[k].count)
            to->entry[k] = from->entry[k];
        else
            to->entry[k].count += from->entry[k].count;
    }
}
