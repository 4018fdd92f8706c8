// test_tracy_client_load.c - the recorder's Tracy client under load: many threads, servers
// that are slow or vanish.
#define TTPROF_ENABLE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/record.h"
#include "record/tracy/client.h"
#include "record/tracy/feed.h"
#include "sample_server.h"

static struct sample_server server;
static int n_zones;

static void *worker(void *unused)
{
    for (int i = 0; i < n_zones; i++) {
        TTPROF_ZONE("work");
        if (i % 64 == 0)
            ttprof_alloc(&server, 8, "pool");
        if (i % 64 == 1)
            ttprof_free(&server, "pool");
    }
    return unused;
}

enum { WORKERS = 4 };
static void run_workers(int n)
{
    pthread_t threads[WORKERS];
    n_zones = n;
    for (int i = 0; i < WORKERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, worker, NULL), 0);
    for (int i = 0; i < WORKERS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
}

// Zones of a thread nest and their times do not go back; of memory, over all threads.
static void check_order(void)
{
    static struct {
        uint32_t tid;
        int64_t last;
        int depth;
    } threads[64];
    size_t n = 0;
    int64_t memory = 0;
    memset(threads, 0, sizeof threads);
    for (size_t i = 0; i < server.items.n; i++) {
        const struct server_item *one = &server.items.v[i];
        bool is_begin = one->item == TRACY_ZONE_BEGIN, is_end = one->item == TRACY_ZONE_END;
        if (one->item == TRACY_ALLOC_NAMED || one->item == TRACY_FREE_NAMED) {
            assert_true(one->ns >= memory);
            memory = one->ns;
        }
        if (!is_begin && !is_end)
            continue;
        size_t t = 0;
        while (t < n && threads[t].tid != one->thread)
            t++;
        if (t == n)
            threads[n++].tid = one->thread;
        assert_true(n < 64);
        assert_true(one->ns >= threads[t].last);
        threads[t].last = one->ns;
        threads[t].depth += is_begin ? 1 : -1;
        assert_true(threads[t].depth >= 0);
    }
    for (size_t t = 0; t < n; t++)
        assert_int_equal(threads[t].depth, 0);
}

static void check_nothing_lost(int n)
{
    assert_true(server.has_terminated);
    assert_int_equal(server_count(&server, TRACY_ZONE_BEGIN), WORKERS * n);
    assert_int_equal(server_count(&server, TRACY_ZONE_END), WORKERS * n);
    check_order();
}

static const struct ttprof_settings blocking = {.policy = TTPROF_BLOCK,
                                                .ring_bytes = 1 << 18};

TEST(tracy_client_loses_nothing_of_four_threads)
{
    enum { ZONES = 50000 };
    for (int g = 0; g < TRACY_GENERATIONS; g++)
        for (int has_folder = 0; has_folder < 2; has_folder++) {
            struct sample_record r = {{0}};
            if (has_folder)
                r = server_record(&blocking);
            else
                server_record_nothing(&blocking);
            server_start(&server, (struct server_how){.protocol = tracy_protocols[g]});
            run_workers(ZONES);
            ttprof_stop();
            server_join(&server);
            check_nothing_lost(ZONES);
            if (has_folder)
                sample_record_remove(&r);
            server_free(&server);
        }
}

// The program never waits for the server, and the server gets everything later.
TEST(tracy_client_serves_a_slow_server_from_the_stream)
{
    enum { ZONES = 400000 };
    for (int g = 0; g < TRACY_GENERATIONS; g++) {
        struct sample_record r = server_record(&blocking);
        server_start(&server,
                     (struct server_how){.protocol = tracy_protocols[g], .stalls = true});
        bool was_behind = false;
        int rounds = 0;
        for (; !was_behind && rounds < 20; rounds++) { // as many as queue and socket hold
            run_workers(ZONES);
            was_behind = recorder_feed_mode() == FEED_BEHIND;
        }
        assert_true(was_behind);
        __atomic_store_n(&server.may_go, 1, __ATOMIC_RELEASE);
        ttprof_stop();
        server_join(&server);
        check_nothing_lost(rounds * ZONES);
        sample_record_remove(&r);
        server_free(&server);
    }
}

TEST(tracy_client_drops_and_counts_if_there_is_no_folder_and_the_server_is_slow)
{
    enum { ZONES = 2000000 };
    server_record_nothing(&(struct ttprof_settings){.ring_bytes = 1 << 16});
    server_start(&server, (struct server_how){.stalls = true});
    for (int i = 0; i < 20 && !ttprof_lost(); i++)
        run_workers(ZONES);
    uint64_t lost = ttprof_lost();
    assert_true(lost > 0);
    __atomic_store_n(&server.may_go, 1, __ATOMIC_RELEASE);
    ttprof_stop();
    server_join(&server);
    assert_true(server.has_terminated);
    assert_int_equal(server_count(&server, TRACY_ZONE_BEGIN),
                     server_count(&server, TRACY_ZONE_END));
    check_order();
    server_free(&server);
}

TEST(tracy_client_survives_servers_that_vanish)
{
    struct sample_record r = server_record(&blocking);
    for (int i = 0; i < 30; i++) {
        server_start(&server, (struct server_how){.protocol = tracy_protocols[i % 2],
                                                  .leaves_after = 1 + i * 37});
        run_workers(1000);
        server_join(&server);
        server_free(&server);
    }
    server_start(&server, (struct server_how){0});
    run_workers(1000);
    ttprof_stop();
    server_join(&server);
    check_nothing_lost(1000);
    sample_record_remove(&r);
    server_free(&server);
}

// What a killed program sent stays; its server sees the end.
TEST(tracy_client_that_is_killed_leaves_whole_items)
{
    for (int i = 0; i < 20; i++) {
        int ready[2];
        uint32_t port = 0;
        assert_int_equal(pipe(ready), 0);
        pid_t child = fork();
        if (!child) {
            server_record_nothing(&blocking);
            port = recorder_tracy_port();
            (void)!write(ready[1], &port, sizeof port);
            for (;;)
                run_workers(1000);
        }
        assert_int_equal(read(ready[0], &port, sizeof port), sizeof port);
        server_start(&server,
                     (struct server_how){.protocol = tracy_protocols[i % 2], .port = port});
        server_until_items(&server, 200 + (uint64_t)i * 1000);
        assert_int_equal(kill(child, SIGKILL), 0);
        assert_int_equal(waitpid(child, NULL, 0), child);
        server_join(&server);
        assert_false(server.has_terminated);
        assert_true(server_count(&server, TRACY_ZONE_BEGIN) > 0);
        close(ready[0]);
        close(ready[1]);
        server_free(&server);
    }
}

// --- fibers ------------------------------------------------------------------------------
// A fiber goes from thread to thread; each turn ends the zone that the previous one began.
enum { FIBER_THREADS = 3, FIBER_TURNS = 30000 };
static uint32_t turn; // atomic

static void *run_fiber(void *argument)
{
    TTPROF_LOCATION(place, "on a fiber", 0);
    static ttprof_zone open;
    uint32_t own = (uint32_t)(uintptr_t)argument;
    for (uint32_t i = own; i < FIBER_TURNS; i += FIBER_THREADS) {
        while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != i)
            sched_yield();
        ttprof_fiber_enter_put("fiber");
        if (i)
            ttprof_zone_end(open);
        open = ttprof_zone_begin(&place);
        TTPROF_TEXT(open, "turn", 4);
        ttprof_fiber_leave_put();
        __atomic_store_n(&turn, i + 1, __ATOMIC_RELEASE);
        TTPROF_ZONE("between");
    }
    return NULL;
}

static void run_fiber_threads(void)
{
    pthread_t threads[FIBER_THREADS];
    turn = 0;
    for (uintptr_t i = 0; i < FIBER_THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_fiber, (void *)i), 0);
    for (int i = 0; i < FIBER_THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
}

// Its threads enter the fiber one after the other, and its zones follow each other.
static void check_fiber(void)
{
    uint32_t inside = 0, n_enters = 0, n_begins = 0;
    int64_t last = 0;
    int depth = 0;
    for (size_t i = 0; i < server.items.n; i++) {
        const struct server_item *one = &server.items.v[i];
        if (one->item == TRACY_FIBER_ENTER) {
            assert_int_equal(inside, 0);
            inside = one->thread;
            n_enters++;
        } else if (one->item == TRACY_FIBER_LEAVE) {
            assert_int_equal(inside, one->thread);
            inside = 0;
        } else if (one->thread != inside) {
            continue;
        } else if (one->item == TRACY_ZONE_BEGIN) {
            depth++, n_begins++;
            assert_int_equal(depth, 1);
        } else if (one->item == TRACY_ZONE_END) {
            depth--;
            assert_int_equal(depth, 0);
        } else {
            continue;
        }
        assert_true(one->ns >= last);
        last = one->ns;
    }
    assert_int_equal(n_enters, FIBER_TURNS + 1); // once more to end the last zone
    assert_int_equal(n_begins, FIBER_TURNS);
    assert_int_equal(server_count(&server, TRACY_ZONE_BEGIN), 2 * FIBER_TURNS);
    assert_int_equal(server_count(&server, TRACY_ZONE_END), 2 * FIBER_TURNS);
    assert_int_equal(server_count(&server, TRACY_ZONE_TEXT), FIBER_TURNS);
}

TEST(tracy_client_sends_a_fiber_in_the_order_in_which_threads_run_it)
{
    for (int g = 0; g < TRACY_GENERATIONS; g++) {
        struct sample_record r = {{0}};
        if (g)
            r = server_record(&blocking);
        else
            server_record_nothing(&blocking);
        server_start(&server, (struct server_how){.protocol = tracy_protocols[g]});
        run_fiber_threads();
        ttprof_stop();
        server_join(&server);
        assert_true(server.has_terminated);
        check_fiber();
        if (g)
            sample_record_remove(&r);
        server_free(&server);
    }
}
