// model.c - tt-metal's performance model: a lower bound on an op's time.
//
// Peak rates are those of tt-metal, so that figures can be compared with its reports; the
// software device has its own rates.
#include <math.h>

#include "runtime/parts.h"

enum { MATRIX_FLOPS = 4096 }; // multiplications and additions per engine and cycle, LoFi
enum { VECTOR_LANES = 32 };   // elements per vector unit and cycle

static double dram_bytes_per_ns(const ttrt *m) // 1 GiB/s is 1.0737 bytes per ns
{
    double gib = m->info.arch == TT_BLACKHOLE ? 512.0 : 6 * 2 * 21.5;
    return gib * 1024 * 1024 * 1024 / 1e9;
}

static double tensor_bytes(const ttrt_tensor *t)
{
    double volume = 1;
    for (int i = 0; i < 4; i++)
        volume *= t->padded[i];
    return volume * rt_dtypes[t->spec.dtype].bytes;
}

// Truncated to whole ns; tensors in L1 take 1.
static double tensor_ns(const ttrt *m, const ttrt_tensor *t)
{
    bool is_in_dram = t->spec.memory.buffer == TTRT_DRAM;
    return is_in_dram ? floor(tensor_bytes(t) / dram_bytes_per_ns(m)) : 1;
}

void rt_model_cycles(const ttrt *m, const struct rt_op *op, double cycles,
                     struct rt_model *model)
{
    double bandwidth = 1;
    for (size_t i = 0; i < op->n_inputs; i++)
        bandwidth = fmax(bandwidth, tensor_ns(m, op->inputs[i]));
    for (size_t i = 0; i < op->n_outputs; i++)
        bandwidth = fmax(bandwidth, tensor_ns(m, op->outputs[i]));
    model->compute_ns = ceil(cycles / (m->info.hz / 1e9));
    model->bandwidth_ns = bandwidth;
    model->ideal_ns = fmax(model->compute_ns, bandwidth);
}

double rt_model_matrix_cycles(const ttrt *m, uint64_t flops, int fidelity)
{
    double cores = m->info.grid.x * m->info.grid.y;
    return ceil((double)flops / (cores * MATRIX_FLOPS) *
                (fidelity ? fidelity : TTRT_HIFI4));
}

double rt_model_vector_cycles(const ttrt *m, uint64_t elements)
{
    double cores = m->info.grid.x * m->info.grid.y;
    return ceil((double)elements / (cores * VECTOR_LANES));
}

double rt_model_rate(const ttrt_tensor *t, double ideal_ns)
{
    return (double)((float)tensor_bytes(t) / (float)ideal_ns);
}
