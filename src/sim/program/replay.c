// replay.c - traces: launches recorded with their ids and run again in order.
//
// With fast dispatch a trace is a list of commands in DRAM (dispatch/capture.c), and a
// replay is one command. Without it, a replay is a sequence of ordinary launches after one
// signal that makes the firmware do the profiler's trace work.
#include <errno.h>

#include "sim/dispatch/dispatch.h"
#include "sim/tile/tile.h"

struct replay_launch {
    struct ttdev_program *program; // a copy: the user's may change or be freed
    uint32_t run_id;
};

struct replay_trace {
    int dev;
    bool is_only; // its launches are recorded but do not run
    bool is_released;
    VEC(struct replay_launch) launches; // without fast dispatch
    struct capture *capture;            // with it
};

void replay_remember(struct ttdev *t, int dev, const struct ttdev_program *p,
                     uint32_t run_id)
{
    struct replay_trace *trace = t->traces.v[t->recording[dev]];
    if (trace->capture)
        return; // it has the commands
    struct replay_launch launch = {.program = program_copy(p), .run_id = run_id};
    vec_push(&trace->launches, launch);
}

bool replay_is_only(const struct ttdev *t, int dev)
{
    return t->recording[dev] >= 0 && t->traces.v[t->recording[dev]]->is_only;
}

static void forget_launches(struct ttdev *t, struct replay_trace *trace)
{
    if (trace->capture)
        capture_free(&t->chips[trace->dev], trace->capture);
    trace->capture = NULL;
    for (size_t i = 0; i < trace->launches.n; i++)
        ttdev_program_free(trace->launches.v[i].program);
    vec_free(&trace->launches);
}

void replay_close(struct ttdev *t)
{
    for (size_t i = 0; i < t->traces.n; i++) {
        forget_launches(t, t->traces.v[i]);
        mem_free(t->traces.v[i]);
    }
    vec_free(&t->traces);
}

static void report_trace_event(struct ttdev *t, int kind, int dev, int trace)
{
    const struct capture *capture = t->traces.v[trace]->capture;
    cluster_tell(
        t, &(struct tt_event){.kind = kind,
                              .chip = dev,
                              .trace = trace,
                              .n_programs = capture ? (uint32_t)capture->programs.n : 0,
                              .name = "",
                              .sub_device = -1,
                              .sub_device_manager = -1});
}

static int begin_trace(ttdev *t, int dev, bool is_only)
{
    if (!cluster_chip(t, dev))
        return cluster_error(t, -ENODEV, "no device %d", dev);
    if (t->recording[dev] >= 0)
        return cluster_error(t, -EBUSY, "device %d: a trace is already being captured",
                             dev);
    struct replay_trace *trace = mem_alloc(sizeof *trace);
    trace->dev = dev;
    trace->is_only = is_only;
    if (t->chips[dev].fast)
        trace->capture = capture_begin(&t->chips[dev]);
    vec_push(&t->traces, trace);
    t->recording[dev] = (int)t->traces.n - 1;
    report_trace_event(t, TT_EVENT_TRACE_BEGIN, dev, t->recording[dev]);
    return 0;
}

int ttdev_trace_begin(ttdev *t, int dev)
{
    return begin_trace(t, dev, false);
}

int ttdev_trace_begin_only(ttdev *t, int dev)
{
    return begin_trace(t, dev, true);
}

int ttdev_trace_end(ttdev *t, int dev)
{
    if (!cluster_chip(t, dev))
        return cluster_error(t, -ENODEV, "no device %d", dev);
    int trace = t->recording[dev];
    if (trace < 0)
        return cluster_error(t, -EINVAL, "device %d: no trace is being captured", dev);
    t->recording[dev] = -1;
    struct replay_trace *ended = t->traces.v[trace];
    int code = ended->capture ? capture_end(&t->chips[dev]) : 0;
    report_trace_event(t, TT_EVENT_TRACE_END, dev, trace);
    if (code) {
        ended->is_released = true;
        forget_launches(t, ended);
    }
    return code ? code : trace;
}

// One access for all cores: the host multicasts the word.
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

// The rest of the caller's timeout in ns.
static uint64_t time_left(const struct ttdev *t, uint64_t start_fs, uint64_t timeout_ns)
{
    uint64_t gone = (t->true_fs - start_fs) / FS_PER_NS;
    return gone < timeout_ns ? timeout_ns - gone : 0;
}

// Checks that the trace exists, is complete and was not released.
static int check_trace(struct ttdev *t, int dev, int number)
{
    if (!cluster_chip(t, dev))
        return cluster_error(t, -ENODEV, "no device %d", dev);
    if (number < 0 || (size_t)number >= t->traces.n || t->traces.v[number]->dev != dev ||
        t->recording[dev] == number)
        return cluster_error(t, -EINVAL, "device %d has no trace %d", dev, number);
    if (t->traces.v[number]->is_released)
        return cluster_error(t, -EINVAL, "device %d: trace %d has been released", dev,
                             number);
    return 0;
}

int ttdev_trace_release(ttdev *t, int dev, int number)
{
    int code = check_trace(t, dev, number);
    if (code)
        return code;
    if (t->chips[dev].fast)
        code = fast_wait(&t->chips[dev]); // it may be in the queue
    if (code)
        return code;
    report_trace_event(t, TT_EVENT_TRACE_RELEASE, dev, number);
    t->traces.v[number]->is_released = true;
    forget_launches(t, t->traces.v[number]);
    return 0;
}

// Traces replayed at the same time, one per chip.
struct replay {
    ttdev *t;
    const int *devs, *numbers;
    int n;
    uint64_t start_fs, timeout_ns;
};

static int replay_begin(const struct replay *r, int i)
{
    struct chip *chip = cluster_chip(r->t, r->devs[i]);
    int code = check_trace(r->t, r->devs[i], r->numbers[i]);
    if (!code)
        code = chip_check_idle(chip);
    if (code)
        return code;
    report_trace_event(r->t, TT_EVENT_TRACE_REPLAY, r->devs[i], r->numbers[i]);
    code = chip_check_idle(chip);
    if (!code)
        signal_all(chip);
    return code;
}

static int replay_wait(const struct replay *r)
{
    int code = 0;
    for (int i = 0; i < r->n && !code; i++)
        code = ttdev_wait(r->t, r->devs[i], time_left(r->t, r->start_fs, r->timeout_ns));
    return code;
}

// Launches entry `step` of each trace; false if none is that long.
static bool replay_step(const struct replay *r, size_t step, int *code)
{
    bool is_any = false;
    for (int i = 0; i < r->n && !*code; i++) {
        const struct replay_trace *trace = r->t->traces.v[r->numbers[i]];
        struct launch_news news = {.trace = r->numbers[i], .is_replay = true};
        if (step >= trace->launches.n)
            continue;
        const struct replay_launch *launch = &trace->launches.v[step];
        is_any = true;
        *code = program_launch(cluster_chip(r->t, r->devs[i]), launch->program,
                               launch->run_id, &news);
    }
    return is_any;
}

// One entry in the queue of each chip; the host does not wait.
static int enqueue_replays(const struct replay *r)
{
    int code = 0;
    for (int i = 0; i < r->n && !code; i++)
        code = check_trace(r->t, r->devs[i], r->numbers[i]);
    for (int i = 0; i < r->n && !code; i++) {
        report_trace_event(r->t, TT_EVENT_TRACE_REPLAY, r->devs[i], r->numbers[i]);
        host_enter(r->t);
        code = capture_replay(cluster_chip(r->t, r->devs[i]),
                              r->t->traces.v[r->numbers[i]]->capture);
        host_leave(r->t);
    }
    return code;
}

static int replay_traces(const struct replay *r)
{
    int code = 0;
    if (r->t->chips[0].fast)
        return enqueue_replays(r);
    for (int i = 0; i < r->n && !code; i++)
        code = replay_begin(r, i);
    if (!code)
        code = replay_wait(r);
    for (size_t step = 0; !code && replay_step(r, step, &code); step++)
        if (!code)
            code = replay_wait(r);
    return code;
}

int ttdev_trace_replay(ttdev *t, int dev, int number, uint64_t timeout_ns)
{
    return replay_traces(&(struct replay){t, &dev, &number, 1, t->true_fs, timeout_ns});
}

int ttdev_trace_replay_all(ttdev *t, const int *numbers, uint64_t timeout_ns)
{
    int devs[TTDEV_MAX_CHIPS];
    for (int i = 0; i < t->n_chips; i++)
        devs[i] = i;
    return replay_traces(
        &(struct replay){t, devs, numbers, t->n_chips, t->true_fs, timeout_ns});
}
