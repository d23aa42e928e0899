"""A profile: the stages that were recorded, and the way from them to a report."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from scistan.engines.registry import ENGINES
from scistan.given import as_switch
from scistan.inference.profile.ran import Ran
from scistan.messages import profile as messages
from scistan.profiling import Stage, recording

if TYPE_CHECKING:
    from scistan.inference.profile.report import Report
    from scistan.inference.profile.statements import StatementCosts

__all__ = ["Profile", "profile"]


def profile(statements: bool = False) -> Profile:
    """Record what the verbs in a block take, stage by stage: `with ss.profile() as p:`, then `p.report()`.

    `statements` also measures, when the block ends, what each statement of the Stan programs costs that were sampled.
    """
    return Profile(Stage("profile"), as_switch("statements", statements))


class Profile:
    """What stages took: seconds, processor time, memory, hits of caches, numbers converted between libraries."""

    def __init__(self, stages: Stage, statements: bool = False) -> None:
        self.stages = stages
        self._wanted = statements
        self._recording: recording | None = None
        self._costs: dict[tuple[tuple[str, str, str], bool], StatementCosts] = {}

    def __enter__(self) -> Self:
        if self._recording is not None or self.stages.calls:
            raise messages.used_twice()
        self._recording = recording("profile", exact=True)
        self.stages = self._recording.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        if self._recording is not None:
            self._recording.__exit__(kind, error, where)
            self._recording = None
        if self._wanted and kind is None:
            self.statements()

    @property
    def runs(self) -> list[Ran]:
        """What was sampled, one for each model and engine."""
        return [one for one in self.stages.all_evidence() if isinstance(one, Ran)]

    def statements(self, compiled: bool = False) -> list[StatementCosts]:
        """Measure what each statement costs of the Stan programs that were sampled; `compiled` asks CmdStan.

        Without a compiler, the program is run with one statement more at a time; CmdStan times blocks of its own, and
        needs a program with those blocks to be compiled. What an executable sampled is always asked so.
        """
        from scistan.inference.profile.measure import measure

        compiled = as_switch("compiled", compiled)
        found = []
        for ran in self._ended().runs:
            if ran.subject is not None:
                key = (ran.key, compiled or ENGINES[ran.engine].compiled)
                if key not in self._costs:
                    self._costs[key] = measure(ran, ran.subject, key[1])
                found.append(self._costs[key])
        return found

    def cost_of(self, ran: Ran) -> StatementCosts | None:
        """Give what statements cost on the engine that ran, where that was measured."""
        return self._costs.get((ran.key, ENGINES[ran.engine].compiled))

    def compiled_cost_of(self, ran: Ran) -> StatementCosts | None:
        """Give what statements cost when they are compiled, where that was measured."""
        return self._costs.get((ran.key, True))

    def report(self, fitted_before: int = 0) -> Report:
        """Give a table, a picture and recommendations; `fitted_before` is how often the model was fitted already."""
        from scistan.inference.profile.report import make_report

        return make_report(self._ended(), fitted_before)

    def to_json(self) -> str:
        """Write all that was recorded as JSON."""
        return self.report().to_json()

    def _ended(self) -> Self:
        if self._recording is not None or not self.stages.calls:
            raise messages.not_ended()
        return self

    def __repr__(self) -> str:
        if self._recording is not None or not self.stages.calls:
            return "<Profile: nothing is recorded before the block ends>"
        return repr(self.report())

    def _repr_html_(self) -> str:
        return f"<pre>{self!r}</pre>" if not self.stages.calls else self.report()._repr_html_()

    def __deepcopy__(self, _: object) -> Profile:
        other = Profile(self.stages.copied())
        other._costs = dict(self._costs)
        return other

    def __reduce__(self) -> Any:
        """Travel without what was sampled: models do not, and numbers do."""
        plain = self.stages.copied()
        for one in plain.walk():
            one.evidence.clear()
        return Profile, (plain,)
