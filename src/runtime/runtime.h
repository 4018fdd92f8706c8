// runtime.h - the runtime's inside: what op libraries build on.
//
// An op is a description: what it is called, what it takes and gives, how its program is
// made. The runtime looks for the program in the cache by the hash of the description,
// makes it when it is not there, sets the arguments that depend on addresses, enqueues it
// on every chip and records all that.
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
    uint32_t address; // the same on every chip; DRAM: in every bank, L1: on every core
    uint32_t n_pages, page_bytes;
    uint32_t pages_per_core; // of a sharded one
    bool is_freed;
};

// Where the pages of a tensor are, as the arguments of a kernel: kernel/ops/operand.h says
// what each of the RT_OPERAND_WORDS words is. Pages of tiles lie row by row (W, Z, Y, X); a
// page of a row-major tensor is a row, padded to 64 bytes. Height shards are numbered down,
// width shards across, and both lie on cores row by row of the shard grid.
enum { RT_OPERAND_WORDS = 8 };
void rt_operand(const ttrt_tensor *t, uint32_t words[RT_OPERAND_WORDS]);

struct rt_attribute {
    const char *name;
    const char *value;
};

// A kernel as the op record tells of it.
struct rt_kernel {
    const char *image;  // "ops/read"
    const char *source; // "kernel/ops/read.ncrisc.c"
    int risc;           // TT_BRISC ...; compute kernels: TT_TRISC0, for all three
    bool is_compute;
    int fidelity;
};

struct rt_model { // ns on this device, as tt-metal's performance model has them
    double ideal_ns, compute_ns, bandwidth_ns;
};

struct rt_op;
// A program in the making, or one from the cache whose arguments are set anew.
struct rt_program {
    ttrt *m;
    int device;
    const struct rt_op *op;
    ttdev_program *p;
    ttdev_range cores;
    bool is_new; // kernels and buffers are to be made; else arguments only
    // Made in this order; when the program is not new they are given out again in it.
    struct rt_made_kernel {
        int number, n_riscs; // n_riscs: numbers behind each other, 3 of a compute kernel
    } kernel[RT_MOST_KERNELS];
    uint32_t semaphore[RT_MOST_SEMAPHORES];
    size_t n_kernels, n_semaphores;
    size_t next_kernel, next_semaphore; // of the present round
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
    // NULL: nothing is known, the record says 1, 1, 1.
    void (*model)(const ttrt *m, const struct rt_op *op, struct rt_model *model);
    const void *own; // of the op library, for `program`; counts for the hash below
    size_t own_bytes;
    uint64_t flops, bytes; // of one chip: what it computes, what it moves from and to DRAM
};

// Runs an op on every chip.
void rt_run(ttrt *m, struct rt_op *op);
// Texts in the arena of the current op; the number as Python prints it, whole ones as int.
struct rt_attribute rt_attribute_text(ttrt *m, const char *name, const char *value);
struct rt_attribute rt_attribute_number(ttrt *m, const char *name, double value);

// The runtime over a device that somebody else has opened and closes; the profiler is
// somebody else's, too.
ttrt *ttrt_over(ttdev *t);
ttdev *ttrt_device(ttrt *m);
// Host events of this process are stamped by the device's host clock from here on. Does
// nothing when nothing is recorded. One device at a time.
void rt_clock_start(const ttdev *t);
// Before the device is closed. Its clock goes on with the pace of the real one: back on the
// real clock, events could come before those that the device's clock was ahead with.
void rt_clock_stop(const ttdev *t);
void rt_set_timeout(ttrt *m, uint64_t ns); // device time of one program
// How that profiler is read: ttrt_read_device_profiler, ttrt_read_results. NULL: not at
// all.
void rt_use_reader(ttrt *m, void (*read)(void *context), void *context);
void rt_fail(ttrt *m, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool rt_has_failed(const ttrt *m);
struct arena *rt_arena(ttrt *m); // of the current op: until rt_run returns
ttdev_range rt_all_cores(const ttrt *m);
// The smallest rectangle of the grid with a core for each of so many pieces of work.
ttdev_range rt_cores_for(const ttrt *m, uint32_t pieces);
const ttdev_info *rt_info(const ttrt *m);
// Told after every op was enqueued, for tests: NULL: nobody.
void rt_on_op(ttrt *m,
              void (*hook)(void *context, const struct rt_op *op, int device, uint32_t id,
                           bool is_hit),
              void *context);

// --- for op libraries, in rt_op.program ---
// The kernel's place in rt_program.kernel; arguments of a compute kernel go to all three
// RISCs. When the program is not new: the one it had.
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
// The reference's model: the slower of computing for so many cycles and of moving the
// largest tensor from or to DRAM.
void rt_model_cycles(const ttrt *m, const struct rt_op *op, double cycles,
                     struct rt_model *model);
// Cycles of matrix engines, one on every core, for so many multiplications and additions.
double rt_model_matrix_cycles(const ttrt *m, uint64_t flops, int fidelity);
// The same for the vector units: element by element functions.
double rt_model_vector_cycles(const ttrt *m, uint64_t elements);

#endif
