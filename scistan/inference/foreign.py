"""Put what other tools say into the user's terms: which message it is, of which variable, on which line."""

from __future__ import annotations

import re
from dataclasses import dataclass

from scistan.diagnostics import Context
from scistan.engines.protocol import Draws
from scistan.errors import Place
from scistan.graph.places import user_place
from scistan.inference.subject import Subject
from scistan.messages import foreign as messages
from scistan.targets.stan.source_map import Source

__all__ = ["Told", "tell_rejections", "translate"]

_LINE = re.compile(r"in '[^']*', line (\d+), column")
FREQUENT = 0.01  # of the draws after warm-up
_SUFFIX = re.compile(r"_(lpdf|lpmf|lupdf|lupmf|lcdf|lccdf|rng)$")


@dataclass(frozen=True, slots=True)
class Told:
    """A tool's message in the user's terms: the row it is, the fact with its variable, the remedy and the line."""

    row: str
    fact: str
    remedy: str
    place: Place | None


def translate(text: str, subject: Subject) -> Told | None:
    """Give a tool's text in the user's terms; None where it is not known."""
    known = messages.recognize(text)
    if known is None:
        return None
    row, groups = known
    source = _source(text, groups, subject)
    fact, remedy = row.told(groups)
    variable = _variable(source, groups, subject)
    place = None if source is None else source.place
    return Told(row.name, messages.told_at(fact, variable), remedy, place or user_place())


def tell_rejections(found: Draws, subject: Subject) -> tuple[tuple[str, bool], ...]:
    """Explain once, for each reason and place, the proposals that were rejected; True where they are too many."""
    draws = found.kept.shape[0] * found.kept.shape[1]
    told: dict[tuple[str, str], list[int]] = {}
    for one in found.rejected:
        words = translate(one.said, subject)
        reason, where = (words.fact, str(words.place or "")) if words is not None else (one.said, "")
        counts = told.setdefault((reason, where), [0, 0])
        counts[0] += one.warmup
        counts[1] += one.sampling
    return tuple(
        (messages.rejections(sum(counts), counts[0], reason, where, draws, often), often)
        for (reason, where), counts in told.items()
        for often in (counts[1] > FREQUENT * draws,)
    )


def _source(text: str, groups: dict[str, str], subject: Subject) -> Source | None:
    """Find the line of the program: by its number where the tool gives one, else by the function it names."""
    sources = subject.program.source_map()
    numbered = _LINE.search(text)
    if numbered is not None:
        return sources.get(int(numbered[1]))
    name = _SUFFIX.sub("", groups.get("function", ""))
    if not name:
        return None
    found = [s for s in sources.values() if s.places and re.search(rf"\b{name}(_l\w+)?\(", s.text)]
    return found[0] if len({source.names for source in found}) == 1 else None


def _variable(source: Source | None, groups: dict[str, str], subject: Subject) -> str:
    """Call the variable, and its element where the tool names one; a tool counts from 1."""
    if source is None or len(source.names) != 1:
        return ""
    (name,) = source.names
    index = groups.get("index", "")
    observed = {term.name for term in subject.written_instance.graph.observed}
    if not index or name not in observed:
        return name
    at, shape = tuple(int(i) - 1 for i in index.split(",")), subject.shape(name)
    if len(at) != len(shape) or any(not 0 <= i < n for i, n in zip(at, shape, strict=True)) or subject.merged:
        return name
    return Context(subject.instance.dims, subject.instance.coords).element(name, at, shape)
