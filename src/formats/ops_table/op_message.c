// op_message.c - parses the first line of op messages.
#include "formats/ops_table/op_message.h"

#include "base/text/json_read.h"
#include "base/text/num.h"

enum { FIELDS_MOST = 4 };

static const str tag = {"TT_DNN_DEVICE_OP:", sizeof "TT_DNN_DEVICE_OP:" - 1};

str op_message_unticked(str text)
{
    // One at the end only is part of the text.
    if (!str_starts(text, S("`")))
        return text;
    text = str_from(text, 1);
    if (str_ends(text, S("`")))
        text.n--;
    return text;
}

bool op_message_is(str text)
{
    return str_starts(op_message_unticked(text), tag);
}

// Takes the quoted name off the front. Quotes inside it are escaped by a backslash.
static bool take_name(str *rest, str *name)
{
    *rest = str_trim(*rest);
    if (!str_starts(*rest, S("\"")))
        return false;
    size_t end = 1;
    while (end < rest->n && rest->p[end] != '"')
        end += rest->p[end] == '\\' ? 2 : 1;
    if (end >= rest->n)
        return false;
    *name = (str){rest->p + 1, end - 1};
    *rest = str_from(*rest, end + 1);
    return true;
}

static bool take_number(str s, uint64_t *out)
{
    s = str_trim(s);
    uint64_t v = 0;
    if (s.n == 0 || s.n > 20)
        return false;
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] < '0' || s.p[i] > '9' || __builtin_mul_overflow(v, 10, &v) ||
            __builtin_add_overflow(v, (uint64_t)(s.p[i] - '0'), &v))
            return false;
    }
    *out = v;
    return true;
}

static bool take_cache(str s, enum op_cache *cache)
{
    s = str_trim(s);
    bool is_hit = str_is(s, "1") || str_is(s, "true") || str_is(s, "True");
    bool is_miss = str_is(s, "0") || str_is(s, "false") || str_is(s, "False");
    *cache = is_hit ? OP_CACHE_HIT : OP_CACHE_MISS;
    return is_hit || is_miss;
}

// ", hash, device[, hit], id"
static bool take_fields(str line, struct op_message *m)
{
    str fields[FIELDS_MOST];
    size_t n = 0;
    (void)str_cut(&line, ',');
    while (line.n && n < FIELDS_MOST)
        fields[n++] = str_cut(&line, ',');
    if (n < FIELDS_MOST - 1 || line.n)
        return false;
    m->cache = OP_CACHE_UNKNOWN;
    return take_number(fields[0], &m->hash) && num_int(fields[1], &m->device) &&
           (n < FIELDS_MOST || take_cache(fields[2], &m->cache)) &&
           take_number(fields[n - 1], &m->id);
}

// In the oldest form these are only in the record.
static bool take_record(struct op_message *m)
{
    struct json_read r = json_read_of(m->json);
    bool has_id = false;
    str key;
    for (json_enter(&r, '{'); json_member(&r, &key);) {
        if (str_is(key, "global_call_count"))
            has_id = json_take_unsigned(&r, &m->id);
        else if (str_is(key, "device_id"))
            (void)json_take_int(&r, &m->device);
        else if (str_is(key, "op_hash"))
            (void)json_take_unsigned(&r, &m->hash);
        else
            json_skip(&r);
    }
    return has_id;
}

bool op_message_parse(str text, struct op_message *m)
{
    *m = (struct op_message){0};
    str rest = op_message_unticked(text);
    if (!str_starts(rest, tag))
        return false;
    rest = str_from(rest, tag.n);
    if (!take_name(&rest, &m->name))
        return false;
    str line = str_trim(str_cut(&rest, '\n'));
    m->json = rest;
    if (str_ends(line, S("->")))
        line.n -= 2;
    return str_trim(line).n ? take_fields(line, m) : take_record(m);
}
