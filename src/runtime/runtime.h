// runtime.h - the runtime's internals that op libraries build on.
//
// An op is a description: its name, its inputs and outputs, and how its program is made.
// The runtime looks up the program in the cache by a hash of the description, makes it if
// missing, sets the arguments that depend on addresses, enqueues it on every chip and
// records all of it.
#ifndef TTP_RUNTIME_RUNTIME_H
#define TTP_RUNTIME_RUNTIME_H

#include "base/data/arena.h"
#include "base/data/vec.h"
#include "base/text/buf.h"

#include "sim/ttdev.h"
#include "ttprof/runtime.h"

enum { RT_TILE = 32, RT_MOST_OPERANDS = 8, RT_MOST_KERNELS = 16, RT_MOST_SEMAPHORES = 16 };

struct ttrt_tensor {
    ttrt *m;
    struct ttrt_spec spec;
    uint32_t padded[4]; // W, Z, Y, X
    const char *name;
    uint32_t address; // same on every chip; in every DRAM bank or on every core's L1
    uint32_t n_pages, page_bytes;
    uint32_t pages_per_core; // sharded tensors
    bool is_freed;
};

// Where the pages of a tensor are, as kernel arguments; kernel/ops/operand.h documents the
// RT_OPERAND_WORDS words. Tile pages are in row order (W, Z, Y, X); a page of a row-major
// tensor is a row, padded to 64 bytes. Height shards are numbered down, width shards
// across, and both are assigned to cores row by row of the shard grid.
enum { RT_OPERAND_WORDS = 8 };
void rt_operand(const ttrt_tensor *t, uint32_t words[RT_OPERAND_WORDS]);

struct rt_attribute {
    const char *name;
    const char *value;
};

// A kernel as listed in the op record.
struct rt_kernel {
    const char *image;  // "ops/read"
    const char *source; // "kernel/ops/read.ncrisc.c"
    int risc;           // TT_BRISC ...; compute kernels: TT_TRISC0 for all three
    bool is_compute;
    int fidelity;
};

struct rt_model { // ns on this device, from tt-metal's performance model
    double ideal_ns, compute_ns, bandwidth_ns;
};

struct rt_op;
// A program being made, or a cached one whose arguments are set again.
struct rt_program {
    ttrt *m;
    int device;
    const struct rt_op *op;
    ttdev_program *p;
    ttdev_range cores;
    bool is_new; // kernels and buffers must be made; else arguments only
    // In the order made; a cached program hands them out again in the same order.
    struct rt_made_kernel {
        int number, n_riscs; // n_riscs: consecutive numbers, 3 for a compute kernel
    } kernel[RT_MOST_KERNELS];
    uint32_t semaphore[RT_MOST_SEMAPHORES];
    size_t n_kernels, n_semaphores;
    size_t next_kernel, next_semaphore; // position in the current pass
};

struct rt_op {
    const char *code; // "MatmulDeviceOperation"
    struct rt_attribute attributes[24];
    size_t n_attributes;
    const ttrt_tensor *inputs[RT_MOST_OPERANDS];
    size_t n_inputs;
    ttrt_tensor *outputs[RT_MOST_OPERANDS];
    size_t n_outputs;
    const struct rt_kernel *kernels;
    size_t n_kernels;
    // Makes the kernels (is_new) and sets all arguments.
    void (*program)(struct rt_program *p);
    // NULL: unknown, the record says 1, 1, 1.
    void (*model)(const ttrt *m, const struct rt_op *op, struct rt_model *model);
    const void *own; // the op library's plan, for `program`; hashed
    size_t own_bytes;
    uint64_t flops, bytes; // per chip: computed, and moved to and from DRAM
};

// Runs an op on every chip.
void rt_run(ttrt *m, struct rt_op *op);
// Texts in the arena of the current op; numbers as printed by Python, whole ones as int.
struct rt_attribute rt_attribute_text(ttrt *m, const char *name, const char *value);
struct rt_attribute rt_attribute_number(ttrt *m, const char *name, double value);

// A runtime over a device and a profiler that the caller opens and closes.
ttrt *ttrt_over(ttdev *t);
ttdev *ttrt_device(ttrt *m);
// From here on host events of this process are stamped with the device's host clock. Does
// nothing if nothing is recorded. One device at a time.
void rt_clock_start(const ttdev *t);
// Call before the device is closed. Its clock then continues at the pace of the real one:
// going back to the real clock could put later events before earlier ones.
void rt_clock_stop(const ttdev *t);
void rt_set_timeout(ttrt *m, uint64_t ns); // device time of one program
// How that profiler is read by ttrt_read_device_profiler and ttrt_read_results; NULL: not
// read.
void rt_use_reader(ttrt *m, void (*read)(void *context), void *context);
// The result of a call that may still fail: freed with the error if it does.
void rt_will_be_made(ttrt *m, ttrt_tensor *t);
void rt_fail(ttrt *m, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool rt_has_failed(const ttrt *m);
struct arena *rt_arena(ttrt *m); // of the current op; valid until rt_run returns
ttdev_range rt_all_cores(const ttrt *m);
// The smallest rectangle of the grid with a core for each piece of work.
ttdev_range rt_cores_for(const ttrt *m, uint32_t pieces);
const ttdev_info *rt_info(const ttrt *m);
// Called after every op is enqueued, for tests; NULL: no hook.
void rt_on_op(ttrt *m,
              void (*hook)(void *context, const struct rt_op *op, int device, uint32_t id,
                           bool is_hit),
              void *context);

// --- for op libraries, in rt_op.program ---
// Returns the kernel's index in rt_program.kernel; arguments of a compute kernel go to all
// three RISCs. A cached program returns its existing kernel.
int rt_make_kernel(struct rt_program *p, ttdev_range cores, int risc, const char *image,
                   int noc);
int rt_make_compute(struct rt_program *p, ttdev_range cores, const char *image); // 3 RISCs
void rt_set_common(struct rt_program *p, int kernel, const uint32_t *args, size_t n);
void rt_set_args(struct rt_program *p, int kernel, ttdev_range cores, const uint32_t *args,
                 size_t n);
void rt_make_cb(struct rt_program *p, ttdev_range cores, int cb, uint32_t pages,
                uint32_t page_bytes);
uint32_t rt_make_semaphore(struct rt_program *p, ttdev_range cores);

// --- for op libraries, in rt_op.model ---
// tt-metal's model: the longer of computing for this many cycles and moving the largest
// tensor to or from DRAM.
void rt_model_cycles(const ttrt *m, const struct rt_op *op, double cycles,
                     struct rt_model *model);
// Matrix engine cycles, with one engine per core, for this many multiplications and
// additions.
double rt_model_matrix_cycles(const ttrt *m, uint64_t flops, int fidelity);
// Same for the vector units: elementwise functions.
double rt_model_vector_cycles(const ttrt *m, uint64_t elements);

#endif
