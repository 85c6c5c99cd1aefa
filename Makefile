# `make demo` and `make test` do all their own set-up; a fresh clone needs Python >= 3.11, cargo, make.

SHELL := /bin/sh
.DEFAULT_GOAL := help
python := .venv/bin/python

.PHONY: help
help: ## say what can be made
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: setup
setup: ## make .venv with all that tests and linters need, build the engine
	@scripts/setup.sh dev

.PHONY: demo
demo: ## study the bundled shop under gunicorn (3 minutes), leave report.html
	@scripts/setup.sh demo
	@scripts/demo.sh

.PHONY: test
test: ## run every test, in lanes: Rust, pure Python, real servers (under ten minutes on two cores)
	@scripts/setup.sh test
	@scripts/test.sh

.PHONY: truths
truths: ## run the labs, and prove the five cases: is the right cause named first? (half an hour)
	@scripts/setup.sh dev
	@$(python) -m pytest -q --tb=short tests/truths

.PHONY: cases
cases: ## rerun the five investigations on the labs, print what each answers (three quarters of an hour)
	@scripts/setup.sh dev
	@$(python) scripts/cases.py

.PHONY: faults
faults: ## make every line that writes, starts or connects fail once, kill at random, print what was lost (an hour)
	@scripts/setup.sh dev
	@$(python) scripts/faults.py $(FLAGS)

.PHONY: lint
lint: ## fmt, clippy, ruff, mypy, import layers, stubtest, generated pages fresh
	@scripts/setup.sh dev
	@scripts/lint.sh

.PHONY: audit
audit: ## licences, sources and known holes of crates and Python packages (FLAGS=--strict: all must be checked)
	@scripts/setup.sh dev
	@scripts/audit.sh $(FLAGS)

.PHONY: wheels
wheels: ## build and check what is published: wheels for x86-64 and aarch64, and the source, in dist/
	@scripts/setup.sh dev
	@scripts/wheels.sh $(FLAGS)

.PHONY: image
image: ## build the container image from dist/, with no registry of images (needs root, docker, mmdebstrap)
	@scripts/image.sh $(FLAGS)

.PHONY: golden
golden: ## rewrite the golden files; read the diff before you commit it
	@scripts/setup.sh dev
	@$(python) -m pytest -q --snapshot-update $$(grep -rlE '\b(snapshot|rewrites_golden)\b' tests --include='test_*.py' --exclude-dir=truths)

.PHONY: pictures
pictures: ## take the pictures of docs/img anew, of the run RUN (default: the demo's)
	@scripts/setup.sh dev
	@$(python) scripts/pictures.py $(or $(RUN),runs/demo)

.PHONY: docs
docs: ## write the generated reference pages anew
	@scripts/setup.sh dev
	@LOADRIG_LANG=en $(python) scripts/reference.py write

.PHONY: site
site: ## build the documentation site from docs/ into target/site; a warning is a failure
	@scripts/setup.sh dev
	@scripts/site.sh --strict

.PHONY: bench
bench: ## measure the generator beside every peer that is installed (an hour; MODES="closed tls", FLAGS="--runs 3")
	@scripts/setup.sh dev
	@$(python) -m bench $(MODES) $(FLAGS)
	@$(python) -m bench.tables

.PHONY: release-check
release-check: ## before a release: do the figures of README and docs come from the newest results?
	@scripts/setup.sh dev
	@$(python) -m bench.tables --check

.PHONY: ci
ci: ## all that is run on every change, as .ci/run does it
	@.ci/run

.PHONY: nightly
nightly: ## run everything at full length, print one table (hours)
	@scripts/stages.sh nightly

.PHONY: lock
lock: ## resolve the Python packages anew into locks/
	@scripts/lock.sh

.PHONY: clean
clean: ## remove all that was built or measured here
	rm -rf .venv .tools target dist runs report.html .mypy_cache .ruff_cache .pytest_cache .hypothesis
	rm -rf .import_linter_cache python/loadrig/_native*.so
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
