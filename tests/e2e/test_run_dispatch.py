#!/usr/bin/env python3
"""test_run_dispatch.py TTPROF SOURCE_ROOT - dispatch cores as a user profiles them: `ttprof run -r --profile-dispatch-cores` with fast
dispatch. Their zones are in the log, what they did for each op in the ops report, their rows in the page; ops and heat map are those of
the workers."""
import csv
import io
import json
import re

import tap

ZONES = {"CQ-PREFETCH": "BRISC", "CQ-DISPATCH": "BRISC", "CQ-DISPATCH-SUBORDINATE": "NCRISC"}
TOTAL, WAIT = "DISPATCH TOTAL CQ CMD OP TIME [ns]", "DISPATCH GO SEND WAIT TIME [ns]"
WORKLOADS = {"mlp": 3, "transformer_block": 20}  # and their ops


def profiled(t, what, device, name, *options, runs=1):
    """The report's folder."""
    here = t.folder(what)
    work = [t.ttprof, "sim", "run", name, "--device", device, *(["--runs", str(runs)] if runs > 1 else [])]
    done = tap.run([t.ttprof, "run", "-r", "-o", "out", *options, "--", *work], here)
    folders = sorted(here.glob("out/reports/*"))
    t.ok(done.code == 0 and len(folders) == 1, f"{what}: a run of {name} has a report", done)
    return done, folders[0]


def device_log(folder):
    head, *lines = (folder / "profile_log_device.csv").read_text(encoding="utf-8").splitlines()
    return head, list(csv.DictReader(io.StringIO("\n".join(lines)), skipinitialspace=True))


def ops_of(folder):
    with open(next(folder.glob("ops_perf_results*.csv")), encoding="utf-8", newline="") as f:
        return [r for r in csv.DictReader(f) if r["OP TYPE"] == "tt_dnn_device"]


def check_log(t, what, folder, n_ops):
    head, rows = device_log(folder)
    t.ok("Dispatch: fast" in head, f"{what}: the log says how programs were launched", head)
    found = {}
    for r in rows:
        kind = r["zone name"].split(":")[0]
        if kind in ZONES:
            found.setdefault((kind, r["RISC processor type"]), set()).add((r["core_x"], r["core_y"]))
    t.equal(sorted(found), sorted(ZONES.items()), f"{what}: zones of prefetcher, dispatcher and subordinate")
    prefetcher, dispatcher, subordinate = (found.get(z, set()) for z in ZONES.items())
    t.ok(len(prefetcher) == len(dispatcher) == 1 and prefetcher != dispatcher and subordinate == dispatcher,
         f"{what}: the subordinate is on the dispatcher's core, the prefetcher on another one", found)
    sent = [r for r in rows if r["zone name"] == "CQ-DISPATCH-SUBORDINATE:CQ_DISPATCH_CMD_SEND_GO_SIGNAL" and r["type"] == "ZONE_START"]
    t.equal(len(sent), n_ops, f"{what}: a go signal for every op")
    return prefetcher | dispatcher


def check_ops(t, what, folder, n_ops):
    ops = ops_of(folder)
    t.equal(len(ops), n_ops, f"{what}: all ops are in the report")
    t.ok(all(int(op[TOTAL]) > 0 and int(op[WAIT]) > 0 for op in ops), f"{what}: every op has both times of dispatch",
         [(op[TOTAL], op[WAIT]) for op in ops])
    late = [(before["DEVICE FW DURATION [ns]"], op[WAIT]) for before, op in zip(ops, ops[1:]) if int(op[WAIT]) > int(before["DEVICE FW DURATION [ns]"]) + 10000]
    t.ok(not late, f"{what}: GO waits for the op before, and not much longer", late)


def check_page(t, what, folder, places):
    text = (folder / "device_perf.html").read_text(encoding="utf-8", errors="replace")
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    data = json.loads(found.group(1))["timeline"]
    t.equal({(str(k["x"]), str(k["y"])) for k in data["tracks"] if k["dispatch"]}, places, f"{what}: the page has rows of dispatch cores")
    spans = sorted((run[4], run[5]) for run in data["runs"])
    t.ok(all(a[1] <= b[0] for a, b in zip(spans, spans[1:])), f"{what}: ops last from a worker's first marker to the last, one after the other", spans)
    t.ok(spans[-1][1] < data["devices"][0]["span"], f"{what}: dispatch cores go on after the last one", data["devices"])


def check_replays(t):
    """Each replay has the times of its own commands, not those of the next one."""
    done, folder = profiled(t, "replays", "dispatch=fast", "mlp", "--profile-dispatch-cores", runs=4)
    t.ok(b"without a host op" not in done.stderr and b"without a firmware" not in done.stderr, "replays: nothing is left over", done)
    rows = [op for op in ops_of(folder) if op["METAL TRACE ID"]]
    t.equal(len(rows), 12, "replays: four of three ops")
    t.ok(all(op[TOTAL] and op[WAIT] for op in rows), "replays: every op has both times", [(op[TOTAL], op[WAIT]) for op in rows])
    first = rows[0]["GLOBAL CALL COUNT"]  # of the trace; the zones of others may carry the name of the op before
    dispatcher = [(int(r["time[cycles since reset]"]), r) for r in device_log(folder)[1] if r["zone name"].startswith("CQ-DISPATCH:")]
    starts = sorted(at for at, r in dispatcher if r["run host ID"] == first and "CMD_SET_WRITE_OFFSET" in r["zone name"] and r["type"] == "ZONE_START")
    ends = sorted(at for at, r in dispatcher if r["zone name"] == f"CQ-DISPATCH:{first}:CQ_DISPATCH_NOTIFY_SUBORDINATE_GO_SIGNAL" and r["type"] == "ZONE_END")
    t.equal([int(op[TOTAL]) for op in rows if op["GLOBAL CALL COUNT"] == first], [end - start for start, end in zip(starts, ends)],
            "replays: each has the time of its own commands")


def check_others(t):
    """Without the option nothing is there; without dispatch cores, a message says so."""
    _, folder = profiled(t, "not asked for", "dispatch=fast", "mlp")
    t.ok(not any(r["zone name"].startswith("CQ-") for r in device_log(folder)[1]), "dispatch cores are not profiled unless asked for")
    t.equal({op[c] for op in ops_of(folder) for c in (TOTAL, WAIT)}, {""}, "and the columns are empty")
    done, _ = profiled(t, "slow", "dispatch=slow", "mlp", "--profile-dispatch-cores")
    t.ok(b"no dispatch cores to profile" in done.stderr + done.stdout, "slow dispatch has none to profile, which a message says", done)


def test(t):
    for name, n_ops in WORKLOADS.items():
        for arch in ("wormhole", "blackhole"):
            what = f"{name} on {arch}"
            done, folder = profiled(t, what, f"arch={arch} dispatch=fast", name, "--profile-dispatch-cores")
            t.ok(b"gaps between ops are an upper bound" in done.stderr + done.stdout, f"{what}: the run says that it costs time", done)
            places = check_log(t, what, folder, n_ops)
            check_ops(t, what, folder, n_ops)
            check_page(t, what, folder, places)
    check_replays(t)
    check_others(t)


tap.main(test)
