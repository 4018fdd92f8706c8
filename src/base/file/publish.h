// publish.h - replaces a folder atomically: readers see all of the old one or all of the
// new one, however many processes publish at a time.
#ifndef TTP_BASE_FILE_PUBLISH_H
#define TTP_BASE_FILE_PUBLISH_H

#include "base/text/err.h"

// `to` becomes a folder with the files of `from` and its sub-folders: hard links if the
// file system allows, else copies. `note`, if not NULL, becomes a symbolic link in it:
// {name, target}. The previous contents of `to` are deleted.
struct publish_note {
    const char *name, *target;
};
bool folder_publish(const char *from, const char *to, const struct publish_note *note,
                    struct err *e);

#endif
