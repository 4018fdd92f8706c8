// Two command queues: pages to and from DRAM and L1, events between the queues and for the
// host, what they refuse, and that transfers do not wait for programs of the other queue.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/data/array.h"

#include "sample_fast.h"
#include "sim/noc/noc.h"

static const char *const boards[] = {"board=n150 dispatch=fast cqs=2 variant=off",
                                     "board=p150 dispatch=fast cqs=2 variant=off"};

// --- pages -----------------------------------------------------------------------------
static ttdev_pages pages_at(ttdev *t, uint64_t offset, uint32_t page_bytes, uint32_t n)
{
    ttdev_info info;
    assert_int_equal(ttdev_get_info(t, 0, &info), 0);
    return (ttdev_pages){info.dram_buffers + offset, page_bytes, n, NULL};
}

static uint8_t *pattern(const ttdev_pages *p, uint32_t seed)
{
    size_t n = (size_t)p->n_pages * p->page_bytes;
    uint8_t *data = malloc(n);
    assert_non_null(data);
    for (size_t i = 0; i < n; i++)
        data[i] = (uint8_t)((i * 2654435761u + seed * 40503u) >> 13);
    return data;
}

static void write_to(ttdev *t, int queue, const ttdev_pages *p, const void *data)
{
    if (ttdev_write_pages(t, 0, queue, p, data))
        fail_msg("%s", ttdev_error(t));
}

static void read_from(ttdev *t, int queue, const ttdev_pages *p, void *data)
{
    if (ttdev_read_pages(t, 0, queue, p, data))
        fail_msg("%s", ttdev_error(t));
}

static ttdev_event record(ttdev *t, int queue)
{
    ttdev_event event;
    if (ttdev_record_event(t, 0, queue, &event))
        fail_msg("%s", ttdev_error(t));
    return event;
}

// In DRAM, without cost.
static bool holds(ttdev *t, const ttdev_pages *p, const uint8_t *data)
{
    const struct chip *chip = &t->chips[0];
    uint32_t banks = (uint32_t)chip->n_banks;
    uint8_t *page = malloc(p->page_bytes);
    assert_non_null(page);
    bool is_equal = true;
    for (uint32_t i = 0; i < p->n_pages && is_equal; i++) {
        uint64_t at = p->address + (uint64_t)(i / banks) * p->page_bytes;
        assert_true(dram_read(&t->chips[0], (int)(i % banks), at, page, p->page_bytes));
        is_equal = !memcmp(page, data + (size_t)i * p->page_bytes, p->page_bytes);
    }
    free(page);
    return is_equal;
}

static void moves_pages(ttdev *t, int queue, uint32_t page_bytes, uint32_t n)
{
    ttdev_pages at = pages_at(t, 4096 + 64 * (uint64_t)queue, page_bytes, n);
    uint8_t *data = pattern(&at, n), *back = pattern(&at, n + 1);
    write_to(t, queue, &at, data);
    read_from(t, queue, &at, back);
    sample_wait(t);
    if (!holds(t, &at, data))
        fail_msg("queue %d: %u pages of %u bytes are not in DRAM", queue, n, page_bytes);
    assert_memory_equal(back, data, (size_t)n * page_bytes);
    free(data);
    free(back);
}

TEST(pages_go_through_each_queue_to_the_banks_and_back)
{
    static const uint32_t sizes[][2] = {{2048, 1},  {2048, 100}, {1088, 61}, {64, 3000},
                                        {4096, 13}, {65536, 5},  {200000, 3}};
    for (size_t b = 0; b < 2; b++) {
        ttdev *t = device_open(boards[b]);
        for (size_t i = 0; i < COUNT_OF(sizes); i++)
            for (int queue = 0; queue < 2; queue++)
                moves_pages(t, queue, sizes[i][0], sizes[i][1]);
        ttdev_close(t);
    }
}

// --- pages in L1 -----------------------------------------------------------------------
enum { PLACES = 40, PLACE_BYTES = 1088 };

// Runs of pages on some cores, single ones elsewhere, with gaps between them.
static void some_places(ttdev *t, ttdev_place *places)
{
    ttdev_xy last = sample_grid(t).to;
    for (uint32_t i = 0; i < PLACES; i++) {
        places[i] = (ttdev_place){{(int)(i / 8), last.y}, i % 8};
        if (i >= PLACES / 2)
            places[i] = (ttdev_place){{last.x, (int)(i % 2)}, 2 * i};
    }
}

// Memory between the single pages is untouched.
static void check_places(ttdev *t, const ttdev_pages *p, const uint8_t *data)
{
    for (uint32_t i = 0; i < p->n_pages; i++) {
        const ttdev_place *place = &p->places[i];
        const struct tile *core = chip_core(&t->chips[0], place->core, TT_BRISC);
        const uint8_t *page = core->l1 + p->address + place->index * p->page_bytes;
        if (memcmp(page, data + (size_t)i * p->page_bytes, p->page_bytes) != 0)
            fail_msg("page %u is not on core %d,%d", i, place->core.x, place->core.y);
        if (i >= PLACES / 2)
            assert_true(page[p->page_bytes] == 0 && page[2 * p->page_bytes - 1] == 0);
    }
}

TEST(pages_go_through_each_queue_to_cores_and_back)
{
    for (size_t b = 0; b < 2; b++) {
        ttdev *t = device_open(boards[b]);
        ttdev_place places[PLACES];
        some_places(t, places);
        for (uint32_t queue = 0; queue < 2; queue++) {
            ttdev_pages at = {t->chips[0].layout->buffers + 0x10000, PLACE_BYTES, PLACES,
                              places};
            uint8_t *data = pattern(&at, queue), *back = pattern(&at, queue + 2);
            write_to(t, (int)queue, &at, data);
            read_from(t, (int)queue, &at, back);
            sample_wait(t);
            check_places(t, &at, data);
            assert_memory_equal(back, data, PLACES * PLACE_BYTES);
            free(data);
            free(back);
        }
        ttdev_close(t);
    }
}

// A page larger than what a command moves.
TEST(large_pages_go_to_cores_in_parts)
{
    static const ttdev_place place[] = {{{3, 2}, 1}};
    ttdev *t = device_open(boards[0]);
    ttdev_pages at = {t->chips[0].layout->buffers + 64, 200000, 1, place};
    uint8_t *data = pattern(&at, 1), *back = pattern(&at, 2);
    write_to(t, 1, &at, data);
    ttdev_event written = record(t, 1);
    assert_int_equal(ttdev_wait_event(t, 0, 0, written), 0);
    read_from(t, 0, &at, back);
    sample_wait(t);
    check_places(t, &at, data);
    assert_memory_equal(back, data, at.page_bytes);
    free(data);
    free(back);
    ttdev_close(t);
}

// More than a megabyte through a ring, a buffer and a completion region of a few pages.
TEST(transfers_wait_for_room_in_all_buffers)
{
    for (size_t b = 0; b < 2; b++) {
        ttdev *t = device_open(boards[b]);
        struct dispatch_sizes *sizes = &t->chips[0].fast->sizes;
        sizes->completion_bytes = 4 * TT_COMPLETION_PAGE;
        sizes->issue_bytes = 48 << 10;
        sizes->ring_bytes = 32 << 10;
        sizes->pages = 8;
        sizes->block = 2;
        for (int queue = 0; queue < 2; queue++) {
            moves_pages(t, queue, 2048, 200);
            moves_pages(t, queue, 50048, 4);
            for (int i = 0; i < 20; i++) // each takes a page of the region
                (void)record(t, queue);
        }
        sample_wait(t);
        ttdev_close(t);
    }
}

// --- events ----------------------------------------------------------------------------
static double now_us(const ttdev *t)
{
    return (double)t->true_fs / FS_PER_NS / 1000;
}

// A program of 200 us on queue 0, and a write on queue 1.
TEST(a_transfer_does_not_wait_for_programs_of_the_other_queue)
{
    for (size_t b = 0; b < 2; b++) {
        ttdev *t = device_open(boards[b]);
        ttdev_pages at = pages_at(t, 0, 2048, 64);
        uint8_t *data = pattern(&at, 1), *back = pattern(&at, 2);
        ttdev_program *p = sample_spin(t, sample_grid(t), 200000);
        sample_launch(t, p, 1);
        double start = now_us(t);
        write_to(t, 1, &at, data);
        read_from(t, 1, &at, back);
        assert_int_equal(ttdev_wait_for_event(t, 0, record(t, 1), WAIT_NS), 0);
        assert_true(now_us(t) - start < 100);
        assert_memory_equal(back, data, (size_t)at.n_pages * at.page_bytes);
        assert_int_equal(ttdev_poll(t, 0, 0), 0); // the program still runs
        // On queue 0 the next ones come after it.
        read_from(t, 0, &at, back);
        assert_int_equal(ttdev_wait_for_event(t, 0, record(t, 0), WAIT_NS), 0);
        assert_true(now_us(t) - start > 140);
        sample_wait(t);
        free(data);
        free(back);
        ttdev_program_free(p);
        ttdev_close(t);
    }
}

TEST(a_queue_waits_for_an_event_of_the_other)
{
    for (size_t b = 0; b < 2; b++) {
        ttdev *t = device_open(boards[b]);
        ttdev_pages at = pages_at(t, 0, 2048, 8);
        uint8_t *data = pattern(&at, 1), *back = pattern(&at, 2);
        ttdev_program *p = sample_spin(t, sample_grid(t), 200000);
        struct sample_times *times = sample_times_begin(t);
        // Queue 1 after queue 0: the write comes after the program.
        sample_launch(t, p, 1);
        assert_int_equal(ttdev_wait_event(t, 0, 1, record(t, 0)), 0);
        write_to(t, 1, &at, data);
        assert_int_equal(ttdev_sleep_ns(t, 100000), 0);
        assert_false(holds(t, &at, data));
        // Queue 0 after queue 1: the second program comes after the write.
        assert_int_equal(ttdev_wait_event(t, 0, 0, record(t, 1)), 0);
        sample_launch(t, p, 2);
        read_from(t, 0, &at, back);
        sample_wait(t);
        assert_true(holds(t, &at, data));
        assert_memory_equal(back, data, (size_t)at.n_pages * at.page_bytes);
        assert_true(sample_times_run(times, 1).first > sample_times_run(times, 0).end);
        // Its own events, and those that the host knows of, need no command.
        uint64_t before = t->n_accesses;
        assert_int_equal(ttdev_wait_event(t, 0, 0, (ttdev_event){0}), 0);
        assert_int_equal(ttdev_wait_event(t, 0, 0, (ttdev_event){1, 1}), 0);
        assert_int_equal(t->n_accesses, before);
        sample_times_end(t, times);
        free(data);
        free(back);
        ttdev_program_free(p);
        ttdev_close(t);
    }
}

// A read must not see what is in DRAM before the event it waits for.
TEST(a_read_that_waits_for_an_event_reads_after_it)
{
    ttdev *t = device_open(boards[0]);
    ttdev_pages at = pages_at(t, 0, 2048, 40);
    uint8_t *old = pattern(&at, 1), *data = pattern(&at, 2), *back = pattern(&at, 3);
    ttdev_program *p = sample_spin(t, sample_grid(t), 50000);
    write_to(t, 0, &at, old);
    sample_launch(t, p, 1);
    write_to(t, 0, &at, data);
    assert_int_equal(ttdev_wait_event(t, 0, 1, record(t, 0)), 0);
    read_from(t, 1, &at, back);
    sample_wait(t);
    assert_memory_equal(back, data, (size_t)at.n_pages * at.page_bytes);
    free(old);
    free(data);
    free(back);
    ttdev_program_free(p);
    ttdev_close(t);
}

// --- traces ----------------------------------------------------------------------------
TEST(replays_and_transfers_of_both_queues_mix)
{
    for (size_t b = 0; b < 2; b++) {
        ttdev *t = device_open(boards[b]);
        ttdev_pages at = pages_at(t, 0, 2048, 40);
        uint8_t *back = pattern(&at, 99);
        ttdev_program *p = sample_spin(t, sample_grid(t), 3000);
        assert_int_equal(ttdev_trace_begin_only(t, 0), 0);
        sample_launch(t, p, 1);
        sample_launch(t, p, 2);
        int trace = ttdev_trace_end(t, 0);
        struct sample_times *times = sample_times_begin(t);
        for (uint32_t i = 0; i < 20; i++) {
            int queue = (int)(i % 3 == 1);
            uint8_t *data = pattern(&at, i);
            assert_int_equal(ttdev_trace_replay(t, 0, trace, WAIT_NS), 0);
            assert_int_equal(ttdev_wait_event(t, 0, queue, record(t, !queue)), 0);
            write_to(t, queue, &at, data);
            read_from(t, queue, &at, back);
            assert_int_equal(ttdev_wait_for_event(t, 0, record(t, queue), WAIT_NS), 0);
            assert_memory_equal(back, data, (size_t)at.n_pages * at.page_bytes);
            free(data);
        }
        sample_wait(t);
        assert_int_equal(sample_times_count(times), 40);
        sample_times_end(t, times);
        free(back);
        ttdev_program_free(p);
        ttdev_close(t);
    }
}

// --- what is refused -------------------------------------------------------------------
static void refuses(ttdev *t, int code, int expected, const char *text)
{
    assert_int_equal(code, expected);
    assert_string_equal(ttdev_error(t), text);
}

TEST(queues_and_events_that_do_not_exist_are_refused)
{
    ttdev *t = device_open("board=n150 dispatch=fast variant=off");
    ttdev_pages at = pages_at(t, 0, 2048, 1);
    uint8_t data[2048] = {0};
    ttdev_event event;
    refuses(t, ttdev_write_pages(t, 0, 1, &at, data), -ENODEV,
            "device 0 has no command queue 1 (cqs=1)");
    refuses(t, ttdev_read_pages(t, 0, -1, &at, data), -ENODEV,
            "device 0 has no command queue -1 (cqs=1)");
    refuses(t, ttdev_record_event(t, 3, 0, &event), -ENODEV, "no device 3");
    assert_int_equal(ttdev_record_event(t, 0, 0, &event), 0);
    event.number++;
    refuses(t, ttdev_wait_event(t, 0, 0, event), -EINVAL,
            "device 0, queue 0: event 2 was not recorded");
    refuses(t, ttdev_wait_for_event(t, 0, event, WAIT_NS), -EINVAL,
            "device 0, queue 0: event 2 was not recorded");
    at.page_bytes = 100;
    assert_int_equal(ttdev_write_pages(t, 0, 0, &at, data), -EINVAL);
    at = (ttdev_pages){UINT64_C(1) << 50, 2048, 1, NULL};
    assert_int_equal(ttdev_read_pages(t, 0, 0, &at, data), -EINVAL);
    ttdev_info info;
    assert_int_equal(ttdev_get_info(t, 0, &info), 0);
    at.address = info.bank_bytes - 2048;
    assert_int_equal(ttdev_read_pages(t, 0, 0, &at, data), 0);
    at.address += 64; // kernels and traces
    assert_int_equal(ttdev_read_pages(t, 0, 0, &at, data), -EINVAL);
    at = pages_at(t, 0, 2048, 1);
    assert_int_equal(ttdev_trace_begin_only(t, 0), 0);
    refuses(t, ttdev_write_pages(t, 0, 0, &at, data), -EBUSY,
            "device 0: a trace is being captured");
    ttdev_close(t);
    t = device_open("board=n150 dispatch=slow variant=off");
    refuses(t, ttdev_write_pages(t, 0, 0, &at, data), -ENODEV,
            "device 0: dispatch=slow has no command queues");
    ttdev_close(t);
}

TEST(places_that_are_not_for_buffers_are_refused)
{
    static const struct {
        ttdev_place place;
        uint32_t offset;                   // from the first byte for buffers
    } refused[] = {{{{0, 8}, 0}, 0},       // a dispatch core
                   {{{8, 0}, 0}, 0},       // no core
                   {{{-1, 0}, 0}, 0},      //
                   {{{0, 0}, 0}, -64u},    // the ring
                   {{{0, 0}, 1 << 20}, 0}, // behind the end
                   {{{0, 0}, UINT32_MAX}, 0}};
    uint8_t data[2048] = {0};
    ttdev *t = device_open("board=n150 dispatch=fast variant=off");
    for (size_t i = 0; i < COUNT_OF(refused); i++) {
        ttdev_pages at = {t->chips[0].layout->buffers + refused[i].offset, 2048, 1,
                          &refused[i].place};
        assert_int_equal(ttdev_write_pages(t, 0, 0, &at, data), -EINVAL);
        assert_int_equal(ttdev_read_pages(t, 0, 0, &at, data), -EINVAL);
    }
    ttdev_close(t);
}

TEST(a_queue_that_waits_for_a_stuck_program_is_in_the_report)
{
    static const ttdev_range one = {{2, 1}, {2, 1}};
    for (size_t b = 0; b < 2; b++) {
        ttdev *t = device_open(boards[b]);
        ttdev_pages at = pages_at(t, 0, 2048, 1);
        uint8_t data[2048] = {0};
        uint32_t what = FAULT_CASE_wait_for_word;
        ttdev_program *p = sample_program(t, "fault", one, 1 << TT_BRISC, &what, 1);
        write_to(t, 1, &at, data);
        assert_int_equal(ttdev_wait_for_event(t, 0, record(t, 1), WAIT_NS), 0);
        sample_launch(t, p, 7);
        assert_int_equal(ttdev_wait_event(t, 0, 1, record(t, 0)), 0);
        write_to(t, 1, &at, data);
        write_to(t, 0, &at, data);
        write_to(t, 0, &at, data);
        ttdev_event event = record(t, 1);
        assert_int_equal(ttdev_wait_for_event(t, 0, event, WAIT_NS), -EDEADLK);
        const char *text = ttdev_fault(t, 0);
        assert_non_null(strstr(text, "device 0, queue 0: program 'fault' (id 7) is not "));
        assert_non_null(strstr(text, "\n  2 transfers are not done\n  prefetcher "));
        const char *second = strstr(text, "device 0, queue 1: 1 transfer is not done\n  ");
        assert_non_null(second);
        assert_non_null(strstr(second, "last event of queue 0 = 0"));
        ttdev_program_free(p);
        ttdev_close(t);
    }
}

TEST(a_fault_of_the_second_queue_names_it)
{
    for (size_t b = 0; b < 2; b++) {
        ttdev *t = device_open(boards[b]);
        struct commands c = {0};
        (void)record(t, 1);
        put_relay(&c, TT_RELAY_TO_DISPATCHER, (const uint32_t[4]){99}, 16);
        assert_int_equal(queue_put(&t->chips[0].fast->queues[1], &c, false, 0), 0);
        commands_free(&c);
        assert_int_equal(ttdev_wait(t, 0, WAIT_NS), -EFAULT);
        assert_non_null(strstr(ttdev_fault(t, 0), "queue 1: dispatch command 99: "));
        ttdev_pages at = pages_at(t, 0, 64, 1);
        refuses(t, ttdev_write_pages(t, 0, 0, &at, boards), -EFAULT,
                "device 0 has stopped at a fault");
        ttdev_close(t);
    }
}

// A profiler ends dispatch when it is detached; transfers before that are complete.
TEST(both_queues_end_with_dispatch)
{
    for (size_t b = 0; b < 2; b++) {
        ttdev *t = device_open(boards[b]);
        ttdev_pages at = pages_at(t, 0, 2048, 100);
        uint8_t *data = pattern(&at, 1);
        struct tt_access access;
        ttdev_access(t, &access);
        write_to(t, 1, &at, data);
        assert_int_equal(access.end_dispatch(access.device, 0), 0);
        assert_true(holds(t, &at, data));
        for (int queue = 0; queue < 2; queue++)
            refuses(t, ttdev_write_pages(t, 0, queue, &at, data), -ESHUTDOWN,
                    "device 0: dispatch has ended");
        free(data);
        ttdev_close(t);
    }
}

// --- exactness -------------------------------------------------------------------------
static uint64_t mixed_work(const char *config)
{
    ttdev *t = device_open(config);
    ttdev_pages at = pages_at(t, 0, 2048, 150);
    uint8_t *data = pattern(&at, 5), *back = pattern(&at, 6);
    ttdev_program *p = sample_spin(t, sample_grid(t), 5000);
    for (uint32_t i = 0; i < 4; i++) {
        sample_launch(t, p, i);
        write_to(t, 1, &at, data);
        assert_int_equal(ttdev_wait_event(t, 0, 0, record(t, 1)), 0);
        read_from(t, 0, &at, back);
    }
    sample_wait(t);
    uint64_t hash = ttdev_state_hash(t, 0);
    free(data);
    free(back);
    ttdev_program_free(p);
    ttdev_close(t);
    return hash;
}

TEST(two_queues_are_exact_for_any_threads_windows_and_parking)
{
    static const char *const more[] = {"quantum=8", "threads=2 quantum=16", "park=off"};
    for (size_t b = 0; b < 2; b++) {
        uint64_t hash = mixed_work(boards[b]);
        for (size_t i = 0; i < COUNT_OF(more); i++) {
            char config[128];
            (void)snprintf(config, sizeof config, "%s %s", boards[b], more[i]);
            assert_int_equal(mixed_work(config), hash);
        }
    }
}
