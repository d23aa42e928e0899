"""stanli is not the only witness: compiled programs, many forms in each, give the same densities and gradients."""

from __future__ import annotations

import csv
import json
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from scistan.distributions.innovations import innovations_of
from scistan.distributions.rule import rule_of
from scistan.distributions.standard import frame_of
from scistan.engines.density import StanDensity
from scistan.graph.instance import Instance
from scistan.inference.summed import summed
from scistan.targets.scipy import joint_log_density
from scistan.targets.stan.program import StanProgram, lower_to_stan
from scistan.targets.stan.twin import flat_twin
from scistan.toolchain.wheel import find_wheel
from tests.targets.structured_data import ORDERS, arranged
from tests.toolchain.witness_programs import ARRANGED, PROGRAMS, SAMPLE, looped
from tests.toolchain.witness_sequences import KINDS, observed_series

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_wheel() is None, reason="httpstan is not installed"),
]
QUIET = {"log_lik": False, "predictive": False, "log_prior": False}
POINTS = 3
STEP = 1e-5
# Runs, constants, classes without members, and what is mixed; stanli merges runs of five iterations and more.
STRUCTURES = [[0] * 5 + [1] * 10, [1] * 8 + [0] * 7, [0] * 15, [1] * 15, [0, 1] * 7, [0] * 9 + [1] + [0] * 5, [0, 1]]
# stanli has the coordinates of newer Stan for simplexes, so there gradients are compared with finite differences.
OTHER_COORDINATES = re.compile(r"\bsimplex\b")


class Compiled:
    """A compiled program on data, asked through the runner's command line for densities at many points.

    Other data run on the same executable: the cache has it.
    """

    def __init__(self, text: str, data: dict[str, object], folder: Path) -> None:
        from scistan.toolchain.build import compile_stan

        self.executable = compile_stan(text, progress=False)
        self.folder = folder
        (folder / "data.json").write_text(json.dumps({k: np.asarray(v).tolist() for k, v in data.items()}))

    def log_prob(self, points: object, *, constrained: bool, jacobian: bool) -> np.ndarray:
        """Give a row for each point: the log density, then its gradient."""
        (self.folder / "points.json").write_text(json.dumps(points))
        option = "constrained_params" if constrained else "unconstrained_params"
        words = [str(self.executable), "log_prob", f"{option}=points.json", f"jacobian={int(jacobian)}"]
        words += ["data", "file=data.json", "output", "file=out.csv", "sig_figs=18"]
        done = subprocess.run(words, cwd=self.folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        lines = [line for line in (self.folder / "out.csv").read_text().splitlines() if not line.startswith("#")]
        return np.array([[float(cell) for cell in row] for row in list(csv.reader(lines))[1:]])


class WrittenJacobians:
    """The Jacobians that a program writes out itself (log simplexes): part of its density, not of the model's."""

    def __init__(self, program: StanProgram, data: dict[str, object]) -> None:
        kept = tuple(block for block in program.blocks if block.name not in ("model", "generated quantities"))
        bare = replace(program, blocks=kept, generated=(), log_prior="").text + "model { }\n"
        written = any(parameter.jacobian for parameter in program.parameters)
        self.both = (StanDensity(flat_twin(program).text, data), StanDensity(bare, data)) if written else None

    def at(self, q: np.ndarray) -> float:
        """Give their sum at unconstrained coordinates."""
        if self.both is None:
            return 0.0
        twin, bare = self.both
        return twin.log_density_gradient(q)[0] - bare.log_density_gradient(q)[0]


def _check_slopes(compiled: Compiled, dimension: int, rng: np.random.Generator) -> None:
    q = 0.5 * rng.normal(size=dimension)
    points = np.concatenate([[q], q + STEP * np.eye(dimension), q - STEP * np.eye(dimension)])
    rows = compiled.log_prob({"params_r": points.tolist()}, constrained=False, jacobian=True)
    above, below = rows[1 : dimension + 1, 0], rows[dimension + 1 :, 0]
    scale = np.abs(rows[0, 1:]).max(initial=1.0)
    # Rounding of the density over the step, and the step's own square.
    allowed = np.abs(rows[:, 0]).max() * np.finfo(float).eps / STEP + 100 * STEP**2 * scale
    np.testing.assert_allclose(rows[0, 1:], (above - below) / (2 * STEP), rtol=0, atol=10 * allowed)


def _check(program: StanProgram, instance: Instance, folder: Path) -> None:
    """Compare the compiled program with SciPy's densities and stanli's gradients on the data of an instance."""
    data = program.data(instance)
    compiled = Compiled(program.text, data, folder)
    embedded = StanDensity(program.text, data)
    jacobians = WrittenJacobians(program, data)
    rng = np.random.default_rng(3)
    gaps = []
    same_coordinates = not OTHER_COORDINATES.search(program.text)
    for _ in range(POINTS):
        q = 0.5 * rng.normal(size=embedded.dimension)
        values = embedded.constrain(q)
        names = [p.free_name or p.term.name for p in program.parameters]
        point = {name: values[name].tolist() for name in names}
        latents = {t.value: values[t.name] for t in instance.graph.latents}
        without = compiled.log_prob(point, constrained=True, jacobian=False)
        volume = _volume(program, instance, values)  # a latent made from a standard one has the density of that
        gaps.append(without[0, 0] - volume - jacobians.at(q) - joint_log_density(instance, latents))
        if same_coordinates:
            found = compiled.log_prob({"params_r": q.tolist()}, constrained=False, jacobian=True)[0, 1:]
            _, slope = embedded.log_density_gradient(q)
            scale = np.abs(slope).max(initial=1.0)
            np.testing.assert_allclose(found / scale, slope / scale, rtol=0, atol=1e-6)
    if not same_coordinates:
        _check_slopes(compiled, embedded.dimension, rng)
    size = max(1.0, *(abs(g) for g in gaps))
    np.testing.assert_allclose(gaps, gaps[0], rtol=0, atol=1e-6 * size)


@pytest.mark.parametrize("name", [n if n == SAMPLE else pytest.param(n, marks=pytest.mark.long) for n in PROGRAMS])
def test_the_compiled_program_agrees(name: str, tmp_path: Path) -> None:
    instance = summed(PROGRAMS[name]().instance())
    program = lower_to_stan(instance.graph, **QUIET)
    _check(program, instance, tmp_path)
    for order in ORDERS if name in ARRANGED else ():
        _check(program, arranged(instance, order), tmp_path)


@pytest.mark.long
def test_the_compiled_program_agrees_on_series_with_structure(tmp_path: Path) -> None:
    texts = set()
    for kind in KINDS:
        m = observed_series(kind)
        program = lower_to_stan(m.to_graph(), **QUIET)
        texts.add(program.text)
        _check(program, m.instance(), tmp_path)
    assert len(texts) == 1


def test_the_compiled_program_agrees_where_loops_have_structure(tmp_path: Path) -> None:
    texts = set()
    for pattern in STRUCTURES:
        m = looped(pattern)
        program = lower_to_stan(m.to_graph(), **QUIET)
        texts.add(program.text)
        _check(program, m.instance(), tmp_path)
    assert len(texts) == 1


def _volume(program: StanProgram, instance: Instance, values: dict[str, np.ndarray]) -> float:
    """Add up how much larger, on the log scale, latents made from standard ones are than those."""
    known = program.entries.evaluator(instance)
    result = 0.0
    for p in program.parameters:
        known.set(p.term.value, values[p.term.name], batched=False)
    for p in program.parameters:
        if p.prior is not None and rule_of(p.term.law) is not None:
            result += float(np.sum(known[innovations_of(p.term.law).log_scale_of(p.term.value)].array))
            continue
        frame = frame_of(p.term.law) if p.prior is not None else None
        if frame is not None:
            scale = np.asarray(known[frame.scale].array)
            slope = np.diagonal(scale, axis1=-2, axis2=-1) if frame.is_matrix else scale
            result += float(np.sum(np.log(np.broadcast_to(slope, values[p.term.name].shape))))
    return result
