// test_runtime_traces.c - traces: captured ops do not run, replays run them.
#include "sample_runtime.h"

enum { SIDE = 32, VALUES = SIDE * SIDE };

static float first_of(struct sample_runtime *s, int device, const ttrt_tensor *t)
{
    static float values[VALUES];
    ttrt_to_host(s->m, device, t, values);
    return values[0];
}

TEST(runtime_traces_run_when_they_are_replayed_and_not_before)
{
    struct sample_runtime s;
    static float zeros[VALUES];
    sample_runtime_open(&s, "board=n300");
    ttrt_tensor *a = sample_tensor(s.m, ttrt_spec2(SIDE, SIDE), 1, "a");
    ttrt_tensor *c = ttrt_from_host(s.m, zeros, ttrt_spec2(SIDE, SIDE), "c");
    int trace = ttrt_trace_begin(s.m);
    assert_int_equal(trace, 0);
    for (int i = 0; i < 2; i++) { // c = c + a, twice
        struct rt_op op = sample_add_op(s.m, "x", c, a, c);
        rt_run(s.m, &op);
    }
    uint32_t last = s.seen.id;
    assert_int_equal(s.seen.n, 4);
    ttrt_trace_end(s.m, trace);
    assert_true(first_of(&s, 0, c) == 0);
    ttrt_trace_replay(s.m, trace);
    assert_true(first_of(&s, 0, c) == 2 && first_of(&s, 1, c) == 2);
    for (int i = 0; i < 3; i++)
        ttrt_trace_replay(s.m, trace);
    assert_true(first_of(&s, 0, c) == 8 && first_of(&s, 1, c) == 8);
    (void)sample_add(s.m, "x", a, a);
    assert_int_equal(s.seen.id, last + 1024); // replays have no ids of their own
    assert_true(s.seen.is_hit);               // captured programs are in the cache
    ttrt_trace_release(s.m, trace);
    ttrt_trace_replay(s.m, trace);
    assert_string_equal(ttrt_error(s.m), "trace 0 was released");
    (void)ttrt_close(s.m);
    ttdev_close(s.t);
}

TEST(runtime_traces_do_not_mix_with_host_accesses)
{
    struct sample_runtime s;
    static float values[VALUES];
    sample_runtime_open(&s, "arch=wormhole");
    ttrt_tensor *a = sample_tensor(s.m, ttrt_spec2(SIDE, SIDE), 1, "a");
    int trace = ttrt_trace_begin(s.m);
    ttrt_to_host(s.m, 0, a, values);
    assert_string_equal(
        ttrt_error(s.m),
        "'a': the host cannot read or write while a trace is being captured");
    assert_int_equal(ttrt_clear_error(s.m), 0);
    ttrt_trace_end(s.m, trace); // the capture went on
    ttrt_to_host(s.m, 0, a, values);
    assert_true(values[1] == 2);
    sample_runtime_close(&s);
}

TEST(runtime_traces_must_begin_before_they_end)
{
    struct sample_runtime s;
    sample_runtime_open(&s, "arch=wormhole");
    ttrt_trace_end(s.m, 0);
    assert_string_equal(ttrt_error(s.m), "no trace is being captured");
    assert_int_equal(ttrt_clear_error(s.m), 0);
    assert_int_equal(ttrt_trace_begin(s.m), 0);
    ttrt_trace_end(s.m, 1);
    assert_string_equal(ttrt_error(s.m), "trace 0 is being captured, not trace 1");
    assert_int_equal(ttrt_clear_error(s.m), 0);
    assert_int_equal(ttrt_trace_begin(s.m), -1);
    assert_string_equal(ttrt_error(s.m), "a trace is already being captured");
    (void)ttrt_close(s.m);
    ttdev_close(s.t);
}
