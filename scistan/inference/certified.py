"""Before an embedded engine runs: is its density the model's, and if not, who may take over?"""

from __future__ import annotations

from dataclasses import replace

from scistan.engines.embedded import EmbeddedDensity, open_density
from scistan.engines.lowered import LoweredDensity, LoweredJacobian
from scistan.engines.registry import ENGINES
from scistan.errors import ScistanError
from scistan.inference.asked import Asked
from scistan.inference.certificate import Certificate
from scistan.inference.certify import certify, certify_lowered
from scistan.inference.culprit import find_culprit
from scistan.inference.prepare import GRAPH_WORK, Prepared
from scistan.messages import sampling as messages
from scistan.profiling import staged

__all__ = ["certified", "check_compiled_can"]


@staged("certificate")
def certified(asked: Asked, prepared: Prepared) -> tuple[Certificate | None, Prepared]:
    """Give the certificate of the embedded engines, and the request with the model loaded for it.

    None where only compiled Stan may run, or the program is refused: the run says so, in the words it has for it.
    """
    if not any(ENGINES[name].embedded for name in asked.fitting):
        return None, prepared
    request = prepared.request
    if request.lowered is not None:
        lowered = LoweredDensity(request.lowered), LoweredJacobian(request.lowered)
        with GRAPH_WORK:
            return certify_lowered(prepared.subject, *lowered, request.seed, asked.engine), prepared
    try:
        density = open_density(request.text, request.data, request.seed)
    except ScistanError:
        return None, prepared
    with GRAPH_WORK:
        certificate = certify(prepared.subject, prepared.data, density, request.seed)
    loaded = density.model if isinstance(density, EmbeddedDensity) else None
    return certificate, replace(prepared, request=replace(request, loaded=loaded))


def check_compiled_can(asked: Asked, prepared: Prepared, certificate: Certificate) -> None:
    """Raise where compiled Stan cannot take over: the model has no density in Stan at all, or it may not be used."""
    if not certificate.numbers:
        with GRAPH_WORK:
            subject, request = prepared.subject, prepared.request
            culprit = find_culprit(subject.instance, subject.program, request.data, request.inits, certain=True)
        if culprit is not None:
            raise culprit
    if not any(ENGINES[name].compiled for name in asked.fitting):
        raise messages.engine_disagrees(asked.engine, certificate.told_apart())
