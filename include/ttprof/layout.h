// layout.h - the device's memory map: words and addresses shared by firmware, kernels and
// the host. Sources: tt-metal's memory maps for what they define, too; this project's own
// link addresses for the rest.
//
// One table, two columns. Device code is built for one chip (TTK_WORMHOLE or
// TTK_BLACKHOLE) and sees TTL_<name> as constants; the host has both as
// `tt_layouts[arch].<name>`. Valid in C11 and C++17, with no C library. The
// profiler's words stand in profiler_words.h.
#ifndef TTPROF_LAYOUT_H
#define TTPROF_LAYOUT_H

#include <stdint.h>

#include "ttprof/profiler_words.h"

// clang-format off
#define TT_LAYOUT(X)                                                                       \
    /* name                 Wormhole   Blackhole */                                        \
    X(l1_bytes,             1499136,   1572864)                                            \
    X(eth_l1_bytes,         262144,    524288)                                             \
    X(mailbox,              0x00010,   0x00060)                                            \
    X(sync_bytes,           0x00018,   0x00068) /* dm1, trisc0, trisc1, trisc2 */          \
    X(launch_rd_ptr,        0x0001C,   0x0006C)                                            \
    X(launch_ring,          0x00020,   0x00070) /* 8 messages of 144 bytes */              \
    X(go_messages,          0x004A0,   0x004F0) /* 9 words; byte 3 is the signal */        \
    X(go_index,             0x004D0,   0x00520)                                            \
    X(watcher,              0x004E0,   0x00530)                                            \
    X(core_info,            0x00A00,   0x00AD0)                                            \
    X(profiler_control,     0x00B00,   0x00BD0) /* 64 words */                             \
    X(profiler_buffers,     0x00C00,   0x00CD0) /* 5 of 2048 bytes, in RISC order */       \
    X(mailbox_end,          0x03400,   0x034D0)                                            \
    X(fw_brisc,             0x03A00,   0x03AE0)                                            \
    X(fw_ncrisc,            0x05820,   0x05CE0)                                            \
    X(fw_trisc0,            0x06020,   0x066E0)                                            \
    X(fw_trisc1,            0x06620,   0x070E0)                                            \
    X(fw_trisc2,            0x06C20,   0x07AE0)                                            \
    X(fw_brisc_bytes,       7712,      8704)                                               \
    X(fw_ncrisc_bytes,      2048,      2560)                                               \
    X(fw_trisc_bytes,       1536,      2560)                                               \
    X(noc_counters,         0x07220,   0x084E0)                                            \
    X(bank_table,           0x0D0C0,   0x13000) /* 2048 bytes */                           \
    X(kernel_config,        0x10000,   0x14000) /* CB configs, semaphores, arguments */    \
    X(kernel_config_bytes,  0x02000,   0x02000)                                            \
    X(kernel_brisc,         0x12000,   0x16000)                                            \
    X(kernel_ncrisc,        0x18000,   0x1C000)                                            \
    X(kernel_trisc0,        0x1C000,   0x20000)                                            \
    X(kernel_trisc1,        0x20000,   0x24000)                                            \
    X(kernel_trisc2,        0x24000,   0x28000)                                            \
    X(kernel_brisc_bytes,   0x06000,   0x06000)                                            \
    X(kernel_other_bytes,   0x04000,   0x04000)                                            \
    X(buffers,              0x28000,   0x2C000) /* first L1 byte for CBs and buffers */    \
    X(eth_mailbox,          0x3DD50,   0x00100)                                            \
    X(eth_launch_ring,      0x3DD60,   0x00110)                                            \
    X(eth_go_messages,      0x3E1E0,   0x00590)                                            \
    X(eth_core_info,        0x3E410,   0x00908)                                            \
    X(eth_profiler_control, 0x3E510,   0x00A10)                                            \
    X(eth_profiler_buffers, 0x3E610,   0x00B10)                                            \
    X(eth_mailbox_end,      0x3EE10,   0x01B10)                                            \
    X(eth_firmware,         0x09040,   0x08000)                                            \
    X(eth_firmware_bytes,   0x01800,   0x02000)                                            \
    X(eth_kernel,           0x0A840,   0x0A000)                                            \
    X(eth_kernel_bytes,     0x03800,   0x06000)                                            \
    X(eth_kernel_config,    0x0E400,   0x04000)                                            \
    X(eth_buffers,          0x11000,   0x10000)                                            \
    X(local_dm_bytes,       4096,      8192)    /* BRISC, NCRISC, ERISC */                 \
    X(local_trisc_bytes,    2048,      4096)                                               \
    X(local_kernel_data,    0x00400,   0x00800) /* offset of the kernel's data */          \
    X(n_circular_buffers,   32,        64)                                                 \
    X(cb_received_word,     4,         10)                                                 \
    X(cb_acked_word,        3,         8)                                                  \
    X(stream_update_word,   34,        270)     /* adds to the stream's counter */         \
    X(stream_count_word,    64,        297)     /* reads it */                             \
    X(noc_grid_x,           10,        17)                                                 \
    X(noc_grid_y,           12,        12)                                                 \
    X(noc_max_packet,       8192,      16384)                                              \
    X(noc_flit_bytes,       32,        64)                                                 \
    X(noc_buffer_stride,    0x400,     0x800)                                              \
    X(noc_at_data,          0x24,      0x28)                                               \
    X(noc_cmd_ctrl,         0x28,      0x40)                                               \
    X(noc_node_id,          0x2C,      0x44)                                               \
    X(noc_endpoint_id,      0x30,      0x48)                                               \
    X(noc_clear_outstanding, 0x50,     0x60)                                               \
    X(noc_id_logical,       0x14,      0x18)    /* index of the config word */             \
    X(dram_align,           32,        64)                                                 \
    X(dram_profiler_base,   32,        64)                                                 \
    X(dram_profiler_cores,  8,         20)      /* reserved regions per bank / 5 */        \
    X(n_dram_views,         12,        8)
// clang-format on

enum { TT_WORMHOLE, TT_BLACKHOLE, TT_ARCHES };

#if defined(TTK_WORMHOLE) || defined(TTK_BLACKHOLE)
#ifdef TTK_BLACKHOLE
#define TT_LAYOUT_CONSTANT(name, wormhole, blackhole) TTL_##name = blackhole,
#else
#define TT_LAYOUT_CONSTANT(name, wormhole, blackhole) TTL_##name = wormhole,
#endif
enum { TT_LAYOUT(TT_LAYOUT_CONSTANT) TTL_end };
#else
#define TT_LAYOUT_FIELD(name, wormhole, blackhole) uint32_t name;
struct tt_layout {
    TT_LAYOUT(TT_LAYOUT_FIELD)
};
extern const struct tt_layout tt_layouts[TT_ARCHES]; // src/sim/memory/layout.c
#endif

// --- the same on all chips -------------------------------------------------------------
#define TT_LOCAL_RAM       0xFFB00000u
#define TT_TDMA            0xFFB11000u // reads 0, writes are ignored
#define TT_DEBUG           0xFFB12000u
#define TT_SOFT_RESET      0xFFB121B0u
#define TT_WALL_CLOCK_L    0xFFB121F0u // reading it latches the high half
#define TT_WALL_CLOCK_HIGH 0xFFB121F4u // the high half now
#define TT_WALL_CLOCK_AT   0xFFB121F8u // the latched high half
#define TT_DEBUG_CB_WRAP   0xFFB12800u // a kernel reports a push or pop across a CB's end
#define TT_NIU             0xFFB20000u // + 0x10000 for NoC 1
#define TT_NIU_STRIDE      0x10000u
#define TT_NIU_CONFIG      0x100u // + 4 * index
#define TT_NIU_STATUS      0x200u // + 4 * index
#define TT_STREAMS         0xFFB40000u
#define TT_STREAM_STRIDE   0x1000u
#define TT_ETH             0xFFB90000u // Ethernet tiles only
#define TT_ENGINE          0xFFE40000u

enum { // command buffer registers that lie at the same offset on both chips
    TT_NOC_TARG_LO = 0x00,
    TT_NOC_TARG_MID = 0x04,
    TT_NOC_TARG_HI = 0x08,
    TT_NOC_RET_LO = 0x0C,
    TT_NOC_RET_MID = 0x10,
    TT_NOC_RET_HI = 0x14,
    TT_NOC_PACKET_TAG = 0x18,
    TT_NOC_CTRL = 0x1C,
    TT_NOC_AT_LEN = 0x20,
};
enum { // command buffers by use
    TT_NOC_BUFFER_WRITE,
    TT_NOC_BUFFER_READ,
    TT_NOC_BUFFER_SMALL,
    TT_NOC_BUFFER_ATOMIC,
    TT_NOC_BUFFERS,
};
enum { // bits of CTRL
    TT_NOC_READ = 0,
    TT_NOC_ATOMIC = 1,
    TT_NOC_WRITE = 2,
    TT_NOC_BYTE_ENABLE = 1 << 2,
    TT_NOC_INLINE = 1 << 3,
    TT_NOC_RESPONSE = 1 << 4,
    TT_NOC_MULTICAST = 1 << 5,
    TT_NOC_LINKED = 1 << 6,
    TT_NOC_STATIC_VC = 1 << 7,
    TT_NOC_PATH_RESERVE = 1 << 8,
    TT_NOC_INCLUDE_SOURCE = 1 << 17,
};
enum { // status counters
    TT_NOC_ATOMIC_RESPONSES = 0,
    TT_NOC_WRITE_ACKS = 1,
    TT_NOC_READ_RESPONSES = 2,
    TT_NOC_READS_SENT = 5,
    TT_NOC_WRITES_SENT = 10,
    TT_NOC_POSTED_SENT = 11,
    TT_NOC_OUTSTANDING = 16, // + transaction id
    TT_NOC_LEAVING = 32,     // + transaction id
    TT_NOC_COUNTERS = 64,
};
enum { TT_NOC_ATOMIC_RESULT = 4 }; // L1 address that atomics answer to

enum { TT_BRISC, TT_NCRISC, TT_TRISC0, TT_TRISC1, TT_TRISC2, TT_RISCS };
enum { // bits of the soft reset register: 1 holds the RISC
    TT_RESET_BRISC = 0x800,
    TT_RESET_TRISC0 = 0x1000, // and the next two bits
    TT_RESET_TRISCS = 0x7000,
    TT_RESET_NCRISC = 0x40000,
};

enum { // go signal
    TT_GO_DONE = 0x00,
    TT_GO_INIT = 0x40,
    TT_GO_GO = 0x80,
    TT_GO_RESET_READ_PTR = 0xC0,
    TT_GO_RESET_READ_PTR_FROM_HOST = 0xE0,
    TT_GO_REPLAY_TRACE = 0xF0,
};
enum { // subordinate sync bytes
    TT_SYNC_DONE = 0x00,
    TT_SYNC_LOAD = 0x01,
    TT_SYNC_INIT_REGISTERS = 0x03,
    TT_SYNC_INIT = 0x40,
    TT_SYNC_GO = 0x80,
};

enum { // launch message, byte offsets
    TT_LAUNCH_BYTES = 144,
    TT_LAUNCH_SLOTS = 8,
    TT_LAUNCH_CONFIG_BASE = 0, // 4 words: Tensix, active Ethernet, idle Ethernet, -
    TT_LAUNCH_SEM_OFFSET = 16, // 4 halves
    TT_LAUNCH_CB_OFFSET = 24,
    TT_LAUNCH_REMOTE_CB_OFFSET = 26,
    TT_LAUNCH_RTA = 28, // 5 pairs of halves: own arguments, common arguments
    TT_LAUNCH_MODE = 48,
    TT_LAUNCH_TEXT_OFFSET = 52, // 5 words
    TT_LAUNCH_TEXT_BYTES = 72,  // 5 words
    TT_LAUNCH_CB_MASK = 104,    // 8 bytes
    TT_LAUNCH_BRISC_NOC = 112,
    TT_LAUNCH_NOC_MODE = 113,
    TT_LAUNCH_HOST_ID = 116,
    TT_LAUNCH_ENABLES = 120, // bit per RISC
    TT_LAUNCH_WATCHER_IDS = 124,
    TT_LAUNCH_ORIGIN_X = 136,
    TT_LAUNCH_ORIGIN_Y = 137,
    TT_LAUNCH_PRELOAD = 143,
};
enum {                            // inside the kernel config area
    TT_CONFIG_CBS = 0x000,        // 16 bytes each: address, size, pages, page size
    TT_CONFIG_SEMAPHORES = 0x400, // 16 bytes each
    TT_CONFIG_ARGS = 0x600,       // RISC r at + 0x400 * r: own, at + 0x200 common
    TT_CONFIG_ARGS_STRIDE = 0x400,
    TT_CONFIG_COMMON = 0x200,
    TT_SEMAPHORES = 32,
};
enum { // core_info, byte offsets of what the firmware reads
    TT_CORE_LOGICAL_X = 0,
    TT_CORE_LOGICAL_Y = 1,
    TT_CORE_VIRTUAL_X = 2,
    TT_CORE_VIRTUAL_Y = 3,
    TT_CORE_GRID_X = 4, // size of the logical grid
    TT_CORE_GRID_Y = 5,
    TT_CORE_DEVICE = 6,
    TT_CORE_N_BANKS = 7,
    TT_CORE_N_DEVICES = 8,
};
// bank_table: for NoC 0, then NoC 1, one word per DRAM bank: virtual x | y << 8; then one
// word per bank: offset of the bank inside its controller's address space.
enum { TT_BANK_TABLE_NOC1 = 64, TT_BANK_TABLE_OFFSETS = 128 };

enum { // local RAM, word numbers of the state that firmware and kernel images share
    TT_STATE_MARKER_NEXT, // profiler: write address
    TT_STATE_MARKER_FREE, // profiler: bytes left, minus the ends of open zones
    TT_STATE_SUMS,        // 2 words
    TT_STATE_SUM_HEADERS = 4,
    TT_STATE_FLAGS = 6,
    TT_STATE_TRACE_COUNT = 7,
    TT_STATE_NOC = 8,       // NoC index this RISC uses
    TT_STATE_LOGICAL = 9,   // x | y << 16
    TT_STATE_RELATIVE = 10, // same, from the sub-device's origin
    TT_STATE_ARGS = 11,     // address of the own arguments
    TT_STATE_COMMON = 12,   // address of the common ones
    TT_STATE_CONFIG = 13,   // address of the kernel config area
    TT_STATE_SEMAPHORES = 14,
    TT_STATE_VIRTUAL = 15, // x | y << 16
    TT_STATE_WORDS = 16,
};
enum { TT_CB_DESCRIPTOR_BYTES = 28 }; // in local RAM after the shared state

// --- the Ethernet port -----------------------------------------------------------------
// Write source, destination and bytes, then 1 to SEND: the bytes go from this tile's L1 to
// the L1 of the tile at the other end of the link. A SEND without credit waits in the
// store.
enum {
    TT_ETH_SEND = 0x00,
    TT_ETH_SOURCE = 0x04,
    TT_ETH_DESTINATION = 0x08,
    TT_ETH_BYTES = 0x0C,
    TT_ETH_CREDITS = 0x10,  // messages that may be sent now
    TT_ETH_SENT = 0x14,     // messages that left and arrived: counts up, never reset
    TT_ETH_RECEIVED = 0x18, // messages that arrived here
    TT_ETH_LINKED = 0x1C,   // 1: there is a tile at the other end
    TT_ETH_PEER = 0x20,     // its device number
};

// --- the engine window -----------------------------------------------------------------
// The window of the compute engine of a Tensix tile. Arguments are written to + 4 .. +
// 0x3C, then the opcode to + 0, which enqueues. TRISC0 writes to the unpack queue, TRISC1
// to math, TRISC2 to pack, all at the same address.
enum {
    TT_ENGINE_OPCODE = 0x00,
    TT_ENGINE_ARG = 0x04,  // argument i at + 4 * i, up to 8
    TT_ENGINE_FREE = 0x40, // free slots of the queue
    TT_ENGINE_IDLE = 0x44, // 1: queue empty and nothing under way
    TT_ENGINE_DEPTH = 16,
};

#endif
