"""Wording of what can go wrong with random draws as derived quantities."""

from __future__ import annotations

from scistan.errors import ModelError, Place
from scistan.graph.places import user_place


def observed_draw(distribution: str) -> ModelError:
    return ModelError(
        f"{distribution}: what is observed is not drawn as well.",
        remedy="`fit.predict()` and `fit.posterior_predictive` draw what was observed anew; for a draw of its own "
        "write the distribution once more, with `.draw()`",
        place=user_place(),
    )


def nothing_to_draw(distribution: str) -> ModelError:
    return ModelError(
        f"{distribution} has no draws.",
        remedy="draw from a distribution that has: an improper one has none, and one of your own if it was declared "
        "with `draw=`",
        place=user_place(),
    )


def draw_in_density(name: str, drawn: str, drawn_at: Place | None, place: Place | None) -> ModelError:
    where = "" if drawn_at is None else f" ({drawn_at})"
    return ModelError(
        f"`{name}` depends on `{drawn}`{where}, which is a random draw: it follows from the posterior, and cannot be "
        "part of the density.",
        remedy=f"leave `.draw()` away to make `{drawn}` a latent, or let `{name}` be a draw too",
        place=place,
    )
