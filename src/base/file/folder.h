// folder.h - finds, creates and deletes folders, copies files.
#ifndef TTP_BASE_FILE_FOLDER_H
#define TTP_BASE_FILE_FOLDER_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/text/err.h"

// The mode of new folders: the umask decides, but others may never write.
mode_t folder_mode(void);
// What is at a path; links are followed.
bool path_is_folder(const char *path);
bool path_is_file(const char *path); // a regular one
// Makes the folder and its parents; an existing one is fine.
bool folder_make(const char *path, struct err *e);
// Copies a file's bytes; the target appears only when complete.
bool folder_copy(const char *from, const char *to, struct err *e);
// Deletes a file, or a folder and its contents; a missing one is fine. False: something is
// left.
bool folder_delete(const char *path, struct err *e);
// The same for signal handlers: nothing but system calls.
bool folder_delete_now(const char *path);

#endif
