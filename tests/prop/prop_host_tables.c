// prop_host_tables.c - tables of a host capture that are written as exporters do read back
// equal, odd texts, cut messages and all; records of ops that are cut have what stands
// before.
#include <string.h>

#include "base/data/vec.h"

#include "formats/ops_table/op_record.h"
#include "formats/tracy/tracy_csv.h"
#include "prop.h"

enum { LAW_MESSAGES, LAW_CUT, LAW_ZONES, LAW_RECORD, LAWS };
static struct law laws[LAWS] = {
    [LAW_MESSAGES] = {.name = "messages read back equal"},
    [LAW_CUT] = {.name = "messages that are cut off harm no other"},
    [LAW_ZONES] = {.name = "zones read back equal"},
    [LAW_RECORD] = {.name = "a record that is cut off has the members before the cut"},
};

static void put_pieces(struct buf *b, const char *const *pieces, uint32_t n_pieces,
                       uint32_t most, struct random *r)
{
    for (uint32_t n = random_below(r, most + 1); n > 0; n--)
        buf_z(b, pieces[random_below(r, n_pieces)]);
}
#define PIECES(b, pieces, most, r)                                                         \
    put_pieces((b), (pieces), sizeof(pieces) / sizeof *(pieces), (most), (r))

// --- messages ---

// A number in a quoted text is followed by a blank, so that none looks like the row's end.
static const char *const quoted_pieces[] = {"a",  ";", "`",  "\n",  "12 ",  "TT_",      ",",
                                            "\"", " ", "``", ";5 ", "`;3 ", "\n`TT_DNN"};
static const char *const plain_pieces[] = {"a", ";", "12", ",", "`", ";5", "b: "};
static const char *const record_pieces[] = {"{",      "\n    \"a\": ", "1,", "\"x; y\"",
                                            "[2, 3]", "\"z;9 \"",      "}",  "\n"};

struct message {
    size_t start, end; // in texts
    uint64_t time;
    bool is_cut;
};
struct messages {
    struct buf texts, table;
    VEC(struct message) v;
    size_t at;
    struct law *law;
};

static void put_quoted(struct messages *m, str text, bool is_cut)
{
    buf_char(&m->table, '`');
    for (size_t i = 0; i < text.n; i++) {
        buf_char(&m->table, text.p[i]);
        if (text.p[i] == '`')
            buf_char(&m->table, '`');
    }
    if (!is_cut)
        buf_char(&m->table, '`');
}

// As long as all texts are empty there is no memory for them.
static str text_of(const struct messages *m, const struct message *x)
{
    size_t n = x->end - x->start;
    return (str){n ? m->texts.p + x->start : "", n};
}

static void put_message(struct messages *m, bool may_cut, struct random *r)
{
    struct message x = {.start = m->texts.n, .time = random_bits(r) >> random_below(r, 64)};
    bool is_op = random_one_in(r, 3), is_plain = !is_op && random_one_in(r, 3);
    if (is_op) {
        buf_z(&m->texts, "TT_DNN_DEVICE_OP: \"M\", 1, 0, 2 ->\n{");
        PIECES(&m->texts, record_pieces, 20, r);
        x.is_cut = may_cut && random_one_in(r, 2);
    } else if (is_plain) {
        buf_z(&m->texts, "p");
        PIECES(&m->texts, plain_pieces, 8, r);
    } else {
        buf_z(&m->texts, random_one_in(r, 2) ? "TT_SIGNPOST: " : "");
        PIECES(&m->texts, quoted_pieces, 10, r);
    }
    x.end = m->texts.n;
    str text = text_of(m, &x);
    if (is_plain)
        buf_str(&m->table, text);
    else
        put_quoted(m, text, x.is_cut);
    buf_printf(&m->table, ";%llu\n", (unsigned long long)x.time);
    vec_push(&m->v, x);
}

static void take_message(void *context, const struct tracy_message *got)
{
    struct messages *m = context;
    if (!law_check(m->law, m->at < m->v.n, "more messages than there are"))
        return;
    const struct message *x = &m->v.v[m->at++];
    str want = text_of(m, x);
    law_check(m->law,
              str_eq(want, got->text) && got->has_time && got->time == x->time &&
                  got->is_cut == x->is_cut,
              "line %zu is another message: %s", got->line, prop_show(got->text));
}

static void try_messages(bool may_cut, struct random *r)
{
    struct messages m = {.law = &laws[may_cut ? LAW_CUT : LAW_MESSAGES]};
    struct arena a = {0};
    struct diag d = {0};
    struct err e;
    buf_z(&m.table, "MessageName;total_ns\n");
    for (uint32_t n = random_below(r, 12); n > 0; n--)
        put_message(&m, may_cut, r);
    if (random_one_in(r, 4) && m.v.n) // the last line end may be missing
        m.table.n--;
    law_check(m.law, tracy_data_read(buf_view(&m.table), &a, take_message, &m, &d, &e),
              "it is no table");
    law_check(m.law, m.at == m.v.n, "%zu of %zu messages: %s", m.at, m.v.n,
              prop_show(buf_view(&m.table)));
    law_check(m.law, may_cut || diag_total(&d) == 0, "something is odd");
    buf_free(&m.texts);
    buf_free(&m.table);
    vec_free(&m.v);
    arena_free(&a);
}

// --- zones ---

// The same here.
static const char *const zone_pieces[] = {"a", ",", "\"", "\n", "7 ", "id:3 ", "\",", ",,"};
static const char *const name_pieces[] = {"f", "(int, ", "<", ">", "::", ", g"};

struct zone {
    size_t name, name_end, text, text_end, parent, parent_end;
    uint64_t start, duration;
};
struct zones {
    struct buf texts, table;
    VEC(struct zone) v;
    size_t at;
};

static void put_zone(struct zones *s, bool has_value, struct random *r)
{
    struct zone z = {.start = random_bits(r) >> 20, .duration = random_bits(r) >> 30};
    z.name = s->texts.n;
    buf_char(&s->texts, 'N');
    PIECES(&s->texts, name_pieces, 3, r);
    z.name_end = z.text = s->texts.n;
    if (random_one_in(r, 2))
        PIECES(&s->texts, zone_pieces, 8, r);
    z.text_end = z.parent = s->texts.n;
    if (random_one_in(r, 2))
        buf_printf(&s->texts, "id:%u", random_below(r, 1000));
    z.parent_end = s->texts.n;
    str text = {s->texts.p + z.text, z.text_end - z.text};
    buf_str(&s->table, (str){s->texts.p + z.name, z.name_end - z.name});
    buf_printf(&s->table, ",src/f.cpp,%u,%s,", random_below(r, 500),
               random_one_in(r, 5) ? "z" : "");
    if (text.n || random_one_in(r, 9)) {
        buf_char(&s->table, '"');
        buf_str(&s->table, text);
        buf_char(&s->table, '"');
    }
    buf_printf(&s->table, ",%llu,%llu,%u,", (unsigned long long)z.start,
               (unsigned long long)z.duration, random_below(r, 9));
    if (has_value) {
        buf_str(&s->table, random_one_in(r, 2) ? text : S(""));
        buf_char(&s->table, ',');
    }
    buf_str(&s->table, (str){s->texts.p + z.parent, z.parent_end - z.parent});
    buf_char(&s->table, '\n');
    vec_push(&s->v, z);
}

static bool is_text(const struct zones *s, size_t start, size_t end, str got)
{
    return str_eq((str){s->texts.p + start, end - start}, got);
}

static void take_zone(void *context, const struct tracy_zone *got)
{
    struct zones *s = context;
    if (!law_check(&laws[LAW_ZONES], s->at < s->v.n, "more zones than there are"))
        return;
    const struct zone *z = &s->v.v[s->at++];
    law_check(&laws[LAW_ZONES],
              is_text(s, z->name, z->name_end, got->name) &&
                  is_text(s, z->text, z->text_end, got->zone_text) &&
                  is_text(s, z->parent, z->parent_end, got->parent_text) &&
                  got->start == z->start && got->duration == z->duration,
              "line %zu is another zone: want text '%s', got name '%.*s', text '%.*s', "
              "parent '%.*s'",
              got->line, prop_show((str){s->texts.p + z->text, z->text_end - z->text}),
              STR(got->name), STR(got->zone_text), STR(got->parent_text));
}

static void try_zones(struct random *r)
{
    struct zones s = {0};
    struct arena a = {0};
    struct diag d = {0};
    struct err e;
    bool has_value = random_one_in(r, 2);
    buf_printf(&s.table,
               "name,src_file,src_line,zone_name,zone_text,ns_since_start,exec_time_ns,"
               "thread,%sspecial_parent_text\n",
               has_value ? "value," : "");
    for (uint32_t n = random_below(r, 8); n > 0; n--)
        put_zone(&s, has_value, r);
    law_check(&laws[LAW_ZONES],
              tracy_times_read(buf_view(&s.table), &a, take_zone, &s, &d, &e),
              "it is no table");
    law_check(&laws[LAW_ZONES], s.at == s.v.n && diag_total(&d) == 0,
              "%zu of %zu zones: %s", s.at, s.v.n, prop_show(buf_view(&s.table)));
    buf_free(&s.texts);
    buf_free(&s.table);
    vec_free(&s.v);
    arena_free(&a);
}

// --- records ---

static const struct {
    const char *key, *value;
    size_t cell; // of struct op_record
} members[] = {
    {"op_code", "\"Mat, mul\"", offsetof(struct op_record, code)},
    {"op_type", "\"tt_dnn_device\"", offsetof(struct op_record, type)},
    {"attributes", "{\"a\": \"x,\\u00e9\", \"b\": [1, 2.5], \"c\": null}",
     offsetof(struct op_record, attributes)},
    {"parallelization_strategy", "12345", offsetof(struct op_record, strategy)},
    {"kernel_info",
     "{\"compute_kernels\": [{\"name\": \"n\", \"source\": \"s\", \"math_fidelity\": "
     "\"HiFi4\"}], \"datamovement_kernels\": [], \"kernel_sizes\": {}}",
     offsetof(struct op_record, compute_source)},
    {"performance_model",
     "{\"compute_ns\": 900, \"ideal_ns\": 1000, \"input_bws\": [0.5, 1e-7]}",
     offsetof(struct op_record, input_rates)},
};
enum { MEMBERS = sizeof members / sizeof *members };

static str cell_of(const struct op_record *r, int member)
{
    str s;
    memcpy(&s, (const char *)r + members[member].cell, sizeof s);
    return s;
}

static void try_record(struct random *r)
{
    struct arena a = {0};
    struct buf b = {0};
    struct op_record whole, part;
    int order[MEMBERS];
    size_t ends[MEMBERS];
    for (int i = 0; i < MEMBERS; i++)
        order[i] = i;
    for (int i = MEMBERS - 1; i > 0; i--) {
        int k = (int)random_below(r, (uint32_t)i + 1), at = order[i];
        order[i] = order[k];
        order[k] = at;
    }
    const char *blank = random_one_in(r, 2) ? "\n    " : "";
    for (int i = 0; i < MEMBERS; i++) {
        buf_printf(&b, "%s%s\"%s\":%s%s", i ? "," : "{", blank, members[order[i]].key,
                   blank, members[order[i]].value);
        ends[i] = b.n + 1; // a number is whole when something follows
    }
    buf_char(&b, '}');
    size_t cut = random_below(r, (uint32_t)b.n);
    op_record_read(buf_view(&b), &a, &whole);
    op_record_read((str){b.p, cut}, &a, &part);
    law_check(&laws[LAW_RECORD], !whole.is_damaged && part.is_damaged, "damage: %s",
              prop_show((str){b.p, cut}));
    for (int i = 0; i < MEMBERS; i++) {
        str all = cell_of(&whole, order[i]), got = cell_of(&part, order[i]);
        bool is_before = ends[i] <= cut, is_behind = i > 0 && ends[i - 1] > cut;
        law_check(&laws[LAW_RECORD],
                  all.n && (!is_before || str_eq(all, got)) && (!is_behind || !got.p),
                  "'%s' is not as it was: %s", members[order[i]].key,
                  prop_show((str){b.p, cut}));
    }
    buf_free(&b);
    arena_free(&a);
}

int main(void)
{
    struct random r = {.state = 7};
    for (uint64_t i = prop_rounds(20000); i > 0; i--) {
        try_messages(false, &r);
        try_messages(true, &r);
        try_zones(&r);
        try_record(&r);
    }
    return laws_report(laws, LAWS);
}
