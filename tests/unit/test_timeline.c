// test_timeline.c - what a viewer reads from the page is what the trace holds.
#include <stdio.h>
#include <stdlib.h>

#include "sample_timeline.h"

// The tracks of sample_fill in the order of the grid.
static const struct grid_track {
    uint32_t device;
    int32_t x, y;
    const char *risc;
} grid[] = {{0, 1, 1, "BRISC"},   {0, 1, 1, "NCRISC"}, {0, 2, 1, "BRISC"},
            {0, 2, 1, "TRISC_0"}, {0, 1, 2, "BRISC"},  {1, 3, 1, "ERISC"},
            {1, 1, 2, "BRISC"}};
enum { GRID = sizeof grid / sizeof *grid };

static const struct trace_track *track_at(const struct trace *t, const struct grid_track *g)
{
    for (size_t i = 0; i < t->tracks.n; i++) {
        const struct trace_core *core = &t->cores.v[t->tracks.v[i].core];
        if (t->devices.v[core->device].id == g->device && core->x == g->x &&
            core->y == g->y && str_is(trace_text(t, t->tracks.v[i].risc), g->risc))
            return &t->tracks.v[i];
    }
    fail_msg("no such track");
    return NULL;
}

static uint64_t first_time(const struct trace *t, uint32_t device)
{
    uint64_t first = UINT64_MAX;
    for (size_t i = 0; i < t->tracks.n; i++) {
        const struct trace_track *k = &t->tracks.v[i];
        uint64_t time = t->markers.time[k->marker];
        if (t->cores.v[k->core].device == device && time < first)
            first = time;
    }
    return first;
}

static void is_zone(const struct sample_timeline *s, size_t zone, uint64_t t0,
                    const struct sample_bars *b, size_t i, const sample_numbers *sites)
{
    const struct trace *t = &s->trace;
    const struct trace_site *site = &t->sites.v[t->zones.site[zone]];
    assert_int_equal(t->zones.start[zone] - t0, b->start.v[i]);
    assert_int_equal(t->zones.end[zone] - t->zones.start[zone], b->duration.v[i]);
    uint8_t depth = t->zones.depth[zone];
    assert_int_equal((depth & 127) * 2 + (depth >> 7), b->depth.v[i]);
    uint32_t op = s->ops.of_run[t->zones.run[zone]];
    assert_int_equal(op == NO_OP ? 0 : op + 1, b->more.v[i]);
    // The numbers of a site are its name and its line.
    str want = trace_text(t, site->name);
    str name = sample_text_at(s, "names", (size_t)sites->v[2 * b->site.v[i]]);
    assert_true(str_eq(name, str_is(want, "</script>") ? S("\\u003c/script>") : want));
    assert_int_equal(site->line, sites->v[2 * b->site.v[i] + 1]);
}

TEST(timeline_zones_read_back_exactly_and_in_grid_order)
{
    struct sample_timeline s;
    sample_start(&s);
    sample_fill(&s, 1400);
    sample_read(&s);
    sample_write(&s);
    sample_numbers counts = {0}, sites = {0}, x = {0}, y = {0}, device = {0};
    sample_tracks(&s, "zones", &counts);
    sample_tracks(&s, "x", &x);
    sample_tracks(&s, "y", &y);
    sample_tracks(&s, "device", &device);
    sample_numbers_of(&s, "sites", &sites);
    assert_int_equal(GRID, counts.n);
    struct sample_bars b;
    sample_page_block(&s, "zones", counts.v, counts.n, &b);
    assert_int_equal(s.trace.zones.n, b.start.n);
    for (size_t k = 0, at = 0; k < GRID; k++) {
        const struct trace_track *track = track_at(&s.trace, &grid[k]);
        assert_int_equal(track->n_zones, counts.v[k]);
        assert_int_equal(grid[k].x, x.v[k]);
        assert_int_equal(grid[k].y, y.v[k]);
        assert_int_equal(grid[k].device, device.v[k]);
        uint64_t t0 = first_time(&s.trace, grid[k].device);
        for (uint32_t i = 0; i < track->n_zones; i++)
            is_zone(&s, track->zone + i, t0, &b, at++, &sites);
    }
    STR_IS(sample_value(&s, "widths"), "[]"); // few zones need no levels
    assert_true(str_has(sample_value(&s, "kept"), S("All zones are in this page.")));
    sample_bars_free(&b);
    vec_free(&counts);
    vec_free(&sites);
    vec_free(&x);
    vec_free(&y);
    vec_free(&device);
    sample_timeline_end(&s);
}

// --- levels ---

// The zones of one depth, and the spans that stand for them.
struct depth_check {
    const struct sample_bars *zones, *spans;
    size_t zone, zone_end, span, span_end; // of the track
    uint64_t width;
};

static size_t next_of(const struct sample_bars *b, size_t at, size_t end, uint64_t depth)
{
    while (at < end && b->depth.v[at] / 2 != depth)
        at++;
    return at;
}

// What a level promises: a zone joins the open span if the gap, the zone and the span so
// far are all shorter than the width.
static bool joins(const struct depth_check *c, uint64_t start, uint64_t end, size_t zone)
{
    uint64_t from = c->zones->start.v[zone];
    return (from < end || from - end < c->width) && c->zones->duration.v[zone] < c->width &&
           end - start < c->width;
}

// The site of the first zone that has the most time of its span.
static uint64_t main_site(const struct depth_check *c, size_t zone, uint64_t depth,
                          const uint64_t time_of[8])
{
    uint64_t best = 0;
    for (int i = 0; i < 8; i++)
        best = time_of[i] > best ? time_of[i] : best;
    while (time_of[c->zones->site.v[zone]] != best)
        zone = next_of(c->zones, zone + 1, c->zone_end, depth);
    return c->zones->site.v[zone];
}

static void covers(const struct depth_check *c, size_t span, size_t *zone, uint64_t depth)
{
    const struct sample_bars *z = c->zones;
    uint64_t start = c->spans->start.v[span], end = start + c->spans->duration.v[span];
    uint64_t time_of[8] = {0}, latest = start;
    size_t first = *zone;
    for (uint64_t i = 0; i < c->spans->more.v[span]; i++) {
        size_t k = *zone;
        assert_true(k < c->zone_end);
        if (i == 0)
            assert_int_equal(start, z->start.v[k]);
        else
            assert_true(joins(c, start, latest, k));
        uint64_t zone_end = z->start.v[k] + z->duration.v[k];
        latest = zone_end > latest ? zone_end : latest;
        assert_true(z->site.v[k] < 8);
        time_of[z->site.v[k]] += z->duration.v[k];
        *zone = next_of(z, k + 1, c->zone_end, depth);
    }
    assert_int_equal(latest, end);
    assert_int_equal(c->spans->site.v[span], main_site(c, first, depth, time_of));
    assert_true(*zone == c->zone_end ||
                !joins(c, start, end, *zone)); // it ends for a reason
}

static void check_depth(const struct depth_check *c, uint64_t depth, uint64_t axis)
{
    size_t zone = next_of(c->zones, c->zone, c->zone_end, depth);
    size_t n_spans = 0, n_long = 0;
    for (size_t i = c->zone; i < c->zone_end; i++)
        n_long += c->zones->depth.v[i] / 2 == depth && c->zones->duration.v[i] >= c->width;
    size_t span = next_of(c->spans, c->span, c->span_end, depth);
    while (span < c->span_end) {
        covers(c, span, &zone, depth);
        n_spans++;
        span = next_of(c->spans, span + 1, c->span_end, depth);
    }
    assert_int_equal(c->zone_end, zone); // each zone is in a span
    assert_true(n_spans <= 2 * (axis / c->width) + 2 * n_long + 1);
}

static void check_level(const struct sample_bars *zones, const int64_t *n_zones,
                        const struct sample_bars *spans, const int64_t *n_spans,
                        uint64_t width, uint64_t axis)
{
    struct depth_check c = {.zones = zones, .spans = spans, .width = width};
    for (size_t k = 0; k < GRID; k++) {
        c.zone_end += (size_t)n_zones[k];
        c.span_end += (size_t)n_spans[k];
        for (uint64_t depth = 0; depth < 8; depth++)
            check_depth(&c, depth, axis);
        for (size_t i = c.span + 1; i < c.span_end; i++)
            assert_true(spans->start.v[i - 1] < spans->start.v[i] ||
                        (spans->start.v[i - 1] == spans->start.v[i] &&
                         spans->depth.v[i - 1] <= spans->depth.v[i]));
        c.zone = c.zone_end;
        c.span = c.span_end;
    }
}

TEST(timeline_levels_cover_each_zone_by_a_span_of_its_depth)
{
    struct sample_timeline s;
    sample_start(&s);
    sample_fill(&s, 25000);
    sample_read(&s);
    sample_write(&s);
    sample_numbers n_zones = {0}, widths = {0}, n_spans = {0}, devices = {0};
    sample_tracks(&s, "zones", &n_zones);
    sample_numbers_of(&s, "widths", &widths);
    sample_numbers_of(&s, "spans", &n_spans);
    sample_numbers_of(&s, "devices", &devices); // id, mhz, span; the others are texts
    uint64_t axis = (uint64_t)(devices.v[2] > devices.v[5] ? devices.v[2] : devices.v[5]);
    struct sample_bars zones;
    sample_page_block(&s, "zones", n_zones.v, GRID, &zones);
    assert_true(widths.n >= 2);
    assert_int_equal(widths.n * GRID, n_spans.n);
    assert_int_equal((axis + 2047) / 2048, widths.v[0]);
    for (size_t level = 0; level < widths.n; level++) {
        const int64_t *counts = n_spans.v + level * GRID;
        struct sample_bars spans;
        char id[16];
        (void)snprintf(id, sizeof id, "%.*s", STR(sample_text_at(&s, "levels", level)));
        sample_page_block(&s, id, counts, GRID, &spans);
        assert_true(spans.start.n * 2 <= zones.start.n);
        assert_true(level == 0 || widths.v[level] == widths.v[level - 1] / 8);
        check_level(&zones, n_zones.v, &spans, counts, (uint64_t)widths.v[level], axis);
        sample_bars_free(&spans);
    }
    sample_bars_free(&zones);
    vec_free(&n_zones);
    vec_free(&widths);
    vec_free(&n_spans);
    vec_free(&devices);
    sample_timeline_end(&s);
}

// "start+duration*zones " of each span.
static str spans_of(const struct sample_bars *spans, struct buf *b)
{
    b->n = 0;
    for (size_t i = 0; i < spans->start.n; i++)
        buf_printf(b, "%llu+%llu*%llu ", (unsigned long long)spans->start.v[i],
                   (unsigned long long)spans->duration.v[i],
                   (unsigned long long)spans->more.v[i]);
    return buf_view(b);
}

// The axis of 10240 cycles makes a width of 5.
TEST(timeline_levels_join_what_is_shorter_than_their_width)
{
    static const struct {
        uint64_t start, end;
        const char *name;
    } zones[] = {
        {0, 2, "a"},     {6, 8, "a"},                      // a gap of 4
        {100, 101, "a"}, {106, 107, "a"},                  // a gap of 5
        {200, 201, "a"}, {202, 206, "a"},                  // a zone of 4
        {300, 301, "a"}, {302, 307, "a"},                  // a zone of 5
        {400, 402, "a"}, {403, 404, "a"}, {405, 406, "a"}, // a span of 4
        {500, 502, "a"}, {503, 505, "a"}, {506, 507, "a"}, // a span of 5
        {600, 602, "b"}, {603, 605, "a"}, {700, 706, "b"}, // a tie; the site of b
    };
    enum { ZONES = sizeof zones / sizeof *zones, HEAPS = 8, TIE = 9 };
    struct sample_timeline s;
    struct buf b = {0};
    sample_start(&s);
    for (size_t i = 0; i < ZONES; i++)
        sample_zone(&s, "0,1,1,BRISC", zones[i].name, 1000 + zones[i].start,
                    1000 + zones[i].end);
    for (uint64_t i = 0; i < 4 * HEAPS; i++) // a level must be worth while
        sample_zone(&s, "0,1,1,BRISC", "heap", 2000 + i / 4 * 100 + i % 4,
                    2000 + i / 4 * 100 + i % 4);
    sample_zone(&s, "0,1,1,BRISC", "last", 11240, 11240);
    sample_read(&s);
    s.page.max_zones = ZONES + 4 * HEAPS;
    sample_write(&s);
    STR_IS(sample_value(&s, "widths"), "[5]");
    sample_numbers n_spans = {0};
    struct sample_bars spans;
    sample_numbers_of(&s, "spans", &n_spans);
    sample_page_block(&s, "level0", n_spans.v, 1, &spans);
    STR_IS(spans_of(&spans, &b),
           "0+8*2 100+1*1 106+1*1 200+6*2 300+1*1 302+5*1 400+6*3 500+5*2 506+1*1 "
           "600+5*2 700+6*1 1000+3*4 1100+3*4 1200+3*4 1300+3*4 1400+3*4 1500+3*4 "
           "1600+3*4 1700+3*4 10240+0*1 ");
    assert_int_equal(spans.site.v[TIE], spans.site.v[TIE + 1]);
    assert_int_not_equal(spans.site.v[TIE], spans.site.v[0]);
    sample_bars_free(&spans);
    vec_free(&n_spans);
    buf_free(&b);
    sample_timeline_end(&s);
}

// --- limits and filters ---

// 1024 windows of 10 cycles from 1000 on; `n` zones in each of some of them.
static void windows_log(struct sample_timeline *s)
{
    static const struct {
        uint64_t window;
        uint64_t n;
    } windows[] = {{0, 1}, {3, 5}, {4, 4}, {100, 3}};
    sample_start(s);
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++)
        for (uint64_t k = 0; k < windows[i].n; k++)
            sample_zone(s, "0,1,1,BRISC", "short", 1000 + windows[i].window * 10 + 2 * k,
                        1001 + windows[i].window * 10 + 2 * k);
    sample_zone(s, "0,1,1,BRISC", "last", 11240, 11240);
    sample_zone(s, "0,1,1,NCRISC", "long", 1029, 1045); // reaches into windows 3 and 4
}

static void keeps(uint64_t max_zones, const char *kept, const char *windows)
{
    struct sample_timeline s;
    windows_log(&s);
    sample_read(&s);
    s.page.max_zones = max_zones;
    sample_write(&s);
    str value = sample_value(&s, "kept");
    test_str_is(str_clip(value, strlen(kept)), str_of(kept), __FILE__, __LINE__);
    test_str_is(sample_value(&s, "windows"), str_of(windows), __FILE__, __LINE__);
    sample_numbers counts = {0}, widths = {0}, n_spans = {0};
    sample_tracks(&s, "zones", &counts);
    sample_numbers_of(&s, "widths", &widths);
    sample_numbers_of(&s, "spans", &n_spans);
    assert_true(widths.n > 0 && n_spans.n == 2 * widths.n);
    struct sample_bars b;
    sample_page_block(&s, "zones", counts.v, 2, &b);
    sample_bars_free(&b);
    sample_page_block(&s, "level0", n_spans.v, 2, &b);
    uint64_t covered = 0;
    for (size_t i = 0; i < b.more.n; i++)
        covered += b.more.v[i];
    assert_int_equal(15, covered);
    sample_bars_free(&b);
    vec_free(&counts);
    vec_free(&widths);
    vec_free(&n_spans);
    sample_timeline_end(&s);
}

TEST(timeline_keeps_the_windows_with_most_zones_whole)
{
    // Five start in window 3 and one reaches into it; window 4 follows, so that it costs 4.
    keeps(5, "{\"zones\":0,\"of\":15,", "[]");
    keeps(6, "{\"zones\":6,\"of\":15,", "[\n[0,30,40]]");
    keeps(12, "{\"zones\":10,\"of\":15,", "[\n[0,30,50]]");
    keeps(13, "{\"zones\":13,\"of\":15,", "[\n[0,30,50],\n[0,1000,1010]]");
    // Of windows with one zone each, the earlier come first.
    keeps(14, "{\"zones\":14,\"of\":15,", "[\n[0,0,10],\n[0,30,50],\n[0,1000,1010]]");
}

TEST(timeline_heat_sums_all_zones_of_a_core_by_name)
{
    struct sample_timeline s;
    sample_start(&s);
    sample_fill(&s, 700);
    sample_read(&s);
    s.page.max_zones = 100; // the heat covers what is left out
    sample_write(&s);
    sample_numbers heat = {0};
    sample_numbers_of(&s, "heat", &heat);
    assert_int_equal(0, heat.n % 7);
    uint64_t total = 0;
    for (size_t i = 0; i < heat.n; i += 7) {
        const int64_t *h = heat.v + i;
        str name = sample_text_at(&s, "names", (size_t)h[3]);
        name = str_is(name, "\\u003c/script>") ? S("</script>") : name;
        uint64_t count = 0, sum = 0, longest = 0;
        for (size_t k = 0; k < s.trace.tracks.n; k++) {
            const struct trace_track *track = &s.trace.tracks.v[k];
            const struct trace_core *core = &s.trace.cores.v[track->core];
            bool is_core =
                core->device == (uint64_t)h[0] && core->x == h[1] && core->y == h[2];
            for (uint32_t z = track->zone; is_core && z < track->zone + track->n_zones;
                 z++) {
                uint64_t duration = s.trace.zones.end[z] - s.trace.zones.start[z];
                uint32_t text = s.trace.sites.v[s.trace.zones.site[z]].name;
                if (!str_eq(trace_text(&s.trace, text), name))
                    continue;
                count++;
                sum += duration;
                longest = duration > longest ? duration : longest;
            }
        }
        assert_int_equal(count, h[4]);
        assert_int_equal(sum, h[5]);
        assert_int_equal(longest, h[6]);
        total += count;
    }
    assert_int_equal(s.trace.zones.n, total);
    vec_free(&heat);
    sample_timeline_end(&s);
}

// --- robustness ---

TEST(timeline_bytes_do_not_depend_on_the_number_of_lanes)
{
    struct sample_timeline s;
    sample_start(&s);
    sample_fill(&s, 25000);
    sample_read(&s);
    static const uint64_t limits[] = {0, 5000};
    for (size_t i = 0; i < 2; i++) {
        struct buf one = {0};
        s.page.max_zones = limits[i];
        for (const char *const *n = (const char *const[]){"1", "3", "64", NULL}; *n; n++) {
            assert_int_equal(0, setenv("TTPROF_THREADS", *n, 1));
            sample_write(&s);
            if (!one.n)
                buf_str(&one, buf_view(&s.html));
            assert_true(str_eq(buf_view(&one), buf_view(&s.html)));
        }
        buf_free(&one);
    }
    assert_int_equal(0, unsetenv("TTPROF_THREADS"));
    sample_timeline_end(&s);
}

static size_t occurrences(str text, str what)
{
    size_t n = 0;
    while (str_after(text, what, &text))
        n++;
    return n;
}

TEST(timeline_names_cannot_break_the_page)
{
    size_t n[2];
    for (int hostile = 0; hostile < 2; hostile++) {
        struct sample_timeline s;
        sample_start(&s);
        sample_zone(&s, hostile ? "0,1,1,</script><!--" : "0,1,1,BRISC",
                    hostile ? "</script><script>alert(1)" : "zone", 1, 2);
        sample_read(&s);
        sample_write(&s);
        n[hostile] = occurrences(buf_view(&s.html), S("<script")) * 1000 +
                     occurrences(buf_view(&s.html), S("</script>")) * 10 +
                     occurrences(buf_view(&s.html), S("<!--"));
        sample_timeline_end(&s);
    }
    assert_int_equal(n[0], n[1]);
}

// The viewer reads these keys; a note under another one would not be shown.
TEST(timeline_notes_stand_under_the_keys_that_viewers_read)
{
    struct sample_timeline s;
    windows_log(&s);
    sample_read(&s);
    struct notes notes = {0};
    note(&notes, NOTE_INFO, "a");
    note(&notes, NOTE_WARNING, "b");
    note(&notes, NOTE_ERROR, "c");
    s.page.notes = &notes;
    sample_write(&s);
    STR_IS(sample_value(&s, "notes"),
           "[\n{\"level\":\"info\",\"text\":\"a\"},"
           "\n{\"level\":\"warning\",\"text\":\"b\"},"
           "\n{\"level\":\"error\",\"text\":\"c\"}]");
    notes_free(&notes);
    sample_timeline_end(&s);
}

TEST(timeline_of_an_empty_trace_is_a_page)
{
    struct sample_timeline s = {.trace = {.path = "log.csv"}};
    s.page.trace = &s.trace;
    s.page.ops = &s.ops;
    sample_write(&s);
    STR_IS(sample_value(&s, "tracks"), "[]");
    STR_IS(sample_value(&s, "runs"), "[]");
    STR_IS(sample_value(&s, "kept"),
           "{\"zones\":0,\"of\":0,\"rule\":\"All zones are in this page.\"}");
    struct sample_bars b;
    sample_page_block(&s, "zones", NULL, 0, &b);
    assert_int_equal(0, b.start.n);
    sample_bars_free(&b);
    sample_timeline_end(&s);
}

TEST(timeline_times_stay_whole_numbers_of_a_browser)
{
    struct sample_timeline s;
    sample_start(&s);
    sample_zone(&s, "0,1,1,BRISC", "all", 0, INT64_MAX);
    sample_zone(&s, "0,1,1,NCRISC", "late", INT64_MAX - 5, INT64_MAX);
    sample_read(&s);
    for (s.page.max_zones = 1; s.page.max_zones < 3; s.page.max_zones++) {
        sample_write(&s);
        sample_numbers numbers = {0};
        sample_numbers_of(&s, "timeline", &numbers);
        for (size_t i = 0; i < numbers.n; i++)
            assert_true(numbers.v[i] < INT64_C(1) << 53);
        vec_free(&numbers);
    }
    sample_timeline_end(&s);
}
