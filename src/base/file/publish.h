// publish.h - a folder of files that takes the place of another one as a whole: whoever
// looks sees all of the old one or all of the new one, however many publish at a time.
#ifndef TTP_BASE_FILE_PUBLISH_H
#define TTP_BASE_FILE_PUBLISH_H

#include "base/text/err.h"

// `to` becomes a folder with the files of `from` and its sub-folders: links to the same
// files where the file system can, else copies. `note`, when it is not NULL, becomes a
// symbolic link in it: {name, target}. What was in `to` goes away.
struct publish_note {
    const char *name, *target;
};
bool folder_publish(const char *from, const char *to, const struct publish_note *note,
                    struct err *e);
// With everything in it; what is not there is fine. False: something could not be deleted.
bool folder_delete(const char *path, struct err *e);

#endif
