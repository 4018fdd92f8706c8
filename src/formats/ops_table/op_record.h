// op_record.h - the record of an op (the JSON of its message) as cell texts of an ops
// report.
//
// A record is read once; repeated ops share it. Cells have the form that Python's repr
// prints for objects and lists, with `,` replaced by `;`. A truncated record is read as far
// as it goes.
#ifndef TTP_FORMATS_OPS_TABLE_OP_RECORD_H
#define TTP_FORMATS_OPS_TABLE_OP_RECORD_H

#include "base/data/arena.h"
#include "base/text/str.h"

struct op_tensor {
    str size[4]; // W, Z, Y, X: "32[1]", or "32" in 2024
    str layout, dtype;
    str memory; // "DEV_0_DRAM_INTERLEAVED", "HOST"
};
struct op_kernel_size {
    str name; // "TENSIX DM 0": core type, class, index
    str bytes;
};
struct op_extra { // a key with no other place; its name becomes COLUMN WITH BLANKS
    str column, cell;
};

struct op_record {
    // Identity; the message's head takes precedence over these.
    bool has_id, has_device, has_hash, has_hit;
    uint64_t id, hash;
    int64_t device;
    bool is_hit;
    // Cells; p NULL: not in the record.
    str code, type, attributes, strategy, fidelity;
    struct op_tensor *inputs; // optional ones last
    struct op_tensor *outputs;
    size_t n_inputs, n_outputs;
    bool has_tensors;                       // any list, even an empty one
    uint64_t n_inputs_said, n_outputs_said; // *_original_count of truncated lists; 0
    str compute_source, compute_hash, movement_source, movement_hash;
    struct op_kernel_size *sizes; // in column order: class, then index
    size_t n_sizes;
    str ideal, compute, bandwidth, input_rates, output_rates; // performance model
    double compute_ns;                                        // NaN: not given
    struct op_extra *extra;
    size_t n_extra;
    bool is_damaged; // truncated or invalid: read up to that point
};

// All texts live in the arena.
void op_record_read(str json, struct arena *a, struct op_record *r);
// Takes what the record does not give from another one of the same program. Identity and
// damage stay.
void op_record_fill(struct op_record *r, const struct op_record *from);
// Sort order of the kernel size columns: below 0 if a comes before b.
int op_kernel_size_order(str a, str b);

#endif
