// test_tracy_from.c - a trace as the contents of a Tracy trace: walks of the trace made
// from those find what the first one had.
#define TTPROF_ENABLE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text/buf.h"

#include "formats/diags.h"
#include "formats/host_run/host_run.h"
#include "formats/tracy/tracy_file.h"
#include "formats/tracy/tracy_from.h"
#include "formats/tracy/tracy_trace.h"
#include "sample_record.h"
#include "test.h"
#include "trace/cursor.h"
#include "tracy_golden.h"

static void put_zone(struct buf *b, const struct trace *r, const struct trace_batch *t,
                     size_t i)
{
    const struct trace_site *at = &r->sites.v[t->site[i]];
    struct zone_said said = trace_said(t, i);
    buf_printf(b, "zone %llu %llu %u %u %.*s %.*s %.*s:%lld %.*s %.*s %x\n",
               (unsigned long long)t->start[i], (unsigned long long)t->end[i], t->depth[i],
               t->flags[i], STR(trace_text(r, at->name)), STR(trace_text(r, at->function)),
               STR(trace_text(r, at->file)), (long long)at->line, STR(said.text),
               STR(said.name), said.colour);
}

// Locks have other numbers after the way there and back.
static void put_event(struct buf *b, const struct trace *r, const struct trace_event *ev)
{
    bool is_lock = ev->kind >= TT_LOCK_WAIT && ev->kind <= TT_LOCK_MARK;
    uint64_t a = is_lock || ev->kind <= TT_OP ? 0 : ev->a;
    buf_printf(b, "event %d %llu %x %.*s ", (int)ev->kind, (unsigned long long)ev->time,
               ev->attribute, STR(ev->text));
    if (ev->kind >= TT_FRAME_MARK && ev->kind <= TT_PLOT_REAL)
        buf_str(b, trace_text(r, (uint32_t)ev->a));
    else
        buf_printf(b, "%llx", (unsigned long long)a);
    if (ev->kind == TT_ALLOC || ev->kind == TT_PLOT_REAL)
        buf_printf(b, " %llx", (unsigned long long)ev->b);
    buf_char(b, '\n');
}

static int by_text(const void *a, const void *b)
{
    const str *x = a, *y = b;
    size_t n = x->n < y->n ? x->n : y->n;
    int c = n ? memcmp(x->p, y->p, n) : 0;
    return c ? c : (x->n > y->n) - (x->n < y->n);
}

// Events that belong to no thread are on the first track: all are listed together.
static void put_sorted(struct buf *to, struct buf *from)
{
    VEC(str) lines = {0};
    for (str rest = buf_view(from); rest.n;)
        vec_push(&lines, str_cut(&rest, '\n'));
    if (lines.n)
        qsort(lines.v, lines.n, sizeof *lines.v, by_text);
    for (size_t i = 0; i < lines.n; i++)
        buf_printf(to, "%.*s\n", STR(lines.v[i]));
    vec_free(&lines);
}

static void put_trace(struct buf *b, const struct trace *r)
{
    struct trace_cursor *c = trace_cursor_new(r);
    struct buf events = {0};
    for (uint32_t k = 0; k < r->tracks.n; k++) {
        const struct trace_track *track = &r->tracks.v[k];
        if (track->kind == TRACK_LANE)
            continue;
        buf_printf(b, "track %d %.*s\n", (int)track->kind, STR(trace_text(r, track->name)));
        trace_cursor_start(c, k);
        for (const struct trace_batch *t; (t = trace_cursor_next(c));) {
            for (size_t i = 0; i < t->n_zones; i++)
                put_zone(b, r, t, i);
            for (size_t i = 0; i < t->n_events; i++)
                put_event(&events, r, &t->events[i]);
        }
    }
    put_sorted(b, &events);
    buf_free(&events);
    trace_cursor_free(c);
}

static bool is_same(const char *path, str got, str want)
{
    while (got.n || want.n) {
        str a = str_cut(&got, '\n'), b = str_cut(&want, '\n');
        if (str_eq(a, b))
            continue;
        (void)fprintf(stderr, "%s:\n  found    '%.*s'\n  expected '%.*s'\n", path, STR(a),
                      STR(b));
        return false;
    }
    return true;
}

static bool comes_back(const char *path)
{
    struct trace there = {0}, back = {0};
    struct tracy contents;
    struct err e = {0};
    struct buf got = {0}, want = {0};
    assert_true(tracy_trace_add(&there, path, NULL, &e));
    enum tracy_generation generation = tracy_of_trace(&there)->generation;
    tracy_start(&contents, NULL, 0);
    tracy_from_trace(&contents, &there, (struct tracy_from_how){.generation = generation});
    tracy_trace(&back, &contents, path, NULL);
    put_trace(&got, &back);
    put_trace(&want, &there);
    bool same = is_same(path, buf_view(&got), buf_view(&want));
    buf_free(&got);
    buf_free(&want);
    trace_free(&there);
    trace_free(&back);
    return same;
}

TEST(tracy_contents_made_of_a_trace_make_the_same_trace)
{
    if (!tracy_golden_is_there())
        skip();
    struct tracy_golden files;
    tracy_golden_list(&files);
    assert_true(files.paths.n > 100);
    unsigned n_wrong = 0;
    for (size_t i = 0; i < files.paths.n; i++)
        n_wrong += !comes_back(files.paths.v[i]);
    tracy_golden_free(&files);
    assert_int_equal(0, n_wrong);
}

// --- locks -------------------------------------------------------------------------------
static uint32_t lock;

static void *lock_once(void *unused)
{
    ttprof_lock_wait(lock, 0);
    ttprof_lock_obtain(lock, 0);
    ttprof_lock_release(lock, 0);
    return unused;
}

TEST(tracy_contents_count_the_events_of_a_lock_with_too_many_threads)
{
    enum { THREADS = 66, MOST = 64 };
    TTPROF_LOCATION(place, "mutex", 0);
    struct sample_record r = sample_record(NULL);
    struct err e = {0};
    struct trace there = {0};
    struct tracy contents;
    lock = ttprof_lock_make(&place);
    for (int i = 0; i < THREADS; i++) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, lock_once, NULL), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
    }
    ttprof_stop();
    assert_true(host_run_add(&there, r.folder, &e));
    tracy_start(&contents, NULL, 0);
    tracy_from_trace(&contents, &there, (struct tracy_from_how){.generation = TRACY_F10});
    assert_int_equal(contents.locks.n, 1);
    assert_int_equal(contents.locks.v[0].threads.n, MOST);
    assert_int_equal(contents.locks.v[0].events.n, 3 * MOST);
    assert_int_equal(contents.diag.entry[DIAG_TRACY_UNWRITTEN].count, 3 * (THREADS - MOST));
    tracy_free(&contents);
    trace_free(&there);
    sample_record_remove(&r);
}
