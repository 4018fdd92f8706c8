// recording.h - the binary format of the files in which a process records host events. The
// recorder (src/record) writes them, the reader (src/trace) reads them; both may run at the
// same time, and the recording process may be killed between any two instructions.
//
//   RUN/control         one page, mapped by every process of the run and by `ttprof run`
//   RUN/processes.log   one line per birth, exec, end: see the end of this file
//   RUN/host/P.table    mapped: what events refer to by number (strings, locations, ...)
//   RUN/host/P.K.ring   mapped: events of one thread that are not in the stream yet
//   RUN/host/P.stream   blocks of events, compressed, in the order they were drained
//   RUN/host/P.blobs    payloads that are too long for a ring
//
// P is "<pid>-<n>": n makes it unique if a pid is reused. A process that records nothing
// has none of these files. All numbers are little-endian.
//
// An event is in the ring once the head is past it. The drainer first writes a block, then
// moves the tail: an event may be in both places, never in neither. A block says which
// words of its thread's ring it covers, so a reader takes each word once.
#ifndef TTPROF_RECORDING_H
#define TTPROF_RECORDING_H

#include <stdint.h>

#define TT_RECORDING_VERSION 1

// Modes of what is created in a run folder, less the umask: others may never write.
#define TT_FILE_MODE   0664
#define TT_FOLDER_MODE 0775
// Bytes of the folder's absolute path: names of files are added to it.
#define TT_FOLDER_MOST 4030

// --- RUN/control -----------------------------------------------------------------------
#define TT_RUN_MAGIC UINT32_C(0x43505454) // "TTPC"
enum tt_policy { TT_DROP_NEWEST, TT_DROP_OLDEST, TT_BLOCK };
enum { TT_HEADER_MOST = 256 }; // a signpost's header in a window, including NUL

struct tt_control {
    uint32_t magic, version;
    uint32_t gate;      // nonzero: events are recorded; see ttprof_gate
    uint32_t is_over;   // `ttprof run` has ended: nothing is recorded any more
    uint64_t opened_ns; // CLOCK_MONOTONIC when the gate opened; 0: not yet
    uint64_t closed_ns; // and when it closed for good; 0: not yet
    // settings, fixed before the first process starts
    uint32_t policy;     // enum tt_policy
    uint32_t ring_bytes; // per thread, a power of two
    uint64_t most_bytes; // of all streams of the run; 0: no limit
    uint64_t for_ns;     // the gate closes this long after it opened; 0: never
    int64_t skip;        // start signposts (frame marks if there is no start_at) to skip
    double ticks_per_ns; // time stamp counter rate measured by `ttprof run`; 0: unknown
    char start_at[TT_HEADER_MOST]; // empty: open from the start
    char stop_at[TT_HEADER_MOST];  // empty: never
    // counters of all processes, summed by drainers: for the live line
    uint64_t events, lost, stream_bytes;
    uint32_t processes, threads;
    uint64_t passed; // start signposts (or frames) seen so far
    // processes that could record nothing, and errno of the last one
    uint32_t failed, failed_errno;
    uint32_t linked; // programs with the recorder in them, whether they record or not
};
#define TT_CONTROL_BYTES 4096

// --- events in a ring ------------------------------------------------------------------
// An event is one or more words of 8 bytes. The first: kind << 56 | low 56 bits of the
// time. The table says how many words follow. A text event has a second word {low 32 bits:
// bytes; high 32 bits: attribute} and then the bytes, zero-padded to whole words; with
// TT_TEXT_IN_BLOBS set in the length one word follows instead: the offset in P.blobs.
//
//   X(NAME, words that follow, is text)
#define TT_EVENTS(X)                                                                       \
    X(NOTHING, 0, 0)    /* fills a ring up; means nothing */                               \
    X(ZONE_BEGIN, 1, 0) /* location */                                                     \
    X(ZONE_END, 0, 0)                                                                      \
    X(ZONE_TEXT, 1, 1) /* of the innermost open zone */                                    \
    X(ZONE_NAME, 1, 1)                                                                     \
    X(ZONE_VALUE, 1, 0)                                                                    \
    X(ZONE_COLOUR, 1, 0)                                                                   \
    X(MESSAGE, 1, 1)    /* attribute: level << 24 | 0xRRGGBB; colour 0: none */            \
    X(SIGNPOST, 1, 1)   /* "header" or "header\nmessage"; attribute as MESSAGE */          \
    X(OP, 1, 1)         /* an op record; attribute: enum of the runtime, 0 today */        \
    X(FRAME_MARK, 1, 0) /* name: string, 0 = the unnamed frame set */                      \
    X(FRAME_START, 1, 0)                                                                   \
    X(FRAME_END, 1, 0)                                                                     \
    X(PLOT_INT, 2, 0)  /* name, int64 */                                                   \
    X(PLOT_REAL, 2, 0) /* name, bits of a double */                                        \
    X(ALLOC, 3, 0)     /* address, bytes, pool: string */                                  \
    X(FREE, 2, 0)      /* address (0: all of the pool), pool */                            \
    X(LOCK_WAIT, 1, 0) /* lock */                                                          \
    X(LOCK_OBTAIN, 1, 0)                                                                   \
    X(LOCK_RELEASE, 1, 0)                                                                  \
    X(LOCK_WAIT_SHARED, 1, 0)                                                              \
    X(LOCK_OBTAIN_SHARED, 1, 0)                                                            \
    X(LOCK_RELEASE_SHARED, 1, 0)                                                           \
    X(LOCK_MARK, 2, 0)   /* lock, location */                                              \
    X(FIBER_ENTER, 1, 0) /* name: string. What follows belongs to the fiber */             \
    X(FIBER_LEAVE, 0, 0)                                                                   \
    X(CLOCK, 1, 0) /* clock: times of this thread are its ticks from here on */            \
    X(LOST, 1, 0)  /* how many events are missing here */
enum tt_host_event {
#define TT_EVENT_ENUM(name, words, is_text) TT_##name,
    TT_EVENTS(TT_EVENT_ENUM)
#undef TT_EVENT_ENUM
        TT_EVENT_KINDS
};
#define TT_TIME_BITS     56
#define TT_TEXT_IN_BLOBS UINT32_C(0x80000000)
#define TT_TEXT_MOST     4096 // bytes of a text in a ring
// Words of the longest event. In an overwritten ring, this many of the oldest words may
// hold part of a new event: a reader starts after them.
#define TT_EVENT_WORDS_MOST (2 + TT_TEXT_MOST / 8)

// --- RUN/host/P.K.ring -----------------------------------------------------------------
#define TT_RING_MAGIC UINT32_C(0x52505454) // "TTPR"
enum tt_ring_state { TT_RING_FREE, TT_RING_USED, TT_RING_ENDED };
enum { TT_RING_SEGMENTS = 64, TT_RING_HEADER = 4096 };
enum tt_loss {
    TT_LOSS_FULL,    // the ring was full
    TT_LOSS_OLDEST,  // overwritten on purpose; 0 while the thread runs: readers compute it
    TT_LOSS_HANDLER, // from a signal handler during another event
    TT_LOSS_DISK,    // the stream could not be written
    TT_LOSSES
};

struct tt_ring {
    uint32_t magic, version;
    uint32_t thread; // its thread's serial number in the table; a free ring keeps the last
    uint32_t number; // K
    uint64_t capacity;      // words, a power of two
    uint64_t first;         // position where this thread's events begin (rings are reused)
    uint32_t policy, clock; // clock: of the events at `tail`
    uint8_t unused_a[64 - 40];
    // the writer's cache line
    uint64_t head;            // complete words; position p is at words[p % capacity]
    uint64_t events;          // written by this thread, including LOST, excluding CLOCK
    uint64_t lost[TT_LOSSES]; // by this thread
    uint8_t unused_b[64 - 48];
    // the drainer's cache line
    uint64_t tail;  // words already in the stream
    uint32_t state; // enum tt_ring_state
    uint8_t unused_c[64 - 12];
    // Where the first event of each segment begins and how many came before it, for a
    // reader of an overwritten ring. Segment of position p: p / (capacity / 64) % 64. That
    // event is a CLOCK, because its reader has not seen the previous one. Position
    // UINT64_MAX: being updated. Reading the same position twice validates the entry.
    struct {
        uint64_t position, events;
    } segments[TT_RING_SEGMENTS];
};

// --- RUN/host/P.table ------------------------------------------------------------------
// A header, then consecutive entries, each a multiple of 8 bytes: {u32 bytes of the whole
// entry, u32 enum tt_entry}, then its fields. `used` covers complete entries only.
#define TT_TABLE_MAGIC UINT32_C(0x54505454) // "TTPT"
enum { TT_TABLE_HEADER = 256 };

struct tt_table {
    uint32_t magic, version;
    uint64_t used; // bytes, including the header
    uint32_t pid, parent_pid;
    uint64_t start_ns; // CLOCK_MONOTONIC when recording began
    uint64_t birth; // field 22 of /proc/PID/stat: distinguishes processes with the same pid
    uint64_t end_ns;       // 0: it did not end regularly
    uint32_t is_over;      // the recorder has shut down: the rings are empty
    uint32_t stream_error; // errno of the first failed write
    uint64_t stream_bytes; // of its blocks: the file has as many at least
    uint64_t lost;         // events of threads without a ring (no room, no permission)
    uint64_t refused;      // entries without room: their number is 0
    uint32_t ring_error;   // errno of the first ring that could not be created
    uint32_t unused;
    uint64_t blob_bytes;
};

enum tt_entry {
    TT_ENTRY_STRING = 1,  // u32 id, u32 bytes, the bytes. Ids count from 1
    TT_ENTRY_LOCATION,    // struct tt_location
    TT_ENTRY_THREAD,      // struct tt_thread
    TT_ENTRY_THREAD_NAME, // u32 thread, u32 string
    TT_ENTRY_CLOCK,       // struct tt_clock
    TT_ENTRY_CLOCK_PAIR,  // struct tt_clock_pair
    TT_ENTRY_APP_INFO,    // u32 string, u32 0
    TT_ENTRY_PROGRAM,     // u32 string, u32 0: name of the program
    TT_ENTRY_LOCK,        // u32 lock, u32 location
    TT_ENTRY_LOCK_NAME,   // u32 lock, u32 string
    TT_ENTRY_PLOT,        // struct tt_plot
    TT_ENTRY_ARGUMENTS,   // u32 string (the command line, NUL-separated), u32 0
    TT_ENTRY_FIBER,       // u32 string, u32 0: before the first event that enters a fiber
    TT_ENTRY_THREAD_END,  // struct tt_thread_end
};
struct tt_location {
    uint32_t id;                   // from 1
    uint32_t name, function, file; // strings; name 0: use the function
    uint32_t line, colour;         // 0xRRGGBB; 0: none
};
struct tt_thread {
    uint32_t thread; // serial, from 1; never reused
    uint32_t tid;    // system thread id
    uint64_t start_ns;
};
// Written when a thread's ring is reused or removed; until then this is in the ring.
struct tt_thread_end {
    uint32_t thread, unused;
    uint64_t end_ns; // 0: still running when the recorder shut down
    uint64_t events;
    uint64_t lost[TT_LOSSES];
};
enum tt_clock_kind { TT_CLOCK_TSC, TT_CLOCK_MONOTONIC, TT_CLOCK_PROGRAM, TT_CLOCK_VIRTUAL };
struct tt_clock {
    uint32_t clock; // from 1
    // PROGRAM: a function of the program, in ns (a software device's clock); VIRTUAL: such
    // a function that does not advance with real time
    uint32_t kind;
};
// The clock showed `ticks` when CLOCK_MONOTONIC showed ns, both read within `spread` ns.
struct tt_clock_pair {
    uint32_t clock, spread;
    uint64_t ticks, ns;
};
struct tt_plot {
    uint32_t name, format; // format: 0 number, 1 memory, 2 percent, 3 watt
    uint32_t is_step, is_filled;
    uint32_t colour, unused;
};

// --- RUN/host/P.stream -----------------------------------------------------------------
#define TT_STREAM_MAGIC UINT32_C(0x53505454) // "TTPS"
#define TT_BLOCK_MAGIC  UINT32_C(0x42505454) // "TTPB"
struct tt_stream {
    uint32_t magic, version;
    uint32_t shift; // of clock 1: blocks store ticks >> shift, in steps of at most 1 ns
    uint32_t unused;
};
struct tt_block {
    uint32_t magic, thread;
    uint64_t from, to; // words of the ring it covers
    uint64_t time;     // ticks >> shift of its first event; the shift is in the payload
    uint64_t lost;     // events of this thread lost up to here
    uint32_t clock;    // of its first event
    uint32_t n_events;
    uint32_t unpacked, packed; // payload bytes; packed == unpacked: not compressed
    uint64_t sum;              // of the header without this field, and the packed bytes
};
// src/record/format/block.h describes the payload.

// --- RUN/processes.log -----------------------------------------------------------------
// Lines of fields separated by tabs (\t, \n and \\ in a field are escaped), each appended
// by one write: {what, ns of CLOCK_MONOTONIC, pid, birth, ...}
//   start  ... parent pid, path of the program, arguments ...
//   exec   ... path about to be executed, arguments ... (the new program's start
//          follows, unless it cannot be preloaded)
//   fork   ... parent pid: a copy of its parent, which may exec
//   exit   ... low 8 bits of the status as given to exit()
//   ended  ... pid is the child's; status of wait(), pid of the parent that saw it
//   rank   ... rank, size (-1: unknown), source: "OMPI_COMM_WORLD_RANK"
//   port   ... TCP port on which its Tracy client listens
//   tracy  ... file in RUN/tracy with what that client sent, ns by which the time may be
//          off, clock that it was found by; the time is that of the file's time 0
// birth 0: unknown, take the last process with that pid. Lines may be out of order.

// --- RUN/python.log --------------------------------------------------------------------
// Lines {pid, sentence}, separated by a tab: what the agent could not record of a Python
// program. Only there if there is something to tell.
#define TT_PYTHON_LOG "python.log"
#endif
