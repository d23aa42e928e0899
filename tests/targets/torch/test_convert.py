"""Numbers between NumPy and torch: shared where they can be, copied once where not, never rounded in silence."""

from __future__ import annotations

import gc
import warnings

import numpy as np
import pytest

import scistan as ss
from scistan.targets.torch import TorchDensity, convert
from scistan.targets.torch.convert import forget, lay_out, to_numpy, to_tensor

torch = pytest.importorskip("torch")


def frozen(array: np.ndarray) -> np.ndarray:
    array = np.array(array)
    array.setflags(write=False)
    return array


@pytest.fixture(autouse=True)
def _clean():
    forget()


def test_an_array_of_the_right_kind_is_shared_without_a_warning():
    array = frozen(np.arange(6.0).reshape(2, 3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tensor = to_tensor(array, "cpu", "float64")
    assert tensor.data_ptr() == array.ctypes.data
    assert not convert._copies


def test_a_copy_is_made_once_and_dies_with_its_array():
    array = frozen(np.arange(5))
    first, second = to_tensor(array, "cpu", "float64"), to_tensor(array, "cpu", "float64")
    assert first is second
    assert to_tensor(array, "cpu", "float32") is not first
    assert len(convert._copies) == 2
    del array
    gc.collect()
    assert not convert._copies


def test_what_may_change_is_not_remembered():
    array = np.arange(5)
    first = to_tensor(array, "cpu", "float64")
    array[0] = 7
    assert float(first[0]) == 0.0
    assert float(to_tensor(array, "cpu", "float64")[0]) == 7.0


def test_whole_numbers_that_do_not_fit_are_refused():
    assert float(to_tensor(frozen([2**53]), "cpu", "float64")[0]) == 2**53
    with pytest.raises(ss.DataError, match="cannot tell from its neighbours"):
        to_tensor(frozen([2**53 + 1]), "cpu", "float64")
    with pytest.raises(ss.DataError, match="float32"):
        to_tensor(frozen([2**24 + 1]), "cpu", "float32")


@pytest.mark.parametrize("array", [np.arange(6.0)[::-1], np.arange(12.0).reshape(3, 4).T, np.float64(3.0), np.zeros((0, 2))])
def test_any_layout(array):
    array = np.asarray(array)
    np.testing.assert_array_equal(to_numpy(to_tensor(array, "cpu", "float64")), array)


def test_back_to_numpy_keeps_the_precision():
    assert to_numpy(torch.zeros(2, dtype=torch.float32)).dtype == np.float32


def test_estimates_of_one_model_convert_its_data_once(monkeypatch):
    m = ss.Model()
    m.x = ss.data(np.arange(40))
    m.b = ss.Normal(0, 1)
    m.y = ss.Normal(m.b * m.x, 1).observe(np.arange(40.0))
    TorchDensity(m.instance()).log_density(torch.zeros(1, dtype=torch.float64))
    before = dict(convert._copies)
    assert len(before) == 1
    TorchDensity(m.instance()).log_density(torch.zeros(1, dtype=torch.float64))
    assert {k: id(v) for k, v in convert._copies.items()} == {k: id(v) for k, v in before.items()}


def test_a_matrix_of_a_product_is_laid_out_once_for_all_calls():
    rng = np.random.default_rng(0)
    m = ss.Model()
    m.x = ss.data(rng.normal(size=(3000, 4)))
    m.b = ss.Normal(0, 1, shape=4)
    m.y = ss.Normal(m.x @ m.b, 1).observe(rng.normal(size=3000))
    first, second = (TorchDensity(m.instance()) for _ in range(2))
    q = torch.zeros(4, dtype=torch.float64)
    assert first.log_density(q) == second.log_density(q)
    laid_out = [tensor for key, tensor in convert._copies.items() if key[-1]]
    assert len(laid_out) == 1
    assert laid_out[0].stride() == (1, 3000)


@pytest.mark.parametrize("shape", [(3000, 4), (4, 3000), (10, 10)])
def test_the_longer_axis_is_contiguous_where_it_matters(shape):
    for order in "CF":
        array = np.asarray(np.random.default_rng(0).normal(size=shape), order=order)
        tensor = torch.from_numpy(array)
        laid_out = lay_out(tensor)
        assert torch.equal(laid_out, tensor)
        if array.size >= 10_000:
            assert laid_out.stride(int(np.argmax(shape))) == 1
        else:
            assert laid_out is tensor
    assert not convert._copies
