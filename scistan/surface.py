"""What SciStan uses of the packages around it, and the versions with which that is known to work.

Each package has one adapter, which checks its surface when it loads the package: `engines/loading.py` (stanli, nutpie,
cmdstanpy, blackjax), `toolchain/wheel.py` (httpstan), `targets/torch/devices.py` (torch),
`targets/torch/equations.py` (torchdiffeq), `targets/jax/backend.py`
(JAX) and `inference/arviz_data.py` (ArviZ).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from typing import Any

from scistan.errors import UnsupportedError
from scistan.messages import packages as messages

__all__ = ["SURFACES", "Surface", "checked", "lacking", "version_of"]


@dataclass(frozen=True, slots=True)
class Surface:
    """A package's first and last version that were tried, and the names of it that are used, private ones included."""

    first: str
    last: str
    names: tuple[str, ...]

    @property
    def known(self) -> str:
        """The versions known to work, in words."""
        return self.first if self.first == self.last else f"{self.first} to {self.last}"

    def tried(self, version: str) -> bool:
        """Tell whether a version lies within those tried."""
        return _numbers(self.first) <= _numbers(version) <= _numbers(self.last)


_SAMPLE_FIELDS = (
    "seed", "chain_id", "chains", "warmup", "samples", "thin", "delta", "max_depth", "init_radius", "save_warmup",
    "num_threads", "inits",
)
_LIBRARY = (
    "sample_multi_metric", "sample_opts_init", "metric_opts_init", "n_stored_draws", "wa_row", "pathfinder_inits",
    "pathfinder", "pathfinder_opts_init", "laplace_sample", "laplace_opts_init", "variational", "variational_opts_init",
    "abi_version", "model_free", "n_unconstrained", "n_constrained", "constrained_name",
)

SURFACES: Mapping[str, Surface] = {
    "stanli": Surface(
        "0.24.0",
        "0.24.0",
        (
            "Model.log_prob_grad", "Model.unconstrain", "Model.optimize", "Model._column_names",
            "Model._construct", "_bracket",
            "SAMPLER_COLUMNS", "build_id", "stan_to_mir", "bridgestan_model", "_runtime_lib_path", "_dptr",
            "_inv_metric_buffer", "_PATHFINDER_INIT_DEFAULTS", "_SampleReport", "_SampleProgressCallback",
            "_SamplePollCallback",
            # A structure of ctypes takes any attribute in silence: its fields must be there.
            *(f"_SampleOpts.{field}" for field in _SAMPLE_FIELDS),
            *(f"_MetricOpts.{field}" for field in ("metric", "step_size", "adapt_engaged", "inv_metric")),
            *(f"_lib.stanli_{function}" for function in _LIBRARY),
        ),
    ),
    "nutpie": Surface(
        "0.16.8",
        "0.16.11",
        (
            "PySampler.from_stan", "PySampler.wait", "PySampler.take_results", "PySampler.abort",
            "PyNutsSettings.Diag", "PyNutsSettings.LowRank", "PyTrace.get_arrow_trace", "StanLibrary", "StanModel",
            "ProgressType.none", "ProgressType.template_callback", "PyStorage.arrow",
        ),
    ),
    "arviz": Surface("0.23.0", "1.3.0", ("summary", "loo")),
    "cmdstanpy": Surface(
        "1.2.5",
        "1.3.0",
        (
            "from_csv", "disable_logging", "install_cmdstan", "CmdStanModel.pathfinder",
            "CmdStanModel.laplace_sample", "CmdStanModel.variational",
        ),
    ),
    "torch": Surface(
        "2.4.0",
        "2.13.0",
        (
            "autograd.grad", "linalg.cholesky_ex", "linalg.solve_triangular", "linalg.vecdot", "linalg.LinAlgError",
            "nn.functional.softplus", "special.log_ndtr", "optim.Adam", "backends.mps.is_available",
            "cuda.is_available", "version.cuda",
        ),
    ),
    "torchdiffeq": Surface("0.2.5", "0.2.5", ("odeint",)),
    "jax": Surface(
        "0.10.2",
        "0.10.2",
        (
            "enable_x64", "jit", "vmap", "value_and_grad", "eval_shape", "core.Tracer", "lax.fori_loop",
            "lax.stop_gradient", "lax.linalg.triangular_solve", "random.fold_in", "scipy.special.log_ndtr",
            "nn.log_sigmoid",
        ),
    ),
    "blackjax": Surface(
        "1.7.1",
        "1.7.1",
        (
            "nuts.init", "nuts.build_kernel", "adaptation.step_size.dual_averaging_adaptation",
            "adaptation.mass_matrix.mass_matrix_adaptation", "adaptation.staged_adaptation.build_schedule",
        ),
    ),
    "httpstan": Surface(
        "4.13.0", "4.17.0", ("stanc", "include/stan/version.hpp", "include/stan/model/model_header.hpp", "lib")
    ),
}  # fmt: skip


def checked(package: str, module: Any) -> Any:
    """Give the module of a package, or say that it lacks something that is used and which versions have it."""
    missing = [name for name in SURFACES[package].names if not _has(module, name)]
    if missing:
        raise lacking(package, missing)
    return module


def lacking(package: str, missing: Sequence[str]) -> UnsupportedError:
    """Give the error for a package without some of what is used of it."""
    return messages.other_surface(package, version_of(package), SURFACES[package].known, missing)


@cache
def version_of(package: str) -> str:
    """Give an installed package's version; looking it up takes a millisecond, a part of a short run."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "of an unknown version"


def _has(found: Any, name: str) -> bool:
    for part in name.split("."):
        if not hasattr(found, part):
            return False
        found = getattr(found, part)
    return True


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version)[:3])
