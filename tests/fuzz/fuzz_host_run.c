// fuzz_host_run.c - any bytes as the files of a process: a table, two rings and a stream,
// each with its length before it. What says that they are such files is put right, and so
// are the sums of blocks: damage is wanted behind those doors.
#include "../support/walk_track.h"
#include "analyse/host/host_zones.h"
#include "formats/host_run/host_run_files.h"
#include "fuzz.h"
#include "present/reports/zones_csv.h"
#include "record/format/block.h"

enum { RING_WORDS = 1 << 10 };

static str cut_part(str *rest)
{
    uint32_t n = 0;
    if (rest->n < sizeof n)
        return (str){NULL, 0};
    memcpy(&n, rest->p, sizeof n);
    *rest = str_from(*rest, sizeof n);
    str part = {rest->p, n < rest->n ? n : rest->n};
    *rest = str_from(*rest, part.n);
    return part;
}

// Padded to the least that such a file has, with the right magic.
static str as_file(struct arena *a, str part, size_t least, uint32_t magic)
{
    size_t n = part.n < least ? least : part.n;
    char *p = arena_push(a, n, 8);
    if (part.n)
        memcpy(p, part.p, part.n);
    uint32_t head[2] = {magic, TT_RECORDING_VERSION};
    memcpy(p, head, sizeof head);
    return (str){p, n};
}

static str as_ring(struct arena *a, str part)
{
    str file = as_file(a, part, TT_RING_HEADER + RING_WORDS * 8, TT_RING_MAGIC);
    struct tt_ring head;
    memcpy(&head, file.p, sizeof head);
    if (head.capacity > RING_WORDS)
        head.capacity = RING_WORDS;
    memcpy((char *)file.p, &head, sizeof head);
    return file;
}

static str as_stream(struct arena *a, str part)
{
    str file = as_file(a, part, sizeof(struct tt_stream), TT_STREAM_MAGIC);
    size_t at = sizeof(struct tt_stream);
    while (file.n - at >= sizeof(struct tt_block)) {
        struct tt_block b;
        memcpy(&b, file.p + at, sizeof b);
        size_t left = file.n - at - sizeof b;
        if (b.packed > left)
            b.packed = (uint32_t)left;
        b.magic = TT_BLOCK_MAGIC;
        b.sum = block_sum(&b, file.p + at + sizeof b);
        memcpy((char *)file.p + at, &b, sizeof b);
        at += sizeof b + b.packed;
    }
    return file;
}

// --- laws ------------------------------------------------------------------------------

struct seen {
    const struct trace *r;
};

static void see_zone(void *context, const struct walk_zone *z)
{
    struct seen *s = context;
    must(z->start <= z->end);
    must(z->site < s->r->sites.n);
    uint32_t sum = 0;
    for (size_t i = 0; i < z->said.text.n; i++)
        sum += (unsigned char)z->said.text.p[i];
    for (size_t i = 0; i < z->said.name.n; i++)
        sum += (unsigned char)z->said.name.p[i];
    must(sum + 1 != sum);
}

static void see_event(void *context, const struct trace_event *ev)
{
    struct seen *s = context;
    must((unsigned)ev->kind < TT_EVENT_KINDS);
    must(ev->kind != TT_ZONE_BEGIN && ev->kind != TT_ZONE_END && ev->kind != TT_CLOCK);
    if (ev->kind == TT_FIBER_ENTER || ev->kind == TT_PLOT_INT)
        must(ev->a < s->r->strings.keys.n);
    uint32_t sum = 0;
    for (size_t i = 0; i < ev->text.n; i++)
        sum += (unsigned char)ev->text.p[i];
    must(sum + 1 != sum);
}

static void check_track(struct trace *r, uint32_t track)
{
    const struct trace_track *t = &r->tracks.v[track];
    struct seen s = {.r = r};
    struct walk_visitor v = {&s, see_zone, see_event};
    must(t->process < r->processes.n);
    must(t->name < r->strings.keys.n);
    walk_track(r, track, &v);
}

static void check_stats(const struct trace *r)
{
    struct zone_choice choice = {.pid = -1, .rank = -1, .by = ZONES_BY_THREAD};
    struct zone_stats s[2];
    choice.percentiles[choice.n_percentiles++] = 50;
    for (int i = 0; i < 2; i++) {
        (void)setenv("TTPROF_THREADS", i ? "2" : "1", 1);
        zone_stats_make(&s[i], r, &choice);
    }
    must(s[0].rows.n == s[1].rows.n && s[0].n_zones == s[1].n_zones);
    must(!s[0].rows.n ||
         memcmp(s[0].rows.v, s[1].rows.v, s[0].rows.n * sizeof *s[0].rows.v) == 0);
    for (size_t i = 0; i < s[0].rows.n; i++) {
        const struct zone_row *row = &s[0].rows.v[i];
        must(row->min <= row->max && row->self <= row->total);
        must(row->count == 0 || (row->percentiles[0] >= (double)row->min &&
                                 row->percentiles[0] <= (double)row->max));
    }
    zone_stats_free(&s[0]);
    zone_stats_free(&s[1]);
}

static void check_forms(const struct trace *r)
{
    struct err e = {0};
    struct zones_csv form = zones_csv_default();
    form.parent = "";
    form.children = "a,b";
    form.with_plots = true;
    must(zones_csv_unwrapped(r, &form, "/dev/null", &e));
    must(zones_csv_messages(r, &form, "/dev/null", &e));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    struct trace r = {0};
    str rest = {(const char *)data, size};
    str table = as_file(&a, cut_part(&rest), TT_TABLE_HEADER, TT_TABLE_MAGIC);
    str rings[2] = {as_ring(&a, cut_part(&rest)), as_ring(&a, cut_part(&rest))};
    str stream = as_stream(&a, cut_part(&rest));
    trace_blocks_start(&r, "fuzz");
    struct host_files *f = host_files_find(&r, S("1-0"));
    for (int i = 0; i < 2; i++)
        (void)host_files_add_ring(&r, f, &(struct host_source){-1, rings[i]});
    f->stream = stream;
    f->blobs = rest;
    (void)host_files_add_table(&r, f, &(struct host_source){-1, table});
    trace_blocks_finish(&r);
    must(r.processes.n == 1);
    for (uint32_t i = 0; i < r.tracks.n; i++)
        check_track(&r, i);
    check_stats(&r);
    check_forms(&r);
    (void)trace_findings(&r);
    int64_t ns;
    (void)trace_program_time(&r, 0, UINT64_MAX, &ns);
    trace_free(&r);
    arena_free(&a);
    return 0;
}
