// notes.c - a list of sentences.
#include "analyse/notes.h"

#include <stdarg.h>
#include <stdio.h>

void note(struct notes *n, enum note_level level, const char *fmt, ...)
{
    char small[256];
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int len = vsnprintf(small, sizeof small, fmt, ap);
    va_end(ap);
    char *text = push_many(&n->arena, char, (size_t)len + 1);
    (void)vsnprintf(text, (size_t)len + 1, fmt, again);
    va_end(again);
    vec_push(&n->list, (struct note){level, {text, (size_t)len}});
}

void notes_free(struct notes *n)
{
    vec_free(&n->list);
    arena_free(&n->arena);
}
