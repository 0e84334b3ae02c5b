# Evenhand. `make` alone lists what there is. Linux and macOS; on Windows inside WSL.
# Written for GNU make 3.81 (macOS) and later.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

VENV       := .venv
BIN        := $(VENV)/bin
LOCK_VENV  := .venv-lock
ORACLES    := .venv-oracles
WHEELHOUSE := dist/wheelhouse
DEMO_STORE ?= ./evenhand-demo
PORT       ?= 8765
# ARGS goes on to pytest (test, check) and to the benchmark (bench): make test ARGS="-k gate -x"
ARGS       ?=

export PIP_DISABLE_PIP_VERSION_CHECK := 1

##@ Use it

.PHONY: run
run: $(VENV)/.run-installed ## set up, make the demo study and serve it (PORT=8765)
	@told=$$($(BIN)/evenhand --store "$(DEMO_STORE)" demo) || exit; printf '%s\n\n' "$$told" | sed '/^Serve it/,$$d'
	@$(BIN)/evenhand --store "$(DEMO_STORE)" serve --port "$(PORT)"

.PHONY: demo
demo: $(VENV)/.run-installed ## set up and make the demo study, without serving it
	$(BIN)/evenhand --store "$(DEMO_STORE)" demo

##@ Work on it

.PHONY: test
test: $(VENV)/.dev-installed ## set up and run all tests (browser tests skip where there is no Chromium)
	$(BIN)/python -m pytest --numprocesses auto --maxprocesses 4 --dist loadfile $(ARGS)

# As root of a namespace of its own, which has a loopback and no other network.
.PHONY: test-offline
test-offline: $(VENV)/.dev-installed ## run all tests with loopback and no other network (Linux; skips where that cannot be made)
	@if unshare -rn true 2>/dev/null; then \
	  unshare -rn sh -c 'ip link set lo up && exec "$$@"' sh $(BIN)/python -m pytest \
	    --numprocesses auto --maxprocesses 4 --dist loadfile $(ARGS); \
	else \
	  echo "Skipped: this system makes no network namespace (needs Linux, util-linux, and user namespaces allowed)."; \
	fi

.PHONY: check
check: lint types test ## exactly what CI asks: lint, types, tests

.PHONY: lint
lint: $(VENV)/.dev-installed ## ruff: rules and format
	$(BIN)/ruff check
	$(BIN)/ruff format --check

.PHONY: types
types: $(VENV)/.dev-installed ## mypy, strict
	$(BIN)/mypy

.PHONY: format
format: $(VENV)/.dev-installed ## let ruff format the code and mend what it can
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

.PHONY: bench
bench: $(VENV)/.dev-installed ## measure load and speed (minutes; not part of the tests)
	$(BIN)/python -m scripts.bench
	$(BIN)/python -m scripts.bench_results
	$(BIN)/python -m scripts.bench_keys
	$(BIN)/python -m scripts.bench_load $(ARGS)

.PHONY: soak
soak: $(VENV)/.dev-installed ## kill, cut the power, fill the disk, as often as promised (the better part of an hour)
	EVENHAND_SOAK=1 $(BIN)/python -m pytest -m faults tests/faults $(ARGS)

.PHONY: coverage-study
coverage-study: $(VENV)/.dev-installed ## measure how often the intervals hold the true value (minutes)
	$(BIN)/python -m scripts.coverage_study $(ARGS)

.PHONY: oracles
oracles: $(ORACLES)/.installed ## hold the statistics against other programs, in an environment of its own
	EVENHAND_REQUIRE_ORACLES=1 $(ORACLES)/bin/python -m pytest --noconftest tests/domain/statistics/test_oracles.py

.PHONY: wheel
wheel: $(WHEELHOUSE)/.pinned ## build the wheel, and beside it every pinned package it needs (dist/wheelhouse)
	@rm -f $(WHEELHOUSE)/evenhand-*.whl
	@$(PIP) wheel --quiet --no-deps --wheel-dir $(WHEELHOUSE) .
	@echo "In $(WHEELHOUSE): $$(cd $(WHEELHOUSE) && ls evenhand-*.whl), and all it needs."
	@echo "Installs with this Python on this kind of system, without a network:"
	@echo "  pip install --no-index --find-links $(WHEELHOUSE) evenhand"

.PHONY: try-wheel
try-wheel: wheel $(VENV)/.dev-installed ## install that wheel elsewhere, without a network, and use it as a newcomer would
	$(BIN)/python -m scripts.newcomer wheel $(WHEELHOUSE)

.PHONY: screenshots
screenshots: $(VENV)/.dev-installed ## take the pictures for the docs anew (skips where there is no Chromium)
	$(BIN)/python -m scripts.screenshots $(ARGS)

.PHONY: lock
lock: $(LOCK_VENV)/.uv-installed ## write the lock files anew (UPGRADE=1: with the newest versions)
	$(LOCK) pyproject.toml -o requirements.lock
	$(LOCK) --group dev pyproject.toml -o requirements-dev.lock
	@printf '%s\n' $(FREED) > $(LOCK_VENV)/freed.txt
	$(LOCK) --group oracles -c requirements-dev.lock --overrides $(LOCK_VENV)/freed.txt -o requirements-oracles.lock
	@! grep -n '://' requirements.lock requirements-dev.lock requirements-oracles.lock \
	  || { echo "A lock file names a registry; it must not." >&2; exit 1; }

.PHONY: dev
dev: $(VENV)/.dev-installed ## set up for development, and nothing else

.PHONY: python
python: ## say which Python would be used
	@$(FIND_PYTHON); "$$found" -c 'import sys; print(sys.executable, sys.version.split()[0])'

.PHONY: clean
clean: ## remove environments and caches (stores and exports are never touched)
	rm -rf $(VENV) .venv-* build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find app migrations scripts tests -name __pycache__ -type d -prune -exec rm -rf {} +

.PHONY: help
help: ## this list
	@awk 'BEGIN { FS = ":.*## " } \
	  /^##@ / { printf "\n%s\n", substr($$0, 5) } \
	  /^[a-z][a-z-]*:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

# --- Set-up. Stamps lie inside the environment, so that they go when it goes. ---

# Leaves the first Python that will do in $found, or stops and says what is missing.
# Asking each for its version also passes over pyenv's shims of versions that are not active.
FIND_PYTHON = found=; bare=; \
	for name in $(if $(PYTHON),"$(PYTHON)",python3.13 python3.12 python3.11 python3); do \
	  "$$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 || continue; \
	  if "$$name" -c 'import ensurepip, venv' >/dev/null 2>&1; then found=$$name; break; fi; \
	  bare=$${bare:-$$name}; \
	done; \
	if [ -z "$$found" ] && [ -n "$$bare" ]; then \
	  package=$$("$$bare" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])'); \
	  echo "$$bare cannot make virtual environments here: its module ensurepip is missing." >&2; \
	  echo "On Debian and Ubuntu:  sudo apt install $$package   Then run make again." >&2; \
	  exit 1; \
	elif [ -z "$$found" ]; then \
	  echo "Evenhand needs Python 3.11 or newer; $(if $(PYTHON),$(PYTHON) is not,none was found)." >&2; \
	  echo "Debian and Ubuntu:  sudo apt install python3 python3-venv     macOS:  brew install python" >&2; \
	  echo "Installed somewhere unusual?  make PYTHON=/path/to/python3" >&2; \
	  exit 1; \
	fi

# A dangling link (its Python was removed) counts as missing, so the environment is made anew.
$(BIN)/python:
	@$(FIND_PYTHON); echo "Making $(VENV) with $$found ..."; "$$found" -m venv --clear $(VENV)

# `ensurepip` mends an environment whose making was interrupted.
PIP = $(BIN)/python -m pip --version >/dev/null 2>&1 || $(BIN)/python -m ensurepip --default-pip; $(BIN)/python -m pip
INSTALL = $(PIP) install --quiet

$(VENV)/.run-installed: $(BIN)/python requirements.lock pyproject.toml
	@echo "Installing the pinned packages (once; a minute or so) ..."
	@$(INSTALL) --require-hashes -r requirements.lock
	@$(INSTALL) --no-deps -e .
	@touch $@

# The development lock holds all of the other one.
$(VENV)/.dev-installed: $(BIN)/python requirements-dev.lock requirements.lock pyproject.toml
	@echo "Installing the pinned packages and the tools for tests (once; a minute or two) ..."
	@$(INSTALL) --require-hashes -r requirements-dev.lock
	@$(INSTALL) --no-deps -e .
	@touch $(VENV)/.run-installed $@

# Without asking who needs what: the lock is whole, and irrCAC asks for less than it can do with (see FREED).
$(ORACLES)/.installed: requirements-oracles.lock
	@$(FIND_PYTHON); "$$found" -m venv --clear $(ORACLES)
	@echo "Installing other programs' statistics (once; a minute or so) ..."
	@$(ORACLES)/bin/python -m pip install --quiet --no-deps --require-hashes -r requirements-oracles.lock
	@touch $@

# Emptied first: of a former lock nothing may stay that an installation could pick.
$(WHEELHOUSE)/.pinned: $(BIN)/python requirements.lock
	@echo "Collecting the pinned packages as wheels ..."
	@rm -rf $(WHEELHOUSE)
	@$(PIP) wheel --quiet --require-hashes -r requirements.lock --wheel-dir $(WHEELHOUSE)
	@touch $@

# uv only writes the locks. It stays out of .venv: nothing that runs or tests needs it.
LOCK = $(LOCK_VENV)/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-header $(if $(UPGRADE),--upgrade)

# irrCAC asks for one old scipy, an older pandas, and for coverage, which it does not use. Its numbers are the same with
# what the other lock has, and only with that do the oracles run on the numpy of the program.
FREED = scipy pandas 'coverage ; python_version < "3"'

$(LOCK_VENV)/.uv-installed:
	@$(FIND_PYTHON); "$$found" -m venv --clear $(LOCK_VENV)
	@$(LOCK_VENV)/bin/python -m pip install --quiet 'uv>=0.5'
	@touch $@
