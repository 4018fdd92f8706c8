// summary.h - ops grouped by kind: the stacked report.
#ifndef TTP_ANALYSE_PERF_SUMMARY_H
#define TTP_ANALYSE_PERF_SUMMARY_H

#include "analyse/perf/perf.h"

enum group_by { GROUP_BY_MEMORY, GROUP_BY_OP, GROUP_BY_CATEGORY };
enum category {
    CATEGORY_COMPUTE,
    CATEGORY_TM,
    CATEGORY_DM,
    CATEGORY_HOST,
    CATEGORY_OTHER,
    CATEGORIES
};

struct summary_group {
    str key;
    int32_t device; // OPS_NO_DEVICE unless grouped by device
    enum category category;
    double time;
    double share; // percent of the total, or of the device
    size_t n_ops;
    size_t n_flops; // ops that have a FLOPs %
    double flops_min, flops_max, flops_mean, flops_std;
    double flops_weighted;
    bool has_weighted;
};

struct summary {
    struct arena arena;
    struct summary_group *groups; // longest first
    size_t n_groups;
    bool is_by_device;
    bool is_by_category;
    bool has_total; // the total is not zero
    bool has_time;  // some op had a duration; otherwise zeros print as 0
    double total;
};

// Warnings about ops without a category go to p->notes.
void summary_make(struct summary *s, struct perf *p, enum group_by by, bool by_device);
void summary_free(struct summary *s);

const char *category_name(enum category c);

#endif
