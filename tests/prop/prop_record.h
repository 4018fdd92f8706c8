// prop_record.h - random programs that record themselves, and what they did.
//
// A scene runs in phases: some threads each, which act at random through the calls of
// host.h. Each thread (and each fiber) keeps a list of its calls in memory that is shared
// with forked children, so that the parent knows what a child did, however it ended. Then
// the reader must give all of it back.
#ifndef TTP_TESTS_PROP_RECORD_H
#define TTP_TESTS_PROP_RECORD_H

#include "formats/host_run/host_run.h"
#include "prop.h"
#include "ttprof/host.h"

enum {
    CALLS_MOST = 1 << 14, // of a list
    LISTS_MOST = 400,
    SESSIONS_MOST = 24,
    EPOCHS_MOST = 64,
    FIBERS = 3,
    DEPTH_MOST = 12,
    PLACES = 6,
    MADE_PLACES = 4,
    HANDLER_PLACE = PLACES - 1,
    NAMES = 5
};

// --- what was done -----------------------------------------------------------------------
// One call, as it went in. Times are taken around it, of both clocks: of the system in ns,
// and of the scene, which counts how often it was asked.
struct call {
    uint8_t kind;                 // enum tt_host_event
    bool was_kept;                // ZONE_BEGIN: it is recorded
    uint16_t epoch;               // of the clock; UINT16_MAX: it changed meanwhile
    uint32_t place;               // of a zone or mark
    uint32_t bytes;               // of the text
    uint32_t turn;                // locks: who comes after whom
    uint64_t a, b, c;             // numbers and, where names are wanted, their indexes
    uint64_t before_ns, after_ns; // after 0: it has not returned
    uint64_t before_ticks, after_ticks;
};
struct list {
    uint32_t id, session;
    bool is_fiber;
    uint32_t n;                           // calls begun, atomic
    uint32_t n_done;                      // and ended
    uint32_t n_handled, n_handler_events; // by handlers of this thread, tried and made
    struct call v[CALLS_MOST];
};
// One recording: of one process, from its start or first event to its end.
struct session {
    int pid;
    uint32_t number;  // of that process
    bool is_stopped;  // regularly
    bool is_torn;     // stopped in the middle of what threads did, atomic
    uint64_t stop_ns; // when stopping began
    uint64_t start_ns, end_ns;
};
// When the process's clock was what.
struct epoch {
    bool is_own;
    uint64_t before_ns, after_ns, before_ticks, after_ticks; // of the switch
};
struct truth {
    uint32_t n_lists, n_sessions, n_epochs, n_turns;
    uint64_t ticks; // the scene's clock
    struct session sessions[SESSIONS_MOST];
    struct epoch epochs[EPOCHS_MOST];
    struct list lists[LISTS_MOST];
};

// --- scenes ------------------------------------------------------------------------------
enum window { WINDOW_NONE, WINDOW_SIGNPOSTS, WINDOW_FRAMES, WINDOW_FOR };
struct scene {
    uint64_t seed;
    char folder[64];
    struct ttprof_settings settings;
    bool is_lossy; // rings may be full
    bool has_handlers, has_fibers, has_clocks, has_forks, has_flushes, has_reader,
        has_tears;
    enum window window;
    uint32_t skip;
    uint32_t n_phases, n_threads, n_calls; // calls of a thread in a phase
    uint32_t text_most;
    struct truth *truth;
};
struct scene scene_make(uint64_t seed, struct truth *truth);
// `look` is called now and then while threads record. False: the folder cannot be made.
bool scene_play(struct scene *s, void (*look)(void *context), void *context);
void scene_remove(const struct scene *s);
const char *scene_show(const struct scene *s);

// --- the same words on both sides --------------------------------------------------------
extern struct ttprof_location scene_places[PLACES];
struct scene_made {
    const char *file, *function, *name;
    uint32_t line, colour;
};
extern const struct scene_made scene_made[MADE_PLACES]; // places PLACES and up
extern const char *const scene_names[NAMES];            // the first one is NULL
// The text of call i of a list.
void scene_text(struct buf *b, uint32_t list, uint32_t i, uint32_t bytes);
const char *scene_track_name(struct buf *b, const struct list *l);

// --- checking ----------------------------------------------------------------------------
enum record_law {
    LAW_OPENS,
    LAW_EVENTS,
    LAW_TIMES,
    LAW_LOSSES,
    LAW_TRACKS,
    LAW_ORDER,
    LAW_LIVE,
    LAW_LANES,
    LAWS
};
extern struct law record_laws[LAWS];
void record_check(const struct scene *s);
void record_check_live(const struct scene *s);
// The forms of `ttprof zones` do not depend on the number of lanes.
void record_check_lanes(const struct scene *s);

#endif
