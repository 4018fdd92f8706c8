// engine_ops.h - opcodes and arguments of the compute engine's window, for kernels and the
// software device. Argument i is written to TT_ENGINE + 4 * i (i = 1..8), the opcode last.
// Arguments stay as they were written until they are written again.
//
// UNPACK_POP and PACK_PUSH step a circular buffer's counter in queue order, that is later
// than the store that enqueues them: a kernel keeps its own count of pops and pushes.
#ifndef TTPROF_ENGINE_OPS_H
#define TTPROF_ENGINE_OPS_H

// Tile formats.
enum {
    TT_FORMAT_FLOAT32 = 0,  // 4096 bytes a tile
    TT_FORMAT_BFLOAT16 = 5, // 2048
    TT_FORMAT_BFP8 = 6,     // 1088: 64 shared exponents, then 1024 mantissa bytes
};

// Unpack queue.
enum {
    TT_UNPACK_A = 1,  // 1 address, 2 format -> SrcA
    TT_UNPACK_AB = 2, // 1 address A, 2 format A, 3 address B, 4 format B -> SrcA, SrcB
    TT_UNPACK_A_TRANSPOSED = 3, // as A, rows and columns exchanged
    TT_UNPACK_POP = 4, // 1 circular buffer, 2 pages: steps `acked` when the unpacks before
                       // it have read their tiles
    TT_UNPACK_AB_TRANSPOSED = 5, // as AB, rows and columns of B exchanged
    TT_UNPACK_B = 6,             // 3 address, 4 format -> SrcB
    TT_UNPACK_B_TRANSPOSED = 7,  // as B, rows and columns exchanged
};
// Math queue; Dst index counts inside the half that was acquired. Sums are kept
// in fp32, in either format of Dst; packing rounds.
enum {
    TT_MATH_ACQUIRE = 16,       // waits for a free half of Dst and clears it
    TT_MATH_COMMIT = 17,        // hands the half to pack
    TT_MATH_MATMUL = 18,        // 1 Dst index, 2 phases, 3 sources to keep: Dst += SrcA x
                                // SrcB
    TT_MATH_ADD = 19,           // 1 Dst index, 3 broadcast: Dst = SrcA + SrcB
    TT_MATH_SUB = 20,           // as ADD
    TT_MATH_MUL = 21,           // 1 Dst index, 2 phases, 3 broadcast
    TT_MATH_COPY = 22,          // 1 Dst index: Dst = SrcA
    TT_MATH_REDUCE_ROW = 23,    // 1 Dst index, 2 phases, 3 pool (0 sum, 1 max): column 0 of
                                // Dst += sums along each row of SrcA times SrcB[0,0]
    TT_MATH_REDUCE_COLUMN = 24, // row 0
    TT_MATH_REDUCE_SCALAR = 25, // element 0, 0
    TT_MATH_SFPU = 26,          // 1 Dst index, 2 function, 3 parameter (fp32 bits)
    TT_MATH_FORMAT = 27,        // 1: Dst is 0 bf16 (16 tiles), 1 fp32 (8 tiles)
};
// Sources that a MATMUL leaves where they are, for the next one.
enum { TT_KEEP_A = 1, TT_KEEP_B = 2 };
// Broadcast of SrcB in ADD, SUB, MUL.
enum {
    TT_BROADCAST_NONE,
    TT_BROADCAST_ROW,    // row 0 to all rows
    TT_BROADCAST_COLUMN, // column 0 to all columns
    TT_BROADCAST_SCALAR, // element 0, 0 to all
};
// Pack queue; Dst index counts inside the half that was committed.
enum {
    TT_PACK_WAIT = 32,    // waits for a committed half
    TT_PACK_RELEASE = 33, // gives it back
    TT_PACK_TILE = 34,    // 1 Dst index, 2 address, 3 format, 4 accumulate (0, 1, 2 atomic)
    TT_PACK_PUSH = 35, // 1 circular buffer, 2 pages: steps `received` when the packs before
                       // it have written their tiles
};
// Functions of the vector unit (SFPU).
enum {
    TT_SFPU_RELU,
    TT_SFPU_ABS,
    TT_SFPU_NEG,
    TT_SFPU_SQUARE,
    TT_SFPU_SQRT,
    TT_SFPU_RECIPROCAL,
    TT_SFPU_EXP,
    TT_SFPU_GELU,
    TT_SFPU_TANH,
    TT_SFPU_SIGMOID,
    TT_SFPU_GELU_EXACT,
    TT_SFPU_RSQRT,
    TT_SFPU_SCALE,  // times the parameter
    TT_SFPU_OFFSET, // plus the parameter
    TT_SFPU_FUNCTIONS,
};

#endif
