// pile.c - chunks of piles, in memory or in a file.
#include "base/data/pile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file/temporary.h"
#include "base/text/buf.h"

enum {
    FIRST_RECORDS = 32,
    LARGE_PAGE = 1 << 21,
    CUT_BYTES = 1 << 24, // of a mapping that chunks are cut from
};
static const uint64_t file_step = UINT64_C(16) << 20;

void pile_store_start(struct pile_store *s, const char *folder, uint64_t most)
{
    *s = (struct pile_store){.folder = folder, .most = most};
}

static void drop_rest(struct pile_store *s)
{
    if (s->rest_bytes)
        (void)munmap(s->rest, s->rest_bytes);
    s->rest_bytes = 0;
}

void pile_store_end(struct pile_store *s)
{
    drop_rest(s);
    if (s->fd_plus_1)
        (void)close(s->fd_plus_1 - 1);
    *s = (struct pile_store){0};
}

// The file loses its name at once: nothing is left, however this process ends.
static int open_file(const char *folder)
{
    struct buf name = {0};
    buf_printf(&name, "%s/.ttprof-XXXXXX", folder);
    buf_char(&name, 0);
    int fd = temporary_file(name.p);
    if (fd >= 0) {
        (void)unlink(name.p);
        temporary_done(name.p);
    }
    buf_free(&name);
    return fd;
}

// Space is allocated before it is mapped: a write to a full disk would raise a signal.
static bool make_room(struct pile_store *s, uint64_t bytes)
{
    if (!s->fd_plus_1)
        s->fd_plus_1 = open_file(s->folder) + 1;
    if (!s->fd_plus_1) {
        s->error = errno;
        return false;
    }
    if (s->spilled + bytes <= s->allocated)
        return true;
    uint64_t step = bytes > file_step ? bytes : file_step;
    s->error = posix_fallocate(s->fd_plus_1 - 1, (off_t)s->allocated, (off_t)step);
    s->allocated += s->error ? 0 : step;
    return !s->error;
}

static size_t chunk_bytes(const struct pile *p)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (mem_bytes(p->bytes, PILE_CHUNK) + page - 1) / page * page;
}

static void *map(size_t bytes, int flags, int fd, uint64_t at)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, fd, (off_t)at);
    return p == MAP_FAILED ? NULL : p;
}

// A mapping for many chunks, whose memory the system may give in large pages: page by page,
// it takes as long as reading the records. Short lists would waste such a page.
static void map_rest(struct pile_store *s)
{
    char *p = map(CUT_BYTES + LARGE_PAGE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    drop_rest(s);
    if (!p)
        return;
    size_t before = (size_t)(-(uintptr_t)p % LARGE_PAGE);
    if (before)
        (void)munmap(p, before);
    if (before < LARGE_PAGE)
        (void)munmap(p + before + CUT_BYTES, LARGE_PAGE - before);
    s->rest = p + before;
    s->rest_bytes = CUT_BYTES;
    (void)madvise(s->rest, CUT_BYTES, MADV_HUGEPAGE);
}

static char *cut_chunk(struct pile_store *s, size_t bytes)
{
    if (s->rest_bytes < bytes && s->held >= CUT_BYTES)
        map_rest(s);
    if (s->rest_bytes < bytes)
        return map(bytes, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *c = s->rest;
    s->rest += bytes;
    s->rest_bytes -= bytes;
    return c;
}

static char *chunk_new(struct pile_store *s, size_t bytes, bool *is_in_file)
{
    char *c = NULL;
    *is_in_file = false;
    if (s->most && s->held + bytes > s->most && !s->error && make_room(s, bytes))
        c = map(bytes, MAP_SHARED, s->fd_plus_1 - 1, s->spilled);
    if (c) {
        s->spilled += bytes;
        *is_in_file = true;
        return c;
    }
    c = cut_chunk(s, bytes);
    s->held += bytes;
    return c ? c : mem_alloc(SIZE_MAX); // says that memory has run out, and ends
}

// A short pile is one small block that doubles until it is a chunk.
static void grow_short(struct pile *p)
{
    size_t room = p->room ? p->room * 2 : FIRST_RECORDS;
    if (!p->chunks.n)
        vec_push(&p->chunks, NULL);
    p->chunks.v[0] = mem_resize(p->chunks.v[0], mem_bytes(p->bytes, room));
    memset(p->chunks.v[0] + p->room * p->bytes, 0, (room - p->room) * p->bytes);
    p->room = room;
}

static bool is_short(const struct pile *p)
{
    return p->room < PILE_CHUNK;
}

void pile_grow(struct pile *p, struct pile_store *s)
{
    if (p->room < PILE_CHUNK / 2) {
        grow_short(p);
        return;
    }
    size_t bytes = chunk_bytes(p);
    // What is complete is rarely needed before the end, and the file has it.
    if (p->is_last_in_file)
        (void)madvise(p->chunks.v[p->chunks.n - 1], bytes, MADV_DONTNEED);
    char *c = chunk_new(s, bytes, &p->is_last_in_file);
    if (is_short(p)) {
        memcpy(c, p->chunks.v[0], p->n * p->bytes);
        mem_free(p->chunks.v[0]);
        p->chunks.v[0] = c;
        p->room = PILE_CHUNK;
        return;
    }
    vec_push(&p->chunks, c);
    p->room += PILE_CHUNK;
}

void pile_free(struct pile *p)
{
    size_t bytes = chunk_bytes(p);
    if (is_short(p) && p->chunks.n)
        mem_free(p->chunks.v[0]);
    else
        for (size_t i = 0; i < p->chunks.n; i++)
            (void)munmap(p->chunks.v[i], bytes);
    vec_free(&p->chunks);
    *p = pile_of(p->bytes);
}
