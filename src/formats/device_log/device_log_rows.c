// device_log_rows.c - reads rows into columns.
//
// Rows of versions since 2024 take the fast path: most of a row is the same as in an
// earlier row (the core and RISC, the run, everything from the zone's name on), so it is
// compared instead of parsed, and only two numbers are decoded. A row that differs at any
// byte takes the slow path, cell by cell, which also fills the fast path's memory. Both
// give the same columns.
#include "formats/device_log/device_log_rows.h"

#include "base/text/num.h"
#include "base/text/progress.h"

#include "formats/diags.h"
#include "trace/legacy_markers.h"

enum {
    HEAD_MOST = 32,         // bytes of "0,1,1,BRISC," that are compared
    RUN_MOST = 32,          // and of "1027,,,"
    TAILS = 4096,           // by timer id
    TAIL_MOST = 320,        // bytes
    FORGET_STEP = 16 << 20, // bytes of a mapped file kept in memory after a lane's position
    SHORT_ROOM = 640,       // bytes the fast path needs ahead: a row may take 480
    BAR_STEP = 1 << 16,
    LOOKS = 64, // places sampled to estimate the number of lines
    LOOK_BYTES = 4096,
};

// Bytes to compare with, in words.
struct log_pattern {
    uint64_t word[HEAD_MOST / 8], mask[HEAD_MOST / 8];
    size_t n; // 0: none
};

// From the zone's name to the comma before the metadata.
struct log_tail {
    const char *p;
    uint32_t n;
    uint32_t timer_id;
    uint32_t site;
};

struct log_short {
    struct log_pattern head, run;
    int64_t chip; // of the head
    uint32_t run_id;
    struct log_tail tail[TAILS][2]; // a start and an end
};

static inline void append_row(struct log_columns *c, uint64_t time, uint32_t site,
                              uint32_t run, uint32_t line)
{
    c->time[c->n] = time;
    c->site[c->n] = site;
    c->run[c->n] = run;
    c->line[c->n++] = line;
}

static void *move_column(void *from, bool is_own, size_t used, size_t size)
{
    void *to = mem_resize(is_own ? from : NULL, size);
    if (!is_own && used)
        memcpy(to, from, used);
    return to;
}

static void grow_columns(struct log_columns *c)
{
    c->cap = c->cap + c->cap / 2 + 64;
    c->time = move_column(c->time, c->is_own, c->n * 8, mem_bytes(8, c->cap));
    c->site = move_column(c->site, c->is_own, c->n * 4, mem_bytes(4, c->cap));
    c->run = move_column(c->run, c->is_own, c->n * 4, mem_bytes(4, c->cap));
    c->line = move_column(c->line, c->is_own, c->n * 4, mem_bytes(4, c->cap));
    c->is_own = true;
}

static void put_datum(struct log_lane *l, uint64_t data, str meta)
{
    vec_push(&l->data, (struct trace_datum){
                           .data = data,
                           .meta = meta.p,
                           .meta_n = meta.n > UINT32_MAX ? 0 : (uint32_t)meta.n,
                           .marker = (uint32_t)l->rows.n,
                       });
}

// --- fast path -----------------------------------------------------------------------

static uint64_t load8(const char *p)
{
    uint64_t w;
    memcpy(&w, p, 8);
    return w;
}

static void pattern_set(struct log_pattern *f, const char *p, size_t n)
{
    *f = (struct log_pattern){0};
    if (n > HEAD_MOST)
        return;
    f->n = n;
    char bytes[HEAD_MOST] = {0}, ones[HEAD_MOST] = {0};
    memcpy(bytes, p, n);
    memset(ones, 0xFF, n);
    memcpy(f->word, bytes, sizeof bytes);
    memcpy(f->mask, ones, sizeof ones);
}

static inline bool pattern_fits(const struct log_pattern *f, const char *p)
{
    uint64_t differs = 0;
    for (size_t i = 0; i < HEAD_MOST / 8; i++)
        differs |= (load8(p + i * 8) ^ f->word[i]) & f->mask[i];
    return differs == 0 && f->n;
}

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
// Up to eight digits at p: their number and value.
static inline unsigned digits8(const char *p, uint64_t *value)
{
    uint64_t w = load8(p);
    uint64_t low = w - UINT64_C(0x3030303030303030);
    uint64_t no_digit =
        ((w + UINT64_C(0x4646464646464646)) | low) & UINT64_C(0x8080808080808080);
    unsigned n = no_digit ? (unsigned)__builtin_ctzll(no_digit) / 8 : 8;
    if (n == 0)
        return 0;
    low <<= 64 - 8 * n; // shift zeros in as leading digits, bytes after the digits out
    low = low * 10 + (low >> 8);
    *value =
        ((low & UINT64_C(0x000000FF000000FF)) * UINT64_C(0x000F424000000064) +
         ((low >> 16) & UINT64_C(0x000000FF000000FF)) * UINT64_C(0x0000271000000001)) >>
        32;
    return n;
}
#else
static inline unsigned digits8(const char *p, uint64_t *value)
{
    unsigned n = 0;
    for (*value = 0; n < 8 && p[n] >= '0' && p[n] <= '9'; n++)
        *value = *value * 10 + (uint64_t)(p[n] - '0');
    return n;
}
#endif

// Digits up to a comma; NULL if there is anything else, nothing, or too many digits.
static inline const char *read_number(const char *p, uint64_t *out)
{
    static const uint64_t pow10[] = {1,      10,      100,      1000,     10000,
                                     100000, 1000000, 10000000, 100000000};
    uint64_t v = 0, part;
    unsigned n, total = 0;
    do {
        n = digits8(p, &part);
        if (n)
            v = v * pow10[n] + part;
        p += n;
        total += n;
    } while (n == 8 && total < 24);
    if (*p != ',' || total == 0 || total > 18)
        return NULL;
    *out = v;
    return p + 1;
}

// A number up to a comma, or nothing.
static inline const char *read_number_or_none(const char *p, uint64_t *out)
{
    if (*p != ',')
        return read_number(p, out);
    *out = UINT64_MAX;
    return p + 1;
}

static uint64_t cell_of(const struct log_head *h, const uint64_t *cell, enum log_field f)
{
    int at = h->column[f] - (LOG_DATA + 1);
    return at < 0 ? UINT64_MAX : cell[at];
}

// The ids between data and zone name ("1027,,,") differ from the previous row's.
static const char *short_run(const struct log_lane *l, const char *p, struct run_key *run)
{
    const struct log_head *h = l->head;
    uint64_t cell[RUN_COLUMNS_MOST] = {0};
    for (int i = 0; i < h->n_run; i++)
        if (!(p = read_number_or_none(p, &cell[i])))
            return NULL;
    uint64_t id = cell_of(h, cell, LOG_RUN);
    *run = (struct run_key){l->shorts->chip, id == UINT64_MAX ? 0 : (int64_t)id,
                            (int64_t)cell_of(h, cell, LOG_TRACE),
                            (int64_t)cell_of(h, cell, LOG_COUNTER)};
    return p;
}

static inline const struct log_tail *find_tail(const struct log_short *s, uint64_t timer_id,
                                               const char *p)
{
    const struct log_tail *t = s->tail[timer_id % TAILS];
    for (int i = 0; i < 2; i++)
        if (t[i].n && t[i].timer_id == timer_id && memcmp(p, t[i].p, t[i].n) == 0)
            return &t[i];
    return NULL;
}

// Reads the row at p; returns the start of the next one, or NULL if it needs the slow path.
static inline const char *short_row(struct log_lane *l, const char *p)
{
    struct log_short *s = l->shorts;
    if (!pattern_fits(&s->head, p))
        return NULL;
    p += s->head.n;
    uint64_t timer_id, time, data;
    if (!(p = read_number(p, &timer_id)) || !(p = read_number(p, &time)) ||
        !(p = read_number(p, &data)))
        return NULL;
    const char *run_text = p;
    struct run_key run;
    bool is_same_run = pattern_fits(&s->run, p);
    p = is_same_run ? p + s->run.n : short_run(l, p, &run);
    if (!p)
        return NULL;
    size_t run_n = (size_t)(p - run_text);
    const struct log_tail *tail = find_tail(s, timer_id, p);
    if (!tail)
        return NULL;
    p += tail->n;
    str meta = {p, 0};
    if (*p != '\n') {
        if (l->head->column[LOG_META] < 0)
            return NULL;
        const char *stop = memchr(p, '\n', (size_t)(l->text.p + l->to - p));
        if (!stop)
            return NULL;
        meta = str_trim((str){p, (size_t)(stop - p)});
        p = stop;
        // Commas are part of the cell only in an object.
        if (meta.n && meta.p[0] != '{' && memchr(meta.p, ',', meta.n))
            return NULL;
    }
    // The row is valid: nothing was stored before this point.
    if (!is_same_run) {
        s->run_id = map_put_copy(&l->runs, &run, sizeof run, &l->arena);
        pattern_set(&s->run, run_text, run_n);
    }
    if (data || meta.n)
        put_datum(l, data, meta);
    append_row(&l->rows, time, tail->site, s->run_id, l->n_lines);
    return p + 1;
}

// --- slow path -----------------------------------------------------------------------

static void count_problem(struct log_lane *l, int kind, str what)
{
    l->n_odd++;
    // Rows of a track are adjacent, so one to add to is among the last.
    size_t from = l->odd.n > DIAG_KINDS ? l->odd.n - DIAG_KINDS : 0;
    for (size_t i = l->odd.n; i-- > from;)
        if (l->odd.v[i].kind == kind && l->odd.v[i].track == l->track) {
            l->odd.v[i].count++;
            return;
        }
    vec_push(&l->odd, (struct log_odd){kind, l->track, 1, l->n_lines, str_clip(what, 80)});
}

static bool read_u64(str s, uint64_t *out)
{
    s = str_trim(s);
    uint64_t v = 0;
    for (size_t i = 0; i < s.n; i++) {
        unsigned d = (unsigned char)s.p[i] - (unsigned)'0';
        if (d > 9 || __builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, d, &v))
            return false;
    }
    *out = v;
    return s.n > 0;
}

// For fields that may be missing or hold anything: a number, or `none`.
static int64_t read_optional(struct log_lane *l, str s, int64_t none)
{
    int64_t v;
    double real;
    s = str_trim(s);
    if (!s.n)
        return none;
    if (num_int(s, &v))
        return v;
    if (num_real(s, &real) && real > -9e15 && real < 9e15)
        return (int64_t)real; // "3.0": the log went through a table program
    count_problem(l, DIAG_NOT_A_NUMBER, s);
    return none;
}

static enum marker_type read_type(struct log_lane *l, str type)
{
    static const struct {
        const char *phase;
        enum marker_type type;
    } phases[] = {
        {"begin", MARKER_ZONE_START}, {"end", MARKER_ZONE_END}, {"sum", MARKER_ZONE_TOTAL}};
    for (int i = 0; i < MARKER_OTHER; i++)
        if (str_is(type, marker_type_names[i]))
            return (enum marker_type)i;
    for (size_t i = 0; i < sizeof phases / sizeof *phases; i++)
        if (str_is(type, phases[i].phase))
            return phases[i].type;
    count_problem(l, DIAG_MARKER_TYPE, type);
    return MARKER_OTHER;
}

static void name_legacy(struct log_lane *l, str risc, struct site_key *k)
{
    struct legacy_marker marker = legacy_marker_of(risc, (uint64_t)k->timer_id);
    k->type = (uint32_t)marker.type;
    k->is_legacy_of = map_put(&l->strings, risc);
    if (marker.end.n)
        k->name = map_put(&l->strings, arena_printf(&l->arena, "%.*s%.*s",
                                                    STR(marker.family), STR(marker.end)));
    k->type_text = map_put(&l->strings, str_of(marker_type_names[k->type]));
}

// The cells of a row by field; fields that the log does not have are empty.
struct cells {
    str v[LOG_FIELDS];
    const char *at[LOG_FIELDS]; // where they start in the text, blanks included
};

static bool split_row(const struct log_lane *l, str row, bool is_last, struct cells *c)
{
    const struct log_head *h = l->head;
    str column[LOG_FIELDS + 16];
    const size_t most = sizeof column / sizeof *column;
    size_t n = 0;
    str rest = row;
    bool more = true;
    // Metadata is the last cell: its commas are its own.
    size_t meta = h->column[LOG_META] >= 0 ? (size_t)h->column[LOG_META] : most;
    while (more && n < most && n < h->n_columns) {
        bool is_open = n == meta && n + 1 == h->n_columns && str_trim(rest).n &&
                       str_trim(rest).p[0] == '{';
        more = !is_open && rest.n && memchr(rest.p, ',', rest.n);
        column[n++] = more ? str_cut(&rest, ',') : rest;
    }
    // A number truncated by the end of the file would be a different number.
    if (is_last && l->is_legacy)
        return false;
    if (more || (n < h->n_columns && (is_last || n <= (size_t)h->column[LOG_TIME])))
        return false;
    // Rows may end early, but not before the cell that tells their type.
    if (h->column[LOG_TYPE] >= 0 && n <= (size_t)h->column[LOG_TYPE])
        return false;
    for (int f = 0; f < LOG_FIELDS; f++) {
        bool has = h->column[f] >= 0 && (size_t)h->column[f] < n;
        c->v[f] = has ? str_trim(column[h->column[f]]) : (str){"", 0};
        c->at[f] = has ? column[h->column[f]].p : NULL;
    }
    return true;
}

static bool read_track(struct log_lane *l, const struct cells *c, struct track_key *k)
{
    if (!num_int(c->v[LOG_CHIP], &k->chip) || !num_int(c->v[LOG_X], &k->x) ||
        !num_int(c->v[LOG_Y], &k->y) || !c->v[LOG_RISC].n)
        return false;
    // Limits of grid coordinates and of a processor's name.
    if (k->x != (int32_t)k->x || k->y != (int32_t)k->y || c->v[LOG_RISC].n > 64)
        return false;
    // Its name until 2025-09.
    str risc = str_is(c->v[LOG_RISC], "CORE_AGG") ? S("TENSIX_RISC_AGG") : c->v[LOG_RISC];
    k->risc = map_put(&l->strings, risc);
    return true;
}

static uint32_t read_site(struct log_lane *l, const struct cells *c, uint32_t timer_id)
{
    struct site_key k;
    memset(&k, 0, sizeof k);
    k.timer_id = timer_id;
    k.line = read_optional(l, c->v[LOG_LINE], SITE_NO_LINE);
    k.name = map_put(&l->strings, c->v[LOG_NAME]);
    k.file = map_put(&l->strings, c->v[LOG_FILE]);
    if (l->is_legacy) {
        name_legacy(l, c->v[LOG_RISC], &k);
    } else {
        k.type = (uint32_t)read_type(l, c->v[LOG_TYPE]);
        str text =
            k.type == MARKER_OTHER ? c->v[LOG_TYPE] : str_of(marker_type_names[k.type]);
        k.type_text = map_put(&l->strings, text);
    }
    uint32_t site = map_put_copy(&l->sites, &k, sizeof k, &l->arena);
    if (site == l->site_lines.n)
        vec_push(&l->site_lines, l->n_lines);
    return site;
}

static void read_datum(struct log_lane *l, const struct cells *c)
{
    uint64_t data = 0;
    if (c->v[LOG_DATA].n && !read_u64(c->v[LOG_DATA], &data)) {
        count_problem(l, DIAG_NOT_A_NUMBER, c->v[LOG_DATA]);
        data = 0;
    }
    if (data || c->v[LOG_META].n)
        put_datum(l, data, c->v[LOG_META]);
}

// Stores this row as the one that the next ones are compared with.
static void remember_row(struct log_lane *l, str row, const struct cells *c, int64_t chip,
                         uint32_t run, uint32_t site, uint32_t timer_id)
{
    struct log_short *s = l->shorts;
    s->chip = chip;
    s->run_id = run;
    pattern_set(&s->head, row.p, (size_t)(c->at[LOG_TIMER_ID] - row.p));
    const char *name = c->at[LOG_NAME];
    const char *ids = memchr(c->at[LOG_DATA], ',', (size_t)(name - c->at[LOG_DATA]));
    pattern_set(&s->run, ids + 1, (size_t)(name - ids - 1));
    const char *end = c->at[LOG_META] ? c->at[LOG_META] : row.p + row.n;
    size_t n = (size_t)(end - name);
    struct log_tail *t = s->tail[timer_id % TAILS];
    if (n > TAIL_MOST)
        return;
    bool is_known = false;
    for (int i = 0; i < 2; i++)
        is_known |= t[i].n == n && t[i].timer_id == timer_id && !memcmp(t[i].p, name, n);
    if (!is_known) {
        t[1] = t[0];
        t[0] = (struct log_tail){name, (uint32_t)n, timer_id, site};
    }
}

// Headers of logs that were concatenated.
static bool is_header_again(str row)
{
    str first = str_trim(str_cut(&row, ','));
    return str_starts(first, S("ARCH:")) || str_starts(first, S("Chip clock is at ")) ||
           str_eq_nocase(first, S("PCIe slot")) || str_eq_nocase(first, S("chip_id"));
}

static void long_row(struct log_lane *l, str row, bool is_last)
{
    if (!str_trim(row).n || is_header_again(row))
        return;
    l->n_rows++;
    l->track = TRACE_NO_TRACK;
    uint64_t n_odd = l->n_odd;
    struct cells c;
    struct track_key track;
    memset(&track, 0, sizeof track);
    uint64_t timer_id, time;
    if (!split_row(l, row, is_last, &c) || !read_track(l, &c, &track) ||
        !read_u64(c.v[LOG_TIMER_ID], &timer_id) || timer_id > UINT32_MAX ||
        !read_u64(c.v[LOG_TIME], &time) || time > INT64_MAX) {
        count_problem(l, is_last ? DIAG_LOG_CUT : DIAG_ROW_DAMAGED, row);
        return;
    }
    uint32_t logged_id = (uint32_t)timer_id;
    if (l->head->has_phases)
        timer_id %= 65536; // the phase is in the bits above
    uint32_t track_id = l->track =
        map_put_copy(&l->tracks, &track, sizeof track, &l->arena);
    struct run_key run;
    memset(&run, 0, sizeof run);
    run.chip = track.chip;
    run.id = read_optional(l, c.v[LOG_RUN], 0);
    run.trace_id = read_optional(l, c.v[LOG_TRACE], -1);
    run.trace_counter = read_optional(l, c.v[LOG_COUNTER], -1);
    uint32_t run_id = map_put_copy(&l->runs, &run, sizeof run, &l->arena);
    uint32_t site = read_site(l, &c, (uint32_t)timer_id);
    if (!l->pieces.n || l->pieces.v[l->pieces.n - 1].track != track_id)
        vec_push(&l->pieces, (struct log_piece){track_id, (uint32_t)l->rows.n});
    read_datum(l, &c);
    if (l->rows.n == l->rows.cap)
        grow_columns(&l->rows);
    append_row(&l->rows, time, site, run_id, l->n_lines);
    // Invalid rows are counted one by one, so none of them may take the fast path.
    const struct log_head *h = l->head;
    bool is_whole =
        h->column[LOG_META] < 0 ? c.at[LOG_FILE] != NULL : c.at[LOG_META] != NULL;
    if (h->is_plain && is_whole && l->n_odd == n_odd)
        remember_row(l, row, &c, track.chip, run_id, site, logged_id);
    else
        l->shorts->head.n = 0;
}

// --- the range -----------------------------------------------------------------------

// Samples line lengths all over the range: they vary from RISC to RISC.
size_t log_lane_estimate(const struct log_lane *l)
{
    size_t bytes = l->to - l->from;
    size_t looks = bytes < (size_t)LOOKS * LOOK_BYTES ? 1 : LOOKS;
    size_t look = looks == 1 ? bytes : LOOK_BYTES;
    size_t lines = 1;
    for (size_t i = 0; i < looks; i++) {
        // Golden-ratio steps: a log repeats core by core, and the samples must not.
        double place = 0.6180339887 * (double)i;
        place -= (double)(size_t)place;
        const char *p = l->text.p + l->from + (size_t)((double)(bytes - look) * place);
        for (size_t k = 0; k < look; k++)
            lines += p[k] == '\n';
    }
    double rows = bytes ? (double)bytes / (double)(looks * look) * (double)lines : 0;
    return (size_t)(rows * 1.05) + 64;
}

static void read_range(struct log_lane *l)
{
    l->shorts = mem_alloc(sizeof *l->shorts);
    (void)map_put(&l->strings, S("")); // id 0, as in the trace
    const char *p = l->text.p + l->from, *end = l->text.p + l->to;
    // The fast path reads ahead without checking for the end of the text.
    const char *text_end = l->text.p + l->text.n;
    const char *last_short =
        (size_t)(text_end - p) > SHORT_ROOM ? text_end - SHORT_ROOM : p;
    if (last_short > end)
        last_short = end;
    const char *next_bar = p, *kept = p; // everything before has been released
    uint64_t n_short = 0;
    while (p < end) {
        // The first row after a step takes the slow path, which checks for progress.
        const char *step =
            last_short - kept > FORGET_STEP ? kept + FORGET_STEP : last_short;
        while (p < step && l->rows.n < l->rows.cap) {
            const char *next = short_row(l, p);
            if (!next)
                break;
            p = next;
            l->n_lines++;
            n_short++;
        }
        if (p >= end)
            break;
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        str row = {p, (size_t)((stop ? stop : end) - p)};
        long_row(l, row, !stop);
        l->n_lines++;
        p = stop ? stop + 1 : end;
        if (l->bar && p >= next_bar) {
            progress_at(l->bar, (uint64_t)(p - l->text.p));
            next_bar = p + BAR_STEP;
        }
        if (p - kept >= FORGET_STEP) {
            if (l->is_mapped)
                file_forget((str){kept, (size_t)(p - kept)});
            kept = p;
        }
    }
    l->n_rows += n_short;
    mem_free(l->shorts);
    l->shorts = NULL;
}

void log_lane_read(struct log_lane *l)
{
    if (l->from >= l->to)
        return;
    // Lanes are adjacent in memory: each works on its own copy to avoid false sharing.
    struct log_lane own = *l;
    read_range(&own);
    *l = own;
}

void log_lane_free(struct log_lane *l)
{
    if (l->rows.is_own) {
        mem_free(l->rows.time);
        mem_free(l->rows.site);
        mem_free(l->rows.run);
        mem_free(l->rows.line);
    }
    vec_free(&l->pieces);
    vec_free(&l->data);
    vec_free(&l->site_lines);
    vec_free(&l->odd);
    map_free(&l->strings);
    map_free(&l->tracks);
    map_free(&l->sites);
    map_free(&l->runs);
    arena_free(&l->arena);
}
