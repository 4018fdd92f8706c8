// prop_device_log.c - random device logs, whole and damaged: no row is lost without being
// counted, zones nest, and neither threads nor the way a row is written are to be seen.
#include <string.h>

#include "../support/device_run.h"
#include "../support/memory_file.h"
#include "formats/device_log/device_log_write.h"
#include "formats/diags.h"
#include "prop.h"

enum {
    LAW_WHOLE,
    LAW_TRUTH,
    LAW_OPS,
    LAW_READS,
    LAW_ROWS,
    LAW_MARKERS,
    LAW_ZONES,
    LAW_CUT,
    LAW_NEIGHBOURS,
    LAW_THREADS,
    LAW_STATS,
    LAW_WRITTEN,
    LAW_PERMUTED,
    LAW_INTERLEAVED,
    LAW_AGAIN,
    LAWS
};
static struct law laws[LAWS] = {
    [LAW_WHOLE] = {.name = "a whole log gives a marker for each row and nothing odd"},
    [LAW_TRUTH] = {.name = "zones have the starts, ends and depths of what was run"},
    [LAW_OPS] = {.name = "each execution of a program is one complete op"},
    // A log of which nothing but blanks is left is refused, and one whose names were hit
    // is when it has no rows to tell the columns by.
    [LAW_READS] = {.name = "a damaged log is read"},
    [LAW_ROWS] = {.name = "each row is a marker, twice there, damaged or cut"},
    [LAW_MARKERS] = {.name = "tracks are in time order and point at what is there"},
    [LAW_ZONES] = {.name = "each start gives one zone, and zones nest"},
    [LAW_CUT] = {.name = "a cut log has no marker that the whole one has not"},
    [LAW_NEIGHBOURS] = {.name = "a damaged line costs no other line"},
    [LAW_THREADS] = {.name = "1, 2 and 5 threads give the same trace"},
    [LAW_STATS] = {.name = "1, 2 and 5 threads give the same statistics"},
    [LAW_WRITTEN] = {.name = "blanks, line ends and the form of numbers do not matter"},
    [LAW_PERMUTED] = {.name = "the order of the columns does not matter"},
    [LAW_INTERLEAVED] = {.name = "rows of several tracks may be mixed"},
    [LAW_AGAIN] = {.name = "a trace that is written and read again is the same"},
};

// --- random logs ---

enum form { FORM_CURRENT, FORM_PHASES, FORM_LEGACY, FORMS };

struct row {
    uint32_t track;
    uint32_t timer_id;
    uint64_t time, data;
    int64_t run, trace, counter; // -1: none
    const char *name;
    enum marker_type type;
    const char *meta;
};

struct zone {
    uint32_t track;
    uint64_t start, end;
    unsigned depth;
};

struct log {
    enum form form;
    uint32_t n_tracks, devices;
    VEC(struct row) rows;   // track by track
    VEC(struct zone) zones; // in the order of the starts
    uint32_t n_ops;
    bool has_open_meta; // commas in the meta data
};

static const char *const riscs[] = {"BRISC", "NCRISC", "TRISC_0", "TRISC_1"};
enum { RISCS = sizeof riscs / sizeof *riscs };
static const char *const inner_names[] = {
    "READ", "WAIT",           "a b",
    "",     "\xC3\xA4:0:x;y", "A-LONG-NAME-THAT-GOES-ON-AND-ON-AND-ON-AND-ON"};
static const char *const metas[] = {"", "", "{\"a\":1;\"b\":\"c\"}", "x",
                                    "{\"a\":1,\"b\":2}"};
#define PICK(r, list) ((list)[random_below((r), sizeof(list) / sizeof *(list))])

// Writes the markers of one track.
struct writer {
    struct random *r;
    struct log *log;
    uint32_t track;
    uint64_t time;
    bool was_tie;
    struct row like; // run and trace of the present op
};

// Now and then in the same cycle as the marker before; but never three, and never the same
// marker, which would be a row that stands there twice.
static void put(struct writer *w, uint32_t timer_id, const char *name,
                enum marker_type type)
{
    const struct row *last = w->log->rows.n ? &w->log->rows.v[w->log->rows.n - 1] : NULL;
    bool is_tie = !w->was_tie && w->log->form != FORM_LEGACY && random_one_in(w->r, 8) &&
                  last && (last->timer_id != timer_id || last->type != type);
    w->was_tie = is_tie;
    w->time += is_tie ? 0 : 1 + random_below(w->r, random_one_in(w->r, 4) ? 100000 : 50);
    struct row row = w->like;
    row.track = w->track;
    row.timer_id = timer_id;
    row.time = w->time;
    row.name = name;
    row.type = type;
    bool has_data = type >= MARKER_ZONE_TOTAL;
    row.data = has_data ? random_bits(w->r) >> random_below(w->r, 64) : 0;
    row.meta = has_data && w->log->form == FORM_CURRENT ? PICK(w->r, metas) : "";
    w->log->has_open_meta |= strchr(row.meta, ',') != NULL;
    vec_push(&w->log->rows, row);
}

static size_t open_zone(struct writer *w, uint32_t timer_id, const char *name,
                        unsigned depth)
{
    put(w, timer_id, name, MARKER_ZONE_START);
    vec_push(&w->log->zones, (struct zone){w->track, w->time, 0, depth});
    return w->log->zones.n - 1;
}

static void close_zone(struct writer *w, uint32_t timer_id, const char *name, size_t zone)
{
    put(w, timer_id, name, MARKER_ZONE_END);
    w->log->zones.v[zone].end = w->time;
}

// Zones and data inside of a kernel. Names go with ids: 100 + their place in the list.
static void put_inner(struct writer *w, unsigned depth)
{
    for (uint32_t n = random_below(w->r, 3); n-- > 0;) {
        uint32_t which = random_below(w->r, sizeof inner_names / sizeof *inner_names);
        if (random_one_in(w->r, 3)) {
            static const enum marker_type types[] = {MARKER_ZONE_TOTAL, MARKER_TS_DATA,
                                                     MARKER_TS_EVENT};
            uint32_t type = w->log->form == FORM_PHASES ? 0 : random_below(w->r, 3);
            put(w, 200 + which * 3 + type, inner_names[which], types[type]);
            continue;
        }
        size_t zone = open_zone(w, 100 + which, inner_names[which], depth);
        if (depth < 6)
            put_inner(w, depth + 1);
        close_zone(w, 100 + which, inner_names[which], zone);
    }
}

static void put_op(struct writer *w)
{
    static const char *const names[RISCS][2] = {{"BRISC-FW", "BRISC-KERNEL"},
                                                {"NCRISC-FW", "NCRISC-KERNEL"},
                                                {"TRISC-FW", "TRISC-KERNEL"},
                                                {"TRISC-FW", "TRISC-KERNEL"}};
    uint32_t risc = w->track % RISCS;
    bool is_legacy = w->log->form == FORM_LEGACY;
    const char *fw = names[risc][0], *kernel = names[risc][1];
    w->was_tie = true; // ops are apart
    size_t outer = open_zone(w, is_legacy ? 1 : 10 + risc, fw, 0);
    size_t inner = open_zone(w, is_legacy ? 2 : 20 + risc, kernel, 1);
    if (!is_legacy)
        put_inner(w, 2);
    close_zone(w, is_legacy ? 3 : 20 + risc, kernel, inner);
    close_zone(w, is_legacy ? 4 : 10 + risc, fw, outer);
}

// Every track runs the same programs one after the other; a program may come again.
static void log_make(struct log *l, struct random *r, enum form form)
{
    *l = (struct log){.form = form};
    uint32_t n_cores = 1 + random_below(r, 3);
    l->devices = 1 + random_below(r, 2);
    l->n_tracks = n_cores * (1 + random_below(r, RISCS));
    uint32_t per_core = l->n_tracks / n_cores, ops = 1 + random_below(r, 4);
    bool has_traces = form == FORM_CURRENT && random_one_in(r, 2);
    bool is_same_again = !has_traces && random_one_in(r, 3);
    l->devices = n_cores < l->devices ? n_cores : l->devices;
    l->n_ops = form == FORM_LEGACY ? 0 : ops * l->devices;
    for (uint32_t core = 0; core < n_cores; core++)
        for (uint32_t risc = 0; risc < per_core; risc++) {
            struct writer w = {.r = r, .log = l, .track = core * RISCS + risc};
            for (uint32_t op = 0; op < ops; op++) {
                // Executions lie so far apart that no core is late.
                w.time = (op + 1) * UINT64_C(100000000) + random_below(r, 1000);
                w.like.run =
                    (int64_t)((is_same_again ? 1 : op + 1) << 10 | core % l->devices);
                w.like.trace = has_traces ? 3 : -1;
                w.like.counter = has_traces ? (int64_t)(op / 2) : -1;
                put_op(&w);
            }
        }
}

static void log_free(struct log *l)
{
    vec_free(&l->rows);
    vec_free(&l->zones);
}

// --- ways to write them ---

struct writing {
    const uint32_t *column; // place of each field, NULL: the usual
    uint32_t blanks;        // one in so many commas has a blank behind it; 0: none
    const char *line_end;
    bool has_zeros; // in front of numbers
    bool has_no_last_end;
};
static const struct writing usual = {.line_end = "\n"};

static const char *const field_names[LOG_FIELDS] = {
    "PCIe slot",   "core_x",
    "core_y",      "RISC processor type",
    "timer_id",    "time[cycles since reset]",
    "data",        "run host ID",
    "trace id",    "trace id counter",
    "zone name",   "type",
    "source line", "source file",
    "meta data"};
static const int phase_fields[] = {LOG_CHIP,     LOG_X,    LOG_Y,    LOG_RISC,
                                   LOG_TIMER_ID, LOG_TIME, LOG_DATA, LOG_RUN,
                                   LOG_NAME,     LOG_TYPE, LOG_LINE, LOG_FILE};

static uint32_t n_fields(enum form f)
{
    return f == FORM_CURRENT ? LOG_FIELDS : f == FORM_LEGACY ? LOG_NEEDED : 12;
}

static int field_at(const struct log *l, const struct writing *w, uint32_t column)
{
    if (l->form == FORM_PHASES)
        return phase_fields[column];
    if (!w->column)
        return (int)column;
    for (int f = 0; f < LOG_FIELDS; f++)
        if (w->column[f] == column)
            return f;
    return -1;
}

static void put_unless_none(struct buf *b, int64_t v)
{
    if (v >= 0)
        buf_printf(b, "%lld", (long long)v);
}

static void put_field(const struct log *l, const struct row *row, int field, bool has_zeros,
                      struct buf *b)
{
    static const char *const phases[] = {"begin", "end", "sum"};
    uint32_t core = row->track / RISCS;
    uint32_t phase = l->form == FORM_PHASES ? (uint32_t)row->type * 65536 : 0;
    switch (field) {
    case LOG_CHIP: buf_printf(b, "%u", core % l->devices); break;
    case LOG_X: buf_printf(b, "%u", core + 1); break;
    case LOG_Y: buf_z(b, "7"); break;
    case LOG_RISC: buf_z(b, riscs[row->track % RISCS]); break;
    case LOG_TIMER_ID:
        buf_printf(b, has_zeros ? "%07u" : "%u", row->timer_id + phase);
        break;
    case LOG_TIME:
        buf_printf(b, has_zeros ? "%018llu" : "%llu", (unsigned long long)row->time);
        break;
    case LOG_DATA: buf_printf(b, "%llu", (unsigned long long)row->data); break;
    case LOG_RUN: buf_printf(b, "%lld", (long long)row->run); break;
    case LOG_TRACE: put_unless_none(b, row->trace); break;
    case LOG_COUNTER: put_unless_none(b, row->counter); break;
    case LOG_NAME: buf_z(b, row->name); break;
    case LOG_TYPE:
        buf_z(b, l->form == FORM_PHASES ? phases[row->type] : marker_type_names[row->type]);
        break;
    case LOG_LINE: buf_printf(b, "%u", row->timer_id); break;
    case LOG_FILE: buf_printf(b, "%s.cc", row->timer_id % 2 ? "one" : "another"); break;
    case LOG_META: buf_z(b, row->meta); break;
    default: break;
    }
}

static void put_row(const struct log *l, const struct row *row, const struct writing *w,
                    struct random *r, struct buf *b)
{
    for (uint32_t c = 0; c < n_fields(l->form); c++) {
        buf_z(b, c ? "," : "");
        if (w->blanks && random_one_in(r, w->blanks))
            buf_z(b, " ");
        put_field(l, row, field_at(l, w, c), w->has_zeros && random_one_in(r, 2), b);
    }
}

static void put_head(const struct log *l, const struct writing *w, struct buf *b)
{
    buf_printf(b, "ARCH: blackhole, CHIP_FREQ[MHz]: 1350%s", w->line_end);
    for (uint32_t c = 0; c < n_fields(l->form); c++) {
        int f = field_at(l, w, c);
        bool is_phase = l->form == FORM_PHASES && f == LOG_TYPE;
        buf_printf(b, "%s%s", c ? ", " : "", is_phase ? "zone phase" : field_names[f]);
    }
    buf_z(b, w->line_end);
}

// `order`: places in rows, NULL as they are.
static struct buf write_log(const struct log *l, const struct writing *w,
                            const uint32_t *order, struct random *r)
{
    struct buf b = {0};
    put_head(l, w, &b);
    for (size_t i = 0; i < l->rows.n; i++) {
        put_row(l, &l->rows.v[order ? order[i] : i], w, r, &b);
        if (i + 1 < l->rows.n || !w->has_no_last_end)
            buf_z(&b, w->line_end);
    }
    return b;
}

// --- laws of whole logs ---

static void threads(unsigned n)
{
    char text[16];
    (void)snprintf(text, sizeof text, "%u", n);
    (void)setenv("TTPROF_THREADS", text, 1);
}

static void check_laws(struct device_run *r, str text)
{
    const char *broken = law_of_rows(&r->trace);
    law_check(&laws[LAW_ROWS], !broken, "%s: %s", broken, prop_show(text));
    broken = law_of_markers(&r->trace);
    law_check(&laws[LAW_MARKERS], !broken, "%s: %s", broken, prop_show(text));
    pair_zones(&r->trace);
    broken = law_of_pairing(&r->trace);
    law_check(&laws[LAW_ZONES], !broken, "%s: %s", broken, prop_show(text));
}

static const char *check_truth(const struct log *l, const struct trace *t)
{
    if (t->zones.n != l->zones.n)
        return "the number of zones";
    for (size_t i = 0; i < l->zones.n; i++) {
        const struct zone *z = &l->zones.v[i];
        if (t->zones.start[i] != z->start)
            return "a start";
        if (t->zones.end[i] != z->end)
            return "an end";
        if (t->zones.depth[i] != z->depth)
            return "a depth";
    }
    return NULL;
}

static void check_whole(const struct log *l, str text)
{
    struct device_run r;
    if (!law_check(&laws[LAW_READS], device_run_read(&r, text), "%s", r.e.text)) {
        device_run_free(&r);
        return;
    }
    bool is_whole = r.trace.n_rows == l->rows.n && diag_total(&r.trace.diag) == 0;
    law_check(&laws[LAW_WHOLE], is_whole, "form %d: %llu rows of %zu, %llu odd", l->form,
              (unsigned long long)r.trace.n_rows, l->rows.n,
              (unsigned long long)diag_total(&r.trace.diag));
    check_laws(&r, text);
    const char *differs = check_truth(l, &r.trace);
    law_check(&laws[LAW_TRUTH], !differs, "form %d: %s", l->form, differs);
    device_ops_find(&r.ops, &r.trace);
    const char *broken = law_of_ops(&r.trace, &r.ops);
    if (l->form != FORM_LEGACY)
        law_check(&laws[LAW_OPS], !broken && r.ops.n == l->n_ops && !r.ops.n_incomplete,
                  "%zu ops for %u, %llu incomplete", r.ops.n, l->n_ops,
                  (unsigned long long)r.ops.n_incomplete);
    device_run_free(&r);
}

// A log in the current form is written as it was; one of another form is written in the
// current form, which then stays.
static void check_again(const struct log *l, str text)
{
    struct device_run r, again;
    if (!device_run_read(&r, text)) {
        device_run_free(&r);
        return;
    }
    struct memory_file m = memory_file_make(S("")), n = memory_file_make(S(""));
    struct file first, second;
    struct err e = {0};
    if (!device_log_write(&r.trace, m.path, true, &e) || !file_open(m.path, &first, &e))
        abort();
    if (l->form == FORM_CURRENT)
        law_check(&laws[LAW_AGAIN], str_eq(first.text, text), "written: %s",
                  prop_show(first.text));
    bool is_read = device_run_read(&again, first.text);
    const char *differs = !is_read                 ? again.e.text
                          : l->form != FORM_LEGACY ? trace_differs(&r.trace, &again.trace)
                                                   : NULL;
    law_check(&laws[LAW_AGAIN], !differs, "form %d: %s", l->form, differs);
    if (!device_log_write(&again.trace, n.path, true, &e) ||
        !file_open(n.path, &second, &e))
        abort();
    law_check(&laws[LAW_AGAIN], str_eq(first.text, second.text), "form %d: written again",
              l->form);
    file_close(&first);
    file_close(&second);
    memory_file_free(&m);
    memory_file_free(&n);
    device_run_free(&again);
    device_run_free(&r);
}

// Both texts must give the same trace and the same statistics.
static void check_same(struct law *trace_law, struct law *stats_law, str a, str b,
                       unsigned threads_b)
{
    struct device_run x, y;
    threads(1);
    bool ok = device_run_read(&x, a);
    threads(threads_b);
    bool ok_b = device_run_read(&y, b);
    const char *differs = ok != ok_b ? "one is refused"
                          : ok       ? trace_differs(&x.trace, &y.trace)
                                     : NULL;
    law_check(trace_law, !differs, "%s: %s", differs, prop_show(b));
    if (ok && ok_b && !differs) {
        static const struct device_how how = {.with_incomplete_ops = true,
                                              .with_percentiles = true};
        threads(1);
        (void)device_run_analyse(&x, &how);
        threads(threads_b);
        (void)device_run_analyse(&y, &how);
        differs = trace_differs(&x.trace, &y.trace);
        law_check(stats_law, !differs && str_eq(buf_view(&x.stats), buf_view(&y.stats)),
                  "%s: %s", differs ? differs : "the text", prop_show(b));
    }
    threads(1);
    device_run_free(&x);
    device_run_free(&y);
}

static void check_written(const struct log *l, str text, struct random *r)
{
    struct writing w = {.blanks = 1 + random_below(r, 4),
                        .line_end = random_one_in(r, 2) ? "\r\n" : "\n",
                        .has_zeros = random_one_in(r, 2),
                        // The last row of a legacy log would be a cut one.
                        .has_no_last_end = l->form != FORM_LEGACY && random_one_in(r, 2)};
    if (random_one_in(r, 3))
        w.blanks = 0;
    struct buf b = write_log(l, &w, NULL, r);
    check_same(&laws[LAW_WRITTEN], &laws[LAW_STATS], text, buf_view(&b), 1);
    buf_free(&b);
}

static void shuffle(struct random *r, uint32_t *v, uint32_t n)
{
    for (uint32_t i = n; i > 1; i--) {
        uint32_t k = random_below(r, i), swap = v[k];
        v[k] = v[i - 1];
        v[i - 1] = swap;
    }
}

static void check_permuted(const struct log *l, str text, struct random *r)
{
    uint32_t column[LOG_FIELDS];
    for (uint32_t f = 0; f < LOG_FIELDS; f++)
        column[f] = f;
    if (l->form == FORM_PHASES)
        return;
    // Meta data with commas can only stand last.
    bool is_meta_last = l->form == FORM_CURRENT && l->has_open_meta;
    shuffle(r, column, n_fields(l->form) - is_meta_last);
    struct writing w = {.column = column, .line_end = "\n"};
    struct buf b = write_log(l, &w, NULL, r);
    check_same(&laws[LAW_PERMUTED], &laws[LAW_STATS], text, buf_view(&b), 1);
    buf_free(&b);
}

// The rows in another order: each track's in their own, and tracks appear as before.
static void mix(const struct log *l, struct random *r, uint32_t *order)
{
    size_t *at = mem_alloc(mem_bytes(sizeof *at, l->rows.n + 1)), n_at = 0, n = 0;
    for (uint32_t i = 0; i < l->rows.n; i++)
        if (i == 0 || l->rows.v[i].track != l->rows.v[i - 1].track) {
            order[n++] = i;
            at[n_at++] = i + 1;
        }
    while (n < l->rows.n) {
        uint32_t k = random_below(r, (uint32_t)n_at);
        size_t i = at[k];
        if (i < l->rows.n && l->rows.v[i].track == l->rows.v[i - 1].track) {
            order[n++] = (uint32_t)i;
            at[k]++;
        }
    }
    mem_free(at);
}

static void check_interleaved(const struct log *l, str text, struct random *r)
{
    uint32_t *order = mem_alloc(mem_bytes(sizeof *order, l->rows.n + 1));
    mix(l, r, order);
    struct buf b = write_log(l, &usual, order, r);
    struct device_run x, y;
    threads(1 + random_below(r, 3));
    bool ok = device_run(&x, text, NULL);
    ok &= device_run(&y, buf_view(&b), NULL);
    law_check(&laws[LAW_INTERLEAVED],
              ok && str_eq(buf_view(&x.stats), buf_view(&y.stats)) && x.ops.n == y.ops.n &&
                  !check_truth(l, &y.trace),
              "%s", prop_show(buf_view(&b)));
    threads(1);
    device_run_free(&x);
    device_run_free(&y);
    buf_free(&b);
    mem_free(order);
}

// --- laws of damaged logs ---

// Lines of the whole log to times, and a cut log must agree.
static void check_cut(const struct log *l, struct device_run *r, size_t cut)
{
    bool holds = true;
    for (size_t k = 0; k < r->trace.tracks.n; k++) {
        const struct trace_track *track = &r->trace.tracks.v[k];
        for (uint32_t i = track->marker; i < track->marker + track->n_markers; i++) {
            uint32_t line = r->trace.markers.line[i];
            const struct row *row = &l->rows.v[line < 3 ? 0 : line - 3];
            holds &= line >= 3 && line - 3 < l->rows.n &&
                     r->trace.markers.time[i] == row->time &&
                     trace_site_of(&r->trace, i)->type == row->type &&
                     trace_site_of(&r->trace, i)->timer_id == row->timer_id;
        }
    }
    law_check(&laws[LAW_CUT], holds, "form %d, cut at %zu", l->form, cut);
}

static void try_cut(const struct log *l, str text, struct random *r)
{
    size_t cut =
        random_one_in(r, 4) ? random_below(r, 300) : random_below(r, (uint32_t)text.n + 1);
    if (cut > text.n)
        cut = text.n;
    str part = {text.p, cut};
    struct device_run run;
    bool ok = device_run_read(&run, part);
    law_check(&laws[LAW_READS], ok == (cut > 0), "form %d, cut at %zu: %s", l->form, cut,
              run.e.text);
    if (ok) {
        check_laws(&run, part);
        check_cut(l, &run, cut);
    }
    device_run_free(&run);
    if (random_one_in(r, 8))
        check_same(&laws[LAW_THREADS], &laws[LAW_STATS], part, part,
                   random_one_in(r, 2) ? 2 : 5);
}

static void damage_bytes(struct buf *b, size_t from, struct random *r)
{
    static const char odd[] = ",,\n\r\0 -+.:{}\"09azAZ_\x80\xC3\xFF;\t";
    size_t at = from + random_below(r, (uint32_t)(b->n - from));
    b->p[at] = random_one_in(r, 2) ? odd[random_below(r, sizeof odd - 1)]
                                   : (char)(b->p[at] ^ 1 << random_below(r, 8));
}

static void insert(struct buf *b, size_t at, str what)
{
    (void)buf_room(b, what.n);
    memmove(b->p + at + what.n, b->p + at, b->n - at);
    memcpy(b->p + at, what.p, what.n);
    b->n += what.n;
}

// A place in front of any byte of the line that `at` is in.
static void damage_line(struct buf *b, size_t from, struct random *r)
{
    static const str bad[] = {{",", 1},        {"\0", 1}, {"\xC3", 1},
                              {"garbage", 7},  {"-", 1},  {",,,,,,,,,,,,,,,,,,", 18},
                              {"\xEF\xBB", 2}, {"9", 1},  {"999999999999999999999", 21}};
    size_t at = from + random_below(r, (uint32_t)(b->n - from));
    if (random_one_in(r, 12)) {
        struct buf more = {0};
        for (uint32_t n = 1 + random_below(r, 3000); n-- > 0;)
            buf_char(&more, random_one_in(r, 20) ? ',' : 'x');
        insert(b, at, buf_view(&more));
        buf_free(&more);
        return;
    }
    char *comma = memchr(b->p + at, ',', b->n - at);
    if (random_one_in(r, 3) && comma) {
        size_t k = (size_t)(comma - b->p);
        memmove(b->p + k, b->p + k + 1, b->n - k - 1);
        b->n--;
        return;
    }
    insert(b, at, bad[random_below(r, sizeof bad / sizeof *bad)]);
}

static size_t count_markers(const struct trace *t)
{
    size_t n = trace_count(t, DIAG_DUPLICATE_ROW);
    for (size_t k = 0; k < t->tracks.n; k++)
        n += t->tracks.v[k].n_markers;
    return n;
}

static void try_damage(const struct log *l, str text, struct random *r)
{
    struct buf b = {0};
    buf_str(&b, text);
    size_t head = 0;
    for (int i = 0; i < 2; i++)
        head = (size_t)((char *)memchr(b.p + head, '\n', b.n - head) - b.p) + 1;
    bool in_body = !random_one_in(r, 6);
    if (random_one_in(r, 2))
        damage_bytes(&b, in_body ? head : 0, r);
    else
        damage_line(&b, in_body ? head : 0, r);
    str bad = buf_view(&b);
    struct device_run run;
    bool ok = device_run_read(&run, bad);
    // Names that were hit are made good from 15 or 6 cells a row; 12 have no such order.
    if (in_body || l->form == FORM_CURRENT || l->form == FORM_LEGACY)
        law_check(&laws[LAW_READS], ok, "form %d: %s: %s", l->form, run.e.text,
                  prop_show(bad));
    if (ok) {
        check_laws(&run, bad);
        if (in_body)
            law_check(&laws[LAW_NEIGHBOURS],
                      count_markers(&run.trace) + 2 >= l->rows.n &&
                          run.trace.n_rows + 1 >= l->rows.n &&
                          run.trace.n_rows <= l->rows.n + 1,
                      "form %d: %zu markers of %zu rows", l->form,
                      count_markers(&run.trace), l->rows.n);
    }
    device_run_free(&run);
    if (random_one_in(r, 8))
        check_same(&laws[LAW_THREADS], &laws[LAW_STATS], bad, bad,
                   random_one_in(r, 2) ? 2 : 5);
    buf_free(&b);
}

int main(void)
{
    struct random r = {20230811};
    uint64_t n = prop_rounds(150);
    for (uint64_t round = 0; round < n; round++) {
        struct log l;
        threads(1);
        log_make(&l, &r, random_one_in(&r, 2) ? FORM_CURRENT : random_below(&r, FORMS));
        struct buf b = write_log(&l, &usual, NULL, &r);
        str text = buf_view(&b);
        check_whole(&l, text);
        check_again(&l, text);
        check_same(&laws[LAW_THREADS], &laws[LAW_STATS], text, text, 2);
        check_same(&laws[LAW_THREADS], &laws[LAW_STATS], text, text, 5);
        check_written(&l, text, &r);
        check_permuted(&l, text, &r);
        check_interleaved(&l, text, &r);
        for (int i = 0; i < 20; i++) {
            try_cut(&l, text, &r);
            try_damage(&l, text, &r);
        }
        buf_free(&b);
        log_free(&l);
    }
    return laws_report(laws, LAWS);
}
