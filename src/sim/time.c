// time.c - device cycles and true time, with a clock period that drifts in steps.
#include "sim/cluster.h"

// Cycles between two changes of the period.
static uint64_t cycles_per_step(const struct chip *chip)
{
    return (uint64_t)(chip->hz / 1000) * chip->drift_ms;
}

uint64_t chip_true_fs(const struct chip *chip, uint64_t cycle)
{
    if (chip->drift_fs == 0)
        return chip->cluster->origin_fs + cycle * chip->period_fs;
    uint64_t length = cycles_per_step(chip), k = cycle / length, rest = cycle % length;
    // Sum of the periods of k whole stretches; wrapping arithmetic handles negative drift.
    uint64_t drift = (uint64_t)chip->drift_fs, pairs = k ? k * (k - 1) / 2 : 0;
    return chip->cluster->origin_fs + length * (k * chip->period_fs + pairs * drift) +
           rest * (chip->period_fs + k * drift);
}

uint64_t chip_cycle_at(const struct chip *chip, uint64_t true_fs)
{
    if (true_fs <= chip->cluster->origin_fs)
        return 0;
    uint64_t span = true_fs - chip->cluster->origin_fs;
    if (chip->drift_fs == 0)
        return (span + chip->period_fs - 1) / chip->period_fs;
    uint64_t low = 0, high = span; // a period is at least 1 fs
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        // Cycles far out of range would wrap; the slope never falls below half its value.
        bool is_before =
            middle < span / chip->period_fs * 2 + 2 && chip_true_fs(chip, middle) < true_fs;
        if (is_before)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
