"""ops_model.py - what the ops report says of a scene (ops_scene.py), worked out in the plainest way: rows are
dictionaries of values, printed at the end."""
import csv
import fractions
import io
import re

import ops_scene

RISC_COLUMNS = [f"DEVICE {r} KERNEL DURATION [ns]" for r in ("BRISC", "NCRISC", "TRISC0", "TRISC1", "TRISC2", "ERISC")]
FRONT = ["OP CODE", "OP TYPE", "GLOBAL CALL COUNT", "DEVICE ID", "DEVICE ARCH", "ATTRIBUTES", "MATH FIDELITY", "CORE COUNT",
         "AVAILABLE WORKER CORE COUNT", "SUB DEVICE ID", "PARALLELIZATION STRATEGY", "HOST START TS", "HOST END TS", "HOST DURATION [ns]",
         "DEVICE FW START CYCLE", "DEVICE FW END CYCLE", "OP TO OP LATENCY [ns]", "OP TO OP LATENCY BR/NRISC START [ns]",
         "DEVICE FW DURATION [ns]", "DEVICE KERNEL DURATION [ns]", "DEVICE KERNEL DURATION DM START [ns]",
         "DEVICE KERNEL DURATION PER CORE MIN [ns]", "DEVICE KERNEL DURATION PER CORE MAX [ns]", "DEVICE KERNEL DURATION PER CORE AVG [ns]",
         "DEVICE KERNEL FIRST TO LAST START [ns]", *RISC_COLUMNS, "DEVICE COMPUTE CB WAIT FRONT [ns]", "DEVICE COMPUTE CB RESERVE BACK [ns]",
         "DISPATCH TOTAL CQ CMD OP TIME [ns]", "DISPATCH GO SEND WAIT TIME [ns]"]
PROGRAM = ["METAL TRACE ID", "METAL TRACE REPLAY SESSION ID", "COMPUTE KERNEL SOURCE", "COMPUTE KERNEL HASH", "DATA MOVEMENT KERNEL SOURCE",
           "DATA MOVEMENT KERNEL HASH", "PROGRAM HASH", "PROGRAM CACHE HIT"]
BACK = ["PM IDEAL [ns]", "PM COMPUTE [ns]", "PM BANDWIDTH [ns]", "PM REQ I BW", "PM REQ O BW", "PM FPU UTIL (%)", "NOC UTIL (%)",
        "MULTICAST NOC UTIL (%)", "DRAM BW UTIL (%)", "DRAM BW UTIL PER CTRL (%)", "ETH BW UTIL (%)", "NPE CONG IMPACT (%)"]
CLASSES = ["TENSIX DM", "TENSIX COMPUTE", "ACTIVE ETH DM", "IDLE ETH DM"]
DEVICE_COLUMNS = [c for c in FRONT if c.startswith(("DEVICE ", "OP TO OP", "CORE", "AVAILABLE"))]
LATENCY, LATENCY_DM = "OP TO OP LATENCY [ns]", "OP TO OP LATENCY BR/NRISC START [ns]"


def cell(value):
    return "" if value is None else str(value).replace(",", ";")


# ---- the host's half ----
def tensor_cells(row, what, tensors):
    for i, tensor in enumerate(tensors):
        place = tensor["storage_type"]
        if not isinstance(place, str):
            memory = place["memory_config"]
            place = f"DEV_{place['device_id']}_{memory['buffer_type']}_{memory['memory_layout']}".upper()
        for axis in "WZYX":
            row[f"{what}_{i}_{axis}_PAD[LOGICAL]"] = tensor["shape"][axis]
        row.update({f"{what}_{i}_LAYOUT": tensor["layout"], f"{what}_{i}_DATATYPE": tensor["dtype"], f"{what}_{i}_MEMORY": place})


def record_cells(record):
    row = {"ATTRIBUTES": str(record["attributes"]), "PARALLELIZATION STRATEGY": record.get("parallelization_strategy")}
    tensor_cells(row, "INPUT", record["input_tensors"] + record.get("optional_input_tensors", []))
    tensor_cells(row, "OUTPUT", record.get("output_tensors", []))
    kernels = record.get("kernel_info")
    if kernels:
        row["MATH FIDELITY"] = kernels["compute_kernels"][-1]["math_fidelity"] if kernels["compute_kernels"] else None
        for column, key in (("COMPUTE", "compute_kernels"), ("DATA MOVEMENT", "datamovement_kernels")):
            row[f"{column} KERNEL SOURCE"] = [k["source"] for k in kernels[key]]
            row[f"{column} KERNEL HASH"] = [k["name"] for k in kernels[key]]
        row.update({k.upper().replace("_", " ") + " [B]": v for k, v in kernels["kernel_sizes"].items()})
    model = record.get("performance_model")
    if model:
        row.update(zip(BACK, (model[k] for k in ("ideal_ns", "compute_ns", "bandwidth_ns", "input_bws", "output_bws"))))
    return row


class Model:
    """The report of a scene. rows: executions as the device's half tells them, see cpp_half and log_half."""

    def __init__(self, scene, half, says_all=True):
        self.scene, self.half, self.is_cpp = scene, half, half is cpp_half
        self.measured = half(scene) if says_all else None
        self.rows, self.unmatched, self.lines = [], [], []
        self.join()

    def host_rows(self):
        """Cells of each op, as its message, what the program said before, and its zone tell them."""
        cache = {}
        for op in self.scene.ops:
            row = {"GLOBAL CALL COUNT": op.id}
            if op.has_message:
                row.update({"OP CODE": op.code, "OP TYPE": op.type, "DEVICE ID": op.device})
                if op.device is not None:
                    row["PROGRAM HASH"] = op.hash
                    row["PROGRAM CACHE HIT"] = None if self.scene.is_2025 else op.hit
                    if op.is_full:
                        cache[op.device, op.hash] = op.record
                record = op.again.record if op.again else op.record if op.is_full else cache.get((op.device, op.hash))
                row.update(record_cells(record) if record else {})
            else:
                row.update({"OP CODE": "unknown", "OP TYPE": op.type, "DEVICE ID": op.device})
            if op.start is not None:
                row.update({"HOST START TS": op.start, "HOST END TS": op.start + op.duration, "HOST DURATION [ns]": op.duration})
                if self.scene.parent_is_own:
                    row[f"{op.zone}_TT_HOST_FUNC [ns]"] = op.duration
            for name, duration in op.children:
                column = f"{name}_TT_HOST_FUNC [ns]"
                row[column] = row.get(column, 0) + duration
            yield op, row

    # ---- the join ----
    def replay_times(self, device, trace):
        return [r.time for r in self.scene.replays if (r.device, r.trace) == (device, trace)]

    def join(self):
        ops, traced, self.executions = [], [], []
        taken = set()
        devices = [*dict.fromkeys(op.device for op in self.scene.ops if op.device is not None)]
        data_of = {x.device for x in self.measured or ()}
        known = data_of | {op.device for op in self.scene.ops if op.has_message}
        for op, row in self.host_rows():
            message = (op.again or op).message if op.has_message else op.start
            time = message if op.start is None else op.start
            if op.device is None:
                ops.append((time, row, "host only", None))
                continue
            trace = op.trace if op.has_message else None
            mine = [x for x in self.measured or () if (x.device, x.op) == (op.device, op.id)]
            taken.update(id(x) for x in mine)
            times = self.replay_times(op.device, trace)
            for x in mine:
                merged = {**row, **x.cells}
                if x.session is None:
                    ops.append((time, merged, "ok", x))
                    self.executions.append((time, op.device, True))
                else:
                    told = self.replay_times(op.device, x.trace)
                    is_told = x.session <= len(told)
                    at = told[x.session - 1] if is_told else message
                    state = "ok" if is_told or (not told and trace is None) else "replay unknown"
                    traced.append(((devices.index(op.device), op.id, x.session), at, merged, state, x))
                    if trace is None and state == "ok":
                        self.executions.append((at, op.device, True))
            if trace is not None:
                found = {x.session for x in mine}
                has_sessions = any(x.session for x in self.measured or () if x.device == op.device)
                if op.device in data_of and not has_sessions:  # nothing tells replays apart
                    times = times[:1]
                self.executions += [(at, op.device, i + 1 in found) for i, at in enumerate(times)]
            elif not mine:
                self.executions.append((time, op.device, False))
            if not any(x.session is None for x in mine):
                state = ("capture" if mine else "never replayed" if trace is not None and not times else "no device data" if self.measured is None
                         else "not measured" if op.device in data_of or op.device not in known else "device missing")
                ops.append((time, row, state, None))
        signposts = [(m.time, {"OP CODE": m.header, "OP TYPE": "signpost", "ATTRIBUTES": m.text, "HOST START TS": m.time}, "signpost", None)
                     for m in self.scene.signposts]
        all_rows = ops + [t[1:] for t in sorted(traced, key=lambda t: t[0])] + signposts
        self.rows = [one[1:] for one in sorted(all_rows, key=lambda one: one[0])]
        alone = sorted((x for x in self.measured or () if id(x) not in taken), key=lambda x: (x.device, x.start))
        self.unmatched = [({"GLOBAL CALL COUNT": x.op, "DEVICE ID": x.device, **x.cells}, "no host op", x) for x in alone]
        put_latencies(self.rows, self.is_cpp, self.scene.mhz)
        for row, _, _ in self.unmatched:
            row[LATENCY] = row[LATENCY_DM] = None
        for row, _, x in self.rows:
            kernel = row.get("DEVICE KERNEL DURATION [ns]")
            if row.get("PM COMPUTE [ns]") is not None and kernel is not None:
                row["PM FPU UTIL (%)"] = round(100.0 * row["PM COMPUTE [ns]"] / kernel, 3) if kernel else 0.0
        self.lines = self.coverage(data_of, alone)

    def coverage(self, data_of, alone):
        lines = []
        devices = data_of | {op.device for op in self.scene.ops if op.device is not None and op.has_message}
        for device in sorted(devices):
            runs = "".join("01"[m] for _, d, m in sorted(self.executions, key=lambda e: e[0]) if d == device)
            expected, measured = len(runs), runs.count("1")
            line = f"device {device}: expected {expected}, measured {measured}"
            if expected:
                line += ", " + share(measured, expected)
            if expected and self.measured is None:
                line += "; no device data were given"
            elif expected and device not in data_of:
                line += "; no data of this device"
            need = room(runs)
            if need:
                line += f"; raise the program support count to {need} (--op-support-count)"
            of_device = [state for row, state, _ in self.rows if row.get("DEVICE ID") == device]
            line += clause(of_device.count("never replayed"), "captured in traces that never ran")
            line += clause(of_device.count("replay unknown"), "measured in replays that the host did not report")
            line += clause(sum(bool(op.again) for op in self.scene.ops if op.device == device and op.has_message),
                           "with an id used before")
            line += clause(sum(x.device == device for x in alone), "measured without a host op (--unmatched shows them)")
            lines.append(line)
        host = sum(state == "host only" for _, state, _ in self.rows)
        return lines + ([f"host: {host} op{'s' * (host != 1)}, nothing to measure"] if host else [])

    # ---- the table ----
    def header(self):
        names = {name for row, _, _ in self.rows for name, value in row.items() if value is not None}
        tensors = []
        for what in ("INPUT", "OUTPUT"):
            n = max((int(c.split("_")[1]) + 1 for c in names if c.startswith(what + "_")), default=0)
            for i in range(n):
                tensors += [f"{what}_{i}_{axis}_PAD[LOGICAL]" for axis in "WZYX"]
                tensors += [f"{what}_{i}_LAYOUT", f"{what}_{i}_DATATYPE", f"{what}_{i}_MEMORY"]
        sizes = [re.fullmatch(r"(.*) (\d+) MAX KERNEL SIZE \[B\]", c) for c in names]
        sizes = sorted((CLASSES.index(m[1]), int(m[2]), m[0]) for m in sizes if m)
        children = sorted(c for c in names if c.endswith("_TT_HOST_FUNC [ns]"))
        return FRONT + tensors + PROGRAM + [s[2] for s in sizes] + BACK + children

    def table(self, with_unmatched=False, with_state=False):
        rows = self.rows + self.unmatched * with_unmatched
        header = self.header()
        return as_csv(header + ["ROW STATE"] * with_state, [{**row, "ROW STATE": state} for row, state, _ in rows])


def as_csv(header, rows):
    out = io.StringIO()
    table = csv.writer(out)
    table.writerow(header)
    table.writerows([cell(row.get(c)) for c in header] for row in rows)
    return out.getvalue()


def clause(n, what):
    return f"; {n} {what}" if n else ""


def share(measured, expected):
    if measured in (0, expected):
        return "100 %" if measured else "0 %"
    return f"{min(max(100 * measured / expected, 0.1), 99.9):.1f} %"


def room(runs):
    """Programs that must fit between two reads; runs: '1' measured, '0' lost, in order of time. 0: it was not the room."""
    longest = max(map(len, runs.split("0")))
    reads = [m.start() for m in re.finditer("1+", runs) if 2 * len(m[0]) >= longest]  # a few among lost ones mean nothing
    need = max((b - a for a, b in zip([0, *reads], [*reads, len(runs)]) if "0" in runs[a:b]), default=0)
    if need <= longest or not longest:
        return 0
    need = min(-(-need * max(1000, longest) // longest), 43 * need)  # room for 1000 unless told otherwise, one takes 43 at most
    unit = 10 ** max(0, len(str(need)) - 2)
    return -(-need // unit) * unit if need > 1000 else 0


# ---- the device's half ----
class Measured:
    def __init__(self, execution, cells):
        self.device, self.op, self.trace, self.session = execution.device, execution.op, execution.trace, execution.session
        self.start, self.execution = ops_scene.spans(execution, first=0, last=3)[0], execution
        self.kernel = ops_scene.spans(execution)
        self.dm = ops_scene.spans(execution, ("BRISC", "NCRISC", "ERISC"))[0], self.kernel[1]
        self.cells = cells
        if self.session is not None:
            cells.update({"METAL TRACE ID": self.trace, "METAL TRACE REPLAY SESSION ID": self.session})
        if execution.sub is not None:
            cells["SUB DEVICE ID"] = execution.sub


def cpp_half(scene):
    rows = ops_scene.cpp_rows(scene)
    measured = [Measured(x, {c: row[c] for c in DEVICE_COLUMNS if c in row and row[c] != "" and c != "DEVICE ID"})
                for x, row in zip(scene.executions, rows)]
    for m in measured:
        if m.session is not None and not scene.has_trace_columns:
            m.cells.pop("SUB DEVICE ID", None)  # the log cannot say of which replay it speaks
    return measured


def half_even(cycles, mhz):
    return round(fractions.Fraction(cycles * 1000) / mhz)


def log_half(scene):
    measured = []
    for x in scene.executions:
        fw, kernel, starts = ops_scene.spans(x, first=0, last=3), ops_scene.spans(x), ops_scene.spans(x, last=1)
        dm = ops_scene.spans(x, ("BRISC", "NCRISC", "ERISC"))[0], kernel[1]
        cells = {"CORE COUNT": len(x.cores), "DEVICE FW START CYCLE": fw[0], "DEVICE FW END CYCLE": fw[1]}
        ns = {"DEVICE FW DURATION [ns]": fw, "DEVICE KERNEL DURATION [ns]": kernel, "DEVICE KERNEL DURATION DM START [ns]": dm}
        if sum(len(core) for core in x.cores.values()) > 1:
            ns["DEVICE KERNEL FIRST TO LAST START [ns]"] = starts
        ns.update({c: ops_scene.spans(x, (r,)) for c, r in zip(RISC_COLUMNS, ops_scene.RISCS)})
        cells.update({c: half_even(s[1] - s[0], scene.mhz) for c, s in ns.items() if s})
        per_core = [max(t[2] for t in core.values()) - min(t[1] for t in core.values()) for core in x.cores.values()]
        for name, value in (("MIN", min(per_core)), ("MAX", max(per_core)), ("AVG", fractions.Fraction(sum(per_core), len(per_core)))):
            cells[f"DEVICE KERNEL DURATION PER CORE {name} [ns]"] = half_even(value, scene.mhz)
        for i, name in enumerate(("WAIT FRONT", "RESERVE BACK")):
            total = sum(cb[i] for cb in x.cb.values())
            if total:
                cells[f"DEVICE COMPUTE CB {name} [ns]"] = half_even(total, scene.mhz)
        measured.append(Measured(x, cells))
    return measured


def put_latencies(rows, is_cpp, mhz):
    """From the end of the row before of the same device to the start of this one; below zero: none."""
    ends, clocks = {}, {}
    for row, _, x in rows:
        if x is None:
            continue
        if is_cpp:
            clocks.setdefault(x.device, row["DEVICE FW DURATION [ns]"] / (row["DEVICE FW END CYCLE"] - row["DEVICE FW START CYCLE"]))
        for column, (start, end) in ((LATENCY, x.kernel), (LATENCY_DM, x.dm)):
            before = ends.get((x.device, column))
            ends[x.device, column] = end
            if is_cpp and row.get(column) is not None:
                continue
            gap = 0 if before is None else start - before
            cycles = x.kernel[1] - x.kernel[0]
            value = round(gap * clocks[x.device]) if is_cpp else round(gap / (cycles / (cycles * 1000 / mhz)))
            row[column] = value if value >= 0 else None


def device_only(scene, lines_order):
    """The table of the log alone; lines_order: devices as they first occur in it."""
    rows = []
    for device in lines_order:
        before = None
        mine = sorted((m for m in log_half(scene) if m.device == device), key=lambda m: (m.start, m.op, m.session or 0))
        ends = {}
        for m in mine:
            row = {"GLOBAL CALL COUNT": m.op, **m.cells}
            del row["CORE COUNT"]
            if len(lines_order) > 1:
                row["DEVICE ID"] = device
            for column, (start, end) in ((LATENCY, m.kernel), (LATENCY_DM, m.dm)):
                before = ends.get(column, start)
                ends[column] = end
                value = round(1000 * (start - before) / scene.mhz)
                row[column] = value if value >= 0 else None
            rows.append(row)
    return as_csv([c for c in FRONT if any(row.get(c) is not None for row in rows)], rows)
