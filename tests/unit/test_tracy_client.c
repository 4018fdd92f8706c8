// test_tracy_client.c - the recorder's Tracy client against a small server, in both
// generations.
#define TTPROF_ENABLE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/record.h"
#include "record/tracy/client.h"
#include "sample_record.h"
#include "sample_server.h"

static struct sample_server server;

static void zone_inside(void)
{
    TTPROF_ZONE("inside");
}

static void zones(void)
{
    TTPROF_BEGIN(outer, "outer");
    zone_inside();
    TTPROF_END(outer);
}

static void finish(struct sample_record *r)
{
    ttprof_stop();
    server_join(&server);
    if (r)
        sample_record_remove(r);
}

// --- handshake ---------------------------------------------------------------------------
TEST(tracy_client_is_off_unless_asked)
{
    unsetenv("TTPROF_TRACY");
    struct sample_record r = sample_record(NULL);
    assert_int_equal(recorder_tracy_port(), 0);
    assert_false(recorder_tracy_has_thread());
    sample_record_end(&r);
    assert_int_equal(ttprof_start(NULL), -EINVAL);
}

TEST(tracy_client_welcomes_both_generations_and_no_other)
{
    struct sample_record r = server_record(NULL);
    for (int i = 0; i < 4; i++) {
        server_start(&server, (struct server_how){.protocol = tracy_protocols[i % 2],
                                                  .leaves_after = 1});
        assert_int_equal(server.status, TRACY_WELCOME);
        assert_true(server.welcome.ns_per_tick == 1);
        assert_int_equal(server.welcome.pid, getpid());
        assert_int_equal(server.welcome.executable_time, 0);
        assert_int_equal(server.welcome.flags, TRACY_ON_DEMAND);
        assert_string_equal(server.welcome.program, "unit");
        assert_true((int64_t)server.demand.now > server.welcome.begin);
        zones();
        server_join(&server);
        server_free(&server);
    }
    server_start(&server, (struct server_how){.protocol = 65});
    assert_int_equal(server.status, TRACY_MISMATCH);
    server_join(&server);
    server_free(&server);
    sample_record_end(&r);
}

TEST(tracy_client_hangs_up_on_what_is_not_a_server)
{
    struct sample_record r = server_record(NULL);
    int fd = server_connect(0);
    char byte;
    assert_int_equal(send(fd, "GET / HTTP/1.1\r\n\r\n", 18, MSG_NOSIGNAL), 18);
    assert_true(recv(fd, &byte, 1, 0) <= 0);
    close(fd);
    server_start(&server, (struct server_how){0});
    assert_int_equal(server.status, TRACY_WELCOME);
    finish(&r);
    assert_true(server.has_terminated);
    server_free(&server);
}

// --- zones -------------------------------------------------------------------------------
TEST(tracy_client_sends_zones_with_their_places_and_threads)
{
    for (int g = 0; g < 2; g++) {
        struct sample_record r = server_record(NULL);
        server_start(&server, (struct server_how){.protocol = tracy_protocols[g]});
        zones();
        finish(&r);
        assert_int_equal(server_count(&server, TRACY_ZONE_BEGIN), 2);
        assert_int_equal(server_count(&server, TRACY_ZONE_END), 2);
        const struct server_item *outer = server_find(&server, TRACY_ZONE_BEGIN, 0);
        const struct server_item *inside = server_find(&server, TRACY_ZONE_BEGIN, 1);
        STR_IS(server_place_name(&server, outer), "outer");
        STR_IS(server_place_name(&server, inside), "inside");
        assert_int_equal(outer->thread, gettid());
        assert_true(outer->ns <= inside->ns);
        assert_true(inside->ns <= server_find(&server, TRACY_ZONE_END, 0)->ns);
        assert_true(server_find(&server, TRACY_ZONE_END, 0)->ns <=
                    server_find(&server, TRACY_ZONE_END, 1)->ns);
        STR_IS(server_text(&server, TRACY_THREAD_NAME, (uint64_t)gettid()), "Main thread");
        assert_true(server.has_terminated);
        assert_int_equal(server.n_pending, 0);
        server_free(&server);
    }
}

TEST(tracy_client_closes_open_zones_at_the_end_and_forgets_those_from_before)
{
    struct sample_record r = server_record(NULL);
    TTPROF_BEGIN(before, "before");
    server_start(&server, (struct server_how){0});
    TTPROF_TEXT(before, "lost", 4);
    TTPROF_END(before);
    TTPROF_BEGIN(open, "open");
    zones();
    finish(&r);
    TTPROF_END(open);
    assert_int_equal(server_count(&server, TRACY_ZONE_BEGIN), 3);
    assert_int_equal(server_count(&server, TRACY_ZONE_END), 3);
    assert_int_equal(server_count(&server, TRACY_ZONE_TEXT), 0);
    STR_IS(server_place_name(&server, server_find(&server, TRACY_ZONE_BEGIN, 0)), "open");
    server_free(&server);
}

TEST(tracy_client_ends_when_the_server_asks_and_serves_the_next_one)
{
    struct sample_record r = server_record(NULL);
    for (int g = 0; g < 2; g++) {
        server_start(&server, (struct server_how){.protocol = tracy_protocols[g],
                                                  .disconnects = true});
        zones();
        server_join(&server);
        assert_true(server.has_terminated);
        assert_int_equal(server_count(&server, TRACY_ZONE_END), 2);
        server_free(&server);
    }
    sample_record_end(&r);
}

// What it reads after the end are questions that it does not ask; the program must not
// wait for them for ever.
TEST(tracy_client_ends_with_a_server_that_does_not)
{
    struct sample_record r = server_record(NULL);
    server_start(&server, (struct server_how){.never_ends = true});
    zones();
    finish(&r);
    assert_true(server.has_terminated);
    assert_int_equal(server_count(&server, TRACY_ZONE_END), 2);
    server_free(&server);
}

TEST(tracy_client_works_without_a_folder)
{
    for (int g = 0; g < 2; g++) {
        server_record_nothing(&(struct ttprof_settings){.policy = TTPROF_BLOCK});
        assert_false(ttprof_is_on());
        zones(); // nobody listens
        server_start(&server, (struct server_how){.protocol = tracy_protocols[g]});
        assert_true(ttprof_is_on());
        zones();
        finish(NULL);
        assert_int_equal(server_count(&server, TRACY_ZONE_BEGIN), 2);
        assert_int_equal(server_count(&server, TRACY_ZONE_END), 2);
        server_free(&server);
    }
}

// --- processes ---------------------------------------------------------------------------
TEST(tracy_client_is_not_inherited_by_a_forked_child)
{
    struct sample_record r = server_record(NULL);
    server_start(&server, (struct server_how){0});
    pid_t child = fork();
    if (!child) {
        zone_inside(); // goes to its own files
        _exit(recorder_tracy_port() || recorder_tracy_has_thread());
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    zones();
    finish(&r);
    assert_int_equal(server_count(&server, TRACY_ZONE_BEGIN), 2);
    server_free(&server);
}
