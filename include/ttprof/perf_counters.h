// perf_counters.h - the performance counters of a Tensix core: number, name, group, and by
// which select they are read on Wormhole and on Blackhole.
//
// The numbers stand in the markers (TT_ID_PERF_COUNTER, trailer bits 7..0), the names in
// reports. The firmware reads the counters of a group in the order of its table. Valid in
// C11 and C++17, for devices and hosts.
#ifndef TTPROF_PERF_COUNTERS_H
#define TTPROF_PERF_COUNTERS_H

#include <stdint.h>

// Groups, in the order in which they are read; their numbers are the bits of the option and
// of TT_CONTROL_FLAGS from TT_FLAG_COUNTER_SHIFT on. All of L1 share their registers behind
// a multiplexer: one of them at a time.
//   name, offset from TT_DEBUG of {period, mode, start/stop}, of {reference cycles, count},
//   place of the multiplexer
// clang-format off
#define TT_PERF_GROUPS(X)                                                                  \
    X(FPU,    0x018, 0x120, 0)                                                             \
    X(PACK,   0x0F0, 0x110, 0)                                                             \
    X(UNPACK, 0x00C, 0x108, 0)                                                             \
    X(L1_0,   0x030, 0x118, 0)                                                             \
    X(L1_1,   0x030, 0x118, 1)                                                             \
    X(INSTRN, 0x000, 0x100, 0)                                                             \
    X(L1_2,   0x030, 0x118, 2)                                                             \
    X(L1_3,   0x030, 0x118, 3)                                                             \
    X(L1_4,   0x030, 0x118, 4)
// clang-format on

enum tt_perf_group {
#define TT_PERF_GROUP_NUMBER(name, control, out, mux) TT_PERF_##name,
    TT_PERF_GROUPS(TT_PERF_GROUP_NUMBER)
#undef TT_PERF_GROUP_NUMBER
        TT_PERF_GROUP_COUNT,
    TT_PERF_L1_GROUPS = 1 << TT_PERF_L1_0 | 1 << TT_PERF_L1_1 | 1 << TT_PERF_L1_2 |
                        1 << TT_PERF_L1_3 | 1 << TT_PERF_L1_4,
};
enum { // the registers of a group
    TT_PERF_PERIOD = 0,
    TT_PERF_MODE = 4,  // select << 8
    TT_PERF_START = 8, // 0, then 1: clear and start; 0, then 2: stop
    TT_PERF_CYCLES = 0,
    TT_PERF_COUNT = 4,
    TT_PERF_MUX = 0x218, // from TT_DEBUG: bits 4.. are the bank of L1
    TT_PERF_MUX_SHIFT = 4,
    TT_PERF_SELECT_SHIFT = 8,
};
enum { TT_GRANT = 256, TT_NO_COUNTER = -1, TT_PERF_IDS = 181 };

// X(number, name, group, select on Wormhole, select on Blackhole); a group per macro.
// clang-format off
#define TT_PERF_COUNTERS_FPU(X)                                                            \
    X(1,   FPU_COUNTER,                     FPU, 0,             0)                         \
    X(2,   SFPU_COUNTER,                    FPU, 1,             1)                         \
    X(3,   MATH_COUNTER,                    FPU, TT_GRANT + 1,  TT_GRANT + 1)

#define TT_PERF_COUNTERS_PACK(X)                                                           \
    X(18,  PACKER_DEST_READ_AVAILABLE,      PACK, 11,            11)                       \
    X(19,  PACKER_BUSY,                     PACK, 18,            18)                       \
    X(20,  AVAILABLE_MATH,                  PACK, TT_GRANT + 16, TT_GRANT + 16)            \
    X(121, PACKER_DEST_READ_1,              PACK, 12,            TT_NO_COUNTER)            \
    X(122, PACKER_DEST_READ_2,              PACK, 13,            TT_NO_COUNTER)            \
    X(123, PACKER_DEST_READ_3,              PACK, 14,            TT_NO_COUNTER)            \
    X(124, PACKER_BUSY_0,                   PACK, 15,            TT_NO_COUNTER)            \
    X(125, PACKER_BUSY_1,                   PACK, 16,            TT_NO_COUNTER)            \
    X(126, PACKER_BUSY_2,                   PACK, 17,            TT_NO_COUNTER)            \
    X(127, DEST_READ_GRANTED_0,             PACK, TT_GRANT + 11, TT_GRANT + 11)            \
    X(128, DEST_READ_GRANTED_1,             PACK, TT_GRANT + 12, TT_NO_COUNTER)            \
    X(129, DEST_READ_GRANTED_2,             PACK, TT_GRANT + 13, TT_NO_COUNTER)            \
    X(130, DEST_READ_GRANTED_3,             PACK, TT_GRANT + 14, TT_NO_COUNTER)            \
    X(131, MATH_NOT_STALLED_DEST_WR_PORT,   PACK, TT_GRANT + 15, TT_GRANT + 15)

#define TT_PERF_COUNTERS_UNPACK(X)                                                         \
    X(4,   MATH_SRC_DATA_READY,             UNPACK, 0,             0)                      \
    X(5,   DATA_HAZARD_STALLS_MOVD2A,       UNPACK, 1,             1)                      \
    X(6,   MATH_FIDELITY_STALL,             UNPACK, 2,             2)                      \
    X(7,   MATH_INSTRN_STARTED,             UNPACK, 3,             3)                      \
    X(8,   MATH_INSTRN_AVAILABLE,           UNPACK, 4,             4)                      \
    X(9,   SRCB_WRITE_AVAILABLE,            UNPACK, 5,             5)                      \
    X(10,  SRCA_WRITE_AVAILABLE,            UNPACK, 6,             6)                      \
    X(11,  UNPACK0_BUSY_THREAD0,            UNPACK, 7,             7)                      \
    X(12,  UNPACK1_BUSY_THREAD0,            UNPACK, 8,             8)                      \
    X(13,  UNPACK0_BUSY_THREAD1,            UNPACK, 9,             9)                      \
    X(14,  UNPACK1_BUSY_THREAD1,            UNPACK, 10,            10)                     \
    X(15,  MATH_INSTRN_HF_1_CYCLE,          UNPACK, TT_GRANT + 2,  TT_GRANT + 2)           \
    X(16,  MATH_INSTRN_HF_2_CYCLE,          UNPACK, TT_GRANT + 1,  TT_GRANT + 1)           \
    X(17,  MATH_INSTRN_HF_4_CYCLE,          UNPACK, TT_GRANT + 0,  TT_GRANT + 0)           \
    X(113, SRCB_WRITE_ACTUAL,               UNPACK, TT_GRANT + 3,  TT_GRANT + 3)           \
    X(114, SRCA_WRITE_NOT_BLOCKED_OVR,      UNPACK, TT_GRANT + 5,  TT_GRANT + 5)           \
    X(115, SRCA_WRITE_ACTUAL,               UNPACK, TT_GRANT + 6,  TT_GRANT + 6)           \
    X(116, SRCB_WRITE_NOT_BLOCKED_PORT,     UNPACK, TT_GRANT + 4,  TT_GRANT + 4)           \
    X(117, SRCA_WRITE_THREAD0,              UNPACK, TT_GRANT + 7,  TT_GRANT + 7)           \
    X(118, SRCB_WRITE_THREAD0,              UNPACK, TT_GRANT + 8,  TT_GRANT + 8)           \
    X(119, SRCA_WRITE_THREAD1,              UNPACK, TT_GRANT + 9,  TT_GRANT + 9)           \
    X(120, SRCB_WRITE_THREAD1,              UNPACK, TT_GRANT + 10, TT_GRANT + 10)

#define TT_PERF_COUNTERS_L1_0(X)                                                           \
    X(76,  L1_0_UNPACKER_0,                 L1_0, 0,             0)                        \
    X(77,  L1_0_UNPACKER_1_ECC_PACK1,       L1_0, 1,             TT_NO_COUNTER)            \
    X(78,  L1_0_TDMA_BUNDLE_0_RISC,         L1_0, 2,             2)                        \
    X(79,  L1_0_TDMA_BUNDLE_1_TRISC,        L1_0, 3,             3)                        \
    X(80,  L1_0_NOC_RING0_OUTGOING_0,       L1_0, 4,             4)                        \
    X(81,  L1_0_NOC_RING0_OUTGOING_1,       L1_0, 5,             5)                        \
    X(82,  L1_0_NOC_RING0_INCOMING_0,       L1_0, 6,             6)                        \
    X(83,  L1_0_NOC_RING0_INCOMING_1,       L1_0, 7,             7)                        \
    X(92,  L1_0_UNIFIED_PACKER,             L1_0, TT_NO_COUNTER, 1)                        \
    X(94,  L1_0_UNPACKER_0_GRANT,           L1_0, TT_GRANT + 0,  TT_GRANT + 0)             \
    X(95,  L1_0_PORT1_GRANT,                L1_0, TT_GRANT + 1,  TT_GRANT + 1)             \
    X(96,  L1_0_TDMA_BUNDLE_0_GRANT,        L1_0, TT_GRANT + 2,  TT_GRANT + 2)             \
    X(97,  L1_0_TDMA_BUNDLE_1_GRANT,        L1_0, TT_GRANT + 3,  TT_GRANT + 3)             \
    X(98,  L1_0_NOC_RING0_OUTGOING_0_GRANT, L1_0, TT_GRANT + 4,  TT_GRANT + 4)             \
    X(99,  L1_0_NOC_RING0_OUTGOING_1_GRANT, L1_0, TT_GRANT + 5,  TT_GRANT + 5)             \
    X(100, L1_0_NOC_RING0_INCOMING_0_GRANT, L1_0, TT_GRANT + 6,  TT_GRANT + 6)             \
    X(101, L1_0_NOC_RING0_INCOMING_1_GRANT, L1_0, TT_GRANT + 7,  TT_GRANT + 7)

#define TT_PERF_COUNTERS_L1_1(X)                                                           \
    X(84,  L1_1_TDMA_PACKER_2,              L1_1, 0,             TT_NO_COUNTER)            \
    X(85,  L1_1_EXT_UNPACKER_1,             L1_1, 1,             1)                        \
    X(86,  L1_1_EXT_UNPACKER_2,             L1_1, 2,             2)                        \
    X(87,  L1_1_EXT_UNPACKER_3,             L1_1, 3,             3)                        \
    X(88,  L1_1_NOC_RING1_OUTGOING_0,       L1_1, 4,             4)                        \
    X(89,  L1_1_NOC_RING1_OUTGOING_1,       L1_1, 5,             5)                        \
    X(90,  L1_1_NOC_RING1_INCOMING_0,       L1_1, 6,             6)                        \
    X(91,  L1_1_NOC_RING1_INCOMING_1,       L1_1, 7,             7)                        \
    X(93,  L1_1_RISC_CORE,                  L1_1, TT_NO_COUNTER, 0)                        \
    X(102, L1_1_PORT8_GRANT,                L1_1, TT_GRANT + 0,  TT_GRANT + 0)             \
    X(103, L1_1_EXT_UNPACKER_1_GRANT,       L1_1, TT_GRANT + 1,  TT_GRANT + 1)             \
    X(104, L1_1_EXT_UNPACKER_2_GRANT,       L1_1, TT_GRANT + 2,  TT_GRANT + 2)             \
    X(105, L1_1_EXT_UNPACKER_3_GRANT,       L1_1, TT_GRANT + 3,  TT_GRANT + 3)             \
    X(106, L1_1_NOC_RING1_OUTGOING_0_GRANT, L1_1, TT_GRANT + 4,  TT_GRANT + 4)             \
    X(107, L1_1_NOC_RING1_OUTGOING_1_GRANT, L1_1, TT_GRANT + 5,  TT_GRANT + 5)             \
    X(108, L1_1_NOC_RING1_INCOMING_0_GRANT, L1_1, TT_GRANT + 6,  TT_GRANT + 6)             \
    X(109, L1_1_NOC_RING1_INCOMING_1_GRANT, L1_1, TT_GRANT + 7,  TT_GRANT + 7)

#define TT_PERF_COUNTERS_INSTRN(X)                                                         \
    X(21,  CFG_INSTRN_AVAILABLE_0,          INSTRN, 0,             0)                      \
    X(22,  CFG_INSTRN_AVAILABLE_1,          INSTRN, 1,             1)                      \
    X(23,  CFG_INSTRN_AVAILABLE_2,          INSTRN, 2,             2)                      \
    X(24,  SYNC_INSTRN_AVAILABLE_0,         INSTRN, 3,             3)                      \
    X(25,  SYNC_INSTRN_AVAILABLE_1,         INSTRN, 4,             4)                      \
    X(26,  SYNC_INSTRN_AVAILABLE_2,         INSTRN, 5,             5)                      \
    X(27,  THCON_INSTRN_AVAILABLE_0,        INSTRN, 6,             6)                      \
    X(28,  THCON_INSTRN_AVAILABLE_1,        INSTRN, 7,             7)                      \
    X(29,  THCON_INSTRN_AVAILABLE_2,        INSTRN, 8,             8)                      \
    X(30,  MOVE_INSTRN_AVAILABLE_0,         INSTRN, 12,            12)                     \
    X(31,  MOVE_INSTRN_AVAILABLE_1,         INSTRN, 13,            13)                     \
    X(32,  MOVE_INSTRN_AVAILABLE_2,         INSTRN, 14,            14)                     \
    X(33,  FPU_INSTRN_AVAILABLE_0,          INSTRN, 15,            15)                     \
    X(34,  FPU_INSTRN_AVAILABLE_1,          INSTRN, 16,            16)                     \
    X(35,  FPU_INSTRN_AVAILABLE_2,          INSTRN, 17,            17)                     \
    X(36,  UNPACK_INSTRN_AVAILABLE_0,       INSTRN, 18,            18)                     \
    X(37,  UNPACK_INSTRN_AVAILABLE_1,       INSTRN, 19,            19)                     \
    X(38,  UNPACK_INSTRN_AVAILABLE_2,       INSTRN, 20,            20)                     \
    X(39,  PACK_INSTRN_AVAILABLE_0,         INSTRN, 21,            21)                     \
    X(40,  PACK_INSTRN_AVAILABLE_1,         INSTRN, 22,            22)                     \
    X(41,  PACK_INSTRN_AVAILABLE_2,         INSTRN, 23,            23)                     \
    X(42,  THREAD_STALLS_0,                 INSTRN, 24,            24)                     \
    X(43,  THREAD_STALLS_1,                 INSTRN, 25,            25)                     \
    X(44,  THREAD_STALLS_2,                 INSTRN, 26,            26)                     \
    X(45,  WAITING_FOR_SRCA_CLEAR,          INSTRN, 27,            27)                     \
    X(46,  WAITING_FOR_SRCB_CLEAR,          INSTRN, 30,            28)                     \
    X(47,  WAITING_FOR_SRCA_VALID,          INSTRN, 33,            29)                     \
    X(48,  WAITING_FOR_SRCB_VALID,          INSTRN, 36,            30)                     \
    X(49,  WAITING_FOR_THCON_IDLE_0,        INSTRN, 39,            31)                     \
    X(50,  WAITING_FOR_THCON_IDLE_1,        INSTRN, 48,            40)                     \
    X(51,  WAITING_FOR_THCON_IDLE_2,        INSTRN, 57,            49)                     \
    X(52,  WAITING_FOR_UNPACK_IDLE_0,       INSTRN, 40,            32)                     \
    X(53,  WAITING_FOR_UNPACK_IDLE_1,       INSTRN, 49,            41)                     \
    X(54,  WAITING_FOR_UNPACK_IDLE_2,       INSTRN, 58,            50)                     \
    X(55,  WAITING_FOR_PACK_IDLE_0,         INSTRN, 41,            33)                     \
    X(56,  WAITING_FOR_PACK_IDLE_1,         INSTRN, 50,            42)                     \
    X(57,  WAITING_FOR_PACK_IDLE_2,         INSTRN, 59,            51)                     \
    X(58,  WAITING_FOR_MATH_IDLE_0,         INSTRN, 42,            34)                     \
    X(59,  WAITING_FOR_MATH_IDLE_1,         INSTRN, 51,            43)                     \
    X(60,  WAITING_FOR_MATH_IDLE_2,         INSTRN, 60,            52)                     \
    X(61,  WAITING_FOR_NONZERO_SEM_0,       INSTRN, 43,            35)                     \
    X(62,  WAITING_FOR_NONZERO_SEM_1,       INSTRN, 52,            44)                     \
    X(63,  WAITING_FOR_NONZERO_SEM_2,       INSTRN, 61,            53)                     \
    X(64,  WAITING_FOR_NONFULL_SEM_0,       INSTRN, 44,            36)                     \
    X(65,  WAITING_FOR_NONFULL_SEM_1,       INSTRN, 53,            45)                     \
    X(66,  WAITING_FOR_NONFULL_SEM_2,       INSTRN, 62,            54)                     \
    X(67,  WAITING_FOR_MOVE_IDLE_0,         INSTRN, 45,            37)                     \
    X(68,  WAITING_FOR_MOVE_IDLE_1,         INSTRN, 54,            46)                     \
    X(69,  WAITING_FOR_MOVE_IDLE_2,         INSTRN, 63,            55)                     \
    X(70,  WAITING_FOR_MMIO_IDLE_0,         INSTRN, 46,            38)                     \
    X(71,  WAITING_FOR_MMIO_IDLE_1,         INSTRN, 55,            47)                     \
    X(72,  WAITING_FOR_MMIO_IDLE_2,         INSTRN, 64,            56)                     \
    X(73,  WAITING_FOR_SFPU_IDLE_0,         INSTRN, 47,            39)                     \
    X(74,  WAITING_FOR_SFPU_IDLE_1,         INSTRN, 56,            48)                     \
    X(75,  WAITING_FOR_SFPU_IDLE_2,         INSTRN, 65,            57)                     \
    X(110, THREAD_INSTRUCTIONS_0,           INSTRN, TT_GRANT + 0,  TT_GRANT + 0)           \
    X(111, THREAD_INSTRUCTIONS_1,           INSTRN, TT_GRANT + 8,  TT_GRANT + 8)           \
    X(112, THREAD_INSTRUCTIONS_2,           INSTRN, TT_GRANT + 16, TT_GRANT + 16)          \
    X(180, ANY_THREAD_STALL,                INSTRN, TT_GRANT + 27, TT_GRANT + 27)

#define TT_PERF_COUNTERS_L1_2(X)                                                           \
    X(148, L1_2_NOC_RING2_PORT_0,           L1_2, TT_NO_COUNTER, 0)                        \
    X(149, L1_2_NOC_RING2_PORT_1,           L1_2, TT_NO_COUNTER, 1)                        \
    X(150, L1_2_NOC_RING2_PORT_2,           L1_2, TT_NO_COUNTER, 2)                        \
    X(151, L1_2_NOC_RING2_PORT_3,           L1_2, TT_NO_COUNTER, 3)                        \
    X(152, L1_2_NOC_RING2_PORT_4,           L1_2, TT_NO_COUNTER, 4)                        \
    X(153, L1_2_NOC_RING2_PORT_5,           L1_2, TT_NO_COUNTER, 5)                        \
    X(154, L1_2_NOC_RING2_PORT_6,           L1_2, TT_NO_COUNTER, 6)                        \
    X(155, L1_2_NOC_RING2_PORT_7,           L1_2, TT_NO_COUNTER, 7)                        \
    X(156, L1_2_NOC_RING2_PORT_0_GRANT,     L1_2, TT_NO_COUNTER, TT_GRANT + 0)             \
    X(157, L1_2_NOC_RING2_PORT_1_GRANT,     L1_2, TT_NO_COUNTER, TT_GRANT + 1)             \
    X(158, L1_2_NOC_RING2_PORT_2_GRANT,     L1_2, TT_NO_COUNTER, TT_GRANT + 2)             \
    X(159, L1_2_NOC_RING2_PORT_3_GRANT,     L1_2, TT_NO_COUNTER, TT_GRANT + 3)             \
    X(160, L1_2_NOC_RING2_PORT_4_GRANT,     L1_2, TT_NO_COUNTER, TT_GRANT + 4)             \
    X(161, L1_2_NOC_RING2_PORT_5_GRANT,     L1_2, TT_NO_COUNTER, TT_GRANT + 5)             \
    X(162, L1_2_NOC_RING2_PORT_6_GRANT,     L1_2, TT_NO_COUNTER, TT_GRANT + 6)             \
    X(163, L1_2_NOC_RING2_PORT_7_GRANT,     L1_2, TT_NO_COUNTER, TT_GRANT + 7)

#define TT_PERF_COUNTERS_L1_3(X)                                                           \
    X(164, L1_3_NOC_RING3_PORT_0,           L1_3, TT_NO_COUNTER, 0)                        \
    X(165, L1_3_NOC_RING3_PORT_1,           L1_3, TT_NO_COUNTER, 1)                        \
    X(166, L1_3_NOC_RING3_PORT_2,           L1_3, TT_NO_COUNTER, 2)                        \
    X(167, L1_3_NOC_RING3_PORT_3,           L1_3, TT_NO_COUNTER, 3)                        \
    X(168, L1_3_NOC_RING3_PORT_4,           L1_3, TT_NO_COUNTER, 4)                        \
    X(169, L1_3_NOC_RING3_PORT_5,           L1_3, TT_NO_COUNTER, 5)                        \
    X(170, L1_3_NOC_RING3_PORT_6,           L1_3, TT_NO_COUNTER, 6)                        \
    X(171, L1_3_NOC_RING3_PORT_7,           L1_3, TT_NO_COUNTER, 7)                        \
    X(172, L1_3_NOC_RING3_PORT_0_GRANT,     L1_3, TT_NO_COUNTER, TT_GRANT + 0)             \
    X(173, L1_3_NOC_RING3_PORT_1_GRANT,     L1_3, TT_NO_COUNTER, TT_GRANT + 1)             \
    X(174, L1_3_NOC_RING3_PORT_2_GRANT,     L1_3, TT_NO_COUNTER, TT_GRANT + 2)             \
    X(175, L1_3_NOC_RING3_PORT_3_GRANT,     L1_3, TT_NO_COUNTER, TT_GRANT + 3)             \
    X(176, L1_3_NOC_RING3_PORT_4_GRANT,     L1_3, TT_NO_COUNTER, TT_GRANT + 4)             \
    X(177, L1_3_NOC_RING3_PORT_5_GRANT,     L1_3, TT_NO_COUNTER, TT_GRANT + 5)             \
    X(178, L1_3_NOC_RING3_PORT_6_GRANT,     L1_3, TT_NO_COUNTER, TT_GRANT + 6)             \
    X(179, L1_3_NOC_RING3_PORT_7_GRANT,     L1_3, TT_NO_COUNTER, TT_GRANT + 7)

#define TT_PERF_COUNTERS_L1_4(X)                                                           \
    X(132, L1_4_MISC_PORT_0,                L1_4, TT_NO_COUNTER, 0)                        \
    X(133, L1_4_MISC_PORT_1,                L1_4, TT_NO_COUNTER, 1)                        \
    X(134, L1_4_MISC_PORT_2,                L1_4, TT_NO_COUNTER, 2)                        \
    X(135, L1_4_MISC_PORT_3,                L1_4, TT_NO_COUNTER, 3)                        \
    X(136, L1_4_MISC_PORT_4,                L1_4, TT_NO_COUNTER, 4)                        \
    X(137, L1_4_MISC_PORT_5,                L1_4, TT_NO_COUNTER, 5)                        \
    X(138, L1_4_MISC_PORT_6,                L1_4, TT_NO_COUNTER, 6)                        \
    X(139, L1_4_MISC_PORT_7,                L1_4, TT_NO_COUNTER, 7)                        \
    X(140, L1_4_MISC_PORT_0_GRANT,          L1_4, TT_NO_COUNTER, TT_GRANT + 0)             \
    X(141, L1_4_MISC_PORT_1_GRANT,          L1_4, TT_NO_COUNTER, TT_GRANT + 1)             \
    X(142, L1_4_MISC_PORT_2_GRANT,          L1_4, TT_NO_COUNTER, TT_GRANT + 2)             \
    X(143, L1_4_MISC_PORT_3_GRANT,          L1_4, TT_NO_COUNTER, TT_GRANT + 3)             \
    X(144, L1_4_MISC_PORT_4_GRANT,          L1_4, TT_NO_COUNTER, TT_GRANT + 4)             \
    X(145, L1_4_MISC_PORT_5_GRANT,          L1_4, TT_NO_COUNTER, TT_GRANT + 5)             \
    X(146, L1_4_MISC_PORT_6_GRANT,          L1_4, TT_NO_COUNTER, TT_GRANT + 6)             \
    X(147, L1_4_MISC_PORT_7_GRANT,          L1_4, TT_NO_COUNTER, TT_GRANT + 7)
// clang-format on

#define TT_PERF_COUNTERS(X)                                                                \
    TT_PERF_COUNTERS_FPU(X)                                                                \
    TT_PERF_COUNTERS_PACK(X)                                                               \
    TT_PERF_COUNTERS_UNPACK(X)                                                             \
    TT_PERF_COUNTERS_L1_0(X)                                                               \
    TT_PERF_COUNTERS_L1_1(X)                                                               \
    TT_PERF_COUNTERS_INSTRN(X)                                                             \
    TT_PERF_COUNTERS_L1_2(X)                                                               \
    TT_PERF_COUNTERS_L1_3(X)                                                               \
    TT_PERF_COUNTERS_L1_4(X)

#endif
