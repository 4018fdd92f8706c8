// What events become in the files of a recording.
#define TTPROF_ENABLE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sample_record.h"
#include "ttprof/host.h"

static struct seen_ring ring; // large

static const struct seen_event *event(size_t i)
{
    assert_true(i < ring.n);
    return &ring.events[i];
}

static void one_zone(void)
{
    TTPROF_ZONE_AS(zone, "outer", 0x123456);
    TTPROF_VALUE(zone, 42);
    TTPROF_TEXT(zone, "some text", 9);
    TTPROF_NAME(zone, "renamed", 7);
    TTPROF_COLOUR(zone, 0x00ff00);
    TTPROF_ZONE(NULL);
}

TEST(record_writes_zones_into_the_ring_of_their_thread)
{
    struct sample_record r = sample_record(NULL);
    one_zone();
    assert_true(seen_ring(&r, getpid(), 0, &ring));
    static const enum tt_host_event kinds[] = {TT_ZONE_BEGIN, TT_ZONE_VALUE,  TT_ZONE_TEXT,
                                               TT_ZONE_NAME,  TT_ZONE_COLOUR, TT_ZONE_BEGIN,
                                               TT_ZONE_END,   TT_ZONE_END};
    assert_int_equal(ring.n, sizeof kinds / sizeof *kinds);
    for (size_t i = 0; i < ring.n; i++) {
        assert_int_equal(event(i)->kind, kinds[i]);
        assert_true(i == 0 || event(i)->time >= event(i - 1)->time);
    }
    assert_int_equal(event(1)->words[0], 42);
    assert_string_equal(event(2)->text, "some text");
    assert_string_equal(event(3)->text, "renamed");
    assert_int_equal(event(4)->words[0], 0x00ff00);
    assert_int_equal(ring.head.events, ring.n);
    assert_int_equal(ring.head.state, TT_RING_USED);

    struct seen_table t;
    assert_true(seen_table(&r, getpid(), &t));
    STR_IS(seen_location(&t, event(0)->words[0]), "outer");
    STR_IS(seen_location(&t, event(5)->words[0]), "one_zone");
    const struct tt_location *l = seen_place(&t, event(0)->words[0]);
    STR_IS(seen_string(&t, l->function), "one_zone");
    assert_int_equal(l->colour, 0x123456);
    assert_true(l->line > 0);
    assert_int_equal(t.head->pid, getpid());
    assert_int_equal(t.head->parent_pid, getppid());
    assert_true(t.head->birth > 0 && t.head->start_ns > 0);
    seen_table_free(&t);
    sample_record_end(&r);
}

TEST(record_writes_every_kind_of_event)
{
    struct sample_record r = sample_record(NULL);
    static struct ttprof_location place = {"lock", "f", "f.c", 7, 0, 0};
    int thing = 0;
    ttprof_message_as("careful", 7, TTPROF_WARNING, 0xff0000);
    ttprof_signpost("start", NULL);
    ttprof_signpost("step", "second");
    ttprof_op("{}", 2);
    ttprof_frame(NULL);
    ttprof_frame_start("upload");
    ttprof_frame_end("upload");
    ttprof_plot("load", 0.5);
    ttprof_plot_int("depth", -3);
    ttprof_alloc(&thing, 16, NULL);
    ttprof_alloc(&thing, 16, "L1");
    ttprof_free(&thing, "L1");
    uint32_t lock = ttprof_lock_make(&place);
    ttprof_lock_name(lock, "queue", 5);
    ttprof_lock_wait(lock, 0);
    ttprof_lock_obtain(lock, 1);
    ttprof_lock_release(lock, 1);
    ttprof_lock_mark(lock, &place);
    ttprof_fiber_enter("job");
    ttprof_fiber_leave();
    ttprof_thread_name("main thread");
    ttprof_app_info("build 7", 7);
    assert_true(seen_ring(&r, getpid(), 0, &ring));
    struct seen_table t;
    assert_true(seen_table(&r, getpid(), &t));

    assert_int_equal(event(0)->words[0] >> 32, (uint32_t)TTPROF_WARNING << 24 | 0xff0000);
    assert_string_equal(event(1)->text, "start");
    assert_string_equal(event(2)->text, "step\nsecond");
    assert_int_equal(event(3)->kind, TT_OP);
    assert_int_equal(event(4)->words[0], 0);
    STR_IS(seen_string(&t, event(5)->words[0]), "upload");
    assert_int_equal(event(6)->words[0], event(5)->words[0]);
    double load;
    memcpy(&load, &event(7)->words[1], sizeof load);
    REAL_IS(load, 0.5);
    assert_int_equal((int64_t)event(8)->words[1], -3);
    assert_int_equal(event(9)->words[0], (uintptr_t)&thing);
    assert_int_equal(event(9)->words[2], 0);
    STR_IS(seen_string(&t, event(10)->words[2]), "L1");
    STR_IS(seen_string(&t, event(11)->words[1]), "L1");
    assert_int_equal(event(12)->kind, TT_LOCK_WAIT);
    assert_int_equal(event(13)->kind, TT_LOCK_OBTAIN_SHARED);
    assert_int_equal(event(14)->kind, TT_LOCK_RELEASE_SHARED);
    STR_IS(seen_location(&t, event(15)->words[1]), "lock");
    STR_IS(seen_string(&t, event(16)->words[0]), "job");
    assert_int_equal(event(17)->kind, TT_FIBER_LEAVE);
    assert_int_equal(ring.n, 18);

    const uint32_t *name = seen_last(&t, TT_ENTRY_THREAD_NAME);
    STR_IS(seen_string(&t, name[1]), "main thread");
    const uint32_t *lock_name = seen_last(&t, TT_ENTRY_LOCK_NAME);
    STR_IS(seen_string(&t, lock_name[1]), "queue");
    const uint32_t *info = seen_last(&t, TT_ENTRY_APP_INFO);
    STR_IS(seen_string(&t, info[0]), "build 7");
    const uint32_t *fiber = seen_last(&t, TT_ENTRY_FIBER);
    STR_IS(seen_string(&t, fiber[0]), "job");
    seen_table_free(&t);
    sample_record_end(&r);
}

TEST(record_enters_fibers_by_number)
{
    struct sample_record r = sample_record(NULL);
    char name[] = "job 1";
    uint32_t first = ttprof_fiber_make(name, 5);
    name[4] = '2'; // it was copied
    uint32_t second = ttprof_fiber_make(name, 5);
    assert_int_not_equal(first, second);
    assert_int_equal(ttprof_fiber_make("job 1 and more", 5), first);
    ttprof_fiber_enter_at(first);
    ttprof_fiber_enter_at(second);
    ttprof_fiber_enter_at(0); // none
    ttprof_fiber_leave();
    assert_true(seen_ring(&r, getpid(), 0, &ring));
    struct seen_table t;
    assert_true(seen_table(&r, getpid(), &t));
    STR_IS(seen_string(&t, event(0)->words[0]), "job 1");
    STR_IS(seen_string(&t, event(1)->words[0]), "job 2");
    assert_int_equal(event(2)->kind, TT_FIBER_LEAVE);
    assert_int_equal(ring.n, 3);
    assert_int_equal(seen_entries(&t, TT_ENTRY_FIBER), 2);
    seen_table_free(&t);
    sample_record_end(&r);
}

TEST(record_keeps_long_texts_in_a_file_of_their_own)
{
    enum { LONG = 100000 };
    struct sample_record r = sample_record(NULL);
    char *text = malloc(LONG);
    assert_non_null(text);
    memset(text, 'x', LONG);
    ttprof_op(text, TT_TEXT_MOST);
    ttprof_op(text, LONG);
    ttprof_op(text, LONG);
    free(text);
    assert_true(seen_ring(&r, getpid(), 0, &ring));
    assert_int_equal(event(0)->bytes, TT_TEXT_MOST);
    assert_false((uint32_t)event(0)->words[0] & TT_TEXT_IN_BLOBS);
    assert_int_equal(event(1)->bytes, LONG);
    assert_true((uint32_t)event(1)->words[0] & TT_TEXT_IN_BLOBS);
    assert_int_equal(event(1)->words[1], 0);
    assert_int_equal(event(2)->words[1], LONG);
    assert_int_equal(seen_files(&r, ".blobs"), 1);
    sample_record_end(&r);
}

TEST(record_gives_equal_locations_one_number)
{
    struct sample_record r = sample_record(NULL);
    uint32_t a = ttprof_location_make("a.py", 4, "f", 1, "zone", 4, 3, 0);
    uint32_t b = ttprof_location_make("a.py", 4, "g", 1, "zone", 4, 3, 0);
    assert_true(a != 0 && b != 0 && a != b);
    char name[] = "zone";
    assert_int_equal(ttprof_location_make("a.py", 4, "f", 1, name, 4, 3, 0), a);
    ttprof_zone_end(ttprof_zone_begin_at(a));
    assert_true(seen_ring(&r, getpid(), 0, &ring));
    assert_int_equal(event(0)->words[0], a);
    sample_record_end(&r);
}

// A buffer that holds another name each time is no literal, and is recorded as it is.
TEST(record_reads_the_name_at_an_address_that_has_another_text_now)
{
    struct sample_record r = sample_record(NULL);
    char name[] = "one";
    ttprof_frame(name);
    memcpy(name, "two", 3);
    ttprof_frame(name);
    memcpy(name, "one", 3);
    ttprof_frame(name);
    assert_true(seen_ring(&r, getpid(), 0, &ring));
    struct seen_table t;
    assert_true(seen_table(&r, getpid(), &t));
    STR_IS(seen_string(&t, event(0)->words[0]), "one");
    STR_IS(seen_string(&t, event(1)->words[0]), "two");
    assert_int_equal(event(2)->words[0], event(0)->words[0]);
    seen_table_free(&t);
    sample_record_end(&r);
}

TEST(record_table_grows_and_keeps_its_numbers)
{
    enum { NAMES = 5000 }; // more than the table has room for at first
    struct sample_record r = sample_record(NULL);
    char name[32];
    uint32_t first = 0, last = 0;
    for (int i = 0; i < NAMES; i++) {
        int n = snprintf(name, sizeof name, "name number %d", i);
        last = ttprof_location_make("a.py", 4, "f", 1, name, (size_t)n, 1, 0);
        first = first ? first : last;
        assert_int_not_equal(last, 0);
    }
    assert_int_equal(ttprof_location_make("a.py", 4, "f", 1, "name number 0", 13, 1, 0),
                     first);
    struct seen_table t;
    assert_true(seen_table(&r, getpid(), &t));
    STR_IS(seen_location(&t, last), "name number 4999");
    assert_int_equal(t.head->refused, 0);
    seen_table_free(&t);
    sample_record_end(&r);
}

TEST(record_does_nothing_where_nothing_is_recorded)
{
    assert_false(ttprof_is_recording());
    assert_false(ttprof_is_on());
    one_zone();
    ttprof_zone zone =
        ttprof_zone_begin(&(struct ttprof_location){"x", "f", "f.c", 1, 0, 0});
    assert_int_equal(zone.is_open, 0);
    ttprof_zone_end(zone);
    ttprof_message_put("x", 1, 0, 0);
    ttprof_signpost("x", "y");
    ttprof_frame("x");
    ttprof_thread_name("x");
    assert_int_equal(ttprof_lock_make(&(struct ttprof_location){0}), 0);
    ttprof_flush();
    ttprof_stop();
}

TEST(record_seals_its_files_when_it_stops)
{
    struct sample_record r = sample_record(NULL);
    one_zone();
    assert_int_equal(seen_files(&r, ".ring"), 1);
    ttprof_stop();
    assert_int_equal(seen_files(&r, ".ring"), 0);
    assert_int_equal(seen_files(&r, ".stream"), 1);
    struct seen_table t;
    assert_true(seen_table(&r, getpid(), &t));
    assert_int_equal(t.head->is_over, 1);
    assert_true(t.head->end_ns >= t.head->start_ns);
    assert_int_equal(t.n, t.head->used);
    const struct tt_thread_end *end = seen_entry(&t, TT_ENTRY_THREAD_END, 0);
    assert_non_null(end);
    assert_int_equal(end->events, 8);
    seen_table_free(&t);
    sample_record_remove(&r);
}

TEST(record_starts_again_and_numbers_stay_what_they_are)
{
    struct sample_record r = sample_record(NULL);
    one_zone();
    TTPROF_BEGIN(across, "across");
    assert_true(seen_ring(&r, getpid(), 0, &ring));
    uint64_t outer = event(0)->words[0];
    assert_int_equal(ttprof_start(r.folder), -EBUSY);
    sample_record_end(&r);

    r = sample_record(NULL);
    TTPROF_END(across); // began in the other recording
    one_zone();
    assert_true(seen_ring(&r, getpid(), 0, &ring));
    assert_int_equal(ring.n, 8);
    assert_int_equal(event(0)->words[0], outer);
    struct seen_table t;
    assert_true(seen_table(&r, getpid(), &t));
    STR_IS(seen_location(&t, outer), "outer");
    seen_table_free(&t);
    sample_record_end(&r);
}
