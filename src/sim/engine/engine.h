// engine.h - the compute engine of a Tensix tile: unpack, math and pack queues, driven by
// TRISC0, TRISC1 and TRISC2 through the window at TT_ENGINE.
//
// Unpack fills SrcA/SrcB (double-buffered), math consumes them and works on Dst, pack
// takes tiles from the half of Dst that math has committed. An entry starts when it is
// first in its queue and its inputs are ready; it ends a known number of cycles later,
// and its effect becomes visible then.
#ifndef TTP_SIM_ENGINE_ENGINE_H
#define TTP_SIM_ENGINE_ENGINE_H

#include "sim/machine.h"

enum engine_thread { ENGINE_UNPACK, ENGINE_MATH, ENGINE_PACK, ENGINE_THREADS };

struct engine *engine_new(struct tile *tile);
void engine_free(struct engine *engine);
void engine_reset(struct engine *engine); // soft reset: queues empty, Dst free

// The window, by offset; thread = RISC - TT_TRISC0.
uint32_t engine_read(struct tile *tile, unsigned thread, uint32_t offset, uint64_t cycle);
enum register_result engine_write(struct tile *tile, unsigned thread, uint32_t offset,
                                  uint32_t value, uint64_t cycle);
bool engine_is_idle(const struct engine *engine);
// What the first entry waits for ("a free half of Dst"), or NULL.
const char *engine_waits_for(const struct engine *engine, unsigned thread);
uint64_t engine_hash(const struct engine *engine, uint64_t hash);

// Performance counter registers by offset from TT_DEBUG; false if it is not one of them.
bool counters_read(struct tile *tile, uint32_t offset, uint64_t cycle, uint32_t *value);
bool counters_write(struct tile *tile, uint32_t offset, uint32_t value, uint64_t cycle);
uint32_t counters_groups(int arch); // bit per enum tt_perf_group with counters

#endif
