// tracy_items.h - the items of the Tracy protocol, as data: the client in the recorder
// writes them, the capture in formats/tracy reads them.
//
// A connection speaks one protocol number, which the server announces. Every number has a
// generation: a column of the tables in tracy_items.c. An item is one byte, its number in
// that generation, then its fields; some are followed by a text or other bytes. Another
// protocol number is one more column.
#ifndef TTP_RECORD_FORMAT_TRACY_ITEMS_H
#define TTP_RECORD_FORMAT_TRACY_ITEMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#pragma GCC visibility push(hidden)

// --- generations -----------------------------------------------------------------------
enum tracy_generation {
    TRACY_F10, // protocol 66: the Tenstorrent fork, 0.10
    TRACY_U14, // protocol 82: upstream 0.14
    TRACY_T14, // protocol 83: the Tenstorrent fork, 0.14.1; its sessions become U14 traces
    TRACY_GENERATIONS,
    TRACY_FILE_GENERATIONS = TRACY_T14 // those that files have
};
extern const uint32_t tracy_protocols[TRACY_GENERATIONS];

// --- items -----------------------------------------------------------------------------
// What the time of an item counts from. Each reference is 0 when a connection begins; the
// sum of it and the item's time is the next one.
enum tracy_clock {
    TRACY_CLOCK_ABSOLUTE,
    TRACY_CLOCK_THREAD, // 0 again after every THREAD_CONTEXT
    TRACY_CLOCK_SERIAL,
    TRACY_CLOCK_SWITCH, // context switches and samples
    TRACY_CLOCK_GPU,
    TRACY_CLOCKS
};

//   X(NAME, number in F10, in U14, in T14 (-1: none), fields in F10, in U14, in T14
//     (0: as before), clock)
// A field is its letter (see TRACY_FIELDS) and its size in bytes; * and a size are the
// length of the bytes behind the fields, + is that length less 256.
#define TRACY_ITEMS(X)                                                                     \
    X(ZONE_TEXT, 0, 0, 0, "", 0, 0, ABSOLUTE)                                              \
    X(ZONE_NAME, 1, 1, 1, "", 0, 0, ABSOLUTE)                                              \
    X(MESSAGE, 2, 2, 2, "t8", "t8m1", 0, ABSOLUTE)                                         \
    X(MESSAGE_COLOUR, 3, 3, 3, "t8k3", "t8k3m1", 0, ABSOLUTE)                              \
    X(MESSAGE_STACK, 4, 4, 4, "t8", "t8m1", 0, ABSOLUTE)                                   \
    X(MESSAGE_COLOUR_STACK, 5, 5, 5, "t8k3", "t8k3m1", 0, ABSOLUTE)                        \
    X(MESSAGE_APP_INFO, 6, 6, 6, "t8", 0, 0, ABSOLUTE)                                     \
    X(ZONE_BEGIN_MADE, 7, 7, 7, "t8", 0, 0, THREAD)                                        \
    X(ZONE_BEGIN_MADE_STACK, 8, 8, 8, "t8", 0, 0, THREAD)                                  \
    X(STACK_SERIAL, 9, 9, 9, "", 0, 0, ABSOLUTE)                                           \
    X(STACK, 10, 10, 10, "", 0, 0, ABSOLUTE)                                               \
    X(STACK_ALLOC, 11, 11, 11, "", 0, 0, ABSOLUTE)                                         \
    X(SAMPLE, 12, 12, 12, "t8h4", "h4t8", 0, SWITCH)                                       \
    X(SAMPLE_32, -1, 13, 13, "", "h4t4", 0, SWITCH)                                        \
    X(SAMPLE_16, -1, 14, 14, "", "h4t2", 0, SWITCH)                                        \
    X(SAMPLE_SWITCH, 13, 15, 15, "t8h4", "h4t8", 0, SWITCH)                                \
    X(SAMPLE_SWITCH_32, -1, 16, 16, "", "h4t4", 0, SWITCH)                                 \
    X(SAMPLE_SWITCH_16, -1, 17, 17, "", "h4t2", 0, SWITCH)                                 \
    X(FRAME_IMAGE, 14, 18, 18, "i4w2e2x1", 0, 0, ABSOLUTE)                                 \
    X(ZONE_BEGIN, 15, 19, 19, "t8s8", 0, 0, THREAD)                                        \
    X(ZONE_BEGIN_32, -1, 20, 20, "", "t4s8", 0, THREAD)                                    \
    X(ZONE_BEGIN_16, -1, 21, 21, "", "t2s8", 0, THREAD)                                    \
    X(ZONE_BEGIN_STACK, 16, 22, 22, "t8s8", 0, 0, THREAD)                                  \
    X(ZONE_BEGIN_STACK_32, -1, 23, 23, "", "t4s8", 0, THREAD)                              \
    X(ZONE_BEGIN_STACK_16, -1, 24, 24, "", "t2s8", 0, THREAD)                              \
    X(ZONE_END, 17, 25, 25, "t8", 0, 0, THREAD)                                            \
    X(ZONE_END_32, -1, 26, 26, "", "t4", 0, THREAD)                                        \
    X(ZONE_END_16, -1, 27, 27, "", "t2", 0, THREAD)                                        \
    X(LOCK_WAIT, 18, 28, 28, "h4i4t8", 0, 0, SERIAL)                                       \
    X(LOCK_OBTAIN, 19, 29, 29, "h4i4t8", 0, 0, SERIAL)                                     \
    X(LOCK_RELEASE, 20, 30, 30, "i4t8", 0, 0, SERIAL)                                      \
    X(LOCK_WAIT_SHARED, 21, 31, 31, "h4i4t8", 0, 0, SERIAL)                                \
    X(LOCK_OBTAIN_SHARED, 22, 32, 32, "h4i4t8", 0, 0, SERIAL)                              \
    X(LOCK_RELEASE_SHARED, 23, 33, 33, "i4t8h4", 0, 0, SERIAL)                             \
    X(LOCK_NAME, 24, 34, 34, "i4", 0, 0, ABSOLUTE)                                         \
    X(ALLOC, 25, 35, 35, "t8h4p8z6", 0, 0, SERIAL)                                         \
    X(ALLOC_NAMED, 26, 36, 36, "t8h4p8z6", 0, 0, SERIAL)                                   \
    X(FREE, 27, 37, 37, "t8h4p8", 0, 0, SERIAL)                                            \
    X(FREE_NAMED, 28, 38, 38, "t8h4p8", 0, 0, SERIAL)                                      \
    X(ALLOC_STACK, 29, 39, 39, "t8h4p8z6", 0, 0, SERIAL)                                   \
    X(ALLOC_STACK_NAMED, 30, 40, 40, "t8h4p8z6", 0, 0, SERIAL)                             \
    X(FREE_STACK, 31, 41, 41, "t8h4p8", 0, 0, SERIAL)                                      \
    X(FREE_STACK_NAMED, 32, 42, 42, "t8h4p8", 0, 0, SERIAL)                                \
    X(DISCARD, -1, 43, 43, "", "t8h4n8", 0, SERIAL)                                        \
    X(DISCARD_STACK, -1, 44, 44, "", "t8h4n8", 0, SERIAL)                                  \
    X(GPU_BEGIN, 33, 45, 45, "t8h4q2c2s8", "t8h4q2c1s8", "t8h4q2c2s8", THREAD)             \
    X(GPU_BEGIN_STACK, 34, 46, 46, "t8h4q2c2s8", "t8h4q2c1s8", "t8h4q2c2s8", THREAD)       \
    X(GPU_BEGIN_MADE, 35, 47, 47, "t8h4q2c2", "t8h4q2c1", "t8h4q2c2", THREAD)              \
    X(GPU_BEGIN_MADE_STACK, 36, 48, 48, "t8h4q2c2", "t8h4q2c1", "t8h4q2c2", THREAD)        \
    X(GPU_END, 37, 49, 49, "t8h4q2c2", "t8h4q2c1", "t8h4q2c2", THREAD)                     \
    X(GPU_BEGIN_SERIAL, 38, 50, 50, "t8h4q2c2s8", "t8h4q2c1s8", "t8h4q2c2s8", SERIAL)      \
    X(GPU_BEGIN_STACK_SERIAL, 39, 51, 51, "t8h4q2c2s8", "t8h4q2c1s8", "t8h4q2c2s8",        \
      SERIAL)                                                                              \
    X(GPU_BEGIN_MADE_SERIAL, 40, 52, 52, "t8h4q2c2", "t8h4q2c1", "t8h4q2c2", SERIAL)       \
    X(GPU_BEGIN_MADE_STACK_SERIAL, 41, 53, 53, "t8h4q2c2", "t8h4q2c1", "t8h4q2c2", SERIAL) \
    X(GPU_END_SERIAL, 42, 54, 54, "t8h4q2c2", "t8h4q2c1", "t8h4q2c2", SERIAL)              \
    X(PLOT_INT, 43, 55, 55, "n8t8v8", 0, 0, THREAD)                                        \
    X(PLOT_FLOAT, 44, 56, 56, "n8t8v4", 0, 0, THREAD)                                      \
    X(PLOT_DOUBLE, 45, 57, 57, "n8t8v8", 0, 0, THREAD)                                     \
    X(SWITCH, 46, 58, 58, "t8h4w4i1y1x1", "t8h4w4i1y1x1l1z1e1", 0, SWITCH)                 \
    X(WAKEUP, 47, 59, 59, "t8h4", "t8h4i1z1e1", 0, SWITCH)                                 \
    X(GPU_TIME, 48, 60, 60, "t8q2c2", "t8q2c1", "t8q2c2", GPU)                             \
    X(GPU_NAME, 49, 61, 61, "c2", "c1", "c2", ABSOLUTE)                                    \
    X(GPU_NOTE_NAME, -1, 62, 62, "", "n8c1", 0, ABSOLUTE)                                  \
    X(GPU_MARKER_NOTE, -1, -1, 63, "", 0, "c2", ABSOLUTE)                                  \
    X(GPU_MARKER, -1, -1, 64, "", 0, "t8s8h4c2y1", GPU)                                    \
    X(FRAME_SIZE, 50, 63, 65, "p8i1", 0, 0, ABSOLUTE)                                      \
    X(SYMBOL_INFORMATION, 51, 64, 66, "l4p8", 0, 0, ABSOLUTE)                              \
    X(FIBER_ENTER, 55, 68, 70, "t8n8h4", "t8n8h4i4", 0, THREAD)                            \
    X(FIBER_LEAVE, 56, 69, 71, "t8h4", 0, 0, THREAD)                                       \
    X(SECTION_ENTER, -1, 70, 72, "", "b14", 0, ABSOLUTE)                                   \
    X(SECTION_LEAVE, -1, 71, 73, "", "b12", 0, ABSOLUTE)                                   \
    X(SECTION_SETUP, -1, 72, 74, "", "b2", 0, ABSOLUTE)                                    \
    X(TERMINATE, 57, 73, 75, "", 0, 0, ABSOLUTE)                                           \
    X(KEEP_ALIVE, 58, 74, 76, "", 0, 0, ABSOLUTE)                                          \
    X(THREAD_CONTEXT, 59, 75, 77, "h4", 0, 0, ABSOLUTE)                                    \
    X(GPU_CALIBRATION, 60, 76, 78, "g8t8d8c2", "g8t8d8c1", "g8t8d8c2", ABSOLUTE)           \
    X(GPU_TIME_SYNC, 61, 77, 79, "g8t8c2", "g8t8c1", "g8t8c2", ABSOLUTE)                   \
    X(GPU_ZONE, -1, -1, 80, "", 0, "g8d8s8h4c2", ABSOLUTE) /* d: its end */                \
    X(CRASH, 62, 78, 81, "", 0, 0, ABSOLUTE)                                               \
    X(CRASH_REPORT, 63, 79, 82, "t8n8", 0, 0, ABSOLUTE)                                    \
    X(ZONE_VALIDATION, 64, 80, 83, "i4", 0, 0, ABSOLUTE)                                   \
    X(ZONE_COLOUR, 65, 81, 84, "k3", 0, 0, ABSOLUTE)                                       \
    X(ZONE_VALUE, 66, 82, 85, "v8", 0, 0, ABSOLUTE)                                        \
    X(FRAME_MARK, 67, 83, 86, "t8n8", 0, 0, ABSOLUTE)                                      \
    X(FRAME_START, 68, 84, 87, "t8n8", 0, 0, ABSOLUTE)                                     \
    X(FRAME_END, 69, 85, 88, "t8n8", 0, 0, ABSOLUTE)                                       \
    X(FRAME_VSYNC, 70, 86, 89, "t8i4", 0, 0, ABSOLUTE)                                     \
    X(PLACE, 71, 87, 90, "n8f8s8l4k3", 0, 0, ABSOLUTE) /* s: the file */                   \
    X(LOCK_ANNOUNCE, 72, 88, 91, "i4t8s8y1", 0, 0, ABSOLUTE)                               \
    X(LOCK_TERMINATE, 73, 89, 92, "i4t8", 0, 0, ABSOLUTE)                                  \
    X(LOCK_MARK, 74, 90, 93, "h4i4s8", 0, 0, ABSOLUTE)                                     \
    X(LITERAL, 75, 91, 94, "t8n8", "t8m1n7", 0, ABSOLUTE)                                  \
    X(LITERAL_COLOUR, 76, 92, 95, "t8k3n8", "t8k3m1n7", 0, ABSOLUTE)                       \
    X(LITERAL_STACK, 77, 93, 96, "t8n8", "t8m1n7", 0, ABSOLUTE)                            \
    X(LITERAL_COLOUR_STACK, 78, 94, 97, "t8k3n8", "t8k3m1n7", 0, ABSOLUTE)                 \
    X(GPU_CONTEXT, 79, 95, 98, "t8g8h4o4c2x1y1", "t8g8h4o4c1x1y1", "t8g8h4o4c2x1y1",       \
      ABSOLUTE)                                                                            \
    X(STACK_FRAME, 80, 96, 99, "l4p8z4", 0, 0, ABSOLUTE)                                   \
    X(SYSTEM_TIME, 81, 97, 100, "t8v4", 0, 0, ABSOLUTE)                                    \
    X(SYSTEM_POWER, 82, 98, 101, "t8v8n8", 0, 0, ABSOLUTE)                                 \
    X(TID_TO_PID, 83, 99, 102, "p8v8", 0, 0, ABSOLUTE)                                     \
    X(HW_CYCLES, 84, 100, 103, "p8t8", 0, 0, ABSOLUTE)                                     \
    X(HW_RETIRED, 85, 101, 104, "p8t8", 0, 0, ABSOLUTE)                                    \
    X(HW_CACHE_REFERENCE, 86, 102, 105, "p8t8", 0, 0, ABSOLUTE)                            \
    X(HW_CACHE_MISS, 87, 103, 106, "p8t8", 0, 0, ABSOLUTE)                                 \
    X(HW_BRANCH_RETIRED, 88, 104, 107, "p8t8", 0, 0, ABSOLUTE)                             \
    X(HW_BRANCH_MISS, 89, 105, 108, "p8t8", 0, 0, ABSOLUTE)                                \
    X(PLOT_CONFIG, 90, 106, 109, "n8y1x1i1k4", 0, 0, ABSOLUTE)                             \
    X(PARAMETER, 91, 107, 110, "i4n8y1v4", 0, 0, ABSOLUTE)                                 \
    X(ACK, 92, 108, 111, "", 0, 0, ABSOLUTE)                                               \
    X(ACK_NO_SOURCE, 93, 109, 112, "i4", 0, 0, ABSOLUTE)                                   \
    X(ACK_NO_CODE, 94, 110, 113, "", 0, 0, ABSOLUTE)                                       \
    X(CPU_TOPOLOGY, 95, 111, 114, "i4l4h4", "i4z4l4h4", 0, ABSOLUTE) /* package core */    \
    X(STRING, 96, 112, 115, "*2", "+2", 0, ABSOLUTE)                                       \
    X(SECOND_STRING, 97, 113, 116, "*2", "+2", 0, ABSOLUTE)                                \
    X(STRING_8, -1, 114, 117, "", "*1", 0, ABSOLUTE)                                       \
    X(SECOND_STRING_8, -1, 115, 118, "", "*1", 0, ABSOLUTE)                                \
    X(POOL, 98, 116, 119, "n8", 0, 0, ABSOLUTE)                                            \
    X(THREAD_GROUP, -1, 117, 120, "", "h4i4", 0, ABSOLUTE)                                 \
    X(GPU_NOTE, -1, 118, 121, "", "n8v8h4q2c1", 0, ABSOLUTE)                               \
    X(TEXT, 99, 119, 122, "p8*2", 0, 0, ABSOLUTE)                                          \
    X(THREAD_NAME, 100, 120, 123, "p8*2", 0, 0, ABSOLUTE)                                  \
    X(PLOT_NAME, 101, 121, 124, "p8*2", 0, 0, ABSOLUTE)                                    \
    X(MADE_PLACE, 102, 122, 125, "p8*2", 0, 0, ABSOLUTE)                                   \
    X(STACK_PAYLOAD, 103, 123, 126, "p8*2", 0, 0, ABSOLUTE)                                \
    X(STACK_ALLOC_PAYLOAD, 104, 124, 127, "p8*2", 0, 0, ABSOLUTE)                          \
    X(FRAME_NAME, 105, 125, 128, "p8*2", 0, 0, ABSOLUTE)                                   \
    X(FRAME_IMAGE_DATA, 106, 126, 129, "p8*4", 0, 0, ABSOLUTE)                             \
    X(EXTERNAL_NAME, 107, 127, 130, "p8*2", 0, 0, ABSOLUTE)                                \
    X(EXTERNAL_THREAD_NAME, 108, 128, 131, "p8*2", 0, 0, ABSOLUTE)                         \
    X(SYMBOL_CODE, 109, 129, 132, "p8*4", 0, 0, ABSOLUTE)                                  \
    X(SOURCE_CODE, 110, 130, 133, "p8*4", 0, 0, ABSOLUTE)                                  \
    X(FIBER_NAME, 111, 131, 134, "p8*2", 0, 0, ABSOLUTE)
enum tracy_item {
#define TRACY_ITEM_ENUM(name, f10, u14, t14, fields, fields_u14, fields_t14, clock)        \
    TRACY_##name,
    TRACY_ITEMS(TRACY_ITEM_ENUM)
#undef TRACY_ITEM_ENUM
        TRACY_ITEM_KINDS
};
extern const char *const tracy_item_names[TRACY_ITEM_KINDS]; // "ZONE_TEXT"

// Meanings of the letters; where an item uses one differently its line says so, or it is
// evident from the protocol.
#define TRACY_FIELDS(X)                                                                    \
    X('t', TIME)                                                                           \
    X('s', PLACE)    /* key of a source location; of PLACE itself: of the file's text */   \
    X('n', NAME)     /* key of a text */                                                   \
    X('f', FUNCTION) /* key of a text */                                                   \
    X('p', ADDRESS)  /* or a key, in answers */                                            \
    X('z', SIZE)     /* or a symbol's length, a die, an old priority */                    \
    X('h', THREAD)                                                                         \
    X('w', OTHER)   /* the thread that a switch leads to; an image's width */              \
    X('i', ID)      /* of a lock, frame, value; how many frames; a CPU; a group */         \
    X('q', QUERY)   /* query id of a device time */                                        \
    X('c', CONTEXT) /* of a device */                                                      \
    X('v', VALUE)                                                                          \
    X('k', COLOUR) /* 0xRRGGBB */                                                          \
    X('m', META)   /* severity << 4 | source */                                            \
    X('l', LINE)   /* or a core, a C state */                                              \
    X('e', HEIGHT) /* or a new priority */                                                 \
    X('x', FLAGS)  /* or a state, a step */                                                \
    X('y', TYPE)   /* or a reason, a format */                                             \
    X('g', GPU_TIME)                                                                       \
    X('d', DELTA)                                                                          \
    X('o', PERIOD) /* float */                                                             \
    X('b', BYTES)  /* not looked into */
enum tracy_field {
#define TRACY_FIELD_ENUM(letter, name) TRACY_##name##_FIELD,
    TRACY_FIELDS(TRACY_FIELD_ENUM)
#undef TRACY_FIELD_ENUM
        TRACY_FIELD_KINDS
};

struct tracy_layout {
    uint8_t item;       // enum tracy_item
    uint8_t number;     // on the wire
    uint8_t bytes;      // number and fields; 0: no such item in this generation
    uint8_t clock;      // enum tracy_clock
    uint8_t tail;       // bytes of the length of what follows the fields; 0: nothing does
    uint16_t tail_more; // added to that length
    struct {
        uint8_t at, bytes; // bytes 0: no such field
    } fields[TRACY_FIELD_KINDS];
};
struct tracy_layouts {
    enum tracy_generation generation;
    struct tracy_layout by_number[256];
    uint8_t numbers[TRACY_ITEM_KINDS]; // only of items that exist
    bool exists[TRACY_ITEM_KINDS];
};
void tracy_layouts_make(struct tracy_layouts *l, enum tracy_generation generation);
// False: no known generation has this protocol number.
bool tracy_generation_of(uint32_t protocol, enum tracy_generation *generation);

static inline const struct tracy_layout *tracy_layout_of(const struct tracy_layouts *l,
                                                         enum tracy_item item)
{
    return &l->by_number[l->numbers[item]];
}

// A field of an item, zero-extended; 0 if the item does not have it. Little-endian machines
// only, as all of the recorder.
static inline uint64_t tracy_get(const struct tracy_layout *l, const void *item,
                                 enum tracy_field field)
{
    uint64_t v = 0;
    memcpy(&v, (const char *)item + l->fields[field].at, l->fields[field].bytes);
    return v;
}
static inline void tracy_set(const struct tracy_layout *l, void *item,
                             enum tracy_field field, uint64_t value)
{
    memcpy((char *)item + l->fields[field].at, &value, l->fields[field].bytes);
}

// --- times of narrow items -------------------------------------------------------------
// In generations with 16- and 32-bit forms a non-negative time is stored less what the
// narrower forms can express; bytes: of the time field.
static inline int64_t tracy_wide_time(enum tracy_generation g, unsigned bytes, uint64_t v)
{
    if (g == TRACY_F10)
        return (int64_t)v;
    if (bytes == 2)
        return (int64_t)v;
    if (bytes == 4)
        return (int64_t)v + 0x10000;
    return (int64_t)v < 0 ? (int64_t)v : (int64_t)(v + 0x10000 + UINT64_C(0x100000000));
}

// --- queries ---------------------------------------------------------------------------
enum tracy_query {
    TRACY_ASK_TERMINATE,
    TRACY_ASK_STRING,
    TRACY_ASK_THREAD,
    TRACY_ASK_PLACE,
    TRACY_ASK_PLOT,
    TRACY_ASK_FRAME,
    TRACY_ASK_PARAMETER,
    TRACY_ASK_FIBER,
    TRACY_ASK_EXTERNAL,
    TRACY_ASK_DISCONNECT,
    TRACY_ASK_STACK_FRAME,
    TRACY_ASK_SYMBOL,
    TRACY_ASK_CODE,
    TRACY_ASK_SOURCE,
    TRACY_ASK_DATA,
    TRACY_ASK_DATA_PART,
    TRACY_ASKS
};
struct tracy_ask { // 13 bytes on the wire
    uint8_t query;
    uint64_t key;
    uint32_t extra;
} __attribute__((packed));

// --- handshake -------------------------------------------------------------------------
#define TRACY_MAGIC "TracyPrf"
enum { TRACY_MAGIC_BYTES = 8 };
enum tracy_status {
    TRACY_PENDING,
    TRACY_WELCOME,
    TRACY_MISMATCH,
    TRACY_NOT_AVAILABLE,
    TRACY_DROPPED
};
enum {
    TRACY_ON_DEMAND = 1, // flags of the welcome
    TRACY_CODE_TRANSFER = 4,
};
enum { TRACY_NAME_BYTES = 64, TRACY_INFO_BYTES = 1024, TRACY_WELCOME_MOST = 1178 };
struct tracy_welcome {
    double ns_per_tick;
    int64_t begin, end;              // ticks: time 0, and the end of the client's start-up
    uint64_t delay, resolution;      // ticks
    uint64_t epoch, executable_time; // UNIX seconds
    uint64_t pid;
    int64_t sampling_period;
    uint8_t flags, cpu_arch;
    char cpu_maker[12];
    uint32_t cpu_id;
    char program[TRACY_NAME_BYTES], info[TRACY_INFO_BYTES]; // NUL-padded
};
// Returns the bytes of a welcome in this generation.
size_t tracy_welcome_bytes(enum tracy_generation g);
size_t tracy_welcome_put(enum tracy_generation g, const struct tracy_welcome *w, void *to);
void tracy_welcome_get(enum tracy_generation g, const void *from, struct tracy_welcome *w);
struct tracy_demand { // follows the welcome if its flags say so
    uint64_t frames, now;
};

// --- framing ---------------------------------------------------------------------------
enum {
    TRACY_BLOCK_MOST = 256 * 1024, // decoded
    TRACY_PACKED_MOST = 263188,
    TRACY_HISTORY = 64 * 1024, // that a block may refer to
    TRACY_PLACES_MOST = 32767, // source locations: static ones, and as many made ones
};

// --- announcements ---------------------------------------------------------------------
enum { TRACY_PORT = 8086, TRACY_PORTS = 20, TRACY_BROADCAST_VERSION = 3 };
struct tracy_broadcast {
    uint16_t version, port;
    uint32_t protocol;
    uint64_t pid;
    int32_t active_seconds;         // -1: it is no longer available
    char program[TRACY_NAME_BYTES]; // cut after its NUL
} __attribute__((packed));

#pragma GCC visibility pop
#endif
