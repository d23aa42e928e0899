"""Wording of what keeps rows of the data from being left out, and of cross-validation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from scistan.errors import ModelError, Place, UnsupportedError
from scistan.graph.places import user_place
from scistan.messages.arguments import nearest
from scistan.messages.values import as_given

_SERIES = "judge it by `fit.check_model()`, or by rows that come after all those fitted"


def refits_by_mcmc(method: str) -> UnsupportedError:
    return UnsupportedError(
        f"`fit.kfold()` refits by `m.mcmc()`, and this fit is by {method}.",
        remedy="sample first: `m.mcmc().kfold()`",
        place=user_place(),
    )


def which_rows(names: Sequence[str]) -> ModelError:
    shown = ", ".join(f"`{name}`" for name in names)
    return ModelError(
        f"the model observes {shown}, and rows of one of them are left out.",
        remedy=f'name it, `fit.kfold(var_name="{names[0]}")`',
        place=user_place(),
    )


def no_rows_to_leave_out(name: str, distribution: str, has_shape: bool, place: Place | None) -> UnsupportedError:
    why = f"its elements have one density together ({distribution})" if has_shape else "it is a single number"
    return UnsupportedError(
        f"`{name}` has no rows that could be left out: {why}.",
        remedy="observe an array whose first axis counts the observations" if not has_shape else _SERIES,
        place=place or user_place(),
    )


def axis_of_one_density(name: str, dim: str, distribution: str, place: Place | None) -> UnsupportedError:
    return UnsupportedError(
        f"`{name}` cannot be parted along `{dim}`: its elements there have one density together ({distribution}).",
        remedy="part it along another dim",
        place=place or user_place(),
    )


def lengths_follow_rows(name: str, place: Place | None) -> UnsupportedError:
    return UnsupportedError(
        f"rows of `{name}` cannot be left out: other lengths of the model follow from how many there are.",
        remedy=_SERIES,
        place=place or user_place(),
    )


def rows_observed_twice(name: str, others: Sequence[str], place: Place | None) -> UnsupportedError:
    shown = ", ".join(f"`{other}`" for other in others) + (" is" if len(others) == 1 else " are")
    return UnsupportedError(
        f"rows of `{name}` cannot be left out alone: along them {shown} observed.",
        remedy="observe them as one, for instance by `ss.MultivariateNormal`, or use `fit.loo(var_name=...)`",
        place=place or user_place(),
    )


def rows_depend(term: str, observed: str, place: Place | None) -> UnsupportedError:
    return UnsupportedError(
        f"rows of `{observed}` cannot be left out: the density of `{term}` at a row depends on other rows.",
        remedy=_SERIES,
        place=place or user_place(),
    )


def latent_ties_rows(latent: str, observed: str, place: Place | None) -> UnsupportedError:
    return UnsupportedError(
        f"rows of `{observed}` cannot be left out: `{latent}` ties them to each other.",
        remedy=_SERIES,
        place=place or user_place(),
    )


def latent_of_rows_improper(latent: str, place: Place | None) -> UnsupportedError:
    return UnsupportedError(
        f"`{latent}` has a flat prior for each row: nothing is known of it for a row that is left out.",
        remedy="give it a proper prior, for instance `ss.Normal(mu, tau)` with latent `mu` and `tau`",
        place=place or user_place(),
    )


def unknown_groups(by: object, known: Iterable[str]) -> ModelError:
    return ModelError(
        f"`by` is {as_given(by)}, which is neither a dim of what is observed nor data of the model.",
        remedy=nearest(str(by), known),
        place=user_place(),
    )


def groups_not_along(by: str, observed: str) -> ModelError:
    return ModelError(
        f"`{by}` has not one label for each row of `{observed}`.",
        remedy=f"give `by` the name of data along the rows of `{observed}`, or one of its dims",
        place=user_place(),
    )


def nothing_to_part(by: str | None, count: int) -> ModelError:
    what = "row" if by is None else f"group of `{by}`"
    return ModelError(
        f"there is {'no' if not count else 'one'} {what}: nothing is left to fit to.",
        remedy="cross-validation needs at least two",
        place=user_place(),
    )


def more_folds_than_groups(k: int, count: int, by: str | None) -> ModelError:
    what = "rows" if by is None else f"groups of `{by}`"
    return ModelError(f"k={k} folds of {count} {what}.", remedy=f"write `k={count}` or less", place=user_place())


def kfold_verdict(model: str, variable: str, k: int, by: str | None, count: int) -> str:
    parts = f"{k} folds" if by is None else f"{k} folds by `{by}`"
    return f"{model}: {count} values of {variable}, each predicted by a fit without it, {parts}"


def folds_ill(ill: Mapping[int, str], k: int) -> str:
    number, verdict = next(iter(ill.items()))
    return f"{len(ill)} of {k} fits are not healthy, fold {number}: {verdict}"


def whole_fit_ill(checks: str) -> str:
    return f"the fit of all rows is not healthy ({checks}), and `p` rests on it"


def depends_on_itself(verb: str, name: str, place: Place | None) -> UnsupportedError:
    return UnsupportedError(
        f"{verb} cannot do without values of `{name}`: its distribution is given by them, as in a series.",
        remedy="judge it by `fit.check_model()`, or by data that come later",
        place=place or user_place(),
    )
