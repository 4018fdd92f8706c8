// parts.h - shared by the runtime's files.
#ifndef TTP_RUNTIME_PARTS_H
#define TTP_RUNTIME_PARTS_H

#include <stdatomic.h>
#include <sys/types.h>

#include "base/data/map.h"
#include "base/text/json.h"

#include "runtime/runtime.h"
#include "ttprof/profiler.h"

// --- memory (buffer.c) -----------------------------------------------------------------
// One kind of memory, the same on every bank or core: taken address ranges, in order.
struct rt_span {
    uint32_t from, to;
};
struct rt_memory {
    uint32_t from, to, align;
    bool is_from_top; // else from the bottom
    VEC(struct rt_span) taken;
};
// First fit; false if there is no room.
bool rt_memory_take(struct rt_memory *memory, uint64_t bytes, uint32_t *address);
bool rt_memory_give(struct rt_memory *memory,
                    uint32_t address);                      // false if it was not taken
uint64_t rt_memory_largest(const struct rt_memory *memory); // gap, in bytes

// Makes a buffer for the tensor's pages on every chip and reports it to the profiler.
void rt_buffer_make(ttrt *m, ttrt_tensor *t);
// With several queues, memory is taken again only after a wait for all of them: a queue
// that is ahead must not write where another one still reads.
void rt_buffer_free(ttrt *m, ttrt_tensor *t);
void rt_buffers_give(ttrt *m); // freed memory, after such a wait
// Copies all pages, in order, from or to host memory.
void rt_buffer_write(ttrt *m, int device, const ttrt_tensor *t, const uint8_t *pages);
void rt_buffer_read(ttrt *m, int device, const ttrt_tensor *t, uint8_t *pages);

// Values as pages and back (values.c), as ttrt_from_host and ttrt_to_host see them: an
// integer tensor holds the values as whole numbers. Pages are in memory to be freed.
uint8_t *rt_values_pack(const ttrt_tensor *t, const float *values);
void rt_values_unpack(const ttrt_tensor *t, const uint8_t *pages, float *values);

// --- tensors (tensor.c, pages.c) -------------------------------------------------------
struct rt_dtype {
    const char *name; // "BFLOAT16"
    uint32_t bytes;   // per value, as counted by the performance model
    uint32_t tile_bytes;
};
extern const struct rt_dtype rt_dtypes[TTRT_DTYPES];
const char *rt_layout_name(int layout);               // "TILE"
const char *rt_buffer_name(int buffer);               // "DRAM"
const char *rt_memory_layout_name(int memory_layout); // "INTERLEAVED"
// Checks that the tensor exists and is usable; else fails and returns false.
bool rt_tensor_check(ttrt *m, const ttrt_tensor *t, const char *what);

// Converts values (floats, or TTRT_UINT32 words) of the logical shape to and from pages.
void rt_pages_pack(const ttrt_tensor *t, const void *values, uint8_t *pages);
void rt_pages_unpack(const ttrt_tensor *t, const uint8_t *pages, void *values);

// Where a page of an L1 tensor is.
ttdev_place rt_page_place(const ttrt_tensor *t, uint32_t page);

// The grid's place on the NoC, as kernel/ops/operand.h has it: its corner, and the columns
// left out.
uint32_t rt_grid_corner(const ttrt *m);

// --- programs (cache.c) ----------------------------------------------------------------
struct rt_entry {
    struct rt_program *programs; // one per chip; p NULL: not made yet
    uint64_t hash;
};
uint64_t rt_op_hash(const ttrt *m, const struct rt_op *op);
// The op's entry, found or new. With the cache off always new; dropped when the queue is
// empty.
struct rt_entry *rt_cache_find(ttrt *m, uint64_t hash, bool *is_hit);
void rt_cache_forget(ttrt *m, uint64_t hash); // an entry that could not be made
void rt_cache_drop(ttrt *m);                  // entries not kept by the cache
void rt_cache_free(ttrt *m);

// --- the queue (queue.c) ---------------------------------------------------------------
void rt_queue_wait(ttrt *m, int device);           // until the chip is done
void rt_queue_fail(ttrt *m, int device, int code); // a wait for the chip failed
void rt_queue_turn(ttrt *m, int device);           // until it takes another program
// Launches when the previous program is done; during trace capture only records it. The run
// id is the base of the op's id, to which the profiler adds the device.
void rt_queue_launch(ttrt *m, int device, ttdev_program *p, uint32_t base);
// Waits before host accesses to buffers. False if not possible now.
bool rt_queue_drain(ttrt *m, const char *what);

// --- transfers by way of a queue (transfers.c) -------------------------------------------
enum { RT_QUEUES = 2 };
// A read whose pages have not been turned into values.
struct rt_read {
    int device, queue;
    uint32_t after;     // number of the queue's last event before it
    ttrt_tensor tensor; // as it was: it may be freed meanwhile
    uint8_t *pages;
    float *values;
};
// Those of a chip that are done: all, or of an event's queue and before the event.
void rt_reads_finish(ttrt *m, int device, const ttrt_event *event);
void rt_reads_free(ttrt *m);

// --- records (op_record.c, host_op.c) --------------------------------------------------
uint32_t rt_next_base(void); // op id base, unique in the process; 21 bits, never 0
bool rt_ops_are_told(void);  // TTNN_OP_PROFILER is set and recording is on
struct rt_told {             // content of an op message
    const struct rt_op *op;
    int device; // chip id
    uint32_t id;
    uint64_t hash;
    bool is_hit;
};
uint64_t rt_kernel_hash(const ttrt *m, const struct rt_kernel *kernel); // over its images
const char *rt_fidelity_name(int fidelity);                             // "HiFi4"
// Bytes per ns of a tensor in the model's time, as a float.
double rt_model_rate(const ttrt_tensor *t, double ideal_ns);
void rt_record_json(const ttrt *m, const struct rt_told *told, struct buf *b);
// Text in backticks, as in messages.
void rt_message_quote(struct buf *to, str text);
// The whole message, with the record or (is_known) without.
void rt_record_message(const ttrt *m, const struct rt_told *told, bool is_known,
                       struct buf *b);
void rt_record_put(ttrt *m, const struct rt_told *told);

// --- the op profiler of 2023 (legacy*.c) -----------------------------------------------
bool rt_legacy_is_used(void);
// Sets or clears the device whose rows ops get.
void rt_legacy_attach(ttrt *m, bool is_open);
void rt_legacy_op_begin(const struct rt_op *op);
void rt_legacy_op_end(ttrt *m, const struct rt_op *op);

// A runtime call: a zone, and a row of the 2023 op profiler if an op is open.
struct rt_call {
    const char *name; // NULL if nothing is profiled
    uint64_t start;
};
struct rt_call rt_call_begin(const char *name);
void rt_call_end(const struct rt_call *call);
#define RT_CALL(zone, name)                                                                \
    TTPROF_ZONE_AS(zone, name, 0);                                                         \
    __attribute__((cleanup(rt_call_end), unused)) struct rt_call zone##_call =             \
        rt_call_begin(name)

struct rt_trace {
    int number[TTDEV_MAX_CHIPS]; // device number by chip
    bool is_released;
};

// --- errors and threads (errors.c) -----------------------------------------------------
enum { RT_THREAD_NAME = 40 };
// What another thread than the owner left: it may not touch anything else.
enum rt_stranger { RT_STRANGER_NONE, RT_STRANGER_WRITES, RT_STRANGER_TOLD };
// True on the thread that the runtime belongs to; notes the other one else.
bool rt_is_owner(ttrt *m);
// Whether a call may do its work: there is a runtime, it is the owner's, nothing has
// failed.
bool rt_enter(ttrt *m);
// After a call for each chip: a failure with n_done chips done cannot be cleared.
void rt_break_after(ttrt *m, int n_done);

// --- call sites (call_site.c) ----------------------------------------------------------
void rt_call_site_put(const ttrt *m, struct json *j); // "call_site": "file:line function"
// Notes the call site of an op, by its number in `told`. Whether the last full record of
// the op, if there is one (is_known), has the same call site.
bool rt_site_is_told(ttrt *m, uint32_t op, bool is_known);

// The simulator's own time so far, as a plot, if it is left out of host times (clock.c).
void rt_tell_simulation(ttrt *m);

struct ttrt {
    ttdev *t;
    bool is_owner; // of the device
    struct tt_access access;
    ttprof_profiler *profiler; // NULL: external, or none
    bool is_profiled;          // by it
    void (*read)(void *context);
    void *read_context;
    ttdev_info info;
    int chip_id[TTDEV_MAX_CHIPS];
    ttdev_xy limit; // of the grid; 0, 0: no limit
    int sub_device, manager;
    uint64_t timeout_ns;
    int code; // of the first failure, a negative errno; 0: none
    struct err error;
    const char *fault; // replaces the text: the device's fault report, which is longer
    bool is_broken;    // chips are in different states, or stuck: the error stays
    // Results of a call that is not done yet; freed with the error if it fails.
    ttrt_tensor *results[RT_MOST_OPERANDS];
    size_t n_results;

    pid_t thread; // the owner
    char thread_name[RT_THREAD_NAME];
    atomic_int stranger;
    char stranger_text[4 * RT_THREAD_NAME];

    struct arena life, op; // life: until close; op: until rt_run returns
    struct rt_memory dram, l1;
    VEC(ttrt_tensor *) tensors;
    VEC(const ttrt_tensor *) leaving; // freed, and queues may still use their memory

    bool is_cached;
    struct map keys; // hashes
    VEC(struct rt_entry *) entries;
    VEC(struct rt_entry *) loose; // not in the cache
    struct map told;              // ops recorded in full, by device and hash
    VEC(uint64_t) told_sites;     // hash of the call site in their last full record
    struct buf call_site;         // of the next op; empty: not known
    bool has_call_sites;          // of an op so far
    uint64_t simulation_ns;       // as told last

    bool is_busy[TTDEV_MAX_CHIPS];
    VEC(struct rt_read) reads; // under way
    uint32_t last_event[TTDEV_MAX_CHIPS][RT_QUEUES];
    bool is_capturing;
    VEC(struct rt_trace) traces;

    void (*hook)(void *context, const struct rt_op *op, int device, uint32_t id,
                 bool is_hit);
    void *hook_context;
};

void rt_fail_with(ttrt *m, int code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4))); // code: negative errno; rt_fail uses -EINVAL
// Takes the result of a device call; fails with the device's text if negative. True if it
// succeeded.
bool rt_checked(ttrt *m, int code, const char *what);

#endif
