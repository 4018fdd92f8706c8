// capture_parts.h - the capture's own types; see capture.h. Only for capture*.c.
#ifndef TTP_FORMATS_TRACY_CAPTURE_PARTS_H
#define TTP_FORMATS_TRACY_CAPTURE_PARTS_H

#include "base/text/buf.h"

#include "formats/diags.h"
#include "formats/tracy/capture/capture.h"

// Limits of what a client can make us keep in memory; far above those of real programs.
enum {
    DEPTH_MOST = 1 << 20,     // zones inside one another
    THINGS_MOST = 1 << 20,    // threads, locks, plots, pools, sets of frames
    KEYS_MOST = 1 << 24,      // texts, places, addresses
    LOCK_THREADS_MOST = 64,   // as in the reference
    USED_THREADS_MOST = 65535 // they have 16-bit numbers
};
#define TEXTS_MOST (UINT64_C(4) << 30) // bytes of texts, callstacks, images

struct item {
    const struct tracy_layout *layout;
    const char *p;
    str tail; // the bytes behind the fields
};
static inline uint64_t item_get(const struct item *it, enum tracy_field field)
{
    return tracy_get(it->layout, it->p, field);
}

struct open_zone {
    uint64_t zone; // number in the thread's zones
    uint32_t validation;
};
struct thread_state {
    uint64_t id;
    uint32_t number; // in the trace's threads
    VEC(struct open_zone) open;
    uint64_t n_skipped;         // open zones beyond DEPTH_MOST
    uint32_t validation;        // announced for the next item
    uint32_t stack;             // callstack of the next item; 0: none
    struct thread_state *fiber; // zones and messages of this thread go there
};

struct open_lane {
    VEC(uint64_t) open;               // numbers in the lane's zones
    VEC(struct tracy_gpu_zone) whole; // zones and markers that came in one item
};
struct query { // of a device time
    uint64_t zone;
    uint32_t lane; // number + 1; 0: idle
};
enum { QUERY_SHIFT = 8, QUERIES = 1 << QUERY_SHIFT };
struct gpu_state {
    uint32_t number; // in the trace's gpus
    struct map lanes;
    VEC(struct open_lane) open;
    struct query *queries[QUERIES]; // pages, by the upper half of the query id
    // Conversion of its time, see gpu_time().
    double factor;
    int64_t device_anchor, trace_anchor;
    uint64_t last;
};

struct pool_state {
    struct map addresses;
    VEC(uint64_t) live; // by address: number of the event + 1; 0: free
};
struct lock_state {
    uint64_t owner;       // thread of the last obtain
    VEC(uint64_t) latest; // by thread of the lock: number of its wait or obtain + 1
};
struct power_state {
    uint32_t plot; // number
    int64_t time;  // of the last report
};

// A cache in front of the map of places: the zones of a loop use few.
enum { PLACE_SLOTS = 256 };
struct place_slot {
    uint64_t key;
    int32_t place; // 0: empty
};

enum capture_stage { AT_WELCOME, AT_DEMAND, AT_BLOCKS, AT_END };

struct capture {
    struct tracy *t;
    struct tracy_layouts layouts;
    struct arena arena; // what the trace does not need

    // the bytes
    enum capture_stage stage;
    const char *trouble;
    struct buf in; // the beginning of a unit that is not complete
    char *decoded; // history and room for a block
    size_t decoded_at;

    // times
    uint64_t begin; // tick of time 0
    double ns_per_tick;
    uint64_t clocks[TRACY_CLOCKS];

    // queries
    VEC(struct tracy_ask) asks;
    size_t first_ask; // those before it are sent
    size_t window;
    uint64_t n_asked, n_sent, n_answered;
    struct map text_keys;   // -> number in `keyed`
    struct map thread_keys; // -> number in `thread_names`
    struct map fiber_keys;  // -> number of the fiber
    VEC(struct thread_state *) fibers;
    struct map external_keys; // -> number in `external_names`
    VEC(int32_t) asked_places;
    size_t first_place;

    // threads and places
    uint64_t thread;          // of the last THREAD_CONTEXT
    struct thread_state *now; // where zones go; NULL: not looked up yet
    struct map threads;       // id -> number
    VEC(struct thread_state *) states;
    struct map used; // id -> number in `threads_used`
    struct map place_keys;
    struct map made;
    struct place_slot slots[PLACE_SLOTS];

    // what waits for the item that it belongs to
    uint32_t single, second;      // texts; 0 if there was none
    int32_t made_place;           // 0: none
    uint32_t stack, serial_stack; // numbers of callstacks
    uint64_t pool_name;
    str image;

    // events
    struct gpu_state **gpus; // by context id
    struct map frame_names, plot_names, pool_names, lock_ids;
    VEC(struct pool_state) pools;
    VEC(struct lock_state) locks;
    VEC(struct gpu_state *) gpu_states; // all, also those that were replaced
    VEC(uint32_t) plot_numbers;         // by plot_names
    struct map power_names;
    VEC(struct power_state) power;
    uint32_t cpu_plot;                              // number + 1
    VEC(struct keyed) waiting_images;               // frame -> image
    struct map stacks, addresses, symbol_addresses; // addresses -> number + 1 when answered
    VEC(uint8_t) is_address_known;
    VEC(struct tracy_symbol) symbols; // by symbol address, until their file is known
    VEC(uint8_t) is_symbol_known;
    uint32_t entry; // number in `stack_entries` that frames belong to, + 1; 0: none
    unsigned frames_left;
    struct map switched, cpu_threads, hardware;

    bool is_ending, is_crashed, is_stopped;
    bool ignores_free_faults; // frees of addresses that were allocated before we came
    uint64_t failures[CAPTURE_FAILURE_KINDS];
};

// --- capture_items.c -------------------------------------------------------------------
// False: an item that is not known, or that is cut by the end of the block.
bool capture_block(struct capture *c, const char *p, size_t n);
void capture_odd(struct capture *c, const char *what);
bool capture_is_room(struct capture *c, size_t n, size_t most, const char *what);
void capture_fail(struct capture *c, enum capture_failure kind);

// Differences of two such times do not overflow; a client that sends others lies.
static inline int64_t capture_whole(double v)
{
    const double most = (double)(INT64_C(1) << 62);
    return v > -most && v < most ? (int64_t)v : 0;
}
static inline int64_t capture_trace_time(const struct capture *c, uint64_t tick)
{
    return capture_whole((double)(int64_t)(tick - c->begin) * c->ns_per_tick);
}
static inline void capture_note_time(struct capture *c, int64_t time)
{
    if (time > c->t->last_time)
        c->t->last_time = time;
}
// The item's time in the trace, by its clock.
int64_t capture_time(struct capture *c, const struct item *it);

// --- capture_asks.c --------------------------------------------------------------------
void capture_ask(struct capture *c, enum tracy_query query, uint64_t key);
// The id of a 64-bit key; *is_new: it was not there. MAP_NONE: too many.
uint32_t capture_key(struct capture *c, struct map *m, uint64_t key, bool *is_new);
uint32_t capture_key_get(const struct map *m, uint64_t key); // MAP_NONE: unknown
uint32_t capture_text(struct capture *c, str s);
void capture_need_text(struct capture *c, uint64_t key, enum tracy_query query);
void capture_need_thread(struct capture *c, uint64_t id);
void capture_need_external(struct capture *c, uint64_t tid);
int32_t capture_place(struct capture *c, uint64_t key);
struct tracy_ref capture_take_single(struct capture *c);
void capture_on_text(struct capture *c, const struct item *it);
void capture_on_thread_name(struct capture *c, const struct item *it);
void capture_on_fiber_name(struct capture *c, const struct item *it);
void capture_on_external(struct capture *c, const struct item *it);
void capture_on_place(struct capture *c, const struct item *it);
void capture_on_made_place(struct capture *c, const struct item *it);
void capture_on_string(struct capture *c, const struct item *it);

// --- capture_threads.c -----------------------------------------------------------------
struct thread_state *capture_thread(struct capture *c, uint64_t id);
struct thread_state *capture_now(struct capture *c); // see `now`
uint16_t capture_used_thread(struct capture *c, uint64_t id);
void capture_on_thread(struct capture *c, const struct item *it);
void capture_on_fiber(struct capture *c, const struct item *it);
void capture_on_group(struct capture *c, const struct item *it);
struct tracy_switches *capture_switches(struct capture *c, uint64_t id);
void capture_on_switch(struct capture *c, const struct item *it);
void capture_on_wakeup(struct capture *c, const struct item *it);
void capture_on_sample(struct capture *c, const struct item *it);
void capture_on_hardware(struct capture *c, const struct item *it);

// --- capture_zones.c -------------------------------------------------------------------
void capture_zone_begin(struct capture *c, int64_t delta, int32_t place);
void capture_zone_end(struct capture *c, int64_t delta);
void capture_on_begin(struct capture *c, const struct item *it); // made place or callstack
void capture_on_attribute(struct capture *c, const struct item *it);
void capture_on_validation(struct capture *c, const struct item *it);

// --- capture_events.c ------------------------------------------------------------------
void capture_on_message(struct capture *c, const struct item *it);
void capture_on_frame(struct capture *c, const struct item *it);
void capture_on_image(struct capture *c, const struct item *it);
void capture_on_plot(struct capture *c, const struct item *it);
void capture_on_plot_config(struct capture *c, const struct item *it);
void capture_on_system_time(struct capture *c, const struct item *it);
void capture_on_system_power(struct capture *c, const struct item *it);
struct tracy_frames *capture_frames(struct capture *c, uint64_t name, bool is_continuous);
void capture_add_frame(struct capture *c, struct tracy_frames *f, int64_t start);

// --- capture_memory.c ------------------------------------------------------------------
uint32_t capture_pool(struct capture *c, uint64_t name);
void capture_on_alloc(struct capture *c, const struct item *it);
void capture_on_free(struct capture *c, const struct item *it);
void capture_on_discard(struct capture *c, const struct item *it);
void capture_on_lock_announce(struct capture *c, const struct item *it);
void capture_on_lock_event(struct capture *c, const struct item *it);
void capture_on_lock_mark(struct capture *c, const struct item *it);
void capture_on_lock_name(struct capture *c, const struct item *it);
void capture_on_lock_end(struct capture *c, const struct item *it);

// --- capture_gpu.c ---------------------------------------------------------------------
void capture_on_gpu_context(struct capture *c, const struct item *it);
void capture_on_gpu_begin(struct capture *c, const struct item *it);
void capture_on_gpu_end(struct capture *c, const struct item *it);
void capture_on_gpu_time(struct capture *c, const struct item *it);
void capture_on_gpu_clock(struct capture *c, const struct item *it);
void capture_on_gpu_name(struct capture *c, const struct item *it);
void capture_on_gpu_note(struct capture *c, const struct item *it);
void capture_gpus_free(struct capture *c);
// The context of an item; NULL: it was not announced.
struct gpu_state *capture_gpu_of(struct capture *c, const struct item *it);
// The lane that the item belongs to; a context with a thread of its own has one.
uint32_t capture_gpu_lane(struct capture *c, struct gpu_state *g, uint64_t thread);
// Device time -> time of the trace.
int64_t capture_gpu_time(const struct tracy_gpu *gpu, const struct gpu_state *g,
                         uint64_t device);

// --- capture_gpu_whole.c ---------------------------------------------------------------
void capture_on_gpu_zone(struct capture *c, const struct item *it);
void capture_on_gpu_marker(struct capture *c, const struct item *it);
void capture_on_gpu_marker_note(struct capture *c, const struct item *it);
// At the end: they get their places among the other zones of their lanes.
void capture_gpus_nest(struct capture *c);

// --- capture_stacks.c ------------------------------------------------------------------
void capture_on_stack(struct capture *c, const struct item *it);
void capture_on_stack_entry(struct capture *c, const struct item *it);
void capture_on_stack_frame(struct capture *c, const struct item *it);
void capture_on_symbol(struct capture *c, const struct item *it);
uint32_t capture_take_stack(struct capture *c, uint32_t *slot);

// --- capture_order.c -------------------------------------------------------------------
void capture_order(struct capture *c);

#endif
