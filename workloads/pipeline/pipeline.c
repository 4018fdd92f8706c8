// pipeline.c - a row of cores passes pages on through remote circular buffers; one is slow.
#include "workloads/workloads.h"

enum { PAGE_BYTES = 256, DEPTH = 4, MOST_STAGES = 8, FAST = 1000, SLOW = 3000 };

static const struct workload_setting settings[] = {
    {SETTING_PAGES, 64, 1, 10000, "pages that pass"},
    {SETTING_CORES, MOST_STAGES, 2, MOST_STAGES, "stages"},
    {SETTING_SLOW_STAGE, 4, -1, MOST_STAGES - 1,
     "the stage that takes three times as long; -1: none"},
};

struct stage_log {
    uint32_t wait, work, reserve;
};

static void stage_args(struct run *r, ttdev_program *p, int kernel, int stage,
                       uint32_t input, uint32_t output)
{
    int last = (int)r->setting[SETTING_CORES] - 1;
    uint32_t buffer = work_scratch(r, p);
    uint32_t page = buffer + DEPTH * PAGE_BYTES, log = page + PAGE_BYTES;
    ttdev_xy before = virtual_at(r, 0, (ttdev_xy){stage > 0 ? stage - 1 : 0, 0});
    ttdev_xy after = virtual_at(r, 0, (ttdev_xy){stage < last ? stage + 1 : last, 0});
    work_args(r, p, kernel, range_one(stage, 0),
              ARGS((uint32_t)stage, (uint32_t)last + 1, (uint32_t)r->setting[SETTING_PAGES],
                   stage == r->setting[SETTING_SLOW_STAGE] ? SLOW : FAST, buffer, DEPTH,
                   page, log, 0, 1, (uint32_t)before.x, (uint32_t)before.y,
                   (uint32_t)after.x, (uint32_t)after.y, input, output));
}

// A slow stage fills the buffers before it and starves those after it.
static void check_bubbles(struct run *r, const struct stage_log *log, int stages)
{
    int slow = (int)r->setting[SETTING_SLOW_STAGE];
    uint32_t pages = (uint32_t)r->setting[SETTING_PAGES];
    if (slow < 0 || slow >= stages || pages < 64)
        return;
    double all = (double)SLOW * pages;
    for (int i = 0; i < stages; i++) {
        // The rest of the slow stage's time, once the buffers before it are full.
        double blocked =
            all - (double)SLOW * DEPTH * (slow - i) - log[i].wait - log[i].work;
        if (i < slow)
            run_check(r, log[i].reserve > blocked / 2,
                      "stage %d waited only %u cycles for room before the slow stage", i,
                      log[i].reserve);
        else if (i > slow)
            run_check(r, log[i].wait > (double)(SLOW - FAST) * pages / 2,
                      "stage %d waited only %u cycles for pages after the slow stage", i,
                      log[i].wait);
        else
            run_check(r, log[i].wait + log[i].reserve < log[i].work / 2,
                      "the slow stage itself waited %u cycles of %u",
                      log[i].wait + log[i].reserve, log[i].work);
    }
}

static void report(struct run *r, int stages, uint32_t log_at)
{
    static const char *const names[MOST_STAGES][3] = {
        {"stage 0, read", "stage 0, work", "stage 0, reserve"},
        {"stage 1, wait", "stage 1, work", "stage 1, reserve"},
        {"stage 2, wait", "stage 2, work", "stage 2, reserve"},
        {"stage 3, wait", "stage 3, work", "stage 3, reserve"},
        {"stage 4, wait", "stage 4, work", "stage 4, reserve"},
        {"stage 5, wait", "stage 5, work", "stage 5, reserve"},
        {"stage 6, wait", "stage 6, work", "stage 6, reserve"},
        {"stage 7, wait", "stage 7, work", "stage 7, reserve"},
    };
    struct stage_log log[MOST_STAGES];
    double cycles = (double)spans_cycles(r), pages = (double)r->setting[SETTING_PAGES];
    run_figure(r, "pages", pages, 0, "");
    run_figure(r, "op", cycles, 0, "cycles");
    run_figure(r, "per page", cycles / pages, 1, "cycles");
    for (int i = 0; i < stages; i++) {
        work_l1_read(r, (ttdev_xy){i, 0}, log_at, &log[i], sizeof log[i]);
        run_figure(r, names[i][0], log[i].wait, 0, "cycles");
        run_figure(r, names[i][1], log[i].work, 0, "cycles");
        run_figure(r, names[i][2], log[i].reserve, 0, "cycles");
    }
    check_bubbles(r, log, stages);
}

static void run_pipeline(struct run *r)
{
    int stages = (int)r->setting[SETTING_CORES];
    uint32_t pages = (uint32_t)r->setting[SETTING_PAGES], words = pages * PAGE_BYTES / 4;
    uint32_t *sent = push_many(&r->a, uint32_t, words);
    uint32_t *got = push_many(&r->a, uint32_t, words);
    for (uint32_t i = 0; i < words; i++)
        sent[i] = data_word(5, i);
    uint32_t input = dram_place(r, "input", pages, PAGE_BYTES);
    uint32_t output = dram_place(r, "output", pages, PAGE_BYTES);
    dram_write_pages(r, 0, input, pages, PAGE_BYTES, sent);

    ttdev_range row = {{0, 0}, {stages - 1, 0}};
    ttdev_program *p = work_program(r, "pipeline");
    int kernel = work_kernel(r, p, row, TT_BRISC, "pipeline/stage", 0);
    (void)work_semaphore(r, p, row); // 0: pages filled
    (void)work_semaphore(r, p, row); // 1: pages freed
    for (int i = 0; i < stages; i++)
        stage_args(r, p, kernel, i, input, output);
    run_watch(r);
    work_run(r, p);
    run_unwatch(r);
    dram_read_pages(r, 0, output, pages, PAGE_BYTES, got);
    if (r->has_failed)
        return;
    size_t wrong = 0;
    uint32_t added = (uint32_t)(stages * (stages + 1) / 2);
    for (uint32_t i = 0; i < words; i++)
        wrong += got[i] != sent[i] + added;
    run_check(r, wrong == 0, "%zu of %u words came out wrong", wrong, words);
    report(r, stages, work_scratch(r, p) + (DEPTH + 1) * PAGE_BYTES);
}

const struct workload workload_pipeline = {
    .name = "pipeline",
    .what =
        "8 cores in a row, from producer to consumer through remote buffers; one is slow",
    .shows = "bubbles before and after the slow stage; back-pressure in the reserve zones",
    .settings = settings,
    .n_settings = sizeof settings / sizeof *settings,
    .run = run_pipeline,
};
