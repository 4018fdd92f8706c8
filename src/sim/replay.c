// replay.c - traces: launches remembered with their ids, and launched again in order.
//
// There is no fast dispatch on the software device, so a replay is a sequence of ordinary
// launches behind one signal that lets the firmware do the trace part of the profiler.
#include <errno.h>

#include "sim/program.h"
#include "sim/tile.h"

struct replay_launch {
    struct ttdev_program *program; // a copy: the user's may change or go
    uint32_t run_id;
};

struct replay_trace {
    int dev;
    VEC(struct replay_launch) launches;
};

void replay_remember(struct ttdev *t, int dev, const struct ttdev_program *p,
                     uint32_t run_id)
{
    struct replay_trace *trace = t->traces.v[t->recording[dev]];
    struct replay_launch launch = {.program = program_copy(p), .run_id = run_id};
    vec_push(&trace->launches, launch);
}

void replay_close(struct ttdev *t)
{
    for (size_t i = 0; i < t->traces.n; i++) {
        struct replay_trace *trace = t->traces.v[i];
        for (size_t j = 0; j < trace->launches.n; j++)
            ttdev_program_free(trace->launches.v[j].program);
        vec_free(&trace->launches);
        mem_free(trace);
    }
    vec_free(&t->traces);
}

static void tell(struct ttdev *t, int kind, int dev, int trace)
{
    cluster_tell(t, &(struct tt_event){.kind = kind,
                                       .chip = dev,
                                       .trace = trace,
                                       .name = "",
                                       .sub_device = -1,
                                       .sub_device_manager = -1});
}

int ttdev_trace_begin(ttdev *t, int dev)
{
    if (!cluster_chip(t, dev))
        return cluster_error(t, -ENODEV, "there is no device %d", dev);
    if (t->recording[dev] >= 0)
        return cluster_error(t, -EBUSY, "device %d: a trace is being recorded already",
                             dev);
    struct replay_trace *trace = mem_alloc(sizeof *trace);
    trace->dev = dev;
    vec_push(&t->traces, trace);
    t->recording[dev] = (int)t->traces.n - 1;
    tell(t, TT_EVENT_TRACE_BEGIN, dev, t->recording[dev]);
    return 0;
}

int ttdev_trace_end(ttdev *t, int dev)
{
    if (!cluster_chip(t, dev))
        return cluster_error(t, -ENODEV, "there is no device %d", dev);
    int trace = t->recording[dev];
    if (trace < 0)
        return cluster_error(t, -EINVAL, "device %d: no trace is being recorded", dev);
    t->recording[dev] = -1;
    tell(t, TT_EVENT_TRACE_END, dev, trace);
    return trace;
}

// One access for all: the host multicasts the word.
static void signal_all(struct chip *chip)
{
    struct host_access access = host_begin(chip, true, 4);
    for (int i = 0; i < chip->n_tiles; i++) {
        struct tile *tile = &chip->tiles[i];
        if (tile->kind != TILE_TENSIX && !tile->is_linked)
            continue;
        tile_stand(tile, chip->now);
        tile_go(tile, TT_GO_REPLAY_TRACE);
        tile_refresh(tile);
    }
    host_end(chip, access);
}

// What is left of the time that the caller gave, in ns.
static uint64_t time_left(const struct ttdev *t, uint64_t start_fs, uint64_t timeout_ns)
{
    uint64_t gone = (t->true_fs - start_fs) / FS_PER_NS;
    return gone < timeout_ns ? timeout_ns - gone : 0;
}

int ttdev_trace_replay(ttdev *t, int dev, int number, uint64_t timeout_ns)
{
    struct chip *chip = cluster_chip(t, dev);
    if (!chip)
        return cluster_error(t, -ENODEV, "there is no device %d", dev);
    if (number < 0 || (size_t)number >= t->traces.n || t->traces.v[number]->dev != dev ||
        t->recording[dev] == number)
        return cluster_error(t, -EINVAL, "device %d has no trace %d", dev, number);
    int code = chip_check_idle(chip);
    if (code)
        return code;
    uint64_t start = t->true_fs;
    tell(t, TT_EVENT_TRACE_REPLAY, dev, number);
    code = chip_check_idle(chip);
    if (code)
        return code;
    signal_all(chip);
    code = ttdev_wait(t, dev, timeout_ns);
    const struct replay_trace *trace = t->traces.v[number];
    struct launch_news news = {.trace = number, .is_replay = true};
    for (size_t i = 0; i < trace->launches.n && !code; i++) {
        const struct replay_launch *launch = &trace->launches.v[i];
        code = program_launch(chip, launch->program, launch->run_id, &news);
        if (!code)
            code = ttdev_wait(t, dev, time_left(t, start, timeout_ns));
    }
    return code;
}
