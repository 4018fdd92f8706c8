// machine.c - can this machine record: the artifacts folder, its disk, the clock?
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "base/file/file.h"

#include "app/doctor/checks.h"
#include "app/run/run.h"

#define MIB UINT64_C(1048576)
static const uint64_t ring_bytes = 4 * MIB; // of one thread, when nothing else is said
static const uint64_t space_needed = 16 * MIB, space_wanted = 1024 * MIB;
static const char other_folder[] =
    "choose another folder for 'ttprof run' with -o or TT_METAL_PROFILER_DIR";

// --- the artifacts folder --------------------------------------------------------------
struct check_finding check_folder_access(const struct check_view *v)
{
    struct stat st;
    bool is_there = stat(v->root, &st) == 0;
    bool is_fine = stat(v->nearest, &st) == 0 && S_ISDIR(st.st_mode) &&
                   access(v->nearest, W_OK | X_OK) == 0;
    if (!is_fine)
        return (struct check_finding){CHECK_PROBLEM,
                                      arena_printf(v->a, "%s is not writable", v->root).p,
                                      other_folder};
    return (struct check_finding){
        .found =
            arena_printf(v->a, "%s %s", v->root, is_there ? "writable" : "will be created")
                .p};
}

// A file without a name: nothing is left when this program is killed.
static int open_unnamed(const char *folder)
{
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT))
        return fd;
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/.ttprof-XXXXXX", folder);
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        (void)unlink(path);
    return fd;
}

// As a thread's ring is made: room on the disk, then mapped, then written. A limit of the
// size of files is an error here, not a signal.
static int try_ring(const char *folder)
{
    void (*before)(int) = signal(SIGXFSZ, SIG_IGN);
    int fd = open_unnamed(folder);
    int why = fd < 0 ? errno : posix_fallocate(fd, 0, (off_t)ring_bytes);
    if (!why) {
        char *p = mmap(NULL, ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        why = p == MAP_FAILED ? errno : 0;
        if (!why) {
            p[0] = p[ring_bytes - 1] = 1;
            (void)munmap(p, ring_bytes);
        }
    }
    if (fd >= 0)
        (void)close(fd);
    (void)signal(SIGXFSZ, before);
    return why;
}

struct check_finding check_mapping(const struct check_view *v)
{
    int why = try_ring(v->nearest);
    if (why)
        return (struct check_finding){
            CHECK_PROBLEM,
            arena_printf(v->a, "cannot create and map event files in %s: %s", v->nearest,
                         strerror(why))
                .p,
            other_folder};
    return (struct check_finding){
        .found = "event files can be created and mapped; no port and no tools are needed"};
}

// --- its disk --------------------------------------------------------------------------
static const struct file_system {
    uint32_t magic;
    const char *name;
    bool is_remote;
} file_systems[] = {
    {EXT4_SUPER_MAGIC, "ext4", false},
    {BTRFS_SUPER_MAGIC, "btrfs", false},
    {XFS_SUPER_MAGIC, "xfs", false},
    {OVERLAYFS_SUPER_MAGIC, "overlayfs", false},
    {TMPFS_MAGIC, "tmpfs, in memory", false},
    {0x2fc12fc1, "zfs", false},
    {NFS_SUPER_MAGIC, "NFS", true},
    {SMB_SUPER_MAGIC, "SMB", true},
    {0xff534d42, "CIFS", true},
    {0xfe534d42, "SMB2", true},
    {V9FS_MAGIC, "9p", true},
    {AFS_SUPER_MAGIC, "AFS", true},
    {CEPH_SUPER_MAGIC, "Ceph", true},
    {0x0bd00bd0, "Lustre", true},
    {0x47504653, "GPFS", true},
    {0x19830326, "BeeGFS", true},
    {FUSE_SUPER_MAGIC, "FUSE", true},
};

static const struct file_system *file_system_of(const char *folder)
{
    struct statfs s;
    if (statfs(folder, &s) < 0)
        return NULL;
    for (size_t i = 0; i < sizeof file_systems / sizeof *file_systems; i++)
        if (file_systems[i].magic == (uint32_t)s.f_type)
            return &file_systems[i];
    return NULL;
}

struct check_finding check_file_system(const struct check_view *v)
{
    const struct file_system *f = file_system_of(v->nearest);
    struct statvfs s;
    bool has_flags = statvfs(v->nearest, &s) == 0;
    const char *name = f ? f->name : "of an unknown kind";
    if (f && f->is_remote)
        return (struct check_finding){
            CHECK_NOTE,
            arena_printf(
                v->a, "%s: events go to mapped files, which are slow over a network", name)
                .p,
            "use a local folder: 'ttprof run -o /tmp/profile -- ...'"};
    if (has_flags && s.f_flag & ST_NOEXEC)
        return (struct check_finding){
            CHECK_NOTE,
            arena_printf(
                v->a,
                "%s, mounted noexec: the library that follows processes goes to the temporary folder",
                name)
                .p,
            NULL};
    return (struct check_finding){.found = name};
}

struct check_finding check_space(const struct check_view *v)
{
    struct statvfs s;
    if (statvfs(v->nearest, &s) < 0)
        return (struct check_finding){
            CHECK_NOTE, arena_printf(v->a, "cannot be determined: %s", strerror(errno)).p,
            NULL};
    uint64_t free_bytes = (uint64_t)s.f_bavail * s.f_frsize;
    enum check_state state = free_bytes < space_needed   ? CHECK_PROBLEM
                             : free_bytes < space_wanted ? CHECK_NOTE
                                                         : CHECK_OK;
    return (struct check_finding){
        state, arena_printf(v->a, "%s", check_size(v->a, free_bytes)).p,
        state == CHECK_OK
            ? NULL
            : "each recording thread needs 4 MiB at once: free some space, choose another folder with -o, or limit a run with --ring-size and --max-size"};
}

// --- limits ----------------------------------------------------------------------------
struct check_finding check_limits(const struct check_view *v)
{
    static const struct {
        int what;
        uint64_t enough;
        const char *name, *command;
    } limits[] = {{RLIMIT_NOFILE, 256, "open files", "ulimit -n 1024"},
                  {RLIMIT_FSIZE, RLIM_INFINITY, "bytes per file", "ulimit -f unlimited"},
                  {RLIMIT_AS, RLIM_INFINITY, "bytes of memory", "ulimit -v unlimited"}};
    struct buf found = {0}, remedy = {0};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        struct rlimit l;
        if (getrlimit((__rlimit_resource_t)limits[i].what, &l) < 0 ||
            l.rlim_cur >= limits[i].enough)
            continue;
        buf_printf(&found, "%sat most %llu %s", found.n ? ", " : "",
                   (unsigned long long)l.rlim_cur, limits[i].name);
        buf_printf(&remedy, "%s'%s'", remedy.n ? ", " : "", limits[i].command);
    }
    struct check_finding f = {.found = "none that affects a run"};
    if (found.n)
        f = (struct check_finding){
            CHECK_NOTE, arena_str(v->a, buf_view(&found)).p,
            arena_printf(v->a, "events beyond a limit are lost; raise it with %.*s",
                         STR(remedy))
                .p};
    buf_free(&found);
    buf_free(&remedy);
    return f;
}

// --- the clock -------------------------------------------------------------------------
// A line of /sys; empty: there is none.
static const char *line_of(const char *path, struct arena *a)
{
    struct file f;
    struct err e = {0};
    if (!file_open(path, &f, &e))
        return "";
    str line = str_trim(f.text);
    const char *copy = arena_str(a, line).p;
    file_close(&f);
    return copy;
}

static double ns_of_a_read(void)
{
    enum { READS = 2000 };
    struct timespec t;
    struct run_clock_pair start = run_clock_read();
    for (int i = 0; i < READS; i++)
        (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)(run_clock_read().ns - start.ns) / READS;
}

#define SOURCES "/sys/devices/system/clocksource/clocksource0/"
// What the recorder in a program will choose, by the same rules.
struct check_finding check_clock(const struct check_view *v)
{
    const char *kernel = line_of(SOURCES "current_clocksource", v->a);
    const char *list = line_of(SOURCES "available_clocksource", v->a);
    const char *wish = getenv("TTPROF_CLOCK");
    bool is_trusted = !list[0] || strstr(list, "tsc");
    bool is_forced = wish && strcmp(wish, "tsc") == 0;
    bool is_refused = wish && strcmp(wish, "monotonic") == 0;
    bool has_counter = run_clock_is_steady();
    const char *of_kernel = kernel[0] ? kernel : "unknown";
    if (is_forced || (!is_refused && has_counter && is_trusted))
        return (struct check_finding){
            is_forced && !(has_counter && is_trusted) ? CHECK_NOTE : CHECK_OK,
            arena_printf(
                v->a,
                "events are timed by the time stamp counter%s; the kernel's clock is %s",
                has_counter ? ", which is steady" : ", which is not steady", of_kernel)
                .p,
            is_forced && !(has_counter && is_trusted) ? "unset TTPROF_CLOCK" : NULL};
    return (struct check_finding){
        is_refused ? CHECK_OK : CHECK_NOTE,
        arena_printf(v->a, "events are timed by CLOCK_MONOTONIC (%s), %.0f ns per read",
                     of_kernel, ns_of_a_read())
            .p,
        is_refused
            ? NULL
            : "the time stamp counter is not steady here; a zone costs two reads of this clock"};
}
