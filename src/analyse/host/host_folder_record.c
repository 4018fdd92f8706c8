// host_folder_record.c - a call in a folder of the op profiler of 2023 as a message and a
// zone, so that it is read like all others.
#include "base/text/json.h"
#include "base/text/num.h"

#include "analyse/host/host_folder_parts.h"

static bool is_device_op(const struct call_row *r)
{
    return str_is(r->cells[CALL_TYPE], "tt_dnn_device");
}

// The device of its first tensor there: "...|DEV_0_DRAM_INTERLEAVED", "...|dev_0_dram".
int64_t call_device(const struct call_row *r)
{
    if (!is_device_op(r))
        return DEVICE_NO_ID;
    for (enum call_column c = CALL_INPUTS; c <= CALL_OUTPUTS; c++)
        for (str rest = r->cells[c]; rest.n;) {
            str part = str_cut(&rest, '|');
            int64_t device;
            if (part.n < 4 || !str_eq_nocase((str){part.p, 4}, S("DEV_")))
                continue;
            part = str_from(part, 4);
            if (num_int(str_cut(&part, '_'), &device) && device >= 0)
                return device;
        }
    return 0;
}

// "1_1_32_64|TILE|BFLOAT16|DEV_0_DRAM_INTERLEAVED"; missing dimensions are 1.
static void put_tensor(struct json *j, str tensor)
{
    static const char *const sides[] = {"W", "Z", "Y", "X"};
    str shape = str_cut(&tensor, '|'), size[4] = {S("1"), S("1"), S("1"), S("1")};
    while (shape.n) {
        memmove(size, size + 1, 3 * sizeof *size);
        size[3] = str_cut(&shape, '_');
    }
    json_open(j, '{');
    json_key(j, S("shape"));
    json_open(j, '{');
    for (int i = 0; i < 4; i++)
        json_key_text(j, sides[i], size[i]);
    json_close(j, '}');
    json_key_text(j, "layout", str_cut(&tensor, '|'));
    json_key_text(j, "dtype", str_cut(&tensor, '|'));
    json_key_text(j, "storage_type", tensor);
    json_close(j, '}');
}

static void put_tensors(struct json *j, const char *key, str list)
{
    json_key(j, str_of(key));
    json_open(j, '[');
    while (list.n)
        put_tensor(j, str_cut(&list, '-'));
    json_close(j, ']');
}

static void put_kernels(struct json *j, const char *key, str sources, str hashes,
                        str fidelity)
{
    json_key(j, str_of(key));
    json_open(j, '[');
    while (sources.n) {
        json_open(j, '{');
        json_key_text(j, "source", str_cut(&sources, '|'));
        json_key_text(j, "name", str_cut(&hashes, '|'));
        if (fidelity.n)
            json_key_text(j, "math_fidelity", fidelity);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void put_number(struct json *j, const char *key, str cell)
{
    double v;
    if (!num_real(cell, &v))
        return;
    json_key(j, str_of(key));
    json_double(j, v);
}

static void put_numbers(struct json *j, const char *key, str list)
{
    json_key(j, str_of(key));
    json_open(j, '[');
    while (list.n) {
        double v;
        if (num_real(str_cut(&list, '|'), &v))
            json_double(j, v);
    }
    json_close(j, ']');
}

static void put_model(struct json *j, const str *cells)
{
    if (!cells[CALL_IDEAL].n)
        return;
    json_key(j, S("performance_model"));
    json_open(j, '{');
    put_number(j, "ideal_ns", cells[CALL_IDEAL]);
    put_number(j, "compute_ns", cells[CALL_COMPUTE_NS]);
    put_number(j, "bandwidth_ns", cells[CALL_BANDWIDTH]);
    put_numbers(j, "input_bws", cells[CALL_INPUT_RATES]);
    put_numbers(j, "output_bws", cells[CALL_OUTPUT_RATES]);
    json_close(j, '}');
}

static void put_record(struct json *j, const struct call_row *r, int64_t device)
{
    const str *cells = r->cells;
    json_open(j, '{');
    json_key_text(j, "op_code", cells[CALL_NAME]);
    json_key_text(j, "op_type", cells[CALL_TYPE]);
    json_key_int(j, "global_call_count", (int64_t)r->id);
    if (device != DEVICE_NO_ID)
        json_key_int(j, "device_id", device);
    if (cells[CALL_META].n)
        json_key_text(j, "attributes", cells[CALL_META]);
    if (cells[CALL_STRATEGY].n)
        json_key_text(j, "parallelization_strategy", cells[CALL_STRATEGY]);
    // Tables without kernels have a fidelity all the same.
    if (cells[CALL_FIDELITY].n && !cells[CALL_COMPUTE].n)
        json_key_text(j, "math_fidelity", cells[CALL_FIDELITY]);
    put_tensors(j, "input_tensors", cells[CALL_INPUTS]);
    put_tensors(j, "output_tensors", cells[CALL_OUTPUTS]);
    if (device != DEVICE_NO_ID) {
        json_key(j, S("kernel_info"));
        json_open(j, '{');
        put_kernels(j, "compute_kernels", cells[CALL_COMPUTE], cells[CALL_COMPUTE_HASHES],
                    cells[CALL_FIDELITY]);
        put_kernels(j, "datamovement_kernels", cells[CALL_MOVEMENT],
                    cells[CALL_MOVEMENT_HASHES], (str){0});
        json_close(j, '}');
    }
    put_model(j, cells);
    json_close(j, '}');
}

void call_tell(const struct call_row *r, int64_t device, struct host_ops *h)
{
    const char *tag = device == DEVICE_NO_ID ? "TT_DNN_HOST_OP" : "TT_DNN_DEVICE_OP";
    struct buf text = {0}, id = {0};
    struct json j = {.b = &text, .is_first = true};
    buf_printf(&text, "%s:", tag);
    json_text(&j, r->cells[CALL_NAME]);
    buf_char(&text, '\n');
    j = (struct json){.b = &text, .is_first = true};
    put_record(&j, r, device);
    host_ops_message(h, 0, r->start, arena_str(&h->a, buf_view(&text)), false);
    buf_printf(&id, "id:%llu", (unsigned long long)r->id);
    host_ops_zone(h, 0, str_of(tag), buf_view(&id), (str){0}, r->start, r->length,
                  r->depth ? (uint32_t)r->depth - 1 : 0);
    buf_free(&text);
    buf_free(&id);
}
