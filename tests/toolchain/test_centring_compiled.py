"""Centring by the data in a compiled program: the same densities and gradients as stanli's."""

from __future__ import annotations

import numpy as np
import pytest

import scistan as ss
from scistan.engines.density import StanDensity
from scistan.inference.prepare import subject_of
from scistan.toolchain.wheel import find_wheel
from tests.inference.centred_models import any_centring
from tests.toolchain.test_second_witness import Compiled

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_wheel() is None, reason="httpstan is not installed"),
]


def test_a_compiled_program_agrees(tmp_path):
    m = ss.Model()
    m.mu, m.tau, m.nu = ss.Normal(0, 2), ss.HalfNormal(1), ss.HalfNormal(1, shape=3)
    m.a = ss.Normal(m.mu, m.tau, shape=3)
    m.b = ss.StudentT(4, m.a, m.nu)
    m.c = ss.Normal(0, m.nu, shape=(2, 3))
    m.d = ss.Normal(m.mu, m.tau, shape=(2, 1, 3))
    m.y = ss.Normal(m.b + m.c + m.d, 0.7).observe(np.arange(12.0).reshape(2, 2, 3) / 6)
    rng, instance = np.random.default_rng(2), m.instance()
    shapes = {t.name: instance.shape(t.law.shape) for t in instance.graph.latents if t.name in "abcd"}
    subject = subject_of(instance, centring={name: any_centring(shape, rng) for name, shape in shapes.items()})
    data = subject.data
    density = StanDensity(subject.program.text, data)
    points = rng.uniform(-1, 1, (3, density.dimension))
    compiled = Compiled(subject.program.text, data, tmp_path)
    found = compiled.log_prob({"params_r": points.tolist()}, constrained=False, jacobian=True)
    for row, q in zip(found, points, strict=True):
        value, gradient = density.log_density_gradient(q)
        np.testing.assert_allclose(row[1:], gradient, rtol=1e-9, atol=1e-9)
        first = density.log_density_gradient(points[0])[0]
        np.testing.assert_allclose(row[0] - found[0][0], value - first, rtol=1e-9, atol=1e-9)
