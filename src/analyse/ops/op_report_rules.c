// op_report_rules.c - empties impossible numbers and lists them with the rule that they
// violate.
//
// A rule fires only if no device run could have produced the number. Durations are rounded
// one by one, so they may exceed each other by 1 ns.
#include "analyse/diags.h"
#include "analyse/ops/op_report_parts.h"

enum { ROUNDING_NS = 1 };

static void empty_number(struct op_join *j, uint32_t at, enum device_number number,
                         const char *rule)
{
    struct device_row *row = &j->device->v.v[at];
    if (row->v[number] == DEVICE_NONE)
        return;
    vec_push(&j->bad, (struct bad_number){.device_row = at,
                                          .number = (uint8_t)number,
                                          .rule = rule,
                                          .value = row->v[number]});
    row->v[number] = DEVICE_NONE;
    row->state[number] = STATE_BAD;
}

static bool has_number(const struct device_row *row, enum device_number number)
{
    return row->v[number] != DEVICE_NONE;
}

// --- ends and signs --------------------------------------------------------------------
static const struct {
    enum device_number start, end, duration;
} spans[] = {
    {DEVICE_FW_START, DEVICE_FW_END, DEVICE_FW},
    {DEVICE_KERNEL_START, DEVICE_KERNEL_END, DEVICE_KERNEL},
    {DEVICE_DM_START, DEVICE_DM_END, DEVICE_KERNEL_DM},
};

static void check_ends(struct op_join *j, uint32_t at)
{
    const struct device_row *row = &j->device->v.v[at];
    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++)
        if (has_number(row, spans[i].start) && has_number(row, spans[i].end) &&
            row->v[spans[i].end] < row->v[spans[i].start]) {
            empty_number(j, at, spans[i].end, "the end is before the start");
            empty_number(j, at, spans[i].duration, "the end is before the start");
        }
}

static void check_signs(struct op_join *j, uint32_t at)
{
    const struct device_row *row = &j->device->v.v[at];
    for (int i = 0; i < DEVICE_REPORTED; i++)
        if (row->v[i] < 0 && row->v[i] != DEVICE_NONE && i != DEVICE_SUB_DEVICE)
            empty_number(j, at, (enum device_number)i, "it is negative");
}

// --- longer than the enclosing duration ------------------------------------------------
static const struct {
    enum device_number inner, outer;
    const char *rule;
} containments[] = {
    {DEVICE_KERNEL, DEVICE_FW, "the kernel is longer than its firmware"},
    {DEVICE_KERNEL_DM, DEVICE_KERNEL, "it is longer than the whole kernel"},
    {DEVICE_CORE_MIN, DEVICE_KERNEL, "one core is longer than the whole kernel"},
    {DEVICE_CORE_MAX, DEVICE_KERNEL, "one core is longer than the whole kernel"},
    {DEVICE_CORE_AVG, DEVICE_KERNEL, "one core is longer than the whole kernel"},
    {DEVICE_BRISC, DEVICE_KERNEL, "one RISC is longer than the whole kernel"},
    {DEVICE_NCRISC, DEVICE_KERNEL, "one RISC is longer than the whole kernel"},
    {DEVICE_TRISC0, DEVICE_KERNEL, "one RISC is longer than the whole kernel"},
    {DEVICE_TRISC1, DEVICE_KERNEL, "one RISC is longer than the whole kernel"},
    {DEVICE_TRISC2, DEVICE_KERNEL, "one RISC is longer than the whole kernel"},
    {DEVICE_ERISC, DEVICE_KERNEL, "one RISC is longer than the whole kernel"},
};

// The enclosing duration counts only if it was measured completely.
static void check_containments(struct op_join *j, uint32_t at)
{
    const struct device_row *row = &j->device->v.v[at];
    for (size_t i = 0; i < sizeof containments / sizeof *containments; i++) {
        enum device_number inner = containments[i].inner, outer = containments[i].outer;
        if (has_number(row, inner) && has_number(row, outer) &&
            row->state[outer] == STATE_OK && row->v[inner] > row->v[outer] &&
            row->v[inner] - row->v[outer] > ROUNDING_NS)
            empty_number(j, at, inner, containments[i].rule);
    }
}

// --- longer than the device's whole span -----------------------------------------------
struct device_span {
    int64_t first, last;
    double ns_per_cycle;
};

static const enum device_number within_span[] = {DEVICE_LATENCY,   DEVICE_LATENCY_DM,
                                                 DEVICE_FW,        DEVICE_KERNEL,
                                                 DEVICE_KERNEL_DM, DEVICE_FIRST_TO_LAST};

static void measure_span(struct device_span *s, const struct device_row *row, int64_t mhz)
{
    if (!has_number(row, DEVICE_FW_START) || !has_number(row, DEVICE_FW_END))
        return;
    int64_t start = row->v[DEVICE_FW_START], end = row->v[DEVICE_FW_END];
    if (s->first > start)
        s->first = start;
    if (s->last < end)
        s->last = end;
    if (mhz > 0)
        s->ns_per_cycle = 1000 / (double)mhz;
    else if (s->ns_per_cycle == 0 && end > start && has_number(row, DEVICE_FW))
        s->ns_per_cycle = (double)row->v[DEVICE_FW] / (double)(end - start);
}

static void check_span(struct op_join *j, uint32_t at, const struct device_span *s)
{
    const struct device_row *row = &j->device->v.v[at];
    // A row outside the span may be longer than it.
    if (!has_number(row, DEVICE_FW_START) || !has_number(row, DEVICE_FW_END) ||
        s->ns_per_cycle <= 0)
        return;
    // Clocks are rounded to MHz.
    double most = ((double)s->last - (double)s->first) * s->ns_per_cycle * 1.01 + 1;
    for (size_t i = 0; i < sizeof within_span / sizeof *within_span; i++)
        if (has_number(row, within_span[i]) && (double)row->v[within_span[i]] > most)
            empty_number(j, at, within_span[i],
                         "it is longer than the device's total time");
}

void op_join_check_rules(struct op_join *j)
{
    if (!j->device)
        return;
    struct device_span *s = mem_alloc(mem_bytes(sizeof *s, j->n_clocks ? j->n_clocks : 1));
    for (size_t i = 0; i < j->n_clocks; i++)
        s[i] = (struct device_span){.first = INT64_MAX, .last = INT64_MIN};
    for (uint32_t i = 0; i < j->device->v.n; i++) {
        check_ends(j, i);
        check_signs(j, i);
        check_containments(j, i);
        measure_span(&s[j->clock_of[i]], &j->device->v.v[i],
                     device_row_mhz(j->device, &j->device->v.v[i]));
    }
    for (uint32_t i = 0; i < j->device->v.n; i++)
        check_span(j, i, &s[j->clock_of[i]]);
    mem_free(s);
}

// --- the list --------------------------------------------------------------------------
void op_join_place_bad(struct op_join *j)
{
    struct op_report *r = j->r;
    if (j->bad.n) {
        uint32_t *row_of = mem_alloc(mem_bytes(sizeof *row_of, j->device->v.n));
        for (size_t i = 0; i < r->rows.n; i++)
            if (r->rows.v[i].device != TRACE_NONE)
                row_of[r->rows.v[i].device] = (uint32_t)i;
        for (size_t i = 0; i < j->bad.n; i++)
            vec_push(&r->bad, (struct op_bad_cell){.row = row_of[j->bad.v[i].device_row],
                                                   .number = j->bad.v[i].number,
                                                   .rule = j->bad.v[i].rule,
                                                   .value = j->bad.v[i].value});
        mem_free(row_of);
    }
    for (size_t i = 0; i < r->bad.n; i++) {
        const struct op_bad_cell *b = &r->bad.v[i];
        if (!diag_count(&r->diag, DIAG_CELL_BAD))
            continue;
        const struct device_row *row = &r->device->v.v[r->rows.v[b->row].device];
        diag_note(&r->diag, DIAG_CELL_BAD, "device %lld, op %llu: %s: %lld: %s",
                  (long long)row->device, (unsigned long long)row->op,
                  device_number_columns[b->number], (long long)b->value, b->rule);
    }
}
