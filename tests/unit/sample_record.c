#include "sample_record.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct sample_record sample_record(const struct ttprof_settings *settings)
{
    static const struct ttprof_settings usual;
    struct sample_record r;
    (void)snprintf(r.folder, sizeof r.folder, "/tmp/ttprof-record-XXXXXX");
    assert_non_null(mkdtemp(r.folder));
    ttprof_stop(); // of a test that failed
    assert_int_equal(ttprof_start_with(r.folder, settings ? settings : &usual), 0);
    return r;
}

void sample_record_remove(struct sample_record *r)
{
    char command[128];
    (void)snprintf(command, sizeof command, "rm -rf %s", r->folder);
    assert_int_equal(system(command), 0);
}

void sample_record_end(struct sample_record *r)
{
    ttprof_stop();
    sample_record_remove(r);
}

// --- files -------------------------------------------------------------------------------
static bool ends_with(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    return n >= m && strcmp(name + n - m, end) == 0;
}

static DIR *open_host(const struct sample_record *r)
{
    char path[128];
    (void)snprintf(path, sizeof path, "%s/host", r->folder);
    DIR *d = opendir(path);
    assert_non_null(d);
    return d;
}

size_t seen_files(const struct sample_record *r, const char *end)
{
    size_t n = 0;
    DIR *d = open_host(r);
    for (struct dirent *e; (e = readdir(d));)
        n += ends_with(e->d_name, end);
    closedir(d);
    return n;
}

static bool read_whole(const struct sample_record *r, const char *name, char **out,
                       size_t *n)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/host/%s", r->folder, name);
    int fd = open(path, O_RDONLY);
    struct stat s;
    if (fd < 0 || fstat(fd, &s) != 0) {
        if (fd >= 0)
            close(fd);
        return false;
    }
    *n = (size_t)s.st_size;
    *out = malloc(*n);
    assert_non_null(*out);
    assert_int_equal(read(fd, *out, *n), (ssize_t)*n);
    close(fd);
    return true;
}

// --- rings -------------------------------------------------------------------------------
static const struct {
    unsigned words, is_text;
} kinds[] = {
#define KIND(name, words, is_text) {words, is_text},
    TT_EVENTS(KIND)
#undef KIND
};

static uint64_t word(const uint64_t *words, uint64_t capacity, uint64_t at)
{
    return words[at & (capacity - 1)];
}

static uint64_t read_event(const uint64_t *words, uint64_t capacity, uint64_t at,
                           struct seen_event *e)
{
    uint64_t first = word(words, capacity, at++), low = (UINT64_C(1) << TT_TIME_BITS) - 1;
    memset(e, 0, sizeof *e);
    e->kind = (enum tt_host_event)(first >> TT_TIME_BITS);
    e->time = first & low;
    assert_true(e->kind < TT_EVENT_KINDS);
    for (unsigned i = 0; i < kinds[e->kind].words; i++)
        e->words[i] = word(words, capacity, at++);
    if (!kinds[e->kind].is_text)
        return at;
    uint32_t length = (uint32_t)e->words[0];
    e->bytes = length & ~TT_TEXT_IN_BLOBS;
    if (length & TT_TEXT_IN_BLOBS) {
        e->words[1] = word(words, capacity, at++);
        return at;
    }
    for (size_t i = 0; i < e->bytes; i += 8, at++) {
        uint64_t some = word(words, capacity, at);
        if (i + 8 < sizeof e->text)
            memcpy(e->text + i, &some, 8);
    }
    return at;
}

static bool read_ring(const struct sample_record *r, const char *name, uint32_t thread,
                      struct seen_ring *out)
{
    char *bytes;
    size_t n;
    if (!read_whole(r, name, &bytes, &n))
        return false;
    memcpy(&out->head, bytes, sizeof out->head);
    const struct tt_ring *h = &out->head;
    bool is_it = h->magic == TT_RING_MAGIC && (!thread || h->thread == thread);
    const uint64_t *words = (const void *)(bytes + TT_RING_HEADER);
    out->n = 0;
    // Behind a full round the words from `first` on are gone; the tail begins an event.
    uint64_t at = h->head - h->first <= h->capacity ? h->first : h->tail;
    while (is_it && at < h->head && out->n < SEEN_EVENTS)
        at = read_event(words, h->capacity, at, &out->events[out->n++]);
    free(bytes);
    return is_it;
}

bool seen_ring(const struct sample_record *r, int pid, uint32_t thread,
               struct seen_ring *out)
{
    char start[32];
    (void)snprintf(start, sizeof start, "%d-", pid);
    bool is_found = false;
    DIR *d = open_host(r);
    for (struct dirent *e; !is_found && (e = readdir(d));)
        is_found = strncmp(e->d_name, start, strlen(start)) == 0 &&
                   ends_with(e->d_name, ".ring") && read_ring(r, e->d_name, thread, out);
    closedir(d);
    return is_found;
}

size_t seen_count(const struct seen_ring *ring, enum tt_host_event kind)
{
    size_t n = 0;
    for (size_t i = 0; i < ring->n; i++)
        n += ring->events[i].kind == kind;
    return n;
}

// --- tables ------------------------------------------------------------------------------
bool seen_table(const struct sample_record *r, int pid, struct seen_table *out)
{
    char start[32];
    (void)snprintf(start, sizeof start, "%d-", pid);
    bool is_found = false;
    DIR *d = open_host(r);
    for (struct dirent *e; !is_found && (e = readdir(d));)
        is_found = strncmp(e->d_name, start, strlen(start)) == 0 &&
                   ends_with(e->d_name, ".table") &&
                   read_whole(r, e->d_name, &out->bytes, &out->n);
    closedir(d);
    if (is_found) {
        out->head = (const void *)out->bytes;
        assert_int_equal(out->head->magic, TT_TABLE_MAGIC);
        assert_true(out->head->used <= out->n);
    }
    return is_found;
}

static bool any(const uint32_t *fields, uint64_t unused)
{
    (void)fields, (void)unused;
    return true;
}

static bool has_id(const uint32_t *fields, uint64_t id)
{
    return fields[0] == id;
}

// The i-th entry of the kind for which `is` says yes; NULL: there are less.
static const void *find(const struct seen_table *t, enum tt_entry kind, size_t i,
                        bool (*is)(const uint32_t *fields, uint64_t id), uint64_t id)
{
    for (uint64_t at = TT_TABLE_HEADER; at < t->head->used;) {
        const uint32_t *e = (const void *)(t->bytes + at);
        assert_true(e[0] >= 8 && e[0] % 8 == 0 && at + e[0] <= t->head->used);
        if (e[1] == kind && is(e + 2, id) && !i--)
            return e + 2;
        at += e[0];
    }
    return NULL;
}

const void *seen_entry(const struct seen_table *t, enum tt_entry kind, size_t i)
{
    return find(t, kind, i, any, 0);
}

size_t seen_entries(const struct seen_table *t, enum tt_entry kind)
{
    size_t n = 0;
    while (seen_entry(t, kind, n))
        n++;
    return n;
}

const void *seen_last(const struct seen_table *t, enum tt_entry kind)
{
    size_t n = seen_entries(t, kind);
    assert_true(n > 0);
    return seen_entry(t, kind, n - 1);
}

str seen_string(const struct seen_table *t, uint64_t number)
{
    const uint32_t *e = find(t, TT_ENTRY_STRING, 0, has_id, number);
    return e ? (str){(const char *)(e + 2), e[1]} : S("?");
}

str seen_location(const struct seen_table *t, uint64_t number)
{
    const struct tt_location *l = seen_place(t, number);
    return l ? seen_string(t, l->name ? l->name : l->function) : S("?");
}

const struct tt_location *seen_place(const struct seen_table *t, uint64_t number)
{
    return find(t, TT_ENTRY_LOCATION, 0, has_id, number);
}

void seen_table_free(struct seen_table *t)
{
    free(t->bytes);
}
