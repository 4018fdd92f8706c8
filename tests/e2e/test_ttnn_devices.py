#!/usr/bin/python3
"""test_ttnn_devices.py TTPROF SOURCE_ROOT - devices of the package ttprof.ttnn: errors that leave them usable, memory, traces, threads,
meshes, queues, the end of the interpreter, and the interface to C.
"""
import ctypes
import gc
import subprocess
import sys
import threading

import pythons
import tap
import ttnn_values
from ttnn_values import numbers, raises


# --- errors --------------------------------------------------------------------------------
def check_errors(t, ttnn, device):
    a, b = ttnn.ones((2, 3), device=device), ttnn.ones((4, 5), device=device)
    said = raises(lambda: a @ b, error=ttnn.DeviceError)
    t.equal(said, "DeviceError: MatmulDeviceOperation: 'ones' (1 x 1 x 2 x 3) x 'ones' (1 x 1 x 4 x 5) is not possible".replace("ones", "full"),
            "shapes that do not fit are an exception")
    t.ok(issubclass(ttnn.DeviceError, RuntimeError), "which is a RuntimeError, as ttnn's")
    t.equal((a + a).to_list(), [[2.0] * 3] * 2, "and the device can be used after it")
    for i in range(3):
        large = raises(ttnn.empty, (1 << 14, 1 << 14), device=device, memory_config=ttnn.L1_MEMORY_CONFIG)
    t.ok("bytes of every core's L1" in large, "so after one for memory", large)
    t.equal((a + a).to_list(), [[2.0] * 3] * 2, "however often")
    ids = ttnn.from_list([1, 2], device=device)
    t.ok("must be tiles of real numbers" in raises(ttnn.relu, ids), "a tensor of the wrong kind")
    t.ok("TypeError" in raises(ttnn.relu, a, colour=3), "an unknown option")
    t.ok("is no tensor" in raises(ttnn.matmul, a, [[1]]) or "has no attribute" in raises(ttnn.matmul, a, [[1]]), "a list as an operand")
    ttnn.deallocate(b)
    t.ok("deallocated" in repr(b) and "not on a device" in raises(ttnn.relu, b), "a tensor that was deallocated")
    with ttnn.open_device(device_id=0) as other:
        t.ok("different devices" in raises(lambda: a + ttnn.ones((2, 3), device=other)), "tensors of two devices")


def check_memory(t, ttnn, device):
    """Tensors without a reference give their memory back; those of a trace keep it."""
    side = 1 << 12
    for _ in range(256):  # 64 MB each: not all fit
        ttnn.empty((side, side), device=device, dtype=ttnn.float32, memory_config=ttnn.DRAM_MEMORY_CONFIG)
    t.ok(True, "tensors that nobody has any more free their memory")
    x = ttnn.ones((2, 2), device=device)
    trace = ttnn.begin_trace_capture(device, cq_id=0)
    y = ttnn.relu(x + 1) - 4
    ttnn.end_trace_capture(device, trace, cq_id=0)
    del x
    gc.collect()
    others = [ttnn.full((2, 2), 9, device=device) for _ in range(4)]
    ttnn.execute_trace(device, trace, blocking=False)
    t.equal(y.to_list(), [[-2.0] * 2] * 2, "a trace keeps what it uses")
    ttnn.release_trace(device, trace)
    t.ok("was released" in raises(ttnn.execute_trace, device, trace), "after its release it cannot be replayed")
    t.equal([o.to_list() for o in others], [[[9.0] * 2] * 2] * 4, "and has overwritten nothing")
    t.ok("no trace is being captured" in raises(ttnn.end_trace_capture, device, 0), "an end without a begin")
    trace = ttnn.begin_trace_capture(device)
    t.ok("while a trace is being captured" in raises(y.to_list), "values cannot be read in a capture")
    ttnn.end_trace_capture(device, trace)
    ttnn.execute_trace(device, trace)
    t.ok(True, "which goes on")


# --- devices -------------------------------------------------------------------------------
def check_threads(t, ttnn, device):
    x = ttnn.ones((2, 2), device=device)
    said = []
    worker = threading.Thread(target=lambda: said.extend((raises(ttnn.relu, x), raises(device.close), raises(x.to_list))), name="worker")
    worker.start()
    worker.join()
    t.ok(all("belongs to thread 'MainThread'" in s and "from thread 'worker'" in s for s in said) and len(said) == 3, "another thread is refused, both are named", said)
    tensors = [ttnn.ones((2, 2), device=device) for _ in range(8)]
    worker = threading.Thread(target=tensors.clear)
    worker.start()
    worker.join()
    t.equal(ttnn.relu(x).to_list(), [[1.0] * 2] * 2, "where tensors may be forgotten all the same")


def check_closing(t, ttnn):
    device = ttnn.open_device(device_id=0)
    x = ttnn.ones((2, 2), device=device)
    t.equal((device.id(), device.get_num_devices(), tuple(device.shape), tuple(device.compute_with_storage_grid_size())), (0, 1, (1, 1), (8, 8)), "about a device")
    t.equal(device.num_program_cache_entries(), 0, "its program cache is empty")
    ttnn.relu(x)
    t.equal(device.num_program_cache_entries(), 1, "and is on")
    ttnn.close_device(device)
    ttnn.close_device(device)
    t.ok(not device.is_open and "closed" in repr(device), "closing twice is no error")
    t.equal({raises(f) for f in (x.to_list, lambda: x + x, device.num_program_cache_entries, lambda: ttnn.ones((1,), device=device), lambda: ttnn.synchronize_device(device))},
            {"DeviceError: the device is closed"}, "whatever is asked of a closed one says so")
    t.ok("boord" in raises(ttnn.open_device, config="boord=n150", error=ttnn.DeviceError), "a configuration that makes no sense")
    t.ok("7" in raises(ttnn.open_device, device_id=7, error=ttnn.DeviceError), "a chip that the board does not have")
    with ttnn.manage_device(0, config="board=n300", l1_small_size=1024, trace_region_size=4096) as chip:
        t.equal(chip.get_num_devices(), 1, "one chip of a board with two")
    with ttnn.open_device(0, config="arch=blackhole") as chip:
        t.ok(ttnn.relu(ttnn.ones((3, 3), device=chip)).to_list() == [[1.0] * 3] * 3, "another chip")


def check_lost(t, ttnn):
    """After a fault on a chip nothing works, and the device is closed without another exception."""
    with ttnn.open_device(config="dram_cap=1M dispatch=slow") as device:
        t.ok(raises(ttnn.ones, (1024, 1024), device=device).endswith("dram_cap reached"), "a write by the host that does not fit is refused")
    device = ttnn.open_device(config="dram_cap=1M dispatch=slow")
    x = ttnn.ones((512, 512), device=device)
    t.equal(x.values()[5], 1.0, "a smaller one is not")
    said = {raises(lambda: ttnn.relu(x).values()), raises(ttnn.relu, x), raises(x.values)}
    t.ok(len(said) == 1 and "NoC write to DRAM" in min(said) and min(said).endswith("the device cannot go on; close it"), "a fault on a chip is told by every later call", said)
    t.equal(raises(device.close), "nothing was raised", "but not by closing it")


def check_mesh(t, ttnn):
    with ttnn.open_mesh_device(ttnn.MeshShape(1, 2)) as mesh:
        t.equal((mesh.get_num_devices(), mesh.shape, mesh.get_device_ids()), (2, ttnn.MeshShape((1, 2)), [0, 1]), "a mesh of two chips")
        a = numbers(4, 64)
        parts = ttnn.from_torch(a, device=mesh, mesh_mapper=ttnn.ShardTensorToMesh(mesh, dim=1))
        t.equal((list(parts.shape), parts.to_list(chip=1)), ([4, 32], [row[32:] for row in a]), "each chip has a part")
        t.ok("give chip=" in raises(parts.to_list), "of which one must be chosen")
        t.equal(ttnn.to_list(parts, mesh_composer=ttnn.ConcatMeshToTensor(mesh, dim=-1)), a, "or all be put together")
        t.equal([p.to_list() for p in ttnn.get_device_tensors(parts)], [[row[:32] for row in a], [row[32:] for row in a]], "the parts")
        t.equal(ttnn.all_gather(parts, dim=1).to_list(chip=0), a, "all_gather")
        same = ttnn.from_torch(a, device=mesh, mesh_mapper=ttnn.ReplicateTensorToMesh(mesh))
        t.equal(ttnn.reduce_scatter(same, dim=1).to_list(chip=1), [[2 * v for v in row[32:]] for row in a], "reduce_scatter")
        ttnn.close_mesh_device(mesh)
    with ttnn.open_mesh_device(...) as mesh:
        t.equal(mesh.get_num_devices(), 1, "a mesh as the guides write it: all chips of the board")
    t.ok("at most 32" in raises(ttnn.open_mesh_device, (8, 8)), "too large a mesh")
    t.ok("rows and columns" in raises(ttnn.MeshShape, 0, 2), "no mesh")


def check_queues(t, ttnn):
    with ttnn.open_device(num_command_queues=2) as device:
        t.equal(device.num_command_queues(), 2, "two queues")
        x = ttnn.empty((2, 2), device=device)
        backs = []
        for i in range(3):
            ttnn.copy_host_to_device_tensor(ttnn.full((2, 2), i), x, cq_id=1)
            ttnn.wait_for_event(0, ttnn.record_event(device, 1))
            y = x + 1
            ttnn.wait_for_event(1, ttnn.record_event(device, 0))
            backs.append(y.cpu(blocking=False, cq_id=1))
            last = ttnn.record_event(device, 1)
        ttnn.event_synchronize(last)
        t.equal([b.to_list() for b in backs], [[[i + 1.0] * 2] * 2 for i in range(3)], "values by way of the second one, in the order of events")
        t.equal(device._pending, [], "nothing is under way then")
        t.ok("no command queue 2" in raises(ttnn.record_event, device, 2), "a third one is refused")


# --- the end of the interpreter --------------------------------------------------------------
ENDINGS = {
    "a device that nobody closes": ("import ttprof.ttnn as ttnn\nd = ttnn.open_device()\nx = ttnn.ones((2, 2), device=d)\ny = x + x\nprint(y.to_list()[0][0])\n", 0, "2.0\n", ""),
    "one of a thread that has ended": ("import threading\nimport ttprof.ttnn as ttnn\nt = threading.Thread(target=lambda: globals().update(d=ttnn.open_device()))\n"
                                       "t.start(); t.join()\nprint(d.is_open)\n", 0, "True\n", ""),
    "an exception": ("import ttprof.ttnn as ttnn\nd = ttnn.open_device()\nx = ttnn.ones((2, 2), device=d)\nraise SystemExit(7)\n", 7, "", ""),
    "a child of fork": ("import os\nimport ttprof.ttnn as ttnn\nd = ttnn.open_device()\nx = ttnn.ones((2, 2), device=d)\nif os.fork() == 0:\n"
                        "    try:\n        x + x\n    except ttnn.DeviceError as e:\n        print('belongs to process' in str(e), flush=True)\n    raise SystemExit(3)\n"
                        "print(os.waitstatus_to_exitcode(os.wait()[1]), (x + x).to_list()[0])\n", 0, "True\n3 [2.0, 2.0]\n", ""),
    "a thread in the middle of a call": ("import threading\nimport ttprof.ttnn as ttnn\nready = threading.Event()\ndef work():\n    d = ttnn.open_device()\n    x = ttnn.ones((256, 256), device=d)\n"
                                         "    while True:\n        x = ttnn.softmax(x)\n        ready.set()\nthreading.Thread(target=work, daemon=True).start()\nready.wait()\n", 0, "", None),
    "references in a circle": ("import ttprof.ttnn as ttnn\nclass A: pass\na = A()\na.d = ttnn.open_device()\na.x = ttnn.ones((2, 2), device=a.d)\na.a = a\ndel a\n", 0, "", ""),
}


HEAD = "import os, sys\nimport ttprof.ttnn as ttnn\nd = ttnn.open_device()\nx = ttnn.ones((2, 2), device=d)\ny = x + x\n"
LEFT_OPEN = {  # ends of the program above, and how many ops it has run
    "nobody closes it": ("", 1),
    "an exception": ("raise SystemExit(7)\n", 1),
    "references in a circle": ("class A: pass\na = A()\na.a, a.d, a.x = a, d, x\ndel a, d, x, y\n", 1),
    "a child of fork": ("if os.fork() == 0:\n    sys.exit(0)\nos.wait()\ny = x + x\n", 2),
}


def check_files(t):
    """Devices that the end of the interpreter closes leave their files."""
    for name, (end, n_ops) in LEFT_OPEN.items():
        folder = t.folder("files")
        (folder / "ending.py").write_text(HEAD + end, encoding="utf-8")
        done = tap.run([sys.executable, folder / "ending.py"], folder, TT_METAL_DEVICE_PROFILER="1", TT_METAL_PROFILER_DIR=str(folder), **pythons.environment(t))
        log = folder / ".logs/profile_log_device.csv"
        ops = {row.split(",")[7] for row in log.read_text(encoding="utf-8").splitlines()[2:]} if log.exists() else set()
        t.equal((len(ops), done.stderr.decode().count("markers from")), (n_ops, 1), f"files of a device that is open at the end are written once: {name}")


def check_endings(t):
    for name, (program, code, stdout, stderr) in ENDINGS.items():
        path = t.scratch / "ending.py"
        path.write_text(program, encoding="utf-8")
        done = tap.run([sys.executable, path], t.scratch, **pythons.environment(t))
        t.ok((done.code, done.stdout.decode()) == (code, stdout) and stderr in (None, done.stderr.decode()), f"at the end of the interpreter: {name}", done)


def check_offer(t):
    program = t.scratch / "offered.py"
    program.write_text("import ttprof, sys\nttprof._offer_ttnn()\nttprof._offer_ttnn()\nimport ttnn\nimport tt_lib as ttl\nimport ttprof.ttnn\n"
                       "print(ttnn is ttprof.ttnn, ttnn.__name__, ttnn.__spec__.name, ttl.profiler.get_profiler_flag(), len(sys.meta_path))\n"
                       "try:\n    import ttnn2\nexcept ImportError as e:\n    print(e)\n", encoding="utf-8")
    done = tap.run([sys.executable, program], t.scratch, **pythons.environment(t))
    said = done.stdout.decode().splitlines()
    t.ok(said[0].startswith("True ttprof.ttnn ttprof.ttnn True ") and said[1] == "No module named 'ttnn2'", "`import ttnn` finds this package when none is installed", done)
    t.equal(done.stderr.decode().count("no ttnn is installed"), 1, "and says so, once")
    folder = t.folder("own")
    (folder / "ttnn.py").write_text("own = True\n")
    (folder / "p.py").write_text("import ttprof\nttprof._offer_ttnn()\nimport ttnn\nprint(ttnn.own)\n")
    done = tap.run([sys.executable, folder / "p.py"], folder, **pythons.environment(t))
    t.equal((done.stdout, done.stderr), (b"True\n", b""), "one that is installed comes first, and nothing is said")


# --- what C and Python must agree on ---------------------------------------------------------
def check_structures(t):
    from ttprof import _runtime
    pairs = [("struct ttrt_memory", _runtime.Memory, {}), ("struct ttrt_spec", _runtime.Spec, {}), ("struct ttrt_how", _runtime.How, {}), ("ttrt_event", _runtime.Event, {}),
             ("struct ttprof_analysis", _runtime.Analysis, {}), ("struct ttprof_program_perf", _runtime.ProgramPerf, {}), ("struct ttprof_duration_summary", _runtime.DurationSummary, {})]
    lines, want = [], []
    for name, structure, _ in pairs:
        lines.append(f'printf("%zu\\n", sizeof({name}));')
        want.append(ctypes.sizeof(structure))
        for field, _kind in structure._fields_:
            lines.append(f'printf("%zu\\n", offsetof({name}, {field}));')
            want.append(getattr(structure, field).offset)
    names = {"TTRT_UNARIES": _runtime.NO_UNARY, "TTRT_HIFI4": 4, "TTRT_UINT32": 3, "TTRT_ROW_MAJOR": 1, "TTRT_BLOCK_SHARDED": 3, "TTRT_L1": 1, "TTRT_RSQRT": 10,
             "TTRT_MATMUL_MULTICAST": 2, "TTRT_MUL": 2, "TTRT_MAX": 2, "TTRT_DIM_X": 3}
    lines += [f'printf("%d\\n", (int){name});' for name in names]
    source = t.scratch / "sizes.c"
    source.write_text("#include <stddef.h>\n#include <stdio.h>\n#include <ttprof/profiler.h>\n#include <ttprof/runtime.h>\nint main(void)\n{\n" + "\n".join(lines) + "\n}\n")
    done = tap.run(["cc", "-I", t.root / "include", source, "-o", t.scratch / "sizes"], t.scratch)
    sizes = subprocess.run([t.scratch / "sizes"], stdout=subprocess.PIPE, check=False).stdout.split() if done.code == 0 else []
    t.equal([int(s) for s in sizes], want + list(names.values()), "structures and numbers are those of the headers")
    declared = (t.root / "include/ttprof/runtime.h").read_text(encoding="utf-8")
    t.equal([n for n in _runtime._FUNCTIONS if n.startswith("ttrt_") and n not in declared], [], "every function is in the header")


def test(t):
    ttnn_values.here(t)
    from ttprof import ttnn
    with ttnn.open_device(device_id=0) as device:
        for check in (check_errors, check_memory, check_threads):
            check(t, ttnn, device)
    for check in (check_closing, check_lost, check_mesh, check_queues):
        check(t, ttnn)
    for check in (check_endings, check_files, check_offer, check_structures):
        check(t)


tap.main(test)
