// cmd_train.c - `ttprof train`: its options and help.
#include "app/train/train.h"
#include "cli/command.h"

#define AT(field) .at = offsetof(struct train_values, field)

static const struct option options[] = {
    // clang-format off
    {.name = "device", .kind = OPTION_INT, AT(device), .arg = "D", .group = "Which ops",
     .help = "only this device; by default all, and the first for the single step"},
    {.name = "iteration", .kind = OPTION_INT, AT(iteration), .arg = "K",
     .help = "the single step: from the marker iteration_K to the next (default 2)"},
    {.name = "steps", .kind = OPTION_INT, AT(steps), .arg = "N",
     .help = "number of training steps, if there are no markers"},
    {.name = "top", .kind = OPTION_INT, AT(top), .arg = "N",
     .help = "rows of the top tables (default 10)"},

    {.name = "device-log", .kind = OPTION_FILE, AT(device_log), .arg = "FILE", .group = "Other files",
     .help = "profile_log_device.csv for the core map (default: the one next to the table)"},
    {.name = "no-heat", .kind = OPTION_FLAG, AT(no_heat),
     .help = "do not look for a device log"},
    {.name = "log", .kind = OPTION_FILE, AT(log), .arg = "FILE",
     .help = "output of the training program: memory, step times, naive profiler"},
    {.name = "naive", .kind = OPTION_FILE, AT(naive), .arg = "FILE",
     .help = "the same for a run with the naive profiler"},

    {.name = "batch", .kind = OPTION_INT, AT(batch), .arg = "N", .group = "The model",
     .help = "samples per device and micro step; with --seq-len for tokens per second"},
    {.name = "seq-len", .kind = OPTION_INT, AT(seq_len), .arg = "N",
     .help = "tokens per sample"},
    {.name = "ddp", .kind = OPTION_INT, AT(ddp), .arg = "N",
     .help = "data-parallel devices or groups of devices (default 1)"},
    {.name = "tp", .kind = OPTION_INT, AT(tp), .arg = "N",
     .help = "tensor-parallel devices (default 1)"},
    {.name = "grad-accum", .kind = OPTION_INT, AT(grad_accum), .arg = "N",
     .help = "micro steps per step (default 1)"},
    {.name = "blocks", .kind = OPTION_INT, AT(blocks), .arg = "N",
     .help = "blocks of the model, for the result table"},
    {.name = "name", .kind = OPTION_TEXT, AT(name), .arg = "NAME",
     .help = "name of the run in the result table"},
    {.name = "runner", .kind = OPTION_TEXT, AT(runner), .arg = "NAME",
     .help = "run mode for the result table (default 'default')"},
    {.name = "flops", .kind = OPTION_TEXT, AT(tflop), .arg = "TFLOP",
     .help = "work per step in TFLOP, or of its parts: fwd=1.5,bwd=3,opt=0.1"},
    {.name = "peak", .kind = OPTION_REAL, AT(peak), .arg = "TFLOPS",
     .help = "peak in TFLOP/s (default 160)"},
    {.name = "roofline", .kind = OPTION_TEXT, AT(roofline), .arg = "MS",
     .help = "minimum time of a step in ms, or of its parts: fwd=10,bwd=20,opt=3"},
    {.name = "checkpointing", .kind = OPTION_FLAG, AT(checkpointing),
     .help = "backward recomputes forward: add its minimum time"},
    {.name = "ccl", .kind = OPTION_TEXT, AT(ccl), .arg = "MS",
     .help = "minimum time of collectives in ms: fwd=1,bwd=2,sync=3,total=6"},
    {.name = "link", .kind = OPTION_REAL, AT(link), .arg = "GBS",
     .help = "link bandwidth in GB/s, for the speed of gradient sync"},

    {.name = "csv", .kind = OPTION_FILE, AT(csv), .arg = "FOLDER", .group = "Outputs",
     .help = "write a CSV file per table: train_ops.csv, train_phases.csv, ..."},
    {.name = "html", .kind = OPTION_FILE, AT(html), .arg = "FILE",
     .help = "write everything as a self-contained page with charts"},
    {.name = "json", .kind = OPTION_FILE, AT(json), .arg = "FILE",
     .help = "write everything as JSON; '-' is stdout, instead of the text"},
    {.name = "flame", .kind = OPTION_FILE, AT(flame), .arg = "FOLDER",
     .help = "write the flame graph of the step: flamegraph_dev<D>_iter<K>.html"},
    {.name = "timeline", .kind = OPTION_FILE, AT(timeline), .arg = "FILE",
     .help = "write the ops of the step in order, as .svg or .png"},
    {.name = "no-color", .kind = OPTION_FLAG, AT(no_color),
     .help = "never use colors"},
    {.name = "strict", .kind = OPTION_FLAG, AT(strict),
     .help = "exit with 1 if odd data was found"},
    // clang-format on
};

static const struct example examples[] = {
    {"ttprof train ops_perf_results.csv --steps 3",
     "time per op, phases, zones, anomalies"},
    {"ttprof train ops_perf_results.csv --steps 3 --html train.html --csv train",
     "the same as a page with charts, and as tables"},
    {"ttprof train ops_perf_results.csv --steps 3 --flops 1.2 --batch 8 --seq-len 256",
     "with model FLOPs utilisation and tokens per second"},
};

static const struct train_values defaults = {.device = -1,
                                             .top = 10,
                                             .tp = 1,
                                             .ddp = 1,
                                             .grad_accum = 1,
                                             .peak = 160,
                                             .name = "",
                                             .runner = "default"};

static int run_train(const void *values, struct words words, struct err *e)
{
    return train_command(values, words, e);
}

const struct command cmd_train = {
    .name = "train",
    .args = "[CSV|FOLDER]",
    .what = "analyse a training run: ops, phases, zones, roofline",
    .about =
        "Reads the table of ops of a training run (ops_perf_results_*.csv), or the newest "
        "one of a folder, and shows how long each op, phase and zone took, which calls are "
        "outliers, how busy the cores were, and how close the run came to peak. Markers of "
        "the training loop divide the run into steps and phases; without them there is "
        "only the time per op.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .examples = examples,
    .n_examples = sizeof examples / sizeof *examples,
    .least_words = 0,
    .most_words = 1,
    .reads_input = true,
    .run = run_train,
    .defaults = &defaults,
    .values_size = sizeof defaults,
};
