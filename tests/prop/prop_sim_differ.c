// prop_sim_differ.c - compares devices that played the same scene, and finds the smallest
// thing that differs.
#include <string.h>

#include "prop_sim.h"
#include "sim/cluster.h"
#include "sim/tile/tile.h"

static const char *const act_names[] = {
    "launch",        "sleep",          "poll",       "write",     "read",
    "register read", "register write", "DRAM write", "DRAM read", "wait",
    "release",       "replay",         "delay"};

// --- what is different -----------------------------------------------------------------
static void risc_differs(const struct tile *a, const struct tile *b, unsigned r, char *text,
                         size_t n)
{
    const struct risc *x = &a->risc[r], *y = &b->risc[r];
    int reg = -1;
    for (int i = 31; i >= 0; i--)
        if (x->x[i] != y->x[i])
            reg = i;
    if (x->pc != y->pc || x->clock != y->clock || x->state != y->state || reg >= 0 ||
        x->instructions != y->instructions)
        (void)snprintf(text, n,
                       "RISC %u: pc 0x%x and 0x%x, clock %llu and %llu, state %d and %d, "
                       "instructions %llu and %llu, register %d",
                       r, x->pc, y->pc, (unsigned long long)x->clock,
                       (unsigned long long)y->clock, x->state, y->state,
                       (unsigned long long)x->instructions,
                       (unsigned long long)y->instructions, reg);
}

static void tile_differs(const struct tile *a, const struct tile *b, char *text, size_t n)
{
    for (uint32_t i = 0; i < a->l1_bytes; i += 4)
        if (memcmp(a->l1 + i, b->l1 + i, 4) != 0) {
            uint32_t x, y;
            memcpy(&x, a->l1 + i, 4);
            memcpy(&y, b->l1 + i, 4);
            (void)snprintf(text, n, "L1 word 0x%x: 0x%x and 0x%x", i, x, y);
            return;
        }
    for (unsigned r = 0; r < a->n_riscs && !text[0]; r++)
        risc_differs(a, b, r, text, n);
    for (int i = 0; i < 2 && !text[0]; i++)
        for (int k = 0; k < TT_NOC_COUNTERS && !text[0]; k++)
            if (a->niu[i].counters[k] != b->niu[i].counters[k])
                (void)snprintf(text, n, "NIU %d counter %d: %u and %u", i, k,
                               a->niu[i].counters[k], b->niu[i].counters[k]);
    for (int i = 0; i < 64 && !text[0]; i++)
        if (a->received[i] != b->received[i] || a->acked[i] != b->acked[i])
            (void)snprintf(text, n, "circular buffer %d: %u, %u and %u, %u", i,
                           a->received[i], a->acked[i], b->received[i], b->acked[i]);
    if (!text[0] && tile_hash(a, 0) != tile_hash(b, 0))
        (void)snprintf(text, n, "the engine or command buffers");
}

// The smallest thing that differs between two devices whose states do.
static void find_difference(const struct device *a, const struct device *b, char *text,
                            size_t n)
{
    text[0] = 0;
    for (int dev = 0; dev < a->t->n_chips; dev++)
        for (int i = 0; i < a->t->chips[dev].n_tiles; i++) {
            char what[300] = "";
            const struct tile *x = &a->t->chips[dev].tiles[i];
            const struct tile *y = &b->t->chips[dev].tiles[i];
            tile_differs(x, y, what, sizeof what);
            if (!what[0])
                continue;
            (void)snprintf(text, n, "device %d, %s %d,%d: %s", dev,
                           x->kind == TILE_ETH ? "Ethernet core" : "core", x->logical.x,
                           x->logical.y, what);
            return;
        }
    (void)snprintf(text, n, "DRAM or the chip's clock");
}

static int by_time(const void *a, const void *b)
{
    const ttdev_truth_event *x = a, *y = b;
#define BY(field)                                                                          \
    if (x->field != y->field)                                                              \
        return x->field < y->field ? -1 : 1;
    BY(true_fs)
    BY(dev)
    BY(y)
    BY(x)
    BY(cycle)
    BY(risc)
    BY(kind)
    BY(argument)
    BY(pc)
#undef BY
    return 0;
}

static bool truth_is_same(struct scene *s, struct device *a, struct device *b)
{
    const ttdev_truth_event *x = a->truth.v, *y = b->truth.v;
    size_t n = a->truth.n < b->truth.n ? a->truth.n : b->truth.n, i = 0;
    while (i < n && by_time(&x[i], &y[i]) == 0)
        i++;
    if (i == a->truth.n && i == b->truth.n)
        return true;
    const ttdev_truth_event none = {0};
    const ttdev_truth_event *p = i < a->truth.n ? &x[i] : &none;
    const ttdev_truth_event *q = i < b->truth.n ? &y[i] : &none;
    return law_break(s->law,
                     "scene %llu: truth event %zu of %zu and %zu: kind %d and %d at %d-%d "
                     "and %d-%d, RISC %d and %d, cycle %llu and %llu, 0x%llx and 0x%llx "
                     "(%s threads=%u quantum=%u park=%d)",
                     (unsigned long long)s->seed, i, a->truth.n, b->truth.n, p->kind,
                     q->kind, p->x, p->y, q->x, q->y, p->risc, q->risc,
                     (unsigned long long)p->cycle, (unsigned long long)q->cycle,
                     (unsigned long long)p->argument, (unsigned long long)q->argument,
                     s->config, b->way.threads, b->way.quantum, b->way.park);
}

bool same_answer(struct scene *s, uint32_t number, const struct act *act,
                 const struct answer *x, const struct answer *y, struct device *b)
{
    struct device *a = &s->device[0];
    char what[400] = "";
    bool has_same_text = true;
    // Without parking a report cannot know what RISCs wait for; faults are told the same.
    bool has_texts = b->way.park && !b->way.is_traced;
    for (int dev = 0; dev < s->n_devs; dev++)
        if (has_texts || a->t->chips[dev].has_fault)
            has_same_text &= strcmp(ttdev_fault(a->t, dev), ttdev_fault(b->t, dev)) == 0;
    if (memcmp(x, y, sizeof *x) == 0 && has_same_text)
        return true;
    for (int dev = 0; dev < s->n_devs; dev++) {
        (void)ttdev_state_hash(a->t, dev);
        (void)ttdev_state_hash(b->t, dev);
    }
    find_difference(a, b, what, sizeof what);
    return law_break(
        s->law,
        "scene %llu, act %u (%s), threads=%u quantum=%u park=%d trace=%d: "
        "%s (%s); returned %d and %d, host %llu and %llu ns, clock %llu and %llu%s",
        (unsigned long long)s->seed, number, act_names[act->kind], b->way.threads,
        b->way.quantum, b->way.park, b->way.is_traced, what, s->config, x->code, y->code,
        (unsigned long long)x->host_ns, (unsigned long long)y->host_ns,
        (unsigned long long)x->clock[0], (unsigned long long)y->clock[0],
        has_same_text ? "" : ", other text of the fault");
}

void same_truth(struct scene *s)
{
    for (uint32_t i = 0; i < s->n; i++) {
        struct device *d = &s->device[i];
        if (d->truth.n)
            qsort(d->truth.v, d->truth.n, sizeof *d->truth.v, by_time);
        if (i > 0 && !truth_is_same(s, &s->device[0], d))
            return;
    }
}
