#!/usr/bin/python3
"""test_docs.py TTPROF SOURCE_ROOT - help, manual pages, completion and documents agree with the program.

Blocks marked ```console in README.md, CONTRIBUTING.md and docs/ are run: each line `$ ttprof ...`
(variables may stand before it) in a scratch folder that holds a sample as ops_perf_results.csv. Where output follows, it must be
exactly that (`...` on a line of its own stands for any lines); otherwise the exit code must be 0. So are lines that begin
with `cc`, `c++` or `python3`: they find the headers of include/, the libraries beside ttprof and the packages of python/ as
if they were installed.
"""
import json
import os
import re
import shutil

import tap

PROGRAMS = ("ttprof", "tt-perf-report")
COMPILERS = ("cc", "c++")
INTERPRETERS = ("python3",)


def options_of(t, command):
    """Long options as the help lists them."""
    text = tap.run([t.ttprof, command, "--help"], t.scratch).stdout.decode()
    return re.findall(r"^  (?:-\w, )?--([a-z0-9_-]+)", text, re.M)


def commands_of(t):
    text = tap.run([t.ttprof, "--help"], t.scratch).stdout.decode()
    return re.findall(r"^  ([\w-]+)", text.split("Commands:\n")[1], re.M)


def printed(t, *arguments):
    return tap.run([t.ttprof, "help", *arguments], t.scratch).stdout.decode()


def check_tables(t, commands):
    """What is made from the option tables names every option."""
    shells = {s: printed(t, "--completion", s) for s in ("bash", "zsh", "fish")}
    for command in commands:
        options = [o for o in options_of(t, command) if o != "help"]
        man = printed(t, "--man", command).replace("\\-", "-")
        missing = [o for o in options if not re.search(rf"^\.B (?:-\w, )?--{o}(?: |$)", man, re.M)]
        t.ok(not missing, f"the manual page of {command} has all {len(options)} options", missing)
        for shell, script in shells.items():
            pattern = rf"seen_subcommand_from {command}' -l {{}}(?: |$)" if shell == "fish" else "--{}[ ']"
            missing = [o for o in options if not re.search(pattern.format(o), script, re.M)]
            t.ok(not missing, f"the {shell} completion has all options of {command}", missing)
    t.ok(len(options_of(t, "report")) > 25, "the help of report lists its options", options_of(t, "report"))


def check_manual(t, commands):
    installed = re.search(r"foreach name : \[(.*?)\]", (t.root / "docs/meson.build").read_text(encoding="utf-8"), re.S)[1]
    t.equal(sorted(re.findall(r"'([\w-]+)'", installed)), sorted(commands), "each command's manual page is installed")
    for page in [None, *commands]:
        arguments = ["--man", page] if page else ["--man"]
        name = f"ttprof-{page}" if page else "ttprof"
        path = t.scratch / f"{name}.1"
        path.write_text(printed(t, *arguments), encoding="utf-8")
        if shutil.which("groff"):
            done = tap.run(["groff", "-man", "-ww", "-Tutf8", "-z", path], t.scratch)
            t.ok(done.code == 0 and not done.stderr, f"{name}(1) is set without warnings", done.stderr.decode())
        else:
            t.skip(f"{name}(1) is set without warnings", "no groff")
        if shutil.which("man"):
            done = tap.run(["man", "--warnings", "-l", path], t.scratch, MANWIDTH="80", MANPAGER="cat")
            shown = re.sub(r".\x08", "", done.stdout.decode())
            t.ok(done.code == 0 and "SYNOPSIS" in shown and "EXIT STATUS" in shown, f"man shows {name}(1)", done)
        else:
            t.skip(f"man shows {name}(1)", "no man")


COMPLETIONS = [
    ("ttprof rep", ["report"]),
    ("ttprof report --gro", ["--group-by"]),
    ("ttprof report --group-by ", ["op", "memory", "category"]),
    ("ttprof report --group-by m", ["memory"]),
    ("ttprof report --csv in", ["in.csv"]),
    ("ttprof report in", ["in.csv"]),
    ("ttprof report --no-a", ["--no-advice"]),
    ("ttprof help --completion ", ["bash", "zsh", "fish"]),
    ("ttprof sim ru", ["run"]),
    ("ttprof sim run --fid", ["--fidelity"]),
    ("ttprof sim run --arch w", ["wormhole"]),
    ("ttprof nosuch --gro", []),
    ("tt-perf-report --gro", ["--group-by"]),
]
COMPLETE = """
source ./ttprof.bash || exit 9
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
spec=$(complete -p "$1") || exit 8
"$(sed 's/.*-F \\([^ ]*\\) .*/\\1/' <<<"$spec")"
printf '%s\\n' "${COMPREPLY[@]}"
"""


def check_completion(t):
    bash = shutil.which("bash")
    folder = t.folder("complete")
    (folder / "ttprof.bash").write_text(printed(t, "--completion", "bash"), encoding="utf-8")
    (folder / "in.csv").write_text("")
    for line, want in COMPLETIONS:
        if not bash:
            t.skip(f"bash completes '{line}'", "no bash")
            continue
        done = tap.run([bash, "--norc", "-uc", COMPLETE, "complete", *line.split(" ")], folder)
        t.ok(done.stdout.decode().split() == want and not done.stderr, f"bash completes '{line}' to {want}", done)
    for shell, arguments in (("zsh", ["-fnc"]), ("fish", ["--no-config", "--no-execute", "-c"])):
        if shutil.which(shell):
            done = tap.run([shell, *arguments, printed(t, "--completion", shell)], folder)
            t.ok(done.code == 0 and not done.stderr, f"{shell} takes its completion", done)
        else:
            t.skip(f"{shell} takes its completion", f"no {shell}")


def blocks_of(text):
    """Blocks marked console, each as (line number, lines)."""
    lines = text.splitlines()
    at = 0
    while at < len(lines):
        mark = re.match(r"^(\s*)```(\w*)\s*$", lines[at])
        start = at + 1
        at += 1
        if not mark:
            continue
        while at < len(lines) and lines[at].strip() != "```":
            at += 1
        if mark.group(2) == "console":
            yield start, [line.removeprefix(mark.group(1)) for line in lines[start:at]]
        at += 1


def example_files(text):
    """Blocks whose first line is a comment with a file's name, as `# NAME.ini` or `// NAME.c - ...`: the examples use them."""
    for block in re.findall(r"^```(?:ini|c|cpp|python)\n(.*?)^```$", text, re.M | re.S):
        name = re.match(r"(?:#|//) ([\w.]+\.(?:ini|c|cpp|h|py))\b", block)
        if name:
            yield name.group(1), block


def commands_in(start, lines):
    """Each command of a block as (line number, command, lines of output)."""
    found = []
    for number, line in enumerate(lines, start + 1):
        if line.startswith("$ "):
            found.append((number, line[2:], []))
        elif found and found[-1][1].endswith("\\"):
            number, command, output = found[-1]
            found[-1] = (number, command[:-1] + line.removeprefix("> "), output)
        elif found:
            found[-1][2].append(line)
    return found


def find_lines(part, lines, at):
    return next((i for i in range(at, len(lines) - len(part) + 1) if lines[i:i + len(part)] == part), None)


def mismatch(shown, lines):
    """Where the output is not what a document shows; None: nowhere."""
    parts = [[]]
    for line in shown:
        if line == "...":
            parts.append([])
        else:
            parts[-1].append(line)
    if len(parts) == 1:
        return None if shown == lines else tap.difference("\n".join(lines), "\n".join(shown))
    first, last = parts[0], parts[-1]
    if lines[:len(first)] != first:
        return "the beginning: " + tap.difference("\n".join(lines[:len(first)]), "\n".join(first))
    at, end = len(first), len(lines) - len(last)
    if end < at or lines[end:] != last:
        return "the end: " + tap.difference("\n".join(lines[max(end, 0):]), "\n".join(last))
    for part in parts[1:-1]:
        hit = find_lines(part, lines[:end], at)
        if hit is None:
            return "not in the output, or not in this order:\n" + "\n".join(part)
        at = hit + len(part)
    return None


def as_installed(t, links):
    """What makes the programs, headers and libraries of this build those of the system."""
    libraries = str(t.ttprof.parent)
    return {"PATH": f"{links}:{os.environ['PATH']}", "CPATH": str(t.root / "include"), "LIBRARY_PATH": libraries, "LD_LIBRARY_PATH": libraries,
            "PYTHONPATH": str(t.root / "python"), "TTPROF_LIBRARY": libraries}


def check_documents(t):
    documents = [p for p in (t.root / "README.md", t.root / "CONTRIBUTING.md") if p.exists()]
    documents += sorted((t.root / "docs").rglob("*.md"))
    links = t.folder("bin")
    for program in PROGRAMS:
        os.symlink(t.ttprof, links / program)
    count = 0
    for path in documents:
        name = path.relative_to(t.root)
        folder = t.folder("doc")
        t.sample(folder / "ops_perf_results.csv")
        t.device_log(folder / "profile_log_device.csv", "--ops", "20")
        for name_, lines in example_files(path.read_text(encoding="utf-8")):
            (folder / name_).write_text(lines, encoding="utf-8")
        for start, lines in blocks_of(path.read_text(encoding="utf-8")):
            for number, command, output in commands_in(start, lines):
                program = next((w for w in command.split() if "=" not in w), "")
                if program not in PROGRAMS + COMPILERS + INTERPRETERS:
                    continue
                count += 1
                if not shutil.which(program) and program in COMPILERS:
                    t.skip(f"{name}:{number}: {command}", f"no {program}")
                    break
                done = tap.run(["/bin/sh", "-c", f"exec 2>&1; {command}"], folder, **as_installed(t, links))
                wrong = mismatch(output, done.stdout.decode().splitlines()) if output else done.code and str(done)
                t.ok(not wrong, f"{name}:{number}: {command}", wrong)
    if not count:
        t.skip("examples in documents", "no document has a block marked console")


def check_variables(t):
    """Every variable that the profiler obeys is explained."""
    said = json.loads(tap.run([t.ttprof, "doctor", "--json"], t.scratch).stdout.decode())
    names = [s["variable"] for s in said["settings"]]
    t.ok(len(names) > 25, "the doctor lists the variables", names)
    for document in ("docs/doctor.md", "docs/kernel-profiling.md"):
        text = (t.root / document).read_text(encoding="utf-8")
        missing = [n for n in names if not re.search(rf"`{n}\b", text)]
        t.ok(not missing, f"{document} has all {len(names)} variables", missing)


def check_self(t):
    """The comparison itself."""
    out = ["a", "b", "c", "d"]
    for shown, fits in ((["a", "b", "c", "d"], True), (["a", "..."], True), (["...", "d"], True), (["a", "...", "d"], True),
                        (["...", "b", "c", "..."], True), (["a", "b", "...", "c", "d"], True), (["..."], True),
                        (["a", "b", "c"], False), (["b", "..."], False), (["...", "c"], False), (["...", "c", "...", "b", "..."], False),
                        (["a", "...", "a", "b", "c", "d"], False)):
        t.ok((mismatch(shown, out) is None) == fits, f"{' '.join(shown)} {'fits' if fits else 'does not fit'} {' '.join(out)}")
    text = "x\n```console\n$ ttprof a \\\n> b\nout\n```\n```sh\n$ ttprof c\n```\n"
    t.equal([c for b in blocks_of(text) for c in commands_in(*b)], [(3, "ttprof a b", ["out"])], "blocks and commands are found")


def test(t):
    commands = commands_of(t)
    check_tables(t, commands)
    check_manual(t, commands)
    check_completion(t)
    check_documents(t)
    check_variables(t)
    check_self(t)


tap.main(test)
