// counter_formulas.c - the table of metrics, in the order of their columns.
#include "analyse/counters/counter_formulas.h"

#include <math.h>

enum { TERMS = 10 };

struct term {
    uint8_t counter; // 0 ends the list
    int8_t factor;
};

struct quotient {
    struct term top[TERMS], bottom[TERMS];
    struct term cycles; // instead of `bottom`: a multiple of the cycles of a counter
    double scale;
    bool is_clipped; // never below 0
};

enum form {
    FORM_QUOTIENT,
    FORM_MEAN_BEFORE, // of the two metrics before it, or of the one with a value
    FORM_CONTENTION,  // mean share of blocked requests over ports that have any
    FORM_IMBALANCE,   // between the largest and the smallest
};

struct rule {
    struct metric metric;
    enum form form;
    struct quotient quotient;
    enum counter needs; // if it is 0 on the whole device, use `otherwise`; 0: no condition
    const struct quotient *otherwise; // NULL: no value
};

// --- the table ---------------------------------------------------------------------------

#define OF(name)                                                                           \
    {                                                                                      \
        COUNTER_##name, 1                                                                  \
    }
#define LESS(name)                                                                         \
    {                                                                                      \
        COUNTER_##name, -1                                                                 \
    }

#define QUOTIENT_OVER_CYCLES(name, factor, ...)                                            \
    {                                                                                      \
        .top = {__VA_ARGS__}, .cycles = {COUNTER_##name, factor}, .scale = 100             \
    }
#define QUOTIENT_RATIO(a, b)                                                               \
    {                                                                                      \
        .top = {OF(a)}, .bottom = {OF(b)}, .scale = 100                                    \
    }

#define PERCENT(title) .metric = {.name = (title)}
#define UTIL(name)     .quotient = QUOTIENT_OVER_CYCLES(name, 1, OF(name))
#define RATIO(a, b)    .quotient = QUOTIENT_RATIO(a, b)
#define BLOCKED(passed, all)                                                               \
    .quotient = {.top = {OF(all), LESS(passed)},                                           \
                 .bottom = {OF(all)},                                                      \
                 .scale = 100,                                                             \
                 .is_clipped = true}
// Utilisation of a port with two channels.
#define PORT_UTIL(port)                                                                    \
    .quotient = QUOTIENT_OVER_CYCLES(port##_0, 2, OF(port##_0), OF(port##_1))
#define PORT_BLOCKED(port)                                                                 \
    .quotient = {                                                                          \
        .top = {OF(port##_0), LESS(port##_0_GRANT), OF(port##_1), LESS(port##_1_GRANT)},   \
        .bottom = {OF(port##_0), OF(port##_1)},                                            \
        .scale = 100,                                                                      \
        .is_clipped = true}
#define OUTGOING OF(L1_0_NOC_RING0_OUTGOING_0), OF(L1_0_NOC_RING0_OUTGOING_1)
#define INCOMING OF(L1_0_NOC_RING0_INCOMING_0), OF(L1_0_NOC_RING0_INCOMING_1)
#define BUNDLES  OF(L1_0_TDMA_BUNDLE_0_RISC), OF(L1_0_TDMA_BUNDLE_1_TRISC)
#define UNPACKS  OF(UNPACK0_BUSY_THREAD0), OF(UNPACK1_BUSY_THREAD0)
#define HIFI     OF(MATH_INSTRN_HF_2_CYCLE), OF(MATH_INSTRN_HF_4_CYCLE)

#define STALL_OVERLAP(t)                                                                   \
    .quotient = {.top = {OF(WAITING_FOR_THCON_IDLE_##t), OF(WAITING_FOR_UNPACK_IDLE_##t),  \
                         OF(WAITING_FOR_PACK_IDLE_##t), OF(WAITING_FOR_MATH_IDLE_##t),     \
                         OF(WAITING_FOR_NONZERO_SEM_##t), OF(WAITING_FOR_NONFULL_SEM_##t), \
                         OF(WAITING_FOR_MOVE_IDLE_##t), OF(WAITING_FOR_MMIO_IDLE_##t),     \
                         OF(WAITING_FOR_SFPU_IDLE_##t)},                                   \
                 .bottom = {OF(THREAD_STALLS_##t)},                                        \
                 .scale = 1}
#define ISSUE_RATE(t)                                                                      \
    .metric = {.name = "T" #t " Instrn Issue Rate", .unit = METRIC_PER_CYCLE},             \
    .quotient = {.top = {OF(THREAD_INSTRUCTIONS_##t)},                                     \
                 .cycles = {COUNTER_THREAD_INSTRUCTIONS_##t, 1},                           \
                 .scale = 1}

// Used if the packer counts nothing.
static const struct quotient packer_grants =
    QUOTIENT_RATIO(DEST_READ_GRANTED_0, PACKER_DEST_READ_AVAILABLE);
static const struct quotient math_available =
    QUOTIENT_OVER_CYCLES(AVAILABLE_MATH, 1, OF(AVAILABLE_MATH));

// clang-format off
static const struct rule rules[] = {
    {.metric = {.name = "SFPU Util", .grid_name = "Avg SFPU util on full grid (%)"}, UTIL(SFPU_COUNTER)},
    {.metric = {.name = "FPU Util", .grid_name = "Avg FPU util on full grid (%)"}, UTIL(FPU_COUNTER)},
    {.metric = {.name = "MATH Util", .grid_name = "Avg Math util on full grid (%)"}, UTIL(MATH_COUNTER)},
    {PERCENT("Unpacker0 Write Efficiency"), RATIO(SRCA_WRITE_ACTUAL, UNPACK0_BUSY_THREAD0)},
    {PERCENT("Unpacker1 Write Efficiency"), RATIO(SRCB_WRITTEN, UNPACK1_BUSY_THREAD0)},
    {PERCENT("Unpacker Write Efficiency"), .form = FORM_MEAN_BEFORE},
    {PERCENT("Packer Efficiency"), RATIO(PACKER_DEST_READ_AVAILABLE, PACKER_BUSY),
     .needs = COUNTER_PACKER_BUSY, .otherwise = &packer_grants},
    {PERCENT("FPU Execution Efficiency"), RATIO(FPU_COUNTER, FPU_INSTRN_AVAILABLE_1)},
    {PERCENT("Math Pipeline Utilization"), RATIO(MATH_INSTRN_STARTED, MATH_INSTRN_AVAILABLE),
     .needs = COUNTER_MATH_INSTRN_STARTED},
    {PERCENT("Math-to-Pack Handoff Efficiency"), RATIO(AVAILABLE_MATH, PACKER_BUSY),
     .needs = COUNTER_PACKER_BUSY, .otherwise = &math_available},
    {PERCENT("Unpacker-to-Math Data Flow"),
     .quotient = {.top = {OF(SRCA_WRITE_AVAILABLE), OF(SRCB_WRITE_AVAILABLE)},
                  .bottom = {UNPACKS}, .scale = 100}},
    {PERCENT("Thread 0 Stall Rate"), UTIL(THREAD_STALLS_0)},
    {PERCENT("Thread 1 Stall Rate"), UTIL(THREAD_STALLS_1)},
    {PERCENT("Thread 2 Stall Rate"), UTIL(THREAD_STALLS_2)},
    {PERCENT("SrcA Valid Wait"), UTIL(WAITING_FOR_SRCA_VALID)},
    {PERCENT("SrcB Valid Wait"), UTIL(WAITING_FOR_SRCB_VALID)},
    {PERCENT("SrcA Clear Wait"), UTIL(WAITING_FOR_SRCA_CLEAR)},
    {PERCENT("SrcB Clear Wait"), UTIL(WAITING_FOR_SRCB_CLEAR)},
    {PERCENT("Math Idle Wait T1"), UTIL(WAITING_FOR_MATH_IDLE_1)},
    {PERCENT("Pack Idle Wait T2"), UTIL(WAITING_FOR_PACK_IDLE_2)},
    {PERCENT("Unpack Idle Wait T0"), UTIL(WAITING_FOR_UNPACK_IDLE_0)},
    {PERCENT("Semaphore Zero Wait T0"), UTIL(WAITING_FOR_NONZERO_SEM_0)},
    {PERCENT("Semaphore Zero Wait T1"), UTIL(WAITING_FOR_NONZERO_SEM_1)},
    {PERCENT("Semaphore Zero Wait T2"), UTIL(WAITING_FOR_NONZERO_SEM_2)},
    {PERCENT("Semaphore Full Wait T0"), UTIL(WAITING_FOR_NONFULL_SEM_0)},
    {PERCENT("Semaphore Full Wait T1"), UTIL(WAITING_FOR_NONFULL_SEM_1)},
    {PERCENT("Semaphore Full Wait T2"), UTIL(WAITING_FOR_NONFULL_SEM_2)},
    {PERCENT("Data Hazard Stall Rate"), BLOCKED(DATA_HAZARD_STALLS_MOVD2A, MATH_INSTRN_AVAILABLE)},
    {PERCENT("Fidelity Stall Rate"), RATIO(MATH_FIDELITY_STALL, MATH_INSTRN_AVAILABLE)},
    {PERCENT("HiFi Fraction"),
     .quotient = {.top = {HIFI},
                  .bottom = {OF(MATH_INSTRN_HF_1_CYCLE), HIFI}, .scale = 100}},
    {.metric = {.name = "Avg HF Cycles Per Instrn", .unit = METRIC_CYCLES},
     .quotient = {.top = {OF(MATH_INSTRN_HF_1_CYCLE), {COUNTER_MATH_INSTRN_HF_2_CYCLE, 2},
                          {COUNTER_MATH_INSTRN_HF_4_CYCLE, 4}},
                  .bottom = {OF(MATH_INSTRN_HF_1_CYCLE), HIFI}, .scale = 1}},
    {PERCENT("L1 Unpacker Port Util"), UTIL(L1_0_UNPACKER_0)},
    {PERCENT("L1 TDMA Bundle Util"),
     .quotient = QUOTIENT_OVER_CYCLES(L1_0_TDMA_BUNDLE_0_RISC, 2, BUNDLES)},
    {PERCENT("NOC Ring 0 Outgoing Util"), PORT_UTIL(L1_0_NOC_RING0_OUTGOING)},
    {PERCENT("NOC Ring 0 Incoming Util"), PORT_UTIL(L1_0_NOC_RING0_INCOMING)},
    {PERCENT("NOC Ring 1 Outgoing Util"), PORT_UTIL(L1_1_NOC_RING1_OUTGOING)},
    {PERCENT("NOC Ring 1 Incoming Util"), PORT_UTIL(L1_1_NOC_RING1_INCOMING)},
    {PERCENT("L1 Packer Port Util"), UTIL(PACKER_PORT)},
    {PERCENT("NOC Ring 0 Outgoing Backpressure"), PORT_BLOCKED(L1_0_NOC_RING0_OUTGOING)},
    {PERCENT("NOC Ring 0 Incoming Backpressure"), PORT_BLOCKED(L1_0_NOC_RING0_INCOMING)},
    {PERCENT("NOC Ring 1 Outgoing Backpressure"), PORT_BLOCKED(L1_1_NOC_RING1_OUTGOING)},
    {PERCENT("NOC Ring 1 Incoming Backpressure"), PORT_BLOCKED(L1_1_NOC_RING1_INCOMING)},
    {PERCENT("L1 Unpacker Backpressure"), BLOCKED(L1_0_UNPACKER_0_GRANT, L1_0_UNPACKER_0),
     .needs = COUNTER_GRANTS_FIT},
    {PERCENT("L1 Packer Port Backpressure"), BLOCKED(L1_0_PORT1_GRANT, PACKER_PORT)},
    {PERCENT("SrcA Write Port Blocked Rate"), BLOCKED(SRCA_WRITE_ACTUAL, SRCA_WRITE_AVAILABLE)},
    {PERCENT("SrcA Write Overwrite Blocked Rate"),
     BLOCKED(SRCA_WRITE_NOT_BLOCKED_OVR, SRCA_WRITE_AVAILABLE)},
    {PERCENT("SrcB Write Overwrite Blocked Rate"), BLOCKED(SRCB_WRITE_ACTUAL, SRCB_WRITE_AVAILABLE)},
    {PERCENT("Dest Read Backpressure"), BLOCKED(DEST_READ_GRANTED_0, PACKER_DEST_READ_AVAILABLE)},
    {PERCENT("Math Dest Write Port Stall Rate"),
     BLOCKED(MATH_NOT_STALLED_DEST_WR_PORT, MATH_INSTRN_AVAILABLE),
     .needs = COUNTER_MATH_NOT_STALLED_DEST_WR_PORT},
    {PERCENT("Math Scoreboard Stall Rate"), BLOCKED(AVAILABLE_MATH, MATH_INSTRN_AVAILABLE)},
    {ISSUE_RATE(0)},
    {ISSUE_RATE(1)},
    {ISSUE_RATE(2)},
    {PERCENT("CFG Instrn Avail Rate T0"), UTIL(CFG_INSTRN_AVAILABLE_0)},
    {PERCENT("SYNC Instrn Avail Rate T0"), UTIL(SYNC_INSTRN_AVAILABLE_0)},
    {PERCENT("THCON Instrn Avail Rate T0"), UTIL(THCON_INSTRN_AVAILABLE_0)},
    {PERCENT("MOVE Instrn Avail Rate T0"), UTIL(MOVE_INSTRN_AVAILABLE_0)},
    {PERCENT("MATH Instrn Avail Rate T1"), UTIL(FPU_INSTRN_AVAILABLE_1)},
    {PERCENT("UNPACK Instrn Avail Rate T0"), UTIL(UNPACK_INSTRN_AVAILABLE_0)},
    {PERCENT("PACK Instrn Avail Rate T2"), UTIL(PACK_INSTRN_AVAILABLE_2)},
    {PERCENT("SrcB Write Port Blocked Rate"), BLOCKED(SRCB_WRITE_NOT_BLOCKED_PORT, SRCB_WRITE_AVAILABLE)},
    {PERCENT("SrcA Write Actual Efficiency"), RATIO(SRCA_WRITE_ACTUAL, SRCA_WRITE_AVAILABLE)},
    {PERCENT("SrcB Write Actual Efficiency"), RATIO(SRCB_WRITE_NOT_BLOCKED_PORT, SRCB_WRITE_AVAILABLE)},
    {PERCENT("Packer Engine 0 Util"), UTIL(PACKER_BUSY_0)},
    {PERCENT("Packer Engine 1 Util"), UTIL(PACKER_BUSY_1)},
    {PERCENT("Packer Engine 2 Util"), UTIL(PACKER_BUSY_2)},
    {PERCENT("MMIO Idle Wait T0"), UTIL(WAITING_FOR_MMIO_IDLE_0)},
    {PERCENT("SFPU Idle Wait T1"), UTIL(WAITING_FOR_SFPU_IDLE_1)},
    {PERCENT("THCON Idle Wait T0"), UTIL(WAITING_FOR_THCON_IDLE_0)},
    {PERCENT("MOVE Idle Wait T0"), UTIL(WAITING_FOR_MOVE_IDLE_0)},
    {PERCENT("RISC Core L1 Util"), UTIL(L1_1_RISC_CORE)},
    {PERCENT("L1 Total Bandwidth Util"),
     .quotient = QUOTIENT_OVER_CYCLES(L1_0_UNPACKER_0, 8, OF(L1_0_UNPACKER_0), OF(PACKER_PORT),
                                      BUNDLES, OUTGOING, INCOMING)},
    {PERCENT("L1 Read vs Write Ratio"),
     .quotient = {.top = {OF(L1_0_UNPACKER_0), OUTGOING},
                  .bottom = {OF(L1_0_UNPACKER_0), OUTGOING, OF(PACKER_PORT), INCOMING}, .scale = 100}},
    {PERCENT("NOC Ring 0 Asymmetry"),
     .quotient = {.top = {OUTGOING},
                  .bottom = {OUTGOING, INCOMING}, .scale = 100}},
    {PERCENT("L1 Contention Index"), .form = FORM_CONTENTION},
    {PERCENT("Unpacker L1 Efficiency"), RATIO(L1_0_UNPACKER_0_GRANT, UNPACK0_BUSY_THREAD0)},
    {PERCENT("Packer L1 Efficiency"), RATIO(L1_0_PORT1_GRANT, PACKER_BUSY)},
    {PERCENT("NOC vs Compute Balance"),
     .quotient = {.top = {OUTGOING, INCOMING},
                  .bottom = {OF(FPU_COUNTER), OUTGOING, INCOMING}, .scale = 100}},
    {PERCENT("TDMA vs NOC L1 Share"),
     .quotient = {.top = {BUNDLES},
                  .bottom = {BUNDLES, OUTGOING, INCOMING}, .scale = 100}},
    {PERCENT("Stall Overlap T0"), STALL_OVERLAP(0)},
    {PERCENT("Stall Overlap T1"), STALL_OVERLAP(1)},
    {PERCENT("Stall Overlap T2"), STALL_OVERLAP(2)},
    {PERCENT("Packer Load Imbalance"), .form = FORM_IMBALANCE},
    {PERCENT("Compute-to-Unpack Ratio"),
     .quotient = {.top = {OF(MATH_COUNTER)},
                  .bottom = {UNPACKS}, .scale = 100}},
};
// clang-format on
_Static_assert(sizeof rules / sizeof *rules == METRICS, "the header knows how many");

const struct metric *counter_metric(size_t metric)
{
    return &rules[metric].metric;
}

enum counter counter_metric_counter(size_t metric)
{
    return (enum counter)rules[metric].quotient.top[0].counter;
}

// --- values ------------------------------------------------------------------------------

// Counts are integers far below 2^53: their sums are exact in any order.
static bool terms_add(const struct counter_values *v, const struct term *terms, double *sum)
{
    *sum = 0;
    for (const struct term *x = terms; x < terms + TERMS && x->counter; x++) {
        if (!v->has[x->counter])
            return false;
        *sum += x->factor * v->value[x->counter];
    }
    return true;
}

static double quotient_of(const struct counter_values *v, const struct quotient *q)
{
    double top, bottom;
    if (!terms_add(v, q->top, &top))
        return NAN;
    if (!q->cycles.counter) {
        if (!terms_add(v, q->bottom, &bottom))
            return NAN;
    } else {
        bottom = q->cycles.factor * v->cycles[q->cycles.counter];
    }
    if (bottom == 0)
        return NAN;
    double x = q->scale == 1 ? top / bottom : top / bottom * q->scale;
    return q->is_clipped && x < 0 ? 0 : x;
}

static double mean_of_two(double a, double b)
{
    return isnan(a) ? b : isnan(b) ? a : (a + b) / 2;
}

static double contention_of(const struct counter_values *v)
{
    static const enum counter ports[][2] = {
        {COUNTER_L1_0_UNPACKER_0, COUNTER_L1_0_UNPACKER_0_GRANT},
        {COUNTER_L1_0_NOC_RING0_OUTGOING_0, COUNTER_L1_0_NOC_RING0_OUTGOING_0_GRANT},
        {COUNTER_L1_0_NOC_RING0_OUTGOING_1, COUNTER_L1_0_NOC_RING0_OUTGOING_1_GRANT},
        {COUNTER_L1_0_NOC_RING0_INCOMING_0, COUNTER_L1_0_NOC_RING0_INCOMING_0_GRANT},
        {COUNTER_L1_0_NOC_RING0_INCOMING_1, COUNTER_L1_0_NOC_RING0_INCOMING_1_GRANT},
    };
    double sum = 0;
    int n = 0;
    for (size_t i = 0; i < sizeof ports / sizeof *ports; i++) {
        if (!v->has[ports[i][0]] || !v->has[ports[i][1]])
            return NAN;
        double asked = v->value[ports[i][0]], granted = v->value[ports[i][1]];
        if (asked == 0)
            continue;
        sum += granted < asked ? (asked - granted) / asked * 100 : 0;
        n++;
    }
    return n ? sum / n : NAN;
}

static double imbalance_of(const struct counter_values *v)
{
    static const enum counter engines[] = {COUNTER_PACKER_BUSY_0, COUNTER_PACKER_BUSY_1,
                                           COUNTER_PACKER_BUSY_2, COUNTER_PACKER_BUSY};
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++) {
        if (!v->has[engines[i]])
            return NAN;
        least = fmin(least, v->value[engines[i]]);
        most = fmax(most, v->value[engines[i]]);
    }
    return most == 0 ? NAN : (most - least) / most * 100;
}

void counter_evaluate(const struct counter_values *v, const struct counter_sums *sums,
                      double out[METRICS])
{
    for (size_t m = 0; m < METRICS; m++) {
        const struct rule *rule = &rules[m];
        const struct quotient *q = &rule->quotient;
        if (rule->needs && !(sums->of[rule->needs] > 0))
            q = rule->otherwise;
        switch (rule->form) {
        case FORM_QUOTIENT: out[m] = q ? quotient_of(v, q) : NAN; break;
        case FORM_MEAN_BEFORE: out[m] = mean_of_two(out[m - 2], out[m - 1]); break;
        case FORM_CONTENTION: out[m] = contention_of(v); break;
        case FORM_IMBALANCE: out[m] = imbalance_of(v); break;
        }
    }
}
