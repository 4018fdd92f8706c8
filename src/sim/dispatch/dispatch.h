// dispatch.h - fast dispatch, the host's side: programs become commands in a queue in host
// memory; kernels on dispatch cores fetch and execute them (kernel/dispatch).
//
//   launch -> plan (program/plan.h) -> groups, piece, ring -> commands -> queue entry
//
// The host never writes to a worker: from here on the device sees stores, NoC packets and
// the words of the queue only.
#ifndef TTP_SIM_DISPATCH_DISPATCH_H
#define TTP_SIM_DISPATCH_DISPATCH_H

#include "sim/dispatch/commands.h"
#include "sim/dispatch/store.h"

// What a test lowers to see buffers run full.
struct dispatch_sizes {
    uint32_t entries, issue_bytes, ring_bytes, pages, block, go_pages, completion_bytes;
};

// What a queue will write to the completion region: an event, or data that were read.
struct completion {
    uint32_t at, end; // where in the region; completion bytes of the queue, with it
    uint32_t bytes;
    uint8_t *to;          // of data; NULL: an event,
    uint32_t event;       // its number,
    uint32_t n_transfers; // and those enqueued before
};

struct queue {
    struct fast *fast;
    unsigned number;
    struct tile *prefetcher, *dispatcher;
    uint32_t at;                // where the next entry goes in the issue region
    uint32_t issued, consumed;  // bytes, cumulative; consumed: as last read
    uint32_t n_issued, n_taken; // entries, cumulative; taken: as last read
    uint32_t asked, seen, told; // completion bytes: to be written, seen, told to be read
    uint32_t record_at;         // where the next record will be in the completion region
    VEC(struct completion) expected; // that were not seen yet, in order
    uint32_t last_event, seen_event;
    uint32_t n_transfers, n_transferred; // enqueued; known to be done
    bool has_news;                       // something was enqueued since the last event
};

// A program that is in the queue and not known to be done, for reports.
struct fast_program {
    uint32_t run_id;
    char name[32];
    const struct capture *trace; // of a replay, whose programs these are; else NULL
};

// How far the device is when all commands so far are executed.
struct course {
    struct ring ring;
    uint32_t completed; // completions, cumulative
    uint32_t slot;      // of the next launch message
};

// A trace that is being captured, or in DRAM.
struct capture {
    struct commands commands;
    struct course course; // counts from 0, with an empty ring
    VEC(uint32_t) texts;  // numbers of the blocks of kernels it needs
    VEC(struct fast_program) programs;
    uint32_t block, n_pages; // in DRAM: number of its block
    uint64_t address;
};

struct fast {
    struct chip *chip;
    struct dispatch_sizes sizes;
    struct queue queues[TT_QUEUES];
    unsigned n_queues;
    bool has_started, has_ended;
    struct course course;    // of what was enqueued
    struct capture *capture; // being captured, or NULL
    bool has_moved_on;       // read pointers of the workers may not be 0
    struct store store;
    VEC(struct tile *) enabled; // launched by the host: slot 0 still has its enables
    VEC(struct fast_program) waiting;
};

// --- fast.c ----------------------------------------------------------------------------
void fast_open(struct chip *chip, unsigned n_queues); // sets chip->fast
void fast_close(struct chip *chip);
// Bytes of a DRAM bank for programs; kernels and traces of the queue follow them.
static inline uint64_t fast_bank_end(const struct chip *chip)
{
    return chip->fast ? chip->fast->store.from : chip->bank_bytes;
}
// Enqueues a planned launch, adds it to the trace being captured, or both. Returns when it
// is in the queue, not when it has run.
int fast_launch(struct chip *chip, const struct launch *l, bool is_only_captured);
uint32_t fast_go_word(const struct chip *chip,
                      uint32_t signal); // with the dispatcher's place

// --- events.c: what the device tells the host, and one queue the other ---------------
// Enqueues what makes the device tell when all before it is done.
int fast_ask(struct chip *chip);
// Whether everything before the last fast_ask is done.
bool fast_is_done(const struct chip *chip);
int fast_note_done(struct chip *chip); // the host has seen it
int fast_wait(struct chip *chip);
// A WAIT for the programs of the queue; `what`: TT_WAIT_* besides.
void put_queue_wait(struct commands *c, const struct queue *q, uint32_t what);
// A record with so many bytes, an event or data, will come: waits until the completion
// region has room for it.
int queue_expect(struct queue *q, struct completion record);
uint32_t queue_region_bytes(const struct queue *q); // for records
// The queue for a call from outside, with its kernels started; NULL: *code says why not.
struct queue *fast_queue(ttdev *t, int dev, int queue, int *code);

// --- start.c: the dispatch kernels, and launches that the host does by itself -----------
int fast_start(struct chip *chip); // before the first entry
int fast_end(struct chip *chip);   // launches fail from then on
// Before the host launches by itself: waits, and sets the workers' read pointers back.
int fast_pause(struct chip *chip);
void fast_note_direct(struct tile *tile); // the host has launched it by itself
int fast_resume(struct chip *chip);       // after such launches

// --- capture.c: traces ------------------------------------------------------------------
struct capture *capture_begin(struct chip *chip);
int capture_end(struct chip *chip); // writes the trace to DRAM; -ENOSPC if there is no room
void capture_free(struct chip *chip, struct capture *capture);
int capture_replay(struct chip *chip, const struct capture *capture);

// --- tell.c: what is in the queues, for reports -----------------------------------------
struct fast_program fast_program_of(const struct launch *l);
void fast_note_waiting(struct fast *fast, const struct fast_program *program);
// For each queue with work left: its program, how many follow, what its kernels wait for.
void fast_tell(const struct chip *chip, struct buf *out);
// Programs behind the one that workers have not finished; 0 if they have finished all.
size_t fast_n_not_started(const struct chip *chip);

// --- queue.c ---------------------------------------------------------------------------
// Puts the commands into the queue, in one entry or several; only the last one stalls.
int queue_put(struct queue *q, const struct commands *c, bool stalls, uint64_t cost_ns);
uint32_t queue_entry_most(const struct queue *q); // bytes
// What the host spends on making and copying commands or data; real time passes in warp
// mode.
void queue_spend(struct chip *chip, uint64_t cost_ns, size_t bytes);

#endif
