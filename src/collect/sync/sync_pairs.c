// sync_pairs.c - two chips compare their clocks over a link.
//
// Rounds are run before and after the host's samples: a quarter of a second apart, they
// give the ratio of two frequencies far better than all rounds at once, and they hold for
// the time between.
#include <errno.h>

#include "collect/sync/sync_parts.h"

enum { QUANTUM_CYCLES = 2 }; // both clocks show whole cycles

// One end of an edge while its kernel runs.
struct side {
    int chip;
    const struct tt_core *core; // NULL: the chip has no such Ethernet core
    size_t core_index;
};
struct sides {
    struct side sender, receiver;
    bool is_started;
};

static struct side side_of(const struct sync *s, int chip, int channel)
{
    const struct tt_chip *c = &s->chips[chip].chip;
    for (size_t i = 0; i < c->n_cores; i++)
        if (c->cores[i].kind == TT_CORE_ETH && c->cores[i].lx == channel)
            return (struct side){chip, &c->cores[i], i};
    return (struct side){chip, NULL, 0};
}

static struct sides sides_of(const struct sync *s, const struct sync_edge *edge)
{
    const struct tt_link *link = &s->links[s->places[edge->chip].link];
    return (struct sides){side_of(s, link->chip, link->channel),
                          side_of(s, link->peer_chip, link->peer_channel), false};
}

static void log_link_problem(struct sync *s, const struct sync_edge *edge, const char *what,
                             int code)
{
    buf_printf(&s->log, "Devices %d and %d: %s over their link: %s\n",
               s->chips[s->places[edge->chip].parent].chip.id, s->chips[edge->chip].chip.id,
               what, sync_why(s, code));
}

// --- rounds ----------------------------------------------------------------------------
static int start_side(struct sync *s, const struct side *side, const char *image)
{
    const uint32_t args[] = {TT_SYNC_MOST_ROUNDS, s->serial & 0xFFFF};
    struct tt_kernel kernel = {.image = image,
                               .risc = TT_RISCS,
                               .core = side->core_index,
                               .args = args,
                               .n_args = 2};
    return s->access->launch(s->access->device, side->chip, &kernel, 1, SYNC_KERNEL_ID);
}

static void start_edge(struct sync *s, const struct sync_edge *edge, struct sides *sides)
{
    int code = sides->sender.core && sides->receiver.core ? 0 : -ENODEV;
    if (code >= 0)
        code = start_side(s, &sides->receiver, "sync_receiver");
    if (code >= 0)
        code = start_side(s, &sides->sender, "sync_sender");
    sides->is_started = code >= 0;
    if (code < 0)
        log_link_problem(s, edge, "no sync", code);
}

// Stamps of one end, as the kernel left them in L1.
struct rounds {
    uint64_t stamp[TT_SYNC_MOST_ROUNDS];
    uint32_t cycles[TT_SYNC_MOST_ROUNDS];
    uint32_t n;
};

static int read_side(struct sync *s, const struct side *side, struct rounds *out)
{
    uint32_t words[TT_SYNC_ROUND(TT_SYNC_MOST_ROUNDS) - TT_SYNC_ROUNDS];
    int code =
        s->access->l1_read(s->access->device, side->chip, side->core,
                           side->core->buffers + 4 * TT_SYNC_ROUNDS, words, sizeof words);
    if (code < 0)
        return code;
    out->n = words[0] < TT_SYNC_MOST_ROUNDS ? words[0] : TT_SYNC_MOST_ROUNDS;
    uint64_t high = words[TT_SYNC_HIGH - TT_SYNC_ROUNDS];
    for (uint32_t i = 0; i < out->n; i++) {
        const uint32_t *row = &words[TT_SYNC_ROUND(i) - TT_SYNC_ROUNDS];
        high += i && row[0] < (uint32_t)out->stamp[i - 1];
        out->stamp[i] = high << 32 | row[0];
        out->cycles[i] = row[1];
    }
    return 0;
}

// The receiver's time from message to answer is known and subtracted from the round trip
// that the sender sees: the rest bounds the moment from both sides.
static void keep_rounds(struct sync_edge *edge, const struct rounds *sender,
                        const struct rounds *receiver)
{
    uint32_t n = sender->n < receiver->n ? sender->n : receiver->n;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t busy = receiver->cycles[i];
        if (busy > sender->cycles[i])
            continue; // not the same round
        vec_push(&edge->points,
                 (struct sync_point){
                     .stamp = receiver->stamp[i] + busy / 2,
                     .before = sender->stamp[i] + busy / 2,
                     .after = sender->stamp[i] + sender->cycles[i] - (busy - busy / 2),
                 });
    }
}

static void read_edge(struct sync *s, struct sync_edge *edge, const struct sides *sides)
{
    struct rounds sender = {.n = 0}, receiver = {.n = 0};
    int code = read_side(s, &sides->sender, &sender);
    if (code >= 0)
        code = read_side(s, &sides->receiver, &receiver);
    if (code < 0)
        log_link_problem(s, edge, "cannot read rounds", code);
    else
        keep_rounds(edge, &sender, &receiver);
}

void sync_take_rounds(struct sync *s, size_t burst)
{
    struct arena a = {0};
    struct sides *sides = push_many(&a, struct sides, s->edges.n);
    s->serial++;
    for (size_t i = 0; i < s->edges.n; i++) {
        struct sync_edge *edge = &s->edges.v[i];
        if (burst == 0)
            edge->points.n = 0;
        edge->burst[burst] = edge->points.n;
        sides[i] = sides_of(s, edge);
        start_edge(s, edge, &sides[i]);
    }
    for (size_t i = 0; i < s->edges.n; i++) {
        struct sync_edge *edge = &s->edges.v[i];
        int ends[] = {sides[i].sender.chip, sides[i].receiver.chip}, code = 0;
        for (int k = 0; k < 2 && sides[i].is_started && code >= 0; k++)
            code = s->access->wait(s->access->device, ends[k], SYNC_SECOND_NS);
        if (code < 0)
            log_link_problem(s, edge, "no answer", code);
        else if (sides[i].is_started)
            read_edge(s, edge, &sides[i]);
        edge->burst[burst + 1] = edge->points.n;
    }
    arena_free(&a);
}

// --- relations -------------------------------------------------------------------------
// The best of each burst: the best of all may lie in one burst and give no frequency.
static bool fit_edge(const struct sync_edge *edge, struct clock_epoch *out)
{
    if (edge->points.n == 0)
        return false;
    struct arena a = {0};
    bool *is_kept = push_many(&a, bool, edge->points.n);
    bool is_whole = true;
    for (size_t i = 0; i < SYNC_BURSTS; i++) {
        size_t first = edge->burst[i], n = edge->burst[i + 1] - first;
        is_whole &= sync_choose(edge->points.v + first, n, is_kept + first) > 0;
    }
    bool has_line =
        is_whole && sync_fit(edge->points.v, edge->points.n, is_kept, QUANTUM_CYCLES, out);
    arena_free(&a);
    return has_line;
}

// From the child to its parent.
static struct relation relate_edge(const struct sync *s, const struct sync_edge *edge)
{
    const struct tree_place *place = &s->places[edge->chip];
    int sender = place->is_sender ? edge->chip : place->parent;
    struct clock_epoch fit;
    if (!fit_edge(edge, &fit))
        return (struct relation){0};
    struct relation r = relation_of_fit(&fit, s->chips[sender].chip.hz / 1e9);
    return place->is_sender ? relation_inverse(&r) : r;
}

void sync_relate(struct sync *s, struct relation *to_root)
{
    for (int i = 0; i < s->access->n_chips; i++)
        to_root[i] = s->places[i].parent < 0 ? relation_same() : (struct relation){0};
    for (size_t i = 0; i < s->edges.n; i++) { // parents before children
        const struct sync_edge *edge = &s->edges.v[i];
        struct relation r = relate_edge(s, edge);
        to_root[edge->chip] = relation_chain(&r, &to_root[s->places[edge->chip].parent]);
    }
}
