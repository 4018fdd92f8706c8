// cmd_sim_trace.c - what happens in a workload: `ttprof sim trace`.
#include "base/text/num.h"

#include "app/sim/launch_steps.h"
#include "cli/cmd_sim.h"
#include "sim/rv32/rv32.h"

struct trace_values {
    struct sim_device device;
    const char *core, *risc;
    int64_t on_device, from, to, most, launch;
};

struct steps {
    struct buf b;
    uint64_t left;
    bool waits; // for the first instruction of a kernel
};

static void put_step(void *context, const ttdev_step *s)
{
    struct steps *to = context;
    char text[96];
    if (!to->left || (to->waits && !s->is_kernel))
        return;
    to->waits = false;
    to->left--;
    rv_disasm(s->word, s->pc, text, sizeof text);
    buf_printf(&to->b, "%12llu  %08x  %-28s  %s+0x%x\n", (unsigned long long)s->cycle,
               s->pc, text, s->symbol[0] ? s->symbol : "?", s->offset);
}

static bool read_core(const char *text, ttdev_xy *at, struct err *e)
{
    str y = str_of(text);
    str x = str_cut(&y, ',');
    int64_t vx, vy;
    if (num_int(x, &vx) && num_int(y, &vy) && vx >= 0 && vx < 64 && vy >= 0 && vy < 64) {
        *at = (ttdev_xy){(int)vx, (int)vy};
        return true;
    }
    return err_set(e, ERR_USAGE, "--core: '%s' is not a core such as 0,0", text);
}

// What a trace is of.
struct traced {
    ttdev_core core;
    int risc;
    struct steps steps;
    struct launch_steps launch;
};

static void find_core(struct run *r, const struct trace_values *v, struct traced *x)
{
    int channel = x->core.at.x;
    if (x->risc != TTDEV_ERISC || r->has_failed)
        return;
    x->core.space = TTDEV_NOC0;
    if (ttdev_eth_tile(r->t, (int)v->on_device, channel, &x->core.at) < 0)
        run_fail(r, "device %d has no Ethernet channel %d", (int)v->on_device, channel);
}

static void trace_instructions(struct run *r, const struct trace_values *v,
                               struct traced *x)
{
    x->steps = (struct steps){.left = (uint64_t)v->most, .waits = v->from == 0};
    if (ttdev_trace_risc(r->t, (int)v->on_device, x->core, x->risc, (uint64_t)v->from,
                         (uint64_t)v->to, put_step, &x->steps) < 0)
        run_fail(r, "%s", ttdev_error(r->t));
}

static void trace_launch(struct run *r, const struct trace_values *v, struct traced *x)
{
    struct launch_steps *s = &x->launch;
    *s = (struct launch_steps){.t = r->t,
                               .number = v->launch,
                               .dev = (int)v->on_device,
                               .core = x->core,
                               .risc = x->risc == TTDEV_ERISC ? 0 : x->risc};
    r->hear = launch_steps_hear;
    r->hear_context = s;
    r->hears_all = true;
    if (ttdev_trace_risc(r->t, s->dev, s->core, x->risc, 0, UINT64_MAX, launch_steps_step,
                         s) < 0 ||
        !launch_steps_begin(s) || ttdev_on_event(r->t, launch_steps_event, s) < 0 ||
        ttdev_truth(r->t, r->hear, s) < 0)
        run_fail(r, "%s", ttdev_error(r->t));
}

static int print_trace(struct run *r, const struct trace_values *v, struct traced *x,
                       struct err *e)
{
    if (v->launch && !launch_steps_put(&x->launch, &x->steps.b) && !r->has_failed)
        run_fail(r, "device %d has only %lld launches", (int)v->on_device,
                 (long long)x->launch.n_launches);
    launch_steps_free(&x->launch);
    return command_print(&x->steps.b, e);
}

static int run_trace(const void *values, struct words words, struct err *e)
{
    const struct trace_values *v = values;
    const struct workload *w = sim_workload(words.v[0], e);
    ttdev_cfg cfg;
    struct traced x = {.core.space = TTDEV_LOGICAL};
    struct run r = {.timeout_ns = 200000000};
    for (int i = 0; i < SETTINGS; i++)
        r.setting[i] = INT64_MIN;
    if (!w || !sim_config(&v->device, &cfg, e) || !read_core(v->core, &x.core.at, e) ||
        !sim_risc(v->risc, &x.risc, e) || !sim_settings(w, r.setting, e))
        return 2;
    if (v->from < 0 || v->to < 0 || v->most < 0 || v->launch < 0) {
        (void)err_set(e, ERR_USAGE, "cycles and counts must not be negative");
        return 2;
    }
    if (w->configure)
        w->configure(&cfg);
    run_open(&r, w, &cfg);
    find_core(&r, v, &x);
    if (!r.has_failed && v->launch)
        trace_launch(&r, v, &x);
    else if (!r.has_failed)
        trace_instructions(&r, v, &x);
    if (!r.has_failed)
        w->run(&r);
    int code = print_trace(&r, v, &x, e);
    sim_tell_failures("sim trace", &r);
    code = r.n_failures && !code ? 1 : code;
    run_close(&r);
    return code;
}

static const struct option trace_options[] = {
    // clang-format off
    {.name = "core", .kind = OPTION_TEXT, .at = offsetof(struct trace_values, core), .arg = "X,Y", .group = "Options",
     .help = "logical core; for an ERISC, channel,0 (default 0,0)"},
    {.name = "risc", .kind = OPTION_TEXT, .at = offsetof(struct trace_values, risc), .arg = "RISC",
     .help = "brisc, ncrisc, trisc0, trisc1, trisc2 or erisc (default brisc)"},
    {.name = "chip", .kind = OPTION_INT, .at = offsetof(struct trace_values, on_device), .arg = "N",
     .help = "device number (default 0)"},
    {.name = "from", .kind = OPTION_INT, .at = offsetof(struct trace_values, from), .arg = "CYCLE",
     .help = "first cycle of the wall clock (default: start of the first kernel)"},
    {.name = "to", .kind = OPTION_INT, .at = offsetof(struct trace_values, to), .arg = "CYCLE",
     .help = "stop before this cycle (default: the end)"},
    {.name = "most", .kind = OPTION_INT, .at = offsetof(struct trace_values, most), .arg = "N",
     .help = "maximum number of instructions (default 1000)"},
    {.name = "launch", .kind = OPTION_INT, .at = offsetof(struct trace_values, launch), .arg = "N",
     .help = "show the steps of the Nth launch instead, from the host to kernel_main"},
    SIM_DEVICE_OPTIONS(struct trace_values),
    // clang-format on
};
static const struct example trace_examples[] = {
    {"ttprof sim trace loopback --most 20", "the first instructions of the kernel"},
    {"ttprof sim trace eltwise_add --core 1,2 --risc trisc1 --from 445558000 --to 445558100",
     "100 cycles of one RISC"},
    {"ttprof sim trace loopback --launch 1", "how the first program gets onto its cores"},
};
static const struct trace_values trace_defaults = {
    .core = "0,0", .risc = "brisc", .to = INT64_MAX, .most = 1000};

const struct command cmd_sim_trace = {
    .name = "sim trace",
    .args = "NAME",
    .what = "show the instructions that a RISC executes in a workload, or a launch",
    .about =
        "Each line has the cycle of the wall clock, address, instruction, function and offset.\n"
        "With --launch: the cycle, cycles since the launch began and since the line before.",
    .options = trace_options,
    .n_options = sizeof trace_options / sizeof *trace_options,
    .examples = trace_examples,
    .n_examples = sizeof trace_examples / sizeof *trace_examples,
    .least_words = 1,
    .most_words = 1,
    .reads_input = true,
    .run = run_trace,
    .defaults = &trace_defaults,
    .values_size = sizeof trace_defaults,
};
