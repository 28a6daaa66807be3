# `make` builds build/tfprof; `make python` the Python package; `make demo` shows the program; `make check` answers within
# a minute, `make test` runs every test. All of it is Meson underneath.
BUILD ?= build
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60

.PHONY: all setup python docs demo check test test-live newest threads fuzz bench lint release release-test format install clean
.NOTPARALLEL:

all: setup $(BUILD)/build.ninja
	@tools/page.sh
	@ninja -C $(BUILD) --quiet
	@echo "built $(BUILD)/tfprof"

setup:
	@tools/setup.sh build

$(BUILD)/build.ninja:
	@meson setup $(BUILD) --buildtype=release -Dtests=false --prefix=$(PREFIX) >/dev/null

python:
	@tools/setup.sh python
	@tools/python.sh
	@echo "built build-python/dist, installed in .venv"

docs: all
	@python3 tools/docs.py $(BUILD)/site
	@echo "built $(BUILD)/site/index.html"

demo: all
	@tools/demo.sh $(BUILD)/tfprof

# Unit tests, golden transcripts and TensorFlow's recorded answers, on a build without sanitizers.
check: all
	@tools/setup.sh unit
	@python3 tools/test.py --check

test: all
	@tools/setup.sh test
	@tools/page.sh test
	@python3 tools/test.py

# Captures of real frameworks, as far as they are installed: TensorFlow of .venv; JAX and torch of the interpreters that
# TFPROF_JAX_PYTHON and TFPROF_TORCH_PYTHON name.
test-live: all
	@python3 tests/live/real.py $(BUILD)/tfprof

# The newest wheels of PyTorch, JAX, TensorFlow, Keras, ONNX and safetensors, from PyPI into build-newest: every view against
# the framework's own table.
newest: all
	@python3 tests/newest/run.py $(BUILD)/tfprof

# The server's threads, and files read by several, under ThreadSanitizer.
threads:
	@tools/setup.sh build
	@test -e build-tsan/build.ninja || meson setup build-tsan --buildtype=debugoptimized -Db_sanitize=thread \
		-Db_lundef=false -Dtests=false >/dev/null
	@ninja -C build-tsan --quiet tfprof
	@python3 tests/server/run.py build-tsan/tfprof
	@python3 tests/threads/run.py build-tsan/tfprof 2/300 3/5000 3/16 7/60 2/40000 7

fuzz:
	@tools/setup.sh fuzz
	@tests/fuzz/run.sh $(FUZZ_SECONDS)
	@python3 tools/test.py --exhaustive

bench: all
	@python3 tests/bench/bench.py $(BUILD)
	@python3 tests/bench/steps.py $(BUILD)
	@python3 tests/bench/kineto.py $(BUILD)
	@python3 tests/bench/replays.py $(BUILD)
	@python3 tests/bench/xplane.py $(BUILD)
	@python3 tests/bench/tables.py $(BUILD)
	@python3 tests/bench/fleet.py $(BUILD)
	@python3 tests/bench/live.py $(BUILD)/tfprof
	@python3 tests/bench/diff.py --bench $(BUILD)/tfprof
	@if [ -e .venv/ready ]; then .venv/bin/python tests/bench/add_step.py; fi

lint: all
	@tools/setup.sh lint
	@tools/page.sh test
	@tools/lint.sh

# Everything that is shipped, into dist/: see tools/release. Takes about 15 minutes the first time, and uploads nothing.
release:
	@tools/setup.sh release
	@python3 tools/release/release.py

# What make release left in dist/, against this build.
release-test: all
	@python3 tests/release/run.py $(BUILD) --dist
	@python3 tests/install/readme.py dist
	@python3 tools/release/check.py

format:
	@git ls-files '*.c' '*.h' '*.cc' | xargs clang-format -i

install: all
	@meson install -C $(BUILD) --no-rebuild $(if $(DESTDIR),--destdir $(abspath $(DESTDIR)))

clean:
	@rm -rf build build-asan build-unit build-fuzz build-lint build-bench build-python build-tsan
