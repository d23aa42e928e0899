"""Ask whether a model can go somewhere: by the checks that the verbs themselves begin with, each made once."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from scistan.engines.embedded import open_density
from scistan.engines.encoding import to_json
from scistan.engines.loading import has_tape, text_for_stanli
from scistan.engines.registry import ENGINES, engine_named
from scistan.engines.translate import intermediate
from scistan.errors import ScistanError
from scistan.graph.body import with_insides
from scistan.graph.instance import Instance
from scistan.graph.node import Apply
from scistan.inference.certify import certify
from scistan.inference.density import check_complete
from scistan.inference.few import check_few
from scistan.inference.memory import check_draws_fit, check_size
from scistan.inference.point.maximize import check_maximizable
from scistan.inference.prepare import subject_of
from scistan.inference.solver_error import methods_in
from scistan.inference.subject import Fitted, Subject
from scistan.messages import capabilities as messages
from scistan.messages import declared as declared_messages
from scistan.messages import inference as inference_messages
from scistan.messages import sampling
from scistan.ops.declaration import Gap, Op
from scistan.targets.registry import TARGETS
from scistan.targets.scipy import ancestral_draws
from scistan.toolchain.build import BuildOptions, buildable

__all__ = ["Probe"]

SMALL = 100_000  # numbers of data that an embedded engine reads in milliseconds
_USUAL_ROWS = 4_000  # draws of a call that says nothing of them


class Probe:
    """A model, and what has been asked about it so far: the answer of each question is kept, an error too."""

    def __init__(self, instance: Instance, model: Fitted | None) -> None:
        self.instance, self.model = instance, model
        self._kept: dict[str, str | ScistanError] = {}
        self._subject: Subject | None = None

    def target(self, name: str, task: str, device: str) -> str:
        """Raise where a target cannot do a task with this model; give what there is to know of it otherwise."""
        declared = TARGETS[name]
        if declared.missing:
            raise sampling.engine_missing(name, declared.missing, declared.fix)
        if len(declared.devices) > 1:
            from scistan.targets.torch import choose_target

            choose_target(device, "float64" if device != "mps" else "float32")
        told = self._once(f"{name} {task}", _TASKS[task].__get__(self))
        return told or (self._equations() if name == "torch" else "")

    def _equations(self) -> str:
        """Say what torch does with equations: it needs a package for them, and has no implicit solver."""
        methods = methods_in(self.instance.graph)
        if not methods:
            return ""
        from scistan.targets.torch.equations import import_torchdiffeq

        import_torchdiffeq()
        return messages.solved_explicitly() if methods & {"bdf", "adams"} else ""

    def engine(self, name: str, task: str) -> str:
        """Raise where an engine cannot run a task on this model; give what there is to know of it otherwise."""
        engine_named(name)
        declared = ENGINES[name]
        self._once("posterior", self._posterior)
        if declared.compiled:
            return self._once(f"build {task == 'mcmc'}", partial(self._build, task))
        if task != "mcmc" and not has_tape():
            raise sampling.no_tape(name, task)
        if declared.few:
            check_few(self.instance, declared.few)
        elif declared.lowering:
            self._once(f"forms {name}", partial(self._has_forms, declared.target))
        return self._once("embedded", partial(self._embedded, name))

    def _once(self, question: str, ask: Callable[[], str]) -> str:
        if question not in self._kept:
            try:
                self._kept[question] = ask()
            except ScistanError as error:
                self._kept[question] = error
        answer = self._kept[question]
        if isinstance(answer, ScistanError):
            raise answer
        return answer

    @property
    def subject(self) -> Subject:
        if self._subject is None:
            self._subject = subject_of(self.instance, self.model)
        return self._subject

    def _prior(self) -> str:
        check_draws_fit(self.instance, _USUAL_ROWS // 4)
        ancestral_draws(self.instance, 1, 0)
        return ""

    def _density(self) -> str:
        check_complete(self.instance)
        return ""

    def _map(self) -> str:
        check_maximizable(self.instance, "map")
        return ""

    def _mle(self) -> str:
        check_maximizable(self.instance, "mle")
        return ""

    def _written(self) -> str:
        _ = self.subject.program.text
        return ""

    def _posterior(self) -> str:
        """Check what every engine needs: data, something to draw, a program, and room for the draws."""
        check_complete(self.instance)
        if not self.instance.graph.latents:
            raise sampling.nothing_to_sample()
        self._written()
        check_size(self.instance, self.subject.names, _USUAL_ROWS)
        return ""

    def _embedded(self, name: str) -> str:
        """Have the program compiled; where the data are small, loaded on them and its density compared."""
        subject = self.subject
        if sum(array.size for array in self.instance.values.values()) > SMALL:
            try:
                intermediate(text_for_stanli(subject.program.text))
            except RuntimeError as error:
                raise inference_messages.program_refused(name, str(error), subject.program.text) from None
            return messages.not_probed(name)
        certificate = certify(subject, subject.data, open_density(subject.program.text, to_json(subject.data), 0), 0)
        if not certificate.ok:
            raise sampling.engine_disagrees(name, certificate.told_apart())
        return ""

    def _has_forms(self, column: str) -> str:
        """Refuse a library that lacks an operation of the model."""
        for node, _ in with_insides(self.instance.graph.without_draws().nodes):
            form = node.op.form(column) if isinstance(node, Apply) and isinstance(node.op, Op) else None
            if isinstance(form, Gap):
                raise declared_messages.gap(node.op.name, column, form.reason)  # type: ignore[attr-defined]
        return ""

    def _build(self, task: str) -> str:
        cached = buildable(self.subject.program.text, BuildOptions(methods="core" if task == "mcmc" else "full"))
        return messages.from_cache() if cached else messages.first_build()


_TASKS: dict[str, Callable[[Probe], str]] = {
    "prior": Probe._prior,
    "simulate": Probe._prior,
    "log_density": Probe._density,
    "gradients": Probe._density,
    "map": Probe._map,
    "mle": Probe._mle,
    "laplace": Probe._map,
    "stan_code": Probe._written,
}
