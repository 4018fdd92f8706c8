// test_drain.c - what comes from rings into the stream, whatever the program does to the
// drainer's descriptor and the disk to its file.
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file/file.h"

#include "sample_record.h"
#include "trace/block_read.h"

enum { THREADS = 4, MANY = 60000, SMALL_RING = 1 << 16 };

// --- what is in a stream ---
// Events of these tests are values of one plot, counted up by each thread.
struct seen_stream {
    struct thread_seen {
        uint64_t next, to, n_gaps; // next value; position; values that were passed over
        uint64_t n, lost, first;
        uint32_t clock; // of the last block
    } threads[THREADS + 2];
    size_t n_blocks, skipped;
};

static void see_words(struct thread_seen *t, const uint64_t *words, uint64_t n)
{
    for (uint64_t i = 0; i < n;) {
        uint32_t k = block_event_words(words, UINT64_MAX, i, n);
        assert_int_not_equal(k, 0);
        if (words[i] >> TT_TIME_BITS == TT_PLOT_INT) {
            uint64_t value = words[i + 2];
            assert_true(!t->n || value >= t->next); // never twice
            t->first = t->n ? t->first : value;
            t->n_gaps += t->n && value != t->next;
            t->next = value + 1;
            t->n++;
        }
        i += k;
    }
}

static void stream_path(const struct sample_record *r, int pid, char *out, size_t n)
{
    char pattern[128];
    glob_t found;
    (void)snprintf(pattern, sizeof pattern, "%s/host/%d-*.stream", r->folder, pid);
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    (void)snprintf(out, n, "%s", found.gl_pathv[0]);
    globfree(&found);
}

static struct seen_stream see_stream(const struct sample_record *r, int pid)
{
    char path[128];
    struct seen_stream s = {0};
    struct file f;
    struct err e;
    stream_path(r, pid, path, sizeof path);
    assert_true(file_open(path, &f, &e));
    assert_true(block_stream_is_one(f.text));
    struct block_reader *reader = block_reader_new();
    struct block_cursor c = {.stream = f.text};
    for (enum block_step step; (step = block_next(&c)) != BLOCK_LAST;) {
        s.skipped += c.skipped;
        if (step != BLOCK_WHOLE)
            continue;
        const uint64_t *words = block_read(reader, &c.block, c.payload);
        assert_non_null(words);
        assert_in_range(c.block.thread, 1, THREADS + 1);
        struct thread_seen *t = &s.threads[c.block.thread];
        assert_true(c.block.from >= t->to);
        t->to = c.block.to;
        t->lost = c.block.lost;
        t->clock = c.block.clock;
        see_words(t, words, c.block.to - c.block.from);
        s.n_blocks++;
    }
    s.skipped += c.skipped;
    block_reader_free(reader);
    file_close(&f);
    return s;
}

static void put(uint64_t from, uint64_t to)
{
    for (uint64_t i = from; i < to; i++)
        ttprof_plot_int_put("value", (int64_t)i);
}

static void has_all(const struct thread_seen *t, uint64_t n)
{
    assert_int_equal(t->n, n);
    assert_int_equal(t->first, 0);
    assert_int_equal(t->n_gaps, 0);
}

static struct tt_table table_of(const struct sample_record *r)
{
    struct seen_table t;
    assert_true(seen_table(r, getpid(), &t));
    struct tt_table head = *t.head;
    seen_table_free(&t);
    return head;
}

static struct tt_control control_of(const struct sample_record *r)
{
    char path[128];
    struct tt_control c;
    (void)snprintf(path, sizeof path, "%s/control", r->folder);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(fread(&c, sizeof c, 1, f), 1);
    (void)fclose(f);
    return c;
}

// --- all of it ---
static void *put_many(void *unused)
{
    put(0, MANY);
    return unused;
}

TEST(drain_brings_all_events_of_all_threads_into_the_stream)
{
    struct ttprof_settings wait = {.policy = TTPROF_BLOCK, .ring_bytes = SMALL_RING};
    struct sample_record r = sample_record(&wait);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, put_many, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    ttprof_stop();
    struct seen_stream s = see_stream(&r, getpid());
    for (int i = 1; i <= THREADS; i++) {
        has_all(&s.threads[i], MANY);
        assert_int_equal(s.threads[i].lost, 0);
    }
    assert_int_equal(s.skipped, 0);
    assert_true(s.n_blocks > THREADS); // they went round several times
    assert_true(table_of(&r).is_over);
    assert_int_equal(seen_files(&r, ".ring"), 0);
    struct tt_control c = control_of(&r);
    assert_int_equal(c.events, (uint64_t)THREADS * MANY);
    assert_int_equal(c.lost, 0);
    assert_int_equal(c.stream_bytes, table_of(&r).stream_bytes);
    sample_record_remove(&r);
}

TEST(drain_has_everything_in_the_stream_after_a_flush)
{
    struct sample_record r = sample_record(NULL);
    put(0, 100);
    ttprof_flush();
    has_all(&see_stream(&r, getpid()).threads[1], 100);
    put(100, 150);
    ttprof_flush();
    struct seen_stream s = see_stream(&r, getpid());
    has_all(&s.threads[1], 150);
    ttprof_flush(); // there is nothing
    assert_int_equal(see_stream(&r, getpid()).n_blocks, s.n_blocks);
    sample_record_end(&r);
}

static uint64_t other_clock(void *unused)
{
    (void)unused;
    return 77;
}

TEST(drain_makes_a_block_for_each_clock)
{
    struct sample_record r = sample_record(NULL);
    put(0, 10);
    ttprof_use_clock(other_clock, NULL);
    put(10, 20);
    ttprof_use_clock(NULL, NULL);
    put(20, 30);
    ttprof_flush();
    struct seen_stream s = see_stream(&r, getpid());
    has_all(&s.threads[1], 30);
    assert_true(s.n_blocks >= 3);
    sample_record_end(&r);
}

TEST(drain_of_a_flight_recorder_keeps_the_last_events)
{
    struct ttprof_settings last = {.policy = TTPROF_DROP_OLDEST, .ring_bytes = SMALL_RING};
    struct sample_record r = sample_record(&last);
    put(0, MANY);
    ttprof_flush(); // takes nothing
    assert_int_equal(see_stream(&r, getpid()).n_blocks, 0);
    ttprof_stop();
    struct seen_stream s = see_stream(&r, getpid());
    const struct thread_seen *t = &s.threads[1];
    assert_int_equal(t->next, MANY);
    assert_int_equal(t->n_gaps, 0);
    // Three words each; all but a segment of the ring is there.
    assert_in_range(t->n, SMALL_RING / 24 * 9 / 10, SMALL_RING / 24);
    // Of the events that are gone a few were the recorder's own.
    assert_in_range(t->lost, t->first, t->first + t->first / 25);
    sample_record_remove(&r);
}

static void *put_few(void *unused)
{
    put(0, 10);
    return unused;
}

// One ring is enough for threads that come one after the other, when it is emptied in time.
TEST(drain_sets_rings_of_ended_threads_free)
{
    struct sample_record r = sample_record(NULL);
    for (int i = 0; i < THREADS; i++) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, put_few, NULL), 0);
        pthread_join(thread, NULL);
        ttprof_flush();
    }
    assert_int_equal(seen_files(&r, ".ring"), 1);
    struct seen_stream s = see_stream(&r, getpid());
    for (int i = 1; i <= THREADS; i++)
        has_all(&s.threads[i], 10);
    sample_record_end(&r);
}

// --- its descriptor ---
// The descriptor that is open on the stream.
static int stream_descriptor(void)
{
    char path[64], to[256];
    for (int d = 3; d < 2048; d++) {
        (void)snprintf(path, sizeof path, "/proc/self/fd/%d", d);
        ssize_t n = readlink(path, to, sizeof to - 1);
        to[n > 0 ? n : 0] = 0;
        if (n > 7 && strcmp(to + n - 7, ".stream") == 0)
            return d;
    }
    fail_msg("no descriptor of a stream");
    return -1;
}

TEST(drain_keeps_its_descriptor_out_of_the_way)
{
    struct rlimit limit;
    struct sample_record r = sample_record(NULL);
    put(0, 1);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_true(stream_descriptor() >= (limit.rlim_cur > 512 ? 512 : 16));
    assert_int_equal(fcntl(stream_descriptor(), F_GETFD), FD_CLOEXEC);
    sample_record_end(&r);
}

TEST(drain_opens_its_file_again_when_the_program_closed_it)
{
    struct sample_record r = sample_record(NULL);
    put(0, 10);
    ttprof_flush();
    (void)close(stream_descriptor());
    put(10, 20);
    ttprof_flush();
    has_all(&see_stream(&r, getpid()).threads[1], 20);
    sample_record_end(&r);
}

TEST(drain_writes_to_no_file_of_the_program_that_has_its_number)
{
    char path[128];
    struct stat st;
    struct sample_record r = sample_record(NULL);
    put(0, 10);
    ttprof_flush();
    (void)snprintf(path, sizeof path, "%s/other", r.folder);
    int other = open(path, O_WRONLY | O_CREAT, 0600), number = stream_descriptor();
    assert_int_equal(dup2(other, number), number);
    put(10, 20);
    ttprof_flush();
    assert_int_equal(fstat(other, &st), 0);
    assert_int_equal(st.st_size, 0);
    has_all(&see_stream(&r, getpid()).threads[1], 20);
    ttprof_stop();
    assert_int_equal(fcntl(number, F_GETFD), 0); // theirs, and still open
    (void)close(other);
    (void)close(number);
    sample_record_remove(&r);
}

TEST(drain_makes_a_new_file_when_somebody_removed_it)
{
    char path[128];
    struct sample_record r = sample_record(NULL);
    put(0, 10);
    ttprof_flush();
    stream_path(&r, getpid(), path, sizeof path);
    assert_int_equal(unlink(path), 0);
    put(10, 20);
    ttprof_flush();
    struct seen_stream s = see_stream(&r, getpid());
    assert_int_equal(s.threads[1].first, 10);
    assert_int_equal(s.threads[1].n, 10);
    sample_record_end(&r);
}

// --- the disk ---
// So long may files be from now on; returns how long they could be.
static rlim_t limit_files(rlim_t bytes)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    rlim_t before = limit.rlim_cur;
    limit.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    return before;
}

TEST(drain_keeps_events_in_the_ring_while_the_file_cannot_grow)
{
    struct sample_record r = sample_record(NULL);
    put(0, 10);
    ttprof_flush();
    rlim_t before = limit_files(100);
    put(10, 20);
    ttprof_flush();
    has_all(&see_stream(&r, getpid()).threads[1], 10);
    assert_int_equal(table_of(&r).stream_error, EFBIG);
    (void)limit_files(before);
    put(20, 30);
    ttprof_flush();
    has_all(&see_stream(&r, getpid()).threads[1], 30);
    assert_int_equal(ttprof_lost(), 0);
    sample_record_end(&r);
}

// The writer waits for room, so it gets to its end only because events are dropped; the
// change of the clock is among the first of them.
TEST(drain_knows_the_clock_of_what_follows_dropped_events)
{
    struct ttprof_settings wait = {.policy = TTPROF_BLOCK, .ring_bytes = SMALL_RING};
    struct sample_record r = sample_record(&wait);
    put(0, 10);
    ttprof_flush();
    assert_int_equal(see_stream(&r, getpid()).threads[1].clock, 1);
    rlim_t before = limit_files(100);
    ttprof_use_clock(other_clock, NULL);
    put(10, MANY);
    (void)limit_files(before);
    ttprof_flush();
    struct seen_stream s = see_stream(&r, getpid());
    const struct thread_seen *t = &s.threads[1];
    assert_int_equal(t->next, MANY);
    assert_int_equal(t->n_gaps, 1);
    // The change of the clock was dropped, too; it is counted like an event.
    assert_int_equal(t->n + ttprof_lost(), MANY + 1);
    assert_int_equal(t->clock, 2);
    sample_record_end(&r);
}

TEST(drain_counts_what_is_lost_when_the_run_has_its_bytes)
{
    struct ttprof_settings few = {
        .policy = TTPROF_BLOCK, .ring_bytes = SMALL_RING, .most_bytes = 40000};
    struct sample_record r = sample_record(&few);
    put(0, MANY); // does not wait for ever
    ttprof_stop();
    struct tt_control c = control_of(&r);
    struct seen_stream s = see_stream(&r, getpid());
    struct seen_table table;
    assert_true(seen_table(&r, getpid(), &table));
    const struct tt_thread_end *end = seen_entry(&table, TT_ENTRY_THREAD_END, 0);
    assert_in_range(c.stream_bytes, 20000, 40000);
    assert_true(end->lost[TT_LOSS_DISK] > 0);
    assert_int_equal(end->lost[TT_LOSS_FULL], 0);
    assert_int_equal(c.lost, end->lost[TT_LOSS_DISK]);
    assert_int_equal(table.head->stream_error, EFBIG);
    seen_table_free(&table);
    // The last ones are in the ring still.
    struct seen_ring *ring = malloc(sizeof *ring);
    assert_non_null(ring);
    assert_true(seen_ring(&r, getpid(), 1, ring));
    uint64_t held = (ring->head.head - ring->head.tail) / 3;
    free(ring);
    assert_true(held > 0);
    assert_int_equal(s.threads[1].n + c.lost + held, MANY);
    assert_int_equal(s.threads[1].n_gaps, 0);
    sample_record_remove(&r);
}

// --- children ---
TEST(drain_of_a_child_has_a_stream_of_its_own)
{
    struct sample_record r = sample_record(NULL);
    put(0, 10);
    pid_t child = fork();
    if (child == 0) {
        put(0, 7);
        ttprof_flush();
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    put(10, 20);
    ttprof_flush();
    has_all(&see_stream(&r, getpid()).threads[1], 20);
    has_all(&see_stream(&r, child).threads[1], 7);
    sample_record_end(&r);
}
