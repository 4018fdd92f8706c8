// trace.h - recordings of devices and of the host: readers fill a trace, reports consume
// it.
//
// A track is one processor of one core of a device, or a thread or fiber of a process.
// Repeated data are indices into tables shared by all tracks: strings, and sites, the
// source locations of zones and markers.
//
// There are three kinds of storage. Device tracks are columns in memory: the markers of a
// track are contiguous and in time order (equal times keep file order), and so are its
// zones, which are paired from the markers. A marker is a time, a site, a run (an execution
// of a program) and a line of the log; a zone takes 25 bytes. Host tracks are packed blocks
// in mapped files, so that a hundred million events take little memory; those of foreign
// formats are trees in memory. cursor.h reads all of them.
//
// Times of device tracks are cycles of the device's clock, those of host tracks ns since
// the start of the run. Only a clock model (clock_model.h) converts between them.
#ifndef TTP_TRACE_TRACE_H
#define TTP_TRACE_TRACE_H

#include "base/data/arena.h"
#include "base/data/map.h"
#include "base/data/vec.h"
#include "base/file/file.h"
#include "base/text/diag.h"

#include "trace/processes.h"
#include "ttprof/recording.h"

enum marker_type {
    MARKER_ZONE_START,
    MARKER_ZONE_END,
    MARKER_ZONE_TOTAL, // data = accumulated cycles
    MARKER_TS_DATA,
    MARKER_TS_EVENT,
    MARKER_OTHER, // an unknown type; the text is kept
    MARKER_TYPES,
};
extern const char *const marker_type_names[MARKER_TYPES]; // as logged; MARKER_OTHER: NULL

// A source location of host zones, or of device markers of one type.
struct trace_site {
    uint32_t name, file; // strings
    int64_t line;        // SITE_NO_LINE: the log has none
    // on a device
    uint32_t type_text; // string
    uint32_t timer_id;
    uint32_t first_line; // of the log, first occurrence
    enum marker_type type;
    // on the host
    uint32_t function; // string
    uint32_t colour;   // 0xRRGGBB; 0: none
};
#define SITE_NO_LINE INT64_MIN

// One execution of one program on one device, or of a whole trace if only those are
// recorded. Id 0 means no program.
struct trace_run {
    uint32_t device;    // index
    uint32_t execution; // of the same ids, counted from 0
    // run host id: program << 10 | device id; of a whole trace, number of the replay on
    // this device << 10 | device id, which may equal the id of an unrelated program
    int64_t id;
    int64_t trace_id, trace_counter; // -1 = none
    bool is_replay;                  // of a whole trace
};

// Extra data that a few markers carry.
struct trace_datum {
    uint64_t data;
    const char *meta; // as logged
    uint32_t meta_n;
    uint32_t marker; // index; the data of a track are ordered by it
};

// A lane has the device zones of a foreign trace, whose times are those of the host.
enum track_kind { TRACK_RISC, TRACK_THREAD, TRACK_FIBER, TRACK_LANE };
struct trace_track {
    enum track_kind kind;
    // on a device
    uint32_t core;              // index
    uint32_t risc;              // string
    uint32_t marker, n_markers; // first one and how many
    uint32_t datum, n_data;
    uint32_t zone, n_zones;
    // on the host
    uint32_t process; // index
    uint32_t tid, serial;
    uint32_t name;             // string; 0: none
    uint32_t number;           // of the thread in a foreign trace, + 1; 0: none
    uint32_t trees;            // number of its trees, + 1; 0: it is in blocks
    uint64_t start_ns, end_ns; // first and last event
    uint64_t n_events;         // in the files
    uint64_t lost[TT_LOSSES];
};
static inline bool track_is_host(const struct trace_track *t)
{
    return t->kind != TRACK_RISC;
}

// The clock of a process's times: CLOCK_MONOTONIC, or from some moment on one of the
// program, which may leave out what a simulator takes, or not follow real time at all.
enum process_clock {
    PROCESS_CLOCK_REAL,
    PROCESS_CLOCK_PROGRAM,
    PROCESS_CLOCK_VIRTUAL,
    PROCESS_CLOCK_APART, // of a capture whose place on the axis is not known
};
extern const char *const process_clock_names[], *const process_clock_facts[];

// A process of the host that recorded.
struct trace_process {
    uint32_t pid, parent_pid;
    uint64_t birth;
    uint32_t log;                // index in the process log; TRACE_NONE: not there
    uint32_t program, arguments; // strings
    uint64_t start_ns, end_ns;
    bool has_ended;   // regular exit: nothing is missing
    int stream_error; // errno, 0: none
    int ring_error;   // of threads that got no ring and lost `lost` events
    uint64_t lost;
    uint64_t n_missing; // events that it recorded, but that its files do not have
    VEC(uint32_t) tracks;
    double clock_error_ns; // of the conversion to the axis
    enum process_clock clock;
    bool is_captured; // from its Tracy client
};
#define TRACE_NONE UINT32_MAX

struct trace_core {
    uint32_t device; // index
    int32_t x, y;
    bool has_logical; // the log does not say
    int32_t logical_x, logical_y;
    bool is_dispatch;
    VEC(uint32_t) tracks; // in order of first appearance
};

// A chip as one attachment used it: another process, or the same one that opens it again,
// is another device of the trace, with its own clock.
struct trace_device {
    int64_t id;
    uint32_t log;             // index of the log that it comes from
    uint32_t pid, attachment; // the process that used it, and its attachment; 0: unknown
    int64_t mhz, max_compute_cores;  // of its log; 0: those of the trace
    int64_t more_programs;           // added to the program numbers of its log
    const struct clock_model *clock; // from cycles to ns of the host; NULL: unknown
    bool is_program_clock;           // host times are on that process's own clock
    VEC(uint32_t) cores;             // in order of first appearance
    uint64_t first_time, last_time;
};

#define ZONE_DEPTH_MOST 127
#define ZONE_REPAIRED   0x80 // in `depth`: its end was missing and set to the edge

struct trace_zones {
    uint64_t *start, *end;
    uint32_t *site; // of the start
    uint32_t *run;
    uint8_t *depth; // 0 = outermost, up to ZONE_DEPTH_MOST; with ZONE_REPAIRED
    size_t n;
};

struct trace_markers {
    uint64_t *time;
    uint32_t *site, *run;
    uint32_t *line; // of the log, from 1
    size_t n;       // upper bound of indices; some are unused, tracks know theirs
};

struct trace {
    struct arena arena;
    VEC(struct file) files; // logs that strings and data refer to
    const char *path;       // of the first one

    // Of the first log; others are in `devices`.
    str arch;                  // empty = the log does not say
    int64_t mhz;               // 0 = unknown
    int64_t max_compute_cores; // 0 = unknown
    str dispatch;              // "slow", "fast": why there are so many; empty = unknown
    bool is_legacy;            // six columns of 2023: timer ids instead of zones
    bool has_trace_columns;    // a row without a trace id belongs to no trace
    bool has_t0;               // each track starts with a T0 marker that is not in the log

    struct map strings; // id 0 is the empty text
    VEC(struct trace_site) sites;
    VEC(struct trace_track) tracks; // those of devices first

    // devices
    VEC(struct trace_run) runs;
    VEC(struct trace_device) devices;
    VEC(struct trace_core) cores;
    struct trace_markers markers;
    VEC(struct trace_datum) data;
    struct trace_zones zones;
    uint64_t n_rows; // of the log, including rejected ones
    struct diag diag;
    VEC(struct trace_oddity) oddities;

    // the host
    const char *folder;                  // of the run
    VEC(struct trace_process) processes; // in order of start; captured ones come last
    struct process_log log;
    uint64_t origin_ns;              // CLOCK_MONOTONIC at axis 0
    uint64_t end_ns;                 // last time on the axis
    uint64_t own_end_ns;             // the same by the clocks of those who recorded
    struct trace_blocks *blocks;     // of tracks that we recorded; NULL: none
    VEC(struct trace_trees *) trees; // of those of foreign formats, one for each file
};

// Findings by kind and track, for the health table.
struct trace_oddity {
    uint32_t track; // UINT32_MAX: of no track
    uint32_t kind;  // int
    uint64_t count;
    uint32_t first_line; // of the log; 0 = none
};
#define TRACE_NO_TRACK TRACE_NONE

void trace_free(struct trace *t);
void trace_blocks_free(struct trace_blocks *b); // NULL: nothing
void trace_trees_free(struct trace_trees *trees);

static inline bool trace_has_host(const struct trace *t)
{
    return t->blocks || t->trees.n;
}

// All findings: those of the files, and those of walks over host tracks so far.
const struct diag *trace_findings(const struct trace *t);
// Converts ns of a process's own clock (see ttprof_use_clock) to the axis, for devices
// whose clock models use it. False: the process has no such clock.
bool trace_program_time(const struct trace *t, uint32_t process, uint64_t ns,
                        int64_t *axis_ns);

// The clock of a device; 0: unknown.
static inline int64_t trace_mhz(const struct trace *t, uint32_t device)
{
    int64_t own = t->devices.v[device].mhz;
    return own > 0 ? own : t->mhz;
}
static inline str trace_text(const struct trace *t, uint32_t string)
{
    return t->strings.keys.v[string];
}
static inline const struct trace_site *trace_site_of(const struct trace *t, size_t marker)
{
    return &t->sites.v[t->markers.site[marker]];
}
static inline str trace_name_of(const struct trace *t, size_t marker)
{
    return trace_text(t, trace_site_of(t, marker)->name);
}
// The datum of a marker, or NULL.
const struct trace_datum *trace_datum_of(const struct trace *t, const struct trace_track *k,
                                         size_t marker);
// The site equal to `like` except for its name; created if new.
uint32_t trace_site_named(struct trace *t, uint32_t like, uint32_t name);
// Counts a finding of a track; the first of its kind is kept with line and text.
void trace_odd(struct trace *t, uint32_t track, int kind, uint64_t count, uint32_t line,
               str what);

// Adds a copy of the text to the strings; bytes that are not UTF-8 become U+FFFD and are
// counted once.
uint32_t trace_put_text(struct trace *t, str s);

// "0"; of several logs "0, process 4711", and with the attachment if that process has more.
str trace_device_name(const struct trace *t, uint32_t device, struct arena *a);

// First and last time of every device, from its markers.
void trace_find_spans(struct trace *t);
// Called when all tracks are filled and sorted: finds dispatch cores, ids shared by several
// places, spans, and whether the clock is known.
void trace_finish(struct trace *t);

// Rank of a RISC in the usual order of display; unknown ones come last.
unsigned risc_rank(str risc);

#endif
