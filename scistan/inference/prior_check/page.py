"""What a page with sliders is told, and what it asks: one question and one answer for the server and the widget."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from typing import Any

from scistan.errors import ScistanError
from scistan.inference.prior_check.panels import Counts, panel, panel_names
from scistan.inference.prior_check.result import PriorCheck

__all__ = ["Page", "front_end", "template_text"]

_MOST_PANELS, _MOST_SLIDERS = 40, 120


def template_text(name: str) -> str:
    """Read a file of the templates, beside the package or in it."""
    package = Path(__file__).resolve().parents[2]
    folders = (package / "templates", package.parent / "templates")
    return next(folder / name for folder in folders if (folder / name).exists()).read_text(encoding="utf-8")


def front_end() -> dict[str, str]:
    """Give the script and the style of the page; both are our own, and load nothing."""
    return {"script": template_text("prior_check.js"), "style": template_text("prior_check.css")}


class Page:
    """One model behind a page: holds the draws at the constants asked for last."""

    def __init__(self, check: PriorCheck) -> None:
        self.check = check
        self._lock = Lock()
        self._counts = Counts()

    @property
    def values(self) -> dict[str, float]:
        """The constants that were changed."""
        return dict(self.check.state.values)

    @property
    def lines(self) -> list[str]:
        """The lines of Python for them."""
        return self.check.lines

    def opened(self) -> dict[str, Any]:
        """Tell everything that does not change, and the first panels."""
        with self._lock:
            return self._opened()

    def _opened(self) -> dict[str, Any]:
        state = self.check.state
        names = panel_names(state.drawn)
        families = {t.name: t.law.distribution.title for t in state.drawn.instance.graph.terms}
        return {
            "model": state.drawn.instance.name,
            "draws": state.drawn.draws,
            "seed": state.drawn.seed,
            "left_out": max(0, len(names) - _MOST_PANELS),
            "without_slider": max(0, len(state.constants) - _MOST_SLIDERS),
            "constants": [
                {
                    "name": c.name, "value": c.value, "variable": c.variable, "family": families[c.variable],
                    "log": c.log, "integer": c.integer,
                    "low": c.low, "high": c.high, "lower": _finite(c.lower), "upper": _finite(c.upper),
                    "also": [use.variable for use in c.slot.uses[1:]],
                }
                for c in state.constants[:_MOST_SLIDERS]
            ],
            "values": self.values,
            "answer": self._answer({"all": True, "findings": True}),
        }  # fmt: skip

    def ask(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """Set the constants to `values`; tell what changed, or what is wrong with them.

        `axes` are those the page shows now, `views` what is shown of each variable; `all` sends every panel, and
        `findings` runs the checks too, which takes longer than a redraw.
        """
        with self._lock:
            began = time.perf_counter()
            try:
                self.check = self.check.at(_mapping(question.get("values")))
                answer = self._answer(question)
            except ScistanError as error:
                return {"error": error.what}
            answer["milliseconds"] = 1000 * (time.perf_counter() - began)
            return answer

    def _answer(self, question: Mapping[str, Any]) -> dict[str, Any]:
        state = self.check.state
        axes, views = _mapping(question.get("axes")), _mapping(question.get("views"))
        everything = bool(question.get("all"))
        panels = []
        for name, role in panel_names(state.drawn)[:_MOST_PANELS]:
            if everything or name in state.drawn.fresh:
                panels.append(panel(state, name, role, axes.get(name), views.get(name), self._counts))
        answer: dict[str, Any] = {"panels": panels, "lines": self.lines, "error": ""}
        if question.get("findings"):
            answer["findings"] = [
                {"check": h.check, "fact": h.fact, "suggestion": h.suggestion, "variable": h.variables[0]}
                for h in self.check.hints
            ]
        return answer


def _mapping(given: object) -> Mapping[str, Any]:
    return given if isinstance(given, Mapping) else {}


def _finite(value: float) -> float | None:
    return value if abs(value) < float("inf") else None
