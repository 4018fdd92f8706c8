// perf.h - the performance report: what each op cost, how near it came to what the chip can
// do, and what to try next. Spec: perf-report.
//
// The order of work is fixed, because messages come out in that order: load, choose the
// architecture, sort, cut the signpost window, merge devices, analyse each op, filter.
#ifndef TTP_ANALYSE_PERF_PERF_H
#define TTP_ANALYSE_PERF_PERF_H

#include "analyse/notes.h"
#include "analyse/perf/facts.h"
#include "arch/arch.h"
#include "formats/ops_table/ops_table.h"

struct perf_options {
    const char *start_signpost; // NULL: none
    const char *end_signpost;
    bool ignore_signposts;
    bool print_signposts;
    bool has_id_range;
    int64_t id_from, id_to; // INT64_MIN and INT64_MAX: open ends
    const char *arch;
    bool tracing_mode;
    bool no_host_ops;
    bool no_merge_devices;
    double min_percentage;
};

enum op_kind { OP_DEVICE, OP_HOST, OP_SIGNPOST, OP_KINDS };
enum bound { BOUND_NONE, BOUND_BOTH, BOUND_DRAM, BOUND_FLOP, BOUND_SLOW, BOUND_HOST };

// Which values of an op are there at all; a value that is there may still be NaN.
enum op_has {
    HAS_TIME = 1 << 0,
    HAS_GAP = 1 << 1,
    HAS_SHARE = 1 << 2,
    HAS_CORES = 1 << 3,
    HAS_DRAM = 1 << 4, // dram and dram_percent
    HAS_DRAM_PERCENT = 1 << 5,
    HAS_FLOPS = 1 << 6,
    HAS_FLOPS_PERCENT = 1 << 7,
};

struct op {
    str code; // as shown, with sizes
    double time, gap;
    double share; // of the total time, in percent
    double cores;
    double dram, dram_percent;
    double flops, flops_percent;
    uint32_t row; // of the table; the ID shown is row + 2
    int32_t device;
    int32_t block_w, subblock_h, subblock_w; // OP_NO_BLOCK: not given
    uint8_t has;
    uint8_t kind;       // enum op_kind
    uint8_t class;      // enum op_class
    uint8_t bound;      // enum bound
    uint8_t verdict;    // index into the table of fidelity.c
    bool is_matmul;     // by its name: advice, bound and colours go by that
    bool is_split;      // the name of a kind of op stands before its sizes
    bool is_time_zero;  // the duration was missing: an integer 0 stands for it
    bool is_cores_real; // the cell came from a column of floats
    bool is_dram_sharded;
    bool is_minor; // less than the minimum percentage: shown in grey
};

static inline int64_t op_id(const struct op *o)
{
    return (int64_t)o->row + 2;
}

struct perf {
    struct perf_options opt;
    struct arena arena;
    struct ops_table table;
    const struct arch *arch; // NULL when unknown
    int64_t cores;           // of the architecture, or as the table says
    struct facts facts;
    uint32_t signpost, device_op; // ids of these op types, MAP_NONE when there is none
    struct op *ops;
    size_t n_ops;
    size_t n_kind[OP_KINDS]; // before the filters by id and host op
    struct notes notes;
    struct diag diag;
};

enum perf_status { PERF_OK, PERF_INPUT_ERROR, PERF_REFUSED };

// PERF_INPUT_ERROR: e says what is wrong. PERF_REFUSED: the last note says it. The perf
// must be freed in any case.
enum perf_status perf_run(struct perf *p, const char *const *paths, size_t n_paths,
                          const struct perf_options *opt, struct err *e);
void perf_free(struct perf *p);

// `A-B`, `A-`, `-B`; digits may hold commas and outer blanks.
bool perf_parse_id_range(str s, struct perf_options *opt);

str bound_name(enum bound b);

// --- the steps, in files of their own ---

// A row that was chosen to be shown, with its duration in ns (that of a collective op is
// the mean over its devices).
struct pick {
    uint32_t row;
    bool has_duration;
    double duration;
};
struct picks {
    struct pick *v;
    size_t n;
};

void perf_choose_arch(struct perf *p);                // perf_arch.c
struct picks perf_select(struct perf *p);             // perf_select.c: sort and signposts
void perf_merge(struct perf *p, struct picks *picks); // perf_merge.c
// perf_op.c: one op. `follows_op`: an op stands before it in the list.
void perf_analyse_op(struct perf *p, const struct pick *pick, bool follows_op,
                     struct op *o);

// What the Math Fidelity column shows; thread-safe.
str perf_math_text(const struct perf *p, const struct op *o, struct arena *a);

#endif
