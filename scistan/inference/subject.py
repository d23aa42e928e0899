"""What a fit is a fit of: the model on its data, its program, and the way back to other data."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from scistan.diagnostics import Context
from scistan.diagnostics.facts import Facts
from scistan.graph.instance import Instance
from scistan.graph.walk import topological
from scistan.inference.described import Description
from scistan.inference.record import Record
from scistan.inference.summed import as_written, summed
from scistan.messages import sampling as messages
from scistan.passes.centring import centring_in
from scistan.targets.stan.program import StanProgram, lower_to_stan

__all__ = ["NOTHING_GENERATED", "Fitted", "Subject"]

# What follows from draws is computed from them afterwards.
NOTHING_GENERATED = {"log_lik": False, "predictive": False, "log_prior": False}
class Fitted(Protocol):
    """The model behind a fit, as it was when it was fitted."""

    def elsewhere(
        self, data: object, coords: Mapping[str, Sequence[object]] | None, new_levels: str, do: Mapping[str, object]
    ) -> Instance:
        """Give the model at new inputs, observed values forgotten unless they are given.

        Labels that were not fitted are taken in with `new_levels="extend"` and refused with `"refuse"`; `do` sets
        variables to values, whatever they depend on.
        """
        ...

    def instance(self) -> Instance:
        """Give the model on the data it was fitted to."""
        ...

    def describe(self) -> Description:
        """Give how the model shows itself: mathematics, a picture, definitions."""
        ...

    def changed(self, variables: Mapping[str, Mapping[str, Any]]) -> Fitted:
        """Give the model with some latents drawn otherwise; this one, and the user's, stay as they are."""
        ...

    def record(self) -> Record | None:
        """Give all that the model is, to be saved with a fit; None where it holds what only Python knows."""
        ...


@dataclass(eq=False)
class Subject:
    """The model that was fitted, on the data it was fitted to.

    `sampled` is what the program was written for: the instance, with observations of equal rows merged and latents
    centred by what their data say. A subject that was `restored` from a file has its program written when it is first
    asked for.
    """

    instance: Instance
    written: StanProgram | None = None
    model: Fitted | None = None
    sampled: Instance | None = None
    restored: bool = False

    @cached_property
    def program(self) -> StanProgram:
        """What the engine runs."""
        return self.written or lower_to_stan(self.instance.graph, **NOTHING_GENERATED)

    @property
    def data(self) -> dict[str, Any]:
        """What the program reads."""
        return self.program.data(self.sampled or self.instance)

    @property
    def name(self) -> str:
        return self.instance.name

    @cached_property
    def hash(self) -> str:
        """The hash of the program: equal models have equal ones, whatever their data."""
        instance = self.written_instance if self.instance.integrated else self.instance
        for_any_data = instance is self.instance and self.sampled in (None, instance)
        program = self.program if for_any_data else lower_to_stan(instance.graph, **NOTHING_GENERATED)
        return hashlib.sha256(program.text.encode()).hexdigest()

    @classmethod
    def restore(cls, model: Fitted) -> Subject:
        """Give what a fit is a fit of, from a model that was read from a file."""
        return cls(summed(model.instance()), model=model, restored=True)

    def __reduce__(self) -> Any:
        """Travel as the model that was read from a file; all else follows from it."""
        return Subject.restore, (self.model,)

    @property
    def latents(self) -> list[str]:
        """The latents that are sampled."""
        return [t.name for t in self.instance.graph.latents]

    @cached_property
    def whole(self) -> Subject:
        """The model with all its latents as if each were sampled: that of a fit from which none was integrated out."""
        return Subject(self.written_instance, model=self.model) if self.instance.integrated else self

    @property
    def names(self) -> list[str]:
        """Latents and derived quantities: what a posterior is of."""
        graph = self.written_instance.graph
        return [t.name for t in graph.latents] + list(graph.derived)

    @property
    def written_instance(self) -> Instance:
        """The model with the discrete latents that were summed out of the one that is sampled."""
        return as_written(self.instance)

    def role(self, name: str) -> str:
        """Tell whether a name that has no draws is data or observed."""
        observed = [t.name for t in self.written_instance.graph.observed]
        return "observed" if name in observed else "data" if name in self.instance.graph.data_names.values() else ""

    @cached_property
    def context(self) -> Context:
        """What diagnosis may know of the model."""
        named = {t.value: t.name for t in self.instance.graph.latents}
        every = {
            p.term.name: frozenset(named[n] for n in topological(p.term.law.args) if n in named)
            for p in self.program.parameters
            if p.term.law.noncentred
        }
        noncentred = {p.term.name: every[p.term.name] for p in self.program.parameters
                      if p.term.name in every and p.term.law.shape and p.term.law.centring is None}
        facts = Facts(self.instance, frozenset(every))
        return Context(self.instance.dims, self.instance.coords, noncentred, self.remarks, facts=facts)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What must not be overlooked in any fit of this model."""
        observed = [term.name for term in self.written_instance.graph.observed]
        empty = [name for name in observed if 0 in self.shape(name)]
        if not observed:
            return () if self.instance.graph.potentials else (messages.nothing_observed(),)
        return (messages.no_rows(empty, len(empty) < len(observed)),) if empty else ()

    @property
    def merged(self) -> tuple[str, ...]:
        """What was done to observations of equal rows."""
        if self.sampled is None:
            return ()
        pairs = zip(self.instance.graph.terms, self.sampled.graph.terms, strict=True)
        return tuple(
            messages.rows_merged(old.name, self.shape(old.name)[0], self.sampled.length(new.law.shape[0]))
            for old, new in pairs
            if old.value is not new.value
        )

    @property
    def centring(self) -> dict[str, np.ndarray]:
        """What the data say of each element of latents that are centred by it: information, and pull."""
        return {} if self.sampled is None else centring_in(self.sampled, self.instance)

    def shape(self, name: str) -> tuple[int, ...]:
        """Give a variable's own lengths."""
        graph = self.written_instance.graph
        for term in graph.terms:
            if term.name == name:
                return self.instance.shape(term.law.shape)
        return self.instance.shape(graph.derived[name].shape)

    def shaped(self, name: str, array: np.ndarray) -> np.ndarray:
        """Give an array its own axes back: a variable of length 1 or 0 must not lose or gain one."""
        return array.reshape(*array.shape[:2], *self.shape(name))
