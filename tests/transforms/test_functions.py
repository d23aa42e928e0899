"""Transforms of plain functions: nesting, several backends, transforms of transforms, and what is refused."""

from __future__ import annotations

from collections import namedtuple

import numpy as np
import pytest

import scistan as ss
from scistan.errors import ArgumentError, ModelError
from scistan.graph.walk import topological
from scistan.transforms.reverse import gradients
from tests.ops.ops_support import free, node_of
from tests.transforms.backends_here import HERE, array_type

torch = pytest.importorskip("torch")
every = pytest.mark.parametrize("backend", HERE)
X = np.array([0.3, -1.2, 2.0])
Y = {"a": np.array([1.0, 2.0, 3.0]), "b": (np.float64(0.5), [np.array([[1.0], [2.0]])])}


def f(x, y):
    return ss.sum(ss.exp(x) * y["a"]) * y["b"][0] + ss.sum(ss.square(y["b"][1][0]) @ x[None, :])


def plain(x, y):
    return np.sum(np.exp(x) * y["a"]) * y["b"][0] + np.sum(np.square(y["b"][1][0]) @ x[None, :])


def numbers(tree):
    return ss.tree_map(np.asarray, tree)


def same(found, expected):
    found, structure = ss.tree_flatten(found)
    wanted, nested = ss.tree_flatten(expected)
    assert structure == nested
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(np.asarray(a), b, rtol=1e-12)


@every
def test_gradients_are_nested_as_the_arguments(backend):
    value, (of_x, of_y) = ss.value_and_grad(f, (0, 1), backend=backend)(X, Y)
    assert float(value) == pytest.approx(plain(X, Y), rel=1e-14)
    squares = np.square(Y["b"][1][0])
    same(of_x, np.exp(X) * Y["a"] * 0.5 + squares.sum())
    same(of_y, {"a": np.exp(X) * 0.5, "b": (np.sum(np.exp(X) * Y["a"]), [2 * Y["b"][1][0] * X.sum()])})
    same(ss.grad(f, 1, backend=backend)(X, Y), of_y)
    assert type(of_x) is array_type(backend)


@every
def test_second_derivatives(backend):
    hessian = ss.hessian(f, backend=backend)(X, Y)
    same(hessian, np.diag(np.exp(X) * Y["a"] * 0.5))
    v = np.array([1.0, -2.0, 0.5])
    same(ss.hvp(f, backend=backend)((X, Y), v), np.asarray(hessian) @ v)
    table = ss.hessian(lambda p: p["a"] * ss.sum(p["b"] ** 2), backend=backend)({"a": 2.0, "b": X})
    same(table, {"a": {"a": 0.0, "b": 2 * X}, "b": {"a": 2 * X, "b": 4 * np.eye(3)}})


@every
def test_jacobians(backend):
    found = ss.jacobian(lambda x: {"e": ss.exp(x), "s": ss.sum(x), "o": ss.outer(x, x)}, backend=backend)(X)
    eye = np.eye(3)
    outer = np.einsum("ik,j->ijk", eye, X) + np.einsum("jk,i->ijk", eye, X)
    same(found, {"e": np.diag(np.exp(X)), "s": np.ones(3), "o": outer})


@every
def test_mapping_over_an_axis(backend):
    many = np.stack([X, X + 1, 2 * X])
    one_by_one = np.array([plain(row, Y) for row in many])
    same(ss.vmap(f, in_axes=(0, None), backend=backend)(many, Y), one_by_one)
    same(ss.vmap(f, in_axes=(1, None), backend=backend)(many.T, Y), one_by_one)
    slopes = np.stack([np.asarray(ss.grad(f)(row, Y)) for row in many])
    same(ss.vmap(ss.grad(f), in_axes=(0, None), backend=backend)(many, Y), slopes)
    per_row = {"a": np.stack([Y["a"], 2 * Y["a"]]), "b": Y["b"]}
    axes = {"a": 0, "b": (None, [None])}
    expected = [plain(X, {**Y, "a": row}) for row in per_row["a"]]
    same(ss.vmap(f, in_axes=(None, axes), backend=backend)(X, per_row), np.array(expected))
    grid = ss.vmap(ss.vmap(lambda x, y: x * y, in_axes=(None, 0)), in_axes=(0, None), backend=backend)(X, X)
    same(grid, np.outer(X, X))


@every
def test_transforms_of_transforms(backend):
    cube = lambda x: ss.sum(x**3)
    same(ss.jacobian(ss.grad(cube), backend=backend)(X), np.diag(6 * X))
    same(ss.grad(lambda x: ss.sum(ss.grad(cube)(2 * x)), backend=backend)(X), 24 * X)
    same(ss.hessian(ss.jit(cube), backend=backend)(X), np.diag(6 * X))
    same(ss.grad(lambda x: ss.sum(ss.hessian(cube)(x) @ x), backend=backend)(X), 12 * X)


def test_an_inner_variable_is_not_an_outer_one():
    # d/dx x · (d/dy (x + y) at y = x) is 1: the slope of the inner function is 1 whatever x is.
    inner = lambda x: ss.grad(lambda y: x * y)(x)  # = x
    assert ss.grad(lambda x: x * inner(x))(3.0) == pytest.approx(6.0)
    assert ss.grad(lambda x: x * ss.grad(lambda y: x + y)(x))(3.0) == pytest.approx(1.0)


def test_a_function_is_traced_once_for_every_shape():
    calls = []

    def traced(x):
        calls.append(1)
        return ss.sum(x * x)

    quick = ss.jit(traced)
    assert [float(quick(x)) for x in (X, 2 * X, X[:2], X)] == pytest.approx(
        [np.sum(x * x) for x in (X, 2 * X, X[:2], X)])
    assert len(calls) == 2
    slope = ss.grad(traced)
    slope(X), slope(3 * X)
    assert len(calls) == 3


def test_values_of_the_backend(monkeypatch):
    assert isinstance(ss.zeros((2, 3)), np.ndarray)
    assert ss.ones(3, backend="torch").dtype == torch.float64
    assert ss.full((2,), 1.5).tolist() == [1.5, 1.5]
    assert ss.array([1, 2], backend="torch").tolist() == [1.0, 2.0]
    monkeypatch.setenv("SCISTAN_BACKEND", "torch")
    assert isinstance(ss.zeros(2), torch.Tensor)
    assert isinstance(ss.grad(lambda x: ss.sum(x * x))(X), torch.Tensor)


@every
def test_arrays_stay_what_they_are(backend):
    found = ss.grad(lambda x: ss.sum(x**2))(ss.array(X, backend=backend))
    assert type(found) is array_type(backend)
    np.testing.assert_allclose(np.asarray(found), 2 * X)


@every
def test_a_backend_in_force(backend):
    with ss.using(backend=backend):
        assert type(ss.grad(lambda x: ss.sum(x * x))(X)) is array_type(backend)
        assert type(ss.jit(ss.exp)(X)) is array_type(backend)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_tensors_are_computed_with_in_their_precision(dtype):
    kind = getattr(torch, dtype)
    given = torch.tensor(X, dtype=kind)
    value, slope = ss.value_and_grad(lambda x, y: ss.sum(ss.exp(x) * y))(given, 2.0)
    assert value.dtype == slope.dtype == kind
    np.testing.assert_allclose(slope, 2 * np.exp(X), rtol=4 * torch.finfo(kind).eps)
    assert ss.hessian(lambda x: ss.sum(x**3))(given).dtype == kind
    assert ss.grad(lambda x, y: ss.sum(x * y))(given, torch.tensor(X, dtype=torch.float64)).dtype == torch.float64


def test_tensors_on_several_devices_are_refused():
    elsewhere = torch.zeros(3, device="meta", dtype=torch.float64)
    assert ss.grad(lambda x: ss.sum(x * x))(elsewhere).device.type == "meta"
    with pytest.raises(ArgumentError, match="several devices: meta, cpu"):
        ss.grad(lambda x, y: ss.sum(x * y))(elsewhere, torch.tensor(X))


def test_results_have_the_precision_of_jax_arrays_and_its_setting_stays():
    jax = pytest.importorskip("jax")
    single = jax.numpy.asarray(X.astype(np.float32))
    before = jax.config.jax_enable_x64
    for found in (ss.grad(lambda x: ss.sum(ss.exp(x)))(single), ss.jit(ss.exp)(single)):
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, np.exp(X), rtol=1e-6)
    assert ss.grad(lambda x: ss.sum(ss.exp(x)), backend="jax")(X).dtype == np.float64
    assert jax.config.jax_enable_x64 == before


def test_transforms_inside_of_jax():
    jax = pytest.importorskip("jax")
    inner = ss.grad(lambda x: ss.sum(x**3), backend="jax")
    found = jax.jit(jax.vmap(inner))(jax.numpy.ones((2, 3)))
    np.testing.assert_allclose(found, 3 * np.ones((2, 3)), rtol=1e-6)
    slope = jax.grad(lambda x: inner(x).sum())(jax.numpy.ones(3))
    np.testing.assert_allclose(slope, 6 * np.ones(3), rtol=1e-6)


def test_what_is_compiled_is_compiled_once(monkeypatch):
    pytest.importorskip("jax")
    from scistan.transforms import on_jax

    made, real = [], on_jax.jitted
    monkeypatch.setattr(on_jax, "jitted", lambda function: made.append(1) or real(function))
    slope = ss.grad(lambda x: ss.sum(x * x), backend="jax")
    slope(X), slope(2 * X)
    assert made == [1]


# -- settings ------------------------------------------------------------------------------------------
@pytest.mark.parametrize("backend", HERE[1:])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_precision_in_force(backend, dtype):
    f = lambda x: ss.sum(ss.exp(x))
    made_outside = ss.grad(f)
    with ss.using(backend=backend, dtype=dtype, device="cpu"):
        made_inside = ss.grad(f)
        found = [made_inside(X), made_outside(X), ss.hessian(f)(X), ss.vmap(ss.exp)(X), ss.zeros(2), ss.array([1, 2])]
    for one in (*found, made_inside(X)):
        assert type(one) is array_type(backend)
        assert str(one.dtype).endswith(dtype)
    np.testing.assert_allclose(np.asarray(found[0]), np.exp(X), rtol=4 * np.finfo(dtype).eps)
    assert isinstance(made_outside(X), np.ndarray)


def test_tensors_keep_their_precision_whatever_is_in_force():
    with ss.using(backend="torch", dtype="float32"):
        assert ss.grad(lambda x: ss.sum(x * x))(torch.tensor(X)).dtype == torch.float64


@pytest.mark.parametrize("backend", HERE[1:])
def test_models_in_the_precision_in_force(backend):
    m = ss.Model()
    m.a = ss.Normal(0, 1, shape=3)
    m.s = ss.HalfNormal(1)
    m.y = ss.Normal(m.a, m.s).observe([1.0, 2.0, 3.0])
    at = {"a": X, "s": 0.7}
    exact = ss.grad(m)(at)
    with ss.using(backend=backend, dtype="float32"):
        found, fn = ss.grad(m)(at), m.log_density_fn()
        assert fn.backend == backend
        q = fn.unconstrain(at)
        slope = fn.gradient(q)
    for one in (found["a"], found["s"], q, slope):
        assert str(one.dtype).endswith("float32")
    np.testing.assert_allclose(np.asarray(found["a"]), exact["a"], rtol=1e-5)
    np.testing.assert_allclose(np.asarray(fn.constrain(q)["s"]), 0.7, rtol=1e-6)


CANNOT = {
    "numpy in single precision": ({"dtype": "float32"}, "NumPy computes in double precision only"),
    "numpy on a GPU": ({"backend": "numpy", "device": "cuda"}, "NumPy computes on the CPU only"),
    "torch without CUDA": ({"backend": "torch", "device": "cuda:7"}, "cannot be used"),
    "jax without CUDA": ({"backend": "jax", "device": "cuda:7"}, "JAX cannot use the device 'cuda:7'"),
    "jax on an Apple GPU": ({"backend": "jax", "device": "mps"}, "JAX cannot use the device 'mps'"),
}


@pytest.mark.parametrize("name", CANNOT)
def test_what_a_backend_cannot_do_is_said(name):
    asked, words = CANNOT[name]
    if asked.get("backend", "numpy") not in HERE:
        pytest.skip("not installed")
    with ss.using(**asked), pytest.raises(ss.UnsupportedError, match=words):
        ss.grad(lambda x: ss.sum(x * x))(X)


def test_a_forbidden_backend_is_refused(monkeypatch):
    monkeypatch.setenv("SCISTAN_DISABLE", "jax")
    with pytest.raises(ss.UnsupportedError, match="SCISTAN_DISABLE"):
        ss.grad(lambda x: x * x, backend="jax")(1.0)


# -- models --------------------------------------------------------------------------------------------
def test_transforms_of_a_models_transforms():
    m = ss.Model()
    m.a = ss.Normal(0, 1, shape=3)
    m.s = ss.HalfNormal(1)
    m.y = ss.Normal(m.a, m.s).observe([1.0, 2.0, 3.0])
    points = {"a": np.stack([X, 2 * X]), "s": np.array([0.5, 2.0])}
    alone = [{name: value[k] for name, value in points.items()} for k in range(2)]
    same(ss.vmap(ss.grad(m))(points), {n: np.stack([ss.grad(m)(at)[n] for at in alone]) for n in points})
    bent = ss.vmap(ss.hessian(m))(points)["a"]["s"]
    same(bent, np.stack([ss.hessian(m)(at)["a"]["s"] for at in alone]))
    same(ss.jit(ss.grad(m))(alone[0]), ss.grad(m)(alone[0]))
    both = ss.vmap(ss.grad(ss.sum(m.a) * m.s))(points)
    same(both, {"a": np.stack([np.full(3, 0.5), np.full(3, 2.0)]), "s": points["a"].sum(1)})
    with pytest.raises(ModelError, match="`s` is an expression"):
        ss.grad(lambda s: m.log_density({"a": X, "s": s}))(1.0)


@every
def test_what_has_no_elements(backend):
    assert np.asarray(ss.jacobian(lambda x: x**2, backend=backend)(np.zeros(0))).shape == (0, 0)
    assert np.asarray(ss.hessian(lambda x: ss.sum(x**2), backend=backend)(np.zeros(0))).shape == (0, 0)


@every
def test_results_are_floating_point_numbers(backend):
    results = ss.jit(lambda x: (x > 0, np.array([1, 2]), ss.floor(x)), backend=backend)(X)
    assert all("float64" in str(one.dtype) for one in (*results, ss.grad(lambda x: ss.sum(abs(x)), backend=backend)(X)))


@every
def test_the_slope_of_an_absolute_value_at_zero_is_zero(backend):
    found = ss.grad(lambda x: ss.sum(ss.abs(x)), backend=backend)(np.array([0.0, -0.0, -2.0, 3.0]))
    assert np.asarray(found).tolist() == [0, 0, -1, 1]


@pytest.mark.parametrize("backend", [b for b in HERE if b != "jax"])  # which gives NaN: what is compiled raises nothing
def test_a_matrix_without_a_factor(backend):
    with pytest.raises(ModelError, match="no inverse"):
        ss.jit(ss.cholesky, backend=backend)(-np.eye(2))


def test_trees():
    Pair = namedtuple("Pair", "left right")
    tree = {"a": Pair(1, [2, None]), "b": ()}
    leaves, structure = ss.tree_flatten(tree)
    assert leaves == [1, 2]
    assert ss.tree_unflatten(structure, leaves) == tree
    assert ss.tree_map(lambda x: x * 10, tree) == {"a": Pair(10, [20, None]), "b": ()}


REFUSED = {
    "if": (lambda: ss.grad(lambda x: x if x > 0 else -x)(1.0), ModelError, "traced once for every shape"),
    "math": (lambda: ss.jit(lambda x: float(x))(1.0), ModelError, "traced once for every shape"),
    "vector": (lambda: ss.grad(lambda x: x)(X), ModelError, r"an array of shape \(3,\)"),
    "several": (lambda: ss.grad(lambda x: (x, x))(1.0), ModelError, "2 values"),
    "argnums": (lambda: ss.grad(lambda x: x, 1)(1.0), ArgumentError, "`argnums` is 1"),
    "twice": (lambda: ss.grad(lambda x, y: x * y, (0, -2))(1.0, 2.0), ArgumentError, "each once"),
    "none": (lambda: ss.grad(lambda x: None)(1.0), ModelError, "`ss.grad` is of one number"),
    "text": (lambda: ss.grad(lambda x: x)("one"), ArgumentError, "no array of numbers"),
    "a number": (lambda: ss.grad(3.0), ArgumentError, "neither a model"),
    "backend": (lambda: ss.grad(lambda x: x, backend="matlab")(1.0), ArgumentError, "matlab"),
    "axes": (lambda: ss.vmap(lambda x, y: x + y)(X, X[:2]), ArgumentError, "2 and 3"),
    "no axis": (lambda: ss.vmap(lambda x: x)(1.0), ArgumentError, "in_axes"),
    "in_axes": (lambda: ss.vmap(lambda x: x, in_axes=(0, 1))(X), ArgumentError, "in_axes"),
    "structure": (lambda: ss.hvp(lambda p: p["a"])({"a": 1.0}, {"b": 1.0}), ArgumentError, "nested as"),
    "fourth": (lambda: ss.hessian(lambda x: ss.trigamma(x))(1.0), ss.UnsupportedError, "fourth derivative"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name):
    call, kind, words = REFUSED[name]
    with pytest.raises(kind, match=words):
        call()


# -- size ----------------------------------------------------------------------------------------------
def count(root):
    return len(topological([root]))


def test_a_long_sum_has_a_gradient_in_proportion():
    n = 2000
    x = free((n,))
    total = sum(ss.exp(x[i] * (i + 1.0)) for i in range(n))
    (slope,) = gradients(node_of(total), [node_of(x)])
    assert count(slope) < 3 * count(node_of(total))


def test_ten_thousand_nodes_in_a_row():
    x = free(())
    deep = x
    for _ in range(5000):
        deep = ss.sin(deep) + 0.001
    (slope,) = gradients(node_of(deep), [node_of(x)])
    assert count(slope) < 4 * count(node_of(deep))


def test_zeros_and_ones_leave_nothing_behind():
    x, y = free(()), free(())
    assert gradients(node_of(x + 2.0 * y), [node_of(x), node_of(y)]) == [_literal(1.0), _literal(2.0)]
    (slope,) = gradients(node_of(-0.5 * ss.square(x)), [node_of(x)])
    assert slope is node_of(-x)


def _literal(value):
    from scistan.graph.node import literal

    return literal(value)


MATRICES = {
    "cholesky": lambda a, b: ss.sum(ss.solve_lower(ss.cholesky(a @ a.T + 2.0 * np.eye(3)), b)),
    "inverse": lambda a, b: ss.sum(ss.inverse(a @ a.T + np.eye(3)) @ b) + ss.log_determinant(a @ a.T + np.eye(3)),
    "solve": lambda a, b: ss.sum(ss.square(ss.solve(a + 3.0 * np.eye(3), b))),
    "kernel": lambda a, b: ss.quadratic_form(ss.gp_exp_quad_cov(b, 1.5, 0.7) + np.eye(3), a[0]),
    "picked": lambda a, b: ss.sum(ss.exp(a[np.array([0, 2, 2]), :]) * b) + ss.sum(ss.pick(a, np.array([0, 1, 1])) ** 3),
    "diagonals": lambda a, b: ss.sum(ss.diagonal(a) ** 3) + ss.sum(ss.exp(ss.diagonal_matrix(b)) * a),
    "products": lambda a, b: ss.sum(ss.prod(a, axis=0) * b) + ss.prod(a),
    "softmax": lambda a, b: ss.sum(ss.softmax(a) @ b) + ss.sum(ss.log_softmax(a, axis=0)[0]) + ss.sum(ss.cumsum(b) ** 2),
}


@pytest.mark.parametrize("name", MATRICES)
def test_hessians_of_structured_ops_are_torchs(name):
    rng = np.random.default_rng(4)
    a, b = rng.normal(size=(3, 3)), rng.normal(size=3)
    ours = ss.hessian(MATRICES[name], (0, 1))(a, b)
    theirs = ss.hessian(MATRICES[name], (0, 1), backend="torch")(a, b)
    for row, other in zip(ours, theirs, strict=True):
        for found, expected in zip(row, other, strict=True):
            np.testing.assert_allclose(found, expected.numpy(), rtol=1e-8, atol=1e-9)
