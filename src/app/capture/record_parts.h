// record_parts.h - shared by the parts of `ttprof capture`.
#ifndef TTP_APP_CAPTURE_RECORD_PARTS_H
#define TTP_APP_CAPTURE_RECORD_PARTS_H

#include "base/data/arena.h"
#include "base/text/progress.h"

#include "app/capture/link.h"
#include "app/capture/record.h"

struct session { // one client
    struct capture_link link;
    const char *path;    // of the output; NULL: in the run folder, named by its process
    int64_t streamed_ns; // when the client's data began; 0: not yet
    uint64_t key;        // of the announcement: process and port
    int code;            // exit code
    bool is_saved;
};

struct record_job {
    const struct capture_values *v;
    struct arena a;
    VEC(struct session *) sessions;
    const char *folder; // of the output
    const char *run;    // the same, if the output is a run folder; else NULL
    bool has_run;       // it was made
    uint64_t held_most;
    int64_t start_ns;
    bool is_stopping;
    struct progress live;
    VEC(uint64_t) refused; // announcements of a protocol that is not known
};

int64_t record_now_ns(void);
// That of --format, else the other one.
enum tracy_generation record_format(const struct record_job *j,
                                    enum tracy_generation other);
// A new session; NULL: an error is set.
struct session *record_add(struct record_job *j, const struct link_how *how,
                           const char *path, struct err *e);
// What an announcement of a client of this machine leads to.
void record_announced(struct record_job *j, int fd);
// Says how the session ended and writes its trace. The exit code is in the session.
void record_save(struct record_job *j, struct session *s);
// The output may be written; else says why not and returns the exit code.
int record_check_output(struct record_job *j);
// All sessions are over: the run folder gets its manifest. Returns the exit code.
int record_finish_run(struct record_job *j, int code);
void record_draw(struct record_job *j);

#endif
