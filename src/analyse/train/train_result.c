// train_result.c - throughput, roofline and model FLOPs utilisation of a run.
#include <math.h>

#include "analyse/train/train.h"

double train_tokens(const struct train_model *m)
{
    return (double)m->batch * (double)m->seq_len * (double)m->ddp * (double)m->grad_accum;
}

static double percent_of(double a, double b)
{
    return b > 0 ? 100 * a / b : NAN; // NaN if either is
}

static double ccl_of(const struct train_iteration *it, enum train_phase p)
{
    return it->ccl[p][CCL_REDUCE_SCATTER] + it->ccl[p][CCL_ALL_GATHER];
}

// Times from the device, else from the naive profiler, else wall-clock time, which includes
// the overhead of the full profiler. A step lasts from marker to marker.
static void take_times(struct train_result *r, const struct train_phases *device,
                       const struct train_log *log)
{
    const struct train_iteration *it = NULL;
    if (device && device->average.n) {
        r->profiler = "device";
        it = &device->average.v[0];
    } else if (log && log->naive.average.n) {
        r->profiler = "naive";
        it = &log->naive.average.v[0];
    }
    if (!it) {
        r->profiler = log && !isnan(log->wall_ms) ? "wall" : "none";
        r->step_ms = log ? log->wall_ms : NAN;
        r->ms[PART_TOTAL] = r->step_ms;
        return;
    }
    r->ms[PART_FWD] = it->ms[PHASE_FORWARD];
    r->ms[PART_BWD] = it->ms[PHASE_BACKWARD];
    r->ms[PART_OPT] = it->ms[PHASE_OPTIMIZER];
    r->grad_sync_ms = it->ms[PHASE_SYNC];
    r->step_ms = r->ms[PART_TOTAL] = it->step;
    r->kernel_ms = strcmp(r->profiler, "device") == 0 ? it->total : NAN;
    if (strcmp(r->profiler, "device") != 0)
        return;
    r->ccl_ms[PART_FWD] = ccl_of(it, PHASE_FORWARD);
    r->ccl_ms[PART_BWD] = ccl_of(it, PHASE_BACKWARD);
    r->ccl_ms[PART_OPT] = ccl_of(it, PHASE_OPTIMIZER);
    r->ccl_ms[PART_TOTAL] = r->ccl_ms[PART_FWD] + r->ccl_ms[PART_BWD] +
                            r->ccl_ms[PART_OPT] + ccl_of(it, PHASE_SYNC);
}

// The given total, else the sum of the parts.
static double total_of(const double v[PARTS])
{
    if (!isnan(v[PART_TOTAL]))
        return v[PART_TOTAL];
    return v[PART_FWD] + v[PART_BWD] + (isnan(v[PART_OPT]) ? 0 : v[PART_OPT]);
}

static void take_roofline(struct train_result *r, const struct train_model *m)
{
    memcpy(r->roofline_ms, m->roofline_ms, sizeof r->roofline_ms);
    double total = total_of(m->roofline_ms);
    if (m->is_checkpointed) { // forward runs twice, the second time inside backward
        r->roofline_ms[PART_BWD] += m->roofline_ms[PART_FWD];
        total += m->roofline_ms[PART_FWD];
    }
    r->roofline_ms[PART_TOTAL] = total;
    double flop[PARTS] = {m->tflop[PART_FWD], m->tflop[PART_BWD], m->tflop[PART_OPT],
                          total_of(m->tflop)};
    for (int p = 0; p < PARTS; p++) {
        r->roofline[p] = percent_of(r->roofline_ms[p], r->ms[p]);
        r->mfu[p] =
            r->ms[p] > 0 ? percent_of(flop[p] / (r->ms[p] / 1000), m->peak_tflops) : NAN;
    }
}

static void take_collectives(struct train_result *r, const struct train_model *m)
{
    r->sync_util = percent_of(m->ccl_ms[CCL_SYNC], r->grad_sync_ms);
    r->sync_gb_s = m->link_gb_s * r->sync_util / 100;
    r->ccl_util[0] = percent_of(m->ccl_ms[CCL_FWD], r->ccl_ms[PART_FWD]);
    r->ccl_util[1] = percent_of(m->ccl_ms[CCL_BWD], r->ccl_ms[PART_BWD]);
    r->ccl_util[2] = percent_of(m->ccl_ms[CCL_TOTAL], r->ccl_ms[PART_TOTAL]);
}

void train_result_make(struct train_result *r, const struct train_phases *device,
                       const struct train_log *log, const struct train_model *m,
                       size_t n_devices)
{
    *r = (struct train_result){.grad_sync_ms = NAN, .step_ms = NAN, .kernel_ms = NAN};
    for (int p = 0; p < PARTS; p++)
        r->ms[p] = r->ccl_ms[p] = NAN;
    take_times(r, device, log);
    take_roofline(r, m);
    take_collectives(r, m);
    int64_t share = m->tp * m->ddp;
    r->n_devices = share > 1 ? share : n_devices ? (int64_t)n_devices : 1;
    bool is_known = m->batch > 0 && m->seq_len > 0 && r->step_ms > 0;
    r->tokens_s = is_known ? train_tokens(m) / (r->step_ms / 1000) : NAN;
    r->tokens_s_device = r->tokens_s / (double)r->n_devices;
    r->dram_peak_mb = log ? log->overall_peak : NAN;
}
