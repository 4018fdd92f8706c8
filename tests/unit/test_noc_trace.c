// test_noc_trace.c - NoC traces of programs, local and over the fabric. Spec:
// device-profiler 13.2; rows 6 and 18 to 20 of its oracle.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../support/device_run.h"
#include "formats/noc/noc_trace.h"
#include "test.h"
#include "ttprof/noc_event_kinds.h"

// --- a chip: workers at virtual 18.., Ethernet channel 4 at (7, 0)

static bool to_noc0(const void *context, int64_t chip, int noc, int x, int y, int *out_x,
                    int *out_y)
{
    (void)context;
    (void)chip;
    bool is_virtual = x >= 16 || y >= 16;
    *out_x = is_virtual ? x - 17 : noc ? 9 - x : x;
    *out_y = is_virtual ? y - 17 : noc ? 11 - y : y;
    return *out_x >= 0 && *out_x < 10 && *out_y >= 0 && *out_y < 12;
}

static bool is_worker(const void *context, int64_t chip, int x, int y)
{
    (void)context;
    (void)chip;
    return x >= 1 && y >= 1 && x < 9;
}

static int eth_channel(const void *context, int64_t chip, int x, int y)
{
    (void)context;
    (void)chip;
    return x == 7 && y == 0 ? 4 : -1;
}

static str op_name(const void *context, const struct trace_run *run)
{
    (void)context;
    return run->id == 2048 ? S("Mat/mul, 1") : S("");
}

static uint64_t corrected(const void *context, int64_t chip, uint64_t time)
{
    (void)context;
    return chip == 0 ? time : 2 * time + 1000;
}

static const struct noc_facts facts = {.to_noc0 = to_noc0,
                                       .is_worker = is_worker,
                                       .eth_channel = eth_channel,
                                       .op_name = op_name,
                                       .corrected = corrected};

// --- logs

struct sample {
    struct buf log;
    char folder[16];
    struct buf warnings;
    struct noc_totals totals;
    struct file f;
};

static void row(struct sample *s, const char *track, uint64_t time, uint64_t data,
                const char *run, const char *name, const char *type)
{
    unsigned id = *name ? 100 : 12345;
    buf_printf(&s->log, "%s,%u,%llu,%llu,%s,%s,%s,7,a.cc,\n", track, id,
               (unsigned long long)time, (unsigned long long)data, run, name, type);
}

static void event_on(struct sample *s, const char *track, uint64_t time, uint64_t data)
{
    row(s, track, time, data, "0,,", "", "TS_DATA");
}
static void event(struct sample *s, uint64_t time, uint64_t data)
{
    event_on(s, "0,1,1,BRISC", time, data);
}

static uint64_t local(int kind, int x, int y, int noc, int vc, uint32_t bytes)
{
    return (uint64_t)tt_noc_event_high(0, noc, vc, bytes, 0) << 32 |
           tt_noc_event_low(kind, x, y, 0);
}
static uint64_t packet(int kind, int x, int y, int noc, int routing)
{
    return (uint64_t)(noc + 1 + routing * 16) << 40 | (uint64_t)y << 16 | (uint64_t)x << 8 |
           (uint64_t)kind;
}
static uint64_t routing_1d(uint32_t v)
{
    return (uint64_t)v << 8 | TT_NOC_EVENT_FABRIC_ROUTING_FIELDS_1D;
}
static uint64_t routing_2d(unsigned ns, unsigned e, unsigned w, bool is_mcast)
{
    return (uint64_t)is_mcast << 32 | (uint64_t)w << 24 | (uint64_t)e << 16 |
           (uint64_t)ns << 8 | TT_NOC_EVENT_FABRIC_ROUTING_FIELDS_2D;
}

static void begin(struct sample *s)
{
    *s = (struct sample){.folder = "unit-XXXXXX"};
    buf_z(&s->log, LOG_HEAD);
    assert_non_null(mkdtemp(s->folder));
}

static void write_traces(struct sample *s)
{
    struct device_run r;
    struct err e = {0};
    if (!device_run_read(&r, buf_view(&s->log)))
        fail_msg("%s", r.e.text);
    if (!noc_trace_write(&r.trace, &facts, s->folder, &s->warnings, &s->totals, &e))
        fail_msg("%s", e.text);
    device_run_free(&r);
}

static str text_of(struct sample *s, const char *name)
{
    char path[128];
    struct err e = {0};
    (void)snprintf(path, sizeof path, "%s/%s", s->folder, name);
    file_close(&s->f);
    if (!file_open(path, &s->f, &e))
        fail_msg("%s", e.text);
    return s->f.text;
}

static void end(struct sample *s)
{
    file_close(&s->f);
    DIR *d = opendir(s->folder);
    assert_non_null(d);
    for (struct dirent *entry; (entry = readdir(d));) {
        char path[512];
        (void)snprintf(path, sizeof path, "%s/%s", s->folder, entry->d_name);
        (void)unlink(path);
    }
    (void)closedir(d);
    assert_int_equal(0, rmdir(s->folder));
    buf_free(&s->log);
    buf_free(&s->warnings);
}

static size_t count(str text, const char *what)
{
    size_t n = 0;
    for (str rest; str_after(text, str_of(what), &rest); text = rest)
        n++;
    return n;
}

// --- local events

TEST(noc_trace_has_two_zone_ends_and_two_events_for_a_read_and_a_write)
{
    struct sample s;
    begin(&s);
    row(&s, "0,1,1,BRISC", 90, 0, "0,,", "BRISC-FW", "ZONE_START");
    row(&s, "0,1,1,BRISC", 100, 0, "0,,", "BRISC-KERNEL", "ZONE_START");
    event(&s, 110, local(TT_NOC_EVENT_READ, 5, 11, 0, -1, 10240));
    row(&s, "0,1,1,BRISC", 112, 0, "0,,", "PROFILER-NOC-QUICK-PUSH", "ZONE_START");
    row(&s, "0,1,1,BRISC", 114, 0, "0,,", "PROFILER-NOC-QUICK-PUSH", "ZONE_END");
    // Somebody's number, which would be a read.
    row(&s, "0,1,1,BRISC", 116, TT_NOC_EVENT_READ, "0,,", "MY-DATA", "TS_DATA");
    event(&s, 120, local(TT_NOC_EVENT_WRITE_, 2, 3, 1, 1, 10240));
    row(&s, "0,1,1,BRISC", 130, 0, "0,,", "BRISC-KERNEL", "ZONE_END");
    row(&s, "0,1,1,BRISC", 140, 0, "0,,", "BRISC-FW", "ZONE_END");
    row(&s, "0,1,1,TRISC_0", 100, 0, "0,,", "TRISC-KERNEL", "ZONE_START");
    write_traces(&s);
    assert_int_equal(1, s.totals.files);
    assert_int_equal(4, s.totals.entries);
    STR_IS(text_of(&s, "noc_trace_dev0_ID0.json"),
           "[\n"
           "  {\n"
           "    \"op_name\": \"\",\n"
           "    \"proc\": \"BRISC\",\n"
           "    \"run_host_id\": 0,\n"
           "    \"src_device_id\": 0,\n"
           "    \"sx\": 1,\n"
           "    \"sy\": 1,\n"
           "    \"timestamp\": 100,\n"
           "    \"zone\": \"BRISC-KERNEL\",\n"
           "    \"zone_phase\": \"ZONE_START\"\n"
           "  },\n"
           "  {\n"
           "    \"dx\": 5,\n"
           "    \"dy\": 11,\n"
           "    \"noc\": \"NOC_0\",\n"
           "    \"num_bytes\": 8160,\n"
           "    \"op_name\": \"\",\n"
           "    \"proc\": \"BRISC\",\n"
           "    \"run_host_id\": 0,\n"
           "    \"src_device_id\": 0,\n"
           "    \"sx\": 1,\n"
           "    \"sy\": 1,\n"
           "    \"timestamp\": 110,\n"
           "    \"type\": \"READ\",\n"
           "    \"vc\": -1\n"
           "  },\n"
           "  {\n"
           "    \"dx\": 7,\n"
           "    \"dy\": 8,\n"
           "    \"noc\": \"NOC_1\",\n"
           "    \"num_bytes\": 8160,\n"
           "    \"op_name\": \"\",\n"
           "    \"proc\": \"BRISC\",\n"
           "    \"run_host_id\": 0,\n"
           "    \"src_device_id\": 0,\n"
           "    \"sx\": 1,\n"
           "    \"sy\": 1,\n"
           "    \"timestamp\": 120,\n"
           "    \"type\": \"WRITE_\",\n"
           "    \"vc\": 1\n"
           "  },\n"
           "  {\n"
           "    \"op_name\": \"\",\n"
           "    \"proc\": \"BRISC\",\n"
           "    \"run_host_id\": 0,\n"
           "    \"src_device_id\": 0,\n"
           "    \"sx\": 1,\n"
           "    \"sy\": 1,\n"
           "    \"timestamp\": 130,\n"
           "    \"zone\": \"BRISC-KERNEL\",\n"
           "    \"zone_phase\": \"ZONE_END\"\n"
           "  }\n"
           "]\n");
    STR_IS(buf_view(&s.warnings), "");
    end(&s);
}

TEST(noc_trace_names_files_by_chip_op_run_and_replay)
{
    struct sample s;
    begin(&s);
    row(&s, "0,1,1,BRISC", 100, 11, "2048,,", "Z", "ZONE_START");
    row(&s, "0,1,1,BRISC", 200, 11, "2048,5,3", "Z", "ZONE_START");
    row(&s, "0,1,1,NCRISC", 50, 11, "2048,,", "Z", "ZONE_START");
    row(&s, "1,1,1,BRISC", 100, 11, "1025,,", "Z", "ZONE_START");
    row(&s, "1,1,1,TRISC_1", 100, 11, "3073,,", "TRISC-KERNEL", "ZONE_START");
    write_traces(&s);
    assert_int_equal(3, s.totals.files);
    str text = text_of(&s, "noc_trace_dev0_Mat_mul__1_ID2048.json");
    assert_int_equal(2, count(text, "\"op_name\": \"Mat/mul, 1\""));
    assert_int_equal(1, count(text, "\"proc\": \"NCRISC\""));
    text = text_of(&s, "noc_trace_dev0_Mat_mul__1_ID2048_traceID21474836483.json");
    assert_int_equal(1, count(text, "\"zone\""));
    text = text_of(&s, "noc_trace_dev1_ID1025.json");
    assert_int_equal(1, count(text, "\"timestamp\": 1200,"));
    end(&s);
}

TEST(noc_trace_gives_destinations_only_where_they_mean_something)
{
    struct sample s;
    begin(&s);
    event(&s, 1, local(TT_NOC_EVENT_READ_WITH_STATE, 0, 0, 0, -1, 64));
    event(&s, 2, local(TT_NOC_EVENT_READ_WITH_STATE_AND_TRID, 0, 0, 0, -1, 64));
    event(&s, 3, local(TT_NOC_EVENT_WRITE_WITH_STATE, 0, 0, 0, -1, 64));
    event(&s, 4, local(TT_NOC_EVENT_WRITE_WITH_TRID_WITH_STATE, 0, 0, 0, -1, 64));
    event(&s, 5, local(TT_NOC_EVENT_READ_SET_TRID, -1, -1, 0, -1, 0));
    event(&s, 6, local(TT_NOC_EVENT_WRITE_, 60, 60, 0, 1, 1)); // no such tile
    write_traces(&s);
    str text = text_of(&s, "noc_trace_dev0_ID0.json");
    assert_int_equal(6, count(text, "\"type\""));
    assert_int_equal(0, count(text, "\"dx\""));
    assert_int_equal(1, count(text, "\"num_bytes\": 32,"));
    end(&s);
    begin(&s);
    uint64_t corners = local(TT_NOC_EVENT_WRITE_MULTICAST, 18, 19, 0, 4, 2048);
    event(&s, 1, corners | UINT64_C(20) << 24 | UINT64_C(21) << 32);
    event(&s, 2, local(TT_NOC_EVENT_SEMAPHORE_SET_MULTICAST, 18, 19, 0, 4, 4));
    write_traces(&s);
    text = text_of(&s, "noc_trace_dev0_ID0.json");
    assert_true(str_has(text, S("    \"mcast_end_x\": 3,\n"
                                "    \"mcast_end_y\": 4,\n"
                                "    \"mcast_start_x\": 1,\n"
                                "    \"mcast_start_y\": 2,\n"
                                "    \"noc\": \"NOC_0\",\n")));
    assert_int_equal(1, count(text, "\"dx\": 1,"));
    end(&s);
}

TEST(noc_trace_counts_events_that_there_are_not)
{
    struct sample s;
    begin(&s);
    event(&s, 1, 0xFF);
    event(&s, 2, TT_NOC_EVENT_UNSUPPORTED);
    event(&s, 3, local(TT_NOC_EVENT_READ, 1, 1, 0, -1, 64));
    event(&s, 4, routing_1d(5)); // of no packet
    write_traces(&s);
    assert_int_equal(2, s.totals.unknown);
    assert_int_equal(1, s.totals.entries);
    end(&s);
}

TEST(noc_trace_of_nothing_is_no_file)
{
    struct sample s;
    begin(&s);
    row(&s, "0,1,1,BRISC", 90, 0, "0,,", "BRISC-FW", "ZONE_START");
    write_traces(&s);
    assert_int_equal(0, s.totals.files);
    end(&s);
}

// --- the fabric

enum { ETH_X = 7, ETH_Y = 0 };

// Packet, routing and the write to the router, `apart` cycles from first to last.
static uint64_t send(struct sample *s, uint64_t time, uint64_t packet, uint64_t routing,
                     uint64_t apart)
{
    event(s, time, packet);
    event(s, time + 10, routing);
    event(s, time + apart, local(TT_NOC_EVENT_WRITE_, ETH_X, ETH_Y, 0, 1, 4096));
    return time + apart + 10;
}

#define SEND_1D(distance, range)                                                           \
    "    \"fabric_send\": {\n      \"eth_chan\": 4,\n      \"range\": " #range             \
    ",\n      \"start_distance\": " #distance "\n    },\n"
#define SEND_2D(e, is_mcast, ns, w)                                                        \
    "    \"fabric_send\": {\n      \"e_hops\": " #e                                        \
    ",\n      \"eth_chan\": 4,\n      \"is_mcast\": " #is_mcast                            \
    ",\n      \"ns_hops\": " #ns ",\n      \"w_hops\": " #w "\n    },\n"

TEST(noc_trace_tells_distance_and_range_of_packets_on_a_line)
{
    struct sample s;
    begin(&s);
    uint64_t t = 1000;
    uint64_t fast =
        packet(TT_NOC_EVENT_FABRIC_UNICAST_WRITE, 18, 19, 0, TT_ROUTING_LOW_LATENCY);
    uint64_t plain =
        packet(TT_NOC_EVENT_FABRIC_UNICAST_WRITE, 18, 19, 0, TT_ROUTING_REGULAR);
    for (int i = 0; i < 10; i++) // write
        // the last one would go on after that
        t = send(&s, t, i % 2 ? fast : plain,
                 routing_1d(i == 9  ? 9
                            : i % 2 ? 1
                                    : 0x11),
                 30);
    for (int i = 0; i < 100; i++) // write and forward, the same, write
        t = send(&s, t, fast, routing_1d(0x1F), 30);
    for (int i = 0; i < 100; i++) // forward, write and forward, write
        t = send(&s, t, i % 2 ? fast : plain, routing_1d(i % 2 ? 0x1E : 0x22), 30);
    write_traces(&s);
    str text = text_of(&s, "noc_trace_dev0_ID0.json");
    assert_int_equal(210, s.totals.entries);
    assert_int_equal(10, count(text, SEND_1D(1, 1)));
    assert_int_equal(100, count(text, SEND_1D(1, 3)));
    assert_int_equal(100, count(text, SEND_1D(2, 2)));
    // The whole of the first one.
    assert_true(str_has(text, S("  {\n"
                                "    \"dst\": [\n"
                                "      {\n"
                                "        \"dx\": 1,\n"
                                "        \"dy\": 2,\n"
                                "        \"noc\": \"NOC_0\",\n"
                                "        \"num_bytes\": 4096\n"
                                "      }\n"
                                "    ],\n" SEND_1D(1, 1) //
                                "    \"noc\": \"NOC_0\",\n"
                                "    \"num_bytes\": 4096,\n"
                                "    \"op_name\": \"\",\n"
                                "    \"proc\": \"BRISC\",\n"
                                "    \"run_host_id\": 0,\n"
                                "    \"src_device_id\": 0,\n"
                                "    \"sx\": 1,\n"
                                "    \"sy\": 1,\n"
                                "    \"timestamp\": 1030,\n"
                                "    \"type\": \"FABRIC_UNICAST_WRITE\",\n"
                                "    \"vc\": 1\n"
                                "  },\n")));
    STR_IS(buf_view(&s.warnings), "");
    end(&s);
}

TEST(noc_trace_tells_hops_of_packets_in_a_mesh)
{
    struct sample s;
    begin(&s);
    uint64_t t = 1000;
    uint64_t mesh =
        packet(TT_NOC_EVENT_FABRIC_UNICAST_WRITE, 18, 19, 1, TT_ROUTING_LOW_LATENCY_MESH);
    for (int i = 0; i < 10; i++)
        t = send(&s, t, mesh, routing_2d(0, 3, 0, false), 30);
    for (int i = 0; i < 100; i++) {
        t = send(&s, t, mesh, routing_2d(0, 0, 1, false), 30);
        t = send(&s, t, mesh, routing_2d(0, 2, 0, true), 30);
        t = send(&s, t, mesh, routing_2d(1, 1, 1, true), 30);
        t = send(&s, t, mesh, routing_2d(0, 1, 0, false), 30);
    }
    write_traces(&s);
    str text = text_of(&s, "noc_trace_dev0_ID0.json");
    assert_int_equal(410, s.totals.entries);
    assert_int_equal(10, count(text, SEND_2D(3, false, 0, 0)));
    assert_int_equal(100, count(text, SEND_2D(0, false, 0, 1)));
    assert_int_equal(100, count(text, SEND_2D(2, true, 0, 0)));
    assert_int_equal(100, count(text, SEND_2D(1, true, 1, 1)));
    assert_int_equal(100, count(text, SEND_2D(1, false, 0, 0)));
    end(&s);
}

#define SEND_MUX(noc)                                                                      \
    "    \"fabric_send\": {\n      \"eth_chan\": 4,\n      \"fabric_mux\": {\n"            \
    "        \"noc\": \"" #noc                                                             \
    "\",\n        \"x\": 2,\n        \"y\": 2\n      },\n"                                 \
    "      \"range\": 1,\n      \"start_distance\": 1\n    },\n"

TEST(noc_trace_takes_the_write_of_a_mux_as_that_to_the_router)
{
    struct sample s;
    begin(&s);
    uint64_t t = 1000;
    for (int i = 0; i < 400; i++, t += 100) {
        event(&s, t,
              packet(TT_NOC_EVENT_FABRIC_UNICAST_WRITE, 18, 19, 0, TT_ROUTING_LOW_LATENCY));
        event(&s, t + 10, routing_1d(1));
        event(&s, t + 20, local(TT_NOC_EVENT_WRITE_, 19, 19, 0, 1, 64)); // (2, 2)
    }
    row(&s, "0,2,2,NCRISC", 900, 0, "0,,", "MUX", "ZONE_START");
    for (uint64_t i = 0; i < 400; i++) {
        const char *mux = "0,2,2,NCRISC";
        event_on(&s, mux, 1000 + i * 100, local(TT_NOC_EVENT_READ, 18, 18, 0, -1, 64));
        bool is_other = i % 4 == 0; // by the other NoC
        event_on(&s, mux, 1050 + i * 100,
                 local(TT_NOC_EVENT_WRITE_, is_other ? ETH_X : 9 - ETH_X,
                       is_other ? ETH_Y : 11 - ETH_Y, !is_other, 1, 64));
    }
    write_traces(&s);
    str text = text_of(&s, "noc_trace_dev0_ID0.json");
    assert_int_equal(401, s.totals.entries); // and the zone of the mux
    assert_int_equal(100, count(text, SEND_MUX(NOC_0)));
    assert_int_equal(300, count(text, SEND_MUX(NOC_1)));
    assert_int_equal(0, count(text, "\"READ\""));
    end(&s);
}

TEST(noc_trace_gives_the_chunks_of_a_scatter_and_what_is_left_to_the_last)
{
    struct sample s;
    begin(&s);
    for (uint64_t i = 0; i < 3; i++) {
        uint64_t size = i < 2 ? 1000 + i : 0;
        event(&s, 100 + i,
              (UINT64_C(1) + TT_ROUTING_LOW_LATENCY * 16) << 56 | UINT64_C(3) << 48 |
                  size << 32 | (uint64_t)(19 + i) << 16 | UINT64_C(18) << 8 |
                  TT_NOC_EVENT_FABRIC_UNICAST_SCATTER_WRITE);
    }
    event(&s, 110, routing_1d(1));
    event(&s, 120, local(TT_NOC_EVENT_WRITE_, ETH_X, ETH_Y, 0, 1, 4096));
    write_traces(&s);
    str text = text_of(&s, "noc_trace_dev0_ID0.json");
    assert_int_equal(1, s.totals.entries);
    assert_true(str_has(text, S("    \"dst\": [\n"
                                "      {\n"
                                "        \"dx\": 1,\n"
                                "        \"dy\": 2,\n"
                                "        \"noc\": \"NOC_0\",\n"
                                "        \"num_bytes\": 1000\n"
                                "      },\n"
                                "      {\n"
                                "        \"dx\": 1,\n"
                                "        \"dy\": 3,\n"
                                "        \"noc\": \"NOC_0\",\n"
                                "        \"num_bytes\": 1001\n"
                                "      },\n"
                                "      {\n"
                                "        \"dx\": 1,\n"
                                "        \"dy\": 4,\n"
                                "        \"noc\": \"NOC_0\",\n"
                                "        \"num_bytes\": 2095\n"
                                "      }\n"
                                "    ],\n")));
    assert_int_equal(1, count(text, "\"type\": \"FABRIC_UNICAST_SCATTER_WRITE\""));
    end(&s);
}

#define FAILED "[profiler noc tracing] Failed to coalesce fabric noc trace events "

// Two of the same; the line comes once.
static void warns(uint64_t packet, uint64_t routing, uint64_t write, uint64_t apart,
                  const char *want, size_t n_entries)
{
    struct sample s;
    begin(&s);
    for (uint64_t t = 1000; t < 20000; t += 10000) {
        event(&s, t, packet);
        if (routing)
            event(&s, t + 10, routing);
        event(&s, t + apart, write);
    }
    write_traces(&s);
    test_str_is(buf_view(&s.warnings), str_of(want), __FILE__, __LINE__);
    assert_int_equal(n_entries, s.totals.entries);
    end(&s);
}

TEST(noc_trace_says_why_a_packet_cannot_be_put_together)
{
    uint64_t line =
        packet(TT_NOC_EVENT_FABRIC_UNICAST_WRITE, 18, 19, 0, TT_ROUTING_LOW_LATENCY);
    uint64_t write = local(TT_NOC_EVENT_WRITE_, ETH_X, ETH_Y, 0, 1, 64);
    warns(line, 0, write, 30,
          FAILED "in op '': missing routing fields event and/or local write.\n", 2);
    // A mesh's routing behind a packet on a line.
    warns(line, routing_2d(0, 1, 0, false), write, 30,
          FAILED "in op '': missing routing fields event and/or local write.\n", 2);
    warns(line, routing_1d(1), local(TT_NOC_EVENT_READ, ETH_X, ETH_Y, 0, 1, 64), 30,
          FAILED "in op '': missing routing fields event and/or local write.\n", 2);
    warns(line, routing_1d(1), write, 1001,
          FAILED "because timestamps are implausibly far apart.\n", 0);
    warns(line, routing_1d(1), local(TT_NOC_EVENT_WRITE_, 0, 3, 0, 1, 64), 30,
          FAILED
          "in op '': local noc write is to an invalid core (neither worker nor active "
          "eth).\n",
          0);
    warns(line, routing_1d(1), local(TT_NOC_EVENT_WRITE_, 19, 19, 0, 1, 64), 30,
          FAILED
          "in op '': local write is to a worker core but corresponding event from worker "
          "(fabric mux) to eth router not found.\n",
          0);
    warns(packet(TT_NOC_EVENT_FABRIC_UNICAST_WRITE, 18, 19, 0, TT_ROUTING_DYNAMIC_MESH),
          routing_2d(0, 1, 0, false), write, 30,
          "[profiler noc tracing] noc tracing does not support DYNAMIC_MESH packets!\n", 0);
    warns(packet(TT_NOC_EVENT_FABRIC_MULTICAST_WRITE, 18, 19, 0, TT_ROUTING_LOW_LATENCY),
          routing_1d(1), write, 30,
          "[profiler noc tracing] Noc multicasts in fabric events are not supported!\n", 0);
    uint64_t chunk = (UINT64_C(1) + 16) << 56 | UINT64_C(9) << 48 | UINT64_C(19) << 16 |
                     UINT64_C(18) << 8 | TT_NOC_EVENT_FABRIC_UNICAST_SCATTER_WRITE;
    warns(chunk, routing_1d(1), write, 30,
          FAILED "in op '': missing remaining fabric scatter write chunks.\n", 2);
}

TEST(noc_topology_is_two_documents)
{
    static const struct noc_chip chips[] = {{.id = 0},
                                            {.id = 1, .mesh_column = 1, .eth_x = 1}};
    static const struct noc_channel channels[] = {{0, 9, 0}, {8, 9, 6}};
    struct noc_topology n = {"N300", 1, 2, chips, 2, channels, 2};
    struct sample s;
    struct err e = {0};
    begin(&s);
    assert_true(noc_topology_write(&n, s.folder, &e));
    STR_IS(text_of(&s, "topology.json"),
           "{\n"
           "  \"mesh_shapes\": [\n"
           "    {\n"
           "      \"mesh_id\": 0,\n"
           "      \"shape\": [\n"
           "        1,\n"
           "        2\n"
           "      ]\n"
           "    }\n"
           "  ],\n"
           "  \"cluster_type\": \"N300\",\n"
           "  \"device_id_to_fabric_node_id\": {\n"
           "    \"0\": [\n"
           "      0,\n"
           "      0\n"
           "    ],\n"
           "    \"1\": [\n"
           "      0,\n"
           "      1\n"
           "    ]\n"
           "  },\n"
           "  \"fabric_config\": \"DISABLED\",\n"
           "  \"eth_chan_to_coord\": {\n"
           "    \"0\": [\n"
           "      9,\n"
           "      0\n"
           "    ],\n"
           "    \"8\": [\n"
           "      9,\n"
           "      6\n"
           "    ]\n"
           "  }\n"
           "}\n");
    STR_IS(text_of(&s, "cluster_coordinates.json"),
           "{\n"
           "  \"physical_chip_to_eth_coord\": {\n"
           "    \"0\": {\n"
           "      \"rack\": 0,\n"
           "      \"shelf\": 0,\n"
           "      \"x\": 0,\n"
           "      \"y\": 0\n"
           "    },\n"
           "    \"1\": {\n"
           "      \"rack\": 0,\n"
           "      \"shelf\": 0,\n"
           "      \"x\": 1,\n"
           "      \"y\": 0\n"
           "    }\n"
           "  }\n"
           "}\n");
    end(&s);
}
