"""Work that is not a model: the same choice, history and fallback for a function of an array package."""

import pickle

import numpy as np
import pytest

import scistan as ss
from scistan.history import Run, record
from scistan.history.store import runs
from scistan.inference.planning import backends
from scistan.inference.planning.machine import Machine
from scistan.messages.planning import BackendWarning


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("SCISTAN_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("SCISTAN_HISTORY", raising=False)


def norm(xp):
    return float(xp.linalg.norm(xp.ones(4)))


def only_numpy(xp):
    if xp is not np:
        raise RuntimeError("out of memory")
    return xp.__name__


@pytest.mark.usefixtures("needs_torch")
def test_a_function_runs_on_the_first_backend_that_can():
    found = ss.run_with_fallback(norm)
    assert (found.value, found.backend, found.failed) == (2.0, "torch", {})
    assert [run.backend for run in runs()] == ["torch"]
    assert ss.run_with_fallback(norm, backends="numpy").backend == "numpy"


@pytest.mark.usefixtures("needs_torch")
def test_a_failing_backend_is_replaced_once_and_loudly():
    with pytest.warns(BackendWarning, match=r"torch failed \(RuntimeError: out of memory\), and numpy took its place"):
        found = ss.run_with_fallback(only_numpy)
    assert (found.value, found.backend) == ("numpy", "numpy")
    assert found.failed == {"torch": "RuntimeError: out of memory"}
    counted = ss.history.counts()
    assert (counted["torch"].failed, counted["numpy"].succeeded) == (1, 1)


@pytest.mark.usefixtures("needs_torch")
def test_where_all_fail_the_functions_own_error_goes_on():
    def broken(xp):
        raise ZeroDivisionError(xp.__name__)

    with pytest.warns(BackendWarning), pytest.raises(ZeroDivisionError, match="numpy") as caught:
        ss.run_with_fallback(broken)
    assert "torch (ZeroDivisionError: torch)" in caught.value.__notes__[0]
    with pytest.raises(ZeroDivisionError) as alone:
        ss.run_with_fallback(broken, backends=["numpy"])
    assert not hasattr(alone.value, "__notes__")


@pytest.mark.usefixtures("needs_torch")
def test_gradients_memory_and_what_is_forbidden_decide(monkeypatch):
    wanted = ss.Workload("fit", data_size=1000, requires_gradient=True)
    assert ss.plan(norm, wanted, ["numpy", "torch"]).target == "torch"
    reasons = {choice.name: choice.reason for choice in ss.plan(norm, wanted, ["numpy", "torch"]).alternatives}
    assert reasons == {"numpy": "it gives no gradients", "torch": ""}
    with pytest.raises(ss.UnsupportedError, match="numpy: it gives no gradients"):
        ss.plan(norm, wanted, ["numpy"])
    with pytest.raises(ss.UnsupportedError, match="it would take"):
        ss.plan(norm, ss.Workload(data_size=10**15))
    monkeypatch.setenv("SCISTAN_DISABLE", "torch")
    assert ss.plan(norm).target == "numpy"
    assert ss.run_with_fallback(norm).backend == "numpy"
    with pytest.raises(ss.UnsupportedError, match="torch: SCISTAN_DISABLE names torch"):
        ss.run_with_fallback(norm, backends=["torch"])


@pytest.mark.usefixtures("needs_torch")
def test_the_size_decides_where_nothing_was_measured():
    assert ss.plan(norm, ss.Workload(data_size=10)).target == "numpy"
    assert ss.plan(norm, ss.Workload(data_shape=(10_000, 1000)), ["numpy", "torch"]).target == "numpy"
    assert ss.plan(norm, ss.Workload(data_shape=(10_000, 1000))).target == "torch"
    with ss.using(backend="torch"):
        assert ss.plan(norm, ss.Workload(data_size=10)).target == "torch"


@pytest.mark.usefixtures("needs_torch")
def test_what_was_measured_decides_after_a_few_runs():
    key = ss.plan(norm).workload.key
    for _ in range(3):
        record(Run("function", "numpy", structure=key, seconds=0.25))
    assert ss.plan(norm, backends=["torch", "numpy"]).target == "torch"  # torch was never tried
    for _ in range(3):
        record(Run("function", "torch", structure=key, seconds=0.5))
    found = ss.plan(norm, backends=["torch", "numpy"])
    assert (found.target, found.seconds, found.learnt) == ("numpy", 0.25, 3)
    assert "fastest" in found.why
    assert ss.run_with_fallback(norm).backend == "numpy"


def test_free_memory_is_the_machines_of_now():
    work = ss.Workload(data_size=1000)
    assert backends.cannot("numpy", work, Machine(1, 1000.0)).startswith("it would take")
    assert backends.cannot("numpy", work, Machine(1, 1e9)) == ""


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: ss.plan(3), "cannot be called"),
        (lambda: ss.plan(norm, {"data_size": 3}), "`workload` must be a workload"),
        (lambda: ss.plan(norm, backends=["nunpy"]), "`backends` must name some of"),
        (lambda: ss.run_with_fallback(norm, backends=()), "`backends` must name some of"),
        (lambda: ss.Workload(data_size=-1), "`data_size` must be a whole number"),
        (lambda: ss.Workload(requires_gradient="yes"), "`requires_gradient` must be True or False"),
        (lambda: ss.Workload(operation_type=3), "`operation_type` must be a word"),
        (lambda: ss.Workload(data_shape=(3, -1)), "`data_shape` must be a whole number"),
    ],
)
def test_what_cannot_be_is_refused(call, told):
    with pytest.raises(ss.ModelError, match=told):
        call()


def test_a_workload_knows_its_size():
    work = ss.Workload("matmul", data_shape=(100, 200), dtype_size=4)
    assert (work.data_size, work.bytes) == (20_000, 80_000)
    assert pickle.loads(pickle.dumps(work)) == work
