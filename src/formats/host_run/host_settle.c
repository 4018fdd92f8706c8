// host_settle.c - empties the rings of a process that has ended.
#include "formats/host_run/host_settle.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "formats/host_run/host_run_files.h"
#include "trace/block_read.h"

struct settler {
    struct trace run;
    struct host_files *f;
    const char *host;
    struct file mapped; // the stream, until it is changed
    int stream;         // descriptor; -1: not needed yet
    uint32_t shift;
    struct block_coder *coder;
};

static const char *path_of(struct settler *s, const char *suffix)
{
    return arena_printf(&s->run.arena, "%s/%s.%s", s->host, s->f->name, suffix).p;
}

// --- reading -----------------------------------------------------------------------------
static bool read_file(struct settler *s, const char *path,
                      bool (*add)(struct trace *, struct host_files *,
                                  const struct host_source *))
{
    struct host_source source = {.fd = open(path, O_RDONLY | O_CLOEXEC)};
    if (source.fd < 0)
        return false;
    bool is_read = add(&s->run, s->f, &source);
    (void)close(source.fd);
    return is_read;
}

static bool read_all(struct settler *s, const struct host_left *left)
{
    struct err none = {0};
    for (size_t i = 0; i < left->rings.n; i++)
        if (!read_file(s, arena_printf(&s->run.arena, "%s/%s", s->host, left->rings.v[i]).p,
                       host_files_add_ring))
            return false;
    if (file_open(path_of(s, "stream"), &s->mapped, &none))
        s->f->stream = s->mapped.text;
    if (!read_file(s, path_of(s, "table"), host_files_add_table) || !s->f->head.magic)
        return false;
    trace_blocks_finish(&s->run);
    s->f = &s->run.blocks->files.v[0];
    return true;
}

// --- the stream --------------------------------------------------------------------------
static bool write_fully(int fd, const void *bytes, size_t n)
{
    for (const char *p = bytes; n;) {
        ssize_t more = write(fd, p, n);
        if (more < 0 && errno == EINTR)
            continue;
        if (more <= 0)
            return false;
        p += more;
        n -= (size_t)more;
    }
    return true;
}

// After its last complete block: one that was being written is also in the ring.
static bool open_stream(struct settler *s)
{
    struct block_cursor c = {.stream = s->f->stream};
    struct tt_stream head = {.magic = TT_STREAM_MAGIC, .version = TT_RECORDING_VERSION};
    size_t end = 0;
    if (s->stream >= 0)
        return true;
    s->stream =
        open(path_of(s, "stream"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, TT_FILE_MODE);
    if (s->stream < 0)
        return false;
    bool is_one = block_stream_is_one(s->f->stream);
    if (is_one) {
        memcpy(&head, s->f->stream.p, sizeof head);
        s->shift = head.shift;
        for (end = sizeof head; block_next(&c) != BLOCK_LAST;)
            end = c.at;
    }
    // A mapped file that becomes shorter would be taken for damage by somebody else.
    file_close(&s->mapped);
    s->f->stream = (str){0};
    return ftruncate(s->stream, (off_t)end) == 0 &&
           (is_one || write_fully(s->stream, &head, sizeof head));
}

// The words at the positions they have in a ring of that capacity.
static uint64_t *as_ring(struct settler *s, const struct host_chunk *c, uint64_t *mask)
{
    uint64_t n = 1;
    while (n < c->to - c->from)
        n *= 2;
    uint64_t *words = push_many(&s->run.arena, uint64_t, (size_t)n);
    for (uint64_t at = c->from; at < c->to; at++)
        words[at & (n - 1)] = c->words[at - c->from];
    *mask = n - 1;
    return words;
}

static bool append_block(struct settler *s, uint32_t thread, const struct host_chunk *c,
                         uint64_t lost)
{
    struct block_source from = {
        .from = c->from, .to = c->to, .thread = thread, .clock = c->clock, .lost = lost};
    if (!open_stream(s))
        return false;
    if (!s->coder)
        s->coder = mem_alloc(recorder_block_coder_bytes());
    from.words = as_ring(s, c, &from.mask);
    while (from.from < from.to) {
        from.shift = from.clock == 1 ? s->shift : 0;
        struct packed_block b = recorder_block_pack(s->coder, &from);
        if (!write_fully(s->stream, b.bytes, b.n))
            return false;
        s->f->head.stream_bytes += b.n;
        from.from = b.to;
        from.clock = b.clock;
    }
    return true;
}

// --- the table ---------------------------------------------------------------------------
static uint64_t sum_of(const uint64_t *lost)
{
    uint64_t sum = 0;
    for (int i = 0; i < TT_LOSSES; i++)
        sum += lost[i];
    return sum;
}

static const uint64_t *lost_of(const struct settler *s, const struct host_ring *ring)
{
    return s->run.tracks.v[s->f->threads.v[ring->thread].track].lost;
}

// The ring's own count may have one event that the process did not finish.
static uint64_t recorded_of(const struct settler *s, uint32_t thread)
{
    const struct host_thread *t = &s->f->threads.v[thread];
    const uint64_t *lost = s->run.tracks.v[t->track].lost;
    return t->n_found + lost[TT_LOSS_OLDEST] + lost[TT_LOSS_DISK];
}

// What only the ring knew. Entries first, then their number, like the recorder.
static bool write_losses(struct settler *s)
{
    struct buf entries = {0};
    for (size_t i = 0; i < s->f->rings.n; i++) {
        const struct host_ring *ring = &s->f->rings.v[i];
        if (ring->thread >= s->f->threads.n || s->f->threads.v[ring->thread].is_told)
            continue;
        struct tt_thread_end end = {.thread = ring->thread,
                                    .events = recorded_of(s, ring->thread)};
        uint32_t head[2] = {sizeof head + sizeof end, TT_ENTRY_THREAD_END};
        memcpy(end.lost, lost_of(s, ring), sizeof end.lost);
        buf_str(&entries, (str){(const char *)head, sizeof head});
        buf_str(&entries, (str){(const char *)&end, sizeof end});
    }
    int fd = open(path_of(s, "table"), O_WRONLY | O_CLOEXEC);
    uint64_t used = s->f->head.used, now = used + entries.n;
    bool is_told =
        fd >= 0 && pwrite(fd, entries.p, entries.n, (off_t)used) == (ssize_t)entries.n &&
        pwrite(fd, &now, sizeof now, offsetof(struct tt_table, used)) == sizeof now &&
        pwrite(fd, &s->f->head.stream_bytes, sizeof now,
               offsetof(struct tt_table, stream_bytes)) == sizeof now &&
        ftruncate(fd, (off_t)now) == 0;
    if (fd >= 0)
        (void)close(fd);
    buf_free(&entries);
    return is_told;
}

static bool settle_rings(struct settler *s)
{
    for (size_t i = 0; i < s->f->rings.n; i++) {
        const struct host_ring *ring = &s->f->rings.v[i];
        if (ring->thread >= s->f->threads.n)
            return false;
        for (size_t k = 0; k < s->f->chunks[ring->thread].n; k++) {
            const struct host_chunk *c = &s->f->chunks[ring->thread].v[k];
            if (c->words && !append_block(s, ring->thread, c, sum_of(lost_of(s, ring))))
                return false;
        }
    }
    return write_losses(s);
}

bool host_settle(const char *host, const struct host_left *left, struct err *e)
{
    struct settler s = {.host = host, .stream = -1};
    trace_blocks_start(&s.run, host);
    s.f = host_files_find(&s.run, str_of(left->process));
    errno = 0;
    bool is_settled = read_all(&s, left) && settle_rings(&s);
    if (!is_settled)
        (void)err_set(e, ERR_IO, "%s/%s: data remains in its rings: %s", host,
                      left->process, errno ? strerror(errno) : "they are damaged");
    for (size_t i = 0; is_settled && i < left->rings.n; i++)
        (void)unlink(arena_printf(&s.run.arena, "%s/%s", host, left->rings.v[i]).p);
    if (s.stream >= 0)
        (void)close(s.stream);
    mem_free(s.coder);
    file_close(&s.mapped);
    trace_free(&s.run);
    return is_settled;
}
