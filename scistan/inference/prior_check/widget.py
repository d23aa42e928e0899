"""The page with sliders as a widget of a notebook, through anywidget."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from scistan.inference.prior_check.page import Page, front_end
from scistan.messages import prior_check as messages

if TYPE_CHECKING:
    from scistan.inference.prior_check.result import PriorCheck

__all__ = ["Widget", "widget"]

Widget = Any  # a class of anywidget's, which is imported when one is made


def widget(check: PriorCheck) -> Widget:
    """Make the widget; a notebook shows it."""
    if not check.state.constants:
        raise messages.no_constants(check.state.drawn.instance.name)
    return _kind()(check)


@cache
def _kind() -> Any:
    try:
        import anywidget
        import traitlets
    except ImportError:
        raise messages.no_widget() from None

    class PriorSliders(anywidget.AnyWidget):  # type: ignore[misc]
        """A slider for each constant of the priors; `values` are those chosen, `lines` the Python to write."""

        _esm = front_end()["script"]
        _css = front_end()["style"]
        values: Any = traitlets.Dict().tag(sync=False)
        lines: Any = traitlets.List().tag(sync=False)

        def __init__(self, check: PriorCheck) -> None:
            super().__init__()
            self._page = Page(check)
            self._name = check.state.drawn.instance.name
            self.on_msg(self._answer)

        def _answer(self, _: object, question: Any, __: object) -> None:
            """Answer a question of the front end, which numbers them."""
            answer = self._page.opened() if question.get("open") else self._page.ask(question)
            self.values, self.lines = self._page.values, self._page.lines
            self.send({"number": question.get("number"), "answer": answer})

        @property
        def check(self) -> PriorCheck:
            """The prior check at the constants chosen."""
            return self._page.check

    return PriorSliders
