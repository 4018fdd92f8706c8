// folder.c - the run folder and its control page.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#if defined __x86_64__
#include <cpuid.h>
#include <x86intrin.h>
#endif

#include "base/file/folder.h"
#include "base/text/log.h"

#include "app/run/preload.h"
#include "app/run/run.h"
#include "record/process_log_write.h"

enum { FOLDERS_MOST = 10000 }; // per second

// --- the clock -------------------------------------------------------------------------
uint64_t run_now_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

#if defined __x86_64__
// Whether the counter runs at a constant rate, independent of core frequency.
bool run_clock_is_steady(void)
{
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid(0x80000007, &a, &b, &c, &d) && d >> 8 & 1;
}
static uint64_t counter(void)
{
    return __rdtsc();
}
#else
bool run_clock_is_steady(void)
{
    return false;
}
static uint64_t counter(void)
{
    return 0;
}
#endif

// Takes the tightest of several tries, as an interrupt may fall between the two reads.
struct run_clock_pair run_clock_read(void)
{
    struct run_clock_pair best = {0};
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < 16; i++) {
        uint64_t before = counter();
        uint64_t ns = run_now_ns();
        uint64_t after = counter();
        if (after - before < least) {
            least = after - before;
            best = (struct run_clock_pair){.ns = ns, .ticks = before + least / 2};
        }
    }
    return best;
}

double run_clock_rate(struct run_clock_pair since)
{
    struct run_clock_pair now = run_clock_read();
    if (!run_clock_is_steady() || now.ns <= since.ns)
        return 0;
    return (double)(now.ticks - since.ticks) / (double)(now.ns - since.ns);
}

// --- where -----------------------------------------------------------------------------
static char *text_of(struct buf *b)
{
    buf_char(b, '\0');
    return b->p;
}

void run_root(struct wrapped_run *r)
{
    struct buf root = {0};
    const char *folder =
        r->v->output_folder ? r->v->output_folder : getenv("TT_METAL_PROFILER_DIR");
    const char *home = getenv("TT_METAL_HOME");
    if (folder && folder[0])
        buf_z(&root, folder);
    else if (home && home[0])
        buf_printf(&root, "%s/generated/profiler", home);
    else
        buf_z(&root, "generated/profiler");
    while (root.n > 1 && root.p[root.n - 1] == '/')
        root.n--;
    r->root = text_of(&root);
}

// "_name" as part of a file name.
static void put_name(struct buf *b, const char *name)
{
    if (!name || !name[0])
        return;
    buf_char(b, '_');
    for (const char *c = name; *c; c++) {
        bool is_plain = (*c >= '0' && *c <= '9') ||
                        ((*c | 0x20) >= 'a' && (*c | 0x20) <= 'z') || strchr("-_.", *c);
        buf_char(b, is_plain ? *c : '_');
    }
}

// Creates the first of NAME, NAME-2, NAME-3 ... that does not exist.
static bool make_own(struct wrapped_run *r, const char *runs, struct err *e)
{
    struct buf path = {0};
    for (int k = 1; k <= FOLDERS_MOST; k++) {
        path.n = 0;
        buf_printf(&path, "%s/%s", runs, r->stamp);
        put_name(&path, r->v->name_append);
        if (k > 1)
            buf_printf(&path, "-%d", k);
        if (mkdir(text_of(&path), TT_FOLDER_MODE) == 0) {
            r->folder = path.p;
            return true;
        }
        if (errno != EEXIST)
            break;
    }
    (void)err_set(e, ERR_IO, "%s: cannot create folder: %s", path.p, strerror(errno));
    buf_free(&path);
    return false;
}

// The processes add names of files to the folder's path.
static bool path_fits(const struct wrapped_run *r, const char *runs, struct err *e)
{
    enum { LONGEST_NUMBER = sizeof "-10000" - 1 };
    const char *name = r->v->name_append;
    size_t n = strlen(runs) + 1 + strlen(r->stamp) + LONGEST_NUMBER;
    n += name && *name ? 1 + strlen(name) : 0;
    return n <= TT_FOLDER_MOST ||
           err_set(e, ERR_IO,
                   "the path of the run folder is too long: %zu characters, at most %d", n,
                   TT_FOLDER_MOST);
}

static bool make_folders(struct wrapped_run *r, struct err *e)
{
    struct buf path = {0}, file = {0};
    struct tm now;
    char here[4096];
    time_t t = (time_t)r->start_time;
    (void)localtime_r(&t, &now);
    (void)strftime(r->stamp, sizeof r->stamp, "%Y_%m_%d_%H_%M_%S", &now);
    if (r->root[0] != '/' && !getcwd(here, sizeof here))
        return err_set(e, ERR_IO, "cannot determine the current folder: %s",
                       strerror(errno));
    buf_printf(&path, "%s%s%s/runs", r->root[0] == '/' ? "" : here,
               r->root[0] == '/' ? "" : "/", r->root);
    bool is_fine =
        path_fits(r, text_of(&path), e) && folder_make(path.p, e) && make_own(r, path.p, e);
    if (is_fine) {
        path.n = 0;
        buf_printf(&path, "%s/host", r->folder);
        buf_printf(&file, "%s/.logs", r->folder);
        r->logs = text_of(&file);
        is_fine = folder_make(text_of(&path), e) && folder_make(r->logs, e);
    }
    buf_free(&path);
    return is_fine;
}

// --- the control page ------------------------------------------------------------------
static void fill_control(const struct wrapped_run *r, struct tt_control *c)
{
    const struct run_values *v = r->v;
    c->version = TT_RECORDING_VERSION;
    c->policy = r->settings.policy;
    c->ring_bytes = r->settings.ring_bytes;
    c->most_bytes = r->settings.most_bytes;
    c->for_ns = (uint64_t)(v->seconds * 1e9);
    c->skip = v->skip == RUN_NOT_GIVEN ? 0 : v->skip;
    c->ticks_per_ns = r->ticks_per_ns;
    if (v->start_at)
        memcpy(c->start_at, v->start_at, strlen(v->start_at));
    if (v->stop_at)
        memcpy(c->stop_at, v->stop_at, strlen(v->stop_at));
    c->gate = !v->start_at && c->skip == 0;
    c->opened_ns = c->gate ? r->start_ns : 0;
    c->magic = TT_RUN_MAGIC;
}

// Allocates disk space before mapping: a full disk is an error here, not a SIGBUS later.
static bool make_control(struct wrapped_run *r, struct err *e)
{
    struct buf path = {0};
    buf_printf(&path, "%s/control", r->folder);
    int fd = open(text_of(&path), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, TT_FILE_MODE);
    int why = fd < 0 ? errno : posix_fallocate(fd, 0, TT_CONTROL_BYTES);
    void *page = MAP_FAILED;
    if (!why) {
        page = mmap(NULL, TT_CONTROL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        why = page == MAP_FAILED ? errno : 0;
    }
    if (fd >= 0)
        (void)close(fd);
    if (why)
        (void)err_set(e, ERR_IO, "%s: cannot write: %s", path.p, strerror(why));
    buf_free(&path);
    if (why)
        return false;
    r->control = page;
    fill_control(r, r->control);
    return true;
}

static bool make_process_log(struct wrapped_run *r, struct err *e)
{
    struct buf path = {0};
    buf_printf(&path, "%s/" PROCESS_LOG_NAME, r->folder);
    r->process_log = text_of(&path);
    return process_log_create(r->process_log) ||
           err_set(e, ERR_IO, "%s: cannot write: %s", r->process_log, strerror(errno));
}

// --- the library -----------------------------------------------------------------------
static void unpack_preload(struct wrapped_run *r)
{
    struct err e = {0};
    if (preload_unpack(r->folder, r->preload, sizeof r->preload, &e))
        return;
    r->preload[0] = '\0';
    run_problem(r, "%s; processes are not followed", e.text);
}

// --- made and done ---------------------------------------------------------------------
bool run_folder_make(struct wrapped_run *r)
{
    struct err e = {0};
    if (make_folders(r, &e) && make_process_log(r, &e) && make_control(r, &e)) {
        if (!r->v->no_follow)
            unpack_preload(r);
        return true;
    }
    run_problem(r, "%s; the command runs without being recorded (-o chooses the folder)",
                e.text);
    run_folder_remove(r);
    return false;
}

static void remove_file(const struct wrapped_run *r, const char *name, bool is_folder)
{
    struct buf path = {0};
    buf_printf(&path, "%s%s", r->folder, name);
    (void)(is_folder ? rmdir(text_of(&path)) : unlink(text_of(&path)));
    buf_free(&path);
}

void run_folder_remove(struct wrapped_run *r)
{
    static const struct {
        const char *name;
        bool is_folder;
    } parts[] = {{"/control", false},
                 {"/" PROCESS_LOG_NAME, false},
                 {"/host", true},
                 {"/.logs", true},
                 {"", true}};
    run_folder_free_page(r);
    if (r->preload[0])
        preload_remove(r->preload);
    for (size_t i = 0; r->folder && i < sizeof parts / sizeof *parts; i++)
        remove_file(r, parts[i].name, parts[i].is_folder);
    mem_free(r->folder);
    mem_free(r->logs);
    mem_free(r->process_log);
    r->folder = r->logs = r->process_log = NULL;
    r->preload[0] = '\0';
}

void run_folder_close(struct wrapped_run *r)
{
    if (!r->control)
        return;
    r->control->ticks_per_ns = r->ticks_per_ns;
    __atomic_store_n(&r->control->gate, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&r->control->is_over, 1, __ATOMIC_RELEASE);
}

void run_folder_free_page(struct wrapped_run *r)
{
    if (r->control)
        (void)munmap(r->control, TT_CONTROL_BYTES);
    r->control = NULL;
}
