// costs.h - the cycle table: every figure of the model by name, per chip. A cost file
// (`name = value` lines, `costs=FILE`) overrides any of them.
//
// Sources: D documented by the vendor, M measured on silicon and published, P assumed (no
// published figure).
#ifndef TTP_SIM_TILE_COSTS_H
#define TTP_SIM_TILE_COSTS_H

#include <stdint.h>

// clang-format off
#define SIM_COSTS(X)                                                                       \
    /* name                  WH    BH   source and meaning */                              \
    X(alu,                    1,    1, "D: ALU, lui, auipc, fence (WH), nop")              \
    X(mul,                    2,    1, "D: issue slots of a multiplication")               \
    X(mul_result,             2,    2, "D: cycles until a product can be used")            \
    X(div_trivial,            2,    2, "D: divisor 0 or 1, or INT_MIN / -1")               \
    X(div_least,              6,    6, "D range")                                          \
    X(div_most,              33,   33, "D range")                                          \
    X(branch_missed,          3,    5, "D: a branch predicted wrongly")                    \
    X(jump_indirect,          3,    3, "P: jalr that no call predicts")                    \
    X(load_local,             2,    2, "D: load-use latency of local RAM")                 \
    X(load_mailbox,           3,    3, "D: nothing that is modelled uses it")              \
    X(load_engine,            4,    4, "D: the engine window")                             \
    X(load_register,          7,    7, "D: NIU, streams, wall clock, debug")               \
    X(load_l1,                8,    8, "D")                                                \
    X(load_l0_hit,            2,    2, "D: Blackhole's L0 cache, with l0=on")              \
    X(atomic_l1,             12,   12, "D: nothing that is modelled uses it")              \
    X(loads_in_flight,        4,    8, "D: loads outside local RAM")                       \
    X(store_l1_period,        5,    5, "D: cycles per L1 store when sustained")            \
    X(store_buffer,           4,    4, "P: L1 stores that wait without stalling")          \
    X(clock_sample,           3,    3, "P: wall clock value = issue cycle + this")         \
    X(icache_miss,           10,   10, "P: with icache=on")                                \
    X(niu_accept,             2,    2, "P: command to acceptance")                         \
    X(noc_write_base,        40,   40, "M: issue to first data, no hop")                   \
    X(noc_write_hop,         10,   11, "M: per hop")                                       \
    X(noc_read_tile,         70,   65, "M: issue to first data, same tile")                \
    X(noc_read_column,      154,  177, "M: same column")                                   \
    X(noc_read_row,         170,  217, "M: same row")                                      \
    X(noc_read_other,       270,  329, "M: row and column differ")                         \
    X(noc_sent_least,        32,   32, "P: issue to 'sent' in the counters, at least")     \
    X(worker_bytes_10,      281,  609, "M: bytes per 10 cycles a worker injects/absorbs")  \
    X(dram_out_bytes_10,    232,  400, "M: bytes per 10 cycles a DRAM controller injects") \
    X(dram_in_bytes_10,     240,  400, "M: and absorbs")                                   \
    X(dram_channel_bytes_10, 221, 400, "M: bytes per 10 cycles that a channel serves")    \
    X(dram_latency,         120,  160, "P: added to the NoC latency")                      \
    X(pcie_read,            900, 1215, "P: request at the tile to first data, 900 ns")     \
    X(pcie_write,           400,  540, "P: arrival to visible on the host, 400 ns")        \
    X(pcie_out_bytes_10,    140,  159, "M: bytes per 10 cycles from the host")             \
    X(pcie_in_bytes_10,     132,  108, "M: and to the host")                               \
    X(eth_bytes_10,         125,  370, "M: bytes per 10 cycles of a link: 12.5 / 50 GB/s") \
    X(eth_latency_ns,       700,  700, "P")                                                \
    X(eth_credits,            4,    4, "P: messages outstanding per direction")            \
    X(engine_issue,           4,    4, "P: fixed overhead per tile op")                    \
    X(engine_latency,         5,    5, "D: result latency per tile op")                    \
    X(engine_matmul,         16,   16, "D: per fidelity phase")                            \
    X(engine_add,             8,    8, "D: add, sub")                                      \
    X(engine_mul,             8,    8, "D: per fidelity phase")                            \
    X(engine_reduce_row,     16,   16, "D rate, per phase")                                \
    X(engine_reduce_column,  16,   16, "D rate, per phase")                                \
    X(engine_reduce_scalar,  20,   20, "D rate, per phase")                                \
    X(engine_copy,           16,   16, "P: transpose, copy to Dst")                        \
    X(engine_sfpu_simple,   128,  128, "P count: relu, abs, neg, square")                  \
    X(engine_sfpu_root,     320,  320, "P count: sqrt, reciprocal")                        \
    X(engine_sfpu_exp,      384,  384, "P count")                                          \
    X(engine_sfpu_table,    288,  288, "P count: gelu, tanh, sigmoid by table")            \
    X(engine_sfpu_exact,   1100, 1100, "P count: exact gelu")                              \
    X(engine_unpack_bytes,   64,   64, "D: bytes per cycle, one operand")                  \
    X(engine_unpack_both,    80,   80, "D: bytes per cycle, two operands together")        \
    X(engine_pack_bytes,     64,   64, "D: bytes per cycle")
// clang-format on

#define SIM_COST_FIELD(name, wormhole, blackhole, what) uint32_t name;
struct sim_costs {
    SIM_COSTS(SIM_COST_FIELD)
};

#endif
