// folder.h - folders to write into, and files that are taken along as they are.
#ifndef TTP_BASE_FILE_FOLDER_H
#define TTP_BASE_FILE_FOLDER_H

#include <stdbool.h>

#include "base/text/err.h"

// Makes the folder and those above it; one that is there already is fine.
bool folder_make(const char *path, struct err *e);
// A copy of a file's bytes. It takes its name when it is complete.
bool folder_copy(const char *from, const char *to, struct err *e);

#endif
