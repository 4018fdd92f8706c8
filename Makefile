# A thin front for Meson and Ninja. `make` builds, `make demo` shows, `make test` checks.
BUILD ?= build
PREFIX ?= /usr/local
DESTDIR ?=
MESON_OPTIONS ?=

.PHONY: all demo test bench install format lint clean setup

all: $(BUILD)/build.ninja
	@ninja -C $(BUILD) --quiet ttprof

$(BUILD)/build.ninja: | setup
	@meson setup $(BUILD) --buildtype=debugoptimized -Db_lto=true --prefix=$(PREFIX) \
		-Dtests=false $(MESON_OPTIONS) >/dev/null

setup:
	@tools/setup build

demo: all
	@mkdir -p $(BUILD)/demo
	@echo "== A transformer block on the software device, op by op, with the profiler on =="
	@$(BUILD)/ttprof sim run transformer_block --profile -o $(BUILD)/demo/profile
	@echo
	@echo "== What the markers of its kernels say =="
	@$(BUILD)/ttprof device $(BUILD)/demo/profile/.logs/profile_log_device.csv \
		-o $(BUILD)/demo/profile/report | sed -n '/device_fw_duration =/,/Range/p; /device_kernel_duration =/,/Range/p'
	@echo "Every zone of every RISC, to click in: $(BUILD)/demo/profile/report/device_perf.html"
	@echo
	@echo "== Host and device on one time line: a workload on two chips, recorded =="
	@$(BUILD)/ttprof run --sync-host-device -o $(BUILD)/demo/run -- \
		$(BUILD)/ttprof sim run allgather2 2>&1 >/dev/null | grep 'ttprof: run: .*\(aligned\|recorded\)'
	@$(BUILD)/ttprof zones $(BUILD)/demo/run --top 8 --percentiles 50
	@$(BUILD)/ttprof timeline $(BUILD)/demo/run -o $(BUILD)/demo/run.html
	@echo
	@echo "== Kernels on the software device: reader, compute and writer on 64 cores =="
	@$(BUILD)/ttprof sim run eltwise_add
	@echo
	@echo "== A matrix product, in one phase and in four =="
	@$(BUILD)/ttprof sim run matmul_tiled --fidelity LoFi
	@$(BUILD)/ttprof sim run matmul_tiled --fidelity HiFi4
	@echo
	@echo "== What a deadlock looks like (it ends with exit code 1, as it should) =="
	@! $(BUILD)/ttprof sim run deadlock
	@echo
	@tools/make-sample -o $(BUILD)/demo/ops_perf_results.csv
	@echo "== All ops of the sample, and where the time goes =="
	@$(BUILD)/ttprof report $(BUILD)/demo/ops_perf_results.csv --no-advice \
		--summary-file $(BUILD)/demo/summary
	@$(BUILD)/ttprof report $(BUILD)/demo/ops_perf_results.csv --html $(BUILD)/demo/report.html >/dev/null
	@echo
	@echo "== The five that took longest, with advice =="
	@$(BUILD)/ttprof report $(BUILD)/demo/ops_perf_results.csv --top 5 --no-summary
	@echo "The whole report as a page to click in: $(BUILD)/demo/report.html"
	@echo "The stacked report as a picture: $(BUILD)/demo/summary.png"
	@echo
	@echo "== A device log: statistics of its kernels, and a timeline =="
	@tools/make-device-log --ops 200 -o $(BUILD)/demo/profile_log_device.csv
	@$(BUILD)/ttprof device $(BUILD)/demo/profile_log_device.csv -o $(BUILD)/demo/device \
		| sed -n '/device_kernel_duration =/,/Range/p'
	@echo "The timeline as a page to click in: $(BUILD)/demo/device/device_perf.html"

test:
	@tools/setup build test
	@tests/run

bench: all
	@tools/setup build test
	@meson configure $(BUILD) -Dtests=true >/dev/null
	@ninja -C $(BUILD) --quiet
	@bench/run $(BUILD)

install: all
	@meson configure $(BUILD) -Dprefix=$(PREFIX) >/dev/null
	@DESTDIR=$(DESTDIR) meson install -C $(BUILD) --quiet

format:
	@tools/setup build test
	@git ls-files '*.c' '*.h' | xargs clang-format -i

lint:
	@tools/setup build test
	@tests/run --only lint

clean:
	rm -rf $(BUILD) build-*
