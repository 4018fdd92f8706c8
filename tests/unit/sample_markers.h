// sample_markers.h - a device whose firmware profiles: flags, and what a RISC of a core has
// sent to DRAM, as a plain list.
#ifndef TTP_TESTS_SAMPLE_MARKERS_H
#define TTP_TESTS_SAMPLE_MARKERS_H

#include "base/data/vec.h"

#include "sample_device.h"

struct found {
    uint32_t type, id;
    uint64_t time, data, trailer;
};
typedef VEC(struct found) found_list;

static inline uint32_t core_word(const ttdev *t, int tile, uint32_t address)
{
    uint32_t word;
    memcpy(&word, t->chips[0].tiles[tile].l1 + address, sizeof word);
    return word;
}
static inline uint32_t core_control(const ttdev *t, int tile, uint32_t word)
{
    return core_word(t, tile, t->chips[0].layout->profiler_control + 4 * word);
}
// Options of one worker, by its number in the grid.
static inline void core_flags(ttdev *t, int tile, uint32_t flags)
{
    const struct chip *chip = &t->chips[0];
    ttdev_core core = {TTDEV_LOGICAL, chip->tiles[tile].logical};
    assert_int_equal(ttdev_l1_write(t, 0, core,
                                    chip->layout->profiler_control + 4 * TT_CONTROL_FLAGS,
                                    &flags, 4),
                     0);
}

// Markers of one chunk or several, without identities and empty slots.
static inline void words_walk(const uint32_t *words, uint32_t n, found_list *out)
{
    static const uint32_t sizes[8] = {2, 2, 2, 4, 2, 6, 2, 2};
    for (uint32_t i = 0; i < n;) {
        if (words[i] == 0 && words[i + 1] == 0) {
            i += 4;
            continue;
        }
        uint32_t type = TT_MARKER_TYPE(words[i]);
        assert_true(words[i] >> 31 && type < TT_PACKETS && i + sizes[type] <= n);
        struct found f = {.type = type,
                          .id = TT_MARKER_ID(words[i]),
                          .time = TT_MARKER_TIME(words[i], words[i + 1])};
        if (sizes[type] >= 4)
            f.data = (uint64_t)words[i + 2] << 32 | words[i + 3];
        if (sizes[type] >= 6)
            f.trailer = (uint64_t)words[i + 4] << 32 | words[i + 5];
        if (words[i] != TT_MARKER_VALID)
            vec_push(out, f);
        i += sizes[type];
    }
}

static inline void dram_markers(ttdev *t, int tile, uint32_t risc, found_list *out)
{
    uint32_t flat = core_control(t, tile, TT_CONTROL_FLAT_ID);
    uint32_t per_bank = core_control(t, tile, TT_CONTROL_CORES_PER_BANK);
    uint32_t region = core_control(t, tile, TT_CONTROL_REGION_BYTES);
    uint32_t n = core_control(t, tile, TT_CONTROL_HOST_END + risc);
    uint64_t at = core_control(t, tile, TT_CONTROL_DRAM_ADDRESS) +
                  (uint64_t)(flat % per_bank * 5 + risc) * region;
    uint32_t *words = mem_alloc(mem_bytes(4, n + 1));
    assert_int_equal(ttdev_dram_read(t, 0, (int)(flat / per_bank), at, words, 4 * n), 0);
    words_walk(words, n, out);
    mem_free(words);
}

#endif
