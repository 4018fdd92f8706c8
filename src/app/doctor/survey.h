// survey.h - the processes of this machine, from the parts of /proc this user may read.
#ifndef TTP_APP_DOCTOR_SURVEY_H
#define TTP_APP_DOCTOR_SURVEY_H

#include "base/data/arena.h"
#include "base/data/vec.h"

#include "app/run/run.h"

struct survey_process {
    pid_t pid;
    str name; // of the program, truncated by the kernel to 15 bytes
    str run;  // TTPROF_RUN at its start; empty: none, or not readable
};
// A file of a run mapped by a process: the control page or the preloaded library.
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

// Finds the processes that listen on a TCP port. False: the port is free. `found` stays
// empty if the listener belongs to another user.
bool survey_listeners(const struct survey *s, int port, pids *found);

#endif
