#!/usr/bin/python3
"""make_page.py - builds a report page without the C side, for work on the front end.

    make_page.py OUT.html                  a few hundred made-up ops
    make_page.py OUT.html --rows 200000    many, to feel scrolling and filtering
    make_page.py OUT.html --devices 4      one bar per device
    make_page.py OUT.html --data DOC.json  any data document

The page is put together as the C side does it: the template is split at its three marker
lines, and style, data and script go in their places. The made-up data is the same on every
run. It holds what breaks pages: an op named like markup, missing cells, host ops, signposts.
"""
import argparse
import json
import pathlib
import random
import subprocess
import tempfile

WEB = pathlib.Path(__file__).resolve().parents[2] / "web"
HOSTILE = '<script>alert(1)</script> & "quotes"'

ARCH = {"name": "wormhole", "cores": 64, "dram_gbps": 288.0,
        "tflops_per_core": {"HiFi4": 74 / 72, "HiFi2": 148 / 72, "LoFi": 262 / 72}}


def column(name, kind="text", unit="", decimals=0, detail=False):
    return {"name": name, "type": kind, "unit": unit, "decimals": decimals, "detail": detail}


OPS_COLUMNS = [
    column("ID", "int"), column("Total %", "real", "%", 1), column("Bound"), column("OP Code"),
    column("Device", "int"), column("Device Time", "real", "μs", 1),
    column("Op-to-Op Gap", "real", "μs", 1), column("Cores", "int"),
    column("DRAM", "real", "GB/s"), column("DRAM %", "real", "%", 1),
    column("FLOPs", "real", "TFLOPs", 1), column("FLOPs %", "real", "%", 1),
    column("Math Fidelity"), column("Output Datatype", detail=True),
    column("Input 0 Datatype", detail=True), column("Input 1 Datatype", detail=True),
    column("DRAM Sharded", "bool", detail=True), column("Input 0 Memory", detail=True),
    column("Inner Dim Block Size", "int", detail=True),
    column("Output Subblock H", "int", detail=True), column("Output Subblock W", "int", detail=True),
    column("Global Call Count", "int", detail=True), column("Advice", detail=True),
    column("Raw OP Code", detail=True),
]

# name, category, typical microseconds, weight
PLAIN_OPS = [
    ("LayerNormDeviceOperation", "Compute", 42, 8), ("BinaryNgDeviceOperation", "Compute", 5, 16),
    ("SoftmaxDeviceOperation", "Compute", 20, 4), ("ReshapeDeviceOperation", "TM", 18, 8),
    ("TransposeDeviceOperation", "TM", 6, 9), ("TilizeWithValPaddingDeviceOperation", "TM", 9, 3),
    ("InterleavedToShardedDeviceOperation", "DM", 4, 6), ("ReshardDeviceOperation", "DM", 3, 5),
    ("AllGatherAsyncDeviceOperation", "Other", 30, 2), (HOSTILE, "Other", 2, 1),
]
MEMORIES = ["DEV_0_DRAM_INTERLEAVED", "DEV_0_L1_INTERLEAVED", "DEV_0_L1_HEIGHT_SHARDED"]


def matmul(rng, row):
    """Fills a row as a matmul: rates from shape and time, bound and advice from the rates."""
    m = rng.choice([32, 32, 64, 128, 128, 256])
    k, n = rng.choice([(2048, 2048), (1024, 1024), (512, 2048), (768, 3072)])
    fidelity = rng.choice(["HiFi4", "HiFi2", "HiFi2", "LoFi"])
    cores = rng.choice([8, 32, 56, 64, 64, 64])
    peak = ARCH["tflops_per_core"][fidelity] * cores
    flop, moved = 2.0 * m * k * n, 2.0 * (m * k + k * n + m * n)
    best = max(flop / (peak * 1e12), moved / (ARCH["dram_gbps"] * 1e9))
    seconds = best / rng.uniform(0.2, 0.97)
    dram, flops = moved / seconds / 1e9, flop / seconds / 1e12
    dram_pc, flops_pc = 100 * dram / ARCH["dram_gbps"], 100 * flops / peak
    bound = ("BOTH" if min(dram_pc, flops_pc) >= 65 else "DRAM" if dram_pc >= 65
             else "FLOP" if flops_pc >= 65 else "SLOW")
    advice = {
        "DRAM": ["Try a DRAM-sharded program config to improve throughput further"],
        "FLOP": [f"Increase grid size (currently using {cores})"] if cores < 64 else [],
        "SLOW": [f"If possible place input 0 in L1 (currently in {MEMORIES[0]})",
                 "in0_block_w=1 is small, try in0_block_w=2 or above"],
    }.get(bound, [])
    row.update({
        "Bound": bound, "OP Code": f"MatmulDeviceOperation {m} x {k} x {n}",
        "Device Time": seconds * 1e6, "Cores": cores, "DRAM": dram, "DRAM %": dram_pc,
        "FLOPs": flops, "FLOPs %": flops_pc, "Math Fidelity": f"{fidelity} BF16 x BFP8 => BF16",
        "Input 1 Datatype": "BFLOAT8_B", "Input 0 Memory": MEMORIES[0],
        "Inner Dim Block Size": 1, "Output Subblock H": 1, "Output Subblock W": 4,
        "Advice": " • ".join(advice) or None, "category": "Compute",
    })


def make_ops(count, devices):
    rng = random.Random(7)
    weights = [w for *_, w in PLAIN_OPS]
    rows = []
    for i in range(count):
        row = {"ID": i + 2, "Bound": "", "Device": i % devices, "Global Call Count": 1024 * (i + 1),
               "Op-to-Op Gap": None if i == 0 else rng.expovariate(1 / 1.5), "DRAM Sharded": False,
               "Output Datatype": "BFLOAT16", "Input 0 Datatype": "BFLOAT16"}
        if i % 97 == 50:
            row["Op-to-Op Gap"] = rng.uniform(20, 400)
        if i % 151 == 100:
            row = {"ID": i + 2, "Bound": "HOST", "OP Code": "aten::softmax (torch)", "category": "Host"}
        elif i % 173 == 20:
            row = {"ID": i + 2, "Bound": "", "OP Code": f"layer {i // 173} (signpost)"}
        elif rng.random() < 0.2:
            matmul(rng, row)
        else:
            name, category, us, _ = rng.choices(PLAIN_OPS, weights)[0]
            row.update({"OP Code": name, "category": category, "Cores": rng.choice([2, 40, 64, 64]),
                        "Device Time": us * rng.lognormvariate(0, 0.4),
                        "Math Fidelity": "BF16 => BF16", "Input 0 Memory": rng.choice(MEMORIES)})
        row["Raw OP Code"] = row["OP Code"].split(" ")[0]
        rows.append(row)
    total = sum((r.get("Device Time") or 0) + (r.get("Op-to-Op Gap") or 0) for r in rows)
    for r in rows:
        if r["Bound"] != "HOST" and "Device Time" in r:
            r["Total %"] = 100 * (r["Device Time"] + (r["Op-to-Op Gap"] or 0)) / total
    return rows


def make_summary(ops, by_device):
    groups = {}
    for r in ops:
        if "category" not in r:
            continue
        place = "_".join((r.get("Input 0 Memory") or "").lower().split("_")[-2:])
        key = r["OP Code"].split(" ")[0] + (f" (in0:{place})" if place else "")
        if by_device and r.get("Device") is None:
            continue
        groups.setdefault((key, r.get("Device") if by_device else None), []).append(r)
    times = {g: sum(r.get("Device Time") or 0 for r in rs) for g, rs in groups.items()}
    rows = []
    for (key, device), rs in sorted(groups.items(), key=lambda g: -times[g[0]]):
        whole = sum(t for g, t in times.items() if g[1] == device)
        rates = [r["FLOPs %"] for r in rs if r.get("FLOPs %")]
        mean = sum(rates) / len(rates) if rates else None
        rows.append([100 * times[key, device] / whole, key] + ([device] if by_device else []) +
                    [times[key, device], len(rs), rs[0]["category"],
                     min(rates, default=None), max(rates, default=None), mean, None, mean])
    columns = [column("Total %", "real", "%", 2), column("Op Code")]
    columns += [column("Device", "int")] if by_device else []
    columns += [column("Device Time Sum", "real", "μs", 2), column("Op Count", "int"), column("Op Category")]
    columns += [column(n + " FLOPs", "real", "%", 2) for n in ("Min", "Max", "Mean", "Std", "Weighted Mean")]
    return {"id": "summary", "title": "Stacked report", "columns": columns, "rows": rows}


def make_advice(ops):
    rows = []
    for r in ops:
        if r["Bound"] == "HOST":
            rows.append(["Fallback", r["ID"], r["OP Code"], "This op should be moved to run on device."])
    for r in ops:
        if (r.get("Op-to-Op Gap") or 0) > 6.5:
            rows.append(["High Op-to-Op Gap", r["ID"], r["OP Code"],
                         "Over 6 μs since the previous op: running with tracing could save most of it."])
    for r in ops:
        if "Matmul" in r["OP Code"] and r.get("Advice"):
            rows.append(["Matmul Optimization", r["ID"], r["OP Code"], r["Advice"]])
    columns = [column("Section"), column("ID", "int"), column("OP Code"), column("Advice")]
    return {"id": "advice", "title": "Advice", "columns": columns, "rows": rows}


def make_document(count, devices):
    ops = make_ops(count, devices)
    diag_columns = [column("Finding"), column("Count", "int"), column("First seen"), column("Remedy")]
    diag_rows = [["ops without a device duration", 3, "line 102", "Run again with the device profiler on."],
                 ["unknown column", 1, "FOO [ns]", "None needed: it was left out."]]
    return {
        "ttprof": "0.1.0", "kind": "perf-report", "title": "Performance Report",
        "sources": ["made_up_encoder.csv"], "min_percentage": 0.5 if count < 2000 else 0.0005, "arch": ARCH,
        "notes": [{"level": "info", "text": "Detected CSV format: v2"},
                  {"level": "info", "text": "Sorting CSV by 'HOST START TS' column..."},
                  {"level": "info", "text": "Using architecture from CSV: wormhole"},
                  {"level": "info", "text": f"Detected data from {devices} devices. Merging device data..."},
                  {"level": "warning", "text": f"Unclassified operation '{HOSTILE}' found."}],
        "tables": [
            {"id": "ops", "title": "Performance Report", "columns": OPS_COLUMNS,
             "rows": [[r.get(c["name"]) for c in OPS_COLUMNS] for r in ops]},
            make_summary(ops, devices > 1), make_advice(ops),
            {"id": "diag", "title": "Diagnostics", "columns": diag_columns, "rows": diag_rows}],
    }


def bundle(source, suffix, *options):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / ("bundle" + suffix)
        subprocess.run(["esbuild", str(WEB / "src" / source), "--minify", "--log-level=warning",
                        f"--outfile={out}", *options], check=True)
        return out.read_text(encoding="utf-8")


def make_page(document, blocks=""):
    script = bundle("main.ts", ".js", "--bundle", "--format=iife", "--target=es2020")
    data = json.dumps(document, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    parts = {
        "<!--STYLE-->\n": "<style>" + bundle("style.css", ".css", "--bundle") + "</style>\n",
        "<!--DATA-->\n": '<script type="application/json" id="data">' + data + "</script>\n" + blocks,
        "<!--SCRIPT-->\n": "<script>" + script + "</script>\n",
    }
    with open(WEB / "page.html", encoding="utf-8") as template:
        return "".join(parts.get(line, line) for line in template)


def main():
    parser = argparse.ArgumentParser(description="Builds a report page from made-up data.")
    parser.add_argument("out")
    parser.add_argument("--rows", type=int, default=640)
    parser.add_argument("--devices", type=int, default=1)
    parser.add_argument("--data", help="a data document to use in place of made-up data")
    args = parser.parse_args()
    if args.data:
        document = json.loads(pathlib.Path(args.data).read_text(encoding="utf-8"))
    else:
        document = make_document(args.rows, args.devices)
    pathlib.Path(args.out).write_text(make_page(document), encoding="utf-8")


if __name__ == "__main__":
    main()
