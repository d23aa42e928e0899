"""A plan in words: the decision, what else there was, the seconds expected, and what they rest on."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scistan.inference.plan import Plan

__all__ = ["as_html", "as_text", "shown_seconds"]


def as_text(plan: Plan) -> str:
    """Write a plan, a line for each thing to know."""
    rows = _rows(plan)
    wide = max(len(name) for name, _ in rows)
    return "\n".join([f"plan: {plan.task}", *(f"  {name:<{wide}}  {told}" for name, told in rows)])


def as_html(plan: Plan) -> str:
    """Write a plan as a table."""
    rows = "".join(f"<tr><th>{escape(name)}</th><td>{escape(told)}</td></tr>" for name, told in _rows(plan))
    return f"<table><caption>plan: {escape(plan.task)}</caption>{rows}</table>"


def _rows(plan: Plan) -> list[tuple[str, str]]:
    rows = [("decision", _decision(plan))]
    if plan.why:
        rows.append(("because", plan.why))
    if plan.seconds is not None:
        parts = ", ".join(f"{name} {shown_seconds(cost)}" for name, cost in plan.costs.items() if cost)
        rows.append(("expected", f"{shown_seconds(plan.seconds)}{f': {parts}' if parts else ''}"))
        rows.append(("learnt", _learnt(plan.learnt)))
    if plan.alternatives:
        rows.append(("choices", "; ".join(map(str, plan.alternatives))))
    if plan.advice:
        rows.append(("advice", plan.advice))
    rows += [(name, str(part)) for name, part in (("work", plan.workload), ("machine", plan.machine)) if part]
    return rows


def _decision(plan: Plan) -> str:
    parts = [plan.target]
    if plan.task == "mcmc":
        parts = [
            f"{plan.described()}, {'compiled' if plan.compiled else 'interpreted'}" if plan.engine != "auto"
            else "auto, which races the engines",
            f"{plan.chains} chains of {plan.draws} draws after a warm-up of {plan.warmup}",
        ]
    parts += [f"{plan.dtype} on {plan.device}"]
    parts += [f"{plan.threads} {'thread' if plan.threads == 1 else 'threads'}"]
    parts += [f"batches of {plan.batch_size}"] if plan.batch_size else []
    return ", ".join(parts)


def _learnt(runs: int) -> str:
    if not runs:
        return "nothing yet of this machine: built-in rates"
    return f"from {runs} {'run' if runs == 1 else 'runs'} on this machine"


def shown_seconds(seconds: float) -> str:
    """Write seconds with the digits that a prediction has."""
    if seconds < 0.0995:
        return f"{1000 * seconds:.2g} ms"
    return f"{seconds:.2g} s" if seconds < 99.5 else f"{seconds:,.0f} s"
