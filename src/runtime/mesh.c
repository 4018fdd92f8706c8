// mesh.c - opens, profiles and closes devices.
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/text/log.h"

#include "runtime/parts.h"
#include "ttprof/host.h"

enum { BUFFER_ALIGN = 64 };                      // Blackhole DRAM; L1 needs less
#define TIMEOUT_NS   UINT64_C(10000000000)       // device time of one program
#define MOST_ADDRESS (UINT32_MAX - BUFFER_ALIGN) // kernels use 32-bit addresses

// --- opening ---------------------------------------------------------------------------
static void find_chips(ttrt *m)
{
    ttdev_access(m->t, &m->access);
    for (int i = 0; i < m->info.n_devices; i++) {
        struct tt_chip chip;
        bool is_known = m->access.get_chip(m->access.device, i, &chip) == 0;
        m->chip_id[i] = is_known ? chip.id : i;
    }
}

ttrt *ttrt_over(ttdev *t)
{
    ttrt *m = mem_alloc(sizeof *m);
    m->t = t;
    m->is_cached = true;
    m->sub_device = m->manager = -1;
    ttrt_use_thread(m);
    m->timeout_ns = TIMEOUT_NS;
    if (!rt_checked(m, ttdev_get_info(t, 0, &m->info), "device 0"))
        return m;
    uint64_t end = m->info.bank_bytes < MOST_ADDRESS ? m->info.bank_bytes : MOST_ADDRESS;
    m->dram = (struct rt_memory){
        .from = (uint32_t)m->info.dram_buffers, .to = (uint32_t)end, .align = BUFFER_ALIGN};
    m->l1 = (struct rt_memory){.from = m->info.l1_buffers,
                               .to = m->info.l1_bytes,
                               .align = BUFFER_ALIGN,
                               .is_from_top = true};
    find_chips(m);
    return m;
}

static bool read_config(ttdev_cfg *cfg, const char *config, const char *chips,
                        bool *is_profiled, struct err *e)
{
    struct ttprof_device_needs needs;
    const char *text = config ? config : getenv("TTPROF_DEVICE");
    ttdev_cfg_default(cfg);
    cfg->clock_mode = TTDEV_WARP; // the program's own work takes its time
    if ((text && ttdev_cfg_parse(cfg, text, e) < 0) ||
        ttdev_cfg_visible(cfg, chips ? chips : getenv("TT_VISIBLE_DEVICES"), e) < 0)
        return false;
    ttdev_cfg_choose_dispatch(cfg, getenv("TT_METAL_SLOW_DISPATCH_MODE"));
    char why[256];
    if (ttprof_profiler_needs(&needs, why) < 0)
        return err_set(e, ERR_USAGE, "%s", why);
    *is_profiled = needs.is_enabled;
    if (needs.is_enabled) {
        cfg->variant = cfg->variant > needs.variant ? cfg->variant : needs.variant;
        cfg->region_bytes = needs.region_bytes;
        cfg->region_buffers = needs.region_buffers;
    }
    return true;
}

// Clocks of the devices that this process closed last.
static struct {
    pthread_mutex_t lock;
    uint64_t cycle[TTDEV_MAX_CHIPS];
} closed = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void take_clocks(ttdev_cfg *cfg)
{
    (void)pthread_mutex_lock(&closed.lock);
    memcpy(cfg->clock_after, closed.cycle, sizeof closed.cycle);
    (void)pthread_mutex_unlock(&closed.lock);
}

static void keep_clocks(const ttrt *m)
{
    (void)pthread_mutex_lock(&closed.lock);
    for (int i = 0; i < m->info.n_devices; i++) {
        uint64_t now = ttdev_clock(m->t, i);
        closed.cycle[i] = now > closed.cycle[i] ? now : closed.cycle[i];
    }
    (void)pthread_mutex_unlock(&closed.lock);
}

// A function of its own so that the zone ends before the recorder changes its clock.
static int open_device(const ttdev_cfg *cfg, ttdev **out, struct err *e)
{
    TTPROF_ZONE("CreateDevice");
    int code = ttdev_open(cfg, out, e);
    // A caller who asked for too many programs does not know the term "region".
    struct err why = *e;
    if (code < 0 && str_starts(str_of(why.text), S("region_bytes")))
        (void)err_set(
            e, ERR_USAGE,
            "the profiler's part of DRAM does not fit (%.150s); lower TT_METAL_PROFILER_PROGRAM_SUPPORT_COUNT",
            why.text);
    return code;
}

// Applies the debug delays of the environment, as on hardware.
static bool apply_delays(ttdev *t, struct err *e)
{
    char lines[4096] = "";
    if (ttdev_delays_from_environment(t, (const char *const *)environ, lines, sizeof lines,
                                      e) < 0)
        return false;
    for (str rest = str_of(lines); rest.n;) {
        str line = str_cut(&rest, '\n');
        if (line.n)
            log_line("%.*s", STR(line));
    }
    return true;
}

static bool attach_profiler(ttrt *m, struct err *e)
{
    char why[256];
    if (!apply_delays(m->t, e))
        return false;
    return ttprof_profiler_attach(&m->access, &m->profiler, why) >= 0 ||
           err_set(e, ERR_FAILED, "%s", why);
}

static ttrt *open_mesh(const char *config, const char *chips, struct err *e)
{
    ttdev_cfg cfg;
    ttdev *t;
    bool is_profiled = false;
    if (!read_config(&cfg, config, chips, &is_profiled, e))
        return NULL;
    take_clocks(&cfg);
    if (open_device(&cfg, &t, e) < 0)
        return NULL;
    rt_clock_start(t);
    ttrt *m = ttrt_over(t);
    m->is_owner = true;
    m->is_profiled = is_profiled;
    rt_legacy_attach(m, true);
    if (attach_profiler(m, e))
        return m;
    (void)ttrt_close(m);
    return NULL;
}

ttrt *ttrt_open(const char *config, char err[256])
{
    return ttrt_open_chips(config, NULL, err);
}

ttrt *ttrt_open_chips(const char *config, const char *chips, char err[256])
{
    struct err e = {0};
    ttrt *m = open_mesh(config, chips, &e);
    if (err)
        (void)snprintf(err, 256, "%.255s", e.text);
    return m;
}

// --- closing ---------------------------------------------------------------------------
// Data measured before a failure is read all the same.
static void close_profiler(ttrt *m)
{
    int code = ttprof_profiler_detach(m->profiler);
    m->profiler = NULL;
    if (code < 0)
        rt_fail_with(m, code, "the profiler's files are incomplete: %s", strerror(-code));
}

static void free_all(ttrt *m)
{
    rt_cache_free(m);
    for (size_t i = 0; i < m->tensors.n; i++)
        mem_free(m->tensors.v[i]);
    vec_free(&m->tensors);
    vec_free(&m->leaving);
    vec_free(&m->dram.taken);
    vec_free(&m->l1.taken);
    vec_free(&m->traces);
    rt_reads_free(m);
    map_free(&m->told);
    vec_free(&m->told_sites);
    buf_free(&m->call_site);
    arena_free(&m->life);
    arena_free(&m->op);
}

int ttrt_close(ttrt *m)
{
    if (!m)
        return 0;
    if (!rt_is_owner(m))
        return -EPERM;
    TTPROF_ZONE("CloseDevice");
    ttrt_synchronise(m);
    rt_legacy_attach(m, false);
    for (size_t i = 0; i < m->tensors.n; i++)
        rt_buffer_free(m, m->tensors.v[i]);
    if (m->profiler)
        close_profiler(m);
    rt_tell_simulation(m);
    if (m->is_owner) {
        keep_clocks(m);
        rt_clock_stop(m->t);
        ttdev_close(m->t);
    }
    int code = m->code;
    if (!code && atomic_load(&m->stranger))
        code = -EPERM;
    free_all(m);
    mem_free(m);
    return code;
}

// --- queries ---------------------------------------------------------------------------
int ttrt_n_devices(const ttrt *m)
{
    return m ? m->info.n_devices : 0;
}

void ttrt_grid(const ttrt *m, int *x, int *y)
{
    ttdev_range all = m ? rt_all_cores(m) : (ttdev_range){{0, 0}, {-1, -1}};
    *x = all.to.x + 1;
    *y = all.to.y + 1;
}

void ttrt_use_grid(ttrt *m, int x, int y)
{
    if (!rt_enter(m))
        return;
    if (x < 0 || y < 0 || x > m->info.grid.x || y > m->info.grid.y || !x != !y) {
        rt_fail(m, "a grid of %dx%d cores does not fit: the device has %dx%d", x, y,
                m->info.grid.x, m->info.grid.y);
        return;
    }
    m->limit = (ttdev_xy){x, y};
}

void ttrt_use_sub_device(ttrt *m, int sub_device, int manager)
{
    if (!rt_enter(m))
        return;
    m->sub_device = sub_device;
    m->manager = manager;
}

ttdev *ttrt_device(ttrt *m)
{
    return m->t;
}

const ttdev_info *rt_info(const ttrt *m)
{
    return &m->info;
}

struct arena *rt_arena(ttrt *m)
{
    return &m->op;
}

ttdev_range rt_all_cores(const ttrt *m)
{
    ttdev_xy size = m->limit.x ? m->limit : m->info.grid;
    return (ttdev_range){{0, 0}, {size.x - 1, size.y - 1}};
}

ttdev_range rt_cores_for(const ttrt *m, uint32_t pieces)
{
    ttdev_range all = rt_all_cores(m);
    uint32_t x = (uint32_t)all.to.x + 1, y = (uint32_t)all.to.y + 1;
    pieces = pieces ? pieces : 1;
    uint32_t across = pieces < x ? pieces : x;
    uint32_t down = (pieces + across - 1) / across;
    return (ttdev_range){{0, 0}, {(int)across - 1, (int)(down < y ? down : y) - 1}};
}

void rt_on_op(ttrt *m,
              void (*hook)(void *context, const struct rt_op *op, int device, uint32_t id,
                           bool is_hit),
              void *context)
{
    m->hook = hook;
    m->hook_context = context;
}
