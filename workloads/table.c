// table.c - the list of workloads.
#include "workloads/workloads.h"

const struct workload *const workloads[] = {
    &workload_loopback,      &workload_eltwise_add, &workload_matmul_tiled,
    &workload_reduce,        &workload_mcast,       &workload_pipeline,
    &workload_full_buffer,   &workload_cycle_count, &workload_imbalance,
    &workload_multi_op,      &workload_allgather2,  &workload_matmul_peak,
    &workload_mlp,           &workload_stream,      &workload_transformer_block,
    &workload_training_step, &workload_rollover,    &workload_deadlock,
};
const size_t n_workloads = sizeof workloads / sizeof *workloads;

const struct workload *workload_find(str name)
{
    for (size_t i = 0; i < n_workloads; i++)
        if (str_is(name, workloads[i]->name))
            return workloads[i];
    return NULL;
}

const char *workload_suggest(str name)
{
    const char *nearest = NULL;
    unsigned best = name.n < 4 ? 2 : 5;
    for (size_t i = 0; i < n_workloads; i++) {
        unsigned d = str_distance(name, str_of(workloads[i]->name), best);
        if (d < best) {
            best = d;
            nearest = workloads[i]->name;
        }
    }
    return nearest;
}
