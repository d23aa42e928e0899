"""Devices and precisions: what is not here is said, and `"auto"` says what it took."""

from __future__ import annotations

import pytest

import scistan as ss
from scistan.targets.torch import choose_target
from tests.zoo import ZOO

torch = pytest.importorskip("torch")
no_gpu = pytest.mark.skipif(torch.cuda.is_available() or torch.backends.mps.is_available(), reason="there is a GPU")


def test_the_processor_in_double_precision_is_the_default():
    target = choose_target("cpu")
    assert (target.device, target.dtype, target.note) == ("cpu", "float64", "")


@no_gpu
def test_a_gpu_that_is_not_here():
    with pytest.raises(ss.UnsupportedError, match="'cuda' cannot be used"):
        ZOO["counts"]().map(device="cuda")
    with pytest.raises(ss.UnsupportedError, match="device='auto'"):
        choose_target("mps", "float32")


@no_gpu
def test_auto_falls_back_and_says_so():
    target = choose_target("auto")
    assert target.device == "cpu"
    assert "took the CPU" in target.note
    assert "took the CPU" in repr(ZOO["counts"]().map(device="auto", seed=0, starts=1))


@pytest.mark.parametrize("device", ["gpu", "cuda:x", 3.5, None, "vulkan"])
def test_no_such_device(device):
    with pytest.raises(ss.ModelError, match="there is no device"):
        choose_target(device)


@pytest.mark.parametrize("dtype", ["float16", "int64", 32, None])
def test_no_such_precision(dtype):
    with pytest.raises(ss.ModelError, match="not a precision"):
        choose_target("cpu", dtype)


def test_torchs_own_name_of_a_precision_will_do():
    assert choose_target("cpu", torch.float32).dtype == "float32"


def test_mps_has_no_double_precision(monkeypatch):
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(ss.UnsupportedError, match="no double precision"):
        choose_target("mps")
    assert choose_target("mps", "float32").device == "mps"
    assert "no double precision" in choose_target("auto").note
    assert choose_target("auto", "float32").device == "mps"


def test_a_gpu_is_taken_where_there_is_one(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    monkeypatch.setattr(torch.version, "cuda", "12.0")
    assert choose_target("auto").device == "cuda"
    assert choose_target("cuda:0").device == "cuda:0"
    with pytest.raises(ss.UnsupportedError, match="only 1 CUDA devices"):
        choose_target("cuda:1")
