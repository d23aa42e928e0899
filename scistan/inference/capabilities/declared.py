"""Which target has which distribution and operation: read from their declarations, where nothing is said twice."""

from __future__ import annotations

from scistan.distributions.declaration import REGISTRY as DISTRIBUTIONS
from scistan.distributions.declaration import Distribution
from scistan.domains import Domain
from scistan.inference.capabilities.show import Record
from scistan.ops.declaration import REGISTRY as OPS
from scistan.ops.declaration import Op
from scistan.targets.stan.lower_ops import STRUCTURED

__all__ = ["distribution_rows", "op_rows", "stan_has"]


def distribution_rows() -> list[Record]:
    """Give a row for each distribution that a user may write: what each target does with it."""
    return [_of(declared) for _, declared in sorted(DISTRIBUTIONS.items()) if declared.public]


def _of(declared: Distribution) -> Record:
    own = "written out"
    return {
        "distribution": declared.name,
        "scipy draws": not declared.improper and declared.drawable,
        "scipy density": True,
        "torch density": True,
        "stan density": declared.stan.name or own,
        "stan draws": not declared.improper and bool(declared.stan.rng or declared.stan.name),
        "latent": _latent(declared),
        "bounds": declared.truncatable,
        "non-centred": declared.location_scale is not None,
        "glm": declared.glm.name if declared.glm is not None else "",
        "merges equal rows": declared.sample is not None or declared.grouped is not None,
    }


def _latent(declared: Distribution) -> bool | str:
    """Tell whether a variable of it need not be observed; discrete ones are summed out if they have a last value."""
    if not declared.discrete:
        return True
    endless = declared.event_rank or (isinstance(declared.support, Domain) and declared.support.upper is None)
    return False if endless else "summed out"


def op_rows() -> list[Record]:
    """Give a row for each operation that a user may write."""
    return [
        {"operation": name, "scipy": bool(op.numpy), "torch": bool(op.torch), "stan": stan_has(op),
         "elementwise": op.elementwise}
        for name, op in sorted(OPS.items(), key=lambda pair: pair[0].lower())
        if op.public
    ]


def stan_has(op: Op) -> bool:
    """Tell whether Stan has an operation: by its own declaration, or by a rule that depends on types."""
    return op.stan is not None or op.name in STRUCTURED
