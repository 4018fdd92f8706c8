// cmd_sim_info.c - layout of a software device: `ttprof sim info`.
#include <stdarg.h>
#include <stdio.h>

#include "base/text/json.h"

#include "cli/cmd_sim.h"
#include "collect/decode/counter_groups.h"
#include "ttprof/perf_counters.h"

struct info_values {
    struct sim_device device;
    bool json;
};

// Addresses useful for writing kernels and reading dumps.
struct place {
    const char *name;
    uint32_t address, bytes; // bytes 0: not stated
};
enum { PLACES = 18 };

static size_t places_of(int arch, struct place out[PLACES])
{
    const struct tt_layout *l = &tt_layouts[arch];
    const struct place all[PLACES] = {
        {"mailbox", l->mailbox, l->mailbox_end - l->mailbox},
        {"profiler control vector", l->profiler_control, 4 * TT_CONTROL_WORDS},
        {"profiler buffers", l->profiler_buffers, TT_RISCS * TT_PROFILER_BUFFER_BYTES},
        {"firmware BRISC", l->fw_brisc, l->fw_brisc_bytes},
        {"firmware NCRISC", l->fw_ncrisc, l->fw_ncrisc_bytes},
        {"firmware TRISC_0", l->fw_trisc0, l->fw_trisc_bytes},
        {"firmware TRISC_1", l->fw_trisc1, l->fw_trisc_bytes},
        {"firmware TRISC_2", l->fw_trisc2, l->fw_trisc_bytes},
        {"bank table", l->bank_table, 2048},
        {"kernel configuration", l->kernel_config, l->kernel_config_bytes},
        {"kernel BRISC", l->kernel_brisc, l->kernel_brisc_bytes},
        {"kernel NCRISC", l->kernel_ncrisc, l->kernel_other_bytes},
        {"kernel TRISC_0", l->kernel_trisc0, l->kernel_other_bytes},
        {"kernel TRISC_1", l->kernel_trisc1, l->kernel_other_bytes},
        {"kernel TRISC_2", l->kernel_trisc2, l->kernel_other_bytes},
        {"buffers", l->buffers, l->l1_bytes - l->buffers},
        {"kernel ERISC", l->eth_kernel, l->eth_kernel_bytes},
        {"buffers of Ethernet tiles", l->eth_buffers, 0},
    };
    memcpy(out, all, sizeof all);
    return PLACES;
}

// The performance counters of Tensix cores.
static const struct counter {
    const char *name;
    uint8_t number, group; // enum tt_perf_group
    int16_t select[TT_ARCHES];
} counters[] = {
#define COUNTER(number, name, group, wormhole, blackhole)                                  \
    {#name, number, TT_PERF_##group, {wormhole, blackhole}},
    TT_PERF_COUNTERS(COUNTER)
#undef COUNTER
};
enum { COUNTERS = sizeof counters / sizeof *counters };

__attribute__((format(printf, 3, 4))) static void line(struct buf *b, const char *name,
                                                       const char *fmt, ...)
{
    char text[200];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    buf_printf(b, "%-26s %s\n", name, text);
}

static void put_links(ttdev *t, int dev, struct buf *b)
{
    struct buf links = {0};
    for (int channel = 0; channel < 16; channel++) {
        int peer, peer_channel;
        if (ttdev_eth_peer(t, dev, channel, &peer, &peer_channel) == 0)
            buf_printf(&links, "%s%d - device %d channel %d", links.n ? ", " : "", channel,
                       peer, peer_channel);
    }
    line(b, "  Ethernet links", "%.*s", STR(links.n ? buf_view(&links) : S("none")));
    buf_free(&links);
}

// The modelled ones of a group, in lines of usual length, after "3 of 22: ".
static void put_group(int arch, int group, struct buf *b)
{
    enum { WIDTH = 100, INDENT = 27 };
    struct buf name = {0}, list = {0};
    int n = 0, n_modelled = 0;
    size_t line_from = 0;
    for (const struct counter *c = counters; c < counters + COUNTERS; c++) {
        if (c->group != group || c->select[arch] == TT_NO_COUNTER)
            continue;
        n++;
        if (!ttdev_has_counter(arch, c->number))
            continue;
        buf_z(&list, n_modelled++ ? ", " : ": ");
        if (list.n - line_from + strlen(c->name) > WIDTH - INDENT) {
            list.n--; // the blank
            buf_printf(&list, "\n%*s", INDENT, "");
            line_from = list.n;
        }
        buf_z(&list, c->name);
    }
    counter_groups_names(1u << group, &name);
    if (n)
        buf_printf(b, "  %-24.*s %d of %d%.*s\n", STR(name), n_modelled, n, STR(list));
    buf_free(&name);
    buf_free(&list);
}

static void put_counters(int arch, struct buf *b)
{
    line(b, "performance counters", "modelled; profiles leave the others out");
    for (int group = 0; group < TT_PERF_GROUP_COUNT; group++)
        put_group(arch, group, b);
}

static void put_text(ttdev *t, struct buf *b)
{
    ttdev_info i;
    (void)ttdev_get_info(t, 0, &i);
    line(b, "arch", "%s", i.arch_name);
    line(b, "board", "%s", i.board_name);
    line(b, "clock", "%.0f MHz", i.hz / 1e6);
    line(b, "L1", "%u bytes, programs from 0x%x", i.l1_bytes, i.l1_buffers);
    line(b, "DRAM", "%d banks of %llu bytes, programs from 0x%llx", i.n_banks,
         (unsigned long long)i.bank_bytes, (unsigned long long)i.dram_buffers);
    line(b, "profiler", "%llu bytes in front of them",
         (unsigned long long)i.profiler_bytes);
    for (int dev = 0; dev < i.n_devices; dev++) {
        ttdev_info d;
        ttdev_xy last = {0, 0};
        (void)ttdev_get_info(t, dev, &d);
        ttdev_xy corner = {d.grid.x - 1, d.grid.y - 1};
        line(b, "device", "%d", dev);
        line(b, "  grid", "%dx%d, %d workers with %s dispatch", d.grid.x, d.grid.y,
             d.n_workers, d.dispatch_name);
        line(b, "  harvested", "0x%x (%s)", d.harvest,
             d.arch == TT_BLACKHOLE ? "columns" : "rows");
        (void)ttdev_xlat(t, dev, (ttdev_xy){0, 0}, TTDEV_LOGICAL, TTDEV_VIRTUAL, &last);
        line(b, "  core 0,0", "virtual %d,%d", last.x, last.y);
        (void)ttdev_xlat(t, dev, corner, TTDEV_LOGICAL, TTDEV_VIRTUAL, &last);
        buf_printf(b, "  core %d,%d%*s virtual %d,%d\n", corner.x, corner.y,
                   corner.x > 9 ? 15 : 16, "", last.x, last.y);
        line(b, "  profiler", "%d flat ids, %d cores per bank", d.n_flat, d.cores_per_bank);
        put_links(t, dev, b);
    }
    put_counters(i.arch, b);
    struct place places[PLACES];
    size_t n = places_of(i.arch, places);
    line(b, "memory map (L1)", " ");
    for (size_t k = 0; k < n; k++)
        if (places[k].bytes)
            buf_printf(b, "  %-24s 0x%06x %9u bytes\n", places[k].name, places[k].address,
                       places[k].bytes);
        else
            buf_printf(b, "  %-24s 0x%06x\n", places[k].name, places[k].address);
}

static void put_device_json(ttdev *t, int dev, struct json *j)
{
    ttdev_info d;
    (void)ttdev_get_info(t, dev, &d);
    json_newline(j);
    json_open(j, '{');
    json_key_int(j, "id", dev);
    json_key_int(j, "grid_x", d.grid.x);
    json_key_int(j, "grid_y", d.grid.y);
    json_key_int(j, "workers", d.n_workers);
    json_key_text(j, "dispatch", str_of(d.dispatch_name));
    json_key_int(j, "harvested", d.harvest);
    json_key_int(j, "flat_ids", d.n_flat);
    json_key_int(j, "cores_per_bank", d.cores_per_bank);
    json_key(j, S("links"));
    json_open(j, '[');
    for (int channel = 0; channel < 16; channel++) {
        int peer, peer_channel;
        if (ttdev_eth_peer(t, dev, channel, &peer, &peer_channel) != 0)
            continue;
        json_open(j, '{');
        json_key_int(j, "channel", channel);
        json_key_int(j, "device", peer);
        json_key_int(j, "peer_channel", peer_channel);
        json_close(j, '}');
    }
    json_close(j, ']');
    json_close(j, '}');
}

static void put_counters_json(int arch, bool is_modelled, struct json *j)
{
    json_key(j, is_modelled ? S("counters") : S("counters_not_modelled"));
    json_open(j, '[');
    for (const struct counter *c = counters; c < counters + COUNTERS; c++)
        if (c->select[arch] != TT_NO_COUNTER &&
            ttdev_has_counter(arch, c->number) == is_modelled)
            json_text(j, str_of(c->name));
    json_close(j, ']');
}

static void put_json(ttdev *t, struct buf *b)
{
    struct json j = {.b = b, .is_first = true};
    struct place places[PLACES];
    ttdev_info i;
    (void)ttdev_get_info(t, 0, &i);
    json_open(&j, '{');
    json_key_text(&j, "arch", str_of(i.arch_name));
    json_key_text(&j, "board", str_of(i.board_name));
    json_key_int(&j, "hz", (int64_t)i.hz);
    json_key_int(&j, "l1_bytes", i.l1_bytes);
    json_key_int(&j, "l1_buffers", i.l1_buffers);
    json_key_int(&j, "banks", i.n_banks);
    json_key_int(&j, "bank_bytes", (int64_t)i.bank_bytes);
    json_key_int(&j, "dram_buffers", (int64_t)i.dram_buffers);
    json_key_int(&j, "profiler_bytes", (int64_t)i.profiler_bytes);
    json_key(&j, S("places"));
    json_open(&j, '{');
    size_t n = places_of(i.arch, places);
    for (size_t k = 0; k < n; k++)
        json_key_int(&j, places[k].name, places[k].address);
    json_close(&j, '}');
    put_counters_json(i.arch, true, &j);
    put_counters_json(i.arch, false, &j);
    json_key(&j, S("devices"));
    json_open(&j, '[');
    for (int dev = 0; dev < i.n_devices; dev++)
        put_device_json(t, dev, &j);
    json_close(&j, ']');
    json_close(&j, '}');
    buf_char(b, '\n');
}

static int run_info(const void *values, struct words words, struct err *e)
{
    (void)words;
    const struct info_values *v = values;
    ttdev_cfg cfg;
    ttdev *t;
    struct buf b = {0};
    if (!sim_config(&v->device, &cfg, e))
        return 2;
    if (ttdev_open(&cfg, &t, e) < 0) {
        (void)err_in(e, "the device does not open");
        return 2;
    }
    if (v->json)
        put_json(t, &b);
    else
        put_text(t, &b);
    ttdev_close(t);
    return command_print(&b, e);
}

static const struct option options[] = {
    {.name = "json",
     .kind = OPTION_FLAG,
     .at = offsetof(struct info_values, json),
     .help = "print as JSON",
     .group = "Options"},
    SIM_DEVICE_OPTIONS(struct info_values),
};
static const struct example examples[] = {
    {"ttprof sim info", "show the default device"},
    {"ttprof sim info --device 'board=n300'", "show two chips and their links"},
};
static const struct info_values defaults = {0};

const struct command cmd_sim_info = {
    .name = "sim info",
    .args = "",
    .what = "show chips, grids, memory and links of a software device",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .examples = examples,
    .n_examples = sizeof examples / sizeof *examples,
    .run = run_info,
    .defaults = &defaults,
    .values_size = sizeof defaults,
};
