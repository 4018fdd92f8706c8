// The DRAM that fast dispatch keeps: blocks of kernels in one bank, of traces in all.
#include "sim/dispatch/store.h"
#include "test.h"

enum { BANK = 1 << 30, FROM = BANK - STORE_BYTES };

static struct store_key key_of(uint32_t at)
{
    return (struct store_key){.at = {at}};
}

TEST(store_blocks_of_different_banks_share_addresses)
{
    struct store s;
    store_open(&s, BANK, 12);
    struct store_key a = key_of(1), b = key_of(2), c = key_of(3);
    assert_int_equal(store_next_bank(&s), 0);
    assert_int_equal(store_add(&s, 0, 100, &a)->address, FROM);
    assert_int_equal(store_add(&s, store_next_bank(&s), 100, &b)->address, FROM);
    const struct store_block *third = store_add(&s, 0, 100, &c);
    assert_int_equal(third->address, FROM + 128); // multiples of 64
    assert_int_equal(third->bytes, 128);
    assert_ptr_equal(store_find(&s, &c)->address, third->address);
    assert_int_equal(store_find(&s, &b)->bank, 1);
    struct store_key other = key_of(4);
    assert_null(store_find(&s, &other));
    store_close(&s);
}

TEST(store_traces_take_all_banks)
{
    struct store s;
    store_open(&s, BANK, 12);
    struct store_key a = key_of(1), b = key_of(2);
    (void)store_add(&s, 5, 64, &a);
    const struct store_block *trace = store_add(&s, STORE_ALL_BANKS, 4096, NULL);
    assert_int_equal(trace->address, FROM + 64);
    uint32_t number = trace->number;
    assert_int_equal(store_add(&s, 7, 128, &b)->address, FROM + 64 + 4096);
    struct store_key small = key_of(3);
    assert_int_equal(store_add(&s, 7, 64, &small)->address, FROM); // the gap before it
    store_drop(&s, number);
    struct store_key next = key_of(4);
    assert_int_equal(store_add(&s, 7, 4096, &next)->address, FROM + 64);
    store_close(&s);
}

TEST(store_that_is_full_keeps_what_traces_use)
{
    struct store s;
    store_open(&s, BANK, 1);
    struct store_key a = key_of(1), b = key_of(2), c = key_of(3);
    uint32_t used = store_add(&s, 0, 64, &a)->number;
    assert_non_null(store_add(&s, 0, STORE_BYTES - 64, &b));
    assert_null(store_add(&s, 0, 64, &c));
    store_use(&s, used, 1);
    store_drop_kernels(&s);
    assert_non_null(store_find(&s, &a));
    assert_null(store_find(&s, &b));
    assert_int_equal(store_add(&s, 0, 64, &c)->address, FROM + 64);
    store_use(&s, used, -1);
    store_drop_kernels(&s);
    assert_null(store_find(&s, &a));
    store_close(&s);
}
