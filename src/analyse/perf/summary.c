// summary.c - groups ops and computes their statistics.
#include "analyse/perf/summary.h"

#include <math.h>
#include <stdlib.h>

#include "base/data/map.h"

#include "analyse/diags.h"

// Names that may have the suffix "DeviceOperation".
static const struct {
    enum category category;
    const char *names; // separated by blanks
    bool is_own;       // only for ops of the runtime of this project, see is_own_op
} categories[] = {
    {CATEGORY_COMPUTE,
     "AllGatherMatmul ScaledDotProductAttentionDecode RotaryEmbeddingLlama SDPAOperation "
     "OptimizedConvNew Conv2d Matmul BinaryNg Binary Unary Pool2D UpSample "
     "UpsampleOperation "
     "GroupNorm GridSample Accumulation LayerNorm ScaledDotProductAttention Reduce Softmax "
     "Embeddings MinimalMatmulOp IntImg GridSampleOperation",
     false},
    {CATEGORY_DM,
     "PagedUpdateCacheDeviceOperation Move Copy InterleavedToSharded ShardedToInterleaved "
     "InterleavedToShardedPartial ShardedToInterleavedPartial Halo Where CloneOperation "
     "Reshard PaddedSlice SliceWrite ReduceScatter",
     false},
    {CATEGORY_TM,
     "NLPCreateHeadsDecodeDeviceOperation NLPConcatHeadsDecodeDeviceOperation Fold "
     "CreateQKVHeadsDeviceOperation ConcatenateHeads Reshape Transpose Permute Slice "
     "Concat "
     "Split TilizeWithValPadding Tilize UntilizeWithUnpadding Untilize Typecast "
     "NLPConcatHeads NlpCreateHeads Ternary FillPad PadDeviceOperation",
     false},
    {CATEGORY_HOST, "(torch)", false},
    {CATEGORY_OTHER, "TraceReplay", false},
    // tt-perf-report does not classify these.
    {CATEGORY_COMPUTE, "GeluBackward SGDFused", true},
    {CATEGORY_DM, "AllGatherAsync ReduceScatterMinimalAsync", true},
    {CATEGORY_OTHER, "ProfilerNoopOperation", true},
};

const char *category_name(enum category c)
{
    static const char *const names[CATEGORIES] = {
        [CATEGORY_COMPUTE] = "Compute", [CATEGORY_TM] = "TM",       [CATEGORY_DM] = "DM",
        [CATEGORY_HOST] = "Host",       [CATEGORY_OTHER] = "Other",
    };
    return names[c];
}

// Was the op run by the runtime of this project? The sources of its kernels tell.
static bool is_own_op(const struct perf *p, const struct op *o)
{
    return str_has(ops_row_text(&p->table, o->row), S("'kernel/ops/"));
}

static bool find_category(const struct perf *p, const struct op *o, str base,
                          enum category *out)
{
    str without = base;
    if (str_ends(base, S("DeviceOperation")))
        without.n -= sizeof "DeviceOperation" - 1;
    for (size_t i = 0; i < sizeof categories / sizeof *categories; i++) {
        str names = str_of(categories[i].names);
        while (names.n) {
            str name = str_cut(&names, ' ');
            if ((str_eq(name, base) || str_eq(name, without)) &&
                (!categories[i].is_own || is_own_op(p, o))) {
                *out = categories[i].category;
                return true;
            }
        }
    }
    *out = CATEGORY_OTHER;
    return false;
}

// The first word.
static str base_of(str code)
{
    code = str_trim(code);
    size_t n = 0;
    while (n < code.n && code.p[n] != ' ' && !(code.p[n] >= '\t' && code.p[n] <= '\r'))
        n++;
    return (str){code.p, n};
}

// A compensated sum: rounding errors do not grow with the number of terms.
struct sum {
    double v, lost;
};

static void sum_add(struct sum *s, double x)
{
    double y = x - s->lost;
    double t = s->v + y;
    s->lost = (t - s->v) - y;
    s->v = t;
}

// Accumulated while walking the ops.
struct gather {
    struct sum time, flops;
    double squares; // of the differences from the mean so far (Welford)
    double mean;
};
struct weight { // per key, over all devices
    double weighted, time;
    bool has;
};

struct work {
    struct perf *p;
    struct summary *s;
    enum group_by by;
    bool by_device;
    struct arena scratch;
    struct map bases, keys, group_keys; // group_keys: key and device
    VEC(enum category) category;        // by base
    VEC(struct summary_group) groups;
    VEC(struct gather) gathers;
    VEC(struct weight) weights; // by key
    VEC(uint32_t) key_of;       // by group
};

static enum category category_of(struct work *w, const struct op *o, str base)
{
    uint32_t id = map_put(&w->bases, base);
    if (id == w->category.n) {
        enum category c;
        if (!find_category(w->p, o, base, &c))
            note(
                &w->p->notes, NOTE_WARNING,
                "Warning: Unclassified operation '%.*s' found. Please add to OPERATION_CATEGORIES for proper classification.",
                STR(base));
        vec_push(&w->category, c);
    }
    return w->category.v[id];
}

// " (in0:dram_interleaved)": the last two parts of the memory's name, in lower case.
static bool memory_key(struct work *w, str base, str memory, str *key)
{
    size_t at = memory.n, seen = 0;
    while (at > 0) {
        if (memory.p[at - 1] == '_' && ++seen == 2)
            break;
        at--;
    }
    if (seen == 0)
        return false;
    str tail = str_from(memory, at);
    char *p = push_many(&w->scratch, char, base.n + tail.n + 8);
    memcpy(p, base.p, base.n);
    memcpy(p + base.n, " (in0:", 6);
    for (size_t i = 0; i < tail.n; i++) {
        char c = tail.p[i];
        p[base.n + 6 + i] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    p[base.n + 6 + tail.n] = ')';
    *key = (str){p, base.n + tail.n + 7};
    return true;
}

// False: the op is not part of this grouping.
static bool group_key(struct work *w, const struct op *o, str base, enum category c,
                      str *key)
{
    str memory;
    *key = w->by == GROUP_BY_CATEGORY ? str_of(category_name(c)) : base;
    if (w->by != GROUP_BY_MEMORY ||
        !ops_text(&w->p->table, OPS_IN0_MEMORY, o->row, &memory) ||
        memory_key(w, base, memory, key))
        return true;
    // tt-perf-report drops such an op silently and output is compared byte for byte; this
    // one is counted as a finding.
    if (diag_count(&w->p->diag, DIAG_NOT_IN_SUMMARY))
        diag_note(&w->p->diag, DIAG_NOT_IN_SUMMARY, "%.*s: '%.*s'",
                  STR(ops_place(&w->p->table, OPS_IN0_MEMORY, o->row)), STR(memory));
    return false;
}

// The id of a text in the map, which copies new texts.
static uint32_t intern(struct work *w, struct map *m, str text)
{
    uint32_t id = map_get(m, text);
    return id != MAP_NONE ? id : map_put(m, arena_str(&w->s->arena, text));
}

static void gather_op(struct work *w, const struct op *o)
{
    str base = base_of(o->code);
    enum category c = category_of(w, o, base);
    if (w->by_device && o->device == OPS_NO_DEVICE)
        return;
    struct arena_mark mark = arena_mark(&w->scratch);
    str key;
    if (!group_key(w, o, base, c, &key))
        return;
    uint32_t key_id = intern(w, &w->keys, key);
    if (key_id == w->weights.n)
        vec_push(&w->weights, (struct weight){0});
    uint32_t g = key_id;
    if (w->by_device)
        g = intern(w, &w->group_keys,
                   arena_printf(&w->scratch, "%d %.*s", o->device, STR(key)));
    arena_rewind(&w->scratch, mark);
    if (g == w->groups.n) {
        vec_push(&w->groups,
                 (struct summary_group){.key = w->keys.keys.v[key_id],
                                        .device = w->by_device ? o->device : OPS_NO_DEVICE,
                                        .category = c});
        vec_push(&w->gathers, (struct gather){0});
        vec_push(&w->key_of, key_id);
    }
    struct summary_group *group = &w->groups.v[g];
    struct gather *sums = &w->gathers.v[g];
    double time = o->has & HAS_TIME ? o->time : 0;
    group->n_ops++;
    w->s->has_time |= o->has & HAS_TIME && !o->is_time_zero;
    sum_add(&sums->time, time);
    if (!(o->has & HAS_FLOPS_PERCENT) || isnan(o->flops_percent))
        return;
    double f = o->flops_percent;
    group->flops_min = group->n_flops ? fmin(group->flops_min, f) : f;
    group->flops_max = group->n_flops ? fmax(group->flops_max, f) : f;
    group->n_flops++;
    sum_add(&sums->flops, f);
    double before = f - sums->mean;
    sums->mean += before / (double)group->n_flops;
    sums->squares += before * (f - sums->mean);
    struct weight *weight = &w->weights.v[key_id];
    weight->weighted += f * time;
    weight->time += time;
}

static int by_group_time(const void *a, const void *b)
{
    const struct summary_group *x = a, *y = b;
    if (x->time != y->time)
        return x->time > y->time ? -1 : 1;
    int c = str_cmp(x->key, y->key);
    return c ? c : (x->device > y->device) - (x->device < y->device);
}

static double total_of_device(const struct summary *s, int32_t device)
{
    double total = 0;
    for (size_t i = 0; i < s->n_groups; i++)
        total += s->groups[i].device == device ? s->groups[i].time : 0;
    return total;
}

static void finish_groups(struct work *w)
{
    struct summary *s = w->s;
    s->n_groups = w->groups.n;
    s->groups = push_many(&s->arena, struct summary_group, w->groups.n);
    for (size_t i = 0; i < s->n_groups; i++) {
        struct summary_group g = w->groups.v[i];
        const struct gather *sums = &w->gathers.v[i];
        const struct weight *weight = &w->weights.v[w->key_of.v[i]];
        g.time = sums->time.v;
        if (g.n_flops) {
            g.flops_mean = sums->flops.v / (double)g.n_flops;
            g.flops_std = g.n_flops > 1 ? sqrt(sums->squares / (double)(g.n_flops - 1)) : 0;
        }
        g.has_weighted = weight->time != 0;
        g.flops_weighted = g.has_weighted ? weight->weighted / weight->time : 0;
        s->total += g.time;
        s->groups[i] = g;
    }
    s->has_total = s->total != 0;
    qsort(s->groups, s->n_groups, sizeof *s->groups, by_group_time);
    for (size_t i = 0; i < s->n_groups; i++) {
        struct summary_group *g = &s->groups[i];
        double whole = w->by_device ? total_of_device(s, g->device) : s->total;
        g->share = whole != 0 ? g->time / whole * 100 : 0;
    }
}

// By name or type: a host op with that name counts as well.
static bool is_signpost(struct perf *p, const struct op *o)
{
    return o->kind == OP_SIGNPOST ||
           fact_code(&p->facts, ops_text_id(&p->table, OPS_OP_CODE, o->row))->is_signpost ||
           fact_code(&p->facts, ops_text_id(&p->table, OPS_OP_TYPE, o->row))->is_signpost;
}

void summary_make(struct summary *s, struct perf *p, enum group_by by, bool by_device)
{
    *s = (struct summary){.is_by_device = by_device,
                          .is_by_category = by == GROUP_BY_CATEGORY};
    struct work w = {.p = p, .s = s, .by = by, .by_device = by_device};
    for (size_t i = 0; i < p->n_ops; i++)
        if (!is_signpost(p, &p->ops[i]))
            gather_op(&w, &p->ops[i]);
    if (w.groups.n)
        finish_groups(&w);
    map_free(&w.bases);
    map_free(&w.keys);
    map_free(&w.group_keys);
    vec_free(&w.category);
    vec_free(&w.groups);
    vec_free(&w.gathers);
    vec_free(&w.weights);
    vec_free(&w.key_of);
    arena_free(&w.scratch);
}

void summary_free(struct summary *s)
{
    arena_free(&s->arena);
}
