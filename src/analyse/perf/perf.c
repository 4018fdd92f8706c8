// perf.c - the report as a sequence of steps.
#include "analyse/perf/perf.h"

#include "base/text/num.h"

str bound_name(enum bound b)
{
    static const str names[] = {
        [BOUND_NONE] = {"", 0},     [BOUND_BOTH] = {"BOTH", 4}, [BOUND_DRAM] = {"DRAM", 4},
        [BOUND_FLOP] = {"FLOP", 4}, [BOUND_SLOW] = {"SLOW", 4}, [BOUND_HOST] = {"HOST", 4},
    };
    return names[b];
}

static enum bound bound_of(const struct op *o)
{
    enum { NEAR_PEAK = 65 }; // percent: bound at or above this, otherwise slow
    const unsigned both = HAS_DRAM_PERCENT | HAS_FLOPS_PERCENT;
    if ((o->has & both) != both || o->dram_percent == 0 || o->flops_percent == 0)
        return BOUND_NONE;
    bool dram = o->dram_percent >= NEAR_PEAK, flops = o->flops_percent >= NEAR_PEAK;
    return dram && flops ? BOUND_BOTH : dram ? BOUND_DRAM : flops ? BOUND_FLOP : BOUND_SLOW;
}

// Shares and bounds. Runs before and after the filters, for compatibility with
// tt-perf-report: a host op's time counts in the first total but not in the second.
static void derive_shares(struct perf *p)
{
    double times = 0, gaps = 0;
    for (size_t i = 0; i < p->n_ops; i++) {
        times += p->ops[i].has & HAS_TIME ? p->ops[i].time : 0;
        gaps += p->ops[i].has & HAS_GAP ? p->ops[i].gap : 0;
    }
    double total = times + gaps;
    for (size_t i = 0; i < p->n_ops; i++) {
        struct op *o = &p->ops[i];
        o->has &= (uint8_t)~HAS_SHARE;
        if (total != 0 && o->has & (HAS_TIME | HAS_GAP)) {
            o->share =
                ((o->has & HAS_TIME ? o->time : 0) + (o->has & HAS_GAP ? o->gap : 0)) /
                total * 100;
            o->has |= HAS_SHARE;
        }
        if (o->is_matmul) {
            o->bound = (uint8_t)bound_of(o);
        } else if (o->kind == OP_HOST) {
            o->bound = BOUND_HOST;
            o->has &= (uint8_t)~HAS_TIME;
        }
    }
}

static void filter_ops(struct perf *p)
{
    const struct perf_options *opt = &p->opt;
    if (opt->has_id_range) {
        long long from = opt->id_from, to = opt->id_to;
        if (opt->id_from == INT64_MIN)
            note(&p->notes, NOTE_INFO, "Filtering rows with IDs up to %lld", to);
        else if (opt->id_to == INT64_MAX)
            note(&p->notes, NOTE_INFO, "Filtering rows with IDs from %lld onwards", from);
        else
            note(&p->notes, NOTE_INFO, "Filtering rows with IDs from %lld to %lld", from,
                 to);
    }
    size_t kept = 0;
    for (size_t i = 0; i < p->n_ops; i++) {
        int64_t id = op_id(&p->ops[i]);
        if (opt->has_id_range && (id < opt->id_from || id > opt->id_to))
            continue;
        p->ops[kept++] = p->ops[i];
    }
    p->n_ops = kept;
    if (opt->has_id_range && kept)
        p->ops[0].has &= (uint8_t)~HAS_GAP; // the rows before it are not shown
    if (!opt->no_host_ops)
        return;
    kept = 0;
    for (size_t i = 0; i < p->n_ops; i++)
        if (p->ops[i].kind != OP_HOST)
            p->ops[kept++] = p->ops[i];
    p->n_ops = kept;
}

static void analyse_ops(struct perf *p, const struct picks *picks)
{
    p->ops = mem_alloc(mem_bytes(sizeof *p->ops, picks->n));
    p->n_ops = picks->n;
    bool follows_op = false;
    for (size_t i = 0; i < picks->n; i++) {
        perf_analyse_op(p, &picks->v[i], follows_op, &p->ops[i]);
        p->n_kind[p->ops[i].kind]++;
        follows_op |= ops_text_id(&p->table, OPS_OP_TYPE, picks->v[i].row) != p->signpost;
    }
}

static enum perf_status load_tables(struct perf *p, const char *const *paths,
                                    size_t n_paths, struct err *e)
{
    switch (ops_table_load(paths, n_paths, &p->table, &p->diag, e)) {
    case OPS_LOADED: return PERF_OK;
    case OPS_FAILED: return PERF_INPUT_ERROR;
    case OPS_DEVICES_DIFFER:
    case OPS_NO_DEVICE_COLUMN: break;
    }
    note(&p->notes, NOTE_ERROR, "%s", e->text);
    return PERF_REFUSED;
}

enum perf_status perf_run(struct perf *p, const char *const *paths, size_t n_paths,
                          const struct perf_options *opt, struct err *e)
{
    *p = (struct perf){.opt = *opt};
    enum perf_status status = load_tables(p, paths, n_paths, e);
    if (status != PERF_OK)
        return status;
    facts_make(&p->facts, &p->table.strings);
    p->signpost = map_get(&p->table.strings, S("signpost"));
    p->device_op = map_get(&p->table.strings, S("tt_dnn_device"));
    perf_choose_arch(p);
    struct picks picks = perf_select(p);
    perf_merge(p, &picks);
    analyse_ops(p, &picks);
    mem_free(picks.v);
    derive_shares(p);
    filter_ops(p);
    derive_shares(p);
    for (size_t i = 0; i < p->n_ops; i++) {
        struct op *o = &p->ops[i];
        o->is_minor =
            o->has & HAS_SHARE && o->share < opt->min_percentage && o->kind != OP_HOST;
    }
    return PERF_OK;
}

void perf_free(struct perf *p)
{
    mem_free(p->ops);
    facts_free(&p->facts);
    ops_table_free(&p->table);
    notes_free(&p->notes);
    arena_free(&p->arena);
}

static bool parse_id(str s, int64_t *out)
{
    char digits[32];
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == ',')
            continue;
        if (n == sizeof digits)
            return false;
        digits[n++] = s.p[i];
    }
    return num_int((str){digits, n}, out);
}

bool perf_parse_id_range(str s, struct perf_options *opt)
{
    str to = s;
    if (!memchr(s.p, '-', s.n))
        return false;
    str from = str_cut(&to, '-');
    if ((from.n == 0 && to.n == 0) || (to.n && memchr(to.p, '-', to.n)))
        return false;
    opt->has_id_range = true;
    opt->id_from = INT64_MIN;
    opt->id_to = INT64_MAX;
    return (from.n == 0 || parse_id(from, &opt->id_from)) &&
           (to.n == 0 || parse_id(to, &opt->id_to));
}
