// Programs that never end or fault behind a queue, and traces that cannot be: the text
// names queue and program, nothing hangs, and the device can be closed.
#include <errno.h>

#include "sample_fast.h"
#include "sim/program/program.h"

static const char *const boards[] = {"board=n150 dispatch=fast variant=off",
                                     "board=p150 dispatch=fast variant=off"};
static const ttdev_range one = {{2, 1}, {2, 1}};

static ttdev_program *mistake(ttdev *t, uint32_t what)
{
    return sample_program(t, "fault", one, 1 << TT_BRISC, &what, 1);
}

static void has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("no '%s' in:\n%s", part, text);
}

// --- deadlocks -------------------------------------------------------------------------
TEST(a_deadlock_of_one_of_many_programs_names_it_and_those_behind)
{
    for (int b = 0; b < 2; b++) {
        ttdev *t = device_open(boards[b]);
        ttdev_program *good = mistake(t, FAULT_CASE_none);
        ttdev_program *bad = mistake(t, FAULT_CASE_wait_for_word);
        for (uint32_t i = 1; i <= 5; i++)
            sample_launch(t, i == 3 ? bad : good, i);
        assert_int_equal(ttdev_wait(t, 0, WAIT_NS), -EDEADLK);
        const char *text = ttdev_fault(t, 0);
        has(text, "device 0, queue 0: program 'fault' (id 3) is not done\n");
        has(text, b ? "\n  129 of 130 workers have" : "\n  63 of 64 workers have");
        has(text, " finished\n  2 more programs queued\n  prefetcher waits: ");
        has(text, "\n  dispatcher waits: ");
        has(text, "\n  subordinate waits: completion counter 48 = ");
        has(text, "cores cannot continue\n  core 2,1 ");
        assert_ptr_equal(strstr(text, "device 0, queue 0"), text);
        ttdev_program_free(good);
        ttdev_program_free(bad);
        ttdev_close(t);
    }
}

TEST(a_deadlock_in_a_replay_names_the_program_of_the_trace)
{
    for (int b = 0; b < 2; b++) {
        ttdev *t = device_open(boards[b]);
        ttdev_program *good = mistake(t, FAULT_CASE_none);
        ttdev_program *bad = mistake(t, FAULT_CASE_wait_for_word);
        sample_launch(t, good, 9);
        assert_int_equal(ttdev_trace_begin_only(t, 0), 0);
        sample_launch(t, good, 11);
        sample_launch(t, bad, 12);
        sample_launch(t, good, 13);
        int trace = ttdev_trace_end(t, 0);
        assert_int_equal(ttdev_trace_replay(t, 0, trace, WAIT_NS), 0);
        sample_launch(t, good, 14);
        assert_int_equal(ttdev_wait(t, 0, WAIT_NS), -EDEADLK);
        has(ttdev_fault(t, 0), "program 'fault' (id 12) is not done");
        has(ttdev_fault(t, 0), "\n  2 more programs queued\n");
        ttdev_program_free(good);
        ttdev_program_free(bad);
        ttdev_close(t);
    }
}

TEST(a_deadlock_on_one_chip_of_two_names_that_chip)
{
    ttdev *t = device_open("board=n300 dispatch=fast variant=off");
    ttdev_program *good = mistake(t, FAULT_CASE_none);
    ttdev_program *bad = mistake(t, FAULT_CASE_wait_for_word);
    assert_int_equal(ttdev_launch(t, 0, good, 1), 0);
    assert_int_equal(ttdev_launch(t, 1, bad, 2), 0);
    assert_int_equal(ttdev_wait(t, 0, WAIT_NS), 0);
    assert_int_equal(ttdev_wait(t, 1, WAIT_NS), -EDEADLK);
    has(ttdev_fault(t, 1),
        "device 1, queue 0: program 'fault' (id 2) is not done\n  55 of 56 ");
    assert_string_equal(ttdev_fault(t, 0), "");
    ttdev_program_free(good);
    ttdev_program_free(bad);
    ttdev_close(t);
}

// --- faults ----------------------------------------------------------------------------
TEST(a_fault_behind_a_queue_names_function_and_core)
{
    for (int b = 0; b < 2; b++) {
        ttdev *t = device_open(boards[b]);
        ttdev_program *good = mistake(t, FAULT_CASE_none);
        ttdev_program *bad = mistake(t, FAULT_CASE_illegal);
        sample_launch(t, good, 1);
        sample_launch(t, bad, 2);
        (void)ttdev_launch(t, 0, good, 3); // the fault may be there already
        assert_int_equal(ttdev_wait(t, 0, WAIT_NS), -EFAULT);
        has(ttdev_fault(t, 0), "core 2,1 (NOC0 ");
        has(ttdev_fault(t, 0), "illegal instruction 0xFFFFFFFF");
        has(ttdev_fault(t, 0), " illegal+0x0 (kernels/fault)");
        assert_int_equal(ttdev_launch(t, 0, good, 4), -EFAULT);
        ttdev_program_free(good);
        ttdev_program_free(bad);
        ttdev_close(t);
    }
}

TEST(an_illegal_command_stops_the_device_with_its_number)
{
    static const struct {
        uint32_t target, word;
        const char *text;
    } cases[] = {{TT_RELAY_TO_DISPATCHER, 99, "queue 0: dispatch command 99: "},
                 {TT_RELAY_TO_SUBORDINATE, 98, "queue 0: dispatch command 98: "}};
    for (int i = 0; i < 4; i++) {
        ttdev *t = device_open(boards[i / 2]);
        ttdev_program *good = mistake(t, FAULT_CASE_none);
        sample_launch(t, good, 1);
        struct commands c = {0};
        const uint32_t words[4] = {cases[i % 2].word};
        put_relay(&c, cases[i % 2].target, words, sizeof words);
        assert_int_equal(queue_put(&t->chips[0].fast->queues[0], &c, false, 0), 0);
        commands_free(&c);
        assert_int_equal(ttdev_wait(t, 0, WAIT_NS), -EFAULT);
        has(ttdev_fault(t, 0), cases[i % 2].text);
        ttdev_program_free(good);
        ttdev_close(t);
    }
}

// Of each kernel only so many copies are kept; programs in the queue may need more.
TEST(a_fault_names_the_function_of_a_kernel_whose_copy_is_gone)
{
    for (int b = 0; b < 2; b++) {
        ttdev *t = device_open(boards[b]);
        const uint32_t args[3] = {100000, t->chips[0].layout->buffers, 1};
        ttdev_program *slow = sample_program(t, "bulk_4", one, 1 << TT_BRISC, args, 3);
        ttdev_program *bad = mistake(t, FAULT_CASE_overflow_stack);
        sample_launch(t, slow, 1);
        sample_launch(t, bad, 2);
        for (uint32_t i = 0; i < COPIES_MOST; i++) // as launches at other places do
            (void)image_move(t, bad->kernels.v[0].image, 0x80000 + RING_ALIGN * i);
        assert_int_equal(ttdev_wait(t, 0, WAIT_NS), -EFAULT);
        const struct tile *tile = chip_core(&t->chips[0], one.from, TT_BRISC);
        assert_non_null(tile->risc[TT_BRISC].code[CODE_KERNEL].own);
        has(ttdev_fault(t, 0), "is below the stack limit ");
        has(ttdev_fault(t, 0), " overflow_stack+0x");
        has(ttdev_fault(t, 0), " (kernels/fault)");
        ttdev_program_free(slow);
        ttdev_program_free(bad);
        ttdev_close(t);
    }
}

// --- traces ----------------------------------------------------------------------------
TEST(a_capture_that_fails_half_way_leaves_the_queue_usable)
{
    for (int b = 0; b < 2; b++) {
        ttdev *t = device_open(boards[b]);
        ttdev_program *good = mistake(t, FAULT_CASE_none);
        ttdev_program *large =
            sample_program(t, "bulk_15", one, ALL_RISCS, (uint32_t[3]){0}, 3);
        assert_int_equal(ttdev_trace_begin_only(t, 0), 0);
        sample_launch(t, good, 1);
        assert_int_equal(ttdev_launch(t, 0, large, 2), -ENOSPC);
        sample_launch(t, good, 3);
        int trace = ttdev_trace_end(t, 0); // of what went well
        assert_true(trace >= 0);
        struct sample_times *times = sample_times_begin(t);
        assert_int_equal(ttdev_trace_replay(t, 0, trace, WAIT_NS), 0);
        sample_launch(t, good, 4);
        sample_wait(t);
        assert_int_equal(sample_times_count(times), 3);
        sample_times_end(t, times);
        assert_int_equal(ttdev_trace_release(t, 0, trace), 0);
        assert_int_equal(ttdev_trace_replay(t, 0, trace, WAIT_NS), -EINVAL);
        assert_string_equal(ttdev_error(t), "device 0: trace 0 has been released");
        sample_launch(t, good, 5);
        sample_wait(t);
        // One that is open when the device is closed.
        assert_int_equal(ttdev_trace_begin(t, 0), 0);
        sample_launch(t, good, 6);
        ttdev_program_free(good);
        ttdev_program_free(large);
        ttdev_close(t);
    }
}

TEST(a_trace_that_no_dram_is_left_for_is_refused)
{
    for (int b = 0; b < 2; b++) {
        ttdev *t = device_open(boards[b]);
        ttdev_program *good = mistake(t, FAULT_CASE_none);
        struct store *store = &t->chips[0].fast->store;
        sample_launch(t, good, 1);
        sample_wait(t);
        uint64_t to = store->to;
        store->to = store->from + (16 << 10); // enough for the kernels
        assert_int_equal(ttdev_trace_begin_only(t, 0), 0);
        for (uint32_t i = 0; i < 500; i++)
            sample_launch(t, good, i);
        assert_int_equal(ttdev_trace_end(t, 0), -ENOSPC);
        has(ttdev_error(t), "device 0: no DRAM left for a trace of ");
        store->to = to;
        sample_launch(t, good, 2);
        sample_wait(t);
        ttdev_program_free(good);
        ttdev_close(t);
    }
}

// --- Ethernet cores ----------------------------------------------------------------------
// A program on Ethernet cores alone: no worker gets GO.
static ttdev_program *eth_program(ttdev *t, const char *kernel, const uint32_t *args,
                                  size_t n)
{
    static const ttdev_range channel = {{8, 0}, {8, 0}};
    ttdev_program *p = ttdev_program_new(t, "eth");
    ttdev_image *image = kernel_load(t, kernel, TTDEV_ERISC);
    assert_int_equal(ttdev_program_kernel(p, channel, TTDEV_ERISC, image, 0), 0);
    assert_int_equal(ttdev_program_args(p, 0, channel, args, n), 0);
    return p;
}

TEST(ethernet_cores_get_programs_in_the_order_of_launches)
{
    ttdev *t = device_open("board=n300 dispatch=fast variant=off");
    ttdev_program *worker = mistake(t, FAULT_CASE_none);
    const uint32_t at[2] = {0x20000, 0x20010};
    ttdev_program *eth = eth_program(t, "kernels/stores_eth", at, 2);
    for (uint32_t i = 0; i < 10; i++)
        sample_launch(t, i % 3 == 1 ? eth : worker, i);
    sample_wait(t);
    assert_int_equal(t->chips[0].fast->course.completed, 7 * 56 + 3);
    ttdev_program_free(worker);
    ttdev_program_free(eth);
    ttdev_close(t);
}

TEST(an_ethernet_core_that_never_answers_is_named)
{
    ttdev *t = device_open("board=n300 dispatch=fast variant=off");
    const uint32_t what = FAULT_CASE_wait_for_word;
    ttdev_program *eth = eth_program(t, "kernels/fault_eth", &what, 1);
    ttdev_program *worker = mistake(t, FAULT_CASE_none);
    sample_launch(t, worker, 1);
    sample_launch(t, eth, 2);
    sample_launch(t, worker, 3);
    assert_int_equal(ttdev_wait(t, 0, WAIT_NS), -EDEADLK);
    has(ttdev_fault(t, 0), "device 0, queue 0: program 'eth' (id 2) is not done\n");
    has(ttdev_fault(t, 0), "\n  1 more program queued\n");
    has(ttdev_fault(t, 0), "\n  Ethernet core 8 ");
    ttdev_program_free(worker);
    ttdev_program_free(eth);
    ttdev_close(t);
}
