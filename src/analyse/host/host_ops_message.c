// host_ops_message.c - parses host messages: ops, traces, signposts.
#include "base/text/json_read.h"
#include "base/text/num.h"

#include "analyse/diags.h"
#include "analyse/host/host_ops.h"
#include "analyse/host/host_ops_parts.h"
#include "formats/ops_table/op_message.h"

// Tags of messages about ops, and the op type if the record does not give it.
static const struct {
    const char *tag, *type;
} op_kinds[] = {
    {"TT_DNN_DEVICE_OP", "tt_dnn_device"},
    {"TT_DNN_FALL_BACK_OP", "python_fallback"},
    {"TT_DNN_FALLBACK_OP", "python_fallback"},
    {"TT_DNN_HOST_OP", "tt_dnn_cpu"},
};
enum { OP_KINDS = sizeof op_kinds / sizeof *op_kinds };

static const char *const known_types[] = {"tt_dnn_device", "tt_dnn_cpu", "python_fallback",
                                          "custom_zone", "unknown"};

static void count_damaged(struct host_ops *h, int kind, str text)
{
    str line = text;
    line = str_clip(str_cut(&line, '\n'), 120);
    if (diag_count(&h->diag, kind))
        diag_note(&h->diag, kind, "%.*s", STR(line));
}

// --- captures of traces ------------------------------------------------------------------
static struct host_capture *capture_of(struct host_ops *h, uint32_t process, int64_t device)
{
    struct host_ops_inner *in = h->inner;
    for (size_t i = 0; i < in->captures.n; i++)
        if (in->captures.v[i].process == process && in->captures.v[i].device == device)
            return &in->captures.v[i];
    vec_push(
        &in->captures,
        (struct host_capture){.process = process, .device = device, .trace = DEVICE_NO_ID});
    return &in->captures.v[in->captures.n - 1];
}

static void capture_odd(struct host_ops *h, const struct host_capture *c, int64_t trace,
                        const char *what)
{
    if (diag_count(&h->diag, DIAG_TRACE_BRACKET))
        diag_note(&h->diag, DIAG_TRACE_BRACKET, "device %lld: trace %lld %s",
                  (long long)c->device, (long long)trace, what);
}

static void take_begin(struct host_ops *h, struct host_capture *c, int64_t trace)
{
    if (c->trace != DEVICE_NO_ID)
        capture_odd(h, c, trace, "begins inside another one");
    c->trace = trace;
}

static void take_end(struct host_ops *h, struct host_capture *c, int64_t trace)
{
    if (c->trace != trace)
        capture_odd(h, c, trace,
                    c->trace == DEVICE_NO_ID ? "ends without a begin"
                                             : "ends where another one began");
    c->trace = DEVICE_NO_ID;
}

// "TT_METAL_TRACE_BEGIN: device, trace"
static void take_trace(struct host_ops *h, uint32_t process, uint64_t time, str text)
{
    if (str_starts(text, S("TT_METAL_TRACE_ENQUEUE_PROGRAM")))
        return;
    str tag = text, numbers;
    const char *colon = memrchr(text.p, ':', text.n);
    if (colon)
        tag.n = (size_t)(colon - text.p);
    numbers = colon ? str_from(text, tag.n + 1) : (str){0};
    int64_t device, trace;
    str first = str_cut(&numbers, ',');
    if (!num_int(first, &device) || !num_int(numbers, &trace)) {
        count_damaged(h, DIAG_OP_MESSAGE, text);
        return;
    }
    if (str_has(tag, S("BEGIN")))
        take_begin(h, capture_of(h, process, device), trace);
    else if (str_has(tag, S("END")))
        take_end(h, capture_of(h, process, device), trace);
    else if (str_has(tag, S("REPLAY")))
        vec_push(&h->replays,
                 (struct host_replay){.device = device, .trace = trace, .time = time});
}

// --- ops -------------------------------------------------------------------------------
// What a message says about an op, in any form.
struct op_told {
    bool has_id, has_hash, has_hit, has_device;
    uint64_t id, hash;
    int64_t device;
    bool is_hit;
    str name; // raw; empty: not given
    str json; // empty: a repeat
    const char *type;
};

static const char *type_of_tag(str text)
{
    for (int i = 0; i < OP_KINDS; i++)
        if (str_has(text, str_of(op_kinds[i].tag)))
            return op_kinds[i].type;
    return NULL;
}

// `TAG:"name" ->\n{...}`; the oldest ones have no arrow.
static void parse_op_loosely(str text, struct op_told *t)
{
    str rest = text, line = str_cut(&rest, '\n');
    t->json = rest;
    const char *open = memchr(line.p, '"', line.n);
    const char *close = open ? memrchr(line.p, '"', line.n) : NULL;
    if (open && close > open)
        t->name = (str){open + 1, (size_t)(close - open) - 1};
}

static void parse_op(str text, struct op_told *t)
{
    struct op_message m;
    str head = text;
    head = str_cut(&head, '\n');
    *t = (struct op_told){.type = type_of_tag(head)};
    if (!op_message_is(text) || !op_message_parse(text, &m)) {
        parse_op_loosely(text, t);
        return;
    }
    t->name = m.name;
    t->json = m.json;
    str numbers = str_from(head, (size_t)(m.name.p + m.name.n - head.p));
    if (!str_has(numbers, S(",")))
        return; // in the oldest form these are only in the record
    t->has_id = t->has_hash = t->has_device = true;
    t->id = m.id;
    t->hash = m.hash;
    t->device = m.device;
    t->has_hit = m.cache != OP_CACHE_UNKNOWN;
    t->is_hit = m.cache == OP_CACHE_HIT;
}

// Takes from the record what the head does not give.
static void fill_from_record(struct op_told *t, const struct op_record *r)
{
    if (!t->has_id && r->has_id)
        t->has_id = true, t->id = r->id;
    if (!t->has_hash && r->has_hash)
        t->has_hash = true, t->hash = r->hash;
    if (!t->has_device && r->has_device)
        t->has_device = true, t->device = r->device;
    if (!t->has_hit && r->has_hit)
        t->has_hit = true, t->is_hit = r->is_hit;
}

// The slot of a program's record; NULL: it has no hash.
static uint32_t *cached_record(struct host_ops *h, uint32_t process,
                               const struct op_told *t)
{
    if (!t->has_hash || !t->has_device)
        return NULL;
    struct host_ops_inner *in = h->inner;
    struct host_cache_key key = {.process = process, .hash = t->hash, .device = t->device};
    uint32_t at = map_put_copy(&in->cached, &key, sizeof key, &h->a);
    if (at == in->cached_record.n)
        vec_push(&in->cached_record, TRACE_NONE);
    return &in->cached_record.v[at];
}

// Index of the op's record; TRACE_NONE: never described.
static uint32_t find_record(struct host_ops *h, uint32_t process, struct op_told *t)
{
    if (t->json.n == 0) {
        const uint32_t *known = cached_record(h, process, t);
        return known ? *known : TRACE_NONE;
    }
    struct op_record r;
    op_record_read(t->json, &h->a, &r);
    fill_from_record(t, &r);
    uint32_t *known = cached_record(h, process, t);
    // A program that is in the cache may tell only its tensors, which differ from call to
    // call.
    if (known && *known != TRACE_NONE && !r.is_damaged)
        op_record_fill(&r, &h->records.v[*known]);
    vec_push(&h->records, r);
    uint32_t at = (uint32_t)h->records.n - 1;
    // A truncated record does not replace a complete one.
    if (known &&
        !(r.is_damaged && *known != TRACE_NONE && !h->records.v[*known].is_damaged))
        *known = at;
    return at;
}

static bool is_known_type(str type)
{
    for (size_t i = 0; i < sizeof known_types / sizeof *known_types; i++)
        if (str_is(type, known_types[i]))
            return true;
    return false;
}

static void name_op(struct host_ops *h, struct host_op *op, const struct op_told *t)
{
    const struct op_record *r = op->record == TRACE_NONE ? NULL : &h->records.v[op->record];
    op->code = r && r->code.p ? r->code : host_ops_cell(h, json_unescape(t->name, &h->a));
    op->type = r && r->type.p ? r->type : str_of(t->type);
    if (!op->type.p)
        op->type = S("unknown");
    if (!is_known_type(op->type)) {
        op->flags |= HOST_OP_UNKNOWN_TYPE;
        count_damaged(h, DIAG_OP_TYPE, op->type);
    }
}

static void mark_op(struct host_ops *h, struct host_op *op, bool is_cut, bool is_repeat,
                    str text)
{
    const struct op_record *r = op->record == TRACE_NONE ? NULL : &h->records.v[op->record];
    if (is_cut || (r && r->is_damaged && !is_repeat))
        count_damaged(h, DIAG_OP_CUT, text);
    if (is_cut || (r && r->is_damaged))
        op->flags |= HOST_OP_CUT;
    if (!r) {
        op->flags |= HOST_OP_NO_RECORD;
        count_damaged(h, DIAG_OP_NO_RECORD, text);
    }
}

static void add_op_message(struct host_ops *h, uint32_t process, uint64_t time, str text,
                           bool is_cut)
{
    struct op_told t;
    parse_op(text, &t);
    bool is_repeat = t.json.n == 0;
    uint32_t record = find_record(h, process, &t);
    if (!t.has_id) { // it could not be found again
        count_damaged(h, DIAG_OP_MESSAGE, text);
        return;
    }
    size_t n = h->ops.n;
    uint32_t at = host_ops_at(h, process, t.id);
    struct host_op *op = &h->ops.v[at];
    uint32_t flags = HOST_OP_NO_ZONE;
    if (h->ops.n == n) {
        flags |= HOST_OP_AGAIN;
        count_damaged(h, DIAG_OP_AGAIN, text);
    }
    *op = (struct host_op){.id = t.id,
                           .process = process,
                           .record = record,
                           .flags = flags,
                           .device = t.has_device ? t.device : DEVICE_NO_ID,
                           .hash = t.hash,
                           .has_hash = t.has_hash,
                           .has_hit = t.has_hit,
                           .is_hit = t.is_hit,
                           .trace = DEVICE_NO_ID,
                           .message_time = time};
    if (t.has_device) {
        op->flags |= HOST_OP_IS_DEVICE;
        op->trace = capture_of(h, process, t.device)->trace;
    }
    name_op(h, op, &t);
    mark_op(h, op, is_cut, is_repeat, text);
}

// --- all messages ----------------------------------------------------------------------
void host_ops_signpost(struct host_ops *h, uint64_t time, str text)
{
    text = host_ops_valid(h, text);
    str rest = text, header = str_cut(&rest, '\n');
    bool has_text = header.n < text.n;
    vec_push(&h->signposts,
             (struct host_signpost){.time = time,
                                    .header = host_ops_cell(h, header),
                                    .text = has_text ? host_ops_cell(h, rest) : (str){0}});
}

// "TT_SIGNPOST: header\ntext". tt-metal cuts at the last ": " of the whole message and
// takes one line of the text; here the user's text stays complete.
static void take_signpost(struct host_ops *h, uint64_t time, str text)
{
    str rest;
    if (str_after(text, S("TT_SIGNPOST: "), &rest) ||
        str_after(text, S("TT_SIGNPOST:"), &rest) ||
        str_after(text, S("TT_SIGNPOST"), &rest))
        host_ops_signpost(h, time, rest);
}

// In a run, messages are as the program sent them: in backticks, with those inside doubled.
// A table has them removed.
static str without_ticks(struct host_ops *h, str text)
{
    bool is_quoted = str_starts(text, S("`"));
    text = op_message_unticked(text);
    if (!is_quoted || !str_has(text, S("``")))
        return text;
    char *plain = push_many(&h->a, char, text.n);
    size_t n = 0;
    for (size_t i = 0; i < text.n; i++) {
        plain[n++] = text.p[i];
        i += text.p[i] == '`' && i + 1 < text.n && text.p[i + 1] == '`';
    }
    return (str){plain, n};
}

void host_ops_message(struct host_ops *h, uint32_t process, uint64_t time, str text,
                      bool is_cut)
{
    text = host_ops_valid(h, without_ticks(h, text));
    if (text.n == 0)
        return;
    // A signpost may mention anything, including ops and traces.
    bool is_signpost = str_starts(text, S("TT_SIGNPOST"));
    if (!is_signpost && (str_has(text, S("TT_DNN")) || str_has(text, S("TT_METAL")))) {
        if (str_has(text, S("OP")))
            add_op_message(h, process, time, text, is_cut);
        else if (str_has(text, S("TRACE")))
            take_trace(h, process, time, text);
    } else if (is_signpost || str_has(text, S("TT_SIGNPOST"))) {
        take_signpost(h, time, text);
    }
}
