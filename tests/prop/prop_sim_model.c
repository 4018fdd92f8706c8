// prop_sim_model.c - scripts whose outcome does not depend on time, and a plain model that
// says what they leave in memory: what all devices have in common can be wrong, too.
//
// On each of a few cores one RISC works. Every byte has at most one writer, and what is
// read from elsewhere never changes; only counters have several writers, who add to them.
// Each transfer is followed by its barrier. The model plays a step as soon as it is made
// up.
#include <string.h>

#include "base/data/mem.h"

#include "prop_sim.h"

enum {
    // From SCRIPT_SHARED on, bytes
    OWN_WORDS = 0x400,     // of the RISC, in front
    COUNTERS_AT = 0x400,   // anybody adds to them
    COUNTERS = 8,          // words
    LETTERS_AT = 0x600,    // words that others set, by sender
    LETTERS = 8,           // words
    SHARED_BYTES = 0x1000, // all of it
    // From SCRIPT_DATA on
    FIXED_BYTES = 0x5000, // never written
    SCRATCH_AT = 0x5000,  // of the RISC
    SCRATCH_BYTES = 0x5000,
    INBOX_AT = 0xA000, // by sender
    INBOX_BYTES = 0x1800,
    DRAM_AT = 0x1000000, // by writer
    DRAM_BYTES = 0x8000,
    BANKS = 2,
    LOG_WORDS = MOST_STEPS,
};

struct core_model {
    uint8_t shared[SHARED_BYTES], data[SCRIPT_DATA_BYTES], dram[BANKS][DRAM_BYTES];
    uint32_t log[LOG_WORDS], n_log;
    uint32_t risc;
    uint32_t word; // that the last step used
};

struct model {
    struct scene *s;
    struct core_model core[MODEL_PLACES];
};

// --- what the model knows ----------------------------------------------------------------
static uint32_t word_of(const uint8_t *at)
{
    uint32_t word;
    memcpy(&word, at, 4);
    return word;
}

static void set_word(uint8_t *at, uint32_t word)
{
    memcpy(at, &word, 4);
}

static void note(struct core_model *c, uint32_t value)
{
    c->log[c->n_log++] = value;
}

static uint32_t mixed(uint32_t x, uint32_t depth)
{
    return depth ? mixed(x * 0x2C1B3C6D + 1, depth - 1) + 1 : x ^ x >> 15;
}

// --- steps without the network -----------------------------------------------------------
static void local_step(struct model *m, uint32_t i, struct script_step *step)
{
    struct scene *s = m->s;
    struct core_model *c = &m->core[i];
    uint32_t from = s->place[i].base + SCRIPT_SHARED;
    // Often the word of the step before, which a cache may hold.
    if (ONE_IN(s, 2))
        c->word = 4 * ANY(s, 8) + (ONE_IN(s, 3) ? 64 * ANY(s, 12) : 0);
    uint32_t at = c->word;
    uint32_t value = (uint32_t)random_bits(&s->random), x = value % 4, rounds;
    switch (ANY(s, 10)) {
    case 0:
    case 1:
    case 2:
        *step = STEP(STEP_LOAD, from + at);
        note(c, word_of(c->shared + at));
        break;
    case 3:
        *step = STEP(STEP_STORE, from + at, value);
        set_word(c->shared + at, value);
        break;
    case 4:
        *step = STEP(STEP_STORE_BYTE, from + at + x, value);
        c->shared[at + x] = (uint8_t)value;
        break;
    case 5:
        *step = STEP(STEP_STORES, from + at, 1 + value % 40, value);
        for (uint32_t k = 0; k < step->b; k++)
            set_word(c->shared + at + 4 * k, value + k);
        break;
    case 6:
        *step = STEP(STEP_ADD, from + at, value);
        set_word(c->shared + at, word_of(c->shared + at) + value);
        break;
    case 7:
        *step = STEP(STEP_LOCAL, ANY(s, 40), value);
        for (rounds = 0; rounds < step->a; rounds++)
            value = mixed(value, rounds & 7);
        note(c, value);
        break;
    case 8:
        *step = STEP(STEP_DIVIDE, value, 1 + ANY(s, 99), ~value);
        note(c, step->a / step->b + (uint32_t)((int32_t)step->c / (int32_t)step->b) +
                    step->c % step->b);
        break;
    default: // one that lasts, or one that ends at once
        *step =
            STEP(STEP_COUNT_WAIT, from + at, word_of(c->shared + at) + ANY(s, 2), 1 + x);
        note(c, step->b == word_of(c->shared + at) ? 0 : step->c);
        break;
    }
}

// --- steps over the network --------------------------------------------------------------
static uint32_t some_bytes(struct scene *s, uint32_t most)
{
    uint32_t n = 1 + ANY(s, ONE_IN(s, 4) ? most : ONE_IN(s, 3) ? 1000 : 70);
    return n < most ? n : most;
}

// Makes up a transfer and plays it; returns the barrier that it needs.
static enum script_op network_step(struct model *m, uint32_t i, struct script_step *step)
{
    struct scene *s = m->s;
    const struct place *p = &s->place[i];
    uint32_t k = ANY(s, s->n_places), bank = ANY(s, BANKS), skew = ANY(s, 64);
    const struct place *to = &s->place[k];
    struct core_model *c = &m->core[i], *other = &m->core[k];
    uint32_t value = (uint32_t)random_bits(&s->random);
    uint32_t bytes = some_bytes(s, 5000), far = 64 * ANY(s, 200), near = 64 * ANY(s, 200);
    uint32_t dram = DRAM_AT + i * DRAM_BYTES + far;
    switch (ANY(s, 8)) {
    case 0:
    case 1: // from what never changes
        far += skew;
        near += SCRATCH_AT + skew;
        *step = STEP(STEP_NOC_READ, to->base + SCRIPT_DATA + far, to->high,
                     p->base + SCRIPT_DATA + near, bytes);
        memcpy(c->data + near, other->data + far, bytes);
        return STEP_READ_BARRIER;
    case 2:
    case 3:
        near += (ANY(s, 2) ? SCRATCH_AT : 0) + skew;
        far = INBOX_AT + INBOX_BYTES * i + 64 * ANY(s, 10) + skew;
        *step = STEP(STEP_NOC_WRITE, to->base + SCRIPT_DATA + far, to->high,
                     p->base + SCRIPT_DATA + near, bytes);
        memcpy(other->data + far, c->data + near, bytes);
        return STEP_WRITE_BARRIER;
    case 4:
        near += SCRATCH_AT;
        *step = STEP(STEP_DRAM_READ, bank, dram, p->base + SCRIPT_DATA + near, bytes);
        memcpy(c->data + near, c->dram[bank] + far, bytes);
        return STEP_READ_BARRIER;
    case 5:
        near += ANY(s, 2) ? SCRATCH_AT : 0;
        *step = STEP(STEP_DRAM_WRITE, bank, dram, p->base + SCRIPT_DATA + near, bytes);
        memcpy(c->dram[bank] + far, c->data + near, bytes);
        return STEP_WRITE_BARRIER;
    case 6:
        far = LETTERS_AT + 4 * (LETTERS * i + ANY(s, LETTERS));
        *step = STEP(STEP_INLINE, to->base + SCRIPT_SHARED + far, to->high, value);
        set_word(other->shared + far, value);
        return STEP_WRITE_BARRIER;
    default:
        far = COUNTERS_AT + 4 * ANY(s, COUNTERS);
        *step = STEP(STEP_ATOMIC, to->base + SCRIPT_SHARED + far, to->high, value);
        set_word(other->shared + far, word_of(other->shared + far) + value);
        return STEP_ATOMIC_BARRIER;
    }
}

// --- a scene -----------------------------------------------------------------------------
static void fill(struct scene *s, uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n; i += 8) {
        uint64_t word = random_bits(&s->random);
        memcpy(bytes + i, &word, 8);
    }
}

static void put_start(const struct model *m, uint32_t i)
{
    const struct scene *s = m->s;
    const struct place *p = &s->place[i];
    const struct core_model *c = &m->core[i];
    ttdev *t = s->device[0].t;
    (void)ttdev_l1_write(t, 0, p->core, p->base + SCRIPT_SHARED, c->shared, SHARED_BYTES);
    (void)ttdev_l1_write(t, 0, p->core, p->base + SCRIPT_DATA, c->data, sizeof c->data);
    for (int b = 0; b < BANKS; b++)
        (void)ttdev_dram_write(t, 0, b, DRAM_AT + i * DRAM_BYTES, c->dram[b], DRAM_BYTES);
}

struct model *model_new(struct scene *s)
{
    struct model *m = mem_alloc(sizeof *m);
    m->s = s;
    s->n_places = s->n_places < MODEL_PLACES ? s->n_places : MODEL_PLACES;
    for (uint32_t i = 0; i < s->n_places; i++) {
        struct core_model *c = &m->core[i];
        fill(s, c->shared, sizeof c->shared);
        fill(s, c->data, sizeof c->data);
        fill(s, c->dram[0], sizeof c->dram);
        c->risc = ANY(s, TT_RISCS);
        put_start(m, i);
    }
    for (uint32_t i = 0; i < s->n_places; i++) {
        struct script_step *steps = s->steps[i][m->core[i].risc];
        uint32_t n = 0, wanted = 1 + ANY(s, MOST_STEPS - 1);
        while (n < wanted) {
            if (m->core[i].risc >= TT_TRISC0 || n + 1 == wanted || ANY(s, 2))
                local_step(m, i, &steps[n++]);
            else {
                enum script_op barrier = network_step(m, i, &steps[n]);
                steps[n + 1] = (struct script_step){.op = barrier};
                n += 2;
            }
        }
        steps[n] = (struct script_step){.op = STEP_END};
    }
    return m;
}

// --- what is there in the end ------------------------------------------------------------
static bool same_bytes(const struct model *m, uint32_t i, const char *where,
                       const uint8_t *got, const uint8_t *want, size_t n)
{
    size_t at = 0;
    while (at < n && got[at] == want[at])
        at++;
    return law_check(
        m->s->law, at == n,
        "scene %llu (%s): place %u, RISC %u: byte 0x%zx of %s is %02x, not %02x",
        (unsigned long long)m->s->seed, m->s->config, i, m->core[i].risc, at, where,
        at < n ? got[at] : 0, at < n ? want[at] : 0);
}

static bool same_place(const struct model *m, uint32_t i)
{
    const struct place *p = &m->s->place[i];
    const struct core_model *c = &m->core[i];
    ttdev *t = m->s->device[0].t;
    static uint8_t got[SCRIPT_DATA_BYTES];
    uint32_t log = p->base + SCRIPT_LOG + SCRIPT_LOG_BYTES * c->risc;
    (void)ttdev_l1_read(t, 0, p->core, log, got, sizeof c->log);
    if (!same_bytes(m, i, "the log", got, (const uint8_t *)c->log, c->n_log * 4))
        return false;
    (void)ttdev_l1_read(t, 0, p->core, p->base + SCRIPT_SHARED, got, SHARED_BYTES);
    if (!same_bytes(m, i, "the words", got, c->shared, SHARED_BYTES))
        return false;
    (void)ttdev_l1_read(t, 0, p->core, p->base + SCRIPT_DATA, got, sizeof got);
    if (!same_bytes(m, i, "the data", got, c->data, sizeof got))
        return false;
    for (int b = 0; b < BANKS; b++) {
        (void)ttdev_dram_read(t, 0, b, DRAM_AT + i * DRAM_BYTES, got, DRAM_BYTES);
        if (!same_bytes(m, i, "DRAM", got, c->dram[b], DRAM_BYTES))
            return false;
    }
    return true;
}

void model_check(struct model *m, int code)
{
    struct scene *s = m->s;
    bool is_same = law_check(s->law, code == 0, "scene %llu (%s): wait returns %d: %s",
                             (unsigned long long)s->seed, s->config, code,
                             ttdev_error(s->device[0].t));
    for (uint32_t i = 0; i < s->n_places && is_same; i++)
        is_same = same_place(m, i);
    mem_free(m);
}
