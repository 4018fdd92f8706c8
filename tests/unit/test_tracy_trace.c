// test_tracy_trace.c - the contents of a Tracy trace as a trace, walked by the cursor.
#include "analyse/host/host_messages.h"
#include "formats/diags.h"
#include "formats/tracy/tracy_trace.h"
#include "test.h"
#include "trace/cursor.h"
#include "trace/diags.h"

static struct tracy_ref text_ref(struct tracy *t, const char *text)
{
    return (struct tracy_ref){tracy_text(t, str_of(text)), true, true};
}

static int32_t add_place(struct tracy *t, const char *name, const char *function)
{
    struct tracy_place p = {.function = text_ref(t, function),
                            .file = text_ref(t, "a.c"),
                            .line = (uint32_t)t->places.n};
    if (name)
        p.name = text_ref(t, name);
    vec_push(&t->places, p);
    return (int32_t)t->places.n - 1;
}

static struct tracy_thread *add_thread(struct tracy *t, uint64_t id, const char *name)
{
    vec_push(&t->threads,
             (struct tracy_thread){.id = id,
                                   .is_fiber = id >> 32 != 0,
                                   .zones = pile_of(sizeof(struct tracy_zone))});
    vec_push(&t->thread_names, (struct keyed){.key = id, .a = tracy_text(t, str_of(name))});
    return &t->threads.v[t->threads.n - 1];
}

static void add_zone(struct tracy *t, struct tracy_thread *to, struct tracy_zone z)
{
    *(struct tracy_zone *)pile_add(&to->zones, &t->store) = z;
}

static void add_message(struct tracy *t, struct tracy_thread *to, int64_t time,
                        const char *text)
{
    vec_push(&to->messages, (uint32_t)t->messages.n);
    struct tracy_message *m = pile_add(&t->messages, &t->store);
    *m = (struct tracy_message){.time = time,
                                .text = text_ref(t, text),
                                .colour = 0xFF000000u | 3 << 16 | 2 << 8 | 1};
}

// Thread 7: outer 10-100 (text) around inner 20-30 and inner 40-60 (name), then a zone
// without an end. Thread 9: nothing but a message.
static void start_scene(struct tracy *t)
{
    tracy_start(t, NULL, 0);
    t->last_time = 1000;
    t->pid = 42;
    t->program = S("prog");
    vec_push(&t->threads_used, 0);
    vec_push(&t->threads_used, 9);
    (void)add_place(t, NULL, "");
    int32_t outer = add_place(t, "outer", "f"), inner = add_place(t, NULL, "g");
    *(struct tracy_extra *)pile_add(&t->extras, &t->store) = (struct tracy_extra){0};
    *(struct tracy_extra *)pile_add(&t->extras, &t->store) =
        (struct tracy_extra){.text = tracy_text(t, S("hello")) + 1, .colour = 0x112233};
    *(struct tracy_extra *)pile_add(&t->extras, &t->store) =
        (struct tracy_extra){.name = tracy_text(t, S("renamed")) + 1};
    struct tracy_thread *first = add_thread(t, 7, "main");
    add_zone(t, first, (struct tracy_zone){10, 100, 1, 2, outer});
    add_zone(t, first, (struct tracy_zone){20, 30, 0, 0, inner});
    add_zone(t, first, (struct tracy_zone){40, 60, 2, 0, inner});
    add_zone(t, first, (struct tracy_zone){200, -1, 0, 0, outer});
    add_message(t, first, 50, "`TT_SIGNPOST: go\nwith ``ticks```");
    add_message(t, first, 70, "`TT_SIGNPOST: odd ` tick`");
    struct tracy_thread *second = add_thread(t, 9, "other");
    add_message(t, second, 80, "`TT_DNN_DEVICE_OP: \"X\"`");
}

static const struct trace_batch *walk(struct trace *r, uint32_t track,
                                      struct trace_cursor **c)
{
    *c = trace_cursor_new(r);
    trace_cursor_start(*c, track);
    return trace_cursor_next(*c);
}

static str site_name(const struct trace *r, uint32_t site)
{
    return trace_text(r, r->sites.v[site].name);
}

TEST(tracy_zones_come_in_order_of_end_with_their_attributes)
{
    struct tracy t;
    struct trace r = {0};
    struct trace_cursor *c;
    start_scene(&t);
    tracy_trace(&r, &t, "x.tracy", NULL);
    assert_int_equal(r.tracks.n, 2);
    STR_IS(trace_text(&r, r.tracks.v[0].name), "main");
    const struct trace_batch *b = walk(&r, 0, &c);
    assert_non_null(b);
    assert_int_equal(b->n_zones, 4);
    const uint64_t starts[] = {20, 40, 10, 200}, ends[] = {30, 60, 100, 1000};
    const uint16_t depths[] = {1, 1, 0, 0};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(b->start[i], starts[i]);
        assert_int_equal(b->end[i], ends[i]);
        assert_int_equal(b->depth[i], depths[i]);
        assert_int_equal(b->flags[i], i == 3 ? ZONE_OPEN : 0);
    }
    assert_int_equal(b->children[2], 30);
    STR_IS(site_name(&r, b->site[0]), "g");
    STR_IS(site_name(&r, b->site[2]), "outer");
    STR_IS(trace_said(b, 2).text, "hello");
    assert_int_equal(trace_said(b, 2).colour, 0x112233);
    STR_IS(trace_said(b, 1).name, "renamed");
    assert_int_equal(b->n_events, 2);
    assert_int_equal(b->events[0].n_zones, 1); // between the two inner ones
    assert_int_equal(b->events[1].n_zones, 2);
    assert_null(trace_cursor_next(c));
    trace_cursor_free(c);
    assert_int_equal(trace_findings(&r)->entry[DIAG_HOST_OPEN].count, 1);
    trace_free(&r);
}

TEST(tracy_contents_become_processes_of_one_trace)
{
    struct trace r = {0};
    struct trace_cursor *c;
    for (uint64_t i = 0; i < 2; i++) {
        struct tracy t;
        struct tracy_in_run in_run = {
            .begin_ns = 5000 * i, .error_ns = 7, .log = TRACE_NONE};
        start_scene(&t);
        t.pid += i;
        tracy_trace(&r, &t, "x.tracy", &in_run);
    }
    assert_int_equal(r.processes.n, 2);
    assert_int_equal(r.tracks.n, 4);
    assert_int_equal(r.end_ns, 6000);
    for (uint32_t i = 0; i < 2; i++) {
        const struct trace_process *p = &r.processes.v[i];
        assert_int_equal(p->pid, 42 + i);
        assert_int_equal(p->start_ns, 5000 * i);
        assert_int_equal(p->tracks.n, 2);
        const struct trace_batch *b = walk(&r, p->tracks.v[0], &c);
        assert_non_null(b);
        assert_int_equal(b->n_zones, 4);
        assert_int_equal(b->start[0], 5000 * i + 20);
        assert_int_equal(b->end[3], 5000 * i + 1000); // open: where its own process ends
        assert_int_equal(b->events[0].time > 5000 * i, true);
        STR_IS(trace_said(b, 2).text, "hello");
        trace_cursor_free(c);
    }
    assert_null(tracy_of_trace(&r)); // it has two
    assert_int_equal(trace_findings(&r)->entry[DIAG_HOST_OPEN].count, 2);
    trace_free(&r);
}

TEST(tracy_messages_are_signposts_and_op_records_if_they_look_so)
{
    struct tracy t;
    struct trace r = {0};
    struct host_messages m;
    start_scene(&t);
    tracy_trace(&r, &t, "x.tracy", NULL);
    host_messages_find(&m, &r, NULL);
    assert_int_equal(m.v.n, 3);
    assert_int_equal(m.v.v[0].kind, TT_SIGNPOST);
    STR_IS(m.v.v[0].text, "go\nwith `ticks`");
    assert_int_equal(m.v.v[1].kind, TT_MESSAGE); // its ticks would be doubled
    assert_int_equal(m.v.v[2].kind, TT_OP);
    host_messages_free(&m);
    trace_free(&r);
}

TEST(tracy_threads_without_a_number_get_the_next_ones)
{
    struct tracy t;
    struct trace r = {0};
    start_scene(&t);
    (void)add_thread(&t, UINT64_C(1) << 32, "a fiber");
    tracy_trace(&r, &t, "x.tracy", NULL);
    assert_int_equal(r.tracks.v[0].number, 2 + 1);
    assert_int_equal(r.tracks.v[1].number, 1 + 1);
    assert_int_equal(r.tracks.v[2].number, 3 + 1);
    assert_int_equal(r.tracks.v[2].kind, TRACK_FIBER);
    trace_free(&r);
}

TEST(tracy_frames_plots_memory_and_locks_are_events)
{
    struct tracy t;
    struct trace r = {0};
    struct trace_cursor *c;
    start_scene(&t);
    t.threads.v[0].messages.n = 0;
    vec_push(&t.frame_sets,
             (struct tracy_frames){.frames = pile_of(sizeof(struct tracy_frame))});
    *(struct tracy_frame *)pile_add(&t.frame_sets.v[0].frames, &t.store) =
        (struct tracy_frame){5, 15, -1};
    vec_push(&t.plots, (struct tracy_plot){.points = pile_of(sizeof(struct tracy_point))});
    *(struct tracy_point *)pile_add(&t.plots.v[0].points, &t.store) =
        (struct tracy_point){25, 1.5};
    vec_push(&t.pools,
             (struct tracy_pool){.events = pile_of(sizeof(struct tracy_memory_event))});
    *(struct tracy_memory_event *)pile_add(&t.pools.v[0].events,
                                           &t.store) = (struct tracy_memory_event){
        .address = 64, .bytes = 128, .alloc_time = 35, .free_time = 90, .free_thread = 1};
    struct tracy_lock lock = {.id = 3, .events = pile_of(sizeof(struct tracy_lock_event))};
    vec_push(&lock.threads, 7);
    vec_push(&t.locks, lock);
    *(struct tracy_lock_event *)pile_add(&t.locks.v[0].events, &t.store) =
        (struct tracy_lock_event){.time = 95, .kind = 2};
    tracy_trace(&r, &t, "x.tracy", NULL);
    const struct trace_batch *b = walk(&r, 0, &c);
    const enum tt_host_event kinds[] = {TT_FRAME_START, TT_FRAME_END, TT_PLOT_REAL,
                                        TT_ALLOC, TT_LOCK_RELEASE};
    assert_int_equal(b->n_events, 5);
    for (int i = 0; i < 5; i++)
        assert_int_equal(b->events[i].kind, kinds[i]);
    assert_int_equal(b->events[3].b, 128);
    trace_cursor_free(c);
    b = walk(&r, 1, &c); // the other thread freed it
    assert_int_equal(b->n_events, 2);
    assert_int_equal(b->events[1].kind, TT_FREE);
    trace_cursor_free(c);
    trace_free(&r);
}

TEST(tracy_device_zones_are_lanes_with_names)
{
    struct tracy t;
    struct trace r = {0};
    struct trace_cursor *c;
    const struct zone_choice all = {.pid = -1, .rank = -1};
    const struct zone_choice lanes = {.pid = -1, .rank = -1, .of_lanes = true};
    start_scene(&t);
    struct tracy_gpu g = {.type = TRACY_GPU_TENSTORRENT};
    struct tracy_lane lane = {.thread = 2 | 1 << 3 | 5 << 7 | 3 << 11,
                              .zones = pile_of(sizeof(struct tracy_gpu_zone))};
    *(struct tracy_gpu_zone *)pile_add(&lane.zones, &t.store) =
        (struct tracy_gpu_zone){.start = 300, .end = 400, .children = 1, .place = 1};
    *(struct tracy_gpu_zone *)pile_add(&lane.zones, &t.store) =
        (struct tracy_gpu_zone){.start = -1, .end = 350, .place = 1};
    vec_push(&g.lanes, lane);
    vec_push(&t.gpus, g);
    tracy_trace(&r, &t, "x.tracy", NULL);
    STR_IS(trace_text(&r, r.tracks.v[2].name), "device 3 core 1-5 TRISC_0");
    assert_false(zone_choice_has_track(&r, &all, 2));
    assert_true(zone_choice_has_track(&r, &lanes, 2));
    assert_false(zone_choice_has_track(&r, &lanes, 0));
    const struct trace_batch *b = walk(&r, 2, &c);
    assert_int_equal(b->n_zones, 2);
    assert_int_equal(b->flags[0], ZONE_OPEN); // it never started
    assert_int_equal(b->end[1], 400);
    trace_cursor_free(c);
    trace_free(&r);
}

// Claims more children than there are, and more depth than is kept.
TEST(tracy_zones_that_nest_too_deeply_or_lack_children_do_no_harm)
{
    struct tracy t;
    struct trace r = {0};
    struct trace_cursor *c;
    enum { DEEP = 70000 };
    start_scene(&t);
    struct tracy_thread *k = add_thread(&t, 11, "deep");
    for (int i = 0; i < DEEP; i++)
        add_zone(&t, k, (struct tracy_zone){i, 2 * DEEP - i, 0, 2, 1000});
    tracy_trace(&r, &t, "x.tracy", NULL);
    size_t n = 0;
    for (const struct trace_batch *b = walk(&r, 2, &c); b; b = trace_cursor_next(c)) {
        n += b->n_zones;
        STR_IS(site_name(&r, b->site[0]), "???");
    }
    trace_cursor_free(c);
    assert_int_equal(n, 1 << 16);
    assert_int_equal(trace_findings(&r)->entry[DIAG_HOST_TOO_DEEP].count, DEEP - (1 << 16));
    trace_free(&r);
}

TEST(tracy_parts_that_a_trace_cannot_hold_are_counted)
{
    struct tracy t;
    struct trace r = {0};
    start_scene(&t);
    vec_push(&t.stacks, S("12345678"));
    vec_push(&t.symbols, (struct tracy_symbol){.address = 1});
    vec_push(&t.symbols, (struct tracy_symbol){.address = 2});
    tracy_trace(&r, &t, "x.tracy", NULL);
    const struct diag_entry *d = &trace_findings(&r)->entry[DIAG_TRACY_LEFT_OUT];
    assert_int_equal(d->count, 3);
    assert_string_equal(d->first, "1 callstacks, 2 symbols");
    trace_free(&r);
}
