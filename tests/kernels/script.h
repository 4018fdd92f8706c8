// script.h - steps of a script that the host writes into L1 for one RISC: for the kernel
// that takes them and the test that makes them up (tests/prop/prop_sim.c).
#ifndef TTP_TESTS_SCRIPT_H
#define TTP_TESTS_SCRIPT_H

#include <stdint.h>

struct script_step {
    uint32_t op, a, b, c, d, e, f, g;
};

// Where things lie in L1, from the first byte for buffers on.
enum {
    SCRIPT_SHARED = 0x1000, // words that all RISCs of the core read, write and poll
    SCRIPT_STEPS = 0x2000,  // per RISC
    SCRIPT_STEPS_BYTES = 0x1000,
    SCRIPT_LOG = 0x8000, // per RISC: what it saw
    SCRIPT_LOG_BYTES = 0x800,
    SCRIPT_DATA = 0xC000, // for transfers
    SCRIPT_DATA_BYTES = 0x10000,
};

enum script_op {
    STEP_END,
    // any RISC
    STEP_DELAY,      // a rounds that touch nothing
    STEP_CLOCK,      // logs the wall clock
    STEP_CLOCK_WAIT, // until a cycles have passed
    STEP_LOAD,       // logs word a
    STEP_LOAD_REG,   // logs register a
    STEP_STORE,      // word a = b
    STEP_STORE_BYTE, // byte a = b
    STEP_STORES,     // b words from a on: c, c + 1, ...
    STEP_ADD,        // word a += b
    STEP_LOCAL,      // a rounds in local RAM, with calls
    STEP_DIVIDE,     // logs quotients
    STEP_WAIT,       // while word a == b
    STEP_WAIT_LEAST, // while word a < b
    STEP_WAIT_BYTE,  // while byte a == b
    STEP_WAIT_TWO,   // while word a == b and word c == d
    STEP_WAIT_CALLS, // while word a == b, looked at in a function
    STEP_WAIT_REG,   // while register a == b
    STEP_COUNT_WAIT, // while word a == b, at most c rounds; logs the rounds left
    STEP_STREAM,     // adds b to register a
    STEP_STORE_REG,  // register a = b
    STEP_ILLEGAL,
    STEP_UNMAPPED,
    STEP_MISALIGNED,
    STEP_BREAK,
    // data movement
    STEP_NOC_READ,   // NoC address b:a to c, d bytes
    STEP_NOC_WRITE,  // c to b:a, d bytes
    STEP_NOC_POSTED, // the same
    STEP_DRAM_READ,  // bank a, address b to c, d bytes
    STEP_DRAM_WRITE, // c to bank a, address b, d bytes
    STEP_MULTICAST,  // c to b:a, d bytes, e cores
    STEP_ATOMIC,     // b:a += c
    STEP_ATOMIC_POSTED,
    STEP_INLINE, // b:a = c
    STEP_READ_BARRIER,
    STEP_WRITE_BARRIER,
    STEP_FLUSHED,
    STEP_ATOMIC_BARRIER,
    STEP_FULL_BARRIER,
    STEP_PUSH, // b pages to buffer a, which are waited for
    STEP_POP,
    // compute: the three RISCs of the engine together
    STEP_COPY, // a tiles from buffer 0 to buffer 1
    STEP_BINARY,
    STEP_MATMUL,
    STEP_ENGINE_IDLE, // until the RISC's queue is empty
    STEP_ENGINE,      // opcode a with arguments b, c, d
    // Ethernet
    STEP_SEND, // c to the other end's a, d bytes
    STEP_SEND_BARRIER,
    STEP_RECEIVE, // until a messages have come
    STEP_OPS,
};

#endif
