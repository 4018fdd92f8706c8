#!/usr/bin/python3
"""test_hostile.py TTPROF SOURCE_ROOT - input made to do harm: names that steer terminals, bytes that are no text, files without an
end, files that become shorter while they are read, clocks and file names chosen with care.
"""
import gzip
import json
import os
import pty
import re
import shutil
import subprocess
import unicodedata

import ops_logs
import runs
import tap
import train_tables

ESCAPE = "evil\x1b[2J\x1b]0;owned\x07\u009b31m\x7f"  # clears the screen, sets the title, 8-bit control sequence
BYTES = b"bad\xff\xfe\xc3("
PAINT = re.compile(rb"\x1b\[38;5;\d{1,3}m|\x1b\[0m")  # our own colours


def harmful(data):
    """What steers a terminal: control characters other than line ends and tabs, and bytes that are not UTF-8."""
    try:
        text = data.decode()
    except UnicodeDecodeError as e:
        return str(e)
    return [c for c in text if unicodedata.category(c) == "Cc" and c not in "\n\t"]


def ops_table(folder, name, code="UnaryDeviceOperation"):
    table = train_tables.Table()
    table.signpost(f"{code} begins")
    for _ in range(3):
        table.op(code, 9000)
    table.op("MatmulDeviceOperation " + code, 9000)
    return table.write(folder / name)


def device_log(t, path, zone, *options):
    """A log with another zone name, and that name as a RISC, too."""
    t.device_log(path, "--ops", "3", "--grid", "2x2", *options)
    path.write_bytes(path.read_bytes().replace(b"READ-TILES", zone))
    return path


def run_folder(folder, name, arguments="worker"):
    p = runs.Process(100, program=name)
    p.location(name, name, name, 10)
    p.thread(100, [("SIGNPOST", 1500, name), ("ZONE_BEGIN", 2000, 1), ("ZONE_TEXT", 2100, name), ("MESSAGE", 2200, name), ("ZONE_END", 3000)], name)
    return runs.write(folder, [p], [["start", 1000, 100, 7100, 1, name, arguments], ["ended", 11000, 100, 7100, 0, 1]])


def inputs(t, folder, name):
    """One of each kind of input, with the name in it."""
    ops_table(folder, "ops.csv", name)
    ops_table(folder, "other.csv", "Other")
    train_tables.training(2).write(folder / "train.csv")
    train = (folder / "train.csv").read_text()
    (folder / "train.csv").write_text(train.replace("Matmul", name))
    device_log(t, folder / "log.csv", name.encode())
    run_folder(folder / "run", name)
    ops_logs.write_host(folder / "logs", [name, "Other"])
    ops_logs.write_cpp(folder / "logs", [ops_logs.cpp_row(0), ops_logs.cpp_row(1)])
    os.symlink("ops.csv", folder / f"{name}.csv")


def check_terminal(t):
    folder = t.folder("terminal")
    inputs(t, folder, ESCAPE)
    (folder / "bad.c").write_text(f'void kernel_main(void) {{ {ESCAPE}("{ESCAPE}"); }}\n')
    (folder / "nosuch.csv").write_text(f"{ESCAPE},b\n1,2,3\n")
    odd = f"{ESCAPE}.csv"
    commands = [
        ["report", "ops.csv"], ["report", odd, "--csv", "out.csv"], ["report", "nosuch.csv"], ["report", f"no{odd}"],
        ["report", "ops.csv", "--json"], ["report", "ops.csv", "--start-signpost", ESCAPE], ["report", "ops.csv", "--sort", ESCAPE],
        ["device", "log.csv", "-o", "device"], ["device", "log.csv", "-o", "device", "--zone", ESCAPE], ["info", "log.csv"],
        ["info", "log.csv", "--json"], ["info", "run"], ["info", "run", "--json"], ["zones", "run"], ["zones", "run", "--json"],
        ["zones", "run", "--by", "thread"], ["timeline", "run"], ["ops", "logs"], ["ops", "logs", "--json", "-"], ["train", "train.csv"],
        ["ops-diff", "ops.csv", "other.csv"], ["check", "ops.csv"], ["check", "ops.csv", "--per-op"], ["check", "ops.csv", "--per-op", "--json"],
        ["decode", ESCAPE], ["kernel", "build", "bad.c"], ["kernel", "build", f"{ESCAPE}.c"], [ESCAPE], ["sim", ESCAPE], ["report", f"--{ESCAPE}"],
        ["run", "-o", "made", "--", f"./{ESCAPE}"], ["arch", ESCAPE], ["doctor", ESCAPE],
    ]
    for command in commands:
        done = tap.run([t.ttprof, *command], folder)
        shown = " ".join(command).replace(ESCAPE, "EVIL")
        t.ok(not harmful(done.stdout) and not harmful(done.stderr), f"{shown}: no control characters are printed", done)
    done = tap.run([t.ttprof, "report", "ops.csv"], folder)
    t.ok(rb"evil\x1b[2J\x1b]0;owned\x07\xc2\x9b31m\x7f" in done.stdout, "they are shown as escapes", done)
    done = tap.run([t.ttprof, "report", "ops.csv", "--color"], folder)
    t.ok(PAINT.search(done.stdout) and not harmful(PAINT.sub(b"", done.stdout)), "our own colours remain", done)
    done = tap.run([t.ttprof, "zones", "run", "--csv", "-"], folder)
    t.ok(ESCAPE.encode() in done.stdout, "whoever pipes a document gets its exact bytes", done)
    shown = on_terminal([t.ttprof, "zones", "run", "--csv", "-"], folder)
    t.ok(b"evil" in shown and not harmful(shown.replace(b"\r\n", b"\n")), "a terminal does not", shown)


def on_terminal(argv, cwd):
    ours, theirs = pty.openpty()
    with subprocess.Popen([str(a) for a in argv], cwd=cwd, env=tap.environment(), stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs):
        os.close(theirs)
        shown = b""
        while True:
            try:
                more = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            shown += more
    os.close(ours)
    return shown


def documents(folder):
    """Every JSON document below the folder, and why it is none."""
    found = {}
    for path in sorted(p for p in folder.rglob("*.json") if p.is_file()):
        try:
            json.loads(path.read_bytes().decode())
            found[str(path.relative_to(folder))] = ""
        except ValueError as e:
            found[str(path.relative_to(folder))] = str(e)
    return found


def check_json(t):
    folder = t.folder("json")
    name = os.fsdecode(BYTES)
    log = folder / f"{name}.csv"
    device_log(t, log, BYTES)
    log.write_bytes(log.read_bytes().replace(b"NCRISC", b"NC\xffRISC").replace(b"wormhole_b0", b"worm\xff"))
    ops_table(folder, "ops.csv")
    os.symlink("ops.csv", folder / f"ops{name}.csv")
    sample = run_folder(folder / name, "NAME-OF-ALL")
    for path in sample.rglob("*"):
        if path.is_file():
            path.write_bytes(path.read_bytes().replace(b"NAME-OF-ALL", BYTES + b"abcd"))
    commands = [
        ["device", log, "-o", "device", "--chrome-trace"], ["device", log, "-o", "full", "--analysis-data", "full"], ["report", f"ops{name}.csv", "--json"],
        ["info", log, "--json"], ["info", name, "--json"], ["zones", name, "--json"], ["check", f"ops{name}.csv", "--json"],
        ["check", f"ops{name}.csv", "--per-op", "--json"], ["train", f"ops{name}.csv", "--json", "train.json"], ["timeline", name, "-o", "page.html"],
        ["run", "-o", "made", "--", "true", name], ["doctor", "--json"],
    ]
    for command in commands:
        done = tap.run([t.ttprof, *command], folder, TT_METAL_PROFILER_DIR=name, TTPROF_SPARE=name)
        wrong = []
        if "--json" in command and command[-1] == "--json":
            try:
                json.loads(done.stdout.decode())
            except ValueError as e:
                wrong.append(str(e))
        t.ok(not wrong and done.code in (0, 1), f"{command[0]} {' '.join(map(str, command[2:]))!r}: what is printed is JSON", f"{wrong} {done}")
    found = documents(folder)
    t.ok(len(found) >= 5 and not any(found.values()), "every JSON file is one", found)
    for page in ("page.html", "device/device_perf.html"):
        texts = (folder / page).read_bytes() if (folder / page).exists() else b""
        try:
            texts.decode()
            t.ok(texts, f"{page} is UTF-8")
        except UnicodeDecodeError as e:
            t.ok(False, f"{page} is UTF-8", e)


def zstd_bomb(mib_of_packed):
    """RLE blocks: four bytes for each 128 KiB of text, 32 GiB in a MiB."""
    size = 1 << 17
    block = (size << 3 | 1 << 1).to_bytes(3, "little") + b"x"
    return b"\x28\xb5\x2f\xfd\x00\x38" + block * (mib_of_packed << 18) + b"\x01\x00\x00"


def check_endless(t):
    folder = t.folder("endless")
    (folder / "bomb.zst").write_bytes(zstd_bomb(1))
    with gzip.open(folder / "bomb.gz", "wb", 1) as f:
        for _ in range(320):
            f.write(bytes(1 << 20))
    limit = ["--max-input", "256M"]
    what = "is larger than 0.25 GiB, the limit for input held in memory; if it is sound, raise the limit with --max-input SIZE"
    for name, part in (("bomb.zst", "the decompressed text"), ("bomb.gz", "the decompressed text"), ("/dev/zero", "the input")):
        for command, code in ((["report", name, *limit], 1), (["device", name, "-o", "out", *limit], 5), (["info", name, *limit], 5)):
            done = tap.run([t.ttprof, *command], folder)
            t.equal((done.code, done.stdout, done.stderr.decode()), (code, b"", f"ttprof: {command[0]}: {name}: {part} {what}\n"),
                    f"{command[0]} of {name} ends with an error")
    with open("/dev/zero", "rb") as f:
        done = tap.run([t.ttprof, "report", "-", *limit], folder, stdin=f)
    t.equal((done.code, done.stderr.decode()), (1, f"ttprof: report: stdin: the input {what}\n"), "so does stdin without an end")
    ops_table(folder, "ops.csv")
    (folder / "ops.csv.gz").write_bytes(gzip.compress((folder / "ops.csv").read_bytes()))
    bytes_of = (folder / "ops.csv").stat().st_size
    plain = tap.run([t.ttprof, "report", "ops.csv", "--max-input", "1"], folder)
    t.ok(plain.code == 0, "a file that can be mapped has no limit", plain)
    fits = tap.run([t.ttprof, "report", "ops.csv.gz", "--max-input", str(bytes_of)], folder)
    t.equal((fits.code, fits.stdout), (0, plain.stdout), "what just fits is read")
    over = tap.run([t.ttprof, "report", "ops.csv.gz", "--max-input", str(bytes_of - 1)], folder)
    t.equal(over.code, 1, "a byte more is too much")
    for wrong in ("", "0", "-1", "many", "1X"):
        done = tap.run([t.ttprof, "report", "ops.csv", f"--max-input={wrong}"], folder)
        t.equal((done.code, done.stderr.decode()), (2, f"ttprof: report: --max-input: '{wrong}' is not a size, such as 500M or 8G\n"),
                f"--max-input '{wrong}' is refused")


def check_shorter(t):
    """The second input is a pipe: once it is opened, the first is mapped, and not read to its end."""
    for left in (0, 100, 50_000):
        folder = t.folder("shorter")
        table = train_tables.Table()
        for i in range(2000):
            table.op(f"Op{i}", 9000)
        table.write(folder / "ops.csv")
        rest = (folder / "ops.csv").read_bytes()
        os.mkfifo(folder / "pipe.csv")
        (folder / "out.csv").write_text("before\n")
        with subprocess.Popen([t.ttprof, "report", "ops.csv", "pipe.csv", "--csv", "out.csv"], cwd=folder, env=tap.environment(),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as p:
            with open(folder / "pipe.csv", "wb") as pipe:
                os.truncate(folder / "ops.csv", left)
                pipe.write(rest)
            _, said = p.communicate(timeout=tap.SECONDS)
        t.ok(p.returncode == 1 and ("\n" + said.decode()).endswith("\nttprof: report: ops.csv: became shorter while it was read, or its disk failed; run the "
             "command again when nothing writes to the file\n"), f"a file cut to {left} bytes while it is read is an error", (p.returncode, said))
        t.equal((folder / "out.csv").read_text(), "before\n", "no output is written from it")
        t.equal(sorted(os.listdir(folder)), ["ops.csv", "out.csv", "pipe.csv"], "nothing is left behind")


def check_clock(t):
    folder = t.folder("clock")
    log = t.device_log(folder / "log.csv", "--ops", "3", "--grid", "2x2")
    text = log.read_text()
    for mhz in (0, -1, 100_001, 1 << 32, 1 << 33, 1 << 62, 1 << 64, "x"):
        log.write_text(re.sub(r"CHIP_FREQ\[MHz\]: \d+", f"CHIP_FREQ[MHz]: {mhz}", text))
        for command in (["device", "log.csv", "-o", "out"], ["info", "log.csv"], ["timeline", "log.csv"]):
            done = tap.run([t.ttprof, *command], folder)
            t.ok(done.code == 0 and b"line 1" in done.stderr, f"{command[0]}: a clock of {mhz} MHz is odd data", done)


def check_file_names(t):
    if not shutil.which("riscv64-unknown-elf-gcc"):
        t.skip("sources whose names look like options", "riscv64-unknown-elf-gcc is not installed")
        return
    folder = t.folder("names")
    (folder / "resp.c").write_text("-DTAKEN -fplugin=nosuch")
    (folder / "resp.h").write_text("-DTAKEN -fplugin=nosuch")
    source = "#ifdef TAKEN\n#error taken\n#endif\nvoid kernel_main(void) { DeviceZoneScopedN(\"ZONE\"); }\n"
    for name in ("@resp.c", "-x.c", "@resp.cpp", "-DTAKEN.c"):
        (folder / name).write_text(source if name.endswith(".c") else source.replace("void)", ")"))
        done = tap.run([t.ttprof, "kernel", "build", "-o", "out.elf", "--", name], folder)
        t.ok(done.code == 0 and (folder / "out.elf").exists() and not done.stderr, f"{name} is a source and nothing else", done)
        (folder / "out.elf").unlink(missing_ok=True)
    (folder / "@resp.h").write_text("#define PRELUDE 1\n")
    (folder / "plain.c").write_text(source + "#ifndef PRELUDE\n#error no prelude\n#endif\n")
    done = tap.run([t.ttprof, "kernel", "build", "--prelude", "@resp.h", "plain.c"], folder)
    t.ok(done.code == 0, "@resp.h is a prelude and nothing else", done)


def main(t):
    check_terminal(t)
    check_json(t)
    check_endless(t)
    check_shorter(t)
    check_clock(t)
    check_file_names(t)


tap.main(main)
