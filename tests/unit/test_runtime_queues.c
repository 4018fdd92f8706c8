// test_runtime_queues.c - tensors by way of command queues: the same values as without,
// events that order queues, and transfers that overlap ops.
#include <stdlib.h>

#include "base/data/array.h"

#include "sample_runtime.h"

enum { SIDE = 32, VALUES = SIDE * SIDE };

static void fill(float *values, size_t n, float first)
{
    for (size_t i = 0; i < n; i++)
        values[i] = first + (float)(i % 16); // exact in bf16, nine times as well
}

// --- values ------------------------------------------------------------------------------
static void moves_values(const char *config, struct ttrt_spec spec, int queue)
{
    struct sample_runtime s;
    sample_runtime_open(&s, config);
    ttrt_tensor *t = ttrt_empty(s.m, spec, "t");
    size_t n = ttrt_volume(t);
    float *values = malloc(n * sizeof *values), *back = calloc(n, sizeof *values);
    assert_non_null(values);
    assert_non_null(back);
    fill(values, n, 3);
    ttrt_write(s.m, queue, t, values);
    ttrt_read(s.m, queue, ttrt_n_devices(s.m) - 1, t, back);
    ttrt_synchronise_event(s.m, ttrt_record_event(s.m, queue));
    assert_memory_equal(back, values, n * sizeof *values);
    memset(back, 0, n * sizeof *values);
    ttrt_to_host(s.m, 0, t, back);
    assert_memory_equal(back, values, n * sizeof *values);
    free(values);
    free(back);
    sample_runtime_close(&s);
}

TEST(runtime_queues_move_tensors_of_all_types)
{
    static const char *const configs[] = {"board=n300 dispatch=fast cqs=2",
                                          "board=p150 dispatch=fast cqs=2"};
    for (int i = 0; i < 2 * TTRT_DTYPES * 2; i++) {
        struct ttrt_spec spec = ttrt_spec4(1, 2, 70, 45);
        spec.dtype = i / 2 % TTRT_DTYPES;
        spec.layout = i % 2 ? TTRT_ROW_MAJOR : TTRT_TILE;
        if (spec.dtype != TTRT_BFLOAT8_B || spec.layout == TTRT_TILE)
            moves_values(configs[i / (2 * TTRT_DTYPES)], spec, i / 2 % 2);
    }
}

TEST(runtime_queues_move_tensors_in_l1)
{
    static const char *const configs[] = {"board=n300 dispatch=fast cqs=2",
                                          "board=p150 dispatch=fast cqs=2",
                                          "board=n150 dispatch=slow"};
    static const struct ttrt_memory memories[] = {{TTRT_L1, TTRT_INTERLEAVED, 0, 0},
                                                  {TTRT_L1, TTRT_HEIGHT_SHARDED, 3, 2},
                                                  {TTRT_L1, TTRT_WIDTH_SHARDED, 5, 1},
                                                  {TTRT_L1, TTRT_BLOCK_SHARDED, 4, 3}};
    for (size_t i = 0; i < COUNT_OF(configs) * COUNT_OF(memories); i++) {
        struct ttrt_spec spec = ttrt_spec4(1, 2, 330, 220);
        spec.memory = memories[i % COUNT_OF(memories)];
        int n_queues = i / COUNT_OF(memories) < 2 ? 2 : 1;
        for (int queue = 0; queue < n_queues; queue++)
            moves_values(configs[i / COUNT_OF(memories)], spec, queue);
    }
}

// A program that uses queue 0 works without queues as well.
TEST(runtime_queue_0_exists_without_fast_dispatch)
{
    moves_values("board=n150 dispatch=slow", ttrt_spec2(70, 45), 0);
    moves_values("board=n150 dispatch=fast", ttrt_spec2(70, 45), 0);
}

TEST(runtime_reads_are_complete_when_their_event_has_happened)
{
    struct sample_runtime s;
    static float values[VALUES], first[VALUES], second[VALUES];
    sample_runtime_open(&s, "board=n150 dispatch=fast cqs=2");
    fill(values, VALUES, 1);
    ttrt_tensor *a = ttrt_from_host(s.m, values, ttrt_spec2(SIDE, SIDE), "a");
    ttrt_read(s.m, 1, 0, a, first);
    ttrt_event event = ttrt_record_event(s.m, 1);
    ttrt_read(s.m, 1, 0, a, second);
    ttrt_synchronise_event(s.m, event);
    assert_memory_equal(first, values, sizeof values);
    assert_true(second[1] == 0); // not yet, whatever the device has done
    ttrt_free(s.m, a);
    ttrt_synchronise(s.m);
    assert_memory_equal(second, values, sizeof values);
    sample_runtime_close(&s);
}

// --- freed tensors -----------------------------------------------------------------------
enum { WIDE = 256, WIDE_VALUES = WIDE * WIDE };
static float wide[WIDE_VALUES], back_a[WIDE_VALUES], back_b[WIDE_VALUES];

static bool is_filled(const float *values, size_t n, float first)
{
    for (size_t i = 0; i < n; i++)
        if (values[i] != first + (float)(i % 16))
            return false;
    return true;
}

// Queue 1 is busy with `a` when it comes to `b`, whose memory an op on queue 0 would have
// overwritten long before.
TEST(runtime_memory_of_a_freed_tensor_is_kept_while_queue_1_reads_it)
{
    struct sample_runtime s;
    sample_runtime_open(&s, "board=n150 dispatch=fast cqs=2");
    ttrt_tensor *a = sample_tensor(s.m, ttrt_spec2(WIDE, WIDE), 1, "a");
    ttrt_tensor *small = sample_tensor(s.m, ttrt_spec2(SIDE, SIDE), 9, "small");
    fill(wide, VALUES, 3);
    ttrt_tensor *b = ttrt_from_host(s.m, wide, ttrt_spec2(SIDE, SIDE), "b");
    ttrt_tensor *warm = sample_add(s.m, "x", small, small); // the program is there
    ttrt_synchronise(s.m);
    ttrt_read(s.m, 1, 0, a, back_a);
    ttrt_read(s.m, 1, 0, b, back_b);
    ttrt_free(s.m, b);
    ttrt_tensor *sum = sample_add(s.m, "x", small, small);
    assert_true(sum->address != b->address);
    ttrt_synchronise(s.m);
    assert_true(is_filled(back_b, VALUES, 3));
    ttrt_free(s.m, warm);
    sample_runtime_close(&s);
}

// The ops on queue 0 still read `a` when queue 1 writes a tensor made after it.
TEST(runtime_memory_of_a_freed_tensor_is_kept_while_ops_use_it)
{
    struct sample_runtime s;
    sample_runtime_open(&s, "board=n150 dispatch=fast cqs=2 host_copy_bytes_per_ns=1000");
    fill(wide, WIDE_VALUES, 1);
    ttrt_tensor *a = ttrt_from_host(s.m, wide, ttrt_spec2(WIDE, WIDE), "a"), *sum = NULL;
    for (int i = 0; i < 20; i++)
        sum = sample_add(s.m, "x", a, a);
    ttrt_free(s.m, a);
    ttrt_tensor *other = ttrt_empty(s.m, ttrt_spec2(WIDE, WIDE), "other");
    fill(wide, WIDE_VALUES, 5);
    ttrt_write(s.m, 1, other, wide);
    ttrt_to_host(s.m, 0, sum, back_a);
    for (size_t i = 0; i < WIDE_VALUES; i++)
        assert_true(back_a[i] == 2 * (float)(1 + i % 16));
    sample_runtime_close(&s);
}

TEST(runtime_memory_of_freed_tensors_comes_back)
{
    enum { CORES = 64, TILE_BYTES = 2048 };
    struct ttrt_spec most = ttrt_spec2(32, 32 * CORES), spec = ttrt_spec2(32, 32 * CORES);
    struct sample_runtime s;
    sample_runtime_open(&s, "board=n150 dispatch=fast cqs=2");
    most.memory.buffer = spec.memory.buffer = TTRT_L1;
    most.shape[3] *= (uint32_t)(rt_memory_largest(&s.m->l1) / TILE_BYTES - 1);
    (void)ttrt_empty(s.m, most, "most"); // leaves room for one tensor
    ttrt_tensor *t = ttrt_empty(s.m, spec, "t");
    assert_string_equal(ttrt_error(s.m), "");
    for (int i = 0; i < 3; i++) { // each waits for the queue that uses the one before
        ttrt_read(s.m, 1, 0, t, wide);
        ttrt_free(s.m, t);
        ttrt_tensor *next = ttrt_empty(s.m, spec, "next");
        assert_string_equal(ttrt_error(s.m), "");
        assert_int_equal(next->address, t->address);
        t = next;
    }
    ttrt_free(s.m, t); // nothing is in a queue
    assert_int_equal(ttrt_empty(s.m, spec, "last")->address, t->address);
    sample_runtime_close(&s);
}

// --- errors ------------------------------------------------------------------------------
static void fails(const char *config, void (*work)(ttrt *m, ttrt_tensor *t),
                  const char *text)
{
    struct sample_runtime s;
    sample_runtime_open(&s, config);
    work(s.m, sample_tensor(s.m, ttrt_spec2(SIDE, SIDE), 1, "a"));
    assert_string_equal(ttrt_error(s.m), text);
    assert_true(ttrt_close(s.m) < 0);
    ttdev_close(s.t);
}

static float spare[VALUES];

static void write_on_1(ttrt *m, ttrt_tensor *t)
{
    ttrt_write(m, 1, t, spare);
}

static void record_on_2(ttrt *m, ttrt_tensor *t)
{
    (void)t;
    (void)ttrt_record_event(m, 2);
}

static void read_in_capture(ttrt *m, ttrt_tensor *t)
{
    (void)ttrt_trace_begin(m);
    ttrt_read(m, 0, 0, t, spare);
}

static void wait_for_future(ttrt *m, ttrt_tensor *t)
{
    (void)t;
    ttrt_wait_event(m, 0, (ttrt_event){.queue = 1, .number = {5}});
}

TEST(runtime_queues_refuse_what_is_not_there)
{
    fails("board=n150 dispatch=fast", write_on_1,
          "write of a tensor: no command queue 1; the device has 1 (cqs)");
    fails("board=n150 dispatch=slow", write_on_1,
          "write of a tensor: no command queue 1; the device has 1 (cqs)");
    fails("board=n150 dispatch=fast cqs=2", record_on_2,
          "event: no command queue 2; the device has 2 (cqs)");
    fails("board=n150 dispatch=fast cqs=2", read_in_capture,
          "read of a tensor: not while a trace is being captured");
    fails("board=n150 dispatch=fast cqs=2", wait_for_future,
          "wait for an event: device 0, queue 1: event 5 was not recorded");
}

// --- overlap -----------------------------------------------------------------------------
enum { BATCHES = 4, OPS = 8 };

// A stream of batches: in, a few ops, out. Two buffers each way, so that a transfer and the
// ops of another batch can run at the same time. Returns the host's ns.
struct stream {
    struct sample_runtime s;
    int moves; // the queue for transfers
    bool is_traced;
    ttrt_tensor *in[2], *out[2];
    ttrt_event is_in[2], is_out[2], is_used[2];
    int trace[2];
    float *values[BATCHES];
};

static void compute(struct stream *p, int i)
{
    for (int k = 0; k < OPS; k++) {
        struct rt_op op =
            sample_add_op(p->s.m, "x", k ? p->out[i] : p->in[i], p->in[i], p->out[i]);
        rt_run(p->s.m, &op);
    }
}

static void open_stream(struct stream *p, const char *config)
{
    sample_runtime_open(&p->s, config);
    for (int i = 0; i < 2; i++) {
        p->in[i] = ttrt_empty(p->s.m, ttrt_spec2(WIDE, WIDE), "in");
        p->out[i] = ttrt_empty(p->s.m, ttrt_spec2(WIDE, WIDE), "out");
        compute(p, i); // in the program cache from here on
    }
    for (int i = 0; i < 2 && p->is_traced; i++) {
        p->trace[i] = ttrt_trace_begin(p->s.m);
        compute(p, i);
        ttrt_trace_end(p->s.m, p->trace[i]);
    }
    ttrt_synchronise(p->s.m);
}

static void enqueue_batch(struct stream *p, int batch)
{
    ttrt *m = p->s.m;
    int i = batch % 2;
    ttrt_wait_event(m, p->moves, p->is_used[i]); // the batch before the last has read it
    fill(p->values[batch], WIDE_VALUES, (float)batch);
    ttrt_write(m, p->moves, p->in[i], p->values[batch]);
    p->is_in[i] = ttrt_record_event(m, p->moves);
    ttrt_wait_event(m, 0, p->is_in[i]);
    ttrt_wait_event(m, 0, p->is_out[i]);
    if (p->is_traced)
        ttrt_trace_replay(m, p->trace[i]);
    else
        compute(p, i);
    p->is_used[i] = ttrt_record_event(m, 0);
}

static void enqueue_result(struct stream *p, int batch)
{
    ttrt *m = p->s.m;
    int i = batch % 2;
    ttrt_wait_event(m, p->moves, p->is_used[i]);
    ttrt_read(m, p->moves, 0, p->out[i], p->values[batch]);
    p->is_out[i] = ttrt_record_event(m, p->moves);
}

static double stream_ns(const char *config, int moves, bool is_traced)
{
    struct stream p = {.moves = moves, .is_traced = is_traced};
    for (int i = 0; i < BATCHES; i++) {
        p.values[i] = malloc(WIDE_VALUES * sizeof(float));
        assert_non_null(p.values[i]);
    }
    open_stream(&p, config);
    uint64_t start = ttdev_host_ns(p.s.t);
    for (int batch = 0; batch < BATCHES; batch++) {
        enqueue_batch(&p, batch);
        if (batch)
            enqueue_result(&p, batch - 1);
    }
    enqueue_result(&p, BATCHES - 1);
    ttrt_synchronise(p.s.m);
    double ns = (double)(ttdev_host_ns(p.s.t) - start);
    for (int batch = 0; batch < BATCHES; batch++) {
        for (size_t k = 0; k < 64; k++) // OPS + 1 times what went in
            assert_true(p.values[batch][k] == (OPS + 1) * (float)(batch + (int)k % 16));
        free(p.values[batch]);
    }
    sample_runtime_close(&p.s);
    return ns;
}

TEST(runtime_transfers_on_a_second_queue_overlap_ops)
{
    static const char *const configs[] = {
        "board=n150 dispatch=fast cqs=2 host_copy_bytes_per_ns=100",
        "board=p150 dispatch=fast cqs=2 host_copy_bytes_per_ns=100"};
    for (int i = 0; i < 4; i++) {
        double one = stream_ns(configs[i / 2], 0, i % 2);
        double two = stream_ns(configs[i / 2], 1, i % 2);
        assert_true(two < 0.8 * one);
    }
}
