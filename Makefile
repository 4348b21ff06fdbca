# Each target works alone, first, on a clean clone. `make` lists them.
#
# PYTHON chooses the interpreter that .venv is made from (3.11 or newer): make test PYTHON=python3.12
# To change it later, `make clean` first.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PAGE := controversy/experiment/page/index.html
NPM := $(shell command -v npm)

.DEFAULT_GOAL := help
.PHONY: help demo page test docs format clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' Makefile

demo: $(VENV)/.installed ## make a set of controversial digits in outputs/demo; the last line is its picture
	@$(BIN)/controversy synthesize out=outputs/demo

page: $(PAGE) ## build the page of the experiment; needs npm

# Without npm the tests of the page skip, and say so.
test: $(VENV)/.installed-dev $(if $(NPM),$(PAGE)) ## ruff, mypy and pytest, as continuous integration runs them
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/python -m pytest

docs: $(VENV)/.installed-dev ## build the site of the documentation in outputs/site; a warning fails
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet
	@echo outputs/site/index.html

format: $(VENV)/.installed-dev ## rewrite the code as ruff wants it
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

clean: ## remove .venv, caches and builds; outputs stay
	rm -rf $(VENV) page/node_modules controversy/experiment/page build dist .mypy_cache .pytest_cache .ruff_cache
	find controversy scripts tests -name __pycache__ -type d -prune -exec rm -rf {} +

# pip is the last thing that venv installs: where it is, the environment is whole.
$(BIN)/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo 'controversy needs Python 3.11 or newer: make PYTHON=python3.11 ...' >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

# The stamps are younger than what they depend on until pyproject.toml or constraints.txt changes.
$(VENV)/.installed-dev: EXTRAS := [dev]
$(VENV)/.installed $(VENV)/.installed-dev: pyproject.toml constraints.txt | $(BIN)/pip
	@echo 'Installing into $(VENV): a minute or more, and several GB where torch comes with CUDA.'
	$(BIN)/python -m pip install --disable-pip-version-check --constraint constraints.txt --editable '.$(EXTRAS)'
	@touch $@ $(VENV)/.installed

$(PAGE): $(wildcard page/src/*) page/build.js page/node_modules/.package-lock.json
	npm --prefix page run --silent build

# npm writes that file last: where it is, the packages are whole.
page/node_modules/.package-lock.json: page/package.json page/package-lock.json
	@command -v npm >/dev/null || { echo 'the page needs npm: install Node.js 20 or newer' >&2; exit 1; }
	npm --prefix page ci
	@touch $@
