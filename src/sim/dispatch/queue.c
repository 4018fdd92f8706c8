// queue.c - the command queue: entries in host memory, a word for each in the prefetcher's
// L1.
//
// The host knows how far the prefetcher has come only by reading two words of its L1. It
// reads when what it knows leaves no room.
#include <errno.h>
#include <string.h>

#include "sim/cluster.h"
#include "sim/dispatch/dispatch.h"
#include "sim/noc/noc.h"

enum { LOOK_AGAIN_NS = 1000 };

static uint32_t l1_address(const struct queue *q, uint32_t offset)
{
    return q->fast->chip->layout->buffers + offset;
}

static uint32_t padded(size_t bytes)
{
    return (uint32_t)((bytes + TT_ENTRY_ALIGN - 1) / TT_ENTRY_ALIGN * TT_ENTRY_ALIGN);
}

// --- room ------------------------------------------------------------------------------
// Bytes an entry takes with those it leaves unused at the end of the region.
static uint32_t bytes_with_rest(const struct queue *q, uint32_t bytes)
{
    uint32_t rest = q->fast->sizes.issue_bytes - q->at;
    return rest < bytes ? rest + bytes : bytes;
}

static bool has_room(const struct queue *q, uint32_t bytes)
{
    const struct dispatch_sizes *sizes = &q->fast->sizes;
    // A full queue would look like an empty one.
    return q->n_issued - q->n_taken < sizes->entries - 1 &&
           q->issued - q->consumed + bytes_with_rest(q, bytes) <= sizes->issue_bytes;
}

static int look(struct queue *q)
{
    struct chip *chip = q->fast->chip;
    uint32_t next = 0, entries = q->fast->sizes.entries;
    int code = host_read(chip, q->prefetcher, l1_address(q, TT_PREFETCH_NEXT), &next, 4);
    if (!code)
        code = host_read(chip, q->prefetcher, l1_address(q, TT_PREFETCH_CONSUMED),
                         &q->consumed, 4);
    if (code || !next) // not started yet
        return code;
    uint32_t index = (next - l1_address(q, TT_PREFETCH_QUEUE)) / 4;
    q->n_taken += (index + entries - q->n_taken % entries) % entries;
    return 0;
}

static int wait_for_room(struct queue *q, uint32_t bytes)
{
    struct chip *chip = q->fast->chip;
    int code = 0;
    while (!code && !has_room(q, bytes)) {
        code = look(q);
        if (!code && !has_room(q, bytes))
            code = cluster_pass(chip->cluster, chip->number, LOOK_AGAIN_NS);
    }
    return code;
}

// --- entries ---------------------------------------------------------------------------
static void tell_commands(const struct queue *q, const char *bytes, size_t n)
{
    const struct chip *chip = q->fast->chip;
    for (size_t at = 0, stride; at < n; at += stride) {
        uint32_t words[8] = {0};
        memcpy(words, bytes + at, n - at < sizeof words ? n - at : sizeof words);
        uint32_t id = words[0] & 0xFF;
        bool has_payload = id == TT_CMD_RELAY_INLINE || id == TT_CMD_RELAY_INLINE_NOFLUSH;
        stride = has_payload ? words[2] : TT_COMMAND_BYTES;
        uint32_t payload = has_payload ? words[4] : 0;
        tile_truth(q->prefetcher, TT_BRISC, TTDEV_TRUTH_COMMAND, chip->now,
                   (uint64_t)payload << 32 | words[0], (uint32_t)stride);
    }
}

static int put_entry(struct queue *q, const char *bytes, size_t n, bool stalls)
{
    struct chip *chip = q->fast->chip;
    uint32_t size = padded(n);
    int code = wait_for_room(q, size);
    if (code)
        return code;
    if (q->fast->sizes.issue_bytes - q->at < size) {
        q->issued += q->fast->sizes.issue_bytes - q->at;
        q->at = 0;
    }
    static const uint8_t zeros[TT_ENTRY_ALIGN];
    (void)pcie_host_write(chip, q->number, q->at, bytes, n);
    (void)pcie_host_write(chip, q->number, q->at + n, zeros, size - n);
    if (chip->has_truth)
        tell_commands(q, bytes, n);
    uint32_t word = size / TT_ENTRY_UNIT | (stalls ? TT_ENTRY_STALLS : 0);
    uint32_t index = q->n_issued % q->fast->sizes.entries;
    q->at += size;
    q->issued += size;
    q->n_issued++;
    return host_write(chip, q->prefetcher, l1_address(q, TT_PREFETCH_QUEUE + 4 * index),
                      &word, 4);
}

void queue_spend(struct chip *chip, uint64_t cost_ns, size_t bytes)
{
    struct ttdev *t = chip->cluster;
    if (t->cfg.clock_mode == TTDEV_WARP)
        return;
    double ns = (double)cost_ns + (double)bytes / t->cfg.host_copy_bytes_per_ns;
    t->host_fs += (uint64_t)(ns * FS_PER_NS);
    cluster_advance(t, t->host_fs);
}

// An entry must fit the command ring, and two the issue region.
uint32_t queue_entry_most(const struct queue *q)
{
    uint32_t half = q->fast->sizes.ring_bytes / 2;
    return half < TT_ENTRY_MOST ? half : TT_ENTRY_MOST;
}

int queue_put(struct queue *q, const struct commands *c, bool stalls, uint64_t cost_ns)
{
    size_t from = 0, most = queue_entry_most(q);
    int code = 0;
    queue_spend(q->fast->chip, cost_ns, c->bytes.n);
    for (size_t i = 0; i < c->ends.n && !code; i++) {
        bool is_last = i + 1 == c->ends.n;
        if (!is_last && c->ends.v[i + 1] - from <= most)
            continue;
        code = put_entry(q, c->bytes.p + from, c->ends.v[i] - from, is_last && stalls);
        from = c->ends.v[i];
    }
    q->has_news = true;
    return code;
}
