// survey.h - what /proc tells about the processes of this machine, as far as this
// user may look.
#ifndef TTP_APP_DOCTOR_SURVEY_H
#define TTP_APP_DOCTOR_SURVEY_H

#include "base/data/arena.h"
#include "base/data/vec.h"

#include "app/run/run.h"

struct survey_process {
    pid_t pid;
    str name; // of the program, cut by the kernel to 15 bytes
    str run;  // TTPROF_RUN when it was started; empty: none, or it may not be seen
};
// A process has a file of a run mapped: its control page, or the library that follows it.
struct survey_mapping {
    size_t process; // index
    str path;
};
struct survey {
    struct arena a;
    VEC(struct survey_process) processes; // without this one
    VEC(struct survey_mapping) mappings;
};

void survey_make(struct survey *s);
void survey_free(struct survey *s);
// Is there a mapping of that file?
bool survey_maps(const struct survey *s, str path);

// Who listens on a TCP port of this machine. False: nobody. Nobody is named when it is
// another user's process.
bool survey_listeners(const struct survey *s, int port, pids *found);

#endif
