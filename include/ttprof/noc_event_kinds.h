// noc_event_kinds.h - kinds of NoC events and how one is packed into the 64 bits of a
// TS_DATA marker with the id TT_ID_NOC_EVENT.
//
// Byte 0 is the kind. Local events (1..32) carry in bytes 1..7:
//     dst_x, dst_y, mcast_end_x, mcast_end_y   signed bytes; dst -1, -1: none
//     byte 5   bits 3..0 NoC (0 none, 1 NOC_0, 2 NOC_1), bits 7..4 VC (signed, -1 none)
//     byte 6   32-byte chunks of the payload, rounded up, 255 at most
//     byte 7   bit 0: posted
// Fabric events (33..38) carry the same bytes 1..4, and in byte 5 bits 3..0 the NoC at the
// destination, bits 7..4 the routing. Scatter (39): dst_x, dst_y, a byte unused, chunk size
// (signed 16 bits at byte 4), number of chunks (byte 6), NoC and routing (byte 7). Routing
// 1D (40): 32 bits from byte 1. Routing 2D (41): hops north/south, east, west, is multicast
// at bytes 1..4.
//
// With NoC debugging the marker is a TS_DATA_16B; its second 64 bits are the trailer:
//     21..0 dst / 4, 25..22 dst offset, 47..26 src / 4, 51..48 src offset, 63..52 counter
#ifndef TTPROF_NOC_EVENT_KINDS_H
#define TTPROF_NOC_EVENT_KINDS_H

#include <stdint.h>

// X(number, NAME, is recorded only with NoC debugging)
#define TT_NOC_EVENT_KINDS(X)                                                              \
    X(1, READ, 0)                                                                          \
    X(2, READ_SET_STATE, 0)                                                                \
    X(3, READ_SET_TRID, 0)                                                                 \
    X(4, READ_WITH_STATE, 0)                                                               \
    X(5, READ_WITH_STATE_AND_TRID, 0)                                                      \
    X(6, READ_BARRIER_START, 1)                                                            \
    X(7, READ_BARRIER_END, 1)                                                              \
    X(8, READ_BARRIER_WITH_TRID, 1)                                                        \
    X(9, READ_DRAM_SHARDED_SET_STATE, 0)                                                   \
    X(10, READ_DRAM_SHARDED_WITH_STATE, 0)                                                 \
    X(11, WRITE_, 0)                                                                       \
    X(12, WRITE_SET_TRID, 0)                                                               \
    X(13, WRITE_WITH_TRID, 0)                                                              \
    X(14, WRITE_INLINE, 1)                                                                 \
    X(15, WRITE_MULTICAST, 0)                                                              \
    X(16, WRITE_SET_STATE, 0)                                                              \
    X(17, WRITE_WITH_STATE, 0)                                                             \
    X(18, WRITE_WITH_TRID_SET_STATE, 0)                                                    \
    X(19, WRITE_WITH_TRID_WITH_STATE, 0)                                                   \
    X(20, WRITE_BARRIER_START, 1)                                                          \
    X(21, WRITE_BARRIER_END, 1)                                                            \
    X(22, WRITE_BARRIER_WITH_TRID, 1)                                                      \
    X(23, WRITE_FLUSH, 1)                                                                  \
    X(24, WRITE_FLUSH_WITH_TRID, 1)                                                        \
    X(25, FULL_BARRIER, 1)                                                                 \
    X(26, ATOMIC_BARRIER, 1)                                                               \
    X(27, SEMAPHORE_INC, 1)                                                                \
    X(28, SEMAPHORE_WAIT, 1)                                                               \
    X(29, SEMAPHORE_SET, 1)                                                                \
    X(30, SEMAPHORE_SET_REMOTE, 0)                                                         \
    X(31, SEMAPHORE_SET_MULTICAST, 0)                                                      \
    X(32, SEMAPHORE_INC_MULTICAST, 1)                                                      \
    X(33, FABRIC_UNICAST_WRITE, 0)                                                         \
    X(34, FABRIC_UNICAST_INLINE_WRITE, 0)                                                  \
    X(35, FABRIC_UNICAST_ATOMIC_INC, 0)                                                    \
    X(36, FABRIC_FUSED_UNICAST_ATOMIC_INC, 0)                                              \
    X(37, FABRIC_MULTICAST_WRITE, 0)                                                       \
    X(38, FABRIC_MULTICAST_ATOMIC_INC, 0)                                                  \
    X(39, FABRIC_UNICAST_SCATTER_WRITE, 0)                                                 \
    X(40, FABRIC_ROUTING_FIELDS_1D, 0)                                                     \
    X(41, FABRIC_ROUTING_FIELDS_2D, 0)

// clang-format off
enum tt_noc_event {
    TT_NOC_EVENT_UNDEF,
#define TT_NOC_EVENT_NUMBER(number, name, is_debug) TT_NOC_EVENT_##name = (number),
    TT_NOC_EVENT_KINDS(TT_NOC_EVENT_NUMBER)
#undef TT_NOC_EVENT_NUMBER
    TT_NOC_EVENT_UNSUPPORTED,
    TT_NOC_EVENT_LOCAL_LAST = TT_NOC_EVENT_SEMAPHORE_INC_MULTICAST,
};
// clang-format on

enum { // how a fabric packet finds its way
    TT_ROUTING_REGULAR,
    TT_ROUTING_LOW_LATENCY,
    TT_ROUTING_LOW_LATENCY_MESH,
    TT_ROUTING_DYNAMIC_MESH,
};

enum {
    TT_NOC_CHUNK_BYTES = 32,
    TT_NOC_CHUNKS_MOST = 255,
};

// Data word and trailer as 32-bit halves, so that devices need no 64-bit arithmetic. `noc`
// is 0 or 1; `vc` is -1 for none.
static inline uint32_t tt_noc_event_low(int kind, int x, int y, int end_x)
{
    return (uint32_t)(uint8_t)kind | (uint32_t)(uint8_t)x << 8 |
           (uint32_t)(uint8_t)y << 16 | (uint32_t)(uint8_t)end_x << 24;
}
static inline uint32_t tt_noc_event_high(int end_y, int noc, int vc, uint32_t bytes,
                                         int is_posted)
{
    uint32_t chunks = bytes > (uint32_t)TT_NOC_CHUNK_BYTES * TT_NOC_CHUNKS_MOST
                          ? (uint32_t)TT_NOC_CHUNKS_MOST
                          : (bytes + TT_NOC_CHUNK_BYTES - 1) / TT_NOC_CHUNK_BYTES;
    return (uint32_t)(uint8_t)end_y | (uint32_t)(noc + 1) << 8 | (uint32_t)(vc & 15) << 12 |
           chunks << 16 | (uint32_t)(is_posted != 0) << 24;
}
static inline uint32_t tt_noc_trailer_low(uint32_t dst, uint32_t src)
{
    return (dst >> 2 & 0x3FFFFFu) | (dst & 3u) << 22 | (src >> 2) << 26;
}
static inline uint32_t tt_noc_trailer_high(uint32_t src, uint32_t counter)
{
    return (src >> 8 & 0xFFFFu) | (src & 3u) << 16 | counter << 20;
}

#endif
