# The two commands of the README are `make book` and `make test`; `make` alone lists all of them.
# Each runs in .venv, which the first of them makes with $(PYTHON): 3.11 to 3.13.

PYTHON ?= python3
unexport PYTHONPATH MPLBACKEND  # either could change what a notebook computes or draws

BIN := .venv/bin
# The digest of what the pages were built from; absent unless the last build succeeded.
BUILT := _build/pages.digest

.PHONY: help book test lab refresh lint bench clean environment

help: ## Show this list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | expand -t 10

book: environment ## Build the book into _build/html; a warning is an error
# After a failed or interrupted build Sphinx would not repeat the warnings of pages that it has already read.
	@test -e $(BUILT) || rm -rf _build/.doctrees
	@rm -f $(BUILT)
	@pages=$$($(BIN)/python book/_ext/package_digest.py) && \
		$(BIN)/jupyter-book build --warningiserror --keep-going . && \
		echo "$$pages" > $(BUILT)

test: book ## Build the book and run every test: package, notebooks, pages, browser
	@$(BIN)/python -m pytest -n 2 --dist loadfile

lab: environment ## Open the notebooks in JupyterLab; OPTIONS="..." are its own
	@$(BIN)/jupyter-lab $(OPTIONS) book

refresh: environment ## Run the notebooks and store their outputs
	@$(BIN)/python -m tools.refresh

lint: environment ## Check style, formatting and types
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

bench: book ## Measure speed, memory and page weight against their budgets
	@$(BIN)/python -m benchmarks

clean: ## Remove what the other targets made: _build, .venv and the tools' caches
	@rm -rf _build .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis

environment:
	@command -v $(PYTHON) > /dev/null || { \
		echo "There is no $(PYTHON) here: install Python 3.11 to 3.13, or name yours, as in make book PYTHON=python3.13."; \
		exit 1; }
	@$(PYTHON) tools/environment.py
