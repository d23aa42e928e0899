"""The check of purity: planted faults of each kind are found on their lines, and nothing else is."""

from __future__ import annotations

import functools
import math
from pathlib import Path

import numpy as np
import pytest

import scistan as ss
from scistan.transforms.purity import impurities_in

torch = pytest.importorskip("torch")
ROOT = Path(__file__).resolve().parent.parent.parent / "scistan"


def other_library(xp, x):
    y = x + 1
    return np.exp(y)


def of_math(xp, x):
    return math.sqrt(x)


def through_numpy(xp, x):
    return xp.as_tensor(x.detach().cpu().numpy())


def into_torch(xp, x):
    return torch.as_tensor(x * 2)


def to_cpu(xp, x):
    return x.to("cpu")


def item(xp, x):
    total = 0
    for k in range(len(x)):
        total += x[k].item()
    return total


def number(xp, x):
    return xp.exp(x) * float(x[0])


def listed(xp, x):
    return xp.asarray(x.tolist())


def narrowed(xp, x):
    return x.astype("float32")


def narrowed_by_type(xp, x):
    z = xp.asarray(x, dtype=xp.float32)
    return z


def halved(xp, x):
    return x.half()


def imported_by_name(xp, x):
    from math import erf

    return erf(x) + 1


def under_another_name(xp, x):
    import scipy.special as functions

    return functions.gammaln(x)


PLANTED = {
    imported_by_name: ("library", 3), under_another_name: ("library", 3),
    other_library: ("library", 2), of_math: ("library", 1), through_numpy: ("round trip", 1), into_torch: ("round trip", 1),
    to_cpu: ("round trip", 1), item: ("scalar", 3), number: ("scalar", 1), listed: ("scalar", 1),
    narrowed: ("precision", 1), narrowed_by_type: ("precision", 1), halved: ("precision", 1),
}


@pytest.mark.parametrize("function", PLANTED, ids=lambda f: f.__name__)
def test_planted_faults_are_found(function):
    kind, below = PLANTED[function]
    found = ss.check_purity(function)
    assert {(f.kind, f.place.line) for f in found} == {(kind, function.__code__.co_firstlineno + below)}
    assert all(f.remedy in str(f) for f in found)


def pure(xp, x, c, *, axis: int = -1):
    n = float(x.shape[axis]) * math.log(2.0)
    where = np.broadcast_shapes(tuple(x.shape), tuple(c.shape))
    total = xp.zeros(where) + n
    for k in range(int(x.ndim)):
        total = total + xp.sum(x, k) * math.pi
    if xp is np:
        total = np.asarray(total)
    return total.astype(x.dtype) if xp is np else total.to(x.dtype)


def test_what_is_pure_is_left_alone():
    assert ss.check_purity(pure) == []
    assert ss.check_purity(lambda xp, x: xp.exp(x) / xp.sqrt(2.0)) == []
    with pytest.raises(ss.ScistanError, match="cannot be read"):
        ss.check_purity(math.exp)
    with pytest.raises(ss.ScistanError, match="cannot be read"):
        ss.check_purity(eval("lambda xp, x: np.exp(x)"))


def test_two_on_a_line_are_told_apart():
    good, bad = (lambda xp, x: xp.exp(x)), (lambda xp, x: np.exp(x))
    assert ss.check_purity(good) == []
    assert [f.kind for f in ss.check_purity(bad)] == ["library"]


def test_a_function_that_is_wrapped_is_looked_through():
    @functools.wraps(other_library)
    def wrapped(*args):
        return other_library(*args)

    assert [f.kind for f in ss.check_purity(wrapped)] == ["library"]


def test_an_excuse_is_taken_with_a_reason():
    text = "def f(xp, x):\n    return float(x.max())  # pure: a length\n"
    assert impurities_in("f.py", text) == []
    assert [f.kind for f in impurities_in("f.py", text.replace("# pure: a length", ""))] == ["scalar"]


@pytest.mark.parametrize("folder", ["ops", "distributions", "constrained", "transforms", "passes", "graph"])
def test_our_own_formulas_are_pure(folder):
    for file in sorted((ROOT / folder).rglob("*.py")):
        assert impurities_in(file.name, file.read_text(encoding="utf-8")) == []


# -- while it runs -------------------------------------------------------------------------------------
def narrow(x):
    return (x.astype("float32") if hasattr(x, "astype") else x.float()) * 1.0


def through_a_helper(xp, x):
    y = xp.exp(x)
    return narrow(y)  # nothing of it is written here


def widened(xp, x):
    return x * xp.ones(3, dtype=xp.float64)


def peeked(xp, x):
    ask = getattr(x, "it" + "em", None) or x.sum
    return x * ask()


def through_array(xp, x):
    return x + np.asarray(getattr(x, "det" + "ach", lambda: x)() * 2).sum()


def looked_at(xp, x):
    if x[0] > 0:
        return x
    return -x


RUN = {
    through_a_helper: ("precision", 2, np.ones(3)), widened: ("precision", 1, np.ones(3)),
    peeked: ("scalar", 2, np.ones(())), through_array: ("round trip", 1, np.ones(3)),
    looked_at: ("scalar", 1, np.ones(3)),
}


@pytest.mark.parametrize("function", RUN, ids=lambda f: f.__name__)
def test_faults_are_seen_while_a_function_runs(function):
    kind, below, example = RUN[function]
    found = ss.check_purity(function, (example,))
    assert (kind, function.__code__.co_firstlineno + below) in {(f.kind, f.place.line) for f in found}


def of_torch_alone(xp, x):
    return xp.exp(
        x.detach())


def test_a_function_that_fails_on_a_library_is_told_so():
    pytest.importorskip("jax")
    (found,) = [f for f in ss.check_purity(of_torch_alone, (np.ones(2),)) if f.kind == "failure"]
    assert found.place.line == of_torch_alone.__code__.co_firstlineno + 2
    assert "AttributeError on jax" in found.what


def smooth(xp, x, k):
    at = xp.where(x > 0, x, 0.0 * x)
    return xp.sum(xp.log1p(at) * k) / 3 + xp.sum(xp.sqrt(at + 1.0)) * math.pi


def test_pure_functions_run_without_findings():
    assert ss.check_purity(smooth, (np.linspace(-1, 2, 4), np.arange(4))) == []
    with pytest.raises(ss.ScistanError, match="example_args"):
        ss.check_purity(smooth, 3.0)
