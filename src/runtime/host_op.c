// host_op.c - ops computed by the host, recorded like device ops.
#include <stdio.h>

#include "base/text/json.h"

#include "runtime/parts.h"
#include "ttprof/host.h"

enum { HOST_BIT = 31, DEVICE_BITS = 10 };

static const struct host_op_type {
    const char *message, *type;
} types[] = {
    [TTRT_PYTHON_FALLBACK] = {"TT_DNN_FALL_BACK_OP", "python_fallback"},
    [TTRT_CPU] = {"TT_DNN_HOST_OP", "tt_dnn_cpu"},
};

static void put_message(const ttrt *m, const char *code, const struct host_op_type *type,
                        uint32_t id)
{
    struct buf text = {0}, message = {0};
    struct json j = {.b = &text, .is_first = true};
    buf_printf(&text, "%s:", type->message);
    json_text(&j, str_of(code));
    buf_z(&text, " ->\n");
    j = (struct json){.b = &text, .is_first = true, .indent = 4};
    json_open(&j, '{');
    json_key(&j, S("attributes"));
    json_none(&j);
    rt_call_site_put(m, &j);
    json_key_int(&j, "global_call_count", id);
    json_key(&j, S("input_tensors"));
    json_open(&j, '[');
    json_close(&j, ']');
    json_key_text(&j, "op_code", str_of(code));
    json_key_text(&j, "op_type", str_of(type->type));
    json_close(&j, '}');
    rt_message_quote(&message, buf_view(&text));
    ttprof_op(message.p, message.n);
    buf_free(&text);
    buf_free(&message);
}

// A zone's name must be a literal at its location.
static void work_in_zone(int type, uint32_t id, void (*work)(void *context), void *context)
{
    char text[24];
    int n = snprintf(text, sizeof text, "id:%u", id);
    if (type == TTRT_PYTHON_FALLBACK) {
        TTPROF_ZONE_AS(zone, "TT_DNN_FALLBACK_OP", 0);
        TTPROF_TEXT(zone, text, (size_t)n);
        work(context);
    } else {
        TTPROF_ZONE_AS(zone, "TT_DNN_HOST_OP", 0);
        TTPROF_TEXT(zone, text, (size_t)n);
        work(context);
    }
}

static void no_work(void *context)
{
    (void)context;
}

void ttrt_host_op(ttrt *m, const char *code, int type, void (*work)(void *context),
                  void *context)
{
    if (!rt_enter(m))
        return;
    if (type != TTRT_PYTHON_FALLBACK && type != TTRT_CPU) {
        rt_fail(m, "host op '%s': unknown type %d", code, type);
        return;
    }
    uint32_t id = 1u << HOST_BIT | rt_next_base() << DEVICE_BITS;
    work_in_zone(type, id, work ? work : no_work, context);
    if (rt_ops_are_told())
        put_message(m, code, &types[type], id);
}
