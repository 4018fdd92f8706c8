// process_log_write.c - lines of RUN/processes.log. System calls are made by number: the
// libc functions may be wrapped, and a wrapper may not be ready yet.
#include "record/process_log_write.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ttprof/recording.h"

enum { START_ROOM = 8192, LINE_ROOM = 256, PATH_ROOM = 4096, STAT_ROOM = 1024 };
enum { BIRTH_FIELD = 22, FIELD_BEHIND_NAME = 3 }; // of /proc/PID/stat
enum { KERNEL_SIGNAL_BYTES = 8 };                 // size of a signal set in the kernel

// --- system queries ----------------------------------------------------------------------
uint64_t process_log_ns(void)
{
    struct timespec t = {0};
    int kept = errno;
    (void)syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
    errno = kept;
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

uint32_t process_log_pid(void)
{
    return (uint32_t)syscall(SYS_getpid);
}

// Reads the start of a file; returns the bytes read, 0 if it cannot be read.
static size_t read_head(const char *path, char *to, size_t room)
{
    long fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0)
        return 0;
    long n = syscall(SYS_read, fd, to, room);
    (void)syscall(SYS_close, fd);
    return n > 0 ? (size_t)n : 0;
}

char *process_log_digits(char *to, uint64_t v)
{
    char digits[20];
    int n = 0;
    do
        digits[n++] = (char)('0' + v % 10);
    while (v /= 10);
    while (n)
        *to++ = digits[--n];
    return to;
}

static const char *put_stat_path(char *path, uint32_t pid)
{
    char *to = path;
    for (const char *head = "/proc/"; *head; head++)
        *to++ = *head;
    to = process_log_digits(to, pid);
    for (const char *tail = "/stat"; *tail; tail++)
        *to++ = *tail;
    *to = '\0';
    return path;
}

uint64_t process_log_birth(uint32_t pid)
{
    char text[STAT_ROOM], path[32];
    int kept = errno;
    size_t n =
        read_head(pid ? put_stat_path(path, pid) : "/proc/self/stat", text, sizeof text);
    errno = kept;
    size_t at = n; // the program name may contain anything: it ends at the last ')'
    while (at > 0 && text[at - 1] != ')')
        at--;
    int field = FIELD_BEHIND_NAME - 1;
    for (; at < n && field < BIRTH_FIELD; at++)
        field += text[at] == ' ';
    uint64_t birth = 0;
    for (; at < n && text[at] >= '0' && text[at] <= '9'; at++)
        birth = birth * 10 + (uint64_t)(text[at] - '0');
    return birth;
}

struct process_self process_log_self(void)
{
    return (struct process_self){process_log_pid(), process_log_birth(0)};
}

const char *process_log_variable(const char *name)
{
    for (char *const *v = environ; v && *v; v++) {
        size_t i = 0;
        while (name[i] && (*v)[i] == name[i])
            i++;
        if (!name[i] && (*v)[i] == '=')
            return *v + i + 1;
    }
    return NULL;
}

// A non-negative number and nothing else; else -1.
static int64_t number_of(const char *z)
{
    int64_t v = 0;
    if (!z || !*z)
        return -1;
    for (; *z; z++) {
        if (*z < '0' || *z > '9' || v > INT32_MAX)
            return -1;
        v = v * 10 + (*z - '0');
    }
    return v;
}

bool process_log_is_followed(void)
{
    const char *only = process_log_variable("TTPROF_FOLLOW");
    return !only || number_of(only) == process_log_pid();
}

static bool has_text(const char *z, const char *what)
{
    for (; z && *z; z++) {
        size_t i = 0;
        while (what[i] && z[i] == what[i])
            i++;
        if (!what[i])
            return true;
    }
    return false;
}

bool process_log_is_preloaded(void)
{
    bool is_static = getauxval(AT_BASE) == 0; // there is no dynamic loader
    return !is_static && !getauxval(AT_SECURE) &&
           has_text(process_log_variable("LD_PRELOAD"), "/" PRELOAD_NAME);
}

// --- lines, field by field ---------------------------------------------------------------
// The last byte is the newline: a line that does not fit is truncated, never merged with
// the next one.
static bool put_char(struct process_lines *l, char c)
{
    if (l->n + 1 >= l->room)
        return false;
    l->text[l->n++] = c;
    return true;
}

static bool put_escaped(struct process_lines *l, char c)
{
    static const char from[] = "\t\n\\", to[] = "tn\\";
    for (size_t i = 0; i < sizeof to - 1; i++)
        if (c == from[i])
            return l->n + 2 < l->room && put_char(l, '\\') && put_char(l, to[i]);
    return put_char(l, c);
}

static bool put_field(struct process_lines *l, const char *z)
{
    bool fits = put_char(l, '\t');
    for (; fits && *z; z++)
        fits = put_escaped(l, *z);
    return fits;
}

void process_line_text(struct process_lines *l, const char *z)
{
    (void)put_field(l, z);
}

void process_line_number(struct process_lines *l, int64_t v)
{
    char text[24];
    char *to = text;
    if (v < 0)
        *to++ = '-';
    to = process_log_digits(to, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
    *to = '\0';
    (void)put_field(l, text);
}

void process_line_begin(struct process_lines *l, const char *what, uint64_t ns,
                        struct process_self self)
{
    l->n = l->whole;
    while (*what && put_char(l, *what))
        what++;
    process_line_number(l, (int64_t)ns);
    process_line_number(l, self.pid);
    process_line_number(l, (int64_t)self.birth);
}

static bool put_word(struct process_lines *l, const char *word)
{
    static const char rest[] = "\t...";
    size_t before = l->n;
    l->room -= sizeof rest;
    bool fits = put_field(l, word);
    l->room += sizeof rest;
    if (fits)
        return true;
    l->n = before;
    for (size_t i = 0; rest[i]; i++)
        (void)put_char(l, rest[i]);
    return false;
}

void process_line_words(struct process_lines *l, char *const *words)
{
    while (words && *words && put_word(l, *words))
        words++;
}

void process_line_end(struct process_lines *l)
{
    if (l->n < l->room)
        l->text[l->n++] = '\n';
    l->whole = l->n;
}

// --- the write -------------------------------------------------------------------------
static const struct process_log_kept no_kept = {.fd = -1};
static struct process_log_kept kept_log = {.fd = -1};

// The program may have closed it, or have opened something else there.
static bool kept_is_open(void)
{
    struct stat now;
    return kept_log.fd >= 0 && syscall(SYS_fstat, kept_log.fd, &now) == 0 &&
           now.st_dev == kept_log.device && now.st_ino == kept_log.inode;
}

// With a file size limit, a write could kill the program with SIGXFSZ. The signal is
// blocked and discarded.
static void write_below_limit(long fd, const char *text, size_t n)
{
    uint64_t signal = UINT64_C(1) << (SIGXFSZ - 1), before = 0;
    (void)syscall(SYS_rt_sigprocmask, SIG_BLOCK, &signal, &before, KERNEL_SIGNAL_BYTES);
    if (syscall(SYS_write, fd, text, n) < 0 && errno == EFBIG) {
        struct timespec none = {0};
        (void)syscall(SYS_rt_sigtimedwait, &signal, NULL, &none, KERNEL_SIGNAL_BYTES);
    }
    (void)syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, KERNEL_SIGNAL_BYTES);
}

static long open_log(const char *log)
{
    int flags = O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY;
    return syscall(SYS_openat, AT_FDCWD, log, flags, 0);
}

void process_lines_write(const struct process_lines *l, const char *log)
{
    int before = errno;
    long own = l->whole ? open_log(log) : -1, fd = own;
    if (own < 0 && l->whole && kept_is_open())
        fd = kept_log.fd;
    if (fd >= 0) {
        struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
        (void)syscall(SYS_prlimit64, 0, RLIMIT_FSIZE, NULL, &limit);
        if (limit.rlim_cur == RLIM_INFINITY)
            (void)syscall(SYS_write, fd, l->text, l->whole);
        else
            write_below_limit(fd, l->text, l->whole);
    }
    if (own >= 0)
        (void)syscall(SYS_close, own);
    errno = before;
}

bool process_log_create(const char *log)
{
    long fd = syscall(SYS_openat, AT_FDCWD, log,
                      O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, TT_FILE_MODE);
    if (fd < 0)
        return false;
    (void)syscall(SYS_close, fd);
    return true;
}

// --- a log that stays open ---------------------------------------------------------------
// Moves the file to a descriptor that no program expects from open.
static long move_up(long low)
{
    enum { HIGH = 512 };
    long high = syscall(SYS_fcntl, low, F_DUPFD_CLOEXEC, HIGH);
    if (high < 0)
        return low;
    (void)syscall(SYS_close, low);
    return high;
}

bool process_log_keep(const char *log)
{
    struct stat now;
    int before = errno;
    bool is_kept = kept_is_open();
    long fd = is_kept ? -1 : open_log(log);
    if (fd >= 0 && syscall(SYS_fstat, fd, &now) == 0) {
        kept_log = (struct process_log_kept){(int)move_up(fd), now.st_dev, now.st_ino};
        is_kept = true;
    }
    errno = before;
    return is_kept;
}

struct process_log_kept process_log_kept(void)
{
    return kept_log;
}

bool process_log_adopt(struct process_log_kept from)
{
    int before = errno;
    kept_log = from;
    bool is_kept = kept_is_open();
    if (is_kept)
        (void)syscall(SYS_fcntl, kept_log.fd, F_SETFD, FD_CLOEXEC);
    else
        kept_log = no_kept;
    errno = before;
    return is_kept;
}

void process_log_pass(void)
{
    int before = errno;
    if (syscall(SYS_geteuid) != 0 && kept_is_open())
        (void)syscall(SYS_fcntl, kept_log.fd, F_SETFD, 0);
    errno = before;
}

void process_log_pass_not(void)
{
    int before = errno;
    if (kept_is_open())
        (void)syscall(SYS_fcntl, kept_log.fd, F_SETFD, FD_CLOEXEC);
    errno = before;
}

// --- whole lines -----------------------------------------------------------------------
static void put_program(struct process_lines *l)
{
    char path[PATH_ROOM];
    long n = syscall(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", path, sizeof path - 1);
    path[n > 0 ? n : 0] = '\0';
    process_line_text(l, path);
}

static void put_own_words(struct process_lines *l)
{
    char words[START_ROOM];
    size_t n = read_head("/proc/self/cmdline", words, sizeof words - 1);
    words[n] = '\0';
    for (size_t at = 0; at < n; at++) {
        if (!put_word(l, words + at))
            return;
        while (words[at])
            at++;
    }
}

// Launchers that tell a process its rank. The first one that sets a number wins.
static const struct {
    const char *rank, *size; // size NULL: not provided
    bool needs_size;         // the name alone is too common
} launchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", false},
    {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", false},
    {"PMI_RANK", "PMI_SIZE", false},
    {"PMIX_RANK", NULL, false},
    {"HOROVOD_RANK", "HOROVOD_SIZE", false},
    {"RANK", "WORLD_SIZE", true}, // torch
    {"JAX_PROCESS_ID", "JAX_NUM_PROCESSES", false},
    {"SLURM_PROCID", "SLURM_NTASKS",
     false}, // last: within a job all of the above run below it
};

static void put_rank(struct process_lines *l, uint64_t ns, struct process_self self)
{
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        int64_t rank = number_of(process_log_variable(launchers[i].rank));
        int64_t size = -1;
        if (launchers[i].size)
            size = number_of(process_log_variable(launchers[i].size));
        if (rank < 0 || (launchers[i].needs_size && size < 0))
            continue;
        process_line_begin(l, "rank", ns, self);
        process_line_number(l, rank);
        process_line_number(l, size);
        process_line_text(l, launchers[i].rank);
        process_line_end(l);
        return;
    }
}

void process_log_start(const char *log, struct process_self self)
{
    char text[START_ROOM];
    // Half of the room is for the program and its arguments; a rank needs little.
    struct process_lines l = {.text = text, .room = sizeof text - LINE_ROOM};
    uint64_t ns = process_log_ns();
    int kept = errno;
    process_line_begin(&l, "start", ns, self);
    process_line_number(&l, syscall(SYS_getppid));
    put_program(&l);
    put_own_words(&l);
    process_line_end(&l);
    l.room = sizeof text;
    put_rank(&l, ns, self);
    process_lines_write(&l, log);
    errno = kept;
}

static void write_numbers(const char *log, const char *what, struct process_self self,
                          const int64_t *numbers, int n)
{
    char text[LINE_ROOM];
    struct process_lines l = {.text = text, .room = sizeof text};
    process_line_begin(&l, what, process_log_ns(), self);
    for (int i = 0; i < n; i++)
        process_line_number(&l, numbers[i]);
    process_line_end(&l);
    process_lines_write(&l, log);
}

void process_log_fork(const char *log, struct process_self self, uint32_t parent)
{
    write_numbers(log, "fork", self, (const int64_t[]){parent}, 1);
}

void process_log_exit(const char *log, struct process_self self, int status)
{
    write_numbers(log, "exit", self, (const int64_t[]){status & 0xFF}, 1);
}

void process_log_ended(const char *log, uint32_t pid, uint64_t birth, int status)
{
    if (WIFEXITED(status) || WIFSIGNALED(status))
        write_numbers(log, "ended", (struct process_self){pid, birth},
                      (const int64_t[]){status, process_log_pid()}, 2);
}
