#include "oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file/file.h"

#include "../unit/sample_device.h"
#include "analyse/diags.h"
#include "collect/readout/options.h"

extern char **environ;

const struct oracle_chip oracle_wormhole = {"board=n150", 72, "board=n300", 64, 2};
// Two p150 stand in a ring: two links each way round.
const struct oracle_chip oracle_blackhole = {"board=p100", 120, "board=p150 devices=2", 140,
                                             4};
const struct oracle_chip oracle_fast_wormhole = {"board=n150 dispatch=fast", 64,
                                                 "board=n300 dispatch=fast", 56, 2};
const struct oracle_chip oracle_fast_blackhole = {
    "board=p100 dispatch=fast", 110, "board=p150 devices=2 dispatch=fast", 130, 4};

uint32_t oracle_programs(uint32_t n)
{
    const char *how = getenv("TTPROF_ORACLE");
    return how && strcmp(how, "short") == 0 ? n / 20 : n;
}

// --- what the profiler says ------------------------------------------------------------
struct hearing {
    int old, fd;
};

static struct hearing hear_begin(void)
{
    (void)fflush(stderr);
    struct hearing h = {dup(STDERR_FILENO), memfd_create("said", MFD_CLOEXEC)};
    assert_true(h.old >= 0 && h.fd >= 0);
    (void)dup2(h.fd, STDERR_FILENO);
    return h;
}

static void hear_end(struct oracle *o, struct hearing h)
{
    char text[4096];
    off_t at = 0;
    (void)fflush(stderr);
    (void)dup2(h.old, STDERR_FILENO);
    (void)close(h.old);
    for (ssize_t n; (n = pread(h.fd, text, sizeof text, at)) > 0; at += n)
        buf_str(&o->said, (str){text, (size_t)n});
    (void)close(h.fd);
}

size_t oracle_said(const struct oracle *o, const char *text)
{
    size_t n = 0, length = strlen(text);
    str s = buf_view(&o->said);
    for (size_t i = 0; i + length <= s.n; i++)
        n += memcmp(s.p + i, text, length) == 0;
    return n;
}

void oracle_check_lost(const struct oracle *o, uint64_t in_l1, uint64_t in_dram)
{
    char text[100];
    int n = snprintf(text, sizeof text, "; %llu were lost",
                     (unsigned long long)(in_l1 + in_dram));
    if (in_l1 + in_dram)
        (void)snprintf(text + n, sizeof text - (size_t)n,
                       ": %llu did not fit in L1, %llu did not fit in DRAM\n",
                       (unsigned long long)in_l1, (unsigned long long)in_dram);
    assert_int_equal(oracle_said(o, text), 1);
}

// --- a profiled device -----------------------------------------------------------------
static void forget_variables(void)
{
    for (size_t i = 0; environ[i];) {
        char name[100];
        size_t n = strcspn(environ[i], "=");
        bool is_ours =
            strncmp(environ[i], "TT_METAL_", 9) == 0 ||
            (strncmp(environ[i], "TTPROF_", 7) == 0 && n != strlen("TTPROF_ORACLE"));
        (void)snprintf(name, sizeof name, "%.*s", (int)n, environ[i]);
        if (!is_ours || unsetenv(name))
            i++;
    }
}

static void set_variable(const struct oracle *o, const char *variable)
{
    char name[100], value[200];
    size_t n = strcspn(variable, "=");
    const char *given = variable + n + 1;
    (void)snprintf(name, sizeof name, "%.*s", (int)n, variable);
    (void)snprintf(value, sizeof value, "%s%s", *given == '@' ? o->folder : "",
                   *given == '@' ? given + 1 : given);
    assert_int_equal(setenv(name, value, 1), 0);
}

static void open_device(struct oracle *o, const char *board)
{
    struct profiler_options options;
    struct buf warnings = {0};
    struct err e = {0};
    ttdev_cfg cfg;
    if (!profiler_options_read(&options, (const char *const *)environ, &warnings, &e))
        fail_msg("%s", e.text);
    ttdev_cfg_default(&cfg);
    cfg.variant = profiler_variant(&options);
    cfg.region_bytes = profiler_region_bytes(&options, &warnings);
    cfg.region_buffers = (uint32_t)profiler_region_buffers(&options);
    buf_free(&warnings);
    if (ttdev_cfg_parse(&cfg, board, &e) || ttdev_open(&cfg, &o->t, &e))
        fail_msg("%s", e.text);
    assert_int_equal(ttdev_get_info(o->t, 0, &o->info), 0);
    o->all = (ttdev_range){{0, 0}, {o->info.grid.x - 1, o->info.grid.y - 1}};
    ttdev_access(o->t, &o->access);
}

void oracle_open_device(struct oracle *o, const char *board, const char *const *variables)
{
    memset(o, 0, sizeof *o);
    (void)snprintf(o->folder, sizeof o->folder, "/tmp/ttprof-oracle-XXXXXX");
    assert_non_null(mkdtemp(o->folder));
    forget_variables();
    assert_int_equal(setenv("TT_METAL_DEVICE_PROFILER", "1", 1), 0);
    assert_int_equal(setenv("TT_METAL_PROFILER_DIR", o->folder, 1), 0);
    for (size_t i = 0; variables[i]; i++)
        set_variable(o, variables[i]);
    open_device(o, board);
}

void oracle_attach(struct oracle *o)
{
    char why[256] = "";
    struct hearing h = hear_begin();
    int rc = ttprof_profiler_attach(&o->access, &o->p, why);
    hear_end(o, h);
    if (rc)
        fail_msg("%s", why);
}

void oracle_open_with(struct oracle *o, const char *board, const char *const *variables)
{
    oracle_open_device(o, board, variables);
    oracle_attach(o);
}

void oracle_read(struct oracle *o)
{
    struct hearing h = hear_begin();
    int rc = ttprof_read_device_profiler(o->p);
    hear_end(o, h);
    if (rc)
        fail_msg("%s", ttprof_profiler_error(o->p));
}

void oracle_detach(struct oracle *o)
{
    struct hearing h = hear_begin();
    int rc = ttprof_profiler_detach(o->p);
    hear_end(o, h);
    o->is_detached = true;
    assert_int_equal(rc, 0);
}

void oracle_close(struct oracle *o)
{
    char command[100];
    if (!o->is_detached)
        oracle_detach(o);
    for (size_t i = 0; i < o->programs.n; i++)
        ttdev_program_free(o->programs.v[i]);
    vec_free(&o->programs);
    ttdev_close(o->t);
    device_run_free(&o->log);
    buf_free(&o->said);
    (void)snprintf(command, sizeof command, "rm -rf '%s'", o->folder);
    assert_int_equal(system(command), 0); // NOLINT(cert-env33-c)
    forget_variables();
}

// --- programs --------------------------------------------------------------------------
enum { LONG_NS = 1000000000 };

ttdev_program *oracle_program(struct oracle *o, const char *name)
{
    ttdev_program *p = ttdev_program_new(o->t, name);
    assert_non_null(p);
    vec_push(&o->programs, p);
    return p;
}

void oracle_kernel(struct oracle *o, ttdev_program *p, ttdev_range cores, int risc,
                   const char *image, const uint32_t *args, size_t n)
{
    struct err e = {0};
    ttdev_image *found = NULL;
    if (strncmp(image, "kernels/", 8) == 0)
        found = kernel_load(o->t, image, risc);
    else if (ttdev_image_find(o->t, image, risc, &found, &e))
        fail_msg("%s", e.text);
    int k = ttdev_program_kernel(p, cores, risc, found, risc == TT_NCRISC);
    if (k < 0 || ttdev_program_args(p, k, cores, args, n))
        fail_msg("%s: %s", image, ttdev_error(o->t));
}

void oracle_kernels(struct oracle *o, ttdev_program *p, ttdev_range cores, unsigned riscs,
                    const char *image, const uint32_t *args, size_t n)
{
    for (int risc = 0; risc < TT_RISCS; risc++)
        if (riscs >> risc & 1)
            oracle_kernel(o, p, cores, risc, image, args, n);
}

ttdev_range oracle_one(int x, int y)
{
    return (ttdev_range){{x, y}, {x, y}};
}

int oracle_channel(struct oracle *o, int after)
{
    enum { MOST_CHANNELS = 16 };
    int dev, channel;
    for (int c = after + 1; c < MOST_CHANNELS; c++)
        if (ttdev_eth_peer(o->t, 0, c, &dev, &channel) == 0)
            return c;
    return -1;
}

uint32_t oracle_virtual(struct oracle *o, int x, int y, bool is_y)
{
    ttdev_xy out, in = {x, y};
    assert_int_equal(ttdev_xlat(o->t, 0, in, TTDEV_LOGICAL, TTDEV_VIRTUAL, &out), 0);
    return (uint32_t)(is_y ? out.y : out.x);
}

void oracle_launch(struct oracle *o, ttdev_program *p, uint32_t id)
{
    if (ttdev_launch(o->t, 0, p, id))
        fail_msg("%s", ttdev_error(o->t));
    if (ttdev_wait(o->t, 0, LONG_NS))
        fail_msg("%s", ttdev_fault(o->t, 0));
}

int oracle_end_trace(struct oracle *o)
{
    int trace = ttdev_trace_end(o->t, 0);
    assert_true(trace >= 0);
    return trace;
}

void oracle_replay(struct oracle *o, int trace)
{
    if (ttdev_trace_replay(o->t, 0, trace, LONG_NS))
        fail_msg("%s", ttdev_error(o->t));
}

// --- the log ---------------------------------------------------------------------------
const char *oracle_path(const struct oracle *o, const char *name)
{
    static char path[200];
    (void)snprintf(path, sizeof path, "%s/.logs/%s", o->folder, name);
    return path;
}

bool oracle_has_file(const struct oracle *o, const char *name)
{
    return access(oracle_path(o, name), R_OK) == 0;
}

void oracle_analyse(struct oracle *o, const char *setup)
{
    struct device_run *r = &o->log;
    device_run_free(r);
    if (!device_log_read(&r->trace, oracle_path(o, "profile_log_device.csv"), &r->e))
        fail_msg("%s", r->e.text);
    if (!setup_load(&r->own_setup, setup, &r->arena, &r->e))
        fail_msg("%s", r->e.text);
    assert_true(device_run_analyse(r, &(struct device_how){.setup = &r->own_setup}));
    assert_null(law_of_markers(&r->trace));
}

void oracle_check_clean(const struct oracle *o)
{
    const struct trace *t = &o->log.trace;
    for (int i = 0; i < DIAG_KINDS; i++)
        if (trace_count(t, i))
            fail_msg("%s: %s", diag_name(i), t->diag.entry[i].first);
}

static const struct analysed *find(const struct oracle *o, const char *analysis)
{
    const struct analysed *a = device_analysis_find(&o->log.analysis, str_of(analysis));
    if (!a)
        fail_msg("there is no analysis '%s'", analysis);
    return a;
}

const struct stats *oracle_stats(const struct oracle *o, const char *analysis)
{
    return &find(o, analysis)->device[0];
}

uint64_t oracle_count(const struct oracle *o, const char *analysis)
{
    return oracle_stats(o, analysis)->count;
}

size_t oracle_events(const struct oracle *o, const char *analysis)
{
    return find(o, analysis)->events.n;
}

size_t oracle_ops(const struct oracle *o)
{
    return o->log.ops.first[1] - o->log.ops.first[0];
}

// --- tables ----------------------------------------------------------------------------
void oracle_table_read(struct oracle_table *t, const struct oracle *o, const char *name)
{
    struct err e = {0};
    memset(t, 0, sizeof *t);
    if (!file_open(oracle_path(o, name), &t->file, &e))
        fail_msg("%s", e.text);
    str rest = t->file.text, head = str_cut(&rest, '\n');
    size_t columns = 1;
    for (size_t i = 0; i < head.n; i++)
        columns += head.p[i] == ',';
    for (size_t i = 0; i < columns; i++)
        vec_push(&t->head, str_trim(str_cut(&head, ',')));
    for (; rest.n; t->rows++) {
        str row = str_cut(&rest, '\n');
        for (size_t i = 0; i < columns; i++)
            vec_push(&t->cells, str_trim(str_cut(&row, ',')));
        assert_int_equal(row.n, 0);
    }
}

void oracle_table_free(struct oracle_table *t)
{
    vec_free(&t->head);
    vec_free(&t->cells);
    file_close(&t->file);
}

str oracle_cell(const struct oracle_table *t, size_t row, const char *column)
{
    for (size_t i = 0; i < t->head.n; i++)
        if (str_is(t->head.v[i], column))
            return t->cells.v[row * t->head.n + i];
    fail_msg("there is no column '%s'", column);
    return (str){0};
}
