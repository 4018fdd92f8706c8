// files.c - files of the run folder: created with disk space reserved, mapped, found again.
//
// Files are opened by absolute path and closed at once: the program may close all
// descriptors, change its directory or user, and mapped memory stays. Space is reserved
// before mapping, so a full disk is an error here and not a SIGBUS in the middle of the
// program. Callers hold a lock, so no signal interrupts.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "record/record.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

enum { NAME_MOST = 64, NAMES_MOST = 100000, PAGE = 4096, ZEROS = 1 << 16 };

static char folder[TT_FOLDER_MOST + 1];
_Static_assert(TT_FOLDER_MOST + NAME_MOST < PATH_MAX, "the names of files fit");
static char process[NAME_MOST / 2]; // P

bool recorder_folder_set(const char *path)
{
    size_t n = strlen(path);
    if (n >= sizeof folder)
        return false;
    memcpy(folder, path, n + 1);
    return true;
}

void recorder_folder_clear(void)
{
    *folder = 0;
}

bool recorder_has_folder(void)
{
    return *folder;
}

bool recorder_file_path(const char *suffix, char *out, size_t n)
{
    int length = snprintf(out, n, "%s/host/%s.%s", folder, process, suffix);
    return *folder && length > 0 && (size_t)length < n;
}

// --- disk space ---
// A file longer than the process's limit raises a signal, which is now pending because
// signals are blocked.
static void take_back_the_signal(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    static const struct timespec at_once;
    sigtimedwait(&set, NULL, &at_once);
}

static bool write_zeros(int fd, off_t from, size_t bytes)
{
    static const char zeros[ZEROS];
    for (size_t done = 0; done < bytes;) {
        size_t n = bytes - done < ZEROS ? bytes - done : ZEROS;
        ssize_t written = pwrite(fd, zeros, n, from + (off_t)done);
        if (written <= 0)
            return false;
        done += (size_t)written;
    }
    return true;
}

static bool make_room(int fd, off_t from, size_t bytes)
{
    bool is_there = fallocate(fd, 0, from, (off_t)bytes) == 0;
    if (!is_there && (errno == EOPNOTSUPP || errno == ENOSYS))
        is_there = write_zeros(fd, from, bytes);
    if (!is_there && errno == EFBIG)
        take_back_the_signal();
    return is_there;
}

void recorder_touch(void *at, size_t bytes)
{
    if (madvise(at, bytes, MADV_POPULATE_WRITE) == 0)
        return;
    for (size_t i = 0; i < bytes; i += PAGE)
        __atomic_fetch_or((uint8_t *)at + i, 0, __ATOMIC_RELAXED);
}

static void *map_open_file(int fd, void *at, off_t from, size_t bytes)
{
    if (!make_room(fd, from, bytes))
        return NULL;
    void *mapped = mmap(at, bytes, PROT_READ | PROT_WRITE,
                        MAP_SHARED | (at ? MAP_FIXED : 0), fd, from);
    if (mapped == MAP_FAILED)
        return NULL;
    recorder_touch(mapped, bytes < RECORDER_TOUCHED ? bytes : RECORDER_TOUCHED);
    return mapped;
}

// --- files of this process ---
void *recorder_map_path(const char *path, void *at, size_t bytes)
{
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, TT_FILE_MODE);
    if (fd < 0)
        return NULL;
    void *mapped = map_open_file(fd, at, 0, bytes);
    int error = errno;
    close(fd);
    if (!mapped)
        unlink(path);
    errno = error;
    return mapped;
}

static void *map_nothing(void *at, size_t bytes)
{
    void *mapped = mmap(at, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | (at ? MAP_FIXED : 0), -1, 0);
    if (mapped == MAP_FAILED)
        return NULL;
    recorder_touch(mapped, bytes < RECORDER_TOUCHED ? bytes : RECORDER_TOUCHED);
    return mapped;
}

void *recorder_map_file(const char *suffix, void *at, size_t bytes)
{
    char path[PATH_MAX];
    if (!*folder)
        return map_nothing(at, bytes);
    if (!recorder_file_path(suffix, path, sizeof path)) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    return recorder_map_path(path, at, bytes);
}

bool recorder_map_more(const char *suffix, void *at, size_t had, size_t bytes)
{
    char path[PATH_MAX];
    if (!*folder)
        return map_nothing((char *)at + had, bytes);
    if (!recorder_file_path(suffix, path, sizeof path))
        return false;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return false;
    struct stat s;
    bool is_mapped = fstat(fd, &s) == 0 && (size_t)s.st_size == had &&
                     map_open_file(fd, (char *)at + had, (off_t)had, bytes);
    close(fd);
    return is_mapped;
}

void *recorder_map_table(void *at, size_t bytes)
{
    char path[PATH_MAX];
    if (!*folder)
        return map_nothing(at, bytes);
    snprintf(path, sizeof path, "%s/host", folder);
    if (mkdir(path, TT_FOLDER_MODE) != 0 && errno != EEXIST)
        return NULL;
    for (int n = 1; n <= NAMES_MOST; n++) {
        snprintf(process, sizeof process, "%d-%d", (int)getpid(), n);
        void *mapped = recorder_map_file("table", at, bytes);
        if (mapped || errno != EEXIST)
            return mapped;
    }
    return NULL;
}

void recorder_file_remove(const char *suffix)
{
    char path[PATH_MAX];
    if (recorder_file_path(suffix, path, sizeof path))
        unlink(path);
}

void recorder_file_cut(const char *suffix, uint64_t bytes)
{
    char path[PATH_MAX];
    if (recorder_file_path(suffix, path, sizeof path) && truncate(path, (off_t)bytes) != 0)
        return; // longer than necessary
}

static bool write_pieces(int fd, const struct recorder_piece *pieces, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t done = 0; done < pieces[i].n;) {
            ssize_t written = write(fd, pieces[i].p + done, pieces[i].n - done);
            if (written <= 0)
                return false;
            done += (size_t)written;
        }
    return true;
}

uint64_t recorder_file_append(const char *suffix, const struct recorder_piece *pieces,
                              size_t n)
{
    char path[PATH_MAX];
    if (!recorder_file_path(suffix, path, sizeof path))
        return UINT64_MAX;
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, TT_FILE_MODE);
    if (fd < 0)
        return UINT64_MAX;
    struct stat s;
    uint64_t at = fstat(fd, &s) == 0 ? (uint64_t)s.st_size : UINT64_MAX;
    if (at != UINT64_MAX && !write_pieces(fd, pieces, n)) {
        if (errno == EFBIG)
            take_back_the_signal();
        // If this fails, a partial text that nothing refers to remains.
        int is_cut = ftruncate(fd, s.st_size);
        (void)is_cut;
        at = UINT64_MAX;
    }
    close(fd);
    return at;
}

// --- memory and small files ---
void *recorder_pages(size_t bytes)
{
    void *at =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

size_t recorder_read_file(const char *path, char *out, size_t n)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    size_t got = 0;
    for (ssize_t more; got < n && (more = read(fd, out + got, n - got)) > 0;)
        got += (size_t)more;
    close(fd);
    return got;
}
