"""Points well inside a model's domains, by torch's bijections."""

from __future__ import annotations

import numpy as np

import scistan as ss
from scistan.targets.torch import TorchDensity

__all__ = ["agree", "point"]


def point(m: ss.Model, seed: int = 0, radius: float = 0.5) -> dict[str, np.ndarray]:
    import torch

    density = TorchDensity(m.instance())
    q = radius * np.random.default_rng(seed).normal(size=density.dimension)
    evaluator, _, _ = density.constrain(torch.as_tensor(q))
    return {term.name: evaluator[term.value].array.numpy() for term in m.instance().graph.latents}


def agree(m: ss.Model, values: dict[str, np.ndarray], rtol: float = 1e-9, second: bool = False) -> None:
    """Compare the graph's gradient (and Hessian times a vector) with torch's."""
    value, ours = ss.value_and_grad(m)(values)
    other, theirs = ss.value_and_grad(m, backend="torch")(values)
    assert value == other
    _close(ours, theirs, rtol)
    if second:
        rng = np.random.default_rng(1)
        along = {name: rng.normal(size=np.shape(x)) for name, x in values.items()}
        _close(ss.hvp(m)(values, along), ss.hvp(m, backend="torch")(values, along), 100 * rtol)


def _close(ours, theirs, rtol):
    largest = max(float(np.abs(t.numpy()).max(initial=0)) for t in theirs.values())
    for name, slope in theirs.items():
        np.testing.assert_allclose(ours[name], slope.numpy(), rtol=rtol, atol=rtol * max(1.0, largest), err_msg=name)
