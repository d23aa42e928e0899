"""Point estimates with PyTorch: `m.map()` and `m.mle()`, audited."""

from scistan.inference.point.estimate import PointEstimate
from scistan.inference.point.maximize import maximize

__all__ = ["PointEstimate", "maximize"]
