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
	@rm -rf $(BUILD)/demo && mkdir -p $(BUILD)/demo
	@echo "== A transformer block on the software Wormhole: host and device recorded, clocks synced =="
	@$(BUILD)/ttprof run -r --sync-host-device -o $(BUILD)/demo -- \
		$(BUILD)/ttprof sim run transformer_block >$(BUILD)/demo/transformer_block.txt
	@echo
	@echo "== What each op cost, and how near it came to what the chip can do =="
	@$(BUILD)/ttprof report $(BUILD)/demo/reports/*/ops_perf_results_*.csv --start-signpost start \
		--end-signpost stop --summary-file $(BUILD)/demo/summary
	@$(BUILD)/ttprof report $(BUILD)/demo/reports/*/ops_perf_results_*.csv --start-signpost start \
		--end-signpost stop --html $(BUILD)/demo/report.html >/dev/null
	@$(BUILD)/ttprof ops $(BUILD)/demo --csv /dev/null --html $(BUILD)/demo/ops.html --quiet
	@$(BUILD)/ttprof timeline $(BUILD)/demo -o $(BUILD)/demo/timeline.html
	@echo
	@echo "== Pages to open in a browser =="
	@echo "every op, its states, host and device:      $(BUILD)/demo/ops.html"
	@echo "the performance report with its advice:     $(BUILD)/demo/report.html"
	@echo "host and device on one time line:           $(BUILD)/demo/timeline.html"
	@echo "every zone of every core:                   $$(ls $(BUILD)/demo/reports/*/device_perf.html)"
	@echo "The table itself:                           $$(ls $(BUILD)/demo/reports/*/ops_perf_results_*.csv)"

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
