// cmd_run.c - the command `ttprof run` and the table of its options.
#include "app/run/run.h"
#include "cli/command.h"

#define AT(field) offsetof(struct run_values, field)
#define FLAG(long_name, short_letter, field, text)                                         \
    {                                                                                      \
        .name = (long_name), .letter = (short_letter), .kind = OPTION_FLAG,                \
        .at = AT(field), .help = (text)                                                    \
    }

static const struct option options[] = {
    {.name = "module",
     .letter = 'm',
     .kind = OPTION_FLAG,
     .at = AT(module),
     .help = "the command is a Python module, run as 'python3 -m' does",
     .group = "Command"},
    FLAG("partial", 'p', partial, "Python: only between Profiler.enable() and disable()"),
    FLAG("lines", 'l', lines, "Python: lines as well as functions; needs --partial"),
    FLAG("no-follow", 0, no_follow,
         "record the command's own process only, and wait for no other"),
    FLAG("check-exit-code", 0, check_exit_code,
         "a command that fails ends the run without a report, exit code 4"),
    FLAG("ignore-exit-code", 0, ignore_exit_code,
         "exit with 0 whatever the command's exit code is"),
    FLAG("no-capture-tool", 0, no_capture_tool,
         "be the command itself: set the environment, record nothing, report nothing"),

    {.name = "report",
     .letter = 'r',
     .kind = OPTION_FLAG,
     .at = AT(report),
     .help = "make the reports when it is over; records ops",
     .group = "Outputs"},
    {.name = "output-folder",
     .letter = 'o',
     .kind = OPTION_FILE,
     .at = AT(output_folder),
     .arg = "FOLDER",
     .help = "artifacts folder; default TT_METAL_PROFILER_DIR, else generated/profiler in "
             "TT_METAL_HOME or here"},
    {.name = "name-append",
     .letter = 'n',
     .kind = OPTION_TEXT,
     .at = AT(name_append),
     .arg = "NAME",
     .help = "goes into the names of the run folder and of reports"},
    {.name = "device-analysis-types",
     .letter = 'a',
     .kind = OPTION_LIST,
     .at = AT(analysis_types),
     .arg = "TYPE",
     .help = "only this analysis of the device in the report; may be given again"},
    {.name = "child-functions",
     .kind = OPTION_TEXT,
     .at = AT(child_functions),
     .arg = "NAME,...",
     .help = "host zones whose time is attributed to the op around them"},
    FLAG("process-logs-only", 0, process_logs_only,
         "run nothing: report from the .logs that are there"),
    FLAG("verbose", 'v', verbose, "tell more"),
    FLAG("quiet", 0, quiet, "tell only what went wrong"),

    {.name = "no-device",
     .kind = OPTION_FLAG,
     .at = AT(no_device),
     .help = "do not profile the device",
     .group = "Device"},
    FLAG("sync-host-device", 0, sync, "measure how the clocks of devices run"),
    {.name = "op-support-count",
     .kind = OPTION_INT,
     .at = AT(op_support_count),
     .arg = "N",
     .help = "programs that fit in the device's buffers between two reads"},
    {.name = "profiler-capture-perf-counters",
     .kind = OPTION_TEXT,
     .at = AT(counters),
     .arg = "GROUP,...",
     .help = "hardware counters: fpu, pack, unpack, l1_0 .. l1_4, instrn, or all"},
    FLAG("collect-noc-traces", 0, noc_traces, "NoC events, as noc_trace_*.json"),
    FLAG("profile-dispatch-cores", 0, dispatch_cores, "dispatch cores as well"),
    FLAG("enable-sum-profiling", 0, sum, "zones that only add up"),
    FLAG("enable-accumulate-profiling", 0, accumulate,
         "several programs in one L1 buffer; no program ids, so no --report"),
    FLAG("device-trace-profiler", 0, trace_only, "only whole trace replays"),
    FLAG("device-memory-profiler", 0, memory, "buffers in L1 and DRAM"),
    FLAG("dump-device-data-mid-run", 0, mid_run_dump, "write files at every read"),
    FLAG("disable-device-data-dump-to-files", 0, no_files, "no files from the device"),
    FLAG("disable-device-data-push-to-tracy", 0, no_push,
         "accepted, without effect: device and host meet in 'ttprof timeline' only"),
    FLAG("no-runtime-analysis", 0, no_runtime_analysis, "no cpp_device_perf_report.csv"),
    FLAG("no-op-info-cache", 0, no_op_info_cache, "the whole record of every op"),

    {.name = "start-at",
     .kind = OPTION_TEXT,
     .at = AT(start_at),
     .arg = "SIGNPOST",
     .help = "record from this signpost on",
     .group = "Window"},
    {.name = "start-signpost",
     .kind = OPTION_TEXT,
     .at = AT(start_at),
     .arg = "SIGNPOST",
     .help = "the same as --start-at"},
    {.name = "stop-at",
     .kind = OPTION_TEXT,
     .at = AT(stop_at),
     .arg = "SIGNPOST",
     .help = "record until this signpost"},
    {.name = "end-signpost",
     .kind = OPTION_TEXT,
     .at = AT(stop_at),
     .arg = "SIGNPOST",
     .help = "the same as --stop-at"},
    {.name = "skip",
     .kind = OPTION_INT,
     .at = AT(skip),
     .arg = "N",
     .help = "pass over the first N signposts of --start-at; without it, the first N "
             "frames"},
    {.name = "for",
     .kind = OPTION_REAL,
     .at = AT(seconds),
     .arg = "SECONDS",
     .help = "record so long, from when recording begins"},
    {.name = "snapshot-on",
     .kind = OPTION_TEXT,
     .at = AT(snapshot_on),
     .arg = "SIGNAL",
     .help = "copy what is recorded so far when ttprof gets this signal, as USR1; it is "
             "not forwarded. Default: USR1 with --flight, else none"},

    {.name = "policy",
     .kind = OPTION_CHOICE,
     .at = AT(policy),
     .choices = "drop-newest drop-oldest block",
     .help = "when a thread's ring is full: lose new events, lose old ones (flight "
             "recorder), or wait; default drop-newest",
     .group = "Recorder"},
    FLAG("flight", 0, flight, "the same as --policy drop-oldest"),
    {.name = "ring-size",
     .kind = OPTION_TEXT,
     .at = AT(ring_size),
     .arg = "BYTES",
     .help = "room for the events of one thread, as 512K or 64M; default 4M"},
    {.name = "max-size",
     .kind = OPTION_TEXT,
     .at = AT(max_size),
     .arg = "BYTES",
     .help = "of all streams of the run together, as 2G; default: no limit"},

    {.name = "port",
     .letter = 't',
     .kind = OPTION_INT,
     .at = AT(port),
     .arg = "PORT",
     .help = "TRACY_PORT for the command: where a Tracy client in it listens. ttprof needs "
             "no port and opens none",
     .group = "Live"},
    FLAG("listen", 0, listen, "as --port, with the first free port from 8086 on"),
    {.name = "web-app-port",
     .kind = OPTION_INT,
     .at = AT(web_app_port),
     .arg = "PORT",
     .help = "accepted for scripts of the reference: no server is left running"},
    {.name = "tracy-tools-folder",
     .kind = OPTION_FILE,
     .at = AT(tools_folder),
     .arg = "FOLDER",
     .help = "accepted for scripts of the reference: no tools of Tracy are needed"},
};

const struct option_table run_option_table = {options, sizeof options / sizeof *options};

static int run_command(const void *values, struct words words, struct err *e)
{
    struct wrapped_run r = {.v = values, .options = run_option_table};
    int code = run_whole(&r, words, e);
    run_free(&r);
    return code;
}

static const struct example examples[] = {
    {"ttprof run -- ./model --steps 3", "record a program and all processes it starts"},
    {"ttprof run -r -- ttprof sim run mlp",
     "host and device of a run on the software "
     "device, with reports"},
    {"ttprof run -p -r -m pytest tests/test_model.py",
     "a Python module, as the reference "
     "is called"},
    {"ttprof run --start-at start --stop-at stop -- ./model", "only between two signposts"},
    {"ttprof run --flight --ring-size 64M -- ./server",
     "keep the last events only; 'kill -USR1' of ttprof writes a snapshot"},
};

const struct command cmd_run = {
    .name = "run",
    .args = "[--] COMMAND [ARGUMENTS]",
    .what = "run a command and record it, its processes and its devices",
    .about =
        "Runs COMMAND and records what it does: zones, messages and signposts of programs "
        "that use libttprof, the lives of all its processes, and the device profile. What "
        "is recorded is in a run folder below the artifacts folder; it is complete up to "
        "the last event even when a process is killed. The exit code is the command's.\n\n"
        "The words of the command are executed as they are, without a shell; a single word "
        "that holds a whole command is split as a shell would. Options end at the first "
        "word.",
    .exit_status =
        "That of the command, 128 + N when signal N ended it, 0 with --ignore-exit-code. 2 "
        "when the command line is wrong; 1 when options exclude each other; 3 when ttprof "
        "was interrupted; 4 when the command failed and --check-exit-code is given; 126 "
        "when the command cannot be executed, 127 when there is none.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .examples = examples,
    .n_examples = sizeof examples / sizeof *examples,
    .most_words = SIZE_MAX,
    .stops_at_word = true,
    .run = run_command,
    .defaults = &run_defaults,
    .values_size = sizeof run_defaults,
};
