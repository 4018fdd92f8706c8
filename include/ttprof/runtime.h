// runtime.h - runs work on the software device and records it: devices and meshes, tensors,
// ops, a program cache, a command queue, traces.
//
//     #include <stdio.h>
//     #include <ttprof/runtime.h>
//
//     int main(void)
//     {
//         static float values[64 * 64];
//         char why[256];
//         ttrt *m = ttrt_open("arch=wormhole", why);
//         if (!m)
//             return puts(why);
//         ttrt_tensor *a = ttrt_from_host(m, values, ttrt_spec2(64, 64), "a");
//         ttrt_tensor *c = ttrt_matmul(m, a, a, NULL);
//         ttrt_to_host(m, 0, c, values);
//         return ttrt_close(m) < 0;
//     }
//
// Link with -lttprof-runtime.
//
// Every op leaves a record, like tt-metal's runtime: a zone (TT_DNN_DEVICE_OP, text "id:<op
// id>") that covers making, compiling and enqueuing its program, and a message with
// everything known about it. Both use the recorder of ttprof/host.h and cost a branch if
// nothing is recorded.
//
// After the first failed call all later ones do nothing: results are NULL, and ttrt_error
// says why, until ttrt_clear_error. A runtime belongs to the thread that opened it; calls
// from others do nothing, and are an error. An op id is base << 10 | device; the base
// counts all ops of the process from 1.
#ifndef TTPROF_RUNTIME_H
#define TTPROF_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ttrt ttrt; // a mesh of 1 .. 32 chips
typedef struct ttrt_tensor ttrt_tensor;

enum ttrt_dtype { TTRT_BFLOAT16, TTRT_FLOAT32, TTRT_BFLOAT8_B, TTRT_UINT32, TTRT_DTYPES };
enum ttrt_layout { TTRT_TILE, TTRT_ROW_MAJOR };
enum ttrt_buffer_type { TTRT_DRAM, TTRT_L1 };
enum ttrt_memory_layout {
    TTRT_INTERLEAVED,
    TTRT_HEIGHT_SHARDED,
    TTRT_WIDTH_SHARDED,
    TTRT_BLOCK_SHARDED
};
enum ttrt_fidelity { TTRT_LOFI = 1, TTRT_HIFI2, TTRT_HIFI3, TTRT_HIFI4 }; // passes

struct ttrt_memory {
    int buffer, layout;   // enum ttrt_buffer_type, ttrt_memory_layout
    int shard_x, shard_y; // cores across and down that hold shards; 0: not sharded
};

struct ttrt_spec {
    uint32_t shape[4]; // logical: W, Z, Y, X
    int dtype, layout; // enum ttrt_dtype, ttrt_layout
    struct ttrt_memory memory;
};
struct ttrt_spec ttrt_spec2(uint32_t y, uint32_t x); // bf16 tiles in DRAM
struct ttrt_spec ttrt_spec4(uint32_t w, uint32_t z, uint32_t y, uint32_t x); // same

// --- devices ---------------------------------------------------------------------------
// config: "key=value ..." as in TTPROF_DEVICE; NULL: use that variable. The profiler is
// attached according to the environment (TT_METAL_DEVICE_PROFILER ...).
ttrt *ttrt_open(const char *config, char err[256]);
// chips: those of the board to open, as "0,2"; NULL: as TT_VISIBLE_DEVICES says.
ttrt *ttrt_open_chips(const char *config, const char *chips, char err[256]);
// Synchronises, reads the profiler, closes. Returns 0, or the first error as a negative
// errno. -EPERM, without closing, on a thread that the runtime does not belong to.
int ttrt_close(ttrt *m);
// "" if there was no error. On another thread: only whether it should not have been there.
const char *ttrt_error(const ttrt *m);
// Forgets the error and frees the results of the op that failed, so that calls work again:
// returns 0. A call that was refused changed nothing, but a write that failed may have
// changed a part of its tensor. Returns the error's negative errno and keeps it if the mesh
// cannot go on: a chip did not finish or had a fault, or only some chips took a call.
int ttrt_clear_error(ttrt *m);
// The runtime belongs to the calling thread from here on. Nobody may be using it.
void ttrt_use_thread(ttrt *m);
// Real time that the simulator has taken and that host times leave out; 0 with
// clockmode=det.
uint64_t ttrt_simulation_ns(const ttrt *m);
int ttrt_n_devices(const ttrt *m);
void ttrt_grid(const ttrt *m, int *x, int *y); // the cores that ops may use
// Limits ops to this part of the grid; 0, 0: no limit.
void ttrt_use_grid(ttrt *m, int x, int y);
void ttrt_enable_program_cache(ttrt *m, bool is_on); // on by default
size_t ttrt_program_cache_entries(const ttrt *m);
void ttrt_clear_program_cache(ttrt *m);
// The line of the caller's program that later ops come from: "call_site" of their records.
// file NULL: not known.
void ttrt_call_site(ttrt *m, const char *file, uint32_t line, const char *function);
// The part of the chip that later ops are reported to run on; -1: none.
void ttrt_use_sub_device(ttrt *m, int sub_device, int manager);

// --- tensors: one buffer of the same shape on every chip of the mesh --------------------
ttrt_tensor *ttrt_empty(ttrt *m, struct ttrt_spec spec, const char *name);
// The same values on every chip.
ttrt_tensor *ttrt_from_host(ttrt *m, const float *values, struct ttrt_spec spec,
                            const char *name);
// Different values on each chip: values[chip].
ttrt_tensor *ttrt_from_host_each(ttrt *m, const float *const *values, struct ttrt_spec spec,
                                 const char *name);
ttrt_tensor *ttrt_ids_from_host(ttrt *m, const uint32_t *values, struct ttrt_spec spec,
                                const char *name); // TTRT_UINT32, row major
// Waits for the op that makes it.
void ttrt_to_host(ttrt *m, int device, const ttrt_tensor *t, float *values);
// The same for TTRT_UINT32, whose values may not be floats.
void ttrt_ids_to_host(ttrt *m, int device, const ttrt_tensor *t, uint32_t *values);
struct ttrt_spec ttrt_spec_of(const ttrt_tensor *t);
size_t ttrt_volume(const ttrt_tensor *t); // logical values
// Frees the buffer; NULL: no-op. What is in a queue may still use it.
void ttrt_free(ttrt *m, ttrt_tensor *t);

// --- command queues, traces ------------------------------------------------------------
void ttrt_synchronise(ttrt *m);   // waits for all queues of all chips
int ttrt_n_queues(const ttrt *m); // at least 1; "cqs=2" in the configuration: 2

// Transfers by way of a queue return at once: each queue works in the order of calls. Ops
// and traces use queue 0, so that transfers on queue 1 overlap them. Events order the
// queues:
//
//     ttrt_write(m, 1, input, values);
//     ttrt_wait_event(m, 0, ttrt_record_event(m, 1)); // later ops see the values
//
// Not while a trace is being captured.
typedef struct ttrt_event { // zero: one that has happened
    int queue;
    uint32_t number[32]; // by chip
} ttrt_event;
// The same values on every chip; copied before it returns.
void ttrt_write(ttrt *m, int queue, ttrt_tensor *t, const float *values);
// The values are there after ttrt_synchronise, or after ttrt_synchronise_event with an
// event that was recorded on this queue later.
void ttrt_read(ttrt *m, int queue, int device, const ttrt_tensor *t, float *values);
// Happens when everything enqueued before it on this queue is done.
ttrt_event ttrt_record_event(ttrt *m, int queue);
// What is enqueued later on this queue waits for the event; the host does not.
void ttrt_wait_event(ttrt *m, int queue, ttrt_event event);
void ttrt_synchronise_event(ttrt *m, ttrt_event event); // the host waits

// Ops between begin and end are recorded without running; each replay runs them.
int ttrt_trace_begin(ttrt *m); // the trace's number; negative: failed
void ttrt_trace_end(ttrt *m, int trace);
void ttrt_trace_replay(ttrt *m, int trace);
void ttrt_trace_release(ttrt *m, int trace);

// --- ops -------------------------------------------------------------------------------
// How the cores of a matmul get their operands, by tt-metal's names:
// MatmulMultiCoreReuseProgramConfig, where each core reads its own, and
// MatmulMultiCoreReuseMultiCastProgramConfig, where the cores form a rectangle with one
// block of the result each; one core of each row reads a and multicasts it along the row,
// one of each column reads b.
enum ttrt_matmul_config {
    TTRT_MATMUL_AUTO,
    TTRT_MATMUL_REUSE,
    TTRT_MATMUL_MULTICAST,
    TTRT_MATMUL_CONFIGS
};

// Options of an op; NULL or zero members: defaults.
struct ttrt_how {
    int fidelity;              // enum ttrt_fidelity; default HiFi4
    struct ttrt_memory memory; // of the result; default DRAM interleaved
    int dtype;                 // of the result, if is_typed
    bool is_typed, has_memory;
    // Matmul program config. 0: chosen by the op.
    int config; // enum ttrt_matmul_config
    int grid_x, grid_y;
    int in0_block_w, out_subblock_h, out_subblock_w, per_core_m, per_core_n;
    const char *name; // of the result
};

enum ttrt_unary {
    TTRT_RELU,
    TTRT_ABS,
    TTRT_NEG,
    TTRT_SQUARE,
    TTRT_SQRT,
    TTRT_RECIPROCAL,
    TTRT_EXP,
    TTRT_GELU,
    TTRT_TANH,
    TTRT_SIGMOID,
    TTRT_RSQRT,
    TTRT_UNARIES
};
enum ttrt_binary { TTRT_ADD, TTRT_SUB, TTRT_MUL, TTRT_BINARIES };
enum ttrt_pool { TTRT_SUM, TTRT_MEAN, TTRT_MAX };
enum ttrt_dim { TTRT_DIM_Y = 2, TTRT_DIM_X = 3 };

// Batched over W and Z; b may have a single matrix for all.
ttrt_tensor *ttrt_matmul(ttrt *m, const ttrt_tensor *a, const ttrt_tensor *b,
                         const struct ttrt_how *how);
// a x b + bias (a row), then a function (TTRT_UNARIES: none).
ttrt_tensor *ttrt_linear(ttrt *m, const ttrt_tensor *a, const ttrt_tensor *b,
                         const ttrt_tensor *bias, int activation,
                         const struct ttrt_how *how);
ttrt_tensor *ttrt_unary(ttrt *m, int function, const ttrt_tensor *a,
                        const struct ttrt_how *how);
// a * scale + offset
ttrt_tensor *ttrt_scale(ttrt *m, const ttrt_tensor *a, float scale, float offset,
                        const struct ttrt_how *how);
// b: same shape, one row, one column or one value, which is broadcast.
ttrt_tensor *ttrt_binary(ttrt *m, int function, const ttrt_tensor *a, const ttrt_tensor *b,
                         const struct ttrt_how *how);
ttrt_tensor *ttrt_softmax(ttrt *m, const ttrt_tensor *a, float scale,
                          const struct ttrt_how *how); // along X
ttrt_tensor *ttrt_layernorm(ttrt *m, const ttrt_tensor *a, const ttrt_tensor *gamma,
                            const ttrt_tensor *beta, float epsilon,
                            const struct ttrt_how *how); // gamma, beta: NULL or a row
ttrt_tensor *ttrt_reduce(ttrt *m, int pool, int dim, const ttrt_tensor *a,
                         const struct ttrt_how *how);
ttrt_tensor *ttrt_transpose(ttrt *m, const ttrt_tensor *a,
                            const struct ttrt_how *how); // Y and X
ttrt_tensor *ttrt_embedding(ttrt *m, const ttrt_tensor *ids, const ttrt_tensor *table,
                            const struct ttrt_how *how);
// [1, 1, S, 3 H D] -> three of [1, H, S, D]
void ttrt_split_heads(ttrt *m, const ttrt_tensor *qkv, int heads, ttrt_tensor *out[3],
                      const struct ttrt_how *how);
ttrt_tensor *
ttrt_concat_heads(ttrt *m, const ttrt_tensor *a,
                  const struct ttrt_how *how); // [1, H, S, D] -> [1, 1, S, H D]
// On a mesh: every chip gets the parts of all chips, concatenated along dim.
ttrt_tensor *ttrt_all_gather(ttrt *m, const ttrt_tensor *a, int dim,
                             const struct ttrt_how *how);
// Sums over the chips; chip i keeps part i along dim.
ttrt_tensor *ttrt_reduce_scatter(ttrt *m, const ttrt_tensor *a, int dim,
                                 const struct ttrt_how *how);
// Backward and optimizer
ttrt_tensor *ttrt_gelu_backward(ttrt *m, const ttrt_tensor *gradient, const ttrt_tensor *a,
                                const struct ttrt_how *how);
ttrt_tensor *ttrt_softmax_backward(ttrt *m, const ttrt_tensor *gradient,
                                   const ttrt_tensor *result, const struct ttrt_how *how);
ttrt_tensor *ttrt_layernorm_backward(ttrt *m, const ttrt_tensor *gradient,
                                     const ttrt_tensor *a, float epsilon,
                                     const struct ttrt_how *how); // without gamma
// weights -= rate * gradient, in place.
void ttrt_sgd(ttrt *m, ttrt_tensor *weights, const ttrt_tensor *gradient, float rate);
// One tile of nothing on one core: the marker of the training profiler.
void ttrt_profiler_noop(ttrt *m, const char *identifier);

// A host op: recorded as python_fallback (zone TT_DNN_FALLBACK_OP) or tt_dnn_cpu.
enum ttrt_host_op_type { TTRT_PYTHON_FALLBACK, TTRT_CPU };
void ttrt_host_op(ttrt *m, const char *code, int type, void (*work)(void *context),
                  void *context);

// --- the profiler ------------------------------------------------------------------------
void ttrt_read_device_profiler(ttrt *m);
// The mesh's profiler, for the calls of ttprof/profiler.h; NULL if there is none.
struct ttprof_profiler *ttrt_profiler(const ttrt *m);
// For training: marker ops, a read if requested, marker ops (5 before, 5 after).
// ttrt_dump_results is the older form that always reads.
void ttrt_read_results(ttrt *m, const char *identifier, bool dump_results, int n_noops);
void ttrt_dump_results(ttrt *m, const char *identifier, int n_noops);

// --- the op profiler of 2023 (ttl.profiler) ---------------------------------------------
bool ttrt_get_profiler_flag(void);
// Later ops, including device ops, go to <profiler folder>/.logs/<folder>, which is
// recreated. NULL: stop. Default: "ops" from the first start on.
void ttrt_set_profiler_location(const char *folder);
void ttrt_start_profiling(const char *name, const char *type);
int ttrt_stop_profiling(const char *name);   // -EINVAL: not the innermost op
int ttrt_append_meta_data(const char *text); // -EINVAL: no op is open
void ttrt_append_input_data(const ttrt_tensor *t);
void ttrt_append_output_data(const ttrt_tensor *t);
void ttrt_set_preferred_name(const char *name);

#ifdef __cplusplus
}
#endif
#endif
