// decode_parts.h - shared by the files of the decoder.
//
// Tracks are split into ranges of about the same number of words. Each lane decodes its
// range into its own slices of the trace's columns and numbers sites and runs locally, in
// row order. The local numbers are then mapped to those of the trace, lane by lane, so the
// trace does not depend on the number of lanes.
#ifndef TTP_COLLECT_DECODE_DECODE_PARTS_H
#define TTP_COLLECT_DECODE_DECODE_PARTS_H

#include "collect/decode/decode.h"
#include "ttprof/profiler_words.h"

// Facts about a static id, determined once.
enum id_fact {
    ID_KNOWN = 1 << 0,
    ID_AMBIGUOUS = 1 << 1, // several locations
    ID_FIRMWARE = 1 << 2,  // "...-FW"
    ID_KERNEL = 1 << 3,    // "...-KERNEL"
    ID_DISPATCH = 1 << 4,  // a zone whose data describe commands
    ID_COMMAND = 1 << 5,   // "process_cmd..."
    ID_PROGRAM = 1 << 6,   // "runtime_host_id_dispatch"
    ID_PACKED = 1 << 7,
    ID_PACKED_LARGE = 1 << 8,
};

// A lane's site is marker type << 16 | id, or SITE_EXTRA + index of an extra_site for a
// site whose name differs from that of its id.
enum { SITE_KEYS = MARKER_OTHER << 16, SITE_EXTRA = 1 << 20 };
struct extra_site {
    uint32_t type, id;
    str name, file;
    int64_t line;
    uint32_t legacy; // RISC + 1: in the 2023 format each RISC has its own sites
};

struct run_key {
    int64_t chip, id, trace_id, trace_counter;
    int64_t is_replay; // of a whole trace: the id is not a program's
};
struct lane_run {
    struct run_key key;
    str meta;                               // carried by every marker of the run
    int32_t sub_device, sub_device_manager; // -1: none
};
// The words that identify a run, and the run.
struct run_words {
    uint64_t counter;
    uint32_t chip, base, run;
};

// Data of a marker; is_wide: 16 bytes.
struct raw_datum {
    uint64_t data, high;
    uint32_t row; // within the track
    bool is_wide;
};

struct open_zone {
    uint32_t id;
    uint32_t row; // of the start; NO_ROW: in an earlier decoding
};
#define NO_ROW UINT32_MAX

// What a dispatch kernel has reported so far.
enum dispatch_subtype { SUBTYPE_NONE, SUBTYPE_PACKED, SUBTYPE_LARGE };
struct dispatch_state {
    uint32_t program;
    bool has_command;
    uint64_t command;
    enum dispatch_subtype kind;
    uint64_t subtype;
};

// A marker held back until its zone ends, because later data may still name it.
struct held_row {
    uint64_t time;
    uint32_t site; // < SITE_EXTRA, else see `extra`
    struct extra_site extra;
    struct run_key run;
    struct raw_datum datum;
    bool has_datum;
};

// State of a track between decodings.
struct track_state {
    uint64_t counter;  // last replay counter, all bits
    uint32_t slots[8]; // guaranteed words of the previous chunk, and its run
    uint32_t slots_base;
    uint64_t slots_counter;
    uint64_t tail_hash; // optional words of the previous chunk
    size_t tail_words;
    VEC(struct open_zone) open;
    struct run_key bottom; // run of open.v[0]
    struct dispatch_state dispatch;
    VEC(struct held_row) held;
    struct arena held_names;
    VEC(uint64_t) seen; // row hashes of a core that is not done: it will be read again
    uint64_t l1_dropped, dram_dropped; // already reported
};

// Per-chip data that lanes only read.
struct chip_plan {
    const struct chip_record *chip;
    struct track_state *states; // [core][RISCS_MOST]
    size_t n_states;
    uint32_t *order; // cores by x, y
    struct map trace_ids;
    VEC(uint32_t) replays; // into trace_ids
    VEC(uint32_t) nth;     // by replay: number within its trace, from 1
    struct map members;    // {trace id, program}
    VEC(size_t) n_members; // by trace_record: how many programs are in `members`
    uint64_t epoch;        // subtracted from every time
};

struct track_work {
    uint32_t chip, core, risc;
    uint32_t first_block; // index + 1
    size_t words, capacity;
    struct track_state *state;
    // results
    size_t row, n_rows; // place in the columns
    size_t datum, n_data;
    struct risc_health health; // to be added
    uint64_t counters_unknown;
    str counter_text; // of the first
};

struct rows {
    uint64_t *time;
    uint32_t *site, *run;
    size_t n;
    uint64_t last; // largest time
    bool is_unsorted, has_equal;
};

struct site_seen {
    uint32_t key;
    size_t row; // in the lane: where it was first seen
};

struct decode_lane {
    struct decoder *d;
    size_t from, to; // tracks
    struct arena arena;

    // the track being decoded
    struct track_work *track;
    struct rows rows;
    VEC(struct raw_datum) raw;
    str risc;

    VEC(struct trace_datum) data; // of all the lane's tracks
    VEC(struct extra_site) extra;
    struct map extra_keys;
    VEC(struct run_words) run_words;
    struct map run_words_keys;
    uint32_t run_hint;
    VEC(struct lane_run) runs;
    struct map run_keys;
    bool has_meta; // of any run

    // numbered in row order
    uint32_t *site_number;      // by key, + 1
    VEC(uint32_t) extra_number; // by extra site, + 1
    VEC(struct site_seen) sites;
    VEC(uint32_t) run_number; // by run, + 1
    VEC(uint32_t) run_order;
    size_t n_rows;
    uint64_t replays_unknown;
    struct buf text; // scratch
};

struct decoder {
    struct collection *c;
    VEC(struct chip_plan) chips;
    uint16_t facts[65536];
    size_t n_names; // present in `facts`
    uint64_t n_collisions;
    bool has_ambiguous, has_dispatch, is_last;
    bool has_warned; // about ambiguous ids
    struct buf warnings;

    // one decoding
    VEC(struct track_work) tracks;
    uint32_t *next_block; // by block: next block of the same track, + 1
    struct trace *t;
    struct decode_lane *lanes;
};

static inline uint32_t site_type(const struct decode_lane *l, uint32_t site)
{
    return site < SITE_EXTRA ? site >> 16 : l->extra.v[site - SITE_EXTRA].type;
}
static inline uint32_t site_id(const struct decode_lane *l, uint32_t site)
{
    return site < SITE_EXTRA ? site & 0xFFFF : l->extra.v[site - SITE_EXTRA].id;
}
// Does the id of a marker of this type stand for a location?
static inline bool site_has_name(uint32_t type, uint32_t id)
{
    if (type == MARKER_TS_DATA)
        return id != TT_ID_PERF_COUNTER && id != TT_ID_NOC_EVENT && id != TT_ID_NOC_LOCK;
    return type < MARKER_TS_DATA;
}

// decode_plan.c: fills chips, facts, tracks and next_block
void decode_plan(struct decoder *d);

// decode_runs.c
void chip_plan_update(struct chip_plan *p, const struct chip_record *chip);
void chip_plan_free(struct chip_plan *p);
uint32_t lane_run(struct decode_lane *l, uint32_t base, uint32_t counter);
uint32_t lane_run_of(struct decode_lane *l, const struct run_key *k);
uint32_t lane_extra(struct decode_lane *l, const struct extra_site *site);

// decode_rows.c: rows in time order, each once
size_t rows_insert(struct decode_lane *l, uint64_t time);
void rows_put_datum(struct decode_lane *l, size_t row, struct raw_datum d);
void rows_settle(struct decode_lane *l);
void rows_forget_seen(struct decode_lane *l, bool is_kept);
void rows_number(struct decode_lane *l);

// Inserts a row in time order; returns its index.
static inline size_t rows_put(struct decode_lane *l, uint64_t time, uint32_t site,
                              uint32_t run)
{
    struct rows *r = &l->rows;
    size_t at = r->n;
    if (time < r->last) {
        at = rows_insert(l, time);
    } else {
        r->has_equal |= time == r->last;
        r->last = time;
    }
    r->time[at] = time;
    r->site[at] = site;
    r->run[at] = run;
    r->n++;
    return at;
}

// decode_words.c, decode_legacy.c: the words of one block into rows
void decode_block(struct decode_lane *l, const struct word_block *b);
void decode_legacy_block(struct decode_lane *l, const struct word_block *b);
void legacy_coordinates(const struct tt_core *core, int32_t *x, int32_t *y);

// decode_trace.c: merges the lanes' results into the trace
void decode_merge(struct decoder *d, unsigned n_lanes);

#endif
