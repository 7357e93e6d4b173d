# The front door. Each target first installs what it needs (tools/install_dependencies says what before it does).
.DEFAULT_GOAL := help
.PHONY: soak-calls help run build install package test soak soak-asan soak-tsan soak-fuzz soak-server soak-kills bench check configure-run configure-test fuzz-build

# Run and test share this folder, so that what one has built is there for the other.
BUILD := build/release
WATTREE_WERROR ?= OFF
# Passed on to every build, for example JOBS=2; by default Ninja uses all cores.
JOBS ?=
PREFIX ?= /usr/local
SERVE ?= yes
PORT ?= 8080
export JOBS

help:
	@echo "make run     build Wattree, predict a first model, and serve the web UI for your browser"
	@echo "make test    build everything and run every test (some minutes the first time)"
	@echo "make check   format, layers, clang-tidy on changed files, fast tests: before every commit"
	@echo "make build   build only the program, $(BUILD)/bin/wattree"
	@echo "make install [PREFIX=/usr/local] [DESTDIR=]   the program, libraries, headers, completions"
	@echo "make package a Debian package in build/package, with the server's systemd unit"
	@echo "make bench   build and run the benchmarks"
	@echo "make soak    the long tests: address, leak, undefined and thread sanitizers; 10 minutes of every fuzzer; load"
	@echo
	@echo "They install missing system packages (SKIP_INSTALL=1: never), and but for install write nowhere else outside this folder."

configure-run:
	@tools/install_dependencies run
	@# Without the tests, which need packages that a user does not; what is configured already stays as it is.
	@test -f $(BUILD)/build.ninja || cmake --preset release -DWATTREE_TESTS=OFF >/dev/null

build: configure-run
	@tools/build $(BUILD) "Building Wattree in $(BUILD)" wattree wattree_c

# For root where PREFIX is root's: build as yourself first (make build), since nothing is built twice.
install: configure-run
	@tools/build $(BUILD) "Building Wattree in $(BUILD)" wattree_installed
	@DESTDIR="$(DESTDIR)" cmake --install $(BUILD) --prefix "$(abspath $(PREFIX))" >/dev/null
	@echo "Installed in $(DESTDIR)$(abspath $(PREFIX)): bin/wattree, lib/libwattree.so, lib/libwattree-cpp.a, include/wattree"

package: configure-run
	@tools/install_dependencies package
	@tools/build $(BUILD) "Building Wattree in $(BUILD)" wattree_installed
	@cd $(BUILD) && cpack -G DEB -B $(abspath build/package) >/dev/null
	@rm -rf build/package/_CPack_Packages
	@ls build/package/*.deb

# The first model in the terminal, and then every page in a browser, until Ctrl-C. Scripts that only want it built and tried
# write SERVE= (nothing).
run: build
	$(BUILD)/bin/wattree predict bert-base-uncased -b 16 -s 128 --dtype bf16 --depth 2
	@echo
	@echo "Next, in another terminal, try:"
	@echo "  $(BUILD)/bin/wattree predict gpt2 --dtype bf16 --top 10"
	@echo "  $(BUILD)/bin/wattree track -- python train.py"
	@echo "  $(BUILD)/bin/wattree --help"
	@if [ -n "$(SERVE)" ]; then echo "Now open the address below in a browser. Ctrl-C stops the server (make run PORT=8081 uses another port)."; \
	  exec $(BUILD)/bin/wattree serve --port $(PORT); fi

configure-test:
	@tools/install_dependencies test
	@WATTREE_WEB_TOOLS=all tools/build_web
	@cmake --preset release -DWATTREE_TESTS=ON -DWATTREE_WERROR=$(WATTREE_WERROR) >/dev/null

fuzz-build:
	@tools/install_dependencies fuzz
	@cmake --preset fuzz >/dev/null
	@tools/build build/fuzz "Building the fuzzers in build/fuzz" fuzz/all

test: configure-test
	@tools/build $(BUILD) "Building everything in $(BUILD)"
	@tools/run_tests --build $(BUILD)

# All of them, also after one that fails: -k, and a target for each.
soak:
	@$(MAKE) --no-print-directory -k soak-server soak-calls soak-kills soak-asan soak-tsan soak-fuzz

# With ten thousand idle connections, as much load as wrk makes, and ten minutes of mixed load that must not grow memory.
soak-server: configure-test
	@tools/install_dependencies soak
	@tools/build $(BUILD) "Building the server in $(BUILD)" wattree beast_test
	@WATTREE_SOAK=1 tools/run_tests --build $(BUILD) --only beast_test
	@bench/serve
	@bench/soak

# Calls that schemathesis makes up from the OpenAPI document, and a client that is generated from it.
soak-calls: configure-run
	@tools/build $(BUILD) "Building the server in $(BUILD)" wattree
	@WATTREE_BIN=$(BUILD)/bin/wattree tools/check_http 100

# A program that writes to the store of profiles is killed a thousand times, and a server that does a hundred times.
soak-kills:
	@tools/install_dependencies test
	@cmake --preset release -DWATTREE_TESTS=ON >/dev/null
	@tools/build $(BUILD) "Building the tests of the store in $(BUILD)" store_sqlite_test wattree
	@WATTREE_STORE_KILLS=1000 $(BUILD)/tests/bin/store_sqlite_test --gtest_filter='*Killed*'
	@WATTREE_KILLS=100 python3 -m pytest -q tests/serve/test_kills.py

soak-fuzz: fuzz-build
	@tools/run_tests --fuzz-build build/fuzz --fuzz-seconds 600

soak-asan soak-tsan: soak-%:
	@tools/install_dependencies test
	@cmake --preset $* >/dev/null
	@tools/build build/$* "Building the tests in build/$* with sanitizers"
	@tools/run_tests --build build/$* --fast

bench:
	@tools/install_dependencies bench
	@cmake --preset bench >/dev/null
	@tools/build build/bench "Building the benchmarks in build/bench"
	@bench/report --write docs/benchmarks.md
	@bench/serve --wattree build/bench/bin/wattree --write docs/benchmarks.md

check:
	@tools/install_dependencies check
	@tools/check
