// perf.h - the performance report: what each op cost, how close it came to peak, and what
// to try next.
//
// The order of steps is fixed, because messages are printed in that order: load, choose the
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
    int64_t id_from, id_to; // INT64_MIN, INT64_MAX: no limit
    const char *arch;
    bool tracing_mode;
    bool no_host_ops;
    bool no_merge_devices;
    double min_percentage;
};

enum op_kind { OP_DEVICE, OP_HOST, OP_SIGNPOST, OP_KINDS };
enum bound { BOUND_NONE, BOUND_BOTH, BOUND_DRAM, BOUND_FLOP, BOUND_SLOW, BOUND_HOST };

// Which values an op has; a value that is present may still be NaN.
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
    uint32_t row; // in the table; the ID shown is row + 2
    int32_t device;
    int32_t block_w, subblock_h, subblock_w; // OP_NO_BLOCK: not given
    uint8_t has;
    uint8_t kind;       // enum op_kind
    uint8_t class;      // enum op_class
    uint8_t bound;      // enum bound
    uint8_t verdict;    // index into the table of fidelity.c
    bool is_matmul;     // by its name, which also decides advice, bound and colours
    bool is_split;      // the kind of op is a separate word before its sizes
    bool is_time_zero;  // the duration is missing: an integer 0 is shown
    bool is_cores_real; // the cell is from a column of floats
    bool is_dram_sharded;
    bool is_minor; // below the minimum percentage: shown in grey
};

static inline int64_t op_id(const struct op *o)
{
    return (int64_t)o->row + 2;
}

struct perf {
    struct perf_options opt;
    struct arena arena;
    struct ops_table table;
    const struct arch *arch; // NULL: unknown
    int64_t cores;           // of the architecture, or from the table
    struct facts facts;
    uint32_t signpost, device_op; // text ids of these op types, MAP_NONE if absent
    struct op *ops;
    size_t n_ops;
    size_t n_kind[OP_KINDS]; // before filtering by id and host op
    struct notes notes;
    struct diag diag;
};

enum perf_status { PERF_OK, PERF_INPUT_ERROR, PERF_REFUSED };

// PERF_INPUT_ERROR: e says what is wrong. PERF_REFUSED: the last note says why. The perf
// must be freed in any case.
enum perf_status perf_run(struct perf *p, const char *const *paths, size_t n_paths,
                          const struct perf_options *opt, struct err *e);
void perf_free(struct perf *p);

// `A-B`, `A-`, `-B`; numbers may contain commas and surrounding blanks.
bool perf_parse_id_range(str s, struct perf_options *opt);

str bound_name(enum bound b);

// --- the steps, each in its own file ---

// A row to be shown, with its duration in ns (of a collective op: the mean over devices).
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
// perf_op.c: analyses one op. `follows_op`: it is not the first op of the list.
void perf_analyse_op(struct perf *p, const struct pick *pick, bool follows_op,
                     struct op *o);

// The text of the Math Fidelity column; thread-safe.
// Fidelity and data types. Missing types of matmuls and convolutions are shown as `nan`, as
// in tt-perf-report, or left out.
str perf_math_text(const struct perf *p, const struct op *o, bool with_nan,
                   struct arena *a);

#endif
