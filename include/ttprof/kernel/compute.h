// compute.h - tiles through the compute engine: unpack (TRISC0), math (TRISC1), pack
// (TRISC2).
//
// A compute kernel is one source, built for each of the three RISCs. Every call does its
// part on each of them: operands are unpacked by TRISC0 in the order in which TRISC1 asks
// for them, and TRISC2 packs what TRISC1 has committed. The engine's queues keep the three
// apart and in order; a full queue stops the RISC.
#ifndef TTPROF_KERNEL_COMPUTE_H
#define TTPROF_KERNEL_COMPUTE_H

#include "ttprof/kernel/cb.h"
#include "ttprof/kernel/markers.h"

#ifdef TTK_TRISC0
#define UNPACK(x) x
#else
#define UNPACK(x)
#endif
#ifdef TTK_TRISC1
#define MATH(x) x
#else
#define MATH(x)
#endif
#ifdef TTK_TRISC2
#define PACK(x) x
#else
#define PACK(x)
#endif

#ifdef __cplusplus
// The form of older compute kernels: namespace NAMESPACE { void MAIN { ... } }
#define NAMESPACE ttk_compute
#define MAIN      kernel_main()
namespace NAMESPACE {
extern "C" void kernel_main(void);
}
#endif

// --- the engine's window ---------------------------------------------------------------
TTK_INLINE void ttk_engine_arg(uint32_t index, uint32_t value)
{
    TTK_REGISTER(TT_ENGINE + 4 * index) = value;
}
TTK_INLINE void ttk_engine(uint32_t opcode)
{
    TTK_REGISTER(TT_ENGINE + TT_ENGINE_OPCODE) = opcode;
}
TTK_INLINE void ttk_engine_2(uint32_t opcode, uint32_t a, uint32_t b)
{
    ttk_engine_arg(1, a);
    ttk_engine_arg(2, b);
    ttk_engine(opcode);
}
TTK_INLINE void ttk_engine_3(uint32_t opcode, uint32_t a, uint32_t b, uint32_t c)
{
    ttk_engine_arg(3, c);
    ttk_engine_2(opcode, a, b);
}

// --- fidelity: how many passes a multiplication takes ----------------------------------
#ifndef MATH_FIDELITY
#define MATH_FIDELITY 4
#endif
static uint32_t ttk_fidelity __attribute__((unused)) = MATH_FIDELITY;
TTK_INLINE void ttk_set_fidelity(uint32_t phases)
{
    ttk_fidelity = phases;
}

// --- circular buffers ------------------------------------------------------------------
// Reports have a column for each of the two waits, from sums with these names.
TTK_INLINE void cb_wait_front(uint32_t cb, uint32_t pages)
{
    (void)cb, (void)pages;
#ifdef TTK_TRISC0
    DeviceZoneScopedSumN1("CB-COMPUTE-WAIT-FRONT");
    ttk_cb_wait_filled(cb, TTK_CB(cb)->tally, pages);
#endif
}
TTK_INLINE void cb_reserve_back(uint32_t cb, uint32_t pages)
{
    (void)cb, (void)pages;
#ifdef TTK_TRISC2
    DeviceZoneScopedSumN2("CB-COMPUTE-RESERVE-BACK");
    ttk_cb_wait_free(cb, TTK_CB(cb)->tally, pages);
#endif
}
TTK_INLINE void cb_pop_front(uint32_t cb, uint32_t pages)
{
    (void)cb, (void)pages;
#ifdef TTK_TRISC0
    struct ttk_cb *c = TTK_CB(cb);
    ttk_engine_2(TT_UNPACK_POP, cb, pages);
    c->tally = (uint16_t)(c->tally + pages);
    c->read = ttk_cb_next(cb, c->read, pages);
#endif
}
TTK_INLINE void cb_push_back(uint32_t cb, uint32_t pages)
{
    (void)cb, (void)pages;
#ifdef TTK_TRISC2
    struct ttk_cb *c = TTK_CB(cb);
    ttk_engine_2(TT_PACK_PUSH, cb, pages);
    c->tally = (uint16_t)(c->tally + pages);
    c->packed = 0;
    c->write = ttk_cb_next(cb, c->write, pages);
#endif
}

// --- unpack ----------------------------------------------------------------------------
TTK_INLINE uint32_t ttk_tile_address(uint32_t cb, uint32_t tile)
{
    return (TTK_CB(cb)->read + tile * TTK_CB(cb)->page) << TTK_CB_SHIFT;
}
TTK_INLINE void ttk_unpack(uint32_t opcode, uint32_t cb, uint32_t tile)
{
    (void)opcode, (void)cb, (void)tile;
    UNPACK(ttk_engine_2(opcode, ttk_tile_address(cb, tile), TTK_CB(cb)->format);)
}
TTK_INLINE void ttk_unpack_both(uint32_t cb_a, uint32_t cb_b, uint32_t tile_a,
                                uint32_t tile_b)
{
    (void)cb_a, (void)cb_b, (void)tile_a, (void)tile_b;
#ifdef TTK_TRISC0
    ttk_engine_arg(3, ttk_tile_address(cb_b, tile_b));
    ttk_engine_arg(4, TTK_CB(cb_b)->format);
    ttk_engine_2(TT_UNPACK_AB, ttk_tile_address(cb_a, tile_a), TTK_CB(cb_a)->format);
#endif
}

// --- Dst: math works on one half while pack empties the other --------------------------
TTK_INLINE void tile_regs_acquire(void)
{
    MATH(ttk_engine(TT_MATH_ACQUIRE);)
}
TTK_INLINE void tile_regs_commit(void)
{
    MATH(ttk_engine(TT_MATH_COMMIT);)
}
TTK_INLINE void tile_regs_wait(void)
{
    PACK(ttk_engine(TT_PACK_WAIT);)
}
TTK_INLINE void tile_regs_release(void)
{
    PACK(ttk_engine(TT_PACK_RELEASE);)
}
// The older pair of calls for the four above.
TTK_INLINE void acquire_dst(void)
{
    tile_regs_acquire();
    tile_regs_wait();
}
TTK_INLINE void release_dst(void)
{
    tile_regs_commit();
    tile_regs_release();
}
// Dst holds 16 tiles of bf16 or, with `on`, 8 of fp32.
TTK_INLINE void ttk_set_dst_fp32(bool on)
{
    (void)on;
    MATH(ttk_engine_arg(1, on); ttk_engine(TT_MATH_FORMAT);)
}

// --- math on operands ------------------------------------------------------------------
TTK_INLINE void ttk_math(uint32_t opcode, uint32_t dst, uint32_t phases, uint32_t how)
{
    (void)opcode, (void)dst, (void)phases, (void)how;
    MATH(ttk_engine_3(opcode, dst, phases, how);)
}
TTK_INLINE void ttk_binary(uint32_t opcode, uint32_t cb_a, uint32_t cb_b, uint32_t tile_a,
                           uint32_t tile_b, uint32_t dst, uint32_t broadcast)
{
    ttk_unpack_both(cb_a, cb_b, tile_a, tile_b);
    ttk_math(opcode, dst, ttk_fidelity, broadcast);
}

// add_tiles, add_tiles_bcast_rows, ... : Dst[dst] = tile a of cb_a (op) tile b of cb_b
#define TTK_BINARY(name, opcode, broadcast)                                                \
    TTK_INLINE void name(uint32_t cb_a, uint32_t cb_b, uint32_t tile_a, uint32_t tile_b,   \
                         uint32_t dst)                                                     \
    {                                                                                      \
        ttk_binary(opcode, cb_a, cb_b, tile_a, tile_b, dst, broadcast);                    \
    }
TTK_BINARY(add_tiles, TT_MATH_ADD, TT_BROADCAST_NONE)
TTK_BINARY(sub_tiles, TT_MATH_SUB, TT_BROADCAST_NONE)
TTK_BINARY(mul_tiles, TT_MATH_MUL, TT_BROADCAST_NONE)
TTK_BINARY(add_tiles_bcast_rows, TT_MATH_ADD, TT_BROADCAST_ROW)
TTK_BINARY(sub_tiles_bcast_rows, TT_MATH_SUB, TT_BROADCAST_ROW)
TTK_BINARY(mul_tiles_bcast_rows, TT_MATH_MUL, TT_BROADCAST_ROW)
TTK_BINARY(add_tiles_bcast_cols, TT_MATH_ADD, TT_BROADCAST_COLUMN)
TTK_BINARY(sub_tiles_bcast_cols, TT_MATH_SUB, TT_BROADCAST_COLUMN)
TTK_BINARY(mul_tiles_bcast_cols, TT_MATH_MUL, TT_BROADCAST_COLUMN)
TTK_BINARY(add_tiles_bcast_scalar, TT_MATH_ADD, TT_BROADCAST_SCALAR)
TTK_BINARY(sub_tiles_bcast_scalar, TT_MATH_SUB, TT_BROADCAST_SCALAR)
TTK_BINARY(mul_tiles_bcast_scalar, TT_MATH_MUL, TT_BROADCAST_SCALAR)

TTK_INLINE void copy_tile(uint32_t cb, uint32_t tile, uint32_t dst)
{
    ttk_unpack(TT_UNPACK_A, cb, tile);
    ttk_math(TT_MATH_COPY, dst, 1, 0);
}
TTK_INLINE void transpose_wh_tile(uint32_t cb, uint32_t tile, uint32_t dst)
{
    ttk_unpack(TT_UNPACK_A_TRANSPOSED, cb, tile);
    ttk_math(TT_MATH_COPY, dst, 1, 0);
}
// Dst[dst] += tile a x tile b
TTK_INLINE void ttk_matmul_tiles(uint32_t cb_a, uint32_t cb_b, uint32_t tile_a,
                                 uint32_t tile_b, uint32_t dst)
{
    ttk_unpack_both(cb_a, cb_b, tile_a, tile_b);
    ttk_math(TT_MATH_MATMUL, dst, ttk_fidelity, 0);
}
// Dst[dst + i * columns + j] += tile i of a x tile j of b, for `rows` tiles of a, `step`
// apart, and `columns` tiles of b in sequence. Goes through the rows to and fro, so that
// from one product to the next one of the two sources stays and only the other is unpacked.
TTK_INLINE void ttk_matmul_block(uint32_t cb_a, uint32_t cb_b, uint32_t tile_a,
                                 uint32_t tile_b, uint32_t dst, bool is_transposed,
                                 uint32_t columns, uint32_t rows, uint32_t step)
{
    (void)cb_a, (void)cb_b, (void)tile_a, (void)tile_b, (void)dst, (void)is_transposed;
    (void)columns, (void)rows, (void)step;
#ifdef TTK_TRISC0
    uint32_t a = ttk_tile_address(cb_a, tile_a), b = ttk_tile_address(cb_b, tile_b);
    uint32_t step_a = step * get_tile_size(cb_a), step_b = get_tile_size(cb_b);
    uint32_t next_b = is_transposed ? TT_UNPACK_B_TRANSPOSED : TT_UNPACK_B;
    ttk_engine_arg(3, b);
    ttk_engine_arg(4, TTK_CB(cb_b)->format);
    ttk_engine_2(is_transposed ? TT_UNPACK_AB_TRANSPOSED : TT_UNPACK_AB, a,
                 TTK_CB(cb_a)->format);
    for (uint32_t i = 0;;) {
        for (uint32_t j = 1; j < columns; j++) {
            b += step_b;
            ttk_engine_arg(3, b);
            ttk_engine(next_b);
        }
        if (++i == rows)
            break;
        step_b = -step_b;
        a += step_a;
        ttk_engine_arg(1, a);
        ttk_engine(TT_UNPACK_A);
    }
#endif
#ifdef TTK_TRISC1
    uint32_t next = 1;
    ttk_engine_arg(2, ttk_fidelity);
    for (uint32_t i = 0;;) {
        ttk_engine_arg(3, TT_KEEP_A);
        for (uint32_t j = 1; j < columns; j++) {
            ttk_engine_arg(1, dst);
            ttk_engine(TT_MATH_MATMUL);
            dst += next;
        }
        ++i;
        ttk_engine_arg(1, dst);
        ttk_engine_arg(3, i < rows ? TT_KEEP_B : 0);
        ttk_engine(TT_MATH_MATMUL);
        if (i == rows)
            break;
        next = -next;
        dst += columns;
    }
#endif
}

// --- reductions: Dst[dst] += tile a reduced, times element 0, 0 of the scaler's tile ---
TTK_INLINE void ttk_reduce_tile(uint32_t pool, uint32_t dimension, uint32_t cb,
                                uint32_t scaler, uint32_t tile, uint32_t scaler_tile,
                                uint32_t dst)
{
    ttk_unpack_both(cb, scaler, tile, scaler_tile);
    ttk_math(dimension, dst, ttk_fidelity, pool);
}

// --- pack ------------------------------------------------------------------------------
TTK_INLINE void ttk_pack_at(uint32_t dst, uint32_t cb, uint32_t tile, uint32_t accumulate)
{
    (void)dst, (void)cb, (void)tile, (void)accumulate;
#ifdef TTK_TRISC2
    const struct ttk_cb *c = TTK_CB(cb);
    ttk_engine_arg(4, accumulate);
    ttk_engine_3(TT_PACK_TILE, dst, (c->write + tile * c->page) << TTK_CB_SHIFT, c->format);
#endif
}
// Packs after the last tile packed since the last push.
TTK_INLINE void ttk_pack_next(uint32_t dst, uint32_t cb)
{
    (void)dst, (void)cb;
    PACK(ttk_pack_at(dst, cb, TTK_CB(cb)->packed++, 0);)
}

#ifdef __cplusplus
enum PoolType { SUM = 0, AVG = 0, MAX = 1 };
enum ReduceDim {
    REDUCE_ROW = TT_MATH_REDUCE_ROW,
    REDUCE_COL = TT_MATH_REDUCE_COLUMN,
    REDUCE_SCALAR = TT_MATH_REDUCE_SCALAR
};
#ifndef REDUCE_OP
#define REDUCE_OP PoolType::SUM
#endif
#ifndef REDUCE_DIM
#define REDUCE_DIM ReduceDim::REDUCE_ROW
#endif
template <PoolType pool = REDUCE_OP, ReduceDim dimension = REDUCE_DIM>
TTK_INLINE void reduce_tile(uint32_t cb, uint32_t scaler, uint32_t tile,
                            uint32_t scaler_tile, uint32_t dst)
{
    ttk_reduce_tile(pool, dimension, cb, scaler, tile, scaler_tile, dst);
}
TTK_INLINE void matmul_tiles(uint32_t cb_a, uint32_t cb_b, uint32_t tile_a, uint32_t tile_b,
                             uint32_t dst, uint32_t = 0)
{
    ttk_matmul_tiles(cb_a, cb_b, tile_a, tile_b, dst);
}
TTK_INLINE void matmul_block(uint32_t cb_a, uint32_t cb_b, uint32_t tile_a, uint32_t tile_b,
                             uint32_t dst, uint32_t transpose, uint32_t ct_dim,
                             uint32_t rt_dim, uint32_t kt_dim)
{
    ttk_matmul_block(cb_a, cb_b, tile_a, tile_b, dst, transpose != 0, ct_dim, rt_dim,
                     kt_dim);
}
TTK_INLINE void pack_tile(uint32_t dst, uint32_t cb)
{
    ttk_pack_next(dst, cb);
}
template <bool out_of_order = false>
TTK_INLINE void pack_tile(uint32_t dst, uint32_t cb, uint32_t tile)
{
    ttk_pack_at(dst, cb, tile, 0);
}
#else
enum { SUM = 0, AVG = 0, MAX = 1 };
enum {
    REDUCE_ROW = TT_MATH_REDUCE_ROW,
    REDUCE_COL = TT_MATH_REDUCE_COLUMN,
    REDUCE_SCALAR = TT_MATH_REDUCE_SCALAR
};
#ifndef REDUCE_OP
#define REDUCE_OP SUM
#endif
#ifndef REDUCE_DIM
#define REDUCE_DIM REDUCE_ROW
#endif
#define reduce_tile(cb, scaler, tile, scaler_tile, dst)                                    \
    ttk_reduce_tile(REDUCE_OP, REDUCE_DIM, cb, scaler, tile, scaler_tile, dst)
TTK_INLINE void matmul_tiles(uint32_t cb_a, uint32_t cb_b, uint32_t tile_a, uint32_t tile_b,
                             uint32_t dst)
{
    ttk_matmul_tiles(cb_a, cb_b, tile_a, tile_b, dst);
}
TTK_INLINE void matmul_block(uint32_t cb_a, uint32_t cb_b, uint32_t tile_a, uint32_t tile_b,
                             uint32_t dst, uint32_t transpose, uint32_t ct_dim,
                             uint32_t rt_dim, uint32_t kt_dim)
{
    ttk_matmul_block(cb_a, cb_b, tile_a, tile_b, dst, transpose != 0, ct_dim, rt_dim,
                     kt_dim);
}
TTK_INLINE void pack_tile(uint32_t dst, uint32_t cb)
{
    ttk_pack_next(dst, cb);
}
#endif

// --- calls that need no set-up here: they accept any arguments -------------------------
#ifdef __cplusplus
#define TTK_NOTHING(name)                                                                  \
    template <auto... how, typename... T> TTK_INLINE void name(T...) {}
#elif defined __clang__ // it warns of arguments where it sees a body without parameters
TTK_INLINE void ttk_nothing() {}
#define TTK_NOTHING(name) static void (*const name)() __attribute__((unused)) = ttk_nothing;
#else
#define TTK_NOTHING(name)                                                                  \
    TTK_INLINE void name() {}
#endif
TTK_NOTHING(compute_kernel_hw_startup)
TTK_NOTHING(mm_init)
TTK_NOTHING(mm_init_short)
TTK_NOTHING(mm_block_init)
TTK_NOTHING(mm_block_init_short)
TTK_NOTHING(binary_op_init_common)
TTK_NOTHING(binary_op_specific_init)
TTK_NOTHING(unary_op_init_common)
TTK_NOTHING(init_sfpu)
TTK_NOTHING(init_bcast)
TTK_NOTHING(add_tiles_init)
TTK_NOTHING(sub_tiles_init)
TTK_NOTHING(mul_tiles_init)
TTK_NOTHING(add_bcast_rows_init_short)
TTK_NOTHING(sub_bcast_rows_init_short)
TTK_NOTHING(mul_bcast_rows_init_short)
TTK_NOTHING(add_bcast_cols_init_short)
TTK_NOTHING(sub_bcast_cols_init_short)
TTK_NOTHING(mul_bcast_cols_init_short)
TTK_NOTHING(add_bcast_scalar_init_short)
TTK_NOTHING(sub_bcast_scalar_init_short)
TTK_NOTHING(mul_bcast_scalar_init_short)
TTK_NOTHING(add_tiles_bcast_rows_init)
TTK_NOTHING(sub_tiles_bcast_rows_init)
TTK_NOTHING(mul_tiles_bcast_rows_init)
TTK_NOTHING(add_tiles_bcast_cols_init)
TTK_NOTHING(sub_tiles_bcast_cols_init)
TTK_NOTHING(mul_tiles_bcast_cols_init)
TTK_NOTHING(add_tiles_bcast_scalar_init)
TTK_NOTHING(sub_tiles_bcast_scalar_init)
TTK_NOTHING(mul_tiles_bcast_scalar_init)
TTK_NOTHING(copy_tile_init)
TTK_NOTHING(copy_tile_to_dst_init_short)
TTK_NOTHING(transpose_wh_init)
TTK_NOTHING(transpose_wh_init_short)
TTK_NOTHING(reduce_init)
TTK_NOTHING(reduce_init_delta)
TTK_NOTHING(reduce_uninit)
TTK_NOTHING(reduce_revert_delta)
TTK_NOTHING(reconfig_data_format)
TTK_NOTHING(reconfig_data_format_srca)
TTK_NOTHING(reconfig_data_format_srcb)
TTK_NOTHING(unpack_reconfig_data_format)
TTK_NOTHING(pack_reconfig_data_format)

#endif
