// device_rows_laws.h - what must hold of device rows, whatever they come from.
#ifndef TTP_TESTS_DEVICE_ROWS_LAWS_H
#define TTP_TESTS_DEVICE_ROWS_LAWS_H

#include <math.h>

#include "analyse/ops/rows_of_log.h"
#include "device_run.h"

enum law_part { LAW_FIRST, LAW_START, LAW_END, LAW_MIN, LAW_MAX, LAW_AVERAGE };
// Which analysis makes a number, and which one of its results.
static const struct {
    const char *analysis;
    enum device_number number;
    enum law_part what;
} device_rows_table[] = {
    {"device_fw_duration", DEVICE_FW, LAW_FIRST},
    {"device_fw_duration", DEVICE_FW_START, LAW_START},
    {"device_fw_duration", DEVICE_FW_END, LAW_END},
    {"device_kernel_duration", DEVICE_KERNEL, LAW_FIRST},
    {"device_kernel_duration", DEVICE_KERNEL_START, LAW_START},
    {"device_kernel_duration", DEVICE_KERNEL_END, LAW_END},
    {"device_kernel_duration_dm_start", DEVICE_KERNEL_DM, LAW_FIRST},
    {"device_kernel_duration_dm_start", DEVICE_DM_START, LAW_START},
    {"device_kernel_duration_dm_start", DEVICE_DM_END, LAW_END},
    {"device_kernel_duration_per_core", DEVICE_CORE_MIN, LAW_MIN},
    {"device_kernel_duration_per_core", DEVICE_CORE_MAX, LAW_MAX},
    {"device_kernel_duration_per_core", DEVICE_CORE_AVG, LAW_AVERAGE},
    {"device_kernel_first_to_last_start", DEVICE_FIRST_TO_LAST, LAW_FIRST},
    {"device_brisc_kernel_duration", DEVICE_BRISC, LAW_FIRST},
    {"device_ncrisc_kernel_duration", DEVICE_NCRISC, LAW_FIRST},
    {"device_trisc0_kernel_duration", DEVICE_TRISC0, LAW_FIRST},
    {"device_trisc1_kernel_duration", DEVICE_TRISC1, LAW_FIRST},
    {"device_trisc2_kernel_duration", DEVICE_TRISC2, LAW_FIRST},
    {"device_erisc_kernel_duration", DEVICE_ERISC, LAW_FIRST},
    {"device_compute_cb_wait_front", DEVICE_CB_WAIT, LAW_FIRST},
    {"device_compute_cb_reserve_back", DEVICE_CB_RESERVE, LAW_FIRST},
};
enum { DEVICE_ROWS_TABLE = sizeof device_rows_table / sizeof *device_rows_table };

static inline int64_t law_ns(const struct trace *t, uint64_t cycles, uint64_t count)
{
    double ns = nearbyint((double)cycles * 1000 / ((double)count * (double)t->mhz));
    return t->mhz > 0 && ns < 0x1p63 ? (int64_t)ns : DEVICE_NONE;
}

static inline int64_t law_number(const struct trace *t, const struct analysed *a,
                                 const struct block *b, enum law_part what)
{
    const struct result *r = &a->results.v[b->result];
    switch (what) {
    case LAW_START:
    case LAW_END: {
        uint64_t time = t->markers.time[what == LAW_START ? r->start : r->end];
        return time <= INT64_MAX ? (int64_t)time : DEVICE_NONE;
    }
    case LAW_MIN: return law_ns(t, b->stats.min, 1);
    case LAW_MAX: return law_ns(t, b->stats.max, 1);
    case LAW_AVERAGE: return law_ns(t, b->stats.sum, b->stats.count);
    default: return law_ns(t, r->cycles, 1);
    }
}

// What is left of an op goes from a start to an end: analyses take any marker for both.
static inline bool law_allows(const struct device_row *row, enum device_number n,
                              int64_t want, enum law_part what)
{
    int64_t got = row->v[n];
    if (got == want)
        return true;
    if (row->state[n] != STATE_REPAIRED && row->state[n] != STATE_MISSING)
        return false;
    bool is_of_cores = what == LAW_MIN || what == LAW_MAX || what == LAW_AVERAGE;
    if (got == DEVICE_NONE || is_of_cores)
        return is_of_cores;
    // A start whose end is missing is in the row, but no analysis has it.
    if (want == DEVICE_NONE)
        return what == LAW_START;
    return what == LAW_START ? got > want : got < want;
}

// The numbers of rows are those of the analyses of the default setup, run with incomplete
// ops.
static inline const char *law_of_measured(const struct device_run *run,
                                          const struct device_rows *rows)
{
    if (rows->v.n != run->ops.n || rows->op_of.n != run->ops.n)
        return "there is a row for each op";
    for (size_t i = 0; i < DEVICE_ROWS_TABLE; i++) {
        const struct analysed *a =
            device_analysis_find(&run->analysis, str_of(device_rows_table[i].analysis));
        if (!a)
            return "the default setup has each analysis";
        enum device_number n = device_rows_table[i].number;
        int64_t *want = mem_alloc(mem_bytes(sizeof *want, run->ops.n + 1));
        for (size_t op = 0; op < run->ops.n; op++)
            want[op] = DEVICE_NONE;
        for (size_t b = 0; b < a->blocks.n; b++)
            want[a->blocks.v[b].group] =
                law_number(&run->trace, a, &a->blocks.v[b], device_rows_table[i].what);
        const char *broken = NULL;
        for (size_t r = 0; r < rows->v.n && !broken; r++) {
            const struct device_row *row = &rows->v.v[r];
            if (!law_allows(row, n, want[rows->op_of.v[r]], device_rows_table[i].what))
                broken = device_number_columns[n];
        }
        mem_free(want);
        if (broken)
            return broken;
    }
    return NULL;
}

// A number has a state that fits it.
static inline const char *law_of_states(const struct device_rows *rows)
{
    for (size_t i = 0; i < rows->v.n; i++)
        for (int n = 0; n < DEVICE_NUMBERS; n++) {
            bool is_there = rows->v.v[i].v[n] != DEVICE_NONE;
            enum cell_state state = rows->v.v[i].state[n];
            if (is_there != (state == STATE_OK || state == STATE_REPAIRED))
                return "a number is there when its state says so";
        }
    return NULL;
}

static inline bool device_rows_are_same(const struct device_rows *a,
                                        const struct device_rows *b)
{
    if (a->v.n != b->v.n || a->devices.n != b->devices.n || a->op_of.n != b->op_of.n ||
        a->n_sub_conflicts != b->n_sub_conflicts)
        return false;
    for (size_t i = 0; i < a->v.n; i++) {
        const struct device_row *x = &a->v.v[i], *y = &b->v.v[i];
        if (x->device != y->device || x->op != y->op || x->trace != y->trace ||
            x->session != y->session || x->line != y->line ||
            x->is_incomplete != y->is_incomplete || memcmp(x->v, y->v, sizeof x->v) != 0 ||
            memcmp(x->state, y->state, sizeof x->state) != 0)
            return false;
    }
    return true;
}

#endif
