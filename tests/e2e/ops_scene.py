"""ops_scene.py - random runs: what a host said and what devices did, and the files that tell of it.

A scene is the truth, as lists of plain objects: ops, signposts and traces of the host, executions on devices. It is
written as tt-metal's tables, as the runtime's device report and as a device log, which agree with each other."""
import csv
import io
import json
import random
from types import SimpleNamespace as Thing

RISCS = ("BRISC", "NCRISC", "TRISC_0", "TRISC_1", "TRISC_2", "ERISC")
CPP_COLUMNS = """GLOBAL CALL COUNT,METAL TRACE ID,METAL TRACE REPLAY SESSION ID,DEVICE ID,DEVICE ARCH,OP NAME,CORE COUNT,\
AVAILABLE WORKER CORE COUNT,DEVICE TRACE FIRMWARE DURATION [ns],DEVICE TRACE KERNEL DURATION [ns],\
DEVICE KERNEL FIRST TO LAST START [ns],DEVICE FW DURATION [ns],DEVICE FW START CYCLE,DEVICE FW END CYCLE,\
DEVICE KERNEL DURATION [ns],DEVICE KERNEL START CYCLE,DEVICE KERNEL END CYCLE,DEVICE KERNEL DURATION DM START [ns],\
DEVICE KERNEL DM START CYCLE,DEVICE KERNEL DM END CYCLE,DEVICE BRISC KERNEL DURATION [ns],DEVICE NCRISC KERNEL DURATION [ns],\
DEVICE TRISC0 KERNEL DURATION [ns],DEVICE TRISC1 KERNEL DURATION [ns],DEVICE TRISC2 KERNEL DURATION [ns],\
DEVICE ERISC KERNEL DURATION [ns],OP TO OP LATENCY [ns],OP TO OP LATENCY BR/NRISC START [ns]""".split(",")
TEXTS = ["plain", "a, b", "x; y", "it's", 'say "hi"', "both ' and \"", "back\\slash", "two\nlines", "tab\there", "é → ü", "", "zero\u200bwidth",
         "tick ` tick", "a: b: c", "{1, 2}", "Shape([32, 64])", "\x7f", "日本", "-", "None", "trailing ", "id:77", "😀 face", "a,,b", "\r"]
HEADERS = ["start", "stop", "layer 3", "a: b", "x; y", "tick `q` tick", "é →", "with, comma", 'quo"te', " lead", "Iteration: 1: forward",
           "TT_DNN_DEVICE_OP is what I look at", "-> arrow"]
CODES = ["MatmulDeviceOperation", "Softmax", "ttnn::add", "op with blank", "LayerNorm(eps=1e-5)", "Tilize_v2", "überOp", "a'b"]
FIRST_LINE = "ARCH: {arch}, CHIP_FREQ[MHz]: {mhz}, Max Compute Cores: {workers}\n"
LOG_COLUMNS = ("PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], data, run host ID, {traces}"
               "zone name, type, source line, source file, meta data\n")


class Scene:
    """One run; the same seed gives the same run."""

    def __init__(self, seed, n_ops=None):
        self.rnd = rnd = random.Random(seed)
        self.arch, self.mhz = rnd.choice([("wormhole_b0", 1000), ("blackhole", 1350), ("blackhole", 800)])
        self.workers = rnd.choice([4, 8, 64])
        self.devices = rnd.sample(range(8), rnd.choice([1, 1, 1, 2, 3]))
        self.is_2025 = rnd.random() < 0.2          # heads without the cache hit
        self.no_cache = rnd.random() < 0.2         # every message has its record
        self.has_value = rnd.random() < 0.5        # zones have the column 'value'
        self.parent_is_own = rnd.random() < 0.3    # op zones name themselves as parent
        self.has_sub = rnd.random() < 0.25
        self.has_trace_columns = rnd.random() < 0.8
        self.tells_latency = rnd.random() < 0.8    # the runtime's report does
        self.ops, self.signposts, self.marks, self.replays, self.executions = [], [], [], [], []
        self.noise = []
        self.children = rnd.sample(["CompileProgram", "HWCommandQueue_write_buffer", "read_shard", "Über"], rnd.choice([0, 1, 2, 4]))
        self.now = rnd.randrange(10**6, 10**12)
        self.clock = {d: rnd.randrange(10**6, 10**13) for d in self.devices}
        self.programs = [self.program(i) for i in range(rnd.randrange(1, 6))]
        self.traces = {}                           # (device, trace) -> ops
        self.base = rnd.choice([0, 0, 50])
        self.described = set()                     # (device, hash)
        self.play(rnd.randrange(1, 25) if n_ops is None else n_ops)

    # ---- programs ----
    def value(self, depth=0):
        rnd = self.rnd
        kind = rnd.randrange(9 if depth < 2 else 6)
        if kind < 3:
            return rnd.choice(TEXTS)
        if kind < 6:
            return rnd.choice([0, -5, 1.0, 1e-05, 1e22, 0.1, 123456.789, True, False, None, 2**63, 1e16, 5e-324, -0.0, 100.0, 2**64 - 1])
        if kind < 8:
            return [self.value(depth + 1) for _ in range(rnd.randrange(3))]
        return {rnd.choice(TEXTS) + str(i): self.value(depth + 1) for i in range(rnd.randrange(3))}

    def tensor(self, device):
        rnd = self.rnd
        sizes = [rnd.choice([1, 32, 64, 1024]) for _ in "WZYX"]
        as_text = rnd.random() < 0.8
        storage = "HOST" if rnd.random() < 0.1 else {"device_id": device, "memory_config": {
            "buffer_type": rnd.choice(["DRAM", "L1", "l1_small"]), "memory_layout": rnd.choice(["INTERLEAVED", "WIDTH_SHARDED", "block"])}}
        return {"dtype": rnd.choice(["BFLOAT16", "BFLOAT8_B", "odd, one"]), "layout": rnd.choice(["TILE", "ROW_MAJOR"]),
                "shape": {k: f"{s}[{rnd.choice([s, 1])}]" if as_text else s for k, s in zip("WZYX", sizes)}, "storage_type": storage}

    def program(self, i):
        rnd = self.rnd
        with_shape = rnd.random() < 0.9
        program = Thing(code=rnd.choice(CODES), hash=rnd.choice([i + 7, 2**64 - 1 - i, rnd.getrandbits(63)]), grid=rnd.randrange(1, 7),
                        compute=rnd.random() < 0.7, ethernet=rnd.random() < 0.2, kernel=rnd.randrange(20, 50000), cb=rnd.random() < 0.4, rest={})
        rest = program.rest
        rest["attributes"] = rnd.choice([None, {}]) if rnd.random() < 0.2 else {
            f"key {k}": rnd.choice(TEXTS) if rnd.random() < 0.7 else self.value() for k in range(rnd.randrange(1, 5))}
        if rnd.random() < 0.2:
            rest["parallelization_strategy"] = rnd.choice(TEXTS)
        rest["input_tensors"] = [self.tensor(0) for _ in range(rnd.randrange(4))] if with_shape else []
        if rnd.random() < 0.5:
            rest["optional_input_tensors"] = [self.tensor(0) for _ in range(rnd.randrange(2))]
        rest["output_tensors"] = [self.tensor(0) for _ in range(rnd.randrange(3))]
        if rnd.random() < 0.8:
            rest["kernel_info"] = {
                "compute_kernels": [{"math_fidelity": f, "name": f"c/{k}/", "source": rnd.choice(["mm.cpp", "a, b.cpp", "it's.cpp"])}
                                    for k, f in enumerate(rnd.sample(["LoFi", "HiFi2", "HiFi4"], rnd.randrange(3)))],
                "datamovement_kernels": [{"name": f"d/{k}/", "source": "reader.cpp"} for k in range(rnd.randrange(3))],
                "kernel_sizes": {f"{c}_{n}_max_kernel_size": rnd.randrange(100, 9000)
                                 for c, n in rnd.sample([("TENSIX_DM", 0), ("TENSIX_DM", 1), ("TENSIX_COMPUTE", 0), ("ACTIVE_ETH_DM", 0),
                                                         ("IDLE_ETH_DM", 1), ("TENSIX_COMPUTE", 10), ("TENSIX_COMPUTE", 2)], rnd.randrange(5))}}
        if rnd.random() < 0.7:
            rest["performance_model"] = {"ideal_ns": rnd.randrange(5000), "compute_ns": rnd.randrange(60000), "bandwidth_ns": rnd.randrange(9),
                                         "input_bws": [rnd.choice([0.0, 1.5, 1e-05, 3]) for _ in range(rnd.randrange(3))], "output_bws": [0.25]}
        return program

    # ---- what the host does ----
    def tick(self, least=1):
        self.now += self.rnd.randrange(least, 5000)
        return self.now

    def make_op(self, device, program, trace):
        rnd = self.rnd
        key = device, program.hash
        is_full = self.no_cache or key not in self.described
        is_hit = key in self.described
        self.described.add(key)
        op = Thing(id=self.base << 10 | device, device=device, code=program.code, type="tt_dnn_device", hash=program.hash, hit=is_hit,
                   program=program, is_full=is_full, trace=trace, start=self.tick(), children=[], has_message=True, zone="TT_DNN_DEVICE_OP",
                   sub=rnd.randrange(3) if self.has_sub else None)
        record = {"op_code": op.code, "op_type": op.type, "device_id": device, "global_call_count": op.id, "op_hash": op.hash}
        if not self.is_2025:
            record["program_cache_hit"] = is_hit
        record.update(program.rest)
        keys = [*record]
        rnd.shuffle(keys)
        op.record = {k: record[k] for k in keys}
        self.finish_op(op)
        return op

    def finish_op(self, op):
        op.again = None
        op.children = [(name, self.rnd.randrange(1, 300)) for name in self.children for _ in range(self.rnd.randrange(3))]
        op.message = self.tick()
        op.duration = self.tick() - op.start
        self.ops.append(op)

    def make_host_op(self):
        rnd = self.rnd
        kind, tag, zone = rnd.choice([("python_fallback", "TT_DNN_FALL_BACK_OP:", "TT_DNN_FALLBACK_OP"), ("tt_dnn_cpu", "TT_DNN_HOST_OP: ", "TT_DNN_HOST_OP")])
        self.base += 1
        op = Thing(id=self.base << 10, device=None, code=rnd.choice(["torch.add", "cpu op"]), type=kind, tag=tag, trace=None, start=self.tick(),
                   is_full=True, has_message=True, zone=zone)
        op.record = {"global_call_count": op.id, "op_code": op.code, "op_type": kind, "attributes": {"x": rnd.choice(TEXTS)}, "input_tensors": []}
        self.finish_op(op)

    def play(self, n_ops):
        rnd = self.rnd
        for _ in range(n_ops):
            what = rnd.random()
            if what < 0.12:
                text = rnd.choice([None, None, "text", "more\nlines", "a: b", "", "semi; colon, comma", "`", "\n"])
                self.signposts.append(Thing(time=self.tick(), header=rnd.choice(HEADERS), text=text))
            elif what < 0.18:
                self.make_host_op()
            elif what < 0.25:
                self.noise.append((self.tick(), rnd.choice(["perf_event_paranoid: 4", "SYNC_CHECK", 'loc("x.py":59:id(0))', "a;b;c", "DISPATCH_NOTE"])))
            elif what < 0.35 and len(self.traces) < 4:
                self.capture()
            elif what < 0.5 and self.traces:
                self.replay(rnd.choice([*self.traces]))
            else:
                self.launch(None)
        for op in self.ops:  # an id that is used again: the later word counts
            if self.no_cache and op.device is not None and op.trace is None and rnd.random() < 0.05:
                op.again = Thing(**{**vars(op), "record": {**op.record, "attributes": {"again": self.value()}}, "message": self.tick()})
        if not self.ops:  # without any op there is no join
            self.launch(None)

    def launch(self, trace):
        self.base += 1
        program = self.rnd.choice(self.programs)
        devices = self.rnd.sample(self.devices, self.rnd.randrange(1, len(self.devices) + 1)) if trace is None else [trace[0]]
        for device in devices:
            op = self.make_op(device, program, trace[1] if trace else None)
            if trace is None:
                self.execute(op, None, None)
            else:
                self.traces[trace].append(op)

    def capture(self):
        key = self.rnd.choice(self.devices), len(self.traces)
        self.traces[key] = []
        self.marks.append((self.tick(), f"TT_METAL_TRACE_BEGIN: {key[0]}, {key[1]}"))
        for i in range(self.rnd.randrange(1, 4)):
            self.launch(key)
            self.marks.append((self.tick(), f"TT_METAL_TRACE_ENQUEUE_PROGRAM: {key[0]}, {key[1]}, {i}"))
        self.marks.append((self.tick(), f"TT_METAL_TRACE_END: {key[0]}, {key[1]}"))

    def replay(self, key):
        session = 1 + sum((r.device, r.trace) == key for r in self.replays)
        self.replays.append(Thing(device=key[0], trace=key[1], time=self.tick()))
        for op in self.traces[key]:
            self.execute(op, key[1], session)

    # ---- what devices do ----
    def execute(self, op, trace, session):
        rnd, program = self.rnd, op.program
        begin = self.clock[op.device] + rnd.randrange(10, 9000)
        cores, cb = {}, {}
        places = [((i % 3 + 1, i // 3 + 1), RISCS[:5] if program.compute else RISCS[:2]) for i in range(program.grid)]
        for place, riscs in places + [((9, 0), ("ERISC",))] * program.ethernet:
            late = rnd.randrange(0, 40)
            cores[place] = {}
            for n, risc in enumerate(riscs):
                fw = begin + late + 3 * n
                kernel = fw + rnd.randrange(1, 60)
                end = kernel + max(1, program.kernel - rnd.randrange(0, 15))
                cores[place][risc] = (fw, kernel, end, end + rnd.randrange(1, 50))
            if "BRISC" in riscs and not self.has_trace_columns:  # without them, the end of its firmware is the end of all
                fw, kernel, end, _ = cores[place]["BRISC"]
                cores[place]["BRISC"] = fw, kernel, end, max(t[3] for t in cores[place].values()) + 1
            if program.cb and "TRISC_0" in riscs:
                cb[place] = rnd.randrange(1000), rnd.randrange(0, 3)
        self.clock[op.device] = max(t[3] for c in cores.values() for t in c.values())
        self.executions.append(Thing(device=op.device, op=op.id, trace=trace, session=session, cores=cores, cb=cb, sub=op.sub))
        if self.has_sub and self.has_trace_columns and rnd.random() < 0.2:  # the next one starts on other cores, before this one has ended
            self.clock[op.device] -= rnd.randrange(0, program.kernel)


# ---- tables of the host ----
def head_of(scene, op):
    hit = [] if scene.is_2025 else [scene_hit(op)]
    return ", ".join([f'TT_DNN_DEVICE_OP: "{op.code}"', str(op.hash), str(op.device), *hit, str(op.id)])


def scene_hit(op):
    return [["0", "false", "False"], ["1", "true", "True"]][op.hit][op.id >> 10 & 1 or op.hash % 3]


def message_of(scene, op):
    if op.device is None:
        return f'{op.tag}"{op.code}" ->\n{json.dumps(op.record, indent=4)}'
    if not op.is_full:
        return head_of(scene, op)
    indent = [4, None][op.id >> 11 & 1]
    return f"{head_of(scene, op)} ->\n{json.dumps(op.record, indent=indent, ensure_ascii=bool(op.id >> 10 & 1))}"


def signpost_text(mark):
    return f"TT_SIGNPOST: {mark.header}" + ("" if mark.text is None else "\n" + mark.text)


def quoted(text):
    return "`" + text.replace("`", "``") + "`"


def messages(scene):
    """(time, text as it stands in the table), in the order of time."""
    said = [(op.message, quoted(message_of(scene, op))) for op in scene.ops if op.has_message]
    said += [(op.again.message, quoted(message_of(scene, op.again))) for op in scene.ops if op.has_message and op.again]
    said += [(m.time, quoted(signpost_text(m))) for m in scene.signposts]
    said += [(t, quoted(text)) for t, text in scene.marks]
    said += [(r.time, quoted(f"TT_METAL_TRACE_REPLAY: {r.device}, {r.trace}")) for r in scene.replays]
    said += scene.noise
    return sorted(said, key=lambda one: one[0])


def data_table(scene):
    said = messages(scene)
    return "MessageName;total_ns\n" + "".join(f"{text};{time}\n" for time, text in said) if said else "There are currently no messages!\n"


def zone_line(scene, name, text, start, duration, parent):
    value = ["," + text] if scene.has_value else [""]
    shown = f'"{text}"' if text else ""
    return f"{name},src/{name}.cpp,12,,{shown},{start},{duration},1{value[0]},{parent}\n"


def times_table(scene):
    lines = ["name,src_file,src_line,zone_name,zone_text,ns_since_start,exec_time_ns,thread," + "value," * scene.has_value + "special_parent_text\n"]
    rnd = random.Random(len(scene.ops))
    for op in scene.ops:
        if rnd.random() < 0.05:
            lines.append(zone_line(scene, op.zone, rnd.choice(["", "no number", "id:", "id:x"]), 5, 5, ""))
        if op.start is not None and rnd.random() < 0.05 and not scene.parent_is_own:  # of several the last one counts
            lines.append(zone_line(scene, op.zone, f"id:{op.id}", 7, 7, ""))
        if op.start is not None:
            lines.append(zone_line(scene, op.zone, f"id:{op.id}", op.start, op.duration, f"id:{op.id}" if scene.parent_is_own else ""))
    for name in scene.children:
        for op in scene.ops:
            for child, duration in op.children:
                if child == name:
                    text = rnd.choice(["", "", "some text", "a, b", "two\nlines", 'say "hi", x', 'q"', "id:5", "a,b,,c"])
                    lines.append(zone_line(scene, name, text, op.message, duration, f"id:{op.id}"))
    return "".join(lines)


# ---- the device's half ----
def spans(execution, riscs=RISCS, first=1, last=2):
    """First start and last end over all cores: kernels, or firmware with first=0, last=3."""
    times = [t for core in execution.cores.values() for r, t in core.items() if r in riscs]
    return (min(t[first] for t in times), max(t[last] for t in times)) if times else None


def half_up(cycles, mhz):
    return (2000 * cycles + mhz) // (2 * mhz)


def cpp_rows(scene):
    rows = []
    for x in scene.executions:
        fw, kernel, starts = spans(x, first=0, last=3), spans(x), spans(x, last=1)
        dm = spans(x, RISCS[:2] + RISCS[5:])[0], kernel[1]
        row = dict.fromkeys(CPP_COLUMNS, "")
        row.update({"GLOBAL CALL COUNT": x.op, "METAL TRACE ID": "" if x.trace is None else x.trace,
                    "METAL TRACE REPLAY SESSION ID": "" if x.session is None else x.session, "DEVICE ID": x.device, "DEVICE ARCH": scene.arch,
                    "CORE COUNT": len(x.cores), "AVAILABLE WORKER CORE COUNT": scene.workers, "DEVICE FW START CYCLE": fw[0],
                    "DEVICE FW END CYCLE": fw[1], "DEVICE KERNEL START CYCLE": kernel[0], "DEVICE KERNEL END CYCLE": kernel[1],
                    "DEVICE KERNEL DM START CYCLE": dm[0], "DEVICE KERNEL DM END CYCLE": dm[1]})
        ns = {"DEVICE FW DURATION [ns]": fw, "DEVICE KERNEL DURATION [ns]": kernel, "DEVICE KERNEL DURATION DM START [ns]": dm,
              "DEVICE KERNEL FIRST TO LAST START [ns]": starts}
        ns.update({f"DEVICE {r.replace('_', '')} KERNEL DURATION [ns]": spans(x, (r,)) for r in RISCS})
        row.update({c: half_up(s[1] - s[0], scene.mhz) for c, s in ns.items() if s})
        rows.append(row)
    if scene.tells_latency:
        for device in scene.devices:
            tell_latencies([r for r in rows if r["DEVICE ID"] == device])
    return rows


def tell_latencies(rows):
    rows.sort(key=lambda r: r["DEVICE KERNEL START CYCLE"])
    for column, start, end in (("OP TO OP LATENCY [ns]", "DEVICE KERNEL START CYCLE", "DEVICE KERNEL END CYCLE"),
                               ("OP TO OP LATENCY BR/NRISC START [ns]", "DEVICE KERNEL DM START CYCLE", "DEVICE KERNEL DM END CYCLE")):
        before = None
        for row in rows:
            gap = 0 if before is None else row[start] - before
            q = row["DEVICE KERNEL DURATION [ns]"] / (row["DEVICE KERNEL END CYCLE"] - row["DEVICE KERNEL START CYCLE"])
            row[column] = int(gap * q + 0.5) if gap >= 0 else ""
            before = row[end]


def cpp_table(rows, columns=CPP_COLUMNS):
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(columns)
    table.writerows([row.get(c, "") for c in columns] for row in rows)
    return out.getvalue()


def log_lines(scene):
    lines = []
    for x in scene.executions:
        for (cx, cy), core in x.cores.items():
            for risc, times in core.items():
                family = risc.split("_")[0]
                trace = f"{'' if x.trace is None else x.trace},{'' if x.session is None else x.session}," if scene.has_trace_columns else ""
                for zone, kind, time in zip(("FW", "KERNEL", "KERNEL", "FW"), ("ZONE_START", "ZONE_START", "ZONE_END", "ZONE_END"), times):
                    number = 1000 + RISCS.index(risc) * 2 + (zone == "FW")
                    lines.append(f"{x.device},{cx},{cy},{risc},{number},{time},0,{x.op},{trace}{family}-{zone},{kind},12,fw.cc,\n")
                if x.sub is not None and risc == "BRISC":
                    lines.append(f'{x.device},{cx},{cy},{risc},77,{times[1]},0,{x.op},{trace}SUB,TS_DATA,12,fw.cc,{{"sub_device_id": {x.sub}}}\n')
            for (risc, name), data in zip((("TRISC_0", "CB-COMPUTE-WAIT-FRONT"), ("TRISC_2", "CB-COMPUTE-RESERVE-BACK")), x.cb.get((cx, cy), ())):
                lines.append(f"{x.device},{cx},{cy},{risc},88,{core[risc][2]},{data},{x.op},{trace}{name},ZONE_TOTAL,12,k.cc,\n")
    return lines


def log_table(scene, lines):
    return (FIRST_LINE.format(arch=scene.arch, mhz=scene.mhz, workers=scene.workers) +
            LOG_COLUMNS.format(traces="trace id, trace id counter, " * scene.has_trace_columns) + "".join(lines))


def write(scene, folder, rows=None, lines=None):
    """All four files; rows and lines instead of the scene's own, when given."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tracy_ops_data.csv").write_text(data_table(scene), newline="")
    (folder / "tracy_ops_times.csv").write_text(times_table(scene), newline="")
    (folder / "cpp_device_perf_report.csv").write_text(cpp_table(cpp_rows(scene) if rows is None else rows))
    (folder / "profile_log_device.csv").write_text(log_table(scene, log_lines(scene) if lines is None else lines))
