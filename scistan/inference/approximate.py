"""`m.pathfinder()`, `m.laplace()`, `m.variational()`: approximations of the posterior, as fits of the same shape."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from scistan.engines.data_file import write_data
from scistan.engines.embedded import EmbeddedDensity, open_density
from scistan.engines.loading import has_tape
from scistan.engines.methods import MethodRequest
from scistan.engines.options import check_method_options, engine_seed, engines_for_method, plain
from scistan.engines.protocol import Draws
from scistan.engines.registry import ENGINES
from scistan.errors import SamplingError, ToolchainError, UnsupportedError
from scistan.given import as_switch, as_whole
from scistan.graph.places import user_place
from scistan.inference.certificate import Certificate
from scistan.inference.certify import certify
from scistan.inference.density import check_complete
from scistan.inference.explained import explained
from scistan.inference.fit import Fit
from scistan.inference.fit_of import fit_of, warn_if_ill
from scistan.inference.inits import starting_values
from scistan.inference.memory import check_size
from scistan.inference.prepare import GRAPH_WORK
from scistan.inference.refusal import in_users_terms
from scistan.inference.resample import resample_paths
from scistan.inference.subject import Subject
from scistan.messages import foreign
from scistan.messages import sampling as messages

__all__ = ["approximate"]


def approximate(
    subject: Subject,
    method: str,
    draws: int,
    seed: int | None,
    inits: object,
    progress: bool,
    options: Mapping[str, Any],
    engine: str = "auto",
) -> Fit:
    """Run a method that is no sampler, and give its draws as one chain.

    `auto` takes an embedded engine where one can do what is asked for, whatever lies in the cache: a seed gives the
    same draws on every machine.
    """
    draws = as_whole("draws", draws)
    progress = as_switch("progress", progress)
    check_method_options(method, options)
    engines = engines_for_method(engine, method, options)
    check_complete(subject.instance)
    if not subject.instance.graph.latents:
        raise messages.nothing_to_sample()
    check_size(subject.instance, subject.names, draws)
    used = engine_seed(seed)
    data = write_data(subject.data)
    starts = starting_values(subject.instance, subject.program, inits, 1, used, data)
    given = {name: plain(value) for name, value in options.items() if value is not None}
    start = None if starts is None else starts[0]
    request = MethodRequest(method, subject.program.text, data, draws, used, start, progress, given)
    ran, replaced = _first_that_can(engines, subject, request)
    settings = {"draws": draws, "seed": used, **options}
    why = messages.approximated_by(ran.draws.engine, replaced)
    fit = fit_of(subject, ran.draws, settings, why, replaced, method=method)
    fit.certificate = ran.certificate
    warn_if_ill(fit, depth=5)
    return fit


@dataclass(frozen=True, slots=True, eq=False)
class _Ran:
    """What an engine gave, and the certificate of one that is embedded."""

    draws: Draws
    certificate: Certificate | None = None


def _first_that_can(engines: list[str], subject: Subject, request: MethodRequest) -> tuple[_Ran, tuple[str, ...]]:
    """Run the first engine; one that refuses, or that is found wrong, is replaced by the next, aloud.

    A method that fails where its engine is right fails on every engine: that is told, and nothing replaced.
    """
    failed: dict[str, str] = {}
    for name, following in zip(engines, [*engines[1:], ""], strict=True):
        try:
            with in_users_terms(subject.program):
                run = _embedded if ENGINES[name].embedded else _compiled
                ran = run(name, subject, request)
            return ran, tuple(messages.replaced(one, why, name) for one, why in failed.items())
        except (UnsupportedError, messages.DisagreementError, ToolchainError) as error:
            failed[name] = error.what
            if not following:
                raise (messages.all_engines_failed(failed) if len(failed) > 1 else error) from None
            warnings.warn(messages.replaced(name, error.what, following), messages.ChainWarning, stacklevel=5)
    raise messages.all_engines_failed(failed)


def _embedded(engine: str, subject: Subject, request: MethodRequest) -> _Ran:
    """Compare the engine's density with SciPy's, then run it with the constants that Stan drops."""
    if not has_tape():
        raise messages.no_tape(engine, request.method)
    density = open_density(request.text, request.data, request.seed)
    with GRAPH_WORK:
        certificate = certify(subject, subject.data, density, request.seed)
    if not certificate.ok:
        raise messages.engine_disagrees(engine, certificate.told_apart())
    loaded = density.model if isinstance(density, EmbeddedDensity) else None
    constant = certificate.scipy_values[0] - certificate.engine_values[0] if certificate.numbers else 0.0
    found = _run(engine, subject, replace(request, constant=constant, loaded=loaded))
    if request.method == "pathfinder":
        found = resample_paths(found, request)
    return _Ran(found, certificate)


def _compiled(engine: str, subject: Subject, request: MethodRequest) -> _Ran:
    return _Ran(_run(engine, subject, request))


def _run(engine: str, subject: Subject, request: MethodRequest) -> Draws:
    try:
        return ENGINES[engine].approximate(request)
    except SamplingError as error:
        starts = None if request.start is None else (request.start,)
        raise explained(error, subject, request.data, starts) from None
    except MemoryError as error:
        raise foreign.no_memory(*foreign.of_memory(str(error)), user_place()) from None
