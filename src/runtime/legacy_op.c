// legacy_op.c - device ops as reported to the profiler of 2023.
#include "base/text/num.h"

#include "runtime/legacy.h"

static void add_kernel(const ttrt *m, const struct rt_kernel *kernel, struct legacy_op *to)
{
    struct buf hash = {0};
    struct buf *paths = kernel->is_compute ? &to->compute_paths : &to->movement_paths;
    struct buf *hashes = kernel->is_compute ? &to->compute_hashes : &to->movement_hashes;
    buf_printf(&hash, "%llu", (unsigned long long)rt_kernel_hash(m, kernel));
    legacy_join(paths, str_of(kernel->source), '|');
    legacy_join(hashes, buf_view(&hash), '|');
    buf_free(&hash);
    if (kernel->is_compute && !to->fidelity.n)
        buf_z(&to->fidelity, rt_fidelity_name(kernel->fidelity));
}

static void add_rate(struct buf *list, const ttrt_tensor *t, double ideal_ns)
{
    struct buf text = {0};
    num_put_real(&text, rt_model_rate(t, ideal_ns));
    legacy_join(list, buf_view(&text), '|');
    buf_free(&text);
}

static void add_model(const ttrt *m, const struct rt_op *op, struct legacy_op *to)
{
    struct rt_model model = {1, 1, 1};
    op->model(m, op, &model);
    to->has_model = true;
    to->ideal_ns = (int64_t)model.ideal_ns;
    to->compute_ns = (int64_t)model.compute_ns;
    to->bandwidth_ns = (int64_t)model.bandwidth_ns;
    for (size_t i = 0; i < op->n_inputs; i++)
        add_rate(&to->input_rates, op->inputs[i], model.ideal_ns);
    for (size_t i = 0; i < op->n_outputs; i++)
        add_rate(&to->output_rates, op->outputs[i], model.ideal_ns);
}

static void add_attribute(const struct rt_attribute *attribute)
{
    struct buf text = {0};
    buf_printf(&text, "%s=%s", attribute->name, attribute->value);
    buf_char(&text, '\0');
    (void)ttrt_append_meta_data(text.p);
    buf_free(&text);
}

void rt_legacy_op_begin(const struct rt_op *op)
{
    if (rt_legacy_is_used())
        ttrt_start_profiling(op->code, "tt_dnn_device");
}

void rt_legacy_op_end(ttrt *m, const struct rt_op *op)
{
    struct legacy_op *to = rt_legacy_top();
    if (!rt_legacy_is_used() || !to)
        return;
    for (size_t i = 0; i < op->n_inputs; i++)
        ttrt_append_input_data(op->inputs[i]);
    for (size_t i = 0; i < op->n_outputs; i++)
        ttrt_append_output_data(op->outputs[i]);
    for (size_t i = 0; i < op->n_attributes; i++)
        add_attribute(&op->attributes[i]);
    for (size_t i = 0; i < op->n_kernels; i++)
        add_kernel(m, &op->kernels[i], to);
    if (op->model)
        add_model(m, op, to);
    (void)ttrt_stop_profiling(op->code);
}
