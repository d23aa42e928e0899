"""Memory that runs out, of a GPU or of this machine: the same fit, on fewer observations at a time."""

from __future__ import annotations

import gc
import sys
import warnings
from collections.abc import Callable
from dataclasses import replace

from scistan.inference.point.estimate import PointEstimate
from scistan.inference.point.options import Options
from scistan.messages import point as messages

__all__ = ["shrink_to_fit"]

_MOST = 12  # times that batches get smaller


def shrink_to_fit(options: Options, attempt: Callable[[Options, tuple[str, ...]], PointEstimate]) -> PointEstimate:
    """Attempt a fit; where memory runs out, again in batches that get smaller, which is told.

    Sums over batches are the same sums, so that what is found is: an optimizer that was chosen by itself stays the one
    for all observations at once.
    """
    findings: tuple[str, ...] = ()
    first: messages.OutOfMemoryError | None = None
    for _ in range(_MOST):
        try:
            found = attempt(options, findings)
            for finding in findings:
                warnings.warn(finding, messages.MemoryWarning, stacklevel=5)
            return found
        except messages.OutOfMemoryError as error:
            # What failed keeps its tensors alive for as long as its frames are.
            first, smaller = first or error.with_traceback(None), error.smaller
            first.__context__ = None
        except messages.NoBatchesError:
            if first is None:
                raise
            raise first from None  # the observations of this model cannot be taken apart
        if not smaller:
            break
        _release()
        findings = (messages.batch_shrunk(first.device, smaller),)
        whole = options.batch_size is None and options.optimizer == "auto"
        options = replace(options, batch_size=smaller, optimizer="lbfgs" if whole else options.optimizer)
    if first is None:
        raise messages.out_of_memory(options.device, None)
    raise first


def _release() -> None:
    """Give memory back: what torch keeps of a GPU's for later would be missing now."""
    gc.collect()
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        torch.cuda.empty_cache()
