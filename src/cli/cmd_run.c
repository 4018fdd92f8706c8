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
    // clang-format off
    {.name = "module", .letter = 'm', .kind = OPTION_FLAG, .at = AT(module), .group = "Command",
     .help = "the command is a Python module, run as by 'python3 -m'"},
    {.name = "interpreter", .kind = OPTION_TEXT, .at = AT(interpreter), .arg = "PROGRAM",
     .help = "run Python files and modules with this interpreter (default: the one a file names, else python3)"},
    FLAG("no-follow", 0, no_follow, "record and wait for the command's own process only"),
    FLAG("check-exit-code", 0, check_exit_code, "exit with 4 and make no report if the command fails"),
    FLAG("ignore-exit-code", 0, ignore_exit_code, "exit with 0 whatever the command's exit code is"),
    FLAG("no-capture-tool", 0, no_capture_tool, "replace ttprof by the command: set the environment, record and report nothing"),
    {.name = "partial", .letter = 'p', .kind = OPTION_FLAG, .at = AT(partial), .group = "Python",
     .help = "record functions only between Profiler.enable() and disable()"},
    FLAG("lines", 'l', lines, "with --partial, also record lines"),
    FLAG("no-python", 0, no_python, "do not record functions of Python programs"),
    {.name = "python-include", .kind = OPTION_LIST, .at = AT(python_include), .arg = "PATTERN",
     .help = "record only functions of this module, as 'json' or 'json.decoder.*', or file, as '*/model/*'; repeatable"},
    {.name = "python-exclude", .kind = OPTION_LIST, .at = AT(python_exclude), .arg = "PATTERN",
     .help = "do not record these functions; repeatable"},
    {.name = "python-depth", .kind = OPTION_INT, .at = AT(python_depth), .arg = "N",
     .help = "record at most N nested functions"},
    {.name = "report", .letter = 'r', .kind = OPTION_FLAG, .at = AT(report), .group = "Outputs",
     .help = "record ops and make the reports after the run"},
    {.name = "output-folder", .letter = 'o', .kind = OPTION_FILE, .at = AT(output_folder), .arg = "FOLDER",
     .help = "artifacts folder (default TT_METAL_PROFILER_DIR, else generated/profiler in TT_METAL_HOME or the current folder)"},
    {.name = "name-append", .letter = 'n', .kind = OPTION_TEXT, .at = AT(name_append), .arg = "NAME",
     .help = "append NAME to the names of the run folder and of reports"},
    {.name = "device-analysis-types", .letter = 'a', .kind = OPTION_LIST, .at = AT(analysis_types), .arg = "TYPE",
     .help = "only this device analysis in the report; repeatable"},
    {.name = "child-functions", .kind = OPTION_TEXT, .at = AT(child_functions), .arg = "NAME,...",
     .help = "host zones whose time is attributed to the enclosing op"},
    FLAG("process-logs-only", 0, process_logs_only, "run nothing; report from the existing .logs"),
    FLAG("verbose", 'v', verbose, "print more"),
    FLAG("quiet", 0, quiet, "print errors only"),
    {.name = "no-device", .kind = OPTION_FLAG, .at = AT(no_device), .group = "Device",
     .help = "do not profile the device"},
    FLAG("sync-host-device", 0, sync, "sync the clocks of host and devices"),
    {.name = "op-support-count", .kind = OPTION_INT, .at = AT(op_support_count), .arg = "N",
     .help = "programs that fit in the device's buffers between two reads"},
    {.name = "profiler-capture-perf-counters", .kind = OPTION_TEXT, .at = AT(counters), .arg = "GROUP,...",
     .help = "hardware counters: fpu, pack, unpack, l1_0 .. l1_4, instrn, or all"},
    FLAG("collect-noc-traces", 0, noc_traces, "record NoC events as noc_trace_*.json"),
    FLAG("profile-dispatch-cores", 0, dispatch_cores, "also profile dispatch cores"),
    FLAG("enable-sum-profiling", 0, sum, "enable sum zones"),
    FLAG("enable-accumulate-profiling", 0, accumulate, "several programs in one L1 buffer; no program ids, so no --report"),
    FLAG("device-trace-profiler", 0, trace_only, "record only whole trace replays"),
    FLAG("device-memory-profiler", 0, memory, "record buffers in L1 and DRAM"),
    FLAG("dump-device-data-mid-run", 0, mid_run_dump, "read whenever a core nears full, and write files at every read"),
    {.name = "level", .kind = OPTION_CHOICE, .at = AT(level), .choices = "off coarse all",
     .help = "coarse: firmware and kernel zones only"},
    {.name = "overflow", .kind = OPTION_CHOICE, .at = AT(overflow), .choices = "drop stall",
     .help = "when buffers are full: drop markers, or stall until they are read (default drop; stall with --dump-device-data-mid-run)"},
    FLAG("watermark", 0, watermark, "read between programs before the buffers are full"),
    FLAG("disable-device-data-dump-to-files", 0, no_files, "write no device files"),
    FLAG("disable-device-data-push-to-tracy", 0, no_push, "do not send device zones to a Tracy server that is connected"),
    FLAG("no-runtime-analysis", 0, no_runtime_analysis, "write no cpp_device_perf_report.csv"),
    FLAG("no-op-info-cache", 0, no_op_info_cache, "record every op in full"),
    {.name = "start-at", .kind = OPTION_TEXT, .at = AT(start_at), .arg = "SIGNPOST", .group = "Window",
     .help = "start recording at this signpost"},
    {.name = "start-signpost", .kind = OPTION_TEXT, .at = AT(start_at), .arg = "SIGNPOST",
     .help = "same as --start-at"},
    {.name = "stop-at", .kind = OPTION_TEXT, .at = AT(stop_at), .arg = "SIGNPOST",
     .help = "stop recording at this signpost"},
    {.name = "end-signpost", .kind = OPTION_TEXT, .at = AT(stop_at), .arg = "SIGNPOST",
     .help = "same as --stop-at"},
    {.name = "skip", .kind = OPTION_INT, .at = AT(skip), .arg = "N",
     .help = "skip the first N signposts of --start-at; without it, the first N frames"},
    {.name = "for", .kind = OPTION_REAL, .at = AT(seconds), .arg = "SECONDS",
     .help = "stop this long after recording started"},
    {.name = "snapshot-on", .kind = OPTION_TEXT, .at = AT(snapshot_on), .arg = "SIGNAL",
     .help = "take a snapshot when ttprof receives this signal, as USR1; it is not forwarded (default: USR1 with --flight, else none)"},
    {.name = "policy", .kind = OPTION_CHOICE, .at = AT(policy), .choices = "drop-newest drop-oldest block", .group = "Recorder",
     .help = "when a thread's ring is full: drop new events, overwrite old ones (flight recorder), or wait (default drop-newest)"},
    FLAG("flight", 0, flight, "same as --policy drop-oldest"),
    {.name = "ring-size", .kind = OPTION_TEXT, .at = AT(ring_size), .arg = "BYTES",
     .help = "ring size of a thread, as 512K or 64M (default 4M)"},
    {.name = "max-size", .kind = OPTION_TEXT, .at = AT(max_size), .arg = "BYTES",
     .help = "limit for all streams of the run together, as 2G (default: none)"},
    {.name = "port", .letter = 't', .kind = OPTION_INT, .at = AT(port), .arg = "PORT", .group = "Live",
     .help = "set TRACY_PORT, where the Tracy client of a static program listens; others get a port of their own"},
    FLAG("listen", 0, listen, "let Tracy's GUI and capture tool connect to programs that use libttprof"),
    {.name = "web-app-port", .kind = OPTION_INT, .at = AT(web_app_port), .arg = "PORT",
     .help = "accepted for compatibility: no server is started"},
    {.name = "tracy-tools-folder", .kind = OPTION_FILE, .at = AT(tools_folder), .arg = "FOLDER",
     .help = "accepted for compatibility: no Tracy tools are needed"},
    // clang-format on
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
     "record host and device on the software device, with reports"},
    {"ttprof run -p -r -m pytest tests/test_model.py",
     "run a Python module, as with the reference"},
    {"ttprof run --start-at start --stop-at stop -- ./model",
     "record only between two signposts"},
    {"ttprof run --flight --ring-size 64M -- ./server",
     "keep the last events only; 'kill -USR1' on ttprof takes a snapshot"},
};

const struct command cmd_run = {
    .name = "run",
    .args = "[--] COMMAND [ARGUMENTS]",
    .what = "record a command, its processes and its devices",
    .about =
        "Runs COMMAND and records zones, messages and signposts of programs that use "
        "libttprof, the lifetime of all its processes, and the device profile. The "
        "recording goes to a run folder in the artifacts folder; it is complete up to the "
        "last event even if a process is killed. The exit code is the command's.\n\nThe "
        "command is executed without a shell; a single word that contains a whole command "
        "is split like a shell would. Options end at the first word.",
    .exit_status =
        "That of the command, 128 + N if signal N ended it, 0 with --ignore-exit-code. 2 "
        "for a bad command line; 1 for conflicting options; 3 if ttprof was interrupted; 4 "
        "if the command failed and --check-exit-code is given; 126 if the command cannot "
        "be executed, 127 if it was not found.",
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
