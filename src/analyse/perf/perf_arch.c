// perf_arch.c - determines the chip that the ops ran on, with messages.
#include "base/data/map.h"
#include "base/text/buf.h"
#include "base/text/num.h"

#include "analyse/diags.h"
#include "analyse/perf/perf.h"

enum { DEFAULT_CORES = 64 };

// The architectures of the rows in order of first appearance.
static struct map arch_names(const struct perf *p)
{
    struct map m = {0};
    uint32_t last = OPS_NO_TEXT;
    for (size_t row = 0; row < p->table.n_rows; row++) {
        uint32_t id = ops_text_id(&p->table, OPS_DEVICE_ARCH, row);
        if (id != last && id != OPS_NO_TEXT)
            (void)map_put(&m, p->table.strings.keys.v[id]);
        last = id;
    }
    return m;
}

typedef VEC(double) reals;

// The core counts of the rows in order of first appearance, without zeros.
static reals core_counts(const struct perf *p)
{
    reals seen = {0};
    double v, last = 0;
    for (size_t row = 0; row < p->table.n_rows; row++) {
        if (!ops_number(&p->table, OPS_WORKER_CORES, row, &v) || v == last || v == 0)
            continue;
        last = v;
        size_t i = 0;
        while (i < seen.n && seen.v[i] != v)
            i++;
        if (i == seen.n)
            vec_push(&seen, v);
    }
    return seen;
}

static str arch_name(struct perf *p, const struct map *names)
{
    if (ops_is_absent(&p->table, OPS_DEVICE_ARCH)) {
        note(&p->notes, NOTE_WARNING,
             "DEVICE ARCH column not found. Defaulting to 'wormhole'.");
        return S("wormhole");
    }
    if (!names->keys.n) {
        note(&p->notes, NOTE_WARNING,
             "No DEVICE ARCH values found. Defaulting to 'wormhole'.");
        return S("wormhole");
    }
    str first = names->keys.v[0];
    if (names->keys.n > 1) {
        struct buf list = {0};
        for (size_t i = 0; i < names->keys.n; i++)
            buf_printf(&list, "%s'%.*s'", i ? ", " : "", STR(names->keys.v[i]));
        note(
            &p->notes, NOTE_WARNING,
            "Warning: Multiple DEVICE ARCH values found: [%.*s]. Using first value: '%.*s'.",
            STR(list), STR(first));
        buf_free(&list);
    }
    return str_eq_nocase(first, S("wormhole_b0")) ? S("wormhole") : first;
}

// Prints a core count according to its column type.
static void put_core_count(const struct perf *p, double v, struct buf *b)
{
    if (p->table.column[OPS_WORKER_CORES].type == OPS_INTEGER)
        num_put_int(b, (int64_t)v);
    else
        num_put_real(b, v);
}

static int64_t worker_cores(struct perf *p)
{
    if (ops_is_absent(&p->table, OPS_WORKER_CORES)) {
        note(&p->notes, NOTE_WARNING,
             "AVAILABLE WORKER CORE COUNT column not found. Defaulting to 64 cores.");
        return DEFAULT_CORES;
    }
    reals counts = core_counts(p);
    double first = counts.n ? counts.v[0] : DEFAULT_CORES;
    if (counts.n == 0)
        note(
            &p->notes, NOTE_WARNING,
            "No non-zero AVAILABLE WORKER CORE COUNT values found. Defaulting to 64 cores.");
    if (counts.n > 1) {
        struct buf list = {0};
        for (size_t i = 0; i < counts.n; i++) {
            buf_z(&list, i ? ", " : "");
            put_core_count(p, counts.v[i], &list);
        }
        note(
            &p->notes, NOTE_WARNING,
            "Warning: Multiple AVAILABLE WORKER CORE COUNT values found: [%.*s]. Using first value: %lld.",
            STR(list), (long long)first);
        buf_free(&list);
    }
    vec_free(&counts);
    return first > 0 && first < 1e9 ? (int64_t)first : DEFAULT_CORES;
}

static size_t first_with_arch(const struct perf *p)
{
    size_t row = 0;
    while (ops_text_id(&p->table, OPS_DEVICE_ARCH, row) == OPS_NO_TEXT)
        row++;
    return row;
}

static void arch_from_table(struct perf *p)
{
    struct map names = arch_names(p);
    // tt-perf-report looks up and reports the name twice; output is compared.
    str name = arch_name(p, &names);
    if (p->opt.arch)
        note(
            &p->notes, NOTE_WARNING,
            "Warning: Ignoring user-specified architecture: %s, CSV detected %.*s architecture",
            p->opt.arch, STR(name));
    else
        note(&p->notes, NOTE_INFO, "Using architecture from CSV: %.*s", STR(name));
    (void)arch_name(p, &names);
    p->arch = arch_find(arch_all(), name);
    p->cores = worker_cores(p);
    if (!p->arch) {
        note(&p->notes, NOTE_WARNING,
             "Warning: Unknown architecture '%.*s': DRAM %% and FLOPs %% stay empty.",
             STR(name));
        if (diag_count(&p->diag, DIAG_ARCH_UNKNOWN))
            diag_note(&p->diag, DIAG_ARCH_UNKNOWN, "%.*s: '%.*s'",
                      STR(ops_place(&p->table, OPS_DEVICE_ARCH, first_with_arch(p))),
                      STR(name));
    }
    note(&p->notes, NOTE_INFO, "Architecture: %.*s, Worker cores: %lld",
         STR(p->arch ? p->arch->name : name), (long long)p->cores);
    map_free(&names);
}

void perf_choose_arch(struct perf *p)
{
    static const char *const formats[] = {
        [OPS_V1] = "v1 (legacy format)",
        [OPS_V2] = "v2",
        [OPS_V2_1] = "v2.1 (with device arch and worker core count)",
    };
    note(&p->notes, NOTE_INFO, "Detected CSV format: %s", formats[p->table.version]);
    if (p->table.version == OPS_V2_1) {
        arch_from_table(p);
        return;
    }
    p->arch = arch_find(arch_all(), p->opt.arch ? str_of(p->opt.arch) : S("wormhole"));
    p->cores = p->arch->cores;
    note(&p->notes, NOTE_INFO, "Architecture: %.*s, Worker cores: %lld", STR(p->arch->name),
         (long long)p->cores);
}
