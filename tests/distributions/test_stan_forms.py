"""What the declarations say of Stan, put to stanc 2.35 and to its table of signatures."""

from __future__ import annotations

import subprocess
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

from scistan.distributions import REGISTRY
from scistan.distributions.declaration import Distribution
from scistan.domains import Domain

NAMED = [n for n, d in sorted(REGISTRY.items()) if d.stan.name]
EVERY = sorted(REGISTRY)
# Stan has these cumulative probabilities, but our own formula is written in their place.
WRITTEN_OUT = {"exp_mod_normal", "gamma", "inv_gamma", "chi_square", "inv_chi_square", "scaled_inv_chi_square"}


@cache
def _stanc() -> Path:
    spec = find_spec("httpstan")
    if spec is None or spec.origin is None:
        pytest.skip("httpstan, which carries stanc 2.35, is not installed")
    return Path(spec.origin).parent / "stanc"


@cache
def _signatures() -> frozenset[str]:
    table = subprocess.run([_stanc(), "--dump-stan-math-signatures"], capture_output=True, text=True, check=True)
    return frozenset(line.partition(" =>")[0] for line in table.stdout.splitlines())


def _names() -> set[str]:
    return {signature.partition("(")[0] for signature in _signatures()}


def _type(domain: Domain, rows: bool = False) -> str:
    scalar = "int" if domain.integer else "real"
    if domain.event_rank == 0:
        return f"array[rows] {scalar}" if rows else scalar
    event = {1: f"array[K] {scalar}" if domain.integer else "vector[K]", 2: "matrix[K, K]"}[domain.event_rank]
    return f"array[rows] {event}".replace("array[rows] array[K]", "array[rows, K]") if rows else event


def _event(d: Distribution) -> Domain:
    if isinstance(d.support, Domain):
        return d.support
    return Domain("outcome", integer=d.discrete)


def _program(d: Distribution, rows: bool) -> str:
    """Write a program that uses the density, the cumulative probabilities and the random numbers."""
    containers = d.stan.containers if d.stan.containers is not None else tuple(p.name for p in d.parameters)
    types = {p.name: _type(p.domain, rows and p.name in containers) for p in d.parameters}
    types.pop("K", None)  # the length of events, declared already
    if d.name == "OrderedLogistic" and rows:
        types["eta"] = "vector[rows]"
    # Stan reserves some of the words that arguments are called by.
    given = {p.name: f"the_{p.name}" if p.name in ("lower", "upper") else p.name for p in d.parameters}
    declared = [f"{kind} {given[name]};" for name, kind in types.items()]
    templates = d.stan.arguments if d.stan.arguments is not None else [f"{{{name}}}" for name in given]
    arguments = ", ".join(templates).format(**given)
    kinds = ["lpmf" if d.discrete else "lpdf", *(("lcdf", "lccdf") if d.stan.truncates else ())]
    terms = [f"target += {d.stan.name}_{kind}(y | {arguments});" for kind in kinds] if d.stan.name else []
    if d.stan.constant:
        terms.append(f"target += {d.stan.constant};")
    rng = (d.stan.rng or f"{d.stan.name}_rng({arguments})").format(**given)
    drawn = [] if rows or d.name == "Flat" else [f"{_type(_event(d))} z = {rng};"]
    blocks = {
        "functions": d.stan.rng_function.splitlines(),
        "data": ["int rows;", "int K;", *declared, f"{_type(_event(d), rows)} y;"],
        "model": terms,
        "generated quantities": drawn,
    }
    return "\n".join(f"{name} {{\n" + "\n".join(lines) + "\n}" for name, lines in blocks.items()) + "\n"


def _accepts(text: str, folder: Path) -> str:
    """Give stanc's complaint about a program, empty if there is none."""
    file = folder / "program.stan"
    file.write_text(text)
    command = [_stanc(), f"--o={folder / 'program.hpp'}", file]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stderr if done.returncode else ""


@pytest.mark.parametrize("name", EVERY)
def test_stanc_accepts_one_outcome(name: str, tmp_path: Path) -> None:
    d = REGISTRY[name]
    assert _accepts(_program(d, rows=False), tmp_path) == ""


@pytest.mark.parametrize("name", [n for n in NAMED if REGISTRY[n].stan.vectorizes])
def test_stanc_accepts_containers(name: str, tmp_path: Path) -> None:
    d = REGISTRY[name]
    assert _accepts(_program(d, rows=True), tmp_path) == ""


@pytest.mark.parametrize("name", [n for n in NAMED if not REGISTRY[n].stan.vectorizes])
def test_stanc_refuses_containers_where_that_is_declared(name: str, tmp_path: Path) -> None:
    d = REGISTRY[name]
    assert _accepts(_program(d, rows=True), tmp_path) != ""


@pytest.mark.parametrize("name", NAMED)
def test_truncates_says_what_stan_has(name: str) -> None:
    stan = REGISTRY[name].stan
    has_both = {f"{stan.name}_lcdf", f"{stan.name}_lccdf"}.issubset(_names())
    assert stan.truncates == (has_both and stan.name not in WRITTEN_OUT)


@pytest.mark.parametrize("name", NAMED)
def test_cumulative_probabilities_wherever_stan_has_them(name: str) -> None:
    d = REGISTRY[name]
    if d.stan.truncates:
        assert d.log_cdf is not None
        assert d.log_ccdf is not None


@pytest.mark.parametrize("name", [n for n in EVERY if REGISTRY[n].glm])
def test_fused_forms_exist(name: str) -> None:
    d = REGISTRY[name]
    assert f"{d.glm.name}_{'lpmf' if d.discrete else 'lpdf'}" in _names()
    assert d.glm.predictor in {p.name for p in d.parameters}
