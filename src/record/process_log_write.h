// process_log_write.h - lines of RUN/processes.log, written from inside any process:
// between vfork and exec, in a signal handler, or with every descriptor closed and every
// limit lowered.
//
// Uses no memory but the stack, no locks and nothing a program may have replaced; keeps
// errno and leaves nothing open. What cannot be written is dropped: the program comes
// first. `log` is the path of the file, which must exist: see process_log_create.
#ifndef TTP_RECORD_PROCESS_LOG_WRITE_H
#define TTP_RECORD_PROCESS_LOG_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROCESS_LOG_NAME "processes.log"
#define PRELOAD_NAME     "libttprof-preload.so"

// --- system queries ----------------------------------------------------------------------
uint64_t process_log_ns(void); // CLOCK_MONOTONIC
uint32_t process_log_pid(void);
// Field 22 of /proc/PID/stat, for a process not yet waited for; 0 if unknown. pid 0: this
// process.
uint64_t process_log_birth(uint32_t pid);
// The value of an environment variable, or NULL if not set.
const char *process_log_variable(const char *name);
// Whether this process is recorded. TTPROF_FOLLOW=PID (`ttprof run --no-follow`) limits
// recording to process PID.
bool process_log_is_followed(void);
// Whether the preload library logs this process. It cannot be in a static or setuid
// program: such a program logs itself, if it can.
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
// status as returned by wait(); stopped and continued children are ignored. birth 0:
// unknown; the reader takes the last process with that pid.
void process_log_ended(const char *log, uint32_t pid, uint64_t birth, int status);
// Creates an empty log for a new run.
bool process_log_create(const char *log);

// --- a log that stays open ---------------------------------------------------------------
// A process that gives up root's rights may not open the log any more. It opens it before,
// for good, and passes the descriptor on to the programs that it executes.
struct process_log_kept {
    int fd; // -1: none
    uint64_t device, inode;
};
bool process_log_keep(const char *log);
struct process_log_kept process_log_kept(void);
// Takes over what the program before this one kept; false: it is not open.
bool process_log_adopt(struct process_log_kept from);
// Leaves it open for the next program, unless that is root's; and not, if there is no next
// program.
void process_log_pass(void);
void process_log_pass_not(void);

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
// Arguments that do not fit are replaced by "...".
void process_line_words(struct process_lines *l, char *const *words);
void process_line_end(struct process_lines *l);
void process_lines_write(const struct process_lines *l, const char *log);

#endif
