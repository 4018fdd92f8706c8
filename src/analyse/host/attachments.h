// attachments.h - the attachments of a run to devices: one per process, or several if a
// process opens its devices again. Each has a log of its own.
//
// Processes count programs and traces from the start, and the reference's files have no
// column for the process. So the numbers of each attachment are raised by a constant, which
// makes them unique in the run: wherever host ops or logs of a run are read, ids are the
// raised ones, and an id stands for (process, attachment, id). `ttprof run` keeps the
// constants in attachments.json; for a run that was killed they are found again.
#ifndef TTP_ANALYSE_HOST_ATTACHMENTS_H
#define TTP_ANALYSE_HOST_ATTACHMENTS_H

#include "base/text/err.h"

#include "collect/sync/device_clocks.h"
#include "formats/device_log/device_log.h"

#define ATTACHMENTS_FILE "attachments.json"

struct attachment {
    const char *folder;       // of its files, in the run folder; NULL: no device
    uint32_t pid, number;     // number: in its process, from 1
    uint64_t birth, start_ns; // of its process, on the run's axis; 0: unknown
    uint32_t process;         // in the host's trace; TRACE_NONE: not there
    uint64_t since_ns;        // on the run's axis; host ops from here on belong to it
    int64_t more_programs, more_traces; // what is added to its numbers
    struct device_clocks clocks;
};

struct attachments {
    struct arena a;
    const char *run;          // folder
    VEC(struct attachment) v; // by process and number
    size_t n_logs;            // of them with a device log
    uint64_t n_programs;      // the largest number after raising
};

// Finds the attachments of a run folder, or of the run that a folder of logs belongs to.
// `host`: the run's host data, which may be NULL. Empty for anything else.
void attachments_find(struct attachments *a, const char *folder, const struct trace *host);
void attachments_free(struct attachments *a);
// Writes attachments.json to the run folder.
bool attachments_write(const struct attachments *a, struct err *e);

// Do logs of attachments stand for the log in .logs? They do if there are several, or if
// numbers are raised.
bool attachments_have_parts(const struct attachments *a);
// Every attachment's log, in order. Call device_clocks_attach through attachments_place.
bool attachments_read_logs(const struct attachments *a, struct trace *t, struct err *e);
// The devices of such a trace get the clocks of their attachments.
void attachments_place(const struct attachments *a, struct trace *t);

// The attachment of a host process at a time; NULL: none.
const struct attachment *attachments_at(const struct attachments *a, uint32_t process,
                                        uint64_t ns);
// Which attachment a run id is of, as raised, or a trace: its number among those with a
// log; 0: unknown. *more: what is added to its programs.
uint32_t attachments_of_run(const struct attachments *a, uint64_t run_id, int64_t *more);
uint32_t attachments_of_trace(const struct attachments *a, int64_t trace);
// A message, or the text of an op's zone, with raised numbers; `a` may be NULL. The result
// is the text itself or in the buffer.
str attachments_message(const struct attachments *a, uint32_t process, uint64_t ns,
                        str text, struct buf *b);
str attachments_zone(const struct attachments *a, uint32_t process, uint64_t ns, str text,
                     struct buf *b);

#endif
