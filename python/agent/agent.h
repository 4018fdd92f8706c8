// agent.h - libttprof-python.so: records the functions of a Python program.
//
//   start.c        what the packages call: on, off, zones of the program's own
//   install.c      the profile function on each thread; who replaced it
//   events.c       calls, returns and lines of the interpreter
//   stack.c        the open zones of a thread: every zone that began also ends
//   places.c       code objects and C functions become numbers of locations
//   lanes.c        asyncio tasks have tracks of their own
//   filter.c       what is recorded: settings of the run
//   say.c          what could not be recorded, for `ttprof run` to tell
//   interpreter.c  the interpreter's functions, looked up when the library is loaded
//
// Everything here runs with the interpreter's lock held, which protects what threads share.
// The agent never raises, prints, or changes what the program sees.
#ifndef TTP_AGENT_AGENT_H
#define TTP_AGENT_AGENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "interpreter.h"
#include "ttprof/host.h"

#define agent_likely(x)   __builtin_expect(!!(x), 1)
#define agent_unlikely(x) __builtin_expect(!!(x), 0)
#define AGENT_HOT         __attribute__((noinline, hot))
#define AGENT_SLOW        __attribute__((noinline, cold))

// --- filter.c ----------------------------------------------------------------------------
void agent_filter_read(void);               // from the environment
void agent_filter_hide(const char *folder); // nothing in this folder is recorded
extern uint32_t agent_depth_most;           // zones open at once; UINT32_MAX: no limit
bool agent_filter_takes(const char *module, const char *name, const char *file);
bool agent_filter_takes_native(const char *module, const char *name);

// --- places.c ----------------------------------------------------------------------------
enum agent_place_flag {
    PLACE_IS_HIDDEN = 1,
    PLACE_IS_COROUTINE = 2,
    PLACE_STARTS_THREADS = 4,
    PLACE_DEPENDS_ON_SELF = 8, // many functions share one entry in C: pybind11
};
// A function, found by the address of its code object or of its entry in C.
struct agent_place {
    uintptr_t key;     // 0: free
    PyObject *held;    // keeps the address from being used again
    uint32_t location; // of the recorder; 0: hidden, or recording is off
    uint32_t flags;
};
struct agent_places {
    struct agent_place *at;
    size_t mask, used; // mask: number of slots - 1
};
extern struct agent_places agent_codes, agent_natives;
struct agent_place *agent_place_of_code(PyFrameObject *frame, PyObject *code);
struct agent_place *agent_place_of_native(PyObject *function, PyCFunction entry);
// Of a line of code that is being executed; 0: none.
uint32_t agent_place_of_line(PyObject *code, int line);
// What a coroutine is called, for its lane.
size_t agent_place_name(PyObject *code, char *out, size_t room);

static inline size_t agent_place_hash(uintptr_t key)
{
    return (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 20);
}

// NULL: it is seen for the first time.
static inline struct agent_place *agent_place_find(const struct agent_places *p,
                                                   uintptr_t key)
{
    for (size_t i = agent_place_hash(key);; i++) {
        struct agent_place *place = &p->at[i & p->mask];
        if (agent_likely(place->key == key))
            return place;
        if (!place->key)
            return NULL;
    }
}

// --- stack.c -----------------------------------------------------------------------------
enum agent_kind { ENTRY_FUNCTION, ENTRY_NATIVE, ENTRY_LINE, ENTRY_OWN };
struct agent_entry {
    uintptr_t frame; // its address; ENTRY_OWN: the number of the zone, which is odd
    ttprof_zone zone;
    uint32_t location; // 0: not recorded
    uint8_t kind;      // enum agent_kind
    bool is_hidden;    // and so are C functions that it calls
    bool is_deep;      // counts for the depth
    bool has_lane;     // its task's lane is entered
    bool is_ending;    // see agent_stack_remove
    bool is_coroutine;
    bool starts_thread;
};
// A zone of the program's own in a coroutine that waits.
struct agent_kept {
    uintptr_t frame;
    struct agent_entry entry;
};
// The zones that are open in an OS thread.
struct agent_stack {
    struct agent_entry *at;
    uint32_t n, room;
    uint32_t depth;
    bool is_in_lane;
    bool has_name;
    uint8_t name_tries;
    uint32_t enabled;  // regions that are open
    uint32_t last_own; // number of a zone
    struct agent_kept *kept;
    uint32_t n_kept, kept_room;
};
extern __thread struct agent_stack *agent_self __attribute__((tls_model("initial-exec")));
struct agent_stack *agent_stack_make(void); // of this thread; NULL: no memory
bool agent_stack_grow(struct agent_stack *s);
// Ends an entry that need not be the last one. What a function has called has ended with
// it, though unseen; zones of the program's own continue, and so does what goes on in them.
struct agent_epitaph { // what a zone is told with its end
    const char *name;
    size_t bytes;
    uint32_t colour;
};
void agent_stack_remove(struct agent_stack *s, uint32_t at,
                        const struct agent_epitaph *last);
// What waited with this coroutine continues with it.
void agent_stack_resume(struct agent_stack *s, uintptr_t frame);
void agent_stack_end_all(struct agent_stack *s);
void agent_stack_end_functions(struct agent_stack *s); // the program's own zones continue

static inline struct agent_stack *agent_stack_here(void)
{
    struct agent_stack *s = agent_self;
    return agent_likely(s != NULL) ? s : agent_stack_make();
}

static inline struct agent_entry *agent_stack_top(const struct agent_stack *s)
{
    return s->n ? &s->at[s->n - 1] : NULL;
}

static inline void agent_entry_begin(struct agent_stack *s, struct agent_entry *e)
{
    e->zone = (ttprof_zone){0};
    e->is_deep = e->location != 0;
    if (!e->location || agent_unlikely(s->depth++ >= agent_depth_most))
        return;
    if (agent_likely(ttprof_is_on()))
        e->zone = ttprof_zone_begin_at(e->location);
}

// The next entry, to be filled in and begun. NULL: no memory.
static inline struct agent_entry *agent_stack_next(struct agent_stack *s)
{
    if (agent_unlikely(s->n == s->room) && !agent_stack_grow(s))
        return NULL;
    return &s->at[s->n];
}

static inline void agent_stack_push(struct agent_stack *s, uintptr_t frame,
                                    enum agent_kind kind, uint32_t location, bool is_hidden)
{
    struct agent_entry *e = agent_stack_next(s);
    if (agent_unlikely(!e))
        return;
    *e = (struct agent_entry){.frame = frame,
                              .location = location,
                              .kind = (uint8_t)kind,
                              .is_hidden = is_hidden};
    s->n++;
    agent_entry_begin(s, e);
}

static inline void agent_entry_end(struct agent_stack *s, const struct agent_entry *e)
{
    if (agent_likely(e->zone.is_open))
        ttprof_zone_end(e->zone);
    s->depth -= e->is_deep;
    if (agent_unlikely(e->has_lane)) {
        ttprof_fiber_leave_put();
        s->is_in_lane = false;
    }
}

// --- lanes.c -----------------------------------------------------------------------------
// If a task of asyncio runs, enters its lane.
bool agent_lane_enter(PyObject *code);

// --- events.c ----------------------------------------------------------------------------
int agent_on_profile(PyObject *self, PyFrameObject *frame, int what, PyObject *arg);
int agent_on_trace(PyObject *self, PyFrameObject *frame, int what, PyObject *arg);

// --- install.c ---------------------------------------------------------------------------
bool agent_install_here(bool with_lines); // false: the program has such a function itself
void agent_remove_here(void);
void agent_install_everywhere(void); // on threads that have none
extern bool agent_is_whole;          // all threads are recorded, not regions of some

// --- say.c -------------------------------------------------------------------------------
enum agent_saying {
    SAY_MISSING,
    SAY_FREE_THREADED,
    SAY_REPLACED,
    SAY_AWAY,
    SAY_TAKEN,
    SAY_TRACED,
    SAY_LANES,
    SAYINGS
};
// Once per process; what: the name that belongs into the sentence, or NULL.
void agent_say(enum agent_saying which, const char *what);

#endif
