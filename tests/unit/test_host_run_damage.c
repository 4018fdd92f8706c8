// test_host_run_damage.c - run folders that are damaged, cut or made up.
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

// --- damage ----------------------------------------------------------------------------

TEST(host_run_reads_a_table_up_to_its_damage)
{
    struct scene c;
    scene_start(&c);
    uint32_t far[2] = {UINT32_MAX, 4};
    sample_entry(c.p, TT_ENTRY_STRING, far, sizeof far); // absurd id
    sample_entry(c.p, (enum tt_entry)77, far, sizeof far);
    sample_begin(&c.w, 1100, c.inner);
    sample_end(&c.w, 1200);
    sample_begin(&c.w, 1300, 99); // nobody knows this place
    sample_end(&c.w, 1400);
    sample_ring(c.p, 1, &c.w);
    uint32_t cut[2] = {800, TT_ENTRY_STRING};
    buf_str(&c.p->entries, (str){(const char *)cut, sizeof cut});
    scene_open(&c);
    STR_IS(zones_of(&c.r, 0), "inner 100-200\n??? 300-400\n");
    assert_int_equal(found(&c.r, DIAG_HOST_FILE_DAMAGED), 3);
    scene_end(&c);
}

TEST(host_run_passes_over_rings_that_make_no_sense)
{
    struct scene c;
    scene_start(&c);
    sample_begin(&c.w, 1100, c.inner);
    sample_end(&c.w, 1200);
    static const struct {
        uint64_t head, tail, first, capacity;
    } odd[] = {{2, 3, 0, 1024}, {2, 0, 3, 1024}, {3, 0, 0, 1000}, {5000, 1, 0, 1024}};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        struct tt_ring head = sample_ring_head(1);
        struct sample_words none = {0};
        head.head = odd[i].head;
        head.tail = odd[i].tail;
        head.first = odd[i].first;
        head.capacity = odd[i].capacity;
        sample_ring_as(c.p, &head, &none);
    }
    sample_thread(c.p, 2, 102, NULL);
    sample_ring(c.p, 2, &c.w);
    scene_open(&c);
    STR_IS(zones_of(&c.r, 0), "");
    STR_IS(zones_of(&c.r, 1), "inner 100-200\n");
    assert_int_equal(found(&c.r, DIAG_HOST_FILE_DAMAGED), 4);
    scene_end(&c);
}

// --- what is missing -------------------------------------------------------------------

static void end_thread(struct scene *c, uint64_t events)
{
    struct tt_thread_end told_end = {.thread = 1, .events = events};
    sample_entry(c->p, TT_ENTRY_THREAD_END, &told_end, sizeof told_end);
}

static void scene_zones(struct scene *c, uint64_t from, int n)
{
    c->w.v.n = 0;
    for (int i = 0; i < n; i++) {
        sample_begin(&c->w, from + 10 * (uint64_t)i, c->outer);
        sample_end(&c->w, from + 10 * (uint64_t)i + 5);
    }
}

TEST(host_run_counts_events_that_the_recorder_counted_but_the_files_do_not_have)
{
    for (int is_over = 0; is_over < 2; is_over++) {
        struct scene c;
        scene_start(&c);
        scene_zones(&c, 1100, 10); // 30 words, 20 events
        sample_block(c.p, 1, 0, &c.w);
        end_thread(&c, 50);
        c.p->head.is_over = (uint32_t)is_over;
        scene_open(&c);
        // A process that still runs may just have ended a thread.
        assert_int_equal(found(&c.r, DIAG_HOST_MISSING), is_over ? 30 : 0);
        assert_int_equal(c.r.processes.v[0].n_missing, is_over ? 30 : 0);
        scene_end(&c);
    }
}

TEST(host_run_counts_no_event_as_missing_that_was_lost_on_purpose_or_is_a_clock)
{
    struct scene c;
    scene_start(&c);
    sample_clock(c.p, 2, TT_CLOCK_PROGRAM);
    sample_pair(c.p, 2, 500, 1150);
    scene_zones(&c, 1100, 2);
    sample_event(&c.w, TT_CLOCK, 500, 1, UINT64_C(2));
    sample_begin(&c.w, 600, c.outer);
    sample_end(&c.w, 700);
    sample_block(c.p, 1, 0, &c.w);
    struct tt_thread_end told_end = {.thread = 1, .events = 6 + 7 + 8};
    told_end.lost[TT_LOSS_OLDEST] = 7;
    told_end.lost[TT_LOSS_DISK] = 8;
    sample_entry(c.p, TT_ENTRY_THREAD_END, &told_end, sizeof told_end);
    c.p->head.is_over = 1;
    scene_open(&c);
    assert_int_equal(found(&c.r, DIAG_HOST_MISSING), 0);
    scene_end(&c);
}

TEST(host_run_tells_of_a_stream_that_is_shorter_than_it_was)
{
    struct scene c;
    scene_start(&c);
    scene_zones(&c, 1100, 10);
    sample_block(c.p, 1, 0, &c.w);
    c.p->head.stream_bytes = c.p->stream.n - sizeof(struct tt_stream);
    c.p->head.is_over = 1;
    scene_open(&c);
    assert_int_equal(found(&c.r, DIAG_HOST_FILE_CUT), 0);
    scene_end(&c);
    scene_start(&c);
    scene_zones(&c, 1100, 10);
    sample_block(c.p, 1, 0, &c.w);
    c.p->head.stream_bytes = c.p->stream.n - sizeof(struct tt_stream) + 1;
    c.s.control.is_over = 1; // the process was killed
    scene_open(&c);
    assert_int_equal(found(&c.r, DIAG_HOST_FILE_CUT), 1);
    scene_end(&c);
}

TEST(host_run_counts_the_events_of_processes_that_left_no_file)
{
    struct scene c;
    scene_start(&c);
    scene_zones(&c, 1100, 10);
    sample_block(c.p, 1, 0, &c.w);
    end_thread(&c, 20);
    c.s.control.processes = 3;
    c.s.control.events = 120;
    scene_open(&c);
    assert_int_equal(found(&c.r, DIAG_HOST_FILE_CUT), 2);
    assert_int_equal(found(&c.r, DIAG_HOST_MISSING), 100);
    scene_end(&c);
}

// --- made up ---------------------------------------------------------------------------

TEST(host_run_takes_no_thread_that_its_table_cannot_have)
{
    struct scene c;
    scene_start(&c);
    scene_zones(&c, 1100, 10);
    sample_block(c.p, 1, 0, &c.w);
    sample_block(c.p, (1 << 24) - 1, 0, &c.w);
    sample_block(c.p, UINT32_MAX, 0, &c.w);
    sample_ring(c.p, 1 << 20, &c.w);
    scene_open(&c);
    assert_int_equal(c.r.tracks.n, 1);
    assert_int_equal(found(&c.r, DIAG_HOST_BLOCK_DAMAGED), 2);
    assert_int_equal(found(&c.r, DIAG_HOST_FILE_DAMAGED), 1);
    scene_end(&c);
}

TEST(host_run_takes_no_ring_that_is_longer_than_its_file)
{
    struct scene c;
    scene_start(&c);
    scene_zones(&c, 1100, 10);
    sample_ring(c.p, 1, &c.w);
    struct sample_file *ring = &c.s.files.v[c.s.files.n - 1];
    uint64_t capacity = UINT64_C(1) << 28;
    memcpy(ring->bytes.p + offsetof(struct tt_ring, capacity), &capacity, sizeof capacity);
    scene_open(&c);
    assert_int_equal(c.r.tracks.v[0].n_events, 0);
    assert_int_equal(found(&c.r, DIAG_HOST_FILE_DAMAGED), 1);
    scene_end(&c);
}

TEST(host_run_finds_each_of_many_fibers_by_its_name)
{
    enum { FIBERS = 3000 };
    struct scene c;
    scene_start(&c);
    sample_entry_pair(c.p, TT_ENTRY_FIBER, sample_string(c.p, "f"), 0);
    uint32_t names[FIBERS];
    for (int i = 0; i < FIBERS; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "fiber %d", i);
        names[i] = sample_string(c.p, name);
    }
    // Each twice, so the second visit must find the first one's track.
    for (uint64_t k = 0; k < 2 * FIBERS; k++) {
        uint64_t at = 1100 + 10 * k;
        sample_event(&c.w, TT_FIBER_ENTER, at, 1, (uint64_t)names[k % FIBERS]);
        sample_begin(&c.w, at + 1, c.outer);
        sample_end(&c.w, at + 4);
        sample_event(&c.w, TT_FIBER_LEAVE, at + 5, 0);
    }
    sample_block(c.p, 1, 0, &c.w);
    scene_open(&c);
    assert_int_equal(c.r.tracks.n, 1 + FIBERS);
    STR_IS(zones_of(&c.r, 1 + 7), "outer 171-174\nouter 30171-30174\n");
    STR_IS(string_of(&c.r, c.r.tracks.v[1 + 7].name), "fiber 7");
    assert_int_equal(c.r.tracks.v[1 + 7].serial, 2 + 7);
    scene_end(&c);
}
