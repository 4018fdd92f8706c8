// tracy.h - the contents of a Tracy trace. The reader of .tracy files and the capture fill
// it; the writer, the exports and the trace are made from it. It keeps everything that a
// file of either generation holds, so that a file becomes a file without loss.
//
//   tracy_read*.c     .tracy files, 0.10 and 0.14
//   tracy_write*.c    the same, out
//   tracy_blocks.c    their container: compressed blocks
//   capture/          a connection to a client: items -> contents
//   tracy_trace*.c    contents -> trace
//   tracy_from*.c     trace -> contents
//
// Times are ns since the start of the trace, -1: not known. Texts are numbers of `strings`;
// "text + 1" marks fields where 0 means none.
#ifndef TTP_FORMATS_TRACY_TRACY_H
#define TTP_FORMATS_TRACY_TRACY_H

#include "base/data/arena.h"
#include "base/data/map.h"
#include "base/data/pile.h"
#include "base/data/sort.h"
#include "base/data/vec.h"
#include "base/text/diag.h"
#include "base/text/str.h"

#include "record/format/tracy_device.h"
#include "record/format/tracy_items.h"

// A text by number, or by the client's key (then it is in `keyed`).
struct tracy_ref {
    uint64_t value;
    bool is_number, is_set;
};
struct tracy_place {
    struct tracy_ref name, function, file; // name not set: the function
    uint32_t line;
    uint32_t colour; // 0xRRGGBB
};

// Zones of a thread are in order of start, a parent before its children.
struct tracy_zone {
    int64_t start, end;
    uint32_t extra;    // number in `extras`; 0: none
    uint32_t children; // directly inside
    int32_t place;     // >= 0: number in `places`; < 0: -1 - number in `made_places`
} __attribute__((packed, aligned(4)));
struct tracy_extra {
    uint32_t stack;      // number of a callstack, from 1; 0: none
    uint32_t text, name; // text + 1
    uint32_t colour;     // 0xRRGGBB; 0: none
};
struct tracy_sample {
    int64_t time;
    uint32_t stack;
};
struct tracy_thread {
    uint64_t id; // fibers: 2^32 and more
    bool is_fiber;
    int32_t group;
    uint64_t kernel_samples;
    struct pile zones;                   // struct tracy_zone
    VEC(uint32_t) messages;              // numbers
    struct pile switch_samples, samples; // struct tracy_sample
};

struct tracy_gpu_zone {
    int64_t cpu_start, cpu_end, start, end;
    uint32_t children, stack;
    int32_t place;
    uint16_t thread; // number in `threads_used`
    uint16_t query;
};
struct tracy_lane {
    uint64_t thread;
    struct pile zones; // struct tracy_gpu_zone, as those of a thread
};
struct tracy_note { // of a device zone, by query id
    uint16_t query;
    int64_t id;
    double value;
};
struct tracy_note_name {
    int64_t id;
    uint32_t name; // text + 1
};
struct tracy_gpu {
    uint64_t thread;
    bool is_calibrated;
    uint64_t n_zones; // whose start is known
    float period;
    uint8_t type;
    uint32_t name; // text + 1
    uint64_t overflow;
    VEC(struct tracy_lane) lanes;
    VEC(struct tracy_note_name) note_names; // text + 1
    VEC(struct tracy_note) notes;
};

struct tracy_message {
    int64_t time;
    struct tracy_ref text;
    uint32_t colour; // as in a file: 0xFF000000 | b << 16 | g << 8 | r; 0xFFFFFFFF: none
    uint32_t stack;
    uint8_t source, severity;
};
struct tracy_frame {
    int64_t start, end;
    int32_t image; // -1: none
};
struct tracy_frames {
    uint64_t name; // key
    bool is_continuous;
    struct pile frames; // struct tracy_frame
};
struct tracy_point {
    int64_t time;
    double value;
};
struct tracy_plot {
    uint8_t type, format, is_step, is_filled;
    uint32_t colour; // 0xRRGGBB
    uint64_t name;   // key
    double min, max, sum;
    struct pile points; // struct tracy_point, by time
};
struct tracy_memory_event {
    uint64_t address, bytes;
    int64_t alloc_time, free_time; // free -1: never
    uint32_t alloc_stack, free_stack;
    uint16_t alloc_thread, free_thread; // numbers in `threads_used`
};
struct tracy_pool {
    uint64_t name; // key
    uint64_t high, low, usage, n_live, n_frees;
    struct pile events; // struct tracy_memory_event, by time of allocation
};
struct tracy_lock_event {
    int64_t time;
    int32_t place;
    uint8_t thread; // number in the lock's threads
    uint8_t kind;   // wait, obtain, release, and the same three shared
};
struct tracy_lock {
    uint32_t id;
    uint32_t name; // text + 1
    int32_t place;
    uint8_t type, is_valid;
    int64_t announced, terminated;
    VEC(uint64_t) threads;
    struct pile events;
};
#define TRACY_UNKNOWN UINT32_MAX // a text that was never told

struct tracy_stack_frame {
    uint32_t name, file; // text + 1
    uint32_t line;
    uint64_t symbol;
};
struct tracy_stack_entry { // what an address stands for: inlined callees first
    uint64_t address;
    uint32_t image; // text + 1
    VEC(struct tracy_stack_frame) frames;
};
struct tracy_image {
    uint16_t width, height;
    uint8_t is_flipped;
    str pixels; // DXT1
};
struct tracy_switch {
    int64_t wakeup, start, end;
    uint64_t thread;
    uint8_t cpu, wakeup_cpu;
    int8_t reason, state;
};
struct tracy_switches {
    uint64_t thread;
    struct pile switches; // struct tracy_switch
};
struct tracy_cpu_switch {
    int64_t start, end;
    uint16_t thread; // number in `external_used`
};
struct tracy_symbol {
    uint64_t address;
    uint32_t name, file, image, call_file; // text + 1
    uint32_t line, call_line, size;
    uint8_t is_inline;
};
struct tracy_span { // of a section
    int64_t start, end;
    uint32_t text;
};
enum { TRACY_CPUS = 256, TRACY_HW_KINDS = 6 };

struct tracy_cpu {
    uint32_t package, die, core, thread;
};
struct tracy_external {
    uint64_t tid;
    uint32_t name, thread_name; // texts
};
struct tracy_section {
    uint16_t category;
    VEC(struct tracy_span) spans;
};
struct tracy_section_name {
    uint16_t category;
    uint32_t name; // text + 1
};
struct tracy_pid {
    uint64_t tid, pid;
};
struct tracy_cpu_thread {
    uint64_t tid;
    int64_t running;
    uint32_t regions, migrations;
};
struct tracy_code {
    uint64_t address;
    str code;
};
struct tracy_code_symbol {
    uint64_t code, symbol;
};
struct tracy_hardware {
    uint64_t address;
    struct pile times[TRACY_HW_KINDS]; // int64_t
};
struct tracy_source {
    str name, text;
};

struct tracy {
    struct arena arena;
    struct pile_store store;
    struct diag diag; // what was odd
    enum tracy_generation generation;
    uint8_t version[3]; // of the file; a capture: of its client's generation

    // the recording
    int64_t delay, resolution; // ns; delay only in F10
    double ns_per_tick;
    int64_t last_time;
    uint64_t frame_offset, pid;
    int64_t sampling_period;
    uint8_t cpu_arch, is_on_demand;
    uint32_t cpu_id;
    char cpu_maker[12];
    str capture_name, program, info;
    uint64_t capture_time, executable_time; // UNIX seconds
    VEC(struct tracy_cpu) topology;
    struct {
        uint64_t thread;
        int64_t time;
        uint64_t text; // key
        uint32_t stack;
    } crash;

    // texts and places
    struct map strings;
    VEC(struct keyed) keyed;        // texts `a` by the client's key; TRACY_UNKNOWN
    VEC(struct keyed) thread_names; // the same by thread id
    VEC(struct tracy_external) external_names;
    VEC(uint64_t) threads_used; // 16-bit thread numbers; 0 is none
    VEC(uint64_t) external_used;
    VEC(uint64_t) place_keys;       // by number; 0 is key 0
    VEC(struct tracy_place) places; // by number
    VEC(struct tracy_place) made_places;

    // events
    VEC(struct tracy_frames) frame_sets;
    VEC(struct tracy_section) sections;
    VEC(struct tracy_section_name) section_names;
    VEC(struct tracy_lock) locks;
    struct pile messages; // struct tracy_message, by time
    struct pile extras;   // struct tracy_extra; 0 is none
    VEC(struct tracy_thread) threads;
    VEC(struct tracy_gpu) gpus;
    VEC(struct tracy_plot) plots;
    VEC(struct tracy_pool) pools;
    VEC(struct tracy_ref) app_info;

    // callstacks, images, switches, symbols
    VEC(str) stacks; // u64 addresses, innermost first; number 1 is the first
    VEC(struct tracy_stack_entry) stack_entries;
    str image_dictionary;
    VEC(struct tracy_image) images;
    VEC(struct tracy_switches) switches;
    struct pile cpu_switches[TRACY_CPUS]; // struct tracy_cpu_switch
    uint64_t n_cpu_switches;
    VEC(struct tracy_pid) pids;
    VEC(struct tracy_cpu_thread) cpu_threads;
    uint64_t n_plain_symbols, n_inline_symbols;
    VEC(struct tracy_symbol) symbols;
    VEC(struct tracy_code) code;
    VEC(struct tracy_code_symbol) code_symbols;
    VEC(struct tracy_hardware) hardware; // int64_t
    VEC(struct tracy_source) source_files;
};

void tracy_start(struct tracy *t, const char *folder, uint64_t held_most);
void tracy_free(struct tracy *t);

uint32_t tracy_text(struct tracy *t, str s); // the number of a copy of the text
str tracy_string(const struct tracy *t, uint32_t number);
// "???" if the key was never told. Keys are found by their order: sort `keyed` first.
str tracy_keyed_text(const struct tracy *t, uint64_t key);
str tracy_ref_text(const struct tracy *t, struct tracy_ref ref);
const struct tracy_place *tracy_place_of(const struct tracy *t, int32_t place);
str tracy_place_name(const struct tracy *t, int32_t place);
str tracy_thread_name(const struct tracy *t, uint64_t id);
uint64_t tracy_zone_count(const struct tracy *t);

#endif
