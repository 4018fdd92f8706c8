// op_ids.c - finds and raises the numbers of programs and traces in texts.
#include "analyse/host/op_ids.h"

#include "base/text/json_read.h"

#include "formats/device_log/device_log.h"
#include "formats/ops_table/op_message.h"

enum { CHIP_BITS = 10, PROGRAM_BITS = 21 }; // of a run id

uint32_t op_id_program(uint64_t run_id)
{
    return (uint32_t)(run_id >> CHIP_BITS & ((1u << PROGRAM_BITS) - 1));
}

// The number at the start of `digits`, which is a part of `text`.
static bool take_number(str text, str digits, enum op_id_kind kind, struct op_id_place *out)
{
    digits = str_trim(digits);
    *out = (struct op_id_place){.kind = kind, .at = (size_t)(digits.p - text.p)};
    while (out->n < digits.n && digits.p[out->n] >= '0' && digits.p[out->n] <= '9') {
        if (__builtin_mul_overflow(out->number, 10, &out->number) ||
            __builtin_add_overflow(out->number, (uint64_t)(digits.p[out->n] - '0'),
                                   &out->number))
            return false;
        out->n++;
    }
    return out->n > 0;
}

// The last of the numbers after the name: `"name", hash, device, hit, id ->`.
static size_t in_head(str text, str line, struct op_id_place *out)
{
    const char *quote = line.n ? memrchr(line.p, '"', line.n) : NULL;
    const char *comma = line.n ? memrchr(line.p, ',', line.n) : NULL;
    if (!quote || !comma || comma < quote)
        return 0;
    str rest = str_from(line, (size_t)(comma - line.p) + 1);
    return take_number(text, rest, OP_ID_RUN, out);
}

static size_t in_record(str text, str json, struct op_id_place *out)
{
    struct json_read at = json_find(json_read_of(json), "global_call_count", NULL);
    if (json_peek(&at) != JSON_KIND_NUMBER)
        return 0;
    return take_number(text, (str){at.p, (size_t)(at.end - at.p)}, OP_ID_RUN, out);
}

// "TT_METAL_TRACE_BEGIN: chip, trace[, program]"
static size_t in_trace(str text, struct op_id_place places[OP_IDS_MOST])
{
    size_t n = 0;
    str rest = text;
    (void)str_cut(&rest, ':');
    (void)str_cut(&rest, ',');
    if (rest.n && take_number(text, str_cut(&rest, ','), OP_ID_TRACE, &places[n]))
        n++;
    if (n && rest.n && take_number(text, rest, OP_ID_PROGRAM, &places[n]))
        n++;
    return n;
}

size_t op_ids_in_message(str text, struct op_id_place places[OP_IDS_MOST])
{
    str plain = op_message_unticked(text);
    if (str_starts(plain, S("TT_METAL_TRACE_")))
        return in_trace(text, places);
    if (!str_starts(plain, S("TT_DNN_")))
        return 0;
    str json = plain, line = str_cut(&json, '\n');
    size_t n = in_head(text, line, places);
    return n + (json.n ? in_record(text, json, &places[n]) : 0);
}

size_t op_ids_in_zone(str text, struct op_id_place places[OP_IDS_MOST])
{
    const char *colon = text.n ? memrchr(text.p, ':', text.n) : NULL;
    if (!colon || !str_has(text, S("id:")))
        return 0;
    return take_number(text, str_from(text, (size_t)(colon - text.p) + 1), OP_ID_RUN,
                       places);
}

static uint64_t raised(const struct op_id_place *p, int64_t more_programs,
                       int64_t more_traces)
{
    switch (p->kind) {
    case OP_ID_PROGRAM: return p->number + (uint64_t)more_programs;
    case OP_ID_TRACE: return p->number + (uint64_t)more_traces;
    default: break;
    }
    return p->number <= INT64_MAX
               ? (uint64_t)log_more_programs((int64_t)p->number, more_programs)
               : p->number;
}

str op_ids_raised(str text, const struct op_id_place *places, size_t n,
                  int64_t more_programs, int64_t more_traces, struct buf *b)
{
    size_t at = 0;
    if (!n || (!more_programs && !more_traces))
        return text;
    b->n = 0;
    for (size_t i = 0; i < n; i++) {
        buf_str(b, (str){text.p + at, places[i].at - at});
        buf_printf(b, "%llu",
                   (unsigned long long)raised(&places[i], more_programs, more_traces));
        at = places[i].at + places[i].n;
    }
    buf_str(b, str_from(text, at));
    return buf_view(b);
}
