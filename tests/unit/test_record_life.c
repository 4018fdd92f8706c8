// Recording while threads come and go, rings fill up, windows open, processes fork, disks
// are full.
#define TTPROF_ENABLE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "record/record.h"
#include "sample_record.h"

enum { SMALLEST = 1 << 16 }; // bytes of a ring
static struct seen_ring ring;

static void zone(void)
{
    TTPROF_ZONE("zone");
}

static void nap(long ms)
{
    struct timespec t = {.tv_nsec = ms * 1000000};
    nanosleep(&t, NULL);
}

// --- threads -----------------------------------------------------------------------------
static void *short_thread(void *unused)
{
    pthread_setname_np(pthread_self(), "worker");
    zone();
    return unused;
}

static void run_thread(void *(*body)(void *), void *argument)
{
    pthread_t t;
    assert_int_equal(pthread_create(&t, NULL, body, argument), 0);
    assert_int_equal(pthread_join(t, NULL), 0);
}

TEST(record_uses_the_rings_of_threads_that_ended_again)
{
    enum { THREADS = 300 };
    struct sample_record r = sample_record(NULL);
    for (int i = 0; i < THREADS; i++)
        run_thread(short_thread, NULL);
    assert_true(seen_files(&r, ".ring") < THREADS / 2);
    ttprof_stop();
    struct seen_table t;
    assert_true(seen_table(&r, getpid(), &t));
    assert_int_equal(seen_entries(&t, TT_ENTRY_THREAD), THREADS);
    assert_int_equal(seen_entries(&t, TT_ENTRY_THREAD_END), THREADS);
    const uint32_t *name = seen_entry(&t, TT_ENTRY_THREAD_NAME, THREADS - 1);
    assert_non_null(name);
    STR_IS(seen_string(&t, name[1]), "worker");
    for (size_t i = 0; i < THREADS; i++) {
        const struct tt_thread_end *end = seen_entry(&t, TT_ENTRY_THREAD_END, i);
        assert_int_equal(end->events, 2);
        assert_true(end->end_ns > 0);
    }
    seen_table_free(&t);
    sample_record_remove(&r);
}

static pthread_key_t late_key;
static void late_event(void *unused)
{
    (void)unused;
    zone(); // the recorder's own destructor may have run before
}
static void *thread_with_a_late_event(void *unused)
{
    zone();
    pthread_setspecific(late_key, &late_key);
    return unused;
}

TEST(record_takes_events_of_a_thread_that_is_about_to_end)
{
    struct sample_record r = sample_record(NULL);
    zone();
    assert_int_equal(pthread_key_create(&late_key, late_event), 0);
    for (int i = 0; i < 10; i++)
        run_thread(thread_with_a_late_event, NULL);
    pthread_key_delete(late_key);
    assert_int_equal(ttprof_lost(), 0);
    ttprof_stop();
    struct seen_table t;
    assert_true(seen_table(&r, getpid(), &t));
    uint64_t events = 0;
    for (size_t i = 0; i < seen_entries(&t, TT_ENTRY_THREAD_END); i++)
        events +=
            ((const struct tt_thread_end *)seen_entry(&t, TT_ENTRY_THREAD_END, i))->events;
    assert_int_equal(events, 2 + 10 * 4);
    seen_table_free(&t);
    sample_record_remove(&r);
}

static void *many_zones(void *count)
{
    for (int i = 0; i < *(int *)count; i++) {
        zone();
        ttprof_plot_int("i", i);
    }
    return NULL;
}

static uint64_t end_events(const struct seen_table *t, uint64_t *lost)
{
    uint64_t events = 0;
    const struct tt_thread_end *end;
    for (size_t i = 0; (end = seen_entry(t, TT_ENTRY_THREAD_END, i)); i++) {
        events += end->events;
        for (int k = 0; k < TT_LOSSES; k++)
            *lost += end->lost[k];
    }
    return events;
}

TEST(record_threads_at_once_lose_nothing_when_they_wait_for_room)
{
    enum { THREADS = 4 };
    struct ttprof_settings settings = {.policy = TTPROF_BLOCK, .ring_bytes = SMALLEST};
    struct sample_record r = sample_record(&settings);
    int count = 20000;
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, many_zones, &count), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    ttprof_stop();
    assert_int_equal(ttprof_lost(), 0);
    struct seen_table t;
    uint64_t lost = 0;
    assert_true(seen_table(&r, getpid(), &t));
    assert_int_equal(end_events(&t, &lost), THREADS * 3 * count);
    assert_int_equal(lost, 0);
    seen_table_free(&t);
    sample_record_remove(&r);
}

static int is_stopping;
static void *zones_until_told(void *unused)
{
    while (!__atomic_load_n(&is_stopping, __ATOMIC_RELAXED))
        zone();
    return unused;
}

TEST(record_starts_and_stops_under_threads_that_record)
{
    enum { THREADS = 3 };
    pthread_t threads[THREADS];
    is_stopping = 0;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, zones_until_told, NULL), 0);
    for (int i = 0; i < 10; i++) {
        struct sample_record r = sample_record(NULL);
        nap(2);
        if (i % 2)
            ttprof_flush();
        ttprof_stop();
        assert_int_equal(seen_files(&r, ".ring"), 0);
        sample_record_remove(&r);
    }
    __atomic_store_n(&is_stopping, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

// --- rings that are full ---
// Whatever else is lost, a zone that began ends.
static void deep(int depth)
{
    TTPROF_ZONE("deep");
    if (depth)
        deep(depth - 1);
}

TEST(record_drops_the_newest_events_of_a_full_ring_and_counts_them)
{
    struct ttprof_settings settings = {.ring_bytes = SMALLEST};
    struct sample_record r = sample_record(&settings);
    zone();
    recorder_drain_stop(); // nobody makes room
    ttprof_zone open =
        ttprof_zone_begin(&(struct ttprof_location){"o", "f", "f.c", 1, 0, 0});
    enum { EVENTS = SMALLEST / 16 };
    for (int i = 0; i < EVENTS; i++)
        ttprof_plot_int("i", i);
    uint64_t lost = ttprof_lost();
    assert_true(lost > 0);
    assert_int_equal(ttprof_zone_begin(&(struct ttprof_location){0}).is_open, 0);
    ttprof_zone_end(open); // its word was kept
    assert_true(seen_ring(&r, getpid(), 0, &ring));
    assert_int_equal(seen_count(&ring, TT_ZONE_END), 1);
    assert_int_equal(ring.head.lost[TT_LOSS_FULL], lost + 1);
    assert_int_equal(seen_count(&ring, TT_PLOT_INT) + lost, EVENTS);
    assert_int_equal(seen_count(&ring, TT_LOST), 0);

    recorder_drain_now();
    ttprof_message("room again");
    assert_true(seen_ring(&r, getpid(), 0, &ring));
    assert_int_equal(ring.n, 2);
    assert_int_equal(ring.events[0].kind, TT_LOST);
    assert_int_equal(ring.events[0].words[0], lost + 1);
    assert_int_equal(ring.events[1].kind, TT_MESSAGE);
    deep(100);
    assert_int_equal(ttprof_lost(), lost + 1);
    sample_record_end(&r);
}

static void *thread_that_loses(void *unused)
{
    for (int i = 0; i < SMALLEST / 16; i++)
        ttprof_plot_int("i", i);
    return unused;
}

// Each thread takes over the ring of the one before, and with it the place where losses are
// counted.
TEST(record_counts_what_was_lost_in_a_ring_that_is_used_again)
{
    enum { THREADS = 3 };
    struct ttprof_settings settings = {.ring_bytes = SMALLEST};
    struct sample_record r = sample_record(&settings);
    uint64_t sum = 0;
    zone();
    recorder_drain_stop(); // nobody makes room
    for (int i = 0; i < THREADS; i++) {
        run_thread(thread_that_loses, NULL);
        uint64_t now = ttprof_lost();
        assert_true(now > sum); // this one lost some, and what others lost is not forgotten
        sum = now;
        recorder_drain_now(); // frees the ring
        assert_int_equal(ttprof_lost(), sum);
    }
    run_thread(short_thread, NULL);
    assert_int_equal(ttprof_lost(), sum);
    assert_int_equal(seen_files(&r, ".ring"), 2); // this thread's, and that of all others
    struct seen_table t;
    uint64_t lost = 0;
    assert_true(seen_table(&r, getpid(), &t));
    (void)end_events(&t, &lost);
    seen_table_free(&t);
    assert_int_equal(lost, sum);
    ttprof_stop();
    assert_int_equal(ttprof_lost(), sum);
    sample_record_remove(&r);
}

TEST(record_overwrites_the_oldest_events_and_notes_where_segments_begin)
{
    struct ttprof_settings settings = {.policy = TTPROF_DROP_OLDEST,
                                       .ring_bytes = SMALLEST};
    struct sample_record r = sample_record(&settings);
    enum { ZONES = 50000 };
    for (int i = 0; i < ZONES; i++)
        zone();
    ttprof_message("the last one");
    assert_int_equal(ttprof_lost(), 0);
    assert_true(seen_ring(&r, getpid(), 0, &ring));
    assert_int_equal(ring.head.tail, 0);
    const struct tt_ring *h = &ring.head;
    uint64_t segment = h->capacity / TT_RING_SEGMENTS, behind = 0;
    for (int i = 0; i < TT_RING_SEGMENTS; i++) {
        uint64_t at = h->segments[i].position;
        assert_int_equal(at / segment % TT_RING_SEGMENTS, i);
        assert_true(at + h->capacity + segment > h->head && at < h->head);
        behind = behind < at ? at : behind;
    }
    assert_true(h->head - behind <= segment);
    sample_record_end(&r);
}

// --- handlers ---
static void handler(int signal)
{
    (void)signal;
    zone();
    ttprof_message("from a handler");
}

static int n_asked;
static uint64_t raising_clock(void *unused)
{
    (void)unused;
    if (++n_asked == 5)
        raise(SIGUSR1); // in the middle of an event
    return (uint64_t)n_asked;
}

TEST(record_counts_events_of_a_handler_that_interrupts_an_event)
{
    struct sample_record r = sample_record(NULL);
    struct sigaction before, during = {.sa_handler = handler};
    sigaction(SIGUSR1, &during, &before);
    zone();
    raise(SIGUSR1); // between events: all is well
    assert_true(seen_ring(&r, getpid(), 0, &ring));
    assert_int_equal(ring.n, 5);
    assert_int_equal(ttprof_lost(), 0);

    n_asked = 0;
    ttprof_use_clock(raising_clock, NULL);
    zone();
    zone();
    ttprof_use_clock(NULL, NULL);
    sigaction(SIGUSR1, &before, NULL);
    assert_true(seen_ring(&r, getpid(), 0, &ring));
    assert_int_equal(seen_count(&ring, TT_MESSAGE), 1);
    assert_int_equal(ring.head.lost[TT_LOSS_HANDLER], 2); // a zone and a message
    assert_int_equal(seen_count(&ring, TT_ZONE_BEGIN), seen_count(&ring, TT_ZONE_END));
    sample_record_end(&r);
}

static void *signal_often(void *thread)
{
    for (int i = 0; i < 200; i++) {
        pthread_kill(*(pthread_t *)thread, SIGUSR1);
        nap(0);
    }
    __atomic_store_n(&is_stopping, 1, __ATOMIC_RELAXED);
    return NULL;
}

TEST(record_threads_that_are_signalled_all_the_time_keep_their_zones_in_order)
{
    struct sample_record r = sample_record(NULL);
    struct sigaction before, during = {.sa_handler = handler};
    sigaction(SIGUSR1, &during, &before);
    pthread_t self = pthread_self(), other;
    is_stopping = 0;
    assert_int_equal(pthread_create(&other, NULL, signal_often, &self), 0);
    zones_until_told(NULL);
    pthread_join(other, NULL);
    sigaction(SIGUSR1, &before, NULL);
    ttprof_flush();
    for (int i = 0; i < 3; i++)
        zone();
    assert_true(seen_ring(&r, getpid(), 0, &ring)); // every word has a kind
    sample_record_end(&r);
}

// --- windows ---
static struct tt_control *close_the_gate(void)
{
    struct tt_control *c = recorder_control();
    c->gate = 0;
    c->opened_ns = 0;
    return c;
}

TEST(record_window_opens_and_closes_at_signposts)
{
    struct sample_record r = sample_record(NULL);
    struct tt_control *c = close_the_gate();
    strcpy(c->start_at, "go");
    strcpy(c->stop_at, "stop");
    c->skip = 1;
    zone();
    ttprof_signpost("stop", NULL); // not open yet
    ttprof_signpost("go", NULL);   // passed over
    zone();
    assert_false(ttprof_is_on());
    ttprof_signpost("go", "now");
    assert_true(ttprof_is_on());
    assert_true(c->opened_ns > 0);
    TTPROF_BEGIN(open, "open");
    ttprof_signpost("go", NULL);
    ttprof_signpost("stop", NULL);
    assert_false(ttprof_is_on());
    assert_true(c->closed_ns >= c->opened_ns);
    zone();
    TTPROF_END(open); // it had begun
    ttprof_signpost("go", NULL);
    assert_false(ttprof_is_on());
    assert_true(seen_ring(&r, getpid(), 0, &ring));
    assert_int_equal(seen_count(&ring, TT_SIGNPOST), 3);
    assert_int_equal(seen_count(&ring, TT_ZONE_BEGIN), 1);
    assert_int_equal(seen_count(&ring, TT_ZONE_END), 1);
    assert_int_equal(ring.n, 5);
    sample_record_end(&r);
}

TEST(record_window_opens_after_so_many_frames_and_closes_in_time)
{
    struct sample_record r = sample_record(NULL);
    struct tt_control *c = close_the_gate();
    c->skip = 2;
    c->for_ns = UINT64_C(60000000000);
    ttprof_frame(NULL);
    assert_false(ttprof_is_on());
    ttprof_frame(NULL);
    assert_true(ttprof_is_on());
    ttprof_frame(NULL);
    recorder_window_tick();
    assert_true(ttprof_is_on());
    c->opened_ns -= c->for_ns; // a minute passes
    recorder_window_tick();
    assert_false(ttprof_is_on());
    assert_int_equal(c->closed_ns, c->opened_ns + c->for_ns);
    assert_true(seen_ring(&r, getpid(), 0, &ring));
    assert_int_equal(seen_count(&ring, TT_FRAME_MARK), 1);
    sample_record_end(&r);
}

// Else the zones behind the window would be looked for in the fiber.
TEST(record_window_does_not_hide_which_fiber_runs)
{
    struct sample_record r = sample_record(NULL);
    struct tt_control *c = close_the_gate();
    strcpy(c->start_at, "go");
    strcpy(c->stop_at, "stop");
    ttprof_fiber_enter("job");
    ttprof_signpost("go", NULL);
    ttprof_signpost("stop", NULL);
    ttprof_fiber_leave();
    assert_true(seen_ring(&r, getpid(), 0, &ring));
    assert_int_equal(seen_count(&ring, TT_FIBER_ENTER), 1);
    assert_int_equal(seen_count(&ring, TT_FIBER_LEAVE), 1);
    sample_record_end(&r);
}

// --- clocks ---
static uint64_t counting_clock(void *count)
{
    return ++*(uint64_t *)count;
}

TEST(record_uses_the_clock_of_the_program)
{
    struct sample_record r = sample_record(NULL);
    uint64_t count = 1000;
    zone();
    ttprof_use_clock(counting_clock, &count); // asks once
    zone();
    assert_int_equal(ttprof_now(), 1005);
    ttprof_use_clock(NULL, NULL);
    zone();
    assert_true(seen_ring(&r, getpid(), 0, &ring));
    assert_int_equal(ring.n, 8);
    const struct seen_event *e = ring.events;
    assert_int_equal(e[2].kind, TT_CLOCK);
    assert_int_equal(e[2].time, 1002);
    assert_int_equal(e[3].time, 1003);
    assert_int_equal(e[4].time, 1004);
    assert_int_equal(e[5].kind, TT_CLOCK);
    assert_int_equal(e[5].words[0], 1);
    assert_true(e[6].time > e[1].time);

    struct seen_table t;
    assert_true(seen_table(&r, getpid(), &t));
    const struct tt_clock *clock = seen_entry(&t, TT_ENTRY_CLOCK, 1);
    assert_int_equal(clock->kind, TT_CLOCK_PROGRAM);
    assert_int_equal(clock->clock, e[2].words[0]);
    bool has_first = false;
    const struct tt_clock_pair *pair;
    uint64_t last_ns = 0;
    for (size_t i = 0; (pair = seen_entry(&t, TT_ENTRY_CLOCK_PAIR, i)); i++) {
        has_first |= pair->clock == clock->clock && pair->ticks == 1001;
        if (pair->clock != 1)
            continue;
        assert_true(pair->ns > last_ns); // the own clock's are in order
        last_ns = pair->ns;
    }
    assert_true(has_first);
    seen_table_free(&t);
    sample_record_end(&r);
}

// --- fork ---
static int wait_for(pid_t child)
{
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void check_child(const struct sample_record *r, int child, size_t zones)
{
    struct seen_table t;
    assert_true(seen_table(r, child, &t));
    assert_int_equal(t.head->parent_pid, getpid());
    assert_int_equal(t.head->is_over, 0); // it ended with _exit
    assert_true(seen_ring(r, child, 0, &ring));
    assert_int_equal(seen_count(&ring, TT_ZONE_BEGIN), zones);
    assert_int_equal(seen_count(&ring, TT_ZONE_END), zones);
    STR_IS(seen_location(&t, ring.events[0].words[0]), "zone");
    assert_int_equal(seen_entries(&t, TT_ENTRY_THREAD), 1);
    const uint32_t *name = seen_last(&t, TT_ENTRY_THREAD_NAME);
    STR_IS(seen_string(&t, name[1]), "forker");
    seen_table_free(&t);
}

TEST(record_gives_a_child_of_fork_files_of_its_own)
{
    struct sample_record r = sample_record(NULL);
    ttprof_thread_name("forker");
    zone();
    TTPROF_BEGIN(open, "open");
    pid_t child = fork();
    if (!child) {
        errno = 77;
        zone();
        int error = errno; // the program's, whatever the recorder did
        TTPROF_END(open);  // the parent's
        zone();
        _exit(error == 77 ? 0 : 5);
    }
    assert_int_equal(wait_for(child), 0);
    TTPROF_END(open);
    check_child(&r, child, 2);
    assert_true(seen_ring(&r, getpid(), 0, &ring));
    assert_int_equal(seen_count(&ring, TT_ZONE_BEGIN), 2);
    assert_int_equal(seen_count(&ring, TT_ZONE_END), 2);
    sample_record_end(&r);
}

TEST(record_gives_a_child_that_the_c_library_knows_nothing_of_its_own_files)
{
    struct sample_record r = sample_record(NULL);
    ttprof_thread_name("forker");
    zone();
    pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
    if (!child) {
        zone();
        _exit(0);
    }
    assert_int_equal(wait_for(child), 0);
    check_child(&r, child, 1);
    assert_true(seen_ring(&r, getpid(), 0, &ring));
    assert_int_equal(seen_count(&ring, TT_ZONE_BEGIN), 1);
    sample_record_end(&r);
}

TEST(record_tells_a_child_of_fork_its_fibers_again)
{
    struct sample_record r = sample_record(NULL);
    uint32_t fiber = ttprof_fiber_make("job", 3);
    pid_t child = fork();
    if (!child) {
        ttprof_fiber_enter_at(fiber);
        _exit(0);
    }
    assert_int_equal(wait_for(child), 0);
    struct seen_table t;
    assert_true(seen_table(&r, child, &t));
    assert_int_equal(seen_entries(&t, TT_ENTRY_FIBER), 1);
    const uint32_t *told = seen_last(&t, TT_ENTRY_FIBER);
    assert_int_equal(told[0], fiber);
    STR_IS(seen_string(&t, fiber), "job");
    seen_table_free(&t);
    sample_record_end(&r);
}

TEST(record_stays_the_parents_in_a_child_of_vfork)
{
    struct sample_record r = sample_record(NULL);
    zone();
    // NOLINTBEGIN(clang-analyzer-security.insecureAPI.vfork,clang-analyzer-unix.Vfork)
    pid_t child = vfork();
    if (!child) {
        zone();
        _exit(0);
    }
    // NOLINTEND(clang-analyzer-security.insecureAPI.vfork,clang-analyzer-unix.Vfork)
    assert_int_equal(wait_for(child), 0);
    zone();
    assert_true(seen_ring(&r, getpid(), 0, &ring));
    assert_int_equal(seen_count(&ring, TT_ZONE_BEGIN), 3);
    sample_record_end(&r);
}

static void *names_until_told(void *unused)
{
    char name[16];
    for (int i = 0; !__atomic_load_n(&is_stopping, __ATOMIC_RELAXED); i = (i + 1) % 5000) {
        int n = snprintf(name, sizeof name, "new %d", i);
        ttprof_location_make("f", 1, "f", 1, name, (size_t)n, 1, 0); // takes the lock
    }
    return unused;
}

TEST(record_in_a_child_does_not_wait_for_locks_of_its_parent)
{
    struct sample_record r = sample_record(NULL);
    pthread_t other;
    is_stopping = 0;
    assert_int_equal(pthread_create(&other, NULL, names_until_told, NULL), 0);
    for (int i = 0; i < 20; i++) {
        pid_t child = fork();
        if (!child) {
            uint32_t known = ttprof_location_make("f", 1, "f", 1, "new 0", 5, 1, 0);
            ttprof_zone_end(ttprof_zone_begin_at(known));
            ttprof_flush();
            _exit(0);
        }
        assert_int_equal(wait_for(child), 0);
    }
    __atomic_store_n(&is_stopping, 1, __ATOMIC_RELAXED);
    pthread_join(other, NULL);
    sample_record_end(&r);
}

static pid_t forked_in_handler;
static void forking_handler(int signal)
{
    (void)signal;
    forked_in_handler = fork();
}

// The child comes back into the middle of its parent's event.
TEST(record_survives_a_handler_that_forks_in_the_middle_of_an_event)
{
    struct sample_record r = sample_record(NULL);
    struct sigaction before, during = {.sa_handler = forking_handler};
    sigaction(SIGUSR1, &during, &before);
    ttprof_thread_name("forker");
    n_asked = 2;
    forked_in_handler = -1;
    ttprof_use_clock(raising_clock, NULL);
    zone();
    if (!forked_in_handler) {
        zone();
        _exit(0);
    }
    zone();
    ttprof_use_clock(NULL, NULL);
    sigaction(SIGUSR1, &before, NULL);
    assert_int_equal(wait_for(forked_in_handler), 0);
    assert_true(seen_ring(&r, getpid(), 0, &ring));
    assert_int_equal(seen_count(&ring, TT_ZONE_BEGIN), 2);
    assert_int_equal(seen_count(&ring, TT_ZONE_END), 2);
    check_child(&r, forked_in_handler, 1);
    sample_record_end(&r);
}

// --- the world goes wrong ---
// In a child, because it cannot be undone.
static int in_child(void (*body)(const struct sample_record *r),
                    const struct sample_record *r)
{
    pid_t child = fork();
    if (!child) {
        body(r);
        _exit(0);
    }
    return wait_for(child);
}

static void close_all(const struct sample_record *r)
{
    (void)r;
    zone();
    for (int fd = 0; fd < 1024; fd++)
        close(fd);
    int mine = open("/dev/null", O_WRONLY), second = open("/dev/null", O_WRONLY);
    if (mine != 0 || second != 1 || chdir("/") != 0)
        _exit(2);
    run_thread(short_thread, NULL);
    for (int i = 0; i < 100000; i++)
        zone();
    ttprof_stop();
    _exit(ttprof_lost() ? 3 : 0);
}

TEST(record_goes_on_when_all_descriptors_are_closed)
{
    struct sample_record r =
        sample_record(&(struct ttprof_settings){.policy = TTPROF_BLOCK});
    assert_int_equal(in_child(close_all, &r), 0);
    assert_int_equal(seen_files(&r, ".ring"), 0);
    sample_record_end(&r);
}

static void limit_files(const struct sample_record *r)
{
    struct rlimit most = {1 << 16, 1 << 16};
    if (setrlimit(RLIMIT_FSIZE, &most) != 0)
        _exit(2);
    zone(); // the table does not fit
    if (ttprof_is_recording() || ttprof_is_on())
        _exit(3);
    struct tt_control *c = recorder_control();
    if (c->failed != 1 || c->failed_errno != EFBIG)
        _exit(4);
    (void)r;
}

static void limit_rings(const struct sample_record *r)
{
    (void)r;
    struct rlimit most = {1 << 18, 1 << 18};
    if (setrlimit(RLIMIT_FSIZE, &most) != 0)
        _exit(2);
    zone(); // the table fits, a ring does not
    if (!ttprof_is_recording() || ttprof_lost() != 1 ||
        recorder_table()->ring_error != EFBIG)
        _exit(3);
    most = (struct rlimit){RLIM_INFINITY, RLIM_INFINITY};
    if (setrlimit(RLIMIT_FSIZE, &most) != 0)
        return; // not root
    for (int i = 0; i < 5000; i++)
        zone();
    struct recorder_thread *t = recorder_threads();
    if (!t || t->ring->events < 1000)
        _exit(4);
}

TEST(record_goes_off_when_there_is_no_room_and_the_program_goes_on)
{
    struct sample_record r = sample_record(NULL);
    assert_int_equal(in_child(limit_files, &r), 0);
    assert_int_equal(seen_files(&r, ".table"), 1); // the parent's
    assert_int_equal(in_child(limit_rings, &r), 0);
    sample_record_end(&r);
}

TEST(record_says_why_it_cannot_start)
{
    assert_int_equal(ttprof_start("/proc/no/such/folder"), -ENOENT);
    assert_int_equal(ttprof_start("/dev/null/x"), -ENOTDIR);
    assert_false(ttprof_is_recording());
    char name[PATH_MAX + 2] = "/";
    memset(name + 1, 'x', PATH_MAX);
    assert_int_equal(ttprof_start(name), -ENAMETOOLONG);
    errno = 77;
    struct sample_record r = sample_record(NULL);
    errno = 77;
    zone();
    run_thread(short_thread, NULL);
    assert_int_equal(errno, 77); // the program's, whatever the recorder does
    sample_record_end(&r);
}
