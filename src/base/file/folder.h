// folder.h - creates folders and copies files.
#ifndef TTP_BASE_FILE_FOLDER_H
#define TTP_BASE_FILE_FOLDER_H

#include <stdbool.h>

#include "base/text/err.h"

// Makes the folder and its parents; an existing one is fine.
bool folder_make(const char *path, struct err *e);
// Copies a file's bytes; the target appears only when complete.
bool folder_copy(const char *from, const char *to, struct err *e);

#endif
