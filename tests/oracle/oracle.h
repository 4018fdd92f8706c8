// oracle.h - programs on the software device under the profiler, as a user has it:
// variables of the environment, the C API, and the files that it leaves. The rows of the
// test oracle look at these files.
#ifndef TTP_TESTS_ORACLE_H
#define TTP_TESTS_ORACLE_H

#include "../support/device_run.h"
#include "../unit/test.h"
#include "sim/ttdev.h"
#include "ttprof/profiler.h"

// --- chips -----------------------------------------------------------------------------
struct oracle_chip {
    const char *board;
    int workers;
    const char *pair; // two chips with links
    int pair_workers, links;
};
extern const struct oracle_chip oracle_wormhole, oracle_blackhole;
extern const struct oracle_chip oracle_fast_wormhole, oracle_fast_blackhole;

// A row of the oracle on both chips: two tests.
#define ROW(name)                                                                          \
    static void name(const struct oracle_chip *chip);                                      \
    ROW_ON_CHIPS(name)                                                                     \
    static void name(const struct oracle_chip *chip)
#define ROW_ON_CHIPS(name)                                                                 \
    TEST(name##_on_wormhole)                                                               \
    {                                                                                      \
        name(&oracle_wormhole);                                                            \
    }                                                                                      \
    TEST(name##_on_blackhole)                                                              \
    {                                                                                      \
        name(&oracle_blackhole);                                                           \
    }
// The same with fast dispatch, and with both.
#define ROW_ON_FAST_CHIPS(name)                                                            \
    TEST(name##_fast_on_wormhole)                                                          \
    {                                                                                      \
        name(&oracle_fast_wormhole);                                                       \
    }                                                                                      \
    TEST(name##_fast_on_blackhole)                                                         \
    {                                                                                      \
        name(&oracle_fast_blackhole);                                                      \
    }
#define FAST_ROW(name)                                                                     \
    static void name(const struct oracle_chip *chip);                                      \
    ROW_ON_FAST_CHIPS(name)                                                                \
    static void name(const struct oracle_chip *chip)
#define ROW_OF_BOTH(name)                                                                  \
    static void name(const struct oracle_chip *chip);                                      \
    ROW_ON_CHIPS(name)                                                                     \
    ROW_ON_FAST_CHIPS(name)                                                                \
    static void name(const struct oracle_chip *chip)

// With TTPROF_ORACLE=short in the environment rows with hundreds of programs have a
// twentieth of them, and so many programs per region: for builds that are slow.
uint32_t oracle_programs(uint32_t n);

// --- a profiled device -----------------------------------------------------------------
struct oracle {
    ttdev *t;
    struct tt_access access;
    ttprof_profiler *p;
    ttdev_info info; // of chip 0
    ttdev_range all; // its workers
    VEC(ttdev_program *) programs;
    char folder[64];
    struct buf said; // by the profiler, so far
    struct device_run log;
    bool is_detached;
};

// Opens the device as the variables ("NAME=value", @ stands for the folder) ask for and
// attaches the profiler.
#define oracle_open(o, board, ...)                                                         \
    oracle_open_with((o), (board), (const char *const[]){__VA_ARGS__, NULL})
void oracle_open_with(struct oracle *o, const char *board, const char *const *variables);
// The same in two steps: programs may run before the profiler is attached.
void oracle_open_device(struct oracle *o, const char *board, const char *const *variables);
void oracle_attach(struct oracle *o);
void oracle_read(struct oracle *o);   // all chips
void oracle_detach(struct oracle *o); // from here on all files are there
void oracle_close(struct oracle *o);

// --- programs --------------------------------------------------------------------------
ttdev_program *oracle_program(struct oracle *o, const char *name);
// Images are those of workloads/ and of tests/oracle/kernels ("kernels/...").
void oracle_kernel(struct oracle *o, ttdev_program *p, ttdev_range cores, int risc,
                   const char *image, const uint32_t *args, size_t n);
#define ORACLE_ARGS(...)                                                                   \
    (const uint32_t[]){__VA_ARGS__}, sizeof((uint32_t[]){__VA_ARGS__}) / 4
// The same on RISCs of a mask; NOC 1 for NCRISC.
void oracle_kernels(struct oracle *o, ttdev_program *p, ttdev_range cores, unsigned riscs,
                    const char *image, const uint32_t *args, size_t n);
enum { ORACLE_ALL_RISCS = 31, ORACLE_MOVERS = 3, ORACLE_COMPUTE = 28 };
ttdev_range oracle_one(int x, int y);
// The linked Ethernet channels of chip 0, one after the other; -1 when there are no more.
int oracle_channel(struct oracle *o, int after);
uint32_t oracle_virtual(struct oracle *o, int x, int y, bool is_y);

void oracle_launch(struct oracle *o, ttdev_program *p, uint32_t id); // and waits
void oracle_replay(struct oracle *o, int trace);
int oracle_end_trace(struct oracle *o);

// --- files -----------------------------------------------------------------------------
const char *oracle_path(const struct oracle *o, const char *name); // in the logs folder
bool oracle_has_file(const struct oracle *o, const char *name);
// Reads the log and runs the analyses of a setup over it.
void oracle_analyse(struct oracle *o, const char *setup);
void oracle_check_clean(const struct oracle *o); // nothing odd was found in it
// Of an analysis on chip 0: how many results, and all numbers.
uint64_t oracle_count(const struct oracle *o, const char *analysis);
const struct stats *oracle_stats(const struct oracle *o, const char *analysis);
size_t oracle_events(const struct oracle *o, const char *analysis);
// Programs with an id in the log of chip 0.
size_t oracle_ops(const struct oracle *o);

// A table without quotes.
struct oracle_table {
    struct file file;
    VEC(str) head;
    VEC(str) cells; // trimmed, row by row
    size_t rows;
};
void oracle_table_read(struct oracle_table *t, const struct oracle *o, const char *name);
void oracle_table_free(struct oracle_table *t);
str oracle_cell(const struct oracle_table *t, size_t row, const char *column);

// How often the text stands in what the profiler said.
size_t oracle_said(const struct oracle *o, const char *text);
// At the end it said that so many markers were lost for lack of room.
void oracle_check_lost(const struct oracle *o, uint64_t in_l1, uint64_t in_dram);

#endif
