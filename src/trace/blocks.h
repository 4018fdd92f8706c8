// blocks.h - the storage of host tracks: the files of processes, their tables, and the
// chunks that hold a thread's events. formats/host_run/ finds and reads the files.
//
//   blocks.c        from files to processes and tracks
//   block_tables.c  strings, sites, threads and clocks that events refer to
//   block_clocks.c  from ticks to the axis
//   block_tracks.c  blocks and rings of a thread; fibers
//   block_read.c    from a block to words
//   block_totals.c  what is missing
//   cursor_blocks.c events in order, zones paired
#ifndef TTP_TRACE_BLOCKS_H
#define TTP_TRACE_BLOCKS_H

#include "base/file/file.h"

#include "trace/host_findings.h"
#include "trace/trace.h"

// --- clocks ----------------------------------------------------------------------------
// From `ticks` on, time is ns + (t - ticks) * rate / 2^48.
struct host_clock_piece {
    uint64_t ticks, ns;
    uint64_t rate;
};
struct host_clock {
    uint32_t kind;                   // enum tt_clock_kind
    bool is_told;                    // in the table; else its number was never used
    uint32_t n;                      // pieces, one at least
    uint64_t base;                   // some full time: stored ones have only 56 bits
    uint32_t worst_pair;             // ns
    struct host_clock_piece *pieces; // by ticks
};

// CLOCK_MONOTONIC at these ticks of the clock. *piece: where to look first.
uint64_t host_clock_ns(const struct host_clock *c, uint32_t *piece, uint64_t ticks);
static inline uint64_t host_clock_full(const struct host_clock *c, uint64_t time)
{
    return c->base + (uint64_t)((int64_t)((time - c->base) << (64 - TT_TIME_BITS)) >>
                                (64 - TT_TIME_BITS));
}
// ticks * rate / 2^48 to the nearest ns.
enum { HOST_RATE_BITS = 48 };
static inline uint64_t host_clock_scaled(uint64_t ticks, uint64_t rate)
{
    __uint128_t half = (__uint128_t)1 << (HOST_RATE_BITS - 1);
    return (uint64_t)(((__uint128_t)ticks * rate + half) >> HOST_RATE_BITS);
}
// Given by the program: it need not run like real time.
static inline bool host_clock_is_program(const struct host_clock *c)
{
    return c->kind == TT_CLOCK_PROGRAM || c->kind == TT_CLOCK_VIRTUAL;
}
struct host_pair {
    uint32_t clock, spread;
    uint64_t ticks, ns;
};
// Pieces through all pairs of one clock; pairs that go back are counted and left out.
void host_clock_fit(struct host_clock *c, const struct host_pair *pairs, size_t n,
                    double ticks_per_ns, struct arena *a, struct diag *d);
// An unknown clock: its ticks are taken for CLOCK_MONOTONIC.
void host_clock_assume(struct host_clock *c, uint64_t start_ns, struct arena *a);

// --- files -----------------------------------------------------------------------------
// The part of a ring that is not in the stream.
struct host_ring {
    uint32_t thread, clock;
    bool is_flight;           // overwritten on purpose: does not start with the thread
    uint64_t first, from, to; // positions
    uint64_t before;          // events of the thread lost before `from` (flight)
    uint64_t events;          // of the thread, in the stream or here
    uint64_t lost[TT_LOSSES];
    uint64_t *words;
};

struct host_thread {
    uint32_t tid, name; // string
    uint64_t start_ns;
    uint64_t end_ns; // 0: end not seen
    bool is_known;
    bool is_told;     // the table has its losses: its ring is gone
    uint64_t events;  // that it recorded, if it is told
    uint64_t n_found; // in its chunks, without changes of the clock
    uint64_t lost[TT_LOSSES];
    uint32_t track;
};

// A run of words of one thread: a block of the stream, or the contents of a ring.
struct host_chunk {
    uint64_t from, to;
    const uint64_t *words; // of a ring; NULL: a block
    struct tt_block block;
    const char *payload;
    uint32_t clock;
    bool has_gap; // words before it are missing
};

// A part of a chunk that belongs to one track.
struct host_piece {
    uint32_t thread, chunk;
    uint32_t from, to; // words of the chunk; to UINT32_MAX: its end
    uint32_t clock;
    uint64_t time; // of its first event on the axis; orders the pieces of a fiber
};

// The files of one process.
struct host_files {
    char name[40]; // "1234-0"
    struct tt_table head;
    str table;  // entries, without the header
    str stream; // with its header
    str blobs;
    str maps[2]; // of the stream and the blobs, if they are mapped
    VEC(struct host_ring) rings;
    bool has_bad_table; // it was reported

    uint64_t next_ns; // when another program of the process began to record; 0: none
    uint32_t process; // index
    uint64_t last;    // on the axis: last sign of life, for zones without an end
    bool has_fibers;
    struct map fibers; // by name
    VEC(uint32_t) fiber_tracks;
    // From numbers of the file to those of the run.
    VEC(uint32_t) strings;
    VEC(uint32_t) locations;
    VEC(struct host_thread) threads; // by serial
    VEC(struct host_clock) clocks;
    VEC(struct host_pair) pairs;
    VEC(struct host_chunk) * chunks; // by serial
    uint32_t program, arguments, app_info;
};

struct host_track_inner {
    uint32_t files;
    bool is_flight;
    uint64_t last; // on the axis: where open zones end; 0: with the process
    VEC(struct host_piece) pieces;
    struct host_findings found;
};

struct trace_blocks {
    struct tt_control control; // zero: none
    VEC(struct host_files) files;
    VEC(struct host_track_inner) tracks;
    struct map names;  // of files
    struct map places; // struct place_key, in the order of the sites
    struct file log_text;
    struct diag findings; // of the trace, including those of walks
    uint32_t first_track; // of the trace: the first of the host
    uint32_t first_site;  // for unknown places
};

static inline struct host_track_inner *host_inner(const struct trace *t, uint32_t track)
{
    return &t->blocks->tracks.v[track - t->blocks->first_track];
}
// The site of a place in the source; equal places share one site.
uint32_t host_site(struct trace *t, struct trace_site site);

// block_tables.c
void host_table_read(struct trace *r, struct host_files *f);
uint32_t host_string(const struct host_files *f, uint64_t id);
uint32_t host_place(const struct host_files *f, uint64_t id);

// Whether the table can have told of so many threads, clocks, texts or places: ids are
// consecutive, and a damaged one must not take much memory.
bool host_id_is_sane(const struct host_files *f, uint64_t id);

// block_tracks.c
void host_tracks_make(struct trace *r);

// block_totals.c
// Compares what the files have with what their tables and the control page say they had.
void host_totals_compare(struct trace *r);

// Converts times of a thread's events to the axis as its clocks change. Caches the piece of
// the last one: axis + (ticks - from) * rate, as long as the difference is below `span`.
struct host_timer {
    const struct host_files *files;
    const struct host_clock *clock;
    uint64_t origin;
    uint32_t piece;
    uint64_t from, span, axis, rate;
};
struct host_timer host_timer_start(const struct trace *r, const struct host_files *f);
uint64_t host_timer_find(struct host_timer *t, uint64_t ticks);
static inline void host_timer_set(struct host_timer *t, uint64_t clock)
{
    t->clock = &t->files->clocks.v[clock < t->files->clocks.n ? clock : 0];
    t->piece = 0;
    t->span = 0;
}
static inline uint64_t host_timer_at(struct host_timer *t, uint64_t word)
{
    uint64_t ticks = host_clock_full(t->clock, word);
    if (ticks - t->from < t->span)
        return t->axis + host_clock_scaled(ticks - t->from, t->rate);
    return host_timer_find(t, ticks);
}

// cursor_blocks.c
// The words of a chunk, in scratch; n 0: damaged.
struct host_words {
    const uint64_t *v;
    size_t n;
};
struct host_scratch {
    struct block_reader *reader;
};
struct host_words host_chunk_words(const struct host_chunk *c, struct host_scratch *s);
void host_scratch_free(struct host_scratch *s);

// blocks.c: called before the first file, and after all files are read.
void trace_blocks_start(struct trace *t, const char *folder);
void trace_blocks_finish(struct trace *t);

#endif
