// test_runtime_tensors.c - device memory and what lies in it: the allocator, values of all
// types and layouts from and to the device, the words that kernels find pages by.
#include <math.h>

#include "sample_runtime.h"

// --- the allocator -----------------------------------------------------------------------
TEST(runtime_memory_takes_the_first_gap_that_is_large_enough)
{
    struct rt_memory memory = {.from = 100, .to = 1024, .align = 64};
    uint32_t a, b, c, d;
    assert_true(rt_memory_take(&memory, 1, &a));
    assert_true(rt_memory_take(&memory, 200, &b));
    assert_true(rt_memory_take(&memory, 64, &c));
    assert_int_equal(a, 128);
    assert_int_equal(b, 192);
    assert_int_equal(c, 448);
    assert_true(rt_memory_give(&memory, b));
    assert_false(rt_memory_give(&memory, b));
    assert_true(rt_memory_take(&memory, 256, &d)); // into the gap
    assert_int_equal(d, 192);
    assert_int_equal(rt_memory_largest(&memory), 512);
    assert_false(rt_memory_take(&memory, 513, &d));
    assert_true(rt_memory_take(&memory, 512, &d));
    assert_int_equal(d, 512);
    assert_false(rt_memory_take(&memory, 1, &d));
    vec_free(&memory.taken);
}

TEST(runtime_memory_grows_down_from_the_top)
{
    struct rt_memory memory = {.from = 0, .to = 1000, .align = 64, .is_from_top = true};
    uint32_t a, b, c;
    assert_true(rt_memory_take(&memory, 64, &a));
    assert_true(rt_memory_take(&memory, 100, &b));
    assert_int_equal(a, 960 - 64);
    assert_int_equal(b, 960 - 64 - 128);
    assert_true(rt_memory_give(&memory, a));
    assert_true(rt_memory_take(&memory, 10, &c));
    assert_int_equal(c, a);
    assert_int_equal(memory.taken.v[0].from, b); // in order
    vec_free(&memory.taken);
}

// --- values ------------------------------------------------------------------------------
static float value_at(size_t i)
{
    return (float)((int)(i % 97) - 48) / 32;
}

// Everything comes back; `step`: how coarse the type is.
static void round_trip(ttrt *m, struct ttrt_spec spec, float step)
{
    size_t n = (size_t)spec.shape[0] * spec.shape[1] * spec.shape[2] * spec.shape[3];
    float *values = mem_alloc(n * sizeof *values), *got = mem_alloc(n * sizeof *got);
    for (size_t i = 0; i < n; i++)
        values[i] = spec.dtype == TTRT_UINT32 ? (float)(i * 7) : value_at(i);
    ttrt_tensor *t = ttrt_from_host(m, values, spec, "t");
    assert_string_equal(ttrt_error(m), "");
    assert_int_equal(ttrt_volume(t), n);
    ttrt_to_host(m, 0, t, got);
    for (size_t i = 0; i < n; i++)
        if (fabsf(got[i] - values[i]) > step)
            fail_msg("type %d, layout %d, memory %d: value %zu is %g, not %g", spec.dtype,
                     spec.layout, spec.memory.layout, i, (double)got[i], (double)values[i]);
    ttrt_free(m, t);
    mem_free(values);
    mem_free(got);
}

TEST(runtime_tensors_of_all_kinds_come_back_from_the_device)
{
    static const float steps[] = {[TTRT_BFLOAT16] = 0, [TTRT_BFLOAT8_B] = 1.0f / 64};
    static const struct ttrt_memory memories[] = {
        {TTRT_DRAM, TTRT_INTERLEAVED, 0, 0},  {TTRT_L1, TTRT_INTERLEAVED, 0, 0},
        {TTRT_L1, TTRT_HEIGHT_SHARDED, 3, 2}, {TTRT_L1, TTRT_WIDTH_SHARDED, 2, 2},
        {TTRT_L1, TTRT_BLOCK_SHARDED, 2, 3},
    };
    struct sample_runtime s;
    sample_runtime_open(&s, "arch=wormhole");
    for (size_t k = 0; k < sizeof memories / sizeof *memories; k++)
        for (int dtype = 0; dtype < TTRT_DTYPES; dtype++) {
            struct ttrt_spec spec = ttrt_spec4(2, 3, 40, 70);
            spec.dtype = dtype;
            spec.memory = memories[k];
            float step = dtype == TTRT_BFLOAT8_B ? steps[dtype] : 0;
            round_trip(s.m, spec, step);
            spec.layout = TTRT_ROW_MAJOR;
            if (dtype != TTRT_BFLOAT8_B && memories[k].layout <= TTRT_HEIGHT_SHARDED)
                round_trip(s.m, spec, step);
        }
    assert_int_equal(s.m->dram.taken.n + s.m->l1.taken.n, 0); // all is given back
    sample_runtime_close(&s);
}

TEST(runtime_tensors_are_padded_with_zeros_to_whole_tiles)
{
    struct sample_runtime s;
    static float values[5 * 33];
    static uint16_t pages[2][1024];
    for (size_t i = 0; i < 5 * 33; i++)
        values[i] = 1;
    sample_runtime_open(&s, "arch=wormhole");
    ttrt_tensor *t = ttrt_from_host(s.m, values, ttrt_spec2(5, 33), "t");
    assert_int_equal(t->padded[2], 32);
    assert_int_equal(t->padded[3], 64);
    assert_int_equal(t->n_pages, 2);
    assert_int_equal(t->page_bytes, 2048);
    rt_buffer_read(s.m, 0, t, (uint8_t *)pages);
    assert_int_equal(pages[0][0], 0x3F80);
    assert_int_equal(pages[0][4 * 16 + 15], 0x3F80);
    assert_int_equal(pages[0][5 * 16], 0);
    assert_int_equal(pages[1][0], 0x3F80); // column 32
    assert_int_equal(pages[1][1], 0);
    sample_runtime_close(&s);
}

TEST(runtime_ids_lie_in_rows_of_words)
{
    struct sample_runtime s;
    uint32_t ids[2 * 5] = {7, 0xFFFFFFFF, 2, 3, 4, 5, 6, 0x7F800001, 8, 9};
    uint32_t pages[2][16];
    sample_runtime_open(&s, "arch=wormhole");
    ttrt_tensor *t = ttrt_ids_from_host(s.m, ids, ttrt_spec2(2, 5), "ids");
    assert_int_equal(t->page_bytes, 64);
    assert_int_equal(ttrt_spec_of(t).dtype, TTRT_UINT32);
    rt_buffer_read(s.m, 0, t, (uint8_t *)pages);
    assert_memory_equal(pages[0], ids, 20);
    assert_memory_equal(pages[1], ids + 5, 20);
    sample_runtime_close(&s);
}

// --- where pages are ---------------------------------------------------------------------
// The same rule as kernel/ops/operand.h.
static void place_by_words(const uint32_t *words, uint32_t page, ttdev_xy *at,
                           uint32_t *index)
{
    uint32_t core;
    if ((words[2] & 0xFF) == 1) {
        core = page % words[4];
        *index = page / words[4];
    } else {
        uint32_t column = page % words[4], row = page / words[4];
        core = row / words[6] * (words[2] >> 8) + column / words[5];
        *index = row % words[6] * words[5] + column % words[5];
    }
    uint32_t x = core % words[3], y = core / words[3];
    x += x >= (words[7] >> 16 & 0xFF) ? words[7] >> 24 : 0;
    *at = (ttdev_xy){(int)(x + (words[7] & 0xFF)), (int)(y + (words[7] >> 8 & 0xFF))};
}

static void words_lead_to_pages(struct sample_runtime *s, struct ttrt_memory memory)
{
    struct ttrt_spec spec = ttrt_spec4(1, 2, 96, 224);
    uint32_t words[RT_OPERAND_WORDS];
    spec.memory = memory;
    ttrt_tensor *t = ttrt_empty(s->m, spec, "t");
    assert_string_equal(ttrt_error(s->m), "");
    rt_operand(t, words);
    assert_int_equal(words[0], t->address);
    assert_int_equal(words[1], 2048);
    for (uint32_t page = 0; page < t->n_pages; page++) {
        ttdev_xy by_words, is;
        uint32_t index;
        ttdev_place place = rt_page_place(t, page);
        place_by_words(words, page, &by_words, &index);
        assert_int_equal(ttdev_xlat(s->t, 0, place.core, TTDEV_LOGICAL, TTDEV_VIRTUAL, &is),
                         0);
        assert_int_equal(by_words.x, is.x);
        assert_int_equal(by_words.y, is.y);
        assert_int_equal(index, place.index);
        assert_true(!t->pages_per_core || index < t->pages_per_core);
    }
    ttrt_free(s->m, t);
}

TEST(runtime_operand_words_lead_to_where_the_host_writes)
{
    static const char *const chips[] = {"arch=wormhole", "arch=blackhole"};
    for (int i = 0; i < 2; i++) {
        struct sample_runtime s;
        sample_runtime_open(&s, chips[i]);
        int last = s.m->info.grid.x;
        words_lead_to_pages(&s, (struct ttrt_memory){TTRT_L1, TTRT_INTERLEAVED, 0, 0});
        words_lead_to_pages(&s, (struct ttrt_memory){TTRT_L1, TTRT_HEIGHT_SHARDED, 3, 2});
        words_lead_to_pages(&s, (struct ttrt_memory){TTRT_L1, TTRT_WIDTH_SHARDED, last, 1});
        words_lead_to_pages(&s, (struct ttrt_memory){TTRT_L1, TTRT_BLOCK_SHARDED, 4, 3});
        sample_runtime_close(&s);
    }
}

TEST(runtime_says_what_is_wrong_with_a_tensor)
{
    static const struct {
        struct ttrt_spec spec;
        const char *why;
    } cases[] = {
        {{.shape = {1, 1, 0, 4}}, "tensor 't': a shape of 1 x 1 x 0 x 4 is empty"},
        {{.shape = {65536, 65536, 65536, 65536}},
         "tensor 't': a shape of 65536 x 65536 x 65536 x 65536 is too large"},
        {{.shape = {1, 1, UINT32_MAX, 1}}, // padded, the sides do not fit in 32 bits
         "tensor 't': a shape of 1 x 1 x 4294967295 x 1 is too large"},
        {{.shape = {1, 1, 1, 1 << 30}, .dtype = TTRT_FLOAT32, .layout = TTRT_ROW_MAJOR},
         "tensor 't': a shape of 1 x 1 x 1 x 1073741824 is too large"},
        {{.shape = {1, 1, 8, 8}, .dtype = TTRT_BFLOAT8_B, .layout = TTRT_ROW_MAJOR},
         "tensor 't': BFLOAT8_B needs tiles"},
        {{.shape = {1, 1, 8, 8}, .dtype = 17},
         "tensor 't': unknown data type, layout or memory"},
        {{.shape = {1, 1, 8, 8}, .memory = {TTRT_DRAM, TTRT_BLOCK_SHARDED, 2, 2}},
         "tensor 't': shards must be in L1"},
        {{.shape = {1, 1, 8, 8}, .memory = {TTRT_L1, TTRT_BLOCK_SHARDED, 9, 2}},
         "tensor 't': shards on 9x2 cores, but the device has 8x"},
    };
    struct sample_runtime s;
    sample_runtime_open(&s, "arch=wormhole");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_null(ttrt_empty(s.m, cases[i].spec, "t"));
        if (strncmp(ttrt_error(s.m), cases[i].why, strlen(cases[i].why)) != 0)
            fail_msg("got '%s'\nnot '%s'", ttrt_error(s.m), cases[i].why);
        s.m->code = 0; // the next one
        s.m->error = (struct err){0};
    }
    sample_runtime_close(&s);
}
