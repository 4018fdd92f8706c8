#include "sample_profile.h"

#include <string.h>

// --- the core --------------------------------------------------------------------------
static uint32_t control_base(const struct profile *p)
{
    return p->channel < 0 ? p->layout->profiler_control : p->layout->eth_profiler_control;
}

static uint32_t vector_base(const struct profile *p, unsigned risc)
{
    uint32_t first =
        p->channel < 0 ? p->layout->profiler_buffers : p->layout->eth_profiler_buffers;
    return first + risc * TT_PROFILER_BUFFER_BYTES;
}

uint32_t profile_get(struct profile *p, uint32_t word)
{
    uint32_t value = 0;
    assert_int_equal(ttdev_l1_read(p->t, 0, p->core, control_base(p) + 4 * word, &value, 4),
                     0);
    return value;
}

void profile_set(struct profile *p, uint32_t word, uint32_t value)
{
    assert_int_equal(
        ttdev_l1_write(p->t, 0, p->core, control_base(p) + 4 * word, &value, 4), 0);
}

static void open_at(struct profile *p, const char *config, uint32_t flags, int channel)
{
    ttdev_info info;
    memset(p, 0, sizeof *p);
    p->channel = channel;
    p->t = device_open(config);
    assert_int_equal(ttdev_get_info(p->t, 0, &info), 0);
    p->layout = &tt_layouts[info.arch];
    p->core = (ttdev_core){TTDEV_LOGICAL, {0, 0}};
    if (channel >= 0) {
        p->core.space = TTDEV_NOC0;
        assert_int_equal(ttdev_eth_tile(p->t, 0, channel, &p->core.at), 0);
    }
    p->flat = profile_get(p, TT_CONTROL_FLAT_ID);
    p->cores_per_bank = profile_get(p, TT_CONTROL_CORES_PER_BANK);
    profile_set(p, TT_CONTROL_FLAGS, flags);
}

void profile_open(struct profile *p, const char *config, uint32_t flags)
{
    open_at(p, config, flags, -1);
}

void profile_open_eth(struct profile *p, const char *config, uint32_t flags, int channel)
{
    open_at(p, config, flags, channel);
}

void profile_close(struct profile *p)
{
    ttdev_close(p->t);
    vec_free(&p->stores);
}

// --- ground truth ----------------------------------------------------------------------
static void take_truth(void *context, const ttdev_truth_event *e)
{
    struct profile *p = context;
    if (e->kind == TTDEV_TRUTH_CLOCK_READ) {
        p->clock[e->risc] = e->argument;
        p->n_clock_reads++;
    }
    if (e->kind == TTDEV_TRUTH_MARKER_STORE)
        vec_push(&p->stores, ((struct profile_store){(uint32_t)(e->argument >> 32),
                                                     (uint32_t)e->argument,
                                                     p->clock[e->risc], e->risc}));
}

void profile_hear(struct profile *p)
{
    p->stores.n = 0;
    p->n_clock_reads = 0;
    assert_int_equal(ttdev_truth(p->t, take_truth, p), 0);
}

void profile_check_stamps(const struct profile *p, unsigned risc)
{
    size_t found = 0;
    for (size_t i = 0; i < p->n_markers; i++) {
        const struct profile_marker *m = &p->marker[i];
        uint32_t address = vector_base(p, risc) + 4 * m->at + 4;
        if (m->type == TT_PACKET_ZONE_TOTAL)
            continue;
        bool is_true = false;
        for (size_t k = 0; k < p->stores.n && !is_true; k++) {
            const struct profile_store *s = &p->stores.v[k];
            is_true = s->address == address && s->value == (uint32_t)m->time &&
                      (s->clock & ((1ull << TT_MARKER_TIME_BITS) - 1)) == m->time;
        }
        if (!is_true)
            fail_msg("RISC %u, word %u, type %u: no store has stamp %llx", risc, m->at,
                     m->type, (unsigned long long)m->time);
        found++;
    }
    assert_true(found > 0);
}

// --- programs --------------------------------------------------------------------------
int profile_try(struct profile *p, const char *kernel, unsigned riscs, uint32_t id,
                const uint32_t *script, size_t n)
{
    ttdev_range range = {{0, 0}, {0, 0}};
    ttdev_program *program = ttdev_program_new(p->t, "profiled");
    if (p->channel >= 0)
        range.from.x = range.to.x = p->channel;
    for (int risc = 0; risc <= TTDEV_ERISC; risc++) {
        if (!(riscs >> risc & 1))
            continue;
        int k = ttdev_program_kernel(program, range, risc, kernel_load(p->t, kernel, risc),
                                     risc == TT_NCRISC);
        assert_true(k >= 0);
        assert_int_equal(ttdev_program_args(program, k, range, script, n), 0);
    }
    assert_int_equal(ttdev_launch(p->t, 0, program, id), 0);
    int rc = ttdev_wait(p->t, 0, 1000000000);
    ttdev_program_free(program);
    return rc;
}

void profile_run_script(struct profile *p, unsigned riscs, uint32_t id,
                        const uint32_t *script, size_t n)
{
    const char *kernel = p->channel < 0 ? "kernels/profile_script" : "kernels/profile_eth";
    if (profile_try(p, kernel, riscs, id, script, n))
        fail_msg("%s", ttdev_fault(p->t, 0));
}

// --- what it left ----------------------------------------------------------------------
void profile_read_l1(struct profile *p, unsigned risc)
{
    assert_int_equal(
        ttdev_l1_read(p->t, 0, p->core, vector_base(p, risc), p->chunk, sizeof p->chunk),
        0);
}

void profile_read_dram(struct profile *p, unsigned risc, uint32_t at, uint32_t words)
{
    uint32_t region = profile_get(p, TT_CONTROL_REGION_BYTES);
    uint32_t base = profile_get(p, TT_CONTROL_DRAM_ADDRESS);
    uint64_t address =
        base + (uint64_t)(p->flat % p->cores_per_bank * 5 + risc) * region + 4ull * at;
    assert_true(words <= TT_CHUNK_WORDS);
    memset(p->chunk, 0, sizeof p->chunk);
    assert_int_equal(ttdev_dram_read(p->t, 0, (int)(p->flat / p->cores_per_bank), address,
                                     p->chunk, 4 * (size_t)words),
                     0);
}

size_t profile_parse(struct profile *p, uint32_t from, uint32_t to)
{
    static const uint8_t words[8] = {2, 2, 2, 4, 2, 6, 2, 2};
    p->n_markers = 0;
    while (from + 1 < to) {
        uint32_t high = p->chunk[from], low = p->chunk[from + 1];
        uint32_t type = TT_MARKER_TYPE(high);
        assert_true(high & TT_MARKER_VALID);
        struct profile_marker m = {.at = from,
                                   .type = type,
                                   .id = TT_MARKER_ID(high),
                                   .time = TT_MARKER_TIME(high, low)};
        for (uint32_t i = 2; i < words[type]; i++)
            m.more[i - 2] = p->chunk[from + i];
        if (high != TT_MARKER_VALID || (low & ~TT_MARKER_VALID))
            p->marker[p->n_markers++] = m;
        from += words[type];
    }
    return p->n_markers;
}

size_t profile_count(const struct profile *p, uint32_t type)
{
    size_t n = 0;
    for (size_t i = 0; i < p->n_markers; i++)
        n += p->marker[i].type == type;
    return n;
}
