// op_record.h - what a runtime tells about an op (the JSON of its message), as the texts of
// the cells of an ops report.
//
// A record is read once; ops that are repeated share it. Cells have the form in which the
// reference prints them: Python's repr for objects and lists, `,` replaced by `;`. A record
// that is cut off is read as far as it goes.
#ifndef TTP_FORMATS_OPS_TABLE_OP_RECORD_H
#define TTP_FORMATS_OPS_TABLE_OP_RECORD_H

#include "base/data/arena.h"
#include "base/text/str.h"

struct op_tensor {
    str size[4]; // W, Z, Y, X: "32[1]", or "32" of 2024
    str layout, dtype;
    str memory; // "DEV_0_DRAM_INTERLEAVED", "HOST"
};
struct op_kernel_size {
    str name; // "TENSIX DM 0": core type, class, index
    str bytes;
};
struct op_extra { // a key that has no other place here; COLUMN WITH BLANKS
    str column, cell;
};

struct op_record {
    // Who it is; the message's own head goes first where both say it.
    bool has_id, has_device, has_hash, has_hit;
    uint64_t id, hash;
    int64_t device;
    bool is_hit;
    // Cells; p NULL: the record does not say.
    str code, type, attributes, strategy, fidelity;
    struct op_tensor *inputs; // optional ones behind the others
    struct op_tensor *outputs;
    size_t n_inputs, n_outputs;
    uint64_t n_inputs_said, n_outputs_said; // *_original_count of lists that were cut; 0
    str compute_source, compute_hash, movement_source, movement_hash;
    struct op_kernel_size *sizes; // in the order of columns: class, then index
    size_t n_sizes;
    str ideal, compute, bandwidth, input_rates, output_rates; // performance model
    double compute_ns;                                        // NaN: not said
    struct op_extra *extra;
    size_t n_extra;
    bool is_damaged; // cut off or wrong: what stands before that was read
};

// All texts live in the arena.
void op_record_read(str json, struct arena *a, struct op_record *r);
// The order of columns of kernel sizes: below 0 when a stands before b.
int op_kernel_size_order(str a, str b);

#endif
