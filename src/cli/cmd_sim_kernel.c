// cmd_sim_kernel.c - runs user kernels: `ttprof sim kernel`.
#include <stdio.h>

#include "base/text/json.h"
#include "base/text/log.h"
#include "base/text/num.h"

#include "app/sim/session.h"
#include "cli/cmd_sim.h"
#include "cli/cmd_sim_profile.h"
#include "sim/report/report.h"
#include "ttprof/host.h"

// --- the run ---------------------------------------------------------------------------
static bool is_same(const ttdev_truth_event *a, const ttdev_truth_event *b)
{
    return a->x == b->x && a->y == b->y && a->risc == b->risc;
}

static void kernel_ended(struct session *s, const ttdev_truth_event *from,
                         const ttdev_truth_event *to)
{
    bool is_eth = s->kernels[TTDEV_ERISC].image && to->x == s->eth.x && to->y == s->eth.y;
    struct kernel *k = &s->kernels[is_eth ? TTDEV_ERISC : to->risc];
    uint64_t cycles = to->cycle - from->cycle;
    k->shortest = k->n && k->shortest < cycles ? k->shortest : cycles;
    k->longest = k->longest > cycles ? k->longest : cycles;
    k->sum += cycles;
    k->n++;
    k->instructions += (uint32_t)((to->argument >> 32) - (from->argument >> 32));
    s->end = s->end > to->cycle ? s->end : to->cycle;
}

static void watch(void *context, const ttdev_truth_event *event)
{
    struct session *s = context;
    if (event->dev != 0 || event->is_dispatch)
        return;
    if (event->kind == TTDEV_TRUTH_LAUNCH && (!s->go || event->cycle < s->go))
        s->go = event->cycle;
    if (event->kind == TTDEV_TRUTH_KERNEL_ENTRY)
        vec_push(&s->begun, *event);
    if (event->kind != TTDEV_TRUTH_KERNEL_EXIT)
        return;
    for (size_t i = s->begun.n; i-- > 0;) {
        if (!is_same(&s->begun.v[i], event))
            continue;
        kernel_ended(s, &s->begun.v[i], event);
        s->begun.v[i] = s->begun.v[--s->begun.n];
        return;
    }
}

static struct memory_cores tiles_of(const struct session *s)
{
    return (struct memory_cores){s->tiles.v, s->tiles.n};
}

static bool launch_and_wait(struct session *s)
{
    TTPROF_ZONE("RunProgram");
    TTPROF_BEGIN(launch, "LaunchProgram");
    int code = ttdev_launch(s->t, 0, s->program, 1);
    TTPROF_END(launch);
    if (code)
        return err_set(s->e, ERR_USAGE, "%s", ttdev_error(s->t));
    TTPROF_ZONE("WaitProgramDone");
    s->result = ttdev_wait(s->t, 0, (uint64_t)(s->v->timeout_ms * 1e6));
    return true;
}

static bool run_program(struct session *s)
{
    for (size_t i = 0; i < s->v->writes.n; i++)
        if (!memory_write(s->t, &s->writes[i], tiles_of(s), s->e))
            return err_in(s->e, "--write");
    // Only after all input is accepted, so that an error keeps the previous profile.
    if (!profiled_open(&s->profiled, s->t, (uint64_t)(s->v->timeout_ms * 1e6), s->e))
        return false;
    (void)ttdev_truth(s->t, watch, s);
    if (!launch_and_wait(s))
        return false;
    (void)ttdev_truth(s->t, NULL, NULL);
    // Memory is worth reading even if the kernel failed.
    for (size_t i = 0; i < s->v->reads.n; i++)
        if (!memory_read(s->t, &s->reads[i], tiles_of(s), &s->read[i], s->e))
            return err_in(s->e, "--read");
    return true;
}

static bool write_files(struct session *s)
{
    for (size_t i = 0; i < s->v->reads.n; i++) {
        struct out o;
        if (!s->reads[i].file)
            continue;
        if (!out_open(&o, s->reads[i].file, s->e))
            return false;
        buf_str(&o.b, buf_view(&s->read[i]));
        if (!out_close(&o, s->e))
            return false;
    }
    return true;
}

// --- results ---------------------------------------------------------------------------
static double mean_of(const struct kernel *k)
{
    return k->n ? (double)k->sum / (double)k->n : 0;
}

static void put_number(struct buf *b, int width, double value, int decimals)
{
    struct buf text = {0};
    num_put_fixed(&text, value, decimals, true);
    buf_printf(b, "%*.*s", width > (int)text.n ? width : (int)text.n, STR(text));
    buf_free(&text);
}

static void put_place(struct buf *b, const struct session *s, int risc)
{
    ttdev_range r = s->cores;
    if (risc == TTDEV_ERISC)
        buf_printf(b, "channel %d", s->channel.from.x);
    else if (r.from.x == r.to.x && r.from.y == r.to.y)
        buf_printf(b, "%d,%d", r.from.x, r.from.y);
    else
        buf_printf(b, "%d,%d-%d,%d", r.from.x, r.from.y, r.to.x, r.to.y);
}

static void put_text(const struct session *s, struct buf *b)
{
    buf_printf(b, "%s, board %s: ", s->info.arch_name, s->info.board_name);
    put_number(b, 0, (double)(s->end - s->go), 0);
    buf_z(
        b,
        " cycles from GO to the last kernel's end\n"
        "RISC     cores         shortest         mean      longest  instructions  kernel\n");
    for (int risc = 0; risc < KERNELS; risc++) {
        const struct kernel *k = &s->kernels[risc];
        struct buf place = {0};
        if (!k->image)
            continue;
        put_place(&place, s, risc);
        buf_printf(b, "%-8s %-9.*s", risc_number_name(risc), STR(place));
        buf_free(&place);
        put_number(b, 13, (double)k->shortest, 0);
        put_number(b, 13, mean_of(k), 1);
        put_number(b, 13, (double)k->longest, 0);
        put_number(b, 14, (double)k->instructions, 0);
        buf_printf(b, "  %s\n", k->file);
    }
}

static void put_hash(const struct session *s, char text[24], int dev)
{
    (void)snprintf(text, 24, "0x%016llx", (unsigned long long)ttdev_state_hash(s->t, dev));
}

static void put_kernels_json(const struct session *s, struct json *j)
{
    json_key(j, S("kernels"));
    json_open(j, '[');
    for (int risc = 0; risc < KERNELS; risc++) {
        const struct kernel *k = &s->kernels[risc];
        struct buf place = {0};
        if (!k->image)
            continue;
        put_place(&place, s, risc);
        json_newline(j);
        json_open(j, '{');
        json_key_text(j, "risc", str_of(risc_number_name(risc)));
        json_key_text(j, "cores", buf_view(&place));
        json_key_text(j, "kernel", str_of(k->file));
        json_key_int(j, "runs", (int64_t)k->n);
        json_key_int(j, "shortest", (int64_t)k->shortest);
        json_key(j, S("mean"));
        json_double(j, mean_of(k));
        json_key_int(j, "longest", (int64_t)k->longest);
        json_key_int(j, "instructions", (int64_t)k->instructions);
        json_close(j, '}');
        buf_free(&place);
    }
    json_close(j, ']');
}

// Bytes in hex, without those written to a file.
static void put_reads_json(const struct session *s, struct json *j)
{
    json_key(j, S("reads"));
    json_open(j, '[');
    for (size_t i = 0; i < s->v->reads.n; i++) {
        struct buf digits = {0};
        if (s->reads[i].file)
            continue;
        for (size_t k = 0; k < s->read[i].n; k++)
            buf_printf(&digits, "%02x", (unsigned)(unsigned char)s->read[i].p[k]);
        json_newline(j);
        json_open(j, '{');
        json_key_text(j, "place", str_of(s->reads[i].text));
        json_key_text(j, "bytes", buf_view(&digits));
        json_close(j, '}');
        buf_free(&digits);
    }
    json_close(j, ']');
}

static void put_json(const struct session *s, struct buf *b)
{
    struct json j = {.b = b, .is_first = true};
    json_open(&j, '{');
    json_key_text(&j, "arch", str_of(s->info.arch_name));
    json_key_text(&j, "board", str_of(s->info.board_name));
    json_key(&j, S("done"));
    json_bool(&j, s->result == 0);
    json_key_text(&j, "fault", str_of(s->result ? ttdev_fault(s->t, 0) : ""));
    json_key(&j, S("cycles"));
    if (s->result)
        json_none(&j);
    else
        json_int(&j, (int64_t)(s->end - s->go));
    put_kernels_json(s, &j);
    put_reads_json(s, &j);
    json_key(&j, S("state"));
    json_open(&j, '[');
    for (int i = 0; s->v->hash && i < s->info.n_devices; i++) {
        char text[24];
        put_hash(s, text, i);
        json_text(&j, str_of(text));
    }
    json_close(&j, ']');
    json_close(&j, '}');
    buf_char(b, '\n');
}

static int print_results(struct session *s)
{
    struct buf b = {0};
    if (s->v->json)
        put_json(s, &b);
    else if (s->result == 0)
        put_text(s, &b);
    for (size_t i = 0; i < s->v->reads.n && !s->v->json; i++)
        if (!s->reads[i].file)
            memory_dump(&s->reads[i], tiles_of(s), buf_view(&s->read[i]), &b);
    for (int i = 0; s->v->hash && !s->v->json && i < s->info.n_devices; i++) {
        char text[24];
        put_hash(s, text, i);
        buf_printf(&b, "state of device %d: %s\n", i, text);
    }
    int code = command_print(&b, s->e);
    str report = str_of(s->result ? ttdev_fault(s->t, 0) : "");
    while (report.n) {
        str line = str_cut(&report, '\n');
        log_line("sim kernel: %.*s", STR(line));
    }
    return code || !s->result ? code : 1;
}

static int run_kernels(const void *values, struct words words, struct err *e)
{
    const struct kernel_options *v = values;
    struct session s = {.v = v, .files = words, .e = e};
    struct err later = {0};
    bool is_good = session_open(&s) && run_program(&s) && write_files(&s);
    int code = is_good ? print_results(&s) : err_exit_code(e->code);
    sim_tell_warnings("sim kernel", s.t);
    if (!profiled_close(&s.profiled, is_good ? e : &later) && is_good)
        code = err_exit_code(e->code);
    session_close(&s);
    return code;
}

#define AT(field) offsetof(struct kernel_options, field)
static const struct option options[] = {
    // clang-format off
    {.name = "cores", .kind = OPTION_TEXT, .at = AT(cores), .arg = "X,Y[-X,Y]", .group = "Program",
     .help = "logical cores that run the kernels (default 0,0)"},
    {.name = "channel", .kind = OPTION_INT, .at = AT(channel), .arg = "N",
     .help = "Ethernet channel that runs an ERISC kernel (default: the first with a link)"},
    {.name = "args", .kind = OPTION_LIST, .at = AT(args), .arg = "[RISC:]N,N...",
     .help = "runtime arguments of all kernels, of one, or of a group (dm, compute); repeatable"},
    {.name = "common", .kind = OPTION_LIST, .at = AT(common), .arg = "[RISC:]N,N...",
     .help = "common runtime arguments; repeatable"},
    {.name = "cb", .kind = OPTION_LIST, .at = AT(cbs), .arg = "I:PAGESxBYTES",
     .help = "circular buffer I, as 0:4x2048; repeatable"},
    {.name = "sem", .kind = OPTION_LIST, .at = AT(semaphores), .arg = "VALUE",
     .help = "initial value of the next semaphore; repeatable"},
    {.name = "noc", .kind = OPTION_INT, .at = AT(noc), .arg = "0|1",
     .help = "NoC of the kernels; NCRISC next to BRISC gets the other one (default: 0, and 1 for NCRISC)"},
    {.name = "timeout", .kind = OPTION_REAL, .at = AT(timeout_ms), .arg = "MS",
     .help = "maximum device time (default 100)"},
    {.name = "write", .kind = OPTION_LIST, .at = AT(writes), .arg = "PLACE=FILE", .group = "Memory",
     .help = "before the run, write a file to L1:ADDRESS of every core, L1:X,Y:ADDRESS of one, DRAM:BANK:ADDRESS, or DRAM:ADDRESS in pages of 2048 bytes over the banks"},
    {.name = "read", .kind = OPTION_LIST, .at = AT(reads), .arg = "PLACE+BYTES[=FILE]",
     .help = "after the run, print memory or write it to a file"},
    {.name = "define", .letter = 'D', .kind = OPTION_LIST, .at = AT(defines), .arg = "NAME[=VALUE]", .group = "Sources",
     .help = "define a macro for sources; repeatable"},
    {.name = "prelude", .kind = OPTION_FILE, .at = AT(prelude), .arg = "FILE",
     .help = "include a header before every source"},
    {.name = "json", .kind = OPTION_FLAG, .at = AT(json), .group = "Output",
     .help = "print the results as JSON"},
    {.name = "hash", .kind = OPTION_FLAG, .at = AT(hash),
     .help = "also print a hash of all memory, registers and clocks of each device"},
    SIM_PROFILE_OPTIONS(struct kernel_options),
    SIM_DEVICE_OPTIONS(struct kernel_options),
    // clang-format on
};

static const struct example examples[] = {
    {"ttprof sim kernel copy.elf --args 0x1000000,0x2000000,4,0x30000",
     "run a kernel on core 0,0"},
    {"ttprof sim kernel reader.ncrisc.c add.compute.c --cores 0,0-7,7 --cb 0:4x2048 --args ncrisc:0x1000000,16",
     "run two sources on 64 cores, with a circular buffer"},
    {"ttprof sim kernel fill.c --read L1:0x30000+64", "print what a kernel leaves in L1"},
    {"ttprof sim kernel fill.c --profile -o out", "write its profile to out/.logs/"},
};
static const struct kernel_options defaults = {.profile = SIM_PROFILE_DEFAULTS,
                                               .cores = "0,0",
                                               .channel = -1,
                                               .noc = -1,
                                               .timeout_ms = 100};

const struct command cmd_sim_kernel = {
    .name = "sim kernel",
    .args = "FILE...",
    .what = "run your own kernels",
    .about =
        "Each FILE is an image of 'ttprof kernel build', or a C or C++ source that is "
        "built first. All kernels run at once, each on its RISC of every core. Chip and "
        "variant are those of the images. The exit code is 1 if a kernel faults, deadlocks "
        "or times out; stderr says where.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .examples = examples,
    .n_examples = sizeof examples / sizeof *examples,
    .least_words = 1,
    .most_words = KERNELS,
    .reads_input = true,
    .run = run_kernels,
    .defaults = &defaults,
    .values_size = sizeof defaults,
};
