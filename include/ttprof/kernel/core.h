// core.h - arguments of a kernel and where it runs.
#ifndef TTPROF_KERNEL_CORE_H
#define TTPROF_KERNEL_CORE_H

#include "ttprof/kernel/base.h"

TTK_INLINE uint32_t get_arg_addr(uint32_t index)
{
    return TTK_STATE(TT_STATE_ARGS) + 4 * index;
}
TTK_INLINE uint32_t get_common_arg_addr(uint32_t index)
{
    return TTK_STATE(TT_STATE_COMMON) + 4 * index;
}

#ifdef __cplusplus
template <typename T> TTK_INLINE T get_arg_val(int index)
{
    static_assert(sizeof(T) == 4, "arguments are words");
    return *TTK_L1(T, get_arg_addr((uint32_t)index));
}
template <typename T> TTK_INLINE T get_common_arg_val(int index)
{
    static_assert(sizeof(T) == 4, "arguments are words");
    return *TTK_L1(T, get_common_arg_addr((uint32_t)index));
}
#else
TTK_INLINE uint32_t get_arg_val(uint32_t index)
{
    return *TTK_L1(uint32_t, get_arg_addr(index));
}
TTK_INLINE uint32_t get_common_arg_val(uint32_t index)
{
    return *TTK_L1(uint32_t, get_common_arg_addr(index));
}
#endif

// From the build: -D KERNEL_COMPILE_TIME_ARGS=1,2,3
#ifdef KERNEL_COMPILE_TIME_ARGS
#ifdef __cplusplus
#define TTK_CONSTANT constexpr
#else
#define TTK_CONSTANT static const
#endif
TTK_CONSTANT uint32_t ttk_compile_time_args[] = {KERNEL_COMPILE_TIME_ARGS};
#define get_compile_time_arg_val(index) (ttk_compile_time_args[index])
#endif

// --- coordinates -----------------------------------------------------------------------
TTK_INLINE uint32_t get_absolute_logical_x(void)
{
    return TTK_STATE(TT_STATE_LOGICAL) & 0xFFFF;
}
TTK_INLINE uint32_t get_absolute_logical_y(void)
{
    return TTK_STATE(TT_STATE_LOGICAL) >> 16;
}
// Relative to the origin of the program's sub-device.
TTK_INLINE uint32_t get_relative_logical_x(void)
{
    return TTK_STATE(TT_STATE_RELATIVE) & 0xFFFF;
}
TTK_INLINE uint32_t get_relative_logical_y(void)
{
    return TTK_STATE(TT_STATE_RELATIVE) >> 16;
}

TTK_INLINE uint32_t ttk_virtual_x(void)
{
    return TTK_STATE(TT_STATE_VIRTUAL) & 0xFFFF;
}
TTK_INLINE uint32_t ttk_virtual_y(void)
{
    return TTK_STATE(TT_STATE_VIRTUAL) >> 16;
}

// my_x[noc], my_y[noc]: this core's coordinates for other cores, the same on both NoCs.
#ifdef __cplusplus
struct ttk_my_x {
    uint32_t operator[](uint32_t) const { return ttk_virtual_x(); }
};
struct ttk_my_y {
    uint32_t operator[](uint32_t) const { return ttk_virtual_y(); }
};
static const ttk_my_x my_x __attribute__((unused)) = {};
static const ttk_my_y my_y __attribute__((unused)) = {};
#else
#define my_x ((const uint32_t[2]){ttk_virtual_x(), ttk_virtual_x()})
#define my_y ((const uint32_t[2]){ttk_virtual_y(), ttk_virtual_y()})
#endif

TTK_INLINE uint32_t ttk_noc_index(void)
{
    return TTK_STATE(TT_STATE_NOC);
}
#define noc_index (ttk_noc_index())

// --- facts about the chip, as the host told this core ----------------------------------
#ifdef TTK_ERISC
#define TTK_CORE_INFO TTL_eth_core_info
#else
#define TTK_CORE_INFO TTL_core_info
#endif
TTK_INLINE uint32_t ttk_core_info(uint32_t offset)
{
    return *TTK_L1(uint8_t, (uint32_t)TTK_CORE_INFO + offset);
}
TTK_INLINE uint32_t ttk_grid_x(void)
{
    return ttk_core_info(TT_CORE_GRID_X);
}
TTK_INLINE uint32_t ttk_grid_y(void)
{
    return ttk_core_info(TT_CORE_GRID_Y);
}
TTK_INLINE uint32_t ttk_device(void)
{
    return ttk_core_info(TT_CORE_DEVICE);
}
TTK_INLINE uint32_t ttk_n_devices(void)
{
    return ttk_core_info(TT_CORE_N_DEVICES);
}
TTK_INLINE uint32_t ttk_n_banks(void)
{
    return ttk_core_info(TT_CORE_N_BANKS);
}

// --- semaphores of the program, by number ----------------------------------------------
TTK_INLINE uint32_t ttk_semaphore_address(uint32_t id)
{
    return TTK_STATE(TT_STATE_SEMAPHORES) + 16 * id;
}
#ifdef __cplusplus
enum class ProgrammableCoreType { TENSIX, ACTIVE_ETH, IDLE_ETH };
template <ProgrammableCoreType = ProgrammableCoreType::TENSIX>
TTK_INLINE uint32_t get_semaphore(uint32_t id)
{
    return ttk_semaphore_address(id);
}
#else
TTK_INLINE uint32_t get_semaphore(uint32_t id)
{
    return ttk_semaphore_address(id);
}
#endif

#endif
