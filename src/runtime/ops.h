// ops.h - shared by the files of the op library.
//
// An op checks its operands, makes its results, records its attributes and builds a plan:
// what its kernels need besides addresses. Its program is made from the plan, which is part
// of the op's hash.
#ifndef TTP_RUNTIME_OPS_H
#define TTP_RUNTIME_OPS_H

#include "runtime/parts.h"
#include "ttprof/engine_ops.h"

// --- operands and results (ops_common.c) -----------------------------------------------
// Checks that all tensors are usable tiles of real numbers; else fails and returns false.
// NULL tensors fail.
bool ops_check(ttrt *m, const char *code, const ttrt_tensor *const *tensors, size_t n);
// As `how` says, by default of this type and in DRAM.
ttrt_tensor *ops_result(ttrt *m, const char *code, const struct ttrt_how *how,
                        const uint32_t shape[4], int dtype);
const char *ops_shape_text(ttrt *m, const ttrt_tensor *t); // "1 x 1 x 32 x 64"
uint32_t ops_tiles(uint32_t length); // tiles needed for `length` values
// W, Z, and rows and columns of tiles.
struct ops_extent {
    uint32_t n[4];
};
struct ops_extent ops_extent(const ttrt_tensor *t);
// Pages between neighbours along each dimension; 0 along dimensions of length one.
void ops_strides(const ttrt_tensor *t, uint32_t strides[4]);
int ops_fidelity(const struct ttrt_how *how); // 1 .. 4
// Inner values that count in the last tile, and what replaces the rest: kernel/ops/edge.h.
enum { OPS_EDGE_ZERO, OPS_EDGE_REPEAT };
uint32_t ops_edge_rows(uint32_t length, int fill);
uint32_t ops_edge_columns(uint32_t length, int fill);
uint32_t ops_bits(float value);

// --- the description of an op ----------------------------------------------------------
// Sets inputs, outputs, and the DRAM traffic: each tensor once.
void ops_operands(struct rt_op *op, const ttrt_tensor *const *inputs, size_t n_inputs,
                  ttrt_tensor *const *outputs, size_t n_outputs);
// Sets the total traffic of an operand, if it is not moved exactly once.
void ops_moves(struct rt_op *op, const ttrt_tensor *t, uint64_t bytes);
void ops_attribute(ttrt *m, struct rt_op *op, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
// As printed by tt-metal: "DataType::BFLOAT16", "MemoryConfig(...)" ...
const char *ops_dtype_text(const ttrt_tensor *t);
const char *ops_memory_text(ttrt *m, const ttrt_tensor *t);
const char *ops_compute_text(ttrt *m, int fidelity);
const char *ops_grid_text(ttrt *m);
// Kernels by file name; compute is NULL if there is none.
void ops_kernels(ttrt *m, struct rt_op *op, const char *read, const char *write,
                 const char *compute, int fidelity);

void ops_vector_model(const ttrt *m, const struct rt_op *op, struct rt_model *model);

// --- its program -----------------------------------------------------------------------
struct ops_args {
    uint32_t v[128];
    size_t n;
};
void ops_args_add(struct ops_args *args, const uint32_t *words, size_t n);
void ops_args_operand(struct ops_args *args, const ttrt_tensor *t); // t NULL: zeros
// The cores for this many pieces of work.
ttdev_range ops_cores(struct rt_program *p, uint32_t pieces);
// Passes each core its share, first piece and count, as arguments of all kernels.
void ops_deal(struct rt_program *p, const int *kernels, size_t n_kernels, ttdev_range cores,
              uint32_t pieces);
// For a kernel that counts units of which a piece has several.
void ops_deal_multiples(struct rt_program *p, int kernel, ttdev_range cores,
                        uint32_t pieces, uint32_t times);

// --- one output tile at a time (ops_tiles.c) -------------------------------------------
// The parameters of kernel/ops/{read,write}.c.
enum { OPS_NO_B, OPS_B_TILES, OPS_B_SCALER };
struct tile_plan {
    uint32_t size[4], inner, edge, b_kind;
    uint32_t a_stride[5], b_stride[5]; // the last is for the inner step
    uint32_t out_size[4], out_cb, part;
    uint32_t out_stride[4];
    uint32_t how[6];    // common arguments of the compute kernel
    uint32_t n_interim; // buffers of one bf16 tile, numbered from 24
};
// Every tile of `out` in row order, each from the tile of a at the same place.
void tile_plan_start(struct tile_plan *plan, const ttrt_tensor *a, const ttrt_tensor *out);
void ops_run_tiles(ttrt *m, struct rt_op *op, const struct tile_plan *plan);

// Two vector unit functions in sequence, as one op.
struct ops_function {
    int function; // TT_SFPU_*; TT_SFPU_FUNCTIONS: none
    float parameter;
};
ttrt_tensor *ops_unary(ttrt *m, const ttrt_tensor *a, struct ops_function first,
                       struct ops_function second, const struct ttrt_how *how);
int ops_unary_function(int unary); // for enum ttrt_unary; TT_SFPU_FUNCTIONS: none
const char *ops_unary_name(int unary);

#endif
