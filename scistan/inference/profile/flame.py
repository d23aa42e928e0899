"""The stages as a picture: each as wide as its time, what it consists of below it, in the order of its beginning."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from zlib import crc32

from scistan.inference.profile.tables import duration, size
from scistan.profiling import Stage

__all__ = ["draw_flame"]

WIDTH, ROW, LETTER = 960.0, 22.0, 6.6  # pixels: of the picture, of a row, of a letter
THINNEST = 0.8
# Light enough for black letters, told apart by lightness as well as hue.
_COLOURS = ("#f6c6a8", "#f2dc9b", "#cfe3a6", "#a9dcc0", "#a8d8e6", "#b9c8f0", "#d6bfea", "#f0bcd0")


@dataclass(frozen=True, slots=True)
class _Box:
    stage: Stage
    depth: int
    left: float
    width: float


def draw_flame(root: Stage) -> str:
    """Draw a stage and all below as SVG; the same stages give the same picture."""
    boxes = list(_boxes(root))
    height = ROW * (1 + max(box.depth for box in boxes))
    drawn = "".join(_drawn(box, root.seconds) for box in boxes)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:.0f} {height:.0f}" width="{WIDTH:.0f}" '
        f'height="{height:.0f}" style="max-width:100%;background:#fff" font-family="system-ui, sans-serif" '
        f'font-size="12" role="img" aria-label="what each stage took">{drawn}</svg>'
    )


def _boxes(root: Stage) -> Iterator[_Box]:
    waiting = [_Box(root, 0, 0.0, WIDTH)]
    while waiting:
        box = waiting.pop()
        yield box
        below = list(box.stage.children.values())
        # Workers that ran at the same time took longer together than what they are part of.
        whole = max(box.stage.seconds, sum(child.seconds for child in below)) or 1.0
        left = box.left
        found = []
        for child in below:
            width = box.width * child.seconds / whole
            if width >= THINNEST:
                found.append(_Box(child, box.depth + 1, left, width))
            left += width
        waiting += reversed(found)


def _drawn(box: _Box, whole: float) -> str:
    one = box.stage
    told = [f"{one.name}: {duration(one.seconds)}", f"{one.seconds / (whole or 1.0):.1%} of all"]
    told += [f"processor {duration(one.cpu)}", f"memory {size(one.memory)}"] if one.cpu > 0 else []
    told += [f"{one.calls} times"] if one.calls > 1 else []
    colour = _COLOURS[crc32(one.name.encode()) % len(_COLOURS)]
    top = box.depth * ROW
    shape = (
        f'<rect x="{box.left:.2f}" y="{top:.0f}" width="{max(box.width - 1, 0.5):.2f}" height="{ROW - 1:.0f}" '
        f'rx="2" fill="{colour}"/>'
    )
    room = int((box.width - 8) / LETTER)
    text = f"{one.name}  {duration(one.seconds)}"
    shown = text if len(text) <= room else one.name if len(one.name) <= room else ""
    label = (
        f'<text x="{box.left + 4:.2f}" y="{top + 15:.0f}" fill="#1b1b1b" xml:space="preserve">{escape(shown)}</text>'
        if shown
        else ""
    )
    return f"<g><title>{escape(', '.join(told))}</title>{shape}{label}</g>"
