"""The targets by name: what a graph is lowered to, what that is for, and what it needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec

__all__ = ["TARGETS", "TargetDeclaration"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetDeclaration:
    """A target: what it computes, the verbs that rest on it alone, and the packages and kinds of device it runs on.

    A target whose programs engines run has the tasks that its engines declare.
    """

    what: str
    packages: tuple[str, ...]
    fix: str
    tasks: tuple[str, ...]
    devices: tuple[str, ...] = ("cpu",)

    @property
    def missing(self) -> str:
        """Say what is not installed; an empty text when all is."""
        absent = [package for package in self.packages if find_spec(package) is None]
        return f"{' and '.join(absent)} not installed" if absent else ""


TARGETS: Mapping[str, TargetDeclaration] = {
    "scipy": TargetDeclaration(
        what="draws and densities in NumPy and SciPy",
        packages=("numpy", "scipy"),
        fix="pip install scipy",
        tasks=("prior", "simulate", "log_density"),
    ),
    "torch": TargetDeclaration(
        what="densities and their gradients in PyTorch",
        packages=("torch",),
        fix="pip install 'scistan[torch]'",
        tasks=("map", "mle", "laplace", "log_density", "gradients"),
        devices=("cpu", "cuda", "mps"),
    ),
    "stan": TargetDeclaration(
        what="a Stan program, which engines run",
        packages=("jinja2",),
        fix="pip install jinja2",
        tasks=("stan_code",),
    ),
}
