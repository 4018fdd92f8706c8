// test_tracy_client_items.c - what the recorder's Tracy client sends of each kind of event,
// in both generations.
#define TTPROF_ENABLE
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "record/record.h"
#include "record/tracy/out.h"
#include "sample_server.h"

static struct sample_server server;

static void serve(uint32_t protocol)
{
    server_start(&server, (struct server_how){.protocol = protocol});
    assert_int_equal(server.status, TRACY_WELCOME);
}

static void finish(struct sample_record *r)
{
    ttprof_stop();
    server_join(&server);
    sample_record_remove(r);
    assert_true(server.has_terminated);
    assert_int_equal(server.n_pending, 0);
}

#define FOR_BOTH(g) for (int g = 0; g < TRACY_GENERATIONS; g++)

// --- the bytes ---------------------------------------------------------------------------
static uint8_t sent[256];
static size_t n_sent;
static bool keep_sent(void *unused, const void *bytes, size_t n)
{
    (void)unused;
    memcpy(sent, bytes, n);
    n_sent = n;
    return true;
}

// The session of the specification: a thread, a zone, a message; then the end.
static void minimal_session(struct recorder_out *o, enum tracy_generation g)
{
    o->send = keep_sent;
    recorder_out_start(o, g);
    recorder_out_thread(o, 7);
    recorder_out_zone_begin(o, 2000000, 0x2001);
    recorder_out_zone_end(o, 2001234);
    recorder_out_string(o, (struct recorder_piece){"hello tracy", 11});
    uint8_t *message = recorder_out_item(o, TRACY_MESSAGE, 0);
    recorder_out_time(o, message, 2000500);
    recorder_out_set(o, message, TRACY_META_FIELD, 0x20);
}

TEST(tracy_client_writes_a_minimal_session_byte_for_byte)
{
    static struct recorder_out o;
    static const uint8_t fork_block[] =
        "\x3b\x07\0\0\0"
        "\x0f\x80\x84\x1e\0\0\0\0\0\x01\x20\0\0\0\0\0\0"
        "\x11\xd2\x04\0\0\0\0\0\0"
        "\x60\x0b\0hello tracy"
        "\x02\x74\x86\x1e\0\0\0\0";
    static const uint8_t new_block[] =
        "\x4b\x07\0\0\0"
        "\x14\x80\x84\x1d\0\x01\x20\0\0\0\0\0\0"
        "\x1b\xd2\x04"
        "\x72\x0bhello tracy"
        "\x02\x74\x86\x1e\0\0\0\0\0\x20";
    static const uint8_t fork_wire[] =
        "\x34\0\0\0\xf1\x01\x3b\x07\0\0\0\x0f\x80\x84\x1e\0\0\0\0\0\x01\x20\x07\0\x42\0"
        "\x11\xd2\x04\x09\0\xf0\x08\x60\x0b\0hello tracy\x02\x74\x86\x1e\0\0\0\0";
    minimal_session(&o, TRACY_F10);
    assert_int_equal(o.at, 54);
    assert_memory_equal(o.plain, fork_block, 54);
    recorder_out_flush(&o);
    assert_int_equal(n_sent, 56);
    assert_memory_equal(sent, fork_wire, 56);
    recorder_out_item(&o, TRACY_TERMINATE, 0);
    recorder_out_flush(&o);
    assert_memory_equal(sent, "\x02\0\0\0\x10\x39", 6);
    minimal_session(&o, TRACY_U14);
    assert_int_equal(o.at, 44);
    assert_memory_equal(o.plain, new_block, 44);
}

TEST(tracy_client_writes_far_and_backward_times_in_every_width)
{
    static struct recorder_out o;
    static const int64_t times[] = {0, 0xFFFF, 0x1FFFF, 0x100020000, INT64_C(1) << 40, 5};
    o.send = keep_sent;
    FOR_BOTH(g)
    {
        recorder_out_start(&o, (enum tracy_generation)g);
        for (size_t i = 0; i < sizeof times / sizeof *times; i++)
            recorder_out_zone_end(&o, times[i]);
        int64_t now = 0;
        const uint8_t *at = o.plain;
        for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
            const struct tracy_layout *l = &o.layouts.by_number[*at];
            now +=
                tracy_wide_time((enum tracy_generation)g, l->fields[TRACY_TIME_FIELD].bytes,
                                tracy_get(l, at, TRACY_TIME_FIELD));
            assert_int_equal(now, times[i]);
            at += l->bytes;
        }
        assert_ptr_equal(at, o.plain + o.at);
    }
}

// --- texts -------------------------------------------------------------------------------
TEST(tracy_client_sends_texts_names_colours_and_values_of_zones)
{
    static char text[300];
    memset(text, 'x', sizeof text);
    FOR_BOTH(g)
    {
        struct sample_record r = server_record(NULL);
        serve(tracy_protocols[g]);
        {
            TTPROF_BEGIN(zone, "zone");
            TTPROF_TEXT(zone, text, 255);
            TTPROF_TEXT(zone, text, 256);
            TTPROF_TEXT(zone, text, 0);
            TTPROF_NAME(zone, "renamed", 7);
            TTPROF_VALUE(zone, UINT64_MAX - 1);
            TTPROF_COLOUR(zone, 0x112233);
            TTPROF_END(zone);
        }
        finish(&r);
        assert_int_equal(server_count(&server, TRACY_ZONE_TEXT), 3);
        static const size_t lengths[] = {255, 256, 0};
        for (size_t i = 0; i < 3; i++)
            assert_int_equal(
                server_string_of(&server, server_find(&server, TRACY_ZONE_TEXT, i)).n,
                lengths[i]);
        STR_IS(server_string_of(&server, server_find(&server, TRACY_ZONE_NAME, 0)),
               "renamed");
        const struct server_item *value = server_find(&server, TRACY_ZONE_VALUE, 0);
        assert_true(server_field(&server, value, TRACY_VALUE_FIELD) == UINT64_MAX - 1);
        const struct server_item *colour = server_find(&server, TRACY_ZONE_COLOUR, 0);
        assert_int_equal(server_field(&server, colour, TRACY_COLOUR_FIELD), 0x112233);
        server_free(&server);
    }
}

TEST(tracy_client_sends_messages_signposts_and_ops_in_backquotes)
{
    FOR_BOTH(g)
    {
        struct sample_record r = server_record(NULL);
        serve(tracy_protocols[g]);
        ttprof_message("plain");
        ttprof_message_put("bright", 6, TTPROF_ERROR, 0xFF0000);
        ttprof_signpost("start", "with `ticks`");
        ttprof_op("{\"a\":1}", 7);
        ttprof_op("`wrapped`", 9);
        finish(&r);
        const struct server_item *plain = server_find(&server, TRACY_MESSAGE, 0);
        STR_IS(server_string_of(&server, plain), "plain");
        assert_true(plain->ns > 0);
        const struct server_item *bright = server_find(&server, TRACY_MESSAGE_COLOUR, 0);
        STR_IS(server_string_of(&server, bright), "bright");
        assert_int_equal(server_field(&server, bright, TRACY_COLOUR_FIELD), 0xFF0000);
        if (g == TRACY_U14) {
            assert_int_equal(server_field(&server, plain, TRACY_META_FIELD), 0x20);
            assert_int_equal(server_field(&server, bright, TRACY_META_FIELD), 0x40);
        }
        STR_IS(server_string_of(&server, server_find(&server, TRACY_MESSAGE, 1)),
               "`TT_SIGNPOST: start\nwith ``ticks```");
        STR_IS(server_string_of(&server, server_find(&server, TRACY_MESSAGE, 2)),
               "`{\"a\":1}`");
        STR_IS(server_string_of(&server, server_find(&server, TRACY_MESSAGE, 3)),
               "`wrapped`");
        server_free(&server);
    }
}

// With and without a folder: there long texts are in a file, here in memory.
TEST(tracy_client_cuts_long_texts_and_leaves_out_long_ops)
{
    static char text[100000];
    memset(text, 'x', sizeof text);
    for (int has_folder = 0; has_folder < 2; has_folder++) {
        struct sample_record r = {{0}};
        if (has_folder)
            r = server_record(NULL);
        else
            server_record_nothing(&(struct ttprof_settings){.policy = TTPROF_BLOCK});
        serve(tracy_protocols[TRACY_F10]);
        ttprof_message_put(text, 5000, TTPROF_INFO, 0);
        ttprof_message_put(text, sizeof text, TTPROF_INFO, 0);
        ttprof_op_put(text, sizeof text);
        ttprof_op_put(text, OUT_TEXT_MOST - 2);
        text[OUT_TEXT_MOST + 100] = 0;
        ttprof_signpost(text, NULL);
        text[OUT_TEXT_MOST + 100] = 'x';
        ttprof_stop();
        server_join(&server);
        if (has_folder)
            sample_record_remove(&r);
        assert_int_equal(server_count(&server, TRACY_MESSAGE), 5);
        str got[5];
        for (size_t i = 0; i < 5; i++)
            got[i] = server_string_of(&server, server_find(&server, TRACY_MESSAGE, i));
        assert_int_equal(got[0].n, 5000);
        assert_int_equal(got[1].n, OUT_TEXT_MOST);
        STR_IS(got[2], "ttprof: an op record of 100000 bytes does not fit into a message");
        assert_int_equal(got[3].n, OUT_TEXT_MOST);
        assert_true(got[4].n <= OUT_TEXT_MOST && got[4].n >= OUT_TEXT_MOST - 2);
        assert_int_equal(got[4].p[got[4].n - 1], '`');
        server_free(&server);
    }
}

TEST(tracy_client_shortens_op_records_that_are_too_long)
{
    enum { KERNELS = 200000 }; // more than is looked at of other texts
    struct buf b = {0};
    buf_z(&b, "TT_DNN_DEVICE_OP: \"a`b\", 77, 0, true, 1024 ->\n{ \"kernel_info\": \"");
    buf_fill(&b, 'k', KERNELS);
    buf_z(&b, "\", \"op_hash\": 77 }");
    for (int has_folder = 0; has_folder < 2; has_folder++) {
        struct sample_record r = {{0}};
        if (has_folder)
            r = server_record(NULL);
        else
            server_record_nothing(&(struct ttprof_settings){.policy = TTPROF_BLOCK});
        serve(tracy_protocols[TRACY_F10]);
        ttprof_op_put(b.p, b.n);
        ttprof_op_put(b.p, b.n - 1); // without its last bracket
        ttprof_stop();
        server_join(&server);
        if (has_folder)
            sample_record_remove(&r);
        assert_int_equal(server_count(&server, TRACY_MESSAGE), 2);
        STR_IS(server_string_of(&server, server_find(&server, TRACY_MESSAGE, 0)),
               "`TT_DNN_DEVICE_OP: \"a``b\", 77, 0, true, 1024 ->\n{\"op_hash\":77}`");
        str left_out = server_string_of(&server, server_find(&server, TRACY_MESSAGE, 1));
        assert_true(str_ends(left_out, S(" bytes does not fit into a message")));
        server_free(&server);
    }
    buf_free(&b);
}

// --- frames, plots, facts ----------------------------------------------------------------
TEST(tracy_client_sends_frames_and_plots_but_nothing_infinite)
{
    FOR_BOTH(g)
    {
        struct sample_record r = server_record(NULL);
        ttprof_plot_config_put("load", 2, 1, 0, 0x112233); // told to every server
        ttprof_app_info_put("about", 5);
        serve(tracy_protocols[g]);
        ttprof_frame(NULL);
        ttprof_frame("named");
        ttprof_frame_start("part");
        ttprof_frame_end("part");
        ttprof_plot("load", 0.5);
        ttprof_plot("load", NAN);
        ttprof_plot("load", INFINITY);
        ttprof_plot_int("count", -3);
        finish(&r);
        assert_int_equal(server_count(&server, TRACY_FRAME_MARK), 2);
        const struct server_item *named = server_find(&server, TRACY_FRAME_MARK, 1);
        STR_IS(server_text(&server, TRACY_FRAME_NAME,
                           server_field(&server, named, TRACY_NAME_FIELD)),
               "named");
        assert_int_equal(server_count(&server, TRACY_FRAME_START), 1);
        assert_int_equal(server_count(&server, TRACY_FRAME_END), 1);
        assert_int_equal(server_count(&server, TRACY_PLOT_DOUBLE), 1);
        const struct server_item *count = server_find(&server, TRACY_PLOT_INT, 0);
        assert_true((int64_t)server_field(&server, count, TRACY_VALUE_FIELD) == -3);
        STR_IS(server_text(&server, TRACY_PLOT_NAME,
                           server_field(&server, count, TRACY_NAME_FIELD)),
               "count");
        const struct server_item *config = server_find(&server, TRACY_PLOT_CONFIG, 0);
        assert_int_equal(server_field(&server, config, TRACY_TYPE_FIELD), 2);
        assert_int_equal(server_field(&server, config, TRACY_COLOUR_FIELD),
                         g == TRACY_F10 ? 0x332211 : 0x112233);
        // What this process told in earlier recordings comes before it.
        size_t n_told = server_count(&server, TRACY_MESSAGE_APP_INFO);
        STR_IS(server_string_of(&server,
                                server_find(&server, TRACY_MESSAGE_APP_INFO, n_told - 1)),
               "about");
        server_free(&server);
    }
}

// --- memory ------------------------------------------------------------------------------
static void *at(uintptr_t address)
{
    return (void *)address; // NOLINT(performance-no-int-to-ptr)
}

TEST(tracy_client_sends_memory_and_frees_what_would_be_allocated_twice)
{
    FOR_BOTH(g)
    {
        struct sample_record r = server_record(NULL);
        serve(tracy_protocols[g]);
        ttprof_alloc(at(0x1000), 10, NULL);
        ttprof_alloc(at(0x1000), 20, "pool"); // another memory
        ttprof_alloc(at(0x2000), 30, "pool");
        ttprof_free(at(0x1000), NULL);
        ttprof_alloc(at(0x1000), 40, "pool"); // its free was lost
        ttprof_free(NULL, "pool");            // all of it
        finish(&r);
        assert_int_equal(server_count(&server, TRACY_ALLOC), 1);
        assert_int_equal(server_count(&server, TRACY_ALLOC_NAMED), 3);
        assert_int_equal(server_count(&server, TRACY_FREE), 1);
        assert_int_equal(server_count(&server, TRACY_FREE_NAMED), 3);
        assert_int_equal(server_count(&server, TRACY_POOL), 6);
        const struct server_item *last = server_find(&server, TRACY_ALLOC_NAMED, 2);
        assert_int_equal(server_field(&server, last, TRACY_SIZE_FIELD), 40);
        assert_int_equal(server_field(&server, last, TRACY_ADDRESS_FIELD), 0x1000);
        assert_int_equal(server_field(&server, last, TRACY_THREAD_FIELD), gettid());
        STR_IS(server_text(&server, TRACY_TEXT,
                           server_field(&server, server_find(&server, TRACY_POOL, 0),
                                        TRACY_NAME_FIELD)),
               "pool");
        server_free(&server);
    }
}

// --- locks -------------------------------------------------------------------------------
enum { LOCKERS = 4, TURNS = 2000 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static uint32_t lock;

static void *locker(void *unused)
{
    for (int i = 0; i < TURNS; i++) {
        ttprof_lock_wait(lock, 0);
        pthread_mutex_lock(&mutex);
        ttprof_lock_obtain(lock, 0);
        ttprof_lock_release(lock, 0);
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

static void run_lockers(void)
{
    pthread_t threads[LOCKERS];
    for (int i = 0; i < LOCKERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, locker, NULL), 0);
    for (int i = 0; i < LOCKERS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
}

// Times never go back, and nobody obtains what another one holds, but for the little by
// which processors read the clock too early.
static void check_lock_order(void)
{
    enum { EARLY_NS = 1000 };
    int64_t last = 0, obtained = 0;
    int n_holders = 0;
    size_t n = 0;
    for (size_t i = 0; i < server.items.n; i++) {
        const struct server_item *one = &server.items.v[i];
        if (one->item != TRACY_LOCK_WAIT && one->item != TRACY_LOCK_OBTAIN &&
            one->item != TRACY_LOCK_RELEASE)
            continue;
        n++;
        assert_true(one->ns >= last);
        last = one->ns;
        if (one->item == TRACY_LOCK_OBTAIN) {
            n_holders++;
            obtained = one->ns;
        } else if (one->item == TRACY_LOCK_RELEASE) {
            assert_true(n_holders == 1 || one->ns - obtained < EARLY_NS);
            n_holders--;
        }
        assert_in_range(n_holders, 0, 2);
    }
    assert_int_equal(n_holders, 0);
    assert_int_equal(n, 3 * LOCKERS * TURNS);
}

TEST(tracy_client_sends_the_events_of_a_lock_in_the_order_of_their_times)
{
    TTPROF_LOCATION(place, "mutex", 0);
    FOR_BOTH(g)
    {
        struct sample_record r =
            server_record(&(struct ttprof_settings){.policy = TTPROF_BLOCK});
        lock = ttprof_lock_make(&place);
        ttprof_lock_name(lock, "the lock", 8);
        serve(tracy_protocols[g]);
        run_lockers();
        finish(&r);
        check_lock_order();
        assert_int_equal(server_count(&server, TRACY_LOCK_ANNOUNCE), 1);
        STR_IS(server_string_of(&server, server_find(&server, TRACY_LOCK_NAME, 0)),
               "the lock");
        server_free(&server);
    }
}

TEST(tracy_client_announces_a_lock_again_when_it_turns_out_to_be_shared)
{
    TTPROF_LOCATION(place, "rwlock", 0);
    struct sample_record r = server_record(NULL);
    lock = ttprof_lock_make(&place);
    serve(tracy_protocols[TRACY_F10]);
    ttprof_lock_wait(lock, 0);
    ttprof_lock_obtain(lock, 0);
    ttprof_lock_mark(lock, &place);
    ttprof_lock_release(lock, 0);
    ttprof_lock_wait(lock, 1);
    ttprof_lock_obtain(lock, 1);
    ttprof_lock_release(lock, 1);
    ttprof_lock_wait(lock, 0);
    finish(&r);
    assert_int_equal(server_count(&server, TRACY_LOCK_ANNOUNCE), 2);
    const struct server_item *plain = server_find(&server, TRACY_LOCK_ANNOUNCE, 0);
    const struct server_item *shared = server_find(&server, TRACY_LOCK_ANNOUNCE, 1);
    assert_int_equal(server_field(&server, plain, TRACY_TYPE_FIELD), 0);
    assert_int_equal(server_field(&server, shared, TRACY_TYPE_FIELD), 1);
    uint64_t id = server_field(&server, shared, TRACY_ID_FIELD);
    assert_true(id != server_field(&server, plain, TRACY_ID_FIELD));
    const struct server_item *last = server_find(&server, TRACY_LOCK_WAIT, 1);
    assert_int_equal(server_field(&server, last, TRACY_ID_FIELD), id);
    assert_int_equal(server_count(&server, TRACY_LOCK_MARK), 1);
    server_free(&server);
}

static void *lock_once(void *unused)
{
    ttprof_lock_wait(lock, 0);
    ttprof_lock_obtain(lock, 0);
    ttprof_lock_release(lock, 0);
    return unused;
}

TEST(tracy_client_counts_the_events_of_a_lock_with_too_many_threads)
{
    enum { THREADS = 67, MOST = 64 };
    TTPROF_LOCATION(place, "mutex", 0);
    FOR_BOTH(g)
    {
        pthread_t threads[THREADS];
        struct sample_record r = server_record(NULL);
        lock = ttprof_lock_make(&place);
        serve(tracy_protocols[g]);
        for (int i = 0; i < THREADS; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, lock_once, NULL), 0);
        for (int i = 0; i < THREADS; i++)
            assert_int_equal(pthread_join(threads[i], NULL), 0);
        finish(&r);
        assert_int_equal(server_count(&server, TRACY_LOCK_OBTAIN), MOST);
        assert_int_equal(server_count(&server, TRACY_LOCK_RELEASE), MOST);
        assert_int_equal(server_count(&server, TRACY_MESSAGE), 2);
        char note[128];
        (void)snprintf(note, sizeof note,
                       "ttprof: lock %u has more than 64 threads: events of the others are "
                       "left out",
                       lock);
        assert_true(
            str_eq(server_string_of(&server, server_find(&server, TRACY_MESSAGE, 0)),
                   str_of(note)));
        STR_IS(server_string_of(&server, server_find(&server, TRACY_MESSAGE, 1)),
               "ttprof: 9 events of locks with more than 64 threads are left out");
        server_free(&server);
    }
}

// --- fibers ------------------------------------------------------------------------------
TEST(tracy_client_keeps_the_zones_of_fibers_apart)
{
    TTPROF_LOCATION(place, "on a fiber", 0);
    FOR_BOTH(g)
    {
        struct sample_record r = server_record(NULL);
        serve(tracy_protocols[g]);
        ttprof_zone thread = ttprof_zone_begin(&place);
        ttprof_fiber_enter_put("fiber");
        ttprof_zone fiber = ttprof_zone_begin(&place);
        ttprof_fiber_leave_put();
        ttprof_zone_end(thread);
        ttprof_fiber_enter_put("fiber"); // its zone is still open, and stays so
        (void)fiber;
        finish(&r);
        assert_int_equal(server_count(&server, TRACY_ZONE_BEGIN), 2);
        assert_int_equal(server_count(&server, TRACY_ZONE_END), 2);
        size_t enters = server_count(&server, TRACY_FIBER_ENTER);
        assert_int_equal(enters, 3); // once more to end its zone
        assert_int_equal(server_count(&server, TRACY_FIBER_LEAVE), enters);
        const struct server_item *enter = server_find(&server, TRACY_FIBER_ENTER, 0);
        STR_IS(server_text(&server, TRACY_FIBER_NAME,
                           server_field(&server, enter, TRACY_NAME_FIELD)),
               "fiber");
        server_free(&server);
    }
}

// --- limits ------------------------------------------------------------------------------
TEST(tracy_client_names_the_zones_of_more_places_than_a_server_can_have)
{
    enum { PLACES = TRACY_PLACES_MOST + 100 };
    struct sample_record r =
        server_record(&(struct ttprof_settings){.policy = TTPROF_BLOCK});
    server_start(&server, (struct server_how){.is_silent = true});
    for (uint32_t i = 0; i < PLACES; i++) {
        char name[16];
        int n = snprintf(name, sizeof name, "z%u", i);
        ttprof_zone_end(ttprof_zone_begin_at(
            ttprof_location_make("f", 1, "g", 1, name, (size_t)n, i, 0)));
    }
    finish(&r);
    assert_int_equal(server_count(&server, TRACY_ZONE_BEGIN), PLACES);
    assert_int_equal(server_count(&server, TRACY_ZONE_NAME), 101);
    STR_IS(server_string_of(&server, server_find(&server, TRACY_ZONE_NAME, 100)), "z32866");
    server_free(&server);
}

// --- questions ---------------------------------------------------------------------------
TEST(tracy_client_answers_questions_of_every_type_with_their_keys)
{
    static const struct {
        enum tracy_query query;
        enum tracy_item answer;
        enum tracy_field key;
    } cases[] = {
        {TRACY_ASK_STRING, TRACY_TEXT, TRACY_ADDRESS_FIELD},
        {TRACY_ASK_THREAD, TRACY_THREAD_NAME, TRACY_ADDRESS_FIELD},
        {TRACY_ASK_PLACE, TRACY_PLACE, TRACY_FIELD_KINDS},
        {TRACY_ASK_PLOT, TRACY_PLOT_NAME, TRACY_ADDRESS_FIELD},
        {TRACY_ASK_FRAME, TRACY_FRAME_NAME, TRACY_ADDRESS_FIELD},
        {TRACY_ASK_PARAMETER, TRACY_ACK, TRACY_FIELD_KINDS},
        {TRACY_ASK_FIBER, TRACY_FIBER_NAME, TRACY_ADDRESS_FIELD},
        {TRACY_ASK_EXTERNAL, TRACY_EXTERNAL_NAME, TRACY_ADDRESS_FIELD},
        {TRACY_ASK_STACK_FRAME, TRACY_STACK_FRAME, TRACY_FIELD_KINDS},
        {TRACY_ASK_STACK_FRAME, TRACY_FRAME_SIZE, TRACY_ADDRESS_FIELD},
        {TRACY_ASK_SYMBOL, TRACY_SYMBOL_INFORMATION, TRACY_ADDRESS_FIELD},
        {TRACY_ASK_CODE, TRACY_ACK_NO_CODE, TRACY_FIELD_KINDS},
        {TRACY_ASK_SOURCE, TRACY_ACK_NO_SOURCE, TRACY_ID_FIELD},
        {TRACY_ASK_DATA, TRACY_ACK, TRACY_FIELD_KINDS},
        {TRACY_ASK_DATA_PART, TRACY_ACK, TRACY_FIELD_KINDS},
    };
    enum { CASES = sizeof cases / sizeof *cases, KEY = 0x7654321 };
    FOR_BOTH(g)
    {
        struct sample_record r = server_record(NULL);
        server_start(&server, (struct server_how){.protocol = tracy_protocols[g],
                                                  .is_silent = true,
                                                  .n_asked = CASES - 1}); // two lines
        for (size_t i = 0; i < CASES; i++) { // nobody gave out this key
            struct tracy_ask ask = {(uint8_t)cases[i].query, KEY + i, 0};
            if (i && cases[i].query == cases[i - 1].query)
                continue;
            for (size_t k = 0; k < sizeof ask; k++) // in pieces
                assert_int_equal(send(server.socket, (char *)&ask + k, 1, MSG_NOSIGNAL), 1);
        }
        server_until_items(&server, CASES);
        finish(&r);
        size_t acks = 0;
        for (size_t i = 0; i < CASES; i++) {
            const struct server_item *one = server_find(
                &server, cases[i].answer, cases[i].answer == TRACY_ACK ? acks++ : 0);
            assert_non_null(one);
            size_t n = i && cases[i].query == cases[i - 1].query ? i - 1 : i;
            if (cases[i].key != TRACY_FIELD_KINDS)
                assert_int_equal(server_field(&server, one, cases[i].key), KEY + n);
        }
        server_free(&server);
    }
}
