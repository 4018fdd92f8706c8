// sample_access.c - memory instead of a device.
#include "sample_access.h"

#include <errno.h>

#include "test.h"

enum { CONTROL = 0x1000, BUFFERS = CONTROL + 4 * TT_CONTROL_WORDS, DRAM_BASE = 32 };
enum { DRAM_BYTES = 2 * 48000 * 5 * FAKE_CORES_PER_BANK }; // two buffers

static struct fake *of(void *device)
{
    return device;
}

static int get_chip(void *device, int chip, struct tt_chip *out)
{
    struct fake *f = of(device);
    if (chip < 0 || chip >= f->n_chips)
        return -ENODEV;
    *out = (struct tt_chip){
        .id = chip,
        .arch = TT_WORMHOLE,
        .arch_name = "wormhole_b0",
        .hz = 1e9,
        .grid_x = 8,
        .grid_y = 10,
        .noc_x = 10,
        .noc_y = 12,
        .cores = f->chips[chip].cores,
        .n_cores = f->chips[chip].n_cores,
        .n_banks = FAKE_BANKS,
        .cores_per_bank = FAKE_CORES_PER_BANK,
        .processors = TT_RISCS,
        .dram_base = DRAM_BASE,
        .dram_bytes = f->dram_bytes,
    };
    return 0;
}

static size_t no_links(void *device)
{
    (void)device;
    return 0;
}

static int get_link(void *device, size_t i, struct tt_link *out)
{
    (void)device, (void)i, (void)out;
    return -ENOENT;
}

static size_t n_zones(void *device)
{
    return of(device)->n_zones;
}

static int get_zone(void *device, size_t i, struct tt_zone *out)
{
    *out = of(device)->zones[i];
    return 0;
}

static int to_noc0(void *device, int chip, int from, int x, int y, int *out_x, int *out_y)
{
    (void)device, (void)chip, (void)from;
    *out_x = x;
    *out_y = y;
    return 0;
}

// --- memory ----------------------------------------------------------------------------

static size_t number_of(struct fake *f, int chip, const struct tt_core *core)
{
    return (size_t)(core - f->chips[chip].cores);
}

static char *l1_at(struct fake *f, int chip, const struct tt_core *core, uint32_t address,
                   size_t bytes)
{
    size_t i = number_of(f, chip, core);
    f->host_ns += 1000;
    if (f->chips[chip].is_dead[i])
        return NULL;
    assert_true(address >= CONTROL);
    assert_true(address - CONTROL + bytes <= sizeof f->chips[chip].l1[i]);
    return (char *)f->chips[chip].l1[i] + (address - CONTROL);
}

static int l1_read(void *device, int chip, const struct tt_core *core, uint32_t address,
                   void *data, size_t bytes)
{
    const char *p = l1_at(of(device), chip, core, address, bytes);
    if (!p)
        return -EIO;
    memcpy(data, p, bytes);
    return 0;
}

static int l1_write(void *device, int chip, const struct tt_core *core, uint32_t address,
                    const void *data, size_t bytes)
{
    struct fake *f = of(device);
    char *p = l1_at(f, chip, core, address, bytes);
    if (!p)
        return -EIO;
    if (bytes == sizeof(uint32_t[TT_CONTROL_WORDS]))
        f->chips[chip].n_resets[number_of(f, chip, core)]++;
    memcpy(p, data, bytes);
    return 0;
}

static int dram_read(void *device, int chip, int bank, uint64_t address, void *data,
                     size_t bytes)
{
    struct fake *f = of(device);
    assert_in_range(bank, 0, FAKE_BANKS - 1);
    assert_true(address >= DRAM_BASE && address - DRAM_BASE + bytes <= DRAM_BYTES);
    if (f->chips[chip].is_dead_bank[bank])
        return -EIO;
    if (f->chips[chip].dram[bank] && f->host_ns >= f->landing_ns)
        memcpy(data, (char *)f->chips[chip].dram[bank] + (address - DRAM_BASE), bytes);
    else
        memset(data, 0, bytes);
    return 0;
}

static int register_read(void *device, int chip, const struct tt_core *core,
                         uint32_t address, uint32_t *value)
{
    struct fake *f = of(device);
    (void)core;
    f->n_clock_reads++;
    f->chips[chip].clock += f->clock_step;
    uint64_t clock = f->chips[chip].clock;
    *value = (uint32_t)(address == TT_WALL_CLOCK_L ? clock : clock >> 32);
    return 0;
}

static int register_write(void *device, int chip, const struct tt_core *core,
                          uint32_t address, uint32_t value)
{
    (void)device, (void)chip, (void)core, (void)address, (void)value;
    return -ENOSYS;
}

// --- running ---------------------------------------------------------------------------

static int wait(void *device, int chip, uint64_t timeout_ns)
{
    struct fake *f = of(device);
    (void)timeout_ns;
    if (f->on_wait)
        f->on_wait(f, chip);
    return f->chips[chip].wait_rc;
}

static bool is_busy(void *device, int chip, const struct tt_core *core)
{
    struct fake *f = of(device);
    return f->chips[chip].is_busy[number_of(f, chip, core)];
}

static int on_quiet(void *device, int (*hook)(void *context, int chip), void *context)
{
    of(device)->quiet = hook;
    of(device)->quiet_context = context;
    return 0;
}

static int on_event(void *device, tt_event_hook hook, void *context)
{
    of(device)->event = hook;
    of(device)->event_context = context;
    return 0;
}

static int launch(void *device, int chip, const struct tt_kernel *kernels, size_t n,
                  uint32_t run_id)
{
    (void)device, (void)chip, (void)kernels, (void)n, (void)run_id;
    return -ENOSYS;
}

static uint64_t host_ns(void *device)
{
    return of(device)->host_ns;
}

static int sleep_ns(void *device, uint64_t ns)
{
    of(device)->host_ns += ns;
    return 0;
}

static const char *error(void *device)
{
    (void)device;
    return "";
}

// --- making and filling ----------------------------------------------------------------

struct fake *fake_new(int n_chips, size_t n_workers, size_t n_eth)
{
    struct fake *f = mem_alloc(sizeof *f);
    f->n_chips = n_chips;
    f->region_bytes = 48000;
    f->dram_bytes = DRAM_BYTES;
    f->clock_step = 1;
    for (int c = 0; c < n_chips; c++) {
        struct fake_chip *chip = &f->chips[c];
        chip->n_cores = n_workers + n_eth;
        chip->clock = 1000000;
        for (size_t i = 0; i < chip->n_cores; i++) {
            bool is_worker = i < n_workers;
            int16_t x = (int16_t)(1 + i % 8), y = (int16_t)(1 + i / 8);
            chip->cores[i] = (struct tt_core){
                .x = x,
                .y = y,
                .vx = (int16_t)(x + 17),
                .vy = (int16_t)(y + 17),
                .lx = (int16_t)(x - 1),
                .ly = (int16_t)(y - 1),
                .flat = (int16_t)i,
                .kind = is_worker ? TT_CORE_WORKER : TT_CORE_ETH,
                .n_riscs = is_worker ? TT_RISCS : 1,
                .control = CONTROL,
                .buffers = BUFFERS,
            };
        }
    }
    f->access = (struct tt_access){
        .device = f,
        .n_chips = n_chips,
        .get_chip = get_chip,
        .n_links = no_links,
        .get_link = get_link,
        .n_zones = n_zones,
        .get_zone = get_zone,
        .to_noc0 = to_noc0,
        .l1_read = l1_read,
        .l1_write = l1_write,
        .dram_read = dram_read,
        .register_read = register_read,
        .register_write = register_write,
        .wait = wait,
        .is_busy = is_busy,
        .on_quiet = on_quiet,
        .on_event = on_event,
        .launch = launch,
        .host_ns = host_ns,
        .sleep_ns = sleep_ns,
        .error = error,
    };
    return f;
}

void fake_free(struct fake *f)
{
    for (int c = 0; c < f->n_chips; c++)
        for (int b = 0; b < FAKE_BANKS; b++)
            mem_free(f->chips[c].dram[b]);
    mem_free(f);
}

uint32_t *fake_control(struct fake *f, int chip, size_t core)
{
    return f->chips[chip].l1[core];
}

uint32_t *fake_l1(struct fake *f, int chip, size_t core, int risc)
{
    return f->chips[chip].l1[core] + TT_CONTROL_WORDS + (size_t)risc * TT_CHUNK_WORDS;
}

uint32_t *fake_region(struct fake *f, int chip, size_t core, int risc, int buffer)
{
    size_t flat = (size_t)f->chips[chip].cores[core].flat,
           bank = flat / FAKE_CORES_PER_BANK;
    uint32_t **dram = &f->chips[chip].dram[bank];
    if (!*dram)
        *dram = mem_alloc(DRAM_BYTES);
    size_t row = flat % FAKE_CORES_PER_BANK + (size_t)buffer * FAKE_CORES_PER_BANK;
    return *dram + (row * TT_RISCS + (size_t)risc) * (f->region_bytes / 4);
}

void fake_chunk(uint32_t *words, int flat, int risc, uint32_t program, uint64_t time)
{
    static const uint8_t types[] = {TT_PACKET_ZONE_START, TT_PACKET_ZONE_END,
                                    TT_PACKET_ZONE_START, TT_PACKET_ZONE_END};
    static const uint16_t ids[] = {1, 1, 2, 2};
    static const uint8_t after[] = {0, 40, 10, 30};
    memset(words, 0, 12 * sizeof *words);
    words[TT_CHUNK_ID_LH] = (uint32_t)flat << TT_IDENTITY_FLAT_SHIFT | (uint32_t)risc;
    words[TT_CHUNK_ID_LL] = program;
    for (int i = 0; i < 4; i++) {
        uint64_t at = time + after[i];
        words[4 + 2 * i] =
            TT_MARKER_HEADER(types[i], ids[i]) | ((uint32_t)(at >> 32) & 0xFFF);
        words[5 + 2 * i] = (uint32_t)at;
    }
}

void fake_run(struct fake *f, int chip, size_t core, int risc, uint32_t program,
              uint64_t time)
{
    uint32_t *control = fake_control(f, chip, core);
    int flat = f->chips[chip].cores[core].flat;
    uint32_t *end = &control[TT_CONTROL_HOST_END + risc];
    fake_chunk(fake_l1(f, chip, core, risc), flat, risc, program, time);
    fake_chunk(fake_region(f, chip, core, risc, 0) + *end, flat, risc, program, time);
    *end += 12;
    control[TT_CONTROL_DEVICE_END + risc] = 12;
    if (risc == 0) {
        control[TT_CONTROL_RUN_COUNTER]++;
        control[TT_CONTROL_PROFILER_DONE] = 1;
        control[TT_CONTROL_FLUSH_COUNT]++;
        control[TT_CONTROL_FLUSH_CYCLES_L] += 100;
        control[TT_CONTROL_FLUSH_MAX] = 100;
    }
}

void fake_launch(struct fake *f, int chip, uint32_t program, int trace, bool is_replay)
{
    struct tt_event event = {.kind = TT_EVENT_LAUNCH,
                             .chip = chip,
                             .trace = trace,
                             .is_replay = is_replay,
                             .program = program,
                             .name = "program",
                             .sub_device = -1,
                             .sub_device_manager = -1};
    f->event(f->event_context, &event);
}

void fake_trace(struct fake *f, int chip, int kind, int trace)
{
    struct tt_event event = {.kind = kind, .chip = chip, .trace = trace};
    f->event(f->event_context, &event);
}

static uint64_t risc_findings(const struct risc_health *h)
{
    uint64_t lost = h->l1_dropped + h->dram_dropped;
    return (lost ? lost : h->is_lossy) + h->unknown_ids + h->orphan_starts +
           h->orphan_ends + h->foreign + h->bad_types + h->truncated;
}

uint64_t fake_findings(const struct collection *c)
{
    uint64_t n = c->replays_unknown + c->names.n_malformed;
    for (size_t i = 0; i < c->chips.n; i++) {
        const struct chip_record *chip = &c->chips.v[i];
        for (size_t k = 0; k < chip->n_cores; k++) {
            n += chip->core_health[k].is_partial + chip->core_health[k].is_damaged;
            for (int r = 0; r < core_riscs(&chip->cores[k]); r++)
                n += risc_findings(&chip->riscs[k][r]);
        }
    }
    return n;
}
