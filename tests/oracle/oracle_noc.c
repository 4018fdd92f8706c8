// oracle_noc.c - rows 6, 7 and 11 of the oracle: NoC events of kernels.
#include <stdio.h>

#include "base/text/json_read.h"

#include "oracle.h"

#define EVENTS "TT_METAL_DEVICE_PROFILER_NOC_EVENTS=1"

// The entries of a trace, a list that can be walked many times.
struct entries {
    struct file f;
    struct json_read list;
};

static struct entries entries_of(const char *path)
{
    struct entries s;
    struct err e = {0};
    if (!file_open(path, &s.f, &e) || !json_check(s.f.text, path, &e))
        fail_msg("%s", e.text);
    s.list = json_read_of(s.f.text);
    return s;
}

static bool is_text(struct json_read entry, const char *key, const char *text)
{
    str value;
    struct json_read v = json_find(entry, key, NULL);
    return json_take_raw(&v, &value) && str_is(value, text);
}

// Entries whose key has this text; NULL: all.
static size_t count(const struct entries *s, const char *key, const char *text)
{
    size_t n = 0;
    struct json_read list = s->list;
    for (json_enter(&list, '['); json_element(&list); json_skip(&list))
        n += !key || is_text(list, key, text);
    return n;
}

static int64_t number(const struct entries *s, const char *type, const char *key)
{
    int64_t value = -1;
    struct json_read list = s->list;
    for (json_enter(&list, '['); json_element(&list); json_skip(&list))
        if (is_text(list, "type", type)) {
            struct json_read v = json_find(list, key, NULL);
            (void)json_take_int(&v, &value);
            return value;
        }
    return value;
}

// --- 6: a read and a write -------------------------------------------------------------
ROW(row_06_noc_event_profiler)
{
    struct oracle o;
    char path[100];
    oracle_open(&o, chip->board, EVENTS,
                "TT_METAL_DEVICE_PROFILER_NOC_EVENTS_RPT_PATH=@/reports");
    ttdev_program *p = oracle_program(&o, "");
    oracle_kernel(&o, p, oracle_one(0, 0), TT_BRISC, "kernels/profile_noc",
                  ORACLE_ARGS(oracle_virtual(&o, 2, 3, false),
                              oracle_virtual(&o, 2, 3, true), o.info.l1_buffers, 10240));
    oracle_launch(&o, p, 0);
    oracle_detach(&o);
    assert_int_equal(
        oracle_said(&o,
                    "Profiler NoC events are enabled; this can add 1-15% cycle overhead "
                    "to typical operations!"),
        1);
    (void)snprintf(path, sizeof path, "%s/reports/noc_trace_dev0_ID0.json", o.folder);
    struct entries list = entries_of(path);
    assert_int_equal(count(&list, NULL, NULL), 4);
    assert_int_equal(count(&list, "zone", "BRISC-KERNEL"), 2);
    assert_int_equal(count(&list, "type", "READ"), 1);
    assert_int_equal(count(&list, "type", "WRITE_"), 1);
    // 10240 bytes are more than the event can say.
    assert_int_equal(number(&list, "READ", "num_bytes"), 8160);
    assert_int_equal(number(&list, "WRITE_", "num_bytes"), 8160);
    // The other core, in NOC 0 coordinates.
    ttdev_xy at, other = {2, 3};
    assert_int_equal(ttdev_xlat(o.t, 0, other, TTDEV_LOGICAL, TTDEV_NOC0, &at), 0);
    assert_int_equal(number(&list, "READ", "dx"), at.x);
    assert_int_equal(number(&list, "WRITE_", "dy"), at.y);
    file_close(&list.f);
    oracle_close(&o);
}

// --- 7: linked multicasts --------------------------------------------------------------
ROW(row_07_linked_multicast)
{
    enum { COUNT = 400 };
    struct oracle o;
    oracle_open(&o, chip->board, EVENTS);
    ttdev_program *p = oracle_program(&o, "");
    oracle_kernel(&o, p, oracle_one(0, 0), TT_BRISC, "kernels/profile_linked",
                  ORACLE_ARGS(oracle_virtual(&o, 1, 1, false),
                              oracle_virtual(&o, 1, 1, true),
                              oracle_virtual(&o, 2, 2, false),
                              oracle_virtual(&o, 2, 2, true), 4, o.info.l1_buffers, COUNT));
    oracle_launch(&o, p, 0);
    oracle_detach(&o);
    struct entries list = entries_of(oracle_path(&o, "noc_trace_dev0_ID0.json"));
    // Nothing is pushed inside the series: one vector of events, and the rest is counted.
    size_t kept = count(&list, "type", "WRITE_MULTICAST");
    assert_in_range(kept, 100, 125);
    oracle_check_lost(&o, COUNT - kept, 0);
    file_close(&list.f);
    oracle_close(&o);
}

// --- 11: pushes in the middle of replayed programs -------------------------------------
// What the log has of one RISC of one core.
struct track_facts {
    size_t markers, pushes;
    uint64_t programs; // bit per id
    int64_t last;      // replay
};

// Every marker belongs to the replay of the one trace, whichever push brought it home.
static struct track_facts check_track(const struct trace *t, const struct trace_track *k,
                                      int trace)
{
    struct track_facts f = {.markers = k->n_markers};
    for (uint32_t m = k->marker; m < k->marker + k->n_markers; m++) {
        const struct trace_run *run = &t->runs.v[t->markers.run[m]];
        assert_int_equal(run->trace_id, trace);
        assert_in_range(run->id >> 10, 1, 63);
        f.programs |= UINT64_C(1) << (run->id >> 10);
        f.pushes += str_is(trace_name_of(t, m), "PROFILER-NOC-QUICK-PUSH");
        f.last = run->trace_counter > f.last ? run->trace_counter : f.last;
    }
    return f;
}

// Two cores instead of all: each tells of its own two RISCs. The runs of the recording have
// no trace: they are read first, and their log is deleted.
ROW_OF_BOTH(row_11_quick_push_with_noc_trace)
{
    enum { OPS = 5, READS = 130, CORES = 2 };
    uint32_t replays = oracle_programs(600);
    ttdev_range cores = {{0, 0}, {CORES - 1, 0}};
    struct oracle o;
    oracle_open(&o, chip->board, EVENTS, "TT_METAL_PROFILER_MID_RUN_DUMP=1");
    ttdev_program *p = oracle_program(&o, "traffic");
    oracle_kernels(&o, p, cores, ORACLE_MOVERS, "kernels/profile_traffic",
                   ORACLE_ARGS(oracle_virtual(&o, 3, 3, false),
                               oracle_virtual(&o, 3, 3, true), o.info.l1_buffers, READS));
    assert_int_equal(ttdev_trace_begin(o.t, 0), 0);
    for (uint32_t id = 1; id <= OPS; id++)
        oracle_launch(&o, p, id);
    int trace = oracle_end_trace(&o);
    oracle_read(&o);
    assert_int_equal(ttprof_fresh_device_log(o.p), 0);
    // The regions are full after the first few replays; one read makes room for the last.
    for (uint32_t i = 0; i < replays; i++) {
        if (i + 2 == replays)
            oracle_read(&o);
        oracle_replay(&o, trace);
    }
    oracle_detach(&o);
    oracle_analyse(&o, "default_setup");
    const struct trace *t = &o.log.trace;
    size_t movers = 0;
    for (size_t k = 0; k < t->tracks.n; k++) {
        struct track_facts f = check_track(t, &t->tracks.v[k], trace);
        str risc = trace_text(t, t->tracks.v[k].risc);
        assert_int_equal(f.programs, (2 << OPS) - 2);
        if (!str_is(risc, "BRISC") && !str_is(risc, "NCRISC"))
            continue;
        assert_int_equal(f.last, replays);
        assert_true(f.pushes > 0);
        movers++;
    }
    assert_int_equal(movers, 2 * CORES);
    oracle_close(&o);
}
