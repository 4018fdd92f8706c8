// sample_run.c - the files of a recording, byte by byte.
#include "sample_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/file/folder.h"

#include "record/format/block.h"

static void need(bool holds, const char *what)
{
    if (holds)
        return;
    (void)fprintf(stderr, "sample_run: %s\n", what);
    abort();
}

// --- words -----------------------------------------------------------------------------

static uint64_t first_word(enum tt_host_event kind, uint64_t time)
{
    return (uint64_t)kind << TT_TIME_BITS | (time & ((UINT64_C(1) << TT_TIME_BITS) - 1));
}

void sample_event(struct sample_words *w, enum tt_host_event kind, uint64_t time, int n,
                  ...)
{
    va_list fields;
    va_start(fields, n);
    vec_push(&w->v, first_word(kind, time));
    for (int i = 0; i < n; i++)
        vec_push(&w->v, va_arg(fields, uint64_t));
    va_end(fields);
}

void sample_text(struct sample_words *w, enum tt_host_event kind, uint64_t time,
                 uint32_t attribute, const char *text)
{
    size_t n = strlen(text);
    vec_push(&w->v, first_word(kind, time));
    vec_push(&w->v, (uint64_t)attribute << 32 | n);
    for (size_t at = 0; at < n; at += 8) {
        uint64_t word = 0;
        memcpy(&word, text + at, n - at < 8 ? n - at : 8);
        vec_push(&w->v, word);
    }
}

void sample_begin(struct sample_words *w, uint64_t time, uint32_t location)
{
    sample_event(w, TT_ZONE_BEGIN, time, 1, (uint64_t)location);
}

void sample_end(struct sample_words *w, uint64_t time)
{
    sample_event(w, TT_ZONE_END, time, 0);
}

void sample_words_free(struct sample_words *w)
{
    vec_free(&w->v);
}

// --- a run -----------------------------------------------------------------------------

void sample_run_start(struct sample_run *r)
{
    *r = (struct sample_run){0};
    r->path = (char *)arena_str(&r->arena, S("/tmp/ttprof-run-XXXXXX")).p;
    need(mkdtemp(r->path) != NULL, "no folder in /tmp");
    r->control = (struct tt_control){.magic = TT_RUN_MAGIC,
                                     .version = TT_RECORDING_VERSION,
                                     .gate = 1,
                                     .ring_bytes = SAMPLE_CAPACITY * 8};
}

void sample_log(struct sample_run *r, const char *line)
{
    buf_z(&r->log, line);
    buf_char(&r->log, '\n');
}

static void write_file(const char *folder, const char *name, const void *bytes, size_t n)
{
    struct arena a = {0};
    struct err e = {0};
    struct out o;
    need(out_open(&o, arena_printf(&a, "%s/%s", folder, name).p, &e), e.text);
    buf_str(&o.b, (str){bytes, n});
    need(out_close(&o, &e), e.text);
    arena_free(&a);
}

static void write_process(const struct sample_process *p, const char *host)
{
    struct arena a = {0};
    struct buf table = {0};
    struct tt_table head = p->head;
    head.used = TT_TABLE_HEADER + p->entries.n;
    buf_str(&table, (str){(const char *)&head, sizeof head});
    buf_fill(&table, 0, TT_TABLE_HEADER - sizeof head);
    buf_str(&table, buf_view(&p->entries));
    buf_fill(&table, 0, 512); // room that is not used yet
    write_file(host, arena_printf(&a, "%s.table", p->prefix).p, table.p, table.n);
    if (p->stream.n)
        write_file(host, arena_printf(&a, "%s.stream", p->prefix).p, p->stream.p,
                   p->stream.n);
    if (p->blobs.n)
        write_file(host, arena_printf(&a, "%s.blobs", p->prefix).p, p->blobs.p, p->blobs.n);
    buf_free(&table);
    arena_free(&a);
}

void sample_run_write_to(struct sample_run *r, const char *path)
{
    struct err e = {0};
    const char *host = arena_printf(&r->arena, "%s/host", path).p;
    need(folder_make(host, &e), e.text);
    for (const struct sample_process *p = r->processes; p; p = p->next)
        write_process(p, host);
    for (size_t i = 0; i < r->files.n; i++)
        write_file(host, r->files.v[i].name, r->files.v[i].bytes.p, r->files.v[i].bytes.n);
    char page[TT_CONTROL_BYTES] = {0};
    memcpy(page, &r->control, sizeof r->control);
    write_file(path, "control", page, sizeof page);
    if (r->log.n)
        write_file(path, "processes.log", r->log.p, r->log.n);
}

void sample_run_write(struct sample_run *r)
{
    sample_run_write_to(r, r->path);
}

void sample_run_free(struct sample_run *r)
{
    char command[200];
    (void)snprintf(command, sizeof command, "rm -rf '%s'", r->path);
    need(system(command) == 0, "the folder cannot be removed");
    for (struct sample_process *p = r->processes; p; p = p->next) {
        buf_free(&p->entries);
        buf_free(&p->stream);
        buf_free(&p->blobs);
    }
    for (size_t i = 0; i < r->files.n; i++)
        buf_free(&r->files.v[i].bytes);
    vec_free(&r->files);
    buf_free(&r->log);
    arena_free(&r->arena);
    *r = (struct sample_run){0};
}

// --- tables ----------------------------------------------------------------------------

void sample_entry(struct sample_process *p, enum tt_entry kind, const void *fields,
                  size_t bytes)
{
    uint32_t head[2] = {(uint32_t)(8 + (bytes + 7) / 8 * 8), (uint32_t)kind};
    buf_str(&p->entries, (str){(const char *)head, sizeof head});
    buf_str(&p->entries, (str){fields, bytes});
    buf_fill(&p->entries, 0, head[0] - 8 - bytes);
}

void sample_entry_pair(struct sample_process *p, enum tt_entry kind, uint32_t a, uint32_t b)
{
    uint32_t fields[2] = {a, b};
    sample_entry(p, kind, fields, sizeof fields);
}

uint32_t sample_string(struct sample_process *p, const char *text)
{
    uint32_t head[2] = {++p->n_strings, (uint32_t)strlen(text)};
    struct buf b = {0};
    buf_str(&b, (str){(const char *)head, sizeof head});
    buf_z(&b, text);
    sample_entry(p, TT_ENTRY_STRING, b.p, b.n);
    buf_free(&b);
    return p->n_strings;
}

uint32_t sample_location(struct sample_process *p, const char *name, const char *function,
                         const char *file, uint32_t line)
{
    struct tt_location l = {.name = name ? sample_string(p, name) : 0,
                            .function = sample_string(p, function),
                            .file = sample_string(p, file),
                            .line = line};
    l.id = ++p->n_locations;
    sample_entry(p, TT_ENTRY_LOCATION, &l, sizeof l);
    return l.id;
}

void sample_thread(struct sample_process *p, uint32_t serial, uint32_t tid,
                   const char *name)
{
    struct tt_thread t = {serial, tid, p->head.start_ns};
    sample_entry(p, TT_ENTRY_THREAD, &t, sizeof t);
    if (name)
        sample_entry_pair(p, TT_ENTRY_THREAD_NAME, serial, sample_string(p, name));
}

void sample_clock(struct sample_process *p, uint32_t clock, enum tt_clock_kind kind)
{
    struct tt_clock c = {clock, (uint32_t)kind};
    sample_entry(p, TT_ENTRY_CLOCK, &c, sizeof c);
}

void sample_pair(struct sample_process *p, uint32_t clock, uint64_t ticks, uint64_t ns)
{
    struct tt_clock_pair pair = {clock, 25, ticks, ns};
    sample_entry(p, TT_ENTRY_CLOCK_PAIR, &pair, sizeof pair);
}

struct sample_process *sample_process(struct sample_run *r, uint32_t pid, uint64_t start)
{
    struct sample_process *p = push_one(&r->arena, struct sample_process);
    unsigned n = 0;
    for (const struct sample_process *q = r->processes; q; q = q->next)
        n += q->head.pid == pid;
    (void)snprintf(p->prefix, sizeof p->prefix, "%u-%u", pid, n);
    p->run = r;
    p->head = (struct tt_table){.magic = TT_TABLE_MAGIC,
                                .version = TT_RECORDING_VERSION,
                                .pid = pid,
                                .parent_pid = 1,
                                .start_ns = start,
                                .birth = 7000 + pid};
    p->next = r->processes;
    r->processes = p;
    sample_clock(p, SAMPLE_CLOCK, TT_CLOCK_MONOTONIC);
    sample_pair(p, SAMPLE_CLOCK, start, start);
    sample_thread(p, 1, pid, NULL);
    return p;
}

// --- rings and streams -----------------------------------------------------------------

struct tt_ring sample_ring_head(uint32_t thread)
{
    return (struct tt_ring){.magic = TT_RING_MAGIC,
                            .version = TT_RECORDING_VERSION,
                            .thread = thread,
                            .capacity = SAMPLE_CAPACITY,
                            .clock = SAMPLE_CLOCK,
                            .state = TT_RING_USED};
}

void sample_ring_as(struct sample_process *p, const struct tt_ring *head,
                    const struct sample_words *w)
{
    struct sample_file f = {0};
    f.name = (char *)arena_printf(&p->run->arena, "%s.%u.ring", p->prefix, p->n_rings++).p;
    need(w->v.n <= head->capacity, "more words than a ring has");
    buf_str(&f.bytes, (str){(const char *)head, sizeof *head});
    buf_fill(&f.bytes, 0, TT_RING_HEADER - sizeof *head);
    buf_fill(&f.bytes, (char)0xEE, (size_t)head->capacity * 8);
    for (size_t i = 0; i < w->v.n; i++) {
        uint64_t at = (head->head - w->v.n + i) % head->capacity;
        memcpy(f.bytes.p + TT_RING_HEADER + at * 8, &w->v.v[i], 8);
    }
    vec_push(&p->run->files, f);
}

void sample_ring(struct sample_process *p, uint32_t thread, const struct sample_words *w)
{
    struct tt_ring head = sample_ring_head(thread);
    head.head = w->v.n;
    sample_ring_as(p, &head, w);
}

void sample_block(struct sample_process *p, uint32_t thread, uint64_t from,
                  const struct sample_words *w)
{
    if (!p->stream.n) {
        struct tt_stream head = {TT_STREAM_MAGIC, TT_RECORDING_VERSION, 0, 0};
        buf_str(&p->stream, (str){(const char *)&head, sizeof head});
    }
    // Laid where the ring would have them.
    uint64_t capacity = 1;
    while (capacity < w->v.n)
        capacity *= 2;
    uint64_t *ring = mem_alloc(mem_bytes(sizeof *ring, (size_t)capacity));
    for (size_t i = 0; i < w->v.n; i++)
        ring[(from + i) & (capacity - 1)] = w->v.v[i];
    struct block_coder *coder = mem_alloc(recorder_block_coder_bytes());
    struct block_source s = {.words = ring,
                             .mask = capacity - 1,
                             .from = from,
                             .to = from + w->v.n,
                             .thread = thread,
                             .clock = SAMPLE_CLOCK};
    while (s.from < s.to) {
        struct packed_block b = recorder_block_pack(coder, &s);
        buf_str(&p->stream, (str){b.bytes, b.n});
        s.from = b.to;
        s.clock = b.clock;
    }
    mem_free(coder);
    mem_free(ring);
}
