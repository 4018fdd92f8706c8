// profiler_words.h - the words shared by the profiler's device side and its host side:
// markers, the L1 vector of a RISC, the control vector of a core.
//
// tt-metal's layout "v2", so that dumps of real chips decode with the same code. Our own
// words are in slots that tt-metal reserves for RISCs 5..23. Valid in C11 and C++17, for
// devices and hosts.
#ifndef TTPROF_PROFILER_WORDS_H
#define TTPROF_PROFILER_WORDS_H

#include <stdint.h>

// --- markers ---------------------------------------------------------------------------
// H: bit 31 set | packet type (3 bits) | static id (16 bits) | time 43..32 (12 bits).
// L: time 31..0.
enum {
    TT_PACKET_ZONE_START,
    TT_PACKET_ZONE_END,
    TT_PACKET_ZONE_TOTAL,  // no time; L = accumulated cycles
    TT_PACKET_TS_DATA,     // two words follow: data 63..32, data 31..0
    TT_PACKET_TS_EVENT,    // the static id is the user's number
    TT_PACKET_TS_DATA_16B, // four words follow: data, trailer
    TT_PACKETS,
};
#define TT_MARKER_VALID 0x80000000u
#define TT_MARKER_HEADER(type, id)                                                         \
    (TT_MARKER_VALID | (uint32_t)(type) << 28 | (uint32_t)(id) << 12)
#define TT_MARKER_TYPE(high)      ((high) >> 28 & 7u)
#define TT_MARKER_ID(high)        ((high) >> 12 & 0xFFFFu)
#define TT_MARKER_TIME(high, low) ((uint64_t)((high)&0xFFFu) << 32 | (low))
#define TT_MARKER_TIME_BITS       44

enum { // static ids with a meaning of their own, on packet types TS_DATA and TS_DATA_16B
    TT_ID_PERF_COUNTER = 9090,
    TT_ID_NOC_EVENT = 12345,
    TT_ID_NOC_LOCK = 23456,
    TT_ID_OVERFLOW = 65535, // for locations when all ids are taken
};

// --- the L1 vector of one RISC, and every chunk made from it ---------------------------
enum {
    TT_CHUNK_ID_HH,       // 0; TT_MARKER_VALID: the content is not valid (trace-only)
    TT_CHUNK_ID_HL,       // 0
    TT_CHUNK_ID_LH,       // RISC 4..0, flat id 12..5, trace counter 28..13
    TT_CHUNK_ID_LL,       // the program's number
    TT_CHUNK_GUARANTEED,  // main start, main end, child start, child end
    TT_CHUNK_CUSTOM = 12, // where optional markers start
    TT_CHUNK_WORDS = 512,
    TT_PROFILER_BUFFER_BYTES = 4 * TT_CHUNK_WORDS,
    TT_IDENTITY_FLAT_SHIFT = 5,
    TT_IDENTITY_TRACE_SHIFT = 13,
};

// --- the control vector ----------------------------------------------------------------
#define TT_PROFILER_MAGIC 0x31505454u // "TTP1"
enum {                                // word numbers
    TT_CONTROL_HOST_END = 0,          // 5: words in this RISC's DRAM region
    TT_CONTROL_MAGIC = 5,
    TT_CONTROL_FLAGS = 6,
    TT_CONTROL_L1_DROPPED = 7,    // 5: markers not recorded for lack of L1
    TT_CONTROL_DRAM_DROPPED = 12, // 5: recorded markers that were not sent
    TT_CONTROL_FIRST_DROP_L = 17, // 5
    TT_CONTROL_FLUSH_COUNT = 22,
    TT_CONTROL_REGION_BYTES = 23,
    TT_CONTROL_DEVICE_END = 24,   // 5: words valid in the L1 vector
    TT_CONTROL_FIRST_DROP_H = 29, // 5
    TT_CONTROL_FLUSH_CYCLES_L = 34,
    TT_CONTROL_FLUSH_CYCLES_H = 35,
    TT_CONTROL_FLUSH_MAX = 36,
    TT_CONTROL_LAST_FLUSH = 37, // start L, H, end L, H
    TT_CONTROL_BAD_EVENTS = 41, // 5: events whose number does not fit 16 bits
    TT_CONTROL_DRAM_ADDRESS_T2 = 47,
    TT_CONTROL_FW_RESET_H = 48, // sync: number of the sample taken
    TT_CONTROL_FW_RESET_L = 49, // sync: the host's word
    TT_CONTROL_DRAM_ADDRESS = 50,
    TT_CONTROL_RUN_COUNTER = 51,
    TT_CONTROL_NOC_X = 52,
    TT_CONTROL_NOC_Y = 53,
    TT_CONTROL_FLAT_ID = 54,
    TT_CONTROL_CORES_PER_BANK = 55,
    TT_CONTROL_DROPPED = 56, // bit per RISC
    TT_CONTROL_PROFILER_DONE = 57,
    TT_CONTROL_TRACE_STATUS = 58,
    TT_CONTROL_DISPATCH_CORE = 59,
    TT_CONTROL_DRAM_ADDRESSES = 60, // 4: BRISC/ERISC, NCRISC, TRISC0, TRISC1
    TT_CONTROL_WORDS = 64,
};
// Where the DRAM address of one RISC is stored (stall mode).
#define TT_CONTROL_DRAM_ADDRESS_OF(risc)                                                   \
    ((risc) == 4 ? (int)TT_CONTROL_DRAM_ADDRESS_T2                                         \
                 : (int)TT_CONTROL_DRAM_ADDRESSES + (int)(risc))
#define TT_STALLED_DRAM 0xFFFFFFFFu // in that word: the DRAM region is full
#define TT_STALLED_L1   0xFFFFFFFEu // a TRISC's L1 vector is full

enum {                 // bits of TT_CONTROL_FLAGS
    TT_FLAG_LEVEL = 3, // mask: 0 off, 1 coarse, 2 all
    TT_FLAG_STALL = 1 << 2,
    TT_FLAG_SUM = 1 << 3,
    TT_FLAG_NOC_EVENTS = 1 << 4,
    TT_FLAG_TRACE_ONLY = 1 << 5,
    TT_FLAG_ACCUMULATE = 1 << 6,
    TT_FLAG_FLUSH_ZONES = 1 << 7,
    TT_FLAG_RISC_SHIFT = 8,     // 8 bits: mask of RISCs, 0 = all
    TT_FLAG_COUNTER_SHIFT = 16, // 9 bits: groups of performance counters
    TT_FLAG_NOC_DEBUG = 1 << 25,
    TT_FLAG_DISPATCH = 1 << 26, // dispatch kernels record too
};
enum { TT_LEVEL_OFF, TT_LEVEL_COARSE, TT_LEVEL_ALL };
enum { // TT_CONTROL_TRACE_STATUS
    TT_TRACE_ARMED = (int)0x80000000u,
    TT_TRACE_IN_MAIN = 0x40000000,
    TT_TRACE_IN_CHILD = 0x20000000,
};

#endif
