// host_run_files.c - reads the files of a run so that a process that is still recording, or
// was killed midway, does no harm: rings first, then streams, which have what has left the
// rings meanwhile, and tables last, which have everything that both mention.
#include "formats/host_run/host_run_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/mapping.h"
#include "base/text/num.h"

#include "formats/host_run/host_run.h"
#include "formats/host_run/process_log.h"
#include "formats/tracy/tracy_trace.h"
#include "trace/diags.h"

enum {
    // The writer of an overwritten ring may be this far ahead of its head: the largest
    // event, and the clock before it.
    EVENT_MOST = TT_EVENT_WORDS_MOST + 2,
    RING_TRIES = 8, // a ring may be reassigned to another thread while it is read
};
#define CAPACITY_MOST (UINT64_C(1) << 29) // words: `ring_bytes` has 32 bits

bool host_source_read(const struct host_source *s, uint64_t at, void *to, size_t n)
{
    if (s->fd < 0) {
        if (at > s->text.n || n > s->text.n - at)
            return false;
        if (n)
            memcpy(to, s->text.p + at, n);
        return true;
    }
    char *p = to;
    while (n) {
        ssize_t got = pread(s->fd, p, n, (off_t)at);
        if (got <= 0 && !(got < 0 && errno == EINTR))
            return false;
        if (got > 0) {
            p += got;
            at += (uint64_t)got;
            n -= (size_t)got;
        }
    }
    return true;
}

// A file gets its magic after the rest of its header.
static bool is_being_made(const struct host_source *s)
{
    uint32_t magic = 0;
    return !host_source_read(s, 0, &magic, sizeof magic) || magic == 0;
}

static uint64_t source_bytes(const struct host_source *s)
{
    struct stat st = {0};
    return s->fd < 0 ? s->text.n : fstat(s->fd, &st) == 0 ? (uint64_t)st.st_size : 0;
}

static bool report_damaged(struct trace *r, const char *name, const char *what)
{
    if (diag_count(&r->diag, DIAG_HOST_FILE_DAMAGED))
        diag_note(&r->diag, DIAG_HOST_FILE_DAMAGED, "%s: %s", name, what);
    return false;
}

// -1: there is none, or it was reported. A pipe in a folder must not make anyone wait.
static int open_regular(struct trace *r, const char *path)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        if (errno != ENOENT) // a ring may have been removed by now
            (void)report_damaged(r, path, strerror(errno));
        return -1;
    }
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
        return fd;
    (void)close(fd);
    (void)report_damaged(r, path, "is not a regular file");
    return -1;
}

struct host_files *host_files_find(struct trace *r, str name)
{
    uint32_t id = map_put_copy(&r->blocks->names, name.p, name.n, &r->arena);
    if (id == r->blocks->files.n) {
        struct host_files f = {.process = TRACE_NONE};
        memcpy(f.name, name.p, name.n < sizeof f.name ? name.n : sizeof f.name - 1);
        vec_push(&r->blocks->files, f);
    }
    return &r->blocks->files.v[id];
}

// --- rings -----------------------------------------------------------------------------

// The words from..to, contiguous.
static uint64_t *ring_words(const struct host_source *s, uint64_t capacity, uint64_t from,
                            uint64_t to, struct arena *a)
{
    uint64_t *words = push_many(a, uint64_t, (size_t)(to - from));
    uint64_t at = from % capacity, n = to - from;
    uint64_t first = n < capacity - at ? n : capacity - at;
    if (!host_source_read(s, TT_RING_HEADER + at * 8, words, (size_t)first * 8) ||
        !host_source_read(s, TT_RING_HEADER, words + first, (size_t)(n - first) * 8))
        return NULL;
    return words;
}

// Where the oldest certainly complete event begins in an overwritten ring. What changed
// between two readings of the header was incomplete in the first.
static uint64_t flight_start(const struct tt_ring *was, const struct tt_ring *now,
                             uint64_t to, uint64_t *before)
{
    *before = 0;
    if (now->head - now->first + EVENT_MOST <= now->capacity)
        return now->first;
    uint64_t least = now->head + EVENT_MOST - now->capacity;
    if (least < now->first)
        least = now->first;
    uint64_t best = to;
    *before = now->events;
    for (int i = 0; i < TT_RING_SEGMENTS; i++) {
        uint64_t position = was->segments[i].position;
        if (position == now->segments[i].position && position >= least && position < best) {
            best = position;
            *before = was->segments[i].events;
        }
    }
    return best;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static bool ring_is_sane(const struct tt_ring *h)
{
    return h->magic == TT_RING_MAGIC && h->version == TT_RECORDING_VERSION &&
           h->capacity >= TT_RING_SEGMENTS && h->capacity <= CAPACITY_MOST &&
           (h->capacity & (h->capacity - 1)) == 0 && h->first <= h->head &&
           h->tail <= h->head;
}

static bool ring_fits(const struct tt_ring *h, const struct host_source *s)
{
    return TT_RING_HEADER + h->capacity * sizeof(uint64_t) <= source_bytes(s);
}

static bool read_ring(struct host_ring *ring, const struct tt_ring *was,
                      const struct host_source *s, struct arena *a, bool *is_other)
{
    bool is_flight = was->policy == TT_DROP_OLDEST;
    uint64_t oldest = was->head > was->capacity ? was->head - was->capacity : 0;
    uint64_t from = larger(is_flight ? oldest : was->tail, was->first), to = was->head;
    struct tt_ring then, now;
    *is_other = false;
    if (to - from > was->capacity)
        return false;
    uint64_t *words = ring_words(s, was->capacity, from, to, a);
    if (!words || !host_source_read(s, 0, &then, sizeof then) ||
        !host_source_read(s, 0, &now, sizeof now) || !ring_is_sane(&now))
        return false;
    *is_other = now.thread != was->thread || now.first != was->first;
    uint64_t before = 0;
    uint64_t start = is_flight ? flight_start(&then, &now, to, &before) : now.tail;
    start = larger(start, from);
    if (start > to)
        start = to;
    *ring = (struct host_ring){.thread = was->thread,
                               .clock = was->clock,
                               .is_flight = is_flight,
                               .first = was->first,
                               .from = start,
                               .to = to,
                               .before = before,
                               .events = now.events,
                               .words = words + (start - from)};
    memcpy(ring->lost, now.lost, sizeof ring->lost);
    return true;
}

bool host_files_add_ring(struct trace *r, struct host_files *f, const struct host_source *s)
{
    struct tt_ring was;
    struct host_ring ring = {0};
    bool is_other = true;
    for (int i = 0; i < RING_TRIES && is_other; i++) {
        if (is_being_made(s))
            return true;
        if (!host_source_read(s, 0, &was, sizeof was) || !ring_is_sane(&was))
            return report_damaged(r, f->name, "the header of a ring is invalid");
        if (!ring_fits(&was, s) || !read_ring(&ring, &was, s, &r->arena, &is_other))
            return report_damaged(r, f->name, "a ring is truncated");
    }
    if (ring.thread && !is_other)
        vec_push(&f->rings, ring);
    return true;
}

// --- tables ----------------------------------------------------------------------------

bool host_files_add_table(struct trace *r, struct host_files *f,
                          const struct host_source *s)
{
    if (is_being_made(s))
        return true;
    if (!host_source_read(s, 0, &f->head, sizeof f->head)) {
        f->head = (struct tt_table){0};
        return report_damaged(r, f->name, "its table has no header");
    }
    uint64_t size = source_bytes(s);
    f->has_bad_table = true;
    if (f->head.magic != TT_TABLE_MAGIC || f->head.version != TT_RECORDING_VERSION) {
        f->head = (struct tt_table){0};
        return report_damaged(r, f->name,
                              "its table has another version or is not a table");
    }
    f->has_bad_table = false;
    uint64_t used = f->head.used;
    if (used < TT_TABLE_HEADER || used > size) {
        (void)report_damaged(r, f->name, "its table is truncated");
        used = size < TT_TABLE_HEADER ? TT_TABLE_HEADER : size;
    }
    size_t n = (size_t)(used - TT_TABLE_HEADER);
    char *bytes = arena_push(&r->arena, n, 8);
    if (n && !host_source_read(s, TT_TABLE_HEADER, bytes, n))
        return report_damaged(r, f->name, "its table cannot be read");
    f->table = (str){bytes, n};
    return true;
}

// --- the folder ------------------------------------------------------------------------

static const char *const kinds[] = {"ring", "stream", "blobs", "table"};
enum { RING, STREAM, BLOBS, TABLE, KINDS };

struct found {
    char *name; // in the folder
    str process;
    uint64_t pid, number;
    int kind;
};
struct listing {
    VEC(struct found) v;
};

// "1234-0.3.ring"; files with other names are ignored.
static bool split_name(const char *name, struct found *to)
{
    const char *dot = strchr(name, '.'), *last = strrchr(name, '.');
    if (!dot || dot - name >= 40)
        return false;
    to->process = (str){name, (size_t)(dot - name)};
    char *end;
    to->pid = strtoull(name, &end, 10);
    to->number = *end == '-' ? strtoull(end + 1, NULL, 10) : 0;
    for (to->kind = 0; to->kind < KINDS; to->kind++)
        if (strcmp(last + 1, kinds[to->kind]) == 0)
            return true;
    return false;
}

static int by_kind(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    if (x->kind != y->kind)
        return x->kind - y->kind;
    if (x->pid != y->pid)
        return x->pid < y->pid ? -1 : 1;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void list_files(const char *folder, struct listing *l, struct arena *a)
{
    DIR *d = opendir(folder);
    struct dirent *entry;
    while (d && (entry = readdir(d)) != NULL) {
        struct found f = {.name = (char *)arena_str(a, str_of(entry->d_name)).p};
        if (split_name(f.name, &f))
            vec_push(&l->v, f);
    }
    if (d)
        (void)closedir(d);
    if (l->v.n)
        qsort(l->v.v, l->v.n, sizeof *l->v.v, by_kind);
}

static str map_file(int fd, const char *path)
{
    struct stat st;
    if (fstat(fd, &st) != 0 || st.st_size <= 0)
        return (str){0};
    return mapping_make(fd, (size_t)st.st_size, 0, path);
}

static void read_one(struct trace *r, const char *folder, const struct found *found)
{
    str path = arena_printf(&r->arena, "%s/%s", folder, found->name);
    int fd = open_regular(r, path.p);
    if (fd < 0)
        return;
    struct host_files *f = host_files_find(r, found->process);
    struct host_source s = {.fd = fd};
    switch (found->kind) {
    case RING: (void)host_files_add_ring(r, f, &s); break;
    case STREAM: f->stream = f->maps[0] = map_file(fd, path.p); break;
    case BLOBS: f->blobs = f->maps[1] = map_file(fd, path.p); break;
    default: (void)host_files_add_table(r, f, &s); break;
    }
    (void)close(fd);
}

// A process may have written on after its stream was mapped, and have ended by now. What is
// beyond the totals of its table may use names that the table did not have when it was
// read.
static void map_rest(struct trace *r, const char *folder, struct host_files *f)
{
    static const char *const endings[] = {"stream", "blobs"};
    str *texts[] = {&f->stream, &f->blobs};
    uint64_t had[] = {sizeof(struct tt_stream) + f->head.stream_bytes, f->head.blob_bytes};
    for (int i = 0; i < 2; i++) {
        if (texts[i]->n >= had[i])
            continue;
        str path = arena_printf(&r->arena, "%s/%s.%s", folder, f->name, endings[i]);
        int fd = open_regular(r, path.p);
        if (fd < 0)
            continue;
        if (f->maps[i].n)
            mapping_free(f->maps[i]);
        *texts[i] = f->maps[i] = map_file(fd, path.p);
        if (texts[i]->n > had[i])
            texts[i]->n = had[i];
        (void)close(fd);
    }
}

static void read_control(struct trace *r, const char *path)
{
    struct host_source s = {.fd = open_regular(r, path)};
    struct tt_control *c = &r->blocks->control;
    if (s.fd < 0)
        return;
    if (!host_source_read(&s, 0, c, sizeof *c) || c->magic != TT_RUN_MAGIC ||
        c->version != TT_RECORDING_VERSION) {
        *c = (struct tt_control){0};
        (void)report_damaged(r, path, "is not a control page of this version");
    }
    (void)close(s.fd);
}

static bool is_there(const char *folder, const char *name)
{
    struct arena a = {0};
    struct stat st;
    bool is = stat(arena_printf(&a, "%s/%s", folder, name).p, &st) == 0;
    arena_free(&a);
    return is;
}

static bool is_run(const char *folder)
{
    return is_there(folder, "control") || is_there(folder, "host") ||
           is_there(folder, "processes.log");
}

bool host_run_read_folder(struct trace *r, const char *path, struct err *e)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return err_set(e, ERR_IO, "%s: %s; check the path", path, strerror(errno));
    if (!S_ISDIR(st.st_mode) || !is_run(path))
        return err_set(
            e, ERR_FORMAT,
            "%s: not a run folder: it has no host/ and no processes.log; 'ttprof run' makes one in generated/profiler/runs",
            path);
    const char *host = arena_printf(&r->arena, "%s/host", path).p;
    read_control(r, arena_printf(&r->arena, "%s/control", path).p);
    // A run in progress creates files: what a ring refers to may be in a file that did not
    // exist when the ring was found. So each kind is searched for when its turn comes.
    for (int kind = 0; kind < KINDS; kind++) {
        struct listing l = {0};
        list_files(host, &l, &r->arena);
        for (size_t i = 0; i < l.v.n; i++)
            if (l.v.v[i].kind == kind)
                read_one(r, host, &l.v.v[i]);
        vec_free(&l.v);
    }
    for (size_t i = 0; i < r->blocks->files.n; i++)
        map_rest(r, host, &r->blocks->files.v[i]);
    const char *log = arena_printf(&r->arena, "%s/processes.log", path).p;
    struct err none = {0};
    int is_log = open_regular(r, log);
    if (is_log >= 0)
        (void)close(is_log);
    if (is_log >= 0 && file_open(log, &r->blocks->log_text, &none))
        process_log_read(&r->log, r->blocks->log_text.text, &r->arena, &r->diag);
    return true;
}

// --- the newest run --------------------------------------------------------------------

enum { STAMP = 19 }; // "2026_11_16_10_20_30"

// Runs started in the same second have the suffix -2, -3 ...
static int64_t number_of(const char *name)
{
    const char *dash = strrchr(name, '-');
    int64_t n;
    return dash && num_int(str_of(dash + 1), &n) ? n : 1;
}

static bool is_newer(const char *a, const char *b)
{
    int c = strncmp(a, b, STAMP);
    if (c)
        return c > 0;
    return number_of(a) != number_of(b) ? number_of(a) > number_of(b) : strcmp(a, b) > 0;
}

char *host_run_find(const char *path, struct arena *a)
{
    const char *best = NULL;
    const char *runs = arena_printf(a, "%s/runs", path).p;
    DIR *d = is_run(path) ? NULL : opendir(runs);
    struct dirent *entry;
    while (d && (entry = readdir(d)) != NULL) {
        const char *name = entry->d_name;
        if (name[0] == '.' || (best && !is_newer(name, best)))
            continue;
        if (is_run(arena_printf(a, "%s/%s", runs, name).p))
            best = arena_str(a, str_of(name)).p;
    }
    if (d)
        (void)closedir(d);
    if (best)
        return (char *)arena_printf(a, "%s/%s", runs, best).p;
    return (char *)arena_str(a, str_of(path)).p;
}

bool host_run_is_at(const char *path)
{
    struct arena a = {0};
    bool is = is_run(host_run_find(path, &a)) || tracy_is_at(path);
    arena_free(&a);
    return is;
}
