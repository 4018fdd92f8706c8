// sample_report.c - small ops reports.
#include "sample_report.h"

#include <stdio.h>

void sample_report_start(struct sample_report *s)
{
    *s = (struct sample_report){.time = 1000};
    host_ops_start(&s->host);
    s->device.mhz = 1000;
    s->device.has_traces = true;
}

void sample_report_free(struct sample_report *s)
{
    op_report_free(&s->report);
    device_rows_free(&s->device);
    host_ops_free(&s->host);
    buf_free(&s->text);
}

uint64_t sample_op_id(uint64_t base, int64_t device)
{
    return base << 10 | (uint64_t)device;
}

void sample_message(struct sample_report *s, const char *text)
{
    host_ops_message(&s->host, 0, s->time, str_of(text), false);
    s->time += 10;
}

void sample_op(struct sample_report *s, int64_t device, uint64_t base)
{
    char text[400], zone[32];
    unsigned long long id = sample_op_id(base, device);
    (void)snprintf(
        text, sizeof text,
        "TT_DNN_DEVICE_OP: \"Matmul\", %llu, %lld, false, %llu ->\n"
        "{\"device_id\": %lld, \"global_call_count\": %llu, \"input_tensors\": [], "
        "\"op_code\": \"Matmul\", \"op_hash\": %llu, \"op_type\": "
        "\"tt_dnn_device\", \"performance_model\": {\"compute_ns\": 300}}",
        (unsigned long long)base, (long long)device, id, (long long)device, id,
        (unsigned long long)base);
    (void)snprintf(zone, sizeof zone, "id:%llu", id);
    host_ops_zone(&s->host, 0, S("TT_DNN_DEVICE_OP"), str_of(zone), (str){0}, s->time - 5,
                  4, 0);
    sample_message(s, text);
}

struct device_row *sample_replayed(struct sample_report *s, int64_t device, uint64_t base,
                                   int64_t trace, int64_t session, int64_t start)
{
    struct device_row row = {.device = device,
                             .op = sample_op_id(base, device),
                             .trace = trace,
                             .session = session};
    for (int i = 0; i < DEVICE_NUMBERS; i++) {
        row.v[i] = DEVICE_NONE;
        row.state[i] = STATE_EMPTY;
    }
    const int64_t numbers[][2] = {
        {DEVICE_CORES, 4},
        {DEVICE_FW_START, start},
        {DEVICE_FW_END, start + 1000},
        {DEVICE_FW, 1000},
        {DEVICE_KERNEL_START, start + 50},
        {DEVICE_KERNEL_END, start + 950},
        {DEVICE_KERNEL, 900},
        {DEVICE_DM_START, start + 60},
        {DEVICE_DM_END, start + 950},
        {DEVICE_KERNEL_DM, 890},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        row.v[numbers[i][0]] = numbers[i][1];
        row.state[numbers[i][0]] = STATE_OK;
    }
    vec_push(&s->device.v, row);
    bool is_listed = false;
    for (size_t i = 0; i < s->device.devices.n; i++)
        is_listed |= s->device.devices.v[i] == device;
    if (!is_listed)
        vec_push(&s->device.devices, device);
    return &s->device.v.v[s->device.v.n - 1];
}

struct device_row *sample_measured(struct sample_report *s, int64_t device, uint64_t base,
                                   int64_t start)
{
    return sample_replayed(s, device, base, DEVICE_NO_ID, DEVICE_NO_ID, start);
}

void sample_whole_replay(struct sample_report *s, int64_t device, uint64_t number,
                         int64_t trace, int64_t session, int64_t start)
{
    sample_replayed(s, device, number, trace, session, start)->is_replay = true;
}

void sample_join(struct sample_report *s)
{
    host_ops_finish(&s->host);
    op_report_join(&s->report, &s->host, &s->device);
}

static void put_row(struct sample_report *s, const struct op_row *row)
{
    const struct device_row *d =
        row->device == TRACE_NONE ? NULL : &s->report.device->v.v[row->device];
    if (row->kind == OP_ROW_SIGNPOST) {
        buf_str(&s->text, s->host.signposts.v[row->host].header);
    } else if (row->kind == OP_ROW_REPLAY) {
        buf_z(&s->text, "trace ");
        if (d->trace != DEVICE_NO_ID)
            buf_printf(&s->text, "%lld", (long long)d->trace);
        buf_printf(&s->text, "/%lld", (long long)d->session);
    } else {
        uint64_t id = row->host == TRACE_NONE ? d->op : s->host.ops.v[row->host].id;
        buf_printf(&s->text, "%llu", (unsigned long long)(id >> 10));
        if (d && d->session != DEVICE_NO_ID)
            buf_printf(&s->text, "/%lld", (long long)d->session);
    }
    buf_printf(&s->text, " %s", op_state_names[row->state]);
}

str sample_rows(struct sample_report *s)
{
    s->text.n = 0;
    for (size_t i = 0; i < s->report.rows.n; i++) {
        if (i)
            buf_z(&s->text, i == s->report.n_rows ? " | " : ", ");
        put_row(s, &s->report.rows.v[i]);
    }
    return buf_view(&s->text);
}

str sample_coverage(struct sample_report *s)
{
    s->text.n = 0;
    op_report_coverage_text(&s->report, &s->text);
    return buf_view(&s->text);
}
