// durations.c - the table of durations, and its rows as analyses.
#include "analyse/fold/durations.h"

#define KERNELS                                                                            \
    "BRISC-KERNEL, NCRISC-KERNEL, TRISC-KERNEL, ERISC-KERNEL, TENSIX_RISC_AGG-KERNEL, "    \
    "DM-KERNEL"
#define FIRMWARES "BRISC-FW, NCRISC-FW, TRISC-FW, ERISC-FW, TENSIX_RISC_AGG-FW, DM-FW"

// clang-format off
const struct duration_row durations[DURATIONS] = {
    // Executions of a trace, as the aggregate of a core shows them, and the gaps between.
    [DURATION_TRACE_FW] = {
        "trace_fw_duration", ACROSS_OPS, ANALYSE_OP_FIRST_LAST,
        .start = {.zones = "TRACE-FW", .riscs = "TENSIX_RISC_AGG"},
        .words = {.zones = "-FW*", .riscs = "TENSIX_RISC_AGG"},
        .length = DEVICE_FW, .from = DEVICE_FW_START, .to = DEVICE_FW_END,
        .heads = {"DEVICE TRACE FIRMWARE DURATION [ns]"},
    },
    [DURATION_TRACE_KERNEL] = {
        "trace_kernel_duration", ACROSS_OPS, ANALYSE_OP_FIRST_LAST,
        .start = {.zones = "TRACE-KERNEL", .riscs = "TENSIX_RISC_AGG"},
        .words = {.zones = "-KERNEL*", .riscs = "TENSIX_RISC_AGG"},
        .length = DEVICE_KERNEL, .from = DEVICE_KERNEL_START, .to = DEVICE_KERNEL_END,
        .heads = {"DEVICE TRACE KERNEL DURATION [ns]"},
    },
    [DURATION_TRACE_TO_TRACE_FW] = {
        "trace2trace - FW", ACROSS_DEVICE, ANALYSE_ADJACENT,
        .start = {.zones = "TRACE-FW", .phase = "ZONE_END"},
        .end = {.zones = "TRACE-FW", .phase = "ZONE_START"},
    },
    [DURATION_TRACE_TO_TRACE_KERNEL] = {
        "trace2trace - kernel", ACROSS_DEVICE, ANALYSE_ADJACENT,
        .start = {.zones = "TRACE-KERNEL", .phase = "ZONE_END"},
        .end = {.zones = "TRACE-KERNEL", .phase = "ZONE_START"},
    },
    // The wait of a core between the kernels of two ops.
    [DURATION_OP_TO_OP] = {
        "op2op", ACROSS_CORE, ANALYSE_ADJACENT,
        .start = {.zones = KERNELS, .phase = "ZONE_END"},
        .end = {.zones = "BRISC-KERNEL, NCRISC-KERNEL", .phase = "ZONE_START"},
    },
    // An op on all its cores.
    [DURATION_FIRST_TO_LAST] = {
        "device_kernel_first_to_last_start", ACROSS_OPS, ANALYSE_OP_FIRST_LAST,
        .start = {.zones = KERNELS, .phase = "ZONE_START"},
        .words = {.zones = "-KERNEL*"}, .end_words = {.phase = "ZONE_START"},
        .length = DEVICE_FIRST_TO_LAST,
    },
    [DURATION_PER_CORE] = { // columns: minimum, maximum and average over cores
        "device_kernel_duration_per_core", ACROSS_OPS, ANALYSE_OP_CORE_FIRST_LAST,
        .start = {.zones = KERNELS},
    },
    [DURATION_FW] = {
        "device_fw_duration", ACROSS_OPS, ANALYSE_OP_FIRST_LAST,
        .start = {.zones = FIRMWARES},
        .words = {.zones = "-FW*"},
        .length = DEVICE_FW, .from = DEVICE_FW_START, .to = DEVICE_FW_END,
    },
    [DURATION_KERNEL] = {
        "device_kernel_duration", ACROSS_OPS, ANALYSE_OP_FIRST_LAST,
        .start = {.zones = KERNELS},
        .words = {.zones = "-KERNEL*"},
        .length = DEVICE_KERNEL, .from = DEVICE_KERNEL_START, .to = DEVICE_KERNEL_END,
    },
    [DURATION_DM] = { // from the first data mover
        "device_kernel_duration_dm_start", ACROSS_OPS, ANALYSE_OP_FIRST_LAST,
        .start = {.zones = "BRISC-KERNEL, NCRISC-KERNEL, ERISC-KERNEL"}, .end = {.zones = KERNELS},
        .words = {.zones = "BRISC-KERNEL*, NCRISC-KERNEL*, ERISC-KERNEL*, DM-KERNEL*",
                  .riscs = "BRISC, NCRISC, ERISC, QUASAR_DM*"},
        .end_words = {.zones = "-KERNEL*", .riscs = "ANY"},
        .length = DEVICE_KERNEL_DM, .from = DEVICE_DM_START, .to = DEVICE_DM_END,
    },
    // The same for one kind of processor.
    [DURATION_BRISC] = {
        "device_brisc_kernel_duration", ACROSS_OPS, ANALYSE_OP_FIRST_LAST,
        .start = {.zones = "BRISC-KERNEL", .riscs = "BRISC"},
        .words = {.zones = "BRISC-KERNEL*", .riscs = "BRISC"},
        .length = DEVICE_BRISC,
    },
    [DURATION_NCRISC] = {
        "device_ncrisc_kernel_duration", ACROSS_OPS, ANALYSE_OP_FIRST_LAST,
        .start = {.zones = "NCRISC-KERNEL", .riscs = "NCRISC"},
        .words = {.zones = "NCRISC-KERNEL*", .riscs = "NCRISC"},
        .length = DEVICE_NCRISC,
    },
    [DURATION_TRISC0] = {
        "device_trisc0_kernel_duration", ACROSS_OPS, ANALYSE_OP_FIRST_LAST,
        .start = {.zones = "TRISC-KERNEL", .riscs = "TRISC_0"},
        .words = {.zones = "TRISC-KERNEL*", .riscs = "TRISC_0"},
        .length = DEVICE_TRISC0,
    },
    [DURATION_TRISC1] = {
        "device_trisc1_kernel_duration", ACROSS_OPS, ANALYSE_OP_FIRST_LAST,
        .start = {.zones = "TRISC-KERNEL", .riscs = "TRISC_1"},
        .words = {.zones = "TRISC-KERNEL*", .riscs = "TRISC_1"},
        .length = DEVICE_TRISC1,
    },
    [DURATION_TRISC2] = {
        "device_trisc2_kernel_duration", ACROSS_OPS, ANALYSE_OP_FIRST_LAST,
        .start = {.zones = "TRISC-KERNEL", .riscs = "TRISC_2"},
        .words = {.zones = "TRISC-KERNEL*", .riscs = "TRISC_2"},
        .length = DEVICE_TRISC2,
    },
    [DURATION_ERISC] = {
        "device_erisc_kernel_duration", ACROSS_OPS, ANALYSE_OP_FIRST_LAST,
        .start = {.zones = "ERISC-KERNEL", .riscs = "ERISC"},
        .words = {.zones = "ERISC-KERNEL*", .riscs = "ERISC"},
        .length = DEVICE_ERISC,
    },
    [DURATION_QUASAR_DM] = {
        .words = {.zones = "DM-KERNEL*"},
        .heads = {"DEVICE QUASAR_DM KERNEL DURATION [ns]",
                  "DEVICE QUASAR_DM KERNEL START CYCLE",
                  "DEVICE QUASAR_DM KERNEL END CYCLE"},
    },
    [DURATION_QUASAR_NEO] = {
        .words = {.zones = "TRISC-KERNEL*"},
        .heads = {"DEVICE QUASAR_NEO_TRISC KERNEL DURATION [ns]",
                  "DEVICE QUASAR_NEO_TRISC KERNEL START CYCLE",
                  "DEVICE QUASAR_NEO_TRISC KERNEL END CYCLE"},
    },
    [DURATION_DM_FW] = {
        .words = {.zones = "DM-FW*"},
        .heads = {"DEVICE DM FW DURATION [ns]"},
    },
    [DURATION_TRISC_FW] = {
        .words = {.zones = "TRISC-FW*"},
        .heads = {"DEVICE TRISC FW DURATION [ns]"},
    },
    // Sums made by the processors of a core.
    [DURATION_CB_WAIT] = {
        "device_compute_cb_wait_front", ACROSS_OPS, ANALYSE_SUM,
        .start = {.zones = "CB-COMPUTE-WAIT-FRONT", .riscs = "TRISC_0"},
        .length = DEVICE_CB_WAIT,
    },
    [DURATION_CB_RESERVE] = {
        "device_compute_cb_reserve_back", ACROSS_OPS, ANALYSE_SUM,
        .start = {.zones = "CB-COMPUTE-RESERVE-BACK", .riscs = "TRISC_2"},
        .length = DEVICE_CB_RESERVE,
    },
    // What dispatch cores did for an op.
    [DURATION_DISPATCH_TOTAL] = {
        "dispatch_total_cq_cmd_op_time", ACROSS_DISPATCH_OPS, ANALYSE_OP_FIRST_LAST,
        .start = {.zones = "CQ_DISPATCH_*", .riscs = "BRISC"},
        .length = DEVICE_DISPATCH_TOTAL,
    },
    [DURATION_DISPATCH_GO] = {
        "dispatch_go_send_wait_time", ACROSS_DISPATCH_OPS, ANALYSE_OP_FIRST_LAST,
        .start = {.zones = "CQ_DISPATCH_CMD_SEND_GO_SIGNAL", .riscs = "NCRISC"},
        .length = DEVICE_DISPATCH_GO,
    },
    // Not a duration: the events that carry performance counters.
    [DURATION_COUNTERS] = {
        "perf_counter_data", ACROSS_DEVICE, ANALYSE_EVENT,
        .start = {.riscs = "BRISC"},
    },
};
// clang-format on

const struct gap gaps[GAPS] = {
    [GAP_KERNEL] = {DURATION_KERNEL, DEVICE_LATENCY},
    [GAP_DM] = {DURATION_DM, DEVICE_LATENCY_DM},
};

const char *duration_head(enum duration d, int part)
{
    const struct duration_row *row = &durations[d];
    const enum device_number column[] = {row->length, row->from, row->to};
    if (row->heads[0])
        return row->heads[part];
    return column[part] ? device_number_columns[column[part]] : NULL;
}

// --- as analyses ---------------------------------------------------------------------

static void put_names(struct condition *c, const char *zones, struct arena *a)
{
    str rest = str_of(zones);
    size_t n = 1;
    for (size_t i = 0; i < rest.n; i++)
        n += rest.p[i] == ',';
    c->names = push_many(a, str, n);
    while (rest.n)
        c->names[c->n_names++] = str_trim(str_cut(&rest, ','));
}

static struct condition condition_of(const struct duration_rule *rule, struct arena *a)
{
    struct condition c = {.risc = str_of(rule->riscs ? rule->riscs : "ANY"),
                          .timer_id = -1};
    if (rule->phase)
        c.phase = str_of(rule->phase);
    if (rule->zones)
        put_names(&c, rule->zones, a);
    return c;
}

static struct duration_rule rule_of_end(const struct duration_rule *start,
                                        const struct duration_rule *end)
{
    return (struct duration_rule){end->zones ? end->zones : start->zones,
                                  end->riscs ? end->riscs : start->riscs,
                                  end->phase ? end->phase : start->phase};
}

void durations_of_log(struct analysis v[DURATIONS], struct arena *a)
{
    for (int i = 0; i < DURATIONS; i++) {
        const struct duration_row *d = &durations[i];
        v[i] = (struct analysis){.across = d->across, .type = d->type};
        v[i].start.timer_id = v[i].end.timer_id = -1;
        if (!d->name)
            continue;
        v[i].name = str_of(d->name);
        v[i].start = condition_of(&d->start, a);
        if (d->type == ANALYSE_SUM || d->type == ANALYSE_EVENT)
            continue;
        struct duration_rule end = rule_of_end(&d->start, &d->end);
        v[i].end = condition_of(&end, a);
        v[i].start.core = v[i].end.core = S("ANY");
    }
}

void durations_of_report(struct analysis v[DURATIONS], struct arena *a)
{
    for (int i = 0; i < DURATIONS; i++) {
        const struct duration_row *d = &durations[i];
        v[i] = (struct analysis){.across = ACROSS_OPS, .type = ANALYSE_OP_FIRST_LAST};
        if (!d->words.zones)
            continue;
        struct duration_rule start = d->words, end = rule_of_end(&d->words, &d->end_words);
        start.phase = "ZONE_START";
        end.phase = end.phase ? end.phase : "ZONE_END";
        v[i].start = condition_of(&start, a);
        v[i].end = condition_of(&end, a);
    }
}
