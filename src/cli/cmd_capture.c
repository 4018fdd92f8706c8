// cmd_capture.c - `ttprof capture`: its options and help.
#include "app/capture/record.h"
#include "cli/command.h"

#define AT(field) .at = offsetof(struct capture_values, field)

static const struct option options[] = {
    // clang-format off
    {.name = "output", .letter = 'o', .kind = OPTION_FILE, AT(output), .arg = "FILE", .group = "Output",
     .help = "the .tracy file to write, or a run folder if it ends in / or is a folder; required"},
    {.name = "force", .letter = 'f', .kind = OPTION_FLAG, AT(force),
     .help = "overwrite it if it exists; of a folder only captures"},
    {.name = "format", .kind = OPTION_CHOICE, AT(format), .choices = "0.10 0.14",
     .help = "version of the file (default: that of the client)"},

    {.name = "address", .letter = 'a', .kind = OPTION_TEXT, AT(address), .arg = "HOST", .group = "Client",
     .help = "machine of the client (default: this one)"},
    {.name = "port", .letter = 'p', .kind = OPTION_INT, AT(port), .arg = "PORT",
     .help = "its port (default 8086); with --all: UDP port of announcements"},
    {.name = "all", .kind = OPTION_FLAG, AT(all),
     .help = "capture every client that announces itself on this machine, each into a file of its own, or as a process of the run folder, until Ctrl-C or -s"},

    {.name = "seconds", .letter = 's', .kind = OPTION_INT, AT(seconds), .arg = "N", .group = "Limits",
     .help = "stop after so many seconds"},
    {.name = "memory", .letter = 'm', .kind = OPTION_INT, AT(memory), .arg = "PERCENT",
     .help = "part of the main memory that may be used; more goes to a temporary file beside the output"},
    // clang-format on
};

static const struct example examples[] = {
    {"ttprof capture -o run.tracy", "wait for a client on this machine and capture it"},
    {"ttprof capture -o run.tracy -f -a build-host -p 8087 -s 10",
     "ten seconds of a program on another machine"},
    {"ttprof capture --all -o out/all.tracy", "every client, as out/all-PROGRAM-PID.tracy"},
    {"ttprof capture --all -o run/",
     "every client as a process of one run, for ttprof timeline run"},
};

static const struct capture_values defaults = {.port = 8086};

static int run_capture(const void *values, struct words words, struct err *e)
{
    return capture_command(values, words, e);
}

const struct command cmd_capture = {
    .name = "capture",
    .args = "-o FILE|FOLDER/",
    .what = "record a program that has a Tracy client",
    .about =
        "Connects to a program that was built with Tracy, or that uses ttprof's recorder "
        "with TTPROF_TRACY=1, and writes what it sends to a .tracy file or a run folder. Waits until there "
        "is such a program. Ends with the program; Ctrl-C ends it earlier, and a second "
        "Ctrl-C at once. Whatever happens to the program, what it sent is saved.\n\n"
        "Clients of Tracy 0.10 (protocol 66, tt-metal), 0.14 (82) and 0.14.1 (83, tt-metal) "
        "are supported.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .examples = examples,
    .n_examples = sizeof examples / sizeof *examples,
    .also = "tracy-capture",
    .has_compatible_exit = true,
    .usage_exit = 1,
    .exit_status =
        "Those of Tracy's capture tool: 0 if a trace was saved, even one that is cut; 1 if "
        "the client speaks another protocol, or for a bad command line; 2 if another "
        "server was connected to the client before; 3 if there was no connection, or it "
        "broke in the handshake; 4 if the output exists and -f is not given; 5 if it "
        "cannot be written.",
    .run = run_capture,
    .defaults = &defaults,
    .values_size = sizeof defaults,
};
