// ops_matmul.h - the plan of a matrix product: how it is divided (kernel/ops/blocks.h) and
// how its cores get their operands.
#ifndef TTP_RUNTIME_OPS_MATMUL_H
#define TTP_RUNTIME_OPS_MATMUL_H

#include "runtime/ops.h"

// In the order of the kernels' common arguments.
struct matmul_plan {
    uint32_t m, n, k; // tiles
    uint32_t per_m, per_n, sub_h, sub_w, block_k;
    uint32_t a_batch, b_batch, edge_a, edge_b;
    uint32_t has_bias, fidelity, function;
    uint32_t keep_a, keep_b, is_shared;
    // Not passed to kernels:
    uint32_t blocks, grid_x, grid_y;
    uint32_t pages_a, pages_b; // of the circular buffers
};
enum { MATMUL_KERNEL_WORDS = 18 };

// The operands of a product; bias and out may be NULL.
struct matmul_operands {
    const ttrt_tensor *a, *b, *bias, *out;
};

uint32_t matmul_divide_up(uint32_t n, uint32_t size);
// How the work is divided. Fails and returns false if it cannot be done as `how` says.
bool matmul_plan_blocks(ttrt *m, const char *code, const struct matmul_operands *t,
                        const struct ttrt_how *how, struct matmul_plan *plan);
// What stays in L1, given the room that tensors leave. Needs the result.
void matmul_plan_buffers(const ttrt *m, const struct matmul_operands *t,
                         struct matmul_plan *plan);
// Pages that the cores read from the tensors.
struct matmul_traffic {
    uint64_t a, b, bias;
};
struct matmul_traffic matmul_traffic(const struct matmul_plan *plan, uint32_t batches);

#endif
