// process_log_write.h - lines of RUN/processes.log, written from inside any process: one
// that is between vfork and exec, one that is in a signal handler, one that has closed
// every descriptor and lowered every limit.
//
// No memory but the stack, no locks, nothing that a program may have replaced, errno as it
// was; nothing stays open. What cannot be written is not written: the program comes first.
// `log` is the path of the file, which must be there: see process_log_create.
#ifndef TTP_RECORD_PROCESS_LOG_WRITE_H
#define TTP_RECORD_PROCESS_LOG_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROCESS_LOG_NAME "processes.log"
#define PRELOAD_NAME     "libttprof-preload.so"

// --- what is asked of the system ---------------------------------------------------------
uint64_t process_log_ns(void); // CLOCK_MONOTONIC
uint32_t process_log_pid(void);
// Field 22 of /proc/PID/stat, of a process that was not waited for yet; 0: unknown. pid 0:
// of this process.
uint64_t process_log_birth(uint32_t pid);
// The value of an environment variable; NULL: not set.
const char *process_log_variable(const char *name);
// Is this process to be recorded? TTPROF_FOLLOW=PID (`ttprof run --no-follow`) says that
// process PID alone is.
bool process_log_is_followed(void);
// Does the preload library log this process? It cannot be in a static program, nor in one
// that runs with the rights of another user: such a program logs itself, if it can.
bool process_log_is_preloaded(void);

// --- whole lines -----------------------------------------------------------------------
struct process_self {
    uint32_t pid;
    uint64_t birth;
};
struct process_self process_log_self(void);
void process_log_start(const char *log, struct process_self self); // and its rank
void process_log_fork(const char *log, struct process_self self, uint32_t parent);
void process_log_exit(const char *log, struct process_self self, int status);
// status as wait() tells it; stopped and continued children are none of the log's concern.
// birth 0: unknown; the reader takes the last process of that pid.
void process_log_ended(const char *log, uint32_t pid, uint64_t birth, int status);
// An empty log, for a new run. Programs that give up root's rights can go on writing to it.
bool process_log_create(const char *log);

// --- lines, field by field ---------------------------------------------------------------
char *process_log_digits(char *to, uint64_t v); // 20 at most; returns where they end
struct process_lines {
    char *text;
    size_t n, room;
    size_t whole; // bytes of complete lines
};
void process_line_begin(struct process_lines *l, const char *what, uint64_t ns,
                        struct process_self self);
void process_line_number(struct process_lines *l, int64_t v);
void process_line_text(struct process_lines *l, const char *z);
// Words that find no room are left out, and "..." stands for them.
void process_line_words(struct process_lines *l, char *const *words);
void process_line_end(struct process_lines *l);
void process_lines_write(const struct process_lines *l, const char *log);

#endif
