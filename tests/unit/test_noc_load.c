// test_noc_load.c - NoC traces read back, ways over the NoC, and the columns made of them.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "analyse/diags.h"
#include "analyse/noc/noc_grid.h"
#include "analyse/noc/noc_load.h"
#include "formats/noc/noc_trace_read.h"
#include "test.h"

// --- names of files ----------------------------------------------------------------------

static void name_is(str name, int64_t device, uint64_t op, int64_t trace, int64_t session)
{
    struct noc_trace_name n;
    if (!noc_trace_name_parse(name, &n))
        fail_msg("'%.*s' is no name", STR(name));
    assert_int_equal(device, n.device);
    assert_int_equal(op, n.op);
    assert_int_equal(trace, n.trace);
    assert_int_equal(session, n.session);
}

TEST(noc_trace_names_say_device_op_and_replay)
{
    name_is(S("noc_trace_dev0_ID1024.json"), 0, 1024, -1, -1);
    name_is(S("noc_trace_dev31_matmul_ID2_op_ID7.json"), 31, 7, -1, -1);
    name_is(S("noc_trace_dev1_mul_ID1025_traceID4294967299.json"), 1, 1025, 1, 3);
    struct noc_trace_name n;
    assert_false(noc_trace_name_parse(S("noc_trace_dev0_matmul.json"), &n));
    assert_false(noc_trace_name_parse(S("noc_trace_dev_ID5.json"), &n));
    assert_false(noc_trace_name_parse(S("noc_trace_devx_ID5.json"), &n));
    assert_false(noc_trace_name_parse(S("noc_trace_dev0_ID.json"), &n));
    assert_false(noc_trace_name_parse(S("noc_trace_dev0_ID99999999999999999999.json"), &n));
    assert_false(noc_trace_name_parse(S("topology.json"), &n));
}

// --- entries -----------------------------------------------------------------------------

#define EVENT(type, bytes, more)                                                           \
    "{\"noc\":\"NOC_0\",\"num_bytes\":" bytes                                              \
    ",\"proc\":\"BRISC\",\"sx\":1,\"sy\":2,"                                               \
    "\"timestamp\":50,\"type\":\"" type "\"" more "}"
#define TO(x, y) ",\"dx\":" x ",\"dy\":" y
#define RECTANGLE(x, y, end_x, end_y)                                                      \
    ",\"mcast_start_x\":" x ",\"mcast_start_y\":" y ",\"mcast_end_x\":" end_x              \
    ",\"mcast_end_y\":" end_y

static void transfer_is(const struct noc_trace_file *f, size_t i, int kind, int x, int y,
                        uint32_t bytes)
{
    assert_true(i < f->transfers.n);
    const struct noc_transfer *t = &f->transfers.v[i];
    assert_int_equal(kind, t->kind);
    assert_int_equal(x, t->x);
    assert_int_equal(y, t->y);
    assert_int_equal(bytes, t->bytes);
}

// clang-format off
static const char all_kinds[] =
    "[{\"zone\":\"BRISC-KERNEL\",\"zone_phase\":\"ZONE_START\",\"sx\":1,\"sy\":2,"
    "\"proc\":\"BRISC\",\"timestamp\":40},"
    EVENT("READ", "2048", TO("0", "11")) ","
    EVENT("WRITE_", "64", TO("3", "4")) ","
    EVENT("WRITE_BARRIER_START", "0", "") ","
    EVENT("WRITE_MULTICAST", "96", RECTANGLE("1", "1", "4", "5")) ","
    EVENT("SEMAPHORE_SET_MULTICAST", "32", TO("1", "1")) ","
    EVENT("FABRIC_UNICAST_WRITE", "128", ",\"fabric_send\":{\"eth_chan\":6,\"range\":1}") "]";

static const char set_up[] =
    "[" EVENT("READ_SET_STATE", "512", TO("0", "5")) ","
    EVENT("WRITE_SET_STATE", "64", TO("3", "3")) ","
    EVENT("READ_WITH_STATE", "0", "") ","
    EVENT("WRITE_WITH_STATE", "96", "") ","
    "{\"noc\":\"NOC_1\",\"num_bytes\":32,\"proc\":\"NCRISC\",\"sx\":1,\"sy\":2,"
    "\"type\":\"WRITE_WITH_STATE\"}]";

static const char moves[] =
    "[" EVENT("READ", "7200", TO("0", "1")) ","
    EVENT("WRITE_", "1250", TO("1", "6")) ","
    EVENT("WRITE_MULTICAST", "6400", RECTANGLE("1", "2", "2", "3")) "]";

static const char odd_moves[] =
    "[" EVENT("READ", "8160", TO("0", "1")) ","
    EVENT("READ", "64", "") ","
    EVENT("READ", "64", TO("20", "1")) "]";

static const char two_times[] =
    "[{\"timestamp\":1050,\"zone\":\"A\"}," EVENT("READ", "7200", TO("0", "1")) "]";
// clang-format on

TEST(noc_trace_entries_become_transfers)
{
    struct noc_trace_file f;
    noc_trace_read(&f, S(all_kinds));
    assert_false(f.is_damaged);
    assert_int_equal(7, f.n_entries);
    assert_int_equal(0, f.n_placeless);
    assert_int_equal(40, f.first_time);
    assert_int_equal(50, f.last_time);
    assert_int_equal(5, f.transfers.n);
    transfer_is(&f, 0, NOC_READ, 0, 11, 2048);
    transfer_is(&f, 1, NOC_WRITE, 3, 4, 64);
    transfer_is(&f, 2, NOC_MULTICAST, 1, 1, 96);
    assert_int_equal(4, f.transfers.v[2].end_x);
    assert_int_equal(5, f.transfers.v[2].end_y);
    transfer_is(&f, 3, NOC_WRITE, 1, 1, 32);
    transfer_is(&f, 4, NOC_FABRIC, 6, 0, 128);
    noc_trace_read_free(&f);
}

TEST(noc_trace_commands_go_where_their_risc_set_them_up_to_go)
{
    struct noc_trace_file f;
    noc_trace_read(&f, S(set_up));
    assert_int_equal(2, f.transfers.n); // setting up moves nothing
    transfer_is(&f, 0, NOC_READ, 0, 5, 512);
    transfer_is(&f, 1, NOC_WRITE, 3, 3, 96);
    assert_int_equal(1, f.n_placeless); // NCRISC has set up nothing
    noc_trace_read_free(&f);
}

static uint64_t placeless(str text)
{
    struct noc_trace_file f;
    noc_trace_read(&f, text);
    uint64_t n = f.n_placeless;
    assert_int_equal(0, f.transfers.n);
    noc_trace_read_free(&f);
    return n;
}

TEST(noc_trace_entries_that_say_too_little_are_counted)
{
    assert_int_equal(1, placeless(S("[" EVENT("READ", "2048", "") "]")));
    assert_int_equal(1, placeless(S("[" EVENT("READ", "-5", TO("1", "1")) "]")));
    assert_int_equal(1, placeless(S("[" EVENT("READ", "true", TO("1", "1")) "]")));
    assert_int_equal(1, placeless(S("[" EVENT("READ", "64", TO("1", "4000")) "]")));
    assert_int_equal(1, placeless(S("[" EVENT("TELEPORT", "64", TO("1", "1")) "]")));
    assert_int_equal(1, placeless(S("[17]")));
    assert_int_equal(0, placeless(S("[" EVENT("READ", "0", TO("1", "1")) "]")));
}

TEST(noc_traces_that_end_early_are_read_up_to_there)
{
    const str whole =
        S("[" EVENT("READ", "64", TO("1", "1")) "," EVENT("READ", "64", TO("2", "2")) "]");
    size_t one = whole.n / 2;
    for (size_t n = 0; n <= whole.n; n++) {
        struct noc_trace_file f;
        char *copy = malloc(n ? n : 1);
        memcpy(copy, whole.p, n);
        noc_trace_read(&f, (str){copy, n});
        assert_int_equal(n != whole.n, f.is_damaged);
        assert_true(f.transfers.n <= 2 && (n > one ? f.transfers.n >= 1 : 1));
        noc_trace_read_free(&f);
        free(copy);
    }
}

// --- ways --------------------------------------------------------------------------------

static const struct arch *arch_named(const char *name)
{
    const struct arch *arch = arch_find(arch_all(), str_of(name));
    assert_non_null(arch);
    return arch;
}

// Passes from link to link, and marks each.
static int walk(const struct noc_grid *g, int noc, struct die_place from,
                struct die_place to, bool (*is_passed)[DIE_SIDE_MOST][DIE_SIDE_MOST])
{
    int n = 0, step = noc == 0 ? 1 : -1;
    struct die_place p = from;
    for (int turn = 0; turn < 2; turn++) {
        bool is_x = (noc == 0) == (turn == 0);
        while (is_x ? p.x != to.x : p.y != to.y) {
            bool *mark = &is_passed[is_x][p.y][p.x];
            n += !*mark;
            *mark = true;
            if (is_x)
                p.x = (int16_t)((p.x + step + g->size_x) % g->size_x);
            else
                p.y = (int16_t)((p.y + step + g->size_y) % g->size_y);
        }
    }
    return n;
}

static void check_ways(const char *name)
{
    struct noc_grid g;
    assert_true(noc_grid_make(&g, arch_named(name)));
    unsigned seed = 7;
    for (int i = 0; i < 500; i++) {
        int v[6];
        for (int k = 0; k < 6; k++) {
            seed = seed * 1103515245U + 12345U;
            v[k] = (int)(seed >> 16) % (k % 2 ? g.size_y : g.size_x);
        }
        struct die_place from = {(int16_t)v[0], (int16_t)v[1]};
        struct die_place one = {(int16_t)v[2], (int16_t)v[3]};
        struct die_place other = {(int16_t)v[4], (int16_t)v[5]};
        for (int noc = 0; noc < 2; noc++) {
            bool passed[2][DIE_SIDE_MOST][DIE_SIDE_MOST] = {0};
            assert_int_equal(walk(&g, noc, from, one, passed),
                             noc_grid_hops(&g, noc, from, one));
            memset(passed, 0, sizeof passed);
            int n = 0;
            for (int y = 0; y < g.size_y; y++)
                for (int x = 0; x < g.size_x; x++)
                    if (g.has_column[x] && g.has_row[y] &&
                        (x - one.x) * (x - other.x) <= 0 &&
                        (y - one.y) * (y - other.y) <= 0)
                        n += walk(&g, noc, from, (struct die_place){(int16_t)x, (int16_t)y},
                                  passed);
            assert_int_equal(n, noc_grid_spread(&g, noc, from, one, other));
        }
    }
}

TEST(noc_ways_pass_as_many_links_as_a_walk_over_them)
{
    check_ways("wormhole");
    check_ways("blackhole");
}

TEST(noc_grids_have_all_tiles_of_a_chip)
{
    struct noc_grid g;
    assert_true(noc_grid_make(&g, arch_named("wormhole")));
    assert_int_equal(6, g.n_controllers);
    assert_int_equal(16, g.n_channels);
    assert_int_equal(1, g.controller[7][0]);
    assert_int_equal(-1, g.controller[2][1]);
    assert_true(noc_grid_make(&g, arch_named("blackhole")));
    assert_int_equal(8, g.n_controllers);
    assert_int_equal(14, g.n_channels);
    assert_false(noc_grid_make(&g, arch_named("n1")));
}

// --- columns -----------------------------------------------------------------------------

struct trial {
    char folder[64];
    struct device_rows rows;
    struct diag diag;
};

static void trial_start(struct trial *t)
{
    *t = (struct trial){.folder = "/tmp/noc-load-XXXXXX",
                        .rows = {.arch = S("wormhole_b0")}};
    t->rows.mhz = 1000;
    assert_non_null(mkdtemp(t->folder));
}

static void trial_row(struct trial *t, uint64_t op, int64_t trace, int64_t session,
                      int64_t cycles)
{
    struct device_row row = {.op = op, .trace = trace, .session = session};
    for (int n = 0; n < DEVICE_NUMBERS; n++)
        row.v[n] = DEVICE_NONE;
    row.v[DEVICE_KERNEL_START] = 7000;
    row.v[DEVICE_KERNEL_END] = 7000 + cycles;
    vec_push(&t->rows.v, row);
}

static void trial_path(const struct trial *t, const char *name, char path[128])
{
    (void)snprintf(path, 128, "%s/%s", t->folder, name);
}

static void trial_file(struct trial *t, const char *name, str text)
{
    char path[128];
    trial_path(t, name, path);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(text.n, fwrite(text.p, 1, text.n, f));
    assert_int_equal(0, fclose(f));
}

static void trial_end(struct trial *t, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char path[128];
        trial_path(t, names[i], path);
        assert_int_equal(0, unlink(path));
    }
    assert_int_equal(0, rmdir(t->folder));
    vec_free(&t->rows.v);
    vec_free(&t->rows.extra);
    arena_free(&t->rows.a);
}

static str cell(const struct trial *t, const char *column, size_t row)
{
    for (size_t i = 0; i < t->rows.extra.n; i++)
        if (str_is(t->rows.extra.v[i].name, column))
            return t->rows.extra.v[i].cell[row];
    return S("");
}

TEST(noc_load_is_what_was_moved_over_what_could_have_been)
{
    static const char *const names[] = {"noc_trace_dev0_add_ID1024.json"};
    struct trial t;
    trial_start(&t);
    trial_row(&t, 1024, DEVICE_NO_ID, DEVICE_NO_ID, 1000);
    trial_row(&t, 2048, DEVICE_NO_ID, DEVICE_NO_ID, 1000);
    // From DRAM controller 0 at (0, 1) to (1, 2): 2 links; to Ethernet at (1, 6): 4 links.
    // A multicast to columns 1 to 2 and rows 2 to 3, from (1, 2): 1 link along, 1 down
    // each.
    trial_file(&t, names[0], S(moves));
    assert_true(noc_load_is_there(t.folder));
    noc_load_add(&t.rows, t.folder, &t.diag);
    // 38600 link bytes of 480 links * 32 bytes * 1000 cycles; 19200 of them multicast.
    STR_IS(cell(&t, "NOC UTIL (%)", 0), "0.3");
    STR_IS(cell(&t, "MULTICAST NOC UTIL (%)", 0), "0.1");
    // 7200 bytes in 1 us at 288 GB/s, of which a controller has a sixth.
    STR_IS(cell(&t, "DRAM BW UTIL (%)", 0), "2.5");
    STR_IS(cell(&t, "DRAM BW UTIL PER CTRL (%)", 0), "c0:15.0%");
    // 1250 bytes in 1 us at 12.5 GB/s, at row 6, column 1.
    STR_IS(cell(&t, "ETH BW UTIL (%)", 0), "(0;6;1):10.0%");
    STR_IS(cell(&t, "NOC UTIL (%)", 1), "");
    assert_int_equal(0, diag_total(&t.diag));
    trial_end(&t, names, 1);
}

TEST(noc_load_knows_replays_and_executions_with_the_same_ids)
{
    static const char *const names[] = {"noc_trace_dev0_ID1024_traceID21474836482.json",
                                        "noc_trace_dev0_ID2048.json"};
    struct trial t;
    trial_start(&t);
    trial_row(&t, 1024, 5, 1, 1000);
    trial_row(&t, 1024, 5, 2, 1000);
    trial_row(&t, 2048, DEVICE_NO_ID, DEVICE_NO_ID, 1000);
    trial_row(&t, 2048, DEVICE_NO_ID, DEVICE_NO_ID, 3000);
    str text = S("[" EVENT("READ", "7200", TO("0", "1")) "]");
    trial_file(&t, names[0], text);
    trial_file(&t, names[1], text);
    noc_load_add(&t.rows, t.folder, &t.diag);
    STR_IS(cell(&t, "DRAM BW UTIL (%)", 0), "");
    STR_IS(cell(&t, "DRAM BW UTIL (%)", 1), "2.5");
    // One trace tells of both executions: it was that much in 4 us.
    STR_IS(cell(&t, "DRAM BW UTIL (%)", 2), "0.6");
    STR_IS(cell(&t, "DRAM BW UTIL (%)", 3), "0.6");
    trial_end(&t, names, 2);
}

TEST(noc_load_counts_what_it_cannot_use)
{
    static const char *const names[] = {
        "noc_trace_dev0_ID1024.json",
        "noc_trace_dev0_ID2048.json",
        "noc_trace_dev0_ID9.json",
        "noc_trace_odd.json",
        "topology.json",
    };
    struct trial t;
    trial_start(&t);
    trial_row(&t, 1024, DEVICE_NO_ID, DEVICE_NO_ID, 1000);
    trial_row(&t, 2048, DEVICE_NO_ID, DEVICE_NO_ID, 1000);
    trial_file(&t, names[0], S("[" EVENT("READ", "7200", TO("0", "1")) ",{\"type\":"));
    trial_file(&t, names[1], S(odd_moves));
    trial_file(&t, names[2], S("[]"));
    trial_file(&t, names[3], S("[]"));
    trial_file(&t, names[4], S("not even JSON"));
    noc_load_add(&t.rows, t.folder, &t.diag);
    STR_IS(cell(&t, "DRAM BW UTIL (%)", 0), "2.5");
    STR_IS(cell(&t, "DRAM BW UTIL (%)", 1), "2.8");
    assert_int_equal(2, t.diag.entry[DIAG_NOC_FILE].count);
    assert_int_equal(2, t.diag.entry[DIAG_NOC_EVENT].count);
    assert_int_equal(1, t.diag.entry[DIAG_NOC_CUT].count);
    assert_int_equal(1, t.diag.entry[DIAG_NOC_NO_ROW].count);
    trial_end(&t, names, 5);
}

TEST(noc_load_takes_the_time_that_there_is)
{
    static const char *const names[] = {"noc_trace_dev0_ID1024.json",
                                        "noc_trace_dev0_ID2048.json"};
    struct trial t;
    trial_start(&t);
    t.rows.mhz = 0; // the runtime's report: ns and cycles, no clock
    trial_row(&t, 1024, DEVICE_NO_ID, DEVICE_NO_ID, 1200);
    t.rows.v.v[0].v[DEVICE_KERNEL] = 1000;
    trial_row(&t, 2048, DEVICE_NO_ID, DEVICE_NO_ID,
              0); // not measured: the trace's own span
    trial_file(&t, names[0], S("[" EVENT("READ", "7200", TO("0", "1")) "]"));
    trial_file(&t, names[1], S(two_times));
    noc_load_add(&t.rows, t.folder, &t.diag);
    STR_IS(cell(&t, "DRAM BW UTIL (%)", 0), "2.5");
    STR_IS(cell(&t, "DRAM BW UTIL (%)", 1), "2.5");
    trial_end(&t, names, 2);
}

TEST(noc_load_of_an_unknown_chip_is_empty)
{
    static const char *const names[] = {"noc_trace_dev0_ID1024.json"};
    struct trial t;
    trial_start(&t);
    t.rows.arch = S("toaster");
    trial_row(&t, 1024, DEVICE_NO_ID, DEVICE_NO_ID, 1000);
    trial_file(&t, names[0], S("[" EVENT("READ", "7200", TO("0", "1")) "]"));
    noc_load_add(&t.rows, t.folder, &t.diag);
    assert_int_equal(0, t.rows.extra.n);
    assert_int_equal(1, t.diag.entry[DIAG_NOC_ARCH].count);
    noc_load_add(&t.rows, "/nowhere/at/all", &t.diag);
    assert_false(noc_load_is_there("/nowhere/at/all"));
    trial_end(&t, names, 1);
}
