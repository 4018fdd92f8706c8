// test_counter_metrics.c - metrics of hardware counters: every formula by hand, what is
// missing where a counter is, and the numbers of an op over its cores.
#include <stdio.h>

#include "../support/device_run.h"
#include "analyse/counters/counter_metrics.h"
#include "analyse/counters/counter_walk.h"
#include "analyse/diags.h"
#include "test.h"

// --- logs of counters --------------------------------------------------------------------

#define CHIP(cores)                                                                        \
    "ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000, Max Compute Cores: " cores "\n"
#define FIRMWARE(device, x, run, from, to)                                                 \
    device "," x ",1,BRISC,1," from ",0," run ",,,BRISC-FW,ZONE_START,1,a.cc,\n" device    \
           "," x ",1,BRISC,1," to ",0," run ",,,BRISC-FW,ZONE_END,1,a.cc,\n"
#define COUNT(device, x, run, time, meta)                                                  \
    device "," x ",1,BRISC,9090," time ",0," run ",,,,TS_DATA,0,,{" meta "}\n"
#define META(type, cycles, value)                                                          \
    "\"counter type\":\"" type "\";\"ref cnt\":" cycles ";\"value\":" value

struct trial {
    struct device_run run;
    struct device_rows rows;
    VEC(uint32_t) op_of;
    struct diag diag;
};

// A row for each op; its kernels take 1000 cycles.
static void trial_run(struct trial *t, str text, enum counter_mode mode)
{
    *t = (struct trial){0};
    assert_true(device_run_read(&t->run, text));
    device_ops_find(&t->run.ops, &t->run.trace);
    for (size_t i = 0; i < t->run.ops.n; i++) {
        struct device_row row = {0};
        for (int n = 0; n < DEVICE_NUMBERS; n++)
            row.v[n] = DEVICE_NONE;
        row.v[DEVICE_KERNEL_START] = 5000;
        row.v[DEVICE_KERNEL_END] = 6000;
        vec_push(&t->rows.v, row);
        vec_push(&t->op_of, (uint32_t)i);
    }
    counter_metrics_add(&t->rows, &t->run.trace, &t->run.ops, t->op_of.v, mode, &t->diag);
}

static void trial_end(struct trial *t)
{
    device_run_free(&t->run);
    vec_free(&t->rows.v);
    vec_free(&t->rows.extra);
    vec_free(&t->op_of);
    arena_free(&t->rows.a);
}

// NULL: there is no such column, or the cell is empty.
static const char *cell(const struct trial *t, const char *column, size_t row)
{
    for (size_t i = 0; i < t->rows.extra.n; i++)
        if (str_is(t->rows.extra.v[i].name, column))
            return t->rows.extra.v[i].cell[row].p;
    return NULL;
}

#define CELL_IS(trial, column, row, want)                                                  \
    do {                                                                                   \
        const char *got_ = cell(trial, column, row);                                       \
        if (!got_ || strcmp(got_, want) != 0)                                              \
            fail_msg("%s: got %s, want %s", column, got_ ? got_ : "nothing", want);        \
    } while (0)

// --- formulas ----------------------------------------------------------------------------

// `records` are "NAME value[/cycles] ...", 1000 cycles unless said.
struct formula {
    const char *metric, *records, *want;
    bool has_substitute; // a counter that is missing is not missed
};

static const struct formula formulas[] = {
    {"SFPU Util", "SFPU_COUNTER 250", "25.0", false},
    {"FPU Util", "FPU_COUNTER 125", "12.5", false},
    {"MATH Util", "MATH_COUNTER 600/800", "75.0", false},
    {"Unpacker0 Write Efficiency", "SRCA_WRITE_ACTUAL 30 UNPACK0_BUSY_THREAD0 40", "75.0",
     false},
    {"Unpacker1 Write Efficiency",
     "SRCB_WRITE_NOT_BLOCKED_PORT 10 SRCB_WRITE_ACTUAL 99 UNPACK1_BUSY_THREAD0 40", "25.0",
     false},
    {"Unpacker Write Efficiency",
     "SRCA_WRITE_ACTUAL 30 UNPACK0_BUSY_THREAD0 40 SRCB_WRITE_NOT_BLOCKED_PORT 10 "
     "UNPACK1_BUSY_THREAD0 40",
     "50.0", true},
    {"Packer Efficiency", "PACKER_DEST_READ_AVAILABLE 60 PACKER_BUSY 80", "75.0", false},
    {"Packer Efficiency",
     "PACKER_DEST_READ_AVAILABLE 60 PACKER_BUSY 0 DEST_READ_GRANTED_0 15", "25.0", true},
    {"FPU Execution Efficiency", "FPU_COUNTER 20 FPU_INSTRN_AVAILABLE_1 80", "25.0", false},
    {"Math Pipeline Utilization", "MATH_INSTRN_STARTED 45 MATH_INSTRN_AVAILABLE 60", "75.0",
     false},
    {"Math-to-Pack Handoff Efficiency", "AVAILABLE_MATH 90 PACKER_BUSY 60", "150.0", true},
    {"Math-to-Pack Handoff Efficiency", "AVAILABLE_MATH 90 PACKER_BUSY 0", "9.0", true},
    {"Unpacker-to-Math Data Flow",
     "SRCA_WRITE_AVAILABLE 10 SRCB_WRITE_AVAILABLE 20 UNPACK0_BUSY_THREAD0 25 "
     "UNPACK1_BUSY_THREAD0 15",
     "75.0", false},
    {"Thread 0 Stall Rate", "THREAD_STALLS_0 10", "1.0", false},
    {"Thread 1 Stall Rate", "THREAD_STALLS_1 20", "2.0", false},
    {"Thread 2 Stall Rate", "THREAD_STALLS_2 30", "3.0", false},
    {"SrcA Valid Wait", "WAITING_FOR_SRCA_VALID 40", "4.0", false},
    {"SrcB Valid Wait", "WAITING_FOR_SRCB_VALID 50", "5.0", false},
    {"SrcA Clear Wait", "WAITING_FOR_SRCA_CLEAR 60", "6.0", false},
    {"SrcB Clear Wait", "WAITING_FOR_SRCB_CLEAR 80", "8.0", false},
    {"Math Idle Wait T1", "WAITING_FOR_MATH_IDLE_1 90", "9.0", false},
    {"Pack Idle Wait T2", "WAITING_FOR_PACK_IDLE_2 100", "10.0", false},
    {"Unpack Idle Wait T0", "WAITING_FOR_UNPACK_IDLE_0 110", "11.0", false},
    {"Semaphore Zero Wait T0", "WAITING_FOR_NONZERO_SEM_0 120", "12.0", false},
    {"Semaphore Zero Wait T1", "WAITING_FOR_NONZERO_SEM_1 130", "13.0", false},
    {"Semaphore Zero Wait T2", "WAITING_FOR_NONZERO_SEM_2 150", "15.0", false},
    {"Semaphore Full Wait T0", "WAITING_FOR_NONFULL_SEM_0 160", "16.0", false},
    {"Semaphore Full Wait T1", "WAITING_FOR_NONFULL_SEM_1 170", "17.0", false},
    {"Semaphore Full Wait T2", "WAITING_FOR_NONFULL_SEM_2 180", "18.0", false},
    {"Data Hazard Stall Rate", "DATA_HAZARD_STALLS_MOVD2A 30 MATH_INSTRN_AVAILABLE 40",
     "25.0", false},
    {"Data Hazard Stall Rate", "DATA_HAZARD_STALLS_MOVD2A 50 MATH_INSTRN_AVAILABLE 40",
     "0.0", false},
    {"Fidelity Stall Rate", "MATH_FIDELITY_STALL 10 MATH_INSTRN_AVAILABLE 40", "25.0",
     false},
    {"HiFi Fraction",
     "MATH_INSTRN_HF_1_CYCLE 40 MATH_INSTRN_HF_2_CYCLE 20 MATH_INSTRN_HF_4_CYCLE 100",
     "75.0", false},
    {"Avg HF Cycles Per Instrn",
     "MATH_INSTRN_HF_1_CYCLE 40 MATH_INSTRN_HF_2_CYCLE 20 MATH_INSTRN_HF_4_CYCLE 100",
     "3.0", false},
    {"L1 Unpacker Port Util", "L1_0_UNPACKER_0 190", "19.0", false},
    {"L1 TDMA Bundle Util", "L1_0_TDMA_BUNDLE_0_RISC 100 L1_0_TDMA_BUNDLE_1_TRISC 300/4000",
     "20.0", false},
    {"NOC Ring 0 Outgoing Util",
     "L1_0_NOC_RING0_OUTGOING_0 100 L1_0_NOC_RING0_OUTGOING_1 320/4000", "21.0", false},
    {"NOC Ring 0 Incoming Util",
     "L1_0_NOC_RING0_INCOMING_0 100 L1_0_NOC_RING0_INCOMING_1 340/4000", "22.0", false},
    {"NOC Ring 1 Outgoing Util",
     "L1_1_NOC_RING1_OUTGOING_0 100 L1_1_NOC_RING1_OUTGOING_1 360/4000", "23.0", false},
    {"NOC Ring 1 Incoming Util",
     "L1_1_NOC_RING1_INCOMING_0 100 L1_1_NOC_RING1_INCOMING_1 380/4000", "24.0", false},
    {"L1 Packer Port Util", "L1_0_UNIFIED_PACKER 260", "26.0", false},
    {"L1 Packer Port Util", "L1_0_UNPACKER_1_ECC_PACK1 270", "27.0", false},
    {"NOC Ring 0 Outgoing Backpressure",
     "L1_0_NOC_RING0_OUTGOING_0 50 L1_0_NOC_RING0_OUTGOING_0_GRANT 40 "
     "L1_0_NOC_RING0_OUTGOING_1 30 L1_0_NOC_RING0_OUTGOING_1_GRANT 20",
     "25.0", false},
    {"NOC Ring 0 Incoming Backpressure",
     "L1_0_NOC_RING0_INCOMING_0 50 L1_0_NOC_RING0_INCOMING_0_GRANT 60 "
     "L1_0_NOC_RING0_INCOMING_1 30 L1_0_NOC_RING0_INCOMING_1_GRANT 30",
     "0.0", false},
    {"NOC Ring 1 Outgoing Backpressure",
     "L1_1_NOC_RING1_OUTGOING_0 50 L1_1_NOC_RING1_OUTGOING_0_GRANT 30 "
     "L1_1_NOC_RING1_OUTGOING_1 30 L1_1_NOC_RING1_OUTGOING_1_GRANT 10",
     "50.0", false},
    {"NOC Ring 1 Incoming Backpressure",
     "L1_1_NOC_RING1_INCOMING_0 50 L1_1_NOC_RING1_INCOMING_0_GRANT 0 "
     "L1_1_NOC_RING1_INCOMING_1 50 L1_1_NOC_RING1_INCOMING_1_GRANT 25",
     "75.0", false},
    {"L1 Unpacker Backpressure", "L1_0_UNPACKER_0 40 L1_0_UNPACKER_0_GRANT 30", "25.0",
     false},
    {"L1 Packer Port Backpressure", "L1_0_UNIFIED_PACKER 40 L1_0_PORT1_GRANT 10", "75.0",
     false},
    {"SrcA Write Port Blocked Rate", "SRCA_WRITE_ACTUAL 30 SRCA_WRITE_AVAILABLE 40", "25.0",
     false},
    {"SrcA Write Overwrite Blocked Rate",
     "SRCA_WRITE_NOT_BLOCKED_OVR 20 SRCA_WRITE_AVAILABLE 40", "50.0", false},
    {"SrcB Write Overwrite Blocked Rate", "SRCB_WRITE_ACTUAL 10 SRCB_WRITE_AVAILABLE 40",
     "75.0", false},
    {"Dest Read Backpressure", "DEST_READ_GRANTED_0 30 PACKER_DEST_READ_AVAILABLE 40",
     "25.0", false},
    {"Math Dest Write Port Stall Rate",
     "MATH_NOT_STALLED_DEST_WR_PORT 30 MATH_INSTRN_AVAILABLE 40", "25.0", false},
    {"Math Scoreboard Stall Rate", "AVAILABLE_MATH 10 MATH_INSTRN_AVAILABLE 40", "75.0",
     false},
    {"T0 Instrn Issue Rate", "THREAD_INSTRUCTIONS_0 250", "0.25", false},
    {"T1 Instrn Issue Rate", "THREAD_INSTRUCTIONS_1 500", "0.5", false},
    {"T2 Instrn Issue Rate", "THREAD_INSTRUCTIONS_2 750", "0.75", false},
    {"CFG Instrn Avail Rate T0", "CFG_INSTRN_AVAILABLE_0 10", "1.0", false},
    {"SYNC Instrn Avail Rate T0", "SYNC_INSTRN_AVAILABLE_0 20", "2.0", false},
    {"THCON Instrn Avail Rate T0", "THCON_INSTRN_AVAILABLE_0 30", "3.0", false},
    {"MOVE Instrn Avail Rate T0", "MOVE_INSTRN_AVAILABLE_0 40", "4.0", false},
    {"MATH Instrn Avail Rate T1", "FPU_INSTRN_AVAILABLE_1 50", "5.0", false},
    {"UNPACK Instrn Avail Rate T0", "UNPACK_INSTRN_AVAILABLE_0 60", "6.0", false},
    {"PACK Instrn Avail Rate T2", "PACK_INSTRN_AVAILABLE_2 80", "8.0", false},
    {"SrcB Write Port Blocked Rate",
     "SRCB_WRITE_NOT_BLOCKED_PORT 30 SRCB_WRITE_AVAILABLE 40", "25.0", false},
    {"SrcA Write Actual Efficiency", "SRCA_WRITE_ACTUAL 30 SRCA_WRITE_AVAILABLE 40", "75.0",
     false},
    {"SrcB Write Actual Efficiency",
     "SRCB_WRITE_NOT_BLOCKED_PORT 10 SRCB_WRITE_AVAILABLE 40", "25.0", false},
    {"Packer Engine 0 Util", "PACKER_BUSY_0 10", "1.0", false},
    {"Packer Engine 1 Util", "PACKER_BUSY_1 20", "2.0", false},
    {"Packer Engine 2 Util", "PACKER_BUSY_2 30", "3.0", false},
    {"MMIO Idle Wait T0", "WAITING_FOR_MMIO_IDLE_0 40", "4.0", false},
    {"SFPU Idle Wait T1", "WAITING_FOR_SFPU_IDLE_1 50", "5.0", false},
    {"THCON Idle Wait T0", "WAITING_FOR_THCON_IDLE_0 60", "6.0", false},
    {"MOVE Idle Wait T0", "WAITING_FOR_MOVE_IDLE_0 80", "8.0", false},
    {"RISC Core L1 Util", "L1_1_RISC_CORE 90", "9.0", false},
    {"L1 Total Bandwidth Util",
     "L1_0_UNPACKER_0 100 L1_0_UNIFIED_PACKER 200 L1_0_TDMA_BUNDLE_0_RISC 300 "
     "L1_0_TDMA_BUNDLE_1_TRISC 400 L1_0_NOC_RING0_OUTGOING_0 500 "
     "L1_0_NOC_RING0_OUTGOING_1 600 L1_0_NOC_RING0_INCOMING_0 700 "
     "L1_0_NOC_RING0_INCOMING_1 1200",
     "50.0", false},
    {"L1 Read vs Write Ratio",
     "L1_0_UNPACKER_0 100 L1_0_NOC_RING0_OUTGOING_0 100 L1_0_NOC_RING0_OUTGOING_1 100 "
     "L1_0_UNPACKER_1_ECC_PACK1 50 L1_0_NOC_RING0_INCOMING_0 20 "
     "L1_0_NOC_RING0_INCOMING_1 30",
     "75.0", false},
    {"NOC Ring 0 Asymmetry",
     "L1_0_NOC_RING0_OUTGOING_0 10 L1_0_NOC_RING0_OUTGOING_1 20 "
     "L1_0_NOC_RING0_INCOMING_0 40 L1_0_NOC_RING0_INCOMING_1 50",
     "25.0", false},
    // 50 % of the unpacker, 25 % of one channel; one grants more than asked; two idle.
    {"L1 Contention Index",
     "L1_0_UNPACKER_0 40 L1_0_UNPACKER_0_GRANT 20 L1_0_NOC_RING0_OUTGOING_0 40 "
     "L1_0_NOC_RING0_OUTGOING_0_GRANT 30 L1_0_NOC_RING0_OUTGOING_1 40 "
     "L1_0_NOC_RING0_OUTGOING_1_GRANT 50 L1_0_NOC_RING0_INCOMING_0 0 "
     "L1_0_NOC_RING0_INCOMING_0_GRANT 0 L1_0_NOC_RING0_INCOMING_1 0 "
     "L1_0_NOC_RING0_INCOMING_1_GRANT 9",
     "25.0", false},
    {"Unpacker L1 Efficiency", "L1_0_UNPACKER_0_GRANT 30 UNPACK0_BUSY_THREAD0 40", "75.0",
     false},
    {"Packer L1 Efficiency", "L1_0_PORT1_GRANT 60 PACKER_BUSY 40", "150.0", false},
    {"NOC vs Compute Balance",
     "FPU_COUNTER 25 L1_0_NOC_RING0_OUTGOING_0 30 L1_0_NOC_RING0_OUTGOING_1 20 "
     "L1_0_NOC_RING0_INCOMING_0 15 L1_0_NOC_RING0_INCOMING_1 10",
     "75.0", false},
    {"TDMA vs NOC L1 Share",
     "L1_0_TDMA_BUNDLE_0_RISC 10 L1_0_TDMA_BUNDLE_1_TRISC 15 L1_0_NOC_RING0_OUTGOING_0 30 "
     "L1_0_NOC_RING0_OUTGOING_1 20 L1_0_NOC_RING0_INCOMING_0 15 "
     "L1_0_NOC_RING0_INCOMING_1 10",
     "25.0", false},
    {"Stall Overlap T0",
     "THREAD_STALLS_0 90 WAITING_FOR_THCON_IDLE_0 1 WAITING_FOR_UNPACK_IDLE_0 2 "
     "WAITING_FOR_PACK_IDLE_0 3 WAITING_FOR_MATH_IDLE_0 4 WAITING_FOR_NONZERO_SEM_0 5 "
     "WAITING_FOR_NONFULL_SEM_0 6 WAITING_FOR_MOVE_IDLE_0 7 WAITING_FOR_MMIO_IDLE_0 8 "
     "WAITING_FOR_SFPU_IDLE_0 9",
     "0.5", false},
    {"Stall Overlap T1",
     "THREAD_STALLS_1 30 WAITING_FOR_THCON_IDLE_1 1 WAITING_FOR_UNPACK_IDLE_1 2 "
     "WAITING_FOR_PACK_IDLE_1 3 WAITING_FOR_MATH_IDLE_1 4 WAITING_FOR_NONZERO_SEM_1 5 "
     "WAITING_FOR_NONFULL_SEM_1 6 WAITING_FOR_MOVE_IDLE_1 7 WAITING_FOR_MMIO_IDLE_1 8 "
     "WAITING_FOR_SFPU_IDLE_1 9",
     "1.5", false},
    {"Stall Overlap T2",
     "THREAD_STALLS_2 180 WAITING_FOR_THCON_IDLE_2 1 WAITING_FOR_UNPACK_IDLE_2 2 "
     "WAITING_FOR_PACK_IDLE_2 3 WAITING_FOR_MATH_IDLE_2 4 WAITING_FOR_NONZERO_SEM_2 5 "
     "WAITING_FOR_NONFULL_SEM_2 6 WAITING_FOR_MOVE_IDLE_2 7 WAITING_FOR_MMIO_IDLE_2 8 "
     "WAITING_FOR_SFPU_IDLE_2 9",
     "0.25", false},
    {"Packer Load Imbalance",
     "PACKER_BUSY_0 40 PACKER_BUSY_1 10 PACKER_BUSY_2 30 PACKER_BUSY 20", "75.0", false},
    {"Compute-to-Unpack Ratio",
     "MATH_COUNTER 30 UNPACK0_BUSY_THREAD0 25 UNPACK1_BUSY_THREAD0 15", "75.0", false},
};

// A log with the records of a formula on one core, without the one at `left_out`.
static size_t put_records(struct buf *b, const char *records, size_t left_out)
{
    buf_z(b, LOG_HEAD FIRMWARE("0", "1", "1024", "100", "900"));
    str rest = str_of(records);
    size_t n = 0;
    for (; rest.n; n++) {
        str name = str_cut(&rest, ' '), cycles = str_cut(&rest, ' ');
        str value = str_cut(&cycles, '/');
        if (n == left_out)
            continue;
        buf_printf(b,
                   "0,1,1,BRISC,9090,%zu,0,1024,,,,TS_DATA,0,,{\"counter type\":\"%.*s\";"
                   "\"ref cnt\":%.*s;\"value\":%.*s}\n",
                   200 + n, STR(name), STR(cycles.n ? cycles : S("1000")), STR(value));
    }
    return n;
}

static void check_formula(const struct formula *f)
{
    char column[80];
    bool is_rate = strstr(f->metric, "Instrn Issue") || strstr(f->metric, "HF Cycles");
    (void)snprintf(column, sizeof column, "%s Median%s", f->metric, is_rate ? "" : " (%)");
    struct buf b = {0};
    size_t n = put_records(&b, f->records, SIZE_MAX);
    struct trial t;
    trial_run(&t, buf_view(&b), COUNTERS_FULL);
    CELL_IS(&t, column, 0, f->want);
    trial_end(&t);
    for (size_t i = 0; i < n && !f->has_substitute; i++) {
        // The counter that the other kind of report takes is not missed in this one.
        if (strcmp(f->metric, "Unpacker1 Write Efficiency") == 0 && i == 1)
            continue;
        b.n = 0;
        put_records(&b, f->records, i);
        trial_run(&t, buf_view(&b), COUNTERS_FULL);
        if (cell(&t, column, 0))
            fail_msg("%s has a value without counter %zu", f->metric, i);
        trial_end(&t);
    }
    buf_free(&b);
}

TEST(counter_metrics_are_what_their_formulas_say_and_nothing_without_a_counter)
{
    bool is_tried[METRICS] = {false};
    for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++) {
        check_formula(&formulas[i]);
        for (size_t m = 0; m < METRICS; m++)
            is_tried[m] |= strcmp(counter_metric(m)->name, formulas[i].metric) == 0;
    }
    for (size_t m = 0; m < METRICS; m++)
        if (!is_tried[m])
            fail_msg("no formula for %s", counter_metric(m)->name);
}

static bool has_value(const char *records, const char *column)
{
    struct buf b = {0};
    struct trial t;
    put_records(&b, records, SIZE_MAX);
    trial_run(&t, buf_view(&b), COUNTERS_FULL);
    bool has = cell(&t, column, 0);
    trial_end(&t);
    buf_free(&b);
    return has;
}

TEST(counter_metrics_have_no_value_where_there_is_nothing_to_divide_by)
{
    assert_false(has_value("FPU_COUNTER 5/0", "FPU Util Min (%)"));
    assert_false(has_value("SRCA_WRITE_ACTUAL 3 UNPACK0_BUSY_THREAD0 0",
                           "Unpacker0 Write Efficiency Avg (%)"));
    assert_false(has_value("MATH_INSTRN_STARTED 0 MATH_INSTRN_AVAILABLE 5",
                           "Math Pipeline Utilization Max (%)"));
    assert_false(has_value("MATH_NOT_STALLED_DEST_WR_PORT 0 MATH_INSTRN_AVAILABLE 5",
                           "Math Dest Write Port Stall Rate Max (%)"));
    assert_false(has_value("PACKER_BUSY_0 0 PACKER_BUSY_1 0 PACKER_BUSY_2 0 PACKER_BUSY 0",
                           "Packer Load Imbalance Max (%)"));
    // Grants that are no tenth of the requests count something else.
    assert_false(has_value("L1_0_UNPACKER_0 1000 L1_0_UNPACKER_0_GRANT 100",
                           "L1 Unpacker Backpressure Max (%)"));
    assert_true(has_value("L1_0_UNPACKER_0 1000 L1_0_UNPACKER_0_GRANT 101",
                          "L1 Unpacker Backpressure Max (%)"));
}

TEST(counter_metrics_of_device_only_reports_take_the_other_write_counter)
{
    struct buf b = {0};
    struct trial t;
    put_records(
        &b, "SRCB_WRITE_NOT_BLOCKED_PORT 10 SRCB_WRITE_ACTUAL 30 UNPACK1_BUSY_THREAD0 40",
        SIZE_MAX);
    trial_run(&t, buf_view(&b), COUNTERS_DEVICE_ONLY);
    CELL_IS(&t, "Unpacker1 Write Efficiency Min (%)", 0, "75.0");
    trial_end(&t);
    buf_free(&b);
}

// --- over cores --------------------------------------------------------------------------

#define THREE_CORES                                                                        \
    FIRMWARE("0", "1", "1024", "100", "900")                                               \
    FIRMWARE("0", "2", "1024", "100", "900")                                               \
    FIRMWARE("0", "3", "1024", "100", "900")                                               \
    COUNT("0", "1", "1024", "200", META("FPU_COUNTER", "1000", "100"))                     \
    COUNT("0", "2", "1024", "200", META("FPU_COUNTER", "1000", "200"))                     \
    COUNT("0", "3", "1024", "200", META("FPU_COUNTER", "1000", "600"))

TEST(counter_metrics_of_an_op_lie_between_those_of_its_cores)
{
    struct trial t;
    trial_run(&t, S(CHIP("9") LOG_NAMES_LINE THREE_CORES), COUNTERS_FULL);
    CELL_IS(&t, "FPU Util Min (%)", 0, "10.0");
    CELL_IS(&t, "FPU Util Median (%)", 0, "20.0");
    CELL_IS(&t, "FPU Util Max (%)", 0, "60.0");
    // 900 counts on 9 cores in 1000 cycles.
    CELL_IS(&t, "Avg FPU util on full grid (%)", 0, "10.0");
    assert_int_equal(4, t.rows.extra.n);
    assert_int_equal(0, diag_total(&t.diag));
    trial_end(&t);
    trial_run(&t, S(CHIP("9") LOG_NAMES_LINE THREE_CORES), COUNTERS_DEVICE_ONLY);
    CELL_IS(&t, "Avg FPU util on full grid (%)", 0, "30.0");
    trial_end(&t);
}

TEST(counter_metrics_know_no_full_grid_where_the_log_does_not_say_it)
{
    struct trial t;
    trial_run(&t, S("ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000\n" LOG_NAMES_LINE THREE_CORES),
              COUNTERS_FULL);
    CELL_IS(&t, "FPU Util Median (%)", 0, "20.0");
    assert_null(cell(&t, "Avg FPU util on full grid (%)", 0));
    trial_end(&t);
}

TEST(counter_records_are_told_apart_by_op_and_device)
{
    struct trial t;
    trial_run(&t,
              S(LOG_HEAD FIRMWARE("0", "1", "1024", "100", "900") FIRMWARE(
                  "0", "1", "2048", "1000", "1900") FIRMWARE("1", "1", "1025", "100", "900")
                    COUNT("0", "1", "1024", "200", META("FPU_COUNTER", "10", "1"))
                        COUNT("0", "1", "2048", "1200", META("FPU_COUNTER", "10", "2"))
                            COUNT("1", "1", "1025", "200", META("FPU_COUNTER", "10", "3"))),
              COUNTERS_FULL);
    CELL_IS(&t, "FPU Util Max (%)", 0, "10.0");
    CELL_IS(&t, "FPU Util Max (%)", 1, "20.0");
    CELL_IS(&t, "FPU Util Max (%)", 2, "30.0");
    trial_end(&t);
}

TEST(counter_records_that_cannot_be_read_are_counted_and_passed_over)
{
    struct trial t;
    trial_run(&t,
              S(LOG_HEAD FIRMWARE("0", "1", "1024", "100", "900")
                    COUNT("0", "1", "1024", "200", META("FPU_COUNTER", "10", "many")) COUNT(
                        "0", "1", "1024", "201", "\"counter type\":\"FPU_COUNTER\"")
                        COUNT("0", "1", "1024", "202", META("FPU_COUNTER", "10", "-1"))
                            COUNT("0", "1", "1024", "203", META("SFPU_COUNTER", "10", "5"))
                                COUNT("0", "1", "0", "204", META("FPU_COUNTER", "9", "9"))),
              COUNTERS_FULL);
    assert_int_equal(4, t.diag.entry[DIAG_COUNTER_RECORD].count);
    STR_IS(str_of(t.diag.entry[DIAG_COUNTER_RECORD].first), "log.csv: line 5");
    assert_null(cell(&t, "FPU Util Max (%)", 0));
    CELL_IS(&t, "SFPU Util Max (%)", 0, "50.0");
    trial_end(&t);
}

TEST(counter_records_may_name_their_counter_by_number_and_in_other_quotes)
{
    struct counter_records r = {0};
    struct counter_record x;
    assert_true(counter_record_parse(
        &r, S("{'counter type': 3, 'ref cnt': 20, 'value': 4, 'more': [1]}"), &x));
    assert_int_equal(COUNTER_MATH_COUNTER, x.counter);
    assert_int_equal(20, x.cycles);
    assert_int_equal(4, x.value);
    assert_true(counter_record_parse(
        &r, S("{\"counter type\":999;\"ref cnt\":1;\"value\":2}"), &x));
    STR_IS(r.names.keys.v[x.counter], "UNKNOWN_999");
    assert_true(counter_record_parse(
        &r, S("{\"counter type\":\"NEW\";\"ref cnt\":1;\"value\":2}"), &x));
    STR_IS(r.names.keys.v[x.counter], "NEW");
    assert_false(counter_record_parse(&r, S(""), &x));
    assert_false(counter_record_parse(&r, S("{\"counter type"), &x));
    assert_false(counter_record_parse(
        &r, S("{\"counter type\":\"\";\"ref cnt\":1;\"value\":2}"), &x));
    counter_records_free(&r);
}

TEST(counter_means_carry_rounding_errors_along)
{
    const double v[] = {1e16, 1, 1, 1, 1, -1e16};
    REAL_IS(mean_compensated(v, 6), 4.0 / 6);
}

// --- text --------------------------------------------------------------------------------

TEST(counter_text_has_a_table_of_counts_and_one_for_each_metric_with_values)
{
    struct device_run run;
    struct buf b = {0};
    assert_true(device_run_read(&run, S(LOG_HEAD THREE_CORES)));
    device_ops_find(&run.ops, &run.trace);
    counter_metrics_text(&run.trace, &run.ops, &b);
    str text = buf_view(&b);
    assert_true(str_has(text, S("PERFORMANCE COUNTER STATISTICS - DEVICE 0\n")));
    assert_true(str_has(text, S("FPU_COUNTER                              Value         "
                                "      1           100.0           200.0           600.0 "
                                "          300.0\n")));
    assert_true(str_has(text, S("\nFPU UTIL\n")));
    assert_true(str_has(text, S("Avg                      1/1                30.00% - "
                                "30.00%       30.00%\n")));
    assert_false(str_has(text, S("MATH UTIL")));
    buf_free(&b);
    device_run_free(&run);
}

TEST(counter_text_is_empty_without_counters)
{
    struct device_run run;
    struct buf b = {0};
    assert_true(
        device_run_read(&run, S(LOG_HEAD FIRMWARE("0", "1", "1024", "100", "900"))));
    device_ops_find(&run.ops, &run.trace);
    assert_false(counter_metrics_are_there(&run.trace));
    counter_metrics_text(&run.trace, &run.ops, &b);
    assert_int_equal(0, b.n);
    device_run_free(&run);
}
