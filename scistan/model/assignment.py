"""Assigning to an attribute names a variable; reading one gives it back as an expression."""

from __future__ import annotations

from collections.abc import Iterator

from scistan.distributions.composite import Composite
from scistan.distributions.unnamed import Unnamed
from scistan.errors import ScistanError
from scistan.messages import model as messages
from scistan.model.naming import check_name
from scistan.model.variables import Variables
from scistan.ops.coerce import as_node, holds_expressions
from scistan.ops.expression import Expression
from scistan.ops.xarrays import unwrapped

__all__ = ["Assignable"]


class Assignable:
    """What holds variables under names: attributes, and keys for names that are no identifiers. Abstract."""

    _variables: Variables

    def __setattr__(self, name: str, value: object) -> None:
        if name.startswith("_") and not isinstance(value, Unnamed):
            object.__setattr__(self, name, value)
            return
        if isinstance(value, Composite):
            check_name(name, type(self))
            self._enter_parts(name, value)
            return
        check_name(name, type(self), in_program=_in_program(value))
        value = Expression(as_node(value)) if holds_expressions(value) and isinstance(value, list) else unwrapped(value)
        if not isinstance(value, Expression):
            raise messages.not_assignable(name, value)
        self._variables.assign(name, value)

    def _enter_parts(self, name: str, made: Composite) -> None:
        """Name the variables that one line makes; where one of them is refused none is left."""
        entered: list[str] = []

        def enter(part: str, value: Expression) -> Expression:
            own = f"{name}_{part}"
            known = own in self._variables.entries
            self._variables.assign(own, value)
            if not known:
                entered.append(own)
            return Expression(self._variables.entries[own].shown)

        try:
            self._variables.assign(name, made.parts(enter))
        except ScistanError:
            for own in reversed(entered):
                self._variables.delete(own)
            raise

    def __getattr__(self, name: str) -> Expression:
        if name.startswith("_"):
            raise AttributeError(name)
        entry = self._variables.entries.get(name)
        if entry is None:
            methods = [method for method in dir(type(self)) if not method.startswith("_")]
            raise messages.unknown_attribute(name, self._variables.entries, methods)
        return Expression(entry.shown)

    def __delattr__(self, name: str) -> None:
        if name in self._variables.entries:
            self._variables.delete(name)
        elif name in self.__dict__:
            object.__delattr__(self, name)
        else:
            raise messages.unknown_attribute(name, self._variables.entries, ())

    def __getitem__(self, name: str) -> Expression:
        if name not in self._variables.entries:
            raise messages.unknown_variable(name, self._variables.entries)
        return Expression(self._variables.entries[name].shown)

    def __setitem__(self, name: str, value: object) -> None:
        check_name(name, type(self), in_program=_in_program(value))
        setattr(self, name, value)

    def __iter__(self) -> Iterator[str]:
        return iter(self._variables.entries)

    def __contains__(self, name: object) -> bool:
        return name in self._variables.entries

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._variables.entries})


def _in_program(value: object) -> bool:
    """Tell whether a variable has a place in Stan programs: random draws that follow from others have none."""
    return not (isinstance(value, Unnamed) and value.is_draw)
