// progress.h - a bar on stderr for work that takes more than two seconds, and only on a
// terminal: nothing is printed into files, pipes or CI logs.
#ifndef TTP_BASE_TEXT_PROGRESS_H
#define TTP_BASE_TEXT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
    const char *what; // "reading trace.csv"
    uint64_t total;
    int64_t started; // ns: start of the first bar of this process
    int64_t shown;   // ns of the last drawing, 0 = nothing on the screen
    bool is_on;
};

struct progress progress_start(const char *what, uint64_t total);
// Cheap enough for every few thousand rows.
void progress_at(struct progress *p, uint64_t done);
// A line of text instead of a bar, for work whose end is not known.
void progress_text(struct progress *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
// Wipes the bar. A zero struct, or one that never drew, prints nothing.
void progress_end(struct progress *p);

#endif
