# Everything that a person or CI does here. `make run` and `make test` make the environment first.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
RUNS ?= runs

.PHONY: help run test test-compat check format lint types bench rendered mini-clip mini-llava mini-vlm
.DEFAULT_GOAL := help

help:  ## show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

$(VENV)/installed: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --progress-bar on --editable '.[dev]'
	touch $@

run: $(VENV)/installed  ## three baselines on all ten tasks at 2 and 4 shots: scores and a report
	for model in copy query oracle; do \
	  $(BIN)/cobsat run --model $$model --config all-2shot --config all-4shot --batch-size 256 --out $(RUNS)/$$model \
	    || exit 1; \
	done
	$(BIN)/cobsat report $(RUNS)/copy $(RUNS)/query $(RUNS)/oracle --out $(RUNS)/report.html

test: $(VENV)/installed  ## the whole test suite
	$(BIN)/python -m pytest

test-compat: $(VENV)/installed  ## the loading script and the export, on datasets 3.6 without this package
	bash tests/compat/run.sh $(BIN)/python $(PYTHON)

check: format lint types  ## format, lint, types

format: $(VENV)/installed
	$(BIN)/ruff format --check .

lint: $(VENV)/installed
	$(BIN)/ruff check .

types: $(VENV)/installed  ## mypy, strict, over a link tree that shows it the package layout
	rm -rf build/mypy && mkdir -p build/mypy/cobsat
	ln -s $(addprefix ../../../,$(wildcard cobsat_dataset/*)) build/mypy/cobsat/
	ln -s $(addprefix ../../../,models metrics train hub_cards) build/mypy/cobsat/
	cd build/mypy && $(abspath $(BIN))/python -m mypy --config-file ../../pyproject.toml --cache-dir ../../.mypy_cache -p cobsat

bench: $(VENV)/installed  ## measure what the README claims
	for file in benchmarks/*.py; do $(BIN)/python $$file || exit 1; done

rendered: $(VENV)/installed  ## draw the 500 shipped pictures anew
	$(BIN)/python -m cobsat.drawing --out cobsat_dataset/rendered

mini-clip: $(VENV)/installed  ## train the shipped judge anew
	$(BIN)/python -m cobsat.train.mini_clip --out metrics/mini_clip

mini-llava: $(VENV)/installed  ## train the shipped judge that answers by number anew
	$(BIN)/python -m cobsat.train.mini_llava --out metrics/mini_llava

mini-vlm: $(VENV)/installed  ## train the shipped models under test anew
	$(BIN)/python -m cobsat.train.mini_vlm --out models
