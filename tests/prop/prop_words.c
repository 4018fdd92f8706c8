// prop_words.c - random markers to words and back, in one dump and in many, with any number
// of threads; and words with random damage.
#include "../support/device_run.h"
#include "../support/memory_file.h"
#include "../support/words.h"
#include "analyse/diags.h"
#include "formats/device_log/device_log_write.h"
#include "prop.h"

enum { LAW_BACK, LAW_SPLIT, LAW_LANES, LAW_LOG, LAW_DAMAGE, LAWS };
static struct law laws[LAWS] = {
    [LAW_BACK] = {.name = "markers come back from their words, in order"},
    [LAW_SPLIT] = {.name = "several dumps in mid-run give the rows of one at the end"},
    [LAW_LANES] = {.name = "the trace does not depend on the number of threads"},
    [LAW_LOG] = {.name = "the log of a trace reads back as the same trace"},
    [LAW_DAMAGE] = {.name = "damaged words give a sound trace"},
};

enum { FIRST_ID = 50, IDS = 12, RISCS = 5, PROGRAMS = 6 };

// A marker as it was meant.
struct model_marker {
    uint64_t time, data;
    uint32_t type, id, program, counter;
    bool has_high;
    uint64_t high;
};
typedef VEC(struct model_marker) model_markers;

struct model {
    struct collection c;
    model_markers markers[WORDS_CORES][RISCS]; // as rows must be
    struct words words[WORDS_CORES][RISCS];
    VEC(size_t) cuts[WORDS_CORES][RISCS]; // where chunks start
    bool is_timed;                        // clocks are known, and near a wrap
    uint64_t base;
};

static unsigned riscs_of(const struct model *m, unsigned core)
{
    return m->c.chips.v[0].cores[core].n_riscs;
}

static void model_free(struct model *m)
{
    for (int c = 0; c < WORDS_CORES; c++)
        for (int r = 0; r < RISCS; r++) {
            vec_free(&m->markers[c][r]);
            vec_free(&m->cuts[c][r]);
            words_free(&m->words[c][r]);
        }
    collection_free(&m->c);
    mem_free(m);
}

// --- making ----------------------------------------------------------------------------

// Rows are in time order; equal times keep the order in which they were put.
static void model_put(model_markers *v, struct model_marker marker)
{
    vec_push(v, marker);
    size_t at = v->n - 1;
    for (; at > 0 && v->v[at - 1].time > marker.time; at--)
        v->v[at] = v->v[at - 1];
    v->v[at] = marker;
}

struct making {
    struct random *r;
    struct words *w;
    model_markers *rows;
    uint64_t time;
    uint32_t program, counter;
    unsigned n_open;
    uint32_t open[4];
};

static void put(struct making *k, uint32_t type, uint32_t id, uint64_t time, uint64_t data,
                bool has_high, uint64_t high)
{
    model_put(k->rows, (struct model_marker){time, data, type, id, k->program, k->counter,
                                             has_high, high});
}

static void put_any(struct making *k)
{
    uint32_t id = FIRST_ID + random_below(k->r, IDS);
    uint64_t data = random_bits(k->r);
    k->time += 1 + random_below(k->r, 50);
    switch (random_below(k->r, 6)) {
    case 0:
    case 1:
        if (k->n_open == 4)
            return;
        words_start(k->w, id, k->time);
        put(k, MARKER_ZONE_START, id, k->time, 0, false, 0);
        k->open[k->n_open++] = id;
        return;
    case 2:
    case 3:
        if (!k->n_open)
            return;
        id = k->open[--k->n_open];
        words_end(k->w, id, k->time);
        put(k, MARKER_ZONE_END, id, k->time, 0, false, 0);
        return;
    case 4:
        words_data(k->w, id, k->time, data);
        put(k, MARKER_TS_DATA, id, k->time, data, false, 0);
        return;
    default:
        if (random_one_in(k->r, 2)) {
            words_event(k->w, id, k->time);
            put(k, MARKER_TS_EVENT, id, k->time, 0, false, 0);
            return;
        }
        words_data16(k->w, id, k->time, data, ~data);
        put(k, MARKER_TS_DATA, id, k->time, data, true, ~data);
    }
}

// One program: chunks as a device sends them, the guaranteed starts in each.
static void make_program(struct making *k, struct model *m, unsigned core, unsigned risc)
{
    uint32_t flat = (uint32_t)m->c.chips.v[0].cores[core].flat;
    uint64_t start = k->time += 100, child = k->time += 10;
    unsigned chunks = 1 + random_below(k->r, 3);
    put(k, MARKER_ZONE_START, FIRST_ID, start, 0, false, 0);
    put(k, MARKER_ZONE_START, FIRST_ID + 1, child, 0, false, 0);
    for (unsigned i = 0; i < chunks; i++) {
        vec_push(&m->cuts[core][risc], k->w->v.n);
        words_begin(k->w, risc, flat, k->counter, k->program);
        words_slot(k->w, 0, FIRST_ID, start);
        words_slot(k->w, 2, FIRST_ID + 1, child);
        for (uint32_t n = random_below(k->r, 30); n-- > 0;)
            put_any(k);
        words_pad(k->w);
    }
    while (k->n_open) {
        uint32_t id = k->open[--k->n_open];
        words_end(k->w, id, ++k->time);
        put(k, MARKER_ZONE_END, id, k->time, 0, false, 0);
    }
    uint64_t child_end = k->time += 5, counter_time = k->time += 5, end = k->time += 5;
    words_counter(k->w, counter_time, 1 + random_below(k->r, 180), 9, k->program);
    put(k, MARKER_TS_DATA, TT_ID_PERF_COUNTER, counter_time, UINT64_C(9) << 32 | k->program,
        true, 0);
    words_slot(k->w, 1, FIRST_ID, end);
    words_slot(k->w, 3, FIRST_ID + 1, child_end);
    put(k, MARKER_ZONE_END, FIRST_ID + 1, child_end, 0, false, 0);
    put(k, MARKER_ZONE_END, FIRST_ID, end, 0, false, 0);
    if (random_one_in(k->r, 3)) {
        uint32_t sum = 1 + random_below(k->r, 1000);
        words_total(k->w, FIRST_ID + 2, sum);
        put(k, MARKER_ZONE_TOTAL, FIRST_ID + 2, start, sum, false, 0);
    }
    words_pad(k->w);
}

static struct model *model_make(struct random *r)
{
    struct model *m = mem_alloc(sizeof *m);
    words_collection(&m->c);
    struct chip_record *chip = &m->c.chips.v[0];
    vec_push(&chip->traces, (struct trace_record){.id = 3});
    for (uint32_t p = 1; p <= PROGRAMS; p++) {
        if (p % 2)
            vec_push(&chip->traces.v[0].programs, p);
        vec_push(&chip->replayed, 3);
    }
    for (uint32_t i = 0; i < IDS; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, i == 0 ? "BRISC-FW" : "ZONE%u", i);
        words_name(&m->c, FIRST_ID + i, name);
    }
    m->is_timed = random_one_in(r, 2);
    m->base = m->is_timed ? (UINT64_C(1) << 44) - 3000 : random_below(r, 100000);
    for (unsigned core = 0; core < WORDS_CORES; core++)
        for (unsigned risc = 0; risc < riscs_of(m, core); risc++) {
            struct making k = {.r = r,
                               .w = &m->words[core][risc],
                               .rows = &m->markers[core][risc],
                               .time = m->base};
            for (k.program = 1; k.program <= PROGRAMS; k.program++) {
                k.counter = k.program % 2 ? k.program : 0;
                if (!random_one_in(r, 4))
                    make_program(&k, m, core, risc);
            }
        }
    return m;
}

// --- decoding --------------------------------------------------------------------------

static void add_block(struct model *m, unsigned core, unsigned risc, size_t from, size_t to)
{
    if (from == to)
        return;
    struct words part = {0};
    for (size_t i = from; i < to; i++)
        words_put(&part, m->words[core][risc].v.v[i]);
    struct word_block *b = words_add(&m->c, core, (uint8_t)risc, &part);
    b->clock = m->is_timed ? m->base + 1000000 : 0;
    words_free(&part);
}

static void add_all(struct model *m)
{
    for (unsigned core = 0; core < WORDS_CORES; core++)
        for (unsigned risc = 0; risc < riscs_of(m, core); risc++)
            add_block(m, core, risc, 0, m->words[core][risc].v.n);
}

static void decode(struct model *m, struct trace *t, const char *threads)
{
    (void)setenv("TTPROF_THREADS", threads, 1);
    struct decoder *d = decoder_new(&m->c);
    decoder_run(d, t, true);
    decoder_free(d);
    (void)unsetenv("TTPROF_THREADS");
}

// --- laws ------------------------------------------------------------------------------

static const struct trace_track *track_of(const struct trace *t, const struct model *m,
                                          unsigned core, unsigned risc)
{
    static const char *const names[] = {"BRISC", "NCRISC", "TRISC_0", "TRISC_1", "TRISC_2"};
    const struct tt_core *is = &m->c.chips.v[0].cores[core];
    const char *name = is->kind == TT_CORE_ETH ? "ERISC" : names[risc];
    for (size_t k = 0; k < t->tracks.n; k++) {
        const struct trace_core *c = &t->cores.v[t->tracks.v[k].core];
        if (c->x == is->x && c->y == is->y &&
            str_is(trace_text(t, t->tracks.v[k].risc), name))
            return &t->tracks.v[k];
    }
    return NULL;
}

static bool is_marker(const struct trace *t, const struct trace_track *k, size_t marker,
                      const struct model_marker *want)
{
    const struct trace_site *s = trace_site_of(t, marker);
    const struct trace_run *run = &t->runs.v[t->markers.run[marker]];
    const struct trace_datum *d = trace_datum_of(t, k, marker);
    bool is_counter = want->id == TT_ID_PERF_COUNTER;
    return t->markers.time[marker] == want->time &&
           s->type == (enum marker_type)want->type && s->timer_id == want->id &&
           run->id == (int64_t)want->program << 10 &&
           run->trace_id == (want->counter ? 3 : -1) &&
           run->trace_counter == (want->counter ? (int64_t)want->counter : -1) &&
           (d ? d->data : 0) == want->data &&
           (is_counter || (d && d->meta_n > 0) == want->has_high);
}

static void check_back(const struct model *m, const struct trace *t, uint64_t round)
{
    struct law *law = &laws[LAW_BACK];
    for (unsigned core = 0; core < WORDS_CORES; core++)
        for (unsigned risc = 0; risc < riscs_of(m, core); risc++) {
            const model_markers *want = &m->markers[core][risc];
            const struct trace_track *k = track_of(t, m, core, risc);
            if (!law_check(law, (k ? k->n_markers : 0) == want->n,
                           "round %llu: core %u, RISC %u: %u markers, not %zu",
                           (unsigned long long)round, core, risc, k ? k->n_markers : 0,
                           want->n))
                return;
            for (size_t i = 0; i < want->n; i++)
                if (!law_check(law, is_marker(t, k, k->marker + i, &want->v[i]),
                               "round %llu: core %u, RISC %u, marker %zu at %llu",
                               (unsigned long long)round, core, risc, i,
                               (unsigned long long)want->v[i].time))
                    return;
        }
    for (int i = 0; i < DIAG_KINDS; i++)
        (void)law_check(law, t->diag.entry[i].count == 0, "round %llu: found %s",
                        (unsigned long long)round, diag_name(i));
}

// The log of a trace, or of several behind each other.
static void append_log(const struct trace *t, struct memory_file *f)
{
    struct err e = {0};
    if (!device_log_write(t, f->path, true, &e))
        abort();
}

static void read_log(struct memory_file *f, struct file *file, struct trace *t)
{
    struct err e = {0};
    if (!file_open(f->path, file, &e) || !device_log_read_text(t, file->text, "log", &e))
        abort();
}

static const char *differs(const struct trace *a, const struct trace *b, bool with_lines)
{
    const char *what = with_lines ? differs_in_tables(a, b) : NULL;
    if (!what && a->tracks.n != b->tracks.n)
        what = "the number of tracks";
    for (size_t k = 0; !what && k < a->tracks.n; k++)
        what = differs_in_track(a, b, k);
    return what;
}

// Rows of many dumps stand in another order than those of one: sorted, they are the same.
static int by_row(const void *a, const void *b)
{
    const str *x = a, *y = b;
    return str_cmp(*x, *y);
}

static void sorted_rows(str text, struct buf *out)
{
    VEC(str) rows = {0};
    while (text.n)
        vec_push(&rows, str_cut(&text, '\n'));
    if (rows.n)
        qsort(rows.v, rows.n, sizeof *rows.v, by_row);
    for (size_t i = 0; i < rows.n; i++) {
        buf_str(out, rows.v[i]);
        buf_char(out, '\n');
    }
    vec_free(&rows);
}

static void check_split(struct model *m, str whole, struct random *r, uint64_t round)
{
    struct memory_file f = memory_file_make(S(""));
    struct decoder *d = decoder_new(&m->c);
    size_t at[WORDS_CORES][RISCS] = {{0}};
    collection_drop_blocks(&m->c);
    for (bool is_last = false; !is_last;) {
        is_last = random_one_in(r, 5);
        for (unsigned core = 0; core < WORDS_CORES; core++)
            for (unsigned risc = 0; risc < riscs_of(m, core); risc++) {
                size_t n = m->cuts[core][risc].n, *from = &at[core][risc];
                size_t to =
                    is_last ? n : *from + random_below(r, (uint32_t)(n - *from) + 1);
                const size_t *cut = m->cuts[core][risc].v;
                size_t end = m->words[core][risc].v.n;
                add_block(m, core, risc, *from < n ? cut[*from] : end,
                          to < n ? cut[to] : end);
                *from = to;
            }
        struct trace t = {0};
        decoder_run(d, &t, is_last);
        append_log(&t, &f);
        trace_free(&t);
        collection_drop_blocks(&m->c);
    }
    decoder_free(d);
    struct file parts;
    struct err e = {0};
    if (!file_open(f.path, &parts, &e))
        abort();
    struct buf a = {0}, b = {0};
    sorted_rows(whole, &a);
    sorted_rows(parts.text, &b);
    (void)law_check(&laws[LAW_SPLIT], str_eq(buf_view(&a), buf_view(&b)),
                    "round %llu: the rows differ", (unsigned long long)round);
    buf_free(&a);
    buf_free(&b);
    file_close(&parts);
    memory_file_free(&f);
}

static void check_damage(struct model *m, struct random *r, uint64_t round)
{
    for (unsigned core = 0; core < WORDS_CORES; core++)
        for (unsigned risc = 0; risc < riscs_of(m, core); risc++) {
            struct words *w = &m->words[core][risc];
            for (uint32_t n = random_below(r, 6); w->v.n && n-- > 0;)
                w->v.v[random_below(r, (uint32_t)w->v.n)] ^= UINT32_C(1)
                                                             << random_below(r, 32);
            if (random_one_in(r, 3))
                w->v.n -= random_below(r, (uint32_t)w->v.n + 1);
        }
    collection_drop_blocks(&m->c);
    add_all(m);
    struct trace one = {0}, three = {0};
    decode(m, &one, "1");
    decode(m, &three, "3");
    const char *broken = law_of_markers(&one);
    if (!broken)
        broken = differs(&one, &three, true);
    pair_zones(&one);
    if (!broken)
        broken = law_of_pairing(&one);
    (void)law_check(&laws[LAW_DAMAGE], !broken, "round %llu: %s", (unsigned long long)round,
                    broken ? broken : "");
    trace_free(&one);
    trace_free(&three);
}

static void try_round(struct random *r, uint64_t round)
{
    struct model *m = model_make(r);
    struct trace one = {0}, many = {0}, back = {0};
    add_all(m);
    decode(m, &one, "1");
    decode(m, &many, "3");
    check_back(m, &one, round);
    const char *what = trace_differs(&one, &many);
    (void)law_check(&laws[LAW_LANES], !what, "round %llu: %s", (unsigned long long)round,
                    what ? what : "");
    struct memory_file f = memory_file_make(S(""));
    struct file file;
    append_log(&one, &f);
    read_log(&f, &file, &back);
    what = differs(&one, &back, true);
    (void)law_check(&laws[LAW_LOG], !what, "round %llu: %s", (unsigned long long)round,
                    what ? what : "");
    check_split(m, file.text, r, round);
    check_damage(m, r, round);
    trace_free(&back);
    file_close(&file);
    memory_file_free(&f);
    trace_free(&one);
    trace_free(&many);
    model_free(m);
}

int main(void)
{
    uint64_t rounds = prop_rounds(300);
    for (uint64_t round = 0; round < rounds; round++) {
        struct random r = {.state = round * 7919 + 1};
        try_round(&r, round);
    }
    return laws_report(laws, LAWS);
}
