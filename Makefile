# A thin front for Meson and Ninja. `make` builds, `make demo` shows, `make check` checks in
# two minutes, `make test` checks everything.
BUILD ?= build
PREFIX ?= /usr/local
DESTDIR ?=
MESON_OPTIONS ?=

# What is installed and measured is optimised as a whole (LTO), which takes a minute for every
# change: it has a folder of its own.
RELEASE = $(BUILD)-release
# Images of kernels are compiled once for all builds.
KERNELS = $(abspath $(BUILD)-kernels)
CONFIGURE = meson setup --buildtype=debugoptimized --prefix=$(PREFIX) -Dkernel_cache=$(KERNELS) \
	-Dtests=false

.PHONY: all release wheel demo check test bench install format lint clean setup

all: $(BUILD)/build.ninja
	@tools/progress.py "building $(BUILD)/ttprof" ninja -C $(BUILD) ttprof

release: $(RELEASE)/build.ninja
	@tools/progress.py "building $(RELEASE)/ttprof" ninja -C $(RELEASE) ttprof

$(BUILD)/build.ninja: | setup
	@echo "configuring $(BUILD)"
	@$(CONFIGURE) $(BUILD) $(MESON_OPTIONS) >/dev/null

$(RELEASE)/build.ninja: | setup
	@echo "configuring $(RELEASE)"
	@$(CONFIGURE) -Db_lto=true $(RELEASE) $(MESON_OPTIONS) >/dev/null

setup:
	@tools/setup build

# Self-contained: static, and for any Python.
WHEEL = $(BUILD)-wheel
wheel: | setup
	@[ -f $(WHEEL)/build.ninja ] || { echo "configuring $(WHEEL)"; \
		$(CONFIGURE) -Dstatic=true -Db_lto=true $(WHEEL) $(MESON_OPTIONS) >/dev/null; }
	@tools/progress.py "building what is in the wheels" ninja -C $(WHEEL) ttprof \
		libttprof.so.0 libttprof-runtime.so.0 libttprof-python.so
	@tools/make-wheel $(WHEEL) dist

demo: all
	@rm -rf $(BUILD)/demo && mkdir -p $(BUILD)/demo
	@echo "== Record a transformer block on the software Wormhole: host, device, clock sync =="
	@$(BUILD)/ttprof run -r --sync-host-device -o $(BUILD)/demo -- \
		$(BUILD)/ttprof sim run transformer_block >$(BUILD)/demo/transformer_block.txt
	@echo
	@echo "== Performance report: cost of each op, how close it came to peak, advice =="
	@$(BUILD)/ttprof report $(BUILD)/demo/reports/*/ops_perf_results_*.csv --start-signpost start \
		--end-signpost stop --summary-file $(BUILD)/demo/summary
	@$(BUILD)/ttprof report $(BUILD)/demo/reports/*/ops_perf_results_*.csv --start-signpost start \
		--end-signpost stop --html $(BUILD)/demo/report.html >/dev/null
	@$(BUILD)/ttprof ops $(BUILD)/demo --csv /dev/null --html $(BUILD)/demo/ops.html --quiet
	@$(BUILD)/ttprof timeline $(BUILD)/demo -o $(BUILD)/demo/timeline.html
	@echo
	@echo "== Pages to open in a browser =="
	@echo "ops report, host and device of every op:    $(BUILD)/demo/ops.html"
	@echo "performance report with advice:             $(BUILD)/demo/report.html"
	@echo "timeline of host and device:                $(BUILD)/demo/timeline.html"
	@echo "timeline of every core:                     $$(ls $(BUILD)/demo/reports/*/device_perf.html)"
	@echo "table of ops:                               $$(ls $(BUILD)/demo/reports/*/ops_perf_results_*.csv)"

check: all
	@tools/setup build test
	@BUILD=$(BUILD) tests/run --quick

test:
	@tools/setup build test
	@BUILD=$(BUILD) tests/run

bench: release
	@tools/setup build test
	@meson configure $(RELEASE) -Dtests=true >/dev/null
	@tools/progress.py "building the benchmarks" ninja -C $(RELEASE) ttprof benchmarks
	@bench/run $(RELEASE)

# The loader finds a new library of a system folder once ldconfig has seen it.
install: $(RELEASE)/build.ninja
	@meson configure $(RELEASE) -Dprefix=$(PREFIX) -Dtests=false >/dev/null
	@tools/progress.py "building what is installed" ninja -C $(RELEASE)
	@DESTDIR=$(DESTDIR) meson install -C $(RELEASE) --quiet --no-rebuild
	@if [ -z "$(DESTDIR)" ] && [ "$$(id -u)" = 0 ]; then ldconfig; fi

format:
	@tools/setup build test
	@git ls-files '*.c' '*.h' | xargs clang-format -i

lint:
	@tools/setup build test
	@tests/run --only lint

clean:
	rm -rf $(BUILD) $(BUILD)-* build-*
