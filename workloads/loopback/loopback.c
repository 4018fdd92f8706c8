// loopback.c - one core copies pages DRAM -> L1 -> DRAM.
#include <string.h>

#include "workloads/workloads.h"

enum { PAGE_BYTES = 2048 };

static const struct workload_setting settings[] = {
    {SETTING_PAGES, 100, 1, 10000, "pages of 2048 bytes to copy"},
};

// A read takes NoC latency, DRAM latency and transfer time. The NoC's depends on where the
// bank is: these are the model's figures.
static void check_reads(struct run *r, const uint32_t *took, uint32_t pages)
{
    bool is_blackhole = r->info.arch == TT_BLACKHOLE;
    uint32_t least = (is_blackhole ? 177 + 160 : 154 + 120);
    uint32_t most = (is_blackhole ? 329 + 160 : 270 + 120);
    uint32_t data = is_blackhole ? PAGE_BYTES * 10 / 400 : PAGE_BYTES * 10 / 232;
    uint64_t sum = 0;
    uint32_t shortest = UINT32_MAX, longest = 0;
    for (uint32_t i = 0; i < pages; i++) {
        sum += took[i];
        shortest = took[i] < shortest ? took[i] : shortest;
        longest = took[i] > longest ? took[i] : longest;
    }
    // 100: the calls themselves, and the poll that sees the last byte.
    bool is_in_time = longest <= most + data + 100 || run_is_profiled(r);
    run_check(r, shortest >= least + data && is_in_time,
              "reading a page took %u..%u cycles, expected %u..%u", shortest, longest,
              least + data, most + data + 100);
    run_figure(r, "read, shortest", shortest, 0, "cycles");
    run_figure(r, "read, mean", (double)sum / pages, 1, "cycles");
    run_figure(r, "read, longest", longest, 0, "cycles");
}

static void run_loopback(struct run *r)
{
    uint32_t pages = (uint32_t)r->setting[SETTING_PAGES];
    uint32_t bytes = pages * PAGE_BYTES;
    uint32_t *sent = push_many(&r->a, uint32_t, bytes / 4);
    uint32_t *got = push_many(&r->a, uint32_t, bytes / 4);
    uint32_t *took = push_many(&r->a, uint32_t, pages);
    for (uint32_t i = 0; i < bytes / 4; i++)
        sent[i] = data_word(1, i);
    uint32_t from = dram_place(r, "from", pages, PAGE_BYTES);
    uint32_t to = dram_place(r, "to", pages, PAGE_BYTES);
    dram_write_pages(r, 0, from, pages, PAGE_BYTES, sent);

    ttdev_program *p = work_program(r, "loopback");
    int copy = work_kernel(r, p, range_one(0, 0), TT_BRISC, "loopback/copy", 0);
    uint32_t buffer = work_scratch(r, p), log = buffer + PAGE_BYTES;
    work_args(r, p, copy, range_one(0, 0), ARGS(from, to, pages, buffer, log));
    run_watch(r);
    work_run(r, p);
    run_unwatch(r);

    dram_read_pages(r, 0, to, pages, PAGE_BYTES, got);
    work_l1_read(r, (ttdev_xy){0, 0}, log, took, (size_t)pages * 4);
    if (r->has_failed)
        return;
    run_check(r, memcmp(sent, got, bytes) == 0, "the copy differs from the original");
    run_check(r, r->spans.n == 1 && spans_of(r, TT_BRISC) == 1,
              "%zu kernels ran, %zu of them on a BRISC; expected 1", r->spans.n,
              spans_of(r, TT_BRISC));
    double cycles = (double)spans_cycles(r);
    run_figure(r, "pages", pages, 0, "");
    run_figure(r, "kernel", cycles, 0, "cycles");
    run_figure(r, "copied", bytes / cycles * r->info.hz / 1e9, 2, "GB/s");
    check_reads(r, took, pages);
}

const struct workload workload_loopback = {
    .name = "loopback",
    .what = "one core copies pages DRAM -> L1 -> DRAM",
    .shows =
        "zones of BRISC only; a read barrier lasts NoC latency + DRAM latency + size / 24 bytes per cycle",
    .settings = settings,
    .n_settings = sizeof settings / sizeof *settings,
    .run = run_loopback,
};
