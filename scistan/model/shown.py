"""How a model shows itself: as text, in a notebook, as a picture, as mathematics."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from scistan.model.assignment import Assignable
from scistan.shapes import Size

if TYPE_CHECKING:
    from scistan.graph.graph import Graph
    from scistan.model.picture import Picture
    from scistan.model.show import Latex

__all__ = ["Shown"]


class Shown(Assignable):
    """What holds variables, and tells of them. Abstract."""

    if TYPE_CHECKING:

        @property
        def _length(self) -> Callable[[Size], int]: ...
        def to_graph(self) -> Graph: ...

    def __repr__(self) -> str:
        from scistan.model.show import as_text

        return as_text(self._variables, self._length)

    def _repr_html_(self) -> str:
        from scistan.model.show import as_html

        return as_html(self._variables, self._length)

    def graph(self) -> Picture:
        """Draw the variables and what they depend on: a picture that a notebook shows."""
        from scistan.model.picture import draw_model

        return draw_model(self._variables, self._length)

    def latex(self) -> Latex:
        """Write the model as mathematics: a notebook renders it, `str` gives the source."""
        from scistan.model.show import as_latex

        return as_latex(self._variables, self._length)

    def text(self) -> str:
        """Give the graph's text form: equal models give equal text."""
        from scistan.graph.text import graph_text

        return graph_text(self.to_graph())
