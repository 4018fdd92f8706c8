// outputs.h - the outputs of `ttprof run`.
//
//   outputs.c   all outputs in order; tables of host zones; closing lines
//   facts.c     what was recorded, by process and thread
//   manifest.c  <run folder>/manifest.json
//   captured.c  <run folder>/.logs/tracy_profile_log_host.tracy
//   reports.c   <root>/.logs and <root>/reports
#ifndef TTP_APP_RUN_OUTPUTS_H
#define TTP_APP_RUN_OUTPUTS_H

#include "base/data/arena.h"

#include "analyse/host/attachments.h"
#include "app/run/run.h"
#include "formats/host_run/host_run.h"

struct run_facts {
    struct arena a;
    struct trace host;
    bool has_host;
    uint64_t n_seen;               // all processes
    size_t n_processes, n_threads; // that recorded something
    uint64_t events, n_lost, lost[TT_LOSSES];
    double clock_error_ns; // the largest of all processes
    size_t n_virtual;      // processes with a virtual clock
    uint64_t host_bytes, log_bytes, n_logs;
    struct attachments attachments; // to devices
    const char *folder;             // of the run, relative to the root as given
    const char *report;             // folder; NULL: none was made
};

// Also settles the device files of all processes.
void run_facts_find(struct run_facts *f, struct wrapped_run *r);
void run_facts_free(struct run_facts *f);
// Why events get lost: text, key and remedy.
struct run_loss {
    const char *key, *why, *remedy;
};
extern const struct run_loss run_losses[TT_LOSSES];

// For the Tracy GUI, and for viewers that refuse a report without it: one file of the run.
// The capture of the only Tracy client as it is, else what all processes recorded.
void run_captured_publish(struct run_facts *f, struct wrapped_run *r, const char *logs);
void run_captured_tell(const struct wrapped_run *r); // a closing line for each client

bool run_manifest_write(const struct wrapped_run *r, const struct run_facts *f,
                        struct err *e);

// Replaces <root>/.logs with the run's logs.
void run_publish(struct wrapped_run *r);
// <root>/reports[/<name>]/<stamp>/ from the logs in this folder.
void run_report(struct wrapped_run *r, struct run_facts *f, const char *logs);

#endif
