// tar.c - ustar headers, and the stream as a function of the offset.
#include "base/file/tar.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/data/mem.h"

enum {
    RECORD = 512,     // the unit of tar
    END = 2 * RECORD, // an archive ends with two empty records
};

// The fields of a ustar header, by offset.
struct ustar {
    char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], sum[8], type;
    char link[100], magic[6], version[2], uname[32], gname[32], major[8], minor[8];
    char prefix[155], rest[12];
};
_Static_assert(sizeof(struct ustar) == RECORD, "a header is one record");

// An entry of the tar stream: header, contents, zeros up to a whole record.
struct tar_member {
    struct ustar header;
    const char *path; // NULL: a folder, without contents
    uint64_t at;      // offset of its header
    uint64_t size;    // of the contents
    dev_t device;
    ino_t inode;
};

// --- headers ---

// Octal up to 11 digits (8 GB). Larger sizes are binary after a first byte of 0x80, as in
// GNU tar.
static void put_size(char field[12], uint64_t size)
{
    if (size < UINT64_C(1) << 33) {
        (void)snprintf(field, 12, "%011llo", (unsigned long long)size);
        return;
    }
    field[0] = '\x80';
    for (int i = 0; i < 8; i++)
        field[11 - i] = (char)(size >> 8 * i & 255);
}

// A name too long for its field is split at a slash; the first part is the prefix.
static bool put_name(struct ustar *h, const char *name, struct err *e)
{
    char full[sizeof h->prefix + 1 + sizeof h->name + 1];
    int n = snprintf(full, sizeof full, "./%s", name);
    const char *tail = full;
    if (n >= (int)sizeof full)
        tail = NULL;
    else if ((size_t)n > sizeof h->name)
        tail = strchr(full + n - sizeof h->name - 1, '/');
    if (!tail || tail - full > (ptrdiff_t)sizeof h->prefix)
        return err_set(e, ERR_LIMIT, "%s: the name is too long for an archive; shorten it",
                       name);
    if (tail > full)
        memcpy(h->prefix, full, (size_t)(tail++ - full));
    memcpy(h->name, tail, strlen(tail));
    return true;
}

static bool make_header(struct tar_member *m, const char *name, struct err *e)
{
    struct ustar *h = &m->header;
    if (!put_name(h, name, e))
        return false;
    (void)snprintf(h->mode, sizeof h->mode, "%07o", m->path ? 0644U : 0755U);
    memset(h->uid, '0', sizeof h->uid - 1);
    memset(h->gid, '0', sizeof h->gid - 1);
    put_size(h->size, m->size);
    memset(h->mtime, '0', sizeof h->mtime - 1);
    h->type = m->path ? '0' : '5';
    memcpy(h->magic, "ustar", sizeof h->magic);
    memset(h->version, '0', sizeof h->version);
    memset(h->major, '0', sizeof h->major - 1);
    memset(h->minor, '0', sizeof h->minor - 1);
    memset(h->sum, ' ', sizeof h->sum); // the sum counts its own field as blanks
    unsigned sum = 0;
    for (const unsigned char *p = (const unsigned char *)h, *end = p + RECORD; p < end; p++)
        sum += *p;
    (void)snprintf(h->sum, sizeof h->sum, "%06o", sum);
    return true;
}

// --- layout ---

static bool file_error(const struct tar_member *m, struct err *e)
{
    return err_set(e, ERR_IO, "%s: cannot read: %s", m->path, strerror(errno));
}

static bool measure_member(struct tar_member *m, struct err *e)
{
    struct stat st;
    // Without O_NONBLOCK opening a pipe would wait for a writer.
    int fd = open(m->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &st) != 0) {
        (void)file_error(m, e);
        if (fd >= 0)
            (void)close(fd);
        return false;
    }
    (void)close(fd);
    if (!S_ISREG(st.st_mode))
        return err_set(e, ERR_IO, "%s: not a regular file; leave it out", m->path);
    m->size = (uint64_t)st.st_size;
    m->device = st.st_dev;
    m->inode = st.st_ino;
    return true;
}

bool tar_lay_out(struct tar *t, const struct archive_entry *entries, size_t n,
                 struct err *e)
{
    t->n_members = n + 1;
    t->members = mem_alloc(mem_bytes(sizeof *t->members, t->n_members));
    for (size_t i = 0; i < t->n_members; i++) {
        struct tar_member *m = &t->members[i];
        m->path = i ? entries[i - 1].path : NULL;
        m->at = t->total;
        if ((m->path && !measure_member(m, e)) ||
            !make_header(m, i ? entries[i - 1].name : "", e))
            return false;
        t->total += RECORD + (m->size + RECORD - 1) / RECORD * RECORD;
    }
    t->total += END;
    return true;
}

// --- contents ---

static bool read_fully(int fd, const struct tar_member *m, uint64_t from, char *to,
                       size_t n, struct err *e)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return file_error(m, e);
    if (st.st_dev != m->device || st.st_ino != m->inode)
        return err_set(e, ERR_IO, "%s: replaced while being read; try again", m->path);
    for (ssize_t got; n > 0; from += (uint64_t)got, to += got, n -= (size_t)got) {
        got = pread(fd, to, n, (off_t)from);
        if (got < 0 && errno == EINTR)
            got = 0;
        else if (got < 0)
            return file_error(m, e);
        else if (got == 0)
            return err_set(e, ERR_IO, "%s: truncated while being read; try again", m->path);
    }
    return true;
}

// Opens the file for each block, so that few files are open however many entries there are.
static bool read_part(const struct tar_member *m, uint64_t from, char *to, size_t n,
                      struct err *e)
{
    int fd = open(m->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return file_error(m, e);
    bool ok = read_fully(fd, m, from, to, n, e);
    (void)close(fd);
    return ok;
}

// The overlap of the n bytes of the stream at `start` with its `size` bytes at `at`.
struct overlap {
    uint64_t from; // counted from `at`
    size_t to, n;  // counted from `start`
};
static struct overlap overlap_of(uint64_t start, size_t n, uint64_t at, uint64_t size)
{
    uint64_t first = at > start ? at : start;
    uint64_t end = at + size < start + n ? at + size : start + n;
    if (first >= end)
        return (struct overlap){0};
    return (struct overlap){first - at, (size_t)(first - start), (size_t)(end - first)};
}

// The member that holds this offset, or the last one for offsets after it.
static size_t find_member(const struct tar *t, uint64_t offset)
{
    size_t low = 0, high = t->n_members;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (t->members[middle].at <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}

bool tar_read(const struct tar *t, uint64_t start, char *to, size_t n, struct err *e)
{
    memset(to, 0, n); // everything outside of members
    for (size_t i = find_member(t, start); i < t->n_members; i++) {
        const struct tar_member *m = &t->members[i];
        if (m->at >= start + n)
            break;
        struct overlap head = overlap_of(start, n, m->at, RECORD);
        struct overlap body = overlap_of(start, n, m->at + RECORD, m->size);
        memcpy(to + head.to, (const char *)&m->header + head.from, head.n);
        if (body.n && !read_part(m, body.from, to + body.to, body.n, e))
            return false;
    }
    return true;
}

void tar_free(struct tar *t)
{
    mem_free(t->members);
    *t = (struct tar){0};
}
