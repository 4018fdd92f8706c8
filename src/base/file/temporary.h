// temporary.h - files and folders that exist only until a result is complete.
//
// Whoever makes one removes or renames it. A program that calls
// temporary_remove_on_signals leaves none behind when a signal ends it, either.
#ifndef TTP_BASE_FILE_TEMPORARY_H
#define TTP_BASE_FILE_TEMPORARY_H

#include <stdbool.h>

// Like mkostemp and mkdtemp: `name` ends with XXXXXX, which is replaced. On -1 or false,
// errno says why.
int temporary_file(char *name);
bool temporary_folder(char *name);
// It was removed or renamed.
void temporary_done(const char *name);
// Signals that end this process remove its temporary files and folders first. Ignored
// signals stay ignored. Programs of others, which link the runtime, keep their handlers.
void temporary_remove_on_signals(void);

#endif
