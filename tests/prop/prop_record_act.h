// prop_record_act.h - what a thread of a scene can do.
#ifndef TTP_TESTS_PROP_RECORD_ACT_H
#define TTP_TESTS_PROP_RECORD_ACT_H

#include <pthread.h>
#include <sys/stat.h>

#include "prop_record.h"

// Zones that are open: of a thread, or of a fiber wherever it runs.
struct stack {
    struct list *list;
    uint32_t n_open;
    struct {
        ttprof_zone zone;
        bool has_value, has_name, has_colour;
    } open[DEPTH_MOST];
    pthread_mutex_t mutex; // of a fiber
};

// One process that plays.
struct play {
    const struct scene *s;
    uint32_t session, n_sessions;
    bool is_on, is_child;
    uint16_t epoch; // atomic: the clock of now
    uint32_t is_switching;
    struct stack fibers[FIBERS]; // n_open, list
    pthread_mutex_t mutex;       // the lock that is recorded, too
    uint32_t lock;               // its number; atomic
};

struct actor {
    struct play *play;
    struct list *own;
    struct stack *sink; // where calls go now: the own stack, or that of a fiber
    struct stack stack;
    struct random random;
};

void actor_run(struct actor *x);   // so many calls as the scene says
void actor_leave(struct actor *x); // the fiber it is in, and most zones
void actor_leave_fiber(struct actor *x);
// Without a word: the window closed in it.
void actor_drop_fiber(struct actor *x);
void actor_name(struct actor *x);
void actor_signpost(struct actor *x, const char *header);
void actor_handle(int signal); // records in the list of the thread it interrupts
void play_switch_clock(struct play *p);
uint64_t play_monotonic(void);

#endif
