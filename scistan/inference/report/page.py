"""`fit.report`: gather what a page tells, and have the template lay it out."""

from __future__ import annotations

import platform
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from scistan.errors import ScistanError
from scistan.given import as_whole
from scistan.inference.described import Description
from scistan.inference.files import write_text
from scistan.inference.paths import as_path
from scistan.inference.pictures.canvas import new_figure
from scistan.inference.pictures.elements import asked_for, draws_at, labels_of, share
from scistan.inference.pictures.marginals import prior_draws
from scistan.inference.report.data import data_table
from scistan.inference.report.effects import Coefficient, coefficients
from scistan.inference.report.figures import (
    diagnostic_pictures,
    posterior_pictures,
    predictive_pictures,
    prior_pictures,
)
from scistan.inference.report.mathml import rows_of
from scistan.inference.report.methods import extremes, fit_version, methods_paragraph
from scistan.inference.report.table import Line, Table, interval_cells, posterior_table, quantile_head
from scistan.messages import options as option_messages
from scistan.messages import pictures as messages
from scistan.version import __version__

if TYPE_CHECKING:
    from scistan.inference.fit import Fit

__all__ = ["report_page", "write_report"]

_PROBABILITY = 0.9


@dataclass(frozen=True, slots=True)
class Effects:
    """The coefficients of the predictors with their numbers, and the derived quantities'."""

    coefficients: list[tuple[Coefficient, tuple[Line, ...]]]
    derived: Table | None
    head: tuple[str, ...]
    note: str = ""


def write_report(
    fit: Fit, path: str | PathLike[str], title: str | None, question: str | None, limit: int
) -> Path:
    """Write the report of a fit to a file, and give its path."""
    target = as_path("fit.report", path)
    if target.suffix.lower() not in (".html", ".htm"):
        raise messages.report_ending(path)
    return write_text(target, report_page(fit, title, question, limit))


def report_page(fit: Fit, title: str | None = None, question: str | None = None, limit: int = 40) -> str:
    """Give the report of a fit as the text of one HTML page."""
    for option, given in {"title": title, "question": question}.items():
        if given is not None and not isinstance(given, str):
            raise option_messages.bad_option(option, given, "a text", repr("Schools"))
    rows = as_whole("limit", limit)
    new_figure(1, 1)  # a report is half pictures: without matplotlib, say so before all else
    described, worst = _described(fit), extremes(fit)
    text: str = _template().render(
        title=title or fit.model_name,
        question=question,
        fit=fit,
        worst=worst,
        diagnosis=fit.diagnose(),
        maths=None if described is None else rows_of(described.latex),
        graph=None if described is None else described.picture,
        stan=None if fit.subject is None else fit.subject.whole.program.text,
        data=data_table(fit),
        posterior=posterior_table(fit, probability=_PROBABILITY, limit=rows),
        prior=_prior_table(fit, rows),
        pictures_of={
            "posterior": list(posterior_pictures(fit)),
            "prior": list(prior_pictures(fit)),
            "predictive": list(predictive_pictures(fit)),
            "diagnosis": list(diagnostic_pictures(fit)),
        },
        effects=_effects(fit, rows),
        methods=methods_paragraph(fit, described, worst),
        settings=_settings(fit),
        versions=_versions(fit),
        written=datetime.now(UTC).strftime("%Y-%m-%d"),
        scistan=__version__,
    )
    return text


@cache
def _template() -> Any:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    package = Path(__file__).resolve().parents[2]
    folders = [str(package / "templates"), str(package.parent / "templates")]
    loader = FileSystemLoader(folders)
    environment = Environment(
        loader=loader, undefined=StrictUndefined, autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["coded"] = _coded
    return environment.get_template("report.html.j2")


def _coded(text: str) -> Any:
    """Show what stands between backticks as code; all else of a text stays text."""
    from markupsafe import Markup, escape

    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))


def _described(fit: Fit) -> Description | None:
    return None if fit.subject is None or fit.subject.model is None else fit.subject.model.describe()


def _prior_table(fit: Fit, limit: int) -> Table:
    """Summarize the prior by quantiles: its mean may not exist."""
    head = quantile_head(_PROBABILITY)
    try:
        drawn = prior_draws(fit)
    except ScistanError as error:
        return Table(head, (), str(error).splitlines()[0])
    wanted = {name: places for name, places in asked_for(fit, None).items() if name in drawn}
    sizes = {name: len(places) for name, places in wanted.items()}
    places = [(name, at) for name, count in share(sizes, limit).items() for at in wanted[name][:count]]
    lines = []
    for (name, at), label in zip(places, labels_of(fit, places), strict=True):
        values = draws_at(drawn[name], at).astype(float).ravel()
        ends = np.quantile(values, ((1 - _PROBABILITY) / 2, 0.5, (1 + _PROBABILITY) / 2))
        lines.append(Line(label, interval_cells(*map(float, ends))))
    total = sum(sizes.values())
    return Table(head, tuple(lines), messages.rows_left_out(len(lines), total) if len(lines) < total else "")


def _effects(fit: Fit, limit: int) -> Effects | None:
    if fit.subject is None:
        return None
    graph = fit.subject.whole.instance.graph
    found = [one for one in coefficients(graph) if one.latent in fit.posterior]
    rows: list[tuple[Coefficient, tuple[Line, ...]]] = []
    left, head, cut = limit, ("mean", "sd", *quantile_head(_PROBABILITY)), ""
    for one in found:
        own = posterior_table(fit, one.latent, _PROBABILITY, max(1, left))
        rows.append((one, own.lines))
        left, cut = left - len(own.lines), own.note or cut
        if left <= 0:
            break
    derived = [name for name in graph.derived if name in fit.posterior]
    table = posterior_table(fit, derived, _PROBABILITY, limit) if derived else None
    if not rows and table is None:
        return None
    note = messages.coefficients_left_out(len(rows), len(found)) if len(rows) < len(found) else cut
    return Effects(rows, table, head, note)


def _settings(fit: Fit) -> Mapping[str, str]:
    return {str(key): str(value) for key, value in fit.settings.items() if value is not None}


def _versions(fit: Fit) -> Mapping[str, str]:
    return {
        "SciStan": fit_version(fit),
        **{package: str(version) for package, version in fit.draws.versions.items()},
        "Python, for this page": platform.python_version(),
    }
