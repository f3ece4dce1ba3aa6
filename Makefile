# Everything that a person or CI does here. `make run` and `make test` make the environment first.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: run test check format types bench rendered
.DEFAULT_GOAL := help

help:  ## show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/'

$(VENV)/installed: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --progress-bar on -e '.[dev]'
	touch $@

types: $(VENV)/installed  ## mypy, strict, over a link tree that shows it the package layout
	rm -rf build/mypy && mkdir -p build/mypy/cobsat
	ln -s $(addprefix ../../../,$(wildcard cobsat_dataset/*)) build/mypy/cobsat/
	ln -s $(addprefix ../../../,models metrics train hub_cards) build/mypy/cobsat/
	cd build/mypy && ../../$(BIN)/python -m mypy --config-file ../../pyproject.toml --cache-dir ../../.mypy_cache -p cobsat

rendered:  ## draw the 500 shipped pictures anew
	$(BIN)/python -m cobsat.drawing --out cobsat_dataset/rendered
