"""`m.graph()`: a picture of a model, its variables in layers from causes to effects, as SVG."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from pathlib import Path

from scistan.inference.files import write_text
from scistan.inference.paths import as_path
from scistan.messages import model as messages
from scistan.model.layers import Layout, lay_out
from scistan.model.plates import Frame
from scistan.model.show import Length, axes_text, definition
from scistan.model.variables import Entry, Variables

__all__ = ["Picture", "draw_model"]

_HEIGHT, _GAP_X, _GAP_Y, _MARGIN = 44.0, 26.0, 44.0, 14.0
_CHARACTER = 7.2  # the width of one in the font below, near enough to leave room
_SIGN = 17.0  # below the variables of a plate, for its name
_LONGEST = 28
_FILL = {"latent": "#ffffff", "observed": "#d9d9d9", "data": "#f2f2f2", "derived": "#ffffff", "potential": "#ffffff"}


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawing of a model; a notebook shows it, `save` writes it to a file."""

    svg: str

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        return f"<div style='overflow-x:auto'>{self.svg}</div>"

    def __repr__(self) -> str:
        return "<a picture of the model: a notebook shows it, `.save('model.svg')` writes it>"

    def save(self, path: str | Path) -> Path:
        """Write the picture as `.svg`, or as a page of its own, `.html`."""
        target = as_path("save", path)
        if target.suffix not in (".svg", ".html"):
            raise messages.unknown_picture(str(path))
        page = f"<!doctype html><meta charset='utf-8'>{self.svg}" if target.suffix == ".html" else self.svg
        return write_text(target, page)


@dataclass(frozen=True, slots=True)
class _Box:
    entry: Entry
    label: str
    detail: str

    @property
    def width(self) -> float:
        return _CHARACTER * max(len(self.label), len(self.detail)) + 30.0


def draw_model(variables: Variables, length: Length) -> Picture:
    """Draw every variable of a model and what it depends on."""
    boxes = {name: _box(entry, variables, length) for name, entry in variables.entries.items()}
    layout = lay_out(variables, {name: box.width for name, box in boxes.items()}, _GAP_X, _HEIGHT + _GAP_Y)
    body = [_plate(frame, variables, length) for frame in layout.frames]
    body += [_edge(layout, points) for points in layout.edges]
    body += [_SHAPES[box.entry.role](box, *_corner(layout, name)) for name, box in boxes.items()]
    return Picture(_framed(variables.owner, layout, body))


def _box(entry: Entry, variables: Variables, length: Length) -> _Box:
    plain = [dim is None for dim in entry.dims]
    axes = axes_text(entry, length) if any(plain) or len(plain) > 1 else ""  # a plate says it of one dim
    text = "data" if entry.role == "data" else definition(entry, variables.named)
    return _Box(entry, f"{entry.name} [{axes}]" if axes else entry.name, _cut(text))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _corner(layout: Layout, name: str) -> tuple[float, float]:
    x, y = layout.places[name]
    return x + _MARGIN, y + _MARGIN


def _framed(title: str, layout: Layout, body: list[str]) -> str:
    lowest = max((frame.bottom + _HEIGHT + _SIGN * (1 + frame.depth) for frame in layout.frames), default=0.0)
    width, height = layout.width + 2 * _MARGIN, max(layout.height - _GAP_Y, lowest) + 2 * _MARGIN
    arrow = (
        "<defs><marker id='arrow' viewBox='0 0 8 8' refX='7' refY='4' markerWidth='7' markerHeight='7' orient='auto'>"
        "<path d='M0,0 L8,4 L0,8 z' fill='#777'/></marker></defs>"
    )
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width:.0f} {height:.0f}' width='{width:.0f}' "
        f"height='{height:.0f}' font-family='sans-serif' font-size='12'><title>{escape(title)}</title>"
        f"{arrow}{''.join(body)}</svg>"
    )


def _plate(frame: Frame, variables: Variables, length: Length) -> str:
    """Draw the frame of a dim, its name and length in the lower left corner."""
    x, y = frame.left + _MARGIN, frame.top + _MARGIN
    bottom = frame.bottom + _MARGIN + _HEIGHT + _SIGN * (1 + frame.depth)
    name = escape(f"{frame.dim}: {length(variables.dims[frame.dim])}" if frame.dim in variables.dims else frame.dim)
    return (
        f"<rect class='plate' x='{x:.1f}' y='{y:.1f}' width='{frame.right - frame.left:.1f}' "
        f"height='{bottom - y:.1f}' rx='6' fill='none' stroke='#999'/>"
        f"<text x='{x + 7:.1f}' y='{bottom - 5:.1f}' fill='#555' font-size='11'>{name}</text>"
    )


def _edge(layout: Layout, points: list[tuple[float, float]]) -> str:
    """Draw a smooth line that leaves and arrives vertically, through the gaps between the boxes."""
    (x, y), *rest = [(x + _MARGIN, y + _MARGIN) for x, y in points]
    y += _HEIGHT
    path = [f"M{x:.1f},{y:.1f}"]
    for nx, ny in rest:
        middle = (y + ny) / 2
        path.append(f"C{x:.1f},{middle:.1f} {nx:.1f},{middle:.1f} {nx:.1f},{ny:.1f}")
        x, y = nx, ny + _HEIGHT
        if (nx, ny) != rest[-1]:
            path.append(f"L{x:.1f},{y:.1f}")
    return f"<path d='{' '.join(path)}' fill='none' stroke='#777' marker-end='url(#arrow)'/>"


def _text(box: _Box, x: float, y: float) -> str:
    lines = (
        f"<text x='{x:.1f}' y='{y + 19:.1f}' text-anchor='middle' font-weight='bold'>{escape(box.label)}</text>"
        f"<text x='{x:.1f}' y='{y + 34:.1f}' text-anchor='middle' fill='#444'>{escape(box.detail)}</text>"
    )
    return f"{lines}</g>"


def _opening(box: _Box) -> str:
    return f"<g class='{box.entry.role}'><title>{escape(box.entry.name)}: {box.entry.role}</title>"


def _rounded(box: _Box, x: float, y: float, radius: float, dashes: str = "") -> str:
    style = f" stroke-dasharray='{dashes}'" if dashes else ""
    shape = (
        f"<rect x='{x - box.width / 2:.1f}' y='{y:.1f}' width='{box.width:.1f}' height='{_HEIGHT}' rx='{radius}' "
        f"fill='{_FILL[box.entry.role]}' stroke='#333'{style}/>"
    )
    return _opening(box) + shape + _text(box, x, y)


_SHAPES: dict[str, Callable[[_Box, float, float], str]] = {
    "latent": lambda box, x, y: _rounded(box, x, y, _HEIGHT / 2),
    "observed": lambda box, x, y: _rounded(box, x, y, _HEIGHT / 2),
    "data": lambda box, x, y: _rounded(box, x, y, 2.0),
    "derived": lambda box, x, y: _rounded(box, x, y, 8.0, "5 3"),
    "potential": lambda box, x, y: _rounded(box, x, y, 2.0, "2 2"),
}
