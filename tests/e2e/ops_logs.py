"""ops_logs.py - folders of logs as tt-metal leaves them, by hand: a few ops on a few devices."""
import json

CPP_COLUMNS = ["GLOBAL CALL COUNT", "METAL TRACE ID", "METAL TRACE REPLAY SESSION ID", "DEVICE ID", "DEVICE ARCH", "OP NAME",
               "CORE COUNT", "AVAILABLE WORKER CORE COUNT", "DEVICE FW DURATION [ns]", "DEVICE FW START CYCLE",
               "DEVICE FW END CYCLE", "DEVICE KERNEL DURATION [ns]", "DEVICE KERNEL START CYCLE", "DEVICE KERNEL END CYCLE",
               "OP TO OP LATENCY [ns]", "OP TO OP LATENCY BR/NRISC START [ns]"]


def op_id(number, device=0):
    return (number + 1) << 10 | device


def record(number, device, name):
    tensor = {"dtype": "BFLOAT16", "layout": "TILE", "shape": {"W": "1[1]", "Z": "1[1]", "Y": "32[32]", "X": "64[64]"},
              "storage_type": {"device_id": device, "memory_config": {"buffer_type": "DRAM", "memory_layout": "INTERLEAVED"}}}
    return {"global_call_count": op_id(number, device), "op_code": name, "op_type": "tt_dnn_device", "device_id": device,
            "op_hash": 1000 + number, "program_cache_hit": False, "attributes": {"transpose": "false"},
            "input_tensors": [tensor], "output_tensors": [tensor],
            "kernel_info": {"compute_kernels": [{"math_fidelity": "HiFi4", "name": "mm/1/", "source": "mm.cpp"}],
                            "datamovement_kernels": [], "kernel_sizes": {"TENSIX_DM_0_max_kernel_size": 640}},
            "performance_model": {"ideal_ns": 500, "compute_ns": 500, "bandwidth_ns": 100, "input_bws": [1.0], "output_bws": []}}


def message(number, device, name):
    head = f'TT_DNN_DEVICE_OP: "{name}", {1000 + number}, {device}, 0, {op_id(number, device)}'
    return f"`{head} ->\n{json.dumps(record(number, device, name), indent=4)}`;{2000 + 1000 * number}\n"


def write_host(folder, names, devices=(0,)):
    """Messages and zones: op after op, each on every device; two marks around them."""
    data, times = "MessageName;total_ns\n`TT_SIGNPOST: start`;100\n", (
        "name,src_file,src_line,zone_name,zone_text,ns_since_start,exec_time_ns,thread,special_parent_text\n")
    for number, name in enumerate(names):
        for device in devices:
            data += message(number, device, name)
            times += f'TT_DNN_DEVICE_OP,op.hpp,1,,"id:{op_id(number, device)}",{1900 + 1000 * number + device},600,1,\n'
    data += f"`TT_SIGNPOST: stop`;{9000 + 1000 * len(names)}\n"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tracy_ops_data.csv").write_text(data)
    (folder / "tracy_ops_times.csv").write_text(times)


def cpp_row(number, device=0, kernel=1000, **odd):
    start = 1_000_000 + 10_000 * number
    row = dict.fromkeys(CPP_COLUMNS, "")
    row.update({"GLOBAL CALL COUNT": op_id(number, device), "DEVICE ID": device, "DEVICE ARCH": "wormhole_b0", "CORE COUNT": 8,
                "AVAILABLE WORKER CORE COUNT": 64, "DEVICE FW DURATION [ns]": kernel + 200, "DEVICE FW START CYCLE": start,
                "DEVICE FW END CYCLE": start + kernel + 200, "DEVICE KERNEL DURATION [ns]": kernel,
                "DEVICE KERNEL START CYCLE": start + 100, "DEVICE KERNEL END CYCLE": start + 100 + kernel,
                "OP TO OP LATENCY [ns]": 0 if number == 0 else 10_000 - kernel})
    row.update(odd)
    return row


def write_cpp(folder, rows):
    folder.mkdir(parents=True, exist_ok=True)
    lines = [",".join(CPP_COLUMNS)] + [",".join(str(r[c]) for c in CPP_COLUMNS) for r in rows]
    (folder / "cpp_device_perf_report.csv").write_text("\n".join(lines) + "\n")
