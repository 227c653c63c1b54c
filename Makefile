# One command each. Nothing has to be installed first but Python 3.11 or newer.
SHELL := /bin/sh
.DEFAULT_GOAL := help
.PHONY: help demo agent test run worker lint types check lock migrations format screenshots bench bench-cascade bench-offline bench-recall bench-compiling bench-admin bench-import bench-redaction bench-sizing bench-events bench-limiting bench-proxy bench-showcase bench-scaling bench-parts test-faults api-examples

VENV := .venv
BIN := $(VENV)/bin
PY := $(BIN)/python
HOST ?= 127.0.0.1
PORT ?= 8000
ONCE ?=
ARGS ?=
FILE ?=

# The newest lock that an environment was installed from is noted in a stamp: a second run installs nothing.
RUN_STAMP := $(VENV)/.installed-run
TEST_STAMP := $(VENV)/.installed-test

# What `check --deploy` looks at: the settings of production, with addresses that nobody connects to.
PRODUCTION := MEMSEEK_ENV_FILE=none MEMSEEK_ENV=production ALLOWED_HOSTS=memseek.example \
	SECRET_KEY=only-for-the-check-of-the-settings-0123456789-abcdefghijklmnopqrstuvwxyz \
	DATABASE_URL=postgresql://memseek@localhost/memseek REDIS_URL=redis://localhost/0

help:
	@echo "make demo          the tour through four layers, then the site (ONCE=1 stops after the tour)"
	@echo "make agent         a first agent with a memory, on a server of its own"
	@echo "make test          every test (ARGS='-k words' for some)"
	@echo "make run           the ASGI server       make worker      the Celery worker with its clock"
	@echo "make lint          format and lint       make types       mypy"
	@echo "make check         all that CI does      make format      format in place"
	@echo "make bench         every figure that is wanted, into .memseek/bench.json (ARGS='--only recall' for some)"
	@echo "make bench-cascade own time of the cascade   make test-faults  everything killed, cut and filled"
	@echo "make bench-recall  time and losses of recall (ARGS='--sizes 1000 --others 0' for a short one)"
	@echo "make bench-compiling  the context of a turn beside recall alone"
	@echo "make bench-offline FILE=… what the offline model keeps of a LoCoMo file with observations"
	@echo "make bench-admin   pages of the admin with 100,000 rows (ARGS='--rows 3000' for a short one)"
	@echo "make bench-import  memory and time of a large import (ARGS='--megabytes 10' for a short one)"
	@echo "make bench-redaction  what redaction costs     make bench-sizing  bytes a message takes"
	@echo "make bench-parts   where the time of a request goes, by its exchanges with the database"
	@echo "make screenshots   pictures of the pages for the documents (ARGS='home overview' for some)"
	@echo "make bench-events  500 open streams      make bench-limiting  what counting a request costs"
	@echo "make bench-proxy   what the memory proxy adds to a chat"
	@echo "make bench-showcase  pages at 10,000 atoms (ARGS='--atoms 1000' for a short one)"
	@echo "make bench-scaling  the same load on one web process and worker, and on two and three"
	@echo "make api-examples  play the story over HTTP for the examples of the API's document, and its guide's tables"
	@echo "make migrations    write migrations      make lock        resolve the dependencies again"

demo: $(RUN_STAMP)
	@$(PY) manage.py demo $(if $(ONCE),--once) --host $(HOST) --port $(PORT) $(ARGS)

# The story of a first agent; on a server of its own, or on that of MEMSEEK_BASE_URL and MEMSEEK_API_KEY.
agent: $(RUN_STAMP)
	@$(PY) examples/first_agent.py

run: $(RUN_STAMP)
	$(PY) -m uvicorn memseek_site.asgi:application --host $(HOST) --port $(PORT) \
		--no-proxy-headers --timeout-graceful-shutdown 10 $(ARGS)

worker: $(RUN_STAMP)
	$(PY) -m celery -A memseek_site.celery:application worker --beat --pool threads \
		--hostname "worker-$$$$@%h" --loglevel INFO $(ARGS)

# Side by side on servers of their own; one after the other where a REDIS_URL gives all of them the same broker.
SIDE_BY_SIDE := $(if $(REDIS_URL),,-n auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder)
test: $(TEST_STAMP)
	$(PY) -m pytest $(SIDE_BY_SIDE) $(ARGS)

# Workers killed at every named point, then storms over a whole site; prints what was struck how often.
# The ordinary suite runs the same with two strikes of each kind and a model that is ill for three seconds.
test-faults: $(TEST_STAMP)
	FAULT_ROUNDS=$${FAULT_ROUNDS:-10} FAULT_BAD_MODEL_SECONDS=$${FAULT_BAD_MODEL_SECONDS:-60} \
		$(PY) -m pytest tests/faults -s --timeout 600 $(ARGS)

# After a change of the API's bodies: what the OpenAPI document and docs/api.md show is taken down anew.
api-examples: $(TEST_STAMP)
	API_EXAMPLES=write $(PY) -m pytest -q tests/api/contract/test_story.py tests/docs/test_api_document.py $(ARGS)

# What is wanted of the product's speed, all by one command. Half an hour; ARGS='--million' for a larger memory too.
bench: $(TEST_STAMP)
	$(PY) -m benchmarks.bench $(ARGS)

bench-cascade: $(TEST_STAMP)
	$(PY) -m benchmarks.cascade $(ARGS)

# Resident memory and time of importing a made-up export (ARGS='--megabytes 10' for a short one).
bench-import: $(TEST_STAMP)
	$(PY) -m benchmarks.import_large $(ARGS)

# The data set is not part of the project.
bench-offline: $(TEST_STAMP)
	@test -n "$(FILE)" || { echo "Which file? make bench-offline FILE=path/to/locomo.json"; exit 2; }
	$(PY) -m benchmarks.offline "$(FILE)" $(ARGS)

# Time of recall over HTTP at 1,000, 10,000 and 100,000 atoms, and among a million of others.
bench-recall: $(TEST_STAMP)
	$(PY) -m benchmarks.recall $(ARGS)

# A text of the greatest length, kind by kind; then texts that are made to keep a pattern busy.
bench-redaction: $(TEST_STAMP)
	$(PY) -m benchmarks.redaction $(ARGS)

# Where the time of a request goes: exchanges with the database, the embedding, Python's own.
bench-parts: $(TEST_STAMP)
	$(PY) -m benchmarks.parts $(ARGS)

# Disk taken by made-up talk and all that is made of it.
bench-sizing: $(TEST_STAMP)
	$(PY) -m benchmarks.sizing $(ARGS)

# Five hundred open streams on one web process: memory, processor, time from commit to arrival.
bench-events: $(TEST_STAMP)
	$(PY) -m benchmarks.events $(ARGS)

# What counting a request in Redis, and in the process alone, takes.
bench-limiting: $(TEST_STAMP)
	$(PY) -m benchmarks.limiting $(ARGS)

# A chat through the memory proxy, and at its endpoint alone.
bench-proxy: $(TEST_STAMP)
	$(PY) -m benchmarks.proxying $(ARGS)

# Every page for people, from request to first byte.
bench-showcase: $(TEST_STAMP)
	$(PY) -m benchmarks.showcase $(ARGS)

# The same load on one web process and one worker, then on two and three: the same results, and how much faster.
bench-scaling: $(TEST_STAMP)
	$(PY) -m benchmarks.scaling $(ARGS)

# compile_context with 200 turns and 10,000 atoms, and recall alone.
bench-compiling: $(TEST_STAMP)
	$(PY) -m benchmarks.compiling $(ARGS)

# Every list and page of the admin with 100,000 rows in each table (ARGS='--rows 3000' for a short one).
bench-admin: $(TEST_STAMP)
	$(PY) -m benchmarks.admin $(ARGS)

# Every page, light, dark and on a telephone, of a site of its own with the tour in it; needs Chromium.
screenshots: $(TEST_STAMP)
	$(PY) -m tools.screenshots $(ARGS)

lint: $(TEST_STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

format: $(TEST_STAMP)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

types: $(TEST_STAMP)
	$(BIN)/mypy

migrations: $(TEST_STAMP)
	$(PY) manage.py makemigrations

check: lint types
	$(PY) manage.py makemigrations --check --dry-run
	$(PRODUCTION) $(PY) manage.py check --deploy --fail-level WARNING
	$(MAKE) test

# Two files from one resolution: what the product needs, and the same with the tools of its tests.
LOCK := uv pip compile pyproject.toml --all-extras --universal --generate-hashes --no-annotate --no-header -q
lock: $(TEST_STAMP)
	PATH="$(BIN):$$PATH" $(LOCK) --group dev -o requirements.lock
	PATH="$(BIN):$$PATH" $(LOCK) -c requirements.lock -o requirements-run.lock

$(RUN_STAMP): requirements-run.lock
	@.ci/install $(VENV) requirements-run.lock
	@touch $@

$(TEST_STAMP): requirements.lock
	@.ci/install $(VENV) requirements.lock
	@touch $@ $(RUN_STAMP)
