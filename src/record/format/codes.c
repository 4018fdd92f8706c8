// codes.c - length-limited canonical Huffman codes.
#include "record/format/codes.h"

static void find_used(struct codes *codes)
{
    codes->n_used = 0;
    for (uint32_t s = 0; s < BLOCK_SYMBOLS; s++)
        if (codes->counts[s])
            codes->used[codes->n_used++] = (uint16_t)s;
}

// Shell sort: the C library's sort may allocate memory.
static void sort_used(const struct codes *codes, uint16_t *order)
{
    static const uint32_t gaps[] = {701, 301, 132, 57, 23, 10, 4, 1};
    uint32_t n = codes->n_used;
    memcpy(order, codes->used, n * sizeof *order);
    for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++)
        for (uint32_t i = gaps[g]; i < n; i++) {
            uint16_t symbol = order[i];
            uint32_t count = codes->counts[symbol], k = i;
            for (; k >= gaps[g] && codes->counts[order[k - gaps[g]]] > count; k -= gaps[g])
                order[k] = order[k - gaps[g]];
            order[k] = symbol;
        }
}

// Leaves 0 to n - 1, rarest first, then nodes in the order they are made, which is also by
// weight: the lightest is always at the front of one of the two.
static void make_tree(const struct codes *codes, struct codes_work *w)
{
    uint32_t n = codes->n_used, leaf = 0, node = n;
    for (uint32_t i = 0; i < n; i++)
        w->weight[i] = codes->counts[w->order[i]];
    for (uint32_t made = n; made < 2 * n - 1; made++) {
        w->weight[made] = 0;
        for (int k = 0; k < 2; k++) {
            bool is_leaf = leaf < n && (node == made || w->weight[leaf] <= w->weight[node]);
            uint32_t lightest = is_leaf ? leaf++ : node++;
            w->weight[made] += w->weight[lightest];
            w->parent[lightest] = (uint16_t)made;
        }
    }
}

// The number of codes of each length, none longer than the limit.
static void count_lengths(struct codes_work *w, uint32_t n, uint32_t *of_length)
{
    uint32_t *depth = w->weight; // no longer needed
    depth[2 * n - 2] = 0;
    for (uint32_t i = 2 * n - 2; i-- > 0;) {
        depth[i] = depth[w->parent[i]] + 1;
        if (i < n)
            of_length[depth[i] < BLOCK_CODE_BITS ? depth[i] : BLOCK_CODE_BITS]++;
    }
    uint32_t room = 0; // code space used, in units of the longest code
    for (uint32_t k = 1; k <= BLOCK_CODE_BITS; k++)
        room += of_length[k] << (BLOCK_CODE_BITS - k);
    // Each step removes one of the longest codes and splits a shorter one for it.
    for (; room > 1 << BLOCK_CODE_BITS; room--) {
        uint32_t k = BLOCK_CODE_BITS - 1;
        while (!of_length[k])
            k--;
        of_length[k]--;
        of_length[k + 1] += 2;
        of_length[BLOCK_CODE_BITS]--;
    }
}

static uint16_t reversed(uint32_t code, uint32_t n)
{
    uint32_t out = 0;
    for (uint32_t i = 0; i < n; i++)
        out |= (code >> i & 1) << (n - 1 - i);
    return (uint16_t)out;
}

static void assign_codes(struct codes *codes, const uint32_t *of_length)
{
    uint32_t next[BLOCK_CODE_BITS + 1] = {0};
    for (uint32_t k = 1; k <= BLOCK_CODE_BITS; k++)
        next[k] = (next[k - 1] + of_length[k - 1]) << 1;
    for (uint32_t i = 0; i < codes->n_used; i++) {
        struct code *c = &codes->code[codes->used[i]];
        c->bits = reversed(next[c->n]++, c->n);
    }
}

void recorder_codes_make(struct codes *codes, struct codes_work *work)
{
    find_used(codes);
    uint32_t n = codes->n_used;
    if (n < 2) {
        if (n)
            codes->code[codes->used[0]] = (struct code){0};
        return;
    }
    uint32_t of_length[BLOCK_CODE_BITS + 1] = {0};
    sort_used(codes, work->order);
    make_tree(codes, work);
    count_lengths(work, n, of_length);
    uint32_t at = 0; // the rarest have the longest codes
    for (uint32_t k = BLOCK_CODE_BITS; k; k--)
        for (uint32_t i = 0; i < of_length[k]; i++)
            codes->code[work->order[at++]].n = (uint8_t)k;
    assign_codes(codes, of_length);
}
