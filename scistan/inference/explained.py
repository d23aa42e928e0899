"""A run that failed, in the user's terms: the term that keeps it from starting, else what the engine said."""

from __future__ import annotations

from scistan.engines.data_file import DataText
from scistan.errors import SamplingError
from scistan.inference.culprit import find_culprit
from scistan.inference.foreign import translate
from scistan.inference.prepare import GRAPH_WORK
from scistan.inference.subject import Subject
from scistan.messages import foreign

__all__ = ["explained"]


def explained(error: SamplingError, subject: Subject, data: DataText, inits: tuple[str, ...] | None) -> Exception:
    """Give the error to raise for one that an engine raised."""
    with GRAPH_WORK:
        culprit = find_culprit(subject.instance, subject.program, data, inits)
        told = None if culprit else translate(error.what, subject)
    return culprit or (foreign.cannot_sample(told.fact, told.remedy, told.place) if told else error)
