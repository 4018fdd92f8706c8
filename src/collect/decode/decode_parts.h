// decode_parts.h - what the files of the decoder share.
//
// Tracks are cut into ranges of about the same number of words, each lane decodes its own
// range into its own slices of the trace's columns and numbers sites and runs for itself,
// in the order of the rows. Then the lanes' numbers become those of the trace, lane by
// lane: the trace does not depend on the number of lanes.
#ifndef TTP_COLLECT_DECODE_DECODE_PARTS_H
#define TTP_COLLECT_DECODE_DECODE_PARTS_H

#include "collect/decode/decode.h"
#include "ttprof/profiler_words.h"

// What is known of a static id, found out once.
enum id_fact {
    ID_KNOWN = 1 << 0,
    ID_AMBIGUOUS = 1 << 1, // several locations
    ID_FIRMWARE = 1 << 2,  // "...-FW"
    ID_KERNEL = 1 << 3,    // "...-KERNEL"
    ID_DISPATCH = 1 << 4,  // a zone whose data are about commands
    ID_COMMAND = 1 << 5,   // "process_cmd..."
    ID_PROGRAM = 1 << 6,   // "runtime_host_id_dispatch"
    ID_PACKED = 1 << 7,
    ID_PACKED_LARGE = 1 << 8,
};

// A site of a lane is marker type << 16 | id, or SITE_EXTRA + number of an extra_site: one
// whose name is not that of its id alone.
enum { SITE_KEYS = MARKER_OTHER << 16, SITE_EXTRA = 1 << 20 };
struct extra_site {
    uint32_t type, id;
    str name, file;
    int64_t line;
    uint32_t legacy; // of which RISC, + 1: the sites of 2023 are those of a RISC
};

struct run_key {
    int64_t chip, id, trace_id, trace_counter;
};
struct lane_run {
    struct run_key key;
    str meta;                               // what every marker of the run carries
    int32_t sub_device, sub_device_manager; // which is this; -1: none
};
// What words say of a run, and which one that is.
struct run_words {
    uint64_t counter;
    uint32_t chip, base, run;
};

// What a marker carries; is_wide: it has 16 bytes.
struct raw_datum {
    uint64_t data, high;
    uint32_t row; // of the track
    bool is_wide;
};

struct open_zone {
    uint32_t id;
    uint32_t row; // of its start; NO_ROW: it was in an earlier decoding
};
#define NO_ROW UINT32_MAX

// What a dispatch kernel has said so far.
enum dispatch_subtype { SUBTYPE_NONE, SUBTYPE_PACKED, SUBTYPE_LARGE };
struct dispatch_state {
    uint32_t program;
    bool has_command;
    uint64_t command;
    enum dispatch_subtype kind;
    uint64_t subtype;
};

// A marker that waits for the end of its zone, whose data may still give it a name.
struct held_row {
    uint64_t time;
    uint32_t site; // < SITE_EXTRA, else `extra` is meant
    struct extra_site extra;
    struct run_key run;
    struct raw_datum datum;
    bool has_datum;
};

// What a track carries from one decoding to the next.
struct track_state {
    uint64_t counter;  // last replay counter, all its bits
    uint32_t slots[8]; // guaranteed words of the chunk before, and its run
    uint32_t slots_base;
    uint64_t slots_counter;
    uint64_t tail_hash; // optional words of the chunk before
    size_t tail_words;
    VEC(struct open_zone) open;
    struct run_key bottom; // run of open.v[0]
    struct dispatch_state dispatch;
    VEC(struct held_row) held;
    struct arena held_names;
    VEC(uint64_t) seen; // hashes of the rows of a core that is not done: it is read again
    uint64_t l1_dropped, dram_dropped; // told already
};

// What lanes need to know of a chip; they only read it.
struct chip_plan {
    const struct chip_record *chip;
    struct track_state *states; // [core][RISCS_MOST]
    size_t n_states;
    uint32_t *order; // cores by x, y
    struct map trace_ids;
    VEC(uint32_t) replays; // of trace_ids
    VEC(uint32_t) nth;     // by replay: the how manieth of its trace, from 1
    struct map members;    // {trace id, program}
    VEC(size_t) n_members; // by trace_record: programs that are in `members`
    uint64_t epoch;        // what is taken from every time
};

struct track_work {
    uint32_t chip, core, risc;
    uint32_t first_block; // index + 1
    size_t words, capacity;
    struct track_state *state;
    // found
    size_t row, n_rows; // place in the columns
    size_t datum, n_data;
    struct risc_health health; // what is to be added
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
    size_t row; // of the lane: where it was first seen
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

    VEC(struct trace_datum) data; // of all tracks of the lane
    VEC(struct extra_site) extra;
    struct map extra_keys;
    VEC(struct run_words) run_words;
    struct map run_words_keys;
    uint32_t run_hint;
    VEC(struct lane_run) runs;
    struct map run_keys;
    bool has_meta; // some run has

    // numbers in the order of the rows
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
    size_t n_names; // that are in `facts`
    uint64_t n_collisions;
    bool has_ambiguous, has_dispatch, is_last;
    bool has_warned; // of ambiguous ids
    struct buf warnings;

    // one decoding
    VEC(struct track_work) tracks;
    uint32_t *next_block; // by block: the next one of its track, + 1
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
// Is the id of a marker of this type one of a location?
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

// Puts a row where its time wants it; returns where that is.
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

// decode_trace.c: what the lanes found into the trace
void decode_merge(struct decoder *d, unsigned n_lanes);

#endif
