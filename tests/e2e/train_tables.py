"""train_tables.py - made-up tables of ops of a training run, with the markers of the training loop."""
import csv

COLUMNS = ["OP CODE", "OP TYPE", "GLOBAL CALL COUNT", "DEVICE ID", "ATTRIBUTES", "CORE COUNT", "HOST DURATION [ns]", "DEVICE FW DURATION [ns]",
           "DEVICE FW START CYCLE", "DEVICE FW END CYCLE", "OP TO OP LATENCY [ns]", "DEVICE KERNEL DURATION [ns]", "DEVICE BRISC KERNEL DURATION [ns]", "INPUT_0_W",
           "INPUT_0_MEMORY"]
GROUP = 10  # rows of one marker: five before the read-out, five behind it


class Table:
    """Rows of one or several devices that do the same."""

    def __init__(self, devices=(0,), group=GROUP):
        self.devices, self.group, self.rows, self.at = devices, group, [], 1000

    def op(self, code, kernel, host=5000, gap=1000, attributes="{'a': '1'; 'b': 'x'}", cores=64, **cells):
        """One op on each device; `kernel` is in ns, and firmware takes 100 ns more."""
        for device in self.devices:
            row = {"OP CODE": code, "OP TYPE": "tt_dnn_device", "GLOBAL CALL COUNT": len(self.rows), "DEVICE ID": device, "ATTRIBUTES": attributes,
                   "CORE COUNT": cores, "HOST DURATION [ns]": host, "DEVICE FW DURATION [ns]": kernel + 100, "DEVICE FW START CYCLE": self.at + device,
                   "DEVICE FW END CYCLE": self.at + device + kernel + 100,
                   "OP TO OP LATENCY [ns]": gap, "DEVICE KERNEL DURATION [ns]": kernel, "DEVICE BRISC KERNEL DURATION [ns]": kernel - 50,
                   "INPUT_0_W": 1, "INPUT_0_MEMORY": "DEV_0_DRAM_INTERLEAVED"}
            self.rows.append({**row, **{k.replace("_", " "): v for k, v in cells.items()}})
            self.at += kernel + gap

    def marker(self, name):
        for _ in range(self.group):
            self.op("ProfilerNoopOperation", 7, attributes=f"{{'identifier': '{name}'}}", cores=1)

    def signpost(self, header):
        self.rows.append({"OP CODE": header, "OP TYPE": "signpost"})

    def write(self, path, columns=COLUMNS):
        with open(path, "w", newline="", encoding="utf-8") as f:
            out = csv.DictWriter(f, columns, extrasaction="ignore", restval="")
            out.writeheader()
            out.writerows(self.rows)
        return path


def zone(table, name, ops, is_backward=False):
    """Ops inside a zone; backward runs through it from its end to its start."""
    first, last = ("[BWD] [END]", "[BWD] [START]") if is_backward else ("[FWD] [START]", "[FWD] [END]")
    table.marker(f"{first} {name}")
    for code, ns in ops:
        table.op(code, ns)
    table.marker(f"{last} {name}")


def step(table, number, checkpointing=False):
    """One step: forward 3 ms, backward 5 ms (7 with recomputation), sync 0.5 ms, optimizer 1 ms, other 0.25 ms."""
    table.marker("dataloader_step_done")
    zone(table, "attention", [("Matmul", 1_500_000), ("Softmax", 500_000)])
    zone(table, "mlp", [("Matmul", 1_000_000)])
    table.marker("forward_pass_done")
    if checkpointing:
        zone(table, "attention", [("Matmul", 1_500_000), ("Softmax", 500_000)])
    zone(table, "mlp", [("Matmul", 2_000_000)], is_backward=True)
    zone(table, "attention", [("Matmul", 2_500_000), ("Softmax", 400_000)], is_backward=True)
    table.op("AllGatherAsyncDeviceOperation", 100_000)
    table.marker("backward_pass_done")
    table.op("ReduceScatterMinimalAsyncDeviceOperation", 500_000)
    table.marker("gradient_sync_done")
    table.op("AdamW", 1_000_000)
    table.marker("optimizer_step_done")
    table.op("Copy", 250_000)
    table.marker(f"iteration_{number}")


def training(steps=4, devices=(0,), **about):
    table = Table(devices)
    table.op("Matmul", 90_000_000)  # the first one compiles
    table.marker("iteration_1")
    table.marker("compilation_finished")
    for number in range(2, steps + 2):
        step(table, number, **about)
    return table
