// snapshot.c - copies what is recorded so far while recording continues.
//
// Rings are copied before streams: an event drained in between is then in both, and readers
// take it once; in the other order it would be in neither. A snapshot is itself a run
// folder.
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/folder.h"
#include "base/text/log.h"

#include "app/run/run.h"
#include "record/process_log_write.h"

struct snapshot {
    const char *from;
    char *to;
    struct err first; // the first error
    size_t n_files, n_failed;
};

static char *joined(const char *folder, const char *name)
{
    struct buf b = {0};
    buf_printf(&b, "%s/%s%c", folder, name, '\0');
    return b.p;
}

static void keep_first_error(struct snapshot *s, const struct err *e)
{
    if (s->n_failed++ == 0)
        s->first = *e;
}

// In a ring that overwrites, the oldest words may be replaced during the copy. The copy
// begins at the first event that was not.
static void cut_overwritten(const char *ring, const char *copy)
{
    struct tt_ring now, then;
    int from = open(ring, O_RDONLY | O_CLOEXEC), to = open(copy, O_RDWR | O_CLOEXEC);
    bool is_read = from >= 0 && to >= 0 &&
                   pread(from, &now, sizeof now, 0) == (ssize_t)sizeof now &&
                   pread(to, &then, sizeof then, 0) == (ssize_t)sizeof then;
    if (is_read && then.magic == TT_RING_MAGIC && then.policy == TT_DROP_OLDEST) {
        // An event that was being written reaches beyond the head.
        uint64_t most = TT_TEXT_MOST / 8 + 8;
        uint64_t kept = now.head + most > now.capacity ? now.head + most - now.capacity : 0;
        uint64_t first = UINT64_MAX;
        for (size_t i = 0; i < TT_RING_SEGMENTS; i++) {
            uint64_t at = then.segments[i].position;
            if (at >= kept && at >= then.first && at <= then.head && at < first)
                first = at;
        }
        if (kept > then.first) {
            then.first = first < then.head ? first : then.head;
            ssize_t n =
                pwrite(to, &then.first, sizeof then.first, offsetof(struct tt_ring, first));
            (void)n;
        }
    }
    if (from >= 0)
        (void)close(from);
    if (to >= 0)
        (void)close(to);
}

// A process that ended after its stream was copied: to the snapshot it still runs.
static void undo_end(const char *copy)
{
    struct tt_table table;
    struct stat st;
    struct buf stream = {0};
    buf_str(&stream, (str){copy, strlen(copy) - strlen("table")});
    buf_printf(&stream, "stream%c", '\0');
    uint64_t has = stat(stream.p, &st) == 0 ? (uint64_t)st.st_size : 0;
    int fd = open(copy, O_RDWR | O_CLOEXEC);
    if (fd >= 0 && pread(fd, &table, sizeof table, 0) == (ssize_t)sizeof table &&
        sizeof(struct tt_stream) + table.stream_bytes > has) {
        table.is_over = 0;
        table.end_ns = 0;
        ssize_t n = pwrite(fd, &table, sizeof table, 0);
        (void)n;
    }
    if (fd >= 0)
        (void)close(fd);
    buf_free(&stream);
}

static void copy_one(struct snapshot *s, const char *name)
{
    struct err e = {0};
    char *from = joined(s->from, name), *to = joined(s->to, name);
    // A process removes its empty rings when it ends; those need no copy.
    if (access(from, F_OK) == 0) {
        if (!folder_copy(from, to, &e))
            keep_first_error(s, &e);
        else if (str_ends(str_of(name), S(".ring")))
            cut_overwritten(from, to);
        else if (str_ends(str_of(name), S(".table")))
            undo_end(to);
        s->n_files++;
    }
    mem_free(from);
    mem_free(to);
}

static void copy_all(struct snapshot *s, str ending)
{
    char *host = joined(s->from, "host");
    DIR *folder = opendir(host);
    for (struct dirent *d; folder && (d = readdir(folder));) {
        if (!str_ends(str_of(d->d_name), ending))
            continue;
        char *name = joined("host", d->d_name);
        copy_one(s, name);
        mem_free(name);
    }
    if (folder)
        (void)closedir(folder);
    mem_free(host);
}

static bool make_folder(struct wrapped_run *r, struct snapshot *s)
{
    char name[64];
    (void)snprintf(name, sizeof name, "snapshots/%llu",
                   (unsigned long long)r->n_snapshots + 1);
    s->to = joined(r->folder, name);
    char *host = joined(s->to, "host");
    bool is_fine = folder_make(host, &s->first);
    mem_free(host);
    return is_fine;
}

void run_snapshot(struct wrapped_run *r)
{
    static const str endings[] = {
        {".ring", 5}, {".stream", 7}, {".table", 6}, {".blobs", 6}};
    struct snapshot s = {.from = r->folder};
    if (!r->control) {
        log_line("run: no snapshot: nothing is being recorded");
        return;
    }
    if (!make_folder(r, &s)) {
        run_problem(r, "no snapshot: %s", s.first.text);
        mem_free(s.to);
        return;
    }
    r->n_snapshots++;
    copy_one(&s, "control"); // before the processes that it counts
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        copy_all(&s, endings[i]);
    copy_one(&s, PROCESS_LOG_NAME);
    if (s.n_failed)
        run_problem(r, "snapshot %s: %zu of %zu files are missing: %s", s.to, s.n_failed,
                    s.n_files, s.first.text);
    log_line("run: snapshot in %s; read it with 'ttprof zones %s'", s.to, s.to);
    mem_free(s.to);
}
