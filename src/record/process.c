// process.c - start, fork and end of the process.
//
// A process of a run finds the run folder in its environment and maps the control page;
// nothing more until its first event, which creates the process's files and its drainer. A
// forked child starts over with its own first event. A process that ends abruptly (_exit, a
// signal, exec) leaves its files as they are, and they hold everything.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/process_log_write.h"
#include "record/record.h"
#include "record/tracy/client.h"

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

enum { RING_BYTES = 4 << 20, ARGUMENTS_MOST = 1 << 14, STAT_MOST = 1024 };

static const uint32_t closed;
const uint32_t *ttprof_gate = &closed;
uint32_t recorder_state;

static uint32_t last_state, session;
static pid_t process; // owner of this memory
static bool has_drainer;
static bool has_main_ended;   // other threads may continue
static bool is_prepared;      // for forks
static uint32_t *is_original; // 1; wiped to 0 in a child. NULL: not supported by the system
static bool is_forked;        // from one that listens: does not listen itself
static uint64_t lost_before;  // in the previous session
static char log_path[PATH_MAX]; // for a program that logs itself; else empty

uint32_t recorder_session(void)
{
    return __atomic_load_n(&session, __ATOMIC_RELAXED);
}

bool recorder_process_has_drainer(void)
{
    return __atomic_load_n(&has_drainer, __ATOMIC_RELAXED);
}

// --- on and off ---
static void state_next(void)
{
    last_state +=
        last_state == UINT32_MAX - 1 ? 2 : 1; // neither 0 nor the value for no thread
    __atomic_store_n(&recorder_state, last_state, __ATOMIC_RELEASE);
}

void recorder_state_change(void)
{
    if (recorder_state)
        state_next();
}

static void session_next(void)
{
    uint32_t next = session + 1;
    __atomic_store_n(&session, next ? next : 1, __ATOMIC_RELAXED);
}

static void turn_on(struct tt_control *c)
{
    session_next();
    recorder_control_set(c);
    state_next();
    __atomic_store_n(&ttprof_gate, &c->gate, __ATOMIC_RELEASE);
}

static void turn_off(void)
{
    __atomic_store_n(&ttprof_gate, &closed, __ATOMIC_RELEASE);
    __atomic_store_n(&recorder_state, 0, __ATOMIC_RELEASE);
}

static void stop_with_error(int error)
{
    struct tt_control *c = recorder_control();
    turn_off();
    __atomic_store_n(&c->failed_errno, (uint32_t)error, __ATOMIC_RELAXED);
    __atomic_fetch_add(&c->failed, 1, __ATOMIC_RELAXED);
}

// --- the last thread ---
// A field of /proc/self/stat. The name in field 2 may contain anything, even brackets. NULL
// if there is no such file.
static const char *stat_field(char *text, size_t n, int field)
{
    size_t got = recorder_read_file("/proc/self/stat", text, n - 1);
    text[got] = 0;
    char *at = strrchr(text, ')');
    for (int i = 2; at && i < field; i++)
        at = strchr(at + 1, ' ');
    return at ? at + 1 : NULL;
}

void recorder_process_main_ended(void)
{
    __atomic_store_n(&has_main_ended, true, __ATOMIC_RELAXED);
}

bool recorder_process_is_alone(bool is_time)
{
    enum { STATE = 3, N_THREADS = 20 };
    char text[STAT_MOST];
    if (!is_time && !__atomic_load_n(&has_main_ended, __ATOMIC_RELAXED))
        return false;
    const char *state = stat_field(text, sizeof text, STATE);
    if (!state || *state != 'Z') // main has ended, but is kept for the others
        return false;
    const char *n_threads = stat_field(text, sizeof text, N_THREADS);
    return n_threads &&
           strtoul(n_threads, NULL, 10) == (recorder_tracy_has_thread() ? 3 : 2);
}

// --- the first event ---
static void tell_string(enum tt_entry kind, const char *text, size_t bytes)
{
    uint32_t fields[2] = {recorder_string_locked(text, bytes), 0};
    recorder_table_put_locked(kind, fields, sizeof fields);
}

static void tell_process(struct tt_table *table)
{
    char arguments[ARGUMENTS_MOST];
    size_t n = recorder_read_file("/proc/self/cmdline", arguments, sizeof arguments);
    const char *program = program_invocation_short_name;
    table->pid = (uint32_t)getpid();
    table->parent_pid = (uint32_t)getppid();
    table->birth = process_log_birth(0);
    table->start_ns = recorder_monotonic();
    tell_string(TT_ENTRY_PROGRAM, program, strlen(program));
    if (n)
        tell_string(TT_ENTRY_ARGUMENTS, arguments, n - !arguments[n - 1]);
}

bool recorder_process_open(void)
{
    if (recorder_table())
        return true;
    recorder_ring_start();
    if (__atomic_load_n(&recorder_control()->is_over, __ATOMIC_RELAXED)) {
        turn_off();
        return false;
    }
    if (!recorder_table_open()) {
        stop_with_error(errno);
        return false;
    }
    tell_process(recorder_table());
    recorder_clock_start();
    __atomic_fetch_add(&recorder_control()->processes, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&has_drainer, recorder_drain_start(), __ATOMIC_RELAXED);
    if (!is_forked)
        recorder_tracy_start();
    return true;
}

// --- fork ---
static void fork_begin(void)
{
    recorder_lock(&recorder_long);
    recorder_lock(&recorder_short);
    recorder_fork_begin();
}

static void fork_parent(void)
{
    recorder_fork_parent();
    recorder_unlock(&recorder_short);
    recorder_unlock(&recorder_long);
}

static void become_child(void)
{
    uint32_t parent = (uint32_t)process;
    process = getpid();
    if (is_original)
        *is_original = 1;
    recorder_fork_child();
    recorder_clock_fork_child();
    recorder_table_close(true);
    recorder_drain_after_fork();
    is_forked |= recorder_tracy_has_thread();
    recorder_tracy_fork_child();
    session_next();
    recorder_state_change();
    lost_before = 0;
    has_main_ended = false;
    if (!process_log_is_followed() || !recorder_has_folder())
        turn_off();
    else if (*log_path)
        process_log_fork(log_path, process_log_self(), parent);
}

static void fork_child(void)
{
    become_child();
    recorder_unlock(&recorder_short);
    recorder_unlock(&recorder_long);
}

// A child made without fork's handlers (a raw clone system call) has one thread, which is
// not in here: its locks belong to nobody. A child of vfork is not a copy: it runs in its
// parent's memory, as its parent's thread.
void recorder_process_check(void)
{
    if (!is_original || *is_original)
        return;
    recorder_short.word = recorder_long.word = 0;
    recorder_fork_begin();
    become_child();
}

static void install_fork_handlers(void)
{
    enum { PAGE = 4096 };
    process = getpid();
    if (is_prepared)
        return;
    is_prepared = pthread_atfork(fork_begin, fork_parent, fork_child) == 0;
    is_original = recorder_pages(PAGE);
    if (is_original && madvise(is_original, PAGE, MADV_WIPEONFORK) == 0)
        *is_original = 1;
    else
        is_original = NULL;
}

// --- the control page ---
static bool control_path(const char *folder, char *out, size_t n)
{
    int length = snprintf(out, n, "%s/control", folder);
    return length > 0 && (size_t)length < n;
}

// On NULL, errno says why.
static struct tt_control *control_map(const char *folder)
{
    char path[PATH_MAX];
    if (!control_path(folder, path, sizeof path)) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    struct stat s;
    bool is_whole = fstat(fd, &s) == 0 && s.st_size >= TT_CONTROL_BYTES;
    struct tt_control *c =
        is_whole ? mmap(NULL, TT_CONTROL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
                 : MAP_FAILED;
    close(fd);
    if (c != MAP_FAILED && c->magic == TT_RUN_MAGIC && c->version == TT_RECORDING_VERSION)
        return c;
    if (c != MAP_FAILED)
        munmap(c, TT_CONTROL_BYTES);
    errno = EPROTO;
    return NULL;
}

// A static program has no preloaded library to log it.
static void log_start(const char *folder)
{
    if (process_log_is_preloaded())
        return;
    int n = snprintf(log_path, sizeof log_path, "%s/" PROCESS_LOG_NAME, folder);
    if (n <= 0 || (size_t)n >= sizeof log_path)
        *log_path = 0;
    else
        process_log_start(log_path, process_log_self());
}

static bool run_join(const char *folder)
{
    int error = errno;
    if (*folder != '/' || !process_log_is_followed() || !recorder_folder_set(folder))
        return false;
    struct tt_control *c = control_map(folder);
    errno = error;
    if (!c) {
        recorder_folder_clear();
        return false;
    }
    install_fork_handlers();
    __atomic_fetch_add(&c->linked, 1, __ATOMIC_RELAXED);
    turn_on(c);
    log_start(folder);
    return true;
}

// A process that listens cannot wait for its first event.
static void listen_from_the_start(bool waits)
{
    recorder_lock(&recorder_short);
    (void)recorder_process_open();
    recorder_unlock(&recorder_short);
    if (waits)
        recorder_tracy_wait();
}

// Defined by ttprof's own commands: what the environment asks for is meant for the programs
// that they start, and these would find the port taken. In a run they are as any program.
extern const char ttprof_listens_in_runs_only __attribute__((weak));

__attribute__((constructor(101))) static void process_start(void)
{
    const char *folder = secure_getenv("TTPROF_RUN");
    struct recorder_tracy_wish tracy = recorder_tracy_wish();
    bool is_run = folder && run_join(folder);
    struct ttprof_settings s = {.policy = tracy.blocks ? TTPROF_BLOCK : TTPROF_DROP_NEWEST};
    if (is_run && tracy.is_on)
        listen_from_the_start(tracy.waits);
    else if (&ttprof_listens_in_runs_only)
        return;
    else if (tracy.is_on && !folder && ttprof_start_with(NULL, &s) == 0 && tracy.waits)
        recorder_tracy_wait();
}

// --- the end ---
// On return everything is in the stream, and the table says so.
static void session_end(bool is_process_end)
{
    recorder_lock(&recorder_short); // a thread entering has finished entering
    turn_off();
    recorder_unlock(&recorder_short);
    bool are_out = recorder_threads_wait();
    if (!recorder_table())
        return;
    recorder_clock_pair(); // times are exact between two pairs, but drift after the last
    recorder_drain_stop();
    recorder_lock(&recorder_short);
    struct tt_table *table = recorder_table();
    lost_before = recorder_threads_lost();
    recorder_threads_end(are_out && !is_process_end);
    table->end_ns = recorder_monotonic();
    __atomic_store_n(&table->is_over, 1, __ATOMIC_RELEASE);
    recorder_file_cut("table", table->used);
    recorder_table_close(false);
    __atomic_store_n(&has_drainer, false, __ATOMIC_RELAXED);
    recorder_unlock(&recorder_short);
}

// Runs after the program's own handlers and destructors, which may still record.
__attribute__((destructor(101))) static void process_end(void)
{
    recorder_process_check();
    if (!recorder_state || process != getpid())
        return;
    recorder_lock(&recorder_long);
    session_end(true);
    recorder_unlock(&recorder_long);
}

// --- without `ttprof run` ---
static void control_fill(struct tt_control *c, const struct ttprof_settings *s)
{
    c->version = TT_RECORDING_VERSION;
    c->policy = (uint32_t)s->policy;
    c->ring_bytes = s->ring_bytes ? s->ring_bytes : RING_BYTES;
    c->most_bytes = s->most_bytes;
    c->opened_ns = recorder_monotonic();
    c->gate = 1;
    __atomic_store_n(&c->magic, TT_RUN_MAGIC, __ATOMIC_RELEASE);
}

// The page gets its name when it is complete, so processes that start at the same time
// share one.
static struct tt_control *control_make(const char *folder, const struct ttprof_settings *s)
{
    char path[PATH_MAX], mine[PATH_MAX];
    int n = snprintf(mine, sizeof mine, "%s/control.%d", folder, (int)getpid());
    if (n <= 0 || (size_t)n >= sizeof mine || !control_path(folder, path, sizeof path)) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    unlink(mine); // left by a killed process with the same pid
    struct tt_control *c = recorder_map_path(mine, NULL, TT_CONTROL_BYTES);
    if (!c)
        return NULL;
    control_fill(c, s);
    bool is_there = link(mine, path) == 0 || errno == EEXIST;
    int error = errno;
    unlink(mine);
    munmap(c, TT_CONTROL_BYTES);
    errno = error;
    return is_there ? control_map(folder) : NULL;
}

static bool folder_make(char *path)
{
    for (char *at = path + 1;; at++) {
        char end = *at;
        if (end && end != '/')
            continue;
        *at = 0;
        if (mkdir(path, TT_FOLDER_MODE) != 0 && errno != EEXIST && !end)
            return false;
        *at = end;
        if (!end)
            return true;
    }
}

// An absolute path, valid after the program changes its directory.
static int folder_absolute(const char *folder, char *out)
{
    char here[PATH_MAX] = "";
    if (*folder != '/' && !getcwd(here, sizeof here))
        return -errno;
    int n = snprintf(out, PATH_MAX, "%s%s%s", here, *here ? "/" : "", folder);
    if (n <= 0 || n >= PATH_MAX)
        return -ENAMETOOLONG;
    return folder_make(out) ? 0 : -errno;
}

// Opens now, like a first event, so that errors are known on return.
static int session_open(struct tt_control *c)
{
    install_fork_handlers();
    recorder_lock(&recorder_short);
    turn_on(c);
    bool is_open = recorder_process_open();
    recorder_unlock(&recorder_short);
    return is_open ? 0 : -(int)c->failed_errno;
}

// Without a folder: events go to a Tracy server or nowhere.
static struct tt_control *control_unnamed(const struct ttprof_settings *s)
{
    static struct tt_control *c; // threads may hold on to it
    if (!c)
        c = recorder_pages(TT_CONTROL_BYTES);
    recorder_folder_clear();
    if (c) {
        control_fill(c, s);
        c->gate = 0; // opened by a connection
    }
    return c;
}

static int session_start(const char *folder, const struct ttprof_settings *s)
{
    char path[PATH_MAX];
    if (recorder_state && (recorder_has_folder() || !folder))
        return -EBUSY;
    is_forked = false;
    if (recorder_state) // it listens; from now on it records as well
        session_end(false);
    struct tt_control *c = NULL;
    if (!folder) {
        if (!recorder_tracy_wish().is_on)
            return -EINVAL;
        c = control_unnamed(s);
        return c ? session_open(c) : -ENOMEM;
    }
    int error = folder_absolute(folder, path);
    if (error)
        return error;
    if (!recorder_folder_set(path))
        return -ENAMETOOLONG;
    c = control_make(path, s);
    return c ? session_open(c) : -errno;
}

int ttprof_start_with(const char *folder, const struct ttprof_settings *settings)
{
    recorder_process_check();
    recorder_lock(&recorder_long);
    int error = session_start(folder, settings);
    recorder_unlock(&recorder_long);
    return error;
}

int ttprof_start(const char *folder)
{
    static const struct ttprof_settings usual;
    return ttprof_start_with(folder, &usual);
}

void ttprof_stop(void)
{
    recorder_process_check();
    recorder_lock(&recorder_long);
    if (recorder_state)
        session_end(false);
    recorder_unlock(&recorder_long);
}

void ttprof_flush(void)
{
    recorder_process_check();
    recorder_lock(&recorder_long);
    if (recorder_table())
        recorder_drain_now();
    recorder_unlock(&recorder_long);
}

int ttprof_is_recording(void)
{
    return __atomic_load_n(&recorder_state, __ATOMIC_RELAXED) != 0;
}

uint64_t ttprof_lost(void)
{
    recorder_lock(&recorder_short);
    uint64_t lost = recorder_table() ? recorder_threads_lost() : lost_before;
    recorder_unlock(&recorder_short);
    return lost;
}
