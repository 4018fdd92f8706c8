// fast.c - launches by way of the queue.
#include <errno.h>

#include "sim/cluster.h"
#include "sim/dispatch/cores.h"
#include "sim/dispatch/dispatch.h"
#include "sim/dispatch/move.h"
#include "sim/noc/noc.h"
#include "sim/report/report.h"
#include "sim/tile/tile.h"

// --- open and close --------------------------------------------------------------------
void fast_open(struct chip *chip, unsigned n_queues)
{
    struct fast *fast = mem_alloc(sizeof *fast);
    *fast = (struct fast){.chip = chip,
                          .n_queues = n_queues,
                          .sizes = {.entries = TT_QUEUE_ENTRIES,
                                    .issue_bytes = TT_ISSUE_BYTES,
                                    .ring_bytes = TT_PREFETCH_RING_BYTES,
                                    .pages = TT_DISPATCH_PAGES,
                                    .block = TT_DISPATCH_BLOCK,
                                    .go_pages = TT_DISPATCH_GO_PAGES,
                                    .completion_bytes = TT_COMPLETION_BYTES},
                          .course.ring.bytes = chip->cluster->cfg.ring_bytes};
    for (unsigned q = 0; q < n_queues; q++)
        fast->queues[q] = (struct queue){
            .fast = fast,
            .number = q,
            .prefetcher = dispatch_core(chip, q, DISPATCH_PREFETCHER),
            .dispatcher = dispatch_core(chip, q, DISPATCH_DISPATCHER),
        };
    store_open(&fast->store, chip->bank_bytes, chip->n_banks);
    chip->fast = fast;
    chip->tell_queues = fast_tell;
}

void fast_close(struct chip *chip)
{
    if (!chip->fast)
        return;
    for (unsigned q = 0; q < chip->fast->n_queues; q++)
        vec_free(&chip->fast->queues[q].expected);
    store_close(&chip->fast->store);
    vec_free(&chip->fast->enabled);
    vec_free(&chip->fast->waiting);
    mem_free(chip->fast);
    chip->fast = NULL;
}

// --- kernels in DRAM -------------------------------------------------------------------
static struct store_key key_of(const struct piece *piece, const struct plan *plan,
                               uint32_t base)
{
    struct store_key key = {{NULL}, {0}};
    for (unsigned r = 0; r < TT_RISCS; r++)
        if (plan->kernel[r]) {
            key.image[r] = plan->kernel[r]->image;
            key.at[r] = base + piece_kernel(piece, plan, r, base);
        }
    return key;
}

// Zeros and kernels, as they follow each other in the piece of a program.
// Also makes the copies that cores will execute, or keeps them from being dropped.
static void text_bytes(struct buf *out, struct ttdev *t, const struct store_key *key)
{
    for (unsigned r = 0; r < TT_RISCS; r++) {
        if (!key->image[r])
            continue;
        if (!out->n)
            buf_fill(out, 0, PIECE_ZEROS);
        const struct image_copy *copy = image_move(t, key->image[r], key->at[r]);
        buf_str(out, (str){(const char *)copy->memory, key->image[r]->bytes});
        buf_fill(out, 0, -key->image[r]->bytes % TT_COMMAND_BYTES);
    }
}

static int write_text(struct chip *chip, const struct store_block *block,
                      const struct buf *bytes)
{
    struct host_access access = host_begin(chip, true, bytes->n);
    bool is_done = dram_write(chip, block->bank, block->address, bytes->p, bytes->n);
    host_end(chip, access);
    return is_done ? 0
                   : cluster_error(chip->cluster, -ENOMEM, "device %d: dram_cap reached",
                                   chip->number);
}

// A place for kernels. When there is none, all kernels that no trace needs go.
static int find_place(struct chip *chip, const struct store_key *key, size_t bytes,
                      const struct store_block **block)
{
    struct store *store = &chip->fast->store;
    int bank = store_next_bank(store), code = 0;
    *block = store_add(store, bank, (uint32_t)bytes, key);
    if (*block)
        return 0;
    code = fast_wait(chip);
    if (code)
        return code;
    store_drop_kernels(store);
    *block = store_add(store, bank, (uint32_t)bytes, key);
    return *block ? 0
                  : cluster_error(chip->cluster, -ENOSPC,
                                  "device %d: no DRAM left for %zu bytes of kernels",
                                  chip->number, bytes);
}

// Writes a group's kernels to DRAM, unless they are there from an earlier launch.
static int store_text(struct chip *chip, const struct store_key *key,
                      struct stored_text *text)
{
    struct buf bytes = {0};
    text_bytes(&bytes, chip->cluster, key);
    int code = 0;
    const struct store_block *block = bytes.n ? store_find(&chip->fast->store, key) : NULL;
    if (bytes.n && !block) {
        code = find_place(chip, key, bytes.n, &block);
        if (!code)
            code = write_text(chip, block, &bytes);
    }
    if (!code && block)
        *text = (struct stored_text){.bank = block->bank,
                                     .address = block->address,
                                     .bytes = (uint32_t)bytes.n,
                                     .block = block->number};
    buf_free(&bytes);
    return code;
}

// --- launch ----------------------------------------------------------------------------
// A program on its way into a queue or a trace.
struct job {
    const struct launch *launch;
    struct course *course;
    bool is_captured;
    struct groups groups;
    struct piece piece;
    struct ring_place place;
    struct stored_text *texts; // by group
    uint32_t base;
    uint32_t n_workers, n_eth; // that will answer
    struct commands commands;
};

static void count_cores(struct job *job)
{
    const struct chip *chip = job->launch->chip;
    bool has_worker = false;
    for (int i = 0; i < chip->n_tiles; i++) {
        const struct plan *plan = &job->launch->plans[i];
        if (!plan->has_kernel)
            continue;
        if (tile_is_eth(plan->tile))
            job->n_eth++;
        else
            has_worker = true;
    }
    // GO reaches all of them; those without a kernel answer at once.
    job->n_workers = has_worker ? (uint32_t)(chip->grid.x * chip->grid.y) : 0;
}

static void warn_of_fixed(const struct launch *l)
{
    for (size_t i = 0; i < l->program->kernels.n; i++) {
        const struct ttdev_image *image = l->program->kernels.v[i].image;
        if (image->move_trouble)
            (void)image_move(l->chip->cluster, image, image->base + RING_ALIGN);
    }
}

// Programs at fixed addresses have the ring for themselves. Ethernet cores have one place
// for kernels, so theirs wait for all before them, too.
static int place_job(struct job *job)
{
    struct chip *chip = job->launch->chip;
    struct course *course = job->course;
    uint32_t done_at = course->completed + job->n_workers + job->n_eth;
    if (job->piece.is_fixed || job->n_eth) {
        job->place =
            (struct ring_place){.wait = RING_WAIT_MEMORY, .count = course->completed};
        ring_know(&course->ring, course->completed);
    }
    if (job->piece.is_fixed) {
        warn_of_fixed(job->launch);
        ring_fill(&course->ring, done_at);
    } else if (job->n_workers) {
        struct ring_place place;
        if (!ring_place(&course->ring, job->piece.bytes, done_at, &place))
            return cluster_error(
                chip->cluster, -ENOSPC,
                "program '%s': %u bytes of kernels and configuration, but the ring has %u (ring_bytes)",
                job->launch->program->name, job->piece.bytes, course->ring.bytes);
        if (job->n_eth)
            job->place.offset = place.offset; // nothing is in its way any more
        else
            job->place = place;
    }
    job->base = chip->layout->kernel_config + job->place.offset;
    return 0;
}

// Small kernels are part of a trace: fetched with its commands, they cost no wait for DRAM.
static bool inline_text(struct job *job, const struct store_key *key,
                        struct stored_text *text)
{
    enum { INLINE_MOST = 8 << 10 };
    if (!job->is_captured)
        return false;
    text_bytes(&text->inlined, job->launch->chip->cluster, key);
    if (text->inlined.n > INLINE_MOST)
        buf_free(&text->inlined);
    return text->inlined.n > 0;
}

static int store_texts(struct job *job)
{
    int code = 0;
    job->texts = mem_alloc(mem_bytes(sizeof *job->texts, job->groups.v.n + 1));
    for (size_t g = 0; g < job->groups.v.n && !code; g++) {
        struct store_key key = key_of(&job->piece, job->groups.v.v[g].plan, job->base);
        if (inline_text(job, &key, &job->texts[g]))
            continue;
        code = store_text(job->launch->chip, &key, &job->texts[g]);
        // Room for the kernels of the next group must not be made by dropping these.
        if (!code && job->texts[g].bytes)
            store_use(&job->launch->chip->fast->store, job->texts[g].block, 1);
    }
    return code;
}

uint32_t fast_go_word(const struct chip *chip, uint32_t signal)
{
    const struct tile *to = chip->fast->queues[0].dispatcher;
    return tt_go_word(signal, (uint32_t)to->virt.x, (uint32_t)to->virt.y, 0);
}

static void make_commands(struct job *job)
{
    struct course *course = job->course;
    put_program(&job->commands, &(struct program_commands){
                                    .launch = job->launch,
                                    .groups = &job->groups,
                                    .piece = &job->piece,
                                    .place = &job->place,
                                    .texts = job->texts,
                                    .base = job->base,
                                    .slot = course->slot,
                                    .n_eth = job->n_eth,
                                    .has_workers = job->n_workers > 0,
                                    .go_after = course->completed,
                                    .go_word = fast_go_word(job->launch->chip, TT_GO_GO)});
    course->completed += job->n_workers + job->n_eth;
    if (job->n_workers)
        course->slot = (course->slot + 1) % TT_LAUNCH_SLOTS;
}

// If there is no place for it, the course stays as it was.
static int prepare_job(struct job *job)
{
    struct course before = *job->course;
    groups_make(&job->groups, job->launch);
    job->piece = piece_lay_out(job->launch, &job->groups);
    count_cores(job);
    int code = place_job(job);
    if (!code)
        code = store_texts(job);
    if (code)
        *job->course = before;
    else
        make_commands(job);
    return code;
}

static void job_free(struct job *job)
{
    for (size_t g = 0; job->texts && g < job->groups.v.n; g++) {
        if (job->texts[g].bytes)
            store_use(&job->launch->chip->fast->store, job->texts[g].block, -1);
        buf_free(&job->texts[g].inlined);
    }
    groups_free(&job->groups);
    mem_free(job->texts);
    commands_free(&job->commands);
}

static int enqueue_launch(struct chip *chip, const struct launch *l)
{
    struct fast *fast = chip->fast;
    struct job job = {.launch = l, .course = &fast->course};
    int code = prepare_job(&job);
    if (!code) {
        fast->has_moved_on = true;
        struct fast_program program = fast_program_of(l);
        fast_note_waiting(fast, &program);
        code = queue_put(&fast->queues[0], &job.commands, false,
                         chip->cluster->cfg.host_enqueue_ns);
    }
    job_free(&job);
    return code;
}

static int capture_launch(struct chip *chip, const struct launch *l)
{
    struct capture *capture = chip->fast->capture;
    struct job job = {.launch = l, .course = &capture->course, .is_captured = true};
    int code = prepare_job(&job);
    if (!code)
        commands_append(&capture->commands, &job.commands);
    for (size_t g = 0; g < job.groups.v.n && !code; g++)
        if (job.texts[g].bytes) {
            vec_push(&capture->texts, job.texts[g].block);
            store_use(&chip->fast->store, job.texts[g].block, 1);
        }
    if (!code) {
        struct fast_program program = fast_program_of(l);
        vec_push(&capture->programs, program);
    }
    job_free(&job);
    return code;
}

int fast_launch(struct chip *chip, const struct launch *l, bool is_only_captured)
{
    struct ttdev *t = chip->cluster;
    if (chip->fast->has_ended)
        return cluster_error(t, -ESHUTDOWN, "device %d: dispatch has ended", chip->number);
    host_enter(t);
    int code = fast_start(chip);
    if (!code && chip->fast->capture)
        code = capture_launch(chip, l);
    if (!code && !is_only_captured)
        code = enqueue_launch(chip, l);
    host_leave(t);
    return code;
}
