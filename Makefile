# Everything that a person or CI does here. `make run` and `make test` make the environment first.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
RUNS ?= runs
WORKERS ?= 2

.PHONY: help run test test-compat check format lint types bench notebook rendered touchstone-mini mini-clip mini-llava mini-vlm table4 FORCE
.DEFAULT_GOAL := help

help:  ## show this list
	@grep -E '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

$(VENV)/installed: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --progress-bar on --editable '.[dev]'
	touch $@

run: $(VENV)/installed  ## mini-vlm and three baselines on all ten tasks at 2 and 4 shots: scores and a report
	for model in copy query oracle; do \
	  $(BIN)/cobsat run --model $$model --config all-2shot --config all-4shot --batch-size 256 \
	    --processes $(WORKERS) --out $(RUNS)/$$model || exit 1; \
	done
	$(BIN)/cobsat run --model mini-vlm --output description --config all-2shot --config all-4shot --batch-size 64 \
	  --processes $(WORKERS) --out $(RUNS)/mini-vlm
	$(BIN)/cobsat report $(RUNS)/mini-vlm $(RUNS)/copy $(RUNS)/query $(RUNS)/oracle --out $(RUNS)/report.html

# One thread each: tiny models are slower on more. `worksteal` keeps a file's tests together as far
# as it can, so that what they share is made once.
test: $(VENV)/installed  ## the whole test suite, by WORKERS=2 processes
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses $(WORKERS) --dist worksteal

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

notebook: $(VENV)/installed  ## run docs/cobsat.ipynb anew, after a change to its cells or to what it shows
	$(BIN)/python tests/docs_notebook.py

rendered: $(VENV)/installed  ## draw the 500 shipped pictures anew
	$(BIN)/python -m cobsat.drawing --out cobsat_dataset/rendered

touchstone-mini: $(VENV)/installed  ## draw the pictures of touchstone-mini anew
	$(BIN)/python -m cobsat.touchstone.drawing --out cobsat_dataset/touchstone/mini

mini-clip: $(VENV)/installed  ## train the shipped judge anew
	$(BIN)/python -m cobsat.train.mini_clip --out metrics/mini_clip

mini-llava: $(VENV)/installed  ## train the shipped judge that answers by number anew
	$(BIN)/python -m cobsat.train.mini_llava --out metrics/mini_llava

mini-vlm: $(VENV)/installed  ## train the shipped models under test anew
	$(BIN)/python -m cobsat.train.mini_vlm --out models

# Each training on a core of its own. Given again, everything goes on where it was.
table4: $(VENV)/installed  ## the paper's Table 4 in miniature: mini-vlm-base before and after fine-tuning
	$(BIN)/python -m cobsat.train.mini_vlm_pictures --out $(RUNS)/table4/pictures
	$(MAKE) --no-print-directory -j2 $(RUNS)/table4/tuned-2shot $(RUNS)/table4/tuned-4shot
	$(BIN)/cobsat table4 $(RUNS)/table4/tuned-2shot $(RUNS)/table4/tuned-4shot --out $(RUNS)/table4 \
	  --judge mention --batch-size 64 --model-option max_new_tokens=32

$(RUNS)/table4/tuned-%: FORCE
	OMP_NUM_THREADS=1 $(BIN)/cobsat train --config mini_vlm_table4.yaml --model_name_or_path models/mini_vlm_base \
	  --dataset_config all-$* --images $(RUNS)/table4/pictures --output_dir $@
