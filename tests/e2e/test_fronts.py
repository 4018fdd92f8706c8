#!/usr/bin/python3
"""test_fronts.py TTPROF SOURCE_ROOT - ttprof/host.h, ttprof/host.hpp and the Tracy headers as programs use them.

The programs of tests/fronts use everything once. They compile without a warning in all languages, with and without
recording; linked with log_recorder.c they print what the headers make of each macro; linked with libttprof they are
recorded, and `ttprof zones` shows it. So do the C++ examples of the guides, unchanged.
"""
import concurrent.futures
import csv
import ctypes
import io
import pathlib
import re
import shutil
import sys

import tap

STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror"]
# The programs that are run are made by gcc and g++ as C11 and C++17.
LANGUAGES = {".c": {"gcc": ["c99", "c17"], "clang": ["c99", "c17"]},
             ".cpp": {"g++": ["c++11", "c++20"], "clang++": ["c++11", "c++17", "c++20"]}}
PROGRAMS = {"host.c": "TTPROF_ENABLE", "host.cpp": "TTPROF_ENABLE", "tracy.c": "TRACY_ENABLE", "tracy.cpp": "TRACY_ENABLE"}
TRACY_SYMBOLS = ["tracy_c.c", "tracy_c_locks.c", "tracy_places.c"]  # of src/record

# What Tracy's public headers define, 0.8 to 0.14 and the fork of tt-metal.
TRACY_HPP = """FrameImage FrameMark FrameMarkEnd FrameMarkNamed FrameMarkStart LockMark LockableBase LockableName
    SharedLockableBase SuppressVarShadowWarning TracyAlloc TracyAllocN TracyAllocNS TracyAllocS TracyAppInfo
    TracyFiberEnter TracyFiberEnterHint TracyFiberLeave TracyFile TracyFree TracyFreeN TracyFreeNS TracyFreeS
    TracyFunction TracyIsConnected TracyIsStarted TracyLine TracyLockable TracyLockableN TracyLogString
    TracyMemoryDiscard TracyMemoryDiscardS TracyMessage TracyMessageC TracyMessageCS TracyMessageL TracyMessageLC
    TracyMessageLCS TracyMessageLS TracyMessageS TracyNoop TracyParamTypeBool TracyParamTypeInt TracyParamTypeTrigger
    TracyParameterRegister TracyParameterSetup TracyPlot TracyPlotConfig TracySectionEnter TracySectionEnterCategory
    TracySectionLeave TracySectionSetup TracySecureAlloc TracySecureAllocN TracySecureAllocNS TracySecureAllocS
    TracySecureFree TracySecureFreeN TracySecureFreeNS TracySecureFreeS TracySecureMemoryDiscard
    TracySecureMemoryDiscardS TracySetProgramName TracySharedLockable TracySharedLockableN
    TracySourceCallbackRegister ZoneColor ZoneColorV ZoneIsActive ZoneIsActiveV ZoneName ZoneNameF ZoneNameV
    ZoneNameVF ZoneNamed ZoneNamedC ZoneNamedCS ZoneNamedN ZoneNamedNC ZoneNamedNCS ZoneNamedNS ZoneNamedS ZoneScoped
    ZoneScopedC ZoneScopedCS ZoneScopedN ZoneScopedNC ZoneScopedNCS ZoneScopedNS ZoneScopedS ZoneText ZoneTextF
    ZoneTextV ZoneTextVF ZoneTransient ZoneTransientN ZoneTransientNC ZoneTransientNS ZoneTransientS ZoneValue
    ZoneValueV TracyConcat TracyConcatIndirect TRACY_CALLSTACK""".split()
TRACY_C_H = """TracyCAlloc TracyCAllocN TracyCAllocNS TracyCAllocS TracyCAppInfo TracyCBeginSamplingProfiling
    TracyCEndSamplingProfiling TracyCFiberEnter TracyCFiberLeave TracyCFrameImage TracyCFrameMark TracyCFrameMarkEnd
    TracyCFrameMarkNamed TracyCFrameMarkStart TracyCFree TracyCFreeN TracyCFreeNS TracyCFreeS TracyCIsConnected
    TracyCIsStarted TracyCLockAfterLock TracyCLockAfterTryLock TracyCLockAfterUnlock TracyCLockAnnounce
    TracyCLockBeforeLock TracyCLockCustomName TracyCLockMark TracyCLockTerminate TracyCMemoryDiscard
    TracyCMemoryDiscardS TracyCMessage TracyCMessageC TracyCMessageCS TracyCMessageL TracyCMessageLC TracyCMessageLCS
    TracyCMessageLS TracyCMessageS TracyCPlot TracyCPlotConfig TracyCPlotF TracyCPlotI TracyCSecureAlloc
    TracyCSecureAllocN TracyCSecureAllocNS TracyCSecureAllocS TracyCSecureFree TracyCSecureFreeN TracyCSecureFreeNS
    TracyCSecureFreeS TracyCSecureMemoryDiscard TracyCSecureMemoryDiscardS TracyCSetThreadName
    TracyCSharedLockAfterLock TracyCSharedLockAfterSharedLock TracyCSharedLockAfterSharedUnlock
    TracyCSharedLockAfterTryLock TracyCSharedLockAfterTrySharedLock TracyCSharedLockAfterUnlock
    TracyCSharedLockAnnonce TracyCSharedLockAnnounce TracyCSharedLockBeforeLock TracyCSharedLockBeforeSharedLock
    TracyCSharedLockCustomName TracyCSharedLockMark TracyCSharedLockTerminate TracyCZone TracyCZoneC TracyCZoneCS
    TracyCZoneColor TracyCZoneEnd TracyCZoneN TracyCZoneNC TracyCZoneNCS TracyCZoneNS TracyCZoneName TracyCZoneNameF
    TracyCZoneS TracyCZoneText TracyCZoneTextF TracyCZoneValue TracyFile TracyFunction TracyLine""".split()
# What its library has as symbols, each behind ___tracy_.
SYMBOLS = """after_lock_lockable_ctx after_lock_shared_lockable_ctx after_lock_shared_shared_lockable_ctx
    after_try_lock_lockable_ctx after_try_lock_shared_lockable_ctx after_try_lock_shared_shared_lockable_ctx
    after_unlock_lockable_ctx after_unlock_shared_lockable_ctx after_unlock_shared_shared_lockable_ctx alloc_srcloc
    alloc_srcloc_name announce_lockable_ctx announce_shared_lockable_ctx before_lock_lockable_ctx
    before_lock_shared_lockable_ctx before_lock_shared_shared_lockable_ctx begin_sampling_profiler
    begin_sampling_profiling connected custom_name_lockable_ctx custom_name_shared_lockable_ctx emit_frame_image
    emit_frame_mark emit_frame_mark_end emit_frame_mark_start emit_gpu_calibration emit_gpu_calibration_serial
    emit_gpu_context_name emit_gpu_context_name_serial emit_gpu_new_context emit_gpu_new_context_serial emit_gpu_time
    emit_gpu_time_serial emit_gpu_time_sync emit_gpu_time_sync_serial emit_gpu_zone_begin emit_gpu_zone_begin_alloc
    emit_gpu_zone_begin_alloc_callstack emit_gpu_zone_begin_alloc_callstack_serial emit_gpu_zone_begin_alloc_serial
    emit_gpu_zone_begin_callstack emit_gpu_zone_begin_callstack_serial emit_gpu_zone_begin_serial emit_gpu_zone_end
    emit_gpu_zone_end_serial emit_logString emit_logStringL emit_memory_alloc emit_memory_alloc_callstack
    emit_memory_alloc_callstack_named emit_memory_alloc_named emit_memory_discard emit_memory_discard_callstack
    emit_memory_free emit_memory_free_callstack emit_memory_free_callstack_named emit_memory_free_named emit_message
    emit_messageC emit_messageL emit_messageLC emit_message_appinfo emit_plot emit_plot_config emit_plot_float
    emit_plot_int emit_zone_begin emit_zone_begin_alloc emit_zone_begin_alloc_callstack emit_zone_begin_callstack
    emit_zone_color emit_zone_end emit_zone_name emit_zone_name_fmt emit_zone_text emit_zone_text_fmt emit_zone_value
    end_sampling_profiler end_sampling_profiling fiber_enter fiber_leave get_time mark_lockable_ctx
    mark_shared_lockable_ctx profiler_started set_thread_name shutdown_profiler startup_profiler
    terminate_lockable_ctx terminate_shared_lockable_ctx""".split()


def suffix_of(name):
    return name[name.rindex("."):]


def flags(t, define, *more):
    return [f"-I{t.root / 'include'}", *([f"-D{define}"] if define else []), *more]


# --- they compile --------------------------------------------------------------------------


def compilations(t):
    for name, on in PROGRAMS.items():
        for compiler, languages in LANGUAGES[suffix_of(name)].items():
            for language in languages:
                # Where nothing is recorded the headers have hardly anything in them: the oldest language shows it.
                for define in ("", on) if language == languages[0] else (on,):
                    command = [compiler, f"-std={language}", *STRICT, *flags(t, define), "-fsyntax-only", t.root / "tests/fronts" / name]
                    yield f"{name} as {language} by {compiler}, {define or 'off'}", compiler, command


def check_compilations(t):
    """Two at a time: most of the time of this test goes here."""
    wanted = list(compilations(t))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        done = list(pool.map(lambda w: tap.run(w[2], t.scratch) if shutil.which(w[1]) else None, wanted))
    for (sentence, compiler, _), result in zip(wanted, done):
        if result is None:
            t.skip(sentence, f"no {compiler}")
        else:
            t.ok(result.code == 0 and not result.stderr, sentence, result.stderr.decode())


def check_names(t):
    for header, names, compiler, suffix in (("tracy/Tracy.hpp", TRACY_HPP, "g++", ".cpp"), ("tracy/TracyC.h", TRACY_C_H, "gcc", ".c")):
        path = t.scratch / f"names{suffix}"
        path.write_text(f"#include <{header}>\n" + "".join(f"#ifndef {n}\n#error {n}\n#endif\n" for n in names), encoding="utf-8")
        for define in ("", "TRACY_ENABLE"):
            done = tap.run([compiler, "-fsyntax-only", *flags(t, define), path], t.scratch)
            missing = re.findall(r"#error (\w+)", done.stderr.decode())
            t.ok(done.code == 0, f"{header} defines all {len(names)} names of Tracy's, {define or 'off'}", missing or done)


def check_include_forms(t):
    """As users of Tracy write them, with the folders that pkg-config gives."""
    path = t.scratch / "forms.cpp"
    path.write_text("#include <common/TracySystem.hpp>\n#include <client/TracyScoped.hpp>\n#include <Tracy.hpp>\n#include <TracyC.h>\n"
                    "#include \"tracy/Tracy.hpp\"\nint main() { ZoneScoped; tracy::SetThreadName(\"x\"); }\n", encoding="utf-8")
    done = tap.run(["g++", "-fsyntax-only", *STRICT, *flags(t, "TRACY_ENABLE"), f"-I{t.root / 'include/tracy'}", path], t.scratch)
    t.ok(done.code == 0, "older forms of #include work", done)


def check_names_that_vary(t):
    """A name must be known to the compiler: with another one the first would stay."""
    path = t.scratch / "vary.cpp"
    path.write_text("#include <tracy/Tracy.hpp>\nvoid f(const char *name) { ZoneScopedN(name); }\n", encoding="utf-8")
    for compiler in LANGUAGES[".cpp"]:
        sentence = f"ZoneScopedN takes literals only, {compiler}"
        if shutil.which(compiler):
            done = tap.run([compiler, "-fsyntax-only", *flags(t, "TRACY_ENABLE"), path], t.scratch)
            t.ok(done.code != 0, sentence, done)
        else:
            t.skip(sentence, f"no {compiler}")


# --- what they call --------------------------------------------------------------------------


def build(t, name, define, objects, *more):
    """A program of tests/fronts (or a path) linked with these; its path."""
    source = t.root / "tests/fronts" / name
    out = t.folder("program") / "program"
    compiler = ["g++", "-std=c++17"] if suffix_of(source.name) == ".cpp" else ["gcc", "-std=c11"]
    done = tap.run([*compiler, "-O1", *STRICT, *flags(t, define, *more), source, *objects, "-o", out, "-pthread", "-llz4"], t.scratch)
    return out if t.ok(done.code == 0, f"{source.name} is linked, {define or 'off'}", done.stderr.decode()) else None


def log_recorder(t):
    folder = t.folder("recorder")
    sources = [t.root / "tests/fronts/log_recorder.c", *(t.root / "src/record" / s for s in TRACY_SYMBOLS)]
    done = tap.run(["gcc", "-std=gnu11", "-c", f"-I{t.root / 'include'}", f"-I{t.root / 'src'}", *sources], folder)
    t.ok(done.code == 0, "the recorder that prints is compiled", done.stderr.decode())
    return sorted(folder.glob("*.o"))


def check_calls(t, objects):
    for name in PROGRAMS:
        for define in ("TTPROF_ENABLE", "TRACY_ENABLE"):
            program = build(t, name, define, objects)
            for gate in ("open", "closed"):
                done = program and tap.run([program], t.scratch, TEST_GATE=gate)
                if done:
                    want = (t.root / f"tests/fronts/{name}.{gate}").read_bytes()
                    t.equal((done.stdout.decode(), done.code), (want.decode(), 0),
                            f"{name} with {define} calls what it should, the gate is {gate}")
        off = build(t, name, "", [])
        done = off and tap.run([off], t.scratch)
        t.ok(done and done.code == 0 and not done.stdout, f"{name} runs without the library", done)
        sentence = f"nothing of it is left in {name}"
        if off and shutil.which("nm"):
            left = [s for s in tap.run(["nm", "-u", off], t.scratch).stdout.decode().split() if "ttprof" in s or "tracy_" in s]
            t.equal(left, [], sentence)
        else:
            t.skip(sentence, "no nm" if off else "the program was not linked")


# --- what is recorded --------------------------------------------------------------------------


def record(t, *command, **env):
    """Runs a command under `ttprof run`; the run folder."""
    root = t.folder("run")
    done = tap.run([t.ttprof, "run", "--no-python", "-o", root, "--", *command], t.scratch, **env)
    runs = sorted((root / "runs").glob("*")) if (root / "runs").exists() else []
    t.ok(done.code == 0 and len(runs) == 1, f"{command[0].name} is recorded", done)
    return runs[0] if runs else None


def rows(t, run, *options):
    """Rows of a table of `ttprof zones`."""
    done = tap.run([t.ttprof, "zones", *options, run], t.scratch)
    t.ok(done.code == 0, f"ttprof zones {' '.join(options)}", done)
    return list(csv.DictReader(io.StringIO(done.stdout.decode())))


def zones(t, run):
    """How often each zone was recorded, by its name and its file. Not by -u, which leaves out zones of 0 ns, as csvexport does:
    a coarse clock makes them."""
    found = {}
    for row in rows(t, run, "--csv", "-"):
        key = row["Zone"], row["File"].rsplit("/", 1)[-1]
        found[key] = found.get(key, 0) + int(row["Count"])
    return found


def messages(t, run):
    """Without signposts and op records, which stand in backticks and may have several lines."""
    return [row["MessageName"] for row in rows(t, run, "-m") if "`" not in row["MessageName"]]


def zones_called(calls):
    """The same from the lines of the recorder that prints. Places are numbered there."""
    found, places = {}, {}
    for line in calls.splitlines():
        made = re.fullmatch(r"place (\d+): (.*) in (\S+) of (\S+) #\w+", line)
        if made:
            places[made.group(1)] = made.group(2) or made.group(3), made.group(4)
        begun = re.fullmatch(r"begin (.*) in \S+(?: \S+)* of (\S+)(?: #\w+)?", line)
        at = re.fullmatch(r"begin place (\d+)", line)
        key = begun.groups() if begun else places[at.group(1)] if at else None
        if key:
            found[key] = found.get(key, 0) + 1
    return found


def check_recording(t, library):
    for name, define in PROGRAMS.items():
        program = build(t, name, define, [library])
        run = program and record(t, program)
        if not run:
            continue
        calls = (t.root / f"tests/fronts/{name}.open").read_text(encoding="utf-8")
        t.equal(zones(t, run), zones_called(calls), f"{name}: every zone is recorded as often as it began")
        said = re.findall(r"^message \d #\w+ (.*)$", calls, re.M)
        t.equal(messages(t, run), said, f"{name}: every message is recorded")


# --- bindings --------------------------------------------------------------------------------
BINDING = """
import ctypes, sys
class Zone(ctypes.Structure):
    _fields_ = [("id", ctypes.c_uint32), ("active", ctypes.c_int32)]
class Place(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("function", ctypes.c_char_p), ("file", ctypes.c_char_p),
                ("line", ctypes.c_uint32), ("color", ctypes.c_uint32)]
tracy = ctypes.CDLL(sys.argv[1])
begin, make, begin_made = tracy.___tracy_emit_zone_begin, tracy.___tracy_alloc_srcloc_name, tracy.___tracy_emit_zone_begin_alloc
begin.restype = begin_made.restype = Zone
make.restype = ctypes.c_uint64
begin_made.argtypes = [ctypes.c_uint64, ctypes.c_int32]
make.argtypes = [ctypes.c_uint32, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint32]
places = [Place(b"bound %d" % (i % 100), b"f", b"binding.py", i, 0) for i in range(3000)]
for place in places:
    tracy.___tracy_emit_zone_end(begin(ctypes.byref(place), 1))
for i in range(10):
    tracy.___tracy_emit_zone_end(begin_made(make(i % 2, b"binding.py", 10, b"f", 1, b"made", 4, 0), 1))
tracy.___tracy_emit_message(b"bound message", 13, 0)
"""


def check_bindings(t, library):
    loaded = ctypes.CDLL(str(library))
    missing = [s for s in SYMBOLS if not hasattr(loaded, f"___tracy_{s}")]
    t.ok(not missing, f"the shared library has all {len(SYMBOLS)} symbols of Tracy's", missing)
    script = t.scratch / "binding.py"
    script.write_text(BINDING, encoding="utf-8")
    run = record(t, pathlib.Path(sys.executable), script, library)
    if run:
        found = zones(t, run)
        t.equal(found, {("made", "binding.py"): 10, **{(f"bound {i}", "binding.py"): 30 for i in range(100)}}, "a binding's zones are recorded")
        t.ok("bound message" in messages(t, run), "a binding's message is recorded", messages(t, run))


# --- the guides ------------------------------------------------------------------------------
# What the examples name and do not show. Each of them stands in a namespace of its own.
HOST_API = """
#pragma once
struct Program {};
namespace tt { namespace tt_metal {
struct IDevice {
    int command_queue() { return 1; }
};
}}
inline void EnqueueProgram(int, Program &, bool) {}
inline void Finish(int) {}
"""
PRELUDE = """
#include <string>
#include <tracy/Tracy.hpp>
#include "tt_metal/host_api.hpp"
namespace fmt {
inline std::string format(std::string text, int value)
{
    return text.replace(text.find("{}"), 2, std::to_string(value));
}
}
static int count = 3, frames = 4;
struct Running {
    operator bool() const { return frames-- > 0; }
} static running;
static void update() {}
static void render() {}
"""
CALLS = {  # by the function that an example defines
    "my_function": "my_function();", "complex_function": "complex_function();", "process_batch": "process_batch(5);", "main_loop": "main_loop();",
    "run_inference": "tt::tt_metal::IDevice device; Program program; run_inference(&device, program);",
}
GUIDE_ZONES = {"my_function": 1, "MyZone": 1, "ProcessBatch": 1, "Phase1_Setup": 1, "Phase2_Compute": 1, "Phase3_Cleanup": 1,
               "RunInference": 1, "EnqueueProgram": 1, "WaitForCompletion": 1}


def guide_examples(text):
    """The C++ examples for hosts, as they are printed."""
    part = text[text.index("### C++ Host Code Instrumentation"):text.index("### Device Kernel Instrumentation")]
    whole = text[text.index("#### C++ Host Code\n"):]
    return re.findall(r"^```cpp\n(.*?)^```$", part, re.M | re.S) + re.findall(r"^```cpp\n(.*?)^```$", whole, re.M | re.S)[:1]


def guide_program(t, blocks):
    folder = t.folder("guide")
    (folder / "tt_metal").mkdir()
    (folder / "tt_metal/host_api.hpp").write_text(HOST_API, encoding="utf-8")
    text, calls = PRELUDE, ""
    for i, block in enumerate(blocks):
        text += f"namespace example_{i} {{\n{block}}}\n"
        for name in re.findall(r"^void (\w+)\(", block, re.M):
            calls += "    { " + CALLS[name].replace(f"{name}(", f"example_{i}::{name}(") + " }\n"
    (folder / "guide.cpp").write_text(f"{text}int main()\n{{\n{calls}}}\n", encoding="utf-8")
    return folder / "guide.cpp"


def check_guides(t, objects, library):
    guides = t.shared("guides")
    texts = [p.read_text(encoding="utf-8") for p in sorted(guides.glob("*.txt"))] if guides else []
    texts = [x for x in texts if "### C++ Host Code Instrumentation" in x]
    if not texts:
        t.skip("the guides' examples", "the guides are not part of the project, and not beside it")
        return
    blocks = guide_examples(texts[0])
    t.equal(len(blocks), 8, "the guide's examples for hosts are found")
    source = guide_program(t, blocks)
    more = [f"-I{source.parent}"]
    program = build(t, source, "TRACY_ENABLE", objects, *more)
    calls = tap.run([program], t.scratch).stdout.decode() if program else ""
    for line in ("colour #00ff00", "text batch_id: 5", "message 2 #000000 Starting important operation", "message 2 #000000 Processing 3 items"):
        t.ok(line in calls.splitlines(), f"the examples: {line}", calls)
    t.equal(calls.splitlines().count("frame main"), 4, "the examples: a frame in every turn of the loop")
    build(t, source, "", [], *more)
    program = build(t, source, "TRACY_ENABLE", [library], *more)
    run = program and record(t, program)
    if run:
        t.equal({name: n for (name, _), n in zones(t, run).items()}, GUIDE_ZONES, "the examples' zones are recorded")
        said = messages(t, run)
        t.ok({"Starting important operation", "Processing 3 items"} <= set(said), "the examples' messages are recorded", said)


def test(t):
    check_compilations(t)
    check_names(t)
    check_include_forms(t)
    check_names_that_vary(t)
    objects = log_recorder(t)
    check_calls(t, objects)
    check_recording(t, t.ttprof.parent / "libttprof.a")
    check_bindings(t, t.ttprof.parent / "libttprof.so")
    check_guides(t, objects, t.ttprof.parent / "libttprof.a")


tap.main(test)
