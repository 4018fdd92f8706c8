// captures.h - captures of Tracy clients in a run folder: RUN/tracy/PID.tracy, and their
// clocks in RUN/processes.log. `ttprof run` adds them to its folder; `ttprof capture` and
// `ttprof convert` make a run folder that has nothing else.
#ifndef TTP_APP_RUN_CAPTURES_H
#define TTP_APP_RUN_CAPTURES_H

#include "base/data/arena.h"
#include "base/text/err.h"

#include "app/capture/link_clock.h"
#include "formats/tracy/tracy_file.h"

// Names the file of a capture: FOLDER/tracy/PID.tracy, or PID-2 if there is one. The folder
// is made.
const char *captures_name(const char *folder, uint64_t pid, struct arena *a, struct err *e);
// Notes when the capture's time 0 was; nothing if that is not known.
void captures_note_clock(const char *folder, const char *path, const struct tracy *t,
                         const struct link_clock *clock);

// --- a folder of captures only ---
// Is a folder meant? It ends in a slash, or is there. NULL: no; else its name without the
// slash.
const char *captures_folder(const char *path, struct arena *a);
enum captures_made {
    CAPTURES_MADE,
    CAPTURES_EXIST, // there is a run, and it is not to be replaced
    CAPTURES_FAILED,
};
// Makes the folder, or takes an empty one. With `force` captures that are there are
// removed, but never anything that was recorded by other means.
enum captures_made captures_make(const char *folder, bool force, struct err *e);
// The process of a capture: what `ttprof run` logs when one starts.
void captures_note_process(const char *folder, const struct tracy *t,
                           const struct link_clock *clock);
// Nothing was captured: removes what captures_make has made.
void captures_remove(const char *folder);
// All captures are there: writes the manifest.
bool captures_finish(const char *folder, const char *command, uint64_t start_ns,
                     struct err *e);

#endif
