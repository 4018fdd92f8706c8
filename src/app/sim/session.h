// session.h - user kernels on a software device: from options to a program.
#ifndef TTP_APP_SIM_SESSION_H
#define TTP_APP_SIM_SESSION_H

#include "base/data/vec.h"
#include "base/file/file.h"

#include "app/options.h"
#include "app/sim/config.h"
#include "app/sim/memory.h"
#include "app/sim/profile.h"

struct kernel_options {
    struct sim_device device;
    struct sim_profile profile;
    bool json, hash;
    double timeout_ms;
    const char *cores, *prelude;
    int64_t channel, noc; // -1: not given
    struct option_list args, common, cbs, semaphores, writes, reads, defines;
};

enum { KERNELS = TTDEV_ERISC + 1, MEMORY_PLACES = 32 };

// The kernel that one RISC of all cores runs, and its timing.
struct kernel {
    const char *file;
    ttdev_image *image;                 // NULL: nothing
    int number;                         // in the program
    uint64_t n, shortest, longest, sum; // runs and their cycles
    uint64_t instructions;
};

struct session {
    const struct kernel_options *v;
    struct words files;
    struct err *e;
    struct file *open; // by file; sources stay closed
    const char *file;  // being loaded
    ttdev_cfg cfg;
    ttdev *t;
    ttdev_info info;
    struct profiled profiled;
    ttdev_program *program;
    struct kernel kernels[KERNELS]; // by RISC
    ttdev_range cores, channel;
    ttdev_xy eth;          // NOC0 place of the channel
    VEC(ttdev_core) tiles; // whose L1 is written and read
    struct memory_place writes[MEMORY_PLACES], reads[MEMORY_PLACES];
    struct buf read[MEMORY_PLACES]; // what was read
    VEC(ttdev_truth_event) begun;   // running kernels
    uint64_t go, end;               // cycles: first GO, last kernel's end
    int result;                     // of the wait
};

// Sets up options, files, device and program; sets an error on failure.
bool session_open(struct session *s);
void session_close(struct session *s);

#endif
