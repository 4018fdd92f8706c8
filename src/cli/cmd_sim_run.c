// cmd_sim_run.c - runs a workload: `ttprof sim run`.
#include <stdio.h>

#include "base/text/json.h"
#include "base/text/num.h"

#include "cli/cmd_sim.h"
#include "cli/cmd_sim_profile.h"
#include "runtime/runtime.h"
#include "ttprof/host.h"

struct run_values {
    struct sim_device device;
    struct sim_profile profile;
    bool json, hash, counts;
    double timeout_ms;
    const char *fidelity, *format, *grid;
    int64_t setting[SETTINGS];
};

static bool read_grid(const char *text, int64_t *x, int64_t *y, struct err *e)
{
    str down = str_of(text);
    str across = str_cut(&down, 'x');
    if (num_int(across, x) && num_int(down, y) && *x > 0 && *y > 0)
        return true;
    return err_set(e, ERR_USAGE, "--grid: '%s' is not a grid such as 8x8", text);
}

static bool read_settings(const struct run_values *v, const struct workload *w,
                          int64_t setting[SETTINGS], struct err *e)
{
    static const char *const fidelities[] = {"LoFi", "HiFi2", "HiFi3", "HiFi4"};
    memcpy(setting, v->setting, sizeof v->setting);
    for (int i = 0; v->fidelity && i < 4; i++)
        if (strcmp(v->fidelity, fidelities[i]) == 0)
            setting[SETTING_FIDELITY] = i + 1;
    if (v->format)
        setting[SETTING_FORMAT] = strcmp(v->format, "bfp8") == 0;
    if (v->grid &&
        !read_grid(v->grid, &setting[SETTING_GRID_X], &setting[SETTING_GRID_Y], e))
        return false;
    return sim_settings(w, setting, e);
}

// --- results ---

static void put_line(struct buf *b, const char *name, double value, int decimals,
                     const char *unit)
{
    buf_printf(b, "  %-28s ", name);
    num_put_fixed(b, value, decimals, true);
    buf_printf(b, "%s%s\n", unit[0] ? " " : "", unit);
}

static void put_text(struct run *r, const struct run_values *v, struct buf *b)
{
    buf_printf(b, "%s on %s, board %s, %d device%s\n", r->workload->name, r->info.arch_name,
               r->info.board_name, r->info.n_devices, r->info.n_devices == 1 ? "" : "s");
    for (size_t i = 0; i < r->figures.n; i++) {
        const struct figure *f = &r->figures.v[i];
        put_line(b, f->name, f->value, f->decimals, f->unit);
    }
    if (v->counts) {
        ttdev_counts c;
        (void)ttdev_get_counts(r->t, &c);
        put_line(b, "instructions", (double)c.instructions, 0, "");
        put_line(b, "windows", (double)c.windows, 0, "");
        put_line(b, "packets", (double)c.packets, 0, "");
    }
    for (int i = 0; v->hash && i < r->info.n_devices; i++)
        buf_printf(b, "  state of device %-12d 0x%016llx\n", i,
                   (unsigned long long)ttdev_state_hash(r->t, i));
    put_line(b, "checks", (double)r->n_checks, 0, r->n_failures ? "made" : "passed");
}

static void put_failures_json(const struct run *r, struct json *j)
{
    str rest = buf_view(&r->failures);
    json_key(j, S("failures"));
    json_open(j, '[');
    while (rest.n)
        json_text(j, str_cut(&rest, '\n'));
    json_close(j, ']');
}

static void put_json(struct run *r, const struct run_values *v, struct buf *b)
{
    struct json j = {.b = b, .is_first = true};
    json_open(&j, '{');
    json_key_text(&j, "workload", str_of(r->workload->name));
    json_key_text(&j, "arch", str_of(r->info.arch_name));
    json_key_text(&j, "board", str_of(r->info.board_name));
    json_key_int(&j, "devices", r->info.n_devices);
    json_key(&j, S("passed"));
    json_bool(&j, r->n_failures == 0);
    json_key_int(&j, "checks", (int64_t)r->n_checks);
    put_failures_json(r, &j);
    json_key(&j, S("figures"));
    json_open(&j, '{');
    for (size_t i = 0; i < r->figures.n; i++) {
        const struct figure *f = &r->figures.v[i];
        json_newline(&j);
        json_key(&j, str_of(f->name));
        if (f->decimals)
            json_double(&j, f->value);
        else
            json_int(&j, (int64_t)f->value);
    }
    json_close(&j, '}');
    if (v->hash) {
        json_key(&j, S("state"));
        json_open(&j, '[');
        for (int i = 0; i < r->info.n_devices; i++) {
            char text[24];
            (void)snprintf(text, sizeof text, "0x%016llx",
                           (unsigned long long)ttdev_state_hash(r->t, i));
            json_text(&j, str_of(text));
        }
        json_close(&j, ']');
    }
    json_close(&j, '}');
    buf_char(b, '\n');
}

static int print_results(struct run *r, const struct run_values *v, struct err *e)
{
    struct buf b = {0};
    if (v->json)
        put_json(r, v, &b);
    else
        put_text(r, v, &b);
    int printed = command_print(&b, e);
    return printed ? printed : r->n_failures != 0;
}

static int run_run(const void *values, struct words words, struct err *e)
{
    const struct run_values *v = values;
    const struct workload *w = sim_workload(words.v[0], e);
    ttdev_cfg cfg;
    struct profiled p;
    struct run r = {.timeout_ns = (uint64_t)(v->timeout_ms * 1e6),
                    .read = profiled_read,
                    .read_context = &p};
    if (!w || !sim_config(&v->device, &cfg, e) || !read_settings(v, w, r.setting, e) ||
        !profiled_prepare(&p, "sim run", &v->profile, &cfg, e))
        return 2;
    if (!(v->timeout_ms > 0 && v->timeout_ms <= 1e9)) {
        (void)err_set(e, ERR_USAGE, "--timeout must be between 0 and 1e9 ms, got %g",
                      v->timeout_ms);
        return 2;
    }
    r.counters_are_taken = p.options.counters != 0;
    if (w->configure)
        w->configure(&cfg);
    run_open(&r, w, &cfg);
    rt_clock_start(r.t);
    int code = 1;
    if (!r.has_failed && profiled_open(&p, r.t, r.timeout_ns, e)) {
        TTPROF_ZONE_AS(zone, "RunWorkload", 0);
        TTPROF_TEXT(zone, w->name, strlen(w->name));
        w->run(&r);
    }
    if (r.t && e->code == ERR_NONE)
        code = print_results(&r, v, e);
    sim_tell_failures("sim run", &r);
    // A failed workload still has a profile of what ran.
    if (!profiled_close(&p, e))
        code = err_exit_code(e->code);
    rt_clock_stop(r.t);
    run_close(&r);
    return code;
}

static const struct option options[] = {
    // clang-format off
    {.name = "json", .kind = OPTION_FLAG, .at = offsetof(struct run_values, json), .group = "Options",
     .help = "print the results as JSON"},
    {.name = "hash", .kind = OPTION_FLAG, .at = offsetof(struct run_values, hash),
     .help = "also print a hash of all memory, registers and clocks of each device"},
    {.name = "counts", .kind = OPTION_FLAG, .at = offsetof(struct run_values, counts),
     .help = "also print instruction counts"},
    {.name = "timeout", .kind = OPTION_REAL, .at = offsetof(struct run_values, timeout_ms), .arg = "MS",
     .help = "maximum device time of one program (default 200)"},
    {.name = "grid", .kind = OPTION_TEXT, .at = offsetof(struct run_values, grid), .arg = "XxY", .group = "Workload ('ttprof sim list NAME' shows which of these apply)",
     .help = "cores to run on, from the corner of the grid"},
    {.name = "size", .kind = OPTION_INT, .at = offsetof(struct run_values, setting[SETTING_SIZE]), .arg = "N",
     .help = "rows and columns, or bytes"},
    {.name = "tiles", .kind = OPTION_INT, .at = offsetof(struct run_values, setting[SETTING_TILES]), .arg = "N",
     .help = "tiles to work on"},
    {.name = "pages", .kind = OPTION_INT, .at = offsetof(struct run_values, setting[SETTING_PAGES]), .arg = "N",
     .help = "pages to move"},
    {.name = "ops", .kind = OPTION_INT, .at = offsetof(struct run_values, setting[SETTING_OPS]), .arg = "N",
     .help = "ops to launch"},
    {.name = "runs", .kind = OPTION_INT, .at = offsetof(struct run_values, setting[SETTING_RUNS]), .arg = "N",
     .help = "runs of the program"},
    {.name = "loops", .kind = OPTION_INT, .at = offsetof(struct run_values, setting[SETTING_LOOPS]), .arg = "N",
     .help = "rounds of a loop"},
    {.name = "cores", .kind = OPTION_INT, .at = offsetof(struct run_values, setting[SETTING_CORES]), .arg = "N",
     .help = "cores in a row"},
    {.name = "slow-stage", .kind = OPTION_INT, .at = offsetof(struct run_values, setting[SETTING_SLOW_STAGE]), .arg = "N",
     .help = "the slow stage; -1: none"},
    {.name = "fidelity", .kind = OPTION_CHOICE, .at = offsetof(struct run_values, fidelity), .choices = "LoFi HiFi2 HiFi3 HiFi4",
     .help = "math fidelity"},
    {.name = "format", .kind = OPTION_CHOICE, .at = offsetof(struct run_values, format), .choices = "bf16 bfp8",
     .help = "tile format of the operands"},
    SIM_PROFILE_OPTIONS(struct run_values),
    SIM_DEVICE_OPTIONS(struct run_values),
    // clang-format on
};

static const struct example examples[] = {
    {"ttprof sim run cycle_count --grid 2x2", "a loop of known length on 20 RISCs"},
    {"ttprof sim run pipeline --slow-stage 2 --json", "results as JSON"},
    {"ttprof sim run mlp --profile -o out", "write a profile to out/.logs/"},
    {"ttprof sim run loopback --device 'board=p150 seed=7' --hash",
     "use another board; the hash is the same on every run"},
};

#define NONE INT64_MIN
static const struct run_values defaults = {
    .profile = SIM_PROFILE_DEFAULTS,
    .timeout_ms = 200,
    .setting = {NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE}};

const struct command cmd_sim_run = {
    .name = "sim run",
    .args = "NAME",
    .what = "run a workload and check its results",
    .about =
        "Opens a software device, runs the workload's kernels on it, compares the results "
        "with a computation on the host, and prints its figures. The exit code is 1 if a "
        "check fails, a kernel faults, or a deadlock occurs.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .examples = examples,
    .n_examples = sizeof examples / sizeof *examples,
    .least_words = 1,
    .most_words = 1,
    .run = run_run,
    .defaults = &defaults,
    .values_size = sizeof defaults,
};
