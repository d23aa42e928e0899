"""`fit.kfold()`: fit without a part of the rows, predict that part, and so with every part."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from scistan.engines.options import engine_seed
from scistan.given import as_switch, as_whole
from scistan.graph.graph import Term
from scistan.graph.instance import Instance
from scistan.inference.executors import Executor
from scistan.inference.few import made_again
from scistan.inference.judge.carried import Carried
from scistan.inference.judge.crossvalidation import CrossValidation
from scistan.inference.judge.fold import FoldSettings, fit_fold, log_mean
from scistan.inference.judge.folder import digest_of, open_folder, seed_of
from scistan.inference.judge.split import check_rows_part, rows_of
from scistan.inference.judge.tasks import Task, run_tasks
from scistan.inference.paths import as_path
from scistan.messages import fits as fit_messages
from scistan.messages import judge
from scistan.messages import leaving_out as messages
from scistan.messages import sampling as sampling_messages
from scistan.version import __version__

if TYPE_CHECKING:
    from scistan.inference.fit import Fit

__all__ = ["kfold"]

_FOLDS = 10
_LOOKED_AT = 3  # draws at which rows are checked to be parts


def kfold(
    fit: Fit,
    k: int | None,
    by: str | None,
    var_name: str | None,
    seed: int | None,
    executor: Executor | None,
    folder: str | Path | None,
    progress: bool,
    **changed: Any,
) -> CrossValidation:
    """Cross-validate a fit; settings are the fit's unless `changed`."""
    subject, progress = fit._need("cross-validation"), as_switch("progress", progress)
    if subject.model is None:
        raise sampling_messages.needs_model("cross-validation")
    if fit.method != "mcmc":
        raise messages.refits_by_mcmc(fit.method)
    carried = Carried(subject.model)
    instance = carried.instance
    term = _term(instance, var_name)
    axis, groups, labels = _groups(instance, term, by)
    rows = rows_of(instance, term, axis)
    path = None if folder is None else as_path("folder", folder)
    used = engine_seed(seed if seed is not None or path is None else seed_of(path))
    folds = _folds(groups, k, by, used)
    held = [np.flatnonzero(folds == number) for number in range(folds.max() + 1)]
    check_rows_part(rows, _few_draws(fit, instance))
    settings = _settings(fit, term.name, axis, used, changed)
    tasks = [Task(number, fit_fold, (carried, settings, number, out)) for number, out in enumerate(held)]
    parts = {
        "model": digest_of(carried.text),
        "data": digest_of({n: array.tolist() for n, array in _named_values(instance).items()}, folds.tolist()),
        "settings": digest_of([settings.name, settings.axis, settings.engine, settings.draws, settings.warmup],
                              settings.chains, dict(settings.options), __version__),
    }
    outcome = run_tasks(tasks, executor, open_folder(path, "kfold", used, parts), progress, f"kfold of {instance.name}")
    if outcome.interrupted:
        raise KeyboardInterrupt
    if outcome.failed:
        raise judge.tasks_failed("fit.kfold()", outcome.failed, len(tasks))
    shape = instance.shape(term.law.shape[: len(term.law.shape) - term.law.event_rank])
    elpd, error = (_assembled(outcome.results.values(), kind, shape, axis) for kind in ("elpd", "mcse"))
    return CrossValidation(
        model=instance.name,
        variable=term.name,
        by=by,
        folds=folds,
        elpd_pointwise=elpd,
        mcse_pointwise=error,
        in_sample=log_mean(fit.log_likelihood[term.name].values)[0],
        groups=tuple(labels) if by is not None else (),
        group_of=groups,
        axis=axis,
        whole_fit="; ".join(h.check for h in fit.diagnose().hints),
        ill={n: str(found["ill"]) for n, found in sorted(outcome.results.items()) if str(found["ill"])},
        seed=used,
        reused=outcome.reused,
        dims=instance.dims,
        coords=instance.coords,
    )


def _term(instance: Instance, name: str | None) -> Term:
    terms = {t.name: t for t in instance.graph.observed}
    if not terms:
        raise fit_messages.nothing_to_leave_out()
    if name is None and len(terms) > 1:
        raise messages.which_rows(list(terms))
    if name is not None and (not isinstance(name, str) or name not in terms):
        raise fit_messages.unknown_draws(name, terms)
    return terms[name] if name is not None else next(iter(terms.values()))


def _groups(instance: Instance, term: Term, by: str | None) -> tuple[int, np.ndarray, list[object]]:
    """Give the axis that is parted, the group of each of its rows, and the groups' labels."""
    if by is None:
        count = instance.length(term.law.shape[0]) if term.law.shape else 0
        return 0, np.arange(count), []
    dims = list(instance.dims[term.name])
    leaves = {name: leaf for leaf, name in instance.graph.data_names.items()}
    if isinstance(by, str) and by in dims:
        axis = dims.index(by)
        count = instance.length(term.law.shape[axis])
        return axis, np.arange(count), list(instance.coords.get(by) or range(count))
    if not isinstance(by, str) or by not in leaves:
        raise messages.unknown_groups(by, [*dims, *leaves])
    leaf = leaves[by]
    reduced = [instance.table.reduce(size) for size in term.law.shape]
    if len(leaf.shape) != 1 or instance.table.reduce(leaf.shape[0]) not in reduced:
        raise messages.groups_not_along(by, term.name)
    codes, inverse = np.unique(instance.values[leaf], return_inverse=True)
    levels = instance.coords.get(by)
    whole = codes.dtype.kind in "iu" and levels is not None and len(levels) > int(codes.max())
    labels = [levels[int(code)] if whole and levels is not None else code.item() for code in codes]
    return reduced.index(instance.table.reduce(leaf.shape[0])), inverse, labels


def _folds(groups: np.ndarray, k: int | None, by: str | None, seed: int) -> np.ndarray:
    """Give the fold of each row: groups stay together, and are shared out by chance where there are fewer folds."""
    count = int(groups.max()) + 1 if groups.size else 0
    if count < 2:
        raise messages.nothing_to_part(by, count)
    wanted = count if k is None and by is not None else as_whole("k", min(_FOLDS, count) if k is None else k, 2)
    if wanted > count:
        raise messages.more_folds_than_groups(wanted, count, by)
    if wanted == count:
        return groups
    order = np.random.default_rng([seed, count]).permutation(count)
    fold_of = np.empty(count, dtype=int)
    fold_of[order] = np.arange(count) % wanted
    return np.asarray(fold_of[groups])


def _few_draws(fit: Fit, instance: Instance) -> dict[str, np.ndarray]:
    picks = np.linspace(0, fit.shape[1] - 1, _LOOKED_AT).astype(int)
    for term in instance.graph.latents:
        if term.name not in fit.posterior:
            raise sampling_messages.not_kept("cross-validation")
    return {t.name: fit.posterior[t.name][0, picks] for t in instance.graph.latents}


def _settings(fit: Fit, name: str, axis: int, seed: int, changed: dict[str, Any]) -> FoldSettings:
    usual, settings = made_again(fit.engine, fit.settings)
    own = {key: value for key, value in settings.items() if key not in ("seed", "save_warmup")}
    engine = changed.pop("engine", usual)
    if engine != fit.engine:
        own = {key: own[key] for key in ("draws", "warmup", "chains")}
    wanted = {**own, **changed}
    draws, warmup, chains = (int(wanted.pop(key)) for key in ("draws", "warmup", "chains"))
    return FoldSettings(name, axis, seed, engine, draws, warmup, chains, wanted)


def _named_values(instance: Instance) -> dict[str, np.ndarray]:
    names = instance.graph.data_names
    return {names.get(leaf, f"#{n}"): array for n, (leaf, array) in enumerate(instance.values.items())}


def _assembled(results: Any, kind: str, shape: Sequence[int], axis: int) -> np.ndarray:
    """Put the folds' rows into their places."""
    whole = np.full((shape[axis], *shape[:axis], *shape[axis + 1 :]), np.nan)
    for found in results:
        whole[found["rows"]] = found[kind]
    return np.moveaxis(whole, 0, axis)

