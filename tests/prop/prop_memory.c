// prop_memory.c - interning against a plain list, the arena against a stack of what should
// still be there.
#include <string.h>

#include "base/data/arena.h"
#include "base/data/map.h"

#include "prop.h"

enum { LAW_PUT, LAW_GET, LAW_KEYS, LAW_ZEROED, LAW_ALIGNED, LAW_KEPT, LAW_USED, LAWS };
static struct law laws[LAWS] = {
    [LAW_PUT] = {.name = "interning gives the place in the list of first occurrences"},
    [LAW_GET] = {.name = "looking up finds what is there and nothing else"},
    [LAW_KEYS] = {.name = "the keys are the list"},
    [LAW_ZEROED] = {.name = "pushed memory is zero"},
    [LAW_ALIGNED] = {.name = "pushed memory is aligned"},
    [LAW_KEPT] = {.name = "what was pushed before a mark survives the rewind to it"},
    [LAW_USED] = {.name = "the arena counts what it handed out"},
};

enum { TEXTS = 400 };

static void check_map(struct random *r)
{
    static char store[TEXTS][12];
    str list[TEXTS];
    size_t n = 0;
    struct map m = {0};
    for (size_t i = 0; i < TEXTS; i++) {
        // Few letters and short texts: many repeat. Zero bytes are letters too.
        size_t length = random_below(r, 6);
        for (size_t k = 0; k < length; k++)
            store[i][k] = "ab\0\xFF"[random_below(r, 4)];
        str s = {store[i], length};
        size_t known = 0;
        while (known < n && !str_eq(list[known], s))
            known++;
        uint32_t found = map_get(&m, s);
        (void)law_check(&laws[LAW_GET], found == (known < n ? (uint32_t)known : MAP_NONE),
                        "%s: %u", prop_show(s), found);
        if (known == n)
            list[n++] = s;
        (void)law_check(&laws[LAW_PUT], map_put(&m, s) == known, "%s", prop_show(s));
    }
    bool same = m.keys.n == n;
    for (size_t i = 0; same && i < n; i++)
        same = str_eq(m.keys.v[i], list[i]);
    (void)law_check(&laws[LAW_KEYS], same, "%zu keys for %zu", m.keys.n, n);
    map_free(&m);
}

// What the arena should hold: pieces filled with a byte of their own, and marks between.
struct piece {
    unsigned char *p;
    size_t n;
    unsigned char fill;
};
struct state {
    struct arena_mark mark;
    size_t n_pieces, used;
};

static size_t random_size(struct random *r)
{
    switch (random_below(r, 12)) {
    case 0: return 0;
    case 1: return random_below(r, 40000);
    case 2: return 16384 - 8 + random_below(r, 16); // around the first block
    default: return random_below(r, 200);
    }
}

static void check_push(struct random *r, struct arena *a, struct piece *piece)
{
    size_t align = (size_t)1 << random_below(r, 5);
    *piece =
        (struct piece){.n = random_size(r), .fill = (unsigned char)random_below(r, 256)};
    piece->p = arena_push(a, piece->n, align);
    bool zero = true;
    for (size_t i = 0; i < piece->n; i++)
        zero &= piece->p[i] == 0;
    (void)law_check(&laws[LAW_ZEROED], zero, "%zu bytes", piece->n);
    (void)law_check(&laws[LAW_ALIGNED], (uintptr_t)piece->p % align == 0, "to %zu", align);
    memset(piece->p, piece->fill, piece->n);
}

static void check_pieces(const struct piece *pieces, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        bool same = true;
        for (size_t i = 0; i < pieces[k].n; i++)
            same &= pieces[k].p[i] == pieces[k].fill;
        (void)law_check(&laws[LAW_KEPT], same, "piece %zu of %zu", k, n);
    }
}

static void check_arena(struct random *r)
{
    enum { PIECES = 64, STATES = 8 };
    struct piece pieces[PIECES] = {0};
    struct state states[STATES];
    size_t n = 0, n_states = 0, used = 0;
    struct arena a = {0};
    for (int step = 0; step < 150; step++) {
        uint32_t what = random_below(r, 10);
        if (what < 7 && n < PIECES) {
            check_push(r, &a, &pieces[n]);
            used += pieces[n++].n;
        } else if (what < 8 && n_states < STATES) {
            states[n_states++] = (struct state){arena_mark(&a), n, used};
        } else if (n_states) {
            n_states = random_below(r, (uint32_t)n_states);
            const struct state *s = &states[n_states];
            arena_rewind(&a, s->mark);
            n = s->n_pieces;
            used = s->used;
            check_pieces(pieces, n);
        } else {
            arena_rewind(&a, (struct arena_mark){0});
            n = used = 0;
        }
        (void)law_check(&laws[LAW_USED], a.used == used, "%zu for %zu", a.used, used);
    }
    check_pieces(pieces, n);
    arena_free(&a);
}

int main(void)
{
    struct random r = {2};
    uint64_t rounds = prop_rounds(150);
    for (uint64_t i = 0; i < rounds; i++) {
        check_map(&r);
        check_arena(&r);
    }
    return laws_report(laws, LAWS);
}
