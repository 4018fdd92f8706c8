// notes.h - what an analysis tells the person on its way: which window it chose, what it
// assumed. Collected here, printed by whoever presents.
#ifndef TTP_ANALYSE_NOTES_H
#define TTP_ANALYSE_NOTES_H

#include "base/data/arena.h"
#include "base/data/vec.h"

enum note_level { NOTE_INFO, NOTE_WARNING, NOTE_ERROR };

struct note {
    enum note_level level;
    str text;
};

struct notes {
    struct arena arena;
    VEC(struct note) list;
};

void note(struct notes *n, enum note_level level, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void notes_free(struct notes *n);

#endif
