// test_host_events.c - traces and buffers of a device in the recording of the host. Spec:
// run-and-python 7.5.
#include <unistd.h>

#include "sample_host_events.h"
#include "sample_record.h"

static struct seen_ring ring; // large

static void see(bool tracks_traces, bool keeps_memory, struct seen_table *t)
{
    struct sample_record r = sample_record(NULL);
    sample_host_events(tracks_traces, keeps_memory);
    bool has_events = seen_ring(&r, getpid(), 0, &ring);
    assert_true(seen_table(&r, getpid(), t));
    sample_record_end(&r);
    if (!has_events)
        ring.n = 0;
}

TEST(host_events_of_traces_are_messages_in_backticks)
{
    struct seen_table t;
    static const char *const want[] = {
        "`TT_METAL_TRACE_BEGIN: 3, 5`", "`TT_METAL_TRACE_ENQUEUE_PROGRAM: 3, 5, 7`",
        "`TT_METAL_TRACE_END: 3, 5`", "`TT_METAL_TRACE_REPLAY: 3, 5`",
        "`TT_METAL_TRACE_RELEASE: 3, 5`"};
    see(true, false, &t);
    assert_int_equal(ring.n, sizeof want / sizeof *want);
    for (size_t i = 0; i < ring.n; i++) {
        assert_int_equal(ring.events[i].kind, TT_MESSAGE);
        assert_string_equal(ring.events[i].text, want[i]);
    }
    seen_table_free(&t);
}

TEST(host_events_always_tell_the_end_of_a_trace)
{
    struct seen_table t;
    see(false, false, &t);
    assert_int_equal(ring.n, 1);
    assert_string_equal(ring.events[0].text, "`TT_METAL_TRACE_END: 3, 5`");
    seen_table_free(&t);
}

TEST(host_events_of_buffers_are_allocations_in_the_pool_of_their_device)
{
    struct seen_table t;
    see(false, true, &t);
    assert_int_equal(ring.n, 3);
    const struct seen_event *alloc = &ring.events[1], *back = &ring.events[2];
    assert_int_equal(alloc->kind, TT_ALLOC);
    assert_int_equal(alloc->words[0], 0x1000);
    assert_int_equal(alloc->words[1], 4096);
    STR_IS(seen_string(&t, alloc->words[2]), "Device 3 DRAM");
    assert_int_equal(back->kind, TT_FREE);
    assert_int_equal(back->words[0], 0x1000);
    STR_IS(seen_string(&t, back->words[1]), "Device 3 DRAM");
    seen_table_free(&t);
}
