// stream.c - the stream's descriptor, in a program that may close, reuse or run out of
// descriptors at any time.
#include "record/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HIGH_DESCRIPTOR = 512 }; // programs expect low ones

static uint64_t limit_of(__rlimit_resource_t what)
{
    struct rlimit r;
    return getrlimit(what, &r) == 0 ? r.rlim_cur : RLIM_INFINITY;
}

int recorder_descriptor_move_up(int low)
{
    uint64_t limit = limit_of(RLIMIT_NOFILE);
    int least = limit > HIGH_DESCRIPTOR ? HIGH_DESCRIPTOR : (int)(limit - limit / 4);
    int high = fcntl(low, F_DUPFD_CLOEXEC, least);
    if (high < 0)
        return low;
    (void)close(low);
    return high;
}

static bool is_ours(const struct recorder_stream *s, struct stat *now)
{
    return s->is_open && fstat(s->descriptor, now) == 0 && now->st_dev == s->device &&
           now->st_ino == s->inode;
}

void recorder_stream_close(struct recorder_stream *s)
{
    struct stat now;
    if (is_ours(s, &now))
        (void)close(s->descriptor);
    s->is_open = false;
}

static int open_file(struct recorder_stream *s, struct stat *now)
{
    char path[PATH_MAX];
    if (!recorder_file_path("stream", path, sizeof path))
        return ENAMETOOLONG;
    int d = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, TT_FILE_MODE);
    if (d < 0)
        return errno;
    d = recorder_descriptor_move_up(d);
    if (fstat(d, now)) {
        int error = errno;
        (void)close(d);
        return error;
    }
    *s = (struct recorder_stream){true, d, now->st_dev, now->st_ino};
    return 0;
}

static int append_bytes(int descriptor, const void *bytes, size_t n, uint64_t size)
{
    // A write beyond this limit would raise a signal that kills the program.
    if (size + n > limit_of(RLIMIT_FSIZE))
        return EFBIG;
    for (size_t done = 0; done < n;) {
        ssize_t more = write(descriptor, (const char *)bytes + done, n - done);
        if (more > 0) {
            done += (size_t)more;
        } else if (!(more < 0 && errno == EINTR)) {
            int error = more < 0 ? errno : ENOSPC;
            if (done)
                (void)!ftruncate(descriptor,
                                 (off_t)size); // if this fails, readers skip the part
            return error;
        }
    }
    return 0;
}

// On 0 the descriptor is ours and the file has its header; *size is the file's size.
static int prepare_file(struct recorder_stream *s, uint64_t *size)
{
    struct stat now = {0};
    bool is_usable = is_ours(s, &now);
    if (is_usable && now.st_nlink == 0) { // removed: nobody would ever read it
        recorder_stream_close(s);
        is_usable = false;
    }
    if (!is_usable) {
        int error = open_file(s, &now);
        if (error)
            return error;
    }
    *size = (uint64_t)now.st_size;
    if (*size)
        return 0;
    struct tt_stream head = {
        .magic = TT_STREAM_MAGIC,
        .version = TT_RECORDING_VERSION,
        .shift = recorder_clock_shift(),
    };
    *size = sizeof head;
    return append_bytes(s->descriptor, &head, sizeof head, 0);
}

int recorder_stream_open(struct recorder_stream *s)
{
    uint64_t size;
    return prepare_file(s, &size);
}

uint64_t recorder_stream_bytes(const struct recorder_stream *s)
{
    struct stat now;
    return is_ours(s, &now) ? (uint64_t)now.st_size : 0;
}

int recorder_stream_write(struct recorder_stream *s, const void *bytes, size_t n)
{
    uint64_t size;
    int error = prepare_file(s, &size);
    return error ? error : append_bytes(s->descriptor, bytes, n, size);
}
