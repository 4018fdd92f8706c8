// prop_op_fit.c - op records of all shapes, shortened to all lengths: what comes out fits,
// is one message, can be read, and says the same of its op.
#include <string.h>

#include "formats/ops_table/op_message.h"
#include "formats/ops_table/op_record.h"
#include "prop.h"
#include "record/format/op_fit.h"

enum { LAW_FITS, LAW_HEAD, LAW_READS, LAW_KEEPS, LAW_TENSORS, LAW_ORDER, LAW_CUT, LAWS };
static struct law laws[LAWS] = {
    [LAW_FITS] = {.name = "a message fits and is in backticks, with inner ones doubled"},
    [LAW_HEAD] = {.name = "the line with name, hash, device and id stays"},
    [LAW_READS] = {.name = "what is left is JSON"},
    [LAW_KEEPS] = {.name = "a step takes nothing but what it is for"},
    [LAW_TENSORS] = {.name = "cut lists keep eight tensors and say how many there were"},
    [LAW_ORDER] = {.name = "less room takes at least as much"},
    [LAW_CUT] = {.name = "a record that is cut off is not shortened"},
};

// --- records ---------------------------------------------------------------------------

static void put_blanks(struct random *r, struct buf *b)
{
    for (uint32_t n = random_below(r, 5); n; n--)
        buf_char(b, " \n\t\r"[random_below(r, 4)]);
}

static void put_text(struct random *r, struct buf *b)
{
    static const char *const parts[] = {
        "a",  "`", "``", "\\\"",  "\\\\",    "{", "]",
        ", ", ":", "é",  "->\\n", "\\u00e9", " ", "input_tensors"};
    buf_char(b, '"');
    for (uint32_t n = random_below(r, 8); n; n--)
        buf_z(b, parts[random_below(r, sizeof parts / sizeof *parts)]);
    buf_char(b, '"');
}

static void put_value(struct random *r, struct buf *b, int depth);

static void put_list(struct random *r, struct buf *b, int depth, bool is_object, uint32_t n)
{
    buf_char(b, is_object ? '{' : '[');
    for (uint32_t i = 0; i < n; i++) {
        put_blanks(r, b);
        if (i)
            buf_char(b, ',');
        put_blanks(r, b);
        if (is_object) {
            put_text(r, b);
            put_blanks(r, b);
            buf_char(b, ':');
        }
        put_value(r, b, depth + 1);
    }
    put_blanks(r, b);
    buf_char(b, is_object ? '}' : ']');
}

static void put_value(struct random *r, struct buf *b, int depth)
{
    static const char *const words[] = {"1", "-2.5e+3", "true", "null", "NaN", "-Infinity"};
    put_blanks(r, b);
    if (depth < 6 && random_one_in(r, 3))
        put_list(r, b, depth, random_one_in(r, 2), random_below(r, 5));
    else if (random_one_in(r, 2))
        put_text(r, b);
    else
        buf_z(b, words[random_below(r, sizeof words / sizeof *words)]);
    put_blanks(r, b);
}

enum { N_INPUTS, N_OPTIONAL, N_OUTPUTS, LISTS };
static const char *const lists[LISTS] = {"input_tensors", "optional_input_tensors",
                                         "output_tensors"};

static void put_key(struct random *r, struct buf *b, const char *key, bool *is_first)
{
    put_blanks(r, b);
    if (!*is_first)
        buf_char(b, ',');
    *is_first = false;
    put_blanks(r, b);
    buf_printf(b, "\"%s\"", key);
    put_blanks(r, b);
    buf_char(b, ':');
    put_blanks(r, b);
}

static void put_tensors(struct random *r, struct buf *b, uint32_t n)
{
    buf_char(b, '[');
    for (uint32_t i = 0; i < n; i++) {
        buf_printf(b, "%s{\"layout\":\"%u\"", i ? "," : "", i);
        put_blanks(r, b);
        if (random_one_in(r, 2)) {
            buf_z(b, ",\"more\":");
            put_value(r, b, 3);
        }
        buf_char(b, '}');
    }
    buf_char(b, ']');
}

// Members in some order, each at most once.
static void put_record(struct random *r, struct buf *b, uint32_t counts[LISTS])
{
    static const char *const keys[] = {
        "attributes", "kernel_info", "op_code", "performance_model",
        "other",      "op_type",     "x`y"};
    enum { KEYS = sizeof keys / sizeof *keys };
    bool is_first = true;
    uint32_t first = random_below(r, KEYS), first_list = random_below(r, LISTS);
    buf_char(b, '{');
    for (uint32_t i = 0; i < KEYS; i++) {
        if (random_one_in(r, 4))
            continue;
        put_key(r, b, keys[(first + i) % KEYS], &is_first);
        put_value(r, b, 1);
    }
    for (uint32_t i = 0; i < LISTS; i++) {
        uint32_t list = (first_list + i) % LISTS;
        counts[list] = random_below(r, 20);
        put_key(r, b, lists[list], &is_first);
        put_tensors(r, b, counts[list]);
    }
    put_key(r, b, "op_hash", &is_first);
    buf_z(b, "77");
    put_blanks(r, b);
    buf_char(b, '}');
    put_blanks(r, b);
}

// --- laws ------------------------------------------------------------------------------

// Without the backticks around it, and inner ones single; false: one is not doubled.
static bool untick(str s, struct buf *to)
{
    to->n = 0;
    if (s.n < 2 || s.p[0] != '`' || s.p[s.n - 1] != '`')
        return false;
    for (size_t i = 1; i < s.n - 1; i++) {
        buf_char(to, s.p[i]);
        if (s.p[i] == '`' && (++i == s.n - 1 || s.p[i] != '`'))
            return false;
    }
    return true;
}

static bool same(str a, str b)
{
    return str_eq(a, b) && !a.p == !b.p;
}

static bool keeps(const struct op_record *x, const struct op_record *all, enum op_fit how)
{
    return x->hash == all->hash && same(x->code, all->code) && same(x->type, all->type) &&
           same(x->ideal, all->ideal) && same(x->bandwidth, all->bandwidth) &&
           x->n_extra >= all->n_extra &&
           (how >= OP_FIT_NO_KERNELS ||
            (same(x->compute_source, all->compute_source) && x->n_sizes == all->n_sizes)) &&
           (how >= OP_FIT_FEW_TENSORS ? !x->attributes.p
                                      : same(x->attributes, all->attributes));
}

static uint32_t kept(uint32_t n, enum op_fit how)
{
    return how == OP_FIT_FEW_TENSORS && n > OP_FIT_TENSORS ? OP_FIT_TENSORS : n;
}

static bool has_tensors(const struct op_record *x, const uint32_t counts[LISTS],
                        enum op_fit how)
{
    uint32_t inputs = kept(counts[N_INPUTS], how) + kept(counts[N_OPTIONAL], how);
    uint32_t outputs = kept(counts[N_OUTPUTS], how);
    uint64_t said = counts[N_INPUTS] + counts[N_OPTIONAL];
    return x->n_inputs == inputs && x->n_outputs == outputs &&
           x->n_inputs_said == (said > inputs ? said : 0) &&
           x->n_outputs_said == (counts[N_OUTPUTS] > outputs ? counts[N_OUTPUTS] : 0);
}

struct scene {
    unsigned long long seed;
    str text, head; // the record, with its head
    struct op_record all;
    uint32_t counts[LISTS];
    char *to;
};

static void check_message(const struct scene *s, str made, enum op_fit how, struct arena *a)
{
    struct buf plain = {0};
    struct op_record x;
    if (law_check(&laws[LAW_FITS], untick(made, &plain), "%llu: %s", s->seed,
                  prop_show(made)) &&
        law_check(&laws[LAW_HEAD], str_starts(buf_view(&plain), s->head), "%llu: %s",
                  s->seed, prop_show(buf_view(&plain)))) {
        op_record_read(str_from(buf_view(&plain), s->head.n), a, &x);
        (void)law_check(&laws[LAW_READS], !x.is_damaged, "%llu, step %d: %s", s->seed,
                        (int)how, prop_show(str_from(buf_view(&plain), s->head.n)));
        (void)law_check(&laws[LAW_KEEPS], keeps(&x, &s->all, how), "%llu, step %d", s->seed,
                        (int)how);
        (void)law_check(&laws[LAW_TENSORS], has_tensors(&x, s->counts, how),
                        "%llu, step %d: %zu of %llu, %zu of %llu", s->seed, (int)how,
                        x.n_inputs, (unsigned long long)x.n_inputs_said, x.n_outputs,
                        (unsigned long long)x.n_outputs_said);
    }
    buf_free(&plain);
}

static void check_lengths(const struct scene *s, struct arena *a)
{
    enum op_fit last = OP_FIT_WHOLE;
    bool is_first = true;
    for (size_t most = 2 * s->text.n + 2; most; most = most * 15 / 16) {
        enum op_fit how;
        size_t n = op_fit(s->text.p, s->text.n, s->to, most, &how);
        (void)law_check(&laws[LAW_ORDER], how >= last, "%llu: %zu bytes", s->seed, most);
        (void)law_check(&laws[LAW_FITS], n <= most && !n == (how == OP_FIT_NOT),
                        "%llu: %zu of %zu", s->seed, n, most);
        if (n && (is_first || how != last))
            check_message(s, (str){s->to, n}, how, a);
        is_first = false;
        last = how;
    }
}

static void check_cut(const struct scene *s, struct random *r)
{
    size_t json = s->text.n - s->head.n;
    while (json && strchr(" \n\r\t", s->text.p[s->head.n + json - 1]))
        json--; // without its last blanks the record is whole
    size_t n = s->head.n + random_below(r, (uint32_t)json);
    enum op_fit how;
    (void)op_fit(s->text.p, n, s->to, n / 2, &how);
    (void)law_check(&laws[LAW_CUT], how == OP_FIT_NOT, "%llu: %zu bytes, step %d", s->seed,
                    n, (int)how);
}

static void play(uint64_t seed)
{
    struct random r = {seed};
    struct arena a = {0};
    struct buf b = {0};
    struct scene s = {.seed = seed};
    buf_printf(&b, "TT_DNN_DEVICE_OP: \"name `%llu`\", 77, 3, true, %llu ->\n", s.seed,
               s.seed << 10 | 3);
    size_t head = b.n;
    put_record(&r, &b, s.counts);
    s.text = buf_view(&b);
    s.head = (str){b.p, head};
    s.to = mem_alloc(2 * b.n + 2);
    op_record_read(str_from(s.text, head), &a, &s.all);
    check_lengths(&s, &a);
    check_cut(&s, &r);
    mem_free(s.to);
    buf_free(&b);
    arena_free(&a);
}

int main(void)
{
    struct prop_scenes scenes = prop_scenes("TTPROF_OP_FIT_SCENES", 1000);
    for (uint64_t seed = scenes.from; seed < scenes.to; seed++)
        play(seed);
    return laws_report(laws, LAWS);
}
