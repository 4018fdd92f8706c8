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
	@tools/make-sample -o $(BUILD)/demo/ops_perf_results.csv
	@$(BUILD)/ttprof report $(BUILD)/demo/ops_perf_results.csv --html $(BUILD)/demo/report.html \
		--summary-file $(BUILD)/demo/summary >/dev/null
	@$(BUILD)/ttprof report $(BUILD)/demo/ops_perf_results.csv --top 25
	@echo
	@echo "These were the 25 ops that took longest. All of them, as a page to click in:"
	@echo "    $(BUILD)/demo/report.html"
	@echo "The stacked report as a picture: $(BUILD)/demo/summary.png"

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
