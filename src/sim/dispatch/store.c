// store.c - see store.h.
#include "sim/dispatch/store.h"

void store_open(struct store *s, uint64_t bank_bytes, int n_banks)
{
    *s = (struct store){
        .from = bank_bytes - STORE_BYTES, .to = bank_bytes, .n_banks = n_banks};
}

void store_close(struct store *s)
{
    vec_free(&s->blocks);
}

static bool is_same_key(const struct store_key *a, const struct store_key *b)
{
    for (unsigned r = 0; r < TT_RISCS; r++)
        if (a->image[r] != b->image[r] || a->at[r] != b->at[r])
            return false;
    return true;
}

const struct store_block *store_find(const struct store *s, const struct store_key *key)
{
    for (size_t i = 0; i < s->blocks.n; i++)
        if (is_same_key(&s->blocks.v[i].key, key))
            return &s->blocks.v[i];
    return NULL;
}

int store_next_bank(struct store *s)
{
    int bank = s->next_bank;
    s->next_bank = (bank + 1) % s->n_banks;
    return bank;
}

static bool share_a_bank(int a, int b)
{
    return a == b || a == STORE_ALL_BANKS || b == STORE_ALL_BANKS;
}

static void insert_block(struct store *s, size_t at, struct store_block block)
{
    vec_push(&s->blocks, block);
    for (size_t i = s->blocks.n - 1; i > at; i--)
        s->blocks.v[i] = s->blocks.v[i - 1];
    s->blocks.v[at] = block;
}

// The first gap that is large enough.
const struct store_block *store_add(struct store *s, int bank, uint32_t bytes,
                                    const struct store_key *key)
{
    uint64_t at = s->from;
    size_t place = 0;
    bytes = (bytes + STORE_ALIGN - 1) / STORE_ALIGN * STORE_ALIGN;
    for (size_t i = 0; i < s->blocks.n; i++) {
        const struct store_block *b = &s->blocks.v[i];
        if (!share_a_bank(b->bank, bank))
            continue;
        if (b->address >= at + bytes)
            break;
        at = b->address + b->bytes > at ? b->address + b->bytes : at;
    }
    if (at + bytes > s->to)
        return NULL;
    while (place < s->blocks.n && s->blocks.v[place].address <= at)
        place++;
    struct store_block block = {
        .bank = bank, .bytes = bytes, .number = ++s->last_number, .address = at};
    if (key)
        block.key = *key;
    insert_block(s, place, block);
    return &s->blocks.v[place];
}

static void keep_blocks(struct store *s,
                        bool (*is_kept)(const struct store_block *, uint32_t),
                        uint32_t number)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->blocks.n; i++)
        if (is_kept(&s->blocks.v[i], number))
            s->blocks.v[kept++] = s->blocks.v[i];
    s->blocks.n = kept;
}

static bool is_used(const struct store_block *b, uint32_t number)
{
    (void)number;
    return b->bank == STORE_ALL_BANKS || b->n_users > 0;
}

static bool is_another(const struct store_block *b, uint32_t number)
{
    return b->number != number;
}

void store_drop_kernels(struct store *s)
{
    keep_blocks(s, is_used, 0);
}

void store_drop(struct store *s, uint32_t number)
{
    keep_blocks(s, is_another, number);
}

void store_use(struct store *s, uint32_t number, int change)
{
    for (size_t i = 0; i < s->blocks.n; i++)
        if (s->blocks.v[i].number == number)
            s->blocks.v[i].n_users += (unsigned)change;
}
