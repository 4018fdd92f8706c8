// test_device_clocks.c - clock models as a file, and back.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file/file.h"

#include "collect/sync/device_clocks.h"
#include "test.h"

static char folder[16], path[40];

static void start(void)
{
    (void)snprintf(folder, sizeof folder, "unit-XXXXXX");
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/clocks.json", folder);
}

static void end(void)
{
    assert_int_equal(0, unlink(path));
    assert_int_equal(0, rmdir(folder));
}

static void put_text(const char *text)
{
    struct out o;
    struct err e = {0};
    assert_true(out_open(&o, path, &e));
    buf_z(&o.b, text);
    assert_true(out_close(&o, &e));
}

TEST(device_clocks_come_back_from_their_file_exactly)
{
    struct device_clocks c = {.pid = 4711, .is_program_clock = true}, back;
    struct device_clock chip = {.chip = 3, .model = {.nominal = 1.35, .is_synced = true}};
    for (uint64_t i = 0; i < 2; i++)
        vec_push(&chip.model.epochs,
                 (struct clock_epoch){.cycle = (UINT64_C(1) << 62) + i * 1000000007,
                                      .cycle_fraction = 0.1 + (double)i,
                                      .host = UINT64_C(1790000000123456789) + i * 700000000,
                                      .host_fraction = 1.0 / 3,
                                      .cycles_per_ns = 1.0000123456789,
                                      .rate_error = 4.77e-7,
                                      .error_ns = 369.4 + (double)i,
                                      .reach_ns = 1e8,
                                      .residual_ns = 12.5});
    struct device_clock loose = {.chip = 9, .model = {.nominal = 1}};
    clock_model_assume(&loose.model, 5, 6);
    vec_push(&c.chips, chip);
    vec_push(&c.chips, loose);
    struct err e = {0};
    start();
    assert_true(device_clocks_write(&c, path, &e));
    assert_true(device_clocks_read(&back, path, &e));
    assert_int_equal(4711, back.pid);
    assert_true(back.is_program_clock);
    assert_null(device_clocks_find(&back, 4));
    const struct clock_model *m = device_clocks_find(&back, 3);
    assert_true(m->is_synced);
    REAL_IS(m->nominal, 1.35);
    assert_int_equal(2, m->epochs.n);
    for (size_t i = 0; i < 2; i++) {
        struct clock_epoch want = chip.model.epochs.v[i], got = m->epochs.v[i];
        assert_memory_equal(&want, &got, offsetof(struct clock_epoch, n_samples));
    }
    m = device_clocks_find(&back, 9);
    assert_false(m->is_synced);
    assert_int_equal(5, m->epochs.v[0].cycle);
    REAL_IS(m->epochs.v[0].error_ns, (double)INFINITY);
    device_clocks_free(&back);
    device_clocks_free(&c);
    end();
}

TEST(device_clocks_leave_out_epochs_that_make_no_sense)
{
    struct device_clocks c;
    struct err e = {0};
    start();
    put_text(
        "{\"pid\":-1,\"host_clock\":7,\"chips\":[{\"id\":0,\"synced\":true,\"epochs\":["
        "{\"cycle\":50,\"host\":10,\"cycles_per_ns\":0},"
        "{\"cycle\":50,\"host\":10,\"cycles_per_ns\":1},"
        "{\"cycle\":40,\"host\":20,\"cycles_per_ns\":1},"
        "{\"cycle\":\"x\"},7]},{\"id\":1,\"synced\":true,\"epochs\":{}},null]}");
    assert_true(device_clocks_read(&c, path, &e));
    assert_int_equal(0, c.pid);
    assert_false(c.is_program_clock);
    assert_int_equal(1, device_clocks_find(&c, 0)->epochs.n);
    assert_true(device_clocks_find(&c, 0)->is_synced);
    assert_false(device_clocks_find(&c, 1)->is_synced); // it has no epoch
    device_clocks_free(&c);
    end();
}

TEST(device_clocks_say_where_a_file_is_no_file_of_clocks)
{
    static const struct {
        const char *text, *why;
    } files[] = {{"", "line 1"}, {"{\"pid\":1,\n]", "line 2"}, {"{\"pid\":1}", "'chips'"}};
    start();
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct device_clocks c;
        struct err e = {0};
        put_text(files[i].text);
        assert_false(device_clocks_read(&c, path, &e));
        assert_int_equal(ERR_FORMAT, e.code);
        assert_non_null(strstr(e.text, files[i].why));
        assert_non_null(strstr(e.text, path));
    }
    end();
}
