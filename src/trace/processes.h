// processes.h - the processes of a run, their parents and how they ended.
#ifndef TTP_TRACE_PROCESSES_H
#define TTP_TRACE_PROCESSES_H

#include "base/data/sort.h"
#include "base/data/vec.h"
#include "base/text/str.h"

enum process_end { PROCESS_UNKNOWN, PROCESS_EXITED, PROCESS_SIGNALLED };

struct process_exec {
    uint64_t ns; // CLOCK_MONOTONIC
    str path;
    VEC(str) words; // of the command line
    bool has_begun; // it logged its start; else it could not be preloaded
};
struct process {
    uint32_t pid;
    uint64_t birth;            // identifies it together with the pid; 0: unknown
    uint32_t parent;           // index; PROCESS_NONE: not in the run
    uint64_t start_ns, end_ns; // end 0: unknown
    enum process_end end;
    int status;                        // exit code or signal
    bool was_seen;                     // its end was logged by its waiter
    VEC(struct process_exec) programs; // in time order; empty: it never executed one
    int64_t rank, ranks;               // -1: none
    str rank_from;                     // "OMPI_COMM_WORLD_RANK"
    uint16_t tracy_port;               // of its Tracy client, the last one; 0: none
};
#define PROCESS_NONE UINT32_MAX

// When time 0 of the capture of a Tracy client was.
struct process_capture {
    str file;          // in RUN/tracy
    uint32_t process;  // index
    uint64_t begin_ns; // CLOCK_MONOTONIC
    uint64_t error_ns; // it may be this far from it
    str source;        // what it was found by
};

struct process_log {
    VEC(struct process) processes; // in order of start
    VEC(struct keyed) by_pid;      // key: pid, a: index; equal pids in order of start
    uint64_t n_lines;
    VEC(struct process_capture) captures;
};

void process_log_free(struct process_log *l);
void process_drop_program(struct process *p); // the last one
// PROCESS_NONE: not found. birth 0: the last one of that pid.
uint32_t process_log_find(const struct process_log *l, uint32_t pid, uint64_t birth);
// NULL: the log does not mention the file.
const struct process_capture *process_log_capture(const struct process_log *l, str file);

#endif
