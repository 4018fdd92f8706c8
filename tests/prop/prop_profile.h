// prop_profile.h - a scene, for the parts of prop_profile.
#ifndef TTP_TESTS_PROP_PROFILE_H
#define TTP_TESTS_PROP_PROFILE_H

#include "base/data/vec.h"

#include "../kernels/profile_random.h"
#include "collect/decode/decode.h"
#include "collect/readout/readout.h"
#include "prop.h"
#include "sim/ttdev.h"

enum {
    MOST_PLACES = 6,
    MOST_PROGRAMS = 4,
    MOST_ACTS = 40,
    MOST_TRACES = 4,
    PLAYERS = 2,
    RISCS_ALL = TT_RISCS + 1, // and the Ethernet tile's
    SCRIPT_BYTES = 8192,
    SCRIPT_WORDS = SCRIPT_BYTES / 4,
    ROOM_BYTES = 4 * RANDOM_NEST_MOST + 2 * RANDOM_NOC_BYTES,
};

// --- what a script is expected to leave ------------------------------------------------
struct expected {
    uint8_t packet;         // TT_PACKET_*
    const char *name;       // NULL: a number
    uint32_t id;            // of events and NoC events
    uint64_t data, trailer; // of data
    bool has_any_data;      // which nobody can tell
    uint32_t at_least;      // cycles after the marker before it
};
typedef VEC(struct expected) expected_list;

struct script {
    uint32_t words[SCRIPT_WORDS];
    uint32_t n;
    expected_list list; // kernel's markers in order, without those that depend on options
    uint32_t marker_words; // that they take in the vector
    uint32_t sum[2];       // fewest cycles; 0: no sum
    bool has_push;         // or something that may push
};

// --- a scene ---------------------------------------------------------------------------
struct place {
    int dev;
    ttdev_xy at; // logical; Ethernet: channel, 0
    bool is_eth;
    ttdev_core core;
    ttdev_xy noc0, shown; // shown: virtual
    uint32_t base;        // of its scripts in L1
};

enum act_kind { ACT_LAUNCH, ACT_WAIT, ACT_SLEEP, ACT_READ, ACT_RECORD, ACT_REPLAY };
struct act {
    int kind, dev;
    uint32_t program; // or number of the trace
    uint32_t n;       // programs of a trace
    uint64_t ns;
};

struct scene {
    uint64_t seed;
    struct random random;
    struct law *law;
    char config[300], how[200]; // how: the options
    int arch, n_devs;
    struct profiler_options options;
    uint32_t n_places, n_programs, n_acts;
    struct place place[MOST_PLACES];
    uint32_t riscs[MOST_PROGRAMS][MOST_PLACES]; // mask, 0: not in the program
    struct script *script[MOST_PROGRAMS][MOST_PLACES][TT_RISCS];
    struct act act[MOST_ACTS];
    bool has_dump;
};
#define ANY(s, n)    random_below(&(s)->random, n)
#define ONE_IN(s, n) random_one_in(&(s)->random, n)

// Every RISC of a place by its position: 0 .. riscs_of - 1.
static inline uint32_t riscs_of(const struct place *p)
{
    return p->is_eth ? 1 : TT_RISCS;
}

// --- what really happened --------------------------------------------------------------
struct stored {
    uint64_t clock; // that was read for it
    uint64_t data, trailer;
    uint64_t main_start; // clock of the launch's main zone
    uint32_t launch;     // of this RISC, from 0
    uint32_t id;
    uint8_t packet;
    bool is_decoded; // found in the trace
    bool is_late;    // the clock was read again before it was stored
};
struct interval { // the kernel's, in cycles of the wall clock
    uint64_t from, to;
};
enum { LAST_READS = 32 };
struct watched { // a RISC of a place
    VEC(struct stored) stored;
    VEC(struct interval) kernel;
    uint64_t reads[LAST_READS]; // of the clock
    uint32_t n_reads;
    uint32_t high, first; // header and word of a marker whose other words are to come
    uint32_t n_more;      // how many
    uint64_t main_start;
    uint32_t n_launches;
    char odd[200]; // what no recorder does
};

// A launch as the host knows it.
struct launched {
    uint32_t program, base;
    int64_t trace, counter; // -1: none
};

struct player {
    struct scene *scene;
    ttdev *t;
    struct tt_access access;
    struct collection c;
    struct readout *readout;
    struct decoder *decoder;
    ttdev_program *program[2][MOST_PROGRAMS];
    struct watched (*watched)[TT_RISCS]; // by place
    VEC(struct launched) launched[2];    // by chip
    struct trace_made {
        int number;
        uint32_t n, program[4], base[4], n_replays;
    } trace[2][MOST_TRACES];
    uint32_t n_traces[2], next_base;
    struct trace rows; // the last decoding
    struct buf log;    // as a file, of all decodings
    bool decodes_often;
    unsigned lanes;
    char folder[64];
};

// --- prop_profile_script.c -------------------------------------------------------------
// The cluster and the options, then what is on it; a device of it is open.
void scene_choose(struct scene *s);
void scene_populate(struct scene *s, ttdev *t);
void scene_free(struct scene *s);

// --- prop_profile_truth.c --------------------------------------------------------------
void truth_take(void *player, const ttdev_truth_event *event); // a ttdev_truth_cb

// --- prop_profile_check.c --------------------------------------------------------------
// All that a player has heard, decoded and counted fits together. Only with one decoding.
void check_player(struct player *p);

#endif
