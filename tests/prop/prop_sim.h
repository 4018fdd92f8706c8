// prop_sim.h - a scene, for the parts of prop_sim.
#ifndef TTP_TESTS_PROP_SIM_H
#define TTP_TESTS_PROP_SIM_H

#include <string.h>

#include "base/data/vec.h"

#include "../kernels/script.h"
#include "prop.h"
#include "sim/ttdev.h"

enum {
    MOST_DEVICES = 4, // that play a scene side by side
    MOST_CORES = 12,
    MOST_STEPS = 60,
    MOST_ACTS = 48,
    SHARED_WORDS = 12,
    BUFFERS = 2,
    PAGES = 4,
    PAGE = 2048,
    MODEL_PLACES = 4, // cores of a scene that the plain model plays, too
};

// How one device simulates.
struct way {
    unsigned threads, quantum;
    bool park, is_traced;
};

struct place {
    int dev;
    ttdev_xy at; // logical; Ethernet: channel, 0
    bool is_eth;
    uint32_t base; // what SCRIPT_* count from
    uint32_t high; // of NoC addresses
    ttdev_core core;
};

struct device {
    struct way way;
    ttdev *t;
    ttdev_program *program[2];
    VEC(ttdev_truth_event) truth;
    uint32_t n_quiet; // calls of the hook that wrote
    const struct scene *scene;
};

struct scene {
    uint64_t seed;
    struct random random;
    struct law *law;
    char config[400];
    int arch, n_devs;
    uint32_t scale; // of host times: 1, or more with a slow clock
    bool has_few_waits, has_resets, has_faults, has_truth, has_quiet,
        has_parking; // parking: everywhere
    struct place place[MOST_CORES + 4];
    uint32_t n_places, n_workers;
    struct script_step steps[MOST_CORES + 4][TT_RISCS][MOST_STEPS + 1];
    struct device device[MOST_DEVICES];
    uint32_t n;
};

// The operation and its operands in order.
#define STEP(...) step_of((const uint32_t[8]){__VA_ARGS__})
static inline struct script_step step_of(const uint32_t words[8])
{
    struct script_step step;
    memcpy(&step, words, sizeof step);
    return step;
}

#define ANY(scene, n)    random_below(&(scene)->random, (n))
#define ONE_IN(scene, n) random_one_in(&(scene)->random, (n))

struct act {
    uint32_t kind, value, address, bytes;
    int dev;
    uint64_t ns;
    struct place place;
};

enum act_kind {
    ACT_LAUNCH,
    ACT_SLEEP,
    ACT_POLL,
    ACT_WRITE,
    ACT_READ,
    ACT_REGISTER_READ,
    ACT_REGISTER_WRITE,
    ACT_DRAM_WRITE,
    ACT_DRAM_READ,
    ACT_WAIT,
    ACT_RELEASE,
    ACT_REPLAY,
    ACT_DELAY, // RISCs of `bytes`, kinds of `address`, `value` cycles
};

struct answer {
    int code;
    uint64_t host_ns, clock[2], state[2], data[8];
    bool has_fault;
};

// prop_sim_script.c
void scene_configure(struct scene *s);     // the cluster, by its configuration
void scene_choose_places(struct scene *s); // cores that take part; device 0 is open
void scene_write_script(struct scene *s, uint32_t place);
uint32_t scene_shared_word(struct scene *s, const struct place *p);
uint32_t scene_register(struct scene *s, bool can_change);
uint32_t scene_reset(struct scene *s);

// prop_sim_differ.c: false and the law broken when the other device did something else.
bool same_answer(struct scene *s, uint32_t number, const struct act *act,
                 const struct answer *x, const struct answer *y, struct device *b);
void same_truth(struct scene *s); // of all devices

// prop_sim_model.c: scripts for a RISC of each place, and what they must leave in memory.
struct model;
struct model *model_new(struct scene *s);    // before the programs are made
void model_check(struct model *m, int code); // after the wait; frees it

#endif
