# Everything a person does with this house from a terminal. `make help` lists it.
# Needs Python 3.11 or newer, make and a C compiler; everything else goes into .venv, which is built on first use and
# built up again when a requirements file changes. Paths here are relative, so that a folder with spaces in its name works.

MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help
.PHONY: help run demo test check e2e bench lock clean
.DELETE_ON_ERROR:

# The first Python that is new enough. `make run PYTHON=/path/to/python3` chooses another.
PYTHON ?= $(shell for candidate in python3 python3.13 python3.12 python3.11; do \
	"$$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& echo "$$candidate" && break; done)

PORT ?= 8000
# More words for pytest: make test PYTEST_ARGS="tests/ledger -x"
PYTEST_ARGS ?=

PACKAGES := config ella ledger selflog notifications worldgen boundary
VENV := .venv/bin/python
PIP := $(VENV) -m pip --quiet --quiet --disable-pip-version-check
RUN := .venv/installed-to-run
DEV := .venv/installed-to-test

# Tests and checks never see what this machine has set for its own house: neither its databases nor its key.
ALONE := env -u DATABASE_URL -u REDIS_URL -u ANTHROPIC_API_KEY -u MODEL_BASE_URL ENV_FILE=/dev/null
# What `check --deploy` is to approve of: a house as production sets it. Nothing is connected to.
LIKE_PRODUCTION := $(ALONE) HTTPS=true ALLOWED_HOSTS=ella.example CSRF_TRUSTED_ORIGINS=https://ella.example \
	ANTHROPIC_API_KEY=only-for-this-check DATABASE_URL=postgres://ella@db.example/ella REDIS_URL=redis://jobs.example/0

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z0-9]+:.*## / { printf "make %-6s %s\n", $$1, $$2 }' Makefile

run: $(RUN) ## start Ella on http://127.0.0.1:8000 (others: make run PORT=8001 MODEL_PORT=8766); Ctrl-C ends it
	@$(VENV) manage.py up --port $(PORT) $(if $(MODEL_PORT),--model-port $(MODEL_PORT))

demo: $(RUN) ## play a scripted week in the terminal, over the same API that apps use
	@$(VENV) manage.py demo

test: $(DEV) ## the whole suite on SQLite; again on TEST_DATABASE_URL and TEST_REDIS_URL where these are set
	@failed=0; \
	echo "Tests on SQLite"; \
	$(ALONE) $(VENV) -m pytest -n auto $(PYTEST_ARGS) || failed=1; \
	if [ -n "$$TEST_DATABASE_URL$$TEST_REDIS_URL" ]; then \
		echo "Tests on $${TEST_DATABASE_URL:+the database of TEST_DATABASE_URL}$${TEST_REDIS_URL:+, with the Redis of TEST_REDIS_URL}"; \
		$(ALONE) $${TEST_DATABASE_URL:+"DATABASE_URL=$$TEST_DATABASE_URL"} $${TEST_REDIS_URL:+"REDIS_URL=$$TEST_REDIS_URL"} \
			$(VENV) -m pytest -n auto $(PYTEST_ARGS) || failed=1; \
	fi; \
	exit $$failed

check: $(DEV) ## style, types, floors, migrations, API description, production settings
	@$(VENV) -m ruff check .
	@$(VENV) -m ruff format --check .
	@$(ALONE) $(VENV) -m mypy $(PACKAGES)
	@$(ALONE) .venv/bin/lint-imports --no-logo
	@$(ALONE) $(VENV) manage.py makemigrations --check --dry-run
	@$(ALONE) $(VENV) manage.py spectacular --validate --fail-on-warn --file /dev/null
	@$(LIKE_PRODUCTION) SECRET_KEY="$$($(VENV) -c 'import secrets; print(secrets.token_urlsafe(64))')" \
		$(VENV) manage.py check --deploy --fail-level WARNING
	@echo "check: ok"

e2e: $(DEV) ## the pages in a real browser (Chromium)
	@chromium=$${CHROMIUM:-$$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}; \
	mac="/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"; \
	if [ -z "$$chromium" ] && [ -x "$$mac" ]; then chromium=$$mac; fi; \
	if [ -z "$$chromium" ]; then \
		echo "No Chromium found. On Debian: apt-get install chromium. Elsewhere: make e2e CHROMIUM=/path/to/chromium" >&2; \
		exit 1; \
	fi; \
	CHROMIUM="$$chromium" $(ALONE) $(VENV) -m pytest -m e2e tests/e2e $(PYTEST_ARGS)

bench: $(DEV) ## the benchmarks, a JSON line each
	@$(ALONE) $(VENV) -m tests.bench

lock: ## pin everything that requirements*.in ask for, with hashes
	@"$(PYTHON)" -m venv .venv/locking
	@.venv/locking/bin/python -m pip --quiet --quiet --disable-pip-version-check install uv
	@.venv/locking/bin/uv --quiet pip compile requirements.in --universal --python-version 3.11 \
		--generate-hashes --no-header --output-file requirements.txt
	@.venv/locking/bin/uv --quiet pip compile requirements-dev.in --constraint requirements.txt --universal \
		--python-version 3.11 --generate-hashes --no-header --output-file requirements-dev.txt

clean: ## take away .venv and caches (var/, where the embedded database lives, stays)
	@rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

# --- how .venv comes about ------------------------------------------------------------------------------------------

.venv/pyvenv.cfg:
	@if [ -z "$(PYTHON)" ]; then \
		echo "Ella needs Python 3.11 or newer with its venv module (on Debian: apt-get install python3-venv)." >&2; \
		echo "Found: $$(python3 --version 2>&1 || true). Name another one with: make PYTHON=/path/to/python3" >&2; \
		exit 1; \
	fi
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11) and f"Ella needs Python 3.11 or newer; $(PYTHON) is {sys.version.split()[0]}.")'
	@echo "Building .venv with $$("$(PYTHON)" --version)"
	@"$(PYTHON)" -m venv .venv

$(RUN): requirements.txt | .venv/pyvenv.cfg
	@echo "Installing what runs (requirements.txt)"
	@$(PIP) install --require-hashes -r requirements.txt
	@touch $@

$(DEV): requirements-dev.txt | .venv/pyvenv.cfg
	@echo "Installing what runs and what tests (requirements-dev.txt)"
	@$(PIP) install --require-hashes -r requirements-dev.txt
	@touch $@
