// profiler_push.h - the rare part of recording, out of line: what happens when a vector is
// full. Markers are dropped and counted; or, by option and in recorders that ask for it,
// BRISC, NCRISC and ERISC push their vector to DRAM, and TRISCs wait for the host to read
// it. Included by profiler.h.
#ifndef TTPROF_KERNEL_PROFILER_PUSH_H
#define TTPROF_KERNEL_PROFILER_PUSH_H

#include "ttprof/kernel/core.h"
#include "ttprof/kernel/profiler.h"

#define TTK_COLD static __attribute__((noinline, cold, unused))

// --- the vector ------------------------------------------------------------------------
// Pads to a multiple of four words, as the network requires; returns the words.
static inline __attribute__((unused)) uint32_t ttk_vector_pad(void)
{
    uint32_t next = TTK_MARKER_NEXT, words = (next - TTK_OWN_VECTOR) / 4;
    if (words % 4) {
        TTK_VECTOR_WORD(next, 0) = TT_MARKER_VALID;
        TTK_VECTOR_WORD(next, 1) = 0;
        words += 2;
    }
    return words;
}
// Optional markers start again behind `used` bytes of the optional area. Open zones keep
// their room.
TTK_INLINE void ttk_vector_restart(uint32_t used)
{
    uint32_t next = TTK_OWN_VECTOR + 4u * TT_CHUNK_CUSTOM + used;
    TTK_MARKER_FREE += TTK_MARKER_NEXT - next;
    TTK_MARKER_NEXT = next;
}

// --- losses ----------------------------------------------------------------------------
// `counter` is TT_CONTROL_L1_DROPPED or TT_CONTROL_DRAM_DROPPED.
TTK_COLD void ttk_count_lost(uint32_t counter, uint32_t risc, uint32_t markers)
{
    if (markers == 0)
        return;
    TTK_CONTROL(counter + risc) += markers;
    if (TTK_CONTROL(TT_CONTROL_FIRST_DROP_L + risc) |
        TTK_CONTROL(TT_CONTROL_FIRST_DROP_H + risc))
        return;
    uint64_t now = ttk_cycles();
    TTK_CONTROL(TT_CONTROL_FIRST_DROP_L + risc) = (uint32_t)now;
    TTK_CONTROL(TT_CONTROL_FIRST_DROP_H + risc) = (uint32_t)(now >> 32);
}
// Markers in words [from, to) of a vector, without padding and empty slots.
TTK_COLD uint32_t ttk_count_markers(uint32_t vector, uint32_t from, uint32_t to)
{
    enum { WORDS_BY_TYPE = 0x22624222 }; // a nibble each
    uint32_t n = 0;
    while (from < to) {
        uint32_t high = TTK_VECTOR_WORD(vector, from);
        uint32_t low = TTK_VECTOR_WORD(vector, from + 1);
        n += high != TT_MARKER_VALID || (low & ~TT_MARKER_VALID) != 0;
        from += (uint32_t)WORDS_BY_TYPE >> 4 * TT_MARKER_TYPE(high) & 15;
    }
    return n;
}

// --- waiting for the host --------------------------------------------------------------
// The RISC's address word gives the reason; the host answers with an address. A pure poll.
TTK_COLD void ttk_stall(uint32_t risc, uint32_t why)
{
    uint32_t word = (uint32_t)TT_CONTROL_DRAM_ADDRESS_OF(risc);
    TTK_CONTROL(word) = why;
    do {
        ttk_fence();
    } while (TTK_CONTROL(word) == why);
}

#if TTK_IS_DATA_MOVEMENT
// --- to DRAM ---------------------------------------------------------------------------
// Posted, from a command buffer that holds nothing from one call to the next, under a
// transaction id of its own: what a kernel has under way is neither waited for nor counted.
enum { TTK_PUSH_TRANSACTION = 15, TTK_PUSH_TAG = TTK_PUSH_TRANSACTION << 10 };

#ifdef TTK_ERISC
#define TTK_PUSH_BANKS (TT_LOCAL_RAM + 4u * TT_STATE_WORDS) // where the firmware keeps them
#else
#define TTK_PUSH_BANKS ((uint32_t)TTL_bank_table)
#endif

TTK_INLINE uint32_t ttk_push_niu(void)
{
    return TT_NIU + TT_NIU_STRIDE * TTK_MARKER_STATE(TT_STATE_NOC);
}
TTK_INLINE uint32_t ttk_region_words(void)
{
    return TTK_CONTROL(TT_CONTROL_REGION_BYTES) / 4;
}
// Where the regions of this RISC are in every bank; 0: nowhere.
TTK_INLINE uint32_t ttk_regions(uint32_t risc)
{
    uint32_t word = TT_CONTROL_DRAM_ADDRESS;
    if (ttk_flags() & TT_FLAG_STALL)
        word = (uint32_t)TT_CONTROL_DRAM_ADDRESS_OF(risc);
    return TTK_CONTROL(word);
}

// The first `words` words of a vector, to word `at` of the RISC's region. They may be
// changed after ttk_chunks_wait.
TTK_COLD void ttk_chunk_send(uint32_t risc, uint32_t at, uint32_t words)
{
    uint32_t regions = ttk_regions(risc), cores = TTK_CONTROL(TT_CONTROL_CORES_PER_BANK);
    if (regions == 0 || cores == 0)
        return;
    uint32_t flat = TTK_CONTROL(TT_CONTROL_FLAT_ID), bank = flat / cores;
    uint32_t region = (flat - bank * cores) * 5 + risc;
    uint32_t table = TTK_PUSH_BANKS + 4 * bank;
    uint32_t place =
        *TTK_L1(uint32_t, table + TT_BANK_TABLE_NOC1 * TTK_MARKER_STATE(TT_STATE_NOC));
    uint32_t to = *TTK_L1(uint32_t, table + TT_BANK_TABLE_OFFSETS) + regions +
                  region * TTK_CONTROL(TT_CONTROL_REGION_BYTES) + 4 * at;
    uint32_t buffer =
        ttk_push_niu() + (uint32_t)TTL_noc_buffer_stride * TT_NOC_BUFFER_SMALL;
    uint32_t own = *TTK_L1(uint16_t, TTK_CORE_INFO + TT_CORE_VIRTUAL_X);
    while (TTK_REGISTER(buffer + TTL_noc_cmd_ctrl) & 1)
        ;
    TTK_REGISTER(buffer + TT_NOC_CTRL) = TT_NOC_WRITE;
    TTK_REGISTER(buffer + TT_NOC_PACKET_TAG) = TTK_PUSH_TAG;
    TTK_REGISTER(buffer + TT_NOC_TARG_LO) = TTK_VECTOR(risc);
    TTK_REGISTER(buffer + TT_NOC_TARG_MID) = (own & 0xFF) << 4 | own >> 8 << 10;
    TTK_REGISTER(buffer + TT_NOC_RET_LO) = to;
    TTK_REGISTER(buffer + TT_NOC_RET_MID) = (place & 0x3F) << 4 | (place >> 8 & 0x3F) << 10;
    TTK_REGISTER(buffer + TT_NOC_AT_LEN) = 4 * words;
    TTK_REGISTER(buffer + TTL_noc_cmd_ctrl) = 1;
    ttk_noc.posted++;
}
// Until all that was sent has left L1: a pure poll. The command buffer is the kernel's
// again.
TTK_INLINE void ttk_chunks_wait(void)
{
    uint32_t niu = ttk_push_niu();
    uint32_t leaving = niu + TT_NIU_STATUS + 4 * (TT_NOC_LEAVING + TTK_PUSH_TRANSACTION);
    while (TTK_REGISTER(leaving) != 0)
        ;
    TTK_REGISTER(niu + (uint32_t)TTL_noc_buffer_stride * TT_NOC_BUFFER_SMALL +
                 TT_NOC_PACKET_TAG) = 0;
}
// Room in a RISC's region for `words` words and `reserve` more; the host makes some in the
// mode that loses nothing.
TTK_COLD bool ttk_region_fits(uint32_t risc, uint32_t words, uint32_t reserve)
{
    if (TTK_CONTROL(TT_CONTROL_HOST_END + risc) + words + reserve <= ttk_region_words())
        return true;
    if (!(ttk_flags() & TT_FLAG_STALL) || ttk_regions(risc) == 0)
        return false;
    ttk_stall(risc, TT_STALLED_DRAM);
    TTK_CONTROL(TT_CONTROL_HOST_END + risc) = 0;
    return true;
}

// A multicast series reserves its path: nothing may be sent between its packets.
TTK_COLD bool ttk_is_linked(void)
{
    uint32_t at = ttk_push_niu() + TT_NOC_CTRL, bits = 0;
    for (uint32_t b = 0; b < TT_NOC_BUFFERS; b++, at += TTL_noc_buffer_stride)
        bits |= TTK_REGISTER(at);
    return bits & TT_NOC_LINKED;
}

// What the vector holds goes to DRAM, and a zone says how long that took. The end of the
// program needs 12 words of the region for its guaranteed markers.
TTK_COLD void ttk_push_own(void)
{
    const uint32_t risc = TTK_PROFILER_RISC;
    ttk_fence();
    if (ttk_is_linked() || ttk_regions(risc) == 0 ||
        TTK_CONTROL(TT_CONTROL_DRAM_DROPPED + risc) != 0)
        return;
    struct ttk_clock c = ttk_clock_read();
    uint32_t words = ttk_vector_pad();
    if (!ttk_region_fits(risc, words, TT_CHUNK_CUSTOM)) {
        uint32_t lost = ttk_count_markers(TTK_OWN_VECTOR, TT_CHUNK_CUSTOM, words);
        ttk_count_lost(TT_CONTROL_DRAM_DROPPED, risc, lost);
        ttk_vector_restart(0);
        return;
    }
    uint32_t at = TTK_CONTROL(TT_CONTROL_HOST_END + risc);
    ttk_chunk_send(risc, at, words);
    TTK_CONTROL(TT_CONTROL_HOST_END + risc) = at + words;
    uint32_t start = TTK_ZONE_HEADER("PROFILER-NOC-QUICK-PUSH", TT_PACKET_ZONE_START);
    ttk_chunks_wait();
    ttk_vector_restart(16);
    uint32_t first = TTK_OWN_VECTOR + 4u * TT_CHUNK_CUSTOM;
    ttk_marker_write(first, start, c);
    ttk_marker_write(first + 8, start + ((uint32_t)TT_PACKET_ZONE_END << 28),
                     ttk_clock_read());
}
#else
// The host reads the vector from L1.
TTK_COLD void ttk_push_own(void)
{
    TTK_CONTROL(TT_CONTROL_DEVICE_END + TTK_PROFILER_RISC) = ttk_vector_pad();
    ttk_stall(TTK_PROFILER_RISC, TT_STALLED_L1);
    ttk_vector_restart(0);
}
#endif

// --- the entry -------------------------------------------------------------------------
// `what` is TTK_ROOM_*; returns whether there is room now.
TTK_C_LINKAGE __attribute__((noinline, cold, used, weak)) uint32_t ttk_room(uint32_t what)
{
    uint32_t bytes = what & TTK_ROOM_BYTES, markers = what / TTK_ROOM_MARKER & 0xFF;
    uint32_t flags = ttk_flags();
    if (flags & TT_FLAG_TRACE_ONLY) // which has no optional markers
        return 0;
    if ((what & TTK_ROOM_PUSH) || (flags & TT_FLAG_STALL))
        ttk_push_own();
    if (markers == 0)
        return 0;
    if ((int32_t)TTK_MARKER_FREE >= (int32_t)bytes)
        return 1;
    ttk_count_lost(TT_CONTROL_L1_DROPPED, TTK_PROFILER_RISC, markers);
#ifndef TTK_FIRMWARE
    if (!(flags & TT_FLAG_STALL)) // where the next push may make room
        ttk_lost.value = TTK_CONTROL(TT_CONTROL_L1_DROPPED + TTK_PROFILER_RISC);
#endif
    return 0;
}
// In: t1, `what`; out: t1. Changes t0 and t2 and keeps all other registers. Where optional
// markers are not wanted there is no room for them, and nothing is lost.
TTK_ASM_FUNCTION(ttk_room_entry,
                 "lui t2, 0xFFB00; lw t2, 24(t2); andi t2, t2, 3; addi t2, t2, -2\n"
                 "beqz t2, 1f; li t1, 0; jr t0\n"
                 "1: addi sp, sp, -64; sw ra, 0(sp); sw t0, 4(sp)\n"
                 "sw a0, 8(sp); sw a1, 12(sp); sw a2, 16(sp); sw a3, 20(sp)\n"
                 "sw a4, 24(sp); sw a5, 28(sp); sw a6, 32(sp); sw a7, 36(sp)\n"
                 "sw t3, 40(sp); sw t4, 44(sp); sw t5, 48(sp); sw t6, 52(sp)\n"
                 "mv a0, t1; jal ra, ttk_room; mv t1, a0\n"
                 "lw a0, 8(sp); lw a1, 12(sp); lw a2, 16(sp); lw a3, 20(sp)\n"
                 "lw a4, 24(sp); lw a5, 28(sp); lw a6, 32(sp); lw a7, 36(sp)\n"
                 "lw t3, 40(sp); lw t4, 44(sp); lw t5, 48(sp); lw t6, 52(sp)\n"
                 "lw t0, 4(sp); lw ra, 0(sp); addi sp, sp, 64; jr t0");

#endif
