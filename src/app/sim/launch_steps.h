// launch_steps.h - one launch, step by step: what the host, the dispatch cores and one
// worker do until its kernel_main.
//
// The steps come from the ground truth, from the event hook and from an instruction trace
// of the worker's RISC. The caller connects all three before the first launch.
#ifndef TTP_APP_SIM_LAUNCH_STEPS_H
#define TTP_APP_SIM_LAUNCH_STEPS_H

#include "base/data/vec.h"
#include "base/text/buf.h"

#include "sim/ttdev.h"

struct launch_row {
    uint64_t cycle;
    size_t order; // of rows of the same cycle
    char who[24], what[56];
};

// A command in the queue.
struct launch_command {
    uint32_t word, payload; // first words of itself and of what it relays
    bool is_shown;          // of the launch that is shown
};

enum { LAUNCH_PCS = 256 };

struct launch_steps { // of one device
    ttdev *t;
    int64_t number; // of the launch to be shown, from 1
    int dev, risc;
    ttdev_core core;
    ttdev_xy at, prefetcher, dispatcher; // NOC0
    uint32_t queue;                      // address of the first queue word

    int64_t n_launches;
    uint32_t run_id;
    char name[32];
    VEC(struct launch_row) rows;
    VEC(struct launch_command) commands, relayed; // relayed: to the dispatcher
    uint32_t entry_bytes, unread;                 // of the entry; not yet asked for
    uint64_t packet;                              // that brings the end of the entry
    uint64_t go;                                  // cycle of the newest GO
    uint64_t first_go, last_go, own_go;           // cycles of its arrivals; 0: none
    uint32_t n_cores;
    bool has_entry, has_text, has_rung, is_enqueued, has_entered, has_begun;

    // What the RISC executed last: the loop it waits in, and how it leaves it.
    struct launch_pc {
        uint64_t cycle;
        uint32_t pc;
    } pcs[LAUNCH_PCS];
    size_t n_pcs;
    uint32_t loop_from, loop_to;
    bool has_loop, has_left;
};

// `s` has t, number, dev, core and risc; false: there is no such core.
bool launch_steps_begin(struct launch_steps *s);
void launch_steps_event(void *context, const struct tt_event *event);
void launch_steps_hear(void *context, const ttdev_truth_event *event);
void launch_steps_step(void *context, const ttdev_step *step);
// False: there were not so many launches.
bool launch_steps_put(struct launch_steps *s, struct buf *out);
void launch_steps_free(struct launch_steps *s);

#endif
