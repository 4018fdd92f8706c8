// test_runtime_errors.c - what a runtime does after an error: it goes on once the error of
// a refused call is cleared, not after a chip was lost; and the threads that may use it.
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "sample_runtime.h"

enum { SIDE = 32, VALUES = SIDE * SIDE };

static float first_of(ttrt *m, const ttrt_tensor *t)
{
    static float values[VALUES];
    ttrt_to_host(m, 0, t, values);
    return values[0];
}

// --- clearing ----------------------------------------------------------------------------
TEST(runtime_goes_on_when_the_error_of_a_refused_call_is_cleared)
{
    struct sample_runtime s;
    sample_runtime_open(&s, "board=n300");
    ttrt_tensor *a = sample_tensor(s.m, ttrt_spec2(SIDE, SIDE), 1, "a");
    ttrt_tensor *wide = sample_tensor(s.m, ttrt_spec2(SIDE, 2 * SIDE), 1, "wide");
    uint64_t room = rt_memory_largest(&s.m->dram);
    for (int i = 0; i < 3; i++) {
        (void)ttrt_matmul(s.m, a, wide, NULL);
        assert_string_equal(ttrt_error(s.m), "");
        assert_null(ttrt_matmul(s.m, wide, a, NULL));
        assert_string_equal(
            ttrt_error(s.m),
            "MatmulDeviceOperation: 'wide' (1 x 1 x 32 x 64) x 'a' (1 x 1 x 32 x 32) is not possible");
        assert_null(ttrt_binary(s.m, TTRT_ADD, a, a, NULL));
        assert_int_equal(ttrt_clear_error(s.m), 0);
        assert_string_equal(ttrt_error(s.m), "");
        ttrt_tensor *sum = ttrt_binary(s.m, TTRT_ADD, a, a, NULL);
        assert_true(first_of(s.m, sum) == 2);
        ttrt_free(s.m, sum);
    }
    assert_true(rt_memory_largest(&s.m->dram) < room); // the products that were made
    assert_int_equal(ttrt_clear_error(s.m), 0);        // nothing to clear
    assert_int_equal(ttrt_clear_error(NULL), 0);
    sample_runtime_close(&s);
}

TEST(runtime_frees_the_result_of_an_op_that_failed)
{
    struct sample_runtime s;
    struct ttrt_spec large = ttrt_spec2(SIDE, SIDE);
    sample_runtime_open(&s, "arch=wormhole");
    ttrt_tensor *a = sample_tensor(s.m, ttrt_spec2(SIDE, SIDE), 1, "a");
    size_t cores = (size_t)(s.m->info.grid.x * s.m->info.grid.y);
    large.memory = (struct ttrt_memory){.buffer = TTRT_L1};
    large.shape[3] = (uint32_t)(rt_memory_largest(&s.m->l1) / 2048 * cores * SIDE);
    ttrt_tensor *full = ttrt_empty(s.m, large, "full");
    uint64_t room = rt_memory_largest(&s.m->dram);
    for (int i = 0; i < 3; i++) {
        (void)ttrt_unary(s.m, TTRT_RELU, a, NULL);
        assert_non_null(strstr(ttrt_error(s.m), "its circular buffers end at "));
        assert_true(rt_memory_largest(&s.m->dram) < room);
        assert_int_equal(ttrt_clear_error(s.m), 0);
        assert_true(rt_memory_largest(&s.m->dram) == room);
    }
    assert_int_equal(ttrt_program_cache_entries(s.m), 0);
    ttrt_free(s.m, full);
    assert_true(first_of(s.m, ttrt_unary(s.m, TTRT_NEG, a, NULL)) == -1);
    sample_runtime_close(&s);
}

TEST(runtime_frees_a_tensor_whose_values_could_not_be_written)
{
    struct sample_runtime s;
    static float values[1024 * 1024];
    sample_runtime_open(&s, "arch=wormhole dispatch=slow dram_cap=1M");
    uint64_t room = rt_memory_largest(&s.m->dram);
    assert_null(ttrt_from_host(s.m, values, ttrt_spec2(1024, 1024), "large"));
    assert_string_equal(ttrt_error(s.m), "write of a buffer: device 0: dram_cap reached");
    assert_int_equal(ttrt_clear_error(s.m), 0);
    assert_true(rt_memory_largest(&s.m->dram) == room);
    ttrt_trace_begin(s.m);
    assert_null(ttrt_from_host(s.m, values, ttrt_spec2(1, 1), "small"));
    assert_int_equal(ttrt_clear_error(s.m), 0);
    assert_true(rt_memory_largest(&s.m->dram) == room);
    ttrt_trace_end(s.m, 0);
    sample_runtime_close(&s);
}

TEST(runtime_cannot_go_on_without_a_chip_that_did_not_finish)
{
    struct sample_runtime s;
    sample_runtime_open(&s, "arch=wormhole");
    ttrt_tensor *a = sample_tensor(s.m, ttrt_spec2(SIDE, SIDE), 1, "a");
    rt_set_timeout(s.m, 1);
    (void)sample_add(s.m, "x", a, a);
    ttrt_synchronise(s.m);
    assert_non_null(strstr(ttrt_error(s.m), "device 0: timeout after 1 ns"));
    assert_int_equal(ttrt_clear_error(s.m), -ETIMEDOUT);
    assert_non_null(strstr(ttrt_error(s.m), "device 0: timeout after 1 ns"));
    assert_null(ttrt_empty(s.m, ttrt_spec2(SIDE, SIDE), "b"));
    assert_int_equal(ttrt_close(s.m), -ETIMEDOUT);
    ttdev_close(s.t);
}

// --- threads -----------------------------------------------------------------------------
struct visit {
    ttrt *m;
    const ttrt_tensor *a;
    char text[256];
    int closed, cleared;
};

static void *use(void *context)
{
    struct visit *v = context;
    (void)pthread_setname_np(pthread_self(), "visitor");
    assert_null(ttrt_unary(v->m, TTRT_NEG, v->a, NULL));
    assert_null(ttrt_empty(v->m, ttrt_spec2(SIDE, SIDE), "b"));
    ttrt_synchronise(v->m);
    v->closed = ttrt_close(v->m);
    (void)snprintf(v->text, sizeof v->text, "%s", ttrt_error(v->m));
    v->cleared = ttrt_clear_error(v->m);
    return NULL;
}

static void *take(void *context)
{
    struct visit *v = context;
    ttrt_use_thread(v->m);
    v->cleared = first_of(v->m, ttrt_unary(v->m, TTRT_NEG, v->a, NULL)) == -1;
    v->closed = ttrt_close(v->m);
    return NULL;
}

static void on_a_thread(void *(*work)(void *), struct visit *v)
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, work, v), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

TEST(runtime_does_nothing_on_threads_of_others_and_names_both)
{
    struct sample_runtime s;
    char owner[32];
    sample_runtime_open(&s, "arch=wormhole");
    struct visit v = {.m = s.m, .a = sample_tensor(s.m, ttrt_spec2(SIDE, SIDE), 1, "a")};
    on_a_thread(use, &v);
    (void)snprintf(owner, sizeof owner, "belongs to thread %d (", (int)gettid());
    assert_non_null(strstr(v.text, owner));
    assert_non_null(strstr(v.text, "(visitor) used it"));
    assert_int_equal(v.closed, -EPERM);
    assert_int_equal(v.cleared, -EPERM);
    assert_int_equal(s.seen.n, 0);
    assert_true(first_of(s.m, sample_add(s.m, "x", v.a, v.a)) == 2); // the owner goes on
    on_a_thread(use, &v);
    on_a_thread(take, &v); // handed over
    assert_int_equal(v.cleared, 1);
    assert_int_equal(v.closed, 0);
    ttdev_close(s.t);
}

TEST(runtime_tells_its_owner_of_calls_on_other_threads_until_that_is_cleared)
{
    struct sample_runtime s;
    sample_runtime_open(&s, "arch=wormhole");
    struct visit v = {.m = s.m};
    on_a_thread(use, &v);
    assert_string_equal(ttrt_error(s.m), ""); // the visitor cleared it
    assert_false(rt_is_owner(&(struct ttrt){.thread = 1}));
    s.m->thread = 1;
    assert_null(ttrt_empty(s.m, ttrt_spec2(SIDE, SIDE), "b"));
    ttrt_use_thread(s.m);
    assert_non_null(strstr(ttrt_error(s.m), "used it"));
    assert_int_equal(ttrt_clear_error(s.m), 0);
    sample_runtime_close(&s);
}

// --- values that are no floats -----------------------------------------------------------
TEST(runtime_ids_come_back_exactly)
{
    struct sample_runtime s;
    uint32_t ids[] = {0, 16777217, UINT32_MAX}, back[3] = {0};
    sample_runtime_open(&s, "arch=wormhole");
    ttrt_tensor *t = ttrt_ids_from_host(s.m, ids, ttrt_spec2(1, 3), "ids");
    ttrt_ids_to_host(s.m, 0, t, back);
    assert_memory_equal(back, ids, sizeof ids);
    ttrt_ids_to_host(s.m, 1, t, back);
    assert_string_equal(ttrt_error(s.m), "read of tensor 'ids': no device 1");
    assert_int_equal(ttrt_clear_error(s.m), 0);
    ttrt_ids_to_host(s.m, 0, ttrt_empty(s.m, ttrt_spec2(1, 3), "reals"), back);
    assert_string_equal(ttrt_error(s.m), "read of ids: tensor 'reals' is BFLOAT16");
    assert_int_equal(ttrt_clear_error(s.m), 0);
    sample_runtime_close(&s);
}
