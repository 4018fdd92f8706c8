// op_record.c - the op message that reports are made from.
#include <stdlib.h>

#include "base/data/sort.h"
#include "base/text/json.h"

#include "runtime/parts.h"
#include "ttprof/host.h"

enum { INDENT = 4, BASE_BITS = 21 };

// One counter for all ops of the process; ids wrap around.
uint32_t rt_next_base(void)
{
    static uint32_t n_ops;
    return __atomic_fetch_add(&n_ops, 1, __ATOMIC_RELAXED) % ((1u << BASE_BITS) - 1) + 1;
}

// Stays on once switched on.
bool rt_ops_are_told(void)
{
    static bool is_asked;
    const char *value = getenv("TTNN_OP_PROFILER");
    if (value && value[0] == '1')
        is_asked = true;
    return is_asked && ttprof_is_on();
}

// --- attributes ------------------------------------------------------------------------
static int by_name(const void *a, const void *b)
{
    const struct rt_attribute *x = a, *y = b;
    return strcmp(x->name, y->name);
}

static void put_attributes(const struct rt_op *op, struct json *j)
{
    struct rt_attribute sorted[sizeof op->attributes / sizeof *op->attributes];
    json_key(j, S("attributes"));
    if (!op->n_attributes) {
        json_none(j);
        return;
    }
    memcpy(sorted, op->attributes, op->n_attributes * sizeof *sorted);
    qsort(sorted, op->n_attributes, sizeof *sorted, by_name);
    json_open(j, '{');
    for (size_t i = 0; i < op->n_attributes; i++)
        json_key_text(j, sorted[i].name, str_of(sorted[i].value));
    json_close(j, '}');
}

// --- tensors ---------------------------------------------------------------------------
static void put_shape(const ttrt_tensor *t, struct json *j)
{
    static const struct {
        const char *key;
        int at;
    } sides[] = {{"W", 0}, {"X", 3}, {"Y", 2}, {"Z", 1}};
    json_key(j, S("shape"));
    json_open(j, '{');
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        struct buf text = {0};
        buf_printf(&text, "%u[%u]", t->padded[sides[i].at], t->spec.shape[sides[i].at]);
        json_key_text(j, sides[i].key, buf_view(&text));
        buf_free(&text);
    }
    json_close(j, '}');
}

static void put_storage(const ttrt_tensor *t, int device, struct json *j)
{
    const struct ttrt_memory *memory = &t->spec.memory;
    json_key(j, S("storage_type"));
    json_open(j, '{');
    json_key_int(j, "device_id", device);
    json_key(j, S("memory_config"));
    json_open(j, '{');
    json_key_text(j, "buffer_type", str_of(rt_buffer_name(memory->buffer)));
    json_key_text(j, "memory_layout", str_of(rt_memory_layout_name(memory->layout)));
    json_close(j, '}');
    json_close(j, '}');
}

static void put_tensor(const ttrt_tensor *t, int device, struct json *j)
{
    json_open(j, '{');
    json_key_text(j, "dtype", str_of(rt_dtypes[t->spec.dtype].name));
    json_key_text(j, "layout", str_of(rt_layout_name(t->spec.layout)));
    put_shape(t, j);
    put_storage(t, device, j);
    json_close(j, '}');
}

// --- kernels ---------------------------------------------------------------------------
static ttdev_image *image_of(const ttrt *m, const struct rt_kernel *kernel, int i)
{
    ttdev_image *image = NULL;
    struct err unused;
    (void)ttdev_image_find(m->t, kernel->image, kernel->risc + i, &image, &unused);
    return image;
}

static int n_images(const struct rt_kernel *kernel)
{
    return kernel->is_compute ? 3 : 1;
}

// Kernels with the same source and fidelity are listed once, as in tt-metal.
static bool is_first(const struct rt_op *op, size_t at)
{
    const struct rt_kernel *k = &op->kernels[at];
    for (size_t i = 0; i < at; i++) {
        const struct rt_kernel *other = &op->kernels[i];
        if (other->is_compute == k->is_compute && strcmp(other->source, k->source) == 0 &&
            (!k->is_compute || other->fidelity == k->fidelity))
            return false;
    }
    return true;
}

const char *rt_fidelity_name(int fidelity)
{
    static const char *const names[] = {"HiFi4", "LoFi", "HiFi2", "HiFi3", "HiFi4"};
    return names[fidelity > 0 && fidelity <= TTRT_HIFI4 ? fidelity : 0];
}

uint64_t rt_kernel_hash(const ttrt *m, const struct rt_kernel *kernel)
{
    uint64_t hash = 0;
    for (int i = 0; i < n_images(kernel); i++) {
        const ttdev_image *image = image_of(m, kernel, i);
        hash = hash * 31 + (image ? ttdev_image_hash(image) : 0);
    }
    return hash;
}

// "read/1234567890/": the source's name and a hash of the images.
static void put_kernel_name(const ttrt *m, const struct rt_kernel *kernel, struct json *j)
{
    struct buf name = {0};
    const char *slash = strrchr(kernel->image, '/');
    buf_printf(&name, "%s/%llu/", slash ? slash + 1 : kernel->image,
               (unsigned long long)rt_kernel_hash(m, kernel));
    json_key_text(j, "name", buf_view(&name));
    buf_free(&name);
}

static void put_kernels(const ttrt *m, const struct rt_op *op, bool is_compute,
                        struct json *j)
{
    json_key(j, is_compute ? S("compute_kernels") : S("datamovement_kernels"));
    json_open(j, '[');
    for (size_t i = 0; i < op->n_kernels; i++) {
        const struct rt_kernel *kernel = &op->kernels[i];
        if (kernel->is_compute != is_compute || !is_first(op, i))
            continue;
        json_open(j, '{');
        if (is_compute)
            json_key_text(j, "math_fidelity", str_of(rt_fidelity_name(kernel->fidelity)));
        put_kernel_name(m, kernel, j);
        json_key_text(j, "source", str_of(kernel->source));
        json_close(j, '}');
    }
    json_close(j, ']');
}

// The largest image per processor; -1 for processors the software device lacks.
static void put_sizes(const ttrt *m, const struct rt_op *op, struct json *j)
{
    static const struct {
        const char *key;
        int risc;
    } sizes[] = {{"ACTIVE_ETH_DM_0_max_kernel_size", TTDEV_ERISC},
                 {"ACTIVE_ETH_DM_1_max_kernel_size", -1},
                 {"IDLE_ETH_DM_0_max_kernel_size", -1},
                 {"IDLE_ETH_DM_1_max_kernel_size", -1},
                 {"TENSIX_COMPUTE_0_max_kernel_size", TT_TRISC0},
                 {"TENSIX_COMPUTE_1_max_kernel_size", TT_TRISC1},
                 {"TENSIX_COMPUTE_2_max_kernel_size", TT_TRISC2},
                 {"TENSIX_DM_0_max_kernel_size", TT_BRISC},
                 {"TENSIX_DM_1_max_kernel_size", TT_NCRISC}};
    uint32_t bytes[TTDEV_ERISC + 1] = {0};
    for (size_t i = 0; i < op->n_kernels; i++)
        for (int r = 0; r < n_images(&op->kernels[i]); r++) {
            const ttdev_image *image = image_of(m, &op->kernels[i], r);
            uint32_t *most = &bytes[op->kernels[i].risc + r];
            uint32_t own = image ? ttdev_image_bytes(image) : 0;
            *most = own > *most ? own : *most;
        }
    json_key(j, S("kernel_sizes"));
    json_open(j, '{');
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        json_key_int(j, sizes[i].key, sizes[i].risc < 0 ? 0 : bytes[sizes[i].risc]);
    json_close(j, '}');
}

static void put_kernel_info(const ttrt *m, const struct rt_op *op, struct json *j)
{
    json_key(j, S("kernel_info"));
    json_open(j, '{');
    put_kernels(m, op, true, j);
    put_kernels(m, op, false, j);
    put_sizes(m, op, j);
    json_close(j, '}');
}

// --- the model -------------------------------------------------------------------------
static void put_rates(const char *key, const ttrt_tensor *const *tensors, size_t n,
                      double ideal_ns, struct json *j)
{
    json_key(j, str_of(key));
    json_open(j, '[');
    for (size_t i = 0; i < n; i++)
        json_double(j, rt_model_rate(tensors[i], ideal_ns));
    json_close(j, ']');
}

static void put_model(const ttrt *m, const struct rt_op *op, struct json *j)
{
    struct rt_model model = {1, 1, 1};
    bool is_known = op->model != NULL;
    if (is_known)
        op->model(m, op, &model);
    json_key(j, S("performance_model"));
    json_open(j, '{');
    json_key_int(j, "bandwidth_ns", (int64_t)model.bandwidth_ns);
    json_key_int(j, "compute_ns", (int64_t)model.compute_ns);
    json_key_int(j, "ideal_ns", (int64_t)model.ideal_ns);
    put_rates("input_bws", op->inputs, is_known ? op->n_inputs : 0, model.ideal_ns, j);
    put_rates("output_bws", (const ttrt_tensor *const *)op->outputs,
              is_known ? op->n_outputs : 0, model.ideal_ns, j);
    json_close(j, '}');
}

// --- the record ------------------------------------------------------------------------
static void put_tensors(const char *key, const ttrt_tensor *const *tensors, size_t n,
                        int device, struct json *j)
{
    json_key(j, str_of(key));
    json_open(j, '[');
    for (size_t i = 0; i < n; i++)
        put_tensor(tensors[i], device, j);
    json_close(j, ']');
}

// Message readers split fields at commas.
static void put_code(const struct rt_op *op, struct json *j)
{
    struct buf code = {0};
    for (const char *c = op->code; *c; c++)
        buf_char(&code, *c == ',' ? ';' : *c);
    json_text(j, buf_view(&code));
    buf_free(&code);
}

void rt_record_json(const ttrt *m, const struct rt_told *told, struct buf *b)
{
    const struct rt_op *op = told->op;
    struct json j = {.b = b, .is_first = true, .indent = INDENT};
    json_open(&j, '{');
    put_attributes(op, &j);
    rt_call_site_put(m, &j);
    json_key_int(&j, "device_id", told->device);
    json_key_int(&j, "global_call_count", told->id);
    put_tensors("input_tensors", op->inputs, op->n_inputs, told->device, &j);
    put_kernel_info(m, op, &j);
    json_key(&j, S("op_code"));
    put_code(op, &j);
    json_key(&j, S("op_hash"));
    json_uint(&j, told->hash);
    json_key_text(&j, "op_type", S("tt_dnn_device"));
    put_tensors("optional_input_tensors", NULL, 0, told->device, &j);
    put_tensors("output_tensors", (const ttrt_tensor *const *)op->outputs, op->n_outputs,
                told->device, &j);
    put_model(m, op, &j);
    json_key(&j, S("program_cache_hit"));
    json_bool(&j, told->is_hit);
    json_close(&j, '}');
}

// --- the message -----------------------------------------------------------------------
// Enclosed in backticks, which readers treat as quotes; inner ones are doubled.
void rt_message_quote(struct buf *to, str text)
{
    buf_char(to, '`');
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == '`')
            buf_char(to, '`');
        buf_char(to, text.p[i]);
    }
    buf_char(to, '`');
}

void rt_record_message(const ttrt *m, const struct rt_told *told, bool is_known,
                       struct buf *b)
{
    struct buf text = {0};
    struct json j = {.b = &text, .is_first = true};
    buf_z(&text, "TT_DNN_DEVICE_OP: ");
    put_code(told->op, &j);
    buf_printf(&text, ", %llu, %d, %s, %u", (unsigned long long)told->hash, told->device,
               told->is_hit ? "true" : "false", told->id);
    if (!is_known) {
        buf_z(&text, " ->\n");
        rt_record_json(m, told, &text);
    }
    rt_message_quote(b, buf_view(&text));
    buf_free(&text);
}

// Whether this op was already recorded in full on that chip, from this line of the program;
// marks it so.
static bool was_told(ttrt *m, const struct rt_told *told)
{
    uint64_t key[2] = {(uint64_t)told->device, told->hash};
    size_t n = m->told.keys.n;
    uint32_t at = map_put_copy(&m->told, key, sizeof key, &m->life);
    return rt_site_is_told(m, at, at < n);
}

void rt_record_put(ttrt *m, const struct rt_told *told)
{
    struct buf message = {0};
    if (!rt_ops_are_told())
        return;
    bool is_known = was_told(m, told) && !getenv("TT_METAL_PROFILER_NO_CACHE_OP_INFO");
    rt_record_message(m, told, is_known, &message);
    ttprof_op(message.p, message.n);
    buf_free(&message);
}
