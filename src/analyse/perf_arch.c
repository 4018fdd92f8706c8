// perf_arch.c - which chip the ops ran on, and the messages about it.
#include "analyse/perf.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/num.h"

enum { DEFAULT_CORES = 64 };

// The distinct values of a column in the order they are first seen, without missing ones.
static struct map distinct(struct perf *p, enum ops_column c, bool without_zero)
{
    struct map m = {0};
    str last = {NULL, 0};
    for (size_t row = 0; row < p->table.n_rows; row++) {
        str s;
        double v;
        if (!ops_text(&p->table, c, row, &s) || str_eq(s, last))
            continue;
        last = s;
        if (without_zero && (!num_real(s, &v) || v == 0))
            continue;
        (void)map_put(&m, s);
    }
    return m;
}

static str arch_name(struct perf *p, const struct map *names)
{
    if (p->table.type[OPS_DEVICE_ARCH] == OPS_ABSENT) {
        note(&p->notes, NOTE_WARNING,
             "DEVICE ARCH column not found. Defaulting to 'wormhole'.");
        return S("wormhole");
    }
    if (!names->keys.n) {
        note(&p->notes, NOTE_WARNING, "No DEVICE ARCH values found. Defaulting to 'wormhole'.");
        return S("wormhole");
    }
    str first = names->keys.v[0];
    if (names->keys.n > 1) {
        struct buf list = {0};
        for (size_t i = 0; i < names->keys.n; i++)
            buf_printf(&list, "%s'%.*s'", i ? ", " : "", STR(names->keys.v[i]));
        note(&p->notes, NOTE_WARNING,
             "Warning: Multiple DEVICE ARCH values found: [%.*s]. Using first value: '%.*s'.",
             STR(list), STR(first));
        buf_free(&list);
    }
    return str_eq_nocase(first, S("wormhole_b0")) ? S("wormhole") : first;
}

// A core count as its column type prints it.
static str cores_text(struct perf *p, str cell, struct buf *b)
{
    double v = 0;
    size_t from = b->n;
    if (p->table.type[OPS_WORKER_CORES] == OPS_FLOAT && num_real(cell, &v))
        num_put_real(b, v);
    else
        buf_str(b, str_trim(cell));
    return (str){b->p + from, b->n - from};
}

static int64_t worker_cores(struct perf *p)
{
    if (p->table.type[OPS_WORKER_CORES] == OPS_ABSENT) {
        note(&p->notes, NOTE_WARNING,
             "AVAILABLE WORKER CORE COUNT column not found. Defaulting to 64 cores.");
        return DEFAULT_CORES;
    }
    struct map values = distinct(p, OPS_WORKER_CORES, true);
    double v = DEFAULT_CORES;
    if (!values.keys.n) {
        note(&p->notes, NOTE_WARNING,
             "No non-zero AVAILABLE WORKER CORE COUNT values found. Defaulting to 64 cores.");
    } else {
        (void)num_real(values.keys.v[0], &v);
    }
    if (values.keys.n > 1) {
        struct buf list = {0}, first = {0};
        for (size_t i = 0; i < values.keys.n; i++) {
            buf_z(&list, i ? ", " : "");
            (void)cores_text(p, values.keys.v[i], &list);
        }
        str head = cores_text(p, values.keys.v[0], &first);
        note(&p->notes, NOTE_WARNING,
             "Warning: Multiple AVAILABLE WORKER CORE COUNT values found: [%.*s]. Using first "
             "value: %.*s.",
             STR(list), STR(head));
        buf_free(&list);
        buf_free(&first);
    }
    map_free(&values);
    return v > 0 && v < 1e9 ? (int64_t)v : DEFAULT_CORES;
}

static void arch_from_table(struct perf *p)
{
    struct map names = distinct(p, OPS_DEVICE_ARCH, false);
    // The reference looks the name up twice and says so twice; outputs are compared.
    str name = arch_name(p, &names);
    if (p->opt.arch)
        note(&p->notes, NOTE_WARNING,
             "Warning: Ignoring user-specified architecture: %s, CSV detected %.*s architecture",
             p->opt.arch, STR(name));
    else
        note(&p->notes, NOTE_INFO, "Using architecture from CSV: %.*s", STR(name));
    (void)arch_name(p, &names);
    p->arch = arch_find(p->archs, name);
    p->cores = worker_cores(p);
    if (!p->arch) {
        note(&p->notes, NOTE_WARNING,
             "Warning: Unknown architecture '%.*s': DRAM %% and FLOPs %% stay empty.",
             STR(name));
        if (diag_count(&p->diag, DIAG_ARCH_UNKNOWN))
            diag_note(&p->diag, DIAG_ARCH_UNKNOWN, "%s: column 'DEVICE ARCH': '%.*s'",
                      p->table.files[0].path, STR(name));
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
    p->arch = arch_find(p->archs, p->opt.arch ? str_of(p->opt.arch) : S("wormhole"));
    p->cores = p->arch->cores;
    note(&p->notes, NOTE_INFO, "Architecture: %.*s, Worker cores: %lld", STR(p->arch->name),
         (long long)p->cores);
}
