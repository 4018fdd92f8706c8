// test_host_run.c - run folders, written by hand, as the reader sees them.
#include <stdio.h>
#include <unistd.h>

#include "base/file/folder.h"

#include "../support/walk_track.h"
#include "formats/host_run/host_run.h"
#include "formats/host_run/host_settle.h"
#include "host_run_scene.h"
#include "record/format/block.h"
#include "test.h"
#include "trace/diags.h"

// --- zones -----------------------------------------------------------------------------

TEST(host_run_pairs_the_zones_of_a_ring)
{
    struct scene c;
    scene_start(&c);
    sample_begin(&c.w, 1100, c.outer);
    sample_begin(&c.w, 1200, c.inner);
    sample_end(&c.w, 1250);
    sample_begin(&c.w, 1300, c.inner);
    sample_end(&c.w, 1400);
    sample_end(&c.w, 1500);
    sample_ring(c.p, 1, &c.w);
    scene_open(&c);
    assert_int_equal(c.r.tracks.n, 1);
    STR_IS(zones_of(&c.r, 0), ".inner 200-250\n.inner 300-400\nouter 100-500(150)\n");
    assert_int_equal(c.r.tracks.v[0].n_events, 6);
    assert_int_equal(c.r.tracks.v[0].start_ns, 100);
    assert_int_equal(c.r.tracks.v[0].end_ns, 500);
    assert_int_equal(c.r.origin_ns, 1000);
    assert_int_equal(diag_total(trace_findings(&c.r)), 0);
    scene_end(&c);
}

TEST(host_run_keeps_what_belongs_to_the_innermost_zone)
{
    struct scene c;
    scene_start(&c);
    sample_begin(&c.w, 1100, c.outer);
    sample_text(&c.w, TT_ZONE_TEXT, 1101, 0, "one");
    sample_begin(&c.w, 1200, c.inner);
    sample_text(&c.w, TT_ZONE_NAME, 1201, 0, "renamed inner zone");
    sample_event(&c.w, TT_ZONE_VALUE, 1202, 1, UINT64_C(42));
    sample_end(&c.w, 1250);
    sample_text(&c.w, TT_ZONE_TEXT, 1260, 0, "two");
    sample_end(&c.w, 1500);
    sample_begin(&c.w, 1600, c.inner);
    sample_end(&c.w, 1700);
    sample_begin(&c.w, 1800, c.outer);
    sample_begin(&c.w, 1810, c.inner);
    sample_text(&c.w, TT_ZONE_TEXT, 1815, 0, "only this");
    sample_end(&c.w, 1820);
    sample_end(&c.w, 1900);
    sample_ring(c.p, 1, &c.w);
    scene_open(&c);
    STR_IS(zones_of(&c.r, 0),
           ".inner 200-250 renamed inner zone/ =42\nouter 100-500(50) /one\ntwo\n"
           "inner 600-700\n.inner 810-820 /only this\nouter 800-900(10)\n");
    scene_end(&c);
}

TEST(host_run_closes_open_zones_where_the_process_was_last_alive)
{
    struct scene c;
    scene_start(&c);
    sample_begin(&c.w, 1100, c.outer);
    sample_begin(&c.w, 1200, c.inner);
    sample_ring(c.p, 1, &c.w);
    sample_thread(c.p, 2, 102, "worker");
    struct sample_words other = {0};
    sample_begin(&other, 1300, c.inner);
    sample_end(&other, 1800);
    sample_ring(c.p, 2, &other);
    scene_open(&c);
    // Nobody saw the process end: another thread was the last to do something.
    STR_IS(zones_of(&c.r, 0), ".inner 200-800*\nouter 100-800(600)*\n");
    STR_IS(zones_of(&c.r, 1), "inner 300-800\n");
    STR_IS(string_of(&c.r, c.r.tracks.v[1].name), "worker");
    assert_int_equal(found(&c.r, DIAG_HOST_OPEN), 2);
    sample_words_free(&other);
    scene_end(&c);
}

TEST(host_run_closes_open_zones_at_the_end_that_the_log_tells)
{
    struct scene c;
    scene_start(&c);
    sample_begin(&c.w, 1100, c.outer);
    sample_ring(c.p, 1, &c.w);
    sample_log(&c.s, "start\t900\t100\t7100\t1\t/bin/app\tapp");
    sample_log(&c.s, "ended\t2900\t100\t7100\t9\t1");
    scene_open(&c);
    assert_int_equal(c.r.origin_ns, 900);
    STR_IS(zones_of(&c.r, 0), "outer 200-2000*\n");
    assert_int_equal(c.r.processes.v[0].log, 0);
    assert_false(c.r.processes.v[0].has_ended);
    scene_end(&c);
}

TEST(host_run_counts_ends_that_no_zone_belongs_to)
{
    struct scene c;
    scene_start(&c);
    sample_end(&c.w, 1050);
    sample_begin(&c.w, 1100, c.outer);
    sample_end(&c.w, 1200);
    sample_end(&c.w, 1300);
    sample_ring(c.p, 1, &c.w);
    scene_open(&c);
    STR_IS(zones_of(&c.r, 0), "outer 100-200\n");
    assert_int_equal(found(&c.r, DIAG_HOST_END_ALONE), 2);
    (void)zones_of(&c.r, 0); // walked twice, counted once
    assert_int_equal(found(&c.r, DIAG_HOST_END_ALONE), 2);
    scene_end(&c);
}

TEST(host_run_leaves_out_zones_that_are_nested_without_end)
{
    struct scene c;
    scene_start(&c);
    for (uint64_t i = 0; i < 70000; i++)
        sample_begin(&c.w, 1100 + i, c.inner);
    sample_text(&c.w, TT_ZONE_TEXT, 79000, 0, "of the innermost"); // which is left out
    for (uint64_t i = 0; i < 70000; i++)
        sample_end(&c.w, 80000 + i);
    sample_block(c.p, 1, 0, &c.w);
    scene_open(&c);
    str zones = zones_of(&c.r, 0);
    size_t n = 0;
    for (size_t i = 0; i < zones.n; i++)
        n += zones.p[i] == '\n';
    assert_int_equal(n, 65536);
    assert_false(str_has(zones, S("of the innermost")));
    assert_int_equal(found(&c.r, DIAG_HOST_TOO_DEEP), 70000 - 65536);
    assert_int_equal(found(&c.r, DIAG_HOST_END_ALONE), 0);
    assert_int_equal(found(&c.r, DIAG_HOST_OPEN), 0);
    scene_end(&c);
}

// --- events ----------------------------------------------------------------------------

TEST(host_run_tells_events_with_numbers_of_the_run)
{
    struct scene c;
    scene_start(&c);
    uint64_t frame = sample_string(c.p, "frame");
    sample_text(&c.w, TT_MESSAGE, 1100, 0x2000000, "hello");
    sample_event(&c.w, TT_FRAME_MARK, 1200, 1, frame);
    sample_event(&c.w, TT_PLOT_INT, 1300, 2, frame, UINT64_C(7));
    sample_event(&c.w, TT_ALLOC, 1400, 3, UINT64_C(4096), UINT64_C(64), frame);
    sample_event(&c.w, TT_LOCK_MARK, 1500, 2, UINT64_C(3), (uint64_t)c.inner);
    sample_event(&c.w, TT_NOTHING, 1500, 0);
    sample_text(&c.w, TT_SIGNPOST, 1600, 0, "start\nnow");
    sample_ring(c.p, 1, &c.w);
    scene_open(&c);
    struct buf want = {0};
    unsigned name = map_get(&c.r.strings, S("frame"));
    buf_printf(&want,
               "%d@100 0 0 0 hello\n%d@200 %u 0 0 \n%d@300 %u 7 0 \n%d@400 4096 64 %u \n"
               "%d@500 3 %u 0 \n%d@600 0 0 0 start\nnow\n",
               TT_MESSAGE, TT_FRAME_MARK, name, TT_PLOT_INT, name, TT_ALLOC, name,
               TT_LOCK_MARK, c.inner, TT_SIGNPOST);
    test_str_is(events_of(&c.r, 0), buf_view(&want), __FILE__, __LINE__);
    buf_free(&want);
    scene_end(&c);
}

TEST(host_run_finds_long_texts_in_the_blobs)
{
    struct scene c;
    scene_start(&c);
    buf_z(&c.p->blobs, "....long text");
    sample_event(&c.w, TT_OP, 1100, 2, (uint64_t)TT_TEXT_IN_BLOBS | 9, UINT64_C(4));
    sample_event(&c.w, TT_OP, 1200, 2, (uint64_t)TT_TEXT_IN_BLOBS | 900, UINT64_C(4));
    sample_event(&c.w, TT_OP, 1300, 2, (uint64_t)TT_TEXT_IN_BLOBS | 9, UINT64_MAX);
    sample_ring(c.p, 1, &c.w);
    scene_open(&c);
    struct buf want = {0};
    buf_printf(&want, "%d@100 0 0 0 long text\n%d@200 0 0 0 \n%d@300 0 0 0 \n", TT_OP,
               TT_OP, TT_OP);
    test_str_is(events_of(&c.r, 0), buf_view(&want), __FILE__, __LINE__);
    buf_free(&want);
    scene_end(&c);
}

// --- rings and streams -----------------------------------------------------------------

TEST(host_run_takes_each_word_once_from_the_stream_or_the_ring)
{
    struct scene c;
    scene_start(&c);
    struct sample_words old = {0};
    sample_begin(&old, 1100, c.outer);
    sample_begin(&old, 1200, c.inner);
    sample_end(&old, 1250);
    sample_block(c.p, 1, 0, &old);
    // The drainer was killed between writing the block and moving the tail.
    sample_begin(&c.w, 1100, c.outer);
    sample_begin(&c.w, 1200, c.inner);
    sample_end(&c.w, 1250);
    sample_end(&c.w, 1500);
    sample_ring(c.p, 1, &c.w);
    scene_open(&c);
    STR_IS(zones_of(&c.r, 0), ".inner 200-250\nouter 100-500(50)\n");
    assert_int_equal(c.r.tracks.v[0].n_events, 4);
    assert_int_equal(diag_total(trace_findings(&c.r)), 0);
    sample_words_free(&old);
    scene_end(&c);
}

TEST(host_run_reads_a_ring_around_its_end)
{
    struct scene c;
    scene_start(&c);
    for (uint64_t i = 0; i < 4; i++) {
        sample_begin(&c.w, 1100 + 100 * i, c.inner);
        sample_end(&c.w, 1150 + 100 * i);
    }
    struct tt_ring head = sample_ring_head(1);
    head.head = 3 * SAMPLE_CAPACITY + 5;
    head.tail = head.first = head.head - c.w.v.n;
    sample_ring_as(c.p, &head, &c.w);
    scene_open(&c);
    STR_IS(zones_of(&c.r, 0),
           "inner 100-150\ninner 200-250\ninner 300-350\ninner 400-450\n");
    scene_end(&c);
}

TEST(host_run_knows_a_ring_that_another_thread_had_before)
{
    struct scene c;
    scene_start(&c);
    sample_thread(c.p, 2, 102, NULL);
    struct sample_words old = {0};
    sample_begin(&old, 1100, c.outer);
    sample_end(&old, 1200);
    sample_block(c.p, 1, 0, &old);
    sample_begin(&c.w, 1300, c.inner);
    sample_end(&c.w, 1400);
    struct tt_ring head = sample_ring_head(2);
    head.first = head.tail = old.v.n;
    head.head = head.first + c.w.v.n;
    sample_ring_as(c.p, &head, &c.w);
    scene_open(&c);
    STR_IS(zones_of(&c.r, 0), "outer 100-200\n");
    STR_IS(zones_of(&c.r, 1), "inner 300-400\n");
    assert_int_equal(diag_total(trace_findings(&c.r)), 0);
    sample_words_free(&old);
    scene_end(&c);
}

TEST(host_run_starts_an_overwritten_ring_at_a_whole_event)
{
    struct scene c;
    scene_start(&c);
    // 3 words a zone; the ring has gone around, and what is at its tail is half gone.
    struct tt_ring head = sample_ring_head(1);
    head.policy = TT_DROP_OLDEST;
    uint64_t each = head.capacity / TT_RING_SEGMENTS, position = 0, segment = UINT64_MAX;
    struct sample_words all = {0};
    for (uint64_t i = 0; i < 1000; i++) {
        if (position / each != segment) {
            segment = position / each;
            head.segments[segment % TT_RING_SEGMENTS].position = position;
            head.segments[segment % TT_RING_SEGMENTS].events = head.events;
        }
        sample_begin(&all, 2000 + 10 * i, c.inner);
        sample_end(&all, 2005 + 10 * i);
        position += 3;
        head.events += 2;
    }
    head.head = position;
    for (uint64_t i = position - head.capacity; i < position; i++)
        vec_push(&c.w.v, all.v.v[i]);
    memset(c.w.v.v, 0xFF, TT_EVENT_WORDS_MOST * sizeof *c.w.v.v); // the next one, half done
    sample_ring_as(c.p, &head, &c.w);
    scene_open(&c);
    uint64_t kept = c.r.tracks.v[0].n_events;
    assert_int_equal(kept % 2, 0);
    assert_int_equal(kept + c.r.tracks.v[0].lost[TT_LOSS_OLDEST], 2000);
    assert_in_range(kept, 2, 2000); // no more than fits
    assert_true(kept * 3 / 2 + TT_TEXT_MOST / 8 + 2 * each >= head.capacity - 8);
    str text = zones_of(&c.r, 0);
    assert_true(str_ends(text, S("inner 10990-10995\n")));
    assert_int_equal(diag_total(trace_findings(&c.r)), 0);
    sample_words_free(&all);
    scene_end(&c);
}

TEST(host_run_tells_what_a_flight_recorder_overwrote_before_its_regular_end)
{
    struct scene c;
    scene_start(&c);
    c.s.control.policy = TT_DROP_OLDEST;
    sample_end(&c.w, 1050);
    sample_begin(&c.w, 1100, c.inner);
    sample_end(&c.w, 1200);
    sample_block(c.p, 1, 5000, &c.w);
    struct tt_thread_end end = {
        .thread = 1, .end_ns = 1300, .events = 2003, .lost = {[TT_LOSS_OLDEST] = 2000}};
    sample_entry(c.p, TT_ENTRY_THREAD_END, &end, sizeof end);
    scene_open(&c);
    STR_IS(zones_of(&c.r, 0), "inner 100-200\n");
    assert_int_equal(c.r.tracks.v[0].lost[TT_LOSS_OLDEST], 2000);
    assert_int_equal(diag_total(trace_findings(&c.r)), 0);
    scene_end(&c);
}

// Its blocks tell all losses in one number, and the ring those that are none of the oldest.
TEST(host_run_tells_what_a_flight_recorder_overwrote_while_its_ring_is_there)
{
    struct scene c;
    scene_start(&c);
    sample_begin(&c.w, 1100, c.inner);
    sample_end(&c.w, 1200);
    sample_block(c.p, 1, 5000, &c.w);
    struct tt_block *b = (void *)(c.p->stream.p + sizeof(struct tt_stream));
    b->lost = 2004;
    b->sum = block_sum(b, b + 1);
    struct tt_ring head = sample_ring_head(1);
    head.policy = TT_DROP_OLDEST;
    head.first = head.tail = head.head = 5000 + c.w.v.n;
    head.lost[TT_LOSS_HANDLER] = 4;
    sample_ring_as(c.p, &head, &(struct sample_words){0});
    scene_open(&c);
    STR_IS(zones_of(&c.r, 0), "inner 100-200\n");
    assert_int_equal(c.r.tracks.v[0].lost[TT_LOSS_OLDEST], 2000);
    assert_int_equal(c.r.tracks.v[0].lost[TT_LOSS_HANDLER], 4);
    assert_int_equal(diag_total(trace_findings(&c.r)), 4);
    scene_end(&c);
}

TEST(host_run_closes_open_zones_where_their_thread_ended)
{
    struct scene c;
    scene_start(&c);
    c.p->head.end_ns = 9000;
    sample_begin(&c.w, 1100, c.inner);
    sample_block(c.p, 1, 0, &c.w);
    struct tt_thread_end end = {.thread = 1, .end_ns = 1300, .events = 1, .lost = {3}};
    sample_entry(c.p, TT_ENTRY_THREAD_END, &end, sizeof end);
    scene_open(&c);
    STR_IS(zones_of(&c.r, 0), "inner 100-300*\n");
    assert_int_equal(c.r.end_ns, 8000);
    assert_int_equal(found(&c.r, DIAG_HOST_LOST), 3);
    scene_end(&c);
}

// The end of a thread is told by another clock than that of its events.
TEST(host_run_closes_open_zones_no_earlier_than_the_last_event)
{
    struct scene c;
    scene_start(&c);
    sample_begin(&c.w, 1250, c.inner);
    sample_text(&c.w, TT_MESSAGE, 1400, 0, "later");
    sample_block(c.p, 1, 0, &c.w);
    struct tt_thread_end end = {.thread = 1, .end_ns = 1300, .events = 2};
    sample_entry(c.p, TT_ENTRY_THREAD_END, &end, sizeof end);
    scene_open(&c);
    STR_IS(zones_of(&c.r, 0), "inner 250-400*\n");
    scene_end(&c);
}

// Blocks in the middle are not decoded when a run is opened; the last one that has events
// is, even if a clock change follows it.
TEST(host_run_knows_the_last_event_before_a_block_that_only_sets_the_clock)
{
    struct scene c;
    scene_start(&c);
    uint64_t from = 0;
    for (uint64_t i = 0; i < 3; i++) {
        struct sample_words w = {0};
        sample_begin(&w, 1100 + 100 * i, c.inner);
        sample_end(&w, 1150 + 100 * i);
        sample_block(c.p, 1, from, &w);
        from += w.v.n;
        sample_words_free(&w);
    }
    sample_event(&c.w, TT_CLOCK, 9000, 1, UINT64_C(1));
    sample_block(c.p, 1, from, &c.w);
    scene_open(&c);
    assert_int_equal(c.r.tracks.v[0].start_ns, 100);
    assert_int_equal(c.r.tracks.v[0].end_ns, 350);
    assert_int_equal(c.r.tracks.v[0].n_events, 7);
    scene_end(&c);
}

TEST(host_run_closes_zones_where_events_are_missing)
{
    struct scene c;
    scene_start(&c);
    struct sample_words old = {0};
    sample_begin(&old, 1100, c.outer);
    sample_begin(&old, 1200, c.inner);
    sample_block(c.p, 1, 0, &old);
    sample_end(&c.w, 1500);
    sample_begin(&c.w, 1600, c.inner);
    sample_end(&c.w, 1700);
    sample_block(c.p, 1, 40, &c.w);
    scene_open(&c);
    STR_IS(zones_of(&c.r, 0), ".inner 200-200*\nouter 100-200*\ninner 600-700\n");
    assert_int_equal(found(&c.r, DIAG_HOST_GAP), 1);
    assert_int_equal(found(&c.r, DIAG_HOST_OPEN), 2);
    assert_int_equal(found(&c.r, DIAG_HOST_END_ALONE), 1);
    sample_words_free(&old);
    scene_end(&c);
}

TEST(host_run_goes_on_behind_a_damaged_block)
{
    struct scene c;
    scene_start(&c);
    for (uint64_t i = 0; i < 3; i++) {
        c.w.v.n = 0;
        sample_begin(&c.w, 1100 + 100 * i, c.inner);
        sample_end(&c.w, 1150 + 100 * i);
        size_t before = c.p->stream.n;
        sample_block(c.p, 1, 3 * i, &c.w);
        if (i == 1)
            c.p->stream.p[before + sizeof(struct tt_block) + 3] ^= 0x20;
    }
    scene_open(&c);
    STR_IS(zones_of(&c.r, 0), "inner 100-150\ninner 300-350\n");
    assert_int_equal(found(&c.r, DIAG_HOST_BLOCK_DAMAGED), 1);
    scene_end(&c);
}

TEST(host_run_needs_no_whole_last_block)
{
    struct scene c;
    scene_start(&c);
    sample_begin(&c.w, 1100, c.inner);
    sample_end(&c.w, 1200);
    sample_block(c.p, 1, 0, &c.w);
    sample_ring(c.p, 1, &c.w); // not given back yet: the block is being written
    c.p->stream.n -= 5;
    scene_open(&c);
    STR_IS(zones_of(&c.r, 0), "inner 100-200\n");
    assert_int_equal(diag_total(trace_findings(&c.r)), 0);
    scene_end(&c);
}

TEST(host_run_tells_what_was_lost)
{
    struct scene c;
    scene_start(&c);
    sample_begin(&c.w, 1100, c.inner);
    sample_event(&c.w, TT_LOST, 1150, 1, UINT64_C(5));
    sample_end(&c.w, 1200);
    struct tt_ring head = sample_ring_head(1);
    head.head = c.w.v.n;
    head.lost[TT_LOSS_FULL] = 5;
    head.lost[TT_LOSS_HANDLER] = 2;
    sample_ring_as(c.p, &head, &c.w);
    scene_open(&c);
    assert_int_equal(c.r.tracks.v[0].lost[TT_LOSS_FULL], 5);
    assert_int_equal(found(&c.r, DIAG_HOST_LOST), 7);
    STR_IS(zones_of(&c.r, 0), "inner 100-200\n");
    scene_end(&c);
}

// A process that was killed: a block in the stream, half of the next one, and a
// ring with what follows, first on its own clock, in steps of 16 ticks, then on that of the
// program, where each ns counts.
TEST(host_settle_changes_nothing_for_the_reader)
{
    struct scene c;
    struct sample_words old = {0};
    struct err e = {0};
    scene_start(&c);
    sample_clock(c.p, 2, TT_CLOCK_PROGRAM);
    sample_pair(c.p, 2, 50, 3000);
    sample_begin(&old, 1104, c.outer);
    sample_block(c.p, 1, 0, &old);
    ((struct tt_stream *)(void *)c.p->stream.p)->shift = 4;
    buf_str(&c.p->stream, (str){c.p->stream.p + sizeof(struct tt_stream), 20});
    sample_begin(&c.w, 1216, c.inner);
    sample_end(&c.w, 1232);
    sample_event(&c.w, TT_CLOCK, 50, 1, UINT64_C(2));
    sample_begin(&c.w, 61, c.inner);
    sample_end(&c.w, 77);
    sample_end(&c.w, 101);
    struct tt_ring head = sample_ring_head(1);
    head.tail = old.v.n;
    head.head = old.v.n + c.w.v.n;
    head.lost[TT_LOSS_FULL] = 3;
    head.lost[TT_LOSS_HANDLER] = 2;
    sample_ring_as(c.p, &head, &c.w);
    struct sample_words other = {0}; // of a thread that has been on that clock for long
    sample_thread(c.p, 2, 102, NULL);
    sample_begin(&other, 161, c.inner);
    sample_end(&other, 177);
    head = sample_ring_head(2);
    head.clock = 2;
    head.head = other.v.n;
    sample_ring_as(c.p, &head, &other);
    scene_open(&c);
    static const char zones[] = ".inner 216-232\n.inner 2011-2027\nouter 104-2051(32)\n";
    STR_IS(zones_of(&c.r, 0), zones);
    trace_free(&c.r);

    const char *host = arena_printf(&c.s.arena, "%s/host", c.s.path).p;
    const char *ring = arena_printf(&c.s.arena, "%s/100-0.0.ring", host).p;
    struct host_left left = {.process = c.p->prefix};
    vec_push(&left.rings, (char *)"100-0.0.ring");
    vec_push(&left.rings, (char *)"100-0.1.ring");
    assert_int_equal(access(ring, F_OK), 0);
    if (!host_settle(host, &left, &e))
        fail_msg("%s", e.text);
    assert_int_not_equal(access(ring, F_OK), 0);
    vec_free(&left.rings);
    assert_true(host_run_open(&c.r, c.s.path, &e));
    STR_IS(zones_of(&c.r, 0), zones);
    STR_IS(zones_of(&c.r, 1), "inner 2111-2127\n");
    assert_int_equal(c.r.tracks.v[0].lost[TT_LOSS_FULL], 3);
    assert_int_equal(c.r.tracks.v[0].lost[TT_LOSS_HANDLER], 2);
    assert_int_equal(found(&c.r, DIAG_HOST_LOST), 5);
    assert_int_equal(diag_total(trace_findings(&c.r)), 5);
    sample_words_free(&other);
    sample_words_free(&old);
    scene_end(&c);
}

// Blocks of a ring are packed one after another: those after a change of clock, too, are on
// the clock of their events.
TEST(host_settle_packs_a_long_ring_on_the_clock_of_its_events)
{
    enum { ZONES = 1 << 16 };
    struct scene c;
    struct sample_words old = {0};
    struct err e = {0};
    scene_start(&c);
    sample_clock(c.p, 2, TT_CLOCK_PROGRAM);
    sample_pair(c.p, 2, 50, 3000);
    sample_begin(&old, 1104, c.outer);
    sample_block(c.p, 1, 0, &old);
    ((struct tt_stream *)(void *)c.p->stream.p)->shift = 4;
    sample_event(&c.w, TT_CLOCK, 50, 1, UINT64_C(2));
    for (uint64_t i = 0; i < ZONES; i++) {
        sample_begin(&c.w, 61 + 10 * i, c.inner);
        sample_end(&c.w, 63 + 10 * i);
    }
    struct tt_ring head = sample_ring_head(1);
    head.capacity = 1 << 18;
    head.tail = old.v.n;
    head.head = old.v.n + c.w.v.n;
    assert_true(c.w.v.n > 2 * BLOCK_WORDS);
    sample_ring_as(c.p, &head, &c.w);
    scene_open(&c);
    str zones = zones_of(&c.r, 0);
    assert_true(str_starts(zones, S(".inner 2011-2013\n.inner 2021-2023\n")));
    assert_true(str_has(zones, S(".inner 657361-657363\nouter 104-")));
    char *before = memcpy(push_many(&c.s.arena, char, zones.n), zones.p, zones.n);
    size_t n = zones.n;
    trace_free(&c.r);

    struct host_left left = {.process = c.p->prefix};
    vec_push(&left.rings, (char *)"100-0.0.ring");
    if (!host_settle(arena_printf(&c.s.arena, "%s/host", c.s.path).p, &left, &e))
        fail_msg("%s", e.text);
    vec_free(&left.rings);
    assert_true(host_run_open(&c.r, c.s.path, &e));
    zones = zones_of(&c.r, 0);
    assert_true(str_eq(zones, (str){before, n}));
    sample_words_free(&old);
    scene_end(&c);
}

// --- fibers ----------------------------------------------------------------------------

TEST(host_run_follows_a_fiber_from_thread_to_thread)
{
    struct scene c;
    scene_start(&c);
    uint64_t fiber = sample_string(c.p, "fiber");
    sample_entry_pair(c.p, TT_ENTRY_FIBER, (uint32_t)fiber, 0);
    sample_thread(c.p, 2, 102, NULL);
    sample_begin(&c.w, 1100, c.outer);
    sample_event(&c.w, TT_FIBER_ENTER, 1200, 1, fiber);
    sample_begin(&c.w, 1210, c.inner);
    sample_event(&c.w, TT_FIBER_LEAVE, 1300, 0);
    sample_end(&c.w, 1400);
    sample_ring(c.p, 1, &c.w);
    struct sample_words other = {0};
    sample_event(&other, TT_FIBER_ENTER, 1500, 1, fiber);
    sample_end(&other, 1600);
    sample_event(&other, TT_FIBER_LEAVE, 1700, 0);
    sample_begin(&other, 1800, c.inner);
    sample_end(&other, 1900);
    sample_ring(c.p, 2, &other);
    scene_open(&c);
    assert_int_equal(c.r.tracks.n, 3);
    assert_int_equal(c.r.tracks.v[2].kind, TRACK_FIBER);
    STR_IS(string_of(&c.r, c.r.tracks.v[2].name), "fiber");
    STR_IS(zones_of(&c.r, 0), "outer 100-400\n");
    STR_IS(zones_of(&c.r, 1), "inner 800-900\n");
    STR_IS(zones_of(&c.r, 2), "inner 210-600\n");
    assert_int_equal(c.r.tracks.v[2].n_events, 2);
    assert_int_equal(c.r.tracks.v[2].start_ns, 210);
    assert_int_equal(diag_total(trace_findings(&c.r)), 0);
    sample_words_free(&other);
    scene_end(&c);
}

// The leave may be among the missing events. What is open on the thread is closed once,
// where they are missing, and not again at each return to the thread.
TEST(host_run_leaves_a_fiber_where_events_are_missing)
{
    struct scene c;
    scene_start(&c);
    struct sample_words old = {0};
    uint64_t fiber = sample_string(c.p, "fiber");
    sample_entry_pair(c.p, TT_ENTRY_FIBER, (uint32_t)fiber, 0);
    sample_event(&old, TT_FIBER_ENTER, 1100, 1, fiber);
    sample_begin(&old, 1110, c.inner);
    sample_end(&old, 1120);
    sample_block(c.p, 1, 0, &old);
    sample_begin(&c.w, 1500, c.outer);
    sample_event(&c.w, TT_FIBER_ENTER, 1600, 1, fiber);
    sample_begin(&c.w, 1610, c.inner);
    sample_end(&c.w, 1650);
    sample_event(&c.w, TT_FIBER_LEAVE, 1700, 0);
    sample_end(&c.w, 1800);
    sample_block(c.p, 1, 40, &c.w);
    scene_open(&c);
    STR_IS(zones_of(&c.r, 0), "outer 500-800\n");
    STR_IS(zones_of(&c.r, 1), "inner 110-120\ninner 610-650\n");
    assert_int_equal(found(&c.r, DIAG_HOST_GAP), 1);
    assert_int_equal(found(&c.r, DIAG_HOST_OPEN), 0);
    sample_words_free(&old);
    scene_end(&c);
}

// --- clocks ----------------------------------------------------------------------------

TEST(host_run_converts_ticks_piece_by_piece)
{
    struct scene c;
    scene_start(&c);
    sample_clock(c.p, 2, TT_CLOCK_TSC);
    sample_pair(c.p, 2, 1000000, 5000);
    sample_pair(c.p, 2, 1003000, 6000); // 3 ticks a ns
    sample_pair(c.p, 2, 1005000, 7000); // 2
    struct tt_ring head = sample_ring_head(1);
    head.clock = 2;
    const uint64_t ticks[] = {999700, 1000000, 1001500, 1004000, 1005000, 1010000};
    for (size_t i = 0; i < 6; i += 2) {
        sample_begin(&c.w, ticks[i], c.inner);
        sample_end(&c.w, ticks[i + 1]);
    }
    head.head = c.w.v.n;
    sample_ring_as(c.p, &head, &c.w);
    scene_open(&c);
    // Behind the last pair the mean rate goes on: 2.5 ticks a ns.
    STR_IS(zones_of(&c.r, 0), "inner 3900-4000\ninner 4500-5500\ninner 6000-8000\n");
    assert_true(c.r.processes.v[0].clock_error_ns == 25);
    scene_end(&c);
}

TEST(host_run_takes_the_rate_of_the_control_page_where_there_is_one_pair)
{
    struct scene c;
    scene_start(&c);
    c.s.control.ticks_per_ns = 4;
    sample_clock(c.p, 2, TT_CLOCK_TSC);
    sample_pair(c.p, 2, (UINT64_C(1) << 57) - 400, 5000);
    struct tt_ring head = sample_ring_head(1);
    head.clock = 2;
    sample_begin(&c.w, (UINT64_C(1) << 57) - 200, c.inner); // 56 bits are kept of these
    sample_end(&c.w, (UINT64_C(1) << 57) + 400);
    head.head = c.w.v.n;
    sample_ring_as(c.p, &head, &c.w);
    scene_open(&c);
    STR_IS(zones_of(&c.r, 0), "inner 4050-4200\n");
    scene_end(&c);
}

TEST(host_run_puts_a_program_s_clock_on_the_axis_where_it_was_taken)
{
    struct scene c;
    scene_start(&c);
    sample_clock(c.p, 2, TT_CLOCK_PROGRAM);
    sample_pair(c.p, 2, 50, 3000);
    sample_pair(c.p, 2, 90, 900000); // it has its own speed: only the first counts
    sample_begin(&c.w, 1100, c.outer);
    sample_event(&c.w, TT_CLOCK, 50, 1, UINT64_C(2));
    sample_begin(&c.w, 60, c.inner);
    sample_end(&c.w, 70);
    sample_end(&c.w, 100);
    sample_ring(c.p, 1, &c.w);
    scene_open(&c);
    STR_IS(zones_of(&c.r, 0), ".inner 2010-2020\nouter 100-2050(10)\n");
    int64_t ns;
    assert_true(trace_program_time(&c.r, 0, 150, &ns));
    assert_int_equal(ns, 2100);
    assert_true(trace_program_time(&c.r, 0, 0, &ns));
    assert_int_equal(ns, 1950);
    scene_end(&c);
}

TEST(host_run_tells_the_worst_reading_of_a_clock)
{
    struct scene c;
    scene_start(&c);
    for (uint32_t i = 0; i < 3; i++) {
        static const uint32_t spreads[] = {40, 60, 30};
        struct tt_clock_pair pair = {SAMPLE_CLOCK, spreads[i], 5000 + 1000 * (uint64_t)i,
                                     5000 + 1000 * (uint64_t)i};
        sample_entry(c.p, TT_ENTRY_CLOCK_PAIR, &pair, sizeof pair);
    }
    sample_begin(&c.w, 1100, c.inner);
    sample_end(&c.w, 1200);
    sample_ring(c.p, 1, &c.w);
    scene_open(&c);
    assert_true(c.r.processes.v[0].clock_error_ns == 60);
    scene_end(&c);
}

// A clock that was ahead when it was read: no time is before that of the machine.
TEST(host_run_puts_no_event_before_the_start_of_the_axis)
{
    struct scene c;
    scene_start(&c);
    sample_clock(c.p, 2, TT_CLOCK_PROGRAM);
    sample_pair(c.p, 2, 100000, 3000);
    sample_event(&c.w, TT_CLOCK, 60, 1, UINT64_C(2));
    sample_begin(&c.w, 60, c.inner);
    sample_end(&c.w, 100100);
    sample_ring(c.p, 1, &c.w);
    scene_open(&c);
    STR_IS(zones_of(&c.r, 0), "inner 0-2100\n");
    scene_end(&c);
}

TEST(host_run_counts_a_zone_that_ends_before_it_begins)
{
    struct scene c;
    scene_start(&c);
    sample_begin(&c.w, 1500, c.outer);
    sample_end(&c.w, 1400);
    sample_ring(c.p, 1, &c.w);
    scene_open(&c);
    STR_IS(zones_of(&c.r, 0), "outer 500-500\n");
    assert_int_equal(found(&c.r, DIAG_HOST_TIME_BACK), 1);
    scene_end(&c);
}

// --- several processes -----------------------------------------------------------------

TEST(host_run_has_equal_places_of_all_processes_as_one)
{
    struct scene c;
    scene_start(&c);
    struct sample_process *q = sample_process(&c.s, 50, 2000);
    (void)sample_string(q, "something else");
    uint32_t inner = sample_location(q, NULL, "inner", "main.c", 20);
    sample_begin(&c.w, 2100, inner);
    sample_end(&c.w, 2200);
    sample_ring(q, 1, &c.w);
    scene_open(&c);
    assert_int_equal(c.r.processes.n, 2);
    assert_int_equal(c.r.processes.v[0].pid, 100); // it began before
    assert_int_equal(c.r.processes.v[1].pid, 50);
    assert_int_equal(c.r.sites.n, 3); // with the unknown one
    STR_IS(zones_of(&c.r, 1), "inner 1100-1200\n");
    assert_int_equal(c.r.tracks.v[1].process, 1);
    scene_end(&c);
}

TEST(host_run_ends_a_program_where_the_next_one_of_its_process_starts)
{
    struct scene c;
    scene_start(&c);
    struct sample_process *next = sample_process(&c.s, 100, 5000);
    sample_begin(&c.w, 1100, c.outer);
    sample_ring(c.p, 1, &c.w);
    sample_log(&c.s, "start\t1000\t100\t7100\t1\t/bin/a\ta");
    sample_log(&c.s, "ended\t9000\t100\t7100\t0\t1");
    scene_open(&c);
    STR_IS(zones_of(&c.r, 0), "outer 100-4000*\n");
    assert_string_equal(next->prefix, "100-1");
    scene_end(&c);
}

TEST(host_run_takes_the_newest_run_of_a_folder)
{
    struct sample_run s;
    struct trace r;
    struct err e = {0};
    sample_run_start(&s);
    static const char *const names[] = {"2026_11_16_10_20_30_b", "2026_11_16_10_20_31",
                                        "2026_11_16_10_20_31-2", "2026_11_15_23_59_59-9",
                                        "2026_11_16_10_20_31-10"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        sample_run_write_to(&s, arena_printf(&s.arena, "%s/runs/%s", s.path, names[i]).p);
    assert_true(
        folder_make(arena_printf(&s.arena, "%s/runs/2099_not_a_run", s.path).p, &e));
    assert_true(host_run_open(&r, s.path, &e));
    assert_true(str_ends(str_of(r.folder), S("/runs/2026_11_16_10_20_31-10")));
    trace_free(&r);
    sample_run_free(&s);
}

TEST(host_run_says_what_is_no_run)
{
    struct sample_run s;
    struct trace r;
    struct err e = {0};
    sample_run_start(&s);
    assert_false(host_run_open(&r, s.path, &e));
    assert_int_equal(e.code, ERR_FORMAT);
    assert_true(str_has(str_of(e.text), S("not a run folder")));
    assert_false(host_run_open(&r, "/nowhere/at/all", &e));
    assert_int_equal(e.code, ERR_IO);
    sample_run_free(&s);
}
