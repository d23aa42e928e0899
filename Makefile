# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV   ?= .venv
BIN     = $(VENV)/bin
WORKERS ?= 2

.PHONY: demo test quick lint format docs bench pythons newest mutants clean

$(VENV)/.runtime: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade pip
	$(BIN)/pip install --quiet -c constraints.txt -e '.[all]'
	touch $@

$(VENV)/.tests: $(VENV)/.runtime
	$(BIN)/pip install --quiet -c constraints.txt -e '.[all,test]'
	touch $@

$(VENV)/.lint: $(VENV)/.runtime
	$(BIN)/pip install --quiet -c constraints.txt -e '.[all,lint]'
	touch $@

$(VENV)/.docs: $(VENV)/.tests
	$(BIN)/pip install --quiet -c constraints.txt -e '.[all,test,docs]'
	touch $@

demo: $(VENV)/.runtime  ## prior check, MAP, MCMC and diagnosis of eight schools
	$(BIN)/python examples/eight_schools.py

test: $(VENV)/.tests  ## every test but the ones behind --long
	$(BIN)/python -m pytest -n $(WORKERS)

quick: $(VENV)/.tests  ## the core tests: nothing that compiles C++ or samples for long
	$(BIN)/python -m pytest -n $(WORKERS) -m "not slow"

pythons:  ## the core and engine tests on every Python here, each with the newest packages: long, mostly compilers
	$(PYTHON) .ci/pythons.py --workers $(WORKERS)

newest:  ## every verb once, on the newest other Python here with the newest packages
	$(PYTHON) .ci/pythons.py --short --workers $(WORKERS)

mutants: $(VENV)/.tests  ## plant faults, one at a time, in a copy of the tree: the tests must notice each
	$(BIN)/python .ci/mutants.py $(ONLY)

lint: $(VENV)/.lint  ## ruff, types, and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python .ci/purity.py

docs: $(VENV)/.docs  ## run every example in the docs, then build the pages
	$(BIN)/python docs/generate.py
	$(BIN)/python -m pytest tests/docs
	$(BIN)/mkdocs build --strict --quiet

# The neighbours live beside SciStan in an environment of their own: their versions are not the tests'.
$(VENV)-bench/.ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)-bench
	$(VENV)-bench/bin/pip install --quiet --upgrade pip
	$(VENV)-bench/bin/pip install --quiet -c constraints.txt -e '.[all,bench]'
	touch $@

BENCHES = stan_gradients equal_rows certificate prior_draws prior_check point_estimates point_limits toolchain sampling cold sbc diagnose profile_overhead plan fixed_cost metric_cost condition function_cost race integrate laplace
bench: $(VENV)-bench/.ready  ## every benchmark beside the neighbours, as ratios: an hour or two, on a quiet machine
	for b in $(BENCHES); do echo "== $$b"; $(VENV)-bench/bin/python bench/$$b.py || exit 1; done

clean:
	rm -rf $(VENV) $(VENV)-bench .pythons site build dist
