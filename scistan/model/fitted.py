"""The model behind a fit: as it was when it was fitted, and the way from there to other data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scistan.graph.instance import Instance
from scistan.graph.text import UnwritableError
from scistan.inference.changed import changed_draw
from scistan.inference.described import Description
from scistan.inference.record import Record
from scistan.messages import model as messages
from scistan.model.equal import same_definition
from scistan.model.intervene import intervene
from scistan.model.record import record_of

if TYPE_CHECKING:
    from scistan.model.model import Model
    from scistan.model.variables import Entry

__all__ = ["FittedModel"]


class FittedModel:
    """A model that no later line can change, and the live one it was taken from, if there is one."""

    def __init__(self, model: Model, live: Model | None = None) -> None:
        self.model = copy(model)
        self._live = live

    def elsewhere(
        self, data: object, coords: Mapping[str, Sequence[object]] | None, new_levels: str, do: Mapping[str, object]
    ) -> Instance:
        """Give the model at new inputs for prediction: what was observed is forgotten unless given anew."""
        model = copy(self.model)
        for entry in self._written_later():
            model._variables.add(entry)
        there = intervene(model, do, data, coords, predicting=True, new_levels=new_levels)
        instance = there.instance()
        # A derived quantity that is set is data there, and a latent that was given has its value: both are results.
        acts = there._variables.acts
        known = [t for t in instance.graph.observed if t.value in acts.given and t.value in instance.values]
        names = [*model.to_graph().derived, *(term.name for term in known)]
        terms = tuple(term for term in instance.graph.terms if term not in known)
        derived = {name: there[name]._scistan_node_ for name in names}
        return instance.on(replace(instance.graph, terms=terms, derived=derived))

    def instance(self) -> Instance:
        """Give the model on the data it was fitted to."""
        return self.model.instance()

    def describe(self) -> Description:
        """Give how the model showed itself when it was fitted."""
        from scistan.model.show import definition

        variables = self.model._variables
        definitions = {name: definition(entry, variables.named) for name, entry in variables.entries.items()}
        return Description(str(self.model.latex()), self.model.graph().svg, definitions)

    def changed(self, variables: Mapping[str, Mapping[str, Any]]) -> FittedModel:
        """Give the model with some latents drawn otherwise; what is written later into the user's is none of its."""
        model = copy(self.model)
        for name, given in variables.items():
            entry = model._variables.entries[name]
            if entry.law is not None:
                model._variables.entries[name] = replace(entry, law=changed_draw(entry.law, given))
        return FittedModel(model)

    def __reduce__(self) -> Any:
        """Travel as a record: functions do not."""
        from scistan.model.loading import restored_model

        record = self.record()
        return (restored_model, (record,)) if record is not None else self.model.__reduce__()

    def record(self) -> Record | None:
        """Give all that the model was when it was fitted; None where it holds what only Python knows."""
        try:
            return record_of(self.model)
        except UnwritableError:
            return None

    def _written_later(self) -> list[Entry]:
        """List what was derived since the fit, and data for it; a density that has changed since is refused."""
        if self._live is None:
            return []
        then, now = self.model._variables.entries, self._live._variables.entries
        for name, entry in then.items():
            if entry.law is None:
                continue
            live = now.get(name)
            if live is None or not same_definition(entry.node, entry.law, live.node, live.law):
                raise messages.changed_since(self.model.name, name, live is None)
        added = [name for name, entry in now.items() if name not in then and entry.law is not None]
        if added:
            raise messages.changed_since(self.model.name, added[0], False)
        free = [entry for entry in now.values() if entry.law is None]
        return [e for e in free if e.name not in then or (e.role == "derived" and e.node is not then[e.name].node)]
