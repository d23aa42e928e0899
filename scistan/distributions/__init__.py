"""The distributions of the language, one declaration each; every module here is read on import."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from scistan.distributions.alternatives import ALTERNATIVES, Alternatives
from scistan.distributions.constructor import CONSTRUCTORS, Constructor
from scistan.distributions.declaration import REGISTRY, Distribution, Parameter, Relation, StanForm, declare
from scistan.distributions.unnamed import Unnamed

__all__ = [
    "CONSTRUCTORS",
    "REGISTRY",
    "Alternatives",
    "Constructor",
    "Distribution",
    "Parameter",
    "Relation",
    "StanForm",
    "Unnamed",
    "declare",
]

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")

CONSTRUCTORS.update({name: Constructor(d) for name, d in REGISTRY.items() if d.public} | ALTERNATIVES)
