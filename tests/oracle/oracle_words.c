// oracle_words.c - rows 12, 13 and 17 to 20 of the oracle: what the software device does
// not have (dispatch kernels, fabric) as words that such kernels leave, decoded and written
// to the files of a run.
#include <stdio.h>
#include <stdlib.h>

#include "base/text/json_read.h"

#include "../support/words.h"
#include "oracle.h"
#include "profiler/device_profiler.h"
#include "ttprof/noc_event_kinds.h"

// --- a chip whose words are made -------------------------------------------------------
enum { WORKER, OTHER, DISPATCHER, PREFETCHER, ROUTER, CORES };
static const struct tt_core cores[CORES] = {
    [WORKER] = {1, 1, 18, 18, 0, 0, .flat = 3, .kind = TT_CORE_WORKER, .n_riscs = 5},
    [OTHER] = {1, 2, 18, 19, 0, 1, .flat = 4, .kind = TT_CORE_WORKER, .n_riscs = 5},
    [DISPATCHER] = {2, 1, 19, 18, 1, 0, .flat = 5, .kind = TT_CORE_DISPATCH, .n_riscs = 5},
    [PREFETCHER] = {2, 2, 19, 19, 1, 1, .flat = 6, .kind = TT_CORE_DISPATCH, .n_riscs = 5},
    [ROUTER] = {7, 0, 25, 16, 4, 0, .flat = 7, .kind = TT_CORE_ETH, .n_riscs = 1},
};

enum {
    ID_FW = 100,
    ID_KERNEL,
    ID_DISPATCH,
    ID_SUBORDINATE,
    ID_PREFETCH,
    ID_COMMAND_OF,
    ID_PROGRAM_OF,
    ID_PACKED_OF,
    ID_LARGE_OF,
    ID_DRAM_PUSH,
    ID_FLUSH,
    IDS_END
};

struct made {
    struct collection c;
    struct decoder *d;
    struct words w;
    uint32_t core;
    uint8_t risc;
    uint64_t time;
    struct oracle o; // only its folder and log
    struct buf said;
};

static void made_open(struct made *m)
{
    static const char *const names[IDS_END - ID_FW] = {"BRISC-FW",
                                                       "BRISC-KERNEL",
                                                       "CQ-DISPATCH",
                                                       "CQ-DISPATCH-SUBORDINATE",
                                                       "CQ-PREFETCH",
                                                       "process_cmd_d_dispatch",
                                                       "runtime_host_id_dispatch",
                                                       "packed_data_dispatch",
                                                       "packed_large_data_dispatch",
                                                       "PROFILER-DRAM-PUSH",
                                                       "PROFILER-NOC-FLUSH"};
    memset(m, 0, sizeof *m);
    (void)snprintf(m->o.folder, sizeof m->o.folder, "/tmp/ttprof-oracle-XXXXXX");
    assert_non_null(mkdtemp(m->o.folder));
    words_collection(&m->c);
    m->c.chips.v[0].cores = cores;
    m->c.chips.v[0].n_cores = CORES;
    m->c.chips.v[0].noc_x = 10;
    m->c.chips.v[0].noc_y = 12;
    profiler_options_default(&m->c.options);
    m->c.options.is_enabled = true;
    for (uint32_t i = 0; i < IDS_END - ID_FW; i++)
        words_name(&m->c, ID_FW + i, names[i]);
    m->d = decoder_new(&m->c);
    m->time = 1000;
}

// From here on markers are those of this RISC.
static void made_on(struct made *m, uint32_t core, uint8_t risc)
{
    m->core = core;
    m->risc = risc;
    m->w.v.n = 0;
    words_begin(&m->w, risc, (uint32_t)cores[core].flat, 0, 0);
}

static void made_off(struct made *m)
{
    words_pad(&m->w);
    (void)words_add(&m->c, m->core, m->risc, &m->w);
}

// A new chunk when the vector is nearly full, as a quick push makes it.
static void made_push(struct made *m)
{
    enum { ROOM = 24 };
    if (m->w.v.n - m->w.chunk > TT_CHUNK_WORDS - ROOM) {
        words_pad(&m->w);
        words_begin(&m->w, m->risc, (uint32_t)cores[m->core].flat, 0, 0);
    }
}

static uint64_t tick(struct made *m)
{
    return m->time += 10;
}

// Decodes all, writes the files, reads the log back and analyses it.
static void made_analyse(struct made *m, const char *setup)
{
    struct buf warnings = {0};
    struct err e = {0};
    struct dump_totals totals = {.messages = &m->said};
    (void)snprintf(m->c.options.folder, sizeof m->c.options.folder, "%s/", m->o.folder);
    if (!profiler_options_settle(&m->c.options, &warnings, &e) ||
        !collection_write_topology(&m->c, &e) ||
        !collection_write_files(&m->c, m->d, true, false, &totals, &e))
        fail_msg("%s", e.text);
    buf_free(&warnings);
    oracle_analyse(&m->o, setup);
    oracle_check_clean(&m->o);
}

static void made_close(struct made *m)
{
    char command[100];
    (void)snprintf(command, sizeof command, "rm -rf '%s'", m->o.folder);
    assert_int_equal(system(command), 0); // NOLINT(cert-env33-c)
    device_run_free(&m->o.log);
    decoder_free(m->d);
    collection_free(&m->c);
    words_free(&m->w);
    buf_free(&m->said);
}

// --- 12: dispatch cores ----------------------------------------------------------------
struct command {
    const char *analysis;
    uint32_t command, more; // more: an id, 0 = the command is all
    uint32_t value;
};
static const struct command commands[] = {
    {"Tensix CQ Dispatch Write Offset", 12, ID_PROGRAM_OF, 0},
    {"Tensix CQ Dispatch Terminate", 13, 0, 0},
    {"Tensix CQ Dispatch Wait", 7, 0, 0},
    {"Tensix CQ Dispatch Write Linear", 1, 0, 0},
    {"Tensix CQ Dispatch Write Linear H Host", 3, 0, 0},
    {"Tensix CQ Dispatch Write Packed Large Type Program Binaries", 6, ID_LARGE_OF, 2},
    {"Tensix CQ Dispatch Write Packed Flag Type Event", 5, ID_PACKED_OF, 4 << 1},
    {"Tensix CQ Dispatch Write Packed Flag Type Launch", 5, ID_PACKED_OF, 2 << 1 | 1},
    {"Tensix CQ Dispatch Write Paged", 4, 0, 0},
    {"Tensix CQ Dispatch Notify Subordinate Go Signal", 15, 0, 0},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static void put_command(struct made *m, uint32_t zone, const struct command *c)
{
    made_push(m);
    words_start(&m->w, zone, tick(m));
    words_data(&m->w, ID_COMMAND_OF, tick(m), c->command);
    if (c->more)
        words_data(&m->w, c->more, tick(m), c->value);
    words_end(&m->w, zone, tick(m));
}

// How often each command is there: in the range of the row, and never the same.
static uint32_t times_of(int command)
{
    return 450 + 61 * (uint32_t)command;
}

TEST(row_12_dispatch_cores_on_words)
{
    struct made m;
    made_open(&m);
    m.c.options.dispatch = true;
    made_on(&m, DISPATCHER, TT_BRISC);
    for (uint32_t i = 0; i < times_of(COMMANDS); i++)
        for (int k = 0; k < COMMANDS; k++)
            if (i < times_of(k))
                put_command(&m, ID_DISPATCH, &commands[k]);
    made_off(&m);
    made_on(&m, PREFETCHER, TT_BRISC);
    for (uint32_t i = 0; i < times_of(COMMANDS); i++) {
        made_push(&m);
        words_start(&m.w, ID_PREFETCH, tick(&m));
        words_end(&m.w, ID_PREFETCH, tick(&m));
    }
    made_off(&m);
    made_analyse(&m, "test_dispatch_cores");
    for (int k = 0; k < COMMANDS; k++)
        assert_int_equal(oracle_count(&m.o, commands[k].analysis), times_of(k));
    assert_int_equal(oracle_count(&m.o, "Tensix CQ Prefetch"), times_of(COMMANDS));
    assert_in_range(times_of(COMMANDS), 9325 - 8875, 9325 + 8875);
    made_close(&m);
}

// With ops: what the dispatcher and its subordinate did for each of 87 programs.
TEST(row_12_dispatch_of_87_ops_on_words)
{
    enum { OPS = 87 };
    static const struct command notify = {.command = 15}, go = {.command = 14};
    struct made m;
    made_open(&m);
    m.c.options.dispatch = true;
    made_on(&m, DISPATCHER, TT_BRISC);
    for (uint32_t i = 1; i <= OPS; i++) {
        put_command(&m, ID_DISPATCH, &(struct command){"", 5, ID_PROGRAM_OF, i << 10});
        put_command(&m, ID_DISPATCH, &(struct command){"", 5, ID_PACKED_OF, 2 << 1 | 1});
        put_command(&m, ID_DISPATCH, &notify);
    }
    made_off(&m);
    made_on(&m, DISPATCHER, TT_NCRISC);
    for (uint32_t i = 1; i <= OPS; i++)
        put_command(&m, ID_SUBORDINATE, &go);
    made_off(&m);
    made_on(&m, WORKER, TT_BRISC);
    m.w.v.n = 0;
    for (uint32_t i = 1; i <= OPS; i++)
        words_program(&m.w, TT_BRISC, (uint32_t)cores[WORKER].flat, i, ID_FW, ID_KERNEL,
                      m.time += 1000);
    made_off(&m);
    made_analyse(&m, "default_setup");
    assert_int_equal(oracle_count(&m.o, "dispatch_total_cq_cmd_op_time"), OPS);
    assert_int_equal(oracle_count(&m.o, "dispatch_go_send_wait_time"), OPS);
    made_close(&m);
}

// --- 13: dispatch on Ethernet cores ----------------------------------------------------
TEST(row_13_ethernet_dispatch_on_words)
{
    enum { DISPATCHES = 1500, PREFETCHES = 3000 }; // in [500, 11000]
    struct made m;
    made_open(&m);
    m.c.options.dispatch = true;
    made_on(&m, ROUTER, 0);
    for (uint32_t i = 0; i < PREFETCHES; i++) {
        made_push(&m);
        words_start(&m.w, ID_PREFETCH, tick(&m));
        words_end(&m.w, ID_PREFETCH, tick(&m));
        if (i < DISPATCHES)
            put_command(&m, ID_DISPATCH, &commands[(int)(i % COMMANDS)]);
    }
    made_off(&m);
    made_analyse(&m, "test_ethernet_dispatch_cores");
    assert_int_equal(oracle_count(&m.o, "Ethernet CQ Dispatch"), DISPATCHES);
    assert_int_equal(oracle_count(&m.o, "Ethernet CQ Prefetch"), PREFETCHES);
    made_close(&m);
}

// --- 17: accumulated chunks beside dispatch cores --------------------------------------
static size_t rows_on(const struct trace *t, int x, int y, const char *name)
{
    size_t n = 0;
    for (size_t k = 0; k < t->tracks.n; k++) {
        const struct trace_track *track = &t->tracks.v[k];
        const struct trace_core *core = &t->cores.v[track->core];
        for (uint32_t i = 0; i < track->n_markers; i++)
            n += core->x == x && core->y == y &&
                 (!name || str_has(trace_name_of(t, track->marker + i), str_of(name)));
    }
    return n;
}

TEST(row_17_accumulate_with_dispatch_on_words)
{
    enum { OPS = 1000 };
    struct made m;
    size_t pushes = 0;
    made_open(&m);
    m.c.options.dispatch = m.c.options.accumulate = m.c.options.cpp_post_process = true;
    for (uint8_t risc = 0; risc < TT_RISCS; risc++) {
        made_on(&m, WORKER, risc);
        m.time = 1000;
        for (int i = 0; i < OPS; i++) {
            words_start(&m.w, ID_FW, tick(&m));
            words_start(&m.w, ID_KERNEL, tick(&m));
            words_end(&m.w, ID_KERNEL, tick(&m));
            words_end(&m.w, ID_FW, tick(&m));
            if (m.w.v.n - m.w.chunk < 504 && i + 1 < OPS)
                continue;
            if (risc == TT_BRISC) { // the push itself, in the guaranteed slots
                words_slot(&m.w, 0, ID_DRAM_PUSH, tick(&m));
                words_slot(&m.w, 2, ID_FLUSH, tick(&m));
                words_slot(&m.w, 3, ID_FLUSH, tick(&m));
                words_slot(&m.w, 1, ID_DRAM_PUSH, tick(&m));
                pushes++;
            }
            if (i + 1 < OPS)
                words_begin(&m.w, risc, (uint32_t)cores[WORKER].flat, 0, 0);
        }
        made_off(&m);
    }
    made_on(&m, DISPATCHER, TT_BRISC);
    for (uint32_t i = 0; i < 100; i++)
        put_command(&m, ID_DISPATCH, &commands[(int)(i % COMMANDS)]);
    made_off(&m);
    made_analyse(&m, "test_dispatch_cores");
    const struct trace *t = &m.o.log.trace;
    assert_int_equal(rows_on(t, 1, 1, NULL), OPS * TT_RISCS * 4 + pushes * 4);
    assert_true(rows_on(t, 1, 1, NULL) >= 20000);
    assert_int_equal(rows_on(t, 1, 1, "PROFILER-DRAM-PUSH"), pushes * 2);
    assert_true(rows_on(t, 2, 1, "CQ-DISPATCH") >= 200);
    for (size_t i = 0; i < t->runs.n; i++)
        assert_int_equal(t->runs.v[i].id, 0);
    assert_false(oracle_has_file(&m.o, "cpp_device_perf_report.csv"));
    made_close(&m);
}

// --- 18 to 20: the fabric --------------------------------------------------------------
static void put_event(struct made *m, uint64_t data)
{
    words_data(&m->w, TT_ID_NOC_EVENT, tick(m), data);
}

static uint64_t write_to(int x, int y)
{
    return (uint64_t)tt_noc_event_high(0, 0, 1, 4096, 0) << 32 |
           tt_noc_event_low(TT_NOC_EVENT_WRITE_, x, y, 0);
}

// Packet, routing, and the write that takes it to the router (or to a mux).
static void put_send(struct made *m, unsigned how, uint64_t routing, uint64_t write)
{
    made_push(m);
    put_event(m, (uint64_t)(1 + how * 16) << 40 | (uint64_t)cores[OTHER].vy << 16 |
                     (uint64_t)cores[OTHER].vx << 8 | TT_NOC_EVENT_FABRIC_UNICAST_WRITE);
    put_event(m, routing);
    put_event(m, write);
}

static void put_sends(struct made *m, int n, unsigned how, uint64_t routing)
{
    for (int i = 0; i < n; i++)
        put_send(m, how, routing, write_to(cores[ROUTER].x, cores[ROUTER].y));
}

static uint64_t line(uint32_t fields)
{
    return (uint64_t)fields << 8 | TT_NOC_EVENT_FABRIC_ROUTING_FIELDS_1D;
}

static uint64_t mesh(unsigned ns, unsigned e, unsigned w, unsigned is_mcast)
{
    return (uint64_t)is_mcast << 32 | (uint64_t)w << 24 | (uint64_t)e << 16 |
           (uint64_t)ns << 8 | TT_NOC_EVENT_FABRIC_ROUTING_FIELDS_2D;
}

struct sent {
    const char *key[4];
    int64_t value[4];
};

// A number or a switch; -1: it is not there.
static int64_t number_of(struct json_read object, const char *key)
{
    int64_t value = -1;
    struct json_read v = json_find(object, key, NULL);
    if (json_peek(&v) == JSON_KIND_TRUE || json_peek(&v) == JSON_KIND_FALSE)
        return json_peek(&v) == JSON_KIND_TRUE;
    (void)json_take_int(&v, &value);
    return value;
}

// Packets of the trace with these values, all of which go by channel 4.
static size_t sends(const struct made *m, const struct sent *want)
{
    struct file f;
    struct err e = {0};
    const char *path = oracle_path(&m->o, "noc_trace_dev0_ID0.json");
    if (!file_open(path, &f, &e) || !json_check(f.text, path, &e))
        fail_msg("%s", e.text);
    struct json_read list = json_read_of(f.text);
    size_t n = 0;
    for (json_enter(&list, '['); json_element(&list); json_skip(&list)) {
        struct json_read send = json_find(list, "fabric_send", NULL);
        if (json_peek(&send) == JSON_KIND_END)
            continue;
        assert_int_equal(number_of(send, "eth_chan"), 4);
        bool is_same = true;
        for (int k = 0; k < 4 && want->key[k]; k++)
            is_same &= number_of(send, want->key[k]) == want->value[k];
        n += is_same;
    }
    file_close(&f);
    return n;
}
#define LINE(distance, range)                                                              \
    {                                                                                      \
        {"start_distance", "range"},                                                       \
        {                                                                                  \
            distance, range                                                                \
        }                                                                                  \
    }
#define MESH(ns, e, w, mcast)                                                              \
    {                                                                                      \
        {"ns_hops", "e_hops", "w_hops", "is_mcast"},                                       \
        {                                                                                  \
            ns, e, w, mcast                                                                \
        }                                                                                  \
    }

TEST(row_18_fabric_on_a_line_on_words)
{
    static const struct sent one = LINE(1, 1), three = LINE(1, 3), two = LINE(2, 2);
    struct made m;
    made_open(&m);
    m.c.options.noc_events = true;
    made_on(&m, WORKER, TT_BRISC);
    put_sends(&m, 10, TT_ROUTING_LOW_LATENCY, line(0x1)); // write
    put_sends(&m, 100, TT_ROUTING_LOW_LATENCY,
              line(0x1F)); // twice write and forward, write
    put_sends(&m, 100, TT_ROUTING_LOW_LATENCY, line(0x1E)); // forward first
    made_off(&m);
    made_analyse(&m, "default_setup");
    assert_int_equal(sends(&m, &one), 10);
    assert_int_equal(sends(&m, &three), 100);
    assert_int_equal(sends(&m, &two), 100);
    assert_true(oracle_has_file(&m.o, "cluster_coordinates.json"));
    made_close(&m);
}

TEST(row_19_fabric_in_a_mesh_on_words)
{
    static const struct {
        struct sent sent;
        int n;
    } all[] = {{MESH(0, 3, 0, 0), 10},
               {MESH(0, 0, 1, 0), 200},
               {MESH(0, 2, 0, 1), 100},
               {MESH(1, 1, 1, 1), 100},
               {MESH(0, 1, 0, 0), 100}};
    struct made m;
    made_open(&m);
    m.c.options.noc_events = true;
    made_on(&m, WORKER, TT_BRISC);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const int64_t *v = all[i].sent.value;
        put_sends(&m, all[i].n, TT_ROUTING_LOW_LATENCY_MESH,
                  mesh((unsigned)v[0], (unsigned)v[1], (unsigned)v[2], (unsigned)v[3]));
    }
    made_off(&m);
    made_analyse(&m, "default_setup");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        assert_int_equal(sends(&m, &all[i].sent), all[i].n);
    made_close(&m);
}

TEST(row_20_fabric_mux_on_words)
{
    enum { SENDS = 400 };
    static const struct sent any = LINE(1, 1);
    struct made m;
    made_open(&m);
    m.c.options.noc_events = true;
    made_on(&m, WORKER, TT_BRISC);
    for (int i = 0; i < SENDS; i++)
        put_send(&m, TT_ROUTING_LOW_LATENCY, line(0x1),
                 write_to(cores[OTHER].vx, cores[OTHER].vy));
    made_off(&m);
    made_on(&m, OTHER, TT_BRISC); // the mux
    m.time = 1000;
    for (int i = 0; i < SENDS; i++) {
        made_push(&m);
        put_event(&m, write_to(cores[ROUTER].x, cores[ROUTER].y));
        m.time += 20;
    }
    made_off(&m);
    made_analyse(&m, "default_setup");
    assert_int_equal(sends(&m, &any), SENDS);
    static const struct sent none = {{NULL}, {0}};
    assert_int_equal(sends(&m, &none), SENDS);
    // The mux of each, by place and NoC.
    struct file f;
    struct err e = {0};
    assert_true(file_open(oracle_path(&m.o, "noc_trace_dev0_ID0.json"), &f, &e));
    size_t n = 0;
    for (str text = f.text, rest; str_after(text, S("\"fabric_mux\": {"), &rest);
         text = rest) {
        str mux = str_cut(&rest, '}');
        n += str_has(mux, S("\"noc\": \"NOC_0\"")) && str_has(mux, S("\"x\": 1,")) &&
             str_has(mux, S("\"y\": 2\n"));
    }
    assert_int_equal(n, SENDS);
    file_close(&f);
    made_close(&m);
}
