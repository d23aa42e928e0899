"""stanli is not the only witness: compiled programs, many forms in each, give the same densities and gradients."""

from __future__ import annotations

import numpy as np
import pytest

import scistan as ss
from scistan.distributions.declaration import REGISTRY
from scistan.distributions.standard import frame_of
from scistan.domains import Domain
from scistan.engines.density import StanDensity
from scistan.graph.instance import Instance
from scistan.targets.scipy import joint_log_density
from scistan.targets.stan.program import StanProgram, lower_to_stan
from tests.targets.stan_cases import Case, add, cases

pytestmark = pytest.mark.slow
QUIET = {"log_lik": False, "predictive": False, "log_prior": False}
POINTS = 3


def _wanted(case: Case) -> bool:
    """One vectorized form of each distribution, with latent arguments of its own for each element."""
    return case.batch == (4,) and case.arguments == "latents"


def _structured(case: Case) -> bool:
    """Simplexes and the like have other coordinates in stanli than in Stan 2.35."""
    d = REGISTRY[case.name]
    spaces = [p.domain for p in d.parameters] + ([d.support] if isinstance(d.support, Domain) else [])
    return any(space.structure for space in spaces)


GROUPS = {
    "latent": [c for c in cases() if _wanted(c) and c.role == "latent" and not c.truncated and not _structured(c)],
    "observed": [c for c in cases() if _wanted(c) and c.role == "observed" and not c.truncated and not _structured(c)],
    "truncated": [c for c in cases() if _wanted(c) and c.truncated == "both" and c.role == "latent"],
    "structured": [c for c in cases() if _wanted(c) and not c.truncated and _structured(c)],
}


def _model(group: str) -> ss.Model:
    m = ss.Model(group)
    for number, case in enumerate(GROUPS[group]):
        add(m, case, f"{case.name.lower()}{number}_")
    return m


GROUPS["some"] = GROUPS["observed"][::6]  # what CI compiles; --long compiles every form


@pytest.mark.parametrize("group", [g if g == "some" else pytest.param(g, marks=pytest.mark.long) for g in GROUPS])
def test_the_compiled_program_agrees(group, tmp_path):
    cmdstanpy = pytest.importorskip("cmdstanpy")
    from scistan.toolchain.build import compile_stan

    m = _model(group)
    program = lower_to_stan(m.to_graph(), **QUIET)
    instance = m.instance()
    data = program.data(instance)
    executable = compile_stan(program.text, progress=False)
    compiled = cmdstanpy.CmdStanModel(exe_file=str(executable))
    embedded = StanDensity(program.text, data)
    rng = np.random.default_rng(3)
    plain: dict[str, object] = {k: np.asarray(v).tolist() for k, v in data.items()}
    gaps = []
    for _ in range(POINTS):
        q = 0.5 * rng.normal(size=embedded.dimension)
        values = embedded.constrain(q)
        names = [p.free_name or p.term.name for p in program.parameters]
        parameters = {name: values[name].tolist() for name in names}
        latents = {t.value: values[t.name] for t in instance.graph.latents}
        without = compiled.log_prob(parameters, data=plain, jacobian=False)
        volume = _volume(program, instance, values)  # a latent made from a standard one has the density of that
        gaps.append(float(without["lp__"].iloc[0]) - volume - joint_log_density(instance, latents))
        if group != "structured":
            found = compiled.log_prob(parameters, data=plain, jacobian=True).iloc[0].to_numpy()
            _, slope = embedded.log_density_gradient(q)
            scale = np.maximum(1.0, np.abs(slope).max())
            np.testing.assert_allclose(found[1:] / scale, slope / scale, rtol=0, atol=1e-6)
    size = max(1.0, *(abs(g) for g in gaps))
    np.testing.assert_allclose(gaps, gaps[0], rtol=0, atol=1e-6 * size)


def _volume(program: StanProgram, instance: Instance, values: dict[str, np.ndarray]) -> float:
    """Add up how much larger, on the log scale, latents made from standard ones are than those."""
    known = program.entries.evaluator(instance)
    result = 0.0
    for p in program.parameters:
        known.set(p.term.value, values[p.term.name], batched=False)
    for p in program.parameters:
        frame = frame_of(p.term.draw) if p.prior is not None else None
        if frame is not None:
            scale = np.asarray(known[frame.scale].array)
            slope = np.diagonal(scale, axis1=-2, axis2=-1) if frame.is_matrix else scale
            result += float(np.sum(np.log(np.broadcast_to(slope, values[p.term.name].shape))))
    return result
