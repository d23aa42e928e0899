"""Random draws as derived quantities: no density may rest on one."""

from __future__ import annotations

from scistan.errors import Place
from scistan.graph.graph import Law
from scistan.graph.places import first_place
from scistan.graph.walk import random_in
from scistan.messages import derived_draws as messages

__all__ = ["check_no_draws"]


def check_no_draws(name: str, law: Law, place: Place | None) -> None:
    """Refuse a term of the density that depends on a random draw, with the lines of both."""
    found = random_in(law.inputs)
    if found:
        drawn = dict(found[0].attributes)["name"]  # type: ignore[attr-defined]
        raise messages.draw_in_density(name, str(drawn), first_place(found[0]), place)
